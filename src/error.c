#include "error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

gpugeo_status gg_fail(gpugeo_error *error, gpugeo_status code, const char *argument,
                      const char *format, ...) {
  if (!error) return code;
  error->code = code;
  snprintf(error->argument, sizeof error->argument, "%s", argument);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

gg_number_text gg_number(double value) {
  gg_number_text number;
  if (isnan(value))
    snprintf(number.text, sizeof number.text, "NaN");
  else if (isinf(value))
    snprintf(number.text, sizeof number.text, value > 0 ? "Inf" : "-Inf");
  else
    snprintf(number.text, sizeof number.text, "%.15g", value);
  return number;
}

gg_vertex_text gg_vertex(const char *const *labels, int64_t vertex, int64_t first) {
  gg_vertex_text name;
  if (labels)
    snprintf(name.text, sizeof name.text, "%.40s", labels[vertex]);
  else
    snprintf(name.text, sizeof name.text, "%lld", (long long)(vertex + first));
  return name;
}

gpugeo_status gg_fail_memory(gpugeo_error *error, int64_t bytes) {
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "", "cannot allocate %.1f MiB of working memory",
                 (double)bytes / 1048576.0);
}

gpugeo_status gg_fail_matrix(gpugeo_error *error, const char *argument, gg_kind kind) {
  static const char *const kinds[] = {
      [GG_TEXT] = "text",       [GG_COMPLEX] = "complex numbers",         [GG_LIST] = "a list",
      [GG_NOTHING] = "nothing", [GG_OTHER] = "an object of another kind",
  };
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be a numeric matrix, not %s",
                 argument, kinds[kind]);
}

gpugeo_status gg_fail_string(gpugeo_error *error, const char *argument) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be a single string", argument);
}

gpugeo_status gg_fail_flag(gpugeo_error *error, const char *argument) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be true or false", argument);
}

gpugeo_status gg_whole_number(const char *argument, double value, int64_t least, int64_t most,
                              int64_t *number, gpugeo_error *error) {
  if (value >= (double)least && value <= (double)most && value == (double)(int64_t)value) {
    *number = (int64_t)value;
    return GPUGEO_OK;
  }
  if (most >= INT32_MAX && !(value > (double)most)) /* a limit that nobody meets is not told */
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a whole number of at least %lld, not %s", argument, (long long)least,
                   gg_number(value).text);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be a whole number between %lld and %lld, not %s", argument,
                 (long long)least, (long long)most, gg_number(value).text);
}

gpugeo_status gg_any_whole_number(const char *argument, double value, int64_t *number,
                                  gpugeo_error *error) {
  const double limit = 9223372036854775808.0; /* 2^63 */
  if (value >= -limit && value < limit && value == (double)(int64_t)value) {
    *number = (int64_t)value;
    return GPUGEO_OK;
  }
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be a whole number, not %s",
                 argument, gg_number(value).text);
}

gpugeo_status gg_any_small_number(const char *argument, double value, int32_t *number,
                                  gpugeo_error *error) {
  int64_t given = 0;
  gpugeo_status status = gg_any_whole_number(argument, value, &given, error);
  *number = (int32_t)(given < INT32_MIN ? INT32_MIN : given > INT32_MAX ? INT32_MAX : given);
  return status;
}

gpugeo_status gg_device_number(const char *text, double value, int32_t *device,
                               gpugeo_error *error) {
  if (text && strcmp(text, "all") == 0) {
    *device = GPUGEO_ALL_DEVICES;
    return GPUGEO_OK;
  }
  if (!text && value >= 0 && value <= INT32_MAX && value == (double)(int32_t)value) {
    *device = (int32_t)value;
    return GPUGEO_OK;
  }
  const char *allowed = value > INT32_MAX ? "between 0 and 2147483647" : "of at least 0";
  const char *quote = text ? "\"" : "";
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "device",
                 "device must be \"all\" or a whole number %s, not %s%s%s", allowed, quote,
                 text ? text : gg_number(value).text, quote);
}

gpugeo_status gg_positive_number(const char *argument, double value, gpugeo_error *error) {
  if (value > 0 && isfinite(value)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be a positive finite number, not %s", argument, gg_number(value).text);
}

gpugeo_status gg_one_of(const char *argument, const char *text, const char *const words[2],
                        int *which, gpugeo_error *error) {
  for (*which = 0; *which < 2; ++*which)
    if (strcmp(text, words[*which]) == 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be \"%s\" or \"%s\", not \"%s\"",
                 argument, words[0], words[1], text);
}

#include "common/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/number.h"

gpugeo_status gg_fail_list(gpugeo_error *error, gpugeo_status code, const char *argument,
                           const char *format, va_list list) {
  if (!error) return code;
  error->code = code;
  snprintf(error->argument, sizeof error->argument, "%s", argument);
  gg_print_list(error->message, sizeof error->message, format, list);
  gg_repair_utf8(error->argument);
  gg_repair_utf8(error->message);
  return code;
}

gpugeo_status gg_fail(gpugeo_error *error, gpugeo_status code, const char *argument,
                      const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gg_fail_list(error, code, argument, format, arguments);
  va_end(arguments);
  return code;
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

gpugeo_status gg_fail_matrix(gpugeo_error *error, const char *argument, const char *what) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be a numeric matrix, not %s",
                 argument, what);
}

gpugeo_status gg_fail_given(gpugeo_error *error, const char *argument, const char *allowed,
                            const gg_given *given) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be %s, not %s", argument, allowed,
                 given ? gg_show(given).text : "NULL");
}

gpugeo_status gg_fail_string(gpugeo_error *error, const char *argument, const gg_given *given) {
  return gg_fail_given(error, argument, "a single string", given);
}

gpugeo_status gg_fail_flag(gpugeo_error *error, const char *argument, const gg_given *given) {
  return gg_fail_given(error, argument, "true or false", given);
}

gpugeo_status gg_whole_number(const char *argument, const gg_given *given, int64_t least,
                              int64_t most, int64_t *number, gpugeo_error *error) {
  const double value = gg_number_given(given);
  if (value >= (double)least && value <= (double)most && value == (double)(int64_t)value) {
    *number = (int64_t)value;
    return GPUGEO_OK;
  }
  char allowed[96];
  if (most >= INT32_MAX && !(value > (double)most)) /* a limit that no value meets is left out */
    snprintf(allowed, sizeof allowed, "a whole number of at least %lld", (long long)least);
  else
    snprintf(allowed, sizeof allowed, "a whole number between %lld and %lld", (long long)least,
             (long long)most);
  return gg_fail_given(error, argument, allowed, given);
}

gpugeo_status gg_any_whole_number(const char *argument, const gg_given *given, int64_t *number,
                                  gpugeo_error *error) {
  const double value = gg_number_given(given), limit = 9223372036854775808.0; /* 2^63 */
  if (value >= -limit && value < limit && value == (double)(int64_t)value) {
    *number = (int64_t)value;
    return GPUGEO_OK;
  }
  return gg_fail_given(error, argument, "a whole number", given);
}

gpugeo_status gg_any_small_number(const char *argument, const gg_given *given, int32_t *number,
                                  gpugeo_error *error) {
  int64_t value = 0;
  const gpugeo_status status = gg_any_whole_number(argument, given, &value, error);
  if (!status)
    *number = (int32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
  return status;
}

gpugeo_status gg_number_from_one(const char *argument, const char *things, const gg_given *given,
                                 int64_t count, int64_t *number, gpugeo_error *error) {
  const double value = gg_number_given(given);
  if (value >= 1 && value <= (double)count && value == (double)(int64_t)value) {
    *number = (int64_t)value - 1;
    return GPUGEO_OK;
  }
  char allowed[128];
  snprintf(allowed, sizeof allowed, "between 1 and %lld (the %s there are)", (long long)count,
           things);
  return gg_fail_given(error, argument, allowed, given);
}

gpugeo_status gg_any_number(const char *argument, const char *allowed, const gg_given *given,
                            double *number, gpugeo_error *error) {
  const double value = gg_number_given(given);
  if (isnan(value)) return gg_fail_given(error, argument, allowed, given);
  *number = value;
  return GPUGEO_OK;
}

gpugeo_status gg_flag_given(const char *argument, const gg_given *given, int32_t *flag,
                            gpugeo_error *error) {
  const gg_item *item = &given->items[0];
  const bool single = !given->words[0] && given->length == 1;
  const bool number = item->kind == GG_ITEM_NUMBER && given->language != GG_R;
  if (!single || !(item->kind == GG_ITEM_FLAG || number) ||
      (item->number != 0 && item->number != 1))
    return gg_fail_flag(error, argument, given);
  *flag = item->number == 1;
  return GPUGEO_OK;
}

gpugeo_status gg_device_number(const gg_given *given, int32_t *device, gpugeo_error *error) {
  const char *text = gg_text_given(given);
  const double value = gg_number_given(given);
  if (text && strcmp(text, "all") == 0) {
    *device = GPUGEO_DEVICE_ALL;
    return GPUGEO_OK;
  }
  if (value >= 0 && value <= INT32_MAX && value == (double)(int32_t)value) {
    *device = (int32_t)value;
    return GPUGEO_OK;
  }
  return gg_fail_given(error, "device",
                       value > INT32_MAX ? "\"all\" or a whole number between 0 and 2147483647"
                                         : "\"all\" or a whole number of at least 0",
                       given);
}

gpugeo_status gg_positive_number(const char *argument, double value, gpugeo_error *error) {
  if (value > 0 && isfinite(value)) return GPUGEO_OK;
  const gg_given given = gg_given_number(value);
  return gg_fail_given(error, argument, GG_POSITIVE, &given);
}

gpugeo_status gg_one_of(const char *argument, const char *text, const char *const words[2],
                        int *which, gpugeo_error *error) {
  for (*which = 0; *which < 2; ++*which)
    if (strcmp(text, words[*which]) == 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be \"%s\" or \"%s\", not \"%.40s\"", argument, words[0], words[1], text);
}

/* Fills in the error of a coordinate in degrees that is outside its range; row counts from 0. */
static gpugeo_status fail_outside(const char *argument, int64_t row, const char *what, double least,
                                  double most, double value, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must have %s between %g and %g degrees, but row %lld has %s", argument, what,
                 least, most, (long long)row + 1, gg_number(value).text);
}

gpugeo_status gg_check_degrees(const char *argument, int64_t row, double longitude, double latitude,
                               gpugeo_error *error) {
  if (longitude < -180 || longitude > 360)
    return fail_outside(argument, row, "longitudes", -180, 360, longitude, error);
  if (latitude < -90 || latitude > 90)
    return fail_outside(argument, row, "latitudes", -90, 90, latitude, error);
  return GPUGEO_OK;
}

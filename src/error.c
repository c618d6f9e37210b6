#include "error.h"

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
  if (most == INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a whole number of at least %lld, not %.15g", argument,
                   (long long)least, value);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be a whole number between %lld and %lld, not %.15g", argument,
                 (long long)least, (long long)most, value);
}

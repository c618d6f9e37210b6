#include "common/options.h"

#include <string.h>

#include "common/error.h"

const char *gpugeo_version(void) { return GPUGEO_VERSION; }

void gg_options_fill(void *options, size_t size, const void *defaults, size_t known) {
  memset(options, 0, size);
  memcpy(options, defaults, size < known ? size : known);
  if (size >= sizeof size) memcpy(options, &size, sizeof size);
}

const void *gg_options_copy(const char *argument, const char *function, const void *given,
                            void *options, gpugeo_error *error) {
  if (!given) {
    gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be filled by %s(), not NULL", argument,
            function);
    return NULL;
  }
  size_t size, known;
  memcpy(&size, given, sizeof size);
  memcpy(&known, options, sizeof known);
  if (size < sizeof size || size > known) {
    gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
            "%s must be filled by %s() of gpugeo " GPUGEO_VERSION
            " or earlier, not have a size of %zu",
            argument, function, size);
    return NULL;
  }
  memcpy(options, given, size);
  memcpy(options, &known, sizeof known);
  return options;
}

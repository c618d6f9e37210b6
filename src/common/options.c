#include "common/options.h"

#include <string.h>

#include "common/error.h"
#include "common/option_table.h"

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

/* --- Settings of a call ----------------------------------------------------------------------- */

void gpugeo_run_init(gpugeo_run *run, size_t size) {
  gpugeo_run defaults = {.device = GPUGEO_DEVICE_ALL};
  gg_options_fill(run, size, &defaults, sizeof defaults);
}

static const gg_option run_rows[] = {
    {GG_OPTION("backend", CHOICE, gpugeo_run, backend), .choices = GPUGEO_ENUM_BACKEND},
    {GG_OPTION("threads", WHOLE, gpugeo_run, threads), .may_be_null = true, .least = 1,
     .most = GPUGEO_THREADS_MAX},
    {GG_OPTION("device", DEVICE, gpugeo_run, device), .may_be_null = true},
    {GG_OPTION("precision", CHOICE, gpugeo_run, precision), .choices = GPUGEO_ENUM_PRECISION},
    {GG_OPTION("memory_limit", WHOLE, gpugeo_run, work_bytes), .may_be_null = true,
     .least = 1 << 20, .most = (int64_t)1 << 53},
};

/* Fills in the default settings. */
static void fill_run(void *defaults) { gpugeo_run_init(defaults, sizeof(gpugeo_run)); }

const gg_option_table gg_run_options = GG_OPTION_TABLE(run_rows, gpugeo_run, fill_run);

/* The settings of a call: their defaults, and their table. */
#include "common/option_table.h"
#include "common/options.h"

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

/*
 * A fuzzer's entry: makes matrices and options of any bytes, calls gpugeo_dist, and stops the
 * program if what comes back can't be. To run it (clang; what it has found goes to the folder
 * corpus):
 *
 *   clang -g -O1 -std=gnu11 -ffp-contract=off -fsanitize=fuzzer,address,undefined \
 *     -Iinst/include -Isrc -Itests/c tests/c/fuzz_dist.c src/[a-z]*.c src/cpu/[a-z]*.c \
 *     -lm -o fuzz_dist
 *   mkdir -p corpus && ./fuzz_dist -max_total_time=60 corpus
 */
#include "fuzz.h"

/* No distance of these metrics is negative. */
static int is_positive(gpugeo_metric metric) {
  return metric != GPUGEO_BRAYCURTIS && metric != GPUGEO_COSINE && metric != GPUGEO_PEARSON &&
         metric != GPUGEO_SPEARMAN;
}

static void check_result(const gpugeo_dist_options *options, int64_t nx, int64_t ny, int within,
                         const double *full) {
  for (int64_t j = 0; j < ny; ++j)
    for (int64_t i = 0; i < nx; ++i) {
      const double value = full[i + j * nx];
      if (is_positive(options->metric)) demand(isnan(value) || value >= 0);
      if (within) demand(memcmp(&value, &full[j + i * nx], sizeof value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options);
  options.metric = (gpugeo_metric)take(&b, GPUGEO_METRICS);
  options.points = (gpugeo_points)take(&b, 1);
  options.shape = GPUGEO_FULL;
  options.p = take_double(&b);
  options.run.backend = GPUGEO_CPU;
  options.run.threads = 1;
  options.run.precision = (gpugeo_precision)take(&b, 1);
  options.run.work_bytes = take(&b, 255);
  const int64_t nx = take(&b, 40), m = take(&b, 20), ny = take(&b, 40);
  const int within = take(&b, 1), rows = options.points == GPUGEO_ROWS;
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? nx : m, rows ? m : nx);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? ny : m, rows ? m : ny);
  double scale[20];
  for (int k = 0; k < 20; ++k)
    scale[k] = take_double(&b);
  if (options.metric == GPUGEO_SEUCLIDEAN && take(&b, 1)) {
    options.scale = scale;
    options.scale_length = m;
  }
  const int64_t count = nx * (within ? nx : ny);
  double *full = malloc((size_t)count * sizeof *full + 1);
  gpugeo_error error;
  gpugeo_status status =
      gpugeo_dist(&x, within ? NULL : &y, &options, GPUGEO_DOUBLE, full, NULL, &error);
  demand(status == GPUGEO_OK || status == GPUGEO_ERROR_ARGUMENT || status == GPUGEO_ERROR_DATA);
  if (status)
    demand(error.code == (int32_t)status && error.message[0] && strlen(error.message) < 512);
  else
    check_result(&options, nx, within ? nx : ny, within, full);
  free(full);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}

/*
 * A fuzzer's entry: makes matrices and options of any bytes, calls gpugeo_dist, and stops the
 * program if what comes back can't be. To run it (clang; what it has found goes to the folder
 * corpus):
 *
 *   clang -g -O1 -std=gnu11 -ffp-contract=off -fsanitize=fuzzer,address,undefined \
 *     -Iinst/include -Isrc tests/c/fuzz_dist.c src/[a-z]*.c src/cpu/[a-z]*.c -lm -o fuzz_dist
 *   mkdir -p corpus && ./fuzz_dist -max_total_time=60 corpus
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpugeo.h"

/* The bytes not used yet; zeros when they are used up. */
typedef struct bytes {
  const uint8_t *next, *end;
} bytes;

static int take(bytes *b, int most) { return b->next < b->end ? *b->next++ % (most + 1) : 0; }

/* Any 8 bytes, or often a small number, so that ties and sums happen. */
static double take_double(bytes *b) {
  double value = take(b, 16) - 8;
  if (take(b, 3) == 0 && b->end - b->next >= 8) {
    memcpy(&value, b->next, sizeof value);
    b->next += sizeof value;
  }
  return value;
}

static gpugeo_matrix take_matrix(bytes *b, int64_t rows, int64_t columns) {
  const gpugeo_type type = (gpugeo_type)take(b, 2);
  const int64_t ld = rows + take(b, 2), last = columns ? (columns - 1) * ld + rows : 0;
  void *data = malloc((size_t)last * (type == GPUGEO_DOUBLE ? 8 : 4) + 1);
  for (int64_t i = 0; i < last; ++i) {
    const double value = take_double(b);
    if (type == GPUGEO_DOUBLE) ((double *)data)[i] = value;
    if (type == GPUGEO_FLOAT) ((float *)data)[i] = (float)value;
    if (type == GPUGEO_INT32) ((int32_t *)data)[i] = fabs(value) < 2e9 ? (int32_t)value : INT32_MIN;
  }
  return (gpugeo_matrix){data, type, rows, columns, ld};
}

static void demand(int condition) {
  if (!condition) abort();
}

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
  options.layout = GPUGEO_FULL;
  options.p = take_double(&b);
  options.run.backend = GPUGEO_CPU;
  options.run.threads = 1;
  options.run.precision = (gpugeo_precision)take(&b, 1);
  options.run.work_bytes = take(&b, 255);
  const int64_t nx = take(&b, 40), m = take(&b, 20), ny = take(&b, 40);
  const int within = take(&b, 1), rows = options.points == GPUGEO_ROWS;
  gpugeo_matrix x = take_matrix(&b, rows ? nx : m, rows ? m : nx);
  gpugeo_matrix y = take_matrix(&b, rows ? ny : m, rows ? m : ny);
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

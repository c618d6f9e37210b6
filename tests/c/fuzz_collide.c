/*
 * A fuzzer's entry: makes points and options of any bytes, finds their collisions by every method
 * that applies, and stops the program if these differ or what comes back can't be. To run it
 * (clang; what it has found goes to the folder corpus):
 *
 *   clang -g -O1 -std=gnu11 -ffp-contract=off -fsanitize=fuzzer,address,undefined \
 *     -Iinst/include -Isrc -Itests/c tests/c/fuzz_collide.c src/[a-z]*.c src/cpu/[a-z]*.c \
 *     -lm -o fuzz_collide
 *   mkdir -p corpus && ./fuzz_collide -max_total_time=60 corpus
 */
#include "fuzz.h"

/* Rows in range and in order, as many as counted. */
static void check_pairs(gpugeo_collisions *found, int64_t count, int64_t nx, int64_t ny,
                        int within) {
  int32_t *pairs = malloc((size_t)count * 2 * sizeof *pairs + 1);
  demand(gpugeo_collisions_pairs(found, GPUGEO_INT32, pairs, NULL) == GPUGEO_OK);
  for (int64_t e = 0; e < count; ++e) {
    const int32_t i = pairs[e], j = pairs[e + count];
    demand(i >= 0 && i < nx && j >= 0 && j < ny && (!within || i < j));
    demand(e == 0 || pairs[e - 1] < i || (pairs[e - 1] == i && pairs[e - 1 + count] < j));
  }
  free(pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  gpugeo_collide_options o;
  gpugeo_collide_options_init(&o);
  o.what = (gpugeo_collide_what)(GPUGEO_COLLIDE_COUNT + take(&b, 2));
  o.run.backend = GPUGEO_CPU;
  o.run.threads = 1;
  o.run.work_bytes = take(&b, 255);
  const int64_t columns = 1 + take(&b, 2);
  const int64_t nx = take(&b, 255) + (take(&b, 3) == 0 ? 400 : 0), ny = take(&b, 40);
  const int within = take(&b, 1);
  const gpugeo_type type = (gpugeo_type)take(&b, 2);
  o.radius = take(&b, 1) ? take_double(&b) : 0.5 * (1 + take(&b, 8));
  o.exclude = within ? take(&b, 30) : 0;
  double box[3], radii[1000];
  for (int k = 0; k < 3; ++k)
    box[k] = take(&b, 1) ? 0 : take_double(&b) + 10;
  if (take(&b, 2) == 0) {
    o.box = box;
    o.box_length = columns;
  }
  if (take(&b, 2) == 0) {
    for (int k = 0; k < 1000; ++k)
      radii[k] = 0.25 * (1 + take(&b, 4));
    o.radii = radii;
    o.radii_length = nx + (within ? 0 : ny);
  }
  gpugeo_matrix x = take_matrix(&b, type, nx, columns), y = take_matrix(&b, type, ny, columns);
  gpugeo_error error;
  int64_t first = -1;
  for (int method = 0; method < 5; ++method) {
    o.method = (gpugeo_collide_method)method;
    gpugeo_collisions *found = NULL;
    const gpugeo_status status = gpugeo_collisions_find(&x, within ? NULL : &y, &o, &found, &error);
    demand(status == GPUGEO_OK || status == GPUGEO_ERROR_ARGUMENT);
    if (status) {
      demand(error.code == (int32_t)status && error.message[0] && strlen(error.message) < 512);
      continue;
    }
    int64_t count = -1;
    demand(gpugeo_collisions_wait(found, NULL, &count, NULL, NULL) == GPUGEO_OK && count >= 0);
    if (first < 0) first = count;
    demand(count == first);
    if (o.what == GPUGEO_COLLIDE_PAIRS) check_pairs(found, count, nx, within ? nx : ny, within);
    gpugeo_collisions_free(found);
  }
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}

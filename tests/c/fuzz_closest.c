/*
 * A fuzzer's entry: makes points and options of any bytes, calls gpugeo_closest_pair with every
 * method that takes them, and stops the program if one's result differs from another's. To run it
 * (clang; what it has found goes to the folder corpus):
 *
 *   clang -g -O1 -std=gnu11 -ffp-contract=off -fsanitize=fuzzer,address,undefined \
 *     -Iinst/include -Isrc -Itests/c tests/c/fuzz_closest.c src/[a-z]*.c src/cpu/[a-z]*.c \
 *     -lm -o fuzz_closest
 *   mkdir -p corpus && ./fuzz_closest -max_total_time=60 corpus
 */
#include "fuzz.h"

enum { MOST = 64 };

static void check_pairs(const gpugeo_pair *pairs, int64_t found, int64_t nx, int64_t ny,
                        int within) {
  for (int64_t p = 0; p < found; ++p) {
    demand(pairs[p].i >= 0 && pairs[p].i < nx && pairs[p].j >= 0 && pairs[p].j < ny);
    demand(!within || pairs[p].i < pairs[p].j);
    demand(pairs[p].distance >= 0 && (p == 0 || pairs[p - 1].distance <= pairs[p].distance));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options);
  options.run.backend = GPUGEO_CPU;
  options.run.threads = 1;
  options.metric = (gpugeo_closest_metric)take(&b, 1);
  options.distinct = take(&b, 1);
  options.k = take(&b, MOST);
  const int64_t nx = take(&b, 120), ny = take(&b, 60), columns = take(&b, 4);
  const int within = take(&b, 1);
  double box[4];
  for (int c = 0; c < 4; ++c)
    box[c] = take_double(&b);
  if (take(&b, 1)) {
    options.box = box;
    options.box_length = columns;
  }
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), nx, columns),
                y = take_matrix(&b, (gpugeo_type)take(&b, 2), ny, columns);
  gpugeo_pair first[MOST], pairs[MOST];
  int64_t first_found = 0, first_ties = 0, found, ties;
  int done = 0;
  for (int method = 0; method < GPUGEO_CLOSEST_METHODS; ++method) {
    gpugeo_error error;
    options.method = (gpugeo_closest_method)method;
    const gpugeo_status status =
        gpugeo_closest_pair(&x, within ? NULL : &y, &options, pairs, &found, &ties, NULL, &error);
    demand(status == GPUGEO_OK || status == GPUGEO_ERROR_ARGUMENT);
    if (status) {
      demand(error.code == (int32_t)status && error.message[0] && strlen(error.message) < 512);
      continue;
    }
    check_pairs(pairs, found, nx, within ? nx : ny, within);
    if (done++ == 0) {
      memcpy(first, pairs, sizeof first);
      first_found = found;
      first_ties = ties;
    }
    demand(found == first_found && ties == first_ties);
    for (int64_t p = 0; p < found; ++p)
      demand(pairs[p].i == first[p].i && pairs[p].j == first[p].j &&
             pairs[p].distance == first[p].distance);
  }
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}

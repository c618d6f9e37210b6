/* Sorting of 64-bit keys by their digits, the lowest first. Limit: memory, passed over twice a
   digit. */
#include "radix.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "memory.h"

enum { DIGIT = 8, DIGITS = 1 << DIGIT };

bool gg_radix_allocate(gg_radix *radix, int64_t n, int32_t threads) {
  *radix =
      (gg_radix){.key = gg_allocate_large(n, sizeof *radix->key),
                 .other_key = gg_allocate_large(n, sizeof *radix->key),
                 .value = gg_allocate_large(n, sizeof *radix->value),
                 .other_value = gg_allocate_large(n, sizeof *radix->value),
                 .counts = gg_allocate_large((int64_t)threads * DIGITS, sizeof *radix->counts)};
  return radix->key && radix->other_key && radix->value && radix->other_value && radix->counts;
}

void gg_radix_free(gg_radix *radix) {
  free(radix->key);
  free(radix->other_key);
  free(radix->value);
  free(radix->other_value);
  free(radix->counts);
  *radix = (gg_radix){0};
}

/* One digit of a share of the keys. */
static void count_digits(const uint64_t *key, int64_t first, int64_t last, int shift,
                         int64_t *counts) {
  memset(counts, 0, DIGITS * sizeof *counts);
  for (int64_t i = first; i < last; ++i)
    ++counts[key[i] >> shift & (DIGITS - 1)];
}

/* Counts to places: digit by digit, in each the threads' shares in their order. */
static void add_up(int64_t *counts, int threads) {
  int64_t sum = 0;
  for (int digit = 0; digit < DIGITS; ++digit)
    for (int t = 0; t < threads; ++t) {
      int64_t *count = counts + (int64_t)t * DIGITS + digit;
      const int64_t here = *count;
      *count = sum;
      sum += here;
    }
}

static void move(const gg_radix *radix, int64_t first, int64_t last, int shift, int64_t *places) {
  for (int64_t i = first; i < last; ++i) {
    const uint64_t key = radix->key[i];
    const int64_t to = places[key >> shift & (DIGITS - 1)]++;
    radix->other_key[to] = key;
    radix->other_value[to] = radix->value[i];
  }
}

static void swap(gg_radix *radix) {
  const gg_radix old = *radix;
  radix->key = old.other_key;
  radix->value = old.other_value;
  radix->other_key = old.key;
  radix->other_value = old.value;
}

void gg_radix_sort(gg_radix *radix, int64_t n, int bits, int32_t threads) {
  (void)threads;
#pragma omp parallel num_threads(n > 10000 ? threads : 1)
  {
    const int team = gg_team_size(), me = gg_thread_number();
    const int64_t first = n * me / team, last = n * (me + 1) / team;
    int64_t *mine = radix->counts + (int64_t)me * DIGITS;
    for (int shift = 0; shift < bits; shift += DIGIT) {
      count_digits(radix->key, first, last, shift, mine);
#pragma omp barrier
#pragma omp single
      add_up(radix->counts, team);
      move(radix, first, last, shift, mine);
#pragma omp barrier
#pragma omp single
      swap(radix);
    }
  }
}

/* Sorting of 64-bit keys by their digits, the lowest first. Limit: memory, passed over twice a
   digit. */
#include "radix.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "parallel.h"

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

/* A pass over one digit. The keys are cut into slices of equal length, which keep their order. */
typedef struct pass {
  gg_radix *radix;
  int64_t n;
  int32_t slices;
  int shift;
} pass;

/* Counts the digits of a slice. */
static void count_digits(void *job, gg_range slice) {
  const pass *p = job;
  const int64_t last = p->n * slice.last / p->slices;
  int64_t *counts = p->radix->counts + slice.first * DIGITS;
  memset(counts, 0, DIGITS * sizeof *counts);
  for (int64_t i = p->n * slice.first / p->slices; i < last; ++i)
    ++counts[p->radix->key[i] >> p->shift & (DIGITS - 1)];
}

/* Turns counts into positions: digit by digit, in each the slices in their order. */
static void add_up(int64_t *counts, int32_t slices) {
  int64_t sum = 0;
  for (int digit = 0; digit < DIGITS; ++digit)
    for (int32_t s = 0; s < slices; ++s) {
      int64_t *count = counts + (int64_t)s * DIGITS + digit;
      const int64_t here = *count;
      *count = sum;
      sum += here;
    }
}

/* Moves the keys and values of a slice to their positions. */
static void move(void *job, gg_range slice) {
  const pass *p = job;
  const gg_radix *radix = p->radix;
  const int64_t last = p->n * slice.last / p->slices;
  int64_t *positions = radix->counts + slice.first * DIGITS;
  for (int64_t i = p->n * slice.first / p->slices; i < last; ++i) {
    const uint64_t key = radix->key[i];
    const int64_t to = positions[key >> p->shift & (DIGITS - 1)]++;
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
  pass p = {.radix = radix, .n = n, .slices = n > 10000 ? threads : 1};
  gg_loop loop = {.threads = p.slices, .count = p.slices, .grain = 1, .job = &p};
  for (; p.shift < bits; p.shift += DIGIT) {
    loop.work = count_digits;
    gg_parallel_for(&loop);
    add_up(radix->counts, p.slices);
    loop.work = move;
    gg_parallel_for(&loop);
    swap(radix);
  }
}

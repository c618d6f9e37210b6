/* The sort of keys with values, compared with qsort() by key and position, for keys of many and few
   different values, in many bits and few, on several numbers of threads. */
#include <stdlib.h>

#include "check.h"
#include "common/radix.h"
#include "common/random.h"

typedef struct pair {
  uint64_t key;
  int32_t value;
} pair;

static int compare(const void *left, const void *right) {
  const pair *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->value < b->value ? -1 : a->value > b->value;
}

/* Kinds of keys: random in all bits; of 5 values; in a narrow range with a few far away; equal. */
static uint64_t key_of(int kind, int bits, uint64_t number) {
  const uint64_t drawn = gg_random(7, number), mask = bits ? ~(uint64_t)0 >> (64 - bits) : 0;
  const uint64_t keys[] = {drawn, drawn % 5 << (bits > 3 ? bits - 3 : 0),
                           number % 100 ? drawn % 4096 : drawn, 42};
  return keys[kind] & mask;
}

static void test_sort(int kind, int bits, int64_t n, int32_t threads) {
  gg_radix radix;
  pair *want = malloc((size_t)n * sizeof *want + 1);
  const bool there = gg_radix_allocate(&radix, n, threads) && want;
  for (int64_t i = 0; i < n && there; ++i) {
    want[i] = (pair){radix.key[i] = key_of(kind, bits, (uint64_t)i), (int32_t)i};
    radix.value[i] = (int32_t)i;
  }
  if (there) gg_radix_sort(&radix, n, bits, threads);
  if (there) qsort(want, (size_t)n, sizeof *want, compare);
  int64_t wrong = there ? 0 : 1;
  for (int64_t i = 0; i < n && there; ++i)
    wrong += radix.key[i] != want[i].key || radix.value[i] != want[i].value;
  CHECK(wrong == 0, "kind %d, %d bits, %lld keys, %d threads: %lld wrong", kind, bits, (long long)n,
        threads, (long long)wrong);
  gg_radix_free(&radix);
  free(want);
}

int main(void) {
  static const int bits[] = {0, 1, 7, 26, 62, 63, 64};
  static const int64_t counts[] = {0, 1, 2, 24, 25, 300, 4096, 9000, 70000};
  for (int kind = 0; kind < 4; ++kind)
    for (int b = 0; b < 7; ++b)
      for (int c = 0; c < 9; ++c)
        for (int32_t threads = 1; threads <= 5; threads += 2)
          test_sort(kind, bits[b], counts[c], threads);
  return check_end();
}

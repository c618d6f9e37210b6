/* Sorting of 64-bit keys that carry a number. */
#ifndef GG_CPU_RADIX_H
#define GG_CPU_RADIX_H

#include <stdint.h>

/* n keys with their values, room for as many again, and the counts of a team of threads. */
typedef struct gg_radix {
  uint64_t *key, *other_key;
  int32_t *value, *other_value;
  int64_t *counts; /* threads times gg_radix_counts() */
} gg_radix;

int64_t gg_radix_counts(void);

/* Sorts by the lowest `bits` bits of the keys, those above being 0; equal keys keep their order. */
void gg_radix_sort(gg_radix *radix, int64_t n, int bits, int32_t threads);

#endif

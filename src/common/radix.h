/* Sorting of 64-bit keys that carry a number. */
#ifndef GG_RADIX_H
#define GG_RADIX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/clock.h"

/* n keys with their values, room for as many again, and counts of digits. */
typedef struct gg_radix {
  uint64_t *key, *other_key;
  int32_t *value, *other_value;
  int64_t *counts; /* of each slice of the keys and first digit */
  gg_clock *clock; /* may be set to one that is polled in a sort; NULL: none */
} gg_radix;

/* Allocates room for n keys that so many threads sort, to be freed also after a failure. Returns
   false if there is no memory. */
bool gg_radix_allocate(gg_radix *radix, int64_t n, int32_t threads);
void gg_radix_free(gg_radix *radix);

/* Sorts by the lowest `bits` bits of the keys, those above being 0; equal keys keep their order.
   Returns false if the clock says stop: then keys and values are undefined. */
bool gg_radix_sort(gg_radix *radix, int64_t n, int bits, int32_t threads);

/* Returns a key in the order of the doubles, none of them NaN; 0 and -0 have the same one. */
static inline uint64_t gg_radix_key(double number) {
  const double value = number + 0.0;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Returns how many bits keys up to `largest` have, at least 1. */
static inline int gg_radix_bits(uint64_t largest) {
  int bits = 1;
  while (bits < 64 && largest >> bits)
    ++bits;
  return bits;
}

#endif

/* Sorting of 64-bit keys that carry a number. */
#ifndef GG_RADIX_H
#define GG_RADIX_H

#include <stdbool.h>
#include <stdint.h>

/* n keys with their values, room for as many again, and counts of digits. */
typedef struct gg_radix {
  uint64_t *key, *other_key;
  int32_t *value, *other_value;
  int64_t *counts; /* of each slice of the keys and first digit */
} gg_radix;

/* Allocates room for n keys that so many threads sort, to be freed also after a failure. Returns
   false if there is no memory. */
bool gg_radix_allocate(gg_radix *radix, int64_t n, int32_t threads);
void gg_radix_free(gg_radix *radix);

/* Sorts by the lowest `bits` bits of the keys, those above being 0; equal keys keep their order. */
void gg_radix_sort(gg_radix *radix, int64_t n, int bits, int32_t threads);

#endif

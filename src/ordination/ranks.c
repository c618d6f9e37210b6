#include "ordination/ranks.h"

#include "common/error.h"
#include "common/radix.h"

/* Fills the keys, counted from the smallest one. Returns the bits that the largest one takes. */
static int fill_keys(const double *distance, int64_t count, gg_radix *keys) {
  uint64_t smallest = UINT64_MAX, largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t key = gg_radix_key(distance[k]);
    keys->key[k] = key;
    keys->value[k] = (int32_t)k;
    smallest = key < smallest ? key : smallest;
    largest = key > largest ? key : largest;
  }
  for (int64_t k = 0; k < count; ++k)
    keys->key[k] -= smallest;
  return gg_radix_bits(largest - smallest);
}

/* Writes the ranks of sorted keys, the mean of those of equal ones. */
static void write_ranks(const gg_radix *sorted, int64_t count, double *rank) {
  for (int64_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && sorted->key[end] == sorted->key[first];)
      ++end;
    for (int64_t k = first; k < end; ++k)
      rank[sorted->value[k]] = 0.5 * (double)(first + 1 + end);
  }
}

gpugeo_status gg_rank_distances(double *distance, int64_t count, int32_t threads,
                                gpugeo_error *error) {
  gg_radix sorted;
  const bool there = gg_radix_allocate(&sorted, count, threads);
  if (there) {
    gg_radix_sort(&sorted, count, fill_keys(distance, count, &sorted), threads);
    write_ranks(&sorted, count, distance);
  }
  gg_radix_free(&sorted);
  return there ? GPUGEO_OK : gg_fail_memory(error, 24 * count);
}

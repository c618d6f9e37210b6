#include "distance/cpu/kendall_merge.h"

#include <string.h>

#define MERGE_SORT_VALUE  int32_t
#define MERGE_SORT_KEY(v) (v)
#define MERGE_SORT_COUNTS 1
#include "distance/merge_sort.h"

/* Returns the number of pairs of n rows. */
static int64_t pairs_of(int64_t n) { return n * (n - 1) / 2; }

/* Sorts values in place. Returns the number of pairs that were not in order. */
static int64_t sort_counting(int32_t *values, int32_t *room, int64_t count) {
  int64_t exchanges = 0;
  const int32_t *sorted = merge_sort(values, room, count, &exchanges);
  if (sorted != values) memcpy(values, sorted, (size_t)count * sizeof *values);
  return exchanges;
}

/* Returns the number of pairs of equal values among sorted ones. */
static int64_t tied_pairs(const int32_t *sorted, int64_t count) {
  int64_t tied = 0;
  for (int64_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && sorted[end] == sorted[first];)
      ++end;
    tied += pairs_of(end - first);
  }
  return tied;
}

/* Ties, counted while the values of y are listed in the order of those of x. */
typedef struct tie_counts {
  int64_t in_x, in_both;
} tie_counts;

/* Sorts the values of y at equal values of x, and counts both. */
static void end_run(int32_t *values, int64_t count, int32_t *room, tie_counts *ties) {
  if (count < 2) return;
  sort_counting(values, room, count);
  ties->in_x += pairs_of(count);
  ties->in_both += tied_pairs(values, count);
}

gg_kendall_counts gg_kendall_merge(const gg_kendall_columns *x, const int32_t *order, int64_t i,
                                   const gg_kendall_columns *y, int64_t j, int32_t *room) {
  const int64_t n = x->n;
  const int32_t *a = x->code + i * n, *b = y->code + j * n;
  int32_t *values = room, *spare = room + n, value = GG_KENDALL_MISSING;
  tie_counts ties = {0};
  int64_t count = 0, first = 0;
  for (int64_t t = 0; t < x->present[i]; ++t) {
    const int32_t k = order[t + i * n];
    if (b[k] == GG_KENDALL_MISSING) continue;
    if (a[k] != value) {
      end_run(values + first, count - first, spare, &ties);
      first = count;
      value = a[k];
    }
    values[count++] = b[k];
  }
  end_run(values + first, count - first, spare, &ties);
  const int64_t discordant = sort_counting(values, spare, count);
  const int64_t all = pairs_of(count), in_y = tied_pairs(values, count);
  return (gg_kendall_counts){.observations = count,
                             .untied_x = all - ties.in_x,
                             .untied_y = all - in_y,
                             .score = all - ties.in_x - in_y + ties.in_both - 2 * discordant};
}

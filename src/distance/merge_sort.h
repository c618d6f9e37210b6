/*
 * Merge sort that keeps the order of equal values. Included after defining MERGE_SORT_VALUE, the
 * type of a value, MERGE_SORT_KEY(v), the number by which values are sorted, and MERGE_SORT_COUNTS,
 * 1 if the pairs that are not in order are counted, else 0. It undefines all three.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/integer.h"

enum { RUN = 8 }; /* values that are sorted by insertion */

/* Sorts values by insertion. Returns the number of exchanges of neighbours, or 0 if it is not
   counted. */
static int64_t insert_all(MERGE_SORT_VALUE *values, int64_t count) {
  int64_t exchanges = 0;
  for (int64_t i = 1; i < count; ++i) {
    const MERGE_SORT_VALUE inserted = values[i];
    int64_t at = i;
    for (; at > 0 && MERGE_SORT_KEY(values[at - 1]) > MERGE_SORT_KEY(inserted); --at)
      values[at] = values[at - 1];
    values[at] = inserted;
    if (MERGE_SORT_COUNTS) exchanges += i - at;
  }
  return exchanges;
}

/* Merges the sorted values [0, middle) and [middle, count). Takes the next one without a branch,
   which could not be predicted. */
static int64_t merge(const MERGE_SORT_VALUE *from, int64_t middle, int64_t count,
                     MERGE_SORT_VALUE *to) {
  int64_t left = 0, right = middle, exchanges = 0;
  while (left < middle && right < count) {
    const bool second = MERGE_SORT_KEY(from[right]) < MERGE_SORT_KEY(from[left]);
    *to++ = from[second ? right : left];
    if (MERGE_SORT_COUNTS) exchanges += second ? middle - left : 0;
    right += second;
    left += !second;
  }
  memcpy(to, from + left, (size_t)(middle - left) * sizeof *to);
  memcpy(to + middle - left, from + right, (size_t)(count - right) * sizeof *to);
  return exchanges;
}

/* Sorts values, none of them NaN. Returns which of the two holds the result, and if they are
   counted sets *exchanges to the number of pairs that were not in order. */
static MERGE_SORT_VALUE *merge_sort(MERGE_SORT_VALUE *values, MERGE_SORT_VALUE *room, int64_t count,
                                    int64_t *exchanges) {
  int64_t all = 0;
  for (int64_t first = 0; first < count; first += RUN)
    all += insert_all(values + first, gg_smaller(RUN, count - first));
  for (int64_t run = RUN; run < count; run *= 2) {
    for (int64_t first = 0; first < count; first += 2 * run)
      all += merge(values + first, gg_smaller(run, count - first),
                   gg_smaller(2 * run, count - first), room + first);
    MERGE_SORT_VALUE *swap = values;
    values = room;
    room = swap;
  }
  if (MERGE_SORT_COUNTS) *exchanges = all;
  return values;
}

#undef MERGE_SORT_VALUE
#undef MERGE_SORT_KEY
#undef MERGE_SORT_COUNTS

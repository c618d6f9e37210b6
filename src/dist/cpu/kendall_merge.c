#include <string.h>

#include "common/integer.h"
#include "dist/cpu/kendall.h"

enum { RUN = 8 }; /* values that are sorted by insertion */

static int64_t pairs_of(int64_t n) { return n * (n - 1) / 2; }

/* Sorts a few values. Returns the number of pairs that were not in order. */
static int64_t insert_all(int32_t *values, int64_t count) {
  int64_t exchanges = 0;
  for (int64_t i = 1; i < count; ++i) {
    const int32_t inserted = values[i];
    int64_t at = i;
    for (; at > 0 && values[at - 1] > inserted; --at)
      values[at] = values[at - 1];
    values[at] = inserted;
    exchanges += i - at;
  }
  return exchanges;
}

/* Merges the sorted values [0, middle) and [middle, count). Takes the next one without a branch,
   which could not be predicted. Returns the number of pairs that were not in order. */
static int64_t merge(const int32_t *from, int64_t middle, int64_t count, int32_t *to) {
  int64_t left = 0, right = middle, exchanges = 0;
  while (left < middle && right < count) {
    const bool second = from[right] < from[left];
    *to++ = from[second ? right : left];
    exchanges += second ? middle - left : 0;
    right += second;
    left += !second;
  }
  memcpy(to, from + left, (size_t)(middle - left) * sizeof *to);
  memcpy(to + middle - left, from + right, (size_t)(count - right) * sizeof *to);
  return exchanges;
}

/* Sorts values in place. Returns the number of pairs that were not in order. */
static int64_t sort_counting(int32_t *values, int32_t *room, int64_t count) {
  int64_t exchanges = 0;
  int32_t *from = values, *to = room;
  for (int64_t first = 0; first < count; first += RUN)
    exchanges += insert_all(values + first, gg_smaller(RUN, count - first));
  for (int64_t run = RUN; run < count; run *= 2) {
    for (int64_t first = 0; first < count; first += 2 * run)
      exchanges += merge(from + first, gg_smaller(run, count - first),
                         gg_smaller(2 * run, count - first), to + first);
    int32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != values) memcpy(values, from, (size_t)count * sizeof *values);
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

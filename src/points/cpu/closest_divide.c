/*
 * Divide and conquer (Shamos, 1975): both halves along x, then the pairs between them in a strip
 * around the border, in the order of y. The k best pairs so far determine the strip's width.
 */
#include "points/cpu/closest_divide.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

static const int64_t small = 16; /* locations that are compared directly */

typedef struct division {
  gg_sorted_axis_search s;
  int32_t *by_y; /* locations, in each part that is done in the order of y */
  int32_t *scratch;
  double done; /* locations in parts that were compared directly */
} division;

/* Returns the second coordinate of a location, 0 on the line. */
static double second(const gg_sorted_axis *axis, int64_t location) {
  return axis->columns > 1 ? axis->at[1][location] : 0;
}

/* Sorts locations by their second coordinate, by insertion. */
static void sort_few(const gg_sorted_axis *axis, int32_t *rank, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const int32_t moved = rank[i];
    int64_t at = i;
    for (; at > 0 && second(axis, moved) < second(axis, rank[at - 1]); --at)
      rank[at] = rank[at - 1];
    rank[at] = moved;
  }
}

/* Compares all pairs of a small part, and sorts it by the second coordinate. */
static void compare_directly(division *d, int64_t low, int64_t high) {
  for (int64_t p = low; p < high; ++p) {
    d->by_y[p] = (int32_t)p;
    for (int64_t q = p; q < high; ++q)
      gg_sorted_axis_offer(&d->s, p, q);
  }
  sort_few(d->s.axis, d->by_y + low, high - low);
  d->done += (double)(high - low);
}

/* Merges two neighbouring parts in the order of y. */
static void merge_parts(division *d, int64_t low, int64_t middle, int64_t high) {
  const gg_sorted_axis *axis = d->s.axis;
  memcpy(d->scratch + low, d->by_y + low, (size_t)(high - low) * sizeof *d->scratch);
  int64_t a = low, b = middle;
  for (int64_t to = low; to < high; ++to) {
    const bool from_a =
        b == high || (a < middle && second(axis, d->scratch[a]) <= second(axis, d->scratch[b]));
    d->by_y[to] = d->scratch[from_a ? a++ : b++];
  }
}

/* Compares locations below `middle` with the others, both within the limit of the border's x. */
static void compare_strip(division *d, int64_t low, int64_t middle, int64_t high) {
  const gg_sorted_axis *axis = d->s.axis;
  const double border = axis->at[0][middle];
  int64_t count = 0;
  for (int64_t p = low; p < high; ++p)
    if (fabs(axis->at[0][d->by_y[p]] - border) <= d->s.limit)
      d->scratch[low + count++] = d->by_y[p];
  const int32_t *strip = d->scratch + low;
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = a + 1; b < count; ++b) {
      if (second(axis, strip[b]) - second(axis, strip[a]) > d->s.limit) break;
      if ((strip[a] < middle) != (strip[b] < middle))
        gg_sorted_axis_offer(&d->s, strip[a], strip[b]);
    }
}

/* Finds the closest pairs of a part by those of its halves and of the strip between them. */
static void divide_part(division *d, int64_t low, int64_t high) {
  if (high - low <= small) {
    compare_directly(d, low, high);
    return;
  }
  if (gg_call_poll(d->s.search->call, d->done / (double)d->s.axis->n)) return;
  const int64_t middle = low + (high - low) / 2;
  divide_part(d, low, middle);
  divide_part(d, middle, high);
  if (d->s.search->call->status) return; /* parts are not done, nor in order */
  merge_parts(d, low, middle, high);
  compare_strip(d, low, middle, high);
}

gpugeo_status gg_closest_divide(const gg_closest_search *search, const gg_sorted_axis *axis,
                                gg_best *best) {
  gg_call *call = search->call;
  division d = {.s = {.search = search, .axis = axis, .best = *best, .limit = INFINITY}};
  d.by_y = gg_call_allocate(call, 2 * axis->n, sizeof *d.by_y);
  if (!d.by_y) return call->status;
  d.scratch = d.by_y + axis->n;
  divide_part(&d, 0, axis->n);
  *best = d.s.best;
  gg_free(d.by_y);
  return call->status;
}

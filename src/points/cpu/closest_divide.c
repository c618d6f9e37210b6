/*
 * Divide and conquer (Shamos, 1975): both halves along x, then the pairs between them in a strip
 * around the border, in the order of y. The k best pairs so far determine the strip's width.
 */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "points/cpu/closest_sorted_axis.h"

static const int64_t small = 16; /* places that are compared directly */

typedef struct division {
  gg_sorted_axis_search s;
  int32_t *by_y; /* places, in each part that is done in the order of y */
  int32_t *scratch;
  double done; /* places in parts that were compared directly */
} division;

static double second(const gg_sorted_axis *line, int64_t place) {
  return line->columns > 1 ? line->at[1][place] : 0;
}

static void sort_few(const gg_sorted_axis *line, int32_t *place, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const int32_t moved = place[i];
    int64_t at = i;
    for (; at > 0 && second(line, moved) < second(line, place[at - 1]); --at)
      place[at] = place[at - 1];
    place[at] = moved;
  }
}

static void compare_directly(division *d, int64_t low, int64_t high) {
  for (int64_t p = low; p < high; ++p) {
    d->by_y[p] = (int32_t)p;
    for (int64_t q = p; q < high; ++q)
      gg_sorted_axis_offer(&d->s, p, q);
  }
  sort_few(d->s.line, d->by_y + low, high - low);
  d->done += (double)(high - low);
}

/* Merges two neighbouring parts in the order of y. */
static void merge(division *d, int64_t low, int64_t middle, int64_t high) {
  const gg_sorted_axis *line = d->s.line;
  memcpy(d->scratch + low, d->by_y + low, (size_t)(high - low) * sizeof *d->scratch);
  int64_t a = low, b = middle;
  for (int64_t to = low; to < high; ++to) {
    const bool from_a =
        b == high || (a < middle && second(line, d->scratch[a]) <= second(line, d->scratch[b]));
    d->by_y[to] = d->scratch[from_a ? a++ : b++];
  }
}

/* Compares places below `middle` with the others, both within the limit of the border's x. */
static void compare_strip(division *d, int64_t low, int64_t middle, int64_t high) {
  const gg_sorted_axis *line = d->s.line;
  const double border = line->at[0][middle];
  int64_t count = 0;
  for (int64_t p = low; p < high; ++p)
    if (fabs(line->at[0][d->by_y[p]] - border) <= d->s.limit)
      d->scratch[low + count++] = d->by_y[p];
  const int32_t *strip = d->scratch + low;
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = a + 1; b < count; ++b) {
      if (second(line, strip[b]) - second(line, strip[a]) > d->s.limit) break;
      if ((strip[a] < middle) != (strip[b] < middle))
        gg_sorted_axis_offer(&d->s, strip[a], strip[b]);
    }
}

static void divide(division *d, int64_t low, int64_t high) {
  if (high - low <= small) {
    compare_directly(d, low, high);
    return;
  }
  if (gg_clock_poll(d->s.search->clock, d->done / (double)d->s.line->n)) return;
  const int64_t middle = low + (high - low) / 2;
  divide(d, low, middle);
  divide(d, middle, high);
  if (d->s.search->clock->stopped) return; /* parts are not done, nor in order */
  merge(d, low, middle, high);
  compare_strip(d, low, middle, high);
}

gpugeo_status gg_closest_divide(const gg_closest_search *search, const gg_sorted_axis *line,
                                gg_best *best, gpugeo_error *error) {
  division d = {.s = {.search = search, .line = line, .best = *best, .limit = INFINITY}};
  d.by_y = gg_allocate(2 * line->n, sizeof *d.by_y);
  if (!d.by_y) return gg_fail_memory(error, 2 * line->n * (int64_t)sizeof *d.by_y);
  d.scratch = d.by_y + line->n;
  divide(&d, 0, line->n);
  *best = d.s.best;
  free(d.by_y);
  return search->clock->stopped ? gg_fail_interrupt(error) : GPUGEO_OK;
}

#include "points/cpu/closest_sorted_axis.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"

/* --- order ------------------------------------------------------------------------------------ */

typedef struct entry {
  uint64_t key; /* of the first coordinate, in its order */
  int32_t row;
} entry;

/* Returns bits that as numbers have the order of the doubles; -0 is 0. */
static uint64_t ordered_bits(double value) {
  uint64_t bits;
  value += 0;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* Sorts by key, rows of equal keys in their order. Returns the array that holds the result,
   `from` or `to`. */
static entry *sort_entries(entry *from, entry *to, int64_t n, gg_call *call) {
  static const int bits = 64;
  for (int shift = 0; shift < bits && !gg_call_poll(call, 0); shift += DIGIT) {
    int64_t start[BUCKETS] = {0};
    for (int64_t i = 0; i < n; ++i)
      ++start[from[i].key >> shift & (BUCKETS - 1)];
    int64_t sum = 0;
    for (int b = 0; b < BUCKETS; ++b) {
      const int64_t count = start[b];
      start[b] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; ++i)
      to[start[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
    entry *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

/* A point among those of one first coordinate. */
typedef struct tied {
  double at[2]; /* the other coordinates */
  int32_t row;
} tied;

/* Compares points with the same first coordinate by the others, then by row, for qsort(). */
static int in_order(const void *left, const void *right) {
  const tied *a = left, *b = right;
  for (int c = 0; c < 2; ++c)
    if (a->at[c] != b->at[c]) return a->at[c] < b->at[c] ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* Returns a scaled coordinate of a row, 0 beyond the columns; -0 becomes 0. */
static double coordinate(const gg_closest_search *search, const gg_sorted_axis *axis, int64_t row,
                         int c) {
  if (c >= axis->columns) return 0;
  return gg_element(&search->x.raw, row, axis->column[c]) * search->rule.scale + 0;
}

/* Orders the rows of each run of equal keys by their other coordinates. */
static gpugeo_status order_ties(const gg_closest_search *search, const gg_sorted_axis *axis,
                                entry *sorted, int64_t n) {
  gg_call *call = search->call;
  int64_t room = 0;
  tied *ties = NULL;
  for (int64_t p = 0, end; p < n; p = end) {
    end = p + 1;
    while (end < n && sorted[end].key == sorted[p].key)
      ++end;
    const int64_t count = end - p;
    if (count == 1) continue;
    if (gg_call_poll(call, 0)) break;
    if (count > room) {
      gg_free(ties);
      room = 2 * count;
      ties = gg_call_allocate(call, room, sizeof *ties);
      if (!ties) break;
    }
    bool ordered = true;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t row = sorted[p + i].row;
      ties[i].at[0] = coordinate(search, axis, row, 1);
      ties[i].at[1] = coordinate(search, axis, row, 2);
      ties[i].row = row;
      ordered &= i == 0 || in_order(&ties[i - 1], &ties[i]) < 0;
    }
    if (ordered) continue;
    qsort(ties, (size_t)count, sizeof *ties, in_order);
    for (int64_t i = 0; i < count; ++i)
      sorted[p + i].row = ties[i].row;
  }
  gg_free(ties);
  return call->status;
}

/* --- locations -------------------------------------------------------------------------------- */

/* Makes the widest column the first one. */
static void choose_axes(const gg_point_range *range, gg_sorted_axis *axis) {
  for (int c = 0; c < axis->columns; ++c)
    axis->column[c] = c;
  int widest = 0;
  for (int c = 1; c < axis->columns; ++c)
    if (range->high[c] / 2 - range->low[c] / 2 > range->high[widest] / 2 - range->low[widest] / 2)
      widest = c;
  axis->column[0] = widest;
  axis->column[widest] = 0;
}

/* Allocates the sorted points. */
static gpugeo_status allocate_axis(int64_t n, gg_sorted_axis *axis, gg_call *call) {
  const int64_t size = axis->columns * (int64_t)sizeof(double) + 2 * (int64_t)sizeof(int32_t);
  axis->memory = gg_call_allocate(call, n + 1, size);
  if (!axis->memory) return call->status;
  double *at = axis->memory;
  for (int c = 0; c < axis->columns; ++c, at += n + 1)
    axis->at[c] = at;
  axis->row = (int32_t *)at;
  axis->first = axis->row + n + 1;
  return GPUGEO_OK;
}

/* Writes the sorted points, those at the same location once. */
static void fill_locations(const gg_closest_search *search, const entry *sorted, int64_t n,
                           gg_sorted_axis *axis) {
  for (int64_t p = 0; p < n && !(p % 65536 == 0 && gg_call_poll(search->call, 0)); ++p) {
    axis->row[p] = sorted[p].row;
    bool same = axis->n > 0;
    for (int c = 0; c < axis->columns; ++c) {
      const double value = coordinate(search, axis, sorted[p].row, c);
      same = same && value == axis->at[c][axis->n - 1];
      axis->at[c][axis->n] = value;
    }
    if (!same) axis->first[axis->n++] = (int32_t)p;
  }
  axis->first[axis->n] = (int32_t)n;
}

gpugeo_status gg_sorted_axis_make(const gg_closest_search *search, const gg_point_range *range,
                                  gg_sorted_axis *axis) {
  gg_call *call = search->call;
  const int64_t n = search->x.raw.nrow;
  *axis = (gg_sorted_axis){.columns = search->rule.columns};
  choose_axes(range, axis);
  allocate_axis(n, axis, call);
  entry *entries = gg_call_allocate(call, 2 * n, sizeof *entries);
  if (call->status) return call->status;
  for (int64_t i = 0; i < n && !(i % 65536 == 0 && gg_call_poll(call, 0)); ++i)
    entries[i] = (entry){ordered_bits(coordinate(search, axis, i, 0)), (int32_t)i};
  entry *sorted = sort_entries(entries, entries + n, n, call);
  if (!call->status && !order_ties(search, axis, sorted, n))
    fill_locations(search, sorted, n, axis);
  gg_free(entries);
  return call->status;
}

void gg_sorted_axis_free(gg_sorted_axis *axis) {
  gg_free(axis->memory);
  axis->memory = NULL;
}

/* --- pairs ------------------------------------------------------------------------------------ */

void gg_sorted_axis_offer(gg_sorted_axis_search *s, int64_t p, int64_t q) {
  const gg_sorted_axis *axis = s->axis;
  double a[GG_POINT_COLUMNS] = {0, 0, 0}, b[GG_POINT_COLUMNS] = {0, 0, 0};
  for (int c = 0; c < axis->columns; ++c) {
    a[axis->column[c]] = axis->at[c][p];
    b[axis->column[c]] = axis->at[c][q];
  }
  const gg_square square = gg_point_square(&s->search->rule, a, b);
  if (gg_best_full(&s->best) && gg_square_less(s->best.pairs[0].square, square)) return;
  gg_best_offer_locations(&s->best, square, gg_sorted_axis_rows(axis, p),
                          gg_sorted_axis_rows(axis, q), true);
  if (gg_best_full(&s->best))
    s->limit = sqrt(gg_closest_reach(&s->search->rule, s->best.pairs[0].square));
}

/*
 * The CPU's kernels of collisions, compiled once for each instruction set, see lanes.h. A point is
 * tested with those of some spans; a lane is a point of a span.
 *
 * Each is written once, with columns, box, radii and filter as constants of an inlined function.
 * Limited by floating-point throughput: 8 operations for each pair in three columns.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <stdbool.h>
#include <stdint.h>

typedef double real;

#include "common/vector.h"
#include "points/collide_step.h"
#include "points/cpu/collide_kernels.h"

#define UNROLL _Pragma("GCC unroll 3")

/* The values of the one point that is tested. */
typedef struct needle {
  V coordinate[GG_POINT_COLUMNS], radius, limit, row, exclude;
} needle;

VFN needle needle_make(const gg_cpu_search *search, int64_t i, int columns, bool radii) {
  needle n;
  UNROLL for (int c = 0; c < columns; ++c) n.coordinate[c] = v_set(search->a.coordinate[c][i]);
  n.radius = v_set(radii ? search->a.radius[i] : 0);
  n.limit = v_set(search->limit);
  n.row = v_set(search->a.row[i]);
  n.exclude = v_set((double)search->plan->exclude);
  return n;
}

/* Returns squared distances as gg_point_square_double() does, for points at most a box apart. */
VFN V squares(const gg_cpu_search *search, const needle *n, int64_t j, int columns, bool box) {
  V sum = v_set(0);
  UNROLL for (int c = 0; c < columns; ++c) {
    V d = v_abs(v_sub(n->coordinate[c], v_load(search->b.coordinate[c] + j)));
    if (box) {
      /* not periodic: the length is infinite */
      const double length = search->plan->rule.box[c];
      const V other = v_sub(v_set(length > 0 ? length : 1 / 0.0), d);
      d = v_select(v_lt(other, d), other, d);
    }
    sum = v_fma_positive(d, d, sum);
  }
  return sum;
}

/* Returns which of the points [j, end) of b collide. */
VFN M colliding(const gg_cpu_search *search, const needle *n, int64_t j, int columns, bool box,
                bool radii, int filter) {
  const V square = squares(search, n, j, columns, box);
  M near;
  if (radii) { /* as gg_collide_near() */
    const V s = v_add(n->radius, v_load(search->b.radius + j)), product = v_mul(s, s);
    near = v_le(square, product);
    const M at_most = v_le(square, v_mul(product, v_set(GG_COLLIDE_MARGIN)));
    if (m_any(m_and(at_most, m_not(near)))) near = v_le(v_sqrt(square), s);
  } else {
    near = v_le(square, n->limit);
  }
  if (filter == GG_CPU_ALL) return near;
  V after = v_sub(v_load(search->b.row + j), n->row);
  if (filter == GG_CPU_APART) after = v_abs(after);
  return m_and(near, v_lt(n->exclude, after));
}

static const double lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Returns a mask of the first `count` lanes. */
VFN M first_lanes(int64_t count) { return v_lt(v_load(lane_numbers), v_set((double)count)); }

VFN int64_t sum_of(V counts) {
  double lanes[GG_LANES];
  v_store(lanes, counts);
  int64_t sum = 0;
  for (int l = 0; l < GG_LANES; ++l)
    sum += (int64_t)lanes[l];
  return sum;
}

VFN int64_t count_spans(const gg_cpu_search *search, int64_t i, const gg_span *spans, int count,
                        int columns, bool box, bool radii, int filter) {
  const needle n = needle_make(search, i, columns, radii);
  const V one = v_set(1);
  V counts = v_set(0);
  for (int s = 0; s < count; ++s) {
    int64_t j = spans[s].begin;
    const int64_t end = spans[s].end;
    for (; j + GG_LANES <= end; j += GG_LANES)
      counts = v_add(counts, v_keep(colliding(search, &n, j, columns, box, radii, filter), one));
    if (j < end)
      counts = v_add(counts, v_keep(m_and(colliding(search, &n, j, columns, box, radii, filter),
                                          first_lanes(end - j)),
                                    one));
  }
  return sum_of(counts);
}

VFN int64_t list_spans(const gg_cpu_search *search, int64_t i, const gg_span *spans, int count,
                       int32_t *found, int columns, bool box, bool radii, int filter) {
  const needle n = needle_make(search, i, columns, radii);
  int64_t sum = 0;
  for (int s = 0; s < count; ++s)
    for (int64_t j = spans[s].begin; j < spans[s].end; j += GG_LANES) {
      M here = colliding(search, &n, j, columns, box, radii, filter);
      if (spans[s].end - j < GG_LANES) here = m_and(here, first_lanes(spans[s].end - j));
      for (unsigned bits = m_bits(here); bits; bits &= bits - 1)
        found[sum++] = (int32_t)(j + __builtin_ctz(bits));
    }
  return sum;
}

/* clang-format off */
#define WITH_FILTERS(X, columns, box, radii)                                                       \
  X(columns, box, radii, 0) X(columns, box, radii, 1) X(columns, box, radii, 2)
#define WITH_RADII(X, columns, box) WITH_FILTERS(X, columns, box, 0) WITH_FILTERS(X, columns, box, 1)
#define WITH_BOX(X, columns) WITH_RADII(X, columns, 0) WITH_RADII(X, columns, 1)
#define ALL_KERNELS(X) WITH_BOX(X, 1) WITH_BOX(X, 2) WITH_BOX(X, 3)

#define KERNEL(columns, box, radii, filter)                                                        \
  GG_TARGET static int64_t count_##columns##box##radii##filter(                                    \
      const gg_cpu_search *search, int64_t i, const gg_span *spans, int count) {                   \
    return count_spans(search, i, spans, count, columns, box, radii, filter);                      \
  }                                                                                                \
  GG_TARGET static int64_t list_##columns##box##radii##filter(                                     \
      const gg_cpu_search *search, int64_t i, const gg_span *spans, int count, int32_t *found) {   \
    return list_spans(search, i, spans, count, found, columns, box, radii, filter);                \
  }
ALL_KERNELS(KERNEL)

#define COUNT_ENTRY(columns, box, radii, filter)                                                   \
  [columns - 1][box][radii][filter] = count_##columns##box##radii##filter,
#define LIST_ENTRY(columns, box, radii, filter)                                                    \
  [columns - 1][box][radii][filter] = list_##columns##box##radii##filter,
const gg_cpu_collide_kernels GG_FORM_OF(gg_cpu_collide) = {
    .count = {ALL_KERNELS(COUNT_ENTRY)},
    .list = {ALL_KERNELS(LIST_ENTRY)},
};

#endif

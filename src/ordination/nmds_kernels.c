/*
 * The loops over pairs of nonmetric scaling, compiled once for each instruction set, see lanes.h. A
 * sum is SUMS sums of every SUMS-th pair, added up in one order: its bits do not depend on the
 * width of a register.
 *
 * Limited by the loads of coordinates and, in plain C, by roots and quotients.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "ordination/nmds_kernels.h"

typedef double real;
#include "common/vector.h"

/* A point of the plane. */
typedef double plane_point __attribute__((vector_size(16), aligned(8), may_alias));

enum {
  SUMS = 16,  /* parts of a sum */
  BATCH = 256 /* pairs whose squares are in the cache when their roots are taken */
};

/* Writes the squared distances of pairs from `first` to before `end`. */
VFN void square(const gg_nmds_pairs *pairs, const double *x, int64_t first, int64_t end) {
  for (int64_t p = first; p < end; ++p) {
    const double *a = x + pairs->row[p] * pairs->k, *b = x + pairs->column[p] * pairs->k;
    double sum = 0;
    for (int64_t c = 0; c < pairs->k; ++c)
      sum += (a[c] - b[c]) * (a[c] - b[c]);
    pairs->value[p] = sum;
  }
}

/* Does the same in the plane. */
VFN void square_plane(const gg_nmds_pairs *pairs, const double *x, int64_t first, int64_t end) {
  const plane_point *point = (const plane_point *)x;
  const int32_t *row = pairs->row, *column = pairs->column;
  double *value = pairs->value;
  for (int64_t p = first; p < end; ++p) {
    const plane_point difference = point[row[p]] - point[column[p]];
    const plane_point squares = difference * difference;
    value[p] = squares[0] + squares[1];
  }
}

/* Writes the distances of the pairs in a configuration. */
static GG_TARGET void measure(const gg_nmds_pairs *pairs, const double *x) {
  for (int64_t first = 0; first < pairs->count; first += BATCH) {
    const int64_t end = first + BATCH < pairs->count ? first + BATCH : pairs->count;
    if (pairs->k == 2)
      square_plane(pairs, x, first, end);
    else
      square(pairs, x, first, end);
    int64_t p = first;
    for (; p + GG_LANES <= end; p += GG_LANES)
      v_store(pairs->value + p, v_sqrt(v_load(pairs->value + p)));
    for (; p < end; ++p)
      pairs->value[p] = sqrt(pairs->value[p]);
  }
}

/* Writes the sum of (value - fitted)^2 and that of value^2. */
static GG_TARGET void sums(const gg_nmds_pairs *pairs, double *gaps, double *squares) {
  double gap[SUMS], own[SUMS];
  const int64_t whole = pairs->count - pairs->count % SUMS;
  for (int lane = 0; lane < SUMS; lane += GG_LANES) {
    v_store(gap + lane, v_set(0));
    v_store(own + lane, v_set(0));
  }
  for (int64_t p = 0; p < whole; p += SUMS)
    for (int lane = 0; lane < SUMS; lane += GG_LANES) {
      const V value = v_load(pairs->value + p + lane);
      const V rest = v_sub(value, v_load(pairs->fitted + p + lane));
      v_store(gap + lane, v_add(v_load(gap + lane), v_mul(rest, rest)));
      v_store(own + lane, v_add(v_load(own + lane), v_mul(value, value)));
    }
  *gaps = *squares = 0;
  for (int64_t p = whole; p < pairs->count; ++p) {
    const double value = pairs->value[p], rest = value - pairs->fitted[p];
    *gaps += rest * rest;
    *squares += value * value;
  }
  for (int lane = 0; lane < SUMS; ++lane) {
    *gaps += gap[lane];
    *squares += own[lane];
  }
}

/* Adds to the gradient what the pairs pull. */
VFN void add_pulls(const gg_nmds_pairs *pairs, const double *x, const double *pull,
                   double *gradient) {
  for (int64_t p = 0; p < pairs->count; ++p) {
    const int64_t i = pairs->row[p] * pairs->k, j = pairs->column[p] * pairs->k;
    for (int64_t c = 0; c < pairs->k; ++c) {
      const double move = pull[p] * (x[i + c] - x[j + c]);
      gradient[i + c] += move;
      gradient[j + c] -= move;
    }
  }
}

/* Does the same in the plane. */
VFN void add_pulls_plane(const gg_nmds_pairs *pairs, const double *x, const double *restrict pull,
                         double *gradient) {
  const plane_point *point = (const plane_point *)x;
  plane_point *sum = (plane_point *)gradient;
  const int32_t *row = pairs->row, *column = pairs->column;
  for (int64_t p = 0; p < pairs->count; ++p) {
    const plane_point move = pull[p] * (point[row[p]] - point[column[p]]);
    sum[row[p]] += move;
    sum[column[p]] -= move;
  }
}

/* Adds (share - fitted / value) times the difference of the points. */
static GG_TARGET void pull_points(const gg_nmds_pairs *pairs, const double *x, double share,
                                  double *pull, double *gradient) {
  int64_t p = 0;
  for (; p + GG_LANES <= pairs->count; p += GG_LANES) {
    const V value = v_load(pairs->value + p), ratio = v_div(v_load(pairs->fitted + p), value);
    v_store(pull + p, v_select(v_lt(v_set(0), value), v_sub(v_set(share), ratio), v_set(0)));
  }
  for (; p < pairs->count; ++p)
    pull[p] = pairs->value[p] > 0 ? share - pairs->fitted[p] / pairs->value[p] : 0;
  if (pairs->k == 2)
    add_pulls_plane(pairs, x, pull, gradient);
  else
    add_pulls(pairs, x, pull, gradient);
}

/* Lists first + t + 1 for each t whose value is below start + slope (t + 1). */
static GG_TARGET int32_t *list_below(const double *value, int64_t count, double start, double slope,
                                     int32_t first, int32_t *list) {
  static const double steps[] = {1, 2, 3, 4, 5, 6, 7, 8};
  V step = v_load(steps);
  int64_t t = 0;
  for (; t + GG_LANES <= count; t += GG_LANES, step = v_add(step, v_set(GG_LANES))) {
    const V line = v_add(v_set(start), v_mul(v_set(slope), step));
    const unsigned below = m_bits(v_lt(v_load(value + t), line));
    for (int l = 0; below >> l; ++l) {
      *list = first + (int32_t)t + l + 1;
      list += below >> l & 1;
    }
  }
  for (; t < count; ++t) {
    *list = first + (int32_t)t + 1;
    list += value[t] < start + slope * (double)(t + 1);
  }
  return list;
}

const gg_nmds_kernels GG_FORM_OF(gg_nmds_kernels) = {
    .measure = measure, .sums = sums, .pull = pull_points, .below = list_below};

#endif

/*
 * Biweight midcorrelation (Langfelder and Horvath 2012, Journal of Statistical Software 46(11);
 * Wilcox 2012, Introduction to Robust Estimation). With m the median of a column and u = (x - m) /
 * (9 MAD), the median absolute deviation without a factor, a value counts as (x - m) (1 - u^2)^2 if
 * |u| < 1, and not at all otherwise. The correlation is the cosine of the angle between two such
 * columns.
 *
 * Pearson's correlations with weights w are such cosines, too, of w (x - m), where m is the mean
 * with these weights (as WGCNA's).
 *
 * A column is sorted once. Its median, MAD and quantiles, and those of any part of its rows, are
 * then found in O(n). Columns are scaled by powers of two, so no difference overflows.
 */
#include "distance/bicor.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"

enum { LANES = 8, WORD = 64 };

/* Outliers are limited so that a quantile has this u, the weight 9 / 16 (as WGCNA 1.72). */
static const double limited_u = 0.5;

/* What a column is. */
typedef enum column_state {
  COLUMN_ROBUST,
  COLUMN_ZERO_MAD, /* its median absolute deviation is 0 or there is no value */
  COLUMN_FLAT      /* its deviations are 0, not found by the median absolute deviation */
} column_state;

/* --- one column, sorted ------------------------------------------------------------------------
 */

/* Returns the mean of the two middle ones of n sorted values. */
static double median_of(const gg_sorted_value *sorted, int64_t n) {
  return 0.5 * (sorted[(n - 1) / 2].value + sorted[n / 2].value);
}

/* Returns the median of the absolute deviations of n sorted values from their median. Takes the
   deviations in ascending order, from the middle to both ends. */
static double median_deviation(const gg_sorted_value *sorted, int64_t n, double median) {
  int64_t below = (n - 1) / 2, above = below + 1;
  double last = 0, before = 0;
  for (int64_t taken = 0; taken <= n / 2; ++taken) {
    const double low = below >= 0 ? median - sorted[below].value : INFINITY;
    const double high = above < n ? sorted[above].value - median : INFINITY;
    before = last;
    last = low < high ? low : high;
    below -= low < high;
    above += !(low < high);
  }
  return n % 2 ? last : 0.5 * (before + last);
}

/* Returns the quantile p of n sorted values less their median, as type 7 of R's quantile(). */
static double quantile_of(const gg_sorted_value *sorted, int64_t n, double median, double p) {
  const double at = (double)(n - 1) * p, below = floor(at);
  const int64_t first = (int64_t)below, next = gg_smaller(first + 1, n - 1);
  return sorted[first].value - median + (at - below) * (sorted[next].value - sorted[first].value);
}

/* Returns what u on one side of the median is divided by: `u` is the quantile of that side, without
   its sign. */
static double limit_of(double u) { return u > limited_u ? u / limited_u : 1; }

/* Writes the weighted values of n sorted ones to their rows in z. */
static void weigh_values(const gg_sorted_value *sorted, int64_t n, const gg_bicor_rule *rule,
                         double median, double deviation, double *z) {
  const double width = 9 * deviation, p = rule->max_outliers;
  const double low = limit_of(-quantile_of(sorted, n, median, p) / width);
  const double high = limit_of(quantile_of(sorted, n, median, 1 - p) / width);
  for (int64_t t = 0; t < n; ++t) {
    const double value = sorted[t].value, d = (value - median) / width;
    const double u = d / (d < 0 ? low : high), root = 1 - u * u;
    z[sorted[t].row] = fabs(u) < 1 ? (rule->cosine ? value / width : d) * (root * root) : 0;
  }
}

/* Writes the deviations of n sorted values from their mean, or the values, to their rows in z. The
   mean is that of the differences from the median, corrected once. */
static void centre_values(const gg_sorted_value *sorted, int64_t n, bool cosine, double median,
                          double *z) {
  const double first = cosine ? 0 : median;
  double sum = 0, rest = 0;
  for (int64_t t = 0; t < n; ++t)
    sum += sorted[t].value - first;
  double mean = cosine ? 0 : sum / (double)n;
  for (int64_t t = 0; t < n; ++t)
    rest += sorted[t].value - first - mean;
  mean += cosine ? 0 : rest / (double)n;
  for (int64_t t = 0; t < n; ++t)
    z[sorted[t].row] = sorted[t].value - first - mean;
}

/* Returns the index of the largest weight among those of n sorted values. */
static int64_t heaviest(const gg_sorted_value *sorted, int64_t n, const double *weights) {
  int64_t found = 0;
  for (int64_t t = 1; t < n; ++t)
    if (weights[sorted[t].row] > weights[sorted[found].row]) found = t;
  return found;
}

/* Writes the deviations of n sorted values from their weighted mean, or the values, times their
   weights to their rows in z. Weights are scaled by a power of two. The mean is that of the
   differences from the value with the largest weight, corrected once. */
static void centre_weighted(const gg_sorted_value *sorted, int64_t n, bool cosine,
                            const double *weights, double *z) {
  const gg_sorted_value most = sorted[heaviest(sorted, n, weights)];
  const int exponent = weights[most.row] > 0 ? ilogb(weights[most.row]) : 0;
  const double first = cosine ? 0 : most.value;
  double total = 0, sum = 0, rest = 0, mean = 0;
  for (int64_t t = 0; t < n; ++t) {
    const double w = z[sorted[t].row] = ldexp(weights[sorted[t].row], -exponent);
    total += w;
    sum += w * (sorted[t].value - first);
  }
  if (!cosine && total > 0) {
    mean = sum / total;
    for (int64_t t = 0; t < n; ++t)
      rest += z[sorted[t].row] * (sorted[t].value - first - mean);
    mean += rest / total;
  }
  for (int64_t t = 0; t < n; ++t)
    z[sorted[t].row] *= sorted[t].value - first - mean;
}

/* True if n values in z are 0. */
static bool all_zero(const gg_sorted_value *sorted, int64_t n, const double *z) {
  int64_t t = 0;
  while (t < n && z[sorted[t].row] == 0)
    ++t;
  return t == n;
}

/* Writes a value to the rows of n sorted ones in z. */
static void fill_values(const gg_sorted_value *sorted, int64_t n, double value, double *z) {
  for (int64_t t = 0; t < n; ++t)
    z[sorted[t].row] = value;
}

/* Divides what was written for n sorted values by its length; NaN if that is 0. */
static void divide_by_length(const gg_sorted_value *sorted, int64_t n, double *z) {
  double squares = 0;
  for (int64_t t = 0; t < n; ++t)
    squares += z[sorted[t].row] * z[sorted[t].row];
  const double length = squares > 0 ? sqrt(squares) : NAN;
  for (int64_t t = 0; t < n; ++t)
    z[sorted[t].row] /= length;
}

/* Does the same as transform() for values with weights. */
static column_state transform_weighted(const gg_sorted_value *sorted, int64_t n, bool cosine,
                                       const double *weights, double *z) {
  centre_weighted(sorted, n, cosine, weights, z);
  const bool flat = all_zero(sorted, n, z);
  divide_by_length(sorted, n, z);
  return flat && !cosine ? COLUMN_FLAT : COLUMN_ROBUST;
}

/* Transforms n sorted values and writes them to their rows in z, and nothing to other rows: NaN if
   they have no correlation. weights: of each row, or NULL. */
static column_state transform(const gg_sorted_value *sorted, int64_t n, const gg_bicor_rule *rule,
                              const double *weights, double *z) {
  if (n == 0) return rule->robust ? COLUMN_ZERO_MAD : COLUMN_ROBUST;
  if (weights) return transform_weighted(sorted, n, rule->cosine, weights, z);
  const bool constant = sorted[0].value == sorted[n - 1].value;
  const double median = median_of(sorted, n);
  const double deviation = rule->robust ? median_deviation(sorted, n, median) : 0;
  const bool zero = rule->robust && !(deviation > 0);
  if (zero && rule->fallback == GPUGEO_PEARSON_FALLBACK_NONE) {
    fill_values(sorted, n, NAN, z);
    return COLUMN_ZERO_MAD;
  }
  if (deviation > 0)
    weigh_values(sorted, n, rule, median, deviation, z);
  else if (constant && !rule->cosine)
    fill_values(sorted, n, 0, z);
  else
    centre_values(sorted, n, rule->cosine, median, z);
  divide_by_length(sorted, n, z);
  return zero ? COLUMN_ZERO_MAD : constant && !rule->cosine ? COLUMN_FLAT : COLUMN_ROBUST;
}

/* --- all columns -------------------------------------------------------------------------------
 */

/* A loop over the columns of a matrix. */
typedef struct column_loop {
  const gpugeo_matrix *x;
  bool pairwise;
  gg_bicor_columns *made;
  gg_sorted_value *room; /* 2 * rows for each thread */
  unsigned char *states; /* column_state of each column */
} column_loop;

/* Returns the weights of column j, or NULL. */
static const double *weights_of(const gg_bicor_columns *made, int64_t j) {
  return made->rule.weights ? made->rule.weights + j * made->rows : NULL;
}

/* Marks the rows of a column that are not missing, and keeps its sorted values. */
static void keep_column(gg_bicor_columns *made, int64_t j, const gg_sorted_value *sorted,
                        int64_t count) {
  memcpy(made->sorted + j * made->rows, sorted, (size_t)count * sizeof *sorted);
  uint64_t *present = made->present + j * made->words;
  memset(present, 0, (size_t)made->words * sizeof *present);
  for (int64_t t = 0; t < count; ++t)
    present[sorted[t].row / WORD] |= (uint64_t)1 << sorted[t].row % WORD;
  made->count[j] = count;
}

/* Transforms column j. */
static column_state transform_column(const column_loop *loop, int64_t j, gg_sorted_value *room) {
  gg_bicor_columns *made = loop->made;
  const int64_t n = made->rows;
  double *z = made->z + j * n;
  bool infinite;
  int64_t count;
  const gg_sorted_value *sorted = gg_sort_column(loop->x, j, z, room, &count, &infinite);
  if (loop->pairwise) keep_column(made, j, sorted, infinite ? 0 : count);
  const bool lost = infinite || (count < n && !loop->pairwise);
  if (count < n || lost)
    for (int64_t k = 0; k < n; ++k)
      z[k] = lost ? NAN : 0;
  return lost ? COLUMN_ROBUST : transform(sorted, count, &made->rule, weights_of(made, j), z);
}

/* Transforms a range of columns. */
static void transform_columns(void *job, gg_range range) {
  const column_loop *loop = job;
  gg_sorted_value *room = loop->room + 2 * range.worker * loop->made->rows;
  for (int64_t j = range.first; j < range.last; ++j)
    loop->states[j] = (unsigned char)transform_column(loop, j, room);
}

/* Counts the columns of each state. */
static void count_states(const unsigned char *states, gg_bicor_columns *made) {
  made->zero_mad = 0;
  made->flat = false;
  for (int64_t j = 0; j < made->columns; ++j) {
    made->flat |= states[j] == COLUMN_FLAT;
    if (states[j] != COLUMN_ZERO_MAD) continue;
    if (made->zero_mad < GPUGEO_MISSING_ROWS_MAX) made->first[made->zero_mad] = j;
    ++made->zero_mad;
  }
}

double gg_bicor_bytes(const gpugeo_matrix *x, bool pairwise) {
  return (double)x->nrow * (double)x->ncol * (pairwise ? 8 + sizeof(gg_sorted_value) + 0.125 : 8);
}

/* Allocates the columns of a matrix. */
static void allocate_columns(const gpugeo_matrix *x, bool pairwise, gg_bicor_columns *made,
                             gg_call *call) {
  made->rows = x->nrow;
  made->columns = x->ncol;
  made->words = (x->nrow + WORD - 1) / WORD;
  made->z = gg_call_allocate(call, x->nrow * x->ncol, sizeof *made->z);
  if (!pairwise) return;
  made->sorted = gg_call_allocate(call, x->nrow * x->ncol, sizeof *made->sorted);
  made->present = gg_call_allocate(call, made->words * x->ncol, sizeof *made->present);
  made->count = gg_call_allocate(call, x->ncol, sizeof *made->count);
}

gpugeo_status gg_bicor_make(const gpugeo_matrix *x, const gg_bicor_rule *rule, bool pairwise,
                            int32_t threads, gg_bicor_columns *made, gg_call *call) {
  if (call->status) return call->status;
  made->rule = *rule;
  allocate_columns(x, pairwise, made, call);
  column_loop loop = {.x = x, .pairwise = pairwise, .made = made};
  loop.room = gg_call_allocate(call, 2 * threads * x->nrow, sizeof *loop.room);
  loop.states = gg_call_allocate(call, x->ncol, sizeof *loop.states);
  const gg_loop columns = {.threads = threads,
                           .count = x->ncol,
                           .grain = 1 + 16384 / (x->nrow + 1),
                           .work = transform_columns,
                           .job = &loop};
  gg_call_loop(call, columns);
  if (!call->status) count_states(loop.states, made);
  /* One column without a median absolute deviation makes all of them Pearson's. */
  if (!call->status && made->zero_mad > 0 && rule->fallback == GPUGEO_PEARSON_FALLBACK_ALL) {
    made->rule.robust = false;
    gg_call_loop(call, columns);
  }
  gg_free(loop.room);
  gg_free(loop.states);
  return call->status;
}

void gg_bicor_free(gg_bicor_columns *made) {
  gg_free(made->z);
  gg_free(made->sorted);
  gg_free(made->present);
  gg_free(made->count);
}

/* --- pairs of columns with missing values ------------------------------------------------------
 */

/* A loop over the columns of y. */
typedef struct pair_loop {
  const gg_bicor_pairs *pairs;
  double *z;             /* 2 * rows for each thread */
  gg_sorted_value *room; /* rows for each thread */
} pair_loop;

/* Returns the number of rows that two columns have. */
static int64_t count_rows(const uint64_t *a, const uint64_t *b, int64_t words) {
  int64_t count = 0;
  for (int64_t w = 0; w < words; ++w)
    count += __builtin_popcountll(a[w] & b[w]);
  return count;
}

/* Returns column j, transformed on the `common` rows that a column with these rows has as well:
   `z`, or the column itself if it lacks no more rows than tolerated. */
static const double *column_for(const gg_bicor_columns *from, int64_t j, const uint64_t *other,
                                int64_t common, double tolerance, gg_sorted_value *room,
                                double *z) {
  const int64_t n = from->rows, count = from->count[j];
  if ((double)(count - common) <= tolerance) return from->z + j * n;
  const gg_sorted_value *sorted = from->sorted + j * n;
  int64_t kept = 0;
  for (int64_t t = 0; t < count; ++t) {
    room[kept] = sorted[t];
    kept += (int64_t)(other[sorted[t].row / WORD] >> sorted[t].row % WORD & 1);
  }
  memset(z, 0, (size_t)n * sizeof *z);
  transform(room, kept, &from->rule, weights_of(from, j), z);
  return z;
}

/* Returns the product of two columns, limited to [-1, 1]; NaN remains NaN. Each sum has LANES
   parts, so that compilers use vectors. */
static double product(const double *a, const double *b, int64_t n) {
  double part[LANES] = {0}, sum = 0;
  int64_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (int l = 0; l < LANES; ++l)
      part[l] += a[k + l] * b[k + l];
  for (; k < n; ++k)
    part[0] += a[k] * b[k];
  for (int l = 0; l < LANES; ++l)
    sum += part[l];
  return sum > 1 ? 1 : sum < -1 ? -1 : sum;
}

/* Writes a correlation. */
static void write_value(const gg_bicor_pairs *pairs, int64_t at, double value) {
  if (pairs->type == GPUGEO_TYPE_FLOAT)
    ((float *)pairs->out)[at] = (float)value;
  else
    ((double *)pairs->out)[at] = value;
}

/* Replaces the correlation of column i of x with column j of y, if one lacks rows of the other. */
static void replace_pair(const pair_loop *loop, int64_t i, int64_t j, int32_t worker) {
  const gg_bicor_pairs *pairs = loop->pairs;
  const gg_bicor_columns *x = pairs->x, *y = pairs->y;
  const int64_t n = x->rows;
  const uint64_t *x_rows = x->present + i * x->words, *y_rows = y->present + j * y->words;
  const int64_t common = count_rows(x_rows, y_rows, x->words);
  if (x->count[i] == common && y->count[j] == common && common > 1) return;
  double *z = loop->z + 2 * worker * n, value = NAN;
  gg_sorted_value *room = loop->room + worker * n;
  const double tolerance = pairs->tolerance;
  if (common > 1)
    value = product(column_for(x, i, y_rows, common, tolerance, room, z),
                    column_for(y, j, x_rows, common, tolerance, room, z + n), n);
  value = isnan(value) ? pairs->missing : value;
  write_value(pairs, i + j * x->columns, value);
  if (x == y) write_value(pairs, j + i * x->columns, value);
}

/* Replaces the correlations of a range of columns of y. */
static void replace_columns(void *job, gg_range range) {
  const pair_loop *loop = job;
  const gg_bicor_pairs *pairs = loop->pairs;
  for (int64_t j = range.first; j < range.last; ++j) {
    const int64_t last = pairs->x == pairs->y ? j + 1 : pairs->x->columns;
    for (int64_t i = 0; i < last; ++i)
      replace_pair(loop, i, j, range.worker);
  }
}

gpugeo_status gg_bicor_replace(const gg_bicor_pairs *pairs, int32_t threads, gg_call *call) {
  const int64_t n = pairs->x->rows;
  pair_loop loop = {.pairs = pairs};
  loop.z = gg_call_allocate(call, 2 * threads * n, sizeof *loop.z);
  loop.room = gg_call_allocate(call, threads * (n + 1), sizeof *loop.room);
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = pairs->y->columns,
                               .grain = 1,
                               .work = replace_columns,
                               .job = &loop});
  gg_free(loop.z);
  gg_free(loop.room);
  return call->status;
}

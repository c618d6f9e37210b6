/*
 * Distance correlation (Szekely, Rizzo and Bakirov 2007, The Annals of Statistics 35(6), 2769-2794,
 * definitions 4 and 5). With a_kl = |x_k - x_l|, its means over a row a_k and over all a, and b of
 * y likewise, the squared distance covariance of n rows is
 *
 *   V(x, y) = 1/n^2 sum_kl a_kl b_kl - 2/n sum_k a_k b_k + a b
 *
 * and the correlation sqrt(V(x, y) / sqrt(V(x, x) V(y, y))), or 0 if the divisor is 0. The first
 * sum takes O(n log n) (Huo and Szekely 2016, Technometrics 58(4), 435-447): rows are visited in
 * the order of x, so that |x_k - x_l| = x_k - x_l for each row l before row k, and
 *
 *   sum_kl a_kl b_kl = 4 sum over l before k with y_l < y_k of (x_k - x_l)(y_k - y_l)
 *                      - 2 sum over l before k of (x_k - x_l)(y_k - y_l),
 *
 * where the latter sum is n sum_k x_k y_k for values whose mean is 0. What the former needs of the
 * rows l, their number and the sums of x_l, y_l and x_l y_l, is kept in a tree over the ranks of y
 * (Fenwick 1994). All sums are made in one order, so bits are the same everywhere.
 */
#include "distance/distance_correlation.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/sorted_column.h"

enum {
  SUMS = 4, /* of a node */
  LANES = 8,
  GRAIN_ROWS = 1 << 18 /* rows of the pairs that a thread takes at a time: some milliseconds */
};

/* A node of the tree: of rows, their number and the sums of x, y and x * y. */
typedef struct node {
  double sum[SUMS];
} node;

/* What a pair needs of a column. A pair reads one column in ascending order, from memory, and looks
   up what it needs of the other, which stays in the cache for many pairs. */
typedef struct column {
  double *value;  /* ascending, less their mean, scaled by a power of two */
  double *mean;   /* of each row's distances to all rows; 0 for a row that is left out */
  int32_t *order; /* the rows of the values */
  int32_t *rank;  /* of each row, its place in the order, or -1 for a row that is left out */
  int64_t count;  /* values: rows that are not left out */
  double all;     /* mean of the means */
  double variance;
} column;

/* The columns of a matrix. */
typedef struct columns {
  int64_t rows, count;
  column *list;
  double *numbers; /* memory of their arrays */
  int32_t *places;
} columns;

/* --- one column --------------------------------------------------------------------------------
 */

/* Leaves out all rows of a column. */
static void clear(column *c, int64_t rows) {
  for (int64_t k = 0; k < rows; ++k) {
    c->mean[k] = 0;
    c->rank[k] = -1;
  }
}

/* Fills in a cleared column from sorted values and the rows they belong to. */
static void measure(const gg_sorted_value *sorted, int64_t n, column *c) {
  double total = 0, before = 0, square = 0, rest = 0, all = 0, all_square = 0;
  for (int64_t k = 0; k < n; ++k)
    total += sorted[k].value;
  const double mean = n ? total / (double)n : 0;
  for (int64_t k = 0; k < n; ++k)
    rest += sorted[k].value - mean; /* what rounding of the mean left */
  for (int64_t k = 0; k < n; ++k) {
    const double z = sorted[k].value - mean;
    const double distance = ((double)(2 * k - n) * z + (rest - 2 * before)) / (double)n;
    c->value[k] = z;
    c->order[k] = (int32_t)sorted[k].row;
    c->mean[sorted[k].row] = distance;
    c->rank[sorted[k].row] = (int32_t)k;
    before += z;
    square += z * z;
    all += distance;
    all_square += distance * distance;
  }
  c->count = n;
  c->all = n ? all / (double)n : 0;
  const double part = rest / (double)n;
  const double variance =
      2 * (square / (double)n - part * part) - 2 * all_square / (double)n + c->all * c->all;
  const bool constant = n == 0 || sorted[0].value == sorted[n - 1].value;
  c->variance = constant ? 0 : fmax(variance, 0);
}

/* Fills `kept` with the values of a column, in ascending order, in the rows that another has.
   Returns their number. */
static int64_t keep_common(const column *c, const column *other, gg_sorted_value *kept) {
  int64_t count = 0;
  for (int64_t k = 0; k < c->count; ++k) {
    kept[count] = (gg_sorted_value){c->value[k], c->order[k]};
    count += other->rank[c->order[k]] >= 0;
  }
  return count;
}

/* --- all columns -------------------------------------------------------------------------------
 */

/* A loop over the columns of a matrix. */
typedef struct column_loop {
  const gpugeo_matrix *x;
  bool pairwise;
  const columns *made;
  gg_sorted_value *room; /* 2 * rows for each thread */
  double *values;        /* rows for each thread */
} column_loop;

/* Fills in a range of columns. */
static void measure_columns(void *job, gg_range range) {
  const column_loop *loop = job;
  const int64_t n = loop->made->rows;
  gg_sorted_value *room = loop->room + 2 * range.worker * n;
  double *values = loop->values + range.worker * n;
  for (int64_t j = range.first; j < range.last; ++j) {
    column *c = loop->made->list + j;
    int64_t count;
    bool infinite;
    const gg_sorted_value *sorted = gg_sort_column(loop->x, j, values, room, &count, &infinite);
    const bool lost = infinite || (count < n && !loop->pairwise);
    clear(c, n);
    measure(sorted, lost ? 0 : count, c);
  }
}

/* Gives a column its parts of the memory of `made`. */
static column place_column(const columns *made, int64_t j) {
  const int64_t at = 2 * j * made->rows;
  return (column){.value = made->numbers + at,
                  .mean = made->numbers + at + made->rows,
                  .order = made->places + at,
                  .rank = made->places + at + made->rows};
}

/* Allocates columns. *made is to be freed also after a failure. */
static gpugeo_status allocate_columns(int64_t rows, int64_t count, columns *made, gg_call *call) {
  *made = (columns){.rows = rows, .count = count};
  made->list = gg_call_allocate(call, count, sizeof *made->list);
  made->numbers = gg_call_allocate(call, 2 * rows * count, sizeof *made->numbers);
  made->places = gg_call_allocate(call, 2 * rows * count, sizeof *made->places);
  for (int64_t j = 0; !call->status && j < count; ++j)
    made->list[j] = place_column(made, j);
  return call->status;
}

/* Frees columns. */
static void free_columns(columns *made) {
  gg_free(made->list);
  gg_free(made->numbers);
  gg_free(made->places);
}

/* Makes the columns of a matrix. *made is to be freed also after a failure. */
static gpugeo_status make_columns(const gpugeo_matrix *x, bool pairwise, int32_t threads,
                                  columns *made, gg_call *call) {
  if (allocate_columns(x->nrow, x->ncol, made, call)) return call->status;
  column_loop loop = {.x = x, .pairwise = pairwise, .made = made};
  loop.room = gg_call_allocate(call, 2 * threads * x->nrow, sizeof *loop.room);
  loop.values = gg_call_allocate(call, threads * x->nrow, sizeof *loop.values);
  gg_call_loop(
      call,
      (gg_loop){
          .threads = threads, .count = x->ncol, .grain = 1, .work = measure_columns, .job = &loop});
  gg_free(loop.values);
  gg_free(loop.room);
  return call->status;
}

/* --- pairs of columns --------------------------------------------------------------------------
 */

/* A loop over all pairs of columns. */
typedef struct pair_loop {
  const gg_dcor_plan *plan;
  const columns *x, *y;  /* the same for those within x */
  columns room;          /* two for each thread, if pairwise */
  node *tree;            /* rows + 1 for each thread */
  gg_sorted_value *kept; /* rows for each thread, if pairwise */
} pair_loop;

/* Returns the sums of the rows in the tree whose rank is below `rank`. */
static node sums_below(const node *tree, int32_t rank) {
  node found = {{0}};
  for (int32_t t = rank; t > 0; t &= t - 1)
    for (int l = 0; l < SUMS; ++l)
      found.sum[l] += tree[t].sum[l];
  return found;
}

/* Adds a row to a tree of n ranks. */
static void add_row(node *tree, int64_t n, int32_t rank, double x, double y) {
  const double added[SUMS] = {1, x, y, x * y};
  for (int64_t t = (int64_t)rank + 1; t <= n; t += t & -t)
    for (int l = 0; l < SUMS; ++l)
      tree[t].sum[l] += added[l];
}

/* Returns the sum of the products of n numbers. It has LANES parts, so that compilers use vectors.
 */
static double product_of(const double *a, const double *b, int64_t n) {
  double part[LANES] = {0}, sum = 0;
  int64_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (int l = 0; l < LANES; ++l)
      part[l] += a[k + l] * b[k + l];
  for (; k < n; ++k)
    part[0] += a[k] * b[k];
  for (int l = 0; l < LANES; ++l)
    sum += part[l];
  return sum;
}

/* Returns the squared distance covariance of two columns that have the same rows. */
static double covariance(const column *x, const column *y, int64_t rows, node *tree) {
  const int64_t n = x->count;
  double ascending = 0, product = 0, x_sum = 0, y_sum = 0;
  memset(tree, 0, (size_t)(n + 1) * sizeof *tree);
  for (int64_t k = 0; k < n; ++k) {
    const int32_t rank = y->rank[x->order[k]];
    const double a = x->value[k], b = y->value[rank];
    const node below = sums_below(tree, rank);
    ascending += (below.sum[0] * a - below.sum[1]) * b - (a * below.sum[2] - below.sum[3]);
    add_row(tree, n, rank, a, b);
    product += a * b;
    x_sum += a;
    y_sum += b;
  }
  const double size = (double)n;
  const double sum = 4 * ascending - 2 * (size * product - x_sum * y_sum);
  return sum / (size * size) - 2 * product_of(x->mean, y->mean, rows) / size + x->all * y->all;
}

/* Returns the correlation of two columns that have the same rows, two at least. */
static double correlation(const column *x, const column *y, int64_t rows, node *tree) {
  const double divisor = sqrt(x->variance) * sqrt(y->variance);
  if (!(divisor > 0)) return 0;
  const double square = covariance(x, y, rows, tree) / divisor;
  return square < 0 ? 0 : square > 1 ? 1 : sqrt(square);
}

/* Returns the correlation of the rows that both columns have. */
static double common_correlation(const pair_loop *loop, const column *x, const column *y,
                                 int32_t worker) {
  const int64_t n = loop->x->rows;
  node *tree = loop->tree + worker * (n + 1);
  if (x->count == n && y->count == n) return correlation(x, y, n, tree);
  if (!loop->plan->pairwise || x->count < 2 || y->count < 2) return NAN;
  gg_sorted_value *kept = loop->kept + worker * n;
  column *own = loop->room.list + 2 * worker;
  const int64_t count = keep_common(x, y, kept);
  if (count < 2) return NAN;
  clear(own, n);
  clear(own + 1, n);
  measure(kept, count, own);
  measure(kept, keep_common(y, x, kept), own + 1);
  return correlation(own, own + 1, n, tree);
}

/* Writes a correlation. */
static void write_value(const gg_dcor_plan *plan, int64_t at, double value) {
  value = isnan(value) ? plan->missing : value;
  if (plan->type == GPUGEO_TYPE_FLOAT)
    ((float *)plan->out)[at] = (float)value;
  else
    ((double *)plan->out)[at] = value;
}

/* Computes a range of pairs. */
static void correlate_pairs(void *job, gg_range range) {
  const pair_loop *loop = job;
  const int64_t columns = loop->x->count;
  for (int64_t p = range.first; p < range.last; ++p) {
    const int64_t i = p % columns, j = p / columns;
    const bool within = loop->x == loop->y;
    if (within && i > j) continue;
    double value = common_correlation(loop, loop->x->list + i, loop->y->list + j, range.worker);
    if (within && i == j && value > 0) value = 1;
    write_value(loop->plan, p, value);
    if (within) write_value(loop->plan, j + i * columns, value);
  }
}

/* Computes the correlations of columns. */
static void correlate_all(const gg_dcor_plan *plan, const columns *x, const columns *y,
                          gg_call *call) {
  const int64_t n = x->rows;
  pair_loop loop = {.plan = plan, .x = x, .y = y};
  loop.tree = gg_call_allocate(call, plan->threads * (n + 1), sizeof *loop.tree);
  if (plan->pairwise) {
    loop.kept = gg_call_allocate(call, plan->threads * (n + 1), sizeof *loop.kept);
    allocate_columns(n, 2 * plan->threads, &loop.room, call);
  }
  gg_call_loop(call, (gg_loop){.threads = plan->threads,
                               .count = x->count * y->count,
                               .grain = 1 + GRAIN_ROWS / n,
                               .work = correlate_pairs,
                               .job = &loop});
  free_columns(&loop.room);
  gg_free(loop.kept);
  gg_free(loop.tree);
}

double gg_dcor_bytes(int64_t rows, int64_t columns, int32_t threads) {
  const double column_bytes = 2 * (sizeof(double) + sizeof(int32_t));
  const double thread_bytes = sizeof(node) + 2 * sizeof(gg_sorted_value) + 2 * column_bytes;
  return (double)rows * ((double)columns * column_bytes + threads * thread_bytes);
}

gpugeo_status gg_dcor(const gg_dcor_plan *plan, gg_call *call) {
  if (plan->x->nrow >= INT32_MAX)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                                "x must have fewer than %d rows for distance correlations, not "
                                "%lld",
                                INT32_MAX, (long long)plan->x->nrow));
  columns x = {0}, y = {0};
  make_columns(plan->x, plan->pairwise, plan->threads, &x, call);
  if (plan->y) make_columns(plan->y, plan->pairwise, plan->threads, &y, call);
  correlate_all(plan, &x, plan->y ? &y : &x, call);
  free_columns(&x);
  free_columns(&y);
  return gg_call_end(call);
}

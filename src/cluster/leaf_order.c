/*
 * Optimal orders of leaves (Bar-Joseph, Gifford and Jaakkola 2001): of all orders in which no
 * branches of a dendrogram cross, one with the largest sum of the similarities of neighbours, which
 * are negative distances.
 *
 * A merge of clusters A and B has a matrix of |A| by |B| elements: best(u, w) is the largest sum of
 * an order of both that begins with leaf u of A and ends with leaf w of B,
 *   best(u, w) = max over m, k of best_A(u, m) + similarity(m, k) + best_B(k, w),
 * with m in the child of A that does not contain u, and k in the child of B that does not contain
 * w. These are two products of matrices (max_plus.h), and the rows of A are independent. Any two
 * leaves are in A and B of one merge: all matrices together have n (n - 1) / 2 elements.
 *
 * Cost: n^3 / 6 sums if each merge halves its cluster, n^2 in a chain; limited by the vector units.
 */
#include <math.h>
#include <string.h>

#include "cluster/columns.h"
#include "cluster/max_plus.h"
#include "cluster/merges.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"

enum {
  MOST_LEAVES = 1 << 30, /* clusters, merged ones included, have numbers of 31 bits */
  STRIPE = 96            /* rows of A that a thread computes together: packing B takes 1/96 */
};

GG_OPTIONS_INIT(leaf_order, .metric = GG_DEFAULT_METRIC)

static const gg_option option_rows[] = {
    {GG_OPTION("criterion", CHOICE, gpugeo_leaf_order_options, criterion), .octave = "criteria",
     .choices = GPUGEO_ENUM_LEAF_CRITERION},
};

GG_DEFINE_OPTIONS(leaf_order, option_rows);

/* A dendrogram and the matrices of its merges. Leaves are numbered by their positions in the order
   that has the first cluster of each merge on the left, so that those of a cluster follow each
   other. */
typedef struct leaf_tree {
  int64_t n;
  const int32_t *merge;
  int32_t *size, *start, *parent; /* of each of the 2 n - 1 clusters; start: its first leaf */
  int32_t *left, *right;          /* of each cluster, both ends in the order that is found */
  int32_t *point;                 /* of each leaf its point */
  int64_t *at;                    /* of each merge where its matrices begin */
  double *similarity, *best;
  double *rooms; /* of each thread */
  gg_max_plus_kernel *multiply;
  gg_call *call;
} leaf_tree;

/* Returns a child of a merge; side 0: the first, 1: the second. */
static int32_t child_of(const leaf_tree *t, int64_t k, int side) {
  return t->merge[k + side * (t->n - 1)];
}

/* Returns the number of leaves of a child. */
static int64_t child_size(const leaf_tree *t, int64_t k, int side) {
  return t->size[child_of(t, k, side)];
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Returns the doubles of working memory of a thread: rows of a matrix, packed. */
static int64_t room_of(int64_t n) {
  const int64_t rows = (n + GG_MAX_PLUS_ROWS - 1) / GG_MAX_PLUS_ROWS * GG_MAX_PLUS_ROWS;
  return (rows < STRIPE ? rows : STRIPE) * n + GG_MAX_PLUS_ROOM;
}

/* Returns the columns of distances that are read at a time. */
static int64_t panel_of(int64_t n) { return 1 + n / 16; }

/* Returns the bytes of working memory. */
static double working_bytes(int64_t n, int32_t threads) {
  return 8 * (double)n * (double)(n - 1 + panel_of(n)) + 8.0 * threads * (double)room_of(n) +
         72 * (double)n;
}

/* Allocates a tree; all of it is freed by free_tree(), also after a failure. */
static gpugeo_status make_tree(leaf_tree *t, int32_t threads) {
  const int64_t n = t->n, pairs = n * (n - 1) / 2;
  t->size = gg_call_allocate(t->call, 11 * n, sizeof *t->size);
  t->at = gg_call_allocate(t->call, n, sizeof *t->at);
  t->rooms = gg_call_allocate(t->call, threads * room_of(n), sizeof *t->rooms);
  t->similarity = t->call->status ? NULL : gg_allocate_large(pairs, sizeof *t->similarity);
  t->best = t->similarity ? gg_allocate_large(pairs, sizeof *t->best) : NULL;
  if (t->call->status) return t->call->status;
  if (!t->best) return GG_TRY(t->call, gg_fail_memory(t->call->error, 16 * pairs));
  t->start = t->size + 2 * n;
  t->parent = t->size + 4 * n;
  t->left = t->size + 6 * n;
  t->right = t->size + 8 * n;
  t->point = t->size + 10 * n;
  return GPUGEO_OK;
}

/* Frees the memory of a tree. */
static void free_tree(leaf_tree *t) {
  gg_free(t->size);
  gg_free(t->at);
  gg_free(t->rooms);
  gg_free(t->similarity);
  gg_free(t->best);
}

/* Numbers the leaves and finds where matrices begin. */
static void lay_out(leaf_tree *t) {
  gg_merges_lay_out(t->merge, t->n, t->size, t->start);
  for (int64_t i = 0; i < t->n; ++i)
    t->point[t->start[i]] = (int32_t)i;
  int64_t at = 0;
  for (int64_t k = 0; k < t->n - 1; ++k) {
    t->at[k] = at;
    at += child_size(t, k, 0) * child_size(t, k, 1);
    for (int side = 0; side < 2; ++side)
      t->parent[child_of(t, k, side)] = (int32_t)(t->n + k);
  }
}

/* --- Similarities ----------------------------------------------------------------------------- */

/* Copies distances from a point to the rows of the matrices in whose A it is. */
static void copy_rows(const leaf_tree *t, int64_t point, const double *distance) {
  const int64_t n = t->n, leaf = t->start[point];
  for (int64_t cluster = point; cluster < 2 * n - 2; cluster = t->parent[cluster]) {
    const int64_t k = t->parent[cluster] - n, other = child_of(t, k, 1);
    if (cluster == other) continue;
    const int64_t columns = t->size[other];
    double *row = t->similarity + t->at[k] + (leaf - t->start[cluster]) * columns;
    for (int64_t j = 0; j < columns; ++j)
      row[j] = -distance[t->point[t->start[other] + j]];
  }
}

/* The columns that a loop copies. */
typedef struct copy_job {
  const leaf_tree *tree;
  const gg_columns *columns;
} copy_job;

/* Copies a range of columns of the panel; the loop's work. */
static void copy_range(void *own, gg_range range) {
  const copy_job *job = own;
  for (int64_t c = range.first; c < range.last; ++c) {
    const int64_t point = job->columns->first + c;
    copy_rows(job->tree, point, gg_columns_at(job->columns, point));
  }
}

/* Reads or computes all distances, which must be finite. */
static gpugeo_status read_similarities(const leaf_tree *t, const gg_dist_source *source,
                                       int32_t threads) {
  const int64_t n = t->n;
  gg_columns columns = {.source = source, .name = "d", .call = t->call};
  gg_columns_make(&columns, 8 * (double)n * (double)panel_of(n), 0, 0);
  for (int64_t first = 0; first < n && !t->call->status; first += columns.count) {
    if (gg_columns_load(&columns, first)) break;
    copy_job job = {t, &columns};
    const gg_loop loop = {.threads = threads,
                          .count = columns.count,
                          .grain = 8,
                          .work = copy_range,
                          .job = &job,
                          .begun = 0.2 * (double)first / (double)n,
                          .share = 0.2 * (double)columns.count / (double)n};
    gg_call_loop(t->call, loop);
  }
  gg_columns_check(&columns);
  gg_columns_free(&columns);
  return t->call->status;
}

/* Replaces the similarities of a merge by sums: of that of the leaf of A to all leaves of B, and of
   that of the leaf of B to all of A. room: n doubles. */
static void sum_similarities(const leaf_tree *t, int64_t k, double *room) {
  const int64_t rows = child_size(t, k, 0), columns = child_size(t, k, 1);
  double *matrix = t->similarity + t->at[k], *of_row = room, *of_column = room + rows;
  memset(room, 0, (size_t)(rows + columns) * sizeof *room);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      of_row[i] += matrix[i * columns + j];
      of_column[j] += matrix[i * columns + j];
    }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      matrix[i * columns + j] = of_row[i] + of_column[j];
}

/* --- Sums ------------------------------------------------------------------------------------- */

/* A merge of clusters A and B for the threads. */
typedef struct merge_job {
  const leaf_tree *tree;
  int64_t merge;
  int32_t a, b;
} merge_job;

/* Returns the largest sums of a merged cluster, from the leaves of one child (rows) to those of the
   other one. */
static gg_matrix_view best_from(const leaf_tree *t, int64_t cluster, int side) {
  const int64_t k = cluster - t->n, columns = child_size(t, k, 1);
  return (gg_matrix_view){t->best + t->at[k], side ? 1 : columns, side ? columns : 1};
}

/* Adds the sums within A: out(i, j) is the largest sum of an order from row i of a child of A to
   its other child and on to leaf j of B. */
static void add_first(const merge_job *job, int side, int64_t first, int64_t rows, double *out,
                      double *room) {
  const leaf_tree *t = job->tree;
  const int64_t k = job->a - t->n, columns = t->size[job->b], depth = child_size(t, k, 1 - side);
  const int64_t skipped = side ? 0 : child_size(t, k, 0);
  gg_matrix_view from = best_from(t, job->a, side);
  from.at += first * from.row;
  gg_max_plus_pack(&from, rows, depth, room + GG_MAX_PLUS_ROOM);
  const gg_max_plus product = {
      .rows = rows,
      .columns = columns,
      .depth = depth,
      .left = room + GG_MAX_PLUS_ROOM,
      .right = {t->similarity + t->at[job->merge] + skipped * columns, columns, 1},
      .out = out,
      .out_row = columns};
  t->multiply(&product, room);
}

/* Adds the sums within B to rows of sums to its leaves, in place. */
static void add_second(const merge_job *job, int64_t rows, double *out, double *room) {
  const leaf_tree *t = job->tree;
  const int64_t k = job->b - t->n, columns = t->size[job->b], begin[] = {0, child_size(t, k, 0)};
  const int64_t padded = (rows + GG_MAX_PLUS_ROWS - 1) / GG_MAX_PLUS_ROWS * GG_MAX_PLUS_ROWS;
  double *packed[] = {room + GG_MAX_PLUS_ROOM, room + GG_MAX_PLUS_ROOM + padded * begin[1]};
  for (int side = 0; side < 2; ++side) {
    const gg_matrix_view from = {out + begin[side], columns, 1};
    gg_max_plus_pack(&from, rows, child_size(t, k, side), packed[side]);
  }
  for (int side = 0; side < 2; ++side) {
    const gg_max_plus product = {.rows = rows,
                                 .columns = child_size(t, k, 1 - side),
                                 .depth = child_size(t, k, side),
                                 .left = packed[side],
                                 .right = best_from(t, job->b, side),
                                 .out = out + begin[1 - side],
                                 .out_row = columns};
    t->multiply(&product, room);
  }
}

/* Computes rows [first, first + rows) of a child of A, or the only row. */
static void compute_rows(const merge_job *job, int side, int64_t first, int64_t rows,
                         double *room) {
  const leaf_tree *t = job->tree;
  const int64_t columns = t->size[job->b];
  const int64_t row = first + (side ? child_size(t, job->a - t->n, 0) : 0);
  double *out = t->best + t->at[job->merge] + row * columns;
  if (job->a < t->n)
    memcpy(out, t->similarity + t->at[job->merge], (size_t)columns * sizeof *out);
  else
    add_first(job, side, first, rows, out, room);
  if (job->b >= t->n) add_second(job, rows, out, room);
}

/* Returns the number of stripes of so many rows. */
static int64_t count_stripes(int64_t rows) { return (rows + STRIPE - 1) / STRIPE; }

/* Computes a range of stripes; the loop's work. */
static void compute_stripes(void *own, gg_range range) {
  const merge_job *job = own;
  const leaf_tree *t = job->tree;
  const bool merged = job->a >= t->n;
  const int64_t rows[] = {merged ? child_size(t, job->a - t->n, 0) : 1,
                          merged ? child_size(t, job->a - t->n, 1) : 0};
  for (int64_t s = range.first; s < range.last; ++s) {
    const int side = s >= count_stripes(rows[0]);
    const int64_t first = (s - (side ? count_stripes(rows[0]) : 0)) * STRIPE;
    const int64_t rest = rows[side] - first;
    compute_rows(job, side, first, rest < STRIPE ? rest : STRIPE,
                 t->rooms + range.worker * room_of(t->n));
  }
}

/* Returns the number of sums of a merge. */
static double count_sums(const leaf_tree *t, int64_t k) {
  const int32_t a = child_of(t, k, 0), b = child_of(t, k, 1);
  double sums = 1;
  if (a >= t->n)
    sums +=
        2.0 * (double)child_size(t, a - t->n, 0) * (double)child_size(t, a - t->n, 1) * t->size[b];
  if (b >= t->n)
    sums +=
        2.0 * (double)child_size(t, b - t->n, 0) * (double)child_size(t, b - t->n, 1) * t->size[a];
  return sums;
}

/* Computes the largest sums of all merges. */
static gpugeo_status compute_sums(const leaf_tree *t, int32_t threads,
                                  gpugeo_leaf_criterion criterion) {
  double all = 0, done = 0;
  for (int64_t k = 0; k < t->n - 1; ++k)
    all += count_sums(t, k);
  for (int64_t k = 0; k < t->n - 1 && !t->call->status; ++k) {
    merge_job job = {t, k, child_of(t, k, 0), child_of(t, k, 1)};
    const bool merged = job.a >= t->n;
    const double sums = count_sums(t, k);
    if (criterion == GPUGEO_LEAF_CRITERION_GROUP) sum_similarities(t, k, t->rooms);
    const gg_loop loop = {.threads = sums < 1e5 ? 1 : threads, /* 30 us */
                          .count = merged ? count_stripes(child_size(t, job.a - t->n, 0)) +
                                                count_stripes(child_size(t, job.a - t->n, 1))
                                          : 1,
                          .grain = 1,
                          .work = compute_stripes,
                          .job = &job,
                          .begun = 0.2 + 0.8 * done / all,
                          .share = 0.8 * sums / all};
    gg_call_loop(t->call, loop);
    done += sums;
  }
  return t->call->status;
}

/* --- The order -------------------------------------------------------------------------------- */

/* Leaves [first, last). */
typedef struct leaf_range {
  int64_t first, last;
} leaf_range;

/* Returns the leaves at which an order of a cluster may end that begins with a leaf of it. */
static leaf_range other_ends(const leaf_tree *t, int64_t cluster, int64_t leaf) {
  const int64_t first = t->start[cluster], last = first + t->size[cluster];
  if (cluster < t->n) return (leaf_range){first, last};
  const int64_t second = t->start[child_of(t, cluster - t->n, 1)];
  return leaf < second ? (leaf_range){second, last} : (leaf_range){first, second};
}

/* Returns the largest sum of an order of a cluster between two leaves, in either direction. */
static double best_between(const leaf_tree *t, int64_t cluster, int64_t u, int64_t w) {
  if (cluster < t->n) return 0;
  const int64_t k = cluster - t->n, second = t->start[child_of(t, k, 1)];
  const int64_t i = u < w ? u : w, j = u < w ? w : u;
  return t->best[t->at[k] + (i - t->start[cluster]) * child_size(t, k, 1) + j - second];
}

/* Finds the last leaf m of A and the first leaf k of B that are neighbours in an order of a merge
   from u to w that has the largest sum; there is one. */
static void find_neighbors(const leaf_tree *t, int64_t merge, int64_t u, int64_t w, int64_t *m,
                           int64_t *k) {
  const int64_t a = child_of(t, merge, 0), b = child_of(t, merge, 1), columns = t->size[b];
  const double best = best_between(t, t->n + merge, u, w);
  const leaf_range in_a = other_ends(t, a, u), in_b = other_ends(t, b, w);
  for (*m = in_a.last - 1; *m >= in_a.first; --*m) {
    const double within = best_between(t, a, u, *m);
    const double *row = t->similarity + t->at[merge] + (*m - t->start[a]) * columns - t->start[b];
    for (*k = in_b.first; *k < in_b.last; ++*k)
      if (within + row[*k] + best_between(t, b, *k, w) == best) return;
  }
  *m = in_a.first;
  *k = in_b.first;
}

/* Finds the first left end of an order of all leaves with the largest sum and the last right end,
   and returns the sum. */
static double find_ends(const leaf_tree *t) {
  const int64_t root = 2 * t->n - 2, last = t->n - 2;
  const int64_t rows = child_size(t, last, 0), columns = child_size(t, last, 1);
  const double *best = t->best + t->at[last];
  int64_t at = 0;
  for (int64_t e = 1; e < rows * columns; ++e)
    if (best[e] > best[at] || (best[e] == best[at] && e / columns == at / columns)) at = e;
  t->left[root] = (int32_t)(at / columns);
  t->right[root] = (int32_t)(rows + at % columns);
  return best[at];
}

/* Follows the sums from the last merge on, and writes each merge with its left cluster first.
   Returns false if the call must stop. */
static bool follow_sums(const leaf_tree *t, int32_t *arranged) {
  const int64_t n = t->n;
  for (int64_t merge = n - 2; merge >= 0; --merge) {
    if (gg_clock_poll_loop(t->call->clock, merge)) return false;
    const int32_t a = child_of(t, merge, 0), b = child_of(t, merge, 1);
    const bool turned = t->left[n + merge] >= t->start[b];
    const int64_t u = turned ? t->right[n + merge] : t->left[n + merge];
    const int64_t w = turned ? t->left[n + merge] : t->right[n + merge];
    int64_t m, k;
    find_neighbors(t, merge, u, w, &m, &k);
    t->left[a] = (int32_t)(turned ? m : u);
    t->right[a] = (int32_t)(turned ? u : m);
    t->left[b] = (int32_t)(turned ? w : k);
    t->right[b] = (int32_t)(turned ? k : w);
    arranged[merge] = turned ? b : a;
    arranged[merge + n - 1] = turned ? a : b;
  }
  return true;
}

/* Writes the result. */
static gpugeo_status write_order(const leaf_tree *t, gpugeo_leaf_order_result *result) {
  if (t->call->status) return t->call->status;
  const double sum = find_ends(t);
  if (!isfinite(sum))
    return GG_TRY(t->call, gg_fail(t->call->error, GPUGEO_ERROR_DATA, "d",
                                   "d must have distances whose sums are finite"));
  result->sum = -sum;
  if (gg_call_require(t->call, follow_sums(t, result->merge))) return t->call->status;
  gg_merges_lay_out(result->merge, t->n, t->size, t->start);
  for (int64_t i = 0; i < t->n; ++i)
    result->order[t->start[i]] = (int32_t)i;
  return GPUGEO_OK;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Returns the number of threads: as many as the sums can use, but no more than the working memory
   has room for. */
static int32_t count_threads(int64_t n, const gpugeo_run *run) {
  const int32_t threads = gg_threads_for(run->threads, 0.3 * (double)n * (double)n * (double)n);
  if (run->work_bytes == 0) return threads;
  const double most = ((double)run->work_bytes - working_bytes(n, 0)) / (8 * (double)room_of(n));
  return most >= threads ? threads : most < 1 ? 1 : (int32_t)most;
}

/* Checks the criterion. */
static gpugeo_status check_criterion(const gpugeo_leaf_order_options *options,
                                     gpugeo_error *error) {
  const int criterion = (int)options->criterion;
  if (criterion >= 0 && criterion < GPUGEO_LEAF_CRITERION_COUNT) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "criterion",
                 "criterion must be between 0 and %d, not %d", GPUGEO_LEAF_CRITERION_COUNT - 1,
                 criterion);
}

/* Checks the numbers of leaves and merges, and the memory. */
static gpugeo_status check_arguments(gg_distance_call *call, const int32_t *merge, int64_t merges) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const int64_t n = call->source.n;
  const double bytes = working_bytes(n, 1);
  if (merges != n - 1)
    return GG_TRY(base, gg_fail(base->error, GPUGEO_ERROR_ARGUMENT, "d",
                                "d must have the %lld leaves of the tree, not %lld points",
                                (long long)merges + 1, (long long)n));
  if (!merge)
    return GG_TRY(base,
                  gg_fail(base->error, GPUGEO_ERROR_ARGUMENT, "merge", "merge must not be NULL"));
  GG_TRY(base, gg_check_work(base->run, bytes, base->error, "the optimal order of %lld leaves",
                             (long long)n));
  gg_distance_call_check_result(call, bytes / (8 * (double)n) + 2, panel_of(n));
  return GG_TRY(base, gg_merges_check(merge, n, base->error));
}

/* Computes after the checks. */
static gpugeo_status run_call(gg_distance_call *call, const int32_t *merge,
                              const gpugeo_leaf_order_options *options,
                              gpugeo_leaf_order_result *result) {
  const int64_t n = call->source.n;
  const int32_t threads = count_threads(n, &options->run);
  leaf_tree t = {.n = n,
                 .merge = merge,
                 .multiply = GG_SIMD_CHOOSE(gg_max_plus_kernel, gg_max_plus_multiply),
                 .call = &call->base};
  gg_distance_call_start(call);
  if (!call->base.status && !make_tree(&t, threads)) {
    lay_out(&t);
    read_similarities(&t, &call->source, threads);
    compute_sums(&t, threads, options->criterion);
    write_order(&t, result);
  }
  free_tree(&t);
  call->base.report->threads = threads;
  return call->base.status;
}

gpugeo_status gpugeo_leaf_order(const gpugeo_distances *d, const int32_t *merge, int64_t merges,
                                const gpugeo_leaf_order_options *options,
                                gpugeo_leaf_order_result *result, gpugeo_report *report,
                                gpugeo_error *error) {
  gpugeo_leaf_order_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(leaf_order_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_DIST, .least = 2, .most = MOST_LEAVES,
                                     .purpose = " to order"};
  gg_distance_call call = GG_DISTANCE_CALL("d", d, options, report, error);
  gg_call *base = &call.base;
  gg_distance_call_open(&call, &limits);
  GG_TRY(base, check_criterion(options, error));
  check_arguments(&call, merge, merges);
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  if (!base->status) run_call(&call, merge, options, result);
  return gg_distance_call_close(&call);
}

/*
 * Sums over pairs for many permutations on the CPU. Distances are read in tiles, all permutations
 * at a time if their values of each point fit into the working memory, else in batches. A tile is
 * read by the calling thread, or computed by all; then threads draw groups of GG_SUM_LANES sums.
 * Ranks are made of all distances first.
 */
#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "ordination/cpu/sums_kernels.h"
#include "ordination/permuted_sums.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum {
  SIDE = GG_SUMS_SIDE, /* points of a tile: 2 MiB of values, which stay in the caches */
  COLUMNS = 16         /* of a tile that a thread prepares at a time */
};

typedef struct job {
  const gg_permuted_sums_plan *plan;
  const uint32_t *twice; /* twice the ranks of all distances, condensed, instead of the plan's
                            source; or NULL */
  const gg_sums_kernels *kernels;
  int64_t groups;       /* of lanes in a batch */
  int64_t first, lanes; /* sums of the batch */
  double *point;        /* groups by n by GG_SUM_LANES: values of the points in each lane */
  double *sum;          /* groups by GG_SUM_LANES */
  double *value;        /* of the tile */
  double *column;       /* sums of its columns */
  double *own_group;    /* the same within the group of the column */
  gpugeo_tile tile;     /* where it is */
  double total;         /* of all values so far */
  gg_lock lock;         /* of: */
  gg_bad_distances unfit, negative;
  gg_call *call;
} job;

/* --- Values of points ------------------------------------------------------------------------- */

/* Writes what the points have in one lane: a permutation puts point s(i) in place of i, and the
   first sums are those of the points as they are. */
static void fill_lane(const job *j, int64_t sum, double *of_point) {
  const gg_permuted_sums_plan *plan = j->plan;
  const int64_t n = plan->n, permutation = sum / plan->columns, column = sum % plan->columns;
  const int32_t *order = permutation > 0 ? plan->order + (permutation - 1) * n : NULL;
  for (int64_t i = 0; i < n; ++i)
    of_point[(order ? order[i] : i) * GG_SUM_LANES] =
        plan->basis ? plan->basis[i + column * n] : plan->group[i];
}

/* Fills the values of the points for a range of groups of permutations; the loop's work. */
static void fill_groups(void *own, gg_range range) {
  const job *j = own;
  const int64_t size = j->plan->n * GG_SUM_LANES;
  for (int64_t g = range.first; g < range.last; ++g) {
    const int64_t lane = g * GG_SUM_LANES, count = gg_smaller(GG_SUM_LANES, j->lanes - lane);
    if (count < GG_SUM_LANES) memset(j->point + g * size, 0, (size_t)size * sizeof *j->point);
    for (int64_t l = 0; l < count; ++l)
      fill_lane(j, j->first + lane + l, j->point + g * size + l);
  }
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Writes the ranks of the tile's pairs i > j. */
static void fill_ranks(job *j) {
  const gpugeo_tile *tile = &j->tile;
  for (int64_t c = 0; c < tile->columns; ++c) {
    const int64_t on_diagonal = tile->column + c + 1 - tile->row;
    for (int64_t r = on_diagonal > 0 ? on_diagonal : 0; r < tile->rows; ++r)
      j->value[r + c * tile->rows] =
          0.5 * (double)j->twice[gg_condensed_at(j->plan->n, tile->row + r, tile->column + c)];
  }
}

/* Reads or computes the tile. done, share: of the call's progress. */
static gpugeo_status fill_tile(job *j, double done, double share) {
  if (!j->twice)
    return gg_dist_source_tile(j->plan->source, &j->tile, j->value, done, share, j->call);
  if (!gg_call_poll(j->call, done)) fill_ranks(j);
  return j->call->status;
}

/* Looks for the values of a column that cannot be used. */
static void find_bad(job *j, int64_t c, const double *value) {
  gg_lock_take(&j->lock);
  for (int64_t r = 0; r < j->tile.rows; ++r) {
    const int64_t row = j->tile.row + r, column = j->tile.column + c;
    if (row <= column) continue;
    if (!isfinite(value[r]))
      gg_bad_distances_add(&j->unfit, row, column, value[r]);
    else if (value[r] < GG_LEAST_DISTANCE && !j->plan->may_be_negative)
      gg_bad_distances_add(&j->negative, row, column, value[r]);
  }
  gg_lock_give(&j->lock);
}

/* Adds up the values of a column for the points of its own group. */
static double sum_of_own_group(const job *j, int64_t c, const double *value) {
  const int32_t *of_row = j->plan->group + j->tile.row;
  const int32_t own = j->plan->group[j->tile.column + c];
  double sum = 0;
  for (int64_t r = 0; r < j->tile.rows; ++r)
    sum += of_row[r] == own ? value[r] : 0;
  return sum;
}

/* Makes the values of a column from its distances, 0 where i <= j, and adds them up. */
static void prepare_column(job *j, int64_t c) {
  double *value = j->value + c * j->tile.rows, sum = 0;
  const int64_t on_diagonal = j->tile.column + c + 1 - j->tile.row;
  const int64_t start = on_diagonal > 0 ? gg_smaller(on_diagonal, j->tile.rows) : 0;
  bool good = true;
  for (int64_t r = 0; r < start; ++r)
    value[r] = 0;
  for (int64_t r = start; r < j->tile.rows; ++r)
    good =
        good && isfinite(value[r]) && (value[r] >= GG_LEAST_DISTANCE || j->plan->may_be_negative);
  if (!good) find_bad(j, c, value);
  for (int64_t r = start; r < j->tile.rows; ++r) {
    if (j->plan->value == GG_PAIR_SQUARE) value[r] *= value[r];
    sum += value[r];
  }
  j->column[c] = sum;
  if (j->plan->within) j->own_group[c] = sum_of_own_group(j, c, value);
}

/* Prepares a range of columns of the tile; the loop's work. */
static void prepare_columns(void *own, gg_range range) {
  for (int64_t c = range.first; c < range.last; ++c)
    prepare_column(own, c);
}

/* Adds the tile to the sums of a range of groups of permutations; the loop's work. */
static void add_groups(void *own, gg_range range) {
  const job *j = own;
  const int64_t size = j->plan->n * GG_SUM_LANES;
  for (int64_t g = range.first; g < range.last; ++g) {
    const double *point = j->point + g * size;
    const gg_sum_tile tile = {.value = j->value,
                              .rows = j->tile.rows,
                              .columns = j->tile.columns,
                              .ld = j->tile.rows,
                              .of_rows = point + j->tile.row * GG_SUM_LANES,
                              .of_columns = point + j->tile.column * GG_SUM_LANES,
                              .weight = j->plan->weight};
    double *sum = j->sum + g * GG_SUM_LANES;
    if (j->plan->basis)
      j->kernels->basis(&tile, sum);
    else
      j->kernels->groups(&tile, sum);
  }
}

/* Runs work on the call's threads. done, share: of the call's progress. */
static gpugeo_status run_loop(job *j, void (*work)(void *, gg_range), int64_t count, int64_t grain,
                              double done, double share) {
  return gg_call_loop(j->call, (gg_loop){.threads = j->plan->threads,
                                         .count = count,
                                         .grain = grain,
                                         .work = work,
                                         .job = j,
                                         .begun = done,
                                         .share = share});
}

/* Adds the sums of a tile's columns to those of all pairs. */
static void add_columns(job *j) {
  const gg_permuted_sums_plan *plan = j->plan;
  for (int64_t c = 0; c < j->tile.columns; ++c) {
    j->total += j->column[c];
    if (plan->within) plan->within[plan->group[j->tile.column + c]] += j->own_group[c];
  }
}

/* Takes the pairs of one tile. */
static gpugeo_status take_tile(job *j, double done, double share) {
  const double part = share / 4; /* a guess of the time for distances */
  fill_tile(j, done, part);
  if (run_loop(j, prepare_columns, j->tile.columns, COLUMNS, done + part, 0))
    return j->call->status;
  if (j->first == 0) add_columns(j);
  if (j->unfit.count > 0 || j->negative.count > 0) return GPUGEO_OK; /* an error at the end */
  return run_loop(j, add_groups, j->groups, 1, done + part, share - part);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Computes the sums [first, first + lanes). */
static gpugeo_status take_batch(job *j, double done, double share) {
  const int64_t n = j->plan->n, sides = (n + SIDE - 1) / SIDE;
  const double part = share / ((double)sides * (double)(sides + 1) / 2);
  gg_call *call = j->call;
  run_loop(j, fill_groups, j->groups, 1, done, 0);
  memset(j->sum, 0, (size_t)(j->groups * GG_SUM_LANES) * sizeof *j->sum);
  for (int64_t column = 0; !call->status && column < n; column += SIDE)
    for (int64_t row = column; !call->status && row < n; row += SIDE, done += part) {
      j->tile = (gpugeo_tile){row, gg_smaller(SIDE, n - row), column, gg_smaller(SIDE, n - column)};
      take_tile(j, done, part);
    }
  GG_TRY(call, gg_check_distances(j->plan->name, &j->unfit, &j->negative, call->error));
  for (int64_t l = 0; !call->status && l < j->lanes; ++l) {
    const int64_t sum = j->first + l, columns = j->plan->columns;
    j->plan->sums[sum / columns + sum % columns * (1 + j->plan->permutations)] = j->sum[l];
  }
  return call->status;
}

/* Computes the sums of all permutations in batches of at most `most`. */
static gpugeo_status take_batches(job *j, int64_t most) {
  const int64_t all = gg_permuted_sums_count(j->plan);
  do {
    j->lanes = gg_smaller(most, all - j->first);
    j->groups = (j->lanes + GG_SUM_LANES - 1) / GG_SUM_LANES;
    const double left = 1 - j->plan->done, part = all > 0 ? left / (double)all : left;
    take_batch(j, j->plan->done + part * (double)j->first,
               all > 0 ? part * (double)j->lanes : left);
    j->first += j->lanes;
  } while (!j->call->status && j->first < all);
  return j->call->status;
}

/* Allocates what the working memory has room for and computes all sums. twice: see job. */
static gpugeo_status add_sums(const gg_permuted_sums_plan *plan, const uint32_t *twice,
                              gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = plan->n, side = gg_smaller(SIDE, n), group = n * GG_SUM_LANES;
  const int64_t bytes = plan->work_bytes ? plan->work_bytes : GG_WORK_BYTES;
  const int64_t fit = bytes / (group * (int64_t)sizeof(double));
  const int64_t needed = (gg_permuted_sums_count(plan) + GG_SUM_LANES - 1) / GG_SUM_LANES;
  const int64_t groups = gg_smaller(fit > 1 ? fit : 1, needed > 1 ? needed : 1);
  job j = {.plan = plan,
           .twice = twice,
           .kernels = GG_SIMD_CHOOSE(const gg_sums_kernels, gg_sums_kernels),
           .call = call};
  j.point = gg_allocate_large(groups * group, sizeof *j.point);
  j.sum = gg_allocate(groups * GG_SUM_LANES, sizeof *j.sum);
  j.value = gg_allocate(side * side, sizeof *j.value);
  j.column = gg_allocate(side, sizeof *j.column);
  j.own_group = gg_allocate(side, sizeof *j.own_group);
  gg_lock_make(&j.lock);
  GG_TRY(call, j.point && j.sum && j.value && j.column && j.own_group
                   ? take_batches(&j, groups * GG_SUM_LANES)
                   : gg_fail_memory(call->error, groups * group * (int64_t)sizeof *j.point));
  *plan->total = j.total;
  gg_lock_free(&j.lock);
  gg_free(j.point);
  gg_free(j.sum);
  gg_free(j.value);
  gg_free(j.column);
  gg_free(j.own_group);
  return call->status;
}

/* Writes the ranks of all distances. done, share: of the call's progress. */
static gpugeo_status rank_all(const gg_permuted_sums_plan *plan, gg_ranks to, double done,
                              double share, gg_call *call) {
  if (call->status) return call->status;
  const double *value = NULL;
  double *own = NULL;
  gg_tested_condensed(plan->source, plan->name, true, &value, &own, done, share / 2, call);
  gg_rank_distances(value, plan->n * (plan->n - 1) / 2, to, plan->threads, plan->work_bytes,
                    done + share / 2, call);
  gg_free(own);
  return call->status;
}

/* Does the same as add_sums() with the ranks of the distances, for which there is memory. */
static gpugeo_status add_ranks(const gg_permuted_sums_plan *plan, gg_ranks to, gg_call *call) {
  if (call->status) return call->status;
  const double share = 0.3 * (1 - plan->done);
  if (rank_all(plan, to, plan->done, share, call)) return call->status;
  const gg_dist_source ranks = {.kind = GG_DIST_SOURCE_CONDENSED,
                                .n = plan->n,
                                .options = plan->source->options,
                                .condensed = to.rank};
  gg_permuted_sums_plan mine = *plan;
  mine.source = &ranks;
  mine.done += share;
  return add_sums(&mine, to.twice, call);
}

gpugeo_status gg_cpu_permuted_sums(const gg_permuted_sums_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  if (!plan->ranked) return add_sums(plan, NULL, call);
  if (plan->ranks) return add_ranks(plan, (gg_ranks){.rank = plan->ranks}, call);
  const int64_t pairs = plan->n * (plan->n - 1) / 2;
  uint32_t *twice = gg_allocate_large(pairs, sizeof *twice);
  GG_TRY(call, twice ? add_ranks(plan, (gg_ranks){.twice = twice}, call)
                     : gg_fail_memory(call->error, pairs * (int64_t)sizeof *twice));
  gg_free(twice);
  return call->status;
}

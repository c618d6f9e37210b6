/*
 * Products for stress majorization on the CPU. Columns of pairs are taken in strips, whose tiles
 * are the loop over threads: a tile adds to its own rows at once, and what it gives to the columns
 * of the strip is added afterwards, in the order of the tiles. Nothing but this grows with the
 * number of pairs, and the sums do not depend on the threads.
 */
#include <string.h>

#include "common/context.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "ordination/cpu/mds_kernels.h"
#include "ordination/mds_solve.h"

/* Of a tile: some 50 us of work. Both are multiples of GG_MDS_LANES. */
enum { COLUMNS = GG_MDS_STRIP, ROWS = GG_MDS_ROWS };

typedef struct job {
  const gg_mds_plan *plan;
  gg_mds_kernel *kernel;
  int64_t column;      /* the first of the strip */
  bool weighing;       /* factors are weights */
  const double *x;     /* what is multiplied, */
  double *out;         /* and the product */
  double *factor;      /* room of each thread for ROWS */
  double *below;       /* of each tile, what the columns of the strip get: COLUMNS by k */
  gg_mds_lanes *lanes; /* sums of each tile */
  gg_call *call;
} job;

/* Adds the pairs of a column with rows [first, end), which may begin or end within a group: points
   beyond have the weight 0. */
static void add_part(const job *j, gg_mds_column *c, int64_t first, int64_t end, double *factor,
                     double *down, gg_mds_lanes *sums) {
  const gg_mds_plan *plan = j->plan;
  double delta[GG_MDS_LANES] = {0}, weight[GG_MDS_LANES] = {0};
  const int64_t at = gg_condensed_column(plan->n, c->column) - c->column - 1;
  for (int64_t i = first; i < end; ++i) {
    delta[i - c->row] = plan->delta[at + i];
    weight[i - c->row] = plan->weight ? plan->weight[at + i] : 1;
  }
  gg_mds_column part = *c;
  part.groups = 1;
  part.delta = j->weighing ? NULL : delta;
  part.weight = weight;
  j->kernel(&part, factor, j->out, down, sums);
}

/* Adds the pairs of a column with rows [first, end) of a tile. */
static void add_column(const job *j, int64_t column, int64_t first, int64_t end, double *factor,
                       double *down, gg_mds_lanes *sums) {
  const gg_mds_plan *plan = j->plan;
  const int64_t lanes = GG_MDS_LANES;
  gg_mds_column c = {.x = j->x,
                     .ld = plan->padded,
                     .k = plan->k,
                     .column = column,
                     .row = first / lanes * lanes,
                     .scale = plan->scale,
                     .weight_scale = plan->weight ? plan->weight_scale : 1};
  if (first > c.row) {
    add_part(j, &c, first, gg_smaller(end, c.row + lanes), factor, down, sums);
    c.row += lanes;
  }
  c.groups = end > c.row ? (end - c.row) / lanes : 0;
  if (c.groups > 0) {
    const int64_t at = gg_condensed_column(plan->n, column) + c.row - column - 1;
    c.delta = j->weighing ? NULL : plan->delta + at;
    c.weight = plan->weight ? plan->weight + at : NULL;
    j->kernel(&c, factor, j->out, down, sums);
    c.row += c.groups * lanes;
  }
  if (end > c.row) add_part(j, &c, c.row, end, factor, down, sums);
}

/* Adds the pairs of a tile: those of the strip's columns with ROWS rows. */
static void add_tile(const job *j, int64_t which, double *factor) {
  const gg_mds_plan *plan = j->plan;
  const int64_t row = j->column + which * ROWS, end = gg_smaller(row + ROWS, plan->n);
  const int64_t last = gg_smaller(j->column + COLUMNS, plan->n);
  double *below = j->below + which * COLUMNS * plan->k;
  gg_mds_lanes *sums = &j->lanes[which];
  memset(below, 0, (size_t)(COLUMNS * plan->k) * sizeof *below);
  *sums = (gg_mds_lanes){.residual = {0}};
  for (int64_t column = j->column; column < last; ++column) {
    const int64_t first = column < row ? row : column + 1;
    if (first < end)
      add_column(j, column, first, end, factor, below + (column - j->column) * plan->k, sums);
  }
}

/* Adds a range of tiles; the loop's work. */
static void add_tiles(void *own, gg_range range) {
  const job *j = own;
  for (int64_t t = range.first; t < range.last; ++t)
    add_tile(j, t, j->factor + (int64_t)range.worker * ROWS);
}

/* Adds what a strip's tiles give to its columns, and their sums. */
static void add_strip(const job *j, int64_t tiles, gg_mds_sums *sums) {
  const gg_mds_plan *plan = j->plan;
  const int64_t columns = gg_smaller(COLUMNS, plan->n - j->column);
  for (int64_t t = 0; t < tiles; ++t) {
    const double *below = j->below + t * COLUMNS * plan->k;
    for (int64_t k = 0; k < plan->k; ++k)
      for (int64_t c = 0; c < columns; ++c)
        j->out[k * plan->padded + j->column + c] += below[c * plan->k + k];
    for (int lane = 0; lane < GG_MDS_LANES; ++lane) {
      sums->residual += j->lanes[t].residual[lane];
      sums->excess += j->lanes[t].excess[lane];
      sums->squares += j->lanes[t].squares[lane];
    }
  }
}

/* Adds to out, n by k, the differences of x times the factors of all pairs, and to the sums. */
static gpugeo_status add_pairs(job *j, const double *x, double *out, gg_mds_sums *sums,
                               double progress) {
  const gg_mds_plan *plan = j->plan;
  j->x = x;
  j->out = out;
  *sums = (gg_mds_sums){0, 0, 0};
  memset(out, 0, (size_t)(plan->padded * plan->k) * sizeof *out);
  for (j->column = 0; j->column < plan->n; j->column += COLUMNS) {
    const int64_t tiles = (plan->n - j->column + ROWS - 1) / ROWS;
    const gg_loop loop = {.threads = plan->threads,
                          .count = tiles,
                          .grain = 1,
                          .work = add_tiles,
                          .job = j,
                          .begun = progress};
    if (gg_call_loop(j->call, loop)) return j->call->status;
    add_strip(j, tiles, sums);
  }
  for (int64_t k = 0; k < plan->k; ++k) /* the padding, which stays 0 */
    for (int64_t i = plan->n; i < plan->padded; ++i)
      out[k * plan->padded + i] = 0;
  return GPUGEO_OK;
}

/* Computes B(x) x of gg_mds_products and the sums of the stress. */
static gpugeo_status transform(void *own, const double *x, double *out, gg_mds_sums *sums,
                               double progress, gpugeo_error *error) {
  job *j = own;
  (void)error; /* the call's */
  j->weighing = false;
  return add_pairs(j, x, out, sums, progress);
}

/* Computes V x of gg_mds_products: the factors are the weights. */
static gpugeo_status multiply_weights(void *own, const double *x, double *out, double progress,
                                      gpugeo_error *error) {
  job *j = own;
  gg_mds_sums unused;
  (void)error; /* the call's */
  j->weighing = true;
  return add_pairs(j, x, out, &unused, progress);
}

gpugeo_status gg_cpu_mds(const gg_mds_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  const int64_t tiles = (plan->n + ROWS - 1) / ROWS, below = tiles * COLUMNS * plan->k;
  job j = {.plan = plan,
           .kernel = GG_SIMD_CHOOSE(gg_mds_kernel, gg_mds_add),
           .factor = gg_allocate((int64_t)plan->threads * ROWS, sizeof *j.factor),
           .below = gg_allocate(below, sizeof *j.below),
           .lanes = gg_allocate(tiles, sizeof *j.lanes),
           .call = call};
  const gg_mds_products products = {.own = &j, .transform = transform, .weigh = multiply_weights};
  GG_TRY(call, j.factor && j.below && j.lanes
                   ? gg_mds_solve(plan, &products, call->error)
                   : gg_fail_memory(call->error, below * (int64_t)sizeof *j.below));
  gg_free(j.factor);
  gg_free(j.below);
  gg_free(j.lanes);
  return call->status;
}

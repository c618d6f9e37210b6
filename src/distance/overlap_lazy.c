/*
 * Distances by topological overlap in tiles. A tile needs the weights of its rows and columns with
 * all genes. Cost of weights that are computed anew, for n genes, m samples and tiles of c columns:
 * n^3 m / (2 c) multiplications, and n^3 / 2 of the sums of products.
 */
#include "distance/overlap_lazy.h"

#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/random.h"

enum { LEAST_WIDTH = 64, MOST_WIDTH = 1024 /* columns of a panel, and of a tile of a file */ };

/* Weights of some columns with all genes. */
typedef struct weight_panel {
  double *weights; /* n by room, or NULL */
  int64_t first, count, room;
} weight_panel;

/* What tiles change. */
typedef struct tile_state {
  weight_panel rows, columns;
  int32_t notes; /* of all correlations so far */
  gpugeo_missing missing;
} tile_state;

typedef struct overlap_lazy {
  gpugeo_dist_lazy base; /* the first field */
  gg_overlap_input input;
  gg_overlap_rule rule;
  const double *weights; /* n by n, or NULL: panels */
  double *own;           /* the memory of weights that are not the caller's, or NULL */
  double *connectivity;  /* n */
  int64_t width;         /* of a panel of rows */
  bool ordered;          /* has_order() */
  tile_state *state;
} overlap_lazy;

/* --- weights ---------------------------------------------------------------------------------- */

/* Allocates a panel of at least `count` columns, unless it has room for them. */
static void reserve_panel(const overlap_lazy *lazy, int64_t count, weight_panel *panel,
                          gg_call *call) {
  if (call->status || panel->room >= count) return;
  gg_free(panel->weights);
  *panel = (weight_panel){.weights = NULL};
  panel->weights = gg_call_allocate(call, lazy->base.n * count, sizeof *panel->weights);
  if (panel->weights) panel->room = count;
}

/* True if the bits of a correlation depend on which column comes first: those of pairs of complete
   rows, of which the column with the larger index comes first in gpugeo_cor() of one matrix. */
static bool has_order(const gg_overlap_input *in) {
  if (in->options.use != GPUGEO_COR_USE_PAIRWISE || in->options.method == GPUGEO_COR_METHOD_BICOR)
    return false;
  for (int64_t j = 0; j < in->x.ncol; ++j)
    for (int64_t i = 0; i < in->x.nrow; ++i) {
      const double value = gg_element(&in->x, i, j);
      if (value != value) return true;
    }
  return false;
}

/* Weights between columns and all genes, which replace those of a panel above the diagonal. */
typedef struct turn_job {
  const double *turned; /* columns by n */
  weight_panel *panel;
  int64_t n, count;
} turn_job;

/* Replaces the weights above the diagonal in a range of columns. */
static void turn_columns(void *own, gg_range range) {
  const turn_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = 0; i < job->panel->first + j; ++i) {
      const double weight = job->turned[j + i * job->count];
      job->panel->weights[i + j * job->n] = weight == weight ? weight : 0;
    }
}

/* Computes the weights of a panel above the diagonal with the panel's columns first. */
static void order_weights(const overlap_lazy *lazy, const gpugeo_matrix *part,
                          const gpugeo_cor_options *options, weight_panel *panel, gg_call *call) {
  if (call->status || !lazy->ordered) return;
  const gg_overlap_input *in = &lazy->input;
  double *turned = gg_call_allocate(call, part->ncol * lazy->base.n, sizeof *turned);
  gpugeo_cor_options first = *options; /* the panel's columns */
  first.weights_x = options->weights_y;
  first.weights_y = options->weights_x;
  turn_job job = {turned, panel, lazy->base.n, part->ncol};
  GG_TRY(call, gg_adjacency(part, &in->x, &first, &in->network, turned, call->report, call->error));
  if (!call->status)
    gg_call_loop(call, (gg_loop){.threads = gg_threads(call->run->threads),
                                 .count = part->ncol,
                                 .grain = 1 + 16384 / (lazy->base.n + 1),
                                 .work = turn_columns,
                                 .job = &job});
  gg_free(turned);
}

/* Returns the weights of columns [first, first + count), borrowed until the panel gets others. */
static const double *load_weights(const overlap_lazy *lazy, int64_t first, int64_t count,
                                  weight_panel *panel, gg_call *call) {
  const int64_t n = lazy->base.n;
  if (lazy->weights) return lazy->weights + first * n;
  reserve_panel(lazy, count, panel, call);
  if (call->status || (panel->first == first && panel->count == count)) return panel->weights;
  const gg_overlap_input *in = &lazy->input;
  const gpugeo_matrix part = gg_network_columns(&in->x, first, count);
  const gpugeo_cor_options own = gg_network_part_options(&in->options, first, count);
  panel->count = 0;
  gg_overlap_weights(&in->x, &part, first, &own, &in->network, panel->weights, call);
  gg_network_add_notes(call->report, &lazy->state->notes, &lazy->state->missing);
  panel->first = first;
  order_weights(lazy, &part, &own, panel, call);
  if (call->status) return NULL;
  panel->count = count;
  return panel->weights;
}

/* Returns the number of columns of a panel of which four fit into the working memory: rows,
   columns, the sums of a tile, and what order_weights() takes. */
static int64_t width_of(int64_t n, const gpugeo_run *run) {
  const double limit = run->work_bytes ? (double)run->work_bytes : (double)GG_WORK_BYTES;
  const double width = limit / (4 * 8 * (double)n);
  if (width >= MOST_WIDTH) return MOST_WIDTH;
  return width < LEAST_WIDTH ? LEAST_WIDTH : (int64_t)width / LEAST_WIDTH * LEAST_WIDTH;
}

/* True if all weights of the correlations are to be in memory. */
static bool fits(const gg_overlap_input *in) {
  const gpugeo_run *run = &in->options.run;
  const double limit = run->work_bytes ? (double)run->work_bytes : (double)GG_WORK_BYTES;
  return in->x.sparse || 8 * (double)in->x.ncol * (double)in->x.ncol <= limit;
}

/* Brings all weights into memory, if they are given or fit. */
static void prepare_weights(overlap_lazy *lazy, gg_call *call) {
  gg_overlap_input *in = &lazy->input;
  const int64_t n = lazy->base.n;
  if (in->given) {
    gg_overlap_ready(&in->x, &lazy->rule, &lazy->weights, &lazy->own, call);
    return;
  }
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_any_matrix("x", &in->x, call->error));
  in->network = gg_overlap_network(&in->network, &lazy->rule);
  if (call->status) return;
  if (!fits(in)) {
    lazy->ordered = has_order(in);
    gg_network_panel_options(&in->x, &in->options, call);
    gg_network_add_notes(call->report, &lazy->state->notes, &lazy->state->missing);
    return;
  }
  lazy->weights = lazy->own = gg_call_allocate(call, n * n, sizeof *lazy->own);
  if (lazy->own) gg_overlap_weights(&in->x, NULL, 0, &in->options, &in->network, lazy->own, call);
  gg_network_add_notes(call->report, &lazy->state->notes, &lazy->state->missing);
}

/* Computes all connectivities. */
static void prepare_connectivities(overlap_lazy *lazy, gg_call *call) {
  const int64_t n = lazy->base.n;
  lazy->connectivity = gg_call_allocate(call, n, sizeof *lazy->connectivity);
  const int64_t width = lazy->weights ? n : lazy->width;
  for (int64_t first = 0; !call->status && first < n; first += width) {
    if (gg_call_poll(call, (double)first / (double)n)) return;
    gg_overlap_part part = {.n = n,
                            .rule = &lazy->rule,
                            .connectivity = lazy->connectivity,
                            .column = first,
                            .column_count = gg_smaller(width, n - first)};
    part.columns = load_weights(lazy, first, part.column_count, &lazy->state->rows, call);
    gg_overlap_sum(&part, call);
  }
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* Computes the rows of a tile that a part has. sums: room for them, if they are not all rows. */
static void compute_rows(const overlap_lazy *lazy, gg_overlap_part *part, double *sums, double *out,
                         gg_call *call) {
  part->rows = load_weights(lazy, part->row, part->row_count, &lazy->state->rows, call);
  part->out = out;
  part->sums = sums ? sums : out;
  gg_overlap_compute(part, call);
}

/* Computes a tile of distances. */
static gpugeo_status lazy_tile(const gpugeo_dist_lazy *base, const gpugeo_tile *tile, double *out,
                               double done, double share, gg_call *call) {
  const overlap_lazy *lazy = (const overlap_lazy *)base;
  tile_state *state = lazy->state;
  const int64_t width = lazy->weights ? tile->rows : gg_smaller(lazy->width, tile->rows);
  double *sums = NULL;
  if (width < tile->rows) sums = gg_call_allocate(call, width * tile->columns, sizeof *sums);
  gg_overlap_part part = {.n = base->n,
                          .rule = &lazy->rule,
                          .connectivity = lazy->connectivity,
                          .column = tile->column,
                          .column_count = tile->columns,
                          .shape = GPUGEO_SHAPE_FULL,
                          .out_rows = tile->rows};
  part.columns = load_weights(lazy, tile->column, tile->columns, &state->columns, call);
  for (int64_t at = 0; !call->status && at < tile->rows; at += width) {
    gg_call_part step;
    const double each = share / (double)tile->rows;
    part.row = tile->row + at;
    part.row_count = gg_smaller(width, tile->rows - at);
    gg_call_part_begin(call, done + each * (double)at, each * (double)part.row_count, &step);
    compute_rows(lazy, &part, sums, out + at, &step.call);
    gg_call_part_end(&step);
  }
  gg_free(sums);
  call->report->notes |= state->notes;
  if (state->notes & GPUGEO_NOTE_ZERO_MAD) call->report->missing = state->missing;
  return call->status;
}

/* Computes a hash of the connectivities and the rule. */
static uint64_t lazy_fingerprint(const gpugeo_dist_lazy *base) {
  const overlap_lazy *lazy = (const overlap_lazy *)base;
  const gg_overlap_rule *rule = &lazy->rule;
  const int64_t numbers[5] = {base->n, rule->type, rule->mean, rule->suppress_zero,
                              rule->suppress_negative};
  const uint64_t hash = gg_random_hash(0, numbers, 5);
  return gg_random_hash(hash, lazy->connectivity, base->n);
}

/* Frees distances. */
static void lazy_free(gpugeo_dist_lazy *base) {
  overlap_lazy *lazy = (overlap_lazy *)base;
  if (lazy->state) {
    gg_free(lazy->state->rows.weights);
    gg_free(lazy->state->columns.weights);
  }
  gg_free(lazy->state);
  gg_free(lazy->own);
  gg_free(lazy->connectivity);
  gg_free(lazy);
}

gpugeo_status gg_overlap_lazy(const gg_overlap_input *input, const gg_overlap_rule *rule,
                              gpugeo_dist_lazy **made, gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, &input->options.run, report, error);
  overlap_lazy *lazy = gg_call_allocate(&call, 1, sizeof *lazy);
  if (!lazy) return call.status;
  *lazy = (overlap_lazy){
      .base = {.tile = lazy_tile, .release = lazy_free, .fingerprint = lazy_fingerprint},
      .input = *input,
      .rule = *rule};
  lazy->base.n = input->x.ncol;
  lazy->base.metric = GG_OVERLAP_METRIC;
  lazy->rule.distances = 1;
  lazy->width = width_of(lazy->base.n, call.run);
  lazy->state = gg_call_allocate(&call, 1, sizeof *lazy->state);
  if (lazy->state) *lazy->state = (tile_state){.notes = 0};
  if (!call.status) prepare_weights(lazy, &call);
  if (!call.status) lazy->base.side = lazy->weights ? 0 : lazy->width;
  prepare_connectivities(lazy, &call);
  if (call.status)
    lazy_free(&lazy->base);
  else
    *made = &lazy->base;
  return gg_call_end(&call);
}

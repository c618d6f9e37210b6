/* Layouts by stress of one connected graph: pivots, first positions, majorization. */
#include "layout/stress_layout.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/random.h"
#include "layout/majorization.h"
#include "layout/pivots.h"

/* Default iterations: full stress converges slower and is cheaper. */
enum { ITERATIONS = 100, ITERATIONS_OF_ALL = 500 };

/* Vertices at one point would move alike: first positions are moved by up to this fraction of the
   mean length of an edge. */
static const double jitter = 0.05;

/* Parts of the progress. */
static const double pivots_share = 0.3, start_share = 0.05;

/* A layout of one graph. */
typedef struct laying {
  const gg_layout_setting *setting;
  const gg_layout_plan *plan;
  gg_path_graph graph;
  gg_pivots pivots;
  double *positions; /* of the majorization */
  double *lower, *upper;
} laying;

/* Returns the number of pivots. */
static int64_t pivots_of(const gpugeo_layout_options *options, int64_t vertices) {
  return vertices <= GG_STRESS_ALL ? vertices : options->pivots;
}

double gg_stress_bytes(const gpugeo_layout_options *options, int64_t vertices, int32_t threads) {
  const double bounds = (options->lower || options->upper ? 16.0 : 0) * options->dim;
  return gg_pivots_bytes(vertices, pivots_of(options, vertices), threads) +
         gg_majorization_bytes(vertices, options->dim) + bounds * (double)vertices;
}

/* Copies columns to rows, in the unit of the pivots' distances. */
static void to_rows(const laying *l, const double *columns, double *rows) {
  const int64_t n = l->plan->graph.vertices;
  for (int64_t v = 0; v < n; ++v)
    for (int k = 0; k < l->plan->dim; ++k)
      rows[v * l->plan->dim + k] = ldexp(columns[v + k * n], -l->pivots.exponent);
}

/* Copies the positions to those of the plan. */
static void to_columns(const laying *l) {
  const int64_t n = l->plan->graph.vertices;
  for (int64_t v = 0; v < n; ++v)
    for (int k = 0; k < l->plan->dim; ++k)
      l->plan->positions[v + k * n] = ldexp(l->positions[v * l->plan->dim + k], l->pivots.exponent);
}

/* Returns bounds as rows, or NULL if there are none, or after an error. */
static double *copy_bounds(const laying *l, const double *columns, gg_call *call) {
  if (!columns) return NULL;
  const int64_t count = l->plan->graph.vertices * l->plan->dim;
  double *rows = gg_call_allocate(call, count, sizeof *rows);
  if (rows) to_rows(l, columns, rows);
  return rows;
}

/* Returns the mean length of the edges, in the unit of the pivots' distances. */
static double mean_length(const laying *l) {
  const int64_t entries = l->graph.csr.start[l->graph.csr.vertices];
  double sum = 0;
  for (int64_t e = 0; e < entries; ++e)
    sum += ldexp(l->graph.length ? l->graph.length[e] : 1, -l->pivots.exponent);
  return sum / (double)entries;
}

/* Moves first positions by a little, at random. */
static void shake(const laying *l) {
  const int64_t count = l->plan->graph.vertices * l->plan->dim;
  const double side = jitter * mean_length(l);
  for (int64_t i = 0; i < count; ++i)
    l->positions[i] += side * (gg_random_unit(l->setting->options->seed, (uint64_t)i) - 0.5);
}

/* Fills the positions from which the majorization starts. */
static gpugeo_status begin(laying *l, bool placed, gg_call *call) {
  const gg_layout_plan *plan = l->plan;
  l->positions = gg_call_allocate(call, plan->graph.vertices * plan->dim, sizeof *l->positions);
  l->lower = copy_bounds(l, plan->lower, call);
  l->upper = copy_bounds(l, plan->upper, call);
  if (call->status) return call->status;
  if (placed) {
    to_rows(l, plan->positions, l->positions);
    return call->status;
  }
  if (!gg_pivots_place(&l->pivots, plan->dim, plan->threads, call, l->positions)) shake(l);
  return call->status;
}

/* Shows a frame if it is due. */
static int show_frame(int64_t iteration, void *data) {
  const laying *l = data;
  const gg_layout_plan *plan = l->plan;
  if (!plan->frame || iteration % plan->frame_every) return 0;
  to_columns(l);
  return plan->frame(iteration, 0, plan->positions, plan->frame_data);
}

/* Runs the iterations. */
static gpugeo_status majorize(laying *l, gg_call *call, gg_layout_done *done) {
  const gg_layout_plan *plan = l->plan;
  const int64_t usual = l->pivots.all ? ITERATIONS_OF_ALL : ITERATIONS;
  const gg_majorization m = {.graph = &l->graph,
                             .pivots = &l->pivots,
                             .dim = plan->dim,
                             .positions = l->positions,
                             .fixed = plan->fixed,
                             .lower = l->lower,
                             .upper = l->upper,
                             .iterations = plan->iterations < 0 ? usual : plan->iterations,
                             .tolerance = ldexp(plan->tolerance, -l->pivots.exponent),
                             .frame = show_frame,
                             .frame_data = l,
                             .threads = plan->threads};
  gg_majorize(&m, call, &done->outcome.iterations, &done->outcome.converged);
  gg_majorized_sums(&m, call, &done->sums);
  return call->status;
}

/* Does a part of the layout, of which `done` are finished. */
static void begin_part(const laying *l, double done, double share, gg_call_part *part) {
  const double length = l->plan->progress_to - l->plan->progress_from;
  gg_call_part_begin(l->setting->call, l->plan->progress_from + done * length, share * length,
                     part);
}

gpugeo_status gg_layout_by_stress(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                  const double *length, bool placed, gg_layout_done *done) {
  gg_call *call = setting->call;
  if (call->status) return call->status;
  laying l = {.setting = setting, .plan = plan, .graph = {plan->graph, length}};
  gg_call_part part;
  begin_part(&l, 0, pivots_share, &part);
  gg_pivots_make(&l.graph, pivots_of(setting->options, plan->graph.vertices), plan->threads,
                 &part.call, &l.pivots);
  gg_call_part_end(&part);
  begin_part(&l, pivots_share, start_share, &part);
  begin(&l, placed, &part.call);
  gg_call_part_end(&part);
  begin_part(&l, pivots_share + start_share, 1 - pivots_share - start_share, &part);
  if (!call->status) majorize(&l, &part.call, done);
  gg_call_part_end(&part);
  if (!call->status) to_columns(&l);
  done->pivots = l.pivots.count;
  done->levels = 1;
  gg_pivots_free(&l.pivots);
  gg_free(l.positions);
  gg_free(l.lower);
  gg_free(l.upper);
  return call->status;
}

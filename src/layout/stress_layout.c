/* Layouts by stress of one connected graph: pivots, first positions, majorization. */
#include "layout/stress_layout.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/random.h"
#include "layout/compromise.h"
#include "layout/constraints.h"
#include "layout/majorization.h"
#include "layout/pivots.h"
#include "layout/stress_forces.h"

/* Default iterations: full stress converges slower, and iterations of small graphs are cheaper. */
enum { ITERATIONS = 100, ITERATIONS_OF_SMALL = 500, SMALL = 10000 };

/* Layouts of up to so many vertices start more than once: from classical scaling alone the stress
   was up to 2 % above the best of 10 on random graphs of 90 vertices, and within bounds or
   constraints, where vertices cannot pass each other, up to 5 %. */
enum { FEW_VERTICES = 300, STARTS = 2, STARTS_WITHIN = 5, ALIKE_ITERATIONS = 100 };

/* The parts of the progress that forces have, and steps from a layout by forces. */
static const double forces_share = 0.15, steps_share = 0.4;

/* A layout of one graph. */
typedef struct laying {
  const gg_layout_setting *setting;
  const gg_layout_plan *plan;
  gg_path_graph graph;
  gg_pivots pivots;
  double *positions; /* of the majorization */
  double *lower, *upper, *radius, *anchor;
  bool silent; /* without frames */
} laying;

/* Returns the number of pivots. */
static int64_t pivots_of(const gpugeo_layout_options *options, int64_t vertices) {
  return vertices <= GG_STRESS_ALL ? vertices : options->pivots;
}

/* True if forces follow. */
static bool has_forces(const gpugeo_layout_options *options) {
  return options->algorithm == GPUGEO_LAYOUT_ALGORITHM_STRESS_FR;
}

double gg_stress_bytes(const gpugeo_layout_options *options, int64_t vertices, int32_t threads) {
  const bool bounded = options->lower || options->upper || options->constrain;
  const double bounds = (bounded ? 16.0 : 0) * options->dim +
                        8 * (options->init_weight > 0) * options->dim +
                        16 * gg_layout_is_constrained(options) +
                        has_forces(options) * gg_compromise_bytes(options->dim);
  return gg_pivots_bytes(vertices, pivots_of(options, vertices), threads) +
         gg_majorization_bytes(vertices, options->dim) + bounds * (double)vertices;
}

/* --- On a backend ----------------------------------------------------------------------------- */

const char *gg_stress_host_option(const gpugeo_layout_options *options) {
  if (options->algorithm != GPUGEO_LAYOUT_ALGORITHM_STRESS) return "forces";
  if (options->lengths) return "lengths";
  if (options->init_weight > 0) return "init_weight";
  return gg_layout_is_constrained(options) ? "constraints" : NULL;
}

bool gg_stress_fits_device(const gpugeo_layout_options *options, int64_t vertices) {
  return !gg_stress_host_option(options) && vertices > GG_STRESS_ALL && vertices > options->pivots;
}

double gg_stress_device_bytes(const gpugeo_layout_options *options, int64_t vertices,
                              int64_t entries) {
  const double bounds = (options->lower || options->upper ? 16.0 : 0) * options->dim;
  const double vertex_bytes = 2 * (double)options->pivots + 60 + 9 * (double)options->dim + bounds;
  return vertex_bytes * (double)vertices + 4 * (double)entries;
}

/* Returns the default iterations. */
static int64_t usual_iterations(int64_t vertices, bool all_pivots) {
  return vertices <= SMALL || all_pivots ? ITERATIONS_OF_SMALL : ITERATIONS;
}

/* Lays out the graph on the setting's backend. False if it cannot: the host then needs its own
   memory, which is checked. */
static bool lay_out_on_device(const gg_layout_setting *setting, const gg_layout_plan *plan,
                              bool placed, gg_layout_done *done) {
  const int64_t n = plan->graph.vertices;
  const gpugeo_layout_options *options = setting->options;
  gg_call *call = setting->call;
  if (!setting->backend->stress || !gg_stress_fits_device(options, n)) return false;
  gg_layout_plan own = *plan;
  if (own.iterations < 0) own.iterations = usual_iterations(n, false);
  const gg_stress_plan stress = {.layout = &own,
                                 .pivots = options->pivots,
                                 .seed = options->seed,
                                 .placed = placed,
                                 .bytes = gg_stress_device_bytes(options, n, plan->graph.start[n]),
                                 .threads = plan->threads,
                                 .device = plan->device};
  gg_stress_outcome outcome = {.done = false};
  gg_call_part part;
  gg_call_part_begin(call, plan->progress_from, plan->progress_to - plan->progress_from, &part);
  GG_TRY(&part.call, setting->backend->stress(&stress, &outcome, &part.call));
  if (gg_call_part_end(&part)) return true;
  done->outcome = outcome.layout;
  done->sums = outcome.sums;
  done->pivots = options->pivots;
  done->levels = 1;
  if (outcome.done) return true;
  GG_TRY(call, gg_check_memory(gg_stress_bytes(options, n, plan->threads), "edges", call->error,
                               "the layout of a component of %lld vertices needs", (long long)n));
  return call->status;
}

/* --- On the host ------------------------------------------------------------------------------ */

/* Copies `dim` columns to rows, in the unit of the pivots' distances. */
static void to_rows(const laying *l, const double *columns, int dim, double *rows) {
  gg_layout_to_rows(l->plan->graph.vertices, dim, -l->pivots.exponent, columns, rows);
}

/* Copies the positions to those of the plan. */
static void to_columns(const laying *l) {
  const gg_layout_plan *plan = l->plan;
  gg_layout_to_columns(plan->graph.vertices, plan->dim, l->pivots.exponent, l->positions,
                       plan->positions);
}

/* Returns columns as rows, or NULL if there are none, or after an error. */
static double *copy_rows(const laying *l, const double *columns, int dim, gg_call *call) {
  if (!columns) return NULL;
  double *rows = gg_call_allocate(call, l->plan->graph.vertices * dim, sizeof *rows);
  if (rows) to_rows(l, columns, dim, rows);
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
  const double side = GG_STRESS_JITTER * mean_length(l);
  for (int64_t i = 0; i < count; ++i)
    l->positions[i] += side * (gg_random_unit(l->setting->options->seed, (uint64_t)i) - 0.5);
}

/* Fills the positions from which the majorization starts. */
static gpugeo_status begin(laying *l, const gg_stress_held *held, gg_call *call) {
  const gg_layout_plan *plan = l->plan;
  l->positions = gg_call_allocate(call, plan->graph.vertices * plan->dim, sizeof *l->positions);
  l->lower = copy_rows(l, plan->lower, plan->dim, call);
  l->upper = copy_rows(l, plan->upper, plan->dim, call);
  l->radius = copy_rows(l, held ? held->radius : NULL, 1, call);
  l->anchor = copy_rows(l, held ? held->anchor : NULL, plan->dim, call);
  if (call->status) return call->status;
  if (held) {
    to_rows(l, plan->positions, plan->dim, l->positions);
    return call->status;
  }
  if (!gg_pivots_place(&l->pivots, plan->dim, plan->threads, call, l->positions)) shake(l);
  return call->status;
}

/* Shows a frame if it is due. */
static int show_frame(int64_t iteration, void *data) {
  const laying *l = data;
  const gg_layout_plan *plan = l->plan;
  if (!plan->frame || l->silent || iteration % plan->frame_every) return 0;
  to_columns(l);
  return plan->frame(iteration, 0, plan->positions, plan->frame_data);
}

/* Runs the iterations, at most `most`, from the positions. */
static gpugeo_status majorize(laying *l, int64_t most, gg_call *call, gg_layout_done *done) {
  const gg_layout_plan *plan = l->plan;
  const gg_majorization m = {.graph = &l->graph,
                             .pivots = &l->pivots,
                             .dim = plan->dim,
                             .positions = l->positions,
                             .fixed = plan->fixed,
                             .lower = l->lower,
                             .upper = l->upper,
                             .radius = l->radius,
                             .anchor = l->anchor,
                             .anchor_weight = l->setting->options->init_weight,
                             .iterations = most,
                             .tolerance = ldexp(plan->tolerance, -l->pivots.exponent),
                             .frame = show_frame,
                             .frame_data = l,
                             .threads = plan->threads};
  gg_majorize(&m, call, &done->outcome.iterations, &done->outcome.converged);
  gg_majorized_sums(&m, call, &done->sums);
  return call->status;
}

/* --- Other starts ----------------------------------------------------------------------------- */

/* Returns the number of starts: one if positions or iterations are given. */
static int starts_of(const laying *l, const gg_stress_held *held) {
  const bool given = l->setting->options->init || l->plan->iterations >= 0;
  if (given || l->plan->graph.vertices > FEW_VERTICES) return 1;
  return held ? STARTS_WITHIN : STARTS;
}

/* Fills the positions of another start: without bounds and constraints those of the minimum of the
   stress with equal weights, which has fewer local minima; else random ones. */
static gpugeo_status begin_again(laying *l, int start, const gg_stress_held *held, gg_call *call) {
  const int64_t count = l->plan->graph.vertices * l->plan->dim;
  const uint64_t seed = l->setting->options->seed + (uint64_t)start;
  gg_layout_done unread;
  for (int64_t i = 0; held && i < count; ++i)
    l->positions[i] = gg_random_unit(seed, (uint64_t)i) - 0.5;
  if (held) return call->status;
  if (gg_pivots_place(&l->pivots, l->plan->dim, l->plan->threads, call, l->positions))
    return call->status;
  shake(l);
  gg_pivots_weigh_alike(&l->pivots, true);
  majorize(l, ALIKE_ITERATIONS, call, &unread);
  gg_pivots_weigh_alike(&l->pivots, false);
  return call->status;
}

/* Shows the positions of another start as a frame. */
static gpugeo_status show_last(laying *l, gg_call *call, const gg_layout_done *done) {
  const gg_layout_plan *plan = l->plan;
  to_columns(l);
  return gg_call_require(call, !plan->frame || !plan->frame(done->outcome.iterations, 0,
                                                            plan->positions, plan->frame_data));
}

/* Runs the iterations from another start, and keeps its positions if their stress is lower. `spare`
   has room for positions. */
static gpugeo_status try_again(laying *l, int start, const gg_stress_held *held, double *spare,
                               gg_call *call, gg_layout_done *done) {
  const size_t bytes = (size_t)(l->plan->graph.vertices * l->plan->dim) * sizeof *spare;
  gg_layout_done other = {0};
  memcpy(spare, l->positions, bytes);
  l->silent = true;
  begin_again(l, start, held, call);
  majorize(l, ITERATIONS_OF_SMALL, call, &other);
  l->silent = false;
  if (call->status) return call->status;
  if (gg_stress_unscaled(&other.sums) < gg_stress_unscaled(&done->sums)) {
    *done = other;
    return show_last(l, call, done);
  }
  memcpy(l->positions, spare, bytes);
  return call->status;
}

/* Runs the iterations from all starts. */
static gpugeo_status majorize_all(laying *l, const gg_stress_held *held, gg_call *call,
                                  gg_layout_done *done) {
  const gg_layout_plan *plan = l->plan;
  const int64_t usual = usual_iterations(plan->graph.vertices, l->pivots.all);
  const int starts = starts_of(l, held);
  double *spare = NULL;
  if (starts > 1) spare = gg_call_allocate(call, plan->graph.vertices * plan->dim, sizeof *spare);
  for (int start = 0; !call->status && start < starts; ++start) {
    gg_call_part part;
    gg_call_part_begin(call, (double)start / starts, 1.0 / starts, &part);
    if (start == 0)
      majorize(l, plan->iterations < 0 ? usual : plan->iterations, &part.call, done);
    else
      try_again(l, start, held, spare, &part.call, done);
    gg_call_part_end(&part);
  }
  gg_free(spare);
  return call->status;
}

/* --- Together --------------------------------------------------------------------------------- */

/* Moves the plan's positions by forces, replaces them if the layout by forces (NULL: none) keeps
   more neighbours, and computes their stress. */
static gpugeo_status settle(laying *l, const double *forces, gg_call *call, gg_layout_done *done) {
  const gg_layout_plan *plan = l->plan;
  const double share = forces ? forces_share / (forces_share + steps_share) : 1;
  gg_layout_setting own = *l->setting;
  gg_call_part part;
  gg_call_part_begin(call, 0, share, &part);
  own.call = &part.call;
  gg_layout_settle(&own, plan, l->graph.length, GG_SETTLING_LONG);
  gg_call_part_end(&part);
  gg_call_part_begin(call, share, 1 - share, &part);
  const gg_compromise with = {&own, plan, &l->graph, &l->pivots, forces};
  if (forces) gg_layout_compromise(&with);
  gg_call_part_end(&part);
  if (call->status) return call->status;
  to_rows(l, plan->positions, plan->dim, l->positions);
  const gg_majorization m = {
      .pivots = &l->pivots, .dim = plan->dim, .positions = l->positions, .threads = plan->threads};
  return gg_majorized_sums(&m, call, &done->sums);
}

/* Does a part of the layout, of which `done` are finished. */
static void begin_part(const laying *l, double done, double share, gg_call_part *part) {
  const double length = l->plan->progress_to - l->plan->progress_from;
  gg_call_part_begin(l->setting->call, l->plan->progress_from + done * length, share * length,
                     part);
}

gpugeo_status gg_layout_by_stress(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                  const double *length, const gg_stress_held *held,
                                  const double *forces, gg_layout_done *done) {
  gg_call *call = setting->call;
  if (call->status || lay_out_on_device(setting, plan, held != NULL, done)) return call->status;
  laying l = {.setting = setting, .plan = plan, .graph = {plan->graph, length}};
  gg_call_part part;
  begin_part(&l, 0, GG_STRESS_PIVOTS_SHARE, &part);
  gg_pivots_make(&l.graph, pivots_of(setting->options, plan->graph.vertices),
                 setting->options->seed, plan->threads, &part.call, &l.pivots);
  gg_call_part_end(&part);
  begin_part(&l, GG_STRESS_PIVOTS_SHARE, GG_STRESS_START_SHARE, &part);
  begin(&l, held, &part.call);
  gg_call_part_end(&part);
  const double last = has_forces(setting->options) ? forces_share + (forces ? steps_share : 0) : 0;
  begin_part(&l, GG_STRESS_PIVOTS_SHARE + GG_STRESS_START_SHARE,
             1 - GG_STRESS_PIVOTS_SHARE - GG_STRESS_START_SHARE - last, &part);
  if (!call->status) majorize_all(&l, held, &part.call, done);
  gg_call_part_end(&part);
  if (!call->status) to_columns(&l);
  begin_part(&l, 1 - last, last, &part);
  if (!call->status && last > 0) settle(&l, forces, &part.call, done);
  gg_call_part_end(&part);
  done->pivots = l.pivots.count;
  done->levels = 1;
  gg_pivots_free(&l.pivots);
  gg_free(l.positions);
  gg_free(l.lower);
  gg_free(l.upper);
  gg_free(l.radius);
  gg_free(l.anchor);
  return call->status;
}

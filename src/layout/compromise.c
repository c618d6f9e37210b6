/*
 * Steps from a layout by forces towards less stress: a share of the moves of an iteration of
 * majorization, averaged over neighbours so that near vertices move alike, and then iterations of
 * forces. A step that loses too many neighbours, or does not lower stress, is undone, and the share
 * halved. So the neighbours that are kept have a bound on any graph, and the stress of the pairs
 * with pivots is at most that of the layout by forces.
 *
 * Cost: up to MOST_STEPS iterations of stress and 10 times as many of forces, and a search for the
 * neighbours of all vertices after each step.
 */
#include "layout/compromise.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "layout/majorization.h"
#include "layout/quality/neighborhood.h"
#include "layout/stress_forces.h"

/* Moves are averaged an even number of times. On trees of bench/graphs.R 4 gave 5 % less stress
   than none, and as much on triangulations; with 16 it was 2 % more than with 4. */
enum { MOST_STEPS = 24, AVERAGES = 4 };

/* The least share of neighbours, in those that forces keep; the least share of an iteration; and
   steps end after one that decreases stress by less than this fraction. */
static const double least_kept = 0.9, least_share = 1.0 / 16, least_decrease = 1e-3;

/* A layout that was fitted to pivots has a lower stress there than on all pairs, on graphs of
   blocks by up to 2 %: it must have less than this part of the stress by forces. */
static const double most_stress = 0.985;

/* How good positions are. */
typedef struct merits {
  double stress, kept;
} merits;

/* The state. Positions are vertices by dim, a vertex's coordinates next to each other, in the unit
   of the pivots' distances. */
typedef struct stepping {
  const gg_compromise *between;
  gg_layout_setting setting; /* with the call of the present step */
  double *best, *tried;
  double *columns; /* of a layout that is measured; means of moves */
} stepping;

/* Returns the number of coordinates. */
static int64_t coordinates(const stepping *s) {
  return s->between->plan->graph.vertices * s->between->plan->dim;
}

/* Returns the majorization from positions. */
static gg_majorization majorization_of(const stepping *s, double *positions) {
  const gg_compromise *b = s->between;
  return (gg_majorization){.graph = b->graph,
                           .pivots = b->pivots,
                           .dim = b->plan->dim,
                           .positions = positions,
                           .iterations = 1,
                           .threads = b->plan->threads};
}

/* Computes the part of the neighbours that positions keep. */
static gpugeo_status count_kept(const stepping *s, const double *positions, double *kept) {
  const gg_layout_plan *plan = s->between->plan;
  const int64_t n = plan->graph.vertices;
  gg_measured measured = {
      .graph = plan->graph, .dim = plan->dim, .threads = plan->threads, .call = s->setting.call};
  gpugeo_layout_quality_result quality = {0};
  gg_layout_to_columns(n, plan->dim, 0, positions, s->columns);
  for (int k = 0; k < plan->dim; ++k)
    measured.at[k] = s->columns + k * n;
  gg_layout_neighborhood(&measured, &quality);
  *kept = quality.neighborhood;
  return s->setting.call->status;
}

/* Measures positions. */
static gpugeo_status measure(const stepping *s, double *positions, merits *of) {
  gg_stress_sums sums = {0};
  const gg_majorization m = majorization_of(s, positions);
  if (gg_majorized_sums(&m, s->setting.call, &sums)) return s->setting.call->status;
  of->stress = gg_stress_of(&sums);
  return count_kept(s, positions, &of->kept);
}

/* The part of the progress before the first step. */
static const double measured_share = 0.1;

/* Copies the layout by forces to the best positions, scaled to the distances in the graph, and
   measures it and the plan's positions. */
static gpugeo_status begin(stepping *s, merits *forces, merits *stress) {
  const gg_compromise *b = s->between;
  const int64_t n = b->plan->graph.vertices;
  gg_call *call = s->setting.call;
  gg_stress_sums sums = {0};
  gg_layout_to_rows(n, b->plan->dim, -b->pivots->exponent, b->plan->positions, s->tried);
  gg_layout_to_rows(n, b->plan->dim, 0, b->forces, s->best);
  const gg_majorization m = majorization_of(s, s->best);
  if (gg_majorized_sums(&m, call, &sums)) return call->status;
  const double scale = gg_stress_scale(&sums);
  for (int64_t i = 0; i < coordinates(s); ++i)
    s->best[i] *= scale;
  measure(s, s->tried, stress);
  return measure(s, s->best, forces);
}

/* Moves of vertices, stored as positions are, and their means. */
typedef struct averaging {
  const gg_layout_graph *graph;
  const double *move;
  double *mean;
  int dim;
} averaging;

/* Computes for a range of vertices the mean of their move and of the mean of their neighbours. */
static void average_range(void *job, gg_range range) {
  const averaging *a = job;
  const int64_t *start = a->graph->start;
  for (int64_t v = range.first; v < range.last; ++v)
    for (int k = 0; k < a->dim; ++k) {
      double sum = 0;
      for (int64_t e = start[v]; e < start[v + 1]; ++e)
        sum += a->move[(int64_t)a->graph->neighbor[e] * a->dim + k];
      const double mean = sum / (double)(start[v + 1] - start[v]);
      a->mean[v * a->dim + k] = (a->move[v * a->dim + k] + mean) / 2;
    }
}

/* Averages the moves from the best positions to the tried ones, and does a share of them. */
static gpugeo_status share_moves(stepping *s, double share) {
  const gg_layout_plan *plan = s->between->plan;
  const int64_t count = coordinates(s);
  for (int64_t i = 0; i < count; ++i)
    s->tried[i] -= s->best[i];
  for (int k = 0; k < AVERAGES; ++k) {
    averaging a = {&plan->graph, k % 2 ? s->columns : s->tried, k % 2 ? s->tried : s->columns,
                   plan->dim};
    gg_call_loop(s->setting.call, (gg_loop){.threads = plan->threads,
                                            .count = plan->graph.vertices,
                                            .grain = 256,
                                            .work = average_range,
                                            .job = &a});
  }
  for (int64_t i = 0; i < count; ++i)
    s->tried[i] = s->best[i] + share * s->tried[i];
  return s->setting.call->status;
}

/* Fills the positions to try: a share of an iteration from the best ones, and then forces. */
static gpugeo_status try_step(stepping *s, double share) {
  const gg_compromise *b = s->between;
  const int64_t n = b->plan->graph.vertices;
  gg_call *call = s->setting.call;
  const gg_majorization m = majorization_of(s, s->tried);
  int64_t iterations = 0;
  bool converged = false;
  memcpy(s->tried, s->best, (size_t)coordinates(s) * sizeof *s->tried);
  if (gg_majorize(&m, call, &iterations, &converged) || share_moves(s, share)) return call->status;
  gg_layout_to_columns(n, b->plan->dim, b->pivots->exponent, s->tried, b->plan->positions);
  gg_layout_settle(&s->setting, b->plan, b->graph->length, GG_SETTLING_SHORT);
  gg_layout_to_rows(n, b->plan->dim, -b->pivots->exponent, b->plan->positions, s->tried);
  return call->status;
}

/* Makes the tried positions the best ones. */
static void accept(stepping *s) {
  double *const other = s->best;
  s->best = s->tried;
  s->tried = other;
}

/* Runs the steps from the best positions, whose merits are given, and copies the best ones to the
   plan. */
static gpugeo_status step_down(stepping *s, merits best, double kept) {
  const gg_compromise *b = s->between;
  gg_call *call = b->setting->call;
  double share = 1, decrease = 1;
  for (int step = 0; step < MOST_STEPS && share >= least_share && decrease >= least_decrease;
       ++step) {
    gg_call_part part;
    merits tried = {0};
    const double length = (1 - measured_share) / MOST_STEPS;
    gg_call_part_begin(call, measured_share + step * length, length, &part);
    s->setting.call = &part.call;
    if (!try_step(s, share)) measure(s, s->tried, &tried);
    if (gg_call_part_end(&part)) return call->status;
    if (tried.kept >= kept && tried.stress < best.stress) {
      decrease = 1 - tried.stress / best.stress;
      best = tried;
      accept(s);
    } else {
      share /= 2;
    }
  }
  gg_layout_to_columns(b->plan->graph.vertices, b->plan->dim, b->pivots->exponent, s->best,
                       b->plan->positions);
  return call->status;
}

gpugeo_status gg_layout_compromise(const gg_compromise *between) {
  gg_call *call = between->setting->call;
  if (call->status) return call->status;
  stepping s = {.between = between, .setting = *between->setting};
  merits forces = {0}, stress = {0};
  s.best = gg_call_allocate(call, coordinates(&s), sizeof *s.best);
  s.tried = gg_call_allocate(call, coordinates(&s), sizeof *s.tried);
  s.columns = gg_call_allocate(call, coordinates(&s), sizeof *s.columns);
  gg_call_part part;
  gg_call_part_begin(call, 0, measured_share, &part);
  s.setting.call = &part.call;
  if (!call->status) begin(&s, &forces, &stress);
  gg_call_part_end(&part);
  const double kept = least_kept * forces.kept;
  const double most = (between->pivots->all ? 1 : most_stress) * forces.stress;
  if (!call->status && (stress.kept < kept || stress.stress > most)) step_down(&s, forces, kept);
  gg_free(s.best);
  gg_free(s.tried);
  gg_free(s.columns);
  return call->status;
}

double gg_compromise_bytes(int dim) { return 4.0 * dim * sizeof(double); }

/* Iterations of forces on one graph, by a backend. */
#include "layout/iterations.h"

#include <math.h>

#include "common/context.h"
#include "common/random.h"

/* Returns the repulsion that was asked for, or the faster one for so many vertices. */
static gpugeo_layout_repulsion choose_repulsion(const gg_layout_setting *setting,
                                                int64_t vertices) {
  const gpugeo_layout_repulsion asked = setting->options->repulsion;
  if (asked != GPUGEO_LAYOUT_REPULSION_AUTO) return asked;
  return vertices <= setting->backend->can.exact_repulsion ? GPUGEO_LAYOUT_REPULSION_EXACT
                                                           : GPUGEO_LAYOUT_REPULSION_BARNES_HUT;
}

/* Computes the range of a coordinate: the part of [-side / 2, side / 2] within the bounds, or, if
   there is none, a range of length `side` at the nearer bound. */
static void find_range(double side, double lower, double upper, double *low, double *high) {
  *low = fmax(lower, -side / 2);
  *high = fmin(upper, side / 2);
  if (*low <= *high) return;
  if (lower > side / 2)
    *high = fmin(upper, lower + side);
  else
    *low = fmax(lower, upper - side);
}

void gg_layout_initial_placement(int64_t vertices, int32_t dim, uint64_t seed, double side,
                                 const double *lower, const double *upper, double *positions) {
  for (int64_t c = 0; c < dim; ++c)
    for (int64_t v = 0; v < vertices; ++v) {
      const int64_t at = v + c * vertices;
      double low, high;
      find_range(side, lower ? lower[at] : -INFINITY, upper ? upper[at] : INFINITY, &low, &high);
      const double share = gg_random_unit(seed, (uint64_t)(3 * v + c));
      positions[at] = fmin(low + share * (high - low), high);
    }
}

double gg_layout_work(gpugeo_layout_repulsion repulsion, int64_t vertices) {
  const double of_pair = 1.2, of_vertex = 5000; /* 0.1 ns on one thread, measured on grids */
  const double n = (double)vertices, pairs = of_pair * n * n, tree = of_vertex * n;
  return repulsion == GPUGEO_LAYOUT_REPULSION_EXACT        ? pairs
         : repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT ? tree
                                                           : fmin(pairs, tree);
}

/* Iterations follow each other within the time for which the threads of the pool stay awake, so
   that a thread takes part for an eighth of the work that a thread must have that is to be woken.
 */
static const double awake_threads = 8;

gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done) {
  gg_call *call = setting->call;
  if (call->status) return call->status;
  plan->repulsion = choose_repulsion(setting, plan->graph.vertices);
  plan->threads =
      gg_threads_for(setting->options->run.threads,
                     awake_threads * gg_layout_work(plan->repulsion, plan->graph.vertices));
  plan->cooling = plan->iterations > 0 ? plan->iterations : 1;
  *done = (gg_layout_done){.repulsion = plan->repulsion, .levels = 1};
  GG_TRY(call, setting->backend->layout(plan, &done->outcome, call));
  done->temperature =
      plan->start_temp * (1 - (double)done->outcome.iterations / (double)plan->cooling);
  return call->status;
}

double gg_layout_force_scale(const gg_layout_graph *graph, const float *mass,
                             const double *positions, int32_t dim) {
  double total = 0, own = 0, cubes = 0;
  const int64_t n = graph->vertices;
  for (int64_t v = 0; v < n; ++v) {
    const double m = mass ? (double)mass[v] : 1;
    total += m;
    own += m * m;
    for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
      double square = 0;
      for (int k = 0; k < dim; ++k) {
        const double by = positions[v + k * n] - positions[graph->neighbor[at] + k * n];
        square += by * by;
      }
      cubes += (graph->weight ? (double)graph->weight[at] : 1) * square * sqrt(square);
    }
  }
  const double scale = cbrt((total * total - own) / cubes);
  return scale > 0 && isfinite(scale) ? scale : 1;
}

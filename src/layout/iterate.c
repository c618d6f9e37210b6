/* Iterations on one graph: the backend's part of a layout. */
#include <math.h>

#include "common/context.h"
#include "layout/parts.h"

static gpugeo_layout_repulsion choose(const gg_layout_setting *setting, int64_t vertices) {
  const gpugeo_layout_repulsion asked = setting->options->repulsion;
  return asked == GPUGEO_LAYOUT_REPULSION_AUTO ? gg_layout_choose(setting->backend, vertices)
                                               : asked;
}

double gg_layout_work(gpugeo_layout_repulsion repulsion, int64_t vertices) {
  const double of_pair = 1.2, of_vertex = 5000; /* as choose.c has it */
  const double n = (double)vertices, pairs = of_pair * n * n, tree = of_vertex * n;
  return repulsion == GPUGEO_LAYOUT_REPULSION_EXACT        ? pairs
         : repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT ? tree
                                                           : fmin(pairs, tree);
}

gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done, gpugeo_error *error) {
  plan->repulsion = choose(setting, plan->graph.vertices);
  plan->threads = gg_threads_for(setting->options->run.threads,
                                 gg_layout_work(plan->repulsion, plan->graph.vertices));
  plan->cooling = plan->iterations > 0 ? plan->iterations : 1;
  *done = (gg_layout_done){.repulsion = plan->repulsion, .levels = 1};
  gpugeo_status status =
      setting->backend->layout(plan, &done->outcome, setting->clock, setting->report, error);
  done->temperature =
      plan->start_temp * (1 - (double)done->outcome.iterations / (double)plan->cooling);
  return status;
}

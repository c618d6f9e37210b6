/* Iterations on one graph: the backend's part of a layout. */
#include "layout_parts.h"

static gpugeo_repulsion choose(const gg_layout_setting *setting, int64_t vertices) {
  const gpugeo_repulsion asked = setting->options->repulsion;
  return asked == GPUGEO_REPULSION_AUTO ? gg_layout_choose(setting->backend->id, vertices) : asked;
}

gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done, gpugeo_error *error) {
  plan->repulsion = choose(setting, plan->graph.vertices);
  plan->cooling = plan->iterations > 0 ? plan->iterations : 1;
  *done = (gg_layout_done){.repulsion = plan->repulsion, .levels = 1};
  gpugeo_status status =
      setting->backend->layout(plan, &done->outcome, setting->clock, setting->report, error);
  done->temperature =
      plan->start_temp * (1 - (double)done->outcome.iterations / (double)plan->cooling);
  return status;
}

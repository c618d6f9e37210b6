/* What the algorithms share while they work: the hooks, the rows kept, and the sums looked for. */
#include "dgp/cpu/work.h"

bool gg_cpu_dgp_stop(gg_cpu_dgp_work *work, double done) {
  return gg_clock_poll(work->clock, work->before + work->share * done);
}

void gg_cpu_dgp_keep(gg_cpu_dgp_work *work, int window, gpugeo_uint128 row) {
  const gg_dgp_window *w = &work->plan->windows[window];
  if (gg_atomic_load(&work->kept[window]) >= w->capacity) return;
  const int64_t at = gg_atomic_add(&work->kept[window], 1);
  if (at < w->capacity) w->rows[at] = row;
}

void gg_cpu_dgp_hull(const gg_dgp_plan *plan, int64_t *low, int64_t *high) {
  *low = INT64_MAX;
  *high = INT64_MIN;
  for (int w = 0; w < plan->window_count; ++w) {
    const gg_dgp_window *window = &plan->windows[w];
    if (window->low > window->high) continue;
    if (window->low < *low) *low = window->low;
    if (window->high > *high) *high = window->high;
  }
}

/* Repulsion between all pairs of vertices. */
#include "layout.h"

static void repel(const gg_cpu_layout_state *state, int64_t i, float *force) {
  const int dim = state->dim;
  const int32_t *fine = state->fine;
  const float *mass = state->plan->mass;
  double sum[GG_LAYOUT_DIMS] = {0, 0, 0};
  for (int64_t j = 0; j < state->n; ++j) {
    double d[GG_LAYOUT_DIMS], square = GG_LAYOUT_SOFT;
    for (int c = 0; c < dim; ++c) {
      d[c] = (double)(fine[i * dim + c] - fine[j * dim + c]) / GG_LAYOUT_FINE;
      square = fma(d[c], d[c], square);
    }
    const double factor = (mass ? (double)mass[j] : 1) / square;
    for (int c = 0; c < dim; ++c)
      sum[c] = fma(factor, d[c], sum[c]);
  }
  for (int c = 0; c < dim; ++c)
    force[c] = (float)sum[c];
}

void gg_cpu_layout_exact(gg_cpu_layout_state *state) {
#pragma omp parallel for schedule(dynamic, 32) num_threads(state->threads)
  for (int64_t i = 0; i < state->n; ++i)
    if (!gg_cpu_layout_stop(state, (double)i / (double)state->n))
      repel(state, i, state->repulsion + i * state->dim);
}

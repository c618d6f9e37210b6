/* Coarser graphs for layouts: pairs of vertices become one. */
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "layout/parts.h"

/* Numbers the pairs by their first vertices. Returns how many there are. A step takes less than
   1 ns, so one thread does it. */
static int64_t number_pairs(const int32_t *partner, int64_t n, int32_t *parent) {
  int64_t count = 0;
  for (int64_t v = 0; v < n; ++v)
    if (partner[v] < 0 || partner[v] > v) parent[v] = (int32_t)count++;
  for (int64_t v = 0; v < n; ++v)
    if (partner[v] >= 0 && partner[v] < v) parent[v] = parent[partner[v]];
  return count;
}

static gpugeo_status add_masses(const int32_t *partner, const float *fine, int64_t n, int64_t count,
                                gg_layout_coarse *coarse, gpugeo_error *error) {
  coarse->mass = gg_allocate(count, sizeof *coarse->mass);
  if (!coarse->mass) return gg_fail_memory(error, count * (int64_t)sizeof *coarse->mass);
  for (int64_t v = 0; v < n; ++v) {
    const int64_t other = partner[v];
    if (other >= 0 && other < v) continue;
    float mass = fine ? fine[v] : 1;
    if (other >= 0) mass += fine ? fine[other] : 1;
    coarse->mass[coarse->parent[v]] = mass;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                int32_t threads, gg_layout_coarse *coarse, gpugeo_error *error) {
  const int64_t n = fine->vertices;
  *coarse = (gg_layout_coarse){.parent = gg_allocate(n, sizeof *coarse->parent)};
  int32_t *partner = gg_allocate(n, sizeof *partner);
  gpugeo_status status = GPUGEO_OK;
  if (!coarse->parent || !partner) status = gg_fail_memory(error, 8 * n);
  threads = gg_layout_threads(threads, n + fine->start[n]);
  if (!status) status = gg_layout_match(fine, fine_mass, threads, partner, error);
  const int64_t count = status ? 0 : number_pairs(partner, n, coarse->parent);
  if (!status) status = add_masses(partner, fine_mass, n, count, coarse, error);
  if (!status)
    status = gg_layout_merge(fine, partner, threads, coarse->parent, count, &coarse->graph, error);
  free(partner);
  return status;
}

void gg_layout_coarse_free(gg_layout_coarse *coarse) {
  gg_layout_graph_free(&coarse->graph);
  free(coarse->mass);
  free(coarse->parent);
  *coarse = (gg_layout_coarse){0};
}

/*
 * Distances in graphs on CUDA: searches from up to 64 sources at a time, each followed by the copy
 * of its distances.
 *
 * Limit: the link, for graphs of short paths. Device memory: 8 bytes for a vertex and a source of a
 * search, 40 for a vertex, and 8 for an edge, 24 with lengths.
 */
#include <algorithm>

#include "cuda/common/fetch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/team.cuh"
#include "cuda/layout/paths.cuh"

namespace gpugeo {
namespace {

/* Returns how many sources a search may have: as many as device memory allows, 1 to 64. */
int64_t sources_of(const gg_paths_plan &plan) {
  const gg_path_graph &graph = plan.graph;
  const int64_t n = graph.csr.vertices, size = (int64_t)sizeof(double);
  const int64_t entry_bytes = (int64_t)sizeof(int32_t) + (graph.length ? size : 0);
  const int64_t taken = n * (path_search::vertex_bytes() + (int64_t)sizeof(int64_t)) +
                        graph.csr.start[n] * entry_bytes;
  return std::clamp<int64_t>((memory_budget(plan.work_bytes) - taken) / (n * size), 1,
                             smaller(plan.count, GG_PATHS_SOURCES));
}

} // namespace

gpugeo_status graph_distances(const gg_paths_plan &plan, call &call) {
  const int64_t n = plan.graph.csr.vertices, size = (int64_t)sizeof(double);
  if (n == 0 || plan.count == 0) return GPUGEO_OK;
  device_resources &resources = resources_for(plan.device);
  const int64_t most = sources_of(plan);
  const path_graph graph(plan.graph);
  path_search search(graph.view(), resources);
  device_memory values;
  values.allocate(n * most * size);
  pieces pieces(resources.compute[0], call.clock);
  const finish_streams finish(resources); /* last, so that it is destroyed first */
  for (int64_t first = 0; first < plan.count; first += most) {
    const int64_t count = smaller(most, plan.count - first);
    const double fraction = (double)first / (double)plan.count;
    search.run(plan.sources + first, path_distances<double>{values.as<double>(), count, (int)count},
               pieces, fraction);
    fetch_columns(resources, values.as(),
                  {plan.distances + first, count * size, n, plan.count * size}, plan.threads,
                  call.clock, fraction);
  }
  call.report->device_seconds += pieces.seconds();
  return GPUGEO_OK;
}

} // namespace gpugeo

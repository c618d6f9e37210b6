/* The CUDA backend's table, the entry of its shared object, and the gate between the C core and
   C++, through which no exception passes. */
#include <optional>

#include "backends/cuda.h"
#include "backends/cuda_library.h"
#include "cluster/dbscan.h"
#include "cluster/hclust.h"
#include "cluster/mst.h"
#include "cluster/silhouette_sums.h"
#include "cuda/common/device.cuh"
#include "cuda/common/team.cuh"
#include "cuda/core.h"
#include "cuda/layout/layout.cuh"
#include "dgp/plan.h"
#include "distance/dist_device.h"
#include "distance/kendall.h"
#include "distance/knn.h"
#include "distance/point_facts.h"
#include "distance/rank.h"
#include "distance/whitening.h"
#include "layout/paths.h"
#include "layout/raster_plan.h"
#include "layout/stress_plan.h"
#include "ordination/mantel.h"
#include "ordination/mds_solve.h"
#include "ordination/pcoa_solve.h"
#include "ordination/permuted_sums.h"
#include "points/closest_plan.h"
#include "points/collide_plan.h"
#include "sequences/dna_plan.h"
#include "trees/nj_plan.h"

namespace gpugeo {
namespace {

/* Returns the number of workers of a plan that has one, else 1. */
template <class Plan> auto workers_of(const Plan &plan, int) -> decltype(plan.workers) {
  return plan.workers;
}
template <class Plan> int32_t workers_of(const Plan &, long) { return 1; }

/* Returns the devices of a plan, which can be those of a plan or of pairs that it refers to. */
template <class Plan> plan_devices devices_of(const Plan &plan) {
  return {plan.device, workers_of(plan, 0), plan.threads};
}
plan_devices devices_of(const gg_knn_plan &plan) { return devices_of(plan.dist); }
plan_devices devices_of(const gg_radius_plan &plan) { return devices_of(plan.dist); }
plan_devices devices_of(const gg_pairs &pairs) { return {pairs.dist.device, 1, pairs.threads}; }
plan_devices devices_of(const gg_dbscan_plan &plan) { return devices_of(*plan.pairs); }
plan_devices devices_of(const gg_reach_plan &plan) { return devices_of(*plan.pairs); }

/* Runs work(call), which returns a status, with exclusive use of the devices, and reports its
   exceptions. A device that is used alone is current meanwhile. */
template <class Work>
gpugeo_status enter(const plan_devices &devices, gg_clock *clock, gpugeo_report *report,
                    gpugeo_error *error, Work work) {
  try {
    turn mine(clock);
    std::optional<device_guard> guard;
    if (devices.device != GPUGEO_DEVICE_ALL) guard.emplace(devices.device);
    call entered(devices, clock, report, error);
    return work(entered);
  } catch (...) {
    return report_failure(error);
  }
}

/* The functions of the list, each behind the gate. */
#define GATE(name, parameters, ...)                                                                \
  gpugeo_status run_##name parameters {                                                            \
    return GG_TRY(call, enter(devices_of(*plan), call->clock, call->report, call->error,           \
                              [&](class call &entered) { return name(__VA_ARGS__, entered); }));   \
  }
#define GATE_PLAN(name, plan_type) GATE(name, (GG_PLAN_PARAMETERS(plan_type)), *plan)
#define GATE_RESULT(name, plan_type, result_type)                                                  \
  GATE(name, (GG_RESULT_PARAMETERS(plan_type, result_type)), *plan, result)
GG_BACKEND_FUNCTIONS(GATE_PLAN, GATE_RESULT)
GG_DEVICE_FUNCTIONS(GATE_PLAN, GATE_RESULT)

/* Frees points that were kept on a device. */
void run_free_points(gg_brought_points *points) { free_points(*points); }

/* Frees distances on a device. */
void run_dist_device_free(gpugeo_dist_device *distances) { dist_device_free(*distances); }

/* Reads the distances between points, given by their numbers, from a device. */
gpugeo_status run_dist_device_read(const gpugeo_dist_device *from, const gg_point_lists *lists,
                                   double *out, gpugeo_error *error) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run); /* no hooks */
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_report unread;
  return enter(devices_of(*from), &clock, &unread, error, [&](call &entered) {
    dist_device_read(*from, *lists, out, entered.workers());
    return GPUGEO_OK;
  });
}

/* Reads a range of columns of condensed distances from a device. */
gpugeo_status run_dist_device_columns(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                      double *out, gg_call *call) {
  gpugeo_report unread;
  return GG_TRY(
      call, enter(devices_of(*from), call->clock, &unread, call->error, [&](class call &entered) {
        dist_device_columns(*from, first, last, out, entered.workers());
        return GPUGEO_OK;
      }));
}

} // namespace

} // namespace gpugeo

namespace {

/* Returns the table of the backend. */
constexpr gg_backend make_table() {
  gg_backend table = {};
  table.id = GPUGEO_BACKEND_CUDA;
  table.name = "cuda";
  table.title = "CUDA";
#define SET_ALGORITHMS(name, cuda, title) table.can.algorithms[GG_FAMILY_##name] = cuda;
#define SET_CAPABILITY(member, value)     table.can.member = value;
  GG_FAMILY_LIST(SET_ALGORITHMS)
  GG_CUDA_CAPABILITIES(SET_CAPABILITY)
  table.available = gpugeo::available;
  table.device_count = gpugeo::device_count;
  table.device_default = gpugeo::device_default;
  table.workers = gpugeo::workers;
  table.device_get = gpugeo::device_get;
  table.release = gpugeo::release;
  table.table_bytes = gpugeo::table_bytes;
  table.dist_device_free = gpugeo::run_dist_device_free;
  table.dist_device_read = gpugeo::run_dist_device_read;
  table.dist_device_columns = gpugeo::run_dist_device_columns;
  table.free_points = gpugeo::run_free_points;
#define SET_PLAN(name, plan_type)                table.name = gpugeo::run_##name;
#define SET_RESULT(name, plan_type, result_type) table.name = gpugeo::run_##name;
  GG_BACKEND_FUNCTIONS(SET_PLAN, SET_RESULT)
  GG_DEVICE_FUNCTIONS(SET_PLAN, SET_RESULT)
  return table;
}

const gg_backend table = make_table();

/* Computes the forces of a layout, for tests. */
gpugeo_status compute_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                    gpugeo_error *error) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run); /* no hooks */
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_report unread;
  return gpugeo::enter(gpugeo::devices_of(*plan), &clock, &unread, error, [&](gpugeo::call &) {
    gpugeo::layout_forces(*plan, *forces, &clock);
    return GPUGEO_OK;
  });
}

const gg_cuda_library library = {&table, compute_layout_forces, gpugeo::leave_core};

} // namespace

/* --- The symbols of the shared object --------------------------------------------------------- */

extern "C" {

extern GPUGEO_EXPORT const gg_cuda_about gpugeo_cuda_about;
const gg_cuda_about gpugeo_cuda_about = GG_CUDA_ABOUT;

GPUGEO_EXPORT const gg_cuda_library *gpugeo_cuda_backend(int32_t abi, const gg_core *core) {
  return abi == GG_CUDA_ABI && gpugeo::use_core(core) ? &library : nullptr;
}
}

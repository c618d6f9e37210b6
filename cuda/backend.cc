/* The CUDA backend's table, the entry of its shared object, and the gate between the C core and
   C++, through which no exception passes. */
#include "backends/cuda.h"
#include "backends/cuda_library.h"
#include "cluster/dbscan.h"
#include "cluster/hclust.h"
#include "cluster/mst.h"
#include "cluster/silhouette.h"
#include "cuda/common/device.cuh"
#include "cuda/common/team.cuh"
#include "cuda/core.h"
#include "cuda/layout/forces.cuh"
#include "dgp/dgp.h"
#include "dist/dist_device.h"
#include "dist/kendall.h"
#include "dist/knn.h"
#include "dist/point_facts.h"
#include "dist/rank.h"
#include "dist/whitening.h"
#include "ordination/mantel.h"
#include "ordination/mds.h"
#include "ordination/pcoa.h"
#include "ordination/permuted_sums.h"
#include "points/closest.h"
#include "points/collide.h"

namespace gpugeo {
namespace {

/* Runs work() with exclusive use of the devices, and reports its exceptions. */
template <class Work>
gpugeo_status enter(int device, gg_clock *clock, gpugeo_error *error, Work work) {
  try {
    turn mine(clock);
    device_guard guard(device);
    work();
    return GPUGEO_OK;
  } catch (...) {
    return report_failure(error);
  }
}

/* Does the same for work(team), spread over the plan's devices. */
template <class Plan, class Work>
gpugeo_status enter_team(const Plan &plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error, Work work) {
  try {
    turn mine(clock);
    team all(plan.device, plan.workers, plan.threads, clock, report);
    work(all);
    return GPUGEO_OK;
  } catch (...) {
    return report_failure(error);
  }
}

/* Computes a distance matrix on the devices of the plan. */
gpugeo_status run_dist(const gg_dist_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error) {
  return enter_team(*plan, clock, report, error, [&](team &all) { dist(*plan, all); });
}

/* Does the same on one device, where a release cannot come between. */
template <class Work>
gpugeo_status enter_one(int32_t device, int32_t threads, gg_clock *clock, gpugeo_report *report,
                        gpugeo_error *error, Work work) {
  try {
    turn mine(clock);
    team one(device, 1, threads, clock, report);
    return work(one);
  } catch (...) {
    return report_failure(error);
  }
}

/* Finds out what distances depend on. */
gpugeo_status run_inspect_points(const gg_inspect_plan *plan, gg_point_facts *facts,
                                 gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error, [&](team &one) {
    inspect_points(*plan, *facts, one);
    return GPUGEO_OK;
  });
}

/* Frees points that were kept on a device. */
void run_free_points(gg_brought_points *points) { free_points(*points); }

/* Computes the covariance of points and its factor. */
gpugeo_status run_whitening(const gg_whitening_plan *plan, gg_whitening_result *result,
                            gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error, [&](team &one) {
    whitening(*plan, result, one);
    return GPUGEO_OK;
  });
}

/* Computes distances that stay on a device, or on several. */
gpugeo_status run_dist_device_make(const gg_dist_plan *plan, gpugeo_dist_device *made,
                                   gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status made_status = GPUGEO_OK;
  const gpugeo_status status = enter_team(*plan, clock, report, error, [&](team &all) {
    made_status = dist_device_make(*plan, *made, all, error);
  });
  return status ? status : made_status;
}

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
  return enter_one(from->device, from->threads, &clock, &unread, error, [&](team &one) {
    dist_device_read(*from, *lists, out, one);
    return GPUGEO_OK;
  });
}

/* Reads a range of columns of condensed distances from a device. */
gpugeo_status run_dist_device_columns(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                      double *out, gg_clock *clock, gpugeo_error *error) {
  gpugeo_report unread;
  return enter_one(from->device, from->threads, clock, &unread, error, [&](team &one) {
    dist_device_columns(*from, first, last, out, one);
    return GPUGEO_OK;
  });
}

/* Computes Spearman's correlations of pairwise complete observations. */
gpugeo_status run_rank_pairs(const gg_rank_plan *plan, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error) {
  return enter_team(*plan, clock, report, error, [&](team &all) { rank_pairs(*plan, all); });
}

/* Computes Kendall's correlations. */
gpugeo_status run_kendall(const gg_kendall_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error) {
  return enter_team(*plan, clock, report, error, [&](team &all) { kendall(*plan, all); });
}

/* Finds the closest pairs. */
gpugeo_status run_closest(const gg_closest_plan *plan, gg_closest_result *result, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status checked = GPUGEO_OK;
  const gpugeo_status status = enter(
      plan->device, clock, error, [&] { checked = closest(*plan, result, clock, report, error); });
  return status ? status : checked;
}

/* Finds the collisions. */
gpugeo_status run_collide(const gg_collide_plan *plan, gg_collide_result *result, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status checked = GPUGEO_OK;
  const gpugeo_status status = enter(
      plan->device, clock, error, [&] { checked = collide(*plan, result, clock, report, error); });
  return status ? status : checked;
}

/* Counts and lists the choices of signs whose sums are in the windows of the plan. */
gpugeo_status run_dgp(const gg_dgp_plan *plan, gg_clock *clock, gpugeo_report *report,
                      gpugeo_error *error) {
  return enter(plan->device, clock, error, [&] { dgp(*plan, clock, report); });
}

/* Computes the sums of all choices of signs. */
gpugeo_status run_dgp_sums(const gg_dgp_sums_plan *plan, gg_clock *clock, gpugeo_report *report,
                           gpugeo_error *error) {
  return enter(plan->device, clock, error, [&] { dgp_sums(*plan, clock, report); });
}

/* Finds the nearest neighbours. */
gpugeo_status run_knn(const gg_knn_plan *plan, gg_clock *clock, gpugeo_report *report,
                      gpugeo_error *error) {
  return enter_team(plan->dist, clock, report, error, [&](team &all) { knn(*plan, all); });
}

/* Finds the neighbours within a radius. */
gpugeo_status run_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_clock *clock,
                         gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status checked = GPUGEO_OK;
  const gpugeo_status status = enter_team(plan->dist, clock, report, error, [&](team &all) {
    checked = radius(*plan, found, all, error);
  });
  return status ? status : checked;
}

/* Computes the merges of a hierarchical clustering. */
gpugeo_status run_hclust(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                         gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status computed = GPUGEO_OK;
  const auto merge_divided = [&](team &all) {
    computed = hclust_divided(*plan, merges, all, clock, report, error);
  };
  const auto merge = [&] { computed = hclust(*plan, merges, clock, report, error); };
  const gpugeo_status status = plan->workers > 1
                                   ? enter_team(*plan, clock, report, error, merge_divided)
                                   : enter(plan->device, clock, error, merge);
  return status ? status : computed;
}

/* Computes the minimum spanning tree of mutual reachability. */
gpugeo_status run_hdbscan(const gg_reach_plan *plan, gg_mst_result *result, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status computed = GPUGEO_OK;
  const gpugeo_status status = enter(plan->pairs->dist.device, clock, error,
                                     [&] { computed = mst(*plan, result, clock, report, error); });
  return status ? status : computed;
}

/* Finds the clusters of DBSCAN. */
gpugeo_status run_dbscan(const gg_dbscan_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error) {
  return enter_one(plan->pairs->dist.device, plan->pairs->threads, clock, report, error,
                   [&](team &one) {
                     dbscan(*plan, one);
                     return GPUGEO_OK;
                   });
}

/* Computes the minimum spanning tree of distances. */
gpugeo_status run_mst(const gg_pairs *plan, gg_mst_result *result, gg_clock *clock,
                      gpugeo_report *report, gpugeo_error *error) {
  const gg_reach_plan distances = {plan, 0, nullptr};
  return run_hdbscan(&distances, result, clock, report, error);
}

/* Computes the sums of permutation tests. */
gpugeo_status run_permuted_sums(const gg_permuted_sums_plan *plan, gg_clock *clock,
                                gpugeo_report *report, gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error,
                   [&](team &one) { return permuted_sums(*plan, one, error); });
}

/* Computes the sums of products of Mantel tests. */
gpugeo_status run_mantel(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error,
                   [&](team &one) { return mantel(*plan, one, error); });
}

/* Computes principal coordinates. */
gpugeo_status run_pcoa(const gg_pcoa_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error,
                   [&](team &one) { return pcoa(*plan, one, error); });
}

/* Computes a configuration by stress majorization. */
gpugeo_status run_mds(const gg_mds_plan *plan, gg_clock *clock, gpugeo_report *report,
                      gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error,
                   [&](team &one) { return mds(*plan, one, error); });
}

/* Computes the sums of distances of silhouettes. */
gpugeo_status run_silhouette(const gg_silhouette_plan *plan, gg_silhouette_outcome *outcome,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  return enter_one(plan->device, plan->threads, clock, report, error, [&](team &one) {
    silhouette(*plan, *outcome, one);
    return GPUGEO_OK;
  });
}

/* Computes a layout. */
gpugeo_status run_layout(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_clock *clock,
                         gpugeo_report *report, gpugeo_error *error) {
  return enter(plan->device, clock, error, [&] { layout(*plan, outcome, clock, report); });
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
  table.can = GG_CUDA_CAPABILITIES;
  table.available = gpugeo::available;
  table.device_count = gpugeo::device_count;
  table.device_default = gpugeo::device_default;
  table.workers = gpugeo::workers;
  table.device_get = gpugeo::device_get;
  table.release = gpugeo::release;
  table.table_bytes = gpugeo::table_bytes;
  table.dist = gpugeo::run_dist;
  table.dist_device_make = gpugeo::run_dist_device_make;
  table.dist_device_free = gpugeo::run_dist_device_free;
  table.dist_device_read = gpugeo::run_dist_device_read;
  table.dist_device_columns = gpugeo::run_dist_device_columns;
  table.inspect_points = gpugeo::run_inspect_points;
  table.free_points = gpugeo::run_free_points;
  table.whitening = gpugeo::run_whitening;
  table.rank_pairs = gpugeo::run_rank_pairs;
  table.kendall = gpugeo::run_kendall;
  table.knn = gpugeo::run_knn;
  table.radius = gpugeo::run_radius;
  table.mst = gpugeo::run_mst;
  table.dbscan = gpugeo::run_dbscan;
  table.hdbscan = gpugeo::run_hdbscan;
  table.closest = gpugeo::run_closest;
  table.collide = gpugeo::run_collide;
  table.dgp = gpugeo::run_dgp;
  table.dgp_sums = gpugeo::run_dgp_sums;
  table.layout = gpugeo::run_layout;
  table.hclust = gpugeo::run_hclust;
  table.permuted_sums = gpugeo::run_permuted_sums;
  table.mantel = gpugeo::run_mantel;
  table.pcoa = gpugeo::run_pcoa;
  table.mds = gpugeo::run_mds;
  table.silhouette = gpugeo::run_silhouette;
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
  return gpugeo::enter(plan->device, &clock, error,
                       [&] { gpugeo::layout_forces(*plan, *forces, &clock); });
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

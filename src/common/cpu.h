/* The CPU backend's functions, gathered in src/backends/cpu.c. */
#ifndef GG_CPU_H
#define GG_CPU_H

#include "common/backend.h"

gpugeo_status gg_cpu_dist(const gg_dist_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error);
gpugeo_status gg_cpu_knn(const gg_knn_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error);
gpugeo_status gg_cpu_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_clock *clock,
                            gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_mst(const gg_pairs *plan, gg_mst_result *result, gg_clock *clock,
                         gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_dbscan(const gg_dbscan_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error);
gpugeo_status gg_cpu_reach(const gg_reach_plan *plan, gg_mst_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_permuted_sums(const gg_permuted_sums_plan *plan, gg_clock *clock,
                                   gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_mantel(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error);
gpugeo_status gg_cpu_pcoa(const gg_pcoa_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error);
gpugeo_status gg_cpu_mds(const gg_mds_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error);
gpugeo_status gg_cpu_closest(const gg_closest_plan *plan, gg_closest_result *result,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_rank_pairs(const gg_rank_plan *plan, gg_clock *clock, gpugeo_report *report,
                                gpugeo_error *error);
gpugeo_status gg_cpu_kendall(const gg_kendall_plan *plan, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error);
gpugeo_status gg_cpu_dgp(const gg_dgp_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error);
gpugeo_status gg_cpu_dgp_sums(const gg_dgp_sums_plan *plan, gg_clock *clock, gpugeo_report *report,
                              gpugeo_error *error);
gpugeo_status gg_cpu_collide(const gg_collide_plan *plan, gg_collide_result *result,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_layout(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_clock *clock,
                            gpugeo_report *report, gpugeo_error *error);
gpugeo_status gg_cpu_hclust(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                            gpugeo_report *report, gpugeo_error *error);

#endif

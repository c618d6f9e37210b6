/*
 * Hierarchical clustering on the CPU: chooses the algorithm, and has the one of reducible linkages.
 *
 * It merges all pairs of clusters that are nearest to each other at the same time (Sumengen et al.
 * 2021, Scaling hierarchical agglomerative clustering to billion-sized datasets, arXiv 2105.11653).
 * A round of many pairs rewrites the whole matrix, one of few pairs their rows and columns; then
 * only rows are searched whose nearest cluster was merged.
 *
 * Pairs of clusters are in a total order, by distance, then by their lowest members, so rounds
 * give the tree of always merging the first pair.
 */
#include "cluster/hclust.h"

#include "cluster/cpu/working.h"
#include "common/cpu.h"

/* Part of the call's time that the distances take, for progress. */
static const double share_of_distances = 1.0 / 3;

/* Merges the pairs and rewrites the matrix without merged clusters. */
static gpugeo_status rewrite_matrix(gg_working *w) {
  gg_clusters *all = &w->clusters;
  const double done = gg_clusters_fraction(all, gg_clusters_alive(all));
  gg_clusters_begin_rewrite(all);
  const double next = gg_clusters_fraction(all, all->columns);
  return gg_working_rewrite(w, done, next - done);
}

/* Merges the pairs of a round without moving rows. */
static gpugeo_status merge_in_place(gg_working *w) {
  gg_clusters_begin_round(&w->clusters);
  return gg_working_merge(w);
}

/* Merges until one cluster is left: rounds of pairs that are nearest to each other. */
static gpugeo_status merge_reducible(gg_working *w) {
  gg_clusters *all = &w->clusters;
  while (!w->call->status && gg_clusters_alive(all) > 1)
    if (gg_clusters_list_pairs(all))
      rewrite_matrix(w);
    else
      merge_in_place(w);
  return w->call->status;
}

gpugeo_status gg_cpu_hclust(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call) {
  if (call->status) return call->status;
  if (plan->linkage == GPUGEO_LINKAGE_SINGLE) return gg_merge_single(plan, merges, call);
  if (plan->centroids) return gg_merge_centroids(plan, merges, call);
  gg_working w;
  gg_working_make(plan, merges, &w, call);
  gg_working_fill(&w, share_of_distances);
  if (gg_linkage_is_reducible(plan->linkage))
    merge_reducible(&w);
  else
    gg_merge_generic(&w);
  gg_working_free(&w);
  return call->status;
}

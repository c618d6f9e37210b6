/*
 * Clustering by reducible linkages. All pairs of clusters that are nearest to each other are merged
 * at the same time (Sumengen et al. 2021, Scaling hierarchical agglomerative clustering to
 * billion-sized datasets, arXiv 2105.11653). A round of many pairs rewrites the whole matrix, one
 * of few pairs their rows and columns; then only rows are searched whose nearest cluster was
 * merged.
 *
 * Pairs of clusters are in a total order, by distance, then by their lowest members, so rounds
 * give the tree of always merging the first pair.
 */
#include "cluster/cpu/working.h"

/* Merges the pairs and rewrites the matrix without merged clusters. */
static gpugeo_status rewrite(gg_working *w) {
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

gpugeo_status gg_merge_reducible(gg_working *w) {
  gg_clusters *all = &w->clusters;
  while (!w->call->status && gg_clusters_alive(all) > 1)
    if (gg_clusters_list_pairs(all))
      rewrite(w);
    else
      merge_in_place(w);
  return w->call->status;
}

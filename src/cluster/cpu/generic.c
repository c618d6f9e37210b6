/*
 * Clustering by centroid and median linkage, whose heights may decrease: always the nearest pair is
 * merged (Müllner 2011, Modern hierarchical, agglomerative clustering algorithms, arXiv 1109.2378).
 * A cluster whose nearest neighbour was merged keeps its distance as a lower bound, and searches
 * again only when it is the smallest.
 */
#include <math.h>

#include "cluster/cpu/working.h"

/* Finds the nearest pair, the first of several: no neighbour of its first cluster comes before it,
   as that one would have the same distance. */
static void nearest_pair(gg_working *w, int64_t *low, int64_t *high) {
  const gg_clusters *all = &w->clusters;
  for (;;) {
    gg_least(w, all->distance, all->dead, all->active, low);
    if (all->nearest[*low] != GG_UNKNOWN) break;
    gg_working_search(w, *low);
  }
  *high = all->nearest[*low];
}

/* Notes what the distances from a merged cluster, which was clusters low and high, change. */
static void update_nearest(gg_working *w, int64_t low, int64_t high) {
  gg_clusters *all = &w->clusters;
  const double *row = gg_working_row(w, low);
  for (int64_t c = 0; c < all->active; ++c) {
    if (all->size[c] == 0 || c == low) continue;
    const bool lost = all->nearest[c] == low || all->nearest[c] == high;
    const bool known = !lost && all->nearest[c] != GG_UNKNOWN;
    if (row[c] < all->distance[c] ||
        (row[c] == all->distance[c] && known && low < all->nearest[c])) {
      all->distance[c] = row[c];
      all->nearest[c] = (int32_t)low;
    } else if (lost) {
      all->nearest[c] = GG_UNKNOWN;
    }
  }
}

/* Removes the columns of clusters that were merged. */
static gpugeo_status compact(gg_working *w, double done) {
  gg_clusters_next_removal(&w->clusters);
  return gg_working_rewrite(w, done, 0);
}

gpugeo_status gg_merge_generic(gg_working *w) {
  const gg_clusters *all = &w->clusters;
  for (int64_t alive = all->active; !w->call->status && alive > 1; --alive) {
    const double done = gg_clusters_fraction(all, alive);
    int64_t low, high;
    if (2 * alive < all->active) compact(w, done);
    if (gg_call_poll(w->call, done)) break;
    nearest_pair(w, &low, &high);
    gg_working_merge_one(w, low, high);
    update_nearest(w, low, high);
    gg_working_search(w, low);
  }
  return w->call->status;
}

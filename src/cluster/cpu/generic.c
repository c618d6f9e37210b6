/*
 * Clustering by centroid and median linkage, whose heights may decrease: always the nearest pair is
 * merged (Müllner 2011, Modern hierarchical, agglomerative clustering algorithms, arXiv 1109.2378).
 * A cluster whose nearest neighbour was merged keeps its distance as a lower bound, and searches
 * again only when it is the smallest.
 */
#include <math.h>

#include "cluster/cpu/working.h"
#include "common/error.h"
#include "common/memory.h"

enum { UNKNOWN = -1 /* nearest neighbour: the distance is a lower bound */ };

static void search(gg_working *w, const double *dead, int64_t cluster) {
  gg_clusters *all = &w->clusters;
  int64_t nearest;
  all->distance[cluster] = gg_least(w, gg_working_row(w, cluster), dead, all->active, &nearest);
  all->nearest[cluster] = (int32_t)nearest;
}

/* Finds the nearest pair, the first of several: no neighbour of its first cluster comes before it,
   as that one would have the same distance. */
static void nearest_pair(gg_working *w, const double *dead, int64_t *low, int64_t *high) {
  const gg_clusters *all = &w->clusters;
  for (;;) {
    gg_least(w, all->distance, dead, all->active, low);
    if (all->nearest[*low] != UNKNOWN) break;
    search(w, dead, *low);
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
    const bool known = !lost && all->nearest[c] != UNKNOWN;
    if (row[c] < all->distance[c] ||
        (row[c] == all->distance[c] && known && low < all->nearest[c])) {
      all->distance[c] = row[c];
      all->nearest[c] = (int32_t)low;
    } else if (lost) {
      all->nearest[c] = UNKNOWN;
    }
  }
}

/* Removes the columns of clusters that were merged. */
static bool compact(gg_working *w, double *dead, double done) {
  gg_clusters_next_removal(&w->clusters);
  if (!gg_working_merge(w, done, 0)) return false;
  for (int64_t c = 0; c < w->clusters.active; ++c)
    dead[c] = -INFINITY;
  return true;
}

static bool merge_pairs(gg_working *w, double *dead) {
  const int64_t n = w->plan->n;
  for (int64_t alive = n; alive > 1; --alive) {
    const double done = gg_clusters_fraction(&w->clusters, alive);
    int64_t low, high;
    if (2 * alive < w->clusters.active && !compact(w, dead, done)) return false;
    if (gg_clock_poll(w->clock, done)) return false;
    nearest_pair(w, dead, &low, &high);
    gg_clusters_record(&w->clusters, low, high, w->clusters.distance[low]);
    gg_working_merge_one(w, low, high);
    dead[high] = INFINITY;
    update_nearest(w, low, high);
    search(w, dead, low);
  }
  return true;
}

gpugeo_status gg_merge_generic(gg_working *w, gpugeo_error *error) {
  const int64_t n = w->clusters.active;
  double *dead = gg_allocate(n, sizeof *dead);
  if (!dead) return gg_fail_memory(error, n * (int64_t)sizeof *dead);
  for (int64_t c = 0; c < n; ++c)
    dead[c] = -INFINITY;
  const bool finished = merge_pairs(w, dead);
  gg_free(dead);
  return finished ? GPUGEO_OK : gg_fail_interrupt(error);
}

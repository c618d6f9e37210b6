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
  int64_t nearest;
  w->distance[cluster] = gg_least(w, gg_working_row(w, cluster), dead, w->active, &nearest);
  w->nearest[cluster] = (int32_t)nearest;
}

/* Finds the nearest pair, the first of several: no neighbour of its first cluster comes before it,
   as that one would have the same distance. */
static void nearest_pair(gg_working *w, const double *dead, int64_t *low, int64_t *high) {
  for (;;) {
    gg_least(w, w->distance, dead, w->active, low);
    if (w->nearest[*low] != UNKNOWN) break;
    search(w, dead, *low);
  }
  *high = w->nearest[*low];
}

/* Notes what the distances from a merged cluster, which was clusters low and high, change. */
static void update_nearest(gg_working *w, int64_t low, int64_t high) {
  const double *row = gg_working_row(w, low);
  for (int64_t c = 0; c < w->active; ++c) {
    if (w->size[c] == 0 || c == low) continue;
    const bool lost = w->nearest[c] == low || w->nearest[c] == high;
    const bool known = !lost && w->nearest[c] != UNKNOWN;
    if (row[c] < w->distance[c] || (row[c] == w->distance[c] && known && low < w->nearest[c])) {
      w->distance[c] = row[c];
      w->nearest[c] = (int32_t)low;
    } else if (lost) {
      w->nearest[c] = UNKNOWN;
    }
  }
}

/* Removes the columns of clusters that were merged. */
static bool compact(gg_working *w, double *dead, double done) {
  if (!gg_working_merge(w, 0, done, 0)) return false;
  for (int64_t c = 0; c < w->active; ++c)
    dead[c] = -INFINITY;
  return true;
}

static bool merge_pairs(gg_working *w, double *dead) {
  const int64_t n = w->plan->n;
  for (int64_t alive = n; alive > 1; --alive) {
    const double left = (double)alive / (double)n, done = 1.0 / 3 + 2.0 / 3 * (1 - left * left);
    int64_t low, high;
    if (2 * alive < w->active && !compact(w, dead, done)) return false;
    if (gg_clock_poll(w->clock, done)) return false;
    nearest_pair(w, dead, &low, &high);
    gg_working_record(w, low, high, w->distance[low]);
    gg_working_merge_one(w, low, high);
    dead[high] = INFINITY;
    update_nearest(w, low, high);
    search(w, dead, low);
  }
  return true;
}

gpugeo_status gg_merge_generic(gg_working *w, gpugeo_error *error) {
  const int64_t n = w->active;
  double *dead = gg_allocate(n, sizeof *dead);
  if (!dead) return gg_fail_memory(error, n * (int64_t)sizeof *dead);
  for (int64_t c = 0; c < n; ++c)
    dead[c] = -INFINITY;
  const bool finished = merge_pairs(w, dead);
  gg_free(dead);
  return finished ? GPUGEO_OK : gg_fail_interrupt(error);
}

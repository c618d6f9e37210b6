/*
 * Clustering by reducible linkages. All pairs of clusters that are nearest to each other are merged
 * at the same time (Sumengen et al. 2021, Scaling hierarchical agglomerative clustering to
 * billion-sized datasets, arXiv 2105.11653). A round reads and writes the whole matrix once. When a
 * round has so few pairs that this takes longer, a chain of nearest neighbours (Murtagh 1983)
 * merges the rest, pair by pair.
 *
 * Pairs of clusters are in a total order, by distance, then by their lowest members, so that both
 * give the tree of always merging the first pair.
 */
#include <math.h>

#include "cluster/chain_step.h"
#include "cluster/cpu/working.h"
#include "common/error.h"
#include "common/memory.h"

/* The chain, and what says which clusters are left out of a search. */
typedef struct job {
  gg_working *w;
  gg_chain chain;
  double *dead;   /* of each cluster: infinity once it is merged into another, else its negative */
  int32_t *moved; /* the offsets while columns are removed */
} job;

static void merge_pair(job *j, int64_t low, int64_t high, double distance) {
  gg_clusters_record(&j->w->clusters, low, high, distance);
  gg_working_merge_one(j->w, low, high);
  j->dead[high] = INFINITY;
}

/* Goes on to the nearest neighbour of the last cluster, or merges the two. */
static void extend(job *j) {
  const int32_t last = gg_chain_last(&j->chain);
  int64_t nearest;
  int32_t low, high;
  const double distance =
      gg_least(j->w, gg_working_row(j->w, last), j->dead, j->w->clusters.active, &nearest);
  if (gg_chain_extend(&j->chain, (int32_t)nearest, &low, &high)) merge_pair(j, low, high, distance);
}

/* Removes the columns of clusters that were merged. */
static bool compact(job *j) {
  gg_clusters *all = &j->w->clusters;
  gg_chain *chain = &j->chain;
  const int64_t before = all->active;
  gg_clusters_next_removal(all);
  if (!gg_working_merge(j->w, gg_clusters_fraction(all, chain->alive), 0)) return false;
  for (int64_t k = 0; k < before; ++k) {
    j->dead[k] = -INFINITY;
    j->moved[k] = chain->offset[k];
    chain->offset[k] = 0;
  }
  for (int64_t k = 0; k < all->active; ++k) {
    const int32_t offset = j->moved[all->from[k]];
    chain->offset[k] = offset;
    if (offset > 0) chain->clusters[offset - 1] = (int32_t)k;
  }
  chain->first = 0;
  return true;
}

static bool merge_by_chain(job *j) {
  gg_clusters *all = &j->w->clusters;
  while (j->chain.alive > 1) {
    if (2 * j->chain.alive < all->active && !compact(j)) return false;
    gg_chain_begin(&j->chain, all->size);
    extend(j);
    if (gg_clock_poll(j->w->clock, gg_clusters_fraction(all, j->chain.alive))) return false;
  }
  return true;
}

static gpugeo_status finish_by_chain(gg_working *w, gpugeo_error *error) {
  const int64_t n = w->clusters.active;
  job j = {.w = w,
           .chain = {.clusters = gg_allocate(n, sizeof *j.chain.clusters),
                     .offset = gg_allocate_zeros(n, sizeof *j.chain.offset),
                     .alive = n},
           .dead = gg_allocate(n, sizeof *j.dead),
           .moved = gg_allocate(n, sizeof *j.moved)};
  gpugeo_status status = GPUGEO_OK;
  if (j.chain.clusters && j.chain.offset && j.dead && j.moved) {
    for (int64_t k = 0; k < n; ++k)
      j.dead[k] = -INFINITY;
    if (!merge_by_chain(&j)) status = gg_fail_interrupt(error);
  } else {
    status = gg_fail_memory(error, n * (int64_t)(3 * sizeof *j.moved + sizeof *j.dead));
  }
  gg_free(j.chain.clusters);
  gg_free(j.chain.offset);
  gg_free(j.dead);
  gg_free(j.moved);
  return status;
}

gpugeo_status gg_merge_reducible(gg_working *w, gpugeo_error *error) {
  gg_clusters *all = &w->clusters;
  while (all->active > 1) {
    if (!gg_clusters_next_round(all)) return finish_by_chain(w, error);
    const double done = gg_clusters_fraction(all, all->active);
    const double next = gg_clusters_fraction(all, all->columns);
    if (!gg_working_merge(w, done, next - done)) return gg_fail_interrupt(error);
  }
  return GPUGEO_OK;
}

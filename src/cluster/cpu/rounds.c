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

#include "cluster/cpu/working.h"
#include "common/error.h"
#include "common/memory.h"

/* Returns the fraction of the work that is done: what is left grows with the square of the number
   of clusters. Filling the matrix was the first third. */
static double fraction_done(const gg_working *w) {
  const double left = (double)w->active / (double)w->plan->n;
  return 1.0 / 3 + 2.0 / 3 * (1 - left * left);
}

/* Lists the pairs of clusters that are nearest to each other. */
static int64_t list_pairs(gg_working *w) {
  int64_t pairs = 0;
  for (int32_t c = 0; c < w->active; ++c) {
    const int32_t other = w->nearest[c];
    if (other <= c || w->nearest[other] != c) continue;
    w->low[pairs] = c;
    w->high[pairs++] = other;
  }
  return pairs;
}

/* A chain of clusters, each the nearest neighbour of the one before. */
typedef struct chain {
  gg_working *w;
  int32_t *clusters; /* of the chain */
  int64_t length;
  double *dead;    /* of each cluster: infinity once it is merged into another, else its negative */
  int64_t *offset; /* from 1: in the chain; 0: not there */
  int64_t *moved;  /* the offsets while columns are removed */
  int64_t alive, first; /* clusters, and the first of them that may be alive */
} chain;

static void put_at_end(chain *c, int64_t cluster) {
  c->clusters[c->length++] = (int32_t)cluster;
  c->offset[cluster] = c->length;
}

static void cut(chain *c, int64_t length) {
  while (c->length > length)
    c->offset[c->clusters[--c->length]] = 0;
}

static void begin_chain(chain *c) {
  while (c->w->size[c->first] == 0)
    ++c->first;
  put_at_end(c, c->first);
}

static void merge_pair(chain *c, int64_t a, int64_t b, double distance) {
  const int64_t low = a < b ? a : b, high = a < b ? b : a;
  cut(c, c->length - 2);
  gg_working_record(c->w, low, high, distance);
  gg_working_merge_one(c->w, low, high);
  c->dead[high] = INFINITY;
  --c->alive;
}

/* Goes on to the nearest neighbour of the last cluster, or merges the two. If rounding has made
   a cycle of equal distances, the chain goes on where the cycle begins. */
static void extend(chain *c) {
  const int64_t last = c->clusters[c->length - 1];
  int64_t nearest;
  const double distance =
      gg_least(c->w, gg_working_row(c->w, last), c->dead, c->w->active, &nearest);
  const int64_t there = c->offset[nearest];
  if (there == 0)
    put_at_end(c, nearest);
  else if (there == c->length - 1)
    merge_pair(c, last, nearest, distance);
  else
    cut(c, there);
}

/* Removes the columns of clusters that were merged. */
static bool compact(chain *c) {
  gg_working *w = c->w;
  const double done = fraction_done(w);
  const int64_t before = w->active;
  if (!gg_working_merge(w, 0, done, 0)) return false;
  for (int64_t k = 0; k < before; ++k) {
    c->dead[k] = -INFINITY;
    c->moved[k] = c->offset[k];
    c->offset[k] = 0;
  }
  for (int64_t k = 0; k < w->active; ++k) {
    const int64_t offset = c->moved[w->from[k]];
    c->offset[k] = offset;
    if (offset > 0) c->clusters[offset - 1] = (int32_t)k;
  }
  c->first = 0;
  return true;
}

static bool merge_by_chain(chain *c) {
  gg_working *w = c->w;
  while (c->alive > 1) {
    if (2 * c->alive < w->active && !compact(c)) return false;
    if (c->length == 0) begin_chain(c);
    extend(c);
    if (gg_clock_poll(w->clock, fraction_done(w))) return false;
  }
  return true;
}

static gpugeo_status finish_by_chain(gg_working *w, gpugeo_error *error) {
  const int64_t n = w->active;
  chain c = {.w = w,
             .clusters = gg_allocate(n, sizeof *c.clusters),
             .dead = gg_allocate(n, sizeof *c.dead),
             .offset = gg_allocate_zeros(n, sizeof *c.offset),
             .moved = gg_allocate(n, sizeof *c.moved),
             .alive = n};
  gpugeo_status status = GPUGEO_OK;
  if (c.clusters && c.dead && c.offset && c.moved) {
    for (int64_t k = 0; k < n; ++k)
      c.dead[k] = -INFINITY;
    if (!merge_by_chain(&c)) status = gg_fail_interrupt(error);
  } else {
    status = gg_fail_memory(error, n * (int64_t)(2 * sizeof *c.offset + sizeof *c.dead));
  }
  gg_free(c.clusters);
  gg_free(c.dead);
  gg_free(c.offset);
  gg_free(c.moved);
  return status;
}

gpugeo_status gg_merge_reducible(gg_working *w, gpugeo_error *error) {
  enum { FEW = 16 /* of so many clusters one pair: then a round takes as long as the chain */ };
  while (w->active > 1) {
    const int64_t pairs = list_pairs(w);
    if (pairs * FEW < w->active) return finish_by_chain(w, error);
    for (int64_t k = 0; k < pairs; ++k)
      gg_working_record(w, w->low[k], w->high[k], w->distance[w->low[k]]);
    const double done = fraction_done(w), left = (double)(w->active - pairs) / (double)w->plan->n;
    const double next = 1.0 / 3 + 2.0 / 3 * (1 - left * left);
    if (!gg_working_merge(w, pairs, done, next - done)) return gg_fail_interrupt(error);
  }
  return GPUGEO_OK;
}

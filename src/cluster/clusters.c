#include "cluster/clusters.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

enum { NO_PAIR = -1, REMOVED = -2 /* in pair_of */ };

/* --- Memory ----------------------------------------------------------------------------------- */

enum { WHOLE = 9, REAL = 7 /* lists of whole numbers and of doubles */ };

double gg_clusters_bytes(int64_t n) {
  return (double)n * (WHOLE * sizeof(int32_t) + REAL * sizeof(double));
}

/* Sets the lists to their parts of the memory. Those of pairs have n elements, too. */
static void divide_memory(gg_clusters *c) {
  double **const real[REAL] = {&c->size,    &c->dead,    &c->distance, &c->pair_size,
                               &c->pair.ni, &c->pair.nj, &c->pair.dij};
  int32_t **const whole[WHOLE] = {&c->label, &c->row,     &c->nearest, &c->pair.low, &c->pair.high,
                                  &c->at,    &c->pair_of, &c->from,    &c->search};
  double *reals = c->memory;
  int32_t *wholes = (int32_t *)(reals + REAL * c->n);
  for (int k = 0; k < REAL; ++k)
    *real[k] = reals + k * c->n;
  for (int k = 0; k < WHOLE; ++k)
    *whole[k] = wholes + k * c->n;
}

gpugeo_status gg_clusters_make(const gg_hclust_plan *plan, gg_merge *merges, gg_clusters *clusters,
                               gpugeo_error *error) {
  const int64_t n = plan->n;
  *clusters = (gg_clusters){
      .n = n, .active = n, .credit = n, .scale = 1, .squared = plan->squared, .merges = merges};
  clusters->memory = gg_allocate((int64_t)gg_clusters_bytes(n), 1);
  if (!clusters->memory) return gg_fail_memory(error, (int64_t)gg_clusters_bytes(n));
  divide_memory(clusters);
  for (int64_t i = 0; i < n; ++i) {
    clusters->label[i] = clusters->row[i] = (int32_t)i;
    clusters->pair_of[i] = NO_PAIR;
    clusters->dead[i] = -INFINITY;
    clusters->size[i] = plan->members ? plan->members[i] : 1;
  }
  return GPUGEO_OK;
}

void gg_clusters_free(gg_clusters *clusters) { gg_free(clusters->memory); }

/* --- Distances as they are in the matrix ------------------------------------------------------ */

void gg_clusters_set_scale(gg_clusters *clusters, gpugeo_linkage linkage, double most) {
  int exponent = 0;
  const bool adds = linkage != GPUGEO_LINKAGE_COMPLETE;
  clusters->scale = 1;
  if (!adds || !(most > 0) || (most < 0x1p400 && most > 0x1p-400)) return;
  frexp(most, &exponent);
  clusters->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* Writes the merge of two clusters, at a distance in the scaled units. */
static void record_merge(gg_clusters *clusters, int64_t low, int64_t high, double distance) {
  const double height = clusters->squared ? sqrt(gg_greater(distance, 0)) : distance;
  clusters->merges[clusters->merged++] =
      (gg_merge){clusters->label[low], clusters->label[high], height / clusters->scale};
}

void gg_clusters_merge(gg_clusters *clusters, int64_t low, int64_t high, double distance) {
  record_merge(clusters, low, high, distance);
  clusters->size[low] += clusters->size[high];
  clusters->size[high] = 0;
  clusters->dead[high] = INFINITY;
  clusters->nearest[low] = clusters->nearest[high] = GG_UNKNOWN;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

bool gg_clusters_list_pairs(gg_clusters *clusters) {
  gg_clusters *c = clusters;
  double least = INFINITY;
  c->pairs = 0;
  c->wanted = GG_UNKNOWN;
  for (int32_t k = 0; k < c->active; ++k) {
    const int32_t other = c->nearest[k];
    if (other == GG_UNKNOWN) continue;
    const int32_t back = c->nearest[other];
    if (back == GG_UNKNOWN && c->distance[k] < least) {
      least = c->distance[k];
      c->wanted = other;
    }
    if (back != k || other < k) continue;
    c->pair.low[c->pairs] = k;
    c->pair.high[c->pairs++] = other;
  }
  return gg_round_rewrites(c->active, gg_clusters_alive(c), c->pairs);
}

/* Lists what is needed of the pairs. */
static void describe_pairs(gg_clusters *c) {
  for (int64_t k = 0; k < c->pairs; ++k) {
    const int32_t i = c->pair.low[k], j = c->pair.high[k];
    c->pair_of[i] = (int32_t)k;
    c->pair_of[j] = REMOVED;
    c->pair.ni[k] = c->size[i];
    c->pair.nj[k] = c->size[j];
    c->pair.dij[k] = c->distance[i];
    c->pair_size[k] = c->size[i] + c->size[j];
  }
}

/* Lists the columns of the next matrix, and where those of the pairs are. */
static void list_columns(gg_clusters *c) {
  c->columns = 0;
  for (int64_t k = 0; k < c->active; ++k) {
    if (c->pair_of[k] == REMOVED || c->size[k] == 0) continue;
    if (c->pair_of[k] >= 0) c->at[c->pair_of[k]] = (int32_t)c->columns;
    c->from[c->columns++] = (int32_t)k;
  }
}

void gg_clusters_begin_rewrite(gg_clusters *clusters) {
  for (int64_t k = 0; k < clusters->pairs; ++k) {
    const int32_t low = clusters->pair.low[k];
    record_merge(clusters, low, clusters->pair.high[k], clusters->distance[low]);
  }
  describe_pairs(clusters);
  list_columns(clusters);
}

void gg_clusters_next_removal(gg_clusters *clusters) {
  clusters->pairs = 0;
  list_columns(clusters);
}

void gg_clusters_begin_round(gg_clusters *clusters) { describe_pairs(clusters); }

/* Adds the rows of merged clusters and, if `all`, those of all others whose nearest cluster is not
   known. */
static void list_searches(gg_clusters *c, bool all) {
  c->searches = 0;
  if (!all && c->wanted != GG_UNKNOWN) c->search[c->searches++] = c->wanted;
  for (int64_t k = 0; !all && k < c->pairs; ++k)
    c->search[c->searches++] = c->pair.low[k];
  for (int32_t k = 0; all && k < c->active; ++k)
    if (c->nearest[k] == GG_UNKNOWN && c->size[k] > 0) c->search[c->searches++] = k;
}

void gg_clusters_end_round(gg_clusters *clusters) {
  gg_clusters *c = clusters;
  int64_t unknown = 0;
  for (int64_t k = 0; k < c->pairs; ++k) {
    const int32_t low = c->pair.low[k], high = c->pair.high[k];
    gg_clusters_merge(c, low, high, c->pair.dij[k]);
    c->pair_of[low] = c->pair_of[high] = NO_PAIR;
  }
  for (int64_t k = 0; k < c->active; ++k)
    unknown += c->nearest[k] == GG_UNKNOWN && c->size[k] > 0;
  list_searches(c, gg_round_searches_all(c->pairs, unknown - c->pairs, &c->credit));
}

void gg_clusters_take_columns(gg_clusters *clusters) {
  gg_clusters *c = clusters;
  for (int64_t k = 0; k < c->columns; ++k) { /* from[k] >= k */
    const int32_t old = c->from[k], pair = c->pair_of[old];
    c->label[k] = c->label[old];
    c->row[k] = c->row[old];
    c->size[k] = pair < 0 ? c->size[old] : c->pair_size[pair];
    c->dead[k] = -INFINITY;
  }
  for (int64_t k = 0; k < c->active; ++k)
    c->pair_of[k] = NO_PAIR;
  c->active = c->columns;
}

/* --- Without a matrix ------------------------------------------------------------------------- */

void gg_clusters_search_all(gg_clusters *clusters) {
  clusters->searches = clusters->active;
  for (int32_t k = 0; k < clusters->active; ++k)
    clusters->search[k] = k;
}

void gg_clusters_lose_merged(gg_clusters *clusters) {
  for (int64_t k = 0; k < clusters->active; ++k) {
    const int32_t nearest = clusters->nearest[k];
    if (nearest != GG_UNKNOWN && clusters->pair_of[nearest] != NO_PAIR)
      clusters->nearest[k] = GG_UNKNOWN;
  }
}

bool gg_clusters_removes(const gg_clusters *clusters) {
  return 3 * (clusters->active - gg_clusters_alive(clusters)) >= clusters->active;
}

void gg_clusters_remove(gg_clusters *clusters) {
  gg_clusters *c = clusters;
  int32_t *to = c->search; /* where each cluster goes */
  for (int64_t k = 0; k < c->columns; ++k)
    to[c->from[k]] = (int32_t)k;
  for (int64_t k = 0; k < c->columns; ++k) {
    const int32_t nearest = c->nearest[c->from[k]];
    c->nearest[k] = nearest == GG_UNKNOWN ? GG_UNKNOWN : to[nearest];
    c->distance[k] = c->distance[c->from[k]];
  }
  gg_clusters_take_columns(c);
}

void gg_clusters_scale_squares(gg_clusters *clusters) {
  for (int64_t k = 0; !clusters->squared && k < clusters->merged; ++k)
    clusters->merges[k].height /= clusters->scale;
}

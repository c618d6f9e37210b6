#include "cluster/clusters.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

enum {
  FEW = 16,    /* of so many clusters one pair: then a round takes as long as the chain */
  REMOVED = -2 /* in pair_of */
};

/* --- Memory ------------------------------------------------------------------------------------
 */

enum { WHOLE = 8, REAL = 6 /* lists of whole numbers and of doubles */ };

double gg_clusters_bytes(int64_t n) {
  return (double)n * (WHOLE * sizeof(int32_t) + REAL * sizeof(double));
}

/* Points the lists to their parts of the memory. Those of pairs have n elements, too. */
static void divide(gg_clusters *c) {
  double **const real[REAL] = {&c->size,    &c->distance, &c->pair_size,
                               &c->pair.ni, &c->pair.nj,  &c->pair.dij};
  int32_t **const whole[WHOLE] = {&c->label,     &c->row, &c->nearest, &c->pair.low,
                                  &c->pair.high, &c->at,  &c->pair_of, &c->from};
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
  *clusters =
      (gg_clusters){.n = n, .active = n, .scale = 1, .squared = plan->squared, .merges = merges};
  clusters->memory = gg_allocate((int64_t)gg_clusters_bytes(n), 1);
  if (!clusters->memory) return gg_fail_memory(error, (int64_t)gg_clusters_bytes(n));
  divide(clusters);
  for (int64_t i = 0; i < n; ++i) {
    clusters->label[i] = clusters->row[i] = (int32_t)i;
    clusters->size[i] = plan->members ? plan->members[i] : 1;
  }
  return GPUGEO_OK;
}

void gg_clusters_free(gg_clusters *clusters) { gg_free(clusters->memory); }

/* --- Distances as they are in the matrix -------------------------------------------------------
 */

void gg_clusters_set_scale(gg_clusters *clusters, gpugeo_linkage linkage, double most) {
  int exponent = 0;
  const bool adds = linkage != GPUGEO_LINKAGE_COMPLETE;
  clusters->scale = 1;
  if (!adds || !(most > 0) || (most < 0x1p400 && most > 0x1p-400)) return;
  frexp(most, &exponent);
  clusters->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

void gg_clusters_record(gg_clusters *clusters, int64_t low, int64_t high, double distance) {
  const double height = clusters->squared ? sqrt(gg_greater(distance, 0)) : distance;
  clusters->merges[clusters->merged++] =
      (gg_merge){clusters->label[low], clusters->label[high], height / clusters->scale};
}

/* --- Rounds ------------------------------------------------------------------------------------
 */

/* Lists the pairs of clusters that are nearest to each other. */
static void list_pairs(gg_clusters *c) {
  c->pairs = 0;
  for (int32_t low = 0; low < c->active; ++low) {
    const int32_t high = c->nearest[low];
    if (high <= low || c->nearest[high] != low) continue;
    c->pair.low[c->pairs] = low;
    c->pair.high[c->pairs++] = high;
  }
}

/* Lists the columns of the next matrix, and where those of the pairs are. */
static void list_columns(gg_clusters *c) {
  for (int64_t k = 0; k < c->active; ++k)
    c->pair_of[k] = -1;
  for (int64_t k = 0; k < c->pairs; ++k) {
    const int32_t i = c->pair.low[k], j = c->pair.high[k];
    c->pair_of[i] = (int32_t)k;
    c->pair_of[j] = REMOVED;
    c->pair.ni[k] = c->size[i];
    c->pair.nj[k] = c->size[j];
    c->pair.dij[k] = c->distance[i];
    c->pair_size[k] = c->size[i] + c->size[j];
  }
  c->columns = 0;
  for (int64_t k = 0; k < c->active; ++k) {
    if (c->pair_of[k] == REMOVED || c->size[k] == 0) continue;
    if (c->pair_of[k] >= 0) c->at[c->pair_of[k]] = (int32_t)c->columns;
    c->from[c->columns++] = (int32_t)k;
  }
}

bool gg_clusters_next_round(gg_clusters *clusters) {
  list_pairs(clusters);
  if (clusters->pairs * FEW < clusters->active) return false;
  for (int64_t k = 0; k < clusters->pairs; ++k) {
    const int32_t low = clusters->pair.low[k];
    gg_clusters_record(clusters, low, clusters->pair.high[k], clusters->distance[low]);
  }
  list_columns(clusters);
  return true;
}

void gg_clusters_next_removal(gg_clusters *clusters) {
  clusters->pairs = 0;
  list_columns(clusters);
}

void gg_clusters_take_columns(gg_clusters *clusters) {
  gg_clusters *c = clusters;
  for (int64_t k = 0; k < c->columns; ++k) { /* from[k] >= k */
    const int32_t old = c->from[k], pair = c->pair_of[old];
    c->label[k] = c->label[old];
    c->row[k] = c->row[old];
    c->size[k] = pair < 0 ? c->size[old] : c->pair_size[pair];
  }
  c->active = c->columns;
}

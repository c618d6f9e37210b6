/*
 * A chain of clusters, each the nearest neighbour of the one before, until two are nearest to each
 * other and are merged (Murtagh 1983): its steps, for all backends.
 */
#ifndef GG_CHAIN_STEP_H
#define GG_CHAIN_STEP_H

#include <stdint.h>

#include "cluster/linkage_step.h"

typedef struct gg_chain {
  int32_t *clusters;    /* of the chain, with room for all */
  int32_t *offset;      /* of each cluster: from 1 its offset in the chain; 0: it is not there */
  int64_t length;       /* of the chain */
  int64_t alive, first; /* clusters that are left, and a number below which there are none */
} gg_chain;

GG_LINKAGE int32_t gg_chain_last(const gg_chain *chain) {
  return chain->clusters[chain->length - 1];
}

GG_LINKAGE void gg_chain_push(gg_chain *chain, int32_t cluster) {
  chain->clusters[chain->length++] = cluster;
  chain->offset[cluster] = (int32_t)chain->length;
}

GG_LINKAGE void gg_chain_cut(gg_chain *chain, int64_t length) {
  while (chain->length > length)
    chain->offset[chain->clusters[--chain->length]] = 0;
}

/* Begins a chain that is empty at the first cluster whose size is not 0. */
GG_LINKAGE void gg_chain_begin(gg_chain *chain, const double *size) {
  if (chain->length > 0) return;
  while (size[chain->first] == 0)
    ++chain->first;
  gg_chain_push(chain, (int32_t)chain->first);
}

/*
 * Adds the cluster that is nearest to the last one to the chain or, if it is the one before,
 * removes both: then they are to be merged, and it returns nonzero and both, low < high. If
 * rounding has made a cycle of equal distances, the chain goes on where the cycle begins.
 */
GG_LINKAGE int gg_chain_extend(gg_chain *chain, int32_t nearest, int32_t *low, int32_t *high) {
  const int32_t last = gg_chain_last(chain), there = chain->offset[nearest];
  if (there == 0) {
    gg_chain_push(chain, nearest);
    return 0;
  }
  if (there < chain->length - 1) {
    gg_chain_cut(chain, there);
    return 0;
  }
  *low = last < nearest ? last : nearest;
  *high = last < nearest ? nearest : last;
  gg_chain_cut(chain, chain->length - 2);
  --chain->alive;
  return 1;
}

#endif

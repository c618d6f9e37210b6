/* Counts of the pairs of a block of sequences, in tiles of pairs, by all threads. */
#ifndef GG_PAIR_COUNTS_H
#define GG_PAIR_COUNTS_H

#include "sequences/common_sites.h"
#include "sequences/count_kernels.h"
#include "sequences/site_planes.h"

/* What becomes of the counts of a pair (i, j), i > j; any thread may call it. */
typedef struct gg_pair_sink {
  void (*take)(void *own, int64_t i, int64_t j, const int64_t *counts);
  void *own;
} gg_pair_sink;

/* What counts pairs of sequences. */
typedef struct gg_pair_counter {
  const gg_site_planes *planes; /* borrowed */
  const gg_count_sites *sites;
  bool by_common; /* they are counted by: */
  gg_common_sites common;
} gg_pair_counter;

/* Chooses how pairs are counted. Free with gg_pair_counter_free(), also after a failure. */
gpugeo_status gg_pair_counter_make(const gg_site_planes *planes, gg_count_kind kind,
                                   gg_pair_counter *counter, gg_call *call);
void gg_pair_counter_free(gg_pair_counter *counter);

/* Returns the block of all pairs of so many sequences. */
static inline gpugeo_tile gg_pair_block_of(int64_t count) {
  return (gpugeo_tile){0, count, 0, count};
}

/* Counts the pairs of a block, i in its rows and j in its columns: all rows come after all columns,
   or both are the same sequences, of which the pairs i > j are counted. The progress of the call
   goes from `begun` to 1. */
gpugeo_status gg_pair_counts(const gg_pair_counter *counter, const gpugeo_tile *block,
                             int32_t threads, const gg_pair_sink *sink, double begun,
                             gg_call *call);

/* Hands on the pairs of such a block with counts of 0. `words` is the work for a pair, in words:
   nanoseconds. */
gpugeo_status gg_pair_visit(const gpugeo_tile *block, double words, int32_t threads,
                            const gg_pair_sink *sink, double begun, gg_call *call);

/* Divides any tile into at most 5 such blocks; those above the diagonal have their rows as columns.
   Returns their number. */
int gg_pair_blocks_of(const gpugeo_tile *tile, gpugeo_tile blocks[5]);

#endif

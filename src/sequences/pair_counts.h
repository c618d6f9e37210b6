/* Counts of all pairs of sequences, in tiles of pairs, by all threads. */
#ifndef GG_PAIR_COUNTS_H
#define GG_PAIR_COUNTS_H

#include "sequences/count_kernels.h"
#include "sequences/site_planes.h"

/* What becomes of the counts of a pair (i, j), i > j; any thread may call it. */
typedef struct gg_pair_sink {
  void (*take)(void *own, int64_t i, int64_t j, const int64_t *counts);
  void *own;
} gg_pair_sink;

/* Counts all pairs. The progress of the call goes from `begun` to 1. */
gpugeo_status gg_pair_counts(const gg_site_planes *planes, gg_count_kind kind, int32_t threads,
                             const gg_pair_sink *sink, double begun, gg_call *call);

/* Hands on all pairs of so many sequences with counts of 0. `words` is the work for a pair, in
   words: nanoseconds. */
gpugeo_status gg_pair_visit(int64_t count, double words, int32_t threads, const gg_pair_sink *sink,
                            double begun, gg_call *call);

#endif

/* Ranks of distances. */
#ifndef GG_RANKS_H
#define GG_RANKS_H

#include "common/call.h"
#include "gpugeo.h"

enum { GG_RANKS_POINTS = 65536 /* the most: twice the ranks of their pairs fit into 32 bits */ };

/* Where ranks are written: one of both, the other is NULL. */
typedef struct gg_ranks {
  double *rank;
  uint32_t *twice; /* twice the ranks, which are whole numbers: half the memory */
} gg_ranks;

/*
 * Writes the ranks from 1 of distances, none of them NaN; equal ones get the mean of theirs. The
 * distances stay. Memory that it takes, next to both: 24 bytes for each distance, but about
 * work_bytes at most (0: GG_WORK_BYTES), which never changes a rank. Fails after an interrupt.
 *
 * done  the call's progress
 */
gpugeo_status gg_rank_distances(const double *distance, int64_t count, gg_ranks to, int32_t threads,
                                int64_t work_bytes, double done, gg_call *call);

#endif

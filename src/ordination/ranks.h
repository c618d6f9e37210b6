/* Ranks of distances. */
#ifndef GG_RANKS_H
#define GG_RANKS_H

#include "gpugeo.h"

enum { GG_RANKS_POINTS = 65536 /* the most: their pairs are numbered by 32 bits */ };

/* Replaces distances, none of them NaN, by their ranks from 1; equal ones get the mean of theirs.
 */
gpugeo_status gg_rank_distances(double *distance, int64_t count, int32_t threads,
                                gpugeo_error *error);

#endif

/* Distances that a family computes for pairs of its own objects, such as sequences, when they are
   asked for: what the family and a source of distances know of them. */
#ifndef GG_DIST_LAZY_H
#define GG_DIST_LAZY_H

#include "common/call.h"
#include "gpugeo.h"

/* The first field of what the family allocates. */
struct gpugeo_dist_lazy {
  int64_t n; /* objects */
  /* Computes the distances between objects [row, row + rows) and [column, column + columns), on
     both sides of the diagonal, with the threads of the call's run; for the calling thread only. A
     missing one is NaN, that of an object to itself 0, and bits do not depend on the tile.
     out: column-major without gaps. done, share: of the call's progress. */
  gpugeo_status (*tile)(const gpugeo_dist_lazy *lazy, const gpugeo_tile *tile, double *out,
                        double done, double share, gg_call *call);
  void (*release)(gpugeo_dist_lazy *lazy); /* frees all of it */
  const char *metric;                      /* that a file of the distances names */
  /* Computes a hash of all that the distances depend on but the metric. */
  uint64_t (*fingerprint)(const gpugeo_dist_lazy *lazy);
  int64_t side; /* columns of a tile that share much work, or 0: any */
};

#endif

/* Pivots of layouts by stress on the device, and the weights of their terms. All launches take a
   stream and return at once. */
#ifndef GG_CUDA_LAYOUT_STRESS_PIVOTS_CUH
#define GG_CUDA_LAYOUT_STRESS_PIVOTS_CUH

#include "cuda/layout/paths.cuh"

namespace gpugeo {

enum {
  STRESS_THREADS = 256, /* of a block */
  STRESS_LANES = 32,    /* of a vertex: a warp */
  STRESS_PARTS = 512    /* of sums over vertices, which the host or one block adds in their order */
};

/* Distances of all vertices from pivots. */
struct stress_pivots {
  int64_t n;
  int32_t count;            /* pivots */
  uint16_t *hops;           /* n by count: the distances of a vertex next to each other */
  uint16_t *nearest;        /* of each vertex: the distance from the nearest pivot, */
  int32_t *region;          /* and its number, the first of several */
  unsigned long long *best; /* GG_PATHS_SOURCES words for draws */
};

/* Writes the vertex that is farthest from the first pivot, the first of several, to best[0], as
   2^32 - 1 minus its number in the lower half. */
void stress_find_farthest(const stress_pivots &pivots, cudaStream_t stream);

/* Lowers the distances from the nearest pivot by those from pivots [first, last). */
void stress_lower_nearest(const stress_pivots &pivots, int32_t first, int32_t last,
                          cudaStream_t stream);

/* Draws a vertex of each of so many parts of all vertices, which are random, too, to the lower
   halves of best; all bits are 1 for a part that has only pivots. A vertex is drawn with a
   probability in proportion to its distance from the nearest pivot. */
void stress_draw(const stress_pivots &pivots, uint64_t round, int32_t parts, cudaStream_t stream);

/* The weights of terms by pivot and distance, count by depth, where depth is the largest distance
   plus 1: s / d^2 as in layout/pivots.c, 0 for distances 0 and 1. */
struct stress_weights {
  int32_t depth;
  int32_t *within; /* count by depth, working memory that is 0 on entry */
  float *weight;
};
void stress_weigh(const stress_pivots &pivots, const stress_weights &weights, cudaStream_t stream);

} // namespace gpugeo

#endif

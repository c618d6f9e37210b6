/* Which way of summing repulsion is faster. */
#include "layout/layout.h"

/*
 * Measured on grids of s by s vertices with AVX-512 on one thread, order 4 and theta 0.8 in the
 * plane, 2 and 0.8 in space: an iteration by a tree takes as long as an exact one with about 1,000
 * vertices in the plane and 2,000 in space, half as long with 4,000 and a third with 8,100.
 */
static const int64_t cpu_exact = 1500;

/* A tree on a device has the launches of its sort and its levels against it: 0.23 ms an iteration
   either way with 20,000 vertices on an H200, 0.25 and 0.86 ms with 40,000. */
static const int64_t cuda_exact = 20000;

gpugeo_repulsion gg_layout_choose(gpugeo_backend backend, int64_t vertices) {
  const int64_t exact = backend == GPUGEO_CUDA ? cuda_exact : cpu_exact;
  return vertices <= exact ? GPUGEO_REPULSION_EXACT : GPUGEO_REPULSION_BARNES_HUT;
}

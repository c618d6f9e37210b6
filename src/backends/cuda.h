/* What the CUDA backend can do, whether it was built or not: name, title and capabilities of its
   table, as one initializer in C and C++. */
#ifndef GG_BACKENDS_CUDA_H
#define GG_BACKENDS_CUDA_H

#include "common/backend.h"

/* Those that rounds of pairs can merge. */
#define GG_CUDA_LINKAGES                                                                           \
  ~(GG_ALGORITHM(GPUGEO_LINKAGE_CENTROID) | GG_ALGORITHM(GPUGEO_LINKAGE_MEDIAN))

/* The only type of scaling whose comparison with the distances is the same in each iteration. */
#define GG_CUDA_SCALINGS GG_ALGORITHM(GPUGEO_MDS_TYPE_RATIO)

/* In the order of gg_family: graphs, the quality of layouts and cophenetic distances are computed
   by the core, on the host. */
#define GG_CUDA_ALGORITHMS                                                                         \
  {                                                                                                \
    GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS,                    \
        ~GG_ALGORITHM(GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER), GG_ALL_ALGORITHMS,                 \
        ~GG_ALGORITHM(GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE), GG_ALL_ALGORITHMS, 0u,               \
        GG_ALL_ALGORITHMS, 0u, GG_CUDA_LINKAGES, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, 0u,         \
        GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS,                \
        GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_ALL_ALGORITHMS, GG_CUDA_SCALINGS,                 \
        GG_ALL_ALGORITHMS                                                                          \
  }

enum {
  /* All but layouts, whose forces are sums of floats in an order of their own. */
  GG_CUDA_SAME_BITS = ((1u << GG_FAMILIES) - 1) & ~(1u << GG_FAMILY_LAYOUT) &
                      ~(1u << GG_FAMILY_DGP_GRAPH) & ~(1u << GG_FAMILY_QUALITY) &
                      ~(1u << GG_FAMILY_COPHENETIC),
  /* A tree on a device has the launches of its sort and its levels against it: 0.23 ms an iteration
     either way with 20,000 vertices on an H200, 0.25 and 0.86 ms with 40,000. */
  GG_CUDA_EXACT_REPULSION = 20000
};

/* call_seconds: some 200 microseconds of launches and waits. The link's rate: of PCIe 5 to pinned
   memory and on to the result. */
#define GG_CUDA_CAPABILITIES                                                                       \
  {                                                                                                \
    GG_CUDA_ALGORITHMS, GG_CUDA_SAME_BITS, true, true, true, false, true, true, 200e-6, 40e9,      \
        2e12, 0.1, GPUGEO_DGP_LOG2_STEPS_MAX_CUDA, GG_CUDA_EXACT_REPULSION                         \
  }

#endif

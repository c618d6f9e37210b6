/* What the CUDA backend can do, whether it was built or not: name, title and capabilities of its
   table, as one initializer in C and C++. */
#ifndef GG_BACKENDS_CUDA_H
#define GG_BACKENDS_CUDA_H

#include "common/backend.h"

/* In the order of gg_family, as both come from the list of families. */
#define GG_CUDA_ALGORITHMS_OF(name, cuda, title) cuda,
#define GG_CUDA_HAS(name, cuda, title)           (uint32_t)((cuda) != GG_NO_ALGORITHMS) << GG_FAMILY_##name |

enum {
  /* All but layouts, whose forces are sums of floats in an order of their own. */
  GG_CUDA_SAME_BITS = (GG_FAMILY_LIST(GG_CUDA_HAS) 0u) & ~(1u << GG_FAMILY_LAYOUT),
  /* A tree on a device has the launches of its sort and its levels against it: 0.23 ms an iteration
     either way with 20,000 vertices on an H200, 0.25 and 0.86 ms with 40,000. */
  GG_CUDA_EXACT_REPULSION = 20000
};

/* call_seconds: some 200 microseconds of launches and waits. The link's rate: of PCIe 5 to pinned
   memory and on to the result. */
#define GG_CUDA_CAPABILITIES                                                                       \
  {                                                                                                \
    {GG_FAMILY_LIST(GG_CUDA_ALGORITHMS_OF)}, GG_CUDA_SAME_BITS, true, true, true, false, true,     \
        true, 200e-6, 40e9, 2e12, 0.1, GPUGEO_DGP_LOG2_STEPS_MAX_CUDA, GG_CUDA_EXACT_REPULSION     \
  }

#endif

/* What the CUDA backend can do, whether it was built or not: the capabilities of its table, which C
   initializes and C++ sets, both by the names of the members. */
#ifndef GG_BACKENDS_CUDA_H
#define GG_BACKENDS_CUDA_H

#include "common/backend.h"

#define GG_CUDA_HAS(name, cuda, title)                                                             \
  ((cuda) != GG_NO_ALGORITHMS ? GG_FAMILY_BIT(GG_FAMILY_##name) : 0) |

/* All but layouts, whose sums have an order of their own. */
#define GG_CUDA_SAME_BITS                                                                          \
  ((GG_FAMILY_LIST(GG_CUDA_HAS) 0) &                                                               \
   ~(GG_FAMILY_BIT(GG_FAMILY_LAYOUT) | GG_FAMILY_BIT(GG_FAMILY_STRESS)))

enum {
  /* A tree on a device has the launches of its sort and its levels against it: 0.23 ms an iteration
     either way with 20,000 vertices on an H200, 0.25 and 0.86 ms with 40,000. */
  GG_CUDA_EXACT_REPULSION = 20000
};

/* SET(member, value) for each capability but the algorithms. call_seconds: some 200 microseconds of
   launches and waits. The link's rate: of PCIe 5 to pinned memory and on to the result. */
#define GG_CUDA_CAPABILITIES(SET)                                                                  \
  SET(same_bits, GG_CUDA_SAME_BITS)                                                                \
  SET(devices, true)                                                                               \
  SET(automatic, true)                                                                             \
  SET(sparse, true)                                                                                \
  SET(sphere, false)                                                                               \
  SET(ranks, true)                                                                                 \
  SET(exclusive, true)                                                                             \
  SET(call_seconds, 200e-6)                                                                        \
  SET(bytes_per_second, 40e9)                                                                      \
  SET(work_per_second, 2e12)                                                                       \
  SET(spread_seconds, 0.1)                                                                         \
  SET(dgp_steps, GPUGEO_DGP_LOG2_STEPS_MAX_CUDA)                                                   \
  SET(exact_repulsion, GG_CUDA_EXACT_REPULSION)

/* The initializer of gg_capabilities in C. */
#define GG_CUDA_ALGORITHMS(name, cuda, title) [GG_FAMILY_##name] = (cuda),
#define GG_CUDA_MEMBER(member, value)         .member = (value),
#define GG_CUDA_INITIALIZER                                                                        \
  { .algorithms = {GG_FAMILY_LIST(GG_CUDA_ALGORITHMS)}, GG_CUDA_CAPABILITIES(GG_CUDA_MEMBER) }

#endif

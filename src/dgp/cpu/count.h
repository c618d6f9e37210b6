/* The exhaustive algorithm's inner loop, for each instruction set. */
#ifndef GG_CPU_DGP_COUNT_H
#define GG_CPU_DGP_COUNT_H

#include <stdint.h>

#include "common/simd.h"

/* Returns how many of the sums lie in [low, low + width]. size is a multiple of 16, sums aligned
   to 64 bytes. */
typedef int64_t gg_cpu_dgp_count(const int64_t *sums, int64_t size, int64_t low, uint64_t width);

gg_cpu_dgp_count GG_SIMD_FORMS(gg_cpu_dgp_count);

#endif

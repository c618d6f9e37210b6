/* What the CPU's attraction and its kernels agree on. */
#ifndef GG_CPU_LAYOUT_PULL_H
#define GG_CPU_LAYOUT_PULL_H

#include <stdint.h>

#include "layout/step.h"

enum { GG_PULL_ENTRIES = 256 }; /* whose pulls are computed together; a multiple of 8 */

/* Entries whose pulls are to be computed: the differences of the places of their ends, which become
   the pulls, and their weights. */
typedef struct gg_pull_block {
  _Alignas(64) double pull[GG_LAYOUT_DIMS][GG_PULL_ENTRIES];
  _Alignas(64) double weight[GG_PULL_ENTRIES];
} gg_pull_block;

/* As gg_layout_pull() does it, for the first `count` entries and what follows them up to a multiple
   of 8. */
typedef void gg_pull(gg_pull_block *block, int64_t count, int dim);

extern gg_pull gg_pull_generic;
#if defined(__x86_64__) && defined(__GNUC__)
extern gg_pull gg_pull_avx2, gg_pull_avx512;
#endif

#endif

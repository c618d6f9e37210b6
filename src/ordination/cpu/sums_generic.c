/* The loop over a tile of pairs in plain C: see sums_kernel.h. */
#define GG_KERNELS gg_sums_kernels_generic
#include "ordination/cpu/sums_kernel.h"

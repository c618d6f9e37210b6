/* The bits of Kendall's correlations in plain C: see pair_bits_kernel.h. */
#define GG_KERNELS gg_bits_kernels_generic
#define GG_TARGET
#include "dist/cpu/pair_bits_kernel.h"

/* Searches in k-d trees in plain C: see kd_kernel.h. */
#define GG_KERNELS gg_kd_kernels_generic
#include "dist/cpu/kd_kernel.h"

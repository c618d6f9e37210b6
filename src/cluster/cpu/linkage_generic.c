/* The loops of clustering in plain C: see linkage_kernel.h. */
#define GG_KERNELS gg_linkage_kernels_generic
#define GG_TARGET
#include "cluster/cpu/linkage_kernel.h"

/* Kernels of repulsion for any machine: see repel_kernel.h. */
#define GG_KERNELS gg_repel_generic
#include "layout/cpu/repel_kernel.h"

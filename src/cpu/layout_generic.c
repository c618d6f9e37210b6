/* Kernels of repulsion for any machine: see layout_kernel.h. */
#define GG_KERNELS gg_repel_generic
#include "layout_kernel.h"

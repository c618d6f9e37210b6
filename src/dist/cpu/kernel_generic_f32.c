/* Kernels in plain C for float: see kernel.h. */
#define GG_SINGLE
#define GG_KERNELS gg_cpu_f32_generic
#include "dist/cpu/kernel.h"

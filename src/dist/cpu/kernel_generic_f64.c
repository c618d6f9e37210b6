/* Kernels in plain C for double: see kernel.h. */
#define GG_KERNELS gg_cpu_generic_f64
#include "dist/cpu/kernel.h"

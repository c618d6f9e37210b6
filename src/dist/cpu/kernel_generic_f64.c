/* Kernels in plain C for double: see kernel.h. */
#define GG_KERNELS gg_cpu_f64_generic
#include "dist/cpu/kernel.h"

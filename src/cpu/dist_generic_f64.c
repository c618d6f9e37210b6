/* Kernels in plain C for double: see dist_kernel.h. */
#define GG_KERNELS gg_cpu_generic_f64
#include "dist_kernel.h"

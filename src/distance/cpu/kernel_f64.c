/* The CPU kernels for double. */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

typedef double real;
#define KERNELS GG_FORM_OF(gg_cpu_f64)
#include "distance/cpu/kernel.h"

#endif

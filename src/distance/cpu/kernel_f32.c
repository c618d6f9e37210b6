/* The CPU kernels for float. */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

typedef float real;
#define GG_SINGLE
#define KERNELS GG_FORM_OF(gg_cpu_f32)
#include "distance/cpu/kernel.h"

#endif

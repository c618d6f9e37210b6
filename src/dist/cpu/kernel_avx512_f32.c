/* Kernels in AVX-512 for float: see kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_SINGLE
#define GG_KERNELS gg_cpu_f32_avx512
#include "dist/cpu/kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

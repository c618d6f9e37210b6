/* Searches in k-d trees in AVX2: see kd_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX2
#define GG_KERNELS gg_kd_kernels_avx2
#include "dist/cpu/kd_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

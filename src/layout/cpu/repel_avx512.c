/* Kernels of repulsion in AVX-512: see repel_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_KERNELS gg_repel_avx512
#include "layout/cpu/repel_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

/* The loop over a tile of pairs in AVX2: see sums_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX2
#define GG_KERNELS gg_sums_kernels_avx2
#include "ordination/cpu/sums_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

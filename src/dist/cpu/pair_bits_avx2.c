/* The bits of Kendall's correlations in AVX2: see pair_bits_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_KERNELS gg_bits_kernels_avx2
#define GG_BYTES   32
#define GG_TARGET  __attribute__((target("avx2")))
#include "dist/cpu/pair_bits_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

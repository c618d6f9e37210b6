/* The bits of Kendall's correlations in AVX-512: see pair_bits_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_KERNELS gg_bits_kernels_avx512
#define GG_BYTES   64
#define GG_TARGET  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#include "dist/cpu/pair_bits_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

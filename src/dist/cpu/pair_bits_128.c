/* The bits of Kendall's correlations in SSE2 or NEON: see pair_bits_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_KERNELS gg_bits_kernels_128
#define GG_BYTES   16
#define GG_TARGET
#include "dist/cpu/pair_bits_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

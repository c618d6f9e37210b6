/* Pulls of edges in AVX-512: see layout/cpu/pull_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_KERNEL gg_pull_avx512
#include "layout/cpu/pull_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

/* The loops of clustering in AVX2: see linkage_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_KERNELS gg_linkage_kernels_avx2
#define GG_TARGET  __attribute__((target("avx2")))
#include "cluster/cpu/linkage_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

/* The loops of clustering in AVX-512: see linkage_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_KERNELS gg_linkage_kernels_avx512
#if defined(__clang__) /* has no prefer-vector-width, and would ignore the whole attribute */
#define GG_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define GG_TARGET                                                                                  \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#endif
#include "cluster/cpu/linkage_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

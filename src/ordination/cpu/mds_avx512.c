/* The sums over a column of pairs in AVX-512: see mds_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_KERNEL gg_mds_add_avx512
#include "ordination/cpu/mds_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

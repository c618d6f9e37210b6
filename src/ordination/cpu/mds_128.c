/* The sums over a column of pairs in SSE2 or NEON: see mds_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_KERNEL gg_mds_add_128
#include "ordination/cpu/mds_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

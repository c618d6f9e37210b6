/* The loops of clustering in SSE2 or NEON: see linkage_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_KERNELS gg_linkage_kernels_128
#define GG_TARGET
#include "cluster/cpu/linkage_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

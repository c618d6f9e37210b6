/* Kernels of repulsion in SSE2 or NEON: see repel_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_KERNELS gg_repel_128
#include "layout/cpu/repel_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

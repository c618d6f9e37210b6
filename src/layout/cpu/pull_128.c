/* Pulls of edges in SSE2 or NEON: see layout/cpu/pull_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_KERNEL gg_pull_128
#include "layout/cpu/pull_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

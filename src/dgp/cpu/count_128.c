/* The exhaustive algorithm's loop in SSE2 or NEON: see count_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_COUNT gg_cpu_dgp_count_128
#include "dgp/cpu/count_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

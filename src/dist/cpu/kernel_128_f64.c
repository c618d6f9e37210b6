/* Kernels in SSE2 or NEON for double: see kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_KERNELS gg_cpu_f64_128
#include "dist/cpu/kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

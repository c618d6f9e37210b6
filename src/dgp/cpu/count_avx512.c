/* The exhaustive algorithm's loop in AVX-512: see count_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_COUNT gg_cpu_dgp_count_avx512
#include "dgp/cpu/count_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

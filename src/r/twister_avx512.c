/* Drawing of permutations in AVX-512: see twister_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_KERNELS gg_r_twister_avx512
#include "twister_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

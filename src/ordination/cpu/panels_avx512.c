/* The product with a panel of vectors in AVX-512: see panels_kernel.h. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_LANES_AVX512
#define GG_KERNEL gg_panel_multiply_avx512
#include "ordination/cpu/panels_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

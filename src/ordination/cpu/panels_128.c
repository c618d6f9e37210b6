/* The product with a panel of vectors in SSE2 or NEON: see panels_kernel.h. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
#define GG_LANES_128
#define GG_KERNEL gg_panel_multiply_128
#include "ordination/cpu/panels_kernel.h"
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

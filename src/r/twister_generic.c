/* Drawing of permutations in plain C: see twister_kernel.h. */
#define GG_KERNELS gg_r_twister_generic
#include "twister_kernel.h"

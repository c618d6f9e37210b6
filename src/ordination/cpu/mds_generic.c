/* The sums over a column of pairs in plain C: see mds_kernel.h. */
#define GG_KERNEL gg_mds_add_generic
#include "ordination/cpu/mds_kernel.h"

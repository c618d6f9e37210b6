/* The product with a panel of vectors in plain C: see panels_kernel.h. */
#define GG_KERNEL gg_panel_multiply_generic
#include "ordination/cpu/panels_kernel.h"

/* Pulls of edges for any machine: see layout_pull_kernel.h. */
#define GG_KERNEL gg_pull_generic
#include "layout_pull_kernel.h"

/* Pulls of edges for any machine: see layout/cpu/pull_kernel.h. */
#define GG_KERNEL gg_pull_generic
#include "layout/cpu/pull_kernel.h"

/* Branch-and-prune on the CPU. */
#ifndef GG_CPU_DGP_TREE_H
#define GG_CPU_DGP_TREE_H

#include "dgp/cpu/work.h"

/* Fills the windows, or stops. */
void gg_cpu_dgp_tree(gg_cpu_dgp_work *work);

#endif

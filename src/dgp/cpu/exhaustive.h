/* All rows on the CPU. */
#ifndef GG_CPU_DGP_EXHAUSTIVE_H
#define GG_CPU_DGP_EXHAUSTIVE_H

#include "dgp/cpu/work.h"

/* Fills the windows, or stops. */
void gg_cpu_dgp_exhaustive(gg_cpu_dgp_work *work);

#endif

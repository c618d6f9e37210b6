/* Meet in the middle on the CPU. */
#ifndef GG_CPU_DGP_MEET_H
#define GG_CPU_DGP_MEET_H

#include "dgp/cpu/work.h"

/* Fills the windows, or stops. n must be at least 2. */
gpugeo_status gg_cpu_dgp_meet(gg_cpu_dgp_work *work, gg_call *call);

#endif

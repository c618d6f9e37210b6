/* The exhaustive algorithm's loop in plain C: see count_kernel.h. */
#define GG_COUNT gg_cpu_dgp_count_generic
#include "dgp/cpu/count_kernel.h"

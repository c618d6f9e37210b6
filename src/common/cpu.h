/* The CPU backend's functions, gathered in src/backends/backends.c: gg_cpu_dist(), ... */
#ifndef GG_CPU_H
#define GG_CPU_H

#include "common/backend.h"

#define GG_CPU_PLAN(name, plan_type) gpugeo_status gg_cpu_##name(GG_PLAN_PARAMETERS(plan_type));
#define GG_CPU_RESULT(name, plan_type, result_type)                                                \
  gpugeo_status gg_cpu_##name(GG_RESULT_PARAMETERS(plan_type, result_type));
GG_BACKEND_FUNCTIONS(GG_CPU_PLAN, GG_CPU_RESULT)

#endif

/* What the CPU's algorithms of one-dimensional distance geometry share. */
#ifndef GG_CPU_DGP_WORK_H
#define GG_CPU_DGP_WORK_H

#include "common/atomic.h"
#include "common/cpu.h"
#include "common/parallel.h"
#include "dgp/plan.h"

/* The state of a call: hooks, and rows stored so far. */
typedef struct gg_cpu_dgp_work {
  const gg_dgp_plan *plan;
  gg_clock *clock;
  double before, share; /* fraction done before the present part of the work, and that part */
  int64_t kept[GG_DGP_WINDOWS];
} gg_cpu_dgp_work;

/* True if all threads must stop. The calling thread calls the hooks; `done` is the finished
   fraction of the present part. */
bool gg_cpu_dgp_stop(gg_cpu_dgp_work *work, double done);

/* Stores a row of the window unless it is full. Any thread may call it. */
void gg_cpu_dgp_keep(gg_cpu_dgp_work *work, int window, gpugeo_uint128 row);

/* Returns the hull of all windows in [*low, *high]. */
void gg_cpu_dgp_hull(const gg_dgp_plan *plan, int64_t *low, int64_t *high);

#endif

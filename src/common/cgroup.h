/* Limits of memory and CPU time that Linux control groups (containers, Slurm, systemd) set for this
   process. */
#ifndef GG_CGROUP_H
#define GG_CGROUP_H

#include "common/c_linkage.h"
#include "gpugeo.h"

GG_C_BEGIN

/*
 * Returns the smallest memory limit of the process's control groups and all their parents, in
 * bytes: memory.max and memory.high of version 2, memory.limit_in_bytes of version 1. Infinity
 * without any. The files are read once per process.
 */
double gg_cgroup_memory(void);

/*
 * Returns the smallest CPU quota of the same groups as a number of processors, rounded up: cpu.max
 * of version 2, cpu.cfs_quota_us over cpu.cfs_period_us of version 1. 0 without any. The files are
 * read once per process.
 */
int32_t gg_cgroup_processors(void);

GG_C_END

#endif

/* What only tests call: choices between ways of computing that give the same results, and
   replacements for what gpugeo finds on a machine. All are global, and must not be called while
   other threads call gpugeo. */
#ifndef GG_TEST_HOOKS_H
#define GG_TEST_HOOKS_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/simd.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_backend gg_backend;         /* common/backend.h */
typedef struct gg_layout_plan gg_layout_plan; /* layout/layout.h */

/* Adds a backend to the list, or replaces the one that has its number; the table is borrowed for
   the rest of the process. False if there is no room. */
bool gg_backend_add(const gg_backend *backend);

/* Makes clocks that start from now on call the hooks at every n-th poll and not by time. 0 restores
   the default: n from the environment variable GPUGEO_TEST_POLLS, or by time, ten times a second,
   if it is not set. */
void gg_clock_set_polls(int64_t every);

/* Sets the vector instructions in use, at most what this machine has. */
void gg_set_simd(gg_simd simd);

/* Reads proc/self/cgroup, proc/self/mountinfo and the mount points that it names from this folder
   instead of from /, now and from now on. NULL: from / again. */
void gg_set_cgroup_root(const char *folder);

/* Sets how neighbours are searched: by the size and the data, or always by trees, or always by all
   pairs, where the metric allows it. */
typedef enum gg_tree_use { GG_TREES_AUTO, GG_TREES_ALWAYS, GG_TREES_NEVER } gg_tree_use;
void gg_trees_set_use(gg_tree_use use);

/* Sets which kernels sparse points take on the CPU: by the number of marked coordinates, or always
   those for marked coordinates if the metric has them, or never those. */
typedef enum gg_marked_use { GG_MARKED_AUTO, GG_MARKED_ALWAYS, GG_MARKED_NEVER } gg_marked_use;
void gg_cpu_set_marked_use(gg_marked_use use);

/* Sets how the CPU counts the pairs of Kendall's correlations: by cost, or always by bits or by
   merge sort if there is memory. */
typedef enum gg_kendall_use {
  GG_KENDALL_BY_COST,
  GG_KENDALL_BITS,
  GG_KENDALL_MERGE
} gg_kendall_use;
void gg_kendall_set_use(gg_kendall_use use);

/* Sets from how many points on Ward's linkages are computed from centroids; 0: the default,
   65,537. */
void gg_centroids_set_from(int64_t points);

/* Compute the forces of a layout by themselves: repulsion and attraction at the plan's positions,
   per unit of a vertex's own mass (see layout/step.h), as the first iteration sees them, vertices
   by dim each, column-major. The second is called only where CUDA is available. */
typedef struct gg_layout_forces {
  double *repulsion, *attraction;
} gg_layout_forces;
gpugeo_status gg_cpu_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                   gpugeo_error *error);
gpugeo_status gg_cuda_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                    gpugeo_error *error);

GG_C_END

#endif

/* What the parts of the CPU's layout share. */
#ifndef GG_CPU_LAYOUT_H
#define GG_CPU_LAYOUT_H

#include "../layout_step.h"
#include "../radix.h"
#include "cpu.h"
#include "layout_repel.h"
#include "layout_tree.h"

/* A layout under way. Coordinates of a vertex follow each other. */
typedef struct gg_cpu_layout_state {
  const gg_layout_plan *plan;
  gg_clock *clock; /* NULL: nobody is to be asked */
  int64_t n;
  int dim;
  int32_t threads;
  int64_t iteration;
  gg_layout_frame frame;
  double *position, *place; /* n of dim coordinates each */
  int32_t *fine;            /* likewise */
  float *repulsion;         /* likewise, in units of the frame */
  gg_radix order;           /* keys and vertices, sorted */
  gg_repel_sources sources;
  gg_layout_tree tree; /* for Barnes-Hut */
  int stop;            /* set once, by the calling thread */
} gg_cpu_layout_state;

/* Must all threads stop? `done` is the part of the iteration that is done. */
bool gg_cpu_layout_stop(gg_cpu_layout_state *state, double done);

/* Memory for the repulsion, to be freed also after a failure; the state is all 0 but for plan, n,
   dim and threads. */
bool gg_cpu_layout_repulsion_allocate(gg_cpu_layout_state *state);
void gg_cpu_layout_repulsion_free(gg_cpu_layout_state *state);

/* Fills state->repulsion from state->fine. false: no memory. */
bool gg_cpu_layout_repulsion(gg_cpu_layout_state *state);

#endif

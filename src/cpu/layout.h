/* What the parts of the CPU's layout share. */
#ifndef GG_CPU_LAYOUT_H
#define GG_CPU_LAYOUT_H

#include "../layout_step.h"
#include "cpu.h"

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
  float *repulsion;         /* likewise, in units of the frame */
  int32_t *fine;            /* likewise */
  int stop;                 /* set once, by the calling thread */
} gg_cpu_layout_state;

/* Must all threads stop? `done` is the part of the iteration that is done. */
bool gg_cpu_layout_stop(gg_cpu_layout_state *state, double done);

/* Fills state->repulsion. */
void gg_cpu_layout_exact(gg_cpu_layout_state *state);

#endif

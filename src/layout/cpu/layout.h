/* What the parts of the CPU's layout share. */
#ifndef GG_CPU_LAYOUT_H
#define GG_CPU_LAYOUT_H

#include "common/cpu.h"
#include "common/parallel.h"
#include "common/radix.h"
#include "layout/cpu/repel.h"
#include "layout/cpu/tree.h"
#include "layout/forces.h"
#include "layout/step.h"

/* How a thread has moved vertices: the square of the longest move, and the box of where they are.
 */
typedef struct gg_cpu_layout_moves {
  _Alignas(64) double longest;
  double low[GG_LAYOUT_DIMS], high[GG_LAYOUT_DIMS];
} gg_cpu_layout_moves;

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
  gg_layout_tree tree;        /* for Barnes-Hut */
  gg_cpu_layout_moves *moves; /* of each thread */
} gg_cpu_layout_state;

/* A loop over so many elements, each of which takes so many ns. A thread that comes to a loop does
   10 us of it or more; ranges take 1 us or more. The caller adds the clock. */
gg_loop gg_cpu_layout_loop(gg_cpu_layout_state *state, int64_t count, double ns,
                           void (*work)(void *job, gg_range range));

/* Returns the fraction of the whole call that is done when so many iterations are. */
double gg_cpu_layout_progress(const gg_cpu_layout_state *state, int64_t iterations);

/* Puts the vertices [first, last) into the list of keys that is to be sorted. */
void gg_cpu_layout_put_keys(gg_cpu_layout_state *state, int64_t first, int64_t last);

enum { GG_LAYOUT_TOGETHER = 64 };

/* Fills the attraction of the vertices [first, last), at most GG_LAYOUT_TOGETHER, per unit of their
   masses. */
void gg_cpu_layout_attraction(const gg_cpu_layout_state *state, int64_t first, int64_t last,
                              double (*attraction)[GG_LAYOUT_DIMS]);

/* Memory for the repulsion, to be freed also after a failure; the state is all 0 but for plan, n,
   dim and threads. */
bool gg_cpu_layout_repulsion_allocate(gg_cpu_layout_state *state);
void gg_cpu_layout_repulsion_free(gg_cpu_layout_state *state);

/* Fills state->repulsion from state->fine and the keys. false: no memory. Where the clock says to
   stop, some are left out. */
bool gg_cpu_layout_repulsion(gg_cpu_layout_state *state);

#endif

/* Repulsion between all vertices. */
#ifndef GG_CPU_REPULSION_H
#define GG_CPU_REPULSION_H

#include "layout/cpu/state.h"

/* Fills the keys of the vertices [first, last), to be sorted. */
void gg_cpu_layout_put_keys(gg_cpu_layout_state *state, int64_t first, int64_t last);

/* Allocates the memory of the repulsion, to be freed also after a failure. False if memory is
   short. The state is all 0 except plan, n, dim and threads. */
bool gg_cpu_layout_repulsion_allocate(gg_cpu_layout_state *state);
void gg_cpu_layout_repulsion_free(gg_cpu_layout_state *state);

/* Decides, after an iteration, whether the next one sorts the vertices: after long moves, or when
   the growth of groups and cells has cost as much time as sorting takes. Exact repulsion needs no
   order. */
void gg_cpu_layout_decide_renewal(gg_cpu_layout_state *state);

/* Computes state->repulsion from state->fine and the keys. False if memory is short. Incomplete if
   the clock stops the call. */
bool gg_cpu_layout_repulsion(gg_cpu_layout_state *state);

#endif

/*
 * Layouts on the CPU: iterations of Fruchterman and Reingold (1991). Per unit of its own mass,
 *
 *   force(i) = sum over j of m_j (x_i - x_j) / d_ij^2 + sum over edges of w d_ij (x_j - x_i) / m_i,
 *
 * and i moves along it by min(|force|, temperature); see layout/step.h. All forces of an iteration
 * are computed from the same positions, and each vertex is moved by one thread.
 */
#include <stdlib.h>

#include "common/error.h"
#include "common/inline.h"
#include "common/memory.h"
#include "common/test_hooks.h"
#include "layout/cpu/attraction.h"
#include "layout/cpu/repulsion.h"

/* --- boxes ------------------------------------------------------------------------------------ */

/* Resets the longest moves and the boxes of all threads. */
static void forget_moves(gg_cpu_layout_state *state) {
  for (int32_t t = 0; t < state->threads; ++t) {
    state->moves[t].longest = 0;
    for (int c = 0; c < GG_LAYOUT_DIMS; ++c) {
      state->moves[t].low[c] = DBL_MAX;
      state->moves[t].high[c] = -DBL_MAX;
    }
  }
}

GG_INLINE void extend_box(gg_cpu_layout_moves *box, const double *x, int dim) {
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    if (x[c] < box->low[c]) box->low[c] = x[c];
    if (x[c] > box->high[c]) box->high[c] = x[c];
  }
}

/* Adds the longest move and the box of a thread to those of all. */
static void join_moves(gg_cpu_layout_moves *all, const gg_cpu_layout_moves *part, int dim) {
  if (part->longest > all->longest) all->longest = part->longest;
  for (int c = 0; c < dim; ++c) {
    all->low[c] = fmin(all->low[c], part->low[c]);
    all->high[c] = fmax(all->high[c], part->high[c]);
  }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Frees the state of a layout. */
static void state_free(gg_cpu_layout_state *state) {
  gg_free(state->position);
  gg_free(state->offset);
  gg_free(state->moves);
  gg_cpu_layout_repulsion_free(state);
}

/* Copies the plan's columns to coordinates that follow each other. */
static void load_positions(gg_cpu_layout_state *state) {
  for (int c = 0; c < state->dim; ++c)
    for (int64_t i = 0; i < state->n; ++i)
      state->position[i * state->dim + c] = state->plan->positions[i + c * state->n];
}

/* Copies the positions to the result. */
static void store_positions(const gg_cpu_layout_state *state) {
  for (int c = 0; c < state->dim; ++c)
    for (int64_t i = 0; i < state->n; ++i)
      state->plan->positions[i + c * state->n] = state->position[i * state->dim + c];
}

/* Fills in the error of a layout without memory. A vertex takes 28 bytes a coordinate and 28 for
   its key and mass, and about as many in a tree. */
static gpugeo_status fail_memory(const gg_cpu_layout_state *state, gpugeo_error *error) {
  return gg_fail_memory(error, state->n * 2 * (28 * state->dim + 28));
}

/* Allocates the state of a layout, without a clock, and loads the positions. To be freed by
   state_free(). */
static gpugeo_status state_make(const gg_layout_plan *plan, gg_cpu_layout_state *state,
                                gpugeo_error *error) {
  const int64_t n = plan->graph.vertices, count = n * plan->dim;
  *state = (gg_cpu_layout_state){
      .plan = plan, .n = n, .dim = plan->dim, .threads = plan->threads, .renews = true};
  state->position = gg_allocate(count, sizeof *state->position);
  state->offset = gg_allocate(count, sizeof *state->offset);
  state->moves = gg_allocate_large(plan->threads, sizeof *state->moves);
  if (!gg_cpu_layout_repulsion_allocate(state) || !state->position || !state->offset ||
      !state->moves) {
    state_free(state);
    return fail_memory(state, error);
  }
  load_positions(state);
  forget_moves(state);
  for (int64_t i = 0; i < n; ++i)
    extend_box(state->moves, state->position + i * state->dim, state->dim);
  return GPUGEO_OK;
}

/* --- one iteration ---------------------------------------------------------------------------- */

/* Computes the offsets of some vertices in the frame of this iteration, and their keys. */
GG_INLINE void find_some_offsets(gg_cpu_layout_state *state, gg_range range, int dim) {
  const gg_layout_frame frame = state->frame;
  for (int64_t i = range.first; i < range.last; ++i) {
    const uint64_t hash = gg_layout_hash(i, state->iteration);
    GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
      const int64_t at = i * dim + c;
      state->offset[at] = gg_layout_offset(&frame, state->position[at], c);
      state->fine[at] = gg_layout_fine(state->offset[at], hash, c);
    }
  }
  if (state->renews) gg_cpu_layout_put_keys(state, range.first, range.last);
}

/* Computes the offsets of a range of vertices. */
static void offset_some(void *job, gg_range range) {
  gg_cpu_layout_state *state = job;
  if (state->dim == 2)
    find_some_offsets(state, range, 2);
  else
    find_some_offsets(state, range, 3);
}

/* Computes the frame of the vertices' box and all offsets. */
static void find_offsets(gg_cpu_layout_state *state) {
  gg_cpu_layout_moves all = state->moves[0];
  for (int32_t t = 1; t < state->threads; ++t)
    join_moves(&all, &state->moves[t], state->dim);
  state->frame = gg_layout_frame_make(all.low, all.high, state->dim);
  const gg_loop loop = gg_cpu_layout_loop(state, state->n, 10, offset_some);
  gg_parallel_for(&loop);
}

/* Moves a vertex, and returns the squared length of the move. */
GG_INLINE double move_vertex(const gg_cpu_layout_state *state, int64_t i, const double *attraction,
                             double temperature, int dim) {
  const gg_layout_plan *plan = state->plan;
  if (plan->fixed && plan->fixed[i]) return 0;
  double repulsion[GG_LAYOUT_DIMS], step[GG_LAYOUT_DIMS], square = 0;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) repulsion[c] =
      (double)state->repulsion[i * dim + c];
  gg_layout_step(&state->frame, repulsion, attraction, temperature, dim, step);
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    double *x = &state->position[i * dim + c];
    const double moved =
        gg_layout_moved(*x, step[c], plan->lower ? plan->lower[i + c * state->n] : -DBL_MAX,
                        plan->upper ? plan->upper[i + c * state->n] : DBL_MAX);
    square += (moved - *x) * (moved - *x);
    *x = moved;
  }
  return square;
}

enum {
  TOGETHER = 64 /* vertices whose attraction is computed before they are moved: 2 % faster */
};

/* Moves a range of vertices. */
GG_INLINE void move_vertices(gg_cpu_layout_state *state, gg_range range, int dim) {
  const gg_layout_plan *plan = state->plan;
  const double temperature =
      gg_layout_temperature(plan->start_temp, state->iteration, plan->cooling);
  const int64_t prefetched = gg_cpu_layout_prefetched(state);
  gg_cpu_layout_moves moves = state->moves[range.worker];
  for (int64_t first = range.first, last; first < range.last; first = last) {
    double attraction[TOGETHER][GG_LAYOUT_DIMS];
    last = first + TOGETHER < range.last ? first + TOGETHER : range.last;
    for (int64_t i = first; i < last; ++i)
      gg_cpu_layout_attraction(state, i, prefetched, dim, attraction[i - first]);
    for (int64_t i = first; i < last; ++i) {
      const double square = move_vertex(state, i, attraction[i - first], temperature, dim);
      if (square > moves.longest) moves.longest = square;
      extend_box(&moves, state->position + i * dim, dim);
    }
  }
  state->moves[range.worker] = moves;
}

/* Moves a range of vertices; the loop's work. */
static void move_some(void *job, gg_range range) {
  gg_cpu_layout_state *state = job;
  if (state->dim == 2)
    move_vertices(state, range, 2);
  else
    move_vertices(state, range, 3);
}

/* Moves all vertices, and notes the length of the longest move. */
static void move_all(gg_cpu_layout_state *state) {
  const double entries = (double)state->plan->graph.start[state->n] / (double)(state->n + 1);
  const gg_loop loop = gg_cpu_layout_loop(state, state->n, 15 + 2 * entries, move_some);
  forget_moves(state);
  gg_parallel_for(&loop);
  double longest = 0;
  for (int32_t t = 0; t < state->threads; ++t)
    if (state->moves[t].longest > longest) longest = state->moves[t].longest;
  state->longest_move = sqrt(longest);
}

/* Calls the callback if the iteration has a frame. Returns false if the callback ends the call. */
static bool call_frame(gg_cpu_layout_state *state) {
  const gg_layout_plan *plan = state->plan;
  const int64_t done = state->iteration + 1;
  if (!plan->frame || plan->frame_every < 1 || done % plan->frame_every) return true;
  store_positions(state);
  return !plan->frame(done, gg_layout_temperature(plan->start_temp, done, plan->cooling),
                      plan->positions, plan->frame_data);
}

/* Computes the offsets and the repulsion of an iteration. */
static gpugeo_status begin_iteration(gg_cpu_layout_state *state, gg_call *call) {
  find_offsets(state);
  if (!gg_cpu_layout_repulsion(state)) return call->status = fail_memory(state, call->error);
  gg_call_poll(call, gg_cpu_layout_progress(state, state->iteration + 1));
  return call->status;
}

/* Decides after the moves of an iteration whether more follow. */
static gpugeo_status end_iteration(gg_cpu_layout_state *state, gg_layout_outcome *outcome,
                                   gg_call *call) {
  gg_cpu_layout_decide_renewal(state);
  outcome->converged = state->longest_move <= state->plan->tolerance;
  ++outcome->iterations;
  return gg_call_require(call, call_frame(state));
}

gpugeo_status gg_cpu_layout(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_call *call) {
  *outcome = (gg_layout_outcome){0};
  gg_cpu_layout_state state;
  if (GG_TRY(call, state_make(plan, &state, call->error))) return call->status;
  state.clock = call->clock;
  for (; state.iteration < plan->iterations && !outcome->converged; ++state.iteration) {
    if (begin_iteration(&state, call)) break;
    move_all(&state);
    if (end_iteration(&state, outcome, call)) break;
  }
  store_positions(&state);
  state_free(&state);
  return call->status;
}

gpugeo_status gg_cpu_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                   gpugeo_error *error) {
  gg_cpu_layout_state state;
  gpugeo_status status = state_make(plan, &state, error);
  if (status) return status;
  find_offsets(&state);
  if (!gg_cpu_layout_repulsion(&state)) status = fail_memory(&state, error);
  for (int64_t i = 0; i < state.n && !status; ++i) {
    double attraction[GG_LAYOUT_DIMS];
    if (state.dim == 2)
      gg_cpu_layout_attraction(&state, i, 0, 2, attraction);
    else
      gg_cpu_layout_attraction(&state, i, 0, 3, attraction);
    for (int c = 0; c < state.dim; ++c) {
      const double unit = state.frame.unit;
      forces->repulsion[i + c * state.n] = (double)state.repulsion[i * state.dim + c] / unit;
      forces->attraction[i + c * state.n] = attraction[c] * unit * unit;
    }
  }
  state_free(&state);
  return status;
}

/*
 * The CPU backend's layouts: iterations of Fruchterman and Reingold. In each, all forces come from
 * the same positions, and each vertex is moved by one thread.
 */
#include "layout.h"

#include <stdlib.h>

#include "../error.h"
#include "../memory.h"

bool gg_cpu_layout_stop(gg_cpu_layout_state *state, double done) {
  if (!state->clock) return false;
  const gg_layout_plan *plan = state->plan;
  const double part = ((double)state->iteration + done) / (double)plan->iterations;
  return gg_clock_poll_team(state->clock,
                            plan->progress_from + (plan->progress_to - plan->progress_from) * part,
                            &state->stop);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void state_free(gg_cpu_layout_state *state) {
  free(state->position);
  free(state->place);
  gg_cpu_layout_repulsion_free(state);
}

/* Columns to coordinates that follow each other, or back. */
static void load_positions(gg_cpu_layout_state *state) {
  for (int c = 0; c < state->dim; ++c)
    for (int64_t i = 0; i < state->n; ++i)
      state->position[i * state->dim + c] = state->plan->positions[i + c * state->n];
}

static void store_positions(const gg_cpu_layout_state *state) {
  for (int c = 0; c < state->dim; ++c)
    for (int64_t i = 0; i < state->n; ++i)
      state->plan->positions[i + c * state->n] = state->position[i * state->dim + c];
}

/* A vertex takes 28 bytes a coordinate and 28 for its key and mass; a tree about as much again. */
static gpugeo_status fail_memory(const gg_cpu_layout_state *state, gpugeo_error *error) {
  return gg_fail_memory(error, state->n * 2 * (28 * state->dim + 28));
}

/* An iteration on few vertices, as in coarse graphs, takes less time than threads to meet. */
static int32_t threads_for(const gg_layout_plan *plan) {
  const int64_t most = 1 + plan->graph.vertices / 512;
  return plan->threads < most ? plan->threads : (int32_t)most;
}

static gpugeo_status state_make(const gg_layout_plan *plan, gg_clock *clock,
                                gg_cpu_layout_state *state, gpugeo_error *error) {
  const int64_t n = plan->graph.vertices, count = n * plan->dim;
  *state = (gg_cpu_layout_state){
      .plan = plan, .clock = clock, .n = n, .dim = plan->dim, .threads = threads_for(plan)};
  state->position = gg_allocate(count, sizeof *state->position);
  state->place = gg_allocate(count, sizeof *state->place);
  if (!gg_cpu_layout_repulsion_allocate(state) || !state->position || !state->place) {
    state_free(state);
    return fail_memory(state, error);
  }
  load_positions(state);
  return GPUGEO_OK;
}

/* --- one iteration ---------------------------------------------------------------------------- */

/* The frame of this iteration, from the box of all positions. */
static void find_frame(gg_cpu_layout_state *state) {
  const int dim = state->dim;
  const double *x = state->position;
  double low[GG_LAYOUT_DIMS] = {0}, high[GG_LAYOUT_DIMS] = {0};
  for (int c = 0; c < dim && state->n > 0; ++c)
    low[c] = high[c] = x[c];
#pragma omp parallel for schedule(static) num_threads(state->threads)                              \
    reduction(min                                                                                  \
              : low[:GG_LAYOUT_DIMS]) reduction(max                                                \
                                                : high[:GG_LAYOUT_DIMS])
  for (int64_t i = 0; i < state->n; ++i)
    for (int c = 0; c < dim; ++c) {
      if (x[i * dim + c] < low[c]) low[c] = x[i * dim + c];
      if (x[i * dim + c] > high[c]) high[c] = x[i * dim + c];
    }
  state->frame = gg_layout_frame_make(low, high, dim);
}

/* Places of all vertices, in the frame of this iteration. */
static void find_places(gg_cpu_layout_state *state) {
  find_frame(state);
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t i = 0; i < state->n; ++i) {
    const uint64_t hash = gg_layout_hash(i, state->iteration);
    for (int c = 0; c < state->dim; ++c) {
      const int64_t at = i * state->dim + c;
      state->place[at] = gg_layout_place(&state->frame, state->position[at], c);
      state->fine[at] = gg_layout_fine(state->place[at], hash, c);
    }
  }
}

enum { AHEAD = 16 }; /* neighbours whose places are fetched before they are needed */

/* The pull of the edges of a vertex, in so many dimensions. */
static inline void add_pulls(const gg_cpu_layout_state *state, int64_t i, int dim,
                             double *attraction) {
  const gg_layout_graph *graph = &state->plan->graph;
  const int64_t last = graph->start[i + 1], end = graph->start[state->n];
  for (int64_t e = graph->start[i]; e < last; ++e) {
    if (e + AHEAD < end)
      __builtin_prefetch(state->place + (int64_t)graph->neighbor[e + AHEAD] * dim);
    gg_layout_pull(state->place + i * dim, state->place + (int64_t)graph->neighbor[e] * dim,
                   graph->weight ? (double)graph->weight[e] : 1, dim, attraction);
  }
}

/* The pull of all edges of a vertex, per unit of its mass. */
static void attract(const gg_cpu_layout_state *state, int64_t i, double *attraction) {
  for (int c = 0; c < GG_LAYOUT_DIMS; ++c)
    attraction[c] = 0;
  if (state->dim == 2)
    add_pulls(state, i, 2, attraction);
  else
    add_pulls(state, i, 3, attraction);
  if (state->plan->mass)
    for (int c = 0; c < state->dim; ++c)
      attraction[c] /= (double)state->plan->mass[i];
}

/* Moves a vertex; returns the square of how far. */
static double move(gg_cpu_layout_state *state, int64_t i, double temperature) {
  const gg_layout_plan *plan = state->plan;
  const int dim = state->dim;
  if (plan->fixed && plan->fixed[i]) return 0;
  double repulsion[GG_LAYOUT_DIMS], attraction[GG_LAYOUT_DIMS], step[GG_LAYOUT_DIMS], square = 0;
  for (int c = 0; c < dim; ++c)
    repulsion[c] = (double)state->repulsion[i * dim + c];
  attract(state, i, attraction);
  gg_layout_step(&state->frame, repulsion, attraction, temperature, dim, step);
  for (int c = 0; c < dim; ++c) {
    double *x = &state->position[i * dim + c];
    const double moved =
        gg_layout_moved(*x, step[c], plan->lower ? plan->lower[i + c * state->n] : -DBL_MAX,
                        plan->upper ? plan->upper[i + c * state->n] : DBL_MAX);
    square += (moved - *x) * (moved - *x);
    *x = moved;
  }
  return square;
}

/* Moves all; returns how far the one did that moved furthest. */
static double move_all(gg_cpu_layout_state *state, double temperature) {
  double longest = 0;
#pragma omp parallel for schedule(dynamic, 256) num_threads(state->threads) reduction(max : longest)
  for (int64_t i = 0; i < state->n; ++i) {
    const double square = move(state, i, temperature);
    if (square > longest) longest = square;
  }
  return sqrt(longest);
}

static bool tell_frame(gg_cpu_layout_state *state) {
  const gg_layout_plan *plan = state->plan;
  const int64_t done = state->iteration + 1;
  if (!plan->frame || plan->frame_every < 1 || done % plan->frame_every) return true;
  store_positions(state);
  return !plan->frame(done, gg_layout_temperature(plan->start_temp, done, plan->cooling),
                      plan->positions, plan->frame_data);
}

static gpugeo_status iterate(gg_cpu_layout_state *state, gg_layout_outcome *outcome,
                             gpugeo_error *error) {
  const gg_layout_plan *plan = state->plan;
  for (; state->iteration < plan->iterations && !outcome->converged; ++state->iteration) {
    find_places(state);
    if (!gg_cpu_layout_repulsion(state)) return fail_memory(state, error);
    if (gg_cpu_layout_stop(state, 1)) return gg_fail_interrupt(error);
    const double temperature =
        gg_layout_temperature(plan->start_temp, state->iteration, plan->cooling);
    outcome->converged = move_all(state, temperature) <= plan->tolerance;
    ++outcome->iterations;
    if (!tell_frame(state)) return gg_fail_interrupt(error);
  }
  return GPUGEO_OK;
}

gpugeo_status gg_cpu_layout(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_clock *clock,
                            gpugeo_report *report, gpugeo_error *error) {
  (void)report;
  *outcome = (gg_layout_outcome){0};
  gg_cpu_layout_state state;
  gpugeo_status status = state_make(plan, clock, &state, error);
  if (status) return status;
  status = iterate(&state, outcome, error);
  store_positions(&state);
  state_free(&state);
  return status;
}

gpugeo_status gg_cpu_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                   gpugeo_error *error) {
  gg_cpu_layout_state state;
  gpugeo_status status = state_make(plan, NULL, &state, error);
  if (status) return status;
  find_places(&state);
  if (!gg_cpu_layout_repulsion(&state)) status = fail_memory(&state, error);
  for (int64_t i = 0; i < state.n && !status; ++i) {
    double attraction[GG_LAYOUT_DIMS];
    attract(&state, i, attraction);
    for (int c = 0; c < state.dim; ++c) {
      const double unit = state.frame.unit;
      forces->repulsion[i + c * state.n] = (double)state.repulsion[i * state.dim + c] / unit;
      forces->attraction[i + c * state.n] = attraction[c] * unit * unit;
    }
  }
  state_free(&state);
  return status;
}

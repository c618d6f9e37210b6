/* The state of a layout on the CPU. */
#ifndef GG_CPU_LAYOUT_STATE_H
#define GG_CPU_LAYOUT_STATE_H

#include "common/cpu.h"
#include "common/parallel.h"
#include "common/radix.h"
#include "layout/cpu/tree.h"
#include "layout/plan.h"
#include "layout/step.h"

/* The moves of a thread: the squared length of the longest, and the bounding box of the moved
   vertices. */
typedef struct gg_cpu_layout_moves {
  _Alignas(64) double longest;
  double low[GG_LAYOUT_DIMS], high[GG_LAYOUT_DIMS];
} gg_cpu_layout_moves;

/* The state of a layout. Coordinates of a vertex follow each other. */
typedef struct gg_cpu_layout_state {
  const gg_layout_plan *plan;
  gg_clock *clock; /* NULL: never polled */
  int64_t n;
  int dim;
  int32_t threads;
  int64_t iteration;
  gg_layout_frame frame;
  double *position, *offset; /* n of dim coordinates each */
  int32_t *fine;             /* likewise */
  float *repulsion;          /* likewise, in units of the frame */
  gg_radix order;            /* keys and vertices, sorted */
  bool renews;               /* this iteration sorts the vertices and divides the tree's cells; the
                                others take the order and the cells of an earlier one */
  double longest_move;       /* in the last iteration */
  int64_t spread;            /* sum of the longest sides of the groups' boxes, in fine offsets */
  int64_t work;              /* of the kernels in this iteration: see count_work() */
  int64_t renewed_work;      /* in the iteration that sorted last */
  int64_t extra_work;        /* the sum of what iterations since then took more than that one */
  gg_repel_sources sources;
  gg_layout_tree tree;        /* for Barnes-Hut */
  gg_cpu_layout_moves *moves; /* of each thread */
} gg_cpu_layout_state;

/* Returns a loop over `count` elements of about `ns` nanoseconds each: a thread takes part for
   every 10 us, and there are 32 ranges for each thread, of 1 us or more: at the end a thread waits
   for half a range of another one, in the mean. The caller adds the clock. */
static inline gg_loop gg_cpu_layout_loop(gg_cpu_layout_state *state, int64_t count, double ns,
                                         void (*work)(void *job, gg_range range)) {
  const double most = 1 + (double)count * ns / 10000;
  const int32_t threads = state->threads < most ? state->threads : (int32_t)most;
  const int64_t least = 1 + (int64_t)(1000 / ns), grain = count / (32 * (int64_t)threads);
  return (gg_loop){.threads = threads,
                   .count = count,
                   .grain = grain > least ? grain : least,
                   .work = work,
                   .job = state,
                   .from_both_ends = true};
}

/* Returns the fraction of the whole call that is done after `iterations` iterations. */
static inline double gg_cpu_layout_progress(const gg_cpu_layout_state *state, int64_t iterations) {
  const gg_layout_plan *plan = state->plan;
  return plan->progress_from +
         (plan->progress_to - plan->progress_from) * (double)iterations / (double)plan->iterations;
}

#endif

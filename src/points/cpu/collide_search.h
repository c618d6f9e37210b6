/* What all searches of the CPU for collisions share: points, passes by all threads, and what they
   find. */
#ifndef GG_CPU_COLLIDE_SEARCH_H
#define GG_CPU_COLLIDE_SEARCH_H

#include "points/cpu/collide_kernels.h"

/* The data of one thread, in cache lines of its own. */
typedef struct gg_cpu_found {
  _Alignas(64) bool made;
  int64_t count;
  int32_t *positions; /* MOST_POSITIONS */
  int64_t *table;     /* groups by groups, or NULL where that is large */
  int64_t *histogram; /* 2 * groups, for TABLE */
  int32_t *list;      /* of the present task, its length and its room */
  int64_t list_length, list_room;
  double done;   /* fraction of the pass that is done */
  int64_t since; /* pairs looked at since the clock was asked */
} gg_cpu_found;

/* Positions that a list may have. */
enum { GG_CPU_MOST_POSITIONS = 4096 };

/* Allocates n points, with radii if the plan has some; to be freed as points->block, also after a
   failure. */
gpugeo_status gg_cpu_points_allocate(const gg_cpu_search *search, int64_t n, gg_cpu_points *points);

/* Copies the points of a grid, in its order. */
void gg_cpu_points_of_grid(const gg_collide_plan *plan, const gg_grid *grid, const double *radii,
                           gg_cpu_points *points);

/* Decides pairing, filter and kernels for the pass; own: true if each point may be
   tested with all its partners at once. */
void gg_cpu_search_start(gg_cpu_search *search, gpugeo_collisions_what what, bool own);

/* Point i is tested with the points of the spans. */
void gg_cpu_test_point(gg_cpu_search *search, gg_cpu_found *found, int64_t i, const gg_span *spans,
                       int count);

/* True if the threads must stop. `done` is the finished fraction of the pass. */
bool gg_cpu_stopped(gg_cpu_search *search, double done);

/* Runs one task. Each thread takes the next of `tasks` until none is left. */
typedef void gg_cpu_task(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task);
gpugeo_status gg_cpu_pass(gg_cpu_search *search, int64_t tasks, gg_cpu_task *work, void *own);

/* Runs the passes of a search over `tasks`: one, or two for PAIRS, whose lists are sorted at the
   end. */
gpugeo_status gg_cpu_passes(gg_cpu_search *search, bool own, int64_t tasks, gg_cpu_task *work,
                            void *data);

/* Does the same as gg_cpu_stopped() after `pairs` more pairs, but polls less often. */
bool gg_cpu_stopped_after(gg_cpu_search *search, gg_cpu_found *found, int64_t pairs);

#endif

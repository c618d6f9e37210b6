#include "cluster/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/radix.h"

gpugeo_status gg_forest_make(int64_t n, const double *core, int64_t room, int32_t threads,
                             gg_forest *forest, gpugeo_error *error) {
  *forest = (gg_forest){.n = n,
                        .core = core,
                        .threads = threads,
                        .room = room,
                        .edge = gg_allocate_large(room, sizeof *forest->edge),
                        .other = gg_allocate_large(room, sizeof *forest->other),
                        .parent = gg_allocate(n, sizeof *forest->parent),
                        .link = gg_allocate(n, sizeof *forest->link),
                        .link_weight = gg_allocate(n, sizeof *forest->link_weight),
                        .limit = gg_allocate(n, sizeof *forest->limit)};
  if (!forest->edge || !forest->other || !forest->parent || !forest->link || !forest->link_weight ||
      !forest->limit)
    return gg_fail_memory(error, room * 2 * (int64_t)sizeof(gg_edge) + n * 24);
  for (int64_t p = 0; p < n; ++p)
    forest->limit[p] = INFINITY;
  return GPUGEO_OK;
}

void gg_forest_free(gg_forest *forest) {
  gg_free(forest->edge);
  gg_free(forest->other);
  gg_free(forest->parent);
  gg_free(forest->link);
  gg_free(forest->link_weight);
  gg_free(forest->limit);
  *forest = (gg_forest){0};
}

/* Grows the arrays to `room` edges; false without memory. */
static bool make_room(gg_forest *forest, int64_t room) {
  gg_edge *edge = gg_reallocate(forest->edge, room, sizeof *edge);
  if (edge) forest->edge = edge;
  gg_edge *other = gg_reallocate(forest->other, room, sizeof *other);
  if (other) forest->other = other;
  if (edge && other) forest->room = room;
  return edge && other;
}

bool gg_forest_add(gg_forest *forest, gg_edge edge) {
  if (forest->count == forest->room && !make_room(forest, 2 * forest->room + 1)) return false;
  forest->edge[forest->count++] = edge;
  return true;
}

/* --- Sorting ---------------------------------------------------------------------------------- */

/* Compares edges for qsort(), ties included. */
static int compare_edges(const void *a, const void *b) {
  const gg_edge *left = a, *right = b;
  return gg_tied_edge_before(*left, *right) ? -1 : gg_tied_edge_before(*right, *left);
}

enum { RUN = 65536 }; /* edges that are sorted without a poll */

/* Merges two sorted runs, which follow each other, the first one of `width` edges. room has room
   for this one. Returns false if the call must stop. */
static bool merge_runs(gg_edge *edge, int64_t width, int64_t count, gg_edge *room,
                       gg_clock *clock) {
  memcpy(room, edge, (size_t)width * sizeof *room);
  for (int64_t at = 0, a = 0, b = width; a < width; ++at) {
    if (gg_clock_poll_loop(clock, at)) return false;
    const bool second = b < count && compare_edges(&edge[b], &room[a]) < 0;
    edge[at] = second ? edge[b++] : room[a++];
  }
  return true;
}

/* Sorts edges with the same weight. Returns false if the call must stop. */
static bool sort_tied(gg_edge *edge, int64_t count, gg_edge *room, gg_clock *clock) {
  for (int64_t first = 0; first < count; first += RUN) {
    const int64_t left = count - first;
    if (left > RUN && gg_clock_poll(clock, 0)) return false;
    qsort(edge + first, (size_t)(left < RUN ? left : RUN), sizeof *edge, compare_edges);
  }
  for (int64_t width = RUN; width < count; width *= 2)
    for (int64_t first = 0; first + width < count; first += 2 * width) {
      const int64_t left = count - first;
      if (!merge_runs(edge + first, width, left < 2 * width ? left : 2 * width, room, clock))
        return false;
    }
  return true;
}

/* Sorts all edges with the same weight, which follow each other. Returns false if the call must
   stop. */
static bool sort_ties(gg_edge *edge, int64_t count, const double *core, gg_edge *room,
                      gg_clock *clock) {
  for (int64_t first = 0, last; first < count; first = last) {
    const double weight = gg_edge_weight(edge[first], core);
    for (last = first + 1; last < count && gg_edge_weight(edge[last], core) == weight;)
      ++last;
    if (last - first > 1 && !sort_tied(edge + first, last - first, room, clock)) return false;
  }
  return true;
}

typedef struct sorting {
  gg_forest *forest;
  gg_radix radix;
  uint64_t least;
} sorting;

/* Writes the keys of a range of edges; the loop's work. */
static void write_keys(void *job, gg_range range) {
  const sorting *s = job;
  for (int64_t e = range.first; e < range.last; ++e) {
    s->radix.key[e] = gg_radix_key(gg_edge_weight(s->forest->edge[e], s->forest->core)) - s->least;
    s->radix.value[e] = (int32_t)e;
  }
}

/* Copies a range of edges in the order of their keys; the loop's work. */
static void gather_edges(void *job, gg_range range) {
  const sorting *s = job;
  for (int64_t e = range.first; e < range.last; ++e)
    s->forest->other[e] = s->forest->edge[s->radix.value[e]];
}

/* Runs work over all edges on the forest's threads. Returns false if the call must stop. */
static bool run_over_edges(const sorting *s, void (*work)(void *, gg_range)) {
  return gg_parallel_for(&(gg_loop){.threads = s->forest->threads,
                                    .count = s->forest->count,
                                    .grain = 16384,
                                    .work = work,
                                    .job = (void *)s,
                                    .clock = s->radix.clock});
}

gpugeo_status gg_forest_sort(gg_forest *forest, gg_call *call) {
  if (call->status) return call->status;
  sorting s = {.forest = forest, .least = UINT64_MAX};
  uint64_t most = 0;
  for (int64_t e = 0; e < forest->count; ++e) {
    const uint64_t key = gg_radix_key(gg_edge_weight(forest->edge[e], forest->core));
    s.least = key < s.least ? key : s.least;
    most = key > most ? key : most;
  }
  if (!gg_radix_allocate(&s.radix, forest->count, forest->threads)) {
    gg_radix_free(&s.radix);
    return GG_TRY(call, gg_fail_memory(call->error, forest->count * 24));
  }
  s.radix.clock = call->clock;
  const int bits = gg_radix_bits(forest->count > 0 ? most - s.least : 0);
  const bool gathered = run_over_edges(&s, write_keys) &&
                        gg_radix_sort(&s.radix, forest->count, bits, forest->threads) &&
                        run_over_edges(&s, gather_edges);
  gg_radix_free(&s.radix);
  if (gg_call_require(call, gathered)) return call->status;
  gg_edge *sorted = forest->other;
  forest->other = forest->edge;
  forest->edge = sorted;
  const bool done = sort_ties(sorted, forest->count, forest->core, forest->other, call->clock);
  return gg_call_require(call, done);
}

/* --- Reducing --------------------------------------------------------------------------------- */

/* Returns the root of a vertex and shortens the path to it. */
static int32_t find_root(int32_t *parent, int32_t vertex) {
  while (parent[vertex] != vertex)
    vertex = parent[vertex] = parent[parent[vertex]];
  return vertex;
}

/* Keeps the edges that join two trees, in their order (Kruskal). A tree's root is linked to that of
   the larger one. While this goes on, the limit of a root is the size of its tree. Returns false if
   the call must stop. */
static bool join_trees(gg_forest *forest, gg_clock *clock) {
  int64_t kept = 0;
  for (int64_t p = 0; p < forest->n; ++p) {
    forest->parent[p] = forest->link[p] = (int32_t)p;
    forest->limit[p] = 1;
  }
  for (int64_t e = 0; e < forest->count && kept < forest->n - 1; ++e) {
    if (gg_clock_poll_loop(clock, e)) return false;
    const gg_edge edge = forest->edge[e];
    int32_t large = find_root(forest->parent, edge.i), small = find_root(forest->parent, edge.j);
    if (large == small) continue;
    if (forest->limit[small] > forest->limit[large]) {
      const int32_t other = large;
      large = small;
      small = other;
    }
    forest->limit[large] += forest->limit[small];
    forest->parent[small] = forest->link[small] = large;
    forest->link_weight[small] = gg_edge_weight(edge, forest->core);
    forest->edge[kept++] = edge;
  }
  forest->count = kept;
  return true;
}

/* Sets the limit of each vertex to the largest weight on its way to the root of the largest tree.
   Of the links on this way the last one is the largest. Returns false if the call must stop. */
static bool set_limits(gg_forest *forest, gg_clock *clock) {
  int32_t largest = 0;
  for (int64_t p = 0; p < forest->n; ++p)
    if (forest->link[p] == p && forest->limit[p] > forest->limit[largest]) largest = (int32_t)p;
  while (forest->link[largest] != largest)
    largest = forest->link[largest];
  for (int64_t p = 0; p < forest->n; ++p) {
    if (gg_clock_poll_loop(clock, p)) return false;
    int32_t at = (int32_t)p;
    double weight = -INFINITY;
    for (; forest->link[at] != at; at = forest->link[at])
      weight = forest->link_weight[at];
    forest->limit[p] = at == largest ? weight : INFINITY;
  }
  return true;
}

gpugeo_status gg_forest_reduce(gg_forest *forest, gg_call *call) {
  if (call->status) return call->status;
  if (gg_forest_sort(forest, call)) return call->status;
  const bool done = join_trees(forest, call->clock) && set_limits(forest, call->clock);
  return gg_call_require(call, done);
}

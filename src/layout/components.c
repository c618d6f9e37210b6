/* Finds connected components by union-find in which the smaller number becomes the root. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/components.h"

/* Parents of vertices in trees: a smaller vertex, or the vertex itself if it is a root. */
typedef _Atomic int32_t above_t;

/* Returns the vertex above another one, which other threads may be changing. */
static int32_t read_above(const above_t *above, int32_t v) {
  return atomic_load_explicit(&above[v], memory_order_relaxed);
}

/* Returns the root above v, and halves the path to it. */
static int32_t find_root(above_t *above, int32_t v) {
  for (;;) {
    const int32_t next = read_above(above, v), after = read_above(above, next);
    if (next == after) return next;
    atomic_store_explicit(&above[v], after, memory_order_relaxed);
    v = after;
  }
}

/* Makes the smaller of two roots the parent of the larger one. */
static void unite(above_t *above, int32_t u, int32_t v) {
  for (;;) {
    u = find_root(above, u);
    v = find_root(above, v);
    if (u == v) return;
    const int32_t smaller = u < v ? u : v;
    int32_t larger = u < v ? v : u;
    if (atomic_compare_exchange_strong_explicit(&above[larger], &larger, smaller,
                                                memory_order_relaxed, memory_order_relaxed))
      return;
  }
}

typedef struct joining {
  const gg_layout_graph *csr;
  above_t *above;
  int32_t *component;
} joining;

/* Makes each vertex of a range the root of its own tree. */
static void plant_vertices(void *job, gg_range range) {
  const joining *j = job;
  for (int64_t v = range.first; v < range.last; ++v)
    atomic_init(&j->above[v], (int32_t)v);
}

/* Unites the trees of a range of vertices with those of their neighbours. */
static void unite_rows(void *job, gg_range range) {
  const joining *j = job;
  const gg_layout_graph *csr = j->csr;
  for (int64_t v = range.first; v < range.last; ++v)
    for (int64_t at = csr->start[v]; at < csr->start[v + 1] && csr->neighbor[at] < v; ++at)
      unite(j->above, (int32_t)v, csr->neighbor[at]);
}

/* Gives each vertex of a range the number of its root's component. */
static void number_vertices(void *job, gg_range range) {
  const joining *j = job;
  for (int64_t v = range.first; v < range.last; ++v) {
    const int32_t root = find_root(j->above, (int32_t)v);
    if (root != v) j->component[v] = j->component[root];
  }
}

/* Runs work for all vertices. */
static void each_vertex(joining *j, int32_t threads, void (*work)(void *job, gg_range range)) {
  gg_parallel_for(&(gg_loop){
      .threads = threads, .count = j->csr->vertices, .grain = 512, .work = work, .job = j});
}

/* Numbers the components from 0 by their first vertices, the roots. Returns their
   number. */
static int64_t number_components(const gg_layout_graph *csr, int32_t threads, above_t *above,
                                 int32_t *component) {
  const int64_t n = csr->vertices;
  int64_t count = 0;
  joining j = {csr, above, component};
  threads = gg_layout_threads(threads, n + csr->start[n]);
  each_vertex(&j, threads, plant_vertices);
  each_vertex(&j, threads, unite_rows);
  for (int64_t v = 0; v < n; ++v)
    if (read_above(above, (int32_t)v) == v) component[v] = (int32_t)count++;
  each_vertex(&j, threads, number_vertices);
  return count;
}

/* Groups the vertices by component; rank holds their components on entry and their ranks on return.
 */
static void group_members(int64_t vertices, gg_layout_components *components) {
  int64_t *start = components->start;
  memset(start, 0, (size_t)(components->count + 1) * sizeof *start);
  for (int64_t v = 0; v < vertices; ++v)
    ++start[components->rank[v]];
  /* Each start becomes the end of its component, and is decreased to the beginning as the vertices
     are stored, the last one first. */
  for (int64_t c = 1; c <= components->count; ++c)
    start[c] += start[c - 1];
  for (int64_t v = vertices - 1; v >= 0; --v)
    components->member[--start[components->rank[v]]] = (int32_t)v;
  for (int64_t c = 0; c < components->count; ++c)
    for (int64_t at = start[c]; at < start[c + 1]; ++at)
      components->rank[components->member[at]] = (int32_t)(at - start[c]);
}

gpugeo_status gg_layout_components_find(const gg_layout_graph *csr, int32_t threads,
                                        gg_layout_components *components, gpugeo_error *error) {
  const int64_t n = csr->vertices;
  *components = (gg_layout_components){.member = gg_allocate(n, sizeof *components->member),
                                       .rank = gg_allocate(n, sizeof *components->rank)};
  above_t *above = gg_allocate(n, sizeof *above);
  const bool there = components->member && components->rank && above;
  if (there) components->count = number_components(csr, threads, above, components->rank);
  gg_free(above);
  if (!there) return gg_fail_memory(error, 12 * n);
  components->start = gg_allocate(components->count + 1, sizeof *components->start);
  if (!components->start) return gg_fail_memory(error, 8 * (components->count + 1));
  group_members(n, components);
  return GPUGEO_OK;
}

void gg_layout_components_free(gg_layout_components *components) {
  gg_free(components->start);
  gg_free(components->member);
  gg_free(components->rank);
  *components = (gg_layout_components){0};
}

/* Returns the starts of the rows of a component in a graph of its own. */
static int64_t *start_rows(const gg_layout_graph *csr, const int32_t *member, int64_t size) {
  int64_t *start = gg_allocate(size + 1, sizeof *start);
  if (!start) return NULL;
  start[0] = 0;
  for (int64_t i = 0; i < size; ++i)
    start[i + 1] = start[i] + csr->start[member[i] + 1] - csr->start[member[i]];
  return start;
}

typedef struct copying {
  const gg_layout_graph *csr;
  const int32_t *member, *rank;
  const int64_t *start;
  int32_t *neighbor;
  float *weight; /* NULL: all 1 */
} copying;

/* Copies the rows of a range of a component's vertices. */
static void copy_rows(void *job, gg_range range) {
  const copying *c = job;
  for (int64_t i = range.first; i < range.last; ++i) {
    int64_t from = c->csr->start[c->member[i]];
    for (int64_t at = c->start[i]; at < c->start[i + 1]; ++at, ++from) {
      c->neighbor[at] = c->rank[c->csr->neighbor[from]];
      if (c->weight) c->weight[at] = c->csr->weight[from];
    }
  }
}

gpugeo_status gg_layout_component_graph(const gg_layout_graph *csr,
                                        const gg_layout_components *components, int64_t c,
                                        int32_t threads, gg_layout_graph *part,
                                        gpugeo_error *error) {
  const int32_t *member = components->member + components->start[c];
  const int64_t size = gg_layout_component_size(components, c);
  int64_t *start = start_rows(csr, member, size);
  const int64_t entries = start ? start[size] : 0;
  int32_t *neighbor = gg_allocate(entries, sizeof *neighbor);
  float *weight = csr->weight ? gg_allocate(entries, sizeof *weight) : NULL;
  *part = (gg_layout_graph){size, start, neighbor, weight};
  if (!start || !neighbor || (csr->weight && !weight))
    return gg_fail_memory(error, 8 * (size + 1 + entries));
  gg_parallel_for(
      &(gg_loop){.threads = gg_layout_threads(threads, size + entries),
                 .count = size,
                 .grain = 512,
                 .work = copy_rows,
                 .job = &(copying){csr, member, components->rank, start, neighbor, weight}});
  return GPUGEO_OK;
}

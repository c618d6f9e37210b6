/* The connected components of a graph given by its rows. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_graph.h"
#include "memory.h"

/* Vertices in trees: that above a vertex is a smaller one, and a root itself. */
typedef _Atomic int32_t above_t;

static int32_t look(const above_t *above, int32_t v) {
  return atomic_load_explicit(&above[v], memory_order_relaxed);
}

/* The root above v, to which the way gets shorter. */
static int32_t find_root(above_t *above, int32_t v) {
  for (;;) {
    const int32_t next = look(above, v), after = look(above, next);
    if (next == after) return next;
    atomic_store_explicit(&above[v], after, memory_order_relaxed);
    v = after;
  }
}

/* Puts the larger of two roots below the other one. */
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

/* Numbers the components from 0 by their first vertices, the roots. Returns how many there are. */
static int64_t number_components(const gg_layout_graph *rows, int32_t threads, above_t *above,
                                 int32_t *component) {
  const int64_t n = rows->vertices;
  int64_t count = 0;
  threads = gg_layout_threads(threads, n + rows->start[n]);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t v = 0; v < n; ++v)
    atomic_init(&above[v], (int32_t)v);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 512)
  for (int64_t v = 0; v < n; ++v)
    for (int64_t at = rows->start[v]; at < rows->start[v + 1] && rows->neighbor[at] < v; ++at)
      unite(above, (int32_t)v, rows->neighbor[at]);
  for (int64_t v = 0; v < n; ++v)
    if (look(above, (int32_t)v) == v) component[v] = (int32_t)count++;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t v = 0; v < n; ++v) {
    const int32_t root = find_root(above, (int32_t)v);
    if (root != v) component[v] = component[root];
  }
  return count;
}

/* Groups the vertices by component; place holds their components before, their places after. */
static void group_members(int64_t vertices, gg_layout_components *components) {
  int64_t *start = components->start;
  memset(start, 0, (size_t)(components->count + 1) * sizeof *start);
  for (int64_t v = 0; v < vertices; ++v)
    ++start[components->place[v]];
  /* Each start becomes the end of its component, and comes down to the beginning as the vertices
     are put in from the last one on. */
  for (int64_t c = 1; c <= components->count; ++c)
    start[c] += start[c - 1];
  for (int64_t v = vertices - 1; v >= 0; --v)
    components->member[--start[components->place[v]]] = (int32_t)v;
  for (int64_t c = 0; c < components->count; ++c)
    for (int64_t at = start[c]; at < start[c + 1]; ++at)
      components->place[components->member[at]] = (int32_t)(at - start[c]);
}

gpugeo_status gg_layout_components_find(const gg_layout_graph *rows, int32_t threads,
                                        gg_layout_components *components, gpugeo_error *error) {
  const int64_t n = rows->vertices;
  *components = (gg_layout_components){.member = gg_allocate(n, sizeof *components->member),
                                       .place = gg_allocate(n, sizeof *components->place)};
  above_t *above = gg_allocate(n, sizeof *above);
  const bool there = components->member && components->place && above;
  if (there) components->count = number_components(rows, threads, above, components->place);
  free(above);
  if (!there) return gg_fail_memory(error, 12 * n);
  components->start = gg_allocate(components->count + 1, sizeof *components->start);
  if (!components->start) return gg_fail_memory(error, 8 * (components->count + 1));
  group_members(n, components);
  return GPUGEO_OK;
}

void gg_layout_components_free(gg_layout_components *components) {
  free(components->start);
  free(components->member);
  free(components->place);
  *components = (gg_layout_components){0};
}

/* Where each row of a component begins in a graph of its own. */
static int64_t *start_rows(const gg_layout_graph *rows, const int32_t *member, int64_t size) {
  int64_t *start = gg_allocate(size + 1, sizeof *start);
  if (!start) return NULL;
  start[0] = 0;
  for (int64_t i = 0; i < size; ++i)
    start[i + 1] = start[i] + rows->start[member[i] + 1] - rows->start[member[i]];
  return start;
}

gpugeo_status gg_layout_component_graph(const gg_layout_graph *rows,
                                        const gg_layout_components *components, int64_t c,
                                        int32_t threads, gg_layout_graph *part,
                                        gpugeo_error *error) {
  const int32_t *member = components->member + components->start[c];
  const int64_t size = gg_layout_component_size(components, c);
  int64_t *start = start_rows(rows, member, size);
  const int64_t arcs = start ? start[size] : 0;
  int32_t *neighbor = gg_allocate(arcs, sizeof *neighbor);
  float *weight = rows->weight ? gg_allocate(arcs, sizeof *weight) : NULL;
  threads = gg_layout_threads(threads, size + arcs);
  *part = (gg_layout_graph){size, start, neighbor, weight};
  if (!start || !neighbor || (rows->weight && !weight))
    return gg_fail_memory(error, 8 * (size + 1 + arcs));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 512)
  for (int64_t i = 0; i < size; ++i) {
    int64_t from = rows->start[member[i]];
    for (int64_t at = start[i]; at < start[i + 1]; ++at, ++from) {
      neighbor[at] = components->place[rows->neighbor[from]];
      if (weight) weight[at] = rows->weight[from];
    }
  }
  return GPUGEO_OK;
}

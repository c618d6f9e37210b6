/*
 * Connected components, and blocks by a depth-first search (Hopcroft and Tarjan, 1973) without
 * recursion. low[v] is the earliest entry that an edge from the subtree of v reaches: an edge from
 * u down to v closes a block if low[v] >= entered[u]. Each edge is visited twice; then the edges of
 * each block are sorted.
 */
#include "dgp/adjacency.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

gpugeo_status gg_graph_make(int64_t vertices, const gg_ends *ends, int64_t edges, gg_graph *graph,
                            gpugeo_error *error) {
  *graph = (gg_graph){.vertices = vertices, .edges = edges, .ends = ends};
  const int64_t size = sizeof(int64_t);
  graph->start = gg_allocate(vertices + 1, size);
  graph->edge = gg_allocate(2 * edges, size);
  if (!graph->start || !graph->edge)
    return gg_fail_memory(error, (vertices + 1 + 2 * edges) * size);
  memset(graph->start, 0, (size_t)((vertices + 1) * size));
  for (int64_t e = 0; e < edges; ++e) {
    ++graph->start[ends[e].u];
    ++graph->start[ends[e].v];
  }
  /* Each start is first the end of its vertex's edges, and is decremented for each edge that is
     stored, from the last one on. */
  for (int64_t v = 1; v <= vertices; ++v)
    graph->start[v] += graph->start[v - 1];
  for (int64_t e = edges - 1; e >= 0; --e) {
    graph->edge[--graph->start[ends[e].u]] = e;
    graph->edge[--graph->start[ends[e].v]] = e;
  }
  return GPUGEO_OK;
}

void gg_graph_free(gg_graph *graph) {
  gg_free(graph->start);
  gg_free(graph->edge);
}

gpugeo_status gg_graph_components(const gg_graph *graph, int64_t *component, int64_t *count,
                                  gpugeo_error *error) {
  int64_t *waiting = gg_allocate(graph->vertices, sizeof *waiting);
  if (!waiting) return gg_fail_memory(error, graph->vertices * (int64_t)sizeof *waiting);
  for (int64_t v = 0; v < graph->vertices; ++v)
    component[v] = -1;
  *count = 0;
  for (int64_t first = 0; first < graph->vertices; ++first) {
    if (component[first] >= 0) continue;
    int64_t held = 0;
    component[first] = *count;
    waiting[held++] = first;
    while (held > 0) {
      const int64_t v = waiting[--held];
      for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
        const int64_t w = gg_other_end(graph, graph->edge[at], v);
        if (component[w] >= 0) continue;
        component[w] = *count;
        waiting[held++] = w;
      }
    }
    ++*count;
  }
  gg_free(waiting);
  return GPUGEO_OK;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* A depth-first search from vertex 0 (Tarjan 1972), without recursion. */
typedef struct walk {
  int64_t *entered; /* when a vertex was entered, from 1; 0: not yet */
  int64_t *low;     /* the earliest vertex that the walk below a vertex has seen */
  int64_t *next;    /* the offset in graph->edge where it continues */
  int64_t *path;    /* vertices from vertex 0 to the present one */
  int64_t *came_by; /* the edges between them */
  int64_t *open;    /* edges of which the block is not complete */
  int64_t *memory;
} walk;

/* Allocates what a walk through a graph needs. Returns false without memory. */
static bool walk_make(walk *w, int64_t vertices, int64_t edges) {
  w->memory = gg_allocate(5 * vertices + edges, sizeof *w->memory);
  if (!w->memory) return false;
  w->entered = w->memory;
  w->low = w->entered + vertices;
  w->next = w->low + vertices;
  w->path = w->next + vertices;
  w->came_by = w->path + vertices;
  w->open = w->came_by + vertices;
  return true;
}

/* Compares numbers for qsort(). */
static int ascending(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Finds the blocks. A block is complete when the search leaves a vertex whose subtree has no
   edge to a vertex before its parent: the parent is the block's root, and the block's edges are
   those opened since. Blocks are completed from the leaves on and numbered from the last one
   down. */
static void find_blocks(const gg_graph *graph, walk *w, gg_blocks *blocks) {
  int64_t time = 0, depth = 0, opened = 0;
  int64_t filled = graph->edges; /* edges and blocks still to be numbered */
  int64_t found = filled;
  memset(w->entered, 0, (size_t)graph->vertices * sizeof *w->entered);
  w->path[0] = 0;
  w->came_by[0] = -1;
  w->entered[0] = w->low[0] = ++time;
  w->next[0] = graph->start[0];
  while (depth >= 0) {
    const int64_t v = w->path[depth];
    if (w->next[v] < graph->start[v + 1]) {
      const int64_t e = graph->edge[w->next[v]++], other = gg_other_end(graph, e, v);
      if (e == w->came_by[depth] || w->entered[other] > w->entered[v]) continue;
      w->open[opened++] = e;
      if (w->entered[other]) {
        if (w->entered[other] < w->low[v]) w->low[v] = w->entered[other];
        continue;
      }
      w->path[++depth] = other;
      w->came_by[depth] = e;
      w->entered[other] = w->low[other] = ++time;
      w->next[other] = graph->start[other];
      continue;
    }
    if (depth-- == 0) break;
    const int64_t above = w->path[depth];
    if (w->low[v] < w->low[above]) w->low[above] = w->low[v];
    if (w->low[v] < w->entered[above]) continue;
    const int64_t last = filled, entry = w->came_by[depth + 1];
    do
      blocks->edge[--filled] = w->open[--opened];
    while (w->open[opened] != entry);
    qsort(blocks->edge + filled, (size_t)(last - filled), sizeof *blocks->edge, ascending);
    blocks->root[--found] = above;
    blocks->start[found] = filled;
  }
  blocks->count = graph->edges - found;
  memmove(blocks->root, blocks->root + found, (size_t)blocks->count * sizeof *blocks->root);
  memmove(blocks->start, blocks->start + found, (size_t)blocks->count * sizeof *blocks->start);
  blocks->start[blocks->count] = graph->edges;
}

gpugeo_status gg_graph_blocks(const gg_graph *graph, gg_blocks *blocks, gpugeo_error *error) {
  walk w = {0};
  const int64_t edges = graph->edges, size = sizeof(int64_t);
  *blocks = (gg_blocks){0};
  blocks->start = gg_allocate(edges + 1, size);
  blocks->edge = gg_allocate(edges, size);
  blocks->root = gg_allocate(edges, size);
  const bool room =
      blocks->start && blocks->edge && blocks->root && walk_make(&w, graph->vertices, edges);
  if (room) find_blocks(graph, &w, blocks);
  gg_free(w.memory);
  return room ? GPUGEO_OK : gg_fail_memory(error, (4 * edges + 5 * graph->vertices) * size);
}

void gg_blocks_free(gg_blocks *blocks) {
  gg_free(blocks->start);
  gg_free(blocks->edge);
  gg_free(blocks->root);
}

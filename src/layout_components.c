/* The connected components of a graph given by its rows. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_graph.h"
#include "memory.h"

/* Numbers the components from 0 by their first vertices, each reached from there breadth first.
   Returns how many there are. */
static int64_t number_components(const gg_layout_graph *rows, int32_t *component, int32_t *queue) {
  const int64_t n = rows->vertices;
  int64_t count = 0;
  memset(component, 0xff, (size_t)n * sizeof *component);
  for (int64_t first = 0; first < n; ++first) {
    if (component[first] >= 0) continue;
    int64_t reached = 0;
    component[first] = (int32_t)count;
    queue[reached++] = (int32_t)first;
    for (int64_t next = 0; next < reached; ++next)
      for (int64_t at = rows->start[queue[next]]; at < rows->start[queue[next] + 1]; ++at) {
        const int32_t v = rows->neighbor[at];
        if (component[v] >= 0) continue;
        component[v] = (int32_t)count;
        queue[reached++] = v;
      }
    ++count;
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

gpugeo_status gg_layout_components_find(const gg_layout_graph *rows,
                                        gg_layout_components *components, gpugeo_error *error) {
  const int64_t n = rows->vertices;
  *components = (gg_layout_components){.member = gg_allocate(n, sizeof *components->member),
                                       .place = gg_allocate(n, sizeof *components->place)};
  if (!components->member || !components->place) return gg_fail_memory(error, 8 * n);
  components->count = number_components(rows, components->place, components->member);
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

/* The arcs of a component, counted in the whole graph. */
static int64_t count_arcs(const gg_layout_graph *rows, const int32_t *member, int64_t size) {
  int64_t arcs = 0;
  for (int64_t i = 0; i < size; ++i)
    arcs += rows->start[member[i] + 1] - rows->start[member[i]];
  return arcs;
}

gpugeo_status gg_layout_component_graph(const gg_layout_graph *rows,
                                        const gg_layout_components *components, int64_t c,
                                        gg_layout_graph *part, gpugeo_error *error) {
  const int32_t *member = components->member + components->start[c];
  const int64_t size = gg_layout_component_size(components, c);
  const int64_t arcs = count_arcs(rows, member, size);
  int64_t *start = gg_allocate(size + 1, sizeof *start);
  int32_t *neighbor = gg_allocate(arcs, sizeof *neighbor);
  float *weight = rows->weight ? gg_allocate(arcs, sizeof *weight) : NULL;
  *part = (gg_layout_graph){size, start, neighbor, weight};
  if (!start || !neighbor || (rows->weight && !weight))
    return gg_fail_memory(error, 8 * (size + 1 + arcs));
  int64_t filled = 0;
  for (int64_t i = 0; i < size; ++i) {
    start[i] = filled;
    for (int64_t at = rows->start[member[i]]; at < rows->start[member[i] + 1]; ++at, ++filled) {
      neighbor[filled] = components->place[rows->neighbor[at]];
      if (weight) weight[filled] = rows->weight[at];
    }
  }
  start[size] = filled;
  return GPUGEO_OK;
}

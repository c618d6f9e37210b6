/* The rows of a graph: two passes of counting sort, the second of which puts each row in order. */
#include "layout_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "matrix.h"
#include "memory.h"
#include "scan.h"

/* --- Checks --------------------------------------------------------------------------------------
 */

/* Forces are of single precision: w d^2 must stay in its range for any distance. */
static const double most_weight = 1e9;

/* A vertex, from 0, as messages call it. */
typedef struct vertex_text {
  char text[48];
} vertex_text;

static vertex_text name_of(const gpugeo_graph *graph, int64_t vertex) {
  vertex_text name;
  if (graph->labels)
    snprintf(name.text, sizeof name.text, "%.40s", graph->labels[vertex]);
  else
    snprintf(name.text, sizeof name.text, "%lld", (long long)(vertex + graph->first));
  return name;
}

static gpugeo_status check_shape(const gpugeo_graph *graph, gpugeo_error *error) {
  if (!graph) return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph", "graph must not be NULL");
  if (graph->vertices < 0 || graph->vertices > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                   "graph must have between 0 and 2147483647 vertices, not %lld",
                   (long long)graph->vertices);
  if (graph->first != 0 && graph->first != 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first", "first must be 0 or 1, not %lld",
                   (long long)graph->first);
  gpugeo_status status = gg_check_matrix("edges", &graph->edges, error);
  if (status) return status;
  if (graph->edges.ncol != 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must have 2 columns, the vertices that each joins, not %lld",
                   (long long)graph->edges.ncol);
  if (graph->edges.type == GPUGEO_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must be of type double or int32, not float");
  if (graph->weights && graph->weights_length != graph->edges.nrow)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have a value for each of the %lld edges, not %lld values",
                   (long long)graph->edges.nrow, (long long)graph->weights_length);
  return GPUGEO_OK;
}

static gpugeo_status check_edge(const gpugeo_graph *graph, int64_t e, gpugeo_error *error) {
  for (int k = 0; k < 2; ++k) {
    const double end = gg_element(&graph->edges, e, k) - (double)graph->first;
    if (!(end >= 0 && end < (double)graph->vertices) || end != floor(end))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                     "edge %lld: %c must be a whole number between %lld and %lld (the vertices), "
                     "not %s",
                     (long long)e + 1, "uv"[k], (long long)graph -> first,
                     (long long)(graph->vertices - 1 + graph->first),
                     gg_number(gg_element(&graph->edges, e, k)).text);
  }
  if (!graph->weights || (graph->weights[e] >= 0 && graph->weights[e] <= most_weight))
    return GPUGEO_OK;
  const int64_t u = (int64_t)gg_element(&graph->edges, e, 0) - graph->first;
  const int64_t v = (int64_t)gg_element(&graph->edges, e, 1) - graph->first;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                 "edge %lld (%s, %s): weight must be between 0 and %s, not %s", (long long)e + 1,
                 name_of(graph, u).text, name_of(graph, v).text, gg_number(most_weight).text,
                 gg_number(graph->weights[e]).text);
}

gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, gpugeo_error *error) {
  gpugeo_status status = check_shape(graph, error);
  for (int64_t e = 0; !status && e < graph->edges.nrow; ++e)
    status = check_edge(graph, e, error);
  return status;
}

/* --- Rows ----------------------------------------------------------------------------------------
 */

/* Rows while they are made: row v has room from start[v] to start[v + 1], and is filled up to
   end[v]. */
typedef struct filling {
  int64_t *start, *end;
  int32_t *neighbor;
  float *weight;
} filling;

static void filling_free(filling *rows) {
  free(rows->start);
  free(rows->end);
  free(rows->neighbor);
  free(rows->weight);
  *rows = (filling){0};
}

static gpugeo_status filling_make(int64_t vertices, int64_t arcs, filling *rows,
                                  gpugeo_error *error) {
  *rows = (filling){.start = gg_allocate(vertices + 1, sizeof *rows->start),
                    .end = gg_allocate(vertices, sizeof *rows->end),
                    .neighbor = gg_allocate(arcs, sizeof *rows->neighbor),
                    .weight = gg_allocate(arcs, sizeof *rows->weight)};
  if (rows->start && rows->end && rows->neighbor && rows->weight) return GPUGEO_OK;
  filling_free(rows);
  return gg_fail_memory(error, 16 * vertices + 8 * arcs);
}

static void put(filling *rows, int32_t row, int32_t neighbor, float weight) {
  const int64_t at = rows->end[row]++;
  rows->neighbor[at] = neighbor;
  rows->weight[at] = weight;
}

/* An edge's vertices, from 0. False for a loop. */
static bool ends_of(const gpugeo_graph *graph, int64_t e, int32_t ends[2]) {
  for (int k = 0; k < 2; ++k)
    ends[k] = (int32_t)(gg_element(&graph->edges, e, k) - (double)graph->first);
  return ends[0] != ends[1];
}

/* Counts into begins: start[v] is the sum of what stood in start[1] to start[v]. */
static void add_up(int64_t vertices, int64_t *start) {
  for (int64_t v = 0; v < vertices; ++v)
    start[v + 1] += start[v];
}

/* Rows in the order of the edges. */
static void fill_rows(const gpugeo_graph *graph, filling *rows) {
  const int64_t n = graph->vertices;
  int32_t ends[2];
  memset(rows->start, 0, (size_t)(n + 1) * sizeof *rows->start);
  for (int64_t e = 0; e < graph->edges.nrow; ++e) {
    if (!ends_of(graph, e, ends)) continue;
    ++rows->start[ends[0] + 1];
    ++rows->start[ends[1] + 1];
  }
  add_up(n, rows->start);
  memcpy(rows->end, rows->start, (size_t)n * sizeof *rows->end);
  for (int64_t e = 0; e < graph->edges.nrow; ++e) {
    if (!ends_of(graph, e, ends)) continue;
    const float weight = graph->weights ? (float)graph->weights[e] : 1;
    put(rows, ends[0], ends[1], weight);
    put(rows, ends[1], ends[0], weight);
  }
}

/* Rows of a coarser graph, in the order of the finer one's. */
static void fill_merged(const gg_layout_graph *fine, const int32_t *parent, int64_t vertices,
                        filling *rows) {
  memset(rows->start, 0, (size_t)(vertices + 1) * sizeof *rows->start);
  for (int64_t v = 0; v < fine->vertices; ++v)
    for (int64_t at = fine->start[v]; at < fine->start[v + 1]; ++at)
      if (parent[v] != parent[fine->neighbor[at]]) ++rows->start[parent[v] + 1];
  add_up(vertices, rows->start);
  memcpy(rows->end, rows->start, (size_t)vertices * sizeof *rows->end);
  for (int64_t v = 0; v < fine->vertices; ++v)
    for (int64_t at = fine->start[v]; at < fine->start[v + 1]; ++at)
      if (parent[v] != parent[fine->neighbor[at]])
        put(rows, parent[v], parent[fine->neighbor[at]], fine->weight ? fine->weight[at] : 1);
}

/* The same rows in increasing order: vertices in their order go into their neighbours' rows. Equal
   neighbours, which so come one after the other, become one with the sum of their weights, added in
   the order of the edges in both rows. */
static void sort_rows(int64_t vertices, const filling *from, filling *to) {
  memcpy(to->start, from->start, (size_t)(vertices + 1) * sizeof *to->start);
  memcpy(to->end, from->start, (size_t)vertices * sizeof *to->end);
  for (int64_t v = 0; v < vertices; ++v)
    for (int64_t at = from->start[v]; at < from->end[v]; ++at) {
      const int32_t row = from->neighbor[at];
      const int64_t last = to->end[row] - 1;
      if (last >= to->start[row] && to->neighbor[last] == v)
        to->weight[last] += from->weight[at];
      else
        put(to, row, (int32_t)v, from->weight[at]);
    }
}

/* Closes the gaps between rows. Returns whether all weights are 1. */
static bool close_rows(int64_t vertices, filling *rows) {
  int64_t filled = 0;
  bool ones = true;
  for (int64_t v = 0; v < vertices; ++v) {
    const int64_t begin = rows->start[v];
    rows->start[v] = filled;
    for (int64_t at = begin; at < rows->end[v]; ++at, ++filled) {
      rows->neighbor[filled] = rows->neighbor[at];
      rows->weight[filled] = rows->weight[at];
      if (rows->weight[at] != 1) ones = false;
    }
  }
  rows->start[vertices] = filled;
  return ones;
}

/* Rows in order from rows that are not, which are freed. */
static gpugeo_status finish_rows(int64_t vertices, filling *unsorted, gg_layout_graph *rows,
                                 gpugeo_error *error) {
  filling sorted = {0};
  gpugeo_status status = filling_make(vertices, unsorted->start[vertices], &sorted, error);
  if (!status) {
    sort_rows(vertices, unsorted, &sorted);
    const bool ones = close_rows(vertices, &sorted);
    *rows = (gg_layout_graph){vertices, sorted.start, sorted.neighbor, ones ? NULL : sorted.weight};
    sorted = (filling){.end = sorted.end, .weight = ones ? sorted.weight : NULL};
  }
  filling_free(unsorted);
  filling_free(&sorted);
  return status;
}

gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, gg_layout_graph *rows,
                                   gpugeo_error *error) {
  *rows = (gg_layout_graph){.vertices = graph->vertices};
  filling unsorted;
  gpugeo_status status = filling_make(graph->vertices, 2 * graph->edges.nrow, &unsorted, error);
  if (status) return status;
  fill_rows(graph, &unsorted);
  return finish_rows(graph->vertices, &unsorted, rows, error);
}

gpugeo_status gg_layout_graph_merge(const gg_layout_graph *fine, const int32_t *parent,
                                    int64_t vertices, gg_layout_graph *coarse,
                                    gpugeo_error *error) {
  *coarse = (gg_layout_graph){.vertices = vertices};
  filling unsorted;
  gpugeo_status status = filling_make(vertices, fine->start[fine->vertices], &unsorted, error);
  if (status) return status;
  fill_merged(fine, parent, vertices, &unsorted);
  return finish_rows(vertices, &unsorted, coarse, error);
}

void gg_layout_graph_free(gg_layout_graph *rows) {
  free((void *)rows->start);
  free((void *)rows->neighbor);
  free((void *)rows->weight);
  *rows = (gg_layout_graph){0};
}

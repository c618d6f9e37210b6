/* A graph's edges: checked, and made rows of. */
#include "layout/graph.h"

#include <math.h>
#include <stdlib.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/parallel.h"
#include "common/scan.h"
#include "layout/arcs.h"

/* --- Checks --------------------------------------------------------------------------------------
 */

enum { EDGES = 1 << 14 }; /* that a thread takes at a time */

/* Forces are of single precision: w d^2 must stay in its range for any distance. */
static const double most_weight = 1e9;

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
  if (graph->edges.type == GPUGEO_TYPE_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must be of type double or int32, not float");
  if (graph->weights && graph->weights_length != graph->edges.nrow)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have a value for each of the %lld edges, not %lld values",
                   (long long)graph->edges.nrow, (long long)graph->weights_length);
  return GPUGEO_OK;
}

/* A vertex of an edge, from 0. */
static int32_t end_of(const gpugeo_graph *graph, int64_t e, int k) {
  return (int32_t)(gg_element(&graph->edges, e, k) - (double)graph->first);
}

static bool is_vertex(const gpugeo_graph *graph, double end) {
  const double number = end - (double)graph->first;
  return number >= 0 && number < (double)graph->vertices && number == floor(number);
}

static bool is_edge(const gpugeo_graph *graph, int64_t e) {
  return is_vertex(graph, gg_element(&graph->edges, e, 0)) &&
         is_vertex(graph, gg_element(&graph->edges, e, 1)) &&
         (!graph->weights || (graph->weights[e] >= 0 && graph->weights[e] <= most_weight));
}

/* Says what is wrong with an edge. */
static gpugeo_status fail_edge(const gpugeo_graph *graph, int64_t e, gpugeo_error *error) {
  for (int k = 0; k < 2; ++k) {
    const double end = gg_element(&graph->edges, e, k);
    if (!is_vertex(graph, end))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                     "edge %lld: %c must be a whole number between %lld and %lld (the vertices), "
                     "not %s",
                     (long long)e + 1, "uv"[k], (long long)graph -> first,
                     (long long)(graph->vertices - 1 + graph->first), gg_number(end).text);
  }
  const gg_vertex_text u = gg_vertex(graph->labels, end_of(graph, e, 0), graph->first);
  const gg_vertex_text v = gg_vertex(graph->labels, end_of(graph, e, 1), graph->first);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                 "edge %lld (%s, %s): weight must be between 0 and %s, not %s", (long long)e + 1,
                 u.text, v.text, gg_number(most_weight).text, gg_number(graph->weights[e]).text);
}

/* Edges that are checked. */
typedef struct checking {
  const gpugeo_graph *graph;
  int64_t first; /* the first edge that is wrong */
} checking;

static void check_edges(void *job, gg_range range) {
  checking *c = job;
  int64_t e = range.first;
  while (e < range.last && is_edge(c->graph, e))
    ++e;
  int64_t first = gg_atomic_load(&c->first);
  while (e < range.last && e < first && !gg_atomic_replace(&c->first, &first, e)) {
  }
}

gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, int32_t threads,
                                    gpugeo_error *error) {
  gpugeo_status status = check_shape(graph, error);
  if (status) return status;
  checking c = {graph, graph->edges.nrow};
  gg_parallel_for(&(gg_loop){.threads = gg_layout_threads(threads, graph->edges.nrow),
                             .count = graph->edges.nrow,
                             .grain = EDGES,
                             .work = check_edges,
                             .job = &c});
  return c.first < graph->edges.nrow ? fail_edge(graph, c.first, error) : GPUGEO_OK;
}

/* --- Rows ----------------------------------------------------------------------------------------
 */

/* Edges of which arcs are made. */
typedef struct putting {
  const gpugeo_graph *graph;
  gg_layout_arcs *arcs;
} putting;

static void put_edges(void *job, gg_range range) {
  const putting *p = job;
  for (int64_t e = range.first; e < range.last; ++e) {
    const int32_t u = end_of(p->graph, e, 0), v = end_of(p->graph, e, 1);
    const float weight = p->graph->weights ? (float)p->graph->weights[e] : 1;
    gg_layout_arcs_put(p->arcs, 2 * e, u, v, weight);
    gg_layout_arcs_put(p->arcs, 2 * e + 1, v, u, weight);
  }
}

gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, int32_t threads,
                                   gg_layout_graph *rows, gpugeo_error *error) {
  const int64_t edges = graph->edges.nrow;
  *rows = (gg_layout_graph){.vertices = graph->vertices};
  gg_layout_arcs arcs;
  threads = gg_layout_threads(threads, 8 * edges);
  gpugeo_status status = gg_layout_arcs_make(graph->vertices, 2 * edges, threads, &arcs, error);
  if (!status) {
    gg_parallel_for(&(gg_loop){.threads = threads,
                               .count = edges,
                               .grain = EDGES,
                               .work = put_edges,
                               .job = &(putting){graph, &arcs}});
    status = gg_layout_arcs_rows(&arcs, rows, error);
  }
  gg_layout_arcs_free(&arcs);
  return status;
}

void gg_layout_graph_free(gg_layout_graph *rows) {
  free((void *)rows->start);
  free((void *)rows->neighbor);
  free((void *)rows->weight);
  *rows = (gg_layout_graph){0};
}

/* Fuzzes gpugeo_layout_quality(): any graph and positions. Checks that measures do not depend on
   the way to compute, their ranges, and the crossings of simple positions by whole numbers. */
#include "fuzz.h"

enum { MOST_VERTICES = 30, MOST_EDGES = 40 };

/* --- Crossings -------------------------------------------------------------------------------- */

typedef struct point {
  double x, y;
} point;

static point point_of(const gpugeo_matrix *positions, int32_t vertex) {
  return (point){element(positions, vertex, 0), element(positions, vertex, 1)};
}

/* The sign of an area that is exact for simple positions. */
static int side(point a, point b, point c) {
  const double area = (a.x - c.x) * (b.y - c.y) - (a.y - c.y) * (b.x - c.x);
  return (area > 0) - (area < 0);
}

static bool overlap(double a, double b, double c, double d) {
  return fmax(a, b) >= fmin(c, d) && fmax(c, d) >= fmin(a, b);
}

/* Two segments have a point in common. */
static bool cross(point a, point b, point c, point d) {
  return overlap(a.x, b.x, c.x, d.x) && overlap(a.y, b.y, c.y, d.y) &&
         side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

/* True if an edge joins the two vertices of an earlier one, or a vertex with itself. */
static bool is_counted_already(const int32_t *ends, int64_t edges, int64_t e) {
  if (ends[e] == ends[e + edges]) return true;
  for (int64_t f = 0; f < e; ++f)
    if ((ends[e] == ends[f] && ends[e + edges] == ends[f + edges]) ||
        (ends[e] == ends[f + edges] && ends[e + edges] == ends[f]))
      return true;
  return false;
}

static int64_t count_crossings(const int32_t *ends, int64_t edges, const gpugeo_matrix *positions) {
  int64_t count = 0;
  for (int64_t e = 0; e < edges; ++e) {
    if (is_counted_already(ends, edges, e)) continue;
    for (int64_t f = 0; f < e; ++f) {
      const int32_t a = ends[e], b = ends[e + edges], c = ends[f], d = ends[f + edges];
      if (a == c || a == d || b == c || b == d || is_counted_already(ends, edges, f)) continue;
      count += cross(point_of(positions, a), point_of(positions, b), point_of(positions, c),
                     point_of(positions, d));
    }
  }
  return count;
}

/* --- The target ------------------------------------------------------------------------------- */

static void check_ranges(const gpugeo_layout_quality_result *q) {
  demand(isnan(q->stress) || q->stress >= 0);
  demand(isnan(q->neighborhood) || (q->neighborhood >= 0 && q->neighborhood <= 1));
  demand(isnan(q->edge_variation) || q->edge_variation >= 0);
  demand(isnan(q->crossings) || q->crossings >= 0);
  demand(q->pivots >= 0);
}

static bool same(const gpugeo_layout_quality_result *a, const gpugeo_layout_quality_result *b) {
  const double left[] = {a->stress,    a->scale,           a->neighborhood, a->edge_variation,
                         a->crossings, a->crossings_error, a->energy};
  const double right[] = {b->stress,    b->scale,           b->neighborhood, b->edge_variation,
                          b->crossings, b->crossings_error, b->energy};
  return memcmp(left, right, sizeof left) == 0 && a->pivots == b->pivots;
}

static gpugeo_status measure(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                             gpugeo_layout_quality_options *o,
                             gpugeo_layout_quality_result *first) {
  gpugeo_status status = GPUGEO_OK;
  for (int way = 0; way < WAYS; ++way) {
    gpugeo_layout_quality_result now;
    gpugeo_error error;
    set_way(&o->run, way, 1 << 26); /* a smaller limit may be refused */
    const gpugeo_status other = gpugeo_layout_quality(graph, positions, o, &now, NULL, &error);
    demand_status(other, ALLOW_ARGUMENT, &error);
    demand(way == 0 || other == status);
    status = other;
    if (status) continue;
    if (way == 0) *first = now;
    check_ranges(&now);
    demand(same(first, &now));
  }
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_layout_quality_options o;
  gpugeo_layout_quality_options_init(&o, sizeof o);
  o.pivots = take(&b, 40) - 1;
  const bool all = take(&b, 1);
  o.crossings = all ? -1 : take(&b, 200);
  o.seed = (uint64_t)take(&b, 255);
  gpugeo_graph graph = {.vertices = take(&b, MOST_VERTICES)};
  const int64_t edges = graph.vertices ? take(&b, MOST_EDGES) : 0;
  int32_t ends[2 * MOST_EDGES];
  double weights[MOST_EDGES];
  for (int64_t e = 0; e < 2 * edges; ++e)
    ends[e] = take(&b, (int)graph.vertices - 1);
  graph.edges = (gpugeo_matrix){ends, GPUGEO_TYPE_INT32, edges, 2, edges, NULL};
  const bool weighted = take(&b, 1);
  for (int64_t e = 0; weighted && e < edges; ++e)
    weights[e] = take(&b, 31) == 31 ? take_double(&b) : 0.5 * (1 + take(&b, 8));
  if (weighted) graph.weights = weights;
  graph.weights_length = weighted ? edges : 0;
  gpugeo_matrix positions =
      take_matrix(&b, (gpugeo_type)take(&b, 2), graph.vertices, 2 + take(&b, 1));
  gpugeo_layout_quality_result quality;
  const gpugeo_status status = measure(&graph, &positions, &o, &quality);
  if (!status && all && positions.ncol == 2 && !weighted && is_simple_matrix(&positions) &&
      !isnan(quality.crossings))
    demand(quality.crossings == (double)count_crossings(ends, edges, &positions));
  free((void *)positions.data);
  return 0;
}

/* Fuzzes gpugeo_dgp_graph(): any graph with intervals. Checks counts of simple intervals against
   all orientations of the edges, each tried by difference constraints, and the returned positions.
 */
#include "fuzz.h"

enum { MOST_VERTICES = 5, MOST_EDGES = 7, MOST_SOLUTIONS = 20 };
static const double no_bound = 1e6; /* beyond all sums of simple distances */

/* --- All orientations ------------------------------------------------------------------------- */

/* Edges between the same two vertices made one; returns how many there are. */
static int merge(const gpugeo_dgp_edge *edges, int64_t count, gpugeo_dgp_edge *merged) {
  int there = 0;
  for (int64_t e = 0; e < count; ++e) {
    int at = 0;
    while (at < there && !((merged[at].u == edges[e].u && merged[at].v == edges[e].v) ||
                           (merged[at].u == edges[e].v && merged[at].v == edges[e].u)))
      ++at;
    if (at == there) merged[there++] = edges[e];
    merged[at].lower = fmax(merged[at].lower, edges[e].lower);
    merged[at].upper = fmin(merged[at].upper, edges[e].upper);
  }
  return there;
}

/* Lowers the most that x[to] can be; true if that changed it. */
static bool relax(double *most, int64_t from, int64_t to, double length) {
  if (most[from] + length >= most[to]) return false;
  most[to] = most[from] + length;
  return true;
}

/* True if positions exist in which the left end of edge e is u when bit e is set, else v: no
   negative cycle among the constraints (Bellman and Ford). */
static bool is_possible(const gpugeo_dgp_edge *edges, int count, unsigned bits, double tol) {
  double most[MOST_VERTICES] = {0};
  for (int round = 0; round <= MOST_VERTICES; ++round) {
    bool changed = false;
    for (int e = 0; e < count; ++e) {
      const bool plain = bits >> e & 1;
      const int64_t left = plain ? edges[e].u : edges[e].v, right = plain ? edges[e].v : edges[e].u;
      changed |= relax(most, left, right, fmin(edges[e].upper, no_bound) + tol);
      changed |= relax(most, right, left, tol - edges[e].lower);
    }
    if (!changed) return true;
  }
  return false;
}

/* An edge of length 0 has no left end. */
static uint64_t count_orientations(const gpugeo_dgp_edge *edges, int64_t edge_count, double tol) {
  gpugeo_dgp_edge merged[MOST_EDGES];
  const int count = merge(edges, edge_count, merged);
  uint64_t possible = 0;
  for (unsigned bits = 0; bits < 1u << count; ++bits) {
    bool twice = false;
    for (int e = 0; e < count; ++e)
      twice |= merged[e].lower == 0 && merged[e].upper == 0 && !(bits >> e & 1);
    possible += !twice && is_possible(merged, count, bits, tol);
  }
  return possible;
}

/* --- The target ------------------------------------------------------------------------------- */

static bool is_simple_graph(const gpugeo_dgp_edge *edges, int64_t count, double tol) {
  for (int64_t e = 0; e < count; ++e)
    if (!is_simple(edges[e].lower) || (edges[e].upper < no_bound && !is_simple(edges[e].upper)))
      return false;
  return is_simple(tol);
}

/* True if the distance of two returned positions is one of the interval, but for their rounding. */
static bool is_within(const gpugeo_dgp_edge *e, double tol, double u, double v) {
  const double d = fabs(u - v), rounding = 1e-15 * fmax(fabs(u), fabs(v));
  return d >= e->lower - tol - rounding && d <= e->upper + tol + rounding;
}

static void check_positions(const gpugeo_dgp_edge *edges, int64_t count,
                            const gpugeo_dgp_graph_options *o, int64_t returned,
                            const double *positions) {
  for (int64_t s = 0; s < returned; ++s) {
    const double *row = positions + s;
    demand(row[0] == 0);
    for (int64_t e = 0; e < count; ++e)
      demand(is_within(&edges[e], o->tol, row[edges[e].u * o->max_solutions],
                       row[edges[e].v * o->max_solutions]));
  }
}

static void check_graph(int64_t vertices, const gpugeo_dgp_edge *edges, int64_t count,
                        const gpugeo_dgp_graph_options *o) {
  double positions[MOST_SOLUTIONS * MOST_VERTICES];
  gpugeo_dgp_vertex order[MOST_VERTICES];
  gpugeo_dgp_graph_result result;
  gpugeo_error error;
  int64_t size = 0;
  gpugeo_status status = gpugeo_dgp_graph_size(vertices, edges, count, o, &size, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  demand(size == o->max_solutions * vertices);
  status = gpugeo_dgp_graph(vertices, edges, count, o, &result, positions, order, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY, &error);
  if (status || !is_simple_graph(edges, count, o->tol)) return;
  demand(result.count.high == 0 && !result.count_overflow);
  demand(result.count.low == count_orientations(edges, count, o->tol));
  check_positions(edges, count, o, result.returned, positions);
}

static void take_edge(bytes *b, int64_t vertices, gpugeo_dgp_edge *e) {
  e->u = take(b, (int)vertices - 1);
  e->v = take(b, (int)vertices - 1);
  const int kind = take(b, 7);
  e->lower = kind == 7 ? take_double(b) : 0.25 * take(b, 31);
  e->upper = kind == 7   ? take_double(b)
             : kind == 6 ? ldexp(1, 20 + 8 * take(b, 125)) /* as good as no bound */
             : kind > 3  ? e->lower + 0.25 * take(b, 31)
                         : e->lower;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_dgp_graph_options o;
  gpugeo_dgp_graph_options_init(&o, sizeof o);
  const int tolerance = take(&b, 9);
  o.tol = tolerance == 9 ? take_double(&b) : tolerance > 5 ? 0.25 * (tolerance - 5) : 0;
  o.max_solutions = take(&b, MOST_SOLUTIONS);
  set_way(&o.run, take(&b, WAYS - 1), 0);
  const int64_t vertices = 1 + take(&b, MOST_VERTICES - 1), count = take(&b, MOST_EDGES);
  gpugeo_dgp_edge edges[MOST_EDGES];
  for (int64_t e = 0; e < count; ++e)
    take_edge(&b, vertices, &edges[e]);
  check_graph(vertices, edges, count, &o);
  return 0;
}

/*
 * Distance geometry of graphs: against all orientations of the edges, each decided by Bellman and
 * Ford's way to find a negative cycle. Distances and tolerances are multiples of 1/8, so that the
 * reference's sums of doubles are exact.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "decimal_comma.h"
#include "gpugeo.h"
#include "system.h"
#include "temporary.h"
#include "witness.h"

/* --- The reference ---------------------------------------------------------------------------- */

enum { VERTICES_MOST = 8, EDGES_MOST = 13 };

typedef struct small_graph {
  int64_t vertices, count;
  gpugeo_dgp_edge edge[2 * EDGES_MOST]; /* as given */
  gpugeo_dgp_edge merged[EDGES_MOST];   /* one for each two vertices */
  int64_t merged_count;
} small_graph;

/* Positions by orientation, the bits of which say that v is to the right of u. */
typedef struct truth {
  int64_t count;
  double *rows; /* count by vertices, row-major */
} truth;

static void merge(small_graph *g) {
  g->merged_count = 0;
  for (int64_t i = 0; i < g->count; ++i) {
    gpugeo_dgp_edge *found = NULL;
    const gpugeo_dgp_edge *e = &g->edge[i];
    for (int64_t k = 0; k < g->merged_count; ++k)
      if ((g->merged[k].u == e->u && g->merged[k].v == e->v) ||
          (g->merged[k].u == e->v && g->merged[k].v == e->u))
        found = &g->merged[k];
    if (!found) {
      g->merged[g->merged_count++] = *e;
    } else {
      found->lower = fmax(found->lower, e->lower);
      found->upper = fmin(found->upper, e->upper);
    }
  }
}

/* distance[v]: the most that x_v - x_start can be (sign 1), or x_start - x_v (sign -1). False when
   the orientation contradicts itself. */
static bool farthest(const small_graph *g, double tol, unsigned orientation, int64_t start,
                     int sign, double *distance) {
  for (int64_t v = 0; v < g->vertices; ++v)
    distance[v] = v == start ? 0 : INFINITY;
  for (int64_t round = 0; round <= g->vertices; ++round) {
    bool changed = false;
    for (int64_t i = 0; i < g->merged_count; ++i) {
      const gpugeo_dgp_edge *e = &g->merged[i];
      const bool right = orientation >> i & 1;
      /* x_to - x_from in [least, most] */
      const int64_t from = right ? e->u : e->v, to = right ? e->v : e->u;
      const double least = e->lower - tol, most = e->upper + tol;
      const double forward = sign > 0 ? most : -least, backward = sign > 0 ? -least : most;
      if (distance[from] + forward < distance[to])
        distance[to] = distance[from] + forward, changed = true;
      if (distance[to] + backward < distance[from])
        distance[from] = distance[to] + backward, changed = true;
    }
    if (!changed) return true;
  }
  return false;
}

static int64_t compared_vertices;
static int compare_rows(const void *left, const void *right) {
  const double *a = left, *b = right;
  for (int64_t v = 0; v < compared_vertices; ++v)
    if (a[v] != b[v]) return a[v] < b[v] ? -1 : 1;
  return 0;
}

static void sort_rows(double *rows, int64_t count, int64_t vertices) {
  compared_vertices = vertices;
  qsort(rows, (size_t)count, sizeof(double) * (size_t)vertices, compare_rows);
}

static truth all_orientations(small_graph *g, double tol) {
  merge(g);
  truth t = {0, malloc(sizeof(double) * (size_t)g->vertices << g->merged_count)};
  for (unsigned orientation = 0; orientation < 1u << g->merged_count; ++orientation) {
    bool repeated = false;
    for (int64_t i = 0; i < g->merged_count; ++i)
      repeated |= g->merged[i].lower == 0 && g->merged[i].upper == 0 && orientation >> i & 1;
    double most[VERTICES_MOST], least[VERTICES_MOST];
    if (repeated || !farthest(g, tol, orientation, 0, 1, most) ||
        !farthest(g, tol, orientation, 0, -1, least))
      continue;
    for (int64_t v = 0; v < g->vertices; ++v)
      t.rows[t.count * g->vertices + v] = (most[v] - least[v]) / 2;
    ++t.count;
  }
  sort_rows(t.rows, t.count, g->vertices);
  return t;
}

/* --- Made-up graphs --------------------------------------------------------------------------- */

typedef enum graph_kind {
  GRAPH_EXACT,     /* distances of made-up positions */
  GRAPH_TIED,      /* few different ones */
  GRAPH_INTERVALS, /* around such distances */
  GRAPH_LOOSE,     /* any intervals */
  GRAPH_ZEROS,     /* many vertices at one position */
  GRAPH_WRONG,     /* any distances: mostly without a realization */
  GRAPH_REPEATED,  /* several edges between the same vertices */
  GRAPH_KINDS
} graph_kind;

static gpugeo_dgp_edge make_edge(graph_kind kind, const double *x, int64_t u, int64_t v, dice *d) {
  gpugeo_dgp_edge e = {u, v, fabs(x[u] - x[v]), fabs(x[u] - x[v])};
  if (dice_whole(d, 1)) e.u = v, e.v = u;
  if (kind == GRAPH_INTERVALS || kind == GRAPH_REPEATED) {
    e.lower = fmax(0, e.lower - (double)dice_whole(d, 8) / 8);
    e.upper += (double)dice_whole(d, 8) / 8;
  }
  if (kind == GRAPH_LOOSE) {
    e.lower = (double)dice_whole(d, 16) / 8;
    e.upper = e.lower + (double)dice_whole(d, 8) / 8;
  }
  if (kind == GRAPH_WRONG) e.lower = e.upper = (double)dice_whole(d, 24) / 8;
  return e;
}

/* A random spanning tree and further edges. */
static void make_graph(small_graph *g, graph_kind kind, int64_t vertices, int64_t further,
                       dice *d) {
  double x[VERTICES_MOST];
  const int64_t steps = kind == GRAPH_TIED ? 3 : kind == GRAPH_ZEROS ? 2 : 64;
  for (int64_t v = 0; v < vertices; ++v)
    x[v] = (double)dice_whole(d, steps) / 8;
  *g = (small_graph){.vertices = vertices};
  for (int64_t v = 1; v < vertices; ++v)
    g->edge[g->count++] = make_edge(kind, x, dice_whole(d, v - 1), v, d);
  for (int64_t i = 0; i < further && vertices > 1; ++i) {
    const int64_t u = dice_whole(d, vertices - 1), v = dice_whole(d, vertices - 2);
    g->edge[g->count++] = make_edge(kind, x, u, v < u ? v : v + 1, d);
    if (kind == GRAPH_REPEATED) g->edge[g->count++] = make_edge(kind, x, u, v < u ? v : v + 1, d);
  }
  merge(g);
  if (g->merged_count > EDGES_MOST) g->count = vertices - 1; /* the tree alone */
}

/* --- Checks ----------------------------------------------------------------------------------- */

static double count_of(gpugeo_uint128 count) {
  return (double)count.low + (double)count.high * 0x1p64;
}

/* Realizations as rows, row-major, to be freed; NULL after a failure, which is a failed check. */
static double *solve(const small_graph *g, double tol, int64_t most, int32_t threads,
                     gpugeo_dgp_graph_result *result, gpugeo_dgp_vertex *order) {
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.tol = tol;
  options.max_solutions = most;
  options.run.threads = threads;
  gpugeo_error error = {0};
  gpugeo_report report;
  int64_t size = -1;
  gpugeo_status status =
      gpugeo_dgp_graph_size(g->vertices, g->edge, g->count, &options, &size, &error);
  CHECK(!status && size == most * g->vertices, "size %lld: %s", (long long)size, error.message);
  double *positions = malloc(sizeof(double) * (size_t)(size + 1));
  status = gpugeo_dgp_graph(g->vertices, g->edge, g->count, &options, result, positions, order,
                            &report, &error);
  if (!CHECK(!status, "%s", error.message)) {
    free(positions);
    return NULL;
  }
  CHECK(report.backend == GPUGEO_BACKEND_CPU && report.device == -1, "backend %d",
        (int)report.backend);
  double *rows = malloc(sizeof(double) * (size_t)(size + 1));
  for (int64_t i = 0; i < result->returned; ++i)
    for (int64_t v = 0; v < g->vertices; ++v)
      rows[i * g->vertices + v] = positions[i + v * most];
  free(positions);
  return rows;
}

static bool joined(const small_graph *g, int64_t u, int64_t v) {
  for (int64_t i = 0; i < g->count; ++i)
    if ((g->edge[i].u == u && g->edge[i].v == v) || (g->edge[i].u == v && g->edge[i].v == u))
      return true;
  return false;
}

/* Each vertex once, after its predecessor, to which it has an edge. */
static bool good_order(const small_graph *g, const gpugeo_dgp_vertex *order, int64_t blocks) {
  bool placed[VERTICES_MOST] = {false};
  if (order[0].vertex != 0 || order[0].predecessor != -1 || order[0].block != -1) return false;
  placed[0] = true;
  for (int64_t i = 1; i < g->vertices; ++i) {
    const gpugeo_dgp_vertex *o = &order[i];
    if (o->vertex < 0 || o->vertex >= g->vertices || placed[o->vertex]) return false;
    if (o->predecessor < 0 || !placed[o->predecessor] || !joined(g, o->vertex, o->predecessor))
      return false;
    if (o->block < 0 || o->block >= blocks) return false;
    placed[o->vertex] = true;
  }
  return true;
}

static void check_graph(small_graph *g, double tol, const char *what) {
  truth t = all_orientations(g, tol);
  gpugeo_dgp_graph_result result, few;
  gpugeo_dgp_vertex order[VERTICES_MOST];
  double *rows = solve(g, tol, t.count + 3, 1, &result, order);
  if (!rows) return;
  const bool right = CHECK(count_of(result.count) == (double)t.count &&
                               result.returned == t.count && !result.count_overflow,
                           "%s: %g realizations, %lld returned, expected %lld", what,
                           count_of(result.count), (long long)result.returned, (long long)t.count);
  CHECK(good_order(g, order, result.blocks), "%s: the order of vertices", what);
  /* As many as asked for are the first of all. */
  const int64_t asked[] = {0, 1, 2, 3, 5};
  for (int k = 0; right && k < 5; ++k) {
    double *first = solve(g, tol, asked[k], 2, &few, NULL);
    const int64_t want = asked[k] < t.count ? asked[k] : t.count;
    CHECK(first && few.returned == want && few.count.low == result.count.low &&
              memcmp(first, rows, sizeof(double) * (size_t)(want * g->vertices)) == 0,
          "%s: the first %lld are others", what, (long long)asked[k]);
    free(first);
  }
  if (right) {
    sort_rows(rows, t.count, g->vertices);
    int64_t wrong = 0;
    for (int64_t i = 0; i < t.count * g->vertices; ++i)
      wrong += rows[i] != t.rows[i];
    CHECK(wrong == 0, "%s: %lld positions are wrong", what, (long long)wrong);
  }
  free(rows);
  free(t.rows);
}

static void test_random(void) {
  static const double tols[] = {0, 0.125, 0.5};
  dice d = {77};
  char what[80];
  for (int kind = 0; kind < GRAPH_KINDS; ++kind)
    for (int i = 0; i < 120; ++i) {
      small_graph g;
      const int64_t vertices = 1 + dice_whole(&d, VERTICES_MOST - 1);
      make_graph(&g, (graph_kind)kind, vertices, dice_whole(&d, 6), &d);
      snprintf(what, sizeof what, "kind %d, graph %d, tol %g", kind, i, tols[i % 3]);
      check_graph(&g, tols[i % 3], what);
    }
}

/* --- Known graphs ----------------------------------------------------------------------------- */

/* Graphs of any size, as edges alone. */
typedef struct edge_list {
  gpugeo_dgp_edge edge[400];
  int64_t count;
} edge_list;

static void join(edge_list *list, int64_t u, int64_t v, double lower, double upper) {
  list->edge[list->count++] = (gpugeo_dgp_edge){u, v, lower, upper};
}

static gpugeo_dgp_graph_result count_list(const edge_list *list, int64_t vertices, double tol,
                                          const gpugeo_run *run, gpugeo_status expected) {
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.tol = tol;
  options.max_solutions = 0;
  if (run) options.run = *run;
  gpugeo_error error = {0};
  gpugeo_dgp_graph_result result = {0};
  const gpugeo_status status = gpugeo_dgp_graph(vertices, list->edge, list->count, &options,
                                                &result, NULL, NULL, NULL, &error);
  CHECK(status == expected, "status %d, not %d: %s", status, expected, error.message);
  CHECK(result.returned == 0, "%lld rows without room", (long long)result.returned);
  return result;
}

/* A bridge doubles the count, beyond 2^128 as well. */
static void test_bridges(void) {
  edge_list path = {.count = 0};
  for (int64_t v = 1; v <= 130; ++v) {
    join(&path, v - 1, v, 1, 1);
    const gpugeo_dgp_graph_result r = count_list(&path, v + 1, 0, NULL, GPUGEO_OK);
    const bool over = v > 127;
    const double want = ldexp(1, (int)v);
    CHECK(r.count_overflow == over &&
              (over ? r.count.low == UINT64_MAX && r.count.high == UINT64_MAX
                    : count_of(r.count) == want),
          "%lld bridges: %g, overflow %d", (long long)v, count_of(r.count), r.count_overflow);
    CHECK(r.blocks == v && r.bridges == v, "%lld blocks, %lld bridges", (long long)r.blocks,
          (long long)r.bridges);
  }
  /* A triangle without a realization at the end makes it 0. */
  join(&path, 130, 131, 1, 1);
  join(&path, 131, 132, 1, 1);
  join(&path, 132, 130, 1, 1);
  const gpugeo_dgp_graph_result r = count_list(&path, 133, 0, NULL, GPUGEO_OK);
  CHECK(count_of(r.count) == 0 && !r.count_overflow, "%g, overflow %d", count_of(r.count),
        r.count_overflow);
}

/* Bounds that contradict each other leave no realization; next to a bound that is too large for
   both to be exact they are refused, never rounded to agree. */
static void test_contradiction(void) {
  for (double most = 1; most < 1e300; most *= 1e10) {
    edge_list path = {.count = 0};
    join(&path, 0, 1, 5.5, 5.5);
    join(&path, 3, 2, 1, 1);
    join(&path, 2, 3, 1.25, 1.25);
    join(&path, 2, 0, 0.25, most);
    const gpugeo_status expected = most < 0x1p115 ? GPUGEO_OK : GPUGEO_ERROR_ARGUMENT;
    const gpugeo_dgp_graph_result r = count_list(&path, 4, 0, NULL, expected);
    CHECK(count_of(r.count) == 0, "%g realizations with a bound of %g", count_of(r.count), most);
  }
}

/* A tolerance is never rounded up to a unit that a large bound makes: the triangle misses 4.75
   by 2.5, more than three tolerances. */
static void test_large_unit(void) {
  for (double most = 10; most < 1e40; most *= 1e5) {
    edge_list graph = {.count = 0};
    join(&graph, 0, 1, 1, 1.25);
    join(&graph, 1, 2, 1, 1);
    join(&graph, 2, 0, 4.75, 4.75);
    join(&graph, 1, 3, 8.5, most);
    const gpugeo_status expected = most < 0x1p115 ? GPUGEO_OK : GPUGEO_ERROR_ARGUMENT;
    const gpugeo_dgp_graph_result r = count_list(&graph, 4, 0.75, NULL, expected);
    CHECK(count_of(r.count) == 0, "%g realizations with a bound of %g", count_of(r.count), most);
  }
}

/* Blocks in a row and side by side, found without recursion. */
static void test_long_path(void) {
  const int64_t vertices = 100000;
  gpugeo_dgp_edge *edges = malloc(sizeof *edges * (size_t)(3 * vertices));
  int64_t count = 0;
  for (int64_t v = 2; v < vertices; v += 2) { /* triangles 0-1-2, 2-3-4, ... */
    edges[count++] = (gpugeo_dgp_edge){v - 2, v - 1, 1, 1};
    edges[count++] = (gpugeo_dgp_edge){v - 1, v, 2, 2};
    edges[count++] = (gpugeo_dgp_edge){v, v - 2, 3, 3};
  }
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = 1;
  gpugeo_dgp_graph_result r = {0};
  const int64_t used = vertices - 1;
  double *positions = malloc(sizeof *positions * (size_t)used);
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_dgp_graph(used, edges, count, &options, &r, positions, NULL, NULL, &error);
  CHECK(!status && r.blocks == (used - 1) / 2 && r.bridges == 0 && r.count_overflow,
        "%s, %lld blocks", error.message, (long long)r.blocks);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count && !status; ++i)
    wrong += fabs(positions[edges[i].u] - positions[edges[i].v]) != edges[i].lower;
  CHECK(wrong == 0, "%lld distances are wrong", (long long)wrong);
  free(positions);
  free(edges);
}

/* A cycle of exact distances counts what gpugeo_dgp() does with n tol; the search without it the
   same, which an edge that is no exact one calls for. */
static void test_cycles(void) {
  dice d = {5};
  for (int i = 0; i < 40; ++i) {
    const int64_t n = 3 + i % 14;
    double distance[20];
    edge_list cycle = {.count = 0}, searched = {.count = 0};
    const double tol = i % 3 / 64.0;
    for (int64_t k = 0; k < n; ++k) {
      distance[k] = (double)(1 + dice_whole(&d, 30)) / 8;
      const int64_t next = (k + 1) % n;
      join(&cycle, k, next, distance[k], distance[k]);
      join(&searched, next, k, distance[k], distance[k]);
    }
    /* An interval so narrow that no other sum gets in, but not an exact distance. */
    searched.edge[0].lower -= 0x1p-40;
    gpugeo_dgp_options options;
    gpugeo_dgp_options_init(&options, sizeof options);
    options.tol = (double)n * tol;
    options.max_solutions = 0;
    gpugeo_dgp_result result;
    gpugeo_status status = gpugeo_dgp(distance, n, &options, &result, NULL, NULL, NULL);
    const gpugeo_dgp_graph_result a = count_list(&cycle, n, tol, NULL, GPUGEO_OK);
    const gpugeo_dgp_graph_result b = count_list(&searched, n, tol, NULL, GPUGEO_OK);
    CHECK(!status && a.count.low == result.count.low && b.count.low == result.count.low,
          "cycle of %lld: %lld and %lld, gpugeo_dgp() has %lld", (long long)n,
          (long long)a.count.low, (long long)b.count.low, (long long)result.count.low);
    CHECK(a.blocks == 1 && a.bridges == 0, "%lld blocks", (long long)a.blocks);
  }
  /* 2^44 orientations: only the better way ends. */
  edge_list large = {.count = 0};
  double distance[44];
  gpugeo_dgp_instance(44, 1, distance, NULL);
  for (int64_t k = 0; k < 44; ++k)
    join(&large, k, (k + 1) % 44, distance[k], distance[k]);
  const gpugeo_dgp_graph_result r = count_list(&large, 44, 0, NULL, GPUGEO_OK);
  CHECK(count_of(r.count) >= 2, "%g realizations of 44 distances", count_of(r.count));
  /* And too long a one is an error that says so. */
  edge_list endless = {.count = 0};
  for (int64_t k = 0; k < 120; ++k)
    join(&endless, k, (k + 1) % 120, 1 + (double)k / 7, 1 + (double)k / 7);
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  gpugeo_dgp_graph_result result;
  gpugeo_error error = {0};
  static double positions[1200];
  const gpugeo_status status =
      gpugeo_dgp_graph(120, endless.edge, 120, &options, &result, positions, NULL, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT &&
            strncmp(error.message, "a cycle of 120 exact distances is too long: ", 44) == 0,
        "status %d, %s", status, error.message);
}

/* --- Threads and hooks ------------------------------------------------------------------------ */

/* Three paths between two vertices, of `arm` edges each, which are equally long: no matter for
   gpugeo_dgp(). */
static void make_theta(edge_list *list, int64_t arm, int64_t *vertices) {
  list->count = 0;
  *vertices = 3 * (arm - 1) + 2;
  for (int64_t path = 0; path < 3; ++path)
    for (int64_t k = 0; k < arm; ++k) {
      const int64_t first = 2 + path * (arm - 1);
      const int64_t u = k == 0 ? 0 : first + k - 1, v = k == arm - 1 ? 1 : first + k;
      const double length = (double)(1 + (k + path) % arm % 7) / 8;
      join(list, u, v, length, length);
    }
}

/* The same for any number of threads: counts, and which realizations are returned. */
static void test_threads(void) {
  edge_list list;
  int64_t vertices;
  make_theta(&list, 6, &vertices);
  enum { MOST = 3000 };
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = MOST;
  const size_t size = sizeof(double) * (size_t)(MOST * vertices);
  double *first = calloc(1, size), *other = calloc(1, size);
  gpugeo_dgp_graph_result a = {0}, b = {0};
  options.run.threads = 1;
  gpugeo_error error = {0};
  gpugeo_status status =
      gpugeo_dgp_graph(vertices, list.edge, list.count, &options, &a, first, NULL, NULL, &error);
  CHECK(!status && a.returned > 500, "%lld returned, %s", (long long)a.returned, error.message);
  for (int32_t threads = 2; threads <= 5; ++threads) {
    options.run.threads = threads;
    memset(other, 0, size);
    status =
        gpugeo_dgp_graph(vertices, list.edge, list.count, &options, &b, other, NULL, NULL, &error);
    CHECK(!status && b.count.low == a.count.low && b.count.high == a.count.high &&
              b.returned == a.returned,
          "%d threads: %g realizations, not %g", threads, count_of(b.count), count_of(a.count));
    CHECK(memcmp(first, other, size) == 0, "%d threads: other positions", threads);
  }
  free(first);
  free(other);
}

/* The hooks are asked at every poll. Of several threads only the calling one polls, so graphs grow
   until it has come to enough. */
static void test_hooks(int32_t threads) {
  gg_clock_set_polls(1);
  edge_list list;
  int64_t vertices = 0;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.threads = threads;
  int64_t arm = 4;
  for (bool long_enough = false; !long_enough && arm < 20; ++arm) {
    witness w = {0};
    witness_watch(&w, &run);
    make_theta(&list, arm, &vertices);
    (void)count_list(&list, vertices, 0, &run, GPUGEO_OK);
    CHECK(!w.backwards && !w.beyond && w.told == w.asked,
          "%d told, %d asked, backwards %d, beyond %d", w.told, w.asked, w.backwards, w.beyond);
    long_enough = w.asked >= 4;
  }
  CHECK(arm < 20, "no graph is long enough for the hooks");
  /* Hours: whatever the threads do, the calling one polls twice. */
  make_theta(&list, 20, &vertices);
  witness stop = {.stop_at = 2};
  witness_watch(&stop, &run);
  (void)count_list(&list, vertices, 0, &run, GPUGEO_ERROR_INTERRUPT);
  CHECK(stop.asked == 2 && stop.after == 0, "asked %d times, %d after the answer", stop.asked,
        stop.after);
  gg_clock_set_polls(0);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void expect_error(int64_t vertices, const gpugeo_dgp_edge *edges, int64_t count,
                         const gpugeo_dgp_graph_options *options, const char *message) {
  gpugeo_dgp_graph_result result;
  gpugeo_error error = {0};
  static double positions[1000];
  const gpugeo_status status =
      gpugeo_dgp_graph(vertices, edges, count, options, &result, positions, NULL, NULL, &error);
  CHECK(status && strcmp(error.message, message) == 0, "status %d, \"%s\", expected \"%s\"", status,
        error.message, message);
}

static void test_errors(void) {
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
#define FAILS(message, ...)                                                                        \
  do {                                                                                             \
    const gpugeo_dgp_edge edges[] = {{0, 1, 1, 1}, __VA_ARGS__};                                   \
    expect_error(5, edges, sizeof edges / sizeof *edges, &options, message);                       \
  } while (0)
  FAILS("edge 2: the second vertex must be between 1 and 5 (the vertices), not 6", {1, 5, 1, 1});
  FAILS("edge 2: the first vertex must be between 1 and 5 (the vertices), not 0", {-1, 1, 1, 1});
  FAILS("edge 2 must join two vertices, not 3 with itself", {2, 2, 1, 1});
  FAILS("edge 2 (3, 4): lower must be a finite number of at least 0, not -1", {2, 3, -1, 1});
  FAILS("edge 2 (3, 4): lower must be a finite number of at least 0, not NaN", {2, 3, NAN, 1});
  FAILS("edge 2 (3, 4): upper must be a finite number of at least 0, not Inf", {2, 3, 1, INFINITY});
  FAILS("edge 2 (3, 4): lower must be at most upper, which is 1, not 1.5", {2, 3, 1.5, 1});
  FAILS("the graph must be connected; it has 3 components: {1, 2}, {3}, {4, 5}", {3, 4, 1, 1});
  const gpugeo_dgp_edge one = {0, 1, 1, 1};
  expect_error(
      40, &one, 1, &options,
      "the graph must be connected; it has 39 components: {1, 2}, {3}, {4}, {5}, {6}, {7}, ...");
  gpugeo_dgp_edge star[10];
  for (int64_t v = 0; v < 10; ++v)
    star[v] = (gpugeo_dgp_edge){0, v + 1, 1, 1};
  expect_error(
      12, star, 10, &options,
      "the graph must be connected; it has 2 components: {1, 2, 3, 4, 5, 6, 7, 8, ...}, {12}");
  static const char *const labels[] = {"a", "b", "sensor 7", "d", "e"};
  options.labels = labels;
  FAILS("edge 2 must join two vertices, not sensor 7 with itself", {2, 2, 1, 1});
  FAILS("edge 2 (sensor 7, d): lower must be at most upper, which is 1, not 2", {2, 3, 2, 1});
  FAILS("the graph must be connected; it has 3 components: {a, b}, {sensor 7}, {d, e}",
        {3, 4, 1, 1});
  options.labels = NULL;
  expect_error(0, NULL, 0, &options, "the graph must have a vertex");
  expect_error(2, NULL, 1, &options, "edges must not be NULL");
  options.tol = -1;
  FAILS("tol must be at least 0 and finite, not -1", {1, 2, 1, 1});
  options.tol = NAN;
  FAILS("tol must be at least 0 and finite, not NaN", {1, 2, 1, 1});
  options.tol = 0;
  options.max_solutions = -3;
  FAILS("max_solutions must be at least 0, not -3", {1, 2, 1, 1});
  options.max_solutions = 1;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  FAILS("backend must be \"auto\" or \"cpu\" for graphs, not \"cuda\"", {1, 2, 1, 1});
#undef FAILS
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = INT64_MAX / 8;
  int64_t size;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_dgp_graph_size(2, &one, 1, &options, &size, &error);
  CHECK(status == GPUGEO_ERROR_MEMORY &&
            strncmp(error.message, "max_solutions = 1152921504606846975 needs ", 41) == 0,
        "status %d, %s", status, error.message);
}

/* One vertex has one position, and distances that cannot be added exactly are refused. */
static void test_edges_of_range(void) {
  edge_list none = {.count = 0};
  gpugeo_dgp_graph_result r = count_list(&none, 1, 0, NULL, GPUGEO_OK);
  CHECK(r.count.low == 1 && r.blocks == 0, "%g", count_of(r.count));
  const double huge = 1e300, tiny = 1e-300;
  edge_list triangle = {.count = 0};
  join(&triangle, 0, 1, huge, huge);
  join(&triangle, 1, 2, tiny, tiny);
  join(&triangle, 2, 0, huge, huge);
  count_list(&triangle, 3, 0, NULL, GPUGEO_ERROR_ARGUMENT);
  /* A bridge is added to nothing where realizations are only counted. */
  join(&triangle, 2, 3, tiny, tiny);
  triangle.edge[1] = triangle.edge[0];
  triangle.edge[1].u = 2;
  triangle.edge[2].lower = 0;
  r = count_list(&triangle, 4, 0, NULL, GPUGEO_OK);
  CHECK(r.count.low == 8 && r.bridges == 1, "%g, %lld bridges", count_of(r.count),
        (long long)r.bridges);
  edge_list small = {.count = 0};
  join(&small, 0, 1, 3 * 0x1p-1074, 3 * 0x1p-1074);
  join(&small, 1, 2, 2 * 0x1p-1074, 2 * 0x1p-1074);
  join(&small, 2, 0, 0x1p-1074, 0x1p-1074);
  r = count_list(&small, 3, 0, NULL, GPUGEO_OK);
  CHECK(r.count.low == 2, "denormals: %g", count_of(r.count));
  /* Decided beyond the digits of a double: 1 + 2^-60 is not 1. */
  edge_list fine = {.count = 0};
  join(&fine, 0, 1, 1, 1);
  join(&fine, 1, 2, 0x1p-60, 0x1p-60);
  join(&fine, 2, 3, 1, 1);
  join(&fine, 3, 0, 0, 0x1p-61);
  CHECK(count_list(&fine, 4, 0, NULL, GPUGEO_OK).count.low == 0, "2^-60 was lost");
  fine.edge[3].upper = 0x1p-60;
  CHECK(count_list(&fine, 4, 0, NULL, GPUGEO_OK).count.low > 0, "2^-60 was added");
}

/* --- Files ------------------------------------------------------------------------------------ */

static const gpugeo_run *usual_run(void) {
  static gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  return &run;
}

/* The edges of a list in the two formats known, in one that is given, and by an MDfile. */
static void test_files(void) {
  char *folder = temporary_folder();
  char *list = temporary_path(folder, "list.nmr"), *md = temporary_path(folder, "file.mdf");
  static const struct {
    const char *text, *format;
  } lists[] = {
      {"  7   8   1.5   2.5  N   CA  GLU GLU \n# remark\n\n\t9  8 0  3 C CA GLU GLU\r\n", NULL},
      {"7 8 1.5 2.5\n9 8 0 3", NULL},
      {"7 8 1 1 1.5 2.5 N CA GLU GLU\n9 8 1 1 0.0 3 C CA GLU GLU\n", NULL},
      {"7 8 1 1 1.5 2.5\n9 8 1 1 0.0 3\n", NULL},
      {"x 2.5 8 7 1.5\nx 3 8 9 0\n", "ignore ub Id2 Id1 lb"},
  };
  gpugeo_error error = {0};
  gpugeo_dgp_file file;
  for (int i = 0; i < 6; ++i) {
    if (i < 5) {
      temporary_write(list, lists[i].text);
    } else {
      temporary_write(list, "7;8;1.5;2.5\n9;8;0;3\n");
      temporary_write(md,
                      "# one\ninstance: one\nwith file: list.nmr\nwith format:  Id1 Id2 lb ub \n"
                      "with separator: ';'\nmethod: bp\n");
    }
    const gpugeo_status status = gpugeo_dgp_file_read(
        i < 5 ? list : md, i < 5 ? lists[i].format : NULL, usual_run(), &file, &error);
    if (!CHECK(!status, "list %d: %s", i, error.message)) continue;
    const gpugeo_dgp_edge *e = file.edges;
    CHECK(file.first == 7 && file.vertices == 3 && file.edge_count == 2 && e[0].u == 0 &&
              e[0].v == 1 && e[0].lower == 1.5 && e[0].upper == 2.5 && e[1].u == 2 && e[1].v == 1 &&
              e[1].lower == 0 && e[1].upper == 3,
          "list %d: %lld edges, first %lld", i, (long long)file.edge_count, (long long)file.first);
    gpugeo_dgp_file_free(&file);
  }
  temporary_write(md, "with file: elsewhere\nwith format: Id1 Id2 lb ub\n");
  gpugeo_status status = gpugeo_dgp_file_read(md, NULL, usual_run(), &file, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strstr(error.message, "elsewhere\" cannot be read: "),
        "status %d, %s", status, error.message);
  status = gpugeo_dgp_file_read(list, "Id1 Id1 Id2 lb ub", usual_run(), &file, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "each of Id1, Id2, lb and ub once"),
        "status %d, %s", status, error.message);
  temporary_remove(list);
  temporary_remove(md);
  temporary_remove(folder);
}

static void expect_file(const char *path, const char *format, gpugeo_status want,
                        const char *message) {
  gpugeo_dgp_file file;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_dgp_file_read(path, format, usual_run(), &file, &error);
  CHECK(status == want && strstr(error.message, message) && !file.edges,
        "status %d, \"%s\", expected \"%s\"", status, error.message, message);
  if (!status) gpugeo_dgp_file_free(&file);
}

/* Files that would take memory or time without end, or that are no text. */
static void test_hostile_files(void) {
  char *folder = temporary_folder();
  char *pipe = temporary_path(folder, "pipe"), *list = temporary_path(folder, "list.nmr");
  char *md = temporary_path(folder, "file.mdf");
  if (make_pipe(pipe)) {
    expect_file(pipe, NULL, GPUGEO_ERROR_ARGUMENT, "it must be a regular file, not a pipe");
    temporary_write(md, "with file: pipe\nwith format: Id1 Id2 lb ub\n");
    expect_file(md, NULL, GPUGEO_ERROR_ARGUMENT,
                "pipe\" cannot be read: it must be a regular file");
  }
  expect_file(device_path, NULL, GPUGEO_ERROR_ARGUMENT, "it must be a regular file, not a device");
  expect_file(folder, NULL, GPUGEO_ERROR_ARGUMENT, "it must be a regular file, not a folder");

  /* Zeros without end, as far as a disk is concerned: a terabyte that takes no room. */
  temporary_write(list, "");
  if (make_hole(list, (int64_t)1 << 40))
    expect_file(list, NULL, GPUGEO_ERROR_ARGUMENT, "line 1 is longer than 1048576 bytes");
  else
    check_skip(1, "%s takes no files with holes", folder);
  temporary_write(list, "1 2 1 1\n1 9007199254740992 1 1\n");
  expect_file(list, NULL, GPUGEO_ERROR_ARGUMENT,
              "must have a distance for each vertex from 1 to 9007199254740992, but has only 2 "
              "distances");
  temporary_write(list, "1 2 1 1\n1 \xffx 1 1\n");
  expect_file(list, NULL, GPUGEO_ERROR_ARGUMENT,
              "line 2: Id2 must be a whole number of at least 0, not \"?x\"");

  char words[600];
  memset(words, ' ', sizeof words);
  memcpy(words, "Id1 Id2 lb ub", 13);
  words[599] = 0;
  expect_file(list, words, GPUGEO_ERROR_ARGUMENT, "format must have at most 511 bytes, not 599");
  for (int i = 0; i < 70; ++i)
    memcpy(words + 7 * i, "ignore ", 7);
  words[7 * 70] = 0;
  expect_file(list, words, GPUGEO_ERROR_ARGUMENT, "format must have at most 64 words, not 70");
  temporary_remove(pipe);
  temporary_remove(list);
  temporary_remove(md);
  temporary_remove(folder);
}

/* Errors give the true limit of memory, and the hook is called while a list is read. */
static void test_file_run(void) {
  const int64_t count = 1 << 18;
  const size_t line = 8;
  char *text = malloc((size_t)count * line + 1), message[600];
  for (int64_t i = 0; i < count; ++i)
    memcpy(text + (size_t)i * line, "1 2 1 1\n", line + 1);
  char *path = temporary_file(text, (size_t)count * line);
  gpugeo_run run = *usual_run();
  gpugeo_dgp_file file;
  gpugeo_error error = {0};
  run.work_bytes = 1 << 20;
  gpugeo_status status = gpugeo_dgp_file_read(path, NULL, &run, &file, &error);
  snprintf(message, sizeof message,
           "memory_limit must be more than 1048576 bytes for file \"%s\", which has more than "
           "32768 distances of 32 bytes each",
           path);
  CHECK(status == GPUGEO_ERROR_MEMORY && strcmp(error.message, message) == 0 && !file.edges,
        "status %d, \"%s\"", status, error.message);
  run.work_bytes = 32 * count;
  status = gpugeo_dgp_file_read(path, NULL, &run, &file, &error);
  if (CHECK(!status && file.edge_count == count, "%s", error.message)) gpugeo_dgp_file_free(&file);
  witness w = {.stop_at = 2};
  witness_watch(&w, &run);
  gg_clock_set_polls(1);
  status = gpugeo_dgp_file_read(path, NULL, &run, &file, &error);
  gg_clock_set_polls(0);
  CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == 2 && !file.edges,
        "status %d, asked %d times", status, w.asked);
  temporary_remove(path);
  free(text);
}

/* Numbers are read alike where the locale has a decimal comma. */
static void test_file_locale(void) {
  if (!decimal_comma_begin()) {
    check_skip(1, "localedef makes no locale with a decimal comma");
    return;
  }
  test_files();
  decimal_comma_end();
}

int main(void) {
  test_random();
  test_bridges();
  test_contradiction();
  test_large_unit();
  test_long_path();
  test_cycles();
  test_threads();
  test_hooks(1);
  test_hooks(3);
  test_errors();
  test_files();
  test_hostile_files();
  test_file_run();
  test_file_locale();
  test_edges_of_range();
  return check_end();
}

/*
 * Measures of layouts: hand-made pictures of which the answer is known, and random ones against
 * direct loops. Coordinates of those are small whole numbers in tests of ties, so that the
 * reference decides crossings and neighbours exactly.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "witness.h"

enum { MOST_VERTICES = 90, MOST_EDGES = 400 };

/* A graph without weights and a layout of it, positions column-major. */
typedef struct picture {
  int64_t vertices, edges, dim;
  int32_t end[2 * MOST_EDGES]; /* column-major with `edges` rows once finished */
  double at[3 * MOST_VERTICES];
} picture;

static gpugeo_status measure_as(const picture *p, const gpugeo_layout_quality_options *options,
                                gpugeo_layout_quality_result *quality, gpugeo_report *report,
                                gpugeo_error *error) {
  const gpugeo_graph graph = {
      .vertices = p->vertices,
      .edges = {p->end, GPUGEO_TYPE_INT32, p->edges, 2, p->edges, NULL},
      .first = 0,
  };
  const gpugeo_matrix positions = {p->at,  GPUGEO_TYPE_DOUBLE, p->vertices,
                                   p->dim, p->vertices,        NULL};
  return gpugeo_layout_quality(&graph, &positions, options, quality, report, error);
}

static gpugeo_layout_quality_result measure(const picture *p) {
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_result quality = {0};
  gpugeo_error error = {0};
  gpugeo_layout_quality_options_init(&options, sizeof options);
  CHECK(measure_as(p, &options, &quality, NULL, &error) == GPUGEO_OK, "%s", error.message);
  return quality;
}

static void add_edge(picture *p, int64_t u, int64_t v) {
  p->end[2 * p->edges] = (int32_t)u;
  p->end[2 * p->edges++ + 1] = (int32_t)v;
}

/* Rows of two to columns. */
static void finish(picture *p) {
  int32_t rows[2 * MOST_EDGES];
  memcpy(rows, p->end, sizeof rows);
  for (int64_t e = 0; e < p->edges; ++e)
    for (int k = 0; k < 2; ++k)
      p->end[e + k * p->edges] = rows[2 * e + k];
}

static bool near(double value, double expected) {
  return fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected));
}

/* --- Known pictures --------------------------------------------------------------------------- */

/* Stress of the complete graph of a square's corners: r is 1 four times and sqrt(2) twice. */
static void test_square(double size) {
  picture p = {.vertices = 4, .dim = 2, .at = {0, size, size, 0, 0, 0, size, size}};
  for (int u = 0; u < 4; ++u)
    for (int v = u + 1; v < 4; ++v)
      add_edge(&p, u, v);
  finish(&p);
  const gpugeo_layout_quality_result q = measure(&p);
  const double sum = 4 + 2 * sqrt(2), squares = 8;
  CHECK(near(q.stress, 1 - sum * sum / (6 * squares)), "stress %g", q.stress);
  CHECK(near(q.scale * size, sum / squares), "scale %g", q.scale);
  CHECK(q.neighborhood == 1, "neighbourhood %g", q.neighborhood);
  CHECK(q.crossings == 1 && q.crossings_error == 0, "crossings %g", q.crossings);
  const double mean = sum / 6, variance = squares / 6 - mean * mean;
  CHECK(near(q.edge_variation, sqrt(variance) / mean), "variation %g", q.edge_variation);
  CHECK(q.pivots == 4, "%lld pivots", (long long)q.pivots);
  const double energy = (4 + 2 * pow(2, 1.5)) * pow(size, 3) / 3 - 6 * log(size) - log(2);
  CHECK(fabs(q.energy - energy) <= 1e-12 * fabs(energy), "energy %g, not %g", q.energy, energy);
}

static void test_line(void) {
  picture p = {.vertices = 50, .dim = 2};
  for (int v = 0; v < 50; ++v) {
    p.at[v] = 3 * v;
    p.at[v + 50] = -4 * v;
    if (v) add_edge(&p, v - 1, v);
  }
  finish(&p);
  const gpugeo_layout_quality_result q = measure(&p);
  CHECK(fabs(q.stress) <= 1e-14 && near(q.scale, 0.2), "stress %g, scale %g", q.stress, q.scale);
  CHECK(q.crossings == 0, "crossings %g", q.crossings);
  CHECK(q.edge_variation <= 1e-14, "variation %g", q.edge_variation);
  /* Both ends have 1 neighbour, which is the nearest. */
  CHECK(q.neighborhood == 1, "neighbourhood %g", q.neighborhood);
}

/* In a regular polygon all is known by symmetry. */
static void test_polygon(void) {
  const int n = 12;
  const double turn = 2 * acos(-1) / n;
  picture p = {.vertices = n, .dim = 2};
  for (int v = 0; v < n; ++v) {
    p.at[v] = cos(v * turn);
    p.at[v + n] = sin(v * turn);
    add_edge(&p, v, (v + 1) % n);
  }
  finish(&p);
  const gpugeo_layout_quality_result q = measure(&p);
  double ratio = 0, square = 0;
  for (int k = 1; k < n; ++k) {
    const double r = 2 * sin(k * turn / 2) / (k < n - k ? k : n - k);
    ratio += r;
    square += r * r;
  }
  CHECK(near(q.stress, 1 - ratio * ratio / ((n - 1) * square)), "stress %g", q.stress);
  CHECK(near(q.scale, ratio / square), "scale %g", q.scale);
  CHECK(q.crossings == 0 && q.neighborhood == 1, "crossings %g, neighbourhood %g", q.crossings,
        q.neighborhood);
  CHECK(q.edge_variation <= 1e-14, "variation %g", q.edge_variation);
}

/* Two edges, from 0 to 1 and from 2 to 3. */
static double crossings_of(const double *x, const double *y) {
  picture p = {.vertices = 4, .dim = 2};
  memcpy(p.at, x, 4 * sizeof *x);
  memcpy(p.at + 4, y, 4 * sizeof *y);
  add_edge(&p, 0, 1);
  add_edge(&p, 2, 3);
  finish(&p);
  return measure(&p).crossings;
}

/* What a point in common is, also where roundings hide it. */
static void test_pairs(void) {
  const struct {
    const char *what;
    double x[4], y[4], crossings;
  } cases[] = {
      {"a cross", {0, 2, 0, 2}, {0, 2, 2, 0}, 1},
      {"beside", {0, 2, 0, 2}, {0, 0, 1, 1}, 0},
      {"an end on an edge", {0, 2, 1, 1}, {0, 0, 0, 5}, 1},
      {"an end short of it", {0, 2, 1, 1}, {0, 0, 0x1p-1000, 5}, 0},
      {"ends together", {0, 1, 1, 2}, {0, 1, 1, 0}, 1},
      {"one upon another", {0, 3, 1, 2}, {0, 3, 1, 2}, 1},
      {"on one line, apart", {0, 1, 2, 3}, {0, 1, 2, 3}, 0},
      {"on one line, end to end", {0, 1, 1, 3}, {0, 1, 1, 3}, 1},
      {"a point on an edge", {0, 2, 1, 1}, {0, 2, 1, 1}, 1},
      {"a point beside an edge", {0, 2, 1, 1}, {0, 2, 1.5, 1.5}, 0},
      {"two points", {1, 1, 1, 1}, {1, 1, 1, 1}, 1},
      /* 0.1 (3, 3.00..) and the like: the end is on the line but for the last digit. */
      {"just on", {0, 0x1p52 + 1, 1, 1}, {0, 0x1p52 + 1, 1, -1}, 1},
      {"just off", {0, 0x1p52, 0x1p51, 0x1p52}, {0, 0x1p52 + 1, 0x1p51, -1}, 0},
      {"just across", {0, 0x1p52, 0x1p51, 0x1p52}, {0, 0x1p52 - 1, 0x1p51, -1}, 1},
      {"huge", {0, 2e300, 0, 2e300}, {0, 2e300, 2e300, 0}, 1},
      {"tiny", {0, 2e-320, 0, 2e-320}, {0, 2e-320, 2e-320, 0}, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double found = crossings_of(cases[i].x, cases[i].y);
    CHECK(found == cases[i].crossings, "%s: %g crossings", cases[i].what, found);
    found = crossings_of(cases[i].y, cases[i].x);
    CHECK(found == cases[i].crossings, "%s, mirrored: %g crossings", cases[i].what, found);
  }
}

/* --- Random pictures -------------------------------------------------------------------------- */

/* Crossings of whole coordinates in whole numbers. */
static int64_t whole_side(const picture *p, int64_t a, int64_t b, int64_t c) {
  const double *x = p->at, *y = p->at + p->vertices;
  const int64_t area = (int64_t)((x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]));
  return (area > 0) - (area < 0);
}

static bool between(double a, double b, double c) { return fmin(a, b) <= c && c <= fmax(a, b); }

static bool lies_on(const picture *p, int64_t a, int64_t b, int64_t c) {
  const double *x = p->at, *y = p->at + p->vertices;
  return whole_side(p, a, b, c) == 0 && between(x[a], x[b], x[c]) && between(y[a], y[b], y[c]);
}

static bool reference_cross(const picture *p, int64_t a, int64_t b, int64_t c, int64_t d) {
  if (a == c || a == d || b == c || b == d) return false;
  if (lies_on(p, a, b, c) || lies_on(p, a, b, d) || lies_on(p, c, d, a) || lies_on(p, c, d, b))
    return true;
  return whole_side(p, a, b, c) * whole_side(p, a, b, d) < 0 &&
         whole_side(p, c, d, a) * whole_side(p, c, d, b) < 0;
}

static double square_of(const picture *p, int64_t i, int64_t j) {
  double sum = 0;
  for (int c = 0; c < p->dim; ++c)
    sum += pow(p->at[c * p->vertices + i] - p->at[c * p->vertices + j], 2);
  return sum;
}

/* All measures but the energy, by Floyd and Warshall's distances and full sorting. */
static gpugeo_layout_quality_result reference(const picture *p) {
  const int64_t n = p->vertices;
  static int hops[MOST_VERTICES][MOST_VERTICES];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      hops[i][j] = i == j ? 0 : 1000000;
  for (int64_t e = 0; e < p->edges; ++e) {
    const int32_t u = p->end[e], v = p->end[e + p->edges];
    if (u != v) hops[u][v] = hops[v][u] = 1;
  }
  static bool joined[MOST_VERTICES][MOST_VERTICES];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      joined[i][j] = hops[i][j] == 1;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (hops[i][k] + hops[k][j] < hops[i][j]) hops[i][j] = hops[i][k] + hops[k][j];

  gpugeo_layout_quality_result q = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, n};
  long double ratio = 0, square = 0, misses = 0;
  int64_t pairs = 0;
  for (int round = 0; round < 2; ++round) {
    const long double scale = round ? ratio / square : 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j) {
        if (hops[i][j] >= 1000000) continue;
        const long double r = sqrtl(square_of(p, i, j)) / hops[i][j];
        pairs += !round;
        ratio += round ? 0 : r;
        square += round ? 0 : r * r;
        misses += round ? (scale * r - 1) * (scale * r - 1) : 0;
      }
  }
  if (pairs) q.stress = square > 0 ? (double)(misses / pairs) : 1;
  if (pairs && square > 0) q.scale = (double)(ratio / square);

  int64_t counted = 0;
  double indices = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t degree = 0, common = 0;
    for (int64_t j = 0; j < n; ++j)
      degree += joined[i][j];
    if (!degree) continue;
    for (int64_t j = 0; j < n; ++j) {
      if (!joined[i][j]) continue;
      int64_t before = 0; /* vertices nearer than j */
      for (int64_t k = 0; k < n; ++k) {
        const double a = square_of(p, i, k), b = square_of(p, i, j);
        before += k != i && (a < b || (a == b && k < j));
      }
      common += before < degree;
    }
    ++counted;
    indices += (double)common / (double)(2 * degree - common);
  }
  if (counted) q.neighborhood = indices / (double)counted;

  double lengths = 0, squares = 0;
  int64_t edges = 0, crossings = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      if (!joined[i][j]) continue;
      ++edges;
      lengths += sqrt(square_of(p, i, j));
      squares += square_of(p, i, j);
      for (int64_t k = 0; k < n; ++k)
        for (int64_t l = k + 1; l < n && p->dim == 2; ++l)
          if (joined[k][l] && (k > i || (k == i && l > j)))
            crossings += reference_cross(p, i, j, k, l);
    }
  const double mean = lengths / (double)edges;
  if (mean > 0) q.edge_variation = sqrt(fmax(0, squares / (double)edges - mean * mean)) / mean;
  if (p->dim == 2) q.crossings = (double)crossings, q.crossings_error = 0;
  return q;
}

static bool alike(double a, double b) { return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-7; }

static void compare(const picture *p, const char *what, uint64_t seed) {
  const gpugeo_layout_quality_result q = measure(p), r = reference(p);
  CHECK((isnan(q.stress) && isnan(r.stress)) || near(q.stress, r.stress),
        "%s %d: stress %.17g, not %.17g", what, (int)seed, q.stress, r.stress);
  CHECK((isnan(q.scale) && isnan(r.scale)) || near(q.scale, r.scale), "%s %d: scale %g, not %g",
        what, (int)seed, q.scale, r.scale);
  CHECK(alike(q.neighborhood, r.neighborhood), "%s %d: neighbourhood %.17g, not %.17g", what,
        (int)seed, q.neighborhood, r.neighborhood);
  CHECK(alike(q.edge_variation, r.edge_variation), "%s %d: variation %g, not %g", what, (int)seed,
        q.edge_variation, r.edge_variation);
  CHECK(alike(q.crossings, r.crossings), "%s %d: crossings %g, not %g", what, (int)seed,
        q.crossings, r.crossings);
  CHECK(alike(q.crossings_error, r.crossings_error), "%s %d: error of crossings %g", what,
        (int)seed, q.crossings_error);
}

/* Random edges, some twice and some loops; coordinates are whole numbers up to `most`. */
static void scatter(picture *p, int64_t most, uint64_t seed) {
  dice d = {seed};
  *p = (picture){.vertices = 2 + dice_whole(&d, MOST_VERTICES - 2), .dim = 2 + (int64_t)(seed % 2)};
  const int64_t edges = dice_whole(&d, 2 * p->vertices);
  for (int64_t e = 0; e < edges; ++e)
    add_edge(p, dice_whole(&d, p->vertices - 1), dice_whole(&d, p->vertices - 1));
  if (seed % 3 == 0) /* a hub */
    for (int64_t v = 1; v < p->vertices; v += 1 + (seed % 2 != 0))
      add_edge(p, 0, v);
  finish(p);
  for (int64_t i = 0; i < p->vertices * p->dim; ++i)
    p->at[i] = (double)dice_whole(&d, most);
}

static void test_random(void) {
  static picture p;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    scatter(&p, 1000, seed);
    compare(&p, "scattered", seed);
    scatter(&p, 3, seed);
    compare(&p, "tied", seed);
    scatter(&p, 0, seed);
    compare(&p, "in one place", seed);
  }
}

/* --- Samples ---------------------------------------------------------------------------------- */

/* A sample of pivots or pairs is near the whole: five of its standard errors, measured by many
   seeds. */
static void test_samples(void) {
  static picture p;
  scatter(&p, 1000, 6);
  gpugeo_layout_quality_options options;
  gpugeo_error error = {0};
  gpugeo_layout_quality_options_init(&options, sizeof options);
  const gpugeo_layout_quality_result whole = measure(&p);
  const double pairs = 0.5 * (double)p.edges * (double)(p.edges - 1);
  enum { SEEDS = 100 };
  double mean = 0, errors = 0, stress = 0;
  int same = 0;
  double first = NAN;
  options.crossings = 2000 < pairs ? 2000 : (int64_t)pairs / 2;
  options.pivots = p.vertices / 2;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    gpugeo_layout_quality_result q = {0}, again = {0};
    options.seed = seed;
    CHECK(!measure_as(&p, &options, &q, NULL, &error), "%s", error.message);
    CHECK(!measure_as(&p, &options, &again, NULL, &error), "%s", error.message);
    CHECK(memcmp(&q, &again, sizeof q) == 0, "seed %d gives two samples", (int)seed);
    CHECK(q.pivots == options.pivots, "%lld pivots", (long long)q.pivots);
    mean += q.crossings / SEEDS;
    errors += q.crossings_error / SEEDS;
    stress += q.stress / SEEDS;
    same += q.crossings == first;
    first = q.crossings;
  }
  CHECK(whole.crossings > 0 && errors > 0, "%g crossings", whole.crossings);
  CHECK(fabs(mean - whole.crossings) <= 5 * errors / sqrt(SEEDS), "%g crossings, not %g +- %g",
        mean, whole.crossings, errors);
  CHECK(same < SEEDS / 2, "seeds give the same sample");
  CHECK(fabs(stress - whole.stress) < 0.02, "stress %g, not %g", stress, whole.stress);

  options.crossings = 0;
  options.pivots = 0;
  gpugeo_layout_quality_result none = {0};
  CHECK(!measure_as(&p, &options, &none, NULL, &error), "%s", error.message);
  CHECK(isnan(none.crossings) && isnan(none.stress) && none.neighborhood == whole.neighborhood,
        "nothing asked gives %g crossings, stress %g", none.crossings, none.stress);
  options.crossings = (int64_t)pairs;
  CHECK(!measure_as(&p, &options, &none, NULL, &error), "%s", error.message);
  CHECK(none.crossings == whole.crossings && none.crossings_error == 0, "%g of all pairs",
        none.crossings);
}

/* --- Large graphs ----------------------------------------------------------------------------- */

/* Vertices and edges of a tree in which each vertex hangs on one of those before it. */
static void make_tree(int64_t n, bool star, bool one_place, int32_t *ends, double *at) {
  dice d = {7};
  for (int64_t v = 1; v < n; ++v) {
    ends[v - 1] = star ? 0 : (int32_t)dice_whole(&d, v - 1 < 20 ? v - 1 : 20 + (v - 20) / 2);
    ends[v - 1 + n - 1] = (int32_t)v;
  }
  for (int64_t i = 0; i < 2 * n; ++i)
    at[i] = one_place ? 1 : dice_real(&d);
}

static void test_large(void) {
  const int64_t n = 5500;
  int32_t *ends = malloc(2 * (size_t)n * sizeof *ends);
  double *at = malloc(2 * (size_t)n * sizeof *at);
  for (int kind = 0; kind < 4; ++kind) {
    const bool star = kind % 2, one_place = kind / 2;
    make_tree(n, star, one_place, ends, at);
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {ends, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
    gpugeo_layout_quality_options options;
    gpugeo_layout_quality_options_init(&options, sizeof options);
    gpugeo_layout_quality_result q[3];
    gpugeo_error error = {0};
    for (int t = 0; t < 3; ++t) {
      memset(&q[t], 0, sizeof q[t]);
      gpugeo_report report;
      options.run.threads = t + 1;
      CHECK(!gpugeo_layout_quality(&graph, &positions, &options, &q[t], &report, &error), "%s",
            error.message);
      CHECK(memcmp(&q[0], &q[t], sizeof q[t]) == 0, "kind %d: not the same bits", kind);
      CHECK(report.threads == options.run.threads && report.backend == GPUGEO_BACKEND_CPU,
            "%d threads", report.threads);
    }
    CHECK(q[0].pivots == 200, "%lld pivots", (long long)q[0].pivots);
    const bool crossed = one_place && !star;
    CHECK(star ? q[0].crossings == 0 : q[0].crossings > 0, "kind %d: %g crossings", kind,
          q[0].crossings);
    CHECK(one_place ? q[0].stress == 1 && isnan(q[0].scale) && isnan(q[0].edge_variation)
                    : q[0].stress > 0 && q[0].stress < 1,
          "kind %d: stress %g", kind, q[0].stress);
    /* At one position the nearest of each leaf is 0, the centre. */
    if (one_place && star) CHECK(near(q[0].neighborhood, 1), "neighbourhood %g", q[0].neighborhood);
    if (crossed)
      CHECK(q[0].crossings <= 0.5 * (double)(n - 1) * (double)(n - 2), "%g", q[0].crossings);
  }
  free(ends);
  free(at);
}

/* --- Nothing to measure, and errors ----------------------------------------------------------- */

static void test_nothing(void) {
  picture p = {.vertices = 0, .dim = 2};
  for (p.vertices = 0; p.vertices < 3; ++p.vertices) {
    const gpugeo_layout_quality_result q = measure(&p);
    CHECK(isnan(q.stress) && isnan(q.scale) && isnan(q.neighborhood) && isnan(q.edge_variation),
          "%lld vertices without edges: stress %g", (long long)p.vertices, q.stress);
    CHECK(q.crossings == 0 && q.energy == 0, "crossings %g, energy %g", q.crossings, q.energy);
  }
  p = (picture){.vertices = 2, .dim = 3, .at = {1, 2, 1, 1, 1, 1}};
  add_edge(&p, 0, 1);
  finish(&p);
  const gpugeo_layout_quality_result q = measure(&p);
  CHECK(isnan(q.crossings) && isnan(q.crossings_error), "crossings in space: %g", q.crossings);
  CHECK(q.stress == 0 && q.scale == 1 && q.neighborhood == 1 && q.edge_variation == 0,
        "an edge: stress %g", q.stress);
}

static void fails(const picture *p, const gpugeo_layout_quality_options *options,
                  const char *argument, const char *message) {
  gpugeo_error error = {0};
  gpugeo_layout_quality_result q = {.stress = 7};
  CHECK(measure_as(p, options, &q, NULL, &error) == GPUGEO_ERROR_ARGUMENT, "%s", message);
  CHECK(!strcmp(error.argument, argument) && !strcmp(error.message, message), "%s: \"%s\"",
        error.argument, error.message);
  CHECK(q.stress == 7, "the result was written");
}

static void test_errors(void) {
  picture p = {.vertices = 3, .dim = 2, .at = {0, 1, 2, 0, 1, 0}};
  add_edge(&p, 0, 1);
  finish(&p);
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  options.pivots = 4;
  fails(&p, &options, "pivots", "pivots must be between 0 and 3 (the vertices), not 4");
  options.pivots = -2;
  fails(&p, &options, "pivots", "pivots must be between 0 and 3 (the vertices), not -2");
  options.pivots = -1;
  options.crossings = -2;
  fails(&p, &options, "crossings", "crossings must be at least 0, not -2");
  options.crossings = -1;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  fails(&p, &options, "backend",
        "backend must be \"auto\" or \"cpu\" for the quality of layouts, not \"cuda\"");
  options.run.backend = GPUGEO_BACKEND_AUTO;
  options.size = 1;
  fails(&p, &options, "options",
        "options must be filled by gpugeo_layout_quality_options_init() of gpugeo " GPUGEO_VERSION
        " or earlier, not have a size of 1");
  options.size = sizeof options;
  p.dim = 1;
  fails(&p, &options, "layout", "layout must have 2 or 3 columns, not 1");
  p.dim = 2;
  p.at[4] = NAN;
  fails(&p, &options, "layout",
        "layout must have no missing or infinite coordinates, but row 2 has NaN");
  p.at[4] = INFINITY;
  fails(&p, &options, "layout",
        "layout must have no missing or infinite coordinates, but row 2 has Inf");
  const gpugeo_graph graph = {.vertices = 4};
  const gpugeo_matrix positions = {p.at, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
  gpugeo_error error = {0};
  gpugeo_layout_quality_result q;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  CHECK(gpugeo_layout_quality(NULL, &positions, &options, &q, NULL, &error) &&
            !strcmp(error.message, "graph must not be NULL"),
        "%s", error.message);
  gpugeo_graph empty = graph;
  empty.edges = (gpugeo_matrix){NULL, GPUGEO_TYPE_INT32, 0, 2, 0, NULL};
  CHECK(gpugeo_layout_quality(&empty, &positions, &options, &q, NULL, &error) &&
            !strcmp(error.message, "layout must have a row for each of the 4 vertices, not 3 rows"),
        "%s", error.message);
}

/* --- Interrupts ------------------------------------------------------------------------------- */

/* Stops at the first question, the last one, and some between. */
static void test_interrupt(void) {
  const int64_t n = 3000;
  int32_t *ends = malloc(2 * (size_t)n * sizeof *ends);
  double *at = malloc(2 * (size_t)n * sizeof *at);
  make_tree(n, false, false, ends, at);
  const gpugeo_graph graph = {.vertices = n,
                              .edges = {ends, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
  const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  options.run.threads = 1; /* of several threads only the calling one polls */
  options.pivots = 50;
  witness all = {0};
  witness_watch(&all, &options.run);
  gpugeo_layout_quality_result q;
  gpugeo_error error = {0};
  gg_clock_set_polls(1);
  CHECK(!gpugeo_layout_quality(&graph, &positions, &options, &q, NULL, &error), "%s",
        error.message);
  CHECK(all.asked > 10, "asked %d times", all.asked);
  for (int part = 0; part <= 10; ++part) {
    witness some = {.stop_at = 1 + (all.asked - 1) * part / 10};
    witness_watch(&some, &options.run);
    const gpugeo_status status =
        gpugeo_layout_quality(&graph, &positions, &options, &q, NULL, &error);
    CHECK(status == GPUGEO_ERROR_INTERRUPT && some.asked == some.stop_at,
          "stopped at question %d of %d: status %d, asked %d times", some.stop_at, all.asked,
          status, some.asked);
  }
  gg_clock_set_polls(0);
  free(ends);
  free(at);
}

int main(void) {
  test_square(1);
  test_square(0.001);
  test_square(1e30);
  test_line();
  test_polygon();
  test_pairs();
  test_random();
  test_samples();
  test_large();
  test_nothing();
  test_errors();
  test_interrupt();
  return check_end();
}

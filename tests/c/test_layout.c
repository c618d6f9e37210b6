/* Layouts of graphs: what holds of them whatever the graph, and pictures that must come out right.
   Exact positions after a few iterations are golden cases. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

/* --- Graphs ----------------------------------------------------------------------------------- */

/* A graph that owns its edges; vertices from 0. */
typedef struct net {
  int64_t n, m, room;
  int32_t *u, *v;
  double *w;     /* NULL: all 1 */
  int32_t *both; /* for the view */
} net;

static void join(net *g, int64_t u, int64_t v) {
  if (g->m == g->room) {
    g->room = g->room ? 2 * g->room : 64;
    g->u = realloc(g->u, sizeof *g->u * (size_t)g->room);
    g->v = realloc(g->v, sizeof *g->v * (size_t)g->room);
  }
  g->u[g->m] = (int32_t)u;
  g->v[g->m++] = (int32_t)v;
  if (u >= g->n) g->n = u + 1;
  if (v >= g->n) g->n = v + 1;
}

static void net_free(net *g) {
  free(g->u);
  free(g->v);
  free(g->w);
  free(g->both);
  *g = (net){0};
}

static gpugeo_graph view(net *g) {
  free(g->both);
  g->both = malloc(sizeof *g->both * (size_t)(2 * g->m + 1));
  for (int64_t e = 0; e < g->m; ++e)
    g->both[e] = g->u[e], g->both[e + g->m] = g->v[e];
  return (gpugeo_graph){.vertices = g->n,
                        .edges = {g->both, GPUGEO_TYPE_INT32, g->m, 2, g->m, NULL},
                        .weights = g->w,
                        .weights_length = g->w ? g->m : 0};
}

static net path_net(int64_t n) {
  net g = {.n = n};
  for (int64_t v = 1; v < n; ++v)
    join(&g, v - 1, v);
  return g;
}

static net cycle_net(int64_t n) {
  net g = path_net(n);
  join(&g, n - 1, 0);
  return g;
}

static net star_net(int64_t n) {
  net g = {.n = n};
  for (int64_t v = 1; v < n; ++v)
    join(&g, 0, v);
  return g;
}

static net tree_net(int64_t n) {
  net g = {.n = n};
  for (int64_t v = 1; v < n; ++v)
    join(&g, (v - 1) / 2, v);
  return g;
}

static net grid_net(int64_t side) {
  net g = {.n = side * side};
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j) {
      if (i + 1 < side) join(&g, i * side + j, (i + 1) * side + j);
      if (j + 1 < side) join(&g, i * side + j, i * side + j + 1);
    }
  return g;
}

static net complete_net(int64_t n) {
  net g = {.n = n};
  for (int64_t v = 1; v < n; ++v)
    for (int64_t u = 0; u < v; ++u)
      join(&g, u, v);
  return g;
}

/* Zachary's karate club: 34 members, 78 friendships. */
static net karate_net(void) {
  static const signed char ends[] = {
      2,  1,  3,  1,  3,  2,  4,  1,  4,  2,  4,  3,  5,  1,  6,  1,  7,  1,  7,  5,  7,  6,  8,
      1,  8,  2,  8,  3,  8,  4,  9,  1,  9,  3,  10, 3,  11, 1,  11, 5,  11, 6,  12, 1,  13, 1,
      13, 4,  14, 1,  14, 2,  14, 3,  14, 4,  17, 6,  17, 7,  18, 1,  18, 2,  20, 1,  20, 2,  22,
      1,  22, 2,  26, 24, 26, 25, 28, 3,  28, 24, 28, 25, 29, 3,  30, 24, 30, 27, 31, 2,  31, 9,
      32, 1,  32, 25, 32, 26, 32, 29, 33, 3,  33, 9,  33, 15, 33, 16, 33, 19, 33, 21, 33, 23, 33,
      24, 33, 30, 33, 31, 33, 32, 34, 9,  34, 10, 34, 14, 34, 15, 34, 16, 34, 19, 34, 20, 34, 21,
      34, 23, 34, 24, 34, 27, 34, 28, 34, 29, 34, 30, 34, 31, 34, 32, 34, 33};
  net g = {.n = 34};
  for (size_t i = 0; i < sizeof ends; i += 2)
    join(&g, ends[i] - 1, ends[i + 1] - 1);
  return g;
}

/* Trees of random sizes with a few more edges, and single vertices. */
static net scattered_net(int64_t components, int64_t largest, uint64_t seed) {
  net g = {0};
  dice d = {seed};
  for (int64_t c = 0; c < components; ++c) {
    const int64_t size = c == 0 ? largest : 1 + dice_whole(&d, c % 9), first = g.n;
    g.n += size;
    for (int64_t v = 1; v < size; ++v) {
      join(&g, first + dice_whole(&d, v - 1), first + v);
      if (v % 3 == 0) join(&g, first + dice_whole(&d, size - 1), first + v);
    }
  }
  return g;
}

enum { DIMS = 3 };

/* --- Calls ------------------------------------------------------------------------------------ */

static gpugeo_layout_options settings(void) {
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  return options;
}

/* Positions, to be freed; NULL and a failed check where there is an error. */
static double *lay_out(const char *name, net *g, const gpugeo_layout_options *options,
                       gpugeo_layout_result *result) {
  const gpugeo_graph graph = view(g);
  gpugeo_layout_result unread;
  gpugeo_error error = {0};
  double *at = malloc(sizeof *at * (size_t)(g->n * options->dim + 1));
  if (CHECK(!gpugeo_layout(&graph, options, at, result ? result : &unread, NULL, &error), "%s: %s",
            name, error.message))
    return at;
  free(at);
  return NULL;
}

static double distance(const double *at, int64_t n, int dim, int64_t u, int64_t v) {
  double square = 0;
  for (int k = 0; k < dim; ++k)
    square += (at[u + k * n] - at[v + k * n]) * (at[u + k * n] - at[v + k * n]);
  return sqrt(square);
}

static int64_t not_finite(const double *at, int64_t count) {
  int64_t bad = 0;
  for (int64_t i = 0; i < count; ++i)
    bad += !isfinite(at[i]);
  return bad;
}

/* --- Any graph -------------------------------------------------------------------------------- */

/* All end, finite, whatever way they are laid out. */
static void test_any(void) {
  enum { NETS = 11 };
  static const char *const names[NETS] = {"none",     "one",       "no edges", "pair",
                                          "path",     "star",      "cycle",    "tree",
                                          "complete", "weights 0", "scattered"};
  net nets[NETS] = {{0},
                    {.n = 1},
                    {.n = 70},
                    path_net(2),
                    path_net(600),
                    star_net(600),
                    cycle_net(70),
                    tree_net(70),
                    complete_net(70),
                    cycle_net(100),
                    scattered_net(60, 90, 1)};
  nets[9].w = calloc((size_t)nets[9].m, sizeof *nets[9].w);
  for (int i = 0; i < NETS; ++i)
    for (int choice = 0; choice < 8; ++choice) {
      gpugeo_layout_options options = settings();
      options.dim = 2 + choice % 2;
      options.multilevel = choice / 2 % 2;
      options.repulsion =
          choice / 4 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
      if (nets[i].n > 100) options.iterations = 2;
      gpugeo_layout_result result;
      double *at = lay_out(names[i], &nets[i], &options, &result);
      if (!at) continue;
      CHECK(not_finite(at, nets[i].n * options.dim) == 0, "%s, choice %d: not finite", names[i],
            choice);
      CHECK(isfinite(result.energy), "%s, choice %d: energy %g", names[i], choice, result.energy);
      CHECK(result.iterations <= (options.iterations < 0 ? 500 : options.iterations) &&
                result.levels >= (nets[i].n > 0) && result.temperature >= 0,
            "%s, choice %d: %lld iterations, %d levels, temperature %g", names[i], choice,
            (long long)result.iterations, result.levels, result.temperature);
      CHECK(!options.multilevel || nets[i].n < 600 || result.levels > 3, "%s: only %d levels",
            names[i], result.levels);
      free(at);
    }
  for (int i = 0; i < NETS; ++i)
    net_free(&nets[i]);
}

/* A million leaves of one vertex, and a million vertices in a row, without coarser graphs. */
static void test_million(gpugeo_backend backend) {
  const bool cuda = backend == GPUGEO_BACKEND_CUDA;
  const int64_t n = !CHECK_SMALL ? 1000000 : cuda ? 10000 : 100000;
  net nets[] = {star_net(n + 1), path_net(n)};
  for (int i = 0; i < 2; ++i) {
    gpugeo_layout_options options = settings();
    options.run.backend = backend;
    options.multilevel = 0;
    options.iterations = 2;
    gpugeo_layout_result result;
    double *at = lay_out("million", &nets[i], &options, &result);
    CHECK(at && not_finite(at, 2 * nets[i].n) == 0 && isfinite(result.energy) &&
              result.iterations == 2 && result.levels == 1,
          "%s of a million on %s: %lld iterations, energy %g", i ? "path" : "star",
          gpugeo_name(GPUGEO_ENUM_BACKEND, backend), (long long)result.iterations, result.energy);
    free(at);
    net_free(&nets[i]);
  }
}

/* Vertices that start at one position separate, and by every repulsion the layout stays finite. */
static void test_coincident(void) {
  net g = grid_net(6);
  static double init[3 * 36];
  for (int choice = 0; choice < 8; ++choice) {
    gpugeo_layout_options options = settings();
    options.dim = 2 + choice % 2;
    options.init = init;
    options.init_length = g.n * options.dim;
    options.repulsion =
        choice / 2 % 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    for (int64_t i = 0; i < options.init_length; ++i)
      init[i] = choice / 4 ? 1e6 : (double)(i / 2 % 18); /* all together, or two by two */
    double *at = lay_out("coincident", &g, &options, NULL);
    if (!at) continue;
    double nearest = INFINITY;
    for (int64_t u = 0; u < g.n; ++u)
      for (int64_t v = 0; v < u; ++v)
        nearest = fmin(nearest, distance(at, g.n, options.dim, u, v));
    CHECK(nearest > 1e-3 && not_finite(at, options.init_length) == 0,
          "choice %d: two vertices are %g apart", choice, nearest);
    free(at);
  }
  net_free(&g);
}

/* Two vertices end where attraction and repulsion are equal: w d^2 = 1 / d. */
static void test_pair(void) {
  static const double weights[] = {1, 0.125, 8, 1000};
  for (int i = 0; i < 4; ++i)
    for (int dim = 2; dim <= 3; ++dim) {
      net g = path_net(2);
      join(&g, 1, 0);
      join(&g, 1, 1);
      const double w[] = {weights[i] / 4, 3 * weights[i] / 4, 5};
      g.w = memcpy(malloc(sizeof w), w, sizeof w);
      gpugeo_layout_options options = settings();
      options.dim = dim;
      double *at = lay_out("pair", &g, &options, NULL);
      const double want = 1 / cbrt(weights[i]);
      if (at) {
        const double got = distance(at, 2, dim, 0, 1);
        CHECK(fabs(got - want) < 0.02 * want, "weight %g: %g apart, expected %g", weights[i], got,
              want);
      }
      free(at);
      net_free(&g);
    }
}

/* The definition, by all pairs of each component. */
static double energy_of(const net *g, const double *at, int dim, const int32_t *component) {
  double sum = 0;
  for (int64_t e = 0; e < g->m; ++e)
    sum += (g->w ? g->w[e] : 1) * pow(distance(at, g->n, dim, g->u[e], g->v[e]), 3) / 3;
  for (int64_t u = 0; u < g->n; ++u)
    for (int64_t v = 0; v < u; ++v)
      if (component[u] == component[v]) sum -= log(distance(at, g->n, dim, u, v));
  return sum;
}

/* Each vertex gets the least vertex that it is connected with. */
static int32_t *components_of(const net *g) {
  int32_t *component = malloc(sizeof *component * (size_t)(g->n + 1));
  for (int64_t v = 0; v < g->n; ++v)
    component[v] = (int32_t)v;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t e = 0; e < g->m; ++e) {
      int32_t *u = &component[g->u[e]], *v = &component[g->v[e]];
      if (*u == *v) continue;
      changed = true;
      *u = *v = *u < *v ? *u : *v;
    }
  }
  return component;
}

/* The energy told is that of the layout, and falls from iteration to iteration when the moves are
   short. Of many pairs it is an estimate. */
static void test_energy(void) {
  net nets[] = {scattered_net(40, 120, 2), scattered_net(1, 5600, 3)};
  for (int i = 0; i < 2; ++i) {
    net *g = &nets[i];
    int32_t *component = components_of(g);
    double *at = NULL, before = INFINITY;
    for (int round = 0; round < (i ? 1 : 5); ++round) {
      gpugeo_layout_options options = settings();
      gpugeo_layout_result result;
      options.iterations = round ? 20 : 2;
      options.multilevel = round || i ? 0 : -1;
      if (round) {
        options.init = at;
        options.init_length = 2 * g->n;
        options.start_temp = 0.02;
      }
      double *next = lay_out("energy", g, &options, &result);
      if (!next) break;
      const double want = energy_of(g, next, 2, component);
      CHECK(fabs(result.energy - want) <= (i ? 2e-3 : 1e-10) * fabs(want),
            "energy %.15g, expected %.15g", result.energy, want);
      if (round > 1)
        CHECK(result.energy < before, "round %d: the energy goes from %g to %g", round, before,
              result.energy);
      before = result.energy;
      free(at);
      at = next;
    }
    free(at);
    free(component);
    net_free(g);
  }
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* The same bits on any number of threads, by coarser graphs large enough to be shared. */
static void test_threads(void) {
  net g = scattered_net(300, 8000, 9);
  double *at[2];
  for (int i = 0; i < 2; ++i) {
    gpugeo_layout_options options = settings();
    gpugeo_layout_result result;
    options.run.threads = 1 + 2 * i;
    options.iterations = 1;
    options.theta = 1.5;
    options.expansion_order = 0;
    at[i] = lay_out("threads", &g, &options, &result);
    CHECK(result.levels > 5, "only %d levels", result.levels);
  }
  CHECK(at[0] && at[1] && memcmp(at[0], at[1], sizeof *at[0] * (size_t)(2 * g.n)) == 0,
        "other bits on three threads");
  free(at[0]);
  free(at[1]);
  net_free(&g);
}

/* --- Symmetry --------------------------------------------------------------------------------- */

static double *random_start(int64_t n, int dim, uint64_t seed) {
  dice d = {seed};
  double *at = malloc(sizeof *at * (size_t)(n * dim));
  for (int64_t i = 0; i < n * dim; ++i)
    at[i] = 8 * dice_real(&d);
  return at;
}

/* A graph with its vertices in another order, its start mirrored, moved and in other coordinates
   gives the same layout, up to rounding: forces are of single precision. */
static void test_symmetry(void) {
  const int64_t n = 150;
  net g = scattered_net(1, n, 4), relabelled = {.n = n};
  for (int64_t e = 0; e < g.m; ++e)
    join(&relabelled, 7 * g.u[e] % n, 7 * g.v[e] % n);
  for (int choice = 0; choice < 4; ++choice) {
    gpugeo_layout_options options = settings();
    options.dim = 2 + choice % 2;
    options.repulsion =
        choice / 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    options.theta = 0; /* cells follow coordinates: all pairs */
    options.iterations = 3;
    options.start_temp = 0.25;
    options.init_length = n * options.dim;
    double *init = random_start(n, options.dim, 5),
           *other = malloc(sizeof *other * (size_t)options.init_length);
    for (int k = 0; k < options.dim; ++k)
      for (int64_t v = 0; v < n; ++v)
        other[7 * v % n + k * n] =
            (k ? 1 : -1) * init[v + (1 - k) * n * (k < 2) + k * n * (k == 2)] + 3 * k;
    options.init = init;
    double *at = lay_out("symmetry", &g, &options, NULL);
    options.init = other;
    double *mirrored = lay_out("mirrored", &relabelled, &options, NULL);
    double furthest = 0;
    for (int k = 0; at && mirrored && k < options.dim; ++k)
      for (int64_t v = 0; v < n; ++v) {
        const double want = (k ? 1 : -1) * at[v + (1 - k) * n * (k < 2) + k * n * (k == 2)] + 3 * k;
        furthest = fmax(furthest, fabs(mirrored[7 * v % n + k * n] - want));
      }
    CHECK(furthest < 2e-3, "choice %d: a vertex is %g beside its place", choice, furthest);
    free(at);
    free(mirrored);
    free(init);
    free(other);
  }
  net_free(&g);
  net_free(&relabelled);
}

/* --- Limits ----------------------------------------------------------------------------------- */

static void test_fixed(void) {
  const int64_t n = 49;
  net g = grid_net(7);
  double *init = random_start(n, 2, 6), lower[98], upper[98];
  int32_t fixed[49];
  for (int64_t i = 0; i < 2 * n; ++i) {
    lower[i] = i % 3 ? -INFINITY : -2;
    upper[i] = i % 5 ? INFINITY : 3;
    fixed[i % n] = i % 4 == 0;
  }
  for (int choice = 0; choice < 4; ++choice) {
    gpugeo_layout_options options = settings();
    options.repulsion =
        choice / 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    options.lower = lower, options.upper = upper;
    options.lower_length = options.upper_length = 2 * n;
    if (choice % 2) {
      options.init = init, options.init_length = 2 * n;
      options.fixed = fixed, options.fixed_length = n;
    }
    double *at = lay_out("fixed", &g, &options, NULL);
    if (!at) continue;
    int64_t moved = 0, outside = 0;
    for (int64_t i = 0; i < 2 * n; ++i)
      if (choice % 2 && fixed[i % n])
        moved += at[i] != init[i];
      else
        outside += !(at[i] >= lower[i] && at[i] <= upper[i]);
    CHECK(moved == 0 && outside == 0, "choice %d: %lld fixed moved, %lld outside", choice,
          (long long)moved, (long long)outside);
    free(at);
  }
  free(init);
  net_free(&g);
}

/* Bounds far from the middle still have the vertices within. */
static void test_far_bounds(void) {
  static const double bounds[][2] = {
      {1e6, 1e6 + 5}, {-1e9, -1e8}, {7, 7}, {100, INFINITY}, {-INFINITY, -100}};
  net g = cycle_net(12);
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
    double lower[24], upper[24];
    for (int j = 0; j < 24; ++j)
      lower[j] = bounds[i][0], upper[j] = bounds[i][1];
    gpugeo_layout_options options = settings();
    options.lower = lower, options.upper = upper;
    options.lower_length = options.upper_length = 24;
    double *at = lay_out("bounds", &g, &options, NULL);
    int outside = 0;
    for (int j = 0; at && j < 24; ++j)
      outside += !(at[j] >= lower[j] && at[j] <= upper[j]);
    CHECK(outside == 0, "%d coordinates are not in [%g, %g]", outside, bounds[i][0], bounds[i][1]);
    free(at);
  }
  net_free(&g);
}

/* --- Packing ---------------------------------------------------------------------------------- */

/* No two vertices of different components are nearer than 1. */
static void test_apart(void) {
  for (int choice = 0; choice < 4; ++choice) {
    net g = scattered_net(150, choice / 2 ? 1 : 100, 7);
    int32_t *component = components_of(&g);
    gpugeo_layout_options options = settings();
    options.dim = 2 + choice % 2;
    options.iterations = 30;
    gpugeo_layout_result result;
    double *at = lay_out("apart", &g, &options, &result), nearest = INFINITY, furthest = 0;
    int64_t count = 0;
    for (int64_t u = 0; at && u < g.n; ++u) {
      count += component[u] == u;
      for (int64_t v = 0; v < u; ++v)
        if (component[u] != component[v])
          nearest = fmin(nearest, distance(at, g.n, options.dim, u, v));
      for (int k = 0; k < options.dim; ++k)
        furthest = fmax(furthest, fabs(at[u + k * g.n]));
    }
    CHECK(nearest > 1 - 1e-9, "choice %d: components are %g apart", choice, nearest);
    CHECK(furthest < 60, "choice %d: a vertex is as far as %g", choice, furthest);
    CHECK(result.components == count, "%lld components, expected %lld",
          (long long)result.components, (long long)count);
    free(at);
    free(component);
    net_free(&g);
  }
}

/* The box of a component with half of the least distance around it: low and high of each
   coordinate. Returns its content. */
static double box_of(const net *g, const double *at, int dim, const int32_t *component, int32_t c,
                     double *box) {
  double content = 1;
  for (int k = 0; k < dim; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t v = 0; v < g->n; ++v)
      if (component[v] == c) {
        low = fmin(low, at[v + k * g->n]);
        high = fmax(high, at[v + k * g->n]);
      }
    box[k] = low - 0.5;
    box[DIMS + k] = high + 0.5;
    content *= box[DIMS + k] - box[k];
  }
  return content;
}

static bool overlap(const double *a, const double *b, int dim) {
  for (int k = 0; k < dim; ++k)
    if (a[DIMS + k] <= b[k] + 1e-9 || b[DIMS + k] <= a[k] + 1e-9) return false;
  return true;
}

/* Boxes of components don't overlap, and fill most of the drawing: of components of one size, and
   of a large one among small ones. */
static void test_packing(void) {
  for (int choice = 0; choice < 4; ++choice) {
    net g = scattered_net(300, choice / 2 ? 8 : 200, 12);
    const int dim = 2 + choice % 2;
    gpugeo_layout_options options = settings();
    options.dim = dim;
    options.iterations = 60;
    double *at = lay_out("packing", &g, &options, NULL), content = 0, whole = 1;
    int32_t *component = components_of(&g);
    double(*boxes)[2 * DIMS] = malloc(sizeof *boxes * (size_t)g.n);
    int64_t count = 0, overlaps = 0;
    for (int64_t v = 0; at && v < g.n; ++v) {
      if (component[v] != v) continue;
      content += box_of(&g, at, dim, component, (int32_t)v, boxes[count]);
      for (int64_t other = 0; other < count; ++other)
        overlaps += overlap(boxes[other], boxes[count], dim);
      ++count;
    }
    for (int k = 0; k < dim; ++k) {
      double low = INFINITY, high = -INFINITY;
      for (int64_t i = 0; i < count; ++i) {
        low = fmin(low, boxes[i][k]);
        high = fmax(high, boxes[i][DIMS + k]);
      }
      whole *= high - low;
    }
    CHECK(overlaps == 0, "choice %d: %lld boxes overlap", choice, (long long)overlaps);
    CHECK(content > (dim == 2 ? 0.83 : 0.5) * whole, "choice %d: only %g of the drawing is used",
          choice, content / whole);
    free(at);
    free(component);
    free(boxes);
    net_free(&g);
  }
}

/* Without edges there is a grid. */
static void test_singles(void) {
  const int64_t n = 1000000;
  net g = {.n = n};
  for (int dim = 2; dim <= 3; ++dim) {
    gpugeo_layout_options options = settings();
    options.dim = dim;
    double *at = lay_out("singles", &g, &options, NULL);
    const int64_t side = dim == 2 ? 1000 : 100;
    unsigned char *taken = calloc((size_t)n, 1);
    int64_t places = 0;
    for (int64_t v = 0; at && v < n; ++v) {
      int64_t place = 0;
      for (int k = 0; k < dim; ++k)
        place = place * side + (int64_t)floor(at[v + k * n] + (double)side / 2);
      if (place >= 0 && place < n && !taken[place]) ++places, taken[place] = 1;
    }
    CHECK(places == n, "%lld of %lld places are taken", (long long)places, (long long)n);
    free(taken);
    free(at);
  }
  net_free(&g);
}

/* --- Frames ----------------------------------------------------------------------------------- */

typedef struct film {
  int64_t count, last, stop_at, size;
  double temperature;
  bool wrong; /* numbers or temperatures in no order, positions that are not finite */
  double *positions;
} film;

static int see(int64_t iteration, double temperature, const double *positions, void *data) {
  film *f = data;
  ++f->count;
  if (iteration <= f->last || !(temperature >= 0) || not_finite(positions, f->size))
    f->wrong = true;
  f->last = iteration;
  f->temperature = temperature;
  memcpy(f->positions, positions, sizeof *positions * (size_t)f->size);
  return f->count == f->stop_at;
}

/* Frames are the layout on its way: the last one is the result. */
static void test_frames(void) {
  for (int choice = 0; choice < 4; ++choice) {
    net g = scattered_net(choice % 2 ? 1 : 30, choice / 2 ? 200 : 40, 8);
    film f = {.size = 2 * g.n, .positions = malloc(sizeof(double) * (size_t)(2 * g.n))};
    gpugeo_layout_options options = settings();
    options.iterations = 20;
    options.frame = see;
    options.frame_data = &f;
    options.frame_every = 5;
    double *at = lay_out("frames", &g, &options, NULL);
    CHECK(f.count == 4 && !f.wrong && f.last == 20,
          "choice %d: %lld frames, the last of iteration %lld", choice, (long long)f.count,
          (long long)f.last);
    CHECK(at && memcmp(at, f.positions, sizeof *at * (size_t)f.size) == 0,
          "choice %d: the last frame is not the result", choice);
    free(at);
    f = (film){.size = f.size, .positions = f.positions, .stop_at = 2};
    at = malloc(sizeof *at * (size_t)f.size);
    const gpugeo_graph graph = view(&g);
    gpugeo_layout_result result;
    gpugeo_error error = {0};
    CHECK(gpugeo_layout(&graph, &options, at, &result, NULL, &error) == GPUGEO_ERROR_INTERRUPT &&
              f.count == 2 && strcmp(error.message, "interrupted") == 0,
          "choice %d: %lld frames, \"%s\"", choice, (long long)f.count, error.message);
    free(at);
    free(f.positions);
    net_free(&g);
  }
}

/* A layout goes on from init with the temperature of a frame. */
static void test_tolerance(void) {
  net g = grid_net(8);
  gpugeo_layout_options options = settings();
  options.tolerance = 0.05;
  options.multilevel = 0;
  gpugeo_layout_result result;
  double *at = lay_out("tolerance", &g, &options, &result);
  CHECK(result.converged && result.iterations < 500, "%lld iterations, converged %d",
        (long long)result.iterations, result.converged);
  const double want = 8 * (1 - (double)result.iterations / 500);
  CHECK(fabs(result.temperature - want) < 1e-9, "temperature %g, expected %g", result.temperature,
        want);
  free(at);
  options.tolerance = 0;
  options.iterations = 7;
  at = lay_out("tolerance", &g, &options, &result);
  CHECK(!result.converged && result.iterations == 7 && result.temperature == 0,
        "%lld iterations, converged %d, temperature %g", (long long)result.iterations,
        result.converged, result.temperature);
  free(at);
  net_free(&g);
}

/* --- Pictures --------------------------------------------------------------------------------- */

/* Normalised stress with the best scale: breadth first from every vertex. */
static double stress_of(const net *g, const double *at, int dim) {
  int32_t *far = malloc(sizeof *far * (size_t)g->n);
  double pairs = 0, ratios = 0, squares = 0;
  for (int64_t s = 0; s < g->n; ++s) {
    for (int64_t v = 0; v < g->n; ++v)
      far[v] = v == s ? 0 : -1;
    bool more = true;
    for (int32_t steps = 0; more; ++steps) {
      more = false;
      for (int64_t e = 0; e < g->m; ++e) {
        const int32_t u = g->u[e], v = g->v[e];
        if (far[u] == steps && far[v] < 0) far[v] = steps + 1, more = true;
        if (far[v] == steps && far[u] < 0) far[u] = steps + 1, more = true;
      }
    }
    for (int64_t v = 0; v < s; ++v) {
      if (far[v] < 0) continue;
      const double ratio = distance(at, g->n, dim, s, v) / far[v];
      pairs += 1;
      ratios += ratio;
      squares += ratio * ratio;
    }
  }
  free(far);
  return 1 - ratios * ratios / squares / pairs;
}

static double turn(const net *g, const double *at, int64_t a, int64_t b, int64_t c) {
  const double *y = at + g->n;
  return (at[b] - at[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (at[c] - at[a]);
}

static int64_t crossings_of(const net *g, const double *at) {
  int64_t count = 0;
  for (int64_t e = 0; e < g->m; ++e)
    for (int64_t f = 0; f < e; ++f) {
      const int32_t a = g->u[e], b = g->v[e], c = g->u[f], d = g->v[f];
      if (a == c || a == d || b == c || b == d) continue;
      count += (turn(g, at, a, b, c) > 0) != (turn(g, at, a, b, d) > 0) &&
               (turn(g, at, c, d, a) > 0) != (turn(g, at, c, d, b) > 0);
    }
  return count;
}

/* What each picture must reach with the defaults, from any seed. */
static void test_pictures(void) {
  enum { PICTURES = 6, SEEDS = 5 };
  static const struct {
    const char *name;
    double stress;
    int64_t crossings;
  } want[PICTURES] = {{"cycle", 0.02, 0}, {"grid", 0.03, 0},   {"tree", 0.14, 20},
                      {"path", 0.01, 0},  {"karate", 0.1, 80}, {"star", 0.18, 0}};
  net nets[PICTURES] = {cycle_net(100), grid_net(15), tree_net(127),
                        path_net(100),  karate_net(), star_net(80)};
  for (int i = 0; i < PICTURES; ++i) {
    int good = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
      gpugeo_layout_options options = settings();
      options.seed = seed;
      double *at = lay_out(want[i].name, &nets[i], &options, NULL);
      if (!at) continue;
      const double stress = stress_of(&nets[i], at, 2);
      const int64_t crossings = crossings_of(&nets[i], at);
      good += stress <= want[i].stress && crossings <= want[i].crossings;
      printf("%s, seed %d: stress %.4f, %lld crossings\n", want[i].name, (int)seed, stress,
             (long long)crossings);
      free(at);
    }
    CHECK(good == SEEDS, "%s: only %d of %d pictures are good", want[i].name, good, SEEDS);
    net_free(&nets[i]);
  }
}

int main(void) {
  gpugeo_error error;
  test_any();
  test_million(GPUGEO_BACKEND_CPU);
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error))
    check_skip(1, "CUDA: not present (%s), a million vertices not tested there", error.message);
  else
    test_million(GPUGEO_BACKEND_CUDA);
  test_coincident();
  test_pair();
  test_energy();
  test_threads();
  test_symmetry();
  test_fixed();
  test_far_bounds();
  test_apart();
  test_packing();
  test_singles();
  test_frames();
  test_tolerance();
  test_pictures();
  return check_end();
}

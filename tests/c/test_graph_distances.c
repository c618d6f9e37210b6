/*
 * Distances in graphs against Floyd and Warshall's algorithm on random graphs. Lengths are
 * multiples of 2^-10 below 2^10, so that all sums are exact; other lengths are compared with sums
 * along the only path of a tree.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/random.h"
#include "common/test_hooks.h"
#include "gpugeo.h"
#include "witness.h"

enum { MOST_VERTICES = 70, MOST_EDGES = 300 };

/* A graph, its edges column-major. */
typedef struct network {
  int64_t vertices, edges;
  int32_t *end;
  double *length; /* NULL: all 1 */
} network;

static gpugeo_graph graph_of(const network *net) {
  return (gpugeo_graph){
      .vertices = net->vertices,
      .edges = {net->end, GPUGEO_TYPE_INT32, net->edges, 2, net->edges, NULL},
  };
}

static gpugeo_graph_distances_options options_of(const network *net) {
  gpugeo_graph_distances_options options;
  gpugeo_graph_distances_options_init(&options, sizeof options);
  options.lengths = net->length;
  options.lengths_length = net->edges;
  return options;
}

/* Returns the distances, to be freed. */
static double *compute(const network *net, const gpugeo_graph_distances_options *options,
                       gpugeo_report *report) {
  const gpugeo_graph graph = graph_of(net);
  gpugeo_error error = {0};
  int64_t size = -1;
  CHECK(!gpugeo_graph_distances_size(&graph, options, &size, &error), "%s", error.message);
  CHECK(size == net->vertices * (options->from ? options->from_length : net->vertices), "%lld",
        (long long)size);
  double *distances = malloc((size_t)(size > 0 ? size : 1) * sizeof *distances);
  if (!CHECK(distances, "memory")) exit(1);
  memset(distances, 0xff, (size_t)size * sizeof *distances);
  CHECK(!gpugeo_graph_distances(&graph, options, distances, report, &error), "%s", error.message);
  return distances;
}

/* --- Random graphs ---------------------------------------------------------------------------- */

/* Returns a random number below `limit`. */
static int64_t draw(uint64_t *seed, int64_t limit) {
  return (int64_t)(gg_random(99, (*seed)++) % (uint64_t)limit);
}

/* Makes a random graph, with loops, multiple edges and several components. */
static network random_network(uint64_t number, int32_t *end, double *length) {
  uint64_t seed = number << 20;
  network net = {.vertices = draw(&seed, MOST_VERTICES), .end = end};
  net.edges = net.vertices ? draw(&seed, 1 + (number % 3 + 1) * net.vertices) : 0;
  net.length = number % 2 ? length : NULL;
  for (int64_t e = 0; e < 2 * net.edges; ++e)
    end[e] = (int32_t)draw(&seed, net.vertices);
  for (int64_t e = 0; e < net.edges; ++e)
    length[e] = (double)(1 + draw(&seed, number % 4 == 1 ? 3 : 1 << 20)) / 1024;
  return net;
}

/* Fills distances by Floyd and Warshall's algorithm. */
static void reference(const network *net, double *d) {
  const int64_t n = net->vertices;
  for (int64_t i = 0; i < n * n; ++i)
    d[i] = i % (n + 1) ? INFINITY : 0;
  for (int64_t e = 0; e < net->edges; ++e) {
    const int64_t u = net->end[e], v = net->end[e + net->edges];
    const double length = net->length ? net->length[e] : 1;
    if (u != v) d[u + v * n] = d[v + u * n] = fmin(d[u + v * n], length);
  }
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        d[i + j * n] = fmin(d[i + j * n], d[i + k * n] + d[k + j * n]);
}

static void test_random(void) {
  static int32_t end[2 * MOST_EDGES];
  static double length[MOST_EDGES], expected[MOST_VERTICES * MOST_VERTICES];
  for (uint64_t number = 0; number < 240; ++number) {
    const network net = random_network(number, end, length);
    reference(&net, expected);
    for (int32_t threads = 1; threads <= 3; ++threads) {
      gpugeo_graph_distances_options options = options_of(&net);
      options.run.threads = threads;
      double *got = compute(&net, &options, NULL);
      CHECK(!memcmp(got, expected, (size_t)(net.vertices * net.vertices) * sizeof *got),
            "graph %d, %d threads", (int)number, (int)threads);
      free(got);
    }
  }
}

/* Some vertices, one of them twice, in any order; vertices numbered from 1; without lengths from
   more sources than a word has bits. */
static void test_from(void) {
  static int32_t end[2 * MOST_EDGES];
  static double length[MOST_EDGES], expected[MOST_VERTICES * MOST_VERTICES];
  for (uint64_t number = 0; number < 40; ++number) {
    const network net = random_network(number, end, length);
    if (net.vertices == 0) continue;
    reference(&net, expected);
    double from[150];
    uint64_t seed = number << 30;
    for (int i = 0; i < 150; ++i)
      from[i] = 1 + (double)draw(&seed, net.vertices);
    for (int64_t e = 0; e < 2 * net.edges; ++e)
      ++end[e];
    gpugeo_graph graph = graph_of(&net);
    graph.first = 1;
    gpugeo_graph_distances_options options = options_of(&net);
    options.from = from;
    options.from_length = number % 2 ? 7 : 150;
    options.run.threads = 1 + (int32_t)(number % 4);
    static double got[150 * MOST_VERTICES];
    gpugeo_error error = {0};
    CHECK(!gpugeo_graph_distances(&graph, &options, got, NULL, &error), "%s", error.message);
    int64_t wrong = 0;
    for (int64_t i = 0; i < options.from_length; ++i)
      for (int64_t v = 0; v < net.vertices; ++v)
        wrong +=
            got[i + v * options.from_length] != expected[(int64_t)from[i] - 1 + v * net.vertices];
    CHECK(wrong == 0, "graph %d: %d distances", (int)number, (int)wrong);
  }
}

/* --- Known graphs ----------------------------------------------------------------------------- */

/* Makes a path of n vertices, or a star around vertex 0; to be freed by network_free(). */
static network tree_of(int64_t n, bool star) {
  network net = {.vertices = n, .edges = n - 1};
  net.end = malloc((size_t)(2 * n) * sizeof *net.end);
  if (!CHECK(net.end, "memory")) exit(1);
  for (int64_t e = 0; e < n - 1; ++e) {
    net.end[e] = star ? 0 : (int32_t)e;
    net.end[e + n - 1] = (int32_t)e + 1;
  }
  return net;
}

static void network_free(network *net) {
  free(net->end);
  free(net->length);
}

/* A path of 10^6 vertices, from its ends and from its middle. */
static void test_path(bool with_lengths) {
  const int64_t n = CHECK_SMALL ? 20000 : 1000000;
  network net = tree_of(n, false);
  if (with_lengths) net.length = malloc((size_t)n * sizeof *net.length);
  for (int64_t e = 0; with_lengths && e < n - 1; ++e)
    net.length[e] = 1 / (double)(e + 1);
  double from[] = {0, (double)(n / 2), (double)(n - 1)};
  gpugeo_graph_distances_options options = options_of(&net);
  options.from = from;
  options.from_length = 3;
  double *got = compute(&net, &options, NULL);
  int64_t wrong = 0;
  for (int s = 0; s < 3; ++s) {
    double sum = 0;
    for (int64_t v = (int64_t)from[s]; v < n; ++v) {
      wrong += got[s + 3 * v] != sum;
      if (v < n - 1) sum += with_lengths ? net.length[v] : 1;
    }
    sum = 0;
    for (int64_t v = (int64_t)from[s]; v >= 0; --v) {
      wrong += got[s + 3 * v] != sum;
      if (v > 0) sum += with_lengths ? net.length[v - 1] : 1;
    }
  }
  CHECK(wrong == 0, "%d distances of a path", (int)wrong);
  free(got);
  network_free(&net);
}

static void test_star(void) {
  const int64_t n = CHECK_SMALL ? 20000 : 1000000;
  network net = tree_of(n, true);
  double from[] = {0, 7};
  gpugeo_graph_distances_options options = options_of(&net);
  options.from = from;
  options.from_length = 2;
  double *got = compute(&net, &options, NULL);
  int64_t wrong = 0;
  for (int64_t v = 0; v < n; ++v) {
    wrong += got[2 * v] != (v > 0);
    wrong += got[2 * v + 1] != (v == 7 ? 0 : v == 0 ? 1 : 2);
  }
  CHECK(wrong == 0, "%d distances of a star", (int)wrong);
  free(got);
  network_free(&net);
}

/* No vertices, one vertex, no edges, no sources. */
static void test_small(void) {
  for (int64_t n = 0; n <= 3; ++n) {
    const network net = {.vertices = n};
    gpugeo_graph_distances_options options = options_of(&net);
    options.lengths = NULL;
    double *got = compute(&net, &options, NULL);
    for (int64_t i = 0; i < n * n; ++i)
      CHECK(got[i] == (i % (n + 1) ? INFINITY : 0), "%g", got[i]);
    free(got);
    double none = 0;
    options.from = &none;
    options.from_length = 0;
    free(compute(&net, &options, NULL));
  }
}

/* Lengths at both ends of the range of doubles, of parallel edges, and a sum beyond the range. */
static void test_lengths(void) {
  int32_t end[] = {0, 1, 1, 2, 3, 3, 1, 0, 2, 3, 4, 4};
  double length[] = {1e-300, 5, 4, 1e300, 1.5e308, DBL_MAX};
  const network net = {5, 6, end, length};
  const gpugeo_graph_distances_options options = options_of(&net);
  double *got = compute(&net, &options, NULL);
  const double expected[] = {0, 1e-300, 4, 1e300, 1.5e308 + 1e300};
  for (int v = 0; v < 5; ++v)
    CHECK(got[5 * v] == expected[v], "to %d: %g", v, got[5 * v]);
  length[3] = 1.5e308;
  free(got);
  got = compute(&net, &options, NULL);
  CHECK(got[5 * 4] == INFINITY && got[3 + 5 * 4] == 1.5e308, "%g %g", got[20], got[23]);
  free(got);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void fails(const gpugeo_graph *graph, const gpugeo_graph_distances_options *options,
                  gpugeo_status status, const char *message) {
  gpugeo_error error = {0};
  double got[25] = {7};
  int64_t size = 7;
  CHECK(gpugeo_graph_distances(graph, options, got, NULL, &error) == status && got[0] == 7, "%s",
        message);
  CHECK(!strcmp(error.message, message), "%s instead of %s", error.message, message);
  CHECK(gpugeo_graph_distances_size(graph, options, &size, &error) == status && size == 7, "%s",
        message);
  CHECK(!strcmp(error.message, message), "%s instead of %s", error.message, message);
}

static void test_errors(void) {
  int32_t end[] = {0, 1, 1, 2};
  double length[] = {1, 2}, from[] = {0, 3};
  const network net = {3, 2, end, length};
  const gpugeo_graph graph = graph_of(&net);
  gpugeo_graph_distances_options options = options_of(&net);
  fails(NULL, &options, GPUGEO_ERROR_ARGUMENT, "graph must not be NULL");
  options.from = from;
  options.from_length = 2;
  const double wrong[] = {3, -1, 0.5, NAN, INFINITY};
  const char *const shown[] = {"3", "-1", "0.5", "NaN", "Inf"};
  for (int i = 0; i < 5; ++i) {
    char message[200];
    from[1] = wrong[i];
    snprintf(message, sizeof message,
             "from must be whole numbers between 0 and 2 (the vertices), not %s", shown[i]);
    fails(&graph, &options, GPUGEO_ERROR_ARGUMENT, message);
  }
  options.from = NULL;
  options.lengths_length = 3;
  fails(&graph, &options, GPUGEO_ERROR_ARGUMENT,
        "lengths must have a value for each of the 2 edges, not 3 values");
  options.lengths_length = 2;
  const double no_length[] = {0, -2, NAN, INFINITY};
  const char *const as[] = {"0", "-2", "NaN", "Inf"};
  for (int i = 0; i < 4; ++i) {
    char message[200];
    length[1] = no_length[i];
    snprintf(message, sizeof message, "edge 2 (1, 2): length must be positive and finite, not %s",
             as[i]);
    fails(&graph, &options, GPUGEO_ERROR_ARGUMENT, message);
  }
  length[1] = 2;
}

/* --- CUDA ------------------------------------------------------------------------------------- */

/* Checks that CUDA's distances have the CPU's bits. */
static void compare_backends(const char *name, const network *net, const double *from,
                             int64_t from_length, int64_t work_bytes) {
  gpugeo_graph_distances_options options = options_of(net);
  options.from = from;
  options.from_length = from_length;
  options.run.backend = GPUGEO_BACKEND_CPU;
  double *expected = compute(net, &options, NULL);
  gpugeo_report report = {0};
  options.run.backend = GPUGEO_BACKEND_CUDA;
  options.run.work_bytes = work_bytes;
  double *got = compute(net, &options, &report);
  const int64_t size = net->vertices * (from ? from_length : net->vertices);
  int64_t wrong = 0;
  for (int64_t i = 0; i < size; ++i)
    wrong += memcmp(&got[i], &expected[i], sizeof *got) != 0;
  CHECK(wrong == 0, "%s: %lld of %lld distances differ", name, (long long)wrong, (long long)size);
  CHECK(report.backend == GPUGEO_BACKEND_CUDA && report.device >= 0, "%s: %d", name,
        (int)report.backend);
  free(got);
  free(expected);
}

/* Random graphs of several components, with sums that are rounded. */
static void compare_random(void) {
  static int32_t end[2 * MOST_EDGES];
  static double length[MOST_EDGES];
  for (uint64_t number = 0; number < 60; ++number) {
    if (check_leaves_out(7)) continue;
    char name[40];
    const network net = random_network(number, end, length);
    for (int64_t e = 0; e < net.edges; ++e)
      length[e] = 1 / (3 + length[e]);
    snprintf(name, sizeof name, "random graph %d", (int)number);
    compare_backends(name, &net, NULL, 0, 0);
  }
}

/* A grid of side by side vertices whose rows are joined to one hub, with lengths or without. */
static network grid_with_hub(int64_t side, bool with_lengths) {
  const int64_t n = side * side + 1;
  network net = {.vertices = n, .edges = 2 * side * (side - 1) + side};
  net.end = malloc((size_t)(2 * net.edges) * sizeof *net.end);
  net.length = with_lengths ? malloc((size_t)net.edges * sizeof *net.length) : NULL;
  if (!CHECK(net.end && (net.length || !with_lengths), "memory")) exit(1);
  int64_t e = 0;
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j) {
      const int64_t to[] = {i < side - 1 ? (i + 1) * side + j : -1,
                            j < side - 1 ? i * side + j + 1 : -1, j == 0 ? n - 1 : -1};
      for (int k = 0; k < 3; ++k) {
        if (to[k] < 0) continue;
        net.end[e] = (int32_t)(i * side + j);
        net.end[e + net.edges] = (int32_t)to[k];
        if (with_lengths) net.length[e] = 0.1 + gg_random_unit(5, (uint64_t)e);
        ++e;
      }
    }
  CHECK(e == net.edges, "%lld edges", (long long)e);
  return net;
}

/* More sources than a word has bits, some twice; device memory for about 20 sources; a hub. */
static void compare_grids(void) {
  const int64_t side = CHECK_SMALL ? 12 : 90;
  double from[150];
  for (int with_lengths = 0; with_lengths < 2; ++with_lengths) {
    network net = grid_with_hub(side, with_lengths);
    for (int i = 0; i < 150; ++i)
      from[i] = (double)(gg_random(8, (uint64_t)(i / 2)) % (uint64_t)net.vertices);
    compare_backends("grid", &net, from, 150, 0);
    compare_backends("grid with little memory", &net, from, 30, 250 * side * side);
    network_free(&net);
  }
}

/* Long paths and stars, with as many steps as vertices and with one vertex of all edges. */
static void compare_trees(void) {
  const int64_t n = CHECK_SMALL ? 300 : 5000;
  const double from[] = {0, 7, (double)(n - 1)};
  for (int kind = 0; kind < 4; ++kind) {
    if (check_leaves_out(3)) continue;
    network net = tree_of(n, kind % 2);
    if (kind / 2) net.length = malloc((size_t)n * sizeof *net.length);
    for (int64_t e = 0; net.length && e < n - 1; ++e)
      net.length[e] = 1 / (double)(e + 1);
    compare_backends(kind % 2 ? "star" : "path", &net, from, 3, 0);
    network_free(&net);
  }
}

/* No vertices, no edges, no sources; sums beyond the range of doubles. */
static void compare_edges(void) {
  for (int64_t n = 0; n <= 3; ++n) {
    const network net = {.vertices = n};
    compare_backends("no edges", &net, NULL, 0, 0);
  }
  int32_t end[] = {0, 1, 1, 2, 3, 3, 1, 0, 2, 3, 4, 4};
  double length[] = {1e-300, 5, 4, 1.5e308, 1.5e308, DBL_MAX};
  const network net = {5, 6, end, length};
  compare_backends("lengths", &net, NULL, 0, 0);
  compare_backends("no sources", &net, length, 0, 0);
}

/* A search on CUDA is stopped at any poll. */
static void test_cuda_hooks(void) {
  const network net = tree_of(3000, false);
  const double from[] = {0, 2999};
  const gpugeo_graph graph = graph_of(&net);
  gpugeo_graph_distances_options options = options_of(&net);
  options.from = from;
  options.from_length = 2;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  double *got = malloc(2 * 3000 * sizeof *got);
  gg_clock_set_polls(1);
  witness w = {0};
  witness_watch(&w, &options.run);
  gpugeo_error error = {0};
  CHECK(!gpugeo_graph_distances(&graph, &options, got, NULL, &error), "%s", error.message);
  CHECK(w.asked > 3 && !w.backwards && !w.beyond && !w.strangers, "%d", w.asked);
  for (int stop = 1; stop <= w.asked; stop += 1 + w.asked / 5) {
    witness stopping = {.stop_at = stop};
    witness_watch(&stopping, &options.run);
    CHECK(gpugeo_graph_distances(&graph, &options, got, NULL, &error) == GPUGEO_ERROR_INTERRUPT &&
              stopping.after == 0,
          "stopped at %d", stop);
  }
  gg_clock_set_polls(0);
  free(got);
  free(net.end);
}

static void test_cuda(void) {
  gpugeo_error error = {0};
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), its distances are not compared", error.message);
    return;
  }
  compare_random();
  compare_grids();
  compare_trees();
  compare_edges();
  test_cuda_hooks();
}

/* --- Hooks and the report --------------------------------------------------------------------- */

/* Both kinds of searches are stopped on one thread and on several, and progress never goes back. */
static void test_hooks(void) {
  const int64_t n = 40000;
  network net = tree_of(n, false);
  double *length = malloc((size_t)n * sizeof *length);
  for (int64_t e = 0; length && e < n; ++e)
    length[e] = 2;
  const gpugeo_graph graph = graph_of(&net);
  double from[200], *got = malloc(200 * (size_t)n * sizeof *got);
  for (int i = 0; i < 200; ++i)
    from[i] = i;
  gg_clock_set_polls(1);
  for (int kind = 0; kind < 4; ++kind) {
    gpugeo_graph_distances_options options = options_of(&net);
    options.lengths = kind % 2 ? length : NULL;
    options.from = from;
    options.from_length = 200;
    options.run.threads = 1 + kind / 2;
    witness w = {0};
    witness_watch(&w, &options.run);
    gpugeo_error error = {0};
    CHECK(!gpugeo_graph_distances(&graph, &options, got, NULL, &error), "%s", error.message);
    CHECK(w.told > 3 && w.asked > 3 && !w.backwards && !w.beyond && !w.strangers, "%d %d", w.told,
          w.asked);
    const int asked = options.run.threads == 1 ? w.asked : 1;
    for (int stop = 1; stop <= asked; stop += 1 + asked / 5) {
      witness stopping = {.stop_at = stop};
      witness_watch(&stopping, &options.run);
      CHECK(gpugeo_graph_distances(&graph, &options, got, NULL, &error) == GPUGEO_ERROR_INTERRUPT &&
                stopping.after == 0,
            "kind %d: stopped at %d", kind, stop);
    }
  }
  gg_clock_set_polls(0);
  free(got);
  free(length);
  network_free(&net);
}

static void test_report(void) {
  int32_t end[] = {0, 1};
  const network net = {2, 1, end, NULL};
  gpugeo_graph_distances_options options = options_of(&net);
  options.run.threads = 2;
  gpugeo_report report = {0};
  free(compute(&net, &options, &report));
  CHECK(report.backend == GPUGEO_BACKEND_CPU && report.threads == 2 && report.device == -1 &&
            report.seconds > 0,
        "%d threads", (int)report.threads);
}

int main(void) {
  test_random();
  test_from();
  test_path(false);
  test_path(true);
  test_star();
  test_small();
  test_lengths();
  test_errors();
  test_hooks();
  test_report();
  test_cuda();
  return check_end();
}

/* Layouts by stress on CUDA against those of the CPU: as good by the stress of all pairs, the same
   bits in any run, and what fixed vertices, bounds, given positions and frames promise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/random.h"
#include "common/test_hooks.h"
#include "gpugeo.h"
#include "witness.h"

enum { MOST_EDGES = 1 << 16 };

/* A graph, its edges column-major after graph_of(). */
typedef struct net {
  const char *name;
  int64_t n, m;
  int32_t from[MOST_EDGES], to[MOST_EDGES], both[2 * MOST_EDGES];
} net;

static net nets; /* the one that is being laid out */

static void join(int64_t u, int64_t v) {
  nets.from[nets.m] = (int32_t)u;
  nets.to[nets.m++] = (int32_t)v;
  if (u >= nets.n) nets.n = u + 1;
  if (v >= nets.n) nets.n = v + 1;
}

static void begin_net(const char *name) {
  nets.name = name;
  nets.n = nets.m = 0;
}

static gpugeo_graph graph_of(void) {
  memcpy(nets.both, nets.from, (size_t)nets.m * sizeof *nets.from);
  memcpy(nets.both + nets.m, nets.to, (size_t)nets.m * sizeof *nets.to);
  return (gpugeo_graph){.vertices = nets.n,
                        .edges = {nets.both, GPUGEO_TYPE_INT32, nets.m, 2, nets.m, NULL}};
}

static void make_grid(int64_t rows, int64_t columns, int64_t first) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t v = first + i * columns + j;
      if (i + 1 < rows) join(v, v + columns);
      if (j + 1 < columns) join(v, v + 1);
    }
}

/* Joins each vertex to two before it, more often to those that have many edges. */
static void make_attachment(int64_t n) {
  join(0, 1);
  for (int64_t v = 2; v < n; ++v)
    for (uint64_t k = 0; k < 2; ++k) {
      const uint64_t e = gg_random(3 + k, (uint64_t)v) % (uint64_t)(2 * v - 3);
      join(v, e % 2 ? nets.from[e] : nets.to[e]);
    }
}

static gpugeo_layout_options options_on(gpugeo_backend backend, int dim) {
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  options.algorithm = GPUGEO_LAYOUT_ALGORITHM_STRESS;
  options.dim = dim;
  options.run.backend = backend;
  return options;
}

/* Returns the positions, to be freed. */
static double *lay_out(const gpugeo_layout_options *options, gpugeo_layout_result *result) {
  const gpugeo_graph graph = graph_of();
  double *positions = calloc((size_t)(nets.n * options->dim), sizeof *positions);
  if (!CHECK(positions, "memory")) exit(1);
  gpugeo_error error = {0};
  gpugeo_report report = {0};
  CHECK(!gpugeo_layout(&graph, options, positions, result, &report, &error), "%s: %s", nets.name,
        error.message);
  CHECK(report.backend == options->run.backend, "%s: backend %d", nets.name, (int)report.backend);
  return positions;
}

/* Returns the stress of all pairs of vertices. */
static double stress_of(const double *positions, int dim) {
  const gpugeo_graph graph = graph_of();
  const gpugeo_matrix at = {positions, GPUGEO_TYPE_DOUBLE, nets.n, dim, nets.n, NULL};
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  options.pivots = nets.n;
  options.crossings = 0;
  gpugeo_layout_quality_result quality = {0};
  gpugeo_error error = {0};
  CHECK(!gpugeo_layout_quality(&graph, &at, &options, &quality, NULL, &error), "%s: %s", nets.name,
        error.message);
  return quality.stress;
}

/* Compares the layouts of the present graph. */
static void compare(int dim) {
  double stress[2];
  for (int b = 0; b < 2; ++b) {
    gpugeo_layout_result result = {0}, again = {0};
    const gpugeo_layout_options options =
        options_on(b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU, dim);
    double *at = lay_out(&options, &result);
    stress[b] = stress_of(at, dim);
    CHECK(result.pivots == 200 && result.iterations > 0 && result.iterations <= 500,
          "%s: %lld iterations", nets.name, (long long)result.iterations);
    CHECK(fabs(result.stress - stress[b]) < 0.2 * stress[b] + 0.02, "%s: %g of the pivots, %g",
          nets.name, result.stress, stress[b]);
    double *same = b ? lay_out(&options, &again) : NULL;
    CHECK(!b || (!memcmp(at, same, (size_t)(nets.n * dim) * sizeof *at) &&
                 !memcmp(&result.stress, &again.stress, sizeof result.stress) &&
                 again.iterations == result.iterations),
          "%s: other bits in the second run", nets.name);
    free(same);
    free(at);
  }
  printf("%s, dim %d: stress %.4f on the CPU, %.4f on CUDA\n", nets.name, dim, stress[0],
         stress[1]);
  CHECK(stress[1] <= 1.25 * stress[0] + 0.01, "%s, dim %d: stress %g instead of %g", nets.name, dim,
        stress[1], stress[0]);
}

static void make_net(int kind) {
  static const char *const name[] = {"grid", "tree", "star", "attachment", "path", "components"};
  begin_net(name[kind]);
  if (kind == 0) make_grid(36, 40, 0);
  if (kind == 3) make_attachment(2000);
  if (kind == 5) {
    make_grid(20, 60, 0);
    make_grid(35, 35, 1200);
    join(2425, 2426); /* small components are the host's */
    join(2427, 2428);
  }
  for (int64_t v = 1; (kind == 1 || kind == 2 || kind == 4) && v < 1500; ++v)
    join(kind == 1 ? (v - 1) / 2 : kind == 2 ? 0 : v - 1, v);
}

static void test_graphs(void) {
  for (int kind = 0; kind < 6; ++kind)
    for (int dim = 2; dim <= 3; ++dim) {
      if (check_leaves_out(5)) continue;
      make_net(kind);
      compare(dim);
    }
}

/* No iterations: the given positions, bit by bit. With some: fixed vertices stay, others move, and
   all are within bounds. */
static void test_placed(void) {
  make_net(0);
  const int64_t n = nets.n;
  static double init[2 * 1440], lower[2 * 1440], upper[2 * 1440];
  static int32_t fixed[1440];
  for (int64_t i = 0; i < 2 * n; ++i) {
    init[i] = 30 * gg_random_unit(7, (uint64_t)i);
    lower[i] = -1;
    upper[i] = 31;
  }
  for (int64_t v = 0; v < n; ++v)
    fixed[v] = v % 7 == 0;
  gpugeo_layout_options options = options_on(GPUGEO_BACKEND_CUDA, 2);
  gpugeo_layout_result result;
  options.init = init;
  options.init_length = 2 * n;
  options.iterations = 0;
  double *at = lay_out(&options, &result);
  CHECK(!memcmp(at, init, sizeof init) && result.iterations == 0, "given positions have moved");
  free(at);
  options.iterations = 30;
  options.fixed = fixed;
  options.fixed_length = n;
  options.lower = lower;
  options.upper = upper;
  options.lower_length = options.upper_length = 2 * n;
  at = lay_out(&options, &result);
  int64_t moved = 0, outside = 0, stayed = 0;
  for (int64_t i = 0; i < 2 * n; ++i) {
    moved += fixed[i % n] && at[i] != init[i];
    stayed += !fixed[i % n] && at[i] == init[i];
    outside += !(at[i] >= lower[i] && at[i] <= upper[i]);
  }
  CHECK(moved == 0 && outside == 0 && stayed < n / 10, "%d fixed moved, %d outside, %d stayed",
        (int)moved, (int)outside, (int)stayed);
  free(at);
}

/* Counts frames, whose positions must be finite. */
static int count_frame(int64_t iteration, double temperature, const double *positions, void *data) {
  int64_t *frames = data;
  frames[0] += temperature == 0;
  frames[1] += !isfinite(positions[0]);
  return iteration == frames[2];
}

/* Frames come after every third iteration; one of them stops the call, and so does any poll. */
static void test_hooks(void) {
  make_net(0);
  int64_t frames[3] = {0, 0, -1};
  gpugeo_layout_options options = options_on(GPUGEO_BACKEND_CUDA, 2);
  gpugeo_layout_result result;
  options.iterations = 9;
  options.frame = count_frame;
  options.frame_every = 3;
  options.frame_data = frames;
  free(lay_out(&options, &result));
  CHECK(frames[0] == result.iterations / 3 && frames[1] == 0, "%d frames", (int)frames[0]);
  frames[2] = 3;
  const gpugeo_graph graph = graph_of();
  static double at[2 * 1440];
  gpugeo_error error = {0};
  CHECK(gpugeo_layout(&graph, &options, at, &result, NULL, &error) == GPUGEO_ERROR_INTERRUPT, "%s",
        error.message);
  options.frame = NULL;
  gg_clock_set_polls(1);
  witness w = {0};
  witness_watch(&w, &options.run);
  CHECK(!gpugeo_layout(&graph, &options, at, &result, NULL, &error), "%s", error.message);
  CHECK(w.asked > 3 && !w.backwards && !w.beyond && !w.strangers, "%d", w.asked);
  for (int stop = 1; stop <= w.asked; stop += 1 + w.asked / 9) {
    witness stopping = {.stop_at = stop};
    witness_watch(&stopping, &options.run);
    const gpugeo_status status = gpugeo_layout(&graph, &options, at, &result, NULL, &error);
    /* A call that waits less for the device ends before so many questions. */
    CHECK(stopping.asked < stop ? !status : status == GPUGEO_ERROR_INTERRUPT && stopping.after == 0,
          "stopped at %d: status %d", stop, status);
  }
  gg_clock_set_polls(0);
}

/* As many pivots as vertices but one, of which the last are drawn from few. */
static void test_many_pivots(void) {
  begin_net("small grid");
  make_grid(20, 51, 0);
  gpugeo_layout_options options = options_on(GPUGEO_BACKEND_CUDA, 2);
  gpugeo_layout_result result;
  options.pivots = nets.n - 1;
  double *at = lay_out(&options, &result);
  CHECK(result.pivots == nets.n - 1 && stress_of(at, 2) < 0.03, "%g", stress_of(at, 2));
  free(at);
}

/* Paths of more edges than distances of 16 bits have are left to the host. */
static void test_long_path(void) {
  const int64_t n = 66000;
  int32_t *edge = malloc((size_t)(2 * n) * sizeof *edge);
  double *at = malloc((size_t)(2 * n) * sizeof *at);
  if (!CHECK(edge && at, "memory")) exit(1);
  for (int64_t e = 0; e < n - 1; ++e) {
    edge[e] = (int32_t)e;
    edge[e + n - 1] = (int32_t)e + 1;
  }
  const gpugeo_graph graph = {.vertices = n,
                              .edges = {edge, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
  gpugeo_layout_options options = options_on(GPUGEO_BACKEND_CUDA, 2);
  options.pivots = 5;
  options.iterations = 2;
  gpugeo_layout_result result = {0};
  gpugeo_error error = {0};
  CHECK(!gpugeo_layout(&graph, &options, at, &result, NULL, &error), "%s", error.message);
  CHECK(result.iterations == 2 && result.pivots == 5, "%lld iterations",
        (long long)result.iterations);
  free(edge);
  free(at);
}

/* Lengths are the host's; backend "auto" takes it. */
static void test_lengths(void) {
  make_net(0);
  static double lengths[MOST_EDGES], at[2 * 1440];
  for (int64_t e = 0; e < nets.m; ++e)
    lengths[e] = 2;
  const gpugeo_graph graph = graph_of();
  gpugeo_layout_options options = options_on(GPUGEO_BACKEND_CUDA, 2);
  options.lengths = lengths;
  options.lengths_length = nets.m;
  gpugeo_layout_result result;
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  CHECK(gpugeo_layout(&graph, &options, at, &result, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            !strcmp(error.message, "backend must be \"auto\" or \"cpu\" for layouts by stress with "
                                   "lengths, not \"cuda\""),
        "%s", error.message);
  options.run.backend = GPUGEO_BACKEND_AUTO;
  CHECK(!gpugeo_layout(&graph, &options, at, &result, &report, &error) &&
            report.backend == GPUGEO_BACKEND_CPU,
        "%s", error.message);
}

int main(void) {
  test_lengths();
  gpugeo_error error = {0};
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), its layouts by stress are not compared", error.message);
    return check_end();
  }
  test_graphs();
  test_placed();
  test_hooks();
  test_many_pivots();
  test_long_path();
  return check_end();
}

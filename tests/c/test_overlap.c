/* Topological overlaps of networks against their definition in long double, and the same bits in
   every way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "distance/connectivity.h"
#include "distance/overlap_lazy.h"

enum { MOST = 300 };

/* A network, and its overlaps by one instruction set. */
typedef struct network {
  int64_t n;
  gg_overlap_rule rule;
  double weights[MOST * MOST], overlaps[MOST * MOST];
} network;

static gg_simd widest;

/* Returns a number in [0, 1) that depends on two others. */
static double mix(int64_t i, int64_t j) {
  const uint64_t a = ((uint64_t)i * 0x9e3779b97f4a7c15u) ^ ((uint64_t)j * 0xc2b2ae3d27d4eb4fu);
  return (double)((a ^ a >> 29) * 0xbf58476d1ce4e5b9u >> 11) * 0x1p-53;
}

/* Fills a network: a third of the weights is 0, and with signs half of the others is negative. */
static void make_network(network *net, int64_t n, gg_overlap_rule rule, bool signs) {
  net->n = n;
  net->rule = rule;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      const double value = mix(i, j), size = mix(j, i + n) < 0.33 ? 0 : value * value;
      const double weight = i == j ? 1 : signs && mix(i + n, j) < 0.5 ? -size : size;
      net->weights[i + j * n] = net->weights[j + i * n] = weight;
    }
}

/* Returns the sum of the magnitudes of the weights of gene i to others. */
static long double connectivity(const network *net, int64_t i) {
  long double sum = 0;
  for (int64_t k = 0; k < net->n; ++k)
    sum += k == i ? 0 : fabsl((long double)net->weights[k + i * net->n]);
  return sum;
}

/* Returns the overlap of two genes by the definition. */
static long double defined_overlap(const network *net, int64_t i, int64_t j) {
  const double *w = net->weights;
  const int64_t n = net->n;
  const gg_overlap_type type = net->rule.type;
  const long double ki = connectivity(net, i), kj = connectivity(net, j), a = w[i + j * n];
  const long double f = net->rule.mean ? (ki + kj) / 2 : fminl(ki, kj);
  long double l = 0, value = a;
  for (int64_t k = 0; k < n; ++k)
    if (k != i && k != j) l += (long double)w[i + k * n] * w[k + j * n];
  if (type >= GG_OVERLAP_UNSIGNED_2)
    value = (a + (f > fabsl(a) ? l / (f - fabsl(a)) : 0)) / 2;
  else if (type != GG_OVERLAP_NONE)
    value = (l + a) / (f + 1 - fabsl(a));
  if (type == GG_OVERLAP_SIGNED || type == GG_OVERLAP_SIGNED_2) value = fabsl(value);
  if (net->rule.suppress_zero && a == 0) value = 0;
  return net->rule.suppress_negative && value < 0 ? 0 : value;
}

/* Computes overlaps from weights of some type. */
static bool compute(const network *net, const gpugeo_matrix *weights, gpugeo_run run,
                    gpugeo_shape shape, double *out) {
  gpugeo_error error = {0};
  gg_overlap_rule rule = net->rule;
  rule.distances = shape == GPUGEO_SHAPE_CONDENSED;
  run.backend = GPUGEO_BACKEND_CPU;
  const gg_overlap_result result = {shape, out};
  return CHECK(!gg_overlap(weights, &run, &rule, &result, NULL, &error), "%s", error.message);
}

/* Checks that a way gives the same overlaps. */
static void check_way(const network *net, gg_simd simd, int32_t threads, int64_t work_bytes) {
  static double out[MOST * MOST];
  const int64_t n = net->n;
  const gpugeo_matrix view = {net->weights, GPUGEO_TYPE_DOUBLE, n, n, n, NULL};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.threads = threads;
  run.work_bytes = work_bytes;
  gg_set_simd(simd);
  if (compute(net, &view, run, GPUGEO_SHAPE_FULL, out))
    CHECK(memcmp(out, net->overlaps, (size_t)(n * n) * sizeof *out) == 0,
          "%lld genes, type %d, simd %d, %d threads", (long long)n, net->rule.type, simd, threads);
  if (compute(net, &view, run, GPUGEO_SHAPE_CONDENSED, out)) {
    int64_t wrong = 0, at = 0;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j + 1; i < n; ++i)
        wrong += out[at++] != 1 - net->overlaps[i + j * n];
    CHECK(wrong == 0, "%lld of %lld distances", (long long)wrong, (long long)at);
  }
  gg_set_simd(widest);
}

/* Checks a network against its definition, and all ways to compute it. */
static void check_network(network *net) {
  const int64_t n = net->n;
  const gpugeo_matrix view = {net->weights, GPUGEO_TYPE_DOUBLE, n, n, n, NULL};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  if (!compute(net, &view, run, GPUGEO_SHAPE_FULL, net->overlaps)) return;
  double worst = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      const long double expected = i == j ? 1 : defined_overlap(net, i, j);
      worst = fmax(worst, (double)fabsl(net->overlaps[i + j * n] - expected));
    }
  CHECK(worst < 1e-13, "%lld genes, type %d: error %g", (long long)n, net->rule.type, worst);
  for (int simd = 0; simd <= (int)widest; ++simd)
    check_way(net, (gg_simd)simd, 1 + simd % 3, 0);
  check_way(net, widest, 2, 200000);
}

/* All definitions, for numbers of genes around the sides of panels, tiles and powers of four. */
static void test_definitions(network *net) {
  const int64_t sizes[] = {1, 2, 3, 16, 17, 65, 130, MOST};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int type = 0; type < GG_OVERLAP_COUNT; ++type) {
      const gg_overlap_rule rule = {.type = (gg_overlap_type)type,
                                    .mean = (int)s % 2,
                                    .suppress_zero = type % 3 == 1,
                                    .suppress_negative = (type + (int)s) % 4 == 0};
      const bool is_unsigned = type == GG_OVERLAP_UNSIGNED || type == GG_OVERLAP_UNSIGNED_2;
      make_network(net, sizes[s], rule, !is_unsigned);
      check_network(net);
    }
}

/* Whole weights have the same overlaps in all types, with a gap between columns. */
static void test_types(network *net) {
  enum { N = 20, LD = 23 };
  static float floats[N * LD];
  static int32_t whole[N * LD];
  static double out[N * N];
  make_network(net, N, (gg_overlap_rule){.type = GG_OVERLAP_UNSIGNED}, false);
  for (int64_t j = 0; j < N; ++j)
    for (int64_t i = 0; i < N; ++i) {
      double *weight = net->weights + i + j * N;
      *weight = i == j || *weight > 0.5;
      floats[i + j * LD] = (float)*weight;
      whole[i + j * LD] = i == j ? 0 : (int32_t)*weight; /* the diagonal counts as 1 */
    }
  check_network(net);
  const gpugeo_matrix views[] = {{floats, GPUGEO_TYPE_FLOAT, N, N, LD, NULL},
                                 {whole, GPUGEO_TYPE_INT32, N, N, LD, NULL}};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  for (int v = 0; v < 2; ++v)
    if (compute(net, &views[v], run, GPUGEO_SHAPE_FULL, out))
      CHECK(memcmp(out, net->overlaps, sizeof out) == 0, "type %d", views[v].type);
}

/* Checks that tiles of distances have the bits of all distances, n by n. */
static void check_tiles(const char *what, const gg_overlap_input *input,
                        const gg_overlap_rule *rule, const double *all) {
  static double out[MOST * MOST];
  const int64_t n = input->x.ncol;
  const gpugeo_tile tiles[] = {
      {0, n, 0, n}, {n / 2, n - n / 2, n / 3, n / 3 + 1}, {0, 1, n - 1, 1}, {1, n - 1, 0, n / 2}};
  gpugeo_error error = {0};
  gpugeo_dist_lazy *lazy = NULL;
  if (!CHECK(!gg_overlap_lazy(input, rule, &lazy, NULL, &error), "%s: %s", what, error.message))
    return;
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t) {
    const gpugeo_tile *tile = &tiles[t];
    gg_call call;
    gg_call_begin(&call, &input->options.run, NULL, &error);
    CHECK(!lazy->tile(lazy, tile, out, 0, 1, &call), "%s: %s", what, error.message);
    int64_t wrong = 0;
    for (int64_t j = 0; j < tile->columns; ++j)
      for (int64_t i = 0; i < tile->rows; ++i)
        wrong += out[i + j * tile->rows] != all[tile->row + i + (tile->column + j) * n];
    CHECK(wrong == 0, "%s, tile %d: %lld differ", what, (int)t, (long long)wrong);
  }
  gpugeo_dist_lazy_free(lazy);
}

/* Distances in tiles: of weights, and of expression whose weights fit into memory or do not. */
static void test_tiles(void) {
  enum { ROWS = 9, N = 150 };
  static double x[ROWS * N], weights[N * N], all[N * N];
  const gg_overlap_rule rule = {.type = GG_OVERLAP_NOWICK, .distances = 1};
  const gg_overlap_result result = {GPUGEO_SHAPE_FULL, all};
  gpugeo_error error = {0};
  for (int64_t k = 0; k < ROWS * N; ++k)
    x[k] = (double)(k * k % 1009 % 97) + (k / ROWS == 7 ? 0 : 0.5 * (double)(k % 7));
  for (int64_t k = 0; k < ROWS; ++k) { /* a constant column; one without a median deviation */
    x[k] = 3;
    x[k + 5 * ROWS] = k > 5;
  }
  x[100] = NAN;
  gg_overlap_input input = {.x = {x, GPUGEO_TYPE_DOUBLE, ROWS, N, ROWS, NULL}};
  gpugeo_cor_options_init(&input.options, sizeof input.options);
  input.options.use = GPUGEO_COR_USE_PAIRWISE;
  input.options.run.backend = GPUGEO_BACKEND_CPU;
  input.network.power = 3;
  for (int way = 0; way < 14; ++way) {
    char name[40];
    snprintf(name, sizeof name, "expression, %d", way);
    static const gpugeo_cor_method methods[] = {
        GPUGEO_COR_METHOD_PEARSON, GPUGEO_COR_METHOD_SPEARMAN, GPUGEO_COR_METHOD_KENDALL,
        GPUGEO_COR_METHOD_BICOR,   GPUGEO_COR_METHOD_BICOR,    GPUGEO_COR_METHOD_PEARSON,
        GPUGEO_COR_METHOD_PEARSON};
    const bool robust = way >= 6 && way < 10;
    if (way == 10) x[100] = 0;
    if (way == 12) { /* weights, of which one is missing */
      for (int64_t k = 0; k < ROWS * N; ++k)
        weights[k] = 0.5 + (double)(k * 7 % 11);
      weights[50] = NAN;
      x[200] = NAN;
      input.options.weights_x = (gpugeo_matrix){weights, GPUGEO_TYPE_DOUBLE, ROWS, N, ROWS, NULL};
    }
    input.options.method = methods[way / 2];
    input.options.pearson_fallback =
        way < 8 ? GPUGEO_PEARSON_FALLBACK_INDIVIDUAL : GPUGEO_PEARSON_FALLBACK_ALL;
    input.options.run.work_bytes = way % 2 ? 100000 : 0;
    gpugeo_report report;
    if (!CHECK(!gg_overlap_of_columns(&input.x, &input.options, &input.network, &rule, &result,
                                      NULL, &error),
               "%s", error.message))
      return;
    check_tiles(name, &input, &rule, all);
    static double k[N], one[N];
    gpugeo_cor_options options = input.options;
    const double power = 2;
    CHECK(!gg_connectivity(&input.x, &options, GG_NETWORK_SIGNED, &power, 1, one, &report, &error),
          "%s", error.message);
    CHECK((report.notes & GPUGEO_NOTE_ZERO_MAD) == (robust ? GPUGEO_NOTE_ZERO_MAD : 0) &&
              (!robust || (report.missing.x_rows >= 2 && report.missing.y_rows == 0)),
          "notes of way %d", way);
    options.run.work_bytes = 8 * N;
    CHECK(!gg_connectivity(&input.x, &options, GG_NETWORK_SIGNED, &power, 1, k, &report, &error) &&
              memcmp(k, one, sizeof k) == 0,
          "connectivities by panels, %d", way);
  }
  input.options.weights_x = (gpugeo_matrix){.data = NULL};
  gg_adjacency_rule network = {.network = GG_NETWORK_UNSIGNED, .power = 2};
  if (!CHECK(!gg_adjacency(&input.x, NULL, &input.options, &network, weights, NULL, &error), "%s",
             error.message))
    return;
  input.x = (gpugeo_matrix){weights, GPUGEO_TYPE_DOUBLE, N, N, N, NULL};
  input.given = 1;
  if (CHECK(!gg_overlap(&input.x, &input.options.run, &rule, &result, NULL, &error), "%s",
            error.message))
    check_tiles("weights", &input, &rule, all);
  weights[1] = 7;
  gpugeo_dist_lazy *lazy = NULL;
  CHECK(gg_overlap_lazy(&input, &rule, &lazy, NULL, &error) == GPUGEO_ERROR_ARGUMENT && !lazy, "%s",
        error.message);
}

int main(void) {
  network *net = malloc(sizeof *net);
  if (!net) return 1;
  memset(net, 0, sizeof *net);
  widest = gg_context_get()->simd;
  test_definitions(net);
  test_types(net);
  test_tiles();
  free(net);
  return check_end();
}

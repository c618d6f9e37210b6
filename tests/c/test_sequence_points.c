/* Sequences in place of points: distances that are computed when they are asked for. Expected are
   those that gpugeo_dist_dna() writes, what all functions of distances make of these, and
   neighbours by a search of all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/call.h"
#include "common/dist_lazy.h"
#include "data.h"
#include "distance/dist_source.h"
#include "gpugeo.h"
#include "system.h"

/* Sequences, with their distances by a model. */
typedef struct alignment {
  int64_t n, sites;
  uint8_t *codes;
  gpugeo_sequences x;
  gpugeo_dist_dna_options options;
  double *condensed;
  gpugeo_dist_lazy *lazy;
  gpugeo_distances stored, computed;
} alignment;

/* Makes sequences that descend from one another, with gaps and unknown bases. */
static alignment begin(int64_t n, int64_t sites) {
  static const uint8_t codes[] = {0x88, 0x28, 0x48, 0x18, 0x04, 0xF0};
  dice d = {7};
  alignment a = {.n = n, .sites = sites};
  a.codes = malloc((size_t)(n * sites) + 1);
  for (int64_t k = 0; k < sites; ++k)
    for (int64_t i = 0; i < n; ++i) {
      const bool same = i > 0 && dice_whole(&d, 30) > 0;
      a.codes[i + k * n] =
          same ? a.codes[dice_whole(&d, i - 1) + k * n] : codes[dice_whole(&d, k % 4 ? 3 : 5)];
    }
  a.x = (gpugeo_sequences){.count = n, .codes = a.codes, .sites = sites, .step = n};
  gpugeo_dist_dna_options_init(&a.options, sizeof a.options);
  return a;
}

/* Computes the distances by a model, both ways. */
static void set_model(alignment *a, gpugeo_dna_model model, int32_t threads) {
  gpugeo_error error = {0};
  gpugeo_report report;
  gpugeo_dist_lazy_free(a->lazy);
  a->lazy = NULL;
  a->options.model = model;
  a->options.run.threads = threads;
  free(a->condensed);
  a->condensed = malloc((size_t)(a->n * a->n) * sizeof *a->condensed);
  CHECK(!gpugeo_dist_dna(&a->x, &a->options, a->condensed, NULL, NULL, &error), "%s",
        error.message);
  CHECK(!gpugeo_dist_dna_lazy(&a->x, &a->options, &a->lazy, &report, &error), "%s", error.message);
  CHECK(report.backend == GPUGEO_BACKEND_CPU, "backend %d", (int)report.backend);
  a->stored = (gpugeo_distances){.condensed = a->condensed, .condensed_points = a->n};
  a->computed = (gpugeo_distances){.lazy = a->lazy};
}

static void end(alignment *a) {
  gpugeo_dist_lazy_free(a->lazy);
  free(a->condensed);
  free(a->codes);
}

/* Returns a stored distance. */
static double expected_at(const alignment *a, int64_t i, int64_t j) {
  const int64_t high = i > j ? i : j, low = i > j ? j : i;
  return i == j ? 0 : a->condensed[a->n * low - low * (low + 1) / 2 + high - low - 1];
}

/* True if two distances have the same bits, or are both NaN. */
static bool is_same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Compares a tile, of any position, with the distances. */
static void check_tile(const alignment *a, const gg_dist_source *source, const gpugeo_tile *tile,
                       gg_call *call) {
  double *out = malloc((size_t)(tile->rows * tile->columns) * sizeof *out);
  int64_t wrong = gg_dist_source_tile(source, tile, out, 0, 1, call) != GPUGEO_OK;
  for (int64_t c = 0; c < tile->columns; ++c)
    for (int64_t r = 0; r < tile->rows; ++r)
      wrong += !is_same(out[r + c * tile->rows], expected_at(a, tile->row + r, tile->column + c));
  CHECK(wrong == 0, "model %d, tile %lld+%lld x %lld+%lld: %lld wrong", (int)a->options.model,
        (long long)tile->row, (long long)tile->rows, (long long)tile->column,
        (long long)tile->columns, (long long)wrong);
  free(out);
}

static void check_tiles(const alignment *a) {
  static const gpugeo_tile some[] = {{0, 70, 0, 70},   {0, 70, 33, 1},   {40, 9, 3, 20},
                                     {3, 20, 40, 9},   {10, 40, 20, 30}, {20, 30, 10, 40},
                                     {16, 20, 16, 20}, {5, 60, 20, 7},   {20, 7, 5, 60},
                                     {69, 1, 69, 1},   {0, 17, 17, 17}};
  gg_dist_source source = {.n = 0};
  gpugeo_error error = {0};
  gpugeo_dist_options_init(&source.options, sizeof source.options);
  source.options.run.threads = 2;
  gg_call call;
  gg_call_begin(&call, &source.options.run, NULL, &error);
  CHECK(!gg_dist_source_open("x", &a->computed, false, &source, &error), "%s", error.message);
  for (size_t t = 0; t < sizeof some / sizeof *some; ++t)
    check_tile(a, &source, &some[t], &call);
  double *all = malloc((size_t)(a->n * a->n) * sizeof *all);
  int64_t wrong = gg_dist_source_condensed(&source, all, 0, 1, &call) != GPUGEO_OK;
  for (int64_t k = 0; k < a->n * (a->n - 1) / 2; ++k)
    wrong += !is_same(all[k], a->condensed[k]);
  CHECK(wrong == 0, "model %d: %lld of all wrong", (int)a->options.model, (long long)wrong);
  free(all);
  gg_dist_source_close(&source);
}

/* Tiles on both sides of the diagonal, for all models and both rules for unknown bases. */
static void test_tiles(void) {
  alignment a = begin(70, 900);
  for (int model = 0; model < GPUGEO_DNA_MODEL_COUNT; ++model) {
    if (model == GPUGEO_DNA_MODEL_BH87) continue;
    for (int pairwise = 0; pairwise < 2; ++pairwise) {
      a.options.pairwise_deletion = pairwise;
      set_model(&a, (gpugeo_dna_model)model, 1 + pairwise);
      check_tiles(&a);
    }
  }
  end(&a);
}

/* Sequences that differ in few words are counted by those words, in panels of 64 sequences. */
static void test_common(void) {
  alignment a = begin(70, 20000);
  dice d = {3};
  for (int64_t k = 0; k < a.sites; ++k)
    for (int64_t i = 0; i < a.n; ++i)
      if (dice_whole(&d, 2000) > 0) a.codes[i + k * a.n] = a.codes[k * a.n];
  static const gpugeo_dna_model models[] = {GPUGEO_DNA_MODEL_SNP, GPUGEO_DNA_MODEL_TN93,
                                            GPUGEO_DNA_MODEL_LOGDET};
  a.options.pairwise_deletion = 1;
  for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
    set_model(&a, models[m], 2);
    check_tiles(&a);
  }
  end(&a);
}

/* All distances are more than a strip of columns. */
static void test_strips(void) {
  alignment a = begin(1100, 20);
  set_model(&a, GPUGEO_DNA_MODEL_SNP, 2);
  check_tiles(&a);
  end(&a);
}

/* --- Neighbours ------------------------------------------------------------------------------- */

/* True if (distance, index) comes first. */
static bool comes_before(double d, int64_t i, double other, int64_t j) {
  if (d < other || other < d) return d < other;
  if ((d != d) != (other != other)) return other != other;
  return i < j;
}

/* Returns the position of a neighbour among all of a point. */
static int64_t rank_of(const alignment *a, int64_t point, int64_t neighbor) {
  int64_t rank = 0;
  for (int64_t j = 0; j < a->n; ++j)
    rank += j != point &&
            comes_before(expected_at(a, point, j), j, expected_at(a, point, neighbor), neighbor);
  return rank;
}

/* Checks the k nearest of distances of a source. */
static void check_knn(const alignment *a, const gpugeo_distances *x, int64_t k, int32_t threads) {
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.k = k;
  options.run.threads = threads;
  int32_t *index = malloc((size_t)(a->n * k) * sizeof *index);
  double *distance = malloc((size_t)(a->n * k) * sizeof *distance);
  gpugeo_error error = {0};
  gpugeo_report report;
  const gpugeo_status status = gpugeo_distances_knn(x, &options, index, distance, &report, &error);
  int64_t wrong = 0;
  for (int64_t r = 0; !status && r < k; ++r)
    for (int64_t i = 0; i < a->n; ++i) {
      const int32_t j = index[i + r * a->n];
      wrong += j == i || j < 0 || j >= a->n || rank_of(a, i, j) != r ||
               !is_same(distance[i + r * a->n], expected_at(a, i, j));
    }
  CHECK(!status && wrong == 0 && report.backend == GPUGEO_BACKEND_CPU,
        "k %lld, %d threads: %lld wrong; %s", (long long)k, (int)threads, (long long)wrong,
        error.message);
  free(index);
  free(distance);
}

/* Checks the neighbours within a radius of distances of a source. */
static void check_radius(const alignment *a, const gpugeo_distances *x, double radius) {
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.radius = radius;
  gpugeo_neighbors found;
  gpugeo_error error = {0};
  if (!CHECK(!gpugeo_distances_radius(x, &options, &found, NULL, &error), "%s", error.message))
    return;
  int64_t wrong = found.points != a->n;
  for (int64_t i = 0; i < a->n; ++i) {
    int64_t near = 0;
    for (int64_t j = 0; j < a->n; ++j)
      near += j != i && expected_at(a, i, j) <= radius;
    wrong += found.start[i + 1] - found.start[i] != near;
    for (int64_t e = found.start[i]; e < found.start[i + 1]; ++e)
      wrong += rank_of(a, i, found.index[e]) != e - found.start[i] ||
               !is_same(found.distance[e], expected_at(a, i, found.index[e]));
  }
  CHECK(wrong == 0, "radius %g: %lld wrong", radius, (long long)wrong);
  gpugeo_neighbors_free(&found);
}

/* Counts have ties, and the distances of RAW are missing where no site is common. */
static void test_neighbors(void) {
  alignment a = begin(300, 60);

  for (int64_t k = 0; k < a.sites; ++k)
    a.codes[5 + k * a.n] = 0xF0;
  a.options.pairwise_deletion = 1;
  for (int model = 0; model < 2; ++model) {
    set_model(&a, model ? GPUGEO_DNA_MODEL_RAW : GPUGEO_DNA_MODEL_SNP, 2);
    const gpugeo_distances *sources[] = {&a.stored, &a.computed};
    for (int s = 0; s < 2; ++s) {
      check_knn(&a, sources[s], 1, 1);
      check_knn(&a, sources[s], 7, 3);
      check_knn(&a, sources[s], a.n - 1, 2);
      check_radius(&a, sources[s], model ? 0.1 : 5);
      check_radius(&a, sources[s], 0);
      check_radius(&a, sources[s], INFINITY);
    }
  }
  end(&a);
}

/* Points are searched as by gpugeo_knn(). */
static void test_points(void) {
  double *points = data_points(DATA_TIED, 50, 3, 2), d[2][100];
  int32_t index[2][100];
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 3, 50, 3, NULL};
  const gpugeo_distances from = {.x = &x};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.k = 2;
  options.radius = 1;
  gpugeo_error error = {0};
  CHECK(!gpugeo_knn(&x, NULL, &options, index[0], d[0], NULL, &error), "%s", error.message);
  CHECK(!gpugeo_distances_knn(&from, &options, index[1], d[1], NULL, &error), "%s", error.message);
  CHECK(memcmp(index[0], index[1], sizeof index[0]) == 0 && memcmp(d[0], d[1], sizeof d[0]) == 0,
        "neighbours");
  gpugeo_neighbors a, b;
  CHECK(!gpugeo_radius(&x, NULL, &options, &a, NULL, &error) &&
            !gpugeo_distances_radius(&from, &options, &b, NULL, &error) &&
            a.start[50] == b.start[50],
        "%s", error.message);
  gpugeo_neighbors_free(&a);
  gpugeo_neighbors_free(&b);
  free(points);
}

/* --- What is made of them --------------------------------------------------------------------- */

/* Results of functions of distances, one after the other. */
typedef struct results {
  int32_t whole[4000];
  double real[4000];
  gpugeo_status status;
  char message[300];
} results;

typedef gpugeo_status function(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                               results *out, gpugeo_error *error);

static gpugeo_status make_tree(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                               results *out, gpugeo_error *error) {
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  options.run = *run;
  return gpugeo_mst(x, &options, out->whole, out->whole + n, out->real, NULL, error);
}

static gpugeo_status cluster_by(const gpugeo_distances *x, int64_t n, gpugeo_linkage linkage,
                                const gpugeo_run *run, results *out, gpugeo_error *error) {
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.run = *run;
  options.linkage = linkage;
  return gpugeo_hclust(x, &options, out->whole, out->real, out->whole + 2 * n, NULL, error);
}

static gpugeo_status cluster_single(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                                    results *out, gpugeo_error *error) {
  return cluster_by(x, n, GPUGEO_LINKAGE_SINGLE, run, out, error);
}

static gpugeo_status cluster_average(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                                     results *out, gpugeo_error *error) {
  return cluster_by(x, n, GPUGEO_LINKAGE_AVERAGE, run, out, error);
}

static gpugeo_status cluster_density(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                                     results *out, gpugeo_error *error) {
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.run = *run;
  options.eps = 0.2;
  options.min_points = 4;
  return gpugeo_dbscan(x, &options, out->whole, out->whole + n, NULL, error);
}

static gpugeo_status find_axes(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                               results *out, gpugeo_error *error) {
  gpugeo_pcoa_options options;
  gpugeo_pcoa_options_init(&options, sizeof options);
  options.run = *run;
  gpugeo_pcoa_result made = {
      .coordinates = out->real, .eigenvalue = out->real + 2 * n, .residual = out->real + 2 * n + 2};
  return gpugeo_pcoa(x, &options, &made, NULL, error);
}

static gpugeo_status join(const gpugeo_distances *x, int64_t n, const gpugeo_run *run, results *out,
                          gpugeo_error *error) {
  gpugeo_nj_options options;
  gpugeo_nj_options_init(&options, sizeof options);
  options.run = *run;
  (void)n;
  return gpugeo_nj(x, &options, out->whole, out->real, NULL, error);
}

static gpugeo_status find_widths(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                                 results *out, gpugeo_error *error) {
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.run = *run;
  int32_t *cluster = out->whole + 2 * n;
  for (int64_t i = 0; i < n; ++i)
    cluster[i] = (int32_t)(i % 3) + 1;
  return gpugeo_silhouette(x, cluster, n, &options, out->whole, out->real, NULL, error);
}

static gpugeo_status correlate(const gpugeo_distances *x, int64_t n, const gpugeo_run *run,
                               results *out, gpugeo_error *error) {
  gpugeo_mantel_options options;
  gpugeo_mantel_options_init(&options, sizeof options);
  options.run = *run;
  (void)n;
  return gpugeo_mantel(x, x, NULL, &options, NULL, 0, out->real, NULL, error);
}

/* Computes results. */
static results *take_results(function *f, const gpugeo_distances *x, int64_t n, int32_t threads) {
  results *out = calloc(1, sizeof *out);
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  run.threads = threads;
  out->status = f(x, n, &run, out, &error);
  strcpy(out->message, error.message);
  return out;
}

/* All functions return the same from both sources, errors included. */
static void check_functions(const alignment *a) {
  static function *const functions[] = {make_tree, cluster_single, cluster_average, cluster_density,
                                        find_axes, join,           find_widths,     correlate};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
    results *stored = take_results(functions[f], &a->stored, a->n, 1);
    results *computed = take_results(functions[f], &a->computed, a->n, 3);
    CHECK(memcmp(stored, computed, sizeof *stored) == 0, "model %d, function %d: \"%s\", \"%s\"",
          (int)a->options.model, (int)f, stored->message, computed->message);
    free(stored);
    free(computed);
  }
}

static void test_functions(void) {
  alignment a = begin(200, 300);
  static const gpugeo_dna_model models[] = {GPUGEO_DNA_MODEL_SNP, GPUGEO_DNA_MODEL_K80,
                                            GPUGEO_DNA_MODEL_GG95, GPUGEO_DNA_MODEL_INDELBLOCK,
                                            GPUGEO_DNA_MODEL_LOGDET};
  a.options.pairwise_deletion = 1;
  for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
    set_model(&a, models[m], 2);
    check_functions(&a);
  }
  end(&a);
}

/* --- Memory, arguments ------------------------------------------------------------------------ */

/* Neighbours, trees and clusters do not need all distances: those of 6,000 sequences take 144 MB.
 */
static void test_memory(void) {
  alignment a = begin(6000, 64);
  gpugeo_error error = {0};
  a.options.model = GPUGEO_DNA_MODEL_SNP;
  CHECK(!gpugeo_dist_dna_lazy(&a.x, &a.options, &a.lazy, NULL, &error), "%s", error.message);
  a.computed = (gpugeo_distances){.lazy = a.lazy};
  const int64_t n = a.n;
  int32_t *whole = malloc((size_t)n * 6 * sizeof *whole);
  double *real = malloc((size_t)n * 2 * sizeof *real);
  gpugeo_knn_options near;
  gpugeo_mst_options tree;
  gpugeo_hclust_options single;
  gpugeo_dbscan_options density;
  gpugeo_knn_options_init(&near, sizeof near);
  gpugeo_mst_options_init(&tree, sizeof tree);
  gpugeo_hclust_options_init(&single, sizeof single);
  gpugeo_dbscan_options_init(&density, sizeof density);
  set_variable("GPUGEO_MEMORY", "0.06");
  CHECK(!gpugeo_distances_knn(&a.computed, &near, whole, real, NULL, &error), "%s", error.message);
  CHECK(!gpugeo_mst(&a.computed, &tree, whole, whole + n, real, NULL, &error), "%s", error.message);
  density.eps = 1;
  CHECK(!gpugeo_dbscan(&a.computed, &density, whole, NULL, NULL, &error), "%s", error.message);
  single.linkage = GPUGEO_LINKAGE_SINGLE;
  CHECK(!gpugeo_hclust(&a.computed, &single, whole, real, whole + 2 * n, NULL, &error), "%s",
        error.message);
  single.linkage = GPUGEO_LINKAGE_COMPLETE;
  CHECK(gpugeo_hclust(&a.computed, &single, whole, real, whole + 2 * n, NULL, &error) ==
            GPUGEO_ERROR_MEMORY,
        "%s", error.message);
  set_variable("GPUGEO_MEMORY", NULL);
  free(whole);
  free(real);
  end(&a);
}

/* Checks a message. */
static void check_refused(gpugeo_status status, const gpugeo_error *error, const char *message) {
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error->message, message) == 0, "%s",
        error->message);
}

static void test_arguments(void) {
  alignment a = begin(3, 8);
  gpugeo_error error = {0};
  gpugeo_dist_lazy *made = NULL;
  a.options.model = GPUGEO_DNA_MODEL_BH87;
  check_refused(gpugeo_dist_dna_lazy(&a.x, &a.options, &made, NULL, &error), &error,
                "model must be one of symmetric distances, not \"BH87\"");
  a.options.model = GPUGEO_DNA_MODEL_K80;
  a.options.variance = 1;
  check_refused(gpugeo_dist_dna_lazy(&a.x, &a.options, &made, NULL, &error), &error,
                "variance must be false where distances are not the result");
  a.options.variance = 0;
  set_model(&a, GPUGEO_DNA_MODEL_N, 1);
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  int32_t index[3];
  double distance[3];
  const char *k_message = "k must be between 1 and 2 (the other points), not 3";
  options.k = 3;
  check_refused(gpugeo_distances_knn(&a.computed, &options, index, distance, NULL, &error), &error,
                k_message);
  options.radius = NAN;
  gpugeo_neighbors found;
  check_refused(gpugeo_distances_radius(&a.computed, &options, &found, NULL, &error), &error,
                "radius must be a number of at least 0, not NaN");
  options.k = 1;
  a.computed.condensed = a.condensed;
  check_refused(gpugeo_distances_knn(&a.computed, &options, index, distance, NULL, &error), &error,
                "x must be points, condensed distances, a file of them or distances on a device");
  gpugeo_dist_lazy_free(NULL);
  end(&a);
}

/* No sequence, and one. */
static void test_few(void) {
  gpugeo_error error = {0};
  for (int64_t n = 0; n < 2; ++n) {
    alignment a = begin(n, 5);
    for (int model = 0; model < GPUGEO_DNA_MODEL_BH87; ++model) {
      set_model(&a, (gpugeo_dna_model)model, 1);
      check_radius(&a, &a.computed, 1);
    }
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    int32_t index;
    double distance;
    CHECK(gpugeo_distances_knn(&a.computed, &options, &index, &distance, NULL, &error) ==
                  GPUGEO_ERROR_ARGUMENT &&
              strstr(error.message, "x must have at least 2 points for there to be a neighbour"),
          "%s", error.message);
    end(&a);
  }
}

/* Checks a tile of distances between sequences whose sites are the bits of their numbers. */
static void check_corner(const gpugeo_dist_lazy *lazy, int64_t row, int64_t column) {
  enum { SIDE = 40 };
  static double out[SIDE * SIDE];
  const gpugeo_tile tile = {row, SIDE, column, SIDE};
  gpugeo_run run;
  gpugeo_error error = {0};
  gg_call call;
  gpugeo_run_init(&run, sizeof run);
  gg_call_begin(&call, &run, NULL, &error);
  CHECK(!lazy->tile(lazy, &tile, out, 0, 1, &call), "%s", error.message);
  int wrong = 0;
  for (int64_t j = 0; j < SIDE; ++j)
    for (int64_t i = 0; i < SIDE; ++i) {
      int differ = 0;
      for (int64_t bits = (row + i) ^ (column + j); bits > 0; bits >>= 1)
        differ += (int)(bits & 1);
      wrong += out[i + j * SIDE] != differ;
    }
  CHECK(wrong == 0, "row %lld, column %lld: %d wrong", (long long)row, (long long)column, wrong);
}

/* More sequences than have 2^31 or 2^32 pairs. */
static void test_many(void) {
  enum { MANY = 92800, BITS = 17 };
  uint8_t *codes = malloc((size_t)MANY * BITS);
  for (int64_t k = 0; k < (int64_t)MANY * BITS; ++k)
    codes[k] = k % MANY >> k / MANY & 1 ? 0x28 : 0x88;
  const gpugeo_sequences x = {.count = MANY, .codes = codes, .sites = BITS, .step = MANY};
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  options.model = GPUGEO_DNA_MODEL_SNP;
  gpugeo_dist_lazy *lazy = NULL;
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_dist_dna_lazy(&x, &options, &lazy, NULL, &error), "%s", error.message)) {
    static const int64_t corner[] = {0, 46330, 65520, MANY - 40};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        check_corner(lazy, corner[i], corner[j]);
  }
  gpugeo_dist_lazy_free(lazy);
  free(codes);
}

int main(void) {
  test_tiles();
  test_common();
  test_strips();
  test_neighbors();
  test_points();
  test_functions();
  test_memory();
  test_arguments();
  test_few();
  test_many();
  return check_end();
}

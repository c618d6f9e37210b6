/* Distances that stay on a device: on CUDA where there is a device, and on a backend whose device
   is memory of the host. Expected are those that gpugeo_dist() returns, and what all functions of
   distances make of these. The same functions take a file of distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/dist_device_lazy.h"
#include "distance/overlap_lazy.h"
#include "gpugeo.h"
#include "hdbscan_room.h"
#include "host_device.h"
#include "system.h"
#include "temporary.h"
#include "workers.h"

/* That have parts of the distances which are made. */
static int32_t devices = 1;

enum { M = 5, PERMUTATIONS = 37, GROUPS = 4 };

/* Distances on a device, and the same in memory. */
typedef struct pair_of_sources {
  int64_t n;
  gpugeo_backend backend;
  double *points, *condensed;
  gpugeo_dist_options options;
  gpugeo_matrix x;
  gpugeo_dist_device *device;
} pair_of_sources;

static void make(pair_of_sources *s, data_kind kind, gpugeo_metric metric,
                 gpugeo_precision precision) {
  s->points = data_points(kind, s->n, M, 3);
  s->condensed = malloc((size_t)(s->n * (s->n - 1) / 2) * sizeof *s->condensed);
  s->x = (gpugeo_matrix){s->points, GPUGEO_TYPE_DOUBLE, M, s->n, M, NULL};
  gpugeo_dist_options_init(&s->options, sizeof s->options);
  s->options.points = GPUGEO_POINTS_COLUMNS;
  s->options.metric.kind = metric;
  s->options.run.precision = precision;
  s->options.run.backend = GPUGEO_BACKEND_CPU;
  gpugeo_report report;
  gpugeo_error error = {0};
  gpugeo_status status =
      gpugeo_dist(&s->x, NULL, &s->options, GPUGEO_TYPE_DOUBLE, s->condensed, NULL, &error);
  CHECK(!status, "%s", error.message);
  s->options.run.backend = s->backend;
  status = gpugeo_dist_device_make(&s->x, &s->options, &s->device, &report, &error);
  CHECK(!status && report.backend == s->backend && report.devices == devices &&
            report.device == (devices > 1 ? GPUGEO_DEVICE_ALL : 0),
        "device %d, %d of %d: %s", (int)report.device, (int)report.devices, (int)devices,
        error.message);
}

static void drop(pair_of_sources *s) {
  gpugeo_dist_device_free(s->device);
  free(s->points);
  free(s->condensed);
}

static bool same_bits(const void *a, const void *b, int64_t count, size_t size) {
  return memcmp(a, b, (size_t)count * size) == 0;
}

/* --- What is on the device -------------------------------------------------------------------- */

static double expected_at(const pair_of_sources *s, int64_t i, int64_t j) {
  const int64_t high = i > j ? i : j, low = i > j ? j : i;
  return i == j ? 0 : s->condensed[s->n * low - low * (low + 1) / 2 + high - low - 1];
}

/* Reads lists of points, some of them several times. */
static void test_lists(const pair_of_sources *s) {
  enum { ROWS = 90, COLUMNS = 35 };
  int64_t rows[ROWS], columns[COLUMNS];
  double out[ROWS * COLUMNS];
  dice d = {9};
  for (int r = 0; r < ROWS; ++r)
    rows[r] = dice_whole(&d, s->n - 1);
  for (int c = 0; c < COLUMNS; ++c)
    columns[c] = dice_whole(&d, s->n - 1);
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_dist_device_read(s->device, rows, ROWS, columns, COLUMNS, out, &error);
  int wrong = 0;
  for (int e = 0; e < ROWS * COLUMNS; ++e) {
    const double expected = expected_at(s, rows[e % ROWS], columns[e / ROWS]);
    wrong += !(out[e] == expected || (isnan(out[e]) && isnan(expected)));
  }
  CHECK(!status && wrong == 0, "%d differ: %s", wrong, error.message);
  rows[3] = s->n;
  CHECK(gpugeo_dist_device_read(s->device, rows, ROWS, columns, COLUMNS, out, &error) ==
            GPUGEO_ERROR_ARGUMENT,
        "a row too many is read");
  CHECK(strncmp(error.message, "row must be between 1 and ", 26) == 0, "%s", error.message);
}

static void test_values(gpugeo_backend backend, int64_t n, data_kind kind, gpugeo_metric metric,
                        gpugeo_precision precision) {
  pair_of_sources s = {.n = n, .backend = backend};
  make(&s, kind, metric, precision);
  const int64_t pairs = n * (n - 1) / 2;
  double *copy = malloc((size_t)pairs * sizeof *copy);
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_device_copy(s.device, copy, &error), "%s", error.message);
  CHECK(same_bits(copy, s.condensed, pairs, sizeof *copy), "%s %s, %d: the bits differ",
        gpugeo_name(GPUGEO_ENUM_METRIC, metric), data_name(kind), (int)precision);
  test_lists(&s);
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(s.device, &info);
  const bool single = info.type == GPUGEO_TYPE_FLOAT;
  CHECK(info.points == n && info.device == 0 && info.devices == devices &&
            info.bytes == pairs * (single ? 4 : 8) &&
            single == (precision == GPUGEO_PRECISION_SINGLE) &&
            strcmp(info.metric, gpugeo_name(GPUGEO_ENUM_METRIC, metric)) == 0,
        "%s of %lld, %lld bytes", info.metric, (long long)info.points, (long long)info.bytes);
  free(copy);
  drop(&s);
}

/* --- What takes it ---------------------------------------------------------------------------- */

typedef struct outcome {
  double number[4096];
  int32_t whole[4096];
} outcome;

/* Each writes the results of a function; to have the same size, n is at most 300. */
static gpugeo_status run_hclust(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                int linkage, outcome *out, gpugeo_error *error) {
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.linkage = (gpugeo_linkage)linkage;
  options.run.backend = backend;
  return gpugeo_hclust(d, &options, out->whole, out->number, out->whole + 2 * n, NULL, error);
}

static gpugeo_status run_mst(const gpugeo_distances *d, int64_t n, gpugeo_backend backend, int use,
                             outcome *out, gpugeo_error *error) {
  (void)backend, (void)use;
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  return gpugeo_mst(d, &options, out->whole, out->whole + n, out->number, NULL, error);
}

static gpugeo_status run_dbscan(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                int use, outcome *out, gpugeo_error *error) {
  (void)backend, (void)use;
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.eps = 0.6;
  return gpugeo_dbscan(d, &options, out->whole, out->whole + n, NULL, error);
}

static gpugeo_status run_hdbscan(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                 int use, outcome *out, gpugeo_error *error) {
  (void)backend, (void)use;
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  hdbscan_room room = {.whole = NULL};
  const int64_t nodes = hdbscan_nodes(n, options.min_points);
  gpugeo_status status = GPUGEO_OK;
  if (CHECK(7 * n + 5 * nodes <= 4096 && hdbscan_room_make(n, nodes, &room),
            "no room for %lld nodes", (long long)nodes)) {
    status = gpugeo_hdbscan(d, &options, &room.result, NULL, error);
    memcpy(out->whole, room.whole, (size_t)(7 * n + 5 * nodes) * sizeof *room.whole);
    memcpy(out->number, room.real, (size_t)(5 * n + 4 * nodes) * sizeof *room.real);
  }
  hdbscan_room_free(&room);
  return status;
}

static gpugeo_status run_silhouette(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                    int use, outcome *out, gpugeo_error *error) {
  (void)use;
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.run.backend = backend;
  for (int64_t i = 0; i < n; ++i)
    out->whole[i] = 1 + (int32_t)(i % GROUPS);
  return gpugeo_silhouette(d, out->whole, n, &options, out->whole + n, out->number, NULL, error);
}

static gpugeo_status run_pam(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                             int stored, outcome *out, gpugeo_error *error) {
  (void)backend;
  gpugeo_pam_options options;
  gpugeo_pam_options_init(&options, sizeof options);
  options.k = GROUPS;
  options.run.work_bytes = stored ? 0 : 1 << 20;
  gpugeo_pam_result result = {.medoid = out->whole,
                              .cluster = out->whole + GROUPS,
                              .distance = out->number,
                              .all = out->number + n};
  return gpugeo_pam(d, &options, &result, NULL, error);
}

/* A design of groups, or of a basis that is 1 and -1 at pairs of points. */
static gpugeo_design make_design(int64_t n, bool groups, double *basis, int32_t *group,
                                 int32_t *order) {
  dice d = {5};
  for (int64_t i = 0; i < n; ++i) {
    group[i] = (int32_t)dice_whole(&d, GROUPS - 1);
    basis[i] = (i == 3) - (i == 8);
    basis[i + n] = dice_real(&d);
  }
  for (int64_t p = 0; p < PERMUTATIONS; ++p)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = dice_whole(&d, i);
      order[p * n + i] = order[p * n + at];
      order[p * n + at] = (int32_t)i;
    }
  return (gpugeo_design){.points = n,
                         .basis = groups ? NULL : basis,
                         .columns = groups ? 0 : 2,
                         .group = groups ? group : NULL,
                         .groups = groups ? GROUPS : 0,
                         .order = order,
                         .permutations = PERMUTATIONS};
}

static gpugeo_status run_permanova(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                   int groups, outcome *out, gpugeo_error *error) {
  gpugeo_permanova_options options;
  gpugeo_permanova_options_init(&options, sizeof options);
  options.run.backend = backend;
  options.root = groups == 2;
  double *basis = malloc((size_t)(2 * n) * sizeof *basis);
  int32_t *list = malloc((size_t)((1 + PERMUTATIONS) * n) * sizeof *list);
  const gpugeo_design design = make_design(n, groups > 0, basis, list, list + n);
  const gpugeo_status status =
      gpugeo_permanova(d, &options, &design, out->number + 1, out->number, NULL, error);
  free(basis);
  free(list);
  return status;
}

static gpugeo_status run_anosim(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                int use, outcome *out, gpugeo_error *error) {
  (void)use;
  gpugeo_anosim_options options;
  gpugeo_anosim_options_init(&options, sizeof options);
  options.run.backend = backend;
  double *basis = malloc((size_t)(2 * n) * sizeof *basis);
  int32_t *list = malloc((size_t)((1 + PERMUTATIONS) * n) * sizeof *list);
  const gpugeo_design design = make_design(n, true, basis, list, list + n);
  const gpugeo_status status = gpugeo_anosim(d, &options, &design, out->number, NULL, NULL, error);
  free(basis);
  free(list);
  return status;
}

static gpugeo_status run_mantel(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                                int use, outcome *out, gpugeo_error *error) {
  (void)use;
  gpugeo_mantel_options options;
  gpugeo_mantel_options_init(&options, sizeof options);
  options.run.backend = backend;
  double *basis = malloc((size_t)(2 * n) * sizeof *basis);
  int32_t *list = malloc((size_t)((1 + PERMUTATIONS) * n) * sizeof *list);
  make_design(n, true, basis, list, list + n);
  const gpugeo_status status =
      gpugeo_mantel(d, d, NULL, &options, list + n, PERMUTATIONS, out->number, NULL, error);
  free(basis);
  free(list);
  return status;
}

static gpugeo_status run_pcoa(const gpugeo_distances *d, int64_t n, gpugeo_backend backend,
                              int correction, outcome *out, gpugeo_error *error) {
  enum { K = 2 };
  gpugeo_pcoa_options options;
  gpugeo_pcoa_options_init(&options, sizeof options);
  options.run.backend = backend;
  options.k = K;
  options.correction = (gpugeo_pcoa_correction)correction;
  gpugeo_pcoa_result result = {.coordinates = out->number,
                               .eigenvalue = out->number + K * n,
                               .residual = out->number + K * (n + 1)};
  return gpugeo_pcoa(d, &options, &result, NULL, error);
}

typedef struct consumer {
  const char *name;
  gpugeo_status (*run)(const gpugeo_distances *, int64_t, gpugeo_backend, int, outcome *,
                       gpugeo_error *);
  int use;
  bool on_cuda;
} consumer;

static const consumer consumers[] = {
    {"single", run_hclust, GPUGEO_LINKAGE_SINGLE, true},
    {"average", run_hclust, GPUGEO_LINKAGE_AVERAGE, true},
    {"ward.D2", run_hclust, GPUGEO_LINKAGE_WARD_D2, true},
    {"median", run_hclust, GPUGEO_LINKAGE_MEDIAN, false},
    {"mst", run_mst, 0, false},
    {"dbscan", run_dbscan, 0, false},
    {"hdbscan", run_hdbscan, 0, false},
    {"silhouette", run_silhouette, 0, true},
    {"pam", run_pam, 0, false},
    {"pam, stored", run_pam, 1, false},
    {"permanova, basis", run_permanova, 0, true},
    {"permanova, groups", run_permanova, 1, true},
    {"permanova, roots", run_permanova, 2, true},
    {"anosim", run_anosim, 0, true},
    {"mantel", run_mantel, 0, true},
    {"pcoa", run_pcoa, GPUGEO_PCOA_CORRECTION_NONE, true},
    {"pcoa, cailliez", run_pcoa, GPUGEO_PCOA_CORRECTION_CAILLIEZ, true},
};
enum { CONSUMERS = sizeof consumers / sizeof *consumers };

/* Compares what a consumer makes of distances in memory and of the same ones elsewhere. */
static void compare(const pair_of_sources *s, const gpugeo_distances *other, const consumer *c,
                    gpugeo_backend backend) {
  const gpugeo_distances in_memory = {.condensed = s->condensed, .condensed_points = s->n};
  outcome *out = calloc(2, sizeof *out);
  gpugeo_error error = {0};
  gpugeo_status status = c->run(&in_memory, s->n, GPUGEO_BACKEND_CPU, c->use, &out[0], &error);
  if (!status) status = c->run(other, s->n, backend, c->use, &out[1], &error);
  CHECK(!status && same_bits(&out[0], &out[1], 1, sizeof *out), "%s, backend %d: %s", c->name,
        (int)backend, error.message);
  free(out);
}

static void test_consumers(gpugeo_backend backend, int64_t n, gpugeo_precision precision) {
  pair_of_sources s = {.n = n, .backend = backend};
  make(&s, DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, precision);
  const gpugeo_distances on_device = {.device = s.device};
  for (int c = 0; c < CONSUMERS; ++c) {
    if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(3)) continue;
    compare(&s, &on_device, &consumers[c], GPUGEO_BACKEND_CPU);
    if (consumers[c].on_cuda && backend == GPUGEO_BACKEND_CUDA)
      compare(&s, &on_device, &consumers[c], GPUGEO_BACKEND_CUDA);
  }
  drop(&s);
}

/* Writes the distances to a file of small tiles, and compares what all functions make of it. */
static void test_file(const pair_of_sources *s, gpugeo_shape shape) {
  char *folder = temporary_folder(), *path = temporary_path(folder, "d.h5");
  gpugeo_dist_options options = s->options;
  options.run.backend = GPUGEO_BACKEND_CPU;
  const gpugeo_point_source points = {.matrix = &s->x};
  gpugeo_dist_file_options how;
  gpugeo_dist_file_options_init(&how, sizeof how);
  how.file = path;
  how.shape = shape;
  how.side = 64;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info = {.tiles = 0};
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_dist_file_write(&points, &options, &how, NULL, &error) &&
                !gpugeo_dist_file_open(path, NULL, &opened, &info, &error),
            "%s", error.message)) {
    const gpugeo_distances in_file = {.file = opened};
    CHECK(info.tiles > 10, "%lld tiles", (long long)info.tiles);
    for (int c = 0; c < CONSUMERS; ++c) {
      if (s->backend == GPUGEO_BACKEND_CUDA && check_leaves_out(7)) continue;
      compare(s, &in_file, &consumers[c], GPUGEO_BACKEND_CPU);
      if (consumers[c].on_cuda && s->backend == GPUGEO_BACKEND_CUDA)
        compare(s, &in_file, &consumers[c], GPUGEO_BACKEND_CUDA);
    }
    gpugeo_dist_file_close(opened);
  }
  temporary_remove(path);
  temporary_remove(folder);
}

static void test_files(gpugeo_backend backend) {
  if (!*gpugeo_hdf5_version()) {
    check_skip(2, "built without HDF5: files of distances");
    return;
  }
  pair_of_sources s = {.n = 300, .backend = backend};
  make(&s, DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, GPUGEO_PRECISION_DOUBLE);
  test_file(&s, GPUGEO_SHAPE_CONDENSED);
  test_file(&s, GPUGEO_SHAPE_FULL);
  drop(&s);
}

/* --- How long it lives ------------------------------------------------------------------------ */

static gpugeo_status cluster(const gpugeo_dist_device *device, gpugeo_error *error) {
  int32_t whole[300];
  double height[100];
  const gpugeo_distances given = {.device = device};
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  return gpugeo_hclust(&given, &options, whole, height, whole + 200, NULL, error);
}

/* True if distances are refused with the words. */
static bool refuses(const gpugeo_dist_device *device, const char *why) {
  gpugeo_error error = {0};
  double out[100 * 99 / 2];
  const bool copied = gpugeo_dist_device_copy(device, out, &error) == GPUGEO_ERROR_ARGUMENT;
  const bool says = strstr(error.message, why) == error.message + 2; /* after the name */
  return copied && says && cluster(device, &error) == GPUGEO_ERROR_ARGUMENT &&
         strcmp(error.argument, "d") == 0 && strstr(error.message, why);
}

static int use_in_child(void *data) {
  gpugeo_dist_device *device = data;
  const bool refused = refuses(device, "must be computed in this process: it was forked");
  gpugeo_dist_device_free(device); /* frees nothing of the parent's */
  return refused ? 7 : 8;
}

static void test_life(gpugeo_backend backend) {
  pair_of_sources s = {.n = 100, .backend = backend};
  make(&s, DATA_RANDOM, GPUGEO_METRIC_MANHATTAN, GPUGEO_PRECISION_DOUBLE);
  gpugeo_error error = {0};
  const int child = run_forked(use_in_child, s.device, false);
  CHECK(child == 7 || child == NO_FORK, "a forked process ends with %d", child);
  CHECK(!cluster(s.device, &error), "%s", error.message);
  gpugeo_release();
  CHECK(refuses(s.device, "must have its distances on the device, but they were released"),
        "distances are there after gpugeo_release()");
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(s.device, &info);
  CHECK(info.bytes == 0 && info.points == 100, "%lld bytes", (long long)info.bytes);
  drop(&s);
  make(&s, DATA_RANDOM, GPUGEO_METRIC_MANHATTAN, GPUGEO_PRECISION_DOUBLE);
  CHECK(!cluster(s.device, &error), "%s", error.message);
  drop(&s);
  gpugeo_dist_device_free(NULL);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void expect_refusal(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                           const char *message) {
  gpugeo_dist_device *made = NULL;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_dist_device_make(x, options, &made, NULL, &error);
  CHECK(status && !made && strcmp(error.message, message) == 0, "%s", error.message);
}

static void test_arguments(gpugeo_backend backend) {
  const double values[4] = {1, 2, 3, 4};
  const gpugeo_matrix one = {values, GPUGEO_TYPE_DOUBLE, 1, 4, 1, NULL};
  const gpugeo_matrix none = {values, GPUGEO_TYPE_DOUBLE, 4, 0, 4, NULL};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 4, 1, 4, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.backend = backend;
  expect_refusal(&one, &options,
                 "x must have at least 2 points and 1 column for distances that stay on a device, "
                 "not 1 and 4");
  expect_refusal(&none, &options,
                 "x must have at least 2 points and 1 column for distances that stay on a device, "
                 "not 4 and 0");
  options.metric.p = -1;
  expect_refusal(&x, &options, "p must be a positive number, not -1");
  options.metric.p = 2;
  options.run.backend = GPUGEO_BACKEND_CPU;
  expect_refusal(&x, &options,
                 "backend must be \"auto\" or \"cuda\" for distances that stay on a device, not "
                 "\"cpu\"");
  gpugeo_error error = {0};
  options.run.backend = GPUGEO_BACKEND_AUTO;
  if (!gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL)) return;
  gpugeo_dist_device *made = NULL;
  CHECK(gpugeo_dist_device_make(&x, &options, &made, NULL, &error) == GPUGEO_ERROR_BACKEND,
        "distances stay on a device that is not there");
  CHECK(strstr(error.message, "backend \"cuda\" cannot be used: ") == error.message, "%s",
        error.message);
}

/* Distances by topological overlap on a device are those in memory, and have the same tree. */
static void test_overlaps(gpugeo_backend backend) {
  enum { GENES = 70, SAMPLES = 9, PAIRS = GENES * (GENES - 1) / 2 };
  static double condensed[PAIRS], copied[PAIRS], height[2][GENES - 1];
  static int32_t merge[2][2 * (GENES - 1)], order[2][GENES];
  double *x = data_points(DATA_RANDOM, GENES, SAMPLES, 3);
  gg_overlap_input in = {.x = {x, GPUGEO_TYPE_DOUBLE, SAMPLES, GENES, SAMPLES, NULL}};
  const gg_overlap_rule rule = {.type = GG_OVERLAP_SIGNED, .distances = 1};
  const gg_overlap_result result = {GPUGEO_SHAPE_CONDENSED, condensed};
  gpugeo_error error = {0};
  gpugeo_report report;
  gpugeo_dist_lazy *lazy = NULL;
  gpugeo_dist_device *made = NULL;
  gpugeo_cor_options_init(&in.options, sizeof in.options);
  in.network.power = 6;
  in.options.run.backend = backend;
  CHECK(!gg_overlap_of_columns(&in.x, &in.options, &in.network, &rule, &result, NULL, &error), "%s",
        error.message);
  if (CHECK(!gg_overlap_lazy(&in, &rule, &lazy, NULL, &error), "%s", error.message) &&
      CHECK(!gg_dist_device_of_lazy(lazy, &in.options.run, NAN, &made, &report, &error), "%s",
            error.message)) {
    CHECK(report.backend == backend, "backend %d", report.backend);
    CHECK(!gpugeo_dist_device_copy(made, copied, &error) &&
              memcmp(copied, condensed, sizeof copied) == 0,
          "overlaps on a device");
    gpugeo_dist_device_info info;
    gpugeo_dist_device_get(made, &info);
    CHECK(strcmp(info.metric, "TOM") == 0 && info.points == GENES &&
              info.type == GPUGEO_TYPE_DOUBLE,
          "%s", info.metric);
    const gpugeo_distances sources[] = {{.device = made},
                                        {.condensed = condensed, .condensed_points = GENES}};
    gpugeo_hclust_options options;
    gpugeo_hclust_options_init(&options, sizeof options);
    options.linkage = GPUGEO_LINKAGE_AVERAGE;
    for (int k = 0; k < 2; ++k)
      CHECK(!gpugeo_hclust(&sources[k], &options, merge[k], height[k], order[k], NULL, &error),
            "%s", error.message);
    CHECK(memcmp(merge[0], merge[1], sizeof merge[0]) == 0 &&
              memcmp(height[0], height[1], sizeof height[0]) == 0,
          "trees");
    gpugeo_dist_device_free(made);
  }
  made = NULL;
  in.options.run.backend = GPUGEO_BACKEND_CPU;
  CHECK(gg_dist_device_of_lazy(lazy, &in.options.run, NAN, &made, NULL, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            !made && strstr(error.message, "for distances that stay on a device, not \"cpu\""),
        "%s", error.message);
  gpugeo_dist_lazy_free(lazy);
  free(x);
}

static void test_all(gpugeo_backend backend) {
  test_arguments(backend);
  for (int precision = 0; precision < 2; ++precision) {
    test_values(backend, 2, DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, (gpugeo_precision)precision);
    test_values(backend, 301, DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, (gpugeo_precision)precision);
    test_values(backend, 301, DATA_MISSING, GPUGEO_METRIC_MANHATTAN, (gpugeo_precision)precision);
    test_values(backend, 130, DATA_RANDOM, GPUGEO_METRIC_SPEARMAN, (gpugeo_precision)precision);
    test_values(backend, 1100, DATA_TIED, GPUGEO_METRIC_CANBERRA, (gpugeo_precision)precision);
    const bool small = CHECK_SMALL && backend == GPUGEO_BACKEND_CUDA;
    test_consumers(backend, small ? 90 : 300, (gpugeo_precision)precision);
  }
  test_overlaps(backend);
  test_files(backend);
  test_life(backend);
}

/* Distances in so many parts on each device. */
static void test_parts(int32_t each) {
  set_workers(each);
  devices = each * gpugeo_device_count();
  printf("parts of distances on %d devices\n", (int)devices);
  fflush(stdout);
  test_all(GPUGEO_BACKEND_CUDA);
  devices = 1;
  set_workers(0);
}

static void test_cuda(void) {
  test_all(GPUGEO_BACKEND_CUDA);
  if (gpugeo_device_count() > 1)
    test_parts(1);
  else
    check_skip(1, "one CUDA device: no distances are divided between two");
  test_parts(3);
}

int main(void) {
  gpugeo_error error = {0};
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) != GPUGEO_OK)
    check_skip(1, "CUDA: not present (%s), distances stay on no device", error.message);
  else
    test_cuda();
  test_arguments(GPUGEO_BACKEND_CUDA);
  gg_backend_add(&host_device);
  test_all((gpugeo_backend)HOST_DEVICE);
  CHECK(host_device_matrices == 0, "%d matrices are still there", host_device_matrices);
  return check_end();
}

/* Options of callers that were compiled with an earlier or a later version: every family takes a
   shorter struct, reads and writes nothing behind it, and refuses a longer one. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gpugeo.h"
#include "hdbscan_room.h"
#include "temporary.h"

enum { ROOM = 512, CANARY = 0xA5, RESULTS = 32 };

/* 4 points in the plane, by columns: (0, 0), (3, 4), (6, 8), (3, 0). */
static const double points[] = {0, 3, 6, 3, 0, 4, 8, 0};
static const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 4, 2, 4, NULL};
static const double cycle[] = {3, 4, 7};

/* --- One call of every kind of options, with results that the defaults decide ----------------- */

static gpugeo_status call_dist(const void *options, double *results, gpugeo_error *error) {
  return gpugeo_dist(&x, NULL, options, GPUGEO_TYPE_DOUBLE, results, NULL, error);
}

static gpugeo_status call_cor(const void *options, double *results, gpugeo_error *error) {
  return gpugeo_cor(&x, NULL, options, GPUGEO_TYPE_DOUBLE, results, NULL, error);
}

static gpugeo_status call_knn(const void *options, double *results, gpugeo_error *error) {
  int32_t index[4] = {0};
  const gpugeo_status status = gpugeo_knn(&x, NULL, options, index, results, NULL, error);
  for (int i = 0; i < 4; ++i)
    results[4 + i] = index[i];
  return status;
}

static gpugeo_status call_mst(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  int32_t i[8] = {0}, j[8] = {0};
  const gpugeo_status status = gpugeo_mst(&distances, options, i, j, results, NULL, error);
  results[6] = i[0];
  results[7] = j[0];
  return status;
}

static gpugeo_status call_dbscan(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  int32_t cluster[4] = {0}, core[4] = {0};
  const gpugeo_status status = gpugeo_dbscan(&distances, options, cluster, core, NULL, error);
  for (int i = 0; i < 4; ++i) {
    results[i] = cluster[i];
    results[4 + i] = core[i];
  }
  return status;
}

static gpugeo_status call_hdbscan(const void *options, double *results, gpugeo_error *error) {
  static const double points[] = {0, 1, 3, 7, 15, 31}; /* no less than the default needs */
  const gpugeo_matrix six = {points, GPUGEO_TYPE_DOUBLE, 6, 1, 6, NULL};
  const gpugeo_distances distances = {.x = &six};
  hdbscan_room room = {.whole = NULL};
  hdbscan_room_make(6, 6, &room);
  const gpugeo_status status = gpugeo_hdbscan(&distances, options, &room.result, NULL, error);
  for (int i = 0; !status && i < 4; ++i) {
    results[i] = room.result.core_distance[i];
    results[4 + i] = room.result.outlier_score[i];
  }
  hdbscan_room_free(&room);
  return status;
}

static gpugeo_status call_optics(const void *options, double *results, gpugeo_error *error) {
  static const double points[] = {0, 1, 3, 7, 15, 31};
  const gpugeo_matrix six = {points, GPUGEO_TYPE_DOUBLE, 6, 1, 6, NULL};
  const gpugeo_distances distances = {.x = &six};
  int32_t order[6] = {0}, predecessor[6] = {0};
  double reach[6] = {0}, core[6] = {0};
  gpugeo_optics_result found = {order, reach, core, predecessor, 0};
  const gpugeo_status status = gpugeo_optics(&distances, options, &found, NULL, error);
  for (int i = 0; !status && i < 4; ++i) {
    results[i] = order[i];
    results[4 + i] = core[i];
  }
  return status;
}

static gpugeo_status call_lof(const void *options, double *results, gpugeo_error *error) {
  static const double points[] = {0, 1, 3, 7, 15, 31};
  const gpugeo_matrix six = {points, GPUGEO_TYPE_DOUBLE, 6, 1, 6, NULL};
  const gpugeo_distances distances = {.x = &six};
  return gpugeo_lof(&distances, options, results, NULL, error);
}

static gpugeo_status call_silhouette(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  const int32_t cluster[] = {1, 2, 2, 1};
  int32_t neighbor[4] = {0};
  const gpugeo_status status =
      gpugeo_silhouette(&distances, cluster, 4, options, neighbor, results, NULL, error);
  for (int i = 0; i < 4; ++i)
    results[4 + i] = neighbor[i];
  return status;
}

static gpugeo_status call_validity(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  const int32_t cluster[] = {1, 2, 2, 1};
  double of_cluster[2 * GPUGEO_VALIDITY_COLUMN_COUNT];
  gpugeo_validity_result found = {.of_cluster = of_cluster};
  const gpugeo_status status =
      gpugeo_validity(&distances, cluster, 4, options, &found, NULL, error);
  const double numbers[] = {found.within, found.calinski_harabasz, found.davies_bouldin,
                            found.dunn,   found.silhouette,        found.dbcv};
  for (int i = 0; !status && i < 6; ++i)
    results[i] = numbers[i];
  return status;
}

static gpugeo_status call_pam(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  int32_t medoid[4] = {0}, cluster[4] = {0};
  gpugeo_pam_result result = {.medoid = medoid, .cluster = cluster, .distance = results};
  const gpugeo_status status = gpugeo_pam(&distances, options, &result, NULL, error);
  for (int i = 0; i < 4; ++i)
    results[4 + i] = cluster[i] + 10 * medoid[i];
  return status;
}

static gpugeo_status call_leaf_order(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  int32_t merge[6] = {0, 2, 4, 1, 3, 5}, order[4] = {0};
  gpugeo_leaf_order_result result = {merge, order, 0};
  const gpugeo_status status =
      gpugeo_leaf_order(&distances, merge, 3, options, &result, NULL, error);
  for (int i = 0; i < 4; ++i)
    results[i] = order[i];
  results[4] = result.sum;
  return status;
}

static gpugeo_status call_kmeans(const void *options, double *results, gpugeo_error *error) {
  int32_t cluster[4] = {0}, sizes[1];
  gpugeo_kmeans_result result = {
      .cluster = cluster, .centers = results, .withinss = results + 2, .sizes = sizes};
  const gpugeo_status status = gpugeo_kmeans(&x, options, &result, NULL, error);
  results[3] = cluster[3] + 10 * sizes[0];
  return status;
}

static gpugeo_status call_nj(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  int32_t edge[10] = {0};
  double length[5] = {0};
  const gpugeo_status status = gpugeo_nj(&distances, options, edge, length, NULL, error);
  for (int i = 0; i < 5; ++i)
    results[i] = length[i] + 10 * edge[i];
  return status;
}

static gpugeo_status call_permanova(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  static const int32_t group[4] = {0, 1, 1, 0}, order[4] = {3, 2, 0, 1};
  const gpugeo_design design = {
      .points = 4, .group = group, .groups = 2, .order = order, .permutations = 1};
  return gpugeo_permanova(&distances, options, &design, results, results + 2, NULL, error);
}

static gpugeo_status call_anosim(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  static const int32_t group[4] = {0, 1, 1, 0}, order[4] = {3, 2, 0, 1};
  const gpugeo_design design = {
      .points = 4, .group = group, .groups = 2, .order = order, .permutations = 1};
  return gpugeo_anosim(&distances, options, &design, results, results + 2, NULL, error);
}

static gpugeo_status call_mrpp(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  static const int32_t group[4] = {0, 1, 1, 0}, order[4] = {3, 2, 0, 1};
  const gpugeo_design design = {
      .points = 4, .group = group, .groups = 2, .order = order, .permutations = 1};
  return gpugeo_mrpp(&distances, options, &design, results, results + 2, results + 4, NULL, error);
}

static gpugeo_status call_mantel(const void *options, double *results, gpugeo_error *error) {
  static const double other[6] = {1, 5, 2, 2, 7, 3};
  const gpugeo_distances distances = {.x = &x}, y = {.condensed = other, .condensed_points = 4};
  static const int32_t order[4] = {3, 2, 0, 1};
  return gpugeo_mantel(&distances, &y, NULL, options, order, 1, results, NULL, error);
}

static gpugeo_status call_pcoa(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  double residual[2];
  gpugeo_pcoa_result result = {
      .coordinates = results, .eigenvalue = residual, .residual = residual};
  return gpugeo_pcoa(&distances, options, &result, NULL, error);
}

static gpugeo_status call_mds(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances distances = {.x = &x};
  gpugeo_mds_result result = {.coordinates = results};
  return gpugeo_mds(&distances, options, &result, NULL, error);
}

static gpugeo_status call_hclust(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_distances d = {.x = &x};
  int32_t merge[6], order[4];
  const gpugeo_status status = gpugeo_hclust(&d, options, merge, results, order, NULL, error);
  for (int i = 0; i < 4; ++i)
    results[4 + i] = status ? 0 : order[i];
  return status;
}

static gpugeo_status call_closest(const void *options, double *results, gpugeo_error *error) {
  gpugeo_pair pair = {0};
  int64_t found = 0, ties = 0;
  const gpugeo_status status =
      gpugeo_closest_pair(&x, NULL, options, &pair, &found, &ties, NULL, error);
  const double all[] = {(double)pair.i, (double)pair.j, pair.distance, (double)found, (double)ties};
  memcpy(results, all, sizeof all);
  return status;
}

/* By default there is no radius: this error is the result, -1. */
static gpugeo_status call_collisions(const void *options, double *results, gpugeo_error *error) {
  gpugeo_collisions *collisions = NULL;
  int64_t count = 0;
  gpugeo_status status = gpugeo_collisions_compute(&x, NULL, options, &collisions, error);
  if (!status) status = gpugeo_collisions_wait(collisions, NULL, &count, NULL, error);
  gpugeo_collisions_free(collisions);
  *results = (double)count;
  if (status != GPUGEO_ERROR_ARGUMENT || strcmp(error->argument, "radius") != 0) return status;
  *results = -1;
  return GPUGEO_OK;
}

static gpugeo_status call_dgp(const void *options, double *results, gpugeo_error *error) {
  gpugeo_dgp_result result = {.count = {0, 0}};
  gpugeo_dgp_solution solutions[8] = {{.residual = 0}};
  const gpugeo_status status = gpugeo_dgp(cycle, 3, options, &result, solutions, NULL, error);
  results[0] = (double)result.count.low;
  for (int i = 0; i < result.returned; ++i)
    results[1 + i] = (double)solutions[i].row.low;
  return status;
}

static gpugeo_status call_dgp_graph(const void *options, double *results, gpugeo_error *error) {
  const gpugeo_dgp_edge edges[] = {{0, 1, 3, 3}, {1, 2, 4, 4}, {0, 2, 7, 7}};
  gpugeo_dgp_graph_result result = {.returned = 0};
  int64_t size = 0;
  gpugeo_status status = gpugeo_dgp_graph_size(3, edges, 3, options, &size, error);
  if (!status && size <= RESULTS)
    status = gpugeo_dgp_graph(3, edges, 3, options, &result, results, NULL, NULL, error);
  return status;
}

static gpugeo_status call_dist_dna(const void *options, double *results, gpugeo_error *error) {
  static const uint8_t codes[] = {0x88, 0x48, 0x88, 0x18, 0x18, 0x28, 0x28, 0x28, 0x48, 0x48};
  const gpugeo_sequences two = {.count = 2, .codes = codes, .sites = 5, .step = 2};
  return gpugeo_dist_dna(&two, options, results, NULL, NULL, error);
}

static const int32_t ends[] = {0, 1, 2, 1, 2, 3};
static const gpugeo_graph path = {.vertices = 4, .edges = {ends, GPUGEO_TYPE_INT32, 3, 2, 3, NULL}};

static gpugeo_status call_aa(const void *options, double *results, gpugeo_error *error) {
  static const char *const text[] = {"ARND", "ARNE", "-RCE"};
  return gpugeo_dist_aa(&(gpugeo_texts){3, text, NULL}, options, results, NULL, error);
}

static gpugeo_status call_unifrac(const void *options, double *results, gpugeo_error *error) {
  static const int32_t edge[] = {3, 4, 4, 3, 4, 0, 1, 2};
  static const double length[] = {1, 2, 1, 3}, counts[] = {1, 0, 2, 2, 0, 1, 1, 3, 0};
  const gpugeo_tree tree = {3, 2, 4, edge, length, NULL, NULL, NAN};
  const gpugeo_matrix x = {counts, GPUGEO_TYPE_DOUBLE, 3, 3, 3, NULL};
  return gpugeo_unifrac(&x, &tree, NULL, options, results, NULL, error);
}

static const double counts[] = {3, 0, 1, 5, 2, 2};
static const gpugeo_matrix table = {.data = counts, .nrow = 2, .ncol = 3, .ld = 2};

static gpugeo_status call_decostand(const void *options, double *results, gpugeo_error *error) {
  double first[3], second[3];
  gpugeo_decostand_numbers numbers = {.first = first, .second = second};
  return gpugeo_decostand(&table, options, results, &numbers, NULL, error);
}

static gpugeo_status call_diversity(const void *options, double *results, gpugeo_error *error) {
  return gpugeo_diversity(&table, options, results, NULL, error);
}

static gpugeo_status call_betadiver(const void *options, double *results, gpugeo_error *error) {
  static const double species[] = {3, 2};
  results[0] = 1;
  return gpugeo_betadiver(2, species, options, results, NULL, error);
}

static gpugeo_status call_edit(const void *options, double *results, gpugeo_error *error) {
  static const char *const text[] = {"kitten", "sitting", "ab", "ba"};
  return gpugeo_dist_edit(&(gpugeo_texts){4, text, NULL}, NULL, options, results, NULL, error);
}

static gpugeo_status call_layout(const void *options, double *results, gpugeo_error *error) {
  gpugeo_layout_result result;
  return gpugeo_layout(&path, options, results, &result, NULL, error);
}

static gpugeo_status call_quality(const void *options, double *results, gpugeo_error *error) {
  gpugeo_layout_quality_result quality = {0};
  const gpugeo_status status = gpugeo_layout_quality(&path, &x, options, &quality, NULL, error);
  memcpy(results, &quality, sizeof quality);
  return status;
}

static gpugeo_status call_raster(const void *options, double *results, gpugeo_error *error) {
  const size_t pixels = (size_t)1024 * 1024; /* of the default size */
  double *lines = calloc(pixels, sizeof *lines);
  if (!lines) return GPUGEO_ERROR_MEMORY;
  const gpugeo_status status = gpugeo_layout_raster(&path, &x, options, lines, NULL, error);
  for (size_t i = 0; i < pixels; ++i)
    results[0] += lines[i];
  free(lines);
  return status;
}

static gpugeo_status call_graph_distances(const void *options, double *results,
                                          gpugeo_error *error) {
  int64_t size = 0;
  const gpugeo_status status = gpugeo_graph_distances_size(&path, options, &size, error);
  if (status || size > RESULTS) return status;
  return gpugeo_graph_distances(&path, options, results, NULL, error);
}

static gpugeo_status call_sums(const void *run, double *results, gpugeo_error *error) {
  return gpugeo_dgp_sums(cycle, 3, run, results, NULL, error);
}

/* --- What all of them must do ----------------------------------------------------------------- */

typedef struct kind {
  const char *name, *argument;
  size_t size;
  void (*init)(void *options, size_t size);
  gpugeo_status (*call)(const void *options, double *results, gpugeo_error *error);
} kind;

/* The functions themselves, of which each takes a pointer of its own type. */
#define INIT(name)                                                                                 \
  static void init_##name(void *options, size_t size) { gpugeo_##name##_init(options, size); }
INIT(run)
INIT(dist_options)
INIT(cor_options)
INIT(knn_options)
INIT(mst_options)
INIT(dbscan_options)
INIT(hdbscan_options)
INIT(optics_options)
INIT(lof_options)
INIT(silhouette_options)
INIT(validity_options)
INIT(pam_options)
INIT(kmeans_options)
INIT(leaf_order_options)
INIT(permanova_options)
INIT(anosim_options)
INIT(mrpp_options)
INIT(mantel_options)
INIT(pcoa_options)
INIT(mds_options)
INIT(hclust_options)
INIT(closest_options)
INIT(collisions_options)
INIT(dgp_options)
INIT(dgp_graph_options)
INIT(dist_dna_options)
INIT(layout_options)
INIT(layout_quality_options)
INIT(layout_raster_options)
INIT(graph_distances_options)
INIT(dist_file_options)
INIT(nj_options)
INIT(dist_aa_options)
INIT(dist_edit_options)
INIT(unifrac_options)
INIT(decostand_options)
INIT(diversity_options)
INIT(betadiver_options)
INIT(boot_phylo_options)
#define KIND(name, argument, call)                                                                 \
  { #name, argument, sizeof(gpugeo_##name), init_##name, call }
static const kind kinds[] = {
    KIND(run, "run", call_sums),
    KIND(dist_options, "options", call_dist),
    KIND(cor_options, "options", call_cor),
    KIND(knn_options, "options", call_knn),
    KIND(mst_options, "options", call_mst),
    KIND(dbscan_options, "options", call_dbscan),
    KIND(hdbscan_options, "options", call_hdbscan),
    KIND(optics_options, "options", call_optics),
    KIND(lof_options, "options", call_lof),
    KIND(silhouette_options, "options", call_silhouette),
    KIND(validity_options, "options", call_validity),
    KIND(pam_options, "options", call_pam),
    KIND(kmeans_options, "options", call_kmeans),
    KIND(leaf_order_options, "options", call_leaf_order),
    KIND(permanova_options, "options", call_permanova),
    KIND(anosim_options, "options", call_anosim),
    KIND(mrpp_options, "options", call_mrpp),
    KIND(mantel_options, "options", call_mantel),
    KIND(pcoa_options, "options", call_pcoa),
    KIND(mds_options, "options", call_mds),
    KIND(hclust_options, "options", call_hclust),
    KIND(closest_options, "options", call_closest),
    KIND(collisions_options, "options", call_collisions),
    KIND(dgp_options, "options", call_dgp),
    KIND(dgp_graph_options, "options", call_dgp_graph),
    KIND(dist_dna_options, "options", call_dist_dna),
    KIND(layout_options, "options", call_layout),
    KIND(layout_quality_options, "options", call_quality),
    KIND(layout_raster_options, "options", call_raster),
    KIND(graph_distances_options, "options", call_graph_distances),
    KIND(nj_options, "options", call_nj),
    KIND(dist_aa_options, "options", call_aa),
    KIND(dist_edit_options, "options", call_edit),
    KIND(unifrac_options, "options", call_unifrac),
    KIND(decostand_options, "options", call_decostand),
    KIND(diversity_options, "options", call_diversity),
    KIND(betadiver_options, "options", call_betadiver),
    KIND(dist_file_options, "file_options", NULL), /* has no default: see test_file() */
    KIND(boot_phylo_options, "options", NULL),     /* likewise: see test_boot_phylo.c */
};

/* The bytes of an options struct, aligned as one. */
typedef union block {
  size_t size;
  double aligned;
  unsigned char bytes[ROOM];
} block;

static size_t size_in(const block *options) {
  size_t size;
  memcpy(&size, options->bytes, sizeof size);
  return size;
}

/* Filling `size` bytes writes these and no others: the size, the defaults, and zeros beyond what
   this version knows. */
static void check_init(const kind *k, size_t size) {
  block all, part;
  memset(&all, CANARY, sizeof all);
  memset(&part, CANARY, sizeof part);
  k->init(&all, k->size);
  k->init(&part, size);
  CHECK(size_in(&all) == k->size && size_in(&part) == size, "%s: sizes %zu, %zu", k->name,
        size_in(&all), size_in(&part));
  size_t differ = 0;
  for (size_t i = sizeof size; i < ROOM; ++i)
    differ += part.bytes[i] != (i >= size ? CANARY : i >= k->size ? 0 : all.bytes[i]);
  CHECK(differ == 0, "%s of %zu bytes: %zu bytes differ", k->name, size, differ);
}

/* Options of `size` bytes give the results of the defaults, whatever is behind them. */
static void check_shorter(const kind *k, size_t size, const double *want) {
  block options;
  memset(&options, CANARY, sizeof options);
  k->init(&options, size);
  double results[RESULTS] = {0};
  gpugeo_error error = {.message = ""};
  const gpugeo_status status = k->call(&options, results, &error);
  CHECK(!status && memcmp(results, want, sizeof results) == 0, "%s of %zu bytes: %d \"%s\"",
        k->name, size, status, error.message);
}

static void check_refused(const kind *k, size_t size) {
  block options;
  double results[RESULTS];
  gpugeo_error error = {.message = ""};
  k->init(&options, k->size);
  options.size = size;
  CHECK(k->call(&options, results, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.argument, k->argument) == 0,
        "%s of %zu bytes: \"%s\"", k->name, size, error.message);
  char want[200];
  snprintf(want, sizeof want,
           "%s must be filled by gpugeo_%s_init() of gpugeo %s or earlier, not have a size of %zu",
           k->argument, k->name, gpugeo_version(), size);
  CHECK(strcmp(error.message, want) == 0, "\"%s\", expected \"%s\"", error.message, want);
}

static void test_kind(const kind *k) {
  for (size_t size = sizeof size; size <= k->size + 24; ++size)
    check_init(k, size);
  if (!k->call) return;
  block options;
  double want[RESULTS] = {0};
  gpugeo_error error = {.message = ""};
  k->init(&options, k->size);
  CHECK(!k->call(&options, want, &error), "%s: %s", k->name, error.message);
  for (size_t size = sizeof size; size < k->size; size += 8)
    check_shorter(k, size, want);
  check_refused(k, 0);
  check_refused(k, sizeof(size_t) - 1);
  check_refused(k, k->size + 1);
  check_refused(k, (size_t)-1);
  CHECK(k->call(NULL, want, &error) == GPUGEO_ERROR_ARGUMENT, "%s NULL", k->name);
}

/* --- Options before the end of a short struct are taken --------------------------------------- */

static void test_taken(void) {
  gpugeo_dist_options options;
  const size_t size = offsetof(gpugeo_dist_options, points);
  memset(&options, CANARY, sizeof options);
  gpugeo_dist_options_init(&options, size);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  double found[6] = {0};
  const double want[6] = {7, 14, 3, 7, 4, 11}; /* by hand */
  CHECK(!gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, found, NULL, NULL) &&
            memcmp(found, want, sizeof want) == 0,
        "%g, %g, %g, %g, %g, %g", found[0], found[1], found[2], found[3], found[4], found[5]);

  gpugeo_collisions_options collisions;
  gpugeo_error error;
  const size_t with_radius = offsetof(gpugeo_collisions_options, radii);
  memset(&collisions, CANARY, sizeof collisions);
  gpugeo_collisions_options_init(&collisions, with_radius);
  CHECK(!call_collisions(&collisions, found, &error) && found[0] == -1, "%g", found[0]);
  collisions.radius = 5;
  CHECK(!call_collisions(&collisions, found, &error) && found[0] == 4, "%g", found[0]);
}

static void test_file(void) {
  if (!*gpugeo_hdf5_version()) {
    check_skip(2, "built without HDF5");
    return;
  }
  char *file = temporary_file("", 0);
  remove(file);
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  gpugeo_dist_file_options options;
  memset(&options, CANARY, sizeof options);
  gpugeo_dist_file_options_init(&options, offsetof(gpugeo_dist_file_options, name));
  options.file = file;
  gpugeo_error error = {.message = ""};
  CHECK(!gpugeo_dist_file_write(&source, &dist, &options, NULL, &error), "%s", error.message);
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info = {.points = 0};
  CHECK(!gpugeo_dist_file_open(file, NULL, &opened, &info, &error) && info.points == 4 &&
            strcmp(info.name, "dist") == 0 && info.type == GPUGEO_TYPE_DOUBLE,
        "%s: %lld points in \"%s\"", error.message, (long long)info.points, info.name);
  gpugeo_dist_file_close(opened);
  temporary_remove(file);
}

/* A run has one size in all versions, as it is a part of options. What a later version keeps in its
   reserve is refused and not ignored. */
static void test_run(void) {
  gpugeo_dist_options options;
  gpugeo_error error;
  double found[6];
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.reserved[7] = 1;
  CHECK(gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, found, NULL, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message,
                   "run must be filled by gpugeo_run_init() of gpugeo " GPUGEO_VERSION
                   " or earlier: it has settings of a later one") == 0,
        "%s", error.message);
  if (sizeof(void *) == 8)
    CHECK(sizeof(gpugeo_run) == 120, "a run has %zu bytes", sizeof(gpugeo_run));
}

/* The same holds for a metric and its parameters. */
static void test_metric(void) {
  gpugeo_knn_options options;
  gpugeo_error error;
  int64_t size = 0;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.reserved[1] = 1;
  CHECK(gpugeo_knn_size(&x, NULL, &options, &size, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "metric must be filled by gpugeo_dist_options_init() or "
                                  "gpugeo_knn_options_init() of gpugeo " GPUGEO_VERSION
                                  " or earlier: it has parameters of a later one") == 0,
        "%s", error.message);
  if (sizeof(void *) == 8)
    CHECK(sizeof(gpugeo_metric_options) == 144, "a metric has %zu bytes",
          sizeof(gpugeo_metric_options));
}

static void test_version(void) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", GPUGEO_VERSION_MAJOR, GPUGEO_VERSION_MINOR,
           GPUGEO_VERSION_PATCH);
  CHECK(strcmp(text, GPUGEO_VERSION) == 0, "%s and %s", text, GPUGEO_VERSION);
  CHECK(strcmp(text, gpugeo_version()) == 0, "%s and %s", text, gpugeo_version());
}

int main(void) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    test_kind(&kinds[k]);
  test_taken();
  test_file();
  test_run();
  test_metric();
  test_version();
  return check_end();
}

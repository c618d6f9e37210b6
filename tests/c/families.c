#include "families.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "hdbscan_room.h"
#include "system.h"

/* --- Inputs and results ----------------------------------------------------------------------- */

/* FNV-1a. */
static void add_bytes(uint64_t *hash, const void *data, int64_t bytes) {
  const unsigned char *at = data;
  for (int64_t i = 0; i < bytes; ++i)
    *hash = (*hash ^ at[i]) * 1099511628211u;
}

static void begin(uint64_t *hash) { *hash = 14695981039346656037u; }

/* Memory of a result: never so little that NULL means nothing. */
static void *room(int64_t count, size_t size) { return calloc((size_t)count * size + 1, 1); }

static double *values(int64_t count) {
  double *made = room(count, sizeof *made);
  for (int64_t i = 0; made && i < count; ++i)
    made[i] = sin((double)(i % 1009) * (double)(i + 3));
  return made;
}

static gpugeo_matrix columns_of(const double *data, int64_t rows, int64_t columns) {
  return (gpugeo_matrix){data, GPUGEO_TYPE_DOUBLE, rows, columns, rows, NULL};
}

/* The status of a call whose memory was not there. */
static gpugeo_status without_memory(void) { return GPUGEO_ERROR_MEMORY; }

/* --- Distances -------------------------------------------------------------------------------- */

static gpugeo_status call_dist(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  double *x = values(4 * n), *out = room(n * (n - 1) / 2, sizeof *out);
  gpugeo_status status = without_memory();
  if (x && out) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.metric.kind = GPUGEO_METRIC_MANHATTAN;
    options.run = *run;
    status = gpugeo_dist(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(x);
  free(out);
  return status;
}

static gpugeo_status call_tile(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  double *x = values(3 * n), *out = room(n * n, sizeof *out);
  gpugeo_status status = without_memory();
  if (x && out) {
    const gpugeo_matrix view = columns_of(x, n, 3);
    const gpugeo_point_source source = {&view, NULL, NULL};
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.metric.kind = GPUGEO_METRIC_MAHALANOBIS;
    options.run = *run;
    gpugeo_tiles tiles;
    status = gpugeo_tiles_plan(n, -1, 3, n, 0, &tiles, error);
    if (!status)
      status = gpugeo_dist_tile(&source, NULL, &options, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE,
                                out, NULL, error);
    if (!status) add_bytes(hash, out, n * n * 8);
  }
  free(x);
  free(out);
  return status;
}

static gpugeo_status read_row(const char *path, int64_t n, double *out, uint64_t *hash,
                              gpugeo_error *error) {
  gpugeo_dist_file *opened;
  gpugeo_dist_file_info info;
  int64_t row = 1, *all = room(n, sizeof *all);
  gpugeo_status status =
      all ? gpugeo_dist_file_open(path, NULL, &opened, &info, error) : without_memory();
  if (!status) {
    for (int64_t i = 0; i < n; ++i)
      all[i] = i;
    status = gpugeo_dist_file_read(opened, &row, 1, all, n, NAN, out, error);
    if (!status) add_bytes(hash, out, n * 8);
    gpugeo_dist_file_close(opened);
  }
  free(all);
  return status;
}

static gpugeo_status call_file(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  char path[256];
  double *x = values(4 * n), *out = room(n, sizeof *out);
  gpugeo_status status = without_memory();
  snprintf(path, sizeof path, "%.200s/gpugeo-family-XXXXXX", temporary_root());
  const int handle = *gpugeo_hdf5_version() ? mkstemp(path) : -1;
  if (handle < 0) status = GPUGEO_OK; /* without HDF5 there is nothing to write */
  if (x && out && handle >= 0) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_point_source source = {&view, NULL, NULL};
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.run = *run;
    gpugeo_dist_file_options file;
    gpugeo_dist_file_options_init(&file, sizeof file);
    file.file = path;
    unlink(path);
    status = gpugeo_dist_file_write(&source, &options, &file, NULL, error);
    if (!status) status = read_row(path, n, out, hash, error);
  }
  if (handle >= 0) {
    close(handle);
    unlink(path);
  }
  free(x);
  free(out);
  return status;
}

/* Correlations of pairwise complete observations. */
static gpugeo_status correlate(int64_t n, gpugeo_cor_method method, const gpugeo_run *run,
                               uint64_t *hash, gpugeo_error *error) {
  const int64_t rows = 40;
  double *x = values(rows * n), *out = room(n * n, sizeof *out);
  gpugeo_status status = without_memory();
  if (x && out) {
    x[7] = NAN;
    const gpugeo_matrix view = columns_of(x, rows, n);
    gpugeo_cor_options options;
    gpugeo_cor_options_init(&options, sizeof options);
    options.method = method;
    options.use = GPUGEO_COR_USE_PAIRWISE;
    options.run = *run;
    status = gpugeo_cor(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
    if (!status) add_bytes(hash, out, n * n * 8);
  }
  free(x);
  free(out);
  return status;
}

static gpugeo_status call_cor(int64_t n, const gpugeo_run *run, uint64_t *hash,
                              gpugeo_error *error) {
  return correlate(n, GPUGEO_COR_METHOD_SPEARMAN, run, hash, error);
}

static gpugeo_status call_kendall(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  return correlate(n, GPUGEO_COR_METHOD_KENDALL, run, hash, error);
}

/* --- Neighbours ------------------------------------------------------------------------------- */

static gpugeo_status call_knn(int64_t n, const gpugeo_run *run, uint64_t *hash,
                              gpugeo_error *error) {
  enum { K = 5 };
  double *x = values(4 * n), *distance = room(K * n, sizeof *distance);
  int32_t *index = room(K * n, sizeof *index);
  gpugeo_status status = without_memory();
  if (x && distance && index) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    options.k = K;
    options.run = *run;
    status = gpugeo_knn(&view, NULL, &options, index, distance, NULL, error);
    if (!status) add_bytes(hash, distance, K * n * 8);
    if (!status) add_bytes(hash, index, K * n * 4);
  }
  free(x);
  free(distance);
  free(index);
  return status;
}

static gpugeo_status call_radius(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  double *x = values(4 * n);
  if (!x) return without_memory();
  const gpugeo_matrix view = columns_of(x, n, 4);
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.radius = 1;
  options.run = *run;
  gpugeo_neighbors found;
  gpugeo_status status = gpugeo_radius(&view, NULL, &options, &found, NULL, error);
  if (!status) {
    add_bytes(hash, found.index, found.start[found.points] * 4);
    gpugeo_neighbors_free(&found);
  }
  free(x);
  return status;
}

static gpugeo_status call_mst(int64_t n, const gpugeo_run *run, uint64_t *hash,
                              gpugeo_error *error) {
  double *x = values(4 * n), *distance = room(n, sizeof *distance);
  int32_t *i = room(n, sizeof *i), *j = room(n, sizeof *j);
  gpugeo_status status = without_memory();
  if (x && distance && i && j) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_mst_options options;
    gpugeo_mst_options_init(&options, sizeof options);
    options.run = *run;
    status = gpugeo_mst(&distances, &options, i, j, distance, NULL, error);
    if (!status) add_bytes(hash, distance, (n - 1) * 8);
    if (!status) add_bytes(hash, i, (n - 1) * 4);
    if (!status) add_bytes(hash, j, (n - 1) * 4);
  }
  free(x);
  free(distance);
  free(i);
  free(j);
  return status;
}

static gpugeo_status call_dbscan(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  double *x = values(4 * n);
  int32_t *cluster = room(n, sizeof *cluster);
  gpugeo_status status = without_memory();
  if (x && cluster) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_dbscan_options options;
    gpugeo_dbscan_options_init(&options, sizeof options);
    options.eps = 1;
    options.run = *run;
    status = gpugeo_dbscan(&distances, &options, cluster, NULL, NULL, error);
    if (!status) add_bytes(hash, cluster, n * 4);
  }
  free(x);
  free(cluster);
  return status;
}

static gpugeo_status call_hdbscan(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  double *x = values(4 * n);
  hdbscan_room found = {.whole = NULL};
  gpugeo_status status = without_memory();
  if (x && hdbscan_room_make(n, n, &found)) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_hdbscan_options options;
    gpugeo_hdbscan_options_init(&options, sizeof options);
    options.run = *run;
    status = gpugeo_hdbscan(&distances, &options, &found.result, NULL, error);
    if (!status) add_bytes(hash, found.result.height, (n - 1) * 8);
    if (!status) add_bytes(hash, found.result.outlier_score, n * 8);
    if (!status) add_bytes(hash, found.result.cluster, n * 4);
  }
  free(x);
  hdbscan_room_free(&found);
  return status;
}

static gpugeo_status call_optics(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  double *x = values(4 * n), *real = room(3 * n, sizeof *real);
  int32_t *whole = room(2 * n, sizeof *whole);
  gpugeo_status status = without_memory();
  if (x && real && whole) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_optics_options options;
    gpugeo_lof_options lof;
    gpugeo_optics_options_init(&options, sizeof options);
    gpugeo_lof_options_init(&lof, sizeof lof);
    options.min_points = 3;
    options.run = lof.run = *run;
    gpugeo_optics_result result = {whole, real, real + n, whole + n, 0};
    status = gpugeo_optics(&distances, &options, &result, NULL, error);
    if (!status) add_bytes(hash, whole, 2 * n * 4);
    options.eps = result.eps / 2;
    if (!status) status = gpugeo_optics(&distances, &options, &result, NULL, error);
    if (!status) status = gpugeo_lof(&distances, &lof, real + 2 * n, NULL, error);
    if (!status) add_bytes(hash, whole, 2 * n * 4);
    if (!status) add_bytes(hash, real, 3 * n * 8);
  }
  free(x);
  free(real);
  free(whole);
  return status;
}

static gpugeo_status call_silhouette(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                     gpugeo_error *error) {
  double *x = values(4 * n), *width = room(n, sizeof *width);
  int32_t *cluster = room(n, sizeof *cluster), *neighbor = room(n, sizeof *neighbor);
  gpugeo_status status = without_memory();
  if (x && width && cluster && neighbor) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_silhouette_options options;
    gpugeo_silhouette_options_init(&options, sizeof options);
    options.run = *run;
    for (int64_t i = 0; i < n; ++i)
      cluster[i] = (int32_t)(1 + i % 3);
    status = gpugeo_silhouette(&distances, cluster, n, &options, neighbor, width, NULL, error);
    if (!status) add_bytes(hash, width, n * 8);
    if (!status) add_bytes(hash, neighbor, n * 4);
  }
  free(x);
  free(width);
  free(cluster);
  free(neighbor);
  return status;
}

static gpugeo_status call_validity(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                   gpugeo_error *error) {
  double *x = values(4 * n), of_cluster[3 * GPUGEO_VALIDITY_COLUMN_COUNT] = {0};
  int32_t *cluster = room(n, sizeof *cluster);
  gpugeo_status status = without_memory();
  if (x && cluster) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_validity_result result = {.of_cluster = of_cluster};
    gpugeo_validity_options options;
    gpugeo_validity_options_init(&options, sizeof options);
    options.run = *run;
    for (int64_t i = 0; i < n; ++i)
      cluster[i] = (int32_t)(i % 4); /* some are noise */
    status = gpugeo_validity(&distances, cluster, n, &options, &result, NULL, error);
    if (!status) add_bytes(hash, of_cluster, sizeof of_cluster);
    if (!status) add_bytes(hash, &result.within, 6 * sizeof result.within);
  }
  free(x);
  free(cluster);
  return status;
}

static gpugeo_status call_pam(int64_t n, const gpugeo_run *run, uint64_t *hash,
                              gpugeo_error *error) {
  double *x = values(4 * n), *real = room(4 * n, sizeof *real);
  int32_t *whole = room(2 * n + 3, sizeof *whole);
  gpugeo_status status = without_memory();
  if (x && real && whole) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_pam_options options;
    gpugeo_pam_options_init(&options, sizeof options);
    options.k = 3;
    options.run = *run;
    gpugeo_pam_result result = {whole + 2 * n, whole,        real, NULL, whole + n, real + n,
                                real + 2 * n,  real + 3 * n, {0},  0,    0};
    status = gpugeo_pam(&distances, &options, &result, NULL, error);
    if (!status) add_bytes(hash, real, 4 * n * 8);
    if (!status) add_bytes(hash, whole, (2 * n + 3) * 4);
    if (!status) add_bytes(hash, result.objective, sizeof result.objective);
  }
  free(x);
  free(real);
  free(whole);
  return status;
}

static gpugeo_status call_leaf_order(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                     gpugeo_error *error) {
  double *x = values(4 * n);
  int32_t *merge = room(2 * n, sizeof *merge), *order = room(n, sizeof *order);
  gpugeo_status status = without_memory();
  if (x && merge && order) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_leaf_order_options options;
    gpugeo_leaf_order_options_init(&options, sizeof options);
    options.run = *run;
    for (int64_t k = 0; k < 2 * (n - 1); ++k) /* pairs, pairs of these, ... */
      merge[k % 2 * (n - 1) + k / 2] = (int32_t)k;
    gpugeo_leaf_order_result result = {merge, order, 0};
    status = gpugeo_leaf_order(&distances, merge, n - 1, &options, &result, NULL, error);
    if (!status) add_bytes(hash, merge, 2 * (n - 1) * 4);
    if (!status) add_bytes(hash, order, n * 4);
    if (!status) add_bytes(hash, &result.sum, 8);
  }
  free(x);
  free(merge);
  free(order);
  return status;
}

/* Draws centres by k-means++, and runs Lloyd's algorithm and AS 136. */
static gpugeo_status call_kmeans(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  double *x = values(4 * n), real[15];
  int32_t *whole = room(n + 3, sizeof *whole);
  gpugeo_status status = without_memory();
  if (x && whole) {
    const double uniform[] = {0.1, 0.5, 0.9};
    const gpugeo_matrix view = columns_of(x, n, 4);
    gpugeo_kmeans_options options;
    gpugeo_kmeans_options_init(&options, sizeof options);
    options.k = 3;
    options.uniform = uniform;
    options.uniform_length = 3;
    options.run = *run;
    gpugeo_kmeans_result result = {
        .cluster = whole, .centers = real, .withinss = real + 12, .sizes = whole + n};
    status = gpugeo_kmeans(&view, &options, &result, NULL, error);
    if (!status) add_bytes(hash, real, sizeof real);
    options.algorithm = GPUGEO_KMEANS_ALGORITHM_LLOYD;
    if (!status) status = gpugeo_kmeans(&view, &options, &result, NULL, error);
    if (!status) add_bytes(hash, real, sizeof real);
    if (!status) add_bytes(hash, whole, (n + 3) * 4);
  }
  free(x);
  free(whole);
  return status;
}

/* Fills groups of n points, and rotations by multiples of `step` as permutations. */
static gpugeo_design make_design(int64_t n, int32_t groups, int32_t *group, int64_t permutations,
                                 int64_t step, int32_t *order) {
  for (int64_t i = 0; i < n; ++i)
    group[i] = (int32_t)(i % groups);
  for (int64_t k = 0; k < permutations * n; ++k)
    order[k] = (int32_t)((k % n + step * (k / n)) % n);
  return (gpugeo_design){
      .points = n, .group = group, .groups = groups, .order = order, .permutations = permutations};
}

static gpugeo_status call_permanova(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                    gpugeo_error *error) {
  enum { PERMUTATIONS = 20 };
  double *x = values(4 * n), sums[2 * (1 + PERMUTATIONS)], total = 0;
  int32_t *group = room(n, sizeof *group), *order = room(PERMUTATIONS * n, sizeof *order);
  gpugeo_status status = without_memory();
  if (x && group && order) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    const gpugeo_design groups = make_design(n, 5, group, PERMUTATIONS, 7, order);
    gpugeo_design basis = groups;
    basis.group = NULL;
    basis.basis = x;
    basis.columns = 2;
    gpugeo_permanova_options options;
    gpugeo_permanova_options_init(&options, sizeof options);
    options.run = *run;
    status = gpugeo_permanova(&distances, &options, &groups, sums, &total, NULL, error);
    if (!status) add_bytes(hash, sums, (1 + PERMUTATIONS) * 8);
    if (!status) status = gpugeo_permanova(&distances, &options, &basis, sums, &total, NULL, error);
    if (!status) add_bytes(hash, sums, 2 * (1 + PERMUTATIONS) * 8);
    if (!status) add_bytes(hash, &total, 8);
  }
  free(x);
  free(group);
  free(order);
  return status;
}

static gpugeo_status call_mrpp(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  enum { PERMUTATIONS = 20, GROUPS = 5 };
  double *x = values(4 * n), delta[1 + PERMUTATIONS], within[GROUPS], mean = 0;
  int32_t *group = room(n, sizeof *group), *order = room(PERMUTATIONS * n, sizeof *order);
  gpugeo_status status = without_memory();
  if (x && group && order) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    const gpugeo_design design = make_design(n, GROUPS, group, PERMUTATIONS, 7, order);
    gpugeo_mrpp_options options;
    gpugeo_mrpp_options_init(&options, sizeof options);
    options.run = *run;
    status = gpugeo_mrpp(&distances, &options, &design, delta, within, &mean, NULL, error);
    if (!status) {
      add_bytes(hash, delta, (int64_t)sizeof delta);
      add_bytes(hash, within, (int64_t)sizeof within);
      add_bytes(hash, &mean, 8);
    }
  }
  free(x);
  free(group);
  free(order);
  return status;
}

/* An analysis of similarities and a partial Mantel test. */
static gpugeo_status call_similarity(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                     gpugeo_error *error) {
  enum { PERMUTATIONS = 6 };
  double *x = values(4 * n), statistic[1 + PERMUTATIONS];
  int32_t *group = room(n, sizeof *group), *order = room(PERMUTATIONS * n, sizeof *order);
  gpugeo_status status = without_memory();
  if (x && group && order) {
    const gpugeo_matrix view = columns_of(x, n, 2), other = columns_of(x + n, n, 2),
                        third = columns_of(x + 2 * n, n, 2);
    const gpugeo_distances distances = {.x = &view}, y = {.x = &other}, z = {.x = &third};
    const gpugeo_design design = make_design(n, 3, group, PERMUTATIONS, 5, order);
    gpugeo_anosim_options anosim;
    gpugeo_anosim_options_init(&anosim, sizeof anosim);
    anosim.run = *run;
    gpugeo_mantel_options mantel;
    gpugeo_mantel_options_init(&mantel, sizeof mantel);
    mantel.method = GPUGEO_COR_METHOD_SPEARMAN;
    mantel.run = *run;
    status = gpugeo_anosim(&distances, &anosim, &design, statistic, NULL, NULL, error);
    if (!status) add_bytes(hash, statistic, (int64_t)sizeof statistic);
    if (!status)
      status =
          gpugeo_mantel(&distances, &y, &z, &mantel, order, PERMUTATIONS, statistic, NULL, error);
    if (!status) add_bytes(hash, statistic, (int64_t)sizeof statistic);
  }
  free(x);
  free(group);
  free(order);
  return status;
}

/* Principal coordinates with a correction, and of so many points that a Krylov method finds them.
 */
static gpugeo_status call_pcoa(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  enum { K = 2 };
  double *x = values(4 * n), *made = room(K * n, sizeof *made), numbers[2 * K] = {0};
  gpugeo_status status = without_memory();
  if (x && made) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_pcoa_options options;
    gpugeo_pcoa_options_init(&options, sizeof options);
    options.metric.kind = GPUGEO_METRIC_MANHATTAN;
    options.correction = GPUGEO_PCOA_CORRECTION_CAILLIEZ;
    options.tolerance = 1e-3;
    options.run = *run;
    gpugeo_pcoa_result result = {
        .coordinates = made, .eigenvalue = numbers, .residual = numbers + K};
    status = gpugeo_pcoa(&distances, &options, &result, NULL, error);
    if (!status) add_bytes(hash, made, K * n * 8);
    if (!status) add_bytes(hash, numbers, (int64_t)sizeof numbers);
    if (!status) add_bytes(hash, &result.constant, 8);
  }
  free(x);
  free(made);
  return status;
}

/* Multidimensional scaling with weights: metric, or ordinal by squares of distances. */
static gpugeo_status scale_points(int64_t n, gpugeo_mds_type type, const gpugeo_run *run,
                                  uint64_t *hash, gpugeo_error *error) {
  enum { K = 2 };
  const int64_t pairs = n * (n - 1) / 2;
  double *x = values(4 * n), *made = room(K * n, sizeof *made);
  double *weights = room(pairs, sizeof *weights);
  gpugeo_status status = without_memory();
  if (x && made && weights) {
    for (int64_t i = 0; i < pairs; ++i)
      weights[i] = (double)(i % 7);
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_mds_options options;
    gpugeo_mds_options_init(&options, sizeof options);
    options.weights = weights;
    options.weights_length = pairs;
    options.max_iterations = 5;
    options.type = type;
    options.squared = type == GPUGEO_MDS_TYPE_ORDINAL;
    options.run = *run;
    gpugeo_mds_result result = {.coordinates = made};
    status = gpugeo_mds(&distances, &options, &result, NULL, error);
    if (!status) add_bytes(hash, made, K * n * 8);
    if (!status) add_bytes(hash, &result.stress, 8);
  }
  free(x);
  free(made);
  free(weights);
  return status;
}

static gpugeo_status call_mds(int64_t n, const gpugeo_run *run, uint64_t *hash,
                              gpugeo_error *error) {
  return scale_points(n, GPUGEO_MDS_TYPE_RATIO, run, hash, error);
}

static gpugeo_status call_mds_ordinal(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                      gpugeo_error *error) {
  return scale_points(n, GPUGEO_MDS_TYPE_ORDINAL, run, hash, error);
}

/* --- Points ----------------------------------------------------------------------------------- */

static gpugeo_status call_closest(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  enum { K = 20 };
  gpugeo_pair pairs[K];
  const int64_t points = 16 * n;
  double *x = values(2 * points);
  if (!x) return without_memory();
  const gpugeo_matrix view = columns_of(x, points, 2);
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.k = K;
  options.run = *run;
  int64_t found = 0, ties = 0;
  gpugeo_status status =
      gpugeo_closest_pair(&view, NULL, &options, pairs, &found, &ties, NULL, error);
  if (!status) add_bytes(hash, pairs, found * (int64_t)sizeof *pairs);
  free(x);
  return status;
}

static gpugeo_status take_pairs(gpugeo_collisions *found, uint64_t *hash, gpugeo_error *error) {
  int64_t count = 0;
  gpugeo_status status = gpugeo_collisions_wait(found, NULL, &count, NULL, error);
  if (status) return status;
  int32_t *pairs = room(2 * count, sizeof *pairs);
  status =
      pairs ? gpugeo_collisions_pairs(found, GPUGEO_TYPE_INT32, pairs, error) : without_memory();
  if (!status) add_bytes(hash, pairs, 2 * count * 4);
  free(pairs);
  return status;
}

static gpugeo_status collide(int64_t n, bool launch, const gpugeo_run *run, uint64_t *hash,
                             gpugeo_error *error) {
  const int64_t points = 16 * n;
  double *x = values(3 * points);
  if (!x) return without_memory();
  const gpugeo_matrix view = columns_of(x, points, 3);
  gpugeo_collisions_options options;
  gpugeo_collisions_options_init(&options, sizeof options);
  options.what = GPUGEO_COLLISIONS_WHAT_PAIRS;
  options.radius = 0.05;
  options.run = *run;
  gpugeo_collisions *found = NULL;
  gpugeo_status status = launch ? gpugeo_collisions_launch(&view, NULL, &options, &found, error)
                                : gpugeo_collisions_compute(&view, NULL, &options, &found, error);
  if (!status) status = take_pairs(found, hash, error);
  gpugeo_collisions_free(found);
  free(x);
  return status;
}

static gpugeo_status call_find(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  return collide(n, false, run, hash, error);
}

static gpugeo_status call_launch(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  return collide(n, true, run, hash, error);
}

/* --- Distance geometry ------------------------------------------------------------------------ */

static void cycle(double *d, int n) {
  for (int j = 0; j < n; ++j)
    d[j] = 1 + fabs(sin(j + 1));
}

static gpugeo_status solve(gpugeo_dgp_algorithm algorithm, int n, const gpugeo_run *run,
                           uint64_t *hash, gpugeo_error *error) {
  enum { MOST = 50 };
  gpugeo_dgp_solution solutions[MOST];
  gpugeo_dgp_result result;
  double d[64];
  cycle(d, n);
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  options.algorithm = algorithm;
  options.tol = 1e-3;
  options.max_solutions = MOST;
  options.run = *run;
  gpugeo_status status = gpugeo_dgp(d, n, &options, &result, solutions, NULL, error);
  for (int64_t s = 0; !status && s < result.returned; ++s)
    add_bytes(hash, &solutions[s].row, sizeof solutions[s].row);
  return status;
}

/* As many distances as 4 n^2 rows have. */
static int cycle_length(int64_t n) { return 4 + (int)(2 * log2((double)n)); }

static gpugeo_status call_exhaustive(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                     gpugeo_error *error) {
  return solve(GPUGEO_DGP_ALGORITHM_EXHAUSTIVE, cycle_length(n), run, hash, error);
}

static gpugeo_status call_meet(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  return solve(GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE, cycle_length(n) + 12, run, hash, error);
}

static gpugeo_status call_rows(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  double d[64];
  const int length = cycle_length(n);
  const int64_t rows = (int64_t)1 << length;
  cycle(d, length);
  double *sums = room(rows, sizeof *sums);
  gpugeo_status status =
      sums ? gpugeo_dgp_sums(d, length, run, sums, NULL, error) : without_memory();
  if (!status) add_bytes(hash, sums, rows * 8);
  free(sums);
  return status;
}

/* A cycle of interval edges, which is searched, and a path of bridges. */
static gpugeo_status call_graph(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                gpugeo_error *error) {
  enum { AROUND = 12, MOST = 4 };
  gpugeo_dgp_edge *edges = room(n, sizeof *edges);
  double *positions = room(MOST * n, sizeof *positions);
  gpugeo_status status = without_memory();
  if (edges && positions) {
    for (int64_t e = 0; e < n - 1; ++e)
      edges[e] = (gpugeo_dgp_edge){e, e + 1, 1, 1 + (e < AROUND ? 0.25 : 0)};
    edges[n - 1] = (gpugeo_dgp_edge){AROUND - 1, 0, 1, 1.5};
    gpugeo_dgp_graph_options options;
    gpugeo_dgp_graph_options_init(&options, sizeof options);
    options.max_solutions = MOST;
    options.run = *run;
    gpugeo_dgp_graph_result result;
    status = gpugeo_dgp_graph(n, edges, n, &options, &result, positions, NULL, NULL, error);
    if (!status) add_bytes(hash, positions, result.returned * n * 8);
  }
  free(edges);
  free(positions);
  return status;
}

/* --- Sequences -------------------------------------------------------------------------------- */

static gpugeo_status call_dist_dna(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                   gpugeo_error *error) {
  enum { SITES = 200 };
  static const uint8_t codes[] = {0x88, 0x48, 0x28, 0x18, 0xF0, 0x04};
  uint8_t *sites = room(n * SITES, 1);
  double *out = room(n * (n - 1) / 2, sizeof *out);
  gpugeo_status status = without_memory();
  if (sites && out) {
    for (int64_t k = 0; k < n * SITES; ++k)
      sites[k] = codes[k % 13 % 4 + (k % 101 == 0) * 2];
    const gpugeo_sequences x = {.count = n, .codes = sites, .sites = SITES, .step = n};
    gpugeo_dist_dna_options options;
    gpugeo_dist_dna_options_init(&options, sizeof options);
    options.model = GPUGEO_DNA_MODEL_TN93;
    options.pairwise_deletion = true;
    options.run = *run;
    status = gpugeo_dist_dna(&x, &options, out, NULL, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(sites);
  free(out);
  return status;
}

static gpugeo_status call_alleles(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  enum { LOCI = 50 };
  double *x = room(n * LOCI, sizeof *x), *out = room(n * (n - 1) / 2, sizeof *out);
  gpugeo_status status = without_memory();
  if (x && out) {
    for (int64_t k = 0; k < n * LOCI; ++k)
      x[k] = (double)(k % 17 % 5);
    const gpugeo_matrix view = columns_of(x, n, LOCI);
    status = gpugeo_dist_alleles(&view, run, out, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(x);
  free(out);
  return status;
}

static gpugeo_status call_edit(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  char *letters = room(12 * n, 1);
  const char **text = room(n, sizeof *text);
  gpugeo_status status = without_memory();
  if (letters && text) {
    for (int64_t i = 0; i < n; ++i) {
      text[i] = memset(letters + 12 * i, 0, 12);
      for (int64_t k = 0; k < 6 + i % 6; ++k)
        letters[12 * i + k] = (char)('a' + (i * (k + 1) + k * k) % 13);
    }
    const gpugeo_texts x = {n, text, NULL};
    gpugeo_dist_edit_options options;
    gpugeo_dist_edit_options_init(&options, sizeof options);
    options.max = 2;
    options.run = *run;
    gpugeo_neighbors found;
    status = gpugeo_edit_neighbors(&x, NULL, &options, &found, NULL, error);
    if (!status) {
      add_bytes(hash, found.start, (n + 1) * 8);
      add_bytes(hash, found.index, found.start[n] * 4);
      gpugeo_neighbors_free(&found);
    }
  }
  free(letters);
  free(text);
  return status;
}

static gpugeo_status call_aa(int64_t n, const gpugeo_run *run, uint64_t *hash,
                             gpugeo_error *error) {
  enum { SITES = 30 };
  char *letters = room((SITES + 1) * n, 1);
  const char **text = room(n, sizeof *text);
  double *out = room(n * (n - 1) / 2, sizeof *out);
  gpugeo_status status = without_memory();
  if (letters && text && out) {
    for (int64_t i = 0; i < n; ++i) {
      text[i] = letters + (SITES + 1) * i;
      for (int64_t k = 0; k < SITES; ++k)
        letters[(SITES + 1) * i + k] = "ARNDCQEGHILKMFPSTWYVBZ-"[(k + (i * k % 7 == 3) * i) % 23];
    }
    const gpugeo_texts x = {n, text, NULL};
    gpugeo_dist_aa_options options;
    gpugeo_dist_aa_options_init(&options, sizeof options);
    options.run = *run;
    status = gpugeo_dist_aa(&x, &options, out, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(letters);
  free(text);
  free(out);
  return status;
}

/* Standardizes a table and computes its diversity, expected species and beta diversity. */
static gpugeo_status call_tables(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  enum { SPECIES = 20 };
  double *counts = room(SPECIES * n, sizeof *counts), *out = room(SPECIES * n, sizeof *out);
  double *first = room(SPECIES + n, sizeof *first), *second = room(SPECIES + n, sizeof *second);
  gpugeo_status status = without_memory();
  if (counts && out && first && second) {
    for (int64_t k = 0; k < SPECIES * n; ++k)
      counts[k] = (double)(k * k % 17 % 5);
    const gpugeo_matrix x = {.data = counts, .nrow = n, .ncol = SPECIES, .ld = n};
    gpugeo_decostand_options options;
    gpugeo_decostand_options_init(&options, sizeof options);
    options.run = *run;
    gpugeo_decostand_numbers numbers = {.first = first, .second = second};
    status = gpugeo_decostand(&x, &options, out, &numbers, NULL, error);
    gpugeo_diversity_options diversity;
    gpugeo_diversity_options_init(&diversity, sizeof diversity);
    diversity.run = *run;
    if (!status) status = gpugeo_diversity(&x, &diversity, first, NULL, error);
    const double sample = 7;
    if (!status) status = gpugeo_rarefy(&x, &sample, 1, run, second, NULL, NULL, error);
    if (!status) add_bytes(hash, out, SPECIES * n * 8);
    if (!status) add_bytes(hash, first, n * 8);
    if (!status) add_bytes(hash, second, n * 8);
  }
  free(counts);
  free(out);
  free(first);
  free(second);
  return status;
}

static gpugeo_status call_boot(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  enum { SITES = 65, REPLICATES = 3 };
  static const uint8_t codes[] = {0x88, 0x48, 0x28, 0x18};
  uint8_t *sites = room(n * SITES, 1);
  int32_t *edge = room(6 * n, sizeof *edge), drawn[REPLICATES * SITES];
  double *length = room(2 * n, sizeof *length);
  gpugeo_status status = without_memory();
  if (sites && edge && length) {
    for (int64_t k = 0; k < n * SITES; ++k)
      sites[k] = codes[k * k % 13 % 4];
    for (int k = 0; k < REPLICATES * SITES; ++k)
      drawn[k] = 7 * k % SITES;
    const gpugeo_sequences x = {.count = n, .codes = sites, .sites = SITES, .step = n};
    gpugeo_dist_dna_options distances;
    gpugeo_dist_dna_options_init(&distances, sizeof distances);
    distances.model = GPUGEO_DNA_MODEL_N;
    gpugeo_boot_phylo_options options;
    gpugeo_boot_phylo_options_init(&options, sizeof options);
    options.replicates = REPLICATES;
    options.sites = drawn;
    options.sites_length = REPLICATES * SITES;
    options.run = *run;
    const gpugeo_boot_phylo_result result = {edge, length, edge + 4 * n, NULL, NULL};
    status = gpugeo_boot_phylo(&x, &distances, &options, &result, NULL, error);
    if (!status) add_bytes(hash, edge, 2 * (2 * n - 3) * 4);
    if (!status) add_bytes(hash, edge + 4 * n, (n - 2) * 4);
  }
  free(sites);
  free(edge);
  free(length);
  return status;
}

/* --- Clusters --------------------------------------------------------------------------------- */

static gpugeo_status cluster(int64_t n, gpugeo_linkage linkage, const gpugeo_run *run,
                             uint64_t *hash, gpugeo_error *error) {
  double *x = values(3 * n), *height = room(n, sizeof *height);
  int32_t *merge = room(3 * n, sizeof *merge);
  gpugeo_status status = without_memory();
  if (x && height && merge) {
    const gpugeo_matrix view = columns_of(x, n, 3);
    const gpugeo_distances d = {.x = &view};
    gpugeo_hclust_options options;
    gpugeo_hclust_options_init(&options, sizeof options);
    options.linkage = linkage;
    options.run = *run;
    status = gpugeo_hclust(&d, &options, merge, height, merge + 2 * (n - 1), NULL, error);
    if (!status) add_bytes(hash, merge, (3 * n - 2) * 4);
    if (!status) add_bytes(hash, height, (n - 1) * 8);
  }
  free(x);
  free(height);
  free(merge);
  return status;
}

static gpugeo_status call_single(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  return cluster(n, GPUGEO_LINKAGE_SINGLE, run, hash, error);
}

static gpugeo_status call_ward(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  return cluster(n, GPUGEO_LINKAGE_WARD_D2, run, hash, error);
}

static gpugeo_status call_centroid(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                   gpugeo_error *error) {
  return cluster(n, GPUGEO_LINKAGE_CENTROID, run, hash, error);
}

/* A dendrogram in which each point joins those before it. */
static gpugeo_status call_cophenetic(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                     gpugeo_error *error) {
  int32_t *merge = room(2 * n, sizeof *merge);
  double *height = values(n), *out = room(n * (n - 1) / 2, sizeof *out);
  gpugeo_status status = without_memory();
  if (merge && height && out) {
    for (int64_t k = 0; k < n - 1; ++k) {
      merge[k] = (int32_t)(k + 1);
      merge[k + n - 1] = (int32_t)(k == 0 ? 0 : n + k - 1);
    }
    status = gpugeo_cophenetic(n, merge, height, run, out, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(merge);
  free(height);
  free(out);
  return status;
}

/* --- Layouts ---------------------------------------------------------------------------------- */

static int32_t *tree_edges(int64_t n) {
  int32_t *edges = room(2 * n, sizeof *edges);
  for (int64_t v = 1; edges && v < n; ++v) {
    edges[v - 1] = (int32_t)(v / 3);
    edges[v - 1 + n - 1] = (int32_t)v;
  }
  return edges;
}

static int look(int64_t iteration, double temperature, const double *positions, void *data) {
  (void)iteration, (void)temperature, (void)positions;
  const gpugeo_run *run = data;
  return run->interrupt ? run->interrupt(run->hook_data) : 0;
}

static gpugeo_status lay_out(int64_t n, gpugeo_layout_repulsion repulsion,
                             gpugeo_layout_algorithm algorithm, const gpugeo_run *run,
                             uint64_t *hash, gpugeo_error *error) {
  gpugeo_run copy = *run;
  int32_t *edges = tree_edges(n);
  double *positions = room(2 * n, sizeof *positions);
  gpugeo_status status = without_memory();
  if (edges && positions) {
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {edges, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    gpugeo_layout_options options;
    gpugeo_layout_options_init(&options, sizeof options);
    options.repulsion = repulsion;
    options.algorithm = algorithm;
    options.pivots = 20;
    options.iterations = 3;
    options.frame = look;
    options.frame_every = 1;
    options.frame_data = &copy;
    options.run = *run;
    gpugeo_layout_result result;
    status = gpugeo_layout(&graph, &options, positions, &result, NULL, error);
    if (!status) add_bytes(hash, positions, 2 * n * 8);
  }
  free(edges);
  free(positions);
  return status;
}

static gpugeo_status call_exact(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                gpugeo_error *error) {
  return lay_out(n, GPUGEO_LAYOUT_REPULSION_EXACT, GPUGEO_LAYOUT_ALGORITHM_FR, run, hash, error);
}

static gpugeo_status call_tree(int64_t n, const gpugeo_run *run, uint64_t *hash,
                               gpugeo_error *error) {
  return lay_out(16 * n, GPUGEO_LAYOUT_REPULSION_BARNES_HUT, GPUGEO_LAYOUT_ALGORITHM_FR, run, hash,
                 error);
}

static gpugeo_status call_stress(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  return lay_out(4 * n, GPUGEO_LAYOUT_REPULSION_AUTO, GPUGEO_LAYOUT_ALGORITHM_STRESS, run, hash,
                 error);
}

static gpugeo_status call_quality(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  int32_t *edges = tree_edges(n);
  double *positions = values(2 * n);
  gpugeo_status status = without_memory();
  if (edges && positions) {
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {edges, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    const gpugeo_matrix at = columns_of(positions, n, 2);
    gpugeo_layout_quality_options options;
    gpugeo_layout_quality_options_init(&options, sizeof options);
    options.run = *run;
    gpugeo_layout_quality_result quality;
    status = gpugeo_layout_quality(&graph, &at, &options, &quality, NULL, error);
    if (!status) add_bytes(hash, &quality.stress, 8);
    if (!status) add_bytes(hash, &quality.crossings, 8);
  }
  free(edges);
  free(positions);
  return status;
}

static gpugeo_status call_paths(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                gpugeo_error *error) {
  enum { SOURCES = 4 };
  int32_t *edges = tree_edges(n);
  double *lengths = values(n), *distances = values(SOURCES * n);
  gpugeo_status status = without_memory();
  if (edges && lengths && distances) {
    const double from[SOURCES] = {0, (double)(n / 3), (double)(n / 2), (double)(n - 1)};
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {edges, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    gpugeo_graph_distances_options options;
    gpugeo_graph_distances_options_init(&options, sizeof options);
    options.run = *run;
    options.from = from;
    options.from_length = SOURCES;
    status = gpugeo_graph_distances(&graph, &options, distances, NULL, error);
    if (!status) add_bytes(hash, distances, (size_t)(8 * SOURCES * n));
    for (int64_t e = 0; e < n; ++e)
      lengths[e] = 1 + fabs(lengths[e]);
    options.lengths = lengths;
    options.lengths_length = n - 1;
    if (!status) status = gpugeo_graph_distances(&graph, &options, distances, NULL, error);
    if (!status) add_bytes(hash, distances, (size_t)(8 * SOURCES * n));
  }
  free(edges);
  free(lengths);
  free(distances);
  return status;
}

static gpugeo_status call_raster(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  enum { SIDE = 200 };
  int32_t *edges = tree_edges(n);
  double *positions = values(2 * n), *lines = values(SIDE * SIDE);
  gpugeo_status status = without_memory();
  if (edges && positions && lines) {
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {edges, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    const gpugeo_matrix at = columns_of(positions, n, 2);
    gpugeo_layout_raster_options options;
    gpugeo_layout_raster_options_init(&options, sizeof options);
    options.width = options.height = SIDE;
    options.run = *run;
    status = gpugeo_layout_raster(&graph, &at, &options, lines, NULL, error);
    if (!status) add_bytes(hash, lines, (size_t)SIDE * SIDE * sizeof *lines);
  }
  free(edges);
  free(positions);
  free(lines);
  return status;
}

/* Adds the bytes of a file to a hash. */
static void add_file(uint64_t *hash, const char *path) {
  FILE *file = fopen(path, "rb");
  char bytes[4096];
  size_t count;
  while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
    add_bytes(hash, bytes, count);
  if (file) fclose(file);
}

static gpugeo_status call_drawing(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  char path[256];
  snprintf(path, sizeof path, "%.200s/gpugeo-drawing-XXXXXX", temporary_root());
  const int handle = mkstemp(path);
  if (handle >= 0) close(handle);
  int32_t *edges = tree_edges(n);
  double *positions = values(2 * n);
  gpugeo_status status = without_memory();
  if (edges && positions) {
    const gpugeo_graph graph = {.vertices = n,
                                .edges = {edges, GPUGEO_TYPE_INT32, n - 1, 2, n - 1, NULL}};
    const gpugeo_matrix at = columns_of(positions, n, 2);
    status = gpugeo_graph_write(&graph, &at, path, GPUGEO_GRAPH_FORMAT_AUTO, run, error);
    if (!status) add_file(hash, path);
  }
  unlink(path);
  free(edges);
  free(positions);
  return status;
}

/* --- Trees ------------------------------------------------------------------------------------ */

static gpugeo_status call_nj(int64_t n, const gpugeo_run *run, uint64_t *hash,
                             gpugeo_error *error) {
  double *x = values(4 * n), *length = room(2 * n, sizeof *length);
  int32_t *edge = room(4 * n, sizeof *edge);
  gpugeo_status status = without_memory();
  if (x && length && edge) {
    const gpugeo_matrix view = columns_of(x, n, 4);
    const gpugeo_distances distances = {.x = &view};
    gpugeo_nj_options options;
    gpugeo_nj_options_init(&options, sizeof options);
    options.bionj = 1;
    options.run = *run;
    status = gpugeo_nj(&distances, &options, edge, length, NULL, error);
    if (!status) add_bytes(hash, edge, (4 * n - 6) * 4);
    if (!status) add_bytes(hash, length, (2 * n - 3) * 8);
  }
  free(x);
  free(length);
  free(edge);
  return status;
}

/* Fills the tree of n tips in which each inner node has a tip and the next inner node. */
static gpugeo_tree caterpillar(int64_t n, int32_t *edge, double *length) {
  const int64_t edges = 2 * n - 2;
  for (int64_t k = 0; k < n - 1; ++k) {
    edge[2 * k] = edge[2 * k + 1] = (int32_t)(n + k);
    edge[edges + 2 * k] = (int32_t)k;
    edge[edges + 2 * k + 1] = (int32_t)(k < n - 2 ? n + k + 1 : n - 1);
  }
  return (gpugeo_tree){n, n - 1, edges, edge, length, NULL, NULL, length[0]};
}

static gpugeo_status call_tree_distances(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                         gpugeo_error *error) {
  double *length = values(2 * n), *d = room(n * n, sizeof *d);
  int32_t *edge = room(4 * n, sizeof *edge);
  gpugeo_status status = without_memory();
  if (length && d && edge) {
    const gpugeo_tree tree = caterpillar(n, edge, length);
    status = gpugeo_tree_distances(&tree, run, d, NULL, error);
    if (!status) add_bytes(hash, d, n * n * 8);
  }
  free(length);
  free(d);
  free(edge);
  return status;
}

/* n samples of the n taxa of a tree. */
static gpugeo_status unifrac_of(gpugeo_unifrac_type type, int64_t n, const gpugeo_run *run,
                                uint64_t *hash, gpugeo_error *error) {
  double *length = values(2 * n), *x = room(n * n, sizeof *x);
  double *out = room(n * (n - 1) / 2, sizeof *out);
  int32_t *edge = room(4 * n, sizeof *edge);
  gpugeo_status status = without_memory();
  if (length && x && out && edge) {
    for (int64_t k = 0; k < n * n; ++k)
      x[k] = (double)(k * k % 23 % 3 * (k % 17));
    for (int64_t k = 0; k < 2 * n; ++k)
      length[k] = fabs(length[k]);
    const gpugeo_tree tree = caterpillar(n, edge, length);
    const gpugeo_matrix view = columns_of(x, n, n);
    gpugeo_unifrac_options options;
    gpugeo_unifrac_options_init(&options, sizeof options);
    options.type = type;
    options.run = *run;
    status = gpugeo_unifrac(&view, &tree, NULL, &options, out, NULL, error);
    if (!status) add_bytes(hash, out, n * (n - 1) / 2 * 8);
  }
  free(length);
  free(x);
  free(out);
  free(edge);
  return status;
}

static gpugeo_status call_unifrac(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                  gpugeo_error *error) {
  return unifrac_of(GPUGEO_UNIFRAC_TYPE_NORMALIZED, n, run, hash, error);
}

static gpugeo_status call_powers(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  return unifrac_of(GPUGEO_UNIFRAC_TYPE_GENERALIZED, n, run, hash, error);
}

/* Writes a tree to memory and reads it. */
static gpugeo_status call_newick(int64_t n, const gpugeo_run *run, uint64_t *hash,
                                 gpugeo_error *error) {
  double *length = values(2 * n);
  int32_t *edge = room(4 * n, sizeof *edge);
  char *text = NULL;
  gpugeo_newick read = {.memory = NULL};
  gpugeo_status status = without_memory();
  if (length && edge) {
    const gpugeo_tree tree = caterpillar(n, edge, length);
    status = gpugeo_newick_write(&tree, NULL, run, &text, error);
    if (!status) status = gpugeo_newick_read(NULL, text, run, &read, error);
    if (!status) add_bytes(hash, read.tree.edge, read.tree.edges * 8);
    if (!status) add_bytes(hash, read.tree.length, read.tree.edges * 8);
  }
  gpugeo_newick_free(&read);
  gpugeo_newick_text_free(text);
  free(length);
  free(edge);
  return status;
}

/* --- All -------------------------------------------------------------------------------------- */

#define FAMILY(name)                                                                               \
  static gpugeo_status from_start_##name(int64_t n, const gpugeo_run *run, uint64_t *hash,         \
                                         gpugeo_error *error) {                                    \
    begin(hash);                                                                                   \
    return call_##name(n, run, hash, error);                                                       \
  }
FAMILY(dist)
FAMILY(tile)
FAMILY(file)
FAMILY(cor)
FAMILY(kendall)
FAMILY(knn)
FAMILY(radius)
FAMILY(mst)
FAMILY(dbscan)
FAMILY(hdbscan)
FAMILY(optics)
FAMILY(silhouette)
FAMILY(validity)
FAMILY(pam)
FAMILY(kmeans)
FAMILY(leaf_order)
FAMILY(permanova)
FAMILY(similarity)
FAMILY(pcoa)
FAMILY(mds)
FAMILY(mds_ordinal)
FAMILY(mrpp)
FAMILY(closest)
FAMILY(find)
FAMILY(launch)
FAMILY(exhaustive)
FAMILY(meet)
FAMILY(rows)
FAMILY(graph)
FAMILY(dist_dna)
FAMILY(alleles)
FAMILY(boot)
FAMILY(aa)
FAMILY(tables)
FAMILY(edit)
FAMILY(single)
FAMILY(ward)
FAMILY(centroid)
FAMILY(cophenetic)
FAMILY(exact)
FAMILY(tree)
FAMILY(stress)
FAMILY(quality)
FAMILY(paths)
FAMILY(raster)
FAMILY(drawing)
FAMILY(nj)
FAMILY(tree_distances)
FAMILY(newick)
FAMILY(unifrac)
FAMILY(powers)

const family families[] = {
    {"dist", from_start_dist},
    {"tile", from_start_tile},
    {"file of distances", from_start_file},
    {"cor", from_start_cor},
    {"kendall", from_start_kendall},
    {"knn", from_start_knn},
    {"radius", from_start_radius},
    {"mst", from_start_mst},
    {"dbscan", from_start_dbscan},
    {"hdbscan", from_start_hdbscan},
    {"optics", from_start_optics},
    {"silhouette", from_start_silhouette},
    {"validity", from_start_validity},
    {"pam", from_start_pam},
    {"k-means", from_start_kmeans},
    {"leaf order", from_start_leaf_order},
    {"permanova", from_start_permanova},
    {"anosim, Mantel", from_start_similarity},
    {"pcoa", from_start_pcoa},
    {"mds", from_start_mds},
    {"mds ordinal", from_start_mds_ordinal},
    {"mrpp", from_start_mrpp},
    {"closest", from_start_closest},
    {"collisions found", from_start_find},
    {"collisions launched", from_start_launch},
    {"dgp exhaustive", from_start_exhaustive},
    {"dgp meet in the middle", from_start_meet},
    {"dgp rows", from_start_rows},
    {"dgp graph", from_start_graph},
    {"distances of DNA", from_start_dist_dna},
    {"distances of alleles", from_start_alleles},
    {"bootstrap", from_start_boot},
    {"distances of proteins", from_start_aa},
    {"tables of communities", from_start_tables},
    {"edit distances", from_start_edit},
    {"hclust single", from_start_single},
    {"hclust ward", from_start_ward},
    {"hclust centroid", from_start_centroid},
    {"cophenetic", from_start_cophenetic},
    {"layout exact", from_start_exact},
    {"layout tree", from_start_tree},
    {"layout stress", from_start_stress},
    {"quality", from_start_quality},
    {"graph distances", from_start_paths},
    {"layout raster", from_start_raster},
    {"file of a layout", from_start_drawing},
    {"nj", from_start_nj},
    {"tree distances", from_start_tree_distances},
    {"text of a tree", from_start_newick},
    {"unifrac", from_start_unifrac},
    {"generalized unifrac", from_start_powers},
};
const int family_count = (int)(sizeof families / sizeof *families);

bool family_is_left_out(const family *f) {
  if (f->call != from_start_file || *gpugeo_hdf5_version()) return false;
  check_skip(1, "built without HDF5: %s", f->name);
  return true;
}

/* Calls every function of the API once, on small inputs. */
#define R_NO_REMAP
#include <Rinternals.h>
#include <stdio.h>
#include <string.h>

#include <gpugeo_r.h>

/* A flag for each function, which is set when it is called. */
#define FLAG(type, name, parameters, arguments)     static int called_##name;
#define FLAG_PROCEDURE(name, parameters, arguments) FLAG(void, name, parameters, arguments)
GPUGEO_FUNCTIONS(FLAG, FLAG_PROCEDURE)
#define CALL(name) (called_##name = 1, gpugeo_##name)

/* A call that must succeed. */
#define TRY(name, ...)                                                                             \
  do {                                                                                             \
    if (CALL(name)(__VA_ARGS__, &error)) Rf_error("gpugeo_%s: %s", #name, error.message);          \
  } while (0)

/* A name that must be found as this value. */
#define FIND(kind, text, want)                                                                     \
  do {                                                                                             \
    int32_t value;                                                                                 \
    TRY(find, kind, text, &value);                                                                 \
    if (value != (want)) Rf_error("gpugeo_find: \"%s\" is %d", text, (int)value);                  \
  } while (0)

/* What must hold of a result. */
#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) Rf_error("line %d: %s", __LINE__, #condition);                               \
  } while (0)

static gpugeo_error error;

/* (0, 0), (3, 4), (6, 8), (3, 0) */
static const double values[] = {0, 3, 6, 3, 0, 4, 8, 0};
static const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 4, 2, 4, NULL};

static int is(const char *text, const char *want) { return strcmp(text, want) == 0; }

static void call_common(void) {
  gpugeo_run run;
  CALL(run_init)(&run, sizeof run);
  HOLDS(is(CALL(version)(), GPUGEO_VERSION));
  FIND(GPUGEO_ENUM_BACKEND, "cpu", GPUGEO_BACKEND_CPU);
  FIND(GPUGEO_ENUM_PRECISION, "single", GPUGEO_PRECISION_SINGLE);
  HOLDS(is(CALL(name)(GPUGEO_ENUM_BACKEND, GPUGEO_BACKEND_CUDA), "cuda"));
  HOLDS(CALL(default_threads)() >= 1);
  HOLDS(CALL(simd)());
  TRY(backend_available, GPUGEO_BACKEND_CPU);
  gpugeo_device device;
  const int32_t devices = CALL(device_count)();
  HOLDS(CALL(device_get)(devices, &device, &error)); /* one too many */
  gpugeo_cuda_library library;
  CALL(cuda_library_get)(&library);
  HOLDS(is(library.file, "") != is(library.reason, ""));
  CALL(cuda_library_set)(NULL);
  CALL(release)();
}

static void call_dist(void) {
  FIND(GPUGEO_ENUM_METRIC, "manhattan", GPUGEO_METRIC_MANHATTAN);
  HOLDS(is(CALL(name)(GPUGEO_ENUM_METRIC, GPUGEO_METRIC_COSINE), "cosine"));
  gpugeo_dist_options options;
  CALL(dist_options_init)(&options, sizeof options);
  int64_t size;
  double out[6];
  TRY(dist_size, &x, NULL, &options, GPUGEO_TYPE_DOUBLE, &size);
  TRY(dist, &x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL);
  HOLDS(size == 6 && out[0] == 5 && out[1] == 10 && out[3] == 5);
}

static void call_tiles(void) {
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  int64_t rows, columns, size;
  TRY(point_source_size, &source, &rows, &columns);
  HOLDS(rows == 4 && columns == 2);
  gpugeo_tiles tiles;
  gpugeo_tile tile;
  TRY(tiles_plan, 4, -1, 2, 2, 0, &tiles);
  TRY(tiles_get, &tiles, 1, &tile);
  HOLDS(tiles.count == 3 && tile.row == 2 && tile.column == 0);
  double shared[8], out[4];
  TRY(dist_metric_params_size, &source, NULL, &options, &size);
  HOLDS(size <= 8);
  TRY(dist_metric_params, &source, NULL, &options, shared, NULL);
  TRY(dist_tile, &source, NULL, &options, shared, size, &tiles, 1, GPUGEO_TYPE_DOUBLE, out, NULL);
  HOLDS(out[0] == 10 && out[2] == 5);
}

static void call_file(const char *path) {
  gpugeo_dist_file_options output;
  CALL(dist_file_options_init)(&output, sizeof output);
  output.file = path;
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file *file = NULL;
  gpugeo_dist_file_info info;
  const int64_t first = 0, last = 2;
  double out = 0;
  if (is(CALL(hdf5_version)(), "")) { /* built without HDF5: all must say so */
    HOLDS(CALL(dist_file_write)(&source, &options, &output, NULL, &error));
    HOLDS(CALL(dist_file_open)(path, NULL, &file, &info, &error));
    called_dist_file_read = called_dist_file_label = called_dist_file_close = 1;
    return;
  }
  TRY(dist_file_write, &source, &options, &output, NULL);
  TRY(dist_file_open, path, NULL, &file, &info);
  HOLDS(info.points == 4 && !CALL(dist_file_label)(file, 0));
  TRY(dist_file_read, file, &first, 1, &last, 1, R_NaN, &out);
  HOLDS(out == 10);
  CALL(dist_file_close)(file);
}

static void call_device(void) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_device *distances = NULL;
  gpugeo_dist_device_info info;
  const int64_t first = 0, last = 2;
  double out[6];
  if (gpugeo_device_count() == 0) { /* there is none to keep them */
    HOLDS(CALL(dist_device_make)(&x, &options, &distances, NULL, &error));
    called_dist_device_get = called_dist_device_read = called_dist_device_copy = 1;
  } else {
    TRY(dist_device_make, &x, &options, &distances, NULL);
    CALL(dist_device_get)(distances, &info);
    HOLDS(info.points == 4 && info.bytes == 48);
    TRY(dist_device_read, distances, &first, 1, &last, 1, out);
    HOLDS(out[0] == 10);
    TRY(dist_device_copy, distances, out);
    HOLDS(out[0] == 5 && out[1] == 10 && out[3] == 5);
  }
  CALL(dist_device_free)(distances);
}

static void call_cor(void) {
  FIND(GPUGEO_ENUM_COR_METHOD, "spearman", GPUGEO_COR_METHOD_SPEARMAN);
  FIND(GPUGEO_ENUM_COR_USE, "all.obs", GPUGEO_COR_USE_ALL_OBS);
  gpugeo_cor_options options;
  CALL(cor_options_init)(&options, sizeof options);
  int64_t size;
  double out[4];
  TRY(cor_size, &x, NULL, &options, GPUGEO_TYPE_DOUBLE, &size);
  TRY(cor, &x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL);
  HOLDS(size == 4 && out[0] == 1 && out[1] == out[2]);
}

static void call_neighbors(void) {
  gpugeo_knn_options options;
  CALL(knn_options_init)(&options, sizeof options);
  options.radius = 4.5;
  int64_t size;
  int32_t index[4];
  double distance[4];
  TRY(knn_size, &x, NULL, &options, &size);
  TRY(knn, &x, NULL, &options, index, distance, NULL);
  HOLDS(size == 4 && index[0] == 3 && distance[0] == 3 && index[2] == 1 && distance[2] == 5);
  gpugeo_neighbors neighbors;
  TRY(radius, &x, NULL, &options, &neighbors, NULL);
  HOLDS(neighbors.start[4] == 4 && neighbors.index[0] == 3);
  CALL(neighbors_free)(&neighbors);
}

static void call_mst(void) {
  gpugeo_mst_options options;
  CALL(mst_options_init)(&options, sizeof options);
  const gpugeo_distances distances = {.x = &x};
  int32_t i[3], j[3];
  double distance[3];
  TRY(mst, &distances, &options, i, j, distance, NULL);
  HOLDS(i[0] == 0 && j[0] == 3 && distance[0] == 3);
}

static void call_dbscan(void) {
  gpugeo_dbscan_options options;
  CALL(dbscan_options_init)(&options, sizeof options);
  options.eps = 3.5;
  options.min_points = 2;
  const gpugeo_distances distances = {.x = &x};
  int32_t cluster[4], core[4];
  TRY(dbscan, &distances, &options, cluster, core, NULL);
  HOLDS(cluster[0] == 1 && cluster[3] == 1 && core[0] == 1);
}

static void call_hdbscan(void) {
  gpugeo_hdbscan_options options;
  CALL(hdbscan_options_init)(&options, sizeof options);
  options.min_points = 2;
  const gpugeo_distances distances = {.x = &x};
  int32_t whole[11][8];
  double real[9][4];
  gpugeo_hdbscan_result result = {whole[0], real[0],  real[1], real[2],  whole[1], real[3],
                                  whole[2], 0,        0,       whole[3], whole[4], whole[5],
                                  whole[6], whole[7], real[4], real[5],  real[6],  real[7],
                                  whole[8], whole[9], real[8]};
  TRY(hdbscan, &distances, &options, &result, NULL);
  HOLDS(result.core_distance[0] == 3 && result.height[0] == 3);
}

static void call_optics(void) {
  const double d[] = {3, 4, 5};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_optics_options options;
  gpugeo_lof_options lof;
  CALL(optics_options_init)(&options, sizeof options);
  CALL(lof_options_init)(&lof, sizeof lof);
  options.min_points = lof.min_points = 2;
  int32_t order[3], predecessor[3];
  double reach[3], core[3], factor[3];
  gpugeo_optics_result result = {order, reach, core, predecessor, 0};
  TRY(optics, &distances, &options, &result, NULL);
  HOLDS(order[1] == 1 && reach[2] == 4 && core[1] == 3 && predecessor[2] == 0 && result.eps == 5);
  TRY(lof, &distances, &lof, factor, NULL);
  HOLDS(factor[0] == 1 && factor[2] > 1.3 && factor[2] < 1.4);
}

static void call_silhouette(void) {
  const double d[] = {1, 4, 3};
  const int32_t cluster[] = {1, 1, 2};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_silhouette_options options;
  CALL(silhouette_options_init)(&options, sizeof options);
  int32_t neighbor[3];
  double width[3];
  TRY(silhouette, &distances, cluster, 3, &options, neighbor, width, NULL);
  HOLDS(neighbor[0] == 2 && width[0] == 0.75 && width[2] == 0);
}

static void call_pam(void) {
  const double d[] = {1, 4, 3};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_pam_options options;
  CALL(pam_options_init)(&options, sizeof options);
  options.k = 2;
  int32_t medoid[2], cluster[3];
  double distance[3];
  gpugeo_pam_result result = {.medoid = medoid, .cluster = cluster, .distance = distance};
  TRY(pam, &distances, &options, &result, NULL);
  HOLDS(medoid[0] == 1 && medoid[1] == 2 && cluster[0] == 1 && distance[0] == 1);
}

static void call_validity(void) {
  const double d[] = {1, 4, 3};
  const int32_t cluster[] = {1, 1, 2};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_validity_options options;
  gpugeo_agreement_result agreement;
  CALL(validity_options_init)(&options, sizeof options);
  double of_cluster[2 * GPUGEO_VALIDITY_COLUMN_COUNT];
  gpugeo_validity_result result = {.of_cluster = of_cluster};
  TRY(validity, &distances, cluster, 3, &options, &result, NULL);
  HOLDS(result.dunn == 3 && result.within == 0.5 && of_cluster[1] == 1);
  TRY(agreement, cluster, cluster, 3, &agreement);
  HOLDS(agreement.rand == 1 && agreement.nmi_min == 1);
}

static void call_kmeans(void) {
  const double points[] = {1, 2, 10, 12};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 4, 1, 4, NULL};
  gpugeo_kmeans_options options;
  CALL(kmeans_options_init)(&options, sizeof options);
  options.k = 2;
  int32_t cluster[4], sizes[2];
  double centers[2], within[2];
  gpugeo_kmeans_result result = {
      .cluster = cluster, .centers = centers, .withinss = within, .sizes = sizes};
  TRY(kmeans, &x, &options, &result, NULL);
  HOLDS(cluster[1] == 1 && cluster[2] == 2 && centers[0] == 1.5 && within[1] == 2);
}

static void call_leaf_order(void) {
  const double d[] = {1, 4, 3};
  const int32_t from[] = {0, 2, 1, 3};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_leaf_order_options options;
  CALL(leaf_order_options_init)(&options, sizeof options);
  int32_t merge[4], order[3];
  gpugeo_leaf_order_result result = {merge, order, 0};
  TRY(leaf_order, &distances, from, 2, &options, &result, NULL);
  HOLDS(order[0] == 2 && order[1] == 1 && merge[0] == 1 && result.sum == 4);
}

static void call_trees(void) {
  const double d[] = {3, 4, 5};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  gpugeo_nj_options options;
  CALL(nj_options_init)(&options, sizeof options);
  int32_t edge[8];
  double length[4];
  TRY(nj, &distances, &options, edge, length, NULL);
  HOLDS(edge[0] == 3 && edge[3] == 2 && length[0] == 3 && length[2] == 1);
  const int32_t merge[] = {0, 2, 1, 3};
  const double height[] = {2, 6};
  TRY(hclust_tree, 3, merge, height, edge, length);
  HOLDS(edge[4] == 2 && length[0] == 3);
  gpugeo_newick newick;
  gpugeo_run run;
  CALL(run_init)(&run, sizeof run);
  TRY(newick_read, NULL, "(a:1,b:2);", &run, &newick);
  double distances_of_tips[4];
  char *text = NULL;
  TRY(tree_distances, &newick.tree, &run, distances_of_tips, NULL);
  TRY(newick_write, &newick.tree, NULL, &run, &text);
  HOLDS(distances_of_tips[1] == 3 && is(text, "(a:1,b:2);\n"));
  CALL(newick_text_free)(text);
  CALL(newick_free)(&newick);
}

/* The file is none of BIOM. */
static void call_communities(const char *path) {
  gpugeo_run run;
  gpugeo_biom biom;
  CALL(run_init)(&run, sizeof run);
  HOLDS(CALL(biom_read)(path, &run, &biom, &error) == GPUGEO_ERROR_ARGUMENT);
  CALL(biom_free)(&biom);
}

static void call_closest(void) {
  FIND(GPUGEO_ENUM_CLOSEST_METRIC, "great-circle", GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE);
  FIND(GPUGEO_ENUM_CLOSEST_ALGORITHM, "grid", GPUGEO_CLOSEST_ALGORITHM_GRID);
  HOLDS(
      is(CALL(name)(GPUGEO_ENUM_CLOSEST_ALGORITHM, GPUGEO_CLOSEST_ALGORITHM_SWEEP_V1), "sweep-v1"));
  gpugeo_closest_options options;
  CALL(closest_options_init)(&options, sizeof options);
  int64_t size, found, ties;
  gpugeo_pair pair;
  TRY(closest_pair_size, &x, NULL, &options, &size);
  TRY(closest_pair, &x, NULL, &options, &pair, &found, &ties, NULL);
  HOLDS(size == 1 && found == 1 && ties == 1 && pair.i == 0 && pair.j == 3 && pair.distance == 3);
}

/* Computes collisions up to a distance of 4.5: (0, 3) and (1, 3). */
static gpugeo_collisions *collide(gpugeo_collisions_what what) {
  static const int32_t group[] = {0, 0, 1, 1};
  gpugeo_collisions_options options;
  CALL(collisions_options_init)(&options, sizeof options);
  options.what = what;
  options.radius = 4.5;
  if (what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    options.group = group;
    options.group_length = 4;
    options.groups = 2;
  }
  gpugeo_collisions *collisions = NULL;
  TRY(collisions_compute, &x, NULL, &options, &collisions);
  return collisions;
}

static void call_collisions(void) {
  FIND(GPUGEO_ENUM_COLLISIONS_WHAT, "pairs", GPUGEO_COLLISIONS_WHAT_PAIRS);
  FIND(GPUGEO_ENUM_COLLISIONS_ALGORITHM, "usual", GPUGEO_COLLISIONS_ALGORITHM_USUAL);
  gpugeo_collisions *collisions = collide(GPUGEO_COLLISIONS_WHAT_PER_POINT);
  double numbers[4];
  TRY(collisions_per_point, collisions, numbers);
  HOLDS(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 0 && numbers[3] == 2);
  CALL(collisions_free)(collisions);
  collisions = collide(GPUGEO_COLLISIONS_WHAT_PAIRS);
  TRY(collisions_pairs, collisions, GPUGEO_TYPE_DOUBLE, numbers);
  HOLDS(numbers[0] == 0 && numbers[1] == 1 && numbers[2] == 3 && numbers[3] == 3);
  TRY(collisions_distances, collisions, &x, NULL, numbers);
  HOLDS(numbers[0] > 0 && numbers[0] <= 4.5 && numbers[1] > 0 && numbers[1] <= 4.5);
  gpugeo_collisions_free(collisions);
  collisions = collide(GPUGEO_COLLISIONS_WHAT_TABLE);
  TRY(collisions_table, collisions, numbers);
  HOLDS(numbers[0] == 0 && numbers[1] == 2 && numbers[2] == 2 && numbers[3] == 0);
  gpugeo_collisions_free(collisions);
  gpugeo_collisions_options options;
  gpugeo_collisions_options_init(&options, sizeof options);
  options.radius = 1;
  int64_t count = -1;
  TRY(collisions_launch, &x, NULL, &options, &collisions);
  TRY(collisions_wait, collisions, NULL, &count, NULL);
  HOLDS(count == 0 && CALL(collisions_done)(collisions));
  gpugeo_collisions_free(collisions);
}

static void call_dgp(void) {
  static const double d[] = {3, 4, 7};
  FIND(GPUGEO_ENUM_DGP_ALGORITHM, "exhaustive", GPUGEO_DGP_ALGORITHM_EXHAUSTIVE);
  HOLDS(is(CALL(name)(GPUGEO_ENUM_DGP_ALGORITHM, GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE),
           "branch-and-prune"));
  gpugeo_dgp_options options;
  CALL(dgp_options_init)(&options, sizeof options);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_dgp_result result;
  gpugeo_dgp_solution solutions[8];
  int64_t size;
  double numbers[8];
  TRY(dgp_size, d, 3, &options, &size);
  HOLDS(size <= 8);
  TRY(dgp, d, 3, &options, &result, solutions, NULL);
  HOLDS(is(CALL(uint128_decimal)(result.count).digits, "2"));
  CALL(dgp_positions)(d, 3, solutions[0].row, numbers);
  HOLDS(numbers[0] == 0 && numbers[3] == 0);
  TRY(dgp_sums_size, d, 3, &run, &size);
  TRY(dgp_sums, d, 3, &run, numbers, NULL);
  HOLDS(size == 8 && numbers[0] == -14 && numbers[7] == 14);
  TRY(dgp_instance, 2, 1, numbers);
  HOLDS(numbers[0] == numbers[1]);
}

static void call_dgp_graph(const char *path) {
  gpugeo_dgp_graph_options options;
  CALL(dgp_graph_options_init)(&options, sizeof options);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_dgp_file file;
  TRY(dgp_file_read, path, "Id1 Id2 lb ub", &run, &file);
  int64_t size;
  double positions[40];
  gpugeo_dgp_graph_result result;
  TRY(dgp_graph_size, file.vertices, file.edges, file.edge_count, &options, &size);
  HOLDS(file.vertices == 3 && file.edge_count == 3 && size <= 40);
  TRY(dgp_graph, file.vertices, file.edges, file.edge_count, &options, &result, positions, NULL,
      NULL);
  HOLDS(result.count.low == 2 && positions[0] == 0);
  CALL(dgp_file_free)(&file);
}

/* The file is none of sequences. */
static void call_sequences(const char *path) {
  FIND(GPUGEO_ENUM_DNA_MODEL, "tn93", GPUGEO_DNA_MODEL_TN93);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_fasta fasta;
  HOLDS(CALL(fasta_read)(path, GPUGEO_LETTERS_DNA, &run, &fasta, &error) == GPUGEO_ERROR_ARGUMENT);
  CALL(fasta_free)(&fasta);
  uint8_t codes[8];
  TRY(dna_encode, "ACGTACGA", 8, codes, NULL);
  const int64_t start[] = {0, 4, 8};
  const gpugeo_sequences two = {.count = 2, .codes = codes, .start = start};
  gpugeo_dist_dna_options options;
  CALL(dist_dna_options_init)(&options, sizeof options);
  options.model = GPUGEO_DNA_MODEL_N;
  int64_t size;
  double d[6];
  TRY(dist_dna_size, &two, &options, &size);
  TRY(dist_dna, &two, &options, d, NULL, NULL);
  HOLDS(size == 1 && d[0] == 1);
  gpugeo_dist_lazy *lazy = NULL;
  TRY(dist_dna_lazy, &two, &options, &lazy, NULL);
  const gpugeo_distances distances = {.lazy = lazy};
  gpugeo_knn_options nearest;
  CALL(knn_options_init)(&nearest, sizeof nearest);
  nearest.radius = 1;
  int32_t index[2];
  TRY(distances_knn, &distances, &nearest, index, d, NULL);
  HOLDS(index[0] == 1 && index[1] == 0 && d[0] == 1);
  gpugeo_neighbors near;
  TRY(distances_radius, &distances, &nearest, &near, NULL);
  HOLDS(near.start[2] == 2);
  CALL(neighbors_free)(&near);
  CALL(dist_lazy_free)(lazy);
  TRY(dist_alleles, &x, &run, d, NULL);
  HOLDS(d[0] == 0 && d[3] == 2);
}

static void call_aa(void) {
  FIND(GPUGEO_ENUM_AA_MODEL, "kimura", GPUGEO_AA_MODEL_KIMURA);
  FIND(GPUGEO_ENUM_AA_EXCLUDE, "pairwise", GPUGEO_AA_EXCLUDE_PAIRWISE);
  const char *const text[] = {"ARND", "ARNE", "-RCE"};
  const gpugeo_texts x = {3, text, NULL};
  gpugeo_dist_aa_options options;
  CALL(dist_aa_options_init)(&options, sizeof options);
  options.model = GPUGEO_AA_MODEL_HAMMING;
  double d[3];
  TRY(dist_aa, &x, &options, d, NULL);
  HOLDS(d[0] == 1 && d[1] == 2 && d[2] == 1);
}

static void call_unifrac(void) {
  FIND(GPUGEO_ENUM_UNIFRAC_TYPE, "weighted", GPUGEO_UNIFRAC_TYPE_WEIGHTED);
  const int32_t edge[] = {2, 2, 0, 1};
  const double length[] = {1, 3}, counts[] = {1, 0, 0, 2};
  const gpugeo_tree tree = {2, 1, 2, edge, length, NULL, NULL, NA_REAL};
  const gpugeo_matrix samples = {counts, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  gpugeo_unifrac_options options;
  CALL(unifrac_options_init)(&options, sizeof options);
  options.type = GPUGEO_UNIFRAC_TYPE_WEIGHTED;
  double d[2];
  TRY(unifrac, &samples, &tree, NULL, &options, d, NULL);
  HOLDS(d[0] == 4);
  gpugeo_dist_lazy *lazy = NULL;
  TRY(unifrac_lazy, &samples, &tree, NULL, &options, &lazy, NULL);
  CALL(dist_lazy_free)(lazy);
  TRY(faith, &samples, &tree, NULL, &options, d, NULL);
  HOLDS(d[0] == 1 && d[1] == 3);
}

static void call_tables(void) {
  FIND(GPUGEO_ENUM_STANDARD, "hellinger", GPUGEO_STANDARD_HELLINGER);
  FIND(GPUGEO_ENUM_DIVERSITY_INDEX, "simpson", GPUGEO_DIVERSITY_SIMPSON);
  FIND(GPUGEO_ENUM_BETA_INDEX, "w", GPUGEO_BETA_W);
  const double counts[] = {3, 1, 1, 3}, species[] = {2, 2}, sample = 1;
  const gpugeo_matrix x = {.data = counts, .nrow = 2, .ncol = 2, .ld = 2};
  double out[4], first[2], second[2], d[1] = {2};
  gpugeo_decostand_options options;
  CALL(decostand_options_init)(&options, sizeof options);
  gpugeo_decostand_numbers numbers = {.first = first, .second = second};
  TRY(decostand, &x, &options, out, &numbers, NULL);
  HOLDS(out[0] == 0.75 && out[1] == 0.25 && first[0] == 4);
  gpugeo_diversity_options diversity;
  CALL(diversity_options_init)(&diversity, sizeof diversity);
  diversity.index = GPUGEO_DIVERSITY_SIMPSON;
  TRY(diversity, &x, &diversity, first, NULL);
  HOLDS(first[0] == 0.375);
  gpugeo_run run;
  CALL(run_init)(&run, sizeof run);
  TRY(rarefy, &x, &sample, 1, &run, first, NULL, NULL);
  HOLDS(first[0] == 1 && first[1] == 1);
  gpugeo_betadiver_options beta;
  CALL(betadiver_options_init)(&beta, sizeof beta);
  TRY(betadiver, 2, species, &beta, d, NULL);
  HOLDS(d[0] == 0.5);
}

static void call_edit(void) {
  FIND(GPUGEO_ENUM_EDIT_METHOD, "osa", GPUGEO_EDIT_METHOD_OSA);
  const char *const text[] = {"ab", "ba", "c"};
  const gpugeo_texts x = {3, text, NULL};
  gpugeo_dist_edit_options options;
  CALL(dist_edit_options_init)(&options, sizeof options);
  double d[3];
  TRY(dist_edit, &x, NULL, &options, d, NULL);
  HOLDS(d[0] == 2 && d[2] == 2);
  options.method = GPUGEO_EDIT_METHOD_OSA;
  options.max = 1;
  gpugeo_neighbors found;
  TRY(edit_neighbors, &x, NULL, &options, &found, NULL);
  HOLDS(found.start[3] == 2 && found.index[0] == 1);
  CALL(neighbors_free)(&found);
}

static void call_boot_phylo(void) {
  FIND(GPUGEO_ENUM_TREE_METHOD, "upgma", GPUGEO_TREE_METHOD_UPGMA);
  const uint8_t codes[] = {0x88, 0x88, 0x48, 0x88, 0x48, 0x88};
  const gpugeo_sequences three = {.count = 3, .codes = codes, .sites = 2, .step = 3};
  const int32_t sites[] = {1, 1};
  gpugeo_dist_dna_options distances;
  gpugeo_boot_phylo_options options;
  CALL(dist_dna_options_init)(&distances, sizeof distances);
  CALL(boot_phylo_options_init)(&options, sizeof options);
  distances.model = GPUGEO_DNA_MODEL_N;
  options.tree = GPUGEO_TREE_METHOD_UPGMA;
  options.replicates = 1;
  options.sites = sites;
  options.sites_length = 2;
  int32_t edge[8], support[2];
  double length[4];
  const gpugeo_boot_phylo_result result = {edge, length, support, NULL, NULL};
  TRY(boot_phylo, &three, &distances, &options, &result, NULL);
  HOLDS(edge[0] == 3 && support[0] == 1);
}

static void call_layout(const char *path) {
  FIND(GPUGEO_ENUM_SINGULAR, "pinv", GPUGEO_SINGULAR_PINV);
  FIND(GPUGEO_ENUM_LAYOUT_REPULSION, "exact", GPUGEO_LAYOUT_REPULSION_EXACT);
  HOLDS(is(CALL(name)(GPUGEO_ENUM_LAYOUT_REPULSION, GPUGEO_LAYOUT_REPULSION_BARNES_HUT),
           "barnes-hut"));
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_edge_file file;
  TRY(edge_file_read, path, -1, -1, &run, &file);
  const gpugeo_graph graph = {
      .vertices = file.vertices,
      .edges = {file.edges, GPUGEO_TYPE_INT32, file.edge_count, 2, file.edge_count, NULL},
      .first = file.first};
  gpugeo_layout_options options;
  CALL(layout_options_init)(&options, sizeof options);
  int64_t size;
  double positions[6];
  gpugeo_layout_result result;
  TRY(layout_size, &graph, &options, &size);
  HOLDS(size == 6);
  TRY(layout, &graph, &options, positions, &result, NULL);
  HOLDS(result.components == 1);
  gpugeo_layout_quality_options measure;
  CALL(layout_quality_options_init)(&measure, sizeof measure);
  const gpugeo_matrix laid_out = {positions, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
  gpugeo_layout_quality_result quality;
  TRY(layout_quality, &graph, &laid_out, &measure, &quality, NULL);
  HOLDS(quality.stress >= 0 && quality.stress < 1e-3);
  gpugeo_layout_raster_options image;
  CALL(layout_raster_options_init)(&image, sizeof image);
  image.width = image.height = 2;
  image.xlim[0] = image.ylim[0] = -100;
  image.xlim[1] = image.ylim[1] = 100;
  double lines[4];
  TRY(layout_raster, &graph, &laid_out, &image, lines, NULL);
  HOLDS(lines[0] >= 0 && lines[3] >= 0);
  gpugeo_graph_distances_options paths;
  CALL(graph_distances_options_init)(&paths, sizeof paths);
  double apart[9];
  TRY(graph_distances_size, &graph, &paths, &size);
  HOLDS(size == 9);
  TRY(graph_distances, &graph, &paths, apart, NULL);
  HOLDS(apart[0] == 0);
  char drawn[4096];
  snprintf(drawn, sizeof drawn, "%s.cx2", path);
  TRY(graph_write, &graph, &laid_out, drawn, GPUGEO_GRAPH_FORMAT_AUTO, &run);
  remove(drawn);
  CALL(edge_file_free)(&file);
}

static void call_permanova(void) {
  const double d[] = {1, 2, 3};
  const int32_t group[] = {0, 0, 1}, order[] = {2, 0, 1};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  const gpugeo_design design = {
      .points = 3, .group = group, .groups = 2, .order = order, .permutations = 1};
  gpugeo_permanova_options options;
  CALL(permanova_options_init)(&options, sizeof options);
  double sums[2], total;
  TRY(permanova, &distances, &options, &design, sums, &total, NULL);
  HOLDS(sums[0] == 14 / 3.0 - 0.5 && sums[1] == 14 / 3.0 - 2);

  gpugeo_anosim_options anosim;
  CALL(anosim_options_init)(&anosim, sizeof anosim);
  double ranks[3];
  TRY(anosim, &distances, &anosim, &design, sums, ranks, NULL);
  HOLDS(sums[0] == 1 && sums[1] == 0 && ranks[2] == 3);

  gpugeo_mrpp_options mrpp;
  CALL(mrpp_options_init)(&mrpp, sizeof mrpp);
  double means[2];
  TRY(mrpp, &distances, &mrpp, &design, sums, means, &total, NULL);
  HOLDS(sums[0] == 1 && sums[1] == 2 && means[0] == 1 && total == 2);

  FIND(GPUGEO_ENUM_COR_METHOD, "spearman", GPUGEO_COR_METHOD_SPEARMAN);
  gpugeo_mantel_options mantel;
  CALL(mantel_options_init)(&mantel, sizeof mantel);
  TRY(mantel, &distances, &distances, NULL, &mantel, order, 1, sums, NULL);
  HOLDS(sums[0] > 1 - 1e-15 && sums[1] < 0);
}

static void call_pcoa(void) {
  const double d[] = {2, 1, 1};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  FIND(GPUGEO_ENUM_PCOA_CORRECTION, "lingoes", GPUGEO_PCOA_CORRECTION_LINGOES);
  gpugeo_pcoa_options options;
  CALL(pcoa_options_init)(&options, sizeof options);
  options.k = 1;
  double x[3], eigenvalue, residual;
  gpugeo_pcoa_result result = {.coordinates = x, .eigenvalue = &eigenvalue, .residual = &residual};
  TRY(pcoa, &distances, &options, &result, NULL);
  HOLDS(result.positive == 1 && result.converged);
  HOLDS(eigenvalue > 2 - 1e-12 && x[0] > 1 - 1e-12 && x[1] < 1e-12 - 1 && x[2] < 1e-12);
}

static void call_mds(void) {
  const double d[] = {2, 1, 1};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  FIND(GPUGEO_ENUM_MDS_TYPE, "ordinal", GPUGEO_MDS_TYPE_ORDINAL);
  gpugeo_mds_options options;
  CALL(mds_options_init)(&options, sizeof options);
  options.k = 1;
  double x[3];
  gpugeo_mds_result result = {.coordinates = x};
  TRY(mds, &distances, &options, &result, NULL);
  HOLDS(result.converged && result.stress < 1e-10 && x[0] > 1 - 1e-10);
}

static void call_hclust(void) {
  const double d[] = {1, 3, 2};
  const gpugeo_distances distances = {.condensed = d, .condensed_points = 3};
  FIND(GPUGEO_ENUM_LINKAGE, "ward", GPUGEO_LINKAGE_WARD_D2);
  gpugeo_hclust_options options;
  CALL(hclust_options_init)(&options, sizeof options);
  int64_t n;
  int32_t merge[4], order[3];
  double height[2], out[3];
  TRY(distances_points, &distances, options.points, &n);
  HOLDS(n == 3);
  TRY(hclust, &distances, &options, merge, height, order, NULL);
  HOLDS(merge[0] == 0 && merge[2] == 1 && merge[1] == 2 && merge[3] == 3 && height[1] == 3);
  TRY(cophenetic, 3, merge, height, &options.run, out, NULL);
  HOLDS(out[0] == 1 && out[1] == 3 && out[2] == 3);
}

/* Returns the names of the functions that were not called. Files are the paths of one to write
   distances to, and of a triangle's distances and edges. */
SEXP every_function(SEXP distances, SEXP triangle, SEXP edges) {
  call_common();
  call_dist();
  call_tiles();
  call_file(CHAR(STRING_ELT(distances, 0)));
  call_device();
  call_cor();
  call_neighbors();
  call_mst();
  call_dbscan();
  call_hdbscan();
  call_optics();
  call_silhouette();
  call_pam();
  call_kmeans();
  call_validity();
  call_leaf_order();
  call_trees();
  call_permanova();
  call_pcoa();
  call_mds();
  call_hclust();
  call_closest();
  call_collisions();
  call_dgp();
  call_dgp_graph(CHAR(STRING_ELT(triangle, 0)));
  call_aa();
  call_tables();
  call_edit();
  call_unifrac();
  call_boot_phylo();
  call_sequences(CHAR(STRING_ELT(edges, 0)));
  call_communities(CHAR(STRING_ELT(edges, 0)));
  call_layout(CHAR(STRING_ELT(edges, 0)));
  const char *missing[128];
  int count = 0;
#define MISSING(type, name, parameters, arguments)                                                 \
  if (!called_##name) missing[count++] = #name;
#define MISSING_PROCEDURE(name, parameters, arguments) MISSING(void, name, parameters, arguments)
  GPUGEO_FUNCTIONS(MISSING, MISSING_PROCEDURE)
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i)
    SET_STRING_ELT(out, i, Rf_mkChar(missing[i]));
  UNPROTECT(1);
  return out;
}

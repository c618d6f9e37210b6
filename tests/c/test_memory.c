/*
 * An allocator that fails the n-th request, for every n: each call then fails with
 * GPUGEO_ERROR_MEMORY, or does without, and has freed all it took.
 *
 * Linked with -Wl,--wrap=gg_aligned_allocate,--wrap=gg_aligned_reallocate,--wrap=gg_aligned_free,
 * so that the requests of the core, and only those, come here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"
#include "temporary.h"

void *__real_gg_aligned_allocate(size_t alignment, size_t bytes);
void *__real_gg_aligned_reallocate(void *block, size_t alignment, size_t bytes);
void __real_gg_aligned_free(void *block);

/* Atomic, because threads of the core may ask too. */
static int requests, live, fails_at; /* fails_at 0: never */

/* Counts a request; true if it must fail. */
static bool refused(void) {
  const int number = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return number == fails_at;
}

static void *counted(void *block) {
  if (block) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  return block;
}

void *__wrap_gg_aligned_allocate(size_t alignment, size_t bytes) {
  return refused() ? NULL : counted(__real_gg_aligned_allocate(alignment, bytes));
}

void *__wrap_gg_aligned_reallocate(void *block, size_t alignment, size_t bytes) {
  if (refused()) return NULL;
  void *moved = __real_gg_aligned_reallocate(block, alignment, bytes);
  return block ? moved : counted(moved);
}

void __wrap_gg_aligned_free(void *block) {
  if (block) __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
  __real_gg_aligned_free(block);
}

/* A call to try. */
typedef struct trial {
  const char *name;
  bool correlation;
  const gpugeo_matrix *x, *y;
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  gpugeo_closest_options *closest;          /* NULL for others */
  const gpugeo_knn_options *knn;            /* or NULL; k is 0 for those within the radius */
  const gpugeo_collisions_options *collide; /* or NULL */
  const gpugeo_dgp_options *cycle;          /* or NULL */
  const double *d;                          /* its distances */
  int64_t n;                                /* how many; all sums of them where cycle is NULL */
  bool launched;
  const gpugeo_dgp_edge *edges; /* of a graph, or NULL */
  int64_t vertices, edge_count;
  const char *file;                    /* of distances, or NULL */
  const gpugeo_graph *graph;           /* of a layout, or NULL */
  const gpugeo_matrix *positions;      /* of its vertices: to be measured */
  const char *edge_file;               /* or NULL */
  const gpugeo_layout_options *layout; /* of the graph, or NULL */
  bool tiled;                          /* a distance matrix in tiles */
} trial;

/* Collisions found or launched, and their results fetched. */
static gpugeo_status collide(const trial *t, gpugeo_error *error) {
  static int32_t pairs[2 * 65536];
  static double numbers[2048];
  gpugeo_collisions *found = NULL;
  int64_t count = 0;
  gpugeo_status status = t->launched
                             ? gpugeo_collisions_launch(t->x, t->y, t->collide, &found, error)
                             : gpugeo_collisions_compute(t->x, t->y, t->collide, &found, error);
  if (!status) status = gpugeo_collisions_wait(found, NULL, &count, NULL, error);
  if (!status && t->collide->what == GPUGEO_COLLISIONS_WHAT_PER_POINT)
    status = gpugeo_collisions_per_point(found, numbers, error);
  if (!status && t->collide->what == GPUGEO_COLLISIONS_WHAT_PAIRS &&
      CHECK(count <= 65536, "%s", t->name))
    status = gpugeo_collisions_pairs(found, GPUGEO_TYPE_INT32, pairs, error);
  if (!status && t->collide->what == GPUGEO_COLLISIONS_WHAT_TABLE)
    status = gpugeo_collisions_table(found, numbers, error);
  gpugeo_collisions_free(found);
  return status;
}

/* Realizations of a graph, found by several threads where there are many. */
static gpugeo_status realize(const trial *t, double *out, gpugeo_error *error) {
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = 40;
  options.run.threads = 2;
  gpugeo_dgp_graph_result result;
  static gpugeo_dgp_vertex order[64];
  return gpugeo_dgp_graph(t->vertices, t->edges, t->edge_count, &options, &result, out, order, NULL,
                          error);
}

static gpugeo_status find_neighbors(const trial *t, double *out, gpugeo_error *error) {
  static int32_t index[4096];
  if (t->knn->k) return gpugeo_knn(t->x, t->y, t->knn, index, out, NULL, error);
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(t->x, t->y, t->knn, &found, NULL, error);
  if (!status) gpugeo_neighbors_free(&found);
  return status;
}

static gpugeo_status read_file(const trial *t, gpugeo_error *error) {
  gpugeo_dgp_file file;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gpugeo_dgp_file_read(t->file, NULL, &run, &file, error);
  if (!status) gpugeo_dgp_file_free(&file);
  return status;
}

static gpugeo_status measure(const trial *t, gpugeo_error *error) {
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  options.run.threads = 2;
  gpugeo_layout_quality_result quality;
  return gpugeo_layout_quality(t->graph, t->positions, &options, &quality, NULL, error);
}

static gpugeo_status read_edges(const trial *t, gpugeo_error *error) {
  gpugeo_edge_file file;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gpugeo_edge_file_read(t->edge_file, -1, -1, &run, &file, error);
  if (!status) gpugeo_edge_file_free(&file);
  return status;
}

/* A tile, and all of them to a file. */
static gpugeo_status compute_tiles(const trial *t, double *out, gpugeo_error *error) {
  const gpugeo_point_source x = {.matrix = t->x}, y = {.matrix = t->y};
  const gpugeo_point_source *other = t->y ? &y : NULL;
  if (t->file) {
    gpugeo_dist_file_options file;
    gpugeo_dist_file_options_init(&file, sizeof file);
    file.file = t->file;
    file.shape = t->dist.shape;
    file.side = 16;
    remove(t->file);
    return gpugeo_dist_file_write(&x, &t->dist, &file, NULL, error);
  }
  gpugeo_tiles tiles;
  gpugeo_tiles_plan(t->x->nrow, t->y ? t->y->nrow : -1, t->x->ncol, 16, 0, &tiles, NULL);
  return gpugeo_dist_tile(&x, other, &t->dist, NULL, 0, &tiles, 1, GPUGEO_TYPE_DOUBLE, out, NULL,
                          error);
}

static gpugeo_status call(const trial *t, double *out, gpugeo_error *error) {
  if (t->tiled) return compute_tiles(t, out, error);
  gpugeo_layout_result made;
  if (t->layout) return gpugeo_layout(t->graph, t->layout, out, &made, NULL, error);
  if (t->edge_file) return read_edges(t, error);
  if (t->positions) return measure(t, error);
  if (t->edges) return realize(t, out, error);
  if (t->file) return read_file(t, error);
  if (t->knn) return find_neighbors(t, out, error);
  if (t->cycle) {
    static gpugeo_dgp_solution solutions[8192];
    gpugeo_dgp_result result;
    return gpugeo_dgp(t->d, t->n, t->cycle, &result, solutions, NULL, error);
  }
  if (t->d) {
    gpugeo_run run;
    gpugeo_run_init(&run, sizeof run);
    run.backend = GPUGEO_BACKEND_CPU;
    return gpugeo_dgp_sums(t->d, t->n, &run, out, NULL, error);
  }
  if (t->collide) return collide(t, error);
  if (t->closest) {
    static gpugeo_pair pairs[64];
    int64_t found, ties;
    return gpugeo_closest_pair(t->x, t->y, t->closest, pairs, &found, &ties, NULL, error);
  }
  return t->correlation ? gpugeo_cor(t->x, t->y, &t->cor, GPUGEO_TYPE_DOUBLE, out, NULL, error)
                        : gpugeo_dist(t->x, t->y, &t->dist, GPUGEO_TYPE_DOUBLE, out, NULL, error);
}

/* Fails the first request, then the second, and so on until the call makes fewer. Beyond 256, where
   requests come in rounds of the same few, every seventh one. */
static void try_all(const trial *t, double *out) {
  for (int n = 1;; n += n < 256 ? 1 : 7) {
    gpugeo_error error = {0};
    const int before = live;
    requests = 0;
    fails_at = n;
    const gpugeo_status status = call(t, out, n % 2 ? &error : NULL);
    fails_at = 0;
    const bool reached = requests >= n;
    CHECK(live == before, "%s: %d blocks are left after request %d failed", t->name, live - before,
          n);
    if (!reached) {
      CHECK(status == GPUGEO_OK, "%s: status %d without a failed request", t->name, status);
      CHECK(n > 1, "%s: not a single request for memory came here", t->name);
      return;
    }
    CHECK(status == GPUGEO_OK || status == GPUGEO_ERROR_MEMORY,
          "%s: status %d after request %d failed", t->name, status, n);
    if (n % 2 && status)
      CHECK(strstr(error.message, "MiB") != NULL, "%s: \"%s\" does not give the size", t->name,
            error.message);
  }
}

enum { POINTS = 40, OTHERS = 11, COORDINATES = 300 };

static void try_distances(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what,
                          const double *scale, const double *cov, double *out) {
  char name[128];
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric)
    for (int choice = 0; choice < 4; ++choice) {
      trial t = {.name = name, .x = x, .y = choice / 2 ? y : NULL};
      gpugeo_dist_options_init(&t.dist, sizeof t.dist);
      t.dist.metric.kind = (gpugeo_metric)metric;
      t.dist.metric.p = 1.7;
      t.dist.shape = t.y ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
      t.dist.run.backend = GPUGEO_BACKEND_CPU;
      t.dist.run.threads = 2;
      t.dist.run.precision = (gpugeo_precision)(choice % 2);
      t.dist.run.work_bytes = choice % 2; /* in one piece, and in many */
      if (metric == GPUGEO_METRIC_SEUCLIDEAN) {
        t.dist.metric.scale = scale;
        t.dist.metric.scale_length = COORDINATES;
      }
      if (metric == GPUGEO_METRIC_MAHALANOBIS)
        t.dist.metric.cov =
            (gpugeo_matrix){cov, GPUGEO_TYPE_DOUBLE, COORDINATES, COORDINATES, COORDINATES, NULL};
      snprintf(name, sizeof name, "%s, %s points, choice %d",
               gpugeo_name(GPUGEO_ENUM_METRIC, t.dist.metric.kind), what, choice);
      try_all(&t, out);
    }
}

/* The metrics that take their parameters from x. */
static void try_defaults(double *out) {
  static double values[20 * 3];
  for (int i = 0; i < 60; ++i)
    values[i] = sin(i * i);
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 20, 3, 20, NULL};
  for (int i = 0; i < 2; ++i) {
    trial t = {.name = i ? "default covariance" : "default scale", .x = &x};
    gpugeo_dist_options_init(&t.dist, sizeof t.dist);
    t.dist.metric.kind = i ? GPUGEO_METRIC_MAHALANOBIS : GPUGEO_METRIC_SEUCLIDEAN;
    t.dist.run.backend = GPUGEO_BACKEND_CPU;
    try_all(&t, out);
  }
}

/* Tiles of the metrics that take most, and files of both shapes. */
static void try_tiles(const gpugeo_matrix *x, const gpugeo_matrix *y, double *out) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SPEARMAN,
                                          GPUGEO_METRIC_SEUCLIDEAN};
  char *folder = temporary_folder(), *file = temporary_path(folder, "d.h5"), name[128];
  const int choices = *gpugeo_hdf5_version() ? 4 : 2;
  if (choices == 2) check_skip(1, "built without HDF5: no files of distances");
  for (int metric = 0; metric < 3; ++metric)
    for (int choice = 0; choice < choices; ++choice) {
      trial t = {.name = name, .x = x, .tiled = true};
      if (choice == 1) t.y = y;
      if (choice >= 2) t.file = file;
      gpugeo_dist_options_init(&t.dist, sizeof t.dist);
      t.dist.metric.kind = metrics[metric];
      t.dist.shape = choice == 3 ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
      t.dist.run.backend = GPUGEO_BACKEND_CPU;
      t.dist.run.threads = 2;
      snprintf(name, sizeof name, "tiles, %s, choice %d",
               gpugeo_name(GPUGEO_ENUM_METRIC, t.dist.metric.kind), choice);
      try_all(&t, out);
    }
  temporary_remove(file);
  temporary_remove(folder);
}

static void try_correlations(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what,
                             double *out) {
  static const gpugeo_cor_use uses[] = {GPUGEO_COR_USE_EVERYTHING, GPUGEO_COR_USE_NA_OR_COMPLETE,
                                        GPUGEO_COR_USE_PAIRWISE};
  char name[128];
  for (int choice = 0; choice < 12; ++choice) {
    trial t = {.name = name, .correlation = true, .x = x, .y = choice / 6 ? y : NULL};
    gpugeo_cor_options_init(&t.cor, sizeof t.cor);
    t.cor.method = (gpugeo_cor_method)(choice % 2);
    t.cor.use = uses[choice / 2 % 3];
    t.cor.run.backend = GPUGEO_BACKEND_CPU;
    t.cor.run.threads = 2;
    snprintf(name, sizeof name, "cor, %s points, choice %d", what, choice);
    try_all(&t, out);
  }
}

/* Sparse points: distances by both kinds of kernels, ranks, neighbours, and correlations of
   complete rows. */
static void try_sparse(double *out) {
  double *points = data_points(DATA_COUNTS, POINTS, COORDINATES, 7);
  gpugeo_matrix dense =
      data_matrix(points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  gpugeo_matrix columns =
      data_matrix(points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  ((double *)columns.data)[5] = NAN;
  data_sparse x, a;
  data_sparse_make(&dense, 0, 4, 0, &x);
  data_sparse_make(&columns, 1, 8, 0, &a);
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SPEARMAN};
  for (int choice = 0; choice < 4; ++choice) {
    trial t = {.name = "sparse distances", .x = &x.matrix, .tiled = choice / 2 == 1};
    gpugeo_dist_options_init(&t.dist, sizeof t.dist);
    t.dist.metric.kind = metrics[choice % 2];
    t.dist.run.work_bytes = choice % 2;
    t.dist.run.backend = GPUGEO_BACKEND_CPU;
    t.dist.run.threads = 2;
    try_all(&t, out);
  }
  trial t = {.name = "sparse correlations", .correlation = true, .x = &a.matrix};
  gpugeo_cor_options_init(&t.cor, sizeof t.cor);
  t.cor.use = GPUGEO_COR_USE_COMPLETE_OBS;
  t.cor.run.backend = GPUGEO_BACKEND_CPU;
  try_all(&t, out);
  data_sparse_free(&x);
  data_sparse_free(&a);
  free((void *)dense.data);
  free((void *)columns.data);
  free(points);
}

/* The k nearest and those within a radius, with lists for one block of points and for two. */
static void try_neighbors(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what,
                          double *out) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SPEARMAN};
  char name[128];
  for (int choice = 0; choice < 16; ++choice) {
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    options.metric.kind = metrics[choice % 2];
    options.k = choice / 2 % 2 ? 5 : 0;
    options.radius = INFINITY;
    options.run.backend = GPUGEO_BACKEND_CPU;
    options.run.threads = 2;
    options.run.work_bytes = choice / 4 % 2;
    trial t = {.name = name, .x = x, .y = choice / 8 ? y : NULL, .knn = &options};
    snprintf(name, sizeof name, "neighbours, %s points, choice %d", what, choice);
    try_all(&t, out);
  }
}

/* Few points and many, apart and coincident, and all methods. */
static void try_closest(double *out) {
  enum { MOST = 3000 };
  static double values[2 * MOST];
  char name[128];
  for (int choice = 0; choice < 4; ++choice)
    for (int method = GPUGEO_CLOSEST_ALGORITHM_GRID; method < GPUGEO_CLOSEST_ALGORITHM_COUNT;
         ++method)
      for (int kind = 0; kind < 3; ++kind) {
        const int64_t n = choice % 2 ? MOST : 50, ny = n / 2;
        const bool between = choice / 2, sphere = kind == 2;
        if (method != GPUGEO_CLOSEST_ALGORITHM_GRID && (between || sphere)) continue;
        for (int64_t i = 0; i < 2 * n; ++i)
          values[i] = kind == 1 ? (double)(i % 3) : 80 * sin((double)(i * i));
        const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
        const gpugeo_matrix y = {values, GPUGEO_TYPE_DOUBLE, ny, 2, n, NULL};
        gpugeo_closest_options options;
        gpugeo_closest_options_init(&options, sizeof options);
        options.algorithm = (gpugeo_closest_algorithm)method;
        options.metric =
            sphere ? GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE : GPUGEO_CLOSEST_METRIC_EUCLIDEAN;
        options.k = 64;
        options.run.backend = GPUGEO_BACKEND_CPU;
        options.run.threads = 2;
        trial t = {.name = name, .x = &x, .y = between ? &y : NULL, .closest = &options};
        snprintf(name, sizeof name, "closest, method %d, kind %d, choice %d", method, kind, choice);
        try_all(&t, out);
      }
}

/* Collisions by all methods, with a crowded cell, and cells of a lattice that share a key. */
static void try_collisions(void) {
  enum { N = 700, M = 300 };
  static double values[3 * (N + M)], radii[N + M];
  static int32_t group[N + M];
  for (int64_t i = 0; i < N + M; ++i) {
    for (int64_t k = 0; k < 3; ++k)
      values[k * (N + M) + i] = floor(3 * sin((double)(i * i + k))) * 1e15 * (double)(i % 3);
    radii[i] = 0.25;
    group[i] = (int32_t)(i % 5);
  }
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, N, 3, N + M, NULL};
  const gpugeo_matrix y = {values + N, GPUGEO_TYPE_DOUBLE, M, 3, N + M, NULL};
  char name[128];
  for (int what = 0; what < 4; ++what)
    for (int choice = 0; choice < 20; ++choice) {
      const int method = choice % 5;
      gpugeo_collisions_options o;
      gpugeo_collisions_options_init(&o, sizeof o);
      trial t = {.name = name, .x = &x, .y = choice / 5 % 2 ? &y : NULL, .collide = &o};
      t.launched = choice / 10;
      if (method == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC && t.y) continue;
      o.what = (gpugeo_collisions_what)what;
      o.algorithm = (gpugeo_collisions_algorithm)method;
      o.run.backend = GPUGEO_BACKEND_CPU;
      o.run.threads = 2;
      o.radii = radii;
      o.radii_length = t.y ? N + M : N;
      if (what == GPUGEO_COLLISIONS_WHAT_TABLE) {
        o.group = group;
        o.group_length = o.radii_length;
        o.groups = 5;
      }
      snprintf(name, sizeof name, "collisions, result %d, method %d, choice %d", what, method,
               choice);
      try_all(&t, NULL);
    }
}

/* Three paths of `arm` edges between two vertices, a cycle and a bridge. */
static void try_graphs(double *out) {
  static gpugeo_dgp_edge edges[64];
  for (int64_t arm = 3; arm <= 7; arm += 4) {
    int64_t count = 0, vertices = 3 * (arm - 1) + 2;
    for (int64_t path = 0; path < 3; ++path)
      for (int64_t k = 0; k < arm; ++k) {
        const int64_t first = 2 + path * (arm - 1);
        const double length = (double)(1 + (k + path) % arm);
        edges[count++] = (gpugeo_dgp_edge){k == 0 ? 0 : first + k - 1, k == arm - 1 ? 1 : first + k,
                                           length, length};
      }
    for (int64_t k = 0; k < 3; ++k)
      edges[count++] = (gpugeo_dgp_edge){k == 0 ? 0 : vertices + k - 1, k == 2 ? 0 : vertices + k,
                                         k == 2 ? 3 : k + 1.0, k == 2 ? 3 : k + 1.0};
    edges[count++] = (gpugeo_dgp_edge){1, vertices + 2, 1, 2};
    trial t = {.name = arm == 3 ? "small graph" : "large graph",
               .edges = edges,
               .vertices = vertices + 3,
               .edge_count = count};
    try_all(&t, out);
  }
}

static void try_file(double *out) {
  const int lines = 6000; /* more than is read at once */
  char *text = malloc((size_t)lines * 32), *at = text;
  for (int i = 0; i < lines; ++i)
    at += sprintf(at, "%d %d 1.0 1.5 N CA\n", i, i + 1);
  char *name = temporary_file(text, (size_t)(at - text));
  const trial t = {.name = "file", .file = name};
  try_all(&t, out);
  for (char *end = text; (end = strstr(end, " N CA")) != NULL;)
    memcpy(end, "     ", 5);
  for (char *dot = text; (dot = strstr(dot, " 1.5")) != NULL;)
    memcpy(dot, "    ", 4);
  char *edges = temporary_file(text, (size_t)(at - text));
  const trial of_edges = {.name = "file of edges", .edge_file = edges};
  try_all(&of_edges, out);
  temporary_remove(edges);
  temporary_remove(name);
  free(text);
}

static int look(int64_t iteration, double temperature, const double *positions, void *data) {
  (void)iteration, (void)temperature, (void)positions, (void)data;
  return 0;
}

/* Components of which one has levels, one is large, others are small or single vertices. */
static void try_layouts(double *out) {
  enum { VERTICES = 170, EDGES = 160 };
  static int32_t edges[2 * EDGES], fixed[VERTICES];
  static double init[3 * VERTICES], lower[3 * VERTICES], upper[3 * VERTICES];
  static const int64_t ends[] = {70, 136, 139, 142, 144};
  int64_t count = 0;
  for (int c = 0; c < 5; ++c)
    for (int64_t v = c ? ends[c - 1] + 1 : 1; v < ends[c]; ++v, ++count)
      edges[count] = (int32_t)(v - 1), edges[count + EDGES] = (int32_t)v;
  const gpugeo_graph graph = {.vertices = VERTICES,
                              .edges = {edges, GPUGEO_TYPE_INT32, count, 2, EDGES, NULL}};
  for (int64_t i = 0; i < 3 * VERTICES; ++i) {
    init[i] = 10 * sin((double)(i * i));
    lower[i] = -20;
    upper[i] = 20;
    fixed[i % VERTICES] = i % 7 == 0;
  }
  for (int choice = 0; choice < 4; ++choice) {
    gpugeo_layout_options options;
    gpugeo_layout_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    options.run.threads = 1;
    options.iterations = 2;
    options.dim = 2 + choice % 2;
    options.repulsion =
        choice % 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    options.frame = look;
    options.frame_every = choice % 2;
    if (choice / 2) {
      options.init = init, options.lower = lower, options.upper = upper, options.fixed = fixed;
      options.init_length = options.lower_length = options.upper_length = VERTICES * options.dim;
      options.fixed_length = VERTICES;
    }
    char name[64];
    snprintf(name, sizeof name, "layout, choice %d", choice);
    const trial t = {.name = name, .graph = &graph, .layout = &options};
    try_all(&t, out);
  }
}

/* Cycles by all methods: distances that one word holds and that it does not, ties among the
   solutions, more of them (kind 2) than are listed while they are counted, and few distinct sums.
 */
static void try_cycles(double *out) {
  double d[20];
  char name[128];
  for (int kind = 0; kind < 5; ++kind)
    for (int method = 0; method < GPUGEO_DGP_ALGORITHM_COUNT; ++method)
      for (int most = 0; most < 3; ++most) {
        if (most == 0 && (method == GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE ||
                          method == GPUGEO_DGP_ALGORITHM_EXHAUSTIVE))
          continue; /* counts without any memory */
        for (int j = 0; j < 20; ++j)
          d[j] = kind == 0   ? 1 + fabs(sin(j))
                 : kind == 1 ? ldexp(1 + fabs(sin(j)), -10 * (j % 4))
                 : kind == 2 ? 1 + j % 3
                 : kind == 3 ? 0.1
                             : (j ? 1 : 1e-30);
        gpugeo_dgp_options options;
        gpugeo_dgp_options_init(&options, sizeof options);
        options.algorithm = (gpugeo_dgp_algorithm)method;
        options.tol = kind == 4 ? 1e-30 : kind == 3 ? 0.1 : 0.01;
        options.max_solutions = most == 2 ? 5000 : most;
        options.run.backend = GPUGEO_BACKEND_CPU;
        options.run.threads = 2;
        options.run.work_bytes = most ? 4096 : 0;
        trial t = {.name = name, .cycle = &options, .d = d, .n = 20 - kind};
        snprintf(name, sizeof name, "cycle, kind %d, method %d, solutions %d", kind, method, most);
        try_all(&t, out);
      }
  trial t = {.name = "all sums", .d = d, .n = 11};
  try_all(&t, out);
}

static void try_quality(double *out) {
  static int32_t ends[2 * 39];
  static double at[2 * 40];
  for (int v = 0; v < 39; ++v) {
    ends[v] = v / 3;
    ends[v + 39] = v + 1;
    at[v] = cos(v);
    at[v + 40] = sin(3 * v);
  }
  const gpugeo_graph graph = {.vertices = 40, .edges = {ends, GPUGEO_TYPE_INT32, 39, 2, 39, NULL}};
  const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, 40, 2, 40, NULL};
  trial t = {.name = "quality of a layout", .graph = &graph, .positions = &positions};
  try_all(&t, out);
}

int main(void) {
  const int before = live; /* the CUDA runtime takes some before main() */
  static double scale[COORDINATES], cov[COORDINATES * COORDINATES];
  for (int i = 0; i < COORDINATES; ++i)
    scale[i] = cov[i * COORDINATES + i] = 1 + i % 3;
  double *out = malloc(sizeof(double) * COORDINATES * COORDINATES);
  static const data_kind kinds[] = {DATA_RANDOM, DATA_WHOLE};
  for (int k = 0; k < 2; ++k) {
    double *x_points = data_points(kinds[k], POINTS, COORDINATES, 1);
    double *y_points = data_points(kinds[k], OTHERS, COORDINATES, 2);
    gpugeo_matrix x =
        data_matrix(x_points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    gpugeo_matrix y =
        data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    try_distances(&x, &y, data_name(kinds[k]), scale, cov, out);
    try_neighbors(&x, &y, data_name(kinds[k]), out);
    /* The same numbers as columns, for correlations. */
    gpugeo_matrix a =
        data_matrix(x_points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    gpugeo_matrix b =
        data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    try_correlations(&a, &b, data_name(kinds[k]), out);
    if (k == 0) try_tiles(&x, &y, out);
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
    free((void *)a.data);
    free((void *)b.data);
  }
  try_defaults(out);
  try_sparse(out);
  try_closest(out);
  try_graphs(out);
  try_file(out);
  try_layouts(out);
  try_cycles(out);
  try_collisions();
  try_quality(out);
  free(out);
  CHECK(live == before, "%d blocks are left at the end", live - before);
  return check_end();
}

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
#include "families.h"
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

/* A call to try, and what it is about. */
typedef gpugeo_status call(const void *job, gpugeo_error *error);

/* Fails the first request, then the second, and so on until the call makes fewer. Beyond 256, where
   requests come in rounds of the same few, every seventh one. */
static void try_all(const char *name, call *function, const void *job) {
  for (int n = 1;; n += n < 256 ? 1 : 7) {
    gpugeo_error error = {0};
    const int before = live;
    requests = 0;
    fails_at = n;
    const gpugeo_status status = function(job, n % 2 ? &error : NULL);
    fails_at = 0;
    const bool reached = requests >= n;
    CHECK(live == before, "%s: %d blocks are left after request %d failed", name, live - before, n);
    if (!reached) {
      CHECK(status == GPUGEO_OK, "%s: status %d without a failed request", name, status);
      CHECK(n > 1, "%s: not a single request for memory came here", name);
      return;
    }
    CHECK(status == GPUGEO_OK || status == GPUGEO_ERROR_MEMORY,
          "%s: status %d after request %d failed", name, status, n);
    if (n % 2 && status)
      CHECK(strstr(error.message, "MiB") != NULL, "%s: \"%s\" does not give the size", name,
            error.message);
  }
}

enum { POINTS = 40, OTHERS = 11, COORDINATES = 300 };

static double out[COORDINATES * COORDINATES]; /* results that nothing looks at */

/* --- Each family as it is called by default --------------------------------------------------- */

static gpugeo_status call_family(const void *job, gpugeo_error *error) {
  const family *tried = job;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  run.threads = 2;
  uint64_t hash;
  return tried->call(64, &run, &hash, error);
}

static void try_families(void) {
  for (int f = 0; f < family_count; ++f)
    if (!family_is_left_out(&families[f])) try_all(families[f].name, call_family, &families[f]);
}

/* --- Distances and correlations --------------------------------------------------------------- */

typedef struct dist_job {
  const gpugeo_matrix *x, *y;
  gpugeo_dist_options options;
  const char *file; /* of tiles, or NULL */
} dist_job;

static gpugeo_status call_dist(const void *job, gpugeo_error *error) {
  const dist_job *t = job;
  return gpugeo_dist(t->x, t->y, &t->options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
}

static gpugeo_status call_tile(const void *job, gpugeo_error *error) {
  const dist_job *t = job;
  const gpugeo_point_source x = {.matrix = t->x}, y = {.matrix = t->y};
  gpugeo_tiles tiles;
  gpugeo_tiles_plan(t->x->nrow, t->y ? t->y->nrow : -1, t->x->ncol, 16, 0, &tiles, NULL);
  return gpugeo_dist_tile(&x, t->y ? &y : NULL, &t->options, NULL, 0, &tiles, 1, GPUGEO_TYPE_DOUBLE,
                          out, NULL, error);
}

static gpugeo_status call_dist_file(const void *job, gpugeo_error *error) {
  const dist_job *t = job;
  const gpugeo_point_source x = {.matrix = t->x};
  gpugeo_dist_file_options file;
  gpugeo_dist_file_options_init(&file, sizeof file);
  file.file = t->file;
  file.shape = t->options.shape;
  file.side = 16;
  remove(t->file);
  return gpugeo_dist_file_write(&x, &t->options, &file, NULL, error);
}

typedef struct cor_job {
  const gpugeo_matrix *x, *y;
  gpugeo_cor_options options;
} cor_job;

static gpugeo_status call_cor(const void *job, gpugeo_error *error) {
  const cor_job *t = job;
  return gpugeo_cor(t->x, t->y, &t->options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
}

static void try_distances(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what,
                          const double *scale, const double *cov) {
  char name[128];
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric)
    for (int choice = 0; choice < 4; ++choice) {
      dist_job t = {.x = x, .y = choice / 2 ? y : NULL};
      gpugeo_dist_options_init(&t.options, sizeof t.options);
      t.options.metric.kind = (gpugeo_metric)metric;
      t.options.metric.p = 1.7;
      t.options.shape = t.y ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
      t.options.run.backend = GPUGEO_BACKEND_CPU;
      t.options.run.threads = 2;
      t.options.run.precision = (gpugeo_precision)(choice % 2);
      t.options.run.work_bytes = choice % 2; /* in one piece, and in many */
      if (metric == GPUGEO_METRIC_SEUCLIDEAN) {
        t.options.metric.scale = scale;
        t.options.metric.scale_length = COORDINATES;
      }
      if (metric == GPUGEO_METRIC_MAHALANOBIS)
        t.options.metric.cov =
            (gpugeo_matrix){cov, GPUGEO_TYPE_DOUBLE, COORDINATES, COORDINATES, COORDINATES, NULL};
      snprintf(name, sizeof name, "%s, %s points, choice %d",
               gpugeo_name(GPUGEO_ENUM_METRIC, t.options.metric.kind), what, choice);
      try_all(name, call_dist, &t);
    }
}

/* The metrics that take their parameters from x. */
static void try_defaults(void) {
  static double values[20 * 3];
  for (int i = 0; i < 60; ++i)
    values[i] = sin(i * i);
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 20, 3, 20, NULL};
  for (int i = 0; i < 2; ++i) {
    dist_job t = {.x = &x};
    gpugeo_dist_options_init(&t.options, sizeof t.options);
    t.options.metric.kind = i ? GPUGEO_METRIC_MAHALANOBIS : GPUGEO_METRIC_SEUCLIDEAN;
    t.options.run.backend = GPUGEO_BACKEND_CPU;
    try_all(i ? "default covariance" : "default scale", call_dist, &t);
  }
}

/* Tiles of the metrics that take most, and files of both shapes. */
static void try_tiles(const gpugeo_matrix *x, const gpugeo_matrix *y) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SPEARMAN,
                                          GPUGEO_METRIC_SEUCLIDEAN};
  char *folder = temporary_folder(), *file = temporary_path(folder, "d.h5"), name[128];
  const int choices = *gpugeo_hdf5_version() ? 4 : 2;
  if (choices == 2) check_skip(1, "built without HDF5: no files of distances");
  for (int metric = 0; metric < 3; ++metric)
    for (int choice = 0; choice < choices; ++choice) {
      dist_job t = {.x = x};
      if (choice == 1) t.y = y;
      if (choice >= 2) t.file = file;
      gpugeo_dist_options_init(&t.options, sizeof t.options);
      t.options.metric.kind = metrics[metric];
      t.options.shape = choice == 3 ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
      t.options.run.backend = GPUGEO_BACKEND_CPU;
      t.options.run.threads = 2;
      snprintf(name, sizeof name, "tiles, %s, choice %d",
               gpugeo_name(GPUGEO_ENUM_METRIC, t.options.metric.kind), choice);
      try_all(name, t.file ? call_dist_file : call_tile, &t);
    }
  temporary_remove(file);
  temporary_remove(folder);
}

static void try_correlations(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what) {
  static const gpugeo_cor_use uses[] = {GPUGEO_COR_USE_EVERYTHING, GPUGEO_COR_USE_NA_OR_COMPLETE,
                                        GPUGEO_COR_USE_PAIRWISE};
  char name[128];
  for (int choice = 0; choice < 12; ++choice) {
    cor_job t = {.x = x, .y = choice / 6 ? y : NULL};
    gpugeo_cor_options_init(&t.options, sizeof t.options);
    t.options.method = (gpugeo_cor_method)(choice % 2);
    t.options.use = uses[choice / 2 % 3];
    t.options.run.backend = GPUGEO_BACKEND_CPU;
    t.options.run.threads = 2;
    snprintf(name, sizeof name, "cor, %s points, choice %d", what, choice);
    try_all(name, call_cor, &t);
  }
}

/* Sparse points: distances by both kinds of kernels, ranks, neighbours, and correlations of
   complete rows. */
static void try_sparse(void) {
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
    dist_job t = {.x = &x.matrix};
    gpugeo_dist_options_init(&t.options, sizeof t.options);
    t.options.metric.kind = metrics[choice % 2];
    t.options.run.work_bytes = choice % 2;
    t.options.run.backend = GPUGEO_BACKEND_CPU;
    t.options.run.threads = 2;
    try_all("sparse distances", choice / 2 ? call_tile : call_dist, &t);
  }
  cor_job t = {.x = &a.matrix};
  gpugeo_cor_options_init(&t.options, sizeof t.options);
  t.options.use = GPUGEO_COR_USE_COMPLETE_OBS;
  t.options.run.backend = GPUGEO_BACKEND_CPU;
  try_all("sparse correlations", call_cor, &t);
  data_sparse_free(&x);
  data_sparse_free(&a);
  free((void *)dense.data);
  free((void *)columns.data);
  free(points);
}

/* --- Neighbours and collisions ---------------------------------------------------------------- */

typedef struct knn_job {
  const gpugeo_matrix *x, *y;
  gpugeo_knn_options options; /* k is 0 for neighbours within the radius */
} knn_job;

static gpugeo_status call_neighbors(const void *job, gpugeo_error *error) {
  const knn_job *t = job;
  static int32_t index[4096];
  if (t->options.k) return gpugeo_knn(t->x, t->y, &t->options, index, out, NULL, error);
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(t->x, t->y, &t->options, &found, NULL, error);
  if (!status) gpugeo_neighbors_free(&found);
  return status;
}

typedef struct closest_job {
  const gpugeo_matrix *x, *y;
  gpugeo_closest_options options;
} closest_job;

static gpugeo_status call_closest(const void *job, gpugeo_error *error) {
  const closest_job *t = job;
  static gpugeo_pair pairs[64];
  int64_t found, ties;
  return gpugeo_closest_pair(t->x, t->y, &t->options, pairs, &found, &ties, NULL, error);
}

typedef struct collide_job {
  const gpugeo_matrix *x, *y;
  gpugeo_collisions_options options;
  bool launched;
} collide_job;

/* Collisions found or launched, and their results fetched. */
static gpugeo_status call_collide(const void *job, gpugeo_error *error) {
  const collide_job *t = job;
  static int32_t pairs[2 * 65536];
  static double numbers[2048];
  gpugeo_collisions *found = NULL;
  int64_t count = 0;
  gpugeo_status status = t->launched
                             ? gpugeo_collisions_launch(t->x, t->y, &t->options, &found, error)
                             : gpugeo_collisions_compute(t->x, t->y, &t->options, &found, error);
  if (!status) status = gpugeo_collisions_wait(found, NULL, &count, NULL, error);
  if (!status && t->options.what == GPUGEO_COLLISIONS_WHAT_PER_POINT)
    status = gpugeo_collisions_per_point(found, numbers, error);
  if (!status && t->options.what == GPUGEO_COLLISIONS_WHAT_PAIRS &&
      CHECK(count <= 65536, "%lld collisions", (long long)count))
    status = gpugeo_collisions_pairs(found, GPUGEO_TYPE_INT32, pairs, error);
  if (!status && t->options.what == GPUGEO_COLLISIONS_WHAT_TABLE)
    status = gpugeo_collisions_table(found, numbers, error);
  gpugeo_collisions_free(found);
  return status;
}

/* The k nearest and those within a radius, with lists for one block of points and for two. */
static void try_neighbors(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SPEARMAN};
  char name[128];
  for (int choice = 0; choice < 16; ++choice) {
    knn_job t = {.x = x, .y = choice / 8 ? y : NULL};
    gpugeo_knn_options_init(&t.options, sizeof t.options);
    t.options.metric.kind = metrics[choice % 2];
    t.options.k = choice / 2 % 2 ? 5 : 0;
    t.options.radius = INFINITY;
    t.options.run.backend = GPUGEO_BACKEND_CPU;
    t.options.run.threads = 2;
    t.options.run.work_bytes = choice / 4 % 2;
    snprintf(name, sizeof name, "neighbours, %s points, choice %d", what, choice);
    try_all(name, call_neighbors, &t);
  }
}

/* Few points and many, apart and coincident, and all methods. */
static void try_closest(void) {
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
        closest_job t = {.x = &x, .y = between ? &y : NULL};
        gpugeo_closest_options_init(&t.options, sizeof t.options);
        t.options.algorithm = (gpugeo_closest_algorithm)method;
        t.options.metric =
            sphere ? GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE : GPUGEO_CLOSEST_METRIC_EUCLIDEAN;
        t.options.k = 64;
        t.options.run.backend = GPUGEO_BACKEND_CPU;
        t.options.run.threads = 2;
        snprintf(name, sizeof name, "closest, method %d, kind %d, choice %d", method, kind, choice);
        try_all(name, call_closest, &t);
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
      collide_job t = {.x = &x, .y = choice / 5 % 2 ? &y : NULL, .launched = choice / 10};
      gpugeo_collisions_options *o = &t.options;
      gpugeo_collisions_options_init(o, sizeof *o);
      if (method == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC && t.y) continue;
      o->what = (gpugeo_collisions_what)what;
      o->algorithm = (gpugeo_collisions_algorithm)method;
      o->run.backend = GPUGEO_BACKEND_CPU;
      o->run.threads = 2;
      o->radii = radii;
      o->radii_length = t.y ? N + M : N;
      if (what == GPUGEO_COLLISIONS_WHAT_TABLE) {
        o->group = group;
        o->group_length = o->radii_length;
        o->groups = 5;
      }
      snprintf(name, sizeof name, "collisions, result %d, method %d, choice %d", what, method,
               choice);
      try_all(name, call_collide, &t);
    }
}

/* --- Distance geometry ------------------------------------------------------------------------ */

typedef struct graph_job {
  const gpugeo_dgp_edge *edges;
  int64_t vertices, edge_count;
} graph_job;

/* Realizations of a graph, found by several threads if there are many. */
static gpugeo_status call_graph(const void *job, gpugeo_error *error) {
  const graph_job *t = job;
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = 40;
  options.run.threads = 2;
  gpugeo_dgp_graph_result result;
  static gpugeo_dgp_vertex order[64];
  return gpugeo_dgp_graph(t->vertices, t->edges, t->edge_count, &options, &result, out, order, NULL,
                          error);
}

static gpugeo_status call_read_file(const void *job, gpugeo_error *error) {
  gpugeo_dgp_file file;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gpugeo_dgp_file_read(job, NULL, &run, &file, error);
  if (!status) gpugeo_dgp_file_free(&file);
  return status;
}

static gpugeo_status call_read_edges(const void *job, gpugeo_error *error) {
  gpugeo_edge_file file;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gpugeo_edge_file_read(job, -1, -1, &run, &file, error);
  if (!status) gpugeo_edge_file_free(&file);
  return status;
}

static gpugeo_status call_read_fasta(const void *job, gpugeo_error *error) {
  gpugeo_fasta fasta;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gpugeo_fasta_read(job, GPUGEO_LETTERS_DNA, &run, &fasta, error);
  if (!status) gpugeo_fasta_free(&fasta);
  return status;
}

typedef struct cycle_job {
  const double *d;
  int n;
  gpugeo_dgp_options options;
} cycle_job;

static gpugeo_status call_cycle(const void *job, gpugeo_error *error) {
  const cycle_job *t = job;
  static gpugeo_dgp_solution solutions[8192];
  gpugeo_dgp_result result;
  return gpugeo_dgp(t->d, t->n, &t->options, &result, solutions, NULL, error);
}

/* Three paths of `arm` edges between two vertices, a cycle and a bridge. */
static void try_graphs(void) {
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
    const graph_job t = {.edges = edges, .vertices = vertices + 3, .edge_count = count};
    try_all(arm == 3 ? "small graph" : "large graph", call_graph, &t);
  }
}

static void try_fasta(void) {
  static const char text[] = ">one\nACGT\nACGT\n>two\nACGTACGA\n";
  char *name = temporary_file(text, sizeof text - 1);
  try_all("file of sequences", call_read_fasta, name);
  temporary_remove(name);
}

static void try_file(void) {
  const int lines = 6000; /* more than is read at once */
  char *text = malloc((size_t)lines * 32), *at = text;
  for (int i = 0; i < lines; ++i)
    at += sprintf(at, "%d %d 1.0 1.5 N CA\n", i, i + 1);
  char *name = temporary_file(text, (size_t)(at - text));
  try_all("file", call_read_file, name);
  for (char *end = text; (end = strstr(end, " N CA")) != NULL;)
    memcpy(end, "     ", 5);
  for (char *dot = text; (dot = strstr(dot, " 1.5")) != NULL;)
    memcpy(dot, "    ", 4);
  char *edges = temporary_file(text, (size_t)(at - text));
  try_all("file of edges", call_read_edges, edges);
  temporary_remove(edges);
  temporary_remove(name);
  free(text);
}

/* Cycles by all methods: distances that one word holds and that it does not, ties among the
   solutions, more of them (kind 2) than are listed while they are counted, and few distinct sums.
 */
static void try_cycles(void) {
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
        cycle_job t = {.d = d, .n = 20 - kind};
        gpugeo_dgp_options *o = &t.options;
        gpugeo_dgp_options_init(o, sizeof *o);
        o->algorithm = (gpugeo_dgp_algorithm)method;
        o->tol = kind == 4 ? 1e-30 : kind == 3 ? 0.1 : 0.01;
        o->max_solutions = most == 2 ? 5000 : most;
        o->run.backend = GPUGEO_BACKEND_CPU;
        o->run.threads = 2;
        o->run.work_bytes = most ? 4096 : 0;
        snprintf(name, sizeof name, "cycle, kind %d, method %d, solutions %d", kind, method, most);
        try_all(name, call_cycle, &t);
      }
}

/* --- Layouts ---------------------------------------------------------------------------------- */

typedef struct layout_job {
  const gpugeo_graph *graph;
  gpugeo_layout_options options;
} layout_job;

static gpugeo_status call_layout(const void *job, gpugeo_error *error) {
  const layout_job *t = job;
  gpugeo_layout_result made;
  return gpugeo_layout(t->graph, &t->options, out, &made, NULL, error);
}

static int look(int64_t iteration, double temperature, const double *positions, void *data) {
  (void)iteration, (void)temperature, (void)positions, (void)data;
  return 0;
}

/* Components of which one has levels, one is large, others are small or single vertices. */
static void try_layouts(void) {
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
    layout_job t = {.graph = &graph};
    gpugeo_layout_options *o = &t.options;
    gpugeo_layout_options_init(o, sizeof *o);
    o->run.backend = GPUGEO_BACKEND_CPU;
    o->run.threads = 1;
    o->iterations = 2;
    o->dim = 2 + choice % 2;
    o->repulsion = choice % 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    o->frame = look;
    o->frame_every = choice % 2;
    if (choice / 2) {
      o->init = init, o->lower = lower, o->upper = upper, o->fixed = fixed;
      o->init_length = o->lower_length = o->upper_length = VERTICES * o->dim;
      o->fixed_length = VERTICES;
    }
    char name[64];
    snprintf(name, sizeof name, "layout, choice %d", choice);
    try_all(name, call_layout, &t);
  }
}

int main(void) {
  const int before = live; /* the CUDA runtime takes some before main() */
  static double scale[COORDINATES], cov[COORDINATES * COORDINATES];
  for (int i = 0; i < COORDINATES; ++i)
    scale[i] = cov[i * COORDINATES + i] = 1 + i % 3;
  static const data_kind kinds[] = {DATA_RANDOM, DATA_WHOLE};
  for (int k = 0; k < 2; ++k) {
    double *x_points = data_points(kinds[k], POINTS, COORDINATES, 1);
    double *y_points = data_points(kinds[k], OTHERS, COORDINATES, 2);
    gpugeo_matrix x =
        data_matrix(x_points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    gpugeo_matrix y =
        data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    try_distances(&x, &y, data_name(kinds[k]), scale, cov);
    try_neighbors(&x, &y, data_name(kinds[k]));
    /* The same numbers as columns, for correlations. */
    gpugeo_matrix a =
        data_matrix(x_points, POINTS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    gpugeo_matrix b =
        data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    try_correlations(&a, &b, data_name(kinds[k]));
    if (k == 0) try_tiles(&x, &y);
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
    free((void *)a.data);
    free((void *)b.data);
  }
  try_families();
  try_defaults();
  try_sparse();
  try_closest();
  try_graphs();
  try_fasta();
  try_file();
  try_layouts();
  try_cycles();
  try_collisions();
  CHECK(live == before, "%d blocks are left at the end", live - before);
  return check_end();
}

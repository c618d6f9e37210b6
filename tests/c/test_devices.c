/*
 * Several devices: the same bits as on the CPU, whichever threads on whichever devices have
 * computed which part; and what a call leaves behind that is interrupted or fails on one of them. A
 * machine with one device has several threads on it.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "common/error.h"
#include "common/test_hooks.h"
#include "cuda/failing.h"
#include "data.h"
#include "gpugeo.h"
#include "witness.h"
#include "workers.h"

/* --- a device that fails ---------------------------------------------------------------------- */

enum { NO_MEMORY = 2, NOT_AVAILABLE = 46 }; /* of cudaError_t */

static failing_devices none, *all = &none; /* those of the library */

/* Has the library loaded whose devices can fail, which is in the folder of this program. */
static void load_failing_devices(const char *program) {
  const char *slash = strrchr(program, '/');
  char path[4096];
  snprintf(path, sizeof path, "%.*sfailing_cuda.so", slash ? (int)(slash + 1 - program) : 0,
           program);
  if (access(path, R_OK)) return; /* built without CUDA */
  gpugeo_cuda_library library;
  gpugeo_cuda_library_set(path);
  gpugeo_cuda_library_get(&library);
  void *handle = library.file[0] ? dlopen(library.file, RTLD_NOW | RTLD_NOLOAD) : NULL;
  all = handle ? dlsym(handle, "gpugeo_cuda_failing") : NULL;
  if (!CHECK(all, "%s is not loaded: %s", path, library.reason)) all = &none;
}

/* --- questions -------------------------------------------------------------------------------- */

typedef enum kind { DIST, COR, KNN, RADIUS } kind;

/* One question; its answer is `size` bytes. */
typedef struct question {
  const char *name;
  kind kind;
  const gpugeo_matrix *x, *y;
  gpugeo_type type;
  int64_t size;
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  gpugeo_knn_options knn;
} question;

static gpugeo_run *run_of(question *q) {
  return q->kind == DIST ? &q->dist.run : q->kind == COR ? &q->cor.run : &q->knn.run;
}

/* Counts, indices and distances of all neighbours, one after the other. */
static gpugeo_status find_near(question *q, char *out, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(q->x, q->y, &q->knn, &found, report, error);
  if (status) return status;
  const int64_t starts = (found.points + 1) * (int64_t)sizeof *found.start;
  const int64_t count = found.start[found.points];
  const int64_t bytes = count * (int64_t)(sizeof *found.index + sizeof *found.distance);
  if (CHECK(count > 0 && starts + bytes <= q->size, "%s: %lld neighbours", q->name,
            (long long)count)) {
    memcpy(out, found.start, (size_t)starts);
    memcpy(out + starts, found.index, (size_t)count * sizeof *found.index);
    memcpy(out + starts + count * (int64_t)sizeof *found.index, found.distance,
           (size_t)count * sizeof *found.distance);
  }
  gpugeo_neighbors_free(&found);
  return GPUGEO_OK;
}

static gpugeo_status answer(question *q, void *out, gpugeo_report *report, gpugeo_error *error) {
  switch (q->kind) {
  case DIST:
    return gpugeo_dist(q->x, q->y, &q->dist, q->type, out, report, error);
  case COR:
    return gpugeo_cor(q->x, q->y, &q->cor, q->type, out, report, error);
  case KNN: {
    const int64_t entries = q->size / (int64_t)(sizeof(double) + sizeof(int32_t));
    return gpugeo_knn(q->x, q->y, &q->knn, (int32_t *)((double *)out + entries), out, report,
                      error);
  }
  default:
    return find_near(q, out, report, error);
  }
}

static void make_question(question *q, kind kind, const char *name, const gpugeo_matrix *x,
                          const gpugeo_matrix *y) {
  memset(q, 0, sizeof *q);
  q->kind = kind;
  q->name = name;
  q->x = x;
  q->y = y;
  gpugeo_dist_options_init(&q->dist, sizeof q->dist);
  gpugeo_cor_options_init(&q->cor, sizeof q->cor);
  gpugeo_knn_options_init(&q->knn, sizeof q->knn);
}

/* --- manners of asking ------------------------------------------------------------------------ */

/* Threads on each device. */
typedef struct manner {
  int32_t device, workers;
  int devices; /* that must compute */
} manner;

static manner manners[8];
static int manner_count;

static void make_manners(int devices) {
  manners[manner_count++] = (manner){0, 2, 2};
  manners[manner_count++] = (manner){0, 3, 3};
  manners[manner_count++] = (manner){GPUGEO_DEVICE_ALL, 1, devices};
  if (devices < 2) {
    check_skip(2, "one CUDA device: nothing is computed on two");
    return;
  }
  manners[manner_count++] = (manner){GPUGEO_DEVICE_ALL, 2, 2 * devices};
  manners[manner_count++] = (manner){devices - 1, 2, 2};
}

/* Asks the CPU, then devices in every manner and with the working memory given, and compares all
   bits. */
static void ask(question *q, const int64_t *work_bytes, int works) {
  char *first = malloc((size_t)q->size), *other = malloc((size_t)q->size);
  gpugeo_run *run = run_of(q);
  gpugeo_report report;
  gpugeo_error error = {0};
  run->backend = GPUGEO_BACKEND_CPU;
  run->work_bytes = 0;
  memset(first, 0x11, (size_t)q->size);
  CHECK(!answer(q, first, &report, &error), "%s: %s", q->name, error.message);
  CHECK(report.devices == 0 && report.device == -1, "%s: %d devices on the CPU", q->name,
        report.devices);
  run->backend = GPUGEO_BACKEND_CUDA;
  for (int m = 0; m < manner_count; ++m)
    for (int w = 0; w < works; ++w) {
      if (check_leaves_out(7)) continue;
      set_workers(manners[m].workers);
      run->device = manners[m].device;
      run->work_bytes = work_bytes[w];
      memset(other, 0x11, (size_t)q->size);
      const gpugeo_status status = answer(q, other, &report, &error);
      if (!CHECK(!status, "%s: %s", q->name, error.message)) continue;
      CHECK(memcmp(first, other, (size_t)q->size) == 0,
            "%s: other bits with device %d, %d threads on each and %lld bytes of memory", q->name,
            manners[m].device, manners[m].workers, (long long)work_bytes[w]);
      CHECK(report.devices == manners[m].devices && report.threads > 0 && report.device_seconds > 0,
            "%s: %d devices, not %d; %g s on them", q->name, report.devices, manners[m].devices,
            report.device_seconds);
      CHECK(__atomic_load_n(&all->live, __ATOMIC_RELAXED) == 0,
            "%s: %d pieces of device memory are left", q->name, all->live);
    }
  set_workers(0);
  free(first);
  free(other);
}

/* --- the same bits ---------------------------------------------------------------------------- */

static const data_kind kinds[] = {DATA_RANDOM, DATA_MISSING};

static void test_distances(void) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_SEUCLIDEAN,
                                          GPUGEO_METRIC_COSINE,    GPUGEO_METRIC_MAHALANOBIS,
                                          GPUGEO_METRIC_SPEARMAN,  GPUGEO_METRIC_CANBERRA};
  static const int64_t work[] = {0, 1, 300000};
  const int64_t nx = 700, ny = 300, m = 5;
  const double scale[] = {1, 2, 3, 4, 5};
  double cov[25] = {0};
  for (int i = 0; i < m; ++i)
    cov[i * (m + 1)] = 1 + i;
  for (int k = 0; k < 2; ++k) {
    double *x_points = data_points(kinds[k], nx, m, 3), *y_points = data_points(kinds[k], ny, m, 4);
    const gpugeo_matrix x = data_matrix(x_points, nx, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
    const gpugeo_matrix y = data_matrix(y_points, ny, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    for (size_t j = 0; j < sizeof metrics / sizeof *metrics; ++j)
      for (int choice = 0; choice < 6; ++choice) { /* three shapes; double and float */
        char name[100];
        question q;
        make_question(&q, DIST, name, &x, choice / 2 == 2 ? &y : NULL);
        q.dist.metric.kind = metrics[j];
        q.dist.shape = choice / 2 == 0 ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL;
        if (metrics[j] == GPUGEO_METRIC_SEUCLIDEAN)
          q.dist.metric.scale = scale, q.dist.metric.scale_length = m;
        if (metrics[j] == GPUGEO_METRIC_MAHALANOBIS)
          q.dist.metric.cov = (gpugeo_matrix){cov, GPUGEO_TYPE_DOUBLE, m, m, m, NULL};
        q.type = choice % 2 ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
        q.dist.run.precision = choice % 2 ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
        snprintf(name, sizeof name, "%s, %s, choice %d",
                 gpugeo_name(GPUGEO_ENUM_METRIC, metrics[j]), data_name(kinds[k]), choice);
        CHECK(!gpugeo_dist_size(q.x, q.y, &q.dist, q.type, &q.size, NULL), "%s", name);
        q.size *= choice % 2 ? 4 : 8;
        ask(&q, work, 3);
      }
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
  }
}

/* Correlations; by ranks of pairs where values are missing. */
static void test_correlations(void) {
  static const int64_t work[] = {0, 1};
  const int64_t nx = 150, ny = 40, m = 31;
  for (int k = 0; k < 2; ++k) {
    double *x_points = data_points(kinds[k], nx, m, 5), *y_points = data_points(kinds[k], ny, m, 6);
    const gpugeo_matrix x =
        data_matrix(x_points, nx, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    const gpugeo_matrix y =
        data_matrix(y_points, ny, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 2);
    for (int choice = 0; choice < 4; ++choice) {
      char name[100];
      question q;
      make_question(&q, COR, name, &x, choice / 2 ? &y : NULL);
      q.cor.method = (gpugeo_cor_method)(choice % 2);
      q.cor.use = GPUGEO_COR_USE_PAIRWISE;
      snprintf(name, sizeof name, "cor, %s, choice %d", data_name(kinds[k]), choice);
      CHECK(!gpugeo_cor_size(q.x, q.y, &q.cor, q.type, &q.size, NULL), "%s", name);
      q.size *= 8;
      ask(&q, work, 2);
    }
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
  }
}

static void test_neighbors(void) {
  static const int64_t work[] = {0, 1};
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_COSINE,
                                          GPUGEO_METRIC_MANHATTAN};
  const int64_t nx = 900, ny = 400, m = 4;
  for (int k = 0; k < 2; ++k) {
    double *x_points = data_points(kinds[k], nx, m, 7), *y_points = data_points(kinds[k], ny, m, 8);
    const gpugeo_matrix x = data_matrix(x_points, nx, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    const gpugeo_matrix y = data_matrix(y_points, ny, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    for (size_t j = 0; j < sizeof metrics / sizeof *metrics; ++j)
      for (int choice = 0; choice < 4; ++choice) {
        char name[100];
        question q;
        make_question(&q, choice % 2 ? KNN : RADIUS, name, &x, choice / 2 ? &y : NULL);
        q.knn.metric.kind = metrics[j];
        q.knn.k = 9;
        q.knn.radius = 0.3;
        const int64_t queries = choice / 2 ? ny : nx;
        q.size = choice % 2 ? queries * q.knn.k * (int64_t)(sizeof(double) + sizeof(int32_t))
                            : (queries + 1) * 8 + queries * nx * 12;
        snprintf(name, sizeof name, "%s, %s, %s, %s", choice % 2 ? "nearest" : "radius",
                 gpugeo_name(GPUGEO_ENUM_METRIC, metrics[j]), data_name(kinds[k]),
                 q.y ? "query" : "within");
        ask(&q, work, 2);
      }
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
  }
}

/* So many points that a device leaves out candidates in half precision. */
static void test_many_neighbors(void) {
  static const int64_t work[] = {0};
  const int64_t n = 12000, m = 4;
  double *points = data_points(DATA_RANDOM, n, m, 12);
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  question q;
  make_question(&q, KNN, "nearest of many", &x, NULL);
  q.knn.k = 9;
  q.size = n * q.knn.k * (int64_t)(sizeof(double) + sizeof(int32_t));
  ask(&q, work, 1);
  make_question(&q, RADIUS, "near ones of many", &x, NULL);
  q.knn.radius = 0.15; /* some two neighbours each */
  q.size = (n + 1) * 8 + n * 20 * 12;
  ask(&q, work, 1);
  free(points);
  free((void *)x.data);
}

/* --- sparse points ---------------------------------------------------------------------------- */

/* n points of 40 * step coordinates, of which 40 are not 0: one in each `step`. To be freed by
   free_sparse(). */
typedef struct sparse_rows {
  gpugeo_matrix matrix;
  gpugeo_sparse sparse;
  int32_t *start, *index;
  double *value;
} sparse_rows;

enum { ELEMENTS = 40 };

static void make_sparse(int64_t n, int64_t step, uint64_t seed, sparse_rows *made) {
  dice d = {seed * 2654435761u + 88172645463325252u};
  made->start = malloc((size_t)(n + 1) * sizeof *made->start);
  made->index = malloc((size_t)(n * ELEMENTS) * sizeof *made->index);
  made->value = malloc((size_t)(n * ELEMENTS) * sizeof *made->value);
  for (int64_t e = 0; e < n * ELEMENTS; ++e) {
    made->index[e] = (int32_t)(e % ELEMENTS * step + (int64_t)dice_whole(&d, step - 1));
    made->value[e] = 1 + (double)dice_whole(&d, 5);
  }
  for (int64_t i = 0; i <= n; ++i)
    made->start[i] = (int32_t)(i * ELEMENTS);
  made->sparse = (gpugeo_sparse){made->start, made->index, 4, 1, n * ELEMENTS};
  made->matrix =
      (gpugeo_matrix){made->value, GPUGEO_TYPE_DOUBLE, n, ELEMENTS * step, 0, &made->sparse};
}

static void free_sparse(sparse_rows *made) {
  free(made->start);
  free(made->index);
  free(made->value);
}

/* Checks the device memory of one thread on one device: the points as they are stored, at most
   16 bytes an element, the result, and 256 MiB. */
static void check_memory(question *q) {
  const int64_t stored = (q->x->sparse->stored + (q->y ? q->y->sparse->stored : 0)) * 16;
  const int64_t allowed = stored + q->size + (256 << 20);
  char *out = malloc((size_t)q->size);
  gpugeo_error error = {0};
  gpugeo_run *run = run_of(q);
  run->backend = GPUGEO_BACKEND_CUDA;
  run->device = 0;
  run->work_bytes = 0;
  set_workers(1);
  all->most_bytes = all->bytes;
  CHECK(!answer(q, out, NULL, &error), "%s: %s", q->name, error.message);
  CHECK(all == &none || all->most_bytes > stored / 2, "%s: %lld bytes are too few", q->name,
        (long long)all->most_bytes);
  CHECK(all->most_bytes <= allowed, "%s: %lld bytes of device memory, not at most %lld", q->name,
        (long long)all->most_bytes, (long long)allowed);
  set_workers(0);
  free(out);
}

/* Points that would take 640 MB if they were dense: panels of them are, with the filter in half
   precision, or, with less memory, without it. */
static void test_sparse_neighbors(void) {
  static const int64_t work[] = {0, 1 << 22};
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_COSINE,
                                          GPUGEO_METRIC_MANHATTAN, GPUGEO_METRIC_SPEARMAN};
  static const double radii[] = {30, 0.91, 235, 0.934};
  sparse_rows x, y;
  const int64_t queries = CHECK_SMALL ? 60 : 900;
  make_sparse(CHECK_SMALL ? 2500 : 20000, 100, 31, &x);
  make_sparse(queries, 100, 32, &y);
  for (size_t j = 0; j < sizeof metrics / sizeof *metrics; ++j)
    for (int choice = 0; choice < 2; ++choice) {
      if (check_leaves_out(3)) continue;
      char name[100];
      question q;
      make_question(&q, choice ? KNN : RADIUS, name, &x.matrix, &y.matrix);
      q.knn.metric.kind = metrics[j];
      q.knn.k = 9;
      q.knn.radius = radii[j];
      q.size = choice ? queries * q.knn.k * 12 : (queries + 1) * 8 + queries * 400 * 12;
      snprintf(name, sizeof name, "%s of sparse points, %s", choice ? "nearest" : "radius",
               gpugeo_name(GPUGEO_ENUM_METRIC, metrics[j]));
      ask(&q, work, j < 2 ? 2 : 1);
      check_memory(&q);
    }
  free_sparse(&x);
  free_sparse(&y);
}

/* --- interrupts ------------------------------------------------------------------------------- */

static gpugeo_status ask_with(question *q, witness *w, void *out, gpugeo_error *error) {
  witness_watch(w, run_of(q));
  return answer(q, out, NULL, error);
}

/* A call is made longer until its hooks are asked, and then stopped where they first were. If that
   call was too fast to be asked, it is made longer. */
static void test_interrupt(kind kind, const manner *how) {
  const int64_t most = 1 << 14;
  const char *name = kind == DIST ? "interrupted distances" : "interrupted neighbours";
  set_workers(how->workers);
  gg_clock_set_polls(1);
  for (int64_t n = 1000, m = 8;; n < most ? (n *= 2) : (m *= 2)) {
    double *points = data_points(DATA_RANDOM, n, m, 9);
    const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    question q;
    make_question(&q, kind, name, &x, NULL);
    q.dist.metric.kind = q.knn.metric.kind = GPUGEO_METRIC_MINKOWSKI;
    q.dist.metric.p = q.knn.metric.p = 2.3;
    q.knn.k = 3;
    q.size = kind == DIST ? n * (n - 1) / 2 * 8 : n * q.knn.k * 12;
    run_of(&q)->backend = GPUGEO_BACKEND_CUDA;
    run_of(&q)->device = how->device;
    run_of(&q)->work_bytes = 1 << 20;
    char *out = malloc((size_t)q.size);
    witness w = {0}, stopping = {.stop_at = 1};
    gpugeo_error error = {0};
    CHECK(!ask_with(&q, &w, out, &error), "%s: %s", name, error.message);
    CHECK(!w.strangers && !w.backwards && !w.beyond,
          "%s: %d calls of hooks on other threads; progress went backwards or left [0, 1]: %d",
          name, w.strangers, w.backwards || w.beyond);
    gpugeo_status status = GPUGEO_OK;
    if (w.asked >= 3) status = ask_with(&q, &stopping, out, &error);
    const bool enough = stopping.asked > 0;
    if (enough) {
      CHECK(status == GPUGEO_ERROR_INTERRUPT && strcmp(error.message, "interrupted") == 0,
            "%s: status %d, \"%s\"", name, status, error.message);
      CHECK(stopping.asked == 1 && !stopping.strangers, "%s: asked %d times, %d on other threads",
            name, stopping.asked, stopping.strangers);
      CHECK(all->live == 0, "%s: %d pieces of device memory are left", name, all->live);
    }
    free(points);
    free(out);
    free((void *)x.data);
    if (enough || !CHECK(m < 4096, "%s: no call is long enough for the hooks", name)) break;
  }
  gg_clock_set_polls(0);
  set_workers(0);
}

/* --- failures --------------------------------------------------------------------------------- */

/* Fails the n-th request for device memory, for every n: the call fails, says on which device, and
   the next one has the same bits. */
static void test_failures(question *q, const manner *how, int code, gpugeo_status expected,
                          const char *text) {
  char *first = malloc((size_t)q->size), *other = malloc((size_t)q->size);
  gpugeo_error error = {0};
  gpugeo_run *run = run_of(q);
  run->backend = GPUGEO_BACKEND_CUDA;
  run->device = how->device;
  run->work_bytes = 1;
  set_workers(how->workers);
  memset(first, 0x11, (size_t)q->size);
  CHECK(!answer(q, first, NULL, &error), "%s: %s", q->name, error.message);
  int failed = 0;
  for (int n = 1; n < 1000; ++n) {
    all->requests = 0;
    all->fails_at = n;
    all->failure = code;
    error = (gpugeo_error){0};
    const gpugeo_status status = answer(q, other, NULL, &error);
    const bool reached = all->requests >= n;
    all->fails_at = 0;
    CHECK(all->live == 0, "%s: %d pieces of device memory are left, request %d failed", q->name,
          all->live, n);
    if (!reached) break;
    ++failed;
    CHECK(status == expected && strstr(error.message, text), "%s: status %d, \"%s\"", q->name,
          status, error.message);
    memset(other, 0x11, (size_t)q->size);
    CHECK(!answer(q, other, NULL, &error), "%s: after a failure: %s", q->name, error.message);
    CHECK(memcmp(first, other, (size_t)q->size) == 0, "%s: other bits after a failure", q->name);
  }
  CHECK(failed >= how->devices, "%s: only %d requests for device memory", q->name, failed);
  set_workers(0);
  free(first);
  free(other);
}

static void test_all_failures(const manner *how) {
  const int64_t n = CHECK_SMALL ? 60 : 300, m = 3;
  double *points = data_points(DATA_RANDOM, n, m, 10);
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  question q;
  for (int k = 0; k < 4; ++k) {
    make_question(&q, (kind)k, "a failing device", &x, NULL);
    q.cor.method = GPUGEO_COR_METHOD_SPEARMAN;
    q.knn.k = 2;
    q.knn.radius = 0.1;
    q.size = k == DIST  ? n * (n - 1) / 2 * 8
             : k == COR ? m * m * 8
             : k == KNN ? n * q.knn.k * 12
                        : (n + 1) * 8 + n * n * 12;
    test_failures(&q, how, NO_MEMORY, GPUGEO_ERROR_MEMORY, "MiB of memory on CUDA device ");
    test_failures(&q, how, NOT_AVAILABLE, GPUGEO_ERROR_DEVICE,
                  " is lost or not available: cudaMalloc failed: ");
  }
  free(points);
  free((void *)x.data);
}

/* --- the argument ----------------------------------------------------------------------------- */

static void test_argument(void) {
  static const struct {
    const char *text;
    double value;
    int32_t device; /* -2: an error */
    const char *message;
  } cases[] = {
      {"all", 0, GPUGEO_DEVICE_ALL, NULL},
      {NULL, 0, 0, NULL},
      {NULL, 99, 99, NULL},
      {NULL, -1, -2, "device must be \"all\" or a whole number of at least 0, not -1"},
      {NULL, 1.5, -2, "device must be \"all\" or a whole number of at least 0, not 1.5"},
      {NULL, NAN, -2, "device must be \"all\" or a whole number of at least 0, not NaN"},
      {NULL, 3e9, -2,
       "device must be \"all\" or a whole number between 0 and 2147483647, not 3000000000"},
      {"x", 0, -2, "device must be \"all\" or a whole number of at least 0, not \"x\""},
      {"0", 0, -2, "device must be \"all\" or a whole number of at least 0, not \"0\""},
      {"", 0, -2, "device must be \"all\" or a whole number of at least 0, not \"\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int32_t device = -2;
    gpugeo_error error = {0};
    gg_given given = gg_given_number(cases[i].value);
    if (cases[i].text) gg_item_text(&given.items[0], cases[i].text);
    const gpugeo_status status = gg_device_number(&given, &device, &error);
    CHECK(status == (cases[i].message ? GPUGEO_ERROR_ARGUMENT : GPUGEO_OK) &&
              device == cases[i].device,
          "case %d: status %d, device %d", (int)i, status, device);
    if (cases[i].message)
      CHECK(strcmp(error.message, cases[i].message) == 0 && strcmp(error.argument, "device") == 0,
            "\"%s\"", error.message);
  }
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  CHECK(run.device == GPUGEO_DEVICE_ALL, "the default is device %d", run.device);
}

int main(int count, char *arguments[]) {
  if (count > 0) load_failing_devices(arguments[0]);
  test_argument();
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(5, "CUDA: not present (%s), nothing is computed on several devices", error.message);
    return check_end();
  }
  make_manners(gpugeo_device_count());
  test_distances();
  test_correlations();
  test_neighbors();
  test_many_neighbors();
  test_sparse_neighbors();
  for (int m = 0; m < manner_count; ++m) {
    test_interrupt(DIST, &manners[m]);
    test_interrupt(KNN, &manners[m]);
  }
  test_all_failures(&manners[0]);
  if (gpugeo_device_count() > 1) test_all_failures(&manners[2]);
  return check_end();
}

/*
 * An allocator that fails the n-th request, for every n: each call then fails with
 * GPUGEO_ERROR_MEMORY, or does without, and has freed all it took.
 *
 * Linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,
 * --wrap=aligned_alloc,--wrap=free, so that the requests of the core, and only those, come here.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);

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

void *__wrap_malloc(size_t size) { return refused() ? NULL : counted(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
  return refused() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
  if (refused()) return NULL;
  void *moved = __real_realloc(block, size);
  return block ? moved : counted(moved);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
  if (refused()) return ENOMEM;
  const int status = __real_posix_memalign(block, alignment, size);
  if (status == 0) (void)counted(*block);
  return status;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refused() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *block) {
  if (block) __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
  __real_free(block);
}

/* A call to try. */
typedef struct trial {
  const char *name;
  bool correlation;
  const gpugeo_matrix *x, *y;
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  gpugeo_closest_options *closest; /* NULL for others */
} trial;

static gpugeo_status call(const trial *t, double *out, gpugeo_error *error) {
  if (t->closest) {
    static gpugeo_pair pairs[64];
    int64_t found, ties;
    return gpugeo_closest_pair(t->x, t->y, t->closest, pairs, &found, &ties, NULL, error);
  }
  return t->correlation ? gpugeo_cor(t->x, t->y, &t->cor, GPUGEO_DOUBLE, out, NULL, error)
                        : gpugeo_dist(t->x, t->y, &t->dist, GPUGEO_DOUBLE, out, NULL, error);
}

/* Fails the first request, then the second, ... until the call gets along without. */
static void try_all(const trial *t, double *out) {
  for (int n = 1;; ++n) {
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
  for (int metric = 0; metric < GPUGEO_METRICS; ++metric)
    for (int choice = 0; choice < 4; ++choice) {
      trial t = {.name = name, .x = x, .y = choice / 2 ? y : NULL};
      gpugeo_dist_options_init(&t.dist);
      t.dist.metric = (gpugeo_metric)metric;
      t.dist.p = 1.7;
      t.dist.layout = t.y ? GPUGEO_FULL : GPUGEO_CONDENSED;
      t.dist.run.backend = GPUGEO_CPU;
      t.dist.run.threads = 2;
      t.dist.run.precision = (gpugeo_precision)(choice % 2);
      t.dist.run.work_bytes = choice % 2; /* in one piece, and in many */
      if (metric == GPUGEO_SEUCLIDEAN) {
        t.dist.scale = scale;
        t.dist.scale_length = COORDINATES;
      }
      if (metric == GPUGEO_MAHALANOBIS)
        t.dist.cov = (gpugeo_matrix){cov, GPUGEO_DOUBLE, COORDINATES, COORDINATES, COORDINATES};
      snprintf(name, sizeof name, "%s, %s points, choice %d", gpugeo_metric_name(t.dist.metric),
               what, choice);
      try_all(&t, out);
    }
}

/* The metrics that take their parameters from x. */
static void try_defaults(double *out) {
  static double values[20 * 3];
  for (int i = 0; i < 60; ++i)
    values[i] = sin(i * i);
  const gpugeo_matrix x = {values, GPUGEO_DOUBLE, 20, 3, 20};
  for (int i = 0; i < 2; ++i) {
    trial t = {.name = i ? "default covariance" : "default scale", .x = &x};
    gpugeo_dist_options_init(&t.dist);
    t.dist.metric = i ? GPUGEO_MAHALANOBIS : GPUGEO_SEUCLIDEAN;
    t.dist.run.backend = GPUGEO_CPU;
    try_all(&t, out);
  }
}

static void try_correlations(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *what,
                             double *out) {
  static const gpugeo_use uses[] = {GPUGEO_EVERYTHING, GPUGEO_NA_OR_COMPLETE, GPUGEO_PAIRWISE};
  char name[128];
  for (int choice = 0; choice < 12; ++choice) {
    trial t = {.name = name, .correlation = true, .x = x, .y = choice / 6 ? y : NULL};
    gpugeo_cor_options_init(&t.cor);
    t.cor.method = (gpugeo_cor_method)(choice % 2);
    t.cor.use = uses[choice / 2 % 3];
    t.cor.run.backend = GPUGEO_CPU;
    t.cor.run.threads = 2;
    snprintf(name, sizeof name, "cor, %s points, choice %d", what, choice);
    try_all(&t, out);
  }
}

/* Few points and many, apart and coincident, and all methods. */
static void try_closest(double *out) {
  enum { MOST = 3000 };
  static double values[2 * MOST];
  char name[128];
  for (int choice = 0; choice < 4; ++choice)
    for (int method = GPUGEO_CLOSEST_GRID; method < GPUGEO_CLOSEST_METHODS; ++method)
      for (int kind = 0; kind < 3; ++kind) {
        const int64_t n = choice % 2 ? MOST : 50, ny = n / 2;
        const bool between = choice / 2, sphere = kind == 2;
        if (method != GPUGEO_CLOSEST_GRID && (between || sphere)) continue;
        for (int64_t i = 0; i < 2 * n; ++i)
          values[i] = kind == 1 ? (double)(i % 3) : 80 * sin((double)(i * i));
        const gpugeo_matrix x = {values, GPUGEO_DOUBLE, n, 2, n};
        const gpugeo_matrix y = {values, GPUGEO_DOUBLE, ny, 2, n};
        gpugeo_closest_options options;
        gpugeo_closest_options_init(&options);
        options.method = (gpugeo_closest_method)method;
        options.metric = sphere ? GPUGEO_CLOSEST_GREAT_CIRCLE : GPUGEO_CLOSEST_EUCLIDEAN;
        options.k = 64;
        options.run.backend = GPUGEO_CPU;
        options.run.threads = 2;
        trial t = {.name = name, .x = &x, .y = between ? &y : NULL, .closest = &options};
        snprintf(name, sizeof name, "closest, method %d, kind %d, choice %d", method, kind, choice);
        try_all(&t, out);
      }
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
    gpugeo_matrix x = data_matrix(x_points, POINTS, COORDINATES, GPUGEO_DOUBLE, GPUGEO_ROWS, 0);
    gpugeo_matrix y = data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_DOUBLE, GPUGEO_ROWS, 0);
    try_distances(&x, &y, data_name(kinds[k]), scale, cov, out);
    /* The same numbers as columns, for correlations. */
    gpugeo_matrix a = data_matrix(x_points, POINTS, COORDINATES, GPUGEO_DOUBLE, GPUGEO_COLUMNS, 0);
    gpugeo_matrix b = data_matrix(y_points, OTHERS, COORDINATES, GPUGEO_DOUBLE, GPUGEO_COLUMNS, 0);
    try_correlations(&a, &b, data_name(kinds[k]), out);
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
    free((void *)a.data);
    free((void *)b.data);
  }
  try_defaults(out);
  try_closest(out);
  free(out);
  CHECK(live == before, "%d blocks are left at the end", live - before);
  return check_end();
}

/*
 * The same bits whatever the number of threads, the working memory, the vector instructions and the
 * backend: what gpugeo.h futures of gpugeo_dist and gpugeo_cor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

/* What must not change a result. */
typedef struct manner {
  gpugeo_backend backend;
  gg_simd simd;
  int32_t threads;
  int64_t work_bytes;
} manner;

/* One question; its answer is count values of the type. */
typedef struct question {
  const char *name;
  const gpugeo_matrix *x, *y;
  gpugeo_type type;
  int64_t count;
  bool correlation;
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
} question;

static const char *const simd_names[] = {GG_SIMD_NAMES};

static bool answer(question *q, const manner *how, void *out) {
  gpugeo_run *run = q->correlation ? &q->cor.run : &q->dist.run;
  run->backend = how->backend;
  run->threads = how->threads;
  run->work_bytes = how->work_bytes;
  gg_set_simd(how->simd);
  gpugeo_error error;
  gpugeo_status status = q->correlation
                             ? gpugeo_cor(q->x, q->y, &q->cor, q->type, out, NULL, &error)
                             : gpugeo_dist(q->x, q->y, &q->dist, q->type, out, NULL, &error);
  return CHECK(!status, "%s: %s", q->name, status ? error.message : "");
}

/* Asks once plainly, then in every other manner, and compares all bits. */
static void ask(question *q, gg_simd widest, bool cuda) {
  static const int32_t threads[] = {2, 3, 5};
  static const int64_t work[] = {1, 40000, (int64_t)1 << 30};
  const size_t size =
      (size_t)q->count * (q->type == GPUGEO_TYPE_FLOAT ? sizeof(float) : sizeof(double));
  char *first = malloc(size), *other = malloc(size);
  manner manners[16];
  int count = 0;
  const manner usual = {GPUGEO_BACKEND_CPU, widest, 1, 0};
  for (int i = 0; i < 3; ++i) {
    manners[count] = usual;
    manners[count++].threads = threads[i];
    manners[count] = usual;
    manners[count].threads = i + 1;
    manners[count++].work_bytes = work[i];
  }
  for (int simd = 0; simd < (int)widest; ++simd) {
    manners[count] = usual;
    manners[count++].simd = (gg_simd)simd;
  }
  for (int i = 0; cuda && i < 2; ++i) {
    manners[count] = usual;
    manners[count].backend = GPUGEO_BACKEND_CUDA;
    manners[count++].work_bytes = i ? 4 << 20 : 0;
  }
  memset(first, 0x11, size);
  if (answer(q, &usual, first)) {
    for (int i = 0; i < count; ++i) {
      if (manners[i].backend == GPUGEO_BACKEND_CUDA && check_leaves_out(7)) continue;
      memset(other, 0x22, size);
      if (!answer(q, &manners[i], other)) continue;
      CHECK(memcmp(first, other, size) == 0,
            "%s: other bits on %s with %s, %d threads and %lld bytes of working memory", q->name,
            gpugeo_name(GPUGEO_ENUM_BACKEND, manners[i].backend), simd_names[manners[i].simd],
            manners[i].threads, (long long)manners[i].work_bytes);
    }
  }
  free(first);
  free(other);
}

/* Calls with both precisions and types of result, within x and between x and y. */
static void ask_all(question *q, gg_simd widest, bool cuda, const gpugeo_matrix *x,
                    const gpugeo_matrix *y, const char *what) {
  char name[200];
  gpugeo_run *run = q->correlation ? &q->cor.run : &q->dist.run;
  for (int choice = 0; choice < 4; ++choice) {
    run->precision = (gpugeo_precision)(choice % 2);
    q->type = choice % 2 ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
    q->x = x;
    q->y = choice / 2 ? y : NULL;
    q->dist.shape = q->y ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
    q->count = 0;
    if (q->correlation)
      (void)gpugeo_cor_size(q->x, q->y, &q->cor, q->type, &q->count, NULL);
    else
      (void)gpugeo_dist_size(q->x, q->y, &q->dist, q->type, &q->count, NULL);
    snprintf(name, sizeof name, "%s, %s precision, %s", what,
             run->precision == GPUGEO_PRECISION_SINGLE ? "single" : "double",
             q->y ? "x and y" : "within x");
    q->name = name;
    ask(q, widest, cuda);
  }
}

/* Returns a copy of points, whose columns are numeric, nominal and asymmetric in turn, and writes
   these types. Points are one after another. */
static double *mixed(const double *points, int64_t n, int64_t m, double *types) {
  double *made = malloc((size_t)(n * m) * sizeof *made);
  for (int64_t k = 0; k < m; ++k) {
    types[k] = (double)(k % 3);
    for (int64_t i = 0; i < n; ++i) {
      const double v = points[i * m + k];
      const bool odd = isnan(v) || k % 3 == 0;
      made[i * m + k] = odd ? v : k % 3 == 1 ? fmod(floor(fabs(fmod(v, 100))), 4) : v > 0;
      if (k % 3 == 1 && isinf(v)) made[i * m + k] = NAN;
    }
  }
  return made;
}

static void test_distances(gg_simd widest, bool cuda) {
  static const struct {
    gpugeo_metric metric;
    double p;
  } jobs[] = {{GPUGEO_METRIC_EUCLIDEAN, 2},    {GPUGEO_METRIC_SQEUCLIDEAN, 2},
              {GPUGEO_METRIC_MANHATTAN, 2},    {GPUGEO_METRIC_MAXIMUM, 2},
              {GPUGEO_METRIC_CANBERRA, 2},     {GPUGEO_METRIC_BINARY, 2},
              {GPUGEO_METRIC_SEUCLIDEAN, 2},   {GPUGEO_METRIC_MAHALANOBIS, 2},
              {GPUGEO_METRIC_COSINE, 2},       {GPUGEO_METRIC_PEARSON, 2},
              {GPUGEO_METRIC_SPEARMAN, 2},     {GPUGEO_METRIC_BRAYCURTIS, 2},
              {GPUGEO_METRIC_HAMMING, 2},      {GPUGEO_METRIC_JACCARD, 2},
              {GPUGEO_METRIC_MINKOWSKI, 1.5},  {GPUGEO_METRIC_MINKOWSKI, 3},
              {GPUGEO_METRIC_MINKOWSKI, 0.7},  {GPUGEO_METRIC_MINKOWSKI, INFINITY},
              {GPUGEO_METRIC_GOWER, 2},        {GPUGEO_METRIC_KULCZYNSKI, 2},
              {GPUGEO_METRIC_CLARK, 2},        {GPUGEO_METRIC_ALTGOWER, 2},
              {GPUGEO_METRIC_MORISITA, 2},     {GPUGEO_METRIC_HORN, 2},
              {GPUGEO_METRIC_MOUNTFORD, 2},    {GPUGEO_METRIC_RAUP, 2},
              {GPUGEO_METRIC_BINOMIAL, 2},     {GPUGEO_METRIC_CHAO, 2},
              {GPUGEO_METRIC_CAO, 2},          {GPUGEO_METRIC_SQUARED_CHORD, 2},
              {GPUGEO_METRIC_WAVE_HEDGES, 2},  {GPUGEO_METRIC_LORENTZIAN, 2},
              {GPUGEO_METRIC_SOERGEL, 2},      {GPUGEO_METRIC_OCHIAI, 2},
              {GPUGEO_METRIC_JS, 2},           {GPUGEO_METRIC_JEFFREYS, 2},
              {GPUGEO_METRIC_BHATTACHARYYA, 2}};
  static const data_kind kinds[] = {DATA_RANDOM, DATA_MISSING, DATA_INFINITE, DATA_HUGE,
                                    DATA_DENORMAL};
  /* Few coordinates; and more than a kernel takes at a time. */
  static const int64_t sizes[][3] = {{75, 37, 9}, {19, 17, 260}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (size_t k = 0; k < (CHECK_SMALL ? 2 : sizeof kinds / sizeof *kinds); ++k) {
      const int64_t nx = sizes[s][0], ny = sizes[s][1], m = sizes[s][2];
      double *x_points = data_points(kinds[k], nx, m, 3),
             *y_points = data_points(kinds[k], ny, m, 4);
      double *scale = malloc((size_t)m * sizeof *scale),
             *cov = calloc((size_t)(m * m), sizeof *cov);
      /* Half of the columns of Gower's coefficient have whole numbers, and few of them 0 and 1. */
      double *types = malloc((size_t)m * sizeof *types), *x_mixed = mixed(x_points, nx, m, types),
             *y_mixed = mixed(y_points, ny, m, types);
      for (int64_t i = 0; i < m; ++i) {
        scale[i] = 1 + (double)(i % 3) / 7;
        cov[i * m + i] = 2 + (double)(i % 5);
        if (i > 0) cov[i * m + i - 1] = cov[(i - 1) * m + i] = 0.3;
      }
      gpugeo_matrix x = data_matrix(x_points, nx, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
      gpugeo_matrix y = data_matrix(y_points, ny, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
      gpugeo_matrix x_gower =
          data_matrix(x_mixed, nx, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
      gpugeo_matrix y_gower =
          data_matrix(y_mixed, ny, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
      for (size_t j = 0; j < sizeof jobs / sizeof *jobs; ++j) {
        const bool gower = jobs[j].metric == GPUGEO_METRIC_GOWER;
        question q = {0};
        gpugeo_dist_options_init(&q.dist, sizeof q.dist);
        q.dist.metric.kind = jobs[j].metric;
        q.dist.metric.p = jobs[j].p;
        if (q.dist.metric.kind == GPUGEO_METRIC_SEUCLIDEAN)
          q.dist.metric.scale = scale, q.dist.metric.scale_length = m;
        if (q.dist.metric.kind == GPUGEO_METRIC_MAHALANOBIS)
          q.dist.metric.cov = (gpugeo_matrix){cov, GPUGEO_TYPE_DOUBLE, m, m, m, NULL};
        if (gower) {
          q.dist.metric.types = types, q.dist.metric.types_length = m;
          q.dist.metric.column_weights = scale, q.dist.metric.weights_length = m;
        }
        char what[100];
        snprintf(what, sizeof what, "%s p %g, %s points of %lld",
                 gpugeo_name(GPUGEO_ENUM_METRIC, q.dist.metric.kind), q.dist.metric.p,
                 data_name(kinds[k]), (long long)m);
        ask_all(&q, widest, cuda, gower ? &x_gower : &x, gower ? &y_gower : &y, what);
      }
      free(x_points);
      free(y_points);
      free(scale);
      free(cov);
      free(types);
      free(x_mixed);
      free(y_mixed);
      free((void *)x_gower.data);
      free((void *)y_gower.data);
      free((void *)x.data);
      free((void *)y.data);
    }
}

/* Points that are nearly parallel, some of them copies and multiples of others, among others. */
static void test_parallel(gg_simd widest, bool cuda) {
  enum { NX = 150, NY = 37, M = 300 };
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_COSINE, GPUGEO_METRIC_PEARSON,
                                          GPUGEO_METRIC_SPEARMAN};
  double *x_points = data_points(DATA_RANDOM, NX, M, 3),
         *y_points = data_points(DATA_RANDOM, NY, M, 4);
  dice d = {5};
  for (int64_t i = 0; i < NX + NY; ++i)
    for (int64_t k = 0; k < M && i % 4; ++k) {
      double *at = i < NX ? x_points + i * M : y_points + (i - NX) * M;
      const double noise = i % 4 == 3 ? dice_real(&d) * ldexp(1, -(int)(i % 30)) : 0;
      at[k] = x_points[k] * (i % 4 == 2 ? 3 : 1) + noise;
    }
  gpugeo_matrix x = data_matrix(x_points, NX, M, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
  gpugeo_matrix y = data_matrix(y_points, NY, M, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  for (int j = 0; j < 3; ++j) {
    question q = {0};
    gpugeo_dist_options_init(&q.dist, sizeof q.dist);
    q.dist.metric.kind = metrics[j];
    ask_all(&q, widest, cuda, &x, &y, "parallel points");
  }
  double *distance = malloc(sizeof(double) * NX * NX);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.shape = GPUGEO_SHAPE_FULL;
  options.metric.kind = GPUGEO_METRIC_PEARSON;
  CHECK(!gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, distance, NULL, NULL), "no distances");
  for (int64_t i = 0; i < NX; ++i)
    for (int64_t j = 0; j < NX; ++j)
      if (i % 4 == 1 && j % 4 == 1)
        CHECK(distance[i + j * NX] == 0, "copies at %g", distance[i + j * NX]);
  free(distance);
  free(x_points);
  free(y_points);
  free((void *)x.data);
  free((void *)y.data);
}

/* Constant and dependent columns, which are left out or have a pseudoinverse. */
static void test_singular(gg_simd widest, bool cuda) {
  enum { NX = 75, NY = 37, M = 9 };
  double *x_points = data_points(DATA_RANDOM, NX, M, 3),
         *y_points = data_points(DATA_RANDOM, NY, M, 4);
  for (int64_t i = 0; i < NX; ++i) {
    x_points[i * M + 4] = x_points[i * M] - 2 * x_points[i * M + 2];
    x_points[i * M + 7] = 3;
  }
  gpugeo_matrix x = data_matrix(x_points, NX, M, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
  gpugeo_matrix y = data_matrix(y_points, NY, M, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  for (int choice = 0; choice < 4; ++choice) {
    question q = {0};
    gpugeo_dist_options_init(&q.dist, sizeof q.dist);
    q.dist.metric.kind = choice / 2 ? GPUGEO_METRIC_MAHALANOBIS : GPUGEO_METRIC_SEUCLIDEAN;
    q.dist.metric.singular = choice % 2 ? GPUGEO_SINGULAR_PINV : GPUGEO_SINGULAR_DROP;
    char what[100];
    snprintf(what, sizeof what, "%s of singular data, %s",
             gpugeo_name(GPUGEO_ENUM_METRIC, q.dist.metric.kind),
             gpugeo_name(GPUGEO_ENUM_SINGULAR, (int32_t)q.dist.metric.singular));
    ask_all(&q, widest, cuda, &x, &y, what);
  }
  free(x_points);
  free(y_points);
  free((void *)x.data);
  free((void *)y.data);
}

static void test_correlations(gg_simd widest, bool cuda) {
  static const data_kind kinds[] = {DATA_RANDOM, DATA_MISSING, DATA_WHOLE, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    /* The first column of the missing ones has no value at all. */
    double *x_points = data_points(kinds[k], 33, 61, 5),
           *y_points = data_points(kinds[k], 18, 61, 6);
    gpugeo_matrix x = data_matrix(x_points, 33, 61, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
    gpugeo_matrix y = data_matrix(y_points, 18, 61, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 2);
    for (int choice = 0; choice < 24; ++choice) {
      static const gpugeo_cor_use uses[] = {GPUGEO_COR_USE_EVERYTHING,
                                            GPUGEO_COR_USE_NA_OR_COMPLETE, GPUGEO_COR_USE_PAIRWISE};
      question q = {.correlation = true};
      gpugeo_cor_options_init(&q.cor, sizeof q.cor);
      q.cor.method = (gpugeo_cor_method)(choice % 2);
      q.cor.use = uses[choice / 2 % 3];
      q.cor.covariance = (gpugeo_covariance)(choice / 6);
      if (q.cor.covariance && q.cor.method == GPUGEO_COR_METHOD_SPEARMAN &&
          q.cor.use == GPUGEO_COR_USE_PAIRWISE)
        continue; /* refused */
      char what[100];
      snprintf(what, sizeof what, "cor method %d, use %d, covariance %d, %s", q.cor.method,
               q.cor.use, q.cor.covariance, data_name(kinds[k]));
      ask_all(&q, widest, cuda, &x, &y, what);
    }
    free(x_points);
    free(y_points);
    free((void *)x.data);
    free((void *)y.data);
  }
}

/* A pair has the same bits in a condensed, a full and a rectangular result. */
static void test_shapes(void) {
  const int64_t n = 67, m = 12;
  static const data_kind kinds[] = {DATA_RANDOM, DATA_MISSING};
  for (int k = 0; k < 2; ++k) {
    double *points = data_points(kinds[k], n, m, 8);
    gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
    double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
    double *full = malloc((size_t)(n * n) * sizeof *full);
    double *between = malloc((size_t)(n * n) * sizeof *between);
    for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) {
      if (metric == GPUGEO_METRIC_MAHALANOBIS && kinds[k] == DATA_MISSING)
        continue; /* no complete row */
      if (metric == GPUGEO_METRIC_SEUCLIDEAN && kinds[k] == DATA_MISSING) continue;
      gpugeo_dist_options options;
      gpugeo_dist_options_init(&options, sizeof options);
      options.metric.kind = (gpugeo_metric)metric;
      options.metric.p = 1.7;
      gpugeo_status status =
          gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL);
      options.shape = GPUGEO_SHAPE_FULL;
      status =
          status ? status : gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, full, NULL, NULL);
      status =
          status ? status : gpugeo_dist(&x, &x, &options, GPUGEO_TYPE_DOUBLE, between, NULL, NULL);
      CHECK(!status, "%s: status %d", gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind), status);
      int64_t wrong = 0, at = 0;
      for (int64_t j = 0; !status && j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i, ++at) {
          wrong += memcmp(&condensed[at], &full[i + j * n], sizeof *full) != 0;
          wrong += memcmp(&condensed[at], &full[j + i * n], sizeof *full) != 0;
          wrong += memcmp(&condensed[at], &between[i + j * n], sizeof *full) != 0;
        }
      CHECK(wrong == 0, "%s, %s: %lld pairs have other bits in another layout",
            gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind), data_name(kinds[k]),
            (long long)wrong);
    }
    free(points);
    free(condensed);
    free(full);
    free(between);
    free((void *)x.data);
  }
}

/* Layouts of a graph with many components, of which the largest has `largest` vertices. */
static void ask_layout(int64_t largest, const gpugeo_layout_options *asked, gg_simd widest) {
  const int64_t n = largest + 300, edges = largest + 150;
  int32_t *ends = malloc(sizeof *ends * (size_t)(2 * edges));
  for (int64_t e = 0; e < edges; ++e) { /* a tree, and chains of up to four */
    ends[e] = (int32_t)(e < largest - 1 ? e + 1 : largest + 2 * (e - largest + 1));
    ends[e + edges] = (int32_t)(e < largest - 1 ? e * 7 / 9 : largest + (e - largest + 1) / 2 * 4);
    if (ends[e] >= n) ends[e] = (int32_t)n - 1;
    if (ends[e + edges] >= n) ends[e + edges] = (int32_t)n - 2;
  }
  const gpugeo_graph graph = {.vertices = n,
                              .edges = {ends, GPUGEO_TYPE_INT32, edges, 2, edges, NULL}};
  gpugeo_layout_options options = *asked;
  const size_t size = sizeof(double) * (size_t)(n * options.dim);
  double *first = malloc(size), *other = malloc(size);
  gpugeo_layout_result result, again;
  gpugeo_error error = {0};
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = 1;
  gg_set_simd(widest);
  CHECK(!gpugeo_layout(&graph, &options, first, &result, NULL, &error), "%s", error.message);
  for (int i = 0; i < 3 + (int)widest; ++i) {
    options.run.threads = i < 3 ? i + 2 : 1;
    gg_set_simd(i < 3 ? widest : (gg_simd)(i - 3));
    CHECK(!gpugeo_layout(&graph, &options, other, &again, NULL, &error), "%s", error.message);
    CHECK(memcmp(first, other, size) == 0 && result.energy == again.energy,
          "layout of %lld, %s, multilevel %d: other bits with %d threads and %s", (long long)n,
          gpugeo_name(GPUGEO_ENUM_LAYOUT_REPULSION, options.repulsion), options.multilevel,
          options.run.threads, gpugeo_simd());
  }
  gg_set_simd(widest);
  free(ends);
  free(first);
  free(other);
}

/* Layouts by stress: all vertices as pivots, in double; pivots, in float; and lengths for which
   float does not suffice. */
static void test_stress_layouts(gg_simd widest) {
  for (int choice = 0; choice < 6; ++choice) {
    gpugeo_layout_options options;
    gpugeo_layout_options_init(&options, sizeof options);
    options.algorithm = GPUGEO_LAYOUT_ALGORITHM_STRESS;
    options.dim = 2 + choice % 2;
    options.iterations = 5;
    options.pivots = 70;
    const int64_t edges = choice / 2 ? 1350 : 750;
    double *lengths = malloc(sizeof *lengths * (size_t)edges);
    for (int64_t e = 0; e < edges; ++e)
      lengths[e] = e % 5 ? 1 : 1e-6;
    if (choice / 2 == 2) {
      options.lengths = lengths;
      options.lengths_length = edges;
    }
    ask_layout(edges - 150, &options, widest);
    free(lengths);
  }
}

static void test_layouts(gg_simd widest) {
  for (int choice = 0; choice < 8; ++choice) {
    gpugeo_layout_options options;
    gpugeo_layout_options_init(&options, sizeof options);
    options.dim = 2 + choice % 2;
    options.repulsion =
        choice / 2 % 2 ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT;
    options.multilevel = choice / 4;
    options.iterations = 4;
    options.seed = (uint64_t)choice;
    ask_layout(700, &options, widest);
  }
  gpugeo_layout_options options; /* with more pairs than the energy adds up, 12.5 million */
  gpugeo_layout_options_init(&options, sizeof options);
  options.multilevel = 0;
  options.iterations = 2;
  ask_layout(CHECK_SMALL ? 1200 : 5020, &options, widest);
}

int main(void) {
  const gg_simd widest = gg_context_get()->simd;
  gpugeo_error error;
  const bool cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  printf("widest instructions: %s\n", gpugeo_simd());
  for (size_t simd = widest + 1; simd < sizeof simd_names / sizeof *simd_names; ++simd)
    check_skip(1, "this machine has no %s: its kernels are not compared", simd_names[simd]);
  if (!cuda) check_skip(1, "CUDA: not present (%s), its bits are not compared", error.message);
  test_distances(widest, cuda);
  test_parallel(widest, cuda);
  test_singular(widest, cuda);
  test_correlations(widest, cuda);
  gg_set_simd(widest);
  test_shapes();
  test_layouts(widest);
  test_stress_layouts(widest);
  return check_end();
}

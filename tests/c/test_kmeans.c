/* k-means: against stats::kmeans() of R 4.2.2 from the same centres, against all partitions of few
   points in whole numbers, against Lloyd's algorithm written plainly; and the same bits on any
   number of threads and instruction set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

/* --- A clustering ----------------------------------------------------------------------------- */

typedef struct means {
  int64_t n, p, k;
  int32_t *whole;
  double *real;
  gpugeo_kmeans_result result;
} means;

static means means_make(int64_t n, int64_t p, int64_t k) {
  means m = {n,
             p,
             k,
             calloc((size_t)(n + k), sizeof(int32_t)),
             calloc((size_t)(k * (p + 1)), sizeof(double)),
             {.fault = 0}};
  m.result = (gpugeo_kmeans_result){
      .cluster = m.whole, .sizes = m.whole + n, .centers = m.real, .withinss = m.real + k * p};
  return m;
}

static void means_free(means *m) {
  free(m->whole);
  free(m->real);
}

static bool means_are_same(const means *a, const means *b) {
  return memcmp(a->whole, b->whole, (size_t)(a->n + a->k) * sizeof *a->whole) == 0 &&
         memcmp(a->real, b->real, (size_t)(a->k * (a->p + 1)) * sizeof *a->real) == 0 &&
         a->result.totss == b->result.totss && a->result.iterations == b->result.iterations &&
         a->result.fault == b->result.fault;
}

static double sum_of(const means *m) {
  double sum = 0;
  for (int64_t l = 0; l < m->k; ++l)
    sum += m->result.withinss[l];
  return sum;
}

static gpugeo_matrix view_of(const double *x, int64_t n, int64_t p) {
  return (gpugeo_matrix){x, GPUGEO_TYPE_DOUBLE, n, p, n, NULL};
}

static gpugeo_kmeans_options options_of(gpugeo_kmeans_algorithm algorithm, int64_t k) {
  gpugeo_kmeans_options options;
  gpugeo_kmeans_options_init(&options, sizeof options);
  options.algorithm = algorithm;
  options.k = k;
  options.max_iterations = 50;
  options.run.backend = GPUGEO_BACKEND_CPU;
  return options;
}

/* --- stats::kmeans() -------------------------------------------------------------------------- */

/* x[i + 80 j] = (i^3 + 31 i j + 17 j) mod 97 mod `modulus`, from the first k rows on. */
typedef struct frozen {
  gpugeo_kmeans_algorithm algorithm;
  int64_t modulus, k, iterations;
  double within;
  const char *first, *second; /* clusters of 40 points each */
} frozen;

static const frozen all_frozen[] = {
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 97, 2, 1, 121395.78125000003,
     "1121111212212222111211221122121111112111", "2212121122211222111112211111122212112111"},
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 97, 5, 4, 63929.334845938371,
     "1221451353243333555354334123135145113145", "3253134523344323355142345145432343413414"},
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 97, 9, 3, 35831.297474747473,
     "1234591394278838469897837128439156148156", "8268437428857823446152856156782853743746"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 97, 2, 6, 121771.39386189257,
     "1221111212222222111211221122121111112111", "2212121122211222111112211111122212112111"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 97, 5, 10, 65193.957799145297,
     "1231551353243333155354334123135155113145", "3253134123354323115142345145432343413415"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 97, 9, 4, 38743.194047619043,
     "1234591894278838469897887128489156148156", "8268487428857823436152856156782858748745"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 97, 2, 2, 121806.80722114764,
     "1221111211222222111211221122121111112111", "2212121122211222111112211111122212112111"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 97, 5, 3, 72312.46399240855,
     "1234551354243333455354334123435155113155", "3254134423354323445452355155432353413445"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 97, 9, 3, 38869.236904761907,
     "1234591894278838469867887128489156148156", "8268487428857823436152856156782858748745"},
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 7, 2, 1, 711.80952380952294,
     "1211111221111222221122111122112211121112", "1211212221112111112221211211221121222212"},
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 7, 5, 2, 373.1262157382846,
     "1214151245151525254443413142334434424434", "1213455445332544444521413433445344425212"},
    {GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 7, 9, 3, 178.55440115440115,
     "1254565296567626264443413599379834424437", "1213868986739644447825453837986794926712"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 7, 2, 4, 711.80952380952374,
     "1211111221111222221122111122112211121112", "1211212221112111112221211211221121222212"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 7, 5, 4, 373.37220187220186,
     "1214151245151525254443413142334434424432", "1213455445332544442521413433445344425212"},
    {GPUGEO_KMEANS_ALGORITHM_LLOYD, 7, 9, 11, 178.75164835164833,
     "1254565296565626224489413589378834424498", "1213868886739644448625853837886784826212"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 7, 2, 3, 711.80952380952374,
     "1211111221111222221122111122112211121112", "1211212221112111112221211211221121222212"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 7, 5, 3, 373.07549857549856,
     "1214151245151525254442413142334434424432", "1213455445332544442521413433445344425212"},
    {GPUGEO_KMEANS_ALGORITHM_MACQUEEN, 7, 9, 6, 178.60846653346653,
     "1254565296567626224489413589378834424498", "1213868886739644448625853837886784826712"},
};

static void test_frozen(void) {
  enum { N = 80, P = 3 };
  double x[N * P];
  for (size_t f = 0; f < sizeof all_frozen / sizeof *all_frozen; ++f) {
    const frozen *want = &all_frozen[f];
    for (int64_t j = 0; j < P; ++j)
      for (int64_t i = 0; i < N; ++i)
        x[i + N * j] = (double)((i * i * i + 31 * i * j + 17 * j) % 97 % want->modulus);
    const gpugeo_matrix view = view_of(x, N, P);
    const gpugeo_kmeans_options options = options_of(want->algorithm, want->k);
    means found = means_make(N, P, want->k);
    gpugeo_error error = {.message = ""};
    CHECK(!gpugeo_kmeans(&view, &options, &found.result, NULL, &error), "%s", error.message);
    int64_t differ = 0;
    for (int64_t i = 0; i < N; ++i)
      differ += found.whole[i] != (i < 40 ? want->first[i] : want->second[i - 40]) - '0';
    CHECK(differ == 0, "case %zu: %lld clusters differ", f, (long long)differ);
    CHECK(found.result.iterations == want->iterations, "case %zu: %lld iterations", f,
          (long long)found.result.iterations);
    CHECK(fabs(sum_of(&found) - want->within) <= 1e-12 * want->within, "case %zu: %.17g", f,
          sum_of(&found));
    means_free(&found);
  }
}

/* --- All partitions --------------------------------------------------------------------------- */

/* n times the sum of squares of points of a cluster from their mean, exactly: n sum x^2 - (sum
   x)^2, for each of k clusters divided by its size by cross multiplication. Whole numbers below 64
   and 6 points keep all products in 64 bits. Returns 60 times the sum of all, which is whole: sizes
   divide 60. */
static int64_t exact_sum(const int64_t *x, const int32_t *cluster, int64_t n, int32_t k) {
  int64_t all = 0;
  for (int32_t l = 1; l <= k; ++l) {
    int64_t size = 0, sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i)
      if (cluster[i] == l) {
        ++size;
        sum += x[i];
        squares += x[i] * x[i];
      }
    if (size > 0) all += 60 / size * (size * squares - sum * sum);
  }
  return all;
}

/* True if no move of one point makes the sum smaller, in whole numbers. */
static bool no_move_is_better(const int64_t *x, const int32_t *cluster, int64_t n, int32_t k) {
  int32_t moved[6], size[7] = {0};
  memcpy(moved, cluster, (size_t)n * sizeof *moved);
  for (int64_t i = 0; i < n; ++i)
    ++size[cluster[i]];
  const int64_t least = exact_sum(x, cluster, n, k);
  for (int64_t i = 0; i < n; ++i) {
    for (int32_t l = 1; size[cluster[i]] > 1 && l <= k; ++l) {
      moved[i] = l;
      if (exact_sum(x, moved, n, k) < least) return false;
    }
    moved[i] = cluster[i];
  }
  return true;
}

/* True if each point is in the cluster with the nearest mean, the first of several: (x - s/c)^2
   compared in whole numbers. */
static bool all_are_nearest(const int64_t *x, const int32_t *cluster, int64_t n, int32_t k) {
  int64_t size[7] = {0}, sum[7] = {0};
  for (int64_t i = 0; i < n; ++i) {
    ++size[cluster[i]];
    sum[cluster[i]] += x[i];
  }
  for (int64_t i = 0; i < n; ++i)
    for (int32_t l = 1; l <= k; ++l) {
      const int32_t own = cluster[i];
      if (size[l] == 0 || l == own) continue;
      const int64_t mine = llabs(x[i] * size[own] - sum[own]) * size[l];
      const int64_t other = llabs(x[i] * size[l] - sum[l]) * size[own];
      if (other < mine) return false;
    }
  return true;
}

/* Six points on a line, in 2 and 3 clusters, from all pairs and triples of different points. */
static void test_all_starts(void) {
  enum { N = 6 };
  static const int64_t points[][N] = {
      {0, 3, 4, 8, 9, 20}, {1, 1, 2, 2, 3, 3}, {5, 0, 7, 7, 1, 30}, {0, 1, 3, 7, 15, 31}};
  for (size_t set = 0; set < sizeof points / sizeof *points; ++set)
    for (int a = 0; a < N * N * N; ++a)
      for (int32_t k = 2; k <= 3; ++k) {
        const int64_t *p = points[set];
        const double x[N] = {(double)p[0], (double)p[1], (double)p[2],
                             (double)p[3], (double)p[4], (double)p[5]};
        const double start[3] = {x[a % N], x[a / N % N], x[a / N / N]};
        if (start[0] == start[1] || (k == 3 && (start[0] == start[2] || start[1] == start[2])))
          continue;
        const gpugeo_matrix view = view_of(x, N, 1);
        for (int algorithm = 0; algorithm < GPUGEO_KMEANS_ALGORITHM_COUNT; ++algorithm) {
          gpugeo_kmeans_options options = options_of((gpugeo_kmeans_algorithm)algorithm, k);
          options.centers = view_of(start, k, 1);
          means found = means_make(N, 1, k);
          gpugeo_error error = {.message = ""};
          CHECK(!gpugeo_kmeans(&view, &options, &found.result, NULL, &error), "%s", error.message);
          const bool single = algorithm == GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG;
          CHECK(single ? no_move_is_better(p, found.whole, N, k)
                       : all_are_nearest(p, found.whole, N, k),
                "set %zu, start %d, %d clusters, algorithm %d", set, a, (int)k, algorithm);
          CHECK(fabs(sum_of(&found) - (double)exact_sum(p, found.whole, N, k) / 60) < 1e-12,
                "set %zu, start %d: %.17g", set, a, sum_of(&found));
          means_free(&found);
        }
      }
}

/* --- Lloyd's algorithm, written plainly ------------------------------------------------------- */

/* Assigns the points to the nearest centres. Returns whether one has moved. */
static bool plain_assign(const double *x, const double *center, means *m) {
  bool moved = false;
  for (int64_t i = 0; i < m->n; ++i) {
    double least = INFINITY;
    int32_t nearest = 0;
    for (int64_t l = 0; l < m->k; ++l) {
      double square = 0;
      for (int64_t j = 0; j < m->p; ++j) {
        const double difference = x[i + j * m->n] - center[l + j * m->k];
        square += difference * difference;
      }
      if (square < least) {
        least = square;
        nearest = (int32_t)l;
      }
    }
    moved = moved || m->whole[i] != nearest + 1;
    m->whole[i] = nearest + 1;
  }
  return moved;
}

/* Runs Lloyd's algorithm from the first k points. Returns the number of iterations. */
static int64_t plain_lloyd(const double *x, means *m, int64_t most) {
  for (int64_t l = 0; l < m->k; ++l)
    for (int64_t j = 0; j < m->p; ++j)
      m->real[l + j * m->k] = x[l + j * m->n];
  for (int64_t iteration = 1; iteration <= most; ++iteration) {
    if (!plain_assign(x, m->real, m)) return iteration;
    int32_t *size = m->whole + m->n;
    memset(size, 0, (size_t)m->k * sizeof *size);
    memset(m->real, 0, (size_t)(m->k * m->p) * sizeof *m->real);
    for (int64_t i = 0; i < m->n; ++i)
      ++size[m->whole[i] - 1];
    for (int64_t j = 0; j < m->p; ++j)
      for (int64_t i = 0; i < m->n; ++i)
        m->real[m->whole[i] - 1 + j * m->k] += x[i + j * m->n];
    for (int64_t e = 0; e < m->k * m->p; ++e)
      m->real[e] /= size[e % m->k];
  }
  return most + 1;
}

/* Checks one case: `kind` of data, n points of p coordinates. */
static void check_lloyd(data_kind kind, int64_t n, int64_t p, int64_t k, int64_t most) {
  double *x = data_points(kind, n, p, (uint64_t)(n + p + k));
  const gpugeo_matrix view = view_of(x, n, p);
  gpugeo_kmeans_options options = options_of(GPUGEO_KMEANS_ALGORITHM_LLOYD, k);
  options.max_iterations = most;
  means want = means_make(n, p, k), found = means_make(n, p, k);
  gpugeo_error error = {.message = ""};
  const gpugeo_status status = gpugeo_kmeans(&view, &options, &found.result, NULL, &error);
  if (status) { /* two of the first points are the same */
    CHECK(strncmp(error.message, "centers must be different", 25) == 0, "%s", error.message);
  } else {
    const int64_t iterations = plain_lloyd(x, &want, most);
    CHECK(memcmp(want.whole, found.whole, (size_t)(n + k) * sizeof *want.whole) == 0,
          "%s, %lld x %lld, %lld: clusters", data_name(kind), (long long)n, (long long)p,
          (long long)k);
    int64_t differ = 0;
    for (int64_t e = 0; e < k * p; ++e)
      differ += !(want.real[e] == found.real[e] || (isnan(want.real[e]) && isnan(found.real[e])));
    CHECK(differ == 0, "%s, %lld x %lld, %lld: %lld centres", data_name(kind), (long long)n,
          (long long)p, (long long)k, (long long)differ);
    CHECK(found.result.iterations == iterations && found.result.fault == 2 * (iterations > most),
          "%s: %lld iterations, not %lld", data_name(kind), (long long)found.result.iterations,
          (long long)iterations);
  }
  means_free(&want);
  means_free(&found);
  free(x);
}

static void test_lloyd(void) {
  static const data_kind kinds[] = {DATA_RANDOM, DATA_TIED,     DATA_COUNTS,
                                    DATA_NEAR,   DATA_DENORMAL, DATA_HUGE};
  for (size_t a = 0; a < sizeof kinds / sizeof *kinds; ++a)
    for (int64_t n = 1; n < 1400; n = 3 * n + 1)
      for (int64_t p = 1; p <= 9; p += 4)
        for (int64_t k = 2; k <= n && k <= 33; k = 3 * k - 1) {
          check_lloyd(kinds[a], n, p, k, 100);
          check_lloyd(kinds[a], n, p, k, 2);
        }
}

/* --- k-means++ -------------------------------------------------------------------------------- */

/* Squared distances 0, 1, 4, 100 from the first point: a number up to 1/105 draws the second one,
   up to 5/105 the third one, and any other the last one. */
static void test_plus(void) {
  const double x[] = {5, 6, 7, 15};
  static const struct {
    double first, second;
    int32_t sizes[2];
  } cases[] = {{0, 0, {1, 3}},
               {0.2, 0.9 / 105, {1, 3}},
               {0, 1.1 / 105, {2, 2}},
               {0.1, 0.9, {3, 1}},
               {0.24, 1 - 0x1p-53, {3, 1}}};
  const gpugeo_matrix view = view_of(x, 4, 1);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const double uniform[] = {cases[c].first, cases[c].second};
    gpugeo_kmeans_options options = options_of(GPUGEO_KMEANS_ALGORITHM_LLOYD, 2);
    options.uniform = uniform;
    options.uniform_length = 2;
    options.max_iterations = 1;
    means found = means_make(4, 1, 2);
    CHECK(!gpugeo_kmeans(&view, &options, &found.result, NULL, NULL), "case %zu", c);
    CHECK(memcmp(found.result.sizes, cases[c].sizes, sizeof cases[c].sizes) == 0,
          "case %zu: %d and %d points", c, (int)found.result.sizes[0], (int)found.result.sizes[1]);
    means_free(&found);
  }
}

/* --- Threads and instructions ----------------------------------------------------------------- */

static void check_same(gpugeo_kmeans_algorithm algorithm, const gpugeo_matrix *view, int64_t k,
                       const double *uniform) {
  const gg_simd widest = gg_context_get()->simd;
  gpugeo_kmeans_options options = options_of(algorithm, k);
  options.uniform = uniform;
  options.uniform_length = k;
  options.run.threads = 1;
  means want = means_make(view->nrow, view->ncol, k);
  CHECK(!gpugeo_kmeans(view, &options, &want.result, NULL, NULL), "algorithm %d", (int)algorithm);
  for (int turn = 0; turn < 8; ++turn) {
    means found = means_make(view->nrow, view->ncol, k);
    gg_set_simd((gg_simd)(turn % (widest + 1)));
    options.run.threads = 1 + turn;
    gpugeo_report report;
    CHECK(!gpugeo_kmeans(view, &options, &found.result, &report, NULL), "turn %d", turn);
    CHECK(means_are_same(&want, &found) && report.threads == 1 + turn, "algorithm %d, turn %d",
          (int)algorithm, turn);
    means_free(&found);
  }
  gg_set_simd(widest);
  means_free(&want);
}

static void test_same_bits(void) {
  enum { N = 3001, P = 7, K = 13 };
  double uniform[K];
  double *x = data_points(DATA_RANDOM, N, P, 5);
  for (int l = 0; l < K; ++l)
    uniform[l] = (l * 5 % K + 0.5) / K;
  const gpugeo_matrix view = view_of(x, N, P);
  for (int a = 0; a < GPUGEO_KMEANS_ALGORITHM_COUNT; ++a)
    check_same((gpugeo_kmeans_algorithm)a, &view, K, uniform);
  free(x);
}

/* Whole numbers and floats give the result of doubles. */
static void test_types(void) {
  enum { N = 200, P = 3, K = 5 };
  double *x = data_points(DATA_COUNTS, N, P, 8);
  for (int64_t i = 0; i < K; ++i)
    x[i * P] = (double)(10 * i);
  for (int a = 0; a < GPUGEO_KMEANS_ALGORITHM_COUNT; ++a) {
    const gpugeo_kmeans_options options = options_of((gpugeo_kmeans_algorithm)a, K);
    means want = means_make(N, P, K);
    for (int type = 0; type < 3; ++type) {
      static const gpugeo_type types[] = {GPUGEO_TYPE_DOUBLE, GPUGEO_TYPE_FLOAT, GPUGEO_TYPE_INT32};
      const gpugeo_matrix view = data_matrix(x, N, P, types[type], GPUGEO_POINTS_ROWS, 3 * type);
      means found = means_make(N, P, K);
      gpugeo_error error = {.message = ""};
      CHECK(!gpugeo_kmeans(&view, &options, type ? &found.result : &want.result, NULL, &error),
            "%s", error.message);
      if (type > 0) CHECK(means_are_same(&want, &found), "algorithm %d, type %d", a, type);
      means_free(&found);
      free((void *)view.data);
    }
    means_free(&want);
  }
  free(x);
}

/* --- Errors ----------------------------------------------------------------------------------- */

/* Checks that a call fails with a message. */
static void check_error(const gpugeo_matrix *x, const gpugeo_kmeans_options *options,
                        const char *want) {
  means found = means_make(4, 2, 4);
  gpugeo_error error = {.message = ""};
  const gpugeo_status status = gpugeo_kmeans(x, options, &found.result, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.message, want) == 0, "%d: \"%s\"",
        (int)status, error.message);
  means_free(&found);
}

static void test_errors(void) {
  double x[] = {1, 1, 3, 9, 2, 2, 5, 7};
  const double far[] = {1, 3, 99, 2, 5, 99}, uniform[] = {0, 1, 0.5};
  const gpugeo_matrix view = view_of(x, 4, 2), wide = view_of(x, 2, 4);
  gpugeo_kmeans_options options = options_of(GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, 2);
  check_error(&view, &options, "centers must be different, but numbers 1 and 2 are the same");
  options.centers = wide;
  check_error(&view, &options, "centers must have 2 columns, as many as x, not 4");
  options.centers = view;
  check_error(&view, &options, "centers must have 2 rows, as many as clusters, not 4");
  options.k = 3;
  options.centers = view_of(far, 3, 2);
  check_error(&view, &options,
              "centers must each be the nearest one of some row of x for \"Hartigan-Wong\", but "
              "center 3 is not");
  options.centers.data = NULL;
  options.uniform = uniform;
  options.uniform_length = 2;
  check_error(&view, &options, "uniform must have 3 numbers, as many as clusters, not 2");
  options.uniform_length = 3;
  check_error(&view, &options, "uniform must be numbers from 0 to below 1, but value 2 is 1");
  options.k = 5;
  check_error(&view, &options, "k must be between 1 and 4, the number of points, not 5");
  options.k = 1;
  options.max_iterations = 0;
  check_error(&view, &options, "iter.max must be a whole number of at least 1, not 0");
  options.max_iterations = 1;
  options.algorithm = GPUGEO_KMEANS_ALGORITHM_COUNT;
  check_error(&view, &options, "algorithm must be between 0 and 3, not 4");
  const double drawn[] = {0, 0.5, 0.5, 0.5};
  options = options_of(GPUGEO_KMEANS_ALGORITHM_LLOYD, 4);
  options.uniform = drawn;
  options.uniform_length = 4;
  check_error(&view, &options, "x must have at least 4 different rows, as many as clusters, not 3");
  x[6] = INFINITY;
  check_error(&view, &options, "x must be finite numbers, but row 3, column 2 is Inf");
}

/* An empty cluster remains so. */
static void test_empty(void) {
  const double x[] = {1, 2, 10, 11}, start[] = {1, 500, 10};
  const gpugeo_matrix view = view_of(x, 4, 1);
  for (int a = 1; a < GPUGEO_KMEANS_ALGORITHM_COUNT; ++a) {
    gpugeo_kmeans_options options = options_of((gpugeo_kmeans_algorithm)a, 3);
    options.centers = view_of(start, 3, 1);
    means found = means_make(4, 1, 3);
    CHECK(!gpugeo_kmeans(&view, &options, &found.result, NULL, NULL), "algorithm %d", a);
    CHECK(found.real[0] == 1.5 && isnan(found.real[1]) && found.real[2] == 10.5 &&
              found.result.sizes[1] == 0 && found.result.withinss[1] == 0 &&
              found.result.totss == 82,
          "algorithm %d: %g, %g, %g", a, found.real[0], found.real[1], found.real[2]);
    means_free(&found);
  }
}

int main(void) {
  test_frozen();
  test_all_starts();
  test_lloyd();
  test_plus();
  test_same_bits();
  test_types();
  test_errors();
  test_empty();
  return check_end();
}

/* Closest pairs of every algorithm and backend against all pairs, sorted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "witness.h"

/* --- the reference ---------------------------------------------------------------------------- */

/* A squared distance: long double holds every sum of squares of doubles made by fma, whole numbers
   of 64 bits, and the squares of 1e200. */
typedef struct reference_pair {
  long double square;
  int64_t i, j;
} reference_pair;

typedef struct expected {
  reference_pair *pairs;
  int64_t count, ties;
} expected;

static int in_order(const void *left, const void *right) {
  const reference_pair *a = left, *b = right;
  if (a->square != b->square) return a->square < b->square ? -1 : 1;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return a->j < b->j ? -1 : a->j > b->j;
}

static double nearest_image(double d, double box) {
  return box > 0 ? fabs(d - box * rint(d / box)) : fabs(d);
}

/* How the reference adds up: as the core says it does, or without any rounding that matters. */
typedef enum arithmetic { FMA, WIDE } arithmetic;

static long double square_of(const double *a, const double *b, int64_t m, const double *box,
                             arithmetic how) {
  double sum = 0;
  long double wide = 0;
  for (int64_t c = 0; c < m; ++c) {
    const double d = nearest_image(a[c] - b[c], box ? box[c] : 0);
    sum = fma(d, d, sum);
    wide += (long double)d * (long double)d;
  }
  return how == FMA ? (long double)sum : wide;
}

/* All pairs of row-major points, in order; ny < 0: within x. */
static expected reference(const double *x, int64_t nx, const double *y, int64_t ny, int64_t m,
                          const double *box, bool distinct, arithmetic how) {
  const bool within = ny < 0;
  const int64_t most = within ? nx * (nx - 1) / 2 : nx * ny;
  expected e = {malloc((size_t)(most + 1) * sizeof *e.pairs), 0, 0};
  for (int64_t i = 0; i < nx; ++i)
    for (int64_t j = within ? i + 1 : 0; j < (within ? nx : ny); ++j) {
      const long double square = square_of(x + i * m, (within ? x : y) + j * m, m, box, how);
      if (distinct && square == 0) continue;
      e.pairs[e.count++] = (reference_pair){square, i, j};
    }
  qsort(e.pairs, (size_t)e.count, sizeof *e.pairs, in_order);
  while (e.ties < e.count && e.pairs[e.ties].square == e.pairs[0].square)
    ++e.ties;
  return e;
}

/* --- comparison ------------------------------------------------------------------------------- */

/* One call to check. */
typedef struct trial {
  char name[160];
  const double *x, *y; /* row-major; y NULL: within x */
  int64_t nx, ny, m;
  gpugeo_type type;
  const double *box;
  bool distinct;
  arithmetic how;
} trial;

static bool agrees(const expected *e, int64_t k, const gpugeo_pair *pairs, int64_t found,
                   int64_t ties) {
  const int64_t wanted = k < e->count ? k : e->count;
  if (found != wanted || ties != e->ties) return false;
  for (int64_t p = 0; p < found; ++p) {
    const double distance = (double)sqrtl(e->pairs[p].square);
    if (pairs[p].i != e->pairs[p].i || pairs[p].j != e->pairs[p].j ||
        fabs(pairs[p].distance - distance) > 0x1p-52 * distance)
      return false;
  }
  return true;
}

static void check_call(const trial *t, const expected *e, gpugeo_closest_algorithm algorithm,
                       gpugeo_backend backend, int32_t threads, int64_t k) {
  gpugeo_matrix x = data_matrix(t->x, t->nx, t->m, t->type, GPUGEO_POINTS_ROWS, 1);
  gpugeo_matrix y =
      data_matrix(t->y ? t->y : t->x, t->y ? t->ny : t->nx, t->m, t->type, GPUGEO_POINTS_ROWS, 0);
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.algorithm = algorithm;
  options.k = k;
  options.distinct = t->distinct;
  options.box = t->box;
  options.box_length = t->box ? t->m : 0;
  options.run.backend = backend;
  options.run.threads = threads;
  gpugeo_pair *pairs = malloc((size_t)k * sizeof *pairs);
  int64_t found = -1, ties = -1;
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_closest_pair(&x, t->y ? &y : NULL, &options, pairs, &found, &ties, NULL, &error);
  if (CHECK(status == GPUGEO_OK, "%s: %s", t->name, error.message))
    CHECK(agrees(e, k, pairs, found, ties),
          "%s, algorithm %s, %s, %d threads, k %lld: found %lld, ties %lld (expected %lld), first "
          "(%lld, %lld) %.17g, expected (%lld, %lld) %.17g",
          t->name, gpugeo_name(GPUGEO_ENUM_CLOSEST_ALGORITHM, algorithm),
          gpugeo_name(GPUGEO_ENUM_BACKEND, backend), threads, (long long)k, (long long)found,
          (long long)ties, (long long)e->ties, (long long)(found > 0 ? pairs[0].i : -1),
          (long long)(found > 0 ? pairs[0].j : -1), found > 0 ? pairs[0].distance : NAN,
          (long long)(e->count ? e->pairs[0].i : -1), (long long)(e->count ? e->pairs[0].j : -1),
          e->count ? (double)sqrtl(e->pairs[0].square) : NAN);
  free(pairs);
  free((void *)x.data);
  free((void *)y.data);
}

static bool cuda_is_there;

static void check_trial(const trial *t) {
  const expected e =
      reference(t->x, t->nx, t->y, t->y ? t->ny : -1, t->m, t->box, t->distinct, t->how);
  const int64_t pairs = t->y ? t->nx * t->ny : t->nx * (t->nx - 1) / 2;
  const int64_t ks[] = {1, 2, 7, 100, pairs / 2, pairs};
  for (size_t c = 0; c < sizeof ks / sizeof *ks; ++c) {
    const int64_t k = ks[c];
    if (k < 1 || k > pairs) continue;
    for (int algorithm = 0; algorithm < GPUGEO_CLOSEST_ALGORITHM_COUNT; ++algorithm) {
      const bool of_paper = algorithm > GPUGEO_CLOSEST_ALGORITHM_GRID;
      if (of_paper && (t->y || t->box)) continue;
      check_call(t, &e, (gpugeo_closest_algorithm)algorithm, GPUGEO_BACKEND_CPU,
                 1 + (int32_t)(c % 2), k);
      if (cuda_is_there && algorithm != GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER &&
          !check_leaves_out(29))
        check_call(t, &e, (gpugeo_closest_algorithm)algorithm, GPUGEO_BACKEND_CUDA, 0, k);
    }
  }
  free(e.pairs);
}

/* --- data ------------------------------------------------------------------------------------- */

static void check_kind(data_kind kind, gpugeo_type type, int64_t m, int64_t nx, int64_t ny) {
  double *x = data_points(kind, nx, m, 1 + (uint64_t)m), *y = data_points(kind, ny, m, 77);
  if (type == GPUGEO_TYPE_FLOAT) {
    data_round(x, nx * m);
    data_round(y, ny * m);
  }
  for (int distinct = 0; distinct < 2; ++distinct)
    for (int between = 0; between < 2; ++between) {
      trial t = {.x = x,
                 .y = between ? y : NULL,
                 .nx = nx,
                 .ny = ny,
                 .m = m,
                 .type = type,
                 .distinct = distinct,
                 .how = kind == DATA_HUGE || kind == DATA_DENORMAL ? WIDE : FMA};
      snprintf(t.name, sizeof t.name, "%s%s%s, type %d, %lld x %lld", data_name(kind),
               distinct ? " distinct" : "", between ? " between" : "", (int)type, (long long)nx,
               (long long)m);
      check_trial(&t);
    }
  free(x);
  free(y);
}

static void check_kinds(void) {
  static const data_kind kinds[] = {DATA_RANDOM, DATA_TIED,       DATA_COUNTS,
                                    DATA_NEAR,   DATA_COINCIDENT, DATA_CONSTANT};
  static const int64_t sizes[] = {2, 3, 40, 150};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind)
    for (int64_t m = 1; m <= 3; ++m)
      for (size_t size = 0; size < sizeof sizes / sizeof *sizes; ++size)
        for (int type = 0; type <= GPUGEO_TYPE_INT32; ++type)
          if (data_fits(kinds[kind], (gpugeo_type)type))
            check_kind(kinds[kind], (gpugeo_type)type, m, sizes[size], 1 + sizes[size] / 2);
}

/* Squares that a double can't hold, of numbers that it can. */
static void check_extremes(void) {
  const double factors[] = {1e200, 1e-200, 1e300, 0x1p-1060, 1e-310};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f)
    for (int64_t m = 1; m <= 3; ++m) {
      const int64_t n = 120;
      dice d = {5 + (uint64_t)m};
      double *x = malloc((size_t)(n * m) * sizeof *x);
      for (int64_t i = 0; i < n * m; ++i)
        x[i] = (double)dice_whole(&d, 4000) * factors[f];
      trial t = {.x = x, .nx = n, .m = m, .type = GPUGEO_TYPE_DOUBLE, .how = WIDE};
      snprintf(t.name, sizeof t.name, "whole numbers times %g, %lld columns", factors[f],
               (long long)m);
      /* Whole numbers times a factor that is no power of two are rounded: ties would be a matter of
         the last bit, so only the distance is compared for those. */
      const bool exact = frexp(factors[f], &(int){0}) == 0.5;
      if (exact) {
        check_trial(&t);
      } else {
        const expected e = reference(x, n, NULL, -1, m, NULL, true, WIDE);
        gpugeo_matrix view = data_matrix(x, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
        gpugeo_closest_options options;
        gpugeo_closest_options_init(&options, sizeof options);
        options.distinct = 1;
        gpugeo_pair pair;
        int64_t found, ties;
        gpugeo_closest_pair(&view, NULL, &options, &pair, &found, &ties, NULL, NULL);
        const double want = (double)sqrtl(e.pairs[0].square);
        CHECK(fabs(pair.distance - want) <= 1e-9 * want, "%s: %g, expected %g", t.name,
              pair.distance, want);
        free((void *)view.data);
        free(e.pairs);
      }
      free(x);
    }
}

/* Whole numbers whose squared distances need more than 53, and more than 64 bits. */
static void check_integers(void) {
  for (int64_t m = 1; m <= 3; ++m)
    for (int wide = 0; wide < 2; ++wide) {
      const int64_t n = 60;
      dice d = {9 + (uint64_t)m};
      double *x = malloc((size_t)(n * m) * sizeof *x);
      for (int64_t i = 0; i < n * m; ++i) {
        x[i] = (double)(dice_whole(&d, INT32_MAX) - dice_whole(&d, INT32_MAX));
        /* At the ends of the range: nearly equal sums of squares that differ by little. */
        if (wide)
          x[i] = dice_whole(&d, 1) ? INT32_MAX - (double)dice_whole(&d, 2)
                                   : -INT32_MAX + (double)dice_whole(&d, 2);
      }
      trial t = {.x = x, .nx = n, .m = m, .type = GPUGEO_TYPE_INT32, .how = WIDE};
      snprintf(t.name, sizeof t.name, "integers %s, %lld columns", wide ? "at the ends" : "",
               (long long)m);
      /* 64 bits of long double hold each sum below 2^64, and all sums of one or two columns but for
         the last bit of 65: three columns at the ends are left to the golden cases. */
      if (!(wide && m == 3)) check_trial(&t);
      free(x);
    }
}

/* Coordinates that are whole multiples of 2^-10: images are exact. */
static void check_periodic(void) {
  for (int64_t m = 1; m <= 3; ++m)
    for (int outside = 0; outside < 2; ++outside)
      for (int type = 0; type < 2; ++type)
        for (int between = 0; between < 2; ++between) {
          const int64_t nx = 130, ny = 90;
          const bool integer = type == 1;
          dice d = {31 + (uint64_t)m};
          double x[400], y[400], box[] = {integer ? 1024 : 1, 0, integer ? 2000 : 1.75};
          for (int64_t i = 0; i < 400; ++i) {
            x[i] = (double)(dice_whole(&d, 1023) + outside * 1024 * (dice_whole(&d, 6) - 3));
            y[i] = (double)(dice_whole(&d, 1023) - outside * 5120);
            if (!integer) x[i] /= 1024, y[i] /= 1024;
          }
          trial t = {.x = x,
                     .y = between ? y : NULL,
                     .nx = nx,
                     .ny = ny,
                     .m = m,
                     .type = integer ? GPUGEO_TYPE_INT32 : GPUGEO_TYPE_DOUBLE,
                     .box = box,
                     .how = FMA};
          snprintf(t.name, sizeof t.name, "periodic%s%s, type %d, %lld columns",
                   outside ? " outside" : "", between ? " between" : "", (int)t.type, (long long)m);
          check_trial(&t);
        }
}

/* --- many points, where the answer is known --------------------------------------------------- */

typedef struct answer {
  int64_t found, ties;
  gpugeo_pair first, last;
} answer;

static answer ask(const double *columns, int64_t n, int64_t m, int64_t k, bool distinct,
                  gpugeo_backend backend, int32_t threads) {
  const gpugeo_matrix x = {columns, GPUGEO_TYPE_DOUBLE, n, m, n, NULL};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.k = k;
  options.distinct = distinct;
  options.run.backend = backend;
  options.run.threads = threads;
  gpugeo_pair *pairs = malloc((size_t)k * sizeof *pairs);
  answer a = {-1, -1, {-1, -1, NAN}, {-1, -1, NAN}};
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_closest_pair(&x, NULL, &options, pairs, &a.found, &a.ties, NULL, &error);
  CHECK(status == GPUGEO_OK, "%s", error.message);
  if (!status && a.found > 0) {
    a.first = pairs[0];
    a.last = pairs[a.found - 1];
  }
  free(pairs);
  return a;
}

static void check_many(gpugeo_backend backend) {
  const int64_t side = CHECK_SMALL && backend == GPUGEO_BACKEND_CUDA ? 100 : 300, n = side * side;
  double *x = calloc((size_t)n * 2, sizeof *x);
  /* All at one location: pairs (0, 1), (0, 2), ... */
  answer a = ask(x, n, 2, 5, false, backend, 2);
  CHECK(a.found == 5 && a.ties == n * (n - 1) / 2 && a.last.i == 0 && a.last.j == 5 &&
            a.last.distance == 0,
        "coincident: found %lld, ties %lld", (long long)a.found, (long long)a.ties);
  a = ask(x, n, 2, 5, true, backend, 2);
  CHECK(a.found == 0 && a.ties == 0, "coincident, distinct: found %lld, ties %lld",
        (long long)a.found, (long long)a.ties);
  /* Two locations, whose coordinates differ by 3 and 4. */
  for (int64_t i = 1; i < n; i += 2)
    x[i] = 3, x[i + n] = 4;
  a = ask(x, n, 2, 2, true, backend, 2);
  CHECK(a.found == 2 && a.ties == n / 2 * (n / 2) && a.first.distance == 5 && a.first.i == 0 &&
            a.first.j == 1 && a.last.i == 0 && a.last.j == 3,
        "two places: ties %lld, distance %g", (long long)a.ties, a.first.distance);
  /* A lattice: 2 n - 2 side neighbours at distance 1. */
  for (int64_t i = 0; i < n; ++i)
    x[i] = (double)(i % side), x[i + n] = (double)(i / side);
  a = ask(x, n, 2, 3, false, backend, 2);
  CHECK(a.ties == 2 * n - 2 * side && a.first.i == 0 && a.first.j == 1 && a.last.i == 1 &&
            a.last.j == 2 && a.first.distance == 1,
        "lattice: ties %lld", (long long)a.ties);
  /* Tied x, and one pair nearer than the others by little. */
  for (int64_t i = 0; i < n; ++i)
    x[i] = 0.5, x[i + n] = (double)(i * 7919 % n) + 1e9;
  x[n + 4321] += 0.25;
  a = ask(x, n, 2, 1, false, backend, 2);
  CHECK(a.found == 1 && a.ties == 1 && a.first.distance == 0.75, "tied x: distance %g",
        a.first.distance);
  /* Any number of threads. */
  dice d = {7};
  for (int64_t i = 0; i < 2 * n; ++i)
    x[i] = dice_real(&d);
  const answer one = ask(x, n, 2, 500, false, backend, 1);
  for (int32_t threads = 2; threads < 6; ++threads) {
    a = ask(x, n, 2, 500, false, backend, threads);
    CHECK(memcmp(&a.first, &one.first, sizeof a.first) == 0 &&
              memcmp(&a.last, &one.last, sizeof a.last) == 0 && a.ties == one.ties,
          "%d threads: first (%lld, %lld), last (%lld, %lld)", threads, (long long)a.first.i,
          (long long)a.first.j, (long long)a.last.i, (long long)a.last.j);
  }
  free(x);
}

/* Two sets far apart, of which each point is nearly as far from the other set as the next one. */
static void check_apart(gpugeo_backend backend) {
  enum { N = 4000 };
  static double x[2 * N], y[2 * N];
  for (int64_t i = 0; i < N; ++i) {
    x[i] = 0;
    x[i + N] = (double)(i * 17 % N);
    y[i] = 1000;
    y[i + N] = (double)(i * 29 % N) + (i == 3000 ? 0 : 0.25);
  }
  const gpugeo_matrix a = {x, GPUGEO_TYPE_DOUBLE, N, 2, N, NULL},
                      b = {y, GPUGEO_TYPE_DOUBLE, N, 2, N, NULL};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.run.backend = backend;
  options.k = 2;
  gpugeo_pair pairs[2] = {{-1, -1, NAN}, {-1, -1, NAN}};
  int64_t found = 0, ties = 0;
  gpugeo_closest_pair(&a, &b, &options, pairs, &found, &ties, NULL, NULL);
  CHECK(ties == 1 && pairs[0].j == 3000 && pairs[0].i * 17 % N == 3000 * 29 % N &&
            pairs[0].distance == 1000 && pairs[1].i == 0 && pairs[1].j == 0 &&
            pairs[1].distance == sqrt(1000 * 1000 + 0.0625),
        "apart: ties %lld, first (%lld, %lld) %.17g, second (%lld, %lld) %.17g", (long long)ties,
        (long long)pairs[0].i, (long long)pairs[0].j, pairs[0].distance, (long long)pairs[1].i,
        (long long)pairs[1].j, pairs[1].distance);
}

/* --- the sphere ------------------------------------------------------------------------------- */

static double great_circle(const double *a, const double *b) {
  const long double degree = 3.14159265358979323846264338327950288L / 180;
  const long double u = sinl(((long double)a[1] - b[1]) / 2 * degree);
  const long double v = sinl(((long double)a[0] - b[0]) / 2 * degree);
  const long double h = u * u + cosl(a[1] * degree) * cosl(b[1] * degree) * v * v;
  return (double)(2 * asinl(sqrtl(h < 1 ? h : 1)));
}

static void check_sphere(int64_t n, double spread, uint64_t seed, gpugeo_backend backend) {
  dice d = {seed};
  double *x = malloc((size_t)n * 2 * sizeof *x);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = fmod(180 + spread * dice_real(&d) + 360, 360);
    x[i + n] = 90 - spread / 180 * 90 * (1 + dice_real(&d));
  }
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
  options.sphere_radius = 2;
  options.k = 10;
  options.run.backend = backend;
  gpugeo_pair pairs[10];
  int64_t found, ties;
  gpugeo_error error = {0};
  CHECK(!gpugeo_closest_pair(&view, NULL, &options, pairs, &found, &ties, NULL, &error), "%s",
        error.message);
  double *sorted = malloc((size_t)(n * n) * sizeof *sorted);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      const double a[] = {x[i], x[i + n]}, b[] = {x[j], x[j + n]};
      sorted[count++] = great_circle(a, b);
    }
  for (int64_t p = 0; p < found; ++p) { /* the p-th smallest to the front */
    for (int64_t q = p + 1; q < count; ++q)
      if (sorted[q] < sorted[p]) {
        const double swap = sorted[p];
        sorted[p] = sorted[q];
        sorted[q] = swap;
      }
    const double a[] = {x[pairs[p].i], x[pairs[p].i + n]};
    const double b[] = {x[pairs[p].j], x[pairs[p].j + n]};
    CHECK(fabs(pairs[p].distance - 2 * sorted[p]) <= 1e-11 * sorted[p] &&
              fabs(pairs[p].distance - 2 * great_circle(a, b)) <= 1e-11 * pairs[p].distance,
          "sphere, n %lld, spread %g: pair %lld at %.17g, expected %.17g", (long long)n, spread,
          (long long)p, pairs[p].distance, 2 * sorted[p]);
  }
  free(sorted);
  free(x);
}

/* Over the date line and around the pole, and locations with several names. */
static void check_places_on_sphere(gpugeo_backend backend) {
  const double degrees[][4] = {{179.5, 0, -179.5, 0}, {359.5, 10, 0.5, 10}, {0, 89.5, 180, 89.5}};
  const double expected[] = {1, 0, 1};
  for (int c = 0; c < 3; ++c) {
    const double x[] = {degrees[c][0], degrees[c][2], 90, degrees[c][1], degrees[c][3], -80};
    const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
    gpugeo_closest_options options;
    gpugeo_closest_options_init(&options, sizeof options);
    options.metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
    options.sphere_radius = 180 / 3.14159265358979323846;
    options.run.backend = backend;
    gpugeo_pair pair = {-1, -1, NAN};
    int64_t found, ties;
    gpugeo_closest_pair(&view, NULL, &options, &pair, &found, &ties, NULL, NULL);
    const double want =
        c == 1 ? great_circle((double[]){0, 10}, (double[]){1, 10}) * options.sphere_radius
               : expected[c];
    CHECK(pair.i == 0 && pair.j == 1 && fabs(pair.distance - want) < 1e-13, "case %d: %.17g", c,
          pair.distance);
  }
  /* 180 is -180, 360 is 0, and a pole is at any longitude. */
  const double x[] = {180, -180, 360, 0, 17, -33, 5, 5, 1, 1, 90, 90};
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, 6, 2, 6, NULL};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
  options.run.backend = backend;
  options.k = 3;
  gpugeo_pair pairs[3] = {{0}};
  int64_t found = 0, ties = 0;
  gpugeo_closest_pair(&view, NULL, &options, pairs, &found, &ties, NULL, NULL);
  CHECK(ties == 3 && pairs[0].j == 1 && pairs[1].i == 2 && pairs[2].j == 5, "ties %lld",
        (long long)ties);
}

/* --- hooks ------------------------------------------------------------------------------------ */

/* Problems grow until the hooks, asked at every poll, have been asked often enough. */
static void check_hooks(gpugeo_closest_algorithm algorithm, gpugeo_backend backend, int stop_at) {
  witness w = {0};
  gpugeo_status status = GPUGEO_OK;
  gpugeo_error error = {0};
  gg_clock_set_polls(1);
  for (int64_t n = 1000; n < 1000000; n *= 2) {
    dice d = {99};
    double *x = malloc((size_t)n * 2 * sizeof *x);
    for (int64_t i = 0; i < 2 * n; ++i)
      x[i] = dice_real(&d);
    const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
    gpugeo_closest_options options;
    gpugeo_closest_options_init(&options, sizeof options);
    options.algorithm = algorithm;
    options.run.backend = backend;
    options.run.threads = 1; /* of several threads only the calling one polls */
    w = (witness){.stop_at = stop_at};
    witness_watch(&w, &options.run);
    gpugeo_pair pair;
    int64_t found, ties;
    status = gpugeo_closest_pair(&view, NULL, &options, &pair, &found, &ties, NULL, &error);
    free(x);
    if (w.asked >= 3 || status) break;
  }
  gg_clock_set_polls(0);
  const char *name = gpugeo_name(GPUGEO_ENUM_CLOSEST_ALGORITHM, algorithm);
  CHECK(!w.backwards && !w.beyond, "%s: progress goes back or leaves [0, 1]", name);
  if (stop_at)
    CHECK(status == GPUGEO_ERROR_INTERRUPT && strcmp(error.message, "interrupted") == 0 &&
              w.asked == stop_at && !w.after,
          "%s: status %d, %d questions", name, status, w.asked);
  else
    CHECK(status == GPUGEO_OK && w.asked >= 3, "%s: status %d, %d questions", name, status,
          w.asked);
}

int main(void) {
  gpugeo_error error;
  cuda_is_there = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!cuda_is_there) check_skip(1, "CUDA: not present (%s)", error.message);
  check_kinds();
  check_extremes();
  check_integers();
  check_periodic();
  for (int backend = GPUGEO_BACKEND_CPU;
       backend <= (cuda_is_there ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU); ++backend) {
    check_many((gpugeo_backend)backend);
    check_apart((gpugeo_backend)backend);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      check_sphere(500, 180, seed, (gpugeo_backend)backend);
      check_sphere(300, 0.01, seed, (gpugeo_backend)backend);
    }
    check_places_on_sphere((gpugeo_backend)backend);
    for (int algorithm = GPUGEO_CLOSEST_ALGORITHM_GRID; algorithm < GPUGEO_CLOSEST_ALGORITHM_COUNT;
         ++algorithm)
      for (int stop_at = 0; stop_at < 3; ++stop_at)
        if (backend == GPUGEO_BACKEND_CPU)
          check_hooks((gpugeo_closest_algorithm)algorithm, GPUGEO_BACKEND_CPU, stop_at);
  }
  return check_end();
}

/* Distance correlations against their definition, in long double from all pairs of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"

enum { COLUMNS = 6, OTHERS = 3, MOST = 70 };
static const data_kind kinds[] = {DATA_RANDOM,   DATA_TIED,  DATA_COUNTS,  DATA_COINCIDENT,
                                  DATA_CONSTANT, DATA_NEAR,  DATA_HUGE,    DATA_DENORMAL,
                                  DATA_MISSING,  DATA_WHOLE, DATA_INFINITE};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One case. */
typedef struct dcor_case {
  data_kind kind;
  int64_t n;
  bool two;
  gpugeo_cor_options options;
  double *x, *y;
} dcor_case;

/* --- The definition ----------------------------------------------------------------------------
 */

/* Fills in the distances of n values, less the means of rows and columns, plus the mean of all. */
static void centred_distances(const long double *x, int64_t n, long double *a) {
  long double means[MOST] = {0}, all = 0;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t l = 0; l < n; ++l) {
      a[k * n + l] = fabsl(x[k] - x[l]);
      means[k] += a[k * n + l] / (long double)n;
    }
  for (int64_t k = 0; k < n; ++k)
    all += means[k] / (long double)n;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t l = 0; l < n; ++l)
      a[k * n + l] += all - means[k] - means[l];
}

/* Returns the sum of the products of n values. */
static long double product(const long double *a, const long double *b, int64_t n) {
  long double sum = 0;
  for (int64_t k = 0; k < n; ++k)
    sum += a[k] * b[k];
  return sum;
}

/* Returns the square of the correlation of n rows of two columns. */
static double square_of(const dcor_case *c, const double *x, const double *y, int64_t n) {
  static long double a[MOST * MOST], b[MOST * MOST];
  long double u[MOST] = {0}, v[MOST] = {0};
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (isinf(x[k]) || isinf(y[k])) return NAN;
    if (isnan(x[k]) || isnan(y[k])) {
      if (c->options.use != GPUGEO_COR_USE_PAIRWISE) return NAN;
      continue;
    }
    u[count] = x[k];
    v[count++] = y[k];
  }
  if (count < 2) return NAN;
  centred_distances(u, count, a);
  centred_distances(v, count, b);
  const int64_t size = count * count;
  const long double divisor = sqrtl(product(a, a, size)) * sqrtl(product(b, b, size));
  return divisor > 0 ? (double)(product(a, b, size) / divisor) : 0;
}

/* --- Comparison --------------------------------------------------------------------------------
 */

/* Compares correlations with the definition. */
static void compare_all(const dcor_case *c, const double *got) {
  const int64_t others = c->two ? OTHERS : COLUMNS;
  int64_t wrong = 0;
  double value = 0, want = 0;
  for (int64_t j = 0; j < others; ++j)
    for (int64_t i = 0; i < COLUMNS; ++i) {
      const double square = square_of(c, c->x + i * c->n, c->y + j * c->n, c->n);
      const double mine = got[i + j * COLUMNS];
      if (isnan(square) ? isnan(mine) : fabs(mine * mine - square) <= 1e-13) continue;
      if (wrong++ == 0) value = mine * mine, want = square;
    }
  CHECK(wrong == 0, "%s, %lld rows, use %d: %lld are wrong: %.17g, expected %.17g",
        data_name(c->kind), (long long)c->n, c->options.use, (long long)wrong, value, want);
}

/* Computes a case on one thread and on several, dense and sparse, and compares the bits and with
   the definition. */
static void test_case(dcor_case *c) {
  gpugeo_matrix x = data_matrix(c->x, COLUMNS, c->n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 1);
  gpugeo_matrix y = data_matrix(c->y, OTHERS, c->n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  data_sparse sparse;
  data_sparse_make(&x, 0, 4, 3, &sparse);
  double out[3][COLUMNS * COLUMNS] = {{0}};
  gpugeo_error error = {0};
  for (int way = 0; way < 3; ++way) {
    c->options.run.threads = way == 1 ? 4 : 1;
    const gpugeo_status status =
        gpugeo_cor(way == 2 ? &sparse.matrix : &x, c->two ? &y : NULL, &c->options,
                   GPUGEO_TYPE_DOUBLE, out[way], NULL, &error);
    CHECK(!status, "%s: %s", data_name(c->kind), error.message);
    CHECK(memcmp(out[0], out[way], sizeof *out) == 0, "%s, %lld rows: other bits, way %d",
          data_name(c->kind), (long long)c->n, way);
  }
  compare_all(c, out[0]);
  data_sparse_free(&sparse);
  free((void *)x.data);
  free((void *)y.data);
}

/* Compares all options for data of a kind. */
static void test_kind(data_kind kind, int64_t n) {
  for (int choice = 0; choice < 4; ++choice) {
    dcor_case c = {.kind = kind, .n = n, .two = choice % 2};
    gpugeo_cor_options_init(&c.options, sizeof c.options);
    c.options.method = GPUGEO_COR_METHOD_DCOR;
    c.options.use = choice / 2 ? GPUGEO_COR_USE_PAIRWISE : GPUGEO_COR_USE_EVERYTHING;
    c.x = data_points(kind, COLUMNS, n, 5);
    c.y = c.two ? data_points(kind, OTHERS, n, 6) : c.x;
    test_case(&c);
    if (c.two) free(c.y);
    free(c.x);
  }
}

/* --- By hand -----------------------------------------------------------------------------------
 */

/* Returns the correlation of two columns of n rows. */
static double pair_of(const double *xy, int64_t n, gpugeo_type type) {
  const gpugeo_matrix x = {xy, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_DCOR;
  double out[4] = {0};
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  CHECK(!gpugeo_cor(&x, NULL, &options, type, out, &report, &error), "%s", error.message);
  CHECK(report.backend == GPUGEO_BACKEND_CPU && report.notes == 0, "notes %d", report.notes);
  return type == GPUGEO_TYPE_FLOAT ? (double)((float *)out)[2] : out[2];
}

/* Columns that are lines of each other, or have two rows, have 1, constant ones 0. */
static void test_by_hand(void) {
  const double line[6] = {1, 2, 4, -3, -6, -12}, two[4] = {1, 2, 7, 5};
  CHECK(fabs(pair_of(line, 3, GPUGEO_TYPE_DOUBLE) - 1) < 1e-15, "a line");
  CHECK(fabs(pair_of(two, 2, GPUGEO_TYPE_DOUBLE) - 1) < 1e-15, "two rows");
  /* a = (0 1 2; 1 0 1; 2 1 0) and b = (0 1 0; 1 0 1; 0 1 0), centred A = (-10 2 8; 2 -4 2; 8 2 -10)
     / 9 and B = (-2 4 -2; 4 -8 4; -2 4 -2) / 9: AB = 72, AA = 360, BB = 144, each / 81. */
  const double bend[6] = {-1, 0, 1, 1, 0, 1};
  const double want = sqrt(72 / sqrt(360.0 * 144));
  const double got = pair_of(bend, 3, GPUGEO_TYPE_DOUBLE);
  CHECK(fabs(got - want) < 1e-15, "%.17g, expected %.17g", got, want);
  CHECK(pair_of(bend, 3, GPUGEO_TYPE_FLOAT) == (double)(float)got, "as float");
  const double flat[6] = {1, 2, 3, 5, 5, 5};
  CHECK(pair_of(flat, 3, GPUGEO_TYPE_DOUBLE) == 0, "a constant column");
}

int main(void) {
  test_by_hand();
  for (int k = 0; k < KINDS; ++k)
    for (int64_t n = 1; n <= MOST; n = n < 5 ? n + 1 : 3 * n + 4)
      test_kind(kinds[k], n);
  return check_end();
}

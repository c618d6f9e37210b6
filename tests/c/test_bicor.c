/* Biweight midcorrelations, and Pearson's with weights, against their definitions, in long double
 * with sorted copies. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"

enum { COLUMNS = 7, OTHERS = 4, MOST = 130 };
static const data_kind kinds[] = {DATA_RANDOM,   DATA_TIED,    DATA_COUNTS,  DATA_CONSTANT,
                                  DATA_NEAR,     DATA_HUGE,    DATA_MISSING, DATA_WHOLE,
                                  DATA_INFINITE, DATA_DENORMAL};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One case. */
typedef struct bicor_case {
  data_kind kind;
  int64_t n;
  bool two;
  gpugeo_cor_options options;
  double *x, *y;
  double *x_weights, *y_weights; /* or NULL */
} bicor_case;

/* --- The definition ----------------------------------------------------------------------------
 */

static int compare(const void *a, const void *b) {
  const long double u = *(const long double *)a, v = *(const long double *)b;
  return (u > v) - (u < v);
}

/* Returns quantile p of n values, of type 7. */
static long double quantile(const long double *values, int64_t n, long double p) {
  long double sorted[MOST] = {0};
  memcpy(sorted, values, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, compare);
  const int64_t at = (int64_t)floorl((long double)(n - 1) * p);
  const long double part = (long double)(n - 1) * p - (long double)at;
  return at + 1 < n ? sorted[at] + part * (sorted[at + 1] - sorted[at]) : sorted[at];
}

/* Returns the median absolute deviation of n values. */
static long double deviation_of(const long double *values, int64_t n) {
  long double deviations[MOST] = {0};
  const long double median = quantile(values, n, 0.5L);
  for (int64_t k = 0; k < n; ++k)
    deviations[k] = fabsl(values[k] - median);
  return quantile(deviations, n, 0.5L);
}

/* Replaces n values by weighted deviations. Those of large values are found from their differences,
   which are exact. */
static void weigh(long double *z, int64_t n, const gpugeo_cor_options *o, bool cosine) {
  const long double first = z[0];
  for (int64_t k = 0; k < n; ++k)
    z[k] -= first;
  const long double median = quantile(z, n, 0.5L), width = 9 * deviation_of(z, n);
  const long double low = (median - quantile(z, n, o->max_outliers)) / width;
  const long double high = (quantile(z, n, 1 - (long double)o->max_outliers) - median) / width;
  for (int64_t k = 0; k < n; ++k) {
    const long double d = z[k] - median;
    long double u = d / width;
    if (d < 0 && low > 0.5L) u /= 2 * low;
    if (d > 0 && high > 0.5L) u /= 2 * high;
    z[k] = fabsl(u) < 1 ? (cosine ? z[k] + first : d) * (1 - u * u) * (1 - u * u) : 0;
  }
}

/* Replaces n values by deviations from their mean. */
static void centre(long double *z, int64_t n, bool cosine) {
  long double mean = 0;
  bool constant = true;
  for (int64_t k = 0; k < n; ++k) {
    mean += z[k] / (long double)n;
    constant &= z[k] == z[0];
  }
  for (int64_t k = 0; k < n && !cosine; ++k)
    z[k] = constant ? 0 : z[k] - mean;
}

/* Replaces n values by deviations from their weighted mean, times the weights. Deviations are sums
   of differences, which are exact, and 0 where all values with a weight are equal. */
static void centre_weighted(long double *z, const long double *w, int64_t n, bool cosine) {
  long double total = 0, made[MOST] = {0};
  for (int64_t k = 0; k < n; ++k)
    total += w[k];
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t l = 0; l < n && !cosine; ++l)
      if (w[k] > 0 && w[l] > 0) made[k] += w[l] / total * (z[k] - z[l]);
    made[k] = w[k] > 0 ? w[k] * (cosine ? z[k] : made[k]) : 0;
  }
  memcpy(z, made, (size_t)n * sizeof *z);
}

/* Transforms one side of a pair; NaN if there is no correlation. */
static void transform(long double *z, int64_t n, const gpugeo_cor_options *o, bool robust,
                      bool cosine) {
  if (!robust || !(deviation_of(z, n) > 0)) {
    centre(z, n, cosine);
    if (robust && o->pearson_fallback == GPUGEO_PEARSON_FALLBACK_NONE) z[0] = NAN;
    return;
  }
  weigh(z, n, o, cosine);
}

/* Returns the weight of row k; 1 without weights. */
static double weight_at(const double *weights, int64_t k) { return weights ? weights[k] : 1; }

/* Returns the correlation of n rows of two columns: i of x and j of y. */
static double correlation(const bicor_case *c, int64_t i, int64_t j) {
  const gpugeo_cor_options *o = &c->options;
  const int64_t n = c->n;
  const double *a = c->x + i * n, *b = c->y + j * n;
  const double *p = c->x_weights ? c->x_weights + i * n : NULL;
  const double *q = c->y_weights ? c->y_weights + j * n : NULL;
  const bool cosine = c->two ? o->cosine_y : o->cosine_x;
  long double u[MOST] = {0}, v[MOST] = {0}, of_u[MOST], of_v[MOST], uu = 0, vv = 0, uv = 0;
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    of_u[count] = weight_at(p, k);
    of_v[count] = weight_at(q, k);
    if ((isinf(a[k]) && of_u[count] != 0) || (isinf(b[k]) && of_v[count] != 0)) return NAN;
    if (isnan(a[k] + of_u[count]) || isnan(b[k] + of_v[count])) {
      if (o->use != GPUGEO_COR_USE_PAIRWISE) return NAN;
      continue;
    }
    u[count] = a[k];
    v[count++] = b[k];
  }
  if (count < 2) return NAN;
  if (o->method == GPUGEO_COR_METHOD_PEARSON) {
    centre_weighted(u, of_u, count, o->cosine_x);
    centre_weighted(v, of_v, count, cosine);
  } else {
    transform(u, count, o, o->robust_x, o->cosine_x);
    transform(v, count, o, c->two ? o->robust_y : o->robust_x, cosine);
  }
  for (int64_t k = 0; k < count; ++k) {
    uu += u[k] * u[k];
    vv += v[k] * v[k];
    uv += u[k] * v[k];
  }
  return (double)(uv / (sqrtl(uu) * sqrtl(vv)));
}

/* --- Comparison --------------------------------------------------------------------------------
 */

/* Compares correlations with the definition. */
static void compare_all(const bicor_case *c, const double *got) {
  const int64_t others = c->two ? OTHERS : COLUMNS;
  int64_t wrong = 0;
  double value = 0, want = 0;
  for (int64_t j = 0; j < others; ++j)
    for (int64_t i = 0; i < COLUMNS; ++i) {
      const double r = correlation(c, i, j);
      const double mine = got[i + j * COLUMNS];
      if (isnan(r) ? isnan(mine) : fabs(mine - r) <= 1e-13) continue;
      if (wrong++ == 0) value = mine, want = r;
    }
  CHECK(wrong == 0, "%s, %lld rows, use %d, fallback %d: %lld are wrong: %.17g, expected %.17g",
        data_name(c->kind), (long long)c->n, c->options.use, c->options.pearson_fallback,
        (long long)wrong, value, want);
}

/* Computes a case on one thread and on several, and compares the bits and with the definition. */
static void test_case(bicor_case *c) {
  gpugeo_matrix x = data_matrix(c->x, COLUMNS, c->n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 1);
  gpugeo_matrix y = data_matrix(c->y, OTHERS, c->n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  double out[2][COLUMNS * COLUMNS] = {{0}};
  gpugeo_error error = {0};
  for (int way = 0; way < 2; ++way) {
    c->options.run.threads = 1 + 3 * way;
    const gpugeo_status status =
        gpugeo_cor(&x, c->two ? &y : NULL, &c->options, GPUGEO_TYPE_DOUBLE, out[way], NULL, &error);
    CHECK(!status, "%s: %s", data_name(c->kind), error.message);
  }
  CHECK(memcmp(out[0], out[1], sizeof *out) == 0, "%s, %lld rows: other bits on 4 threads",
        data_name(c->kind), (long long)c->n);
  compare_all(c, out[0]);
  free((void *)x.data);
  free((void *)y.data);
}

/* Compares all options for data of a kind. */
static void test_kind(data_kind kind, int64_t n) {
  for (int choice = 0; choice < 48; ++choice) {
    bicor_case c = {.kind = kind, .n = n, .two = choice % 2};
    gpugeo_cor_options_init(&c.options, sizeof c.options);
    c.options.run.backend = GPUGEO_BACKEND_CPU;
    c.options.method = GPUGEO_COR_METHOD_BICOR;
    c.options.use = choice / 2 % 2 ? GPUGEO_COR_USE_PAIRWISE : GPUGEO_COR_USE_EVERYTHING;
    c.options.pearson_fallback = (gpugeo_pearson_fallback)(choice / 4 % 2);
    c.options.max_outliers = (const double[]){1, 0.1, 0}[choice / 8 % 3];
    c.options.robust_y = choice / 24 == 0;
    c.options.cosine_x = c.options.cosine_y = choice / 24;
    c.x = data_points(kind, COLUMNS, n, 5);
    c.y = c.two ? data_points(kind, OTHERS, n, 6) : c.x;
    test_case(&c);
    if (c.two) free(c.y);
    free(c.x);
  }
}

/* Returns weights for n values: 0 to 3, of which `gaps` are missing. */
static double *make_weights(int64_t n, bool gaps) {
  double *weights = malloc((size_t)(n + 1) * sizeof *weights);
  for (int64_t k = 0; k < n; ++k)
    weights[k] = gaps && k % 17 == 3 ? NAN : (double)(k * k % 7 % 4) * (k % 5 == 0 ? 0.3 : 1);
  return weights;
}

/* Compares Pearson's correlations and cosines with weights, of one matrix or of either. */
static void test_weights(data_kind kind, int64_t n) {
  for (int choice = 0; choice < 32; ++choice) {
    bicor_case c = {.kind = kind, .n = n, .two = choice % 2};
    gpugeo_cor_options_init(&c.options, sizeof c.options);
    c.options.run.backend = GPUGEO_BACKEND_CPU;
    c.options.use = choice / 2 % 2 ? GPUGEO_COR_USE_PAIRWISE : GPUGEO_COR_USE_EVERYTHING;
    c.options.cosine_x = choice / 4 % 2;
    c.options.cosine_y = choice / 8 % 2;
    c.x = data_points(kind, COLUMNS, n, 5);
    c.y = c.two ? data_points(kind, OTHERS, n, 6) : c.x;
    const bool gaps = choice / 16;
    c.x_weights = make_weights(COLUMNS * n, gaps);
    c.options.weights_x = (gpugeo_matrix){c.x_weights, GPUGEO_TYPE_DOUBLE, n, COLUMNS, n, NULL};
    c.y_weights = c.two && gaps ? make_weights(OTHERS * n, !gaps) : c.two ? NULL : c.x_weights;
    if (c.two && gaps)
      c.options.weights_y = (gpugeo_matrix){c.y_weights, GPUGEO_TYPE_DOUBLE, n, OTHERS, n, NULL};
    test_case(&c);
    if (c.two) free(c.y_weights);
    if (c.two) free(c.y);
    free(c.x_weights);
    free(c.x);
  }
}

/* --- By hand -----------------------------------------------------------------------------------
 */

/* Returns bicor of two columns of n rows with a fallback, and the report. */
static double pair_of(const double *xy, int64_t n, gpugeo_pearson_fallback fallback,
                      gpugeo_report *report) {
  const gpugeo_matrix x = {xy, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_BICOR;
  options.pearson_fallback = fallback;
  double out[4] = {0};
  gpugeo_error error = {0};
  CHECK(!gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, report, &error), "%s",
        error.message);
  return out[2];
}

/* Deviations -2 -1 0 1 97 and -1 -2 0 2 1 from the medians have the weights (1 - (d / 9)^2)^2. With
   a = 6400 and b = 11858, the columns are (-b, -a, 0, a, 0) and (-a, -b, 0, b, a) / 6561. */
static void test_by_hand(void) {
  const double xy[10] = {1, 2, 3, 4, 100, 2, 1, 3, 5, 4}, a = 6400, b = 11858;
  const double want = 3 * a * b / (sqrt(b * b + 2 * a * a) * sqrt(2 * a * a + 2 * b * b));
  gpugeo_report report = {0};
  const double got = pair_of(xy, 5, GPUGEO_PEARSON_FALLBACK_INDIVIDUAL, &report);
  CHECK(fabs(got - want) < 4 * DBL_EPSILON && report.notes == 0, "%.17g, expected %.17g", got,
        want);
  /* Column 1 is 0 but for one value; column 2 is (-a, -b, 0, b, a). Pearson's deviations of column
     1 are (-1, -1, -1, -1, 4), of column 2 (-1, -2, 0, 2, 1). */
  const double flat[10] = {0, 0, 0, 0, 5, 2, 1, 3, 5, 4};
  const double one = pair_of(flat, 5, GPUGEO_PEARSON_FALLBACK_INDIVIDUAL, &report);
  CHECK(fabs(one - 5 * a / (sqrt(20) * sqrt(2 * a * a + 2 * b * b))) < 4 * DBL_EPSILON, "%.17g",
        one);
  CHECK(report.notes == GPUGEO_NOTE_ZERO_MAD && report.missing.x_rows == 1 &&
            report.missing.x_first[0] == 0 && report.missing.y_rows == 0,
        "notes %d", report.notes);
  const double all = pair_of(flat, 5, GPUGEO_PEARSON_FALLBACK_ALL, &report);
  CHECK(fabs(all - 5 / sqrt(200)) < 4 * DBL_EPSILON, "%.17g", all);
  CHECK(isnan(pair_of(flat, 5, GPUGEO_PEARSON_FALLBACK_NONE, &report)), "without a fallback");
}

int main(void) {
  test_by_hand();
  for (int k = 0; k < KINDS; ++k)
    for (int64_t n = 1; n <= MOST; n = n < 4 ? n + 1 : 5 * n + 5)
      test_kind(kinds[k], n), test_weights(kinds[k], n);
  return check_end();
}

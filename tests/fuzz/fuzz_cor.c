/* Fuzzes gpugeo_cor(): any matrices and options. Checks that the result does not depend on the way
   to compute, that it is symmetric, correlations in [-1, 1], and simple columns against exact sums.
 */
#include "fuzz.h"

static void check_values(const gpugeo_cor_options *o, const double *r, int64_t nx, int64_t ny,
                         bool within) {
  for (int64_t j = 0; j < ny; ++j)
    for (int64_t i = 0; i < nx; ++i) {
      const double value = r[i + j * nx];
      demand(isnan(value) || o->covariance || fabs(value) <= 1);
      if (within) demand(memcmp(&value, &r[j + i * nx], sizeof value) == 0);
    }
}

/* What sums of products are divided by. */
static double divisor(gpugeo_covariance covariance, double n) {
  const bool all = covariance == GPUGEO_COVARIANCE_POPULATION;
  return all || (covariance == GPUGEO_COVARIANCE_MATLAB && n < 2) ? n : n - 1;
}

/* Pearson's correlation of two columns whose sums are exact, or their covariance. */
static double simple_value(const gpugeo_cor_options *o, const gpugeo_matrix *x,
                           const gpugeo_matrix *y, int64_t i, int64_t j) {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  const double n = (double)x->nrow;
  for (int64_t k = 0; k < x->nrow; ++k) {
    const double u = element(x, k, i), v = element(y, k, j);
    a += u;
    b += v;
    aa += u * u;
    bb += v * v;
    ab += u * v;
  }
  if (o->covariance) return (n * ab - a * b) / (n * divisor(o->covariance, n));
  return (n * ab - a * b) / (sqrt(n * aa - a * a) * sqrt(n * bb - b * b));
}

static void check_simple(const gpugeo_cor_options *o, const gpugeo_matrix *x,
                         const gpugeo_matrix *y, const double *r) {
  const double slack = o->covariance ? 1e-9 : 1e-12;
  if (!is_simple_matrix(x) || !is_simple_matrix(y)) return;
  for (int64_t j = 0; j < y->ncol; ++j)
    for (int64_t i = 0; i < x->ncol; ++i) {
      const double wanted = simple_value(o, x, y, i, j), value = r[i + j * x->ncol];
      if (x == y && i == j && !o->covariance) {
        demand(isnan(value) || value == 1); /* of a constant column it is 1, as in R */
        continue;
      }
      demand(!isfinite(wanted) ? isnan(value) : fabs(value - wanted) < slack);
    }
}

static gpugeo_status compute(gpugeo_cor_options *o, const gpugeo_matrix *x, const gpugeo_matrix *y,
                             int64_t work_bytes, double *r, double *other, size_t size) {
  gpugeo_status status = GPUGEO_OK;
  for (int way = 0; way < WAYS; ++way) {
    gpugeo_error error;
    set_way(&o->run, way, work_bytes);
    const gpugeo_status now =
        gpugeo_cor(x, y, o, GPUGEO_TYPE_DOUBLE, way ? other : r, NULL, &error);
    demand_status(now, ALLOW_ARGUMENT | ALLOW_DATA, &error);
    demand(way == 0 || now == status);
    if (way && !now) demand(memcmp(r, other, size) == 0);
    status = now;
  }
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_cor_options o;
  gpugeo_cor_options_init(&o, sizeof o);
  o.method = (gpugeo_cor_method)take(&b, 2);
  o.use = (gpugeo_cor_use)take(&b, 5);
  const int kind = take(&b, 9);
  o.run.precision = (gpugeo_precision)(kind % 2);
  o.covariance = (gpugeo_covariance)(kind / 2); /* 4 is refused */
  const int64_t work_bytes = take(&b, 255);
  const int64_t rows = take(&b, 30), nx = take(&b, 30), ny = take(&b, 20);
  const bool within = take(&b, 1);
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), rows, nx);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), rows, ny);
  const int64_t columns = within ? nx : ny;
  const size_t room = (size_t)(nx * columns) * sizeof(double);
  double *r = malloc(room + 1), *other = malloc(room + 1);
  if (!compute(&o, &x, within ? NULL : &y, work_bytes, r, other, room)) {
    check_values(&o, r, nx, columns, within);
    if (o.method == GPUGEO_COR_METHOD_PEARSON && o.run.precision == GPUGEO_PRECISION_DOUBLE)
      check_simple(&o, &x, within ? &x : &y, r);
  }
  free(r);
  free(other);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}

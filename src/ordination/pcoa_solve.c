/* Principal coordinates by a backend's products: the spectrum, the corrections of negative
   eigenvalues, and the axes. */
#include "ordination/pcoa_solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/symmetric_eigen.h"

enum {
  SMALL = 256,     /* up to so many points all eigenvalues take less than 0.1 s */
  MOST_TURNS = 50, /* of the search for Cailliez' constant; 4 to 6 are usual */
  BATCH = 16       /* panels that are multiplied at a time for the matrix of few points */
};

/* Squares of distances beyond these bounds might overflow or vanish in products. */
static const double most_unscaled = 0x1p200, least_unscaled = 0x1p-200;

/* What a solution works with. */
typedef struct solution {
  const gg_pcoa_plan *plan;
  const gg_gower *gower;
  gg_distance_sums sums;
  gg_gower_matrix matrix;
  double noise; /* eigenvalues up to this in magnitude may be due to rounding */
  bool small;   /* all eigenvalues are computed */
  double *value, *residual, *vector; /* of one spectrum: room for k + 1, vectors of n */
  double positive_sum, negative_sum; /* of all eigenvalues, NaN where they are not known */
  double done;                       /* of the call's progress */
} solution;

/* True if all eigenvalues are computed. The smallest one may be wanted, too: k + 1 in all. */
static bool is_small(int64_t n, int64_t k) {
  return n <= SMALL || n <= (gg_krylov_limit(k + 1) + 1) * GG_PANEL;
}

double gg_pcoa_working(int64_t n, int64_t k) {
  const double points = (double)n, block = (double)gg_krylov_block(k + 1);
  const double limit = (double)gg_krylov_limit(k + 1), axes = (double)(k + 1);
  const double side = limit * GG_PANEL;
  const double panels = is_small(n, k) ? 2 * BATCH : limit + 2 * block + 4;
  const double square = is_small(n, k) ? points * points : side * side;
  return 8 * (panels * GG_PANEL * points + 4 * square + axes * points);
}

/* --- Spectra ---------------------------------------------------------------------------------- */

/* Multiplies `count` panels of the identity, from panel `first` on, and writes the products as
   columns. host: room for a panel. */
static gpugeo_status fill_columns(solution *s, const gg_gower_matrix *matrix, double **panel,
                                  int64_t first, int64_t count, double *host, double *a,
                                  gpugeo_error *error) {
  const gg_gower *gower = s->gower;
  const int64_t n = gower->n;
  for (int64_t t = 0; t < count; ++t) {
    const int64_t point = (first + t) * GG_PANEL;
    memset(host, 0, (size_t)(n * GG_PANEL) * sizeof *host);
    for (int64_t l = 0; l < GG_PANEL && point + l < n; ++l)
      host[(point + l) * GG_PANEL + l] = 1;
    gower->panel_write(gower, host, panel[t]);
  }
  const gpugeo_status status =
      gower->multiply(gower, matrix, panel, count, panel + BATCH, s->done, error);
  for (int64_t t = 0; !status && t < count; ++t) {
    gower->panel_read(gower, panel[BATCH + t], host);
    for (int64_t l = 0, j = (first + t) * GG_PANEL; l < GG_PANEL && j < n; ++l, ++j)
      for (int64_t i = 0; i < n; ++i)
        a[j * n + i] = host[i * GG_PANEL + l];
  }
  return status;
}

/* Writes -1/2 A: products with unit vectors. */
static gpugeo_status fill_matrix(solution *s, const gg_gower_matrix *matrix, double *a,
                                 gpugeo_error *error) {
  const int64_t n = s->gower->n, all = (n + GG_PANEL - 1) / GG_PANEL;
  double *host = gg_allocate(n * GG_PANEL, sizeof *host);
  double **panel = host ? gg_panels_make(s->gower, 2 * BATCH, error) : NULL;
  gpugeo_status status = panel ? GPUGEO_OK : GPUGEO_ERROR_MEMORY;
  if (!host) status = gg_fail_memory(error, n * GG_PANEL * (int64_t)sizeof *host);
  for (int64_t first = 0; !status && first < all; first += BATCH)
    status = fill_columns(s, matrix, panel, first, gg_smaller(BATCH, all - first), host, a, error);
  gg_panels_free(s->gower, panel, 2 * BATCH);
  gg_free(host);
  return status;
}

/* Makes B of -1/2 A, which is symmetric. mean: room for n. Gives the constant, whose eigenvalue is
   0, the smallest one by far. */
static void centre_matrix(double *a, int64_t n, double *mean) {
  double whole = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    mean[i] = 0;
    for (int64_t j = 0; j < n; ++j)
      mean[i] += a[i * n + j];
    mean[i] /= (double)n;
    whole += mean[i] / (double)n;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      a[i * n + j] = a[i * n + j] - (mean[i] + mean[j]) + whole;
      squares += a[i * n + j] * a[i * n + j];
    }
  for (int64_t i = 0; i < n * n; ++i)
    a[i] -= 2 * sqrt(squares) / (double)n;
}

/* Returns the norm of b v - value v; b: n by n, vector: v of length n. */
static double residual_of(const double *b, int64_t n, const double *vector, double value) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += b[i * n + j] * vector[j];
    sum -= value * vector[i];
    squares += sum * sum;
  }
  return sqrt(squares);
}

/* Takes the eigenvalues that are wanted from all of them, without that of the constant. */
static void take_spectrum(solution *s, int64_t top, int64_t bottom, const double *b,
                          const double *value, const double *vector) {
  const int64_t n = s->gower->n;
  s->positive_sum = s->negative_sum = 0;
  for (int64_t i = 0; i < n - 1; ++i) {
    if (value[i] > s->noise) s->positive_sum += value[i];
    if (value[i] < -s->noise) s->negative_sum += value[i];
  }
  for (int64_t i = 0; i < top + bottom; ++i) {
    const int64_t which = i < top ? i : n - 2;
    s->value[i] = value[which];
    s->residual[i] = residual_of(b, n, vector + which * n, value[which]);
    memcpy(s->vector + i * n, vector + which * n, (size_t)n * sizeof *vector);
  }
}

/* Computes all eigenvalues. */
static gpugeo_status solve_small(solution *s, const gg_gower_matrix *matrix, int64_t top,
                                 int64_t bottom, gpugeo_error *error) {
  const int64_t n = s->gower->n;
  double *a = gg_allocate(n * n, sizeof *a), *b = gg_allocate(n * n, sizeof *b);
  double *vector = gg_allocate(n * n, sizeof *vector), *value = gg_allocate(5 * n, sizeof *value);
  gpugeo_status status = a && b && vector && value
                             ? fill_matrix(s, matrix, a, error)
                             : gg_fail_memory(error, (3 * n + 5) * n * (int64_t)sizeof *a);
  if (!status) {
    centre_matrix(a, n, value);
    memcpy(b, a, (size_t)(n * n) * sizeof *a);
    ++s->plan->result->passes;
    if (!gg_symmetric_eigen(a, n, value, vector, value + n, s->gower->clock, s->done))
      status = gg_fail_interrupt(error);
  }
  if (!status) take_spectrum(s, top, bottom, b, value, vector);
  gg_free(a);
  gg_free(b);
  gg_free(vector);
  gg_free(value);
  return status;
}

/* Computes `top` largest eigenvalues and `bottom` smallest ones, 0 or 1, with their vectors. first:
   a vector near one of them, or NULL. */
static gpugeo_status solve_eigen(solution *s, const gg_gower_matrix *matrix, int64_t top,
                                 int64_t bottom, const double *first, double share,
                                 gpugeo_error *error) {
  const gg_pcoa_plan *plan = s->plan;
  if (s->small) return solve_small(s, matrix, top, bottom, error);
  gg_krylov search = {.gower = s->gower,
                      .matrix = *matrix,
                      .first = first,
                      .top = top,
                      .bottom = bottom,
                      .tolerance = plan->tolerance,
                      .noise = s->noise,
                      .most = plan->most,
                      .done = s->done,
                      .share = share,
                      .value = s->value,
                      .residual = s->residual,
                      .vector = s->vector};
  const gpugeo_status status = gg_krylov_search(&search, error);
  plan->result->passes += search.passes;
  if (!status && !search.converged) plan->result->converged = 0;
  s->positive_sum = s->negative_sum = NAN;
  return status;
}

/* --- Corrections ------------------------------------------------------------------------------ */

/* Computes v' B v of the distances themselves instead of their squares. */
static gpugeo_status root_form(solution *s, const double *v, double *form, gpugeo_error *error) {
  const gg_gower *gower = s->gower;
  const int64_t n = gower->n;
  double *host = gg_allocate_large(n * GG_PANEL, sizeof *host);
  if (!host) return gg_fail_memory(error, n * GG_PANEL * (int64_t)sizeof *host);
  double **panel = gg_panels_make(gower, 2, error);
  gpugeo_status status = panel ? GPUGEO_OK : GPUGEO_ERROR_MEMORY;
  memset(host, 0, (size_t)(n * GG_PANEL) * sizeof *host);
  for (int64_t i = 0; i < n; ++i)
    host[i * GG_PANEL] = v[i];
  const gg_gower_matrix matrix = {.root = true, .scale = s->matrix.scale};
  if (!status) {
    gower->panel_write(gower, host, panel[0]);
    status = gower->multiply(gower, &matrix, panel, 1, panel + 1, s->done, error);
    gower->panel_read(gower, panel[1], host);
  }
  ++s->plan->result->passes;
  *form = 0;
  for (int64_t i = 0; !status && i < n; ++i)
    *form += v[i] * host[i * GG_PANEL];
  gg_panels_free(gower, panel, 2);
  gg_free(host);
  return status;
}

/*
 * Finds the smallest c for which B of the distances d + c has no negative eigenvalue. For a vector
 * v orthogonal to the constant, v' B v = v' B1 v + 2 c v' B2 v + c^2 / 2, with B1 of the squares
 * and B2 of the distances themselves; c is the largest of the largest roots of that for all v. From
 * a c that is too small, the root for the eigenvector of the smallest eigenvalue is nearer,
 * quadratically.
 */
static gpugeo_status find_cailliez(solution *s, gpugeo_error *error) {
  gg_gower_matrix *matrix = &s->matrix;
  gpugeo_status status = GPUGEO_OK;
  double *v = gg_allocate(s->plan->n, sizeof *v);
  if (!v) return gg_fail_memory(error, s->plan->n * (int64_t)sizeof *v);
  for (int turn = 0; !status && turn < MOST_TURNS; ++turn) {
    const double c = matrix->shift, share = (1 - s->done) / 4;
    double form = 0;
    status = solve_eigen(s, matrix, 0, 1, turn ? v : NULL, share, error);
    s->done += share;
    if (turn == 0) s->plan->result->smallest = s->value[0];
    if (status || s->value[0] >= -s->noise) break;
    memcpy(v, s->vector, (size_t)s->plan->n * sizeof *v);
    status = root_form(s, v, &form, error);
    const double squares = s->value[0] - 2 * c * form - c * c / 2;
    matrix->shift = -2 * form + sqrt(4 * form * form - 2 * squares);
    if (!(matrix->shift > c * (1 + 4 * DBL_EPSILON))) break;
  }
  const double stretch = 1 + matrix->shift / (s->sums.largest * matrix->scale);
  if (matrix->shift > 0) s->noise *= stretch * stretch;
  gg_free(v);
  return status;
}

/* Computes the axes, with Lingoes' constant if it is wanted: it adds to all eigenvalues and changes
   no eigenvector. */
static gpugeo_status find_axes(solution *s, gpugeo_error *error) {
  const gg_pcoa_plan *plan = s->plan;
  gpugeo_pcoa_result *result = plan->result;
  const bool lingoes = plan->correction == GPUGEO_PCOA_CORRECTION_LINGOES;
  const bool cailliez = plan->correction == GPUGEO_PCOA_CORRECTION_CAILLIEZ;
  const double n = (double)plan->n, c = s->matrix.shift, pairs = n * (n - 1) / 2;
  gpugeo_status status =
      solve_eigen(s, &s->matrix, plan->k, lingoes || s->small, NULL, 1 - s->done, error);
  if (status) return status;
  result->constant = c;
  result->trace = (s->sums.squares + 2 * c * s->sums.sum + c * c * pairs) / n;
  if (cailliez) s->negative_sum = 0;
  if (!cailliez && (lingoes || s->small)) result->smallest = fmin(s->value[plan->k], 0);
  if (!cailliez && result->smallest >= -s->noise) result->smallest = 0;
  if (!lingoes) return GPUGEO_OK;
  result->constant = -result->smallest;
  result->trace += result->constant * (n - 1);
  s->negative_sum = 0;
  for (int64_t i = 0; i < plan->k; ++i)
    s->value[i] += result->constant;
  return GPUGEO_OK;
}

/* --- The result ------------------------------------------------------------------------------- */

/* Writes an axis: an eigenvector times the root of its eigenvalue, with its sign. */
static void write_axis(const double *vector, int64_t n, double length, double *out) {
  int64_t largest = 0;
  for (int64_t i = 1; i < n; ++i)
    if (fabs(vector[i]) > fabs(vector[largest])) largest = i;
  const double factor = vector[largest] < 0 ? -length : length;
  for (int64_t i = 0; i < n; ++i)
    out[i] = vector[i] * factor + 0.0; /* no -0 */
}

/* Writes all but the constants, which find_axes() has written, in the units of the distances. */
static void write_result(const solution *s) {
  const gg_pcoa_plan *plan = s->plan;
  gpugeo_pcoa_result *result = plan->result;
  const double scale = s->matrix.scale; /* its square may overflow */
  result->positive = 0;
  for (int64_t i = 0; i < plan->k; ++i) {
    const bool known = fabs(s->value[i]) > s->noise, positive = known && s->value[i] > 0;
    result->eigenvalue[i] = known ? s->value[i] / scale / scale : 0;
    result->residual[i] = s->residual[i] / scale / scale;
    result->positive += positive;
    write_axis(s->vector + i * plan->n, plan->n, positive ? sqrt(s->value[i]) / scale : 0,
               result->coordinates + i * plan->n);
  }
  result->negative_sum = s->negative_sum / scale / scale;
  result->trace = result->trace / scale / scale;
  result->smallest = result->smallest / scale / scale;
  result->constant /= scale;
  if (plan->correction != GPUGEO_PCOA_CORRECTION_CAILLIEZ) result->constant /= scale;
}

/* Measures the distances, and chooses the power of two by which they are multiplied. */
static gpugeo_status measure_distances(solution *s, gpugeo_error *error) {
  const gg_gower *gower = s->gower;
  gpugeo_status status = gower->measure(gower, 1, &s->sums, s->done, error);
  ++s->plan->result->passes;
  const double largest = s->sums.largest;
  if (!status && largest > 0 && (largest > most_unscaled || largest < least_unscaled)) {
    int exponent = 0;
    frexp(largest, &exponent);
    s->matrix.scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    status = gower->measure(gower, s->matrix.scale, &s->sums, s->done, error);
    ++s->plan->result->passes;
  }
  /* The norm of A, at most, times the relative error of sums of so many products. */
  s->noise = 4 * DBL_EPSILON * sqrt(2 * s->sums.squares) * largest * s->matrix.scale;
  return status;
}

gpugeo_status gg_pcoa_solve(const gg_pcoa_plan *plan, const gg_gower *gower, gpugeo_error *error) {
  const int64_t axes = plan->k + 1;
  solution s = {.plan = plan,
                .gower = gower,
                .matrix.scale = 1,
                .small = is_small(plan->n, plan->k),
                .value = gg_allocate(axes, sizeof *s.value),
                .residual = gg_allocate(axes, sizeof *s.residual),
                .vector = gg_allocate_large(axes * plan->n, sizeof *s.vector),
                .done = plan->done};
  plan->result->converged = 1;
  plan->result->passes = 0;
  plan->result->smallest = NAN;
  gpugeo_status status = s.value && s.residual && s.vector
                             ? measure_distances(&s, error)
                             : gg_fail_memory(error, axes * plan->n * (int64_t)sizeof *s.vector);
  if (!status && plan->correction == GPUGEO_PCOA_CORRECTION_CAILLIEZ)
    status = find_cailliez(&s, error);
  if (!status) status = find_axes(&s, error);
  if (!status) write_result(&s);
  gg_free(s.value);
  gg_free(s.residual);
  gg_free(s.vector);
  return status;
}

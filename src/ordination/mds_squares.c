/*
 * Scaling by squares of distances, the loss SSTRESS (Takane, Young and de Leeuw 1977): conjugate
 * gradients of Polak and Ribiere, restarted where their factor is not positive. Along a line the
 * loss is a polynomial of degree 4, whose minimum is found exactly. Disparities, if they are
 * fitted, are fixed in a step: the fit after it lowers the loss further. Sums over pairs are those
 * of columns, in their order.
 */
#include "ordination/mds_squares.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "ordination/mds_fit.h"

static const double no_stress = 1e-10; /* counts as 0 */

/* What a search works with. Configurations are padded by k. */
typedef struct search {
  const gg_mds_plan *plan;
  const gg_mds_products *products;
  gg_mds_fit *fit;
  int64_t size;                   /* of a configuration */
  double *gradient, *last, *step; /* of the loss, before, and the direction */
  double factor;                  /* of the values of pairs, for the best scale */
  double done;                    /* of the call's progress */
} search;

/* Adds to the sums of a column of pairs. */
typedef void add_column(const search *s, int64_t column, double *sums);

/* Sums that are added to for each column. */
typedef struct columns {
  const search *s;
  add_column *add;
} columns;

/* Computes the sums of a range of columns; the loop's work. */
static void add_columns(void *own, gg_range range) {
  const columns *c = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *sums = c->s->fit->sums + j * GG_MDS_FIT_SUMS;
    memset(sums, 0, GG_MDS_FIT_SUMS * sizeof *sums);
    c->add(c->s, j, sums);
  }
}

/* Adds up the sums of all columns, in their order. */
static gpugeo_status add_all(const search *s, add_column *add, double *sums, gpugeo_error *error) {
  columns c = {.s = s, .add = add};
  const gg_loop loop = {.threads = s->plan->threads,
                        .count = s->plan->n - 1,
                        .work = add_columns,
                        .job = &c,
                        .clock = s->fit->clock,
                        .begun = s->done};
  if (!gg_parallel_for(&loop)) return gg_fail_interrupt(error);
  memset(sums, 0, GG_MDS_FIT_SUMS * sizeof *sums);
  for (int64_t j = 0; j < s->plan->n - 1; ++j)
    for (int i = 0; i < GG_MDS_FIT_SUMS; ++i)
      sums[i] += s->fit->sums[j * GG_MDS_FIT_SUMS + i];
  return GPUGEO_OK;
}

/* Returns the scaled weight of a pair. */
static double weight_of(const gg_mds_fit *fit, int64_t at) {
  return fit->weight ? fit->weight[at] * fit->weight_scale : 1;
}

/* Returns the index of the first pair of a column. */
static int64_t first_of(const search *s, int64_t column) {
  return column * (2 * s->plan->n - column - 1) / 2;
}

/* Adds weight times value^2, and times disparity. */
static void add_scale(const search *s, int64_t column, double *sums) {
  const gg_mds_fit *fit = s->fit;
  const int64_t first = first_of(s, column), end = first + s->plan->n - 1 - column;
  for (int64_t at = first; at < end; ++at) {
    const double weighted = weight_of(fit, at) * fit->value[at];
    sums[0] += weighted * fit->value[at];
    sums[1] += weighted * fit->fitted[at];
  }
}

/* Writes weight times residual of each pair, and adds weight times residual^2. */
static void add_residuals(const search *s, int64_t column, double *sums) {
  const gg_mds_fit *fit = s->fit;
  const int64_t first = first_of(s, column), end = first + s->plan->n - 1 - column;
  for (int64_t at = first; at < end; ++at) {
    const double residual = s->factor * fit->value[at] - fit->fitted[at];
    fit->residual[at] = weight_of(fit, at) * residual;
    sums[0] += fit->residual[at] * residual;
  }
}

/* Adds the coefficients of t to t^4 in the loss of x + t step. */
static void add_coefficients(const search *s, int64_t column, double *sums) {
  const gg_mds_plan *plan = s->plan;
  const int64_t first = first_of(s, column) - column - 1;
  for (int64_t i = column + 1; i < plan->n; ++i) {
    double slope = 0, curve = 0;
    for (int64_t c = 0; c < plan->k; ++c) {
      const double *x = plan->x + c * plan->padded, *step = s->step + c * plan->padded;
      const double moved = step[i] - step[column];
      slope += 2 * (x[i] - x[column]) * moved;
      curve += moved * moved;
    }
    const double weight = weight_of(s->fit, first + i), residual = s->fit->residual[first + i];
    sums[0] += 2 * residual * slope;
    sums[1] += weight * slope * slope + 2 * residual * curve;
    sums[2] += 2 * weight * slope * curve;
    sums[3] += weight * curve * curve;
  }
}

/* --- A line ----------------------------------------------------------------------------------- */

/* Returns c[0] t + c[1] t^2 + c[2] t^3 + c[3] t^4. */
static double value_at(const double *c, double t) {
  return t * (c[0] + t * (c[1] + t * (c[2] + t * c[3])));
}

/* Returns its derivative. */
static double slope_at(const double *c, double t) {
  return c[0] + t * (2 * c[1] + t * (3 * c[2] + t * 4 * c[3]));
}

/* Returns where the derivative changes its sign from negative to positive between two numbers, or
   0 if it does not. */
static double root_between(const double *c, double low, double high) {
  if (!(slope_at(c, low) < 0 && slope_at(c, high) > 0)) return 0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    if (slope_at(c, middle) < 0)
      low = middle;
    else
      high = middle;
  }
}

/* Returns where the polynomial, whose last coefficient is positive, is smallest. */
static double smallest_at(const double *c) {
  const double most = fmax(fabs(c[0]), fmax(fabs(2 * c[1]), fabs(3 * c[2]))) / (4 * c[3]);
  const double bound = 1 + most, middle = -c[2] / (4 * c[3]); /* of the roots of its slope */
  const double inside = middle * middle - c[1] / (6 * c[3]);
  const double half_distance =
      inside > 0 ? sqrt(inside) : 0; /* the slope turns at middle +- half_distance */
  const double low = root_between(c, -bound, half_distance > 0 ? middle - half_distance : bound);
  const double high = half_distance > 0 ? root_between(c, middle + half_distance, bound) : low;
  const double best = value_at(c, low) < value_at(c, high) ? low : high;
  return value_at(c, best) < 0 ? best : 0;
}

/* --- The search ------------------------------------------------------------------------------- */

/* Fits to x, computes the stress at the best scale of x, and scales x so. */
static gpugeo_status measure_stress(search *s, double *stress, gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  double sums[GG_MDS_FIT_SUMS];
  gpugeo_status status = gg_mds_fit_to(s->fit, plan->x, plan->padded, plan->k, s->done, error);
  if (!status) status = add_all(s, add_scale, sums, error);
  if (status) return status;
  if (!(sums[0] > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "start",
                   "start must have points at different positions");
  s->factor = sums[1] > 0 ? sums[1] / sums[0] : 1;
  for (int64_t i = 0; i < s->size; ++i)
    plan->x[i] *= sqrt(s->factor);
  status = add_all(s, add_residuals, sums, error);
  *stress = sqrt(sums[0] / s->fit->total);
  return status;
}

/* Returns the sum of products. */
static double dot(const search *s, const double *a, const double *b) {
  double sum = 0;
  for (int64_t i = 0; i < s->size; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Computes the gradient, a quarter of it, and turns the direction; `steepest`: to the negative
   gradient, which is also set where no other direction descends. */
static gpugeo_status turn_direction(search *s, bool *steepest, gpugeo_error *error) {
  double *other = s->last;
  s->last = s->gradient;
  s->gradient = other;
  const gpugeo_status status =
      s->products->weigh(s->products->own, s->plan->x, s->gradient, s->done, error);
  if (status) return status;
  const double before = dot(s, s->last, s->last), now = dot(s, s->gradient, s->gradient);
  const double factor =
      *steepest || !(before > 0) ? 0 : (now - dot(s, s->gradient, s->last)) / before;
  for (int64_t i = 0; i < s->size; ++i)
    s->step[i] = (factor > 0 ? factor * s->step[i] : 0) - s->gradient[i];
  *steepest = !(factor > 0 && dot(s, s->step, s->gradient) < 0);
  for (int64_t i = 0; *steepest && i < s->size; ++i)
    s->step[i] = -s->gradient[i];
  return GPUGEO_OK;
}

/* Moves x to the smallest loss along the direction. */
static gpugeo_status move_points(const search *s, gpugeo_error *error) {
  double sums[GG_MDS_FIT_SUMS];
  const gpugeo_status status = add_all(s, add_coefficients, sums, error);
  if (status) return status;
  const double t = sums[3] > 0 ? smallest_at(sums) : 0;
  for (int64_t i = 0; i < s->size; ++i)
    s->plan->x[i] += t * s->step[i];
  return GPUGEO_OK;
}

/* Iterates until a step along the gradient lowers the stress by no more than the tolerance, or the
   iterations are used up. */
static gpugeo_status iterate_points(search *s, gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  gpugeo_mds_result *result = plan->result;
  double stress = 0;
  bool steepest = true;
  result->converged = 0;
  gpugeo_status status = measure_stress(s, &result->stress, error);
  for (result->iterations = 0; !status; ++result->iterations) {
    result->converged = result->converged || result->stress <= no_stress;
    if (result->converged || result->iterations >= plan->most) break;
    s->done = plan->done + (1 - plan->done) * (double)result->iterations / (double)plan->most;
    status = turn_direction(s, &steepest, error);
    if (!status) status = move_points(s, error);
    if (!status) status = measure_stress(s, &stress, error);
    if (status) break;
    const bool ends = result->stress - stress <= plan->tolerance * result->stress;
    result->converged = ends && steepest;
    result->stress = stress;
    steepest = ends;
  }
  return status;
}

gpugeo_status gg_mds_solve_squares(const gg_mds_plan *plan, const gg_mds_products *products,
                                   gpugeo_error *error) {
  const int64_t size = plan->padded * plan->k;
  double *memory = gg_allocate_zeros(3 * size, sizeof *memory);
  if (!memory) return gg_fail_memory(error, 3 * size * (int64_t)sizeof *memory);
  search s = {.plan = plan,
              .products = products,
              .fit = plan->fit,
              .size = size,
              .gradient = memory,
              .last = memory + size,
              .step = memory + 2 * size,
              .done = plan->done};
  const gpugeo_status status = iterate_points(&s, error);
  gg_free(memory);
  return status;
}

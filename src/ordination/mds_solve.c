/* Stress majorization by a backend's products: the iteration, and its linear systems. */
#include "ordination/mds_solve.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "ordination/mds_fit.h"
#include "ordination/mds_squares.h"

enum {
  PLAIN = 3,        /* first iterations, which are not relaxed: early relaxed ones may gain less */
  MOST_STEPS = 1000 /* of conjugate gradients in an iteration */
};

static const double no_stress = 1e-10;       /* counts as 0 */
static const double system_residual = 1e-12; /* of a linear system, as a part of its right side */

/* What a solution works with. Configurations are padded by k. */
typedef struct solution {
  const gg_mds_plan *plan;
  const gg_mds_products *products;
  int64_t size; /* of a configuration */
  double *next; /* B(x) x, then the Guttman transform */
  /* With weights: */
  double *diagonal;                  /* of V, n */
  double *residual, *step, *product; /* of conjugate gradients; */
  double *length;                    /* 3 k numbers of theirs */
  double done;                       /* of the call's progress */
} solution;

double gg_mds_working(int64_t n, int64_t k, bool weighted) {
  const double points = (double)n + GG_MDS_LANES;
  return 8 * points * ((weighted ? 5 : 2) * (double)k + (weighted ? 1 : 0));
}

/* --- Configurations --------------------------------------------------------------------------- */

/* Moves the mean to 0. The padding stays 0. */
static void centre(const gg_mds_plan *plan, double *x) {
  for (int64_t c = 0; c < plan->k; ++c) {
    double *column = x + c * plan->padded, mean = 0;
    for (int64_t i = 0; i < plan->n; ++i)
      mean += column[i] / (double)plan->n;
    for (int64_t i = 0; i < plan->n; ++i)
      column[i] -= mean;
  }
}

/* Multiplies `size` numbers by a factor. */
static void multiply(double *x, int64_t size, double factor) {
  for (int64_t i = 0; i < size; ++i)
    x[i] *= factor;
}

/* --- Linear systems --------------------------------------------------------------------------- */

/* Writes the sums of the weights of each point. */
static void add_weights(const gg_mds_plan *plan, double *diagonal) {
  const double *weight = plan->weight;
  memset(diagonal, 0, (size_t)plan->n * sizeof *diagonal);
  for (int64_t j = 0; j < plan->n; ++j)
    for (int64_t i = j + 1; i < plan->n; ++i, ++weight) {
      const double w = *weight * plan->weight_scale;
      diagonal[i] += w;
      diagonal[j] += w;
    }
}

/* Returns the sum of the products of two columns, or with V's diagonal as divisor. */
static double dot(const solution *s, const double *a, const double *b, bool divided) {
  double sum = 0;
  for (int64_t i = 0; i < s->plan->n; ++i) {
    const double d = divided ? s->diagonal[i] : 1;
    if (d > 0) sum += a[i] * b[i] / d;
  }
  return sum;
}

/* Writes the residual of V z = b, the first direction, and for each column the squares of b and of
   the residual. */
static gpugeo_status begin_system(solution *s, const double *b, const double *z,
                                  gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  const int64_t k = plan->k;
  const gpugeo_status status = s->products->weigh(s->products->own, z, s->product, s->done, error);
  if (status) return status;
  for (int64_t i = 0; i < s->size; ++i)
    s->residual[i] = b[i] - s->product[i];
  memset(s->step, 0, (size_t)s->size * sizeof *s->step);
  for (int64_t c = 0; c < k; ++c) {
    const int64_t at = c * plan->padded;
    s->length[c] = dot(s, b + at, b + at, true);
    s->length[k + c] = dot(s, s->residual + at, s->residual + at, true);
    s->length[2 * k + c] = 0; /* the squares of the residual before */
  }
  return GPUGEO_OK;
}

/* True if the residual of a column is small enough. */
static bool is_solved(const solution *s, int64_t c) {
  const double most = system_residual * system_residual;
  return !(s->length[s->plan->k + c] > most * s->length[c]);
}

/* Turns the directions of the columns that are not solved; false if there are none. */
static bool turn_steps(solution *s) {
  const int64_t n = s->plan->n, k = s->plan->k;
  bool open = false;
  for (int64_t c = 0; c < k; ++c) {
    const double before = s->length[2 * k + c], now = s->length[k + c];
    double *step = s->step + c * s->plan->padded;
    const double *residual = s->residual + c * s->plan->padded;
    const bool solved = is_solved(s, c);
    open = open || !solved;
    for (int64_t i = 0; i < n; ++i) {
      const double part = s->diagonal[i] > 0 ? residual[i] / s->diagonal[i] : 0;
      step[i] = solved ? 0 : before > 0 ? part + now / before * step[i] : part;
    }
  }
  return open;
}

/* Moves the columns that are not solved to the minimum along their directions. */
static void take_steps(solution *s, double *z) {
  const int64_t n = s->plan->n, k = s->plan->k;
  for (int64_t c = 0; c < k; ++c) {
    if (is_solved(s, c)) continue;
    const int64_t at = c * s->plan->padded;
    const double curvature = dot(s, s->step + at, s->product + at, false);
    const double size = curvature > 0 ? s->length[k + c] / curvature : 0;
    for (int64_t i = 0; i < n; ++i) {
      z[at + i] += size * s->step[at + i];
      s->residual[at + i] -= size * s->product[at + i];
    }
    s->length[2 * k + c] = s->length[k + c];
    s->length[k + c] =
        size > 0 ? dot(s, s->residual + at, s->residual + at, true) : 0; /* no way down: solved */
  }
}

/*
 * Solves V z = s->next, from z = x, by conjugate gradients with V's diagonal as preconditioner; the
 * result replaces s->next. Each step lowers the quadratic function that lies above the stress and
 * touches it at x, so the stress falls even if the steps do not suffice.
 */
static gpugeo_status solve_system(solution *s, double *z, gpugeo_error *error) {
  memcpy(z, s->plan->x, (size_t)s->size * sizeof *z);
  gpugeo_status status = begin_system(s, s->next, z, error);
  for (int step = 0; !status && step < MOST_STEPS && turn_steps(s); ++step) {
    status = s->products->weigh(s->products->own, s->step, s->product, s->done, error);
    if (!status) take_steps(s, z);
  }
  if (!status) memcpy(s->next, z, (size_t)s->size * sizeof *z);
  centre(s->plan, s->next);
  return status;
}

/* --- The iteration ---------------------------------------------------------------------------- */

/* Fits disparities to x, if there are any, computes B(x) x and the stress of x at its best scale,
   and scales x so. */
static gpugeo_status measure_stress(solution *s, double *stress, gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  gg_mds_sums sums;
  gpugeo_status status = GPUGEO_OK;
  if (plan->fit) status = gg_mds_fit_to(plan->fit, plan->x, plan->padded, plan->k, s->done, error);
  if (!status)
    status = s->products->transform(s->products->own, plan->x, s->next, &sums, s->done, error);
  if (status) return status;
  if (!(sums.squares > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "start",
                   "start must have points at different positions");
  const double least = sums.residual - sums.excess * sums.excess / sums.squares;
  *stress = sqrt((least > 0 ? least : 0) / plan->squares);
  multiply(plan->x, s->size, 1 - sums.excess / sums.squares);
  return GPUGEO_OK;
}

/* Moves x to its Guttman transform or, relaxed, as far again beyond it. */
static gpugeo_status move_points(solution *s, double *z, bool relaxed, gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  gpugeo_status status = GPUGEO_OK;
  if (plan->weight)
    status = solve_system(s, z, error);
  else
    multiply(s->next, s->size, 1 / (double)plan->n);
  for (int64_t i = 0; !status && i < s->size; ++i)
    plan->x[i] = relaxed ? 2 * s->next[i] - plan->x[i] : s->next[i];
  return status;
}

/* Iterates until the stress has converged or the iterations are used up. */
static gpugeo_status iterate_points(solution *s, double *z, gpugeo_error *error) {
  const gg_mds_plan *plan = s->plan;
  gpugeo_mds_result *result = plan->result;
  double stress = 0;
  result->converged = 0;
  gpugeo_status status = measure_stress(s, &result->stress, error);
  for (result->iterations = 0; !status; ++result->iterations) {
    result->converged = result->converged || result->stress <= no_stress;
    if (result->converged || result->iterations >= plan->most) break;
    s->done = plan->done + (1 - plan->done) * (double)result->iterations / (double)plan->most;
    status = move_points(s, z, plan->relax && result->iterations >= PLAIN, error);
    if (!status) status = measure_stress(s, &stress, error);
    if (status) break;
    result->converged = result->stress - stress <= plan->tolerance * result->stress;
    result->stress = stress;
  }
  return status;
}

gpugeo_status gg_mds_solve(const gg_mds_plan *plan, const gg_mds_products *products,
                           gpugeo_error *error) {
  if (plan->fit && plan->fit->squared) return gg_mds_solve_squares(plan, products, error);
  const int64_t size = plan->padded * plan->k, parts = plan->weight ? 5 : 1;
  const int64_t count = parts * size + (plan->weight ? plan->padded + 3 * plan->k : 0);
  double *memory = gg_allocate_zeros(count, sizeof *memory);
  if (!memory) return gg_fail_memory(error, count * (int64_t)sizeof *memory);
  solution s = {
      .plan = plan, .products = products, .size = size, .next = memory, .done = plan->done};
  double *z = NULL;
  if (plan->weight) {
    z = memory + size;
    s.residual = memory + 2 * size;
    s.step = memory + 3 * size;
    s.product = memory + 4 * size;
    s.diagonal = memory + 5 * size;
    s.length = s.diagonal + plan->padded;
    add_weights(plan, s.diagonal);
  }
  centre(plan, plan->x);
  const gpugeo_status status = iterate_points(&s, z, error);
  gg_free(memory);
  return status;
}

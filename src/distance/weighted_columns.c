/* The columns of a matrix with a weight for each value. */
#include "distance/weighted_columns.h"

#include <math.h>

#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "distance/sorted_column.h"

bool gg_weights_given(const gpugeo_matrix *weights) {
  return weights->data || weights->sparse || weights->nrow || weights->ncol;
}

gpugeo_status gg_weights_check(const gg_weights *weights, const gpugeo_matrix *x,
                               const char *x_name, gpugeo_error *error) {
  const gpugeo_matrix *w = weights->values;
  if (!gg_weights_given(w)) return GPUGEO_OK;
  gpugeo_status status = gg_check_any_matrix(weights->name, w, error);
  if (status || (w->nrow == x->nrow && (w->ncol == x->ncol || w->ncol == 1))) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, weights->name,
                 "%s must be of the size of %s, %lld x %lld, or have %lld rows and one column, not "
                 "%lld x %lld",
                 weights->name, x_name, (long long)x->nrow, (long long)x->ncol, (long long)x->nrow,
                 (long long)w->nrow, (long long)w->ncol);
}

double gg_weights_bytes(const gpugeo_matrix *x) { return 16 * (double)x->nrow * (double)x->ncol; }

/* Fills n weights: column j of those given, or 1. Fails if one is negative or infinite. */
static gpugeo_status load_weights(const gg_weights *weights, int64_t j, int64_t n, double *w,
                                  gpugeo_error *error) {
  const gpugeo_matrix *values = weights->values;
  const bool given = gg_weights_given(values);
  if (given) gg_load_column(values, values->ncol == 1 ? 0 : j, w);
  for (int64_t k = 0; k < n; ++k) {
    if (!given) w[k] = 1;
    if (isnan(w[k]) || (w[k] >= 0 && w[k] < INFINITY)) continue;
    const gg_given value = gg_given_number(w[k]);
    return gg_fail_given(error, weights->name, GG_FROM_ZERO, &value);
  }
  return GPUGEO_OK;
}

/* Makes values and weights missing where the other is, and values of weight 0 0. */
static void join_column(int64_t n, double *value, double *weight) {
  for (int64_t k = 0; k < n; ++k) {
    if (isnan(value[k]))
      weight[k] = NAN;
    else if (isnan(weight[k]))
      value[k] = NAN;
    else if (weight[k] == 0)
      value[k] = 0;
  }
}

gpugeo_status gg_weights_join(const gpugeo_matrix *x, const gg_weights *weights,
                              gpugeo_matrix *joined, gg_call *call) {
  const int64_t n = x->nrow, columns = x->ncol;
  double *data = gg_call_allocate(call, 2 * n * columns, sizeof *data);
  *joined = (gpugeo_matrix){
      .data = data, .type = GPUGEO_TYPE_DOUBLE, .nrow = n, .ncol = 2 * columns, .ld = n};
  for (int64_t j = 0; !call->status && j < columns; ++j) {
    double *value = data + j * n, *weight = data + (columns + j) * n;
    gg_load_column(x, j, value);
    if (GG_TRY(call, load_weights(weights, j, n, weight, call->error))) break;
    join_column(n, value, weight);
    gg_call_poll(call, 0);
  }
  return call->status;
}

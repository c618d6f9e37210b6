#include "common/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"

gpugeo_status gg_check_any_matrix(const char *argument, const gpugeo_matrix *x,
                                  gpugeo_error *error) {
  if (!x) return gg_fail_matrix(error, argument, "NULL");
  if (x->type != GPUGEO_TYPE_DOUBLE && x->type != GPUGEO_TYPE_FLOAT && x->type != GPUGEO_TYPE_INT32)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be of type double, float or int32, not %d", argument, (int)x->type);
  if (x->sparse) return gg_sparse_check(argument, x, error);
  if (x->nrow < 0 || x->ncol < 0 || x->ld < x->nrow || (!x->data && x->nrow > 0 && x->ncol > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must have sizes of at least 0, a leading dimension of at least nrow, and "
                   "data, not %lld x %lld, %lld and %s",
                   argument, (long long)x->nrow, (long long)x->ncol, (long long)x->ld,
                   x->data ? "data" : "none");
  /* Then no number of bytes overflows. */
  const double side = 0x1p48, elements = 0x1p56, columns = (double)x->ncol;
  if ((double)x->nrow > side || columns > side || (double)x->ld * columns > elements)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must have at most 2^48 rows, 2^48 columns and 2^56 elements, those between "
                   "columns included, not %lld x %lld with leading dimension %lld",
                   argument, (long long)x->nrow, (long long)x->ncol, (long long)x->ld);
  return GPUGEO_OK;
}

gpugeo_status gg_check_matrix(const char *argument, const gpugeo_matrix *x, gpugeo_error *error) {
  if (x && x->sparse) return gg_fail_matrix(error, argument, "a sparse matrix");
  return gg_check_any_matrix(argument, x, error);
}

/* Sums 0 * v over a run of one column, each as a float: 0 if all are finite, else NaN. */
#define FINITE(name, real)                                                                         \
  static bool finite_##name(const real *v, int64_t n) {                                            \
    float sum = 0;                                                                                 \
    _Pragma("omp simd reduction(+ : sum)") for (int64_t i = 0; i < n; ++i) sum += (float)v[i] * 0; \
    return sum == 0;                                                                               \
  }
FINITE(double, double)
FINITE(float, float)

static bool finite_column(const gpugeo_matrix *x, int64_t column) {
  switch (x->type) {
  case GPUGEO_TYPE_FLOAT:
    return finite_float((const float *)x->data + column * x->ld, x->nrow);
  case GPUGEO_TYPE_DOUBLE:
    return finite_double((const double *)x->data + column * x->ld, x->nrow);
  default:
    return false; /* int32: look at each */
  }
}

/* Returns the flags of what a column has: missing, infinite and huge values. */
static int inspect_column(const gpugeo_matrix *x, int64_t column) {
  int found = 0;
  if (finite_column(x, column)) return 0;
  for (int64_t i = 0; i < x->nrow; ++i) {
    const double v = gg_element(x, i, column);
    if (isnan(v)) found |= GG_HAS_MISSING;
    if (isinf(v)) found |= GG_HAS_INFINITE;
    if (isfinite(v) && isinf((float)v)) found |= GG_HAS_HUGE;
  }
  return found;
}

/* Cuts a long column into shorter ones, and inspects what remains at its end. */
static gpugeo_matrix cut_column(const gpugeo_matrix *x, int *rest) {
  const int64_t length = (int64_t)1 << 15, columns = x->nrow / length, cut = columns * length;
  const int64_t size = x->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
  gpugeo_matrix end = *x;
  end.data = (const char *)x->data + cut * size;
  end.nrow = end.ld = x->nrow - cut;
  *rest = inspect_column(&end, 0);
  return (gpugeo_matrix){
      .data = x->data, .type = x->type, .nrow = length, .ncol = columns, .ld = length};
}

typedef struct inspection {
  const gpugeo_matrix *x;
  int found;
} inspection;

/* Adds the flags of a range of columns to those of the inspection. */
static void inspect_columns(void *job, gg_range columns) {
  inspection *s = job;
  int found = 0;
  for (int64_t k = columns.first; k < columns.last; ++k)
    found |= inspect_column(s->x, k);
  if (found) gg_atomic_or(&s->found, found);
}

/* Returns the flags of what a matrix has; of a sparse one, its stored elements. */
static int inspect_matrix(const gpugeo_matrix *x, int32_t threads, gg_clock *clock) {
  gpugeo_matrix columns = *x;
  int rest = 0;                        /* what the last of the stored elements have */
  if (x->sparse && !x->data) return 0; /* all of them are 1 */
  if (x->sparse) {
    const gpugeo_matrix values = gg_sparse_values(x);
    columns = cut_column(&values, &rest);
  }
  inspection s = {.x = &columns, .found = rest};
  const int64_t run = (int64_t)1 << 17; /* values that a thread looks through at a time */
  gg_parallel_for(&(gg_loop){.threads = gg_copying_threads(threads),
                             .count = columns.ncol,
                             .grain = columns.nrow < run ? run / (columns.nrow + 1) + 1 : 1,
                             .work = inspect_columns,
                             .job = &s,
                             .clock = clock});
  return s.found;
}

gpugeo_status gg_inspect(const gpugeo_matrix *x, const gpugeo_matrix *y, int32_t threads,
                         int *found, gg_call *call) {
  if (call->status) return call->status;
  *found = inspect_matrix(x, threads, call->clock);
  if (y) *found |= inspect_matrix(y, threads, call->clock);
  return call->clock->stopped ? GG_TRY(call, gg_fail_interrupt(call->error)) : GPUGEO_OK;
}

bool gg_constant_column(const gpugeo_matrix *x) {
  for (int64_t k = 0; k < x->ncol; ++k) {
    const double first = gg_any_element(x, 0, k);
    int64_t i = 0;
    while (i < x->nrow && gg_any_element(x, i, k) == first)
      ++i;
    if (i == x->nrow) return true;
  }
  return false;
}

int64_t gg_whole_columns(const gpugeo_matrix *x) {
  int64_t whole = 0;
  for (int64_t k = 0; k < x->ncol; ++k) {
    int64_t i = 0;
    while (i < x->nrow && !isnan(gg_any_element(x, i, k)))
      ++i;
    if (i == x->nrow) ++whole;
  }
  return whole;
}

/* Sets incomplete[i] to 1 for each row i that has a missing value. */
static void mark_incomplete(const gpugeo_matrix *x, gg_clock *clock, unsigned char *incomplete) {
  if (x->sparse) {
    gg_sparse_mark_incomplete(x, incomplete);
    return;
  }
  for (int64_t k = 0; k < x->ncol && !gg_clock_poll(clock, 0); ++k)
    for (int64_t i = 0; i < x->nrow; ++i)
      incomplete[i] |= isnan(gg_element(x, i, k)) ? 1 : 0;
}

/* Copies the rows that are not incomplete, of which there are kept, into memory of rows. */
static gpugeo_status copy_rows(const gpugeo_matrix *x, const unsigned char *incomplete,
                               int64_t kept, gg_rows *rows, gg_call *call) {
  if (call->status) return call->status;
  if (x->sparse) {
    GG_TRY(call, gg_sparse_copy_rows(x, incomplete, kept, &rows->sparse, call->error));
    rows->matrix = rows->sparse.matrix;
    return call->status;
  }
  double *to = rows->data = gg_allocate(kept * x->ncol, sizeof *to);
  if (!to) return GG_TRY(call, gg_fail_memory(call->error, kept * x->ncol * (int64_t)sizeof *to));
  for (int64_t k = 0; k < x->ncol && !gg_clock_poll(call->clock, 0); ++k)
    for (int64_t i = 0; i < x->nrow; ++i)
      if (!incomplete[i]) *to++ = gg_element(x, i, k);
  rows->matrix = (gpugeo_matrix){
      .data = rows->data, .type = GPUGEO_TYPE_DOUBLE, .nrow = kept, .ncol = x->ncol, .ld = kept};
  return GPUGEO_OK;
}

gpugeo_status gg_complete_rows(const gpugeo_matrix *x, const gpugeo_matrix *y, gg_rows *x_rows,
                               gg_rows *y_rows, gg_call *call) {
  if (call->status) return call->status;
  unsigned char *incomplete = gg_allocate(x->nrow, 1);
  if (!incomplete) return GG_TRY(call, gg_fail_memory(call->error, x->nrow));
  memset(incomplete, 0, (size_t)x->nrow);
  mark_incomplete(x, call->clock, incomplete);
  if (y) mark_incomplete(y, call->clock, incomplete);
  int64_t kept = 0;
  for (int64_t i = 0; i < x->nrow; ++i)
    kept += !incomplete[i];
  copy_rows(x, incomplete, kept, x_rows, call);
  if (!call->status && y) copy_rows(y, incomplete, kept, y_rows, call);
  gg_free(incomplete);
  return call->status           ? call->status
         : call->clock->stopped ? GG_TRY(call, gg_fail_interrupt(call->error))
                                : GPUGEO_OK;
}

void gg_rows_free(gg_rows *rows) {
  gg_free(rows->data);
  gg_sparse_free(&rows->sparse);
}

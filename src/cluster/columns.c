/* Distances by columns. */
#include <math.h>

#include "cluster/pam.h"
#include "common/error.h"
#include "common/memory.h"

/* Sets the diagonal to 0, where a metric may have no distance, and counts bad distances once. */
static void inspect(gg_columns *columns, int64_t column, double *values) {
  values[column] = 0;
  if (column != columns->checked) return;
  ++columns->checked;
  double zero = 0;
#pragma omp simd reduction(+ : zero)
  for (int64_t i = column + 1; i < columns->n; ++i)
    zero += values[i] * 0;
  for (int64_t i = column + 1; zero != 0 && i < columns->n; ++i)
    if (!isfinite(values[i])) gg_bad_distances_add(&columns->bad, i, column, values[i]);
}

/* Computes whole columns of distances and checks them. */
static gpugeo_status compute(gg_columns *columns, int64_t first, int64_t count, double *out,
                             gpugeo_error *error) {
  const gpugeo_tile tile = {0, columns->n, first, count};
  gpugeo_status status = gg_dist_source_tile(columns->source, &tile, out, columns->clock->told, 0,
                                             GG_CALL_OF(columns->clock, columns->report, error));
  for (int64_t c = 0; !status && c < count; ++c)
    inspect(columns, first + c, out + c * columns->n);
  return status;
}

gpugeo_status gg_columns_make(const gg_dist_source *source, const char *name, bool whole,
                              double bytes, double done, double share, gg_columns *columns,
                              gg_call *call) {
  const int64_t n = source->n;
  const double fits = floor(bytes / (8 * (double)n));
  *columns = (gg_columns){.source = source,
                          .name = name,
                          .n = n,
                          .clock = call->clock,
                          .report = call->report,
                          .whole = whole,
                          .width = whole || fits > (double)n ? n
                                   : fits < 1                ? 1
                                                             : (int64_t)fits,
                          .extra_at = -1};
  columns->values = gg_allocate_large(n * columns->width, sizeof *columns->values);
  columns->extra = gg_allocate(n, sizeof *columns->extra);
  if (!columns->values || !columns->extra)
    return gg_fail_memory(call->error, 8 * n * columns->width);
  if (!whole) return GPUGEO_OK;
  columns->count = n;
  gpugeo_status status = gg_dist_source_square(source, columns->values, done, share, call);
  for (int64_t c = 0; !status && c < n; ++c) {
    if (gg_clock_poll(call->clock, done + share)) return gg_fail_interrupt(call->error);
    inspect(columns, c, columns->values + c * n);
  }
  return status ? status : gg_columns_check(columns, call->error);
}

void gg_columns_free(gg_columns *columns) {
  gg_free(columns->values);
  gg_free(columns->extra);
}

gpugeo_status gg_columns_load(gg_columns *columns, int64_t first, gpugeo_error *error) {
  if (columns->whole || (columns->count > 0 && columns->first == first)) return GPUGEO_OK;
  const int64_t rest = columns->n - first;
  columns->count = 0;
  gpugeo_status status = compute(columns, first, rest < columns->width ? rest : columns->width,
                                 columns->values, error);
  if (status) return status;
  columns->first = first;
  columns->count = rest < columns->width ? rest : columns->width;
  return GPUGEO_OK;
}

gpugeo_status gg_columns_check(const gg_columns *columns, gpugeo_error *error) {
  return columns->bad.count > 0 ? gg_fail_distances(columns->name, &columns->bad, error)
                                : GPUGEO_OK;
}

gpugeo_status gg_columns_get(gg_columns *columns, int64_t column, const double **values,
                             gpugeo_error *error) {
  const bool there = column >= columns->first && column < columns->first + columns->count;
  *values = there ? gg_columns_at(columns, column) : columns->extra;
  if (there || columns->extra_at == column) return GPUGEO_OK;
  columns->extra_at = -1;
  gpugeo_status status = compute(columns, column, 1, columns->extra, error);
  if (!status) columns->extra_at = column;
  return status;
}

#include "cluster/columns.h"

#include <math.h>

#include "common/error.h"
#include "common/memory.h"

/* Sets the diagonal to 0, where a metric may have no distance, and counts bad distances once. */
static void inspect_column(gg_columns *columns, int64_t column, double *values) {
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
static gpugeo_status compute_columns(gg_columns *columns, int64_t first, int64_t count,
                                     double *out) {
  const gpugeo_tile tile = {0, columns->n, first, count};
  gg_call *call = columns->call;
  gg_dist_source_tile(columns->source, &tile, out, call->clock->told, 0, call);
  for (int64_t c = 0; !call->status && c < count; ++c)
    inspect_column(columns, first + c, out + c * columns->n);
  return call->status;
}

gpugeo_status gg_columns_make(gg_columns *columns, double bytes, double done, double share) {
  const gg_dist_source *source = columns->source;
  gg_call *call = columns->call;
  const int64_t n = columns->n = source->n;
  const double fits = floor(bytes / (8 * (double)n));
  columns->width = columns->whole || fits > (double)n ? n : fits < 1 ? 1 : (int64_t)fits;
  columns->extra_at = -1;
  columns->values = gg_allocate_large(n * columns->width, sizeof *columns->values);
  columns->extra = gg_allocate(n, sizeof *columns->extra);
  if (!columns->values || !columns->extra)
    return GG_TRY(call, gg_fail_memory(call->error, 8 * n * columns->width));
  if (!columns->whole) return call->status;
  columns->count = n;
  gg_dist_source_square(source, columns->values, done, share, call);
  for (int64_t c = 0; c < n && !gg_call_poll(call, done + share); ++c)
    inspect_column(columns, c, columns->values + c * n);
  return gg_columns_check(columns);
}

void gg_columns_free(gg_columns *columns) {
  gg_free(columns->values);
  gg_free(columns->extra);
}

gpugeo_status gg_columns_load(gg_columns *columns, int64_t first) {
  if (columns->whole || (columns->count > 0 && columns->first == first))
    return columns->call->status;
  const int64_t rest = columns->n - first, count = rest < columns->width ? rest : columns->width;
  columns->count = 0;
  if (compute_columns(columns, first, count, columns->values)) return columns->call->status;
  columns->first = first;
  columns->count = count;
  return GPUGEO_OK;
}

gpugeo_status gg_columns_check(const gg_columns *columns) {
  gg_call *call = columns->call;
  if (columns->bad.count == 0) return call->status;
  return GG_TRY(call, gg_fail_distances(columns->name, &columns->bad, call->error));
}

gpugeo_status gg_columns_get(gg_columns *columns, int64_t column, const double **values) {
  const bool there = column >= columns->first && column < columns->first + columns->count;
  *values = there ? gg_columns_at(columns, column) : columns->extra;
  if (there || columns->extra_at == column) return columns->call->status;
  columns->extra_at = -1;
  if (!compute_columns(columns, column, 1, columns->extra)) columns->extra_at = column;
  return columns->call->status;
}

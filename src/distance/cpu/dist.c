/*
 * The CPU backend's distance matrices: writes finished tiles into the result.
 *
 * Limited by the tiles (see tiles.c), or for short rows by the first touch of
 * the result's pages.
 */

#include <math.h>

#include "common/cpu.h"
#include "distance/cpu/tiles.h"

/* Writes the values of a tile into the result, missing ones as the plan's missing value: only
   what is below the diagonal when the pairs are within x, and to both sides of it in a full
   matrix. Returns notes. */
#define WRITE(name, real, type)                                                                    \
  static int32_t write_##name(const gg_dist_plan *plan, const void *values,                        \
                              const gg_cpu_position *t) {                                          \
    const real *value = values;                                                                    \
    const type missing = (type)plan->missing;                                                      \
    const bool condensed = plan->shape == GPUGEO_SHAPE_CONDENSED;                                  \
    const bool marked = plan->step == GG_STEP_correlation_missing;                                 \
    int32_t notes = 0;                                                                             \
    for (int64_t c = 0; c < t->columns; ++c, value += t->ld) {                                     \
      const int64_t j = t->column + c;                                                             \
      const int64_t below = plan->symmetric ? j - t->row + condensed : 0;                          \
      type *to = condensed ? (type *)plan->out + gg_condensed_column(plan->nx, j) - j - 1          \
                           : (type *)plan->out + j * plan->nx;                                     \
      to += t->row;                                                                                \
      const int64_t start = below > 0 ? below : 0;                                                 \
      SIMD_LOOP for (int64_t r = start; r < t->rows; ++r) to[r] =                                  \
          value[r] == value[r] ? (type)value[r] : missing;                                         \
      for (int64_t r = start; marked && r < t->rows; ++r)                                          \
        if (isinf(value[r])) to[r] = missing, notes = gg_note_of_flat(plan);                       \
    }                                                                                              \
    if (!plan->symmetric || condensed) return notes;                                               \
    type *out = plan->out;                                                                         \
    for (int64_t r = 0, i = t->row; r < t->rows; ++r, ++i)                                         \
      for (int64_t c = 0, j = t->column; c < t->columns && j < i; ++c, ++j)                        \
        out[j + i * plan->nx] = out[i + j * plan->nx];                                             \
    return notes;                                                                                  \
  }
#define SIMD_LOOP _Pragma("omp simd")
WRITE(double_double, double, double)
WRITE(double_float, double, float)
WRITE(float_double, float, double)
WRITE(float_float, float, float)

static int32_t write_tile(void *own, const gg_cpu_position *t, void *values) {
  const gg_dist_plan *plan = own;
  if (plan->single)
    return plan->type == GPUGEO_TYPE_FLOAT ? write_float_float(plan, values, t)
                                           : write_float_double(plan, values, t);
  return plan->type == GPUGEO_TYPE_FLOAT ? write_double_float(plan, values, t)
                                         : write_double_double(plan, values, t);
}

gpugeo_status gg_cpu_dist(const gg_dist_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  gg_dist_plan own = *plan;
  const gg_cpu_sink sink = {.own = &own, .share = 1, .take = write_tile};
  return gg_cpu_tiles(plan, &sink, call);
}

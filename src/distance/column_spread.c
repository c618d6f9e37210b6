/*
 * Variances are those of columns that are scaled by a power of two, so no square overflows.
 * They are sums of squared deviations from the mean, less what rounding of the mean added to them
 * (the corrected two-pass algorithm: Chan, Golub and LeVeque 1983). Each sum has LANES parts, so
 * that compilers use vectors; their order depends on neither the threads nor the instructions.
 */
#include "distance/column_spread.h"

#include <math.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sparse.h"
#include "distance/rank.h"

enum {
  LANES = 8,
  COLUMNS_MOST = 64,    /* sparse columns that a thread expands at a time, */
  VALUES_MOST = 1 << 16 /* if they have no more elements: 512 KiB */
};

/* A loop over the columns of a matrix. */
typedef struct column_loop {
  const gpugeo_matrix *x;
  gg_spread spread;
  double divisor;
  int64_t block;  /* columns that are loaded at a time */
  double *values; /* block * nrow for each thread */
  char *room;     /* for ranks, gg_rank_room(nrow) for each thread */
  int64_t room_bytes;
  gg_column_spreads *made;
} column_loop;

/* Copies columns [first, first + count) of a matrix. */
static void load_columns(const gpugeo_matrix *x, int64_t first, int64_t count, double *values) {
  if (x->sparse) {
    gg_sparse_load(x, GPUGEO_POINTS_COLUMNS, (gg_block){first, count, 0, x->nrow}, 1, x->nrow,
                   values);
    return;
  }
  for (int64_t j = first; j < first + count; ++j)
    for (int64_t k = 0; k < x->nrow; ++k)
      *values++ = gg_element(x, k, j);
}

/* Returns the power of two by which magnitude_scale() of metric_prepare.h divides a column. */
static double scale_of(const double *z, int64_t n) {
  double largest = 0;
  for (int64_t k = 0; k < n; ++k) {
    const double magnitude = fabs(z[k]);
    largest = magnitude < INFINITY && magnitude > largest ? magnitude : largest;
  }
  return largest == 0          ? 1
         : largest > 0x1p1022  ? 0x1p1022
         : largest < 0x1p-1021 ? 0x1p-1021
                               : ldexp(1, ilogb(largest));
}

/* Returns the sum of the parts of a sum. */
static double add_lanes(const double *part) {
  double sum = 0;
  for (int l = 0; l < LANES; ++l)
    sum += part[l];
  return sum;
}

/* Returns the mean of the differences of n values from `first`. */
static double mean_difference(const double *z, int64_t n, double first) {
  double part[LANES] = {0};
  int64_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (int l = 0; l < LANES; ++l)
      part[l] += z[k + l] - first;
  for (; k < n; ++k)
    part[0] += z[k] - first;
  return add_lanes(part) / (double)n;
}

/* Returns the sum of the squared deviations of n values from their mean, 0 if all are equal; NaN if
   one is not finite. */
static double square_sum(const double *z, int64_t n) {
  const double first = z[0], mean = mean_difference(z, n, first);
  double part[LANES] = {0}, square[LANES] = {0};
  int64_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (int l = 0; l < LANES; ++l) {
      const double d = z[k + l] - first - mean;
      part[l] += d;
      square[l] += d * d;
    }
  for (; k < n; ++k) {
    const double d = z[k] - first - mean;
    part[0] += d;
    square[0] += d * d;
  }
  const double rest = add_lanes(part), sum = add_lanes(square) - rest * rest / (double)n;
  return isfinite(sum) ? fmax(sum, 0) : NAN;
}

/* Finds the spread of column j, whose values may be changed. */
static void find_spread(const column_loop *loop, int64_t j, double *z, void *room) {
  const int64_t n = loop->x->nrow;
  if (loop->spread == GG_SPREAD_RANKS) gg_rank_panel(z, 1, n, 1, room);
  const double scale = scale_of(z, n), sixteenth = 0x1p-4 * scale;
  if (loop->spread == GG_SPREAD_SCALE) {
    loop->made->factor[j] = sixteenth;
    return;
  }
  const double inverse = 1 / scale;
  for (int64_t k = 0; k < n; ++k)
    z[k] *= inverse;
  const double variance = square_sum(z, n) / loop->divisor;
  loop->made->factor[j] = sqrt(variance) * sixteenth;
  loop->made->variance[j] = variance * scale * scale;
}

/* Finds the spreads of a range of blocks. */
static void find_blocks(void *job, gg_range range) {
  const column_loop *loop = job;
  const int64_t n = loop->x->nrow;
  double *values = loop->values + range.worker * loop->block * n;
  for (int64_t block = range.first; block < range.last; ++block) {
    const int64_t first = block * loop->block;
    const int64_t count = gg_smaller(loop->block, loop->x->ncol - first);
    load_columns(loop->x, first, count, values);
    for (int64_t j = 0; j < count; ++j)
      find_spread(loop, first + j, values + j * n, loop->room + range.worker * loop->room_bytes);
  }
}

void gg_column_spreads_free(gg_column_spreads *made) {
  gg_free(made->factor);
  gg_free(made->variance);
}

gpugeo_status gg_column_spreads_make(const gpugeo_matrix *x, gg_spread spread, double divisor,
                                     int32_t threads, gg_column_spreads *made, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = x->nrow, fitting = gg_smaller(COLUMNS_MOST, VALUES_MOST / n);
  column_loop loop = {.x = x, .spread = spread, .divisor = divisor, .made = made};
  loop.block = x->sparse && fitting > 1 ? fitting : 1;
  made->factor = gg_allocate(x->ncol, sizeof *made->factor);
  if (spread != GG_SPREAD_SCALE) made->variance = gg_allocate(x->ncol, sizeof *made->variance);
  loop.values = gg_allocate(threads * loop.block * n, sizeof *loop.values);
  loop.room_bytes = spread == GG_SPREAD_RANKS ? gg_rank_room(n) : 1;
  loop.room = gg_allocate(threads, loop.room_bytes);
  if (!made->factor || (spread != GG_SPREAD_SCALE && !made->variance) || !loop.values || !loop.room)
    GG_TRY(call, gg_fail_memory(call->error,
                                threads * (8 * loop.block * n + loop.room_bytes) + 16 * x->ncol));
  else if (!gg_parallel_for(&(gg_loop){.threads = threads,
                                       .count = (x->ncol + loop.block - 1) / loop.block,
                                       .grain = 1 + 16384 / (loop.block * n),
                                       .work = find_blocks,
                                       .job = &loop,
                                       .clock = call->clock}))
    GG_TRY(call, gg_fail_interrupt(call->error));
  gg_free(loop.values);
  gg_free(loop.room);
  return call->status;
}

/* --- products --------------------------------------------------------------------------------- */

/* Returns a value times two spreads, given as their factors. The larger factor comes first, so
   the bits are those of the transposed product, and a result that is finite does not overflow. */
static double multiplied(double value, double a, double b, double flat) {
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  if (isnan(a + b)) return NAN;
  return smaller == flat ? 0 : value * larger * smaller * 256;
}

/* Writes missing values and products of values with the spreads of rows and of a column. `flat` is
   the factor that makes any value 0, or NaN without one. `safe`: no product of two factors
   overflows or loses digits. */
#define MULTIPLY(type)                                                                             \
  static void multiply_##type(type *out, const double *factor, double own, int64_t rows,           \
                              double flat, double missing, bool safe) {                            \
    for (int64_t i = 0; !safe && i < rows; ++i) {                                                  \
      const double product = multiplied((double)out[i], factor[i], own, flat);                     \
      out[i] = (type)(isnan(product) ? missing : product);                                         \
    }                                                                                              \
    if (!safe) return;                                                                             \
    SIMD_LOOP for (int64_t i = 0; i < rows; ++i) {                                                 \
      const double value = out[i], both = factor[i] * own;                                         \
      const double product = (both == flat ? 0 : value) * both * 256;                              \
      out[i] = (type)(product == product ? product : missing);                                     \
    }                                                                                              \
  }
#define SIMD_LOOP _Pragma("omp simd")
MULTIPLY(double)
MULTIPLY(float)

/* A product, and whether no two factors overflow or lose digits. */
typedef struct multiplication {
  const gg_spread_product *product;
  bool safe;
} multiplication;

/* True if the factors other than 0 and NaN have products of normal size with those of the same
   range. */
static bool is_moderate(const gg_column_spreads *x, int64_t columns) {
  for (int64_t i = 0; i < columns; ++i)
    if (x->factor[i] > 0x1p500 || (x->factor[i] > 0 && x->factor[i] < 0x1p-500)) return false;
  return true;
}

/* Multiplies a range of columns. */
static void multiply_columns(void *job, gg_range range) {
  const multiplication *m = job;
  const gg_spread_product *p = m->product;
  const double *factor = p->x->factor, *variance = p->within ? p->x->variance : NULL;
  const double flat = p->x->variance ? 0 : NAN;
  for (int64_t j = range.first; j < range.last; ++j) {
    if (p->type == GPUGEO_TYPE_FLOAT) {
      float *out = (float *)p->out + j * p->rows;
      multiply_float(out, factor, p->y->factor[j], p->rows, flat, p->missing, m->safe);
      if (variance) out[j] = (float)(isnan(variance[j]) ? p->missing : variance[j]);
    } else {
      double *out = (double *)p->out + j * p->rows;
      multiply_double(out, factor, p->y->factor[j], p->rows, flat, p->missing, m->safe);
      if (variance) out[j] = isnan(variance[j]) ? p->missing : variance[j];
    }
  }
}

gpugeo_status gg_spread_multiply(const gg_spread_product *product, int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  const bool moderate =
      is_moderate(product->x, product->rows) && is_moderate(product->y, product->columns);
  multiplication own = {product, moderate};
  const bool done = gg_parallel_for(&(gg_loop){.threads = threads,
                                               .count = product->columns,
                                               .grain = 1 + 16384 / (product->rows + 1),
                                               .work = multiply_columns,
                                               .job = &own,
                                               .clock = call->clock,
                                               .begun = 1});
  return gg_call_require(call, done);
}

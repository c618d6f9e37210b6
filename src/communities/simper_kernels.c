/*
 * Sums of rows over the sites of a group, compiled once for each instruction set, see lanes.h. A
 * lane is a column modulo 8. Products with 0 or 1 are exact, so an fma has the bits of a product
 * and a sum.
 *
 * Limited by additions: rows are added side by side, as many as hide their latency.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

typedef double real;

#include "common/vector.h"
#include "communities/simper_kernels.h"

/* Loops over rows and vectors are unrolled, so that the compiler keeps their sums in registers. */
#define UNROLL _Pragma("GCC unroll 8")

enum { VECTORS = GG_SIMPER_LANES / GG_LANES, ROWS = GG_LANES };

/* Adds the product of a and b, which is 0 or 1. */
VFN V add_product(V sum, V a, V b) {
#if defined(GG_LANES_AVX2) || defined(GG_LANES_AVX512)
  return v_fma(a, b, sum);
#else
  return v_add(sum, v_mul(a, b));
#endif
}

/* Returns the sum of the lanes of vectors. */
VFN double add_lanes(const V *vector) {
  double lanes[GG_SIMPER_LANES], sum = 0;
  for (int v = 0; v < VECTORS; ++v)
    v_store(lanes + v * GG_LANES, vector[v]);
  for (int l = 0; l < GG_SIMPER_LANES; ++l)
    sum += lanes[l];
  return sum;
}

/* Writes the sums of `count` rows, a constant. */
VFN void add_rows(const double *const *row, int count, const double *member, int64_t length,
                  double *sum) {
  V sums[ROWS][VECTORS];
  UNROLL for (int r = 0; r < count; ++r) UNROLL for (int v = 0; v < VECTORS; ++v) sums[r][v] =
      v_set(0);
  for (int64_t j = 0; j < length; j += GG_SIMPER_LANES)
    UNROLL for (int v = 0; v < VECTORS; ++v) {
      const V is_member = v_load(member + j + v * GG_LANES);
      UNROLL for (int r = 0; r < count; ++r) sums[r][v] =
          add_product(sums[r][v], v_load(row[r] + j + v * GG_LANES), is_member);
    }
  UNROLL for (int r = 0; r < count; ++r) sum[r] = add_lanes(sums[r]);
}

GG_TARGET void GG_FORM_OF(gg_simper_sums)(const double *e, int64_t ld, const int32_t *row,
                                          int64_t rows, const double *member, int64_t length,
                                          double *sum) {
  int64_t r = 0;
  for (; r + ROWS <= rows; r += ROWS) {
    const double *start[ROWS];
    for (int k = 0; k < ROWS; ++k)
      start[k] = e + row[r + k] * ld;
    add_rows(start, ROWS, member, length, sum + r);
  }
  for (; r < rows; ++r) {
    const double *start = e + row[r] * ld;
    add_rows(&start, 1, member, length, sum + r);
  }
}

#endif

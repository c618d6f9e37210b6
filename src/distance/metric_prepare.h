/*
 * The preparation of each point before the pairs, in the functions of vector.h, for doubles, with a
 * point in each lane and its coordinates `stride` apart. Included after each inclusion of vector.h.
 * Written once, so both backends prepare the same bits.
 */

/* Reads the coordinates of a point in order. The CUDA backend has its own reader, which copies
   later coordinates to shared memory in advance. */
#if !defined(__CUDACC__)
typedef struct reader {
  const real *next;
  int64_t stride;
} reader;
VFN reader read_point(const real *z, int64_t stride, int64_t m) {
  (void)m;
  reader point = {z, stride};
  return point;
}
VFN V read_next(reader *point) {
  V x = v_load(point->next);
  point->next += point->stride;
  return x;
}
#define UNROLLED
#else
#define UNROLLED _Pragma("unroll 16")
#endif

/* Returns the power of two that scales the largest magnitude, at most 2^1023, to near 1; 1 for
   0. */
VFN V magnitude_scale(V largest) {
  V e = v_bits(i_or(i_shr(i_bits(largest), 52), i_set(0x4330000000000000ull)));
  e = v_sub(v_set(0x1p52 + 1023), e); /* -exponent */
  V biased = v_add(e, v_set(6755399441055744.0 + 1023.0));
  V scale = v_bits(i_shl(i_bits(biased), 52));
  scale = v_select(v_lt(v_set(0x1p1022), largest), v_set(0x1p-1022), scale);
  scale = v_select(v_lt(largest, v_set(0x1p-1021)), v_set(0x1p1021), scale);
  return v_select(v_eq(largest, v_set(0)), v_set(1), scale);
}

/* Returns 0 for 0, 1 for another finite number, and NaN for all others. */
VFN V binary_value(V x) {
  V difference = v_sub(x, x); /* NaN where x is not finite */
  V mapped = v_keep(v_ne(x, v_set(0)), v_set(1));
  return v_select(v_eq(difference, difference), mapped, v_nan());
}

VFN V scaled_value(V x, real centre, real factor) {
  return v_div(v_sub(x, v_set(centre)), v_set(factor));
}

VFN void prepare_scaled(real *z, int64_t stride, int64_t m, const real *centre,
                        const real *factor) {
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, scaled_value(v_load(z + k * stride), centre[k], factor[k]));
}

VFN void prepare_binary(real *z, int64_t stride, int64_t m) {
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, binary_value(v_load(z + k * stride)));
}

/* The other preparations take a point's coordinates x to ((x scale - first) - mean) / length.
   The mean is that of the differences from the first coordinate, so coordinates far from 0
   keep their digits. The four are computed in the order of the coordinates; they can be applied
   in any order, which a GPU does in parallel. */
typedef struct point_terms {
  V scale, first, mean, length;
} point_terms;

VFN V difference_from_first(V x, const point_terms *terms) {
  return v_sub(v_mul(x, terms->scale), terms->first);
}

VFN V deviation(V x, const point_terms *terms) {
  return v_sub(difference_from_first(x, terms), terms->mean);
}

VFN V prepared_value(V x, const point_terms *terms) {
  return v_div(deviation(x, terms), terms->length);
}

VFN void apply_terms(real *z, int64_t stride, int64_t m, const point_terms *terms) {
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, prepared_value(v_load(z + k * stride), terms));
}

/* Computes only a scale with which no square overflows. */
VFN point_terms magnitude_terms(const real *z, int64_t stride, int64_t m) {
  V largest = v_set(0), infinity = v_set((real)INFINITY); /* of finite magnitudes */
  reader point = read_point(z, stride, m);
  UNROLLED for (int64_t k = 0; k < m; ++k) {
    V x = v_abs(read_next(&point));
    largest = v_max(v_keep(v_lt(x, infinity), x), largest);
  }
  point_terms terms = {magnitude_scale(largest), v_set(0), v_set(0), v_set(1)};
  return terms;
}

/* Returns the length of the deviations; NaN if it is 0 or NaN, or where `valid` is false. */
VFN V point_length(const real *z, int64_t stride, int64_t m, const point_terms *terms, M valid) {
  V sum = v_set(0);
  reader point = read_point(z, stride, m);
  UNROLLED for (int64_t k = 0; k < m; ++k) {
    V x = deviation(read_next(&point), terms);
    sum = v_fma_positive(x, x, sum);
  }
  return v_select(m_and(valid, v_lt(v_set(0), sum)), v_sqrt(sum), v_nan());
}

VFN point_terms unit_terms(const real *z, int64_t stride, int64_t m) {
  point_terms terms = magnitude_terms(z, stride, m);
  terms.length = point_length(z, stride, m, &terms, v_eq(v_set(0), v_set(0)));
  return terms;
}

/* Computes first, mean and length. The mean is corrected once; points whose coordinates are all
   equal have length NaN. */
VFN point_terms centred_terms(const real *z, int64_t stride, int64_t m) {
  point_terms terms = magnitude_terms(z, stride, m);
  terms.first = v_mul(v_load(z), terms.scale);
  V count = v_set((real)m), sum = v_set(0), rest = v_set(0);
  M varies = v_ne(sum, sum); /* in no lane yet */
  reader point = read_point(z, stride, m);
  UNROLLED for (int64_t k = 0; k < m; ++k) {
    V x = difference_from_first(read_next(&point), &terms);
    sum = v_add(sum, x);
    varies = m_or(varies, v_ne(x, v_set(0)));
  }
  terms.mean = v_div(sum, count);
  point = read_point(z, stride, m);
  UNROLLED for (int64_t k = 0; k < m; ++k) {
    rest = v_add(rest, deviation(read_next(&point), &terms));
  }
  terms.mean = v_add(terms.mean, v_div(rest, count));
  terms.length = point_length(z, stride, m, &terms, varies);
  return terms;
}

VFN void prepare_magnitude(real *z, int64_t stride, int64_t m) {
  point_terms terms = magnitude_terms(z, stride, m);
  apply_terms(z, stride, m, &terms);
}

VFN void prepare_unit(real *z, int64_t stride, int64_t m) {
  point_terms terms = unit_terms(z, stride, m);
  apply_terms(z, stride, m, &terms);
}

VFN void prepare_centred(real *z, int64_t stride, int64_t m) {
  point_terms terms = centred_terms(z, stride, m);
  apply_terms(z, stride, m, &terms);
}

/* Prepares by forward substitution with the lower triangular factor, row-major, m by m. A
   coordinate that is not finite makes itself and all after it NaN, and so every distance of the
   point. */
VFN void prepare_whitened(real *z, int64_t stride, int64_t m, const real *centre,
                          const real *factor) {
  for (int64_t k = 0; k < m; ++k) {
    V rest = v_sub(v_load(z + k * stride), v_set(centre[k]));
    rest = v_add(rest, v_sub(rest, rest));
    for (int64_t l = 0; l < k; ++l)
      rest = v_fma(v_set(-factor[k * m + l]), v_load(z + l * stride), rest);
    v_store(z + k * stride, v_div(rest, v_set(factor[k * m + k])));
  }
}

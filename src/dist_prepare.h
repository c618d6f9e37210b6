/*
 * What is done to each point by itself before the pairs: in the words of vector.h, for doubles,
 * with a point in each lane and its coordinates `stride` apart. Included after vector.h, as often
 * as that is. Written once, so that both backends prepare the same bits.
 */

/* The power of two that brings the largest of finite magnitudes up to 2^1023 near 1; 1 for 0. */
VFN V magnitude_scale(V largest) {
  V e = v_bits(i_or(i_shr(i_bits(largest), 52), i_set(0x4330000000000000ull)));
  e = v_sub(v_set(0x1p52 + 1023), e); /* -exponent */
  V biased = v_add(e, v_set(6755399441055744.0 + 1023.0));
  V scale = v_bits(i_shl(i_bits(biased), 52));
  scale = v_select(v_lt(v_set(0x1p1022), largest), v_set(0x1p-1022), scale);
  scale = v_select(v_lt(largest, v_set(0x1p-1021)), v_set(0x1p1021), scale);
  return v_select(v_eq(largest, v_set(0)), v_set(1), scale);
}

VFN void prepare_binary(real *z, int64_t stride, int64_t m) {
  for (int64_t k = 0; k < m; ++k) {
    V x = v_load(z + k * stride), zero = v_set(0);
    V difference = v_sub(x, x); /* NaN where x is not finite */
    V mapped = v_keep(v_ne(x, zero), v_set(1));
    v_store(z + k * stride, v_select(v_eq(difference, difference), mapped, v_nan()));
  }
}

/* The largest finite magnitude. */
VFN V largest_finite(const real *z, int64_t stride, int64_t m) {
  V largest = v_set(0), infinity = v_set((real)INFINITY);
  for (int64_t k = 0; k < m; ++k) {
    V x = v_abs(v_load(z + k * stride));
    largest = v_max(v_keep(v_lt(x, infinity), x), largest);
  }
  return largest;
}

VFN void prepare_magnitude(real *z, int64_t stride, int64_t m) {
  V scale = magnitude_scale(largest_finite(z, stride, m));
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, v_mul(v_load(z + k * stride), scale));
}

/* Divide by the length; all NaN where `valid` does not hold. */
VFN void divide_by_length(real *z, int64_t stride, int64_t m, M valid) {
  V sum = v_set(0);
  for (int64_t k = 0; k < m; ++k) {
    V x = v_load(z + k * stride);
    sum = v_fma(x, x, sum);
  }
  V length = v_select(m_and(valid, v_lt(v_set(0), sum)), v_sqrt(sum), v_nan());
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, v_div(v_load(z + k * stride), length));
}

VFN void prepare_unit(real *z, int64_t stride, int64_t m) {
  prepare_magnitude(z, stride, m);
  divide_by_length(z, stride, m, v_eq(v_set(0), v_set(0)));
}

/* Centres by the mean, corrected once, and tells the points whose coordinates are not all equal. */
VFN void prepare_centred(real *z, int64_t stride, int64_t m) {
  prepare_magnitude(z, stride, m);
  V count = v_set((real)m), sum = v_set(0), first = v_load(z);
  M varies = v_ne(sum, sum); /* in no lane yet */
  for (int64_t k = 0; k < m; ++k) {
    V x = v_load(z + k * stride);
    sum = v_add(sum, x);
    varies = m_or(varies, v_ne(x, first));
  }
  V mean = v_div(sum, count), rest = v_set(0);
  for (int64_t k = 0; k < m; ++k)
    rest = v_add(rest, v_sub(v_load(z + k * stride), mean));
  mean = v_add(mean, v_div(rest, count));
  for (int64_t k = 0; k < m; ++k)
    v_store(z + k * stride, v_sub(v_load(z + k * stride), mean));
  divide_by_length(z, stride, m, varies);
}

/* Forward substitution with the lower triangular factor, row-major, m by m. */
VFN void prepare_whitened(real *z, int64_t stride, int64_t m, const real *centre,
                          const real *factor) {
  for (int64_t k = 0; k < m; ++k) {
    V rest = v_sub(v_load(z + k * stride), v_set(centre[k]));
    for (int64_t l = 0; l < k; ++l)
      rest = v_fma(v_set(-factor[k * m + l]), v_load(z + l * stride), rest);
    v_store(z + k * stride, v_div(rest, v_set(factor[k * m + k])));
  }
}

/*
 * x^p for the Minkowski distance, for doubles and in the functions of vector.h, so every
 * backend gives the same bits. Included after each inclusion of vector.h.
 *
 * p log2(x) is formed as an unevaluated sum of two doubles good to about 2^-63 relative (log2 by
 * the series of 2 atanh(s), s = (m - 1) / (m + 1), for m in [sqrt(1/2), sqrt(2))), then 2^y by the
 * Taylor series around the nearest integer. The error is below 1.4 ulp for |p log2 x| <= 512 and
 * below 2.1 ulp up to the ends of the normal range (tests/c/test_power.c holds that, against
 * mpmath; of 60 million random points against 80-bit arithmetic the worst were 1.37 and 2.01).
 */

/* Returns 2^n for integer-valued n in [-1022, 1023]: n + 1023 is put into the exponent field. */
VFN V pow_two(V n) {
  I biased = i_bits(v_add(n, v_set(6755399441055744.0 + 1023.0))); /* 1.5 * 2^52 + bias */
  return v_bits(i_shl(biased, 52));
}

/* Returns a b - product, where product = v_mul(a, b). */
VFN V pow_product_error(V a, V b, V product) { return v_fma(a, b, v_sub(v_set(0), product)); }

VFN V linear(V x, real a, real b) { return v_fma(v_set(b), x, v_set(a)); }

/* x = m 2^e, m in [sqrt(1/2), sqrt(2)), for normal x. */
typedef struct pow_parts {
  V m, e;
} pow_parts;
VFN pow_parts pow_split(V x) {
  I shifted = i_add(i_bits(x), i_set(0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull));
  V m = v_bits(i_add(i_and(shifted, i_set(0x000fffffffffffffull)), i_set(0x3fe6a09e667f3bcdull)));
  V e = v_bits(i_or(i_shr(shifted, 52), i_set(0x4330000000000000ull))); /* 2^52 + e + 1023 */
  const pow_parts parts = {m, e};
  return parts;
}

/* log2(x) = y + yl. */
typedef struct pow_log {
  V y, yl;
} pow_log;
VFN pow_log pow_log2(V m, V e) {
  /* s + sl = (m - 1) / (m + 1) */
  V f = v_sub(m, v_set(1.0)), d = v_add(m, v_set(1.0));
  V dl = v_sub(m, v_sub(d, v_set(1.0)));
  V r = v_div(v_set(1.0), d);
  V s = v_mul(f, r);
  V minus_s = v_sub(v_set(0), s);
  V sl = v_mul(v_fma(minus_s, dl, v_fma(minus_s, d, f)), r);

  /* atanh(s) = s (1 + u), u = z / 3 + z^2 / 5 + ..., z = s^2; the first term in two doubles. */
  V z = v_mul(s, s);
  V zl = v_fma(v_add(s, s), sl, pow_product_error(s, s, z));
  V z2 = v_mul(z, z), z4 = v_mul(z2, z2);
  V q0 = linear(z, 1.0 / 5, 1.0 / 7), q1 = linear(z, 1.0 / 9, 1.0 / 11);
  V q2 = linear(z, 1.0 / 13, 1.0 / 15), q3 = linear(z, 1.0 / 17, 1.0 / 19);
  V q4 = linear(z, 1.0 / 21, 1.0 / 23);
  q0 = v_fma(q1, z2, q0);
  q2 = v_fma(q3, z2, q2);
  q4 = v_fma(linear(z, 1.0 / 25, 1.0 / 27), z2, q4);
  V q = v_fma(v_fma(q4, z4, q2), z4, q0);
  V w = v_mul(z2, q);
  V third = v_set(0x1.5555555555555p-2), third_low = v_set(0x1.5555555555555p-56);
  V t = v_mul(z, third);
  V tl = v_add(pow_product_error(z, third, t), v_fma(z, third_low, v_mul(zl, third)));
  V u = v_add(t, w);
  V ul = v_add(v_add(v_sub(t, u), w), tl);
  V a = v_mul(s, u);
  V al = v_add(pow_product_error(s, u, a), v_fma(s, ul, v_mul(sl, u)));
  V l = v_add(s, a);
  V ll = v_add(v_add(v_sub(s, l), a), v_add(al, sl));

  /* y + yl = log2(x) = e + (l + ll) 2 / ln 2 */
  V k = v_set(0x1.71547652b82fep+1), kl = v_set(0x1.777d0ffda0d24p-55);
  V g = v_mul(l, k);
  V gl = v_add(pow_product_error(l, k, g), v_fma(l, kl, v_mul(ll, k)));
  V y = v_add(e, g);
  V yl = v_add(v_add(v_sub(e, y), g), gl);
  const pow_log log = {y, yl};
  return log;
}

/* Returns 2^f, |f| <= 1/2, by the coefficients ln2^i / i!. */
VFN V pow_exp2(V f) {
  V f2 = v_mul(f, f), f4 = v_mul(f2, f2), f8 = v_mul(f4, f4);
  V p2 = linear(f, 0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6731p-10);
  V p3 = linear(f, 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17);
  V p4 = linear(f, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24);
  V p5 = linear(f, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32);
  V p6 = linear(f, 0x1.c3bd650fc2986p-36, 0x1.816193166d0f9p-40);
  p2 = v_fma(p3, f2, p2);
  p5 = v_fma(p6, f4, v_fma(p5, f2, p4));
  const real a0 = 1.0, b0 = 0x1.62e42fefa39efp-1;
  const real a1 = 0x1.ebfbdff82c58fp-3, b1 = 0x1.c6b08d704a0c0p-5;
  V p0 = linear(f, a0, b0), p1 = linear(f, a1, b1);
  return v_add(p0, v_fma(p5, f8, v_fma(p2, f4, v_mul(p1, f2))));
}

#define POW_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding it rounds to an integer */

/* Returns x^p, x >= 0 or NaN, p > 0 and finite. 0 -> 0, Inf -> Inf, NaN -> NaN. Not inlined where
   37 fma are emulated. */
#if defined(GG_FMA_POSITIVE)
static __attribute__((noinline)) V v_pow(V x, V p) {
#else
VFN V v_pow(V x, V p) {
#endif
  M tiny = v_lt(x, v_set(0x1p-1022)); /* subnormal x are scaled up */
  pow_parts parts = pow_split(v_select(tiny, v_mul(x, v_set(0x1p54)), x));
  V e = v_sub(parts.e, v_select(tiny, v_set(0x1p52 + 1023 + 54), v_set(0x1p52 + 1023)));
  pow_log log = pow_log2(parts.m, e);

  /* h + hl = p log2(x), held within what 2^h can distinguish */
  V h = v_mul(log.y, p);
  V hl = v_fma(log.yl, p, pow_product_error(log.y, p, h));
  hl = v_keep(v_lt(v_abs(h), v_set(1200)), hl);
  h = v_select(v_lt(h, v_set(1200)), h, v_set(1200));
  h = v_select(v_lt(h, v_set(-1200)), v_set(-1200), h);

  /* 2^(h + hl) = 2^n 2^f, |f| <= 1/2 */
  V magic = v_set(POW_MAGIC), n = v_sub(v_add(h, magic), magic);
  V q = pow_exp2(v_add(v_sub(h, n), hl));
  /* In two halves, so neither leaves the exponent's range and only the last one rounds. */
  V half = v_sub(v_add(v_mul(n, v_set(0.5)), magic), magic);
  V power = v_mul(v_mul(q, pow_two(half)), pow_two(v_sub(n, half)));

  power = v_keep(v_lt(v_set(0), x), power);
  power = v_select(v_eq(x, v_set((real)INFINITY)), x, power);
  return v_select(v_eq(x, x), power, x);
}

/* Returns z (2 / 3 + z 2 / 5 + z^2 2 / 7 + ...) for 0 <= z < 0.0295, the series of
   log((1 + s) / (1 - s)) / s - 2 with z = s^2, by the polynomial of degree 6 through the Chebyshev
   nodes: the error of the sum is below 2^-49, that of the logarithm below 2^-57 of it. */
VFN V log_series(V z) {
  V z2 = v_mul(z, z), z4 = v_mul(z2, z2);
  V p0 = linear(z, 0x1.5555555555558p-1, 0x1.99999999951f5p-2);
  V p1 = linear(z, 0x1.2492492e0b70cp-2, 0x1.c71c62c42db89p-3);
  V p2 = linear(z, 0x1.7462be245eae3p-3, 0x1.39fd25d62ab23p-3);
  V high = v_fma(v_set(0x1.2b6776a1bf0b9p-3), z2, p2);
  return v_mul(z, v_fma(high, z4, v_fma(p1, z2, p0)));
}

/* Returns the natural logarithm of x > 0, with an error below 1 ulp: e log 2 + log(1 + f), where
   log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + series)), s = f / (2 + f). 0 -> -Inf, Inf -> Inf,
   NaN and x < 0 -> NaN. */
VFN V v_ln(V x) {
  M tiny = v_lt(x, v_set(0x1p-1022));
  pow_parts parts = pow_split(v_select(tiny, v_mul(x, v_set(0x1p54)), x));
  V e = v_sub(parts.e, v_select(tiny, v_set(0x1p52 + 1023 + 54), v_set(0x1p52 + 1023)));
  V f = v_sub(parts.m, v_set(1)), s = v_div(f, v_add(v_set(2), f));
  V half = v_mul(v_set(0.5), v_mul(f, f));
  V low =
      v_mul(e, v_set(0x1.ef35793c76730p-45)); /* log 2 in two parts; e times the first is exact */
  V rest = v_sub(half, v_add(v_mul(s, v_add(half, log_series(v_mul(s, s)))), low));
  V log = v_sub(v_mul(e, v_set(0x1.62e42fefa3800p-1)), v_sub(rest, f));
  log = v_select(v_lt(x, v_set((real)INFINITY)), log, x);
  log = v_select(v_lt(x, v_set(0)), v_nan(), log);
  return v_select(v_eq(x, v_set(0)), v_set(-(real)INFINITY), log);
}

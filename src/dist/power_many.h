/*
 * x^p of power.h for four vectors at a time where fma is emulated (SSE2): the operations of one
 * vector wait for each other. Included by power.h.
 *
 * Logarithms come from a table, with other errors than those of pow_exactly(). A bound of both
 * errors gives two numbers for f, whose power 2^f follows. If they are equal, f is that of
 * pow_exactly(), and 2^f is computed by its operations, again within bounds. Powers that are still
 * unsure are computed by pow_exactly().
 */
#include "dist/power_table.h"

enum { MANY = 4 };

/* MANY vectors, and functions of vector.h for them. */
typedef struct W {
  V v[MANY];
} W;
#define EACH _Pragma("GCC unroll 4") for (int v = 0; v < MANY; ++v)
#define W_OPERATION(name, parameters, value)                                                       \
  VFN W w_##name parameters {                                                                      \
    W w;                                                                                           \
    EACH w.v[v] = value;                                                                           \
    return w;                                                                                      \
  }
W_OPERATION(set, (real a), v_set(a))
W_OPERATION(all, (V a), a)
W_OPERATION(add, (W a, W b), v_add(a.v[v], b.v[v]))
W_OPERATION(sub, (W a, W b), v_sub(a.v[v], b.v[v]))
W_OPERATION(mul, (W a, W b), v_mul(a.v[v], b.v[v]))
W_OPERATION(times, (W a, real b), v_mul(a.v[v], v_set(b)))
W_OPERATION(plus, (W a, real b), v_add(a.v[v], v_set(b)))
W_OPERATION(or, (W a, W b), m_or(a.v[v], b.v[v]))
W_OPERATION(smaller, (W a, W b), P(min)(a.v[v], b.v[v]))
W_OPERATION(larger, (W a, W b), P(max)(a.v[v], b.v[v]))
W_OPERATION(ne, (W a, W b), v_ne(a.v[v], b.v[v]))
W_OPERATION(leading, (W a), P (and)(a.v[v], v_bits(i_set(0xfffffffff8000000ull))))
W_OPERATION(beyond, (W a, W b), v_le(b.v[v], v_abs(a.v[v])))
W_OPERATION(zero, (W a), v_eq(a.v[v], v_set(0)))
W_OPERATION(keep, (W mask, W a), P (and)(mask.v[v], a.v[v]))
W_OPERATION(drop, (W mask, W a), P(andnot)(mask.v[v], a.v[v]))
W_OPERATION(nonzero_or_one, (W zero, W x), v_max(P (and)(zero.v[v], v_set(1)), x.v[v]))
W_OPERATION(mantissa, (W shifted),
            v_bits(i_add(i_and(i_bits(shifted.v[v]), i_set(0x000fffffffffffffull)),
                         i_set(0x3fe6a09e667f3bcdull))))
W_OPERATION(shift_mantissa, (W x),
            v_bits(i_add(i_bits(x.v[v]), i_set(0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull))))
W_OPERATION(exponent, (W shifted),
            v_sub(v_bits(i_or(i_shr(i_bits(shifted.v[v]), 52), i_set(0x4330000000000000ull))),
                  v_set(0x1p52 + 1023)))
W_OPERATION(scale, (W a, W n), v_bits(i_add(i_bits(a.v[v]), i_shl(i_bits(n.v[v]), 52))))

/* Returns b x + a with two roundings. */
VFN W w_linear(W x, real a, real b) { return w_plus(w_times(x, b), a); }

/* A row of the table for each lane. */
typedef struct log_rows {
  W c, error, log, log_low;
} log_rows;
VFN log_rows find_rows(W shifted) {
  log_rows rows;
  EACH {
    const I at = i_and(i_shr(i_bits(shifted.v[v]), 44), i_set(255));
    const double *first = power_table[_mm_cvtsi128_si32(at)];
    const double *second = power_table[_mm_extract_epi16(at, 4)];
    const V a = v_load(first), b = v_load(second), c = v_load(first + 2), d = v_load(second + 2);
    rows.c.v[v] = v_first(a, b);
    rows.error.v[v] = v_second(a, b);
    rows.log.v[v] = v_first(c, d);
    rows.log_low.v[v] = v_second(c, d);
  }
  return rows;
}

/* log2(x) = y + yl, where y has at most 26 bits, and a bound of the error of y + yl, of all
   operations with yl, and of pow_log2(). */
typedef struct many_logs {
  W y, yl, error;
} many_logs;

/*
 * Returns log2(m) + e: with m c = 1 + r, |r| < 2^-8, by the series of log2(1 + r). r = rh + rl,
 * where rh has at most 29 bits, so that its product with the 24 bits of k is exact. Without error
 * if r is 0: m is 1.
 */
VFN many_logs log_many(W shifted) {
  const real k = 0x1.715476p+0, kl = 0x1.4ae0bf85ddf44p-26;
  W m = w_mantissa(shifted), mh = w_leading(m), ml = w_sub(m, mh);
  log_rows rows = find_rows(shifted);
  W rh = w_plus(w_mul(mh, rows.c), -1), rl = w_mul(ml, rows.c);
  W r = w_add(rh, rl), r2 = w_mul(r, r);
  W a = w_linear(r, -0x1.71547652b82fep-1, 0x1.ec709dc3a03fdp-2);
  W b = w_linear(r, -0x1.71547652b82fep-2, 0x1.2776c50ef9bfep-2);
  W c = w_linear(r, -0x1.ec709dc3a03fdp-3, 0x1.a61762a7aded9p-3);
  W tail = w_mul(r2, w_add(a, w_mul(r2, w_add(b, w_mul(r2, c)))));
  W large = w_add(w_exponent(shifted), rows.log), g = w_times(rh, k);
  W y = w_leading(w_add(large, g));
  W small = w_add(rows.log_low, w_add(w_times(rh, kl), w_times(rl, k + kl)));
  W yl = w_add(w_add(w_sub(large, y), g), w_add(small, tail));
  return (many_logs){y, yl, w_drop(w_zero(r), rows.error)};
}

/* Factors of f, with f split once, and the part of them that is exact. */
typedef struct split_many {
  W all, high, low;
} split_many;

/* Returns b f + a as v_fma() does, for |b f| <= |a| and |a| > 2^-700, or sets unsure. */
VFN W fma_many(split_many f, real a, real b, W *unsure) {
  W high = w_leading(w_set(b)), low = w_sub(w_set(b), high);
  W leading = w_mul(f.high, high), sum = w_plus(leading, a);
  W rest = w_add(w_mul(f.low, high), w_mul(f.all, low));
  W small = w_add(w_sub(leading, w_plus(sum, -a)), rest);
  W least = w_add(sum, w_times(small, 1 - 0x1p-46));
  *unsure = w_or(*unsure, w_ne(least, w_add(sum, w_times(small, 1 + 0x1p-46))));
  return least;
}

/* Returns 2^f as pow_exp2(), or sets unsure. */
VFN W exp2_many(W f, W *unsure) {
  W f2 = w_mul(f, f), f4 = w_mul(f2, f2), f8 = w_mul(f4, f4);
  W p2 = w_linear(f, 0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6731p-10);
  W p3 = w_linear(f, 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17);
  W p4 = w_linear(f, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24);
  W p5 = w_linear(f, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32);
  W p6 = w_linear(f, 0x1.c3bd650fc2986p-36, 0x1.816193166d0f9p-40);
  p2 = w_add(w_mul(p3, f2), p2);
  p5 = w_add(w_mul(p6, f4), w_add(w_mul(p5, f2), p4));
  W high = w_leading(f);
  split_many split = {f, high, w_sub(f, high)};
  W p0 = fma_many(split, 1, 0x1.62e42fefa39efp-1, unsure);
  /* b1 f is between its rounded product times 1 - 2^-53 and times 1 + 2^-52. */
  const real a1 = 0x1.ebfbdff82c58fp-3;
  W product = w_times(f, 0x1.c6b08d704a0c0p-5);
  W one = w_plus(w_times(product, 1 - 0x1p-53), a1);
  W other = w_plus(w_times(product, 1 + 0x1p-52), a1);
  W p1 = w_mul(w_smaller(one, other), f2), p1_most = w_mul(w_larger(one, other), f2);
  /* Of two ways to compute p2 f4 + p5 f8 each differs by less than 7 times 2^-53 p2 f4. */
  W a = w_mul(p2, f4), b = w_mul(p5, f8);
  W least = w_add(w_add(p1, w_times(a, 1 - 0x1.cp-51)), b);
  W most = w_add(w_add(p1_most, w_times(a, 1 + 0x1.cp-51)), b);
  W q = w_add(p0, least);
  *unsure = w_or(*unsure, w_ne(q, w_add(p0, most)));
  return q;
}

/* An exponent: the parts with 26 bits and the rest, and a limit of |log2(x)|. */
typedef struct exponent_parts {
  W all, high, low, limit;
} exponent_parts;
VFN exponent_parts exponent_split(V p) {
  const W all = w_all(p), high = w_leading(all);
  const V most = v_div(v_set(1000), p), limit = v_select(v_lt(most, v_set(64)), most, v_set(64));
  return (exponent_parts){all, high, w_sub(all, high), w_all(limit)};
}

/* Returns powers, or sets unsure: near the ends of the range, and where p log2(x) is
   near n + 1/2, so that that of pow_exactly() may have another n. 0 is a frequent difference. */
VFN W power_many(W x, const exponent_parts *p, W *unsure) {
  W zero = w_zero(x), shifted = w_shift_mantissa(w_nonzero_or_one(zero, x));
  many_logs log = log_many(shifted);
  W h = w_mul(log.y, p->high), hl = w_add(w_mul(log.y, p->low), w_mul(log.yl, p->all));
  W n = w_plus(h, POW_MAGIC), rest = w_sub(h, w_plus(n, -POW_MAGIC));
  W error = w_mul(log.error, p->all);
  W f = w_add(rest, w_sub(hl, error));
  *unsure = w_or(w_ne(f, w_add(rest, w_add(hl, error))), w_beyond(f, w_set(0.5 - 0x1p-13)));
  *unsure = w_or(*unsure, w_beyond(log.y, p->limit));
  return w_drop(zero, w_scale(exp2_many(f, unsure), n));
}

/* Returns the powers of x. */
VFN W w_pow(W x, const exponent_parts *p) {
  W unsure, power = power_many(x, p, &unsure);
  EACH if (__builtin_expect(m_any(unsure.v[v]), false)) power.v[v] =
      pow_carefully(x.v[v], p->all.v[v]);
  return power;
}

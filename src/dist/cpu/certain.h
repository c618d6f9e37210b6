/*
 * Steps of metric_step.h for blocks of 2 vectors by 2 points where fma is emulated (SSE2): they
 * take coordinates k, k + 1, ... as long as cheaper operations certainly give the bits of the step,
 * and return the first coordinate that they leave to it, or `end`. Included by kernel.h.
 *
 * s: the block's sums, in the order s[column][vector][sum].
 */

enum {
  CERTAIN_RUN = 8, /* coordinates of canberra that are checked together */
  SPLIT_UNTIL = 64 /* before, most blocks of 8 pairs would have an unsure sum of squares */
};

/* New values of sums, and whether they may differ from those of the step. */
typedef struct next_sum {
  V sum;
  M unsure;
} next_sum;

/*
 * Adds a square to a sum of at least 2^-800. The square d^2 is between p (1 - 2^-53) and the number
 * after p, where p is d^2 rounded. If the sums with both round to the same number, so does that
 * with d^2. Where p has lost bits to underflow, no such sum changes. NaN is unequal.
 */
VFN next_sum square_add(V sum, V d) {
  V p = v_mul(d, d), after = v_bits(i_add(i_bits(p), i_set(1)));
  V low = v_add(sum, v_mul(p, v_set(1 - 0x1p-53)));
  return (next_sum){low, v_ne(low, v_add(sum, after))};
}

/* Adds a square to a sum of at least 2^-800, by the operations of v_fma_positive(). */
VFN next_sum square_add_split(V sum, V d) {
  V high = P(and)(d, v_bits(i_set(0xfffffffff8000000ull))), low = v_sub(d, high);
  V leading = v_mul(high, high), most = v_add(sum, leading);
  V larger = P(max)(sum, leading), smaller = P(min)(sum, leading);
  V rest = v_add(v_sub(smaller, v_sub(most, larger)), v_mul(low, v_add(d, high)));
  V least = v_add(most, v_mul(rest, v_set(1 - 0x1p-46)));
  return (next_sum){least, v_ne(least, v_add(most, v_mul(rest, v_set(1 + 0x1p-46))))};
}

/* True if none of four sums is unsure: sets s to them. */
VFN bool take_sums(const next_sum *next, V *s) {
  M unsure = m_or(m_or(next[0].unsure, next[1].unsure), m_or(next[2].unsure, next[3].unsure));
  if (m_any(unsure)) return false;
  UNROLL for (int v = 0; v < 4; ++v) s[v] = next[v].sum;
  return true;
}

VFN int64_t euclidean_certain(const real *a, const real *b, int64_t k, int64_t end, V *s) {
  V sum[4], d[4];
  next_sum next[4];
  M enough = v_eq(v_set(0), v_set(0));
  UNROLL for (int v = 0; v < 4; ++v) {
    sum[v] = s[v];
    enough = m_and(enough, v_le(v_set(0x1p-800), sum[v]));
  }
  if (!m_all(enough)) return k;
  for (; k < end; ++k) {
    UNROLL for (int v = 0; v < 4; ++v) d[v] =
        v_sub(v_load(a + k * PANEL + v % 2 * GG_LANES), v_set(b[k * PANEL + v / 2]));
    if (k >= SPLIT_UNTIL) {
      UNROLL for (int v = 0; v < 4; ++v) next[v] = square_add(sum[v], d[v]);
      if (take_sums(next, sum)) continue;
    }
    UNROLL for (int v = 0; v < 4; ++v) next[v] = square_add_split(sum[v], d[v]);
    if (!take_sums(next, sum)) break;
  }
  UNROLL for (int v = 0; v < 4; ++v) s[v] = sum[v];
  return k;
}

/* Fractions of canberra as top / common, and what a run of steps has met. */
typedef struct fractions {
  V top[4], common[4];
  V most, least; /* of all values of common */
  M unsure;      /* where top may differ from that of the step */
} fractions;

/*
 * Adds a term to fraction v, which is at least 2 - 2^-40. The term is at most 1, so that the
 * leading part of top sum is more than d common: v_fma_positive() without comparing the two.
 */
VFN void fraction_add(fractions *f, int v, V x, V y) {
  V d = v_abs(v_sub(x, y)), sum = v_add(v_abs(x), v_abs(y));
  V added = v_mul(d, f->common[v]);
  f->common[v] = v_mul(f->common[v], sum);
  f->most = P(max)(f->most, f->common[v]);
  f->least = P(min)(f->least, f->common[v]);
  split_product product = split_multiply(f->top[v], sum);
  V all = v_add(product.leading, added);
  V rest = v_add(v_sub(added, v_sub(all, product.leading)), product.rest);
  f->top[v] = v_add(all, v_mul(rest, v_set(1 - 0x1p-46)));
  f->unsure = m_or(f->unsure, v_ne(v_add(all, v_mul(rest, v_set(1 + 0x1p-46))), f->top[v]));
}

VFN int64_t canberra_certain(const real *a, const real *b, int64_t k, int64_t end, V *s) {
  enum { TOP = 1, COMMON = 2, SUMS = 4 };
  fractions f;
  M fail = v_lt(v_set(0), v_set(0));
  UNROLL for (int v = 0; v < 4; ++v) {
    f.top[v] = s[v * SUMS + TOP];
    f.common[v] = s[v * SUMS + COMMON];
    fail = m_or(fail, m_not(v_le(v_add(f.common[v], f.common[v]), f.top[v])));
  }
  while (k < end && !m_any(fail)) {
    const int64_t stop = end - k < CERTAIN_RUN ? end : k + CERTAIN_RUN;
    f.most = f.least = v_set(1);
    f.unsure = fail;
    for (int64_t c = k; c < stop; ++c)
      UNROLL for (int v = 0; v < 4; ++v) fraction_add(
          &f, v, v_load(a + c * PANEL + v % 2 * GG_LANES), v_set(b[c * PANEL + v / 2]));
    fail =
        m_or(f.unsure, m_or(v_le(v_set(REAL_LARGE), f.most), v_le(f.least, v_set(1 / REAL_LARGE))));
    UNROLL for (int v = 0; v < 4; ++v) fail = m_or(fail, v_ne(f.common[v], f.common[v]));
    if (m_any(fail)) break;
    UNROLL for (int v = 0; v < 4; ++v) {
      s[v * SUMS + TOP] = f.top[v];
      s[v * SUMS + COMMON] = f.common[v];
    }
    k = stop;
  }
  return k;
}

/* Takes all coordinates from k on, for 4 points by one vector. */
VFN int64_t power_certain(const real *a, const real *b, int64_t k, int64_t end, V p, V *s) {
  const exponent_parts parts = exponent_split(p);
  for (; k < end; ++k) {
    W d;
    EACH d.v[v] = v_abs(v_sub(v_load(a + k * PANEL), v_set(b[k * PANEL + v])));
    d = w_pow(d, &parts);
    EACH s[v] = v_add(s[v], d.v[v]);
  }
  return k;
}

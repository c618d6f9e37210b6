/*
 * The metrics, each as three functions over lanes of pairs: start the sums, take one coordinate of
 * both points, and finish. Written once in the functions of vector.h for the CPU and the CUDA
 * backend, and included after each inclusion of vector.h.
 *
 * Every sum runs in the order of the coordinates, so it is the same bits for all tiles,
 * threads, chunks and backends. `_missing` steps leave out the coordinates that stats::dist leaves
 * out: those whose difference is NaN (one is missing, or both are the same infinity).
 */

/* Constants of a run: the number of coordinates, the exponent p (and 2 p, for the steps halves;
   0 if p is too large for them), and the flags for finish(). */
typedef struct step_run {
  real columns, p, inverse_p;
  int halves, finish;
} step_run;
VFN step_run step_run_make(int64_t columns, double p, int finish) {
  const int halves = p > 0 && p <= GG_HALVES_MOST ? (int)(2 * p) : 0;
  const step_run run = {(real)columns, (real)p, (real)(1 / p), halves, finish};
  return run;
}

/* A step takes coordinates a and b, the weight w of the coordinate, and adds to the sums s. */
#define STEP(name)   VFN void name##_step(V a, V b, V w, const step_run *run, V *s)
#define FINISH(name) VFN V name##_finish(const V *s, const step_run *run)
#define UNUSED3      (void)w, (void)run

/* Returns the initial value of sum number q: 0, except for a maximum that may have no terms, and
   a * denominator. */
VFN V sum_start(gg_step step, int q) {
  if (step == GG_STEP_maximum_missing) return v_set(-1);
  return v_set(step == GG_STEP_canberra && q == 2 ? 1 : 0);
}

/* Scales a sum over some of the coordinates up to all, as stats::dist does; without any it is
   missing. */
VFN_CALL V scale_up_some(V sum, V count, V columns) {
  V scaled = v_div(sum, v_div(count, columns));
  V some = v_select(v_eq(count, columns), sum, scaled);
  return v_select(v_lt(v_set(0), count), some, v_nan());
}
VFN V scale_up(V sum, V count, const step_run *run) {
  V columns = v_set(run->columns);
  return m_any(v_ne(count, columns)) ? scale_up_some(sum, count, columns) : sum;
}

VFN V euclidean_root(V sum, const step_run *run) {
  return run->finish & GG_FINISH_SQUARED ? sum : v_sqrt(sum);
}

/* --- euclidean -------------------------------------------------------------------------------- */

STEP(euclidean) {
  UNUSED3;
  V d = v_sub(a, b);
  s[0] = v_fma_positive(d, d, s[0]);
}
FINISH(euclidean) { return euclidean_root(s[0], run); }

STEP(euclidean_missing) {
  UNUSED3;
  V d = v_sub(a, b);
  M there = v_eq(d, d);
  d = v_keep(there, d);
  s[0] = v_fma_positive(d, d, s[0]);
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(euclidean_missing) { return euclidean_root(scale_up(s[0], s[1], run), run); }

/* Takes the difference before the scale, so distances of near points keep their digits. */
STEP(seuclidean) {
  (void)run;
  V d = v_mul(v_sub(a, b), w);
  s[0] = v_fma_positive(d, d, s[0]);
}
FINISH(seuclidean) { return euclidean_root(s[0], run); }

STEP(seuclidean_missing) {
  (void)run;
  V d = v_mul(v_sub(a, b), w);
  M there = v_eq(d, d);
  d = v_keep(there, d);
  s[0] = v_fma_positive(d, d, s[0]);
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(seuclidean_missing) { return euclidean_root(scale_up(s[0], s[1], run), run); }

/* --- manhattan, maximum ----------------------------------------------------------------------- */

STEP(manhattan) {
  UNUSED3;
  s[0] = v_add_abs(s[0], v_sub(a, b));
}
FINISH(manhattan) {
  (void)run;
  return s[0];
}

STEP(manhattan_missing) {
  UNUSED3;
  V d = v_abs(v_sub(a, b));
  M there = v_eq(d, d);
  s[0] = v_add(s[0], v_keep(there, d));
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(manhattan_missing) { return scale_up(s[0], s[1], run); }

STEP(maximum) {
  UNUSED3;
  s[0] = v_max(v_abs(v_sub(a, b)), s[0]);
}
FINISH(maximum) {
  (void)run;
  return s[0];
}

STEP(maximum_missing) {
  UNUSED3;
  s[0] = v_max(v_abs(v_sub(a, b)), s[0]); /* the sum so far where the difference is NaN */
}
FINISH(maximum_missing) {
  (void)run;
  return v_select(v_lt(s[0], v_set(0)), v_nan(), s[0]);
}

/* --- canberra --------------------------------------------------------------------------------- */

#if defined(GG_SINGLE)
#define REAL_TINY  0x1p-126f
#define REAL_LARGE 0x1p60f
#else
#define REAL_TINY  0x1p-1022
#define REAL_LARGE 0x1p500
#endif

/* Adds one term by a division, for the terms that cannot be added as fractions. Left out, as in
   stats::dist: missing ones, and those whose numerator and denominator vanish. An infinite
   coordinate against another value contributes 1, the limit. */
VFN void canberra_term(V d, V sum, M there, V *s) {
  V tiny = v_set(REAL_TINY), infinity = v_set((real)INFINITY);
  M endless = m_and(v_eq(d, infinity), v_eq(sum, infinity));
  V term = v_select(endless, v_set(1), v_div(d, sum));
  M valid = m_and(m_or(v_lt(tiny, sum), v_lt(tiny, d)), v_eq(term, term));
  s[0] = v_add(s[0], v_keep(m_and(there, valid), term));
  s[3] = v_add(s[3], v_keep(m_and(there, m_not(valid)), v_set(1)));
}

/*
 * Adds the terms as fractions, because a division takes longer than all the rest: n / d + t / u =
 * (n u + t d) / (d u), and divided only when the common denominator would leave a safe range. All
 * terms are positive: no digits cancel. s: sum, numerator, denominator, number of terms left out.
 */
STEP(canberra) {
  UNUSED3;
  V d = v_abs(v_sub(a, b)), sum = v_add(v_abs(a), v_abs(b));
  V common = v_mul(s[2], sum);
  M near = m_and(v_lt(common, v_set(REAL_LARGE)), v_lt(v_set(1 / REAL_LARGE), common));
  V top = v_fma_positive(s[1], sum, v_mul(d, s[2]));
  if (!m_all(near)) {
    M far = m_not(near);
    s[0] = v_add(s[0], v_keep(far, v_div(s[1], s[2])));
    canberra_term(d, sum, far, s);
    top = v_keep(near, top);
    common = v_select(near, common, v_set(1));
  }
  s[1] = top;
  s[2] = common;
}
FINISH(canberra) {
  V columns = v_set(run->columns);
  return scale_up(v_add(s[0], v_div(s[1], s[2])), v_sub(columns, s[3]), run);
}

/* --- binary, hamming, jaccard: counts --------------------------------------------------------- */

/* Coordinates are 0, 1 or NaN: the backend has mapped them on loading. */
STEP(binary) {
  UNUSED3;
  s[0] = v_add_abs(s[0], v_sub(a, b));
  s[1] = v_add(s[1], v_max(a, b));
}
VFN V binary_share(V differ, V nonzero) {
  return v_select(v_eq(nonzero, v_set(0)), v_set(0), v_div(differ, nonzero));
}
FINISH(binary) {
  (void)run;
  return binary_share(s[0], s[1]);
}

STEP(binary_missing) {
  UNUSED3;
  V d = v_abs(v_sub(a, b));
  M there = v_eq(d, d);
  s[0] = v_add(s[0], v_keep(there, d));
  s[1] = v_add(s[1], v_keep(there, v_max(a, b)));
  s[2] = v_add(s[2], v_keep(there, v_set(1)));
}
FINISH(binary_missing) {
  (void)run;
  return v_select(v_lt(v_set(0), s[2]), binary_share(s[0], s[1]), v_nan());
}

STEP(hamming) {
  UNUSED3;
  s[0] = v_add(s[0], v_keep(v_ne(a, b), v_set(1)));
}
FINISH(hamming) { return v_div(s[0], v_set(run->columns)); }

STEP(hamming_missing) {
  UNUSED3;
  M there = m_and(v_eq(a, a), v_eq(b, b));
  s[0] = v_add(s[0], v_keep(m_and(there, v_ne(a, b)), v_set(1)));
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(hamming_missing) {
  (void)run;
  return v_div(s[0], s[1]);
}

STEP(jaccard) {
  UNUSED3;
  V zero = v_set(0), one = v_set(1);
  s[0] = v_add(s[0], v_keep(v_ne(a, b), one));
  s[1] = v_add(s[1], v_keep(m_or(v_ne(a, zero), v_ne(b, zero)), one));
}
FINISH(jaccard) {
  (void)run;
  return v_div(s[0], s[1]);
}

STEP(jaccard_missing) {
  UNUSED3;
  V zero = v_set(0), one = v_set(1);
  M there = m_and(v_eq(a, a), v_eq(b, b));
  s[0] = v_add(s[0], v_keep(m_and(there, v_ne(a, b)), one));
  s[1] = v_add(s[1], v_keep(m_and(there, m_or(v_ne(a, zero), v_ne(b, zero))), one));
}
FINISH(jaccard_missing) {
  (void)run;
  return v_div(s[0], s[1]);
}

/* --- gower ------------------------------------------------------------------------------------ */

/* Coordinates are divided by their ranges. Those of a nominal column are whole numbers, of which
   any two are at least 1 apart; w is minus the weight of an asymmetric column. */
STEP(gower) {
  (void)run;
  V zero = v_set(0), one = v_set(1), d = v_abs(v_sub(a, b));
  M absent = m_and(v_lt(w, zero), m_and(v_eq(a, zero), v_eq(b, zero)));
  M there = m_and(v_eq(d, d), m_not(absent));
  V weight = v_keep(there, v_abs(w));
  d = v_select(v_lt(d, one), d, one);
  s[0] = v_add(s[0], v_mul(d, weight));
  s[1] = v_add(s[1], weight);
}
FINISH(gower) {
  (void)run;
  return v_div(s[0], s[1]);
}

/* --- bray-curtis ------------------------------------------------------------------------------ */

STEP(braycurtis) {
  UNUSED3;
  s[0] = v_add_abs(s[0], v_sub(a, b));
  s[1] = v_add(s[1], v_add(a, b));
}
FINISH(braycurtis) {
  (void)run;
  return v_div(s[0], s[1]);
}

STEP(braycurtis_missing) {
  UNUSED3;
  V d = v_abs(v_sub(a, b));
  M there = v_eq(d, d);
  s[0] = v_add(s[0], v_keep(there, d));
  s[1] = v_add(s[1], v_keep(there, v_add(a, b)));
}
FINISH(braycurtis_missing) {
  (void)run;
  return v_div(s[0], s[1]);
}

/* --- cosine, correlation ---------------------------------------------------------------------- */

/* Returns a correlation, limited to [-1, 1], or one minus it. NaN remains NaN. */
VFN V correlation_value(V r, const step_run *run) {
  V one = v_set(1), minus = v_set(-1);
  r = v_select(v_lt(one, r), one, r);
  r = v_select(v_lt(r, minus), minus, r);
  return run->finish & GG_FINISH_SIMILARITY ? r : v_sub(one, r);
}

/* Points scaled to length 1 on loading (centred before for correlations). */
STEP(product) {
  UNUSED3;
  s[0] = v_fma(a, b, s[0]);
}
FINISH(product) { return correlation_value(s[0], run); }

/*
 * One minus a product loses the digits of near points, and is not 0 for equal ones. Below 2^-6 the
 * backends therefore take half the squared difference of the same points, the sum of step euclidean
 * in the same order: 0 for equal points, with an error of about 2^-52 sqrt(distance) from the
 * rounding of their coordinates. Above, that of 1 - r is below 1e-12 of it for 10,000 coordinates.
 */
/* True if a value of step product has lost digits. */
VFN M is_near(V distance) { return v_lt(distance, v_set((real)0x1p-6)); }
/* Returns the distance of a pair with this squared difference. */
VFN V near_distance(V squares) { return v_mul(squares, v_set((real)0.5)); }

/* Returns r, or 1 where the three sums are the same, as those of equal points are, and neither 0
   nor infinite. */
VFN V unless_equal(V r, V aa, V bb, V ab) {
  M equal = m_and(v_eq(aa, bb), v_eq(aa, ab));
  equal = m_and(equal, m_and(v_lt(v_set(0), aa), v_lt(aa, v_set((real)INFINITY))));
  return v_select(equal, v_set(1), r);
}

STEP(cosine_missing) {
  UNUSED3;
  M there = m_and(v_eq(a, a), v_eq(b, b));
  a = v_keep(there, a);
  b = v_keep(there, b);
  s[0] = v_fma_positive(a, a, s[0]);
  s[1] = v_fma_positive(b, b, s[1]);
  s[2] = v_fma(a, b, s[2]);
}
FINISH(cosine_missing) {
  V r = v_div(v_div(s[2], v_sqrt(s[0])), v_sqrt(s[1]));
  return correlation_value(unless_equal(r, s[0], s[1], s[2]), run);
}

/*
 * Sums of deviations from the first coordinate that both points have: exactly 0 when a point is
 * constant there, and near the mean compared to the deviation, so the one-pass formula loses
 * at most a factor m in precision. The result is Inf, which no correlation can be, where a point is
 * constant: the backend makes it missing and takes a note (GPUGEO_NOTE_ZERO_DEVIATION). s: count,
 * first a, first b, sum a, sum b, sum a^2, sum b^2, sum ab.
 */
STEP(correlation_missing) {
  UNUSED3;
  M there = m_and(v_eq(a, a), v_eq(b, b));
  M first = m_and(there, v_eq(s[0], v_set(0)));
  s[1] = v_select(first, a, s[1]);
  s[2] = v_select(first, b, s[2]);
  a = v_keep(there, v_sub(a, s[1]));
  b = v_keep(there, v_sub(b, s[2]));
  s[0] = v_add(s[0], v_keep(there, v_set(1)));
  s[3] = v_add(s[3], a);
  s[4] = v_add(s[4], b);
  s[5] = v_fma_positive(a, a, s[5]);
  s[6] = v_fma_positive(b, b, s[6]);
  s[7] = v_fma(a, b, s[7]);
}
/* Returns the covariance of n coordinates from the sum of the products of deviations; NaN if it is
   not finite. Prepared points cannot have an infinite one without an infinite coordinate. */
VFN V covariance_value(V products, V n, const step_run *run) {
  V one = v_set(1), divisor = run->finish & GG_FINISH_POPULATION ? n : v_sub(n, one);
  if (run->finish & GG_FINISH_MATLAB) divisor = v_max(divisor, one);
  V value = v_div(products, divisor);
  return v_select(v_eq(v_sub(value, value), v_set(0)), value, v_nan());
}
FINISH(correlation_missing) {
  V zero = v_set(0), n = s[0];
  V minus_a = v_sub(zero, v_div(s[3], n)), minus_b = v_sub(zero, v_div(s[4], n));
  V aa = v_fma(minus_a, s[3], s[5]), bb = v_fma(minus_b, s[4], s[6]);
  V ab = v_fma(minus_a, s[4], s[7]);
  if (run->finish & GG_FINISH_COVARIANCE) return covariance_value(ab, n, run);
  V r = v_div(v_div(ab, v_sqrt(aa)), v_sqrt(bb));
  V value = correlation_value(unless_equal(r, aa, bb, ab), run);
  M flat = m_and(v_lt(v_set(1), n), m_or(v_le(aa, zero), v_le(bb, zero)));
  return v_select(flat, v_set((real)INFINITY), value);
}

/* --- minkowski -------------------------------------------------------------------------------- */

#if !defined(GG_SINGLE)

VFN_CALL V root_of_power(V sum, V inverse_p) { return v_pow(sum, inverse_p); }
VFN V power_root(V sum, const step_run *run) { return root_of_power(sum, v_set(run->inverse_p)); }

/* Returns d^p by multiplications and a square root, for p a multiple of 1/2 and at most
   GG_HALVES_MOST. */
VFN V power_of_halves(V d, const step_run *run) {
  V power = run->halves & 1 ? v_sqrt(d) : v_set(1);
  for (int i = 2; i <= run->halves; i += 2)
    power = v_mul(power, d);
  return power;
}

STEP(halves) {
  (void)w;
  s[0] = v_add(s[0], power_of_halves(v_abs(v_sub(a, b)), run));
}
FINISH(halves) { return power_root(s[0], run); }

STEP(halves_missing) {
  (void)w;
  V d = v_abs(v_sub(a, b));
  M there = v_eq(d, d);
  s[0] = v_add(s[0], v_keep(there, power_of_halves(d, run)));
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(halves_missing) { return power_root(scale_up(s[0], s[1], run), run); }

STEP(power) {
  (void)w;
  s[0] = v_add(s[0], v_pow(v_abs(v_sub(a, b)), v_set(run->p)));
}
FINISH(power) { return power_root(s[0], run); }

STEP(power_missing) {
  (void)w;
  V d = v_abs(v_sub(a, b));
  M there = v_eq(d, d);
  s[0] = v_add(s[0], v_keep(there, v_pow(d, v_set(run->p))));
  s[1] = v_add(s[1], v_keep(there, v_set(1)));
}
FINISH(power_missing) { return power_root(scale_up(s[0], s[1], run), run); }

#endif

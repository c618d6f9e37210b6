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
   0 if p is too large for them), the flags for finish(), and terms of step cao. */
typedef struct step_run {
  real columns, p, inverse_p;
  int halves, finish;
  const real *terms; /* of pairs of small whole numbers; NULL: not known */
} step_run;
VFN step_run step_run_make(int64_t columns, double p, int finish) {
  const int halves = p > 0 && p <= GG_HALVES_MOST ? (int)(2 * p) : 0;
  const step_run run = {(real)columns, (real)p, (real)(1 / p), halves, finish, NULL};
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

/* --- communities ------------------------------------------------------------------------------ */

/* Makes coordinates 0 that one of both points lacks, which then change no sum but `missing`, their
   number. A zero loses its sign, which a quotient would have. */
VFN void drop_missing(V *a, V *b, V *missing) {
  M there = m_and(v_eq(*a, *a), v_eq(*b, *b));
  *a = v_add(*a, v_set(0));
  *b = v_add(*b, v_set(0));
  if (m_all(there)) return;
  *a = v_keep(there, *a);
  *b = v_keep(there, *b);
  *missing = v_add(*missing, v_keep(m_not(there), v_set(1)));
}

/* Returns a value, or NaN where no coordinate is left. */
VFN V unless_none(V value, V missing, const step_run *run) {
  return v_select(v_lt(missing, v_set(run->columns)), value, v_nan());
}

VFN V v_min(V a, V b) { return v_select(v_lt(a, b), a, b); }
VFN M is_above_zero(V a) { return v_lt(v_set(0), a); }
VFN V count_of(M m) { return v_keep(m, v_set(1)); }

STEP(kulczynski) {
  UNUSED3;
  drop_missing(&a, &b, &s[3]);
  s[0] = v_add(s[0], v_min(a, b));
  s[1] = v_add(s[1], a);
  s[2] = v_add(s[2], b);
}
FINISH(kulczynski) {
  (void)run;
  V shared = v_add(v_div(s[0], s[1]), v_div(s[0], s[2]));
  return v_sub(v_set(1), v_mul(v_set(0.5), shared));
}

STEP(clark) {
  UNUSED3;
  drop_missing(&a, &b, &s[2]);
  M some = m_or(v_ne(a, v_set(0)), v_ne(b, v_set(0)));
  if (!m_any(some)) return;
  V q = v_div(v_sub(a, b), v_select(some, v_add(a, b), v_set(1)));
  s[0] = v_add(s[0], v_mul(q, q));
  s[1] = v_add(s[1], count_of(some));
}
FINISH(clark) {
  (void)run;
  return v_sqrt(v_div(s[0], s[1]));
}

STEP(altgower) {
  UNUSED3;
  drop_missing(&a, &b, &s[2]);
  s[0] = v_add_abs(s[0], v_sub(a, b));
  s[1] = v_add(s[1], count_of(m_or(v_ne(a, v_set(0)), v_ne(b, v_set(0)))));
}
FINISH(altgower) {
  (void)run;
  return v_div(s[0], s[1]);
}

/* Adds to the sums of a, b, a^2, b^2 and a b. */
STEP(overlap) {
  UNUSED3;
  drop_missing(&a, &b, &s[5]);
  s[0] = v_add(s[0], a);
  s[1] = v_add(s[1], b);
  s[2] = v_add(s[2], v_mul(a, a));
  s[3] = v_add(s[3], v_mul(b, b));
  s[4] = v_add(s[4], v_mul(a, b));
}
/* Returns Simpson's concentration of a point, of individuals drawn without replacement if they are
   counts. */
VFN V concentration(V sum, V squares, const step_run *run) {
  if (!(run->finish & GG_FINISH_COUNTS)) return v_div(v_div(squares, sum), sum);
  return v_div(v_div(v_sub(squares, sum), sum), v_sub(sum, v_set(1)));
}
FINISH(overlap) {
  V both = v_add(concentration(s[0], s[2], run), concentration(s[1], s[3], run));
  V shared = v_div(v_div(v_mul(v_set(2), s[4]), both), v_mul(s[0], s[1]));
  V distance = v_sub(v_set(1), shared);
  return v_select(v_lt(distance, v_set(0)), v_set(0), distance);
}

/* Counts the coordinates above 0 in a, in b and in both, and those that are missing. */
STEP(incidence) {
  UNUSED3;
  drop_missing(&a, &b, &s[3]);
  M in_a = is_above_zero(a), in_b = is_above_zero(b);
  s[0] = v_add(s[0], count_of(in_a));
  s[1] = v_add(s[1], count_of(in_b));
  s[2] = v_add(s[2], count_of(m_and(in_a, in_b)));
}

/*
 * Returns the probability of at least j common elements of two random subsets of a and b of n
 * elements. Its terms, relative to that of j, follow from each other; they rise to one maximum and
 * fall, so those after one that changes no sum change none. Only one of the sums may be infinite.
 */
VFN V hypergeometric_tail(V a, V b, V j, V n) {
  V one = v_set(1), outside = v_sub(n, v_add(a, b));
  V upper = one, lower = v_set(0), term = one, k = j, before;
  do {
    V next = v_add(k, one);
    term = v_mul(term, v_div(v_mul(v_sub(a, k), v_sub(b, k)), v_mul(next, v_add(outside, next))));
    term = v_keep(m_and(v_lt(k, a), v_lt(k, b)), term);
    before = upper;
    upper = v_add(upper, term);
    k = next;
  } while (m_any(v_ne(upper, before)));
  term = one;
  k = j;
  do {
    V less = v_sub(k, one);
    V ways = v_mul(v_sub(a, less), v_sub(b, less));
    term = v_mul(term, v_div(v_mul(k, v_add(outside, k)), ways));
    term = v_keep(m_and(v_lt(v_set(0), k), v_lt(v_set(0), v_add(outside, k))), term);
    before = lower;
    lower = v_add(lower, term);
    k = less;
  } while (m_any(v_ne(lower, before)));
  return v_div(one, v_add(one, v_div(lower, upper)));
}

/* Returns exp(-x) for x > 0. */
VFN V exp_minus(V x) { return v_pow(v_set(0.36787944117144233), x); }

/*
 * Returns the positive root M of exp(-pM) + exp(-qM) = 1 + exp(-rM) for p = b - j, q = a - j and
 * r = a + b - j, where both and j are positive: Newton's method, and halving where it leaves the
 * interval that holds the root. A lane that has converged does not change any more.
 */
VFN V mountford_root(V a, V b, V j) {
  V p = v_sub(b, j), q = v_sub(a, j), r = v_add(a, p), zero = v_set(0);
  V low = zero, high = v_set(0.6931471805599453);
  V product = v_mul(v_set(2), v_mul(a, b));
  V x = v_div(v_mul(v_set(2), j), v_sub(product, v_mul(v_add(a, b), j)));
  x = v_select(m_and(v_lt(zero, x), v_lt(x, high)), x, v_mul(v_set(0.5), high));
  M active = m_and(m_and(v_lt(zero, p), v_lt(zero, q)), v_lt(zero, j));
  for (int i = 0; i < 100 && m_any(active); ++i) {
    V u = exp_minus(v_mul(p, x)), v = exp_minus(v_mul(q, x)), w = exp_minus(v_mul(r, x));
    V value = v_sub(v_sub(v_add(u, v), w), v_set(1));
    V slope = v_sub(v_mul(r, w), v_add(v_mul(p, u), v_mul(q, v)));
    M before = v_lt(zero, value);
    low = v_select(m_and(active, before), x, low);
    high = v_select(m_and(active, m_not(before)), x, high);
    V next = v_sub(x, v_div(value, slope));
    M inside = m_and(v_lt(low, next), v_lt(next, high));
    next = v_select(inside, next, v_mul(v_set(0.5), v_add(low, high)));
    V change = v_abs(v_sub(next, x));
    x = v_select(active, next, x);
    active = m_and(active, v_lt(v_mul(x, v_set(0x1p-50)), change));
  }
  return x;
}
/* Returns log 2 - M: log 2 where nothing is shared, 0 where one point has all that the other has.
 */
VFN V mountford(V a, V b, V j) {
  V most = v_set(0.6931471805599453), zero = v_set(0);
  V value = v_sub(most, mountford_root(a, b, j));
  value = v_select(m_or(v_eq(j, a), v_eq(j, b)), zero, value);
  value = v_select(v_eq(j, zero), most, value);
  return v_select(m_and(v_lt(zero, a), v_lt(zero, b)), value, v_nan());
}

FINISH(incidence) {
  V a = s[0], b = s[1], j = s[2], below;
  if (run->finish & GG_FINISH_RAUP) {
    V tail = hypergeometric_tail(a, b, j, v_sub(v_set(run->columns), s[3]));
    return unless_none(tail, s[3], run);
  }
  if (run->finish & GG_FINISH_MOUNTFORD) return unless_none(mountford(a, b, j), s[3], run);
  if (run->finish & GG_FINISH_OCHIAI)
    below = v_sqrt(v_mul(a, b));
  else if (run->finish & GG_FINISH_SIMPSON)
    below = v_min(a, b);
  else
    below = v_mul(v_set(0.5), v_add(a, b));
  return v_sub(v_set(1), v_div(j, below));
}

/* Adds a term, which is log 2 for a coordinate that is 0 in one point. */
STEP(binomial) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V zero = v_set(0), log_two = v_set(0.6931471805599453), n = v_add(a, b);
  M in_a = v_ne(a, zero), in_b = v_ne(b, zero), both = m_and(in_a, in_b);
  V term = v_keep(m_or(in_a, in_b), log_two);
  if (m_any(both)) {
    n = v_select(both, n, v_set(1));
    V in_first = v_mul(a, v_ln(v_div(a, n))), in_second = v_mul(b, v_ln(v_div(b, n)));
    V deviance = v_add(v_add(in_first, in_second), v_mul(n, log_two));
    term = v_select(both, v_div(deviance, n), term);
  }
  s[0] = v_add(s[0], term);
}
FINISH(binomial) { return unless_none(s[0], s[1], run); }

/* Adds to the sums of a and b; of both where both are above 0; of a where b is 1; of b where a is
   1; the numbers of 1 and 2 in b where a is above 0, and in a where b is. */
STEP(chao) {
  UNUSED3;
  drop_missing(&a, &b, &s[10]);
  s[0] = v_add(s[0], a);
  s[1] = v_add(s[1], b);
  M both = m_and(is_above_zero(a), is_above_zero(b));
  if (!m_any(both)) return;
  V one = v_set(1), two = v_set(2);
  M one_a = m_and(both, v_eq(a, one)), one_b = m_and(both, v_eq(b, one));
  s[2] = v_add(s[2], v_keep(both, a));
  s[3] = v_add(s[3], v_keep(both, b));
  s[4] = v_add(s[4], v_keep(one_b, a));
  s[5] = v_add(s[5], v_keep(one_a, b));
  s[6] = v_add(s[6], count_of(one_b));
  s[7] = v_add(s[7], count_of(one_a));
  s[8] = v_add(s[8], count_of(m_and(both, v_eq(b, two))));
  s[9] = v_add(s[9], count_of(m_and(both, v_eq(a, two))));
}
/* Returns the share of shared individuals of a point, with those of species not seen in the other
   point, which has `others`; at most 1. */
VFN V chao_share(V shared, V sum, V others, V rare, V ones, V twos) {
  V unseen = v_div(ones, v_mul(v_set(2), v_max(twos, v_set(1))));
  V factor = v_mul(v_div(v_sub(others, v_set(1)), others), unseen);
  V share = v_add(v_div(shared, sum), v_mul(factor, v_div(rare, sum)));
  return v_select(v_lt(v_set(1), share), v_set(1), share);
}
FINISH(chao) {
  V u = chao_share(s[2], s[0], s[1], s[4], s[6], s[8]);
  V v = chao_share(s[3], s[1], s[0], s[5], s[7], s[9]);
  V uv = v_mul(u, v), all = v_sub(v_add(u, v), uv);
  V distance = v_sub(v_set(1), v_div(uv, all));
  distance = v_select(v_eq(s[2], v_set(0)), v_set(1), distance); /* also of empty points */
  return unless_none(distance, s[10], run);
}

/* Returns the term of two values that are at least 0.1. */
VFN V cao_term(V a, V b) {
  V n = v_add(a, b), crossed = v_add(v_mul(a, v_ln(b)), v_mul(b, v_ln(a)));
  return v_sub(v_ln(v_mul(v_set(0.5), n)), v_div(crossed, n));
}
VFN V at_least_tenth(V x) { return v_select(v_lt(x, v_set(0.1)), v_set(0.1), x); }

#if !defined(__CUDACC__)
enum { CAO_SIDE = 32, CAO_TERMS = CAO_SIDE * CAO_SIDE };

/* Writes the terms of all pairs of whole numbers below CAO_SIDE: logarithms are most of the work,
   and most counts are among these. */
VFN void cao_make_terms(real *terms) {
  for (int k = 0; k < CAO_TERMS; k += GG_LANES) {
    real a[GG_LANES], b[GG_LANES];
    for (int i = 0; i < GG_LANES; ++i) {
      a[i] = (real)((k + i) % CAO_SIDE);
      b[i] = (real)((k + i) / CAO_SIDE);
    }
    v_store(terms + k, cao_term(at_least_tenth(v_load(a)), at_least_tenth(v_load(b))));
  }
}

/* True if a number is not whole, below 0, or at least CAO_SIDE. */
VFN M cao_is_beyond(V x) {
  V shift = v_set(0x1p52);
  return m_or(v_ne(v_sub(v_add(x, shift), shift), x),
              m_or(v_lt(x, v_set(0)), v_lt(v_set(CAO_SIDE - 1), x)));
}

/* True if all terms are known; then looks them up. */
VFN bool cao_find_terms(V a, V b, const real *terms, V *term) {
  if (m_any(m_or(cao_is_beyond(a), cao_is_beyond(b)))) return false;
  real at[GG_LANES];
  v_store(at, v_add(a, v_mul(b, v_set(CAO_SIDE))));
  for (int i = 0; i < GG_LANES; ++i)
    at[i] = terms[(int)at[i]];
  *term = v_load(at);
  return true;
}
#endif

STEP(cao) {
  UNUSED3;
  drop_missing(&a, &b, &s[2]);
  V zero = v_set(0), term;
  M some = m_or(v_ne(a, zero), v_ne(b, zero));
  if (!m_any(some)) return;
#if !defined(__CUDACC__)
  if (!run->terms || !cao_find_terms(a, b, run->terms, &term))
#endif
    term = cao_term(at_least_tenth(a), at_least_tenth(b));
  s[0] = v_add(s[0], v_keep(some, term));
  s[1] = v_add(s[1], count_of(some));
}
FINISH(cao) {
  (void)run;
  return v_div(s[0], s[1]);
}

STEP(squared_chord) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V d = v_sub(v_sqrt(a), v_sqrt(b));
  s[0] = v_add(s[0], v_mul(d, d));
}
FINISH(squared_chord) { return unless_none(s[0], s[1], run); }

STEP(wave_hedges) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V d = v_abs(v_sub(a, b));
  s[0] = v_add(s[0], v_div(d, v_select(v_eq(d, v_set(0)), v_set(1), v_max(a, b))));
}
FINISH(wave_hedges) { return unless_none(s[0], s[1], run); }

STEP(lorentzian) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V d = v_abs(v_sub(a, b));
  if (m_any(v_ne(d, v_set(0)))) s[0] = v_add(s[0], v_ln(v_add(v_set(1), d)));
}
FINISH(lorentzian) { return unless_none(s[0], s[1], run); }

STEP(soergel) {
  UNUSED3;
  drop_missing(&a, &b, &s[2]);
  s[0] = v_add_abs(s[0], v_sub(a, b));
  s[1] = v_add(s[1], v_max(a, b));
}
FINISH(soergel) {
  if (run->finish & GG_FINISH_MOTYKA) return v_div(s[1], v_sub(v_add(s[1], s[1]), s[0]));
  return v_div(s[0], s[1]);
}

/* Returns a log(2 a / n), 0 for a = 0. */
VFN V half_information(V a, V n) {
  M some = v_ne(a, v_set(0));
  return v_keep(some, v_mul(a, v_ln(v_select(some, v_div(v_add(a, a), n), v_set(1)))));
}
STEP(topsoe) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V n = v_add(a, b);
  M differ = v_ne(a, b); /* equal infinite ones are no NaN in any lane */
  if (!m_any(differ)) return;
  s[0] = v_add(s[0], v_keep(differ, v_add(half_information(a, n), half_information(b, n))));
}
/* Returns the sum, at least 0: rounding may leave a negative one of near points. */
FINISH(topsoe) {
  V sum = v_select(v_lt(s[0], v_set(0)), v_set(0), s[0]);
  if (run->finish & GG_FINISH_HALF) sum = v_mul(v_set(0.5), sum);
  if (run->finish & GG_FINISH_ROOT) sum = v_sqrt(sum);
  return unless_none(sum, s[1], run);
}

STEP(jeffreys) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  V d = v_sub(a, b);
  M differ = v_ne(d, v_set(0));
  if (!m_any(differ)) return;
  V ratio = v_select(differ, v_div(a, b), v_set(1));
  s[0] = v_add(s[0], v_keep(differ, v_mul(d, v_ln(ratio))));
}
FINISH(jeffreys) { return unless_none(s[0], s[1], run); }

STEP(bhattacharyya) {
  UNUSED3;
  drop_missing(&a, &b, &s[1]);
  s[0] = v_add(s[0], v_mul(v_sqrt(a), v_sqrt(b)));
}
FINISH(bhattacharyya) { return unless_none(v_sub(v_set(0), v_ln(s[0])), s[1], run); }

#endif

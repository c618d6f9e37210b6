/* Fuzzes permutation tests, principal coordinates and multidimensional scaling: of points with any
   metric and of condensed distances, with models, groups, permutations, weights and starts from
   outside. Checks results against their definitions on the distances of gpugeo_dist(). */
#include "fuzz.h"

enum { MOST_POINTS = 24, MOST_PERMUTATIONS = 6, MOST_COLUMNS = 4, MOST_GROUPS = 8 };
enum { MOST_PAIRS = MOST_POINTS * (MOST_POINTS - 1) / 2 };

/* What one input is about; the options of all functions. */
typedef struct question {
  const given_distances *given;
  int64_t n;
  double *distance; /* condensed; NULL: gpugeo_dist() refuses them */
  gpugeo_design design;
  int32_t group[MOST_POINTS], order[MOST_POINTS * MOST_PERMUTATIONS];
  double basis[MOST_POINTS * MOST_COLUMNS];
  double value[2][MOST_PAIRS]; /* the other distances of Mantel tests, weights */
  double start[MOST_PAIRS];
  gpugeo_distances y, z;
  gpugeo_mds_options mds;
  gpugeo_cor_method method;
  gpugeo_pcoa_correction correction;
  int32_t weight_type;
  double tolerance;
  int64_t k, max;
  bool root, partial;
} question;

/* Distances d[i][j]. */
typedef double square[MOST_POINTS][MOST_POINTS];

static void expand(const double *condensed, int64_t n, square d) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      d[i][j] = distance_at(condensed, n, i, j);
}

/* True if all distances are 0, or far from overflow and underflow of their squares. */
static bool is_plain(const double *distance, int64_t n) {
  for (int64_t i = 0; i < n * (n - 1) / 2; ++i)
    if (!(distance[i] >= 0 && distance[i] < 1e50) || (distance[i] > 0 && distance[i] < 1e-50))
      return false;
  return true;
}

static bool is_finite(const double *value, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!isfinite(value[i])) return false;
  return true;
}

/* True if the numbers differ by at most so much; false for NaN. */
static bool is_close(double a, double b, double slack) { return fabs(a - b) <= slack; }

/* Permutation p of the points, where 0 is the points as they are. */
static int64_t permuted(const question *q, int64_t p, int64_t i) {
  return p == 0 ? i : q->order[(p - 1) * q->n + i];
}

static bool is_identity(const question *q, int64_t p) {
  for (int64_t i = 0; i < q->n; ++i)
    if (permuted(q, p, i) != i) return false;
  return true;
}

/* Demands that each has every point once: others are refused. */
static void check_order(const question *q) {
  for (int64_t p = 1; p <= q->design.permutations; ++p) {
    uint64_t seen = 0;
    for (int64_t i = 0; i < q->n; ++i) {
      const int64_t point = permuted(q, p, i);
      demand(point >= 0 && point < q->n && !(seen >> point & 1));
      seen |= (uint64_t)1 << point;
    }
  }
}

/* Demands the same bits as of the points as they are where a permutation changes nothing. */
static void check_identities(const question *q, const double *statistic) {
  for (int64_t p = 1; p <= q->design.permutations; ++p)
    if (is_identity(q, p))
      demand(memcmp(statistic, statistic + p, sizeof *statistic) == 0 ||
             (isnan(statistic[0]) && isnan(statistic[p])));
}

/* The length of a result for the points as they are and the permutations. */
static int64_t statistics(const question *q) {
  return q->design.permutations > 0 ? 1 + q->design.permutations : 1;
}

static void check_design(const question *q, bool groups) {
  const gpugeo_design *design = &q->design;
  demand(q->n >= 2 && q->distance != NULL && design->points == q->n);
  demand((design->basis == NULL) != (design->group == NULL));
  demand(!groups || design->group);
  for (int64_t i = 0; design->group && i < q->n; ++i)
    demand(q->group[i] >= 0 && q->group[i] < design->groups);
  demand(!design->basis || is_finite(q->basis, q->n * design->columns));
  check_order(q);
}

/* Sets of each group how many points it has. */
static void count_groups(const question *q, double *count) {
  for (int64_t g = 0; g < MOST_GROUPS; ++g)
    count[g] = 0;
  for (int64_t i = 0; i < q->n; ++i)
    ++count[q->group[i]];
}

/* The sum over pairs within groups of a value of permuted pairs, times the weight of the group. */
static double sum_within(const question *q, square value, int64_t p, const double *weight) {
  double sum = 0;
  for (int64_t i = 0; i < q->n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (q->group[i] == q->group[j])
        sum += weight[q->group[i]] * value[permuted(q, p, i)][permuted(q, p, j)];
  return sum;
}

/* --- Analysis of variance --------------------------------------------------------------------- */

static gpugeo_status call_permanova(const void *own, const given_distances *given,
                                    const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  gpugeo_permanova_options o;
  gpugeo_permanova_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.root = q->root;
  o.run = *run;
  const int64_t columns = q->design.group || q->design.columns < 0 ? 1 : q->design.columns;
  double *sums = add_reals(r, statistics(q) * columns), *total = add_reals(r, 1);
  return gpugeo_permanova(&given->from, &o, &q->design, sums, total, NULL, error);
}

/* The sum of squares of a column of the basis, or among groups. */
static double sum_of_squares(const question *q, square value, double total, int64_t p,
                             int64_t column) {
  double sum = 0, weight[MOST_GROUPS];
  if (q->design.group) {
    count_groups(q, weight);
    for (int64_t g = 0; g < MOST_GROUPS; ++g)
      weight[g] = weight[g] > 0 ? 1 / weight[g] : 0;
    return total - sum_within(q, value, p, weight);
  }
  const double *basis = q->basis + column * q->n;
  for (int64_t i = 0; i < q->n; ++i)
    for (int64_t j = 0; j < i; ++j)
      sum -= basis[i] * basis[j] * value[permuted(q, p, i)][permuted(q, p, j)];
  return sum;
}

static void check_sums(const question *q, const results *r) {
  const double *sums = r->part[0].data;
  square value;
  double total = 0, largest = 1;
  expand(q->distance, q->n, value);
  for (int64_t i = 0; i < q->n; ++i)
    for (int64_t j = 0; j < q->n; ++j) {
      if (!q->root) value[i][j] *= value[i][j];
      total += value[i][j] / (2 * (double)q->n);
    }
  for (int64_t i = 0; q->design.basis && i < q->n * q->design.columns; ++i)
    largest = fmax(largest, fabs(q->basis[i]));
  if (largest > 1e50) return;
  const double slack = 1e-9 * total * (double)q->n * largest * largest;
  demand(is_close(*(double *)r->part[1].data, total, slack));
  const int64_t columns = q->design.group ? 1 : q->design.columns, rows = statistics(q);
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t p = 0; p < rows; ++p)
      demand(is_close(sums[p + c * rows], sum_of_squares(q, value, total, p, c), slack));
    check_identities(q, sums + c * rows);
  }
}

static void check_permanova(question *q) {
  results r;
  if (!call_in_ways(call_permanova, q, q->given, true, &r)) {
    check_design(q, false);
    if (is_plain(q->distance, q->n)) check_sums(q, &r);
  }
  results_free(&r);
}

/* --- Analysis of similarities ----------------------------------------------------------------- */

static gpugeo_status call_anosim(const void *own, const given_distances *given,
                                 const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given);
  gpugeo_anosim_options o;
  gpugeo_anosim_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.run = *run;
  double *statistic = add_reals(r, statistics(q));
  double *ranks = q->root ? NULL : add_reals(r, n ? n * (n - 1) / 2 : 0);
  return gpugeo_anosim(&given->from, &o, &q->design, statistic, ranks, NULL, error);
}

/* Writes the mean ranks of all distances. */
static void rank_pairs(const double *distance, int64_t pairs, double *rank) {
  for (int64_t a = 0; a < pairs; ++a) {
    double below = 0, same = 0;
    for (int64_t b = 0; b < pairs; ++b) {
      below += distance[b] < distance[a];
      same += !(distance[b] < distance[a] || distance[b] > distance[a]);
    }
    rank[a] = below + (same + 1) / 2;
  }
}

static void check_similarities(const question *q, const results *r) {
  const double *statistic = r->part[0].data, n = (double)q->n, pairs = n * (n - 1) / 2;
  double rank[MOST_PAIRS], count[MOST_GROUPS], ones[MOST_GROUPS], within = 0;
  square value;
  rank_pairs(q->distance, q->n * (q->n - 1) / 2, rank);
  if (r->parts > 1) demand(memcmp(rank, r->part[1].data, (size_t)pairs * sizeof *rank) == 0);
  expand(rank, q->n, value);
  count_groups(q, count);
  for (int64_t g = 0; g < MOST_GROUPS; ++g) {
    ones[g] = 1;
    within += count[g] * (count[g] - 1) / 2;
  }
  demand(within > 0 && within < pairs);
  for (int64_t p = 0; p < statistics(q); ++p) {
    const double sum = sum_within(q, value, p, ones), all = pairs * (pairs + 1) / 2;
    const double expected = ((all - sum) / (pairs - within) - sum / within) / (pairs / 2);
    demand(is_close(statistic[p], expected, 1e-9) && fabs(statistic[p]) <= 1 + 1e-9);
  }
  check_identities(q, statistic);
}

static void check_anosim(question *q) {
  results r;
  if (!call_in_ways(call_anosim, q, q->given, true, &r)) {
    check_design(q, true);
    check_similarities(q, &r);
  }
  results_free(&r);
}

/* --- Multiresponse permutations --------------------------------------------------------------- */

static gpugeo_status call_mrpp(const void *own, const given_distances *given, const gpugeo_run *run,
                               results *r, gpugeo_error *error) {
  const question *q = own;
  gpugeo_mrpp_options o;
  gpugeo_mrpp_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.weight_type = q->weight_type;
  o.run = *run;
  double *delta = add_reals(r, statistics(q));
  double *within = add_reals(r, q->design.groups > 0 ? q->design.groups : 0);
  return gpugeo_mrpp(&given->from, &o, &q->design, delta, within, add_reals(r, 1), NULL, error);
}

/* Sets of each group what a pair of its points counts in delta. */
static void weigh_groups(const question *q, const double *count, double *weight) {
  double sum = 0;
  for (int64_t g = 0; g < MOST_GROUPS; ++g) {
    const double pairs = count[g] * (count[g] - 1) / 2;
    const double of_group = q->weight_type == 1   ? count[g]
                            : q->weight_type == 2 ? count[g] - 1
                                                  : pairs;
    weight[g] = pairs > 0 ? of_group / pairs : 0;
    sum += pairs > 0 ? of_group : 0;
  }
  for (int64_t g = 0; g < MOST_GROUPS; ++g)
    weight[g] /= sum;
}

static void check_deltas(const question *q, const results *r) {
  const double *delta = r->part[0].data, *within = r->part[1].data;
  double count[MOST_GROUPS], weight[MOST_GROUPS], largest = 0, sum = 0;
  square value;
  const int64_t pairs = q->n * (q->n - 1) / 2;
  expand(q->distance, q->n, value);
  for (int64_t i = 0; i < pairs; ++i) {
    largest = fmax(largest, q->distance[i]);
    sum += q->distance[i];
  }
  count_groups(q, count);
  weigh_groups(q, count, weight);
  const double slack = 1e-9 * largest;
  demand(is_close(*(double *)r->part[2].data, sum / (double)pairs, slack));
  for (int64_t g = 0; g < q->design.groups; ++g)
    demand(count[g] < 2 ? isnan(within[g]) : within[g] <= largest + slack && within[g] >= 0);
  for (int64_t p = 0; p < statistics(q); ++p)
    demand(is_close(delta[p], sum_within(q, value, p, weight), slack));
  check_identities(q, delta);
}

static void check_mrpp(question *q) {
  results r;
  if (!call_in_ways(call_mrpp, q, q->given, true, &r)) {
    check_design(q, true);
    demand(q->weight_type >= 1 && q->weight_type <= 3);
    if (is_plain(q->distance, q->n)) check_deltas(q, &r);
  }
  results_free(&r);
}

/* --- Mantel tests ----------------------------------------------------------------------------- */

static gpugeo_status call_mantel(const void *own, const given_distances *given,
                                 const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  gpugeo_mantel_options o;
  gpugeo_mantel_options_init(&o, sizeof o);
  o.method = q->method;
  o.metric = given->metric;
  o.points = given->points;
  o.run = *run;
  double *statistic = add_reals(r, statistics(q));
  return gpugeo_mantel(&given->from, &q->y, q->partial ? &q->z : NULL, &o, q->order,
                       q->design.permutations, statistic, NULL, error);
}

/* True if all distances are equal. */
static bool is_constant(const double *distance, int64_t pairs) {
  for (int64_t i = 1; i < pairs; ++i)
    if (distance[i] < distance[0] || distance[i] > distance[0]) return false;
  return true;
}

static void check_correlations(const question *q, const double *statistic) {
  const int64_t pairs = q->n * (q->n - 1) / 2;
  const bool constant = is_constant(q->distance, pairs) || is_constant(q->value[0], pairs);
  for (int64_t p = 0; p < statistics(q); ++p) {
    if (q->partial) break; /* of no bounds where z determines x or y */
    demand(constant ? isnan(statistic[p]) : fabs(statistic[p]) <= 1 + 1e-9);
  }
  check_identities(q, statistic);
}

static void check_mantel(question *q) {
  results r;
  if (!call_in_ways(call_mantel, q, q->given, true, &r)) {
    demand(q->n >= 2 && q->distance != NULL);
    demand(q->y.condensed_points == q->n && (!q->partial || q->z.condensed_points == q->n));
    check_order(q);
    if (is_plain(q->distance, q->n) && is_plain(q->value[0], q->n))
      check_correlations(q, r.part[0].data);
  }
  results_free(&r);
}

/* --- Principal coordinates -------------------------------------------------------------------- */

enum { PCOA_COORDINATES, PCOA_EIGENVALUE, PCOA_RESIDUAL, PCOA_NUMBERS, PCOA_COUNTS };

static gpugeo_status call_pcoa(const void *own, const given_distances *given, const gpugeo_run *run,
                               results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given), k = q->k >= 1 && q->k < n ? q->k : 0;
  gpugeo_pcoa_options o;
  gpugeo_pcoa_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.k = q->k;
  o.correction = q->correction;
  o.tolerance = q->tolerance;
  o.max_passes = q->max;
  o.run = *run;
  gpugeo_pcoa_result found = {0};
  found.coordinates = add_reals(r, n * k);
  found.eigenvalue = add_reals(r, k);
  found.residual = add_reals(r, k);
  double *numbers = add_reals(r, 4);
  int32_t *counts = add_wholes(r, 2);
  const gpugeo_status status = gpugeo_pcoa(&given->from, &o, &found, NULL, error);
  if (status) return status;
  const double made[] = {found.trace, found.negative_sum, found.smallest, found.constant};
  memcpy(numbers, made, sizeof made);
  counts[0] = (int32_t)found.positive;
  counts[1] = found.converged;
  return GPUGEO_OK;
}

/* Writes Gower's matrix of the corrected distances; returns its trace. */
static double make_gower(const question *q, double constant, square b) {
  const double n = (double)q->n;
  double mean[MOST_POINTS] = {0}, all = 0, trace = 0;
  expand(q->distance, q->n, b);
  for (int64_t i = 0; i < q->n; ++i) {
    for (int64_t j = 0; j < q->n; ++j) {
      const double d = b[i][j] + (q->correction == GPUGEO_PCOA_CORRECTION_CAILLIEZ ? constant : 0);
      const double add = q->correction == GPUGEO_PCOA_CORRECTION_LINGOES ? 2 * constant : 0;
      b[i][j] = i == j ? 0 : -(d * d + add) / 2;
      mean[i] += b[i][j] / n;
    }
    all += mean[i] / n;
  }
  for (int64_t i = 0; i < q->n; ++i) {
    for (int64_t j = 0; j < q->n; ++j)
      b[i][j] += all - mean[i] - mean[j];
    trace += b[i][i];
  }
  return trace;
}

/* The largest element of a matrix. */
static double largest_of(const question *q, square b) {
  double largest = 0;
  for (int64_t i = 0; i < q->n; ++i)
    for (int64_t j = 0; j < q->n; ++j)
      largest = fmax(largest, fabs(b[i][j]));
  return largest;
}

/* Demands that a column is an eigenvector times the root of its eigenvalue. */
static void check_axis(const question *q, square b, const double *axis, double eigenvalue,
                       double slack) {
  double squares = 0;
  for (int64_t i = 0; i < q->n; ++i) {
    double product = 0;
    for (int64_t j = 0; j < q->n; ++j)
      product += b[i][j] * axis[j];
    squares += axis[i] * axis[i];
    demand(is_close(product, eigenvalue * axis[i], slack * sqrt(eigenvalue)));
  }
  demand(is_close(squares, eigenvalue, slack));
}

static void check_axes(const question *q, const results *r) {
  const double *axis = r->part[PCOA_COORDINATES].data, *eigenvalue = r->part[PCOA_EIGENVALUE].data;
  const double *numbers = r->part[PCOA_NUMBERS].data;
  const int64_t positive = ((int32_t *)r->part[PCOA_COUNTS].data)[0];
  square b;
  const double trace = make_gower(q, numbers[3], b);
  const double slack = 1e-8 * (double)q->n * largest_of(q, b);
  demand(is_close(numbers[0], trace, slack) && numbers[3] >= 0 && numbers[1] <= 0);
  demand(positive >= 0 && positive <= q->k);
  for (int64_t c = 0; c < q->k; ++c) {
    demand(c == 0 || eigenvalue[c] <= eigenvalue[c - 1]);
    demand(c < positive ? eigenvalue[c] > 0 : eigenvalue[c] <= 0);
    if (c < positive) check_axis(q, b, axis + c * q->n, eigenvalue[c], slack);
    for (int64_t i = 0; c >= positive && i < q->n; ++i)
      demand(!(axis[i + c * q->n] < 0 || axis[i + c * q->n] > 0));
    if (q->correction) demand(eigenvalue[c] >= -slack);
  }
}

static void check_pcoa(question *q) {
  results r;
  if (!call_in_ways(call_pcoa, q, q->given, true, &r)) {
    demand(q->k >= 1 && q->k < q->n && q->distance != NULL);
    if (is_plain(q->distance, q->n)) check_axes(q, &r);
  }
  results_free(&r);
}

/* --- Multidimensional scaling ----------------------------------------------------------------- */

static gpugeo_status call_mds(const void *own, const given_distances *given, const gpugeo_run *run,
                              results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given), k = q->k >= 1 && q->k < n ? q->k : 0;
  gpugeo_mds_options o = q->mds;
  o.metric = given->metric;
  o.points = given->points;
  o.k = q->k;
  o.run = *run;
  gpugeo_mds_result found = {.coordinates = add_reals(r, n * k)};
  double *stress = add_reals(r, 1);
  int32_t *counts = add_wholes(r, 2);
  found.disparities = add_reals(r, n * (n - 1) / 2);
  const gpugeo_status status = gpugeo_mds(&given->from, &o, &found, NULL, error);
  if (status) return status;
  *stress = found.stress;
  counts[0] = (int32_t)found.iterations;
  counts[1] = found.converged;
  return GPUGEO_OK;
}

/* The square of the distance of two points of a configuration. */
static double squared_between(const question *q, const double *x, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < q->k; ++c) {
    const double d = x[i + c * q->n] - x[j + c * q->n];
    sum += d * d;
  }
  return sum;
}

/* Demands the stress of the configuration, but not that of disparities or squares. */
static void check_stress(const question *q, const results *r) {
  const double *x = r->part[0].data, stress = *(double *)r->part[1].data;
  double left = 0, all = 0;
  for (int64_t j = 0, at = 0; j < q->n; ++j)
    for (int64_t i = j + 1; i < q->n; ++i, ++at) {
      const double w = q->mds.weights ? q->mds.weights[at] : 1, delta = q->distance[at];
      const double off = delta - sqrt(squared_between(q, x, i, j));
      left += w * off * off;
      all += w * delta * delta;
    }
  demand(is_finite(x, q->n * q->k) && stress >= 0 && stress <= 1 + 1e-9);
  const bool ratio = q->mds.type == GPUGEO_MDS_TYPE_RATIO && !q->mds.squared;
  if (all > 0 && ratio) demand(is_close(stress, sqrt(left / all), 1e-6));
  const int32_t *counts = r->part[2].data;
  demand(counts[0] >= 0 && counts[0] <= q->mds.max_iterations);
}

/* True if weights and start have no values near overflow or underflow. */
static bool are_plain_options(const question *q) {
  const gpugeo_mds_options *o = &q->mds;
  for (int64_t i = 0; o->weights && i < o->weights_length; ++i)
    if (o->weights[i] > 1e6 || (o->weights[i] > 0 && o->weights[i] < 1e-6)) return false;
  for (int64_t i = 0; o->start && i < o->start_length; ++i)
    if (fabs(o->start[i]) > 1e6 || (fabs(o->start[i]) > 0 && fabs(o->start[i]) < 1e-6))
      return false;
  return true;
}

static void check_mds(question *q) {
  results r;
  if (!call_in_ways(call_mds, q, q->given, true, &r)) {
    demand(q->k >= 1 && q->k < q->n && q->distance != NULL);
    demand(is_finite(q->distance, q->n * (q->n - 1) / 2));
    if (is_plain(q->distance, q->n) && are_plain_options(q)) check_stress(q, &r);
  }
  results_free(&r);
}

/* -----------------------------------------------------------------------------------------------
 */

/* Takes permutations: most of them swaps of points, some of them any numbers. */
static void take_order(question *q, bytes *b) {
  const int64_t n = q->n > 0 && q->n <= MOST_POINTS ? q->n : 0;
  q->design.order = q->order;
  q->design.permutations = take(b, 15) ? take(b, MOST_PERMUTATIONS) : -1;
  for (int64_t p = 0; p < q->design.permutations; ++p) {
    int32_t *order = q->order + p * n;
    for (int64_t i = 0; i < n; ++i)
      order[i] = (int32_t)i;
    for (int swaps = take(b, 8); n && swaps > 0; --swaps) {
      const int i = take(b, (int)n - 1), j = take(b, (int)n - 1);
      const int32_t kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    if (n && take(b, 31) == 31) order[take(b, (int)n - 1)] = (int32_t)take_int64(b);
  }
}

/* Takes groups, or columns of a model: any numbers, some of them NaN, or a column again. */
static void take_design(question *q, bytes *b) {
  gpugeo_design *design = &q->design;
  const int kind = take(b, 15);
  design->points = take(b, 31) == 31 ? take(b, MOST_POINTS) : q->n;
  design->columns = take(b, 31) == 31 ? -1 : take(b, MOST_COLUMNS);
  design->groups = take(b, MOST_GROUPS);
  if (kind < 9 || kind == 15) design->group = q->group;
  if (kind >= 9 && kind < 15) design->basis = q->basis;
  if (kind == 9) design->group = q->group;
  if (kind == 15) design->reserved[take(b, 3)] = (uint64_t)take(b, 1);
  const int most = design->groups > 0 ? (int)design->groups - 1 : 0;
  for (int64_t i = 0; design->group && i < MOST_POINTS; ++i)
    q->group[i] = kind == 8 ? (int32_t)take_int64(b) : take(b, most);
  const int64_t n = q->n > 0 && q->n <= MOST_POINTS ? q->n : 0, columns = design->columns;
  for (int64_t i = 0; design->basis && i < n * columns; ++i)
    q->basis[i] = kind == 10 && i >= n ? q->basis[i - n] : take_double(b) / 16;
}

/* Takes distances of a Mantel test, which are also weights; their number may be wrong. */
static void take_values(question *q, bytes *b) {
  const bool negative = take(b, 15) == 15;
  for (int k = 0; k < 2; ++k)
    for (int64_t i = 0; i < MOST_PAIRS; ++i) {
      const double value = i < q->n * (q->n - 1) / 2 ? take_double(b) : 0;
      q->value[k][i] = negative ? value : fabs(value);
    }
  q->y.condensed = q->value[0];
  q->z.condensed = q->value[1];
  q->y.condensed_points = take(b, 15) == 15 ? take(b, MOST_POINTS) : q->n;
  q->z.condensed_points = take(b, 15) == 15 ? take(b, MOST_POINTS) : q->n;
}

static void take_mds(question *q, bytes *b) {
  gpugeo_mds_options *o = &q->mds;
  gpugeo_mds_options_init(o, sizeof *o);
  const int kind = take(b, 31);
  const int64_t pairs = q->n * (q->n - 1) / 2, length = q->n * q->k;
  o->tolerance = q->tolerance;
  o->max_iterations = q->max;
  o->relax = kind & 1;
  o->type = kind & 8 ? GPUGEO_MDS_TYPE_ORDINAL : GPUGEO_MDS_TYPE_RATIO;
  o->squared = kind & 16;
  if (kind & 2) {
    o->weights = q->value[0];
    o->weights_length = take(b, 15) == 15 ? take(b, 99) : pairs;
  }
  if ((kind & 4) && length >= 0 && length <= MOST_PAIRS) {
    o->start = q->start;
    o->start_length = take(b, 15) == 15 ? take(b, 99) : length;
    for (int64_t i = 0; i < length; ++i)
      q->start[i] = take_double(b);
  }
}

static void take_options(question *q, bytes *b) {
  q->root = take(b, 1);
  q->partial = take(b, 1);
  q->weight_type = take(b, 7) == 7 ? take(b, 4) : 1 + take(b, 2);
  q->method = (gpugeo_cor_method)(take(b, 7) == 7 ? take(b, 3) : take(b, 1));
  q->correction = (gpugeo_pcoa_correction)take(b, GPUGEO_PCOA_CORRECTION_COUNT);
  q->k = take(b, 6);
  q->max = take(b, 21) - 1;
  q->tolerance = take(b, 15) == 15 ? take_double(b) : ldexp(1, -2 * take(b, 25));
  take_design(q, b);
  take_order(q, b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const checks[])(question *) = {check_permanova, check_anosim, check_mrpp,
                                               check_mantel,    check_pcoa,   check_mds};
  bytes b = bytes_of(data, size);
  const int check = take(&b, (int)(sizeof checks / sizeof *checks) - 1);
  given_distances given = take_given(&b, MOST_POINTS);
  given.precision = GPUGEO_PRECISION_DOUBLE; /* ignored */
  question q = {.given = &given, .n = given.n};
  q.distance = points_of(&given) ? distances_of(&given) : NULL;
  take_options(&q, &b);
  if (points_of(&given)) {
    take_values(&q, &b);
    take_mds(&q, &b);
  } else {
    gpugeo_mds_options_init(&q.mds, sizeof q.mds);
    q.y.condensed = q.z.condensed = q.value[0];
    q.y.condensed_points = q.z.condensed_points = given.n;
  }
  checks[check](&q);
  free(q.distance);
  given_distances_free(&given);
  return 0;
}

/* Fuzzes gpugeo_dgp(): any distances and options. Checks the algorithms against each other, the
   returned solutions, and counts of simple distances against all choices of signs. */
#include "fuzz.h"

enum { MOST_DISTANCES = 14, MOST_SOLUTIONS = 40 };

/* The sum of simple distances with the signs of a row, exactly. */
static double sum_of(const double *d, int64_t n, uint64_t row) {
  double sum = 0;
  for (int64_t j = 0; j < n; ++j)
    sum += row >> j & 1 ? d[j] : -d[j];
  return sum;
}

static bool all_simple(const double *d, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    if (!is_simple(d[j])) return false;
  return true;
}

static uint64_t count_rows(const double *d, int64_t n, const gpugeo_dgp_options *o) {
  uint64_t count = 0;
  for (uint64_t row = 0; row < (uint64_t)1 << n; ++row)
    count += fabs(sum_of(d, n, row)) <= o->tol;
  return o->symmetric ? count / 2 : count;
}

/* Sign of a sum, which is kept exactly as an expansion of doubles that do not overlap, the smallest
   first (Shewchuk 1997). */
static int sign_of_sum(const double *term, int64_t count) {
  double part[2 * MOST_DISTANCES];
  int sign = 0;
  for (int64_t i = 0; i < count; ++i) {
    double sum = term[i];
    for (int64_t k = 0; k < i; ++k) {
      const double next = sum + part[k], shift = next - sum;
      part[k] = (sum - (next - shift)) + (part[k] - shift);
      sum = next;
    }
    part[i] = sum;
  }
  for (int64_t i = 0; i < count; ++i)
    if (part[i] != 0) sign = part[i] > 0 ? 1 : -1;
  return sign;
}

/* Writes the terms of the size of a row's sum, or of its negative. */
static void put_size(const double *d, int64_t n, uint64_t row, bool negative, double *term) {
  for (int64_t j = 0; j < n; ++j)
    term[j] = row >> j & 1 ? d[j] : -d[j];
  if ((sign_of_sum(term, n) < 0) == negative) return;
  for (int64_t j = 0; j < n; ++j)
    term[j] = -term[j];
}

/* True if row a is before row b: by the exact size of the sum, which two residuals that are rounded
   to the same number need not share, then by number. */
static bool is_before(const double *d, int64_t n, uint64_t a, uint64_t b) {
  double term[2 * MOST_DISTANCES];
  put_size(d, n, a, false, term);
  put_size(d, n, b, true, term + n);
  const int order = sign_of_sum(term, 2 * n);
  return order < 0 || (order == 0 && a < b);
}

/* True if no sum of the terms overflows. */
static bool all_finite(const double *d, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    if (d[j] > 0x1p1000) return false;
  return true;
}

/* Within the tolerance, in order, each row once. */
static void check_solutions(const double *d, int64_t n, const gpugeo_dgp_options *o,
                            const gpugeo_dgp_result *result, const gpugeo_dgp_solution *solution) {
  const int64_t most = o->max_solutions;
  demand(result->count.high == 0 &&
         result->returned ==
             (result->count.low < (uint64_t)most ? (int64_t)result->count.low : most));
  for (int64_t s = 0; s < result->returned; ++s) {
    const gpugeo_dgp_solution *now = &solution[s], *before = now - (s > 0);
    demand(now->row.high == 0 && now->row.low < (uint64_t)1 << n);
    for (int64_t t = 0; t < s; ++t)
      demand(solution[t].row.low != now->row.low);
    if (s && o->exact && all_finite(d, n)) demand(is_before(d, n, before->row.low, now->row.low));
    if (s) demand(before->residual <= now->residual);
    if (all_simple(d, n)) demand(now->residual == fabs(sum_of(d, n, now->row.low)));
  }
}

/* The answer of the first algorithm that applies. */
typedef struct answer {
  bool given;
  gpugeo_dgp_result result;
  gpugeo_dgp_solution solution[MOST_SOLUTIONS];
} answer;

static bool same(const answer *a, const answer *b) {
  if (a->result.count.low != b->result.count.low || a->result.returned != b->result.returned)
    return false;
  for (int64_t s = 0; s < a->result.returned; ++s)
    if (a->solution[s].row.low != b->solution[s].row.low ||
        memcmp(&a->solution[s].residual, &b->solution[s].residual, sizeof(double)) != 0)
      return false;
  return true;
}

static void ask(const double *d, int64_t n, const gpugeo_dgp_options *o, answer *first) {
  answer now = {.given = true};
  gpugeo_error error;
  int64_t size = 0;
  gpugeo_status status = gpugeo_dgp_size(d, n, o, &size, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  demand(size <= MOST_SOLUTIONS);
  status = gpugeo_dgp(d, n, o, &now.result, now.solution, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY, &error);
  if (status) return;
  check_solutions(d, n, o, &now.result, now.solution);
  if (!first->given) *first = now;
  demand(same(first, &now));
}

static void check_rows(const double *d, int64_t n, const gpugeo_run *run) {
  double sums[1 << 10];
  gpugeo_error error;
  int64_t size = 0;
  if (n > 10) return;
  gpugeo_status status = gpugeo_dgp_sums_size(d, n, run, &size, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  demand(size == (int64_t)1 << n && gpugeo_dgp_sums(d, n, run, sums, NULL, &error) == GPUGEO_OK);
  for (int64_t row = 0; all_simple(d, n) && row < size; ++row)
    demand(sums[row] == sum_of(d, n, (uint64_t)row));
}

/* Mostly multiples of 1/4, or any doubles. */
static void take_distances(bytes *b, double *d, int64_t n) {
  const bool any = take(b, 3) == 3;
  for (int64_t j = 0; j < n; ++j)
    d[j] = any ? take_double(b) : 0.25 * (1 + take(b, 63));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_dgp_options o;
  gpugeo_dgp_options_init(&o, sizeof o);
  const int tolerance = take(&b, 9);
  o.tol = tolerance == 9 ? take_double(&b) : 0.25 * tolerance;
  o.max_solutions = take(&b, MOST_SOLUTIONS);
  o.exact = take(&b, 1);
  o.symmetric = take(&b, 1);
  o.prune = take(&b, 1);
  const int64_t work_bytes = 1024 * (int64_t)take(&b, 255), n = take(&b, MOST_DISTANCES);
  double d[MOST_DISTANCES + 1];
  take_distances(&b, d, n);
  answer first = {.given = false};
  for (int algorithm = 0; algorithm < GPUGEO_DGP_ALGORITHM_COUNT; ++algorithm) {
    set_way(&o.run, algorithm % WAYS, work_bytes);
    o.algorithm = (gpugeo_dgp_algorithm)algorithm;
    ask(d, n, &o, &first);
  }
  if (first.given && all_simple(d, n)) demand(first.result.count.low == count_rows(d, n, &o));
  check_rows(d, n, &o.run);
  return 0;
}

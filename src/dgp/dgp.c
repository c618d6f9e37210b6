/*
 * One-dimensional distance geometry: arguments, algorithm and backend.
 *
 * A cycle of n distances is closed by a choice of signs with |sum of s_j d_j| <= tol. Hengeveld and
 * Mucherino (2022) walk the tree of partial sums, or multiply the matrix M of all choices by d;
 * meet in the middle takes the square root of their time.
 */
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/random.h"
#include "common/uint128.h"
#include "dgp/distinct.h"
#include "dgp/problem.h"
#include "dgp/select.h"

/* Nanoseconds for one thread of the CPU: a node of the tree, a row of the product, an element of
   the sorted halves, and a distinct sum. Measured; see bench/dgp.R. */
static const double node_time = 1.5, row_time = 0.07, element_time = 3.5, distinct_time = 10;

GG_OPTIONS_INIT(dgp, .tol = 1e-4, .max_solutions = 10, .exact = 1, .prune = 1)

static const gg_option option_rows[] = {
    {GG_OPTION("tol", NUMBER, gpugeo_dgp_options, tol), .allowed = GG_FROM_ZERO},
    {GG_OPTION("algorithm", CHOICE, gpugeo_dgp_options, algorithm),
     .choices = GPUGEO_ENUM_DGP_ALGORITHM},
    {GG_OPTION("max_solutions", WHOLE, gpugeo_dgp_options, max_solutions)},
    {GG_OPTION("exact", FLAG, gpugeo_dgp_options, exact)},
    {GG_OPTION("symmetric", FLAG, gpugeo_dgp_options, symmetric)},
    {GG_OPTION("prune", FLAG, gpugeo_dgp_options, prune)},
};

GG_DEFINE_OPTIONS(dgp, option_rows);

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks the distances of a cycle. */
static gpugeo_status check_distances(const double *d, int64_t n, int64_t most,
                                     gpugeo_error *error) {
  if (n < 1 || n > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "d",
                   "d must have between 1 and %lld distances, not %lld", (long long)most,
                   (long long)n);
  if (!d)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "d",
                   "d must have between 1 and %lld distances, not NULL", (long long)most);
  for (int64_t j = 0; j < n; ++j)
    if (!(d[j] > 0 && d[j] < INFINITY))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "d",
                     "d must hold positive, finite distances, not %s (the one numbered %lld)",
                     gg_number(d[j]).text, (long long)(j + 1));
  return GPUGEO_OK;
}

/* Checks the options that depend on no other argument. */
static gpugeo_status check_options(const gpugeo_dgp_options *options, gpugeo_error *error) {
  if (options->algorithm < 0 || options->algorithm >= GPUGEO_DGP_ALGORITHM_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must be between 0 and %d, not %d", GPUGEO_DGP_ALGORITHM_COUNT - 1,
                   (int)options->algorithm);
  if (!(options->tol >= 0 && options->tol < INFINITY))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tol", "tol must be " GG_FROM_ZERO ", not %s",
                   gg_number(options->tol).text);
  if (options->max_solutions < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "max_solutions",
                   "max_solutions must be at least 0, not %lld", (long long)options->max_solutions);
  return GPUGEO_OK;
}

/* Checks the arguments, and that there is memory for the solutions, of which *size are wanted. */
static gpugeo_status check_call(const double *d, int64_t n, const gpugeo_dgp_options *options,
                                int64_t *size, gg_call *call) {
  GG_TRY(call, gg_check_run(&options->run, call->error));
  GG_TRY(call, check_distances(d, n, GPUGEO_DGP_DISTANCES_MAX, call->error));
  if (GG_TRY(call, check_options(options, call->error))) return call->status;
  int64_t room = options->max_solutions;
  const int bits = (int)n - (options->symmetric ? 1 : 0);
  if (bits < 62 && room > (int64_t)1 << bits) room = (int64_t)1 << bits;
  /* The result, and the solutions among which it is chosen. */
  const double bytes = 2 * (double)room * (double)sizeof(gpugeo_dgp_solution);
  if (!GG_TRY(call,
              gg_check_memory(bytes, "max_solutions", call->error, "max_solutions = %lld needs",
                              (long long)options->max_solutions)))
    *size = room;
  return call->status;
}

gpugeo_status gpugeo_dgp_size(const double *d, int64_t n, const gpugeo_dgp_options *options,
                              int64_t *size, gpugeo_error *error) {
  gpugeo_dgp_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dgp_options, options, taken, error);
  if (status) return status;
  gg_call call = {.error = error};
  return check_call(d, n, options, size, &call);
}

/* --- algorithm -------------------------------------------------------------------------------- */

/* Returns the base-2 logarithm of the steps that an algorithm takes for n distances. */
static double method_steps(gpugeo_dgp_algorithm algorithm, int n, int64_t bytes) {
  if (algorithm != GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE) return n;
  int first, second;
  gg_dgp_halves(n, bytes, &first, &second);
  return n - first - second + log2(ldexp(1, first) + ldexp(1, second));
}

/* Fails if the algorithm takes more steps than the backend allows. */
static gpugeo_status check_steps(gpugeo_dgp_algorithm algorithm, int n, int64_t bytes,
                                 const gg_backend *backend, gpugeo_error *error) {
  const int most = backend->can.dgp_steps;
  const double steps = method_steps(algorithm, n, bytes);
  if (steps <= most) return GPUGEO_OK;
  int fits = n;
  while (fits > 1 && method_steps(algorithm, fits, bytes) > most)
    --fits;
  const bool meets = algorithm == GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE;
  return gg_fail(
      error, GPUGEO_ERROR_ARGUMENT, "d",
      "d must have at most %d distances for algorithm \"%s\" on this machine, not %d: that "
      "would take about 2^%.0f steps of at most 2^%d%s",
      fits, gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, algorithm), n, steps, most,
      meets ? " (small whole numbers or equal distances have no such limit)"
            : "; algorithm \"meet-in-the-middle\" takes more");
}

/* Returns the rows to expect for each unit of narrow sums: the density of a normal distribution
   at its centre. */
static double density(const gg_dgp_problem *p) {
  double squares = 0;
  for (int j = 0; j < p->n; ++j)
    squares += (double)p->narrow[j] * (double)p->narrow[j];
  return ldexp(1, p->n) / sqrt(2 * 3.14159265358979323846 * squares);
}

/* Returns 2^n 2 tol / sqrt(2 pi sum d^2), without intermediate overflow; half of it for pairs. */
static double expected_count(const double *d, int64_t n, double tol, bool symmetric) {
  double largest = 0, squares = 0;
  for (int64_t j = 0; j < n; ++j)
    largest = d[j] > largest ? d[j] : largest;
  for (int64_t j = 0; j < n; ++j)
    squares += d[j] / largest * (d[j] / largest);
  const double share = tol / largest / sqrt(2 * 3.14159265358979323846 * squares);
  return ldexp(share, (int)n + (symmetric ? 0 : 1));
}

/* Returns the most bytes that sorted lists may take. */
static gpugeo_status list_memory(const gpugeo_run *run, const gg_backend *backend, int32_t device,
                                 int64_t *bytes, gpugeo_error *error) {
  *bytes = run->work_bytes;
  return run->work_bytes ? GPUGEO_OK : backend->table_bytes(device, bytes, error);
}

/* Chooses algorithm, backend and limits of a job whose problem is set. */
static gpugeo_status choose_algorithm(gg_dgp_job *job, const gpugeo_dgp_options *options) {
  gg_call *call = job->call;
  gpugeo_error *error = call->error;
  const gg_dgp_problem *p = job->problem;
  const gg_dgp_problem *counted = p->error ? p : job->narrow;
  const gpugeo_run *run = &options->run;
  const int n = p->n;
  gg_dgp_plan *plan = &job->plan;
  plan->algorithm =
      options->algorithm ? options->algorithm : GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE;
  const bool meets = plan->algorithm == GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE;
  const bool tree = plan->algorithm == GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE;
  if (GG_TRY(call, list_memory(run, gg_host_backend(), -1, &job->list_bytes, error)))
    return call->status;

  /* Nanoseconds on one thread. */
  const double steps = exp2(method_steps(plan->algorithm, n, job->list_bytes));
  double time = steps * (meets ? element_time : tree ? node_time : row_time);
  if (meets && gg_run_allows_host(run) && n > 16) {
    const double merged = gg_dgp_distinct_steps(counted->d, n, counted->words, job->list_bytes);
    const double by_sums = merged * distinct_time * counted->words;
    job->distinct = by_sums < time;
    if (job->distinct) time = by_sums;
  }
  GG_TRY(call, gg_check_algorithm(run, GG_FAMILY_DGP, (int)plan->algorithm,
                                  gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, plan->algorithm), error));
  gpugeo_run chosen = *run;
  if (job->distinct) chosen.backend = gg_host_backend()->id; /* the core counts them */
  plan->threads = gg_threads_for(run->threads, 10 * time);
  const gg_request request = {
      .family = GG_FAMILY_DGP, .algorithm = (int)plan->algorithm, .work = 10 * time};
  GG_TRY(call, gg_backend_choose(&chosen, &request, &job->backend, &plan->device, error));
  GG_TRY(call, list_memory(run, job->backend, plan->device, &job->list_bytes, error));
  if (job->distinct && time > ldexp(distinct_time, gg_host_backend()->can.dgp_steps))
    job->distinct = false; /* and so the error below */
  if (job->distinct) return call->status;
  return GG_TRY(call, check_steps(plan->algorithm, n, job->list_bytes, job->backend, error));
}

gpugeo_status gpugeo_dgp(const double *d, int64_t n, const gpugeo_dgp_options *options,
                         gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions,
                         gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dgp_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dgp_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  int64_t room;
  check_call(d, n, options, &room, &call);
  if (GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_DGP, call.report, error)))
    return call.status;

  gg_dgp_problem problem, narrow;
  gg_dgp_problem_make(&problem, d, n, options->tol, options->exact);
  gg_dgp_problem_narrow(&problem, &narrow);
  gg_dgp_job job = {
      .problem = &problem,
      .narrow = &narrow,
      .plan = {.n = (int32_t)n,
               .d = narrow.narrow,
               .prune = options->prune,
               .work_bytes = options->run.work_bytes},
      .symmetric = options->symmetric,
      .wanted = room,
      .density = density(&problem),
      .call = &call,
  };
  if (choose_algorithm(&job, options)) return call.status;
  *call.report = gg_report_of(job.backend, job.plan.device, 1, job.plan.threads);
  gpugeo_dgp_result made = {.algorithm = job.plan.algorithm,
                            .expected = expected_count(d, n, options->tol, options->symmetric)};
  if (!gg_dgp_solve(&job, &made, solutions)) *result = made;
  return gg_call_end(&call);
}

/* --- all sums, positions, instances ----------------------------------------------------------- */

/* Checks the arguments of all sums, and that there is memory for them. */
static gpugeo_status check_sums(const double *d, int64_t n, const gpugeo_run *run, gg_call *call) {
  GG_TRY(call, gg_check_run(run, call->error));
  GG_TRY(call, check_distances(d, n, GPUGEO_DGP_SUMS_DISTANCES_MAX, call->error));
  return GG_TRY(call,
                gg_check_memory(ldexp(8, (int)n), "d", call->error, "all 2^%d sums need", (int)n));
}

gpugeo_status gpugeo_dgp_sums_size(const double *d, int64_t n, const gpugeo_run *run, int64_t *size,
                                   gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call = {.error = error};
  if (!check_sums(d, n, run, &call)) *size = (int64_t)1 << n;
  return call.status;
}

gpugeo_status gpugeo_dgp_sums(const double *d, int64_t n, const gpugeo_run *run, double *sums,
                              gpugeo_report *report, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, report, error);
  if (check_sums(d, n, run, &call)) return call.status;
  const double size = ldexp(1, (int)n);
  gg_dgp_problem problem;
  gg_dgp_problem_make(&problem, d, n, 0, true);
  gg_dgp_sums_plan plan = {
      .n = (int32_t)n,
      .words = problem.words,
      .d = problem.d,
      .exponent = problem.exponent,
      .sums = sums,
      .threads = gg_threads_for(run->threads, 10 * size),
      .work_bytes = run->work_bytes,
  };
  const gg_request request = {.family = GG_FAMILY_DGP_SUMS, .work = 10 * size, .bytes = 8 * size};
  const gg_backend *backend;
  if (GG_TRY(&call, gg_backend_choose(run, &request, &backend, &plan.device, error)))
    return call.status;
  *call.report = gg_report_of(backend, plan.device, 1, plan.threads);
  GG_TRY(&call, backend->dgp_sums(&plan, &call));
  return gg_call_end(&call);
}

void gpugeo_dgp_positions(const double *d, int64_t n, gpugeo_uint128 row, double *positions) {
  gg_dgp_problem problem;
  gg_dgp_problem_make(&problem, d, n, 0, true);
  uint64_t sum[GG_FIXED_WORDS] = {0}, rounded[GG_FIXED_WORDS];
  positions[0] = 0;
  for (int j = 0; j < n; ++j) {
    gg_superaccumulator_add(sum, problem.d + (int64_t)j * problem.words, problem.words,
                            !gg_uint128_bit(row, j));
    memcpy(rounded, sum, sizeof rounded);
    positions[j + 1] = gg_superaccumulator_double(rounded, problem.words, problem.exponent);
  }
}

/* Draws distances in units of 2^-40. The last one closes the cycle of the others; all are drawn
   again until it is in (0, 1). */
gpugeo_status gpugeo_dgp_instance(int64_t n, uint64_t seed, double *d, gpugeo_error *error) {
  if (n < 2 || n > GPUGEO_DGP_DISTANCES_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "n", "n must be between 2 and %d, not %lld",
                   GPUGEO_DGP_DISTANCES_MAX, (long long)n);
  const int bits = 40;
  const int64_t one = (int64_t)1 << bits;
  uint64_t drawn = 0;
  for (int64_t sum = 0; sum == 0 || sum >= one || -sum >= one;) {
    sum = 0;
    for (int64_t j = 0; j < n - 1; ++j) {
      const uint64_t random = gg_random(seed, drawn++);
      const int64_t units = (int64_t)(random >> (64 - bits)) | 1; /* never 0 */
      sum += random & 1 ? units : -units;
      d[j] = ldexp((double)units, -bits);
    }
    d[n - 1] = ldexp(fabs((double)sum), -bits);
  }
  return GPUGEO_OK;
}

/* k-means: checks the arguments, takes or draws the first centres, and writes the result. */
#include <math.h>
#include <string.h>

#include "cluster/kmeans_steps.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"

GG_OPTIONS_INIT(kmeans, .k = 1, .max_iterations = 10)

static const gg_option option_rows[] = {
    {GG_OPTION("algorithm", CHOICE, gpugeo_kmeans_options, algorithm),
     .choices = GPUGEO_ENUM_KMEANS_ALGORITHM},
    {GG_OPTION("k", WHOLE, gpugeo_kmeans_options, k), .least = 1, .most = INT32_MAX,
     .is_argument = true},
    {GG_OPTION("iter.max", WHOLE, gpugeo_kmeans_options, max_iterations), .octave = "maxiter",
     .least = 1, .most = INT32_MAX},
    {GG_OPTION("centers", MATRIX, gpugeo_kmeans_options, centers), .may_be_null = true},
    {GG_OPTION_ARRAY("uniform", DOUBLES, gpugeo_kmeans_options, uniform, uniform_length),
     .may_be_null = true},
};
GG_DEFINE_OPTIONS(kmeans, option_rows);

/* --- Checks ----------------------------------------------------------------------------------- */

/* Fails with an error about an argument. */
#define FAIL(call, argument, ...)                                                                  \
  GG_TRY(call, gg_fail((call)->error, GPUGEO_ERROR_ARGUMENT, argument, __VA_ARGS__))

gpugeo_status gg_fail_not_finite(const char *name, int64_t row, int64_t column, double value,
                                 gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                 "%s must be finite numbers, but row %lld, column %lld is %s", name,
                 (long long)row + 1, (long long)column + 1, gg_number(value).text);
}

/* Checks that all elements are finite. */
static gpugeo_status require_finite(const char *name, const gpugeo_matrix *x, gg_call *call) {
  for (int64_t j = 0; j < x->ncol && !call->status; ++j)
    for (int64_t i = 0; i < x->nrow && !call->status; ++i) {
      const double value = gg_element(x, i, j);
      if (!isfinite(value)) GG_TRY(call, gg_fail_not_finite(name, i, j, value, call->error));
    }
  return call->status;
}

/* Checks that the centres are different. center: p numbers of each. */
static gpugeo_status require_different(const gg_kmeans *means) {
  gg_call *call = means->call;
  const int64_t p = means->p;
  for (int64_t l = 1; l < means->k && !call->status; ++l)
    for (int64_t o = 0; o < l && !call->status; ++o) {
      int64_t j = 0;
      while (j < p && means->center[l * p + j] == means->center[o * p + j])
        ++j;
      if (j == p)
        FAIL(call, "centers", "centers must be different, but numbers %lld and %lld are the same",
             (long long)o + 1, (long long)l + 1);
    }
  return call->status;
}

/* Checks the numbers of k-means++. */
static gpugeo_status check_uniform(const gpugeo_kmeans_options *options, gg_call *call) {
  if (options->uniform_length != options->k)
    FAIL(call, "uniform", "uniform must have %lld numbers, as many as clusters, not %lld",
         (long long)options->k, (long long)options->uniform_length);
  for (int64_t l = 0; l < options->k && !call->status; ++l)
    if (!(options->uniform[l] >= 0 && options->uniform[l] < 1))
      FAIL(call, "uniform", "uniform must be numbers from 0 to below 1, but value %lld is %s",
           (long long)l + 1, gg_number(options->uniform[l]).text);
  return call->status;
}

/* Checks the shape and the values of the centres. */
static gpugeo_status check_centers(const gpugeo_matrix *x, const gpugeo_kmeans_options *options,
                                   gg_call *call) {
  const gpugeo_matrix *centers = &options->centers;
  GG_TRY(call, gg_check_matrix("centers", centers, call->error));
  if (centers->nrow != options->k)
    FAIL(call, "centers", "centers must have %lld rows, as many as clusters, not %lld",
         (long long)options->k, (long long)centers->nrow);
  if (centers->ncol != x->ncol)
    FAIL(call, "centers", "centers must have %lld columns, as many as x, not %lld",
         (long long)x->ncol, (long long)centers->ncol);
  return call->status ? call->status : require_finite("centers", centers, call);
}

/* Checks the points and the options. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_kmeans_options *options,
                                     gg_call *call) {
  GG_TRY(call, gg_check_matrix("x", x, call->error));
  if (x->nrow < 1 || x->nrow > INT32_MAX || x->ncol < 1)
    FAIL(call, "x", "x must have 1 to %ld rows and at least 1 column, not %lld and %lld",
         (long)INT32_MAX, (long long)x->nrow, (long long)x->ncol);
  if (options->k < 1 || options->k > x->nrow)
    FAIL(call, "k", "k must be between 1 and %lld, the number of points, not %lld",
         (long long)x->nrow, (long long)options->k);
  if (options->max_iterations < 1)
    FAIL(call, "iter.max", "iter.max must be a whole number of at least 1, not %lld",
         (long long)options->max_iterations);
  if (options->algorithm < 0 || options->algorithm >= GPUGEO_KMEANS_ALGORITHM_COUNT)
    FAIL(call, "algorithm", "algorithm must be between 0 and %d, not %d",
         GPUGEO_KMEANS_ALGORITHM_COUNT - 1, (int)options->algorithm);
  if (!call->status) require_finite("x", x, call);
  if (call->status) return call->status;
  if (options->centers.data) return check_centers(x, options, call);
  return options->uniform ? check_uniform(options, call) : call->status;
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Checks the memory: a second copy of the points, or bounds. */
static gpugeo_status check_memory(const gg_kmeans *means, bool lloyd, bool copies) {
  const double n = (double)means->n, p = (double)means->p, k = (double)means->k;
  const double points = (copies ? n * p : 0) + (lloyd ? 3 * n : n * (p + 4));
  const double bytes = 8 * (points + 4 * k * (p + 8) + 64.0 * means->threads * (p + 32));
  GG_TRY(means->call,
         gg_check_work(means->call->run, bytes, means->call->error, "%lld means of %lld points",
                       (long long)means->k, (long long)means->n));
  return GG_TRY(means->call,
                gg_check_memory(bytes, "x", means->call->error, "%lld means of %lld points need",
                                (long long)means->k, (long long)means->n));
}

/* Returns the points as doubles, which the caller frees by gg_free(), or NULL if they are. */
static double *copy_points(gg_kmeans *means, const gpugeo_matrix *x) {
  means->x = x->data;
  means->ld = x->ld;
  if (x->type == GPUGEO_TYPE_DOUBLE) return NULL;
  double *copy = gg_call_allocate(means->call, means->n * means->p, sizeof *copy);
  for (int64_t j = 0; copy && j < means->p; ++j)
    for (int64_t i = 0; i < means->n; ++i)
      copy[i + j * means->n] = gg_element(x, i, j);
  means->x = copy;
  means->ld = means->n;
  return copy;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Takes the centres that are given, draws them, or takes the first points. */
static gpugeo_status begin_centers(gg_kmeans *means, const gpugeo_matrix *x,
                                   const gpugeo_kmeans_options *options) {
  const gpugeo_matrix *from = options->centers.data ? &options->centers : x;
  if (from == x && options->uniform) return gg_kmeans_draw(means, options->uniform);
  for (int64_t l = 0; l < means->k; ++l)
    for (int64_t j = 0; j < means->p; ++j)
      means->center[l * means->p + j] = gg_element(from, l, j);
  return require_different(means);
}

/* Returns the algorithm of a call. For one cluster all are MacQueen's, as in R. */
static gpugeo_kmeans_algorithm algorithm_of(const gpugeo_kmeans_options *options) {
  if (options->k == 1) return GPUGEO_KMEANS_ALGORITHM_MACQUEEN;
  return options->algorithm == GPUGEO_KMEANS_ALGORITHM_FORGY ? GPUGEO_KMEANS_ALGORITHM_LLOYD
                                                             : options->algorithm;
}

/* Runs an algorithm. */
static gpugeo_status iterate(gg_kmeans *means, gpugeo_kmeans_algorithm algorithm) {
  switch (algorithm) {
  case GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG:
    return gg_kmeans_hartigan(means);
  case GPUGEO_KMEANS_ALGORITHM_MACQUEEN:
    return gg_kmeans_macqueen(means);
  default:
    return gg_kmeans_lloyd(means);
  }
}

/* Computes, and writes the result. */
static gpugeo_status compute(gg_kmeans *means, const gpugeo_matrix *x,
                             const gpugeo_kmeans_options *options, gpugeo_kmeans_result *result) {
  const gpugeo_kmeans_algorithm algorithm = algorithm_of(options);
  begin_centers(means, x, options);
  if (!means->call->status) iterate(means, algorithm);
  if (!means->call->status) {
    gg_kmeans_measure(means, algorithm == GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG, result->withinss);
    gg_kmeans_total(means, &result->totss);
  }
  if (means->call->status) return means->call->status;
  for (int64_t i = 0; i < means->n; ++i)
    ++means->cluster[i];
  for (int64_t l = 0; l < means->k; ++l)
    for (int64_t j = 0; j < means->p; ++j)
      result->centers[l + j * means->k] = means->center[l * means->p + j];
  result->iterations = means->iterations;
  result->fault = means->fault;
  return means->call->status;
}

/* Allocates and computes. */
static gpugeo_status run_call(const gpugeo_matrix *x, const gpugeo_kmeans_options *options,
                              gpugeo_kmeans_result *result, gg_call *call) {
  const double work = 10 * (double)x->nrow * (double)x->ncol * (double)options->k;
  gg_kmeans means = {.call = call,
                     .kernels = GG_SIMD_CHOOSE(const gg_kmeans_kernels, gg_kmeans_kernels),
                     .n = x->nrow,
                     .p = x->ncol,
                     .k = options->k,
                     .cluster = result->cluster,
                     .size = result->sizes,
                     .most = options->max_iterations,
                     .threads = gg_threads_for(options->run.threads, work)};
  const bool lloyd = algorithm_of(options) == GPUGEO_KMEANS_ALGORITHM_LLOYD;
  check_memory(&means, lloyd, x->type != GPUGEO_TYPE_DOUBLE);
  call->report->threads = means.threads;
  double *copy = call->status ? NULL : copy_points(&means, x);
  means.center = gg_call_allocate(call, means.k * means.p, sizeof *means.center);
  if (!call->status) compute(&means, x, options, result);
  gg_free(means.center);
  gg_free(copy);
  return call->status;
}

gpugeo_status gpugeo_kmeans(const gpugeo_matrix *x, const gpugeo_kmeans_options *options,
                            gpugeo_kmeans_result *result, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_kmeans_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(kmeans_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  check_arguments(x, options, &call);
  GG_TRY(&call, gg_check_run(call.run, error));
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_KMEANS, error));
  *call.report = gg_report_of(gg_host_backend(), -1, 1, 1);
  if (!call.status) run_call(x, options, result, &call);
  return gg_call_end(&call);
}

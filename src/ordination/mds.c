/* Multidimensional scaling: checks the arguments, has the distances read and a start made, and
   passes the plan to a backend. */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"
#include "ordination/mds_fit.h"
#include "ordination/mds_solve.h"
#include "ordination/pcoa_solve.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

/* For the choice of the backend; estimates, not measured. */
static const double usual_iterations = 100, iteration_latency = 100e-6; /* seconds, on a device */
static const double device_rest = 256 << 20; /* bytes that a device takes next to the matrices */

GG_OPTIONS_INIT(mds, .metric = GG_DEFAULT_METRIC, .k = 2, .tolerance = 1e-6, .max_iterations = 1000,
                .relax = 1)

static const gg_option option_rows[] = {
    {GG_OPTION("k", WHOLE, gpugeo_mds_options, k)},
    {GG_OPTION_ARRAY("weights", DOUBLES, gpugeo_mds_options, weights, weights_length)},
    {GG_OPTION_ARRAY("start", DOUBLES, gpugeo_mds_options, start, start_length)},
    {GG_OPTION("tolerance", NUMBER, gpugeo_mds_options, tolerance), .allowed = "between 0 and 1"},
    {GG_OPTION("max_iterations", WHOLE, gpugeo_mds_options, max_iterations)},
    {GG_OPTION("relax", FLAG, gpugeo_mds_options, relax)},
    {GG_OPTION("squared", FLAG, gpugeo_mds_options, squared)},
    {GG_OPTION("type", CHOICE, gpugeo_mds_options, type), .choices = GPUGEO_ENUM_MDS_TYPE},
};

GG_DEFINE_OPTIONS(mds, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the first configuration; NULL is allowed. */
static gpugeo_status check_start(const gpugeo_mds_options *options, int64_t n,
                                 gpugeo_error *error) {
  const int64_t length = n * options->k;
  if (!options->start) return GPUGEO_OK;
  if (options->start_length != length)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "start",
                   "start must have %lld coordinates of each of the %lld points, not %lld numbers",
                   (long long)options->k, (long long)n, (long long)options->start_length);
  for (int64_t i = 0; i < length; ++i)
    if (!isfinite(options->start[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "start",
                     "start must be finite, but coordinate %lld of point %lld is %s",
                     (long long)(i / n) + 1, (long long)(i % n) + 1,
                     gg_number(options->start[i]).text);
  return GPUGEO_OK;
}

/* Returns the number of an algorithm, for the table of a backend: the type, or one after all types
   for squares. */
static int algorithm_of(const gpugeo_mds_options *options) {
  return (int)options->type + (options->squared ? GPUGEO_MDS_TYPE_COUNT : 0);
}

/* Checks the type, and that a named backend has it. */
static gpugeo_status check_type(const gpugeo_mds_options *options, gpugeo_error *error) {
  const bool ordinal = options->type == GPUGEO_MDS_TYPE_ORDINAL;
  if (options->type < 0 || options->type >= GPUGEO_MDS_TYPE_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be between 0 and %d, not %d",
                   GPUGEO_MDS_TYPE_COUNT - 1, (int)options->type);
  return gg_check_choice(&options->run, GG_FAMILY_MDS, algorithm_of(options), error, "for %s",
                         ordinal ? "ordinal scaling" : "scaling by squares of distances");
}

/* Checks k, the tolerance, the iterations, the length of the weights and the start. */
static gpugeo_status check_options(const gpugeo_mds_options *options, int64_t n,
                                   gpugeo_error *error) {
  const int64_t pairs = n * (n - 1) / 2;
  if (options->k < 1 || options->k > n - 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "k",
                   "k must be a whole number between 1 and %lld, not %lld", (long long)n - 1,
                   (long long)options->k);
  if (!(options->tolerance >= 0 && options->tolerance <= 1))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tolerance",
                   "tolerance must be between 0 and 1, not %s", gg_number(options->tolerance).text);
  if (options->max_iterations < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "max_iterations",
                   "max_iterations must be a whole number of at least 0, not %lld",
                   (long long)options->max_iterations);
  if (options->weights && options->weights_length != pairs)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have one for each of the %lld pairs of points, not %lld",
                   (long long)pairs, (long long)options->weights_length);
  return check_start(options, n, error);
}

/* Checks the memory for n points. */
static gpugeo_status check_memory(const gpugeo_mds_options *options, const gg_dist_source *source,
                                  gpugeo_error *error) {
  const int64_t n = source->n, k = options->k;
  const double distances = source->condensed ? 0 : 4 * (double)n * (double)(n - 1);
  const double start = options->start ? 0 : gg_pcoa_working(n, k);
  const bool ordinal = options->type == GPUGEO_MDS_TYPE_ORDINAL;
  const bool squared = options->squared;
  const double fit = ordinal || squared ? gg_mds_fit_working(n, ordinal, squared) : 0;
  const double iteration = gg_mds_working(n, k, options->weights || squared) + fit;
  return gg_check_memory(distances + gg_dist_source_working(source, n, n) +
                             8 * (double)k * (double)n + (start > iteration ? start : iteration),
                         "", error, "multidimensional scaling of %lld points needs", (long long)n);
}

/* --- Distances and weights -------------------------------------------------------------------- */

/* What a call works with. */
typedef struct job {
  gg_distance_call call;
  const gpugeo_mds_options *options;
  double *stored; /* distances that were not in memory; to be freed */
  gg_mds_fit fit;
  gg_mds_plan plan;
} job;

/* Has all distances in memory. */
static gpugeo_status read_distances(job *j) {
  const int64_t pairs = j->plan.n * (j->plan.n - 1) / 2;
  const double share = 0.1; /* of the call's progress */
  gg_distance_call *call = &j->call;
  if (gg_distance_call_start(call)) return call->base.status;
  j->plan.delta = call->source.condensed;
  if (j->plan.delta) return GPUGEO_OK;
  j->stored = gg_allocate_large(pairs, sizeof *j->stored);
  if (!j->stored)
    return GG_TRY(&call->base,
                  gg_fail_memory(call->base.error, pairs * (int64_t)sizeof *j->stored));
  j->plan.delta = j->stored;
  j->plan.done = share;
  return gg_dist_source_condensed(&call->source, j->stored, 0, share, &call->base);
}

/* Returns a power of two times which a positive number is at least 1/2 and less than 1; 1 for 0.
   Its exponent is at most 1000 in magnitude, so the power has an inverse. */
static double scale_of(double largest) {
  int exponent = 0;
  if (largest > 0) frexp(largest, &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

/* Fails if a distance or a weight cannot be used, and finds the largest ones. */
static gpugeo_status check_pairs(job *j, double *largest, double *heaviest, gpugeo_error *error) {
  const int64_t n = j->plan.n;
  const double *delta = j->plan.delta, *weight = j->plan.weight;
  gg_bad_distances unfit = {.count = 0}, negative = {.count = 0}, wrong = {.count = 0};
  *largest = *heaviest = 0;
  for (int64_t c = 0, at = 0; c < n - 1; ++c) {
    if (gg_clock_poll(j->call.base.clock, j->plan.done)) return gg_fail_interrupt(error);
    for (int64_t i = c + 1; i < n; ++i, ++at) {
      if (!isfinite(delta[at])) gg_bad_distances_add(&unfit, i, c, delta[at]);
      if (delta[at] < 0) gg_bad_distances_add(&negative, i, c, delta[at]);
      if (delta[at] > *largest) *largest = delta[at];
      if (!weight) continue;
      if (!(isfinite(weight[at]) && weight[at] >= 0))
        gg_bad_distances_add(&wrong, i, c, weight[at]);
      if (weight[at] > *heaviest) *heaviest = weight[at];
    }
  }
  if (wrong.count > 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must be finite and at least 0, but %lld of them %s not; the first is "
                   "%s, of points %lld and %lld",
                   (long long)wrong.count, wrong.count == 1 ? "is" : "are",
                   isnan(wrong.value) ? "missing" : gg_number(wrong.value).text,
                   (long long)wrong.j + 1, (long long)wrong.i + 1);
  if (weight && *heaviest == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have at least one that is not 0");
  return gg_check_distances("x", &unfit, &negative, error);
}

/* Adds up weight times squared distance, column by column. */
static double sum_squares(const gg_mds_plan *plan) {
  double all = 0;
  for (int64_t c = 0, at = 0; c < plan->n - 1; ++c) {
    double sum = 0;
    for (int64_t i = c + 1; i < plan->n; ++i, ++at) {
      const double d = plan->delta[at] * plan->scale;
      const double w = plan->weight ? plan->weight[at] * plan->weight_scale : 1;
      sum += w * d * d;
    }
    all += sum;
  }
  return all;
}

/* Checks all pairs and sets the scales of distances and weights, and the sum of squares. */
static gpugeo_status measure_distances(job *j) {
  double largest, heaviest;
  gg_call *call = &j->call.base;
  if (GG_TRY(call, check_pairs(j, &largest, &heaviest, call->error))) return call->status;
  j->plan.scale = scale_of(largest);
  j->plan.weight_scale = scale_of(heaviest);
  j->plan.squares = sum_squares(&j->plan);
  return GPUGEO_OK;
}

/* --- Coordinates ------------------------------------------------------------------------------ */

/* Copies n by k coordinates, of which each column has so many elements. */
static void copy_columns(const gg_mds_plan *plan, const double *from, int64_t from_step, double *to,
                         int64_t to_step, double factor) {
  for (int64_t c = 0; c < plan->k; ++c)
    for (int64_t i = 0; i < plan->n; ++i)
      to[c * to_step + i] = from[c * from_step + i] * factor;
}

/* Writes principal coordinates to the memory of the result. */
static gpugeo_status find_principal(job *j) {
  const int64_t n = j->plan.n, k = j->plan.k;
  const double share = 0.2; /* of the call's progress */
  gg_dist_source source = j->call.source;
  source.kind = GG_DIST_SOURCE_CONDENSED;
  source.condensed = j->plan.delta;
  double *numbers = gg_call_allocate(&j->call.base, 2 * k, sizeof *numbers);
  if (!numbers) return j->call.base.status;
  gpugeo_pcoa_options usual;
  gpugeo_pcoa_options_init(&usual, sizeof usual);
  gpugeo_pcoa_result result = {
      .coordinates = j->plan.result->coordinates, .eigenvalue = numbers, .residual = numbers + k};
  gg_call_part part;
  gg_call_part_begin(&j->call.base, j->plan.done, share, &part);
  const gg_pcoa_plan plan = {.source = &source,
                             .name = "x",
                             .n = n,
                             .k = k,
                             .tolerance = usual.tolerance,
                             .most = usual.max_passes,
                             .working = gg_pcoa_working(n, k),
                             .device = j->plan.device,
                             .threads = j->plan.threads,
                             .result = &result};
  GG_TRY(&part.call, j->call.backend->pcoa(&plan, &part.call));
  j->plan.done += share;
  gg_free(numbers);
  return gg_call_part_end(&part);
}

/* Writes the start to plan->x, with elements of magnitudes up to 1. */
static gpugeo_status make_start(job *j) {
  const gg_mds_plan *plan = &j->plan;
  const double *start = j->options->start;
  double largest = 0;
  if (!start) {
    if (find_principal(j)) return j->call.base.status;
    start = plan->result->coordinates;
  }
  for (int64_t i = 0; i < plan->n * plan->k; ++i)
    largest = fabs(start[i]) > largest ? fabs(start[i]) : largest;
  copy_columns(plan, start, plan->n, plan->x, plan->padded, scale_of(largest));
  return GPUGEO_OK;
}

/* Writes the result of distances that are all 0, or have no weight. */
static void take_zeros(const gg_mds_plan *plan) {
  memset(plan->result->coordinates, 0, (size_t)(plan->n * plan->k) * sizeof(double));
  if (plan->result->disparities)
    memset(plan->result->disparities, 0, (size_t)(plan->n * (plan->n - 1) / 2) * sizeof(double));
  plan->result->stress = 0;
  plan->result->iterations = 0;
  plan->result->converged = 1;
}

/* Copies the disparities to the result, if they are wanted. */
static void copy_disparities(const gg_mds_plan *plan) {
  double *to = plan->result->disparities;
  if (to && plan->fit)
    gg_mds_fit_write(plan->fit, to);
  else if (to)
    memcpy(to, plan->delta, (size_t)(plan->n * (plan->n - 1) / 2) * sizeof *to);
}

/* Makes the start and the disparities, computes on the backend and copies the configuration to the
   result. */
static gpugeo_status compute_configuration(job *j) {
  gg_mds_plan *plan = &j->plan;
  gg_call *call = &j->call.base;
  const bool ordinal = j->options->type == GPUGEO_MDS_TYPE_ORDINAL, squared = j->options->squared;
  make_start(j);
  if (ordinal || squared) gg_mds_fit_make(&j->fit, plan, ordinal, squared, call);
  if (GG_TRY(call, j->call.backend->mds(plan, call))) return call->status;
  copy_disparities(plan);
  copy_columns(plan, plan->x, plan->padded, plan->result->coordinates, plan->n, 1 / plan->scale);
  return GPUGEO_OK;
}

/* Chooses the backend by the work and the matrices of distances and weights. */
static gpugeo_status choose_backend(job *j, double work) {
  const gpugeo_mds_options *options = j->options;
  const int64_t n = j->call.source.n;
  const double matrices = 4 * (double)n * (double)(n - 1) * (options->weights ? 2 : 1);
  const gg_request request = {.family = GG_FAMILY_MDS,
                              .algorithm = algorithm_of(options),
                              .work = work,
                              .bytes = matrices,
                              .latency = usual_iterations * iteration_latency,
                              .resident = matrices + device_rest,
                              .alone = true};
  return gg_distance_call_choose(&j->call, &request, 0);
}

/* Chooses the backend, makes the plan and runs it; frees its memory. */
static gpugeo_status run_plan(job *j, gpugeo_mds_result *result) {
  gg_call *call = &j->call.base;
  if (call->status) return call->status;
  const gpugeo_mds_options *options = j->options;
  const int64_t n = j->call.source.n, k = options->k;
  const int64_t padded = (n + GG_MDS_LANES - 1) / GG_MDS_LANES * GG_MDS_LANES;
  const double pairs = (double)n * (double)(n - 1) / 2;
  const double work = usual_iterations * pairs * (double)(k + 10);
  if (choose_backend(j, work)) return call->status;
  j->plan = (gg_mds_plan){.n = n,
                          .k = k,
                          .padded = padded,
                          .weight = options->weights,
                          .tolerance = options->tolerance,
                          .most = options->max_iterations,
                          .relax = options->relax,
                          .device = j->call.device,
                          .threads = gg_threads_for(options->run.threads, work),
                          .result = result};
  gg_distance_call_report(&j->call, j->plan.threads);
  j->plan.x = gg_allocate_zeros(padded * k, sizeof *j->plan.x);
  if (!j->plan.x)
    call->status = gg_fail_memory(call->error, padded * k * (int64_t)sizeof *j->plan.x);
  read_distances(j);
  measure_distances(j);
  if (!call->status && j->plan.squares > 0)
    compute_configuration(j);
  else if (!call->status)
    take_zeros(&j->plan);
  gg_free(j->plan.x);
  gg_free(j->stored);
  gg_mds_fit_free(&j->fit);
  return call->status;
}

gpugeo_status gpugeo_mds(const gpugeo_distances *x, const gpugeo_mds_options *options,
                         gpugeo_mds_result *result, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mds_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mds_options, options, taken, error);
  if (status) return status;
  const bool ordinal = options->type == GPUGEO_MDS_TYPE_ORDINAL;
  const gg_distance_limits limits = {.family = GG_FAMILY_MDS,
                                     .least = 2,
                                     .most = ordinal ? GG_RANKS_POINTS : INT32_MAX,
                                     .purpose = ordinal ? " for ordinal scaling" : NULL};
  job j = {.call = GG_DISTANCE_CALL("x", x, options, report, error), .options = options};
  gg_call *call = &j.call.base;
  gg_distance_call_open(&j.call, &limits);
  GG_TRY(call, check_type(options, error));
  GG_TRY(call, check_options(options, j.call.source.n, error));
  GG_TRY(call, check_memory(options, &j.call.source, error));
  run_plan(&j, result);
  return gg_distance_call_close(&j.call);
}

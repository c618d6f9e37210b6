/* Distance matrices: checks the arguments, plans, and passes the plan to a backend. */
#include "distance/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/parallel.h"
#include "common/sphere.h"
#include "distance/gower.h"
#include "distance/metric_params.h"
#include "distance/missing_rows.h"
#include "distance/point_source.h"
#include "distance/rank.h"

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks p, also for a metric that does not use it. */
static gpugeo_status check_p(const gpugeo_dist_options *options, gpugeo_error *error) {
  if (options->metric.p > 0) return GPUGEO_OK;
  const gg_given given = gg_given_number(options->metric.p);
  return gg_fail_given(error, "p", GG_EXPONENT, &given);
}

/* Checks the scale of a metric with m columns. */
static gpugeo_status check_scale(const gpugeo_dist_options *options, int64_t m,
                                 gpugeo_error *error) {
  if (!options->metric.scale) return GPUGEO_OK;
  if (options->metric.kind != GPUGEO_METRIC_SEUCLIDEAN &&
      options->metric.kind != GPUGEO_METRIC_GOWER)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "scale",
                   "scale must be given with method \"seuclidean\" or \"gower\", not \"%s\"",
                   gpugeo_name(GPUGEO_ENUM_METRIC, options->metric.kind));
  if (options->metric.scale_length != m)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "scale",
                   "scale must have a value for each of the %lld columns of x, not %lld values",
                   (long long)m, (long long)options->metric.scale_length);
  for (int64_t k = 0; k < m; ++k)
    if (!(options->metric.scale[k] > 0 && isfinite(options->metric.scale[k])))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "scale",
                     "scale must be positive and finite, but value %lld is %s", (long long)k + 1,
                     gg_number(options->metric.scale[k]).text);
  return GPUGEO_OK;
}

/* Checks the covariance of a metric with m columns. */
static gpugeo_status check_cov(const gpugeo_dist_options *options, int64_t m, gpugeo_error *error) {
  const gpugeo_matrix *cov = &options->metric.cov;
  if (!cov->data) return GPUGEO_OK;
  if (options->metric.kind != GPUGEO_METRIC_MAHALANOBIS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cov",
                   "cov must be given with method \"mahalanobis\", not \"%s\"",
                   gpugeo_name(GPUGEO_ENUM_METRIC, options->metric.kind));
  gpugeo_status status = gg_check_matrix("cov", cov, error);
  if (!status && (cov->nrow != m || cov->ncol != m))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cov",
                   "cov must be %lld x %lld, as x has %lld columns, not %lld x %lld", (long long)m,
                   (long long)m, (long long)m, (long long)cov->nrow, (long long)cov->ncol);
  return status;
}

/* Checks what a metric does with singular data. */
static gpugeo_status check_singular(const gpugeo_metric_options *metric, gpugeo_error *error) {
  if (metric->singular < 0 || metric->singular >= GPUGEO_SINGULAR_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "singular",
                   "singular must be between 0 and %d, not %lld", GPUGEO_SINGULAR_COUNT - 1,
                   (long long)metric->singular);
  const bool used =
      metric->kind == GPUGEO_METRIC_SEUCLIDEAN || metric->kind == GPUGEO_METRIC_MAHALANOBIS;
  if (used || metric->singular == GPUGEO_SINGULAR_ERROR) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "singular",
                 "singular must be given with method \"seuclidean\" or \"mahalanobis\", not \"%s\"",
                 gpugeo_name(GPUGEO_ENUM_METRIC, metric->kind));
}

/* Checks the sphere of points whose m coordinates must be longitude and latitude. */
static gpugeo_status check_sphere(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const char *y_name, int64_t m,
                                  const gpugeo_metric_options *metric, gpugeo_error *error) {
  if (metric->kind != GPUGEO_METRIC_GREAT_CIRCLE) return GPUGEO_OK;
  if (m != 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have 2 columns, longitude and latitude, with method \"great-circle\", "
                   "not %lld",
                   (long long)m);
  gpugeo_status status = gg_check_matrix("x", x, error);
  if (!status && y) status = gg_check_matrix(y_name, y, error);
  return status ? status : gg_positive_number("sphere_radius", metric->sphere_radius, error);
}

/* Checks that the reserved words of a metric are 0. */
static gpugeo_status check_reserved(const gpugeo_metric_options *metric, gpugeo_error *error) {
  for (size_t i = 0; i < sizeof metric->reserved / sizeof *metric->reserved; ++i)
    if (metric->reserved[i])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "metric",
                     "metric must be filled by gpugeo_dist_options_init() or "
                     "gpugeo_knn_options_init() of gpugeo " GPUGEO_VERSION
                     " or earlier: it has parameters of a later one");
  return GPUGEO_OK;
}

gpugeo_status gg_dist_check_options(const gpugeo_dist_options *options, gpugeo_type type,
                                    gpugeo_error *error) {
  if (type != GPUGEO_TYPE_DOUBLE && type != GPUGEO_TYPE_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be double or float, not %d",
                   (int)type);
  if (options->metric.kind == GPUGEO_METRIC_GREAT_CIRCLE)
    return gg_fail(
        error, GPUGEO_ERROR_ARGUMENT, "method",
        "method must not be \"great-circle\", which is for neighbours, DBSCAN, collisions "
        "and closest pairs");
  return gg_check_run(&options->run, error);
}

gpugeo_status gg_dist_check_sizes(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const char *y_name, const gpugeo_dist_options *options,
                                  gpugeo_error *error) {
  if (options->metric.kind < 0 || options->metric.kind >= GPUGEO_METRIC_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "metric",
                   "metric must be between 0 and %d, not %d", GPUGEO_METRIC_COUNT - 1,
                   (int)options->metric.kind);
  if (options->points != GPUGEO_POINTS_ROWS && options->points != GPUGEO_POINTS_COLUMNS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "points", "points must be 0 or 1, not %d",
                   (int)options->points);
  const int64_t m = gg_point_size(x, options->points);
  if (y && gg_point_size(y, options->points) != m)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, y_name,
                   "%s must have %lld columns, as x has, not %lld", y_name, (long long)m,
                   (long long)gg_point_size(y, options->points));
  gpugeo_status status = check_reserved(&options->metric, error);
  if (!status) status = check_p(options, error);
  if (!status) status = check_scale(options, m, error);
  if (!status) status = check_cov(options, m, error);
  if (!status) status = gg_gower_check_options(&options->metric, m, error);
  if (!status) status = check_singular(&options->metric, error);
  if (!status) status = check_sphere(x, y, y_name, m, &options->metric, error);
  return status;
}

gpugeo_status gg_dist_check(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *y_name,
                            const gpugeo_dist_options *options, gpugeo_error *error) {
  gpugeo_status status = gg_check_run(&options->run, error);
  if (!status) status = gg_check_any_matrix("x", x, error);
  if (!status && y) status = gg_check_any_matrix(y_name, y, error);
  if (!status) status = gg_dist_check_sizes(x, y, y_name, options, error);
  return status;
}

/* Checks the arguments of a distance matrix; y may be NULL. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                     const gpugeo_dist_options *options, gpugeo_type type,
                                     gpugeo_error *error) {
  gpugeo_status status = gg_dist_check_options(options, type, error);
  if (status) return status;
  if (options->shape != GPUGEO_SHAPE_CONDENSED && options->shape != GPUGEO_SHAPE_FULL)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "shape", "shape must be 0 or 1, not %d",
                   (int)options->shape);
  if (y && options->shape == GPUGEO_SHAPE_CONDENSED)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "shape",
                   "shape must be full for distances between x and y");
  return gg_dist_check(x, y, "y", options, error);
}

double gg_dist_working(const gpugeo_matrix *x, const gpugeo_matrix *y,
                       const gpugeo_dist_options *options) {
  const double limit =
      options->run.work_bytes ? (double)options->run.work_bytes : (double)GG_WORK_BYTES;
  const double points = (double)gg_point_count(x, options->points) +
                        (y ? (double)gg_point_count(y, options->points) : 0);
  const double m = (double)gg_point_size(x, options->points), values = 8 * points * m;
  double working = values < limit ? values : limit; /* prepared points */
  const bool sparse = x->sparse || (y && y->sparse);
  if (options->metric.kind == GPUGEO_METRIC_SPEARMAN && !sparse)
    working += m <= 0x1p23 ? values / 2 : values;
  if (options->metric.kind == GPUGEO_METRIC_MAHALANOBIS) working += 8 * m * m;
  if (options->metric.kind == GPUGEO_METRIC_GREAT_CIRCLE)
    working = points * (GG_SPHERE_ROOM * sizeof(double) + 96); /* and a tree of three coordinates */
  return working;
}

gpugeo_status gpugeo_dist_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                               const gpugeo_dist_options *options, gpugeo_type type, int64_t *size,
                               gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  status = check_arguments(x, y, options, type, error);
  if (status) return status;
  const double nx = (double)gg_point_count(x, options->points);
  const double ny = y ? (double)gg_point_count(y, options->points) : nx;
  const bool condensed = options->shape == GPUGEO_SHAPE_CONDENSED;
  status = gg_check_result(condensed ? nx * (nx - 1) / 2 : nx * ny, type,
                           gg_dist_working(x, y, options), error);
  if (status) return status;
  const int64_t n = gg_point_count(x, options->points);
  *size = condensed ? n * (n - 1) / 2 : n * (y ? gg_point_count(y, options->points) : n);
  return GPUGEO_OK;
}

/* --- planning --------------------------------------------------------------------------------- */

/* True if the flags of a matrix exclude missing and infinite values. */
static bool is_finite(int found) { return !(found & (GG_HAS_MISSING | GG_HAS_INFINITE)); }

/* The steps and the flags for finish() of the measures of communities. */
static const struct community_step {
  gpugeo_metric metric;
  gg_step step;
  int finish;
} community_steps[] = {
    {GPUGEO_METRIC_KULCZYNSKI, GG_STEP_kulczynski, 0},
    {GPUGEO_METRIC_CLARK, GG_STEP_clark, 0},
    {GPUGEO_METRIC_ALTGOWER, GG_STEP_altgower, 0},
    {GPUGEO_METRIC_MORISITA, GG_STEP_overlap, GG_FINISH_COUNTS},
    {GPUGEO_METRIC_HORN, GG_STEP_overlap, 0},
    {GPUGEO_METRIC_MOUNTFORD, GG_STEP_incidence, GG_FINISH_MOUNTFORD},
    {GPUGEO_METRIC_RAUP, GG_STEP_incidence, GG_FINISH_RAUP},
    {GPUGEO_METRIC_BINOMIAL, GG_STEP_binomial, 0},
    {GPUGEO_METRIC_CHAO, GG_STEP_chao, 0},
    {GPUGEO_METRIC_CAO, GG_STEP_cao, 0},
    {GPUGEO_METRIC_SQUARED_CHORD, GG_STEP_squared_chord, 0},
    {GPUGEO_METRIC_WAVE_HEDGES, GG_STEP_wave_hedges, 0},
    {GPUGEO_METRIC_LORENTZIAN, GG_STEP_lorentzian, 0},
    {GPUGEO_METRIC_SOERGEL, GG_STEP_soergel, 0},
    {GPUGEO_METRIC_MOTYKA, GG_STEP_soergel, GG_FINISH_MOTYKA},
    {GPUGEO_METRIC_SORENSEN, GG_STEP_incidence, 0},
    {GPUGEO_METRIC_OCHIAI, GG_STEP_incidence, GG_FINISH_OCHIAI},
    {GPUGEO_METRIC_SIMPSON, GG_STEP_incidence, GG_FINISH_SIMPSON},
    {GPUGEO_METRIC_TOPSOE, GG_STEP_topsoe, 0},
    {GPUGEO_METRIC_JSD, GG_STEP_topsoe, GG_FINISH_HALF},
    {GPUGEO_METRIC_JS, GG_STEP_topsoe, GG_FINISH_HALF | GG_FINISH_ROOT},
    {GPUGEO_METRIC_JEFFREYS, GG_STEP_jeffreys, 0},
    {GPUGEO_METRIC_BHATTACHARYYA, GG_STEP_bhattacharyya, 0},
};

/* Chooses the step of a measure of communities. */
static void choose_community_step(gg_dist_plan *plan, gpugeo_metric metric) {
  for (size_t i = 0; i < sizeof community_steps / sizeof *community_steps; ++i)
    if (community_steps[i].metric == metric) {
      plan->step = community_steps[i].step;
      plan->finish |= community_steps[i].finish;
    }
}

/* Chooses the step and the preparation of a metric; found is GG_HAS_... of x and y. */
static void choose_step(gg_dist_plan *plan, gpugeo_metric metric, int found) {
  if (plan->finish & GG_FINISH_PROPAGATE) found &= GG_HAS_HUGE; /* NaN then spreads by itself */
  const bool missing = found & GG_HAS_MISSING;
  const bool odd = found & (GG_HAS_MISSING | GG_HAS_INFINITE);
#define STEP_OR_MISSING(name, condition)                                                           \
  plan->step = (condition) ? GG_STEP_##name##_missing : GG_STEP_##name
  switch (metric) {
  case GPUGEO_METRIC_SQEUCLIDEAN:
    plan->finish |= GG_FINISH_SQUARED; /* fall through */
  case GPUGEO_METRIC_EUCLIDEAN:
    STEP_OR_MISSING(euclidean, odd);
    break;
  case GPUGEO_METRIC_SEUCLIDEAN:
    STEP_OR_MISSING(seuclidean, odd);
    break;
  case GPUGEO_METRIC_MANHATTAN:
    STEP_OR_MISSING(manhattan, odd);
    break;
  case GPUGEO_METRIC_MAXIMUM:
    STEP_OR_MISSING(maximum, odd);
    break;
  case GPUGEO_METRIC_CANBERRA:
    plan->step = GG_STEP_canberra;
    break;
  case GPUGEO_METRIC_BRAYCURTIS:
    STEP_OR_MISSING(braycurtis, odd);
    break;
  case GPUGEO_METRIC_HAMMING:
    STEP_OR_MISSING(hamming, missing);
    break;
  case GPUGEO_METRIC_JACCARD:
    STEP_OR_MISSING(jaccard, missing);
    break;
  case GPUGEO_METRIC_BINARY:
    plan->prepare = GG_PREPARE_BINARY;
    STEP_OR_MISSING(binary, odd);
    break;
  case GPUGEO_METRIC_MINKOWSKI:
    if (plan->p == 1)
      STEP_OR_MISSING(manhattan, odd);
    else if (plan->p == 2)
      STEP_OR_MISSING(euclidean, odd);
    else if (isinf(plan->p))
      STEP_OR_MISSING(maximum, odd);
    else if (plan->p <= GG_HALVES_MOST && 2 * plan->p == floor(2 * plan->p))
      STEP_OR_MISSING(halves, odd);
    else
      STEP_OR_MISSING(power, odd);
    break;
  case GPUGEO_METRIC_MAHALANOBIS: /* a NaN coordinate makes the sum NaN, that is missing */
    plan->prepare = GG_PREPARE_WHITENED;
    plan->step = GG_STEP_euclidean;
    break;
  case GPUGEO_METRIC_COSINE:
    plan->prepare = missing ? GG_PREPARE_MAGNITUDE : GG_PREPARE_UNIT;
    plan->step = missing ? GG_STEP_cosine_missing : GG_STEP_product;
    break;
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    plan->prepare = missing ? GG_PREPARE_MAGNITUDE : GG_PREPARE_CENTRED;
    plan->step = missing ? GG_STEP_correlation_missing : GG_STEP_product;
    break;
  case GPUGEO_METRIC_GOWER:
    plan->prepare = GG_PREPARE_SCALED;
    plan->step = GG_STEP_gower;
    break;
  case GPUGEO_METRIC_GREAT_CIRCLE: /* as gg_sphere_of() says */
    plan->finish |= GG_FINISH_SQUARED;
    plan->step = GG_STEP_euclidean;
    break;
  default:
    choose_community_step(plan, metric);
  }
#undef STEP_OR_MISSING
  /* Powers are there for doubles only, and a float neither counts beyond 2^24 and holds nothing
   * huge. */
  if (plan->step >= GG_STEP_halves || plan->m > ((int64_t)1 << 24) || (found & GG_HAS_HUGE))
    plan->single = false;
}

/* Returns the fraction of a matrix that is stored. */
static double density(const gpugeo_matrix *x) {
  return x->sparse ? (double)x->sparse->stored / ((double)x->nrow * (double)x->ncol) : 1;
}

/* Returns an estimate of the part of the work that the CPU leaves out, which decides only between
   backends. Its kernels visit the coordinates where one point of a group is not 0, and have other
   work for each pair. 10 (points) and 0.02 (of the dense kernels' time) are round numbers; what
   bench/sparse.R times, sparse and dense points at densities from 0.01 to 0.5, checks them. */
static double skipped_work(const gg_dist_plan *plan, gpugeo_metric metric, int found) {
  gg_dist_plan chosen = *plan;
  choose_step(&chosen, metric, found);
  chosen.finite = is_finite(found);
  if (!gg_dist_skips_zeros(&chosen)) return 0;
  return fmax(0.98 - 10 * fmax(density(&plan->x), density(&plan->y)), 0);
}

/* Returns the bytes of a matrix that cross the link: an element that is stored takes 16. */
static double link_bytes(const gpugeo_matrix *x) {
  return x->sparse ? 16 * (double)x->sparse->stored : 8 * (double)x->nrow * (double)x->ncol;
}

/* Returns the bytes that a device holds: all points, or for distances two panels of at most 128,
   and for neighbours of sparse points what cuda/distance/sparse_panels.cuh says. */
static double resident_bytes(const gg_dist_plan *plan, gg_family family) {
  const int64_t most = family == GG_FAMILY_DIST ? 128 : INT64_MAX;
  const double x_points = (double)(plan->nx < most ? plan->nx : most);
  const double y_points = plan->symmetric ? 0 : (double)(plan->ny < most ? plan->ny : most);
  const double dense = 8 * (x_points + y_points) * (double)plan->m;
  const bool panels = (family == GG_FAMILY_KNN || family == GG_FAMILY_RADIUS) && plan->x.sparse &&
                      (plan->symmetric || plan->y.sparse);
  return panels ? fmin(dense, 0x1p28 + 2 * (link_bytes(&plan->x) + link_bytes(&plan->y))) : dense;
}

gg_request gg_dist_request(const gg_dist_plan *plan, gg_family family,
                           const gpugeo_dist_options *options, int found) {
  return (gg_request){.family = family,
                      .sparse = gg_dist_is_sparse(plan),
                      .sphere = family != GG_FAMILY_DIST &&
                                options->metric.kind == GPUGEO_METRIC_GREAT_CIRCLE,
                      .work = gg_dist_work(plan),
                      .skipped = skipped_work(plan, options->metric.kind, found),
                      .bytes = link_bytes(&plan->x) + link_bytes(&plan->y),
                      .resident = resident_bytes(plan, family)};
}

gpugeo_status gg_dist_inspect(gg_dist_plan *plan, const gpugeo_dist_options *options,
                              gg_dist_memory *memory, int *found, gg_call *call) {
  if (call->status) return call->status;
  gg_point_facts *facts = memory->facts;
  gg_point_facts_find(&plan->x, options, plan->backend, plan->device, &facts[0], call);
  if (!call->status && !plan->symmetric)
    gg_point_facts_find(&plan->y, options, plan->backend, plan->device, &facts[1], call);
  plan->x_facts = &facts[0];
  plan->y_facts = plan->symmetric ? &facts[0] : &facts[1];
  *found = facts[0].found | facts[1].found;
  return call->status;
}

void gg_dist_memory_free(gg_dist_memory *memory) {
  for (int v = 0; v < 2; ++v)
    gg_point_facts_free(&memory->facts[v]);
  gg_free(memory->weight);
  gg_free(memory->shared);
  gg_free(memory->made_x);
  gg_free(memory->made_y);
}

/* Gives the plan weights that divide each coordinate by its deviation. */
static gpugeo_status plan_weights(gg_dist_plan *plan, const double *deviation,
                                  gg_dist_memory *memory, gpugeo_error *error) {
  double *weight = memory->weight = gg_allocate(plan->m, sizeof *weight);
  if (!weight) return gg_fail_memory(error, plan->m * (int64_t)sizeof *weight);
  for (int64_t k = 0; k < plan->m; ++k)
    weight[k] = 1 / deviation[k];
  plan->weight = weight;
  return GPUGEO_OK;
}

/* Replaces the values of x and y by ranks: as floats, which hold them exactly up to 2^23. */
static gpugeo_status plan_ranks(gg_dist_plan *plan, gg_dist_memory *memory, gg_call *call) {
  if (call->status) return call->status;
  /* Ranks of all points would not be sparse. */
  plan->ranked = gg_dist_is_sparse(plan) || (plan->backend && plan->backend->can.ranks);
  if (plan->ranked) return GPUGEO_OK;
  const gpugeo_type type = plan->m <= ((int64_t)1 << 23) ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  const int64_t size = type == GPUGEO_TYPE_FLOAT ? 4 : 8;
  gpugeo_matrix *const views[] = {&plan->x, &plan->y};
  void **const ranks[] = {&memory->made_x, &memory->made_y};
  for (int v = 0; v < (plan->symmetric ? 1 : 2); ++v) {
    const int64_t n = gg_point_count(views[v], plan->points);
    *ranks[v] = gg_allocate(n * plan->m, size);
    if (!*ranks[v]) return GG_TRY(call, gg_fail_memory(call->error, n * plan->m * size));
    gg_rank_points(views[v], plan->points, type, *ranks[v], plan->threads, call);
    if (call->status) return call->status;
    *views[v] = (gpugeo_matrix){*ranks[v], type, plan->m, n, plan->m, NULL};
  }
  if (plan->symmetric) plan->y = plan->x;
  plan->points = GPUGEO_POINTS_COLUMNS;
  plan->x_facts = plan->y_facts = NULL; /* of the points that were given */
  return GPUGEO_OK;
}

/* Points on the sphere that are made of degrees. */
typedef struct sphere_job {
  const gpugeo_matrix *x;
  gpugeo_points points;
  double *made; /* GG_SPHERE_ROOM values for each */
} sphere_job;

/* Writes the units and points of a range of coordinates in degrees; missing ones become NaN. */
static void make_sphere_points(void *own, gg_range range) {
  const sphere_job *job = own;
  for (int64_t i = range.first; i < range.last; ++i) {
    double *unit = job->made + i * GG_SPHERE_ROOM, *point = unit + GG_SPHERE_UNIT;
    const double longitude = gg_coordinate(job->x, job->points, i, 0);
    const double latitude = gg_coordinate(job->x, job->points, i, 1);
    gg_sphere_point(longitude, latitude, point);
    gg_sphere_unit(point, unit);
    if (!isnan(longitude) && !isnan(latitude)) continue;
    for (int k = 0; k < GG_SPHERE_ROOM; ++k)
      unit[k] = NAN;
  }
}

/* Checks the range of all longitudes and latitudes. */
static gpugeo_status check_degrees(const char *argument, const gpugeo_matrix *x,
                                   gpugeo_points points, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  for (int64_t i = 0; !status && i < gg_point_count(x, points); ++i)
    status = gg_check_degrees(argument, i, gg_coordinate(x, points, i, 0),
                              gg_coordinate(x, points, i, 1), error);
  return status;
}

/* Replaces x and y by points on the sphere and their units. */
static gpugeo_status plan_sphere(gg_dist_plan *plan, double sphere_radius, gg_dist_memory *memory,
                                 gg_call *call) {
  if (call->status) return call->status;
  gpugeo_matrix *const views[] = {&plan->x, &plan->y};
  void **const made[] = {&memory->made_x, &memory->made_y};
  for (int v = 0; v < (plan->symmetric ? 1 : 2); ++v) {
    GG_TRY(call, check_degrees(v ? "query" : "x", views[v], plan->points, call->error));
    if (call->status) return call->status;
    const int64_t n = gg_point_count(views[v], plan->points);
    *made[v] = gg_allocate(n, GG_SPHERE_ROOM * sizeof(double));
    if (!*made[v])
      return GG_TRY(call,
                    gg_fail_memory(call->error, n * GG_SPHERE_ROOM * (int64_t)sizeof(double)));
    sphere_job job = {views[v], plan->points, *made[v]};
    const gg_loop loop = {.threads = plan->threads,
                          .count = n,
                          .grain = 4096,
                          .work = make_sphere_points,
                          .job = &job};
    if (gg_call_loop(call, loop)) return call->status;
    *views[v] =
        (gpugeo_matrix){*made[v], GPUGEO_TYPE_DOUBLE, GG_SPHERE_UNIT, n, GG_SPHERE_ROOM, NULL};
  }
  if (plan->symmetric) plan->y = plan->x;
  plan->points = GPUGEO_POINTS_COLUMNS;
  plan->x_facts = plan->y_facts = NULL;
  plan->m = GG_SPHERE_UNIT;
  plan->sphere_radius = sphere_radius;
  return GPUGEO_OK;
}

gpugeo_status gg_dist_prepare_shared(gg_dist_plan *plan, const gpugeo_dist_options *options,
                                     const double *shared, gg_dist_memory *memory, gg_call *call) {
  if (call->status) return call->status;
  const int found = (int)shared[0];
  choose_step(plan, options->metric.kind, found);
  plan->finite = is_finite(found);
  if (options->metric.kind == GPUGEO_METRIC_BINARY && (found & GG_HAS_INFINITE))
    call->report->notes |= GPUGEO_NOTE_NONFINITE;
  switch (options->metric.kind) {
  case GPUGEO_METRIC_SEUCLIDEAN:
    return GG_TRY(call, plan_weights(plan, shared + 1, memory, call->error));
  case GPUGEO_METRIC_MAHALANOBIS:
    plan->centre = shared + 1;
    plan->factor = shared + 1 + plan->m;
    return GPUGEO_OK;
  case GPUGEO_METRIC_GOWER:
    plan->centre = shared + 1;
    plan->factor = shared + 1 + plan->m;
    plan->weight = shared + 1 + 2 * plan->m;
    return GPUGEO_OK;
  case GPUGEO_METRIC_SPEARMAN:
    return plan_ranks(plan, memory, call);
  case GPUGEO_METRIC_GREAT_CIRCLE:
    return plan_sphere(plan, options->metric.sphere_radius, memory, call);
  default:
    return GPUGEO_OK;
  }
}

gpugeo_status gg_dist_prepare(gg_dist_plan *plan, const gpugeo_dist_options *options, int found,
                              gg_dist_memory *memory, gg_call *call) {
  if (call->status) return call->status;
  const gg_point_source source = gg_point_source_of(&plan->x, plan->points);
  gg_dist_metric_params_found(&source, options, plan->backend, plan->device, found, plan->x_facts,
                              &memory->shared, call);
  if (!call->status && options->metric.kind == GPUGEO_METRIC_GOWER && !plan->symmetric) {
    const gg_point_source y = gg_point_source_of(&plan->y, plan->points);
    gg_metric_check_gower(&y, options, plan->y_facts, call);
  }
  if (call->status) return call->status;
  return gg_dist_prepare_shared(plan, options, memory->shared, memory, call);
}

/* Chooses the backend of a plan; found is GG_HAS_... of x and y, where they are sparse. */
static gpugeo_status choose_backend(gg_dist_plan *plan, const gpugeo_dist_options *options,
                                    int found, gg_call *call) {
  if (call->status) return call->status;
  gg_request request = gg_dist_request(plan, GG_FAMILY_DIST, options, found);
  request.bytes += 8 * request.work / (double)plan->m;
  if (!GG_TRY(call, gg_backend_spread(&options->run, &request, &plan->backend, &plan->device,
                                      &plan->workers, call->error)))
    *call->report = gg_report_of(plan->backend, plan->device, plan->workers, plan->threads);
  return call->status;
}

/* Has the backend compute a plan that is prepared. */
static gpugeo_status compute(const gg_dist_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = plan->nx;
  const int64_t elements = plan->shape == GPUGEO_SHAPE_CONDENSED ? n * (n - 1) / 2 : n * plan->ny;
  gg_prefer_huge_pages(plan->out, elements * (plan->type == GPUGEO_TYPE_FLOAT ? 4 : 8));
  return GG_TRY(call, plan->backend->dist(plan, call));
}

gpugeo_status gg_dist_run(gg_dist_plan *plan, const gpugeo_dist_options *options, int found,
                          const double *shared, gg_call *call) {
  if (call->status) return call->status;
  if (choose_backend(plan, options, shared ? (int)shared[0] : found, call)) return call->status;
  gg_dist_memory memory = {0};
  if (shared)
    gg_dist_prepare_shared(plan, options, shared, &memory, call);
  else
    gg_dist_prepare(plan, options, found, &memory, call);
  compute(plan, call);
  gg_dist_memory_free(&memory);
  return gg_call_end(call);
}

/* Inspects the points, on the chosen backend unless they are sparse, and prepares the plan. The
   distances that are missing go to *missing. */
static gpugeo_status inspect_and_prepare(gg_dist_plan *plan, const gpugeo_dist_options *options,
                                         gg_dist_memory *memory, gpugeo_missing *missing,
                                         gg_call *call) {
  if (call->status) return call->status;
  const bool sparse = gg_dist_is_sparse(plan);
  int found = 0;
  if (sparse) gg_dist_inspect(plan, options, memory, &found, call);
  choose_backend(plan, options, found, call);
  if (!sparse) gg_dist_inspect(plan, options, memory, &found, call);
  if (call->status) return call->status;
  *missing = plan->symmetric ? gg_missing_within(&memory->facts[0].rows)
                             : gg_missing_between(&memory->facts[0].rows, &memory->facts[1].rows);
  return gg_dist_prepare(plan, options, found, memory, call);
}

void gg_report_missing(gpugeo_report *report, const gpugeo_missing *missing) {
  report->missing = *missing;
  if (missing->distances > 0) report->notes |= GPUGEO_NOTE_MISSING;
}

void gg_fill(gpugeo_type type, void *out, int64_t size, double value) {
  if (type == GPUGEO_TYPE_FLOAT)
    for (int64_t e = 0; e < size; ++e)
      ((float *)out)[e] = (float)value;
  else
    for (int64_t e = 0; e < size; ++e)
      ((double *)out)[e] = value;
}

gpugeo_status gpugeo_dist(const gpugeo_matrix *x, const gpugeo_matrix *y,
                          const gpugeo_dist_options *options, gpugeo_type type, void *out,
                          gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  int64_t size = 0;
  GG_TRY(&call, gpugeo_dist_size(x, y, options, type, &size, error));
  if (GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_DIST, call.report, error)))
    return call.status;
  if (size == 0 || gg_point_size(x, options->points) == 0) {
    gg_fill(type, out, size, options->missing);
    return GPUGEO_OK;
  }
  gg_dist_plan plan = gg_dist_plan_make(x, y, options, 0);
  plan.type = type;
  plan.out = out;
  gg_dist_memory memory = {0};
  gpugeo_missing missing = {0};
  inspect_and_prepare(&plan, options, &memory, &missing, &call);
  compute(&plan, &call);
  gg_dist_memory_free(&memory);
  gg_report_missing(call.report, &missing);
  return gg_call_end(&call);
}

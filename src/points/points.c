#include "points/points.h"

#include <math.h>

#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/parallel.h"

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks that points can be numbered by 32 bits. */
static gpugeo_status check_rows(const char *argument, const gpugeo_matrix *x, gpugeo_error *error) {
  if (x->nrow <= INT32_MAX) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must have at most %d rows, not %lld",
                 argument, INT32_MAX, (long long)x->nrow);
}

gpugeo_status gg_check_points(const gpugeo_matrix *x, const gpugeo_matrix *y, gpugeo_error *error) {
  gg_call call = {.error = error};
  GG_TRY(&call, gg_check_matrix("x", x, error));
  if (y) GG_TRY(&call, gg_check_matrix("y", y, error));
  if (call.status) return call.status;
  if (x->ncol < 1 || x->ncol > GG_POINT_COLUMNS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have 1, 2 or 3 columns, not %lld",
                   (long long)x->ncol);
  if (y && y->ncol != x->ncol)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "y",
                   "y must have %lld columns, as x has, not %lld", (long long)x->ncol,
                   (long long)y->ncol);
  GG_TRY(&call, check_rows("x", x, error));
  if (y) GG_TRY(&call, check_rows("y", y, error));
  return call.status;
}

gpugeo_status gg_check_box(const double *box, int64_t box_length, int64_t columns,
                           gpugeo_error *error) {
  if (!box) return GPUGEO_OK;
  if (box_length != columns)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                   "box must have a length for each of the %lld columns of x, not %lld values",
                   (long long)columns, (long long)box_length);
  for (int64_t c = 0; c < columns; ++c)
    if (!(box[c] >= 0 && isfinite(box[c])))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                     "box must be positive and finite, or 0 where a column is not periodic, but "
                     "value %lld is %s",
                     (long long)c + 1, gg_number(box[c]).text);
  return GPUGEO_OK;
}

gpugeo_status gg_check_sphere(const gpugeo_matrix *x, gpugeo_closest_metric metric,
                              double sphere_radius, const double *box, gpugeo_error *error) {
  if (metric == GPUGEO_CLOSEST_METRIC_EUCLIDEAN) return GPUGEO_OK;
  if (metric != GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "metric", "metric must be 0 or 1, not %d",
                   (int)metric);
  if (x->ncol != 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have 2 columns, longitude and latitude, with metric \"great-circle\", "
                   "not %lld",
                   (long long)x->ncol);
  gpugeo_status status = gg_positive_number("sphere_radius", sphere_radius, error);
  if (status || !box) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                 "box must be given with metric \"euclidean\", not \"great-circle\"");
}

/* --- coordinates ------------------------------------------------------------------------------ */

/* clang does not vectorize minima of floating-point numbers, and warns where this asks for it. */
#if defined(__clang__)
#define SURVEY_LOOP
#else
#define SURVEY_LOOP                                                                                \
  _Pragma("omp simd reduction(min : least) reduction(max : greatest) reduction(+ : sum)")
#endif

/* Finds the minimum and maximum of n > 0 values, and whether all are finite: then 0 * v adds up
   to 0. */
#define SURVEY(type, WHOLE, LEAST, GREATEST)                                                       \
  static bool survey_##type(const type *v, int64_t n, double *low, double *high) {                 \
    type least = GREATEST, greatest = LEAST;                                                       \
    double sum = 0;                                                                                \
    SURVEY_LOOP for (int64_t i = 0; i < n; ++i) {                                                  \
      least = v[i] < least ? v[i] : least;                                                         \
      greatest = v[i] > greatest ? v[i] : greatest;                                                \
      sum += WHOLE ? 0 : (double)v[i] * 0;                                                         \
    }                                                                                              \
    if ((double)least < *low) *low = (double)least;                                                \
    if ((double)greatest > *high) *high = (double)greatest;                                        \
    return sum == 0 && !(WHOLE && (double)least == INT32_MIN);                                     \
  }
SURVEY(double, false, -INFINITY, INFINITY)
SURVEY(float, false, -INFINITY, INFINITY)
SURVEY(int32_t, true, INT32_MIN, INT32_MAX)

static bool survey_run(const gpugeo_matrix *x, int64_t column, int64_t first, int64_t n,
                       double *low, double *high) {
  const int64_t at = first + column * x->ld;
  switch (x->type) {
  case GPUGEO_TYPE_FLOAT:
    return survey_float((const float *)x->data + at, n, low, high);
  case GPUGEO_TYPE_INT32:
    return survey_int32_t((const int32_t *)x->data + at, n, low, high);
  default:
    return survey_double((const double *)x->data + at, n, low, high);
  }
}

/* Returns the range of no points. */
static gg_point_range empty_range(void) {
  const gg_point_range range = {
      {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, true};
  return range;
}

gg_point_range gg_point_range_join(const gg_point_range *a, const gg_point_range *b) {
  gg_point_range range = *a;
  for (int c = 0; c < GG_POINT_COLUMNS; ++c) {
    range.low[c] = fmin(a->low[c], b->low[c]);
    range.high[c] = fmax(a->high[c], b->high[c]);
  }
  range.finite = a->finite && b->finite;
  return range;
}

enum { SURVEY_RUN = 1 << 16 }; /* rows that a thread surveys at a time */

typedef struct survey {
  const gpugeo_matrix *x;
  gg_point_range *range;
  gg_lock lock; /* for it */
} survey;

/* Joins the range of some rows to that of all. */
static void survey_rows(void *job, gg_range rows) {
  survey *s = job;
  gg_point_range mine = empty_range();
  for (int64_t c = 0; c < s->x->ncol; ++c)
    if (!survey_run(s->x, c, rows.first, rows.last - rows.first, &mine.low[c], &mine.high[c]))
      mine.finite = false;
  gg_lock_take(&s->lock);
  *s->range = gg_point_range_join(s->range, &mine);
  gg_lock_give(&s->lock);
}

gpugeo_status gg_point_survey(const gpugeo_matrix *x, int32_t threads, gg_point_range *range,
                              gg_call *call) {
  survey s = {.x = x, .range = range};
  *range = empty_range();
  gg_lock_make(&s.lock);
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = x->nrow,
                               .grain = SURVEY_RUN,
                               .work = survey_rows,
                               .job = &s});
  gg_lock_free(&s.lock);
  return call->status;
}

gpugeo_status gg_check_range(const char *argument, const gpugeo_matrix *x,
                             const gg_point_range *range, bool sphere, gpugeo_error *error) {
  const bool inside = !sphere || x->nrow == 0 ||
                      (range->low[0] >= -180 && range->high[0] <= 360 && range->low[1] >= -90 &&
                       range->high[1] <= 90);
  if (range->finite && inside) return GPUGEO_OK;
  for (int64_t i = 0; i < x->nrow; ++i) {
    for (int64_t c = 0; c < x->ncol; ++c) {
      const double value = gg_element(x, i, c);
      if (!isfinite(value))
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                       "%s must have no missing or infinite coordinates, but row %lld has %s",
                       argument, (long long)i + 1, gg_number(value).text);
    }
    if (!sphere) continue;
    gpugeo_status status =
        gg_check_degrees(argument, i, gg_element(x, i, 0), gg_element(x, i, 1), error);
    if (status) return status;
  }
  return GPUGEO_OK;
}

/* --- the rule --------------------------------------------------------------------------------- */

/* Returns the power of two that scales the largest coordinate into [2^507, 2^508), or as near to
   it as a double can. */
static double scale_of(const gg_point_range *range, int64_t columns) {
  double most = 0;
  for (int64_t c = 0; c < columns; ++c)
    most = fmax(most, fmax(fabs(range->low[c]), fabs(range->high[c])));
  if (!(most > 0) || isinf(most)) return 1;
  int exponent;
  frexp(most, &exponent);
  return ldexp(1, exponent < 508 - 1023 ? 1023 : 508 - exponent);
}

gpugeo_status gg_point_rule_make(int64_t columns, bool integer, bool sphere,
                                 const gg_point_range *range, const double *box,
                                 gg_point_rule *rule, gpugeo_error *error) {
  gg_point_rule made = {GG_POINT_DOUBLE, (int32_t)columns, 1, {0, 0, 0}};
  if (sphere) made.kind = GG_POINT_SPHERE;
  if (integer && !sphere) made.kind = GG_POINT_INTEGER;
  for (int64_t c = 0; box && c < columns; ++c) {
    if (box[c] >= 2 * (range->high[c] - range->low[c])) continue;
    made.box[c] = box[c];
    if (made.kind == GG_POINT_INTEGER && floor(box[c]) != box[c]) made.kind = GG_POINT_DOUBLE;
  }
  if (made.kind == GG_POINT_DOUBLE) made.scale = scale_of(range, columns);
  for (int64_t c = 0; c < columns; ++c) {
    const double length = made.box[c] * made.scale;
    if (made.box[c] > 0 && length < 0x1p-400)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                     "box must be at least %s for coordinates as large as these, but value %lld is "
                     "%s",
                     gg_number(0x1p-400 / made.scale).text, (long long)c + 1,
                     gg_number(box[c]).text);
    made.box[c] = length;
  }
  *rule = made;
  return GPUGEO_OK;
}

void gg_point_load(const gg_point_rule *rule, const gpugeo_matrix *x, int64_t i, double *point) {
  if (rule->kind == GG_POINT_SPHERE) {
    gg_sphere_point(gg_element(x, i, 0), gg_element(x, i, 1), point);
    return;
  }
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    point[c] = c < rule->columns ? gg_element(x, i, c) * rule->scale : 0;
}

double gg_point_distance(const gg_point_rule *rule, double radius, const double *a,
                         const double *b) {
  if (rule->kind == GG_POINT_SPHERE) return gg_sphere_distance(radius, gg_sphere_haversine(a, b));
  return sqrt(gg_point_square_double(rule, a, b)) / rule->scale;
}

gpugeo_status gg_closest_rule(const gg_closest_plan *plan, const gg_point_range *x_range,
                              const gg_point_range *y_range, gg_point_rule *rule,
                              gpugeo_error *error) {
  gg_call call = {.error = error};
  GG_TRY(&call, gg_check_range("x", &plan->x, x_range, plan->sphere, error));
  if (!plan->within) GG_TRY(&call, gg_check_range("y", &plan->y, y_range, plan->sphere, error));
  if (call.status) return call.status;
  const gg_point_range range = plan->within ? *x_range : gg_point_range_join(x_range, y_range);
  const bool integer = plan->x.type == GPUGEO_TYPE_INT32 && plan->y.type == GPUGEO_TYPE_INT32;
  return gg_point_rule_make(plan->x.ncol, integer, plan->sphere, &range, plan->box, rule, error);
}

/* Collisions: checks the arguments, plans, and passes the plan to a backend. */
#include "points/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "points/collide_chords.h"

GG_OPTIONS_INIT(collisions, .radius = NAN, .sphere_radius = GG_EARTH_RADIUS)

static const gg_option option_rows[] = {
    {GG_OPTION("radius", NUMBER, gpugeo_collisions_options, radius), .may_be_null = true,
     .allowed = GG_POSITIVE},
    {GG_OPTION_ARRAY("radii", DOUBLES, gpugeo_collisions_options, radii, radii_length)},
    {GG_OPTION("exclude", WHOLE, gpugeo_collisions_options, exclude)},
    {GG_OPTION_ARRAY("box", DOUBLES, gpugeo_collisions_options, box, box_length)},
    {GG_OPTION("what", CHOICE, gpugeo_collisions_options, what),
     .choices = GPUGEO_ENUM_COLLISIONS_WHAT},
    {GG_OPTION("algorithm", CHOICE, gpugeo_collisions_options, algorithm),
     .choices = GPUGEO_ENUM_COLLISIONS_ALGORITHM},
    {GG_OPTION("metric", CHOICE, gpugeo_collisions_options, metric),
     .choices = GPUGEO_ENUM_CLOSEST_METRIC},
    {GG_OPTION("sphere_radius", NUMBER, gpugeo_collisions_options, sphere_radius),
     .may_be_null = true, .allowed = GG_POSITIVE},
    {GG_OPTION_ARRAY("group", INT32S, gpugeo_collisions_options, group, group_length)},
    {GG_OPTION("groups", WHOLE, gpugeo_collisions_options, groups)},
};

GG_DEFINE_OPTIONS(collisions, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* True if the radius is positive and finite. */
static bool radius_is_good(double radius) { return radius > 0 && isfinite(radius); }

/* Checks the radius, or the radii of the points. */
static gpugeo_status check_radius(const gpugeo_collisions_options *options, int64_t points,
                                  gpugeo_error *error) {
  const double *radii = options->radii;
  if (!radii) {
    if (radius_is_good(options->radius)) return GPUGEO_OK;
    if (isnan(options->radius))
      return gg_fail(
          error, GPUGEO_ERROR_ARGUMENT, "radius",
          "radius must be given, or radii: the largest distance at which points collide");
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radius",
                   "radius must be a positive finite number, not %s",
                   gg_number(options->radius).text);
  }
  if (options->radii_length != points)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radii",
                   "radii must have a value for each of the %lld points, not %lld values",
                   (long long)points, (long long)options->radii_length);
  for (int64_t i = 0; i < points; ++i)
    if (!radius_is_good(radii[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radii",
                     "radii must be positive and finite, but value %lld is %s", (long long)i + 1,
                     gg_number(radii[i]).text);
  return GPUGEO_OK;
}

/* Checks the groups of the points, which a table needs. */
static gpugeo_status check_group(const gpugeo_collisions_options *options, int64_t points,
                                 gpugeo_error *error) {
  const int32_t *group = options->group;
  const bool table = options->what == GPUGEO_COLLISIONS_WHAT_TABLE;
  if (!group && !table) return GPUGEO_OK;
  if (!group && options->group_length == 0 && points == 0) return GPUGEO_OK;
  if (!group)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                   "group must be given with what = \"table\"");
  if (!table)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                   "group must not be given without what = \"table\"");
  if (options->group_length != points)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                   "group must have a value for each of the %lld points, not %lld values",
                   (long long)points, (long long)options->group_length);
  for (int64_t i = 0; i < points; ++i) {
    if (group[i] < 0)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                     "group must have no missing values, but value %lld is missing",
                     (long long)i + 1);
    if (group[i] >= options->groups)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                     "group must be below the number of groups, %d, but value %lld is %d",
                     options->groups, (long long)i + 1, group[i]);
  }
  return GPUGEO_OK;
}

/* Checks the options that depend on no other argument but the presence of y. */
static gpugeo_status check_options(const gpugeo_matrix *y, const gpugeo_collisions_options *options,
                                   gpugeo_error *error) {
  if (options->what < GPUGEO_COLLISIONS_WHAT_COUNT || options->what > GPUGEO_COLLISIONS_WHAT_TABLE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "what", "what must be between 0 and 3, not %d",
                   (int)options->what);
  if (options->algorithm < GPUGEO_COLLISIONS_ALGORITHM_AUTO ||
      options->algorithm > GPUGEO_COLLISIONS_ALGORITHM_LATTICE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must be between 0 and 4, not %d", (int)options->algorithm);
  if (y && options->algorithm == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must not be \"cyclic\" with y");
  if (options->exclude < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "exclude",
                   "exclude must be a whole number of at least 0, not %lld",
                   (long long)options->exclude);
  if (y && options->exclude > 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "exclude", "exclude must be 0 with y, not %lld",
                   (long long)options->exclude);
  return GPUGEO_OK;
}

/* Checks what great circles need. */
static gpugeo_status check_metric(const gpugeo_matrix *x, const gpugeo_collisions_options *options,
                                  gpugeo_error *error) {
  gpugeo_status status =
      gg_check_sphere(x, options->metric, options->sphere_radius, options->box, error);
  if (status) return status;
  if (options->metric == GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE &&
      options->algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must not be \"lattice\" with metric \"great-circle\"");
  return GPUGEO_OK;
}

/* Checks all arguments but the coordinates and the box. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                     const gpugeo_collisions_options *options, gg_call *call) {
  GG_TRY(call, gg_check_run(&options->run, call->error));
  if (GG_TRY(call, gg_check_points(x, y, call->error))) return call->status;
  const int64_t points = x->nrow + (y ? y->nrow : 0);
  GG_TRY(call, check_options(y, options, call->error));
  GG_TRY(call, check_metric(x, options, call->error));
  GG_TRY(call, check_radius(options, points, call->error));
  return GG_TRY(call, check_group(options, points, call->error));
}

/* --- Planning --------------------------------------------------------------------------------- */

/* Returns the largest r_i + r_j of two different points. */
static double largest_sum(const gg_collide_plan *plan) {
  double first = 0, second = 0; /* the largest of x and of y, or the two largest of x */
  for (int64_t i = 0; i < plan->nx; ++i) {
    const double r = plan->radii_x[i];
    if (r > first) {
      second = first;
      first = r;
    } else if (r > second) {
      second = r;
    }
  }
  if (plan->within) return first + second;
  second = 0;
  for (int64_t j = 0; j < plan->ny; ++j)
    second = fmax(second, plan->radii_y[j]);
  return first + second;
}

/* Lengths of at least twice the radius, so two points are near in one image only. */
static gpugeo_status check_box(const gpugeo_collisions_options *options, int64_t columns,
                               double radius, gpugeo_error *error) {
  const double *box = options->box;
  gpugeo_status status = gg_check_box(box, options->box_length, columns, error);
  if (status) return status;
  for (int64_t c = 0; box && c < columns; ++c)
    if (box[c] > 0 && box[c] < 2 * radius)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                     "box must be at least %s, twice the %s %s, but value %lld is %s",
                     gg_number(2 * radius).text,
                     options->radii ? "largest sum of two radii," : "radius of",
                     gg_number(radius).text, (long long)c + 1, gg_number(box[c]).text);
  return GPUGEO_OK;
}

/* Inspects the coordinates, and chooses how distances are computed. */
static gpugeo_status plan_rule(const gpugeo_collisions_options *options, gg_collide_plan *plan,
                               gg_call *call) {
  const bool sphere = plan->sphere_radius > 0;
  gg_point_survey(&plan->x, plan->threads, &plan->range_x, call);
  GG_TRY(call, gg_check_range("x", &plan->x, &plan->range_x, sphere, call->error));
  plan->range_y = plan->range_x;
  if (!plan->within) {
    gg_point_survey(&plan->y, plan->threads, &plan->range_y, call);
    GG_TRY(call, gg_check_range("y", &plan->y, &plan->range_y, sphere, call->error));
  }
  if (call->status) return call->status;
  const gg_point_range range = gg_point_range_join(&plan->range_x, &plan->range_y);
  const bool integer = plan->x.type == GPUGEO_TYPE_INT32 && plan->y.type == GPUGEO_TYPE_INT32;
  GG_TRY(call, gg_point_rule_make(plan->x.ncol, integer, sphere, &range, options->box, &plan->rule,
                                  call->error));
  plan->radius *= plan->rule.scale;
  return call->status;
}

/* Checks that all coordinates are whole numbers; the error names the first that is not. */
static gpugeo_status check_whole(const char *argument, const gpugeo_matrix *x,
                                 gpugeo_error *error) {
  for (int64_t k = 0; x->type != GPUGEO_TYPE_INT32 && k < x->ncol; ++k)
    for (int64_t i = 0; i < x->nrow; ++i) {
      const double value = gg_element(x, i, k);
      if (value != floor(value))
        return gg_fail(
            error, GPUGEO_ERROR_ARGUMENT, argument,
            "%s must have whole coordinates with algorithm \"lattice\", but row %lld has "
            "%s",
            argument, (long long)i + 1, gg_number(value).text);
    }
  return GPUGEO_OK;
}

/* Checks that periodic coordinates have exact differences. */
static gpugeo_status check_size(const char *argument, const gg_point_range *range, int64_t columns,
                                gpugeo_error *error) {
  const double most = 0x1p53;
  for (int64_t c = 0; c < columns; ++c) {
    const double size = fmax(fabs(range->low[c]), fabs(range->high[c]));
    if (isfinite(size) && size > most)
      return gg_fail(
          error, GPUGEO_ERROR_ARGUMENT, argument,
          "%s must have no coordinates above 2^53 with box and algorithm \"lattice\", but "
          "has %s",
          argument, gg_number(size).text);
  }
  return GPUGEO_OK;
}

/* Checks the options of algorithm "lattice": a radius below 1, and a box of whole numbers. */
static gpugeo_status check_lattice_options(const gpugeo_collisions_options *options, double radius,
                                           int64_t columns, gpugeo_error *error) {
  if (radius >= 1 && options->radii)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radii",
                   "two radii must be less than 1 together with algorithm \"lattice\", not %s",
                   gg_number(radius).text);
  if (radius >= 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radius",
                   "radius must be below 1 with algorithm \"lattice\", not %s",
                   gg_number(radius).text);
  for (int64_t c = 0; options->box && c < columns; ++c)
    if (options->box[c] != floor(options->box[c]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "box",
                     "box must have whole numbers with algorithm \"lattice\", but value %lld is %s",
                     (long long)c + 1, gg_number(options->box[c]).text);
  return GPUGEO_OK;
}

/* Checks what algorithm "lattice" needs. */
static gpugeo_status check_lattice(const gg_collide_plan *plan,
                                   const gpugeo_collisions_options *options, double radius,
                                   gg_call *call) {
  gpugeo_error *error = call->error;
  GG_TRY(call, check_lattice_options(options, radius, plan->x.ncol, error));
  GG_TRY(call, check_whole("x", &plan->x, error));
  GG_TRY(call, check_whole("y", &plan->y, error));
  if (!options->box) return call->status;
  GG_TRY(call, check_size("x", &plan->range_x, plan->x.ncol, error));
  return GG_TRY(call, check_size("y", &plan->range_y, plan->x.ncol, error));
}

/* Number of pairs up to which testing all of them takes no longer than making a grid. */
static const double few_pairs = 1e5;

/* Chooses the algorithm if it is "auto". */
static void choose_method(gg_collide_plan *plan) {
  const double pairs = (double)plan->nx * (double)plan->ny * (plan->within ? 0.5 : 1);
  if (plan->algorithm != GPUGEO_COLLISIONS_ALGORITHM_AUTO) return;
  if (pairs <= few_pairs)
    plan->algorithm = GPUGEO_COLLISIONS_ALGORITHM_USUAL;
  else if (plan->rule.kind == GG_POINT_INTEGER && plan->radius < 1)
    plan->algorithm = GPUGEO_COLLISIONS_ALGORITHM_LATTICE;
  else
    plan->algorithm = GPUGEO_COLLISIONS_ALGORITHM_GRID;
}

/* Returns what the algorithm costs, in pairs of coordinates of a distance matrix. */
static double cost(const gg_collide_plan *plan) {
  const double points = (double)plan->nx + (plan->within ? 0 : (double)plan->ny);
  const double pairs = (double)plan->nx * (double)plan->ny * (plan->within ? 0.5 : 1);
  return plan->algorithm == GPUGEO_COLLISIONS_ALGORITHM_USUAL ||
                 plan->algorithm == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC
             ? pairs * (plan->rule.columns + 1)
             : points * 2000;
}

gpugeo_status gg_collide_prepare(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                 const gpugeo_collisions_options *options, gg_collide_plan *plan,
                                 const gg_backend **backend, gg_call *call) {
  if (check_arguments(x, y, options, call)) return call->status;
  const gpugeo_run *run = &options->run;
  *plan = (gg_collide_plan){
      .x = *x,
      .y = y ? *y : *x,
      .nx = x->nrow,
      .ny = y ? y->nrow : x->nrow,
      .within = !y,
      .radius = options->radius,
      .sphere_radius =
          options->metric == GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE ? options->sphere_radius : 0,
      .radii_x = options->radii,
      .radii_y = options->radii && y ? options->radii + x->nrow : options->radii,
      .exclude = options->exclude,
      .group_x = options->group,
      .group_y = options->group && y ? options->group + x->nrow : options->group,
      .groups = options->groups,
      .what = options->what,
      .algorithm = options->algorithm,
      .memory = gg_memory_limit_get(),
      .threads = gg_threads(run->threads),
      .work_bytes = run->work_bytes,
  };
  if (plan->radii_x) plan->radius = largest_sum(plan);
  const double radius = plan->radius;
  GG_TRY(call, check_box(options, x->ncol, radius, call->error));
  plan_rule(options, plan, call);
  if (plan->algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE)
    check_lattice(plan, options, radius, call);
  if (call->status) return call->status;
  choose_method(plan);

  const double work = cost(plan);
  const double bytes = ((double)plan->nx + (double)plan->ny) * (double)x->ncol * 8;
  plan->threads = gg_threads_for(run->threads, work);
  const gg_request request = {
      .family = GG_FAMILY_COLLIDE, .sphere = plan->sphere_radius > 0, .work = work, .bytes = bytes};
  return GG_TRY(call, gg_backend_choose(run, &request, backend, &plan->device, call->error));
}

/* --- Running ---------------------------------------------------------------------------------- */

/* Adds, within x, the counts of a pair of groups at (a, b) and (b, a) and stores the sum at
   both. */
static void mirror_table(int64_t *table, int32_t groups) {
  for (int64_t a = 0; a < groups; ++a)
    for (int64_t b = 0; b < a; ++b) {
      const int64_t sum = table[a + b * groups] + table[b + a * groups];
      table[a + b * groups] = table[b + a * groups] = sum;
    }
}

gpugeo_status gg_collide_run(const gg_collide_plan *plan, const gg_backend *backend,
                             gg_collide_result *result, gg_call *call) {
  const int64_t farthest = plan->within ? plan->nx - 1 : plan->nx; /* most that j - i can be */
  const bool pairs = plan->nx > 0 && plan->ny > 0 && plan->exclude < farthest;
  *call->report = gg_report_of(backend, plan->device, 1, plan->threads);
  GG_TRY(call, gg_collide_result_make(plan, result, call->error));
  const bool chords = plan->sphere_radius > 0 && !backend->can.sphere;
  if (pairs && chords)
    gg_collide_by_chords(plan, backend, result, call);
  else if (pairs)
    GG_TRY(call, backend->collide(plan, result, call));
  else if (plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS)
    GG_TRY(call, gg_collide_room(plan, result, call->error));
  if (!call->status && plan->what == GPUGEO_COLLISIONS_WHAT_TABLE && plan->within)
    mirror_table(result->table, plan->groups);
  if (call->status) gg_collide_result_free(result);
  return gg_call_end(call);
}

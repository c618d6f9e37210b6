/* Checks of points, and the choice of their arithmetic, for closest pairs and collisions. */
#ifndef GG_POINTS_H
#define GG_POINTS_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"
#include "points/closest_plan.h"

GG_C_BEGIN

/* The bounding box of the rows of a matrix; low is Inf and high -Inf without any row. */
typedef struct gg_point_range {
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS];
  bool finite; /* no coordinate is missing or infinite; else low and high mean nothing */
} gg_point_range;

/* Checks shapes and storage: 1 to 3 columns, as many in y (may be NULL) as in x. */
gpugeo_status gg_check_points(const gpugeo_matrix *x, const gpugeo_matrix *y, gpugeo_error *error);

/* Checks periodic lengths: NULL, or one for each column, 0 or positive, finite. */
gpugeo_status gg_check_box(const double *box, int64_t box_length, int64_t columns,
                           gpugeo_error *error);

/* Checks what great circles need of x, of the sphere and of the box, of which there must be none.
 */
gpugeo_status gg_check_sphere(const gpugeo_matrix *x, gpugeo_closest_metric metric,
                              double sphere_radius, const double *box, gpugeo_error *error);

/* Finds the range of all coordinates, on `threads` threads. */
gpugeo_status gg_point_survey(const gpugeo_matrix *x, int32_t threads, gg_point_range *range,
                              gg_call *call);

/* Fails, naming the first row at fault, when a coordinate is missing or infinite, or (sphere)
   beyond
   [-180, 360] and [-90, 90] degrees. */
gpugeo_status gg_check_range(const char *argument, const gpugeo_matrix *x,
                             const gg_point_range *range, bool sphere, gpugeo_error *error);

/* Returns the smallest range that contains both. */
gg_point_range gg_point_range_join(const gg_point_range *a, const gg_point_range *b);

/*
 * Decides how distances are computed. `integer`: all matrices are of type int32; whole-number
 * arithmetic is taken then unless a box length is not whole. range is that of all points. A column
 * at least twice as long as its range is not periodic in the rule: no image is nearer. Fails when a
 * box is too small compared with the coordinates to be scaled with them.
 */
gpugeo_status gg_point_rule_make(int64_t columns, bool integer, bool sphere,
                                 const gg_point_range *range, const double *box,
                                 gg_point_rule *rule, gpugeo_error *error);

/* Loads row i of a matrix as a point of the rule. */
void gg_point_load(const gg_point_rule *rule, const gpugeo_matrix *x, int64_t i, double *point);

/* Returns the distance of two points of the rule in units of the coordinates, as gpugeo_dist() has
   it, or on a sphere of that radius. */
double gg_point_distance(const gg_point_rule *rule, double radius, const double *a,
                         const double *b);

/* Checks the coordinates by their ranges (within: y_range is not read) and decides the rule. */
gpugeo_status gg_closest_rule(const gg_closest_plan *plan, const gg_point_range *x_range,
                              const gg_point_range *y_range, gg_point_rule *rule,
                              gpugeo_error *error);

GG_C_END

#endif

/*
 * Constraints of layouts by stress. Given coordinates are bounds that are equal. A given distance
 * from the origin is kept by moving each vertex to the nearest point at this distance: the minimum
 * of its terms' upper bound there, as the bound is a multiple of the squared distance from a point
 * (Brandes and Pich 2011, "More flexible radial layout").
 */
#include "layout/constraints.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

bool gg_layout_is_constrained(const gpugeo_layout_options *options) {
  return options->constrain || options->radius || options->focus > 0;
}

/* --- Check ------------------------------------------------------------------------------------ */

/* Checks that at most one kind of constraints is given, and no bounds. */
static gpugeo_status check_kinds(const gpugeo_layout_options *options, gpugeo_error *error) {
  const char *const first = options->constrain ? "constrain" : options->radius ? "radius" : "focus";
  const char *other = options->lower ? "lower" : options->upper ? "upper" : NULL;
  if (options->constrain && options->radius) other = "radius";
  if ((options->constrain || options->radius) && options->focus > 0) other = "focus";
  if (!other) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, first, "%s must not be given with %s", first, other);
}

/* Checks given coordinates. */
static gpugeo_status check_coordinates(const gpugeo_layout_options *options, int64_t vertices,
                                       gpugeo_error *error) {
  const int64_t count = options->constrain ? vertices * options->dim : options->constrain_length;
  if (options->constrain_length != count)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "constrain",
                   "constrain must have %lld values, %d for each of the %lld vertices, not %lld",
                   (long long)count, options->dim, (long long)vertices,
                   (long long)options->constrain_length);
  for (int64_t i = 0; options->constrain && i < count; ++i)
    if (isinf(options->constrain[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "constrain",
                     "constrain must be finite or missing, but in row %lld and column %lld it is "
                     "%s",
                     (long long)(i % vertices) + 1, (long long)(i / vertices) + 1,
                     gg_number(options->constrain[i]).text);
  return GPUGEO_OK;
}

/* Checks given distances from the origin. */
static gpugeo_status check_radius(const gpugeo_layout_options *options, int64_t vertices,
                                  gpugeo_error *error) {
  if (options->radius && options->radius_length != vertices)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radius",
                   "radius must have a value for each of the %lld vertices, not %lld values",
                   (long long)vertices, (long long)options->radius_length);
  for (int64_t v = 0; options->radius && v < vertices; ++v)
    if (options->radius[v] < 0 || isinf(options->radius[v]))
      return gg_fail(
          error, GPUGEO_ERROR_ARGUMENT, "radius",
          "radius must be at least 0 and finite, or missing, but of vertex %lld it is %s",
          (long long)v + 1, gg_number(options->radius[v]).text);
  return GPUGEO_OK;
}

gpugeo_status gg_layout_constraints_check(const gpugeo_layout_options *options, int64_t vertices,
                                          gpugeo_error *error) {
  if (!gg_layout_is_constrained(options)) return GPUGEO_OK;
  gpugeo_status status = check_kinds(options, error);
  if (!status) status = check_coordinates(options, vertices, error);
  if (!status) status = check_radius(options, vertices, error);
  if (status || options->focus <= vertices) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "focus",
                 "focus must be between 1 and %lld (the vertices), not %lld", (long long)vertices,
                 (long long)options->focus);
}

/* --- Make ------------------------------------------------------------------------------------- */

/* Makes equal bounds of given coordinates, and none of those that are missing. */
static gpugeo_status make_bounds(const gpugeo_layout_options *options, int64_t vertices,
                                 gg_call *call, gg_layout_constraints *made) {
  const int64_t count = vertices * options->dim;
  made->lower = gg_call_allocate(call, count, sizeof *made->lower);
  made->upper = gg_call_allocate(call, count, sizeof *made->upper);
  for (int64_t i = 0; !call->status && i < count; ++i) {
    const double at = options->constrain[i];
    made->lower[i] = isnan(at) ? -INFINITY : at;
    made->upper[i] = isnan(at) ? INFINITY : at;
  }
  return call->status;
}

/* Fills the distances from the focus in the graph. */
static gpugeo_status find_distances(int64_t focus, const gg_path_graph *graph, gg_call *call,
                                    double *radius) {
  const int32_t source = (int32_t)(focus - 1);
  const int64_t n = graph->csr.vertices;
  void *work = gg_call_allocate(call, n, gg_paths_vertex_bytes(graph));
  if (!call->status)
    gg_call_require(call, gg_paths_search(graph, &source, 1, work, radius, 1, call->clock));
  gg_free(work);
  for (int64_t v = 0; !call->status && v < n; ++v)
    if (isinf(radius[v]))
      call->status =
          gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "focus",
                  "focus must be a vertex that reaches all others, not %lld, which does not reach "
                  "vertex %lld",
                  (long long)focus, (long long)v + 1);
  return call->status;
}

gpugeo_status gg_layout_constraints_make(const gpugeo_layout_options *options,
                                         const gg_path_graph *graph, gg_call *call,
                                         gg_layout_constraints *made) {
  const int64_t n = graph->csr.vertices;
  *made = (gg_layout_constraints){NULL, NULL, NULL};
  if (options->constrain) make_bounds(options, n, call, made);
  if (options->radius || options->focus > 0)
    made->radius = gg_call_allocate(call, n, sizeof *made->radius);
  if (!made->radius) return call->status;
  if (options->focus > 0) return find_distances(options->focus, graph, call, made->radius);
  memcpy(made->radius, options->radius, (size_t)n * sizeof *made->radius);
  return call->status;
}

void gg_layout_constraints_free(gg_layout_constraints *made) {
  gg_free(made->lower);
  gg_free(made->upper);
  gg_free(made->radius);
}

/* --- Enter ------------------------------------------------------------------------------------ */

/* Fills the direction in which positions fit given coordinates k best: their covariances, divided
   by their length. Returns false if no direction does. */
static bool find_direction(const double *given, int64_t n, int dim, const double *positions,
                           double *direction) {
  double mean = 0, count = 0, square = 0;
  for (int64_t v = 0; v < n; ++v) {
    if (isnan(given[v])) continue;
    mean += (given[v] - mean) / ++count;
  }
  for (int k = 0; k < dim; ++k) {
    direction[k] = 0;
    for (int64_t v = 0; v < n; ++v)
      if (!isnan(given[v]))
        direction[k] += (given[v] / count - mean / count) * positions[v + k * n];
  }
  for (int k = 0; k < dim; ++k)
    square += direction[k] * direction[k];
  for (int k = 0; k < dim; ++k)
    direction[k] /= sqrt(square);
  return square > 0 && isfinite(square);
}

/* Reflects positions so that a direction, of length 1, becomes axis k. */
static void reflect_to_axis(const double *direction, int k, int64_t n, int dim, double *positions) {
  double normal[3] = {0}, square = 0;
  for (int c = 0; c < dim; ++c) {
    normal[c] = direction[c] - (c == k);
    square += normal[c] * normal[c];
  }
  for (int64_t v = 0; square > 0 && v < n; ++v) {
    double dot = 0;
    for (int c = 0; c < dim; ++c)
      dot += normal[c] * positions[v + c * n];
    for (int c = 0; c < dim; ++c)
      positions[v + c * n] -= 2 * dot / square * normal[c];
  }
}

/* Turns positions to the first column that has given coordinates. */
static void turn(const gpugeo_layout_options *options, int64_t n, double *positions) {
  double direction[3];
  for (int k = 0; k < options->dim; ++k) {
    bool any = false;
    for (int64_t v = 0; v < n && !any; ++v)
      any = !isnan(options->constrain[v + k * n]);
    if (!any) continue;
    if (find_direction(options->constrain + k * n, n, options->dim, positions, direction))
      reflect_to_axis(direction, k, n, options->dim, positions);
    return;
  }
}

/* Moves the vertex of the least distance from the origin, the first of several, to the origin. */
static void center(const double *radius, int64_t n, int dim, double *positions) {
  int64_t least = -1;
  for (int64_t v = 0; v < n; ++v)
    if (!isnan(radius[v]) && (least < 0 || radius[v] < radius[least])) least = v;
  for (int k = 0; k < dim && least >= 0; ++k) {
    const double middle = positions[least + k * n];
    for (int64_t v = 0; v < n; ++v)
      positions[v + k * n] -= middle;
  }
}

void gg_layout_to_radius(double *position, int64_t stride, int dim, double radius) {
  double most = 0, square = 0;
  for (int k = 0; k < dim; ++k)
    most = fmax(most, fabs(position[k * stride]));
  if (!(most > 0)) position[0] = most = 1;
  for (int k = 0; k < dim; ++k)
    square += position[k * stride] / most * (position[k * stride] / most);
  for (int k = 0; k < dim; ++k)
    position[k * stride] = position[k * stride] / most / sqrt(square) * radius;
}

void gg_layout_constraints_enter(const gg_layout_constraints *made,
                                 const gpugeo_layout_options *options, int64_t vertices,
                                 double *positions) {
  if (made->lower && !options->init) turn(options, vertices, positions);
  if (made->radius && !options->init) center(made->radius, vertices, options->dim, positions);
  for (int64_t v = 0; made->radius && v < vertices; ++v)
    if (!isnan(made->radius[v]) && !(options->fixed && options->fixed[v]))
      gg_layout_to_radius(positions + v, vertices, options->dim, made->radius[v]);
}

/*
 * Points in the order of clusters by density (OPTICS; Ankerst, Breunig, Kriegel and Sander 1999).
 *
 * With eps, the neighbours of all points are found first. Without one, eps is the largest distance
 * to a neighbour of number min_points, and nearly all points may be near each other: the distances
 * of a point are then computed when it comes, in O(n) memory.
 *
 * Points wait in a heap by their reachability; of equal ones the highest number comes first, as in
 * package dbscan. The order therefore depends on neither the threads nor the order of neighbours.
 */
#include <math.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"

enum { NEW = -1, DONE = -2 /* positions in the heap */ };

GG_OPTIONS_INIT(optics, .metric = GG_DEFAULT_METRIC, .eps = NAN, .min_points = 5)

static const gg_option option_rows[] = {
    {GG_OPTION("eps", NUMBER, gpugeo_optics_options, eps), .octave = "epsilon", .may_be_null = true,
     .allowed = GG_RADIUS},
    {GG_OPTION("minPts", WHOLE, gpugeo_optics_options, min_points), .octave = "minpts", .least = 1,
     .most = INT32_MAX},
};
GG_DEFINE_OPTIONS(optics, option_rows);

typedef struct ordering {
  gg_call *call;
  const gg_dist_source *source; /* started if there are no lists */
  gpugeo_neighbors near;        /* start NULL: distances are computed */
  gpugeo_optics_result *result;
  int64_t n, count;
  double *column; /* n: the distances of a point */
  int32_t *heap, *at;
  int64_t waiting;
} ordering;

/* --- The heap --------------------------------------------------------------------------------- */

/* True if point a comes before b. */
static bool comes_before(const ordering *o, int32_t a, int32_t b) {
  const double first = o->result->reachability[a], second = o->result->reachability[b];
  return first < second || (first == second && a > b);
}

/* Writes a point at a position. */
static void put_point(ordering *o, int64_t position, int32_t point) {
  o->heap[position] = point;
  o->at[point] = (int32_t)position;
}

/* Moves a point at a position up to where it belongs. */
static void move_up(ordering *o, int64_t position, int32_t point) {
  while (position > 0 && comes_before(o, point, o->heap[(position - 1) / 2])) {
    put_point(o, position, o->heap[(position - 1) / 2]);
    position = (position - 1) / 2;
  }
  put_point(o, position, point);
}

/* Takes the first point out. */
static int32_t take_first(ordering *o) {
  const int32_t first = o->heap[0], last = o->heap[--o->waiting];
  int64_t position = 0;
  for (int64_t child; (child = 2 * position + 1) < o->waiting; position = child) {
    if (child + 1 < o->waiting && comes_before(o, o->heap[child + 1], o->heap[child])) ++child;
    if (!comes_before(o, o->heap[child], last)) break;
    put_point(o, position, o->heap[child]);
  }
  if (o->waiting > 0) put_point(o, position, last);
  return first;
}

/* --- The order -------------------------------------------------------------------------------- */

/* Offers a point a way from another one, whose core distance is finite. */
static void offer_way(ordering *o, int32_t from, int32_t point, double distance) {
  gpugeo_optics_result *r = o->result;
  const double core = r->core_distance[from], reach = distance > core ? distance : core;
  if (o->at[point] == DONE || !(reach < r->reachability[point])) return;
  r->reachability[point] = reach;
  r->predecessor[point] = from;
  move_up(o, o->at[point] == NEW ? o->waiting++ : o->at[point], point);
}

/* Computes the distances of a point, and offers ways to those that are near. */
static void offer_column(ordering *o, int32_t point) {
  const gpugeo_tile tile = {0, o->n, point, 1};
  const double n = (double)o->n;
  if (gg_dist_source_tile(o->source, &tile, o->column, (double)o->count / n, 1 / n, o->call))
    return;
  for (int64_t i = 0; i < o->n; ++i)
    if (o->column[i] <= o->result->eps) offer_way(o, point, (int32_t)i, o->column[i]);
}

/* Takes a point as the next one. */
static void take_point(ordering *o, int32_t point) {
  o->result->order[o->count++] = point;
  o->at[point] = DONE;
  if (o->result->core_distance[point] == INFINITY) return;
  if (!o->near.start) {
    offer_column(o, point);
    return;
  }
  for (int64_t e = o->near.start[point]; e < o->near.start[point + 1]; ++e)
    offer_way(o, point, o->near.index[e], o->near.distance[e]);
}

/* Orders all points. */
static gpugeo_status order_points(ordering *o) {
  for (int64_t i = 0; i < o->n; ++i) {
    o->at[i] = NEW;
    o->result->reachability[i] = INFINITY;
    o->result->predecessor[i] = -1;
  }
  for (int64_t i = 0; i < o->n && !o->call->status; ++i) {
    if (o->at[i] == DONE) continue;
    take_point(o, (int32_t)i);
    while (o->waiting > 0 && !o->call->status) {
      if (o->count % 4096 == 0 && gg_call_poll(o->call, (double)o->count / (double)o->n)) break;
      take_point(o, take_first(o));
    }
  }
  return o->call->status;
}

/* --- Core distances --------------------------------------------------------------------------- */

/* Sets eps and the core distances by the nearest neighbours of all points. */
static gpugeo_status search_nearest(const gpugeo_distances *x, gpugeo_knn_options *options,
                                    gpugeo_optics_result *r, int64_t n, gpugeo_error *error) {
  const int64_t k = options->k;
  int32_t *index = gg_allocate_large(n * k, sizeof *index);
  double *distance = gg_allocate_large(n * k, sizeof *distance);
  gpugeo_status status = index && distance ? GPUGEO_OK : gg_fail_memory(error, 12 * n * k);
  if (!status) status = gpugeo_distances_knn(x, options, index, distance, NULL, error);
  r->eps = 0;
  for (int64_t i = 0; i < n && !status; ++i) {
    const double last = distance[i + (k - 1) * n], core = k > 1 ? distance[i + (k - 2) * n] : 0;
    r->core_distance[i] = isnan(core) ? INFINITY : core;
    if (last > r->eps) r->eps = last;
  }
  gg_free(index);
  gg_free(distance);
  return status;
}

/* Finds the neighbours of all points, whose lists the caller frees, and sets the core distances. */
static gpugeo_status search_near(const gpugeo_distances *x, gpugeo_knn_options *options,
                                 ordering *o, gpugeo_error *error) {
  const int64_t others = options->k - 1;
  options->radius = o->result->eps;
  const gpugeo_status status = gpugeo_distances_radius(x, options, &o->near, NULL, error);
  for (int64_t i = 0; i < o->n && !status; ++i) {
    const int64_t first = o->near.start[i], count = o->near.start[i + 1] - first;
    o->result->core_distance[i] =
        others == 0 ? 0 : (count < others ? INFINITY : o->near.distance[first + others - 1]);
  }
  return status;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Checks the options for n points. */
static gpugeo_status check_options(const gpugeo_optics_options *options, int64_t n,
                                   gpugeo_error *error) {
  const bool given = !isnan(options->eps);
  const int64_t least = options->min_points, most = given || n == 0 ? INT32_MAX : n - 1;
  if (given && !(options->eps >= 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "eps", "eps must be " GG_RADIUS ", not %s",
                   gg_number(options->eps).text);
  if (least < 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                   "min_points must be a whole number of at least 1, not %lld", (long long)least);
  if (least <= most) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                 "min_points must be less than the number of points, %lld, unless eps is given, "
                 "not %lld",
                 (long long)n, (long long)least);
}

/* Allocates the heap and orders the points of an open call. */
static gpugeo_status run_call(gg_distance_call *call, ordering *o) {
  gg_call *base = &call->base;
  o->call = base;
  o->source = &call->source;
  if (!o->near.start) gg_distance_call_start(call);
  o->heap = gg_call_allocate(base, o->n, sizeof *o->heap);
  o->at = gg_call_allocate(base, o->n, sizeof *o->at);
  o->column = gg_call_allocate(base, o->near.start ? 0 : o->n, sizeof *o->column);
  if (!base->status) order_points(o);
  gg_free(o->heap);
  gg_free(o->at);
  gg_free(o->column);
  return base->status;
}

/* Finds the core distances, and the neighbours unless distances are computed one point after the
   other. */
static gpugeo_status search_all(const gpugeo_distances *x, const gpugeo_optics_options *options,
                                ordering *o, gpugeo_error *error) {
  gpugeo_knn_options knn;
  gpugeo_knn_options_init(&knn, sizeof knn);
  knn.metric = options->metric;
  knn.points = options->points;
  knn.run = options->run;
  knn.run.progress = NULL; /* that of the order begins at 0 */
  knn.k = options->min_points;
  o->result->eps = options->eps;
  gpugeo_status status = GPUGEO_OK;
  const bool given = !isnan(options->eps);
  if (!given && o->n > 0) status = search_nearest(x, &knn, o->result, o->n, error);
  if (status || (!given && options->metric.kind != GPUGEO_METRIC_GREAT_CIRCLE)) return status;
  return search_near(x, &knn, o, error);
}

gpugeo_status gpugeo_optics(const gpugeo_distances *x, const gpugeo_optics_options *options,
                            gpugeo_optics_result *result, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_optics_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(optics_options, options, taken, error);
  if (status) return status;
  taken.run.precision = GPUGEO_PRECISION_DOUBLE;
  const gg_distance_limits limits = {GG_FAMILY_DIST, .most = INT32_MAX, .spheres = true};
  gg_distance_call call = GG_DISTANCE_CALL("x", x, &taken, report, error);
  gg_call *base = &call.base;
  ordering o = {.result = result};
  gg_distance_call_open(&call, &limits);
  gg_distance_call_check_result(&call, 8, GG_READ_SIDE);
  o.n = base->status ? 0 : call.source.n;
  GG_TRY(base, check_options(&taken, o.n, error));
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  GG_TRY(base, search_all(x, &taken, &o, error));
  if (!base->status && o.n > 0) run_call(&call, &o);
  if (o.near.start) gpugeo_neighbors_free(&o.near);
  return gg_distance_call_close(&call);
}

/*
 * Local outlier factors (Breunig, Kriegel, Ng and Sander 2000). The neighbours of a point are all
 * at a distance of at most its k-th smallest, ties included: those of more and more neighbours are
 * searched until no point may have another one. All sums are in the order of neighbours.
 */
#include <math.h>

#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/dist.h"

GG_OPTIONS_INIT(lof, .metric = GG_DEFAULT_METRIC, .min_points = 5)

static const gg_option option_rows[] = {
    {GG_OPTION("minPts", WHOLE, gpugeo_lof_options, min_points), .octave = "minpts", .least = 2,
     .most = INT32_MAX},
};
GG_DEFINE_OPTIONS(lof, option_rows);

typedef struct nearest {
  int64_t n, k, searched; /* neighbours of each point: at least k, and those in the lists */
  int32_t *index;         /* n by searched, column-major */
  double *distance;
  double *density; /* n: the local reachability densities */
} nearest;

/* Returns the distance of a point to its k-th neighbour. */
static double k_distance(const nearest *s, int64_t point) {
  return s->distance[point + (s->k - 1) * s->n];
}

/* Returns the number of the neighbours of a point. */
static int64_t count_neighbors(const nearest *s, int64_t point) {
  int64_t count = s->k;
  while (count < s->searched && s->distance[point + count * s->n] == k_distance(s, point))
    ++count;
  return count;
}

/* True if some point may have more neighbours than are in the lists. */
static bool some_are_missing(const nearest *s) {
  for (int64_t i = 0; i < s->n && s->searched < s->n - 1; ++i)
    if (count_neighbors(s, i) == s->searched) return true;
  return false;
}

/* Searches the `searched` nearest points of all. */
static gpugeo_status search_once(const gpugeo_distances *x, gpugeo_knn_options *options, nearest *s,
                                 gpugeo_report *report, gpugeo_error *error) {
  const double bytes = 12 * (double)s->n * (double)s->searched;
  const gpugeo_status status =
      gg_check_memory(bytes, "min_points", error, "the %lld neighbours of %lld points need",
                      (long long)s->searched, (long long)s->n);
  if (status) return status;
  s->index = gg_allocate_large(s->n * s->searched, sizeof *s->index);
  s->distance = gg_allocate_large(s->n * s->searched, sizeof *s->distance);
  if (!s->index || !s->distance) return gg_fail_memory(error, (int64_t)bytes);
  options->k = s->searched;
  return gpugeo_distances_knn(x, options, s->index, s->distance, report, error);
}

/* Searches the neighbours of all points: one more than k at first, and then twice as many. */
static gpugeo_status search_neighbors(const gpugeo_distances *x, gpugeo_knn_options *options,
                                      nearest *s, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  for (s->searched = gg_smaller(s->k + 1, s->n - 1);;
       s->searched = gg_smaller(2 * s->searched, s->n - 1)) {
    status = search_once(x, options, s, report, error);
    if (status || !some_are_missing(s)) return status;
    options->run.progress = NULL; /* it has been at its end */
    gg_free(s->index);
    gg_free(s->distance);
  }
}

/* Sets the densities: the inverse of the mean reachability from the neighbours. */
static gpugeo_status set_densities(nearest *s, gpugeo_error *error) {
  for (int64_t i = 0; i < s->n; ++i) {
    if (!isfinite(k_distance(s, i)))
      return gg_fail(error, GPUGEO_ERROR_DATA, "x",
                     "x must have finite distances from each point to %lld others, but point %lld "
                     "has fewer",
                     (long long)s->k, (long long)i + 1);
    const int64_t count = count_neighbors(s, i);
    double sum = 0;
    for (int64_t e = 0; e < count; ++e)
      sum += fmax(s->distance[i + e * s->n], k_distance(s, s->index[i + e * s->n]));
    s->density[i] = (double)count / sum;
  }
  return GPUGEO_OK;
}

/* Sets the factors: the mean density of the neighbours as a multiple of a point's own; 1 where both
   are infinite. */
static void set_factors(const nearest *s, double *factor) {
  for (int64_t i = 0; i < s->n; ++i) {
    const int64_t count = count_neighbors(s, i);
    double sum = 0;
    for (int64_t e = 0; e < count; ++e)
      sum += s->density[s->index[i + e * s->n]];
    factor[i] = isinf(s->density[i]) ? 1 : sum / (double)count / s->density[i];
  }
}

/* Checks min_points for n points. */
static gpugeo_status check_points(int64_t min_points, int64_t n, gpugeo_error *error) {
  if (min_points >= 2 && min_points <= n) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                 "min_points must be between 2 and the number of points, %lld, not %lld",
                 (long long)n, (long long)min_points);
}

gpugeo_status gpugeo_lof(const gpugeo_distances *x, const gpugeo_lof_options *options,
                         double *factor, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_lof_options taken;
  nearest s = {.n = 0};
  gpugeo_status status = GG_OPTIONS_TAKE(lof_options, options, taken, error);
  if (!status) status = gpugeo_distances_points(x, options->points, &s.n, error);
  if (!status) status = check_points(options->min_points, s.n, error);
  if (status) return status;
  gpugeo_knn_options knn;
  gpugeo_knn_options_init(&knn, sizeof knn);
  knn.metric = options->metric;
  knn.points = options->points;
  knn.run = options->run;
  s.k = options->min_points - 1;
  status = search_neighbors(x, &knn, &s, report, error);
  s.density = status ? NULL : gg_allocate(s.n, sizeof *s.density);
  if (!status && !s.density) status = gg_fail_memory(error, 8 * s.n);
  if (!status) status = set_densities(&s, error);
  if (!status) set_factors(&s, factor);
  gg_free(s.index);
  gg_free(s.distance);
  gg_free(s.density);
  return status;
}

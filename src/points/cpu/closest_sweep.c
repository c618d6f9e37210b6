/*
 * The sequential solution of Baroni, Braga and Moreano (2020), Algorithm 1 (V0), with their
 * optimisation 1 (V1), and 1 and 2 (V2): points sorted along x, an estimate delta from neighbours
 * in that order, regions of 32 points, and beyond each a border of width delta.
 *
 * Additions: the k best pairs and their rows, pairs at distance 0, and less than n^2 time if many x
 * are equal: such points are sorted by y, and those farther than delta are skipped by bisection.
 * The last region has no border and ends at the last point.
 */

#include "points/cpu/closest_sweep.h"

#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"

static const int64_t region = 32; /* points; the paper's ptsRegiao */

/* Computes step 2: an upper bound of the k-th smallest distance, from neighbours along the axis.
   INFINITY if these are fewer than k pairs. */
static gpugeo_status estimate_delta(const gg_closest_search *search, const gg_sorted_axis *axis,
                                    const gg_best *best, double *delta) {
  gg_call *call = search->call;
  gg_sorted_axis_search s = {.search = search, .axis = axis, .limit = INFINITY};
  gg_closest_pair *pairs = gg_call_allocate(call, best->k, sizeof *pairs);
  if (!pairs) return call->status;
  gg_best_start(&s.best, best->k, best->distinct, pairs);
  for (int64_t p = 0; p < axis->n && !(p % 1024 == 0 && gg_call_poll(call, 0)); ++p) {
    gg_sorted_axis_offer(&s, p, p);
    if (p + 1 < axis->n) gg_sorted_axis_offer(&s, p, p + 1);
  }
  *delta = s.limit;
  gg_free(pairs);
  return call->status;
}

/* Returns the first position in [p, end), all of one x and sorted by y, with y at least `least`. */
static int64_t skip_to(const gg_sorted_axis *axis, int64_t p, int64_t end, double least) {
  while (p < end) {
    const int64_t middle = p + (end - p) / 2;
    if (axis->at[1][middle] < least)
      p = middle + 1;
    else
      end = middle;
  }
  return p;
}

/* Compares point p with the points after it up to `border` from the last point of its region. */
static void look_ahead(gg_sorted_axis_search *s, int64_t p, int64_t last, double delta,
                       gpugeo_closest_algorithm algorithm, const int32_t *tie_end) {
  const gg_sorted_axis *axis = s->axis;
  const double *x = axis->at[0];
  for (int64_t q = p + 1; q < axis->n; ++q) {
    const double border = algorithm == GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2 ? s->limit : delta;
    if (x[q] - x[last] > border) break;
    if (algorithm != GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0 && x[q] - x[p] > s->limit) break;
    if (!tie_end || tie_end[q] - q < region) {
      gg_sorted_axis_offer(s, p, q);
      continue;
    }
    /* Of points with equal x only those near in y are compared. */
    const int64_t end = tie_end[q];
    const double y = axis->at[1][p], near = s->limit < delta ? s->limit : delta;
    for (q = skip_to(axis, q, end, y - near); q < end && axis->at[1][q] - y <= near; ++q)
      gg_sorted_axis_offer(s, p, q);
    q = end - 1;
  }
}

/* Finds for each location the end of the run of locations with the same x. */
static gpugeo_status find_ties(const gg_sorted_axis *axis, int32_t **tie_end, gg_call *call) {
  *tie_end = NULL;
  if (axis->columns == 1) return call->status; /* locations differ in x */
  int32_t *end = gg_call_allocate(call, axis->n, sizeof *end);
  if (!end) return call->status;
  for (int64_t p = axis->n - 1; p >= 0; --p)
    end[p] = p + 1 < axis->n && axis->at[0][p + 1] == axis->at[0][p] ? end[p + 1] : (int32_t)p + 1;
  *tie_end = end;
  return GPUGEO_OK;
}

gpugeo_status gg_closest_sweep(const gg_closest_search *search, const gg_sorted_axis *axis,
                               gpugeo_closest_algorithm algorithm, gg_best *best) {
  gg_call *call = search->call;
  gg_sorted_axis_search s = {.search = search, .axis = axis, .best = *best, .limit = INFINITY};
  double delta = 0;
  int32_t *tie_end;
  estimate_delta(search, axis, best, &delta);
  find_ties(axis, &tie_end, call);
  s.limit = delta;
  for (int64_t first = 0; !call->status && first < axis->n; first += region) {
    const int64_t end = first + region < axis->n ? first + region : axis->n;
    for (int64_t p = first; p < end; ++p) {
      gg_sorted_axis_offer(&s, p, p);
      look_ahead(&s, p, end - 1, delta, algorithm, tie_end);
    }
    gg_call_poll(call, (double)first / (double)axis->n);
  }
  gg_free(tie_end);
  *best = s.best;
  return call->status;
}

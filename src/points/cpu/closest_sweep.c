/*
 * The sequential solution of Baroni, Braga and Moreano (2020), Algorithm 1 (V0), with their
 * optimisation 1 (V1), and 1 and 2 (V2): points sorted along x, an estimate delta from neighbours
 * in that order, regions of 32 points, and beyond each a border of width delta.
 *
 * Additions: the k best pairs and their rows, pairs at distance 0, and less than n^2 time if many x
 * are equal: such points are sorted by y, and those farther than delta are skipped by bisection.
 * The last region has no border and ends at the last point.
 */
#include "points/cpu/closest_sorted_axis.h"

#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"

static const int64_t region = 32; /* points; the paper's ptsRegiao */

/* Computes step 2: an upper bound of the k-th smallest distance, from neighbours along the line.
   INFINITY if these are fewer than k pairs. */
static gpugeo_status estimate(const gg_closest_search *search, const gg_sorted_axis *line,
                              const gg_best *best, double *delta, gpugeo_error *error) {
  gg_sorted_axis_search s = {.search = search, .line = line, .limit = INFINITY};
  gg_closest_pair *pairs = gg_allocate(best->k, sizeof *pairs);
  if (!pairs) return gg_fail_memory(error, best->k * (int64_t)sizeof *pairs);
  gg_best_start(&s.best, best->k, best->distinct, pairs);
  for (int64_t p = 0; p < line->n && !(p % 1024 == 0 && gg_clock_poll(search->clock, 0)); ++p) {
    gg_sorted_axis_offer(&s, p, p);
    if (p + 1 < line->n) gg_sorted_axis_offer(&s, p, p + 1);
  }
  *delta = s.limit;
  free(pairs);
  return search->clock->stopped ? gg_fail_interrupt(error) : GPUGEO_OK;
}

/* Returns the first position in [p, end), all of one x and sorted by y, with y at least `least`. */
static int64_t skip_to(const gg_sorted_axis *line, int64_t p, int64_t end, double least) {
  while (p < end) {
    const int64_t middle = p + (end - p) / 2;
    if (line->at[1][middle] < least)
      p = middle + 1;
    else
      end = middle;
  }
  return p;
}

/* Compares point p with the points after it up to `border` from the last point of its region. */
static void look_ahead(gg_sorted_axis_search *s, int64_t p, int64_t last, double delta,
                       gpugeo_closest_algorithm algorithm, const int32_t *tie_end) {
  const gg_sorted_axis *line = s->line;
  const double *x = line->at[0];
  for (int64_t q = p + 1; q < line->n; ++q) {
    const double border = algorithm == GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2 ? s->limit : delta;
    if (x[q] - x[last] > border) break;
    if (algorithm != GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0 && x[q] - x[p] > s->limit) break;
    if (!tie_end || tie_end[q] - q < region) {
      gg_sorted_axis_offer(s, p, q);
      continue;
    }
    /* Of points with equal x only those near in y are compared. */
    const int64_t end = tie_end[q];
    const double y = line->at[1][p], near = s->limit < delta ? s->limit : delta;
    for (q = skip_to(line, q, end, y - near); q < end && line->at[1][q] - y <= near; ++q)
      gg_sorted_axis_offer(s, p, q);
    q = end - 1;
  }
}

/* Finds for each place the end of the run of places with the same x. */
static gpugeo_status find_ties(const gg_sorted_axis *line, int32_t **tie_end, gpugeo_error *error) {
  *tie_end = NULL;
  if (line->columns == 1) return GPUGEO_OK; /* places differ in x */
  int32_t *end = gg_allocate(line->n, sizeof *end);
  if (!end) return gg_fail_memory(error, line->n * (int64_t)sizeof *end);
  for (int64_t p = line->n - 1; p >= 0; --p)
    end[p] = p + 1 < line->n && line->at[0][p + 1] == line->at[0][p] ? end[p + 1] : (int32_t)p + 1;
  *tie_end = end;
  return GPUGEO_OK;
}

gpugeo_status gg_closest_sweep(const gg_closest_search *search, const gg_sorted_axis *line,
                               gpugeo_closest_algorithm algorithm, gg_best *best,
                               gpugeo_error *error) {
  gg_sorted_axis_search s = {.search = search, .line = line, .best = *best, .limit = INFINITY};
  double delta;
  int32_t *tie_end;
  gpugeo_status status = estimate(search, line, best, &delta, error);
  if (!status) status = find_ties(line, &tie_end, error);
  if (status) return status;
  s.limit = delta;
  for (int64_t first = 0; !status && first < line->n; first += region) {
    const int64_t end = first + region < line->n ? first + region : line->n;
    for (int64_t p = first; p < end; ++p) {
      gg_sorted_axis_offer(&s, p, p);
      look_ahead(&s, p, end - 1, delta, algorithm, tie_end);
    }
    if (gg_clock_poll(search->clock, (double)first / (double)line->n))
      status = gg_fail_interrupt(error);
  }
  free(tie_end);
  *best = s.best;
  return status;
}

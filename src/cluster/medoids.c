/*
 * The search for medoids.
 *
 * BUILD computes how much each point as one more medoid gains. Gains only become smaller with more
 * medoids, also when they are rounded, so an earlier gain is an upper bound: from the third
 * medoid on only points whose bound is the largest are computed again, one after another (Minoux
 * 1978). FasterPAM computes for each point and all medoids at the same time what a swap changes,
 * and swaps at once; FastPAM1 takes the best of all swaps. Otherwise all threads rate points,
 * several at a time, and the first one in their order that is good enough is taken, so the
 * result is that of one thread.
 *
 * Sums run over the points in their order. Limited by memory: a rating reads a column of distances.
 */
#include <math.h>
#include <string.h>

#include "cluster/medoids.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/parallel.h"

typedef struct column_job {
  gg_pam *pam;
  int64_t first;
  void (*rate)(gg_pam *pam, int64_t column, int32_t worker);
} column_job;

/* Rates a range of candidates by their columns of distances; the loop's work. */
static void rate_columns(void *own, gg_range range) {
  const column_job *job = own;
  for (int64_t c = range.first; c < range.last; ++c)
    job->rate(job->pam, job->first + c, range.worker);
}

/* Runs a function for the columns [first, last) of the panel on all threads. */
static gpugeo_status for_columns(gg_pam *pam, int64_t first, int64_t last,
                                 void (*rate)(gg_pam *pam, int64_t column, int32_t worker)) {
  column_job job = {pam, first, rate};
  gg_call *call = pam->columns.call;
  return gg_call_loop(call, (gg_loop){.threads = pam->threads,
                                      .count = last - first,
                                      .grain = 1 + 65536 / pam->n, /* 0.1 ms */
                                      .work = rate_columns,
                                      .job = &job,
                                      .begun = call->clock->told});
}

/* Does the same for all columns. */
static gpugeo_status for_all_columns(gg_pam *pam,
                                     void (*rate)(gg_pam *pam, int64_t column, int32_t worker)) {
  gg_columns *columns = &pam->columns;
  for (int64_t first = 0; !columns->call->status && first < pam->n; first += columns->width) {
    gg_columns_load(columns, first);
    for_columns(pam, first, gg_smaller(first + columns->width, pam->n), rate);
  }
  return gg_columns_check(columns);
}

/* --- The nearest medoids of all points -------------------------------------------------------- */

/* Takes a medoid as the nearest or the second nearest of a point. */
static inline void take_medoid(gg_pam *pam, int64_t point, int64_t number) {
  const double d = pam->own[number * pam->n + point];
  if (d < pam->first[point]) {
    pam->second[point] = pam->first[point];
    pam->second_at[point] = pam->first_at[point];
    pam->first[point] = d;
    pam->first_at[point] = (int32_t)number;
  } else if (d < pam->second[point]) {
    pam->second[point] = d;
    pam->second_at[point] = (int32_t)number;
  }
}

/* Resets the two nearest medoids of a point. */
static void forget_medoids(gg_pam *pam, int64_t point) {
  pam->first[point] = pam->second[point] = INFINITY;
  pam->first_at[point] = pam->second_at[point] = -1;
}

/* Takes all medoids as the nearest or the second nearest of a point. */
static void take_medoids(gg_pam *pam, int64_t point) {
  for (int64_t m = 0; m < pam->k; ++m)
    take_medoid(pam, point, m);
}

/* Polls after a point of a loop that compares points with all medoids, once for each 65,536
   comparisons or each point. True if the call must stop. */
static bool polls(const gg_pam *pam, int64_t point) {
  const int64_t often = 1 + 65536 / pam->k;
  return point % often == 0 && gg_call_poll(pam->columns.call, pam->columns.call->clock->told);
}

/* Makes a point a medoid and copies its distances. */
static gpugeo_status set_medoid(gg_pam *pam, int64_t number, int64_t point) {
  const double *column;
  const gpugeo_status status = gg_columns_get(&pam->columns, point, &column);
  if (status) return status;
  memcpy(pam->own + number * pam->n, column, (size_t)pam->n * sizeof *column);
  pam->medoid[number] = (int32_t)point;
  pam->is_medoid[point] = true;
  return GPUGEO_OK;
}

/* Adds up the loss that the removal of each medoid would cause. */
static void find_losses(gg_pam *pam) {
  for (int64_t m = 0; m < pam->k; ++m)
    pam->loss[m] = 0;
  for (int64_t o = 0; o < pam->n && pam->k > 1; ++o)
    pam->loss[pam->first_at[o]] += pam->second[o] - pam->first[o];
}

double gg_pam_sum(const gg_pam *pam) {
  double sum = 0;
  for (int64_t o = 0; o < pam->n; ++o)
    sum += pam->first[o];
  return sum;
}

/* --- BUILD ------------------------------------------------------------------------------------ */

/* Sets the gain of the first medoid: less the sum of its distances. */
static void rate_single(gg_pam *pam, int64_t column, int32_t worker) {
  (void)worker;
  const double *d = gg_columns_at(&pam->columns, column);
  double sum = 0;
  for (int64_t o = 0; o < pam->n; ++o)
    sum += d[o];
  pam->gain[column] = -sum;
}

/* Returns how much the sum of distances falls if the point with distances d is added. */
static double gain_of(const gg_pam *pam, const double *d) {
  double gain = 0;
  for (int64_t o = 0; o < pam->n; ++o) {
    const double less = pam->first[o] - d[o];
    gain += less > 0 ? less : 0;
  }
  return gain;
}

/* Writes the gain of adding the candidate of a column. */
static void rate_added(gg_pam *pam, int64_t column, int32_t worker) {
  (void)worker;
  pam->gain[column] = gain_of(pam, gg_columns_at(&pam->columns, column));
}

/* Returns the last point with the largest gain that is no medoid. */
static int64_t largest_gain(const gg_pam *pam) {
  int64_t best = -1;
  for (int64_t c = 0; c < pam->n; ++c)
    if (!pam->is_medoid[c] && (best < 0 || pam->gain[c] >= pam->gain[best])) best = c;
  return best;
}

/* Finds the next medoid from upper bounds of the gains. */
static gpugeo_status choose_next(gg_pam *pam, int64_t number, int64_t *chosen) {
  gg_call *call = pam->columns.call;
  while (!call->status) {
    const int64_t c = *chosen = largest_gain(pam);
    if (pam->rated_at[c] == number) break;
    const double *d;
    if (gg_columns_get(&pam->columns, c, &d)) break;
    pam->gain[c] = gain_of(pam, d);
    pam->rated_at[c] = number;
    gg_call_poll(call, call->clock->told);
  }
  return call->status;
}

gpugeo_status gg_pam_build(gg_pam *pam) {
  const gg_call *call = pam->columns.call;
  for (int64_t o = 0; o < pam->n; ++o)
    forget_medoids(pam, o);
  for (int64_t m = 0; !call->status && m < pam->k; ++m) {
    int64_t chosen = 0;
    if (m < 2) { /* nothing is known of the gains */
      for_all_columns(pam, m == 0 ? rate_single : rate_added);
      for (int64_t c = 0; c < pam->n; ++c)
        pam->rated_at[c] = m;
    }
    choose_next(pam, m, &chosen);
    set_medoid(pam, m, chosen);
    for (int64_t o = 0; !call->status && o < pam->n; ++o)
      take_medoid(pam, o, m);
  }
  return call->status;
}

gpugeo_status gg_pam_begin(gg_pam *pam) {
  const gg_call *call = pam->columns.call;
  for (int64_t m = 0; !call->status && m < pam->k; ++m)
    set_medoid(pam, m, pam->medoid[m]);
  for (int64_t o = 0; !call->status && o < pam->n; ++o) {
    forget_medoids(pam, o);
    take_medoids(pam, o);
    polls(pam, o);
  }
  return call->status;
}

/* --- SWAP ------------------------------------------------------------------------------------- */

/* Finds the medoid to replace by a point, and by how much the sum of distances falls. */
static void rate_swap(gg_pam *pam, int64_t column, int32_t worker) {
  double *change = pam->spare + worker * pam->k, shared = 0;
  const double *d = gg_columns_at(&pam->columns, column);
  const double *first = pam->first, *second = pam->second;
  int64_t best = 0;
  pam->gain[column] = 0;
  if (pam->is_medoid[column]) return;
  memcpy(change, pam->loss, (size_t)pam->k * sizeof *change);
  for (int64_t o = 0; o < pam->n; ++o) {
    if (!(d[o] < second[o])) continue;
    if (d[o] < first[o]) { /* goes to the point whichever medoid is replaced */
      shared += d[o] - first[o];
      change[pam->first_at[o]] += first[o] - second[o];
    } else {
      change[pam->first_at[o]] += d[o] - second[o];
    }
  }
  for (int64_t m = 1; m < pam->k; ++m)
    if (change[m] < change[best]) best = m;
  pam->gain[column] = -(shared + change[best]);
  pam->rated_at[column] = best;
}

/* Replaces a medoid of one point, whose distances are in `own`. */
static void replace_medoid(gg_pam *pam, int64_t point, int64_t number) {
  if (pam->first_at[point] != number && pam->second_at[point] != number) {
    take_medoid(pam, point, number);
    return;
  }
  forget_medoids(pam, point);
  take_medoids(pam, point);
}

/* Replaces a medoid by a point and updates all points' nearest medoids. */
static gpugeo_status swap_medoid(gg_pam *pam, int64_t number, int64_t point) {
  const gg_call *call = pam->columns.call;
  pam->is_medoid[pam->medoid[number]] = false;
  set_medoid(pam, number, point);
  for (int64_t o = 0; !call->status && o < pam->n; ++o) {
    replace_medoid(pam, o, number);
    polls(pam, o);
  }
  find_losses(pam);
  ++pam->swaps;
  return call->status;
}

/* Swaps the medoid that was rated for a point, but takes it back unless the sum of distances falls:
   a gain may be the rounding of much larger sums. */
static gpugeo_status try_swap(gg_pam *pam, int64_t point) {
  const int64_t number = pam->rated_at[point];
  const int32_t own = pam->medoid[number];
  const double before = gg_pam_sum(pam);
  const gpugeo_status status = swap_medoid(pam, number, point);
  if (status || gg_pam_sum(pam) < before) return status;
  swap_medoid(pam, number, own);
  pam->swaps -= 2;
  return pam->columns.call->status;
}

/* Rates the points of the panel from *at on, before `end`, and swaps the first one that makes the
   sum smaller by more than `least`. Sets *at to the point after that, or to the last one's. */
static gpugeo_status take_panel(gg_pam *pam, int64_t *at, int64_t end, double least) {
  const gg_call *call = pam->columns.call;
  end = gg_smaller(end, pam->columns.first + pam->columns.count);
  for (int64_t batch = pam->threads; !call->status && *at < end; batch *= 2) {
    const int64_t last = gg_smaller(*at + batch, end);
    if (for_columns(pam, *at, last, rate_swap)) break;
    for (int64_t c = *at; c < last; ++c) {
      if (!(pam->gain[c] > least)) continue;
      *at = c + 1;
      return try_swap(pam, c);
    }
    *at = last;
  }
  return call->status;
}

/* Rates all points once, and ends at max_swaps. Without a swap so far, only those before *end,
   since the others were rated after the last swap; sets *end to the point after that. */
static gpugeo_status take_all(gg_pam *pam, int64_t *end, double least) {
  gg_columns *columns = &pam->columns;
  int64_t until = *end;
  for (int64_t at = 0; !columns->call->status && at < until && pam->swaps < pam->max_swaps;) {
    const int64_t swaps = pam->swaps;
    gg_columns_load(columns, at / columns->width * columns->width);
    take_panel(pam, &at, until, least);
    if (pam->swaps == swaps) continue;
    until = pam->n;
    *end = at;
  }
  return gg_columns_check(columns);
}

/* Rates all points, and swaps the best one if it makes the sum smaller by more than `least`. */
static gpugeo_status take_best(gg_pam *pam, double least) {
  const gpugeo_status status = for_all_columns(pam, rate_swap);
  if (status) return status;
  int64_t best = 0;
  for (int64_t c = 1; c < pam->n; ++c)
    if (pam->gain[c] > pam->gain[best]) best = c;
  if (!(pam->gain[best] > least)) return GPUGEO_OK;
  return try_swap(pam, best);
}

/* Chooses the one medoid: the best one needs no search. */
static gpugeo_status choose_single(gg_pam *pam) {
  pam->converged = pam->max_swaps > 0;
  if (!pam->converged) return GPUGEO_OK;
  const gpugeo_status status = for_all_columns(pam, rate_single);
  if (status) return status;
  const int64_t own = pam->medoid[0];
  pam->is_medoid[own] = false;
  const int64_t best = largest_gain(pam);
  pam->is_medoid[own] = true;
  return pam->gain[best] > pam->gain[own] ? swap_medoid(pam, 0, best) : GPUGEO_OK;
}

gpugeo_status gg_pam_swap(gg_pam *pam, double done, double share) {
  gg_call *call = pam->columns.call;
  if (call->status) return call->status;
  if (pam->k == 1) return choose_single(pam);
  int64_t end = pam->n;
  double sum = gg_pam_sum(pam);
  find_losses(pam);
  while (!call->status && !pam->converged && pam->swaps < pam->max_swaps) {
    const int64_t swaps = pam->swaps;
    const double before = sum;
    done += share /= 2; /* the number of passes is not known */
    if (gg_call_poll(call, done)) break;
    const double least = 1e-12 * fabs(sum); /* more than rounding */
    if (pam->eager)
      take_all(pam, &end, least);
    else
      take_best(pam, least);
    sum = gg_pam_sum(pam);
    pam->converged = pam->swaps < pam->max_swaps && !(pam->swaps != swaps && sum < before);
  }
  return call->status;
}

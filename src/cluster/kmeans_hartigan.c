/*
 * k-means of Hartigan and Wong (1979, Applied Statistics 28, 100-108, algorithm AS 136). A point
 * moves if this makes the sum of squares smaller: n / (n - 1) d^2 in its own cluster of n points,
 * against n / (n + 1) d^2 in another one. Stages alternate: the optimal transfer compares each
 * point with all clusters, the quick transfer with its second nearest one only. A cluster is live
 * if it has changed within the last n steps; two that have not are not compared again.
 *
 * MacQueen's (1967, Proc. 5th Berkeley Symp. 1, 281-297) is here, too: each point moves to the
 * nearest centre, which follows at once.
 *
 * One thread, as each step depends on the one before; the lanes of a register are centres.
 */
#include <math.h>

#include "cluster/kmeans_steps.h"
#include "common/error.h"
#include "common/memory.h"

enum {
  QUICK_STEPS = 50,       /* the most steps of a quick-transfer stage, times n */
  POLLED_STEPS = 1 << 12, /* steps between looks at the clock */
};

/* The points and clusters in the forms that a step needs. */
typedef struct transfers {
  gg_kmeans *means;
  double *rows;              /* p coordinates of each point */
  double *across;            /* p by `stride`: the centres side by side, then NaN */
  double *square;            /* stride */
  int64_t stride;            /* k, rounded up */
  int32_t *second;           /* of each point: the second nearest cluster */
  double *loss;              /* of each point: what its cluster loses with it */
  double *leaving, *joining; /* of each cluster of n points: n / (n - 1) and n / (n + 1) */
  int64_t *changed;          /* of each cluster: the step of its last change, see there */
  int64_t *live; /* of each cluster: it is in the live set of optimal transfer before this point */
  bool *quick;   /* of each cluster: it has changed in the last quick-transfer stage */
  int64_t still; /* steps of optimal transfers since the last change */
} transfers;

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocates. */
static gpugeo_status make_transfers(transfers *t) {
  gg_call *call = t->means->call;
  const int64_t n = t->means->n, p = t->means->p, k = t->means->k;
  t->stride = (k + GG_KMEANS_PAD - 1) / GG_KMEANS_PAD * GG_KMEANS_PAD;
  t->rows = gg_call_allocate(call, n * p + 1, sizeof *t->rows);
  t->across = gg_call_allocate(call, (p + 1) * t->stride, sizeof *t->across);
  t->second = gg_call_allocate(call, n, sizeof *t->second);
  t->loss = gg_call_allocate(call, n, sizeof *t->loss);
  t->leaving = gg_call_allocate(call, 2 * k, sizeof *t->leaving);
  t->changed = gg_call_allocate(call, 2 * k, sizeof *t->changed);
  t->quick = gg_call_allocate(call, k, sizeof *t->quick);
  if (call->status) return call->status;
  t->square = t->across + p * t->stride;
  t->joining = t->leaving + k;
  t->live = t->changed + k;
  return GPUGEO_OK;
}

/* Frees what make_transfers() has allocated. */
static void free_transfers(transfers *t) {
  gg_free(t->rows);
  gg_free(t->across);
  gg_free(t->second);
  gg_free(t->loss);
  gg_free(t->leaving);
  gg_free(t->changed);
  gg_free(t->quick);
}

/* Copies the centres side by side. */
static void copy_across(transfers *t) {
  const gg_kmeans *means = t->means;
  for (int64_t j = 0; j < means->p; ++j)
    for (int64_t l = 0; l < t->stride; ++l)
      t->across[j * t->stride + l] = l < means->k ? means->center[l * means->p + j] : NAN;
}

/* Writes the squared distances of point i from all centres. */
static void square_all(const transfers *t, int64_t i) {
  const int64_t p = t->means->p;
  t->means->kernels->squares(t->rows + i * p, p, t->across, t->stride, t->stride, t->square);
}

/* Returns the squared distance of point i from centre l. */
static double square_one(const transfers *t, int64_t i, int64_t l) {
  const int64_t p = t->means->p;
  return gg_kmeans_square(t->rows + i * p, t->means->center + l * p, p);
}

/* --- Moves ------------------------------------------------------------------------------------ */

/* Writes the factors of a cluster for its size. */
static void write_factors(const transfers *t, int64_t l) {
  const double size = t->means->size[l];
  t->leaving[l] = size > 1 ? size / (size - 1) : INFINITY;
  t->joining[l] = size / (size + 1);
}

/* Moves point i to another cluster, and the centres of both. */
static void move_point(transfers *t, int64_t i, int64_t from, int64_t to) {
  gg_kmeans *means = t->means;
  const double left = means->size[from], joined = means->size[to];
  for (int64_t j = 0; j < means->p; ++j) {
    double *a = means->center + from * means->p + j, *b = means->center + to * means->p + j;
    const double x = t->rows[i * means->p + j];
    *a = (*a * left - x) / (left - 1);
    *b = (*b * joined + x) / (joined + 1);
    t->across[j * t->stride + from] = *a;
    t->across[j * t->stride + to] = *b;
  }
  --means->size[from];
  ++means->size[to];
  write_factors(t, from);
  write_factors(t, to);
  means->cluster[i] = (int32_t)to;
  t->second[i] = (int32_t)from;
}

/* True if the clock asks to stop after so many steps. */
static bool is_stopped(const transfers *t, int64_t step) {
  const gg_kmeans *means = t->means;
  const double done = (double)means->iterations / (double)means->most;
  return step % POLLED_STEPS == 0 && gg_call_poll(means->call, done < 1 ? done : 1);
}

/* --- Optimal transfer ------------------------------------------------------------------------- */

/* Returns the cluster that gains least from point i, and what it gains. Of those that are not live
   only the second nearest is compared, unless the point's own cluster is live. */
static int64_t best_cluster(const transfers *t, int64_t i, double *gain) {
  const int64_t own = t->means->cluster[i], k = t->means->k;
  const bool all = i < t->live[own];
  int64_t best = t->second[i];
  if (all) square_all(t, i);
  *gain = (all ? t->square[best] : square_one(t, i, best)) * t->joining[best];
  const int64_t second = best;
  for (int64_t l = 0; l < k; ++l) {
    if ((!all && i >= t->live[l]) || l == own || l == second) continue;
    const double square = all ? t->square[l] : square_one(t, i, l);
    if (square >= *gain / t->joining[l]) continue;
    *gain = square * t->joining[l];
    best = l;
  }
  return best;
}

/* Compares point i with the clusters, and moves it. */
static void transfer_best(transfers *t, int64_t i) {
  const int64_t n = t->means->n, own = t->means->cluster[i];
  double gain;
  if (t->means->size[own] == 1) return;
  if (t->changed[own] != 0) t->loss[i] = square_one(t, i, own) * t->leaving[own];
  const int64_t best = best_cluster(t, i, &gain);
  if (gain >= t->loss[i]) {
    t->second[i] = (int32_t)best;
    return;
  }
  t->still = 0;
  t->live[own] = t->live[best] = n + i;
  t->changed[own] = t->changed[best] = i + 1;
  move_point(t, i, own, best);
}

/* Compares each point with all clusters. Ends early when none has moved for n steps. `changed` is
   here the last point, from 1, that has changed a cluster in this stage; 0: none; -1: in the first
   stage. */
static void transfer_optimally(transfers *t) {
  const int64_t n = t->means->n, k = t->means->k;
  for (int64_t l = 0; l < k; ++l)
    if (t->quick[l]) t->live[l] = n;
  for (int64_t i = 0; i < n; ++i) {
    ++t->still;
    transfer_best(t, i);
    if (t->still == n || is_stopped(t, i)) return;
  }
  for (int64_t l = 0; l < k; ++l) {
    t->quick[l] = false;
    t->live[l] -= n;
  }
}

/* --- Quick transfer --------------------------------------------------------------------------- */

/* Moves point i to its second nearest cluster, if either one has changed within the last n steps
   and this makes the sum smaller. Returns whether it has moved. */
static bool transfer_quickly(transfers *t, int64_t i, int64_t step) {
  const int64_t n = t->means->n, own = t->means->cluster[i], other = t->second[i];
  if (t->means->size[own] == 1) return false;
  if (step <= t->changed[own]) t->loss[i] = square_one(t, i, own) * t->leaving[own];
  if (step >= t->changed[own] && step >= t->changed[other]) return false;
  if (square_one(t, i, other) >= t->loss[i] / t->joining[other]) return false;
  t->still = 0;
  t->quick[own] = t->quick[other] = true;
  t->changed[own] = t->changed[other] = step + n;
  move_point(t, i, own, other);
  return true;
}

/* Moves points between their two nearest clusters until n steps have moved none. `changed` is here
   the step up to which a cluster counts as changed. Returns false after too many steps. */
static bool transfer_until_still(transfers *t) {
  const int64_t n = t->means->n;
  int64_t unmoved = 0;
  for (int64_t step = 1, i = 0; step <= QUICK_STEPS * n; ++step, i = i + 1 < n ? i + 1 : 0) {
    unmoved = transfer_quickly(t, i, step) ? 0 : unmoved + 1;
    if (unmoved == n || is_stopped(t, step)) return true;
  }
  return false;
}

/* --- The algorithm ---------------------------------------------------------------------------- */

/* Fails if a cluster is empty. */
static gpugeo_status require_points(const gg_kmeans *means) {
  gg_call *call = means->call;
  for (int64_t l = 0; l < means->k && !call->status; ++l)
    if (means->size[l] == 0)
      GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "centers",
                           "centers must each be the nearest one of some row of x for "
                           "\"Hartigan-Wong\", but center %lld is not",
                           (long long)l + 1));
  return call->status;
}

/* Alternates the stages. */
static void alternate(transfers *t) {
  gg_kmeans *means = t->means;
  while (means->iterations < means->most && !means->call->status) {
    ++means->iterations;
    transfer_optimally(t);
    if (t->still == means->n) return;
    if (!transfer_until_still(t)) {
      means->fault = 4;
      return;
    }
    if (means->k == 2) return; /* the second nearest cluster is the only other one */
    for (int64_t l = 0; l < means->k; ++l)
      t->changed[l] = 0;
  }
  ++means->iterations;
  means->fault = 2;
}

/* Gives all clusters the state of the beginning. */
static void begin_transfers(transfers *t) {
  copy_across(t);
  for (int64_t l = 0; l < t->means->k; ++l) {
    write_factors(t, l);
    t->changed[l] = -1;
    t->quick[l] = true;
    t->live[l] = 0;
  }
  for (int64_t i = 0; i < t->means->n; ++i) {
    t->loss[i] = 0;
    if (t->second[i] == t->means->cluster[i]) /* of distances that are infinite */
      t->second[i] = t->means->cluster[i] == 0;
  }
}

gpugeo_status gg_kmeans_hartigan(gg_kmeans *means) {
  transfers t = {.means = means};
  make_transfers(&t);
  if (!means->call->status) gg_kmeans_assign(means, t.rows, t.second);
  if (!means->call->status) gg_kmeans_average(means);
  if (!means->call->status) require_points(means);
  if (!means->call->status) {
    begin_transfers(&t);
    alternate(&t);
  }
  if (!means->call->status) gg_kmeans_average(means);
  free_transfers(&t);
  return means->call->status;
}

/* --- MacQueen --------------------------------------------------------------------------------- */

/* Returns the nearest centre of point i. */
static int64_t nearest_center(const transfers *t, int64_t i) {
  int64_t nearest = 0;
  double least = INFINITY;
  square_all(t, i);
  for (int64_t l = 0; l < t->means->k; ++l)
    if (t->square[l] < least) {
      least = t->square[l];
      nearest = l;
    }
  return nearest;
}

/* Moves point i to another cluster. */
static void move_to_nearest(transfers *t, int64_t i, int64_t from, int64_t to) {
  gg_kmeans *means = t->means;
  means->cluster[i] = (int32_t)to;
  --means->size[from];
  ++means->size[to];
  for (int64_t j = 0; j < means->p; ++j) {
    double *a = means->center + from * means->p + j, *b = means->center + to * means->p + j;
    const double x = t->rows[i * means->p + j];
    *a += (*a - x) / means->size[from];
    *b += (x - *b) / means->size[to];
    t->across[j * t->stride + from] = *a;
    t->across[j * t->stride + to] = *b;
  }
}

/* Moves each point to the nearest centre. Returns whether one has moved. */
static bool visit_points(transfers *t) {
  bool moved = false;
  for (int64_t i = 0; i < t->means->n && !is_stopped(t, i); ++i) {
    const int64_t own = t->means->cluster[i], nearest = nearest_center(t, i);
    if (nearest == own) continue;
    move_to_nearest(t, i, own, nearest);
    moved = true;
  }
  return moved;
}

gpugeo_status gg_kmeans_macqueen(gg_kmeans *means) {
  transfers t = {.means = means};
  make_transfers(&t);
  if (!means->call->status) gg_kmeans_assign(means, t.rows, NULL);
  if (!means->call->status) gg_kmeans_average(means);
  bool moved = !means->call->status;
  if (moved) copy_across(&t);
  while (moved && means->iterations < means->most && !means->call->status) {
    ++means->iterations;
    moved = visit_points(&t);
  }
  if (moved && !means->call->status) {
    ++means->iterations;
    means->fault = 2;
  }
  free_transfers(&t);
  return means->call->status;
}

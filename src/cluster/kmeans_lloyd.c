/*
 * k-means of Lloyd (1982, IEEE Trans. Inf. Theory 28, 129-137) and Forgy: all points go to the
 * nearest centre, then all centres to the means of their points.
 *
 * Bounds leave out distances (Hamerly 2010, Proc. SIAM Data Mining, 130-140). Each point has an
 * upper bound of the distance from its own centre and a lower bound of that from any other one. By
 * the triangle inequality they change by no more than centres move. A point whose upper bound is
 * below the lower one, or below half of the distance between its centre and the nearest other one,
 * stays. Bounds are of exact distances, rounded outwards, and compared with a margin for the errors
 * of computed ones. The result therefore has the same bits as without bounds.
 *
 * The other points are assigned by estimates, half of the squared length of a centre less its
 * product with the point, if the two lowest ones differ by more than their errors; else by
 * distances.
 *
 * Cost: n k p for the first assignment, and for the points that bounds do not leave out.
 */
#include <float.h>
#include <math.h>

#include "cluster/kmeans_steps.h"
#include "common/error.h"
#include "common/memory.h"

enum { BATCH = 512 /* points whose bounds are tested before blocks are made of the others */ };

/* Distances whose squares may be rounded to multiples of the smallest double are not compared. */
static const double TINY = 1e-150;

/* The bounds, and what they change by. */
typedef struct lloyd {
  gg_kmeans *means;
  double *upper, *lower;         /* of each point */
  double *before;                /* k by p: the centres before the last step */
  double *move, *half;           /* of each cluster: how far it has moved; see above, 0 at first */
  double *norm, largest;         /* half of the squared length of each centre; the largest length */
  double longest, longest_other; /* of all moves; of those of all clusters but `mover` */
  int64_t mover;
  double up, down; /* 1 with the margin for the error of a distance */
  double *room;    /* of each thread */
  int64_t room_size;
  bool *changed; /* of each thread: a point has moved */
} lloyd;

/* The working memory of a thread. */
typedef struct lloyd_room {
  int64_t *number; /* BATCH points that are not left out */
  double *square;  /* BATCH */
  gg_kmeans_block block;
  double *point;
} lloyd_room;

/* --- Bounds ----------------------------------------------------------------------------------- */

/* Returns a number that is not below one that was rounded once. */
static double raised(double value) { return value + fabs(value) * DBL_EPSILON; }

/* Returns a number that is not above it. */
static double lowered(double value) { return value - fabs(value) * DBL_EPSILON; }

/* Returns the upper bound of a distance by its computed square. */
static double upper_bound(const lloyd *s, double square) { return sqrt(square) * s->up + TINY; }

/* Returns the lower bound. */
static double lower_bound(const lloyd *s, double square) { return sqrt(square) * s->down - TINY; }

/* True if a distance is computed as the smaller one of both, if the bounds are right. */
static bool is_nearer(const lloyd *s, double upper, double lower) {
  return upper * s->up + TINY < lower * s->down - TINY;
}

/* Measures how far the centres have moved. Empty clusters do not move. */
static void measure_moves(lloyd *s) {
  const gg_kmeans *means = s->means;
  s->longest = s->longest_other = 0;
  s->mover = -1;
  for (int64_t l = 0; l < means->k; ++l) {
    const double square =
        gg_kmeans_square(means->center + l * means->p, s->before + l * means->p, means->p);
    s->move[l] = isnan(square) ? 0 : upper_bound(s, square);
    if (s->move[l] > s->longest) {
      s->longest_other = s->longest;
      s->longest = s->move[l];
      s->mover = l;
    } else if (s->move[l] > s->longest_other) {
      s->longest_other = s->move[l];
    }
  }
}

/* Measures the lengths of the centres. An empty cluster has the length NaN. */
static void measure_lengths(lloyd *s) {
  const gg_kmeans *means = s->means;
  s->largest = 0;
  for (int64_t l = 0; l < means->k; ++l) {
    double sum = 0;
    for (int64_t j = 0; j < means->p; ++j)
      sum += means->center[l * means->p + j] * means->center[l * means->p + j];
    s->norm[l] = sum / 2;
    if (sum > s->largest) s->largest = sum;
  }
  s->largest = sqrt(s->largest);
}

/* Finds half of the distance of each centre from the nearest other one. */
static void measure_halves(void *job, gg_range range) {
  const lloyd *s = job;
  const gg_kmeans *means = s->means;
  for (int64_t l = range.first; l < range.last; ++l) {
    double least = INFINITY;
    for (int64_t o = 0; o < means->k; ++o) {
      if (o == l) continue;
      const double square =
          gg_kmeans_square(means->center + l * means->p, means->center + o * means->p, means->p);
      if (square < least) least = square;
    }
    s->half[l] = lower_bound(s, least) / 2;
  }
}

/* --- Assignment ------------------------------------------------------------------------------- */

/* Changes the bounds of a point by the moves of centres. Returns the lower bound of the distance
   from any other centre. */
static double move_bounds(lloyd *s, int64_t i) {
  const int32_t own = s->means->cluster[i];
  const double other = own == s->mover ? s->longest_other : s->longest;
  s->upper[i] = raised(s->upper[i] + s->move[own]);
  s->lower[i] = lowered(s->lower[i] - other);
  return s->lower[i] > s->half[own] ? s->lower[i] : s->half[own];
}

/* Computes the squared distances of points from their own centres. */
static void square_own(const lloyd *s, const int64_t *number, int64_t count, double *square) {
  const gg_kmeans *means = s->means;
  for (int64_t a = 0; a < count; ++a)
    square[a] = 0;
  for (int64_t j = 0; j < means->p; ++j) {
    const double *x = means->x + j * means->ld, *center = means->center + j;
    for (int64_t a = 0; a < count; ++a) {
      const double difference = x[number[a]] - center[means->cluster[number[a]] * means->p];
      square[a] += difference * difference;
    }
  }
}

/* Finds the points from `first` to before `last` whose centre may change. Returns their number. */
static int64_t find_unsettled(lloyd *s, int64_t first, int64_t last, const lloyd_room *room) {
  int64_t count = 0, kept = 0;
  for (int64_t i = first; i < last; ++i)
    if (s->means->cluster[i] < 0 || !is_nearer(s, s->upper[i], move_bounds(s, i)))
      room->number[count++] = i;
  if (count == 0 || s->means->cluster[first] < 0) return count;
  square_own(s, room->number, count, room->square);
  for (int64_t a = 0; a < count; ++a) {
    const int64_t i = room->number[a];
    const double half = s->half[s->means->cluster[i]];
    s->upper[i] = upper_bound(s, room->square[a]);
    if (!is_nearer(s, s->upper[i], s->lower[i] > half ? s->lower[i] : half))
      room->number[kept++] = i;
  }
  return kept;
}

/* Moves point i to a cluster. Returns whether it was in another one. */
static bool move_point(const lloyd *s, int64_t i, double nearest) {
  int32_t *cluster = &s->means->cluster[i];
  const bool moves = *cluster != (int32_t)nearest;
  *cluster = (int32_t)nearest;
  return moves;
}

/* Assigns points to the nearest centres. Returns whether one has moved. */
static bool assign_by_distances(lloyd *s, const int64_t *number, int64_t count,
                                const lloyd_room *room) {
  bool moved = false;
  gg_kmeans_pack(s->means, number, 0, count, room->point);
  s->means->kernels->nearest(&room->block);
  for (int64_t a = 0; a < count; ++a) {
    moved = move_point(s, number[a], room->block.nearest[a]) || moved;
    s->upper[number[a]] = upper_bound(s, room->block.best[a]);
    s->lower[number[a]] = lower_bound(s, room->block.next[a]);
  }
  return moved;
}

/* Does the same by estimates where they suffice. All rounded operations on them have errors that
   are a part of the margin. */
static bool assign(lloyd *s, const int64_t *number, int64_t count, const lloyd_room *room) {
  const gg_kmeans_block *block = &room->block;
  int64_t unsure[GG_KMEANS_BLOCK], left = 0;
  bool moved = false;
  gg_kmeans_pack(s->means, number, 0, count, room->point);
  s->means->kernels->estimate(block);
  for (int64_t a = 0; a < count; ++a) {
    const double length = sqrt(block->squares[a]) + s->largest;
    const double error = 4 * (s->up - 1) * length * length;
    if (!(block->next[a] - block->best[a] > error + TINY)) {
      unsure[left++] = number[a];
      continue;
    }
    const double nearest = block->squares[a] + 2 * block->best[a] + error;
    const double other = block->squares[a] + 2 * block->next[a] - error;
    moved = move_point(s, number[a], block->nearest[a]) || moved;
    s->upper[number[a]] = upper_bound(s, nearest > 0 ? nearest : 0);
    s->lower[number[a]] = lower_bound(s, other > 0 ? other : 0);
  }
  return (left > 0 && assign_by_distances(s, unsure, left, room)) || moved;
}

/* Returns the working memory of a thread. */
static lloyd_room room_of(const lloyd *s, int32_t worker) {
  const gg_kmeans *means = s->means;
  double *at = s->room + worker * s->room_size, *own = at + 2 * BATCH;
  double *point = own + 5 * GG_KMEANS_BLOCK;
  return (lloyd_room){.number = (int64_t *)(void *)at,
                      .square = at + BATCH,
                      .block = {.p = means->p,
                                .k = means->k,
                                .center = means->center,
                                .point = point,
                                .best = own,
                                .next = own + GG_KMEANS_BLOCK,
                                .nearest = own + 2 * GG_KMEANS_BLOCK,
                                .second = own + 3 * GG_KMEANS_BLOCK,
                                .half = s->norm,
                                .squares = own + 4 * GG_KMEANS_BLOCK},
                      .point = point};
}

/* Assigns the points of batches. */
static void assign_batches(void *job, gg_range range) {
  lloyd *s = job;
  const lloyd_room room = room_of(s, range.worker);
  for (int64_t b = range.first; b < range.last; ++b) {
    const int64_t first = b * BATCH, end = first + BATCH;
    const int64_t count = find_unsettled(s, first, end < s->means->n ? end : s->means->n, &room);
    for (int64_t a = 0; a < count; a += GG_KMEANS_BLOCK) {
      const int64_t rest = count - a;
      if (assign(s, room.number + a, rest < GG_KMEANS_BLOCK ? rest : GG_KMEANS_BLOCK, &room))
        s->changed[range.worker] = true;
    }
  }
}

/* Assigns all points. Returns whether one has moved. */
static bool assign_all(lloyd *s) {
  gg_kmeans *means = s->means;
  bool moved = false;
  for (int32_t w = 0; w < means->threads; ++w)
    s->changed[w] = false;
  gg_call_loop(means->call, (gg_loop){.threads = means->threads,
                                      .count = (means->n + BATCH - 1) / BATCH,
                                      .work = assign_batches,
                                      .job = s});
  for (int32_t w = 0; w < means->threads; ++w)
    moved = moved || s->changed[w];
  return moved && !means->call->status;
}

/* --- The algorithm ---------------------------------------------------------------------------- */

/* Moves the centres to the means of their points. */
static void move_centers(lloyd *s) {
  gg_kmeans *means = s->means;
  for (int64_t e = 0; e < means->k * means->p; ++e)
    s->before[e] = means->center[e];
  gg_kmeans_average(means);
  measure_moves(s);
  gg_call_loop(
      means->call,
      (gg_loop){.threads = means->threads, .count = means->k, .work = measure_halves, .job = s});
}

/* Allocates. */
static gpugeo_status make_lloyd(lloyd *s) {
  const gg_kmeans *means = s->means;
  gg_call *call = means->call;
  const double margin = (double)(means->p + 16) * DBL_EPSILON;
  s->up = 1 + margin;
  s->down = 1 - margin;
  s->room_size = 2 * BATCH + (5 + means->p) * GG_KMEANS_BLOCK;
  s->upper = gg_call_allocate(call, 2 * means->n, sizeof *s->upper);
  s->before = gg_call_allocate(call, means->k * (means->p + 3), sizeof *s->before);
  s->room = gg_call_allocate(call, means->threads * s->room_size, sizeof *s->room);
  s->changed = gg_call_allocate(call, means->threads, sizeof *s->changed);
  if (call->status) return call->status;
  s->lower = s->upper + means->n;
  s->move = s->before + means->k * means->p;
  s->half = s->move + means->k;
  s->norm = s->half + means->k;
  for (int64_t i = 0; i < means->n; ++i)
    means->cluster[i] = -1;
  return call->status;
}

gpugeo_status gg_kmeans_lloyd(gg_kmeans *means) {
  lloyd s = {.means = means};
  bool moved = !make_lloyd(&s);
  while (moved && means->iterations < means->most && !means->call->status) {
    ++means->iterations;
    measure_lengths(&s);
    moved = assign_all(&s);
    if (moved) move_centers(&s);
  }
  if (moved && !means->call->status) {
    ++means->iterations;
    means->fault = 2;
  }
  gg_free(s.upper);
  gg_free(s.before);
  gg_free(s.room);
  gg_free(s.changed);
  return means->call->status;
}

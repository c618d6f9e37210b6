/* Counts the crossings of edges in the plane, which exact signs of areas decide. */
#include "layout/quality/crossings.h"

#include <math.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/parallel.h"
#include "common/random.h"

typedef struct point {
  double x, y;
} point;

/* --- The side of a line ----------------------------------------------------------------------- */

/* Adds b to a sum held exactly in n doubles that do not overlap, the smallest first, without zeros,
   and returns their new number (grow-expansion, Shewchuk 1997). */
static int grow_expansion(double *sum, int n, double b) {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    const double a = sum[i], total = a + b, part = total - a;
    const double rest = (a - (total - part)) + (b - part); /* of a + b, exactly */
    if (rest != 0) sum[kept++] = rest;
    b = total;
  }
  if (b != 0) sum[kept++] = b;
  return kept;
}

/* Returns the sign of a number. */
static int sign_of(double value) { return (value > 0) - (value < 0); }

/* Returns the sign of ax by - ay bx + bx cy - by cx + cx ay - cy ax, each product as two doubles.
 */
static int exact_side(point a, point b, point c) {
  const double left[] = {a.x, -a.y, b.x, -b.y, c.x, -c.y};
  const double right[] = {b.y, b.x, c.y, c.x, a.y, a.x};
  double sum[12];
  int n = 0;
  for (int i = 0; i < 6; ++i) {
    const double product = left[i] * right[i];
    n = grow_expansion(sum, n, fma(left[i], right[i], -product));
    n = grow_expansion(sum, n, product);
  }
  return n ? sign_of(sum[n - 1]) : 0;
}

/* Returns 1, -1 or 0 if c is to the left of the line from a to b, to its right, or on it. */
static int side(point a, point b, point c) {
  const double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
  const double area = left - right;
  /* The rounding error is less than (3 + 16 u) u of the products, u = 2^-53, plus underflow. */
  const double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right)) + 0x1p-1000;
  if (fabs(area) > bound) return sign_of(area);
  const bool nothing = (a.x == c.x || b.y == c.y) && (a.y == c.y || b.x == c.x);
  return nothing ? 0 : exact_side(a, b, c);
}

/* --- Pairs of edges --------------------------------------------------------------------------- */

/* Returns the position of a vertex. */
static point point_of(const gg_measured *m, int32_t vertex) {
  return (point){m->at[0][vertex], m->at[1][vertex]};
}

/* True if the ranges from a to b and from c to d have no common point. */
static bool disjoint(double a, double b, double c, double d) {
  return fmax(a, b) < fmin(c, d) || fmax(c, d) < fmin(a, b);
}

/* True if two edges without a common vertex cross or touch. */
static bool cross(const gg_measured *m, int64_t e, int64_t f) {
  const int32_t *one = m->ends + 2 * e, *two = m->ends + 2 * f;
  if (one[0] == two[0] || one[0] == two[1] || one[1] == two[0] || one[1] == two[1]) return false;
  const point a = point_of(m, one[0]), b = point_of(m, one[1]);
  const point c = point_of(m, two[0]), d = point_of(m, two[1]);
  if (disjoint(a.x, b.x, c.x, d.x) || disjoint(a.y, b.y, c.y, d.y)) return false;
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

typedef struct crossing_job {
  const gg_measured *measured;
  int64_t pairs; /* that are drawn */
  uint64_t seed;
  int64_t count; /* of crossings */
} crossing_job;

/* Counts the crossings of edges with all later edges. */
static void count_later(void *data, gg_range range) {
  crossing_job *job = data;
  int64_t count = 0;
  for (int64_t e = range.first; e < range.last; ++e)
    for (int64_t f = e + 1; f < job->measured->edges; ++f)
      count += cross(job->measured, e, f);
  gg_atomic_add(&job->count, count);
}

enum { RUN = 4096 }; /* grain of the loop over drawn pairs */

/* Counts the crossings of drawn pairs: pair p uses the random numbers 2 p and 2 p + 1. */
static void count_drawn(void *data, gg_range range) {
  crossing_job *job = data;
  const uint64_t edges = (uint64_t)job->measured->edges;
  int64_t count = 0;
  for (int64_t p = range.first; p < range.last; ++p) {
    const uint64_t number = 2 * (uint64_t)p;
    const uint64_t e = gg_random(job->seed, number) % edges;
    const uint64_t f = gg_random(job->seed, number + 1) % (edges - 1);
    count += cross(job->measured, (int64_t)e, (int64_t)(f + (f >= e)));
  }
  gg_atomic_add(&job->count, count);
}

/* Counts the crossings of all pairs of edges, or of those drawn. */
static gpugeo_status count_crossings(crossing_job *job, bool all) {
  return gg_call_loop(job->measured->call,
                      (gg_loop){.threads = job->measured->threads,
                                .count = all ? job->measured->edges : job->pairs,
                                .grain = all ? 1 : RUN,
                                .work = all ? count_later : count_drawn,
                                .job = job,
                                .begun = 0.8,
                                .share = 0.2});
}

gpugeo_status gg_layout_crossings(const gg_measured *m, int64_t pairs, uint64_t seed,
                                  gpugeo_layout_quality_result *quality) {
  const double all = 0.5 * (double)m->edges * (double)(m->edges - 1);
  crossing_job job = {.measured = m, .pairs = pairs, .seed = seed};
  const bool each = (double)pairs >= all;
  if (count_crossings(&job, each)) return m->call->status;
  const double share = each ? 0 : (double)job.count / (double)pairs;
  quality->crossings = each ? (double)job.count : share * all;
  quality->crossings_error = each ? 0 : all * sqrt(share * (1 - share) / (double)pairs);
  return GPUGEO_OK;
}

/*
 * The paper's two schemes of all pairs. Usual: each point is tested with those after it. Cyclic:
 * each is tested with as many as there are to the other side of the circle, so all do the same
 * work. With y each point of x is tested with all of y.
 *
 * Points of y are taken in tiles that stay in the first cache while a block of x is tested with
 * them.
 */
#include "points/cpu/collide_all.h"

#include <stdlib.h>

#include "common/integer.h"
#include "common/matrix.h"

static const int64_t tile = 1024;

/* Returns the candidates of point i: positions from begin to end, those from n on being 0, 1, ...
 * again. */
static gg_span partners(const gg_collide_plan *plan, int64_t i) {
  const int64_t n = plan->ny;
  if (!plan->within) return (gg_span){0, n};
  if (plan->algorithm != GPUGEO_COLLISIONS_ALGORITHM_CYCLIC) return (gg_span){i + 1, n};
  const int64_t half_round = n % 2 == 0 && i < n / 2;
  return (gg_span){i + 1, i + 1 + (n - 1) / 2 + half_round};
}

/* Copies the points, scaled, in the order of their rows. radii: NULL for one radius. */
static void copy_points(const gg_cpu_search *search, const gpugeo_matrix *x, const double *radii,
                        gg_cpu_points *points) {
  const gg_collide_plan *plan = search->plan;
  if (gg_cpu_points_allocate(search, x->nrow, points)) return;
  for (int64_t i = 0; i < x->nrow; ++i) {
    for (int32_t c = 0; c < plan->rule.columns; ++c)
      points->coordinate[c][i] = gg_element(x, i, c) * plan->rule.scale;
    points->row[i] = (double)i;
    if (radii) points->radius[i] = radii[i] * plan->rule.scale;
  }
}

/* Tests a block of points against all their partners. */
static void test_block(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task) {
  const gg_collide_plan *plan = search->plan;
  const int64_t block = *(const int64_t *)own, n = plan->ny;
  const int64_t begin = task * block, end = gg_smaller(begin + block, plan->nx);
  const int64_t first = partners(plan, begin).begin;
  const int64_t last = gg_larger(partners(plan, begin).end, partners(plan, end - 1).end);
  for (int64_t t = first, next; t < last; t = next) {
    next = t < n && t + tile > n ? n : t + tile; /* no tile goes past the circle's end */
    const int64_t turn = t < n ? 0 : n;
    for (int64_t i = begin; i < end; ++i) {
      const gg_span all = partners(plan, i);
      const gg_span here = {gg_larger(all.begin, t) - turn, gg_smaller(all.end, next) - turn};
      if (here.begin < here.end) gg_cpu_test_point(search, found, i, &here, 1);
    }
    const double part =
        ((double)begin + (double)(end - begin) * (double)(next - first) / (double)(last - first)) /
        (double)plan->nx;
    if (gg_cpu_stopped(search, part)) return;
  }
}

gpugeo_status gg_cpu_collide_all(gg_cpu_search *search) {
  const gg_collide_plan *plan = search->plan;
  copy_points(search, &plan->x, plan->radii_x, &search->a);
  if (plan->within)
    search->b = search->a;
  else
    copy_points(search, &plan->y, plan->radii_y, &search->b);
  int64_t block = gg_larger(1, gg_smaller(256, plan->nx / (16 * plan->threads)));
  const int64_t tasks = (plan->nx + block - 1) / block;
  gg_cpu_passes(search, !plan->within, tasks, test_block, &block);
  if (!plan->within) gg_free(search->b.block);
  gg_free(search->a.block);
  return search->call->status;
}

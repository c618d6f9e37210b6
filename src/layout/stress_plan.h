/* Layouts by stress of one connected graph on a backend, and what they share with the host's. */
#ifndef GG_LAYOUT_STRESS_PLAN_H
#define GG_LAYOUT_STRESS_PLAN_H

#include <math.h>

#include "common/c_linkage.h"
#include "layout/plan.h"
#include "layout/stress_sums.h"

GG_C_BEGIN

/* --- Iterations ------------------------------------------------------------------------------- */

enum {
  GG_STRESS_GROUPS = 16, /* of vertices, which are moved one after the other */
  GG_STRESS_STEADY = 1   /* iterations end after so many whose stress hardly decreases, */
};

/* that is by less than this fraction. Most graphs take 20 to 60 iterations. On a triangulation of
   4,000 points, drawn in two layers that slide apart, 1e-4 ended after 190 at a stress that was
   1.1 % above that of stochastic descent (s_gd2); 2e-5 took 234 and was 0.9 % above. */
#define GG_STRESS_LEAST_DECREASE(iterations) ((iterations) < 100 ? 1e-4 : 2e-5)

/* A vertex moves this many times as far as to the mean of its terms. On trees, cycles, grids and
   triangulations 1.5 takes half of the iterations that 1 takes; with 1.7 some end sooner at a
   higher stress. */
#define GG_STRESS_RELAXATION                 1.5

/* Squares of distances are at least this, so that a quotient is finite. */
#define GG_STRESS_LEAST_SQUARE               1e-60

/* Vertices at one point would move alike: first positions are moved by up to this fraction of the
   mean length of an edge. */
#define GG_STRESS_JITTER                     0.05

/* Parts of the progress. */
#define GG_STRESS_PIVOTS_SHARE               0.3
#define GG_STRESS_START_SHARE                0.05

/* Returns the progress: of the iterations, or of the decrease towards its least fraction. */
static inline double gg_stress_progress(int64_t done, int64_t most, double decrease, double least) {
  const double by_count = (double)done / (double)most;
  const double by_decrease = decrease > 0 ? log(fmin(decrease, 1)) / log(least) : 0;
  return fmin(1, fmax(by_count, by_decrease));
}

/* --- A backend's layout ----------------------------------------------------------------------- */

/* A graph whose edges have length 1, with more vertices than pivots. */
typedef struct gg_stress_plan {
  const gg_layout_plan *layout; /* iterations are not negative; forces are not used */
  int64_t pivots;
  uint64_t seed;
  bool placed;  /* begins at the plan's positions */
  double bytes; /* of device memory, about */
  int32_t threads, device;
} gg_stress_plan;

typedef struct gg_stress_outcome {
  bool done; /* false: the graph has longer paths than the backend's distances, use the host */
  gg_layout_outcome layout;
  gg_stress_sums sums; /* over the pairs of a pivot and a vertex */
} gg_stress_outcome;

GG_C_END

#endif

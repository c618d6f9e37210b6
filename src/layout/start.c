/* Where the vertices of a layout start. */
#include <math.h>

#include "common/random.h"
#include "layout/parts.h"

/* The range of a coordinate: what the bounds leave of [-side / 2, side / 2], or, where that is
   nothing, so much beside the bound that is nearer. */
static void find_range(double side, double lower, double upper, double *low, double *high) {
  *low = fmax(lower, -side / 2);
  *high = fmin(upper, side / 2);
  if (*low <= *high) return;
  if (lower > side / 2)
    *high = fmin(upper, lower + side);
  else
    *low = fmax(lower, upper - side);
}

void gg_layout_start(int64_t vertices, int32_t dim, uint64_t seed, double side, const double *lower,
                     const double *upper, double *positions) {
  for (int64_t c = 0; c < dim; ++c)
    for (int64_t v = 0; v < vertices; ++v) {
      const int64_t at = v + c * vertices;
      double low, high;
      find_range(side, lower ? lower[at] : -INFINITY, upper ? upper[at] : INFINITY, &low, &high);
      const double share = gg_random_unit(seed, (uint64_t)(3 * v + c));
      positions[at] = fmin(low + share * (high - low), high);
    }
}

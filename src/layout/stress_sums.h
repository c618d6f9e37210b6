/* Stress of a layout from sums over pairs of vertices. */
#ifndef GG_LAYOUT_STRESS_SUMS_H
#define GG_LAYOUT_STRESS_SUMS_H

#include <math.h>
#include <stdint.h>

/* Sums over pairs of vertices of the ratio r = d / g of the distances in the layout and in the
   graph. */
typedef struct gg_stress_sums {
  double ratio, square; /* of r, of r^2 */
  int64_t pairs;
} gg_stress_sums;

/* Adds the sums of other pairs. */
static inline void gg_stress_add(gg_stress_sums *all, const gg_stress_sums *part) {
  all->ratio += part->ratio;
  all->square += part->square;
  all->pairs += part->pairs;
}

/* Returns the sum of (r - 1)^2. */
static inline double gg_stress_unscaled(const gg_stress_sums *all) {
  return all->square - 2 * all->ratio + (double)all->pairs;
}

/* Returns the factor s for which the sum of (s r - 1)^2 is least: sum r / sum r^2. NaN if all
   vertices are at one point, where every s gives the same. */
static inline double gg_stress_scale(const gg_stress_sums *all) {
  return all->square > 0 ? all->ratio / all->square : NAN;
}

/* Returns the mean of (s r - 1)^2 for this s, 1 - (sum r)^2 / (N sum r^2); NaN without pairs. */
static inline double gg_stress_of(const gg_stress_sums *all) {
  if (all->pairs == 0) return NAN;
  if (!(all->square > 0)) return 1;
  return fmax(0, 1 - gg_stress_scale(all) * all->ratio / (double)all->pairs);
}

#endif

/* Points that coincide, as one location with several rows. */
#ifndef GG_CPU_CLOSEST_LOCATIONS_H
#define GG_CPU_CLOSEST_LOCATIONS_H

#include "points/cpu/closest_best.h"
#include "points/cpu/grid.h"

typedef struct gg_locations {
  int32_t *row;   /* of all points, location by location, ascending in each */
  int32_t *first; /* of each location in row, and the end */
} gg_locations;

/* Joins the points of a grid with equal coordinates (on the sphere: of equal locations there) into
   one point: keys and coordinates move together, grid->n shrinks to the number of locations, and
   grid->row becomes the number of the location. To be freed by gg_locations_free(), also after a
   failure. */
gpugeo_status gg_locations_make(gg_grid *grid, const gg_point_rule *rule, const gpugeo_matrix *raw,
                                double progress, gg_locations *locations, gg_call *call);
void gg_locations_free(gg_locations *locations);

/* Returns the rows at a location. */
static inline gg_best_rows gg_locations_rows(const gg_locations *locations, int64_t location) {
  const int32_t first = locations->first[location];
  return (gg_best_rows){locations->row + first, locations->first[location + 1] - first};
}

#endif

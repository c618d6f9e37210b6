/* Points that coincide, as one place with several rows. */
#ifndef GG_CPU_CLOSEST_PLACES_H
#define GG_CPU_CLOSEST_PLACES_H

#include "points/cpu/closest_best.h"
#include "points/cpu/grid.h"

typedef struct gg_places {
  int32_t *row;   /* of all points, place by place, ascending in each */
  int32_t *first; /* of each place in row, and the end */
} gg_places;

/* Joins the points of a grid with equal coordinates (on the sphere: of equal places there) into
   one point: keys and coordinates move together, grid->n shrinks to the number of places, and
   grid->row becomes the number of the place. */
gpugeo_status gg_places_make(gg_grid *grid, const gg_point_rule *rule, const gpugeo_matrix *raw,
                             gg_clock *clock, double progress, gg_places *places,
                             gpugeo_error *error);
void gg_places_free(gg_places *places);

static inline gg_best_rows gg_places_rows(const gg_places *places, int64_t place) {
  const int32_t first = places->first[place];
  return (gg_best_rows){places->row + first, places->first[place + 1] - first};
}

#endif

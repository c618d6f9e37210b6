/* Points in the order of one column, for the algorithms of Baroni, Braga and Moreano (2020). */
#ifndef GG_CPU_CLOSEST_SORTED_AXIS_H
#define GG_CPU_CLOSEST_SORTED_AXIS_H

#include "points/cpu/closest_grid.h"

/*
 * Locations in ascending order of their coordinates. The first coordinate here is the matrix's
 * column of the largest extent, because equal values are rarest there; locations where it is equal
 * are ordered by the next one. Equal points are one location with several rows.
 */
typedef struct gg_sorted_axis {
  int64_t n; /* locations */
  int columns;
  double *at[GG_POINT_COLUMNS]; /* scaled; NULL where there is no column */
  int column[GG_POINT_COLUMNS]; /* the matrix's column of each */
  int32_t *row;                 /* of all points, location by location, ascending in each */
  int32_t *first;               /* of each location in row, and the end */
  void *memory;
} gg_sorted_axis;

/* Sorts the points. To be freed by gg_sorted_axis_free(), also after a failure. */
gpugeo_status gg_sorted_axis_make(const gg_closest_search *search, const gg_point_range *range,
                                  gg_sorted_axis *axis);
void gg_sorted_axis_free(gg_sorted_axis *axis);

/* Returns the rows at a location. */
static inline gg_best_rows gg_sorted_axis_rows(const gg_sorted_axis *axis, int64_t location) {
  const int32_t first = axis->first[location];
  return (gg_best_rows){axis->row + first, axis->first[location + 1] - first};
}

/* The pairs so far, and the largest difference in a column of the pairs that must be tested. */
typedef struct gg_sorted_axis_search {
  const gg_closest_search *search;
  const gg_sorted_axis *axis;
  gg_best best;
  double limit;
} gg_sorted_axis_search;

/* Offers the pairs of two locations, or within one location, and lowers the limit. */
void gg_sorted_axis_offer(gg_sorted_axis_search *s, int64_t p, int64_t q);

#endif

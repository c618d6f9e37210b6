/* Points in the order of one column, for the methods of Baroni, Braga and Moreano (2020). */
#ifndef GG_CPU_CLOSEST_LINE_H
#define GG_CPU_CLOSEST_LINE_H

#include "points/cpu/closest_grid.h"

/*
 * Places in ascending order of their coordinates. The first coordinate here is the matrix's column
 * of the largest extent, because equal values are rarest there; places where it is equal are
 * ordered by the next one. Equal points are one place with several rows.
 */
typedef struct gg_line {
  int64_t n; /* places */
  int columns;
  double *at[GG_POINT_COLUMNS]; /* scaled; NULL where there is no column */
  int axis[GG_POINT_COLUMNS];   /* the matrix's column of each */
  int32_t *row;                 /* of all points, place by place, ascending in each */
  int32_t *first;               /* of each place in row, and the end */
  void *memory;
} gg_line;

gpugeo_status gg_line_make(const gg_closest_search *search, const gg_point_range *range,
                           gg_line *line, gpugeo_error *error);
void gg_line_free(gg_line *line);

static inline gg_best_rows gg_line_rows(const gg_line *line, int64_t place) {
  const int32_t first = line->first[place];
  return (gg_best_rows){line->row + first, line->first[place + 1] - first};
}

/* The pairs so far, and the largest difference in a column of the pairs that must be tested. */
typedef struct gg_line_search {
  const gg_closest_search *search;
  const gg_line *line;
  gg_best best;
  double limit;
} gg_line_search;

/* Offers the pairs of two places, or within one place, and lowers the limit. */
void gg_line_offer(gg_line_search *s, int64_t p, int64_t q);

/* Finds closest pairs by regions of 32 along the line: method is one of SWEEP_V0, V1, V2. */
gpugeo_status gg_closest_sweep(const gg_closest_search *search, const gg_line *line,
                               gpugeo_closest_method method, gg_best *best, gpugeo_error *error);

/* Finds closest pairs by divide and conquer. */
gpugeo_status gg_closest_divide(const gg_closest_search *search, const gg_line *line, gg_best *best,
                                gpugeo_error *error);

#endif

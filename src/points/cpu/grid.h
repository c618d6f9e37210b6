/*
 * A grid of cells over points of 1 to 3 columns, for closest pairs and collisions: finds the points
 * that may lie within a given length of each other.
 *
 * Points are sorted by the key of their cell; a cell is a run of equal keys, which is found by
 * searching the keys. Therefore memory is O(n) for any range of coordinates. Keys run along the
 * first column first: the cells left and right of a cell are next to it, and all cells near a cell
 * are in at most GG_GRID_RUNS runs of positions.
 */
#ifndef GG_CPU_GRID_H
#define GG_CPU_GRID_H

#include <math.h>
#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"
#include "points/point_step.h"

/* Cells along one column, numbered from 0 to count - 1. If keys have no room for that many,
   numbers that are equal modulo `folded` share a key: such cells are far from each other, and
   the test of distances removes their pairs. */
typedef struct gg_grid_axis {
  double low, inverse; /* a cell's number is floor((a - low) * inverse) */
  double period;       /* of a periodic column, then low is 0; else 0 */
  int64_t count, folded;
} gg_grid_axis;

typedef struct gg_grid_shape {
  int columns;
  gg_grid_axis axis[GG_POINT_COLUMNS]; /* one cell along columns that are not there */
  uint64_t keys;                       /* keys are below */
} gg_grid_shape;

/* Returns the cell number of a coordinate between the low and high that the shape was made for. */
static inline int64_t gg_grid_cell(const gg_grid_axis *axis, double a) {
  double from_low = a - axis->low;
  if (axis->period > 0 && !(a >= 0 && a < axis->period)) {
    from_low = fmod(a, axis->period);
    if (from_low < 0) from_low += axis->period;
  }
  const int64_t number = (int64_t)(from_low * axis->inverse);
  return number < axis->count ? number : axis->count - 1;
}

/* Returns the number of the cell, among those that are kept, for a cell of the axis. */
static inline int64_t gg_grid_fold(const gg_grid_axis *axis, int64_t number) {
  return axis->count == axis->folded ? number : number % axis->folded;
}

/* Returns the key of a point, given as its coordinates in all columns. */
static inline uint64_t gg_grid_key(const gg_grid_shape *shape, const double *at) {
  int64_t key = 0;
  for (int c = shape->columns - 1; c >= 0; --c)
    key = key * shape->axis[c].folded +
          gg_grid_fold(&shape->axis[c], gg_grid_cell(&shape->axis[c], at[c]));
  return (uint64_t)key;
}

/*
 * Returns a shape for points with coordinates in [low, high] whose cells are at least `length` in
 * size, so two points at most `length` apart in each column lie in the same cell or in
 * neighbouring ones. This holds with rounding errors of 2^-50 of the coordinates if there are fewer
 * than 2^40 cells; if the points extend over more, cells are larger.
 *
 * length  for each column, at least 0
 * box     periodic lengths, 0: not periodic; coordinates may then lie outside [0, box)
 */
gg_grid_shape gg_grid_shape_make(int columns, const double *low, const double *high,
                                 const double *length, const double *box);

/* Points in the order of keys, in a cell in the order of rows. */
typedef struct gg_grid {
  gg_grid_shape shape;
  int64_t n;
  uint64_t *key;
  int32_t *row;                 /* of the matrix, from 0 */
  double *at[GG_POINT_COLUMNS]; /* coordinates by column, times scale; NULL where there is none */
  void *memory;
} gg_grid;

/* The points of a grid, all borrowed. */
typedef struct gg_grid_points {
  const gg_grid_shape *shape;
  const gpugeo_matrix *points; /* fewer than 2^31 rows, finite and, times scale, within the shape */
  double scale;
  int32_t threads;
  double before, after; /* of the call's progress */
} gg_grid_points;

/* Builds a grid, to be freed by gg_grid_free(), also after a failure. */
gpugeo_status gg_grid_build(const gg_grid_points *from, gg_grid *grid, gg_call *call);
void gg_grid_free(gg_grid *grid);

/* --- cells near a cell ------------------------------------------------------------------------ */

/* Positions [first, last). */
typedef struct gg_grid_run {
  int64_t first, last;
} gg_grid_run;

enum { GG_GRID_RUNS = 18 }; /* at most: 9 rows of cells, each in two parts where it goes round */

/* The last positions of a traversal of the cells, where the next search starts. All 0 at the
   start. */
typedef struct gg_grid_walk {
  int64_t position[GG_GRID_RUNS];
} gg_grid_walk;

/* Returns the end of the cell that begins at a position. */
int64_t gg_grid_cell_end(const gg_grid *grid, int64_t position);

/* Returns the start of the first cell that begins at or after a position, or n: for dividing
   work. */
int64_t gg_grid_cell_start(const gg_grid *grid, int64_t position);

/*
 * Finds runs of positions that together hold, once each, all points in the cell of a location and
 * in those around it. Returns the number of runs, without empty ones. Fast if cells are visited in
 * the order of keys, with one gg_grid_walk for each thread.
 *
 * location: coordinates within the shape's bounds (of this grid, or of another one of that shape).
 * least: only positions from here on; 0 for all, or the end of the location's own cell in this grid
 * for each pair of cells once.
 */
int gg_grid_near(const gg_grid *grid, const double *location, int64_t least, gg_grid_walk *walk,
                 gg_grid_run *runs);

#endif

/* Blocks of pairs of points, and how they are divided into tiles. */
#ifndef GG_CUDA_PAIRS_CUH
#define GG_CUDA_PAIRS_CUH

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace gpugeo {

__host__ __device__ inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
__host__ __device__ inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
__host__ __device__ inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
__host__ __device__ inline int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

/*
 * The pairs of the row points [i0, i1) with the column points [j0, j1), of which, when all are
 * points of x, only those on one side of the diagonal count: from column `wedge` on, column j
 * begins at row j + below. Their values are packed column by column.
 *
 *        j0      wedge   j1
 *     i0 +---------+
 *        |         |\
 *        |         | \
 *        |         |  |
 *     i1 +---------+--+
 */
struct pair_block {
  int64_t i0, i1, j0, j1;
  int64_t wedge; /* in [j0, j1], and at least i0 where less than j1 */
  int64_t below; /* 1: without the diagonal, 0: with it */

  __host__ __device__ int64_t first_row(int64_t j) const { return j < wedge ? i0 : j + below; }

  /* Returns the offset of column j's values. */
  __host__ __device__ int64_t offset(int64_t j) const {
    if (j <= wedge) return (j - j0) * (i1 - i0);
    const int64_t d = j - wedge;
    return (wedge - j0) * (i1 - i0) + d * (i1 - below - wedge) - d * (d - 1) / 2;
  }

  __host__ __device__ int64_t size() const { return offset(j1); }

  /* Returns the last column that begins at or before value e. */
  __host__ __device__ int64_t column_of(int64_t e) const {
    int64_t low = j0, high = j1;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      if (offset(middle) <= e)
        low = middle;
      else
        high = middle;
    }
    return low;
  }

  /* Returns the part of the block in columns [from, to). */
  pair_block columns(int64_t from, int64_t to) const {
    pair_block part = *this;
    part.j0 = from;
    part.j1 = to;
    part.wedge = larger(from, smaller(wedge, to));
    return part;
  }
};

/* One tile: pairs of rows [i, i + rows) with columns [j, j + columns) as far as they lie in the
   block, below the diagonal, and before column `end`. */
struct tile_position {
  int64_t i, j, end;
};

/* Tiles of so many rows by so many columns, a divisor of the rows, over a block. They are numbered
   down the columns of the rectangle before the wedge, then through the wedge, where tiles above the
   diagonal have no number. */
struct tile_grid {
  int64_t rows, columns; /* of a tile */

  __host__ __device__ int64_t rectangle(const pair_block &b) const {
    return divide_up(b.i1 - b.i0, rows) * divide_up(b.wedge - b.j0, columns);
  }

  /* In the wedge, the rows/columns tile columns next to one diagonal tile row form a group; all its
     tile columns begin at that row. */
  __host__ __device__ int64_t count(const pair_block &b) const {
    if (b.wedge == b.j1) return rectangle(b);
    const int64_t down = divide_up(b.i1 - b.wedge, rows), groups = divide_up(b.j1 - b.wedge, rows);
    return rectangle(b) + rows / columns * before(down, groups);
  }

  __device__ tile_position position(const pair_block &b, int64_t tile) const {
    const int64_t in_rectangle = rectangle(b);
    if (tile < in_rectangle) {
      const int64_t down = divide_up(b.i1 - b.i0, rows);
      return {b.i0 + tile % down * rows, b.j0 + tile / down * columns, b.wedge};
    }
    tile -= in_rectangle;
    const int64_t down = divide_up(b.i1 - b.wedge, rows), wide = rows / columns;
    const int64_t row = tile / wide; /* counted through all groups */
    const double twice = 2.0 * (double)down + 1;
    int64_t group = (int64_t)((twice - sqrt(twice * twice - 8.0 * (double)row)) / 2);
    if (group < 0) group = 0;
    while (before(down, group) > row)
      --group;
    while (before(down, group + 1) <= row)
      ++group;
    return {b.wedge + (group + row - before(down, group)) * rows,
            b.wedge + (group * wide + tile % wide) * columns, b.j1};
  }

private:
  /* Returns the tile rows in the first so many groups of `down` tile rows. */
  __host__ __device__ static int64_t before(int64_t down, int64_t groups) {
    return groups * down - groups * (groups - 1) / 2;
  }
};

} // namespace gpugeo

#endif

/*
 * A grid of cells over points in 1 to 3 dimensions, for finding the points that may lie within a
 * given length of a location. Closest pairs and collisions share it.
 *
 * Points are sorted by the key of their cell. Keys are found through a directory of at most 2 n + 2
 * entries over their leading bits, and by bisection if an entry spans several cells, so that memory
 * is O(n) for any range of coordinates.
 */
#ifndef GG_CUDA_GRID_CUH
#define GG_CUDA_GRID_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {

enum { MOST_COLUMNS = 3 };

/* Points in device memory; coordinate k of point i stands at at[k][i * stride]. */
struct point_columns {
  const double *at[MOST_COLUMNS];
  int64_t n;
  int64_t stride = 1; /* the number of columns where a point's coordinates stand together: faster */
};

/* Least and greatest coordinate of each column. */
struct point_bounds {
  double low[MOST_COLUMNS], high[MOST_COLUMNS];
};

/* Compute the bounds of n > 0 points in device memory; a NaN makes its column's bounds infinite.
   scratch has bounds_scratch() bytes. */
int64_t bounds_scratch(int64_t n);
void find_bounds(const point_columns &points, int columns, point_bounds *bounds, void *scratch,
                 cudaStream_t stream);

/* Returns the bounds of both. */
point_bounds joined(const point_bounds &a, const point_bounds &b, int columns);

/* Cells along one column: numbers from 0 to count - 1, folded into `folded` ones where there are
   more than a key has room for. Cells that are folded together are far apart; a pair's distance
   tells. */
struct grid_axis {
  double scale, low, size; /* a cell's number is (scale x - low) / size; see shape_grid() */
  double period;           /* of a periodic column, else 0 */
  int64_t count, folded;

  __device__ __forceinline__ int64_t cell(double x) const {
    double from_low = scale * x - low;
    if (period > 0) {
      from_low = fmod(x, period);
      if (from_low < 0) from_low += period;
    }
    const double number = from_low / size;
    return number < (double)count ? (int64_t)number : count - 1; /* rounds towards 0 */
  }
};

struct grid_shape {
  int columns;
  grid_axis axis[MOST_COLUMNS];
  uint64_t cells; /* keys are below */
  int bits;       /* that a key has */
};

/*
 * Returns a grid for points within the bounds whose cells are at least `length` in size, so that
 * two points at most `length` apart in each column, as computed in double, lie in the same cell or
 * in neighbouring ones. Where the points extend over more than 2^40 cells, these are larger.
 *
 * length  of each column, at least 0
 * box     periodic lengths, one for each column (0: not periodic), or NULL
 */
grid_shape shape_grid(int columns, const point_bounds &bounds, const double *length,
                      const double *box);

/* A grid as kernels see it. Positions are in the order of keys, and in a cell in the order of
   rows. */
struct grid_view {
  grid_shape shape;
  const double *at[MOST_COLUMNS]; /* coordinates by position */
  const int32_t *row;             /* of the point at each position */
  const uint64_t *key;            /* by position */
  const int32_t *directory;       /* first position whose key >> shift is at least this */
  int shift;
  int64_t n;

  /* Returns the first position whose key is at least `wanted`, up to the number of cells. */
  __device__ __forceinline__ int64_t find(uint64_t wanted) const {
    const uint64_t entry = wanted >> shift;
    int64_t first = directory[entry];
    if (shift == 0) return first;
    int64_t last = directory[entry + 1];
    while (first < last) {
      const int64_t middle = (first + last) / 2;
      if (key[middle] < wanted)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
};

/* The cells of a column near one of them: folded numbers from `first` on, `count` of them, going on
   from 0 after the last. */
struct near_cells {
  int64_t first, count;
};

__device__ __forceinline__ near_cells cells_near(const grid_axis &axis, int64_t cell) {
  int64_t low = cell - 1, high = cell + 1;
  if (axis.period == 0) {
    low = larger(low, 0);
    high = smaller(high, axis.count - 1);
  }
  near_cells near;
  near.count = high - low + 1;
  near.first = (low < 0 ? low + axis.count : low) % axis.folded;
  if (near.count >= axis.folded) near = {0, axis.folded};
  return near;
}

/* Returns the cells from x - reach to x + reach; reach is at most the size of a cell. */
__device__ __forceinline__ near_cells cells_within(const grid_axis &axis, double x, double reach) {
  if (axis.count <= 3) return {0, axis.folded};
  if (axis.period > 0) {
    const int64_t first = axis.cell(x - reach), last = axis.cell(x + reach);
    const int64_t count = last - first + 1;
    return {first % axis.folded, smaller(count > 0 ? count : count + axis.count, axis.folded)};
  }
  const int64_t first = larger(axis.cell(x - reach), 0), last = axis.cell(x + reach);
  return {first % axis.folded, smaller(last - first + 1, axis.folded)};
}

/*
 * Calls visit(first, last) for runs of positions of the grid that together hold, once each, all
 * points in some cells, at positions from `least` on.
 *
 * near       the cells, by column; one cell may also be {{key, 1}, {0, 1}, {0, 1}}
 * least      0 for all points; p + 1 for those after position p of this grid itself
 * least_key  key[p] then, else 0
 */
template <class Visit>
__device__ __forceinline__ void visit_cells(const grid_view &grid,
                                            const near_cells (&near)[MOST_COLUMNS], int64_t least,
                                            uint64_t least_key, Visit visit) {
  const grid_shape &shape = grid.shape;
  const int64_t length = shape.axis[0].folded;
  const int64_t height = shape.columns > 1 ? shape.axis[1].folded : 1;
  const int64_t depth = shape.columns > 2 ? shape.axis[2].folded : 1;
  /* Along the first column the cells have successive keys, but where they go on from 0. */
  const int64_t before =
      near[0].first < length ? smaller(near[0].count, length - near[0].first) : near[0].count;
  for (int64_t c = 0; c < near[2].count; ++c) {
    const int64_t plane = near[2].first + c, z = plane < depth ? plane : plane - depth;
    for (int64_t b = 0; b < near[1].count; ++b) {
      const int64_t line = near[1].first + b, y = line < height ? line : line - height;
#pragma unroll 1
      for (int part = 0; part < 2; ++part) { /* in a loop, so that visit() stands here once */
        const int64_t first = part == 0 ? near[0].first : 0;
        const int64_t count = part == 0 ? before : near[0].count - before;
        const uint64_t from = (uint64_t)((z * height + y) * length + first);
        if (count == 0 || from + (uint64_t)count <= least_key) continue;
        const int64_t begin = larger(grid.find(from < least_key ? least_key : from), least);
        const int64_t end = grid.find(from + (uint64_t)count);
        if (begin < end) visit(begin, end);
      }
    }
  }
}

/* Finds the cells around a location, which lies within the bounds that the grid was shaped for. */
__device__ __forceinline__ void find_near(const grid_shape &shape, const double *location,
                                          near_cells (&near)[MOST_COLUMNS]) {
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    if (k < shape.columns) near[k] = cells_near(shape.axis[k], shape.axis[k].cell(location[k]));
}

/* Returns the key of the cell of a location. */
__device__ __forceinline__ uint64_t cell_key(const grid_shape &shape, const double *location) {
  uint64_t key = 0;
#pragma unroll
  for (int k = MOST_COLUMNS - 1; k >= 0; --k) {
    if (k >= shape.columns) continue;
    const grid_axis &axis = shape.axis[k];
    key = key * (uint64_t)axis.folded + (uint64_t)(axis.cell(location[k]) % axis.folded);
  }
  return key;
}

/* A grid in device memory. */
class grid {
public:
  /* Returns the device memory that a grid of so many points takes. */
  static int64_t bytes(int64_t n, int columns);

  /* Allocates it. Throws device_memory_failure, also for more than 2^31 - 1 points. To be called
     once. */
  void allocate(int64_t n, int columns);

  /* Sorts the points, of at most the number allocated for, into a grid of this shape: may be called
     again. All work is put on the stream. */
  void build(const point_columns &points, const grid_shape &shape, cudaStream_t stream);

  const grid_view &view() const { return view_; }

private:
  device_memory memory_;
  uint64_t *key_[2];
  int32_t *row_[2], *directory_;
  double *at_[MOST_COLUMNS] = {};
  void *scratch_;
  int64_t scratch_bytes_, most_entries_;
  grid_view view_;
};

} // namespace gpugeo

#endif

/*
 * A grid of cells over points, by a radix sort of their keys.
 *
 * Limit: the device's memory. The sort reads and writes 12 bytes a point for each 8 bits of a key;
 * reordering the coordinates reads them at random if the points are not sorted.
 */
#include "cuda/points/grid.cuh"

#include <cfloat>
#include <cmath>

#include "cuda/common/block_reduce.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr int64_t ALIGNMENT = 256; /* bytes */
/* Cells in a column: by their number in double, and by the room in a key of 62 bits. */
constexpr double MOST_CELLS = 1099511627776.0;
constexpr int64_t MOST_FOLDED[MOST_COLUMNS] = {(int64_t)1 << 40, (int64_t)1 << 31,
                                               (int64_t)1 << 20};

/* --- Bounds ----------------------------------------------------------------------------------- */

struct join_bounds {
  __host__ __device__ point_bounds operator()(const point_bounds &a, const point_bounds &b) const {
    point_bounds both;
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      both.low[k] = fmin(a.low[k], b.low[k]);
      both.high[k] = fmax(a.high[k], b.high[k]);
    }
    return both;
  }
};

constexpr int64_t BOUNDS_BLOCKS = 2048; /* some more than the device holds at a time */

/* Computes the bounds of each block's share of the points. */
__global__ void __launch_bounds__(THREADS)
    bound_shares(const point_columns points, int columns, point_bounds *share) {
  for (int k = 0; k < columns; ++k) {
    double low = INFINITY, high = -INFINITY;
#pragma unroll 8
    for (int64_t i = this_item(); i < points.n; i += (int64_t)gridDim.x * THREADS) {
      const double x = points.at[k][i * points.stride];
      low = fmin(low, isnan(x) ? -INFINITY : x);
      high = fmax(high, isnan(x) ? INFINITY : x);
    }
    low = block_reduce<THREADS>(low, [](double a, double b) { return fmin(a, b); });
    high = block_reduce<THREADS>(high, [](double a, double b) { return fmax(a, b); });
    if (threadIdx.x == 0) {
      share[blockIdx.x].low[k] = low;
      share[blockIdx.x].high[k] = high;
    }
  }
}

/* Joins the bounds, with a thread for each column. */
__global__ void join_shares(const point_bounds *share, int64_t shares, int columns,
                            point_bounds *bounds) {
  const int k = threadIdx.x;
  if (k >= columns) return;
  double low = INFINITY, high = -INFINITY;
  for (int64_t s = 0; s < shares; ++s) {
    low = fmin(low, share[s].low[k]);
    high = fmax(high, share[s].high[k]);
  }
  bounds->low[k] = low;
  bounds->high[k] = high;
}

/* Returns the number of blocks that find the bounds of n points. */
int64_t bounds_shares(int64_t n) { return smaller(blocks_for(n, THREADS), BOUNDS_BLOCKS); }

} // namespace

int64_t bounds_scratch(int64_t n) { return bounds_shares(n) * (int64_t)sizeof(point_bounds); }

void find_bounds(const point_columns &points, int columns, point_bounds *bounds, void *scratch,
                 cudaStream_t stream) {
  const int64_t shares = bounds_shares(points.n);
  point_bounds *share = static_cast<point_bounds *>(scratch);
  bound_shares<<<(unsigned)shares, THREADS, 0, stream>>>(points, columns, share);
  join_shares<<<1, MOST_COLUMNS, 0, stream>>>(share, shares, columns, bounds);
  GG_CUDA(cudaGetLastError());
}

point_bounds joined(const point_bounds &a, const point_bounds &b, int columns) {
  point_bounds both = join_bounds()(a, b);
  for (int k = columns; k < MOST_COLUMNS; ++k)
    both.low[k] = both.high[k] = 0;
  return both;
}

/* --- Shape ------------------------------------------------------------------------------------ */

namespace {

/* Returns the axis of a column. A thousandth is added to each cell, and a cell is no smaller
   than 2^-40 of what is divided or subtracted: so that rounding does not separate neighbours. */
grid_axis shape_axis(double low, double high, double length, double period, int64_t most_folded) {
  grid_axis axis = {};
  const double wanted = fmin(length * (1 + 0x1p-10), DBL_MAX);
  if (period > 0) {
    const double farthest = fmax(period, fmax(fabs(low), fabs(high)));
    const double least = fmax(wanted, farthest / MOST_CELLS);
    const int64_t count = (int64_t)fmax(1.0, floor(period / least));
    /* Folding must not bring together what the period brings together. */
    axis.count = count > most_folded ? count / most_folded * most_folded : count;
    axis.scale = 1;
    axis.period = period;
    axis.size = period / (double)axis.count;
  } else {
    /* Halves where the extent itself would be infinite. */
    axis.scale = isfinite(high - low) ? 1 : 0.5;
    axis.low = axis.scale * low;
    const double extent = axis.scale * high - axis.low;
    axis.size = fmax(axis.scale * wanted, extent / MOST_CELLS);
    if (axis.size == 0) axis.size = 1; /* no extent, or one that 2^-40 of it cannot show */
    axis.count = 1 + (int64_t)fmin(extent / axis.size, MOST_CELLS);
  }
  axis.folded = smaller(axis.count, most_folded);
  return axis;
}

} // namespace

grid_shape shape_grid(int columns, const point_bounds &bounds, const double *length,
                      const double *box) {
  grid_shape shape = {};
  shape.columns = columns;
  shape.cells = 1;
  for (int k = 0; k < columns; ++k) {
    shape.axis[k] = shape_axis(bounds.low[k], bounds.high[k], length[k], box ? box[k] : 0,
                               MOST_FOLDED[columns - 1]);
    shape.cells *= (uint64_t)shape.axis[k].folded;
  }
  while (shape.cells >> shape.bits)
    ++shape.bits;
  return shape;
}

/* --- Building --------------------------------------------------------------------------------- */

namespace {

__global__ void __launch_bounds__(THREADS)
    make_keys(const point_columns points, const grid_shape shape, uint64_t *key, int32_t *row) {
  const int64_t i = this_item();
  if (i >= points.n) return;
  double location[MOST_COLUMNS];
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    location[k] = k < shape.columns ? points.at[k][i * points.stride] : 0;
  key[i] = cell_key(shape, location);
  row[i] = (int32_t)i;
}

/* Stores the first position of an entry, and copies the coordinates into the order of keys. */
__global__ void __launch_bounds__(THREADS)
    move_points(const point_columns points, int columns, const uint64_t *key, const int32_t *row,
                int shift, int32_t *directory, double *at0, double *at1, double *at2) {
  const int64_t p = this_item();
  if (p >= points.n) return;
  const uint64_t entry = key[p] >> shift;
  if (p == 0 || entry != key[p - 1] >> shift) directory[entry] = (int32_t)p;
  const int64_t i = row[p] * points.stride;
  at0[p] = points.at[0][i];
  if (columns > 1) at1[p] = points.at[1][i];
  if (columns > 2) at2[p] = points.at[2][i];
}

__global__ void __launch_bounds__(THREADS)
    clear_directory(int32_t *directory, int64_t entries, int32_t n) {
  const int64_t e = this_item();
  if (e < entries) directory[e] = n;
}

/* Returns the largest number of entries of a directory for n points: two for each, and one
   beyond each end. */
int64_t entries_for(int64_t n) { return 2 * n + 2; }

/* Returns the bytes of scratch that the grid of n points needs. */
int64_t scratch_for(int64_t n) {
  size_t sort = 0, fill = 0;
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> rows;
  sort_pairs(nullptr, sort, keys, rows, n, 64, nullptr);
  minimum_from_end(nullptr, fill, nullptr, entries_for(n), nullptr);
  return (int64_t)larger(sort, fill);
}

int64_t aligned(int64_t bytes) { return round_up(bytes, ALIGNMENT); }

} // namespace

int64_t grid::bytes(int64_t n, int columns) {
  return (2 + columns) * aligned(8 * n) + 2 * aligned(4 * n) + aligned(4 * entries_for(n)) +
         scratch_for(n);
}

void grid::allocate(int64_t n, int columns) {
  if (n > INT32_MAX) throw device_memory_failure{bytes(n, columns)};
  memory_.allocate(bytes(n, columns));
  char *next = memory_.as();
  const auto take = [&next](int64_t size) {
    char *const taken = next;
    next += aligned(size);
    return static_cast<void *>(taken);
  };
  for (uint64_t *&key : key_)
    key = static_cast<uint64_t *>(take(8 * n));
  for (int32_t *&row : row_)
    row = static_cast<int32_t *>(take(4 * n));
  for (int k = 0; k < columns; ++k)
    at_[k] = static_cast<double *>(take(8 * n));
  most_entries_ = entries_for(n);
  directory_ = static_cast<int32_t *>(take(4 * most_entries_));
  scratch_ = next;
  scratch_bytes_ = scratch_for(n);
}

void grid::build(const point_columns &points, const grid_shape &shape, cudaStream_t stream) {
  const int64_t n = points.n;
  int shift = 0;
  while ((int64_t)(shape.cells >> shift) + 2 > most_entries_)
    ++shift;
  const int64_t entries = (int64_t)(shape.cells >> shift) + 2;
  clear_directory<<<blocks_for(entries, THREADS), THREADS, 0, stream>>>(directory_, entries,
                                                                        (int32_t)n);
  if (n > 0) {
    make_keys<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, shape, key_[0], row_[0]);
    size_t bytes = (size_t)scratch_bytes_;
    double_buffer<uint64_t> keys{{key_[0], key_[1]}};
    double_buffer<int32_t> rows{{row_[0], row_[1]}};
    sort_pairs(scratch_, bytes, keys, rows, n, shape.bits, stream);
    for (int b = 0; b < 2; ++b) {
      key_[b] = keys.array[b];
      row_[b] = rows.array[b];
    }
    move_points<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(
        points, shape.columns, key_[0], row_[0], shift, directory_, at_[0], at_[1], at_[2]);
  }
  size_t bytes = (size_t)scratch_bytes_;
  /* An entry without points gets the position of the next one that has some. */
  minimum_from_end(scratch_, bytes, directory_, entries, stream);
  GG_CUDA(cudaGetLastError());
  view_ = {shape, {at_[0], at_[1], at_[2]}, row_[0], key_[0], directory_, shift, n};
}

} // namespace gpugeo

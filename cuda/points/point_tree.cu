/*
 * Building a tree of boxes over points.
 *
 * Limited by the device's memory, for a radix sort of each column and one of the keys.
 */
#include "cuda/points/point_tree.cuh"

#include <cfloat>

#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;

/* Writes the column's coordinate of each location, as a whole number of the same order. */
__global__ void __launch_bounds__(THREADS)
    make_column_keys(const point_set points, int column, uint64_t *key, int32_t *row) {
  const int64_t i = this_item();
  if (i >= points.n) return;
  double point[MOST_COLUMNS], location[MOST_COLUMNS] = {};
  load_point(points.at, i * points.stride, point);
  point_location(points.rule, point, location);
  const double value = (column == 0 ? location[0] : column == 1 ? location[1] : location[2]) + 0.0;
  const uint64_t bits = (uint64_t)__double_as_longlong(value);
  key[i] = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
  row[i] = (int32_t)i;
}

/* Writes the position of each point that differs from the one before it, else 0. */
__global__ void __launch_bounds__(THREADS)
    mark_heads(const uint64_t *key, int64_t n, int32_t *head) {
  const int64_t p = this_item();
  if (p < n) head[p] = p > 0 && key[p] != key[p - 1] ? (int32_t)p : 0;
}

/* Spreads the leading `bits` bits of a rank, each `columns` bits from the next, into the key. */
__global__ void __launch_bounds__(THREADS)
    add_rank(const int32_t *rank, const int32_t *row, int64_t n, int rank_bits, int bits,
             int column, int columns, uint64_t *morton) {
  const int64_t p = this_item();
  if (p >= n) return;
  const uint64_t leading = (uint64_t)rank[p] >> (rank_bits > bits ? rank_bits - bits : 0);
  uint64_t key = column == 0 ? 0 : morton[row[p]];
  for (int b = 0; b < bits; ++b)
    key |= (leading >> b & 1) << (b * columns + column);
  morton[row[p]] = key;
}

__global__ void __launch_bounds__(THREADS) number_rows(int64_t n, int32_t *row) {
  const int64_t i = this_item();
  if (i < n) row[i] = (int32_t)i;
}

__global__ void __launch_bounds__(THREADS)
    gather(const double *from, int64_t stride, const int32_t *row, int64_t n, double *to) {
  const int64_t p = this_item();
  if (p < n) to[p] = from[row[p] * stride];
}

/* Replaces points by their rows. */
__global__ void __launch_bounds__(THREADS) name_rows(const int32_t *name, int64_t n, int32_t *row) {
  const int64_t p = this_item();
  if (p < n) row[p] = name[row[p]];
}

/* Computes the boxes of FAN successive points each. */
__global__ void __launch_bounds__(THREADS)
    box_points(const tree_view tree, const gg_point_rule rule, int64_t nx, int64_t nodes,
               bool within, tree_box *box) {
  const int64_t t = this_item();
  if (t >= nodes) return;
  tree_box all;
  for (int k = 0; k < MOST_COLUMNS; ++k) {
    all.low[k] = DBL_MAX;
    all.high[k] = -DBL_MAX;
  }
  all.wanted = 0;
  for (int64_t p = t * tree_view::FAN; p < smaller((t + 1) * tree_view::FAN, tree.n); ++p) {
    double point[MOST_COLUMNS], location[MOST_COLUMNS];
    load_point(tree.at, p, point);
    point_location(rule, point, location);
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      all.low[k] = fmin(all.low[k], location[k]);
      all.high[k] = fmax(all.high[k], location[k]);
    }
    all.wanted |= within || tree.row[p] >= nx;
  }
  box[t] = all;
}

/* Computes the boxes of FAN successive boxes each. */
__global__ void __launch_bounds__(THREADS)
    box_boxes(const tree_box *inner, int64_t count, int64_t nodes, tree_box *box) {
  const int64_t t = this_item();
  if (t >= nodes) return;
  tree_box all = inner[t * tree_view::FAN];
  for (int64_t c = t * tree_view::FAN + 1; c < smaller((t + 1) * tree_view::FAN, count); ++c) {
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      all.low[k] = fmin(all.low[k], inner[c].low[k]);
      all.high[k] = fmax(all.high[k], inner[c].high[k]);
    }
    all.wanted |= inner[c].wanted;
  }
  box[t] = all;
}

/* Returns the number of bits of a number without leading zeros. */
int bits_of(int64_t n) {
  int bits = 0;
  while (n >> bits)
    ++bits;
  return bits;
}

/* The memory for sorting, freed when the points are sorted. */
class orderer {
public:
  orderer(int64_t n, cudaStream_t stream) : n_(n), stream_(stream) {
    for (int b = 0; b < 2; ++b) {
      key_[b].allocate(8 * n);
      row_[b].allocate(4 * n);
    }
    morton_.allocate(8 * n);
    size_t sort = 0, scan = 0;
    double_buffer<uint64_t> keys;
    double_buffer<int32_t> rows;
    sort_pairs(nullptr, sort, keys, rows, n, 64, stream);
    inclusive_maximum(nullptr, scan, nullptr, n, stream);
    scratch_bytes_ = sort > scan ? sort : scan;
    scratch_.allocate((int64_t)scratch_bytes_);
  }

  /* Writes the rows in the order of Morton keys to `row`. */
  void order(const point_set &points, int32_t *row) {
    const int columns = location_columns(points.rule);
    const int rank_bits = bits_of(n_), bits = (int)smaller(rank_bits, 63 / columns);
    for (int c = 0; c < columns; ++c) {
      make_column_keys<<<blocks_for(n_, THREADS), THREADS, 0, stream_>>>(
          points, c, key_[0].as<uint64_t>(), row_[0].as<int32_t>());
      double_buffer<uint64_t> keys{{key_[0].as<uint64_t>(), key_[1].as<uint64_t>()}};
      double_buffer<int32_t> rows{{row_[0].as<int32_t>(), row_[1].as<int32_t>()}};
      sort(keys, rows, 64);
      int32_t *rank = reinterpret_cast<int32_t *>(keys.alternate());
      mark_heads<<<blocks_for(n_, THREADS), THREADS, 0, stream_>>>(keys.current(), n_, rank);
      size_t bytes = scratch_bytes_;
      inclusive_maximum(scratch_.as(), bytes, rank, n_, stream_);
      add_rank<<<blocks_for(n_, THREADS), THREADS, 0, stream_>>>(
          rank, rows.current(), n_, rank_bits, bits, c, columns, morton_.as<uint64_t>());
    }
    number_rows<<<blocks_for(n_, THREADS), THREADS, 0, stream_>>>(n_, row_[0].as<int32_t>());
    double_buffer<uint64_t> keys{{morton_.as<uint64_t>(), key_[0].as<uint64_t>()}};
    double_buffer<int32_t> rows{{row_[0].as<int32_t>(), row_[1].as<int32_t>()}};
    sort(keys, rows, bits * columns);
    GG_CUDA(
        cudaMemcpyAsync(row, rows.current(), (size_t)(4 * n_), cudaMemcpyDeviceToDevice, stream_));
  }

private:
  void sort(double_buffer<uint64_t> &keys, double_buffer<int32_t> &rows, int bits) {
    size_t bytes = scratch_bytes_;
    sort_pairs(scratch_.as(), bytes, keys, rows, n_, bits, stream_);
  }

  const int64_t n_;
  cudaStream_t stream_;
  device_memory key_[2], row_[2], morton_, scratch_;
  size_t scratch_bytes_ = 0;
};

} // namespace

void point_tree::build(const point_set &points, cudaStream_t stream) {
  const int64_t n = points.n;
  row_.allocate(4 * n);
  {
    orderer orderer(n, stream);
    orderer.order(points, row_.as<int32_t>());
    GG_CUDA(cudaStreamSynchronize(stream));
  }
  int columns = 0;
  while (columns < MOST_COLUMNS && points.at[columns])
    ++columns;
  at_.allocate(columns * 8 * n);
  view_.n = n;
  view_.row = row_.as<int32_t>();
  for (int k = 0; k < columns; ++k) {
    double *to = at_.as<double>() + k * n;
    gather<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points.at[k], points.stride, view_.row,
                                                           n, to);
    view_.at[k] = to;
  }
  if (points.row)
    name_rows<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points.row, n, row_.as<int32_t>());
  int64_t boxes = 0;
  for (int64_t nodes = n; view_.levels == 0 || nodes > 1; ++view_.levels) {
    nodes = divide_up(nodes, tree_view::FAN);
    view_.nodes[view_.levels] = nodes;
    boxes += nodes;
  }
  box_.allocate(boxes * (int64_t)sizeof(tree_box));
  tree_box *box = box_.as<tree_box>();
  for (int l = 0; l < view_.levels; ++l) {
    const int64_t nodes = view_.nodes[l];
    if (l == 0)
      box_points<<<blocks_for(nodes, THREADS), THREADS, 0, stream>>>(view_, points.rule, points.nx,
                                                                     nodes, points.within, box);
    else
      box_boxes<<<blocks_for(nodes, THREADS), THREADS, 0, stream>>>(view_.box[l - 1],
                                                                    view_.nodes[l - 1], nodes, box);
    view_.box[l] = box;
    box += nodes;
  }
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo

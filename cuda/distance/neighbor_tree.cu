/*
 * Making a tree of boxes over points.
 *
 * Limited by the device's memory: a radix sort of the keys, and reading the coordinates twice.
 */
#include "cuda/distance/neighbor_tree.cuh"

#include <utility>

#include "cuda/common/launch.cuh"
#include "cuda/common/ordered_bits.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;

/* --- Points whose coordinates are finite ------------------------------------------------------ */

/* Sets 1 for points with a coordinate that is not finite. */
__global__ void __launch_bounds__(THREADS)
    mark_odd(const tree_points points, int64_t n, int32_t *odd) {
  const int64_t i = this_item();
  if (i >= n) return;
  double zero = 0;
  for (int64_t k = 0; k < points.m; ++k)
    zero += points.at(i, k) * 0;
  odd[i] = zero != 0;
}

/* Divides the points, by the number of odd ones up to each: rows of the others, and the odd ones.
 */
__global__ void __launch_bounds__(THREADS)
    divide_points(const tree_points points, int64_t n, const int32_t *odd_up_to, int32_t *row,
                  int32_t *odd_index, double *odd_point, int64_t odd_ld) {
  const int64_t i = this_item();
  if (i >= n) return;
  const int32_t before = i > 0 ? odd_up_to[i - 1] : 0;
  if (odd_up_to[i] == before) {
    row[i - before] = (int32_t)i;
    return;
  }
  odd_index[before] = (int32_t)i;
  for (int64_t k = 0; k < points.m; ++k)
    odd_point[before + k * odd_ld] = points.at(i, k);
}

/* --- The order -------------------------------------------------------------------------------- */

/* Points that are ordered together: those of a segment have successive positions. */
struct ordering {
  int64_t points;
  int32_t *row;      /* of each point in the matrix */
  int32_t *position; /* in the order of all */
  int32_t *segment;  /* from 0, never decreasing */
};

__global__ void __launch_bounds__(THREADS) start_ordering(const ordering of) {
  const int64_t a = this_item();
  if (a >= of.points) return;
  of.position[a] = (int32_t)a;
  of.segment[a] = 0;
}

/* Empties the boxes of segments: the lowest coordinate k of segment s is at [(s m + k) 2], the
   highest one behind it. */
__global__ void __launch_bounds__(THREADS) empty_boxes(double_bits *box, int64_t boxes) {
  const int64_t at = this_item();
  if (at >= boxes) return;
  box[2 * at] = ~0ull;
  box[2 * at + 1] = 0;
}

/* Finds the boxes of segments. A warp whose points are all in one segment writes its box once. */
__global__ void __launch_bounds__(THREADS)
    find_boxes(const tree_points points, const ordering of, double_bits *box) {
  const int64_t a = this_item();
  const bool there = a < of.points;
  const int32_t segment = there ? of.segment[a] : -1;
  const bool together = __all_sync(~0u, segment == __shfl_sync(~0u, segment, 0));
  for (int64_t k = 0; k < points.m; ++k) {
    double_bits low = ~0ull, high = 0;
    if (there) low = high = bits_of(points.at(of.row[a], k));
    for (int step = 16; together && step > 0; step /= 2) {
      low = min(low, __shfl_xor_sync(~0u, low, step));
      high = max(high, __shfl_xor_sync(~0u, high, step));
    }
    if (!there || (together && threadIdx.x % 32 > 0)) continue;
    double_bits *to = box + (segment * points.m + k) * 2;
    if (low < to[0]) atomicMin(to, low); /* what is read here is never too small */
    if (high > to[1]) atomicMax(to + 1, high);
  }
}

/* Computes keys of the cells of the segment's box, which are cubes in weighted coordinates. */
__global__ void __launch_bounds__(THREADS)
    make_keys(const tree_points points, const ordering of, const double_bits *boxes, int bits,
              uint64_t *key, int32_t *number) {
  const int64_t a = this_item();
  if (a >= of.points) return;
  const double_bits *box = boxes + of.segment[a] * points.m * 2;
  double largest = 0;
  for (int64_t k = 0; k < points.m; ++k)
    largest = fmax(largest, points.half_extent(value_of(box[2 * k]), value_of(box[2 * k + 1]), k));
  const double cells = (double)(1ull << bits);
  uint64_t all = 0;
  for (int64_t k = 0; k < points.m; ++k) {
    const double part =
        points.half_extent(value_of(box[2 * k]), points.at(of.row[a], k), k) / largest;
    const uint64_t cell = (uint64_t)fmin(fmax(part * cells, 0.0), cells - 1); /* 0 for NaN */
    for (int b = 0; b < bits; ++b)
      all |= (cell >> b & 1) << (b * points.m + (points.m - 1 - k));
  }
  key[a] = all;
  number[a] = (int32_t)a;
}

__global__ void __launch_bounds__(THREADS)
    make_segment_keys(const ordering of, const int32_t *number, uint64_t *key) {
  const int64_t a = this_item();
  if (a < of.points) key[a] = (uint64_t)of.segment[number[a]];
}

/* Writes the rows in the order of `number`, also to their positions in the order of all. */
__global__ void __launch_bounds__(THREADS)
    write_rows(const ordering of, const int32_t *number, int32_t *row, int32_t *order) {
  const int64_t a = this_item();
  if (a >= of.points) return;
  row[a] = of.row[number[a]];
  order[of.position[a]] = row[a];
}

/* Sets 1 where a run of points with one segment and one key begins. */
__global__ void __launch_bounds__(THREADS)
    mark_runs(const ordering of, const int32_t *number, const uint64_t *key, int32_t *head) {
  const int64_t a = this_item();
  if (a >= of.points) return;
  head[a] = a == 0 || of.segment[a] != of.segment[a - 1] || key[number[a]] != key[number[a - 1]];
}

/* Writes where each run begins, and 1 for runs whose points are not all equal. `run` is the number
   of runs that begin up to each point. */
__global__ void __launch_bounds__(THREADS)
    find_runs(const tree_points points, const ordering of, const int32_t *row, const int32_t *run,
              int32_t *first, int32_t *varied) {
  const int64_t a = this_item();
  if (a >= of.points) return;
  const int32_t mine = run[a] - 1;
  if (a == of.points - 1) first[mine + 1] = (int32_t)of.points;
  if (a == 0 || run[a - 1] - 1 != mine) {
    first[mine] = (int32_t)a;
    return;
  }
  for (int64_t k = 0; k < points.m; ++k)
    if (points.at(row[a], k) != points.at(row[a - 1], k)) varied[mine] = 1;
}

/* Sets 1 for the points of runs that are to be ordered again, and for the first one of each. */
__global__ void __launch_bounds__(THREADS)
    mark_rest(int64_t n, const int32_t *run, const int32_t *first, const int32_t *varied,
              int32_t *rest, int32_t *rest_head) {
  const int64_t a = this_item();
  if (a >= n) return;
  const int32_t mine = run[a] - 1;
  rest[a] = first[mine + 1] - first[mine] > TREE_FAN && varied[mine];
  rest_head[a] = rest[a] && first[mine] == a;
}

/* Copies those points. Both counts are of those up to each point. */
__global__ void __launch_bounds__(THREADS)
    copy_rest(const ordering of, const int32_t *row, const int32_t *rest, const int32_t *rest_heads,
              const ordering to) {
  const int64_t a = this_item();
  if (a >= of.points || rest[a] == (a > 0 ? rest[a - 1] : 0)) return;
  const int32_t at = rest[a] - 1;
  to.row[at] = row[a];
  to.position[at] = of.position[a];
  to.segment[at] = rest_heads[a] - 1;
}

/* Returns the bits of a cell's coordinate in a key: as many as a key and a double have room for. */
int cell_bits(int64_t m) { return (int)smaller(63 / m, 52); }

/* Orders points; its memory is freed when they are ordered. */
class orderer {
public:
  /* `order` has the rows of n points in any order. */
  orderer(const tree_points &points, int32_t *order, int64_t n, cudaStream_t stream)
      : points_(points), order_(order), n_(n), stream_(stream) {
    for (device_memory *one : {&key_[0], &key_[1], &segment_key_})
      one->allocate(8 * n);
    for (store &one : store_)
      for (device_memory *memory : {&one.row, &one.position, &one.segment})
        memory->allocate(4 * n);
    for (device_memory *one :
         {&number_[0], &number_[1], &sorted_row_, &run_, &varied_, &rest_, &rest_heads_})
      one->allocate(4 * n);
    first_.allocate(4 * (n + 1));
    box_.allocate(16 * points.m * divide_up(n, TREE_FAN));
    size_t sort = 0, sum = 0;
    sort_pairs_to(nullptr, sort, nullptr, nullptr, nullptr, nullptr, n, 64, stream);
    inclusive_sum(nullptr, sum, nullptr, nullptr, n, stream);
    scratch_bytes_ = sort > sum ? sort : sum;
    scratch_.allocate((int64_t)scratch_bytes_);
  }

  void run() {
    ordering now = store_[0].of(n_), next = store_[1].of(n_);
    GG_CUDA(cudaMemcpyAsync(now.row, order_, (size_t)(4 * n_), cudaMemcpyDeviceToDevice, stream_));
    start_ordering<<<blocks(n_), THREADS, 0, stream_>>>(now);
    int64_t segments = 1;
    /* A turn divides the largest extent of each segment by at least 2^3. More turns than that would
       follow only from points chosen for it. */
    for (int turns = 0; turns < 128 && now.points > 0; ++turns) {
      sort(now, segments);
      keep_rest(now, &next, &segments);
      std::swap(now, next);
    }
  }

private:
  struct store {
    device_memory row, position, segment;
    ordering of(int64_t n) const {
      return {n, row.as<int32_t>(), position.as<int32_t>(), segment.as<int32_t>()};
    }
  };

  static unsigned blocks(int64_t items) { return blocks_for(items, THREADS); }

  void sort_by(const uint64_t *key, const int32_t *number, int32_t *sorted, int64_t n, int bits) {
    size_t bytes = scratch_bytes_;
    sort_pairs_to(scratch_.as(), bytes, key, key_[1].as<uint64_t>(), number, sorted, n, bits,
                  stream_);
  }

  void sum(int32_t *values, int64_t n) {
    size_t bytes = scratch_bytes_;
    inclusive_sum(scratch_.as(), bytes, values, values, n, stream_);
  }

  /* Sorts the points of each segment: by keys, then, which keeps that order, by segments. */
  void sort(const ordering &now, int64_t segments) {
    const int64_t n = now.points, m = points_.m;
    const int bits = cell_bits(m);
    double_bits *box = box_.as<double_bits>();
    uint64_t *key = key_[0].as<uint64_t>();
    int32_t *number = number_[0].as<int32_t>();
    sorted_ = number_[1].as<int32_t>();
    empty_boxes<<<blocks(segments * m), THREADS, 0, stream_>>>(box, segments * m);
    find_boxes<<<blocks(n), THREADS, 0, stream_>>>(points_, now, box);
    make_keys<<<blocks(n), THREADS, 0, stream_>>>(points_, now, box, bits, key, number);
    sort_by(key, number, sorted_, n, (int)(bits * m));
    if (segments > 1) {
      /* The keys, by number, are needed later; those that have been sorted are not. */
      uint64_t *segment_key = segment_key_.as<uint64_t>();
      make_segment_keys<<<blocks(n), THREADS, 0, stream_>>>(now, sorted_, segment_key);
      sort_by(segment_key, sorted_, number, n, bits_for(segments));
      sorted_ = number;
    }
    write_rows<<<blocks(n), THREADS, 0, stream_>>>(now, sorted_, sorted_row_.as<int32_t>(), order_);
  }

  /* Finds the runs that are longer than a leaf and not all equal: the segments of *next. */
  void keep_rest(const ordering &now, ordering *next, int64_t *segments) {
    const int64_t n = now.points;
    const int32_t *row = sorted_row_.as<int32_t>();
    int32_t *run = run_.as<int32_t>(), *first = first_.as<int32_t>();
    int32_t *varied = varied_.as<int32_t>();
    int32_t *rest = rest_.as<int32_t>(), *rest_heads = rest_heads_.as<int32_t>();
    mark_runs<<<blocks(n), THREADS, 0, stream_>>>(now, sorted_, key_[0].as<uint64_t>(), run);
    sum(run, n);
    GG_CUDA(cudaMemsetAsync(varied, 0, (size_t)(4 * n), stream_));
    find_runs<<<blocks(n), THREADS, 0, stream_>>>(points_, now, row, run, first, varied);
    mark_rest<<<blocks(n), THREADS, 0, stream_>>>(n, run, first, varied, rest, rest_heads);
    sum(rest, n);
    sum(rest_heads, n);
    copy_rest<<<blocks(n), THREADS, 0, stream_>>>(now, row, rest, rest_heads, *next);
    GG_CUDA(cudaGetLastError());
    next->points = fetched(rest + n - 1, stream_);
    *segments = fetched(rest_heads + n - 1, stream_);
  }

  const tree_points points_;
  int32_t *order_;
  const int64_t n_;
  cudaStream_t stream_;
  store store_[2];
  device_memory key_[2], segment_key_, number_[2], sorted_row_, run_, first_, varied_, rest_,
      rest_heads_, box_, scratch_;
  size_t scratch_bytes_ = 0;
  int32_t *sorted_ = nullptr; /* numbers of the present points, in order */
};

/* --- Leaves and boxes ------------------------------------------------------------------------- */

/* Sets 1 for indices in [first, end). */
__global__ void __launch_bounds__(THREADS)
    mark_range(const int32_t *index, int64_t n, int64_t first, int64_t end, int32_t *within) {
  const int64_t p = this_item();
  if (p < n) within[p] = index[p] >= first && index[p] < end;
}

/* Copies those indices, by their number up to each. */
__global__ void __launch_bounds__(THREADS)
    copy_range(const int32_t *index, int64_t n, const int32_t *up_to, int32_t *to) {
  const int64_t p = this_item();
  if (p < n && up_to[p] > (p > 0 ? up_to[p - 1] : 0)) to[up_to[p] - 1] = index[p];
}

/* Fills the last leaf up with 0. */
__global__ void __launch_bounds__(THREADS)
    fill_leaves(const tree_points points, const int32_t *row, int64_t n, double *leaf) {
  const int64_t p = this_item();
  if (p >= round_up(n, TREE_FAN)) return;
  for (int64_t k = 0; k < points.m; ++k)
    leaf[(p / TREE_FAN * points.m + k) * TREE_FAN + p % TREE_FAN] =
        p < n ? points.at(row[p], k) : 0;
}

/* Copies points of a tree to leaves of their own. */
__global__ void __launch_bounds__(THREADS)
    choose_points(const tree_view tree, const int32_t *position, int64_t n, double *leaf) {
  const int64_t p = this_item();
  if (p >= round_up(n, TREE_FAN)) return;
  const int64_t at = p < n ? position[p] : -1;
  for (int64_t k = 0; k < tree.m; ++k)
    leaf[(p / TREE_FAN * tree.m + k) * TREE_FAN + p % TREE_FAN] =
        at < 0 ? 0 : tree.leaf[(at / TREE_FAN * tree.m + k) * TREE_FAN + at % TREE_FAN];
}

/* Computes the box of each node of a level, with a warp for each, from `count` points or nodes
   below, whose lowest coordinates are at low[(i / 32 m + k) stride + i % 32] and whose highest
   ones are `above` behind them. */
__global__ void __launch_bounds__(THREADS)
    fill_boxes(const double *low, int stride, int above, const int32_t *least, int64_t count,
               int64_t m, const tree_level level) {
  const int lane = threadIdx.x % TREE_FAN;
  const int64_t node = this_item() / TREE_FAN, child = node * TREE_FAN + lane;
  if (node >= level.nodes) return; /* all of a warp */
  int32_t smallest = child < count ? least[child] : INT32_MAX;
  for (int step = TREE_FAN / 2; step > 0; step /= 2)
    smallest = min(smallest, __shfl_xor_sync(~0u, smallest, step));
  if (lane == 0) level.least[node] = smallest;
  for (int64_t k = 0; k < m; ++k) {
    const double *at = low + (node * m + k) * stride + lane;
    double lowest = child < count ? at[0] : INFINITY,
           highest = child < count ? at[above] : -INFINITY;
    for (int step = TREE_FAN / 2; step > 0; step /= 2) {
      lowest = fmin(lowest, __shfl_xor_sync(~0u, lowest, step));
      highest = fmax(highest, __shfl_xor_sync(~0u, highest, step));
    }
    if (lane > 0) continue;
    double *box = level.box + (node / TREE_FAN * m + k) * 2 * TREE_FAN + node % TREE_FAN;
    box[0] = lowest;
    box[TREE_FAN] = highest;
  }
}

} // namespace

/* --- The tree --------------------------------------------------------------------------------- */

double neighbor_tree::bytes(int64_t n, int64_t m) {
  const double order = 8 * 3 + 4 * 13 + 4 + (double)m / 2; /* keys, arrays of 32 bits, boxes */
  const double tree = 8 * (double)m + 4 + 1 + (double)m / 2;
  return (double)n * (order + tree) + 65536 * (double)m;
}

void divided_points::build(const tree_points &points, int64_t n, cudaStream_t stream) {
  n_ = n;
  device_memory mark, scratch;
  mark.allocate(4 * n);
  int32_t *odd = mark.as<int32_t>();
  size_t bytes = 0;
  inclusive_sum(nullptr, bytes, odd, odd, n, stream);
  scratch.allocate((int64_t)bytes);
  mark_odd<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, n, odd);
  inclusive_sum(scratch.as(), bytes, odd, odd, n, stream);
  odd_.resize((size_t)fetched(odd + n - 1, stream));
  finite_index_.allocate(4 * n);
  odd_index_.allocate(4 * larger(this->odd(), 1));
  point_.allocate(this->odd(), points.m, stream);
  divide_points<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(
      points, n, odd, finite_index_.as<int32_t>(), odd_index_.as<int32_t>(), point_.data(),
      point_.ld());
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaStreamSynchronize(stream));
  GG_CUDA(cudaMemcpy(odd_.data(), odd_index_.as(), 4 * odd_.size(), cudaMemcpyDeviceToHost));
}

void neighbor_tree::build(const tree_points &points, const divided_points &divided,
                          cudaStream_t stream) {
  const int64_t n = divided.finite();
  if (n == 0) return;
  index_.allocate(4 * n);
  int32_t *index = index_.as<int32_t>();
  GG_CUDA(cudaMemcpyAsync(index, divided.finite_index(), (size_t)(4 * n), cudaMemcpyDeviceToDevice,
                          stream));
  {
    orderer orderer(points, index, n, stream);
    orderer.run();
    GG_CUDA(cudaStreamSynchronize(stream));
  }
  view_.n = n;
  fill(points, stream);
}

void neighbor_tree::take(const tree_points &points, const tree_view &from, int64_t first,
                         int64_t end, cudaStream_t stream) {
  if (from.n == 0) return;
  device_memory mark, scratch;
  mark.allocate(4 * from.n);
  int32_t *within = mark.as<int32_t>();
  size_t bytes = 0;
  inclusive_sum(nullptr, bytes, within, within, from.n, stream);
  scratch.allocate((int64_t)bytes);
  const unsigned blocks = blocks_for(from.n, THREADS);
  mark_range<<<blocks, THREADS, 0, stream>>>(from.index, from.n, first, end, within);
  inclusive_sum(scratch.as(), bytes, within, within, from.n, stream);
  view_.n = fetched(within + from.n - 1, stream);
  if (view_.n == 0) return;
  index_.allocate(4 * view_.n);
  copy_range<<<blocks, THREADS, 0, stream>>>(from.index, from.n, within, index_.as<int32_t>());
  fill(points, stream);
}

/* Makes the leaves and the levels above them; the points have been ordered. */
void neighbor_tree::fill(const tree_points &points, cudaStream_t stream) {
  const int64_t room = round_up(view_.n, TREE_FAN);
  view_.m = points.m;
  view_.index = index_.as<int32_t>();
  leaf_.allocate(8 * points.m * room);
  view_.leaf = leaf_.as<double>();
  fill_leaves<<<blocks_for(room, THREADS), THREADS, 0, stream>>>(points, view_.index, view_.n,
                                                                 leaf_.as<double>());
  make_levels(stream);
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaStreamSynchronize(stream));
}

void neighbor_tree::make_levels(cudaStream_t stream) {
  const int64_t m = view_.m;
  int64_t room = 0;
  for (int64_t nodes = view_.n; view_.levels == 0 || nodes > TREE_FAN; ++view_.levels) {
    nodes = divide_up(nodes, TREE_FAN);
    view_.level[view_.levels].nodes = nodes;
    room += round_up(nodes, TREE_FAN);
  }
  box_.allocate(16 * m * room);
  least_.allocate(4 * room);
  double *box = box_.as<double>();
  int32_t *least = least_.as<int32_t>();
  for (int l = 0; l < view_.levels; ++l) {
    tree_level &level = view_.level[l];
    level.box = box;
    level.least = least;
    box += 2 * m * round_up(level.nodes, TREE_FAN);
    least += round_up(level.nodes, TREE_FAN);
    const tree_level *below = l > 0 ? &view_.level[l - 1] : nullptr;
    fill_boxes<<<blocks_for(level.nodes * TREE_FAN, THREADS), THREADS, 0, stream>>>(
        below ? below->box : view_.leaf, below ? 2 * TREE_FAN : TREE_FAN, below ? TREE_FAN : 0,
        below ? below->least : view_.index, below ? below->nodes : view_.n, m, level);
  }
}

/* --- Points of a tree ------------------------------------------------------------------------- */

void chosen_points::allocate(int64_t n, int64_t m) {
  const int64_t room = round_up(n, TREE_FAN), leaves = round_up(room / TREE_FAN, TREE_FAN);
  leaf_.allocate(8 * m * room);
  box_.allocate(16 * m * leaves);
  least_.allocate(4 * leaves);
}

tree_view chosen_points::take(const tree_view &tree, const int32_t *position, int64_t count,
                              cudaStream_t stream) const {
  tree_view chosen = {};
  chosen.m = tree.m;
  chosen.n = count;
  chosen.leaf = leaf_.as<double>();
  chosen.index = position;
  chosen.levels = 1;
  tree_level &level = chosen.level[0];
  level = {divide_up(count, TREE_FAN), box_.as<double>(), least_.as<int32_t>()};
  const unsigned blocks = blocks_for(level.nodes * TREE_FAN, THREADS);
  choose_points<<<blocks, THREADS, 0, stream>>>(tree, position, count, leaf_.as<double>());
  fill_boxes<<<blocks, THREADS, 0, stream>>>(chosen.leaf, TREE_FAN, 0, position, count, tree.m,
                                             level);
  return chosen;
}

} // namespace gpugeo

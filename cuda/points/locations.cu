/*
 * Points that coincide.
 *
 * Limited by the device's memory, for a radix sort of each column.
 */
#include "cuda/points/locations.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;

/* Returns one coordinate of the name of a point's location. Two names are equal if the square of
   the points is 0. */
__device__ double location_name(const point_set &points, int64_t i, int column) {
  double value = points.at[column][i * points.stride];
  if (points.rule.kind != GG_POINT_SPHERE) {
    const double box = points.rule.box[column];
    if (box > 0 && !(value >= 0 && value < box)) {
      value = fmod(value, box);
      if (value < 0) value += box;
    }
    return value + 0.0; /* never -0 */
  }
  if (column > 0) return value + 0.0;
  if (fabs(points.at[1][i * points.stride]) == 90) return 0;
  return (value > 180 ? value - 360 : value == -180 ? 180 : value) + 0.0;
}

/* Conditions under which locations with different names may have a square of 0: differences so
   small that their squares underflow, which are between coordinates near 0; and in a periodic
   column a difference that is rounded, where coordinates are outside [0, box) and not all
   numbers are whole. */
struct doubts {
  int32_t tiny, outside, fraction;
};

__device__ bool is_whole(double value) { return floor(value) == value && fabs(value) < 0x1p52; }

__global__ void __launch_bounds__(THREADS)
    find_doubts(const point_set points, int columns, doubts *found) {
  const int64_t i = this_item();
  if (i >= points.n) return;
  for (int k = 0; k < columns; ++k) {
    const double value = points.at[k][i * points.stride], scale = points.rule.scale;
    if (value != 0 && fabs(value) < 0x1p-480) found->tiny = 1;
    const double box = points.rule.kind == GG_POINT_SPHERE ? 0 : points.rule.box[k];
    if (!(box > 0)) continue;
    if (!(value >= 0 && value < box)) found->outside = 1;
    if (!is_whole(value / scale) || !is_whole(box / scale)) found->fraction = 1;
  }
}

__global__ void __launch_bounds__(THREADS)
    make_names(const point_set points, int column, const int32_t *row, uint64_t *name) {
  const int64_t p = this_item();
  if (p < points.n) name[p] = (uint64_t)__double_as_longlong(location_name(points, row[p], column));
}

__global__ void __launch_bounds__(THREADS) number_rows(int64_t n, int32_t *row) {
  const int64_t i = this_item();
  if (i < n) row[i] = (int32_t)i;
}

__device__ bool same_location(const point_set &points, int64_t i, int64_t j, int columns) {
  for (int k = 0; k < columns; ++k)
    if (location_name(points, i, k) != location_name(points, j, k)) return false;
  return true;
}

/* Sets 1 at the beginning of each group. */
__global__ void __launch_bounds__(THREADS)
    mark_groups(const point_set points, int columns, const int32_t *row, int32_t *head) {
  const int64_t p = this_item();
  if (p >= points.n) return;
  const int64_t i = row[p], before = p > 0 ? row[p - 1] : -1;
  head[p] = p == 0 || (before < points.nx) != (i < points.nx) ||
            !same_location(points, before, i, columns);
}

/* Computes groups from the number of groups that begin up to each position. */
__global__ void __launch_bounds__(THREADS)
    write_groups(const int32_t *row, const int32_t *begun, int64_t n, int32_t *first,
                 int32_t *group_of_row, int32_t *position) {
  const int64_t p = this_item();
  if (p >= n) return;
  const int32_t group = begun[p] - 1;
  if (p == 0 || begun[p - 1] != begun[p]) first[group] = (int32_t)p;
  if (p == n - 1) first[group + 1] = (int32_t)n;
  group_of_row[row[p]] = group;
  position[row[p]] = (int32_t)p;
}

/* The partners of row i at its location: positions from `from` on, `count` of them. */
struct partner_range {
  int64_t from, count;
};

__device__ partner_range partners_of(const point_set &points, int columns, const group_view &all,
                                     int64_t i) {
  const int64_t group = all.group_of_row[i];
  if (points.within) return {all.position[i] + 1, all.first[group + 1] - all.position[i] - 1};
  if (i >= points.nx || group + 1 == all.groups) return {0, 0};
  const int64_t begin = all.first[group + 1], j = all.row[begin]; /* those of y follow those of x */
  if (j < points.nx || !same_location(points, i, j, columns)) return {0, 0};
  return {begin, all.first[group + 2] - begin};
}

__global__ void __launch_bounds__(THREADS)
    count_partners(const point_set points, int columns, const group_view all, int64_t *partners) {
  const int64_t i = this_item();
  if (i < points.n) partners[i] = partners_of(points, columns, all, i).count;
}

/* Writes pair t of all, in the order of (i, j). */
__global__ void __launch_bounds__(THREADS)
    write_pairs(const point_set points, int columns, const group_view all, const int64_t *before,
                int64_t pairs, int2 *pair) {
  const int64_t t = this_item();
  if (t >= pairs) return;
  int64_t i = 0, last = points.n - 1; /* the last row with before[i] <= t */
  while (i < last) {
    const int64_t middle = (i + last + 1) / 2;
    if (before[middle] <= t)
      i = middle;
    else
      last = middle - 1;
  }
  const partner_range range = partners_of(points, columns, all, i);
  const int64_t j = all.row[range.from + t - before[i]];
  pair[t] = make_int2((int32_t)i, (int32_t)(points.within ? j : j - points.nx));
}

/* Writes the first point of each group, and the number of its points. */
__global__ void __launch_bounds__(THREADS)
    take_groups(const point_set points, const group_view all, double *at0, double *at1, double *at2,
                int32_t *row_of_group, int32_t *weight_of_row) {
  const int64_t g = this_item();
  if (g >= all.groups) return;
  const int32_t i = all.row[all.first[g]];
  row_of_group[g] = i;
  weight_of_row[i] = all.first[g + 1] - all.first[g];
  if (at0) at0[g] = points.at[0][i * points.stride];
  if (at1) at1[g] = points.at[1][i * points.stride];
  if (at2) at2[g] = points.at[2][i * points.stride];
}

/* Returns the number of columns of a name. */
int name_columns(const point_set &points) {
  return points.rule.kind == GG_POINT_SPHERE ? 2 : points.rule.columns;
}

template <class T> T fetched(const T *from, cudaStream_t stream) {
  T value;
  GG_CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  return value;
}

} // namespace

void locations::build(const point_set &points, cudaStream_t stream) {
  const int64_t n = points.n;
  const int columns = name_columns(points);
  device_memory key[2], other_row, scratch, doubtful;
  doubtful.allocate(sizeof(doubts));
  GG_CUDA(cudaMemsetAsync(doubtful.as(), 0, sizeof(doubts), stream));
  find_doubts<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, columns,
                                                              doubtful.as<doubts>());
  const doubts found = fetched(doubtful.as<doubts>(), stream);
  exact_ = !found.tiny && !(found.outside && found.fraction);
  if (!exact_) return;

  for (device_memory &one : key)
    one.allocate(8 * n);
  row_.allocate(4 * n);
  other_row.allocate(4 * n);
  size_t sort = 0, scan = 0;
  double_buffer<uint64_t> keys{{key[0].as<uint64_t>(), key[1].as<uint64_t>()}};
  double_buffer<int32_t> rows{{row_.as<int32_t>(), other_row.as<int32_t>()}};
  sort_pairs(nullptr, sort, keys, rows, n, 64, stream);
  int32_t *head = key[0].as<int32_t>();
  inclusive_sum(nullptr, scan, head, head, n, stream);
  size_t bytes = sort > scan ? sort : scan;
  scratch.allocate((int64_t)bytes);

  number_rows<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(n, rows.current());
  for (int k = columns - 1; k >= 0; --k) {
    make_names<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, k, rows.current(),
                                                               keys.current());
    sort_pairs(scratch.as(), bytes, keys, rows, n, 64, stream);
  }
  if (rows.current() != row_.as<int32_t>())
    GG_CUDA(cudaMemcpyAsync(row_.as(), rows.current(), (size_t)(4 * n), cudaMemcpyDeviceToDevice,
                            stream));
  mark_groups<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, columns, row(), head);
  inclusive_sum(scratch.as(), bytes, head, head, n, stream);
  groups_ = fetched(head + n - 1, stream);
  first_.allocate(4 * (groups_ + 1));
  group_of_row_.allocate(4 * n);
  position_.allocate(4 * n);
  write_groups<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(
      row(), head, n, first_.as<int32_t>(), group_of_row_.as<int32_t>(), position_.as<int32_t>());
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaStreamSynchronize(stream));
}

void locations::take_first(const point_set &points, double *const (&at)[MOST_COLUMNS],
                           int32_t *row_of_group, int32_t *weight_of_row,
                           cudaStream_t stream) const {
  take_groups<<<blocks_for(groups_, THREADS), THREADS, 0, stream>>>(
      points, view(), at[0], at[1], at[2], row_of_group, weight_of_row);
  GG_CUDA(cudaGetLastError());
}

std::vector<int32_t> locations::rows_of(int32_t first_row) const {
  int32_t group = 0, range[2];
  GG_CUDA(cudaMemcpy(&group, group_of_row_.as<int32_t>() + first_row, sizeof group,
                     cudaMemcpyDeviceToHost));
  GG_CUDA(cudaMemcpy(range, first() + group, sizeof range, cudaMemcpyDeviceToHost));
  std::vector<int32_t> rows((size_t)(range[1] - range[0]));
  GG_CUDA(cudaMemcpy(rows.data(), row() + range[0], 4 * rows.size(), cudaMemcpyDeviceToHost));
  return rows;
}

int64_t locations::count_pairs(const point_set &points, cudaStream_t stream) {
  const int64_t n = points.n;
  device_memory scratch;
  partners_.allocate(8 * n);
  before_.allocate(8 * n);
  count_partners<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points, name_columns(points),
                                                                 view(), partners_.as<int64_t>());
  size_t bytes = 0;
  int64_t *partners = partners_.as<int64_t>(), *before = before_.as<int64_t>();
  exclusive_sum(nullptr, bytes, partners, before, n, stream);
  scratch.allocate((int64_t)bytes);
  exclusive_sum(scratch.as(), bytes, partners, before, n, stream);
  pairs_ = fetched(before + n - 1, stream) + fetched(partners + n - 1, stream);
  return pairs_;
}

std::vector<gg_closest_pair> locations::first_pairs(const point_set &points, int64_t k,
                                                    cudaStream_t stream) const {
  const int64_t count = smaller(k, pairs_);
  std::vector<gg_closest_pair> pairs((size_t)count);
  if (count == 0) return pairs;
  device_memory pair;
  pair.allocate(count * (int64_t)sizeof(int2));
  write_pairs<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(
      points, name_columns(points), view(), before_.as<int64_t>(), count, pair.as<int2>());
  GG_CUDA(cudaGetLastError());
  std::vector<int2> found((size_t)count);
  GG_CUDA(cudaMemcpyAsync(found.data(), pair.as(), (size_t)count * sizeof(int2),
                          cudaMemcpyDeviceToHost, stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  for (int64_t t = 0; t < count; ++t)
    pairs[(size_t)t] = {{0, 0}, found[(size_t)t].x, found[(size_t)t].y};
  return pairs;
}

} // namespace gpugeo

/*
 * A sieve for very many points.
 *
 * Limited by the device's memory. The coordinates are read twice, 8 bytes a point are written once,
 * and read and written for each 8 bits of a cell's number.
 */
#include "cuda/points/point_sieve.cuh"

#include <algorithm>
#include <cmath>

#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr double CELL_POINTS = 2;
constexpr int WORD_BITS = 63, COLUMN_BITS = 46;
constexpr int MARK_BITS = 23; /* of the hash that most words are turned away by */

__device__ __forceinline__ uint64_t word_of(const sieve_shape &shape, const double *columns,
                                            int64_t n, int64_t i) {
  double x[MOST_COLUMNS];
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    x[k] = k < shape.columns ? columns[k * n + i] : 0;
  return shape.word(x);
}

__global__ void __launch_bounds__(THREADS)
    make_words(const sieve_shape shape, const double *columns, int64_t n, uint64_t *word) {
  const int64_t i = this_item();
  if (i < n) word[i] = word_of(shape, columns, n, i);
}

__global__ void __launch_bounds__(THREADS)
    count_followers(const sieve_view sieve, square_word *pairs) {
  square_word sum = 0;
  for (int64_t p = this_item(); p < sieve.n; p += (int64_t)gridDim.x * THREADS) {
    const uint64_t cell = sieve.cell(p);
    int64_t step = 1; /* the cell ends before p + step */
    while (p + step < sieve.n && sieve.cell(p + step) == cell)
      step *= 2;
    int64_t first = p + step / 2, last = smaller(p + step, sieve.n);
    while (first < last) {
      const int64_t middle = (first + last) / 2;
      if (sieve.cell(middle) == cell)
        first = middle + 1;
      else
        last = middle;
    }
    sum += (square_word)(first > p ? first - p - 1 : 0);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(pairs, sum);
}

__device__ __forceinline__ uint32_t mark_of(uint64_t word) {
  return (uint32_t)((word * 0x9e3779b97f4a7c15u) >> (64 - MARK_BITS));
}

/* Collects the words of the two positions of each candidate. */
__global__ void __launch_bounds__(THREADS)
    take_words(const uint64_t *word, const closest_candidate *candidates, int64_t count,
               uint64_t *taken) {
  const int64_t c = this_item();
  if (c >= count) return;
  taken[2 * c] = word[candidates[c].i];
  taken[2 * c + 1] = word[candidates[c].j];
}

__global__ void __launch_bounds__(THREADS)
    set_marks(const uint64_t *wanted, int64_t count, uint32_t *marks) {
  const int64_t t = this_item();
  if (t >= count) return;
  const uint32_t mark = mark_of(wanted[t]);
  atomicOr(&marks[mark / 32], 1u << mark % 32);
}

/* Collects the rows whose word is wanted, in any order, and counts them. */
__global__ void __launch_bounds__(THREADS)
    find_rows(const sieve_shape shape, const double *columns, int64_t n, const uint64_t *wanted,
              int64_t count, const uint32_t *marks, int32_t *rows, int64_t room,
              square_word *found) {
  const int64_t i = this_item();
  if (i >= n) return;
  const uint64_t word = word_of(shape, columns, n, i);
  const uint32_t mark = mark_of(word);
  if (!(__ldg(&marks[mark / 32]) >> mark % 32 & 1)) return;
  int64_t first = 0, last = count;
  while (first < last) {
    const int64_t middle = (first + last) / 2;
    if (wanted[middle] < word)
      first = middle + 1;
    else
      last = middle;
  }
  if (first == count || wanted[first] != word) return;
  const square_word slot = atomicAdd(found, 1ull);
  if (slot < (square_word)room) rows[slot] = (int32_t)i;
}

} // namespace

bool shape_sieve(int columns, const point_bounds &bounds, int64_t n, sieve_shape *shape) {
  *shape = {};
  shape->columns = columns;
  double extent[MOST_COLUMNS] = {}, length = 0;
  for (int k = 0; k < columns; ++k) {
    extent[k] = bounds.high[k] - bounds.low[k];
    if (!std::isfinite(extent[k])) return false;
  }
  /* The size of a cell; columns with less extent don't count. */
  for (int pass = 0; pass < columns; ++pass) {
    double logs = -log2((double)n / CELL_POINTS);
    int counted = 0;
    for (int k = 0; k < columns; ++k)
      if (extent[k] > length) logs += log2(extent[k]), ++counted;
    if (counted == 0) return false;
    length = exp2(logs / counted);
  }
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (int k = 0; k < columns; ++k) {
    const double bits = extent[k] > length ? std::round(log2(extent[k]) - log2(length)) : 0;
    shape->cell_bits[k] = (int)fmin(bits, 40);
    shape->all_cell_bits += shape->cell_bits[k];
  }
  if (shape->all_cell_bits == 0 || shape->all_cell_bits > 40) return false;
  shape->fine_bits = (WORD_BITS - shape->all_cell_bits) / columns;
  for (int k = 0; k < columns; ++k)
    shape->fine_bits = (int)smaller(shape->fine_bits, COLUMN_BITS - shape->cell_bits[k]);
  shape->all_fine_bits = shape->fine_bits * columns;
  double largest = 0;
  for (int k = 0; k < columns; ++k) {
    shape->low[k] = bounds.low[k];
    shape->unit[k] = ldexp(extent[k], -shape->cell_bits[k] - shape->fine_bits);
    largest = fmax(largest, shape->unit[k]);
  }
  /* Where the last bits would be lost among denormal numbers. */
  if (!(largest > 1e-290)) return false;
  for (int k = 0; k < columns; ++k)
    shape->ratio[k] = shape->unit[k] / largest;
  return true;
}

void point_sieve::allocate(int64_t n, const sieve_shape &shape) {
  view_.shape = shape;
  view_.n = n;
  for (device_memory &word : word_)
    word.allocate(8 * n);
  double_buffer<uint64_t> words;
  sort_words(nullptr, scratch_bytes_, words, n, 0, 64, nullptr);
  scratch_.allocate((int64_t)scratch_bytes_);
}

void point_sieve::build(const double *columns, cudaStream_t stream) {
  const sieve_shape &shape = view_.shape;
  double_buffer<uint64_t> words{{word_[0].as<uint64_t>(), word_[1].as<uint64_t>()}};
  make_words<<<blocks_for(view_.n, THREADS), THREADS, 0, stream>>>(shape, columns, view_.n,
                                                                   words.current());
  sort_words(scratch_.as(), scratch_bytes_, words, view_.n, shape.all_fine_bits,
             shape.all_fine_bits + shape.all_cell_bits, stream);
  view_.word = words.current();
}

void point_sieve::count_pairs(square_word *pairs, cudaStream_t stream) const {
  count_followers<<<(unsigned)smaller(blocks_for(view_.n, THREADS), 8192), THREADS, 0, stream>>>(
      view_, pairs);
}

std::vector<int32_t> point_sieve::rows_of(const double *columns,
                                          const closest_candidate *candidates, int64_t count,
                                          int64_t most, cudaStream_t stream) const {
  device_memory taken, marks, rows, found;
  const size_t mark_bytes = ((size_t)1 << MARK_BITS) / 8;
  taken.allocate(16 * count);
  marks.allocate((int64_t)mark_bytes);
  rows.allocate(4 * most);
  found.allocate(sizeof(square_word));
  take_words<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(view_.word, candidates, count,
                                                                 taken.as<uint64_t>());
  std::vector<uint64_t> wanted((size_t)(2 * count));
  GG_CUDA(cudaMemcpyAsync(wanted.data(), taken.as(), 8 * wanted.size(), cudaMemcpyDeviceToHost,
                          stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  GG_CUDA(cudaMemcpyAsync(taken.as(), wanted.data(), 8 * wanted.size(), cudaMemcpyHostToDevice,
                          stream));
  GG_CUDA(cudaMemsetAsync(marks.as(), 0, mark_bytes, stream));
  GG_CUDA(cudaMemsetAsync(found.as(), 0, sizeof(square_word), stream));
  const int64_t words = (int64_t)wanted.size();
  set_marks<<<blocks_for(words, THREADS), THREADS, 0, stream>>>(taken.as<uint64_t>(), words,
                                                                marks.as<uint32_t>());
  find_rows<<<blocks_for(view_.n, THREADS), THREADS, 0, stream>>>(
      view_.shape, columns, view_.n, taken.as<uint64_t>(), words, marks.as<uint32_t>(),
      rows.as<int32_t>(), most, found.as<square_word>());
  GG_CUDA(cudaGetLastError());
  square_word total = 0;
  GG_CUDA(cudaMemcpyAsync(&total, found.as(), sizeof total, cudaMemcpyDeviceToHost, stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  std::vector<int32_t> result((size_t)(total <= (square_word)most ? total : 0));
  GG_CUDA(
      cudaMemcpyAsync(result.data(), rows.as(), 4 * result.size(), cudaMemcpyDeviceToHost, stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace gpugeo

/*
 * Limited by the device's memory bandwidth. A sort reads and writes keys and rows once for each 8
 * bits of a key, a prefix sum its values once.
 */
#include "cuda/common/sort.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cuda/std/iterator>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace gpugeo {
namespace {

struct least {
  __device__ int32_t operator()(int32_t a, int32_t b) const { return a < b ? a : b; }
};

struct greatest {
  __device__ int32_t operator()(int32_t a, int32_t b) const { return a > b ? a : b; }
};

struct times {
  int64_t factor;
  __host__ __device__ int64_t operator()(int64_t i) const { return i * factor; }
};

template <class T> cub::DoubleBuffer<T> buffers_of(const double_buffer<T> &from) {
  return cub::DoubleBuffer<T>(from.array[0], from.array[1]);
}

template <class T> void take(double_buffer<T> &to, cub::DoubleBuffer<T> &from) {
  to.array[0] = from.Current();
  to.array[1] = from.Alternate();
}

} // namespace

void sort_pairs(void *scratch, size_t &bytes, double_buffer<uint64_t> &keys,
                double_buffer<int32_t> &rows, int64_t n, int bits, cudaStream_t stream) {
  cub::DoubleBuffer<uint64_t> key = buffers_of(keys);
  cub::DoubleBuffer<int32_t> row = buffers_of(rows);
  GG_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, key, row, n, 0, bits, stream));
  if (!scratch) return;
  take(keys, key);
  take(rows, row);
}

void sort_pairs_to(void *scratch, size_t &bytes, const uint64_t *keys, uint64_t *sorted_keys,
                   const int32_t *rows, int32_t *sorted_rows, int64_t n, int bits,
                   cudaStream_t stream) {
  GG_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, rows, sorted_rows, n,
                                          0, bits, stream));
}

void sort_segments(void *scratch, size_t &bytes, double_buffer<uint64_t> &keys,
                   double_buffer<int32_t> &rows, int64_t count, int64_t length,
                   cudaStream_t stream) {
  cub::DoubleBuffer<uint64_t> key = buffers_of(keys);
  cub::DoubleBuffer<int32_t> row = buffers_of(rows);
  const auto begin =
      thrust::make_transform_iterator(thrust::make_counting_iterator((int64_t)0), times{length});
  GG_CUDA(cub::DeviceSegmentedRadixSort::SortPairs(scratch, bytes, key, row, count * length, count,
                                                   begin, begin + 1, 0, 64, stream));
  if (!scratch) return;
  take(keys, key);
  take(rows, row);
}

void sort_words(void *scratch, size_t &bytes, double_buffer<uint64_t> &words, int64_t n, int first,
                int last, cudaStream_t stream) {
  cub::DoubleBuffer<uint64_t> word = buffers_of(words);
  GG_CUDA(cub::DeviceRadixSort::SortKeys(scratch, bytes, word, n, first, last, stream));
  if (scratch) take(words, word);
}

void inclusive_sum(void *scratch, size_t &bytes, const int32_t *from, int32_t *to, int64_t n,
                   cudaStream_t stream) {
  GG_CUDA(cub::DeviceScan::InclusiveSum(scratch, bytes, from, to, n, stream));
}

void exclusive_sum(void *scratch, size_t &bytes, const int32_t *from, int32_t *to, int64_t n,
                   cudaStream_t stream) {
  GG_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, n, stream));
}

void exclusive_sum(void *scratch, size_t &bytes, const int64_t *from, int64_t *to, int64_t n,
                   cudaStream_t stream) {
  GG_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, n, stream));
}

void inclusive_maximum(void *scratch, size_t &bytes, int32_t *values, int64_t n,
                       cudaStream_t stream) {
  GG_CUDA(cub::DeviceScan::InclusiveScan(scratch, bytes, values, values, greatest(), n, stream));
}

void minimum_from_end(void *scratch, size_t &bytes, int32_t *values, int64_t n,
                      cudaStream_t stream) {
  const auto last = cuda::std::make_reverse_iterator(values + n);
  GG_CUDA(cub::DeviceScan::InclusiveScan(scratch, bytes, last, last, least(), n, stream));
}

} // namespace gpugeo

/*
 * Sorts and prefix sums of the device, by cub, each compiled once, because the compiler takes ten
 * seconds for a sort of keys with rows and one architecture.
 *
 * As in cub, a call with scratch == nullptr only sets `bytes`, the scratch memory that one for n
 * values takes, and looks at no other pointer.
 */
#ifndef GG_CUDA_SORT_CUH
#define GG_CUDA_SORT_CUH

#include "cuda/common/device.cuh"

namespace gpugeo {

/* Two arrays of one size: values, and room for them in another order. */
template <class T> struct double_buffer {
  T *array[2] = {nullptr, nullptr};

  T *current() const { return array[0]; }
  T *alternate() const { return array[1]; }
};

/* Returns the number of bits that `count` has, at least 1. */
inline int bits_for(int64_t count) {
  int bits = 1;
  while (bits < 63 && count >> bits)
    ++bits;
  return bits;
}

/* Sorts keys by their lowest `bits` bits, and rows with them. Equal keys keep their order. */
void sort_pairs(void *scratch, size_t &bytes, double_buffer<uint64_t> &keys,
                double_buffer<int32_t> &rows, int64_t n, int bits, cudaStream_t stream);

/* Does the same into other memory and keeps the input. */
void sort_pairs_to(void *scratch, size_t &bytes, const uint64_t *keys, uint64_t *sorted_keys,
                   const int32_t *rows, int32_t *sorted_rows, int64_t n, int bits,
                   cudaStream_t stream);

/* Sorts `count` segments of `length` keys each, and rows with them, by all bits. Equal keys keep
   their order. */
void sort_segments(void *scratch, size_t &bytes, double_buffer<uint64_t> &keys,
                   double_buffer<int32_t> &rows, int64_t count, int64_t length,
                   cudaStream_t stream);

/* Sorts words by their bits from `first` to before `last`. Equal ones keep their order. */
void sort_words(void *scratch, size_t &bytes, double_buffer<uint64_t> &words, int64_t n, int first,
                int last, cudaStream_t stream);

/* Set to[i] to the sum of from[0] to from[i], or to from[i - 1]; `to` may be `from`. */
void inclusive_sum(void *scratch, size_t &bytes, const int32_t *from, int32_t *to, int64_t n,
                   cudaStream_t stream);
void exclusive_sum(void *scratch, size_t &bytes, const int32_t *from, int32_t *to, int64_t n,
                   cudaStream_t stream);
void exclusive_sum(void *scratch, size_t &bytes, const int64_t *from, int64_t *to, int64_t n,
                   cudaStream_t stream);

/* Replaces values[i] by the largest of values[0] to values[i]. */
void inclusive_maximum(void *scratch, size_t &bytes, int32_t *values, int64_t n,
                       cudaStream_t stream);

/* Replaces values[i] by the smallest of values[i] to values[n - 1]. */
void minimum_from_end(void *scratch, size_t &bytes, int32_t *values, int64_t n,
                      cudaStream_t stream);

} // namespace gpugeo

#endif

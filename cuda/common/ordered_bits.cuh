/* Doubles as whole numbers in the same order, for atomic operations and sorts. */
#ifndef GG_CUDA_ORDERED_BITS_CUH
#define GG_CUDA_ORDERED_BITS_CUH

#include <cmath>
#include <cstdint>

namespace gpugeo {

using double_bits = unsigned long long; /* of a double, in an order of whole numbers */

/* Returns the bits of a number, which is not NaN. Zeros of both signs have the same. */
__device__ __forceinline__ double_bits bits_of(double value) {
  const double_bits bits = (double_bits)__double_as_longlong(value + 0.0);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

__device__ __forceinline__ double value_of(double_bits bits) {
  return __longlong_as_double((int64_t)(bits >> 63 ? bits & ~(1ull << 63) : ~bits));
}

/* Returns the next larger number, or infinity. */
__device__ __forceinline__ double number_after(double value) {
  return value < INFINITY ? value_of(bits_of(value) + 1) : value;
}

} // namespace gpugeo

#endif

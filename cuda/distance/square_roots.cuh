/* Square roots of several numbers at a time. */
#ifndef GG_CUDA_SQUARE_ROOTS_CUH
#define GG_CUDA_SQUARE_ROOTS_CUH

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace gpugeo {

/*
 * Computes the square root of a number. True if it is known to be rounded as sqrt() does.
 *
 * An approximation g and half its inverse, h, are improved by one step of Goldschmidt's iteration
 * and one of Newton's. Tuckerman's test then shows that the root z is the nearest number: a is
 * larger than z times the number below z, and not larger than z times the number above it. The sign
 * of such a difference is right, since fma() rounds once and no exponent in the range below lets it
 * underflow. The test, and not the approximation, makes the result the same on all devices.
 */
__device__ __forceinline__ bool find_root(double a, double &root) {
  const int64_t ulp = 1, half = (int64_t)1 << 52; /* added to the bits of a number */
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double g = a * y, h = __longlong_as_double(__double_as_longlong(y) - half);
  const double r = fma(-g, h, 0.5);
  g = fma(g, r, g);
  h = fma(h, r, h);
  const double z = fma(fma(-g, g, a), h, g);
  const double below = __longlong_as_double(__double_as_longlong(z) - ulp);
  const double above = __longlong_as_double(__double_as_longlong(z) + ulp);
  root = z;
  const bool in_range = (uint32_t)__double2hiint(a) - 0x07000000u < 0x70000000u; /* 2^-911, 2^881 */
  const int low = __double2hiint(fma(-z, below, a)), high = __double2hiint(fma(-z, above, a));
  return in_range & (low > 0) & (high <= 0); /* signs, as both are 0 or normal numbers */
}

/* Takes the square roots of N numbers, with the bits of sqrt(). That has a branch, so that one root
   would wait for the other. */
template <int N> __device__ __forceinline__ void take_roots(double (&value)[N]) {
  double root[N];
  bool sure = true;
#pragma unroll
  for (int k = 0; k < N; ++k)
    sure &= find_root(value[k], root[k]);
  if (__builtin_expect(sure, true)) {
#pragma unroll
    for (int k = 0; k < N; ++k)
      value[k] = root[k];
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k)
      value[k] = sqrt(value[k]);
  }
}
template <int N> __device__ __forceinline__ void take_roots(float (&value)[N]) {
#pragma unroll
  for (int k = 0; k < N; ++k)
    value[k] = sqrt(value[k]);
}

} // namespace gpugeo

#endif

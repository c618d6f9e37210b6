/* Products of small matrices of doubles on the tensor cores, from compute capability 8.0 on. */
#ifndef GG_CUDA_DOUBLE_MMA_CUH
#define GG_CUDA_DOUBLE_MMA_CUH

#include <cuda_runtime.h>

namespace gpugeo {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* Computes c += a b for 16 by 8 sums and 4 terms, which are added one after another, each rounded
   as by fma. Lane 4 g + t holds rows g and g + 8 of a at term t, column g of b there, and of c rows
   g and g + 8 at columns 2 t and 2 t + 1. */
__device__ __forceinline__ void multiply(double (&c)[4], double2 a, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a.x), "d"(a.y), "d"(b));
#else
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a.x), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a.y), "d"(b));
#endif
}

#endif

} // namespace gpugeo

#endif

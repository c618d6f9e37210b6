/* Products of half-precision matrices on the tensor cores. */
#ifndef GG_CUDA_HALF_MMA_CUH
#define GG_CUDA_HALF_MMA_CUH

#include <cuda_fp16.h>

#include <cstdint>

namespace gpugeo {

/*
 * A matrix instruction multiplies exactly and adds 16 products to a sum, each cut off below 2^-23
 * of the largest, at worst in groups of 4 whose sums are cut off again: at most 24 * 2^-23 of the
 * largest partial sum, which is at most |x| |y|. That is for 16 columns; a third is added.
 */
constexpr double PRODUCT_ERROR = 0x1p-22; /* for each column, of |x| |y| */

/* Loads four 8 by 8 matrices from shared memory. Lane l passes the address of row l % 8 of
   matrix l / 8 and gets the elements 2 (l % 4) and the next of row l / 4 of each. */
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], const __half *row) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
#endif
}

/* Computes c += a b for 16 by 8 sums and 16 coordinates. Lane 4 g + t holds of c rows g and g +
   8 at columns 2 t and 2 t + 1. */
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

} // namespace gpugeo

#endif

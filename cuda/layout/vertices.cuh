/* Vertices in device memory, and the arithmetic of forces between them. */
#ifndef GG_CUDA_LAYOUT_VERTICES_CUH
#define GG_CUDA_LAYOUT_VERTICES_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"
#include "layout/step.h"

namespace gpugeo {

/* A vertex's position, and its fine offset in the frame (see layout/step.h). */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_position { double at[DIM]; };
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_fine { int32_t at[DIM]; };

/* A force, in units of the frame and per unit of the vertex's mass. */
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_force { float at[DIM]; };

/* The state that an iteration passes on to the next. */
struct layout_state {
  gg_layout_frame frame; /* of the current positions */
  int64_t iterations;    /* done */
  int32_t converged;     /* nonzero: kernels return at once */
};

/* The vertices in device memory. */
template <int DIM> struct layout_vertices {
  int64_t n;
  const layout_position<DIM> *position;
  const float *mass; /* NULL: all 1 */
  const layout_state *state;

  __device__ __forceinline__ float mass_of(int64_t vertex) const {
    return mass ? mass[vertex] : 1.0f;
  }
  __device__ __forceinline__ layout_fine<DIM> fine_of(int64_t vertex) const {
    const uint64_t hash = gg_layout_hash(vertex, state->iterations);
    const layout_position<DIM> here = position[vertex];
    layout_fine<DIM> fine;
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      fine.at[c] = gg_layout_fine(gg_layout_offset(&state->frame, here.at[c], c), hash, c);
    return fine;
  }
};

/* An offset in units, as a whole part and a rest: the differences of both parts of two offsets are
   exact, so that the difference of the offsets is rounded once. */
template <int DIM> struct layout_offset { float whole[DIM], rest[DIM]; };

template <int DIM>
__device__ __forceinline__ layout_offset<DIM> layout_offset_of(const layout_fine<DIM> &fine) {
  layout_offset<DIM> offset;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    const int32_t rest = fine.at[c] & (GG_LAYOUT_FINE - 1);
    offset.whole[c] = (float)(fine.at[c] - rest) * (1.0f / GG_LAYOUT_FINE);
    offset.rest[c] = (float)rest * (1.0f / GG_LAYOUT_FINE);
  }
  return offset;
}

/* Computes d = to - from. */
template <int DIM>
__device__ __forceinline__ void layout_difference(const layout_offset<DIM> &to,
                                                  const layout_offset<DIM> &from, float *d) {
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    d[c] = (to.whole[c] - from.whole[c]) + (to.rest[c] - from.rest[c]);
}

/* Returns 1 / x within one ulp, for normal x. */
__device__ __forceinline__ float layout_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}

/* Adds the repulsion of a mass to a force; d leads from it to the vertex. */
template <int DIM>
__device__ __forceinline__ void layout_repel(const float *d, float mass, float *force) {
  float square = GG_LAYOUT_SOFT;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    square = fmaf(d[c], d[c], square);
  const float factor = mass * layout_reciprocal(square);
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    force[c] = fmaf(factor, d[c], force[c]);
}

} // namespace gpugeo

#endif

/* Copies between columns or arrays of the host and device memory. */
#ifndef GG_CUDA_LAYOUT_TRANSFER_CUH
#define GG_CUDA_LAYOUT_TRANSFER_CUH

#include "cuda/layout/vertices.cuh"

namespace gpugeo {

/* Allocates device memory and copies an array to it. */
template <class T> T *to_device(device_memory &memory, const T *from, int64_t count) {
  memory.allocate(larger(count, 1) * (int64_t)sizeof(T));
  if (count > 0) copy_in(memory.as(), from, (size_t)count * sizeof(T));
  return memory.as<T>();
}

/* Returns an array of the device; waits for the stream. */
template <class T> std::vector<T> from_device(const T *from, int64_t count, cudaStream_t stream) {
  std::vector<T> values((size_t)count);
  GG_CUDA(cudaMemcpyAsync(values.data(), from, values.size() * sizeof(T), cudaMemcpyDeviceToHost,
                          stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  return values;
}

/* Returns the positions of columns. */
template <int DIM> std::vector<layout_position<DIM>> gathered(const double *columns, int64_t n) {
  std::vector<layout_position<DIM>> positions((size_t)n);
  for (int c = 0; c < DIM; ++c)
    for (int64_t i = 0; i < n; ++i)
      positions[(size_t)i].at[c] = columns[i + c * n];
  return positions;
}

/* Copies positions to columns. */
template <int DIM>
void scatter(const std::vector<layout_position<DIM>> &positions, double *columns) {
  const int64_t n = (int64_t)positions.size();
  for (int c = 0; c < DIM; ++c)
    for (int64_t i = 0; i < n; ++i)
      columns[i + c * n] = positions[(size_t)i].at[c];
}

} // namespace gpugeo

#endif

/*
 * Expanding the elements of sparse points on the device.
 *
 * Limit: device memory, with a sector of 32 bytes written for each element.
 */
#include "cuda/common/expand.cuh"

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 256 };

template <class T>
__global__ void expand(const gg_sparse_entry *entries, int64_t count, T *to, int64_t ld) {
  const int64_t e = this_item();
  if (e >= count) return;
  const gg_sparse_entry entry = entries[e];
  to[entry.point + entry.coordinate * ld] = (T)entry.value;
}

} // namespace

template <class T>
void expand_entries(const gg_sparse_entry *entries, int64_t count, T *to, int64_t ld,
                    cudaStream_t stream) {
  expand<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(entries, count, to, ld);
  GG_CUDA(cudaGetLastError());
}
template void expand_entries<double>(const gg_sparse_entry *, int64_t, double *, int64_t,
                                     cudaStream_t);
template void expand_entries<float>(const gg_sparse_entry *, int64_t, float *, int64_t,
                                    cudaStream_t);

} // namespace gpugeo

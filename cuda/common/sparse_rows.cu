/*
 * Sparse points that stay on the device as they are stored.
 *
 * The elements cross the link twice: once to count those of each point, and once to be written to
 * their places, in the order in which the atomic operations find them. An expansion does not depend
 * on this order.
 *
 * Limit: the link; in an expansion device memory, with a sector of 32 bytes written for each
 * element.
 */
#include "cuda/common/sparse_rows.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 256, LANES_OF_POINT = 32 };

using counter = unsigned long long; /* of the bits of an int64_t that is not negative */

__global__ void count_elements(const gg_sparse_entry *entries, int64_t count, counter *elements) {
  const int64_t e = this_item();
  if (e < count) atomicAdd(&elements[entries[e].point], 1ull);
}

/* Writes elements to their points. end[i] is the end of those of point i that have been written. */
__global__ void place_elements(const gg_sparse_entry *entries, int64_t count, counter *end,
                               double *value, uint32_t *coordinate) {
  const int64_t e = this_item();
  if (e >= count) return;
  const gg_sparse_entry entry = entries[e];
  const counter at = atomicAdd(&end[entry.point], 1ull);
  value[at] = entry.value;
  coordinate[at] = entry.coordinate;
}

/* Expands points, with a warp for each. */
__global__ void expand_points(const sparse_view rows, const point_choice choice, int64_t count,
                              double *to, int64_t ld) {
  const int64_t p = this_item() / LANES_OF_POINT;
  if (p >= count) return;
  const int64_t i = choice.at(p), end = rows.end[i];
  for (int64_t e = rows.start[i] + threadIdx.x % LANES_OF_POINT; e < end; e += LANES_OF_POINT)
    to[p + (int64_t)rows.coordinate[e] * ld] = rows.value[e];
}

} // namespace

void sparse_rows::load(const gpugeo_matrix &x, gpugeo_points points, int64_t n, uploader &loader,
                       cudaStream_t stream) {
  const gg_sparse_part all = {&x, points, 0, n};
  const int64_t bytes = (n + 1) * (int64_t)sizeof(int64_t);
  device_memory scratch;
  size_t scratch_bytes = 0;
  start_.allocate(bytes);
  end_.allocate(bytes);
  GG_CUDA(cudaMemsetAsync(end_.as(), 0, (size_t)bytes, stream));
  const int64_t stored = loader.pass_entries(all, [&](gg_sparse_entry *entries, int64_t count) {
    count_elements<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(entries, count,
                                                                       end_.as<counter>());
  });
  exclusive_sum(nullptr, scratch_bytes, end_.as<int64_t>(), start_.as<int64_t>(), n + 1, stream);
  scratch.allocate((int64_t)scratch_bytes);
  exclusive_sum(scratch.as(), scratch_bytes, end_.as<int64_t>(), start_.as<int64_t>(), n + 1,
                stream);
  GG_CUDA(cudaMemcpyAsync(end_.as(), start_.as(), (size_t)bytes, cudaMemcpyDeviceToDevice, stream));
  value_.allocate(stored * (int64_t)sizeof(double));
  coordinate_.allocate(stored * (int64_t)sizeof(uint32_t));
  loader.pass_entries(all, [&](gg_sparse_entry *entries, int64_t count) {
    place_elements<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(
        entries, count, end_.as<counter>(), value_.as<double>(), coordinate_.as<uint32_t>());
  });
  GG_CUDA(cudaStreamSynchronize(stream));
}

void sparse_rows::expand(const point_choice &choice, int64_t count, int64_t m, double *to,
                         int64_t ld, cudaStream_t stream) const {
  const sparse_view view = {start_.as<int64_t>(), end_.as<int64_t>(), value_.as<double>(),
                            coordinate_.as<uint32_t>()};
  GG_CUDA(cudaMemsetAsync(to, 0, (size_t)(ld * m) * sizeof *to, stream));
  expand_points<<<blocks_for(count * LANES_OF_POINT, THREADS), THREADS, 0, stream>>>(view, choice,
                                                                                     count, to, ld);
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo

/*
 * Distances that stay on the device: computing them to their places, and reading them back.
 *
 * Limits: the distance kernels, and the link. Lists of points are read by one gather for each 32
 * MiB of distances.
 */
#include "cuda/common/download.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/dist/dist_resident.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB, MOST_REST = 768 * MIB; /* while they are computed */
constexpr int64_t SLOT_BYTES = 32 * MIB; /* of distances that are copied at a time */

enum { THREADS = 256 };

int64_t value_bytes(bool single) { return single ? (int64_t)sizeof(float) : sizeof(double); }

/* The distances that are read, and where they go. */
struct gather_job {
  const void *values;
  int64_t n;
  device_lists lists;
  double missing;
  double *out;
};

template <class T> __global__ void __launch_bounds__(THREADS) gather(const gather_job job) {
  const int64_t e = this_item();
  if (e >= job.lists.count()) return;
  const int64_t a = job.lists.rows[e % job.lists.row_count];
  const int64_t b = job.lists.columns[e / job.lists.row_count];
  const int64_t i = larger(a, b), j = smaller(a, b);
  const T value =
      i == j ? (T)0 : static_cast<const T *>(job.values)[all_pairs(job.n).offset(j) + i - j - 1];
  job.out[e] = value == value ? (double)value : job.missing;
}

} // namespace

void gather_distances(const gpugeo_dist_device &from, const device_lists &lists, double *out,
                      cudaStream_t stream) {
  const gather_job job = {from.values, from.n, lists, from.missing, out};
  const unsigned blocks = blocks_for(lists.count(), THREADS);
  if (from.single)
    gather<float><<<blocks, THREADS, 0, stream>>>(job);
  else
    gather<double><<<blocks, THREADS, 0, stream>>>(job);
  GG_CUDA(cudaGetLastError());
}

gpugeo_status dist_device_make(const gg_dist_plan &plan, gpugeo_dist_device &made, team &team,
                               gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  team.run([&](const worker &here) {
    const int64_t bytes = made.n * (made.n - 1) / 2 * value_bytes(made.single);
    status = check_room("the distance matrix", made.n, bytes + LEAST_REST, here.device, error);
    if (status) return;
    device_memory values;
    values.allocate(bytes);
    const int64_t rest = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
    const int64_t budget = plan.work_bytes > 0 ? smaller(plan.work_bytes, rest) : rest;
    dist_resident(plan, here, budget, {values.as(), made.n, true, made.single});
    keep(values, here.device, &made.values);
  });
  return status;
}

void dist_device_free(gpugeo_dist_device &distances) { let_go(&distances.values); }

void dist_device_read(const gpugeo_dist_device &from, const gg_point_lists &lists, double *out,
                      team &team) {
  team.run([&](const worker &here) {
    const int64_t rows = lists.row_count, columns = lists.column_count;
    const int64_t most = larger(1, SLOT_BYTES / (int64_t)sizeof(double) / rows); /* columns */
    const int64_t panel = smaller(most, columns), index = sizeof(int64_t);
    device_memory row_list, column_list, values;
    row_list.allocate(rows * index);
    column_list.allocate(columns * index);
    values.allocate(rows * panel * (int64_t)sizeof(double));
    const finish_streams finish(*here.resources);
    const cudaStream_t stream = here.resources->compute[0];
    copy_in(row_list.as(), lists.rows, (size_t)(rows * index));
    copy_in(column_list.as(), lists.columns, (size_t)(columns * index));
    for (int64_t c = 0; c < columns; c += panel) {
      const device_lists part = {row_list.as<int64_t>(), column_list.as<int64_t>() + c, rows,
                                 smaller(panel, columns - c)};
      gather_distances(from, part, values.as<double>(), stream);
      GG_CUDA(cudaStreamSynchronize(stream));
      GG_CUDA(cudaMemcpy(out + c * rows, values.as(), (size_t)part.count() * sizeof(double),
                         cudaMemcpyDeviceToHost));
    }
  });
}

void fetch_columns(const condensed_values &from, int64_t first, int64_t last, double *out,
                   const worker &here) {
  const pair_block all = all_pairs(from.n), block = all.columns(first, last);
  if (block.size() == 0) return;
  const int64_t value = value_bytes(from.single), at = all.offset(first);
  result to;
  to.out = out - at; /* where the first column would be */
  to.type = GPUGEO_TYPE_DOUBLE;
  to.from_float = from.single;
  to.condensed = to.symmetric = true;
  to.rows = from.n;
  to.missing = from.missing;
  to.pairs = (double)block.size();
  to.threads = here.threads;
  progress done = {to.pairs / 2}; /* there is nothing to compute */
  const int64_t most = larger(SLOT_BYTES, from.n * value);
  downloader down(*here.resources, to, here.clock, &done, smaller(most, block.size() * value));
  const finish_streams finish(*here.resources);
  down.fetch(block, static_cast<const char *>(from.values) + at * value);
  down.finish();
}

void dist_device_columns(const gpugeo_dist_device &from, int64_t first, int64_t last, double *out,
                         team &team) {
  team.run([&](const worker &here) {
    fetch_columns({from.values, from.n, from.single, from.missing}, first, last, out, here);
  });
}

} // namespace gpugeo

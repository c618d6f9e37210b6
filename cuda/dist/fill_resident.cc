/*
 * Bringing the distances of any source to a matrix on the device.
 *
 * Limit: the link, for distances in memory or a file.
 */
#include "cuda/dist/dist_resident.cuh"

namespace gpugeo {
namespace {

constexpr int64_t SLOT_BYTES = 32 << 20; /* of columns that are copied to the device at a time */

/* Copies distances that are on the device already. */
void place_device(const gpugeo_dist_device &from, const worker &here, const resident_matrix &to) {
  const finish_streams finish(*here.resources);
  const cudaStream_t stream = here.resources->compute[0];
  const pair_block block = all_pairs(from.n);
  if (from.single)
    place_block(block, static_cast<const float *>(from.values), to, stream);
  else
    place_block(block, static_cast<const double *>(from.values), to, stream);
  event placed;
  GG_CUDA(cudaEventRecord(placed, stream));
  wait(placed, here.clock, 0);
}

/* Returns the end of the columns from j on whose distances fit into a slot; at least one. */
int64_t end_of_columns(int64_t n, int64_t j, int64_t room) {
  int64_t end = j + 1;
  for (int64_t left = room - (n - end); end < n - 1 && left >= n - 1 - end; ++end)
    left -= n - 1 - end;
  return end;
}

/* Copies condensed distances, from memory or a file, through pinned slots. */
gpugeo_status copy_columns(const gg_dist_source &source, const worker &here,
                           const resident_matrix &to, gpugeo_error *error) {
  const int64_t n = to.n, value = sizeof(double);
  const int64_t most = larger(n - 1, SLOT_BYTES / value); /* distances of a slot */
  const int64_t room = smaller(most, n * (n - 1) / 2);
  reserve_up(*here.resources, room * value);
  device_memory staging[slots];
  event left[slots];
  for (device_memory &memory : staging)
    memory.allocate(room * value);
  const finish_streams finish(*here.resources); /* before staging is freed */
  const cudaStream_t upload = here.resources->upload;
  int slot = 0;
  for (int64_t j = 0, end; j < n - 1; j = end, slot = (slot + 1) % slots) {
    end = end_of_columns(n, j, room);
    const double behind = (double)(n - j) / (double)n;
    wait(left[slot], here.clock, 1 - behind * behind);
    double *pinned = static_cast<double *>(here.resources->pinned_up[slot]);
    const gpugeo_status status = gg_dist_source_columns(&source, j, end, pinned, error);
    if (status) return status;
    const pair_block block = {j, n, j, end, j, 1};
    GG_CUDA(cudaMemcpyAsync(staging[slot].as(), pinned, (size_t)(block.size() * value),
                            cudaMemcpyHostToDevice, upload));
    place_block(block, staging[slot].as<double>(), to, upload);
    GG_CUDA(cudaEventRecord(left[slot], upload));
  }
  return GPUGEO_OK;
}

} // namespace

gpugeo_status fill_resident(const gg_dist_source &source, const gg_dist_plan *points,
                            const worker &here, int64_t budget, const resident_matrix &to,
                            gpugeo_error *error) {
  if (source.on_device)
    place_device(*source.on_device, here, to);
  else if (points)
    dist_resident(*points, here, budget, to);
  else
    return copy_columns(source, here, to, error);
  return GPUGEO_OK;
}

} // namespace gpugeo

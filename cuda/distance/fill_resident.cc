/*
 * Bringing the distances of any source to a matrix on the device.
 *
 * Limit: the link, for distances in memory or a file.
 */
#include "cuda/distance/dist_resident.cuh"

#include <memory>

namespace gpugeo {
namespace {

constexpr int64_t SLOT_BYTES = 32 << 20; /* of columns that are copied to the device at a time */

/* Returns the end of the columns from j on whose distances fit into a slot; at least one. */
int64_t end_of_columns(int64_t n, int64_t j, int64_t room) {
  int64_t end = j + 1;
  for (int64_t left = room - (n - end); end < n - 1 && left >= n - 1 - end; ++end)
    left -= n - 1 - end;
  return end;
}

/* Slots on a device in which columns arrive, and the matrix that they are copied to. */
class column_slots {
public:
  /* The device is current. */
  column_slots(device_resources &resources, const resident_matrix &to, int64_t bytes)
      : resources_(resources), to_(to), finish_(resources) {
    for (device_memory &memory : staging_)
      memory.allocate(bytes);
  }
  ~column_slots() { (void)cudaSetDevice(resources_.device); }
  column_slots(const column_slots &) = delete;
  column_slots &operator=(const column_slots &) = delete;

  void make_current() const { GG_CUDA(cudaSetDevice(resources_.device)); }

  /* Waits until the slot can be filled again. */
  void wait_for(int slot, gg_clock *clock, double fraction) const {
    wait(left_[slot], clock, fraction);
  }

  /* Copies a block of columns from memory of the host or of any device. */
  template <class T> void take(const pair_block &block, const T *values, int slot) {
    make_current();
    GG_CUDA(cudaMemcpyAsync(staging_[slot].as(), values, (size_t)block.size() * sizeof(T),
                            cudaMemcpyDefault, resources_.upload));
    place_block(block, staging_[slot].as<T>(), to_, resources_.upload);
    GG_CUDA(cudaEventRecord(left_[slot], resources_.upload));
  }

private:
  device_resources &resources_;
  const resident_matrix &to_;
  device_memory staging_[slots];
  event left_[slots];
  const finish_streams finish_; /* last: before staging is freed */
};

/* Returns how many of the distances of n points a slot has room for. */
int64_t room_of(int64_t n) {
  const int64_t most = larger(n - 1, SLOT_BYTES / (int64_t)sizeof(double));
  return smaller(most, n * (n - 1) / 2);
}

/* Visits columns in blocks that a slot has room for: take(block, slot, fraction) until it fails. */
template <class Take> gpugeo_status for_each_slot(int64_t n, Take take) {
  const int64_t room = room_of(n);
  int slot = 0;
  for (int64_t j = 0, end; j < n - 1; j = end, slot = (slot + 1) % slots) {
    end = end_of_columns(n, j, room);
    const double behind = (double)(n - j) / (double)n;
    const gpugeo_status status = take({j, n, j, end, j, 1}, slot, 1 - behind * behind);
    if (status) return status;
  }
  return GPUGEO_OK;
}

/* Copies distances of T that are on one other device. */
template <class T>
void copy_from_device(const gpugeo_dist_device &from, const worker &here,
                      const resident_matrix &to) {
  column_slots to_slots(*here.resources, to, room_of(from.n) * (int64_t)sizeof(T));
  const T *values = static_cast<const T *>(from.values);
  (void)for_each_slot(from.n, [&](const pair_block &block, int slot, double fraction) {
    to_slots.wait_for(slot, here.clock, fraction);
    to_slots.take(block, values + all_pairs(from.n).offset(block.j0), slot);
    return GPUGEO_OK;
  });
}

/* Copies distances of T that the device can read. */
template <class T>
void place_all(const gpugeo_dist_device &from, const worker &here, const resident_matrix &to) {
  const finish_streams finish(*here.resources);
  const cudaStream_t stream = here.resources->compute[0];
  place_block(all_pairs(from.n), static_cast<const T *>(from.values), to, stream);
  event placed;
  GG_CUDA(cudaEventRecord(placed, stream));
  wait(placed, here.clock, 0);
}

/* Copies distances that are on a device, or on several, already. */
template <class T>
void take_from_device(const gpugeo_dist_device &from, const worker &here,
                      const resident_matrix &to) {
  if (from.devices > 1 || from.device == here.device)
    place_all<T>(from, here, to);
  else
    copy_from_device<T>(from, here, to);
}

} // namespace

gpugeo_status copy_columns(const gg_dist_source &source, const std::vector<placed_matrix> &to,
                           gg_clock *clock, gpugeo_error *error) {
  const int64_t n = source.n, bytes = room_of(n) * (int64_t)sizeof(double);
  const device_guard guard(to[0].resources->device);
  reserve_up(*to[0].resources, bytes);
  std::vector<std::unique_ptr<column_slots>> all;
  for (const placed_matrix &one : to) {
    GG_CUDA(cudaSetDevice(one.resources->device));
    all.push_back(std::make_unique<column_slots>(*one.resources, one.matrix, bytes));
  }
  return for_each_slot(n, [&](const pair_block &block, int slot, double fraction) {
    for (const std::unique_ptr<column_slots> &one : all)
      one->wait_for(slot, clock, fraction);
    double *pinned = static_cast<double *>(to[0].resources->pinned_up[slot]);
    const gpugeo_status status = gg_dist_source_columns(&source, block.j0, block.j1, pinned, error);
    for (size_t k = 0; !status && k < all.size(); ++k)
      all[k]->take(block, pinned, slot);
    return status;
  });
}

gpugeo_status fill_resident(const gg_dist_source &source, const gg_dist_plan *points,
                            const worker &here, int64_t budget, const resident_matrix &to,
                            gpugeo_error *error) {
  if (source.on_device && source.on_device->single)
    take_from_device<float>(*source.on_device, here, to);
  else if (source.on_device)
    take_from_device<double>(*source.on_device, here, to);
  else if (points)
    dist_resident(*points, here, budget, to);
  else
    return copy_columns(source, {{here.resources, to}}, here.clock, error);
  return GPUGEO_OK;
}

} // namespace gpugeo

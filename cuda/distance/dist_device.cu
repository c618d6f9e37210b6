/*
 * Distances that stay on the device: computing and storing them, and reading them back. Where
 * one device has no room for them, equal parts are on several, at one range of addresses: whatever
 * reads distances on one device reads the parts of the others over the link between them.
 *
 * Limits: the distance kernels, and the link. Lists of points are read by one gather for each 32
 * MiB of distances.
 */
#include <algorithm>
#include <vector>

#include "cuda/common/divided_memory.cuh"
#include "cuda/common/download.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/distance/dist_resident.cuh"

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

namespace {

/* Returns the bytes of all distances. */
int64_t all_bytes(const gpugeo_dist_device &made) {
  return all_pairs(made.n).size() * value_bytes(made.single);
}

/* Checks the memory of one of so many devices that divide the distances. */
gpugeo_status check_part(const gpugeo_dist_device &made, int devices, const worker &here,
                         gpugeo_error *error) {
  const int64_t bytes = divide_up(all_bytes(made), devices) + LEAST_REST;
  return check_room("the distance matrix", made.n, bytes, here.device, error, devices);
}

/* Returns the memory that a device may take while distances are computed. */
int64_t rest_of(const gg_dist_plan &plan, int64_t free) {
  const int64_t rest = smaller(MOST_REST, free - LEAST_REST / 2);
  return plan.work_bytes > 0 ? smaller(plan.work_bytes, rest) : rest;
}

/* Returns the device of each worker. */
std::vector<int> devices_of(team &all) {
  std::vector<int> devices((size_t)all.size());
  all.run([&](const worker &here) { devices[(size_t)here.number] = here.device; });
  return devices;
}

/* Checks that each device has memory for its part. */
gpugeo_status check_parts(const gpugeo_dist_device &made, team &all, gpugeo_error *error) {
  std::vector<gpugeo_status> status((size_t)all.size(), GPUGEO_OK);
  std::vector<gpugeo_error> errors((size_t)all.size());
  all.run([&](const worker &here) {
    const size_t number = (size_t)here.number;
    status[number] = check_part(made, all.size(), here, &errors[number]);
  });
  for (size_t number = 0; number < status.size(); ++number) {
    if (!status[number]) continue;
    if (error) *error = errors[number];
    return status[number];
  }
  return GPUGEO_OK;
}

/* Copies the distances of a plan that reads them from a source, which gg_dist_source_plan_read()
   makes, to a matrix. */
gpugeo_status copy_source(const gg_dist_plan &plan, const worker &here, const resident_matrix &to,
                          gpugeo_error *error) {
  const gg_dist_source &source = *static_cast<const gg_dist_source *>(plan.reader.own);
  return copy_columns(source, {{here.resources, to}}, here.clock, error);
}

/* Computes distances to the memory of several devices, each of which computes a part of them. */
gpugeo_status make_divided(const gg_dist_plan &plan, gpugeo_dist_device &made,
                           const std::vector<int> &devices, team &all, gpugeo_error *error) {
  gpugeo_status status = check_parts(made, all, error);
  if (status) return status;
  divided_memory values;
  values.allocate(devices, all_bytes(made));
  std::vector<int64_t> rest((size_t)all.size());
  all.run([&](const worker &here) { rest[(size_t)here.number] = free_bytes() / all.size(); });
  const int64_t budget = rest_of(plan, *std::min_element(rest.begin(), rest.end()));
  chunk_counter untaken(0);
  const resident_matrix to = {values.get(), made.n, true, made.single};
  all.run([&](const worker &here) {
    if (!plan.reader.read)
      dist_resident(plan, here, budget, to, untaken);
    else if (here.number == 0)
      status = copy_source(plan, here, to, error);
  });
  if (status) return status;
  made.device = devices[0];
  made.devices = (int32_t)devices.size();
  keep(values, made.device, &made.values);
  return GPUGEO_OK;
}

/* Computes them to the memory of the first one. */
gpugeo_status make_on_one(const gg_dist_plan &plan, gpugeo_dist_device &made, team &all,
                          gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  all.run([&](const worker &here) {
    if (here.number > 0) return;
    status = check_part(made, 1, here, error);
    if (status) return;
    device_memory values;
    values.allocate(all_bytes(made));
    const resident_matrix to = {values.as(), made.n, true, made.single};
    if (plan.reader.read)
      status = copy_source(plan, here, to, error);
    else
      dist_resident(plan, here, rest_of(plan, free_bytes()), to);
    if (status) return;
    made.device = here.device;
    keep(values, here.device, &made.values);
  });
  return status;
}

} // namespace

gpugeo_status dist_device_make(const gg_dist_plan &plan, gpugeo_dist_device *made, call &call) {
  team &team = call.workers();
  if (team.size() > 1) {
    const std::vector<int> devices = devices_of(team);
    if (can_share(devices)) return make_divided(plan, *made, devices, team, call.error);
  }
  return make_on_one(plan, *made, team, call.error);
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

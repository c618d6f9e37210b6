/* Discovery of devices, resources kept between calls, and the lock that serializes calls. */
#include "cuda/common/device.cuh"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "common/context.h"
#include "common/parallel.h"
#include "common/thread_flags.h"
#include "cuda/common/divided_memory.cuh"

namespace gpugeo {

/* --- Failures --------------------------------------------------------------------------------- */

namespace {

/* True if the error means that the device is lost, or used exclusively by another process. */
bool tells_of_loss(cudaError_t code) {
  switch (code) {
  case cudaErrorDevicesUnavailable:
  case cudaErrorNoDevice:
  case cudaErrorInvalidDevice:
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorUnknown:
    return true;
  default:
    return false;
  }
}

} // namespace

gpugeo_status report_failure(gpugeo_error *error) {
  (void)cudaGetLastError(); /* so that the next call does not meet this failure again */
  try {
    throw;
  } catch (const interrupted &) {
    return gg_fail_interrupt(error);
  } catch (const device_memory_failure &failure) {
    return gg_fail(error, GPUGEO_ERROR_MEMORY, "",
                   "cannot allocate %.1f MiB of memory on CUDA device %d",
                   (double)failure.bytes / 1048576.0, failure.device);
  } catch (const device_failure &failure) {
    return gg_fail(error, GPUGEO_ERROR_DEVICE, "", "CUDA device %d%s: %.*s failed: %s",
                   failure.device, tells_of_loss(failure.code) ? " is lost or not available" : "",
                   (int)strcspn(failure.call, "("), failure.call, cudaGetErrorString(failure.code));
  } catch (const std::bad_alloc &) {
    return gg_fail(error, GPUGEO_ERROR_MEMORY, "", "cannot allocate working memory");
  } catch (const std::exception &failure) {
    return gg_fail(error, GPUGEO_ERROR_DEVICE, "", "%s", failure.what());
  } catch (...) {
    return gg_fail(error, GPUGEO_ERROR_DEVICE, "", "unknown failure in the CUDA backend");
  }
}

void device_memory::allocate(int64_t bytes) {
  const cudaError_t code = cudaMalloc(&data_, (size_t)bytes);
  if (code == cudaErrorMemoryAllocation) throw device_memory_failure{bytes};
  check(code, "cudaMalloc");
}

void busy_time::add(const event &from, const event &to) {
  interval one = {};
  GG_CUDA(cudaEventElapsedTime(&one.from, origin_, from));
  GG_CUDA(cudaEventElapsedTime(&one.to, origin_, to));
  intervals_.push_back(one);
}

double busy_time::seconds() const {
  std::vector<interval> ordered = intervals_;
  std::sort(ordered.begin(), ordered.end(),
            [](const interval &a, const interval &b) { return a.from < b.from; });
  double sum = 0, end = 0;
  for (const interval &one : ordered) {
    if (one.to > end) sum += one.to - (one.from > end ? one.from : end);
    if (one.to > end) end = one.to;
  }
  return 1e-3 * sum;
}

int64_t free_bytes() {
  size_t free = 0, total = 0;
  GG_CUDA(cudaMemGetInfo(&free, &total));
  return (int64_t)free;
}

gpugeo_status check_room(const char *what, int64_t points, int64_t bytes, int device,
                         gpugeo_error *error, int devices) {
  const int64_t free = free_bytes();
  if (bytes <= free) return GPUGEO_OK;
  const double gib = 1024.0 * 1048576.0;
  if (devices > 1)
    return gg_fail(error, GPUGEO_ERROR_MEMORY, "backend",
                   "%s of %lld points needs %.2f GiB of memory on each of %d CUDA devices, %.2f "
                   "GiB more than are free on device %d",
                   what, (long long)points, (double)bytes / gib, devices,
                   (double)(bytes - free) / gib, device);
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "backend",
                 "%s of %lld points needs %.2f GiB of memory on CUDA device %d, %.2f GiB more than "
                 "are free",
                 what, (long long)points, (double)bytes / gib, device,
                 (double)(bytes - free) / gib);
}

int64_t memory_budget(int64_t allowed) {
  const int64_t most = free_bytes() / 10 * 9;
  return allowed > 0 && allowed < most ? allowed : most;
}

void wait(cudaEvent_t event, gg_clock *clock, double fraction) {
  const timespec pause = {0, 20000}; /* 20 microseconds: a slot's way over the link is longer */
  const int eager = 32; /* queries, of a microsecond or two: a pause takes 70 of them */
  for (int queries = 0;; ++queries) {
    const cudaError_t code = cudaEventQuery(event);
    if (gg_clock_poll(clock, fraction)) throw interrupted();
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) check(code, "cudaEventQuery");
    if (queries >= eager) nanosleep(&pause, nullptr);
  }
}

/* --- Kept between calls ----------------------------------------------------------------------- */

namespace {

/* Device memory that the core holds between calls. */
struct kept_memory {
  int device;
  void **owner;
  std::unique_ptr<divided_memory> divided; /* the memory, if it is on several devices */
};

/* All that is kept. */
struct keeper {
  long process; /* that has begun to use CUDA; its children must not */
  std::mutex lock;
  std::vector<std::unique_ptr<device_resources>> all;
  std::vector<kept_memory> memory;
};

std::atomic<keeper *> kept{nullptr};

/* Creates the keeper before the first call of the CUDA runtime, so that a forked process can
   check it. The first call, on any thread, creates it. */
keeper &make_keeper() {
  static std::mutex making;
  const std::lock_guard<std::mutex> guard(making);
  if (!kept) {
    keeper *made = new keeper;
    made->process = (long)getpid();
    kept = made;
  }
  return *kept;
}

/* Frees the slots of pinned memory. */
void free_slots(void *(&pinned)[slots], int64_t &bytes) {
  for (void *&slot : pinned) {
    (void)cudaFreeHost(slot);
    slot = nullptr;
  }
  bytes = 0;
}

void reserve(void *(&pinned)[slots], int64_t &held, int64_t bytes) {
  if (held >= bytes) return;
  free_slots(pinned, held);
  for (void *&slot : pinned) {
    const cudaError_t code = cudaMallocHost(&slot, (size_t)bytes);
    if (code == cudaErrorMemoryAllocation) throw std::bad_alloc();
    check(code, "cudaMallocHost");
  }
  held = bytes;
}

/* Frees the streams and the pinned memory of a device. */
void free_resources(device_resources &resources) {
  (void)cudaSetDevice(resources.device);
  for (cudaStream_t *stream :
       {&resources.compute[0], &resources.compute[1], &resources.upload, &resources.download}) {
    if (*stream) (void)cudaStreamDestroy(*stream);
    *stream = nullptr;
  }
  free_slots(resources.pinned_up, resources.up_bytes);
  free_slots(resources.pinned_down, resources.down_bytes);
}

/* Frees memory that is kept on a device, and sets its owner's pointer to null. */
void free_kept(kept_memory &one) {
  (void)cudaSetDevice(one.device);
  if (one.divided)
    one.divided.reset();
  else
    (void)cudaFree(*one.owner);
  *one.owner = nullptr;
}

/* Frees all that is kept, on all devices. */
void free_all(keeper &keeper) {
  const std::lock_guard<std::mutex> guard(keeper.lock);
  if (keeper.all.empty() && keeper.memory.empty()) return;
  const int previous = current_device();
  for (const std::unique_ptr<device_resources> &one : keeper.all)
    free_resources(*one);
  for (kept_memory &one : keeper.memory)
    free_kept(one);
  keeper.all.clear();
  keeper.memory.clear();
  if (previous >= 0) (void)cudaSetDevice(previous);
}

/* Creates the streams of a device. */
void create_streams(device_resources &resources) {
  int lowest = 0, highest = 0;
  GG_CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  /* Preparing the next points must not queue behind all tiles of the present ones. */
  GG_CUDA(cudaStreamCreateWithPriority(&resources.upload, cudaStreamNonBlocking, highest));
  for (cudaStream_t &stream : resources.compute)
    GG_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, lowest));
  GG_CUDA(cudaStreamCreateWithPriority(&resources.download, cudaStreamNonBlocking, lowest));
}

/* Finds or creates the entry, which then belongs to one thread. */
device_resources &find_resources(int device, int worker) {
  keeper &keeper = make_keeper();
  const std::lock_guard<std::mutex> guard(keeper.lock);
  for (const std::unique_ptr<device_resources> &one : keeper.all)
    if (one->device == device && one->worker == worker) return *one;
  keeper.all.push_back(std::make_unique<device_resources>(device_resources{device, worker}));
  return *keeper.all.back();
}

} // namespace

device_resources &resources_for(int device, int worker) {
  device_resources &resources = find_resources(device, worker);
  if (resources.download) return resources; /* the last to be made */
  try {
    create_streams(resources);
  } catch (...) {
    free_resources(resources);
    throw;
  }
  return resources;
}

void keep(device_memory &memory, int device, void **owner) {
  keeper &keeper = make_keeper();
  const std::lock_guard<std::mutex> guard(keeper.lock);
  keeper.memory.push_back({device, owner, nullptr});
  *owner = memory.give_up();
}

void keep(divided_memory &memory, int device, void **owner) {
  keeper &keeper = make_keeper();
  const std::lock_guard<std::mutex> guard(keeper.lock);
  auto kept = std::make_unique<divided_memory>(std::move(memory));
  *owner = kept->get();
  keeper.memory.push_back({device, owner, std::move(kept)});
}

void let_go(void **owner) {
  keeper &keeper = make_keeper();
  const std::lock_guard<std::mutex> guard(keeper.lock);
  const auto at = std::find_if(keeper.memory.begin(), keeper.memory.end(),
                               [owner](const kept_memory &one) { return one.owner == owner; });
  if (at == keeper.memory.end()) return;
  const int previous = current_device();
  free_kept(*at);
  keeper.memory.erase(at);
  if (previous >= 0) (void)cudaSetDevice(previous);
}

void reserve_up(device_resources &resources, int64_t bytes) {
  reserve(resources.pinned_up, resources.up_bytes, bytes);
}

void reserve_down(device_resources &resources, int64_t bytes) {
  reserve(resources.pinned_down, resources.down_bytes, bytes);
}

/* --- Devices ---------------------------------------------------------------------------------- */

namespace {

/* Returns the lowest compute capability that this file was compiled for, as 10 major + minor. */
int oldest_capability() {
  const int compiled[] = {__CUDA_ARCH_LIST__};
  int oldest = compiled[0];
  for (int one : compiled)
    if (one < oldest) oldest = one;
  return oldest / 10;
}

/* Returns the compute capability of a device, 90 for 9.0. */
int capability_of(int device) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
         attribute(cudaDevAttrComputeCapabilityMinor, device);
}

} // namespace

std::vector<int> usable_devices() {
  int count = 0;
  GG_CUDA(cudaGetDeviceCount(&count));
  std::vector<int> usable;
  for (int device = 0; device < count; ++device)
    if (capability_of(device) >= oldest_capability() &&
        attribute(cudaDevAttrComputeMode, device) != cudaComputeModeProhibited)
      usable.push_back(device);
  return usable;
}

namespace {

/* Returns GPUGEO_OK, or the reason why no device can be used. */
gpugeo_status find_devices(gpugeo_error *error) {
  const auto missing = [error](const char *why) {
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "%s", why);
  };
  if (make_keeper().process != (long)getpid())
    return missing("this process was forked from one that uses CUDA: use backend \"cpu\", or "
                   "processes that are started anew");
  int driver = 0, runtime = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return missing("there is no CUDA driver on this machine");
  GG_CUDA(cudaRuntimeGetVersion(&runtime));
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) (void)cudaGetLastError();
  if (code == cudaErrorInsufficientDriver)
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                   "the CUDA driver is too old: it supports CUDA %d.%d, this build needs %d.%d",
                   driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
    return missing("there is no CUDA device on this machine");
  if (code != cudaSuccess) return missing(cudaGetErrorString(code));
  int device = 0;
  GG_CUDA(cudaGetDevice(&device));
  const int capability = capability_of(device), oldest = oldest_capability();
  if (capability < oldest)
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                   "CUDA device %d has compute capability %d.%d, and this build begins at %d.%d",
                   device, capability / 10, capability % 10, oldest / 10, oldest % 10);
  return GPUGEO_OK;
}

} // namespace

gpugeo_status available(gpugeo_error *error) {
  try {
    return find_devices(error);
  } catch (const device_failure &failure) {
    (void)cudaGetLastError();
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "%s", cudaGetErrorString(failure.code));
  } catch (...) {
    return report_failure(error);
  }
}

int32_t device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError();
  return 0;
}

int32_t device_default() {
  const int device = current_device();
  if (device < 0) (void)cudaGetLastError();
  return device < 0 ? 0 : device;
}

int32_t workers(int32_t device) {
  if (device != GPUGEO_DEVICE_ALL) return 1;
  try {
    return (int32_t)usable_devices().size();
  } catch (...) {
    (void)cudaGetLastError();
    return 1;
  }
}

gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  try {
    cudaDeviceProp properties;
    GG_CUDA(cudaGetDeviceProperties(&properties, device));
    device_guard guard(device);
    size_t free_bytes = 0, total_bytes = 0;
    GG_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    *info = gpugeo_device();
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    info->major = properties.major;
    info->minor = properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    info->total_bytes = (int64_t)total_bytes;
    info->free_bytes = (int64_t)free_bytes;
    return GPUGEO_OK;
  } catch (...) {
    return report_failure(error);
  }
}

gpugeo_status table_bytes(int32_t device, int64_t *bytes, gpugeo_error *error) {
  gpugeo_device info;
  gpugeo_status status = device_get(device, &info, error);
  if (!status) *bytes = info.free_bytes / 2;
  return status;
}

namespace {

/* Held by the one call that uses the devices: launched collisions compute on another thread than
   the caller's, and the kept resources serve one call at a time. */
std::timed_mutex in_use;
std::atomic<bool> release_wanted{false}; /* by release() during a call: to be done at its end */

} // namespace

void release() {
  keeper *keeper = kept;
  if (!keeper || keeper->process != (long)getpid()) return;
  if (gg_thread_is(GG_THREAD_HOLDS_DEVICE)) { /* by this thread: it must not try the lock */
    release_wanted = true;
    return;
  }
  std::unique_lock<std::timed_mutex> lock(in_use, std::try_to_lock);
  if (lock)
    free_all(*keeper);
  else
    release_wanted = true;
}

namespace {

/* Thrown if a hook of a call on a device calls CUDA, although gpugeo_backend_available()
   returned false: the backend was chosen before. */
struct nested_call : std::runtime_error {
  nested_call() : std::runtime_error("a hook of a call on a CUDA device called the device again") {}
};

} // namespace

turn::turn(gg_clock *clock) {
  if (gg_thread_is(GG_THREAD_HOLDS_DEVICE)) throw nested_call();
  std::unique_lock<std::timed_mutex> lock(in_use, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20)))
    if (gg_clock_poll(clock, 0)) throw interrupted();
  if (!gg_thread_set(GG_THREAD_HOLDS_DEVICE, true)) throw std::bad_alloc();
  gg_parallel_copying(true);
  (void)lock.release(); /* ~turn() unlocks it */
}

turn::~turn() {
  gg_parallel_copying(false);
  (void)gg_thread_set(GG_THREAD_HOLDS_DEVICE, false);
  if (release_wanted.exchange(false)) free_all(*kept);
  in_use.unlock();
}

} // namespace gpugeo

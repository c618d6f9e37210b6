/* Shared parts of all CUDA files: errors, owners of device resources, and resources that are
   kept between calls. */
#ifndef GG_CUDA_DEVICE_CUH
#define GG_CUDA_DEVICE_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/backend.h"
#include "common/clock.h"
#include "common/error.h"
#include "cuda/common/failure.cuh"

namespace gpugeo {

/* --- Failures --------------------------------------------------------------------------------- */

/* Turns the exception that a catch (...) has caught into a status and a message. */
gpugeo_status report_failure(gpugeo_error *error);

/* --- Owners ----------------------------------------------------------------------------------- */

/* Makes a device current, and the previous one at the end. */
class device_guard {
public:
  explicit device_guard(int device) {
    GG_CUDA(cudaGetDevice(&previous_));
    GG_CUDA(cudaSetDevice(device));
  }
  ~device_guard() { (void)cudaSetDevice(previous_); }
  device_guard(const device_guard &) = delete;
  device_guard &operator=(const device_guard &) = delete;

private:
  int previous_ = 0;
};

/* Device memory, uninitialised. */
class device_memory {
public:
  device_memory() = default;
  ~device_memory() { (void)cudaFree(data_); }
  device_memory(const device_memory &) = delete;
  device_memory &operator=(const device_memory &) = delete;

  /* Throws device_memory_failure. To be called once. */
  void allocate(int64_t bytes);

  template <class T = char> T *as() const { return static_cast<T *>(data_); }

  /* Takes the memory of another owner; this one must have none. */
  void take(device_memory &other) { data_ = other.give_up(); }

  /* Leaves the memory to the caller. */
  void *give_up() { return std::exchange(data_, nullptr); }

private:
  void *data_ = nullptr;
};

class event {
public:
  event() : event(cudaEventDefault) {}
  /* cudaEventDisableTiming: for streams that only wait for it. */
  explicit event(unsigned flags) { GG_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
  ~event() { (void)cudaEventDestroy(event_); }
  event(const event &) = delete;
  event &operator=(const event &) = delete;
  operator cudaEvent_t() const { return event_; }

private:
  cudaEvent_t event_ = nullptr;
};

/* The time during which at least one kernel ran. */
class busy_time {
public:
  /* Sets the origin; the stream must be idle. */
  explicit busy_time(cudaStream_t stream) {
    GG_CUDA(cudaEventRecord(origin_, stream));
    GG_CUDA(cudaEventSynchronize(origin_));
  }

  /* Adds the time between two events, both of which have completed. */
  void add(const event &from, const event &to);

  double seconds() const;

private:
  struct interval {
    float from, to; /* milliseconds since the origin */
  };
  event origin_;
  std::vector<interval> intervals_;
};

/* Copies small data from the host and waits for the copy: cudaMemcpy() from pageable memory
   returns before the copy has arrived, and the streams of the device do not wait for the default
   one. */
inline void copy_in(void *device, const void *host, size_t bytes) {
  GG_CUDA(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  GG_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
}

/* Returns a number in device memory; waits for the stream. */
inline int32_t fetched(const int32_t *from, cudaStream_t stream) {
  int32_t value = 0;
  GG_CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream));
  GG_CUDA(cudaStreamSynchronize(stream));
  return value;
}

/* Returns the bytes of device memory to use: those allowed (0: no limit), and at most nine
   tenths of the free memory. */
int64_t memory_budget(int64_t allowed);

/* Returns the free bytes of the current device. */
int64_t free_bytes();

/* --- Kept between calls ----------------------------------------------------------------------- */

/* Pinned buffers in each direction: one is filled, one crosses the link, one is emptied. */
enum { slots = 3 };

/* Streams and pinned memory of a thread that computes on a device, created when needed and freed
   by release(). */
struct device_resources {
  int device, worker; /* the device, and the index of the thread on it */
  /* Chunks are computed on two streams in turn, so that the next fills the gaps of the last. */
  cudaStream_t compute[2] = {}, upload = nullptr, download = nullptr;
  void *pinned_up[slots] = {}, *pinned_down[slots] = {};
  int64_t up_bytes = 0, down_bytes = 0; /* of each slot */
};

/* Returns the kept resources of a device, which becomes current, and of one of its threads. */
device_resources &resources_for(int device, int worker = 0);

/* Returns the devices that a call can use together: those that this build has code for. */
std::vector<int> usable_devices();

/* Keeps device memory until let_go(owner), or until release(), which sets *owner to NULL. *owner is
   the memory, and stays where it is. */
class divided_memory;
void keep(device_memory &memory, int device, void **owner);
void keep(divided_memory &memory, int device, void **owner);
void let_go(void **owner);

/* Checks that a device, which is current, has so many bytes free: "<what> of <points> points needs
   ...". It is one of `devices` that need the same. */
gpugeo_status check_room(const char *what, int64_t points, int64_t bytes, int device,
                         gpugeo_error *error, int devices = 1);

/* Make all slots of one direction at least so large. */
void reserve_up(device_resources &resources, int64_t bytes);
void reserve_down(device_resources &resources, int64_t bytes);

/* Waits until the event has completed and polls the hooks. Throws interrupted. */
void wait(cudaEvent_t event, gg_clock *clock, double fraction);

/* Waits for all work on the streams of the device at the end of a scope, so that no device or
   pinned memory is freed while in use, also after an exception. */
class finish_streams {
public:
  explicit finish_streams(const device_resources &resources) : resources_(resources) {}
  ~finish_streams() {
    (void)cudaStreamSynchronize(resources_.upload);
    for (cudaStream_t stream : resources_.compute)
      (void)cudaStreamSynchronize(stream);
    (void)cudaStreamSynchronize(resources_.download);
  }
  finish_streams(const finish_streams &) = delete;
  finish_streams &operator=(const finish_streams &) = delete;

private:
  const device_resources &resources_;
};

/* --- The table's functions -------------------------------------------------------------------- */

/* See gg_backend. */
gpugeo_status available(gpugeo_error *error);
int32_t device_count();
int32_t device_default();
int32_t workers(int32_t device);
gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error);
void release();
gpugeo_status table_bytes(int32_t device, int64_t *bytes, gpugeo_error *error);

/* Holds the devices for one call. The constructor waits for its turn, asking the hooks until then;
   hooks that are asked while the devices are held find GG_THREAD_HOLDS_DEVICE set. */
class turn {
public:
  explicit turn(gg_clock *clock);
  ~turn();
  turn(const turn &) = delete;
  turn &operator=(const turn &) = delete;
};

/* --- The families ----------------------------------------------------------------------------- */

class call;
class team;

/* Each computes a plan. What fails is thrown, and cuda/backend.cc catches it; or it is an error of
   the core about coordinates or memory, and the function returns its status. */
#define GG_CUDA_PLAN(name, plan_type) gpugeo_status name(const plan_type &plan, call &call);
#define GG_CUDA_RESULT(name, plan_type, result_type)                                               \
  gpugeo_status name(const plan_type &plan, result_type *result, call &call);
GG_BACKEND_FUNCTIONS(GG_CUDA_PLAN, GG_CUDA_RESULT)
GG_DEVICE_FUNCTIONS(GG_CUDA_PLAN, GG_CUDA_RESULT)

void dist_device_free(gpugeo_dist_device &distances);
void dist_device_read(const gpugeo_dist_device &from, const gg_point_lists &lists, double *out,
                      team &team);
void dist_device_columns(const gpugeo_dist_device &from, int64_t first, int64_t last, double *out,
                         team &team);
void free_points(gg_brought_points &points);

} // namespace gpugeo

#endif

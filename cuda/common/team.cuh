/* Several devices for one call, each with a host thread. */
#ifndef GG_CUDA_TEAM_CUH
#define GG_CUDA_TEAM_CUH

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/common/device.cuh"

namespace gpugeo {

/* The data of one of the threads, whose device is current. */
struct lane {
  int number, device;
  int32_t threads; /* of the host, for what it does there */
  gg_clock *clock;
  gpugeo_report *report;
  struct kept *kept;
};

/*
 * The lanes of a call. Only the calling thread may call the caller's hooks: while the lanes compute
 * it reports the sum of their progress, and tells them to stop after an interrupt.
 *
 * One lane alone is the calling thread itself.
 */
class team {
public:
  /* Creates so many lanes on a device, or on all devices in turn for GPUGEO_DEVICE_ALL; they
     share the host's threads. */
  team(int32_t device, int32_t lanes, int32_t threads, gg_clock *clock, gpugeo_report *report);
  ~team();
  team(const team &) = delete;
  team &operator=(const team &) = delete;

  int size() const { return (int)members_.size(); }
  int first_device() const;

  /* Runs work(lane) on all lanes at the same time and returns when all have ended. An exception
     of one stops the others and is rethrown, that of the first lane if there are several. Adds
     to the report the notes of all and the largest device_seconds. */
  void run(const std::function<void(const lane &)> &work);

  /* Returns the smallest memory_budget() of the devices, divided by the lanes of a device. */
  int64_t least_budget(int64_t allowed);

private:
  struct member;

  void run_beside(const std::function<void(const lane &)> &work);
  void start(member &one, const std::function<void(const lane &)> &work);
  void wait_for_all();
  double fraction() const;
  void add_reports();

  gg_clock *clock_;
  gpugeo_report *report_;
  int lanes_of_device_ = 1; /* at most */
  std::vector<std::unique_ptr<member>> members_;
  std::atomic<bool> stop_{false};
  std::mutex lock_;
  std::condition_variable ended_;
  int running_ = 0; /* under the lock */
};

} // namespace gpugeo

#endif

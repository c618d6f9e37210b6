/* Several devices for one call, each with a host thread. */
#ifndef GG_CUDA_TEAM_CUH
#define GG_CUDA_TEAM_CUH

#include <optional>

#include "cuda/common/callback.cuh"
#include "cuda/common/device.cuh"

namespace gpugeo {

/* The data of one of the threads, whose device is current. */
struct worker {
  int number, device;
  int32_t threads; /* of the host, for what it does there */
  gg_clock *clock;
  gpugeo_report *report;
  struct device_resources *resources;
};

/*
 * The workers of a call. Only the calling thread may call the caller's hooks: while the workers
 * compute it reports the sum of their progress, and tells them to stop after an interrupt.
 *
 * One worker alone is the calling thread itself.
 */
class team {
public:
  /* Creates so many workers on a device, or on all devices in turn for GPUGEO_DEVICE_ALL; they
     share the host's threads. */
  team(int32_t device, int32_t workers, int32_t threads, gg_clock *clock, gpugeo_report *report);
  ~team();
  team(const team &) = delete;
  team &operator=(const team &) = delete;

  int size() const;
  int first_device() const;

  /* work(worker) on all workers at a time; returns when all have ended. What one of them throws
     stops the others and is thrown on, that of the first worker if there are several. Adds to the
     report the notes of all and the device_seconds of the one that has most. */
  void run(callback<const worker &> work);

  /* Returns the smallest memory_budget() of the devices, divided by the workers of a device. */
  int64_t least_budget(int64_t allowed);

private:
  struct member;
  struct state; /* in team.cc, since headers of threads take the compiler half a second a file */

  void run_beside(callback<const worker &> work);
  void start(member &one, callback<const worker &> work);
  void wait_for_all();
  double fraction() const;
  void add_reports();

  gg_clock *clock_;
  gpugeo_report *report_;
  int workers_of_device_ = 1; /* at most */
  state *state_;
};

/* The devices of a plan, and the host threads that its workers share. */
struct plan_devices {
  int32_t device, workers, threads; /* device: GPUGEO_DEVICE_ALL for several */
};

/* A call of a backend's function: what comes with the plan. */
class call {
public:
  call(const plan_devices &devices, gg_clock *clock, gpugeo_report *report, gpugeo_error *error)
      : clock(clock), report(report), error(error), devices_(devices) {}
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  gg_clock *const clock;
  gpugeo_report *const report;
  gpugeo_error *const error;

  /* Returns the team of the plan's devices, which the first use creates. */
  team &workers() {
    if (!team_) team_.emplace(devices_.device, devices_.workers, devices_.threads, clock, report);
    return *team_;
  }

private:
  plan_devices devices_;
  std::optional<team> team_;
};

} // namespace gpugeo

#endif

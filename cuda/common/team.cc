/* The threads that compute a call on several devices. */
#include "cuda/common/team.cuh"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/context.h"

namespace gpugeo {
namespace {

/* Threads that start meanwhile get no signals, so that Ctrl-C comes to the one that can answer it.
 */
class signals_blocked {
public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked &) = delete;
  signals_blocked &operator=(const signals_blocked &) = delete;

private:
  sigset_t before_;
};

} // namespace

/* A worker, with hooks of its own: to stop when the team does, and to say how far it is. */
struct team::member {
  worker here;
  int nth = 0; /* among the workers on its device */
  gpugeo_run hooks;
  gg_clock clock;
  gpugeo_report report;
  const std::atomic<bool> *stop;
  std::atomic<double> fraction{0};
  std::exception_ptr failure;
  std::thread thread;

  static int interrupt(void *self) { return *static_cast<member *>(self)->stop; }
  static void progress(double fraction, void *self) {
    static_cast<member *>(self)->fraction = fraction;
  }
};

struct team::state {
  std::vector<std::unique_ptr<member>> members;
  std::atomic<bool> stop{false};
  std::mutex lock;
  std::condition_variable ended;
  int running = 0; /* under the lock */
};

team::team(int32_t device, int32_t workers, int32_t threads, gg_clock *clock, gpugeo_report *report)
    : clock_(clock), report_(report) {
  const std::vector<int> devices =
      device == GPUGEO_DEVICE_ALL ? usable_devices() : std::vector<int>{device};
  const int count = (int)devices.size();
  workers_of_device_ = (workers + count - 1) / count;
  std::unique_ptr<state> made = std::make_unique<state>();
  for (int number = 0; number < workers; ++number) {
    made->members.push_back(std::make_unique<member>());
    member &one = *made->members.back();
    one.here = {number,
                devices[(size_t)(number % count)],
                gg_copying_threads(std::max(threads / workers, 1)),
                &one.clock,
                &one.report,
                nullptr};
    one.nth = number / count;
    one.stop = &made->stop;
    gpugeo_run_init(&one.hooks, sizeof one.hooks);
    one.hooks.interrupt = member::interrupt;
    one.hooks.progress = member::progress;
    one.hooks.hook_data = &one;
    gg_clock_start(&one.clock, &one.hooks);
  }
  state_ = made.release();
}

team::~team() { delete state_; }

int team::size() const { return (int)state_->members.size(); }

int team::first_device() const { return state_->members[0]->here.device; }

void team::run(callback<const worker &> work) {
  if (size() > 1) return run_beside(work);
  worker here = state_->members[0]->here;
  here.clock = clock_;
  here.report = report_;
  device_guard guard(here.device);
  here.resources = &resources_for(here.device);
  work(here);
}

void team::run_beside(callback<const worker &> work) {
  {
    signals_blocked during_start;
    for (const std::unique_ptr<member> &one : state_->members)
      start(*one, work);
  }
  wait_for_all();
  for (const std::unique_ptr<member> &one : state_->members)
    if (one->thread.joinable()) one->thread.join();
  for (const std::unique_ptr<member> &one : state_->members)
    if (one->failure) std::rethrow_exception(one->failure);
  if (clock_->stopped) throw interrupted();
  add_reports();
}

void team::start(member &one, callback<const worker &> work) {
  const auto compute = [this, &one, work] {
    try {
      GG_CUDA(cudaSetDevice(one.here.device));
      one.here.resources = &resources_for(one.here.device, one.nth);
      work(one.here);
    } catch (const interrupted &) { /* the failed worker has the reason */
    } catch (...) {
      one.failure = std::current_exception();
      state_->stop = true;
    }
    const std::lock_guard<std::mutex> guard(state_->lock);
    if (--state_->running == 0) state_->ended.notify_one();
  };
  one.report = {};
  const std::lock_guard<std::mutex> guard(state_->lock);
  try {
    one.thread = std::thread(compute);
    ++state_->running;
  } catch (...) { /* the thread could not be started */
    one.failure = std::current_exception();
    state_->stop = true;
  }
}

void team::wait_for_all() {
  std::unique_lock<std::mutex> lock(state_->lock);
  while (!state_->ended.wait_for(lock, std::chrono::milliseconds(20),
                                 [this] { return state_->running == 0; })) {
    lock.unlock();
    if (gg_clock_poll(clock_, fraction())) state_->stop = true;
    lock.lock();
  }
}

double team::fraction() const {
  double sum = 0;
  for (const std::unique_ptr<member> &one : state_->members)
    sum += one->fraction;
  return sum;
}

void team::add_reports() {
  double longest = 0;
  for (const std::unique_ptr<member> &one : state_->members) {
    report_->notes |= one->report.notes;
    longest = std::max(longest, one->report.device_seconds);
  }
  report_->device_seconds += longest;
}

int64_t team::least_budget(int64_t allowed) {
  std::atomic<int64_t> least{INT64_MAX};
  run([&](const worker &) {
    const int64_t mine = memory_budget(allowed) / workers_of_device_;
    for (int64_t before = least; mine < before && !least.compare_exchange_weak(before, mine);) {
    }
  });
  return least;
}

} // namespace gpugeo

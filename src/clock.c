#include "clock.h"

#include <time.h>

#include "atomic.h"
#include "error.h"
#include "parallel.h"

double gg_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void gg_clock_start(gg_clock *clock, const gpugeo_run *run) {
  clock->run = run;
  clock->start = gg_now();
  clock->next = clock->start + 0.1;
  clock->told = 0;
  clock->stopped = false;
}

bool gg_clock_poll(gg_clock *clock, double fraction) {
  if (clock->stopped) return true;
  double now = gg_now();
  if (now < clock->next) return false;
  clock->next = now + 0.1;
  if (fraction > clock->told) clock->told = fraction < 1 ? fraction : 1;
  if (clock->run->progress) clock->run->progress(clock->told, clock->run->hook_data);
  if (clock->run->interrupt && clock->run->interrupt(clock->run->hook_data))
    gg_atomic_store(&clock->stopped, true);
  return clock->stopped;
}

bool gg_clock_poll_team(gg_clock *clock, double fraction, int *stop) {
  if (gg_thread_number() == 0 && gg_clock_poll(clock, fraction)) {
    gg_atomic_store(stop, 1);
  }
  return gg_atomic_load(stop);
}

bool gg_clock_stopped(const gg_clock *clock) { return gg_atomic_load(&clock->stopped); }

bool gg_clock_check(gg_clock *clock, double fraction) {
  return gg_thread_number() == 0 ? gg_clock_poll(clock, fraction) : gg_clock_stopped(clock);
}

gpugeo_status gg_fail_interrupt(gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_INTERRUPT, "", "interrupted");
}

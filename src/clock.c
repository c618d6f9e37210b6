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

bool gg_clock_stopped(const gg_clock *clock) { return gg_atomic_load(&clock->stopped); }

bool gg_clock_poll(gg_clock *clock, double fraction) {
  if (gg_pool_thread() || clock->stopped) return gg_clock_stopped(clock);
  double now = gg_now();
  if (now < clock->next) return false;
  clock->next = now + 0.1;
  if (fraction > clock->told) clock->told = fraction < 1 ? fraction : 1;
  if (clock->run->progress) clock->run->progress(clock->told, clock->run->hook_data);
  if (clock->run->interrupt && clock->run->interrupt(clock->run->hook_data))
    gg_atomic_store(&clock->stopped, true);
  return clock->stopped;
}

gpugeo_status gg_fail_interrupt(gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_INTERRUPT, "", "interrupted");
}

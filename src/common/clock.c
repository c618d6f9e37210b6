#include "common/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/test_hooks.h"
#include "common/thread_flags.h"

double gg_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Set by gg_clock_set_polls(). */
static _Atomic int64_t test_polls;

void gg_clock_set_polls(int64_t every) { atomic_store(&test_polls, every); }

/* Returns the number in GPUGEO_TEST_POLLS, or 0 if it is missing or not above 0. */
static int64_t polls_of_environment(void) {
  const char *text = getenv("GPUGEO_TEST_POLLS");
  const int64_t every = text ? strtoll(text, NULL, 10) : 0;
  return every > 0 ? every : 0;
}

void gg_clock_start(gg_clock *clock, const gpugeo_run *run) {
  gg_clock_start_worker(clock, run);
  if (!clock->every) clock->every = clock->left = polls_of_environment();
}

void gg_clock_start_worker(gg_clock *clock, const gpugeo_run *run) {
  clock->run = run;
  clock->start = gg_now();
  clock->next = clock->start + 0.1;
  clock->told = 0;
  clock->stopped = false;
  clock->every = clock->left = atomic_load(&test_polls);
}

/* True if the hooks must be called now. */
static bool is_due(gg_clock *clock) {
  if (clock->every) {
    if (--clock->left > 0) return false;
    clock->left = clock->every;
    return true;
  }
  const double now = gg_now();
  if (now < clock->next) return false;
  clock->next = now + 0.1;
  return true;
}

bool gg_clock_stopped(const gg_clock *clock) { return gg_atomic_load(&clock->stopped); }

bool gg_clock_poll(gg_clock *clock, double fraction) {
  if (gg_thread_is(GG_THREAD_WITHOUT_HOOKS) || clock->stopped) return gg_clock_stopped(clock);
  if (!is_due(clock)) return false;
  if (fraction > clock->told) clock->told = fraction < 1 ? fraction : 1;
  if (clock->run->progress) clock->run->progress(clock->told, clock->run->hook_data);
  if (clock->run->interrupt && clock->run->interrupt(clock->run->hook_data))
    gg_atomic_store(&clock->stopped, true);
  return clock->stopped;
}

/* Reports the progress of a part as progress of the whole, which never goes back. */
static void tell_part(double fraction, void *data) {
  const gg_clock_part *part = data;
  const gpugeo_run *run = part->whole->run;
  const double told = part->done + part->share * fraction;
  if (told > part->whole->told) part->whole->told = told < 1 ? told : 1;
  if (run->progress) run->progress(part->whole->told, run->hook_data);
}

/* Returns whether the whole call is interrupted, after asking the caller's hook. */
static int ask_part(void *data) {
  const gg_clock_part *part = data;
  const gpugeo_run *run = part->whole->run;
  if (run->interrupt && run->interrupt(run->hook_data))
    gg_atomic_store(&part->whole->stopped, true);
  return part->whole->stopped;
}

void gg_clock_part_begin(gg_clock *whole, double done, double share, gg_clock_part *part) {
  *part = (gg_clock_part){*whole, *whole->run, whole, done, share};
  part->run.progress = tell_part;
  part->run.interrupt = ask_part;
  part->run.hook_data = part;
  part->clock.run = &part->run;
  part->clock.told = 0;
}

void gg_clock_part_end(gg_clock_part *part) { part->whole->next = part->clock.next; }

gpugeo_status gg_fail_interrupt(gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_INTERRUPT, "", "interrupted");
}

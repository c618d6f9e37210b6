/* Time, progress and interrupts of one call. */
#ifndef GG_CLOCK_H
#define GG_CLOCK_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_clock {
  const gpugeo_run *run;
  double start, next; /* seconds: of the call's start, and of the next time to ask */
  double told;        /* the largest fraction so far */
  int64_t every;      /* > 0 in tests: asks at every n-th poll, whatever the time */
  int64_t left;       /* polls until then */
  bool stopped;       /* the interrupt hook asked to stop */
} gg_clock;

/* Returns the seconds of a monotonic clock. */
double gg_now(void);

/* Starts the clock of a call. Reads the environment, so only the calling thread may use it. */
void gg_clock_start(gg_clock *clock, const gpugeo_run *run);

/* Does the same without reading the environment, for the threads of this library. */
void gg_clock_start_worker(gg_clock *clock, const gpugeo_run *run);

/* Returns true if the call must stop. Any thread of a call may poll, at least every 50 ms. On
   the calling thread it calls the hooks at most ten times a second; progress is not reported if
   the fraction is smaller than before, as in the next of several searches. */
bool gg_clock_poll(gg_clock *clock, double fraction);

/* Polls at index 0 and each 65,536th one of a loop without progress, whose steps take less than
   0.7 us. Returns true if the call must stop. */
static inline bool gg_clock_poll_loop(gg_clock *clock, int64_t index) {
  return index % 65536 == 0 && gg_clock_poll(clock, 0);
}

/* True if an earlier poll has returned true. */
bool gg_clock_stopped(const gg_clock *clock);

/* The clock of a part of a call, whose progress [0, 1] is [done, done + share] of that of the
 * whole.
 */
typedef struct gg_clock_part {
  gg_clock clock;
  gpugeo_run run; /* of this clock, with hooks of its own */
  gg_clock *whole;
  double done, share;
} gg_clock_part;

/* Begins a part, and ends it. It must stay where it is, and only it may be polled until then. */
void gg_clock_part_begin(gg_clock *whole, double done, double share, gg_clock_part *part);
void gg_clock_part_end(gg_clock_part *part);

/* Fills the error with GPUGEO_ERROR_INTERRUPT and its message. */
gpugeo_status gg_fail_interrupt(gpugeo_error *error);

GG_C_END

#endif

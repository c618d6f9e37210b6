/* Time, progress and interrupts of one call. */
#ifndef GG_CLOCK_H
#define GG_CLOCK_H

#include <stdbool.h>

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_clock {
  const gpugeo_run *run;
  double start, next; /* seconds: of the call's start, and of the next time to ask */
  double told;        /* the largest fraction so far */
  int64_t every;      /* > 0 in tests: asks at every n-th poll, whatever the time */
  int64_t left;       /* polls until then */
  bool stopped;       /* the interrupt hook asked to stop */
} gg_clock;

/* Seconds of a clock that never goes back. */
double gg_now(void);

/* Starts the clock of a call. Reads the environment, so only the calling thread may use it. */
void gg_clock_start(gg_clock *clock, const gpugeo_run *run);

/* The same without reading the environment, for the threads of this library. */
void gg_clock_start_worker(gg_clock *clock, const gpugeo_run *run);

/* For tests: clocks started from now on ask the hooks at every n-th poll and not by time. 0 goes
   back to what the environment variable GPUGEO_TEST_POLLS says: n likewise; ten times a second
   without it. */
void gg_clock_set_polls(int64_t every);

/* Makes polls on this thread, one of the pool, never call the hooks of a caller. */
void gg_clock_refuse_hooks(void);

/* To be called often, by any thread of a call. On the calling thread it asks the hooks ten times a
   second at most; a fraction that goes back, as in the next of several searches, is not told.
   Returns true when the call must stop. */
bool gg_clock_poll(gg_clock *clock, double fraction);

/* True if a poll has said that the call must stop. */
bool gg_clock_stopped(const gg_clock *clock);

/* GPUGEO_ERROR_INTERRUPT, with its message. */
gpugeo_status gg_fail_interrupt(gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif

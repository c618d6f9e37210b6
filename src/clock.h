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
  bool stopped;       /* the interrupt hook asked to stop */
} gg_clock;

/* Seconds of a clock that never goes back. */
double gg_now(void);

void gg_clock_start(gg_clock *clock, const gpugeo_run *run);

/* To be called often, on the calling thread only: asks the hooks ten times a second at the most. A
   fraction that goes back, as in the next of several searches, is not told. Returns true when the
   call must stop. */
bool gg_clock_poll(gg_clock *clock, double fraction);

/* The same for a team of threads that share a flag, 0 at first: the calling thread asks, and all
   are told. */
bool gg_clock_poll_team(gg_clock *clock, double fraction, int *stop);

/* True if a poll has said that the call must stop. For any thread. */
bool gg_clock_stopped(const gg_clock *clock);

/* For any thread of a team: the calling thread polls, the others learn what it was told. */
bool gg_clock_check(gg_clock *clock, double fraction);

/* GPUGEO_ERROR_INTERRUPT, with its message. */
gpugeo_status gg_fail_interrupt(gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif

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

/* To be called often, by any thread of a call. On the calling thread it asks the hooks ten times a
   second at the most; a fraction that goes back, as in the next of several searches, is not told.
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

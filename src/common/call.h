/*
 * A call of a public function: its run, clock, report, error and status, in one struct.
 *
 * The first error of a call stays. A function that takes a gg_call returns the call's status. After
 * an error it does nothing and returns at once: its caller is a sequence of calls without a
 * condition, and frees at the end what it has allocated:
 *
 *   plan_pairs(call, &plan);
 *   GG_TRY(call, gg_check_name(name, call->error));   a function that takes no gg_call
 *   compute(call, &plan);
 *   gg_free(plan.memory);
 *   return call->status;
 *
 * A copy of a call whose report is another one serves a step whose notes and seconds are not those
 * of the call; GG_TRY(call, step(&copy)) records its error.
 *
 * Only the thread that has begun a call writes to it. The threads of a loop leave their errors in
 * the loop's job, for that thread to record.
 */
#ifndef GG_CALL_H
#define GG_CALL_H

#include "common/c_linkage.h"
#include "common/clock.h"
#include "common/parallel.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_call {
  const gpugeo_run *run;
  gg_clock *clock;       /* of the call, or of a part of it */
  gpugeo_report *report; /* the caller's, or one that nobody reads; never NULL */
  gpugeo_error *error;   /* the caller's, or NULL */
  gpugeo_status status;  /* the first error of the call, which stays */
  /* Of a call that gg_call_begin() begins, which must stay where it is. */
  gg_clock own_clock;
  gpugeo_report unread;
} gg_call;

/* Begins a call and starts its clock. run is borrowed until its end; report and error may be NULL.
   Reads the environment, so only the calling thread may use it. */
void gg_call_begin(gg_call *call, const gpugeo_run *run, gpugeo_report *report,
                   gpugeo_error *error);

/* A pointer to a call without an error that lasts until the end of the block, and goes on with the
   clock, report and error of another. */
#define GG_CALL_OF(clock_, report_, error_)                                                        \
  (&(gg_call){.run = (clock_)->run, .clock = (clock_), .report = (report_), .error = (error_)})

/* Ends a call: writes its seconds to the report, and returns its status. */
gpugeo_status gg_call_end(gg_call *call);

/* A part of a call, whose progress [0, 1] is [done, done + share] of that of the whole. */
typedef struct gg_call_part {
  gg_call call;
  gg_call *whole;
  gg_clock_part clock;
} gg_call_part;

/* Begins a part, and ends it: its error becomes that of the whole, whose status is returned. It
   must stay where it is, and only its call may be used until then. */
void gg_call_part_begin(gg_call *whole, double done, double share, gg_call_part *part);
gpugeo_status gg_call_part_end(gg_call_part *part);

/* Evaluates an expression, unless the call has failed, and records its value: the status of a
   function that writes its error into call->error. Returns the status of the call. */
#define GG_TRY(call, expression) ((call)->status = (call)->status ? (call)->status : (expression))

/* True if the call has failed, or the hooks ask now to stop it, which is its error then. */
bool gg_call_poll(gg_call *call, double fraction);

/* Runs a loop with the clock of the call, which fails if the loop is interrupted. */
gpugeo_status gg_call_loop(gg_call *call, gg_loop loop);

/* Fails if `done` is false: the clock of the call has stopped what returned it. */
static inline gpugeo_status gg_call_require(gg_call *call, bool done) {
  return GG_TRY(call, done ? GPUGEO_OK : gg_fail_interrupt(call->error));
}

/* Returns memory for count elements, to be freed by gg_free(), or NULL if the call has failed: now,
   if there is no memory. */
void *gg_call_allocate(gg_call *call, int64_t count, int64_t size);

GG_C_END

#endif

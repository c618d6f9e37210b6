/* Jobs that go on beside the caller: a few threads take them from one queue, first come, first
   served. */
#ifndef GG_THREAD_POOL_H
#define GG_THREAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

typedef struct gg_job gg_job;

/* The beginning of what a caller hands over. */
struct gg_job {
  /* The work, which looks at gg_job_cancelled() often. It touches no memory of the caller, calls no
     hooks of his, and reads no environment. */
  void (*work)(gg_job *job);
  /* Frees the job and all that belongs to it. */
  void (*destroy)(gg_job *job);

  /* The queue's own. */
  gg_job *next;
  atomic_int state;
  atomic_bool cancelled;
  long process; /* in which it was started */
  bool dropped; /* nobody asks for it any more */
};

/* Begins a job. In a forked process, which may have no threads, it is done at once. On failure the
   job is still the caller's. */
gpugeo_status gg_job_start(gg_job *job, gpugeo_error *error);

/* Instead of starting it: the caller has done the work himself. */
void gg_job_finish(gg_job *job);

bool gg_job_done(const gg_job *job);

/* Is it under way in a process that this one was forked from? It will then never be done here. */
bool gg_job_lost(const gg_job *job);

/* Waits until it is done. `fraction` is what it keeps of its progress, for the clock's hook. False
   if the clock's interrupt hook asked to stop. */
bool gg_job_wait(const gg_job *job, const _Atomic double *fraction, gg_clock *clock);

/* To be asked by the work: has it become useless? */
bool gg_job_cancelled(const gg_job *job);

/* Ends and destroys it, without waiting: what is under way is destroyed when it has noticed. */
void gg_job_drop(gg_job *job);

#endif

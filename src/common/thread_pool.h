/* Jobs that run while the caller continues: at most four threads take them from one queue in the
   order of their start. */
#ifndef GG_THREAD_POOL_H
#define GG_THREAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

typedef struct gg_job gg_job;

/* The first member of every job's struct. */
struct gg_job {
  /* Does the work, and returns when gg_job_cancelled() is true. It uses no memory and no hooks
     of the caller, and reads no environment. */
  void (*work)(gg_job *job);
  /* Frees the job and all that belongs to it. */
  void (*destroy)(gg_job *job);

  /* Fields of the queue. */
  gg_job *next;
  atomic_int state;
  atomic_bool cancelled;
  long process; /* in which it was started */
  bool dropped; /* its result is no longer wanted */
};

/* Starts a job. In a forked process, which may have no threads, the job is done before it
   returns. On failure the job still belongs to the caller. */
gpugeo_status gg_job_start(gg_job *job, gpugeo_error *error);

/* Marks a job as done whose work the caller has done itself, instead of starting it. */
void gg_job_finish(gg_job *job);

bool gg_job_done(const gg_job *job);

/* True if the job was started in a process that this one was forked from. It will never be done
   here. */
bool gg_job_lost(const gg_job *job);

/* Waits until the job is done. `fraction` is its progress, for the clock's hook. Returns false
   if the clock's interrupt hook asked to stop. */
bool gg_job_wait(const gg_job *job, const _Atomic double *fraction, gg_clock *clock);

/* True if the work should stop because the job was dropped. */
bool gg_job_cancelled(const gg_job *job);

/* Cancels and destroys a job, without waiting: a running job is destroyed when its work returns. */
void gg_job_drop(gg_job *job);

#endif

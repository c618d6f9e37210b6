#include "common/thread_pool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/context.h"
#include "common/error.h"
#include "common/platform.h"

enum { WAITING, RUNNING, DONE };

/* Maximum number of threads that compute while the caller continues: they compete with it for
   processors. */
enum { MOST_WORKERS = 4 };

/* All fields are protected by one lock, except a job's atomic fields. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  gg_job *first, *last; /* waiting */
  pthread_t workers[MOST_WORKERS];
  gg_job *running[MOST_WORKERS];
  int count, idle; /* workers started, and those of them without a job */
  bool ending;
  long process; /* the one that has the workers */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

/* --- The workers ------------------------------------------------------------------------------ */

/* Appends a job to the queue. */
static void append_job(gg_job *job) {
  job->next = NULL;
  if (pool.last)
    pool.last->next = job;
  else
    pool.first = job;
  pool.last = job;
}

/* Removes a job from the queue. */
static void take_out(const gg_job *job) {
  gg_job *before = NULL;
  for (gg_job *at = pool.first; at && at != job; at = at->next)
    before = at;
  if (before)
    before->next = job->next;
  else
    pool.first = job->next;
  if (pool.last == job) pool.last = before;
}

/* Runs a worker: it takes jobs from the queue until the pool ends. */
static void *work_jobs(void *slot) {
  gg_job **running = slot;
  pthread_mutex_lock(&pool.lock);
  while (!pool.ending) {
    gg_job *job = pool.first;
    if (!job) {
      ++pool.idle;
      pthread_cond_wait(&pool.arrived, &pool.lock);
      --pool.idle;
      continue;
    }
    take_out(job);
    *running = job;
    atomic_store(&job->state, RUNNING);
    pthread_mutex_unlock(&pool.lock);
    job->work(job);
    pthread_mutex_lock(&pool.lock);
    *running = NULL;
    const bool dropped = job->dropped;
    atomic_store(&job->state, DONE); /* from here on it may be gone, unless it was dropped */
    if (!dropped) continue;
    pthread_mutex_unlock(&pool.lock);
    job->destroy(job);
    pthread_mutex_lock(&pool.lock);
  }
  pthread_mutex_unlock(&pool.lock);
  return NULL;
}

/* Ends all workers, at the end of the process and before this library is unloaded. */
static void end_workers(void) {
  if (pool.process != (long)getpid()) return; /* a forked process: the parent has them */
  pthread_mutex_lock(&pool.lock);
  pool.ending = true;
  for (int w = 0; w < pool.count; ++w)
    if (pool.running[w]) atomic_store(&pool.running[w]->cancelled, true);
  pthread_cond_broadcast(&pool.arrived);
  pthread_mutex_unlock(&pool.lock);
  for (int w = 0; w < pool.count; ++w)
    pthread_join(pool.workers[w], NULL);
}

/* Starts a worker. Returns 0 or the system's error number. */
static int start_worker(void) {
  if (!pool.process) {
    if (!gg_at_unload(end_workers)) return ENOMEM;
    pool.process = (long)getpid();
  }
  const int code =
      gg_thread_start(&pool.workers[pool.count], 0, work_jobs, &pool.running[pool.count]);
  if (!code) ++pool.count;
  return code;
}

/* --- Jobs ------------------------------------------------------------------------------------- */

void gg_job_finish(gg_job *job) {
  job->process = (long)getpid();
  atomic_store(&job->state, DONE);
}

gpugeo_status gg_job_start(gg_job *job, gpugeo_error *error) {
  if (gg_forked()) {
    job->work(job);
    gg_job_finish(job);
    return GPUGEO_OK;
  }
  int code = 0;
  job->process = (long)getpid();
  pthread_mutex_lock(&pool.lock);
  if (pool.ending)
    code = ECANCELED;
  else if (pool.idle == 0 && pool.count < MOST_WORKERS)
    code = start_worker();
  if (code && pool.count > 0 && !pool.ending) code = 0; /* those there are will come to it */
  if (!code) {
    append_job(job);
    pthread_cond_signal(&pool.arrived);
  }
  pthread_mutex_unlock(&pool.lock);
  if (!code) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "", "cannot start a thread: %s", strerror(code));
}

bool gg_job_done(const gg_job *job) { return atomic_load(&job->state) == DONE; }

bool gg_job_lost(const gg_job *job) { return !gg_job_done(job) && job->process != (long)getpid(); }

bool gg_job_cancelled(const gg_job *job) { return atomic_load(&job->cancelled); }

bool gg_job_wait(const gg_job *job, const _Atomic double *fraction, gg_clock *clock) {
  for (long pause = 20000; !gg_job_done(job); pause += pause / 8) {
    if (gg_clock_poll(clock, atomic_load(fraction))) return false;
    const long longest = 2000000; /* nanoseconds */
    if (pause > longest) pause = longest;
    nanosleep(&(struct timespec){0, pause}, NULL);
  }
  return true;
}

void gg_job_drop(gg_job *job) {
  if (gg_job_lost(job)) return; /* the parent's: its memory here is a copy */
  if (!gg_job_done(job)) {
    pthread_mutex_lock(&pool.lock);
    const int state = atomic_load(&job->state);
    atomic_store(&job->cancelled, true);
    job->dropped = true;
    if (state == WAITING) take_out(job);
    pthread_mutex_unlock(&pool.lock);
    if (state == RUNNING) return;
  }
  job->destroy(job);
}

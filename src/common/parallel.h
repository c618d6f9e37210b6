/*
 * Work spread over threads.
 *
 * The calling thread draws ranges of a loop and computes them. Threads of a pool, which is kept
 * between calls, join when they are scheduled: the caller never waits for a thread to join, and at
 * the end it waits only for threads that are within a range. Therefore a call on a busy machine
 * takes no longer than on one thread, except for the last range of each helper.
 *
 * A result must not depend on which thread does which range, nor on the number of threads.
 */
#ifndef GG_PARALLEL_H
#define GG_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/c_linkage.h"
#include "common/clock.h"

GG_C_BEGIN

/* The indices [first, last) of a loop, and the thread that computes them: `worker` is 0 for the
   calling thread and less than the loop's `threads` for all, so that each can have working
   memory of its own. */
typedef struct gg_range {
  int64_t first, last;
  int32_t worker;
} gg_range;

typedef struct gg_loop {
  int32_t threads; /* at most this many, the calling one among them */
  int64_t count;   /* the indices are [0, count) */
  int64_t grain;   /* indices of a range; 0: count / (4 threads), at least 1 */
  void (*work)(void *job, gg_range range);
  void *job;
  bool from_both_ends; /* threads of odd numbers draw from the end, so that in successive loops over
                          the same data a thread meets what is in its own cache */
  bool *stop;          /* may be NULL; once true, no more ranges are begun */
  gg_clock *clock; /* may be NULL; else the calling thread polls it before each of its ranges and
                      while it waits for others, and the loop stops when the clock says so */
  double begun, share; /* fraction given to the clock: begun + share * (ranges begun) */
} gg_loop;

/* Runs a loop. Returns false if it was stopped. Within a range of another loop, and in a
   process forked from one with threads, it takes one thread. */
bool gg_parallel_for(const gg_loop *loop);

/* Calls work(job, worker) on the calling thread, as worker 0, and on those of up to threads - 1
   others that arrive before it returns there. Each call draws from a queue of the job's own until
   that is empty; the one on the calling thread alone must be able to do everything. */
void gg_parallel_team(int32_t threads, void (*work)(void *job, int32_t worker), void *job);

/* Begins or ends a call whose loops copy between host and device: threads without work spin for
   200 us instead of 30 us before they sleep. */
void gg_parallel_copying(bool begins);

/* A lock for what threads of a team share. */
typedef pthread_mutex_t gg_lock;

/* Makes a lock. */
static inline void gg_lock_make(gg_lock *lock) { pthread_mutex_init(lock, NULL); }

/* Frees a lock. */
static inline void gg_lock_free(gg_lock *lock) { pthread_mutex_destroy(lock); }

/* Takes a lock, waiting for it. */
static inline void gg_lock_take(gg_lock *lock) { pthread_mutex_lock(lock); }

/* Gives a lock back. */
static inline void gg_lock_give(gg_lock *lock) { pthread_mutex_unlock(lock); }

GG_C_END

#endif

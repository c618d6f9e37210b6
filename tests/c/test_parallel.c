/*
 * The thread pool: every index of a loop is done once, by workers with numbers of their own, from
 * any number of calling threads; loops stop; forked processes compute.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "common/atomic.h"
#include "common/context.h"
#include "common/parallel.h"
#include "witness.h"

/* What the threads of a loop have done. */
typedef struct counted {
  int32_t threads;
  int *done;       /* of each index: how often */
  int *within;     /* of each worker: how many ranges it is within */
  bool overlapped; /* two threads had one number */
  bool wrong;      /* a worker's number or a range was out of bounds */
  bool nested;     /* begin another loop in each range */
  int64_t count, grain;
  int64_t inner; /* indices done in nested loops */
} counted;

static void count_inner(void *job, gg_range range) {
  gg_atomic_add((int64_t *)job, range.last - range.first);
}

static void count_range(void *job, gg_range range) {
  counted *c = job;
  if (range.worker < 0 || range.worker >= c->threads || range.first < 0 || range.last > c->count ||
      range.last - range.first > c->grain) {
    gg_atomic_store(&c->wrong, true);
    return;
  }
  if (gg_atomic_add(&c->within[range.worker], 1) != 0) gg_atomic_store(&c->overlapped, true);
  for (int64_t i = range.first; i < range.last; ++i)
    gg_atomic_add(&c->done[i], 1);
  if (c->nested)
    gg_parallel_for(&(gg_loop){
        .threads = c->threads, .count = 10, .grain = 1, .work = count_inner, .job = &c->inner});
  gg_atomic_add(&c->within[range.worker], -1);
}

/* True if a loop of so many indices does each of them once. */
static bool does_all(int32_t threads, int64_t count, int64_t grain, bool from_both_ends,
                     bool nested) {
  counted c = {.threads = threads, .count = count, .grain = grain, .nested = nested};
  c.done = calloc((size_t)count + 1, sizeof *c.done);
  c.within = calloc((size_t)threads, sizeof *c.within);
  bool right = gg_parallel_for(&(gg_loop){.threads = threads,
                                          .count = count,
                                          .grain = grain,
                                          .work = count_range,
                                          .job = &c,
                                          .from_both_ends = from_both_ends});
  for (int64_t i = 0; i < count; ++i)
    right = right && c.done[i] == 1;
  if (nested && count > 0) right = right && c.inner == 10 * ((count + grain - 1) / grain);
  right = right && !c.overlapped && !c.wrong;
  free(c.done);
  free(c.within);
  return right;
}

static void test_loops(void) {
  const int64_t counts[] = {0, 1, 2, 7, 100, 4096, 100001};
  const int32_t threads[] = {1, 2, 3, 16, 200};
  for (int n = 0; n < 7; ++n)
    for (int t = 0; t < 5; ++t)
      for (int64_t grain = 1; grain < 2000; grain = 17 * grain)
        for (int ends = 0; ends < 2; ++ends)
          CHECK(does_all(threads[t], counts[n], grain, ends, false),
                "%d threads, %lld indices by %lld%s", threads[t], (long long)counts[n],
                (long long)grain, ends ? " from both ends" : "");
  CHECK(does_all(4, 300, 7, false, true), "loops within loops");
  for (int i = 0; i < 20000; ++i)
    if (!does_all(2, 8, 1, i % 2, false)) {
      CHECK(false, "short loop %d", i);
      return;
    }
  CHECK(true, "short loops");
}

static void *call_loops(void *wrong) {
  for (int i = 0; i < 300; ++i)
    if (!does_all(3, 1000, 10, false, i % 10 == 0)) gg_atomic_store((bool *)wrong, true);
  return NULL;
}

/* More calling threads than teams. */
static void test_callers(void) {
  enum { CALLERS = 24 };
  pthread_t callers[CALLERS];
  bool wrong = false;
  for (int i = 0; i < CALLERS; ++i)
    pthread_create(&callers[i], NULL, call_loops, &wrong);
  for (int i = 0; i < CALLERS; ++i)
    pthread_join(callers[i], NULL);
  CHECK(!wrong, "%d calling threads", CALLERS);
}

typedef struct stopping {
  bool stop;
  int64_t after; /* ranges */
  int64_t begun;
} stopping;

static void stop_later(void *job, gg_range range) {
  stopping *s = job;
  (void)range;
  if (gg_atomic_add(&s->begun, 1) >= s->after) gg_atomic_store(&s->stop, true);
}

static void test_stops(void) {
  for (int32_t threads = 1; threads < 6; ++threads) {
    stopping s = {.after = 10};
    const int64_t count = (int64_t)1 << 40;
    CHECK(!gg_parallel_for(&(gg_loop){.threads = threads,
                                      .count = count,
                                      .grain = 1,
                                      .work = stop_later,
                                      .job = &s,
                                      .stop = &s.stop}),
          "a flag stops %d threads", threads);
    CHECK(s.begun <= 11 + threads, "%lld ranges were begun", (long long)s.begun);
  }
  witness w = {.stop_at = 1};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  witness_watch(&w, &run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  clock.next = 0; /* at once */
  stopping s = {.after = INT64_MAX};
  CHECK(!gg_parallel_for(&(gg_loop){.threads = 2,
                                    .count = (int64_t)1 << 40,
                                    .grain = 1,
                                    .work = stop_later,
                                    .job = &s,
                                    .clock = &clock}),
        "a clock stops a loop");
  CHECK(w.asked == 1 && clock.stopped, "it was asked %d times", w.asked);
}

/* Two ranges on two threads: the calling thread's ends once both are begun, the other one when the
   clock has stopped. */
typedef struct waiting {
  gg_clock clock;
  pthread_t caller;
  int64_t begun;
  bool elsewhere; /* a hook was called on another thread */
} waiting;

static int stop_when_begun(void *data) {
  waiting *w = data;
  if (!pthread_equal(pthread_self(), w->caller)) w->elsewhere = true;
  return gg_atomic_load(&w->begun) == 2;
}

static void wait_for_stop(void *job, gg_range range) {
  waiting *w = job;
  gg_atomic_add(&w->begun, 1);
  while (gg_atomic_load(&w->begun) < 2 || (range.worker > 0 && !gg_clock_stopped(&w->clock)))
    usleep(100);
}

/* While the calling thread waits for the last ranges it asks the hooks, and they can stop those. */
static void test_waiting(void) {
  waiting w = {.caller = pthread_self()};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.interrupt = stop_when_begun;
  run.hook_data = &w;
  gg_clock_start(&w.clock, &run);
  const bool done = gg_parallel_for(&(gg_loop){
      .threads = 2, .count = 2, .grain = 1, .work = wait_for_stop, .job = &w, .clock = &w.clock});
  CHECK(!done && !w.elsewhere, "done %d, hooks on another thread %d", done, w.elsewhere);
}

/* A forked process has none of the parent's threads, and computes all the same. */
static void test_fork(void) {
  CHECK(does_all(4, 1000, 1, false, false), "threads before a fork");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const bool right = gg_forked() && does_all(4, 1000, 1, false, false) && gg_threads(4) == 1;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0,
        "a forked process computes (%d)", status);
  CHECK(does_all(4, 1000, 1, false, false), "threads after a fork");
}

int main(void) {
  gg_context_get();
  test_loops();
  test_callers();
  test_stops();
  test_waiting();
  test_fork();
  return check_end();
}

#include "common/parallel.h"

#include <time.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "common/atomic.h"
#include "common/context.h"
#include "common/memory.h"
#include "common/platform.h"
#include "common/thread_flags.h"

/* Maximum number of loops of different calling threads that use the pool at once; further ones
   run on one thread each. */
enum { MOST_TEAMS = 16 };

/* Memory that is left when threads have been started. */
static const int64_t bytes_kept = 16 << 20;

/* Time that a thread without work, or one that waits for the last range, spins before it sleeps.
   Waking a sleeping thread takes 5 to 60 us. During a CUDA call loops of copies of 100 us follow
   each other with pauses for the link between: with 30 us, a call with 24 MB of input took 4.2
   instead of 3.0 ms (H200, 16 threads). */
static const double spin_seconds = 30e-6, copying_spin_seconds = 200e-6;

/* Longest sleep of the calling thread before it polls its clock again. */
static const long waiting_nanoseconds = 50000000;

/* The state of a team is one word: flags, the threads that it takes, those that have come, those
   that are within its work. Its calling thread has come and is not counted as within. */
#define STATE_CLAIMED  ((uint64_t)1 << 50)
#define STATE_WAITING  ((uint64_t)1 << 49) /* the calling thread sleeps until none is within */
#define STATE_OPEN     ((uint64_t)1 << 48) /* more may come */
#define STATE_CAME_ONE ((uint64_t)1 << 16)

/* Returns the state of a team that is open for threads, the caller's included, which is there. */
static uint64_t state_of_open_team(int32_t threads) {
  return STATE_OPEN | (uint64_t)threads << 32 | STATE_CAME_ONE;
}

/* Returns the number of threads that the team takes. */
static int32_t state_takes(uint64_t state) { return (int32_t)(state >> 32 & 0xffff); }

/* Returns the number of threads that have joined the team. */
static int32_t state_came(uint64_t state) { return (int32_t)(state >> 16 & 0xffff); }

/* Returns the number of threads of the pool that are in the team now. */
static int32_t state_within(uint64_t state) { return (int32_t)(state & 0xffff); }

typedef struct team {
  uint64_t state;
  void (*work)(void *job, int32_t worker);
  void *job;
  char apart[40]; /* teams share no cache line */
} team;

static struct {
  team teams[MOST_TEAMS];
  uint32_t opened; /* counts the teams that were opened */
  int32_t threads; /* started */
  int32_t asleep;  /* of them */
  int32_t copying; /* calls for which gg_parallel_copying() holds */
  bool ending;

  pthread_mutex_t lock; /* for starting and ending threads, and around the condition */
  pthread_cond_t finished;
  pthread_t ids[GPUGEO_THREADS_MAX];
  int32_t processors; /* that this process could use when a thread was last started */
  bool prepared;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Pauses the processor within a loop that waits, which leaves it to its other hardware thread. */
static void pause_briefly(void) {
#if defined(__x86_64__)
  for (int i = 0; i < 16; ++i)
    _mm_pause();
#elif defined(__aarch64__)
  for (int i = 0; i < 16; ++i)
    __asm__ volatile("isb");
#endif
}

/* Spins until a change or for the spinning time. Does not spin if more threads are awake than
   there are processors, because the awaited thread may need this processor. */
static bool spin_until(bool (*changed)(const void *of, uint64_t from), const void *of,
                       uint64_t from) {
  const int32_t awake = gg_atomic_load(&pool.threads) - gg_atomic_load(&pool.asleep);
  if (awake >= gg_atomic_load(&pool.processors)) return changed(of, from);
  const double end =
      gg_now() + (gg_atomic_load(&pool.copying) > 0 ? copying_spin_seconds : spin_seconds);
  do {
    if (changed(of, from)) return true;
    pause_briefly();
  } while (gg_now() < end);
  return changed(of, from);
}

/* True if a team was opened after the count of opened teams was `from`, or the pool is ending. */
static bool team_opened(const void *unused, uint64_t from) {
  (void)unused;
  return __atomic_load_n(&pool.opened, __ATOMIC_SEQ_CST) != (uint32_t)from ||
         gg_atomic_load(&pool.ending);
}

/* True if no thread of the pool is in the team. */
static bool team_is_left(const void *of, uint64_t unused) {
  (void)unused;
  return state_within(__atomic_load_n(&((const team *)of)->state, __ATOMIC_ACQUIRE)) == 0;
}

/* --- The threads of the pool ------------------------------------------------------------------ */

/* Joins a team that is open and takes more threads. Returns this thread's number in it, or 0. */
static int32_t come_to(team *t) {
  uint64_t state = gg_atomic_load(&t->state);
  while ((state & STATE_OPEN) && state_came(state) < state_takes(state)) {
    const uint64_t with_me = state + STATE_CAME_ONE + 1;
    if (__atomic_compare_exchange_n(&t->state, &state, with_me, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return state_came(state);
  }
  return 0;
}

/* Leaves a team. When no helper is within it, the calling thread may reuse its entry for another
   team. */
static void leave(team *t) {
  const uint64_t before = __atomic_fetch_sub(&t->state, 1, __ATOMIC_ACQ_REL);
  if (!(before & STATE_WAITING) || state_within(before) > 1) return;
  pthread_mutex_lock(&pool.lock);
  pthread_cond_broadcast(&pool.finished);
  pthread_mutex_unlock(&pool.lock);
}

/* Joins a team that is open, and works for it. */
static void help(team *t) {
  const int32_t worker = come_to(t);
  if (worker == 0) return;
  t->work(t->job, worker);
  leave(t);
}

/* Sleeps until the count of opened teams is no longer `seen`. */
static void sleep_until_opened(uint32_t seen) {
  __atomic_fetch_add(&pool.asleep, 1, __ATOMIC_SEQ_CST);
  while (!team_opened(NULL, seen))
    gg_sleep_while(&pool.opened, seen);
  __atomic_fetch_sub(&pool.asleep, 1, __ATOMIC_SEQ_CST);
}

/* Runs a thread of the pool: it helps all teams that are open, and waits for the next. */
static void *serve(void *unused) {
  if (!gg_thread_set(GG_THREAD_IN_TEAM, true) || !gg_thread_set(GG_THREAD_WITHOUT_HOOKS, true))
    return unused;
  while (!gg_atomic_load(&pool.ending)) {
    const uint32_t seen = __atomic_load_n(&pool.opened, __ATOMIC_SEQ_CST);
    for (int i = 0; i < MOST_TEAMS; ++i)
      help(&pool.teams[i]);
    if (!spin_until(team_opened, NULL, seen)) sleep_until_opened(seen);
  }
  return unused;
}

/* Ends the threads, at the end of the process and before this library is unloaded. */
static void end_threads(void) {
  pthread_mutex_lock(&pool.lock);
  gg_atomic_store(&pool.ending, true);
  const int32_t threads = pool.threads;
  gg_atomic_store(&pool.threads, 0); /* a computation under way still reads it */
  pthread_mutex_unlock(&pool.lock);
  __atomic_fetch_add(&pool.opened, 1, __ATOMIC_SEQ_CST);
  gg_wake(&pool.opened, threads);
  for (int32_t i = 0; i < threads; ++i)
    pthread_join(pool.ids[i], NULL);
}

/* Resets the pool in a forked process, which has none of the threads. */
static void forget_threads(void) {
  for (int i = 0; i < MOST_TEAMS; ++i)
    pool.teams[i].state = 0;
  pool.threads = pool.asleep = pool.copying = 0;
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.finished, NULL);
}

/* Registers what a fork and the end of the library need. Returns false if that fails. */
static bool prepare(void) {
  if (!pool.prepared)
    pool.prepared = gg_at_fork(NULL, NULL, forget_threads) && gg_at_unload(end_threads);
  return pool.prepared;
}

/* Starts another thread. Its stack is small, so that 1,024 threads fit into memory. */
static bool start_thread(void) {
  const size_t stack = (size_t)2 << 20;
  if (gg_thread_start(&pool.ids[pool.threads], stack, serve, NULL)) return false;
  gg_atomic_add(&pool.threads, 1);
  return true;
}

/* Starts threads until there are `wanted`. If the system cannot start more, the loop runs on
   those that exist. Their stacks never take the last addresses of a process that is limited
   (ulimit -v): without any, it ends where its own stack must grow. */
static void have_threads(int32_t wanted) {
  if (gg_atomic_load(&pool.threads) >= wanted) return;
  pthread_mutex_lock(&pool.lock);
  gg_atomic_store(&pool.processors, gg_processors());
  void *kept = gg_allocate(bytes_kept, 1); /* not written to, so that it takes addresses only */
  if (kept && !pool.ending && prepare())
    while (pool.threads < wanted && pool.threads < GPUGEO_THREADS_MAX && start_thread()) {
    }
  gg_free(kept);
  pthread_mutex_unlock(&pool.lock);
}

void gg_parallel_copying(bool begins) { (void)gg_atomic_add(&pool.copying, begins ? 1 : -1); }

/* --- Teams ------------------------------------------------------------------------------------ */

/* Returns an unused team, now claimed by the caller, or NULL. */
static team *claim_team(void) {
  for (int i = 0; i < MOST_TEAMS; ++i) {
    uint64_t unused = 0;
    if (__atomic_compare_exchange_n(&pool.teams[i].state, &unused, STATE_CLAIMED, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return &pool.teams[i];
  }
  return NULL;
}

/* Wakes as many sleeping threads as the team takes beyond those that are awake. */
static void wake(int32_t helpers) {
  const int32_t asleep = __atomic_load_n(&pool.asleep, __ATOMIC_SEQ_CST);
  const int32_t lacking = helpers - (gg_atomic_load(&pool.threads) - asleep);
  if (asleep > 0 && lacking > 0) gg_wake(&pool.opened, lacking);
}

/* Opens a claimed team to the given number of threads, and wakes all but the caller. */
static void open_team(team *t, int32_t threads, void (*work)(void *job, int32_t worker),
                      void *job) {
  t->work = work;
  t->job = job;
  __atomic_store_n(&t->state, state_of_open_team(threads), __ATOMIC_RELEASE);
  __atomic_fetch_add(&pool.opened, 1, __ATOMIC_SEQ_CST);
  wake(threads - 1);
}

/* Sleeps until no helper is within the team, or until it is time to poll the clock. */
static void sleep_until_left(team *t, const gg_clock *clock) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += waiting_nanoseconds;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&pool.lock);
  __atomic_fetch_or(&t->state, STATE_WAITING, __ATOMIC_ACQ_REL);
  for (int code = 0; !team_is_left(t, 0) && code == 0;)
    code = clock ? pthread_cond_timedwait(&pool.finished, &pool.lock, &until)
                 : pthread_cond_wait(&pool.finished, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

/* Closes the team to further threads, and waits for those within it. The clock, which may be
   NULL, is polled meanwhile. */
static void close_team(team *t, gg_clock *clock) {
  __atomic_fetch_and(&t->state, ~STATE_OPEN, __ATOMIC_ACQ_REL);
  if (!spin_until(team_is_left, t, 0)) sleep_until_left(t, clock);
  while (!team_is_left(t, 0)) {
    (void)gg_clock_poll(clock, 0);
    sleep_until_left(t, clock);
  }
  __atomic_store_n(&t->state, 0, __ATOMIC_RELEASE);
}

/* Returns a team that the calling thread has come to, or NULL if it has to work alone. */
static team *have_team(int32_t threads) {
  if (threads < 2 || gg_thread_is(GG_THREAD_IN_TEAM) || gg_forked()) return NULL;
  have_threads(threads - 1);
  if (gg_atomic_load(&pool.threads) == 0 || !gg_thread_set(GG_THREAD_IN_TEAM, true)) return NULL;
  team *t = claim_team();
  if (!t) (void)gg_thread_set(GG_THREAD_IN_TEAM, false);
  return t;
}

/* Opens a team of up to the given number of threads for work, which the calling thread is to join
   as worker 0. Returns NULL if it has to work alone. */
static team *begin_team(int32_t threads, void (*work)(void *job, int32_t worker), void *job) {
  if (threads > GPUGEO_THREADS_MAX) threads = GPUGEO_THREADS_MAX;
  team *t = have_team(threads);
  if (t) open_team(t, threads, work, job);
  return t;
}

/* Returns when all threads have left the team; NULL is allowed, and so is no clock. */
static void end_team(team *t, gg_clock *clock) {
  if (!t) return;
  (void)gg_thread_set(GG_THREAD_IN_TEAM, false);
  close_team(t, clock);
}

void gg_parallel_team(int32_t threads, void (*work)(void *job, int32_t worker), void *job) {
  team *t = begin_team(threads, work, job);
  work(job, 0);
  end_team(t, NULL);
}

/* --- Loops ------------------------------------------------------------------------------------ */

typedef struct drawing {
  const gg_loop *loop;
  int64_t grain, ranges;
  int64_t drawn; /* ranges; once it is `ranges` or more, there are none left */
  int64_t from_start, from_end;
  bool stopped;
} drawing;

/* True if the loop must begin no more ranges. The calling thread polls the clock. */
static bool must_stop(drawing *d, int64_t drawn) {
  const gg_loop *loop = d->loop;
  bool stop = gg_atomic_load(&d->stopped) || (loop->stop && gg_atomic_load(loop->stop)) ||
              gg_atomic_load(&pool.ending);
  if (!stop && loop->clock)
    stop = gg_clock_poll(loop->clock, loop->begun + loop->share * (double)(drawn * d->grain) /
                                                        (double)loop->count);
  if (stop) gg_atomic_store(&d->stopped, true);
  return stop;
}

/* Draws a range. Returns its number, or -1 if there is none left. Ranges are granted by `drawn`, so
   that those from the beginning and from the end never meet. */
static int64_t draw_range(drawing *d, int32_t worker) {
  if (gg_atomic_add(&d->drawn, 1) >= d->ranges) return -1;
  if (worker % 2 && d->loop->from_both_ends) return d->ranges - 1 - gg_atomic_add(&d->from_end, 1);
  return gg_atomic_add(&d->from_start, 1);
}

/* Draws ranges of a loop and computes them, until all are drawn or the loop is stopped. */
static void draw(void *job, int32_t worker) {
  drawing *d = job;
  const gg_loop *loop = d->loop;
  for (;;) {
    const int64_t drawn = gg_atomic_load(&d->drawn);
    if (drawn >= d->ranges || must_stop(d, drawn)) return;
    const int64_t range = draw_range(d, worker), first = range * d->grain;
    if (range < 0) return;
    const int64_t left = loop->count - first;
    loop->work(loop->job, (gg_range){first, first + (left < d->grain ? left : d->grain), worker});
  }
}

bool gg_parallel_for(const gg_loop *loop) {
  drawing d = {.loop = loop, .grain = loop->grain};
  if (d.grain < 1) d.grain = loop->count / (4 * (int64_t)(loop->threads > 1 ? loop->threads : 1));
  if (d.grain < 1) d.grain = 1;
  d.ranges = loop->count / d.grain + (loop->count % d.grain > 0);
  team *t = begin_team(d.ranges < loop->threads ? (int32_t)d.ranges : loop->threads, draw, &d);
  draw(&d, 0);
  end_team(t, loop->clock);
  return !d.stopped && !(loop->clock && gg_clock_stopped(loop->clock));
}

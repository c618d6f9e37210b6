/* Calls from hooks of calls, and from several threads at once. */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "common/thread_flags.h"
#include "families.h"
#include "witness.h"

enum { SMALL = 64, LARGER = 128, MOST_FAMILIES = 64 };

static gpugeo_run cpu_run(int32_t threads) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  run.threads = threads;
  return run;
}

/* --- Several threads -------------------------------------------------------------------------- */

enum { CALLERS = 4 };

typedef struct caller {
  pthread_t thread;
  int number;
  uint64_t hash[MOST_FAMILIES];
  gpugeo_status status[MOST_FAMILIES];
  gpugeo_error error[MOST_FAMILIES];
} caller;

static pthread_barrier_t together;

/* All families, each caller from another one on. */
static void *call_all(void *data) {
  caller *c = data;
  const gpugeo_run run = cpu_run(2);
  pthread_barrier_wait(&together);
  for (int i = 0; i < family_count; ++i) {
    const int f = (i + 5 * c->number) % family_count;
    c->status[f] = families[f].call(LARGER, &run, &c->hash[f], &c->error[f]);
  }
  return NULL;
}

/* The process's first calls come from all threads at once. */
static void test_threads(void) {
  static caller callers[CALLERS];
  pthread_barrier_init(&together, NULL, CALLERS);
  for (int t = 0; t < CALLERS; ++t) {
    callers[t].number = t;
    pthread_create(&callers[t].thread, NULL, call_all, &callers[t]);
  }
  for (int t = 0; t < CALLERS; ++t)
    pthread_join(callers[t].thread, NULL);
  pthread_barrier_destroy(&together);
  const gpugeo_run run = cpu_run(1);
  for (int f = 0; f < family_count; ++f) {
    uint64_t hash = 0;
    gpugeo_error error = {0};
    const gpugeo_status status = families[f].call(LARGER, &run, &hash, &error);
    CHECK(!status, "%s: %s", families[f].name, error.message);
    for (int t = 0; t < CALLERS; ++t)
      CHECK(!callers[t].status[f] && callers[t].hash[f] == hash, "%s on thread %d: status %d, %s",
            families[f].name, t, callers[t].status[f], callers[t].error[f].message);
  }
}

/* --- Hooks ------------------------------------------------------------------------------------ */

/* What the hooks of a call call, and how often they did. */
typedef struct nest {
  int inner, calls, wrong;
  uint64_t expected;
} nest;

static int call_again(void *data) {
  nest *n = data;
  if (n->calls >= 2) return 0;
  ++n->calls;
  const gpugeo_run run = cpu_run(2);
  uint64_t hash = 0;
  gpugeo_error error;
  if (families[n->inner].call(SMALL, &run, &hash, &error) || hash != n->expected) ++n->wrong;
  return 0;
}

static void call_again_too(double fraction, void *data) {
  (void)fraction;
  (void)call_again(data);
}

/* Every family from the hooks of every family. */
static void test_hooks(void) {
  uint64_t small[MOST_FAMILIES], larger[MOST_FAMILIES];
  gpugeo_error error = {0};
  const gpugeo_run plain = cpu_run(2);
  for (int f = 0; f < family_count; ++f) {
    CHECK(!families[f].call(SMALL, &plain, &small[f], &error), "%s", error.message);
    CHECK(!families[f].call(LARGER, &plain, &larger[f], &error), "%s", error.message);
  }
  gg_clock_set_polls(1);
  for (int f = 0; f < family_count; ++f) {
    int calls = 0; /* on one thread: of several, the others may do all of the work */
    for (int inner = 0; inner < family_count; ++inner) {
      if (CHECK_SMALL && inner != f && (f + inner) % 9) continue;
      nest n = {.inner = inner, .expected = small[inner]};
      gpugeo_run run = plain;
      if (inner == f) run.threads = 1;
      run.interrupt = call_again;
      run.progress = call_again_too;
      run.hook_data = &n;
      uint64_t hash = 0;
      const gpugeo_status status = families[f].call(LARGER, &run, &hash, &error);
      CHECK(!status && hash == larger[f] && n.wrong == 0, "%s within %s: status %d, %d of %d wrong",
            families[inner].name, families[f].name, status, n.wrong, n.calls);
      if (run.threads == 1) calls += n.calls;
    }
    const bool beside = strcmp(families[f].name, "collisions launched") == 0; /* has no hooks */
    if (!family_is_left_out(&families[f]))
      CHECK(beside || calls > 0, "%s asked no hook", families[f].name);
  }
  gg_clock_set_polls(0);
}

/* --- Stopping --------------------------------------------------------------------------------- */

static int stop_and_count(void *data) {
  ++*(int *)data;
  return 1;
}

/* The largest exhaustive search: 2^50 rows take hours, and to go through what is left of them, a
   minute. Once the hook has said stop, nothing is begun and no hook is asked. */
static void test_stop(int32_t threads) {
  double d[GPUGEO_DGP_LOG2_STEPS_MAX_CPU];
  for (int j = 0; j < GPUGEO_DGP_LOG2_STEPS_MAX_CPU; ++j)
    d[j] = 1 + 1.0 / (j + 3);
  int asked = 0;
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  options.algorithm = GPUGEO_DGP_ALGORITHM_EXHAUSTIVE;
  options.max_solutions = 0;
  options.run = cpu_run(threads);
  options.run.interrupt = stop_and_count;
  options.run.hook_data = &asked;
  gpugeo_dgp_result result;
  gpugeo_error error = {0};
  gg_clock_set_polls(1);
  const gpugeo_status status =
      gpugeo_dgp(d, GPUGEO_DGP_LOG2_STEPS_MAX_CPU, &options, &result, NULL, NULL, &error);
  gg_clock_set_polls(0);
  CHECK(status == GPUGEO_ERROR_INTERRUPT && asked == 1, "%d threads: status %d, %s, asked %d times",
        threads, status, error.message, asked);
}

/* Runs a family on one thread, with a hook that stops at a poll. */
static gpugeo_status run_watched(const family *f, int64_t n, witness *w, uint64_t *hash,
                                 gpugeo_error *error) {
  gpugeo_run run = cpu_run(1);
  witness_watch(w, &run);
  return f->call(n, &run, hash, error);
}

/* Every family can be stopped at each of its polls, of which at most 1,000 are tried, asks no hook
   after that, and has the same result when it is called again. */
static void test_stop_at_polls(void) {
  const int most = CHECK_SMALL ? 40 : 1000;
  gg_clock_set_polls(1);
  for (int f = 0; f < family_count; ++f) {
    witness whole = {0}, again = {0};
    uint64_t wanted = 0, hash = 0;
    gpugeo_error error = {0};
    if (family_is_left_out(&families[f])) continue;
    CHECK(!run_watched(&families[f], SMALL, &whole, &wanted, &error), "%s", error.message);
    const int step = 1 + whole.asked / most;
    for (int poll = 1; poll <= whole.asked; poll += step) {
      witness w = {.stop_at = poll};
      const gpugeo_status status = run_watched(&families[f], SMALL, &w, &hash, &error);
      CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == poll && w.after == 0,
            "%s, poll %d of %d: status %d, asked %d times, %d after the answer", families[f].name,
            poll, whole.asked, status, w.asked, w.after);
    }
    CHECK(!run_watched(&families[f], SMALL, &again, &hash, &error) && hash == wanted &&
              again.asked == whole.asked,
          "%s: another result after it was stopped: %s", families[f].name, error.message);
  }
  gg_clock_set_polls(0);
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* What a hook of a call on a device finds. */
static void test_device_held(void) {
  gpugeo_error error = {0};
  CHECK(gg_thread_set(GG_THREAD_HOLDS_DEVICE, true), "no memory");
  CHECK(gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_ERROR_BACKEND &&
            strcmp(error.message, "this is a hook of a call that computes on a CUDA device: use "
                                  "backend \"cpu\"") == 0,
        "%s", error.message);
  CHECK(gpugeo_device_count() == 0, "%d devices", gpugeo_device_count());
  static const char *const on_host[] = {"dgp graph",
                                        "quality",
                                        "file of a layout",
                                        "hclust centroid",
                                        "cophenetic",
                                        "mds ordinal",
                                        "distances of alleles",
                                        "bootstrap",
                                        "edit distances",
                                        "distances of proteins",
                                        "tree distances",
                                        "text of a tree",
                                        "generalized unifrac",
                                        "tables of communities",
                                        "k-means"};
  for (int f = 0; f < family_count; ++f) {
    bool host = family_is_left_out(&families[f]);
    for (size_t k = 0; k < sizeof on_host / sizeof *on_host; ++k)
      host = host || strcmp(families[f].name, on_host[k]) == 0;
    if (host) continue;
    uint64_t hash;
    gpugeo_run run = cpu_run(2);
    run.backend = GPUGEO_BACKEND_CUDA;
    error = (gpugeo_error){0};
    const gpugeo_status status = families[f].call(SMALL, &run, &hash, &error);
    CHECK(status == GPUGEO_ERROR_BACKEND &&
              strcmp(error.message,
                     "backend \"cuda\" cannot be used: this is a hook of a call that "
                     "computes on a CUDA device: use backend \"cpu\"") == 0,
          "%s: status %d, %s", families[f].name, status, error.message);
    run.backend = GPUGEO_BACKEND_AUTO;
    CHECK(!families[f].call(SMALL, &run, &hash, &error), "%s: %s", families[f].name, error.message);
  }
  gpugeo_release(); /* later */
  gg_thread_set(GG_THREAD_HOLDS_DEVICE, false);
}

int main(void) {
  test_threads();
  test_hooks();
  test_stop(1);
  test_stop(4);
  test_stop_at_polls();
  test_device_held();
  return check_end();
}

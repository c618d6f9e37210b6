/* Collisions launched and fetched: in any order, twice, many at once, dropped, interrupted, in a
   forked process, and under way when the process ends. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "system.h"
#include "witness.h"

enum { COLUMNS = 3 };

static double *make_points(int64_t n, uint64_t seed) {
  dice d = {seed};
  double *points = malloc(sizeof *points * (size_t)(n * COLUMNS));
  for (int64_t i = 0; i < n * COLUMNS; ++i)
    points[i] = dice_real(&d);
  return points;
}

static gpugeo_collisions_options options_for(gpugeo_collisions_what what, double radius) {
  gpugeo_collisions_options o;
  gpugeo_collisions_options_init(&o, sizeof o);
  o.what = what;
  o.radius = radius;
  o.run.threads = 2;
  o.run.backend = GPUGEO_BACKEND_CPU;
  return o;
}

/* Launches, and destroys what was given, the points too, before it can have been read. */
static gpugeo_collisions *launch_points(double *points, int64_t n,
                                        const gpugeo_collisions_options *given) {
  gpugeo_collisions_options o = *given;
  double *radii = NULL;
  int32_t *group = NULL;
  if (o.what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    group = calloc((size_t)n, sizeof *group);
    radii = malloc(sizeof *radii * (size_t)n);
    for (int64_t i = 0; i < n; ++i) {
      group[i] = (int32_t)(i % 2);
      radii[i] = o.radius / 2;
    }
    o.group = group;
    o.radii = radii;
    o.group_length = o.radii_length = n;
    o.groups = 2;
  }
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, COLUMNS, n, NULL};
  gpugeo_collisions *future = NULL;
  gpugeo_error error = {0};
  CHECK(!gpugeo_collisions_launch(&x, NULL, &o, &future, &error), "launch: %s", error.message);
  if (group) memset(group, 0x7f, sizeof *group * (size_t)n);
  if (radii) memset(radii, 0x7f, sizeof *radii * (size_t)n);
  memset(points, 0x7f, sizeof *points * (size_t)(n * COLUMNS));
  free(group);
  free(radii);
  free(points);
  return future;
}

static gpugeo_collisions *launch(int64_t n, uint64_t seed, const gpugeo_collisions_options *o) {
  return launch_points(make_points(n, seed), n, o);
}

/* A computation of many minutes on any machine: all pairs of 1.5 million points, 1.1e12, which are
   tested one by one wherever they lie. */
static gpugeo_collisions *launch_endless(void) {
  gpugeo_collisions_options o = options_for(GPUGEO_COLLISIONS_WHAT_COUNT, 1e-3);
  o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_USUAL;
  const int64_t n = 1500000;
  return launch_points(calloc((size_t)(n * COLUMNS), sizeof(double)), n, &o);
}

static int64_t fetch(gpugeo_collisions *future) {
  int64_t count = -1;
  gpugeo_error error = {0};
  gpugeo_report report = {0};
  CHECK(!gpugeo_collisions_wait(future, NULL, &count, &report, &error), "wait: %s", error.message);
  CHECK(gpugeo_collisions_done(future), "not done after waiting");
  CHECK(report.backend == GPUGEO_BACKEND_CPU && report.threads >= 1 && report.seconds > 0,
        "report");
  return count;
}

/* The same, waited for at once. */
static int64_t find(int64_t n, uint64_t seed, const gpugeo_collisions_options *o) {
  double *points = make_points(n, seed);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, COLUMNS, n, NULL};
  gpugeo_collisions *found = NULL;
  CHECK(!gpugeo_collisions_compute(&x, NULL, o, &found, NULL), "find");
  free(points);
  const int64_t count = fetch(found);
  gpugeo_collisions_free(found);
  return count;
}

/* Many under way at once, fetched last first, each twice, with all kinds of results. */
static void test_many(void) {
  enum { MANY = 40 };
  gpugeo_collisions *futures[MANY];
  for (int k = 0; k < MANY; ++k) {
    const gpugeo_collisions_options o =
        options_for((gpugeo_collisions_what)(k % 4), 0.02 + 0.001 * (double)k);
    futures[k] = launch(4000 + 10 * k, (uint64_t)k, &o);
  }
  for (int k = MANY - 1; k >= 0; --k) {
    const int64_t n = 4000 + 10 * k;
    const gpugeo_collisions_options o =
        options_for(GPUGEO_COLLISIONS_WHAT_COUNT, 0.02 + 0.001 * (double)k);
    const int64_t want = find(n, (uint64_t)k, &o);
    CHECK(want > 0, "no collisions to find");
    double *numbers = malloc(sizeof *numbers * (size_t)(2 * want + n));
    for (int again = 0; again < 2; ++again) {
      CHECK(fetch(futures[k]) == want, "future %d", k);
      double sum = 0;
      gpugeo_status status = GPUGEO_OK;
      if (k % 4 == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
        status = gpugeo_collisions_per_point(futures[k], numbers, NULL);
        for (int64_t i = 0; i < n; ++i)
          sum += numbers[i] / 2;
      } else if (k % 4 == GPUGEO_COLLISIONS_WHAT_PAIRS) {
        status = gpugeo_collisions_pairs(futures[k], GPUGEO_TYPE_DOUBLE, numbers, NULL);
        for (int64_t e = 0; e < want; ++e)
          sum += numbers[e] < numbers[e + want];
      } else if (k % 4 == GPUGEO_COLLISIONS_WHAT_TABLE) {
        status = gpugeo_collisions_table(futures[k], numbers, NULL);
        CHECK(numbers[1] == numbers[2], "the table is not symmetric");
        sum = numbers[0] + numbers[1] + numbers[3];
      } else {
        sum = (double)want;
      }
      CHECK(!status && sum == (double)want, "future %d: %.1f of %lld", k, sum, (long long)want);
    }
    free(numbers);
  }
  for (int k = 0; k < MANY; ++k)
    gpugeo_collisions_free(futures[k]);
}

/* What is asked too soon, or was not asked for. */
static void test_questions(void) {
  gpugeo_collisions *future = launch_endless();
  double number;
  gpugeo_error error = {0};
  CHECK(!gpugeo_collisions_done(future), "an endless computation is done");
  CHECK(gpugeo_collisions_per_point(future, &number, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message,
                   "these collisions are still being computed: wait for them first") == 0,
        "\"%s\"", error.message);
  gpugeo_collisions_free(future);
  const gpugeo_collisions_options o = options_for(GPUGEO_COLLISIONS_WHAT_COUNT, 0.1);
  future = launch(100, 1, &o);
  (void)fetch(future);
  CHECK(gpugeo_collisions_pairs(future, GPUGEO_TYPE_DOUBLE, &number, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "what must be \"pairs\" for this result to be there") == 0,
        "\"%s\"", error.message);
  CHECK(gpugeo_collisions_pairs(future, GPUGEO_TYPE_FLOAT, &number, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "type must be int32 or double, not 1") == 0,
        "\"%s\"", error.message);
  gpugeo_collisions_free(future);
  gpugeo_collisions_free(NULL);
  CHECK(!gpugeo_collisions_done(NULL), "nothing is done");
  CHECK(gpugeo_collisions_wait(NULL, NULL, NULL, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "collisions must come from gpugeo_collisions_launch()") == 0,
        "\"%s\"", error.message);
}

/* Dropped while under way and while waiting for their turn: what comes after them gets done. */
static void test_dropped(void) {
  enum { DROPPED = 8 };
  gpugeo_collisions *futures[DROPPED];
  for (int k = 0; k < DROPPED; ++k)
    futures[k] = launch_endless();
  const gpugeo_collisions_options o = options_for(GPUGEO_COLLISIONS_WHAT_COUNT, 0.1);
  gpugeo_collisions *last = launch(1000, 3, &o);
  for (int k = 0; k < DROPPED; ++k) {
    const int which = (3 * k + 1) % DROPPED; /* in an order of its own */
    CHECK(!gpugeo_collisions_done(futures[which]), "an endless computation is done");
    gpugeo_collisions_free(futures[which]);
  }
  CHECK(fetch(last) == find(1000, 3, &o), "after dropped ones");
  gpugeo_collisions_free(last);
}

static void test_interrupted(void) {
  gpugeo_collisions *future = launch_endless();
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  witness w = {.stop_at = 1};
  gg_clock_set_polls(1);
  witness_watch(&w, &run);
  for (int again = 1; again <= 2; ++again) {
    int64_t count = -1;
    gpugeo_error error = {0};
    CHECK(gpugeo_collisions_wait(future, &run, &count, NULL, &error) == GPUGEO_ERROR_INTERRUPT &&
              w.asked == again && count == -1 && strcmp(error.message, "interrupted") == 0,
          "asked %d times, \"%s\"", w.asked, error.message);
    CHECK(!gpugeo_collisions_done(future), "interrupted waiting has ended the work");
  }
  gg_clock_set_polls(0);
  run.size = 0;
  CHECK(gpugeo_collisions_wait(future, &run, NULL, NULL, NULL) == GPUGEO_ERROR_ARGUMENT, "run");
  gpugeo_collisions_free(future);
}

/* A computation that fails says so as often as asked. */
static void test_failed(void) {
  const gpugeo_collisions_options o = options_for(GPUGEO_COLLISIONS_WHAT_PAIRS, 10);
  set_variable("GPUGEO_MEMORY", "1e-5");
  gpugeo_collisions *future = launch(2000, 1, &o);
  set_variable("GPUGEO_MEMORY", NULL);
  for (int again = 0; again < 2; ++again) {
    gpugeo_error error = {0};
    CHECK(gpugeo_collisions_wait(future, NULL, NULL, NULL, &error) == GPUGEO_ERROR_MEMORY &&
              strstr(error.message, "the 1999000 pairs that collide need") == error.message,
          "\"%s\"", error.message);
    double pairs;
    error.message[0] = 0;
    CHECK(gpugeo_collisions_pairs(future, GPUGEO_TYPE_DOUBLE, &pairs, &error) ==
                  GPUGEO_ERROR_MEMORY &&
              error.message[0],
          "\"%s\"", error.message);
  }
  gpugeo_collisions_free(future);
}

/* --- Other processes and signals -------------------------------------------------------------- */

enum { GOOD, COUNT_DIFFERS, UNDER_WAY_IS_DONE, NO_ERROR, NO_LAUNCH };

/* Those of the parent, with the count of the first. */
static gpugeo_collisions *finished, *under_way; /* static, so that a child's copies are not lost */
static int64_t want;

static int child(void *options) {
  const gpugeo_collisions_options *o = options;
  int64_t count = -1;
  gpugeo_error error = {0};
  if (gpugeo_collisions_wait(finished, NULL, &count, NULL, NULL) || count != want)
    return COUNT_DIFFERS;
  if (gpugeo_collisions_done(under_way)) return UNDER_WAY_IS_DONE;
  if (gpugeo_collisions_wait(under_way, NULL, NULL, NULL, &error) != GPUGEO_ERROR_ARGUMENT ||
      strcmp(error.message,
             "these collisions are being computed by the process that launched them, from which "
             "this one was forked: launch them here anew") != 0)
    return NO_ERROR;
  gpugeo_collisions_free(under_way);
  gpugeo_collisions_free(finished);
  double *points = make_points(1000, 5);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 1000, COLUMNS, 1000, NULL};
  gpugeo_collisions *own = NULL;
  if (gpugeo_collisions_launch(&x, NULL, o, &own, NULL) || !gpugeo_collisions_done(own) ||
      gpugeo_collisions_wait(own, NULL, &count, NULL, NULL) || count != want)
    return NO_LAUNCH;
  free(points);
  gpugeo_collisions_free(own);
  return GOOD;
}

/* A forked process has what was finished, not what is under way, and launches in its own thread. */
static void test_forked(void) {
  gpugeo_collisions_options o = options_for(GPUGEO_COLLISIONS_WHAT_COUNT, 0.1);
  finished = launch(1000, 5, &o);
  under_way = launch_endless();
  want = fetch(finished);
  /* With AddressSanitizer, memory of the parent's threads would look lost at a child's exit(). */
  const int ways = CHECK_ADDRESS ? 1 : 2;
  if (CHECK_ADDRESS) check_skip(1, "AddressSanitizer: a child's end by exit()");
  for (int leave = 0; leave < ways; ++leave) {
    const int status = run_forked(child, &o, leave);
    CHECK(status == GOOD || status == NO_FORK, "the child ended with status %d", status);
  }
  CHECK(!gpugeo_collisions_done(under_way), "the child has ended the parent's work");
  gpugeo_collisions_free(under_way);
  gpugeo_collisions_free(finished);
}

/* The process ends while work is under way and while more is waiting. */
static void test_end(const char *program) {
  const int status = run_program(program, "leave");
  CHECK(status == 7, "ended with %d", status);
}

static pthread_t main_thread;
static volatile sig_atomic_t signals, elsewhere;
static void take_signal(int number) {
  (void)number;
  ++signals;
  elsewhere |= !pthread_equal(pthread_self(), main_thread);
}

/* Signals to the process come to the thread that was there before. */
static void test_signals(void) {
  main_thread = pthread_self();
  gpugeo_collisions *future = launch_endless();
  signal(SIGINT, take_signal);
  if (send_interrupts(1000))
    CHECK(signals > 0 && !elsewhere, "%d signals, some to other threads: %d", (int)signals,
          (int)elsewhere);
  signal(SIGINT, SIG_DFL);
  gpugeo_collisions_free(future);
}

int main(int argc, char **argv) {
  if (argc > 1) { /* for test_end() */
    static gpugeo_collisions *kept[7];
    for (int k = 0; k < 7; ++k)
      kept[k] = launch_endless();
    return kept[6] && !gpugeo_collisions_done(kept[6]) ? 7 : 8;
  }
  test_many();
  test_questions();
  test_dropped();
  test_interrupted();
  test_failed();
  test_forked();
  test_signals();
  test_end(argv[0]);
  return check_end();
}

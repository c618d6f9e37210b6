/*
 * Progress, interrupts and forked processes. The hooks are asked at every poll and not by time, so
 * nothing here depends on how fast the machine is. With several threads only the calling one polls,
 * and how many polls it comes to is chance: problems grow until the hooks have been asked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/clock.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "system.h"
#include "temporary.h"
#include "witness.h"

/* A computation that can be made as long as one likes. */
typedef enum work {
  WORK_MINKOWSKI,
  WORK_SPEARMAN,
  WORK_PAIRWISE,
  WORK_NEAREST,
  WORK_RADIUS,
  WORK_TILE,
  WORK_FILE,
  WORKS
} work;

static const char *work_name(work what) {
  static const char *const names[] = {"minkowski", "spearman", "pairwise", "nearest",
                                      "radius",    "tile",     "file"};
  return names[what];
}

static const double untouched = -12345;

/* Points and coordinates. */
typedef struct extent {
  int64_t n, m;
} extent;

enum { NEAREST = 8 };

/* Neighbours: the nearest, whose distances go to out, or those at distance 0. */
static gpugeo_status find_neighbors(work what, const gpugeo_matrix *x, const gpugeo_run *hooks,
                                    double *out, gpugeo_error *error) {
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_MINKOWSKI;
  options.metric.p = 2.3;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.k = NEAREST;
  options.run = *hooks;
  if (what == WORK_NEAREST) {
    int32_t *index = malloc((size_t)(x->ncol * NEAREST) * sizeof *index);
    const gpugeo_status status = gpugeo_knn(x, NULL, &options, index, out, NULL, error);
    free(index);
    return status;
  }
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(x, NULL, &options, &found, NULL, error);
  if (status) return status;
  out[0] = found.distance ? 0 : untouched;
  gpugeo_neighbors_free(&found);
  return GPUGEO_OK;
}

/* The share of the tiles that a file lacks; 1 without one. */
static double share_missing(const char *path) {
  gpugeo_dist_file *file;
  gpugeo_dist_file_info info = {.tiles = 1};
  if (gpugeo_dist_file_open(path, NULL, &file, &info, NULL) == GPUGEO_OK)
    gpugeo_dist_file_close(file);
  return 1 - (double)info.tiles_done / (double)info.tiles;
}

/* All distances as one tile, or in a file, of which `out` has 1000 values for as much as is there.
 */
static gpugeo_status compute_tiles(work what, const gpugeo_matrix *x,
                                   const gpugeo_dist_options *options, double *out,
                                   gpugeo_error *error) {
  const gpugeo_point_source source = {.matrix = x};
  if (what == WORK_TILE) {
    gpugeo_tiles tiles;
    gpugeo_status status = gpugeo_tiles_plan(x->ncol, -1, x->nrow, x->ncol, 0, &tiles, error);
    return status ? status
                  : gpugeo_dist_tile(&source, NULL, options, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE,
                                     out, NULL, error);
  }
  char *folder = temporary_folder(), *path = temporary_path(folder, "d.h5");
  gpugeo_dist_file_options output;
  gpugeo_dist_file_options_init(&output, sizeof output);
  output.file = path;
  gpugeo_status status = gpugeo_dist_file_write(&source, options, &output, NULL, error);
  const double missing = share_missing(path);
  for (int i = 0; i < 1000; ++i)
    if (i >= 1000 * missing) out[i] = 0;
  temporary_remove(path);
  temporary_remove(folder);
  return status;
}

/* Values of a result. */
static int64_t result_size(work what, int64_t n) {
  switch (what) {
  case WORK_NEAREST:
    return n * NEAREST;
  case WORK_RADIUS:
    return 1;
  case WORK_FILE:
    return 1000;
  default:
    return n * n;
  }
}

/* What computes. */
typedef struct engine {
  gpugeo_backend backend;
  int32_t threads;
} engine;

/* Runs it with the hooks of w; *left is the share of the result that was not written. */
static gpugeo_status run(work what, engine with, extent size, witness *w, double *left,
                         gpugeo_error *error) {
  const int64_t n = size.n, m = size.m;
  double *points = data_points(what == WORK_PAIRWISE ? DATA_WHOLE : DATA_RANDOM, n, m, 1);
  gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  const int64_t count = result_size(what, n);
  double *out = malloc((size_t)count * sizeof *out);
  for (int64_t i = 0; i < count; ++i)
    out[i] = untouched;
  gpugeo_run hooks;
  gpugeo_run_init(&hooks, sizeof hooks);
  hooks.backend = with.backend;
  hooks.threads = with.threads;
  witness_watch(w, &hooks);
  gpugeo_status status;
  if (what == WORK_NEAREST || what == WORK_RADIUS) {
    status = find_neighbors(what, &x, &hooks, out, error);
  } else if (what == WORK_PAIRWISE) {
    gpugeo_cor_options options;
    gpugeo_cor_options_init(&options, sizeof options);
    options.method = GPUGEO_COR_METHOD_SPEARMAN;
    options.use = GPUGEO_COR_USE_PAIRWISE;
    options.run = hooks;
    status = gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
  } else {
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.metric.kind = what == WORK_SPEARMAN ? GPUGEO_METRIC_SPEARMAN : GPUGEO_METRIC_MINKOWSKI;
    options.metric.p = 2.3;
    options.points = GPUGEO_POINTS_COLUMNS;
    options.shape = GPUGEO_SHAPE_FULL;
    options.run = hooks;
    status = what == WORK_TILE || what == WORK_FILE
                 ? compute_tiles(what, &x, &options, out, error)
                 : gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
  }
  int64_t unwritten = 0;
  for (int64_t i = 0; i < count; ++i)
    unwritten += out[i] == untouched;
  *left = (double)unwritten / (double)count;
  free(points);
  free(out);
  free((void *)x.data);
  return status;
}

/* More points first, then more coordinates, so that the result does not fill the memory. */
static void grow(extent *size) {
  if (size->n < 8000)
    size->n *= 2;
  else
    size->m *= 2;
}

/* The extent with which the hooks are asked at least `calls` times. No points if there is none. */
static extent long_enough(work what, engine with, int calls) {
  const extent none = {0, 0};
  for (extent size = {120, 60}; size.m <= 60 * 64; grow(&size)) {
    witness w = {0};
    double left;
    gpugeo_error error = {0};
    gpugeo_status status = run(what, with, size, &w, &left, &error);
    if (!CHECK(!status, "%s: %s", work_name(what), error.message)) return none;
    CHECK(left == 0, "%s: a share of %g of the result was not written", work_name(what), left);
    CHECK(!w.backwards && !w.beyond, "%s: progress went backwards or left [0, 1]", work_name(what));
    CHECK(w.told == w.asked, "%s: progress was told %d times, interrupt asked %d times",
          work_name(what), w.told, w.asked);
    if (w.asked >= calls) return size;
  }
  return none;
}

/* Stops at the first question, in a problem that grows until there is one. */
static void test_stop(work what, engine with, extent size) {
  witness w = {0};
  double left = 0;
  gpugeo_error error = {0};
  gpugeo_status status = GPUGEO_OK;
  for (; !w.asked && size.m <= 60 * 64; grow(&size)) {
    w = (witness){.stop_at = 1};
    status = run(what, with, size, &w, &left, &error);
  }
  CHECK(status == GPUGEO_ERROR_INTERRUPT && error.code == GPUGEO_ERROR_INTERRUPT &&
            strcmp(error.message, "interrupted") == 0,
        "%s: an interrupt gives status %d, \"%s\"", work_name(what), status, error.message);
  CHECK(w.after == 0, "%s: %d calls of hooks after the interrupt", work_name(what), w.after);
  /* One thread polls before it computes anything. A device has whole chunks of the result under
     way. */
  if (with.backend == GPUGEO_BACKEND_CPU && with.threads == 1)
    CHECK(left > 0.2, "%s: at %g of the way the interrupt left only a share of %g undone",
          work_name(what), w.last, left);
}

static void test_work(work what, engine with) {
  if (what == WORK_FILE && !*gpugeo_hdf5_version()) {
    check_skip(1, "built without HDF5: hooks of files");
    return;
  }
  const extent size = long_enough(what, with, 5);
  if (!CHECK(size.n > 0, "%s: no problem is long enough for the hooks", work_name(what))) return;
  test_stop(what, with, size);
  witness again = {0};
  double left = 0;
  gpugeo_error error = {0};
  gpugeo_status status = run(what, with, (extent){100, 60}, &again, &left, &error);
  CHECK(!status && left == 0, "%s: after an interrupt, status %d, a share of %g not written",
        work_name(what), status, left);
}

/* The layout of a grid and of many small components. */
static gpugeo_status lay_out(int64_t side, int32_t threads, witness *w, gpugeo_error *error) {
  const int64_t grid = side * side, n = grid + 30 * side;
  int32_t *ends = malloc(sizeof *ends * (size_t)(6 * n));
  int64_t count = 0;
  for (int64_t v = 0; v < n; ++v) {
    if (v >= side && v < grid) ends[count++] = (int32_t)v, ends[count++] = (int32_t)(v - side);
    if (v < grid ? v % side : v % 20) ends[count++] = (int32_t)v, ends[count++] = (int32_t)(v - 1);
  }
  int32_t *edges = malloc(sizeof *edges * (size_t)count);
  for (int64_t i = 0; i < count; ++i)
    edges[i % 2 * (count / 2) + i / 2] = ends[i];
  const gpugeo_graph graph = {.vertices = n,
                              .edges = {edges, GPUGEO_TYPE_INT32, count / 2, 2, count / 2, NULL}};
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = threads;
  witness_watch(w, &options.run);
  double *at = malloc(sizeof *at * (size_t)(2 * n));
  gpugeo_layout_result result;
  gpugeo_status status = gpugeo_layout(&graph, &options, at, &result, NULL, error);
  free(ends);
  free(edges);
  free(at);
  return status;
}

static void test_layout(int32_t threads) {
  gpugeo_error error = {0};
  int64_t side = 10;
  for (witness w = {0}; w.asked < 5 && side < 500; side *= 2) {
    w = (witness){0};
    CHECK(!lay_out(side, threads, &w, &error), "%s", error.message);
    CHECK(w.told == w.asked && !w.backwards && !w.beyond,
          "layout: progress told %d times, interrupt asked %d times, last %g", w.told, w.asked,
          w.last);
  }
  witness w = {0};
  gpugeo_status status = GPUGEO_OK;
  for (side /= 2; !w.asked && side < 500; side *= 2) {
    w = (witness){.stop_at = 1};
    status = lay_out(side, threads, &w, &error);
  }
  CHECK(status == GPUGEO_ERROR_INTERRUPT && w.after == 0 &&
            strcmp(error.message, "interrupted") == 0,
        "layout: \"%s\", %d calls of hooks after the interrupt", error.message, w.after);
}

static const int64_t fork_points = 120, fork_coordinates = 30;

/* The distances that parent and child both compute. */
static bool compute(gpugeo_metric metric, double *out, gpugeo_report *report) {
  double *points = data_points(DATA_RANDOM, fork_points, fork_coordinates, 2);
  gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, fork_points, fork_coordinates, fork_points, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.run.threads = 4;
  options.run.backend = GPUGEO_BACKEND_CPU;
  gpugeo_status status = gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, report, NULL);
  free(points);
  return status == GPUGEO_OK;
}

enum { CHILD_GOOD = 0, CHILD_FAILED, CHILD_THREADS, CHILD_BITS, CHILD_DEFAULT, CHILD_CUDA };

/* What the parent has computed. */
typedef struct computed {
  gpugeo_metric metric;
  const double *values;
  size_t size;
} computed;

/* What a forked child finds; its exit status. */
static int child(void *data) {
  const computed *expected = data;
  double *out = malloc(expected->size);
  gpugeo_report report;
  int found = CHILD_GOOD;
  if (!compute(expected->metric, out, &report))
    found = CHILD_FAILED;
  else if (report.threads != 1)
    found = CHILD_THREADS;
  else if (memcmp(out, expected->values, expected->size) != 0)
    found = CHILD_BITS;
  else if (gpugeo_default_threads() != 1)
    found = CHILD_DEFAULT;
  else if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL) != GPUGEO_ERROR_BACKEND)
    found = CHILD_CUDA;
  free(out);
  return found;
}

/* A child of a process that has used gpugeo and CUDA (parallel::mclapply makes such) can't take the
   parent's threads nor its device: it computes with one thread, the same bits. */
static void test_fork(gpugeo_metric metric) {
  const size_t size = (size_t)(fork_points * (fork_points - 1) / 2) * sizeof(double);
  double *before = malloc(size), *after = malloc(size);
  gpugeo_report report;
  CHECK(compute(metric, before, &report), "the parent cannot compute");
  const int32_t threads = report.threads;
  (void)gpugeo_backend_available(GPUGEO_BACKEND_CUDA,
                                 NULL); /* from here on the parent has used CUDA */
  computed expected = {metric, before, size};
  const int status = run_forked(child, &expected, false);
  CHECK(
      status == CHILD_GOOD || status == NO_FORK,
      "%s: the child ended with status %d (1 failed, 2 threads, 3 bits, 4 default threads, 5 CUDA)",
      gpugeo_name(GPUGEO_ENUM_METRIC, metric), status);
  CHECK(compute(metric, after, &report) && report.threads == threads,
        "after the fork the parent has %d threads, before %d", report.threads, threads);
  CHECK(memcmp(before, after, size) == 0, "the parent's bits changed with a fork");
  free(before);
  free(after);
}

/* What is told when a computation looks several times, or says too much. */
static void test_fractions(void) {
  const double said[] = {0.5, 0.2, 0.7, 2, 0}, told[] = {0.5, 0.5, 0.7, 1, 1};
  witness w = {0};
  gpugeo_run settings;
  gpugeo_run_init(&settings, sizeof settings);
  witness_watch(&w, &settings);
  gg_clock clock;
  gg_clock_start(&clock, &settings);
  for (int i = 0; i < 5; ++i) {
    clock.next = 0;
    gg_clock_poll(&clock, said[i]);
    CHECK(w.told == i + 1 && w.last == told[i], "%g told as %g", said[i], w.last);
  }
}

/* By time, the hooks are asked when the time has come and then not before 0.1 s later. */
static void test_time(void) {
  witness w = {0};
  gpugeo_run settings;
  gpugeo_run_init(&settings, sizeof settings);
  witness_watch(&w, &settings);
  gg_clock clock;
  gg_clock_start(&clock, &settings);
  CHECK(clock.next == clock.start + 0.1, "asks first after %g s", clock.next - clock.start);
  clock.next = clock.start + 1e9;
  CHECK(!gg_clock_poll(&clock, 0) && w.asked == 0, "asked before its time");
  clock.next = clock.start;
  CHECK(!gg_clock_poll(&clock, 0) && w.asked == 1, "not asked at its time");
  CHECK(clock.next >= clock.start + 0.1 && clock.next <= gg_now() + 0.1, "asks next after %g s",
        clock.next - clock.start);
}

/* Polls until the hooks have been asked three times. */
static int polls_for_three(void) {
  witness w = {0};
  gpugeo_run settings;
  gpugeo_run_init(&settings, sizeof settings);
  witness_watch(&w, &settings);
  gg_clock clock;
  gg_clock_start(&clock, &settings);
  int polls = 0;
  while (w.asked < 3 && polls < 100) {
    ++polls;
    gg_clock_poll(&clock, 0);
  }
  return polls;
}

static void test_polls(void) {
  set_variable("GPUGEO_TEST_POLLS", "5");
  CHECK(polls_for_three() == 15, "GPUGEO_TEST_POLLS=5");
  gg_clock_set_polls(2);
  CHECK(polls_for_three() == 6, "every second poll");
  gg_clock_set_polls(0);
  CHECK(polls_for_three() == 15, "GPUGEO_TEST_POLLS=5 again");
  set_variable("GPUGEO_TEST_POLLS", NULL);
}

/* A search of hours is asked by time. */
static void test_endless(void) {
  witness w = {.stop_at = 1};
  double left;
  gpugeo_error error = {0};
  const gpugeo_status status =
      run(WORK_NEAREST, (engine){GPUGEO_BACKEND_CPU, 2}, (extent){400000, 60}, &w, &left, &error);
  CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == 1, "status %d, asked %d times", status,
        w.asked);
}

static void test_hooks(gpugeo_backend backend) {
  gg_clock_set_polls(1);
  for (int32_t threads = 1; threads <= 2; ++threads) {
    for (int what = 0; what < WORKS; ++what)
      test_work((work)what, (engine){backend, threads});
    if (backend == GPUGEO_BACKEND_CPU) test_layout(threads);
  }
  gg_clock_set_polls(0);
}

int main(void) {
  test_fractions();
  test_time();
  test_polls();
  test_endless();
  test_hooks(GPUGEO_BACKEND_CPU);
  test_fork(GPUGEO_METRIC_EUCLIDEAN);
  test_fork(GPUGEO_METRIC_SPEARMAN);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK) {
    test_hooks(GPUGEO_BACKEND_CUDA);
    test_fork(GPUGEO_METRIC_EUCLIDEAN);
  } else {
    check_skip(1, "CUDA: not present (%s), its hooks are not asked", error.message);
  }
  return check_end();
}

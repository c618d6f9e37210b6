/*
 * Limits of the process: memory that runs out (setrlimit), limits of control groups (forged trees
 * of files), and numbers of threads.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "common/cgroup.h"
#include "common/memory.h"
#include "common/test_hooks.h"
#include "families.h"
#include "system.h"
#include "temporary.h"

/* --- Memory that runs out --------------------------------------------------------------------- */

/* Exit codes of a child. */
enum { RIGHT = 10, NO_MEMORY = 11, WRONG = 12, NOT_AFTERWARDS = 13 };

/* Bytes of address space that this process has. */
static long address_space(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

/* Grows the stack, which the limit would keep from growing later. */
__attribute__((noinline)) static void touch_stack(void) {
  volatile char room[1 << 20];
  for (size_t i = 0; i < sizeof room; i += 4096)
    room[i] = 1;
}

static void limit_to(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_AS, &limit);
}

typedef struct block {
  struct block *next;
} block;

/* Allocates all that fits below the limit, in blocks of 1 MiB and less, as the heap may have free
   memory that would be enough for a call. */
static block *fill_heap(void) {
  block *all = NULL, *made;
  for (size_t size = 1 << 20; size >= sizeof *made; size /= 2)
    while ((made = malloc(size))) {
      made->next = all;
      all = made;
    }
  return all;
}

static void free_blocks(block *all) {
  while (all) {
    block *next = all->next;
    free(all);
    all = next;
  }
}

/* The child: the call with `more` bytes than it has, then without a limit. */
static int child(const family *f, int64_t n, int32_t threads, long more) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  run.threads = threads;
  uint64_t hash = 0, again = 1;
  gpugeo_error error = {0};
  touch_stack();
  struct rlimit before;
  getrlimit(RLIMIT_AS, &before);
  const long size = address_space();
  limit_to((rlim_t)size);
  block *filled = fill_heap();
  limit_to((rlim_t)(size + more));
  const gpugeo_status status = f->call(n, &run, &hash, &error);
  limit_to(before.rlim_cur);
  free_blocks(filled);
  if (status && status != GPUGEO_ERROR_MEMORY) {
    fprintf(stderr, "%s, %ld KiB more, %d threads: status %d, %s\n", f->name, more >> 10, threads,
            status, error.message);
    return WRONG;
  }
  if (f->call(n, &run, &again, &error) || (!status && hash != again)) return NOT_AFTERWARDS;
  return status ? NO_MEMORY : RIGHT;
}

/* What a child with a limit comes to: an exit code, or minus the signal that ended it. */
static int in_child(const family *f, int64_t n, int32_t threads, long more) {
  fflush(NULL);
  const pid_t process = fork();
  if (process == 0) _exit(child(f, n, threads, more));
  int state = 0;
  while (waitpid(process, &state, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

/* From nothing more than the process has to what is enough: each call succeeds or fails with the
   memory error, and the same process then computes the right result. The parent never makes the
   context, so that children are as new processes. */
static void test_family(const family *f, int64_t n, int32_t threads) {
  int failed = 0, succeeded = 0;
  for (long more = 0; more <= 256L << 20; more = more ? more * 4 : 16 << 10) {
    const int outcome = in_child(f, n, threads, more);
    CHECK(outcome == RIGHT || outcome == NO_MEMORY, "%s with %ld KiB more on %d threads: %d",
          f->name, more >> 10, threads, outcome);
    failed += outcome == NO_MEMORY;
    succeeded += outcome == RIGHT;
    if (succeeded) break;
  }
  CHECK(succeeded > 0, "%s never succeeded on %d threads, %d failures", f->name, threads, failed);
  CHECK(failed > 0, "%s never failed on %d threads", f->name, threads);
}

static void test_memory(void) {
  if (CHECK_ADDRESS || CHECK_SMALL) {
    check_skip(2 * family_count, "sanitizers reserve more address space than a limit leaves");
    return;
  }
  for (int32_t threads = 1; threads >= 0; --threads)
    for (int f = 0; f < family_count; ++f)
      test_family(&families[f], 256, threads);
}

/* --- Control groups --------------------------------------------------------------------------- */

static char *made[64];
static int made_count;

static char *keep(char *path) { return made[made_count++] = path; }

/* Makes a folder below `root`, whose parents are there. */
static void folder(const char *root, const char *path) {
  char *full = keep(temporary_path(root, path));
  if (mkdir(full, 0700)) CHECK(errno == EEXIST, "%s: %s", full, strerror(errno));
}

static void file(const char *root, const char *path, const char *text) {
  char *full = keep(temporary_path(root, path));
  temporary_write(full, text);
}

/* Removes all that was made, the last first. */
static void clean(void) {
  gg_set_cgroup_root(NULL);
  while (made_count > 0)
    temporary_remove(made[--made_count]);
}

static char *new_root(const char *cgroup, const char *mountinfo) {
  char *root = keep(temporary_folder());
  folder(root, "proc");
  folder(root, "proc/self");
  file(root, "proc/self/cgroup", cgroup);
  file(root, "proc/self/mountinfo", mountinfo);
  folder(root, "sys");
  folder(root, "sys/fs");
  folder(root, "sys/fs/cgroup");
  return root;
}

static void expect(const char *what, const char *root, double memory, int32_t processors) {
  gg_set_cgroup_root(root);
  CHECK(gg_cgroup_memory() == memory, "%s: %g bytes, not %g", what, gg_cgroup_memory(), memory);
  CHECK(gg_cgroup_processors() == processors, "%s: %d processors, not %d", what,
        gg_cgroup_processors(), processors);
  clean();
}

#define VERSION2 "35 23 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

/* The smallest limit of a group and its parents, of memory.max and memory.high. */
static void test_version2(void) {
  char *root = new_root("0::/a/b\n", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" VERSION2);
  folder(root, "sys/fs/cgroup/a");
  folder(root, "sys/fs/cgroup/a/b");
  file(root, "sys/fs/cgroup/memory.max", "max\n");
  file(root, "sys/fs/cgroup/a/memory.max", "8589934592\n");
  file(root, "sys/fs/cgroup/a/memory.high", "4294967296\n");
  file(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
  file(root, "sys/fs/cgroup/a/b/memory.high", "max\n");
  file(root, "sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  file(root, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  expect("version 2", root, 4294967296.0, 2);

  root = new_root("0::/\n", VERSION2); /* a container with a name space of its own */
  file(root, "sys/fs/cgroup/memory.max", "1073741824\n");
  file(root, "sys/fs/cgroup/cpu.max", "5000 100000\n");
  expect("the root of a name space", root, 1073741824.0, 1);

  root = new_root("0::/../other\n", VERSION2);
  file(root, "sys/fs/cgroup/memory.max", "2147483648\n");
  expect("a group outside the name space", root, 2147483648.0, 0);
}

/* Each controller has a hierarchy of its own; docker shows a group of the host as the root. */
static void test_version1(void) {
  char *root =
      new_root("5:cpu,cpuacct:/job\n4:memory:/docker/x/inner\n1:name=systemd:/\n",
               "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
               "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
               "33 31 0:30 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  folder(root, "sys/fs/cgroup/cpu,cpuacct");
  folder(root, "sys/fs/cgroup/cpu,cpuacct/job");
  folder(root, "sys/fs/cgroup/memory");
  folder(root, "sys/fs/cgroup/memory/inner");
  file(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n");
  file(root, "sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "9223372036854771712\n");
  file(root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  file(root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  file(root, "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  file(root, "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  expect("version 1", root, 3221225472.0, 3);
}

static void test_no_groups(void) {
  expect("nothing at all", keep(temporary_folder()), INFINITY, 0);
  expect("no hierarchy", new_root("0::/a\n", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), INFINITY, 0);
  char *root = new_root("0::/a\n", VERSION2);
  file(root, "sys/fs/cgroup/memory.max", "much\n");
  file(root, "sys/fs/cgroup/cpu.max", "0 0\n");
  expect("files of another form", root, INFINITY, 0);
  expect("lines of another form", new_root("\n:\nx:y\n0:", "\n - \n1 2 3 - cgroup2\n"), INFINITY,
         0);
}

/* Limits that cannot be read, because the process may open no more files, are read by a later call.
 */
static void test_no_handles(void) {
  char *root = new_root("0::/\n", VERSION2);
  file(root, "sys/fs/cgroup/memory.max", "1073741824\n");
  gg_set_cgroup_root(root);
  struct rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest = dup(STDOUT_FILENO); /* the number of the next file */
  close(lowest);
  for (int files = 0; files < 2; ++files) {
    const struct rlimit limit = {(rlim_t)(lowest + files), before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
    const double memory = gg_cgroup_memory();
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(memory == INFINITY, "%d files: %g bytes", files, memory);
  }
  CHECK(gg_cgroup_memory() == 1073741824.0, "%g bytes", gg_cgroup_memory());
  clean();
}

/* Results are held against the group's limit, with working memory, and threads against its quota.
 */
static void test_effect(void) {
  set_variable("GPUGEO_MEMORY", NULL);
  set_variable("GPUGEO_THREADS", NULL);
  set_variable("OMP_NUM_THREADS", NULL);
  char *root = new_root("0::/\n", VERSION2);
  file(root, "sys/fs/cgroup/memory.max", "8000000\n");
  file(root, "sys/fs/cgroup/cpu.max", "100000 100000\n");
  gg_set_cgroup_root(root);
  double x[1500] = {0};
  gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, 1400, 1, 1400, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_error error = {0};
  int64_t size = 0;
  /* 8 * 1400 * 1399 / 2 bytes are 7,834,400, and 8 * 1400 more are worked on: 7,845,600. */
  CHECK(gpugeo_dist_size(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, &size, &error) == GPUGEO_OK,
        "%s", error.message);
  view.nrow = view.ld = 1414; /* 7,992,... and 11,312 bytes */
  CHECK(gpugeo_dist_size(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, &size, &error) ==
                GPUGEO_ERROR_MEMORY &&
            strcmp(error.message,
                   "the result (998991 values) and working memory need 0.0 GiB, more than the "
                   "0.0 GiB of memory that the control group of this process allows") == 0,
        "%s", error.message);
  CHECK(gpugeo_default_threads() == 1, "%d threads", gpugeo_default_threads());
  set_variable("GPUGEO_MEMORY", "1");
  CHECK(gg_machine_memory() == 1073741824.0, "%g bytes", gg_machine_memory());
  set_variable("GPUGEO_MEMORY", NULL);
  clean();
  CHECK(gg_machine_memory() > 1e8 && isfinite(gg_machine_memory()), "%g", gg_machine_memory());
}

/* RLIMIT_AS is far above what is in use, so that nothing fails by itself. */
static void test_resource_limit(void) {
  struct rlimit before, limit;
  getrlimit(RLIMIT_DATA, &before);
  limit = before;
  limit.rlim_cur = (rlim_t)1 << 28;
  if (setrlimit(RLIMIT_DATA, &limit)) {
    check_skip(1, "RLIMIT_DATA cannot be set");
    return;
  }
  const double memory = gg_machine_memory();
  setrlimit(RLIMIT_DATA, &before);
  CHECK(memory <= 268435456.0, "%g bytes", memory);
}

/* --- Graphs with a vertex of a large number --------------------------------------------------- */

static void test_vertices(void) {
  set_variable("GPUGEO_MEMORY", "20");
  const int32_t ends[] = {0, 999999999, 1, 2};
  const gpugeo_graph graph = {.vertices = 1000000000,
                              .edges = {ends, GPUGEO_TYPE_INT32, 2, 2, 2, NULL}};
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  gpugeo_error error = {0};
  int64_t size = 0;
  CHECK(gpugeo_layout_size(&graph, &options, &size, &error) == GPUGEO_ERROR_MEMORY &&
            strcmp(error.argument, "edges") == 0 &&
            strncmp(error.message, "the layout of 1000000000 vertices and 2 edges needs 44.7 GiB",
                    60) == 0,
        "%s", error.message);
  const gpugeo_dgp_edge edge = {0, 999999999, 1, 1};
  gpugeo_dgp_graph_options graph_options;
  gpugeo_dgp_graph_options_init(&graph_options, sizeof graph_options);
  graph_options.max_solutions = 0;
  CHECK(gpugeo_dgp_graph_size(1000000000, &edge, 1, &graph_options, &size, &error) ==
            GPUGEO_ERROR_MEMORY,
        "%s", error.message);
  set_variable("GPUGEO_MEMORY", NULL);
}

/* --- The memory limit of a call on a graph ---------------------------------------------------- */

enum { PATH = 10000 };

static void check_limit(gpugeo_status status, const gpugeo_error *error, const char *message) {
  CHECK(status == GPUGEO_ERROR_MEMORY && strcmp(error->argument, "memory_limit") == 0 &&
            strcmp(error->message, message) == 0,
        "status %d, \"%s\", expected \"%s\"", status, error->message, message);
}

static void test_dgp_graph_limit(void) {
  gpugeo_dgp_edge edges[PATH];
  for (int64_t i = 0; i < PATH; ++i)
    edges[i] = (gpugeo_dgp_edge){i, i + 1, 1, 1};
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.max_solutions = 0;
  gpugeo_dgp_graph_result result;
  gpugeo_error error = {0};
  options.run.work_bytes = 1 << 20;
  check_limit(gpugeo_dgp_graph(PATH, edges, PATH - 1, &options, &result, NULL, NULL, NULL, &error),
              &error,
              "memory_limit must be at least 2739750 bytes for a graph of 10000 vertices and 9999 "
              "edges, not 1048576");
  options.run.work_bytes = 2739750;
  CHECK(gpugeo_dgp_graph(PATH, edges, PATH - 1, &options, &result, NULL, NULL, NULL, &error) ==
            GPUGEO_OK,
        "%s", error.message);
  /* A cycle is a block, of which all distances are in memory. */
  edges[299] = (gpugeo_dgp_edge){299, 0, 1, 2};
  options.run.work_bytes = 1 << 20;
  check_limit(gpugeo_dgp_graph(300, edges, 300, &options, &result, NULL, NULL, NULL, &error),
              &error,
              "memory_limit must be at least 1440000 bytes for a block of 300 vertices, not "
              "1048576");
}

static void test_layout_quality_limit(void) {
  static int32_t ends[2 * (PATH - 1)];
  static double positions[2 * PATH];
  for (int32_t i = 0; i < PATH - 1; ++i) {
    ends[i] = i;
    ends[i + PATH - 1] = i + 1;
  }
  for (int i = 0; i < PATH; ++i)
    positions[i] = i;
  const gpugeo_graph graph = {.vertices = PATH,
                              .edges = {ends, GPUGEO_TYPE_INT32, PATH - 1, 2, PATH - 1, NULL}};
  const gpugeo_matrix layout = {positions, GPUGEO_TYPE_DOUBLE, PATH, 2, PATH, NULL};
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  options.pivots = 1;
  options.crossings = 0;
  options.run.work_bytes = 1 << 20;
  gpugeo_layout_quality_result quality;
  gpugeo_error error = {0};
  check_limit(gpugeo_layout_quality(&graph, &layout, &options, &quality, NULL, &error), &error,
              "memory_limit must be at least 1339948 bytes for a layout of 10000 vertices and 9999 "
              "edges, not 1048576");
  options.run.work_bytes = 1339948;
  CHECK(gpugeo_layout_quality(&graph, &layout, &options, &quality, NULL, &error) == GPUGEO_OK, "%s",
        error.message);
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void test_threads(void) {
  static const int32_t wrong[] = {-1, 1025, 1000000, INT32_MAX};
  gpugeo_error error = {0};
  uint64_t hash;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  for (int i = 0; i < 4; ++i)
    for (int f = 0; f < family_count; ++f) {
      char message[128];
      run.threads = wrong[i];
      snprintf(message, sizeof message, "threads must be a whole number between 1 and 1024, not %d",
               wrong[i]);
      error = (gpugeo_error){0};
      CHECK(families[f].call(64, &run, &hash, &error) == GPUGEO_ERROR_ARGUMENT &&
                strcmp(error.argument, "threads") == 0 && strcmp(error.message, message) == 0,
            "%s: %s", families[f].name, error.message);
    }
  run.threads = GPUGEO_THREADS_MAX;
  CHECK(!families[0].call(64, &run, &hash, &error), "%s", error.message);
}

static void test_variable(void) {
  static const char *const wrong[] = {"100000", "1025", "0",   "-3",
                                      "many",   "2 ",   "1e3", "99999999999999999999"};
  gpugeo_error error = {0};
  uint64_t hash;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  for (int i = 0; i < 8; ++i) {
    char message[128];
    set_variable("GPUGEO_THREADS", wrong[i]);
    snprintf(message, sizeof message,
             "GPUGEO_THREADS must be a whole number between 1 and 1024, not \"%s\"", wrong[i]);
    for (int f = 0; f < family_count; ++f) {
      error = (gpugeo_error){0};
      CHECK(families[f].call(64, &run, &hash, &error) == GPUGEO_ERROR_ARGUMENT &&
                strcmp(error.message, message) == 0,
            "%s: %s", families[f].name, error.message);
    }
    const int32_t threads = gpugeo_default_threads();
    CHECK(threads >= 1 && threads <= GPUGEO_THREADS_MAX, "%d threads", threads);
    run.threads = 1;
    CHECK(!families[0].call(64, &run, &hash, &error), "%s", error.message);
    run.threads = 0;
  }
  set_variable("GPUGEO_THREADS", "");
  CHECK(!families[0].call(64, &run, &hash, &error), "%s", error.message);
  set_variable("GPUGEO_THREADS", NULL);
  set_variable("OMP_NUM_THREADS", "1000000");
  CHECK(gpugeo_default_threads() == GPUGEO_THREADS_MAX, "%d threads", gpugeo_default_threads());
  set_variable("OMP_NUM_THREADS", NULL);
}

int main(void) {
  test_memory(); /* first: children are made from a process that has not used gpugeo */
  test_version2();
  test_version1();
  test_no_groups();
  test_no_handles();
  test_effect();
  test_resource_limit();
  test_vertices();
  test_dgp_graph_limit();
  test_layout_quality_limit();
  test_threads();
  test_variable();
  return check_end();
}

/*
 * Distances in a file: the values, calls that are cut short at every point and go on, full disks,
 * and files that are something else.
 *
 * Linked with -Wl,--wrap=pwrite,--wrap=fdatasync,--wrap=fallocate: what the core asks of the disk
 * comes here, and what the HDF5 library does, does not.
 */
#define _GNU_SOURCE /* O_DIRECT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "temporary.h"

ssize_t __real_pwrite(int handle, const void *from, size_t count, off_t place);
int __real_fdatasync(int handle);
int __real_fallocate(int handle, int mode, off_t place, off_t bytes);

/* Several of the core's threads may write at a time. */
static atomic_long writes;
static long fails_at; /* 0: never; from then on all fail */
static bool kills;    /* the process, instead of failing */

static bool refused(void) {
  if (++writes < fails_at || fails_at == 0) return false;
  if (kills) raise(SIGKILL);
  errno = ENOSPC;
  return true;
}

/* Writes past the page cache, and how the disk takes them. */
static atomic_long direct_writes;
static enum { IN_PAGES, IN_BYTES, NOT_AT_ALL } takes_direct;

static bool is_direct(int handle) {
#if defined(O_DIRECT)
  return fcntl(handle, F_GETFL) & O_DIRECT;
#else
  return handle < 0;
#endif
}

/* A disk may take a part only. */
static size_t part_of(size_t count, size_t page) {
  return count > 100 && count > page ? (count / 2 + page - 1) / page * page : count;
}

ssize_t __wrap_pwrite(int handle, const void *from, size_t count, off_t place) {
  if (refused()) return -1;
  const bool direct = is_direct(handle);
  if (direct && takes_direct == NOT_AT_ALL) {
    errno = EINVAL;
    return -1;
  }
  direct_writes += direct;
  return __real_pwrite(handle, from, part_of(count, direct && takes_direct == IN_PAGES ? 4096 : 1),
                       place);
}

int __wrap_fdatasync(int handle) { return refused() ? -1 : __real_fdatasync(handle); }

static int no_room; /* what taking room says; 0: what the system does */

/* Where there is no room, half of it is taken before that is known. */
int __wrap_fallocate(int handle, int mode, off_t place, off_t bytes) {
  if (!no_room || mode != 0) return __real_fallocate(handle, mode, place, bytes);
  if (no_room == ENOSPC) (void)__real_fallocate(handle, mode, place, bytes / 2);
  errno = no_room;
  return -1;
}

static char *folder;

static const char *in_folder(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* --- a call ----------------------------------------------------------------------------------- */

typedef struct setting {
  int64_t n, m, side, memory;
  gpugeo_metric metric;
  gpugeo_shape shape;
  gpugeo_type type;
  data_kind kind;
  int32_t threads;
} setting;

static const setting usual = {.n = 23, .m = 5, .side = 6, .kind = DATA_RANDOM, .threads = 2};

static void name_of(const setting *s, char *name, size_t size) {
  snprintf(name, size, "%s, %s, n %lld, side %lld, shape %d, type %d",
           gpugeo_name(GPUGEO_ENUM_METRIC, s->metric), data_name(s->kind), (long long)s->n,
           (long long)s->side, (int)s->shape, (int)s->type);
}

static gpugeo_matrix make_points(const setting *s) {
  double *points = data_points(s->kind, s->n, s->m, 3);
  gpugeo_matrix x = data_matrix(points, s->n, s->m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  free(points);
  return x;
}

static gpugeo_dist_options make_options(const setting *s) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = s->metric;
  options.metric.p = 1.5;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = s->threads;
  options.run.work_bytes = s->memory;
  return options;
}

static gpugeo_status write_file(const setting *s, const char *file, gpugeo_error *error) {
  const gpugeo_matrix x = make_points(s);
  const gpugeo_point_source source = {.matrix = &x};
  const gpugeo_dist_options options = make_options(s);
  gpugeo_dist_file_options output;
  gpugeo_dist_file_options_init(&output, sizeof output);
  output.file = file;
  output.shape = s->shape;
  output.type = s->type;
  output.side = s->side;
  gpugeo_status status = gpugeo_dist_file_write(&source, &options, &output, NULL, error);
  free((void *)x.data);
  return status;
}

/* Values of the file that are not those of the matrix in memory; the diagonal of a condensed file
   is 0. */
static int64_t compare(const setting *s, const double *values) {
  const gpugeo_matrix x = make_points(s);
  gpugeo_dist_options options = make_options(s);
  options.shape = GPUGEO_SHAPE_FULL;
  double *whole = malloc((size_t)(s->n * s->n + 1) * sizeof *whole);
  gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, whole, NULL, NULL);
  int64_t different = 0;
  for (int64_t j = 0; j < s->n; ++j)
    for (int64_t i = 0; i < s->n; ++i) {
      double want = whole[i + j * s->n];
      if (i == j && s->shape == GPUGEO_SHAPE_CONDENSED) want = 0;
      if (isnan(want)) want = -7;
      if (s->type == GPUGEO_TYPE_FLOAT) want = (double)(float)want;
      different += values[i + j * s->n] != want;
    }
  free(whole);
  free((void *)x.data);
  return different;
}

/* Reads all of a file and compares it. */
static void check_file(const setting *s, const char *file) {
  char name[200];
  name_of(s, name, sizeof name);
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_dist_file_open(file, NULL, &opened, &info, &error);
  if (!CHECK(!status, "%s: %s", name, error.message)) return;
  CHECK(info.points == s->n && info.shape == s->shape && info.type == s->type &&
            info.tiles == info.tiles_done && !info.labels &&
            strcmp(info.metric, gpugeo_name(GPUGEO_ENUM_METRIC, s->metric)) == 0,
        "%s: the file says another thing of itself", name);
  int64_t *all = malloc((size_t)(s->n + 1) * sizeof *all);
  double *values = malloc((size_t)(s->n * s->n + 1) * sizeof *values);
  for (int64_t i = 0; i < s->n; ++i)
    all[i] = i;
  status = gpugeo_dist_file_read(opened, all, s->n, all, s->n, -7, values, &error);
  if (CHECK(!status, "%s: %s", name, error.message)) {
    const int64_t different = compare(s, values);
    CHECK(different == 0, "%s: %lld values differ", name, (long long)different);
  }
  gpugeo_dist_file_close(opened);
  free(values);
  free(all);
}

static void write_and_check(const setting *s) {
  char name[200];
  name_of(s, name, sizeof name);
  const char *file = in_folder("all.h5");
  gpugeo_error error = {0};
  CHECK(write_file(s, file, &error) == GPUGEO_OK, "%s: %s", name, error.message);
  check_file(s, file);
  const long before = writes;
  CHECK(write_file(s, file, &error) == GPUGEO_OK && writes == before,
        "%s: a file that is complete is written again", name);
  remove(file);
}

static void test_values(void) {
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric)
    for (int choice = 0; choice < 4; ++choice) {
      setting s = usual;
      s.metric = (gpugeo_metric)metric;
      s.shape = (gpugeo_shape)(choice % 2);
      s.type = (gpugeo_type)(choice / 2);
      s.kind = metric == GPUGEO_METRIC_MAHALANOBIS || metric == GPUGEO_METRIC_SEUCLIDEAN
                   ? DATA_RANDOM
                   : DATA_MISSING;
      write_and_check(&s);
    }
  const int64_t sizes[][2] = {{0, 3},  {1, 3},     {2, 1},   {7, 7},
                              {12, 4}, {300, 256}, {600, 0}, {700, 300}};
  for (int size = 0; size < 8; ++size)
    for (int choice = 0; choice < 4; ++choice) {
      setting s = usual;
      s.n = sizes[size][0];
      s.side = sizes[size][1];
      s.shape = (gpugeo_shape)(choice % 2);
      s.type = (gpugeo_type)(choice / 2);
      write_and_check(&s);
    }
}

/* True if files in the folder can be written past the page cache. */
static bool folder_takes_direct(void) {
  bool takes = false;
#if defined(O_DIRECT)
  const char *file = in_folder("direct");
  const int handle = open(file, O_WRONLY | O_CREAT | O_DIRECT, 0600);
  takes = handle >= 0;
  if (takes) close(handle);
  remove(file);
#endif
  return takes;
}

/* Whole columns, and lines of chunks, that are long enough to be written past the page cache; with
   little memory, parts of them, which are not. */
static void test_long_runs(void) {
  const bool can = folder_takes_direct();
  if (!can) check_skip(1, "%s takes no writes past the page cache", folder);
  for (int choice = 0; choice < 16; ++choice) {
    setting s = usual;
    s.n = choice % 2 ? 1203 : 1300;
    s.side = 0;
    s.type = (gpugeo_type)(choice / 2 % 2);
    s.shape = choice / 4 % 2 ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
    s.memory = choice < 8 ? 0 : 1 << 20;
    for (int how = IN_PAGES; how <= (s.memory ? IN_PAGES : NOT_AT_ALL); ++how) {
      takes_direct = how;
      direct_writes = 0;
      write_and_check(&s);
      const bool wanted = can && !s.memory && how != NOT_AT_ALL;
      CHECK((direct_writes > 0) == wanted, "shape %d, type %d, memory %lld: %ld past the cache",
            (int)s.shape, (int)s.type, (long long)s.memory, (long)direct_writes);
    }
  }
  takes_direct = IN_PAGES;
}

/* Rows and columns in any order, some twice. */
static void test_slices(gpugeo_shape shape) {
  setting s = usual;
  s.shape = shape;
  const char *file = in_folder("slices.h5");
  write_file(&s, file, NULL);
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  gpugeo_error error = {0};
  if (!CHECK(!gpugeo_dist_file_open(file, "", &opened, &info, &error), "%s", error.message)) return;
  const gpugeo_matrix x = make_points(&s);
  gpugeo_dist_options options = make_options(&s);
  options.shape = GPUGEO_SHAPE_FULL;
  double whole[23 * 23], slice[40 * 40];
  gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, whole, NULL, NULL);
  dice d = {5};
  for (int trial = 0; trial < 200; ++trial) {
    int64_t rows[40] = {0}, columns[40] = {0};
    const int64_t row_count = dice_whole(&d, 40), column_count = dice_whole(&d, 40);
    for (int64_t i = 0; i < 40; ++i) {
      rows[i] = i && dice_whole(&d, 3) && rows[i - 1] < 22 ? rows[i - 1] + 1 : dice_whole(&d, 22);
      columns[i] =
          i && dice_whole(&d, 3) && columns[i - 1] < 22 ? columns[i - 1] + 1 : dice_whole(&d, 22);
    }
    CHECK(
        !gpugeo_dist_file_read(opened, rows, row_count, columns, column_count, NAN, slice, &error),
        "%s", error.message);
    int64_t different = 0;
    for (int64_t j = 0; j < column_count; ++j)
      for (int64_t i = 0; i < row_count; ++i)
        different += slice[i + j * row_count] != whole[rows[i] + columns[j] * 23];
    CHECK(different == 0, "%lld x %lld, shape %d: %lld values differ", (long long)row_count,
          (long long)column_count, (int)shape, (long long)different);
  }
  const int64_t wrong[] = {3, 23};
  CHECK(gpugeo_dist_file_read(opened, wrong, 2, wrong, 1, NAN, slice, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "row must be between 0 and 22 (the points there are), not 23") ==
                0,
        "%s", error.message);
  gpugeo_dist_file_close(opened);
  free((void *)x.data);
  remove(file);
}

static void test_labels(void) {
  const char *labels[23];
  char text[23][24];
  for (int i = 0; i < 23; ++i) {
    snprintf(text[i], sizeof text[i], "point %d", i);
    labels[i] = i == 7 ? "" : i == 8 ? "\xc3\xa4" : text[i];
  }
  const gpugeo_matrix x = make_points(&usual);
  const gpugeo_point_source source = {.matrix = &x};
  const gpugeo_dist_options options = make_options(&usual);
  gpugeo_dist_file_options output;
  gpugeo_dist_file_options_init(&output, sizeof output);
  output.file = in_folder("labels.h5");
  output.name = "group/distances";
  output.labels = labels;
  output.labels_length = 22;
  gpugeo_error error = {0};
  CHECK(gpugeo_dist_file_write(&source, &options, &output, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "labels must be one for each of the 23 points, not 22") == 0,
        "%s", error.message);
  output.labels_length = 23;
  CHECK(!gpugeo_dist_file_write(&source, &options, &output, NULL, &error), "%s", error.message);
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  if (CHECK(!gpugeo_dist_file_open(output.file, output.name, &opened, &info, &error), "%s",
            error.message)) {
    CHECK(info.labels && strcmp(info.name, "group/distances") == 0, "%s", info.name);
    for (int i = 0; i < 23; ++i)
      CHECK(strcmp(gpugeo_dist_file_label(opened, i), labels[i]) == 0, "label %d", i);
    CHECK(!gpugeo_dist_file_label(opened, 23) && !gpugeo_dist_file_label(opened, -1), "no label");
  }
  gpugeo_dist_file_close(opened);
  remove(output.file);
  free((void *)x.data);
}

/* --- calls that are cut short ----------------------------------------------------------------- */

static int64_t tiles_done(const char *file) {
  gpugeo_dist_file *opened;
  gpugeo_dist_file_info info = {.tiles_done = -1};
  if (gpugeo_dist_file_open(file, NULL, &opened, &info, NULL) == GPUGEO_OK)
    gpugeo_dist_file_close(opened);
  return info.tiles_done;
}

/* Writes that a whole call takes. */
static long count_writes(const setting *s) {
  const char *file = in_folder("count.h5");
  writes = 0;
  write_file(s, file, NULL);
  remove(file);
  return writes;
}

/* The disk is full from the n-th write on, for about `tries` n; then there is room again. */
static void test_full_disk(const setting *s, int tries) {
  char name[200];
  name_of(s, name, sizeof name);
  const long all = count_writes(s);
  CHECK(all > 20, "%s: %ld writes", name, all);
  int64_t most = 0;
  const long step = 1 + all / tries; /* the last one is `all` */
  for (long n = 1 + (all - 1) % step; n <= all; n += step) {
    const char *file = in_folder("full.h5");
    gpugeo_error error = {0};
    writes = 0;
    fails_at = n;
    gpugeo_status status = write_file(s, file, &error);
    fails_at = 0;
    CHECK(status == GPUGEO_ERROR_FILE && strcmp(error.argument, "file") == 0 &&
              strstr(error.message, "cannot be written: No space left on device; what it has is") !=
                  NULL,
          "%s, write %ld of %ld: status %d, \"%s\"", name, n, all, status, error.message);
    const int64_t done = tiles_done(file);
    CHECK(done >= 0 && done >= most, "%s, write %ld: %lld tiles are kept, before %lld", name, n,
          (long long)done, (long long)most);
    most = done;
    writes = 0;
    CHECK(!write_file(s, file, &error), "%s: %s", name, error.message);
    CHECK(done == 0 || writes < all, "%s: all is written again", name);
    check_file(s, file);
    remove(file);
  }
  CHECK(most > 0, "%s: nothing was kept", name);
}

/* Bytes of the disk that a file takes. */
static int64_t taken_by(const char *file) {
  struct stat about = {0};
  return stat(file, &about) == 0 ? (int64_t)about.st_blocks * 512 : -1;
}

/* A disk that has no room for the whole file says so before anything is written, and keeps what it
   has; one that can't tell is no error. A file with tiles in it keeps them. */
static void test_no_room(void) {
  setting s = usual;
  s.n = 600;
  s.side = 20;
  const int64_t all = s.n * (s.n - 1) / 2 * 8;
  char *file = temporary_path(folder, "room.h5");
  const char *text = "cannot be written: No space left on device";
  gpugeo_error error = {0};
  writes = 0;
  no_room = ENOSPC;
  CHECK(write_file(&s, file, &error) == GPUGEO_ERROR_FILE && writes == 0 &&
            strstr(error.message, text) != NULL,
        "%ld writes, \"%s\"", (long)writes, error.message);
  const int64_t taken = taken_by(file);
  CHECK(taken >= 0 && taken < all / 10, "%lld bytes of %lld are taken", (long long)taken,
        (long long)all);
  no_room = EOPNOTSUPP;
  writes = 0;
  fails_at = count_writes(&s) - 3;
  writes = 0;
  CHECK(write_file(&s, file, &error) == GPUGEO_ERROR_FILE, "%s", error.message);
  fails_at = 0;
  const int64_t done = tiles_done(file);
  no_room = ENOSPC;
  CHECK(write_file(&s, file, &error) == GPUGEO_ERROR_FILE && done > 0 && tiles_done(file) == done,
        "%lld tiles were there: %s", (long long)done, error.message);
  no_room = EOPNOTSUPP;
  CHECK(write_file(&s, file, &error) == GPUGEO_OK, "%s", error.message);
  no_room = 0;
  check_file(&s, file);
  temporary_remove(file);
}

/* Under a limit of file sizes, in a child: an error, no signal that ends the process or is left,
   and no file that was not there. */
static int under_limit(const setting *s, const char *file, int64_t most) {
  const struct rlimit limit = {(rlim_t)most, (rlim_t)most};
  sigset_t before, after, pending;
  gpugeo_error error = {0};
  signal(SIGXFSZ, SIG_DFL);
  if (setrlimit(RLIMIT_FSIZE, &limit)) return 2;
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  const gpugeo_status status = write_file(s, file, &error);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  sigpending(&pending);
  if (status != GPUGEO_ERROR_FILE || !strstr(error.message, "File too large")) return 3;
  return sigismember(&pending, SIGXFSZ) || sigismember(&before, SIGXFSZ) ||
                 sigismember(&after, SIGXFSZ)
             ? 4
             : 0;
}

static void expect_limit(const setting *s, const char *file, int64_t most) {
  fflush(stdout);
  const pid_t process = fork();
  if (process == 0) _exit(under_limit(s, file, most));
  int status = -1;
  waitpid(process, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "shape %d, %lld bytes, taking room says %d: status %d", (int)s->shape, (long long)most,
        no_room, status);
}

static void test_size_limit(gpugeo_shape shape) {
  setting s = usual;
  s.n = 600;
  s.side = 20;
  s.shape = shape;
  const int64_t bytes = s.n * (s.n - 1) / 2 * 8;
  char *file = temporary_path(folder, "limit.h5");
  const int64_t sizes[] = {0, 1024, 65536, bytes - 1};
  for (int i = 0; i < 4; ++i) {
    expect_limit(&s, file, sizes[i]);
    CHECK(access(file, F_OK) != 0, "%lld bytes: a file is left", (long long)sizes[i]);
  }
  /* One that another call has begun, where room is taken at first or can't be. */
  writes = 0;
  fails_at = 30;
  CHECK(write_file(&s, file, NULL) == GPUGEO_ERROR_FILE, "it is complete");
  fails_at = 0;
  for (int room = 0; room < 2; ++room) {
    no_room = room ? EOPNOTSUPP : 0;
    for (int i = 0; i < 4; ++i)
      expect_limit(&s, file, sizes[i]);
  }
  no_room = 0;
  CHECK(write_file(&s, file, NULL) == GPUGEO_OK, "it can't be completed");
  check_file(&s, file);
  temporary_remove(file);
}

/* The process is killed at the n-th write, for every n. */
static void test_killed(const setting *s) {
  char name[200];
  name_of(s, name, sizeof name);
  const long all = count_writes(s);
  int64_t most = 0;
  for (long n = 1; n <= all; n += 1 + all / 25) {
    const char *file = in_folder("killed.h5");
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
      writes = 0;
      fails_at = n;
      kills = true;
      write_file(s, file, NULL);
      _exit(0);
    }
    int status = 0;
    CHECK(process > 0 && waitpid(process, &status, 0) == process && WIFSIGNALED(status),
          "%s, write %ld: the child was not killed", name, n);
    gpugeo_dist_file *opened;
    gpugeo_dist_file_info info;
    gpugeo_error error = {0};
    if (CHECK(!gpugeo_dist_file_open(file, NULL, &opened, &info, &error), "%s", error.message)) {
      const int64_t first = 0;
      double value;
      CHECK(info.tiles_done < info.tiles &&
                gpugeo_dist_file_read(opened, &first, 1, &first, 1, 0, &value, &error) ==
                    GPUGEO_ERROR_FILE &&
                strstr(error.message, "file is not complete: ") != NULL,
            "%s, write %ld: %s", name, n, error.message);
      if (info.tiles_done > most) most = info.tiles_done;
      gpugeo_dist_file_close(opened);
    }
    CHECK(!write_file(s, file, &error), "%s: %s", name, error.message);
    check_file(s, file);
    remove(file);
  }
  CHECK(most > 0, "%s: nothing was kept", name);
}

static void take_fraction(double fraction, void *data) { *(double *)data = fraction; }

static int stop_at_third(void *data) { return *(double *)data >= 0.3; }

/* Ctrl-C when a third is done. */
static void test_interrupt(void) {
  setting s = usual;
  s.n = 800;
  s.m = 20;
  s.side = 40;
  s.metric = GPUGEO_METRIC_MINKOWSKI;
  s.threads = 1; /* of several threads only the calling one polls */
  const char *file = in_folder("interrupt.h5");
  const gpugeo_matrix x = make_points(&s);
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options options = make_options(&s);
  double fraction = 0;
  options.run.progress = take_fraction;
  options.run.interrupt = stop_at_third;
  options.run.hook_data = &fraction;
  gpugeo_dist_file_options output;
  gpugeo_dist_file_options_init(&output, sizeof output);
  output.file = file;
  output.side = s.side;
  gpugeo_error error = {0};
  gg_clock_set_polls(1);
  gpugeo_status status = gpugeo_dist_file_write(&source, &options, &output, NULL, &error);
  gg_clock_set_polls(0);
  CHECK(status == GPUGEO_ERROR_INTERRUPT, "status %d, \"%s\"", status, error.message);
  const int64_t done = tiles_done(file);
  CHECK(done > 0 && done < 210, "%lld of 210 tiles are there", (long long)done);
  options.run.interrupt = NULL;
  options.run.progress = NULL;
  status = gpugeo_dist_file_write(&source, &options, &output, NULL, &error);
  CHECK(!status, "%s", error.message);
  check_file(&s, file);
  remove(file);
  free((void *)x.data);
}

/* --- files that are something else ------------------------------------------------------------ */

static void expect(const setting *s, const char *file, gpugeo_status want, const char *message) {
  gpugeo_error error = {0};
  gpugeo_status status = write_file(s, file, &error);
  CHECK(status == want && error.code == (int32_t)want && strcmp(error.argument, "file") == 0 &&
            strstr(error.message, message) != NULL,
        "status %d, argument \"%s\", \"%s\", expected \"%s\"", status, error.argument,
        error.message, message);
  CHECK(write_file(s, file, NULL) == want, "error NULL");
}

static void test_others(void) {
  const char *file = in_folder("others.h5");
  temporary_write(file, "no HDF5\n");
  expect(&usual, file, GPUGEO_ERROR_ARGUMENT, "is no HDF5 file");
  gpugeo_dist_file *opened;
  gpugeo_dist_file_info info;
  CHECK(gpugeo_dist_file_open(file, NULL, &opened, &info, NULL) == GPUGEO_ERROR_ARGUMENT, "opened");
  remove(file);
  CHECK(gpugeo_dist_file_open(file, NULL, &opened, &info, NULL) == GPUGEO_ERROR_ARGUMENT, "opened");
  expect(&usual, "/nowhere/at/all.h5", GPUGEO_ERROR_ARGUMENT,
         "file \"/nowhere/at/all.h5\" cannot be created: No such file or directory");
  expect(&usual, folder, GPUGEO_ERROR_ARGUMENT, "file");
  expect(&usual, "", GPUGEO_ERROR_ARGUMENT, "file must be the name of a file");

  CHECK(!write_file(&usual, file, NULL), "cannot write");
  CHECK(gpugeo_dist_file_open(file, "matrix", &opened, &info, NULL) == GPUGEO_ERROR_ARGUMENT,
        "opened");
  setting s = usual;
  s.metric = GPUGEO_METRIC_MAXIMUM;
  expect(&s, file, GPUGEO_ERROR_ARGUMENT, "holds those of another metric");
  s = usual;
  s.type = GPUGEO_TYPE_FLOAT;
  expect(&s, file, GPUGEO_ERROR_ARGUMENT, "holds those of another precision");
  s = usual;
  s.kind = DATA_TIED;
  expect(&s, file, GPUGEO_ERROR_ARGUMENT, "holds those of another data or parameters");
  s = usual;
  s.n = 22;
  expect(&s, file, GPUGEO_ERROR_ARGUMENT, "holds those of another number of points");
  s = usual;
  s.shape = GPUGEO_SHAPE_FULL;
  expect(&s, file, GPUGEO_ERROR_ARGUMENT, "holds something else");
  truncate(file, 3000);
  expect(&usual, file, GPUGEO_ERROR_ARGUMENT, "is no HDF5 file");
  remove(file);
}

/* As someone who may not write: in a child, as root may everything. */
static void test_read_only(void) {
  setting s = usual;
  const char *file = in_folder("read-only.h5");
  writes = 0;
  fails_at = 3;
  write_file(&s, file, NULL);
  fails_at = 0;
  chmod(file, 0444);
  chmod(folder, 0755);
  fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    gpugeo_error error = {0};
    if (getuid() == 0 && setuid(65534)) _exit(2);
    const gpugeo_status status = write_file(&s, file, &error);
    _exit(status != GPUGEO_ERROR_ARGUMENT ||
          !strstr(error.message, "read-only.h5\" cannot be written: Permission denied"));
  }
  int status = -1;
  waitpid(process, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
  remove(file);
}

int main(void) {
  if (!*gpugeo_hdf5_version()) {
    check_skip(1, "built without HDF5: no files of distances");
    gpugeo_error error = {0};
    CHECK(write_file(&usual, "x.h5", &error) == GPUGEO_ERROR_ARGUMENT &&
              strcmp(error.message, "file cannot be an HDF5 file: gpugeo was built without HDF5") ==
                  0,
          "%s", error.message);
    return check_end();
  }
  folder = temporary_folder();
  test_values();
  test_long_runs();
  test_slices(GPUGEO_SHAPE_CONDENSED);
  test_slices(GPUGEO_SHAPE_FULL);
  test_labels();
  for (int shape = 0; shape < 2; ++shape) {
    setting s = usual;
    s.shape = (gpugeo_shape)shape;
    s.n = 60;
    s.side = s.shape == GPUGEO_SHAPE_FULL ? 5 : 2; /* enough pieces for some to be marked */
    s.threads = 1;
    test_full_disk(&s, 60);
    test_killed(&s);
  }
  setting direct = usual; /* past the page cache, but for the last ones */
  direct.n = 1700;
  direct.threads = 1;
  direct.side = 100; /* enough pieces for some to be marked */
  test_full_disk(&direct, 10);
  test_no_room();
  test_size_limit(GPUGEO_SHAPE_CONDENSED);
  test_size_limit(GPUGEO_SHAPE_FULL);
  test_interrupt();
  test_others();
  test_read_only();
  temporary_remove(folder);
  return check_end();
}

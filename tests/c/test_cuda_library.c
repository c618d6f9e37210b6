/*
 * How the CUDA library is found, checked and loaded, with files of build/tests/cuda that need no
 * CUDA. A process keeps what it has loaded: what may be loaded is loaded by a copy of this program,
 * which writes what it has found.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cuda_file.h"
#include "check.h"
#include "common/atomic.h"
#include "gpugeo.h"
#include "system.h"
#include "temporary.h"

static char *folder; /* of this program */

enum { BYTES = 1 << 20 };

/* --- files ------------------------------------------------------------------------------------ */

/* The path of a file that the makefile built, valid until the next call. */
static const char *variant(const char *name) {
  static char path[4100];
  snprintf(path, sizeof path, "%s/cuda/%s.so", folder, name);
  return path;
}

static size_t read_all(const char *path, char *bytes) {
  FILE *file = fopen(path, "rb");
  const size_t size = file ? fread(bytes, 1, BYTES, file) : 0;
  CHECK(size > 0 && size < BYTES, "%s has %zu bytes", path, size);
  if (file) fclose(file);
  return size;
}

static void write_all(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size, "cannot write %s", path);
  if (file) fclose(file);
}

static void copy(const char *from, const char *to) {
  static char bytes[BYTES];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  size_t size, written = 0;
  while (in && out && (size = fread(bytes, 1, sizeof bytes, in)) > 0)
    written += fwrite(bytes, 1, size, out);
  CHECK(written > 0, "cannot copy %s to %s", from, to);
  if (in) fclose(in);
  if (out) fclose(out);
}

/* --- files that are refused ------------------------------------------------------------------- */

/* Names a file and checks that it is refused: "<path> <why>". */
static void refused(const char *path, const char *why) {
  char expected[8000];
  gpugeo_error error = {0};
  gpugeo_cuda_library library;
  snprintf(expected, sizeof expected, "%s %s", path, why);
  gpugeo_cuda_library_set(path);
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.reason, expected) == 0, "\"%s\" instead of \"%s\"", library.reason,
        expected);
  CHECK(!library.file[0] && !library.version[0] && !library.architectures[0], "%s is loaded",
        library.file);
  const gpugeo_status status = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error);
  CHECK(status == GPUGEO_ERROR_BACKEND &&
            strncmp(error.message, expected, sizeof error.message - 1) == 0,
        "status %d, \"%s\" instead of \"%s\"", status, error.message, expected);
  CHECK(gpugeo_device_count() == 0, "%d devices", gpugeo_device_count());
}

static void test_refused(void) {
  char *text = temporary_file("no library", 10), *empty = temporary_file("", 0), abi[80];
  char *place = temporary_folder();
  refused("/nowhere/libgpugeo_cuda.so", "does not exist");
  refused(place, "cannot be read");
  refused(text, "is not a complete shared object");
  refused(empty, "is not a complete shared object");
  refused(variant("no_about"),
          "is not a CUDA library of gpugeo: it has no symbol gpugeo_cuda_about");
  snprintf(abi, sizeof abi, "has ABI number %d, and this gpugeo needs %d", GG_CUDA_ABI + 1,
           GG_CUDA_ABI);
  refused(variant("abi"), abi);
  refused(variant("version"), "is of gpugeo 0.0.9, and this is gpugeo " GPUGEO_VERSION);
  refused(variant("sources"), "was built from other sources of gpugeo " GPUGEO_VERSION);
  CHECK(!getenv("VARIANT_LOADED"), "code of a refused file was run");
  refused(variant("no_backend"),
          "is not a CUDA library of gpugeo: it has no symbol gpugeo_cuda_backend");
  CHECK(getenv("VARIANT_LOADED") != NULL, "a file was not loaded");
  refused(variant("busy"), "is in use by another copy of gpugeo in this process");
  temporary_remove(text);
  temporary_remove(empty);
  temporary_remove(place);
}

/* The environment names a file where the caller does not. */
static void test_environment(void) {
  gpugeo_cuda_library library;
  gpugeo_cuda_library_set(NULL);
  set_variable("GPUGEO_CUDA_LIB", "/environment.so");
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.reason, "/environment.so does not exist") == 0, "%s", library.reason);
  refused("/caller.so", "does not exist");
  gpugeo_cuda_library_set("caller.so");
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.reason, "./caller.so does not exist") == 0, "%s", library.reason);
  set_variable("GPUGEO_CUDA_LIB", NULL);
}

static void test_message(void) {
  static const double values[] = {1, 2, 3, 4};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 4, 1, 4, NULL};
  double out[6];
  gpugeo_dist_options options;
  gpugeo_error error = {0};
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_cuda_library_set("/nowhere.so");
  CHECK(!gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error), "%s",
        error.message);
  options.run.backend = GPUGEO_BACKEND_CUDA;
  CHECK(gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error) ==
            GPUGEO_ERROR_BACKEND,
        "no error");
  CHECK(strcmp(error.message, "backend \"cuda\" cannot be used: /nowhere.so does not exist") == 0,
        "%s", error.message);
}

/* --- files that are loaded -------------------------------------------------------------------- */

/* A folder with a copy of this program and of files, and what the program wrote. */
typedef struct stage {
  char *root;
  char said[16384];
} stage;

static char *at(const stage *s, const char *name) { return temporary_path(s->root, name); }

static const char *const stage_folders[] = {
    "own",         "loader",         "cache",
    "cache/R",     "cache/R/gpugeo", "home",
    "home/.cache", "home/.cache/R",  "home/.cache/R/gpugeo"};
enum { STAGE_FOLDERS = sizeof stage_folders / sizeof *stage_folders };

static void stage_make(stage *s, const char *program) {
  s->root = temporary_folder();
  for (int i = 0; i < STAGE_FOLDERS; ++i) {
    char *path = at(s, stage_folders[i]);
    CHECK(mkdir(path, 0700) == 0, "cannot create %s", path);
    free(path);
  }
  char *path = at(s, "own/program");
  copy(program, path);
  CHECK(chmod(path, 0700) == 0, "%s cannot be run", path);
  free(path);
}

/* Puts a variant into a folder of the stage, or with NULL removes what is there. */
static void put(const stage *s, const char *place, const char *name) {
  char name_there[200];
  snprintf(name_there, sizeof name_there, "%s/libgpugeo_cuda.so", place);
  char *path = at(s, name_there);
  if (name)
    copy(variant(name), path);
  else
    remove(path);
  free(path);
}

static void stage_free(stage *s) {
  static const char *const places[] = {"own", "loader", "cache/R/gpugeo", "home/.cache/R/gpugeo"};
  for (int i = 0; i < 4; ++i)
    put(s, places[i], NULL);
  temporary_remove(at(s, "own/program"));
  for (int i = STAGE_FOLDERS - 1; i >= 0; --i)
    temporary_remove(at(s, stage_folders[i]));
  temporary_remove(s->root);
}

/* Writes a text with the root for each @, and returns its end. */
static char *write_text(const stage *s, char *out, const char *text) {
  out[0] = 0;
  for (; *text; ++text)
    out += *text == '@' ? sprintf(out, "%s", s->root) : sprintf(out, "%c", *text);
  return out;
}

/* Runs the program with these variables, in which @ stands for the root; true if it ended well. */
static bool stage_run(stage *s, const char *variables) {
  char command[16384];
  char *end = write_text(s, command,
                         "env -u GPUGEO_CUDA_LIB -u XDG_CACHE_HOME -u R_USER_CACHE_DIR "
                         "-u LD_LIBRARY_PATH HOME='@/nobody' ");
  end = write_text(s, end, variables);
  write_text(s, end, " '@/own/program' report");
  FILE *pipe = popen(command, "r");
  const size_t size = pipe ? fread(s->said, 1, sizeof s->said - 1, pipe) : 0;
  s->said[size] = 0;
  return pipe && pclose(pipe) == 0;
}

/* Checks the beginning of what the program writes with these variables; @ stands for the root. */
static void expect(stage *s, const char *variables, const char *expected) {
  char text[16384];
  const char *end = write_text(s, text, expected);
  const bool good = stage_run(s, variables);
  CHECK(good && strncmp(s->said, text, (size_t)(end - text)) == 0, "%s: \"%s\" instead of \"%s\"",
        variables, s->said, text);
}

#define CACHES       "R_USER_CACHE_DIR=@/cache LD_LIBRARY_PATH=@/loader"
#define LOADED(file) "file " file "\nversion " GPUGEO_VERSION "\narchitectures none\n"

static void test_search(const char *program) {
  stage s;
  stage_make(&s, program);
  expect(&s, CACHES,
         "error there is no libgpugeo_cuda.so next to gpugeo, in the user's cache or on the "
         "loader's path; gpu_install() of R and Octave installs one\n"
         "reason @/own/libgpugeo_cuda.so does not exist\n"
         "@/cache/R/gpugeo/libgpugeo_cuda.so does not exist\n"
         "libgpugeo_cuda.so is not on the loader's path\n");
  put(&s, "loader", "good");
  expect(&s, CACHES, LOADED("@/loader/libgpugeo_cuda.so"));
  put(&s, "home/.cache/R/gpugeo", "good");
  expect(&s, "HOME=@/home LD_LIBRARY_PATH=@/loader",
         LOADED("@/home/.cache/R/gpugeo/libgpugeo_cuda.so"));
  put(&s, "cache/R/gpugeo", "good");
  expect(&s, CACHES, LOADED("@/cache/R/gpugeo/libgpugeo_cuda.so"));
  expect(&s, "HOME=@/home XDG_CACHE_HOME=@/cache", LOADED("@/cache/R/gpugeo/libgpugeo_cuda.so"));
  expect(&s, "R_USER_CACHE_DIR=@/cache XDG_CACHE_HOME=@/home/.cache",
         LOADED("@/cache/R/gpugeo/libgpugeo_cuda.so"));
  put(&s, "own", "good");
  expect(&s, CACHES, LOADED("@/own/libgpugeo_cuda.so"));
  put(&s, "own", "abi");
  expect(&s, CACHES, LOADED("@/cache/R/gpugeo/libgpugeo_cuda.so"));
  put(&s, "own", "version");
  expect(&s, "GPUGEO_CUDA_LIB=@/loader/libgpugeo_cuda.so " CACHES,
         LOADED("@/loader/libgpugeo_cuda.so"));
  expect(&s, "GPUGEO_CUDA_LIB=@/nothing.so " CACHES,
         "error @/nothing.so does not exist\nreason @/nothing.so does not exist\n");
  expect(&s, "", "error @/own/libgpugeo_cuda.so is of gpugeo 0.0.9, and this is gpugeo ");
  stage_free(&s);
}

/* A file that ends too soon is refused, or its rest is not needed, in each of the places. */
static void test_truncated(const char *program, const char *name, const char *variables) {
  static char bytes[BYTES];
  stage s;
  stage_make(&s, program);
  const size_t size = read_all(variant("good"), bytes);
  char *path = at(&s, name);
  for (size_t part = 0; part < 64; ++part) {
    write_all(path, bytes, size * part / 64);
    CHECK(stage_run(&s, variables), "%zu of %zu bytes end the program", size * part / 64, size);
    CHECK(part > 8 || strstr(s.said, "is not a complete shared object"), "%zu of %zu bytes: %s",
          size * part / 64, size, s.said);
  }
  free(path);
  stage_free(&s);
}

/* The loader's list of folders that are not in LD_LIBRARY_PATH: a text between zeros, in a file
   that ldconfig writes. */
static void test_list(void) {
  static const char with[] = "glibc-ld.so.cache1.1\0\1\2/lib/libz.so\0/a b/libgpugeo_cuda.so.1\0"
                             "/opt/c/libgpugeo_cuda.so\0libgpugeo_cuda.so\0/lib/x.so",
                    without[] = "/libz.so\0libgpugeo_cuda.so\0/opt/c/libgpugeo_cuda.so";
  char path[4096];
  char *list = temporary_file(with, sizeof with), *other = temporary_file(without, 43);
  CHECK(gg_cuda_find_listed(list, path) && strcmp(path, "/opt/c/libgpugeo_cuda.so") == 0, "%s",
        path);
  CHECK(!gg_cuda_find_listed(other, path), "%s", path);
  CHECK(!gg_cuda_find_listed("/nowhere", path), "%s", path);
  temporary_remove(list);
  temporary_remove(other);
}

/* The same in a list of ldconfig's own, where it can be run. */
static void test_ldconfig(void) {
  char command[16384], path[4096];
  stage s;
  stage_make(&s, variant("good")); /* any file */
  put(&s, "loader", "good");
  char *end = write_text(&s, command,
                         "cd '@' && echo '@/loader' >folders && "
                         "PATH=$PATH:/sbin:/usr/sbin ldconfig -X -f folders -C list 2>/dev/null");
  (void)end;
  char *list = at(&s, "list"), *expected = at(&s, "loader/libgpugeo_cuda.so");
  if (system(command) != 0)
    check_skip(1, "ldconfig cannot be run");
  else
    CHECK(gg_cuda_find_listed(list, path) && strcmp(path, expected) == 0, "%s", path);
  free(expected);
  temporary_remove(list);
  temporary_remove(at(&s, "folders"));
  stage_free(&s);
}

static void *search_on(void *go_on) {
  gpugeo_cuda_library library;
  while (gg_atomic_load((int32_t *)go_on)) {
    gpugeo_cuda_library_set("/nowhere.so");
    gpugeo_cuda_library_get(&library);
  }
  return NULL;
}

/* Another thread searches, almost without a pause, while this one forks: the new processes search
   as well. One that waits for a lock forever is ended by its alarm. */
static void test_fork(void) {
  pthread_t thread;
  int32_t go_on = 1;
  int ended = 0, forks = 50;
  pthread_create(&thread, NULL, search_on, &go_on);
  for (int i = 0; i < forks && ended == i; ++i) {
    const pid_t process = fork();
    int status = 1;
    if (process == 0) {
      gpugeo_cuda_library library;
      alarm(60);
      gpugeo_cuda_library_set("/other.so");
      gpugeo_cuda_library_get(&library);
      _exit(strcmp(library.reason, "/other.so does not exist") != 0);
    }
    ended += waitpid(process, &status, 0) == process && status == 0;
  }
  gg_atomic_store(&go_on, 0);
  pthread_join(thread, NULL);
  CHECK(ended == forks, "%d of %d processes ended well", ended, forks);
}

/* What the library computes, and which functions of the core it calls. The last test: the library
   stays. */
static void test_loaded(void) {
  static const double values[] = {1, 2, 3, 4};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 4, 1, 4, NULL},
                      few = {values, GPUGEO_TYPE_DOUBLE, 3, 1, 4, NULL};
  double out[6] = {0};
  gpugeo_cuda_library library;
  gpugeo_dist_options options;
  gpugeo_report report;
  gpugeo_device device;
  gpugeo_error error = {0};
  gpugeo_cuda_library_set(variant("good"));
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.file, variant("good")) == 0 && !library.reason[0], "\"%s\", %s",
        library.file, library.reason);
  CHECK(!gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error), "%s", error.message);
  CHECK(gpugeo_device_count() == 1 && !gpugeo_device_get(0, &device, &error) &&
            strcmp(device.name, "variant") == 0,
        "%s", error.message);
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CUDA;
  CHECK(!gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, &report, &error), "%s",
        error.message);
  for (int i = 0; i < 6; ++i)
    CHECK(out[i] == 7, "distance %d is %g", i, out[i]);
  CHECK(report.backend == GPUGEO_BACKEND_CUDA && report.device_seconds == 1, "backend %d, %g s",
        (int)report.backend, report.device_seconds);
  CHECK(gpugeo_dist(&few, NULL, &options, GPUGEO_TYPE_DOUBLE, out, &report, &error) ==
                GPUGEO_ERROR_DEVICE &&
            strcmp(error.message, "3 points") == 0 && strcmp(error.argument, "x") == 0,
        "%s: %s", error.argument, error.message);
  gpugeo_cuda_library_set("/nowhere.so");
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.file, variant("good")) == 0, "\"%s\" after another was named", library.file);
  gpugeo_release();
}

/* What the copy of this program writes. */
static int report(void) {
  gpugeo_cuda_library library;
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) printf("error %s\n", error.message);
  gpugeo_cuda_library_get(&library);
  if (library.reason[0])
    printf("reason %s\n", library.reason);
  else
    printf("file %s\nversion %s\narchitectures %s\n", library.file, library.version,
           library.architectures);
  return 0;
}

int main(int count, char *arguments[]) {
  if (count > 1) return report();
  char *program = realpath(arguments[0], NULL);
  folder = program ? strdup(program) : NULL;
  if (!CHECK(folder, "the path of this program is not known")) return check_end();
  *strrchr(folder, '/') = 0;
  test_refused();
  test_environment();
  test_message();
  test_search(program);
  test_truncated(program, "own/libgpugeo_cuda.so", "");
  test_truncated(program, "loader/libgpugeo_cuda.so", "LD_LIBRARY_PATH=@/loader");
  test_list();
  test_ldconfig();
  test_fork();
  test_loaded();
  free(folder);
  free(program);
  return check_end();
}

/*
 * How the CUDA library is installed into the user's cache and removed, with files of
 * build/tests/cuda that need no CUDA. Loads a library at last: until then every file is refused.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/cuda_install.h"
#include "check.h"
#include "common/thread_flags.h"
#include "temporary.h"

static char folder[3000]; /* of this program */
static char *root;        /* a folder for this test */
static char cache[3100];  /* the folder of the library, in root */
static char place[3200];  /* its path */

enum { BYTES = 1 << 20 };
static char bytes[BYTES];

/* --- files ------------------------------------------------------------------------------------ */

/* The path of a file that the makefile built, valid until the next call. */
static const char *variant(const char *name) {
  static char path[3100];
  snprintf(path, sizeof path, "%s/cuda/%s.so", folder, name);
  return path;
}

static size_t read_all(const char *path) {
  FILE *file = fopen(path, "rb");
  const size_t size = file ? fread(bytes, 1, BYTES, file) : 0;
  if (file) fclose(file);
  return size;
}

static void write_all(const char *path, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size, "cannot write %s", path);
  if (file) fclose(file);
}

/* The SHA-256 of a file, which test_sha256.c tests; valid until the next call. */
static const char *sum_of(const char *path) {
  static char digits[GG_SHA256_DIGITS + 1];
  gg_sha256 sum;
  gg_sha256_start(&sum);
  gg_sha256_add(&sum, bytes, read_all(path));
  gg_sha256_finish(&sum, digits);
  return digits;
}

/* The number of files in the cache's folder, by the shell. */
static int count_files(void) {
  char command[3300];
  int count = -1;
  snprintf(command, sizeof command, "ls -A '%s' 2>/dev/null | wc -l", cache);
  FILE *pipe = popen(command, "r");
  if (!pipe || fscanf(pipe, "%d", &count) != 1) count = -1;
  if (pipe) pclose(pipe);
  return count;
}

/* --- installation ----------------------------------------------------------------------------- */

static gg_cuda_installed installed;
static gpugeo_error failure;

static gpugeo_status install(const char *from, const char *sha256) {
  const gg_given given = {.language = GG_C, .words = "no text"};
  const gg_cuda_source source = {.from = from, .sha256_given = &given, .sha256 = sha256};
  gg_cuda_action action;
  failure.message[0] = 0;
  const gpugeo_status status = gg_cuda_check_source(&source, &action, &failure);
  return status ? status : gg_cuda_install(&source, &installed, &failure);
}

/* Checks that a file is refused with a message, in which @ stands for its name, and that the folder
   has as many files as before. */
static void refused(const char *from, const char *sha256, const char *message) {
  char expected[8000];
  const char *at = strchr(message, '@');
  if (at)
    snprintf(expected, sizeof expected, "%.*s%.300s%s", (int)(at - message), message, from, at + 1);
  else
    snprintf(expected, sizeof expected, "%s", message);
  const int before = count_files();
  const gpugeo_status status = install(from, sha256);
  CHECK(status && strncmp(failure.message, expected, sizeof failure.message - 1) == 0,
        "status %d, \"%s\" instead of \"%s\"", status, failure.message, expected);
  CHECK(count_files() == before, "%d files are left instead of %d", count_files(), before);
}

static void accepted(const char *from, const char *sha256, const char *text) {
  char expected[8000];
  snprintf(expected, sizeof expected, text, place);
  const gpugeo_status status = install(from, sha256);
  CHECK(!status, "%s", failure.message);
  CHECK(strcmp(installed.file, place) == 0, "%s instead of %s", installed.file, place);
  CHECK(strcmp(installed.text, expected) == 0, "\"%s\" instead of \"%s\"", installed.text,
        expected);
  CHECK(count_files() == 1, "%d files", count_files());
  CHECK(strcmp(installed.sha256, sum_of(place)) == 0, "%s", installed.sha256);
}

static void test_arguments(void) {
  refused(NULL, NULL,
          "from must be the path or the address of a libgpugeo_cuda.so: gpugeo " GPUGEO_VERSION
          " has no default for it");
  refused("ftp://host/x.so", NULL,
          "from must be a path or an address of file, http or https, not \"@\"");
  refused("http://localhost:1/x.so", NULL,
          "sha256 must be 64 hexadecimal digits for an address of http or https, not no text");
  refused("http://localhost:1/x.so", "12",
          "sha256 must be 64 hexadecimal digits for an address of http or https, not no text");
  refused(variant("right"), "12", "sha256 must be 64 hexadecimal digits, not no text");
  refused(variant("right"), "g000000000000000000000000000000000000000000000000000000000000000",
          "sha256 must be 64 hexadecimal digits, not no text");
  refused("/nowhere/x.so", NULL, "file \"@\" cannot be read: No such file or directory");
  refused("file:///nowhere/a%20b.so", NULL,
          "file \"/nowhere/a b.so\" cannot be read: No such file or directory");
  refused(folder, NULL, "file \"@\" cannot be read: it must be a regular file, not a folder");
}

static void expect_action(const gg_cuda_source *source, gg_cuda_action expected) {
  gg_cuda_action action = GG_CUDA_REMOVE;
  CHECK(!gg_cuda_check_source(source, &action, &failure) && action == expected, "%s: %d, %s",
        source->from ? source->from : "none", action, failure.message);
}

static void test_actions(void) {
  gg_cuda_source source = {.from = "https://host/x.so"};
  source.sha256 = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
  expect_action(&source, GG_CUDA_DOWNLOAD);
  source.downloaded = "/tmp/x.so";
  expect_action(&source, GG_CUDA_INSTALL);
  source.from = "http";
  expect_action(&source, GG_CUDA_INSTALL);
  source = (gg_cuda_source){.remove = true};
  expect_action(&source, GG_CUDA_REMOVE);
  source.from = "http";
  gg_cuda_action action;
  CHECK(gg_cuda_check_source(&source, &action, &failure) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(failure.message, "from must not be given with remove") == 0,
        "%s", failure.message);
  gg_cuda_fail_download(&source, "no reason", &failure);
  CHECK(strcmp(failure.message, "\"http\" cannot be downloaded: no reason") == 0, "%s",
        failure.message);
}

static void test_wrong_files(void) {
  char expected[300];
  char *text = temporary_file("no library", 10), *part = temporary_path(root, "part.so");
  const char *wrong = "0000000000000000000000000000000000000000000000000000000000000000";
  snprintf(expected, sizeof expected, "sha256 must be that of the file, %s, not %s",
           sum_of(variant("right")), wrong);
  refused(variant("right"), wrong, expected);
  refused(text, NULL, "file \"@\" cannot be installed: it is not a complete shared object");
  write_all(part, read_all(variant("right")) / 8);
  refused(part, NULL, "file \"@\" cannot be installed: it is not a complete shared object");
  snprintf(expected, sizeof expected,
           "file \"@\" cannot be installed: it has ABI number %d, and this gpugeo needs %d",
           GG_CUDA_ABI + 1, GG_CUDA_ABI);
  refused(variant("abi"), NULL, expected);
  refused(
      variant("version"), NULL,
      "file \"@\" cannot be installed: it is of gpugeo 0.0.9, and this is gpugeo " GPUGEO_VERSION);
  refused(
      variant("sources"), NULL,
      "file \"@\" cannot be installed: it was built from other sources of gpugeo " GPUGEO_VERSION);
  refused(variant("no_about"), NULL,
          "file \"@\" cannot be installed: it is not a CUDA library of gpugeo: it has no symbol "
          "gpugeo_cuda_about");
  refused(variant("good"), NULL,
          "file \"@\" cannot be installed: it computes wrong distances on variant");
  refused(variant("broken"), NULL,
          "file \"@\" cannot be installed: it computes no distances on variant: the device is "
          "broken");
  temporary_remove(text);
  temporary_remove(part);
}

/* Folders that cannot be created, or not be written to. */
static void test_folders(void) {
  char expected[4000], *file = temporary_path(root, "file");
  temporary_write(file, "");
  setenv("R_USER_CACHE_DIR", file, 1);
  snprintf(expected, sizeof expected, "folder \"%s/R/gpugeo\" cannot be created: Not a directory",
           file);
  refused(variant("right"), NULL, expected);
  unsetenv("R_USER_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  refused(variant("right"), NULL,
          "there is no folder for the CUDA library: none of the environment variables "
          "R_USER_CACHE_DIR, XDG_CACHE_HOME and HOME is set to a path of fewer than 4061 bytes");
  setenv("R_USER_CACHE_DIR", root, 1);
  temporary_remove(file);
  chmod(cache, 0500);
  if (access(cache, W_OK) == 0) {
    check_skip(2, "this user may write to any folder");
  } else {
    snprintf(expected, sizeof expected, "folder \"%s\" cannot be written to: Permission denied",
             cache);
    refused(variant("right"), NULL, expected);
  }
  chmod(cache, 0700);
}

/* A disk that is full, in the form of a limit of file sizes. */
static void test_full_disk(void) {
  char expected[4000];
  struct rlimit before, few;
  snprintf(expected, sizeof expected, "folder \"%s\" cannot be written to: File too large", cache);
  if (getrlimit(RLIMIT_FSIZE, &before)) return;
  few = before;
  few.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &few);
  const gpugeo_status status = install(variant("right"), NULL);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(status == GPUGEO_ERROR_FILE && strcmp(failure.message, expected) == 0, "status %d, %s",
        status, failure.message);
  CHECK(count_files() == 0, "%d files", count_files());
}

static void test_hook(void) {
  gg_thread_set(GG_THREAD_HOLDS_DEVICE, true);
  refused(variant("right"), NULL,
          "this is a hook of a call that computes on a CUDA device: install the library outside of "
          "it");
  gg_thread_set(GG_THREAD_HOLDS_DEVICE, false);
}

/* Removes the library and checks the text, in which %s stands for its path. */
static void removed(bool expected_removed, const char *text) {
  char expected[8000];
  bool was_removed = !expected_removed;
  snprintf(expected, sizeof expected, text, place);
  CHECK(!gg_cuda_remove(&installed, &was_removed, &failure), "%s", failure.message);
  CHECK(was_removed == expected_removed && strcmp(installed.text, expected) == 0,
        "\"%s\" instead of \"%s\"", installed.text, expected);
  CHECK(count_files() == 0, "%d files are left", count_files());
}

/* A session that uses another file, or none. */
static void test_named(void) {
  setenv("GPUGEO_CUDA_LIB", "/nowhere.so", 1);
  accepted(variant("right"), NULL,
           "%s is installed and was tested on variant\n"
           "gpugeo does not use it: /nowhere.so does not exist");
  unsetenv("GPUGEO_CUDA_LIB");
  removed(true, "%s is removed");
}

/* A session without a library uses the new one at once; after that, it keeps it. */
static void test_installed(void) {
  gpugeo_cuda_library library;
  char address[8000], upper[GG_SHA256_DIGITS + 1];
  gpugeo_cuda_library_get(&library);
  CHECK(!library.file[0], "%s is loaded", library.file);
  accepted(variant("no_device"), NULL,
           "%s is installed; it was loaded, but not tested: there is no device");
  CHECK(!installed.device[0] && strcmp(installed.reason, "there is no device") == 0, "%s",
        installed.reason);
  gpugeo_cuda_library_get(&library);
  CHECK(strcmp(library.file, place) == 0, "\"%s\": %s", library.file, library.reason);
  snprintf(upper, sizeof upper, "%s", sum_of(variant("right")));
  for (char *digit = upper; *digit; ++digit)
    if (*digit >= 'a') *digit += 'A' - 'a';
  accepted(variant("right"), upper,
           "%s is installed and was tested on variant\nthis session uses the library that it has "
           "loaded before; the new one is used from the next session on");
  CHECK(strcmp(installed.about.version, GPUGEO_VERSION) == 0 &&
            strcmp(installed.about.architectures, "none") == 0,
        "%s, %s", installed.about.version, installed.about.architectures);
  CHECK(strcmp(installed.device, "variant") == 0 && !installed.reason[0], "%s", installed.device);
  snprintf(address, sizeof address, "file://localhost%s/%%63uda/no_device.so", folder);
  accepted(address, NULL,
           "%s is installed; it was loaded, but not tested: there is no device\nthis session uses "
           "the library that it has loaded before; the new one is used from the next session on");
  refused(variant("good"), NULL,
          "file \"@\" cannot be installed: it computes wrong distances on variant");
  CHECK(strcmp(sum_of(place), sum_of(variant("no_device"))) == 0, "the file has changed");
  removed(true, "%s is removed; this session has loaded it and uses it to its end");
  removed(false, "there is no %s");
}

/* Copies this program into a folder without a library, and becomes the copy. */
static void become_copy(char *program) {
  char *path = realpath(program, NULL), *copy = temporary_path(root, "program");
  if (!CHECK(path, "the path of this program is not known")) return;
  FILE *from = fopen(path, "rb"), *to = fopen(copy, "wb");
  size_t size = 1;
  while (from && to && size > 0) {
    size = fread(bytes, 1, BYTES, from);
    fwrite(bytes, 1, size, to);
  }
  if (from) fclose(from);
  if (to) fclose(to);
  *strrchr(path, '/') = 0;
  chmod(copy, 0700);
  execl(copy, copy, path, root, (char *)NULL);
  CHECK(false, "%s cannot be run", copy);
}

int main(int count, char *arguments[]) {
  if (count < 3) {
    root = temporary_folder();
    become_copy(arguments[0]);
    return check_end();
  }
  snprintf(folder, sizeof folder, "%s", arguments[1]);
  root = arguments[2];
  setenv("R_USER_CACHE_DIR", root, 1);
  unsetenv("GPUGEO_CUDA_LIB");
  snprintf(cache, sizeof cache, "%s/R/gpugeo", root);
  snprintf(place, sizeof place, "%s/libgpugeo_cuda.so", cache);
  removed(false, "there is no %s");
  test_arguments();
  test_actions();
  test_wrong_files();
  test_folders();
  test_full_disk();
  test_hook();
  test_named();
  test_installed();
  remove(cache);
  temporary_remove(temporary_path(root, "R"));
  temporary_remove(temporary_path(root, "program"));
  remove(root);
  return check_end();
}

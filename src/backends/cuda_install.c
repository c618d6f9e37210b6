#include "backends/cuda_install.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda.h"
#include "common/call.h"
#include "common/error.h"
#include "common/file.h"
#include "common/platform.h"
#include "common/thread_flags.h"
#include "distance/dist.h"

/* --- The source ------------------------------------------------------------------------------- */

/* True if the text begins with another. */
static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* True if `from` is an address of http or https. */
static bool is_remote(const char *from) {
  return begins_with(from, "http://") || begins_with(from, "https://");
}

/* True if a text begins as an address: letters and "://". */
static bool is_address(const char *from) {
  const size_t letters = strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return letters > 1 && begins_with(from + letters, "://");
}

/* True if the text has the form of a SHA-256 in hexadecimal digits. */
static bool is_sum(const char *text) {
  return strlen(text) == GG_SHA256_DIGITS &&
         strspn(text, "0123456789abcdefABCDEF") == GG_SHA256_DIGITS;
}

/* Checks that `from` is a path, or an address of file, http or https. */
static gpugeo_status check_from(const gg_cuda_source *source, gpugeo_error *error) {
  if (!source->from)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from",
                   "from must be the path or the address of a " GG_CUDA_FILE
                   ": gpugeo " GPUGEO_VERSION " has no default for it");
  if (is_remote(source->from) || !is_address(source->from) || begins_with(source->from, "file://"))
    return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from",
                 "from must be a path or an address of file, http or https, not \"%.300s\"",
                 source->from);
}

gpugeo_status gg_cuda_check_source(const gg_cuda_source *source, gg_cuda_action *action,
                                   gpugeo_error *error) {
  *action = GG_CUDA_REMOVE;
  if (source->remove && source->from)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from", "from must not be given with remove");
  if (source->remove) return GPUGEO_OK;
  gpugeo_status status = check_from(source, error);
  if (status) return status;
  const bool remote = is_remote(source->from);
  *action = remote && !source->downloaded ? GG_CUDA_DOWNLOAD : GG_CUDA_INSTALL;
  if (source->sha256 ? is_sum(source->sha256) : !remote) return GPUGEO_OK;
  return gg_fail_given(error, "sha256",
                       remote ? "64 hexadecimal digits for an address of http or https"
                              : "64 hexadecimal digits",
                       source->sha256_given);
}

gpugeo_status gg_cuda_fail_download(const gg_cuda_source *source, const char *why,
                                    gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from", "\"%.200s\" cannot be downloaded: %.250s",
                 source->from, why);
}

/* Returns the value of a hexadecimal digit. */
static int digit_value(char digit) {
  return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* Writes the path of an address of file://, in which %20 stands for a blank. */
static void write_file_path(const char *address, char path[GG_CUDA_PATH_BYTES]) {
  const char *next = address + strlen("file://");
  if (begins_with(next, "localhost/")) next += strlen("localhost");
  size_t end = 0;
  for (; *next && end < GG_CUDA_PATH_BYTES - 1; ++end, ++next) {
    path[end] = *next;
    if (*next != '%' || !isxdigit((unsigned char)next[1]) || !isxdigit((unsigned char)next[2]))
      continue;
    path[end] = (char)(16 * digit_value(next[1]) + digit_value(next[2]));
    next += 2;
  }
  path[end] = 0;
}

/* Writes the path of the source's file. */
static void write_source_path(const gg_cuda_source *source, char path[GG_CUDA_PATH_BYTES]) {
  if (begins_with(source->from, "file://"))
    write_file_path(source->from, path);
  else
    snprintf(path, GG_CUDA_PATH_BYTES, "%s",
             source->downloaded ? source->downloaded : source->from);
}

/* --- The folder ------------------------------------------------------------------------------- */

/* Fails because of the folder of a path, by errno. */
static gpugeo_status fail_folder(const char *path, const char *what, gpugeo_error *error) {
  const int most = 300, length = (int)(strrchr(path, '/') - path);
  return gg_fail(error, GPUGEO_ERROR_FILE, "", "folder \"%.*s\" %s: %s",
                 length < most ? length : most, path, what, strerror(errno));
}

/* Writes the path of the library in the user's cache. */
static gpugeo_status write_place(char path[GG_CUDA_PATH_BYTES], gpugeo_error *error) {
  gg_cuda_cache_path(path);
  if (path[0]) return GPUGEO_OK;
  return gg_fail(
      error, GPUGEO_ERROR_FILE, "",
      "there is no folder for the CUDA library: none of the environment variables "
      "R_USER_CACHE_DIR, XDG_CACHE_HOME and HOME is set to a path of fewer than %d bytes",
      GG_CUDA_PATH_BYTES - (int)sizeof "/.cache/R/gpugeo/" GG_CUDA_FILE);
}

/* Creates all folders of a path that do not exist. */
static gpugeo_status create_folders(char *path, gpugeo_error *error) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    const bool exists = gg_path_taken(path) || gg_folder_create(path) == 0 || errno == EEXIST;
    *slash = '/';
    if (!exists) return fail_folder(path, "cannot be created", error);
  }
  return GPUGEO_OK;
}

/* --- The copy --------------------------------------------------------------------------------- */

/* Writes all bytes to a file descriptor. Returns false, with errno, if that fails. */
static bool write_all(int handle, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(handle, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}

/* Copies one open file to another and computes its SHA-256. `copy` is the path of the new one. */
static gpugeo_status copy_bytes(const gg_cuda_source *source, int from, int to, const char *copy,
                                char digits[GG_SHA256_DIGITS + 1], gpugeo_error *error) {
  char bytes[1 << 16];
  gg_sha256 sum;
  gg_sha256_start(&sum);
  for (;;) {
    const ssize_t size = read(from, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0)
      return gg_fail(error, GPUGEO_ERROR_FILE, "from", "file \"%.300s\" cannot be read: %s",
                     source->from, strerror(errno));
    if (size == 0) break;
    gg_sha256_add(&sum, bytes, (size_t)size);
    if (!write_all(to, bytes, (size_t)size))
      return fail_folder(copy, "cannot be written to", error);
  }
  gg_sha256_finish(&sum, digits);
  return GPUGEO_OK;
}

/* Writes a path next to the library, a new one in each call: the loader takes a file of
   a name that it has loaded for the same file. */
static void write_copy_path(const char *library, char *path, size_t size) {
  static int count;
  snprintf(path, size, "%s.new-%ld-%d", library, (long)getpid(), ++count);
}

/* Writes the copy, which is on the disk when the function returns. */
static gpugeo_status write_copy(const gg_cuda_source *source, int from, const char *copy,
                                char digits[GG_SHA256_DIGITS + 1], gpugeo_error *error) {
  gg_path_remove(copy); /* of a process of this number that was stopped */
  const int to = gg_handle_open(copy, GG_FILE_CREATE);
  if (to < 0) return fail_folder(copy, "cannot be written to", error);
  gg_size_signal held;
  gg_size_signal_block(&held);
  gpugeo_status status = copy_bytes(source, from, to, copy, digits, error);
  if (!status && (errno = gg_handle_sync(to)))
    status = fail_folder(copy, "cannot be written to", error);
  if (close(to) && !status) status = fail_folder(copy, "cannot be written to", error);
  gg_size_signal_restore(&held);
  return status;
}

/* Copies the source to a path, whose folders it creates, and computes the SHA-256 of its bytes. */
static gpugeo_status copy_file(const gg_cuda_source *source, char *copy,
                               char digits[GG_SHA256_DIGITS + 1], gpugeo_error *error) {
  char path[GG_CUDA_PATH_BYTES];
  int from;
  write_source_path(source, path);
  gpugeo_status status = gg_file_open("from", path, &from, NULL, error);
  if (status) return status;
  status = create_folders(copy, error);
  if (!status) status = write_copy(source, from, copy, digits, error);
  close(from);
  return status;
}

/* Checks the sum, where one was given. */
static gpugeo_status check_sum(const gg_cuda_source *source, const char *digits,
                               gpugeo_error *error) {
  for (int i = 0; source->sha256 && i < GG_SHA256_DIGITS; ++i)
    if (tolower((unsigned char)source->sha256[i]) != digits[i])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "sha256",
                     "sha256 must be that of the file, %s, not %s", digits, source->sha256);
  return GPUGEO_OK;
}

/* --- The computation -------------------------------------------------------------------------- */

/* Fills in the error of a file that is not installed, and why. */
static gpugeo_status refuse_source(const gg_cuda_source *source, const char *why,
                                   gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from", "file \"%.300s\" cannot be installed: it %s",
                 source->from, why);
}

enum { POINTS = 50, COORDINATES = 3, PAIRS = POINTS * (POINTS - 1) / 2 };

/* Computes distances by a backend that is not in the list of backends. */
static gpugeo_status compute_distances(const gg_backend *backend, const gpugeo_matrix *x,
                                       const gpugeo_dist_options *options, double *out,
                                       gpugeo_error *error) {
  gpugeo_report report = {.device = -1};
  gg_call call;
  gg_dist_memory memory = {0};
  gg_call_begin(&call, &options->run, &report, error);
  gg_dist_plan plan = gg_dist_plan_make(x, NULL, options, 0);
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = out;
  plan.backend = backend;
  plan.device = backend->device_default();
  plan.workers = 1;
  gg_dist_prepare(&plan, options, 0, &memory, &call);
  GG_TRY(&call, backend->dist(&plan, &call));
  gg_dist_memory_free(&memory);
  return call.status;
}

/* Computes the same distances by a backend and by the CPU. *equal becomes true if they have the
   same bits. */
static gpugeo_status compare(const gg_backend *backend, bool *equal, gpugeo_error *error) {
  double values[POINTS * COORDINATES], expected[PAIRS], out[PAIRS] = {0};
  for (int i = 0; i < POINTS * COORDINATES; ++i)
    values[i] = i * 37 % 101 / 4.0;
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, POINTS, COORDINATES, POINTS, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = 1;
  gpugeo_status status = gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, expected, NULL, error);
  if (!status) status = compute_distances(backend, &x, &options, out, error);
  *equal = !status && memcmp(out, expected, sizeof out) == 0;
  return status;
}

/* Checks what a library's default device computes. Without a device, installed->reason says why. */
static gpugeo_status check_device(const gg_cuda_source *source, const gg_backend *backend,
                                  gg_cuda_installed *installed, gpugeo_error *error) {
  gpugeo_error failure;
  gpugeo_device device = {.name = "the device"};
  bool equal;
  char why[GG_CUDA_WHY_BYTES];
  if (backend->available(&failure)) {
    snprintf(installed->reason, sizeof installed->reason, "%s", failure.message);
    return GPUGEO_OK;
  }
  backend->device_get(backend->device_default(), &device, NULL);
  if (compare(backend, &equal, &failure)) {
    snprintf(why, sizeof why, "computes no distances on %s: %s", device.name, failure.message);
    return refuse_source(source, why, error);
  }
  if (!equal) {
    snprintf(why, sizeof why, "computes wrong distances on %s", device.name);
    return refuse_source(source, why, error);
  }
  snprintf(installed->device, sizeof installed->device, "%s", device.name);
  return GPUGEO_OK;
}

/* Loads a file, checks it, and leaves it. */
static gpugeo_status check_library(const gg_cuda_source *source, const char *path,
                                   gg_cuda_installed *installed, gpugeo_error *error) {
  gg_cuda_file file = gg_cuda_file_make(path);
  const gg_cuda_library *library = gg_cuda_file_load(&file);
  if (!library) return refuse_source(source, file.why, error);
  installed->about = file.about;
  const gpugeo_status status = check_device(source, library->backend, installed, error);
  library->backend->release();
  gg_cuda_file_leave(library);
  return status;
}

/* --- Installation ----------------------------------------------------------------------------- */

/* Checks the copy's sum and contents, and renames it to the installed file. */
static gpugeo_status check_and_rename(const gg_cuda_source *source, const char *copy,
                                      gg_cuda_installed *installed, gpugeo_error *error) {
  gpugeo_status status = check_sum(source, installed->sha256, error);
  if (!status) status = check_library(source, copy, installed, error);
  if (!status && gg_path_replace(copy, installed->file))
    status = fail_folder(copy, "cannot be written to", error);
  return status;
}

/* Returns the first line for the user. */
static int describe_test(gg_cuda_installed *installed) {
  const size_t room = sizeof installed->text;
  if (installed->device[0])
    return snprintf(installed->text, room, "%s is installed and was tested on %s", installed->file,
                    installed->device);
  return snprintf(installed->text, room, "%s is installed; it was loaded, but not tested: %s",
                  installed->file, installed->reason);
}

/* Writes the lines for the user: what was tested and, unless this session uses the new file, which
   one it uses. */
static void describe_install(bool was_loaded, gg_cuda_installed *installed) {
  const int end = describe_test(installed);
  char *rest = installed->text + end;
  const size_t room = sizeof installed->text - (size_t)end;
  gpugeo_cuda_library used;
  gpugeo_cuda_library_get(&used);
  const bool same = strcmp(used.file, installed->file) == 0;
  if (!used.file[0])
    snprintf(rest, room, "\ngpugeo does not use it: %s", used.reason);
  else if (!same && gg_cuda_precedes_cache(used.file))
    snprintf(rest, room, "\ngpugeo uses %s instead, which comes before it: see gpu_info()",
             used.file);
  else if (!same || was_loaded)
    snprintf(rest, room,
             "\nthis session uses the library that it has loaded before; the new one is used from "
             "the next session on");
}

gpugeo_status gg_cuda_install(const gg_cuda_source *source, gg_cuda_installed *installed,
                              gpugeo_error *error) {
  char copy[GG_CUDA_PATH_BYTES + 32], loaded[GG_CUDA_PATH_BYTES];
  memset(installed, 0, sizeof *installed);
  gpugeo_status status = write_place(installed->file, error);
  if (status) return status;
  if (gg_thread_is(GG_THREAD_HOLDS_DEVICE))
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "",
                   "this is a hook of a call that computes on a CUDA device: install the library "
                   "outside of it");
  gg_cuda_loaded_path(loaded);
  write_copy_path(installed->file, copy, sizeof copy);
  status = copy_file(source, copy, installed->sha256, error);
  if (!status) status = check_and_rename(source, copy, installed, error);
  if (status) {
    gg_path_remove(copy);
    return status;
  }
  gg_cuda_search_again();
  describe_install(loaded[0], installed);
  return GPUGEO_OK;
}

gpugeo_status gg_cuda_remove(gg_cuda_installed *installed, bool *removed, gpugeo_error *error) {
  char loaded[GG_CUDA_PATH_BYTES];
  memset(installed, 0, sizeof *installed);
  gpugeo_status status = write_place(installed->file, error);
  if (status) return status;
  *removed = gg_path_remove(installed->file) == 0;
  if (!*removed && errno != ENOENT && errno != ENOTDIR)
    return fail_folder(installed->file, "cannot be written to", error);
  snprintf(installed->text, sizeof installed->text, *removed ? "%s is removed" : "there is no %s",
           installed->file);
  gg_cuda_loaded_path(loaded);
  if (*removed && strcmp(loaded, installed->file) == 0)
    strcat(installed->text, "; this session has loaded it and uses it to its end");
  return GPUGEO_OK;
}

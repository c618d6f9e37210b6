#include "common/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"

/* Fills in the error of a file that cannot be opened, with the reason in errno. */
static gpugeo_status fail_to_open(const char *argument, const char *path, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "file \"%.300s\" cannot be read: %s", path,
                 strerror(errno));
}

/* Names of kinds in messages. */
static const char *const kinds[] = {[GG_FILE_REGULAR] = "a regular file",
                                    [GG_FILE_FOLDER] = "a folder",
                                    [GG_FILE_PIPE] = "a pipe",
                                    [GG_FILE_SOCKET] = "a socket",
                                    [GG_FILE_DEVICE] = "a device"};

gpugeo_status gg_file_open(const char *argument, const char *path, int *handle, int64_t *size,
                           gpugeo_error *error) {
  gg_file_about about;
  *handle = gg_handle_open(path, GG_FILE_READ);
  if (*handle < 0) return fail_to_open(argument, path, error);
  const bool known = gg_handle_describe(*handle, &about);
  if (known && about.kind == GG_FILE_REGULAR) {
    if (size) *size = about.size;
    return GPUGEO_OK;
  }
  gpugeo_status status =
      known ? gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                      "file \"%.300s\" cannot be read: it must be a regular file, not %s", path,
                      kinds[about.kind])
            : fail_to_open(argument, path, error);
  close(*handle);
  *handle = -1;
  return status;
}

/* Writes bytes at an offset. Returns 0 or the system's error number. */
static int write_at(int handle, const void *from, int64_t bytes, int64_t offset) {
  const char *next = from;
  while (bytes > 0) {
    const int64_t written = gg_handle_write(handle, next, bytes, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    next += written;
    offset += written;
    bytes -= written;
  }
  return 0;
}

int gg_write_at(int handle, const void *from, int64_t bytes, int64_t offset) {
  gg_size_signal held;
  gg_size_signal_block(&held);
  const int failed = write_at(handle, from, bytes, offset);
  gg_size_signal_restore(&held);
  return failed;
}

int gg_read_at(int handle, void *to, int64_t bytes, int64_t offset) {
  char *next = to;
  while (bytes > 0) {
    const int64_t read = gg_handle_read(handle, next, bytes, offset);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return errno;
    if (read == 0) return ENODATA;
    next += read;
    offset += read;
    bytes -= read;
  }
  return 0;
}

#include "common/new_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/number.h"

enum { BUFFER_BYTES = 1 << 16, PRINTED_BYTES = 256 };

/* Fills in the error of a file that the system refuses to write. */
static gpugeo_status fail_to_write(const gg_new_file *file, int why, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_FILE, "file", "file \"%.300s\" cannot be written: %s",
                 file->path, strerror(why));
}

gpugeo_status gg_new_file_open(gg_new_file *file, const char *path, gpugeo_error *error) {
  const size_t length = strlen(path) + 32;
  *file = (gg_new_file){.path = path,
                        .temporary = gg_allocate((int64_t)length, 1),
                        .buffer = gg_allocate(BUFFER_BYTES, 1),
                        .handle = -1};
  if (!file->temporary || !file->buffer)
    return gg_fail_memory(error, BUFFER_BYTES + (int64_t)length);
  snprintf(file->temporary, length, "%s.new-%ld", path, (long)getpid());
  gg_path_remove(file->temporary); /* of a process of this number that was stopped */
  file->handle = gg_handle_open(file->temporary, GG_FILE_CREATE);
  return file->handle < 0 ? fail_to_write(file, errno, error) : GPUGEO_OK;
}

/* Writes the buffer to the file. */
static void flush(gg_new_file *file) {
  if (!file->failed)
    file->failed = gg_write_at(file->handle, file->buffer, (int64_t)file->used, file->written);
  file->written += (int64_t)file->used;
  file->used = 0;
}

void gg_new_file_write(gg_new_file *file, const char *bytes, size_t count) {
  while (count > 0) {
    if (file->used == BUFFER_BYTES) flush(file);
    const size_t room = BUFFER_BYTES - file->used, part = count < room ? count : room;
    memcpy(file->buffer + file->used, bytes, part);
    file->used += part;
    bytes += part;
    count -= part;
  }
}

void gg_new_file_print(gg_new_file *file, const char *format, ...) {
  char text[PRINTED_BYTES];
  va_list arguments;
  va_start(arguments, format);
  const int length = gg_print_list(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) gg_new_file_write(file, text, (size_t)length);
}

/* Closes the handle and renames the file. Returns 0 or the system's error number. */
static int complete_file(gg_new_file *file) {
  flush(file);
  const int closed = close(file->handle);
  file->handle = -1;
  if (!file->failed && (closed || gg_path_replace(file->temporary, file->path)))
    file->failed = errno;
  return file->failed;
}

gpugeo_status gg_new_file_close(gg_new_file *file, gpugeo_status status, gpugeo_error *error) {
  const bool opened = file->handle >= 0;
  if (!status && complete_file(file)) status = fail_to_write(file, file->failed, error);
  if (file->handle >= 0) close(file->handle);
  if (status && opened) gg_path_remove(file->temporary);
  gg_free(file->temporary);
  gg_free(file->buffer);
  return status;
}

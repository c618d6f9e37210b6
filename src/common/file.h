/* Opening files that come from outside; writing and reading all bytes. */
#ifndef GG_FILE_H
#define GG_FILE_H

#include <stdint.h>

#include "common/c_linkage.h"
#include "common/platform.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Opens a regular file for reading. Never waits: fails for a pipe, a device or a folder and
   names it as such. *size, unless NULL, becomes the file's size in bytes. */
gpugeo_status gg_file_open(const char *argument, const char *path, int *handle, int64_t *size,
                           gpugeo_error *error);

/* Write and read all bytes at an offset. Return 0 or the system's error number; ENODATA if the file
   is too short. */
int gg_write_at(int handle, const void *from, int64_t bytes, int64_t offset);
int gg_read_at(int handle, void *to, int64_t bytes, int64_t offset);

GG_C_END

#endif

/* Text files that replace another file when they are complete. */
#ifndef GG_NEW_FILE_H
#define GG_NEW_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/platform.h"
#include "gpugeo.h"

typedef struct gg_new_file {
  const char *path; /* borrowed until the file is closed */
  char *temporary;  /* owned: the path of the incomplete file */
  char *buffer;     /* owned */
  size_t used;      /* bytes in the buffer */
  int64_t written;  /* bytes in the file */
  int handle;
  int failed; /* the system's error number of the first failure; 0: none */
} gg_new_file;

/* Creates the incomplete file next to `path`. To be closed, also after a failure. */
gpugeo_status gg_new_file_open(gg_new_file *file, const char *path, gpugeo_error *error);

/* Append bytes, and at most 255 bytes of text as gg_print() does. Failures are kept until the file
   is closed. */
void gg_new_file_write(gg_new_file *file, const char *bytes, size_t count);
GG_PRINTF(2, 3) void gg_new_file_print(gg_new_file *file, const char *format, ...);

/* Gives the file its name if `status` is GPUGEO_OK and everything was written, else removes it.
   Returns `status` or the failure. */
gpugeo_status gg_new_file_close(gg_new_file *file, gpugeo_status status, gpugeo_error *error);

#endif

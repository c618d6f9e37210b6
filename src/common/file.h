/* Files of the operating system: opening those that come from outside, and writing under a limit of
   their size. */
#ifndef GG_FILE_H
#define GG_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a regular file for reading. Never waits: a pipe, a device or a folder is an error that says
   so. *size, unless NULL, becomes the file's size in bytes. */
gpugeo_status gg_file_open(const char *argument, const char *path, int *handle, int64_t *size,
                           gpugeo_error *error);

/* Writing beyond the limit of file sizes (ulimit -f) raises SIGXFSZ, which ends the process, unless
   the writing thread blocks it: then the write fails with EFBIG. Between these two calls, on one
   thread, it is blocked. The second one takes back a signal that was raised, restores the mask, and
   leaves errno alone. */
typedef struct gg_size_signal {
  sigset_t before;
} gg_size_signal;
void gg_size_signal_block(gg_size_signal *held);
void gg_size_signal_restore(const gg_size_signal *held);

/* True if files of so many bytes can be written under the limit. */
bool gg_size_allowed(double bytes);

#ifdef __cplusplus
}
#endif

#endif

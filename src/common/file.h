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

/* Opens a regular file for reading. Never waits: fails for a pipe, a device or a folder and
   names it as such. *size, unless NULL, becomes the file's size in bytes. */
gpugeo_status gg_file_open(const char *argument, const char *path, int *handle, int64_t *size,
                           gpugeo_error *error);

/* Block SIGXFSZ on this thread and restore its mask. Writing beyond the limit of file sizes
   (ulimit -f) raises this signal, which ends the process; while it is blocked the write fails
   with EFBIG. The second function removes a pending signal and does not change errno. */
typedef struct gg_size_signal {
  sigset_t before;
} gg_size_signal;
void gg_size_signal_block(gg_size_signal *held);
void gg_size_signal_restore(const gg_size_signal *held);

/* True if the limit allows files of `bytes`. */
bool gg_size_allowed(double bytes);

#ifdef __cplusplus
}
#endif

#endif

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"

static gpugeo_status fail_to_open(const char *argument, const char *path, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "file \"%.300s\" cannot be read: %s", path,
                 strerror(errno));
}

static const char *kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

gpugeo_status gg_file_open(const char *argument, const char *path, int *handle, int64_t *size,
                           gpugeo_error *error) {
  struct stat about;
  *handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*handle < 0) return fail_to_open(argument, path, error);
  const bool known = fstat(*handle, &about) == 0;
  if (known && S_ISREG(about.st_mode)) {
    if (size) *size = (int64_t)about.st_size;
    return GPUGEO_OK;
  }
  gpugeo_status status =
      known ? gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                      "file \"%.300s\" cannot be read: it must be a regular file, not %s", path,
                      kind_of(about.st_mode))
            : fail_to_open(argument, path, error);
  close(*handle);
  *handle = -1;
  return status;
}

/* --- limits of file sizes --------------------------------------------------------------------- */

static void only_size(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGXFSZ);
}

void gg_size_signal_block(gg_size_signal *held) {
  sigset_t set;
  only_size(&set);
  pthread_sigmask(SIG_BLOCK, &set, &held->before);
}

void gg_size_signal_restore(const gg_size_signal *held) {
  if (sigismember(&held->before, SIGXFSZ)) return; /* it was blocked before: nothing has changed */
  const int failed = errno;
  sigset_t set, pending;
  int taken;
  only_size(&set);
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) > 0) sigwait(&set, &taken);
  pthread_sigmask(SIG_SETMASK, &held->before, NULL);
  errno = failed;
}

bool gg_size_allowed(double bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= (double)limit.rlim_cur;
}

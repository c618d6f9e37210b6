#include "h5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "error.h"

#ifdef GPUGEO_WITH_HDF5
#include <pthread.h>

#include "h5_quiet.h"
#include "memory.h"

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void gg_h5_lock(void) { pthread_mutex_lock(&library); }

void gg_h5_unlock(void) { pthread_mutex_unlock(&library); }

gpugeo_status gg_h5_check_room(gpugeo_error *error) {
  void *room = gg_allocate(GG_H5_ROOM, 1);
  free(room);
  return room ? GPUGEO_OK : gg_fail_memory(error, GG_H5_ROOM);
}

static char version[32];

/* Finds the version, or where there is no memory for the library to start, that of its header. */
static void find_version(void) {
  unsigned major = H5_VERS_MAJOR, minor = H5_VERS_MINOR, release = H5_VERS_RELEASE;
  gg_h5_lock();
  if (!gg_h5_check_room(NULL)) H5get_libversion(&major, &minor, &release);
  gg_h5_unlock();
  snprintf(version, sizeof version, "%u.%u.%u", major, minor, release);
}

const char *gpugeo_hdf5_version(void) {
  static pthread_once_t found = PTHREAD_ONCE_INIT;
  pthread_once(&found, find_version);
  return version;
}
#else
const char *gpugeo_hdf5_version(void) { return ""; }
#endif

gpugeo_status gg_h5_missing(const char *argument, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s can't be an HDF5 file: gpugeo was built without HDF5", argument);
}

gpugeo_status gg_h5_readable(const char *argument, const char *file, gpugeo_error *error) {
  const int handle = open(file, O_RDONLY | O_CLOEXEC);
  if (handle < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "file \"%.300s\" cannot be read: %s",
                   file, strerror(errno));
  const int taken = flock(handle, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(handle);
  if (!taken) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, argument,
                 "file \"%.300s\" is being written by another call", file);
}

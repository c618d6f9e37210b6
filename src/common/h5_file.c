#include "common/h5_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"

#ifdef GPUGEO_WITH_HDF5
#include <pthread.h>

#include "common/h5_quiet.h"
#include "common/memory.h"

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void gg_h5_lock(void) { pthread_mutex_lock(&library); }

void gg_h5_unlock(void) { pthread_mutex_unlock(&library); }

gpugeo_status gg_h5_check_room(gpugeo_error *error) {
  return gg_memory_is_there(GG_H5_ROOM) ? GPUGEO_OK : gg_fail_memory(error, GG_H5_ROOM);
}

static char version[32];

/* Finds the version of the library, or of its header if there is no memory for the library to
   start. */
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
                 "%s cannot be an HDF5 file: gpugeo was built without HDF5", argument);
}

bool gg_file_identify(int handle, gg_file_identity *identity) {
  gg_file_about about;
  if (!gg_handle_describe(handle, &about)) return false;
  *identity = (gg_file_identity){about.device, about.number, about.size};
  return true;
}

bool gg_file_is(int handle, const gg_file_identity *identity) {
  gg_file_identity opened;
  return gg_file_identify(handle, &opened) && opened.device == identity->device &&
         opened.number == identity->number;
}

gpugeo_status gg_h5_readable(const char *argument, const char *file, gg_file_identity *identity,
                             gpugeo_error *error) {
  int handle;
  gpugeo_status status = gg_file_open(argument, file, &handle, NULL, error);
  if (status) return status;
  const bool taken = gg_handle_lock(handle, false) == EWOULDBLOCK;
  const bool known = gg_file_identify(handle, identity);
  close(handle);
  if (!taken && known) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, argument, "file \"%.300s\" %s", file,
                 taken ? "is being written by another call" : "cannot be read");
}

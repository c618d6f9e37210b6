/* Calls of the HDF5 library that may fail without printing anything. */
#ifndef GG_H5_QUIET_H
#define GG_H5_QUIET_H

#include <hdf5.h>

#include "gpugeo.h"

/* Locks HDF5 from gg_h5_silence() to gg_h5_restore(), because not every HDF5 library is
   thread-safe. Functions in between call none of the caller's hooks. */
void gg_h5_lock(void);
void gg_h5_unlock(void);

/*
 * Fails with GPUGEO_ERROR_MEMORY unless GG_H5_ROOM bytes of memory can be allocated. Called before
 * HDF5 is, which crashes where an allocation of its own fails: HDF5 1.10 and 1.14 take less than 2
 * MiB to start and to open a file.
 */
enum { GG_H5_ROOM = 16 << 20 };
gpugeo_status gg_h5_check_room(gpugeo_error *error);

/* How errors were printed before. */
typedef struct gg_h5_voice {
  H5E_auto2_t function;
  void *data;
} gg_h5_voice;

/* Takes HDF5's lock and stops its messages. Returns what gg_h5_restore() needs. */
static inline gg_h5_voice gg_h5_silence(void) {
  gg_h5_voice before = {NULL, NULL};
  gg_h5_lock();
  H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

/* Lets HDF5 print messages as before, and gives its lock back. */
static inline void gg_h5_restore(gg_h5_voice before) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
  gg_h5_unlock();
}

#endif

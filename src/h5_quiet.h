/* Calls of the HDF5 library that may fail without printing anything. */
#ifndef GG_H5_QUIET_H
#define GG_H5_QUIET_H

#include <hdf5.h>

/* How errors were shown before. */
typedef struct gg_h5_voice {
  H5E_auto2_t function;
  void *data;
} gg_h5_voice;

static inline gg_h5_voice gg_h5_silence(void) {
  gg_h5_voice before = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void gg_h5_restore(gg_h5_voice before) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

#endif

/* HDF5 files, as far as they are the same for all that is in them. */
#ifndef GG_H5_FILE_H
#define GG_H5_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

/* A file as the system knows it, whatever its name. */
typedef struct gg_file_identity {
  uint64_t device, number;
  int64_t size; /* in bytes */
} gg_file_identity;

/* Reads that of an open file, and compares it; false also if the handle is none. */
bool gg_file_identify(int handle, gg_file_identity *identity);
bool gg_file_is(int handle, const gg_file_identity *identity);

/* For a build without the library. */
gpugeo_status gg_h5_missing(const char *argument, gpugeo_error *error);

/* Checks that a file is a regular one that can be read and that no call is writing to. Sets what
   identifies it. */
gpugeo_status gg_h5_readable(const char *argument, const char *file, gg_file_identity *identity,
                             gpugeo_error *error);

#endif

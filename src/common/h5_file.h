/* Functions for all HDF5 files, whatever they contain. */
#ifndef GG_H5_FILE_H
#define GG_H5_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

/* The identity of a file (device and inode), whatever its name. */
typedef struct gg_file_identity {
  uint64_t device, number;
  int64_t size; /* in bytes */
} gg_file_identity;

/* Read and compare the identity of an open file; the comparison is false for an invalid handle. */
bool gg_file_identify(int handle, gg_file_identity *identity);
bool gg_file_is(int handle, const gg_file_identity *identity);

/* Fails in a build without the library. */
gpugeo_status gg_h5_missing(const char *argument, gpugeo_error *error);

/* Checks that a file is a regular one that can be read and that no call is writing to. Sets its
   identity. */
gpugeo_status gg_h5_readable(const char *argument, const char *file, gg_file_identity *identity,
                             gpugeo_error *error);

#endif

/* HDF5 files, as far as they are the same for all that is in them. */
#ifndef GG_H5_FILE_H
#define GG_H5_FILE_H

#include "gpugeo.h"

/* For a build without the library. */
gpugeo_status gg_h5_missing(const char *argument, gpugeo_error *error);

/* Can a file be opened for reading, and is nobody writing to it? */
gpugeo_status gg_h5_readable(const char *argument, const char *file, gpugeo_error *error);

#endif

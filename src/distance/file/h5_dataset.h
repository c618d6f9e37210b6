/* Datasets that are stored in the named file itself. */
#ifndef GG_H5_DATASET_H
#define GG_H5_DATASET_H

#include <hdf5.h>
#include <stdbool.h>

/* Opens a dataset. Returns a negative number if there is none, or if it is stored elsewhere:
   behind an external link, in external files, or as a virtual dataset. Then *elsewhere is true,
   and no other file has been opened. */
hid_t gg_h5_dataset_open(hid_t file, const char *name, bool *elsewhere);

#endif

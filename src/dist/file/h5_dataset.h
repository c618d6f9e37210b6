/* Datasets that are stored in the very file that was named. */
#ifndef GG_H5_DATASET_H
#define GG_H5_DATASET_H

#include <hdf5.h>
#include <stdbool.h>

/* Opens a dataset. Negative if there is none, or if it is stored elsewhere: behind an external
   link, in external files, or as a virtual dataset. Then *elsewhere is true, and nothing of any
   other file has been opened. */
hid_t gg_h5_dataset_open(hid_t file, const char *name, bool *elsewhere);

#endif

/* Datasets that are stored in the named file itself, and their types. */
#ifndef GG_H5_DATASET_H
#define GG_H5_DATASET_H

#include <hdf5.h>
#include <stdbool.h>

/* Opens a dataset. Returns a negative number if there is none, or if it is stored elsewhere:
   behind an external link, in external files, or as a virtual dataset. Then *elsewhere is true,
   and no other file has been opened. */
hid_t gg_h5_dataset_open(hid_t file, const char *name, bool *elsewhere);

/* Opens a group. Returns a negative number if there is none, or if it is behind an external link.
   Then *elsewhere is true, and no other file has been opened. */
hid_t gg_h5_group_open(hid_t file, const char *name, bool *elsewhere);

/* True if all parts of a number lie within its bytes. HDF5 does not check this in a damaged file.
 */
bool gg_h5_is_number(hid_t type);

/* True if the dataset has stored as many values as it says, or none, or is in chunks: HDF5 reads
   beyond what is stored in a damaged file otherwise. */
bool gg_h5_is_whole(hid_t dataset, hsize_t values);

#endif

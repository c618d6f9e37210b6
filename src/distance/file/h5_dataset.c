#ifdef GPUGEO_WITH_HDF5

#include "distance/file/h5_dataset.h"

/* Refuses external links. HDF5 calls it before it follows one. */
static herr_t refuse_link(const char *parent_file, const char *parent_group, const char *child_file,
                          const char *child_name, unsigned *flags, hid_t access, void *elsewhere) {
  (void)parent_file, (void)parent_group, (void)child_file, (void)child_name, (void)flags;
  (void)access;
  *(bool *)elsewhere = true;
  return -1;
}

/* True if the values of a dataset are in other files. */
static bool is_stored_elsewhere(hid_t dataset) {
  const hid_t how = H5Dget_create_plist(dataset);
  const bool elsewhere = H5Pget_external_count(how) != 0 || H5Pget_layout(how) == H5D_VIRTUAL;
  H5Pclose(how);
  return elsewhere;
}

hid_t gg_h5_dataset_open(hid_t file, const char *name, bool *elsewhere) {
  *elsewhere = false;
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_elink_cb(access, refuse_link, elsewhere);
  hid_t dataset = H5Dopen2(file, name, access);
  H5Pclose(access);
  if (dataset >= 0 && is_stored_elsewhere(dataset)) {
    H5Dclose(dataset);
    *elsewhere = true;
    dataset = -1;
  }
  return dataset;
}

#else

typedef int gg_no_hdf5; /* a file must declare something */

#endif

#ifdef GPUGEO_WITH_HDF5

#include "common/h5_dataset.h"

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

/* Returns properties of a class of access, to be closed, by which no external link is followed. */
static hid_t access_without_links(hid_t class, bool *elsewhere) {
  *elsewhere = false;
  const hid_t access = H5Pcreate(class);
  H5Pset_elink_cb(access, refuse_link, elsewhere);
  return access;
}

hid_t gg_h5_group_open(hid_t file, const char *name, bool *elsewhere) {
  const hid_t access = access_without_links(H5P_GROUP_ACCESS, elsewhere);
  const hid_t group = H5Gopen2(file, name, access);
  H5Pclose(access);
  return group;
}

hid_t gg_h5_dataset_open(hid_t file, const char *name, bool *elsewhere) {
  const hid_t access = access_without_links(H5P_DATASET_ACCESS, elsewhere);
  hid_t dataset = H5Dopen2(file, name, access);
  H5Pclose(access);
  if (dataset >= 0 && is_stored_elsewhere(dataset)) {
    H5Dclose(dataset);
    *elsewhere = true;
    dataset = -1;
  }
  return dataset;
}

enum { MOST_BYTES = 16, MOST_EXPONENT = 32 /* bytes of a number, bits of its exponent */ };

bool gg_h5_is_number(hid_t type) {
  const H5T_class_t class = H5Tget_class(type);
  const size_t bytes = H5Tget_size(type), bits = 8 * bytes;
  if ((class != H5T_FLOAT && class != H5T_INTEGER) || bytes < 1 || bytes > MOST_BYTES) return false;
  const int offset = H5Tget_offset(type);
  const size_t precision = H5Tget_precision(type);
  if (offset < 0 || precision < 1 || precision > bits || (size_t)offset > bits - precision)
    return false;
  size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  if (class == H5T_INTEGER) return true;
  return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
         sign < bits && exponent_bits <= MOST_EXPONENT && exponent_bits > 0 && exponent < bits &&
         exponent_bits <= bits - exponent && mantissa < bits && mantissa_bits > 0 &&
         mantissa_bits <= bits - mantissa;
}

bool gg_h5_is_whole(hid_t dataset, hsize_t values) {
  const hid_t how = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  const H5D_layout_t layout = H5Pget_layout(how);
  const hsize_t stored = H5Dget_storage_size(dataset), needed = values * H5Tget_size(type);
  H5Tclose(type);
  H5Pclose(how);
  return layout == H5D_CHUNKED || stored >= needed || (layout == H5D_CONTIGUOUS && stored == 0);
}

#else

typedef int gg_no_hdf5; /* a file must declare something */

#endif

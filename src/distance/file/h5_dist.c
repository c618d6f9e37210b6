#include "distance/file/h5_dist.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/platform.h"

int64_t gg_h5_dist_bytes(const gg_h5_dist *about) {
  if (about->points == 0) return 0;
  if (about->shape == GPUGEO_SHAPE_CONDENSED)
    return about->points * (about->points - 1) / 2 * gg_h5_value_bytes(about);
  const int64_t side = (about->points + about->chunk - 1) / about->chunk * about->chunk;
  return side * side * gg_h5_value_bytes(about);
}

#ifdef GPUGEO_WITH_HDF5

#include "common/h5_dataset.h"
#include "common/h5_quiet.h"
#include "distance/overlap.h"

/* The marker is a dataset of its own and not an attribute, because HDF5 returns the offset only
   of datasets. */
static const char marker_name[] = "tiles_done";
static const int64_t format = 1; /* of what is described here, as the attribute "gpugeo" */

static bool good(hid_t id) { return id >= 0; }

/* --- attributes ------------------------------------------------------------------------------- */

/* Writes an attribute of a dataset. Returns false if that fails. */
static bool write_attribute(hid_t dataset, const char *name, hid_t type, hid_t space,
                            const void *value) {
  const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool written = good(attribute) && H5Awrite(attribute, type, value) >= 0;
  if (good(attribute)) H5Aclose(attribute);
  return written;
}

/* Writes an attribute with one value. Returns false if that fails. */
static bool write_number(hid_t dataset, const char *name, hid_t type, const void *value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const bool written = write_attribute(dataset, name, type, space, value);
  H5Sclose(space);
  return written;
}

/* Returns a type of UTF-8 text of at most width - 1 bytes. */
static hid_t text_type(size_t width) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, width);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* Writes an attribute with a text. Returns false if that fails. */
static bool write_text(hid_t dataset, const char *name, const char *text) {
  const hid_t type = text_type(strlen(text) + 1);
  const bool written = write_number(dataset, name, type, text);
  H5Tclose(type);
  return written;
}

/* Writes all labels, each in as many bytes as the longest one needs. */
static gpugeo_status write_labels(hid_t dataset, int64_t count, const char *const *labels,
                                  bool *written, gpugeo_error *error) {
  size_t width = 1;
  for (int64_t i = 0; i < count; ++i)
    if (strlen(labels[i]) + 1 > width) width = strlen(labels[i]) + 1;
  char *text = gg_allocate(count, (int64_t)width);
  if (!text) return gg_fail_memory(error, count * (int64_t)width);
  memset(text, 0, (size_t)count * width);
  for (int64_t i = 0; i < count; ++i)
    memcpy(text + (size_t)i * width, labels[i], strlen(labels[i]));
  const hsize_t size = (hsize_t)count;
  const hid_t type = text_type(width), space = H5Screate_simple(1, &size, NULL);
  *written = write_attribute(dataset, "labels", type, space, text);
  H5Sclose(space);
  H5Tclose(type);
  gg_free(text);
  return GPUGEO_OK;
}

/* Reads a single number or text of the given class. */
static bool read_attribute(hid_t dataset, const char *name, hid_t type, void *value) {
  if (H5Aexists(dataset, name) <= 0) return false;
  const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
  if (!good(attribute)) return false;
  const hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
  const bool read = H5Sget_simple_extent_npoints(space) == 1 &&
                    H5Tget_class(stored) == H5Tget_class(type) && H5Tis_variable_str(stored) <= 0 &&
                    H5Aread(attribute, type, value) >= 0;
  H5Tclose(stored);
  H5Sclose(space);
  H5Aclose(attribute);
  return read;
}

/* --- offsets ---------------------------------------------------------------------------------- */

/* Finds the offset of a dataset in its file; 0 if nothing is stored. */
static bool find_offset(hid_t dataset, const gg_h5_dist *about, int64_t *offset) {
  const hid_t space = H5Dget_space(dataset);
  const int64_t values = (int64_t)H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  *offset = 0;
  if (values == 0) return true;
  if (!about || about->shape == GPUGEO_SHAPE_CONDENSED) {
    const haddr_t start = H5Dget_offset(dataset);
    *offset = (int64_t)start;
    return start != HADDR_UNDEF;
  }
  /* Chunks of one piece are contiguous: it is enough to compare the first and the last one. */
  const int64_t down = (about->points + about->chunk - 1) / about->chunk;
  const int64_t bytes = about->chunk * about->chunk * gg_h5_value_bytes(about);
  const hsize_t origin[] = {0, 0};
  const hsize_t end[] = {(hsize_t)((down - 1) * about->chunk),
                         (hsize_t)((down - 1) * about->chunk)};
  haddr_t first = HADDR_UNDEF, last = HADDR_UNDEF;
  if (H5Dget_chunk_info_by_coord(dataset, origin, NULL, &first, NULL) < 0 ||
      H5Dget_chunk_info_by_coord(dataset, end, NULL, &last, NULL) < 0)
    return false;
  *offset = (int64_t)first;
  return first != HADDR_UNDEF && (int64_t)last == (int64_t)first + (down * down - 1) * bytes;
}

/* Returns HDF5's type of the distances. */
static hid_t value_type(const gg_h5_dist *about) {
  return about->type == GPUGEO_TYPE_FLOAT ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Creates a dataset and allocates room for all values, so it has an offset; nothing is
   written to it. */
static hid_t make_dataset(hid_t file, const char *name, hid_t type, hid_t space, int64_t chunk) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  H5Pset_create_intermediate_group(link, 1);
  const hsize_t sides[] = {(hsize_t)chunk, (hsize_t)chunk};
  if (chunk) H5Pset_chunk(how, 2, sides);
  const hid_t dataset = H5Dcreate2(file, name, type, space, link, how, H5P_DEFAULT);
  H5Pclose(link);
  H5Pclose(how);
  return dataset;
}

/* Creates the dataset with the number of tiles that are written, and finds its offset. */
static bool make_marker(hid_t file, gg_h5_dist *about) {
  const int64_t none = 0;
  const hsize_t one = 1;
  const hid_t space = H5Screate_simple(1, &one, NULL);
  const hid_t marker = make_dataset(file, marker_name, H5T_NATIVE_INT64, space, 0);
  const bool made = good(marker) && find_offset(marker, NULL, &about->marker) &&
                    H5Dwrite(marker, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none) >= 0;
  if (good(marker)) H5Dclose(marker);
  H5Sclose(space);
  return made;
}

/* Creates the dataset of distances, and finds its offset. */
static bool make_distances(hid_t file, gg_h5_dist *about, hid_t *dataset) {
  const bool condensed = about->shape == GPUGEO_SHAPE_CONDENSED;
  const hsize_t n = (hsize_t)about->points;
  const hsize_t sizes[] = {condensed && n ? n * (n - 1) / 2 : n, n};
  const hid_t space = H5Screate_simple(condensed ? 1 : 2, sizes, NULL);
  *dataset =
      make_dataset(file, about->name, value_type(about), space, condensed ? 0 : about->chunk);
  H5Sclose(space);
  return good(*dataset) && find_offset(*dataset, about, &about->data);
}

/* Formats the fingerprint as text, because many readers have no unsigned numbers of 64 bits. */
static void fingerprint_text(uint64_t fingerprint, char text[17]) {
  snprintf(text, 17, "%016llx", (unsigned long long)fingerprint);
}

/* Writes what describes the distances. Returns false if that fails. */
static bool describe_distances(hid_t dataset, const gg_h5_dist *about) {
  char fingerprint[17];
  fingerprint_text(about->fingerprint, fingerprint);
  return write_number(dataset, "gpugeo", H5T_NATIVE_INT64, &format) &&
         write_number(dataset, "size", H5T_NATIVE_INT64, &about->points) &&
         write_text(dataset, "metric", about->metric) &&
         write_number(dataset, "tile_side", H5T_NATIVE_INT64, &about->side) &&
         write_text(dataset, "fingerprint", fingerprint);
}

/* Writes all of a new file but its distances. */
static gpugeo_status fill_file(hid_t file, gg_h5_dist *about, const char *const *labels,
                               gpugeo_error *error) {
  hid_t dataset = -1;
  bool made = make_marker(file, about) && make_distances(file, about, &dataset) &&
              describe_distances(dataset, about);
  gpugeo_status status = GPUGEO_OK;
  if (made && labels && about->points > 0)
    status = write_labels(dataset, about->points, labels, &made, error);
  if (good(dataset)) H5Dclose(dataset);
  if (!status && !made)
    status = gg_fail(error, GPUGEO_ERROR_FILE, "file",
                     "the HDF5 library cannot create the dataset \"%.100s\"", about->name);
  return status;
}

/* Removes a file that a killed process with this process's id has left under the temporary name:
   it belongs to this user and no process has locked it. Fails if something else has that name. */
static gpugeo_status remove_stale(const char *temporary, gpugeo_error *error) {
  if (!gg_path_taken(temporary)) return GPUGEO_OK;
  gg_file_about there;
  const int handle = gg_handle_open(temporary, GG_FILE_UPDATE_NO_LINK);
  bool stale = handle >= 0 && gg_handle_describe(handle, &there) && there.kind == GG_FILE_REGULAR &&
               there.own && gg_handle_lock(handle, true) == 0;
  stale = stale && gg_path_remove(temporary) == 0;
  if (handle >= 0) close(handle);
  if (stale) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, "file",
                 "file \"%.300s\" must not be there: it is the temporary name of a new file",
                 temporary);
}

/* Creates the file, never through a link or over another file, without its distances. */
static hid_t create_file(const char *temporary) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  /* From this version on, chunks of one piece have no index that a killed process could break. */
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  /* Whole chunks begin at whole pages, so they can be written past the cache. */
  H5Pset_alignment(access, GG_PAGE_BYTES * 16, GG_PAGE_BYTES);
  errno = 0;
  const hid_t made = H5Fcreate(temporary, H5F_ACC_EXCL, H5P_DEFAULT, access);
  const int reason = errno;
  H5Pclose(access);
  errno = reason;
  return made;
}

/* Fails with the system's error message. */
static gpugeo_status fail_to_create(gpugeo_status code, const char *file, const char *what,
                                    gpugeo_error *error) {
  return gg_fail(error, code, "file", "file \"%.300s\" cannot be %s: %s", file, what,
                 strerror(errno));
}

/* Creates a file under another name, and renames it when it is complete but for its distances. */
static gpugeo_status make_file(const char *file, const char *temporary, gg_h5_dist *about,
                               const char *const *labels, gpugeo_error *error) {
  const hid_t made = create_file(temporary);
  if (!good(made)) {
    gpugeo_status status = fail_to_create(GPUGEO_ERROR_ARGUMENT, file, "created", error);
    (void)remove_stale(temporary, NULL); /* what the library may have begun */
    return status;
  }
  gpugeo_status status = fill_file(made, about, labels, error);
  errno = 0;
  if (H5Fclose(made) < 0 && !status)
    status = fail_to_create(GPUGEO_ERROR_FILE, file, "written", error);
  if (!status && gg_path_replace(temporary, file))
    status = fail_to_create(GPUGEO_ERROR_FILE, file, "created", error);
  if (status) gg_path_remove(temporary);
  return status;
}

/* Returns an upper bound of the bytes of a new file. What HDF5 adds to the distances and labels
   takes less than 64 KiB. */
static double bytes_of_file(const gg_h5_dist *about, const char *const *labels) {
  const double n = (double)about->points, side = (double)about->chunk;
  const double across = side > 0 ? ceil(n / side) * side : n;
  const double values = about->shape == GPUGEO_SHAPE_CONDENSED ? n * (n - 1) / 2 : across * across;
  size_t width = 1;
  for (int64_t i = 0; labels && i < about->points; ++i)
    if (strlen(labels[i]) + 1 > width) width = strlen(labels[i]) + 1;
  return values * (double)gg_h5_value_bytes(about) + (labels ? n * (double)width : 0) + 65536;
}

/* Creates the file under a temporary name and renames it, so no process sees an incomplete
   file. */
gpugeo_status gg_h5_dist_create(const char *file, gg_h5_dist *about, const char *const *labels,
                                gpugeo_error *error) {
  if (!gg_size_allowed(bytes_of_file(about, labels))) {
    errno = EFBIG;
    return fail_to_create(GPUGEO_ERROR_FILE, file, "created", error);
  }
  gpugeo_status status = gg_h5_check_room(error);
  if (status) return status;
  const size_t length = strlen(file) + 32;
  char *temporary = gg_allocate((int64_t)length, 1);
  if (!temporary) return gg_fail_memory(error, (int64_t)length);
  snprintf(temporary, length, "%s.new-%ld", file, (long)getpid());
  const gg_h5_voice voice = gg_h5_silence();
  gg_size_signal held;
  gg_size_signal_block(&held);
  status = remove_stale(temporary, error);
  if (!status) status = make_file(file, temporary, about, labels, error);
  gg_size_signal_restore(&held);
  gg_h5_restore(voice);
  gg_free(temporary);
  return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* True if the values of a dataset have the type. */
static bool type_is(hid_t dataset, hid_t wanted) {
  const hid_t type = H5Dget_type(dataset);
  const bool same = H5Tequal(type, wanted) > 0;
  H5Tclose(type);
  return same;
}

/* True if the chunks of a square dataset follow each other: the library then keeps no index. */
static bool is_in_one_piece(hid_t dataset, hid_t how, const gg_h5_dist *about) {
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  if (H5Pget_nfilters(how) != 0 || H5Dget_chunk_index_type(dataset, &index) < 0) return false;
  return index == H5D_CHUNK_IDX_NONE || index == H5D_CHUNK_IDX_SINGLE || about->points == 0;
}

/* Reads the shape, and the side of its chunks. */
static bool read_shape(hid_t dataset, gg_h5_dist *about) {
  const hid_t space = H5Dget_space(dataset), how = H5Dget_create_plist(dataset);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 0}, chunk[2] = {0, 0};
  if (dimensions == 1 || dimensions == 2) H5Sget_simple_extent_dims(space, size, NULL);
  const hsize_t n = (hsize_t)about->points;
  bool good_shape = false;
  if (dimensions == 1) {
    about->shape = GPUGEO_SHAPE_CONDENSED;
    good_shape = H5Pget_layout(how) == H5D_CONTIGUOUS && size[0] == (n ? n * (n - 1) / 2 : 0);
  } else if (dimensions == 2 && H5Pget_layout(how) == H5D_CHUNKED) {
    about->shape = GPUGEO_SHAPE_FULL;
    H5Pget_chunk(how, 2, chunk);
    about->chunk = (int64_t)chunk[0];
    good_shape = size[0] == n && size[1] == n && chunk[0] == chunk[1] &&
                 is_in_one_piece(dataset, how, about);
  }
  H5Pclose(how);
  H5Sclose(space);
  return good_shape;
}

/* Reads an attribute with a text. Returns false if there is none. */
static bool read_text(hid_t dataset, const char *name, char *text, size_t size) {
  const hid_t type = text_type(size);
  const bool read = read_attribute(dataset, name, type, text);
  H5Tclose(type);
  text[size - 1] = 0;
  return read;
}

/* Reads the name of the metric. Returns false if it is unknown. */
static bool read_metric(hid_t dataset, gg_h5_dist *about) {
  if (!read_text(dataset, "metric", about->metric, sizeof about->metric)) return false;
  bool known = false;
  for (int m = 0; m < GPUGEO_METRIC_COUNT; ++m)
    known |= strcmp(about->metric, gpugeo_name(GPUGEO_ENUM_METRIC, m)) == 0;
  for (int m = 0; m < GPUGEO_DNA_MODEL_COUNT; ++m)
    known |= strcmp(about->metric, gpugeo_name(GPUGEO_ENUM_DNA_MODEL, m)) == 0;
  for (int m = 0; m < GPUGEO_UNIFRAC_TYPE_COUNT; ++m)
    known |= strcmp(about->metric, gpugeo_name(GPUGEO_ENUM_UNIFRAC_TYPE, m)) == 0;
  known |= strcmp(about->metric, GG_OVERLAP_METRIC) == 0;
  return known;
}

/* Reads the fingerprint. Returns false if it is not 16 hexadecimal digits. */
static bool read_fingerprint(hid_t dataset, gg_h5_dist *about) {
  char text[18];
  if (!read_text(dataset, "fingerprint", text, sizeof text) ||
      strspn(text, "0123456789abcdef") != 16 || text[16])
    return false;
  about->fingerprint = strtoull(text, NULL, 16);
  return true;
}

/* The end of the message about an invalid file; NULL: the file is valid. */
typedef const char *fault;
static const char something_else[] = "holds something else";
static const char elsewhere[] = "has its distances in another file";
static const char user_block[] = "has a user block";
static const char contradiction[] = "has numbers that contradict each other";

/* Finds the offset of the number of tiles that are written. Returns the fault of the file, or NULL.
 */
static fault read_marker_offset(hid_t file, gg_h5_dist *about) {
  bool is_elsewhere;
  const hid_t marker = gg_h5_dataset_open(file, marker_name, &is_elsewhere);
  if (!good(marker)) return is_elsewhere ? elsewhere : something_else;
  const hid_t space = H5Dget_space(marker), how = H5Dget_create_plist(marker);
  const bool read = type_is(marker, H5T_NATIVE_INT64) && H5Pget_layout(how) == H5D_CONTIGUOUS &&
                    H5Sget_simple_extent_npoints(space) == 1 &&
                    find_offset(marker, NULL, &about->marker);
  H5Pclose(how);
  H5Sclose(space);
  H5Dclose(marker);
  return read ? NULL : something_else;
}

/* Returns the fault of a file that does not begin with HDF5's header, or NULL. */
static fault check_user_block(hid_t file) {
  const hid_t how = H5Fget_create_plist(file);
  hsize_t bytes = 1;
  const bool known = H5Pget_userblock(how, &bytes) >= 0;
  H5Pclose(how);
  return known && bytes == 0 ? NULL : user_block;
}

/* Checks the numbers of a file against each other, and its offsets against its size. */
static fault check_numbers(hid_t dataset, const gg_h5_dist *about) {
  const int64_t superblock = 48, size = about->identity.size, bytes = gg_h5_dist_bytes(about);
  const bool full = about->shape == GPUGEO_SHAPE_FULL;
  const bool good_side = about->side <= gg_h5_side_most(about->points) &&
                         (!full || about->chunk == gg_h5_chunk_of(about->side));
  const bool good_marker = about->marker >= superblock && about->marker <= size - 8;
  const bool separate = about->marker + 8 <= about->data || about->marker >= about->data + bytes;
  const bool good_data = (int64_t)H5Dget_storage_size(dataset) == bytes &&
                         about->data >= superblock && about->data <= size - bytes && separate;
  return good_side && good_marker && (bytes == 0 || good_data) ? NULL : contradiction;
}

/* Reads what describes the distances. Returns the fault of the file, or NULL. */
static fault read_about(hid_t file, hid_t dataset, gg_h5_dist *about) {
  int64_t version = 0;
  if (!read_attribute(dataset, "gpugeo", H5T_NATIVE_INT64, &version) || version != format ||
      !read_attribute(dataset, "size", H5T_NATIVE_INT64, &about->points) ||
      !read_attribute(dataset, "tile_side", H5T_NATIVE_INT64, &about->side) ||
      !read_fingerprint(dataset, about) || !read_metric(dataset, about))
    return something_else;
  if (about->points < 0 || about->points > GG_H5_MOST_POINTS || about->side < 1)
    return contradiction;
  about->type = type_is(dataset, H5T_NATIVE_FLOAT) ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  if (!type_is(dataset, value_type(about)) || !read_shape(dataset, about)) return something_else;
  fault found = check_user_block(file);
  if (!found && !find_offset(dataset, about, &about->data)) found = something_else;
  if (!found) found = read_marker_offset(file, about);
  return found ? found : check_numbers(dataset, about);
}

/* Opens the given dataset, or the first of the two default names that exists. */
static hid_t open_dataset(hid_t file, const char *name, gg_h5_dist *about, bool *is_elsewhere) {
  const char *const names[] = {name && *name ? name : "dist", "matrix"};
  const int count = name && *name ? 1 : 2;
  hid_t dataset = -1;
  *is_elsewhere = false;
  for (int i = 0; i < count && !good(dataset) && !*is_elsewhere; ++i) {
    snprintf(about->name, sizeof about->name, "%s", names[i]);
    dataset = gg_h5_dataset_open(file, names[i], is_elsewhere);
  }
  return dataset;
}

/* Reads what describes a dataset, by its name. Returns the fault of the file, or NULL. */
static fault read_dataset(hid_t file, const char *name, gg_h5_dist *about) {
  bool is_elsewhere;
  const hid_t dataset = open_dataset(file, name, about, &is_elsewhere);
  if (!good(dataset)) return is_elsewhere ? elsewhere : something_else;
  const fault found = read_about(file, dataset, about);
  H5Dclose(dataset);
  return found;
}

/* Fills in the error of a file with a fault. */
static gpugeo_status fail_fault(const char *file, const char *name, fault found,
                                gpugeo_error *error) {
  const bool named = found == something_else && name && *name;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file",
                 "file must be one of distances, but \"%.300s\" %s%s%.100s%s", file, found,
                 named ? ", or not \"" : "", named ? name : "", named ? "\"" : "");
}

gpugeo_status gg_h5_dist_inspect(const char *file, const char *name, gg_h5_dist *about,
                                 gpugeo_error *error) {
  *about = (gg_h5_dist){.points = 0};
  gpugeo_status status = gg_h5_readable("file", file, &about->identity, error);
  if (!status) status = gg_h5_check_room(error);
  if (status) return status;
  const gg_h5_voice voice = gg_h5_silence();
  const hid_t opened = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (good(opened)) {
    const fault found = read_dataset(opened, name, about);
    if (found) status = fail_fault(file, name, found, error);
    H5Fclose(opened);
  } else {
    status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file",
                     "file must be one of distances, but \"%.300s\" is no HDF5 file", file);
  }
  gg_h5_restore(voice);
  return status;
}

/* Checks the labels before memory for them is allocated: they cannot be larger than the file. */
static bool are_labels(hid_t type, hid_t space, const gg_h5_dist *about, int64_t *width) {
  const size_t bytes = H5Tget_size(type);
  *width = (int64_t)bytes;
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && bytes > 0 &&
         H5Sget_simple_extent_npoints(space) == about->points &&
         bytes <= (size_t)(about->identity.size / about->points);
}

/* Fills in the error of labels that cannot be read. */
static gpugeo_status fail_labels(gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_FILE, "file", "the labels in the file cannot be read");
}

/* Reads the labels of an attribute, each in *width bytes. */
static gpugeo_status read_labels(hid_t attribute, const gg_h5_dist *about, char **labels,
                                 int64_t *width, gpugeo_error *error) {
  const int64_t count = about->points;
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  gpugeo_status status = are_labels(type, space, about, width) ? GPUGEO_OK : fail_labels(error);
  if (!status && !(*labels = gg_allocate(count, *width)))
    status = gg_fail_memory(error, count * *width);
  if (!status && H5Aread(attribute, type, *labels) < 0) status = fail_labels(error);
  for (int64_t i = 0; !status && i < count; ++i)
    (*labels)[(i + 1) * *width - 1] = 0;
  H5Sclose(space);
  H5Tclose(type);
  if (!status) return status;
  gg_free(*labels);
  *labels = NULL;
  return status;
}

/* Reads the labels of a dataset; there are none without the attribute. */
static gpugeo_status read_labels_of(hid_t dataset, const gg_h5_dist *about, char **labels,
                                    int64_t *width, gpugeo_error *error) {
  if (about->points == 0 || H5Aexists(dataset, "labels") <= 0) return GPUGEO_OK;
  const hid_t attribute = H5Aopen(dataset, "labels", H5P_DEFAULT);
  if (!good(attribute)) return fail_labels(error);
  gpugeo_status status = read_labels(attribute, about, labels, width, error);
  H5Aclose(attribute);
  return status;
}

gpugeo_status gg_h5_dist_labels(const char *file, const gg_h5_dist *about, char **labels,
                                int64_t *width, gpugeo_error *error) {
  gg_file_identity identity;
  *labels = NULL;
  *width = 0;
  gpugeo_status status = gg_h5_readable("file", file, &identity, error);
  if (status) return status;
  status = gg_h5_check_room(error);
  if (status) return status;
  const gg_h5_voice voice = gg_h5_silence();
  bool is_elsewhere;
  const hid_t opened = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = good(opened) ? gg_h5_dataset_open(opened, about->name, &is_elsewhere) : -1;
  status = good(dataset)
               ? read_labels_of(dataset, about, labels, width, error)
               : gg_fail(error, GPUGEO_ERROR_FILE, "file", "file \"%.300s\" cannot be read", file);
  if (good(dataset)) H5Dclose(dataset);
  if (good(opened)) H5Fclose(opened);
  gg_h5_restore(voice);
  return status;
}

#else

gpugeo_status gg_h5_dist_create(const char *file, gg_h5_dist *about, const char *const *labels,
                                gpugeo_error *error) {
  (void)file, (void)about, (void)labels;
  return gg_h5_missing("file", error);
}

gpugeo_status gg_h5_dist_inspect(const char *file, const char *name, gg_h5_dist *about,
                                 gpugeo_error *error) {
  (void)file, (void)name, (void)about;
  return gg_h5_missing("file", error);
}

gpugeo_status gg_h5_dist_labels(const char *file, const gg_h5_dist *about, char **labels,
                                int64_t *width, gpugeo_error *error) {
  (void)file, (void)about, (void)labels, (void)width;
  return gg_h5_missing("file", error);
}

#endif

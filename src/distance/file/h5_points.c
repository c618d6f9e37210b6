#include "distance/file/h5_points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/h5_file.h"
#include "common/memory.h"

#ifdef GPUGEO_WITH_HDF5

#include "common/h5_dataset.h"
#include "common/h5_quiet.h"

struct gg_h5_points {
  hid_t file, dataset, memory_type;
};

/* Closes the file of the points. */
static void close_points(gg_h5_points *points) {
  if (points->dataset >= 0) H5Dclose(points->dataset);
  if (points->file >= 0) H5Fclose(points->file);
  gg_free(points);
}

void gg_h5_points_close(gg_h5_points *points) {
  if (!points) return;
  const gg_h5_voice voice = gg_h5_silence();
  close_points(points);
  gg_h5_restore(voice);
}

/* Returns the type in memory: single precision and whole numbers of at most 32 bits are kept. */
static gpugeo_type type_of(hid_t dataset, hid_t *memory_type, bool *numbers) {
  const hid_t type = H5Dget_type(dataset);
  const H5T_class_t class = H5Tget_class(type);
  const size_t size = H5Tget_size(type);
  const bool narrow = size < 4 || (size == 4 && H5Tget_sign(type) == H5T_SGN_2);
  *numbers = gg_h5_is_number(type);
  H5Tclose(type);
  *memory_type = H5T_NATIVE_DOUBLE;
  if (class == H5T_FLOAT && size <= 4) {
    *memory_type = H5T_NATIVE_FLOAT;
    return GPUGEO_TYPE_FLOAT;
  }
  if (class == H5T_INTEGER && narrow) {
    *memory_type = H5T_NATIVE_INT32;
    return GPUGEO_TYPE_INT32;
  }
  return GPUGEO_TYPE_DOUBLE;
}

/* Opens a dataset of points, a matrix of numbers that is stored in its file. */
static gpugeo_status open_dataset(const char *argument, const char *file, const char *name,
                                  gg_h5_points *points, gpugeo_matrix *view, gpugeo_error *error) {
  points->file = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (points->file < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be in an HDF5 file, which \"%.300s\" is not", argument, file);
  bool elsewhere;
  points->dataset = gg_h5_dataset_open(points->file, name, &elsewhere);
  if (elsewhere)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be stored in its file: dataset \"%.100s\" of \"%.200s\" is in another "
                   "one",
                   argument, name, file);
  if (points->dataset < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a dataset of its file: \"%.200s\" has no dataset \"%.100s\"",
                   argument, file, name);
  bool numbers;
  const gpugeo_type type = type_of(points->dataset, &points->memory_type, &numbers);
  const hid_t space = H5Dget_space(points->dataset);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 0};
  if (dimensions == 2) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
  if (dimensions != 2 || !numbers)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a dataset of numbers in 2 dimensions: \"%.200s\", \"%.100s\" has "
                   "%d dimension%s%s",
                   argument, file, name, dimensions, dimensions == 1 ? "" : "s",
                   numbers ? "" : " and no numbers");
  const hsize_t most = (hsize_t)1 << 40; /* whose products with 8 bytes can be counted */
  if (size[0] > most || size[1] > most || (size[0] && size[1] > ((hsize_t)1 << 60) / size[0]))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must have at most 2^40 rows and columns and 2^60 values, not %llu x %llu: "
                   "\"%.200s\", \"%.100s\"",
                   argument, (unsigned long long)size[1], (unsigned long long)size[0], file, name);
  if (!gg_h5_is_whole(points->dataset, size[0] * size[1]))
    return gg_fail(
        error, GPUGEO_ERROR_ARGUMENT, argument,
        "%s must be a dataset that is whole: \"%.200s\", \"%.100s\" has stored %llu bytes "
        "for %llu values",
        argument, file, name, (unsigned long long)H5Dget_storage_size(points->dataset),
        (unsigned long long)(size[0] * size[1]));
  const int64_t rows = (int64_t)size[1], columns = (int64_t)size[0];
  *view = (gpugeo_matrix){NULL, type, rows, columns, rows, NULL};
  return GPUGEO_OK;
}

gpugeo_status gg_h5_points_open(const char *argument, const char *file, const char *name,
                                gg_h5_points **points, gpugeo_matrix *view, gpugeo_error *error) {
  gg_file_identity unread;
  gpugeo_status status = gg_h5_readable(argument, file, &unread, error);
  if (status) return status;
  status = gg_h5_check_room(error);
  if (status) return status;
  gg_h5_points *opened = gg_allocate(1, sizeof *opened);
  if (!opened) return gg_fail_memory(error, sizeof *opened);
  *opened = (gg_h5_points){-1, -1, -1};
  const gg_h5_voice voice = gg_h5_silence();
  status = open_dataset(argument, file, name ? name : "", opened, view, error);
  if (status)
    close_points(opened);
  else
    *points = opened;
  gg_h5_restore(voice);
  return status;
}

gpugeo_status gg_h5_points_read(const gg_h5_points *points, int64_t row, int64_t rows,
                                int64_t column, int64_t columns, void *to, gpugeo_error *error) {
  gpugeo_status status = gg_h5_check_room(error);
  if (status) return status;
  const hsize_t start[] = {(hsize_t)column, (hsize_t)row};
  const hsize_t count[] = {(hsize_t)columns, (hsize_t)rows};
  const gg_h5_voice voice = gg_h5_silence();
  const hid_t space = H5Dget_space(points->dataset), room = H5Screate_simple(2, count, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  const herr_t failed = H5Dread(points->dataset, points->memory_type, room, space, H5P_DEFAULT, to);
  H5Sclose(room);
  H5Sclose(space);
  gg_h5_restore(voice);
  if (failed >= 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, "x",
                 "rows %lld to %lld of an HDF5 dataset cannot be read", (long long)row + 1,
                 (long long)(row + rows));
}

#else

gpugeo_status gg_h5_points_open(const char *argument, const char *file, const char *name,
                                gg_h5_points **points, gpugeo_matrix *view, gpugeo_error *error) {
  (void)file, (void)name, (void)points, (void)view;
  return gg_h5_missing(argument, error);
}

void gg_h5_points_close(gg_h5_points *points) { (void)points; }

gpugeo_status gg_h5_points_read(const gg_h5_points *points, int64_t row, int64_t rows,
                                int64_t column, int64_t columns, void *to, gpugeo_error *error) {
  (void)points, (void)row, (void)rows, (void)column, (void)columns, (void)to;
  return gg_h5_missing("x", error);
}

#endif

/* HDF5 files that were made to do harm: numbers that contradict each other, data that are stored in
   other files, and names that lead elsewhere. Each is an error, and nothing is written anywhere. */
#include "check.h"
#include "gpugeo.h"

#ifdef GPUGEO_WITH_HDF5

#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary.h"

enum { POINTS = 40, COORDINATES = 3, SIDE = 16 };

static char *folder;

/* --- files ------------------------------------------------------------------------------------ */

/* All bytes of a file, to be freed. */
static char *bytes_of(const char *path, size_t *size) {
  struct stat about = {0};
  FILE *file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &about) != 0) abort();
  *size = (size_t)about.st_size;
  char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) abort();
  fclose(file);
  return bytes;
}

static void put_bytes(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

static gpugeo_matrix make_points(int64_t n) {
  static double values[2000 * COORDINATES];
  for (int64_t i = 0; i < n * COORDINATES; ++i)
    values[i] = (double)(i * 37 % 101);
  return (gpugeo_matrix){values, GPUGEO_TYPE_DOUBLE, n, COORDINATES, n, NULL};
}

static gpugeo_status write_file(const char *path, gpugeo_shape shape, int64_t n, int64_t side,
                                int64_t memory, gpugeo_error *error) {
  const gpugeo_matrix x = make_points(n);
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options options;
  gpugeo_dist_file_options output;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file_options_init(&output, sizeof output);
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.work_bytes = memory;
  output.file = path;
  output.shape = shape;
  output.side = side;
  return gpugeo_dist_file_write(&source, &options, &output, NULL, error);
}

/* A file that is complete. */
static void make_file(const char *path, gpugeo_shape shape, int64_t n) {
  gpugeo_error error = {0};
  remove(path);
  CHECK(!write_file(path, shape, n, n == POINTS ? SIDE : 256, 0, &error), "%s", error.message);
}

static const char *dataset_of(gpugeo_shape shape) {
  return shape == GPUGEO_SHAPE_FULL ? "matrix" : "dist";
}

/* Both ways to use a file that is there refuse it, and leave it and the file next to it as they
 * are.
 */
static void expect_refused(const char *name, const char *path, gpugeo_shape shape, int64_t n,
                           const char *reason) {
  size_t size, size_after;
  char *before = bytes_of(path, &size);
  gpugeo_error error = {0};
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  gpugeo_status status = write_file(path, shape, n, 0, 0, &error);
  CHECK(status && strstr(error.message, reason), "%s, resumed: status %d, \"%s\", expected \"%s\"",
        name, status, error.message, reason);
  error = (gpugeo_error){0};
  status = gpugeo_dist_file_open(path, dataset_of(shape), &opened, &info, &error);
  CHECK(status && strstr(error.message, reason), "%s, opened: status %d, \"%s\", expected \"%s\"",
        name, status, error.message, reason);
  if (!status) gpugeo_dist_file_close(opened);
  char *after = bytes_of(path, &size_after);
  CHECK(size == size_after && memcmp(before, after, size) == 0, "%s: the file has changed", name);
  free(before);
  free(after);
}

/* --- forging ---------------------------------------------------------------------------------- */

static void set_number(const char *path, const char *dataset, const char *name, int64_t value) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), of = H5Aopen(data, name, H5P_DEFAULT);
  CHECK(H5Awrite(of, H5T_NATIVE_INT64, &value) >= 0, "%s cannot be forged", name);
  H5Aclose(of);
  H5Dclose(data);
  H5Fclose(file);
}

static void set_text(const char *path, const char *dataset, const char *name, const char *text) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
  const hid_t space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text) + 1);
  H5Adelete(data, name);
  const hid_t of = H5Acreate2(data, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Awrite(of, type, text) >= 0, "%s cannot be forged", name);
  H5Aclose(of);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data);
  H5Fclose(file);
}

static void set_counter(const char *path, int64_t done) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, "tiles_done", H5P_DEFAULT);
  CHECK(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &done) >= 0, "counter");
  H5Dclose(data);
  H5Fclose(file);
}

/* A sound file without any tiles, of which one number is then replaced. */
static void test_numbers(gpugeo_shape shape) {
  static const struct {
    const char *name;
    int64_t value;
  } forged[] = {{"tile_side", (int64_t)1 << 61},
                {"tile_side", INT64_MAX},
                {"tile_side", 0},
                {"tile_side", -1},
                {"tile_side", INT64_MIN},
                {"tile_side", 41},
                {"size", (int64_t)1 << 62},
                {"size", INT64_MAX},
                {"size", -1},
                {"size", 39},
                {"size", 41},
                {"size", 0},
                {"gpugeo", 2}};
  char *path = temporary_path(folder, "numbers.h5"), name[100];
  for (size_t i = 0; i < sizeof forged / sizeof *forged; ++i) {
    make_file(path, shape, POINTS);
    set_counter(path, 0);
    set_number(path, dataset_of(shape), forged[i].name, forged[i].value);
    snprintf(name, sizeof name, "%s %lld, shape %d", forged[i].name, (long long)forged[i].value,
             (int)shape);
    expect_refused(name, path, shape, POINTS, "file must be one of distances, but ");
  }
  make_file(path, shape, 2000);
  set_counter(path, 0);
  set_number(path, dataset_of(shape), "tile_side", (int64_t)1 << 61);
  expect_refused("2,000 points", path, shape, 2000, "has numbers that contradict each other");
  temporary_remove(path);
}

/* Sides that are possible, but not with the chunks of the file. */
static void test_chunk_side(void) {
  char *path = temporary_path(folder, "chunk.h5");
  for (int64_t side = 1; side <= POINTS; ++side) {
    make_file(path, GPUGEO_SHAPE_FULL, POINTS);
    set_counter(path, 0);
    if (side == SIDE) continue;
    set_number(path, "matrix", "tile_side", side);
    expect_refused("side", path, GPUGEO_SHAPE_FULL, POINTS,
                   "has numbers that contradict each other");
  }
  temporary_remove(path);
}

static void test_texts(void) {
  static const char *const forged[][2] = {
      {"fingerprint", ""},
      {"fingerprint", "0123456789abcde"},
      {"fingerprint", "0123456789abcdef0"},
      {"fingerprint", "0123456789abcdeg"},
      {"fingerprint", " 123456789abcdef"},
      {"fingerprint", "-123456789abcdef"},
      {"metric", ""},
      {"metric", "euclid"},
      {"metric", "a metric whose name is longer than there is room for"}};
  char *path = temporary_path(folder, "texts.h5");
  for (size_t i = 0; i < sizeof forged / sizeof *forged; ++i) {
    make_file(path, GPUGEO_SHAPE_CONDENSED, POINTS);
    set_text(path, "dist", forged[i][0], forged[i][1]);
    expect_refused(forged[i][1], path, GPUGEO_SHAPE_CONDENSED, POINTS, "holds something else");
  }
  temporary_remove(path);
}

static void test_counter(void) {
  char *path = temporary_path(folder, "counter.h5");
  make_file(path, GPUGEO_SHAPE_CONDENSED, POINTS);
  static const int64_t wrong[] = {-1, 7, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 4; ++i) {
    set_counter(path, wrong[i]);
    expect_refused("counter", path, GPUGEO_SHAPE_CONDENSED, POINTS, "is damaged: it does not say");
  }
  temporary_remove(path);
}

/* Replaces a dataset by an external link to one of the same name in another file. */
static void link_to(const char *path, const char *dataset, const char *other) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, dataset, H5P_DEFAULT);
  CHECK(H5Lcreate_external(other, dataset, file, dataset, H5P_DEFAULT, H5P_DEFAULT) >= 0, "link");
  H5Fclose(file);
}

static void test_links(gpugeo_shape shape) {
  const char *const names[] = {dataset_of(shape), "tiles_done"};
  char *path = temporary_path(folder, "links.h5"), *other = temporary_path(folder, "other.h5");
  char *pipe = temporary_path(folder, "pipe");
  CHECK(mkfifo(pipe, 0600) == 0, "no pipe");
  for (int which = 1; which < 4; ++which) {
    make_file(path, shape, POINTS);
    make_file(other, shape, POINTS);
    set_counter(other, 0);
    size_t size, size_after;
    char *before = bytes_of(other, &size);
    for (int i = 0; i < 2; ++i)
      if (which >> i & 1) link_to(path, names[i], other);
    expect_refused("links", path, shape, POINTS, "has its distances in another file");
    char *after = bytes_of(other, &size_after);
    CHECK(size == size_after && memcmp(before, after, size) == 0, "the other file has changed");
    free(before);
    free(after);
    link_to(path, names[which == 2], pipe); /* whoever opened it would wait for ever */
    expect_refused("a link to a pipe", path, shape, POINTS, "has its distances in another file");
  }
  temporary_remove(path);
  temporary_remove(other);
  temporary_remove(pipe);
}

/* Values of a dataset that the library keeps in another file: in an external one, or in another
   HDF5 file of which this is a view. */
static hid_t elsewhere_plist(const char *other, bool is_virtual, hid_t space, hsize_t bytes) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  if (is_virtual)
    H5Pset_virtual(how, space, other, "dist", space);
  else
    H5Pset_external(how, other, 0, bytes);
  return how;
}

/* Gives a dataset all that a file of distances says of itself. */
static void copy_attributes(hid_t real, hid_t made) {
  static const char *const names[] = {"gpugeo", "size", "metric", "tile_side", "fingerprint"};
  for (int i = 0; i < 5; ++i) {
    const hid_t from = H5Aopen(real, names[i], H5P_DEFAULT), type = H5Aget_type(from);
    const hid_t scalar = H5Aget_space(from);
    const hid_t to = H5Acreate2(made, names[i], type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    char value[64];
    CHECK(H5Aread(from, type, value) >= 0 && H5Awrite(to, type, value) >= 0, "%s", names[i]);
    H5Aclose(to);
    H5Sclose(scalar);
    H5Tclose(type);
    H5Aclose(from);
  }
}

/* A file whose dataset has all the attributes of one of distances, but its values elsewhere. */
static void test_storage(bool is_virtual) {
  char *path = temporary_path(folder, "storage.h5"), *other = temporary_path(folder, "other.h5");
  make_file(path, GPUGEO_SHAPE_CONDENSED, POINTS);
  make_file(other, GPUGEO_SHAPE_CONDENSED, POINTS);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t real = H5Dopen2(file, "dist", H5P_DEFAULT), space = H5Dget_space(real);
  const hid_t how = elsewhere_plist(other, is_virtual, space, POINTS * (POINTS - 1) / 2 * 8);
  const hid_t made =
      H5Dcreate2(file, "forged", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  copy_attributes(real, made);
  H5Dclose(made);
  H5Pclose(how);
  H5Sclose(space);
  H5Dclose(real);
  H5Ldelete(file, "dist", H5P_DEFAULT);
  H5Lmove(file, "forged", file, "dist", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_refused(is_virtual ? "virtual" : "external", path, GPUGEO_SHAPE_CONDENSED, POINTS,
                 "has its distances in another file");
  temporary_remove(path);
  temporary_remove(other);
}

/* Bytes before the first one of HDF5: offsets in the file are others than the library says. */
static void test_user_block(gpugeo_shape shape) {
  char *path = temporary_path(folder, "block.h5");
  make_file(path, shape, POINTS);
  size_t size;
  char *bytes = bytes_of(path, &size), *moved = calloc(size + 512, 1);
  memcpy(moved + 512, bytes, size);
  put_bytes(path, moved, size + 512);
  expect_refused("user block", path, shape, POINTS, "has a user block");
  free(bytes);
  free(moved);
  temporary_remove(path);
}

/* A square dataset of the right size whose chunks have an index: nothing says where they are. */
static void test_index(void) {
  char *path = temporary_path(folder, "index.h5");
  make_file(path, GPUGEO_SHAPE_FULL, POINTS);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t sizes[] = {POINTS, POINTS}, chunk[] = {SIDE, SIDE};
  const hid_t space = H5Screate_simple(2, sizes, NULL);
  H5Pset_chunk(how, 2, chunk);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  H5Pset_fletcher32(how);
  const hid_t made =
      H5Dcreate2(file, "forged", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  const hid_t real = H5Dopen2(file, "matrix", H5P_DEFAULT);
  copy_attributes(real, made);
  H5Dclose(real);
  H5Dclose(made);
  H5Sclose(space);
  H5Pclose(how);
  H5Ldelete(file, "matrix", H5P_DEFAULT);
  H5Lmove(file, "forged", file, "matrix", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_refused("index", path, GPUGEO_SHAPE_FULL, POINTS, "holds something else");
  temporary_remove(path);
}

/* Labels of a wrong type, of another number, and of text that is kept elsewhere. */
static void test_labels(void) {
  char *path = temporary_path(folder, "labels.h5");
  for (int kind = 0; kind < 3; ++kind) {
    make_file(path, GPUGEO_SHAPE_CONDENSED, POINTS);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "dist", H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, kind == 1 ? H5T_VARIABLE : 4);
    const hsize_t count = kind == 2 ? POINTS - 1 : POINTS;
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t labels = H5Acreate2(data, "labels", kind ? text : H5T_NATIVE_DOUBLE, space,
                                    H5P_DEFAULT, H5P_DEFAULT);
    CHECK(labels >= 0, "labels cannot be forged");
    H5Aclose(labels);
    H5Sclose(space);
    H5Tclose(text);
    H5Dclose(data);
    H5Fclose(file);
    gpugeo_dist_file *opened = NULL;
    gpugeo_dist_file_info info;
    gpugeo_error error = {0};
    CHECK(gpugeo_dist_file_open(path, NULL, &opened, &info, &error) == GPUGEO_ERROR_FILE &&
              strstr(error.message, "the labels in the file cannot be read"),
          "labels %d: \"%s\"", kind, error.message);
  }
  temporary_remove(path);
}

/* --- points ----------------------------------------------------------------------------------- */

static void expect_points(const char *path, const char *reason) {
  const gpugeo_point_source source = {.file = path, .name = "x"};
  int64_t rows = 0, columns = 0;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_point_source_size(&source, &rows, &columns, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strstr(error.message, reason),
        "status %d, \"%s\", expected \"%s\"", status, error.message, reason);
}

static void test_points(void) {
  char *path = temporary_path(folder, "points.h5"), *other = temporary_path(folder, "other.bin");
  char *pipe = temporary_path(folder, "pipe");
  CHECK(mkfifo(pipe, 0600) == 0, "no pipe");
  expect_points(pipe, "it must be a regular file, not a pipe");
  put_bytes(other, "0123456789abcdef", 16);
  for (int kind = 0; kind < 4; ++kind) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t small[] = {1, 2}, large[] = {(hsize_t)1 << 41, 2}, chunk[] = {64, 1};
    const hid_t space = H5Screate_simple(2, kind == 3 ? large : small, NULL);
    const hid_t how =
        kind == 3 ? H5Pcreate(H5P_DATASET_CREATE) : elsewhere_plist(other, kind == 1, space, 16);
    if (kind == 3) H5Pset_chunk(how, 2, chunk);
    if (kind == 0)
      H5Lcreate_external(pipe, "x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    else
      H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT));
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
    expect_points(path, kind == 3 ? "x must have at most 2^40 rows and columns"
                                  : "x must be stored in its file: dataset \"x\" of ");
  }
  temporary_remove(path);
  temporary_remove(other);
  temporary_remove(pipe);
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_there(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

/* What stands under the temporary name of a new file. */
static void test_temporary_name(void) {
  char *path = temporary_path(folder, "new.h5"), *victim = temporary_path(folder, "victim"),
       name[64];
  snprintf(name, sizeof name, "new.h5.new-%ld", (long)getpid());
  char *beside = temporary_path(folder, name);
  const char *refused = "must not be there: it is the temporary name of a new file";
  gpugeo_error error = {0};
  size_t size;

  put_bytes(victim, "precious", 8);
  CHECK(symlink(victim, beside) == 0, "no link");
  CHECK(write_file(path, GPUGEO_SHAPE_CONDENSED, POINTS, 0, 0, &error) == GPUGEO_ERROR_FILE &&
            strstr(error.message, refused) && !is_there(path),
        "a link: %s", error.message);
  char *bytes = bytes_of(victim, &size);
  CHECK(size == 8 && memcmp(bytes, "precious", 8) == 0, "the link was followed");
  free(bytes);
  remove(beside);
  remove(victim);
  CHECK(symlink(victim, beside) == 0, "no link");
  CHECK(write_file(path, GPUGEO_SHAPE_CONDENSED, POINTS, 0, 0, &error) == GPUGEO_ERROR_FILE &&
            !is_there(victim),
        "a link to nothing: %s", error.message);
  remove(beside);

  CHECK(mkdir(beside, 0700) == 0, "no folder");
  CHECK(write_file(path, GPUGEO_SHAPE_CONDENSED, POINTS, 0, 0, &error) == GPUGEO_ERROR_FILE &&
            strstr(error.message, refused) && is_there(beside),
        "a folder: %s", error.message);
  remove(beside);

  put_bytes(beside, "half", 4); /* of a killed process that had the same number */
  const int other = open(beside, O_RDWR);
  CHECK(flock(other, LOCK_EX) == 0, "no lock");
  CHECK(write_file(path, GPUGEO_SHAPE_CONDENSED, POINTS, 0, 0, &error) == GPUGEO_ERROR_FILE &&
            strstr(error.message, refused) && is_there(beside),
        "another process: %s", error.message);
  close(other);
  CHECK(!write_file(path, GPUGEO_SHAPE_CONDENSED, POINTS, 0, 0, &error) && !is_there(beside) &&
            is_there(path),
        "a stale file: %s", error.message);
  remove(path);
  temporary_remove(beside);
  temporary_remove(victim);
  free(path);
}

/* Large tiles of a file that another call began don't go beyond this call's memory. */
static void test_memory(void) {
  char *path = temporary_path(folder, "memory.h5"), message[600];
  gpugeo_error error = {0};
  CHECK(!write_file(path, GPUGEO_SHAPE_FULL, 1200, 1000, 0, &error), "%s", error.message);
  CHECK(!write_file(path, GPUGEO_SHAPE_FULL, 1200, 0, 1 << 20, &error), "complete: %s",
        error.message);
  set_counter(path, 1);
  gpugeo_status status = write_file(path, GPUGEO_SHAPE_FULL, 1200, 0, 1 << 20, &error);
  snprintf(message, sizeof message,
           "memory_limit must be at least 64192000 bytes, not 1048576: file \"%s\" was begun with "
           "tiles of 1000 x 1000",
           path);
  CHECK(status == GPUGEO_ERROR_MEMORY && strcmp(error.message, message) == 0, "status %d, \"%s\"",
        status, error.message);
  CHECK(!write_file(path, GPUGEO_SHAPE_FULL, 1200, 1000, 1 << 20, &error), "same side: %s",
        error.message);
  set_counter(path, 1);
  CHECK(!write_file(path, GPUGEO_SHAPE_FULL, 1200, 0, 64192000, &error), "more: %s", error.message);
  temporary_remove(path);
}

/* So many points that bytes of their distances could not be counted. */
static void test_many_points(void) {
  const gpugeo_matrix x = {NULL, GPUGEO_TYPE_DOUBLE,     ((int64_t)1 << 29) + 1,
                           0,    ((int64_t)1 << 29) + 1, NULL};
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_dist_options options;
  gpugeo_dist_file_options output;
  gpugeo_error error = {0};
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file_options_init(&output, sizeof output);
  char *path = temporary_path(folder, "many.h5");
  output.file = path;
  CHECK(gpugeo_dist_file_write(&source, &options, &output, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "x must have at most 536870912 points where distances go to a "
                                  "file, not 536870913") &&
            !is_there(path),
        "%s", error.message);
  free(path);
}

int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  folder = temporary_folder();
  for (int shape = 0; shape < 2; ++shape) {
    test_numbers((gpugeo_shape)shape);
    test_links((gpugeo_shape)shape);
    test_user_block((gpugeo_shape)shape);
    test_storage(shape);
  }
  test_chunk_side();
  test_texts();
  test_counter();
  test_index();
  test_labels();
  test_points();
  test_temporary_name();
  test_memory();
  test_many_points();
  temporary_remove(folder);
  return check_end();
}

#else

int main(void) {
  check_skip(1, "built without HDF5: no files to forge");
  return check_end();
}

#endif

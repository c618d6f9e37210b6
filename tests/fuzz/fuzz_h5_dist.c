/* Fuzzes files of distances: new ones with any options, and forged or damaged ones that are opened,
   read and resumed. Checks what was written against gpugeo_dist(), and that no other file changes.
 */
#include "fuzz.h"

#ifdef GPUGEO_WITH_HDF5
#include <hdf5.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 20, M = 3, SIDE = 8, KINDS = 4, MOST_BYTES = 1 << 18 };

/* The points, their distances, and the bytes of a complete file of each kind. */
static double points[N * M], wanted[N * N];
static gpugeo_matrix matrix = {points, GPUGEO_TYPE_DOUBLE, N, M, N, NULL};
static const gpugeo_point_source source = {.matrix = &matrix};
static struct {
  uint8_t *data;
  size_t size;
} complete[KINDS], unfinished; /* of kind 0, without a tile */
static const char *new_path;
static scratch_file file, other; /* the other one is what links lead to */

/* --- Complete files --------------------------------------------------------------------------- */

static gpugeo_dist_options dist_options(void) {
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  o.metric.kind = GPUGEO_METRIC_MANHATTAN;
  set_way(&o.run, 0, 0);
  return o;
}

/* Kinds are condensed or square, in double or float. */
static gpugeo_dist_file_options file_options(int kind, const char *path) {
  gpugeo_dist_file_options o;
  gpugeo_dist_file_options_init(&o, sizeof o);
  o.file = path;
  o.shape = kind & 1 ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  o.type = kind & 2 ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  o.side = SIDE;
  return o;
}

static gpugeo_status write_distances(const gpugeo_dist_file_options *where) {
  const gpugeo_dist_options o = dist_options();
  gpugeo_error error;
  const gpugeo_status status = gpugeo_dist_file_write(&source, &o, where, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  return status;
}

static void read_bytes(const char *path, uint8_t **data, size_t *size) {
  FILE *from = fopen(path, "rb");
  *data = malloc(MOST_BYTES);
  *size = fread(*data, 1, MOST_BYTES, from);
  demand(*size > 0 && *size < MOST_BYTES);
  fclose(from);
}

static void make_complete(int kind) {
  static const char *const label[N] = {"a", "\xc3\xa9", "",  "d", "e", "f", "g", "h", "i", "j",
                                       "k", "l",        "m", "n", "o", "p", "q", "r", "s", "t"};
  gpugeo_dist_file_options where = file_options(kind, new_path);
  if (kind > 1) {
    where.labels = label;
    where.labels_length = N;
  }
  demand(write_distances(&where) == GPUGEO_OK);
  read_bytes(new_path, &complete[kind].data, &complete[kind].size);
  unlink(new_path);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void check_labels(const gpugeo_dist_file *opened, const gpugeo_dist_file_info *info) {
  for (int64_t i = 0; i < N && i < info->points; ++i) {
    const char *label = gpugeo_dist_file_label(opened, i);
    demand(!label == !info->labels);
    demand(!label || strlen(label) < MOST_BYTES);
  }
  demand(!gpugeo_dist_file_label(opened, -1) && !gpugeo_dist_file_label(opened, info->points));
}

/* Reads the first points' distances; these must be the right ones where `right` is set. */
static void check_values(const gpugeo_dist_file *opened, const gpugeo_dist_file_info *info,
                         bool right) {
  int64_t index[N];
  double out[N * N];
  gpugeo_error error;
  const int64_t n = info->points < N ? info->points : N;
  for (int64_t i = 0; i < n; ++i)
    index[i] = i;
  const gpugeo_status status = gpugeo_dist_file_read(opened, index, n, index, n, NAN, out, &error);
  demand_status(status, ALLOW_FILE | ALLOW_MEMORY, &error);
  if (!right) return;
  demand(!status && info->points == N && info->tiles_done == info->tiles);
  for (int i = 0; i < N * N; ++i)
    demand(out[i] == wanted[i]);
}

/* Opens a file; returns how many tiles are there, -1 where it is refused. */
static int64_t open_and_check(const char *path, const char *name, bool right) {
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  gpugeo_error error;
  const gpugeo_status status = gpugeo_dist_file_open(path, name, &opened, &info, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  demand(!right || !status);
  if (status) return -1;
  demand(info.points >= 0 && info.tiles_done >= 0 && info.tiles_done <= info.tiles);
  demand(memchr(info.name, 0, sizeof info.name) && memchr(info.metric, 0, sizeof info.metric));
  check_labels(opened, &info);
  check_values(opened, &info, right);
  gpugeo_dist_file_close(opened);
  return info.tiles_done;
}

/* The dataset of distances. */
static const char *dataset_name(int kind) { return kind & 1 ? "matrix" : "dist"; }

/* Demands that the HDF5 library reads the right distances. */
static void check_with_library(int kind) {
  double out[N * N];
  const hid_t opened = H5Fopen(file.path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, dataset_name(kind), H5P_DEFAULT);
  demand(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
  H5Dclose(dataset);
  H5Fclose(opened);
  for (int j = 0, pair = 0; j < N; ++j)
    for (int i = kind & 1 ? 0 : j + 1; i < N; ++i)
      demand(out[pair++] == wanted[i + j * N]);
}

/* --- Forging ---------------------------------------------------------------------------------- */

static const char *const attributes[] = {"gpugeo",    "size",        "metric",
                                         "tile_side", "fingerprint", "labels"};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* Mostly a small number, else any. */
static int64_t take_number(bytes *b) {
  return take(b, 3) == 3 ? take_int64(b) >> take(b, 63) : take(b, 40) - 2;
}

/* A type, to be closed. */
static hid_t take_type(bytes *b) {
  const hid_t numbers[] = {H5T_NATIVE_INT64, H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,
                           H5T_NATIVE_INT32, H5T_STD_I64BE,     H5T_IEEE_F64BE};
  const int kind = take(b, 7);
  if (kind < 6) return H5Tcopy(numbers[kind]);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, kind == 6 ? 1 + (size_t)take(b, 60) : H5T_VARIABLE);
  return text;
}

/* A space of up to 3 dimensions, to be closed. */
static hid_t take_space(bytes *b) {
  hsize_t size[3];
  const int rank = take(b, 3);
  for (int i = 0; i < 3; ++i)
    size[i] = (hsize_t)take(b, N + 1);
  return rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
}

static void write_attribute(hid_t dataset, const char *name, hid_t type, hid_t space,
                            const void *value) {
  H5Adelete(dataset, name);
  const hid_t made = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (made >= 0 && value) H5Awrite(made, type, value);
  if (made >= 0) H5Aclose(made);
}

/* One attribute becomes a number, a text, anything, or nothing. */
static void forge_attribute(bytes *b, hid_t dataset) {
  const char *name = attributes[take(b, ATTRIBUTES - 1)];
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const int how = take(b, 3);
  if (how == 0) {
    const int64_t value = take_number(b);
    write_attribute(dataset, name, H5T_NATIVE_INT64, scalar, &value);
  } else if (how == 1) {
    char text[64] = "";
    const hid_t type = H5Tcopy(H5T_C_S1);
    const int length = take(b, 40);
    for (int i = 0; i < length; ++i)
      text[i] = (char)take(b, 255);
    H5Tset_size(type, (size_t)length + 1);
    write_attribute(dataset, name, type, scalar, text);
    H5Tclose(type);
  } else if (how == 2) {
    const hid_t type = take_type(b), space = take_space(b);
    write_attribute(dataset, name, type, space, NULL);
    H5Sclose(space);
    H5Tclose(type);
  } else {
    H5Adelete(dataset, name);
  }
  H5Sclose(scalar);
}

/* A dataset becomes one of any type, shape and storage. */
static void forge_dataset(bytes *b, hid_t opened, const char *name) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE), type = take_type(b), space = take_space(b);
  const int storage = take(b, 4), rank = H5Sget_simple_extent_ndims(space);
  hsize_t chunk[3];
  for (int i = 0; i < 3; ++i)
    chunk[i] = 1 + (hsize_t)take(b, N);
  if (take(b, 1)) H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  if (storage == 1) H5Pset_layout(how, H5D_COMPACT);
  if (storage == 2 && rank > 0) H5Pset_chunk(how, rank, chunk);
  if (storage == 3) H5Pset_external(how, other.path, 64 * take(b, 9), H5F_UNLIMITED);
  H5Ldelete(opened, name, H5P_DEFAULT);
  const hid_t made = H5Dcreate2(opened, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (made >= 0) H5Dclose(made);
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(how);
}

/* A dataset becomes a link to the other file, or to something else in this one. */
static void forge_link(bytes *b, hid_t opened, const char *name) {
  static const char *const targets[] = {"dist", "matrix", "tiles_done", "/"};
  const char *target = targets[take(b, 3)];
  H5Ldelete(opened, name, H5P_DEFAULT);
  if (take(b, 1))
    H5Lcreate_external(other.path, target, opened, name, H5P_DEFAULT, H5P_DEFAULT);
  else
    H5Lcreate_soft(target, opened, name, H5P_DEFAULT, H5P_DEFAULT);
}

static void forge_marker(bytes *b, hid_t opened) {
  const int64_t value = take(b, 1) ? take_number(b) : 0;
  const hid_t marker = H5Dopen2(opened, "tiles_done", H5P_DEFAULT);
  if (marker < 0) return;
  const hid_t space = H5Dget_space(marker);
  if (H5Sget_simple_extent_npoints(space) == 1)
    H5Dwrite(marker, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Sclose(space);
  H5Dclose(marker);
}

/* Opens the file, changes it, and closes it. */
static void forge(bytes *b, void (*change)(bytes *b, hid_t opened)) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t opened = H5Fopen(file.path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  demand(opened >= 0);
  change(b, opened);
  demand(H5Fclose(opened) >= 0);
}

/* A dataset of someone else's, perhaps where a dataset was that is no more. */
static const double pad_value = 0; /* which a count of tiles may be, too */
static void add_pad(hid_t opened) {
  const hsize_t size = N * (N - 1) / 2;
  double value[N * (N - 1) / 2];
  for (hsize_t i = 0; i < size; ++i)
    value[i] = pad_value;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t pad =
      H5Dcreate2(opened, "pad", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  demand(pad >= 0 && H5Dwrite(pad, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  H5Dclose(pad);
  H5Sclose(space);
}

static void demand_pad_unchanged(void) {
  double value[N * (N - 1) / 2];
  const hid_t opened = H5Fopen(file.path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t pad = H5Dopen2(opened, "pad", H5P_DEFAULT);
  demand(H5Dread(pad, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  for (int i = 0; i < N * (N - 1) / 2; ++i)
    demand(value[i] == pad_value);
  H5Dclose(pad);
  H5Fclose(opened);
}

/* One change of many. */
static void forge_once(bytes *b, hid_t opened, int kind) {
  const char *name = take(b, 1) ? "tiles_done" : dataset_name(kind);
  const hid_t dataset = H5Dopen2(opened, dataset_name(kind), H5P_DEFAULT);
  const int what = take(b, 7);
  if (what < 3 && dataset >= 0) forge_attribute(b, dataset);
  if (what > 2 && what < 6) forge_marker(b, opened);
  if (what == 6) forge_dataset(b, opened, name);
  if (what == 7) forge_link(b, opened, name);
  if (dataset >= 0) H5Dclose(dataset);
}

static void forge_often(bytes *b, hid_t opened) {
  const int kind = H5Lexists(opened, "matrix", H5P_DEFAULT) > 0;
  const int times = 1 + take(b, 2);
  for (int i = 0; i < times; ++i)
    forge_once(b, opened, kind);
  add_pad(opened);
}

/* Shifts the file by a user block. */
static void add_user_block(void) {
  static uint8_t data[MOST_BYTES + 512];
  const ssize_t size = pread(file.handle, data + 512, MOST_BYTES, 0);
  scratch_file_write(&file, data, 512 + (size_t)size);
}

/* Changes bytes, or cuts the end off. */
static void damage(bytes *b) {
  const int times = 1 + take(b, 3);
  for (int i = 0; i < times; ++i)
    scratch_file_patch(&file, 256 * take(b, 255) + take(b, 255), (uint8_t)take(b, 255));
  struct stat about;
  demand(fstat(file.handle, &about) == 0);
  if (take(b, 7) == 7) demand(ftruncate(file.handle, about.st_size * take(b, 255) / 256) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  file = scratch_file_open("file");
  other = scratch_file_open("other");
  new_path = scratch_path("new.h5");
  for (int i = 0; i < N * M; ++i)
    points[i] = i * 37 % 64 / 4.0;
  gpugeo_dist_options o = dist_options();
  o.shape = GPUGEO_SHAPE_FULL;
  demand(gpugeo_dist(&matrix, NULL, &o, GPUGEO_TYPE_DOUBLE, wanted, NULL, NULL) == GPUGEO_OK);
  for (int kind = 0; kind < KINDS; ++kind)
    make_complete(kind);
  scratch_file_write(&file, complete[0].data, complete[0].size);
  bytes none = bytes_of(NULL, 0);
  forge(&none, forge_marker);
  read_bytes(file.path, &unfinished.data, &unfinished.size);
  return 0;
}

/* --- The target ------------------------------------------------------------------------------- */

static void demand_other_unchanged(void) {
  static uint8_t data[MOST_BYTES];
  const ssize_t size = pread(other.handle, data, MOST_BYTES, 0);
  demand(size == (ssize_t)unfinished.size && memcmp(data, unfinished.data, unfinished.size) == 0);
}

/* Forges the file. The other file is written anew afterwards: the HDF5 library follows links to it
   when a second change is made behind the first one. */
static void forge_file(bytes *b) {
  forge(b, forge_often);
  scratch_file_write(&other, unfinished.data, unfinished.size);
}

/* A forged file: where no tile is there, resuming it must write all of them, or refuse it. */
static void check_forged(bytes *b) {
  const int kind = take(b, KINDS - 1), more = take(b, 7);
  const bool forged = take(b, 7), damaged = more == 7;
  scratch_file_write(&file, complete[kind].data, complete[kind].size);
  scratch_file_write(&other, unfinished.data, unfinished.size);
  if (forged) forge_file(b);
  if (more == 6) add_user_block();
  if (damaged) damage(b);
  const bool right = !forged && more < 6;
  const int64_t done = open_and_check(file.path, NULL, right);
  const gpugeo_dist_file_options where = file_options(kind, file.path);
  const gpugeo_status status = write_distances(&where);
  const bool rewritten = !status && done == 0 && !damaged;
  open_and_check(file.path, NULL, right || rewritten);
  if (right || rewritten) check_with_library(kind);
  demand_other_unchanged();
  if (forged && !damaged) demand_pad_unchanged();
}

/* A new file of any options. */
static void check_new(bytes *b) {
  gpugeo_dist_file_options where = file_options(take(b, KINDS - 1), new_path);
  char name[160] = "";
  const int length = take(b, 1) ? take(b, 159) : 0;
  for (int i = 0; i < length; ++i)
    name[i] = (char)take(b, 255);
  if (take(b, 1)) where.name = name;
  where.side = take(b, 7) ? take(b, 2 * N) : take_int64(b);
  if (take(b, 15) == 15) where.shape = (gpugeo_shape)take(b, 3);
  if (take(b, 15) == 15) where.type = (gpugeo_type)take(b, 3);
  if (!write_distances(&where)) open_and_check(new_path, where.name, true);
  unlink(new_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  if (take(&b, 7) == 7)
    check_new(&b);
  else
    check_forged(&b);
  return 0;
}

#else

/* Without HDF5 there is nothing but an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}

#endif

/* Fuzzes points in HDF5 files: datasets of any type, shape and storage, and damaged files. Checks
   tiles of their distances against those of the same points in memory. */
#include "fuzz.h"

#ifdef GPUGEO_WITH_HDF5
#include <hdf5.h>

static scratch_file file, other;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  H5dont_atexit(); /* it would close damaged files once more, which it could not close before */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  file = scratch_file_open("file");
  other = scratch_file_open("other");
  return 0;
}

/* --- A file ----------------------------------------------------------------------------------- */

enum { MOST_SIDE = 9, MOST_VALUES = MOST_SIDE * MOST_SIDE * MOST_SIDE };

/* One of many types, to be closed. */
static hid_t take_type(bytes *b) {
  const int kind = take(b, 11);
  const hid_t numbers[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I32LE,
                           H5T_STD_I8LE,   H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_I64LE,
                           H5T_STD_B16LE,  H5T_C_S1};
  if (kind < 10) return H5Tcopy(numbers[kind]);
  if (kind == 10) return H5Tcreate(H5T_OPAQUE, 1 + (size_t)take(b, 15));
  const hid_t narrow = H5Tcopy(H5T_IEEE_F32LE); /* half precision */
  H5Tset_fields(narrow, 15, 10, 5, 0, 10);
  H5Tset_size(narrow, 2);
  H5Tset_ebias(narrow, 15);
  return narrow;
}

/* How the dataset is stored, to be closed. HDF5 1.10.8 itself reads and writes beyond a chunk of a
   damaged file, so that such a file has none. */
static hid_t take_storage(bytes *b, int rank, bool damaged) {
  const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
  const int taken = take(b, 4), kind = damaged && (taken == 2 || taken == 3) ? 0 : taken;
  hsize_t chunk[3];
  for (int i = 0; i < 3; ++i)
    chunk[i] = 1 + (hsize_t)take(b, MOST_SIDE - 1);
  if (kind == 1) H5Pset_layout(storage, H5D_COMPACT);
  if (kind == 2 || kind == 3) H5Pset_chunk(storage, rank ? rank : 1, chunk);
  if (kind == 3) H5Pset_shuffle(storage);
  if (kind == 3) H5Pset_deflate(storage, 1);
  if (kind == 4) H5Pset_external(storage, other.path, 0, H5F_UNLIMITED);
  return storage;
}

/* A file with a dataset "x" of any kind, without it, or with a link to somewhere else. damaged: it
   will be. */
static void make_file(bytes *b, bool damaged) {
  double value[MOST_VALUES];
  hsize_t size[3];
  scratch_file_write(&file, "", 0);
  const hid_t made = H5Fcreate(file.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  demand(made >= 0);
  const int rank = take(b, 7) ? 2 : take(b, 3);
  for (int i = 0; i < 3; ++i)
    size[i] = (hsize_t)take(b, MOST_SIDE);
  const hid_t type = take_type(b), storage = take_storage(b, rank, damaged);
  const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  const char *name = take(b, 15) == 15 ? "y" : "x";
  const hid_t dataset = H5Dcreate2(made, name, type, space, H5P_DEFAULT, storage, H5P_DEFAULT);
  for (int i = 0; i < MOST_VALUES; ++i)
    value[i] = take_double(b);
  if (dataset >= 0) {
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    H5Dclose(dataset);
  }
  if (take(b, 15) == 15) H5Lcreate_external(other.path, "x", made, "x", H5P_DEFAULT, H5P_DEFAULT);
  H5Sclose(space);
  H5Pclose(storage);
  H5Tclose(type);
  demand(H5Fclose(made) >= 0);
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* The dataset as doubles in the order of R; the caller frees data, which is NULL when it cannot be
   read. */
static gpugeo_matrix read_matrix(int64_t rows, int64_t columns) {
  gpugeo_matrix x = {NULL, GPUGEO_TYPE_DOUBLE, rows, columns, rows, NULL};
  const hid_t opened = H5Fopen(file.path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, "x", H5P_DEFAULT);
  double *value = calloc((size_t)(rows * columns) + 1, sizeof *value);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0) {
    x.data = value;
  } else {
    free(value);
  }
  H5Dclose(dataset);
  H5Fclose(opened);
  return x;
}

/* Narrow whole numbers have a missing value, which doubles have not. */
static bool has_missing_integer(const gpugeo_matrix *x) {
  for (int64_t j = 0; j < x->ncol; ++j)
    for (int64_t i = 0; i < x->nrow; ++i)
      if (element(x, i, j) == INT32_MIN) return true;
  return false;
}

/* All distances as one tile. */
static gpugeo_status compute(const gpugeo_point_source *x, int64_t n, double *out) {
  gpugeo_dist_options o;
  gpugeo_tiles tiles;
  gpugeo_error error;
  gpugeo_dist_options_init(&o, sizeof o);
  set_way(&o.run, 0, 0);
  demand(gpugeo_tiles_plan(n, -1, 1, n ? n : 1, 0, &tiles, &error) == GPUGEO_OK);
  const gpugeo_status status =
      gpugeo_dist_tile(x, NULL, &o, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA | ALLOW_MEMORY | ALLOW_FILE, &error);
  return status;
}

static void check_points(bool damaged) {
  const gpugeo_point_source points = {.file = file.path, .name = "x"};
  int64_t rows = 0, columns = 0;
  gpugeo_error error;
  const gpugeo_status status = gpugeo_point_source_size(&points, &rows, &columns, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_FILE | ALLOW_MEMORY, &error);
  if (status || rows < 1 || rows > MOST_SIDE || columns > MOST_SIDE) return;
  double out[MOST_SIDE * MOST_SIDE], wanted[MOST_SIDE * MOST_SIDE];
  if (compute(&points, rows, out) || damaged) return;
  const gpugeo_matrix x = read_matrix(rows, columns);
  const gpugeo_point_source memory = {.matrix = &x};
  if (x.data && !has_missing_integer(&x) && !compute(&memory, rows, wanted))
    demand(memcmp(out, wanted, (size_t)(rows * rows) * sizeof *out) == 0);
  free((void *)x.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  const int damage = take(&b, 15) > 11 ? 1 + take(&b, 3) : 0;
  int64_t place[4];
  uint8_t value[4];
  for (int i = 0; i < damage; ++i) {
    place[i] = 256 * take(&b, 255) + take(&b, 255);
    value[i] = (uint8_t)take(&b, 255);
  }
  make_file(&b, damage > 0);
  for (int i = 0; i < damage; ++i)
    scratch_file_patch(&file, place[i], value[i]);
  check_points(damage > 0);
  return 0;
}

#else

/* Without HDF5 there is nothing but an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}

#endif

/* Fuzzes gpugeo_biom_read(): BIOM files with any numbers, types, texts and metadata, and damaged
   ones. Checks that what was read is a matrix that can be used, and of a good file the right one.
 */
#include "fuzz.h"

#ifdef GPUGEO_WITH_HDF5
#include <hdf5.h>
#include <stdio.h>

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

enum { MOST_SIDE = 6, MOST_VALUES = MOST_SIDE * MOST_SIDE + 2 };

/* What is written, and whether all of it is as it must be. */
typedef struct made_table {
  int taxa, samples;
  double value[MOST_SIDE][MOST_SIDE]; /* of taxon, sample */
  bool by_samples, good;
} made_table;

/* Creates a dataset. HDF5 1.10.8 itself reads beyond a chunk and a heap of a damaged file, so that
   such a file has neither. */
static void put(bytes *b, hid_t made, const char *name, hid_t type, int count, hid_t from,
                const void *values, bool damaged) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), how = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t size = (hsize_t)count, chunk = 1 + (hsize_t)take(b, count ? count - 1 : 0);
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const int kind = count ? take(b, 3) : 0;
  H5Pset_create_intermediate_group(links, 1);
  if (!damaged && kind > 0) H5Pset_chunk(how, 1, &chunk);
  if (!damaged && kind == 2) H5Pset_shuffle(how);
  if (!damaged && kind >= 2) H5Pset_deflate(how, 1);
  const hid_t set = H5Dcreate2(made, name, type, space, links, how, H5P_DEFAULT);
  if (set >= 0 && count) H5Dwrite(set, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  H5Pclose(how);
  H5Pclose(links);
}

static void put_names(bytes *b, hid_t made, const char *name, int count, bool damaged) {
  static const char *const texts[] = {"a", "bc", "", "d\xff", "e", "f", "g", "h"};
  static const char fixed[8][2] = {"a", {'b', 'c'}, "", {'d', '\xff'}, "e", "f", "g", "h"};
  const bool is_fixed = damaged || take(b, 1);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, is_fixed ? 2 : H5T_VARIABLE);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  put(b, made, name, type, count, type, is_fixed ? (const void *)fixed : texts, damaged);
  H5Tclose(type);
}

static hid_t take_type(bytes *b) {
  const hid_t types[] = {H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U16BE,
                         H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I8LE};
  return types[take(b, 5)];
}

/* Fills pointers, indices and values, one of them wrong one time of four. */
static int take_matrix_parts(bytes *b, made_table *t, int32_t *start, int32_t *index,
                             double *value) {
  const int majors = t->by_samples ? t->samples : t->taxa;
  const int minors = t->by_samples ? t->taxa : t->samples;
  int stored = 0;
  start[0] = 0;
  for (int major = 0; major < majors; ++major) {
    const int turn = take(b, MOST_SIDE);
    for (int k = 0; k < minors; ++k) {
      const int minor = (k + turn) % minors, number = take(b, 5);
      if (number == 5) continue;
      index[stored] = minor;
      value[stored++] = number;
      *(t->by_samples ? &t->value[minor][major] : &t->value[major][minor]) = number;
    }
    start[major + 1] = stored;
  }
  const int wrong = take(b, 7);
  if (wrong == 6) start[take(b, majors)] = (int32_t)take_int64(b);
  if (wrong == 7 && stored) index[take(b, stored - 1)] = (int32_t)take_int64(b);
  t->good = wrong < 6;
  return stored;
}

static made_table make_file(bytes *b, bool damaged) {
  made_table t = {.taxa = take(b, MOST_SIDE), .samples = take(b, MOST_SIDE), .good = true};
  int32_t start[MOST_SIDE + 1], index[MOST_VALUES] = {0};
  double value[MOST_VALUES] = {0};
  t.by_samples = take(b, 1);
  const char *const axis = t.by_samples ? "sample" : "observation";
  const int stored = take_matrix_parts(b, &t, start, index, value);
  const int longer = take(b, 15) == 15, lacking = take(b, 15);
  t.good = t.good && !longer && lacking > 4 && !damaged;
  scratch_file_write(&file, "", 0);
  const hid_t made = H5Fcreate(file.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  demand(made >= 0);
  char name[3][64];
  snprintf(name[0], sizeof name[0], "%s/matrix/indptr", axis);
  snprintf(name[1], sizeof name[1], "%s/matrix/indices", axis);
  snprintf(name[2], sizeof name[2], "%s/matrix/data", axis);
  put_names(b, made, "observation/ids", t.taxa + (lacking == 0), damaged);
  put_names(b, made, "sample/ids", t.samples + (lacking == 1), damaged);
  const hid_t type = take(b, 3) ? H5T_STD_I32LE : take_type(b);
  t.good = t.good && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) >= 4;
  const int majors = t.by_samples ? t.samples : t.taxa;
  put(b, made, name[0], type, majors + 1 - (lacking == 2), H5T_NATIVE_INT32, start, damaged);
  put(b, made, name[1], type, stored + longer, H5T_NATIVE_INT32, index, damaged);
  put(b, made, name[2], take_type(b), stored, H5T_NATIVE_DOUBLE, value, damaged);
  put_names(b, made, "observation/metadata/x", take(b, 1) ? t.taxa : 2, damaged);
  put(b, made, "sample/metadata/y", take_type(b), t.samples, H5T_NATIVE_DOUBLE, value, damaged);
  if (lacking == 3) H5Ldelete(made, name[2], H5P_DEFAULT);
  if (lacking == 4)
    H5Lcreate_external(other.path, "x", made, "sample/metadata/z", H5P_DEFAULT, H5P_DEFAULT);
  demand(H5Fclose(made) >= 0);
  return t;
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* Indices increase and are within the shape, names and data are there, and no value is 0. */
static void check_table(const gpugeo_biom *biom) {
  const gpugeo_matrix *x = &biom->counts;
  const int32_t *start = x->sparse->start, *index = x->sparse->index;
  const double *value = x->data;
  demand(x->nrow == biom->samples.count && x->ncol == biom->taxa.count && start[0] == 0);
  demand(start[x->ncol] == x->sparse->stored);
  for (int64_t j = 0; j < x->ncol; ++j)
    for (int32_t k = start[j]; k < start[j + 1]; ++k)
      demand(index[k] >= 0 && index[k] < x->nrow && value[k] != 0 &&
             (k == start[j] || index[k - 1] < index[k]));
  size_t letters = 0;
  for (int64_t i = 0; i < x->nrow; ++i)
    letters += strlen(biom->samples.names[i]);
  for (int64_t d = 0; d < biom->taxa.data_count; ++d)
    for (int64_t k = 0; biom->taxa.data[d].text && k < x->ncol * biom->taxa.data[d].width; ++k)
      letters += strlen(biom->taxa.data[d].text[k]);
  demand(letters < (size_t)1 << 40);
}

static void check_values(const made_table *t, const gpugeo_biom *biom) {
  const gpugeo_matrix *x = &biom->counts;
  const int32_t *start = x->sparse->start, *index = x->sparse->index;
  demand(x->nrow == t->samples && x->ncol == t->taxa);
  for (int taxon = 0; taxon < t->taxa; ++taxon)
    for (int sample = 0; sample < t->samples; ++sample) {
      double value = 0;
      for (int32_t k = start[taxon]; k < start[taxon + 1]; ++k)
        if (index[k] == sample) value = ((const double *)x->data)[k];
      demand(value == t->value[taxon][sample]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  const int damage = take(&b, 15) > 11 ? 1 + take(&b, 3) : 0;
  const made_table t = make_file(&b, damage > 0);
  for (int i = 0; i < damage; ++i) {
    const int64_t place = 256 * take(&b, 255) + take(&b, 255);
    scratch_file_patch(&file, place, (uint8_t)take(&b, 255));
  }
  gpugeo_biom biom;
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.work_bytes = 1 << 24;
  const gpugeo_status status = gpugeo_biom_read(file.path, &run, &biom, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_FILE | ALLOW_MEMORY, &error);
  if (t.good) demand(status == GPUGEO_OK);
  if (status) return 0;
  check_table(&biom);
  if (t.good) check_values(&t, &biom);
  gpugeo_biom_free(&biom);
  return 0;
}

#else

/* Without HDF5 there is nothing but an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}

#endif

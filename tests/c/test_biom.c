/* Tables in BIOM files: what is read of files of many kinds, and files whose numbers contradict
   each other, each of which is an error. */
#include "check.h"
#include "gpugeo.h"

#ifdef GPUGEO_WITH_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temporary.h"

enum { TAXA = 4, SAMPLES = 3, STORED = 6 };

/* Of taxa by samples. */
static const double table[TAXA][SAMPLES] = {{5, 0, 1}, {0, 0, 0}, {0, 2.5, 0}, {1, 3, 4}};

/* A file that is made, with what makes it a wrong one. */
typedef struct parts {
  bool by_samples, fixed_names;
  hid_t index_type, value_type;
  int32_t start[TAXA + 1], index[STORED + 1];
  double value[STORED + 1];
  hsize_t starts, indices, values, taxa;
  int64_t shape[2], stored, version;
} parts;

/* The parts of a good file, whose elements are in order or in the inverse one. */
static parts good_parts(bool by_samples, bool backwards) {
  parts p = {.by_samples = by_samples,
             .index_type = H5T_STD_I32LE,
             .value_type = H5T_IEEE_F64LE,
             .taxa = TAXA,
             .shape = {TAXA, SAMPLES},
             .stored = STORED,
             .version = 2,
             .indices = STORED,
             .values = STORED};
  const int majors = by_samples ? SAMPLES : TAXA, minors = by_samples ? TAXA : SAMPLES;
  int count = 0;
  for (int major = 0; major < majors; ++major) {
    for (int k = 0; k < minors; ++k) {
      const int minor = backwards ? minors - 1 - k : k;
      const double value = by_samples ? table[minor][major] : table[major][minor];
      if (value == 0) continue;
      p.index[count] = minor;
      p.value[count++] = value;
    }
    p.start[major + 1] = count;
  }
  p.starts = (hsize_t)majors + 1;
  return p;
}

static char *path;

/* --- Making files ----------------------------------------------------------------------------- */

static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, hid_t from,
                const void *values) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), how = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(rank, size, NULL);
  const hsize_t chunk[] = {4, 2};
  H5Pset_create_intermediate_group(links, 1);
  if (size[0] > 4) H5Pset_chunk(how, rank, chunk);
  if (size[0] > 4) H5Pset_deflate(how, 4);
  const hid_t made = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
  CHECK(made >= 0 &&
            (size[0] == 0 || H5Dwrite(made, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0),
        "%s", name);
  H5Dclose(made);
  H5Sclose(space);
  H5Pclose(how);
  H5Pclose(links);
}

static void put_texts(hid_t file, const char *name, bool fixed, int rank, const hsize_t *size,
                      const char *const *texts) {
  char short_texts[8][4] = {{0}};
  const hid_t type = H5Tcopy(H5T_C_S1);
  for (hsize_t k = 0; fixed && k < size[0]; ++k)
    memcpy(short_texts[k], texts[k], strlen(texts[k]));
  H5Tset_size(type, fixed ? 4 : H5T_VARIABLE);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  put(file, name, type, rank, size, type, fixed ? (const void *)short_texts : texts);
  H5Tclose(type);
}

static void put_attribute(hid_t file, const char *name, hsize_t count, const int64_t *numbers) {
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t made = H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Awrite(made, H5T_NATIVE_INT64, numbers) >= 0, "%s", name);
  H5Aclose(made);
  H5Sclose(space);
}

static void put_metadata(hid_t file) {
  static const char *const ranks[] = {"k1", "", "k2", "p2", "k3", "p3", "k4", "a rather long name"};
  static const char *const sites[] = {"gut", "skin", "\xc3\xa4"};
  static const double acids[] = {6.5, 7, 5.25}, places[] = {1, 2, 3, 4, 5, 6};
  const hsize_t by_ranks[] = {TAXA, 2}, samples[] = {SAMPLES, 2}, other = SAMPLES + 1;
  const double others[SAMPLES + 1] = {0};
  put_texts(file, "observation/metadata/taxonomy", false, 2, by_ranks, ranks);
  put_texts(file, "sample/metadata/site", false, 1, samples, sites);
  put(file, "sample/metadata/pH", H5T_IEEE_F32LE, 1, samples, H5T_NATIVE_DOUBLE, acids);
  put(file, "sample/metadata/place", H5T_STD_I16LE, 2, samples, H5T_NATIVE_DOUBLE, places);
  put(file, "sample/metadata/longer", H5T_IEEE_F64LE, 1, &other, H5T_NATIVE_DOUBLE, others);
}

/* Makes a file of these parts; all of its metadata are good. */
static hid_t begin_file(const parts *p) {
  static const char *const taxa[] = {"t1", "t2", "t3", "t4"}, *const samples[] = {"s1", "s2", "s3"};
  const char *const axis = p->by_samples ? "sample" : "observation";
  const hsize_t sample_count = SAMPLES;
  char name[64];
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_texts(file, "observation/ids", p->fixed_names, 1, &p->taxa, taxa);
  put_texts(file, "sample/ids", p->fixed_names, 1, &sample_count, samples);
  put_metadata(file);
  snprintf(name, sizeof name, "%s/matrix/indptr", axis);
  put(file, name, p->index_type, 1, &p->starts, H5T_NATIVE_INT32, p->start);
  snprintf(name, sizeof name, "%s/matrix/indices", axis);
  put(file, name, p->index_type, 1, &p->indices, H5T_NATIVE_INT32, p->index);
  snprintf(name, sizeof name, "%s/matrix/data", axis);
  put(file, name, p->value_type, 1, &p->values, H5T_NATIVE_DOUBLE, p->value);
  put_attribute(file, "shape", 2, p->shape);
  put_attribute(file, "nnz", 1, &p->stored);
  const int64_t version[] = {p->version, 1};
  put_attribute(file, "format-version", 2, version);
  return file;
}

static gpugeo_status read_table(int64_t memory, gpugeo_biom *biom, gpugeo_error *error) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.work_bytes = memory;
  return gpugeo_biom_read(path, &run, biom, error);
}

/* --- What is read ----------------------------------------------------------------------------- */

static void check_values(const char *name, const gpugeo_biom *biom, int64_t stored, bool whole) {
  const gpugeo_matrix *x = &biom->counts;
  const int32_t *start = x->sparse->start, *index = x->sparse->index;
  CHECK(x->nrow == SAMPLES && x->ncol == TAXA && x->sparse->stored == stored &&
            start[TAXA] == stored,
        "%s: %lld x %lld, %lld", name, (long long)x->nrow, (long long)x->ncol,
        (long long)x->sparse->stored);
  for (int taxon = 0; taxon < TAXA; ++taxon)
    for (int sample = 0; sample < SAMPLES; ++sample) {
      double value = 0;
      for (int32_t k = start[taxon]; k < start[taxon + 1]; ++k)
        if (index[k] == sample) value = ((const double *)x->data)[k];
      const double wanted = whole ? (int)table[taxon][sample] : table[taxon][sample];
      CHECK(value == wanted, "%s, taxon %d, sample %d: %g", name, taxon, sample, value);
    }
}

static void check_metadata(const gpugeo_biom *biom) {
  const gpugeo_biom_axis *taxa = &biom->taxa, *samples = &biom->samples;
  CHECK(!strcmp(taxa->names[3], "t4") && !strcmp(samples->names[0], "s1"), "names");
  if (!CHECK(taxa->data_count == 1 && samples->data_count == 3, "%lld, %lld",
             (long long)taxa->data_count, (long long)samples->data_count))
    return;
  const gpugeo_biom_data *d = samples->data;
  CHECK(!strcmp(taxa->data[0].name, "taxonomy") && taxa->data[0].width == 2, "taxonomy");
  CHECK(!*taxa->data[0].text[1] && !strcmp(taxa->data[0].text[7], "a rather long name"), "ranks");
  CHECK(!strcmp(d[0].name, "pH") && !d[0].text && d[0].width == 1 && d[0].number[2] == 5.25, "pH");
  CHECK(!strcmp(d[1].name, "place") && d[1].width == 2 && d[1].number[5] == 6, "place");
  CHECK(!strcmp(d[2].name, "site") && !strcmp(d[2].text[2], "\xc3\xa4") && !d[2].number, "site");
}

static void test_kinds(void) {
  const hid_t indices[] = {H5T_STD_I32LE, H5T_STD_I64BE, H5T_STD_U8LE};
  const hid_t values[] = {H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I32LE, H5T_STD_U16LE};
  for (int kind = 0; kind < 48; ++kind) {
    parts p = good_parts(kind & 1, kind >> 1 & 1);
    p.index_type = indices[kind / 4 % 3];
    p.value_type = values[kind / 12];
    p.fixed_names = kind % 3 == 1;
    H5Fclose(begin_file(&p));
    gpugeo_biom biom;
    gpugeo_error error = {0};
    char name[32];
    snprintf(name, sizeof name, "kind %d", kind);
    if (!CHECK(!read_table(0, &biom, &error), "%s: %s", name, error.message)) continue;
    check_values(name, &biom, STORED, kind / 12 >= 2);
    check_metadata(&biom);
    gpugeo_biom_free(&biom);
  }
}

/* A stored 0 is left out. */
static void test_zeros(void) {
  parts p = good_parts(false, false);
  gpugeo_biom biom;
  gpugeo_error error = {0};
  p.stored = (int64_t)(p.indices = p.values = STORED + 1);
  const double values[] = {5, 0, 1, 2.5, 1, 3, 4};
  const int32_t index[] = {0, 1, 2, 1, 0, 1, 2}, start[] = {0, 3, 3, 4, 7};
  memcpy(p.value, values, sizeof values);
  memcpy(p.index, index, sizeof index);
  memcpy(p.start, start, sizeof start);
  H5Fclose(begin_file(&p));
  if (CHECK(!read_table(0, &biom, &error), "%s", error.message))
    check_values("zero", &biom, STORED, false);
  gpugeo_biom_free(&biom);
  gpugeo_biom_free(NULL);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refused(const char *why, gpugeo_status wanted) {
  gpugeo_biom biom;
  gpugeo_error error = {0};
  const gpugeo_status status = read_table(0, &biom, &error);
  CHECK(status == wanted && strstr(error.message, why), "%d, \"%s\", expected \"%s\"", (int)status,
        error.message, why);
  CHECK(!biom.memory, "a failed call leaves nothing to free");
}

static void refuse(const parts *p, const char *why) {
  H5Fclose(begin_file(p));
  expect_refused(why, GPUGEO_ERROR_ARGUMENT);
}

static void test_numbers(void) {
  static const int32_t bad[] = {-1, 3, INT32_MAX, INT32_MIN};
  const parts good = good_parts(false, false);
  parts p;
  for (int k = 0; k < 4; ++k) {
    p = good;
    p.index[2] = bad[k];
    refuse(&p, "has indices beyond its shape");
    p = good;
    p.start[2] = k == 1 ? 1 : bad[k]; /* 3 is possible, 1 is below the one before */
    refuse(&p, "has pointers that do not fit its values");
    p = good;
    p.start[k == 0 ? 0 : TAXA] = k == 0 ? 1 : bad[k];
    refuse(&p, "has pointers that do not fit its values");
  }
  p = good;
  p.index[1] = 0;
  refuse(&p, "has two values of taxon \"t1\" in sample \"s1\"");
  p = good;
  p.starts = TAXA;
  refuse(&p, "has not as many pointers as names");
  p = good;
  p.indices = STORED - 1;
  refuse(&p, "has not as many indices as values");
  p = good;
  p.stored = STORED + 1;
  refuse(&p, "has not as many values as its attribute \"nnz\" says");
  p = good;
  p.shape[1] = 4;
  refuse(&p, "has not the shape that it has names for");
  p = good;
  p.version = 3;
  refuse(&p, "is not of version 2");
  p = good;
  p.index_type = H5T_IEEE_F64LE;
  refuse(&p, "has no whole numbers in \"observation/matrix/indptr\"");
  p = good;
  p.taxa = TAXA - 1;
  refuse(&p, "has not as many pointers as names");
}

static void test_links(void) {
  const parts good = good_parts(false, false);
  static const char *const names[] = {"sample/ids", "observation/matrix/data", "sample/metadata"};
  for (int k = 0; k < 3; ++k) {
    const hid_t file = begin_file(&good);
    H5Ldelete(file, names[k], H5P_DEFAULT);
    H5Lcreate_external("other.h5", names[k], file, names[k], H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    expect_refused("has another file for", GPUGEO_ERROR_ARGUMENT);
  }
  const hid_t file = begin_file(&good);
  H5Ldelete(file, "observation/ids", H5P_DEFAULT);
  H5Fclose(file);
  expect_refused("lacks \"observation/ids\"", GPUGEO_ERROR_ARGUMENT);
}

/* As many texts as there may be are one long one in the file. */
static void test_memory(void) {
  enum { LONG = 1 << 20, COPIES = 4 };
  parts good = good_parts(false, false);
  char *long_text = malloc(LONG + 1);
  memset(long_text, 'a', LONG);
  long_text[LONG] = 0;
  const char *const texts[] = {long_text, long_text, long_text, long_text};
  const hsize_t size = COPIES;
  const hid_t file = begin_file(&good);
  put_texts(file, "observation/metadata/long", false, 1, &size, texts);
  H5Fclose(file);
  gpugeo_biom biom;
  gpugeo_error error = {0};
  CHECK(read_table(2 * LONG, &biom, &error) == GPUGEO_ERROR_MEMORY &&
            strstr(error.message, "memory_limit must be at least"),
        "%s", error.message);
  CHECK(!read_table(8 * LONG, &biom, &error), "%s", error.message);
  gpugeo_biom_free(&biom);
  free(long_text);
}

static void test_others(void) {
  static const char json[] =
      " \n{\"id\": null, \"format\": \"Biological Observation Matrix 1.0.0\"}";
  temporary_write(path, json);
  expect_refused("not one of BIOM 1.0 (JSON)", GPUGEO_ERROR_ARGUMENT);
  expect_refused("biom convert --to-hdf5 -i", GPUGEO_ERROR_ARGUMENT);
  temporary_write(path, "something");
  expect_refused("is no HDF5 file", GPUGEO_ERROR_ARGUMENT);
  temporary_write(path, "");
  expect_refused("is no HDF5 file", GPUGEO_ERROR_ARGUMENT);
  gpugeo_biom biom;
  gpugeo_error error = {0};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  CHECK(gpugeo_biom_read(NULL, &run, &biom, &error) == GPUGEO_ERROR_ARGUMENT, "no path");
  CHECK(gpugeo_biom_read("/nowhere/x", &run, &biom, &error) != GPUGEO_OK, "no file");
}

int main(void) {
  char *folder = temporary_folder();
  path = temporary_path(folder, "table.biom");
  test_kinds();
  test_zeros();
  test_numbers();
  test_links();
  test_memory();
  test_others();
  temporary_remove(path);
  temporary_remove(folder);
  return check_end();
}

#else

/* Without HDF5 there is nothing but an error. */
int main(void) {
  gpugeo_run run;
  gpugeo_biom biom;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  CHECK(gpugeo_biom_read(__FILE__, &run, &biom, &error) == GPUGEO_ERROR_ARGUMENT, "%s",
        error.message);
  return check_end();
}

#endif

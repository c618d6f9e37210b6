/*
 * Reads the datasets of a BIOM table.
 *
 * Reference: The BIOM Format 2.1,
 * https://biom-format.org/documentation/format_versions/biom-2.1.html Cost: that of HDF5, which
 * decompresses each chunk once.
 */
#include "communities/h5_table.h"

#include "common/error.h"
#include "common/h5_file.h"
#include "common/memory.h"

gpugeo_status gg_compressed_make(gg_compressed *matrix, int64_t majors, int64_t minors,
                                 int64_t stored, gg_call *call) {
  *matrix = (gg_compressed){.majors = majors, .minors = minors, .stored = stored};
  matrix->start = gg_call_allocate(call, majors + 1, sizeof *matrix->start);
  matrix->index = gg_call_allocate(call, stored + 1, sizeof *matrix->index);
  matrix->value = gg_call_allocate(call, stored + 1, sizeof *matrix->value);
  return call->status;
}

void gg_compressed_free(gg_compressed *matrix) {
  gg_free(matrix->start);
  gg_free(matrix->index);
  gg_free(matrix->value);
  *matrix = (gg_compressed){.majors = 0};
}

#ifdef GPUGEO_WITH_HDF5

#include <stdio.h>
#include <string.h>

#include "common/h5_dataset.h"
#include "common/h5_quiet.h"

enum {
  BLOCK_VALUES = 1 << 22, /* that are read before the clock is asked again, if chunks allow it */
  MOST_NAME = 200,        /* bytes of the path of a dataset */
  FIRST_DATA = 8
};

/* A file while it is read. */
typedef struct reader {
  const char *path;
  hid_t file;
  gg_call *call;
  gg_h5_table *table;
  gg_h5_voice voice; /* HDF5 is silent but in ask_hooks() */
  double done;       /* share of the file that was read */
} reader;

/* A dataset that is open. */
typedef struct dataset {
  hid_t id, type, space;
  int rank;
  hsize_t size[2]; /* of the first two dimensions */
} dataset;

/* --- Errors ----------------------------------------------------------------------------------- */

/* Fails with "path must be a BIOM table, but "<path>" ...". */
static gpugeo_status fail(reader *r, const char *what, const char *name) {
  return GG_TRY(r->call, gg_fail(r->call->error, GPUGEO_ERROR_ARGUMENT, "path",
                                 "path must be a BIOM table, but \"%.300s\" %s%s%.200s%s", r->path,
                                 what, *name ? " \"" : "", name, *name ? "\"" : ""));
}

/* Fails because a dataset cannot be read, unless the call has failed. */
static gpugeo_status fail_to_read(reader *r, const char *name) {
  return GG_TRY(r->call,
                gg_fail(r->call->error, GPUGEO_ERROR_FILE, "path",
                        "dataset \"%.200s\" of file \"%.300s\" cannot be read", name, r->path));
}

/* Lets the hooks of the call run. */
static void ask_hooks(reader *r) {
  gg_h5_restore(r->voice);
  gg_call_poll(r->call, r->done);
  r->voice = gg_h5_silence();
}

/* --- Datasets --------------------------------------------------------------------------------- */

/* Closes a dataset. */
static void close_dataset(dataset *d) {
  if (d->id < 0) return;
  H5Sclose(d->space);
  H5Tclose(d->type);
  H5Dclose(d->id);
  d->id = -1;
}

/* Opens a dataset if there is one. Returns false if there is none, or if it is stored elsewhere,
   which is an error. To be closed. */
static bool find_dataset(reader *r, const char *name, dataset *d) {
  bool elsewhere = false;
  *d = (dataset){.id = -1};
  if (r->call->status) return false;
  d->id = gg_h5_dataset_open(r->file, name, &elsewhere);
  if (elsewhere) fail(r, "has another file for", name);
  if (d->id < 0) return false;
  d->type = H5Dget_type(d->id);
  d->space = H5Dget_space(d->id);
  d->rank = H5Sget_simple_extent_ndims(d->space);
  if (d->rank == 1 || d->rank == 2) H5Sget_simple_extent_dims(d->space, d->size, NULL);
  if (d->rank == 1) d->size[1] = 1;
  return true;
}

/* Opens a dataset that must be there, of one dimension of at most 2^31 - 1 values. */
static gpugeo_status open_vector(reader *r, const char *name, dataset *d) {
  if (!find_dataset(r, name, d)) return r->call->status ? r->call->status : fail(r, "lacks", name);
  if (d->rank != 1)
    fail(r, "has not one dimension in", name);
  else if (d->size[0] > INT32_MAX)
    fail(r, "has more than 2^31 - 1 values in", name);
  else if (!gg_h5_is_whole(d->id, d->size[0]))
    fail(r, "has stored only a part of", name);
  return r->call->status;
}

/* Returns how many values of a vector are read at once: whole chunks. */
static hsize_t block_of(const dataset *d) {
  const hid_t how = H5Dget_create_plist(d->id);
  hsize_t chunk = 1;
  if (H5Pget_layout(how) == H5D_CHUNKED) H5Pget_chunk(how, 1, &chunk);
  H5Pclose(how);
  return chunk < BLOCK_VALUES ? BLOCK_VALUES / chunk * chunk : chunk;
}

/* Reads the values of a vector in blocks; `share` of the file is read then. */
static void read_vector(reader *r, const char *name, const dataset *d, hid_t type, void *to,
                        double share) {
  const hsize_t count = d->size[0], block = block_of(d);
  const double begun = r->done;
  const size_t bytes = H5Tget_size(type);
  for (hsize_t first = 0; first < count && !r->call->status; first += block) {
    const hsize_t values = count - first < block ? count - first : block;
    const hid_t room = H5Screate_simple(1, &values, NULL);
    H5Sselect_hyperslab(d->space, H5S_SELECT_SET, &first, NULL, &values, NULL);
    if (H5Dread(d->id, type, room, d->space, H5P_DEFAULT, (char *)to + first * bytes) < 0)
      fail_to_read(r, name);
    H5Sclose(room);
    r->done = begun + share * (double)(first + values) / (double)count;
    ask_hooks(r);
  }
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Returns memory for a text, which the arena owns, or NULL. HDF5 calls it. */
static void *take_text(size_t size, void *r) {
  const reader *of = r;
  return gg_arena_take(of->table->arena, (int64_t)size, 1, of->call);
}

/* Frees nothing: the arena owns all texts. HDF5 calls it. */
static void keep_text(void *text, void *r) { (void)text, (void)r; }

/* Reads texts of any length. */
static void read_long_texts(reader *r, const char *name, const dataset *d, int64_t count,
                            const char **text) {
  const hid_t type = H5Tcopy(H5T_C_S1), how = H5Pcreate(H5P_DATASET_XFER);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5Tget_cset(d->type));
  H5Pset_vlen_mem_manager(how, take_text, r, keep_text, r);
  memset(text, 0, (size_t)count * sizeof *text);
  if (H5Dread(d->id, type, H5S_ALL, H5S_ALL, how, text) < 0) fail_to_read(r, name);
  for (int64_t i = 0; i < count && !r->call->status; ++i)
    if (!text[i]) text[i] = "";
  H5Pclose(how);
  H5Tclose(type);
}

/* Reads texts of one length, each to one byte more, which ends it. */
static void read_short_texts(reader *r, const char *name, const dataset *d, int64_t count,
                             const char **text) {
  const int64_t width = (int64_t)H5Tget_size(d->type) + 1;
  char *bytes = gg_arena_take(r->table->arena, count, width, r->call);
  if (!bytes) return;
  const hid_t type = H5Tcopy(d->type);
  H5Tset_size(type, (size_t)width);
  H5Tset_strpad(type, H5T_STR_NULLTERM);
  memset(bytes, 0, (size_t)count * (size_t)width);
  if (H5Dread(d->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) fail_to_read(r, name);
  for (int64_t i = 0; i < count; ++i)
    text[i] = bytes + i * width;
  H5Tclose(type);
}

/* Reads all texts of a dataset; NULL if the call has failed. */
static const char *const *read_texts(reader *r, const char *name, const dataset *d, int64_t count) {
  const char **text = gg_arena_take(r->table->arena, count, sizeof *text, r->call);
  if (!text || count == 0) return text;
  if (H5Tis_variable_str(d->type) > 0)
    read_long_texts(r, name, d, count, text);
  else
    read_short_texts(r, name, d, count, text);
  return text;
}

/* Reads the names of an axis. */
static void read_names(reader *r, const char *name, gpugeo_biom_axis *axis) {
  dataset d;
  if (!open_vector(r, name, &d)) {
    axis->count = (int64_t)d.size[0];
    if (axis->count && H5Tget_class(d.type) != H5T_STRING) fail(r, "has no texts in", name);
    axis->names = read_texts(r, name, &d, axis->count);
  }
  close_dataset(&d);
}

/* --- Data on samples and taxa ----------------------------------------------------------------- */

/* What H5Literate() takes along. */
typedef struct listing {
  reader *reader;
  const char *group;
  gpugeo_biom_axis *axis;
  gpugeo_biom_data *data; /* in the arena */
  int64_t room;
} listing;

/* Returns room for more data of an axis; NULL if the call has failed. */
static gpugeo_biom_data *add_data(listing *list) {
  reader *r = list->reader;
  gpugeo_biom_axis *axis = list->axis;
  if (axis->data_count == list->room) {
    const int64_t room = list->room ? 2 * list->room : FIRST_DATA;
    gpugeo_biom_data *data = gg_arena_take(r->table->arena, room, sizeof *data, r->call);
    if (!data) return NULL;
    if (list->room) memcpy(data, list->data, (size_t)list->room * sizeof *data);
    list->room = room;
    axis->data = list->data = data;
  }
  return &list->data[axis->data_count++];
}

/* Reads one dataset of an axis, unless it has other values than one row for each name. */
static void read_data(listing *list, const char *name, const dataset *d, const char *link) {
  reader *r = list->reader;
  const int64_t count = list->axis->count;
  const bool is_text = H5Tget_class(d->type) == H5T_STRING;
  if ((d->rank != 1 && d->rank != 2) || (int64_t)d->size[0] != count || d->size[1] > INT32_MAX ||
      (!is_text && !gg_h5_is_number(d->type)) || !gg_h5_is_whole(d->id, d->size[0] * d->size[1]))
    return;
  gpugeo_biom_data *data = add_data(list);
  char *own = gg_arena_take(r->table->arena, (int64_t)strlen(link) + 1, 1, r->call);
  if (!own) return;
  memcpy(own, link, strlen(link) + 1);
  *data = (gpugeo_biom_data){.name = own, .width = (int64_t)d->size[1]};
  const int64_t all = count * data->width;
  if (is_text) {
    data->text = read_texts(r, name, d, all);
    return;
  }
  double *number = gg_arena_take(r->table->arena, all, sizeof *number, r->call);
  data->number = number;
  if (number && all && H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) < 0)
    fail_to_read(r, name);
}

/* Reads what a link leads to, if that is a dataset. HDF5 calls it for each link of a group. */
static herr_t visit_link(hid_t group, const char *link, const H5L_info_t *about, void *list) {
  (void)group, (void)about;
  listing *l = list;
  dataset d;
  char name[MOST_NAME + 64];
  if (strlen(link) > MOST_NAME) {
    fail(l->reader, "has a name of more than 200 bytes in", l->group);
    return -1;
  }
  snprintf(name, sizeof name, "%s/%s", l->group, link);
  if (find_dataset(l->reader, name, &d)) read_data(l, name, &d, link);
  close_dataset(&d);
  return l->reader->call->status ? -1 : 0;
}

/* Reads the data of an axis, if its group is there. */
static void read_axis_data(reader *r, const char *group, gpugeo_biom_axis *axis) {
  if (r->call->status) return;
  bool elsewhere = false;
  const hid_t id = gg_h5_group_open(r->file, group, &elsewhere);
  if (elsewhere) fail(r, "has another file for", group);
  if (id < 0) return;
  listing list = {.reader = r, .group = group, .axis = axis};
  if (H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &list) < 0)
    fail_to_read(r, group);
  H5Gclose(id);
  if (!r->call->status) ask_hooks(r);
}

/* --- The matrix ------------------------------------------------------------------------------- */

/* Reads whole numbers, or others if `type` is that of doubles, to memory for d->size[0] of them. */
static void read_part(reader *r, const char *name, const dataset *d, hid_t type, void *to,
                      double share) {
  if (r->call->status) return;
  if (d->size[0] && (!gg_h5_is_number(d->type) ||
                     (type == H5T_NATIVE_INT32 && H5Tget_class(d->type) != H5T_INTEGER)))
    fail(r, type == H5T_NATIVE_INT32 ? "has no whole numbers in" : "has no numbers in", name);
  else
    read_vector(r, name, d, type, to, share);
}

/* Checks the lengths of the three datasets, and allocates the matrix. */
static void make_matrix(reader *r, const dataset d[3], int64_t majors, int64_t minors) {
  const int64_t stored = (int64_t)d[2].size[0];
  if (r->call->status) return;
  if ((int64_t)d[0].size[0] != majors + 1 && (majors || stored || d[0].size[0]))
    fail(r, "has not as many pointers as names", "");
  else if (d[1].size[0] != d[2].size[0])
    fail(r, "has not as many indices as values", "");
  /* A transposition may need as much again. */
  gg_arena_claim(r->table->arena, 24.0 * (double)stored + 8.0 * (double)(majors + minors), r->call);
  if (!r->call->status) gg_compressed_make(&r->table->matrix, majors, minors, stored, r->call);
}

/* Reads a matrix, of the group of samples or of observations. */
static void read_matrix(reader *r) {
  gg_h5_table *t = r->table;
  const char *const parts[] = {"indptr", "indices", "data"};
  char name[3][64];
  dataset d[3] = {{.id = -1}, {.id = -1}, {.id = -1}};
  for (int k = 0; k < 3; ++k) {
    snprintf(name[k], sizeof name[k], "%s/matrix/%s", t->by_samples ? "sample" : "observation",
             parts[k]);
    if (!r->call->status) open_vector(r, name[k], &d[k]);
  }
  make_matrix(r, d, t->by_samples ? t->samples.count : t->taxa.count,
              t->by_samples ? t->taxa.count : t->samples.count);
  if (!r->call->status && d[0].size[0] == 0) t->matrix.start[0] = 0;
  read_part(r, name[0], &d[0], H5T_NATIVE_INT32, t->matrix.start, 0);
  read_part(r, name[1], &d[1], H5T_NATIVE_INT32, t->matrix.index, 0.3);
  read_part(r, name[2], &d[2], H5T_NATIVE_DOUBLE, t->matrix.value, 0.5);
  for (int k = 0; k < 3; ++k)
    close_dataset(&d[k]);
}

/* --- The file --------------------------------------------------------------------------------- */

/* Reads whole numbers of an attribute of the file. Returns false if it has not so many. */
static bool read_attribute(const reader *r, const char *name, int count, int64_t *numbers) {
  if (H5Aexists(r->file, name) <= 0) return false;
  const hid_t attribute = H5Aopen(r->file, name, H5P_DEFAULT);
  if (attribute < 0) return false;
  const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  const bool read = H5Sget_simple_extent_npoints(space) == count && gg_h5_is_number(type) &&
                    H5Tget_class(type) == H5T_INTEGER &&
                    H5Aread(attribute, H5T_NATIVE_INT64, numbers) >= 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);
  return read;
}

/* Checks the attributes of the file against what was read. */
static void check_attributes(reader *r) {
  const gg_h5_table *t = r->table;
  int64_t version[2], shape[2], stored;
  if (r->call->status) return;
  if (read_attribute(r, "format-version", 2, version) && version[0] != 2)
    fail(r, "is not of version 2", "");
  else if (read_attribute(r, "shape", 2, shape) &&
           (shape[0] != t->taxa.count || shape[1] != t->samples.count))
    fail(r, "has not the shape that it has names for", "");
  else if (read_attribute(r, "nnz", 1, &stored) && stored != t->matrix.stored)
    fail(r, "has not as many values as its attribute \"nnz\" says", "");
}

/* True if there is a dataset. */
static bool has_dataset(reader *r, const char *name) {
  dataset d;
  const bool found = find_dataset(r, name, &d);
  close_dataset(&d);
  return found;
}

/* Reads a file that is open. */
static void read_file(reader *r) {
  gg_h5_table *t = r->table;
  read_names(r, "observation/ids", &t->taxa);
  read_names(r, "sample/ids", &t->samples);
  r->done = 0.1;
  read_axis_data(r, "observation/metadata", &t->taxa);
  read_axis_data(r, "sample/metadata", &t->samples);
  r->done = 0.2;
  t->by_samples = !has_dataset(r, "observation/matrix/indptr");
  read_matrix(r);
  check_attributes(r);
}

gpugeo_status gg_h5_table_read(const char *path, gg_h5_table *table, gg_call *call) {
  gg_file_identity unread;
  GG_TRY(call, gg_h5_readable("path", path, &unread, call->error));
  GG_TRY(call, gg_h5_check_room(call->error));
  if (call->status) return call->status;
  reader r = {.path = path, .call = call, .table = table, .voice = gg_h5_silence()};
  r.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (r.file < 0)
    fail(&r, "is no HDF5 file", "");
  else
    read_file(&r);
  if (r.file >= 0) H5Fclose(r.file);
  gg_h5_restore(r.voice);
  return call->status;
}

#else

gpugeo_status gg_h5_table_read(const char *path, gg_h5_table *table, gg_call *call) {
  (void)path, (void)table;
  return GG_TRY(call, gg_h5_missing("path", call->error));
}

#endif

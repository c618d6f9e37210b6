/*
 * Reads tables of counts in the format BIOM 2.1, and checks them.
 *
 * Invariant: no pointer and no index of a file is used before it was compared with the shape and
 * with the number of stored values.
 * Cost: O(stored values), and that of reading them.
 */
#include <string.h>
#include <unistd.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/options.h"
#include "communities/h5_table.h"

/* What a gpugeo_biom owns. */
typedef struct owned {
  gg_arena arena;
  gg_compressed matrix;
  gpugeo_sparse sparse;
} owned;

/* --- Checks ----------------------------------------------------------------------------------- */

/* Fails with "path must be a BIOM table, but "<path>" ...". */
static gpugeo_status fail(gg_call *call, const char *path, const char *what) {
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                              "path must be a BIOM table, but \"%.300s\" %s", path, what));
}

/* Fails if a file is text that begins as JSON does: the format BIOM 1.0. */
static void refuse_json(gg_call *call, const char *path) {
  int handle;
  int64_t size;
  char begin[64];
  if (GG_TRY(call, gg_file_open("path", path, &handle, &size, call->error))) return;
  const int64_t bytes = size < (int64_t)sizeof begin ? size : (int64_t)sizeof begin;
  const bool read = gg_read_at(handle, begin, bytes, 0) == 0;
  close(handle);
  int64_t k = 0;
  while (read && k < bytes && strchr(" \t\r\n", begin[k]) && begin[k])
    ++k;
  if (read && k < bytes && begin[k] == '{')
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                         "path must be a BIOM 2.1 table (HDF5), not one of BIOM 1.0 (JSON); the "
                         "program biom makes one: biom convert --to-hdf5 -i \"%.300s\" -o new.biom",
                         path));
}

/* True if the pointers begin with 0, never decrease, and end with the number of stored values. */
static bool has_good_pointers(const gg_compressed *m) {
  bool good = m->start[0] == 0 && m->start[m->majors] == m->stored;
  for (int64_t k = 0; k < m->majors; ++k)
    good = good && m->start[k] <= m->start[k + 1];
  return good;
}

/* True if all indices are of minors. */
static bool has_good_indices(const gg_compressed *m) {
  bool good = true;
  for (int64_t k = 0; k < m->stored; ++k)
    good = good && m->index[k] >= 0 && m->index[k] < m->minors;
  return good;
}

/* True if the indices of each major do not decrease. */
static bool is_in_order(const gg_compressed *m) {
  bool in_order = true;
  for (int64_t major = 0; major < m->majors; ++major)
    for (int64_t k = m->start[major] + 1; k < m->start[major + 1]; ++k)
      in_order = in_order && m->index[k - 1] <= m->index[k];
  return in_order;
}

/* --- The order of elements -------------------------------------------------------------------- */

/* Replaces a matrix by its transpose, whose indices do not decrease. */
static void transpose(gg_compressed *m, gg_call *call) {
  gg_compressed made = {.majors = 0};
  if (!call->status) gg_compressed_make(&made, m->minors, m->majors, m->stored, call);
  if (call->status) {
    gg_compressed_free(&made);
    return;
  }
  memset(made.start, 0, (size_t)(made.majors + 1) * sizeof *made.start);
  for (int64_t k = 0; k < m->stored; ++k)
    ++made.start[m->index[k] + 1];
  for (int64_t k = 0; k < made.majors; ++k)
    made.start[k + 1] += made.start[k];
  for (int64_t major = 0; major < m->majors; ++major)
    for (int64_t k = m->start[major]; k < m->start[major + 1]; ++k) {
      const int32_t to = made.start[m->index[k]]++;
      made.index[to] = (int32_t)major;
      made.value[to] = m->value[k];
    }
  memmove(made.start + 1, made.start, (size_t)made.majors * sizeof *made.start);
  made.start[0] = 0;
  gg_compressed_free(m);
  *m = made;
}

/* Fails if a taxon has two values in a sample. */
static void refuse_pairs(const gg_h5_table *t, const char *path, gg_call *call) {
  const gg_compressed *m = &t->matrix;
  for (int64_t taxon = 0; taxon < m->majors && !call->status; ++taxon)
    for (int64_t k = m->start[taxon] + 1; k < m->start[taxon + 1]; ++k)
      if (m->index[k - 1] == m->index[k]) {
        GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                             "path must be a BIOM table, but \"%.200s\" has two values of taxon "
                             "\"%.60s\" in sample \"%.60s\"",
                             path, t->taxa.names[taxon], t->samples.names[m->index[k]]));
        return;
      }
}

/* Leaves out values of 0. */
static void drop_zeros(gg_compressed *m) {
  int32_t kept = 0, from = 0;
  for (int64_t major = 0; major < m->majors; ++major) {
    for (; from < m->start[major + 1]; ++from)
      if (m->value[from] != 0) {
        m->index[kept] = m->index[from];
        m->value[kept++] = m->value[from];
      }
    m->start[major + 1] = kept;
  }
  m->stored = kept;
}

/* Checks a matrix, and makes its majors taxa and its indices increase. */
static void arrange(gg_h5_table *t, const char *path, gg_call *call) {
  gg_compressed *m = &t->matrix;
  if (call->status) return;
  if (!has_good_pointers(m))
    fail(call, path, "has pointers that do not fit its values");
  else if (!has_good_indices(m))
    fail(call, path, "has indices beyond its shape");
  if (!call->status && t->by_samples) {
    transpose(m, call);
  } else if (!call->status && !is_in_order(m)) {
    transpose(m, call);
    transpose(m, call);
  }
  if (call->status) return;
  refuse_pairs(t, path, call);
  if (!call->status) drop_zeros(m);
}

/* --- The call --------------------------------------------------------------------------------- */

/* Reads a table to memory that the result owns. */
static void read_table(const char *path, owned *o, gpugeo_biom *biom, gg_call *call) {
  o->arena = (gg_arena){.what = "a BIOM table"};
  gg_h5_table t = {.arena = &o->arena};
  refuse_json(call, path);
  if (!call->status) gg_h5_table_read(path, &t, call);
  arrange(&t, path, call);
  o->matrix = t.matrix;
  if (call->status) return;
  o->sparse = (gpugeo_sparse){.start = o->matrix.start,
                              .index = o->matrix.index,
                              .index_bytes = 4,
                              .stored = o->matrix.stored};
  biom->samples = t.samples;
  biom->taxa = t.taxa;
  biom->counts = (gpugeo_matrix){.data = o->matrix.value,
                                 .type = GPUGEO_TYPE_DOUBLE,
                                 .nrow = t.samples.count,
                                 .ncol = t.taxa.count,
                                 .ld = t.samples.count,
                                 .sparse = &o->sparse};
}

gpugeo_status gpugeo_biom_read(const char *path, const gpugeo_run *run, gpugeo_biom *biom,
                               gpugeo_error *error) {
  *biom = (gpugeo_biom){.memory = NULL};
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (!status) status = gg_check_run(run, error);
  if (status) return status;
  if (!path) return gg_fail_string(error, "path", NULL);
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  owned *o = gg_allocate_zeros(1, sizeof *o);
  biom->memory = o;
  if (o)
    read_table(path, o, biom, &call);
  else
    GG_TRY(&call, gg_fail_memory(error, (int64_t)sizeof *o));
  if (call.status) gpugeo_biom_free(biom);
  return gg_call_end(&call);
}

void gpugeo_biom_free(gpugeo_biom *biom) {
  if (!biom) return;
  owned *o = biom->memory;
  if (o) {
    gg_arena_free(&o->arena);
    gg_compressed_free(&o->matrix);
    gg_free(o);
  }
  *biom = (gpugeo_biom){.memory = NULL};
}

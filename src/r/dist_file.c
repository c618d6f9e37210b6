#include <R_ext/RS.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "distances.h"
#include "entry.h"

static const char *const shapes[] = {"condensed", "square"};
static const char *const precisions[] = {"double", "float"};

/* Returns the number of the one of two words that an option is. */
static int one_of(gg_r_call *call, const char *name, const char *const words[2]) {
  int which = 0;
  const char *text = gg_r_word(call, name);
  if (text) gg_r_check(call, gg_one_of(name, text, words, &which, &call->error));
  return which;
}

/* Reads the options of a file of distances. */
static void read_output(gg_r_call *call, gpugeo_dist_file_options *options) {
  gpugeo_dist_file_options_init(options, sizeof *options);
  options->file = gg_r_path(call, gg_r_option(call, "file"), "file");
  if (gg_r_has(call, "file_name")) options->name = gg_r_word(call, "file_name");
  options->shape = one_of(call, "file_shape", shapes) ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  options->type =
      one_of(call, "file_precision", precisions) ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  if (!gg_r_has(call, "labels")) return;
  options->labels = gg_r_texts(gg_r_option(call, "labels"));
  options->labels_length = XLENGTH(gg_r_option(call, "labels"));
}

SEXP gg_r_dist_file_write(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix view;
  gpugeo_point_source source;
  gpugeo_dist_options options;
  gpugeo_dist_file_options file;
  gg_r_distances d;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&d));
  gpugeo_dist_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  const bool computed = gg_r_has(&call, "source"); /* "sequences", "unifrac" or "overlap" */
  if (computed)
    gg_r_read_stored(&call, "x", "source", 0, &d);
  else
    gg_r_source(&call, gg_r_input(&call, 0), "x", &view, &source);
  gg_r_read_options(&call, &gg_metric_options, &options.metric);
  gg_r_settings(&call, &options.run);
  read_output(&call, &file);
  file.lazy = d.given.lazy;
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_dist_file_write(computed ? NULL : &source, &options, &file,
                                            &call.report, &call.error));
  gg_r_close_distances(&d);
  gg_r_report(&call, gg_r_has(&call, "function") ? gg_r_word(&call, "function") : "gpu_dist", NULL);
  UNPROTECT(2);
  return R_NilValue;
}

/* Opens a file; name may be NULL. */
static void open_file(gg_r_call *call, SEXP file, SEXP name, gpugeo_dist_file **opened,
                      gpugeo_dist_file_info *info) {
  const char *path = gg_r_path(call, file, "file"), *dataset = NULL;
  if (name != R_NilValue) dataset = gg_r_text(call, name, "name");
  if (!call->status)
    gg_r_check(call, gpugeo_dist_file_open(path, dataset, opened, info, &call->error));
}

/* Closes a file of distances. */
static void close_file(SEXP holder) {
  gpugeo_dist_file_close(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* Returns an external pointer by which R closes the file when the call ends, also after an
   error. */
static SEXP hold_file(gpugeo_dist_file *file) {
  SEXP holder = PROTECT(R_MakeExternalPtr(file, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, close_file);
  UNPROTECT(1);
  return holder;
}

SEXP gg_r_dist_file_info(SEXP file, SEXP name, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  open_file(&call, file, name, &opened, &info);
  gg_r_require(&call);
  SEXP holder = PROTECT(hold_file(opened));
  const char *names[] = {"name",  "metric",     "size",   "shape", "precision",
                         "tiles", "tiles_done", "labels", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, Rf_mkString(info.name));
  SET_VECTOR_ELT(list, 1, Rf_mkString(info.metric));
  gg_r_set_number(list, 2, (double)info.points);
  SET_VECTOR_ELT(list, 3, Rf_mkString(shapes[info.shape == GPUGEO_SHAPE_FULL]));
  SET_VECTOR_ELT(list, 4, Rf_mkString(precisions[info.type == GPUGEO_TYPE_FLOAT]));
  gg_r_set_number(list, 5, (double)info.tiles);
  gg_r_set_number(list, 6, (double)info.tiles_done);
  if (info.labels) {
    SEXP labels = gg_r_set_vector(list, 7, STRSXP, info.points);
    for (int64_t i = 0; i < info.points; ++i)
      SET_STRING_ELT(labels, i, Rf_mkCharCE(gpugeo_dist_file_label(opened, i), CE_UTF8));
  }
  close_file(holder);
  UNPROTECT(3);
  return list;
}

SEXP gg_r_dist_file_read(SEXP file, SEXP name, SEXP rows, SEXP columns, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const int64_t *row = gg_r_points_from_one(rows), *column = gg_r_points_from_one(columns);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)XLENGTH(rows), (int)XLENGTH(columns)));
  open_file(&call, file, name, &opened, &info);
  if (!call.status)
    gg_r_check(&call, gpugeo_dist_file_read(opened, row, XLENGTH(rows), column, XLENGTH(columns),
                                            NA_REAL, REAL(out), &call.error));
  gpugeo_dist_file_close(opened);
  gg_r_require(&call);
  UNPROTECT(2);
  return out;
}

/* Reads the distances of each point to all later ones, those of `width` points together into
   `room`. */
static gpugeo_status read_columns(const gpugeo_dist_file *opened, int64_t points, int64_t width,
                                  int64_t *numbers, double *room, double *out,
                                  gpugeo_error *error) {
  for (int64_t first = 0; first < points - 1; first += width) {
    const int64_t count = width < points - 1 - first ? width : points - 1 - first;
    const int64_t rows = points - 1 - first;
    const gpugeo_status status = gpugeo_dist_file_read(
        opened, numbers + first + 1, rows, numbers + first, count, NA_REAL, room, error);
    if (status) return status;
    for (int64_t k = 0; k < count; ++k) {
      memcpy(out, room + k * rows + k, (size_t)(rows - k) * sizeof *out);
      out += rows - k;
    }
  }
  return GPUGEO_OK;
}

/* Checks the memory of all distances; the error names other ways. */
static gpugeo_status check_room(int64_t points, double working, gpugeo_error *error) {
  const double count = (double)points * (double)(points - 1) / 2;
  const gpugeo_status status = gg_check_memory(8 * count + working, "m", error,
                                               "as.dist() of %lld points needs", (long long)points);
  const size_t length = status ? strlen(error->message) : 0;
  if (status)
    snprintf(
        error->message + length, sizeof error->message - length,
        "; x[i, j] reads some distances, and gpu_knn() and gpu_neighbor_graph() need no matrix");
  return status;
}

SEXP gg_r_dist_file_condensed(SEXP file, SEXP name, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  open_file(&call, file, name, &opened, &info);
  gg_r_require(&call);
  SEXP holder = PROTECT(hold_file(opened));
  const int64_t n = info.points, values = (int64_t)1 << 20; /* read together: 8 MiB */
  const int64_t width = n > 1 && values / n > 1 ? values / n : 1;
  gg_r_check(&call, check_room(n, 8 * (double)(width + 1) * (double)n, &call.error));
  gg_r_require(&call);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(n * (n - 1) / 2)));
  double *room = (double *)R_alloc((size_t)(width * n) + 1, sizeof *room);
  int64_t *numbers = (int64_t *)R_alloc((size_t)n + 1, sizeof *numbers);
  for (int64_t i = 0; i < n; ++i)
    numbers[i] = i;
  gg_r_check(&call, read_columns(opened, n, width, numbers, room, REAL(out), &call.error));
  gg_r_require(&call);
  close_file(holder);
  UNPROTECT(3);
  return out;
}

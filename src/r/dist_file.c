#include <R_ext/RS.h>
#include <string.h>

#include "common/error.h"
#include "entry.h"
#include "result_memory.h"
#include "run.h"

static const char *const shapes[] = {"condensed", "square"};
static const char *const precisions[] = {"double", "float"};

/* Reads one of two words, in the order in which an error lists them. */
static gpugeo_status one_of(SEXP value, const char *argument, const char *const words[2],
                            int *which, gpugeo_error *error) {
  const char *text;
  gpugeo_status status = gg_r_string(value, argument, &text, error);
  if (!status) status = gg_one_of(argument, text, words, which, error);
  return status;
}

static gpugeo_status read_output(SEXP output, gpugeo_dist_file_options *options,
                                 gpugeo_error *error) {
  int shape = 0, precision = 0;
  SEXP name = gg_r_element(output, "name"), labels = gg_r_element(output, "labels");
  gpugeo_dist_file_options_init(options, sizeof *options);
  gpugeo_status status = gg_r_path(gg_r_element(output, "file"), "file", &options->file, error);
  if (!status && name != R_NilValue) status = gg_r_string(name, "file_name", &options->name, error);
  if (!status) status = one_of(gg_r_element(output, "shape"), "file_shape", shapes, &shape, error);
  if (!status)
    status =
        one_of(gg_r_element(output, "precision"), "file_precision", precisions, &precision, error);
  options->shape = shape ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  options->type = precision ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  if (status || labels == R_NilValue) return status;
  options->labels_length = XLENGTH(labels);
  const char **text = (const char **)R_alloc((size_t)options->labels_length + 1, sizeof *text);
  for (R_xlen_t i = 0; i < XLENGTH(labels); ++i)
    text[i] = Rf_translateCharUTF8(STRING_ELT(labels, i));
  options->labels = text;
  return GPUGEO_OK;
}

SEXP gg_r_dist_file_write(SEXP x, SEXP metric, SEXP output, SEXP settings, SEXP call,
                          SEXP environment) {
  gpugeo_error error;
  gpugeo_matrix view;
  gpugeo_point_source source;
  gpugeo_dist_options options;
  gpugeo_dist_file_options file;
  gpugeo_report report = {0};
  gg_r_hooks hooks;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_dist_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  gpugeo_status status = gg_r_source(x, "x", &view, &source, &error);
  if (!status)
    status = gg_r_dist_options(gg_r_element(metric, "method"), gg_r_element(metric, "p"),
                               gg_r_element(metric, "scale"), gg_r_element(metric, "cov"), &options,
                               &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status) status = read_output(output, &file, &error);
  if (status) gg_r_stop(&error, call);
  status = gpugeo_dist_file_write(&source, &options, &file, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  gg_r_report(&report, "gpu_dist", call, environment);
  UNPROTECT(1);
  return R_NilValue;
}

static gpugeo_status open_file(SEXP file, SEXP name, gpugeo_dist_file **opened,
                               gpugeo_dist_file_info *info, gpugeo_error *error) {
  const char *path, *dataset = NULL;
  gpugeo_status status = gg_r_path(file, "file", &path, error);
  if (!status && name != R_NilValue) status = gg_r_string(name, "name", &dataset, error);
  if (!status) status = gpugeo_dist_file_open(path, dataset, opened, info, error);
  return status;
}

static void close_file(SEXP holder) {
  gpugeo_dist_file_close(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* Returns an external pointer by which R closes the file when the call ends, also after an
   error. */
static SEXP hold(gpugeo_dist_file *file) {
  SEXP holder = PROTECT(R_MakeExternalPtr(file, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, close_file);
  UNPROTECT(1);
  return holder;
}

SEXP gg_r_dist_file_info(SEXP file, SEXP name, SEXP call) {
  gpugeo_error error;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  if (open_file(file, name, &opened, &info, &error)) gg_r_stop(&error, call);
  SEXP holder = PROTECT(hold(opened));
  const char *names[] = {"name",  "metric",     "size",   "shape", "precision",
                         "tiles", "tiles_done", "labels", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, Rf_mkString(info.name));
  SET_VECTOR_ELT(list, 1, Rf_mkString(info.metric));
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)info.points));
  SET_VECTOR_ELT(list, 3, Rf_mkString(shapes[info.shape == GPUGEO_SHAPE_FULL]));
  SET_VECTOR_ELT(list, 4, Rf_mkString(precisions[info.type == GPUGEO_TYPE_FLOAT]));
  SET_VECTOR_ELT(list, 5, Rf_ScalarReal((double)info.tiles));
  SET_VECTOR_ELT(list, 6, Rf_ScalarReal((double)info.tiles_done));
  if (info.labels) {
    SEXP labels = SET_VECTOR_ELT(list, 7, Rf_allocVector(STRSXP, (R_xlen_t)info.points));
    for (int64_t i = 0; i < info.points; ++i)
      SET_STRING_ELT(labels, i, Rf_mkCharCE(gpugeo_dist_file_label(opened, i), CE_UTF8));
  }
  close_file(holder);
  UNPROTECT(2);
  return list;
}

/* Returns numbers from 1, which the R code has checked, as numbers from 0. */
static int64_t *as_points(SEXP numbers) {
  int64_t *points = (int64_t *)R_alloc((size_t)XLENGTH(numbers) + 1, sizeof *points);
  for (R_xlen_t i = 0; i < XLENGTH(numbers); ++i)
    points[i] = (int64_t)REAL_RO(numbers)[i] - 1;
  return points;
}

SEXP gg_r_dist_file_read(SEXP file, SEXP name, SEXP rows, SEXP columns, SEXP call) {
  gpugeo_error error;
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  const int64_t *row = as_points(rows), *column = as_points(columns);
  SEXP out = PROTECT(gg_r_result_matrix(REALSXP, (int)XLENGTH(rows), (int)XLENGTH(columns)));
  gpugeo_status status = open_file(file, name, &opened, &info, &error);
  if (!status)
    status = gpugeo_dist_file_read(opened, row, XLENGTH(rows), column, XLENGTH(columns), NA_REAL,
                                   REAL(out), &error);
  gpugeo_dist_file_close(opened);
  if (status) gg_r_stop(&error, call);
  UNPROTECT(1);
  return out;
}

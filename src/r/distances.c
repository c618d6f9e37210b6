#include "distances.h"

#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "dist.h"
#include "distance/dist_device.h"
#include "distance/square.h"
#include "entry.h"
#include "sequences.h"
#include "unifrac.h"

SEXP gg_r_begin_distances(gg_r_distances *distances) {
  *distances = (gg_r_distances){.given = {.x = NULL}};
  distances->holder = R_MakeExternalPtr(NULL, R_NilValue, R_NilValue);
  return distances->holder;
}

/* Opens the file of inputs `first` and the next one. */
static void open_file(gg_r_call *call, int first, gg_r_distances *distances) {
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  const char *path = gg_r_path(call, gg_r_input(call, first), "file");
  const char *name = gg_r_text(call, gg_r_input(call, first + 1), "name");
  if (call->status) return;
  if (!gg_r_check(call, gpugeo_dist_file_open(path, name, &opened, &info, &call->error))) return;
  R_SetExternalPtrAddr(distances->holder, opened);
  R_RegisterCFinalizer(distances->holder, gg_r_close_file);
  distances->given.file = opened;
}

void gg_r_read_stored(gg_r_call *call, const char *name, const char *option, int first,
                      gg_r_distances *distances) {
  const char *source = gg_r_word(call, option);
  if (!source) return;
  if (strcmp(source, "dist") == 0) {
    distances->given.condensed = REAL_RO(gg_r_input(call, first));
    distances->given.condensed_points = (int64_t)REAL_RO(gg_r_input(call, first + 1))[0];
  } else if (strcmp(source, "device") == 0) {
    distances->given.device = gg_r_dist_device(call, gg_r_input(call, first), name);
  } else if (strcmp(source, "sequences") == 0) {
    distances->given.lazy = gg_r_make_lazy(call, first, distances->holder);
  } else if (strcmp(source, "overlap") == 0) {
    distances->given.lazy = gg_r_make_overlap(call, first, distances->holder);
  } else if (strcmp(source, "unifrac") == 0) {
    distances->given.lazy = gg_r_make_unifrac(call, first, distances->holder);
  } else {
    open_file(call, first, distances);
  }
}

void gg_r_read_distances(gg_r_call *call, const char *name, gg_r_distances *distances,
                         gpugeo_metric_options *metric) {
  const char *source = gg_r_word(call, "source");
  if (!source) return;
  if (strcmp(source, "points") != 0) {
    gg_r_read_stored(call, name, "source", 0, distances);
    return;
  }
  gg_r_matrix(call, gg_r_input(call, 0), name, &distances->x);
  distances->given.x = &distances->x;
  gg_r_read_options(call, &gg_metric_options, metric);
}

int64_t gg_r_count_points(gg_r_call *call, const gg_r_distances *distances) {
  int64_t n = 0;
  if (!call->status)
    gg_r_check(call,
               gpugeo_distances_points(&distances->given, GPUGEO_POINTS_ROWS, &n, &call->error));
  gg_r_require(call);
  return gg_room(n, INT32_MAX);
}

int64_t gg_r_open_distances(gg_r_call *call, const char *name, gg_r_distances *distances,
                            const gg_option_table *table, void *options,
                            gpugeo_metric_options *metric, gpugeo_run *run) {
  SET_VECTOR_ELT(call->kept, 1, gg_r_begin_distances(distances));
  if (table) table->fill(options);
  gg_r_read_distances(call, name, distances, metric);
  if (table) gg_r_read_options(call, table, options);
  gg_r_settings(call, run);
  return gg_r_count_points(call, distances);
}

int64_t *gg_r_points_from_one(SEXP numbers) {
  int64_t *points = (int64_t *)R_alloc((size_t)XLENGTH(numbers) + 1, sizeof *points);
  for (R_xlen_t i = 0; i < XLENGTH(numbers); ++i)
    points[i] = (int64_t)REAL_RO(numbers)[i] - 1;
  return points;
}

const gpugeo_dist_device *gg_r_dist_device(gg_r_call *call, SEXP pointer, const char *name) {
  if (call->status) return NULL;
  if (!gg_r_is_pointer(pointer, GG_R_DIST_DEVICE)) {
    gg_r_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, name,
                             "%s must be distances that gpu_dist(keep = \"device\") returned, not "
                             "an object that was changed or made by hand",
                             name));
    return NULL;
  }
  const gpugeo_dist_device *distances = R_ExternalPtrAddr(pointer);
  if (!distances) gg_r_check(call, gg_dist_device_check(name, NULL, &call->error));
  return distances;
}

void gg_r_close_distances(gg_r_distances *distances) { gg_r_close_file(distances->holder); }

/* --- Square matrices -------------------------------------------------------------------------- */

/* Raises the error of a matrix that is not symmetric. */
NORET static void stop_asymmetric(const gpugeo_matrix *square, const gg_asymmetry *found,
                                  const char *name, const char *hint, SEXP call) {
  gpugeo_error error;
  const gg_given above =
      gg_r_given(PROTECT(Rf_ScalarReal(gg_element(square, found->column, found->row))));
  const gg_given below =
      gg_r_given(PROTECT(Rf_ScalarReal(gg_element(square, found->row, found->column))));
  gg_fail_asymmetric(&error, name, found, &above, &below, hint);
  gg_r_stop(&error, call);
}

SEXP gg_r_square(SEXP square, SEXP name, SEXP hint, SEXP call) {
  gpugeo_matrix view;
  gpugeo_error error;
  if (gg_r_view(square, "square", &view, &error)) gg_r_stop(&error, call);
  const gg_asymmetry found = gg_asymmetry_find(&view);
  if (!gg_is_symmetric(&view, &found)) {
    if (hint == R_NilValue) return R_NilValue;
    stop_asymmetric(&view, &found, CHAR(Rf_asChar(name)), CHAR(Rf_asChar(hint)), call);
  }
  const R_xlen_t n = (R_xlen_t)view.nrow;
  SEXP condensed = PROTECT(Rf_allocVector(REALSXP, n * (n - 1) / 2));
  gg_square_condense(&view, REAL(condensed));
  UNPROTECT(1);
  return condensed;
}

SEXP gg_r_looks_like_distances(SEXP x, SEXP call) {
  gpugeo_matrix view;
  gpugeo_error error;
  if (gg_r_view(x, "x", &view, &error)) gg_r_stop(&error, call);
  return Rf_ScalarLogical(gg_looks_like_distances(&view));
}

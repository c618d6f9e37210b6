/*
 * Collisions that are under way or done. R holds them by an external pointer, whose address is a
 * gg_r_future. Those that have not been freed are in a list, so they can be ended when the
 * package is unloaded: their threads run its code.
 */
#include <limits.h>
#include <stdlib.h>

#include "call.h"
#include "common/error.h"
#include "entry.h"

typedef struct gg_r_future {
  gpugeo_collisions *collisions;
  gpugeo_collisions_what what;
  int64_t rows; /* of x */
  int32_t groups;
  SEXP pointer; /* what R holds, not protected from here */
  struct gg_r_future *previous, *next;
} gg_r_future;

static gg_r_future *first_future;

/* Frees a future and takes it out of the list of all. */
static void free_future(gg_r_future *future) {
  R_ClearExternalPtr(future->pointer);
  if (future->previous)
    future->previous->next = future->next;
  else
    first_future = future->next;
  if (future->next) future->next->previous = future->previous;
  gpugeo_collisions_free(future->collisions);
  free(future);
}

void gg_r_collide_release(void) {
  while (first_future)
    free_future(first_future);
}

/* The kind of external pointers to futures. */
static const char future_kind[] = "gpugeo_collisions";

/* Finds the future of a value of R. */
static gpugeo_status find_future(SEXP pointer, gg_r_future **future, gpugeo_error *error) {
  if (!gg_r_is_pointer(pointer, future_kind)) {
    const gg_given given = gg_r_given(pointer);
    return gg_fail_given(error, "future", GG_FUTURE, &given);
  }
  *future = R_ExternalPtrAddr(pointer);
  if (*future) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "future",
                 "future is not alive: it came from a file or from another process, or gpugeo was "
                 "unloaded since");
}

SEXP gg_r_collide_new(SEXP labels) {
  SEXP pointer = PROTECT(gg_r_new_pointer(future_kind, labels));
  Rf_classgets(pointer, PROTECT(Rf_mkString("gpu_future")));
  UNPROTECT(2);
  return pointer;
}

SEXP gg_r_collide_free(SEXP pointer) {
  gg_r_future *future = gg_r_is_pointer(pointer, future_kind) ? R_ExternalPtrAddr(pointer) : NULL;
  if (future) free_future(future);
  return R_NilValue;
}

/* Gives a future that was computed or launched to the R value that holds it. */
static void keep_future(gg_r_future *future, SEXP pointer) {
  future->pointer = pointer;
  future->next = first_future;
  if (first_future) first_future->previous = future;
  first_future = future;
  R_SetExternalPtrAddr(pointer, future);
}

SEXP gg_r_collide_begin(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_collisions_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_collisions_options_init(&options, sizeof options);
  gg_r_read_points(&call, "y", &in);
  gg_r_read_options(&call, &gg_collisions_options, &options);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);

  gg_r_future *future = calloc(1, sizeof *future);
  if (!future) gg_r_check(&call, gg_fail_memory(&call.error, sizeof *future));
  gg_r_require(&call);
  const bool launch = Rf_asLogical(gg_r_option(&call, "launch"));
  const gpugeo_status status = (launch ? gpugeo_collisions_launch : gpugeo_collisions_compute)(
      &in.x, in.y, &options, &future->collisions, &call.error);
  if (status) free(future);
  gg_r_finish(&call, status);

  future->what = options.what;
  future->rows = in.x.nrow;
  future->groups = options.groups;
  keep_future(future, gg_r_input(&call, 2));
  UNPROTECT(1);
  return R_NilValue;
}

/* Sets dim and dimnames of a matrix; rows and columns may be NULL. */
static void set_dimensions(SEXP matrix, int64_t nrow, int64_t ncol, SEXP rows, SEXP columns) {
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = (int)nrow;
  INTEGER(dim)[1] = (int)ncol;
  Rf_dimgets(matrix, dim);
  SEXP names = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(names, 0, rows);
  SET_VECTOR_ELT(names, 1, columns);
  Rf_dimnamesgets(matrix, names);
  UNPROTECT(2);
}

/* Copies both columns of pairs, counted from 0, to vectors that count from 1. */
static void copy_pairs(const int32_t *pairs, int64_t count, int *i, int *j) {
  for (int64_t e = 0; e < count; ++e) {
    i[e] = pairs[e] + 1;
    j[e] = pairs[e + count] + 1;
  }
}

/* Reads the points of a future again, which R has kept. */
static void find_points(SEXP labels, gg_r_points *points, SEXP call) {
  gpugeo_error error;
  SEXP y = gg_r_element(labels, "y");
  points->y = y == R_NilValue ? NULL : &points->second;
  if (gg_r_view(gg_r_element(labels, "x"), "x", &points->x, &error) ||
      (points->y && gg_r_view(y, "y", &points->second, &error)))
    gg_r_stop(&error, call);
}

/* Makes a list of columns a data frame. */
static void make_data_frame(SEXP list, int64_t rows) {
  SEXP numbers = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(numbers)[0] = NA_INTEGER;
  INTEGER(numbers)[1] = -(int)rows;
  Rf_setAttrib(list, R_RowNamesSymbol, numbers);
  Rf_classgets(list, PROTECT(Rf_mkString("data.frame")));
  UNPROTECT(2);
}

/* Returns a data frame i, j, distance with rows counted from 1. R's data frames have fewer than
   2^31 rows, and so do both sets of points. */
static SEXP pairs_value(const gg_r_future *future, int64_t count, SEXP labels, SEXP call) {
  gpugeo_error error;
  if (count > INT_MAX) {
    gg_fail(&error, GPUGEO_ERROR_MEMORY, "what",
            "the result has %lld pairs, more than the %d rows that a data frame can have",
            (long long)count, INT_MAX);
    gg_r_stop(&error, call);
  }
  gg_r_points points;
  find_points(labels, &points, call);
  const char *names[] = {"i", "j", "distance", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP i = gg_r_set_vector(out, 0, INTSXP, count);
  SEXP j = gg_r_set_vector(out, 1, INTSXP, count);
  double *distance = REAL(gg_r_set_vector(out, 2, REALSXP, count));
  /* The distances overwrite the pairs, which have as many bytes. */
  int32_t *pairs = (int32_t *)distance;
  if (gpugeo_collisions_pairs(future->collisions, GPUGEO_TYPE_INT32, pairs, &error))
    gg_r_stop(&error, call);
  copy_pairs(pairs, count, INTEGER(i), INTEGER(j));
  if (gpugeo_collisions_distances(future->collisions, &points.x, points.y, distance, &error))
    gg_r_stop(&error, call);
  make_data_frame(out, count);
  UNPROTECT(1);
  return out;
}

/* Returns the numbers of collisions of each point. */
static SEXP per_point_value(const gg_r_future *future, SEXP names, SEXP call) {
  gpugeo_error error;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)future->rows));
  if (gpugeo_collisions_per_point(future->collisions, REAL(out), &error)) gg_r_stop(&error, call);
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(1);
  return out;
}

/* Returns the table of collisions by group. */
static SEXP table_value(const gg_r_future *future, SEXP names, SEXP call) {
  gpugeo_error error;
  const int64_t groups = future->groups;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(groups * groups)));
  if (gpugeo_collisions_table(future->collisions, REAL(out), &error)) gg_r_stop(&error, call);
  set_dimensions(out, groups, groups, names, names);
  UNPROTECT(1);
  return out;
}

SEXP gg_r_collide_result(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  gg_r_future *future = NULL;
  int64_t count = 0;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  SEXP pointer = gg_r_input(&call, 0);
  gg_r_check(&call, find_future(pointer, &future, &call.error));
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call,
              gpugeo_collisions_wait(future->collisions, &run, &count, &call.report, &call.error));

  SEXP labels = R_ExternalPtrProtected(pointer), out;
  switch (future->what) {
  case GPUGEO_COLLISIONS_WHAT_PAIRS:
    out = pairs_value(future, count, labels, r_call);
    break;
  case GPUGEO_COLLISIONS_WHAT_PER_POINT:
    out = per_point_value(future, gg_r_element(labels, "rows"), r_call);
    break;
  case GPUGEO_COLLISIONS_WHAT_TABLE:
    out = table_value(future, gg_r_element(labels, "groups"), r_call);
    break;
  default:
    out = Rf_ScalarReal((double)count);
  }
  PROTECT(out);
  gg_r_report(&call, gg_r_word(&call, "function"), NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_collide_done(SEXP pointer) {
  gpugeo_error error;
  gg_r_future *future = NULL;
  if (find_future(pointer, &future, &error)) return Rf_ScalarLogical(NA_LOGICAL);
  return Rf_ScalarLogical(gpugeo_collisions_done(future->collisions) != 0);
}

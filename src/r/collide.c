/*
 * Collisions that are under way or done. R holds them by an external pointer, whose address is a
 * gg_r_future. Those that have not been freed are in a list, so that they can be ended when the
 * package is unloaded: their threads run its code.
 */
#include <limits.h>
#include <stdlib.h>

#include "common/error.h"
#include "entry.h"
#include "run.h"

typedef struct gg_r_future {
  gpugeo_collisions *collisions;
  gpugeo_collisions_what what;
  int64_t rows; /* of x */
  int32_t groups;
  SEXP pointer; /* what R holds, not protected from here */
  struct gg_r_future *previous, *next;
} gg_r_future;

static gg_r_future *first_future;

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

static SEXP future_tag(void) { return Rf_install("gpugeo_collisions"); }

/* Finds the future of a value of R. */
static gpugeo_status find_future(SEXP pointer, gg_r_future **future, gpugeo_error *error) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != future_tag()) {
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
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, future_tag(), labels));
  Rf_classgets(pointer, PROTECT(Rf_mkString("gpu_future")));
  UNPROTECT(2);
  return pointer;
}

SEXP gg_r_collide_free(SEXP pointer) {
  gg_r_future *future = R_ExternalPtrAddr(pointer);
  if (future) free_future(future);
  return R_NilValue;
}

static gpugeo_status read_options(SEXP list, gpugeo_collisions_options *options,
                                  gpugeo_error *error) {
  const char *name;
  gpugeo_status status =
      gg_r_number(gg_r_element(list, "radius"), "radius", GG_POSITIVE, &options->radius, error);
  if (!status)
    status = gg_r_doubles(gg_r_element(list, "radii"), "radii", &options->radii,
                          &options->radii_length, error);
  if (!status)
    status = gg_r_any_whole(gg_r_element(list, "exclude"), "exclude", &options->exclude, error);
  if (!status)
    status =
        gg_r_doubles(gg_r_element(list, "box"), "box", &options->box, &options->box_length, error);
  if (!status) status = gg_r_string(gg_r_element(list, "what"), "what", &name, error);
  if (!status) status = gpugeo_collisions_what_find(name, &options->what, error);
  if (!status) status = gg_r_string(gg_r_element(list, "algorithm"), "algorithm", &name, error);
  if (!status) status = gpugeo_collisions_algorithm_find(name, &options->algorithm, error);

  SEXP group = gg_r_element(list, "group");
  if (group != R_NilValue) {
    options->group = INTEGER_RO(group);
    options->group_length = XLENGTH(group);
    options->groups = Rf_asInteger(gg_r_element(list, "groups"));
  }
  return status;
}

SEXP gg_r_collide_begin(SEXP pointer, SEXP launch, SEXP x, SEXP y, SEXP list, SEXP settings,
                        SEXP call) {
  gpugeo_error error;
  gpugeo_matrix x_view, y_view;
  const gpugeo_matrix *other = y == R_NilValue ? NULL : &y_view;
  gg_r_hooks hooks;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_collisions_options options;
  gpugeo_collisions_options_init(&options, sizeof options);
  gpugeo_status status = gg_r_matrix(x, "x", &x_view, &error);
  if (!status && other) status = gg_r_matrix(y, "y", &y_view, &error);
  if (!status) status = read_options(list, &options, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (status) gg_r_stop(&error, call);

  gg_r_future *future = calloc(1, sizeof *future);
  if (!future) {
    gg_fail_memory(&error, sizeof *future);
    gg_r_stop(&error, call);
  }
  status = (Rf_asLogical(launch) ? gpugeo_collisions_launch : gpugeo_collisions_compute)(
      &x_view, other, &options, &future->collisions, &error);
  if (status) free(future);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);

  future->what = options.what;
  future->rows = x_view.nrow;
  future->groups = options.groups;
  future->pointer = pointer;
  future->next = first_future;
  if (first_future) first_future->previous = future;
  first_future = future;
  R_SetExternalPtrAddr(pointer, future);
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

/* Returns two columns, i and j, counted from 1. R's matrices have fewer than 2^31 rows, and so
   do both sets of points. */
static SEXP pairs_value(const gg_r_future *future, int64_t count, SEXP call) {
  gpugeo_error error;
  if (count > INT_MAX) {
    gg_fail(&error, GPUGEO_ERROR_MEMORY, "what",
            "the result has %lld pairs, more than the %d rows that a matrix can have",
            (long long)count, INT_MAX);
    gg_r_stop(&error, call);
  }
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)(2 * count)));
  if (gpugeo_collisions_pairs(future->collisions, GPUGEO_TYPE_INT32, INTEGER(out), &error))
    gg_r_stop(&error, call);
  for (int64_t at = 0; at < 2 * count; ++at)
    ++INTEGER(out)[at];
  SEXP columns = PROTECT(Rf_allocVector(STRSXP, 2));
  SET_STRING_ELT(columns, 0, Rf_mkChar("i"));
  SET_STRING_ELT(columns, 1, Rf_mkChar("j"));
  set_dimensions(out, count, 2, R_NilValue, columns);
  UNPROTECT(2);
  return out;
}

static SEXP per_point_value(const gg_r_future *future, SEXP names, SEXP call) {
  gpugeo_error error;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)future->rows));
  if (gpugeo_collisions_per_point(future->collisions, REAL(out), &error)) gg_r_stop(&error, call);
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(1);
  return out;
}

static SEXP table_value(const gg_r_future *future, SEXP names, SEXP call) {
  gpugeo_error error;
  const int64_t groups = future->groups;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(groups * groups)));
  if (gpugeo_collisions_table(future->collisions, REAL(out), &error)) gg_r_stop(&error, call);
  set_dimensions(out, groups, groups, names, names);
  UNPROTECT(1);
  return out;
}

SEXP gg_r_collide_result(SEXP pointer, SEXP function, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_report report;
  gg_r_hooks hooks;
  gg_r_future *future = NULL;
  int64_t count = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = find_future(pointer, &future, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &run, &error);
  if (status) gg_r_stop(&error, call);
  status = gpugeo_collisions_wait(future->collisions, &run, &count, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);

  SEXP labels = R_ExternalPtrProtected(pointer), out;
  switch (future->what) {
  case GPUGEO_COLLISIONS_WHAT_PAIRS:
    out = pairs_value(future, count, call);
    break;
  case GPUGEO_COLLISIONS_WHAT_PER_POINT:
    out = per_point_value(future, gg_r_element(labels, "rows"), call);
    break;
  case GPUGEO_COLLISIONS_WHAT_TABLE:
    out = table_value(future, gg_r_element(labels, "groups"), call);
    break;
  default:
    out = Rf_ScalarReal((double)count);
  }
  PROTECT(out);
  gg_r_report(&report, CHAR(STRING_ELT(function, 0)), call, environment);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_collide_done(SEXP pointer) {
  gpugeo_error error;
  gg_r_future *future = NULL;
  if (find_future(pointer, &future, &error)) return Rf_ScalarLogical(NA_LOGICAL);
  return Rf_ScalarLogical(gpugeo_collisions_done(future->collisions) != 0);
}

#include "convert.h"

#include <string.h>

#include "error.h"

/* What a value is that can't be taken for a matrix of numbers. */
static gg_kind kind_of(SEXP value) {
  switch (TYPEOF(value)) {
  case STRSXP:
    return GG_TEXT;
  case CPLXSXP:
    return GG_COMPLEX;
  case VECSXP:
    return GG_LIST;
  case NILSXP:
    return GG_NOTHING;
  default:
    return GG_OTHER;
  }
}

gpugeo_status gg_r_matrix(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_error *error) {
  if (Rf_isFactor(value)) return gg_fail_matrix(error, argument, GG_OTHER);
  switch (TYPEOF(value)) {
  case REALSXP:
    view->data = REAL_RO(value);
    view->type = GPUGEO_DOUBLE;
    break;
  case INTSXP:
    view->data = INTEGER_RO(value);
    view->type = GPUGEO_INT32;
    break;
  case LGLSXP:
    view->data = LOGICAL_RO(value);
    view->type = GPUGEO_INT32;
    break;
  default:
    return gg_fail_matrix(error, argument, kind_of(value));
  }
  view->nrow = Rf_isMatrix(value) ? Rf_nrows(value) : XLENGTH(value);
  view->ncol = Rf_isMatrix(value) ? Rf_ncols(value) : 1;
  view->ld = view->nrow;
  return GPUGEO_OK;
}

gpugeo_status gg_r_string(SEXP value, const char *argument, const char **text,
                          gpugeo_error *error) {
  if (TYPEOF(value) != STRSXP || XLENGTH(value) != 1 || STRING_ELT(value, 0) == NA_STRING)
    return gg_fail_string(error, argument);
  *text = CHAR(STRING_ELT(value, 0));
  return GPUGEO_OK;
}

gpugeo_status gg_r_flag(SEXP value, const char *argument, bool *flag, gpugeo_error *error) {
  if (TYPEOF(value) != LGLSXP || XLENGTH(value) != 1 || LOGICAL_RO(value)[0] == NA_LOGICAL)
    return gg_fail_flag(error, argument);
  *flag = LOGICAL_RO(value)[0];
  return GPUGEO_OK;
}

double gg_r_number(SEXP value) {
  if (XLENGTH(value) != 1 || Rf_isFactor(value)) return R_NaN;
  switch (TYPEOF(value)) {
  case REALSXP:
    return REAL_RO(value)[0];
  case INTSXP:
    return INTEGER_RO(value)[0] == NA_INTEGER ? R_NaN : INTEGER_RO(value)[0];
  default:
    return R_NaN;
  }
}

gpugeo_status gg_r_doubles(SEXP value, const char *argument, const double **data, int64_t *length,
                           gpugeo_error *error) {
  gpugeo_matrix view = {0};
  gpugeo_status status = GPUGEO_OK;
  if (value != R_NilValue) status = gg_r_matrix(value, argument, &view, error);
  if (!status && view.data && view.type != GPUGEO_DOUBLE) /* a factor */
    status = gg_fail_matrix(error, argument, GG_OTHER);
  *data = view.data;
  *length = status ? 0 : view.nrow * view.ncol;
  return status;
}

const char *const *gg_r_texts(SEXP value) {
  if (value == R_NilValue) return NULL;
  const char **texts = (const char **)R_alloc((size_t)XLENGTH(value), sizeof *texts);
  for (R_xlen_t i = 0; i < XLENGTH(value); ++i)
    texts[i] = Rf_translateChar(STRING_ELT(value, i));
  return texts;
}

SEXP gg_r_element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(list); ++i)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  return R_NilValue;
}

void gg_r_set_attributes(SEXP value, SEXP attributes) {
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(attributes); ++i)
    Rf_setAttrib(value, Rf_installTrChar(STRING_ELT(names, i)), VECTOR_ELT(attributes, i));
}

void NORET gg_r_stop(const gpugeo_error *error, SEXP call) {
  const char *names[] = {"message", "call", "argument", "code", ""};
  SEXP condition = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(condition, 0, Rf_mkString(error->message));
  SET_VECTOR_ELT(condition, 1, call);
  SET_VECTOR_ELT(condition, 2, Rf_mkString(error->argument));
  SET_VECTOR_ELT(condition, 3, Rf_ScalarInteger(error->code));
  SEXP classes = PROTECT(Rf_allocVector(STRSXP, 3));
  SET_STRING_ELT(classes, 0, Rf_mkChar("gpugeo_error"));
  SET_STRING_ELT(classes, 1, Rf_mkChar("error"));
  SET_STRING_ELT(classes, 2, Rf_mkChar("condition"));
  Rf_classgets(condition, classes);
  SEXP stop = PROTECT(Rf_lang2(Rf_install("stop"), condition));
  Rf_eval(stop, R_BaseEnv);
  Rf_error("%s", error->message); /* not reached: stop() does not return */
}

#include "convert.h"

#include <stdio.h>
#include <string.h>

#include "common/error.h"

/* --- Values as given -------------------------------------------------------------------------- */

/* Describes a value that is not a vector of numbers, logical values or strings; NULL for these. */
static const char *words_of(SEXP value) {
  if (Rf_isFactor(value)) return "a factor";
  if (Rf_inherits(value, "integer64")) return "integer64";
  switch (TYPEOF(value)) {
  case REALSXP:
  case INTSXP:
  case LGLSXP:
  case STRSXP:
    return NULL;
  case NILSXP:
    return "NULL";
  case CPLXSXP:
    return XLENGTH(value) == 1 ? "a complex number" : "complex numbers";
  case RAWSXP:
    return "raw bytes";
  case VECSXP:
    return Rf_inherits(value, "data.frame") ? "a data frame" : "a list";
  case CLOSXP:
  case SPECIALSXP:
  case BUILTINSXP:
    return "a function";
  case ENVSXP:
    return "an environment";
  case SYMSXP:
    return "a symbol";
  case LANGSXP:
    return "a call";
  default:
    return "an object of another kind";
  }
}

/* Returns how R shows a vector without elements. */
static const char *empty_words(SEXP value) {
  switch (TYPEOF(value)) {
  case INTSXP:
    return "integer(0)";
  case LGLSXP:
    return "logical(0)";
  case STRSXP:
    return "character(0)";
  default:
    return "numeric(0)";
  }
}

/* Returns a number as the errors show it. */
static gg_item number_item(double value) {
  return (gg_item){.kind = R_IsNA(value) ? GG_ITEM_MISSING : GG_ITEM_NUMBER, .number = value};
}

/* Returns an element of a vector of numbers, logical values or strings. */
static gg_item item_of(SEXP value, R_xlen_t i) {
  gg_item item = {.kind = GG_ITEM_MISSING};
  switch (TYPEOF(value)) {
  case STRSXP:
    if (STRING_ELT(value, i) != NA_STRING)
      gg_item_text(&item, Rf_translateCharUTF8(STRING_ELT(value, i)));
    return item;
  case LGLSXP:
    if (LOGICAL_ELT(value, i) != NA_LOGICAL)
      item = (gg_item){.kind = GG_ITEM_FLAG, .number = LOGICAL_ELT(value, i)};
    return item;
  case INTSXP:
    return number_item(INTEGER_ELT(value, i) == NA_INTEGER ? NA_REAL : INTEGER_ELT(value, i));
  default:
    return number_item(REAL_ELT(value, i));
  }
}

gg_given gg_r_given(SEXP value) {
  gg_given given = {.language = GG_R};
  const char *words = words_of(value);
  if (!words && XLENGTH(value) == 0) words = empty_words(value);
  if (words) {
    snprintf(given.words, sizeof given.words, "%s", words);
    return given;
  }
  given.length = XLENGTH(value);
  if (Rf_isMatrix(value) && given.length != 1)
    snprintf(given.words, sizeof given.words, "a %d x %d matrix", Rf_nrows(value), Rf_ncols(value));
  for (R_xlen_t i = 0; i < given.length && i < GG_ITEMS; ++i)
    given.items[i] = item_of(value, i);
  return given;
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* Returns a slot of an object of package Matrix; NULL in R's sense where there is none. */
static SEXP slot_of(SEXP value, const char *name) { return Rf_getAttrib(value, Rf_install(name)); }

/* Makes a view of a dgCMatrix or dgRMatrix, or of one of logical values or of a pattern. The core
   checks the numbers in it. */
static gpugeo_status sparse_view(SEXP value, const char *argument, gpugeo_matrix *view,
                                 gpugeo_error *error) {
  SEXP rows = slot_of(value, "i"), columns = slot_of(value, "j"), start = slot_of(value, "p");
  SEXP size = slot_of(value, "Dim"), x = slot_of(value, "x");
  const bool by_rows = rows == R_NilValue;
  SEXP index = by_rows ? columns : rows;
  const bool numbers = TYPEOF(x) == REALSXP || TYPEOF(x) == LGLSXP;
  if (TYPEOF(index) != INTSXP || TYPEOF(start) != INTSXP || TYPEOF(size) != INTSXP ||
      XLENGTH(size) != 2 || XLENGTH(start) != (R_xlen_t)INTEGER_RO(size)[by_rows ? 0 : 1] + 1 ||
      (x != R_NilValue && (!numbers || XLENGTH(x) != XLENGTH(index))))
    return gg_fail_matrix(error, argument, "an object of another kind");
  gpugeo_sparse *sparse = (gpugeo_sparse *)R_alloc(1, sizeof *sparse);
  *sparse = (gpugeo_sparse){.start = INTEGER_RO(start),
                            .index = INTEGER_RO(index),
                            .index_bytes = 4,
                            .by_rows = by_rows,
                            .stored = XLENGTH(index)};
  *view = (gpugeo_matrix){.type = GPUGEO_TYPE_DOUBLE,
                          .nrow = INTEGER_RO(size)[0],
                          .ncol = INTEGER_RO(size)[1],
                          .ld = INTEGER_RO(size)[0],
                          .sparse = sparse};
  if (TYPEOF(x) == REALSXP) view->data = REAL_RO(x);
  if (TYPEOF(x) == LGLSXP) view->data = LOGICAL_RO(x), view->type = GPUGEO_TYPE_INT32;
  return GPUGEO_OK;
}

gpugeo_status gg_r_view(SEXP value, const char *argument, gpugeo_matrix *view,
                        gpugeo_error *error) {
  if (Rf_isS4(value)) return sparse_view(value, argument, view, error);
  const char *words = TYPEOF(value) == STRSXP ? "text" : words_of(value);
  if (TYPEOF(value) == CPLXSXP) words = "complex numbers";
  if (Rf_inherits(value, "integer64")) words = "integer64; as.double() converts it";
  if (words) return gg_fail_matrix(error, argument, words);
  switch (TYPEOF(value)) {
  case REALSXP:
    view->data = REAL_RO(value);
    view->type = GPUGEO_TYPE_DOUBLE;
    break;
  case INTSXP:
    view->data = INTEGER_RO(value);
    view->type = GPUGEO_TYPE_INT32;
    break;
  default:
    view->data = LOGICAL_RO(value);
    view->type = GPUGEO_TYPE_INT32;
  }
  view->sparse = NULL;
  view->nrow = Rf_isMatrix(value) ? Rf_nrows(value) : XLENGTH(value);
  view->ncol = Rf_isMatrix(value) ? Rf_ncols(value) : 1;
  view->ld = view->nrow;
  return GPUGEO_OK;
}

SEXP gg_r_new_pointer(const char *kind, SEXP protected) {
  return R_MakeExternalPtr(NULL, Rf_install(kind), protected);
}

SEXP gg_r_hold(size_t size, R_CFinalizer_t release) {
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, bytes));
  R_RegisterCFinalizer(holder, release);
  UNPROTECT(2);
  return holder;
}

void *gg_r_held(SEXP holder) { return RAW(R_ExternalPtrProtected(holder)); }

bool gg_r_is_pointer(SEXP value, const char *kind) {
  return TYPEOF(value) == EXTPTRSXP && R_ExternalPtrTag(value) == Rf_install(kind);
}

const char *gg_r_expand(SEXP string) {
  const char *expanded = R_ExpandFileName(Rf_translateChar(string)); /* in a buffer of R's */
  return strcpy(R_alloc(strlen(expanded) + 1, 1), expanded);
}

const char *const *gg_r_texts(SEXP value) {
  if (value == R_NilValue) return NULL;
  const char **texts = (const char **)R_alloc((size_t)XLENGTH(value), sizeof *texts);
  for (R_xlen_t i = 0; i < XLENGTH(value); ++i)
    texts[i] = Rf_translateCharUTF8(STRING_ELT(value, i));
  return texts;
}

SEXP gg_r_find(SEXP list, const char *name) {
  if (TYPEOF(list) != VECSXP) return NULL;
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(names) != STRSXP) return NULL;
  const SEXP *strings = STRING_PTR_RO(names);
  for (R_xlen_t i = 0, count = XLENGTH(names); i < count; ++i)
    if (strcmp(CHAR(strings[i]), name) == 0) return VECTOR_ELT(list, i);
  return NULL;
}

SEXP gg_r_element(SEXP list, const char *name) {
  SEXP value = gg_r_find(list, name);
  return value ? value : R_NilValue;
}

void gg_r_set_attributes(SEXP value, SEXP attributes) {
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(attributes); ++i)
    Rf_setAttrib(value, Rf_installTrChar(STRING_ELT(names, i)), VECTOR_ELT(attributes, i));
}

SEXP gg_r_set_vector(SEXP list, int which, SEXPTYPE type, int64_t length) {
  return SET_VECTOR_ELT(list, which, Rf_allocVector(type, (R_xlen_t)length));
}

void gg_r_set_number(SEXP list, int which, double number) {
  SET_VECTOR_ELT(list, which, Rf_ScalarReal(number));
}

/* Returns a string of R for a text in UTF-8. */
static SEXP utf8_string(const char *text) { return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)); }

NORET void gg_r_stop(const gpugeo_error *error, SEXP call) {
  const char *names[] = {"message", "call", "argument", "code", ""};
  SEXP condition = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(condition, 0, utf8_string(error->message));
  SET_VECTOR_ELT(condition, 1, call);
  SET_VECTOR_ELT(condition, 2, utf8_string(error->argument));
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

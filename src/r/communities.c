/* Tables of communities. */
#include <string.h>

#include "entry.h"

/* Frees a table that was read. */
static void free_biom(SEXP holder) {
  gpugeo_biom_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* Returns texts as strings, a matrix of `width` rows unless that is 1; to be protected. */
static SEXP strings_of(const char *const *text, int64_t count, int64_t width) {
  SEXP made = PROTECT(width == 1 ? Rf_allocVector(STRSXP, (R_xlen_t)count)
                                 : Rf_allocMatrix(STRSXP, (int)width, (int)count));
  for (R_xlen_t k = 0; k < XLENGTH(made); ++k)
    SET_STRING_ELT(made, k, Rf_mkCharCE(text[k], CE_UTF8));
  UNPROTECT(1);
  return made;
}

/* Returns numbers, likewise. */
static SEXP numbers_of(const double *number, int64_t count, int64_t width) {
  SEXP made = PROTECT(width == 1 ? Rf_allocVector(REALSXP, (R_xlen_t)count)
                                 : Rf_allocMatrix(REALSXP, (int)width, (int)count));
  if (XLENGTH(made)) memcpy(REAL(made), number, (size_t)XLENGTH(made) * sizeof *number);
  UNPROTECT(1);
  return made;
}

/* Returns the data of an axis as a named list, to be protected. */
static SEXP list_data(const gpugeo_biom_axis *axis) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)axis->data_count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)axis->data_count));
  for (R_xlen_t k = 0; k < XLENGTH(list); ++k) {
    const gpugeo_biom_data *data = &axis->data[k];
    SET_STRING_ELT(names, k, Rf_mkCharCE(data->name, CE_UTF8));
    SET_VECTOR_ELT(list, k,
                   data->text ? strings_of(data->text, axis->count, data->width)
                              : numbers_of(data->number, axis->count, data->width));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(2);
  return list;
}

/* Returns list(p, i, x, samples, taxa, sample_data, taxon_data). */
static SEXP list_biom(const gpugeo_biom *biom) {
  const char *names[] = {"p", "i", "x", "samples", "taxa", "sample_data", "taxon_data", ""};
  const gpugeo_sparse *sparse = biom->counts.sparse;
  const size_t taxa = (size_t)biom->taxa.count, stored = (size_t)sparse->stored;
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  memcpy(INTEGER(gg_r_set_vector(made, 0, INTSXP, biom->taxa.count + 1)), sparse->start,
         (taxa + 1) * sizeof(int));
  SEXP index = gg_r_set_vector(made, 1, INTSXP, sparse->stored);
  SEXP value = gg_r_set_vector(made, 2, REALSXP, sparse->stored);
  if (stored) {
    memcpy(INTEGER(index), sparse->index, stored * sizeof(int));
    memcpy(REAL(value), biom->counts.data, stored * sizeof(double));
  }
  SET_VECTOR_ELT(made, 3, strings_of(biom->samples.names, biom->samples.count, 1));
  SET_VECTOR_ELT(made, 4, strings_of(biom->taxa.names, biom->taxa.count, 1));
  SET_VECTOR_ELT(made, 5, list_data(&biom->samples));
  SET_VECTOR_ELT(made, 6, list_data(&biom->taxa));
  UNPROTECT(1);
  return made;
}

SEXP gg_r_biom_read(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  SEXP holder = PROTECT(gg_r_hold(sizeof(gpugeo_biom), free_biom));
  gpugeo_biom *biom = gg_r_held(holder);
  const char *path = gg_r_path(&call, gg_r_input(&call, 0), "path");
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_biom_read(path, &run, biom, &call.error));
  R_SetExternalPtrAddr(holder, biom);
  SEXP made = PROTECT(list_biom(biom));
  free_biom(holder);
  UNPROTECT(3);
  return made;
}

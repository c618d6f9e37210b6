/* The weighted edges of graphs of nearest neighbours. */
#include <stdlib.h>
#include <string.h>

#include "distance/neighbor_weights.h"
#include "entry.h"

/* Frees the edges of a graph of neighbours. */
static void free_edges(SEXP holder) {
  gg_neighbor_edges *edges = R_ExternalPtrAddr(holder);
  if (edges) gg_neighbor_edges_free(edges);
  R_ClearExternalPtr(holder);
}

/* Returns indices, counted from 1. */
static SEXP numbers_from_one(const int32_t *values, int64_t count) {
  SEXP made = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
  for (int64_t e = 0; e < count; ++e)
    INTEGER(made)[e] = values[e] + 1;
  UNPROTECT(1);
  return made;
}

/* Returns a vector of doubles. */
static SEXP doubles(const double *values, int64_t count) {
  SEXP made = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  if (count > 0) memcpy(REAL(made), values, (size_t)count * sizeof *values);
  UNPROTECT(1);
  return made;
}

/* Returns the edges as a list of R. */
static SEXP as_list(const gg_neighbor_edges *edges) {
  const char *names[] = {"from", "to", "distance", "weight", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, numbers_from_one(edges->from, edges->count));
  SET_VECTOR_ELT(list, 1, numbers_from_one(edges->to, edges->count));
  SET_VECTOR_ELT(list, 2, doubles(edges->distance, edges->count));
  SET_VECTOR_ELT(list, 3, doubles(edges->weight, edges->count));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_neighbor_edges(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  int32_t mutual = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  const char *weights = gg_r_word(&call, "weights");
  gg_r_flag(&call, "mutual", &mutual);
  gg_r_settings(&call, &run);
  gg_r_require(&call);

  SEXP numbers = gg_r_input(&call, 0), distances = gg_r_input(&call, 1);
  const int64_t size = XLENGTH(numbers);
  int32_t *index = (int32_t *)R_alloc((size_t)size + 1, sizeof *index);
  for (int64_t e = 0; e < size; ++e)
    index[e] = INTEGER_RO(numbers)[e] - 1;
  const gg_nearest_lists nearest = {index, REAL_RO(distances), Rf_nrows(numbers),
                                    Rf_ncols(numbers)};
  SEXP holder = PROTECT(gg_r_hold(sizeof(gg_neighbor_edges), free_edges));
  gg_neighbor_edges *edges = gg_r_held(holder);
  const gpugeo_status status = gg_neighbor_edges_make(&nearest, gg_neighbor_weights_find(weights),
                                                      mutual, &run, edges, &call.error);
  R_SetExternalPtrAddr(holder, edges);
  if (status) free_edges(holder);
  gg_r_finish(&call, status);
  SEXP made = PROTECT(as_list(edges));
  free_edges(holder);
  UNPROTECT(3);
  return made;
}

#include "call.h"
#include "common/error.h"
#include "entry.h"

/* Returns list(i, j, distance, ties). R's matrices have fewer than 2^31 rows. */
static SEXP as_list(const gpugeo_pair *pairs, int64_t found, int64_t ties) {
  const char *names[] = {"i", "j", "distance", "ties", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP i = Rf_allocVector(INTSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 0, i);
  SEXP j = Rf_allocVector(INTSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 1, j);
  SEXP distance = Rf_allocVector(REALSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 2, distance);
  gg_r_set_number(list, 3, (double)ties);
  for (int64_t pair = 0; pair < found; ++pair) {
    INTEGER(i)[pair] = (int)(pairs[pair].i + 1);
    INTEGER(j)[pair] = (int)(pairs[pair].j + 1);
    REAL(distance)[pair] = pairs[pair].distance;
  }
  UNPROTECT(1);
  return list;
}

SEXP gg_r_closest(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_closest_options options;
  int64_t size = 0, found = 0, ties = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_closest_options_init(&options, sizeof options);
  gg_r_read_points(&call, "y", &in);
  gg_r_read_options(&call, &gg_closest_options, &options);
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call, gpugeo_closest_pair_size(&in.x, in.y, &options, &size, &call.error));
  gg_r_require(&call);

  /* R frees this when the call ends, also after an error. */
  gpugeo_pair *pairs = (gpugeo_pair *)R_alloc((size_t)size, sizeof *pairs);
  gg_r_finish(&call, gpugeo_closest_pair(&in.x, in.y, &options, pairs, &found, &ties, &call.report,
                                         &call.error));
  SEXP made = PROTECT(as_list(pairs, found, ties));
  gg_r_report(&call, "gpu_closest_pair", NULL);
  UNPROTECT(2);
  return made;
}

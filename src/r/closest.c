#include "common/error.h"
#include "entry.h"
#include "run.h"

static gpugeo_status read_options(SEXP k, SEXP distinct, SEXP metric, SEXP box, SEXP sphere_radius,
                                  SEXP algorithm, gpugeo_closest_options *options,
                                  gpugeo_error *error) {
  const char *name;
  bool flag = false;
  gpugeo_status status = gg_r_any_whole(k, "k", &options->k, error);
  if (!status) status = gg_r_flag(distinct, "distinct", &flag, error);
  options->distinct = flag;
  if (!status) status = gg_r_string(metric, "metric", &name, error);
  if (!status) status = gpugeo_closest_metric_find(name, &options->metric, error);
  if (!status) status = gg_r_string(algorithm, "algorithm", &name, error);
  if (!status) status = gpugeo_closest_algorithm_find(name, &options->algorithm, error);
  if (!status) status = gg_r_doubles(box, "box", &options->box, &options->box_length, error);
  if (!status)
    status =
        gg_r_number(sphere_radius, "sphere_radius", GG_POSITIVE, &options->sphere_radius, error);
  return status;
}

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
  SET_VECTOR_ELT(list, 3, Rf_ScalarReal((double)ties));
  for (int64_t pair = 0; pair < found; ++pair) {
    INTEGER(i)[pair] = (int)(pairs[pair].i + 1);
    INTEGER(j)[pair] = (int)(pairs[pair].j + 1);
    REAL(distance)[pair] = pairs[pair].distance;
  }
  UNPROTECT(1);
  return list;
}

SEXP gg_r_closest(SEXP x, SEXP y, SEXP k, SEXP distinct, SEXP metric, SEXP box, SEXP sphere_radius,
                  SEXP algorithm, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_matrix x_view, y_view;
  const gpugeo_matrix *other = y == R_NilValue ? NULL : &y_view;
  gpugeo_report report;
  gg_r_hooks hooks;
  int64_t size = 0, found = 0, ties = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  gpugeo_status status = gg_r_matrix(x, "x", &x_view, &error);
  if (!status && other) status = gg_r_matrix(y, "y", &y_view, &error);
  if (!status)
    status = read_options(k, distinct, metric, box, sphere_radius, algorithm, &options, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status) status = gpugeo_closest_pair_size(&x_view, other, &options, &size, &error);
  if (status) gg_r_stop(&error, call);

  /* R frees this when the call ends, also after an error. */
  gpugeo_pair *pairs = (gpugeo_pair *)R_alloc((size_t)size, sizeof *pairs);
  status = gpugeo_closest_pair(&x_view, other, &options, pairs, &found, &ties, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  SEXP list = PROTECT(as_list(pairs, found, ties));
  gg_r_report(&report, "gpu_closest_pair", call, environment);
  UNPROTECT(2);
  return list;
}

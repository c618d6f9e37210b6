#include "common/error.h"
#include "entry.h"
#include "result_memory.h"
#include "run.h"

SEXP gg_r_metric(SEXP method, SEXP call) {
  gpugeo_error error;
  gpugeo_metric metric = GPUGEO_METRIC_EUCLIDEAN;
  const char *name;
  gpugeo_status status = gg_r_string(method, "method", &name, &error);
  if (!status) status = gpugeo_metric_find(name, &metric, &error);
  if (status) gg_r_stop(&error, call);
  return Rf_mkString(gpugeo_metric_name(metric));
}

gpugeo_status gg_r_dist_options(SEXP method, SEXP p, SEXP scale, SEXP cov,
                                gpugeo_dist_options *options, gpugeo_error *error) {
  const char *name;
  gpugeo_status status = gg_r_string(method, "method", &name, error);
  if (!status) status = gpugeo_metric_find(name, &options->metric, error);
  if (!status) status = gg_r_number(p, "p", GG_POSITIVE, &options->p, error);
  if (!status)
    status = gg_r_doubles(scale, "scale", &options->scale, &options->scale_length, error);
  if (!status && cov != R_NilValue) status = gg_r_matrix(cov, "cov", &options->cov, error);
  return status;
}

SEXP gg_r_dist(SEXP x, SEXP y, SEXP method, SEXP p, SEXP scale, SEXP cov, SEXP settings,
               SEXP attributes, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_matrix x_view, y_view;
  const gpugeo_matrix *other = y == R_NilValue ? NULL : &y_view;
  gpugeo_report report;
  gg_r_hooks hooks;
  int64_t size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  if (other) options.shape = GPUGEO_SHAPE_FULL;
  gpugeo_status status = gg_r_matrix(x, "x", &x_view, &error);
  if (!status && other) status = gg_r_matrix(y, "y", &y_view, &error);
  if (!status) status = gg_r_dist_options(method, p, scale, cov, &options, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status)
    status = gpugeo_dist_size(&x_view, other, &options, GPUGEO_TYPE_DOUBLE, &size, &error);
  if (status) gg_r_stop(&error, call);

  SEXP out = PROTECT(gg_r_result(REALSXP, (R_xlen_t)size));
  status = gpugeo_dist(&x_view, other, &options, GPUGEO_TYPE_DOUBLE, REAL(out), &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  gg_r_set_attributes(out, attributes);
  gg_r_report_of(&report, other ? "gpu_cdist" : "gpu_dist", other ? "y" : NULL, call, environment);
  UNPROTECT(2);
  return out;
}

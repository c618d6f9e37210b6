#include "common/error.h"
#include "entry.h"
#include "result_memory.h"
#include "run.h"

static gpugeo_status read_options(SEXP use, SEXP method, gpugeo_cor_options *options,
                                  gpugeo_error *error) {
  const char *name;
  gpugeo_status status = gg_r_string(use, "use", &name, error);
  if (!status) status = gpugeo_cor_use_find(name, &options->use, error);
  if (!status) status = gg_r_string(method, "method", &name, error);
  if (!status) status = gpugeo_cor_method_find(name, &options->method, error);
  return status;
}

SEXP gg_r_cor(SEXP x, SEXP y, SEXP use, SEXP method, SEXP settings, SEXP attributes, SEXP call,
              SEXP environment) {
  gpugeo_error error;
  gpugeo_matrix x_view, y_view;
  const gpugeo_matrix *other = y == R_NilValue ? NULL : &y_view;
  gpugeo_report report;
  gg_r_hooks hooks;
  int64_t size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  gpugeo_status status = gg_r_matrix(x, "x", &x_view, &error);
  if (!status && other) status = gg_r_matrix(y, "y", &y_view, &error);
  if (!status) status = read_options(use, method, &options, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status)
    status = gpugeo_cor_size(&x_view, other, &options, GPUGEO_TYPE_DOUBLE, &size, &error);
  if (status) gg_r_stop(&error, call);

  SEXP out = PROTECT(gg_r_result(REALSXP, (R_xlen_t)size));
  status = gpugeo_cor(&x_view, other, &options, GPUGEO_TYPE_DOUBLE, REAL(out), &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  gg_r_set_attributes(out, attributes);
  gg_r_report(&report, "gpu_cor", call, environment);
  UNPROTECT(2);
  return out;
}

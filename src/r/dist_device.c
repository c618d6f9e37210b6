/* Distances that stay on a device, by an external pointer whose finalizer is R code. */
#include "dist.h"
#include "distance/dist_device_lazy.h"
#include "distances.h"
#include "entry.h"

SEXP gg_r_dist_device_new(void) { return gg_r_new_pointer(GG_R_DIST_DEVICE, R_NilValue); }

SEXP gg_r_dist_device_free(SEXP pointer) {
  if (!gg_r_is_pointer(pointer, GG_R_DIST_DEVICE)) return R_NilValue;
  gpugeo_dist_device_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
  return R_NilValue;
}

/* Computes distances by topological overlap, of the inputs from 1 on, and copies them to a device.
 */
static void make_overlap(gg_r_call *call, double missing, gpugeo_run *run) {
  gg_r_distances d;
  gpugeo_dist_device *made = NULL;
  PROTECT(gg_r_begin_distances(&d));
  gg_r_settings(call, run);
  gg_r_require(call);
  const gpugeo_dist_lazy *lazy = gg_r_make_overlap(call, 1, d.holder);
  const gpugeo_status status =
      gg_dist_device_of_lazy(lazy, run, missing, &made, &call->report, &call->error);
  R_SetExternalPtrAddr(gg_r_input(call, 0), made);
  gg_r_close_distances(&d);
  gg_r_finish(call, status);
  gg_r_report(call, "gpu_tom", NULL);
  UNPROTECT(1);
}

/* Computes distances on a device. The first input is an external pointer, which gets them; then
   there are points, or with the option `overlap` what gg_r_make_overlap() takes. */
SEXP gg_r_dist_device_make(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix x;
  gpugeo_dist_options options;
  gpugeo_dist_device *made = NULL;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dist_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  if (gg_r_has(&call, "overlap")) {
    make_overlap(&call, options.missing, &options.run);
    UNPROTECT(1);
    return R_NilValue;
  }
  gg_r_matrix(&call, gg_r_input(&call, 1), "x", &x);
  gg_r_read_options(&call, &gg_metric_options, &options.metric);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);
  const gpugeo_status status =
      gpugeo_dist_device_make(&x, &options, &made, &call.report, &call.error);
  R_SetExternalPtrAddr(gg_r_input(&call, 0), made);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_dist", NULL);
  UNPROTECT(1);
  return R_NilValue;
}

SEXP gg_r_dist_device_info(SEXP pointer) {
  if (!gg_r_is_pointer(pointer, GG_R_DIST_DEVICE) || !R_ExternalPtrAddr(pointer)) return R_NilValue;
  const gpugeo_dist_device *distances = R_ExternalPtrAddr(pointer);
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(distances, &info);
  const char *names[] = {"size", "metric", "precision", "device", "devices", "bytes", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  gg_r_set_number(list, 0, (double)info.points);
  SET_VECTOR_ELT(list, 1, Rf_mkString(info.metric));
  SET_VECTOR_ELT(list, 2, Rf_mkString(info.type == GPUGEO_TYPE_FLOAT ? "single" : "double"));
  SET_VECTOR_ELT(list, 3, Rf_ScalarInteger(info.device));
  SET_VECTOR_ELT(list, 4, Rf_ScalarInteger((int)info.devices));
  gg_r_set_number(list, 5, (double)info.bytes);
  UNPROTECT(1);
  return list;
}

SEXP gg_r_dist_device_read(SEXP pointer, SEXP rows, SEXP columns, SEXP r_call) {
  gg_r_call call;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const int64_t *row = gg_r_points_from_one(rows), *column = gg_r_points_from_one(columns);
  const gpugeo_dist_device *distances = gg_r_dist_device(&call, pointer, "x");
  gg_r_require(&call);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)XLENGTH(rows), (int)XLENGTH(columns)));
  gg_r_check(&call, gpugeo_dist_device_read(distances, row, XLENGTH(rows), column, XLENGTH(columns),
                                            REAL(out), &call.error));
  gg_r_require(&call);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_dist_device_condensed(SEXP pointer, SEXP attributes, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_device_info info;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const gpugeo_dist_device *distances = gg_r_dist_device(&call, pointer, "x");
  gg_r_require(&call);
  gpugeo_dist_device_get(distances, &info);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(info.points * (info.points - 1) / 2)));
  gg_r_check(&call, gpugeo_dist_device_copy(distances, REAL(out), &call.error));
  gg_r_require(&call);
  gg_r_set_attributes(out, attributes);
  UNPROTECT(2);
  return out;
}

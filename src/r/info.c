#include <stdio.h>

#include "common/backend.h"
#include "common/settings.h"
#include "entry.h"
#include "run.h"

/* Returns list(backend, available, reason) with an element for each backend. */
static SEXP backends(void) {
  const int count = gg_backend_count();
  const char *names[] = {"backend", "available", "reason", ""};
  SEXP table = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP backend = SET_VECTOR_ELT(table, 0, Rf_allocVector(STRSXP, count));
  SEXP available = SET_VECTOR_ELT(table, 1, Rf_allocVector(LGLSXP, count));
  SEXP reason = SET_VECTOR_ELT(table, 2, Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i) {
    gpugeo_error error = {0};
    const gg_backend *listed = gg_backend_at(i);
    LOGICAL(available)[i] = gpugeo_backend_available(listed->id, &error) == GPUGEO_OK;
    SET_STRING_ELT(backend, i, Rf_mkChar(listed->name));
    SET_STRING_ELT(reason, i, Rf_mkChar(error.message));
  }
  UNPROTECT(1);
  return table;
}

/* Returns list(device, name, capability, multiprocessors, total_bytes, free_bytes) with an
   element for each CUDA device. */
static SEXP devices(void) {
  const int count = gpugeo_device_count();
  const char *names[] = {"device",     "name", "capability", "multiprocessors", "total_bytes",
                         "free_bytes", ""};
  SEXP table = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP device = SET_VECTOR_ELT(table, 0, Rf_allocVector(INTSXP, count));
  SEXP name = SET_VECTOR_ELT(table, 1, Rf_allocVector(STRSXP, count));
  SEXP capability = SET_VECTOR_ELT(table, 2, Rf_allocVector(STRSXP, count));
  SEXP multiprocessors = SET_VECTOR_ELT(table, 3, Rf_allocVector(INTSXP, count));
  SEXP total_bytes = SET_VECTOR_ELT(table, 4, Rf_allocVector(REALSXP, count));
  SEXP free_bytes = SET_VECTOR_ELT(table, 5, Rf_allocVector(REALSXP, count));
  for (int i = 0; i < count; ++i) {
    gpugeo_device info = {0};
    char version[32];
    gpugeo_device_get(i, &info, NULL); /* all 0 for a device that has gone since */
    snprintf(version, sizeof version, "%d.%d", info.major, info.minor);
    INTEGER(device)[i] = i;
    SET_STRING_ELT(name, i, Rf_mkChar(info.name));
    SET_STRING_ELT(capability, i, Rf_mkChar(version));
    INTEGER(multiprocessors)[i] = info.multiprocessors;
    REAL(total_bytes)[i] = (double)info.total_bytes;
    REAL(free_bytes)[i] = (double)info.free_bytes;
  }
  UNPROTECT(1);
  return table;
}

SEXP gg_r_info(void) {
  const char *names[] = {"version", "simd", "threads", "backends", "devices", ""};
  SEXP info = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(info, 0, Rf_mkString(GPUGEO_VERSION));
  SET_VECTOR_ELT(info, 1, Rf_mkString(gpugeo_simd()));
  SET_VECTOR_ELT(info, 2, Rf_ScalarInteger(gpugeo_default_threads()));
  SET_VECTOR_ELT(info, 3, backends());
  SET_VECTOR_ELT(info, 4, devices());
  UNPROTECT(1);
  return info;
}

SEXP gg_r_show(SEXP value) {
  const gg_given given = gg_r_given(value);
  return Rf_ScalarString(Rf_mkCharCE(gg_show(&given).text, CE_UTF8));
}

SEXP gg_r_check_settings(SEXP settings, SEXP call) {
  gpugeo_error error;
  gpugeo_run run;
  gg_r_hooks hooks;
  gpugeo_run_init(&run, sizeof run);
  if (gg_r_run(settings, R_NilValue, &hooks, &run, &error)) gg_r_stop(&error, call);
  return R_NilValue;
}

SEXP gg_r_unknown_setting(void) {
  gg_setting_text warning;
  return gg_unknown_setting(&warning) ? Rf_mkString(warning.text) : R_NilValue;
}

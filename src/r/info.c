#include <stdio.h>

#include "call.h"
#include "common/backend.h"
#include "common/memory.h"
#include "common/settings.h"
#include "entry.h"

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

/* Returns list(file, version, architectures, reason). */
static SEXP cuda_library(void) {
  gpugeo_cuda_library library;
  gpugeo_cuda_library_get(&library);
  const char *names[] = {"file", "version", "architectures", "reason", ""};
  const char *values[] = {library.file, library.version, library.architectures, library.reason};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 4; ++i)
    SET_VECTOR_ELT(list, i, Rf_mkString(values[i]));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_name_cuda_library(SEXP file) {
  gpugeo_cuda_library_set(CHAR(STRING_ELT(file, 0)));
  return R_NilValue;
}

SEXP gg_r_info(void) {
  const char *names[] = {"version", "simd", "threads", "backends", "devices", "cuda_library", ""};
  SEXP info = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(info, 0, Rf_mkString(GPUGEO_VERSION));
  SET_VECTOR_ELT(info, 1, Rf_mkString(gpugeo_simd()));
  SET_VECTOR_ELT(info, 2, Rf_ScalarInteger(gpugeo_default_threads()));
  SET_VECTOR_ELT(info, 3, backends());
  SET_VECTOR_ELT(info, 4, devices());
  SET_VECTOR_ELT(info, 5, cuda_library());
  UNPROTECT(1);
  return info;
}

SEXP gg_r_show(SEXP value) {
  const gg_given given = gg_r_given(value);
  return Rf_ScalarString(Rf_mkCharCE(gg_show(&given).text, CE_UTF8));
}

SEXP gg_r_names(SEXP kind) {
  const gpugeo_enum number = (gpugeo_enum)Rf_asInteger(kind);
  int count = 0;
  while (gpugeo_name(number, count)[0])
    ++count;
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i)
    SET_STRING_ELT(names, i, Rf_mkChar(gpugeo_name(number, i)));
  UNPROTECT(1);
  return names;
}

/* Returns a named list of numbers. */
static SEXP number_list(int count, const char *const *names, const double *values) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i) {
    SET_VECTOR_ELT(list, i, Rf_ScalarReal(values[i]));
    SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
  }
  Rf_setAttrib(list, R_NamesSymbol, labels);
  UNPROTECT(2);
  return list;
}

SEXP gg_r_defaults(void) {
  gpugeo_dist_options dist;
  gpugeo_closest_options closest;
  gpugeo_collisions_options collide;
  gpugeo_dgp_options dgp;
  gpugeo_dgp_graph_options graph;
  gpugeo_layout_options layout;
  gpugeo_mds_options mds;
  gpugeo_pcoa_options pcoa;
  gpugeo_pam_options pam;
  gpugeo_dbscan_options dbscan;
  gpugeo_hdbscan_options hdbscan;
  gpugeo_dist_options_init(&dist, sizeof dist);
  gpugeo_closest_options_init(&closest, sizeof closest);
  gpugeo_collisions_options_init(&collide, sizeof collide);
  gpugeo_dgp_options_init(&dgp, sizeof dgp);
  gpugeo_dgp_graph_options_init(&graph, sizeof graph);
  gpugeo_layout_options_init(&layout, sizeof layout);
  gpugeo_mds_options_init(&mds, sizeof mds);
  gpugeo_pcoa_options_init(&pcoa, sizeof pcoa);
  gpugeo_pam_options_init(&pam, sizeof pam);
  gpugeo_dbscan_options_init(&dbscan, sizeof dbscan);
  gpugeo_hdbscan_options_init(&hdbscan, sizeof hdbscan);
  const char *names[] = {"gpu_dist",      "gpu_closest_pair", "gpu_collisions", "gpu_dgp",
                         "gpu_dgp_graph", "gpu_layout",       "gpu_mds",        "gpu_pcoa",
                         "gpu_pam",       "gpu_dbscan",       "gpu_hdbscan",    ""};
  const char *of_dist[] = {"p"}, *of_closest[] = {"k", "distinct", "sphere_radius"},
             *of_collide[] = {"exclude", "sphere_radius"},
             *of_dgp[] = {"tol", "max_solutions", "exact", "symmetric", "prune"},
             *of_graph[] = {"tol", "max_solutions"},
             *of_layout[] = {"dim", "tolerance", "callback_every"},
             *of_mds[] = {"p", "k", "tolerance", "max_iterations", "relax"},
             *of_pcoa[] = {"p", "k", "tolerance", "max_passes"}, *of_pam[] = {"p", "do.swap"},
             *of_dbscan[] = {"p", "minPts", "borderPoints"}, *of_hdbscan[] = {"p"};
  SEXP all = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(all, 0, number_list(1, of_dist, (double[]){dist.metric.p}));
  SET_VECTOR_ELT(
      all, 1,
      number_list(3, of_closest,
                  (double[]){(double)closest.k, closest.distinct, closest.sphere_radius}));
  SET_VECTOR_ELT(
      all, 2,
      number_list(2, of_collide, (double[]){(double)collide.exclude, collide.sphere_radius}));
  SET_VECTOR_ELT(all, 3,
                 number_list(5, of_dgp,
                             (double[]){dgp.tol, (double)dgp.max_solutions, dgp.exact,
                                        dgp.symmetric, dgp.prune}));
  SET_VECTOR_ELT(all, 4,
                 number_list(2, of_graph, (double[]){graph.tol, (double)graph.max_solutions}));
  SET_VECTOR_ELT(all, 5,
                 number_list(3, of_layout,
                             (double[]){layout.dim, layout.tolerance, (double)layout.frame_every}));
  SET_VECTOR_ELT(all, 6,
                 number_list(5, of_mds,
                             (double[]){mds.metric.p, (double)mds.k, mds.tolerance,
                                        (double)mds.max_iterations, mds.relax}));
  SET_VECTOR_ELT(all, 7,
                 number_list(4, of_pcoa,
                             (double[]){pcoa.metric.p, (double)pcoa.k, pcoa.tolerance,
                                        (double)pcoa.max_passes}));
  SET_VECTOR_ELT(all, 8, number_list(2, of_pam, (double[]){pam.metric.p, pam.swap}));
  SET_VECTOR_ELT(
      all, 9,
      number_list(3, of_dbscan,
                  (double[]){dbscan.metric.p, (double)dbscan.min_points, dbscan.border}));
  SET_VECTOR_ELT(all, 10, number_list(1, of_hdbscan, (double[]){hdbscan.metric.p}));
  UNPROTECT(1);
  return all;
}

SEXP gg_r_check_settings(SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  UNPROTECT(1);
  return R_NilValue;
}

SEXP gg_r_check_memory(SEXP bytes, SEXP what, SEXP argument, SEXP r_call) {
  gg_r_call call;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  gg_r_check(&call, gg_check_memory(Rf_asReal(bytes), CHAR(Rf_asChar(argument)), &call.error,
                                    "%.200s needs", CHAR(Rf_asChar(what))));
  gg_r_require(&call);
  UNPROTECT(1);
  return R_NilValue;
}

SEXP gg_r_invalid_variables(void) {
  gpugeo_error error;
  const bool invalid = gg_check_memory_variable(&error);
  SEXP messages = PROTECT(Rf_allocVector(STRSXP, invalid));
  if (invalid) {
    SET_STRING_ELT(messages, 0, Rf_mkCharCE(error.message, CE_UTF8));
    Rf_setAttrib(messages, R_NamesSymbol, PROTECT(Rf_mkString(GG_MEMORY_VARIABLE)));
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return messages;
}

SEXP gg_r_unknown_setting(void) {
  gg_setting_text warning;
  return gg_unknown_setting(&warning) ? Rf_mkString(warning.text) : R_NilValue;
}

#include "common/error.h"
#include "entry.h"
#include "result_memory.h"
#include "run.h"

/* The arguments of both functions except k and radius. */
typedef struct request {
  gpugeo_matrix x, query;
  const gpugeo_matrix *other; /* the query, or NULL */
  gpugeo_knn_options options;
  gg_r_hooks hooks;
} request;

static gpugeo_status read_metric(SEXP metric, gpugeo_knn_options *options, gpugeo_error *error) {
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  gpugeo_status status =
      gg_r_dist_options(gg_r_element(metric, "method"), gg_r_element(metric, "p"),
                        gg_r_element(metric, "scale"), gg_r_element(metric, "cov"), &dist, error);
  options->metric = dist.metric;
  options->p = dist.p;
  options->scale = dist.scale;
  options->scale_length = dist.scale_length;
  options->cov = dist.cov;
  return status;
}

static gpugeo_status read_request(SEXP x, SEXP query, SEXP metric, SEXP settings, SEXP held,
                                  request *request, gpugeo_error *error) {
  gpugeo_knn_options_init(&request->options, sizeof request->options);
  request->options.missing = NA_REAL;
  request->other = query == R_NilValue ? NULL : &request->query;
  gpugeo_status status = gg_r_matrix(x, "x", &request->x, error);
  if (!status && request->other) status = gg_r_matrix(query, "query", &request->query, error);
  if (!status) status = read_metric(metric, &request->options, error);
  if (!status) status = gg_r_run(settings, held, &request->hooks, &request->options.run, error);
  return status;
}

SEXP gg_r_knn(SEXP x, SEXP query, SEXP k, SEXP metric, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  request r;
  gpugeo_report report;
  int64_t size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_status status = read_request(x, query, metric, settings, held, &r, &error);
  if (!status) status = gg_r_any_whole(k, "k", &r.options.k, &error);
  if (!status) status = gpugeo_knn_size(&r.x, r.other, &r.options, &size, &error);
  if (status) gg_r_stop(&error, call);

  const char *names[] = {"index", "distance", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const int columns = (int)r.options.k, rows = (int)(size / columns);
  SEXP index = gg_r_result_matrix(INTSXP, rows, columns);
  SET_VECTOR_ELT(list, 0, index);
  SEXP distance = gg_r_result_matrix(REALSXP, rows, columns);
  SET_VECTOR_ELT(list, 1, distance);
  status = gpugeo_knn(&r.x, r.other, &r.options, INTEGER(index), REAL(distance), &report, &error);
  gg_r_hooks_finish(&r.hooks);
  if (status) gg_r_stop(&error, call);
  int *number = INTEGER(index);
  for (int64_t e = 0; e < size; ++e)
    ++number[e];
  gg_r_report_of(&report, "gpu_knn", r.other ? "query" : NULL, call, environment);
  UNPROTECT(2);
  return list;
}

static void free_neighbors(SEXP holder) {
  gpugeo_neighbors *found = R_ExternalPtrAddr(holder);
  if (found) gpugeo_neighbors_free(found);
  R_ClearExternalPtr(holder);
}

/* Returns list(count, index, distance), index from 1. */
static SEXP as_list(const gpugeo_neighbors *found) {
  const char *names[] = {"count", "index", "distance", ""};
  const int64_t total = found->start[found->points];
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP count = Rf_allocVector(INTSXP, (R_xlen_t)found->points);
  SET_VECTOR_ELT(list, 0, count);
  SEXP index = Rf_allocVector(INTSXP, (R_xlen_t)total);
  SET_VECTOR_ELT(list, 1, index);
  SEXP distance = Rf_allocVector(REALSXP, (R_xlen_t)total);
  SET_VECTOR_ELT(list, 2, distance);
  for (int64_t i = 0; i < found->points; ++i)
    INTEGER(count)[i] = (int)(found->start[i + 1] - found->start[i]);
  for (int64_t e = 0; e < total; ++e) {
    INTEGER(index)[e] = found->index[e] + 1;
    REAL(distance)[e] = found->distance[e];
  }
  UNPROTECT(1);
  return list;
}

SEXP gg_r_radius(SEXP x, SEXP query, SEXP radius, SEXP metric, SEXP settings, SEXP call,
                 SEXP environment) {
  gpugeo_error error;
  request r;
  gpugeo_report report;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_status status = read_request(x, query, metric, settings, held, &r, &error);
  if (!status) status = gg_r_number(radius, "radius", GG_RADIUS, &r.options.radius, &error);
  if (status) gg_r_stop(&error, call);

  /* Frees the neighbours when the call is over, also when R runs out of memory below. */
  SEXP room = PROTECT(Rf_allocVector(RAWSXP, sizeof(gpugeo_neighbors)));
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, room));
  R_RegisterCFinalizer(holder, free_neighbors);
  gpugeo_neighbors *found = (gpugeo_neighbors *)RAW(room);
  status = gpugeo_radius(&r.x, r.other, &r.options, found, &report, &error);
  if (!status) R_SetExternalPtrAddr(holder, found);
  gg_r_hooks_finish(&r.hooks);
  if (status) gg_r_stop(&error, call);
  SEXP list = PROTECT(as_list(found));
  free_neighbors(holder);
  gg_r_report(&report, "gpu_radius", call, environment);
  UNPROTECT(4);
  return list;
}

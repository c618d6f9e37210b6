#include <string.h>

#include "call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/parallel.h"
#include "distances.h"
#include "entry.h"

/* Reads what both functions take. */
static void read_options(gg_r_call *call, gg_r_points *in, gpugeo_knn_options *options) {
  gpugeo_knn_options_init(options, sizeof *options);
  options->missing = NA_REAL;
  gg_r_read_points(call, "query", in);
  gg_r_read_options(call, &gg_metric_options, &options->metric);
  gg_r_settings(call, &options->run);
  gg_r_read_options(call, &gg_knn_options, options);
}

/* Adds 1 to a range of indices, which R counts from 1. */
static void add_ones(void *job, gg_range range) {
  int *index = job;
  for (int64_t e = range.first; e < range.last; ++e)
    ++index[e];
}

/* Turns indices from 0 into those of R, from 1. */
static void number_from_one(int *index, int64_t count, int32_t threads) {
  gg_parallel_for(&(gg_loop){.threads = gg_copying_threads(gg_threads(threads)),
                             .count = count,
                             .grain = (int64_t)1 << 18, /* 50 us */
                             .work = add_ones,
                             .job = index});
}

/* Returns list(index, distance) of matrices. */
static SEXP make_nearest(int rows, int columns) {
  const char *names[] = {"index", "distance", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, rows, columns));
  SET_VECTOR_ELT(made, 1, Rf_allocMatrix(REALSXP, rows, columns));
  UNPROTECT(1);
  return made;
}

SEXP gg_r_knn(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_knn_options options;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  read_options(&call, &in, &options);
  if (!call.status) gg_r_check(&call, gpugeo_knn_size(&in.x, in.y, &options, &size, &call.error));
  gg_r_require(&call);

  SEXP made = PROTECT(make_nearest((int)(size / options.k), (int)options.k));
  SEXP index = VECTOR_ELT(made, 0), distance = VECTOR_ELT(made, 1);
  gg_r_finish(&call, gpugeo_knn(&in.x, in.y, &options, INTEGER(index), REAL(distance), &call.report,
                                &call.error));
  number_from_one(INTEGER(index), size, options.run.threads);
  gg_r_report(&call, "gpu_knn", in.y ? "query" : NULL);
  UNPROTECT(2);
  return made;
}

/* Opens a call on distances of any source. Returns the number of points. */
static int64_t open_distances(gg_r_call *call, gg_r_distances *distances,
                              gpugeo_knn_options *options) {
  const int64_t n = gg_r_open_distances(call, "x", distances, &gg_knn_options, options,
                                        &options->metric, &options->run);
  options->missing = NA_REAL;
  return n;
}

SEXP gg_r_distances_knn(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_knn_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = open_distances(&call, &distances, &options);
  const bool possible = options.k >= 1 && options.k < n; /* the core refuses others */
  SEXP made = PROTECT(make_nearest((int)n, possible ? (int)options.k : 0));
  SEXP index = VECTOR_ELT(made, 0), distance = VECTOR_ELT(made, 1);
  gg_r_finish(&call, gpugeo_distances_knn(&distances.given, &options, INTEGER(index),
                                          REAL(distance), &call.report, &call.error));
  number_from_one(INTEGER(index), n * options.k, options.run.threads);
  gg_r_report(&call, "gpu_knn", NULL);
  UNPROTECT(2);
  return made;
}

/* Frees lists of neighbours. */
static void free_neighbors(SEXP holder) {
  gpugeo_neighbors *found = R_ExternalPtrAddr(holder);
  if (found) gpugeo_neighbors_free(found);
  R_ClearExternalPtr(holder);
}

/* Copying neighbours to vectors of R. */
typedef struct copying {
  const gpugeo_neighbors *found;
  int *index;
  double *distance;
} copying;

/* Copies a range of neighbours, with indices from 1. */
static void copy_neighbors(void *job, gg_range range) {
  const copying *c = job;
  for (int64_t e = range.first; e < range.last; ++e)
    c->index[e] = c->found->index[e] + 1;
  memcpy(c->distance + range.first, c->found->distance + range.first,
         (size_t)(range.last - range.first) * sizeof *c->distance);
}

SEXP gg_r_hold_neighbors(void) { return gg_r_hold(sizeof(gpugeo_neighbors), free_neighbors); }

/* Returns list(count, index, distance), index from 1. */
static SEXP as_list(const gpugeo_neighbors *found, int32_t threads) {
  const char *names[] = {"count", "index", "distance", ""};
  const int64_t total = found->start[found->points];
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP count = gg_r_set_vector(list, 0, INTSXP, found->points);
  SEXP index = gg_r_set_vector(list, 1, INTSXP, total);
  SEXP distance = gg_r_set_vector(list, 2, REALSXP, total);
  for (int64_t i = 0; i < found->points; ++i)
    INTEGER(count)[i] = (int)(found->start[i + 1] - found->start[i]);
  copying job = {found, INTEGER(index), REAL(distance)};
  gg_parallel_for(&(gg_loop){.threads = gg_copying_threads(gg_threads(threads)),
                             .count = total,
                             .grain = 1 << 18, /* 0.1 ms */
                             .work = copy_neighbors,
                             .job = &job});
  UNPROTECT(1);
  return list;
}

SEXP gg_r_list_neighbors(SEXP holder, int32_t threads) {
  SEXP made = PROTECT(as_list(R_ExternalPtrAddr(holder), threads));
  free_neighbors(holder);
  UNPROTECT(1);
  return made;
}

/* Ends a call with the neighbours that were found, which `holder` frees, and returns them. */
static SEXP finish_radius(gg_r_call *call, SEXP holder, gpugeo_status status, int32_t threads) {
  gpugeo_neighbors *found = gg_r_held(holder);
  if (!status) R_SetExternalPtrAddr(holder, found);
  gg_r_finish(call, status);
  SEXP made = PROTECT(gg_r_list_neighbors(holder, threads));
  gg_r_report(call, "gpu_radius", NULL);
  UNPROTECT(1);
  return made;
}

SEXP gg_r_radius(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_knn_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  read_options(&call, &in, &options);
  gg_r_require(&call);
  SEXP holder = PROTECT(gg_r_hold_neighbors());
  const gpugeo_status status =
      gpugeo_radius(&in.x, in.y, &options, gg_r_held(holder), &call.report, &call.error);
  SEXP made = finish_radius(&call, holder, status, options.run.threads);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_distances_radius(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_knn_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  open_distances(&call, &distances, &options);
  SEXP holder = PROTECT(gg_r_hold_neighbors());
  const gpugeo_status status = gpugeo_distances_radius(
      &distances.given, &options, gg_r_held(holder), &call.report, &call.error);
  SEXP made = finish_radius(&call, holder, status, options.run.threads);
  UNPROTECT(2);
  return made;
}

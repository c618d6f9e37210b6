#define R_NO_REMAP
#include <Rinternals.h>
#include <gpugeo_r.h>

static gpugeo_matrix view(SEXP x) {
  gpugeo_matrix matrix = {REAL(x), GPUGEO_TYPE_DOUBLE, Rf_nrows(x), Rf_ncols(x), Rf_nrows(x), NULL};
  return matrix;
}

static SEXP distances(SEXP x, SEXP method, SEXP work_bytes) {
  gpugeo_error error;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.work_bytes = (int64_t)Rf_asReal(work_bytes);
  int32_t metric = 0;
  if (gpugeo_find(GPUGEO_ENUM_METRIC, CHAR(STRING_ELT(method, 0)), &metric, &error))
    Rf_error("%s", error.message);
  options.metric.kind = (gpugeo_metric)metric;
  gpugeo_matrix points = view(x);
  int64_t size;
  if (gpugeo_dist_size(&points, NULL, &options, GPUGEO_TYPE_DOUBLE, &size, &error))
    Rf_error("%s", error.message);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  if (gpugeo_dist(&points, NULL, &options, GPUGEO_TYPE_DOUBLE, REAL(out), NULL, &error))
    Rf_error("%s", error.message);
  UNPROTECT(1);
  return out;
}

static SEXP correlations(SEXP x) {
  gpugeo_error error;
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  gpugeo_matrix variables = view(x);
  int64_t size;
  if (gpugeo_cor_size(&variables, NULL, &options, GPUGEO_TYPE_DOUBLE, &size, &error))
    Rf_error("%s", error.message);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  if (gpugeo_cor(&variables, NULL, &options, GPUGEO_TYPE_DOUBLE, REAL(out), NULL, &error))
    Rf_error("%s", error.message);
  UNPROTECT(1);
  return out;
}

/* c(i, j, distance) of the closest pair, counted from 0. */
static SEXP closest(SEXP x) {
  gpugeo_error error;
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  gpugeo_matrix points = view(x);
  gpugeo_pair pair;
  int64_t found, ties;
  if (gpugeo_closest_pair(&points, NULL, &options, &pair, &found, &ties, NULL, &error))
    Rf_error("%s", error.message);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 3));
  REAL(out)[0] = (double)pair.i;
  REAL(out)[1] = (double)pair.j;
  REAL(out)[2] = pair.distance;
  UNPROTECT(1);
  return out;
}

/* How many pairs collide, by launch and wait. */
static SEXP collisions(SEXP x, SEXP radius) {
  gpugeo_error error;
  gpugeo_collisions_options options;
  gpugeo_collisions_options_init(&options, sizeof options);
  options.radius = Rf_asReal(radius);
  gpugeo_matrix points = view(x);
  gpugeo_collisions *collisions;
  int64_t count = 0;
  if (gpugeo_collisions_launch(&points, NULL, &options, &collisions, &error))
    Rf_error("%s", error.message);
  gpugeo_status status = gpugeo_collisions_wait(collisions, NULL, &count, NULL, &error);
  gpugeo_collisions_free(collisions);
  if (status) Rf_error("%s", error.message);
  return Rf_ScalarReal((double)count);
}

static SEXP devices(void) { return Rf_ScalarInteger(gpugeo_device_count()); }

static SEXP threads(void) { return Rf_ScalarInteger(gpugeo_default_threads()); }

SEXP every_function(SEXP distances, SEXP triangle, SEXP edges); /* every.c */

static const R_CallMethodDef entries[] = {
    {"distances", (DL_FUNC)(void (*)(void))distances, 3},
    {"correlations", (DL_FUNC)(void (*)(void))correlations, 1},
    {"closest", (DL_FUNC)(void (*)(void))closest, 1},
    {"collisions", (DL_FUNC)(void (*)(void))collisions, 2},
    {"every_function", (DL_FUNC)(void (*)(void))every_function, 3},
    {"devices", (DL_FUNC)(void (*)(void))devices, 0},
    {"threads", (DL_FUNC)(void (*)(void))threads, 0},
    {NULL, NULL, 0},
};

void R_init_gpugeolinked(DllInfo *library) {
  R_registerRoutines(library, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
}

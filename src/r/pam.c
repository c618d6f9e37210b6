/* k-medoids, k-means and silhouettes. */
#include "common/integer.h"
#include "distances.h"
#include "entry.h"

/* Reads the medoids, counted from 0 then. */
static void read_medoids(gg_r_call *call, gpugeo_pam_options *options) {
  const SEXP medoids = gg_r_option(call, "medoids");
  if (medoids == R_NilValue) return;
  int32_t *from = (int32_t *)R_alloc((size_t)XLENGTH(medoids) + 1, sizeof *from);
  for (R_xlen_t m = 0; m < XLENGTH(medoids); ++m)
    from[m] = INTEGER_RO(medoids)[m] - 1;
  options->medoids = from;
  options->medoids_length = XLENGTH(medoids);
}

/* Allocates an element of the result. */
static void *element(SEXP made, int which, SEXPTYPE type, int64_t length) {
  const SEXP vector = gg_r_set_vector(made, which, type, length);
  return type == INTSXP ? (void *)INTEGER(vector) : (void *)REAL(vector);
}

SEXP gg_r_pam(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_pam_options options;
  int32_t cluster_only = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_flag(&call, "cluster.only", &cluster_only);
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_pam_options, &options,
                                        &options.metric, &options.run);
  read_medoids(&call, &options);

  const char *names[] = {"medoids",  "clustering", "objective", "swaps",   "distance",
                         "neighbor", "width",      "furthest",  "nearest", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gpugeo_pam_result result = {.medoid = element(made, 0, INTSXP, gg_room(options.k, n)),
                              .cluster = element(made, 1, INTSXP, n),
                              .distance = element(made, 4, REALSXP, n)};
  double *objective = element(made, 2, REALSXP, 2), *swaps = element(made, 3, REALSXP, 1);
  if (!cluster_only) {
    result.neighbor = element(made, 5, INTSXP, n);
    result.width = element(made, 6, REALSXP, n);
    result.furthest = element(made, 7, REALSXP, n);
    result.nearest = element(made, 8, REALSXP, n);
  }
  gg_r_finish(&call, gpugeo_pam(&distances.given, &options, &result, &call.report, &call.error));
  for (int64_t m = 0; m < options.k; ++m)
    ++result.medoid[m];
  objective[0] = result.objective[0];
  objective[1] = result.objective[1];
  *swaps = (double)result.swaps;
  gg_r_report(&call, "gpu_pam", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_kmeans(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix x = {0};
  gpugeo_kmeans_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_matrix(&call, gg_r_input(&call, 0), "x", &x);
  gpugeo_kmeans_options_init(&options, sizeof options);
  gg_r_read_options(&call, &gg_kmeans_options, &options);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);
  const char *names[] = {"cluster", "centers", "withinss", "size", "totss", "iter", "ifault", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, x.nrow);
  SET_VECTOR_ELT(made, 1, Rf_allocMatrix(REALSXP, k, (int)x.ncol));
  gpugeo_kmeans_result result = {.cluster = element(made, 0, INTSXP, x.nrow),
                                 .centers = REAL(VECTOR_ELT(made, 1)),
                                 .withinss = element(made, 2, REALSXP, k),
                                 .sizes = element(made, 3, INTSXP, k)};
  gg_r_finish(&call, gpugeo_kmeans(&x, &options, &result, &call.report, &call.error));
  gg_r_set_number(made, 4, result.totss);
  SET_VECTOR_ELT(made, 5, Rf_ScalarInteger((int)result.iterations));
  SET_VECTOR_ELT(made, 6, Rf_ScalarInteger(result.fault));
  gg_r_report(&call, "gpu_kmeans", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_silhouette(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_silhouette_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_silhouette_options_init(&options, sizeof options);
  const int64_t n =
      gg_r_open_distances(&call, "x", &distances, NULL, &options, &options.metric, &options.run);

  const SEXP clusters = gg_r_option(&call, "clusters");
  const char *names[] = {"neighbor", "width", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP neighbor = gg_r_set_vector(made, 0, INTSXP, n);
  SEXP width = gg_r_set_vector(made, 1, REALSXP, n);
  gg_r_finish(&call,
              gpugeo_silhouette(&distances.given, INTEGER_RO(clusters), XLENGTH(clusters), &options,
                                INTEGER(neighbor), REAL(width), &call.report, &call.error));
  gg_r_report(&call, "gpu_silhouette", NULL);
  UNPROTECT(2);
  return made;
}

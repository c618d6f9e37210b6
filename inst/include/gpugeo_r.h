/*
 * The C API of gpugeo.h for other R packages.
 *
 * In DESCRIPTION put `Imports: gpugeo` and `LinkingTo: gpugeo`, import something from gpugeo in
 * NAMESPACE so that it is loaded first, and include this file instead of gpugeo.h. The functions
 * then have their names and arguments of gpugeo.h; each one is looked up in the loaded package at
 * its first call. There is nothing to link.
 *
 *   #include <gpugeo_r.h>
 *
 *   gpugeo_dist_options options;
 *   gpugeo_dist_options_init(&options, sizeof options);
 *   gpugeo_matrix x = {REAL(points), GPUGEO_TYPE_DOUBLE, n, m, n};
 *   gpugeo_error error;
 *   if (gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, REAL(out), NULL, &error))
 *     Rf_error("%s", error.message);
 *
 * All functions must be called on R's main thread.
 */
#ifndef GPUGEO_R_H
#define GPUGEO_R_H

#include <R_ext/Rdynload.h>

#include "gpugeo.h"

/* static inline type gpugeo_r_NAME(parameters), which passes its arguments on to the package. */
#define GPUGEO_R_LOOK_UP(type, name, parameters)                                                   \
  static type(*function) parameters = NULL;                                                        \
  if (!function)                                                                                   \
    function = (type(*) parameters)(void (*)(void))R_GetCCallable("gpugeo", "gpugeo_" #name);
#define GPUGEO_R_FUNCTION(type, name, parameters, arguments)                                       \
  static inline type gpugeo_r_##name parameters {                                                  \
    GPUGEO_R_LOOK_UP(type, name, parameters)                                                       \
    return function arguments;                                                                     \
  }
#define GPUGEO_R_PROCEDURE(name, parameters, arguments)                                            \
  static inline void gpugeo_r_##name parameters {                                                  \
    GPUGEO_R_LOOK_UP(void, name, parameters)                                                       \
    function arguments;                                                                            \
  }

GPUGEO_R_PROCEDURE(run_init, (gpugeo_run * run), (run))
GPUGEO_R_FUNCTION(gpugeo_status, backend_find,
                  (const char *name, gpugeo_backend *backend, gpugeo_error *error),
                  (name, backend, error))
GPUGEO_R_FUNCTION(gpugeo_status, precision_find,
                  (const char *name, gpugeo_precision *precision, gpugeo_error *error),
                  (name, precision, error))
GPUGEO_R_FUNCTION(const char *, backend_name, (gpugeo_backend backend), (backend))
GPUGEO_R_FUNCTION(int32_t, default_threads, (void), ())
GPUGEO_R_FUNCTION(const char *, simd, (void), ())
GPUGEO_R_FUNCTION(gpugeo_status, backend_available, (gpugeo_backend backend, gpugeo_error *error),
                  (backend, error))
GPUGEO_R_FUNCTION(int32_t, device_count, (void), ())
GPUGEO_R_FUNCTION(gpugeo_status, device_get,
                  (int32_t device, gpugeo_device *info, gpugeo_error *error), (device, info, error))
GPUGEO_R_PROCEDURE(release, (void), ())

GPUGEO_R_FUNCTION(gpugeo_status, metric_find,
                  (const char *name, gpugeo_metric *metric, gpugeo_error *error),
                  (name, metric, error))
GPUGEO_R_FUNCTION(const char *, metric_name, (gpugeo_metric metric), (metric))
GPUGEO_R_PROCEDURE(dist_options_init, (gpugeo_dist_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, dist_size,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_dist_options *options, gpugeo_type type, int64_t *size,
                   gpugeo_error *error),
                  (x, y, options, type, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, dist,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_dist_options *options, gpugeo_type type, void *out,
                   gpugeo_report *report, gpugeo_error *error),
                  (x, y, options, type, out, report, error))

GPUGEO_R_FUNCTION(gpugeo_status, cor_method_find,
                  (const char *name, gpugeo_cor_method *method, gpugeo_error *error),
                  (name, method, error))
GPUGEO_R_FUNCTION(gpugeo_status, cor_use_find,
                  (const char *name, gpugeo_cor_use *use, gpugeo_error *error), (name, use, error))
GPUGEO_R_PROCEDURE(cor_options_init, (gpugeo_cor_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, cor_size,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_cor_options *options, gpugeo_type type, int64_t *size,
                   gpugeo_error *error),
                  (x, y, options, type, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, cor,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_cor_options *options, gpugeo_type type, void *out,
                   gpugeo_report *report, gpugeo_error *error),
                  (x, y, options, type, out, report, error))

GPUGEO_R_PROCEDURE(knn_options_init, (gpugeo_knn_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, knn_size,
                  (const gpugeo_matrix *x, const gpugeo_matrix *query,
                   const gpugeo_knn_options *options, int64_t *size, gpugeo_error *error),
                  (x, query, options, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, knn,
                  (const gpugeo_matrix *x, const gpugeo_matrix *query,
                   const gpugeo_knn_options *options, int32_t *index, double *distance,
                   gpugeo_report *report, gpugeo_error *error),
                  (x, query, options, index, distance, report, error))
GPUGEO_R_FUNCTION(gpugeo_status, radius,
                  (const gpugeo_matrix *x, const gpugeo_matrix *query,
                   const gpugeo_knn_options *options, gpugeo_neighbors *neighbors,
                   gpugeo_report *report, gpugeo_error *error),
                  (x, query, options, neighbors, report, error))
GPUGEO_R_PROCEDURE(neighbors_free, (gpugeo_neighbors * neighbors), (neighbors))

GPUGEO_R_FUNCTION(gpugeo_status, closest_metric_find,
                  (const char *name, gpugeo_closest_metric *metric, gpugeo_error *error),
                  (name, metric, error))
GPUGEO_R_FUNCTION(gpugeo_status, closest_method_find,
                  (const char *name, gpugeo_closest_method *method, gpugeo_error *error),
                  (name, method, error))
GPUGEO_R_FUNCTION(const char *, closest_method_name, (gpugeo_closest_method method), (method))
GPUGEO_R_PROCEDURE(closest_options_init, (gpugeo_closest_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, closest_pair_size,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_closest_options *options, int64_t *size, gpugeo_error *error),
                  (x, y, options, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, closest_pair,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_closest_options *options, gpugeo_pair *pairs, int64_t *found,
                   int64_t *ties, gpugeo_report *report, gpugeo_error *error),
                  (x, y, options, pairs, found, ties, report, error))

GPUGEO_R_FUNCTION(gpugeo_status, collisions_what_find,
                  (const char *name, gpugeo_collisions_what *what, gpugeo_error *error),
                  (name, what, error))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_method_find,
                  (const char *name, gpugeo_collisions_method *method, gpugeo_error *error),
                  (name, method, error))
GPUGEO_R_PROCEDURE(collisions_options_init, (gpugeo_collisions_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_launch,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_collisions_options *options, gpugeo_collisions **collisions,
                   gpugeo_error *error),
                  (x, y, options, collisions, error))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_compute,
                  (const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_collisions_options *options, gpugeo_collisions **collisions,
                   gpugeo_error *error),
                  (x, y, options, collisions, error))
GPUGEO_R_FUNCTION(int32_t, collisions_done, (const gpugeo_collisions *collisions), (collisions))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_wait,
                  (gpugeo_collisions * collisions, const gpugeo_run *run, int64_t *count,
                   gpugeo_report *report, gpugeo_error *error),
                  (collisions, run, count, report, error))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_per_point,
                  (const gpugeo_collisions *collisions, double *per_point, gpugeo_error *error),
                  (collisions, per_point, error))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_pairs,
                  (const gpugeo_collisions *collisions, gpugeo_type type, void *pairs,
                   gpugeo_error *error),
                  (collisions, type, pairs, error))
GPUGEO_R_FUNCTION(gpugeo_status, collisions_table,
                  (const gpugeo_collisions *collisions, double *table, gpugeo_error *error),
                  (collisions, table, error))
GPUGEO_R_PROCEDURE(collisions_free, (gpugeo_collisions * collisions), (collisions))

GPUGEO_R_FUNCTION(gpugeo_status, dgp_method_find,
                  (const char *name, gpugeo_dgp_method *method, gpugeo_error *error),
                  (name, method, error))
GPUGEO_R_FUNCTION(const char *, dgp_method_name, (gpugeo_dgp_method method), (method))
GPUGEO_R_FUNCTION(gpugeo_decimal, wide_decimal, (gpugeo_wide number), (number))
GPUGEO_R_PROCEDURE(dgp_options_init, (gpugeo_dgp_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_size,
                  (const double *d, int64_t n, const gpugeo_dgp_options *options, int64_t *size,
                   gpugeo_error *error),
                  (d, n, options, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, dgp,
                  (const double *d, int64_t n, const gpugeo_dgp_options *options,
                   gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions, gpugeo_report *report,
                   gpugeo_error *error),
                  (d, n, options, result, solutions, report, error))
GPUGEO_R_PROCEDURE(dgp_positions, (const double *d, int64_t n, gpugeo_wide row, double *positions),
                   (d, n, row, positions))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_rows_size,
                  (const double *d, int64_t n, const gpugeo_run *run, int64_t *size,
                   gpugeo_error *error),
                  (d, n, run, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_rows,
                  (const double *d, int64_t n, const gpugeo_run *run, double *sums,
                   gpugeo_report *report, gpugeo_error *error),
                  (d, n, run, sums, report, error))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_instance,
                  (int64_t n, uint64_t seed, double *d, gpugeo_error *error), (n, seed, d, error))

GPUGEO_R_PROCEDURE(dgp_graph_options_init, (gpugeo_dgp_graph_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_graph_size,
                  (int64_t vertices, const gpugeo_dgp_edge *edges, int64_t edge_count,
                   const gpugeo_dgp_graph_options *options, int64_t *size, gpugeo_error *error),
                  (vertices, edges, edge_count, options, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_graph,
                  (int64_t vertices, const gpugeo_dgp_edge *edges, int64_t edge_count,
                   const gpugeo_dgp_graph_options *options, gpugeo_dgp_graph_result *result,
                   double *positions, gpugeo_dgp_vertex *order, gpugeo_report *report,
                   gpugeo_error *error),
                  (vertices, edges, edge_count, options, result, positions, order, report, error))
GPUGEO_R_FUNCTION(gpugeo_status, dgp_file_read,
                  (const char *path, const char *format, const gpugeo_run *run,
                   gpugeo_dgp_file *file, gpugeo_error *error),
                  (path, format, run, file, error))
GPUGEO_R_PROCEDURE(dgp_file_free, (gpugeo_dgp_file * file), (file))

GPUGEO_R_FUNCTION(gpugeo_status, edge_file_read,
                  (const char *path, int64_t first, const gpugeo_run *run, gpugeo_edge_file *file,
                   gpugeo_error *error),
                  (path, first, run, file, error))
GPUGEO_R_PROCEDURE(edge_file_free, (gpugeo_edge_file * file), (file))
GPUGEO_R_FUNCTION(gpugeo_status, layout_repulsion_find,
                  (const char *name, gpugeo_layout_repulsion *repulsion, gpugeo_error *error),
                  (name, repulsion, error))
GPUGEO_R_FUNCTION(const char *, layout_repulsion_name, (gpugeo_layout_repulsion repulsion),
                  (repulsion))
GPUGEO_R_PROCEDURE(layout_options_init, (gpugeo_layout_options * options), (options))
GPUGEO_R_FUNCTION(gpugeo_status, layout_size,
                  (const gpugeo_graph *graph, const gpugeo_layout_options *options, int64_t *size,
                   gpugeo_error *error),
                  (graph, options, size, error))
GPUGEO_R_FUNCTION(gpugeo_status, layout,
                  (const gpugeo_graph *graph, const gpugeo_layout_options *options,
                   double *positions, gpugeo_layout_result *result, gpugeo_report *report,
                   gpugeo_error *error),
                  (graph, options, positions, result, report, error))
GPUGEO_R_PROCEDURE(layout_quality_options_init, (gpugeo_layout_quality_options * options),
                   (options))
GPUGEO_R_FUNCTION(gpugeo_status, layout_quality,
                  (const gpugeo_graph *graph, const gpugeo_matrix *positions,
                   const gpugeo_layout_quality_options *options,
                   gpugeo_layout_quality_result *quality, gpugeo_report *report,
                   gpugeo_error *error),
                  (graph, positions, options, quality, report, error))

#undef GPUGEO_R_PROCEDURE
#undef GPUGEO_R_FUNCTION
#undef GPUGEO_R_LOOK_UP

#define gpugeo_run_init                    gpugeo_r_run_init
#define gpugeo_backend_find                gpugeo_r_backend_find
#define gpugeo_precision_find              gpugeo_r_precision_find
#define gpugeo_backend_name                gpugeo_r_backend_name
#define gpugeo_default_threads             gpugeo_r_default_threads
#define gpugeo_simd                        gpugeo_r_simd
#define gpugeo_backend_available           gpugeo_r_backend_available
#define gpugeo_device_count                gpugeo_r_device_count
#define gpugeo_device_get                  gpugeo_r_device_get
#define gpugeo_release                     gpugeo_r_release
#define gpugeo_metric_find                 gpugeo_r_metric_find
#define gpugeo_metric_name                 gpugeo_r_metric_name
#define gpugeo_dist_options_init           gpugeo_r_dist_options_init
#define gpugeo_dist_size                   gpugeo_r_dist_size
#define gpugeo_dist                        gpugeo_r_dist
#define gpugeo_cor_method_find             gpugeo_r_cor_method_find
#define gpugeo_cor_use_find                gpugeo_r_cor_use_find
#define gpugeo_cor_options_init            gpugeo_r_cor_options_init
#define gpugeo_cor_size                    gpugeo_r_cor_size
#define gpugeo_cor                         gpugeo_r_cor
#define gpugeo_closest_metric_find         gpugeo_r_closest_metric_find
#define gpugeo_closest_method_find         gpugeo_r_closest_method_find
#define gpugeo_closest_method_name         gpugeo_r_closest_method_name
#define gpugeo_closest_options_init        gpugeo_r_closest_options_init
#define gpugeo_closest_pair_size           gpugeo_r_closest_pair_size
#define gpugeo_closest_pair                gpugeo_r_closest_pair
#define gpugeo_collisions_what_find        gpugeo_r_collisions_what_find
#define gpugeo_collisions_method_find      gpugeo_r_collisions_method_find
#define gpugeo_collisions_options_init     gpugeo_r_collisions_options_init
#define gpugeo_collisions_launch           gpugeo_r_collisions_launch
#define gpugeo_collisions_compute          gpugeo_r_collisions_compute
#define gpugeo_collisions_done             gpugeo_r_collisions_done
#define gpugeo_collisions_wait             gpugeo_r_collisions_wait
#define gpugeo_collisions_per_point        gpugeo_r_collisions_per_point
#define gpugeo_collisions_pairs            gpugeo_r_collisions_pairs
#define gpugeo_collisions_table            gpugeo_r_collisions_table
#define gpugeo_collisions_free             gpugeo_r_collisions_free
#define gpugeo_dgp_method_find             gpugeo_r_dgp_method_find
#define gpugeo_dgp_method_name             gpugeo_r_dgp_method_name
#define gpugeo_wide_decimal                gpugeo_r_wide_decimal
#define gpugeo_dgp_options_init            gpugeo_r_dgp_options_init
#define gpugeo_dgp_size                    gpugeo_r_dgp_size
#define gpugeo_dgp                         gpugeo_r_dgp
#define gpugeo_dgp_positions               gpugeo_r_dgp_positions
#define gpugeo_dgp_rows_size               gpugeo_r_dgp_rows_size
#define gpugeo_dgp_rows                    gpugeo_r_dgp_rows
#define gpugeo_dgp_instance                gpugeo_r_dgp_instance
#define gpugeo_dgp_graph_options_init      gpugeo_r_dgp_graph_options_init
#define gpugeo_dgp_graph_size              gpugeo_r_dgp_graph_size
#define gpugeo_dgp_graph                   gpugeo_r_dgp_graph
#define gpugeo_dgp_file_read               gpugeo_r_dgp_file_read
#define gpugeo_dgp_file_free               gpugeo_r_dgp_file_free
#define gpugeo_edge_file_read              gpugeo_r_edge_file_read
#define gpugeo_edge_file_free              gpugeo_r_edge_file_free
#define gpugeo_layout_repulsion_find       gpugeo_r_layout_repulsion_find
#define gpugeo_layout_repulsion_name       gpugeo_r_layout_repulsion_name
#define gpugeo_layout_options_init         gpugeo_r_layout_options_init
#define gpugeo_layout_size                 gpugeo_r_layout_size
#define gpugeo_layout                      gpugeo_r_layout
#define gpugeo_layout_quality_options_init gpugeo_r_layout_quality_options_init
#define gpugeo_layout_quality              gpugeo_r_layout_quality

#endif

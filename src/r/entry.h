/* The entry points that R calls. */
#ifndef GG_R_ENTRY_H
#define GG_R_ENTRY_H

#include "convert.h"

/* Returns the first name of a metric from any of its names or abbreviations. */
SEXP gg_r_metric(SEXP method, SEXP call);

/* Reads a metric and its parameters: scale and cov as for gg_r_dist(). */
gpugeo_status gg_r_dist_options(SEXP method, SEXP p, SEXP scale, SEXP cov,
                                gpugeo_dist_options *options, gpugeo_error *error);

/* Reads points: a matrix, of which a view is made, or list(file, name) of class "gpu_hdf5". */
gpugeo_status gg_r_source(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_point_source *source, gpugeo_error *error);

/* Returns a vector of distances with the given attributes. y NULL: within x. scale and cov:
   double or NULL. settings: as gg_r_run(). call: for conditions. environment: gets the report. */
SEXP gg_r_dist(SEXP x, SEXP y, SEXP method, SEXP p, SEXP scale, SEXP cov, SEXP settings,
               SEXP attributes, SEXP call, SEXP environment);

/* Points in all functions of tiles and files: a matrix or list(file, name) of class "gpu_hdf5".
   metric: list(method, p, scale, cov). */

/* Returns the version of the HDF5 library, or "". */
SEXP gg_r_hdf5_version(void);

/* c(nrow, ncol). */
SEXP gg_r_point_source_size(SEXP x, SEXP call);

/* Returns list(side, table) with a row for each tile: row, rows, column, columns. sizes: points
   of x and of y (-1: within x), coordinates. side, memory_limit: or NULL. */
SEXP gg_r_tiles_plan(SEXP sizes, SEXP side, SEXP memory_limit, SEXP call);

/* Returns the values that tiles share, as a vector. warn: true to warn of distances that are
   missing in the whole matrix. */
SEXP gg_r_dist_metric_params(SEXP x, SEXP y, SEXP metric, SEXP settings, SEXP warn, SEXP call);

/* Returns the matrix of one tile. shared: or NULL. plan: points of x and of y (-1), side. warn:
   true to warn of missing distances in the tile. */
SEXP gg_r_dist_tile(SEXP x, SEXP y, SEXP metric, SEXP shared, SEXP plan, SEXP tile, SEXP settings,
                    SEXP warn, SEXP call, SEXP environment);

/* Writes a file. output: list(file, name, shape, precision, labels), name and labels or NULL. */
SEXP gg_r_dist_file_write(SEXP x, SEXP metric, SEXP output, SEXP settings, SEXP call,
                          SEXP environment);

/* Returns list(name, metric, size, shape, precision, tiles, tiles_done, labels) of a file. name:
   or NULL. */
SEXP gg_r_dist_file_info(SEXP file, SEXP name, SEXP call);

/* Returns a matrix of the distances between points of a file, numbered from 1 in doubles. */
SEXP gg_r_dist_file_read(SEXP file, SEXP name, SEXP rows, SEXP columns, SEXP call);

/* Returns a vector of correlations; arguments as for gg_r_dist(). */
SEXP gg_r_cor(SEXP x, SEXP y, SEXP use, SEXP method, SEXP settings, SEXP attributes, SEXP call,
              SEXP environment);

/* Returns list(index, distance) of the k nearest neighbours: matrices with a row for each point.
   metric: list(method, p, scale, cov). query NULL: within x. The rest as gg_r_dist(). */
SEXP gg_r_knn(SEXP x, SEXP query, SEXP k, SEXP metric, SEXP settings, SEXP call, SEXP environment);

/* Returns list(count, index, distance) of the neighbours within a radius, point by point. */
SEXP gg_r_radius(SEXP x, SEXP query, SEXP radius, SEXP metric, SEXP settings, SEXP call,
                 SEXP environment);

/* Returns list(i, j, distance, ties) of the closest pairs; box: double or NULL, the others as
   gg_r_dist(). */
SEXP gg_r_closest(SEXP x, SEXP y, SEXP k, SEXP distinct, SEXP metric, SEXP box, SEXP radius,
                  SEXP method, SEXP settings, SEXP call, SEXP environment);

/* Returns a future of collisions that has not begun. labels: list(rows, groups), names of the
   rows of x and of the groups, each text or NULL. */
SEXP gg_r_collide_new(SEXP labels);

/* Begins a computation, and waits for it unless `launch`. options: list(radius, radii, exclude,
   group, groups, box, what, method), with radii and box double or NULL and group whole numbers
   from 0 or NULL. */
SEXP gg_r_collide_begin(SEXP future, SEXP launch, SEXP x, SEXP y, SEXP options, SEXP settings,
                        SEXP call);

/* Waits for a computation and returns its result. function: its name in the report. */
SEXP gg_r_collide_result(SEXP future, SEXP function, SEXP settings, SEXP call, SEXP environment);

/* Returns TRUE if it has finished, NA if it belongs to another process. */
SEXP gg_r_collide_done(SEXP future);

/* Cancels and frees it. It may be freed already. */
SEXP gg_r_collide_free(SEXP future);

/* Cancels and frees all. */
void gg_r_collide_release(void);

/* Returns the list that gpu_dgp() returns, row numbers as text. */
SEXP gg_r_dgp(SEXP d, SEXP tol, SEXP method, SEXP max_solutions, SEXP exact, SEXP symmetric,
              SEXP prune, SEXP settings, SEXP call, SEXP environment);
SEXP gg_r_dgp_sums(SEXP d, SEXP settings, SEXP call, SEXP environment);
SEXP gg_r_dgp_instance(SEXP n, SEXP seed, SEXP call);

/* Returns list(edges, first, vertices) of a file: a matrix of u, v, lower, upper with vertices
   counted from 1, and the file's number of vertex 1. */
SEXP gg_r_dgp_file(SEXP path, SEXP format, SEXP settings, SEXP call);
/* Returns the list that gpu_dgp_graph() returns, vertices as numbers from 1. labels: text or
   NULL. */
SEXP gg_r_dgp_graph(SEXP edges, SEXP labels, SEXP tol, SEXP max_solutions, SEXP settings, SEXP call,
                    SEXP environment);

/* Returns list(positions, iterations, converged, energy, temperature, backend). graph:
   list(vertices, edges, first, weights, names) with whole numbers, a matrix of two columns, the
   first vertex's number, doubles or NULL, and text or NULL. options: list(dim, iterations, init,
   fixed, lower, upper, start_temp, tolerance, repulsion, theta, expansion_order, multilevel,
   seed, callback, callback_every), NULL for a default; init and the bounds are doubles, fixed
   truth values. */
SEXP gg_r_layout(SEXP graph, SEXP options, SEXP settings, SEXP call, SEXP environment);
/* Returns list(stress, scale, neighborhood, edge_variation, crossings, crossings_error, energy,
   pivots). options: list(pivots, crossings, seed). */
SEXP gg_r_layout_quality(SEXP graph, SEXP positions, SEXP options, SEXP settings, SEXP call,
                         SEXP environment);
/* Returns list(from, to, weight, first, vertices) of a file of edges, weight NULL if it has
   none. first: 0, 1 or NULL. settings: as gg_r_run(). */
SEXP gg_r_edges(SEXP path, SEXP first, SEXP settings, SEXP call);

/* Returns a value as messages show it. */
SEXP gg_r_show(SEXP value);

/* Raises the error of the first setting, of those that gg_r_run() reads, that is not valid. */
SEXP gg_r_check_settings(SEXP settings, SEXP call);

/* Returns a warning about the environment, or NULL. */
SEXP gg_r_unknown_setting(void);

/* Returns list(version, simd, threads, backends, devices). */
SEXP gg_r_info(void);

/* Returns c(blocks, used, free): the number of blocks of result_memory.c, the bytes of those that
   results use, and the bytes of the others. */
SEXP gg_r_result_memory(void);

/* Returns the memory to the system that is kept between calls, on the host and on devices. */
SEXP gg_r_release_memory(void);

/* Ends running computations and frees everything, before the library is unloaded. */
SEXP gg_r_release(void);

#endif

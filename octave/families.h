/* The commands of __gpugeo__, one function each. Comments have the form "inputs: results". A
   function reads the call's inputs and options, computes, and leaves results or an error in the
   call. Except for those of `info.c` and the reading of files, the last result is the structure
   of a report. */
#ifndef GG_MEX_FAMILIES_H
#define GG_MEX_FAMILIES_H

#include "call.h"

/* dist.c. x and optionally y: distances. The name of a metric, with the option
   `names` only: its name in R. */
void gg_mex_dist(gg_mex_call *call);
void gg_mex_metric_name(gg_mex_call *call);

/* cor.c. x and optionally y: correlations. */
void gg_mex_cor(gg_mex_call *call);

/* knn.c. x and optionally a query: row numbers and distances, as matrices; within a radius as
   rows of all of them, one point after the other, and the number of each point's. */
void gg_mex_knn(gg_mex_call *call);
void gg_mex_radius(gg_mex_call *call);
/* Row numbers and distances of nearest neighbours, as doubles: the edges between them, their
   weights and distances. */
void gg_mex_neighbor_edges(gg_mex_call *call);

/* hclust.c. Points, condensed distances (with the option `condensed`, their number of points), or a
   structure with the fields file and name: the matrix Z of linkage. */
void gg_mex_hclust(gg_mex_call *call);
/* Such a matrix: a row of cophenetic distances. */
void gg_mex_cophenetic(gg_mex_call *call);

/* mst.c. Points, or distances as gg_mex_read_distances() takes them: a row for each edge of the
   tree. */
void gg_mex_mst(gg_mex_call *call);

/* dbscan.c. The same: the number of each point's cluster, -1 for none, and 1 for core points. */
void gg_mex_dbscan(gg_mex_call *call);

/* hdbscan.c. The same: a row for each point (cluster, -1 for none, membership, outlier score, core
   distance, the node that it leaves and where), the matrix Z of linkage, and a row for each node of
   the condensed tree (parent, birth, death, points where it divides, stability, score, 1 for a
   cluster, cluster of its points). */
void gg_mex_hdbscan(gg_mex_call *call);

/* silhouette.c. The same, with the option clusters, int32 from 1: the widths, and the number of
   each point's neighbour, 0 for none. */
void gg_mex_silhouette(gg_mex_call *call);

/* pam.c. The same, with the options k, medoids (int32 from 1) and swap: clusters, points that are
   medoids, distances of all points from all of them, and in one vector the means of those from the
   nearest ones before and after swaps, and the number of swaps. */
void gg_mex_pam(gg_mex_call *call);

/* permutation_tests.c. The same: a row of sums of squares of the points as they are and of each
   permutation, and the total one. Options:
   `order`, int32 from 0, a column for each permutation, and `basis` or `group`, int32 from 0, and
   `groups`. */
void gg_mex_permanova(gg_mex_call *call);

/* Such distances: the statistic of the points as they are and of each permutation. Options: those,
   with `group`. */
void gg_mex_anosim(gg_mex_call *call);

/* The same: delta of the points as they are and of each permutation, the mean distance within each
   group, and that of all pairs. Options: those, with `weight_type`. */
void gg_mex_mrpp(gg_mex_call *call);

/* Two or three vectors of distances, whose numbers of points are the options nx, ny, nz: the same
   statistics. Options: `order` and `type`. */
void gg_mex_mantel(gg_mex_call *call);

/* pcoa.c. Distances as gg_mex_read_distances() takes them: the coordinates, a column for each axis;
   the eigenvalues; their residuals; and in one vector how many are positive, the trace, the sum of
   the negative ones, the smallest one, the constant of the correction, the number of passes, and 1
   if the residuals are within the tolerance. Options: `k`, `correction`, `tolerance`, `max_passes`.
 */
void gg_mex_pcoa(gg_mex_call *call);

/* mds.c. The same input: the configuration, the stress, the number of iterations, and 1 if the
   tolerance was reached. Options: `k`, `weights`, `start`, `tolerance`, `max_iterations`, `relax`.
 */
void gg_mex_mds(gg_mex_call *call);

/* closest.c. x and optionally y: distances, i, j, ties. */
void gg_mex_closest(gg_mex_call *call);

/* collide.c. x and optionally y: the result at once, or the number of a future. The option
   `group` holds int32 from 0, `groups` the number of groups. The others take a structure with
   the number in its field `future`: the result; true if it is done; none (it is released). */
void gg_mex_collide(gg_mex_call *call);
void gg_mex_launch(gg_mex_call *call);
void gg_mex_fetch(gg_mex_call *call);
void gg_mex_done(gg_mex_call *call);
void gg_mex_release(gg_mex_call *call);
void gg_mex_release_futures(void); /* all that there are */

/* dgp.c. Distances: the result of gpu_dgp, with row numbers as text; all sums. n and a seed:
   distances. */
void gg_mex_dgp(gg_mex_call *call);
void gg_mex_dgp_sums(gg_mex_call *call);
void gg_mex_dgp_instance(gg_mex_call *call);

/* dgp_graph.c. Edges as a matrix or the path of a file: the result of gpu_dgp_graph. */
void gg_mex_dgp_graph(gg_mex_call *call);

/* layout.c. A graph, a structure of private/read_graph.m: positions; and with positions, measures
   of them. The path of a file and the number of the first vertex, or []: such a structure. */
void gg_mex_layout(gg_mex_call *call);
void gg_mex_layout_quality(gg_mex_call *call);
void gg_mex_layout_raster(gg_mex_call *call);
void gg_mex_edges(gg_mex_call *call);

/* tiles.c. Points are a matrix or a structure with the fields file and name; y may be [].
   x: its rows and columns. Points of x and of y (-1: within x) and coordinates: the side, and a row
   for each tile: row, rows, column, columns. x and y: what tiles share. x, y, points of x and of y
   and side, what tiles share (or []), the number of a tile: its distances. x: only the report, and
   a file. */
void gg_mex_point_source_size(gg_mex_call *call);
void gg_mex_tiles_plan(gg_mex_call *call);
void gg_mex_dist_metric_params(gg_mex_call *call);
void gg_mex_dist_tile(gg_mex_call *call);
void gg_mex_dist_file(gg_mex_call *call);

/* dist_file.c. A file and the name of its dataset, or []: its description; with rows and
   columns, its distances. */
void gg_mex_dist_file_info(gg_mex_call *call);
void gg_mex_dist_file_read(gg_mex_call *call);

/* dist_device.c. x: a structure with the number of distances that stay on a device. Such a
   structure, with rows and columns: distances; or alone: all of them; or none (they are freed). */
void gg_mex_dist_device(gg_mex_call *call);
void gg_mex_dist_device_read(gg_mex_call *call);
void gg_mex_dist_device_copy(gg_mex_call *call);
void gg_mex_dist_device_free(gg_mex_call *call);

/* info.c. None: backends and devices. A value: its text in messages. Only options: an error if a
   setting is not allowed. None: a warning about a misspelt setting, or ""; a structure with the
   message of each environment variable that is not valid; none (memory that the core keeps between
   calls is released). The path of the CUDA library, or []: none. */
void gg_mex_info(gg_mex_call *call);
void gg_mex_show(gg_mex_call *call);
/* The number of an enum (gpugeo_enum): the names of its constants, in one line. For tests. */
void gg_mex_names(gg_mex_call *call);
void gg_mex_check_settings(gg_mex_call *call);
void gg_mex_unknown_setting(gg_mex_call *call);
void gg_mex_invalid_variables(gg_mex_call *call);
void gg_mex_release_memory(gg_mex_call *call);
void gg_mex_name_cuda_library(gg_mex_call *call);

/* install.c. from and a file that was downloaded, or []: a structure of what was installed or
   removed, without fields if `from` must be downloaded first, and the text for the user. An address
   and why it cannot be downloaded: an error. */
void gg_mex_cuda_install(gg_mex_call *call);
void gg_mex_cuda_download_failed(gg_mex_call *call);

#endif

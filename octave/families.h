/* The commands of __gpugeo__, one function each. A function reads the call's inputs and options,
   computes, and leaves results or an error in the call. Except for those of `info.c` and the
   reading of files, the last result is the structure of a report. */
#ifndef GG_MEX_FAMILIES_H
#define GG_MEX_FAMILIES_H

#include "call.h"

/* Computes the distances of x, or of x and y. */
void gg_mex_dist(gg_mex_call *call);
/* Returns R's name of a metric. Option: `names`. */
void gg_mex_metric_name(gg_mex_call *call);

/* Returns the core's options of a family, a structure of their defaults: [] for several numbers,
   and for a device or a flag that the data decide. */
void gg_mex_options(gg_mex_call *call);
/* Checks that a value is a number of at least 0 and returns it. inputs: the value, its name. */
void gg_mex_check_number(gg_mex_call *call);
/* Does the same for a whole number of at least the third input. */
void gg_mex_check_whole(gg_mex_call *call);

/* Computes the correlations of x, or of x and y. */
void gg_mex_cor(gg_mex_call *call);

/* Returns the fits of power laws to the connectivities of the columns of x, a row for each power;
   the recommended power; and the connectivities, a column for each power. Inputs: x, powers.
   Options: those of correlations, of bicor, of gg_adjacency_options and of
   gg_soft_threshold_options. */
void gg_mex_connectivity(gg_mex_call *call);

/* Computes the weights of a network between the columns of x, or of x and y. Inputs: x, y. Options:
   those of correlations, of bicor and of gg_adjacency_options; `given`, true if x is a matrix of
   correlations. */
void gg_mex_network(gg_mex_call *call);

/* Computes topological overlaps as a matrix, or condensed. Input: x. Options added to those of
   gg_mex_network(): those of gg_overlap_options. `given`: x is a matrix of weights. */
void gg_mex_overlap(gg_mex_call *call);

/* Computes the proportionality of the columns of a table of counts, as a matrix or condensed.
   Input: counts. Options: those of gg_proportionality_options; `iqlr`; `ivar`, numbers of
   columns. */
void gg_mex_proportionality(gg_mex_call *call);

/* Computes correlations and covariances of the basis of tables that are columns of one matrix.
   Input: the matrix. Options: those of gg_sparcc_options; `parts`, columns of a table. */
void gg_mex_sparcc(gg_mex_call *call);

/* Finds eigengenes, averages and shares of the variance: matrices with a column for each module.
   Inputs: x; of each gene the module from 1, or 0. Options: `modules` and `components`, numbers;
   `scale`; `align`. */
void gg_mex_eigengenes(gg_mex_call *call);

/* Finds nearest neighbours of x, or of a query in x: row numbers and distances, as matrices. */
void gg_mex_knn(gg_mex_call *call);
/* Finds neighbours within a radius: row numbers and distances, as rows of those of all points, one
   point after the other, and the number of each point's. */
void gg_mex_radius(gg_mex_call *call);
/* Makes the edges between nearest neighbours, their weights and distances, of row numbers and
   distances, as doubles. */
void gg_mex_neighbor_edges(gg_mex_call *call);

/* Returns the matrix Z of linkage for points, condensed distances (with the option `condensed`,
   their number of points), or a structure with the fields file and name. */
void gg_mex_hclust(gg_mex_call *call);
/* Such a matrix: a row of cophenetic distances. */
void gg_mex_cophenetic(gg_mex_call *call);
/* Such a matrix: of each cluster its number of points, and the position of the first of them with
   the first cluster of each merge on the left. */
void gg_mex_lay_out(gg_mex_call *call);
/* Orders the leaves of such a matrix, the second input, by distances as gg_mex_read_distances()
   takes them: a row of leaves, and what their order makes the smallest. */
void gg_mex_leaf_order(gg_mex_call *call);

/* Finds the spanning tree of points, or of distances as gg_mex_read_distances() takes them: a row
   for each edge. */
void gg_mex_mst(gg_mex_call *call);

/* Clusters the same inputs: the number of each point's cluster, -1 for none, and 1 for core
   points. */
void gg_mex_dbscan(gg_mex_call *call);

/* Clusters the same inputs: a row for each point (cluster, -1 for none, membership, outlier score,
   core distance, the node that it leaves and where), the matrix Z of linkage, and a row for each
   node of the condensed tree (parent, birth, death, points where it divides, stability, score, 1
   for a cluster, cluster of its points). */
void gg_mex_hdbscan(gg_mex_call *call);

/* Computes indices of the same inputs, with the option clusters, int32 from 0, noise: in one vector
   the sum within clusters and the indices ch, db, dunn, silhouette and dbcv, and the matrix of
   those of clusters. */
void gg_mex_validity(gg_mex_call *call);

/* Compares the options clusters and reference, int32: in one vector the adjusted Rand index, and
   the mutual information by four means. */
void gg_mex_agreement(gg_mex_call *call);

/* Orders the same inputs by density, with the options epsilon and minpts: in columns the points in
   their order, reachability, core distances and predecessors, 0 for none; and eps. */
void gg_mex_optics(gg_mex_call *call);

/* Computes the local outlier factors of the same inputs, with the option minpts. */
void gg_mex_lof(gg_mex_call *call);

/* Computes silhouettes of the same inputs, with the option clusters, int32 from 1: the widths, and
   the number of each point's neighbour, 0 for none. */
void gg_mex_silhouette(gg_mex_call *call);

/* Clusters the same inputs, with the options k, medoids (int32 from 1) and swap: clusters, points
   that are medoids, distances of all points from all of them, and in one vector the means of those
   from the nearest ones before and after swaps, and the number of swaps. */
void gg_mex_pam(gg_mex_call *call);

/* Clusters points by gpugeo_kmeans(): the numbers of clusters, the centres, the sums of squares
   within clusters, in one vector the number of iterations, the fault and the total sum, and the
   report. */
void gg_mex_kmeans(gg_mex_call *call);

/* Computes sums of squares of the same inputs: a row for the points as they are and for each
   permutation, and the total one. Options (permutation_tests.c): `order`, int32 from 0, a column
   for each permutation, and `basis` or `group`, int32 from 0, and `groups`. */
void gg_mex_permanova(gg_mex_call *call);

/* Computes the statistic of such distances for the points as they are and for each permutation.
   Options: those, with `group`. */
void gg_mex_anosim(gg_mex_call *call);

/* Computes delta of the same inputs for the points as they are and for each permutation, the mean
   distance within each group, and that of all pairs. Options: those, with `weight_type`. */
void gg_mex_mrpp(gg_mex_call *call);

/* Computes the same statistics of two or three vectors of distances, whose numbers of points are
   the options nx, ny, nz. Options: `order` and `type`. */
void gg_mex_mantel(gg_mex_call *call);

/* Computes principal coordinates of distances as gg_mex_read_distances() takes them: the
   coordinates, a column for each axis; the eigenvalues; their residuals; and in one vector how many
   are positive, the trace, the sum of the negative ones, the smallest one, the constant of the
   correction, the number of passes, and 1 if the residuals are within the tolerance. Options: `k`,
   `correction`, `tolerance`, `max_passes`. */
void gg_mex_pcoa(gg_mex_call *call);

/* Scales the same inputs: the configuration, the stress, the number of iterations, and 1 if the
   tolerance was reached. Options: `k`, `weights`, `start`, `tolerance`, `max_iterations`, `relax`.
 */
void gg_mex_mds(gg_mex_call *call);

/* Finds closest pairs of x, or between x and y: distances, i, j, ties. */
void gg_mex_closest(gg_mex_call *call);

/* Finds collisions of x, or between x and y. The option `group` holds int32 from 0, `groups` the
   number of groups. */
void gg_mex_collide(gg_mex_call *call);
/* Starts the same search and returns the number of its future. */
void gg_mex_launch(gg_mex_call *call);
/* Returns the result of the future whose number is the field `future` of a structure. */
void gg_mex_fetch(gg_mex_call *call);
/* Returns true if such a future is done. */
void gg_mex_done(gg_mex_call *call);
/* Releases such a future. */
void gg_mex_release(gg_mex_call *call);
/* Releases all futures. */
void gg_mex_release_futures(void);

/* Solves distances: the result of gpu_dgp, with row numbers as text. */
void gg_mex_dgp(gg_mex_call *call);
/* Returns all sums of distances. */
void gg_mex_dgp_sums(gg_mex_call *call);
/* Returns random distances, of n and a seed. */
void gg_mex_dgp_instance(gg_mex_call *call);

/* Solves edges, as a matrix or the path of a file: the result of gpu_dgp_graph. */
void gg_mex_dgp_graph(gg_mex_call *call);

/* Reads a FASTA file: cell arrays of the names and of the letters. */
void gg_mex_fasta(gg_mex_call *call);
/* Computes distances of sequences, a cell array of rows of characters, and variances. */
void gg_mex_dist_dna(gg_mex_call *call);
/* Computes distances of aligned proteins, a cell array of rows of characters. */
void gg_mex_dist_aa(gg_mex_call *call);

/* Standardizes a table: the result, a sparse one if zeros remain zeros, and a structure of the
   fields of gpugeo_decostand_numbers, those that have names by these. */
void gg_mex_decostand(gg_mex_call *call);
/* Returns a column of the diversity of the rows of a table, or of groups of them. */
void gg_mex_diversity(gg_mex_call *call);
/* Returns expected numbers of species, rows by samples, and with the option `se` their standard
   errors. inputs: the table and the samples. */
void gg_mex_expected_species(gg_mex_call *call);
/* Returns an index of beta diversity of all pairs. inputs: the numbers of species, and Manhattan
   distances of presences. */
void gg_mex_betadiver(gg_mex_call *call);
/* Computes edit distances of texts, cell arrays of rows of characters. */
void gg_mex_dist_edit(gg_mex_call *call);
/* Finds neighbours among texts: the results of gg_mex_radius(). */
void gg_mex_edit_neighbors(gg_mex_call *call);
/* Makes a tree of sequences and of replicates of their sites: edges from 0, lengths, supports,
   edges and lengths of all replicates. */
void gg_mex_boot_phylo(gg_mex_call *call);
/* Computes distances of profiles of alleles, a matrix with a profile in each row. */
void gg_mex_dist_alleles(gg_mex_call *call);

/* Computes UniFrac distances of a table, a tree and the numbers of the columns' tips or []. */
void gg_mex_unifrac(gg_mex_call *call);
/* Computes Faith's diversity of the same. */
void gg_mex_faith(gg_mex_call *call);

/* Lays out a graph, a structure of private/read_graph.m: positions. */
void gg_mex_layout(gg_mex_call *call);
/* Measures a graph and positions. */
void gg_mex_layout_quality(gg_mex_call *call);
/* Draws a graph and positions. */
void gg_mex_layout_raster(gg_mex_call *call);
/* Returns distances between vertices of a graph. */
void gg_mex_graph_distances(gg_mex_call *call);
/* Writes a graph, positions and the names of the vertices, a cell array or [], to a file. */
void gg_mex_graph_write(gg_mex_call *call);
/* Reads a graph from the path of a file; the number of the first vertex, or []: such a
   structure. */
void gg_mex_edges(gg_mex_call *call);

/* Returns the graph of an adjacency matrix as gg_mex_edges() does, [] of a matrix that lists
   edges. */
void gg_mex_adjacency(gg_mex_call *call);

/* Returns the rows and columns of points: a matrix, or a structure with the fields file and
   name. */
void gg_mex_point_source_size(gg_mex_call *call);
/* Plans tiles of the points of x and of y (-1: within x) and coordinates: the side, and a row for
   each tile: row, rows, column, columns. */
void gg_mex_tiles_plan(gg_mex_call *call);
/* Makes the tree by neighbour joining: edges, their lengths. */
void gg_mex_nj(gg_mex_call *call);
/* Makes the tree of the dendrogram by a linkage: edges, their lengths. */
void gg_mex_linkage_tree(gg_mex_call *call);
/* Reads a tree in the Newick format of a file, or of a text if the first input is []: a
   structure. */
void gg_mex_newick_read(gg_mex_call *call);
/* Writes a tree, a structure, to a file, or returns its text if the second input is []. */
void gg_mex_newick_write(gg_mex_call *call);
/* Computes the distances between the tips of a tree. */
void gg_mex_tree_distances(gg_mex_call *call);
/* Reads a BIOM file: a sparse matrix of samples by taxa, names of both, data of both: a cell array
   of a row for each, its name and values. */
void gg_mex_biom_read(gg_mex_call *call);

/* Computes what tiles of x and y share; y may be []. */
void gg_mex_dist_metric_params(gg_mex_call *call);
/* Computes the distances of a tile, of x, y, points of x and of y and side, what tiles share (or
   []), and the number of the tile. */
void gg_mex_dist_tile(gg_mex_call *call);
/* Writes the distances of x to a file and returns only the report. */
void gg_mex_dist_file(gg_mex_call *call);

/* Describes a file of distances and the name of its dataset, or []. */
void gg_mex_dist_file_info(gg_mex_call *call);
/* Reads the distances of rows and columns from such a file. */
void gg_mex_dist_file_read(gg_mex_call *call);

/* Computes the distances of x and returns a structure with the number of those, which stay on a
   device. */
void gg_mex_dist_device(gg_mex_call *call);
/* Reads the distances of rows and columns of such a structure. */
void gg_mex_dist_device_read(gg_mex_call *call);
/* Copies all distances of such a structure. */
void gg_mex_dist_device_copy(gg_mex_call *call);
/* Frees the distances of such a structure. */
void gg_mex_dist_device_free(gg_mex_call *call);

/* Returns the distances below the diagonal of a square matrix as a row. inputs: the matrix, its
   name and the end of the message that it is not symmetric. */
void gg_mex_square(gg_mex_call *call);
/* True if a square matrix of points has the form of distances. */
void gg_mex_looks_like_distances(gg_mex_call *call);

/* Returns backends and devices. */
void gg_mex_info(gg_mex_call *call);
/* Returns the text of a value in messages. */
void gg_mex_show(gg_mex_call *call);
/* Returns the message of a name (common/messages.h). */
void gg_mex_message(gg_mex_call *call);
/* Returns the names that an option of a family may have, a cell array. */
void gg_mex_names(gg_mex_call *call);
/* Returns the number of the one of the choices, a cell array, that a value names or begins; the
   third input is the name of the argument. */
void gg_mex_choose(gg_mex_call *call);
/* Returns a value, which must be true or false, or 1 or 0, as a logical one; the second input is
   the name of the argument. */
void gg_mex_check_flag(gg_mex_call *call);
/* Fails if a setting among the options is not allowed. */
void gg_mex_check_settings(gg_mex_call *call);
/* Returns a warning about a misspelt setting, or "". */
void gg_mex_unknown_setting(gg_mex_call *call);
/* Returns a structure with the message of each environment variable that is not valid. */
void gg_mex_invalid_variables(gg_mex_call *call);
/* Releases memory that the core keeps between calls. */
void gg_mex_release_memory(gg_mex_call *call);
/* Sets the path of the CUDA library, or none: []. */
void gg_mex_name_cuda_library(gg_mex_call *call);

/* Installs a CUDA library `from` an address, of a file that was downloaded, or []: a structure of
   what was installed or removed, without fields if `from` must be downloaded first, and the text
   for the user. */
void gg_mex_cuda_install(gg_mex_call *call);
/* Fails with the address and why it cannot be downloaded. */
void gg_mex_cuda_download_failed(gg_mex_call *call);

#endif

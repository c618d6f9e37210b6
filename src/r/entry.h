/* The entry points that R calls. Those of a family take inputs, options, settings and call, as
   call.h describes. Options are those of the family's table (common/option_table.h), and what a
   comment adds to them. */
#ifndef GG_R_ENTRY_H
#define GG_R_ENTRY_H

#include "call.h"

/* Points of tiles and files: a matrix, of which a view is made, or list(file, name) of class
   "gpu_hdf5". */
void gg_r_source(gg_r_call *call, SEXP value, const char *name, gpugeo_matrix *view,
                 gpugeo_point_source *source);

/* --- Distances. The metric is the options method, p, scale and cov; scale and cov are doubles or
   NULL. --- */

/* Returns the first name of a metric, from any name or the beginning of one. */
SEXP gg_r_metric(SEXP method, SEXP call);

/* Returns the distances below the diagonal of a square matrix of doubles. One that is not symmetric
   is an error, which begins with `name` and ends with `hint`; or NULL if hint is NULL. */
SEXP gg_r_square(SEXP square, SEXP name, SEXP hint, SEXP call);

/* True if a matrix of numbers has the form of distances. */
SEXP gg_r_looks_like_distances(SEXP x, SEXP call);

/* Returns a vector of distances. inputs: x, y; y NULL: within x. options: the metric, attributes
   (of the result, or NULL). */
SEXP gg_r_dist(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the library's version, or "". */
SEXP gg_r_hdf5_version(void);

/* Returns c(nrow, ncol) of points. */
SEXP gg_r_point_source_size(SEXP x, SEXP call);

/* Returns list(side, table) with a row for each tile: row, rows, column, columns. inputs: the
   numbers of points of x and of y (-1: within x) and of coordinates, as one vector. options: side
   or NULL. */
SEXP gg_r_tiles_plan(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns what tiles share, as a vector. inputs: x, y. options: the metric, warn (true to warn of
   distances that are missing in the whole matrix). */
SEXP gg_r_dist_metric_params(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the matrix of one tile. inputs: x, y. options: the metric, shared (or NULL), plan (points
   of x and of y or -1, side), tile (from 1), warn (true to warn of missing distances in it). */
SEXP gg_r_dist_tile(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Writes a file. inputs: x. options: the metric, file, file_name (or NULL), file_shape,
   file_precision, labels (or NULL). */
SEXP gg_r_dist_file_write(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(name, metric, size, shape, precision, tiles, tiles_done, labels) of a file. name: or
   NULL. */
SEXP gg_r_dist_file_info(SEXP file, SEXP name, SEXP call);

/* Returns a matrix of the distances between points of a file, numbered from 1 in doubles. */
SEXP gg_r_dist_file_read(SEXP file, SEXP name, SEXP rows, SEXP columns, SEXP call);

/* Returns all distances of a file as those of an object of class "dist". */
SEXP gg_r_dist_file_condensed(SEXP file, SEXP name, SEXP call);

/* Returns an external pointer without distances, and frees those of one. */
SEXP gg_r_dist_device_new(void);
SEXP gg_r_dist_device_free(SEXP pointer);

/* Computes distances that stay on a device. inputs: an external pointer, which gets them; x.
   options: the metric; or `overlap` for those by topological overlap, of x and a list of the
   options of gg_r_overlap(). */
SEXP gg_r_dist_device_make(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(size, metric, precision, device, devices, bytes); NULL for those of another session
   and for what is no pointer to distances. */
SEXP gg_r_dist_device_info(SEXP pointer);

/* Returns a matrix of the distances between points, numbered from 1 in doubles. */
SEXP gg_r_dist_device_read(SEXP pointer, SEXP rows, SEXP columns, SEXP call);

/* Returns all of them, condensed, with attributes. */
SEXP gg_r_dist_device_condensed(SEXP pointer, SEXP attributes, SEXP call);

/* Returns a vector of correlations. inputs: x, y. options
   added: covariance, attributes. */
SEXP gg_r_cor(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns a list of `connectivity`, a row for each column of x and a column for each power; `fit`,
   a row for each power (gg_scale_free_column); and `best`, the recommended power. inputs: x, NULL.
   options: those of correlations, of bicor, of gg_adjacency_options and of
   gg_soft_threshold_options; powerVector. */
SEXP gg_r_connectivity(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the weights of a network between the columns of x, or of x and y. inputs: x, y. options:
   those of correlations, of bicor and of gg_adjacency_options; given, true if x is a matrix of
   correlations; attributes. */
SEXP gg_r_network(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns topological overlaps as a matrix, or condensed. inputs: x, NULL. options added to those
   of gg_r_network(): those of gg_overlap_options. given: x is a matrix of weights. */
SEXP gg_r_overlap(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the proportionality of the columns of a table of counts, as a matrix or condensed.
   inputs: counts. options: those of gg_proportionality_options; iqlr; ivar, numbers of columns;
   attributes. */
SEXP gg_r_proportionality(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(Cov, Cor) of the basis of tables that are columns of one matrix. inputs: the matrix.
   options: those of gg_sparcc_options; parts, columns of a table; attributes of each result. */
SEXP gg_r_sparcc(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(eigengenes, averages, shares of the variance): matrices with a column for each
   module. inputs: x, NULL. options: module, of each gene from 1, or 0; modules and components,
   numbers; scale; align. */
SEXP gg_r_eigengenes(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(index, distance) of the k nearest neighbours: matrices with a row for each point.
   inputs: x, query; query NULL: within x. options added: the
   metric. */
SEXP gg_r_knn(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(count, index, distance) of the neighbours within a radius, those of each point after
   those of the one before. inputs: x, query. options added: the metric. */
SEXP gg_r_radius(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Return the same of distances of any source. */
SEXP gg_r_distances_knn(SEXP inputs, SEXP options, SEXP settings, SEXP call);
SEXP gg_r_distances_radius(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(from, to, distance, weight) of the edges between nearest neighbours, in the order of
   from < to, then to. inputs: index and distance, as gg_r_knn() returns them. options: weights, a
   name; mutual. */
SEXP gg_r_neighbor_edges(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(merge, height, order) as stats::hclust() numbers them. inputs: a matrix of points;
   or condensed distances and their number of points; or a file and the name of its dataset.
   options added: source ("points", "dist" or "file"); for points the metric. */
SEXP gg_r_hclust(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Numbers the clusters of n points as stats::hclust() does: points -1, -2, ..., merges 1, 2, ... */
void gg_r_number_clusters(int *merge, int *order, int64_t n);

/* Returns a vector of condensed distances. inputs: merge (integers) and height (doubles) of a
   clustering. options: attributes. */
SEXP gg_r_cophenetic(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(merge, order) as stats::hclust() numbers them. inputs: as of gg_r_read_distances()
   in distances.h. options added: those, and merge (integers) of a clustering. */
SEXP gg_r_leaf_order(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(i, j, distance) of the edges of a tree, points from 1. inputs and options: as of
   gg_r_read_distances() in distances.h. */
SEXP gg_r_mst(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the number of each point's cluster, 0 for none. inputs: as of gg_r_read_distances().
   options added: those. */
SEXP gg_r_dbscan(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(cluster, coredist, membership, outlier, merge, height, order, merge_node, nodes,
   salient, stability, parent): for each point; the dendrogram, and the node of each merge; each
   node as in package dbscan; for each cluster its node, and its stability; and the parent of each
   node. inputs: as of gg_r_read_distances(). options added: those. */
SEXP gg_r_hdbscan(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(of_cluster, within, ch, db, dunn, silhouette, dbcv), as gpugeo_validity() does.
   inputs: as of gg_r_read_distances(). options: those, too, and clusters, whole numbers from 0. */
SEXP gg_r_validity(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(rand, arithmetic, geometric, min, max), the last four those of mutual information.
   inputs: two vectors of as many whole numbers. There are no options. */
SEXP gg_r_agreement(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(order, reachdist, coredist, predecessor, eps), as gpugeo_optics() does, with numbers
   from 1. inputs: as of gg_r_read_distances(). options added: those. */
SEXP gg_r_optics(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the local outlier factors of the same inputs. */
SEXP gg_r_lof(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(neighbor, width). inputs: as of gg_r_read_distances(). options: those, too, and
   clusters, whole numbers from 1. */
SEXP gg_r_silhouette(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(medoids, clustering, objective, swaps, distance), and unless cluster_only neighbor,
   width, furthest, nearest, as gpugeo_pam() does, points from 1. inputs: as of
   gg_r_read_distances(). options added: those, medoids (integers from 1 or NULL), cluster.only.
 */
SEXP gg_r_pam(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(cluster, centers, withinss, size, totss, iter, ifault), as gpugeo_kmeans() does.
   inputs: the points. */
SEXP gg_r_kmeans(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Permutation tests ------------------------------------------------------------------------ */

/* Returns list(sums, total): a row of sums of squares of the points as they are and of each
   permutation, and the total one.
   inputs: as of gg_r_read_distances(), points are x in messages. options added: those,
   basis (a matrix of doubles) or group (integers from 0), groups, order (a matrix of integers from
   1, or the integers n and count: so many free permutations of n points are drawn), rows (true if
   the rows of the matrix are the permutations, false if its columns are). */
SEXP gg_r_permanova(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(statistic, ranks, classes): of the points as they are and of each permutation, and
   of each pair of points the rank of its distance and a factor, the first of classes or that of its
   group. inputs and options: those of gg_r_permanova(), with group, and classes, the names of pairs
   between groups and of those within each. Here and in gg_r_mrpp(), permutations are those of
   the groups, not of the points. */
SEXP gg_r_anosim(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(delta, group_mean, mean): the statistic of the points as they are and of each
   permutation, the mean distance within each group, and that of all pairs. inputs and options:
   those of gg_r_permanova(), with group. */
SEXP gg_r_mrpp(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the correlation of the points as they are and of each permutation. inputs: condensed
   distances and the number of their points, twice or, for a partial correlation, three times.
   options added: order, rows. */
SEXP gg_r_mantel(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the permutations that the options order and rows are for the functions above, from 0, a
   column for each. options: those, and inverse. For tests. */
SEXP gg_r_order(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(points, eigenvalue, residual, positive, trace, negative, smallest, constant, passes,
   converged), as gpugeo_pcoa() does; points is a matrix with k columns. inputs: as of
   gg_r_read_distances(). options added: those. */
SEXP gg_r_pcoa(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(conf, stress, iterations, converged), as gpugeo_mds() does; conf is a matrix with k
   columns. inputs: as of gg_r_read_distances(). options added: those. */
SEXP gg_r_mds(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(points, stress, iterations, cause, distance, fitted) of searches by gg_nmds(): an
   array of n, k and the number of starts, a value for each start, and of the last start the
   distance and the disparity of each pair. options: row and column, of each pair from 0; delta, in
   ascending order; starts, such an array; linear, strong, maxit, smin, sfgrmin, sratmax. R code has
   checked all of them. */
SEXP gg_r_nmds(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Points ----------------------------------------------------------------------------------- */

/* Returns list(i, j, distance, ties) of the closest pairs. inputs: x, y. */
SEXP gg_r_closest(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns a future of collisions that has not begun. labels: list(rows, groups, x, y), names of the
   rows of x and of the groups, each text or NULL, and for pairs the points. */
SEXP gg_r_collide_new(SEXP labels);

/* Begins it, and waits for it unless `launch`. inputs: x, y, the future. options
   added: launch. */
SEXP gg_r_collide_begin(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Waits for a future and returns its value. inputs: the future. options: function, its name in
   the report. */
SEXP gg_r_collide_result(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* True if it is finished; NA when it is none of this process. */
SEXP gg_r_collide_done(SEXP future);

/* Cancels and frees it. It may be freed already. */
SEXP gg_r_collide_free(SEXP future);

/* Cancels and frees all. */
void gg_r_collide_release(void);

/* --- Distance geometry ------------------------------------------------------------------------ */

/* Returns a list of what gpu_dgp() returns; row numbers as text. inputs: d. */
SEXP gg_r_dgp(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns all sums. inputs: d. */
SEXP gg_r_dgp_sums(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns distances. options: n, seed. */
SEXP gg_r_dgp_instance(SEXP options, SEXP call);

/* Returns list(edges, first, vertices) of a file: a matrix of u, v, lower, upper with vertices
   counted from 1, and the file's number of vertex 1. inputs: the path. options: format or NULL. */
SEXP gg_r_dgp_file(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns what gpu_dgp_graph() returns, vertices as numbers from 1. inputs: the edges. options
   added: labels (text or NULL). */
SEXP gg_r_dgp_graph(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Sequences -------------------------------------------------------------------------------- */

/* Returns list(codes, lengths, names) of a FASTA file: all codes in a raw vector. inputs: path. */
SEXP gg_r_fasta(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(codes, lengths) of a character vector. */
SEXP gg_r_dna_encode(SEXP letters, SEXP call);

/* Returns list(distances, variance, model). inputs: codes and lengths, or a raw matrix and NULL;
   names or NULL. */
SEXP gg_r_dist_dna(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(distances, model). inputs: a character vector. */
SEXP gg_r_dist_aa(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(distances, method). inputs: a character vector, and another one or NULL. */
SEXP gg_r_dist_edit(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(count, index, distance). inputs: likewise. */
SEXP gg_r_edit_neighbors(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(edge, edge.length, support, edges, lengths): nodes count from 0, supports are -1
   where there is none, and the last two are NULL unless the option `trees` is true. inputs: those
   of C_dist_dna. */
SEXP gg_r_boot_phylo(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns a vector of distances. inputs: a matrix of alleles. */
SEXP gg_r_dist_alleles(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Samples on trees. inputs: a matrix, a list of the elements of a "phylo", and the number of
   the tip of each column. --- */

/* Returns a vector of distances. */
SEXP gg_r_unifrac(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns Faith's diversity of each sample. */
SEXP gg_r_faith(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Layouts. A graph is list(vertices, edges, first, weights, names) with whole numbers, a matrix
   of two columns, the first vertex's number, doubles or NULL, and text or NULL. --- */

/* Returns list(positions, iterations, converged, energy, temperature, backend, algorithm, pivots,
   stress), the last three NULL but for layouts by stress. inputs: the graph.
   options added: callback. */
SEXP gg_r_layout(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(stress, scale, neighborhood, edge_variation, crossings, crossings_error, energy,
   pivots). inputs: the graph, the positions. */
SEXP gg_r_layout_quality(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns a matrix of the lengths of the edges in each pixel, a column for each row of the image.
   inputs: the graph, the positions. options added: xlim, ylim (two doubles each). */
SEXP gg_r_layout_raster(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns a matrix of distances, a row for each of the vertices in `from` or, without, for each
   vertex. inputs: the graph. */
SEXP gg_r_graph_distances(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Writes a layout to a file. inputs: the graph as for gg_r_layout(), positions, names of the
   vertices or NULL. options: file, format. Returns NULL. */
SEXP gg_r_graph_write(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(from, to, weight, first, vertices, header, gaps) of a file of edges, weight NULL
   where it has none, the last two as in gpugeo_edge_file. inputs: the path. options: first, which
   is 0, 1 or NULL; header, which is 0, 1, or -1 or NULL. */
SEXP gg_r_edges(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(edges, weights) of an adjacency matrix, a matrix of vertices from 1 with a row for
   each edge; NULL of a matrix that lists edges. */
SEXP gg_r_adjacency(SEXP graph, SEXP call);

/* --- Trees ---------------------------------------------------------------------------------- */

/* Returns list(edge, edge.length) of the tree by neighbour joining, nodes from 1. inputs: as of
   gg_r_hclust(). */
SEXP gg_r_nj(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the same of the dendrogram by a linkage. inputs and options: as of gg_r_hclust(). */
SEXP gg_r_upgma(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(edge, edge.length, tip.label, Nnode, node.label, root.edge) of a tree in the Newick
   format, NULL for what it does not have. inputs: the path, or the text, and NULL for the other. */
SEXP gg_r_newick_read(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Writes a tree to a file and returns NULL, or returns its text. inputs: a list with the elements
   of an object of class "phylo", whose edges are integers and lengths doubles; the path, or NULL.
 */
SEXP gg_r_newick_write(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the matrix of the distances between the tips of a tree. inputs: the tree, as above. */
SEXP gg_r_tree_distances(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- Communities ------------------------------------------------------------------------------ */

/* Returns list(p, i, x, samples, taxa, sample_data, taxon_data) of a BIOM file: the slots of a
   matrix of samples by taxa that is compressed by columns, the names, and named lists of vectors,
   or matrices of a column for each sample or taxon. inputs: the path. */
SEXP gg_r_biom_read(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* --- The package ------------------------------------------------------------------------------ */

/* Returns a value as messages show it. */
SEXP gg_r_show(SEXP value);

/* Returns the message of a name (common/messages.h). */
SEXP gg_r_message(SEXP name, SEXP call);

/* Raises the error "<argument> must be <allowed>, not <value>". */
SEXP gg_r_fail_given(SEXP value, SEXP argument, SEXP allowed, SEXP call);

/* Returns the number, from 1, of the one of the choices (strings) that a value names or begins. */
SEXP gg_r_choose(SEXP value, SEXP choices, SEXP argument, SEXP call);

/* Returns a value that must be TRUE or FALSE. */
SEXP gg_r_check_flag(SEXP value, SEXP argument, SEXP call);

/* Returns a list with an element for each table of the core's options: a list with an element
   list(default, may_be_null, choices) for each option. */
SEXP gg_r_options(void);

/* Raises the error of the first setting that is not valid. */
SEXP gg_r_check_memory(SEXP bytes, SEXP what, SEXP argument, SEXP call);
SEXP gg_r_check_settings(SEXP settings, SEXP call);

/* Returns a warning about the environment, or NULL. */
SEXP gg_r_unknown_setting(void);

/* Returns the names of gpugeo's options in a pairlist of options that are not among those known,
   NULL if there is none. */
SEXP gg_r_unknown_options(SEXP options, SEXP known);

/* True if a pairlist of options has one of gpugeo's, or one of the named settings has its
   environment variable. */
SEXP gg_r_any_setting(SEXP options, SEXP names);

/* Returns a named list like `builtin`, in which the value of each setting is that of `given`, else
   that of its option, else convert(name, text) of its environment variable. given: a list for the
   first settings of builtin; NULL: not given. */
SEXP gg_r_find_settings(SEXP builtin, SEXP given, SEXP convert);

/* Returns the message of each environment variable that is not valid, named by it. */
SEXP gg_r_invalid_variables(void);

/* Standardizes a table: list(values, first, second, number, MARGIN, method, negative, undefined,
   stored, names), the fields of gpugeo_decostand_numbers; stored: values are those that the sparse
   table stores. inputs: the table. options: those of gpugeo_decostand_options. */
SEXP gg_r_decostand(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns the diversity of the rows of a table, or of groups of them, by gpugeo_diversity_options.
 */
SEXP gg_r_diversity(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(S, se) of all rows and samples. inputs: the table and the samples. options: se. */
SEXP gg_r_expected_species(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns an index of beta diversity for all pairs. inputs: the numbers of species, and Manhattan
   distances of presences. options: those of gpugeo_betadiver_options. */
SEXP gg_r_betadiver(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns list(first, second) of the contributions of species to the dissimilarities between two
   groups: averages and standard deviations, or, with an order, numbers of permutations. inputs: the
   table, values at least 0. options: group, 1, 2 or 0 for each site, or NULL for all pairs; order,
   a matrix with a permutation in each column, from 1, and average, that of each species; or NULL. R
   code has checked all of them. */
SEXP gg_r_simper(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Returns random subsamples of communities by R's generator, as vegan::rrarefy() draws them.
   counts: those of each site, one site after the other; first: where each begins, and the end;
   sample: the individuals to draw from each site. Counts and samples are whole numbers as doubles.
 */
SEXP gg_r_rarefy(SEXP counts, SEXP first, SEXP sample);

/* Returns list(version, simd, threads, backends, devices, cuda_library). */
SEXP gg_r_info(void);

/* Installs a CUDA library or removes it. inputs: from, a downloaded file. options: sha256, remove.
   Returns NULL if the file must be downloaded first, list(removed, text), or list(file, sha256,
   version, architectures, device, reason, text). */
SEXP gg_r_cuda_install(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Raises an error. inputs: an address that cannot be downloaded, and why. */
SEXP gg_r_cuda_download_failed(SEXP inputs, SEXP options, SEXP settings, SEXP call);

/* Names the CUDA library, a string; "": none. Returns NULL. */
SEXP gg_r_name_cuda_library(SEXP file);

/* Returns the memory to the system that is kept between calls, on the host and on devices. */
SEXP gg_r_release_memory(void);

/* Ends running computations and frees everything, before the library is unloaded. */
SEXP gg_r_release(void);

#endif

/*
 * The list of all functions of gpugeo.h, for what must name every one of them: gpugeo_r.h, and the
 * R package, which registers them.
 *
 * FUNCTION(type, name, parameters, arguments) for `type gpugeo_name parameters`, and
 * PROCEDURE(name, parameters, arguments) for one that returns nothing; arguments passes the
 * parameters on.
 */
#ifndef GPUGEO_FUNCTIONS_H
#define GPUGEO_FUNCTIONS_H

/* clang-format off */
#define GPUGEO_FUNCTIONS(FUNCTION, PROCEDURE) \
  FUNCTION(const char *, version, (void), ()) \
  PROCEDURE(run_init, (gpugeo_run *run, size_t size), (run, size)) \
  FUNCTION(gpugeo_status, find, (gpugeo_enum kind, const char *name, int32_t *value, \
      gpugeo_error *error), (kind, name, value, error)) \
  FUNCTION(const char *, name, (gpugeo_enum kind, int32_t value), (kind, value)) \
  FUNCTION(int32_t, default_threads, (void), ()) \
  FUNCTION(const char *, simd, (void), ()) \
  FUNCTION(gpugeo_status, backend_available, (gpugeo_backend backend, gpugeo_error *error), \
      (backend, error)) \
  FUNCTION(int32_t, device_count, (void), ()) \
  FUNCTION(gpugeo_status, device_get, (int32_t device, gpugeo_device *info, \
      gpugeo_error *error), (device, info, error)) \
  PROCEDURE(cuda_library_get, (gpugeo_cuda_library *library), (library)) \
  PROCEDURE(cuda_library_set, (const char *file), (file)) \
  PROCEDURE(release, (void), ()) \
  PROCEDURE(dist_options_init, (gpugeo_dist_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, dist_size, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_dist_options *options, gpugeo_type type, int64_t *size, \
      gpugeo_error *error), (x, y, options, type, size, error)) \
  FUNCTION(gpugeo_status, dist, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_dist_options *options, gpugeo_type type, void *out, gpugeo_report *report, \
      gpugeo_error *error), (x, y, options, type, out, report, error)) \
  FUNCTION(const char *, hdf5_version, (void), ()) \
  FUNCTION(gpugeo_status, point_source_size, (const gpugeo_point_source *x, int64_t *nrow, int64_t *ncol, \
      gpugeo_error *error), (x, nrow, ncol, error)) \
  FUNCTION(gpugeo_status, tiles_plan, (int64_t nx, int64_t ny, int64_t m, int64_t side, \
      int64_t memory, gpugeo_tiles *tiles, gpugeo_error *error), (nx, ny, m, side, memory, \
      tiles, error)) \
  FUNCTION(gpugeo_status, tiles_get, (const gpugeo_tiles *tiles, int64_t index, \
      gpugeo_tile *tile, gpugeo_error *error), (tiles, index, tile, error)) \
  FUNCTION(gpugeo_status, dist_metric_params_size, (const gpugeo_point_source *x, const gpugeo_point_source *y, \
      const gpugeo_dist_options *options, int64_t *size, gpugeo_error *error), (x, y, options, \
      size, error)) \
  FUNCTION(gpugeo_status, dist_metric_params, (const gpugeo_point_source *x, const gpugeo_point_source *y, \
      const gpugeo_dist_options *options, double *shared, gpugeo_report *report, \
      gpugeo_error *error), (x, y, options, shared, report, error)) \
  FUNCTION(gpugeo_status, dist_tile, (const gpugeo_point_source *x, const gpugeo_point_source *y, \
      const gpugeo_dist_options *options, const double *shared, int64_t shared_length, \
      const gpugeo_tiles *tiles, int64_t index, gpugeo_type type, void *out, \
      gpugeo_report *report, gpugeo_error *error), (x, y, options, shared, shared_length, \
      tiles, index, type, out, report, error)) \
  PROCEDURE(dist_file_options_init, (gpugeo_dist_file_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, dist_file_write, (const gpugeo_point_source *x, \
      const gpugeo_dist_options *options, const gpugeo_dist_file_options *file_options, \
      gpugeo_report *report, gpugeo_error *error), (x, options, file_options, report, error)) \
  FUNCTION(gpugeo_status, dist_file_open, (const char *file, const char *name, \
      gpugeo_dist_file **opened, gpugeo_dist_file_info *info, gpugeo_error *error), (file, \
      name, opened, info, error)) \
  PROCEDURE(dist_file_close, (gpugeo_dist_file *file), (file)) \
  FUNCTION(const char *, dist_file_label, (const gpugeo_dist_file *file, int64_t point), \
      (file, point)) \
  FUNCTION(gpugeo_status, dist_file_read, (const gpugeo_dist_file *file, const int64_t *rows, \
      int64_t row_count, const int64_t *columns, int64_t column_count, double missing, \
      double *out, gpugeo_error *error), (file, rows, row_count, columns, column_count, \
      missing, out, error)) \
  FUNCTION(gpugeo_status, dist_device_make, (const gpugeo_matrix *x, \
      const gpugeo_dist_options *options, gpugeo_dist_device **made, gpugeo_report *report, \
      gpugeo_error *error), (x, options, made, report, error)) \
  PROCEDURE(dist_device_free, (gpugeo_dist_device *distances), (distances)) \
  PROCEDURE(dist_device_get, (const gpugeo_dist_device *distances, \
      gpugeo_dist_device_info *info), (distances, info)) \
  FUNCTION(gpugeo_status, dist_device_read, (const gpugeo_dist_device *distances, \
      const int64_t *rows, int64_t row_count, const int64_t *columns, int64_t column_count, \
      double *out, gpugeo_error *error), (distances, rows, row_count, columns, column_count, \
      out, error)) \
  FUNCTION(gpugeo_status, dist_device_copy, (const gpugeo_dist_device *distances, double *out, \
      gpugeo_error *error), (distances, out, error)) \
  PROCEDURE(dist_lazy_free, (gpugeo_dist_lazy *distances), (distances)) \
  FUNCTION(gpugeo_status, distances_points, (const gpugeo_distances *x, gpugeo_points points, \
      int64_t *n, gpugeo_error *error), (x, points, n, error)) \
  PROCEDURE(cor_options_init, (gpugeo_cor_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, cor_size, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_cor_options *options, gpugeo_type type, int64_t *size, \
      gpugeo_error *error), (x, y, options, type, size, error)) \
  FUNCTION(gpugeo_status, cor, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_cor_options *options, gpugeo_type type, void *out, gpugeo_report *report, \
      gpugeo_error *error), (x, y, options, type, out, report, error)) \
  PROCEDURE(knn_options_init, (gpugeo_knn_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, knn_size, (const gpugeo_matrix *x, const gpugeo_matrix *query, \
      const gpugeo_knn_options *options, int64_t *size, gpugeo_error *error), (x, query, \
      options, size, error)) \
  FUNCTION(gpugeo_status, knn, (const gpugeo_matrix *x, const gpugeo_matrix *query, \
      const gpugeo_knn_options *options, int32_t *index, double *distance, \
      gpugeo_report *report, gpugeo_error *error), (x, query, options, index, distance, \
      report, error)) \
  FUNCTION(gpugeo_status, radius, (const gpugeo_matrix *x, const gpugeo_matrix *query, \
      const gpugeo_knn_options *options, gpugeo_neighbors *neighbors, gpugeo_report *report, \
      gpugeo_error *error), (x, query, options, neighbors, report, error)) \
  FUNCTION(gpugeo_status, distances_knn, (const gpugeo_distances *x, \
      const gpugeo_knn_options *options, int32_t *index, double *distance, \
      gpugeo_report *report, gpugeo_error *error), (x, options, index, distance, report, error)) \
  FUNCTION(gpugeo_status, distances_radius, (const gpugeo_distances *x, \
      const gpugeo_knn_options *options, gpugeo_neighbors *neighbors, gpugeo_report *report, \
      gpugeo_error *error), (x, options, neighbors, report, error)) \
  PROCEDURE(neighbors_free, (gpugeo_neighbors *neighbors), (neighbors)) \
  PROCEDURE(hclust_options_init, (gpugeo_hclust_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, hclust, (const gpugeo_distances *d, \
      const gpugeo_hclust_options *options, int32_t *merge, double *height, int32_t *order, \
      gpugeo_report *report, gpugeo_error *error), \
      (d, options, merge, height, order, report, error)) \
  FUNCTION(gpugeo_status, cophenetic, (int64_t n, const int32_t *merge, const double *height, \
      const gpugeo_run *run, double *out, gpugeo_report *report, gpugeo_error *error), \
      (n, merge, height, run, out, report, error)) \
  PROCEDURE(leaf_order_options_init, (gpugeo_leaf_order_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, leaf_order, (const gpugeo_distances *d, const int32_t *merge, \
      int64_t merges, const gpugeo_leaf_order_options *options, gpugeo_leaf_order_result *result, \
      gpugeo_report *report, gpugeo_error *error), \
      (d, merge, merges, options, result, report, error)) \
  PROCEDURE(mst_options_init, (gpugeo_mst_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, mst, (const gpugeo_distances *x, const gpugeo_mst_options *options, \
      int32_t *i, int32_t *j, double *distance, gpugeo_report *report, gpugeo_error *error), \
      (x, options, i, j, distance, report, error)) \
  PROCEDURE(dbscan_options_init, (gpugeo_dbscan_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, dbscan, (const gpugeo_distances *x, \
      const gpugeo_dbscan_options *options, int32_t *cluster, int32_t *core, \
      gpugeo_report *report, gpugeo_error *error), (x, options, cluster, core, report, error)) \
  PROCEDURE(optics_options_init, (gpugeo_optics_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, optics, (const gpugeo_distances *x, \
      const gpugeo_optics_options *options, gpugeo_optics_result *result, gpugeo_report *report, \
      gpugeo_error *error), (x, options, result, report, error)) \
  PROCEDURE(lof_options_init, (gpugeo_lof_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, lof, (const gpugeo_distances *x, const gpugeo_lof_options *options, \
      double *factor, gpugeo_report *report, gpugeo_error *error), (x, options, factor, report, \
      error)) \
  PROCEDURE(hdbscan_options_init, (gpugeo_hdbscan_options *options, size_t size), (options, \
      size)) \
  FUNCTION(gpugeo_status, hdbscan, (const gpugeo_distances *x, \
      const gpugeo_hdbscan_options *options, gpugeo_hdbscan_result *result, \
      gpugeo_report *report, gpugeo_error *error), (x, options, result, report, error)) \
  PROCEDURE(silhouette_options_init, (gpugeo_silhouette_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, silhouette, (const gpugeo_distances *x, const int32_t *cluster, \
      int64_t cluster_length, const gpugeo_silhouette_options *options, int32_t *neighbor, \
      double *width, gpugeo_report *report, gpugeo_error *error), \
      (x, cluster, cluster_length, options, neighbor, width, report, error)) \
  PROCEDURE(pam_options_init, (gpugeo_pam_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, pam, (const gpugeo_distances *x, const gpugeo_pam_options *options, \
      gpugeo_pam_result *result, gpugeo_report *report, gpugeo_error *error), \
      (x, options, result, report, error)) \
  PROCEDURE(kmeans_options_init, (gpugeo_kmeans_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, kmeans, (const gpugeo_matrix *x, const gpugeo_kmeans_options *options, \
      gpugeo_kmeans_result *result, gpugeo_report *report, gpugeo_error *error), \
      (x, options, result, report, error)) \
  PROCEDURE(validity_options_init, (gpugeo_validity_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, validity, (const gpugeo_distances *x, const int32_t *cluster, \
      int64_t cluster_length, const gpugeo_validity_options *options, \
      gpugeo_validity_result *result, gpugeo_report *report, gpugeo_error *error), (x, cluster, \
      cluster_length, options, result, report, error)) \
  FUNCTION(gpugeo_status, agreement, (const int32_t *a, const int32_t *b, int64_t n, \
      gpugeo_agreement_result *result, gpugeo_error *error), (a, b, n, result, error)) \
  PROCEDURE(permanova_options_init, (gpugeo_permanova_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, permanova, (const gpugeo_distances *x, \
      const gpugeo_permanova_options *options, const gpugeo_design *design, double *sums, \
      double *total, gpugeo_report *report, gpugeo_error *error), (x, options, design, sums, \
      total, report, error)) \
  PROCEDURE(anosim_options_init, (gpugeo_anosim_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, anosim, (const gpugeo_distances *x, \
      const gpugeo_anosim_options *options, const gpugeo_design *design, double *statistic, \
      double *ranks, gpugeo_report *report, gpugeo_error *error), (x, options, design, statistic, \
      ranks, report, error)) \
  PROCEDURE(mrpp_options_init, (gpugeo_mrpp_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, mrpp, (const gpugeo_distances *x, \
      const gpugeo_mrpp_options *options, const gpugeo_design *design, double *delta, \
      double *group_mean, double *mean, gpugeo_report *report, gpugeo_error *error), (x, options, \
      design, delta, group_mean, mean, report, error)) \
  PROCEDURE(mantel_options_init, (gpugeo_mantel_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, mantel, (const gpugeo_distances *x, const gpugeo_distances *y, \
      const gpugeo_distances *z, const gpugeo_mantel_options *options, const int32_t *order, \
      int64_t permutations, double *statistic, gpugeo_report *report, gpugeo_error *error), (x, y, \
      z, options, order, permutations, statistic, report, error)) \
  PROCEDURE(pcoa_options_init, (gpugeo_pcoa_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, pcoa, (const gpugeo_distances *x, const gpugeo_pcoa_options *options, \
      gpugeo_pcoa_result *result, gpugeo_report *report, gpugeo_error *error), (x, options, \
      result, report, error)) \
  PROCEDURE(mds_options_init, (gpugeo_mds_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, mds, (const gpugeo_distances *x, const gpugeo_mds_options *options, \
      gpugeo_mds_result *result, gpugeo_report *report, gpugeo_error *error), (x, options, \
      result, report, error)) \
  PROCEDURE(closest_options_init, (gpugeo_closest_options *options, size_t size), (options, \
      size)) \
  FUNCTION(gpugeo_status, closest_pair_size, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_closest_options *options, int64_t *size, gpugeo_error *error), (x, y, \
      options, size, error)) \
  FUNCTION(gpugeo_status, closest_pair, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_closest_options *options, gpugeo_pair *pairs, int64_t *found, \
      int64_t *ties, gpugeo_report *report, gpugeo_error *error), (x, y, options, pairs, \
      found, ties, report, error)) \
  PROCEDURE(collisions_options_init, (gpugeo_collisions_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, collisions_launch, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_collisions_options *options, gpugeo_collisions **collisions, \
      gpugeo_error *error), (x, y, options, collisions, error)) \
  FUNCTION(gpugeo_status, collisions_compute, (const gpugeo_matrix *x, const gpugeo_matrix *y, \
      const gpugeo_collisions_options *options, gpugeo_collisions **collisions, \
      gpugeo_error *error), (x, y, options, collisions, error)) \
  FUNCTION(int32_t, collisions_done, (const gpugeo_collisions *collisions), (collisions)) \
  FUNCTION(gpugeo_status, collisions_wait, (gpugeo_collisions *collisions, \
      const gpugeo_run *run, int64_t *count, gpugeo_report *report, gpugeo_error *error), \
      (collisions, run, count, report, error)) \
  FUNCTION(gpugeo_status, collisions_per_point, (const gpugeo_collisions *collisions, \
      double *per_point, gpugeo_error *error), (collisions, per_point, error)) \
  FUNCTION(gpugeo_status, collisions_pairs, (const gpugeo_collisions *collisions, \
      gpugeo_type type, void *pairs, gpugeo_error *error), (collisions, type, pairs, error)) \
  FUNCTION(gpugeo_status, collisions_table, (const gpugeo_collisions *collisions, \
      double *table, gpugeo_error *error), (collisions, table, error)) \
  FUNCTION(gpugeo_status, collisions_distances, (const gpugeo_collisions *collisions, \
      const gpugeo_matrix *x, const gpugeo_matrix *y, double *distance, gpugeo_error *error), \
      (collisions, x, y, distance, error)) \
  PROCEDURE(collisions_free, (gpugeo_collisions *collisions), (collisions)) \
  FUNCTION(gpugeo_decimal, uint128_decimal, (gpugeo_uint128 number), (number)) \
  PROCEDURE(dgp_options_init, (gpugeo_dgp_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, dgp_size, (const double *d, int64_t n, \
      const gpugeo_dgp_options *options, int64_t *size, gpugeo_error *error), (d, n, options, \
      size, error)) \
  FUNCTION(gpugeo_status, dgp, (const double *d, int64_t n, const gpugeo_dgp_options *options, \
      gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions, gpugeo_report *report, \
      gpugeo_error *error), (d, n, options, result, solutions, report, error)) \
  PROCEDURE(dgp_positions, (const double *d, int64_t n, gpugeo_uint128 row, double *positions), \
      (d, n, row, positions)) \
  FUNCTION(gpugeo_status, dgp_sums_size, (const double *d, int64_t n, const gpugeo_run *run, \
      int64_t *size, gpugeo_error *error), (d, n, run, size, error)) \
  FUNCTION(gpugeo_status, dgp_sums, (const double *d, int64_t n, const gpugeo_run *run, \
      double *sums, gpugeo_report *report, gpugeo_error *error), (d, n, run, sums, report, \
      error)) \
  FUNCTION(gpugeo_status, dgp_instance, (int64_t n, uint64_t seed, double *d, \
      gpugeo_error *error), (n, seed, d, error)) \
  PROCEDURE(dgp_graph_options_init, (gpugeo_dgp_graph_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, dgp_graph_size, (int64_t vertices, const gpugeo_dgp_edge *edges, \
      int64_t edge_count, const gpugeo_dgp_graph_options *options, int64_t *size, \
      gpugeo_error *error), (vertices, edges, edge_count, options, size, error)) \
  FUNCTION(gpugeo_status, dgp_graph, (int64_t vertices, const gpugeo_dgp_edge *edges, \
      int64_t edge_count, const gpugeo_dgp_graph_options *options, \
      gpugeo_dgp_graph_result *result, double *positions, gpugeo_dgp_vertex *order, \
      gpugeo_report *report, gpugeo_error *error), (vertices, edges, edge_count, options, \
      result, positions, order, report, error)) \
  FUNCTION(gpugeo_status, dgp_file_read, (const char *path, const char *format, \
      const gpugeo_run *run, gpugeo_dgp_file *file, gpugeo_error *error), (path, format, run, \
      file, error)) \
  PROCEDURE(dgp_file_free, (gpugeo_dgp_file *file), (file)) \
  FUNCTION(gpugeo_status, edge_file_read, (const char *path, int64_t first, \
      int32_t header, const gpugeo_run *run, gpugeo_edge_file *file, gpugeo_error *error), (path, \
      first, header, run, file, error)) \
  PROCEDURE(edge_file_free, (gpugeo_edge_file *file), (file)) \
  FUNCTION(gpugeo_status, dist_alleles, (const gpugeo_matrix *x, const gpugeo_run *run, \
      double *out, gpugeo_report *report, gpugeo_error *error), (x, run, out, report, error)) \
  FUNCTION(gpugeo_status, fasta_read, (const char *path, gpugeo_letters letters, \
      const gpugeo_run *run, gpugeo_fasta *fasta, gpugeo_error *error), \
      (path, letters, run, fasta, error)) \
  PROCEDURE(fasta_free, (gpugeo_fasta *fasta), (fasta)) \
  FUNCTION(gpugeo_status, dna_encode, (const char *letters, int64_t length, uint8_t *codes, \
      int64_t *wrong, gpugeo_error *error), (letters, length, codes, wrong, error)) \
  PROCEDURE(dist_dna_options_init, (gpugeo_dist_dna_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, dist_dna_size, (const gpugeo_sequences *x, \
      const gpugeo_dist_dna_options *options, int64_t *size, gpugeo_error *error), \
      (x, options, size, error)) \
  FUNCTION(gpugeo_status, dist_dna, (const gpugeo_sequences *x, \
      const gpugeo_dist_dna_options *options, double *out, double *variance, \
      gpugeo_report *report, gpugeo_error *error), (x, options, out, variance, report, error)) \
  PROCEDURE(boot_phylo_options_init, (gpugeo_boot_phylo_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, boot_phylo, (const gpugeo_sequences *x, \
      const gpugeo_dist_dna_options *distances, const gpugeo_boot_phylo_options *options, \
      const gpugeo_boot_phylo_result *result, gpugeo_report *report, gpugeo_error *error), \
      (x, distances, options, result, report, error)) \
  FUNCTION(gpugeo_status, dist_dna_lazy, (const gpugeo_sequences *x, \
      const gpugeo_dist_dna_options *options, gpugeo_dist_lazy **made, gpugeo_report *report, \
      gpugeo_error *error), (x, options, made, report, error)) \
  PROCEDURE(dist_edit_options_init, (gpugeo_dist_edit_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, dist_edit, (const gpugeo_texts *x, const gpugeo_texts *y, \
      const gpugeo_dist_edit_options *options, double *out, gpugeo_report *report, \
      gpugeo_error *error), (x, y, options, out, report, error)) \
  PROCEDURE(dist_aa_options_init, (gpugeo_dist_aa_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, dist_aa, (const gpugeo_texts *x, const gpugeo_dist_aa_options *options, \
      double *out, gpugeo_report *report, gpugeo_error *error), \
      (x, options, out, report, error)) \
  FUNCTION(gpugeo_status, edit_neighbors, (const gpugeo_texts *x, const gpugeo_texts *y, \
      const gpugeo_dist_edit_options *options, gpugeo_neighbors *neighbors, \
      gpugeo_report *report, gpugeo_error *error), \
      (x, y, options, neighbors, report, error)) \
  PROCEDURE(unifrac_options_init, (gpugeo_unifrac_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, unifrac, (const gpugeo_matrix *x, const gpugeo_tree *tree, \
      const int32_t *tip, const gpugeo_unifrac_options *options, double *out, \
      gpugeo_report *report, gpugeo_error *error), (x, tree, tip, options, out, report, error)) \
  FUNCTION(gpugeo_status, unifrac_lazy, (const gpugeo_matrix *x, const gpugeo_tree *tree, \
      const int32_t *tip, const gpugeo_unifrac_options *options, gpugeo_dist_lazy **made, \
      gpugeo_report *report, gpugeo_error *error), (x, tree, tip, options, made, report, error)) \
  FUNCTION(gpugeo_status, faith, (const gpugeo_matrix *x, const gpugeo_tree *tree, \
      const int32_t *tip, const gpugeo_unifrac_options *options, double *out, \
      gpugeo_report *report, gpugeo_error *error), (x, tree, tip, options, out, report, error)) \
  PROCEDURE(decostand_options_init, (gpugeo_decostand_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, decostand, (const gpugeo_matrix *x, \
      const gpugeo_decostand_options *options, double *out, gpugeo_decostand_numbers *numbers, \
      gpugeo_report *report, gpugeo_error *error), (x, options, out, numbers, report, error)) \
  PROCEDURE(diversity_options_init, (gpugeo_diversity_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, diversity, (const gpugeo_matrix *x, \
      const gpugeo_diversity_options *options, double *out, gpugeo_report *report, \
      gpugeo_error *error), (x, options, out, report, error)) \
  FUNCTION(gpugeo_status, rarefy, (const gpugeo_matrix *x, const double *sample, \
      int64_t samples, const gpugeo_run *run, double *species, double *errors, \
      gpugeo_report *report, gpugeo_error *error), \
      (x, sample, samples, run, species, errors, report, error)) \
  PROCEDURE(betadiver_options_init, (gpugeo_betadiver_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, betadiver, (int64_t n, const double *species, \
      const gpugeo_betadiver_options *options, double *d, gpugeo_report *report, \
      gpugeo_error *error), (n, species, options, d, report, error)) \
  PROCEDURE(layout_options_init, (gpugeo_layout_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, layout_size, (const gpugeo_graph *graph, \
      const gpugeo_layout_options *options, int64_t *size, gpugeo_error *error), (graph, \
      options, size, error)) \
  FUNCTION(gpugeo_status, layout, (const gpugeo_graph *graph, \
      const gpugeo_layout_options *options, double *positions, gpugeo_layout_result *result, \
      gpugeo_report *report, gpugeo_error *error), (graph, options, positions, result, report, \
      error)) \
  PROCEDURE(layout_quality_options_init, (gpugeo_layout_quality_options *options, \
      size_t size), (options, size)) \
  FUNCTION(gpugeo_status, layout_quality, (const gpugeo_graph *graph, \
      const gpugeo_matrix *positions, const gpugeo_layout_quality_options *options, \
      gpugeo_layout_quality_result *quality, gpugeo_report *report, gpugeo_error *error), \
      (graph, positions, options, quality, report, error)) \
  PROCEDURE(layout_raster_options_init, (gpugeo_layout_raster_options *options, size_t size), \
      (options, size)) \
  FUNCTION(gpugeo_status, layout_raster, (const gpugeo_graph *graph, \
      const gpugeo_matrix *positions, const gpugeo_layout_raster_options *options, \
      double *lines, gpugeo_report *report, gpugeo_error *error), \
      (graph, positions, options, lines, report, error)) \
  FUNCTION(gpugeo_status, graph_write, (const gpugeo_graph *graph, \
      const gpugeo_matrix *positions, const char *path, gpugeo_graph_format format, \
      const gpugeo_run *run, gpugeo_error *error), (graph, positions, path, format, run, error)) \
  PROCEDURE(graph_distances_options_init, (gpugeo_graph_distances_options *options, \
      size_t size), (options, size)) \
  FUNCTION(gpugeo_status, graph_distances_size, (const gpugeo_graph *graph, \
      const gpugeo_graph_distances_options *options, int64_t *size, gpugeo_error *error), \
      (graph, options, size, error)) \
  FUNCTION(gpugeo_status, graph_distances, (const gpugeo_graph *graph, \
      const gpugeo_graph_distances_options *options, double *distances, gpugeo_report *report, \
      gpugeo_error *error), (graph, options, distances, report, error)) \
  PROCEDURE(nj_options_init, (gpugeo_nj_options *options, size_t size), (options, size)) \
  FUNCTION(gpugeo_status, nj, (const gpugeo_distances *d, const gpugeo_nj_options *options, \
      int32_t *edge, double *length, gpugeo_report *report, gpugeo_error *error), (d, options, \
      edge, length, report, error)) \
  FUNCTION(gpugeo_status, hclust_tree, (int64_t n, const int32_t *merge, const double *height, \
      int32_t *edge, double *length, gpugeo_error *error), (n, merge, height, edge, length, \
      error)) \
  FUNCTION(gpugeo_status, newick_read, (const char *path, const char *text, \
      const gpugeo_run *run, gpugeo_newick *newick, gpugeo_error *error), (path, text, run, \
      newick, error)) \
  PROCEDURE(newick_free, (gpugeo_newick *newick), (newick)) \
  FUNCTION(gpugeo_status, newick_write, (const gpugeo_tree *tree, const char *path, \
      const gpugeo_run *run, char **text, gpugeo_error *error), (tree, path, run, text, error)) \
  PROCEDURE(newick_text_free, (char *text), (text)) \
  FUNCTION(gpugeo_status, tree_distances, (const gpugeo_tree *tree, const gpugeo_run *run, \
      double *out, gpugeo_report *report, gpugeo_error *error), (tree, run, out, report, error)) \
  FUNCTION(gpugeo_status, biom_read, (const char *path, const gpugeo_run *run, gpugeo_biom *biom, \
      gpugeo_error *error), (path, run, biom, error)) \
  PROCEDURE(biom_free, (gpugeo_biom *biom), (biom))
/* clang-format on */

#endif

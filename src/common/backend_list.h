/*
 * The list of families and of the functions of a backend. The numbers and titles of families, the
 * tables of backends, the declarations of their functions and cuda's gates of exceptions are made
 * from it.
 */
#ifndef GG_BACKEND_LIST_H
#define GG_BACKEND_LIST_H

/* A family's algorithms as bits: 1 << gpugeo_closest_algorithm, 1 << gpugeo_dgp_algorithm,
   1 << gpugeo_dna_model, 1 << gpugeo_unifrac_type, 1 << gpugeo_mds_type, and 1 << gpugeo_mds_type +
   GPUGEO_MDS_TYPE_COUNT for squares. */
#define GG_ALGORITHM(algorithm)       (1u << (algorithm))
#define GG_ALL_ALGORITHMS             (~0u)
#define GG_NO_ALGORITHMS              0u

/* clang-format off */

/*
 * What a call computes: FAMILY(name, algorithms of CUDA, title in error messages). The CPU has all
 * algorithms of all families but GG_FAMILY_DIST_DEVICE. Families without an algorithm of CUDA are
 * computed by the core, on the host. CUDA's linkages are those that rounds of pairs can merge, and
 * its type of scaling is the only one whose comparison with the distances is the same in each
 * iteration. Of the models of DNA it lacks those that need more than counts of a pair, of the types
 * of UniFrac those whose terms are no differences of coordinates.
 */
#define GG_FAMILY_LIST(FAMILY) \
  FAMILY(DIST, GG_ALL_ALGORITHMS, "distances") \
  FAMILY(RANK_PAIRS, GG_ALL_ALGORITHMS, "pairwise complete Spearman correlations") \
  FAMILY(KNN, GG_ALL_ALGORITHMS, "nearest neighbours") \
  FAMILY(RADIUS, GG_ALL_ALGORITHMS, "neighbours within a radius") \
  FAMILY(CLOSEST, ~GG_ALGORITHM(GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER), "closest pairs") \
  FAMILY(COLLIDE, GG_ALL_ALGORITHMS, "collisions") \
  FAMILY(DGP, ~GG_ALGORITHM(GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE), "distance geometry") \
  FAMILY(DGP_SUMS, GG_ALL_ALGORITHMS, "the sums of distance geometry") \
  FAMILY(DGP_GRAPH, GG_NO_ALGORITHMS, "graphs") \
  FAMILY(DIST_DNA, \
         ~(GG_ALGORITHM(GPUGEO_DNA_MODEL_GG95) | GG_ALGORITHM(GPUGEO_DNA_MODEL_INDELBLOCK)), \
         "distances of DNA") \
  FAMILY(SEQUENCES, GG_NO_ALGORITHMS, "distances of sequences") \
  FAMILY(COMMUNITIES, GG_NO_ALGORITHMS, "communities") \
  FAMILY(UNIFRAC, \
         ~(GG_ALGORITHM(GPUGEO_UNIFRAC_TYPE_GENERALIZED) | \
           GG_ALGORITHM(GPUGEO_UNIFRAC_TYPE_VARIANCE)), \
         "UniFrac distances") \
  FAMILY(LAYOUT, GG_ALL_ALGORITHMS, "layouts") \
  FAMILY(STRESS, GG_ALL_ALGORITHMS, "layouts by stress") \
  FAMILY(QUALITY, GG_NO_ALGORITHMS, "the quality of layouts") \
  FAMILY(GRAPH_DISTANCES, GG_ALL_ALGORITHMS, "distances in graphs") \
  FAMILY(RASTER, GG_ALL_ALGORITHMS, "images of layouts") \
  FAMILY(HCLUST, ~(GG_ALGORITHM(GPUGEO_LINKAGE_CENTROID) | GG_ALGORITHM(GPUGEO_LINKAGE_MEDIAN)), \
         "hierarchical clustering") \
  FAMILY(NJ, GG_ALL_ALGORITHMS, "neighbour joining") \
  FAMILY(MST, GG_ALL_ALGORITHMS, "minimum spanning trees") \
  FAMILY(DBSCAN, GG_ALL_ALGORITHMS, "clusters by density") \
  FAMILY(COPHENETIC, GG_NO_ALGORITHMS, "cophenetic distances") \
  FAMILY(HDBSCAN, GG_ALL_ALGORITHMS, "hierarchical clusters by density") \
  FAMILY(KENDALL, GG_ALL_ALGORITHMS, "Kendall correlations") \
  FAMILY(DCOR, GG_NO_ALGORITHMS, "distance correlations") \
  FAMILY(PERMUTED_SUMS, GG_ALL_ALGORITHMS, "permutation tests") \
  FAMILY(MANTEL, GG_ALL_ALGORITHMS, "Mantel tests") \
  FAMILY(DIST_DEVICE, GG_ALL_ALGORITHMS, "distances that stay on a device") \
  FAMILY(PCOA, GG_ALL_ALGORITHMS, "principal coordinates") \
  FAMILY(MRPP, GG_ALL_ALGORITHMS, "MRPP") \
  FAMILY(MDS, GG_ALGORITHM(GPUGEO_MDS_TYPE_RATIO), "multidimensional scaling") \
  FAMILY(SILHOUETTE, GG_ALL_ALGORITHMS, "silhouettes") \
  FAMILY(KMEANS, GG_NO_ALGORITHMS, "k-means")

/*
 * The functions that compute: PLAN(name, plan) for those that fill what their plan points to, and
 * RESULT(name, plan, result). Each adds to the report's notes and device_seconds. The plans and
 * results are structs of the families.
 *
 * radius: expects ny + 1 zeros in result->start. hdbscan: finds the tree of mutual reachability,
 * and fills plan->core. hclust: writes n - 1 merges. pcoa: fills plan->result. mds: moves plan->x,
 * and fills plan->result but for the coordinates; a backend that has it has pcoa.
 */
#define GG_BACKEND_FUNCTIONS(PLAN, RESULT) \
  PLAN(dist, gg_dist_plan) \
  PLAN(rank_pairs, gg_rank_plan) \
  PLAN(kendall, gg_kendall_plan) \
  PLAN(knn, gg_knn_plan) \
  RESULT(radius, gg_radius_plan, gpugeo_neighbors) \
  RESULT(mst, gg_pairs, gg_mst_result) \
  PLAN(dbscan, gg_dbscan_plan) \
  RESULT(hdbscan, gg_reach_plan, gg_mst_result) \
  RESULT(closest, gg_closest_plan, gg_closest_result) \
  RESULT(collide, gg_collide_plan, gg_collide_result) \
  PLAN(dgp, gg_dgp_plan) \
  PLAN(dgp_sums, gg_dgp_sums_plan) \
  RESULT(layout, gg_layout_plan, gg_layout_outcome) \
  RESULT(hclust, gg_hclust_plan, gg_merge) \
  PLAN(permuted_sums, gg_permuted_sums_plan) \
  PLAN(mantel, gg_mantel_plan) \
  PLAN(pcoa, gg_pcoa_plan) \
  PLAN(mds, gg_mds_plan)

/*
 * The functions that the CPU lacks, where the core computes the same.
 *
 * dist_device_make: computes distances to memory of the device, to result->values, which stays
 * there until release() or dist_device_free(): both set it to NULL. inspect_points: finds out what
 * distances depend on (point_facts.h), and may keep the points on the device, which free_points()
 * frees. whitening: factors a covariance for Mahalanobis' distance. silhouette: adds up distances
 * where it computes them. graph_distances: fills plan->distances. raster: adds to plan->image
 * and plan->bins. dist_dna: fills plan->out and plan->variance. stress: lays out a graph of more
 * vertices than pivots. nj: fills plan->joins and the rest.
 */
#define GG_DEVICE_FUNCTIONS(PLAN, RESULT) \
  PLAN(dist_dna, gg_dna_plan) \
  RESULT(nj, gg_nj_plan, gg_nj_rest) \
  RESULT(dist_device_make, gg_dist_plan, gpugeo_dist_device) \
  RESULT(inspect_points, gg_inspect_plan, gg_point_facts) \
  RESULT(whitening, gg_whitening_plan, gg_whitening_result) \
  RESULT(silhouette, gg_silhouette_plan, gg_silhouette_outcome) \
  PLAN(graph_distances, gg_paths_plan) \
  PLAN(raster, gg_raster_plan) \
  RESULT(stress, gg_stress_plan, gg_stress_outcome)
/* clang-format on */

/* The parameters of both kinds of functions, as a backend's table has them. */
#define GG_PLAN_PARAMETERS(plan_type) const plan_type *plan, gg_call *call
#define GG_RESULT_PARAMETERS(plan_type, result_type)                                               \
  const plan_type *plan, result_type *result, gg_call *call

#endif

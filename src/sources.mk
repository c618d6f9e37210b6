# The one list of sources, for Makefile, R's Makevars and Octave's package, by family. Names are
# relative to src/. make lint compares it with what is there.

COMMON_OBJECTS = common/backend.o common/box_tree.o common/call.o common/cgroup.o common/clock.o \
  common/context.o common/error.o common/file.o common/fma.o common/given.o common/h5_dataset.o \
  common/h5_file.o common/inspect.o common/memory.o common/messages.o common/names.o \
  common/new_file.o common/number.o common/option_table.o common/options.o common/pages.o common/parallel.o \
  common/platform_posix.o common/platform_windows.o common/radix.o common/settings.o common/sha256.o common/sparse.o \
  common/symmetric_eigen.o common/text_file.o common/thread_flags.o common/thread_pool.o

DIST_OBJECTS = distance/bicor.o distance/column_spread.o distance/connectivity.o distance/cor.o distance/covariance.o \
  distance/cpu/dist.o \
  distance/cpu/kd_neighbors.o distance/cpu/kd_tree.o distance/cpu/kendall.o \
  distance/cpu/kendall_merge.o distance/cpu/knn.o distance/cpu/radius.o distance/cpu/rank.o \
  distance/cpu/read_tiles.o distance/cpu/tiles.o distance/dist.o distance/dist_device.o distance/dist_device_lazy.o distance/dist_source.o \
  distance/distance_call.o distance/distance_correlation.o distance/file/dist_file.o \
  distance/file/h5_dist.o distance/file/h5_points.o distance/file/store.o \
  distance/file/writer.o distance/gower.o distance/kendall.o distance/knn.o \
  distance/metric_params.o distance/missing_rows.o distance/neighbor_weights.o distance/network.o \
  distance/overlap.o distance/overlap_lazy.o distance/plan.o distance/point_facts.o distance/point_source.o \
  distance/proportionality.o distance/pseudoinverse.o distance/rank.o distance/scale_free.o distance/sorted_column.o \
  distance/sparcc.o \
  distance/sphere_search.o distance/square.o distance/tiles.o distance/weighted_columns.o

POINTS_OBJECTS = points/closest.o points/collide.o points/collide_chords.o points/collide_result.o \
  points/cpu/closest.o points/cpu/closest_best.o points/cpu/closest_divide.o \
  points/cpu/closest_grid.o points/cpu/closest_locations.o points/cpu/closest_sorted_axis.o \
  points/cpu/closest_sweep.o points/cpu/collide.o points/cpu/collide_all.o \
  points/cpu/collide_bulk.o points/cpu/collide_grid.o points/cpu/collide_lattice.o \
  points/cpu/collide_search.o points/cpu/collide_slow.o points/cpu/collide_sphere.o \
  points/cpu/collide_tree.o points/cpu/grid.o points/future.o points/points.o points/sphere_plan.o

LAYOUT_OBJECTS = layout/component_layouts.o layout/components.o layout/compromise.o \
  layout/constraints.o layout/contraction.o \
  layout/cpu/layout.o layout/cpu/repulsion.o layout/cpu/tree.o \
  layout/csr.o layout/csr_file.o layout/edge_lines.o layout/edges.o layout/energy.o layout/graph_distances.o layout/graph_file.o \
  layout/graph_matrix.o layout/graphml.o layout/iterations.o layout/layout.o layout/lengths.o layout/log_sum.o \
  layout/majorization.o layout/matching.o layout/multilevel.o layout/packing.o layout/paths.o \
  layout/pivot_axes.o layout/pivot_scaling.o layout/pivots.o layout/placed_layouts.o layout/quality/crossings.o \
  layout/quality/neighborhood.o layout/quality/quality.o layout/quality/stress.o \
  layout/raster.o layout/raster_host.o layout/stress_forces.o layout/stress_layout.o layout/vertex_names.o

DGP_OBJECTS = dgp/adjacency.o dgp/block.o dgp/cpu/dgp.o dgp/cpu/exhaustive.o dgp/cpu/meet.o \
  dgp/cpu/tree.o dgp/cpu/work.o dgp/dgp.o dgp/distinct.o dgp/graph.o dgp/graph_units.o \
  dgp/mdjeep.o dgp/problem.o dgp/select.o

SEQUENCES_OBJECTS = sequences/aa_model.o sequences/alleles.o sequences/common_sites.o \
  sequences/dist_aa.o sequences/dist_dna.o sequences/dist_edit.o sequences/dna_backend.o \
  sequences/dna_codes.o sequences/dna_distance.o \
  sequences/dna_resample.o sequences/edit_distance.o sequences/edit_index.o sequences/fasta.o \
  sequences/gamma_rates.o sequences/gap_blocks.o sequences/pair_counts.o sequences/site_columns.o \
  sequences/site_planes.o sequences/text_codes.o

CLUSTER_OBJECTS = cluster/clusters.o cluster/columns.o cluster/condense.o cluster/cophenetic.o \
  cluster/cpu/centroids.o cluster/cpu/core_tiles.o cluster/cpu/dbscan.o cluster/cpu/generic.o \
  cluster/cpu/hclust.o cluster/cpu/mst_kd.o cluster/cpu/mst_odd.o cluster/cpu/mst_tiles.o \
  cluster/cpu/single.o cluster/cpu/working.o cluster/dbscan.o \
  cluster/forest.o cluster/hclust.o cluster/hdbscan.o cluster/kmeans.o \
  cluster/kmeans_hartigan.o cluster/kmeans_lloyd.o cluster/kmeans_steps.o cluster/leaf_order.o cluster/medoids.o cluster/merges.o \
  cluster/mst.o cluster/pairs.o cluster/pam.o cluster/silhouette.o cluster/silhouette_sums.o \
  cluster/agreement.o cluster/dbcv.o cluster/lof.o cluster/optics.o cluster/validity.o cluster/validity_centers.o

ORDINATION_OBJECTS = ordination/anosim.o ordination/cpu/add_sums.o ordination/cpu/mantel.o \
  ordination/cpu/mds.o ordination/cpu/pcoa.o ordination/eigengenes.o ordination/krylov.o ordination/mantel.o \
  ordination/mds.o ordination/mds_fit.o ordination/mds_solve.o ordination/mds_squares.o \
  ordination/monotone.o ordination/mrpp.o ordination/nmds.o ordination/pcoa.o ordination/pcoa_solve.o ordination/permanova.o \
  ordination/permuted_sums.o ordination/ranks.o ordination/tested.o

TREES_OBJECTS = trees/boot_phylo.o trees/edges_in_order.o trees/hclust_tree.o trees/joining.o \
  trees/newick_read.o trees/newick_write.o trees/nj.o trees/pair_search.o trees/split_counts.o \
  trees/tree_check.o trees/tree_distances.o

COMMUNITIES_OBJECTS = communities/arena.o communities/betadiver.o communities/biom.o \
  communities/branches.o communities/decostand.o communities/diversity.o communities/h5_table.o \
  communities/rarefy.o communities/simper.o communities/table.o communities/unifrac.o

BACKENDS_OBJECTS = backends/backends.o backends/cuda.o backends/cuda_file.o \
  backends/cuda_install.o

# Kernels: NAME_FORM.o is made of NAME.c with -DGG_FORM=FORM, see common/lanes.h.
KERNEL_OBJECTS = \
  cluster/cpu/linkage_kernels_generic.o cluster/cpu/linkage_kernels_128.o \
  cluster/cpu/linkage_kernels_avx2.o cluster/cpu/linkage_kernels_avx512.o \
  cluster/kmeans_kernels_generic.o cluster/kmeans_kernels_128.o \
  cluster/kmeans_kernels_avx2.o cluster/kmeans_kernels_avx512.o \
  cluster/max_plus_generic.o cluster/max_plus_128.o \
  cluster/max_plus_avx2.o cluster/max_plus_avx512.o \
  communities/branch_kernels_generic.o communities/branch_kernels_128.o \
  communities/branch_kernels_avx2.o communities/branch_kernels_avx512.o \
  communities/simper_kernels_generic.o communities/simper_kernels_128.o \
  communities/simper_kernels_avx2.o communities/simper_kernels_avx512.o \
  dgp/cpu/count_generic.o dgp/cpu/count_128.o \
  dgp/cpu/count_avx2.o dgp/cpu/count_avx512.o \
  distance/cpu/kd_search_generic.o distance/cpu/kd_search_128.o \
  distance/cpu/kd_search_avx2.o distance/cpu/kd_search_avx512.o \
  distance/cpu/kernel_f32_generic.o distance/cpu/kernel_f32_128.o \
  distance/cpu/kernel_f32_avx2.o distance/cpu/kernel_f32_avx512.o \
  distance/cpu/kernel_f64_generic.o distance/cpu/kernel_f64_128.o \
  distance/cpu/kernel_f64_avx2.o distance/cpu/kernel_f64_avx512.o \
  distance/cpu/pair_bits_generic.o distance/cpu/pair_bits_128.o \
  distance/cpu/pair_bits_avx2.o distance/cpu/pair_bits_avx512.o \
  layout/cpu/repel_generic.o layout/cpu/repel_128.o \
  layout/cpu/repel_avx2.o layout/cpu/repel_avx512.o \
  layout/term_kernels_f32_generic.o layout/term_kernels_f32_128.o \
  layout/term_kernels_f32_avx2.o layout/term_kernels_f32_avx512.o \
  layout/term_kernels_f64_generic.o layout/term_kernels_f64_128.o \
  layout/term_kernels_f64_avx2.o layout/term_kernels_f64_avx512.o \
  ordination/cpu/mds_kernels_generic.o ordination/cpu/mds_kernels_128.o \
  ordination/cpu/mds_kernels_avx2.o ordination/cpu/mds_kernels_avx512.o \
  ordination/cpu/panels_kernels_generic.o ordination/cpu/panels_kernels_128.o \
  ordination/cpu/panels_kernels_avx2.o ordination/cpu/panels_kernels_avx512.o \
  ordination/cpu/sums_kernels_generic.o ordination/cpu/sums_kernels_128.o \
  ordination/cpu/sums_kernels_avx2.o ordination/cpu/sums_kernels_avx512.o \
  ordination/nmds_kernels_generic.o ordination/nmds_kernels_128.o \
  ordination/nmds_kernels_avx2.o ordination/nmds_kernels_avx512.o \
  points/cpu/collide_kernels_generic.o points/cpu/collide_kernels_128.o \
  points/cpu/collide_kernels_avx2.o points/cpu/collide_kernels_avx512.o \
  sequences/count_kernels_generic.o sequences/count_kernels_128.o \
  sequences/count_kernels_avx2.o sequences/count_kernels_avx512.o

CORE_OBJECTS = $(KERNEL_OBJECTS) $(COMMON_OBJECTS) $(DIST_OBJECTS) $(POINTS_OBJECTS) \
  $(LAYOUT_OBJECTS) $(DGP_OBJECTS) $(SEQUENCES_OBJECTS) $(CLUSTER_OBJECTS) $(ORDINATION_OBJECTS) \
  $(TREES_OBJECTS) $(COMMUNITIES_OBJECTS) $(BACKENDS_OBJECTS)

# First those that take the compiler longest: none of them is then compiled alone at the end.
CUDA_SLOW_OBJECTS = cuda/distance/tile_f64.o cuda/distance/tile_f32.o cuda/points/collide_grid.o \
  cuda/distance/outside_search.o cuda/distance/tree_search.o cuda/dgp/meet.o cuda/points/closest.o

CUDA_COMMON_OBJECTS = cuda/common/chunks.o cuda/common/device.o cuda/common/divided_memory.o \
  cuda/common/download.o cuda/common/expand.o cuda/common/fetch.o cuda/common/place.o \
  cuda/common/sparse_rows.o cuda/common/team.o cuda/common/transpose.o cuda/common/upload.o

CUDA_DIST_OBJECTS = cuda/distance/dist.o cuda/distance/dist_device.o cuda/distance/fill_resident.o \
  cuda/distance/inspect_points.o cuda/distance/kendall.o cuda/distance/knn.o \
  cuda/distance/knn_filter.o cuda/distance/neighbor_search.o cuda/distance/neighbor_tree.o \
  cuda/distance/neighbors.o cuda/distance/point_loader.o cuda/distance/point_ranks.o \
  cuda/distance/prepare.o cuda/distance/pseudoinverse.o cuda/distance/radius.o \
  cuda/distance/rank.o cuda/distance/sparse_panels.o cuda/distance/whitening.o

CUDA_POINTS_OBJECTS = cuda/points/closest_result.o cuda/points/closest_search.o \
  cuda/points/closest_sweep.o cuda/points/collide.o cuda/points/collide_all.o \
  cuda/points/collide_launches.o cuda/points/grid.o cuda/points/locations.o \
  cuda/points/point_sieve.o cuda/points/point_tree.o

CUDA_LAYOUT_OBJECTS = cuda/layout/exact.o cuda/layout/graph_distances.o cuda/layout/layout.o \
  cuda/layout/move.o cuda/layout/paths.o cuda/layout/raster.o cuda/layout/stress.o \
  cuda/layout/stress_move.o cuda/layout/stress_pivots.o cuda/layout/stress_scaling.o \
  cuda/layout/tree.o cuda/layout/walk.o

CUDA_DGP_OBJECTS = cuda/dgp/dgp.o cuda/dgp/ranges.o cuda/dgp/rows.o cuda/dgp/signs.o \
  cuda/dgp/sums.o

CUDA_CLUSTER_OBJECTS = cuda/cluster/centroid_search.o cuda/cluster/centroids.o \
  cuda/cluster/components.o cuda/cluster/dbscan.o cuda/cluster/divided.o \
  cuda/cluster/divided_rounds.o cuda/cluster/hclust.o cuda/cluster/in_place.o cuda/cluster/mst.o \
  cuda/cluster/mst_pairs.o cuda/cluster/rounds.o cuda/cluster/silhouette.o \
  cuda/cluster/spanning_tree.o

CUDA_ORDINATION_OBJECTS = cuda/ordination/mantel.o cuda/ordination/mds.o cuda/ordination/pcoa.o \
  cuda/ordination/permuted_sums.o cuda/ordination/sum_chain.o cuda/ordination/tested.o

CUDA_SEQUENCES_OBJECTS = cuda/sequences/dist_dna.o cuda/trees/nj.o

CUDA_OBJECTS = $(CUDA_SLOW_OBJECTS) cuda/backend.o cuda/core.o $(CUDA_COMMON_OBJECTS) \
  $(CUDA_DIST_OBJECTS) $(CUDA_POINTS_OBJECTS) $(CUDA_LAYOUT_OBJECTS) $(CUDA_DGP_OBJECTS) \
  $(CUDA_CLUSTER_OBJECTS) $(CUDA_ORDINATION_OBJECTS) $(CUDA_SEQUENCES_OBJECTS)

# Compiled for each architecture by itself: with instructions of a later one (exhaustive, product,
# basis_sums), or with cub's sizes for each (sort). Of the others, PTX of the first architecture
# gives the same code.
CUDA_ARCH_OBJECTS = cuda/common/sort.o cuda/dgp/exhaustive.o cuda/distance/product.o \
  cuda/ordination/basis_sums.o

R_OBJECTS = r/call.o r/closest.o r/collide.o r/communities.o r/convert.o r/density.o r/dgp.o \
  r/dgp_graph.o r/dist.o r/dist_device.o r/dist_file.o r/distances.o r/edit.o \
  r/free_permutations.o r/hclust.o r/indices.o r/info.o \
  r/init.o r/install.o r/knn.o r/layout.o r/mds.o r/neighbor_edges.o r/pam.o \
  r/permutation_tests.o r/phylo.o r/rarefy.o r/sequences.o r/settings.o r/tiles.o r/trees.o r/twister.o r/unifrac.o \
  r/validity.o

# The one list of sources, for Makefile, R's Makevars and Octave's package. Names are relative to src/.
# make lint compares it with what is there.

CORE_OBJECTS = backend.o cgroup.o clock.o closest.o collide.o context.o cor.o covariance.o dgp.o dgp_block.o \
  dist_file.o dist_store.o dist_writer.o h5_dataset.o h5_dist.o h5_file.o h5_points.o share.o source.o tiles.o \
  dgp_distinct.o dgp_graph.o dgp_problem.o dgp_select.o dist.o error.o given.o graph.o knn.o mdjeep.o memory.o \
  edges.o file.o layout.o layout_apart.o layout_arcs.o layout_choose.o layout_coarse.o layout_components.o \
  layout_crossings.o \
  layout_energy.o layout_graph.o layout_iterate.o layout_levels.o layout_match.o layout_merge.o \
  layout_neighborhood.o layout_pack.o parallel.o \
  layout_quality.o layout_small.o layout_start.o layout_stress.o layout_sum.o \
  metric.o missing_rows.o number.o options.o points.o promise.o radix.o rank.o scan.o settings.o text_file.o wide.o worker.o cpu/backend.o cpu/closest.o \
  cpu/closest_best.o \
  cpu/closest_divide.o cpu/closest_grid.o cpu/closest_line.o cpu/closest_places.o \
  cpu/closest_sweep.o cpu/closest_tree.o cpu/collide.o cpu/collide_all.o cpu/collide_avx2.o cpu/collide_avx512.o \
  cpu/collide_bulk.o cpu/collide_generic.o cpu/collide_grid.o cpu/collide_lattice.o \
  cpu/collide_slow.o cpu/collide_tree.o cpu/dgp.o cpu/dgp_avx2.o cpu/dgp_avx512.o \
  cpu/dgp_exhaustive.o cpu/dgp_generic.o cpu/dgp_meet.o cpu/dgp_tree.o cpu/dist.o \
  cpu/dist_avx2_f32.o cpu/dist_avx2_f64.o cpu/dist_avx512_f32.o cpu/dist_avx512_f64.o \
  cpu/dist_generic_f32.o cpu/dist_generic_f64.o cpu/grid.o cpu/knn.o cpu/layout.o \
  cpu/layout_avx2.o cpu/layout_avx512.o cpu/layout_attraction.o cpu/layout_generic.o \
  cpu/layout_pull_avx2.o cpu/layout_pull_avx512.o cpu/layout_pull_generic.o \
  cpu/layout_repulsion.o cpu/layout_tree.o cpu/radius.o cpu/rank.o cpu/tiles.o

CUDA_OBJECTS = cuda/chunks.o cuda/closest.o cuda/collide.o cuda/collide_all.o cuda/collide_grid.o \
  cuda/device.o cuda/dgp.o cuda/dgp_exhaustive.o cuda/dgp_meet.o cuda/dgp_rows.o cuda/dgp_signs.o \
  cuda/dgp_sums.o cuda/dist.o cuda/dist_f32.o cuda/dist_f64.o cuda/download.o cuda/fetch.o \
  cuda/grid.o cuda/knn.o cuda/knn_filter.o cuda/layout.o cuda/layout_exact.o cuda/layout_move.o \
  cuda/layout_tree.o cuda/layout_walk.o cuda/locations.o cuda/neighbors.o cuda/point_sieve.o \
  cuda/point_tree.o cuda/prepare.o cuda/product.o cuda/radius.o cuda/rank.o cuda/sort.o \
  cuda/team.o cuda/upload.o

R_OBJECTS = r/closest.o r/collide.o r/convert.o r/cor.o r/dgp.o r/dgp_graph.o r/dist.o r/dist_file.o r/info.o r/init.o r/knn.o \
  r/layout.o r/result_memory.o r/run.o r/tiles.o

/* Registration: what R calls, and what C code of other packages calls (gpugeo_r.h). */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "entry.h"
#include "result_memory.h"

#define ENTRY(name, arguments)                                                                     \
  { #name, (DL_FUNC)(void (*)(void)) & gg_r_##name, arguments }
static const R_CallMethodDef entries[] = {
    ENTRY(hdf5_version, 0),
    ENTRY(source_size, 2),
    ENTRY(tiles_plan, 4),
    ENTRY(dist_share, 5),
    ENTRY(dist_tile, 9),
    ENTRY(dist_file_write, 6),
    ENTRY(dist_file_info, 3),
    ENTRY(dist_file_read, 5),
    ENTRY(metric, 2),
    ENTRY(dist, 10),
    ENTRY(cor, 8),
    ENTRY(knn, 7),
    ENTRY(radius, 7),
    ENTRY(closest, 11),
    ENTRY(collide_new, 1),
    ENTRY(collide_begin, 7),
    ENTRY(collide_result, 5),
    ENTRY(collide_done, 1),
    ENTRY(collide_free, 1),
    ENTRY(dgp, 10),
    ENTRY(dgp_rows, 4),
    ENTRY(dgp_instance, 3),
    ENTRY(dgp_file, 4),
    ENTRY(dgp_graph, 7),
    ENTRY(info, 0),
    ENTRY(show, 1),
    ENTRY(check_settings, 2),
    ENTRY(unknown_setting, 0),
    ENTRY(release, 0),
    ENTRY(release_memory, 0),
    ENTRY(result_memory, 0),
    ENTRY(layout, 5),
    ENTRY(layout_quality, 6),
    ENTRY(edges, 4),
    {NULL, NULL, 0},
};

#define PUBLIC(name)                                                                               \
  { #name, (DL_FUNC)(void (*)(void)) & name }
static const struct {
  const char *name;
  DL_FUNC function;
} public_api[] = {
    PUBLIC(gpugeo_run_init),
    PUBLIC(gpugeo_backend_find),
    PUBLIC(gpugeo_precision_find),
    PUBLIC(gpugeo_backend_name),
    PUBLIC(gpugeo_default_threads),
    PUBLIC(gpugeo_simd),
    PUBLIC(gpugeo_backend_available),
    PUBLIC(gpugeo_device_count),
    PUBLIC(gpugeo_device_get),
    PUBLIC(gpugeo_release),
    PUBLIC(gpugeo_metric_find),
    PUBLIC(gpugeo_metric_name),
    PUBLIC(gpugeo_dist_options_init),
    PUBLIC(gpugeo_dist_size),
    PUBLIC(gpugeo_dist),
    PUBLIC(gpugeo_hdf5_version),
    PUBLIC(gpugeo_source_size),
    PUBLIC(gpugeo_tiles_plan),
    PUBLIC(gpugeo_tiles_get),
    PUBLIC(gpugeo_dist_share_size),
    PUBLIC(gpugeo_dist_share),
    PUBLIC(gpugeo_dist_tile),
    PUBLIC(gpugeo_dist_file_options_init),
    PUBLIC(gpugeo_dist_file_write),
    PUBLIC(gpugeo_dist_file_open),
    PUBLIC(gpugeo_dist_file_close),
    PUBLIC(gpugeo_dist_file_label),
    PUBLIC(gpugeo_dist_file_read),
    PUBLIC(gpugeo_cor_method_find),
    PUBLIC(gpugeo_cor_use_find),
    PUBLIC(gpugeo_cor_options_init),
    PUBLIC(gpugeo_cor_size),
    PUBLIC(gpugeo_cor),
    PUBLIC(gpugeo_knn_options_init),
    PUBLIC(gpugeo_knn_size),
    PUBLIC(gpugeo_knn),
    PUBLIC(gpugeo_radius),
    PUBLIC(gpugeo_neighbors_free),
    PUBLIC(gpugeo_closest_metric_find),
    PUBLIC(gpugeo_closest_method_find),
    PUBLIC(gpugeo_closest_method_name),
    PUBLIC(gpugeo_closest_options_init),
    PUBLIC(gpugeo_closest_pair_size),
    PUBLIC(gpugeo_closest_pair),
    PUBLIC(gpugeo_collisions_what_find),
    PUBLIC(gpugeo_collisions_method_find),
    PUBLIC(gpugeo_collisions_options_init),
    PUBLIC(gpugeo_collisions_launch),
    PUBLIC(gpugeo_collisions_compute),
    PUBLIC(gpugeo_collisions_done),
    PUBLIC(gpugeo_collisions_wait),
    PUBLIC(gpugeo_collisions_per_point),
    PUBLIC(gpugeo_collisions_pairs),
    PUBLIC(gpugeo_collisions_table),
    PUBLIC(gpugeo_collisions_free),
    PUBLIC(gpugeo_dgp_method_find),
    PUBLIC(gpugeo_dgp_method_name),
    PUBLIC(gpugeo_wide_decimal),
    PUBLIC(gpugeo_dgp_options_init),
    PUBLIC(gpugeo_dgp_size),
    PUBLIC(gpugeo_dgp),
    PUBLIC(gpugeo_dgp_positions),
    PUBLIC(gpugeo_dgp_rows_size),
    PUBLIC(gpugeo_dgp_rows),
    PUBLIC(gpugeo_dgp_instance),
    PUBLIC(gpugeo_dgp_graph_options_init),
    PUBLIC(gpugeo_dgp_graph_size),
    PUBLIC(gpugeo_dgp_graph),
    PUBLIC(gpugeo_dgp_file_read),
    PUBLIC(gpugeo_dgp_file_free),
    PUBLIC(gpugeo_edge_file_read),
    PUBLIC(gpugeo_edge_file_free),
    PUBLIC(gpugeo_layout_repulsion_find),
    PUBLIC(gpugeo_layout_repulsion_name),
    PUBLIC(gpugeo_layout_options_init),
    PUBLIC(gpugeo_layout_size),
    PUBLIC(gpugeo_layout),
    PUBLIC(gpugeo_layout_quality_options_init),
    PUBLIC(gpugeo_layout_quality),
};

void attribute_visible R_init_gpugeo(DllInfo *library) {
  R_registerRoutines(library, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
  for (size_t i = 0; i < sizeof public_api / sizeof *public_api; ++i)
    R_RegisterCCallable("gpugeo", public_api[i].name, public_api[i].function);
}

SEXP gg_r_release_memory(void) {
  gg_r_result_release();
  gpugeo_release();
  return R_NilValue;
}

/* Not R_unload_gpugeo(): R does not find it where it may not look up symbols. */
SEXP gg_r_release(void) {
  gg_r_collide_release();
  return gg_r_release_memory();
}

/* Registration of the functions that R calls, and of those that C code of other packages calls
   (gpugeo_r.h). */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "entry.h"
#include "gpugeo_functions.h"

#define ENTRY(name, arguments)                                                                     \
  { #name, (DL_FUNC)(void (*)(void)) & gg_r_##name, arguments }
/* Takes inputs, options, settings and call. */
#define FAMILY(name) ENTRY(name, 4)
static const R_CallMethodDef entries[] = {
    FAMILY(dist_metric_params),
    FAMILY(dist_tile),
    FAMILY(dist_file_write),
    FAMILY(dist),
    FAMILY(cor),
    FAMILY(connectivity),
    FAMILY(network),
    FAMILY(overlap),
    FAMILY(proportionality),
    FAMILY(sparcc),
    FAMILY(eigengenes),
    FAMILY(knn),
    FAMILY(radius),
    FAMILY(distances_knn),
    FAMILY(distances_radius),
    FAMILY(hclust),
    FAMILY(cophenetic),
    FAMILY(leaf_order),
    FAMILY(mst),
    FAMILY(dbscan),
    FAMILY(hdbscan),
    FAMILY(optics),
    FAMILY(lof),
    FAMILY(silhouette),
    FAMILY(pam),
    FAMILY(kmeans),
    FAMILY(validity),
    FAMILY(agreement),
    FAMILY(permanova),
    FAMILY(anosim),
    FAMILY(mrpp),
    FAMILY(mantel),
    FAMILY(order),
    FAMILY(pcoa),
    FAMILY(mds),
    FAMILY(nmds),
    FAMILY(closest),
    FAMILY(collide_begin),
    FAMILY(collide_result),
    FAMILY(dgp),
    FAMILY(dgp_sums),
    FAMILY(dgp_file),
    FAMILY(dgp_graph),
    FAMILY(fasta),
    FAMILY(dist_dna),
    FAMILY(dist_alleles),
    FAMILY(boot_phylo),
    FAMILY(dist_aa),
    FAMILY(decostand),
    FAMILY(diversity),
    FAMILY(expected_species),
    FAMILY(betadiver),
    FAMILY(simper),
    FAMILY(dist_edit),
    FAMILY(edit_neighbors),
    FAMILY(layout),
    FAMILY(layout_quality),
    FAMILY(layout_raster),
    FAMILY(graph_distances),
    FAMILY(edges),
    FAMILY(graph_write),
    FAMILY(nj),
    FAMILY(upgma),
    FAMILY(newick_read),
    FAMILY(newick_write),
    FAMILY(tree_distances),
    FAMILY(biom_read),
    FAMILY(unifrac),
    FAMILY(faith),
    ENTRY(hdf5_version, 0),
    ENTRY(point_source_size, 2),
    FAMILY(tiles_plan),
    ENTRY(dist_file_info, 3),
    ENTRY(dist_file_read, 5),
    ENTRY(dist_file_condensed, 3),
    ENTRY(dist_device_new, 0),
    FAMILY(dist_device_make),
    ENTRY(dist_device_free, 1),
    ENTRY(dist_device_info, 1),
    ENTRY(dist_device_read, 4),
    ENTRY(dist_device_condensed, 3),
    ENTRY(metric, 2),
    ENTRY(square, 4),
    ENTRY(looks_like_distances, 2),
    ENTRY(neighbor_edges, 4),
    ENTRY(rarefy, 3),
    ENTRY(collide_new, 1),
    ENTRY(collide_done, 1),
    ENTRY(collide_free, 1),
    ENTRY(dgp_instance, 2),
    ENTRY(dna_encode, 2),
    ENTRY(adjacency, 2),
    ENTRY(info, 0),
    ENTRY(name_cuda_library, 1),
    FAMILY(cuda_install),
    FAMILY(cuda_download_failed),
    ENTRY(show, 1),
    ENTRY(message, 2),
    ENTRY(options, 0),
    ENTRY(fail_given, 4),
    ENTRY(choose, 4),
    ENTRY(check_flag, 3),
    ENTRY(check_memory, 4),
    ENTRY(check_settings, 2),
    ENTRY(unknown_setting, 0),
    ENTRY(unknown_options, 2),
    ENTRY(any_setting, 2),
    ENTRY(find_settings, 3),
    ENTRY(invalid_variables, 0),
    ENTRY(release, 0),
    ENTRY(release_memory, 0),
    {NULL, NULL, 0},
};

/* Registers one function of gpugeo.h for C code of other packages; its type is checked. */
#define REGISTER(type, name, parameters, arguments)                                                \
  {                                                                                                \
    type(*const function) parameters = gpugeo_##name;                                              \
    R_RegisterCCallable("gpugeo", "gpugeo_" #name, (DL_FUNC)(void (*)(void))function);             \
  }
#define REGISTER_PROCEDURE(name, parameters, arguments) REGISTER(void, name, parameters, arguments)

/* Registers the public functions for other R packages. */
static void register_public_api(void) { GPUGEO_FUNCTIONS(REGISTER, REGISTER_PROCEDURE) }

void attribute_visible R_init_gpugeo(DllInfo *library) {
  R_registerRoutines(library, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
  register_public_api();
}

SEXP gg_r_release_memory(void) {
  gpugeo_release();
  return R_NilValue;
}

/* Releases everything when the package is unloaded. Not R_unload_gpugeo(), which R does not find
   because it may not look up symbols. */
SEXP gg_r_release(void) {
  gg_r_collide_release();
  return gg_r_release_memory();
}

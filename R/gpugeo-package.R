#' gpugeo: fast geometry on the CPU and the GPU
#'
#' * Distance matrices: [gpu_dist()] is a drop-in replacement for [stats::dist()] with more metrics;
#'   [gpu_cdist()] computes the distances between the rows of two matrices; [gpu_metric()] gives a
#'   metric its parameters; [gpu_cor()] and [gpu_cov()] compute correlations and covariances as
#'   [stats::cor()] and [stats::cov()] do.
#' * Neighbours: [gpu_knn()] and [gpu_radius()] by any of the metrics, [gpu_neighbor_graph()] for
#'   their graph.
#' * Clusters: [gpu_hclust()] clusters hierarchically, [gpu_cophenetic()] computes the cophenetic
#'   distances of a tree and [gpu_seriate()] its optimal order of leaves, [gpu_mst()] finds minimum
#'   spanning trees, [gpu_dbscan()] and [gpu_hdbscan()] cluster by density, [gpu_optics()] orders
#'   points by it, [gpu_lof()] rates outliers, [gpu_kmeans()] and [gpu_pam()] cluster around means
#'   and medoids. [gpu_silhouette()] computes silhouettes, [gpu_validity()] other indices of
#'   clusterings and [gpu_clus_gap()] the gap statistic.
#' * Permutation tests: [gpu_adonis2()] for the analysis of variance of distances (PERMANOVA),
#'   [gpu_pairwise_adonis()] for that of each pair of groups,
#'   [gpu_anosim()] for that of their ranks, [gpu_mrpp()] for their means within groups,
#'   [gpu_mantel()] for their correlation, [gpu_betadisper()] for the spread of groups.
#' * Ordination: [gpu_pcoa()] finds principal coordinates of distances, [gpu_mds()] finds points
#'   whose distances fit given ones by least squares.
#' * Points in one to three dimensions: [gpu_closest_pair()] finds the closest pairs
#'   of millions of points, [gpu_collisions()] all pairs within a distance.
#' * Graphs: [gpu_layout()] computes layouts, [gpu_layout_quality()] measures their quality,
#'   [gpu_graph_distances()] finds shortest paths, [gpu_read_edges()] reads graphs from a file.
#' * Samples of taxa on a tree: [gpu_unifrac()], and `gpu_diversity(x, "faith", tree = tree)`.
#' * Sequences: [gpu_read_fasta()], [gpu_dist_dna()] for aligned DNA, [gpu_dist_aa()] for
#'   proteins, [gpu_dist_alleles()], [gpu_dist_edit()] for texts.
#' * Distance geometry in one dimension: [gpu_dgp()] for cycles, [gpu_dgp_graph()] for graphs.
#' * Trees: [gpu_nj()], [gpu_bionj()] and [gpu_upgma()] make trees of distances,
#'   [gpu_boot_phylo()] finds how well the sites of sequences support one;
#'   [gpu_read_newick()], [gpu_write_newick()] and [gpu_tree_distances()] take and return trees.
#'
#' Points are matrices, data frames, or the objects of other packages in [gpu_inputs].
#'
#' All of them run on every CPU core, and most on an NVIDIA GPU if there is one. [gpu_info()] lists
#' the backends and devices, and
#' [gpu_install()] adds the code for GPUs on machines without the CUDA compiler.
#'
#' @section Defaults: The values of `backend`, `threads`, `device`, `precision`, `progress` and
#' `memory_limit`, see [gpu_settings], are the first of these that is set:
#' 1. the argument, if it is not `NULL`;
#' 2. the option `gpugeo.backend`, `gpugeo.threads`, `gpugeo.device`, `gpugeo.precision`,
#'    `gpugeo.progress` or `gpugeo.memory_limit`, see [options()];
#' 3. the environment variable `GPUGEO_BACKEND`, `GPUGEO_THREADS`, `GPUGEO_DEVICE`,
#'    `GPUGEO_PRECISION`, `GPUGEO_PROGRESS` or `GPUGEO_MEMORY_LIMIT`;
#' 4. `"auto"`; as many threads as there are processors for this process, at most `OMP_NUM_THREADS`
#'    and `OMP_THREAD_LIMIT`, and two under `R CMD check`; all CUDA devices; `"double"`; progress in
#'    interactive sessions, but not while knitr runs; 256 MiB of working memory on the CPU, and the
#'    free memory of a GPU.
#'
#' `gpu_info()$defaults` has the values in effect, and `gpu_info()$invalid` the errors of those that
#' are not valid. The option `gpugeo.cuda_lib` names the CUDA library, see [gpu_info()]. An option
#' that begins with `gpugeo.` and is none of these gives a warning once in
#' a session, and so does an environment variable whose name differs from that of a setting in one
#' or two letters.
#'
#' A result that is larger than the machine's memory and swap is an error before the computation
#' begins; the environment variable `GPUGEO_MEMORY` gives another limit, in GiB.
#'
#' @section Same results everywhere: The same input gives the same bits on any number of threads, on
#' the CPU and on a GPU. The exception is [gpu_layout()]: its bits differ between the CPU and a GPU.
#'
#' @section Parallel R:
#' All functions work in the workers of [parallel::makeCluster()]. In children of
#' [parallel::mclapply()] they use the CPU with one thread, because neither threads nor CUDA survive
#' a fork; `backend = "cuda"` is an error there. A future of [gpu_collisions_launch()] lives in the
#' process that made it.
#'
#' @section C interface: C code of other packages can call the functions of `gpugeo.h`: put
#' `LinkingTo: gpugeo` into DESCRIPTION and include `gpugeo_r.h`, whose comments describe the
#' details.
#'
#' @references
#' A. S. Arefin, C. Riveros, R. Berretta and P. Moscato (2012). Computing large-scale distance
#' matrices on GPU. *7th International Conference on Computer Science & Education*, section III.
#'
#' @useDynLib gpugeo, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"

# The state that is kept between calls: `last`, the report of the last one; whether the compiled
# part is still `loaded`, which later finalizers check; the unknown options that were `warned`
# about, whether the environment was checked for unknown settings, and the option gpugeo.cuda_lib
# that the core has.
state <- new.env(parent = emptyenv())
state$last <- NULL
state$loaded <- TRUE
state$warned <- NULL
state$environment_checked <- FALSE
state$cuda_lib <- NULL

.onUnload <- function(libpath) {
  state$loaded <- FALSE
  .Call(C_release)
  library.dynam.unload("gpugeo", libpath)
}

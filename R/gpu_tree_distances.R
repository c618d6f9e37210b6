#' Distances between the tips of a tree
#'
#' `gpu_tree_distances()` adds up the lengths of the edges between any two tips of a tree, as
#' `ape::cophenetic.phylo()` does, on all CPU cores.
#'
#' @param tree An object of class `"phylo"` with lengths, as [gpu_nj()] and package ape make it.
#' @param ... Must be empty.
#' @inheritParams gpu_settings
#'
#' @return A symmetric matrix with a row and a column for each tip, in their order and with their
#'   names. An edge whose length is missing makes the distances across it missing, `NaN`.
#'
#' @details The result has the same bits for any number of threads. Working memory is 32 bytes for
#'   each node, and 8 more for each thread.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_nj()], [gpu_read_newick()]; [gpu_cophenetic()] for dendrograms.
#'
#' @examples
#' tree <- gpu_nj(eurodist)
#' cor(as.dist(gpu_tree_distances(tree)), eurodist)
#' @export
gpu_tree_distances <- function(tree, ..., backend = NULL, threads = NULL, progress = NULL,
                               memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  tree <- phylo_parts(tree, call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, NULL, "double", progress, bar$update, memory_limit)
  made <- .Call(C_tree_distances, list(tree), list(), settings, call)
  dimnames(made) <- list(tree$tip.label, tree$tip.label)
  made
}

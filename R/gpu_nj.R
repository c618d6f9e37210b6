#' Trees from distances
#'
#' `gpu_nj()` and `gpu_bionj()` make unrooted trees by neighbour joining, as `ape::nj()` and
#' `ape::bionj()` do, and `gpu_upgma()` makes a rooted tree by average linkage, on all CPU cores.
#'
#' @param d Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()], or aligned sequences, whose metric is
#'   `method`, see [gpu_metric()]. At least 3
#'   points, 2 for `gpu_upgma()`. Distances must be finite.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `d`, see [gpu_inputs].
#' @inheritParams gpu_dist
#'
#' @return An object of class `"phylo"`, as package ape describes it, whose functions take it
#'   (`plot()`, `ape::root()`, `ape::write.tree()`): a list with the elements
#' * `edge`: a matrix with a row for each edge: the node nearer to the root, and the other one. Tips
#'   are 1 to n, and n + 1 is the root; edges are in the order `"cladewise"`;
#' * `edge.length`: the lengths of the edges. Those of neighbour joining may be negative and are
#'   kept so, as in ape;
#' * `tip.label`: the names of the points, or their numbers;
#' * `Nnode`: the number of inner nodes.
#'
#' @details Neighbour joining (Saitou and Nei 1987) joins the two nodes with the lowest
#'   (m - 2) d_ij - r_i - r_j, where m is the number of nodes that are left and r_i the sum of the
#'   distances of node i (Studier and Keppler 1988), until three are left, which are those around
#'   the root. BIONJ (Gascuel 1997) weights the distances of both nodes so that the variance of
#'   those of the new node is the lowest. `gpu_upgma()` is [gpu_hclust()] with `"average"`: each tip
#'   is at half the last height from the root.
#'
#'   Edges, lengths and numbers of nodes are those of ape. Of several pairs with the lowest
#'   criterion, `ape::nj()` and `ape::bionj()` join the first in their order of the nodes, and so do
#'   these functions. Criteria that differ by less than 2^-36 of the largest distance may count as
#'   equal, so that rounding decides nothing. With four nodes left, two pairs are always equal;
#'   there the rounding in ape may choose the other one, which is the same unrooted tree.
#'   `ape::bionj()` computes in single precision, and this function in double precision.
#'
#'   Rows of the matrix are searched only if a bound allows a better pair (Simonsen, Mailund and
#'   Pedersen 2008), so that most take no time. The matrix takes 8 n^2 bytes of memory, and 16 n^2
#'   for BIONJ. The result has the same bits for any number of threads and for every kind of `d`
#'   that holds the same distances. With `backend = "cuda"`, distances of points are computed on a
#'   GPU; so is neighbour joining; BIONJ joins nodes on the CPU.
#'
#' @references Saitou, N. and Nei, M. (1987) The neighbor-joining method: a new method for
#'   reconstructing phylogenetic trees. *Molecular Biology and Evolution* **4**, 406-425.
#'
#' Studier, J. A. and Keppler, K. J. (1988) A note on the neighbor-joining algorithm of Saitou and
#' Nei. *Molecular Biology and Evolution* **5**, 729-731.
#'
#' Gascuel, O. (1997) BIONJ: an improved version of the NJ algorithm based on a simple model of
#' sequence data. *Molecular Biology and Evolution* **14**, 685-695.
#'
#' Simonsen, M., Mailund, T. and Pedersen, C. N. S. (2008) Rapid neighbour-joining. *Algorithms in
#' Bioinformatics*, 113-122.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_hclust()], [gpu_dist()]
#'
#' @examples
#' tree <- gpu_nj(eurodist)
#' tree$edge[1:5, ]
#' sum(tree$edge.length)
#' if (requireNamespace("ape", quietly = TRUE)) {
#'   plot(tree, "unrooted")
#' }
#'
#' # From points.
#' gpu_upgma(USArrests, method = "manhattan")$edge.length
#' @export
gpu_nj <- function(d, method = "euclidean", ..., metric = NULL, backend = NULL, threads = NULL,
                   device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  metric <- metric_of(method, metric, missing(method), call)
  run <- list(backend, threads, device, progress, memory_limit)
  tree_by(call_nj, list(bionj = FALSE), d, metric, matched, list(...), run, call)
}

#' @rdname gpu_nj
#' @export
gpu_bionj <- function(d, method = "euclidean", ..., metric = NULL, backend = NULL, threads = NULL,
                      device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  metric <- metric_of(method, metric, missing(method), call)
  run <- list(backend, threads, device, progress, memory_limit)
  tree_by(call_nj, list(bionj = TRUE), d, metric, matched, list(...), run, call)
}

#' @rdname gpu_nj
#' @export
gpu_upgma <- function(d, method = "euclidean", ..., metric = NULL, backend = NULL, threads = NULL,
                      device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  metric <- metric_of(method, metric, missing(method), call)
  run <- list(backend, threads, device, progress, memory_limit)
  tree_by(call_upgma, list(linkage = "average"), d, metric, matched, list(...), run, call)
}

call_nj <- function(inputs, options, settings, call) .Call(C_nj, inputs, options, settings, call)
call_upgma <- function(inputs, options, settings, call) {
  .Call(C_upgma, inputs, options, settings, call)
}

# Returns the tree that one of these makes.
#
# own      its options
# metric   what metric_of() returned
# matched  the call with the expressions of `...`, and `given` their values
# run      backend, threads, device, progress, memory_limit
tree_by <- function(entry, own, d, metric, matched, given, run, call) {
  bar <- progress_bar("Joining")
  on.exit(bar$close())
  settings <- run_settings(
    run[[1L]], run[[2L]], run[[3L]], "double", run[[4L]], bar$update, run[[5L]]
  )
  d <- as_distances(d, "d", call)
  rename_message("x", "d", {
    source <- distances_from_any(d, metric, matched, given, settings, run[[5L]], call)
    made <- entry(source$inputs, c(source$options, own), settings, call)
  })
  as_phylo(made, source$labels, source$size)
}

# Returns an object of class "phylo" of the edges of a tree whose n tips have these names, or none.
as_phylo <- function(made, labels, n) {
  structure(
    list(
      edge = made$edge, edge.length = made$edge.length,
      tip.label = if (is.null(labels)) as.character(seq_len(n)) else as.character(labels),
      Nnode = nrow(made$edge) + 1L - as.integer(n)
    ),
    class = "phylo", order = "cladewise"
  )
}

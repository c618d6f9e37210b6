#' Minimum spanning tree
#'
#' Finds the tree that joins all points by edges with the smallest sum of distances, without storing
#' the matrix of all distances. It is exact for every metric.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()].
#' @param method The metric, as in [gpu_dist()], see [gpu_metric()].
#' @param as `"edges"` or `"igraph"`: see Value.
#' @inheritParams gpu_knn
#'
#' @return
#' * `"edges"`: a data frame with a row for each edge, the shortest first: the row numbers `i < j`
#'   and their `distance`. Its attributes `vertices`, the number of points, and `first`, 1, are
#'   those that [gpu_layout()] takes.
#' * `"igraph"`: an undirected graph of package igraph, its vertices named as the points, with the
#'   edge attribute `distance`.
#'
#' @details If edges have the same distance, the one with the smaller `i` comes first, then the one
#'   with the smaller `j`. In this order there is one minimum spanning tree. It is the same, with
#'   the bits of the distances of [gpu_dist()], on any number of threads, on a GPU, and for points,
#'   an object of class `"dist"` and a file. Its distances are the heights of single linkage.
#'
#'   A missing distance is an error that gives the number of missing ones and the first pair.
#'
#'   With up to 128 columns on the CPU, and up to 16 on a GPU, the tree is found by a tree of boxes,
#'   for the same metrics and by the same rule as the neighbours of [gpu_knn()], and time grows
#'   little faster than the number of points:
#'   each component's shortest edge to another one is added, round by round (Boruvka 1926).
#'   Otherwise each distance is computed or read once, and working memory grows with the number of
#'   points.
#'
#'   A GPU takes points; distances that are given are read on the CPU, and by default points with
#'   coordinates that are missing or infinite, too. By all pairs, the distances of those points are
#'   computed again on a GPU that have no edge to another component among their 16 nearest
#'   neighbours.
#'
#' @references
#' J. Nesetril, E. Milkova and H. Nesetrilova (2001). Otakar Boruvka on minimum spanning tree
#' problem. *Discrete Mathematics* 233, 3-36. doi:10.1016/S0012-365X(00)00224-7
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_neighbor_graph()], [gpu_dist()], [gpu_layout()]
#'
#' @examples
#' tree <- gpu_mst(quakes[, 1:2])
#' head(tree)
#' plot(lat ~ long, quakes, pch = 20)
#' with(quakes, segments(long[tree$i], lat[tree$i], long[tree$j], lat[tree$j]))
#'
#' # From distances.
#' gpu_mst(dist(USArrests[1:5, ]))
#' @export
gpu_mst <- function(x, method = "euclidean", ..., metric = NULL, as = c("edges", "igraph"),
                    backend = NULL, threads = NULL, device = NULL, progress = NULL,
                    memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  as <- choose_one(as, c("edges", "igraph"), "as", call)
  if (as == "igraph") {
    need_igraph(call)
  }
  bar <- progress_bar("Spanning tree")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  tree <- list2DF(.Call(C_mst, source$inputs, source$options, settings, call))
  if (as == "edges") {
    return(as_edges(tree, source$size))
  }
  names(tree)[1:2] <- c("from", "to")
  as_igraph(tree, source$size, source$labels)
}

need_igraph <- function(call) {
  if (!requireNamespace("igraph", quietly = TRUE)) {
    stop_argument("as \"igraph\" needs package igraph, which is not installed", "as", call)
  }
}

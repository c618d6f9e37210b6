#' Optimal order of the leaves of a dendrogram
#'
#' `gpu_seriate()` turns the branches of a hierarchical clustering so that neighbouring leaves are
#' near each other: no other order in which branches do not cross has a smaller sum of the distances
#' between neighbours. The heat map of a matrix in this order shows its clusters and what is between
#' them.
#'
#' @param hc An object of class `"hclust"`, or one that [stats::as.hclust()] converts.
#' @param d The distances of the points that were clustered: an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or the points in rows, as in
#'   [gpu_dist()]; or aligned sequences, see Sequences in [gpu_metric()]. Distances must be finite.
#'   They need not be those of the clustering.
#' @param criterion What the order makes the smallest: `"adjacent"`, the sum of the distances
#'   between neighbours; or `"group"`, for each two neighbours, the sum of the distances of each of
#'   them from all leaves of the cluster of the other one that the same merge joins.
#' @inheritParams gpu_dist
#'
#' @return `hc` with another `order`, and with the cluster that is on the left first in each row of
#'   `merge`. The clusters, their numbers and their heights are the same. [plot()],
#'   [stats::as.dendrogram()], [stats::heatmap()] and others draw the tree in this order.
#'
#' @details Of the 2^(n - 1) orders of n leaves the best one is found by the algorithm of Bar-Joseph
#'   et al. (2001). Its time grows with n^3 / 6 if each merge halves its cluster, and with n^2 in a
#'   chain; 8.5 n^2 bytes of memory are needed.
#'
#'   If several orders have the same sum, that of `hc$merge` is taken, or else one that differs
#'   little from it: the first cluster of the last merge is on the left; then, from the last merge
#'   on, the leaf on the left end has the lowest position in the order of `hc$merge`, that on the
#'   right end the highest, and of the neighbours that a merge joins that of the first cluster the
#'   highest, then that of the second the lowest. The result has the same bits for any number of
#'   threads and for every kind of `d` that holds the same distances.
#'
#'   This is the order of `seriate(d, method = "OLO")` of package seriation and of `order.optimal()`
#'   of package cba, except for the choice among orders with the same sum.
#'
#' @references Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola (2001). Fast optimal leaf ordering
#'   for hierarchical clustering. *Bioinformatics* **17**, S22-S29.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_hclust()], [stats::reorder()], [stats::heatmap()]
#'
#' @examples
#' d <- gpu_dist(scale(mtcars))
#' hc <- gpu_hclust(d, "average")
#' best <- gpu_seriate(hc, d)
#' path <- function(tree) sum(as.matrix(d)[cbind(tree$order[-1], tree$order[-nrow(mtcars)])])
#' c(path(hc), path(best))
#' plot(best)
#' heatmap(as.matrix(d), Rowv = as.dendrogram(best), Colv = "Rowv", symm = TRUE)
#' @export
gpu_seriate <- function(hc, d, method = "euclidean", ..., metric = NULL,
                        criterion = c("adjacent", "group"), backend = NULL, threads = NULL,
                        device = NULL, precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  hc <- stats::as.hclust(hc)
  bar <- progress_bar("Order of leaves")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- rename_message(
    "x", "d", distances_from_any(d, metric, matched, list(...), settings, memory_limit, call)
  )
  line <- if (is_distances(d)) "as.dist(as.matrix(d)[hc$labels, hc$labels])" else "d[hc$labels, ]"
  warn_of_order(hc$labels, source$labels, c("hc", "d"), line, call)
  criterion <- choose_one(criterion, core_choices("leaf_order", "criterion"), "criterion", call)
  own <- list(merge = as_merge(hc$merge), criterion = criterion)
  made <- .Call(C_leaf_order, source$inputs, c(source$options, own), settings, call)
  hc[c("merge", "order")] <- made
  hc
}

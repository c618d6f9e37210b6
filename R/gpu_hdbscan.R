#' Clusters by density at all scales
#'
#' Finds the clusters of `dbscan::hdbscan()` (HDBSCAN), with their condensed tree, memberships and
#' outlier scores, without storing the matrix of all distances, for points of any dimension and
#' metric and for distances.
#'
#' @param minPts The smallest size of a cluster, and the number of points in a neighbourhood, the
#'   point itself included: a whole number from 2 to the number of points.
#' @param cluster_selection_epsilon Clusters do not divide below this height of the dendrogram: a
#'   number of at least 0. Of nodes that begin lower, the lowest one above them that begins at this
#'   height or higher is the cluster, or the highest one below the root (Malzer and Baum 2020).
#' @param method The metric, as in [gpu_dist()], see [gpu_metric()].
#' @inheritParams gpu_dbscan
#'
#' @return An object of the classes `"gpu_hdbscan"` and `"hdbscan"` of package dbscan, whose
#'   [predict()] takes it: a list with the elements
#' * `cluster`: the number of each point's cluster, 0 for noise;
#' * `minPts`: the argument;
#' * `coredist`: the core distance of each point, that to its neighbour number `minPts - 1`;
#' * `cluster_scores`: the stability of each cluster;
#' * `membership_prob`: how strongly each point belongs to its cluster, from 0 to 1; 0 for noise;
#' * `outlier_scores`: GLOSH, from 0 to 1;
#' * `hc`: the dendrogram, an object of class `"hclust"`.
#'
#' The attribute `hdbscan` has the condensed tree as package dbscan has it. `plot()` shows it, see
#' [density_class].
#'
#' @details The mutual reachability of two points is the largest of their distance and both core
#'   distances. The dendrogram is that of its minimum spanning tree. From the last merge down, it is
#'   divided where both sides have at least `minPts` points; all other points leave at the height of
#'   their last merge. Of these nodes, those are clusters whose stability exceeds that of the
#'   clusters below them (Campello et al. 2013).
#'
#'   Coincident points have a core distance of 0 if there are at least `minPts` of them, and with a
#'   density of 1 / 0 they would win against all other clusters. The condensed tree therefore has
#'   the lowest positive height of the dendrogram instead of 0: coincident points have the density
#'   of the two nearest other points. Where clusters are apart, rounded data have the clusters of
#'   the data. `coredist` and `hc` have the heights 0.
#'
#'   Many pairs of points have the same mutual reachability. Of these the pair with the smaller
#'   distance comes first, then the one with the smaller row number, then the smaller second one. In
#'   this order there is one tree, the same bits on any number of threads, on a GPU, and for points,
#'   an object of class `"dist"` and a file with the same distances. `dbscan::hdbscan()` takes any
#'   of several trees: heights and core distances are equal, but points with the same mutual
#'   reachability to two nodes may be in the other one, and then clusters may differ; they may also
#'   change when rows are reordered. By our rule distances decide before row numbers: of 150 sets of
#'   120 uniform points, none changed its partition when rows were reordered, and 98 did with
#'   package dbscan 1.1-11. Where no cluster is found, `dbscan::hdbscan()` gives memberships of
#'   noise, and outlier scores of 1.
#'
#'   With up to 128 columns on the CPU, and up to 16 on a GPU, core distances and tree are found by
#'   a tree of boxes, for the same metrics and by the same rule as the neighbours of [gpu_knn()],
#'   and time grows little faster than the number of points, unless coordinates are missing or
#'   infinite. Otherwise each distance is
#'   computed or read twice, and memory grows with the number of points times `minPts`. A missing
#'   distance is an error that gives the number of missing ones and the first pair. A GPU takes
#'   points; distances that are given are read on the CPU.
#'
#' @references
#' R. J. G. B. Campello, D. Moulavi and J. Sander (2013). Density-based clustering based on
#' hierarchical density estimates. *PAKDD 2013*, 160-172. doi:10.1007/978-3-642-37456-2_14
#'
#' R. J. G. B. Campello, D. Moulavi, A. Zimek and J. Sander (2015). Hierarchical density estimates
#' for data clustering, visualization, and outlier detection. *ACM Transactions on Knowledge
#' Discovery from Data* 10, 1-51. doi:10.1145/2733381
#'
#' C. Malzer and M. Baum (2020). A hybrid approach to hierarchical density-based cluster selection.
#' *MFI 2020*, 223-228. doi:10.1109/MFI49285.2020.9235263
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_dbscan()], [gpu_mst()], [gpu_hclust()]
#'
#' @examples
#' clusters <- gpu_hdbscan(quakes[, 1:2], minPts = 10)
#' clusters
#' plot(lat ~ long, quakes, col = clusters$cluster + 1, pch = 20)
#'
#' # From distances.
#' gpu_hdbscan(gpu_dist(USArrests, "manhattan"), minPts = 4)$cluster
#' @export
gpu_hdbscan <- function(x, minPts, method = "euclidean", ..., # nolint: a name of dbscan's
                        metric = NULL, backend = NULL, threads = NULL, device = NULL,
                        progress = NULL, memory_limit = NULL, cluster_selection_epsilon = 0) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Clusters")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  own <- list(minPts = minPts, cluster_selection_epsilon = cluster_selection_epsilon)
  options <- c(source$options, own)
  made <- rename_message(
    "min_points", "minPts", .Call(C_hdbscan, source$inputs, options, settings, call)
  )
  as_hdbscan(made, minPts, source$labels, match.call())
}

as_hdbscan <- function(made, min_points, labels, call) {
  numbers <- as.character(seq_along(made$salient))
  structure(
    list(
      cluster = made$cluster, minPts = min_points, coredist = made$coredist,
      cluster_scores = stats::setNames(made$stability, numbers),
      membership_prob = made$membership, outlier_scores = made$outlier,
      hc = structure(
        list(
          merge = made$merge, height = made$height, order = made$order, labels = labels,
          method = "robust single", dist.method = "mutual reachability", call = call
        ),
        class = "hclust"
      )
    ),
    class = c("gpu_hdbscan", "hdbscan"),
    hdbscan = condensed_tree(made, min_points, stats::setNames(made$salient, numbers))
  )
}

# Returns the condensed tree as package dbscan has it. Children are numbered in pairs.
condensed_tree <- function(made, min_points, salient) {
  nodes <- length(made$nodes)
  first <- if (nodes > 1L) seq(1L, nodes - 1L, 2L) else integer()
  children <- stats::setNames(lapply(first, function(child) child + 0:1), made$parent[first + 1L])
  structure(
    stats::setNames(made$nodes, seq_len(nodes) - 1L),
    n = length(made$cluster), cl_hierarchy = children, cl_tracker = made$merge_node,
    minPts = min_points, glosh = made$outlier, cluster = c(0L, unname(salient))[made$cluster + 1L],
    salient_clusters = unname(salient), cl_map = salient
  )
}

#' Order of points by density, and outliers
#'
#' `gpu_optics()` computes what `dbscan::optics()` does (OPTICS), and `gpu_lof()` what
#' `dbscan::lof()` does (local outlier factors), for points of any dimension and metric and for
#' distances.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()].
#' @param eps The largest distance between neighbours, at least 0. `NULL`: the largest distance of a
#'   point to its neighbour of number `minPts`.
#' @param minPts The number of points in the smallest neighbourhood, the point itself included. In
#'   `gpu_optics()` at least 1, and less than the number of points unless `eps` is given; in
#'   `gpu_lof()` from 2 to the number of points.
#' @inheritParams gpu_knn
#'
#' @return `gpu_optics()` returns an object of class `"optics"` of package dbscan, which has
#'   functions for it (`dbscan::extractDBSCAN()`, `dbscan::extractXi()`, `as.reachability()`,
#'   `plot()`): a list with the elements
#' * `order`: the numbers of the points as they are visited;
#' * `reachdist`: of each point its reachability, infinite if it begins a part;
#' * `coredist`: of each point its core distance, infinite if it is larger than `eps`;
#' * `predecessor`: the point from which it is reached, or `NA`;
#' * `minPts`, `eps`, and `eps_cl` and `xi`, which are `NA`.
#'
#'   `gpu_lof()` returns a vector with the factor of each point: about 1 within clusters, larger for
#'   outliers.
#'
#' @details The core distance of a point is the smallest within which it has `minPts` points, itself
#'   included. A point is reached from another one, at a distance of at most `eps`, by the larger of
#'   that one's core distance and their distance. The next point is the one with the smallest
#'   reachability from all points before; of several the one with the highest number, as in
#'   `dbscan::optics()`. If there is none, the first point that is left begins a part. `order`,
#'   `reachdist`, `coredist` and `eps` are those of `dbscan::optics()`. `predecessor` is the first
#'   point from which `reachdist` is reached, as in Ankerst et al.; that of package dbscan 1.1-11 is
#'   at times the one that began the part.
#'
#'   With `eps`, the neighbours of all points are stored as by [gpu_radius()]. Without it, nearly
#'   all points may be near each other: the distances of each point are then computed when it is
#'   visited, n^2 of them in memory that grows with n; but of great circles all are stored. Points
#'   at a missing distance are not near each other.
#'
#'   The local outlier factor is the mean of the local reachability densities of a point's
#'   neighbours, divided by its own. Neighbours are all other points at a distance of at most the
#'   (`minPts` - 1)-th smallest, ties included. The density is the inverse of the mean reachability
#'   from them: the larger of the distance and the neighbour's (`minPts` - 1)-th smallest one. For a
#'   point with that many equal ones, which has an infinite density, the factor is 1. The
#'   neighbours are stored, as many for each point as the one with the most has; [gpu_knn()] finds
#'   them. Distances of these must be finite.
#'
#'   The results have the same bits for any number of threads.
#'
#' @references
#' M. Ankerst, M. M. Breunig, H.-P. Kriegel and J. Sander (1999). OPTICS: ordering points to
#' identify the clustering structure. *SIGMOD-99*, 49-60.
#'
#' M. M. Breunig, H.-P. Kriegel, R. T. Ng and J. Sander (2000). LOF: identifying density-based local
#' outliers. *SIGMOD-00*, 93-104.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_dbscan()], [gpu_hdbscan()], [gpu_knn()]
#'
#' @examples
#' o <- gpu_optics(iris[, 1:4], minPts = 5)
#' plot(o$reachdist[o$order], type = "h", col = iris$Species[o$order])
#'
#' factor <- gpu_lof(iris[, 1:4], minPts = 10)
#' iris[factor > 1.5, ]
#' @export
gpu_optics <- function(x, eps = NULL, minPts = 5, # nolint: names of package dbscan
                       method = "euclidean", ..., metric = NULL, backend = NULL, threads = NULL,
                       device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("OPTICS")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  options <- c(source$options, list(eps = eps, minPts = minPts))
  made <- rename_message(
    "min_points", "minPts", .Call(C_optics, source$inputs, options, settings, call)
  )
  structure(list(
    order = made$order, reachdist = made$reachdist, coredist = made$coredist,
    predecessor = made$predecessor, minPts = minPts, eps = made$eps, eps_cl = NA, xi = NA
  ), class = "optics")
}

#' @rdname gpu_optics
#' @export
gpu_lof <- function(x, minPts = 5, method = "euclidean", ..., # nolint: names of package dbscan
                    metric = NULL, backend = NULL, threads = NULL, device = NULL, progress = NULL,
                    memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Outliers")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  options <- c(source$options, list(minPts = minPts))
  rename_message("min_points", "minPts", .Call(C_lof, source$inputs, options, settings, call))
}

#' Clusters by density
#'
#' Finds the clusters of `dbscan::dbscan()` (DBSCAN), without storing lists of neighbours, for
#' points of any dimension and metric and for distances.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()]; or neighbours, an object of class `"frNN"` of package dbscan, a list with
#'   the elements `id` and `dist`, which have the numbers and distances of each point's neighbours,
#'   and `eps`, their radius.
#' @param eps The radius, at least 0; for neighbours at most theirs, which is the default.
#' @param minPts A core point has at least so many points at a distance of at most `eps`, itself
#'   included: a whole number of at least 0.
#' @param borderPoints `TRUE`: other points near a core point belong to its cluster. `FALSE`: they
#'   are noise (DBSCAN*).
#' @param weights `NULL`, or how many points each point counts as when core points are found:
#'   finite numbers of at least 0. Only on the CPU.
#' @inheritParams gpu_knn
#'
#' @return An object of the classes `"dbscan_fast"` and `"dbscan"` of package dbscan, which has
#'   methods for it (`print()`, `predict()`): a list with the elements
#' * `cluster`: the number of each point's cluster, 0 for noise;
#' * `eps`, `minPts`, `borderPoints`: the arguments;
#' * `metric`, and `dist` as before version 1.2 of package dbscan: the name of the metric.
#'
#' @details Core points within `eps` of each other are in one cluster. Clusters are numbered by
#'   their first core points, and a border point near several clusters belongs to the first of them.
#'   These are the numbers of `dbscan::dbscan()`. With `weights` a core point has neighbours, itself
#'   included, whose weights have a sum of at least `minPts`; the order of the rows does not change
#'   the sum. A point without a distance is near no other one.
#'
#'   Neighbours are found as by [gpu_radius()], by trees or by all pairs, twice: to count them, and
#'   to join clusters; on a GPU a third time for border points. Working memory grows with the number
#'   of points, and on the CPU with the neighbours of border points, which are fewer than `minPts`
#'   for each. A GPU takes points, but not great circles; distances that are given are read on the
#'   CPU.
#'
#' @references
#' M. Ester, H.-P. Kriegel, J. Sander and X. Xu (1996). A density-based algorithm for discovering
#' clusters in large spatial databases with noise. *KDD-96*, 226-231.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_hdbscan()], [gpu_radius()], [gpu_mst()]
#'
#' @examples
#' clusters <- gpu_dbscan(iris[, 1:4], eps = 0.5, minPts = 5)
#' table(clusters$cluster, iris$Species)
#' plot(iris[, 3:4], col = clusters$cluster + 1, pch = 20)
#'
#' # Earthquakes within 50 km of each other.
#' places <- quakes[, c("long", "lat")]
#' table(gpu_dbscan(places, eps = 5e4, minPts = 10, method = "great-circle")$cluster)
#'
#' # From distances.
#' gpu_dbscan(gpu_dist(USArrests, "manhattan"), eps = 20, minPts = 4)$cluster
#' @export
gpu_dbscan <- function(x, eps, minPts = 5, borderPoints = TRUE, # nolint: names of package dbscan
                       method = "euclidean", ..., metric = NULL, backend = NULL, threads = NULL,
                       device = NULL, progress = NULL, memory_limit = NULL, weights = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Clusters")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  own <- list(minPts = minPts, borderPoints = borderPoints, weights = point_weights(weights, call))
  if (inherits(x, "frNN")) {
    refuse_dots(matched$..., call, metric = "method")
    check_no_metric(matched, metric, call)
    eps <- radius_of(x, if (!missing(eps)) eps, call)
    return(as_dbscan(dbscan_of_neighbors(x, eps, own, call), eps, own, x$metric))
  }
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  cluster <- .Call(C_dbscan, source$inputs, c(source$options, list(eps = eps), own), settings, call)
  as_dbscan(cluster, eps, own, source$metric)
}

as_dbscan <- function(cluster, eps, own, metric) {
  metric <- if (is.null(metric)) "unknown" else metric
  structure(
    list(
      cluster = cluster, eps = eps, minPts = own$minPts, metric = metric, dist = metric,
      borderPoints = own$borderPoints
    ),
    class = c("dbscan_fast", "dbscan")
  )
}

point_weights <- function(weights, call) {
  if (!is.null(weights) && !is.numeric(weights)) {
    stop_value(weights, "weights", "numbers", call)
  }
  if (!is.null(weights)) as.double(weights)
}

# --- Neighbours that are given --------------------------------------------------------------------

is_radius <- function(value) is.numeric(value) && length(value) == 1L && isTRUE(value >= 0)

# True if an object has the elements of neighbours that are given.
has_neighbors <- function(x) {
  is_radius(x$eps) && is.list(x$id) && is.list(x$dist) &&
    identical(as.vector(lengths(x$id)), as.vector(lengths(x$dist))) &&
    all(unlist(x$id) %in% seq_along(x$id))
}

# Returns the radius of neighbours, or a smaller one, eps. What is wrong with eps is left to the
# core.
radius_of <- function(x, eps, call) {
  if (!has_neighbors(x)) {
    stop_argument(
      "x must have the neighbours of each point, as numbers id and distances dist, and their eps",
      "x", call
    )
  }
  if (is.null(eps)) {
    return(x$eps)
  }
  if (is_radius(eps) && eps > x$eps) {
    stop_value(
      eps, "eps", sprintf("at most the radius of the neighbours, %s", show_value(x$eps)), call
    )
  }
  eps
}

# Returns the clusters of points whose neighbours are given.
#
# own  list(minPts, borderPoints, weights)
dbscan_of_neighbors <- function(x, eps, own, call) {
  n <- length(x$id)
  weights <- if (is.null(own$weights)) rep(1, n) else own$weights
  none <- list(source = "dist", eps = eps, minPts = own$minPts, borderPoints = own$borderPoints)
  settings <- run_settings(NULL, NULL, NULL, "double", FALSE, NULL, NULL)
  .Call(C_dbscan, list(double(), 0), none, settings, call) # checks the arguments
  check_point_weights(weights, n, call)
  near <- Map(function(id, d) as.integer(id[d <= eps]), unname(x$id), unname(x$dist))
  sums <- vapply(near, function(of) sum(weights[of]), 0)
  core <- sums + weights >= own$minPts
  cluster <- join_core_points(near, core)
  for (i in if (own$borderPoints) which(!core)) {
    around <- cluster[near[[i]][core[near[[i]]]]]
    cluster[i] <- if (length(around)) min(around) else 0L
  }
  cluster
}

# Does the core's checks of weights.
check_point_weights <- function(weights, n, call) {
  check_values(weights, "weights", n, call)
  bad <- which(!(is.finite(weights) & weights >= 0))
  if (length(bad)) {
    stop_argument(sprintf(
      "weights must be finite and at least 0, but value %d is %s", bad[1L],
      show_value(weights[bad[1L]])
    ), "weights", call)
  }
}

# Numbers the clusters of core points by their first ones; 0 for other points.
join_core_points <- function(near, core) {
  cluster <- integer(length(near))
  for (i in which(core)) {
    if (cluster[i] > 0L) {
      next
    }
    cluster[i] <- max(cluster) + 1L
    reached <- i
    while (length(reached)) {
      reached <- unique(unlist(near[reached]))
      reached <- reached[core[reached] & cluster[reached] == 0L]
      cluster[reached] <- cluster[i]
    }
  }
  cluster
}

#' Clusters by density
#'
#' Finds the clusters of `dbscan::dbscan()` (DBSCAN), without storing lists of neighbours, for
#' points of any dimension and metric and for distances.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without arguments of the metric.
#' @param eps The radius, at least 0.
#' @param sphere_radius For `"great-circle"`: the radius of the sphere, positive; `eps` has its
#'   unit. The default is the mean radius of the earth in metres, 6371008.8.
#' @param minPts A core point has at least so many points at a distance of at most `eps`, itself
#'   included: a whole number of at least 0.
#' @param borderPoints `TRUE`: other points near a core point belong to its cluster. `FALSE`: they
#'   are noise (DBSCAN*).
#' @inheritParams gpu_knn
#'
#' @return An object of the classes `"dbscan_fast"` and `"dbscan"` of package dbscan, which has
#'   methods for it (`print()`, `predict()`): a list with the elements
#' * `cluster`: the number of each point's cluster, 0 for noise;
#' * `eps`, `minPts`, `borderPoints`: the arguments;
#' * `dist`: the name of the metric.
#'
#' @details Core points within `eps` of each other are in one cluster. Clusters are numbered by
#'   their first core points, and a border point near several clusters belongs to the first of them.
#'   These are the numbers of `dbscan::dbscan()`. A point without a distance is near no other one.
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
#' @seealso [gpu_hdbscan()], [gpu_radius()], [gpu_mst()]
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
                       method = "euclidean", p = 2, ..., metric = NULL, scale = NULL, cov = NULL,
                       singular = "error", types = NULL, column_weights = NULL, backend = NULL,
                       threads = NULL, device = NULL, progress = NULL, memory_limit = NULL,
                       sphere_radius = 6371008.8) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Clusters")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_arguments(call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  own <- list(eps = eps, minPts = minPts, borderPoints = borderPoints)
  cluster <- .Call(C_dbscan, source$inputs, c(source$options, own), settings, call)
  structure(
    list(
      cluster = cluster, eps = eps, minPts = minPts,
      dist = if (is.null(source$metric)) "unknown" else source$metric, borderPoints = borderPoints
    ),
    class = c("dbscan_fast", "dbscan")
  )
}

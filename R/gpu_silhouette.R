#' Silhouettes of a clustering
#'
#' Computes what [cluster::silhouette()] does, on all CPU cores or on a GPU, from points of any
#' metric without their distance matrix, or from distances.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()]. Distances must be finite.
#' @param clusters The cluster of each point, whole numbers; or a list with them as its element
#'   `clustering` or `cluster`, for example from [gpu_pam()] or [stats::kmeans()].
#' @inheritParams gpu_dist
#'
#' @return An object of class `"silhouette"` of package cluster (for `plot()` and `summary()` see
#'   [silhouette_class]): a matrix with a row for each point and the columns
#' * `cluster`: its cluster;
#' * `neighbor`: the nearest other cluster;
#' * `sil_width`: its silhouette width, from -1 to 1.
#'
#'   As from [cluster::silhouette()], it is `NA` if there is one cluster, or if each cluster has one
#'   point.
#'
#' @details With a, the mean distance of a point from the other points of its cluster, and b, the
#'   smallest of its mean distances from the points of each other cluster, the width is
#'   (b - a) / max(a, b). It is 0 if the point is alone in its cluster. If several clusters are at
#'   the mean distance b, the first is the neighbour.
#'
#'   Distances are computed or read in tiles and not stored: once, or twice if the number of points
#'   times the number of clusters is more than 1/16 of `memory_limit` in bytes, by default 256 MiB.
#'   With `backend = "cuda"`, distances of points and those of a [gpu_dist_device] are added up on
#'   the device, which needs 8 bytes for each point and cluster; if it has less memory, the CPU adds
#'   them up. The distances of a point from a cluster are added up in the order of the points, as in
#'   [cluster::silhouette()]. Therefore the result has the bits of that function for an object of
#'   class `"dist"`, and it is the same for any number of threads, any `memory_limit`, on CPU and
#'   GPU, and for every kind of `x` that holds the same distances.
#'
#' @references P. J. Rousseeuw (1987). Silhouettes: a graphical aid to the interpretation and
#'   validation of cluster analysis. *Journal of Computational and Applied Mathematics* **20**,
#'   53-65.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_hclust()], [gpu_dbscan()], [cluster::silhouette()]
#'
#' @examples
#' clusters <- cutree(gpu_hclust(gpu_dist(iris[, 1:4]), "average"), 3)
#' widths <- gpu_silhouette(iris[, 1:4], clusters)
#' head(widths[, "sil_width"])
#' summary(widths)
#' plot(widths)
#'
#' # From distances: how many clusters?
#' d <- gpu_dist(USArrests, "manhattan")
#' tree <- gpu_hclust(d, "average")
#' sapply(2:6, function(k) mean(gpu_silhouette(d, cutree(tree, k))[, "sil_width"]))
#' @export
gpu_silhouette <- function(x, clusters, method = "euclidean", ..., metric = NULL, backend = NULL,
                           threads = NULL, device = NULL, precision = NULL, progress = NULL,
                           memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  clusters <- clusters_of(clusters)
  given <- clusters
  clusters <- cluster_codes(clusters, call)
  codes <- sort(unique(clusters))
  bar <- progress_bar("Silhouettes")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  warn_of_labels(x, source$labels, given, c("x", "clusters"), call)
  own <- list(clusters = match(clusters, codes))
  made <- .Call(C_silhouette, source$inputs, c(source$options, own), settings, call)
  k <- length(codes)
  if (k < 2L || k == length(clusters)) {
    return(NA)
  }
  silhouette_of(clusters, codes[made$neighbor], made$width, codes, match.call())
}

# Returns an object of class "silhouette". cluster::silhouette() notes codes that are not 1 to k.
silhouette_of <- function(clusters, neighbor, width, codes, call) {
  made <- cbind(cluster = clusters, neighbor = neighbor, sil_width = width)
  if (any(codes != seq_along(codes))) {
    attr(made, "codes") <- codes
  }
  structure(made, Ordered = FALSE, call = call, class = "silhouette")
}

# Returns the clusters that the result of a clustering has, and others unchanged.
clusters_of <- function(clusters) {
  if (!is.list(clusters)) {
    return(clusters)
  }
  if (is.null(clusters$clustering)) clusters$cluster else clusters$clustering
}

# Returns the clusters of points, the argument of a name, as integers.
cluster_codes <- function(clusters, call, name = "clusters") {
  if (!is.numeric(clusters) && !is.factor(clusters)) {
    stop_value(clusters, name, "whole numbers", call)
  }
  check_factor(clusters, name, call)
  numbers <- as.vector(unclass(clusters))
  bad <- which(is.na(numbers) | numbers != round(numbers) | abs(numbers) > .Machine$integer.max)
  if (length(bad)) {
    stop_argument(sprintf(
      "%s must be whole numbers, but value %d is %s", name, bad[1L], show_value(numbers[bad[1L]])
    ), name, call)
  }
  as.integer(numbers)
}

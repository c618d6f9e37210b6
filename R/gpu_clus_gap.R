#' Gap statistic
#'
#' Computes what [cluster::clusGap()] does, without the distances of points within clusters in
#' memory and on all CPU cores.
#'
#' @param x Points in rows, a matrix or a data frame of finite numbers.
#' @param FUNcluster A function that divides the rows of a matrix, its first argument, into k
#'   clusters, its second one, and returns a list with their numbers as its element `cluster`, for
#'   example [gpu_kmeans()]. It is not called for k = 1.
#' @param K.max The largest number of clusters, at least 2.
#' @param B The number of reference data sets.
#' @param d.power The power of Euclidean distances, positive: 2 is that of Tibshirani et al.
#' @param spaceH0 The space of the reference data: uniform between the extremes of the principal
#'   components, `"scaledPCA"`, or of the columns of `x`, `"original"`.
#' @param verbose Whether to print the number of each reference data set.
#' @param ... Passed on to `FUNcluster`.
#' @param threads,memory_limit Settings of the computation, see [gpu_settings].
#'
#' @return An object of class `"clusGap"`, for which package cluster has `print()`, `plot()` and
#'   [cluster::maxSE()]: a list of `Tab`, a matrix with a row for each number of clusters and the
#'   columns `logW`, `E.logW`, `gap` and `SE.sim`; `call`, `spaceH0`, `n`, `B` and `FUNcluster`.
#'
#' @details W(k) is the sum over k clusters of the distances to `d.power` between their points, each
#'   pair once, divided by twice the number of points. The gap is the mean of its logarithm
#'   over the reference data minus that for `x`, and `SE.sim` is the standard deviation of the
#'   logarithms times sqrt(1 + 1 / B).
#'
#'   After the same [set.seed()], the reference data are those of [cluster::clusGap()], one
#'   after the other, column by column; so is the result, up to rounding.
#'
#' @references R. Tibshirani, G. Walther and T. Hastie (2001). Estimating the number of clusters in
#'   a data set via the gap statistic. *Journal of the Royal Statistical Society B* **63**, 411-423.
#'
#' @seealso [gpu_validity()], [gpu_kmeans()], [cluster::clusGap()]
#'
#' @examples
#' set.seed(1)
#' gap <- gpu_clus_gap(iris[, 1:4], gpu_kmeans, K.max = 5, B = 10, nstart = 5)
#' gap$Tab
#' @export
gpu_clus_gap <- function(x, FUNcluster, K.max, # nolint: names of cluster::clusGap()
                         B = 100, d.power = 1, # nolint: likewise
                         spaceH0 = c("scaledPCA", "original"), # nolint: likewise
                         verbose = interactive(), ..., threads = NULL, memory_limit = NULL) {
  call <- sys.call()
  x <- as_doubles(points_of(x, "x", input_reader(
    NULL, list(), list(x), memory_limit, call,
    mixed = FALSE
  )))
  check_gap(x, FUNcluster, K.max, B, call)
  space <- choose_one(spaceH0, c("scaledPCA", "original"), "spaceH0", call)
  verbose <- flag_of(verbose, "verbose", call)
  settings <- run_settings(NULL, threads, NULL, NULL, FALSE, NULL, memory_limit)
  log_w <- function(points) {
    vapply(seq_len(K.max), function(k) {
      cluster <- if (k > 1) FUNcluster(points, k, ...)$cluster else rep(1L, nrow(points))
      log(within_clusters(points, cluster, d.power, settings, call) / 2)
    }, 0)
  }
  observed <- log_w(x)
  draw <- reference_points(x, space)
  simulated <- matrix(vapply(seq_len(B), function(b) {
    if (verbose) cat("gpu_clus_gap: reference data ", b, " of ", B, "\n", sep = "")
    log_w(draw())
  }, numeric(K.max)), K.max)
  expected <- rowMeans(simulated)
  error <- sqrt((1 + 1 / B) * rowSums((simulated - expected)^2) / (B - 1))
  tab <- cbind(logW = observed, E.logW = expected, gap = expected - observed, SE.sim = error)
  structure(list(
    Tab = tab, call = match.call(), spaceH0 = space, n = nrow(x), B = B, FUNcluster = FUNcluster
  ), class = "clusGap")
}

# Checks the arguments of gpu_clus_gap().
check_gap <- function(x, cluster, most, times, call) {
  if (!is.function(cluster)) {
    stop_value(cluster, "FUNcluster", "a function", call)
  }
  if (!is.matrix(x) || !length(x) || !all(is.finite(x))) {
    stop_argument("x must be a matrix of finite numbers with a row and a column", "x", call)
  }
  check_gap_count(most, "K.max", 2, call)
  check_gap_count(times, "B", 1, call)
}

# Checks a whole number.
check_gap_count <- function(value, name, least, call) {
  if (!is_whole_to(value, .Machine$integer.max) || value < least) {
    stop_value(value, name, sprintf("a whole number of at least %d", least), call)
  }
}

# Returns the sum over clusters of the distances to a power between their points, each divided by
# the number of points. The clusters are taken one after the other, without distances between them;
# squares of distances need none.
within_clusters <- function(x, cluster, power, settings, call) {
  if (length(cluster) != nrow(x) || anyNA(cluster)) {
    stop_argument(sprintf(
      "FUNcluster must return a list with cluster, a number for each of the %d points, not %s",
      nrow(x), show_value(cluster)
    ), "FUNcluster", call)
  }
  none <- list(ch = FALSE, db = FALSE, dunn = FALSE, silhouette = FALSE, dbcv = FALSE)
  options <- c(none, list(
    source = "points", method = "euclidean", within = TRUE, power = power
  ))
  sum_of <- function(rows) {
    points <- if (length(rows) == nrow(x)) x else x[rows, , drop = FALSE]
    options$clusters <- rep(1L, length(rows))
    rename_message(
      "power", "d.power", .Call(C_validity, list(points), options, settings, call)$within
    )
  }
  sum(vapply(split(seq_len(nrow(x)), cluster), sum_of, 0))
}

# Returns a function that draws reference data, column after column.
reference_points <- function(x, space) {
  centred <- scale(x, center = TRUE, scale = FALSE)
  middle <- rep(attr(centred, "scaled:center"), each = nrow(x))
  turned <- space == "scaledPCA"
  axes <- if (turned) svd(centred, nu = 0)$v
  range <- apply(if (turned) centred %*% axes else centred, 2L, range)
  function() {
    drawn <- apply(range, 2L, function(limits) stats::runif(nrow(x), limits[1L], limits[2L]))
    drawn <- matrix(drawn, nrow(x))
    (if (turned) tcrossprod(drawn, axes) else drawn) + middle
  }
}

#' Nearest neighbours
#'
#' Finds the rows of a matrix that are nearest to each row of the same matrix or of another one,
#' without storing the matrix of all distances: memory grows with the number of neighbours.
#' `gpu_knn()` finds the `k` nearest, `gpu_radius()` all within a radius.
#'
#' @param x Points in rows, among which neighbours are searched, as in [gpu_dist()]. Missing values
#'   are allowed, and sparse matrices of package Matrix are not expanded as a whole. Or distances:
#'   an object of class `"dist"`, a [gpu_dist_file()] or a [gpu_dist_device]; see
#'   [gpu_points_or_distances]. Or aligned sequences, without `query`, see Sequences in
#'   [gpu_metric()].
#' @param k The number of neighbours, a whole number between 1 and the number of points that can be
#'   neighbours.
#' @param query Points whose neighbours are searched, with as many columns as `x`. `NULL`: the
#'   points of `x`. A point is not its own neighbour, but other points with the same coordinates
#'   are.
#' @param include_self `TRUE`: the first neighbour of a point of `x` is the point itself, at
#'   distance 0, and `k` includes it, as in UMAP and Seurat. Not with `query`.
#' @param radius The largest distance of a neighbour, at least 0. In `gpu_knn()`, neighbours beyond
#'   it are missing: both their `index` and `distance` are `NA`, where `RANN::nn2()` has 0 and
#'   1.34e154.
#' @param method The metric, as in [gpu_dist()], see [gpu_metric()]. A function is called for each
#'   row of `x` and each row of `query`, or of `x`, in this order. Also `"great-circle"`, as in
#'   [gpu_closest_pair()]: the distance on a sphere of points whose two columns are longitude
#'   (between -180 and 360) and latitude (between -90 and 90), both in degrees; missing if one of
#'   them is.
#' @inheritParams gpu_dist
#'
#' @return `gpu_knn()`: a list of two matrices with a row for each point and `k` columns, the
#' nearest neighbour first and ties by row number, with the names of the points as row names:
#' * `index`: row numbers of `x`;
#' * `distance`.
#'
#' `gpu_radius()`: a list of vectors that hold the neighbours of the first point, then those of the
#' second, and so on, each time the nearest first and ties by row number:
#' * `count`: the number of neighbours of each point, named as the points are;
#' * `index`: row numbers of `x`;
#' * `distance`.
#'
#' The examples show how to make a data frame or a list of it.
#'
#' @details Neighbours in distances that are given are searched in R, on one thread, without
#' a warning about missing ones; `query` and `method` belong to points.
#'
#' Distances are, bit for bit, those of `gpu_dist(x)` and `gpu_cdist(x, query)`, always in
#' double precision. There is no argument `precision`. A missing distance (`NA`, for example if two
#' points have no coordinate in common) counts as larger than all others: such a point is a
#' neighbour only if fewer than `k` points have a distance, ties by row number, and never within a
#' radius. `gpu_knn()` warns about missing distances as `gpu_dist()` does; `gpu_radius()` does not.
#'
#' With up to 128 columns trees may be searched, and time grows little faster than the number of
#' points: for Euclidean (also squared and standardized), Mahalanobis, Manhattan, maximum and
#' Minkowski distances, on the CPU in up to 128 dimensions and on a GPU in up to 16, if a sample of
#' the points shows that this is faster than computing each distance once. A GPU takes no sample of
#' up to about 270,000 points in up to 6 dimensions; it computes all distances below 2^30 pairs of
#' points, and with more than 6 dimensions below 2^36 pairs. Great circles are searched as
#' Euclidean distances of points on the sphere in space, on the CPU unless `backend = "cuda"`; the
#' CPU then computes the distances of what the GPU finds. A tree takes about 20 bytes for each
#' coordinate of a point on the CPU, and 90 bytes for each point and 9 for each coordinate on a GPU;
#' with a smaller `memory_limit` all distances are computed.
#'
#' Without a tree, a GPU computes each distance once or twice. For 8,192 points and more without
#' missing values, a GPU of compute capability 8.0 or above filters pairs by matrix products in half
#' precision, whose error bounds rule out most pairs, and computes only the remaining ones
#' (Euclidean and Mahalanobis distances, cosines and correlations). The result is the same on any
#' number of threads, on the CPU and on a GPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_neighbor_graph()] for the graph of neighbours, [gpu_metric()] for the metrics,
#'   [gpu_closest_pair()], [gpu_collisions()] for many points in few dimensions.
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' nearest <- gpu_knn(x, k = 3)
#' head(nearest$index)
#' head(nearest$distance)
#'
#' # Classification by the five nearest flowers of a training set.
#' known <- seq(1, 150, 2)
#' nearest <- gpu_knn(x[known, ], 5, query = x[-known, ], method = "manhattan")
#' votes <- matrix(iris$Species[known][nearest$index], ncol = 5)
#' guess <- apply(votes, 1, function(v) names(which.max(table(v))))
#' mean(guess == iris$Species[-known])
#'
#' # Earthquakes within 100 km of each other.
#' near <- gpu_radius(quakes[, c("long", "lat")], 1e5, method = "great-circle")
#' table(near$count > 0)
#'
#' near <- gpu_radius(x, 0.3)
#' summary(near$count)
#' # As a data frame, and as a list with an element for each point.
#' point <- rep(seq_along(near$count), near$count)
#' head(data.frame(point, neighbor = near$index, distance = near$distance))
#' split(near$index, factor(point, seq_along(near$count)))[[1]]
#' @export
gpu_knn <- function(x, k, query = NULL, method = "euclidean", ..., metric = NULL, backend = NULL,
                    threads = NULL, device = NULL, progress = NULL, memory_limit = NULL,
                    include_self = FALSE, radius = NULL) {
  call <- sys.call()
  dots <- if (...length()) match.call(expand.dots = FALSE)$...
  if (is_distances(x)) check_neighbor_distances(match.call(expand.dots = FALSE), query, call)
  from <- input_reader(dots, list(...), list(x, query), memory_limit, call)
  metric <- metric_of(method, metric, missing(method), call)
  from$coding <- column_coding(x, metric, from)
  x <- neighbor_points(x, from, metric, query)
  query <- points_of(query, "query", from)
  warn_of_columns(list(x, query), "query", metric$method, call)
  bar <- progress_bar("Neighbours")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_list(x, metric, from$coding, call)
  nearest <- if (flag_of(include_self, "include_self", call)) {
    knn_with_self(x, query, metric, k, settings, call)
  } else {
    find_nearest(x, query, k, metric, settings, call)
  }
  nearest <- within_radius(nearest, radius, call)
  names <- row_names(x, query)
  if (!is.null(names)) {
    rownames(nearest$index) <- rownames(nearest$distance) <- names
  }
  structure(nearest, class = "gpu_knn", query = !is.null(query))
}

#' @rdname gpu_knn
#' @export
gpu_radius <- function(x, radius, query = NULL, method = "euclidean", ..., metric = NULL,
                       backend = NULL, threads = NULL, device = NULL, progress = NULL,
                       memory_limit = NULL) {
  call <- sys.call()
  dots <- if (...length()) match.call(expand.dots = FALSE)$...
  if (is_distances(x)) check_neighbor_distances(match.call(expand.dots = FALSE), query, call)
  from <- input_reader(dots, list(...), list(x, query), memory_limit, call)
  metric <- metric_of(method, metric, missing(method), call)
  from$coding <- column_coding(x, metric, from)
  x <- neighbor_points(x, from, metric, query)
  query <- points_of(query, "query", from)
  warn_of_columns(list(x, query), "query", metric$method, call)
  bar <- progress_bar("Neighbours")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_list(x, metric, from$coding, call)
  near <- find_near(x, query, radius, metric, settings, call)
  names(near$count) <- row_names(x, query)
  structure(near, class = "gpu_radius", query = !is.null(query))
}

# Return the neighbours by a metric_list(): list(index, distance), and list(count, index, distance).
find_nearest <- function(x, query, k, metric, settings, call) {
  if (is_source(x)) {
    return(.Call(C_distances_knn, x$inputs, list(source = x$source, k = k), settings, call))
  }
  if (is.function(metric$method)) {
    return(knn_by(metric, x, query, k, settings, call))
  }
  .Call(C_knn, list(x, query), c(metric, list(k = k)), settings, call)
}
find_near <- function(x, query, radius, metric, settings, call) {
  if (is_source(x)) {
    options <- list(source = x$source, radius = radius)
    return(.Call(C_distances_radius, x$inputs, options, settings, call))
  }
  if (is.function(metric$method)) {
    return(radius_by(metric, x, query, radius, settings, call))
  }
  .Call(C_radius, list(x, query), c(metric, list(radius = radius)), settings, call)
}

# Returns the k nearest of each point, the first of which is the point itself.
knn_with_self <- function(x, query, metric, k, settings, call) {
  if (!is.null(query)) {
    stop_argument("include_self must not be TRUE with query", "include_self", call)
  }
  n <- neighbor_count(x, call)
  if (!is.numeric(k) || length(k) != 1L || !k %in% seq_len(n)) {
    stop_argument(sprintf(
      "k must be a whole number between 1 and %.0f (the points, itself included), not %s", n,
      show_value(k)
    ), "k", call)
  }
  self <- list(index = seq_len(n), distance = numeric(n))
  if (k == 1) { # checks the other arguments by the neighbours of one point, or of none
    if (is_source(x)) {
      check_search(0, settings, call)
    } else {
      one <- x[if (is.function(metric$method)) 0L else 1L, , drop = FALSE]
      suppressWarnings(find_nearest(x, one, 1, metric, settings, call))
    }
    return(lapply(self, as.matrix))
  }
  others <- find_nearest(x, NULL, k - 1, metric, settings, call)
  Map(function(first, rest) unname(cbind(first, rest)), self, others)
}

# Returns the names of the points whose neighbours are searched.
row_names <- function(x, query) neighbor_names(if (is.null(query)) x else query)

# Makes neighbours beyond a radius missing.
within_radius <- function(nearest, radius, call) {
  if (is.null(radius)) {
    return(nearest)
  }
  if (!is.numeric(radius) || length(radius) != 1L || !isTRUE(radius >= 0)) {
    stop_value(radius, "radius", "a number of at least 0", call)
  }
  beyond <- which(nearest$distance > radius)
  nearest$index[beyond] <- NA
  nearest$distance[beyond] <- NA
  nearest
}

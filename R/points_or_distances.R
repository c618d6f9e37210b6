#' Points or distances
#'
#' The functions that work from distances take points, too, and compute the distances themselves.
#' This page says which of both an argument is taken for.
#'
#' @section What always means distances: An object of class `"dist"` ([stats::dist()],
#'   [stats::as.dist()], [gpu_dist()], `cluster::daisy()`, `vegan::vegdist()`), a [gpu_dist_file()]
#'   and a [gpu_dist_device]. [gpu_dist()], [gpu_cdist()], [gpu_cor()] and the other functions that
#'   compare points refuse them.
#'
#' @section What a matrix means: In the functions that are named after those of vegan or scale
#'   distances, [gpu_adonis2()], [gpu_pairwise_adonis()], [gpu_anosim()], [gpu_mrpp()],
#'   [gpu_betadisper()], [gpu_pcoa()] and [gpu_mds()], a symmetric matrix means **distances**.
#'   Elements that should be equal and differ by at most 1e-8 of the largest are replaced by their
#'   mean. A square matrix with a diagonal of 0, or of missing values, that is not symmetric is an
#'   error that names the first pair with the largest difference: one triangle may be missing. Any
#'   other matrix means points. In [gpu_mantel()] and [gpu_mantel_partial()] every matrix means
#'   distances.
#'
#'   In all other functions, [gpu_hclust()], [gpu_pam()], [gpu_silhouette()], [gpu_validity()],
#'   [gpu_dbscan()], [gpu_hdbscan()], [gpu_optics()], [gpu_lof()], [gpu_mst()], [gpu_knn()],
#'   [gpu_radius()] and [gpu_neighbor_graph()], a matrix means **points**, a row each. If it has
#'   the form of distances, that is if it is square, not negative, 0 on the diagonal and symmetric
#'   up to 100 times the machine's precision, a warning of class `"gpugeo_points_warning"` says so;
#'   `as.dist(x)` makes distances of it. [gpu_hclust()] refuses such a matrix unless `metric` is
#'   given, as [stats::hclust()] does. A matrix of zeros is taken without a warning: both meanings
#'   give the same result.
#'
#'   Data frames whose columns are numbers are treated as matrices.
#'
#' @section What sequences mean: All of these functions take aligned sequences in place of points,
#'   see Sequences in [gpu_metric()].
#'
#' @examples
#' d <- 1 - cor(t(as.matrix(USArrests)))
#' plot(gpu_hclust(as.dist(d), "average"))
#' try(gpu_hclust(d, "average"))
#'
#' # The rows of a symmetric matrix as points.
#' suppressWarnings(gpu_knn(d, 2), classes = "gpugeo_points_warning")$index[1, ]
#' gpu_pcoa(gpu_dist(d))$eig
#' @name gpu_points_or_distances
NULL

# Returns a symmetric matrix, or a data frame that is one, as an object of class "dist", and others
# unchanged. Elements that differ a little from those they should be equal to are averaged.
#
# name    of the argument
# always  whether every square matrix means distances
# hint    what an error ends with
as_distances <- function(x, name, call, always = FALSE,
                         hint = "; gpu_dist() computes distances of points") {
  m <- square_of(x)
  if (is.null(m)) {
    return(x)
  }
  strict <- always || !any(diag(m) != 0, na.rm = TRUE)
  values <- .Call(C_square, m, name, if (strict) hint, call)
  if (is.null(values)) {
    return(x)
  }
  labels <- if (is.null(rownames(m))) colnames(m) else rownames(m)
  structure(
    values,
    Labels = labels, Size = nrow(m), Diag = FALSE, Upper = FALSE,
    method = "user supplied square matrix", class = "dist"
  )
}

# Returns a square matrix of doubles, or NULL for what is neither that nor a data frame.
square_of <- function(x) {
  if (is.data.frame(x) && nrow(x) == ncol(x) && all(vapply(x, is.numeric, NA))) {
    x <- as.matrix(x)
  }
  if (is.matrix(x) && is.numeric(x) && nrow(x) == ncol(x)) as_doubles(x)
}

# True for a matrix that is square, not negative, 0 on the diagonal and symmetric, but not all 0.
looks_like_distances <- function(x, call) {
  m <- square_of(if (is_square_dense(x)) as.matrix(x) else x)
  !is.null(m) && .Call(C_looks_like_distances, m, call)
}

# True for valid square matrices of package Matrix that are dense.
is_square_dense <- function(x) {
  is_matrix_class(x, "denseMatrix") && nrow(x) == ncol(x) &&
    isTRUE(methods::validObject(x, test = TRUE))
}

# Warns of a matrix of points that has the form of distances.
warn_of_points <- function(x, name, call) {
  if (looks_like_distances(x, call)) {
    warning(structure(
      list(message = message_of(
        "like distances", name, sprintf("as.dist(%s) makes distances of it", name)
      ), call = call),
      class = c("gpugeo_points_warning", "warning", "condition")
    ))
  }
}

# Raises an error if an object of class "dist" does not have the distances of a whole number of
# points, its Size.
check_dist <- function(d, name, call) {
  n <- attr(d, "Size")
  whole <- is.numeric(n) && length(n) == 1L && isTRUE(n >= 0 && n == round(n))
  if (!is.numeric(d) || !whole || length(d) != n * (n - 1) / 2) {
    stop_argument(sprintf(
      paste(
        "%s must be an object of class \"dist\" with n (n - 1) / 2 distances,",
        "not with %s and Size %s"
      ), name, if (is.numeric(d)) sprintf("%.0f", length(d)) else "text", show_value(n)
    ), name, call)
  }
}

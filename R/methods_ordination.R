#' Methods for ordinations
#'
#' How results of [gpu_pcoa()] and [gpu_mds()] are printed, summarized and drawn.
#'
#' @param x,object What [gpu_pcoa()] or [gpu_mds()] returned.
#' @param axes The numbers of the two axes that are drawn.
#' @param groups A value for each point, whose groups have colours and a key. `NULL`: one colour.
#' @param labels `TRUE`: points are their names, or their numbers; `FALSE`: they are symbols.
#'   `NULL`: names for up to 40 points that have names.
#' @param main,xlab,ylab,asp As in [graphics::plot()]. Labels of the axes of principal coordinates
#'   have by default their share of all variance.
#' @param digits The number of digits.
#' @param ... Of `plot()`: arguments of [graphics::plot()], such as `col` and `pch`. Otherwise not
#'   used.
#'
#' @return `plot()` and `print()` return `x`, invisibly; `as.matrix()` returns the matrix of points.
#'   `summary()` of principal coordinates returns a data frame with the columns `axis`,
#'   `eigenvalue`, `share` and `cumulative`; that of [gpu_mds()] a data frame of one row with
#'   `points`, `dimensions`, `type`, `stress`, `iterations` and `converged`.
#'   `vegan::scores()` returns the matrix of points as well.
#'
#' @seealso [gpu_pcoa()], [gpu_mds()], [result_tidiers] for data frames and for ggplot2
#'
#' @examples
#' found <- gpu_pcoa(gpu_dist(iris[, 1:4]), 3)
#' summary(found)
#' plot(found, groups = iris$Species)
#' @name ordination_class
NULL

# Returns the numbers of two of n axes; of one axis, 1 alone.
check_axes <- function(axes, n, call, words = "axes") {
  if (n == 1L && identical(as.numeric(axes), c(1, 2))) {
    axes <- 1L
  } else if (!is.numeric(axes) || length(axes) != 2L || !all(axes %in% seq_len(n))) {
    stop_value(axes, "axes", sprintf("two numbers of %s, 1 to %d", words, n), call)
  }
  axes
}

axis_label <- function(axis, percent) sprintf("Axis %d (%.1f %%)", axis, percent)

#' @rdname ordination_class
#' @export
plot.gpu_pcoa <- function(x, axes = c(1, 2), groups = NULL, labels = NULL, main = NULL, xlab = NULL,
                          ylab = NULL, asp = 1, ...) {
  axes <- check_axes(axes, ncol(x$points), sys.call())
  label <- axis_label(axes, 100 * x$relative[axes])
  draw_ordination(
    x$points[, axes, drop = FALSE], groups, labels, sys.call(), main = main, asp = asp,
    xlab = if (is.null(xlab)) label[1L] else xlab, ylab = if (is.null(ylab)) label[2L] else ylab,
    ...
  )
  invisible(x)
}

#' @rdname ordination_class
#' @export
plot.gpu_mds <- function(x, axes = c(1, 2), groups = NULL, labels = NULL, main = NULL, xlab = NULL,
                         ylab = NULL, asp = 1, ...) {
  axes <- check_axes(axes, x$ndim, sys.call(), "dimensions")
  label <- paste("Dimension", axes)
  draw_ordination(
    x$conf[, axes, drop = FALSE], groups, labels, sys.call(), main = main, asp = asp,
    xlab = if (is.null(xlab)) label[1L] else xlab, ylab = if (is.null(ylab)) label[2L] else ylab,
    ...
  )
  graphics::mtext(sprintf("stress %s", format(x$stress, digits = 3L)), 3, 0.2, adj = 1, cex = 0.85)
  invisible(x)
}

# Draws points of one or two columns, by groups.
draw_ordination <- function(points, groups, labels, call, ...) {
  n <- nrow(points)
  if (!is.null(groups)) check_values(groups, "groups", n, call)
  names <- rownames(points)
  if (is.null(labels)) labels <- !is.null(names) && n <= 40L
  labels <- if (flag_of(labels, "labels", call)) if (is.null(names)) seq_len(n) else names
  style <- utils::modifyList(list(pch = 19, cex = 0.8, col = "#08306B"), list(...))
  group <- if (!is.null(groups)) droplevels(as.factor(groups))
  if (!is.null(group)) {
    if (is.null(list(...)$col)) style$col <- colours_of(group)
    old <- begin_key(group)
    on.exit(graphics::par(old))
  }
  draw_points(points, style, labels)
  if (!is.null(group)) draw_key(group)
}

# Draws points as symbols or as labels. One column is drawn against the numbers of its points.
draw_points <- function(points, style, labels) {
  points <- unname(points)
  if (ncol(points) == 1L) {
    points <- cbind(seq_len(nrow(points)), points)
    style$asp <- NA
    style[c("xlab", "ylab")] <- list("point", style$xlab)
  }
  begin <- style[setdiff(names(style), c("pch", "cex", "col"))]
  do.call(graphics::plot, utils::modifyList(begin, list(x = points, type = "n")))
  if (is.null(labels)) {
    graphics::points(points, pch = style$pch, cex = style$cex, col = style$col, bg = style$bg)
  } else {
    graphics::text(points, labels = labels, cex = style$cex, col = style$col, xpd = NA)
  }
}

#' @rdname ordination_class
#' @export
summary.gpu_pcoa <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  axes <- seq_along(object$residual)
  data.frame(
    axis = axes, eigenvalue = object$eig[axes], share = object$relative[axes],
    cumulative = cumsum(object$relative[axes])
  )
}

#' @rdname ordination_class
#' @export
summary.gpu_mds <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  data.frame(
    points = object$nobj, dimensions = object$ndim, type = object$type, stress = object$stress,
    iterations = object$niter, converged = object$converged
  )
}

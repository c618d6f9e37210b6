# --- Silhouettes ---------------------------------------------------------------------------------

#' Methods for silhouettes
#'
#' Without package cluster, results of [gpu_silhouette()] are printed, summarized and drawn by these
#' methods. Where cluster is loaded, its own do that.
#'
#' @param x,object What [gpu_silhouette()] returned.
#' @param n The number of points to print.
#' @param col Colours of the clusters, in the order of their numbers.
#' @param main,xlab The title, and the label of the axis.
#' @param ... Of `plot()`: arguments of [graphics::barplot()]. Otherwise not used.
#'
#' @return `summary()` returns a list of class `"summary.silhouette"` with the elements of that of
#'   package cluster: `si.summary`, the quartiles of the widths; `clus.avg.widths` and `clus.sizes`,
#'   the mean width and the number of points of each cluster; `avg.width`, the mean of all widths;
#'   and `call`. `as.data.frame()` returns a data frame of the matrix's columns. `plot()` and
#'   `print()` return `x`, invisibly.
#'
#' @details `plot()` draws a bar for each point, sorted by cluster and width, and writes for each
#'   cluster its number, size and mean width. Points have their names up to 40 points.
#'
#' @seealso [gpu_silhouette()], [result_tidiers] for data frames and for ggplot2
#'
#' @examples
#' widths <- gpu_silhouette(iris[, 1:4], iris$Species)
#' summary(widths)$avg.width
#' plot(widths)
#' @name silhouette_class
NULL

# Returns the clusters' numbers of a silhouette in ascending order.
silhouette_codes <- function(x) sort(unique(x[, "cluster"]))

fallback_print.silhouette <- function(x, n = 6L, ...) { # nolint: object_name_linter.
  if (isNamespaceLoaded("cluster") || !is.matrix(x)) {
    return(NextMethod())
  }
  cat(sprintf(
    "Silhouettes of %d points in %d clusters, mean width %s\n", nrow(x),
    length(silhouette_codes(x)), format(mean(x[, "sil_width"]), digits = 4L)
  ))
  print(matrix(x, nrow(x), dimnames = dimnames(x))[seq_len(min(n, nrow(x))), , drop = FALSE])
  if (nrow(x) > n) {
    cat(sprintf("... and %s\n", counted(nrow(x) - n, "more point", "more points")))
  }
  invisible(x)
}

fallback_summary.silhouette <- function(object, ...) { # nolint: object_name_linter.
  width <- object[, "sil_width"]
  structure(
    list(
      si.summary = summary(width, ...), clus.avg.widths = tapply(width, object[, "cluster"], mean),
      clus.sizes = table(cluster = object[, "cluster"]), avg.width = mean(width),
      call = attr(object, "call"), codes = attr(object, "codes"), Ordered = attr(object, "Ordered")
    ),
    class = "summary.silhouette"
  )
}

fallback_print.summary.silhouette <- function(x, ...) { # nolint
  cat(sprintf(
    "Silhouettes of %d points in %d clusters\n", sum(x$clus.sizes), length(x$clus.sizes)
  ))
  if (!is.null(x$call)) cat("Call: ", deparse_call(x$call), "\n", sep = "")
  print(data.frame(
    cluster = names(x$clus.sizes), size = c(x$clus.sizes), `mean width` = c(x$clus.avg.widths),
    check.names = FALSE
  ), digits = 4L, row.names = FALSE)
  cat("All widths:\n")
  print(x$si.summary, ...)
  invisible(x)
}

fallback_as.data.frame.silhouette <- function(x, ...) { # nolint
  values <- matrix(x, nrow(x), dimnames = list(NULL, colnames(x)))
  frame <- as.data.frame(values)
  frame[1:2] <- lapply(frame[1:2], as.integer)
  if (!is.null(rownames(x))) rownames(frame) <- rownames(x)
  frame
}

# Returns the order in which bars are drawn from the top: by cluster, the widest first.
silhouette_order <- function(x) order(x[, "cluster"], -x[, "sil_width"])

fallback_plot.silhouette <- function(x, col = NULL, main = "Silhouettes", # nolint
                                     xlab = "silhouette width", ...) {
  if (!is.matrix(x)) {
    stop_argument("x must have at least two clusters to be drawn", "x", sys.call())
  }
  order <- rev(silhouette_order(x)) # barplot() begins at the bottom
  cluster <- factor(x[order, "cluster"], silhouette_codes(x))
  width <- x[order, "sil_width"]
  colours <- if (is.null(col)) group_colours(nlevels(cluster)) else rep_len(col, nlevels(cluster))
  gaps <- max(1, round(length(width) / 50)) * c(FALSE, diff(as.integer(cluster)) != 0)
  few <- length(width) <= 40L
  names <- if (few) if (is.null(rownames(x))) order else rownames(x)[order]
  old <- graphics::par(mar = c(5, if (few) 6 else 2, 4, 8) + 0.1)
  on.exit(graphics::par(old))
  style <- list(
    height = unname(width), space = gaps, horiz = TRUE, names.arg = names, las = 1, main = main,
    xlab = xlab, xlim = c(min(0, width), 1), col = colours[as.integer(cluster)],
    border = if (few) "white" else NA, cex.names = 0.8
  )
  at <- do.call(graphics::barplot, utils::modifyList(style, list(...)))
  write_averages(cluster, width, at)
  invisible(x)
}

# Writes size and mean width of each cluster to the right of its bars, and the mean of all widths.
write_averages <- function(cluster, width, at) {
  graphics::abline(v = mean(width), lty = 2, col = "grey30")
  text <- sprintf(
    "%s: %d | %.2f", levels(cluster), tabulate(cluster, nlevels(cluster)),
    tapply(width, cluster, mean)
  )
  graphics::text(1.04, tapply(at, cluster, mean), text, adj = 0, xpd = NA)
  graphics::mtext("points | mean", 3, 0.3, at = 1.04, adj = 0, cex = 0.8)
  graphics::mtext(sprintf("all: %d | %.2f (dashed)", length(width), mean(width)), 1, 4, cex = 0.8)
}

# --- Medoids -------------------------------------------------------------------------------------

#' Methods for clusters around medoids
#'
#' Without package cluster, results of [gpu_pam()] are printed, summarized and drawn by these
#' methods. Where cluster is loaded, its own do that.
#'
#' @param x,object What [gpu_pam()] returned.
#' @param which What is drawn: `"clusters"`, the points with lines to their medoids, of more than
#'   two columns by their principal components, which needs the points in `x`; `"silhouettes"`; or
#'   both, next to each other. `NULL`: all that `x` has.
#' @param ... Of `plot()`: arguments of [graphics::plot()] or of the plot of silhouettes. Otherwise
#'   not used.
#'
#' @return `summary()` returns a list of class `"summary.pam"` with the elements of `object`.
#'   `plot()` and `print()` return `x`, invisibly.
#'
#' @seealso [gpu_pam()], [result_tidiers]
#'
#' @examples
#' parts <- gpu_pam(iris[, 1:4], 3)
#' parts
#' plot(parts)
#' @name pam_class
NULL

fallback_print.pam <- function(x, ...) { # nolint: object_name_linter.
  size <- tabulate(x$clustering, length(x$id.med))
  cat(sprintf(
    "%d points in %s around medoids\n", length(x$clustering),
    counted(length(size), "cluster", "clusters")
  ))
  cat("Call: ", deparse_call(x$call), "\n", sep = "")
  cat(sprintf(
    "Mean distance from the medoids: %s, %s before swaps\n",
    format(x$objective[["swap"]], digits = 5L), format(x$objective[["build"]], digits = 5L)
  ))
  frame <- data.frame(cluster = seq_along(size), size, medoid = x$id.med)
  medoids <- if (is.matrix(x$medoids)) x$medoids else NULL
  if (!is.null(medoids) && ncol(medoids) <= 10L) {
    frame <- cbind(frame, medoids, row.names = NULL)
  } else if (is.character(x$medoids)) {
    frame$medoid <- x$medoids
  }
  print(frame, row.names = FALSE, ...)
  invisible(x)
}

fallback_summary.pam <- function(object, ...) { # nolint: object_name_linter.
  structure(object, class = "summary.pam")
}

fallback_print.summary.pam <- function(x, ...) { # nolint: object_name_linter.
  fallback_print.pam(x, ...)
  cat("\nClusters:\n")
  info <- x$clusinfo
  rownames(info) <- seq_len(nrow(info))
  print(info, digits = 4L)
  if (!is.null(x$silinfo)) {
    cat("\nMean silhouette widths:\n")
    print(stats::setNames(x$silinfo$clus.avg.widths, seq_len(nrow(info))), digits = 4L)
    cat("All: ", format(x$silinfo$avg.width, digits = 4L), "\n", sep = "")
  }
  invisible(x)
}

# Returns the silhouette that a result of gpu_pam() holds.
pam_silhouette <- function(x) {
  structure(x$silinfo$widths, Ordered = TRUE, call = x$call, class = "silhouette")
}

fallback_plot.partition <- function(x, which = NULL, ...) { # nolint: object_name_linter.
  call <- sys.call()
  has <- c("clusters", "silhouettes")[c(!is.null(x$data), !is.null(x$silinfo))]
  if (is.null(which)) which <- has
  if (!length(which) || !all(which %in% has)) {
    stop_value(
      which, "which",
      sprintf("among what x has (%s)", paste0("\"", has, "\"", collapse = ", ")), call
    )
  }
  if (length(which) > 1L) {
    old <- graphics::par(mfrow = c(1, 2))
    on.exit(graphics::par(old))
  }
  if ("clusters" %in% which) draw_medoids(x, call, ...)
  if ("silhouettes" %in% which) fallback_plot.silhouette(pam_silhouette(x), ...)
  invisible(x)
}

# Draws points, medoids and lines between them.
draw_medoids <- function(x, call, ...) {
  points <- plane_of(x$data, length(x$clustering), call)
  cluster <- factor(x$clustering)
  colours <- colours_of(cluster)
  center <- points[x$id.med[x$clustering], , drop = FALSE]
  style <- list(x = points, type = "n", asp = 1, main = "Clusters around medoids")
  do.call(graphics::plot, utils::modifyList(style, list(...)))
  graphics::segments(
    center[, 1L], center[, 2L], points[, 1L], points[, 2L],
    col = grDevices::adjustcolor(colours, 0.3)
  )
  graphics::points(points, pch = 20, col = colours)
  graphics::points(
    points[x$id.med, , drop = FALSE], pch = 23, cex = 1.6, bg = group_colours(nlevels(cluster))
  )
}

# --- Clusters by density -------------------------------------------------------------------------

#' Methods for clusters by density
#'
#' How results of [gpu_dbscan()] and [gpu_hdbscan()] are printed, summarized and drawn. Where
#' package dbscan is loaded, it prints them.
#'
#' @param x,object What [gpu_dbscan()] or [gpu_hdbscan()] returned.
#' @param y The points, a matrix or data frame with a row for each, or an ordination or layout of
#'   them, to be drawn in the colours of their clusters; of more than two columns the principal
#'   components are drawn. `NULL`: the number of points in each cluster (`gpu_dbscan()`), or the
#'   condensed tree (`gpu_hdbscan()`).
#' @param show_flat Whether to show the clusters in colour, with their numbers.
#' @param main,xlab,ylab The title, and the labels of the axes.
#' @param ... Of `plot()`: arguments of [graphics::plot()] or [graphics::barplot()]. Otherwise not
#'   used.
#'
#' @return `summary()` returns a data frame with a row for each cluster, 0 being noise, and its
#'   `size`; of `gpu_hdbscan()` also with its stability (`score`) and the mean of its memberships
#'   (`membership`). `plot()` and `print()` return `x`, invisibly.
#'
#' @details In the condensed tree a cluster is a bar from the distance at which it separates from
#'   others, at the top, down to the one at which its last points leave it. Its width is the number
#'   of its points at each distance.
#'
#' @seealso [gpu_dbscan()], [gpu_hdbscan()], [result_tidiers]
#'
#' @examples
#' x <- as.matrix(quakes[, c("long", "lat")])
#' clusters <- gpu_dbscan(x, eps = 0.7, minPts = 10)
#' summary(clusters)
#' plot(clusters, x)
#'
#' tree <- gpu_hdbscan(x, minPts = 20)
#' plot(tree)
#' plot(tree, x)
#' @name density_class
NULL

fallback_print.dbscan_fast <- function(x, ...) { # nolint: object_name_linter.
  cat(sprintf(
    "DBSCAN of %d points, eps = %s, minPts = %s\n", length(x$cluster), format(x$eps),
    format(x$minPts)
  ))
  print_sizes(x$cluster)
  invisible(x)
}

# Prints how many clusters and points of noise there are, and a table of the points in each.
print_sizes <- function(cluster) {
  cat(
    counted(max(0L, cluster), "cluster", "clusters"), ", ",
    counted(sum(cluster == 0L), "point", "points"), " of noise\n", sep = ""
  )
  print(table(cluster, dnn = "cluster"))
}

fallback_summary.dbscan_fast <- function(object, ...) { # nolint: object_name_linter.
  cluster_sizes(object$cluster)
}

cluster_sizes <- function(cluster) {
  size <- table(cluster)
  data.frame(cluster = as.integer(names(size)), size = as.vector(size))
}

fallback_plot.dbscan_fast <- function(x, y = NULL, main = NULL, xlab = NULL, # nolint
                                      ylab = NULL, ...) {
  if (!is.null(y)) {
    draw_clusters(x$cluster, plane_of(y, length(x$cluster), sys.call()), main, xlab, ylab, ...)
    return(invisible(x))
  }
  size <- table(x$cluster)
  noise <- names(size) == "0"
  names(size)[noise] <- "noise"
  style <- list(
    height = size, border = NA, xlab = if (is.null(xlab)) "cluster" else xlab,
    ylab = if (is.null(ylab)) "points" else ylab, main = main, las = 1,
    col = replace(rep(noise_colour, length(size)), !noise, group_colours(sum(!noise)))
  )
  do.call(graphics::barplot, utils::modifyList(style, list(...)))
  invisible(x)
}

# Draws points in the colours of their clusters; noise is grey and smaller.
draw_clusters <- function(cluster, points, main, xlab, ylab, ...) {
  group <- factor(replace(cluster, cluster == 0L, NA))
  keyed <- nlevels(group) %in% 1:20
  if (keyed) {
    old <- begin_key(group)
    on.exit(graphics::par(old))
  }
  noise <- is.na(group)
  style <- list(
    x = rbind(points[noise, , drop = FALSE], points[!noise, , drop = FALSE]), main = main,
    xlab = if (is.null(xlab)) colnames(points)[1L] else xlab,
    ylab = if (is.null(ylab)) colnames(points)[2L] else ylab, asp = 1, pch = 19,
    cex = rep(c(0.4, 0.7), c(sum(noise), sum(!noise))), col = colours_of(group)[order(!noise)]
  )
  do.call(graphics::plot, utils::modifyList(style, list(...)))
  if (keyed) draw_key(group, "cluster")
}

#' @rdname density_class
#' @export
print.gpu_hdbscan <- function(x, ...) { # nolint: object_name_linter.
  if (isNamespaceLoaded("dbscan")) {
    return(NextMethod())
  }
  cat(sprintf("HDBSCAN of %d points, minPts = %s\n", length(x$cluster), format(x$minPts)))
  print_sizes(x$cluster)
  invisible(x)
}

#' @rdname density_class
#' @export
summary.gpu_hdbscan <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  sizes <- cluster_sizes(object$cluster)
  sizes$score <- unname(object$cluster_scores[as.character(sizes$cluster)])
  mean_of <- tapply(object$membership_prob, object$cluster, mean)
  sizes$membership <- unname(as.vector(mean_of))
  sizes
}

#' @rdname density_class
#' @export
plot.gpu_hdbscan <- function(x, y = NULL, show_flat = TRUE, main = NULL, xlab = NULL, ylab = NULL,
                             ...) {
  if (!is.null(y)) {
    draw_clusters(x$cluster, plane_of(y, length(x$cluster), sys.call()), main, xlab, ylab, ...)
  } else {
    draw_condensed(x, show_flat, main, xlab, ylab, ...)
  }
  invisible(x)
}

# Draws the condensed tree: each node is a polygon whose width is the number of its points.
draw_condensed <- function(x, show_flat, main, xlab, ylab, ...) {
  tree <- attr(x, "hdbscan")
  nodes <- drawable_bars(condensed_bars(tree))
  heights <- range(unlist(lapply(nodes, function(node) node$at)))
  style <- list(
    x = NA, xlim = c(0, length(x$cluster)), ylim = heights / c(1.2, 1), log = "y", main = main,
    las = 1,
    xlab = if (is.null(xlab)) "points, next to each other by cluster" else xlab,
    ylab = if (is.null(ylab)) "mutual reachability distance" else ylab, bty = "l"
  )
  do.call(graphics::plot, utils::modifyList(style, list(...)))
  salient <- attr(tree, "cl_map")
  colours <- group_colours(length(salient))
  for (name in names(nodes)) {
    number <- if (show_flat) match(name, as.character(salient)) else NA
    draw_bar(nodes[[name]], if (is.na(number)) noise_colour else colours[number])
  }
  if (show_flat && length(salient)) label_bars(nodes[as.character(salient)], names(salient))
}

# Returns list(at, left, right) of each node: distances in descending order, and the ends of the
# points that are left at each. Children divide the width of their parent, the first on the left.
condensed_bars <- function(tree) {
  bars <- list()
  hierarchy <- attr(tree, "cl_hierarchy")
  waiting <- list(list(name = "0", left = 0))
  while (length(waiting)) {
    node <- waiting[[1L]]
    waiting <- waiting[-1L]
    own <- tree[[node$name]]
    children <- hierarchy[[node$name]]
    inner <- vapply(tree[as.character(children)], node_size, 0)
    bars[[node$name]] <- bar_of(own, node$left)
    left <- node$left + length(own$contains) / 2 + cumsum(c(0, inner))
    for (k in seq_along(children)) {
      waiting <- c(waiting, list(list(name = as.character(children[k]), left = left[k])))
    }
  }
  bars
}

# Returns the number of points of a node and of those below it.
node_size <- function(node) length(node$contains) + node$n_children

# Returns the bar of one node. Points that leave take their width from both sides.
bar_of <- function(node, left) {
  width <- node_size(node)
  leaving <- sort(node$eps, decreasing = TRUE)
  at <- c(node$eps_birth, rep(leaving, each = 2L), node$eps_death)
  remaining <- rep(width - seq(0, length(leaving)), each = 2L)
  list(
    at = at, left = left + (width - remaining) / 2, right = left + (width + remaining) / 2,
    middle = left + width / 2
  )
}

# Limits distances to what an axis of logarithms can show.
drawable_bars <- function(bars) {
  at <- unlist(lapply(bars, function(bar) bar$at))
  shown <- at[at > 0 & is.finite(at)]
  limits <- range(if (length(shown)) shown else 1)
  limits <- limits * c(if (any(at == 0)) 0.5 else 1, if (any(at == Inf)) 2 else 1)
  lapply(bars, function(bar) replace(bar, "at", list(pmin(pmax(bar$at, limits[1L]), limits[2L]))))
}

draw_bar <- function(bar, colour) {
  graphics::polygon(
    c(bar$left, rev(bar$right)), c(bar$at, rev(bar$at)), col = colour, border = colour
  )
}

# Writes the numbers of clusters below their bars.
label_bars <- function(bars, numbers) {
  low <- vapply(bars, function(bar) min(bar$at), 0)
  middle <- vapply(bars, function(bar) bar$middle, 0)
  graphics::text(middle, low, numbers, pos = 1, xpd = NA, offset = 0.3, font = 2)
}

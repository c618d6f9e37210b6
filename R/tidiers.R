# nolint start: object_name_linter. The methods of other packages.
#' Results as data frames and in ggplot2
#'
#' Methods of `as.data.frame()`, of `tidy()`, `glance()` and `augment()` (packages generics and
#' broom), of `autoplot()` and `fortify()` (package ggplot2), and of `vegan::scores()`. They are
#' registered where these packages are loaded.
#'
#' @param x,model,object,display What a function of gpugeo returned; `display` is not used.
#' @param data The data to which columns are added, with a row for each point. `NULL`: none, so that
#'   the columns alone are returned.
#' @param groups A value for each point, whose groups have colours.
#' @param axes The numbers of the two axes that are drawn.
#' @param ... Not used.
#'
#' @return `as.data.frame()` and `fortify()` return a data frame with a row for each point or
#'   vertex; that of [gpu_hclust()] has a row for each merge. `tidy()` returns a row for each axis
#'   ([gpu_pcoa()]), dimension ([gpu_mds()]), merge ([gpu_hclust()]), cluster ([gpu_hdbscan()],
#'   [gpu_silhouette()]), or term ([gpu_adonis2()]); `glance()` one row about the whole; `augment()`
#'   a row for each point: coordinates (`.axis1`, ...), `.cluster`, `.sil_width` and the like.
#'   `autoplot()` returns a plot of ggplot2.
#'
#' @examples
#' found <- gpu_pcoa(gpu_dist(iris[, 1:4]))
#' head(as.data.frame(found))
#' if (requireNamespace("generics", quietly = TRUE)) {
#'   print(generics::tidy(found))
#'   print(generics::glance(found))
#' }
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   print(ggplot2::autoplot(found, groups = iris$Species))
#' }
#' @name result_tidiers
NULL

# --- Data frames ---------------------------------------------------------------------------------

# Returns a matrix of points as a data frame with the names of the rows and given names of columns.
points_frame <- function(points, prefix) {
  frame <- as.data.frame(unname(points))
  names(frame) <- paste0(prefix, seq_len(ncol(points)))
  if (!is.null(rownames(points))) rownames(frame) <- make.unique(rownames(points))
  frame
}

#' @rdname result_tidiers
#' @param row.names,optional As in [as.data.frame()]; not used.
#' @export
as.data.frame.gpu_pcoa <- function(x, row.names = NULL, optional = FALSE, ...) {
  points_frame(x$points, "axis")
}

#' @rdname result_tidiers
#' @export
as.data.frame.gpu_mds <- function(x, row.names = NULL, optional = FALSE, ...) {
  points_frame(x$conf, "dim")
}

#' @rdname result_tidiers
#' @export
as.data.frame.gpu_hdbscan <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(
    cluster = x$cluster, membership = x$membership_prob, outlier_score = x$outlier_scores,
    core_distance = x$coredist, row.names = x$hc$labels
  )
}

#' @rdname result_tidiers
#' @export
as.data.frame.hclust <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(
    merge = seq_along(x$height), first = x$merge[, 1L], second = x$merge[, 2L], height = x$height,
    size = merge_sizes(x$merge)
  )
}

# Returns the number of points of each merge of a tree.
merge_sizes <- function(merge) {
  size <- integer(nrow(merge))
  for (k in seq_len(nrow(merge))) {
    sides <- merge[k, ]
    size[k] <- sum(sides < 0L) + sum(size[sides[sides > 0L]])
  }
  size
}

# --- tidy, glance, augment -----------------------------------------------------------------------

# Returns a data frame as a tibble where package tibble is installed, as broom does.
tidy_frame <- function(frame) {
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

# Returns `columns` next to the data of a user.
beside_data <- function(data, columns, names) {
  names(columns) <- names
  if (is.null(data)) {
    return(tidy_frame(columns))
  }
  data <- as.data.frame(data)
  if (nrow(data) != nrow(columns)) {
    stop_argument(sprintf(
      "data must have a row for each of the %d points, not %d rows", nrow(columns), nrow(data)
    ), "data", sys.call(-1L))
  }
  tidy_frame(cbind(data, columns, row.names = NULL))
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.gpu_pcoa <- function(x, ...) tidy_frame(summary(x))

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.gpu_pcoa <- function(x, ...) {
  tidy_frame(data.frame(
    points = nrow(x$points), axes = ncol(x$points), trace = x$trace, GOF = x$GOF[1L],
    negative_share = x$negative_share, correction = x$correction, converged = x$converged
  ))
}

#' @rdname result_tidiers
#' @exportS3Method generics::augment
augment.gpu_pcoa <- function(x, data = NULL, ...) {
  beside_data(data, as.data.frame(x), paste0(".axis", seq_len(ncol(x$points))))
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.gpu_mds <- function(x, ...) {
  variance <- apply(x$conf, 2L, stats::var)
  tidy_frame(data.frame(
    dimension = seq_len(x$ndim), variance = unname(variance),
    share = unname(variance / sum(variance))
  ))
}

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.gpu_mds <- function(x, ...) tidy_frame(summary(x))

#' @rdname result_tidiers
#' @exportS3Method generics::augment
augment.gpu_mds <- function(x, data = NULL, ...) {
  beside_data(data, as.data.frame(x), paste0(".dim", seq_len(x$ndim)))
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.hclust <- function(x, ...) tidy_frame(as.data.frame.hclust(x))

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.hclust <- function(x, ...) {
  word <- function(value) if (is.null(value)) NA_character_ else as.character(value)
  tidy_frame(data.frame(
    points = length(x$order), method = word(x$method), dist.method = word(x$dist.method),
    height = max(x$height)
  ))
}

#' @rdname result_tidiers
#' @param k,h As in [stats::cutree()]: the number of clusters, or the height of the cut.
#' @exportS3Method generics::augment
augment.hclust <- function(x, data = NULL, k = NULL, h = NULL, ...) {
  beside_data(data, data.frame(unname(stats::cutree(x, k, h))), ".cluster")
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.gpu_hdbscan <- function(x, ...) tidy_frame(summary(x))

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.gpu_hdbscan <- function(x, ...) {
  tidy_frame(data.frame(
    points = length(x$cluster), clusters = max(0L, x$cluster), noise = sum(x$cluster == 0L),
    minPts = x$minPts
  ))
}

#' @rdname result_tidiers
#' @exportS3Method generics::augment
augment.gpu_hdbscan <- function(x, data = NULL, ...) {
  names <- c(".cluster", ".membership", ".outlier_score", ".core_distance")
  beside_data(data, as.data.frame(x), names)
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.silhouette <- function(x, ...) {
  made <- fallback_summary.silhouette(x)
  tidy_frame(data.frame(
    cluster = as.integer(names(made$clus.sizes)), size = as.vector(made$clus.sizes),
    avg.width = as.vector(made$clus.avg.widths)
  ))
}

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.silhouette <- function(x, ...) {
  tidy_frame(data.frame(
    points = nrow(x), clusters = length(silhouette_codes(x)), avg.width = mean(x[, "sil_width"])
  ))
}

#' @rdname result_tidiers
#' @exportS3Method generics::augment
augment.silhouette <- function(x, data = NULL, ...) {
  columns <- fallback_as.data.frame.silhouette(x)
  beside_data(data, columns, c(".cluster", ".neighbor", ".sil_width"))
}

#' @rdname result_tidiers
#' @exportS3Method generics::tidy
tidy.anova.cca <- function(x, ...) { # nolint: object_name_linter.
  names <- c(
    Df = "df", SumOfSqs = "sumsq", Variance = "variance", R2 = "r.squared", F = "statistic",
    `Pr(>F)` = "p.value"
  )
  columns <- intersect(names(names), names(x))
  frame <- as.data.frame(unclass(x)[columns], optional = TRUE)
  names(frame) <- names[columns]
  tidy_frame(cbind(term = attr(x, "row.names"), frame))
}

#' @rdname result_tidiers
#' @exportS3Method generics::glance
glance.anova.cca <- function(x, ...) { # nolint: object_name_linter.
  terms <- setdiff(attr(x, "row.names"), c("Residual", "Total"))
  permuted <- attr(x, "F.perm")
  residual <- match("Residual", attr(x, "row.names"))
  squared <- x[["R2"]] # not in tests of constrained ordinations
  tidy_frame(data.frame(c(
    list(terms = length(terms)), if (!is.null(squared)) list(r.squared = 1 - squared[residual]),
    list(
      df.residual = x[["Df"]][residual],
      permutations = if (is.null(permuted)) 0L else NROW(permuted)
    )
  )))
}

# --- vegan ---------------------------------------------------------------------------------------

#' @rdname result_tidiers
#' @exportS3Method vegan::scores
scores.gpu_pcoa <- function(x, display = "sites", ...) {
  points <- x$points
  if (is.null(colnames(points))) colnames(points) <- paste0("Axis", seq_len(ncol(points)))
  points
}

#' @rdname result_tidiers
#' @exportS3Method vegan::scores
scores.gpu_mds <- function(x, display = "sites", ...) x$conf

# --- ggplot2 -------------------------------------------------------------------------------------

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.gpu_pcoa <- function(model, data, ...) as.data.frame(model)

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.gpu_mds <- function(model, data, ...) as.data.frame(model)

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.gpu_layout <- function(model, data, ...) as.data.frame(layout_positions(model))

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.gpu_hdbscan <- function(model, data, ...) as.data.frame(model)

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.silhouette <- function(model, data, ...) fallback_as.data.frame.silhouette(model)

#' @rdname result_tidiers
#' @exportS3Method ggplot2::fortify
fortify.hclust <- function(model, data, ...) as.data.frame.hclust(model)

# Returns a mapping of columns by their names.
mapping_of <- function(...) ggplot2::aes(!!!lapply(c(...), as.name))

# Returns a plot of points in two columns of a frame, by groups.
ggplot_points <- function(frame, columns, groups, labels) {
  frame <- stats::setNames(frame[columns], c("x", "y"))
  frame$group <- groups
  columns <- c(x = "x", y = "y", colour = if (!is.null(groups)) "group")
  if (!is.null(groups)) frame$group <- as.factor(frame$group)
  ggplot2::ggplot(frame, mapping_of(columns)) +
    ggplot2::geom_point() + ggplot2::coord_equal() +
    ggplot2::labs(x = labels[1L], y = labels[2L], colour = NULL) + colour_scale(frame$group)
}

colour_scale <- function(group) {
  if (is.null(group)) {
    return(NULL)
  }
  ggplot2::scale_colour_manual(values = group_colours(nlevels(group)), na.value = noise_colour)
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.gpu_pcoa <- function(object, groups = NULL, axes = c(1, 2), ...) {
  axes <- check_axes(axes, ncol(object$points), sys.call())
  labels <- axis_label(axes, 100 * object$relative[axes])
  ggplot_points(as.data.frame(object), axes, groups, labels)
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.gpu_mds <- function(object, groups = NULL, axes = c(1, 2), ...) {
  axes <- check_axes(axes, object$ndim, sys.call(), "dimensions")
  ggplot_points(as.data.frame(object), axes, groups, paste("Dimension", axes))
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.gpu_layout <- function(object, groups = NULL, ...) {
  frame <- as.data.frame(layout_positions(object))
  ends <- layout_ends(object)
  edges <- data.frame(
    x = frame$x[ends[, 1L]], y = frame$y[ends[, 1L]],
    xend = frame$x[ends[, 2L]], yend = frame$y[ends[, 2L]]
  )
  plot <- ggplot_points(frame, 1:2, groups, c("", ""))
  mapping <- mapping_of(x = "x", y = "y", xend = "xend", yend = "yend")
  lines <- ggplot2::geom_segment(mapping, edges, inherit.aes = FALSE, colour = "grey70")
  plot$layers <- c(list(lines), plot$layers)
  plot + ggplot2::theme_void()
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.silhouette <- function(object, ...) {
  order <- silhouette_order(object)
  frame <- fallback_as.data.frame.silhouette(object)[order, ]
  frame$cluster <- factor(frame$cluster, silhouette_codes(object))
  frame$point <- seq_along(order)
  mean_width <- mean(frame$sil_width)
  ggplot2::ggplot(frame, mapping_of(x = "point", y = "sil_width", fill = "cluster")) +
    ggplot2::geom_col(width = 1) +
    ggplot2::geom_hline(yintercept = mean_width, linetype = 2) +
    ggplot2::scale_fill_manual(values = group_colours(nlevels(frame$cluster))) +
    ggplot2::scale_x_reverse(breaks = NULL) + ggplot2::coord_flip() +
    ggplot2::labs(x = NULL, y = "silhouette width", title = sprintf("mean width %.2f", mean_width))
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.gpu_hdbscan <- function(object, ...) {
  tree <- attr(object, "hdbscan")
  bars <- drawable_bars(condensed_bars(tree))
  salient <- attr(tree, "cl_map")
  shapes <- lapply(names(bars), function(name) {
    bar <- bars[[name]]
    number <- names(salient)[match(name, as.character(salient))]
    data.frame(
      x = c(bar$left, rev(bar$right)), y = c(bar$at, rev(bar$at)), node = name,
      cluster = factor(number, names(salient))
    )
  })
  mapping <- mapping_of(x = "x", y = "y", group = "node", fill = "cluster")
  ggplot2::ggplot(do.call(rbind, shapes), mapping) + ggplot2::geom_polygon() +
    ggplot2::scale_y_log10() +
    ggplot2::scale_fill_manual(values = group_colours(length(salient)), na.value = noise_colour) +
    ggplot2::labs(x = "points", y = "mutual reachability distance")
}

#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.hclust <- function(object, ...) {
  segments <- tree_segments(object)
  labels <- if (is.null(object$labels)) seq_along(object$order) else object$labels
  few <- length(object$order) <= 60L
  mapping <- mapping_of(x = "x", y = "y", xend = "xend", yend = "yend")
  ggplot2::ggplot(segments, mapping) + ggplot2::geom_segment() +
    ggplot2::scale_x_continuous(
      breaks = if (few) seq_along(object$order), labels = if (few) labels[object$order]
    ) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5)) +
    ggplot2::labs(x = NULL, y = "height")
}

# Returns the lines of a dendrogram: three for each merge.
tree_segments <- function(tree) {
  n <- length(tree$order)
  leaf <- order(tree$order)
  x <- numeric(n - 1L)
  sides <- matrix(0, n - 1L, 4L, dimnames = list(NULL, c("left", "right", "low", "low2")))
  for (k in seq_len(n - 1L)) {
    pair <- tree$merge[k, ]
    at <- ifelse(pair < 0L, leaf[abs(pair)], x[pmax(pair, 1L)])
    low <- ifelse(pair < 0L, 0, tree$height[pmax(pair, 1L)])
    x[k] <- mean(at)
    sides[k, ] <- c(at, low)
  }
  h <- tree$height
  data.frame(
    x = c(sides[, 1L], sides[, 2L], sides[, 1L]), y = c(sides[, 3L], sides[, 4L], h),
    xend = c(sides[, 1L], sides[, 2L], sides[, 2L]), yend = c(h, h, h)
  )
}
#' @rdname result_tidiers
#' @exportS3Method ggplot2::autoplot
autoplot.anova.cca <- function(object, ...) { # nolint: object_name_linter.
  parts <- test_parts(object)
  permuted <- as.matrix(parts$permuted)
  frame <- data.frame(
    statistic = as.vector(permuted),
    term = factor(rep(parts$name, each = nrow(permuted)), parts$name)
  )
  observed <- data.frame(statistic = parts$statistic, term = factor(parts$name, parts$name))
  ggplot2::ggplot(frame, mapping_of(x = "statistic")) +
    ggplot2::geom_histogram(bins = 30, fill = "grey70", colour = "white") +
    ggplot2::geom_vline(
      mapping_of(xintercept = "statistic"), observed, colour = "#D55E00", linewidth = 1
    ) +
    ggplot2::facet_wrap(~term, scales = "free_x") +
    ggplot2::labs(x = "permuted pseudo-F, and the observed one", y = "permutations")
}
# nolint end

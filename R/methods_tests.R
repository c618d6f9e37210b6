#' Methods for permutation tests
#'
#' How results of [gpu_adonis2()], [gpu_anosim()], [gpu_mrpp()], [gpu_mantel()],
#' [gpu_mantel_partial()], [gpu_betadisper()] and [gpu_permutest()] are printed, summarized and
#' drawn without package vegan. Where vegan is loaded, its own methods take them, if it has such.
#'
#' @param x,object What one of these functions returned.
#' @param breaks,main,xlab,col As in [graphics::hist()]; `col` of a betadisper are colours of its
#'   groups. `NULL`: by the kind of test; about 50 bars from the smallest to the largest statistic,
#'   the observed one included.
#' @param axes Of a betadisper: the numbers of the two axes that are drawn.
#' @param ... Of `plot()`: arguments of [graphics::hist()] or [graphics::plot()]. Otherwise not
#'   used.
#'
#' @return `plot()` and `print()` return `x`, invisibly. `summary()` returns a list of class
#'   `"summary.gpu_test"` with the elements `call`, `statistic`, `p.value`, `permutations` and
#'   `quantiles`, those of the permuted statistics; of a betadisper a data frame with the size, the
#'   mean distance and its standard deviation for each group; of [gpu_adonis2()] one with
#'   the columns `term`, `df`, `r.squared`, `statistic` and `p.value`.
#'
#' @details `plot()` draws a histogram of the statistics of the permutations, and the observed one
#'   as a line; for [gpu_adonis2()] one for each term. The plot of a betadisper shows points, and
#'   lines to the center of their group.
#'
#' @seealso [result_tidiers] for data frames and for ggplot2
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' d <- gpu_dist(iris[1:4])
#' test <- gpu_mrpp(d, iris$Species, 199)
#' summary(test)
#' plot(test)
#' plot(gpu_betadisper(d, iris$Species))
#' @name test_classes
NULL

# Returns list(name, statistic, p.value, permuted) of a test of vegan's classes. Of more than one
# statistic, the permuted ones are a matrix with a column for each.
test_parts <- function(x) {
  parts <- if (inherits(x, "anosim")) {
    list("R", x$statistic, x$signif, x$perm)
  } else if (inherits(x, "mrpp")) {
    list("delta", x$delta, x$Pvalue, x$boot.deltas)
  } else if (inherits(x, "mantel")) {
    list("r", x$statistic, x$signif, x$perm)
  } else if (inherits(x, "permutest.betadisper")) {
    list("F", x$statistic[[1L]], x$tab[1L, "Pr(>F)"], as.matrix(x$perm)[, 1L])
  } else {
    tested <- which(!is.na(x[["F"]]))
    list(rownames(x)[tested], x[["F"]][tested], x[["Pr(>F)"]][tested], attr(x, "F.perm"))
  }
  names(parts) <- c("name", "statistic", "p.value", "permuted")
  if (anyNA(parts$permuted)) parts["permuted"] <- list(NULL)
  parts
}

summary_of_test <- function(object, ...) {
  parts <- test_parts(object)
  structure(
    list(
      call = object$call, name = parts$name, statistic = parts$statistic, p.value = parts$p.value,
      permutations = length(parts$permuted),
      quantiles = if (length(parts$permuted)) {
        stats::quantile(parts$permuted, c(0, 0.5, 0.9, 0.95, 0.975, 0.99, 1))
      }
    ),
    class = "summary.gpu_test"
  )
}

#' @export
print.summary.gpu_test <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  if (!is.null(x$call)) cat("Call: ", deparse_call(x$call), "\n", sep = "")
  cat(x$name, " = ", format(x$statistic, digits = digits), sep = "")
  if (x$permutations > 0L) {
    cat(sprintf(
      ", p = %s, by %s\n", format.pval(x$p.value),
      counted(x$permutations, "permutation", "permutations")
    ))
    cat("Permuted values of ", x$name, ":\n", sep = "")
    print(x$quantiles, digits = digits)
  } else {
    cat("\n")
  }
  invisible(x)
}

# Draws a histogram of permuted statistics and the observed one.
plot_test <- function(x, breaks = NULL, main = NULL, xlab = NULL, col = "grey50", ...) {
  parts <- test_parts(x)
  if (!length(parts$permuted)) {
    stop_argument("x must have permutations to be drawn", "x", sys.call())
  }
  draw_permuted(parts, breaks, main, xlab, col, ...)
  invisible(x)
}

draw_permuted <- function(parts, breaks, main, xlab, col, ...) {
  limits <- range(parts$permuted, parts$statistic)
  style <- list(
    x = as.vector(parts$permuted), col = col, border = NA, las = 1, xlim = limits,
    breaks = if (is.null(breaks)) pretty(limits, 50L) else breaks,
    main = if (is.null(main)) "Permuted statistics" else main,
    xlab = if (is.null(xlab)) parts$name else xlab, ylab = "permutations"
  )
  do.call(graphics::hist, utils::modifyList(style, list(...)))
  graphics::abline(v = parts$statistic, col = "#D55E00", lwd = 2)
  usr <- graphics::par("usr")
  observed <- format(parts$statistic, digits = 3L)
  graphics::mtext(
    sprintf("observed %s, p = %s", observed, format.pval(parts$p.value, 3L)), 3, 0.2,
    at = min(max(parts$statistic, usr[1L]), usr[2L]),
    adj = (parts$statistic - usr[1L]) / (usr[2L] - usr[1L]), cex = 0.85, col = "#B04A00"
  )
}

fallback_summary.anosim <- summary_of_test # nolint start: object_name_linter.
fallback_summary.mrpp <- summary_of_test
fallback_summary.mantel <- summary_of_test
fallback_summary.permutest.betadisper <- summary_of_test # nolint
fallback_plot.anosim <- plot_test
fallback_plot.mrpp <- plot_test
fallback_plot.mantel <- plot_test
fallback_plot.permutest.betadisper <- plot_test # nolint
fallback_print.anosim <- function(x, ...) print_anosim(x, ...)
fallback_print.mrpp <- function(x, ...) print_mrpp(x, ...)
fallback_print.mantel <- function(x, ...) print_mantel(x, ...)
fallback_print.betadisper <- function(x, ...) print_betadisper(x, ...)
fallback_print.permutest.betadisper <- function(x, ...) print_permutest(x, ...) # nolint

fallback_plot.anova.cca <- function(x, breaks = NULL, main = NULL, xlab = "pseudo-F",
                                    col = "grey50", ...) {
  parts <- test_parts(x)
  permuted <- parts$permuted
  if (!length(permuted)) {
    stop_argument("x must have permutations to be drawn", "x", sys.call())
  }
  terms <- seq_along(parts$name)
  old <- graphics::par("mfrow", "mai", "mgp") # margins in inches: lines change with mfrow
  on.exit(graphics::par(old))
  rows <- grDevices::n2mfrow(length(terms))
  graphics::par(mfrow = rows, mar = c(3.6, 4, 4, 1), mgp = c(2.4, 0.7, 0))
  for (k in terms) {
    one <- list(
      name = parts$name[k], statistic = parts$statistic[k], p.value = parts$p.value[k],
      permuted = as.matrix(permuted)[, k]
    )
    draw_permuted(one, breaks, if (is.null(main)) one$name else main, xlab, col, ...)
  }
  invisible(x)
}

fallback_summary.anova.cca <- function(object, ...) {
  frame <- data.frame(
    term = rownames(object), df = object[["Df"]], statistic = object[["F"]],
    p.value = object[["Pr(>F)"]]
  )
  if (!is.null(object[["R2"]])) {
    frame <- data.frame(frame[1:2], r.squared = object[["R2"]], frame[3:4])
  }
  frame[!is.na(object[["F"]]), ]
}

fallback_summary.betadisper <- function(object, ...) {
  by_group <- function(value) as.vector(tapply(object$distances, object$group, value))
  data.frame(
    group = levels(object$group), size = tabulate(object$group, nlevels(object$group)),
    mean = as.vector(object$group.distances), sd = by_group(stats::sd)
  )
}

fallback_plot.betadisper <- function(x, axes = c(1, 2), main = "Dispersions of groups", col = NULL,
                                     ...) {
  call <- sys.call()
  axes <- check_axes(axes, ncol(x$vectors), call)
  group <- x$group
  points <- x$vectors[, axes, drop = FALSE]
  centroids <- matrix(x$centroids, nlevels(group))[, axes, drop = FALSE]
  colours <- if (is.null(col)) group_colours(nlevels(group)) else rep_len(col, nlevels(group))
  old <- begin_key(group)
  on.exit(graphics::par(old))
  share <- 100 * x$eig[axes] / sum(x$eig)
  style <- list(
    x = unname(points), type = "n", asp = 1, main = main, xlab = axis_label(axes[1L], share[1L]),
    ylab = axis_label(axes[2L], share[2L])
  )
  do.call(graphics::plot, utils::modifyList(style, list(...)))
  draw_spokes(points, centroids, group, colours)
  draw_key(group)
  invisible(x)
}
# nolint end

# Draws points and lines to the centers of their groups.
draw_spokes <- function(points, centers, group, colours) {
  own <- as.integer(group)
  graphics::segments(
    centers[own, 1L], centers[own, 2L], points[, 1L], points[, 2L],
    col = grDevices::adjustcolor(colours[own], 0.35)
  )
  graphics::points(points, pch = 20, col = colours[own])
  graphics::points(centers, pch = 23, cex = 1.5, bg = colours)
}

#' Analysis of similarities (ANOSIM)
#'
#' `gpu_anosim()` is a drop-in replacement for `vegan::anosim()`, on all CPU cores or on a GPU, for
#' distances in memory, in a file or on a device, or for points.
#'
#' @param x Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()]. At most 65,536 points.
#' @param grouping The group of each point, a factor or what [as.factor()] takes.
#' @param distance The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param strata A factor: points are permuted within its levels. It is not used if `permutations`
#'   is a matrix or has blocks.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return An object of class `"anosim"` as `vegan::anosim()` returns it, a list with the elements
#'   `call`, `signif` (the p-value), `perm` (the statistics of the permutations), `permutations`,
#'   `statistic`, `class.vec`, `dis.rank`, `dissimilarity` and `control`. Package vegan prints and
#'   plots it.
#'
#' @details The statistic is the difference of the mean ranks of distances between and within
#'   groups, over n (n - 1) / 4. Sums of ranks are exact. After the same `set.seed()` p-values are
#'   those of `vegan::anosim()`: see [gpu_adonis2()] for permutations and what counts as equal.
#'
#'   Distances may be infinite, but not missing. Negative ones are ranked, too, with a warning for
#'   distances in memory. The result has the same bits for any number of threads, on the CPU and
#'   on a GPU, and for every kind of distances. Ranks on a GPU take 12 n^2 bytes of its memory,
#'   which include the distances unless they are there. On the CPU working memory is about 256
#'   MiB, or `memory_limit`, next to the distances and the result, which has 6 n^2 bytes of ranks
#'   and classes; distances that are not of class `"dist"` are stored, too, in 4 n^2 bytes.
#'
#' @inheritSection gpu_adonis2 Names of metrics
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Clarke, K. R. (1993) Non-parametric multivariate analysis of changes in community
#'   structure. *Australian Journal of Ecology* **18**, 117-143.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_adonis2()], `vegan::anosim()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' gpu_anosim(gpu_dist(iris[1:4]), iris$Species, 99)
#' @export
gpu_anosim <- function(x, grouping, permutations = 999, distance = "braycurtis", strata = NULL,
                       parallel = NULL, ..., na.rm = FALSE, # nolint: names of package vegan
                       backend = NULL, threads = NULL, device = NULL, progress = NULL,
                       memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(distance, NULL, missing(distance), call)
  x <- as_distances(x, "x", call)
  warn_of_negative(x, call)
  rename_message("method", "distance", {
    taken <- community_points(x, metric, na.rm, matched, list(...), run_arguments(), call)
    source <- distances_from_any(
      taken$x, taken$metric, taken$matched, taken$given, settings, memory_limit, call
    )
    warn_of_labels(x, source$labels, grouping, c("x", "grouping"), call)
    warn_of_labels(x, source$labels, strata, c("x", "strata"), call)
    grouping <- groups_of(grouping, source$size, 2L, call)
    permutations <- permutation_set(permutations, source$size, strata, call)
    options <- list(
      group = as.integer(grouping) - 1L, groups = nlevels(grouping),
      classes = c("Between", levels(grouping))
    )
    options <- c(source$options, options, permutations[c("order", "rows")])
    made <- .Call(C_anosim, source$inputs, options, settings, call)
  })
  permuted <- made$statistic[-1L]
  tested <- length(permuted) > 0L
  structure(
    list(
      call = match.call(),
      signif = if (tested) permutation_p(as.matrix(permuted), made$statistic[1L]) else NA,
      perm = if (tested) permuted else NA, permutations = length(permuted),
      statistic = made$statistic[1L], class.vec = made$classes, dis.rank = made$ranks,
      dissimilarity = source$metric, control = permutations$control
    ),
    class = "anosim"
  )
}

# Warns of negative distances in memory, which have ranks nevertheless.
warn_of_negative <- function(x, call) {
  if (!inherits(x, "dist") || !is.numeric(x)) {
    return()
  }
  smallest <- suppressWarnings(min(x, na.rm = TRUE)) # of none: Inf
  if (smallest < -sqrt(.Machine$double.eps)) {
    warning(simpleWarning(sprintf(
      "some distances of x are negative; the smallest is %s", show_value(smallest)
    ), call))
  }
}

# Returns a factor of n values without missing ones, of which two are equal, and which has at least
# `least` different ones, 1 or 2.
groups_of <- function(grouping, n, least, call) {
  check_values(grouping, "grouping", n, call, vector_hint(n, length(grouping)))
  check_factor(grouping, "grouping", call)
  grouping <- as.factor(grouping)
  if (nlevels(grouping) > n) { # more than the core takes
    grouping <- droplevels(grouping)
  }
  size <- tabulate(grouping, nlevels(grouping))
  if (anyNA(grouping)) {
    stop_message("missing", "grouping", call, "grouping")
  }
  if (sum(size > 0L) < least || max(size) < 2L) {
    stop_argument(paste(
      "grouping must have",
      if (least > 1L) "at least two groups, and one" else "a group", "of at least two points"
    ), "grouping", call)
  }
  grouping
}

print_anosim <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Analysis of similarities\n")
  print_test(x, "R", digits)
}

print_test <- function(x, statistic, digits) {
  cat("Call: ", deparse_call(x$call), "\n", sep = "")
  cat(statistic, " = ", format(x$statistic, digits = digits), sep = "")
  if (x$permutations > 0L) {
    cat(", p = ", format.pval(x$signif), "\n", permutation_heading(x$control), sep = "")
  } else {
    cat("\n")
  }
  invisible(x)
}

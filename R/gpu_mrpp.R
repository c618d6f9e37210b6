#' Multiresponse permutation procedure (MRPP)
#'
#' `gpu_mrpp()` is a drop-in replacement for `vegan::mrpp()`, on all CPU cores or on a GPU, for
#' distances in memory, in a file or on a device, or for points.
#'
#' @param dat Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()].
#' @param distance The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param weight.type The weight of the mean distance within a group of n points: 1 for n, 2 for
#'   n - 1, 3 for n (n - 1) / 2.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `dat`, see [gpu_inputs].
#' @inheritParams gpu_anosim
#' @inheritParams gpu_dist
#'
#' @return An object of class `"mrpp"` as `vegan::mrpp()` returns it, a list with the elements
#'   `call`, `delta` (the statistic), `E.delta` (the mean of all distances), `CS` (missing, as
#'   there), `n` and `classdelta` (the size of each group, and its mean distance), `Pvalue`, `A`,
#'   `distance`, `weight.type`, `boot.deltas` (the statistics of the permutations), `permutations`
#'   and `control`. Package vegan prints it.
#'
#' @details The statistic delta is the weighted mean of the mean distances within groups. Groups of
#'   one point have no weight. `A`, the agreement within groups, is 1 - delta / E.delta. After the
#'   same `set.seed()` p-values are those of `vegan::mrpp()`: see [gpu_adonis2()] for permutations
#'   and what counts as equal.
#'
#'   Distances must be finite and not negative. The result has the same bits for any number of
#'   threads, on the CPU and on a GPU, for any `memory_limit`, and for every kind of distances.
#'
#' @inheritSection gpu_adonis2 Names of metrics
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Mielke, P. W., Berry, K. J. and Johnson, E. S. (1976) Multi-response permutation
#'   procedures for a priori classifications. *Communications in Statistics - Theory and Methods*
#'   **5**, 1409-1424.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_anosim()], [gpu_adonis2()], `vegan::mrpp()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' gpu_mrpp(gpu_dist(iris[1:4]), iris$Species, 99)
#' @export
gpu_mrpp <- function(dat, grouping, permutations = 999, distance = "euclidean",
                     weight.type = 1, strata = NULL, # nolint: names of package vegan
                     parallel = NULL, ..., na.rm = FALSE, # nolint
                     backend = NULL, threads = NULL, device = NULL, progress = NULL,
                     memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(distance, NULL, missing(distance), call)
  x <- as_distances(dat, "dat", call)
  rename_message("x", "dat", rename_message("method", "distance", {
    taken <- community_points(x, metric, na.rm, matched, list(...), run_arguments(), call)
    source <- distances_from_any(
      taken$x, taken$metric, taken$matched, taken$given, settings, memory_limit, call
    )
    warn_of_labels(x, source$labels, grouping, c("dat", "grouping"), call)
    warn_of_labels(x, source$labels, strata, c("dat", "strata"), call)
    grouping <- droplevels(groups_of(grouping, source$size, 1L, call))
    permutations <- permutation_set(permutations, source$size, strata, call)
    options <- list(
      group = as.integer(grouping) - 1L, groups = nlevels(grouping), weight.type = weight.type
    )
    options <- c(source$options, options, permutations[c("order", "rows")])
    made <- .Call(C_mrpp, source$inputs, options, settings, call)
  }))
  delta <- made$delta[1L]
  permuted <- made$delta[-1L]
  tested <- length(permuted) > 0L
  named <- function(values) stats::setNames(values, levels(grouping))
  structure(
    list(
      call = match.call(), delta = delta, E.delta = made$mean, CS = NA,
      n = named(tabulate(grouping)), classdelta = named(made$group_mean),
      Pvalue = if (tested) permutation_p(as.matrix(-permuted), -delta) else NA,
      A = if (tested) 1 - delta / made$mean else NA, distance = source$metric,
      weight.type = weight.type, boot.deltas = if (tested) permuted else NA,
      permutations = if (tested) length(permuted) else 0, control = permutations$control
    ),
    class = "mrpp"
  )
}

print_mrpp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Multiresponse permutation procedure\n")
  print_test(
    list(
      call = x$call, statistic = x$delta, signif = x$Pvalue, permutations = x$permutations,
      control = x$control
    ), "delta", digits
  )
  invisible(x)
}

#' Analysis of variance of distances for each pair of groups
#'
#' `gpu_pairwise_adonis()` tests each pair of groups by [gpu_adonis2()] and adjusts the p-values.
#'
#' @param x Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()], whose distances are computed once.
#' @param group The group of each point, a factor or what [as.factor()] takes.
#' @param permutations The number of permutations for each pair; or what `permute::how()` returns
#'   for as many points as each pair has.
#' @param adjust How p-values are adjusted: a method of [stats::p.adjust()].
#' @param method The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param strata A factor: points are permuted within its levels.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return A data frame with a row for each pair of groups that have points: the names of both
#'   (`group1`, `group2`), `Df`, `SumOfSqs`, `R2`, `F`, `p.value` and `p.adjusted`. `F` is missing
#'   if the pair has two points only.
#'
#' @details A row is that of `gpu_adonis2(d ~ group)` for the points of both groups. Pairs are
#'   tested in the order of the rows: after the same `set.seed()` the p-values are those of
#'   `vegan::adonis2()`, called for one pair after the other.
#'
#'   Of a file, and of distances on a device, only the distances among the points of a pair are read
#'   and are in memory at a time, 8 bytes for each pair of points. If `memory_limit` is given and
#'   they take more, it is an error.
#'
#' @inheritSection gpu_adonis2 Names of metrics
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_adonis2()], [stats::p.adjust()]
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' gpu_pairwise_adonis(gpu_dist(iris[1:4]), iris$Species, 99)
#' @export
gpu_pairwise_adonis <- function(x, group, permutations = 999, adjust = "holm",
                                method = "braycurtis", strata = NULL, ...,
                                na.rm = FALSE, metric = NULL, # nolint: the name of package vegan
                                backend = NULL, threads = NULL, device = NULL, progress = NULL,
                                memory_limit = NULL) {
  call <- sys.call()
  if ("p" %in% names(call)) refuse_parameter("p", "method", call) # R takes it for `permutations`
  adjust <- choose_one(adjust, as.vector(stats::p.adjust.methods), "adjust", call)
  metric <- metric_of(method, metric, missing(method), call)
  run <- run_arguments()
  x <- as_distances(x, "x", call)
  if (!is_distances(x)) {
    matched <- match.call(expand.dots = FALSE)
    taken <- community_points(x, metric, na.rm, matched, list(...), run, call)
    x <- if (is_distances(taken$x)) taken$x else distances_between(taken$x, taken$metric, run)
  } else {
    refuse_dots(match.call(expand.dots = FALSE)$..., call, metric = "method")
    check_no_metric(match.call()[names(match.call()) != "method"], metric, call)
  }
  source <- source_of(x, "x", call)
  warn_of_labels(x, source$labels, group, c("x", "group"), call)
  warn_of_labels(x, source$labels, strata, c("x", "strata"), call)
  group <- named_group(group, source$size, call)
  if (!is.null(strata)) check_values(strata, "strata", source$size, call)
  check_pair_design(permutations, strata, group, call)
  pairs <- utils::combn(levels(group), 2L)
  rows <- lapply(seq_len(ncol(pairs)), function(k) {
    kept <- which(group %in% pairs[, k])
    d <- distances_among(x, kept, memory_limit, call)
    table <- gpu_adonis2(
      d ~ group, data.frame(group = droplevels(group[kept])), permutations,
      strata = if (!is.null(strata)) droplevels(as.factor(unname(strata))[kept]), backend = backend,
      threads = threads, device = device, progress = progress, memory_limit = memory_limit
    )
    as.data.frame(unclass(table[1L, , drop = FALSE]))
  })
  table <- do.call(rbind, rows)
  names(table) <- c("Df", "SumOfSqs", "R2", "F", "p.value")
  table$p.adjusted <- stats::p.adjust(table$p.value, adjust)
  cbind(data.frame(group1 = pairs[1L, ], group2 = pairs[2L, ]), table, row.names = NULL)
}

# Raises an error if strata are missing, or if permutations are a matrix or a design with blocks or
# plots, which belong to one number of points, and the pairs have others.
check_pair_design <- function(permutations, strata, group, call) {
  if (anyNA(strata)) {
    stop_message("missing value", "strata", call, "strata", which(is.na(strata))[1L])
  }
  size <- if (is.matrix(permutations)) {
    ncol(permutations)
  } else if (inherits(permutations, "how")) {
    need_permute(call)
    max(length(permute::getBlocks(permutations)), length(permute::getStrata(permutations, "plots")))
  }
  sizes <- utils::combn(tabulate(group), 2L, sum)
  if (!is.null(size) && size > 0L && any(sizes != size)) {
    stop_argument(sprintf(
      paste(
        "permutations must be a number or a design without blocks and plots, not one of %d points:",
        "a pair of groups has %d; strata are blocks of the points of each pair"
      ), size, sizes[sizes != size][1L]
    ), "permutations", call)
  }
}

# Returns a factor of n values without missing ones, of at least two levels that all have points.
named_group <- function(group, n, call) {
  check_values(group, "group", n, call, vector_hint(n, length(group)))
  check_factor(group, "group", call)
  if (anyNA(group)) {
    stop_message("missing", "group", call, "group")
  }
  group <- droplevels(as.factor(group))
  if (nlevels(group) < 2L) {
    stop_message("two values", "group", call, "group")
  }
  group
}

#' Similarity percentages (SIMPER)
#'
#' `gpu_simper()` finds which species make up the Bray-Curtis dissimilarities between groups of
#' sites. It is a drop-in replacement for `vegan::simper()`, on all CPU cores. It stores no
#' contributions of pairs, and takes sparse matrices.
#'
#' @param comm Communities, sites in rows, as `x` of [gpu_vegdist()], with values of at least 0.
#' @param group The group of each site, a factor or what [as.factor()] takes. If it is missing, all
#'   pairs of sites are taken, without a test.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `comm`, see [gpu_inputs].
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return A list of class `"simper"` as `vegan::simper()` returns it, with an element for each pair
#'   of groups, `"A_B"`, in the order in which groups first appear, or `"total"`. Package vegan
#'   prints and summarizes it. An element is a list with
#' * `species`, their names;
#' * `average`, the mean contribution of each species, and `overall`, their sum, the mean
#'   dissimilarity;
#' * `sd`, the standard deviation of the contributions, and `ratio`, `average / sd`;
#' * `ava`, `avb`, the mean values of each species in both groups;
#' * `ord`, the order of the species by decreasing contributions, and `cusum`, their cumulative
#'   share of `overall` in this order;
#' * `p`, the p-value of each species, `NULL` without permutations.
#'
#' @details A species contributes `abs(x[i] - x[j]) / (sum_i + sum_j)` to the dissimilarity of the
#'   sites i and j with these sums. Its p-value is the share of permutations of all sites in which
#'   its mean contribution is larger than the one found, which counts as one of them. As in vegan
#'   2.6, a mean that is not larger by more than 2^-26 is not counted. A species that contributes
#'   the same in all permutations, such as one that is nowhere, therefore has the smallest possible
#'   p-value. Permutations are drawn for each pair of groups anew: after the same `set.seed()`
#'   p-values are vegan's.
#'
#'   Two sites without individuals have no dissimilarity: averages between their groups are `NaN`,
#'   and all p-values are `NA`.
#'
#'   A species at k sites takes about k^2 / g additions for each permutation of g groups. The result
#'   has the same bits for any number of threads, and for dense and sparse matrices. Each thread
#'   takes about 1 KiB of memory for each site, and the permutations together 3 KiB.
#'
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Clarke, K. R. (1993) Non-parametric multivariate analysis of changes in community
#'   structure. *Australian Journal of Ecology* **18**, 117-143.
#'
#' @seealso [gpu_anosim()], [gpu_adonis2()], [gpu_vegdist()], `vegan::simper()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' counts <- cbind(a = c(9, 8, 7, 1, 2, 0), b = c(1, 0, 2, 8, 6, 9), c = c(3, 4, 3, 4, 3, 4))
#' set.seed(1)
#' gpu_simper(counts, rep(c("north", "south"), each = 3), 99)
#' @export
gpu_simper <- function(comm, group, permutations = 999, parallel = NULL, ..., backend = NULL,
                       threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(comm), memory_limit, call, metric = NULL
  )
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  x <- rename_message("x", "comm", simper_table(comm, from))
  if (missing(group)) {
    made <- list(total = simper_pair(x, NULL, NULL, settings, call))
    return(structure(made, class = "simper", permutations = 0))
  }
  warn_of_order(rownames(x), names(group), c("comm", "group"), "group[rownames(comm)]", call)
  group <- simper_groups(group, nrow(x), call)
  set <- permutation_set(permutations, nrow(x), NULL, call)
  check_permutations(set, settings, call)
  count <- if (set$rows) nrow(set$order) else set$order[2L]
  pairs <- utils::combn(unique(as.character(group)), 2L, simplify = FALSE)
  made <- lapply(seq_along(pairs), function(k) {
    if (k > 1L && count > 0) set <- permutation_set(permutations, nrow(x), NULL, call) # as vegan
    simper_pair(x, match(group, pairs[[k]], nomatch = 0L), if (count > 0) set, settings, call)
  })
  names(made) <- vapply(pairs, paste, "", collapse = "_")
  structure(made, class = "simper", permutations = as.integer(count), control = set$control)
}

# Returns communities as a matrix, maybe a sparse one, of at least two sites and values that are
# not negative.
simper_table <- function(x, from) {
  x <- community_matrix(x, from)
  check_community(x, NULL, FALSE, from$call)
  values <- values_in(x)
  check_elements(x, !(values >= 0 & values < Inf), "finite numbers of at least 0", from$call)
  if (nrow(x) < 2L) {
    stop_argument(sprintf("x must have at least two rows, not %d", nrow(x)), "x", from$call)
  }
  empty <- which(row_sums(x) == 0)
  if (length(empty)) warn_message("without values", from$call, rows_of(empty, "comm"), "bray")
  x
}

simper_groups <- function(group, n, call) {
  check_values(group, "group", n, call)
  check_factor(group, "group", call)
  if (anyNA(group)) stop_message("missing", "group", call, "group")
  group <- droplevels(as.factor(group))
  if (nlevels(group) < 2L) {
    stop_argument(
      sprintf("group must have at least two groups, not %d", nlevels(group)), "group", call
    )
  }
  group
}

# Returns the element of a pair of groups.
#
# group  1 or 2 for each site, 0 if it is in neither; NULL: all pairs of sites
# set    what permutation_set() returned; NULL: no test
simper_pair <- function(x, group, set, settings, call) {
  run <- function(order = NULL, average = NULL) {
    options <- list(group = group, order = order, average = average)
    .Call(C_simper, list(x), options, settings, call)
  }
  found <- run()
  names(found) <- c("average", "sd")
  empty <- row_sums(x) == 0
  between <- if (is.null(group)) sum(empty) > 1L else all(1:2 %in% group[empty])
  if (between) found <- lapply(found, replace, TRUE, NaN)
  found$sd[is.nan(found$sd)] <- NA
  p <- if (!is.null(set)) {
    counts <- permuted_values(set, nrow(x), call, function(order) {
      rbind(run(order, found$average)$first)
    })
    count <- if (set$rows) nrow(set$order) else set$order[2L]
    if (sum(empty) > 1L) NA_real_ * found$average else (colSums(counts) + 1) / (count + 1)
  }
  means <- function(number) if (!is.null(group)) column_means(x[group == number, , drop = FALSE])
  named <- function(values) if (!is.null(values)) stats::setNames(values, colnames(x))
  overall <- sum(found$average)
  ord <- order(found$average, decreasing = TRUE)
  average <- named(found$average)
  list(
    species = colnames(x), average = average, overall = overall, sd = named(found$sd),
    ratio = named(found$average / found$sd), ava = named(means(1L)), avb = named(means(2L)),
    ord = ord, cusum = cumsum(average[ord]) / overall, p = named(p)
  )
}

column_means <- function(x) as.vector(if (isS4(x)) Matrix::colMeans(x) else colMeans(x))

# nolint start: object_name_linter.
fallback_print.simper <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Similarity percentages: species up to 70 % of the mean dissimilarity, cumulative shares\n")
  for (pair in names(x)) {
    part <- x[[pair]]
    cat("\n", pair, ", mean dissimilarity ", format(part$overall, digits = digits), "\n", sep = "")
    leading <- cumsum(c(TRUE, part$cusum >= 0.7))[seq_along(part$cusum)] == 1L
    print(part$cusum[which(leading)], digits = digits)
  }
  invisible(x)
}

fallback_summary.simper <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  lapply(unclass(object)[names(object)], function(part) {
    columns <- Filter(Negate(is.null), part[c("average", "sd", "ratio", "ava", "avb", "p")])
    frame <- as.data.frame(columns, row.names = part$species)[part$ord, , drop = FALSE]
    frame$cumsum <- as.vector(part$cusum)
    frame
  })
}
# nolint end

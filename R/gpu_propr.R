#' Proportionality of compositions
#'
#' Computes the proportionality of all pairs of parts of compositions, such as genes of relative
#' counts, as `propr::propr()` does.
#'
#' @inheritParams gpu_cor
#' @param counts Samples in rows and parts in columns: a numeric matrix, a sparse matrix of package
#'   Matrix, a data frame, or an object of those in [gpu_inputs], of which cells or samples are the
#'   rows. Values must be finite and at least 0, they need not be whole.
#' @param metric `"rho"`, `"phi"`, `"phs"` or `"vlr"`, see below.
#' @param ivar The reference: `"clr"` for all parts; `"iqlr"` for those whose variance with
#'   reference `"clr"` is between the quartiles of these variances, without those equal to one;
#'   or numbers or names of columns.
#' @param alpha `NA` for logarithms, or the positive power of a Box-Cox transformation,
#'   `(x^alpha - 1) / alpha`, for which zeros are not replaced.
#' @param symmetrize `TRUE` copies the values of `"phi"` below the diagonal to those above it. It
#'   changes no other metric.
#' @param as `"dist"` returns an object of class `dist` of the values below the diagonal, for
#'   [gpu_hclust()]; of `"rho"`, of `1 - rho`.
#'
#' @return A matrix, ncol(`counts`) by ncol(`counts`), with the column names as dimnames, symmetric
#'   unless it is of `"phi"`; or an object of class `dist`. [gpu_propr_cutoffs()] returns a data
#'   frame.
#'
#' @section Metrics: Let `z` be the logarithms less the mean of those of the reference in the same
#'   sample, `v[a]` the variance of `z` for part `a`, and `v[a, b]` that of the difference of two
#'   parts, of the logarithm of their ratio, which does not depend on the reference. Row `a` and
#'   column `b` have
#'   * `"rho"`: `1 - v[a, b] / (v[a] + v[b])`, between -1 and 1, where 1 is a constant ratio;
#'   * `"phi"`: `v[a, b] / v[b]`;
#'   * `"phs"`: `v[a, b]` over the variance of the sum of both, `(1 - rho) / (1 + rho)`;
#'   * `"vlr"`: `v[a, b]`.
#'
#'   Where 0 is divided by 0, for two parts without variance, the value is `NA`, with a warning
#'   unless the only part without variance is the reference. With one column as reference its rho
#'   with other parts is 0.
#'
#' @section Zeros: They have no logarithm. All are replaced by the smallest value above 0 in
#'   `counts`, as in propr, before anything else is computed; in a sparse matrix, too.
#'
#' @details Variances of log ratios are sums of squared differences of centred columns, so they keep
#'   their digits where `v[a] + v[b] - 2 cov(a, b)` cancels. The ratio of two parts that is constant
#'   up to rounding has a variance below 1e-28, equal columns have exactly 0. The sums are computed
#'   as squared Euclidean distances on any backend, the rest on the CPU. A dense copy of `counts`
#'   is in memory.
#'
#'   Powers of Box and Cox depend on the totals of samples: divide `counts` by these first if they
#'   have no meaning.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references D. Lovell, V. Pawlowsky-Glahn, J. J. Egozcue, S. Marguerat and J. Bähler (2015).
#'   Proportionality: a valid alternative to correlation for relative data. *PLoS Computational
#'   Biology* 11(3), e1004075.
#'
#' I. Erb and C. Notredame (2016). How should we measure proportionality on relative gene expression
#' data? *Theory in Biosciences* 135, 21-36.
#'
#' T. P. Quinn, M. F. Richardson, D. Lovell and T. M. Crowley (2017). propr: an R-package for
#' identifying proportionally abundant features using compositional data analysis. *Scientific
#' Reports* 7, 16252.
#'
#' M. Greenacre (2009). Power transformations in correspondence analysis. *Computational Statistics
#' & Data Analysis* 53(8), 3107-3116.
#'
#' @seealso [gpu_sparcc()], [gpu_cor()]
#'
#' @examples
#' set.seed(1)
#' counts <- matrix(rpois(20 * 4, 50), 20, dimnames = list(NULL, letters[1:4]))
#' counts <- cbind(counts, e = 2 * counts[, "a"])
#' gpu_propr(counts)
#' gpu_propr_cutoffs(counts, c(0.5, 0.9), permutations = 20)
#' gpu_hclust(gpu_propr(counts, "phs", as = "dist"), "average")
#' @export
gpu_propr <- function(counts, metric = c("rho", "phi", "phs", "vlr"), ivar = "clr", alpha = NA,
                      symmetrize = FALSE, as = c("matrix", "dist"), ..., backend = NULL,
                      threads = NULL, device = NULL, precision = NULL, progress = NULL,
                      memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$..., list(...), list(counts), memory_limit,
    call,
    metric = NULL
  )
  as <- choose_one(as, core_choices("proportionality", "as"), "as", call)
  metric <- propr_metric(metric, call)
  x <- points_of(counts, "counts", from)
  options <- propr_options(x, metric, ivar, alpha, symmetrize, as, call)
  options$attributes <- if (has_columns(x)) propr_attributes(x, metric, as, match.call())
  bar <- progress_bar("Proportionality")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  .Call(C_proportionality, list(x), options, settings, call)
}

# Returns the name of a metric.
propr_metric <- function(metric, call) {
  choose_one(metric, core_choices("proportionality", "metric"), "metric", call)
}

# Returns the options of proportionality for the columns of x.
propr_options <- function(x, metric, ivar, alpha, symmetrize, as, call) {
  options <- list(
    metric = metric, iqlr = identical(ivar, "iqlr"), symmetrize = symmetrize,
    ivar = propr_columns(ivar, x, call), as = as
  )
  if (length(alpha) != 1L || !is.na(alpha)) {
    options["alpha"] <- list(alpha)
  }
  options
}

# Returns the numbers of the columns that are the reference, NULL for a kind of reference.
propr_columns <- function(ivar, x, call) {
  if (identical(ivar, "clr") || identical(ivar, "iqlr")) {
    return(NULL)
  }
  columns <- if (is.character(ivar)) match(ivar, variable_names(x)) else ivar
  if (!is.numeric(columns) || length(columns) == 0L || anyNA(columns)) {
    stop_value(ivar, "ivar", "\"clr\", \"iqlr\" or numbers or names of columns", call)
  }
  as.double(columns)
}

# Returns the attributes of the proportionality of the columns of x.
propr_attributes <- function(x, metric, as, call) {
  if (as != "dist") {
    return(cor_attributes(x, NULL))
  }
  list(
    Size = ncol(x), Labels = variable_names(x), Diag = FALSE, Upper = FALSE, method = metric,
    call = call, class = "dist"
  )
}

#' @rdname gpu_propr
#' @param cutoff Values of the metric: a pair counts if its value is above it for `"rho"`, and below
#'   it for other metrics.
#' @param permutations The number of permutations.
#'
#' @section Cutoffs: [gpu_propr_cutoffs()] has a row for each `cutoff`, with `truecounts`, the
#'   number of pairs that count; `randcounts`, the mean of this number over tables in which the
#'   samples of each part are permuted independently; and `FDR`, their quotient, as
#'   `propr::updateCutoffs()`. Permutations are those of R's generator: [set.seed()] repeats them.
#'   Of `"phi"` the values below the diagonal count.
#' @export
gpu_propr_cutoffs <- function(counts, cutoff = seq(0.05, 0.95, 0.3), permutations = 100,
                              metric = c("rho", "phi", "phs", "vlr"), ivar = "clr", alpha = NA,
                              ..., backend = NULL, threads = NULL, device = NULL, precision = NULL,
                              progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$..., list(...), list(counts), memory_limit,
    call,
    metric = NULL
  )
  metric <- propr_metric(metric, call)
  permutations <- count_of(permutations, "permutations", call)
  check_cutoff(cutoff, call)
  x <- points_of(counts, "counts", from)
  x <- if (is_sparse(x)) as.matrix(x) else x
  options <- propr_options(x, metric, ivar, alpha, FALSE, "dist", call)
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  count <- function(x, step) {
    settings <- run_settings(
      backend, threads, device, precision, progress,
      function(part) bar$update((step + part) / (permutations + 1)), memory_limit
    )
    count_beyond(.Call(C_proportionality, list(x), options, settings, call), metric, cutoff)
  }
  found <- count(x, 0)
  random <- numeric(length(cutoff))
  for (k in seq_len(permutations)) {
    for (j in seq_len(ncol(x))) x[, j] <- x[sample.int(nrow(x)), j]
    random <- random + suppressWarnings(count(x, k))
  }
  random <- random / permutations
  data.frame(cutoff = cutoff, randcounts = random, truecounts = found, FDR = random / found)
}

# Raises an error unless cutoffs are numbers.
check_cutoff <- function(cutoff, call) {
  if (!is.numeric(cutoff) || length(cutoff) == 0L || anyNA(cutoff)) {
    stop_value(cutoff, "cutoff", "a vector of numbers", call)
  }
}

# Returns how many values are beyond each cutoff.
count_beyond <- function(values, metric, cutoff) {
  sign <- if (metric == "rho") -1 else 1
  values <- if (metric == "rho") values - 1 else values
  order <- order(sign * cutoff)
  below <- findInterval(values, (sign * cutoff)[order], left.open = FALSE)
  counts <- cumsum(tabulate(below[!is.na(below)] + 1L, length(cutoff) + 1L))
  found <- numeric(length(cutoff))
  found[order] <- counts[seq_along(cutoff)]
  found
}

#' Correlations of compositions by SparCC
#'
#' Estimates the correlations of the unknown absolute numbers of which relative counts are a sample,
#' for example of taxa, if few of them are correlated, by the algorithm of Friedman and Alm (2012).
#'
#' @inheritParams gpu_propr
#' @param counts Samples in rows, at least 2, and parts in columns, at least 4, as in [gpu_propr()].
#'   Values must be finite and at least 0.
#' @param iterations The number of tables that are drawn: in each the fractions of a sample are from
#'   the Dirichlet distribution of its counts + 1, by R's generator, so [set.seed()] repeats them.
#'   0 takes the means of these distributions, (count + 1) / sum, without drawing.
#' @param inner The most pairs that are excluded for each table.
#' @param threshold Pairs whose correlation is not above this in magnitude are not excluded.
#'
#' @return A list of two symmetric matrices with the column names as dimnames, as
#'   `SpiecEasi::sparcc()` returns it: `Cov`, covariances, and `Cor`, correlations, with 1 on the
#'   diagonal.
#'
#' @details Let `T[i, j]` be the variance of the logarithm of the ratio of two parts, and `v` the
#'   variances of the logarithms of the absolute numbers. If correlations are 0 on average, the sum
#'   of `T[i, j]` over all other parts `j` is `(m - 2) * v[i] + sum(v)` for `m` parts. This is
#'   solved for `v`; a variance that is not positive becomes 1e-4. Then the correlation is
#'   `(v[i] + v[j] - T[i, j]) / (2 * sqrt(v[i] * v[j]))`, limited to -1 and 1. The pair with the
#'   largest magnitude is excluded from the sums, and `v` is found anew, until no magnitude is above
#'   `threshold`, `inner` pairs are excluded, or a part would have fewer than 3 others left, for
#'   which the original algorithm removes the part. `Cor` has the medians over all tables, and
#'   `Cov` these times the roots of the medians of `v`.
#'
#'   Variances of log ratios are computed as squared distances on any backend, and the rest on the
#'   CPU. The correlations of all tables are in memory, `4 * m^2 * iterations` bytes.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references J. Friedman and E. J. Alm (2012). Inferring correlation networks from genomic survey
#'   data. *PLoS Computational Biology* 8(9), e1002687.
#'
#' @seealso [gpu_propr()]
#'
#' @examples
#' set.seed(1)
#' counts <- matrix(rnbinom(30 * 6, mu = 50, size = 2), 30, dimnames = list(NULL, letters[1:6]))
#' counts <- cbind(counts, g = counts[, "a"] + rpois(30, 5))
#' round(gpu_sparcc(counts)$Cor, 2)
#' @export
gpu_sparcc <- function(counts, iterations = 20, inner = 10, threshold = 0.1, ..., backend = NULL,
                       threads = NULL, device = NULL, precision = NULL, progress = NULL,
                       memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$..., list(...), list(counts), memory_limit,
    call,
    metric = NULL
  )
  iterations <- count_of(iterations, "iterations", call, least = 0)
  x <- sparcc_counts(points_of(counts, "counts", from), call)
  tables <- x + 1
  if (iterations > 0) {
    tables <- matrix(stats::rgamma(length(x) * iterations, tables), nrow(x))
  }
  options <- list(
    inner = inner, threshold = threshold, parts = ncol(x), attributes = cor_attributes(x, NULL)
  )
  bar <- progress_bar("SparCC")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  .Call(C_sparcc, list(tables), options, settings, call)
}

# Returns counts as a dense matrix without values that are no counts.
sparcc_counts <- function(x, call) {
  x <- if (is_sparse(x)) as.matrix(x) else x
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop_value(x, "counts", "a numeric matrix", call)
  }
  storage.mode(x) <- "double"
  bad <- which(!(is.finite(x) & x >= 0))
  if (length(bad)) {
    at <- bad[1L] - 1L
    stop_message(
      "elements", "counts", call, "counts", "at least 0 and finite", at %% nrow(x) + 1,
      at %/% nrow(x) + 1, show_value(x[at + 1L])
    )
  }
  x
}

#' Biweight midcorrelation
#'
#' Computes robust correlations between all columns of a matrix, or between the columns of two, as
#' `WGCNA::bicor()` does: each column is replaced by its deviations from the median, with weights
#' that are 0 for outliers.
#'
#' @inheritParams gpu_cor
#' @param robustX,robustY `FALSE` treats the columns of `x`, or of `y`, as for Pearson's
#'   correlation, for example binary ones. Without `y`, `robustX` holds for all.
#' @param use How missing values are treated, as in [gpu_cor()]; `WGCNA::bicor()` has
#'   `"all.obs"` and `"pairwise.complete.obs"`. Pairwise, medians and deviations are those of the
#'   rows that both columns have.
#' @param maxPOutliers A number between 0 and 1: the share of values on each side of the median that
#'   may be outliers. If the quantile there has a weight below 9/16, the weights on this side are
#'   increased until it has 9/16. `1` sets no limit; 0.05 or 0.1 is usual if groups of samples
#'   differ.
#' @param quick A number between 0 and 1. With missing values, a column keeps the median and the
#'   deviation of all its values for pairs that lack at most this share of the rows. `0` computes
#'   each pair exactly.
#' @param pearsonFallback What is done about a column whose median absolute deviation is 0:
#'   `"individual"` treats it as for Pearson's correlation, `"all"` does so with all columns of its
#'   matrix, and `"none"` returns `NA`. Names may be abbreviated. A warning counts such columns.
#' @param cosine,cosineX,cosineY `TRUE` weights the values themselves and not their deviations from
#'   the median (or mean), of `x`, of `y` or of both.
#'
#' @return A matrix, ncol(`x`) by ncol(`y`) or ncol(`x`) by ncol(`x`), with the column names as its
#'   dimnames; a number when both `x` and `y` are vectors. The correlation of a constant column is
#'   `NA`, and so is that of a column with infinite values.
#'
#' @details With `m` the median of a column and `u = (x - m) / (9 * median(abs(x - m)))`, a value
#'   becomes `(x - m) * (1 - u^2)^2` if `abs(u) < 1`, and 0 otherwise. The correlation is the cosine
#'   of the angle between two such columns. Results agree with those of WGCNA 1.72 to about 1e-14;
#'   very small and very large values, whose squares WGCNA loses, have a correlation.
#'
#'   Columns are transformed on the CPU, and pairs of columns with missing values are computed
#'   there; all other products may be computed on a GPU. The transformed columns are a dense matrix,
#'   that of sparse `x`, too. P-values: `gpu_cor(x, method = "bicor", p_values = TRUE)`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references P. Langfelder and S. Horvath (2012). Fast R functions for robust correlations and
#'   hierarchical clustering. *Journal of Statistical Software* 46(11), 1-17.
#'
#' @seealso [gpu_cor()]
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' gpu_bicor(x)
#'
#' # An outlier changes Pearson's correlation, but not this one.
#' x[1, 1] <- 1000
#' cor(x)[1, 2]
#' gpu_bicor(x)[1, 2]
#' @export
gpu_bicor <- function(x, y = NULL, robustX = TRUE, robustY = TRUE, # nolint: the names of WGCNA
                      use = "all.obs", maxPOutliers = 1, quick = 0, # nolint
                      pearsonFallback = "individual", cosine = FALSE, # nolint
                      cosineX = cosine, cosineY = cosine, ..., # nolint
                      backend = NULL, threads = NULL, device = NULL,
                      precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  flag_of(cosine, "cosine", call)
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x, y), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  cor_or_cov(
    x, y, use, "bicor", from,
    function(bar) run_settings(backend, threads, device, precision, progress, bar, memory_limit),
    covariance = FALSE, call,
    list(
      robustX = robustX, robustY = robustY, maxPOutliers = maxPOutliers, quick = quick,
      pearsonFallback = pearsonFallback, cosineX = cosineX, cosineY = cosineY
    )
  )$value
}

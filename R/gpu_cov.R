#' Covariance matrices
#'
#' Computes the covariances between all columns of a matrix, or between the columns of two, as
#' [stats::cov()] does, on all CPU cores or on a GPU.
#'
#' @inheritParams gpu_cor
#' @param use How missing values are treated, as in [stats::cov()]. Names may be abbreviated.
#'   `"everything"` gives `NA` for a column with one, `"all.obs"` an error; `"complete.obs"` leaves
#'   out the rows with one, and is an error when no row is left; `"na.or.complete"` the same but
#'   gives `NA` then; `"pairwise.complete.obs"` leaves them out for each pair of columns separately,
#'   and is an error with `"spearman"` and `"kendall"`, as in [stats::cov()].
#' @param method `"pearson"`, `"spearman"` for the covariance of ranks, those of ties averaged, or
#'   `"kendall"` for the sum of `sign(x[i] - x[j]) * sign(y[i] - y[j])` over all `i` and `j`, which
#'   [stats::cov()] does not divide. The default of [stats::cov()], `c("pearson", "kendall",
#'   "spearman")`, stands for the first.
#'
#' @return A matrix, ncol(`x`) by ncol(`y`) or ncol(`x`) by ncol(`x`), with the column names as its
#'   dimnames; a number when both `x` and `y` are vectors. The covariance of a constant column is 0.
#'   Covariances of fewer than two rows are `NA`, and so are those of columns with infinite values,
#'   where [stats::cov()] returns `NaN`, unless `method` takes ranks or signs.
#'
#' @details A covariance is the correlation, as [gpu_cor()] computes it, times both standard
#'   deviations; with `use = "pairwise.complete.obs"` and missing values, it is computed from sums
#'   of products for each pair of columns. Results agree with those of [stats::cov()] to about 1e-13
#'   of the product of the standard deviations, with large means as well, and sums of signs are
#'   exact. Squares cannot overflow: columns near 1e200 have infinite covariances with each other,
#'   and finite ones with columns near 1.
#'
#' The standard deviations are found on the CPU, also if a GPU computes the correlations. Sparse
#' matrices are treated as in [gpu_cor()].
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [stats::cov()]; [gpu_cor()].
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' gpu_cov(x)
#' all.equal(gpu_cov(x), cov(x))
#' all.equal(gpu_cov(x, method = "kendall"), cov(x, method = "kendall"))
#'
#' x[1, 2] <- NA
#' gpu_cov(x, use = "pairwise")
#' @export
gpu_cov <- function(x, y = NULL, use = "everything", method = "pearson", ..., metric = NULL,
                    backend = NULL, threads = NULL, device = NULL, precision = NULL,
                    progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x, y), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  method <- metric_of(method, metric, missing(method), call)$method
  cor_or_cov(
    x, y, use, method, from,
    function(bar) run_settings(backend, threads, device, precision, progress, bar, memory_limit),
    covariance = TRUE, call
  )$value
}

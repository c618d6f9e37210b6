#' Partial correlations by shrinkage
#'
#' Computes the correlations of each two columns after the effects of all others are removed, also
#' of more columns than rows, as `corpcor::pcor.shrink()` does: correlations are shrunk toward 0
#' before their matrix is inverted.
#'
#' @inheritParams gpu_cor
#' @param x Variables in columns and samples in rows, without missing values, as in [gpu_cor()].
#' @param lambda The intensity of shrinkage, from 0, none, to 1. If it is missing it is estimated.
#'   With 0 and at least as many columns as rows the inverse is the pseudoinverse, with a warning.
#' @param w Weights of the samples, positive or 0; if they are missing all are the same.
#' @param verbose `TRUE` prints the intensity.
#'
#' @return A matrix of class `"shrinkage"` as that of package corpcor, with the column names, 1 on
#'   the diagonal, and the attributes `lambda`; `lambda.estimated`, whether it is; and `spv`, the
#'   variance of each column after the effects of the others are removed, a share of its variance.
#'
#' @details With `R` the correlations and `I` the identity, partial correlations are those of the
#'   inverse `P` of `(1 - lambda) R + lambda I`, `-P[i, j] / sqrt(P[i, i] * P[j, j])`, and `spv` is
#'   `1 / diag(P)`. The intensity is the sum of the estimated variances of the correlations over the
#'   sum of their squares, at most 1 (Schäfer and Strimmer 2005, equations 8 and 10). Of fewer rows
#'   than columns only a matrix with the number of rows is inverted (Woodbury's identity); the
#'   product that remains is computed as covariances are, on any backend.
#'
#'   A constant column has partial correlations of 0, with a warning that counts such columns.
#'   In contrast to corpcor, `lambda` outside 0 to 1 is an error, and so are missing values.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references J. Schäfer and K. Strimmer (2005). A shrinkage approach to large-scale covariance
#'   matrix estimation and implications for functional genomics. *Statistical Applications in
#'   Genetics and Molecular Biology* 4(1), 32.
#'
#' @seealso [gpu_cor()]
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(10 * 30), 10)
#' x[, 2] <- x[, 1] + 0.5 * x[, 2]
#' gpu_pcor_shrink(x)[1:3, 1:3]
#' @export
gpu_pcor_shrink <- function(x, lambda, w, verbose = TRUE, ..., backend = NULL, threads = NULL,
                            device = NULL, precision = NULL, progress = NULL,
                            memory_limit = NULL) {
  call <- sys.call()
  flag_of(verbose, "verbose", call)
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  x <- shrunken_variables(points_of(x, "x", from), call)
  w <- if (missing(w)) rep(1, nrow(x)) else check_weights(w, nrow(x), call)
  scaled <- scale_samples(x, w / sum(w), call)
  estimated <- missing(lambda)
  if (estimated) {
    lambda <- shrinkage_of(scaled)
  } else if (!is.numeric(lambda) || length(lambda) != 1L || !isTRUE(lambda >= 0 && lambda <= 1)) {
    stop_value(lambda, "lambda", "a number between 0 and 1", call)
  }
  if (verbose) {
    cat(
      if (estimated) "Estimated" else "Specified", "shrinkage intensity lambda:",
      format(lambda, digits = 4), "\n"
    )
  }
  multiply <- function(z) {
    bar <- progress_bar("Partial correlations")
    on.exit(bar$close())
    products_of_columns(
      z, run_settings(backend, threads, device, precision, progress, bar$update, memory_limit), call
    )
  }
  found <- partial_correlations(scaled$z, lambda, multiply, call)
  structure(
    found$r,
    dimnames = if (!is.null(colnames(x))) list(colnames(x), colnames(x)),
    lambda = lambda, lambda.estimated = estimated, class = "shrinkage",
    spv = stats::setNames(found$spv, colnames(x))
  )
}

# Returns a numeric matrix of variables without missing and infinite values.
shrunken_variables <- function(x, call) {
  x <- if (is_sparse(x)) as.matrix(x) else data.matrix(x)
  if (!is.numeric(x) && !is.logical(x)) {
    stop_value(x, "x", "numeric", call)
  }
  storage.mode(x) <- "double"
  bad <- which(!is.finite(x))
  if (length(bad)) {
    at <- bad[1L] - 1L
    stop_message(
      "elements", "x", call, "x", "finite", at %% nrow(x) + 1, at %/% nrow(x) + 1,
      show_value(x[at + 1L])
    )
  }
  if (nrow(x) < 2L) {
    stop_argument(sprintf("x must have at least 2 rows, not %d", nrow(x)), "x", call)
  }
  x
}

# Checks the weights of n samples.
check_weights <- function(w, n, call) {
  are_weights <- is.numeric(w) && length(w) == n && all(is.finite(w) & w >= 0)
  if (!are_weights || sum(w > 0) < 2) {
    stop_value(w, "w", sprintf(
      "a finite weight of at least 0 for each of the %d rows of x, two of them above 0", n
    ), call)
  }
  as.double(w)
}

# Returns list(z, weights, bias): columns with weighted mean 0, and length 1 unless they are
# constant, when they are 0; row k of them is multiplied by the root of its weight.
scale_samples <- function(x, weights, call) {
  z <- sweep(x, 2L, colSums(weights * x))
  z <- sqrt(weights) * z
  flat <- apply(x[weights > 0, , drop = FALSE], 2L, function(v) all(v == v[1L]))
  length <- sqrt(colSums(z^2))
  z <- z / rep(ifelse(flat, 1, length), each = nrow(z))
  z[, flat] <- 0
  if (any(flat)) {
    warning(simpleWarning(sprintf(
      "%s: partial correlations are 0",
      counted(sum(flat), "column of x is constant", "columns of x are constant")
    ), call))
  }
  list(z = z, weights = weights, bias = sum(weights^2))
}

# Returns the estimated intensity of shrinkage. Sums over all pairs of columns are found from the
# rows, or from the columns if these are fewer.
shrinkage_of <- function(scaled) {
  z <- scaled$z
  square <- z^2
  products <- if (nrow(z) < ncol(z)) tcrossprod(z) else crossprod(z)
  squares <- sum(products^2) - sum(colSums(square)^2)
  used <- scaled$weights > 0
  moments <- (rowSums(square)^2 - rowSums(square^2))[used] / scaled$weights[used]
  variances <- (sum(moments) - squares) * scaled$bias / (1 - scaled$bias)
  if (squares > 0) min(1, max(0, variances / squares)) else 1
}

# Returns list(r, spv) of columns z whose products are their correlations.
partial_correlations <- function(z, lambda, multiply, call) {
  if (lambda == 1) {
    return(list(r = diag(ncol(z)), spv = rep(1, ncol(z))))
  }
  if (lambda > 0 && nrow(z) < ncol(z)) {
    # With M = lambda / (1 - lambda) I + Z Z' the inverse is (I - Z' M^-1 Z) / lambda.
    inner <- tcrossprod(z) + diag(lambda / (1 - lambda), nrow(z))
    y <- backsolve(chol(inner), z, transpose = TRUE)
    rest <- 1 - colSums(y^2)
    r <- multiply(y / rep(sqrt(rest), each = nrow(y)))
    diag(r) <- 1
    return(list(r = r, spv = lambda / rest))
  }
  shrunken <- (1 - lambda) * multiply(z)
  diag(shrunken) <- 1
  precision <- if (lambda > 0) chol2inv(chol(shrunken)) else pseudoinverse_of(shrunken, call)
  spv <- 1 / diag(precision)
  r <- -precision * sqrt(spv) * rep(sqrt(spv), each = nrow(precision))
  diag(r) <- 1
  list(r = r, spv = spv)
}

# Returns the pseudoinverse of a symmetric matrix without negative eigenvalues.
pseudoinverse_of <- function(matrix, call) {
  found <- eigen(matrix, symmetric = TRUE)
  kept <- found$values > nrow(matrix) * .Machine$double.eps * max(found$values, 0)
  if (!all(kept)) {
    warning(simpleWarning("the correlations are singular: their pseudoinverse is used", call))
  }
  vectors <- found$vectors[, kept, drop = FALSE]
  tcrossprod(vectors / rep(sqrt(found$values[kept]), each = nrow(vectors)))
}

# Returns the products of all columns of z: the covariances of z above -z, whose means are 0.
products_of_columns <- function(z, settings, call) {
  z <- rbind(z, -z) * sqrt(nrow(z) - 0.5)
  options <- list(
    use = "everything", method = "pearson", covariance = TRUE,
    attributes = list(dim = c(ncol(z), ncol(z)))
  )
  .Call(C_cor, list(z, NULL), options, settings, call)
}

#' Procrustes rotation and its permutation test
#'
#' `gpu_procrustes()` rotates, and scales, a configuration of points to another one of the same
#' points, and `gpu_protest()` tests whether they agree better than by chance. Arguments and results
#' are those of `vegan::procrustes()` and `vegan::protest()`.
#'
#' @param X The target: points in rows, a matrix or a data frame of numbers; what [gpu_pcoa()],
#'   [gpu_mds()] or `vegan::metaMDS()` returned; or, with package vegan, an object of which
#'   `vegan::scores()` has the scores.
#' @param Y The configuration that is rotated, the same.
#' @param scale Whether `Y` is scaled, too.
#' @param symmetric Whether both configurations are first scaled to a sum of squares of 1.
#' @param scores Which scores are taken of an object: `display` of `vegan::scores()`.
#' @param permutations As in [gpu_adonis2()]; the rows of `Y` are permuted.
#' @param ... Arguments of `vegan::scores()`, for objects of which it has the scores.
#'
#' @return `gpu_procrustes()` returns an object of class `"procrustes"`, of which package vegan has
#'   methods of `plot()`, `summary()`, `residuals()`, `fitted()` and `predict()`: a list with the
#'   elements
#' * `Yrot`: the rotated `Y`; `X`: the target; both are centred;
#' * `ss`: the sum of their squared differences;
#' * `rotation`, `translation`, `scale`: `scale * Y %*% rotation` plus `translation` in each row are
#'   the points next to those of the given `X`, or next to the scaled ones if `symmetric`;
#' * `xmean`: the mean of `X`; `symmetric`; `call`;
#' * `svd`: singular values and vectors of `crossprod(X, Y)`.
#'
#' `gpu_protest()` returns an object of class `c("protest", "procrustes")`, that of the symmetric
#' rotation with the elements `t0` (the correlation, sqrt(1 - `ss`)), `t` (those of the
#' permutations), `signif` (the p-value), `permutations` (their number) and `control`.
#'
#' @details With centred configurations and the singular values d of X'Y = U diag(d) V', the
#'   rotation is V U', the scale is sum(d) / sum(Y^2), or 1, and the sum of squares is sum(X^2) +
#'   scale^2 sum(Y^2) - 2 scale sum(d) (Mardia, Kent and Bibby 1979, section 14.7). If `X` has fewer
#'   axes than `Y`, it gets axes of zeros, with a warning as in vegan.
#'
#'   After the same `set.seed()` p-values of `gpu_protest()` are those of `vegan::protest()`; see
#'   [gpu_adonis2()] for permutations and what counts as equal. Free permutations are made and used
#'   in blocks of about 32 MiB: 999 of them for 100,000 points take a few seconds.
#'
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Mardia, K. V., Kent, J. T. and Bibby, J. M. (1979) *Multivariate Analysis*. Academic
#'   Press.
#'
#' Peres-Neto, P. R. and Jackson, D. A. (2001) How well do multivariate data sets match? The
#' advantages of a Procrustean superimposition approach over the Mantel test. *Oecologia* **129**,
#' 169-178.
#'
#' @seealso [gpu_mantel()] compares the distances; [gpu_pcoa()], [gpu_mds()]
#'
#' @examples
#' size <- gpu_pcoa(gpu_dist(iris[c("Sepal.Length", "Petal.Length")]))
#' width <- gpu_pcoa(gpu_dist(iris[c("Sepal.Width", "Petal.Width")]))
#' gpu_procrustes(size, width)
#' if (requireNamespace("permute", quietly = TRUE)) {
#'   set.seed(1)
#'   print(gpu_protest(size, width, permutations = 99))
#' }
#' @export
gpu_procrustes <- function(X, Y, scale = TRUE, symmetric = FALSE, # nolint: names of package vegan
                           scores = "sites", ...) {
  call <- sys.call()
  given <- two_configurations(X, Y, scores, match.call(expand.dots = FALSE)$..., list(...), call)
  scale <- flag_of(scale, "scale", call)
  symmetric <- flag_of(symmetric, "symmetric", call)
  fit_procrustes(given, scale, symmetric, match.call())
}

#' @rdname gpu_procrustes
#' @export
gpu_protest <- function(X, Y, scores = "sites", permutations = 999, ...) { # nolint
  call <- sys.call()
  given <- two_configurations(X, Y, scores, match.call(expand.dots = FALSE)$..., list(...), call)
  made <- fit_procrustes(given, TRUE, TRUE, match.call())
  set <- permutation_set(permutations, nrow(given$x), NULL, call)
  y <- unname(unit_centred(given$y, TRUE)) # names would be permuted, too
  permuted <- permuted_values(set, nrow(y), call, function(order) {
    products <- lapply(seq_len(ncol(y)), function(k) {
      crossprod(made$X, matrix(y[, k][order], nrow(y)))
    })
    as.matrix(sums_of_singular(products))
  })
  observed <- made$scale # the sum of the singular values
  more <- list(
    t0 = observed, t = as.vector(permuted), signif = permutation_p(permuted, observed),
    permutations = nrow(permuted), control = set$control
  )
  structure(c(unclass(made), more), class = c("protest", "procrustes"))
}

# Returns list(x, y): two matrices of the same points, of which x has at least as many columns.
two_configurations <- function(x, y, display, dots, given, call) {
  x <- scores_of(x, "X", display, dots, given, call)
  y <- scores_of(y, "Y", display, dots, given, call)
  if (nrow(y) != nrow(x)) stop_message("as many points", "Y", call, "Y", "X", nrow(x), nrow(y))
  warn_of_order(rownames(x), rownames(y), c("X", "Y"), "Y[rownames(X), ]", call)
  for (name in c("x", "y")) check_scores(get(name), toupper(name), call)
  missing <- ncol(y) - ncol(x)
  if (missing > 0L) {
    warning(simpleWarning("X has fewer axes than Y: it gets axes of zeros", call))
    x <- cbind(x, matrix(0, nrow(x), missing))
  }
  list(x = x, y = y)
}

# Raises an error if scores are not finite.
check_scores <- function(x, name, call) {
  at <- which(!is.finite(x), arr.ind = TRUE)
  if (nrow(at)) {
    stop_argument(sprintf(
      "%s must be finite, but row %d, column %d is %s", name, at[1L, 1L], at[1L, 2L],
      show_value(x[at[1L, 1L], at[1L, 2L]])
    ), name, call)
  }
}

# Returns the scores of an ordination as a matrix of doubles, with the names that vegan::scores()
# makes for a matrix without them. `...` of the caller, `dots` and `given`, is for objects only of
# which package vegan has the scores.
scores_of <- function(x, argument, display, dots, given, call) {
  own <- own_scores(x)
  if (is.null(own)) {
    if (!is.object(x) && !is.list(x) || !requireNamespace("vegan", quietly = TRUE)) {
      stop_value(x, argument, paste(
        "a matrix of numbers, an ordination of gpugeo, or an ordination of which the installed",
        "package vegan has the scores"
      ), call)
    }
    own <- do.call(vegan::scores, c(list(x, display = display), given))
  } else {
    refuse_dots(dots, call)
  }
  own <- as_doubles(as.matrix(own))
  if (!is.double(own) || !length(own)) {
    stop_value(x, argument, "an ordination with scores, or a matrix of numbers", call)
  }
  if (is.null(rownames(own))) rownames(own) <- sprintf("site%d", seq_len(nrow(own)))
  if (is.null(colnames(own))) colnames(own) <- paste0("Dim", seq_len(ncol(own)))
  own
}

# Returns the points of what gpugeo or vegan::metaMDS() returned, or of a matrix or data frame;
# NULL for others.
own_scores <- function(x) {
  if (inherits(x, "gpu_mds")) {
    return(x$conf)
  }
  if (inherits(x, c("gpu_pcoa", "metaMDS", "monoMDS"))) {
    return(x$points)
  }
  if (is.data.frame(x) || is.numeric(x) && !inherits(x, "dist")) as.matrix(x)
}

# Returns a matrix without the means of its columns; with `unit` its sum of squares is 1.
unit_centred <- function(x, unit) {
  x <- scale(x, scale = FALSE)
  if (unit) x / sqrt(sum(x^2)) else x
}

# Returns the object of class "procrustes" of what two_configurations() returned.
fit_procrustes <- function(given, scaled, symmetric, call) {
  means <- function(x) if (symmetric) colMeans(unit_centred(x, TRUE)) else colMeans(x)
  x <- unit_centred(given$x, symmetric)
  y <- unit_centred(given$y, symmetric)
  parts <- svd(crossprod(x, y))
  rotation <- parts$v %*% t(parts$u)
  own <- sum(y^2)
  factor <- if (scaled) sum(parts$d) / own else 1
  structure(list(
    Yrot = factor * y %*% rotation, X = x,
    ss = sum(x^2) + factor^2 * own - 2 * factor * sum(parts$d), rotation = rotation,
    translation = means(given$x) - factor * t(means(given$y)) %*% rotation, scale = factor,
    xmean = means(given$x), symmetric = symmetric, call = call, svd = parts
  ), class = "procrustes")
}

# Returns the sums of the singular values of matrices: the column k of the matrix j of a list is the
# column j of the matrix k. With two singular values their sum is known from the sum of squares and
# the determinant.
sums_of_singular <- function(products) {
  if (length(products) == 1L) {
    return(sqrt(colSums(products[[1L]]^2)))
  }
  if (length(products) == 2L && nrow(products[[1L]]) == 2L) {
    determinant <- products[[1L]][1L, ] * products[[2L]][2L, ] -
      products[[1L]][2L, ] * products[[2L]][1L, ]
    squares <- colSums(products[[1L]]^2) + colSums(products[[2L]]^2)
    return(sqrt(squares + 2 * abs(determinant)))
  }
  vapply(seq_len(ncol(products[[1L]])), function(k) {
    sum(svd(vapply(products, function(side) side[, k], products[[1L]][, 1L]), 0L, 0L)$d)
  }, 0)
}

fallback_print.procrustes <- function(x, digits = max(3L, getOption("digits") - 3L), ...) { # nolint
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Procrustes rotation\nCall: ", deparse_call(x$call), "\n", sep = "")
  cat("Sum of squares: ", format(x$ss, digits = digits), "\n", sep = "")
  invisible(x)
}

fallback_print.protest <- function(x, digits = max(3L, getOption("digits") - 3L), ...) { # nolint
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Test of a symmetric Procrustes rotation\n")
  x$statistic <- x$t0
  class(x) <- NULL
  print_test(x, "r", digits)
}

#' Principal coordinates (classical multidimensional scaling)
#'
#' `gpu_pcoa()` finds the first axes of a principal coordinate analysis: the coordinates of
#' [stats::cmdscale()], and the eigenvalues, shares and corrections of `ape::pcoa()`. It takes
#' distances, a file of distances, distances on a device, or the points themselves, and computes on
#' all CPU cores or a CUDA device.
#'
#' @param d Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()], or aligned sequences, whose metric is
#'   `method`, see [gpu_metric()]. Distances
#'   must be finite.
#' @param k The number of axes, 1 to n - 1 for n points.
#' @param add If `TRUE`, Cailliez' correction, as in [stats::cmdscale()].
#' @param correction What is added to the distances against negative eigenvalues: `"none"`;
#'   `"lingoes"`, d becomes sqrt(d^2 + 2 c); or `"cailliez"`, d becomes d + c. c is the smallest
#'   number that leaves no negative eigenvalue, 0 if there is none.
#' @param tolerance How large the residuals may be, as a part of the largest eigenvalue in
#'   magnitude; 0 to 1.
#' @param max_passes The most passes over the distances of a search for eigenvalues. If `tolerance`
#'   is not reached after them, there is a warning.
#' @param eig If `TRUE`, all eigenvalues are computed: see Details.
#' @param list. `FALSE`: only the matrix of coordinates is returned, as by [stats::cmdscale()].
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `d`, see [gpu_inputs].
#' @inheritParams gpu_dist
#'
#' @return An object of class `"gpu_pcoa"`, which has methods for `print()`, `plot()` and
#'   `as.matrix()`: a list with the elements
#' * `points`: a matrix with a row for each point and a column for each positive eigenvalue among
#'   the k largest; there may be fewer than k, with a warning. The element of the largest magnitude
#'   of each column, the first of several, is positive;
#' * `eig`: the k largest eigenvalues, or all n with `eig = TRUE`, in decreasing order, after a
#'   correction; those that are not larger than the error of rounding are 0;
#' * `ac`: the constant c of the correction;
#' * `GOF`: the two measures of fit of [stats::cmdscale()], the sum of the positive eigenvalues
#'   among the k largest over the sum of the magnitudes of all eigenvalues, and over the sum of the
#'   positive ones.
#'   They are `NA` if these sums are not known, see Details;
#' * `trace`: the sum of all eigenvalues;
#' * `relative`: `eig / trace`, the `Relative_eig` of `ape::pcoa()`;
#' * `negative`: the sum of the negative eigenvalues, `NA` if it is not known;
#' * `negative_share`: the share of the negative eigenvalues in the sum of all magnitudes;
#' * `smallest`: the smallest eigenvalue before the correction, `NA` if it is not known;
#' * `correction`, `call`, `method` (of the distances, or `NULL`);
#' * `residual`: for each of the k largest eigenvalues the length of B v - eig v, where v is its
#'   eigenvector of length 1 and B Gower's matrix; as a part of the largest eigenvalue;
#' * `passes`: over the distances; `converged`: `TRUE` if all residuals are within `tolerance`. If
#'   `max_passes` ended the search, it is `FALSE`, with a warning.
#'
#' @details B = -1/2 J A J, where A has the squares of the distances and J takes the mean from a
#'   vector, is never stored. Its largest eigenvalues are found by products with blocks of vectors
#'   (block Lanczos with full reorthogonalization and restarts), for which the distances are read 5
#'   to 40 times. Distances of points and files are computed or read once and stored if their 4 n^2
#'   bytes are at most `memory_limit`, by default half of the memory that R may use; if not, they
#'   are computed or read again for each product. On a CUDA device they take its memory, unless they
#'   are there already, and the basis of the vectors is next to them.
#'
#'   The sum of the negative eigenvalues, and with it `GOF`, `negative`, `negative_share` and
#'   `smallest`, is known for at most 256 points, or 4 k + 170 if that is more, with a correction,
#'   and with `eig = TRUE`. All n eigenvalues are then those of [eigen()], which takes time in
#'   proportion to n^3 and several matrices of 8 n^2 bytes, on one thread unless R's BLAS has more:
#'   it is for some thousand points. The coordinates are the same with and without.
#'
#'   Cailliez' constant is the largest root of an equation for the smallest eigenvalue, which
#'   takes a search of its own for each of some 5 steps. [stats::cmdscale()] computes eigenvalues of
#'   a matrix of 2n rows for it. A correction applies if an eigenvalue is negative beyond rounding:
#'   the constant of Euclidean distances is 0.
#'
#'   The result has the same bits for any number of threads, any `memory_limit`, on CPU and CUDA,
#'   and for every kind of `d` that holds the same distances.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references Gower, J. C. (1966) Some distance properties of latent root and vector methods used
#'   in multivariate analysis. *Biometrika* **53**, 325-338.
#'
#' Cailliez, F. (1983) The analytical solution of the additive constant problem. *Psychometrika*
#' **48**, 305-308.
#'
#' Lingoes, J. C. (1971) Some boundary conditions for a monotone analysis of symmetric matrices.
#' *Psychometrika* **36**, 195-203.
#'
#' Wu, K. and Simon, H. (2000) Thick-restart Lanczos method for large symmetric eigenvalue problems.
#' *SIAM Journal on Matrix Analysis and Applications* **22**, 602-616.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_adonis2()], [gpu_dist()], [stats::cmdscale()]
#'
#' @examples
#' axes <- gpu_pcoa(eurodist)
#' axes
#' plot(axes)
#' gpu_pcoa(eurodist, eig = TRUE)$eig
#'
#' # From points, with the share of each axis.
#' axes <- gpu_pcoa(USArrests, 3, method = "manhattan", correction = "lingoes")
#' axes$relative
#' head(as.matrix(axes))
#' @export
gpu_pcoa <- function(d, k = 2, add = FALSE, correction = "none", method = "euclidean", ...,
                     metric = NULL, tolerance = 1e-10, max_passes = 1000,
                     eig = FALSE, list. = TRUE, # nolint: the name of stats::cmdscale()
                     backend = NULL, threads = NULL, device = NULL, progress = NULL,
                     memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  correction <- pcoa_correction(add, correction, missing(correction), call)
  eig <- flag_of(eig, "eig", call)
  flag_of(list., "list.", call)
  bar <- progress_bar("Principal coordinates")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  own <- list(k = k, correction = correction, tolerance = tolerance, max_passes = max_passes)
  d <- as_distances(d, "d", call)
  rename_message("x", "d", {
    source <- distances_from_any(d, metric, matched, list(...), settings, memory_limit, call)
    distances <- if (eig) pcoa_distances(d, source, settings, call)
    made <- .Call(C_pcoa, source$inputs, c(source$options, own), settings, call)
  })
  bar$close()
  warn_of_pcoa(made, max_passes, call)
  if (eig) {
    squares <- corrected_squares(distances, source$size, correction, made$constant)
    made <- with_spectrum(made, gower_eigenvalues(squares))
  }
  result <- pcoa_of(made, source, correction, match.call())
  if (list.) result else result$points
}

# Returns the correction that both arguments ask for. default: whether `correction` was not given.
pcoa_correction <- function(add, correction, default, call) {
  correction <- choose_one(correction, core_choices("pcoa", "correction"), "correction", call)
  if (!flag_of(add, "add", call)) {
    return(correction)
  }
  if (!default && !identical(correction, "cailliez")) {
    shown <- show_value(correction)
    stop_argument(
      sprintf("correction must be \"cailliez\" with add = TRUE, not %s", shown), "correction", call
    )
  }
  "cailliez"
}

warn_of_pcoa <- function(made, max_passes, call) {
  k <- length(made$eigenvalue)
  if (made$positive < k) {
    warning(simpleWarning(
      sprintf("only %d of the first %d eigenvalues are > 0", as.integer(made$positive), k), call
    ))
  }
  if (!made$converged) {
    warning(simpleWarning(sprintf(
      "max_passes = %s was not enough: the largest residual is %s of the largest eigenvalue",
      format(max_passes), format(max(relative_residual(made)), digits = 2L)
    ), call))
  }
}

relative_residual <- function(made) {
  largest <- max(abs(made$eigenvalue), -made$smallest, na.rm = TRUE)
  if (largest > 0) made$residual / largest else made$residual
}

# Returns the distances of a source as a vector.
pcoa_distances <- function(d, source, settings, call) {
  switch(source$options$source,
    dist = source$inputs[[1L]],
    sequences = .Call(C_dist_dna, source$inputs, source$inputs[[4L]], settings, call)$distances,
    points = .Call(C_dist, list(source$inputs[[1L]], NULL), source$options, settings, call),
    stats::as.dist(d)
  )
}

# Returns the matrix of the squares of distances d of n points after a correction.
corrected_squares <- function(d, n, correction, constant) {
  corrected <- if (correction == "cailliez") (d + constant)^2 else d^2 + 2 * constant
  squares <- matrix(0, n, n)
  squares[lower.tri(squares)] <- corrected
  squares + t(squares)
}

# Returns all eigenvalues of Gower's matrix in decreasing order. Those within rounding are 0.
gower_eigenvalues <- function(squares) {
  means <- colMeans(squares)
  b <- (outer(means, means, "+") - squares - mean(means)) / 2
  value <- eigen(b, symmetric = TRUE, only.values = TRUE)$values
  value[abs(value) <= nrow(b) * .Machine$double.eps * max(abs(value))] <- 0
  value
}

# Adds all eigenvalues to a result, and what follows from them.
with_spectrum <- function(made, value) {
  made$spectrum <- c(made$eigenvalue, value[-seq_along(made$eigenvalue)])
  if (is.nan(made$negative)) {
    made$negative <- sum(pmin(value, 0))
  }
  if (is.nan(made$smallest)) {
    made$smallest <- min(value)
  }
  made
}

# Returns the object of class "gpu_pcoa".
pcoa_of <- function(made, source, correction, call) {
  kept <- seq_len(made$positive)
  points <- made$points[, kept, drop = FALSE]
  dimnames(points) <- if (length(source$labels)) list(as.character(source$labels), NULL)
  positive <- made$trace - made$negative
  all <- positive - made$negative
  sums <- sum(made$eigenvalue[kept]) / c(all, positive)
  negative <- if (is.nan(made$negative)) NA_real_ else made$negative
  eig <- if (is.null(made$spectrum)) made$eigenvalue else made$spectrum
  structure(list(
    points = points, eig = eig, ac = made$constant,
    GOF = if (is.na(negative)) c(NA_real_, NA_real_) else sums, trace = made$trace,
    relative = eig / made$trace, negative = negative,
    negative_share = if (is.na(negative)) NA_real_ else if (all > 0) -negative / all else 0,
    smallest = if (is.nan(made$smallest)) NA_real_ else made$smallest,
    correction = correction, method = source$metric, residual = relative_residual(made),
    passes = made$passes,
    converged = made$converged, call = call
  ), class = "gpu_pcoa")
}

#' @rdname ordination_class
#' @export
print.gpu_pcoa <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), print_arguments)
  cat("Principal coordinates of", nrow(x$points), "points\n")
  cat("Call: ", deparse_call(x$call), "\n\n", sep = "")
  axes <- seq_along(x$residual)
  print(rbind(
    Eigenvalue = stats::setNames(x$eig[axes], paste("Axis", axes)), Share = x$relative[axes],
    Cumulative = cumsum(x$relative[axes])
  ), digits = digits, ...)
  cat("\nSum of all eigenvalues: ", format(x$trace, digits = digits), "\n", sep = "")
  if (!is.na(x$negative) && x$negative < 0) {
    cat(
      "Sum of the negative ones: ", format(x$negative, digits = digits), ", ",
      format(100 * x$negative_share, digits = digits), " % of all magnitudes\n", sep = ""
    )
  }
  if (x$correction != "none") {
    cat("Correction: ", x$correction, ", c = ", format(x$ac, digits = digits), "\n", sep = "")
  }
  if (!x$converged) {
    cat("Not converged: residuals up to", format(max(x$residual), digits = 2L), "\n")
  }
  invisible(x)
}

#' @rdname ordination_class
#' @export
as.matrix.gpu_pcoa <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  x$points
}

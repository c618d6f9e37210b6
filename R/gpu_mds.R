#' Multidimensional scaling by stress majorization
#'
#' `gpu_mds()` finds points in few dimensions whose Euclidean distances are near the given ones, or
#' have their order, by the algorithm SMACOF: metric and nonmetric multidimensional scaling as in
#' `smacof::smacofSym()` with `type = "ratio"` and `"ordinal"`, with or without weights. It takes
#' distances in memory, in a file or on a device, or the points themselves, and computes on all CPU
#' cores or a CUDA device.
#'
#' @param d Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()], whose metric is `method`. Distances
#'   must be finite and at least 0; those in memory may be `NA`: they are missing, and have weight
#'   0.
#' @param k The number of dimensions, 1 to n - 1 for n points.
#' @param weights Weights of the distances, as an object of class `"dist"` or a symmetric matrix,
#'   finite and at least 0. `NULL`: all are 1.
#' @param start The first configuration: `"pcoa"`, the principal coordinates of [gpu_pcoa()];
#'   `"random"`, normal random numbers of R's generator; or a matrix with n rows and k columns.
#' @param type `"ratio"`: distances are compared with `d`, at the best scale. `"ordinal"`: they are
#'   compared with disparities in the order of `d`, on the CPU only, for at most 65,536 points.
#' @param squared If `TRUE`, the squares of distances are compared (SSTRESS), on the CPU only.
#'   `relax` has no effect then.
#' @param relax If `TRUE`, the steps of the fourth and all later iterations are twice as long.
#' @param tolerance The iteration ends if it lowers the stress by at most this part; 0 to 1.
#' @param max_iterations The most iterations. If `tolerance` is not reached after them, there is a
#'   warning. 0: the result is the start, at its best scale.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `d`, see [gpu_inputs].
#' @inheritParams gpu_dist
#'
#' @return An object of class `"gpu_mds"`, which has methods for `print()`, `plot()` and
#'   `as.matrix()`: a list whose elements have the names of those of `smacof::smacofSym()`
#' * `conf`: the configuration, a matrix with n rows and columns `D1`, `D2`, ..., in units of the
#'   distances; smacof's is divided by the root mean square of the distances;
#' * `dhat`: what the distances of `conf` are compared with: `delta`, or disparities, an object of
#'   class `"dist"` with the sum of squares of the distances; `NA` where the weight is 0;
#' * `stress`: sqrt(sum w (delta - d)^2 / sum w delta^2), where delta are the given distances and d
#'   those of `conf`;
#' * `niter`: the number of iterations; `converged`: `TRUE` if `tolerance` was reached, or the
#'   stress is at most 1e-10;
#' * `delta`, `confdist`: the given distances and those of `conf`, objects of class `"dist"` of
#'   4 n^2 bytes; only if `d` was distances in memory;
#' * `weightmat`: the weights, an object of class `"dist"`, or `NULL`;
#' * `nobj`, `ndim`: n and k; `type`; `method`: of the distances, or `NULL`; `call`.
#'
#' @details The scale of `conf` is the one with the smallest stress. There the stress is also
#'   Kruskal's stress-1 of ratio scaling, sqrt(sum w (b delta - d)^2 / sum w d^2) with the best b.
#'
#'   An iteration is the Guttman transform, which never raises the stress. Without relaxation the
#'   configurations are those of smacof from the same start, but for their scale, which smacof
#'   leaves as the transform has it: the stress after any number of iterations is at most
#'   smacof's. Relaxed steps (de Leeuw and Heiser 1980) never raise the stress either, and reach the
#'   same stress in about half as many iterations.
#'
#'   Ordinal scaling (Kruskal 1964) is nonmetric: each iteration first fits disparities to the
#'   distances d of the points, those nearest to d that do not fall where delta rises (monotone
#'   regression by pool adjacent violators). Equal delta may have any disparities (the primary
#'   treatment of ties). The transform is then that of the disparities (de Leeuw and Mair 2009,
#'   section 3). The stress, in which disparities replace delta, is Kruskal's stress-1,
#'   sqrt(sum w (dhat - d)^2 / sum w d^2), with `dhat` at the scale of d; `MASS::isoMDS()` gives it
#'   in percent. Orders, values and disparities of the pairs take 33 n^2 bytes.
#'
#'   With `squared = TRUE` delta, d and disparities are replaced by their squares: the stress is
#'   sqrt(sum w (delta^2 - d^2)^2 / sum w delta^4), the loss SSTRESS of Takane, Young and de Leeuw
#'   (1977). An iteration is a step of conjugate gradients to the smallest stress along a line,
#'   which is found by the roots of a polynomial. Values, disparities and residuals take 12 n^2
#'   bytes.
#'
#'   With weights each iteration solves linear systems by conjugate gradients, to residuals of
#'   1e-12 of the right side. The iteration stores no other matrix than distances and weights.
#'   Distances of points, files and devices are computed or read once, and take 4 n^2 bytes.
#'   Distances of weight 0 have no influence on the iteration, but on a start by `"pcoa"`; they must
#'   be finite.
#'
#'   On a CUDA device distances and weights are copied to its memory, 4 n^2 bytes each.
#'   `backend = "auto"` takes the device if the time of 100 iterations on the CPU is longer than
#'   that of the copies and launches, and if the device has that memory.
#'
#'   The stress has many local minima: try random starts, too. The result has the same bits for
#'   any number of threads, on CPU and CUDA, and for every kind of `d` that holds the same
#'   distances.
#'
#' @section Engines of metaMDS: `vegan::metaMDS()` has two engines, and takes no other functions;
#'   [gpu_metamds()] does what it does. Both take distances of [gpu_dist()], and a configuration of
#'   `gpu_mds()` as the first one that they try to improve: `gpu_metamds(d, previous.best = map)`,
#'   where `map` is `gpu_mds(d, type = "ordinal")`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references de Leeuw, J. (1977) Applications of convex analysis to multidimensional scaling. In
#'   *Recent Developments in Statistics*, North-Holland, 133-145.
#'
#' de Leeuw, J. and Heiser, W. J. (1980) Multidimensional scaling with restrictions on the
#' configuration. In *Multivariate Analysis V*, North-Holland, 501-522.
#'
#' de Leeuw, J. and Mair, P. (2009) Multidimensional scaling using majorization: SMACOF in R.
#' *Journal of Statistical Software* **31**(3).
#'
#' Kruskal, J. B. (1964) Nonmetric multidimensional scaling: a numerical method. *Psychometrika*
#' **29**, 115-129.
#'
#' Takane, Y., Young, F. W. and de Leeuw, J. (1977) Nonmetric individual differences
#' multidimensional scaling: an alternating least squares method with optimal scaling features.
#' *Psychometrika* **42**, 7-67.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_pcoa()], [gpu_dist()]
#'
#' @examples
#' map <- gpu_mds(eurodist)
#' map
#' plot(map)
#'
#' # Only the order of the distances counts.
#' gpu_mds(eurodist, type = "ordinal")
#'
#' # Small distances count more.
#' gpu_mds(eurodist, weights = 1 / eurodist^2)$stress
#' @export
gpu_mds <- function(d, k = 2, weights = NULL, start = c("pcoa", "random"), method = "euclidean",
                    ..., metric = NULL, type = c("ratio", "ordinal"), squared = FALSE,
                    relax = TRUE, tolerance = 1e-6, max_iterations = 1000, backend = NULL,
                    threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  bar <- progress_bar("Multidimensional scaling")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  d <- as_distances(d, "d", call)
  weights <- pair_weights(weights, call)
  type <- choose_one(type, core_choices("mds", "type"), "type", call)
  used <- leave_out_missing(d, weights, start, call)
  weights <- used$weights
  own <- list(
    k = k, weights = weights, type = type, squared = squared,
    tolerance = tolerance, max_iterations = max_iterations, relax = relax
  )
  rename_message("x", "d", {
    source <- distances_from_any(used$d, metric, matched, list(...), settings, memory_limit, call)
    warn_of_starts(source$labels, d, weights, start, call)
    own$start <- mds_start(start, source$size, k, call)
    made <- .Call(C_mds, source$inputs, c(source$options, own), settings, call)
  })
  bar$close()
  if (!made$converged && made$iterations > 0) {
    warning(simpleWarning(sprintf(
      "max_iterations = %s was not enough: the stress is %s", format(max_iterations),
      format(made$stress, digits = 4L)
    ), call))
  }
  mds_of(made, source, if (inherits(d, "dist")) d, weights, type, match.call())
}

# Returns weights of pairs as an object of class "dist" of doubles, or NULL.
pair_weights <- function(weights, call) {
  if (is.null(weights)) {
    return(NULL)
  }
  weights <- as_distances(weights, "weights", call, hint = "")
  if (!inherits(weights, "dist") || !is.numeric(weights)) {
    stop_value(
      weights, "weights", "an object of class \"dist\" or a symmetric matrix of numbers", call
    )
  }
  if (!is.double(weights)) storage.mode(weights) <- "double"
  weights
}

# Warns if weights or the first configuration have the names of the points in another order.
warn_of_starts <- function(labels, d, weights, start, call) {
  names <- labels_code(d, "d")
  if (!is.null(weights)) {
    line <- sprintf("as.matrix(weights)[%s, %s]", names, names)
    warn_of_order(labels, attr(weights, "Labels"), c("d", "weights"), line, call)
  }
  line <- sprintf("start[%s, ]", names)
  warn_of_order(labels, if (is.matrix(start)) rownames(start), c("d", "start"), line, call)
}

# Gives missing distances in memory the weight 0. Returns distances and weights.
leave_out_missing <- function(d, weights, start, call) {
  if (!inherits(d, "dist") || !is.numeric(d) || !anyNA(d)) {
    return(list(d = d, weights = weights))
  }
  if (!is.matrix(start) && !identical(start, "random")) {
    stop_message("start of missing", "start", call, "d", show_value(start[1L]))
  }
  missing <- is.na(d)
  if (is.null(weights)) {
    weights <- replace(d, TRUE, 1)
  }
  if (length(weights) == length(d)) { # if not, it is an error of the core
    weights[missing] <- 0
  }
  list(d = replace(d, missing, 0), weights = weights)
}

# Returns the first configuration as doubles, or NULL for principal coordinates. What is wrong with
# k is left to the core.
mds_start <- function(start, n, k, call) {
  if (!is.matrix(start)) {
    start <- choose_one(start, c("pcoa", "random"), "start", call)
  }
  if (identical(start, "pcoa") || !is_dimension(k, n)) {
    return(NULL)
  }
  if (identical(start, "random")) {
    return(stats::rnorm(n * k))
  }
  if (!is.numeric(start) || !identical(dim(start), as.integer(c(n, k)))) {
    stop_value(
      start, "start",
      sprintf("a matrix of numbers with %d rows and %d columns", as.integer(n), as.integer(k)), call
    )
  }
  as.double(start)
}

# True if k is a whole number of at least 1 and less than n.
is_dimension <- function(k, n) {
  is.numeric(k) && length(k) == 1L && isTRUE(k >= 1 && k < n && k == floor(k))
}

# Returns the object of class "gpu_mds".
mds_of <- function(made, source, delta, weights, type, call) {
  conf <- made$conf
  labels <- if (length(source$labels)) as.character(source$labels)
  dimnames(conf) <- list(labels, paste0("D", seq_len(ncol(conf))))
  structure(list(
    delta = delta, dhat = disparities_of(made, delta, labels), conf = conf,
    confdist = if (!is.null(delta)) distances_of(conf),
    stress = made$stress, weightmat = weights, niter = made$iterations,
    converged = made$converged, nobj = nrow(conf), ndim = ncol(conf), type = type,
    method = source$metric, call = call
  ), class = "gpu_mds")
}

# Returns the distances of a configuration; the last call that gpu_info() tells of stays gpu_mds().
distances_of <- function(conf) {
  last <- state$last
  on.exit(state$last <- last)
  gpu_dist(conf, backend = "cpu")
}

# Returns what distances were compared with, an object of class "dist": `delta` itself with ratio
# scaling.
disparities_of <- function(made, delta, labels) {
  if (is.null(made$disparities)) {
    return(delta)
  }
  structure(made$disparities,
    Size = nrow(made$conf), Labels = labels, Diag = FALSE, Upper = FALSE, class = "dist"
  )
}

#' @rdname ordination_class
#' @export
print.gpu_mds <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat(if (x$type == "ordinal") "Ordinal m" else "M", "ultidimensional scaling of ", sep = "")
  cat(x$nobj, "points in", x$ndim)
  cat(if (x$ndim == 1L) " dimension\n" else " dimensions\n")
  cat("Call: ", deparse_call(x$call), "\n\n", sep = "")
  cat("Stress: ", format(x$stress, digits = digits), "\n", sep = "")
  cat("Iterations: ", x$niter, if (!x$converged) ", not converged", "\n", sep = "")
  invisible(x)
}

#' @rdname ordination_class
#' @export
as.matrix.gpu_mds <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  x$conf
}

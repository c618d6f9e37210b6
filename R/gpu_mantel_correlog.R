#' Mantel correlogram
#'
#' `gpu_mantel_correlog()` tests in classes of geographic distance whether communities in the same
#' class are alike. It is a drop-in replacement for `vegan::mantel.correlog()`. Its tests are those
#' of [gpu_mantel()], on all CPU cores or a GPU.
#'
#' @param D.eco Ecological distances, as `ydis` of [gpu_mantel()].
#' @param D.geo Geographic distances of the same points, likewise; or
#' @param XY the coordinates of the points, a matrix or data frame, whose Euclidean distances are
#'   taken.
#' @param n.class The number of classes of the same width, at least 2. 0 or `NULL`: by Sturges'
#'   rule, `ceiling(1 + log2(pairs))`.
#' @param break.pts The limits of the classes, in ascending order, instead of `n.class`.
#' @param cutoff Whether of the classes behind the first `floor(n.class / 2)` only those are tested
#'   that have a distance of each point.
#' @param r.type `"pearson"`, `"spearman"` or `"kendall"`, or the beginning of such a name.
#' @param nperm Permutations, as `permutations` of [gpu_mantel()].
#' @param mult How p-values are corrected: `"sidak"`, or a method of [stats::p.adjust()].
#' @param progressive Whether the p-value of a class is corrected for the tests up to this class
#'   only, not for all of them.
#' @inheritParams gpu_dist
#'
#' @return An object of class `"mantel.correlog"` as `vegan::mantel.correlog()` returns it, which
#'   package vegan prints and plots: a list with
#' * `mantel.res`, a matrix with a row for each class, `"D.cl.1"` and so on: `class.index`, the
#'   middle of the class; `n.dist`, twice the number of its pairs of points, as in vegan;
#'   `Mantel.cor`, the statistic; `Pr(Mantel)`; and unless `mult` is `"none"` `Pr(corrected)`;
#' * `n.class`, `break.pts`, `mult` and `call`, and `n.tests`, the number of p-values.
#'
#' @details A class has the distances above its lower limit and up to its upper one; the first class
#'   has its lower limit, too. The statistic of a class is the correlation of the ecological
#'   distances with a variable that is 0 for the pairs of the class and 1 for the others: it is
#'   positive if the pairs of the class are more alike than the others. The test is one-sided, in
#'   the direction of the statistic, and permutes the classes of pairs, anew for each class: after
#'   the same `set.seed()` statistics and p-values are vegan's, but for ties. Permuted statistics
#'   that differ by at most 2^-26 from the one found count as equal, in vegan only if the statistic
#'   is negative or 0.
#'
#'   It also differs from vegan in what vegan leaves out: the smallest distance, if it is 2 or
#'   larger, and corrected p-values behind a class without pairs. Without permutations p-values are
#'   `NA`.
#'
#'   A class takes as long as a test of [gpu_mantel()], and 8 bytes for each pair of points.
#'
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Legendre, P. and Legendre, L. (2012) *Numerical Ecology*. 3rd edition. Elsevier,
#'   section 13.1.6.
#'
#' Oden, N. L. and Sokal, R. R. (1986) Directional autocorrelation: an extension of spatial
#' correlograms to two dimensions. *Systematic Zoology* **35**, 608-617.
#'
#' @seealso [gpu_mantel()], `vegan::mantel.correlog()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' place <- cbind(1:30, 0)
#' size <- gpu_dist(sin(1:30 / 5))
#' set.seed(1)
#' gpu_mantel_correlog(size, XY = place, n.class = 6, nperm = 99)
#' @export
gpu_mantel_correlog <- function(D.eco, D.geo = NULL, XY = NULL, # nolint: names of package vegan
                                n.class = 0, break.pts = NULL, # nolint
                                cutoff = TRUE, r.type = "pearson", nperm = 999, # nolint
                                mult = "holm", progressive = TRUE, backend = NULL, threads = NULL,
                                device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  run <- run_arguments()
  method <- choose_one(r.type, core_choices("mantel", "method"), "r.type", call)
  mult <- choose_one(mult, c("sidak", stats::p.adjust.methods), "mult", call)
  cutoff <- flag_of(cutoff, "cutoff", call)
  progressive <- flag_of(progressive, "progressive", call)
  in_memory <- function(d) if (inherits(d, stored_distances)) stats::as.dist(d) else d
  eco <- mantel_side(if (method == "kendall") in_memory(D.eco) else D.eco, "D.eco", call)
  geo <- geographic_distances(in_memory(D.geo), XY, eco$size, run, call)
  warn_of_order(
    eco$labels, labels_of_dist(geo), c("D.eco", if (is.null(XY)) "D.geo" else "XY"),
    if (is.null(XY)) "as.matrix(D.geo)[labels(D.eco), labels(D.eco)]" else "XY[labels(D.eco), ]",
    call
  )
  limits <- class_limits(geo, n.class, break.pts, call)
  classes <- length(limits) - 1L
  members <- cut(geo, limits, include.lowest = TRUE, labels = FALSE)
  members[is.na(members)] <- 0L
  tested <- is_tested(members, classes, as.integer(eco$size), cutoff)
  values <- matrix(NA_real_, 2L, classes)
  values[, tested] <- vapply(which(tested), function(k) {
    geo[] <- as.double(members == k)
    test_class(geo, eco, method, nperm, run, call)
  }, numeric(2L))
  state$last$`function` <- "gpu_mantel_correlog"
  limits[1L] <- limits[1L] - .Machine$double.eps # as vegan
  result <- cbind(
    (limits[-1L] + limits[-length(limits)]) / 2, 2 * tabulate(members, classes), t(values),
    if (mult != "none") correct_p(values[2L, ], mult, progressive)
  )
  dimnames(result) <- list(
    paste0("D.cl.", seq_len(classes)),
    c("class.index", "n.dist", "Mantel.cor", "Pr(Mantel)", "Pr(corrected)")[seq_len(ncol(result))]
  )
  structure(list(
    mantel.res = result, n.class = as.double(classes), break.pts = limits, mult = mult,
    n.tests = sum(!is.na(values[2L, ])), call = match.call()
  ), class = "mantel.correlog")
}

# Returns the geographic distances as an object of class "dist" without missing values.
geographic_distances <- function(distances, coordinates, n, run, call) {
  if (is.null(distances) == is.null(coordinates)) {
    stop_argument("either D.geo or XY must be given", "D.geo", call)
  }
  name <- if (is.null(coordinates)) "D.geo" else "XY"
  if (is.null(coordinates)) {
    side <- mantel_side(distances, name, call)
    d <- structure(
      as.double(side$inputs[[1L]]), Size = side$size, Labels = side$labels, class = "dist"
    )
  } else {
    d <- rename_message("x", name, gpu_dist(
      coordinates, backend = run$backend, threads = run$threads, device = run$device,
      progress = FALSE, memory_limit = run$memory_limit
    ))
  }
  if (attr(d, "Size") != n) {
    stop_message("as many points", name, call, name, "D.eco", n, attr(d, "Size"))
  }
  if (!all(is.finite(d)) || length(d) < 2L || min(d) == max(d)) {
    stop_argument(sprintf(
      "%s must have finite distances only, of which two are different", name
    ), name, call)
  }
  d
}

# Returns the limits of the classes of distance.
class_limits <- function(d, classes, limits, call) {
  if (!is.null(limits)) {
    limits <- numbers_of(limits, "break.pts", call)
    if (length(limits) < 2L || !all(is.finite(limits)) || any(diff(limits) <= 0)) {
      stop_value(limits, "break.pts", "at least two finite numbers in ascending order", call)
    }
    return(limits)
  }
  if (is.null(classes) || identical(as.double(classes), 0)) {
    classes <- ceiling(1 + log2(length(d)))
  }
  check_count(classes, "n.class", call)
  if (classes < 2 || classes > length(d)) {
    allowed <- sprintf("0 or a whole number between 2 and %d, that of pairs", length(d))
    stop_value(classes, "n.class", allowed, call)
  }
  limits <- seq(min(d), max(d), length.out = classes + 1)
  replace(limits, classes + 1, max(d)) # not rounded
}

# Returns whether each class is tested.
#
# members  the number of the class of each pair of n points; 0: none
is_tested <- function(members, classes, n, cutoff) {
  tested <- tabulate(members, classes) > 0L
  before <- cumsum(as.double(c(0, rev(seq_len(n - 1L))))) # pairs before those of each first point
  for (k in which(tested & cutoff & seq_len(classes) > classes %/% 2L)) {
    at <- which(members == k)
    first <- findInterval(at, before, left.open = TRUE)
    tested[k] <- length(unique(c(first, at - before[first] + first))) == n
  }
  tested
}

# Returns the statistic and the p-value of a class.
#
# inside  an object of class "dist" that is 1 for the pairs of the class, else 0
test_class <- function(inside, eco, method, permutations, run, call) {
  sides <- list(xdis = mantel_side(inside, "D.geo", call), ydis = eco)
  set <- rename_message("permutations", "nperm", {
    permutation_set(permutations, as.integer(eco$size), NULL, call)
  })
  statistic <- rename_message("ydis", "D.eco", rename_message("permutations", "nperm", {
    if (method == "kendall") {
      mantel_kendall(sides, permutation_rows(set, call), FALSE, run, call)
    } else {
      mantel_core(sides, method, set, run, call)
    }
  }))
  sign <- if (isTRUE(statistic[1L] < 0)) -1 else 1
  permuted <- as.matrix(sign * statistic[-1L])
  p <- if (nrow(permuted)) permutation_p(permuted, sign * statistic[1L]) else NA
  c(-statistic[1L], p)
}

# Returns corrected p-values, of which some are missing.
correct_p <- function(p, how, progressive) {
  adjust <- function(p) {
    if (how == "sidak") 1 - (1 - p)^sum(!is.na(p)) else stats::p.adjust(p, how)
  }
  if (!progressive) {
    return(adjust(p))
  }
  vapply(seq_along(p), function(k) adjust(p[seq_len(k)])[k], 0)
}

# nolint start: object_name_linter.
fallback_print.mantel.correlog <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Mantel correlogram\nCall: ", deparse_call(x$call), "\n\n", sep = "")
  print(x$mantel.res, digits = digits)
  invisible(x)
}

fallback_plot.mantel.correlog <- function(x, alpha = 0.05, ...) {
  found <- x$mantel.res[!is.na(x$mantel.res[, "Mantel.cor"]), , drop = FALSE]
  below <- found[, ncol(found)] <= alpha & !is.na(found[, ncol(found)])
  style <- list(
    x = found[, "class.index"], y = found[, "Mantel.cor"], type = "b", las = 1,
    pch = ifelse(below, 15, 22), xlab = "distance class index",
    ylab = "Mantel correlation"
  )
  do.call(graphics::plot, utils::modifyList(style, list(...)))
  graphics::abline(h = 0, col = "grey60")
  invisible(x)
}
# nolint end

#' Homogeneity of multivariate dispersions
#'
#' `gpu_betadisper()` is a drop-in replacement for `vegan::betadisper()`, for distances in memory,
#' in a file or on a device, or for points: the distances of points from the centre of their group,
#' in the space of all principal coordinates.
#'
#' @param d Distances, an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or points in rows, as in [gpu_dist()].
#' @param group The group of each point, a factor or what [as.factor()] takes. Points without a
#'   group are left out, with a message.
#' @param type The centre of a group: its spatial median or its centroid.
#' @param bias.adjust Whether to multiply distances in a group of n points by sqrt(n / (n - 1)).
#' @param sqrt.dist Whether to take the square roots of the distances.
#' @param add How to correct distances that have negative eigenvalues: `"lingoes"` adds a
#'   constant to their squares, `"cailliez"` to themselves, by 2 n x 2 n eigenvalues; `TRUE` stands
#'   for `"lingoes"`.
#' @param method The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `d`, see [gpu_inputs].
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return An object of class `"betadisper"` as `vegan::betadisper()` returns it, a list with the
#'   elements `eig`, `vectors`, `distances`, `group`, `centroids`, `group.distances` and `call`.
#'   [gpu_permutest()] tests it. Package vegan has methods of `print()`, `anova()`, `permutest()`,
#'   `TukeyHSD()`, `plot()`, `boxplot()` and `scores()` for it.
#'
#' @details Principal coordinates are those of R's [eigen()], which takes most of the time: about as
#'   long as `stats::cmdscale()`, and 8 n^2 bytes several times. The result has the bits of
#'   `vegan::betadisper()`: tests of it give the same p-values after the same `set.seed()`.
#'   The spatial median of a group is found in the dimensions of positive and of negative
#'   eigenvalues apart, by the method BFGS of [optim()].
#'
#'   Distances must be finite and not negative. If the distance between two points is missing, the
#'   second of them is left out, with a message.
#'
#' @inheritSection gpu_adonis2 Names of metrics
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Anderson, M. J. (2006) Distance-based tests for homogeneity of multivariate
#'   dispersions. *Biometrics* **62**, 245-253.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_permutest()], [gpu_adonis2()], `vegan::betadisper()`
#'
#' @examples
#' spread <- gpu_betadisper(gpu_dist(iris[1:4]), iris$Species)
#' spread$group.distances
#' @export
gpu_betadisper <- function(d, group, type = c("median", "centroid"),
                           bias.adjust = FALSE, sqrt.dist = FALSE, # nolint: names of package vegan
                           add = FALSE, method = "braycurtis", ..., na.rm = FALSE, # nolint
                           metric = NULL, backend = NULL, threads = NULL, device = NULL,
                           progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  type <- choose_one(type, c("median", "centroid"), "type", call)
  adjust <- flag_of(bias.adjust, "bias.adjust", call)
  root <- flag_of(sqrt.dist, "sqrt.dist", call)
  correction <- correction_of(add, call)
  metric <- metric_of(method, metric, missing(method), call)
  run <- run_arguments()
  d <- as_distances(d, "d", call)
  if (!is_distances(d)) {
    matched <- match.call(expand.dots = FALSE)
    d <- rename_message("x", "d", {
      taken <- community_points(d, metric, na.rm, matched, list(...), run, call)
      if (is_distances(taken$x)) taken$x else distances_between(taken$x, taken$metric, run)
    })
  } else {
    refuse_dots(match.call(expand.dots = FALSE)$..., call, metric = "method")
    check_no_metric(match.call(), metric, call)
  }
  if (inherits(d, stored_distances)) {
    d <- stats::as.dist(d)
  }
  source <- source_of(d, "d", call)
  check_dispersed(d, group, source$size, call)
  warn_of_labels(d, source$labels, group, c("d", "group"), call)
  corrected <- correct_distances(if (root) sqrt(d) else d, correction)
  kept <- present_points(corrected, group)
  group <- kept$group
  space <- principal_space(kept$squares)
  centroids <- centers_of(space, group, type)
  distances <- center_distances(space, centroids, group)
  if (adjust) {
    size <- tabulate(group, nlevels(group))[group]
    distances <- distances * sqrt(size / (size - 1))
  }
  means <- tapply(distances, group, "mean")
  names(distances) <- rownames(space$vectors) <- source$labels[kept$points]
  structure(
    list(
      eig = space$eig, vectors = space$vectors, distances = distances, group = group,
      centroids = centroids, group.distances = means, call = match.call()
    ),
    class = "betadisper", method = source$metric, type = type, bias.adjust = adjust
  )
}

# Returns "none", "lingoes" or "cailliez".
correction_of <- function(add, call) {
  if (isTRUE(add) || isFALSE(add)) {
    return(if (add) "lingoes" else "none")
  }
  found <- if (is.character(add) && length(add) == 1L) begun_by(add, c("lingoes", "cailliez"))
  if (length(found) != 1L) {
    stop_value(add, "add", "true, false, \"lingoes\" or \"cailliez\"", call)
  }
  found
}

check_dispersed <- function(d, group, n, call) {
  check_values(group, "group", n, call, vector_hint(n, length(group)))
  check_factor(group, "group", call)
  check_range(d, "d", -sqrt(.Machine$double.eps), call) # the bound of vegan's betadisper()
}

# Raises an error if distances in memory are infinite or less than `least`.
check_range <- function(d, name, least, call) {
  limits <- suppressWarnings(range(d, na.rm = TRUE)) # of none: Inf and -Inf
  if (limits[1L] < least) {
    stop_argument(sprintf(
      "%s must have distances of at least 0, but the smallest is %s", name, show_value(limits[1L])
    ), name, call)
  }
  if (limits[2L] == Inf) {
    stop_argument(
      sprintf("%s must have finite distances only, but the largest is Inf", name), name, call
    )
  }
}

# --- Principal coordinates ----------------------------------------------------------------------

# vegan has the same order of operations in all of these functions: the search for a spatial median
# ends at a relative change of 1e-8, and another rounding before it may end it elsewhere.

# Returns a square matrix without the means of its columns, then of its rows.
center_twice <- function(x) {
  x <- x - rep(colMeans(x), each = nrow(x))
  x - rowMeans(x)
}

# Adds the least constant that leaves no eigenvalue negative (Gower and Legendre 1986).
correct_distances <- function(d, correction) {
  if (correction == "none") {
    return(d)
  }
  x <- as.matrix(d)
  if (correction == "lingoes") {
    eig <- eigen(-center_twice(x^2) / 2, symmetric = TRUE, only.values = TRUE)$values
    return(sqrt(d^2 + 2 * max(-min(eig), 0)))
  }
  n <- nrow(x)
  system <- matrix(0, 2L * n, 2L * n)
  upper <- seq_len(n)
  system[cbind(n + upper, upper)] <- -1
  system[upper, n + upper] <- -center_twice(x^2)
  system[n + upper, n + upper] <- center_twice(2 * x)
  d + max(Re(eigen(system, symmetric = FALSE, only.values = TRUE)$values), 0)
}

# Returns list(points, group, squares): the numbers of the points that are left, their groups, and
# the matrix of their squared distances.
present_points <- function(d, group) {
  group <- droplevels(as.factor(group), exclude = NA)
  n <- length(group)
  x <- matrix(0, n, n)
  x[lower.tri(x)] <- d^2
  left_out <- function(which, why) {
    if (any(which)) message(sum(which), " points are left out, whose ", why, " missing")
    !which
  }
  points <- which(left_out(is.na(group), "group is"))
  if (anyNA(x) || length(points) < n) {
    x <- x[points, points, drop = FALSE]
    kept <- left_out(rowSums(is.na(x)) > 0, "distances to points before them are")
    x <- x[kept, kept, drop = FALSE]
    points <- points[kept]
  }
  list(points = points, group = group[points], squares = x + t(x))
}

# Returns list(vectors, eig): the principal coordinates, of eigenvalues that are not 0.
principal_space <- function(squares) {
  tolerance <- sqrt(.Machine$double.eps)
  found <- eigen(-center_twice(squares) / 2, symmetric = TRUE)
  kept <- abs(found$values) > max(tolerance, tolerance * found$values[1L])
  eig <- found$values[kept]
  vectors <- found$vectors[, kept, drop = FALSE] * rep(sqrt(abs(eig)), each = nrow(squares))
  if (any(kept)) {
    colnames(vectors) <- names(eig) <- paste0("PCoA", seq_along(eig))
  }
  list(vectors = vectors, eig = eig)
}

# --- Centres ------------------------------------------------------------------------------------

# Returns a matrix with the centre of each group in a row.
centers_of <- function(space, group, type) {
  sides <- list(space$eig > 0, space$eig <= 0)
  center <- function(own) {
    x <- space$vectors[own, , drop = FALSE]
    if (type == "centroid") {
      return(colMeans(x))
    }
    unlist(lapply(sides, function(side) spatial_median(x[, side, drop = FALSE])))
  }
  centers <- lapply(split(seq_along(group), group), center)
  matrix(
    as.double(unlist(centers)), nlevels(group), length(space$eig),
    byrow = TRUE, dimnames = list(levels(group), names(space$eig))
  )
}

# Returns the point whose distances to the points of x have the smallest sum, by BFGS from the
# median of each coordinate.
spatial_median <- function(x) {
  n <- nrow(x)
  at <- gap <- distance <- NULL
  measure <- function(center) {
    if (!identical(center, at)) {
      gap <<- x - rep(center, each = n)
      distance <<- sqrt(rowSums(gap^2))
      at <<- center
    }
  }
  total <- function(center) {
    measure(center)
    sum(distance)
  }
  slope <- function(center) {
    measure(center)
    colSums(-gap / distance)
  }
  if (ncol(x) == 0L) {
    return(NULL)
  }
  stats::optim(apply(x, 2L, stats::median), total, slope, method = "BFGS")$par
}

# Returns the distance of each point from the centre of its group. Squares along axes of negative
# eigenvalues count as negative.
center_distances <- function(space, centers, group) {
  squares <- (space$vectors - centers[group, , drop = FALSE])^2
  positive <- space$eig > 0
  with <- rowSums(squares[, positive, drop = FALSE])
  without <- if (all(positive)) 0 else rowSums(squares[, !positive, drop = FALSE])
  if (any(without > with)) {
    warning(
      "some squared distances from centers are negative, and are taken as 0",
      call. = FALSE
    )
  }
  sqrt(pmax(with - without, 0))
}

# --- The test -----------------------------------------------------------------------------------

#' Permutation test of dispersions
#'
#' `gpu_permutest()` tests whether the groups of [gpu_betadisper()] have the same mean distance from
#' their centers, as `vegan::permutest()` does, and needs no package vegan.
#'
#' @param x What [gpu_betadisper()] or `vegan::betadisper()` returned.
#' @param pairwise Whether to compare each pair of groups, too, by the statistic of a t test.
#' @inheritParams gpu_adonis2
#'
#' @return An object of class `"permutest.betadisper"` as `vegan::permutest()` returns it, a list
#'   with the elements `tab` (the analysis of variance, with the number of permutations and the
#'   p-value), `pairwise` (`NULL`, or the observed and permuted p-values of each pair), `groups`,
#'   `statistic`, `perm` (the statistics of the permutations) and `control`. See [test_classes] for
#'   `print()`, `summary()` and `plot()`.
#'
#' @details The residuals of the distances from the means of the groups are permuted. After the same
#'   `set.seed()` the p-values are those of `vegan::permutest()`. Numbers of permutations need
#'   package permute.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_betadisper()]
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' spread <- gpu_betadisper(gpu_dist(iris[1:4]), iris$Species)
#' gpu_permutest(spread, pairwise = TRUE, permutations = 99)
#' @export
gpu_permutest <- function(x, pairwise = FALSE, permutations = 999, parallel = NULL) {
  call <- sys.call()
  if (!inherits(x, "betadisper")) {
    stop_value(x, "x", "of class \"betadisper\"", call)
  }
  pairwise <- flag_of(pairwise, "pairwise", call)
  group <- droplevels(x$group)
  if (nlevels(group) < 2L || length(group) <= nlevels(group)) {
    stop_argument(
      "x must have at least two groups, and more points than groups", "x", call
    )
  }
  set <- permutation_set(permutations, length(x$distances), NULL, call)
  rows <- permutation_rows(set, call)
  distances <- unname(x$distances)
  table <- stats::anova(stats::lm(distances ~ group))
  f <- permuted_f(distances, group, rows)
  p <- permutation_p(as.matrix(f), table$F[1L])
  statistic <- c("Overall (F)" = table$F[1L])
  pairs <- if (pairwise) test_pairs(distances, group, rows)
  statistic <- c(statistic, pairs$statistic)
  table <- cbind(table[, 1:4], c(nrow(rows), NA), c(p, NA))
  dimnames(table) <- list(
    c("Groups", "Residuals"), c("Df", "Sum Sq", "Mean Sq", "F", "N.Perm", "Pr(>F)")
  )
  perm <- if (pairwise) {
    structure(cbind(f, pairs$perm), dimnames = list(NULL, names(statistic)))
  } else {
    structure(f, names = if (length(f)) names(statistic)) # one name, as in vegan
  }
  structure(
    list(
      tab = table, pairwise = pairs[["p"]], groups = levels(group), statistic = statistic,
      perm = perm, control = set$control
    ),
    class = "permutest.betadisper"
  )
}

# Returns the F statistics of the permuted residuals.
permuted_f <- function(distances, group, rows) {
  q <- qr(stats::model.matrix(~group))
  residuals <- qr.resid(q, distances)
  between <- nlevels(group) - 1
  within <- length(group) - nlevels(group)
  vapply(seq_len(nrow(rows)), function(k) {
    permuted <- residuals[rows[k, ]]
    fitted <- qr.fitted(q, permuted)
    sum((fitted - mean(fitted))^2) / between / (sum(qr.resid(q, permuted)^2) / within)
  }, 0)
}

# Returns list(statistic, p = list(observed, permuted), perm) of the pairs of groups.
test_pairs <- function(distances, group, rows) {
  pairs <- utils::combn(levels(group), 2L)
  members <- split(seq_along(group), group)
  statistics <- function(values) {
    apply(pairs, 2L, function(pair) {
      t_statistic(values[members[[pair[1L]]]], values[members[[pair[2L]]]])
    })
  }
  observed <- statistics(distances)
  permuted <- vapply(seq_len(nrow(rows)), function(k) statistics(distances[rows[k, ]]), observed)
  permuted <- matrix(permuted, ncol = length(observed), byrow = TRUE)
  labels <- apply(pairs, 2L, paste, collapse = "-")
  freedom <- apply(pairs, 2L, function(pair) sum(group %in% pair) - 2)
  reached <- colSums(sweep(abs(permuted), 2L, abs(observed), ">=")) # no tolerance, as in vegan
  list(
    statistic = stats::setNames(observed, paste(labels, "(t)")),
    p = list(
      observed = stats::setNames(2 * stats::pt(-abs(observed), freedom), labels),
      permuted = stats::setNames((reached + 1) / (nrow(rows) + 1), labels)
    ),
    perm = permuted
  )
}

# Returns Student's statistic of two samples of equal variance. The order of operations is that of
# vegan, since ties of permuted statistics with the observed one show in p-values.
t_statistic <- function(x, y) {
  m <- length(x)
  n <- length(y)
  pooled <- sqrt(((m - 1) * stats::var(x) + (n - 1) * stats::var(y)) / (m + n - 2))
  (mean(x) - mean(y)) / (pooled * sqrt(1 / m + 1 / n))
}

print_permutest <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Permutation test of the dispersions of groups\n", permutation_heading(x$control), sep = "")
  stats::printCoefmat(
    x$tab, digits = digits, has.Pvalue = TRUE, P.values = TRUE, cs.ind = NULL, tst.ind = 4L,
    zap.ind = 2:3, na.print = ""
  )
  if (!is.null(x$pairwise)) {
    cat("\nPairs of groups: p-values of t tests, and of permutations\n")
    print(do.call(cbind, x$pairwise), digits = digits)
  }
  invisible(x)
}

print_betadisper <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("Homogeneity of multivariate dispersions\nCall: ", deparse_call(x$call), "\n", sep = "")
  cat("Eigenvalues: ", sum(x$eig > 0), " positive, ", sum(x$eig < 0), " negative\n", sep = "")
  cat("Mean distance to the ", attr(x, "type"), " of each group:\n", sep = "")
  print.default(format(x$group.distances, digits = digits), quote = FALSE)
  invisible(x)
}

#' Mantel test
#'
#' `gpu_mantel()` and `gpu_mantel_partial()` have the arguments and the results of `vegan::mantel()`
#' and `vegan::mantel.partial()`. They compute on all CPU cores or a GPU, for distances in memory,
#' in a file or on a device.
#'
#' @param xdis,ydis Distances, objects of class `"dist"`, symmetric matrices, a [gpu_dist_file()] or
#'   a [gpu_dist_device], of the same points, at most 65,536. Those of `xdis` are permuted.
#' @param method `"pearson"`, `"spearman"` or `"kendall"`, or the beginning of such a name.
#' @param zdis Distances, too: the correlation is the partial one, given them. In `gpu_mantel()`,
#'   `NULL`: it is not partial.
#' @param strata A factor: points are permuted within its levels. It is not used if `permutations`
#'   is a matrix or has blocks.
#' @param na.rm Whether missing distances are allowed: each correlation is that of the pairs of
#'   points for which both distances are there, in each permutation. `FALSE`: they are an error.
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return An object of class `"mantel"`, or `c("mantel.partial", "mantel")`, as package vegan
#'   returns it and prints it: a list with the elements `call`, `method`, `statistic`, `signif` (the
#'   p-value), `perm` (the statistics of the permutations), `permutations` and `control`.
#'
#' @details The statistic is the correlation of the distances. After the same `set.seed()` p-values
#'   are those of package vegan: see [gpu_adonis2()] for permutations and what counts as equal.
#'   Kendall's correlations are those of [gpu_cor()], whose time for each permutation grows with the
#'   number of distances times its logarithm; distances in a file or on a device are read whole.
#'
#'   Distances must be finite, or with `na.rm` missing. If some are missing, the correlations are
#'   those of [stats::cor()], which takes about as long as package vegan, on one thread of the CPU;
#'   distances in a file or on a device are read for `na.rm` by `as.dist()`.
#'
#'   The result has the same bits for any number of threads, on the CPU and on a GPU, and for every
#'   kind of distances.
#'
#'   The CPU reads distances of class `"dist"` where they are. In addition to them, and 4 n bytes
#'   for each permutation of n points, it takes about 256 MiB of working memory, or
#'   `memory_limit`; `"spearman"` takes 2 n^2 bytes more for the ranks of each matrix: 0.75 GiB
#'   for 20,000 points, and 8 GiB for 65,536. Distances in a file or on a device are stored, too,
#'   in 4 n^2 bytes for each matrix, with `"spearman"` one after the other. With missing distances
#'   a call takes several times the 8 n^2 bytes of a square matrix. A GPU takes 4 n^2 bytes of its
#'   memory for each matrix, and with ranks 8 n^2 more.
#'
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Mantel, N. (1967) The detection of disease clustering and a generalized regression
#'   approach. *Cancer Research* **27**, 209-220.
#'
#' Smouse, P. E., Long, J. C. and Sokal, R. R. (1986) Multiple regression and correlation extensions
#' of the Mantel test of matrix correspondence. *Systematic Zoology* **35**, 627-632.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_adonis2()], `vegan::mantel()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' size <- gpu_dist(iris[c("Sepal.Length", "Petal.Length")])
#' width <- gpu_dist(iris[c("Sepal.Width", "Petal.Width")])
#' gpu_mantel(size, width, "spearman", 99)
#' gpu_mantel_partial(size, width, dist(as.integer(iris$Species)), permutations = 99)
#' @export
gpu_mantel <- function(xdis, ydis, method = "pearson", permutations = 999, strata = NULL,
                       na.rm = FALSE, parallel = NULL, # nolint: names of package vegan
                       zdis = NULL, backend = NULL, threads = NULL, device = NULL, progress = NULL,
                       memory_limit = NULL) {
  result <- mantel_test(
    list(xdis = xdis, ydis = ydis, zdis = zdis), method, permutations, strata, na.rm,
    run_arguments(), sys.call()
  )
  name_test(result, match.call(), if (!is.null(zdis)) strata, substitute(strata))
}

#' @rdname gpu_mantel
#' @export
gpu_mantel_partial <- function(xdis, ydis, zdis, method = "pearson", permutations = 999,
                               strata = NULL, na.rm = FALSE, # nolint: names of package vegan
                               parallel = NULL, backend = NULL, threads = NULL, device = NULL,
                               progress = NULL, memory_limit = NULL) {
  result <- mantel_test(
    list(xdis = xdis, ydis = ydis, zdis = zdis), method, permutations, strata, na.rm,
    run_arguments(), sys.call()
  )
  name_test(result, match.call(), if (!is.null(zdis)) strata, substitute(strata))
}

# Returns the object of both tests, which name_test() completes.
#
# sides  list(xdis, ydis, zdis), the last of them maybe NULL
# run    what run_arguments() returns
mantel_test <- function(sides, method, permutations, strata, missing_allowed, run, call) {
  method <- choose_one(method, core_choices("mantel", "method"), "method", call)
  sides <- sides[!vapply(sides, is.null, NA)]
  if (flag_of(missing_allowed, "na.rm", call) || method == "kendall") {
    sides <- lapply(sides, function(d) if (inherits(d, stored_distances)) stats::as.dist(d) else d)
  }
  code <- labels_code(sides$xdis, "xdis")
  sides <- Map(mantel_side, sides, names(sides), list(call))
  for (name in names(sides)[-1L]) {
    line <- sprintf("as.matrix(%s)[%s, %s]", name, code, code)
    warn_of_order(sides$xdis$labels, sides[[name]]$labels, c("xdis", name), line, call)
  }
  warn_of_order(
    sides$xdis$labels, names(strata), c("xdis", "strata"), sprintf("strata[%s]", code), call
  )
  incomplete <- missing_allowed && any(vapply(sides, function(side) anyNA(side$inputs[[1L]]), NA))
  set <- permutation_set(permutations, as.integer(sides$xdis$size), strata, call)
  statistic <- if (method == "kendall") {
    mantel_kendall(sides, permutation_rows(set, call), missing_allowed, run, call)
  } else if (incomplete) {
    mantel_complete(sides, method, permutation_rows(set, call), call)
  } else {
    mantel_core(sides, method, set, run, call)
  }
  variants <- c(
    pearson = "Pearson's product-moment correlation", spearman = "Spearman's rank correlation rho",
    kendall = "Kendall's rank correlation tau"
  )
  permuted <- statistic[-1L]
  tested <- length(permuted) > 0L
  structure(list(
    call = NULL, method = variants[[method]], statistic = statistic[1L],
    signif = if (tested) permutation_p(as.matrix(permuted), statistic[1L]) else NA,
    perm = if (tested) permuted, permutations = length(permuted), control = set$control
  ), class = c(if (length(sides) > 2L) "mantel.partial", "mantel"))
}

# Adds the call to the object of a test, and the strata of a partial one, whose expression is
# `words`.
name_test <- function(result, matched, strata, words) {
  result["call"] <- list(matched)
  if (!is.null(strata)) {
    result$strata <- deparse_call(words)
    result$stratum.values <- strata
  }
  result
}

# Returns the statistic of the points as they are, and of the permutations.
mantel_core <- function(sides, method, set, run, call) {
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(
    run$backend, run$threads, run$device, "double", run$progress, bar$update, run$memory_limit
  )
  options <- c(
    list(
      source = sides$xdis$source, source_y = sides$ydis$source, source_z = sides$zdis$source,
      method = method
    ),
    set[c("order", "rows")]
  )
  inputs <- c(sides$xdis$inputs, sides$ydis$inputs, sides$zdis$inputs)
  rename_message("x", "xdis", rename_message("y", "ydis", rename_message("z", "zdis", {
    .Call(C_mantel, inputs, options, settings, call)
  })))
}

# Does the same for distances of which some are missing, by the pairs of points that have both.
mantel_complete <- function(sides, method, rows, call) {
  correlate <- function(x, y) stats::cor(x, y, use = "complete.obs", method = method)
  mantel_by(correlate, sides, rows, 1, call)
}

# Does the same for Kendall's correlation, by gpu_cor(), for permutations that take at most 64 MiB.
mantel_kendall <- function(sides, rows, missing_allowed, run, call) {
  if (!missing_allowed) {
    for (name in names(sides)) check_no_missing(sides[[name]], name, call)
  }
  correlate <- function(x, y) {
    as.vector(gpu_cor(
      as.matrix(x), as.matrix(y), if (missing_allowed) "pairwise" else "everything", "kendall",
      backend = run$backend, threads = run$threads, device = run$device, precision = "double",
      progress = FALSE, memory_limit = run$memory_limit
    ))
  }
  bytes <- 8 * length(sides$xdis$inputs[[1L]])
  statistic <- mantel_by(correlate, sides, rows, max(1, floor(2^26 / bytes)), call)
  state$last$`function` <- "gpu_mantel"
  statistic
}

check_no_missing <- function(side, name, call) {
  count <- sum(is.na(side$inputs[[1L]]))
  if (count) {
    stop_argument(sprintf(
      "%s must have finite distances only, but %d of them %s missing", name, count,
      if (count == 1L) "is" else "are"
    ), name, call)
  }
}

# Returns the statistic of the points as they are, and of the permutations in the rows of a matrix,
# `at_a_time` of them by one call of a function, which correlates the columns of x with y.
mantel_by <- function(correlate, sides, rows, at_a_time, call) {
  n <- sides$xdis$size
  for (name in names(sides)) {
    check_mantel_values(sides[[name]], n, name, call)
  }
  square <- matrix(0, n, n)
  lower <- lower.tri(square)
  square[lower] <- sides$xdis$inputs[[1L]]
  square <- square + t(square)
  y <- as.vector(sides$ydis$inputs[[1L]])
  z <- if (!is.null(sides$zdis)) as.vector(sides$zdis$inputs[[1L]])
  yz <- if (!is.null(z)) correlate(y, z)
  statistic <- function(order) {
    x <- matrix(apply(order, 1L, function(row) square[row, row][lower]), ncol = nrow(order))
    xy <- correlate(x, y)
    if (is.null(z)) {
      return(xy)
    }
    xz <- correlate(x, z)
    (xy - xz * yz) / sqrt(1 - xz^2) / sqrt(1 - yz^2)
  }
  rows <- rbind(seq_len(n), rows)
  part <- ceiling(seq_len(nrow(rows)) / at_a_time)
  unlist(lapply(unique(part), function(k) statistic(rows[part == k, , drop = FALSE])))
}

check_mantel_values <- function(side, n, name, call) {
  if (side$size != n) {
    stop_message("as many points", name, call, name, "xdis", n, side$size)
  }
  if (any(is.infinite(side$inputs[[1L]]))) {
    stop_argument(
      sprintf("%s must have finite distances or missing ones, not infinite ones", name), name, call
    )
  }
}

# Returns distances as source_of() does, with two inputs.
mantel_side <- function(d, name, call) {
  if (!is_distances(d)) {
    if (is.null(square_of(d))) {
      stop_argument(sprintf(
        "%s must be of class %s or a square matrix, not %s",
        name, "\"dist\", \"gpu_dist_file\" or \"gpu_dist_device\"", show_value(d)
      ), name, call)
    }
    d <- as_distances(d, name, call, always = TRUE, hint = "")
  }
  source <- source_of(d, name, call)
  length(source$inputs) <- 2L
  source
}

print_mantel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  partial <- inherits(x, "mantel.partial")
  cat(if (partial) "Partial Mantel" else "Mantel", " test: ", x$method, "\n", sep = "")
  print_test(x, "r", digits)
}

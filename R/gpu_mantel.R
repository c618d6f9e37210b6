#' Mantel test
#'
#' `gpu_mantel()` is a drop-in replacement for `vegan::mantel()` and `vegan::mantel.partial()`, on
#' all CPU cores or on a GPU, for distances in memory, in a file or on a device.
#'
#' @param xdis,ydis Distances, objects of class `"dist"`, symmetric matrices, a [gpu_dist_file()] or
#'   a [gpu_dist_device], of the same points, at most 65,536. Those of `xdis` are permuted.
#' @param method `"pearson"` or `"spearman"`, or the beginning of such a name.
#' @param zdis Distances, too: the correlation is the partial one, given them. `NULL`: it is not
#'   partial.
#' @param strata A factor: points are permuted within its levels. It is not used if `permutations`
#'   is a matrix or has blocks.
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return An object of class `"mantel"`, or `c("mantel.partial", "mantel")`, as package vegan
#'   returns it and prints it: a list with the elements `call`, `method`, `statistic`, `signif` (the
#'   p-value), `perm` (the statistics of the permutations), `permutations` and `control`.
#'
#' @details The statistic is the correlation of the distances. After the same `set.seed()` p-values
#'   are those of package vegan: see [gpu_adonis2()] for permutations and what counts as equal.
#'   Kendall's correlation is refused: it compares all pairs of pairs of points, about n^4 / 8 for
#'   each permutation.
#'
#'   Distances must be finite: there is no `na.rm`. The result has the same bits for any number of
#'   threads, on the CPU and on a GPU, and for every kind of distances. On the CPU memory is 12 n^2
#'   bytes for `xdis` and 4 n^2 for each of the others, in addition to the distances. On a GPU it is
#'   4 n^2 bytes for each of them, and with ranks 8 n^2 more.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references Mantel, N. (1967) The detection of disease clustering and a generalized regression
#'   approach. *Cancer Research* **27**, 209-220.
#'
#' Smouse, P. E., Long, J. C. and Sokal, R. R. (1986) Multiple regression and correlation extensions
#' of the Mantel test of matrix correspondence. *Systematic Zoology* **35**, 627-632.
#'
#' @seealso [gpu_adonis2()], `vegan::mantel()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' size <- gpu_dist(iris[c("Sepal.Length", "Petal.Length")])
#' width <- gpu_dist(iris[c("Sepal.Width", "Petal.Width")])
#' gpu_mantel(size, width, "spearman", 99)
#' gpu_mantel(size, width, permutations = 99, zdis = dist(as.integer(iris$Species)))
#' @export
gpu_mantel <- function(xdis, ydis, method = "pearson", permutations = 999, strata = NULL,
                       zdis = NULL, backend = NULL, threads = NULL, device = NULL,
                       progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  method <- mantel_method(method, call)
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  x <- mantel_side(xdis, "xdis", call)
  y <- mantel_side(ydis, "ydis", call)
  z <- if (!is.null(zdis)) mantel_side(zdis, "zdis", call)
  permutations <- permutation_matrix(permutations, as.integer(x$size), strata, call)
  options <- list(
    source = x$source, source_y = y$source, source_z = z$source, method = method,
    order = permutation_orders(permutations)
  )
  statistic <- rename_message("x", "xdis", rename_message("y", "ydis", rename_message("z", "zdis", {
    .Call(C_mantel, c(x$inputs, y$inputs, z$inputs), options, settings, call)
  })))
  variants <- c(
    pearson = "Pearson's product-moment correlation", spearman = "Spearman's rank correlation rho"
  )
  permuted <- statistic[-1L]
  tested <- length(permuted) > 0L
  result <- list(
    call = match.call(), method = variants[[method]], statistic = statistic[1L],
    signif = if (tested) permutation_p(as.matrix(permuted), statistic[1L]) else NA,
    perm = if (tested) permuted, permutations = length(permuted),
    control = attr(permutations, "control")
  )
  if (!is.null(z) && !is.null(strata)) {
    result$strata <- deparse_call(substitute(strata))
    result$stratum.values <- strata
  }
  load_vegan("mantel", print_mantel)
  structure(result, class = c(if (!is.null(z)) "mantel.partial", "mantel"))
}

mantel_method <- function(method, call) {
  given <- if (is.character(method) && length(method) == 1L) method else NA
  found <- pmatch(given, c("pearson", "spearman", "kendall"))
  if (identical(found, 3L)) {
    stop_argument(paste(
      "method must be \"pearson\" or \"spearman\", not \"kendall\", which would compare n^4 / 8",
      "pairs of distances for each permutation"
    ), "method", call)
  }
  if (is.na(found)) {
    stop_argument(sprintf(
      "method must be \"pearson\" or \"spearman\", not %s", show_value(method)
    ), "method", call)
  }
  c("pearson", "spearman")[found]
}

# Returns distances as source_of() does, with two inputs.
mantel_side <- function(d, name, call) {
  if (!is_distances(d)) {
    if (!(is.matrix(d) && is.numeric(d) && nrow(d) == ncol(d))) {
      stop_argument(sprintf(
        "%s must be of class %s or a square matrix, not %s", name,
        "\"dist\", \"gpu_dist_file\" or \"gpu_dist_device\"", show_value(d)
      ), name, call)
    }
    d <- stats::as.dist(d)
  }
  source <- source_of(d, name, call)
  length(source$inputs) <- 2L
  source
}

print_mantel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  partial <- inherits(x, "mantel.partial")
  cat(if (partial) "Partial Mantel" else "Mantel", " test: ", x$method, "\n", sep = "")
  print_test(x, "r", digits)
}

# Permutations as packages permute and vegan make them, and what tests say about them.

# Returns a matrix with a permutation of n points in each row, with the attributes "control" and
# "seed" as permute::shuffleSet() gives them.
#
# permutations  a number, what permute::how() returns, or such a matrix
# strata        a factor within which points are permuted, or NULL
permutation_matrix <- function(permutations, n, strata, call) {
  if (is.matrix(permutations)) {
    return(given_permutations(permutations, n, call))
  }
  need_permute(call)
  control <- permutations
  if (!inherits(control, "how")) {
    how <- permute::how # keeps its name in the call that it notes
    control <- how(nperm = permutation_count(permutations, call))
  }
  if (!is.null(strata) && is.null(permute::getBlocks(control))) {
    if (length(strata) != n) {
      stop_argument(sprintf(
        "strata must have a value for each of the %d points, not %d values", n, length(strata)
      ), "strata", call)
    }
    permute::setBlocks(control) <- strata
  }
  permute::shuffleSet(n, control = control)
}

permutation_count <- function(permutations, call) {
  count <- if (is.numeric(permutations) && length(permutations) == 1L) permutations else NA
  if (is.na(count) || count < 0 || count != round(count) || count > 1e9) {
    stop_argument(sprintf(
      paste(
        "permutations must be a whole number of at least 0, the value of permute::how(),",
        "or a matrix of permutations, not %s"
      ),
      show_value(permutations)
    ), "permutations", call)
  }
  count
}

given_permutations <- function(permutations, n, call) {
  if (!is.numeric(permutations) || ncol(permutations) != n || anyNA(permutations) ||
    (is.double(permutations) && any(permutations != round(permutations)))) {
    stop_argument(sprintf(
      "permutations must have a row of the numbers 1 to %d for each permutation", n
    ), "permutations", call)
  }
  if (is.null(attr(permutations, "control"))) {
    attr(permutations, "control") <- structure(
      list(within = list(type = "supplied matrix"), nperm = nrow(permutations)),
      class = "how"
    )
  }
  permutations
}

need_permute <- function(call) {
  if (!requireNamespace("permute", quietly = TRUE)) {
    stop_argument(
      "permutations other than a matrix need package permute, which is not installed",
      "permutations", call
    )
  }
}

# Returns permutations as the core reads them: a column for each, numbers from 0.
permutation_orders <- function(permutations) {
  if (is.double(permutations)) {
    storage.mode(permutations) <- "integer"
  }
  t(permutations) - 1L
}

# Does the same for the inverse permutations: vegan::anosim() permutes groups, others permute
# points. If one is none, returns all as they are, which the core refuses.
inverse_orders <- function(permutations) {
  order <- permutation_orders(permutations)
  whole <- seq_len(nrow(order)) - 1L
  for (k in seq_len(ncol(order))) {
    inverse <- order(order[, k])
    if (!identical(order[inverse, k], whole)) {
      return(permutation_orders(permutations))
    }
    order[, k] <- inverse - 1L
  }
  order
}

# Returns the lines about permutations in the heading of a test, those of package vegan.
permutation_heading <- function(control) {
  type <- control$within$type
  blocks <- if (!is.null(control$blocks)) paste0("Blocks: ", " ", control$blocks.name, " \n")
  grid <- function(part) {
    lines <- function(count, word) paste0(" ", count, " ", word, if (count != 1) "s")
    if (identical(part$type, "grid")) paste0(lines(part$nrow, "row"), lines(part$ncol, "column"))
  }
  mirrored <- function(part) if (isTRUE(part$mirror)) " mirrored"
  plots <- control$plots
  if (!is.null(plots$strata)) {
    plots <- paste0(
      "Plots: ", plots$plots.name, ", plot permutation: ", plots$type, mirrored(plots), grid(plots),
      "\n"
    )
  } else {
    plots <- NULL
  }
  series <- if (type %in% c("series", "grid")) {
    constant <- if (isTRUE(control$within$constant)) " constant permutation within each Plot"
    paste0(mirrored(control$within), constant)
  }
  paste0(
    blocks, plots, "Permutation: ", type, series, grid(control$within),
    "\nNumber of permutations: ", control$nperm, "\n"
  )
}

# Returns the p-values of statistics, a column of `permuted` for each: as in package vegan, values
# that are smaller by at most 2^-26 count as equal, since rounding may make them so.
permutation_p <- function(permuted, observed) {
  reached <- sweep(permuted, 2L, observed - sqrt(.Machine$double.eps), ">=")
  (colSums(reached) + 1) / (nrow(permuted) + 1)
}

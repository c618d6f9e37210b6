# Permutations as packages permute and vegan make them, and what tests say about them.

# Returns list(order, rows, control, seed): permutations of the numbers 1 to n, the rows of a matrix
# or, if `rows` is FALSE, its columns; or c(n, count) for so many free permutations, which C code
# draws later; and the attributes of what permute::shuffleSet() returns, their design and the state
# of the generator of random numbers before them.
#
# permutations  a number, what permute::how() returns, or a matrix with a permutation in each row
# strata        a factor within which points are permuted, or NULL
permutation_set <- function(permutations, n, strata, call) {
  if (is.matrix(permutations)) {
    return(given_permutations(permutations, n, call))
  }
  need_permute(call)
  control <- permutations
  if (!inherits(control, "how")) {
    how <- permute::how # keeps its name in the call that it notes
    control <- how(nperm = permutation_count(permutations, call))
    if (is.null(strata) && n >= 13) {
      return(free_permutations(n, control))
    }
  }
  if (!is.null(strata) && is.null(permute::getBlocks(control))) {
    check_values(strata, "strata", n, call)
    if (anyNA(strata)) {
      stop_message("missing value", "strata", call, "strata", which(is.na(strata))[1L])
    }
    permute::setBlocks(control) <- strata
  }
  check_design(control, n, call)
  set_of(shuffled_set(n, control, call))
}

# Raises an error if the design of permutations is of another number of points.
check_design <- function(control, n, call) {
  parts <- list(blocks = permute::getBlocks(control), plots = permute::getStrata(control, "plots"))
  for (part in names(parts)) {
    size <- length(parts[[part]])
    if (size > 0L && size != n) {
      stop_argument(sprintf(
        "permutations must have %s of the %d points, not of %d", part, n, size
      ), "permutations", call)
    }
  }
}

# Does the same as permute::shuffleSet(), whose errors become those of the argument `permutations`.
shuffled_set <- function(n, control, call) {
  tryCatch(permute::shuffleSet(n, control = control), error = function(condition) {
    stop_argument(sprintf(
      "permutations must be a design that package permute can make of %d points: %s", n,
      conditionMessage(condition)
    ), "permutations", call)
  })
}

# Returns a request for the free permutations that permute::shuffleSet() makes of at least 13
# points, which have more than the at most 1e9 permutations, so it does not list them.
free_permutations <- function(n, control) {
  seed <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  list(order = as.integer(c(n, control$nperm)), rows = FALSE, control = control, seed = seed)
}

# Returns a matrix with a permutation in each row, of what permutation_set() returned.
permutation_rows <- function(set, call) {
  if (set$rows) {
    return(unclass(set$order))
  }
  t(draw_columns(set$order[1L], set$order[2L], call))
}

# Raises an error unless each row of a matrix of permutations has each number once.
check_permutations <- function(set, settings, call) {
  if (set$rows) {
    options <- list(order = unclass(set$order), rows = TRUE, inverse = TRUE)
    .Call(C_order, list(), options, settings, call)
  }
}

# Returns f(order) of permutations in the columns of matrices, blocks of at most 2^23 numbers, as
# the rows of one matrix; f returns a matrix with a row for each permutation. Free permutations are
# drawn block by block, which gives the same ones.
permuted_values <- function(set, n, call, f) {
  count <- if (set$rows) nrow(set$order) else set$order[2L]
  first <- seq.int(1, max(1, count), by = max(1, floor(2^23 / n)))
  values <- lapply(first, function(k) {
    size <- min(floor(max(1, 2^23 / n)), count - k + 1)
    order <- if (set$rows) {
      t(unclass(set$order)[k - 1 + seq_len(size), , drop = FALSE])
    } else {
      draw_columns(n, size, call)
    }
    f(order)
  })
  do.call(rbind, values)
}

# Returns the next free permutations of the numbers 1 to n, in columns.
draw_columns <- function(n, count, call) {
  options <- list(order = as.integer(c(n, count)), rows = FALSE, inverse = FALSE)
  .Call(C_order, list(), options, run_settings(progress = FALSE), call) + 1L
}

set_of <- function(order) {
  list(order = order, rows = TRUE, control = attr(order, "control"), seed = attr(order, "seed"))
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
  whole <- is.integer(permutations) || is.double(permutations) && !anyNA(permutations) &&
    all(permutations == round(permutations) & abs(permutations) <= .Machine$integer.max)
  if (!whole || ncol(permutations) != n) {
    stop_argument(sprintf(
      "permutations must have a row of the numbers 1 to %d for each permutation", n
    ), "permutations", call)
  }
  if (is.double(permutations)) {
    storage.mode(permutations) <- "integer"
  }
  set <- set_of(permutations)
  if (is.null(set$control)) {
    set$control <- structure(
      list(within = list(type = "supplied matrix"), nperm = nrow(permutations)),
      class = "how"
    )
  }
  set
}

need_permute <- function(call) {
  if (!requireNamespace("permute", quietly = TRUE)) {
    stop_argument(
      "permutations other than a matrix need package permute, which is not installed",
      "permutations", call
    )
  }
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

#' Standardization of communities
#'
#' `gpu_decostand()` standardizes or transforms counts of species at sites, with the methods, the
#' results and the attributes of `vegan::decostand()`. Sparse matrices remain sparse where zeros
#' remain zeros.
#'
#' @param x Sites in rows and species in columns: a numeric matrix, a data frame of numbers, a
#'   sparse matrix of package Matrix, or an object of those in [gpu_inputs].
#' @param method A name of the table below, or the beginning of one.
#' @param MARGIN 1 for rows, 2 for columns; by default that of the table.
#' @param range.global For `"range"`: a matrix from which the ranges are taken, with as many columns
#'   (`MARGIN = 2`) or rows (`MARGIN = 1`) as `x`.
#' @param logbase For `"log"`: the base of the logarithm; `Inf` gives presences.
#' @param na.rm Whether sums and extremes leave out missing values; they remain missing. As in vegan
#'   `"rclr"` always leaves them out, `"clr"` and `"alr"` never.
#' @param pseudocount For `"clr"` and `"alr"`: a number that is added to all values.
#' @param reference For `"alr"`: the row (`MARGIN = 1`) or column that others are divided by, its
#'   number or its name.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#'
#' @return A matrix, a data frame if `x` is one, or a sparse matrix of class `"dgCMatrix"`. Except
#'   for sparse matrices it has the attributes `parameters`, a list, and `decostand`, the method.
#'
#' @section Methods:
#'
#' | `method` | value | `MARGIN` | sparse |
#' |---|---|---|---|
#' | `"total"` | `x / sum(x)` | 1 | yes |
#' | `"max"` | `x / max(x)` | 2 | yes |
#' | `"frequency"` | `x * sum(x > 0) / sum(x)` | 2 | yes |
#' | `"normalize"` | `x / sqrt(sum(x^2))` | 1 | yes |
#' | `"range"` | `(x - min(x)) / (max(x) - min(x))` | 2 | no |
#' | `"rank"` | ranks of values above 0, those of ties averaged; others 0 | 1 | yes |
#' | `"rrank"` | these ranks divided by their number | 1 | yes |
#' | `"standardize"` | `(x - mean(x)) / sd(x)` | 2 | no |
#' | `"pa"` | 1 for a value above 0, else 0 | 1 | yes |
#' | `"chi.square"` | `sqrt(sum of all) * x / (row sum * sqrt(column sum))` | 1 | yes |
#' | `"hellinger"` | `sqrt(x / sum(x))` | 1 | yes |
#' | `"log"` | `log(x / least, logbase) + 1` for x > 0, else 0 | 1 | yes |
#' | `"clr"` | `log(x) - mean(log(x))` | 1 | no |
#' | `"rclr"` | the same of the values above 0; others 0 | 1 | yes |
#' | `"alr"` | `log(x / x[reference])`, without the reference | 1 | no |
#'
#' Sums, extremes and means are those of the row or column. `least` is 1, or the smallest value
#' above 0 if one is below 1, with a warning. Divisors below the machine's precision are replaced
#' by it: an empty row remains 0. Rows without a value above 0 become `NaN` by `"rrank"` and
#' `"rclr"`, and constant ones by `"standardize"`; in sparse matrices they remain 0.
#'
#' `"rclr"` is that of vegan 2.6: zeros are neither replaced nor completed by a model.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' P. Legendre and E. D. Gallagher (2001). Ecologically meaningful transformations for ordination of
#' species data. *Oecologia* 129, 271-280. doi:10.1007/s004420100716
#'
#' @seealso [gpu_vegdist()] computes distances of standardized communities itself.
#'
#' @examples
#' counts <- rbind(c(3, 0, 1, 2), c(0, 5, 1, 0), c(4, 1, 0, 2))
#' gpu_decostand(counts, "hellinger")
#' gpu_decostand(counts, "clr", pseudocount = 1)
#' @export
gpu_decostand <- function(x, method, MARGIN, range.global = NULL, # nolint: names of package vegan
                          logbase = 2, na.rm = FALSE, pseudocount = 0, # nolint
                          reference = 1, ...) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), NULL, call,
    metric = NULL
  )
  method <- choose_one(method, names(standards), "method", call)
  margin <- if (missing(MARGIN)) default_margin(method) else margin_of(MARGIN, call)
  na_rm <- flag_of(na.rm, "na.rm", call)
  table <- if (is.data.frame(x)) x
  x <- community_matrix(x, from)
  if (isS4(x) && method %in% dense_standards) {
    x <- as.matrix(x)
  }
  if (!method %in% signed_standards && any(count_per_row(x < 0) > 0)) {
    warn_decostand("negative values", call, "x has", method)
  }
  arguments <- list(
    margin = margin, na_rm = na_rm, range = range.global, base = logbase, added = pseudocount,
    reference = reference, call = call
  )
  made <- standards[[method]](x, arguments)
  warn_of_nan(made$x, x, call)
  if (isS4(made$x)) {
    return(made$x)
  }
  result <- if (is.null(table)) made$x else as.data.frame(made$x)
  attr(result, "parameters") <- if (method == "log") {
    made$parameters
  } else if (method != "pa") {
    c(made$parameters, list(margin = margin))
  }
  attr(result, "decostand") <- method
  result
}

dense_standards <- c("range", "standardize", "clr", "alr")
signed_standards <- c("max", "normalize", "range", "standardize", "log", "clr", "alr")

default_margin <- function(method) {
  if (method %in% c("max", "frequency", "range", "standardize")) 2 else 1
}

margin_of <- function(margin, call) {
  if (!is.numeric(margin) || length(margin) != 1L || !isTRUE(margin == 1 || margin == 2)) {
    stop_argument(sprintf("MARGIN must be 1 or 2, not %s", show_value(margin)), "MARGIN", call)
  }
  margin
}

# Returns points as a matrix of doubles, or a sparse one of class "dgCMatrix".
community_matrix <- function(x, from) {
  x <- points_of(x, "x", from)
  if (is_sparse(x)) {
    x <- methods::as(compress_sparse(x, "x", from), "CsparseMatrix")
    return(if (methods::.hasSlot(x, "x") && is.double(x@x)) x else x * 1)
  }
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop_argument(sprintf("x must be a numeric matrix, not %s", describe(x)), "x", from$call)
  }
  storage.mode(x) <- "double"
  x
}

warn_decostand <- function(name, call, ...) {
  warning(structure(
    list(message = message_of(name, ...), call = call),
    class = c("gpugeo_decostand_warning", "warning", "condition")
  ))
}

# Warns of results that are no numbers although the values are.
warn_of_nan <- function(made, x, call) {
  values <- function(x) if (isS4(x)) x@x else x
  if (any(is.nan(values(made))) && !any(is.nan(values(x)))) {
    warn_decostand("no results", call)
  }
}

# --- rows and columns, of dense and sparse matrices -----------------------------------------------

# Returns for each element, or each stored one, the number of its row (margin 1) or column.
margin_index <- function(x, margin) {
  if (isS4(x)) {
    return(if (margin == 1) x@i + 1L else rep(seq_len(ncol(x)), diff(x@p)))
  }
  if (margin == 1) as.vector(row(x)) else as.vector(col(x))
}

margin_sums <- function(x, margin, na_rm) {
  if (isS4(x)) {
    return(if (margin == 1) {
      Matrix::rowSums(x, na.rm = na_rm)
    } else {
      Matrix::colSums(x, na.rm = na_rm)
    })
  }
  if (margin == 1) rowSums(x, na.rm = na_rm) else colSums(x, na.rm = na_rm)
}

# Replaces the elements of a matrix, or the stored ones, by values.
set_values <- function(x, values) {
  if (isS4(x)) x@x <- values else x[] <- values
  x
}

values_in <- function(x) if (isS4(x)) x@x else as.vector(x)

# Multiplies or divides rows or columns by numbers.
scale_margin <- function(x, margin, numbers, operation = `/`) {
  set_values(x, operation(values_in(x), as.vector(numbers)[margin_index(x, margin)]))
}

# Returns the extremes of rows or columns, of which sparse ones have a 0 unless all are stored.
margin_extreme <- function(x, margin, extreme, na_rm) {
  if (!isS4(x)) {
    return(apply(x, margin, extreme, na.rm = na_rm))
  }
  found <- numeric(dim(x)[margin])
  parts <- split(x@x, factor(margin_index(x, margin), seq_along(found)))
  length_of <- dim(x)[3 - margin]
  vapply(parts, function(part) {
    extreme(c(part, if (length(part) < length_of) 0), na.rm = na_rm)
  }, 0, USE.NAMES = FALSE)
}

at_least_precision <- function(x) pmax(as.vector(x), .Machine$double.eps)

# --- the methods: functions of a matrix and of the arguments --------------------------------------

standard_total <- function(x, a) {
  total <- at_least_precision(margin_sums(x, a$margin, a$na_rm))
  if (any(values_in(x) < 0, na.rm = TRUE)) {
    total <- as.vector(margin_sums(x, a$margin, a$na_rm))
  }
  list(x = scale_margin(x, a$margin, total), parameters = list(total = total))
}

standard_max <- function(x, a) {
  largest <- at_least_precision(margin_extreme(x, a$margin, max, a$na_rm))
  list(x = scale_margin(x, a$margin, largest), parameters = list(max = largest))
}

standard_frequency <- function(x, a) {
  sums <- margin_sums(x, a$margin, a$na_rm)
  scale <- margin_sums(x > 0, a$margin, a$na_rm) / pmax(sums, .Machine$double.eps)
  list(x = scale_margin(x, a$margin, scale, `*`), parameters = list(scale = scale))
}

standard_normalize <- function(x, a) {
  length <- at_least_precision(sqrt(margin_sums(x^2, a$margin, a$na_rm)))
  list(x = scale_margin(x, a$margin, length), parameters = list(norm = length))
}

standard_range <- function(x, a) {
  within <- x
  if (!is.null(a$range)) {
    within <- as.matrix(a$range)
    if (!is.numeric(within) || dim(within)[a$margin] != dim(x)[a$margin]) {
      stop_argument(sprintf(
        "range.global must be a numeric matrix with %d %s, as x has, not %s",
        dim(x)[a$margin], if (a$margin == 1) "rows" else "columns", describe(a$range)
      ), "range.global", a$call)
    }
  }
  least <- apply(within, a$margin, min, na.rm = a$na_rm)
  span <- at_least_precision(apply(within, a$margin, max, na.rm = a$na_rm) - least)
  x <- scale_margin(scale_margin(x, a$margin, least, `-`), a$margin, span)
  list(x = x, parameters = list(min = least, range = span))
}

# Returns the ranks of values above 0 within rows or columns, and 0 for others.
ranks_in <- function(x, margin) {
  values <- values_in(x)
  above <- which(values > 0)
  ranks <- numeric(length(values))
  ranks[above] <- stats::ave(values[above], margin_index(x, margin)[above], FUN = rank)
  set_values(x, ranks)
}

standard_rank <- function(x, a) list(x = ranks_in(x, a$margin))

standard_rrank <- function(x, a) {
  counts <- as.vector(margin_sums(x > 0, a$margin, TRUE))
  list(x = scale_margin(ranks_in(x, a$margin), a$margin, counts))
}

standard_standardize <- function(x, a) {
  scaled <- scale(if (a$margin == 1) t(x) else x)
  made <- if (a$margin == 1) t(scaled) else scaled
  kept <- attributes(scaled)[c("scaled:center", "scaled:scale")]
  attributes(made)[names(kept)] <- kept
  list(x = made, parameters = list(center = kept[[1L]], scale = kept[[2L]]))
}

standard_pa <- function(x, a) list(x = set_values(x, (values_in(x) > 0) + 0))

standard_chi_square <- function(x, a) {
  rows <- at_least_precision(margin_sums(x, a$margin, a$na_rm))
  columns <- at_least_precision(margin_sums(x, 3 - a$margin, a$na_rm))
  total <- sum(values_in(x), na.rm = a$na_rm)
  x <- scale_margin(scale_margin(x, a$margin, rows), 3 - a$margin, sqrt(columns))
  x <- set_values(x, sqrt(total) * values_in(x))
  if (a$margin == 2) {
    x <- if (isS4(x)) Matrix::t(x) else t(x)
  }
  list(x = x, parameters = list(tot = total, rsum = rows, csum = columns))
}

standard_hellinger <- function(x, a) {
  made <- standard_total(x, a)
  made$x <- suppressWarnings(sqrt(made$x)) # of negative values: NaN, of which there is a warning
  made
}

standard_log <- function(x, a) {
  if (!is.numeric(a$base) || length(a$base) != 1L || !isTRUE(a$base > 1)) {
    stop_argument(
      sprintf("logbase must be a number above 1, not %s", show_value(a$base)), "logbase", a$call
    )
  }
  values <- values_in(x)
  above <- which(values > 0)
  least <- if (length(above)) min(values[above]) else 1
  if (least < 1) {
    warn_decostand("values below 1", a$call)
  } else {
    least <- 1
  }
  values[which(values <= 0)] <- 0
  values[above] <- log(values[above] / least) / log(a$base) + 1
  list(x = set_values(x, values), parameters = list(logbase = a$base, minpos = least))
}

# Returns x with the pseudocount added, all above 0.
positive_values <- function(x, method, a) {
  if (!is.numeric(a$added) || length(a$added) != 1L || !isTRUE(a$added >= 0 & a$added < Inf)) {
    stop_argument(
      sprintf("pseudocount must be a number of at least 0, not %s", show_value(a$added)),
      "pseudocount", a$call
    )
  }
  x <- x + a$added
  if (any(x <= 0, na.rm = TRUE)) {
    at <- which(x <= 0, arr.ind = TRUE)[1L, ]
    stop_message(
      "above pseudocount", "x", a$call, method, at[1L], at[2L], show_value(x[at[1L], at[2L]]),
      show_value(a$added)
    )
  }
  x
}

standard_clr <- function(x, a) {
  x <- log(positive_values(x, "clr", a))
  means <- if (a$margin == 1) rowMeans(x) else colMeans(x)
  list(
    x = scale_margin(x, a$margin, means, `-`),
    parameters = list(means = means, pseudocount = a$added)
  )
}

standard_rclr <- function(x, a) {
  values <- values_in(x)
  check_elements(x, values < 0, "numbers of at least 0 for \"rclr\"", a$call)
  above <- which(values > 0)
  logs <- set_values(x, replace(replace(values, values == 0, 0), above, log(values[above])))
  means <- margin_sums(logs, a$margin, TRUE) / margin_sums(x > 0, a$margin, TRUE)
  centred <- values_in(logs) - as.vector(means)[margin_index(x, a$margin)]
  centred[which(values == 0 & !is.nan(centred))] <- 0
  list(x = set_values(x, centred), parameters = list(means = means))
}

standard_alr <- function(x, a) {
  names <- dimnames(x)[[a$margin]]
  k <- if (is.character(a$reference)) match(a$reference, names) else a$reference
  if (!is.numeric(k) || length(k) != 1L || !isTRUE(k %in% seq_len(dim(x)[a$margin]))) {
    stop_argument(sprintf(
      "reference must be the name of a %s of x, or its number from 1 to %d, not %s",
      if (a$margin == 1) "row" else "column", dim(x)[a$margin], show_value(a$reference)
    ), "reference", a$call)
  }
  x <- log(positive_values(x, "alr", a))
  if (a$margin == 1) {
    reference <- x[k, ]
    x <- scale_margin(x[-k, , drop = FALSE], 2, reference, `-`)
  } else {
    reference <- x[, k]
    x <- scale_margin(x[, -k, drop = FALSE], 1, reference, `-`)
  }
  list(x = x, parameters = list(reference = reference, index = k, pseudocount = a$added))
}

standards <- list(
  total = standard_total, max = standard_max, frequency = standard_frequency,
  normalize = standard_normalize, range = standard_range, rank = standard_rank,
  rrank = standard_rrank, standardize = standard_standardize, pa = standard_pa,
  chi.square = standard_chi_square, hellinger = standard_hellinger, log = standard_log,
  clr = standard_clr, rclr = standard_rclr, alr = standard_alr
)

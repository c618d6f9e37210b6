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
#'   `"rclr"`, `"rank"` and `"rrank"` always leave them out, `"clr"` and `"alr"` never.
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
  table <- is.data.frame(x)
  x <- community_matrix(x, from)
  options <- list(
    method = method, MARGIN = if (!missing(MARGIN)) margin_of(MARGIN, call), na.rm = na.rm,
    logbase = logbase, pseudocount = pseudocount,
    range.global = if (!is.null(range.global)) as.matrix(range.global)
  )
  options["reference"] <- list(number_of(reference, x, options, call))
  made <- .Call(C_decostand, list(x), options, run_settings("cpu", progress = FALSE), call)
  if (made$negative) warn_decostand("negative values", call, "x has", made$method)
  if (made$method == "log" && made$number < 1) warn_decostand("values below 1", call)
  if (made$undefined) warn_decostand("no results", call)
  shaped <- shape_standard(x, made, options$reference)
  if (isS4(shaped)) {
    return(shaped)
  }
  parameters <- standard_parameters(x, made, options)
  if (made$method == "standardize") {
    attributes(shaped)[c("scaled:center", "scaled:scale")] <- parameters[1:2]
  }
  if (table) shaped <- as.data.frame(shaped)
  attr(shaped, "parameters") <- parameters
  attr(shaped, "decostand") <- made$method
  shaped
}

# Returns the reference of "alr" as a number; a name is that of a row or column.
number_of <- function(reference, x, options, call) {
  if (!is.character(reference)) {
    return(reference)
  }
  margin <- if (is.null(options$MARGIN)) 1 else options$MARGIN
  k <- match(reference, dimnames(x)[[margin]])
  if (length(k) != 1L || is.na(k)) {
    stop_argument(sprintf(
      "reference must be the name of a %s of x or its number, not %s",
      if (margin == 1) "row" else "column", show_value(reference)
    ), "reference", call)
  }
  k
}

# Returns what the core made of a matrix, or of a sparse one, as a matrix of the same kind.
shape_standard <- function(x, made, reference) {
  values <- if (isS4(x) && !made$stored) as.matrix(x) else x
  values <- set_values(values, made$values)
  if (made$method == "chi.square" && made$MARGIN == 2) {
    values <- if (isS4(values)) Matrix::t(values) else t(values)
  }
  if (made$method == "alr") {
    k <- -as.integer(reference)
    values <- if (made$MARGIN == 1) values[k, , drop = FALSE] else values[, k, drop = FALSE]
  }
  values
}

# Returns the parameters that vegan's result has.
standard_parameters <- function(x, made, options) {
  if (made$method %in% c("log", "pa")) {
    return(if (made$method == "log") list(logbase = options$logbase, minpos = made$number))
  }
  numbers <- stats::setNames(made[c("first", "second")], made$names)[nzchar(made$names)]
  margin <- if (made$method == "alr") 3 - made$MARGIN else made$MARGIN
  for (name in intersect(made$names, c("scale", "min", "center", "means", "reference"))) {
    names(numbers[[name]]) <- dimnames(x)[[margin]] # as in vegan; others have none
  }
  others <- list(
    index = if (made$method == "alr") options$reference,
    pseudocount = if (made$method %in% c("clr", "alr")) options$pseudocount,
    margin = made$MARGIN
  )
  total <- if (made$method == "chi.square") list(tot = made$number)
  c(total, numbers, Filter(Negate(is.null), others))
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
  if (!is.double(x)) storage.mode(x) <- "double" # copies a matrix of another name, too
  x
}

warn_decostand <- function(name, call, ...) {
  warning(structure(
    list(message = message_of(name, ...), call = call),
    class = c("gpugeo_decostand_warning", "warning", "condition")
  ))
}

# --- rows and columns, of dense and sparse matrices -----------------------------------------------

# Returns for each element, or each stored one, the number of its row (margin 1) or column.
margin_index <- function(x, margin) {
  if (isS4(x)) {
    return(if (margin == 1) x@i + 1L else rep(seq_len(ncol(x)), diff(x@p)))
  }
  if (margin == 1) as.vector(row(x)) else as.vector(col(x))
}

# Returns the sums of rows.
row_sums <- function(x) as.vector(if (isS4(x)) Matrix::rowSums(x) else rowSums(x))

# Replaces the elements of a matrix, or the stored ones, by values.
set_values <- function(x, values) {
  if (isS4(x)) x@x <- values else x[] <- values
  x
}

values_in <- function(x) if (isS4(x)) x@x else as.vector(x)

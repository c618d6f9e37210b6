#' Weighted networks of correlations
#'
#' Computes the weights between all columns of a matrix, powers of their correlations, as
#' `WGCNA::adjacency()` does.
#'
#' @inheritParams gpu_soft_threshold
#' @param x Genes in columns and samples in rows: a numeric matrix or data frame; with
#'   `input = "similarity"`, a square matrix of correlations.
#' @param selectCols Numbers of columns of `x`, or a logical value for each: the weights between all
#'   columns and these are computed.
#' @param type The similarity of two genes with correlation `r`, which is raised to the power:
#'   `"unsigned"`, `abs(r)`; `"signed"`, `(1 + r) / 2`; `"signed hybrid"`, `r`, or 0 if it is
#'   negative. Names may be abbreviated.
#' @param power A positive number.
#' @param input `"similarity"` if `x` has the correlations, as in
#'   `WGCNA::adjacency.fromSimilarity()`. It must be symmetric, with elements between -1 and 1;
#'   arguments of correlations must not be given then.
#' @param use How missing values are treated, as in [gpu_cor()].
#'
#' @return A symmetric matrix, ncol(`x`) by ncol(`x`), or with `selectCols` as many columns as are
#'   selected, with the column names as dimnames. The weights of a constant column are `NA`.
#'
#' @details `x`, `selectCols`, `type` and `power` are those of `WGCNA::adjacency()`; `method` and
#'   `use` replace `corFnc` and `corOptions`. Correlations may be computed on a GPU, their powers
#'   are computed on the CPU, in the memory of the result.
#'
#' @inheritSection gpu_dist Errors
#'
#' @inherit gpu_soft_threshold references
#'
#' @seealso [gpu_soft_threshold()] for the power, [gpu_tom()]
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(20 * 5), 20, dimnames = list(NULL, letters[1:5]))
#' gpu_adjacency(x, power = 2)
#' @export
gpu_adjacency <- function(x, selectCols = NULL, # nolint: the names of WGCNA
                          type = c("unsigned", "signed", "signed hybrid"), power = 6,
                          input = c("expression", "similarity"), method = "pearson",
                          use = "pairwise.complete.obs", maxPOutliers = 1, # nolint
                          pearsonFallback = "individual", weights = NULL, ..., # nolint
                          backend = NULL, threads = NULL, device = NULL,
                          precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  options <- list(
    method = method, use = full_use(use), maxPOutliers = maxPOutliers,
    pearsonFallback = pearsonFallback, power = power,
    networkType = network_type(type, "type", call),
    given = is_given(
      input, "similarity", names(match.call()),
      c("selectCols", "method", "use", "maxPOutliers", "pearsonFallback", "weights"), call
    )
  )
  x <- points_of(x, "x", from)
  y <- select_columns(x, selectCols, call)
  bar <- progress_bar("Adjacency")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  options$attributes <- if (has_columns(x)) cor_attributes(x, y)
  weights <- weights_list(weights.x = weights)
  if (!is.null(y) && is.matrix(weights$weights.x)) {
    weights$weights.y <- select_columns(weights$weights.x, selectCols, call)
  } else if (!is.null(y)) {
    weights$weights.y <- weights$weights.x
  }
  with_weights(.Call(C_network, list(x, y), c(options, weights), settings, call))
}

# Evaluates code whose errors about weights.x name the argument weights.
with_weights <- function(code) rename_message("weights.x", "weights", code)

# Returns the name of a type of network.
network_type <- function(type, argument, call) {
  choose_one(type, core_choices("adjacency", "networkType"), argument, call)
}

# True if the input has the given name, and is no expression. Arguments that only expression needs
# are then refused.
is_given <- function(input, name, arguments, refused, call) {
  given <- choose_one(input, c("expression", name), "input", call) == name
  refused <- intersect(refused, arguments)
  if (given && length(refused)) {
    stop_message("with input", refused[1L], call, refused[1L], name)
  }
  given
}

# Returns the selected columns of x, or NULL.
select_columns <- function(x, columns, call) {
  if (is.null(columns)) {
    return(NULL)
  }
  n <- NCOL(x)
  if (is.logical(columns) && length(columns) == n && !anyNA(columns)) {
    columns <- which(columns)
  }
  valid <- is.numeric(columns) && all(columns %in% seq_len(n))
  if (!valid) {
    allowed <- sprintf("column numbers between 1 and %d or a logical value for each column", n)
    stop_value(columns, "selectCols", allowed, call)
  }
  (if (has_columns(x)) x else as.matrix(x))[, columns, drop = FALSE]
}

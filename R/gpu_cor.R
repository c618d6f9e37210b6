#' Correlation matrices
#'
#' Computes the correlations between all columns of a matrix, or between the columns of two, as
#' [stats::cor()] does, on all CPU cores or on a GPU.
#'
#' @param x,y Variables in columns: numeric or logical matrices, sparse matrices of package Matrix,
#'   or data frames, with the same number of rows, or vectors of that length; or objects of those in
#'   [gpu_inputs], of which samples or cells are correlated if these are in columns. `x` may be a
#'   vector only when `y` is given.
#' @param use How missing values are treated, as in [stats::cor()]. Names may be abbreviated.
#'   `"everything"` gives `NA` for a column with one, `"all.obs"` an error; `"complete.obs"` leaves
#'   out the rows with one, and is an error when no row is left; `"na.or.complete"` the same but
#'   gives `NA` then; `"pairwise.complete.obs"` leaves them out for each pair of columns separately.
#' @param method `"pearson"`, `"spearman"` for the correlation of ranks, those of ties averaged,
#'   `"kendall"` for Kendall's tau-b, `"bicor"` for the biweight midcorrelation with the defaults
#'   of [gpu_bicor()], which has its options, or `"dcor"` for the distance correlation, which is 0
#'   only for independent variables, of whatever relation. The default of [stats::cor()],
#'   `c("pearson", "kendall", "spearman")`, stands for the first.
#' @param weights.x,weights.y For `"pearson"`: weights of the values of `x` and of `y`, as in
#'   `WGCNA::cor()`: a matrix of the same size, or a vector with a weight for each row. None may be
#'   negative or infinite. A value whose weight is missing is missing, too.
#' @param cosine,cosineX,cosineY For `"pearson"` and `"bicor"`: `TRUE` does not subtract the means
#'   (medians) of the columns of `x`, of `y` or of both, and so returns the cosine of the angle
#'   between two columns.
#' @param p_values `TRUE` for the p-values of all correlations as well.
#' @param permutations For the p-values of `"dcor"`: the number of permutations of the rows of `y`,
#'   or others, as in [gpu_adonis2()]. They are the same for all columns.
#' @inheritParams gpu_dist
#'
#' @return A matrix, ncol(`x`) by ncol(`y`) or ncol(`x`) by ncol(`x`), with the column names as its
#'   dimnames; a number when both `x` and `y` are vectors. The correlation of a constant column is
#'   `NA`, with a warning, its distance correlation 0. With `p_values = TRUE` a list of three of
#'   these: `r`, the correlations; `n`, the number of rows of each; and `p.value`.
#'
#' @section Weights: With weights `w` a column `x` becomes `w * (x - sum(w * x) / sum(w))`, and the
#'   correlation is the cosine of the angle between two such columns, as `WGCNA::cor()` gives it. So
#'   a weight counts once in the mean and once in the column, each column has its own weights, and a
#'   value of weight 0 has no effect, even if it is infinite. A row is left out for a pair of
#'   columns only if a value or a weight is missing, by the rule of `use`; WGCNA has one rule for
#'   missing weights, that of `"pairwise.complete.obs"`, and `NA` for such a column with itself.
#'   A column without two different values of weights above 0 has no correlation. The matrices are
#'   expanded, sparse ones, too, and take 24 bytes for each value.
#'
#' @section P-values: They are those of [stats::cor.test()], two-sided, for each pair of columns:
#'   Pearson's and those of `"bicor"` by Student's t. Spearman's without ties from all permutations
#'   for up to 9 rows and by an Edgeworth series for up to 1,290, and by Student's t otherwise.
#'   Kendall's without ties from all permutations for fewer than 50 rows, and by the normal
#'   distribution with the variance for ties otherwise. They are `NA` where the correlation is, for
#'   constant columns, and for fewer than 3 rows if they are by Student's t. They are computed in R,
#'   on one thread; those of `"dcor"` by permutations, each of which takes the time of all
#'   correlations, and with `use = "pairwise.complete.obs"` only of data without missing values.
#'   Ranks of columns with missing values take a step for each pair of columns with that `use`. Of a
#'   sparse matrix one column is expanded at a time for them.
#'
#' @details Columns are centred and scaled to length 1 before the products are summed: large
#'   means do not reduce the accuracy. Results agree with those of [stats::cor()] to about 1e-13.
#'   Squares cannot overflow: columns near 1e200 have correlations, for which [stats::cor()] returns
#'   `NaN`.
#'
#' Kendall's correlations come from exact counts of the pairs of rows in which two columns have the
#' same order, the opposite one, or a tie. For up to 4,096 rows without missing values the orders of
#' all pairs of rows are bits, 64 of which are compared at a time; other columns are sorted (Knight
#' 1966). Two infinite values of the same sign are a tie, where [stats::cor()] returns `NaN`.
#'
#' The distance correlation (Székely and others 2007) compares the distances of all pairs of rows in
#' one column with those in the other. It is the root of their centred product over the root of the
#' product of both with themselves, between 0 and 1, as `energy::dcor()` gives it for two columns;
#' here it takes n log n steps for a pair of columns (Huo and Székely 2016), on the CPU.
#'
#' Columns of a sparse matrix are expanded block by block, and never the whole matrix; the result
#' has the bits of the dense matrix. For Kendall's correlations, ranks of all columns are kept as
#' well, which take half of the memory of the dense matrix. Pairwise Spearman correlations of a
#' sparse matrix with missing values are computed for two blocks of columns at a time, on the CPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references W. R. Knight (1966). A computer method for calculating Kendall's tau with ungrouped
#'   data. *Journal of the American Statistical Association* 61, 436-439.
#'
#' G. J. Székely, M. L. Rizzo and N. K. Bakirov (2007). Measuring and testing dependence by
#'   correlation of distances. *The Annals of Statistics* 35, 2769-2794.
#'
#' X. Huo and G. J. Székely (2016). Fast computing for distance covariance. *Technometrics* 58,
#'   435-447.
#'
#' @seealso [stats::cor()]; [gpu_cov()]; [gpu_bicor()]; [gpu_dist()] with `method = "pearson"` gives
#'   one minus the correlations between rows.
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' gpu_cor(x)
#' all.equal(gpu_cor(x, method = "spearman"), cor(x, method = "spearman"))
#' all.equal(gpu_cor(x, method = "kendall"), cor(x, method = "kendall"))
#'
#' x[1, 2] <- NA
#' gpu_cor(x, use = "pairwise")
#' gpu_cor(x, use = "pairwise", method = "kendall", p_values = TRUE)$p.value
#' @export
gpu_cor <- function(x, y = NULL,
                    use = "everything", method = "pearson", ..., metric = NULL,
                    weights.x = NULL, weights.y = NULL, # nolint: the names of WGCNA
                    cosine = FALSE, cosineX = cosine, cosineY = cosine, # nolint
                    p_values = FALSE, permutations = 999, backend = NULL, threads = NULL,
                    device = NULL, precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  if (nargs() == 1L && !missing(x) && is_plain(x)) {
    settings <- short_settings(length(x) * dim(x)[2L])
    if (!is.null(settings)) {
      return(.Call(C_cor, list(x, NULL), list(
        use = use, method = method, covariance = FALSE, attributes = cor_attributes(x, NULL)
      ), settings, call))
    }
  }
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x, y), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  flag_of(p_values, "p_values", call)
  flag_of(cosine, "cosine", call)
  others <- c(
    list(cosineX = cosineX, cosineY = cosineY),
    weights_list(weights.x = weights.x, weights.y = weights.y)
  )
  method <- metric_of(method, metric, missing(method), call)$method
  settings <- function(bar) {
    run_settings(backend, threads, device, precision, progress, bar, memory_limit)
  }
  made <- cor_or_cov(x, y, use, method, from, settings, covariance = FALSE, call, others)
  if (!p_values) {
    return(made$value)
  }
  correlations_with_p_values(made, others, permutations, settings, call)
}

# Returns what gpu_cor() does with p-values. made: what cor_or_cov() returned with these others.
correlations_with_p_values <- function(made, others, permutations, settings, call) {
  if (!identical(others, list(cosineX = FALSE, cosineY = FALSE))) {
    stop_message("p-values of weights", "p_values", call, "p_values")
  }
  use <- full_name(made$use, c(
    "everything", "all.obs", "complete.obs", "na.or.complete", "pairwise.complete.obs"
  ))
  method <- full_name(made$method, c("pearson", "spearman", "kendall", "bicor", "dcor"))
  if (method == "dcor") {
    return(with_permuted_p_values(made$value, made$x, made$y, use, permutations, settings, call))
  }
  with_p_values(made$value, made$x, made$y, use, method)
}

# Computes what gpu_cor(), gpu_bicor() or gpu_cov() returns. settings: a function that makes the
# settings of the run with a function for progress; others: a list of options. Returns the value,
# and x, y, use and method as the core gets them.
cor_or_cov <- function(x, y, use, method, from, settings, covariance, call, others = NULL) {
  if (identical(method, c("pearson", "kendall", "spearman"))) {
    method <- method[1L] # the default of stats::cor() that other functions pass on
  }
  x <- variables_of(x, "x", from)
  y <- variables_of(y, "y", from)
  check_variables(x, y, call)
  bar <- progress_bar(if (covariance) "Covariances" else "Correlations")
  on.exit(bar$close())
  use <- full_use(use)
  options <- list(
    use = use, method = method, covariance = covariance, attributes = cor_attributes(x, y)
  )
  value <- .Call(C_cor, list(x, y), c(options, others), settings(bar$update), call)
  list(value = value, x = x, y = y, use = use, method = method)
}

# Returns those weights that are given, data frames as matrices.
weights_list <- function(...) {
  given <- Filter(Negate(is.null), list(...))
  lapply(given, function(w) if (is.data.frame(w)) data.matrix(w) else w)
}

# Checks variables against each other.
check_variables <- function(x, y, call) {
  if (is.null(y) && is.atomic(x) && !is.null(x) && !is.matrix(x)) {
    stop_argument("supply both 'x' and 'y' or a matrix-like 'x'", "y", call)
  }
  if (has_columns(x) && has_columns(y)) {
    warn_of_order(rownames(x), rownames(y), c("x", "y"), "y[rownames(x), ]", call)
  }
}

# Returns the first name that a value which the core has accepted begins.
full_name <- function(value, names) names[startsWith(names, lower_case(value))][1L]

# Converts variables as stats::cor() does: unlike for points, a vector stays a vector.
variables_of <- function(x, argument, from) {
  if (is.object(x) && (isS4(x) || !is.atomic(x))) points_of(x, argument, from) else x
}

# The core knows MATLAB's "all" too, which means "everything". In R it begins "all.obs".
full_use <- function(use) {
  if (identical(use, "a") || identical(use, "al") || identical(use, "all")) "all.obs" else use
}

# Returns dim and dimnames of the correlations; NULL for that of two vectors. An array of one
# dimension is a vector.
cor_attributes <- function(x, y) {
  if (has_columns(x) || has_columns(y)) {
    if (is.null(y)) {
      y <- x
    }
    list(
      dim = c(variable_count(x), variable_count(y)),
      dimnames = names_of(variable_names(x), variable_names(y))
    )
  }
}

has_columns <- function(x) length(dim(x)) == 2L
variable_count <- function(x) if (has_columns(x)) ncol(x) else 1L
variable_names <- function(x) if (has_columns(x)) dimnames(x)[[2L]]

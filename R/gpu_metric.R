#' Metrics with parameters
#'
#' All functions of points take the name of a metric as `method` or `metric`, `"mahalanobis"` for
#' example, or what `gpu_metric()` returns: a metric with its parameters,
#' `gpu_metric("mahalanobis", cov = s)`.
#'
#' @param name The name of a metric, or the beginning of a name, see Metrics; or of a model of
#'   sequences, see Sequences.
#' @param p For `"minkowski"`: the power, positive; `Inf` gives `"maximum"`, with the same bits.
#'   [gpu_dist()] and [gpu_cdist()] have an argument `p`, too, as [stats::dist()] has.
#' @param cov For `"mahalanobis"`: a symmetric positive definite m by m matrix. `NULL`: the
#'   covariance of the rows of the points `x` that have no missing value, as [stats::cov()] gives
#'   it.
#' @param singular What to do with constant columns of `x` (`"seuclidean"`) and with a singular
#'   covariance (`"mahalanobis"`), see Singular data: `"error"`, `"drop"` or `"pinv"`.
#' @param scale For `"seuclidean"`: m positive standard deviations, one for each column. `NULL`:
#'   those of the columns of `x`, as [stats::sd()] gives them, missing values left out.
#'   For `"gower"`: the ranges of the columns.
#' @param types,column_weights For `"gower"`: the types of the columns, see Gower's coefficient, and
#'   their weights of at least 0, one for each column. `NULL`: types by the columns' classes, and
#'   all weights 1.
#' @param sphere_radius For `"great-circle"`: the radius of the sphere, positive; distances and
#'   radii have its unit. The default is the mean radius of the earth in metres, 6371008.8.
#'
#' @param pairwise.deletion,gamma,base.freq For models of sequences, as in [gpu_dist_dna()].
#'
#' @return An object of class `"gpu_metric"`. What can be checked without points is an error here;
#'   the number of columns is checked by the function that has the points.
#'
#' @section Metrics:
#' For two points `a` and `b`, vectors of their m coordinates:
#'
#' | `method` | distance |
#' |---|---|
#' | `"euclidean"` | `sqrt(sum((a - b)^2))` |
#' | `"sqeuclidean"` | `sum((a - b)^2)` |
#' | `"manhattan"` | `sum(abs(a - b))` |
#' | `"maximum"` | `max(abs(a - b))` |
#' | `"canberra"` | `sum(abs(a - b) / (abs(a) + abs(b)))`, terms 0 / 0 left out as if missing |
#' | `"binary"` | of the coordinates where `a` or `b` is not 0, the share where one is 0 |
#' | `"minkowski"` | `sum(abs(a - b)^p)^(1 / p)` |
#' | `"seuclidean"` | `sqrt(sum(((a - b) / scale)^2))` |
#' | `"mahalanobis"` | `sqrt(t(a - b) %*% solve(cov) %*% (a - b))` |
#' | `"cosine"` | `1 - sum(a * b) / sqrt(sum(a^2) * sum(b^2))` |
#' | `"pearson"` | `1 - cor(a, b)` |
#' | `"spearman"` | `1 - cor(rank(a), rank(b))` |
#' | `"braycurtis"` | `sum(abs(a - b)) / sum(a + b)` |
#' | `"hamming"` | `mean(a != b)` |
#' | `"jaccard"` | of the coordinates where `a` or `b` is not 0, the share that differs |
#' | `"gower"` | Gower's coefficient of mixed columns, see there |
#'
#' Measures of communities, for values of at least 0; see [gpu_vegdist()] for `"kulczynski"`,
#' `"clark"`, `"altgower"`, `"morisita"`, `"horn"`, `"mountford"`, `"raup"`, `"binomial"`, `"chao"`
#' and `"cao"`. A and B are the numbers of coordinates above 0, J is the number of those in both,
#' and terms of two zeros are left out:
#'
#' | `method` | distance |
#' |---|---|
#' | `"squared-chord"` | `sum((sqrt(a) - sqrt(b))^2)` |
#' | `"wave-hedges"` | `sum(abs(a - b) / pmax(a, b))` |
#' | `"lorentzian"` | `sum(log(1 + abs(a - b)))` |
#' | `"soergel"`, `"ruzicka"` | `sum(abs(a - b)) / sum(pmax(a, b))` |
#' | `"motyka"` | `sum(pmax(a, b)) / sum(a + b)` |
#' | `"sorensen"` | `1 - 2 * J / (A + B)` |
#' | `"ochiai"` | `1 - J / sqrt(A * B)` |
#' | `"simpson"` | `1 - J / min(A, B)` |
#' | `"topsoe"` | `sum(a * log(2 * a / (a + b)) + b * log(2 * b / (a + b)))`, `0 * log(0)` as 0 |
#' | `"jsd"` | half of `"topsoe"`: the divergence of Jensen and Shannon of shares |
#' | `"js"` | the root of `"jsd"` |
#' | `"jeffreys"` | `sum((a - b) * log(a / b))`, infinite if only one of both is 0 |
#' | `"bhattacharyya"` | `-log(sum(sqrt(a * b)))` |
#'
#' `gpu_decostand(x, "total")` makes shares of counts, for which `"squared-chord"`, `"topsoe"`,
#' `"jsd"`, `"js"`, `"jeffreys"` and `"bhattacharyya"` are defined.
#'
#' `"great-circle"`, the distance on a sphere, is a metric of [gpu_knn()], [gpu_radius()],
#' [gpu_neighbor_graph()], [gpu_dbscan()], [gpu_collisions()] and [gpu_closest_pair()] only.
#'
#' The names of MATLAB and Octave are understood as well: `"squaredeuclidean"`, `"cityblock"`,
#' `"chebychev"`, `"chebyshev"` and `"correlation"`; `"fasteuclidean"` and `"fastsquaredeuclidean"`,
#' which are less exact there, are other names of `"euclidean"` and `"sqeuclidean"` here.
#'
#' A function as `method` takes two vectors, rows of the points, and returns their distance, one
#' number: `function(x, y) sum(abs(x - y))`. It is called in R, on one thread: for each pair of rows
#' i > j of `x`, as `method(x[i, ], x[j, ])`, or for each row of `x` and each row of `y`. Arguments
#' other than the points and the settings have no effect or are an error. Points must be in memory,
#' and the result is never written to a file.
#'
#' The metrics from `"euclidean"` to `"seuclidean"`, and `"braycurtis"`, are computed from the
#' differences of the coordinates: distances of nearly equal rows keep their digits. The
#' error of Mahalanobis distances is relative to the distances of the rows from the mean.
#' The error of `"gower"` is about 1e-16.
#' `"cosine"`, `"pearson"` and `"spearman"` are 1 - r, and below 1/64 half the squared difference d
#' of the normalized rows: 0 for a row and its copy, with a relative error of about 3e-16 / sqrt(d)
#' at most, which is below 1e-12 from 1e-7 on. If one of two rows has missing values, it is 1 - r,
#' with an error of about 1e-16, and 0 for a copy.
#'
#' @section Sequences: All functions that take points or distances, [gpu_knn()], [gpu_radius()],
#'   [gpu_neighbor_graph()], [gpu_mst()], [gpu_hclust()], [gpu_dbscan()], [gpu_hdbscan()],
#'   [gpu_optics()], [gpu_lof()], [gpu_silhouette()], [gpu_validity()], [gpu_pam()], [gpu_nj()],
#'   [gpu_upgma()], [gpu_pcoa()], [gpu_mds()],
#'   [gpu_adonis2()] and the other tests of groups, take aligned sequences in their place, of the
#'   classes that [gpu_dist_dna()] takes. Their metric is one of its models except `"BH87"`, as
#'   `method = "snp"` or `gpu_metric("TN93", pairwise.deletion = TRUE)`; by default `"K80"`.
#'   Text is taken for sequences only if a model is given. Results are those of the distances that
#'   [gpu_dist_dna()] returns. They are computed on the CPU when they are needed: neighbours,
#'   spanning trees, density clusters and single linkage do not store all of them.
#'
#' @section Gower's coefficient: `method = "gower"` takes data frames whose columns are numbers,
#' logical values and factors, and has the values of [cluster::daisy()] with `metric = "gower"`. The
#' distance is `sum(w * s) / sum(w)`, for the weights `w` of the columns and their dissimilarities
#' `s` between 0 and 1:
#' * numbers: `abs(a - b)` divided by the range of the column of `x`, or by `scale`; at most 1.
#'   Ordered factors are the numbers of their levels.
#' * factors: 0 for equal levels, otherwise 1.
#' * logical values, and columns of 0 and 1 with `types = list(asymm = )`: the same, but columns
#'   that are 0 in both points are left out.
#'
#' Columns that are missing in one of the two points are left out. A distance without any column
#' left is `NA`. `types` changes the types of columns: a list as the argument `type` of
#' [cluster::daisy()], with the elements `asymm`, `symm` (as factors), `ordratio` (numbers replaced
#' by their ranks, ties by one rank) and `logratio` (by their logarithms), each of them names or
#' numbers of columns. Or it has `"numeric"`, `"nominal"` or `"asymmetric"` for each column.
#' Matrices, and objects that hold one (see [gpu_inputs]), are numeric; with a list, sparse matrices
#' and those in files are read as a whole, as dense ones. Without package HDF5Array, points in files
#' take the second form only. With it nominal columns are whole numbers. With other points `y`,
#' ranges and ranks are those of `x`.
#'
#' Two differences: in a column of 1 alone [cluster::daisy()] treats the ones as zeros, and it
#' replaces several columns in `ordratio` by their joint ranks.
#'
#' @section Singular data: A constant column has no standard deviation to divide by, and a
#'   covariance is singular if a column is constant or depends on others, as one that is a sum of
#'   others does. `singular = "error"` raises an error. `"drop"` leaves out such columns: with
#'   `"mahalanobis"` each that depends on columns before it. `"pinv"` takes the Moore-Penrose
#'   inverse of the covariance, as `MASS::ginv()` does; distances then do not depend on the order of
#'   the columns. With `"seuclidean"` both give constant columns the weight 0. A column depends on
#'   others if they leave less than 1e-10 of its variance. Missing values in columns that are left
#'   out count as in others.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' J. C. Gower (1971). A general coefficient of similarity and some of its properties. *Biometrics*
#' 27, 857-871. doi:10.2307/2528823
#'
#' @seealso [gpu_dist()], [gpu_knn()], [gpu_hclust()] and all other functions of points.
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' within <- Reduce(`+`, lapply(split(iris[, 1:4], iris$Species), cov)) / 3
#' metric <- gpu_metric("mahalanobis", cov = within)
#' metric
#' nearest <- gpu_knn(x, 3, method = metric)
#' tree <- gpu_hclust(x, "average", metric = metric)
#' table(cutree(tree, 3), iris$Species)
#'
#' # Mixed columns.
#' d <- gpu_dist(iris, gpu_metric("gower", column_weights = c(1, 1, 1, 1, 2)))
#' if (requireNamespace("cluster", quietly = TRUE)) {
#'   all.equal(c(d), c(cluster::daisy(iris, "gower", weights = c(1, 1, 1, 1, 2))))
#' }
#'
#' # Sequences that differ in at most one site.
#' dna <- c(a = "ACGTACGT", b = "ACGTACGA", c = "ACTTACCA", d = "ACGTACGT")
#' gpu_radius(dna, 1, method = "snp")
#' cutree(gpu_hclust(dna, "single", metric = "snp"), h = 1)
#'
#' # A parameter that the metric does not have.
#' tryCatch(gpu_metric("euclidean", p = 3), gpugeo_error = conditionMessage)
#' @export
gpu_metric <- function(name, p = 2, cov = NULL, singular = "error", scale = NULL, types = NULL,
                       column_weights = NULL, sphere_radius = 6371008.8,
                       pairwise.deletion = FALSE, # nolint: names of gpu_dist_dna()
                       gamma = FALSE, base.freq = NULL) { # nolint
  call <- sys.call()
  if (is_dna_model(name)) {
    return(as_metric(dna_metric(name, as.list(match.call())[-1L], list(
      pairwise.deletion = pairwise.deletion, gamma = gamma, base.freq = base.freq
    ), call)))
  }
  refuse_dna_parameters(name, names(match.call()), call)
  method <- rename_message("method", "name", .Call(C_metric, full_method(name), call))
  values <- list(
    p = p, cov = as_doubles(as_points(cov, "cov", call)), singular = singular,
    scale = as_doubles(scale), types = types,
    column_weights = numbers_of(column_weights, "column_weights", call),
    sphere_radius = sphere_radius
  )
  given <- values[intersect(names(match.call()), names(values))]
  for (parameter in names(given)) {
    check_parameter(method, parameter, given[[parameter]], call)
    check_owner(method, parameter, given[[parameter]], call)
  }
  as_metric(c(list(method = method), Filter(Negate(is.null), given)))
}

# The metric that each parameter belongs to; for those that two metrics have, one of both.
parameter_owners <- c(
  p = "minkowski", cov = "mahalanobis", singular = "mahalanobis", scale = "seuclidean",
  types = "gower", column_weights = "gower", sphere_radius = "great-circle",
  pairwise.deletion = "K80", gamma = "K80", base.freq = "TN93"
)

# Raises an error for the parameters that the core takes with any metric, and has no use for.
check_owner <- function(method, parameter, value, call) {
  owner <- parameter_owners[[parameter]]
  default <- formals(gpu_metric)[[parameter]]
  if (is.numeric(default) && method != owner && !identical(as_doubles(value), default)) {
    stop_argument(sprintf(
      "%s must be given with method \"%s\", not \"%s\"", parameter, owner, method
    ), parameter, call)
  }
}

# Checks the value of a parameter by the core, in no points. They have as many columns as it has
# values. Types are left to the call that has the columns, except their names.
check_parameter <- function(method, parameter, value, call) {
  if (parameter == "types") {
    if (!is_listed(value)) type_codes(value, call)
    value <- numeric()
  }
  columns <- if (is.matrix(value)) ncol(value) else length(value)
  if (method == "great-circle") {
    columns <- 2L
  }
  options <- list(method = method)
  options[parameter] <- list(value)
  settings <- list(backend = "cpu", progress = FALSE, state = new.env())
  .Call(C_radius, list(matrix(0, 0L, columns), NULL), options, settings, call)
}

# Returns a list of a method and of parameters as an object of class "gpu_metric".
as_metric <- function(metric) structure(metric, class = "gpu_metric")

# Returns the metric of a call, which users give as `method` or as `metric`: a list of the method, a
# name or a function, and of those parameters that are given.
#
# default  whether `method` was not given
# power    list(p = ) if the call has an argument p of its own
metric_of <- function(method, metric, default, call, power = list()) {
  if (!is.null(metric) && !default) {
    stop_message("same meaning", "metric", call, "metric", "method")
  }
  given <- if (is.null(metric)) method else metric
  given <- if (inherits(given, "gpu_metric")) as.list(unclass(given)) else list(method = given)
  if (length(power) && "p" %in% names(given)) {
    stop_argument("p must not be given with a gpu_metric() that has it", "p", call)
  }
  structure(c(given, power), default = default && is.null(metric))
}

# Returns a metric and its parameters as options of the core, which has the defaults.
#
# x, points  the points, whose columns some parameters have values for, and their name in messages
# metric     what metric_of() returned
# coding     what column_coding() returned
metric_list <- function(x, metric, coding, call, points = "x") {
  by_column <- intersect(c("scale", "cov", "column_weights"), names(metric))
  warn_of_column_values(x, metric[by_column], points, call)
  metric$method <- full_method(metric$method)
  metric$types <- coding$types
  if (!"p" %in% names(metric)) metric$p <- formals(gpu_metric)$p
  metric
}

# Raises an error that gives the line to write if a parameter of a metric is an argument.
#
# argument  the name of the argument that takes metrics
refuse_parameter <- function(parameter, argument, call) {
  stop_argument(sprintf(
    "%s is a parameter of a metric: %s = gpu_metric(\"%s\", %s = ...)", parameter, argument,
    parameter_owners[[parameter]], parameter
  ), parameter, call)
}

#' @export
format.gpu_metric <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  show <- function(value) {
    if (is.matrix(value)) sprintf("<%d x %d>", nrow(value), ncol(value)) else show_value(value)
  }
  shown <- vapply(unclass(x), show, "")
  names <- sprintf("%s = ", names(shown))
  sprintf("gpu_metric(%s)", paste0(c("", names[-1L]), shown, collapse = ", "))
}

#' @export
print.gpu_metric <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat(format(x), "\n", sep = "")
  invisible(x)
}

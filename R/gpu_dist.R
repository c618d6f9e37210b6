#' Distance matrices
#'
#' `gpu_dist()` computes the distances between all rows of a matrix: a drop-in replacement for
#' [stats::dist()] with more metrics, on all CPU cores or on a GPU. `gpu_cdist()` computes the
#' distances between the rows of one matrix and those of another.
#'
#' @param x,y Points in rows: a numeric or logical matrix, a data frame of such columns, or a
#'   vector, which is one column; or an object of those in [gpu_inputs]. `x` is n by m, and `y` is k
#'   by m with the same m. Missing values are allowed. Sparse matrices of package Matrix are taken
#'   as they are, see Sparse matrices. Points in an HDF5 file, see [gpu_hdf5()], are read in panels.
#' @param method The metric: a name under Metrics, the beginning of a name, or a function, see
#'   Metrics. The beginning of several names stands for the only metric of [stats::dist()] among
#'   them, if there is only one: `"b"` is `"binary"` and `"c"` is `"canberra"`.
#' @param metric Another name of `method`; only one of them may be given.
#' @param diag,upper As in [stats::dist()]: whether to print the diagonal and the upper triangle.
#' @param p The power of the Minkowski distance, positive; `Inf` gives `"maximum"`, with the same
#'   bits. Only `"minkowski"` uses it.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x` and `y` if these are
#'   objects that have such parts, see [gpu_inputs]. Arguments that follow have to be named in full.
#' @param scale For `"seuclidean"`: m positive standard deviations, one for each column. `NULL`:
#'   those of the columns of `x`, as [stats::sd()] gives them, missing values left out.
#'   For `"gower"`: the ranges of the columns.
#' @param cov For `"mahalanobis"`: a symmetric positive definite m by m matrix. `NULL`: the
#'   covariance of the rows of `x` that have no missing value, as [stats::cov()] gives it.
#' @param singular What to do with constant columns of `x` (`"seuclidean"`) and with a singular
#'   covariance (`"mahalanobis"`), see [Singular data][gpu_dist()]: `"error"`, `"drop"` or `"pinv"`.
#' @param types,column_weights For `"gower"`: the types of the columns, see Gower's coefficient, and
#'   their weights of at least 0, one for each column. `NULL`: types by the columns' classes, and
#'   all weights 1.
#' @param backend `"auto"`, `"cpu"` or `"cuda"`. `"auto"` uses a GPU if there is one and the
#'   estimated time on it, copies included, is shorter than on the CPU. `NULL` stands for the
#'   default, see [gpugeo-package], here and in the arguments that follow.
#' @param threads CPU threads, a whole number of at least 1.
#' @param device CUDA device, a whole number counted from 0 as CUDA does, see [gpu_info()]; or
#'   `"all"`, the default: distances, correlations and neighbours are computed on all devices at the
#'   same time, see [Several devices][gpu_dist()], and everything else on the current device.
#' @param precision `"double"`, or `"single"` to round the input to single precision and to compute
#'   in it, for which consumer GPUs have more arithmetic units than for double precision. The result
#'   is still stored in doubles.
#' @param memory_limit The maximum working memory in bytes, at least 2^20, in addition to input and
#'   output, on the host and on each device. The default is 256 MiB on the host, and the free memory
#'   of a device. It never changes a result.
#' @param progress `TRUE` or `FALSE`: show a progress bar if the call takes longer than two seconds.
#'
#' @param file The name of an HDF5 file for distances that do not fit into memory; `NULL`: the
#'   result is in memory. See [gpu_dist_file()].
#' @param file_shape `"condensed"`, the distances of the lower triangle by columns, or `"square"`,
#'   the whole matrix in chunks, which `HDF5Array::HDF5Array()` reads well.
#' @param file_name The name of the dataset in the file, by default `"dist"` or, of a square one,
#'   `"matrix"`.
#' @param file_precision `"double"` or `"float"`, which takes half the space: how the file stores
#'   the distances.
#' @param keep `"device"`: the distances stay in the memory of a CUDA device, see
#'   [gpu_dist_device]. `NULL`: they are returned.
#'
#' @return `gpu_dist()`: an object of class `"dist"` as [stats::dist()] gives it: the distances of
#'   the lower triangle by columns, with the attributes `Size`, `Labels`, `Diag`, `Upper`, `method`,
#'   `p` (of Minkowski's distance only) and `call`. With `file`, an object of class
#'   [`"gpu_dist_file"`][gpu_dist_file()]; with `keep`, one of class
#'   [`"gpu_dist_device"`][gpu_dist_device].
#'
#'   `gpu_cdist()`: an n by k matrix with the row names of `x` and `y` as its dimnames.
#'
#'   Missing distances are `NA`.
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
#' @section Missing values: Coordinates that are missing in one of the two points are left out. As
#' in [stats::dist()] the sums of `"euclidean"`, `"sqeuclidean"`, `"seuclidean"`, `"manhattan"`,
#' `"canberra"` and `"minkowski"` are then scaled up in proportion to the number of coordinates
#' left. If no coordinate is left, the distance is `NA`; the Mahalanobis distance is `NA` if any
#' coordinate is missing. Ranks are taken among the coordinates of a point that are not missing.
#'
#' @section Sparse matrices: A sparse matrix of package Matrix (`dgCMatrix`, `dgRMatrix`,
#' `dgTMatrix`, symmetric, triangular and diagonal ones, logical ones and patterns) is never
#' expanded as a whole, but block by block within `memory_limit`. The result has the bits and
#' labels of the dense matrix. If no value is missing or infinite, `"euclidean"`, `"sqeuclidean"`,
#' `"seuclidean"`, `"manhattan"`, `"maximum"`, `"minkowski"`, `"binary"`, `"cosine"`,
#' `"braycurtis"`, `"hamming"` and `"jaccard"` skip coordinates on the CPU where points are zero,
#' and take less time the fewer values are stored; other metrics take the time of the dense matrix.
#' A GPU gets the stored elements, and holds the points, or panels of them, expanded.
#'
#' @section Several devices: With `device = "all"` a long call, of 2e11 pairs of coordinates or 4 GB
#' of points and result, is computed on all devices that gpugeo was built for. Each has the points,
#' or the part of them that it needs, and takes the next piece of the result when it has finished
#' one. The result is the same bits as on one device. Shorter calls use the current device. A device
#' that fails or is lost is an error that names it.
#'
#' Arefin et al. divide a matrix into *segments*, one for each device, these into *splits*, and
#' these into *chunks* that a device computes at a time. Here all pieces are *chunks*, some columns
#' of the distances of a panel of points. There are no *segments* and *splits*: all devices draw
#' from one queue, and a slower one computes fewer chunks. See [gpu_tiles_plan()] for several
#' machines.
#'
#' @section Missing distances: A row has no distance to any other row if all its values are missing,
#' if it is constant (`"pearson"`, `"spearman"`) or zero (`"cosine"`), or if one of its values is
#' not finite (`"mahalanobis"`). One warning gives the number of distances that are missing for this
#' reason and the first such rows. There is no warning for the metrics of [stats::dist()], which
#' does not warn either: both are `NA` for the same pairs. [gpu_radius()] does not warn, because
#' such rows have no neighbours. If both are numbers, `"maximum"`, `"manhattan"` and `"binary"` have
#' the bits of [stats::dist()]; `"euclidean"`, `"canberra"` and `"minkowski"` may differ from it in
#' the last places, with missing values or without, because their sums are rounded less often.
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
#' @section Errors: Errors are conditions of class `"gpugeo_error"`, with the elements `message`,
#' `call`, `argument` (the name of the argument at fault, or `""`) and `code` (the status of
#' `gpugeo.h`: 1 a wrong argument, 2 data that do not allow the computation, 3 too little memory, 4
#' a backend or device that is not available, 5 a device that failed, 6 an interrupt that a hook
#' asked for, 7 a file that cannot be read or written). Text and complex
#' numbers are an error.
#'
#' @references
#' J. C. Gower (1971). A general coefficient of similarity and some of its properties. *Biometrics*
#' 27, 857-871. doi:10.2307/2528823
#'
#' A. S. Arefin, C. Riveros, R. Berretta and P. Moscato (2012). Computing large-scale distance
#' matrices on GPU. *7th International Conference on Computer Science & Education*, section III.
#'
#' @seealso [stats::dist()], [stats::hclust()], [gpu_cor()], [gpu_info()]
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' d <- gpu_dist(x, "manhattan")
#' all.equal(d, dist(x, "manhattan"), check.attributes = FALSE)
#' table(cutree(hclust(d, "average"), 3), iris$Species)
#'
#' # Standardised columns.
#' d <- gpu_dist(x, "seuclidean")
#' all.equal(c(d), c(dist(scale(x))))
#'
#' # Distances of all flowers from the three means.
#' means <- apply(x, 2, tapply, iris$Species, mean)
#' d <- gpu_cdist(x, means, "mahalanobis")
#' table(colnames(d)[max.col(-d)], iris$Species)
#'
#' # Mixed columns.
#' d <- gpu_dist(iris, "gower", column_weights = c(1, 1, 1, 1, 2))
#' if (requireNamespace("cluster", quietly = TRUE)) {
#'   all.equal(c(d), c(cluster::daisy(iris, "gower", weights = c(1, 1, 1, 1, 2))))
#' }
#'
#' # A function as metric.
#' d <- gpu_dist(x[1:20, ], function(x, y) sum(abs(x - y) > 0.1))
#'
#' # A wrong argument.
#' tryCatch(gpu_dist(x, "minkowski", p = 0), gpugeo_error = conditionMessage)
#' @export
gpu_dist <- function(x, method = "euclidean", # nolint: cyclocomp_linter.
                     diag = FALSE, upper = FALSE, p = 2, ...,
                     metric = NULL, scale = NULL, cov = NULL, singular = "error", types = NULL,
                     column_weights = NULL, backend = NULL, threads = NULL,
                     device = NULL, precision = NULL, progress = NULL, memory_limit = NULL,
                     file = NULL, file_shape = "condensed", file_name = NULL,
                     file_precision = "double", keep = NULL) {
  call <- sys.call()
  if (!missing(x) && nargs() == 1L + !missing(method) && is_plain(x) &&
    (missing(method) || is_plain_metric(method))) {
    size <- dim(x)[1L]
    settings <- short_settings(length(x) * size)
    if (!is.null(settings)) {
      attributes <- list(
        Size = size, Labels = dimnames(x)[[1L]], Diag = diag, Upper = upper, method = method,
        call = match.call(), class = "dist"
      )
      options <- list(method = method, p = p, attributes = attributes)
      return(.Call(C_dist, list(x, NULL), options, settings, call))
    }
  }
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    panels = TRUE
  )
  expression <- if (is.null(metric)) substitute(method) else substitute(metric)
  method <- metric_of(method, metric, missing(method), call)
  from$coding <- column_coding(x, method, types, from)
  x <- points_of(x, "x", from)
  if (!is.function(method)) {
    method <- .Call(C_metric, full_method(method), call)
  }
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_list(x, method, p, scale, cov, singular, from$coding, column_weights, call)
  on_device <- keeps_on_device(keep, x, method, file, call)
  if (!is.null(file)) {
    if (is.function(method)) {
      stop_argument("method must not be a function with file", "method", call)
    }
    file <- expand(file)
    output <- list(
      file = file, file_shape = file_shape, file_name = file_name,
      file_precision = file_precision, labels = source_labels(x)
    )
    .Call(C_dist_file_write, list(x), c(metric, output), settings, call)
    return(open_dist_file(file, file_name, call))
  }
  attributes <- list(
    Size = source_size(x, call)[[1L]], Labels = source_labels(x), Diag = diag, Upper = upper,
    method = metric_name(method, expression), p = if (identical(method, "minkowski")) p,
    call = match.call(), class = "dist"
  )
  if (on_device) {
    return(keep_distances(x, metric, attributes, settings, call))
  }
  if (is.function(method)) {
    start <- begin_function(metric, list(x, NULL), settings, call)
    distances <- dist_by(method, x, settings, call)
    attributes(distances) <- Filter(Negate(is.null), attributes)
    end_function("gpu_dist", start)
    return(distances)
  }
  if (inherits(x, "gpu_hdf5")) {
    distances <- dist_in_panels(x, NULL, metric, settings, call)
    attributes(distances) <- Filter(Negate(is.null), attributes)
    return(distances)
  }
  .Call(C_dist, list(x, NULL), c(metric, list(attributes = attributes)), settings, call)
}

# True for a matrix of doubles that needs no conversion.
is_plain <- function(x) is.double(x) && is.matrix(x) && !is.object(x)

# True for the full name of a metric without parameters.
is_plain_metric <- function(method) {
  is.character(method) && length(method) == 1L && method %in% plain_metrics
}

plain_metrics <- c("euclidean", "maximum", "manhattan", "canberra", "binary")

#' @rdname gpu_dist
#' @export
gpu_cdist <- function(x, y, method = "euclidean", p = 2, ..., metric = NULL, scale = NULL,
                      cov = NULL, singular = "error", types = NULL, column_weights = NULL,
                      backend = NULL, threads = NULL, device = NULL, precision = NULL,
                      progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x, y), memory_limit, call,
    panels = TRUE
  )
  method <- metric_of(method, metric, missing(method), call)
  from$coding <- column_coding(x, method, types, from)
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  warn_of_columns(list(x, y), "y", method, call)
  if (is.null(y)) {
    stop_argument("y must be a numeric matrix, not NULL", "y", call)
  }
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_list(x, method, p, scale, cov, singular, from$coding, column_weights, call)
  names <- names_of(source_labels(x), source_labels(y))
  if (is.function(method)) {
    start <- begin_function(metric, list(x, y), settings, call)
    distances <- cdist_by(method, x, y, settings, call)
    dimnames(distances) <- names
    end_function("gpu_cdist", start)
    return(distances)
  }
  if (inherits(x, "gpu_hdf5") || inherits(y, "gpu_hdf5")) {
    distances <- dist_in_panels(x, y, metric, settings, call)
    dimnames(distances) <- names
    return(distances)
  }
  attributes <- list(dim = c(nrow(x), nrow(y)), dimnames = names)
  .Call(C_dist, list(x, y), c(metric, list(attributes = attributes)), settings, call)
}

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
#' @param method The metric: a name of [gpu_metric()], the beginning of a name, a metric with its
#'   parameters, such as `gpu_metric("mahalanobis", cov = s)`, or a function. The beginning of
#'   several names stands for the only metric of [stats::dist()] among them, if there is only one:
#'   `"b"` is `"binary"` and `"c"` is `"canberra"`.
#' @param metric Another name of `method`; only one of them may be given.
#' @param diag,upper As in [stats::dist()]: whether to print the diagonal and the upper triangle.
#' @param p The power of the Minkowski distance, positive; `Inf` gives `"maximum"`, with the same
#'   bits. Only `"minkowski"` uses it.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x` and `y` if these are
#'   objects that have such parts, see [gpu_inputs]. Arguments that follow have to be named in full.
#' @param backend,threads,device,progress,memory_limit Settings of the computation, see
#'   [gpu_settings].
#' @param precision `"double"` or `"single"`, see [gpu_settings].
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
#' `"braycurtis"`, `"hamming"`, `"jaccard"` and all measures of communities skip coordinates on the
#' CPU where points are zero, and take less time the fewer values are stored; other metrics take the
#' time of the dense matrix.
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
#' the last digits, with missing values or without, because their sums are rounded less often.
#'
#' @section Errors: Errors are conditions of class `"gpugeo_error"`, with the elements `message`,
#' `call`, `argument` (the name of the argument at fault, or `""`) and `code` (the status of
#' `gpugeo.h`: 1 a wrong argument, 2 data that do not allow the computation, 3 too little memory, 4
#' a backend or device that is not available, 5 a device that failed, 6 an interrupt that a hook
#' asked for, 7 a file that cannot be read or written). Text and complex
#' numbers are an error.
#'
#' @references
#' A. S. Arefin, C. Riveros, R. Berretta and P. Moscato (2012). Computing large-scale distance
#' matrices on GPU. *7th International Conference on Computer Science & Education*, section III.
#'
#' @seealso [gpu_metric()] for the metrics and their parameters, [stats::dist()], [stats::hclust()],
#'   [gpu_cor()], [gpu_info()]
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
#' d <- gpu_dist(iris, gpu_metric("gower", column_weights = c(1, 1, 1, 1, 2)))
#'
#' # A function as metric.
#' d <- gpu_dist(x[1:20, ], function(x, y) sum(abs(x - y) > 0.1))
#'
#' # A wrong argument.
#' tryCatch(gpu_dist(x, "minkowski", p = 0), gpugeo_error = conditionMessage)
#' @export
gpu_dist <- function(x, method = "euclidean", # nolint: cyclocomp_linter.
                     diag = FALSE, upper = FALSE, p = 2, ..., metric = NULL,
                     backend = NULL, threads = NULL, device = NULL, precision = NULL,
                     progress = NULL, memory_limit = NULL,
                     file = NULL, file_shape = "condensed", file_name = NULL,
                     file_precision = "double", keep = NULL) {
  call <- sys.call()
  if (!missing(x) && nargs() == 1L + !missing(method) && is_plain(x) &&
    (missing(method) || is_plain_metric(method))) {
    size <- dim(x)[1L]
    settings <- short_settings(as.double(length(x)) * size)
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
  power <- if (!missing(p)) list(p = p)
  metric <- metric_of(method, metric, missing(method), call, power)
  from$coding <- column_coding(x, metric, from)
  x <- points_of(x, "x", from)
  method <- metric$method
  if (!is.function(method)) {
    metric$method <- method <- .Call(C_metric, full_method(method), call)
  }
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_list(x, metric, from$coding, call)
  on_device <- keeps_on_device(keep, x, method, file, call)
  if (!is.null(file)) {
    if (is.function(method)) {
      stop_message("function with", "method", call, "method", "file")
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
    method = metric_name(method, expression), p = if (identical(method, "minkowski")) metric$p,
    call = match.call(), class = "dist"
  )
  if (on_device) {
    return(keep_distances(list(x), metric, attributes, settings, call))
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
gpu_cdist <- function(x, y, method = "euclidean", p = 2, ..., metric = NULL, backend = NULL,
                      threads = NULL, device = NULL, precision = NULL, progress = NULL,
                      memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x, y), memory_limit, call,
    panels = TRUE
  )
  power <- if (!missing(p)) list(p = p)
  metric <- metric_of(method, metric, missing(method), call, power)
  method <- metric$method
  from$coding <- column_coding(x, metric, from)
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  warn_of_columns(list(x, y), "y", method, call)
  if (is.null(y)) {
    stop_argument("y must be a numeric matrix, not NULL", "y", call)
  }
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_list(x, metric, from$coding, call)
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

#' Distances that stay on a device
#'
#' `gpu_dist(x, keep = "device")` computes the distances between the rows of a matrix and leaves
#' them in the memory of a CUDA device; [gpu_tom()] does so with those of genes. Functions that take
#' distances take what it returns: those that compute on the device read them there, and the others
#' copy what they need.
#'
#' @param x,m What `gpu_dist(x, keep = "device")` returned.
#' @param i,j Points, as numbers, labels or logical values: `x[i, j]` is the matrix of the distances
#'   between them, `x[i]` are elements of the lower triangle by columns.
#' @param drop Whether a matrix of one row or column becomes a vector.
#' @param diag,upper As in [stats::dist()].
#' @param object What `gpu_dist(x, keep = "device")` returned.
#' @param ... Not used.
#'
#' @details The distances are stored in condensed form: 8 bytes for each pair, or 4 with
#'   `precision = "single"`, which holds 270,000 points in 139 GiB. They are on one device, the
#'   current one or `device`. If that one has no room for them and `device` is `"all"`, equal parts
#'   are on all devices, which must be able to read each other's memory; a function that computes on
#'   one of these reads the parts of the others over the link between them. `as.dist()` returns what
#'   `gpu_dist(x)` returns, with the same bits.
#'
#'   The memory is freed when R collects the garbage after the last variable with the object is gone
#'   (`rm(d); gc()`), and by [gpu_release()], which frees that of all such objects. The distances
#'   cannot be used after that, in a process that was forked from this one, or in another session:
#'   each is an error. To keep them longer, take `as.dist()` or a [file][gpu_dist_file()].
#'
#' @return `gpu_dist(x, keep = "device")`: an object of class `"gpu_dist_device"`, a list with
#'   `size`, the number of points; `labels`; `metric`, the name of the metric; `precision`,
#'   `"double"` or `"single"`; `device`, the number of the device, or of the first of several; and
#'   `devices`, how many have parts of them. `length()` is the number of distances, `dim()` is that
#'   of the square matrix.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dist()], [gpu_dist_file()] for distances in a file
#'
#' @examplesIf gpu_info()$backends$available[gpu_info()$backends$backend == "cuda"]
#' d <- gpu_dist(iris[, 1:4], keep = "device")
#' d
#' d[1:3, 1:3]
#' gpu_hclust(d, "average")
#' all.equal(c(as.dist(d)), c(gpu_dist(iris[, 1:4])))
#' @name gpu_dist_device
NULL

# Computes distances that stay on a device: of inputs and options as C_dist_device_make takes them
# after the pointer. attributes: of the object of class "dist" that as.dist()
# makes of them.
keep_distances <- function(inputs, options, attributes, settings, call) {
  pointer <- .Call(C_dist_device_new)
  reg.finalizer(pointer, free_dist_device, onexit = TRUE)
  .Call(C_dist_device_make, c(list(pointer), inputs), options, settings, call)
  about <- .Call(C_dist_device_info, pointer)
  structure(
    list(
      pointer = pointer, size = about$size, labels = attributes$Labels, metric = about$metric,
      precision = about$precision, device = about$device, devices = about$devices,
      attributes = attributes
    ),
    class = "gpu_dist_device"
  )
}

# A finalizer in R: one in C would be a pointer into a library that may have been unloaded.
free_dist_device <- function(pointer) {
  if (state$loaded) .Call(C_dist_device_free, pointer)
}

# Checks the argument keep of gpu_dist(). True for "device".
keeps_on_device <- function(keep, x, method, file, call) {
  if (is.null(keep)) {
    return(FALSE)
  }
  if (!identical(keep, "device")) {
    stop_value(keep, "keep", "\"device\" or NULL", call)
  }
  if (is.function(method)) {
    stop_message("function with", "method", call, "method", "keep = \"device\"")
  }
  if (!is.null(file)) {
    stop_argument("file must be NULL with keep = \"device\"", "file", call)
  }
  if (inherits(x, "gpu_hdf5")) {
    stop_message("memory with", "x", call, "x", "keep = \"device\"")
  }
  TRUE
}

#' @rdname gpu_dist_device
#' @export
print.gpu_dist_device <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  check_stored(x, "x", sys.call())
  bytes <- .Call(C_dist_device_info, x$pointer)$bytes
  where <- if (x$devices == 1) {
    sprintf("CUDA device %d", x$device)
  } else {
    sprintf("%d CUDA devices", x$devices)
  }
  cat(sprintf("Distances (%s) of %.0f points on %s\n", x$metric, x$size, where))
  cat(
    if (is.null(bytes)) {
      "of another session"
    } else if (bytes == 0) {
      "released"
    } else {
      size <- structure(bytes, class = "object_size")
      sprintf("condensed, %s, %s", x$precision, format(size, units = "auto", standard = "IEC"))
    },
    "\n",
    sep = ""
  )
  invisible(x)
}

#' @rdname gpu_dist_device
#' @export
dim.gpu_dist_device <- function(x) {
  check_stored(x, "x", sys.call())
  c(x$size, x$size)
}

#' @rdname gpu_dist_device
#' @export
dimnames.gpu_dist_device <- function(x) {
  labels <- labels(x)
  if (!is.null(labels)) list(labels, labels)
}

#' @rdname gpu_dist_device
#' @export
labels.gpu_dist_device <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  check_stored(object, "object", sys.call())
  object$labels
}

#' @rdname gpu_dist_device
#' @export
length.gpu_dist_device <- function(x) {
  size <- if (is.list(x)) x$size
  if (is.double(size)) size * (size - 1) / 2 else NextMethod()
}

#' @rdname gpu_dist_device
#' @export
as.matrix.gpu_dist_device <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  x[, , drop = FALSE]
}

#' @rdname gpu_dist_device
#' @export
`[.gpu_dist_device` <- function(x, i, j, drop = TRUE) {
  call <- sys.call()
  check_stored(x, "x", call)
  if (nargs() - (!missing(drop)) == 2L && !missing(i)) {
    return(read_elements(x, i, call))
  }
  all <- seq_len(x$size)
  read_matrix(x, if (missing(i)) all else i, if (missing(j)) all else j, drop, call)
}

#' @rdname gpu_dist_device
#' @export
as.dist.gpu_dist_device <- function(m, diag = FALSE, upper = FALSE) {
  check_stored(m, "m", sys.call())
  attributes <- m$attributes
  if (!missing(diag)) attributes$Diag <- diag
  if (!missing(upper)) attributes$Upper <- upper
  .Call(C_dist_device_condensed, m$pointer, attributes, sys.call())
}

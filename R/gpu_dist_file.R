#' Distances in a file
#'
#' An object for a file of distances that [gpu_dist()] wrote with the argument `file`. Indexing it
#' reads only the distances that are selected.
#'
#' @param file The name of the file.
#' @param name The name of the dataset; `NULL`: `"dist"`, or `"matrix"` if there is no such dataset.
#' @param x,m,object An object of class `"gpu_dist_file"`.
#' @param i,j Rows and columns of the n by n matrix of distances: numbers, negative numbers, logical
#'   values or labels, as for a matrix. `i` alone: whole numbers between 1 and `length(x)`.
#' @param drop `TRUE`: a single row or column becomes a vector.
#' @param na.rm `TRUE` leaves out missing distances.
#' @param diag,upper As in [stats::as.dist()].
#' @param ... Not used. Of `min()`, `max()` and `range()`: the file, and `memory_limit`.
#' @param memory_limit The maximum working memory in bytes, at least 2^20. Distances are read in
#'   blocks of a quarter of it.
#'
#' @return An object of class `"gpu_dist_file"`. `x[i, j]` is a matrix of distances, `x[i, ]` a
#'   vector of those of one point to all. `as.matrix(x)` is all of them. `length(x)` and `x[i]` are
#'   those of an object of class `"dist"`: n (n - 1) / 2, and the i-th distances of the lower
#'   triangle by columns.
#'
#'   `range()`, `min()` and `max()` read the file in blocks, as does `summary()`, which returns a
#'   list with the elements `size`, `metric`, `file`, `min`, `mean`, `max` and `missing`, the number
#'   of missing distances.
#'
#'   `as.dist(x)` reads the whole file into an object of class `"dist"`. [stats::hclust()] and other
#'   functions that need one raise an error for `x` itself that names `as.dist()`. For more points
#'   than fit into memory, [gpu_knn()] and [gpu_neighbor_graph()] compute what clustering by
#'   neighbours needs. [gpu_hclust()] reads a file itself.
#'
#' @details The file is plain HDF5: a dataset `/dist` of the n (n - 1) / 2 distances of the lower
#'   triangle by columns, as in an object of class `"dist"`, or `/matrix` of all n by n. Its
#'   attributes are `size` (n), `metric` and, where the points have names, `labels`.
#'   `HDF5Array::HDF5Array(file, "matrix")` reads it as a matrix, and Octave's `load` reads it, too.
#'
#'   On Linux, disk space for the whole file is allocated first: a full disk is an error
#'   before the computation. If a call is stopped by Ctrl-C or a full disk, or the process is
#'   killed, the file keeps the tiles that were written, which the dataset `/tiles_done` counts. The
#'   same call then continues with the first missing tile. If none is missing, it only opens the
#'   file. A file with other distances, or with something else, is an error and stays as it is.
#'
#' @examplesIf nzchar(gpugeo::gpu_hdf5_version())
#' file <- tempfile(fileext = ".h5")
#' d <- gpu_dist(quakes[, 1:3], file = file)
#' d
#' d[1:3, 1:3]
#' range(d[17, ])
#' summary(d)
#' hclust(as.dist(d), "average")
#' @export
gpu_dist_file <- function(file, name = NULL) {
  open_dist_file(expand(file), name, sys.call())
}

open_dist_file <- function(file, name, call) {
  about <- .Call(C_dist_file_info, file, name, call)
  # hclust() and other functions convert the attribute of a dist first.
  size <- structure(about$size, class = "gpu_dist_file_size")
  structure(c(list(file = normalizePath(file)), about), class = "gpu_dist_file", Size = size)
}

#' @rdname gpu_dist_file
#' @export
print.gpu_dist_file <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  check_stored(x, "x", sys.call())
  unit <- if (x$precision == "double") 8 else 4
  values <- if (x$shape == "square") x$size^2 else x$size * (x$size - 1) / 2
  cat(sprintf("Distances (%s) of %.0f points in %s\n", x$metric, x$size, x$file))
  cat(sprintf(
    "/%s: %s, %s, %s\n", x$name, x$shape, x$precision,
    format(structure(values * unit, class = "object_size"), units = "auto", standard = "IEC")
  ))
  if (x$tiles_done < x$tiles) {
    cat(sprintf("Not complete: %.0f of %.0f tiles are there\n", x$tiles_done, x$tiles))
  }
  invisible(x)
}

#' @rdname gpu_dist_file
#' @export
dim.gpu_dist_file <- function(x) {
  check_stored(x, "x", sys.call())
  c(x$size, x$size)
}

#' @rdname gpu_dist_file
#' @export
dimnames.gpu_dist_file <- function(x) {
  labels <- labels(x)
  if (!is.null(labels)) list(labels, labels)
}

#' @rdname gpu_dist_file
#' @export
labels.gpu_dist_file <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  check_stored(object, "object", sys.call())
  object$labels
}

#' @rdname gpu_dist_file
#' @export
as.matrix.gpu_dist_file <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  x[, , drop = FALSE]
}

#' @rdname gpu_dist_file
#' @export
`[.gpu_dist_file` <- function(x, i, j, drop = TRUE) {
  call <- sys.call()
  check_stored(x, "x", call)
  if (nargs() - (!missing(drop)) == 2L && !missing(i)) {
    return(read_elements(x, i, call))
  }
  all <- seq_len(x$size)
  read_matrix(x, if (missing(i)) all else i, if (missing(j)) all else j, drop, call)
}

# Returns the matrix of the distances between points, as indices of the rows and columns of x.
read_matrix <- function(x, i, j, drop, call) {
  rows <- point_numbers(i, x, "i", call)
  columns <- point_numbers(j, x, "j", call)
  values <- read_pairs(x, rows, columns, call)
  if (!is.null(x$labels)) {
    dimnames(values) <- list(x$labels[rows], x$labels[columns])
  }
  if (drop) drop(values) else values
}

# Reads the distances between points, given by their numbers, from a file or a device.
read_pairs <- function(x, rows, columns, call) {
  if (inherits(x, "gpu_dist_device")) {
    return(.Call(C_dist_device_read, x$pointer, rows, columns, call))
  }
  .Call(C_dist_file_read, x$file, x$name, rows, columns, call)
}

#' @rdname gpu_dist_file
#' @export
length.gpu_dist_file <- function(x) {
  size <- if (is.list(x)) x$size
  if (is.double(size)) size * (size - 1) / 2 else NextMethod()
}

#' @rdname gpu_dist_file
#' @importFrom stats as.dist
#' @export
as.dist.gpu_dist_file <- function(m, diag = FALSE, upper = FALSE) {
  check_stored(m, "m", sys.call())
  structure(
    .Call(C_dist_file_condensed, m$file, m$name, sys.call()),
    Size = as.integer(m$size), Labels = m$labels, Diag = diag, Upper = upper, method = m$metric,
    call = match.call(), class = "dist"
  )
}

#' @rdname gpu_dist_file
#' @export
summary.gpu_dist_file <- function(object, ..., memory_limit = NULL) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  found <- list(min = Inf, max = -Inf, sum = 0, missing = 0)
  each_file_block(object, memory_limit, sys.call(), function(values) {
    there <- values[!is.na(values)]
    found$min <<- min(found$min, there)
    found$max <<- max(found$max, there)
    found$sum <<- found$sum + sum(there)
    found$missing <<- found$missing + length(values) - length(there)
  })
  count <- length(object) - found$missing
  about <- unclass(object)[c("size", "metric", "file")]
  some <- function(value) if (count > 0) value else NA_real_
  structure(
    c(about, list(
      min = some(found$min), mean = some(found$sum / count), max = some(found$max),
      missing = found$missing
    )),
    class = "summary.gpu_dist_file"
  )
}

#' @export
print.summary.gpu_dist_file <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), print_arguments)
  cat(sprintf("Distances (%s) of %.0f points in %s\n", x$metric, x$size, x$file))
  print(c(Min. = x$min, Mean = x$mean, Max. = x$max), ...)
  if (x$missing > 0) {
    cat(sprintf("%.0f are missing\n", x$missing))
  }
  invisible(x)
}

#' @rdname gpu_dist_file
#' @export
#' @method Summary gpu_dist_file
Summary.gpu_dist_file <- function(..., na.rm = FALSE, memory_limit = NULL) { # nolint: as generic
  if (!.Generic %in% c("min", "max", "range")) {
    refuse_file(sprintf("%s()", .Generic), sys.call())
  }
  refuse_dots(match.call(expand.dots = FALSE)$...[-1L], sys.call())
  x <- ..1
  found <- numeric()
  each_file_block(x, memory_limit, sys.call(), function(values) {
    values <- if (na.rm) values[!is.na(values)] else values
    if (length(values)) found <<- range(found, values)
  })
  match.fun(.Generic)(found)
}

#' @rdname gpu_dist_file
#' @importFrom utils str
#' @export
str.gpu_dist_file <- function(object, ...) {
  shared <- names(formals(utils::getS3method("str", "default")))
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), shared)
  check_stored(object, "object", sys.call())
  cat(sprintf(
    " 'gpu_dist_file': %.0f distances (%s) of %.0f points in \"%s\", /%s\n", length(object),
    object$metric, object$size, object$file, object$name
  ))
}

#' @export
#' @method Ops gpu_dist_file
Ops.gpu_dist_file <- function(e1, e2) refuse_file(sprintf("`%s`", .Generic), sys.call())

#' @export
#' @method Math gpu_dist_file
Math.gpu_dist_file <- function(x, ...) refuse_file(sprintf("%s()", .Generic), sys.call())

# hclust() converts the size before all else.
#' @export
as.integer.gpu_dist_file_size <- function(x, ...) {
  refuse_file("this function", sys.call(-1L))
}

refuse_file <- function(what, call) {
  stop_argument(paste(
    what, "needs distances in memory, not in a file: as.dist(x) reads them all, x[i, j] some"
  ), "x", call)
}

# Calls fun with the distances of the lower triangle, in blocks of columns.
each_file_block <- function(x, memory_limit, call, fun) {
  check_stored(x, "x", call)
  limit <- setting("memory_limit", memory_limit, 2^28)
  if (!is.numeric(limit) || length(limit) != 1L || !isTRUE(limit >= 2^20)) {
    stop_value(limit, "memory_limit", "a number of bytes of at least 2^20", call)
  }
  width <- max(1, floor(limit / 4 / 8 / max(x$size, 1)))
  for (first in if (x$size > 1) seq(1, x$size - 1, by = width)) {
    columns <- as.double(seq(first, min(first + width, x$size) - 1))
    rows <- as.double(seq(first + 1, x$size))
    values <- .Call(C_dist_file_read, x$file, x$name, rows, columns, call)
    fun(values[outer(rows, columns, ">")])
  }
}

# Returns elements of the lower triangle by columns: those of a column are read together.
read_elements <- function(x, index, call) {
  count <- length(x)
  if (!is.numeric(index) || !isTRUE(all(index >= 1 & index <= count & index == floor(index)))) {
    stop_argument(sprintf(
      "i must be whole numbers between 1 and %.0f, the number of distances, not %s", count,
      show_value(index)
    ), "i", call)
  }
  column <- seq_len(max(x$size - 1, 0))
  before <- (column - 1) * x$size - column * (column - 1) / 2
  columns <- findInterval(index - 1, before)
  rows <- index - before[columns] + columns
  values <- numeric(length(index))
  for (at in split(seq_along(index), columns)) {
    values[at] <- read_pairs(x, as.double(rows[at]), as.double(columns[at[1L]]), call)
  }
  values
}

# Returns the points that an index selects, as for a matrix.
point_numbers <- function(index, x, argument, call) {
  all <- seq_len(x$size)
  if (is.character(index)) {
    numbers <- match(index, x$labels)
  } else if (is.logical(index) && length(index) > length(all)) {
    numbers <- NA
  } else {
    numbers <- all[index]
  }
  if (anyNA(numbers)) {
    message <- sprintf("%s must be points between 1 and %.0f, or their labels", argument, x$size)
    stop_argument(message, argument, call)
  }
  as.double(numbers)
}

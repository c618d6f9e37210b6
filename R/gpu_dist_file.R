#' Distances in a file
#'
#' An object for a file of distances that [gpu_dist()] wrote with the argument `file`. Indexing it
#' reads only the distances that are selected.
#'
#' @param file The name of the file.
#' @param name The name of the dataset; `NULL`: `"dist"`, or `"matrix"` if there is no such dataset.
#' @param x,object An object of class `"gpu_dist_file"`.
#' @param i,j Rows and columns of the n by n matrix of distances: numbers, negative numbers, logical
#'   values or labels, as for a matrix.
#' @param drop `TRUE`: a single row or column becomes a vector.
#' @param ... Not used.
#'
#' @return An object of class `"gpu_dist_file"`. `x[i, j]` is a matrix of distances, `x[i, ]` a
#'   vector of those of one point to all. `as.matrix(x)` is all of them.
#'
#' @details The file is plain HDF5: a dataset `/dist` of the n (n - 1) / 2 distances of the lower
#'   triangle by columns, as in an object of class `"dist"`, or `/matrix` of all n by n. Its
#'   attributes are `size` (n), `metric` and, where the points have names, `labels`.
#'   `HDF5Array::HDF5Array(file, "matrix")` reads it as a matrix, and Octave's `load` reads it, too.
#'
#'   On Linux, disk space for the whole file is allocated first, so that a full disk is an error
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
#' @export
gpu_dist_file <- function(file, name = NULL) {
  open_dist_file(expand(file), name, sys.call())
}

open_dist_file <- function(file, name, call) {
  about <- .Call(C_dist_file_info, file, name, call)
  structure(c(list(file = normalizePath(file)), about), class = "gpu_dist_file")
}

#' @rdname gpu_dist_file
#' @export
print.gpu_dist_file <- function(x, ...) {
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
dim.gpu_dist_file <- function(x) c(x$size, x$size)

#' @rdname gpu_dist_file
#' @export
dimnames.gpu_dist_file <- function(x) if (!is.null(x$labels)) list(x$labels, x$labels)

#' @rdname gpu_dist_file
#' @export
labels.gpu_dist_file <- function(object, ...) object$labels

#' @rdname gpu_dist_file
#' @export
as.matrix.gpu_dist_file <- function(x, ...) x[, , drop = FALSE]

#' @rdname gpu_dist_file
#' @export
`[.gpu_dist_file` <- function(x, i, j, drop = TRUE) {
  call <- sys.call()
  if (nargs() - (!missing(drop)) != 3L) {
    stop_argument(
      "distances in a file must be asked for by rows and columns, as in x[i, j]", "i", call
    )
  }
  rows <- if (missing(i)) as.double(seq_len(x$size)) else point_numbers(i, x, "i", call)
  columns <- if (missing(j)) as.double(seq_len(x$size)) else point_numbers(j, x, "j", call)
  values <- .Call(C_dist_file_read, x$file, x$name, rows, columns, call)
  if (!is.null(x$labels)) {
    dimnames(values) <- list(x$labels[rows], x$labels[columns])
  }
  if (drop) drop(values) else values
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

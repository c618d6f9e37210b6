#' Points in an HDF5 file
#'
#' A matrix of points that may be larger than memory: a dataset of an HDF5 file, which [gpu_dist()],
#' [gpu_cdist()] and [gpu_dist_tiles()] read in panels of rows. See [gpu_inputs] for an `HDF5Matrix`
#' of the package HDF5Array, and for the functions that read points as a whole.
#'
#' @param file The name of the file.
#' @param name The name of a dataset of numbers in two dimensions. Its rows, as R reads it, are the
#'   points; they are the second dimension in the file.
#' @param x What `gpu_hdf5()` returned.
#' @param ... Not used.
#'
#' @return An object of class `"gpu_hdf5"`, the list of both.
#'
#' @examplesIf nzchar(gpugeo::gpu_hdf5_version()) && requireNamespace("rhdf5", quietly = TRUE)
#' file <- tempfile(fileext = ".h5")
#' rhdf5::h5createFile(file)
#' rhdf5::h5write(as.matrix(iris[, 1:4]), file, "flowers")
#' x <- gpu_hdf5(file, "flowers")
#' dim(x)
#' d <- gpu_dist(x, "manhattan", memory_limit = 2^20)
#' all.equal(c(d), c(dist(iris[, 1:4], "manhattan")))
#' @export
gpu_hdf5 <- function(file, name) {
  call <- sys.call()
  x <- structure(list(file = expand(file), name = name), class = "gpu_hdf5")
  rename_argument("x", "file", .Call(C_point_source_size, x, call))
  x
}

#' @rdname gpu_hdf5
#' @export
dim.gpu_hdf5 <- function(x) {
  call <- sys.call()
  check_hdf5(x, "x", call)
  .Call(C_point_source_size, x, call)
}

#' @rdname gpu_hdf5
#' @export
print.gpu_hdf5 <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  size <- dim(x)
  cat(sprintf("%.0f points of %.0f coordinates in %s, %s\n", size[1L], size[2L], x$file, x$name))
  invisible(x)
}

#' @rdname gpu_hdf5
#' @description `gpu_hdf5_version()` returns the version of the HDF5 library in use, `""` if gpugeo
#'   was built without it.
#' @export
gpu_hdf5_version <- function() .Call(C_hdf5_version)

# Raises an error if an object of class "gpu_hdf5" does not have the form in which it was made.
check_hdf5 <- function(x, name, call) {
  if (!is.list(x) || !is_string(x$file) || !is_string(x$name)) {
    stop_argument(sprintf(
      "%s must be points that gpu_hdf5() returned, not an object that was changed or made by hand",
      name
    ), name, call)
  }
}

# Names of no rows, which package Matrix keeps, are none.
source_labels <- function(x) {
  labels <- if (inherits(x, "gpu_hdf5")) x$labels else dimnames(x)[[1L]]
  if (length(labels)) labels
}

# Returns the numbers of rows and columns; the core refuses what is not a matrix.
source_size <- function(x, call) {
  if (inherits(x, "gpu_hdf5")) .Call(C_point_source_size, x, call) else c(NROW(x), NCOL(x))
}

# Returns a file's name with ~ expanded; the core refuses what is not a name.
expand <- function(file) if (is.character(file)) path.expand(file) else file

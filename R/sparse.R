# True for objects of package Matrix that are of one of its classes.
is_matrix_class <- function(x, class) {
  isS4(x) && identical(attr(class(x), "package"), "Matrix") &&
    requireNamespace("Matrix", quietly = TRUE) && methods::is(x, class)
}

# True for sparse matrices of package Matrix.
is_sparse <- function(x) is_matrix_class(x, "sparseMatrix")

# Raises an error if the conversion of a matrix takes more bytes than the memory limit of the call,
# if it has one, or than there are.
check_room <- function(bytes, argument, purpose, from) {
  limit <- setting("memory_limit", from$memory_limit, NULL)
  if (is.numeric(limit) && isTRUE(bytes > limit)) {
    stop_argument(sprintf(
      "memory_limit must be at least %.0f bytes for %s %s, not %.0f", bytes, argument, purpose,
      limit
    ), "memory_limit", from$call)
  }
  .Call(C_check_memory, bytes, paste(argument, purpose), argument, from$call)
}

# Raises an error if an object of package Matrix has slots that do not fit together, which its
# conversions do not check.
check_valid <- function(x, argument, call) {
  problem <- methods::validObject(x, test = TRUE)
  if (!isTRUE(problem)) {
    stop_argument(sprintf(
      "%s must be a valid object of class \"%s\", but %s", argument, class(x)[1L], problem[1L]
    ), argument, call)
  }
}

# Returns a sparse matrix that is compressed by columns or rows and has all its elements: neither
# one triangle of them nor a diagonal that is not stored.
#
# from  has the call and its memory limit, as input_reader() returns them
compress_sparse <- function(x, argument, from) {
  if (!methods::is(x, "CsparseMatrix") && !methods::is(x, "RsparseMatrix")) {
    stored <- if (methods::.hasSlot(x, "i")) length(x@i) else nrow(x)
    bytes <- 16 * as.double(nrow(x)) + 4 * as.double(ncol(x)) + 24 * stored # Matrix's work space
    check_room(bytes, argument, "to be compressed by columns", from)
    x <- methods::as(x, "CsparseMatrix")
  }
  methods::as(x, "generalMatrix")
}

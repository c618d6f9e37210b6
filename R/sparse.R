# True for sparse matrices of package Matrix.
is_sparse <- function(x) {
  isS4(x) && identical(attr(class(x), "package"), "Matrix") &&
    requireNamespace("Matrix", quietly = TRUE) && methods::is(x, "sparseMatrix")
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
compress_sparse <- function(x) {
  if (!methods::is(x, "CsparseMatrix") && !methods::is(x, "RsparseMatrix")) {
    x <- methods::as(x, "CsparseMatrix")
  }
  methods::as(x, "generalMatrix")
}

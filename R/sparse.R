# True for sparse matrices of package Matrix.
is_sparse <- function(x) {
  isS4(x) && identical(attr(class(x), "package"), "Matrix") &&
    requireNamespace("Matrix", quietly = TRUE) && methods::is(x, "sparseMatrix")
}

# Returns a sparse matrix that is compressed by columns or rows and has all its elements: neither
# one triangle of them nor a diagonal that is not stored.
compress_sparse <- function(x) {
  if (!methods::is(x, "CsparseMatrix") && !methods::is(x, "RsparseMatrix")) {
    x <- methods::as(x, "CsparseMatrix")
  }
  methods::as(x, "generalMatrix")
}

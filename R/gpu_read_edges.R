#' Read a list of edges
#'
#' Reads the edges of a graph from a text file, plain or compressed by gzip: a list of edges, or a
#' matrix in the Matrix Market format.
#'
#' @param path Of a file with an edge in each line: two whole numbers and perhaps a weight, between
#'   blanks, tabs or commas. Empty lines and those that begin with `#` or `%` are left out. The
#'   first line may contain the numbers of vertices and of edges: it is read as such if its second
#'   number is the number of lines that follow, and no vertex is larger than its first number. Or of
#'   a file in the Matrix Market format, see there. It must be a regular file, not a pipe.
#' @param first The number of the first vertex, 0 or 1; `NULL`: 0 if a vertex has that number, else
#'   1.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_dist
#' @param memory_limit The maximum memory in bytes for the edges while they are read, 32 bytes each.
#'   The default is the memory of the machine.
#'
#' @return A data frame with a row for each edge and the columns `from` and `to`, numbers as in the
#'   file, and `weight` if the file has weights. The attributes `vertices`, the number of
#'   vertices, and `first` give [gpu_layout()] the vertices without an edge.
#'
#' @section Matrix Market:
#' A file whose first line begins with `%%MatrixMarket` is a sparse matrix: `coordinate`, with
#' `pattern`, `real` or `integer`, and `general` or `symmetric`. The matrix must be square. Each
#' entry of the file is an edge, and its value the weight, which must be at least 0. Vertices are
#' numbered from 1. A `general` matrix that has an entry and its mirror image has two edges there,
#' whose weights add up in [gpu_layout()].
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_layout()], which takes the path of such a file as well.
#'
#' @examples
#' file <- tempfile()
#' writeLines(c("# a triangle, and a vertex by itself", "4 3", "0 1", "1 2", "0 2"), file)
#' edges <- gpu_read_edges(file)
#' edges
#' attr(edges, "vertices")
#' @export
gpu_read_edges <- function(path, first = NULL, ..., progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Edges")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update, memory_limit = memory_limit)
  file <- .Call(C_edges, list(path), list(first = first), settings, call)
  columns <- file[c("from", "to", if (!is.null(file$weight)) "weight")]
  structure(
    columns,
    row.names = .set_row_names(length(file$from)), class = "data.frame",
    vertices = file$vertices, first = file$first
  )
}

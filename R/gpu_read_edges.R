#' Read a list of edges
#'
#' Reads the edges of a graph from a text file, plain or compressed by gzip.
#'
#' @param path Of a file with an edge in each line: two whole numbers and perhaps a weight, between
#'   blanks, tabs or commas. Empty lines and those that begin with `#` or `%` are left out. The
#'   first line may tell the numbers of vertices and of edges: it is taken for that when as many
#'   lines follow as its second number says, and no vertex is beyond its first.
#' @param first The number of the first vertex, 0 or 1; `NULL`: 0 if a vertex has that number, else
#'   1.
#' @inheritParams gpu_dist
#'
#' @return A data frame with a row for each edge and the columns `from` and `to`, numbers as in the
#'   file, and `weight` if the file has weights. Its attributes `vertices`, how many there are, and
#'   `first` tell [gpu_layout()] which vertices have no edge.
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
gpu_read_edges <- function(path, first = NULL, ...) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  file <- .Call(C_edges, path, first, call)
  columns <- file[c("from", "to", if (!is.null(file$weight)) "weight")]
  structure(
    columns,
    row.names = .set_row_names(length(file$from)), class = "data.frame",
    vertices = file$vertices, first = file$first
  )
}

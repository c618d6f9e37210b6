#' Files of layouts
#'
#' `gpu_write_graph()` writes a layout and the edges of its graph as GraphML, which igraph, Gephi,
#' yEd, NetworkX and other programs read, or as CX2, which Cytoscape and NDEx read. It writes the
#' edges alone in a binary format that [gpu_read_edges()] reads faster than text.
#'
#' @param x A layout that [gpu_layout()] returned; with `format = "csr"` also a graph as in
#'   [gpu_layout()].
#' @param file The name of the file. A file that exists is replaced when the new one is complete.
#' @param format `"graphml"`, `"cx2"` or `"csr"`; `"auto"`: CX2 or CSR if the name of the file ends
#'   in `.cx2` or `.csr`, else GraphML.
#' @param ... Must be empty.
#'
#' @return The name of the file, invisibly.
#'
#' @details Vertices have the attributes `x`, `y` and, in space, `z`, and `name` if the graph has
#'   names; edges have `weight` if the graph has weights. Numbers are written with 17 digits, which
#'   keep all their bits. Text is UTF-8. CX2 is Cytoscape Exchange format 2, a JSON document, in
#'   which positions belong to the format, and vertices and edges are numbered from 1.
#'
#' @section Compressed sparse rows:
#' A file of `format = "csr"` has the number of vertices, the edges and their weights, without
#' names and positions. Edges are sorted by their first vertex; those with the same first vertex
#' stay in their order. Its numbers have the byte order of the machine: the 8 bytes `89 47 47 43 53
#' 52 0d 0a`; 32-bit integers, 16909060 for the byte order and 1, the version; 64-bit integers, the
#' numbers of vertices and of edges; 32-bit integers, the number of the first vertex, and 1 if there
#' are weights, else 0; for each vertex the number of edges before its own as a 64-bit integer, then
#' the number of all edges; for each edge the second vertex as a 32-bit integer, numbered from 0;
#' zeros up to a multiple of 8 bytes; weights as doubles.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_layout()]; [gpu_read_edges()] reads files of edges.
#'
#' @examples
#' x <- gpu_layout(data.frame(c("A", "B", "C"), c("B", "C", "A")), seed = 1)
#' file <- gpu_write_graph(x, tempfile(fileext = ".graphml"))
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   graph <- igraph::read_graph(file, "graphml")
#'   igraph::V(graph)$x
#' }
#'
#' # The edges of a graph that is read often.
#' file <- gpu_write_graph(cbind(1:3, c(2, 3, 1)), tempfile(fileext = ".csr"), format = "csr")
#' gpu_read_edges(file)
#' @export
gpu_write_graph <- function(x, file, format = "auto", ...) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  if (identical(format, "csr") && !is_layout(x)) {
    inputs <- list(as_graph(x, NULL, call), matrix(0, 0L, 0L), NULL)
  } else {
    check_layout(x, "x", call)
    inputs <- list(attr(x, "graph"), layout_positions(x), rownames(x))
  }
  settings <- run_settings(progress = FALSE)
  .Call(C_graph_write, inputs, list(file = file, format = format), settings, call)
  invisible(file)
}

#' Files of layouts
#'
#' `gpu_write_graph()` writes a layout and the edges of its graph as GraphML, which igraph, Gephi,
#' yEd, NetworkX and other programs read, or as CX2, which Cytoscape and NDEx read.
#'
#' @param x A layout that [gpu_layout()] returned.
#' @param file The name of the file. A file that exists is replaced when the new one is complete.
#' @param format `"graphml"` or `"cx2"`; `"auto"`: CX2 if the name of the file ends in `.cx2`, else
#'   GraphML.
#' @param ... Must be empty.
#'
#' @return The name of the file, invisibly.
#'
#' @details Vertices have the attributes `x`, `y` and, in space, `z`, and `name` if the graph has
#'   names; edges have `weight` if the graph has weights. Numbers are written with 17 digits, which
#'   keep all their bits. Text is UTF-8. CX2 is Cytoscape Exchange format 2, a JSON document, in
#'   which positions belong to the format, and vertices and edges are numbered from 1.
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
#' @export
gpu_write_graph <- function(x, file, format = "auto", ...) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  check_layout(x, "x", call)
  inputs <- list(attr(x, "graph"), layout_positions(x), rownames(x))
  settings <- run_settings(progress = FALSE)
  .Call(C_graph_write, inputs, list(file = file, format = format), settings, call)
  invisible(file)
}

#' Layouts in ggraph
#'
#' With gpugeo attached, `ggraph::ggraph(graph, layout = "gpu_layout")` draws a graph by
#' [gpu_layout()]. ggraph finds `layout_tbl_graph_gpu_layout()` by its name; it is not for other
#' use.
#'
#' @param graph A graph of tidygraph or igraph.
#' @param circular Must be `FALSE`.
#' @param ... Arguments of [gpu_layout()].
#'
#' @return A data frame with a row for each vertex: its position, `x` and `y`, `circular`, and the
#'   attributes of the vertex.
#'
#' @seealso [gpu_layout()]
#'
#' @examplesIf requireNamespace("ggraph", quietly = TRUE)
#' graph <- igraph::make_graph("Zachary")
#' ggraph::ggraph(graph, layout = "gpu_layout", seed = 1) +
#'   ggraph::geom_edge_link(colour = "grey70") + ggraph::geom_node_point() +
#'   ggraph::theme_graph(base_family = "sans")
#' @export
layout_tbl_graph_gpu_layout <- function(graph, circular = FALSE, ...) {
  call <- sys.call()
  if (!identical(circular, FALSE)) {
    stop_value(circular, "circular", "FALSE", call)
  }
  positions <- layout_positions(gpu_layout(graph, ...))
  nodes <- data.frame(positions, circular = rep(FALSE, nrow(positions)), row.names = NULL)
  others <- igraph::as_data_frame(graph, "vertices")
  cbind(nodes, others[setdiff(names(others), names(nodes))], row.names = NULL)
}

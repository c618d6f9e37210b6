#' Distances between the vertices of a graph
#'
#' Computes the lengths of shortest paths from some vertices, or from all, to all vertices.
#'
#' @inheritParams gpu_layout
#' @inheritParams gpu_settings
#' @param from Vertices from which distances are computed: their numbers, or names. `NULL`: all.
#' @param lengths The length of each edge, positive and finite. `NULL`: 1 for each edge, so that
#'   distances are numbers of edges. `"weights"` takes the weights of the graph: the edge attribute
#'   `weight` of igraph objects, the column of weights, or the elements of an adjacency matrix.
#' @param ... Not used. Arguments that follow have to be named in full.
#'
#' @return A matrix with a row for each vertex of `from` and a column for each vertex of the graph,
#'   with their names if the vertices have names, as `igraph::distances()` returns it. `Inf` where
#'   there is no path, or where its length is beyond the range of numbers.
#'
#' @details Edges have no direction. Of several edges between two vertices the shortest counts, and
#'   the weights of the graph are ignored unless they are the lengths. Without lengths, searches
#'   breadth-first start from 64 vertices at a time. With lengths, Dijkstra's algorithm starts from
#'   each vertex; on a GPU the algorithm of Bellman and Ford starts from 64 vertices at a time.
#'
#'   The result has the same bits on any number of threads and on any backend. Lengths are added
#'   from the vertex in `from` on. If sums are rounded, the distances of two vertices in both
#'   directions may differ in their last bits.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' E. W. Dijkstra (1959). A note on two problems in connexion with graphs. *Numerische Mathematik*
#' 1, 269-271.
#'
#' M. Then, M. Kaufmann, F. Chirigati, T.-A. Hoang-Vu, K. Pham, A. Kemper, T. Neumann and H. T. Vo
#' (2014). The more the merrier: efficient multi-source graph traversal. *Proceedings of the VLDB
#' Endowment* 8, 449-460.
#'
#' @seealso [gpu_layout()]
#'
#' @examples
#' ring <- cbind(1:12, c(2:12, 1))
#' gpu_graph_distances(ring, from = c(1, 7))
#'
#' roads <- data.frame(from = c("A", "B", "A"), to = c("B", "C", "C"), weight = c(2, 3, 9))
#' gpu_graph_distances(roads, "A")
#' gpu_graph_distances(roads, "A", lengths = "weights")
#' gpu_graph_distances(roads, "A", lengths = c(2, 3, 4))
#'
#' # Clusters of vertices.
#' gpu_pam(as.dist(gpu_graph_distances(ring)), 3)$clustering
#' @export
gpu_graph_distances <- function(graph, from = NULL, lengths = NULL, ..., backend = NULL,
                                threads = NULL, device = NULL, progress = NULL,
                                memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  graph <- graph_with_lengths(graph, lengths, call)
  sources <- as_sources(from, graph, call)
  bar <- progress_bar("Graph distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  options <- list(from = sources, lengths = graph$lengths)
  result <- .Call(C_graph_distances, list(graph), options, settings, call)
  if (!is.null(graph$names)) {
    rows <- if (is.null(sources)) graph$names else graph$names[sources]
    dimnames(result) <- list(rows, graph$names)
  }
  result
}

# Returns a graph without weights whose vertices are numbered from 1, with the element `lengths`:
# NULL or numbers.
graph_with_lengths <- function(graph, lengths, call) {
  by_weights <- identical(lengths, "weights")
  if (by_weights && identical(attr(graph, "values"), "distance")) {
    attr(graph, "values") <- NULL # the values of gpu_neighbor_graph() are no weights
  }
  made <- as_graph(graph, NULL, call)
  if (made$first == 0L) {
    made$edges <- made$edges + 1L
    made$first <- 1L
  }
  if (by_weights && is.null(made$weights)) {
    stop_message("no weights", "lengths", call)
  } else if (!by_weights && !is.null(lengths) && made$is_adjacency) {
    stop_message("lengths of edges", "lengths", call)
  }
  made["lengths"] <- list(if (by_weights) made$weights else numbers_of(lengths, "lengths", call))
  made["weights"] <- list(NULL)
  made
}

# Returns the numbers of vertices, from 1, or NULL; the core refuses wrong numbers.
as_sources <- function(from, graph, call, argument = "from") {
  if (is.factor(from)) {
    from <- as.character(from)
  }
  if (!is.character(from)) {
    return(numbers_of(from, argument, call))
  }
  numbers <- match(from, graph$names)
  if (anyNA(numbers)) {
    stop_argument(sprintf(
      "%s must be numbers%s of vertices, not %s", argument,
      if (is.null(graph$names)) "" else " or names",
      show_value(from[is.na(numbers)][1L])
    ), argument, call)
  }
  as.double(numbers)
}

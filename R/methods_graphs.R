#' Methods for neighbours and edges
#'
#' How results of [gpu_knn()], [gpu_radius()], [gpu_mst()] and [gpu_neighbor_graph()] are printed,
#' summarized and drawn.
#'
#' @param x,object What one of these functions returned.
#' @param y The points, a matrix or data frame with a row for each, or an ordination or layout of
#'   them; of more than two columns the principal components are drawn. `NULL`: positions by
#'   [gpu_layout()] of the edges.
#' @param n The number of rows to print.
#' @param labels As in the plots of [layouts][layout_class].
#' @param row.names,optional As in [as.data.frame()].
#' @param ... Of `plot()`: arguments of the plot of [layouts][layout_class], such as `edge_col` and
#'   `col`. Otherwise not used.
#'
#' @return `as.data.frame()` of neighbours returns a data frame with a row for each pair: `point`,
#'   `neighbor` and `distance`; that of edges is the data frame alone. `summary()` of neighbours
#'   returns the quartiles of the number of neighbours and of their distances in a list; that of
#'   edges a data frame with the numbers of `vertices`, `edges` and `components`. `plot()` and
#'   `print()` return `x`, invisibly.
#'
#' @details Neighbours of a `query` cannot be drawn: they are not the edges of a graph of one set of
#'   points.
#'
#' @seealso [gpu_knn()], [gpu_radius()], [gpu_mst()], [gpu_neighbor_graph()], [layout_class]
#'
#' @examples
#' tree <- gpu_mst(USArrests)
#' summary(tree)
#' plot(tree, USArrests)
#' nearest <- gpu_knn(iris[, 1:4], 4)
#' head(as.data.frame(nearest))
#' plot(nearest, iris[, 1:4], col = iris$Species)
#' @name edges_class
NULL

# Returns edges between points as an object of class "gpu_edges", a data frame.
as_edges <- function(edges, vertices) {
  structure(
    edges, vertices = as.integer(vertices), first = 1L, class = c("gpu_edges", "data.frame")
  )
}

# Returns the number of vertices of edges, which are fewer attributes after `[`.
edge_vertices <- function(x) {
  known <- attr(x, "vertices")
  if (is.null(known)) max(0L, unlist(x[1:2])) else known
}

#' @rdname edges_class
#' @export
as.data.frame.gpu_edges <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  plain <- as.list(x)[names(x)]
  attributes(plain) <- list(
    names = names(x), row.names = if (is.null(row.names)) attr(x, "row.names") else row.names,
    class = "data.frame"
  )
  plain
}

#' @rdname edges_class
#' @param i,j,drop As in `[` of data frames.
#' @export
`[.gpu_edges` <- function(x, i, j, drop) {
  taken <- NextMethod()
  if (is.data.frame(taken)) class(taken) <- "data.frame"
  taken
}

#' @rdname edges_class
#' @export
print.gpu_edges <- function(x, n = 10L, ...) {
  plain <- as.data.frame(x)
  cat(sprintf(
    "%s between %s\n", counted(nrow(x), "edge", "edges"),
    counted(edge_vertices(x), "point", "points")
  ))
  print(utils::head(plain, n), ...)
  if (nrow(x) > n) cat(sprintf("... and %s\n", counted(nrow(x) - n, "more edge", "more edges")))
  invisible(x)
}

#' @rdname edges_class
#' @export
summary.gpu_edges <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  vertices <- edge_vertices(object)
  data.frame(
    vertices, edges = nrow(object),
    components = max(0L, component_of(object[[1L]], object[[2L]], vertices))
  )
}

# Returns the number of the component of each vertex. In each round the roots of edges between
# trees are joined to the smallest root next to them.
component_of <- function(from, to, vertices) {
  root <- seq_len(vertices)
  repeat {
    low <- pmin(root[from], root[to])
    high <- pmax(root[from], root[to])
    merged <- order(low, decreasing = TRUE) # of several for one root, the lowest is assigned last
    merged <- merged[low[merged] < high[merged]]
    if (!length(merged)) {
      return(match(root, unique(root)))
    }
    root[high[merged]] <- low[merged]
    while (!identical(root, root[root])) root <- root[root]
  }
}

#' @rdname edges_class
#' @export
plot.gpu_edges <- function(x, y = NULL, labels = NULL, ...) {
  draw_edges(cbind(x[[1L]], x[[2L]]), edge_vertices(x), y, labels, sys.call(), ...)
  invisible(x)
}

# Draws edges over points, or over their layout.
draw_edges <- function(ends, vertices, points, labels, call, ...) {
  layout <- if (is.null(points)) {
    gpu_layout(isolated_too(ends, vertices), seed = 1, progress = FALSE)
  } else {
    positions <- plane_of(points, vertices, call)[seq_len(vertices), , drop = FALSE]
    dimnames(positions) <- list(rownames(points), c("x", "y"))
    graph <- list(vertices = vertices, edges = unname(ends), first = 1L, weights = NULL)
    structure(positions, graph = graph, class = c("gpu_layout", "matrix", "array"))
  }
  plot(layout, labels = labels, ...)
}

# Returns edges as a data frame that says how many vertices there are.
isolated_too <- function(ends, vertices) {
  structure(data.frame(from = ends[, 1L], to = ends[, 2L]), vertices = vertices, first = 1L)
}

# --- Neighbours ----------------------------------------------------------------------------------

# Returns the numbers of points and of their neighbours, each pair once.
neighbor_ends <- function(x, call) {
  if (isTRUE(attr(x, "query"))) {
    stop_argument("x must be neighbours without query to be drawn", "x", call)
  }
  pairs <- as.data.frame(x)
  ends <- cbind(pmin(pairs$point, pairs$neighbor), pmax(pairs$point, pairs$neighbor))
  unique(ends[ends[, 1L] != ends[, 2L], , drop = FALSE])
}

#' @rdname edges_class
#' @export
as.data.frame.gpu_knn <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  point <- rep(seq_len(nrow(x$index)), each = ncol(x$index))
  frame <- data.frame(
    point, neighbor = as.vector(t(x$index)), distance = as.vector(t(x$distance)),
    row.names = row.names
  )
  frame[!is.na(frame$neighbor), ]
}

#' @rdname edges_class
#' @export
as.data.frame.gpu_radius <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  point <- rep(seq_along(x$count), x$count)
  data.frame(point, neighbor = x$index, distance = x$distance, row.names = row.names)
}

#' @rdname edges_class
#' @export
print.gpu_knn <- function(x, n = 6L, ...) {
  rows <- seq_len(min(n, nrow(x$index)))
  cat(sprintf(
    "%s of %s%s\n", counted(ncol(x$index), "nearest neighbour", "nearest neighbours"),
    counted(nrow(x$index), "point", "points"), if (isTRUE(attr(x, "query"))) " of a query" else ""
  ))
  cat("index:\n")
  print(x$index[rows, , drop = FALSE], ...)
  cat("distance:\n")
  print(x$distance[rows, , drop = FALSE], ...)
  more <- nrow(x$index) - length(rows)
  if (more > 0L) cat(sprintf("... and %s\n", counted(more, "more point", "more points")))
  invisible(x)
}

#' @rdname edges_class
#' @export
print.gpu_radius <- function(x, n = 6L, ...) {
  cat(sprintf(
    "%s of %s%s\n", counted(sum(x$count), "neighbour", "neighbours"),
    counted(length(x$count), "point", "points"),
    if (isTRUE(attr(x, "query"))) " of a query" else ""
  ))
  print(utils::head(as.data.frame(x), n), row.names = FALSE, ...)
  more <- sum(x$count) - n
  if (more > 0L) cat(sprintf("... and %s\n", counted(more, "more pair", "more pairs")))
  invisible(x)
}

#' @rdname edges_class
#' @export
summary.gpu_knn <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  neighbors <- rowSums(!is.na(object$index))
  list(count = summary(neighbors), distance = summary(as.vector(object$distance)))
}

#' @rdname edges_class
#' @export
summary.gpu_radius <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  list(count = summary(as.vector(object$count)), distance = summary(object$distance))
}

#' @rdname edges_class
#' @export
plot.gpu_knn <- function(x, y = NULL, labels = NULL, ...) {
  call <- sys.call()
  draw_edges(neighbor_ends(x, call), nrow(x$index), y, labels, call, ...)
  invisible(x)
}

#' @rdname edges_class
#' @export
plot.gpu_radius <- function(x, y = NULL, labels = NULL, ...) {
  call <- sys.call()
  draw_edges(neighbor_ends(x, call), length(x$count), y, labels, call, ...)
  invisible(x)
}

#' Distance geometry of a graph on the line
#'
#' `gpu_dgp_graph()` finds positions of vertices on the line with given distances between some of
#' them, for example the times of clocks from their differences. It counts all such realizations of
#' a graph and returns the first of them. Distances may be exact or intervals.
#'
#' @param edges A matrix or data frame with a row for each known distance and the columns u, v,
#'   lower, upper in this order, or u, v, distance. u and v are numbers of vertices from 1, or, in
#'   a data frame, their names. The distance between them is at least lower and at most upper. Or
#'   the path of a file, see Files.
#' @param tol The largest deviation of a distance from its interval: at least 0, in the unit of the
#'   distances. The default, 1e-6, is for distances that were rounded.
#' @param max_solutions The number of realizations to return; 0 counts only.
#' @param format For files: the fields of a line, see Files.
#' @inheritParams gpu_dgp
#' @inheritParams gpu_settings
#' @param backend `"auto"` or `"cpu"`: graphs are searched on the CPU only.
#'
#' @return A list of class `gpu_dgp_graph`, which has a print and a plot method:
#' * `count`: the number of realizations (`Inf` for 2^128 or more), and `count_text`, the same with
#'   all its digits;
#' * `positions`: a row for each realization returned, a column for each vertex, with its name if it
#'   has one; the first vertex is at 0;
#' * `vertices`: numbers or names of the vertices. Names are in the order in which they first
#'   appear;
#' * `order`: a data frame with the vertices in the order in which the search places them, each with
#'   its `predecessor`, the vertex from which it is placed, and its `block`;
#' * `blocks`: the number of biconnected components, `bridges`: the number of those that are a
#'   single edge;
#' * `backend`, `tol`: as in [gpu_dgp()].
#'
#' @section Realizations: A realization is determined by which end of each edge is to the left. If u
#' is to the left of v, `x[v] - x[u]` is within `tol` of the interval from lower to upper. Mirror
#' images count separately. Rows of `edges` for the same two vertices are one edge, whose interval
#' is the intersection of theirs. The ends of an edge with lower = upper = 0 have the same position,
#' and neither is to the left.
#'
#' If intervals allow a vertex several positions relative to the first vertex of its block, the
#' middle is returned. Sums are exact: the count does not depend on rounding.
#'
#' A cycle of n exact distances d has as many realizations as `gpu_dgp(d, n * tol)` has solutions,
#' and is counted in the same way.
#'
#' @section Order: The blocks (biconnected components) of a graph are independent: the count is the
#' product of their counts; a bridge has 2. Realizations are ordered by those of the blocks, and
#' that of the last block changes fastest. Within a block each comes before its mirror image. Those
#' of a cycle of exact distances are in the order of [gpu_dgp()], others in the order of the search,
#' in which a vertex is first placed to the right of its predecessor.
#'
#' @section Files: The text format of MDjeep: a line for each distance, fields separated by blanks.
#' The two vertices, numbers that need not begin with 1, and the two bounds are read; names and
#' groups, empty lines and lines that begin with # are ignored. `format = NULL` recognizes the two
#' formats in use, `"Id1 Id2 lb ub"` (MDjeep 0.1 and 0.2) and `"Id1 Id2 groupId1 groupId2 lb ub"`
#' (0.3), with any further fields. Otherwise `format` has a word for each field: `Id1`, `Id2`, `lb`
#' and `ub`, and `Name1`, `Name2`, `groupId1`, `groupId2`, `groupName1`, `groupName2` or `ignore`
#' for fields that are ignored. An MDfile, whose name ends in `.mdf`, contains the path of its list,
#' the format and the separator.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' A. Mucherino (2018). On the exact solution of the distance geometry with interval distances in
#' dimension 1. *Recent Advances in Computational Optimization*, 123-134.
#'
#' A. Mucherino and others. MDjeep: a software tool for distance geometry, version 0.3.2.
#' <https://github.com/mucherino/mdjeep>
#'
#' R. Dechter, I. Meiri and J. Pearl (1991). Temporal constraint networks. *Artificial
#' Intelligence* 49, 61-95.
#'
#' @seealso [gpu_dgp()] for cycles
#'
#' @examples
#' # A cycle of four clocks, and a fifth with a known difference to one of them.
#' clocks <- data.frame(
#'   u = c("A", "B", "C", "D", "A"), v = c("B", "C", "D", "A", "E"),
#'   distance = c(3, 4, 5, 2, 1)
#' )
#' graph <- gpu_dgp_graph(clocks)
#' graph
#' plot(graph)
#'
#' # Intervals.
#' edges <- rbind(c(1, 2, 1.0, 1.2), c(2, 3, 2.0, 2.1), c(3, 1, 0.8, 1.1))
#' gpu_dgp_graph(edges)$positions
#'
#' # A file of MDjeep.
#' file <- tempfile()
#' writeLines(c("5 6 1 1", "6 7 2 2", "5 7 2.9 3.1"), file)
#' gpu_dgp_graph(file)
#' @export
gpu_dgp_graph <- function(edges, tol = 1e-6, max_solutions = 10, ..., format = NULL,
                          backend = NULL, threads = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  if (is.character(edges) && length(edges) == 1L) {
    graph <- file_edges(edges, format, run_settings(progress = FALSE), call)
  } else if (is.null(format)) {
    graph <- named_edges(edges, call)
  } else {
    stop_message("format", "format", call)
  }
  bar <- progress_bar("Distance geometry")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, NULL, "double", progress, bar$update, memory_limit)
  options <- list(labels = graph$labels, tol = tol, max_solutions = max_solutions)
  result <- .Call(C_dgp_graph, list(graph$edges), options, settings, call)
  vertices <- graph$vertices
  if (is.null(vertices)) {
    vertices <- seq_len(ncol(result$positions))
  }
  if (!is.null(graph$labels)) {
    colnames(result$positions) <- graph$labels
  }
  order <- as.data.frame(result$order)
  order$vertex <- vertices[order$vertex]
  order$predecessor <- vertices[order$predecessor]
  result$order <- order
  structure(
    c(result[1:3], list(vertices = vertices), result[-(1:3)], list(tol = tol)),
    class = "gpu_dgp_graph"
  )
}

# Returns list(edges, labels, vertices) of a file of MDjeep: edges with vertices from 1, the file's
# numbers as text for messages and names, and as numbers.
file_edges <- function(path, format, settings, call) {
  file <- .Call(C_dgp_file, list(path), list(format = format), settings, call)
  vertices <- seq(file$first, length.out = file$vertices)
  labels <- format(vertices, trim = TRUE, scientific = FALSE)
  list(edges = file$edges, labels = labels, vertices = vertices)
}

# Returns the same for a matrix or data frame. Names become numbers in the order in which they
# appear.
named_edges <- function(edges, call) {
  is_name <- function(column) is.character(column) || is.factor(column)
  named <- is.data.frame(edges) && ncol(edges) >= 2L &&
    (is_name(edges[[1L]]) || is_name(edges[[2L]]))
  if (!named) {
    return(list(edges = if (is.data.frame(edges)) as.matrix(edges) else edges))
  }
  named <- match_names(edges[[1L]], edges[[2L]], "edges", call)
  bounds <- as.matrix(edges[-(1:2)])
  if (is.numeric(bounds)) {
    bounds <- cbind(named$numbers, bounds)
  }
  list(edges = bounds, labels = named$names, vertices = named$names)
}

#' @export
print.gpu_dgp_graph <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), print_arguments)
  cat(sprintf(
    "%s %s of a graph of %s within %s of its distances.\n", x$count_text,
    if (x$count == 1) "realization" else "realizations",
    if (length(x$vertices) == 1L) "1 vertex" else paste(length(x$vertices), "vertices"),
    format(x$tol)
  ))
  cat(plural(x$blocks, "block"), ", ", plural(x$bridges, "bridge"), "\n", sep = "")
  if (nrow(x$positions)) {
    cat("The first:\n")
    print(x$positions, ...)
  }
  invisible(x)
}

#' @rdname gpu_dgp_graph
#' @param x What `gpu_dgp_graph()` returned.
#' @export
plot.gpu_dgp_graph <- function(x, ...) {
  found <- nrow(x$positions)
  if (found == 0L) {
    graphics::plot.new()
    graphics::title("no realization")
    return(invisible(x))
  }
  arguments <- utils::modifyList(
    list(
      x = as.vector(x$positions), y = as.vector(row(x$positions)), type = "n", xlab = "position",
      ylab = "realization", yaxt = "n", ylim = c(found + 0.5, 0.5)
    ),
    list(...)
  )
  do.call(graphics::plot, arguments)
  graphics::axis(2, seq_len(found), las = 1)
  graphics::abline(h = seq_len(found), col = "grey85")
  graphics::text(
    as.vector(x$positions), as.vector(row(x$positions)), x$vertices[as.vector(col(x$positions))],
    col = grDevices::hcl.colors(length(x$vertices), "Dark 3")[as.vector(col(x$positions))]
  )
  invisible(x)
}

#' @rdname gpu_dgp_graph
#' @param object What `gpu_dgp_graph()` returned.
#' @export
summary.gpu_dgp_graph <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  data.frame(
    vertices = length(object$vertices), count = object$count, blocks = object$blocks,
    bridges = object$bridges, tol = object$tol
  )
}

#' Force-directed layout of a graph
#'
#' Positions in the plane or in space for the vertices of a graph, by the forces of Fruchterman and
#' Reingold: for graphs of up to millions of vertices.
#'
#' @param graph One of
#' * an igraph object;
#' * a data frame with a row for each edge: two columns of vertices, numbers from 1 or names (text
#'   or factors, numbered in the order in which they first appear), and perhaps one of weights; or
#'   what [gpu_read_edges()] or [gpu_neighbor_graph()] returned. The vertices are the columns named
#'   `from` and `to`, or `source` and `target`, `i` and `j`, `u` and `v`, in upper or lower case,
#'   else the first two; of three columns the one that is left has the weights, of more the column
#'   named `weight`, and all others are ignored;
#' * a matrix of two columns, likewise;
#' * an adjacency matrix, dense or of the package Matrix: square (not 2 by 2 if it is dense) and
#'   symmetric. An element that is not 0 is the weight of an edge;
#' * the path of a file, see [gpu_read_edges()].
#'
#'   Edges have no directions. Those between the same two vertices add up, and one from a vertex to
#'   itself is ignored.
#' @param dim 2 or 3.
#' @param weights The weight of each edge, to which its attraction is proportional: between 0 and
#'   1e9. `NULL` takes those of the graph (of igraph objects the edge attribute `weight`), and 1
#'   where it has none; `NA` takes 1.
#' @param iterations The maximum number of iterations on the full graph. `NULL`: 500, or 50 after
#'   coarser graphs.
#' @param init The initial positions: a matrix like the result. `NULL`: random positions.
#' @param fixed The vertices that keep their positions in `init`: a logical value for each, or their
#'   numbers or names.
#' @param lower,upper Bounds of the positions: a number, one for each dimension, or a matrix like
#'   the result. `-Inf` and `Inf` stand for no bound.
#' @param start_temp The longest move in the first iteration, which then decreases linearly to 0.
#'   `NULL`: the square root of the number of vertices, or less with `init` or after coarser graphs.
#' @param tolerance Stop if no vertex moves further than this.
#' @param repulsion How the forces between all vertices are summed: `"exact"`, over all pairs;
#'   `"barnes-hut"`, with far groups approximated by an expansion; `"auto"`, whichever is faster for
#'   the number of vertices, by measurements.
#' @param theta Barnes-Hut: a group is approximated if its size is less than `theta` times its
#'   distance; between 0 and 2.
#' @param order Barnes-Hut: the order of the expansion of a group: 0, 2 or 4 in the plane, 0 or 2 in
#'   space. `NULL`: 4 in the plane and 2 in space.
#' @param multilevel `TRUE`: lay out coarser graphs first; `FALSE`: do not; `"auto"`: for large
#'   graphs without `init`, `fixed` and bounds.
#' @param seed A whole number that determines all random numbers. `NULL` draws it from R's
#'   generator, so that [set.seed()] determines them.
#' @param callback A function of the positions, the iteration and the temperature, called every
#'   `callback_every` iterations: for the frames of an animation.
#' @param callback_every A whole number of at least 1.
#' @inheritParams gpu_dist
#'
#' @return A matrix with a row for each vertex, named if vertices have names, and `dim` columns. Its
#'   attributes are
#' * `iterations`: the number of iterations on the full graph;
#' * `converged`: `TRUE` if no vertex moved further than `tolerance` in the last iteration;
#' * `energy`: the sum over edges of w d^3 / 3 less that over pairs of vertices of log(d); above
#'   12.5 million pairs the second is estimated;
#' * `temperature`: that of the next iteration. `gpu_layout(graph, init = x, start_temp = attr(x,
#'   "temperature"))` continues from a layout `x` that had too few iterations;
#' * `backend`: the backend that computed it.
#'
#' @details Between any two vertices at a distance d there is a repulsion of 1 / d, along an edge of
#'   weight w an attraction of w d^2: a single edge has length 1. The components of a graph do not
#'   repel each other: each is laid out separately and they are packed next to each other, unless
#'   `init`, `fixed` or bounds are given. Forces are of single precision.
#'
#'   For the same seed the result is the same bits on any number of threads and in every run of the
#'   same backend. It is not the same on the CPU and on a GPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' T. M. J. Fruchterman and E. M. Reingold (1991). Graph drawing by force-directed placement.
#' *Software: Practice and Experience* 21, 1129-1164.
#'
#' J. Barnes and P. Hut (1986). A hierarchical O(N log N) force-calculation algorithm. *Nature* 324,
#' 446-449.
#'
#' @seealso [gpu_layout_quality()] tells how good a layout is, [gpu_read_edges()] reads files.
#'
#' @examples
#' # A tree: each vertex hangs on the one at half its number.
#' tree <- cbind(2:63, 2:63 %/% 2)
#' x <- gpu_layout(tree, seed = 1)
#' plot(x, asp = 1, pch = 19, axes = FALSE, xlab = "", ylab = "")
#' segments(x[tree[, 1], 1], x[tree[, 1], 2], x[tree[, 2], 1], x[tree[, 2], 2])
#' attr(x, "energy")
#'
#' # Names, weights, and a vertex that stays.
#' trade <- data.frame(c("A", "B", "C"), c("B", "C", "A"), c(1, 1, 8))
#' gpu_layout(trade, init = matrix(rnorm(6), 3), fixed = "A")
#'
#' # Frames of an animation.
#' frames <- list()
#' keep <- function(positions, iteration, temperature) frames[[length(frames) + 1]] <<- positions
#' x <- gpu_layout(tree, iterations = 100, callback = keep, callback_every = 20)
#' length(frames)
#'
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   graph <- igraph::make_graph("Zachary")
#'   plot(graph, layout = gpu_layout)
#' }
#' @export
gpu_layout <- function(graph, dim = 2, weights = NULL, iterations = NULL, init = NULL, fixed = NULL,
                       lower = NULL, upper = NULL, start_temp = NULL, tolerance = 0,
                       repulsion = c("auto", "exact", "barnes-hut"), theta = 0.8, order = NULL,
                       multilevel = "auto", seed = NULL, callback = NULL, callback_every = 10, ...,
                       backend = NULL, threads = NULL, device = NULL, progress = NULL,
                       memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  graph <- as_graph(graph, weights, call)
  options <- list(
    dim = dim, iterations = iterations, init = as_doubles(as_points(init, "init", call)),
    fixed = as_fixed(fixed, graph, call), lower = as_bounds(lower, graph, dim, "lower", call),
    upper = as_bounds(upper, graph, dim, "upper", call), start_temp = start_temp,
    tolerance = tolerance,
    repulsion = if (missing(repulsion)) "auto" else repulsion, theta = theta, order = order,
    multilevel = multilevel,
    seed = if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else seed,
    callback = callback, callback_every = callback_every
  )
  bar <- progress_bar("Layout")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  result <- .Call(C_layout, graph, options, settings, call, state)
  structure(
    result$positions,
    iterations = result$iterations, converged = result$converged, energy = result$energy,
    backend = result$backend, temperature = result$temperature
  )
}

# Returns a logical value for each vertex, or NULL.
as_fixed <- function(fixed, graph, call) {
  if (is.null(fixed) || (is.logical(fixed) && !anyNA(fixed))) {
    return(fixed)
  }
  numbers <- if (is.character(fixed)) match(fixed, graph$names) else fixed
  allowed <- is.numeric(numbers) & numbers %in% seq_len(graph$vertices)
  if (!is.numeric(numbers) || !all(allowed)) {
    stop_argument(sprintf(
      "fixed must be true or false for each vertex, or numbers of vertices from 1 to %s%s, not %s",
      format(graph$vertices, scientific = FALSE), if (is.null(graph$names)) "" else ", or names",
      show_value(if (is.numeric(numbers) && is.vector(fixed)) fixed[!allowed][1L] else fixed)
    ), "fixed", call)
  }
  seq_len(graph$vertices) %in% numbers
}

# Returns a value for each vertex and dimension. The core refuses other lengths.
as_bounds <- function(bounds, graph, dim, argument, call) {
  bounds <- as_doubles(as_points(bounds, argument, call))
  if (!is.numeric(bounds) || !identical(is.numeric(dim) && length(dim) == 1L, TRUE)) {
    return(bounds)
  }
  if (length(bounds) %in% c(1L, dim) && length(bounds) != graph$vertices * dim) {
    bounds <- rep(rep_len(as.vector(bounds), dim), each = graph$vertices)
  }
  bounds
}

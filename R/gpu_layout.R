#' Layout of a graph
#'
#' Computes positions in the plane or in space for the vertices of a graph, by the forces of
#' Fruchterman and Reingold, or by stress.
#'
#' @param graph One of
#' * an igraph object;
#' * a data frame with a row for each edge: two columns of vertices, which are numbers from 1 or
#'   names (text or factors, numbered in the order in which they first appear), and optionally one
#'   of weights; or the value of [gpu_read_edges()] or [gpu_neighbor_graph()]. The vertices are the
#'   columns named `from` and `to`, or `source` and `target`, `i` and `j`, `u` and `v`, in upper or
#'   lower case, otherwise the first two columns. Of three columns the remaining one holds the
#'   weights, of more the column named `weight`; all other columns are ignored;
#' * a matrix of two columns, which are vertices, or of numbers in three columns, the last of which
#'   is the weights;
#' * an adjacency matrix, dense or of the package Matrix: square and symmetric. A nonzero element is
#'   the weight of an edge, and so is a stored 0 of a sparse matrix. The values that
#'   [gpu_neighbor_graph()] returns with `as = "sparse"` are distances unless it has weights: each
#'   edge then has weight 1, as those of `"edges"` and `"igraph"` have. A dense matrix of 3 by 3 is
#'   one if it is symmetric, and one of 2 by 2 if also its diagonal is 0; other dense matrices of
#'   two or three columns list edges;
#' * the path of a file, see [gpu_read_edges()].
#'
#' Edges have no direction. The weights of edges between the same two vertices are added, and
#' edges from a vertex to itself are ignored.
#' @param dim 2 or 3.
#' @param weights The weight of each edge, between 0 and 1e9; attraction is proportional to it, and
#'   stress does not depend on it.
#'   `NULL` takes the weights of the graph (the edge attribute `weight` of igraph objects), and 1 if
#'   it has none; `NA` takes 1.
#' @param iterations Maximum number of iterations on the full graph. `NULL`: 500, or 50 after
#'   coarser graphs; stress: 500, or 100 for components of more than 10,000 vertices.
#' @param init Initial positions: a matrix with a row for each vertex and `dim` columns. `NULL`:
#'   random positions.
#' @param fixed Vertices that keep their positions in `init`: a logical value for each vertex, or
#'   the numbers or names of vertices.
#' @param lower,upper Bounds of the positions: a number, one for each dimension, or a matrix as
#'   `init`. `-Inf` and `Inf` mean no bound.
#' @param start_temp The temperature of the first iteration, which is the longest move allowed; it
#'   falls linearly to 0. `NULL`: about the square root of the number of vertices, a tenth of it
#'   with `init`, and half the mean length of the edges after coarser graphs.
#' @param tolerance Iterations stop when no vertex moves further than this.
#' @param repulsion How the repulsion between all vertices is summed: `"exact"`, over all pairs;
#'   `"barnes-hut"`, groups of distant vertices by one expansion each; `"auto"`, exact up to 700
#'   vertices on the CPU and 20,000 on a GPU, as measured to be faster.
#' @param theta Barnes-Hut: a group is summed by its expansion if its size is less than `theta`
#'   times its distance; between 0 and 2. `NULL`: 1.2 in the plane, 1 in space.
#' @param expansion_order Barnes-Hut: order of the multipole expansion of a group: 0, 2 or 4 in the
#'   plane, 0 or 2 in space. `NULL`: 4 in the plane, 2 in space.
#' @param multilevel `TRUE` lays out coarser graphs first: smaller graphs in which pairs of vertices
#'   are contracted. They are not made of components of up to 128 vertices. The smallest graph
#'   starts from classical scaling of the distances in it, and so does a component that has none;
#'   components of up to 64 vertices that are not the largest start from random positions. `FALSE`
#'   does not. `"auto"` does unless `init`, `fixed` or bounds are given, with which `TRUE` is an
#'   error.
#' @param seed A whole number, the seed of all random numbers. `NULL` draws it from R's generator,
#'   which [set.seed()] controls.
#' @param callback A function of the positions, the iteration and the temperature, called every
#'   `callback_every` iterations, for example to store the frames of an animation.
#' @param callback_every A whole number of at least 1.
#' @param algorithm `"fr"`: the forces of Fruchterman and Reingold, which show neighbours and
#'   clusters. `"stress"`: distances in the layout are those in the graph, which shows the shape of
#'   the whole: meshes, grids and trees are not folded. `"stress-fr"`: a layout between
#'   both, which keeps at least 0.9 of the neighbours that `"fr"` keeps. See Details.
#' @param pivots Stress: the number of vertices from which distances in the graph are computed, at
#'   least 1. In components of up to 1,000 vertices it is all of them.
#' @param lengths Stress: the length of each edge, between 1e-300 and 1e300. `NULL`: 1.
#'   `"weights"` takes the weights of the graph.
#' @param constrain Stress: coordinates that vertices keep, a matrix as `init`, `NA` where they are
#'   free. `cbind(year, NA)` places vertices by their year from left to right.
#' @param radius Stress: the distance of each vertex from the origin, at least 0, in the unit of the
#'   lengths; `NA`: free. With a score of centrality, a multiple of `max(score) - score` places the
#'   central vertices in the middle.
#' @param focus Stress: the number or name of a vertex, which is placed at the origin; all others
#'   are at their distance in the graph from it.
#' @param init_weight Stress: how strongly vertices are pulled to their positions in `init`, between
#'   0 and 1, for example those of the same vertices in the graph of an earlier time. A vertex moves
#'   to the mean of `init`, with this weight, and of the minimum of its stress, with the rest.
#' @param ... Arguments by their names in `igraph::layout_with_fr()`: `coords` is `init`, `niter` is
#'   `iterations`, `start.temp` is `start_temp`; `minx`, `miny` and `minz` are the columns of
#'   `lower` and `maxx`, `maxy` and `maxz` those of `upper`, a number or one for each vertex.
#'   Arguments that follow have to be named in full.
#' @inheritParams gpu_dist
#'
#' @return A matrix with a row for each vertex, named if the vertices have names, and `dim` columns
#'   `x`, `y` and `z`, of class [`"gpu_layout"`][layout_class], which has methods for `plot()`,
#'   `print()` and `summary()`. Its attributes are
#' * `graph`: the edges, for these methods and [gpu_write_graph()];
#' * `iterations`: the number of iterations on the full graph, the most of any component;
#' * `converged`: whether no vertex moved further than `tolerance` in the last one; `NA` if
#'   `tolerance` is 0;
#' * `energy`: the sum over edges of w d^3 / 3 minus the sum over pairs of vertices of a component
#'   of log(d); above 12.5 million pairs the second sum is estimated from 2^20 of them;
#' * `temperature`: the temperature that the next iteration would have. `gpu_layout(graph, init = x,
#'   start_temp = attr(x, "temperature"))` continues from a layout `x`;
#' * `backend`: the backend that computed it;
#' * `algorithm`, `pivots`, `stress`: of layouts by stress, the algorithm, the number of pivots of
#'   the largest component, and the stress as [gpu_layout_quality()] defines it, from the pivots to
#'   all vertices of their components and with the lengths. `temperature` is 0, and `converged` is
#'   also `TRUE` if the stress no longer decreases.
#'
#' @details Two vertices at a distance d repel each other by 1 / d, and an edge of weight w attracts
#'   its ends by w d^2: 1 is the length of a single edge of weight 1. The components of a
#'   graph do not repel each other: each is laid out separately and they are packed next to each
#'   other, unless `init`, `fixed` or bounds are given. Repulsion is summed in single precision, in
#'   components of up to 64 vertices in double precision.
#'
#'   Layouts by stress minimize the sum of w (d - g)^2, where d is the distance of two vertices in
#'   the layout, g their distance in the graph, and w = 1 / g^2. The pairs are all pairs of up to
#'   1,000 vertices. In larger components they are the edges, and the pairs of a vertex and a pivot
#'   with the weight s / g^2, where s is the number of vertices for which the pivot stands (Ortmann
#'   and others). The first 50 pivots are each the vertex that is farthest from those before it;
#'   others are drawn in proportion to the squares of these distances. Positions start from
#'   classical scaling of the distances from the first pivots (Brandes and Pich) or from `init`, and
#'   are improved by majorization (Gansner and others) until the stress decreases by less than 1e-4
#'   of it, from the 100th iteration on by less than 2e-5, 1e-6 if all vertices are pivots.
#'   Components, `init`, `fixed` and bounds are as with forces. `start_temp`, `repulsion`, `theta`,
#'   `expansion_order`, `multilevel` and `weights` must not be given. It takes 8 bytes of memory for
#'   a vertex and a pivot. Components of up to 300 vertices are laid out from several starts, and
#'   the least stress is kept, unless `init` or `iterations` are given. With one of `constrain`,
#'   `radius` and `focus`, which bounds exclude, the layout without it is turned and moved to fit,
#'   unless `init` is given, and stress is minimized among the layouts that keep it. A GPU takes 2
#'   bytes for a vertex and a pivot, and draws pivots at random, in proportion to their distances
#'   from those before. Layouts with `lengths`, `constrain`, `radius`, `focus` or `init_weight`,
#'   components of up to 1,000 vertices and paths of more than 65,000 edges are the CPU's.
#'
#'   `"stress-fr"` has the arguments of stress but `radius`, `focus` and `init_weight`. The layout
#'   by stress is scaled to where the energy of the forces is least, moved by up to 30 of their
#'   iterations from a temperature of half the mean length of the edges, and scaled back. With
#'   lengths l, edges have weights of 1 / l^3, with which an edge alone has its length. If a
#'   component then keeps fewer than 0.9 of the neighbours that it keeps with `"fr"`, or does not
#'   have less stress, it starts again from the layout of `"fr"`: up to 24 steps, each a share of an
#'   iteration of stress and 10 of forces, lower its stress as long as 0.9 of these neighbours are
#'   kept. This is not done with `init`, `iterations`, bounds or `constrain`. `callback` is called
#'   during the iterations by stress. It is computed on the CPU.
#'
#'   On the 22 graphs of up to 40,000 vertices of `bench/graphs.R` the geometric mean of the stress
#'   is .046 with `"fr"`, .029 with `"stress"` and .038 with `"stress-fr"`; .55, .51 and .54 of the
#'   neighbours are kept. `"fr"` is the default, as it keeps the most neighbours, takes weights, and
#'   needs no memory for distances.
#'
#'   For the same seed the result has the same bits on any number of threads and in every run of the
#'   same backend. The CPU and a GPU give different layouts.
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
#' U. Brandes and C. Pich (2007). Eigensolver methods for progressive multidimensional scaling of
#' large data. *Graph Drawing 2006*, LNCS 4372, 42-53.
#'
#' E. R. Gansner, Y. Koren and S. North (2005). Graph drawing by stress majorization. *Graph Drawing
#' 2004*, LNCS 3383, 239-250.
#'
#' U. Brandes and C. Pich (2011). More flexible radial layout. *Journal of Graph Algorithms and
#' Applications* 15, 157-173.
#'
#' L. Greengard and V. Rokhlin (1987). A fast algorithm for particle simulations. *Journal of
#' Computational Physics* 73, 325-348.
#'
#' M. Ortmann, M. Klimenta and U. Brandes (2017). A sparse stress model. *Journal of Graph
#' Algorithms and Applications* 21, 791-821.
#'
#' C. Walshaw (2003). A multilevel algorithm for force-directed graph-drawing. *Journal of Graph
#' Algorithms and Applications* 7, 253-285.
#'
#' @seealso [gpu_layout_quality()] measures how well a layout shows the graph, [gpu_read_edges()]
#'   reads files, [gpu_write_graph()] writes one for other programs. With ggraph, `layout =
#'   "gpu_layout"` draws by this function.
#'
#' @examples
#' # A binary tree: the parent of vertex v is v %/% 2.
#' tree <- cbind(2:63, 2:63 %/% 2)
#' x <- gpu_layout(tree, seed = 1)
#' x
#' plot(x)
#'
#' # By stress, with lengths of edges.
#' roads <- cbind(c(1, 2, 3, 4, 1), c(2, 3, 4, 1, 3))
#' gpu_layout(roads, algorithm = "stress", lengths = c(2, 1, 2, 1, sqrt(5)), seed = 1)
#'
#' # Vertices at their distances from the root of the tree.
#' plot(gpu_layout(tree, algorithm = "stress", focus = 1, seed = 1))
#'
#' # Names, weights, and a fixed vertex.
#' trade <- data.frame(c("A", "B", "C"), c("B", "C", "A"), c(1, 1, 8))
#' gpu_layout(trade, init = matrix(rnorm(6), 3), fixed = "A")
#'
#' # Frames of an animation.
#' frames <- list()
#' keep <- function(positions, iteration, temperature) {
#'   frames[[length(frames) + 1]] <<- positions
#' }
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
                       repulsion = "auto", theta = NULL,
                       expansion_order = NULL, multilevel = "auto", seed = NULL, callback = NULL,
                       callback_every = 10, algorithm = "fr", pivots = 200, lengths = NULL,
                       constrain = NULL, radius = NULL, focus = NULL, init_weight = 0, ...,
                       backend = NULL, threads = NULL, device = NULL, progress = NULL,
                       memory_limit = NULL) {
  call <- sys.call()
  given <- list(
    iterations = iterations, init = init, start_temp = start_temp, lower = lower, upper = upper
  )
  given <- take_igraph_names(given, list(...), match.call(expand.dots = FALSE)$..., dim, call)
  graph <- layout_graph(graph, weights, lengths, algorithm, call)
  options <- list(
    algorithm = algorithm, pivots = pivots, lengths = graph$lengths,
    dim = dim, iterations = given$iterations,
    init = as_doubles(as_points(given$init, "init", call)), fixed = as_fixed(fixed, graph, call),
    lower = as_bounds(given$lower, graph, dim, "lower", call),
    upper = as_bounds(given$upper, graph, dim, "upper", call), start_temp = given$start_temp,
    tolerance = tolerance,
    repulsion = repulsion, theta = theta,
    expansion_order = expansion_order, multilevel = multilevel,
    seed = if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else seed,
    constrain = as_doubles(as_points(constrain, "constrain", call)),
    radius = numbers_of(radius, "radius", call), focus = as_sources(focus, graph, call, "focus"),
    init_weight = init_weight, callback = callback, callback_every = callback_every
  )
  bar <- progress_bar("Layout")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  result <- .Call(C_layout, list(graph), options, settings, call)
  new_layout(result, graph)
}

# Returns a graph with the element `lengths`, NULL or numbers.
layout_graph <- function(graph, weights, lengths, algorithm, call) {
  by_stress <- is.character(algorithm) && identical(grepl("^[sS]", algorithm), TRUE)
  if (by_stress && !is.null(weights)) {
    stop_message("weights by stress", "weights", call, algorithm)
  }
  if (is.null(lengths)) as_graph(graph, weights, call) else graph_with_lengths(graph, lengths, call)
}

# Returns the arguments in `given` with those in the dots, which have the names that igraph gives
# them.
take_igraph_names <- function(given, values, dots, dim, call) {
  own <- c(coords = "init", niter = "iterations", start.temp = "start_temp")
  axes <- c("x", "y", "z")[seq_len(if (identical(dim, 3) || identical(dim, 3L)) 3L else 2L)]
  sides <- list(lower = paste0("min", axes), upper = paste0("max", axes))
  known <- c(names(own), unlist(sides))
  refuse_dots(dots[if (is.null(names(dots))) TRUE else !names(dots) %in% known], call)
  for (name in intersect(names(own), names(values))) {
    given <- set_once(given, own[[name]], values[[name]], name, call)
  }
  for (side in names(sides)) {
    if (any(sides[[side]] %in% names(values))) {
      free <- if (side == "lower") -Inf else Inf
      bounds <- lapply(sides[[side]], function(name) {
        if (is.null(values[[name]])) free else values[[name]]
      })
      names <- intersect(sides[[side]], names(values))
      given <- set_once(given, side, bind_bounds(bounds), names[1L], call)
    }
  }
  given
}

# Sets an argument that must not be given by its own name, too.
set_once <- function(given, own, value, name, call) {
  if (!is.null(given[[own]])) {
    stop_message("same argument", name, call, name, own)
  }
  given[own] <- list(value)
  given
}

# Returns bounds of the columns as one vector or matrix.
bind_bounds <- function(bounds) {
  if (all(lengths(bounds) == 1L)) unlist(bounds) else do.call(cbind, bounds)
}

# Returns a logical value for each vertex, or NULL.
as_fixed <- function(fixed, graph, call) {
  if (is.null(fixed) || (is.logical(fixed) && !anyNA(fixed))) {
    return(fixed)
  }
  numbers <- if (is.character(fixed)) match(fixed, graph$names) else fixed
  allowed <- is.numeric(numbers) & numbers %in% seq_len(graph$vertices)
  if (!is.numeric(numbers) || !all(allowed)) {
    stop_message(
      "fixed", "fixed", call, graph$vertices, if (is.null(graph$names)) "" else ", or names",
      show_value(if (is.numeric(numbers) && is.vector(fixed)) fixed[!allowed][1L] else fixed)
    )
  }
  seq_len(graph$vertices) %in% numbers
}

# Repeats bounds to a value for each vertex and dimension; the core refuses other lengths.
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

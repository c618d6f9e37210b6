#' Quality of the layout of a graph
#'
#' Measures how well given positions of the vertices show a graph.
#'
#' @param graph,weights As in [gpu_layout()]. The weights change only the energy.
#' @param layout A matrix with a row for each vertex and 2 or 3 columns, without missing or infinite
#'   values.
#' @param pivots The number of vertices from which distances in the graph are computed for the
#'   stress. `NULL`: all of at most 5,000 vertices, otherwise 200.
#' @param crossings The number of pairs of edges to test, drawn at random if there are more. `NULL`:
#'   all of at most 10^7 pairs, otherwise 10^6 of them. 0: no pairs.
#' @param seed A whole number, the seed of both samples.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#' @param backend `"auto"` or `"cpu"`: layouts are measured on the CPU only.
#'
#' @return A list of class `gpu_layout_quality`. A measure that is not defined is `NA`:
#' * `stress`: the mean of (s d / g - 1)^2 over all connected pairs of vertices, where d is their
#'   distance in the layout, g the number of edges on a shortest path between them, and s the factor
#'   that makes the mean least. 0 is the best value;
#' * `scale`: the factor s;
#' * `neighborhood`: the mean over all vertices with neighbours of Jaccard's index of two sets: the
#'   g neighbours of the vertex, and the g vertices nearest to it in the layout, ties by vertex
#'   number. 1 is the best value;
#' * `edge_variation`: the standard deviation of the lengths of edges divided by their mean;
#' * `crossings`: the number of pairs of edges without a common vertex that have a point in common,
#'   ends included, decided exactly; `crossings_error`: its standard error if pairs were drawn,
#'   otherwise 0. In the plane only;
#' * `energy`: see [gpu_layout()];
#' * `pivots`: the number of pivots used.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' E. R. Gansner, Y. Hu and S. North (2013). A maxent-stress model for graph layout. *IEEE
#' Transactions on Visualization and Computer Graphics* 19, 927-940.
#'
#' J. R. Shewchuk (1997). Adaptive precision floating-point arithmetic and fast robust geometric
#' predicates. *Discrete & Computational Geometry* 18, 305-363.
#'
#' @seealso [gpu_layout()]
#'
#' @examples
#' ring <- cbind(1:12, c(2:12, 1))
#' gpu_layout_quality(ring, gpu_layout(ring, seed = 1))
#'
#' # Random positions, for comparison.
#' gpu_layout_quality(ring, matrix(runif(24), 12))
#' @export
gpu_layout_quality <- function(graph, layout, weights = NULL, pivots = NULL, crossings = NULL,
                               seed = 0, ..., backend = NULL, threads = NULL, progress = NULL,
                               memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  graph <- as_graph(graph, weights, call)
  bar <- progress_bar("Quality")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, NULL, "double", progress, bar$update, memory_limit)
  positions <- as_points(layout, "layout", call)
  options <- list(pivots = pivots, crossings = crossings, seed = seed)
  measures <- .Call(C_layout_quality, list(graph, positions), options, settings, call)
  structure(measures, class = "gpu_layout_quality")
}

#' @export
print.gpu_layout_quality <- function(x, digits = 4L, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  shown <- function(value) {
    if (is.na(value)) {
      return("none to measure")
    }
    format(value, digits = digits, big.mark = thousands_mark())
  }
  crossings <- shown(x$crossings)
  if (!is.na(x$crossings_error) && x$crossings_error > 0) {
    crossings <- paste(crossings, "+-", shown(x$crossings_error))
  }
  cat("Quality of a layout\n")
  cat("  stress:         ", shown(x$stress), ", from ", plural(x$pivots, "pivot"), "\n", sep = "")
  cat("  neighborhood:   ", shown(x$neighborhood), "\n", sep = "")
  cat("  edge variation: ", shown(x$edge_variation), "\n", sep = "")
  cat("  crossings:      ", crossings, "\n", sep = "")
  cat("  energy:         ", shown(x$energy), "\n", sep = "")
  invisible(x)
}

#' @export
summary.gpu_layout_quality <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  as.data.frame(lapply(unclass(object), as.numeric))
}

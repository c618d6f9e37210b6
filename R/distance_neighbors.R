# Neighbours by given distances, and by those of sequences, which the core reads in tiles. Ties,
# missing distances and results are those of points: see gpu_knn().

# Raises an error if a call with distances has what belongs to points.
check_neighbor_distances <- function(matched, query, call) {
  refuse_dots(matched$..., call, metric = "method")
  check_no_metric(matched, NULL, call)
  refuse_query(query, call)
}

refuse_query <- function(query, call) {
  if (!is.null(query)) {
    stop_message("with points", "query", call, "query")
  }
}

# Returns the points of a search, or a source of distances as source_of() describes it, of class
# "gpu_source".
neighbor_points <- function(x, from, metric, query = NULL) {
  source <- if (is_distances(x)) {
    source_of(x, "x", from$call)
  } else if (is_sequences(x, metric$method)) {
    refuse_query(query, from$call)
    sequence_source(x, metric, from$call)
  }
  if (!is.null(source)) {
    return(structure(source, class = "gpu_source"))
  }
  warn_of_points(x, "x", from$call)
  points_of(x, "x", from)
}

is_source <- function(x) inherits(x, "gpu_source")

# Returns the number of points, and their names.
neighbor_count <- function(x, call) if (is_source(x)) x$size else source_size(x, call)[[1L]]
neighbor_names <- function(x) if (is_source(x)) x$labels else dimnames(x)[[1L]]

# Checks a radius and settings by the core, in no points.
check_search <- function(radius, settings, call) {
  metric <- list(method = "euclidean", p = formals(gpu_metric)$p)
  begin_function(metric, list(matrix(0, 0L, 1L), NULL), settings, call, "query", radius)
}

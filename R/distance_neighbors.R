# Neighbours in given distances, which are computed in R on one thread. Ties, missing distances and
# results are those of points: see gpu_knn().

# Raises an error if a call with distances has what belongs to points.
check_neighbor_distances <- function(matched, query, call) {
  refuse_dots(matched$..., call, metric = "method")
  check_no_metric(matched, NULL, call)
  if (!is.null(query)) {
    stop_message("with points", "query", call, "query")
  }
}

# Returns the points of a search, or distances, which are checked.
neighbor_points <- function(x, from) {
  if (is_distances(x)) {
    source_of(x, "x", from$call)
    return(x)
  }
  warn_of_points(x, "x", from$call)
  points_of(x, "x", from)
}

# Returns the number of points, and their names.
neighbor_count <- function(x, call) {
  if (is_distances(x)) source_of(x, "x", call)$size else source_size(x, call)[[1L]]
}
neighbor_names <- function(x) {
  if (is_distances(x)) source_of(x, "x", NULL)$labels else dimnames(x)[[1L]]
}

# Do the same as C_knn and C_radius.
knn_of_distances <- function(d, k, settings, call) {
  start <- check_search(0, settings, call)
  most <- neighbor_count(d, call) - 1
  check_k(k, most, call)
  found <- neighbors_in(d, function(distance) smallest_of(distance, k), k, settings, call)
  end_function("gpu_knn", start)
  as_nearest(found, k)
}

radius_of_distances <- function(d, radius, settings, call) {
  start <- check_search(radius, settings, call)
  found <- neighbors_in(d, function(distance) which(distance <= radius), Inf, settings, call)
  end_function("gpu_radius", start)
  as_near(found)
}

# Checks a radius and settings by the core, in no points. Returns the time of the start.
check_search <- function(radius, settings, call) {
  metric <- list(method = "euclidean", p = formals(gpu_metric)$p)
  begin_function(metric, list(matrix(0, 0L, 1L), NULL), settings, call, "query", radius)
}

check_k <- function(k, most, call) {
  if (most < 1) {
    stop_argument(sprintf(
      "x must have at least 2 points for there to be a neighbour, not %.0f", most + 1
    ), "x", call)
  }
  if (!is.numeric(k) || length(k) != 1L || is.na(k) || k != round(k)) {
    stop_value(k, "k", "a whole number", call)
  }
  if (k < 1 || k > most) {
    stop_message("between", "k", call, most, "the other points", k)
  }
}

# Returns which are the k smallest and all ties of the last one, missing ones after all others.
smallest_of <- function(distance, k) {
  if (sum(!is.na(distance)) < k) {
    return(seq_along(distance))
  }
  which(distance <= sort(distance, partial = k)[k])
}

# Returns for each point list(index, distance) of the first `most` of the neighbours that
# choose(distances) returns the positions of, sorted by distance, then by index.
neighbors_in <- function(d, choose, most, settings, call) {
  n <- neighbor_count(d, call)
  width <- if (inherits(d, stored_distances)) max(1, floor(2^23 / n)) else 1
  blocks <- lapply(if (n > 0) seq(1, n, width), function(first) {
    columns <- seq(first, min(n, first + width - 1))
    block <- distance_columns(d, n, columns, call)
    show_progress(settings, first / n)
    lapply(seq_along(columns), function(i) nearest_in(block[, i], columns[i], choose, most))
  })
  unlist(blocks, recursive = FALSE)
}

nearest_in <- function(distance, self, choose, most) {
  distance <- distance[-self]
  chosen <- choose(distance)
  chosen <- utils::head(chosen[order(distance[chosen])], most)
  list(index = chosen + (chosen >= self), distance = distance[chosen])
}

# Returns the distances from all points to some, a column each. Those of a point from itself have no
# meaning.
distance_columns <- function(d, n, columns, call) {
  if (inherits(d, stored_distances)) {
    return(matrix(read_pairs(d, as.double(seq_len(n)), as.double(columns), call), n))
  }
  i <- as.double(seq_len(n))
  values <- vapply(columns, function(j) {
    low <- pmin(i, j)
    high <- pmax(i, j)
    as.double(.subset(d, pmax(1, n * (low - 1) - low * (low - 1) / 2 + high - low)))
  }, i)
  matrix(values, n)
}

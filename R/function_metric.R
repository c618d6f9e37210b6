# Distances by a function of the user, method(x, y): two vectors, which are rows of the points, and
# one number. They are computed in R, on one thread.

# Returns the distance of two points.
distance_by <- function(method, x, y, call) {
  distance <- method(x, y)
  if (!(is.numeric(distance) || is.logical(distance)) || length(distance) != 1L) {
    stop_argument(
      sprintf("method must return one number for two points, not %s", show_value(distance)),
      "method", call
    )
  }
  as.double(distance)
}

# Returns the name of a metric for the attributes of a "dist": that of a function if it was given by
# its name.
metric_name <- function(method, expression) {
  if (!is.function(method)) {
    return(method)
  }
  named <- is.name(expression) || (is.call(expression) && as.character(expression[[1L]])[1L] %in%
    c("::", ":::", "$"))
  if (named) paste(deparse(expression), collapse = " ") else "function"
}

# Checks the points and the settings of a call by the core, which names the argument at fault, and
# that p, which a function has no use for, is not given. Returns the time of the start.
begin_function <- function(metric, inputs, settings, call, y_name = "y", radius = 0) {
  if (any(vapply(inputs, inherits, NA, "gpu_hdf5"))) {
    stop_message("function in file", "method", call, "method")
  }
  if (!identical(as_doubles(metric$p), 2)) {
    stop_message("function parameter", "p", call, "p", "2", show_value(metric$p))
  }
  without_rows <- function(x) if (length(dim(x)) == 2L) x[0L, , drop = FALSE] else x
  empty <- lapply(inputs, without_rows)
  metric$method <- "euclidean"
  if (y_name == "query") {
    .Call(C_radius, empty, c(metric, list(radius = radius)), settings, call)
  } else {
    .Call(C_dist, empty, metric, settings, call)
  }
  proc.time()[["elapsed"]]
}

# Records the report of a call.
end_function <- function(name, start) {
  seconds <- proc.time()[["elapsed"]] - start
  state$last <- list(
    `function` = name, backend = "cpu", device = NA_integer_, threads = 1L, seconds = seconds,
    device_seconds = 0, devices = 0L
  )
}

show_progress <- function(settings, fraction) {
  if (isTRUE(settings$progress)) settings$bar(fraction)
}

# Returns the distances of the lower triangle by columns.
dist_by <- function(method, x, settings, call) {
  n <- nrow(x)
  distances <- numeric(n * (n - 1) / 2)
  at <- 0
  for (j in seq_len(max(n - 1L, 0L))) {
    point <- x[j, ]
    for (i in (j + 1L):n) {
      at <- at + 1
      distances[at] <- distance_by(method, x[i, ], point, call)
    }
    show_progress(settings, at / length(distances))
  }
  distances
}

# Returns the distances of the rows of x from one row of y.
distances_from <- function(method, x, y, j, call) {
  point <- y[j, ]
  vapply(seq_len(nrow(x)), function(i) distance_by(method, x[i, ], point, call), 0)
}

# Returns the matrix of the distances between the rows of x and those of y.
cdist_by <- function(method, x, y, settings, call) {
  distances <- matrix(0, nrow(x), nrow(y))
  for (j in seq_len(nrow(y))) {
    distances[, j] <- distances_from(method, x, y, j, call)
    show_progress(settings, j / nrow(y))
  }
  distances
}

# Returns for each point of query, or of x, list(index, distance) of the neighbours that choose()
# takes: it returns how many of the sorted distances belong to them.
neighbors_by <- function(method, x, query, choose, settings, call) {
  points <- if (is.null(query)) x else query
  lapply(seq_len(nrow(points)), function(j) {
    distance <- distances_from(method, x, points, j, call)
    index <- order(distance)
    if (is.null(query)) {
      index <- index[index != j]
    }
    index <- index[seq_len(choose(distance[index]))]
    show_progress(settings, j / nrow(points))
    list(index = index, distance = distance[index])
  })
}

# Do the same as C_knn and C_radius.
knn_by <- function(metric, x, query, k, settings, call) {
  start <- begin_function(metric, list(x, query), settings, call, "query")
  # Points without coordinates have the same limits of k.
  blank <- list(x[, 0L, drop = FALSE], if (!is.null(query)) matrix(0, 0L, 0L))
  euclidean <- replace(metric, "method", "euclidean")
  .Call(C_knn, blank, c(euclidean, list(k = k)), settings, call)
  found <- neighbors_by(metric$method, x, query, function(distances) k, settings, call)
  end_function("gpu_knn", start)
  as_nearest(found, k)
}

radius_by <- function(metric, x, query, radius, settings, call) {
  start <- begin_function(metric, list(x, query), settings, call, "query", radius)
  choose <- function(distances) sum(distances <= radius, na.rm = TRUE)
  found <- neighbors_by(metric$method, x, query, choose, settings, call)
  end_function("gpu_radius", start)
  as_near(found)
}

# Return lists of the neighbours of each point in the form of C_knn and C_radius.
as_nearest <- function(found, k) {
  rows <- function(part, type) {
    matrix(as.vector(unlist(lapply(found, `[[`, part)), type), length(found), k, byrow = TRUE)
  }
  list(index = rows("index", "integer"), distance = rows("distance", "double"))
}

as_near <- function(found) {
  list(
    count = lengths(lapply(found, `[[`, "index")),
    index = as.integer(unlist(lapply(found, `[[`, "index"))),
    distance = as.double(unlist(lapply(found, `[[`, "distance")))
  )
}

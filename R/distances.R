# Distances as arguments: objects of class "dist", files of distances, and those on a device.

is_distances <- function(d) inherits(d, c("dist", stored_distances))

# Classes of distances that are not in memory; as.dist() reads them.
stored_distances <- c("gpu_dist_file", "gpu_dist_device")

# Raises an error if a call with distances has a metric of points.
#
# matched  the call; without its method where the name of a metric is ignored. NULL: the distances
#          were computed from points
# metric   what metric_of() returned, whose parameters are always an error
check_no_metric <- function(matched, metric, call) {
  with_parameters <- !is.null(matched) && length(metric) > 1L
  given <- c(intersect(c("method", "metric"), names(matched)), if (with_parameters) "method")
  if (length(given)) {
    stop_message("with points", given[1L], call, given[1L])
  }
}

# Returns distances as src/r/distances.c reads them, with their number of points, labels and metric.
# name: of the argument.
source_of <- function(d, name, call) {
  if (inherits(d, stored_distances)) {
    return(stored_source(d, name, call))
  }
  check_dist(d, name, call)
  n <- attr(d, "Size")
  values <- if (is.double(d)) d else as_doubles(as.vector(d)) # a copy takes as long as clustering
  list(
    inputs = list(values, as.double(n)), source = "dist", size = n, labels = attr(d, "Labels"),
    metric = attr(d, "method")
  )
}

# Does the same for those in a file or on a device.
stored_source <- function(d, name, call) {
  check_stored(d, name, call)
  check_points_stored(d, name, call)
  in_file <- inherits(d, "gpu_dist_file")
  inputs <- if (in_file) list(d$file, d$name) else list(d$pointer)
  c(
    list(inputs = inputs, source = if (in_file) "file" else "device"),
    unclass(d)[c("size", "labels", "metric")]
  )
}

# Raises an error if an object of one of these classes does not have the form in which it was made.
check_stored <- function(d, name, call) {
  if (!is.list(d) || !has_size(d$size, d$labels) || !has_place(d)) {
    refuse_stored(d, name, call)
  }
}

has_size <- function(size, labels) {
  is.double(size) && length(size) == 1L && isTRUE(size >= 0 & size == floor(size)) &&
    (is.null(labels) || (is.character(labels) && length(labels) == size))
}

# True if the fields are there that say what the distances are and where.
has_place <- function(d) {
  in_file <- inherits(d, "gpu_dist_file")
  strings <- c("metric", "precision", if (in_file) c("file", "name", "shape"))
  numbers <- if (!in_file) c("device", "devices")
  fields <- unclass(d)
  all(vapply(strings, function(name) is_string(fields[[name]]), NA)) &&
    all(vapply(numbers, function(name) is_count(fields[[name]]), NA))
}

# Raises an error if the number of points is not that of the distances. Pointers that are not
# distances of this session are left to the core.
check_points_stored <- function(d, name, call) {
  about <- if (inherits(d, "gpu_dist_file")) {
    .Call(C_dist_file_info, d$file, d$name, call)
  } else {
    .Call(C_dist_device_info, d$pointer)
  }
  if (!is.null(about) && about$size != d$size) {
    refuse_stored(d, name, call)
  }
}

refuse_stored <- function(d, name, call) {
  from <- if (inherits(d, "gpu_dist_file")) "gpu_dist_file()" else "gpu_dist(keep = \"device\")"
  stop_argument(sprintf(
    "%s must be distances that %s returned, not an object that was changed or made by hand", name,
    from
  ), name, call)
}

is_string <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

# Returns what a function of distances passes on: list(inputs, options, size, labels, metric), where
# options has the source and, for points, the metric.
#
# x        points, or distances: an object of class "dist", a file, or those on a device
# metric   what metric_of() returned
# matched  the call with the names of its arguments and with the expressions of `...`, and
# given    the values of these
distances_from_any <- function(x, metric, matched, given, settings, memory_limit, call) {
  dots <- matched$...
  if (is_distances(x)) {
    refuse_dots(dots, call, metric = "method")
    check_no_metric(matched, metric, call)
    source <- source_of(x, "x", call)
    source$options <- list(source = source$source)
    return(source)
  }
  if (is_sequences(x, metric$method)) {
    refuse_dots(dots, call, metric = "method")
    return(sequence_source(x, metric, call))
  }
  warn_of_points(x, "x", call)
  from <- input_reader(dots, given, list(x), memory_limit, call)
  from$coding <- column_coding(x, metric, from)
  x <- points_of(x, "x", from)
  warn_of_columns(list(x), NULL, metric$method, call)
  options <- metric_list(x, metric, from$coding, call)
  source <- list(inputs = list(x), size = nrow(x), labels = dimnames(x)[[1L]])
  if (is.function(options$method)) {
    begin_function(options, list(x, NULL), settings, call)
    source$inputs <- list(dist_by(options$method, x, settings, call), as.double(nrow(x)))
    source$options <- list(source = "dist")
    source$metric <- "function"
  } else {
    source$options <- c(options, source = "points")
    source$metric <- .Call(C_metric, options$method, call)
  }
  source
}

# Returns distances between points as gpu_dist() does, in double precision.
#
# metric  what metric_of() returned
# run     what run_arguments() returns
# ...     what selects a part of x
distances_between <- function(x, metric, run, ...) {
  if (is_sequences(x, metric$method)) {
    return(sequence_distances(sequence_source(x, metric, sys.call(-1L)), run))
  }
  gpu_dist(
    x, as_metric(metric), ..., backend = run$backend, threads = run$threads, device = run$device,
    precision = "double", progress = run$progress, memory_limit = run$memory_limit
  )
}

# Returns the distances among some points, whose numbers increase, as an object of class "dist".
# Those in a file or on a device are read in blocks of columns of at most 64 MiB.
distances_among <- function(d, kept, memory_limit, call) {
  stored <- inherits(d, stored_distances)
  n <- as.double(if (stored) d$size else attr(d, "Size"))
  count <- as.double(length(kept))
  if (!stored && count == n) {
    return(d)
  }
  if (stored) {
    check_stored_size(count, memory_limit, call)
  }
  values <- numeric(count * (count - 1) / 2)
  width <- if (stored) max(1, floor(2^23 / count)) else 1
  end <- 0
  for (first in if (count > 1) seq(1, count - 1, width)) {
    columns <- seq(first, min(first + width, count) - 1)
    rows <- seq(first + 1, count)
    part <- if (stored) {
      block <- read_pairs(d, as.double(kept[rows]), as.double(kept[columns]), call)
      if (length(columns) == 1L) block else block[outer(rows, columns, ">")]
    } else {
      j <- as.double(kept[columns])
      .subset(d, n * (j - 1) - j * (j - 1) / 2 + kept[rows] - j)
    }
    values[end + seq_along(part)] <- part
    end <- end + length(part)
  }
  structure(values, Size = as.integer(count), Diag = FALSE, Upper = FALSE, class = "dist")
}

# Raises an error if the distances among n points take more than a memory limit that was given.
check_stored_size <- function(n, memory_limit, call) {
  limit <- setting("memory_limit", memory_limit, NULL)
  bytes <- n * (n - 1) * 4
  if (is.numeric(limit) && isTRUE(bytes > limit)) {
    refuse_size("x", sprintf("%.0f distances", n * (n - 1) / 2), bytes, limit, call)
  }
}

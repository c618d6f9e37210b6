# Distances as arguments: objects of class "dist", files of distances, and those on a device.

is_distances <- function(d) inherits(d, c("dist", stored_distances))

# Classes of distances that are not in memory; as.dist() reads them.
stored_distances <- c("gpu_dist_file", "gpu_dist_device")

# Raises an error if a call with distances has an argument of the metric of points, which has the
# names `names` there.
check_no_metric <- function(matched, names, call) {
  own <- c(names, "p", "scale", "cov", "singular", "types", "column_weights", "sphere_radius")
  given <- intersect(own, names(matched))
  if (length(given)) {
    stop_argument(
      sprintf("%s must be given with points, not with distances", given[1L]), given[1L], call
    )
  }
}

# Returns distances as src/r/distances.c reads them, with their number of points, labels and metric.
# name: of the argument.
source_of <- function(d, name, call) {
  if (inherits(d, stored_distances)) {
    return(stored_source(d))
  }
  n <- attr(d, "Size")
  values <- if (is.double(d)) d else as_doubles(as.vector(d)) # a copy takes as long as clustering
  if (!is.numeric(n) || length(n) != 1L || !is.numeric(d) || length(d) != n * (n - 1) / 2) {
    stop_argument(sprintf(
      "%s must be an object of class \"dist\" with n (n - 1) / 2 distances", name
    ), name, call)
  }
  list(
    inputs = list(values, as.double(n)), source = "dist", size = n, labels = attr(d, "Labels"),
    metric = attr(d, "method")
  )
}

# Does the same for those in a file or on a device.
stored_source <- function(d) {
  in_file <- inherits(d, "gpu_dist_file")
  inputs <- if (in_file) list(d$file, d$name) else list(d$pointer)
  c(
    list(inputs = inputs, source = if (in_file) "file" else "device"),
    unclass(d)[c("size", "labels", "metric")]
  )
}

# Returns what a function of distances passes on: list(inputs, options, size, labels, metric), where
# options has the source and, for points, the metric.
#
# x        points, or distances: an object of class "dist", a file, or those on a device
# metric   list(method, p, scale, cov, singular, types, column_weights), maybe with sphere_radius
# matched  the call with the names of its arguments and with the expressions of `...`, and
# given    the values of these
distances_from_any <- function(x, metric, matched, given, settings, memory_limit, call) {
  dots <- matched$...
  if (is_distances(x)) {
    refuse_dots(dots, call)
    check_no_metric(matched, c("method", "metric"), call)
    source <- source_of(x, "x", call)
    source$options <- list(source = source$source)
    return(source)
  }
  from <- input_reader(dots, given, list(x), memory_limit, call)
  from$coding <- column_coding(x, metric$method, metric$types, from)
  x <- points_of(x, "x", from)
  options <- metric_list(
    metric$method, metric$p, metric$scale, metric$cov, metric$singular, from$coding,
    metric$column_weights, call, metric$sphere_radius
  )
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

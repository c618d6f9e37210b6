# Distances as arguments: objects of class "dist", and files of distances.

is_distances <- function(d) inherits(d, c("dist", "gpu_dist_file"))

# Returns distances as src/r/distances.c reads them, with their number of points, labels and metric.
# name: of the argument.
source_of <- function(d, name, call) {
  if (inherits(d, "gpu_dist_file")) {
    return(list(
      inputs = list(d$file, d$name), source = "file", size = d$size, labels = d$labels,
      metric = d$metric
    ))
  }
  n <- attr(d, "Size")
  values <- as_doubles(as.vector(d))
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

#' Closest pairs of points
#'
#' Finds the `k` closest pairs among the rows of a matrix, or between the rows of two matrices, in
#' time that grows with the number of points and not with the number of pairs.
#'
#' @param x,y Points in rows: a numeric or logical matrix, a data frame of such columns, or a
#'   vector, which is one column; or an object of those in [gpu_inputs]. `x` is n by 1, 2 or 3, and
#'   `y` has as many columns. Missing and infinite values are an error. Integer storage is computed
#'   exactly.
#' @param k The number of pairs, a whole number between 1 and the number of all pairs.
#' @param distinct `TRUE` leaves out pairs of coincident points, those at distance 0.
#' @param metric `"euclidean"`, or `"great-circle"` for points on a sphere: the columns are then
#'   longitude (between -180 and 360) and latitude (between -90 and 90), both in degrees. The radius
#'   is that of the earth unless `metric` is `gpu_metric("great-circle", sphere_radius = )`, see
#'   [gpu_metric()].
#' @param box For points in a periodic box: a positive length for each column, or 0 for a column
#'   that is not periodic. Not for great circles.
#' @param algorithm The algorithm, which never changes the result: `"auto"` or `"grid"`, points
#'   sorted into the cells of a grid; or one of the schemes of Baroni, Braga and Moreano, to
#'   reproduce their measurements: `"sweep-v0"`, `"sweep-v1"` and `"sweep-v2"` (points sorted along
#'   the first column in regions of 32, without and with their optimisations 1 and 2), and
#'   `"divide-conquer"` (on the CPU only). These schemes take neither `y` nor `box` nor great
#'   circles.
#' @inheritParams gpu_dist
#'
#' @return A data frame with a row for each pair, the nearest first and ties by `i`, then `j`:
#' * `i`, `j`: row numbers, `i < j` and both of `x`, or with `y` given `i` of `x` and `j` of `y`;
#' * `distance`.
#'
#' There are `k` rows; fewer if `distinct = TRUE` and there are fewer such pairs. The attribute
#' `ties` is the number of pairs, returned or not, with the smallest distance.
#'
#' @details Distances of doubles are compared by their squares, the differences of the coordinates
#'   and their sum rounded as `fma` does; of integer storage by the exact squares. The result is the
#'   same for any algorithm, on any number of threads, on the CPU and on a GPU. There is no argument
#'   `precision`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' E. F. Baroni, G. M. Braga and N. Moreano (2020). Paralelização e otimização em GPU do problema do
#' par de pontos mais próximos. *Workshop em Desempenho de Sistemas Computacionais e de Comunicação
#' (WPerformance)*.
#'
#' @seealso [gpu_collisions()] for all pairs within a distance, [gpu_dist()] for all distances.
#'
#' @examples
#' gpu_closest_pair(quakes[, c("long", "lat")], metric = "great-circle")
#'
#' x <- matrix(runif(2000), 1000)
#' pairs <- gpu_closest_pair(x, k = 3)
#' pairs
#' attr(pairs, "ties")
#'
#' # The nearest of other points, and in a box whose opposite sides meet.
#' gpu_closest_pair(x, matrix(runif(20), 10))
#' gpu_closest_pair(x, box = c(1, 1))
#'
#' # Different points that are closest.
#' gpu_closest_pair(c(5, 1, 5, 2), distinct = TRUE)
#' @export
gpu_closest_pair <- function(x, y = NULL, k = 1, distinct = FALSE,
                             metric = "euclidean", box = NULL, algorithm = "auto", ...,
                             backend = NULL, threads = NULL, device = NULL, progress = NULL,
                             memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    mixed = FALSE, metric = "metric"
  )
  bar <- progress_bar("Closest pairs")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  inputs <- list(points_of(x, "x", from), points_of(y, "y", from))
  metric <- metric_of(metric, NULL, TRUE, call)
  warn_of_columns(inputs, "y", metric$method, call)
  options <- list(
    k = k, distinct = distinct, metric = metric$method, box = as_doubles(box),
    sphere_radius = metric$sphere_radius, algorithm = algorithm
  )
  pairs <- .Call(C_closest, inputs, options, settings, call)
  structure(
    pairs[c("i", "j", "distance")],
    row.names = .set_row_names(length(pairs$i)), class = "data.frame", ties = pairs$ties
  )
}

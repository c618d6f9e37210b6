#' Collisions of points
#'
#' Finds the points within a distance of each other: the number of pairs, the number for each point
#' or each pair of groups, or the pairs. The time grows with the number of points and of collisions,
#' not with the number of all pairs.
#'
#' `gpu_collisions_launch()` begins the same computation and returns at once. It continues while R
#' evaluates other code; `gpu_collisions_fetch()` waits for the result.
#'
#' @param x,y Points in rows, as for [gpu_closest_pair()]: 1, 2 or 3 columns without missing or
#'   infinite values. With `y`, pairs of a row of `x` and a row of `y`, else pairs of rows of `x`.
#' @param radius Two points collide at a distance of at most `radius`, a positive number. It has no
#'   default: a call with neither `radius` nor `radii` is an error.
#' @param radii Instead of `radius`, a positive number for each row of `x` and then for each row of
#'   `y`: two points collide at a distance of at most the sum of theirs.
#' @param exclude A whole number: points of a chain, one in each row, do not collide with those at
#'   most `exclude` rows before or after. Without `y` only.
#' @param group For `what = "table"`: the group of each row of `x` and then of `y`, a vector or a
#'   factor without missing values.
#' @param box For points in a periodic box: a length for each column that is at least twice the
#'   radius (or the largest sum of two radii), or 0 for a column that is not periodic.
#' @param what What to return, see Value.
#' @param twice Whether pairs are listed twice, also as j and i. Without `y` only.
#' @param algorithm The algorithm, which never changes the result: `"grid"`, points sorted into the
#'   cells of a grid; `"usual"` or `"cyclic"`, all pairs in one of two orders (each point with those
#'   after it, or with the half of all others that follows it in a circle; `"cyclic"` without `y`
#'   only); `"lattice"`, for whole numbers and a radius below 1: only equal points collide;
#'   `"auto"`, the fastest of these by an estimate.
#' @param metric `"euclidean"`, or `"great-circle"` for points on a sphere, as for
#'   [gpu_closest_pair()]: the columns are longitude (between -180 and 360) and latitude (between
#'   -90 and 90), both in degrees. Great circles go without `box` and the algorithm
#'   `"lattice"`, and are computed on the CPU unless `backend = "cuda"`; the CPU then tests the
#'   pairs that the GPU finds, which are in memory until then.
#' @inheritParams gpu_dist
#'
#' @return `gpu_collisions()` and `gpu_collisions_fetch()`, by `what`:
#' * `"count"`: the number of pairs that collide, exact up to 2^53;
#' * `"per_point"`: a vector with the number of collisions of each row of `x`, named by its row
#'   names;
#' * `"pairs"`: a data frame with a row for each pair, as [gpu_closest_pair()] returns: `i`, `j` and
#'   their `distance`, in ascending order of `i`, then `j`. Without `y` both are row numbers of `x`
#'   and `i < j`; with `y`, `i` is one of `x` and `j` one of `y`;
#' * `"indices"`, `"ijd"` and `"all"`: the same pairs as a data frame with the names of
#'   `spatstat.geom::closepairs()`: `i` and `j`; or with the distance `d`; or with the coordinates
#'   `xi`, `yi`, `zi`, `xj`, `yj`, `zj` and the differences `dx`, `dy` and `dz` from `i` to `j`,
#'   too, in a periodic `box` to the nearest image of `j`. `"all"` is not for great circles.
#'   `closepairs()` lists pairs twice unless `twice = FALSE`;
#' * `"table"`: a symmetric matrix with the number of collisions for each pair of groups; with `y`,
#'   the groups of `x` are in rows and those of `y` in columns.
#'
#' `gpu_collisions_launch()`: an object of class `"gpu_future"`. Any number of them can run; they
#' can be fetched in any order and more than once. When R collects it as garbage, its computation
#' ends and its memory is freed. Printing it shows whether it is running or done. It is valid only
#' in the process that created it: it cannot be saved to a file or used in another process.
#'
#' @details Points collide if their distance, rounded as [gpu_dist()] and [gpu_closest_pair()] round
#'   it, is at most the radius (or sum of radii): those of [gpu_radius()] are the same pairs. The
#'   result is the same for any algorithm, on any number of threads, on the CPU and on a GPU. There
#'   is no argument `precision`.
#'
#'   Memory is proportional to the number of points, for any range of coordinates, and with `what =
#'   "pairs"` to the number of points and pairs. Launching copies the points; a future of pairs
#'   holds `x` and `y`, too.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' ElfColCnt: counting collisions among objects in the three-dimensional space. From there are the
#' algorithms `"usual"`, `"cyclic"` and, with sorted points instead of an array, `"lattice"`, and
#' launch and fetch.
#'
#' @seealso [gpu_closest_pair()], [gpu_dist()]
#'
#' @examples
#' x <- matrix(runif(3000), 1000)
#' gpu_collisions(x, 0.1)
#' table(gpu_collisions(x, 0.1, what = "per_point"))
#' head(gpu_collisions(x, 0.1, what = "pairs"))
#'
#' # Balls of different size, and how often they touch, by kind.
#' kind <- sample(c("small", "large"), 1000, replace = TRUE)
#' gpu_collisions(x, radii = c(small = 0.02, large = 0.05)[kind], group = kind, what = "table")
#'
#' # Earthquakes within 50 km of each other.
#' gpu_collisions(quakes[, c("long", "lat")], 5e4, metric = "great-circle")
#'
#' # A chain on a lattice that crosses itself; neighbours may be on the same point.
#' chain <- apply(matrix(sample(-1:1, 300, replace = TRUE), 100), 2, cumsum)
#' gpu_collisions(chain, 0.5, exclude = 1, algorithm = "lattice")
#'
#' # Two at once, while R goes on.
#' near <- gpu_collisions_launch(x, 0.05)
#' far <- gpu_collisions_launch(x, 0.2)
#' near
#' gpu_collisions_fetch(far) - gpu_collisions_fetch(near)
#' @export
gpu_collisions <- function(x, radius = NULL, radii = NULL, y = NULL, exclude = 0, group = NULL,
                           box = NULL, what = "count", twice = FALSE,
                           algorithm = "auto", metric = "euclidean", ..., backend = NULL,
                           threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    mixed = FALSE, metric = "metric"
  )
  bar <- progress_bar("Collisions")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  metric <- metric_of(metric, NULL, TRUE, call)
  warn_of_columns(list(x, y), "y", metric$method, call)
  group <- as_groups(group, call)
  form <- pair_form(what, twice, y, metric$method, call)
  what <- form$what
  future <- .Call(C_collide_new, collide_labels(x, y, group, what))
  on.exit(.Call(C_collide_free, future), add = TRUE)
  options <- collide_options(
    radius, radii, exclude, group, box, what, algorithm, metric,
    launch = FALSE
  )
  .Call(C_collide_begin, list(x, y, future), options, settings, call)
  name <- list(`function` = "gpu_collisions")
  found <- .Call(C_collide_result, list(future), name, settings, call)
  form_pairs(found, form, x, y, box)
}

#' @rdname gpu_collisions
#' @export
gpu_collisions_launch <- function(x, radius = NULL, radii = NULL, y = NULL, exclude = 0,
                                  group = NULL, box = NULL, what = "count", twice = FALSE,
                                  algorithm = "auto", metric = "euclidean", ..., backend = NULL,
                                  threads = NULL, device = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    mixed = FALSE, metric = "metric"
  )
  settings <- run_settings(backend, threads, device, "double", FALSE, memory_limit = memory_limit)
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  metric <- metric_of(metric, NULL, TRUE, call)
  warn_of_columns(list(x, y), "y", metric$method, call)
  group <- as_groups(group, call)
  form <- pair_form(what, twice, y, metric$method, call)
  what <- form$what
  future <- .Call(C_collide_new, collide_labels(x, y, group, what))
  reg.finalizer(future, free_future, onexit = TRUE)
  options <- collide_options(
    radius, radii, exclude, group, box, what, algorithm, metric,
    launch = TRUE
  )
  .Call(C_collide_begin, list(x, y, future), options, settings, call)
  attr(future, "finish") <- function(found) form_pairs(found, form, x, y, box)
  future
}

#' @rdname gpu_collisions
#' @param future What `gpu_collisions_launch()` returned.
#' @export
gpu_collisions_fetch <- function(future, ..., progress = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Collisions")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update)
  name <- list(`function` = "gpu_collisions_fetch")
  found <- .Call(C_collide_result, list(future), name, settings, call)
  attr(future, "finish")(found)
}

#' @export
print.gpu_future <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  done <- .Call(C_collide_done, x)
  progress <- if (is.na(done)) "not alive" else if (done) "done" else "running"
  cat("<gpu_future: collisions, ", progress, ">\n", sep = "")
  invisible(x)
}

# A finalizer in R: one in C would be a pointer into a library that may have been unloaded.
free_future <- function(future) {
  if (state$loaded) .Call(C_collide_free, future)
}

# Returns list(names, codes) of the groups, the codes from 0 and NA where missing; NULL without any.
as_groups <- function(group, call) {
  if (is.null(group)) {
    return(NULL)
  }
  if (!is.atomic(group)) {
    stop_value(group, "group", "a vector with a value for each point", call)
  }
  check_factor(group, "group", call)
  if (is.factor(group)) {
    return(list(names = levels(group), codes = as.integer(group) - 1L))
  }
  group <- c(group)
  names <- sort(unique(group))
  list(names = as.character(names), codes = match(group, names) - 1L)
}

# Returns list(what, fields, twice): what the core computes, and how its pairs are listed.
pair_form <- function(what, twice, y, metric, call) {
  fields <- if (is_string(what) && what %in% c("indices", "ijd", "all")) what
  twice <- flag_of(twice, "twice", call)
  pairs <- !is.null(fields) || (is_string(what) && grepl("^pa", what, ignore.case = TRUE))
  if (twice && (!pairs || !is.null(y))) {
    stop_argument("twice must be FALSE, except for pairs of rows of x", "twice", call)
  }
  if (identical(fields, "all") && identical(metric, "great-circle")) {
    stop_message("great circles", "what", call)
  }
  list(what = if (is.null(fields)) what else "pairs", fields = fields, twice = twice)
}

# Returns what the core found in the form that pair_form() returned.
form_pairs <- function(found, form, x, y, box) {
  if (form$twice) {
    found <- data.frame(
      i = c(found$i, found$j), j = c(found$j, found$i), distance = c(found$distance, found$distance)
    )
    found <- found[order(found$i, found$j), ]
    rownames(found) <- NULL
  }
  if (is.null(form$fields)) {
    return(found)
  }
  names(found)[3L] <- "d"
  switch(form$fields,
    indices = found[c("i", "j")],
    ijd = found,
    all = pair_coordinates(found, x, if (is.null(y)) x else y, box)
  )
}

pair_coordinates <- function(pairs, x, y, box) {
  axes <- c("x", "y", "z")[seq_len(NCOL(x))]
  from <- as.matrix(x)[pairs$i, , drop = FALSE]
  to <- as.matrix(y)[pairs$j, , drop = FALSE]
  storage.mode(from) <- storage.mode(to) <- "double"
  dimnames(from) <- list(NULL, paste0(axes, "i"))
  dimnames(to) <- list(NULL, paste0(axes, "j"))
  between <- to - from
  for (k in which(box > 0)) {
    between[, k] <- between[, k] - box[k] * round(between[, k] / box[k])
  }
  colnames(between) <- paste0("d", axes)
  data.frame(pairs[c("i", "j")], from, to, between, pairs["d"])
}

# What gg_r_collide_new() keeps for the result; the distances of pairs are computed of the points.
collide_labels <- function(x, y, group, what) {
  labels <- list(rows = dimnames(x)[[1L]], groups = group$names)
  pairs <- is.character(what) && any(grepl("^pa", what, ignore.case = TRUE))
  if (pairs) c(labels, list(x = x, y = y)) else labels
}

# The arguments in the form that gg_r_collide_begin() of src/r/collide.c reads.
collide_options <- function(radius, radii, exclude, group, box, what, algorithm, metric, launch) {
  list(
    radius = radius, radii = as_doubles(radii), exclude = exclude, group = group$codes,
    groups = length(group$names), box = as_doubles(box), what = what, algorithm = algorithm,
    metric = metric$method, sphere_radius = metric$sphere_radius, launch = launch
  )
}

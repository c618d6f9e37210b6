#' Distance matrices in tiles
#'
#' A distance matrix that is larger than memory, or that several machines compute, is cut into
#' tiles: blocks of at most `side` by `side` pairs. `gpu_tiles_plan()` cuts it, `gpu_dist_tile()`
#' computes one of them, and `gpu_dist_tiles()` computes all, one after the other, and calls a
#' function with each. Every tile has the same bits as that part of the whole matrix, on any
#' machine.
#'
#' @inheritParams gpu_dist
#' @param method The metric, as in [gpu_dist()], but not a function.
#' @param x Points as in [gpu_dist()], in memory or in an HDF5 file ([gpu_hdf5()]). For
#'   `gpu_tiles_plan()` it can be their number alone.
#' @param y Other points, or their number: tiles of the matrix of distances between `x` and `y`.
#'   `NULL`: the distances within `x`, of which only the tiles on and below the diagonal are
#'   computed.
#' @param side Rows and columns of a tile, a whole number of at least 1; the last ones have fewer.
#'   `NULL`: the largest with which computing and storing a tile takes at most `memory_limit` bytes.
#' @param plan What `gpu_tiles_plan()` returned.
#' @param tile The number of a tile, its row in the plan.
#' @param fun A function of three arguments: the matrix of a tile, and the row and the column of the
#'   whole matrix at which it begins, both counted from 1.
#'
#' @return `gpu_tiles_plan()`: a data frame of class `"gpu_tiles_plan"` with a row for each tile:
#' * `tile`: its number, from 1;
#' * `row`, `rows`: its first row in the whole matrix, and its number of rows;
#' * `column`, `columns`: its first column, and its number of columns.
#'
#'   `gpu_dist_tile()`: a matrix of `rows` by `columns` distances; one on the diagonal is symmetric.
#'
#'   `gpu_dist_tiles()`: the plan, invisibly.
#'
#' @details Workers need only the plan and the points. A plan made from the points, and not from
#'   their number, contains the parameters that a metric computes from all points (standard
#'   deviations, a covariance, whether values are missing). Options of a call, such as `backend` or
#'   `precision`, are given by the worker.
#'
#'   Tiles are numbered down one column of tiles after the other. They depend only on the points:
#'   a tile whose worker has failed can be computed again. See `vignette("scale", package =
#'   "gpugeo")` for BiocParallel and Slurm.
#'
#' @section Segments, splits and chunks: Arefin et al. compute a distance matrix in *chunks*, square
#' blocks that fit into a device's memory; the chunks that share their rows are a *split*, and
#' several splits are a *segment*, which one device computes. Here a *chunk* is a tile, a row of the
#' plan. A *split* is the tiles of one `column`, which the plan lists together; within `x` only
#' those on and below the diagonal are computed. A *segment* is any part of the plan that one worker
#' takes, as with `split(plan$tile, worker)`. Their padding of rows and columns to whole blocks has
#' no counterpart: the last tiles are smaller. The *chunking of the input* of their section V
#' corresponds to [gpu_hdf5()] and `memory_limit`.
#'
#' @section Missing distances:
#' `gpu_dist_tile()` gives the warning of [gpu_dist()] for the distances of its tile, with the rows
#' counted in `x` and `y`; `gpu_dist_tiles()` gives one warning for the whole matrix.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' A. S. Arefin, C. Riveros, R. Berretta and P. Moscato (2012). Computing large-scale distance
#' matrices on GPU. *7th International Conference on Computer Science & Education*, sections III and
#' V.
#'
#' @seealso [gpu_dist()], whose argument `file` writes all tiles to a file.
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' plan <- gpu_tiles_plan(x, method = "seuclidean", side = 60)
#' plan
#' gpu_dist_tile(x, plan, 2)[1:3, 1:3]
#'
#' # The number of pairs nearer than 1, without the matrix.
#' near <- 0
#' gpu_dist_tiles(x, function(d, row, column) {
#'   near <<- near + sum(d < 1) / if (row == column) 2 else 1
#' }, side = 60)
#' near - nrow(x) / 2
#' sum(dist(x) < 1)
#' @name gpu_tiles_plan
NULL

#' @rdname gpu_tiles_plan
#' @export
gpu_tiles_plan <- function(x, y = NULL, method = "euclidean", ..., metric = NULL, side = NULL,
                           memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    panels = TRUE
  )
  metric <- metric_of(method, metric, missing(method), call)
  counted <- is_count(x)
  from$coding <- column_coding(if (counted) NULL else x, metric, from)
  x <- if (counted) x else points_of(x, "x", from)
  y <- if (is.null(y) || is_count(y)) y else points_of(y, "y", from)
  warn_of_columns(list(x, y), "y", metric$method, call)
  metric$method <- .Call(C_metric, full_method(metric$method), call)
  metric <- metric_list(x, metric, from$coding, call)
  settings <- run_settings(progress = FALSE, memory_limit = memory_limit)
  shared <- if (!counted && !is_count(y)) share_metric(x, y, metric, FALSE, settings, call)
  plan <- make_plan(x, y, metric, shared, side, settings, call)
  structure(plan, coding = if (!is.null(from$coding$columns)) from$coding)
}

#' @rdname gpu_tiles_plan
#' @export
gpu_dist_tile <- function(x, plan, tile, y = NULL, ..., backend = NULL, threads = NULL,
                          device = NULL, precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    panels = TRUE, metric = NULL
  )
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  from$coding <- attr(plan, "coding")
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  warn_of_columns(list(x, y), "y", "", call)
  compute_tile(x, y, plan, tile, settings, call)
}

#' @rdname gpu_tiles_plan
#' @export
gpu_dist_tiles <- function(x, fun, y = NULL, method = "euclidean", ..., metric = NULL, side = NULL,
                           memory_limit = NULL, backend = NULL, threads = NULL, device = NULL,
                           precision = NULL, progress = NULL) {
  call <- sys.call()
  from <- input_reader(
    match.call(expand.dots = FALSE)$..., list(...), list(x, y), memory_limit, call,
    panels = TRUE
  )
  metric <- metric_of(method, metric, missing(method), call)
  if (!is.function(fun)) {
    stop_value(fun, "fun", "a function", call)
  }
  from$coding <- column_coding(x, metric, from)
  x <- points_of(x, "x", from)
  y <- points_of(y, "y", from)
  warn_of_columns(list(x, y), "y", "", call)
  metric$method <- .Call(C_metric, full_method(metric$method), call)
  metric <- metric_list(x, metric, from$coding, call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  each_tile(x, y, metric, side, settings, call, fun)
}

# Returns the number of points if one number is given instead of points.
is_count <- function(x) is.numeric(x) && is.null(dim(x)) && length(x) == 1L && !is.object(x)

make_plan <- function(x, y, metric, shared, side, settings, call) {
  size <- plan_size(x, "x", call)
  other <- if (is.null(y)) -1 else plan_size(y, "y", call)[1L]
  sizes <- as.double(c(size[1L], other, size[2L]))
  made <- .Call(C_tiles_plan, list(sizes), list(side = side), settings, call)
  plan <- as.data.frame(made$table)
  names(plan) <- c("row", "rows", "column", "columns")
  plan <- cbind(tile = seq_len(nrow(plan)), plan)
  structure(plan,
    class = c("gpu_tiles_plan", "data.frame"), metric = metric, shared = shared,
    size = as.double(c(size[1L], other, made$side))
  )
}

# Returns the numbers of points and of their coordinates, 0 if only the first is known.
plan_size <- function(x, argument, call) {
  if (!is_count(x)) {
    return(source_size(x, call))
  }
  if (is.na(x) || x != round(x) || x < 0 || x > 2^40) {
    stop_message("tiles points", argument, call, argument, format(x))
  }
  c(x, 0)
}

# What all tiles have in common.
share_metric <- function(x, y, metric, warn, settings, call) {
  .Call(C_dist_metric_params, list(x, y), c(metric, list(warn = warn)), settings, call)
}

compute_tile <- function(x, y, plan, tile, settings, call, warn = TRUE) {
  if (!inherits(plan, "gpu_tiles_plan") || is.null(attr(plan, "size"))) {
    stop_value(plan, "plan", "a result of gpu_tiles_plan()", call)
  }
  options <- list(
    shared = attr(plan, "shared"), plan = attr(plan, "size"), tile = tile, warn = warn
  )
  values <- .Call(C_dist_tile, list(x, y), c(attr(plan, "metric"), options), settings, call)
  names <- names_of(source_labels(x), source_labels(if (is.null(y)) x else y))
  if (!is.null(names)) {
    here <- plan[plan$tile == tile, ]
    some <- function(labels, first, count) labels[seq.int(first, length.out = count)]
    dimnames(values) <- list(
      some(names[[1L]], here$row, here$rows), some(names[[2L]], here$column, here$columns)
    )
  }
  values
}

# Computes all tiles and calls fun with each; there is one progress bar for all.
each_tile <- function(x, y, metric, side, settings, call, fun) {
  shared <- share_metric(x, y, metric, TRUE, settings, call) # warns for all tiles
  plan <- make_plan(x, y, metric, shared, side, settings, call)
  update <- settings$bar
  pairs <- plan$rows * plan$columns
  before <- c(0, cumsum(pairs)) / max(sum(pairs), 1)
  for (tile in plan$tile) {
    settings$bar <- function(fraction) {
      update(before[tile] + fraction * (before[tile + 1L] - before[tile]))
    }
    fun( # which is given the only reference to the tile, for the memory limit
      compute_tile(x, y, plan, tile, settings, call, warn = FALSE),
      plan$row[tile], plan$column[tile]
    )
  }
  invisible(plan)
}

# Returns a result in memory for points in a file: condensed within x, else a matrix.
dist_in_panels <- function(x, y, metric, settings, call) {
  n <- source_size(x, call)[[1L]]
  out <- if (is.null(y)) numeric(n * (n - 1) / 2) else matrix(0, n, source_size(y, call)[[1L]])
  store_pairs <- function(values, row, column) {
    for (k in seq_len(ncol(values))) {
      j <- column + k - 1
      from <- max(row, j + 1)
      to <- row + nrow(values) - 1
      if (from <= to) {
        before <- (j - 1) * n - j * (j - 1) / 2 - j
        out[before + from:to] <<- values[(from:to) - row + 1, k]
      }
    }
  }
  store_block <- function(values, row, column) {
    out[row + seq_len(nrow(values)) - 1, column + seq_len(ncol(values)) - 1] <<- values
  }
  each_tile(x, y, metric, NULL, settings, call, if (is.null(y)) store_pairs else store_block)
  out
}

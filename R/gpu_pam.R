#' Partitioning around medoids
#'
#' `gpu_pam()` finds k medoids among the points for which the distances of all points from their
#' nearest medoids have a small sum, as [cluster::pam()] does, by a faster algorithm, on all CPU
#' cores, for any metric and for more than 65,536 points.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()]. Distances must be finite.
#' @param k The number of clusters: a whole number between 1 and the number of points.
#' @param medoids The numbers of k different points to begin with. `NULL`: chosen one after the
#'   other (BUILD). `"random"`, the default if `nstart` is given: drawn by [sample.int()].
#' @param nstart How many times medoids are drawn: a whole number of at least 1. The first result
#'   with the smallest sum is returned. Each start computes the distances of points again.
#' @param stand `TRUE`: the columns of `x` are standardized first: their means are subtracted, and
#'   they are divided by their mean absolute deviations.
#' @param cluster.only `TRUE`: only the clusters are returned.
#' @param do.swap `FALSE`: the medoids that were chosen first are the result.
#' @param variant How medoids are swapped, see Details: `"faster"` or `"original"`; `"o_1"`, `"o_2"`
#'   and `"f_3"`, which are faster forms of the latter in [cluster::pam()], are `"original"` here.
#' @param keep.diss,keep.data `TRUE`: the result has the distances, or the points, as
#'   [cluster::clusplot()] needs them. By default the distances of fewer than 100 points are kept,
#'   and points are.
#' @inheritParams gpu_dist
#'
#' @return An object of the classes `"pam"` and `"partition"` of package cluster, which has methods
#'   for it (`print()`, `summary()`, `plot()`, `silhouette()`): a list with the elements `medoids`,
#'   `id.med`, `clustering`, `objective`, `isolation`, `clusinfo`, `silinfo`, `diss`, `call` and
#'   `data`, see [cluster::pam.object]. Clusters are numbered in the order of their first points.
#'   With `cluster.only`, the vector `clustering`.
#'
#' @details The first medoid is the point with the smallest sum of distances, and each further one
#'   makes the sum of the distances from the nearest medoids the smallest, as in [cluster::pam()].
#'   Then medoids are swapped with other points until no swap makes the sum smaller. Sums that
#'   differ by less than 1e-12 of their size count as equal. With `variant = "faster"` points are
#'   tried in their order, and each whose exchange with a medoid makes the sum smaller replaces at
#'   once the one for which this is most (FasterPAM, Schubert and Rousseeuw 2021).
#'   `variant = "original"` always makes the best of all swaps (FastPAM1), as [cluster::pam()] does
#'   by default, and finds the same medoids. Both end in a local optimum; neither is better in
#'   general. `"f_4"` and `"f_5"` of [cluster::pam()] make several swaps at a time and are refused.
#'   Nothing is random, except medoids that are drawn. If several points are equally good, the last
#'   one is chosen first and the first one is swapped, as in [cluster::pam()].
#'
#'   The matrix of all distances is stored if its 8 n^2 bytes are at most `memory_limit`, by default
#'   half of the memory that R may use. If not, the distances are computed again for each pass over
#'   all points, or read again from a file. The result has the same bits for any number of threads,
#'   any `memory_limit` and every kind of `x` that holds the same distances.
#'
#' @references L. Kaufman and P. J. Rousseeuw (1990). *Finding Groups in Data*. Wiley.
#'
#' E. Schubert and P. J. Rousseeuw (2021). Fast and eager k-medoids clustering. *Information
#' Systems* **101**, 101804.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_silhouette()], [gpu_hclust()], [cluster::pam()]
#'
#' @examples
#' parts <- gpu_pam(iris[, 1:4], 3)
#' parts$medoids
#' table(parts$clustering, iris$Species)
#' if (requireNamespace("cluster", quietly = TRUE)) {
#'   print(summary(parts))
#'   plot(parts)
#' }
#'
#' # From distances.
#' gpu_pam(gpu_dist(USArrests, "manhattan"), 4)$medoids
#' @export
gpu_pam <- function(x, k, method = "euclidean", ..., metric = NULL, medoids = NULL,
                    stand = FALSE, cluster.only = FALSE, do.swap = TRUE, # nolint: names of pam()
                    variant = c("faster", "original", "o_1", "o_2", "f_3"), # nolint
                    keep.diss = NULL, keep.data = NULL, # nolint
                    backend = NULL, threads = NULL, device = NULL, precision = NULL,
                    progress = NULL, memory_limit = NULL, nstart = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  raw <- x
  x <- standardized(x, stand, call)
  bar <- progress_bar("Medoids")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  own <- list(
    k = k, do.swap = do.swap, cluster.only = cluster.only,
    eager = choose_one(variant, pam_variants, "variant", call) == "faster"
  )
  partition <- function(from) {
    options <- c(source$options, own, list(medoids = from))
    .Call(C_pam, source$inputs, options, settings, call)
  }
  made <- best_of(starts_of_pam(medoids, nstart, k, source$size, call), partition)
  names(made$clustering) <- source$labels
  if (cluster.only) {
    return(made$clustering)
  }
  distances <- function() {
    if (source$options$source == "sequences") {
      return(sequence_distances(source, list(threads = threads, memory_limit = memory_limit)))
    }
    gpu_dist(x, as_metric(metric), ..., progress = FALSE)
  }
  kept <- kept_by_pam(raw, source, keep.diss, keep.data, distances, call)
  if (stand && !is.null(kept$data)) {
    kept$data <- x
  }
  as_pam(made, kept, match.call())
}

# Returns points whose columns are standardized as by cluster::pam(), or x.
standardized <- function(x, stand, call) {
  if (!flag_of(stand, "stand", call)) {
    return(x)
  }
  if (is_distances(x) || is_sequences(x, NULL)) {
    stop_message("with points", "stand", call, "stand")
  }
  warn_of_points(x, "x", call)
  x <- data.matrix(x)
  deviation <- function(column) mean(abs(column - mean(column, na.rm = TRUE)), na.rm = TRUE)
  scaled <- scale(unname(x), scale = apply(unname(x), 2L, deviation))
  structure(scaled, dimnames = dimnames(x))
}

pam_variants <- c("faster", "original", "o_1", "o_2", "f_3")

# True if a value is a whole number from 1 to `most`.
is_whole_to <- function(value, most) {
  is.numeric(value) && length(value) == 1L &&
    isTRUE(value >= 1 && value <= most && value == floor(value))
}

# Returns a list of the medoids of each start, which are numbers of points or NULL. What is wrong
# with k is left to the core.
starts_of_pam <- function(medoids, nstart, k, n, call) {
  drawn <- identical(medoids, "random") || (is.null(medoids) && !is.null(nstart))
  if (!drawn && !is.null(nstart)) {
    stop_argument("nstart must be given with medoids that are \"random\"", "nstart", call)
  }
  if (!drawn) {
    return(list(medoid_numbers(medoids, call)))
  }
  starts <- if (is.null(nstart)) 1 else nstart
  if (!is_whole_to(starts, .Machine$integer.max)) {
    stop_value(nstart, "nstart", "a whole number of at least 1", call)
  }
  lapply(seq_len(starts), function(start) if (is_whole_to(k, n)) sample.int(n, k))
}

# Returns the first of the partitions with the smallest sum of distances.
best_of <- function(starts, partition) {
  best <- NULL
  for (from in starts) {
    made <- partition(from)
    if (is.null(best) || made$objective[2L] < best$objective[2L]) {
      best <- made
    }
  }
  best
}

medoid_numbers <- function(medoids, call) {
  if (is.null(medoids)) {
    return(NULL)
  }
  if (!is.numeric(medoids) || anyNA(medoids) || any(medoids != round(medoids)) ||
        any(abs(medoids) > .Machine$integer.max)) {
    stop_value(medoids, "medoids", "the numbers of points", call)
  }
  as.integer(medoids)
}

# Returns list(points, labels, data, diss), what an object of class "pam" has of its input.
kept_by_pam <- function(x, source, keep_diss, keep_data, distances, call) {
  given <- is_distances(x)
  keep_diss <- if (is.null(keep_diss)) !given && source$size < 100 else keep_diss
  given <- given || source$options$source == "sequences"
  keep_data <- if (is.null(keep_data)) !given else keep_data
  flag_of(keep_diss, "keep.diss", call)
  if (flag_of(keep_data, "keep.data", call) && given) {
    stop_message("with points", "keep.data", call, "keep.data")
  }
  points <- if (!given) points_of_pam(x, source)
  list(
    points = points, labels = source$labels, data = if (keep_data) points,
    diss = if (keep_diss) {
      as_dissimilarity(if (is_distances(x)) stats::as.dist(x) else distances(), source)
    }
  )
}

# Returns the matrix of points in `x`.
points_of_pam <- function(x, source) {
  if (is.data.frame(x)) {
    x <- data.matrix(x)
  }
  if (is.matrix(x)) x else source$inputs[[1L]]
}

as_dissimilarity <- function(d, source) {
  metric <- if (is.null(source$metric)) "unspecified" else source$metric
  structure(
    as.vector(d), class = c("dissimilarity", "dist"), Size = as.integer(source$size),
    Metric = metric, Labels = source$labels
  )
}

# Returns the object of class "pam". made: of C_pam; kept: of kept_by_pam().
as_pam <- function(made, kept, call) {
  ids <- made$medoids
  labels <- kept$labels
  medoids <- if (!is.null(kept$points)) {
    kept$points[ids, , drop = FALSE]
  } else if (length(labels)) {
    labels[ids]
  } else {
    ids
  }
  info <- cluster_info(made)
  pam <- list(
    medoids = medoids, id.med = ids, clustering = made$clustering,
    objective = structure(made$objective, names = c("build", "swap")),
    isolation = isolation_of(made, info), clusinfo = info,
    silinfo = if (length(ids) > 1L) silhouette_info(made, labels), diss = kept$diss, call = call
  )
  pam$data <- kept$data
  structure(pam, class = c("pam", "partition"))
}

# Returns the matrix `clusinfo`: a row for each cluster.
cluster_info <- function(made) {
  by_cluster <- function(values, summary) as.vector(tapply(values, made$clustering, summary))
  separation <- by_cluster(made$nearest, min)
  cbind(
    size = tabulate(made$clustering, length(made$medoids)),
    max_diss = by_cluster(made$distance, max), av_diss = by_cluster(made$distance, mean),
    diameter = by_cluster(made$furthest, max),
    separation = if (length(made$medoids) > 1L) separation else 0
  )
}

# Returns which clusters are isolated: "L*" if the diameter is smaller than the distance of any
# other point, "L" if each point is further from those of other clusters than from those of its own.
isolation_of <- function(made, info) {
  isolated <- as.vector(tapply(made$furthest < made$nearest, made$clustering, all))
  star <- info[, "diameter"] < info[, "separation"]
  several <- info[, "size"] > 1 & nrow(info) > 1L
  factor(
    stats::setNames(several * (isolated + star), seq_len(nrow(info))),
    levels = 0:2, labels = c("no", "L", "L*")
  )
}

# Returns the list `silinfo`, whose widths are in the order of clusters, the largest first.
silhouette_info <- function(made, labels) {
  order <- order(made$clustering, -made$width)
  widths <- cbind(cluster = made$clustering, neighbor = made$neighbor, sil_width = made$width)
  widths <- widths[order, , drop = FALSE]
  rownames(widths) <- if (length(labels)) labels[order] else order
  list(
    widths = widths, clus.avg.widths = as.vector(tapply(made$width, made$clustering, mean)),
    avg.width = mean(made$width)
  )
}

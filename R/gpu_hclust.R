#' Hierarchical clustering
#'
#' `gpu_hclust()` is a drop-in replacement for [stats::hclust()], on all CPU cores or an NVIDIA GPU
#' and for more than 65,536 points. It takes distances, a file of distances, or the points
#' themselves.
#'
#' @param d What to cluster: distances, an object of class `"dist"`, a [gpu_dist_file()] or a
#'   [gpu_dist_device]; or at least two points in rows, as [gpu_dist()] takes them; or aligned
#'   sequences. Distances must be finite.
#' @param method The linkage: `"single"`, `"complete"`, `"average"` (UPGMA), `"mcquitty"` (WPGMA),
#'   `"ward.D"`, `"ward.D2"`, `"centroid"` (UPGMC) or `"median"` (WPGMC), or the beginning of such a
#'   name, as in [stats::hclust()].
#' @param members The number of observations that each point stands for, positive numbers, see
#'   [stats::hclust()]. `NULL`: all 1.
#' @param metric The metric of points, `method` of [gpu_dist()], or the model of sequences,
#'   `"K80"` by default, see [gpu_metric()].
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `d`, see [gpu_inputs].
#' @inheritParams gpu_dist
#'
#' @return An object of class `"hclust"` as [stats::hclust()] gives it, with the elements `merge`,
#'   `height`, `order`, `labels`, `method`, `call` and `dist.method`. [stats::cutree()],
#'   [stats::as.dendrogram()], [stats::rect.hclust()], [stats::heatmap()] and other packages go on
#'   from there. They take trees of more than 65,536 points, except that the time of
#'   [stats::as.dendrogram()] grows at least with the square of the number of points, and faster for
#'   chains. Functions that go through a dendrogram recursively, as `rev()` does, end with the error
#'   "C stack usage is too close to the limit" if hundreds of merges are nested, which is common
#'   with `"single"`.
#'
#' @details Linkages and conventions are those of [stats::hclust()]: `"ward.D2"` squares the
#'   distances and returns roots of heights, `"centroid"` and `"median"` take the distances as they
#'   are, which should be squared ones (`metric = "sqeuclidean"`), and their heights may decrease.
#'   Heights of `"single"` and `"complete"` are distances, bit for bit. Those of other linkages
#'   differ from [stats::hclust()] by rounding.
#'
#'   If several pairs of clusters have the smallest distance, the pair with the lowest points is
#'   merged: the lowest row number in the first cluster, then that in the second. For `"single"`
#'   these are pairs of points, and the tree is the minimum spanning tree. The result has the same
#'   bits for any number of threads and, up to 65,536 points, on a GPU and for every kind of `d`
#'   that holds the same distances.
#'
#'   All pairs of clusters that are nearest to each other are merged at the same time (Sumengen et
#'   al. 2021). `"centroid"` and `"median"` take the algorithm of Müllner (2011), `"single"` the
#'   tree of [gpu_mst()], which needs no matrix. The matrix of the distances between clusters takes
#'   8 n^2 bytes of memory: 32 GiB for 65,536 points.
#'
#'   More points than these need no matrix for Ward's linkages of Euclidean distances: `"ward.D2"`
#'   with `metric = "euclidean"` and `"ward.D"` with `metric = "sqeuclidean"`, if all coordinates
#'   are finite and `members` is `NULL`. The nearest clusters are then searched among centroids, in
#'   24 bytes for each coordinate on the CPU and 44 on a GPU; heights differ from those of the
#'   matrix by rounding, at most by 1e-12 of them.
#'
#'   A GPU takes all linkages but `"centroid"` and `"median"`, and has the matrix or the centroids
#'   in its own memory, with at most 1 GiB more; distances of points are computed there. `"single"`
#'   takes the tree of [gpu_mst()] there, too, without the matrix. A matrix of points or of an
#'   object of class `dist` that one GPU has no memory for is divided among all of them, unless
#'   `device` selects one. If the memory is too small, `backend = "auto"` clusters on the CPU, and
#'   `backend = "cuda"` is an error with the number of GiB that are missing.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references Müllner, D. (2011) Modern hierarchical, agglomerative clustering algorithms. arXiv
#' 1109.2378.
#'
#' Sumengen, B. et al. (2021) Scaling hierarchical agglomerative clustering to billion-sized
#' datasets. arXiv 2105.11653.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_cophenetic()], [gpu_dist()], [stats::hclust()]
#'
#' @examples
#' hc <- gpu_hclust(gpu_dist(USArrests), "average")
#' hc
#' plot(hc)
#' cutree(hc, 4)
#'
#' # From the points; the distances are not returned.
#' hc <- gpu_hclust(scale(USArrests), "ward.D2", metric = "manhattan")
#' table(cutree(hc, 4))
#' @export
gpu_hclust <- function(d, method = "complete", members = NULL, metric = "euclidean", ...,
                       backend = NULL, threads = NULL, device = NULL, precision = NULL,
                       progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  expression <- substitute(metric)
  method <- linkage_of(method, call)
  bar <- progress_bar("Clustering")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  own <- list(linkage = method, members = as_doubles(members))
  if (!is_distances(d)) {
    refuse_square(d, missing(metric), call)
  }
  warn_of_labels(d, labels_of(d), members, c("d", "members"), call)
  chosen <- metric_of(metric, NULL, missing(metric), call)
  if (is_sequences(d, chosen$method)) {
    refuse_dots(match.call(expand.dots = FALSE)$..., call, metric = "metric")
    source <- rename_message("method", "metric", sequence_source(d, chosen, call, "d"))
    made <- .Call(C_hclust, source$inputs, c(own, source$options), settings, call)
    return(as_hclust(made, source$labels, method, source$metric, match.call()))
  }
  if (is.function(metric) && !is_distances(d)) {
    refuse_dots(match.call(expand.dots = FALSE)$..., call, names(selections), "metric")
    d <- gpu_dist(
      d, metric, ..., threads = threads, memory_limit = memory_limit, progress = FALSE
    )
    source <- source_of(d, "d", call)
    made <- .Call(C_hclust, source$inputs, c(own, source = source$source), settings, call)
    name <- metric_name(metric, expression)
    return(as_hclust(made, source$labels, method, name, match.call()))
  }
  if (!is_distances(d)) {
    from <- input_reader(
      if (...length()) match.call(expand.dots = FALSE)$...,
      list(...), list(d), memory_limit, call,
      metric = "metric"
    )
    from$coding <- column_coding(d, chosen, from, "d")
    d <- points_of(d, "d", from)
    made <- rename_message("method", "metric", {
      chosen$method <- .Call(C_metric, full_method(chosen$method), call)
      parts <- metric_list(d, chosen, from$coding, call, "d")
      .Call(C_hclust, list(d), c(own, source = "points", parts), settings, call)
    })
    return(as_hclust(made, source_labels(d), method, chosen$method, match.call()))
  }
  refuse_dots(match.call(expand.dots = FALSE)$..., call, metric = "metric")
  check_no_metric(match.call()[names(match.call()) != "method"], NULL, call)
  source <- source_of(d, "d", call)
  made <- .Call(C_hclust, source$inputs, c(own, source = source$source), settings, call)
  as_hclust(made, source$labels, method, source$metric, match.call())
}

# Refuses a matrix that has the form of distances, or warns of it if its metric is given.
refuse_square <- function(d, by_default, call) {
  if (!by_default) {
    warn_of_points(d, "d", call)
  } else if (looks_like_distances(d, call)) {
    stop_argument(paste(
      "d must be points or an object of class \"dist\", not a matrix that has the form of",
      "distances; as.dist(d) makes distances of it, and an argument metric says that its rows are",
      "points"
    ), "d", call)
  }
}

as_hclust <- function(made, labels, method, metric, call) {
  structure(
    c(made, list(labels = labels, method = method, call = call, dist.method = metric)),
    class = "hclust"
  )
}

# Returns the full name of a linkage; as in stats::hclust(), "ward" is that of 1963.
linkage_of <- function(method, call) {
  choose_one(method, core_choices("hclust", "linkage"), "method", call)
}

#' Cophenetic distances
#'
#' `gpu_cophenetic()` computes what [stats::cophenetic()] does, the same bits: for any two points
#' the height at which a hierarchical clustering joins them.
#'
#' @param x An object of class `"hclust"`, or one that [stats::as.hclust()] converts.
#' @inheritParams gpu_settings
#'
#' @return An object of class `"dist"`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_hclust()]
#'
#' @examples
#' d <- gpu_dist(USArrests)
#' cor(d, gpu_cophenetic(gpu_hclust(d, "average")))
#' @export
gpu_cophenetic <- function(x, backend = NULL, threads = NULL, progress = NULL,
                           memory_limit = NULL) {
  call <- sys.call()
  x <- stats::as.hclust(x)
  bar <- progress_bar("Cophenetic distances")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, NULL, "double", progress, bar$update, memory_limit)
  merge <- as_merge(x$merge)
  attributes <- list(
    Size = NROW(merge) + 1L, Labels = x$labels, Diag = FALSE, Upper = FALSE, call = match.call(),
    class = "dist"
  )
  .Call(
    C_cophenetic, list(merge, as_doubles(x$height)), list(attributes = attributes), settings, call
  )
}

# Returns numbers of clusters as integers; 0, which no cluster has, for what is no integer. The core
# checks them.
as_merge <- function(merge) {
  if (!is.numeric(merge)) {
    return(merge)
  }
  merge[is.na(merge) | merge != round(merge) | abs(merge) > .Machine$integer.max] <- 0L
  storage.mode(merge) <- "integer"
  merge
}

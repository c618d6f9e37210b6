#' Neighbours for Bioconductor's packages
#'
#' `GpugeoParam()` makes [gpu_knn()] and [gpu_radius()] an algorithm of package BiocNeighbors. Given
#' as `BNPARAM`, it is used by `findKNN()` and the other functions of BiocNeighbors, and by all that
#' call them: `makeSNNGraph()` of bluster, `buildSNNGraph()` of scran, `runUMAP()` of scater with
#' `external_neighbors = TRUE`, and others.
#'
#' @param distance `"Euclidean"`, `"Manhattan"` or `"Cosine"`, as in BiocNeighbors, where the last
#'   is the Euclidean distance of points that are scaled to length 1; or a `method` of [gpu_knn()].
#' @inheritParams gpu_settings
#'
#' @return An object of class `"GpugeoParam"`, a `BiocNeighborParam`.
#'
#' @details Sparse points of package Matrix are not expanded as a whole; an index of them holds a
#' sparse matrix.
#'
#' Neighbours are exact; ties are in the order of the points, without a warning. The
#'   arguments `BPPARAM`, `num.threads`, `warn.ties` and `raw.index` of BiocNeighbors have no
#'   effect: `threads` and `backend` decide. Any other unknown argument is an error. The interfaces
#'   of BiocNeighbors from 1.16 on are known; up to 1.22 `findNeighbors()` finds each point as a
#'   neighbour of itself, later it does not.
#'
#' @seealso [gpu_knn()]; [gpu_neighbor_graph()], which makes such graphs without these packages.
#'
#' @examplesIf requireNamespace("BiocNeighbors", quietly = TRUE)
#' x <- as.matrix(iris[, 1:4])
#' nearest <- BiocNeighbors::findKNN(x, k = 3, BNPARAM = GpugeoParam())
#' identical(nearest$index, gpu_knn(x, 3)$index)
#' @export
GpugeoParam <- function(distance = "Euclidean", backend = NULL, threads = NULL, # nolint
                        device = NULL, memory_limit = NULL) {
  call <- sys.call()
  if (!requireNamespace("BiocNeighbors", quietly = TRUE)) {
    stop_argument("GpugeoParam() needs package BiocNeighbors, which is not installed", "", call)
  }
  method <- param_method(distance, call)
  .Call(C_metric, method, call)
  define_param(asNamespace("BiocNeighbors"), param_classes)
  methods::new(
    methods::getClass("GpugeoParam", where = param_classes),
    distance = distance,
    settings = list(
      backend = backend, threads = threads, device = device, memory_limit = memory_limit
    )
  )
}

# Returns the method of gpu_knn() for a distance.
param_method <- function(distance, call) {
  named <- c(Euclidean = "euclidean", Manhattan = "manhattan", Cosine = "euclidean")
  if (is.character(distance) && length(distance) == 1L && distance %in% names(named)) {
    named[[distance]]
  } else {
    distance
  }
}

# Classes and methods of S4 that extend BiocNeighbors, which cannot be in the namespace, because
# BiocNeighbors may not be installed.
param_classes <- new.env()
assign(".packageName", "gpugeo", envir = param_classes)

# Defines them in an environment, once, for the interface of a namespace: up to 1.22 generics
# dispatch on BNINDEX and BNPARAM; up to 2.2 on X and BNPARAM; after that generics whose names end
# in "FromIndex" on the index.
define_param <- function(bioc, where) {
  if (isTRUE(where$defined)) {
    return(invisible())
  }
  slots <- c(
    data = "matrix", sparse = "ANY", NAMES = "ANY", distance = "character", settings = "list"
  )
  own <- setdiff(names(slots), methods::slotNames(methods::getClass("BiocNeighborIndex", bioc)))
  methods::setClass(
    "GpugeoParam",
    contains = "BiocNeighborParam", slots = slots["settings"], where = where
  )
  methods::setClass(
    "GpugeoIndex",
    contains = "BiocNeighborIndex", slots = slots[own], where = where
  )
  generic <- function(name) get(name, envir = bioc)
  define <- function(name, signature, worker) {
    methods::setMethod(generic(name), signature, method_like(generic(name), worker), where = where)
  }
  where$old <- define_searches(bioc, define)
  if (where$old) {
    size <- function(x) rev(dim(data_of(x)))
    methods::setMethod("dim", "GpugeoIndex", size, where = where)
  }
  where$defined <- TRUE
}

# Returns whether the interface is that up to 1.22.
define_searches <- function(bioc, define) {
  by_index <- exists("findKnnFromIndex", envir = bioc)
  old <- !by_index && "BNINDEX" %in% methods::slot(get("findKNN", envir = bioc), "signature")
  interface <- if (by_index) "by_index" else if (old) "old" else "by_points"
  own <- "GpugeoParam"
  builds <- if (interface == "by_points") list(c("matrix", own), c("ANY", own)) else list(own)
  for (signature in builds) define("buildIndex", signature, make_index)
  signatures <- switch(interface,
    by_index = list("GpugeoIndex"),
    old = list(c("missing", own), c("GpugeoIndex", "missing"), c("GpugeoIndex", own)),
    by_points = list(
      c("matrix", own), c("ANY", own), c("GpugeoIndex", "ANY"), c("GpugeoIndex", own)
    )
  )
  workers <- list(
    findKNN = search_nearest, queryKNN = search_nearest, findNeighbors = search_near,
    queryNeighbors = search_near, findDistance = search_distance, queryDistance = search_distance
  )
  workers <- workers[seq_len(if (old) 4L else 6L)]
  for (name in names(workers)) {
    generic <- if (by_index) paste0(sub("KNN", "Knn", name), "FromIndex") else name
    for (signature in signatures) define(generic, signature, workers[[name]])
  }
  if (old) {
    define("bnorder", "GpugeoIndex", function(x) seq_len(ncol(data_of(x))))
  }
  old
}

# Returns a function with the arguments of a generic that hands them to a worker by their names.
method_like <- function(generic, worker) {
  formals <- formals(generic)
  names <- lapply(setdiff(names(formals), "..."), as.name)
  arguments <- stats::setNames(names, vapply(names, as.character, ""))
  dots <- if ("..." %in% names(formals)) list(as.name("..."))
  as.function(c(formals, as.call(c(list(worker), arguments, dots))), envir = environment(worker))
}

# --- what BiocNeighbors asks for ------------------------------------------------------------------

# Returns the index: the points, a column each, as BiocNeighbors keeps them. Sparse points are in a
# slot of their own, because `data` must be a matrix.
make_index <- function(X, BNPARAM, transposed = FALSE, ...) { # nolint
  refuse_bioc(match.call(expand.dots = FALSE)$..., sys.call())
  x <- point_columns(X, "X", transposed)
  names <- colnames(x)
  x <- scale_points(x, BNPARAM@distance)
  methods::new(
    methods::getClass("GpugeoIndex", where = param_classes),
    data = if (is.matrix(x)) x else matrix(0, 0L, 0L), sparse = if (!is.matrix(x)) x,
    NAMES = names, distance = BNPARAM@distance, settings = BNPARAM@settings
  )
}

# Raises an error if an argument is neither one of ours nor one of BiocNeighbors without an effect.
refuse_bioc <- function(dots, call) {
  if ("distance" %in% names(dots)) {
    stop_argument("distance must be given to GpugeoParam(), not here", "distance", call)
  }
  refuse_dots(dots, call, c("BPPARAM", "num.threads", "warn.ties", "raw.index"))
}

# Returns the points of an index, a column each.
data_of <- function(index) if (is.null(index@sparse)) index@data else index@sparse

# Returns points, a column each: a matrix, or a dgCMatrix of sparse points.
point_columns <- function(x, argument, transposed) {
  x <- orient(as_points(x, argument, sys.call(-1L), sparse = TRUE), !transposed)
  if (is_sparse(x)) plain_variables(x) else as_doubles(x)
}

# Returns points, a column each, without names, and with distance "Cosine" scaled to length 1.
scale_points <- function(x, distance) {
  dimnames(x) <- if (!is.matrix(x)) list(NULL, NULL)
  if (!identical(distance, "Cosine")) {
    return(x)
  }
  lengths <- sqrt(column_squares(x))
  if (any(lengths == 0, na.rm = TRUE)) {
    stop_argument("X must have no point of length 0 with distance \"Cosine\"", "X", NULL)
  }
  if (is.matrix(x)) {
    return(sweep(x, 2, lengths, "/", check.margin = FALSE))
  }
  x@x <- x@x / rep(lengths, diff(x@p))
  x
}

# Returns the sums of squares of columns. Sparse ones are expanded in blocks of at most 2^20
# elements, so sums have the bits of those of a matrix.
column_squares <- function(x) {
  if (is.matrix(x)) {
    return(colSums(x^2))
  }
  step <- max(1, 2^20 %/% max(1, nrow(x)))
  blocks <- lapply(seq(1, max(1, ncol(x)), step), function(first) {
    columns <- seq_len(ncol(x))[seq(first, length.out = min(step, ncol(x) - first + 1))]
    colSums(as.matrix(x[, columns, drop = FALSE])^2)
  })
  unlist(blocks)
}

# Returns the index that is searched. transposed: whether its points, or those of an index to make,
# are said to be columns.
index_of <- function(X, BNINDEX, BNPARAM, transposed) { # nolint
  given <- if (!missing(BNINDEX) && !is.null(BNINDEX)) BNINDEX else X
  if (!methods::is(given, "GpugeoIndex")) {
    return(make_index(given, BNPARAM, transposed))
  }
  if (transposed) {
    stop_argument("transposed must be FALSE with an index, not TRUE", "transposed", NULL)
  }
  given
}

# Returns the numbers of the points that `subset` selects by number, name or truth value.
subset_of <- function(subset, names, count) {
  numbers <- stats::setNames(seq_len(count), names)
  chosen <- if (is.null(subset)) seq_len(count) else unname(numbers[subset])
  if (anyNA(chosen)) {
    stop_argument(
      sprintf("subset must select some of the %d points", count), "subset", NULL
    )
  }
  chosen
}

# Returns the points whose neighbours are searched, `x` (NULL: all points of the index), and which
# points of the index they are, `self` (NULL: none).
asked_points <- function(index, query, subset, transposed) {
  if (is.null(query)) {
    data <- data_of(index)
    self <- subset_of(subset, index@NAMES, ncol(data))
    all <- identical(self, seq_len(ncol(data)))
    return(list(x = if (!all) orient(data[, self, drop = FALSE], TRUE), self = self))
  }
  query <- point_columns(query, "query", transposed)
  query <- query[, subset_of(subset, colnames(query), ncol(query)), drop = FALSE]
  list(x = orient(scale_points(query, index@distance), TRUE))
}

run_search <- function(search, index, ...) {
  arguments <- list(
    orient(data_of(index), TRUE), ...,
    method = param_method(index@distance, NULL), progress = FALSE
  )
  do.call(search, c(arguments, index@settings), quote = TRUE)
}

# Returns the k nearest of points of the index, or of all other points. Those of some points of the
# index are searched as a query, of which the point itself is left out.
nearest_of <- function(index, asked, k) {
  if (is.null(asked$self) || is.null(asked$x)) {
    return(run_search(gpu_knn, index, k = k, query = asked$x))
  }
  found <- run_search(gpu_knn, index, k = k + 1L, query = asked$x)
  self <- found$index == asked$self
  self[rowSums(self) == 0, k + 1L] <- TRUE # more than k points are at the same location
  lapply(found, function(m) matrix(t(m)[!t(self)], nrow(m), k, byrow = TRUE))
}

search_nearest <- function(X, query = NULL, k, get.index = TRUE, get.distance = TRUE, # nolint
                           last = max(k), subset = NULL, transposed = FALSE, BNINDEX, # nolint
                           BNPARAM, ...) { # nolint
  refuse_bioc(match.call(expand.dots = FALSE)$..., sys.call())
  index <- index_of(X, BNINDEX, BNPARAM, is.null(query) && transposed)
  asked <- asked_points(index, query, subset, transposed)
  each <- inherits(k, "AsIs") || length(k) != 1L
  capped <- cap_neighbors(k, ncol(data_of(index)) - is.null(query), !is.null(query))
  count <- if (is.null(asked$x)) ncol(data_of(index)) else nrow(asked$x)
  most <- max(capped, 0L)
  found <- if (most > 0L && count > 0L) {
    nearest_of(index, asked, most)
  } else {
    list(index = matrix(0L, count, most), distance = matrix(0, count, most))
  }
  found <- lapply(found, unname)
  if (each) {
    found <- lapply(found, function(m) {
      lapply(seq_len(nrow(m)), function(i) m[i, seq_len(rep_len(capped, count)[i])])
    })
  } else if (last < most) {
    found <- lapply(found, function(m) m[, most - last + seq_len(last), drop = FALSE])
  }
  asked_for(found, get.index, get.distance)
}

# Returns k, at most the number of points there are.
cap_neighbors <- function(k, most, query) {
  k <- as.integer(k)
  if (any(k > most)) {
    warning(sprintf(
      "k is more than the %s: %d are returned", if (query) "points" else "other points", most
    ), call. = FALSE)
  }
  pmin(k, as.integer(most))
}

# Returns the elements that were asked for; "transposed" stands for a transposed matrix.
asked_for <- function(found, index, distance) {
  one <- function(value, how) if (identical(how, "transposed")) t(value) else value
  c(
    if (!isFALSE(index)) list(index = one(found$index, index)),
    if (!isFALSE(distance)) list(distance = one(found$distance, distance))
  )
}

# Returns lists of all neighbours within a threshold, one for all points or one for each.
search_near <- function(X, query = NULL, threshold, get.index = TRUE, get.distance = TRUE, # nolint
                        subset = NULL, transposed = FALSE, BNINDEX, BNPARAM, ...) { # nolint
  refuse_bioc(match.call(expand.dots = FALSE)$..., sys.call())
  index <- index_of(X, BNINDEX, BNPARAM, is.null(query) && transposed)
  asked <- asked_points(index, query, subset, transposed)
  within <- is.null(query)
  points <- if (is.null(asked$x)) orient(data_of(index), TRUE) else asked$x
  near <- run_search(gpu_radius, index, radius = max(threshold), query = points)
  point <- rep(seq_along(near$count), near$count)
  kept <- near$distance <= rep_len(threshold, length(near$count))[point]
  if (within && !finds_itself()) {
    kept <- kept & near$index != asked$self[point]
  }
  groups <- factor(point[kept], seq_along(near$count))
  lists <- lapply(near[c("index", "distance")], function(v) unname(split(v[kept], groups)))
  if (isFALSE(get.index) && isFALSE(get.distance)) {
    return(lengths(lists$index))
  }
  asked_for(lists, get.index, get.distance)
}

# True if BiocNeighbors finds each point as a neighbour of itself within a threshold.
finds_itself <- function() isTRUE(param_classes$old)

# Returns the distance of the k-th nearest point.
search_distance <- function(X, query = NULL, k, subset = NULL, transposed = FALSE, BNINDEX, # nolint
                            BNPARAM, ...) { # nolint
  found <- search_nearest(
    X,
    query = query, k = k, get.index = FALSE, subset = subset, transposed = transposed,
    BNINDEX = BNINDEX, BNPARAM = BNPARAM, ...
  )$distance
  if (is.list(found)) {
    return(vapply(found, function(d) if (length(d)) d[length(d)] else 0, 0))
  }
  if (ncol(found) == 0L) numeric(nrow(found)) else found[, ncol(found)]
}

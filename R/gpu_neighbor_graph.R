#' The graph of nearest neighbours
#'
#' Joins each row of a matrix with its `k` nearest rows, or with all rows within a radius.
#' [gpu_layout()] takes the result.
#'
#' @param k,radius One of the two: the number of neighbours of a point, or their largest distance,
#'   as in [gpu_knn()].
#' @param join With `k` given, `"union"` joins two points if at least one is among the nearest of
#'   the other, `"mutual"` if both are. Has no effect within a radius.
#' @param weights A function of the vector of distances that gives a weight for each edge, such as
#'   `function(d) exp(-d)`, or `identity` for the distances themselves; `"rank"`, `"number"`,
#'   `"jaccard"` or `"fuzzy"`, see Weights, with `k` only; `NULL`: no weights.
#' @param as `"edges"`, `"igraph"` or `"sparse"`: see Value.
#' @inheritParams gpu_knn
#'
#' @return
#' * `"edges"`: a data frame with a row for each edge, which has a [plot][edges_class], ordered by
#'   `from`, then `to`: the row numbers
#'   `from < to`, and `weight` if `weights` is given. The attributes `vertices`, the number of
#'   points, and `first`, 1, give [gpu_layout()] the points without an edge.
#' * `"igraph"`: an undirected graph of package igraph, its vertices named as the rows of `x`, with
#'   the edge attributes `distance` and `weight`.
#' * `"sparse"`: a symmetric matrix of package Matrix with the weights of the edges, or else their
#'   distances; edges of length 0 are stored too.
#'
#' Points whose distance is missing are not joined.
#'
#' @section Weights: The first three join all pairs of points that share at least one neighbour,
#' each point being its own neighbour of rank 0; `join` has no effect. With `r` the smallest sum of
#' the ranks of a shared neighbour among those of both points, and `s` the number of shared ones,
#' the weight is
#' * `"rank"`: `k - r / 2`, at least 1e-6 (Xu and Su);
#' * `"number"`: `s`;
#' * `"jaccard"`: `s / (2 * (k + 1) - s)`, the shared ones among all of both points.
#'
#' These are the graphs of `makeSNNGraph()` of bluster and `buildSNNGraph()` of scran.
#'
#' `"fuzzy"` joins as without weights. The weight of the edge from a point to a neighbour at
#' distance `d` is `exp(-max(0, d - nearest) / scale)`, with the smallest positive distance of the
#' point's neighbours and the `scale` for which its weights have the sum `log2(k + 1)`. Both weights
#' `a` and `b` of an edge, 0 for a point that is not a neighbour, give `a + b - a * b`. These are
#' the fuzzy sets of UMAP (McInnes et al.), whose `n_neighbors`, the point itself included, is
#' `k + 1`.
#'
#' @references
#' C. Xu and Z. Su (2015). Identification of cell types from single-cell transcriptomes using a
#' novel clustering method. *Bioinformatics* 31, 1974-1980. doi:10.1093/bioinformatics/btv088
#'
#' L. McInnes, J. Healy and J. Melville (2018). UMAP: Uniform manifold approximation and projection
#' for dimension reduction. arXiv:1802.03426, section 3.1
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_knn()], [gpu_layout()]
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' edges <- gpu_neighbor_graph(x, k = 4)
#' head(edges)
#' # The share of edges within a species.
#' mean(iris$Species[edges$from] == iris$Species[edges$to])
#'
#' head(gpu_neighbor_graph(x, radius = 0.4, weights = function(d) exp(-d^2)))
#'
#' # Weights by shared neighbours.
#' head(gpu_neighbor_graph(x, k = 10, weights = "jaccard"))
#'
#' # A map of the flowers.
#' map <- gpu_layout(edges, seed = 1)
#' plot(map, col = iris$Species)
#' @export
gpu_neighbor_graph <- function(x, k = NULL, radius = NULL, join = c("union", "mutual"),
                               weights = NULL, as = c("edges", "igraph", "sparse"),
                               method = "euclidean", ..., metric = NULL, backend = NULL,
                               threads = NULL, device = NULL, progress = NULL,
                               memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  if (is_distances(x)) check_neighbor_distances(matched, NULL, call)
  from <- input_reader(matched$..., list(...), list(x), memory_limit, call)
  metric <- metric_of(method, metric, missing(method), call)
  if (is.null(k) == is.null(radius)) {
    stop_message("k or radius", "k", call)
  }
  weights <- weights_of(weights, radius, call)
  join <- choose_one(join, c("union", "mutual"), "join", call)
  as <- choose_one(as, c("edges", "igraph", "sparse"), "as", call)
  package <- c(edges = "stats", igraph = "igraph", sparse = "Matrix")[[as]]
  if (!requireNamespace(package, quietly = TRUE)) {
    message <- sprintf("as \"%s\" needs package %s, which is not installed", as, package)
    stop_argument(message, "as", call)
  }
  from$coding <- column_coding(x, metric, from)
  x <- neighbor_points(x, from, metric)
  n <- neighbor_count(x, call)
  warn_of_columns(list(x), NULL, metric$method, call)
  bar <- progress_bar("Neighbours")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  metric <- metric_list(x, metric, from$coding, call)
  edges <- if (is.null(radius)) {
    nearest_edges(find_nearest(x, NULL, k, metric, settings, call), join, weights, settings, call)
  } else {
    join_pairs(near_pairs(find_near(x, NULL, radius, metric, settings, call)), join)
  }
  if (is.function(weights)) {
    edges$weight <- edge_weights(weights, edges$distance, call)
  }
  switch(as,
    edges = as_edges(edges[names(edges) != "distance"], n),
    igraph = as_igraph(edges, n, neighbor_names(x)),
    sparse = as_sparse(edges, n, neighbor_names(x))
  )
}

# Returns the weights that are asked for, checked: NULL, a function or a full name.
weights_of <- function(weights, radius, call) {
  named <- c("rank", "number", "jaccard", "fuzzy")
  if (is.null(weights) || is.function(weights)) {
    return(weights)
  }
  found <- if (is.character(weights) && length(weights) == 1L) begun_by(weights, named)
  if (length(found) != 1L) {
    stop_argument(sprintf(
      "weights must be a function of the distances, %s or NULL, not %s",
      paste0("\"", named, "\"", collapse = ", "), show_value(weights)
    ), "weights", call)
  }
  if (!is.null(radius)) {
    stop_message("weights with k", "weights", call, found)
  }
  found
}

# Returns the edges between nearest neighbours, with the weights that have a name.
nearest_edges <- function(nearest, join, weights, settings, call) {
  if (!is.character(weights)) {
    return(join_pairs(nearest_pairs(nearest), join))
  }
  storage.mode(nearest$index) <- "integer"
  storage.mode(nearest$distance) <- "double"
  options <- list(weights = weights, mutual = join == "mutual")
  as.data.frame(.Call(C_neighbor_edges, unname(nearest), options, settings, call))
}

# Returns points and their neighbours, a row for each pair, from the core's result.
nearest_pairs <- function(nearest) {
  from <- rep(seq_len(nrow(nearest$index)), ncol(nearest$index))
  pairs <- data.frame(from, to = as.vector(nearest$index), distance = as.vector(nearest$distance))
  pairs[!is.na(pairs$distance), ]
}
near_pairs <- function(near) {
  data.frame(
    from = rep(seq_along(near$count), near$count), to = near$index, distance = near$distance
  )
}

# Returns the weights that a function computes from the distances, one for each.
edge_weights <- function(weights, distances, call) {
  made <- weights(distances)
  if (!is.numeric(made) || length(made) != length(distances)) {
    stop_argument(sprintf(
      "weights must return a number for each of the %d distances, not %s", length(distances),
      show_value(made)
    ), "weights", call)
  }
  as.vector(made)
}

# Returns the edges of such pairs, each once.
join_pairs <- function(pairs, join) {
  edges <- data.frame(
    from = pmin(pairs$from, pairs$to), to = pmax(pairs$from, pairs$to), distance = pairs$distance
  )
  edges <- edges[order(edges$from, edges$to), ]
  again <- c(FALSE, diff(edges$from) == 0 & diff(edges$to) == 0)[seq_len(nrow(edges))]
  edges <- edges[if (join == "mutual") again else !again, ]
  rownames(edges) <- NULL
  edges
}

as_igraph <- function(edges, vertices, names) {
  graph <- igraph::make_empty_graph(vertices, directed = FALSE)
  ends <- rbind(edges$from, edges$to)
  attributes <- as.list(edges[setdiff(names(edges), c("from", "to"))])
  graph <- igraph::add_edges(graph, as.vector(ends), attr = attributes)
  if (is.null(names)) graph else igraph::set_vertex_attr(graph, "name", value = names)
}

# The attribute tells as_graph() that the values are distances, not weights of edges.
as_sparse <- function(edges, vertices, names) {
  made <- Matrix::sparseMatrix(
    edges$from, edges$to,
    x = if (is.null(edges$weight)) edges$distance else edges$weight,
    dims = rep(vertices, 2L), symmetric = TRUE,
    dimnames = if (!is.null(names)) list(names, names)
  )
  if (is.null(edges$weight)) {
    attr(made, "values") <- "distance"
  }
  made
}

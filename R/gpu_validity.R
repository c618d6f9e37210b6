#' Validity of a clustering
#'
#' Computes indices of how good a clustering is, on all CPU cores and without the matrix of
#' distances; and how much it agrees with another clustering.
#'
#' @param x Points in rows, as in [gpu_dist()]; or distances, an object of class `"dist"`, a
#'   [gpu_dist_file()] or a [gpu_dist_device], without `method`; or aligned sequences, see Sequences
#'   in [gpu_metric()]. Distances must be finite. `NULL`: only `reference` is compared.
#' @param clusters The cluster of each point, whole numbers; or a list with them as its element
#'   `clustering` or `cluster`, for example from [gpu_dbscan()] or [gpu_kmeans()]. 0 is noise, see
#'   Details.
#' @param reference Another clustering of the same points, in the same forms, or `NULL`.
#' @param indices Names of indices, of `"within"`, `"ch"`, `"db"`, `"dunn"`, `"silhouette"` and
#'   `"dbcv"`; `NULL`: all that `x` has.
#' @param nmi The mean of both entropies by which the mutual information is divided. The first is
#'   the default, as in scikit-learn.
#' @param dimensions For `"dbcv"`: the dimension of the space. `NULL`: the number of columns of `x`;
#'   distances need it.
#' @inheritParams gpu_dist
#'
#' @return A list, whose elements have the names of `fpc::cluster.stats()` where that has them.
#'   Of what is not computed or does not exist there is `NA`.
#' * `n`, `noisen`, `cluster.number`: the numbers of points, of those that are noise, and of
#'   clusters;
#' * `cluster.size`, `within`, `diameter`, `separation`, `clus.avg.silwidths`, `clus.dbcv`: of each
#'   cluster its points, its part of `within.cluster.ss`, the largest distance within, the smallest
#'   distance from another cluster, its mean silhouette width and its validity in DBCV, all named by
#'   the clusters;
#' * `within.cluster.ss`, `ch`, `db`, `dunn`, `avg.silwidth`, `dbcv`: the indices, see Details;
#' * `corrected.rand`, `nmi`: the adjusted Rand index and the normalized mutual information, if
#'   there is a `reference`.
#'
#' @details With the distances d, n points in k clusters, n_c points in cluster c, and the sum over
#'   the pairs in c of d^2, divided by n_c, as W_c:
#' * `within.cluster.ss` is the sum W of all W_c. For Euclidean distances these are the sums of
#'   squared distances from the means.
#' * `ch`, Calinski and Harabasz (1974): (T - W) / (k - 1) divided by W / (n - k), where T is W for
#'   one cluster of all points.
#' * `db`, Davies and Bouldin (1979): the mean over clusters of the largest (S_c + S_e) / M_ce, with
#'   the mean distance S_c of the points of c from their mean, and the distance M_ce of two means.
#'   Only points with Euclidean distances have it. If two means are equal, it is infinite.
#' * `dunn`, Dunn (1974): the smallest distance between points of different clusters, divided by the
#'   largest one within a cluster; infinite if all points of each cluster are equal.
#' * `avg.silwidth`: the mean of the widths that [gpu_silhouette()] has; 0 for points alone in a
#'   cluster.
#' * `dbcv`, Moulavi et al. (2014), from -1 to 1: of a point o, whose distances from the others of
#'   its cluster are d_i, the core distance is a(o) = (sum (1 / d_i)^m / (n_c - 1))^(-1/m), with m
#'   the `dimensions`. The mutual reachability of two points is the largest of both core distances
#'   and their distance. Of the minimum spanning tree of a cluster by it, inner points have at least
#'   two edges, and inner edges are between inner points. The sparseness of a cluster is its largest
#'   inner edge; its separation is the smallest reachability between its inner points and those of
#'   another cluster. Its validity is (separation - sparseness) / max(separation, sparseness), and
#'   `dbcv` is the sum of validity times n_c, divided by the number of all points, noise included.
#'   The paper leaves open: a cluster of two points has all of them as inner ones, a cluster without
#'   an inner edge takes all edges, one of one point is noise, and of edges of equal weight the
#'   first by distance and numbers of points are taken.
#' * `corrected.rand`, Hubert and Arabie (1985), and `nmi`, from 0 to 1: the mutual information,
#'   divided by the arithmetic, geometric, smallest or largest mean of both entropies. Both are 1
#'   for clusterings that are the same but for their numbers. Noise counts as one cluster there.
#'
#'   Points of cluster 0, noise as [gpu_dbscan()] and [gpu_hdbscan()] return it, are left out of all
#'   indices; in `dbcv` they count in the number of points. With fewer than two clusters, all
#'   indices but `within.cluster.ss` are `NA`. Levels of a factor are clusters, and none is noise.
#'
#'   Distances are computed or read in tiles and not stored: once, twice more for `dbcv`, and a
#'   second time for silhouettes as in [gpu_silhouette()]; points with Euclidean distances need none
#'   for `ch`, `db` and `within`. The result has the same bits for any number of threads and any
#'   `memory_limit`.
#'
#' @references T. Calinski and J. Harabasz (1974). A dendrite method for cluster analysis.
#'   *Communications in Statistics* **3**, 1-27.
#'
#' D. L. Davies and D. W. Bouldin (1979). A cluster separation measure. *IEEE Transactions on
#' Pattern Analysis and Machine Intelligence* **1**, 224-227.
#'
#' J. C. Dunn (1974). Well-separated clusters and optimal fuzzy partitions. *Journal of Cybernetics*
#' **4**, 95-104.
#'
#' D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek and J. Sander (2014). Density-based
#' clustering validation. *Proceedings of the SIAM International Conference on Data Mining*,
#' 839-847.
#'
#' L. Hubert and P. Arabie (1985). Comparing partitions. *Journal of Classification* **2**, 193-218.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_clus_gap()], [gpu_silhouette()], [gpu_dbscan()]
#'
#' @examples
#' clusters <- cutree(gpu_hclust(gpu_dist(iris[, 1:4]), "average"), 3)
#' v <- gpu_validity(iris[, 1:4], clusters, iris$Species)
#' unlist(v[c("ch", "db", "dunn", "avg.silwidth", "dbcv", "corrected.rand", "nmi")])
#'
#' # How many clusters?
#' sapply(2:6, function(k) {
#'   set.seed(1)
#'   gpu_validity(iris[, 1:4], gpu_kmeans(iris[, 1:4], k, nstart = 5), indices = "ch")$ch
#' })
#' @export
gpu_validity <- function(x, clusters, reference = NULL, indices = NULL, method = "euclidean", ...,
                         nmi = c("arithmetic", "geometric", "min", "max"), dimensions = NULL,
                         metric = NULL, backend = NULL, threads = NULL, device = NULL,
                         precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  given <- clusters_of(clusters)
  noise <- if (!is.factor(given)) 0L
  clusters <- cluster_codes(given, call)
  nmi <- choose_one(nmi, c("arithmetic", "geometric", "min", "max"), "nmi", call)
  wanted <- wanted_indices(indices, call)
  bar <- progress_bar("Validity")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  metric <- metric_of(method, metric, missing(method), call)
  agreement <- agreement_of(clusters, reference, nmi, is.null(x), call)
  if (is.null(x)) {
    refuse_dots(matched$..., call, metric = "method")
    return(agreement)
  }
  codes <- setdiff(sort(unique(clusters)), noise)
  own <- c(wanted, list(clusters = match(clusters, codes, 0L), dimensions = dimensions))
  source <- distances_from_any(x, metric, matched, list(...), settings, memory_limit, call)
  warn_of_labels(x, source$labels, given, c("x", "clusters"), call)
  made <- .Call(C_validity, source$inputs, c(source$options, own), settings, call)
  c(validity_list(made, codes, length(clusters)), agreement)
}

# Returns the flags of the core for the indices that are given; none for NULL.
wanted_indices <- function(indices, call) {
  known <- c("within", "ch", "db", "dunn", "silhouette", "dbcv")
  if (is.null(indices)) {
    return(list())
  }
  if (!is.character(indices) || !length(indices)) {
    stop_value(indices, "indices", "names of indices, or NULL", call)
  }
  indices <- vapply(indices, choose_one, "", known, "indices", call)
  stats::setNames(as.list(known %in% indices), known)
}

# Returns the list of indices.
#
# made   what the core returns
# codes  of the clusters
# n      points, noise included
validity_list <- function(made, codes, n) {
  column <- function(which) {
    values <- made$of_cluster[, which]
    values[is.nan(values)] <- NA
    stats::setNames(values, codes)
  }
  size <- column(1L)
  number <- function(value) if (is.nan(value)) NA_real_ else value
  list(
    n = n, noisen = n - sum(size), cluster.number = length(codes), cluster.size = size,
    within = column(2L), diameter = column(3L), separation = column(4L),
    clus.avg.silwidths = column(5L), clus.dbcv = column(6L),
    within.cluster.ss = number(made$within), ch = number(made$ch), db = number(made$db),
    dunn = number(made$dunn), avg.silwidth = number(made$silhouette), dbcv = number(made$dbcv)
  )
}

# Returns list(corrected.rand, nmi), or an empty list without a reference, if that is not needed.
agreement_of <- function(clusters, reference, nmi, needed, call) {
  if (is.null(reference)) {
    if (needed) {
      stop_argument("x must not be NULL without reference", "x", call)
    }
    return(list())
  }
  reference <- cluster_codes(clusters_of(reference), call, "reference")
  if (length(reference) != length(clusters)) {
    stop_message(
      "reference length", "reference", call, as.double(length(clusters)),
      as.double(length(reference))
    )
  }
  made <- .Call(C_agreement, list(clusters, reference), list(), list(), call)
  list(corrected.rand = made$rand, nmi = made[[nmi]])
}

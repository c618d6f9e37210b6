#' Powers of weighted correlation networks
#'
#' Finds how well the connectivities of genes follow a power law, for several powers to which their
#' correlations are raised, as `WGCNA::pickSoftThreshold()` does. No matrix of all correlations is
#' stored.
#'
#' @inheritParams gpu_bicor
#' @param x Genes in columns and samples in rows: a numeric matrix or data frame.
#' @param powerVector Powers, positive numbers, which are sorted.
#' @param RsquaredCut The smallest fit of a power that is recommended.
#' @param removeFirst `TRUE` leaves out the first bin, of the genes with the lowest connectivities.
#' @param nBreaks Number of bins, 3 to 1,000,000.
#' @param networkType The similarity of two genes with correlation `r`, which is raised to the
#'   power: `"unsigned"`, `abs(r)`; `"signed"`, `(1 + r) / 2`; `"signed hybrid"`, `r`, or 0 if it is
#'   negative. Names may be abbreviated.
#' @param moreNetworkConcepts `TRUE` for three more columns, as in Horvath and Dong (2008).
#' @param method `"pearson"`, `"spearman"`, `"kendall"` or `"bicor"`, see [gpu_cor()].
#' @param weights Weights of the values of `x`, for `"pearson"`: a matrix of the same size, or a
#'   vector with a weight for each sample, see [gpu_cor()].
#' @param maxPOutliers,pearsonFallback Of `"bicor"`, see [gpu_bicor()].
#'
#' @return A list of `powerEstimate`, the smallest power whose fit is above `RsquaredCut`, or `NA`;
#'   and `fitIndices`, a data frame with a row for each power: `Power`; `SFT.R.sq` and `slope` of
#'   the regression of `log10(p(k))` on `log10(k)`, where `p` is the share of genes in a bin of
#'   connectivities and `k` their mean; `truncated.R.sq`, the adjusted fit with `k` as a second
#'   predictor; `mean.k.`, `median.k.` and `max.k.`, of the connectivities. With
#'   `moreNetworkConcepts = TRUE` also `Density`, `Centralization` and `Heterogeneity`. Nothing is
#'   printed.
#'
#' @details The connectivity of a gene is the sum of its weights to all other genes. Correlations
#'   that are missing count as 0. All powers are found in one pass over the correlations, which are
#'   in memory for some genes at a time; `memory_limit` sets how many. The sums are computed on the
#'   CPU, the correlations also on a GPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references B. Zhang and S. Horvath (2005). A general framework for weighted gene co-expression
#'   network analysis. *Statistical Applications in Genetics and Molecular Biology* 4(1), 17.
#'
#' S. Horvath and J. Dong (2008). Geometric interpretation of gene coexpression network analysis.
#' *PLoS Computational Biology* 4(8), e1000117.
#'
#' @seealso [gpu_cor()], [gpu_bicor()], [gpu_adjacency()], [gpu_tom()]
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(20 * 200), 20) + outer(rnorm(20), rnorm(200))
#' gpu_soft_threshold(x, 1:6)
#' @export
gpu_soft_threshold <- function(x, powerVector = c(1:10, seq(12, 20, 2)), # nolint: as in WGCNA
                               RsquaredCut = 0.85, removeFirst = FALSE, nBreaks = 10, # nolint
                               networkType = c("unsigned", "signed", "signed hybrid"), # nolint
                               moreNetworkConcepts = FALSE, method = "pearson", # nolint
                               use = "pairwise.complete.obs", maxPOutliers = 1, # nolint
                               pearsonFallback = "individual", weights = NULL, ..., # nolint
                               backend = NULL, threads = NULL, device = NULL,
                               precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  flag_of(moreNetworkConcepts, "moreNetworkConcepts", call)
  networkType <- network_type(networkType, "networkType", call) # nolint
  if (is.numeric(powerVector)) {
    powerVector <- sort(as.double(powerVector)) # nolint
  }
  bar <- progress_bar("Connectivities")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  options <- list(
    method = method, use = full_use(use), maxPOutliers = maxPOutliers,
    pearsonFallback = pearsonFallback, networkType = networkType, powerVector = powerVector,
    RsquaredCut = RsquaredCut, removeFirst = removeFirst, nBreaks = nBreaks
  )
  options <- c(options, weights_list(weights.x = weights))
  x <- points_of(x, "x", from)
  found <- with_weights(.Call(C_connectivity, list(x, NULL), options, settings, call))
  indices <- as.data.frame(found$fit)
  names(indices) <- c(
    "Power", "SFT.R.sq", "slope", "truncated.R.sq", "mean.k.", "median.k.", "max.k.", "Density",
    "Centralization", "Heterogeneity"
  )
  list(
    powerEstimate = found$best,
    fitIndices = if (moreNetworkConcepts) indices else indices[1:7]
  )
}

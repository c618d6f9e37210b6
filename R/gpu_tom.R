#' Topological overlap
#'
#' Computes the topological overlaps of all pairs of genes in a weighted network, as
#' `WGCNA::TOMsimilarityFromExpr()`, `WGCNA::TOMsimilarity()` and `WGCNA::TOMdist()` do.
#'
#' @inheritParams gpu_soft_threshold
#' @param x Genes in columns and samples in rows: a numeric matrix or data frame; with
#'   `input = "adjacency"`, a square matrix of weights.
#' @param power The power of the network, a positive number.
#' @param corType `"pearson"` or `"bicor"`, or another `method` of [gpu_cor()].
#' @param networkType The type of the network, see [gpu_adjacency()].
#' @param TOMType The definition of the overlap, see below. `"none"` returns the weights.
#' @param TOMDenom `"min"` or `"mean"`: what the denominator has of two connectivities.
#' @param suppressTOMForZeroAdjacencies `TRUE` for an overlap of 0 where the weight is 0.
#' @param suppressNegativeTOM `TRUE` for 0 instead of negative overlaps.
#' @param as `"dist"` returns 1 minus the overlap as an object of class `dist`, for [gpu_hclust()].
#' @param input `"adjacency"` if `x` has the weights. It must be symmetric, with elements between 0
#'   and 1, or -1 and 1 for signed types; arguments of correlations and their powers must not be
#'   given then.
#' @param use How missing values are treated, as in [gpu_cor()].
#' @param file,file_shape,file_name,file_precision A file to which distances are written, and its
#'   form, as in [gpu_dist()]. `as` must be `"dist"`.
#' @param keep `"device"`: the distances stay in the memory of a CUDA device, see
#'   [gpu_dist_device]. `as` must be `"dist"`.
#'
#' @return A symmetric matrix with 1 on its diagonal and the column names as dimnames, or an object
#'   of class `dist`; with `file`, an object of class [`"gpu_dist_file"`][gpu_dist_file()]; with
#'   `keep`, one of class [`"gpu_dist_device"`][gpu_dist_device].
#'
#' @section Definitions:
#' Let `a` be the weights, `k` the sums of their magnitudes for each gene, without the gene itself,
#' `l` the sum of `a[i, m] * a[m, j]` over all other genes `m`, and `f` the minimum or mean of
#' `k[i]` and `k[j]`. The overlap of genes `i` and `j` is
#' * `"unsigned"`, `"signed Nowick"`: `(l + a) / (f + 1 - abs(a))`;
#' * `"signed"`: the magnitude of this;
#' * `"unsigned 2"`, `"signed Nowick 2"`: `(a + l / (f - abs(a))) / 2`, with a quotient of 0 if
#'   `f` is `abs(a)`;
#' * `"signed 2"`: the magnitude of this.
#'
#' For signed overlaps of an unsigned network the weights have the signs of the correlations. With
#' weights that are not negative, all three definitions are the same. Overlaps are limited to
#' \[-1, 1\]. Missing weights count as 0, and weights of genes with themselves as 1.
#'
#' @section Differences from WGCNA:
#' Results agree with those of WGCNA 1.72 to about 1e-15, except that it ignores signs in both
#' signed definitions named 2, and ignores `suppressTOMForZeroAdjacencies`, which its help describes
#' as here, and that its `"signed Nowick"` takes an unsigned network whatever `networkType` is.
#' A gene whose correlations are missing has an overlap of 0, where
#' `WGCNA::TOMsimilarityFromExpr()` returns `NA` for all genes.
#'
#' @details The sums take n^3 / 2 multiplications. Each is computed in the order of the genes, on
#'   the CPU or a GPU, and does not depend on threads. The memory has the weights, 8 n^2 bytes, and
#'   the result, 8 n^2 bytes or half of this for `as = "dist"`. Weights that are given are copied if
#'   they are not doubles, if some are missing, differ from those across the diagonal by rounding,
#'   or are not 1 on it. Distances that go to a
#'   file need not fit into memory, nor do their weights: those that are above `memory_limit`, by
#'   default 256 MiB, are computed anew for each part of the file. Distances that stay on a device
#'   are in the memory of the host, too, until all have been copied.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references B. Zhang and S. Horvath (2005). A general framework for weighted gene co-expression
#'   network analysis. *Statistical Applications in Genetics and Molecular Biology* 4(1), 17.
#'
#' K. Nowick, T. Gernat, E. Almaas and L. Stubbs (2009). Differences in human and chimpanzee gene
#' expression patterns define an evolving network of transcription factors in brain. *PNAS*
#' 106(52), 22358-22363.
#'
#' @seealso [gpu_adjacency()], [gpu_soft_threshold()]
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(20 * 60), 20) + outer(rnorm(20), rep(c(2, 0), each = 30))
#' gpu_hclust(gpu_tom(x, as = "dist"), "average")
#' @examplesIf nzchar(gpugeo::gpu_hdf5_version())
#' d <- gpu_tom(x, as = "dist", file = tempfile(fileext = ".h5"))
#' gpu_hclust(d, "average")
#' @export
gpu_tom <- function(x, power = 6, corType = "pearson", # nolint: the names of WGCNA
                    networkType = c("unsigned", "signed", "signed hybrid"), # nolint
                    TOMType = "signed", TOMDenom = c("min", "mean"), # nolint
                    suppressTOMForZeroAdjacencies = FALSE, # nolint
                    suppressNegativeTOM = FALSE, as = c("similarity", "dist"), # nolint
                    input = c("expression", "adjacency"), use = "pairwise.complete.obs",
                    maxPOutliers = 1, pearsonFallback = "individual", weights = NULL, ..., # nolint
                    backend = NULL, threads = NULL, device = NULL,
                    precision = NULL, progress = NULL, memory_limit = NULL,
                    file = NULL, file_shape = "condensed", file_name = NULL,
                    file_precision = "double", keep = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  of_expression <- c(
    "power", "corType", "networkType", "use", "maxPOutliers", "pearsonFallback", "weights"
  )
  options <- list(
    method = choose_one(corType, core_choices("cor", "method"), "corType", call),
    use = full_use(use), maxPOutliers = maxPOutliers, pearsonFallback = pearsonFallback,
    power = power,
    networkType = network_type(networkType, "networkType", call),
    TOMType = TOMType,
    TOMDenom = choose_one(TOMDenom, core_choices("overlap", "TOMDenom"), "TOMDenom", call),
    suppressTOMForZeroAdjacencies = suppressTOMForZeroAdjacencies,
    suppressNegativeTOM = suppressNegativeTOM,
    as = choose_one(as, core_choices("overlap", "as"), "as", call),
    given = is_given(input, "adjacency", names(match.call()), of_expression, call)
  )
  options <- c(options, weights_list(weights.x = weights))
  x <- points_of(x, "x", from)
  on_device <- keeps_on_device(keep, x, NULL, file, call)
  if (options$as != "dist" && (on_device || !is.null(file))) {
    stop_message("only distances", "as", call, if (on_device) "keep" else "file", options$as)
  }
  bar <- progress_bar("Topological overlap")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  if (!is.null(file)) {
    output <- list(
      source = "overlap", `function` = "gpu_tom", file = expand(file), file_shape = file_shape,
      file_name = file_name, file_precision = file_precision, labels = variable_names(x)
    )
    with_weights(.Call(C_dist_file_write, list(x, options), output, settings, call))
    return(open_dist_file(expand(file), file_name, call))
  }
  attributes <- if (has_columns(x)) overlap_attributes(x, options$as, match.call())
  if (on_device) {
    inputs <- list(x, options)
    return(with_weights(keep_distances(inputs, list(overlap = TRUE), attributes, settings, call)))
  }
  options$attributes <- attributes
  with_weights(.Call(C_overlap, list(x, NULL), options, settings, call))
}

# Returns the attributes of overlaps between the columns of x.
overlap_attributes <- function(x, as, call) {
  if (as != "dist") {
    return(cor_attributes(x, NULL))
  }
  list(
    Size = ncol(x), Labels = variable_names(x), Diag = FALSE, Upper = FALSE, method = "TOM",
    call = call, class = "dist"
  )
}

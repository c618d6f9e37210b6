#' Modules of genes
#'
#' Finds modules of co-expressed genes, as `WGCNA::blockwiseModules()` does, with all genes in one
#' block: topological overlap, average linkage, branches of the tree, eigengenes.
#'
#' @inheritParams gpu_tom
#' @param x Genes in columns and samples in rows: a numeric matrix or data frame.
#' @param checkMissingData `TRUE` leaves out genes and samples with too few values, and constant
#'   genes.
#' @param deepSplit,detectCutHeight,minModuleSize How branches are found: `deepSplit`, 0 to 4, the
#'   higher the more and smaller ones; `cutHeight` and `minClusterSize` of
#'   `dynamicTreeCut::cutreeDynamic()`.
#' @param maxCoreScatter,minGap,maxAbsCoreScatter,minAbsGap,minSplitHeight,minAbsSplitHeight Numbers
#'   or `NULL`, see `dynamicTreeCut::cutreeDynamic()`.
#' @param pamStage,pamRespectsDendro Whether genes outside of branches are assigned to the nearest
#'   one, and only within their part of the tree.
#' @param minCoreKME,minCoreKMESize A module is disbanded unless it has at least `minCoreKMESize`
#'   genes whose connectivity to its eigengene is above `minCoreKME`.
#' @param minKMEtoStay Genes with a lower connectivity are removed from their module.
#' @param reassignThreshold A gene goes to the module of its highest connectivity if the p-value of
#'   that is less than this share of the p-value in its own module.
#' @param mergeCutHeight Modules are merged if the average linkage of 1 minus the correlations of
#'   their eigengenes joins them at or below this height. This is repeated until none are.
#' @param numericLabels `TRUE` for numbers instead of colours: 0 instead of `"grey"`.
#' @param ... Which part of an object of another package to read, see [gpu_inputs].
#'
#' @return A list with the elements of WGCNA's:
#'   * `colors`, `unmergedColors`: the module of each gene after and before merging, named by the
#'     columns of `x`; `"grey"` for genes without one. Larger modules come first in the order of
#'     WGCNA's colours, for `unmergedColors` by their sizes in the tree.
#'   * `MEs`: a data frame of the eigengenes, similar ones next to each other, the grey one last,
#'     with `NA` for samples left out;
#'   * `goodSamples`, `goodGenes`: logical values, `FALSE` for what is left out;
#'   * `dendrograms`: a list with the tree of the good genes, of class `"hclust"`;
#'   * `TOMFiles`: `NULL`; `MEsOK`: `TRUE`;
#'   * `blockGenes`, `blocks`: a list with the numbers of the good genes, and 1 for each of them.
#'
#' @details The connectivity of a gene to an eigengene is their correlation by `corType`, or its
#'   magnitude if the network is unsigned. Modules are disbanded, also if fewer than `minModuleSize`
#'   genes stay, and genes are reassigned by the eigengenes of the modules in the tree.
#'
#'   A gene is left out if it has fewer than 4 values, values in at most half of the samples, an
#'   infinite value, or a variance of at most `(1e-10 * max(abs(x)))^2`; a sample, if it has values
#'   of fewer than 4 genes or of at most half of them. Both are repeated until nothing changes.
#'
#'   Arguments of `WGCNA::blockwiseModules()` for blocks, files, weights, random numbers and
#'   messages do not exist. Its other defaults are the same, and so is the result if no value is
#'   missing. Missing ones are imputed in another way for eigengenes, see [gpu_module_eigengenes()].
#'
#'   With n genes, the overlaps take 12 n^2 bytes of memory, the tree as many, and the branches
#'   those of package dynamicTreeCut, which must be installed, in addition to 8 n^2. The overlaps,
#'   the tree and correlations may be computed on a GPU, the rest is computed on the CPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references P. Langfelder and S. Horvath (2008). WGCNA: an R package for weighted correlation
#'   network analysis. *BMC Bioinformatics* 9, 559.
#'
#' @seealso [gpu_soft_threshold()] for the power, [gpu_tom()], [gpu_hclust()],
#'   [gpu_module_eigengenes()]
#'
#' @examplesIf requireNamespace("dynamicTreeCut", quietly = TRUE)
#' set.seed(1)
#' x <- matrix(rnorm(20 * 90), 20) + outer(rnorm(20), rep(c(2, 0), c(30, 60))) +
#'   outer(rnorm(20), rep(c(0, 2, 0), each = 30))
#' modules <- gpu_block_modules(x)
#' table(modules$colors)
#' head(modules$MEs)
#' @export
gpu_block_modules <- function(x, checkMissingData = TRUE, # nolint: the names of WGCNA
                              corType = "pearson", maxPOutliers = 1, # nolint
                              pearsonFallback = "individual", power = 6, # nolint
                              networkType = c("unsigned", "signed", "signed hybrid"), # nolint
                              TOMType = "signed", TOMDenom = c("min", "mean"), # nolint
                              suppressTOMForZeroAdjacencies = FALSE, # nolint
                              suppressNegativeTOM = FALSE, deepSplit = 2, # nolint
                              detectCutHeight = 0.995, # nolint
                              minModuleSize = min(20, ncol(x) / 2), # nolint
                              maxCoreScatter = NULL, minGap = NULL, # nolint
                              maxAbsCoreScatter = NULL, minAbsGap = NULL, # nolint
                              minSplitHeight = NULL, minAbsSplitHeight = NULL, # nolint
                              pamStage = TRUE, pamRespectsDendro = TRUE, # nolint
                              reassignThreshold = 1e-6, minCoreKME = 0.5, # nolint
                              minCoreKMESize = minModuleSize / 3, minKMEtoStay = 0.3, # nolint
                              mergeCutHeight = 0.15, numericLabels = FALSE, ..., # nolint
                              backend = NULL, threads = NULL, device = NULL,
                              precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  if (!requireNamespace("dynamicTreeCut", quietly = TRUE)) {
    message <- "gpu_block_modules() needs package dynamicTreeCut, which is not installed"
    stop_argument(message, "", call)
  }
  flag_of(checkMissingData, "checkMissingData", call)
  flag_of(numericLabels, "numericLabels", call)
  x <- points_of(x, "x", dense_reader(from))
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop_value(x, "x", "a matrix of numbers with genes in columns", call)
  }
  network <- list(
    power = power, corType = choose_one(corType, core_choices("cor", "method"), "corType", call),
    networkType = network_type(networkType, "networkType", call),
    TOMType = TOMType, TOMDenom = TOMDenom, maxPOutliers = maxPOutliers,
    pearsonFallback = pearsonFallback, suppress_zero = suppressTOMForZeroAdjacencies,
    suppress_negative = suppressNegativeTOM
  )
  cut <- list(
    cutHeight = detectCutHeight, minClusterSize = minModuleSize, deepSplit = deepSplit,
    maxCoreScatter = maxCoreScatter, minGap = minGap, maxAbsCoreScatter = maxAbsCoreScatter,
    minAbsGap = minAbsGap, minSplitHeight = minSplitHeight, minAbsSplitHeight = minAbsSplitHeight,
    pamStage = flag_of(pamStage, "pamStage", call),
    pamRespectsDendro = flag_of(pamRespectsDendro, "pamRespectsDendro", call)
  )
  rule <- list(
    reassignThreshold = reassignThreshold, minCoreKME = minCoreKME,
    minCoreKMESize = minCoreKMESize, minKMEtoStay = minKMEtoStay, mergeCutHeight = mergeCutHeight
  )
  check_module_rules(cut, rule, call)
  rule$minModuleSize <- minModuleSize # nolint
  good <- good_samples_and_genes(x, checkMissingData, call)
  run <- c(run_arguments(), list(precision = precision))
  values <- unname(x[good$samples, good$genes, drop = FALSE])
  found <- modules_of_genes(values, network, cut, rule, numericLabels, run)
  as_block_modules(x, values, good, found, numericLabels, run)
}

# Checks the numbers by which branches are found and modules are changed.
check_module_rules <- function(cut, rule, call) {
  is_number <- function(value) is.numeric(value) && length(value) == 1L && !is.na(value)
  if (!is_number(cut$deepSplit) || !cut$deepSplit %in% 0:4) {
    stop_value(cut$deepSplit, "deepSplit", "a whole number between 0 and 4", call)
  }
  cut <- cut[!names(cut) %in% c("deepSplit", "pamStage", "pamRespectsDendro")]
  names(cut)[1:2] <- c("detectCutHeight", "minModuleSize")
  given <- c(cut[1:2], Filter(Negate(is.null), cut[-(1:2)]), rule)
  for (name in names(given)) {
    if (!is_number(given[[name]])) {
      stop_value(given[[name]], name, "a number", call)
    }
  }
}

# Returns which samples and genes have values to compare: list(samples, genes) of logical values.
good_samples_and_genes <- function(x, check, call) {
  samples <- rep(TRUE, nrow(x))
  genes <- rep(TRUE, ncol(x))
  known <- is.finite(x)
  least <- if (any(known)) (1e-10 * max(abs(x[known])))^2 else 0
  repeat {
    before <- c(samples, genes)
    if (check) {
      n <- colSums(known[samples, , drop = FALSE])
      genes <- genes & n >= 4 & n > sum(samples) / 2
      some <- x[samples, genes, drop = FALSE]
      centred <- some - rep(colMeans(some, na.rm = TRUE), each = nrow(some))
      variance <- colSums(centred^2, na.rm = TRUE) / (n[genes] - 1)
      genes[genes] <- is.finite(variance) & variance > least
      n <- rowSums(known[, genes, drop = FALSE])
      samples <- samples & n >= 4 & n > sum(genes) / 2
    }
    if (sum(samples) < 4 || sum(genes) < 4) {
      stop_argument(sprintf(
        "x must have at least 4 samples and 4 genes with enough values, not %d and %d",
        sum(samples), sum(genes)
      ), "x", call)
    }
    if (identical(before, c(samples, genes))) {
      return(list(samples = unname(samples), genes = unname(genes)))
    }
  }
}

# Returns the tree of the genes, and their modules as numbers: list(tree, unmerged, merged).
#
# network  the arguments of gpu_tom()
# cut      those of dynamicTreeCut::cutreeDynamic()
# rule     the thresholds by which modules change
# numeric  whether modules are numbers for the user, not colours
# run      the settings of a run
modules_of_genes <- function(x, network, cut, rule, numeric, run) {
  d <- gpu_tom(
    x, network$power, network$corType, network$networkType, network$TOMType, network$TOMDenom,
    network$suppress_zero, network$suppress_negative, "dist",
    maxPOutliers = network$maxPOutliers, pearsonFallback = network$pearsonFallback,
    backend = run$backend, threads = run$threads, device = run$device, precision = run$precision,
    progress = run$progress, memory_limit = run$memory_limit
  )
  tree <- gpu_hclust(
    d, "average",
    backend = run$backend, threads = run$threads, device = run$device, precision = run$precision,
    progress = run$progress, memory_limit = run$memory_limit
  )
  d <- square_distances(d, ncol(x))
  given <- list(tree, method = "hybrid", distM = quote(d), verbose = 0)
  label <- as.double(do.call(dynamicTreeCut::cutreeDynamic, c(given, cut)))
  d <- NULL
  if (any(label > 0)) {
    label <- change_modules(x, label, network, rule, run)
  }
  merged <- merge_modules(x, label, rule$mergeCutHeight, run)
  list(tree = tree, unmerged = label, merged = by_size(merged, numeric))
}

# Returns the n by n matrix of distances, in no more memory than that of the result.
square_distances <- function(d, n) {
  square <- matrix(0, n, n)
  before <- 0
  for (j in seq_len(n - 1L)) {
    rows <- (j + 1L):n
    column <- d[before + seq_len(n - j)]
    square[rows, j] <- column
    square[j, rows] <- column
    before <- before + (n - j)
  }
  square
}

# Returns the labels of modules after genes with a low connectivity have left them, and others have
# gone to a nearer module.
change_modules <- function(x, label, network, rule, run) {
  connectivity <- connectivities(x, eigengenes_of(x, label, run), network, run)
  own <- connectivity[cbind(seq_along(label), pmax(label, 1))]
  for (module in seq_len(ncol(connectivity))) {
    genes <- which(label == module)
    stay <- own[genes] >= rule$minKMEtoStay
    core <- sum(own[genes] > rule$minCoreKME)
    disband <- core < rule$minCoreKMESize || sum(stay) < rule$minModuleSize
    label[if (disband) genes else genes[!stay]] <- 0
  }
  there <- sort(unique(label[label > 0]))
  if (rule$reassignThreshold <= 0 || length(there) < 2L) {
    return(label)
  }
  best <- there[max.col(connectivity[, there, drop = FALSE], "first")]
  p <- function(r) t_probability(r, nrow(x))
  nearest <- connectivity[cbind(seq_along(label), best)]
  moves <- label > 0 & best != label & p(nearest) < p(own) * rule$reassignThreshold
  label[moves] <- best[moves]
  label
}

# Returns the connectivities of genes to eigengenes, 0 for genes without correlations.
connectivities <- function(x, eigengenes, network, run) {
  y <- unname(as.matrix(eigengenes))
  use <- "pairwise.complete.obs"
  r <- if (network$corType == "bicor") {
    gpu_bicor(
      x, y,
      use = use, maxPOutliers = network$maxPOutliers, pearsonFallback = network$pearsonFallback,
      backend = run$backend, threads = run$threads, device = run$device,
      precision = run$precision, progress = run$progress, memory_limit = run$memory_limit
    )
  } else {
    gpu_cor(
      x, y, use, network$corType,
      backend = run$backend, threads = run$threads, device = run$device,
      precision = run$precision, progress = run$progress, memory_limit = run$memory_limit
    )
  }
  r[is.na(r)] <- 0
  if (network$networkType == "unsigned") abs(r) else r
}

# Returns the eigengenes of modules, which the CPU computes on any backend.
eigengenes_of <- function(x, label, run, exclude = TRUE) {
  gpu_module_eigengenes(
    x, label,
    excludeGrey = exclude, backend = "cpu", threads = run$threads, progress = run$progress,
    memory_limit = run$memory_limit
  )$eigengenes
}

# Returns the labels of modules after those with similar eigengenes have been merged.
merge_modules <- function(x, label, height, run) {
  repeat {
    there <- sort(unique(label[label > 0]))
    if (length(there) < 2L) {
      return(label)
    }
    tree <- eigengene_tree(eigengenes_of(x, label, run))
    branch <- stats::cutree(tree, h = height)
    if (!anyDuplicated(branch)) {
      return(label)
    }
    first <- there[match(branch, branch)]
    label <- c(0, first)[match(label, there, nomatch = 0L) + 1L]
  }
}

# Returns the tree of eigengenes by their correlations.
eigengene_tree <- function(eigengenes) {
  stats::hclust(stats::as.dist(1 - stats::cor(eigengenes)), "average")
}

# Returns labels numbered by the sizes of their modules, the largest first, and of equal ones in the
# order of their labels, or else of their colours, as in WGCNA; 0 stays.
by_size <- function(label, numeric) {
  size <- tabulate(label[label > 0])
  name <- if (numeric) seq_along(size) else module_color(seq_along(size))
  largest <- order(-size, name, method = "radix")
  match(label, largest[size[largest] > 0], nomatch = 0L) + 0
}

# Returns the result of gpu_block_modules(). values: the good samples and genes of x.
as_block_modules <- function(x, values, good, found, numeric, run) {
  shown <- function(label) if (numeric) label else module_color(label)
  named <- function(label) {
    all <- numeric(ncol(x))
    all[good$genes] <- label
    stats::setNames(shown(all), colnames(x))
  }
  frame <- eigengenes_of(values, shown(found$merged), run, exclude = FALSE)
  grey <- names(frame) %in% c("ME0", "MEgrey")
  proper <- which(!grey)
  if (length(proper) > 2L) {
    proper <- proper[eigengene_tree(frame[proper])$order]
  }
  frame <- frame[c(proper, which(grey))]
  all <- frame[match(seq_len(nrow(x)), which(good$samples)), , drop = FALSE]
  rownames(all) <- if (!is.null(rownames(x))) make.unique(rownames(x))
  list(
    colors = named(found$merged), unmergedColors = named(found$unmerged), MEs = all,
    goodSamples = good$samples, goodGenes = good$genes, dendrograms = list(found$tree),
    TOMFiles = NULL, blockGenes = list(which(good$genes)), blocks = ifelse(good$genes, 1, NA),
    MEsOK = TRUE
  )
}

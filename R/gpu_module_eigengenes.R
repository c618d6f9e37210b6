#' Eigengenes of modules
#'
#' Finds the first principal component of each module of genes, as `WGCNA::moduleEigengenes()` does.
#'
#' @inheritParams gpu_soft_threshold
#' @param colors The module of each gene: colours, numbers or a factor. Genes with `NA` belong to
#'   none.
#' @param nPC Number of components whose shares of the variance are returned.
#' @param align `"along average"` gives an eigengene the sign of its correlation with the average of
#'   the module; with `""` its value of largest magnitude is positive.
#' @param excludeGrey `TRUE` leaves out the module `grey`, of genes without a module.
#' @param grey The name of this module.
#' @param scale `FALSE` if genes have mean 0 and standard deviation 1 already.
#' @param ... Which part of an object of another package to read, see [gpu_inputs].
#'
#' @return A list of three data frames with a column for each module, and `nPC`:
#'   * `eigengenes`: of length 1, a row for each sample; columns are named `ME` and the module;
#'   * `averageExpr`: the mean of the scaled genes, columns named `AE` and the module;
#'   * `varExplained`: the share of the variance that each component explains.
#'
#' @details Modules are in the order of the levels of `factor(colors)`, as in WGCNA, and results
#'   agree with those of WGCNA 1.72 to about 1e-14. Values that are missing or infinite count as the
#'   mean of their gene, or as 0 with `scale = FALSE`; WGCNA imputes missing ones from other genes
#'   of the module. Constant genes are left out, where WGCNA replaces the eigengene by the average
#'   of hub genes. A module without other genes has an eigengene of `NaN`.
#'
#'   The products of samples, or of genes if a module has fewer, are summed in one order, so results
#'   depend neither on threads nor on the machine. A module is computed by one thread, on the CPU.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references P. Langfelder and S. Horvath (2007). Eigengene networks for studying the
#'   relationships between co-expression modules. *BMC Systems Biology* 1, 54.
#'
#' @seealso [gpu_tom()] and [gpu_hclust()] for the modules
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(20 * 60), 20) + outer(rnorm(20), rep(c(2, 0), each = 30))
#' tree <- gpu_hclust(gpu_tom(x, as = "dist"), "average")
#' modules <- gpu_module_eigengenes(x, cutree(as.hclust(tree), 2))
#' head(modules$eigengenes)
#' @export
gpu_module_eigengenes <- function(x, colors, nPC = 1, # nolint: the names of WGCNA
                                  align = c("along average", ""), excludeGrey = FALSE, # nolint
                                  grey = if (is.numeric(colors)) 0 else "grey", scale = TRUE, ...,
                                  backend = NULL, threads = NULL, device = NULL,
                                  precision = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(
    if (...length()) match.call(expand.dots = FALSE)$...,
    list(...), list(x), memory_limit, call,
    mixed = FALSE, variables = TRUE
  )
  aligned <- !identical(align, "") && choose_one(align, c("along average", ""), "align", call) != ""
  flag_of(excludeGrey, "excludeGrey", call)
  modules <- modules_of(colors, if (excludeGrey) grey, call)
  options <- list(
    module = modules$number, modules = length(modules$names), nPC = nPC, scale = scale,
    align = aligned
  )
  x <- points_of(x, "x", from)
  bar <- progress_bar("Eigengenes")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, precision, progress, bar$update, memory_limit)
  found <- .Call(C_eigengenes, list(x, NULL), options, settings, call)
  samples <- if (has_columns(x)) rownames(x)
  list(
    eigengenes = module_frame(found[[1L]], paste0("ME", modules$names), samples),
    averageExpr = module_frame(found[[2L]], paste0("AE", modules$names), samples),
    varExplained = module_frame(found[[3L]], paste0("X", seq_along(modules$names)), NULL),
    nPC = nPC
  )
}

# Returns the names of the modules, and for each gene the number of its module or 0.
#
# excluded  the name of one that is left out, or NULL
modules_of <- function(colors, excluded, call) {
  if (!is.atomic(colors) || is.null(colors)) {
    stop_value(colors, "colors", "a vector with a module for each column of x", call)
  }
  groups <- factor(colors)
  names <- setdiff(levels(groups), as.character(excluded))
  if (length(names) == 0L) {
    stop_argument("colors must have at least one module", "colors", call)
  }
  list(names = names, number = match(as.character(groups), names, nomatch = 0L) + 0)
}

# Returns a data frame of a matrix.
module_frame <- function(values, names, rows) {
  colnames(values) <- names
  frame <- as.data.frame(values)
  if (!is.null(rows)) {
    rownames(frame) <- make.unique(rows)
  }
  frame
}

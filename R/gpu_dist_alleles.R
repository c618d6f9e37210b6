#' Distances of profiles of alleles
#'
#' Counts the loci at which two profiles have different alleles, as for core genome multilocus
#' sequence typing (cgMLST), on all CPU cores. Loci that one of both lacks do not count.
#'
#' @param x A matrix or a data frame with a profile in each row and a locus in each column: whole
#'   numbers from 1 to 2^32 - 1. 0 and `NA` are missing alleles.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#'
#' @return An object of class `dist`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dist_dna()]; [gpu_hclust()] and [gpu_mst()], which take the result.
#'
#' @examples
#' x <- rbind(a = c(1, 2, 3, 4), b = c(1, 2, 5, 0), c = c(2, 2, 3, NA))
#' gpu_dist_alleles(x)
#' @export
gpu_dist_alleles <- function(x, ..., backend = NULL, threads = NULL, progress = NULL,
                             memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, NULL, "double", progress, bar$update, memory_limit
  )
  x <- as_points(x, "x", call)
  d <- .Call(C_dist_alleles, list(x), list(), settings, call)
  structure(
    d, Size = nrow(x), Labels = rownames(x), Diag = FALSE, Upper = FALSE, method = "alleles",
    call = match.call(), class = "dist"
  )
}

#' Rarefaction of communities
#'
#' `gpu_rarefy()` computes the expected number of species in random subsamples of communities, and
#' `gpu_rrarefy()` draws such subsamples. They are drop-in replacements for `vegan::rarefy()` and
#' `vegan::rrarefy()`, whose random numbers they take from R's generator.
#'
#' @param x Counts with sites in rows and species in columns, as in [gpu_vegdist()], or the counts
#'   of one site, a vector.
#' @param sample The number of individuals of a subsample; for `gpu_rarefy()` one or several, for
#'   `gpu_rrarefy()` one, or one for each site.
#' @param se Whether to return standard errors, too.
#' @param MARGIN 1 if sites are rows, 2 if they are columns.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#'
#' @return `gpu_rarefy()` returns a vector with the number of species of each site. With `se` it is
#'   a matrix with the rows `S` and `se`. For several samples it is a matrix with a column for each,
#'   in which `S` and `se` of a site follow each other. The attribute `Subsample` is `sample`.
#'
#'   `gpu_rrarefy()` returns a matrix of counts, a sparse one of class `"dgCMatrix"` if `x` is
#'   sparse.
#'
#' @section Expected numbers: A site has N individuals, c of them of a species. A subsample of n
#' individuals lacks the species with the probability q = choose(N - c, n) / choose(N, n). The
#' expected number of species is the sum of 1 - q. The variance is the sum of q (1 - q), and for
#' each ordered pair of species of choose(N - c - d, n) / choose(N, n) less the product of their q.
#' A site with at most n individuals has its number of species and the standard error 0, with a
#' warning if it has fewer.
#'
#' @section Random numbers: Each individual is drawn from those that remain, so that counts, and
#' the state of the generator afterwards, are those of vegan 2.6 after the same `set.seed()`, for
#' every `RNGkind()`. Species with individuals are numbered along in the order of the columns, or
#' if a site has more than 100 of them from the most frequent to the rarest. A site with at most
#' `sample` individuals is returned unchanged and draws no numbers.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' S. H. Hurlbert (1971). The nonconcept of species diversity: a critique and alternative
#' parameters. *Ecology* 52, 577-586. doi:10.2307/1934145
#'
#' K. L. Heck, G. van Belle and D. Simberloff (1975). Explicit calculation of the rarefaction
#' diversity measurement and the determination of sufficient sample size. *Ecology* 56, 1459-1461.
#' doi:10.2307/1934716
#'
#' @seealso [gpu_diversity()], [gpu_avgdist()]
#'
#' @examples
#' counts <- rbind(a = c(3, 0, 1, 2), b = c(0, 5, 1, 0), c = c(4, 1, 0, 2))
#' gpu_rarefy(counts, 4)
#' gpu_rarefy(counts, c(2, 4), se = TRUE)
#' set.seed(1)
#' gpu_rrarefy(counts, 4)
#' @export
gpu_rarefy <- function(x, sample, se = FALSE, MARGIN = 1, ...) { # nolint: names of package vegan
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), NULL, call,
    metric = NULL
  )
  se <- flag_of(se, "se", call)
  x <- check_counts(sites_of(x, MARGIN, from), call)
  least <- if (nrow(x)) min(row_sums(x)) else 0
  check_samples(if (!missing(sample)) sample, NULL, least, call)
  warn_of_counts(x, call)
  if (any(sample > least)) {
    warn_message("many individuals", call, least)
  }
  expected <- .Call(
    C_expected_species, list(x, as.double(sample)), list(se = se),
    run_settings("cpu", progress = FALSE), call
  )
  structure(shape_rarefied(expected, rownames(x), nrow(x), sample, se), Subsample = sample)
}

# Raises an error unless `sample` is whole numbers, one or `sites` of them; NULL: any number.
check_samples <- function(sample, sites, least, call) {
  if (is.null(sample)) {
    stop_argument(sprintf(
      "sample must be given; the smallest number of individuals of a row is %.0f", least
    ), "sample", call)
  }
  if (!is.numeric(sample) || !length(sample) || anyNA(sample) ||
    any(sample < 0 | sample == Inf | sample != round(sample))) {
    stop_value(sample, "sample", "whole numbers of at least 0", call)
  }
  if (!is.null(sites) && length(sample) != 1L) check_values(sample, "sample", sites, call)
}

# Warns of counts that are multiples or lack the rarest species.
warn_of_counts <- function(x, call) {
  values <- values_in(x)
  least <- if (any(values > 0)) min(values[values > 0]) else 1
  if (least > 1) {
    warn_message("multiples", call, least)
  }
}

# Returns expected numbers in the form of vegan::rarefy().
shape_rarefied <- function(expected, names, sites, sample, se) {
  parts <- c("S", "se")
  values <- if (se) rbind(expected$S, expected$se, deparse.level = 0L) else expected$S
  if (length(sample) == 1L) {
    if (!se) {
      return(structure(values, names = names))
    }
    return(matrix(values, 2L, dimnames = list(parts, names)))
  }
  if (se) {
    sites <- if (is.null(names)) seq_len(sites) else names
    names <- paste(rep(sites, each = 2L), parts, sep = ".")
  }
  matrix(values, ncol = length(sample), dimnames = list(names, paste0("N", sample)))
}

#' @rdname gpu_rarefy
#' @export
gpu_rrarefy <- function(x, sample, ...) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), NULL, call,
    metric = NULL
  )
  x <- check_counts(sites_of(x, 1, from), call)
  total <- row_sums(x)
  check_samples(if (!missing(sample)) sample, nrow(x), if (nrow(x)) min(total) else 0, call)
  warn_of_counts(x, call)
  warn_of_few(which(total < sample), "not rarefied", call)
  turn <- if (isS4(x)) Matrix::t else t
  turn(draw_individuals(turn(x), sample))
}

# Warns of rows with fewer individuals than `sample`.
warn_of_few <- function(rows, fate, call) {
  if (length(rows)) {
    fate <- paste(if (length(rows) > 1L) "are" else "is", fate)
    warn_message("few individuals", call, rows_of(rows), fate)
  }
}

# Returns subsamples of the columns of a matrix, maybe a sparse one.
draw_individuals <- function(sites, sample) {
  n <- ncol(sites)
  first <- if (isS4(sites)) as.double(sites@p) else as.double(nrow(sites)) * (0:n)
  drawn <- .Call(C_rarefy, as.vector(values_in(sites)), first, rep_len(as.double(sample), n))
  sites <- set_values(sites, drawn)
  if (isS4(sites)) Matrix::drop0(sites) else sites
}

#' Distances of proteins
#'
#' Computes distances of aligned proteins, by maximum likelihood as `phangorn::dist.ml()` does or by
#' the share of sites that differ, on all CPU cores.
#'
#' @param x Aligned sequences, all of the same length: of class `AAbin` of package ape,
#'   `AAStringSet` of package Biostrings or `phyDat` of package phangorn; a character vector with a
#'   sequence in each element, or a character matrix with one in each row. Letters are those of the
#'   20 amino acids; B, Z and J, which stand for N or D, Q or E, I or L; and X, U, O, `*`, `-`, `?`
#'   and `.`, which can be any. Lower and upper case are equal.
#' @param model One of the models below; lower and upper case are equal.
#' @param exclude The sites that count: `"none"` is excluded, `"all"` that have no known amino acid
#'   in some sequence, or `"pairwise"` in one of both. Known are only the 20.
#' @param bf The shares of the amino acids A, R, N, D, C, Q, E, G, H, I, L, K, M, F, P, S, T, W, Y
#'   and V in this order, 20 numbers of at least 1e-10 whose sum is 1, instead of those of a model
#'   of maximum likelihood. `NULL`: those of the model.
#' @param Q The relative rates of the model, instead of its own: the 190 numbers below the diagonal
#'   of a symmetric matrix `m` of amino acids in the same order, as `m[lower.tri(m)]` has them, at
#'   least 0, by which all amino acids can change into all others. A change from i to j has the rate
#'   `m[i, j] * bf[j]`, times a factor for all by which 1 is the number of substitutions a site and
#'   unit of time. `NULL`: those of the model.
#' @param k The number of categories of sites, 1 to 64, for the models of maximum likelihood: each
#'   has the same share of all sites, and the mean rate of its part of a gamma distribution (Yang
#'   1994). 1: all sites have one rate.
#' @param shape The shape of the gamma distribution, 0.001 to 1000; the lower, the more the rates
#'   differ. It has no effect if `k` is 1.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#'
#' @return An object of class `dist` with the attributes `Size`, `Labels`, `Upper`, `Diag`, `call`
#'   and `method`. A distance is `NaN` if no site counts (with `"hamming"` 0) or if its formula is
#'   not defined, and `Inf` for a logarithm of 0.
#'
#' @section Models:
#' Let d be the number of sites that differ, at which no amino acid can be the same in both
#' sequences, and p its share of the sites that count.
#'
#' | `model` | distance |
#' |---|---|
#' | `"hamming"`, `"p"` | d; p |
#' | `"poisson"` | -log(1 - p) |
#' | `"kimura"` | -log(1 - p - p^2 / 5) |
#' | `"JTT"` | maximum likelihood, with the rates of Jones, Taylor and Thornton (1992) |
#' | `"WAG"` | Whelan and Goldman (2001) |
#' | `"LG"` | Le and Gascuel (2008) |
#' | `"Dayhoff"` | Dayhoff, Schwartz and Orcutt (1978) |
#'
#' @details Distances of maximum likelihood are expected substitutions a site, from 0 to 10: the t
#' that maximizes
#' \deqn{\sum_s \log \frac{1}{k} \sum_{c = 1}^{k} \sum_{a \in A_s} \sum_{b \in B_s} \pi_a
#' \exp(Q r_c t)_{ab},}{sum_s log mean_c sum_(a in A_s) sum_(b in B_s) pi_a exp(Q r_c t)_ab,}
#' where \eqn{r_c} is the rate of category c, \eqn{A_s} and \eqn{B_s} are the amino acids that the
#' letters of both sequences at site s stand for, \eqn{\pi} their shares and Q the rates, of the
#' tables of program PAML. A letter that can be any amino acid has no effect. The maximum is found
#' by Newton's method with bisection, to a relative 1e-10; the derivatives are exact, by the
#' eigenvalues of Q. `bf`, `Q`, `k` and `shape` are those of `phangorn::dist.ml()`.
#'
#' phangorn 2.11 stops within a relative 1e-2 of the maximum, and returns `NA` where no site counts.
#' For sequences that differ almost everywhere it can return numbers beyond 10. It takes shares
#' whose sum is not 1 as they are; here they are an error. Probabilities below 1e-14, which only a
#' `Q` with zeros has at distances where the others are likely, count as those of two changes.
#'
#' @references Dayhoff, M. O., Schwartz, R. M. and Orcutt, B. C. (1978) A model of evolutionary
#' change in proteins. *Atlas of Protein Sequence and Structure* **5**, supplement 3, 345-352.
#'
#' Jones, D. T., Taylor, W. R. and Thornton, J. M. (1992) The rapid generation of mutation data
#' matrices from protein sequences. *Computer Applications in the Biosciences* **8**, 275-282.
#'
#' Kimura, M. (1983) *The neutral theory of molecular evolution*. Cambridge University Press.
#'
#' Le, S. Q. and Gascuel, O. (2008) An improved general amino acid replacement matrix. *Molecular
#' Biology and Evolution* **25**, 1307-1320.
#'
#' Whelan, S. and Goldman, N. (2001) A general empirical model of protein evolution derived from
#' multiple protein families using a maximum-likelihood approach. *Molecular Biology and Evolution*
#' **18**, 691-699.
#'
#' Yang, Z. (1994) Maximum likelihood phylogenetic estimation from DNA sequences with variable rates
#' over sites: approximate methods. *Journal of Molecular Evolution* **39**, 306-314.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dist_dna()] for DNA, [gpu_dist_edit()] for sequences that are not aligned;
#'   [gpu_nj()] and [gpu_hclust()], which take the result.
#'
#' @examples
#' x <- c(a = "MKTAYIAKQRQISF", b = "MKTAYVAKQRQLSF", c = "MRSAFIGKQ-NISY", d = "MRSAFVGKQKNISY")
#' gpu_dist_aa(x)
#' gpu_dist_aa(x, "p", exclude = "pairwise")
#' gpu_nj(gpu_dist_aa(x, "LG"))$edge.length
#' gpu_dist_aa(x, "LG", bf = rep(1, 20) / 20)
#' @export
gpu_dist_aa <- function(x, model = "JTT", exclude = "none", bf = NULL,
                        Q = NULL, # nolint: name of package phangorn
                        k = 1, shape = 1, ..., backend = NULL, threads = NULL, progress = NULL,
                        memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, NULL, "double", progress, bar$update, memory_limit
  )
  x <- proteins_of(x, call)
  options <- list(
    model = model, exclude = exclude, bf = as_doubles(bf), Q = as_doubles(Q), k = k, shape = shape
  )
  made <- .Call(C_dist_aa, list(x), options, settings, call)
  structure(
    made$distances,
    Size = length(x), Labels = names(x), Upper = FALSE, Diag = FALSE, call = match.call(),
    method = made$model, class = "dist"
  )
}

proteins_allowed <- paste(
  "proteins: of class AAbin, AAStringSet or phyDat, a character vector with a sequence in each",
  "element, or a character matrix with one in each row"
)

# Returns proteins as a character vector with a sequence in each element.
proteins_of <- function(x, call) {
  is_dna <- inherits(x, dna_classes) && !identical(attr(x, "type"), "AA")
  letters <- if (inherits(x, "AAbin")) letters_of_aabin(x) else letters_of(x)
  if (is_dna || !is.character(letters) || anyNA(letters)) {
    stop_value(x, "x", proteins_allowed, call)
  }
  if (!is.matrix(letters)) {
    return(letters)
  }
  if (any(nchar(letters, "bytes") != 1L)) {
    stop_argument("x must have one letter in each element, as it is a matrix", "x", call)
  }
  stats::setNames(
    vapply(seq_len(nrow(letters)), function(i) paste(letters[i, ], collapse = ""), ""),
    rownames(letters)
  )
}

# Returns the sequences of class AAbin, whose bytes are letters: a matrix, a list, or one sequence.
letters_of_aabin <- function(x) {
  x <- unclass(x)
  if (is.matrix(x)) {
    rows <- vapply(seq_len(nrow(x)), function(i) rawToChar(as.vector(x[i, ])), "")
    return(stats::setNames(rows, rownames(x)))
  }
  if (is.list(x)) vapply(x, rawToChar, "") else rawToChar(as.vector(x))
}

#' Distances of sequences of DNA
#'
#' Computes distances of aligned sequences as `ape::dist.dna()` does, on all CPU cores or a GPU,
#' with the same bits. `"GG95"` and `"INDELBLOCK"` are computed on the CPU.
#'
#' @param x Aligned sequences, all of the same length: of [gpu_read_fasta()], of class `DNAbin` of
#'   package ape, `DNAStringSet` of package Biostrings or `phyDat` of package phangorn; a character
#'   vector with a sequence in each element, or a character matrix with one in each row.
#' @param model One of the models below; lower and upper case are equal.
#' @param variance Whether to compute variances, too.
#' @param gamma The shape of a gamma distribution of rates among sites, for `"JC69"`, `"K80"`,
#'   `"F81"` and `"TN93"`. `TRUE` is 1; `FALSE`: one rate.
#' @param pairwise.deletion Whether all sites count at which both sequences of a pair have a known
#'   base. By default only sites count at which all sequences have one. It has no effect on
#'   `"INDEL"`, `"INDELBLOCK"` and `"SNP"`.
#' @param base.freq The shares of A, C, G and T, for `"F81"`, `"F84"`, `"T92"` and `"TN93"`. `NULL`:
#'   those of all known bases in `x`. `"pair"`: for each pair those of both sequences, at the sites
#'   that count for it.
#' @param as.matrix Whether to return a matrix.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @param all.letters For `"SNP"`: whether all sites count whose letters differ, also gaps and
#'   ambiguous bases, as with option `-a` of snp-dists. Its option `-k`, which keeps lower and upper
#'   case apart, has no counterpart, because codes of bases have no case: of a character vector,
#'   `chartr("acgtu", "NNNNN", x)` makes bases in lower case unknown.
#' @param sites Whether to return the number of sites that count for each distance.
#' @inheritParams gpu_settings
#' @param file,file_shape,file_name,file_precision A file to which distances are written, and its
#'   form, as in [gpu_dist()]. The CPU computes them then, and there are no `variance` and `sites`.
#'
#' @return With `file` an object of class [`"gpu_dist_file"`][gpu_dist_file]. Else an object of
#'   class `dist` with the attributes `Size`, `Labels`, `Upper`, `Diag`, `call`, `method`, and with
#'   `variance = TRUE` also `variance`, a vector in the same order. With
#'   `as.matrix = TRUE` a matrix, with the same attribute `variance`. `"BH87"` always gives a
#'   matrix, which is not symmetric: the row is the sequence from which, the column the one to which
#'   the distance is. With `sites = TRUE` the attribute `sites` is a vector in the order of the
#'   distances; all sites count for `"INDEL"`, `"INDELBLOCK"` and with
#'   `all.letters = TRUE`.
#'
#'   A distance is `NaN` if its formula is not defined (a pair without common sites, or a logarithm
#'   of a negative number: sequences that differ too much), and `Inf` for a logarithm of 0.
#'
#' @section Models:
#' Ambiguous bases are not known. A transition is between A and G or between C and T, every other
#' difference a transversion.
#'
#' | `model` | distance |
#' |---|---|
#' | `"N"`, `"TS"`, `"TV"` | number of differences, of transitions, of transversions |
#' | `"RAW"` | share of sites that differ |
#' | `"JC69"` | Jukes and Cantor (1969) |
#' | `"K80"`, `"K81"` | Kimura (1980, 1981) |
#' | `"F81"`, `"F84"` | Felsenstein (1981, 1984) |
#' | `"T92"`, `"TN93"` | Tamura (1992), Tamura and Nei (1993) |
#' | `"GG95"` | Galtier and Gouy (1995) |
#' | `"LOGDET"`, `"PARALIN"` | Lockhart et al. (1994), Lake (1994) |
#' | `"BH87"` | Barry and Hartigan (1987) |
#' | `"INDEL"` | number of sites with a gap in one of both sequences |
#' | `"INDELBLOCK"` | number of gaps, by first site and length, in one of both sequences |
#' | `"SNP"` | `"N"` with `pairwise.deletion = TRUE`, what the program snp-dists counts |
#'
#' @section Differences from ape:
#' Distances are those of `ape::dist.dna()` (compared with version 5.7), except that
#' - `"BH87"` and `"PARALIN"` with `pairwise.deletion = TRUE` count only sites that both sequences
#'   have, also for the frequencies of bases;
#' - saturated distances are `NaN` also with `gamma`, and for `"K81"` if two logarithms are of
#'   negative numbers; variances of such distances are `NaN`;
#' - `"GG95"` leaves pairs without transversions out of the mean ratio of rates;
#' - the variances of `"K81"`, `"LOGDET"`, `"PARALIN"`, and of `"JC69"` and `"F81"` with `gamma` are
#'   those of the delta method (as in Kimura 1981; Nei and Kumar 2000), which ape's are not;
#' - `variance` or `gamma` with a model that has none is an error, not a warning.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_hclust()] and [gpu_pcoa()], which take the result; [gpu_dist_alleles()].
#'
#' @examples
#' x <- c(a = "ACGTACGTAC", b = "ACGTACGTAT", c = "ACGAACTTAC")
#' gpu_dist_dna(x)
#' gpu_dist_dna(x, "N", as.matrix = TRUE)
#' @export
gpu_dist_dna <- function(x, model = "K80", variance = FALSE, gamma = FALSE,
                         pairwise.deletion = FALSE, base.freq = NULL, # nolint: names of package ape
                         as.matrix = FALSE, ..., all.letters = FALSE, sites = FALSE, # nolint
                         backend = NULL, threads = NULL, device = NULL, progress = NULL,
                         memory_limit = NULL,
                         file = NULL, file_shape = "condensed", file_name = NULL,
                         file_precision = "double") {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  square <- flag_of(as.matrix, "as.matrix", call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, device, "double", progress, bar$update, memory_limit
  )
  codes <- codes_of(x, call)
  options <- c(
    dna_options(model, gamma, pairwise.deletion, base.freq),
    list(
      variance = variance, all.letters = all.letters,
      count.sites = flag_of(sites, "sites", call)
    )
  )
  inputs <- unname(codes[c("codes", "lengths", "names")])
  if (!is.null(file)) {
    if (square) {
      stop_argument("as.matrix must be FALSE with file", "as.matrix", call)
    }
    output <- list(
      source = "sequences", `function` = "gpu_dist_dna",
      file = expand(file), file_shape = file_shape, file_name = file_name,
      file_precision = file_precision, labels = codes$names
    )
    rename_dna(.Call(C_dist_file_write, c(inputs, list(options)), output, settings, call))
    return(open_dist_file(expand(file), file_name, call))
  }
  made <- rename_dna(.Call(C_dist_dna, inputs, options, settings, call))
  dna_distances(made, codes, square, match.call())
}

# Evaluates code, whose errors name the arguments of gpu_dist_dna().
rename_dna <- function(code) {
  rename_message("all_letters", "all.letters", rename_message("base_freq", "base.freq", code))
}

# Returns the options that all distances of DNA have.
dna_options <- function(model, gamma, pairwise.deletion, base.freq) { # nolint: names of package ape
  of_pair <- identical(base.freq, "pair")
  list(
    model = model, gamma = if (is.logical(gamma)) as.double(gamma) else gamma,
    pairwise.deletion = pairwise.deletion, pair.base.freq = of_pair,
    base.freq = if (!of_pair) as_doubles(base.freq)
  )
}

# Returns the value of gpu_dist_dna().
dna_distances <- function(made, codes, square, call) {
  size <- if (is.null(codes$lengths)) nrow(codes$codes) else length(codes$lengths)
  if (made$model == "BH87") {
    names <- if (!is.null(codes$names)) list(codes$names, codes$names)
    d <- matrix(made$distances, size, size, dimnames = names)
    attr(d, "sites") <- made$sites
    return(d)
  }
  d <- structure(
    made$distances,
    Size = size, Labels = codes$names, Upper = FALSE, Diag = FALSE, call = call,
    method = made$model, class = "dist"
  )
  if (square) {
    d <- as.matrix(d)
  }
  attr(d, "variance") <- made$variance
  attr(d, "sites") <- made$sites
  d
}

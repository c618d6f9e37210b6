#' Tables of communities in BIOM files
#'
#' Reads a table of counts in the format BIOM 2.1 (HDF5), as QIIME 2 and other programs write it.
#'
#' @param path The name of a file. A file of BIOM 1.0 (JSON) is an error that says how to convert
#'   it.
#' @param ... Must be empty.
#' @param progress,memory_limit See [gpu_settings]. `memory_limit` is the most bytes of the table
#'   while it is read; by default the memory of the machine.
#'
#' @return A matrix of samples by taxa, the observations of the file: a sparse one of class
#'   `"dgCMatrix"` if package Matrix is installed, otherwise a dense one. All functions of
#'   communities and of points take it as it is. Its attributes are
#'   * `taxonomy`: a matrix of strings with a row for each taxon and the columns `Rank1`, `Rank2`
#'     and so on, as `phyloseq::import_biom()` makes it; only if the file has one;
#'   * `sample_data`, `taxon_data`: data frames of the other metadata with a row for each sample or
#'     taxon; only if the file has some.
#'
#'   Texts that are not UTF-8 are taken for Latin-1. Metadata that have neither a string nor a
#'   number, nor as many of them, for each sample or taxon are left out, and group metadata are,
#'   too. Programs often write numbers as strings, which stay as they are.
#'
#' @details Values may be of any type of numbers, and chunks may be compressed by gzip or by any
#'   other filter of the HDF5 library. Values of 0 are left out. A file whose numbers contradict
#'   each other is an error. gpugeo must have been built with HDF5 ([gpu_hdf5_version()]).
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_vegdist()], [gpu_diversity()], [gpu_rarefy()], [gpu_read_newick()]
#'
#' @examplesIf nzchar(gpugeo::gpu_hdf5_version())
#' counts <- gpu_read_biom(system.file("extdata", "table.biom", package = "gpugeo"))
#' counts
#' attr(counts, "taxonomy")
#' gpu_vegdist(counts)
#' if (requireNamespace("phyloseq", quietly = TRUE)) {
#'   phyloseq::phyloseq(
#'     phyloseq::otu_table(as.matrix(counts), taxa_are_rows = FALSE),
#'     phyloseq::tax_table(attr(counts, "taxonomy")),
#'     phyloseq::sample_data(attr(counts, "sample_data"))
#'   )
#' }
#' @export
gpu_read_biom <- function(path, ..., progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Table")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update, memory_limit = memory_limit)
  read <- .Call(C_biom_read, list(path), list(), settings, call)
  samples <- repair_text(read$samples)
  taxa <- repair_text(read$taxa)
  counts <- biom_matrix(read, list(samples, taxa))
  taxonomy <- read$taxon_data$taxonomy
  if (is.character(taxonomy)) {
    attr(counts, "taxonomy") <- ranks_of(taxonomy, taxa)
    read$taxon_data$taxonomy <- NULL
  }
  attr(counts, "sample_data") <- metadata_of(read$sample_data, samples)
  attr(counts, "taxon_data") <- metadata_of(read$taxon_data, taxa)
  counts
}

# Returns the matrix of the slots that were read.
biom_matrix <- function(read, names) {
  size <- lengths(names)
  if (requireNamespace("Matrix", quietly = TRUE)) {
    return(Matrix::sparseMatrix(
      i = read$i, p = read$p, x = read$x, dims = size, dimnames = names, index1 = FALSE
    ))
  }
  counts <- matrix(0, size[1L], size[2L], dimnames = names)
  counts[cbind(read$i + 1L, rep(seq_len(size[2L]), diff(read$p)))] <- read$x
  counts
}

# Returns a taxonomy as a matrix of strings with a row for each taxon.
ranks_of <- function(taxonomy, taxa) {
  taxonomy <- if (is.matrix(taxonomy)) t(taxonomy) else as.matrix(taxonomy)
  taxonomy[] <- repair_text(taxonomy)
  dimnames(taxonomy) <- list(taxa, sprintf("Rank%d", seq_len(ncol(taxonomy))))
  taxonomy
}

# Returns metadata as a data frame, NULL if there are none. Values of several for each name are
# columns that are matrices.
metadata_of <- function(data, names) {
  if (length(data) == 0L) {
    return(NULL)
  }
  columns <- lapply(data, function(values) {
    values <- if (is.matrix(values)) t(values) else values
    if (is.character(values)) {
      values[] <- repair_text(values)
    }
    values
  })
  structure(
    columns,
    names = repair_text(names(data)), class = "data.frame",
    row.names = if (anyDuplicated(names)) seq_along(names) else names
  )
}

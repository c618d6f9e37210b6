#' Read sequences of DNA
#'
#' Reads a file in the FASTA format, plain or compressed by gzip.
#'
#' @param path A regular file, not a pipe. A line that begins with `>` is a name, and the lines
#'   after it are a sequence, of any length. Upper and lower case are equal. The letters are `A`,
#'   `C`, `G`, `T` or `U`, the codes of IUPAC for ambiguous bases, `N` or `X`, `-` for a gap, and
#'   `?` or `.` for a site without information; all others are an error. Empty lines, lines that
#'   begin with `;`, and blanks within sequences are ignored. Bytes that follow compressed data are
#'   ignored, as by [gzfile()].
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#' @param memory_limit The maximum memory in bytes for sequences and names while they are read. The
#'   default is the memory of the machine. A site takes one byte, in a file of one line or of many,
#'   plain or compressed; on systems other than Linux it takes two at the end of the call.
#'
#' @return An object of class [`"gpu_sequences"`][gpu_sequences], which [gpu_dist_dna()] takes.
#'   Names are whole lines without `>` and blanks at both ends; they may be equal. Those that are
#'   not UTF-8 are taken for Latin-1.
#'
#' @inheritSection gpu_dist Errors
#'
#' @examples
#' file <- tempfile()
#' writeLines(c(">one", "ACGTAC", ">two", "ACGTTC", ">three", "AC-TTN"), file)
#' gpu_dist_dna(gpu_read_fasta(file), "N", pairwise.deletion = TRUE)
#' @export
gpu_read_fasta <- function(path, ..., progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Sequences")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update, memory_limit = memory_limit)
  read <- .Call(C_fasta, list(path), list(), settings, call)
  new_sequences(read$codes, read$lengths, repair_text(read$names))
}

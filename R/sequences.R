#' @title Sequences of DNA
#' @name gpu_sequences
#'
#' @description
#' [gpu_read_fasta()] returns an object of class `"gpu_sequences"`: a byte for each site, in the
#' coding of class `DNAbin` of package ape, and the names.
#'
#' @param x An object of class `"gpu_sequences"`.
#' @param i The sequences to take: numbers, names or truth values.
#' @param value New names, one for each sequence.
#' @param ... Must be empty.
#'
#' @return
#' - `x[i]` has some of the sequences, `length(x)` is their number, and `names(x)` are their names.
#' - `as.character(x)` is a named vector of text in upper case, with `?` for `.`, `T` for `U` and
#'   `N` for `X` of the file.
#' - `as.DNAbin(x)`, if package ape is loaded, is a matrix if all sequences have the same length,
#'   else a list.
#'
#' @examples
#' file <- tempfile()
#' writeLines(c(">one", "ACGT-A", ">two", "acgtna"), file)
#' x <- gpu_read_fasta(file)
#' x
#' as.character(x["two"])
NULL

# Returns an object of class gpu_sequences of all codes, the lengths and the names or NULL.
new_sequences <- function(codes, lengths, names) {
  structure(list(codes = codes, lengths = lengths, names = names), class = "gpu_sequences")
}

# Returns the letter of each code, as raw bytes, by the code plus one.
code_letters <- local({
  codes <- c(
    A = 0x88, G = 0x48, C = 0x28, T = 0x18, R = 0xC0, M = 0xA0, W = 0x90, S = 0x60, K = 0x50,
    Y = 0x30, V = 0xE0, H = 0xB0, D = 0xD0, B = 0x70, N = 0xF0, `-` = 0x04, `?` = 0x02
  )
  replace(rep(charToRaw("?"), 256L), codes + 1, charToRaw(paste(names(codes), collapse = "")))
})

# Returns the letters of codes as one text.
text_of_codes <- function(codes) rawToChar(code_letters[as.integer(codes) + 1L])

# Returns a list of the codes of some sequences, or of all.
split_codes <- function(x, chosen = seq_along(x)) {
  parts <- unclass(x)
  end <- cumsum(parts$lengths)
  lapply(chosen, function(i) {
    parts$codes[seq.int(end[i] - parts$lengths[i] + 1, length.out = parts$lengths[i])]
  })
}

#' @rdname gpu_sequences
#' @export
length.gpu_sequences <- function(x) length(unclass(x)$lengths)

#' @rdname gpu_sequences
#' @export
names.gpu_sequences <- function(x) unclass(x)$names

#' @rdname gpu_sequences
#' @export
`names<-.gpu_sequences` <- function(x, value) {
  if (!is.null(value) && length(value) != length(x)) {
    stop_value(value, "value", sprintf("%d names", length(x)), sys.call())
  }
  parts <- unclass(x)
  new_sequences(parts$codes, parts$lengths, if (!is.null(value)) as.character(value))
}

#' @rdname gpu_sequences
#' @export
`[.gpu_sequences` <- function(x, i) {
  chosen <- seq_along(x)
  names(chosen) <- names(x)
  if (!missing(i)) {
    chosen <- chosen[i]
  }
  if (anyNA(chosen)) {
    stop_value(i, "i", "numbers or names of sequences", sys.call())
  }
  parts <- unclass(x)
  codes <- unlist(split_codes(x, chosen), use.names = FALSE)
  new_sequences(
    if (is.null(codes)) raw() else codes, parts$lengths[chosen], parts$names[chosen]
  )
}

#' @rdname gpu_sequences
#' @export
as.character.gpu_sequences <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  stats::setNames(vapply(split_codes(x), text_of_codes, ""), names(x))
}

#' @rdname gpu_sequences
#' @exportS3Method ape::as.DNAbin
as.DNAbin.gpu_sequences <- function(x, ...) { # nolint: the name of package ape
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  parts <- unclass(x)
  if (length(parts$lengths) > 0L && all(parts$lengths == parts$lengths[1L])) {
    rows <- length(parts$lengths)
    codes <- matrix(parts$codes, rows, parts$lengths[1L], byrow = TRUE)
    if (!is.null(parts$names)) {
      dimnames(codes) <- list(parts$names, NULL)
    }
    return(structure(codes, class = "DNAbin"))
  }
  structure(stats::setNames(split_codes(x), parts$names), class = "DNAbin")
}

#' @rdname gpu_sequences
#' @export
print.gpu_sequences <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  lengths <- unclass(x)$lengths
  sites <- format(range(lengths, 0)[2L], big.mark = ",")
  if (length(lengths) > 0L && min(lengths) != max(lengths)) {
    sites <- paste(format(min(lengths), big.mark = ","), "to", sites)
  }
  plural <- if (length(lengths) == 1L) "" else "s"
  cat(sprintf(
    "%s sequence%s of DNA, %s sites\n", format(length(lengths), big.mark = ","), plural, sites
  ))
  shown <- utils::head(names(x), 6L)
  if (length(shown) > 0L) {
    cat("names:", paste(shown, collapse = ", "), if (length(x) > 6L) "...", "\n")
  }
  invisible(x)
}

# --- Sequences of other classes -------------------------------------------------------------------

sequences_allowed <- paste(
  "sequences: of gpu_read_fasta(), of class DNAbin, DNAStringSet or phyDat, a character vector",
  "with a sequence in each element, or a character matrix with one in each row"
)

# Returns list(codes, lengths, names) as C_dist_dna takes them: codes of all sequences and their
# lengths, or a raw matrix and NULL.
codes_of <- function(x, call) {
  if (inherits(x, "gpu_sequences")) {
    return(unclass(x))
  }
  if (inherits(x, "DNAbin")) {
    return(codes_of_dnabin(x))
  }
  letters <- letters_of(x)
  if (!is.character(letters) || anyNA(letters)) {
    stop_value(x, "x", sequences_allowed, call)
  }
  read <- if (is.matrix(letters)) codes_of_matrix else codes_of_text
  rename_message("letters", "x", read(letters, call))
}

# Returns a character vector or matrix of sequences as text, and other values unchanged.
letters_of <- function(x) {
  if (inherits(x, c("XStringSet", "MultipleAlignment", "phyDat"))) {
    x <- as.character(x)
  }
  if (is.list(x) && length(x) > 0L && all(vapply(x, is.character, NA))) {
    x <- vapply(x, paste, "", collapse = "")
  }
  x
}

# Returns those of class DNAbin: a matrix, a list, or one sequence.
codes_of_dnabin <- function(x) {
  x <- unclass(x)
  if (is.matrix(x)) {
    return(list(codes = x, lengths = NULL, names = rownames(x)))
  }
  if (is.list(x)) {
    codes <- unlist(x, use.names = FALSE)
    return(list(
      codes = if (is.null(codes)) raw() else codes, lengths = as.double(lengths(x)),
      names = names(x)
    ))
  }
  list(codes = as.vector(x), lengths = as.double(length(x)), names = NULL)
}

# Returns those of a character vector.
codes_of_text <- function(x, call) {
  c(.Call(C_dna_encode, as.vector(x), call), list(names = names(x)))
}

# Returns those of a character matrix, each of whose elements has one letter.
codes_of_matrix <- function(x, call) {
  made <- .Call(C_dna_encode, as.vector(x), call)
  if (any(made$lengths != 1)) {
    stop_argument("x must have one letter in each element, as it is a matrix", "x", call)
  }
  list(codes = matrix(made$codes, nrow(x), ncol(x)), lengths = NULL, names = rownames(x))
}

# --- Sequences in place of points -----------------------------------------------------------------

# Classes whose objects gpu_dist_dna() takes.
dna_classes <- c(
  "gpu_sequences", "DNAbin", "DNAStringSet", "RNAStringSet", "DNAMultipleAlignment",
  "RNAMultipleAlignment", "phyDat"
)

# True for sequences; text is sequences if the metric is a model of them.
is_sequences <- function(x, method) {
  inherits(x, dna_classes) || (is.character(x) && is_dna_model(method))
}

# True for the name of a model of gpu_dist_dna().
is_dna_model <- function(method) {
  is.character(method) && length(method) == 1L &&
    lower_case(method) %in% lower_case(core_choices("dist_dna", "model"))
}

# Returns the options of C_dist_dna of a metric, checked by the core in no sequences: list(method,
# pairwise.deletion, ...) as metric_of() returns it.
model_options <- function(metric, call) {
  given <- utils::modifyList(
    list(pairwise.deletion = FALSE, gamma = FALSE),
    metric[intersect(names(metric), c("pairwise.deletion", "gamma", "base.freq"))]
  )
  options <- dna_options(
    if (isTRUE(attr(metric, "default"))) "K80" else metric$method, given$gamma,
    given$pairwise.deletion, given$base.freq
  )
  settings <- list(backend = "cpu", progress = FALSE, state = new.env())
  none <- list(raw(), numeric(), NULL, options)
  rename_message("base_freq", "base.freq", rename_message("model", "method", {
    options$model <- .Call(C_dist_dna, none, options, settings, call)$model
    .Call(C_distances_radius, none, list(source = "sequences", radius = 0), settings, call)
  }))
  options
}

# Returns distances of sequences that are computed when they are asked for, as source_of() describes
# distances, with the options of distances_from_any(). name: of the argument.
sequence_source <- function(x, metric, call, name = "x") {
  options <- model_options(metric, call)
  codes <- rename_message("x", name, codes_of(x, call))
  size <- if (is.null(codes$lengths)) nrow(codes$codes) else length(codes$lengths)
  list(
    inputs = c(unname(codes[c("codes", "lengths", "names")]), list(options)),
    source = "sequences", options = list(source = "sequences"), size = size,
    labels = codes$names, metric = options$model
  )
}

# Returns all of these distances, an object of class "dist". run: what run_arguments() returns.
sequence_distances <- function(source, run) {
  settings <- run_settings(
    run$backend, run$threads, NULL, "double", FALSE, NULL, run$memory_limit
  )
  made <- .Call(C_dist_dna, source$inputs, source$inputs[[4L]], settings, sys.call())
  structure(
    made$distances, Size = source$size, Labels = source$labels, Upper = FALSE, Diag = FALSE,
    method = made$model, class = "dist"
  )
}

# Returns list(method, parameters) of gpu_metric() with the name of a model.
dna_metric <- function(name, given, parameters, call) {
  for (parameter in setdiff(names(given), c("name", names(parameters)))) {
    refuse_owner(parameter, name, call)
  }
  metric <- c(list(method = name), parameters[intersect(names(given), names(parameters))])
  metric$method <- rename_message("method", "name", model_options(metric, call)$model)
  metric
}

# Raises an error if a parameter of models is given with another metric.
refuse_dna_parameters <- function(name, given, call) {
  for (parameter in intersect(given, c("pairwise.deletion", "gamma", "base.freq"))) {
    refuse_owner(parameter, name, call)
  }
}

refuse_owner <- function(parameter, method, call) {
  stop_argument(sprintf(
    "%s must be given with method \"%s\", not %s", parameter, parameter_owners[[parameter]],
    show_value(method)
  ), parameter, call)
}

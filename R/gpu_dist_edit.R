#' Edit distances of texts
#'
#' Computes the Levenshtein, optimal string alignment or Hamming distances of texts as package
#' stringdist defines them, between all pairs, or finds all neighbours within a distance, on all CPU
#' cores.
#'
#' @param x A character vector.
#' @param y Another one, to which distances are computed. `NULL`: within `x`.
#' @param method The edits that are counted:
#'   * `"lv"`: Levenshtein, insertions, deletions and substitutions of a letter;
#'   * `"osa"`: optimal string alignment, also exchanges of two neighbouring letters, where no part
#'     of a text is edited twice;
#'   * `"hamming"`: substitutions. Texts of different lengths have the distance `Inf`.
#' @param max The largest distance: larger ones are `Inf`, and no neighbours.
#' @param neighbors Whether to return neighbours within `max` instead of all distances.
#' @param useBytes Whether letters are bytes. By default they are the characters of UTF-8.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#'
#' @return Within `x`, an object of class `dist`; with `y`, a matrix with a row for each text of `x`
#' and a column for each of `y`. The distance of a missing text is `NA`.
#'
#' With `neighbors = TRUE` a list as [gpu_radius()] returns it: the neighbours of the first text of
#' `x`, then those of the second, and so on, each time the nearest first and ties by number:
#' * `count`: the number of neighbours of each text of `x`;
#' * `index`: numbers of texts of `y`, or of others of `x`;
#' * `distance`.
#'
#' A missing text has no neighbours.
#'
#' @details The distance D(m, n) of texts a and b of m and n letters is defined by
#' \deqn{D(i, j) = \min(D(i - 1, j) + 1, D(i, j - 1) + 1, D(i - 1, j - 1) + [a_i \ne b_j]),}{D(i, j)
#' = min(D(i - 1, j) + 1, D(i, j - 1) + 1, D(i - 1, j - 1) + [a_i != b_j]),}
#' with D(i, 0) = i and D(0, j) = j; `"osa"` also has D(i - 2, j - 2) + 1 where two letters are
#' exchanged. It is computed for 64 rows at a time by bit vectors (Myers 1999, Hyyro 2003).
#'
#' For neighbours within a `max` of up to 4, texts are compared only if they become equal by
#' deleting at most `max` letters from both, as all neighbours do (Mor and Fraenkel 1982); an index
#' of all such deletions is made if it has fewer of them than there are pairs. The result is exact.
#'
#' @references Myers, G. (1999) A fast bit-vector algorithm for approximate string matching based on
#' dynamic programming. *Journal of the ACM* **46**, 395-415.
#'
#' Hyyro, H. (2003) A bit-vector algorithm for computing Levenshtein and Damerau edit distances.
#' *Nordic Journal of Computing* **10**, 29-39.
#'
#' Mor, M. and Fraenkel, A. S. (1982) A hash code method for detecting and correcting spelling
#' errors. *Communications of the ACM* **25**, 935-938.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_radius()] for points; [gpu_hclust()], which takes the distances.
#'
#' @examples
#' gpu_dist_edit(c("kitten", "sitting", "mitten"))
#'
#' # Receptors that differ by at most one amino acid.
#' cdr3 <- c("CASSLGTEAFF", "CASSLGTDAFF", "CASSPGTEAFF", "CASRQGYEQYF")
#' near <- gpu_dist_edit(cdr3, max = 1, neighbors = TRUE)
#' data.frame(from = rep(seq_along(cdr3), near$count), to = near$index)
#' @export
gpu_dist_edit <- function(x, y = NULL, method = "lv", max = Inf, neighbors = FALSE,
                          useBytes = FALSE, ..., backend = NULL, threads = NULL, # nolint: stringdist's
                          progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  wanted <- flag_of(neighbors, "neighbors", call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, NULL, "double", progress, bar$update, memory_limit
  )
  x <- texts_of(x, "x", call)
  if (!is.null(y)) {
    y <- texts_of(y, "y", call)
  }
  options <- list(method = method, useBytes = useBytes, max = max)
  if (wanted) {
    near <- .Call(C_edit_neighbors, list(x, y), options, settings, call)
    names(near$count) <- names(x)
    return(near)
  }
  made <- .Call(C_dist_edit, list(x, y), options, settings, call)
  if (!is.null(y)) {
    names <- if (!is.null(names(x)) || !is.null(names(y))) list(names(x), names(y))
    return(matrix(made$distances, length(x), length(y), dimnames = names))
  }
  structure(
    made$distances,
    Size = length(x), Labels = names(x), Diag = FALSE, Upper = FALSE, method = made$method,
    call = match.call(), class = "dist"
  )
}

# Returns texts as a character vector.
texts_of <- function(x, name, call) {
  if (is.factor(x)) {
    x <- stats::setNames(as.character(x), names(x))
  }
  if (!is.character(x)) {
    stop_value(x, name, "a character vector", call)
  }
  x
}

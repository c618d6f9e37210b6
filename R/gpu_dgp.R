#' Distance geometry of a cycle on the line
#'
#' A cycle of n distances closes on the line when a choice of signs makes them sum to 0. `gpu_dgp()`
#' counts all choices whose sum is within a tolerance of 0 and returns the best. The count is exact,
#' up to 2^127.
#'
#' @param d The distances: positive, finite numbers, at most 127.
#' @param tol A sum of at most this size is a solution: at least 0, in the unit of `d`.
#' @param algorithm The algorithm, which never changes the result:
#'   * `"branch-and-prune"`: depth first through the tree of partial sums, on the CPU only;
#'   * `"exhaustive"`: all 2^n rows of the matrix M, as an optical processor would;
#'   * `"meet-in-the-middle"`: the sorted sums of two halves, in time and memory of about 2^(n/2);
#'   * `"auto"`, the fastest of them.
#' @param max_solutions The number of solutions to return, those with the smallest residual, ties by
#'   row number; 0 counts only.
#' @param exact `TRUE` decides by the sum of the given doubles as real numbers. `FALSE` decides by
#'   fixed-point sums of 2^-60 of the sum of `d`.
#' @param symmetric `TRUE` counts a solution and its mirror image, with all signs inverted, as one:
#'   the one with the smaller row number, which subtracts the last distance.
#' @param prune For `"branch-and-prune"`: `TRUE` prunes a branch if the remaining distances cannot
#'   bring the sum back to 0; `FALSE` visits the whole tree, as in the paper.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_dist
#'
#' @return `summary()` returns a data frame of one row. `plot()` draws each solution as a path from
#'   the first vertex at the top to the last, next to each other, and a dotted line at 0.
#'   `gpu_dgp()` returns a list of class `gpu_dgp`:
#' * `count`: the number of solutions, and `count_text`, the same with all its digits;
#' * `expected`: the number expected for random distances,
#'   `2^n * 2 * tol / sqrt(2 * pi * sum(d^2))`: if it is far above 1, most solutions are due to the
#'   tolerance;
#' * `rows`: the row numbers in M, from 1, of the solutions returned; text if one is above 2^53;
#' * `signs`: a row for each solution, -1 or 1 for each distance;
#' * `positions`: a row for each solution, the n + 1 partial sums from 0;
#' * `residual`: the absolute values of the sums, each rounded once;
#' * `algorithm`, `backend`: the ones taken;
#' * `n`, `tol`, `symmetric`: as given.
#'
#' @details Column j of row i of M is -1 where bit j of i - 1, from the lowest on, is 0, and else 1.
#'   All algorithms decide exactly and count the same on the CPU and on a GPU, with any number of
#'   threads. Equal distances and small whole numbers have few different sums:
#'   `"meet-in-the-middle"` counts them for any n. Problems that would take too many
#'   steps are an error, which names the number of distances that the algorithm can handle.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' S. B. Hengeveld and A. Mucherino (2022). A GPU approach to distance geometry in 1D: an
#' implementation in C/CUDA. *17th Conference on Computer Science and Intelligence Systems*. The
#' matrix M is that of its section II, branch-and-prune and exhaustive are those of its Table I.
#'
#' @seealso [gpu_dgp_instance()] makes cycles that close, [gpu_dgp_sums()] gives all sums,
#'   [gpu_dgp_graph()] takes any graph; `vignette("paradox")`.
#'
#' @examples
#' cycle <- gpu_dgp(c(3, 4, 5, 2), tol = 0)
#' cycle
#' cycle$signs
#' plot(cycle)
#'
#' # Two solutions are planted; the others are noise of the tolerance.
#' d <- gpu_dgp_instance(28, seed = 1)
#' gpu_dgp(d, tol = 1e-4)
#' gpu_dgp(d, tol = 1e-10)
#'
#' # In how many ways do 100 coins of 1 balance?
#' gpu_dgp(rep(1, 100), tol = 0, max_solutions = 0)$count_text
#' @export
gpu_dgp <- function(d, tol = 1e-4,
                    algorithm = "auto",
                    max_solutions = 10, exact = TRUE, symmetric = FALSE, prune = TRUE, ...,
                    backend = NULL, threads = NULL, device = NULL, progress = NULL,
                    memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Distance geometry")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  options <- list(
    tol = tol, algorithm = algorithm, max_solutions = max_solutions, exact = exact,
    symmetric = symmetric, prune = prune
  )
  result <- .Call(C_dgp, list(as_doubles(d)), options, settings, call)
  numbers <- as.numeric(result$rows)
  if (all(numbers < 2^53)) {
    result$rows <- numbers
  }
  structure(c(result, list(n = length(d), tol = tol, symmetric = symmetric)), class = "gpu_dgp")
}

#' @rdname gpu_dgp
#' @export
print.gpu_dgp <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), print_arguments)
  cat(sprintf(
    "%s of 2^%d choices of signs sum to at most %s%s; chance alone gives %s.\n",
    x$count_text, x$n, format(x$tol), if (x$symmetric) ", mirror images counted once" else "",
    format(signif(x$expected, 3))
  ))
  cat(sprintf("Found by %s on backend %s.\n", x$algorithm, x$backend))
  if (length(x$rows)) {
    cat(sprintf("The %d of smallest residual:\n", length(x$rows)))
    print(data.frame(row = format(x$rows, scientific = FALSE), residual = x$residual), ...)
  }
  invisible(x)
}

#' @rdname gpu_dgp
#' @param x What `gpu_dgp()` returned.
#' @export
plot.gpu_dgp <- function(x, ...) {
  found <- nrow(x$positions)
  if (!found) {
    graphics::plot.new()
    graphics::title("no solution")
    return(invisible(x))
  }
  width <- max(apply(x$positions, 1L, function(row) diff(range(row))))
  shift <- 1.2 * width * (seq_len(found) - 1) - apply(x$positions, 1L, min)
  arguments <- utils::modifyList(
    list(
      x = t(x$positions + shift), y = seq(0, x$n), type = "o", lty = 1, pch = 19, cex = 0.6,
      xlab = "solution: its positions to both sides of 0", ylab = "vertex", xaxt = "n", las = 1,
      col = rep_len(group_colours(min(found, 8L)), found), ylim = c(x$n, 0), main = sprintf(
        "%d of %s", found, counted(x$count, "solution", "solutions")
      )
    ),
    list(...)
  )
  do.call(graphics::matplot, arguments)
  graphics::abline(v = shift, lty = 3, col = "grey60")
  graphics::axis(1, shift, seq_len(found))
  invisible(x)
}

#' @rdname gpu_dgp
#' @param object What `gpu_dgp()` returned.
#' @export
summary.gpu_dgp <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  data.frame(
    n = object$n, tol = object$tol, count = object$count, expected = object$expected,
    algorithm = object$algorithm, backend = object$backend
  )
}

#' All sums of a cycle's distances
#'
#' The vector r = M d of all 2^n sums of n distances with either sign: what the matrix-by-vector
#' product of Hengeveld and Mucherino (2022, section II) gives.
#'
#' @param d The distances: positive, finite numbers, at most 30.
#' @inheritParams gpu_dgp
#'
#' @return A vector of 2^n sums, each rounded once. Element i has distance j subtracted where bit j
#'   of i - 1 is 0, and added where it is 1.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dgp()]
#'
#' @examples
#' gpu_dgp_sums(c(1, 2, 4))
#' hist(gpu_dgp_sums(runif(16)), breaks = 100)
#' @export
gpu_dgp_sums <- function(d, ..., backend = NULL, threads = NULL, device = NULL, progress = NULL,
                         memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  bar <- progress_bar("Sums")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  .Call(C_dgp_sums, list(as_doubles(d)), list(), settings, call)
}

#' Cycles that close
#'
#' Random distances between 0 and 1 of which one choice of signs, drawn at random, and its mirror
#' image sum to 0 exactly: paradoxical instances of distance geometry in one dimension.
#'
#' @param n How many distances, a whole number between 2 and 127.
#' @param seed A whole number between 0 and 2^53; the distances are the same for the same seed on
#'   all machines. `NULL` draws it from R's generator, see [set.seed()].
#'
#' @return A vector of `n` distances, multiples of 2^-40.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dgp()]
#'
#' @examples
#' d <- gpu_dgp_instance(20, seed = 7)
#' gpu_dgp(d, tol = 0)
#' @export
gpu_dgp_instance <- function(n, seed = NULL) {
  if (is.null(seed)) {
    seed <- floor(stats::runif(1, 0, 2^31))
  }
  .Call(C_dgp_instance, list(n = n, seed = seed), sys.call())
}

#' Mean dissimilarities of random subsamples
#'
#' `gpu_avgdist()` draws random subsamples of communities several times, as [gpu_rrarefy()] does,
#' computes their dissimilarities, and returns their means or medians. It is a drop-in replacement
#' for `vegan::avgdist()`.
#'
#' @param x Counts with sites in rows and species in columns, as in [gpu_vegdist()].
#' @param sample The number of individuals of a subsample. Sites with fewer are left out, with a
#'   warning.
#' @param distfun A function that returns distances of the rows of a matrix, to which
#'   `method = dmethod` and `...` are passed.
#' @param meanfun `mean`, `median`, or another function of a vector, such as `sd`.
#' @param transf A function that changes the subsamples before, such as `sqrt`; `NULL`: none.
#' @param iterations The number of subsamples of each site.
#' @param dmethod An index of [gpu_vegdist()].
#' @param diag,upper As in [stats::dist()]: whether to print the diagonal and the upper triangle.
#' @param ... Other arguments of `distfun`, such as `binary`, `backend` or `threads` of
#'   [gpu_vegdist()].
#'
#' @return An object of class `"dist"`.
#'
#' @section Random numbers: Subsamples, and the state of the generator afterwards, are those of
#' vegan 2.6 after the same `set.seed()`.
#'
#' @section Memory: For `mean` only the sum of the distances is kept, which is added up in the order
#' of the iterations. Other functions need all values of a pair: the subsamples are kept, without
#' zeros, and pairs of blocks of sites are compared in all iterations, so that distances take at
#' most `memory_limit` bytes, by default 256 MiB. The result is the same, but about twice as many
#' distances are computed if there are several blocks. There is one block if distances of a pair
#' depend on other sites (`"gower"`, `"mahalanobis"`, `"chisq"`) or if `distfun` is another function
#' than [gpu_vegdist()].
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_vegdist()], [gpu_rrarefy()]
#'
#' @examples
#' counts <- rbind(a = c(3, 0, 1, 2), b = c(0, 5, 1, 0), c = c(4, 1, 0, 2))
#' set.seed(1)
#' gpu_avgdist(counts, 5, iterations = 10)
#' gpu_avgdist(counts, 5, meanfun = median, iterations = 10, dmethod = "jaccard")
#' @export
gpu_avgdist <- function(x, sample, distfun = gpu_vegdist, meanfun = mean, transf = NULL,
                        iterations = 100, dmethod = "bray", diag = TRUE, upper = TRUE, ...) {
  call <- sys.call()
  from <- input_reader(NULL, list(), list(x), NULL, call, metric = NULL)
  check_averages(distfun, meanfun, transf, iterations, call)
  x <- check_counts(sites_of(x, 1, from), call)
  x <- deep_sites(x, if (!missing(sample)) sample, call)
  between <- distances_by(distfun, transf, call, method = dmethod, ...)
  turn <- if (isS4(x)) Matrix::t else t
  sites <- turn(x)
  draw <- function(k) turn(draw_individuals(sites, sample))
  d <- if (identical(meanfun, mean)) {
    mean_distances(draw, between, iterations)
  } else {
    drawn <- lapply(seq_len(iterations), function(k) pack_counts(draw(k)))
    apart <- identical(distfun, gpu_vegdist) && rows_are_apart(dmethod, call)
    side <- if (apart) block_side(iterations, list(...)$memory_limit) else nrow(x)
    summarize_distances(drawn, between, nrow(x), meanfun, side)
  }
  attributes(d) <- list(
    Labels = if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x),
    Size = nrow(x), call = match.call(), class = "dist", Diag = diag, Upper = upper,
    method = "avgdist"
  )
  d
}

# Raises an error unless these arguments are functions and a number.
check_averages <- function(distfun, meanfun, transf, iterations, call) {
  functions <- list(distfun = distfun, meanfun = meanfun, transf = transf)
  for (name in names(Filter(Negate(is.null), functions))) {
    if (!is.function(functions[[name]])) {
      stop_value(functions[[name]], name, "a function", call)
    }
  }
  if (!is_count(iterations) || !isTRUE(iterations >= 1 && iterations == round(iterations))) {
    stop_value(iterations, "iterations", "a whole number of at least 1", call)
  }
}

# Returns a function of counts that returns their distances, or those of some of the rows.
distances_by <- function(distfun, transf, call, ...) {
  function(x, rows = NULL) {
    if (!is.null(transf)) x <- transf(x)
    if (!is.null(rows)) x <- x[rows, , drop = FALSE]
    d <- distfun(x, ...)
    if (!is.numeric(d) || length(d) != nrow(x) * (nrow(x) - 1) / 2) {
      stop_value(distfun, "distfun", "a function that returns distances of rows", call)
    }
    as.vector(d)
  }
}

# Returns the sites that have at least `sample` individuals.
deep_sites <- function(x, sample, call) {
  total <- row_sums(x)
  check_samples(sample, 1L, if (length(total)) min(total) else 0, call)
  warn_of_counts(x, call)
  fewer <- which(total < sample)
  warn_of_few(fewer, "left out", call)
  if (length(fewer)) x[-fewer, , drop = FALSE] else x
}

# Returns the means of distances, added up in the order of the iterations.
mean_distances <- function(draw, between, iterations) {
  sum <- between(draw(1L))
  for (k in seq_len(iterations - 1L)) sum <- sum + between(draw(k + 1L))
  sum / iterations
}

# Returns counts without zeros; a sparse matrix has none.
pack_counts <- function(x) {
  if (isS4(x)) {
    return(x)
  }
  at <- which(x > 0)
  list(at = at, count = x[at], dim = dim(x), dimnames = dimnames(x))
}

unpack_counts <- function(packed) {
  if (isS4(packed)) {
    return(packed)
  }
  x <- array(0, packed$dim, packed$dimnames)
  x[packed$at] <- packed$count
  x
}

# True if an index of two rows does not depend on others.
rows_are_apart <- function(method, call) {
  !vegan_index(method, call) %in% c("gower", "mahalanobis", "chisq")
}

# Returns how many sites a block has so that distances of two blocks, and what sorts them, fit in
# the memory limit.
block_side <- function(iterations, memory_limit) {
  limit <- setting("memory_limit", memory_limit, NULL)
  if (!is.numeric(limit)) limit <- 2^28
  max(1, floor(sqrt(limit / (4 * 16 * iterations))))
}

# Returns f() of the distances of each pair in all iterations, by pairs of blocks of `side` sites.
summarize_distances <- function(drawn, between, sites, f, side) {
  d <- numeric(sites * (sites - 1) / 2)
  blocks <- split(seq_len(sites), (seq_len(sites) - 1L) %/% side)
  for (a in seq_along(blocks)) {
    for (b in seq_len(length(blocks) - a + 1L) + a - 1L) {
      rows <- union(blocks[[a]], blocks[[b]])
      pairs <- pairs_between(rows, length(blocks[[a]]), a == b)
      values <- vapply(drawn, function(x) between(unpack_counts(x), rows)[pairs$used],
        numeric(length(pairs$used))
      )
      at <- sites * (pairs$i - 1) - pairs$i * (pairs$i - 1) / 2 + pairs$j - pairs$i
      d[at] <- summarize_rows(matrix(values, length(at), length(drawn)), f)
    }
  }
  d
}

# Returns the pairs of sites, and where they are among the distances of the rows: those between the
# first n rows and the others, or all of them.
pairs_between <- function(rows, n, all) {
  m <- length(rows)
  first <- rep(seq_len(m), rev(seq_len(m)) - 1L)
  second <- sequence(rev(seq_len(m)) - 1L, seq_len(m) + 1L)
  used <- which(all | (first <= n & second > n))
  list(used = used, i = as.double(rows[first[used]]), j = as.double(rows[second[used]]))
}

# Returns f() of each row. Medians of all rows are taken from one sort.
summarize_rows <- function(values, f) {
  if (!identical(f, stats::median)) {
    return(if (nrow(values)) apply(values, 1, f) else numeric())
  }
  n <- ncol(values)
  row <- as.vector(row(values))
  sorted <- matrix(values[order(row, values, method = "radix")], n)
  half <- (n + 1L) %/% 2L
  medians <- if (n %% 2L == 1L) sorted[half, ] else (sorted[half, ] + sorted[half + 1L, ]) / 2
  replace(medians, is.na(sorted[n, ]), NA)
}

# The probabilities of correlations that are as far from 0 or farther if two variables are
# independent, by the rules of stats::cor.test().

# Returns list(r, n, p.value) for correlations r of the columns of x and y. Of a sparse matrix, one
# column is expanded at a time.
with_p_values <- function(r, x, y, use, method) {
  used <- used_variables(x, y, use)
  x <- used$x
  y <- used$y
  n <- p <- r
  n[] <- if (use == "pairwise.complete.obs") count_pairs(x, y) else nrow(x)
  if (method == "bicor") {
    method <- "pearson" # by Student's t, too
  }
  ties <- if (method != "pearson") list(x = tie_sums(x), y = tie_sums(y))
  for (j in seq_len(ncol(y))) {
    column <- (j - 1L) * ncol(x) + seq_len(ncol(x))
    p[column] <- column_p_values(r[column], n[column], x, column_of(y, j), j, ties, method)
  }
  if (use != "pairwise.complete.obs") { # a column without a correlation has 1 with itself
    p[outer(lacks_correlation(x), lacks_correlation(y), "|")] <- NA
  }
  list(r = r, n = n, p.value = p)
}

# Returns list(x, y), the rows in use as plain_variables() returns them.
used_variables <- function(x, y, use) {
  x <- plain_variables(x)
  y <- if (is.null(y)) x else plain_variables(y)
  if (use %in% c("complete.obs", "na.or.complete")) {
    whole <- setdiff(seq_len(nrow(x)), c(missing_places(x)$row, missing_places(y)$row))
    x <- x[whole, , drop = FALSE]
    y <- y[whole, , drop = FALSE]
  }
  list(x = x, y = y)
}

# Returns the same as with_p_values() for distance correlations: the share of the permutations of
# the rows of y, and of the rows as they are, whose correlations are not smaller.
with_permuted_p_values <- function(r, x, y, use, permutations, settings, call) {
  used <- used_variables(x, y, use)
  gaps <- length(missing_places(used$x)$row) + length(missing_places(used$y)$row)
  if (use == "pairwise.complete.obs" && gaps) {
    stop_argument(paste(
      "use must be \"everything\", \"all.obs\", \"complete.obs\" or \"na.or.complete\" for",
      "p-values of \"dcor\" with missing values, not \"pairwise.complete.obs\""
    ), "use", call)
  }
  n <- nrow(used$x)
  rows <- permutation_rows(permutation_set(permutations, n, NULL, call), call)
  options <- list(
    use = "everything", method = "dcor", covariance = FALSE,
    attributes = list(dim = c(ncol(used$x), ncol(used$y)))
  )
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  reached <- 1 + 0 * r
  for (k in seq_len(nrow(rows))) {
    part <- settings(function(done) bar$update((k - 1 + done) / nrow(rows)))
    moved <- used$y[rows[k, ], , drop = FALSE]
    other <- .Call(C_cor, list(used$x, moved), options, part, call)
    reached <- reached + (c(other)^2 >= r^2 - sqrt(.Machine$double.eps))
  }
  if (is.null(y)) reached[upper.tri(reached)] <- t(reached)[upper.tri(reached)]
  list(r = r, n = replace(r, TRUE, n), p.value = reached / (nrow(rows) + 1))
}

# True for each column that is constant or has a missing value.
lacks_correlation <- function(x) {
  lacks <- function(values) anyNA(values) || all(values == values[1L])
  vapply(seq_len(ncol(x)), function(i) lacks(column_of(x, i)), NA)
}

# Returns a numeric matrix of variables; a sparse one, compressed by columns, if x is sparse.
plain_variables <- function(x) {
  if (is_sparse(x)) {
    return(methods::as(methods::as(compress_sparse(x, "x", list()), "CsparseMatrix"), "dMatrix"))
  }
  x <- if (is.data.frame(x)) data.matrix(x) else as.matrix(x)
  storage.mode(x) <- "double"
  x
}

# Returns the values of a column of a matrix of plain_variables().
column_of <- function(x, j) {
  if (is.matrix(x)) {
    return(x[, j])
  }
  values <- numeric(nrow(x))
  stored <- x@p[j] + seq_len(x@p[j + 1L] - x@p[j])
  values[x@i[stored] + 1L] <- x@x[stored]
  values
}

# Returns list(row, col), the positions of missing values in a matrix of plain_variables().
missing_places <- function(x) {
  if (is.matrix(x)) {
    at <- which(is.na(x)) - 1
    return(list(row = at %% nrow(x) + 1, col = at %/% nrow(x) + 1))
  }
  at <- which(is.na(x@x))
  list(row = x@i[at] + 1, col = findInterval(at - 1, x@p))
}

# Returns the number of rows without a missing value for each pair of a column of x and one of y.
count_pairs <- function(x, y) {
  if (is.matrix(x) && is.matrix(y)) {
    return(crossprod(!is.na(x), !is.na(y)))
  }
  of_x <- missing_places(x)
  of_y <- missing_places(y)
  present <- nrow(x) - tabulate(of_x$col, ncol(x))
  counts <- matrix(present, ncol(x), ncol(y))
  for (j in unique(of_y$col)) {
    rows <- logical(nrow(x))
    rows[of_y$row[of_y$col == j]] <- TRUE
    counts[, j] <- present - sum(rows) + tabulate(of_x$col[rows[of_x$row]], ncol(x))
  }
  counts
}

# Returns three sums for each column of x, from the sizes t of groups of equal values.
tie_sums <- function(x) {
  sums <- function(values) {
    values <- values[!is.na(values)]
    t <- tabulate(match(values, unique(values)))
    pairs <- t * (t - 1)
    c(sum(pairs), sum(pairs * (2 * t + 5)), sum(pairs * (t - 2)))
  }
  vapply(seq_len(ncol(x)), function(i) sums(column_of(x, i)), numeric(3))
}

# Returns the probabilities of the correlations r of all columns of x with a column y, the j-th.
column_p_values <- function(r, n, x, y, j, ties, method) {
  if (method == "pearson") {
    return(t_probability(r, n))
  }
  of_x <- ties$x
  of_y <- matrix(ties$y[, j], 3L, ncol(x))
  # Where values are left out, the ties are those of the others.
  for (i in which(!is.na(r) & (n < nrow(x)))) {
    of_column <- column_of(x, i)
    both <- !is.na(of_column) & !is.na(y)
    sums <- tie_sums(cbind(of_column[both], y[both]))
    of_x[, i] <- sums[, 1L]
    of_y[, i] <- sums[, 2L]
  }
  p <- rep(NA_real_, length(r))
  known <- which(!is.na(r))
  tied <- of_x[1L, ] > 0 | of_y[1L, ] > 0
  exact <- known[!tied[known] & n[known] <= if (method == "kendall") 49 else 1290]
  for (count in unique(n[exact])) {
    those <- exact[n[exact] == count]
    p[those] <- if (method == "kendall") {
      kendall_exact(r[those], count)
    } else {
      spearman_exact(r[those], count)
    }
  }
  rest <- setdiff(known, exact)
  p[rest] <- if (method == "kendall") {
    kendall_normal(r[rest], n[rest], of_x[, rest, drop = FALSE], of_y[, rest, drop = FALSE])
  } else {
    t_probability(r[rest], n[rest])
  }
  p
}

# By Student's t with n - 2 degrees of freedom; NA for fewer than three observations.
t_probability <- function(r, n) {
  n[n < 3] <- NA
  2 * stats::pt(-abs(sqrt(n - 2) * r / sqrt(1 - r^2)), n - 2)
}

# Kendall's correlations of n observations without ties, from the number of permutations with each
# number of concordant pairs.
kendall_exact <- function(r, n) {
  share <- 1
  for (k in seq_len(n)[-1L]) {
    sums <- cumsum(c(share, numeric(k - 1)))
    share <- (sums - c(numeric(k), sums)[seq_along(sums)]) / k
  }
  concordant <- round((r + 1) * n * (n - 1) / 4)
  fewer <- pmin(concordant, n * (n - 1) / 2 - concordant)
  pmin(1, 2 * cumsum(share)[fewer + 1])
}

# The same by the normal distribution, its variance corrected for ties.
kendall_normal <- function(r, n, of_x, of_y) {
  all <- n * (n - 1)
  score <- r * sqrt((all - of_x[1L, ]) * (all - of_y[1L, ])) / 2
  variance <- (all * (2 * n + 5) - of_x[2L, ] - of_y[2L, ]) / 18 +
    of_x[1L, ] * of_y[1L, ] / (2 * all) +
    ifelse(n > 2, of_x[3L, ] * of_y[3L, ] / (9 * all * (n - 2)), 0)
  2 * stats::pnorm(-abs(score / sqrt(variance)))
}

# Spearman's correlations of n observations without ties: S is the sum of the squared differences
# of ranks, which is even.
spearman_exact <- function(r, n) {
  s <- round((n^3 - n) * (1 - r) / 6)
  half <- (n^3 - n) / 6
  p <- ifelse(s > half, spearman_tail(s, n, upper = TRUE), spearman_tail(s + 2, n, upper = FALSE))
  pmin(1, 2 * p)
}

# P(S >= s), or P(S < s): from all permutations for n <= 9, otherwise by the Edgeworth series of
# D. J. Best and D. E. Roberts (1975), Algorithm AS 89, Applied Statistics 24, 377-379.
spearman_tail <- function(s, n, upper) {
  if (n <= 9) {
    share <- spearman_shares(n)
    below <- c(0, cumsum(share), rep(1, 2))[s / 2 + 1] # share[k + 1]: of S = 2 k
    return(if (upper) 1 - below else below)
  }
  b <- 1 / n
  x <- (6 * (s - 1) * b / (n^2 - 1) - 1) * sqrt(n - 1)
  y <- x^2
  u <- x * b * (0.2274 + b * (0.2531 + 0.1745 * b) +
    y * (-0.0758 + b * (0.1033 + 0.3932 * b) -
      y * b * (0.0879 + 0.0151 * b - y * (0.0072 - 0.0831 * b + y * b * (0.0131 - 4.6e-4 * y)))))
  tail <- stats::pnorm(x, lower.tail = !upper) + ifelse(upper, 1, -1) * u * exp(-y / 2)
  pmin(1, pmax(0, tail))
}

# Returns the shares of permutations of n ranks with S = 0, 2, 4, ...: ranks are given away one
# after the other, and the sums are collected for each set of ranks that are taken.
spearman_shares <- function(n) {
  size <- (n^3 - n) / 6 + 1
  sums <- vector("list", 2^n)
  sums[[1L]] <- c(1, numeric(2 * size - 2)) # of S = 0, 1, 2, ...
  for (set in seq_len(2^n - 1)) {
    taken <- which(bitwAnd(set, 2^(seq_len(n) - 1)) > 0)
    total <- numeric(2 * size - 1)
    for (rank in taken) {
      before <- sums[[set - 2^(rank - 1) + 1]]
      shift <- (rank - length(taken))^2
      total <- total + c(numeric(shift), before)[seq_along(total)]
    }
    sums[[set + 1L]] <- total
  }
  sums[[2^n]][2 * seq_len(size) - 1] / factorial(n)
}

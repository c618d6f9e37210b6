set.seed(41)

# The p-values of stats::cor.test() for all pairs of columns.
peer <- function(x, y, method) {
  test <- function(i, j) {
    both <- stats::complete.cases(x[, i], y[, j])
    if (sum(both) < if (method == "pearson") 3 else 2) {
      return(NA_real_)
    }
    suppressWarnings(cor.test(x[both, i], y[both, j], method = method)$p.value)
  }
  outer(seq_len(ncol(x)), seq_len(ncol(y)), Vectorize(test))
}

methods <- c("pearson", "spearman", "kendall")

expect_p_values <- function(x, y = NULL, use = "everything") {
  for (method in methods) {
    ours <- suppressWarnings(gpu_cor(x, y, use, method, p_values = TRUE))
    expect_identical(ours$r, suppressWarnings(gpu_cor(x, y, use, method)))
    expected <- peer(x, if (is.null(y)) x else y, method)
    expect_identical(is.na(ours$p.value), is.na(expected))
    expect_equal(ours$p.value, expected, tolerance = 1e-11)
  }
}

test_that("p-values are those of stats::cor.test(), exact and not", {
  for (n in c(3:12, 25, 49, 50, 60, 200)) {
    x <- matrix(rnorm(6 * n), n)
    x[, 2] <- x[, 1] + 0.5 * x[, 2]
    x[, 3] <- x[, 2] - x[, 1]
    expect_p_values(x)
    expect_p_values(x[, 1:3], x[, 4:6])
  }
})

test_that("p-values are those of stats::cor.test() with ties and constant columns", {
  for (n in c(4, 9, 10, 30, 80)) {
    x <- cbind(matrix(rpois(3 * n, 2), n), seq_len(n), rnorm(n), 1)
    expect_p_values(x)
  }
})

test_that("p-values are those of stats::cor.test() with missing values for each pair", {
  for (n in c(6, 12, 30, 70)) {
    x <- cbind(matrix(rpois(3 * n, 3), n), matrix(rnorm(3 * n), n), seq_len(n))
    x[sample(length(x) - n, n)] <- NA
    x[, 6] <- replace(x[, 6], 2:n, NA)
    expect_p_values(x, use = "pairwise.complete.obs")
    expect_p_values(x[, 1:3], x[, 4:7], use = "pair")
  }
})

test_that("p-values use complete rows, or are missing with every column that has a gap", {
  x <- matrix(rnorm(60), 12)
  gaps <- replace(x, c(3, 17), NA)
  for (method in methods) {
    ours <- gpu_cor(gaps, use = "complete", method = method, p_values = TRUE)
    expect_identical(ours, gpu_cor(x[-c(3, 5), ], method = method, p_values = TRUE))
    expect_true(all(ours$n == 10))
    every <- gpu_cor(gaps, method = method, p_values = TRUE)$p.value
    expect_identical(is.na(every), outer(1:5 < 3, 1:5 < 3, "|"))
  }
})

test_that("the counts are those of the rows of each pair, and names are kept", {
  x <- matrix(rnorm(40), 10, dimnames = list(NULL, letters[1:4]))
  x[c(1, 12, 13)] <- NA
  ours <- gpu_cor(x, use = "pairwise", p_values = TRUE)
  expect_identical(names(ours), c("r", "n", "p.value"))
  expect_equal(ours$n, crossprod(!is.na(x)))
  expect_identical(dimnames(ours$p.value), dimnames(ours$r))
  expect_identical(gpu_cor(as.data.frame(x), use = "pairwise", p_values = TRUE), ours)
  vectors <- gpu_cor(x[-1, 1], x[-1, 4], p_values = TRUE)
  expect_equal(vectors$p.value, cor.test(x[, 1], x[, 4])$p.value)
  expect_null(dim(vectors$n))
})

test_that("p_values must be true or false", {
  expect_error(
    gpu_cor(diag(3), p_values = 1), "^p_values must be true or false, not 1$",
    class = "gpugeo_error"
  )
})

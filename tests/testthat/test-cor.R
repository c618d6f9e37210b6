set.seed(23)
plain <- matrix(rnorm(40), 8, dimnames = list(NULL, letters[1:5]))
gaps <- replace(plain, c(1, 11, 16, 32), NA)
ties <- matrix(sample(3L, 40, TRUE), 8)

inputs <- list(
  plain = plain,
  gaps = gaps,
  constant = replace(plain, 17:24, 2),
  constant_gaps = replace(gaps, 33:40, 1),
  empty_column = replace(plain, 9:16, NA),
  infinite = replace(plain, 10, Inf),
  no_complete_row = matrix(NA_real_, 3, 3),
  integers = replace(ties, 3, NA),
  truths = ties > 2L,
  frame = as.data.frame(plain),
  vector = gaps[, 2],
  large_mean = 1e8 + plain,
  two_rows = plain[1:2, ],
  one_value = 1,
  no_row = plain[0, ],
  no_column = plain[, 0],
  nothing = matrix(0, 0, 0)
)
partners <- inputs[c("plain", "gaps", "constant_gaps", "vector", "two_rows", "no_row", "no_column")]

# The result of stats::cor(). For Kendall's correlations it reads a number that was never set for a
# column with a missing value (R 4.2.2), so that it sometimes warns without a reason: the warnings
# here are those of the columns without missing values.
of_stats <- function(x, y, use, method) {
  theirs <- outcome(cor(x, y, use, method))
  if (method == "kendall" && use == "everything" && NROW(x) > 1L) {
    theirs$warnings <- outcome(cor(whole_columns(x), whole_columns(y), use, method))$warnings
  }
  theirs
}
whole_columns <- function(x) {
  if (!is.null(x)) as.matrix(x)[, colSums(is.na(as.matrix(x))) == 0, drop = FALSE]
}

for (method in c("pearson", "spearman", "kendall")) {
  for (use in cor_uses) {
    test_that(paste(method, "correlations with use =", use, "are those of stats::cor()"), {
      on_each_backend(function() {
        for (x in inputs) {
          ours <- outcome(gpu_cor(x, NULL, use, method))
          theirs <- of_stats(x, NULL, use, method)
          expect_same_cor(ours, theirs)
          for (y in Filter(function(y) NROW(y) == NROW(x), partners)) {
            ours <- outcome(gpu_cor(x, y, use, method))
            theirs <- of_stats(x, y, use, method)
            expect_same_cor(ours, theirs)
          }
        }
      })
    })
  }
}

test_that("values that overflow when squared still have a correlation", {
  on_each_backend(function() {
    expect_equal(gpu_cor(1e200 * plain), cor(plain), tolerance = 1e-14)
    expect_equal(gpu_cor(1e-200 * plain), cor(plain), tolerance = 1e-14)
  })
})

test_that("the default is Pearson's correlation, and use may be shortened as in stats::cor()", {
  expect_equal(gpu_cor(plain), cor(plain), tolerance = 1e-14)
  expect_equal(gpu_cor(gaps, use = "pair"), cor(gaps, use = "pair"), tolerance = 1e-14)
  expect_error(gpu_cor(gaps, use = "all"), "x must have no missing values")
  expect_error(gpu_cor(gaps, use = "a"), "x must have no missing values")
})

test_that("the vector of methods that is the default of stats::cor() stands for the first", {
  all <- c("pearson", "kendall", "spearman")
  expect_identical(gpu_cor(plain, method = all), gpu_cor(plain))
  expect_identical(eval(formals(stats::cor)$method), all)
  expect_identical(gpu_cor(plain, method = "k"), gpu_cor(plain, method = "kendall"))
  for (method in list("tau", all[1:2])) {
    expect_error(gpu_cor(plain, method = method), "^method must be ", class = "gpugeo_error")
  }
})

test_that("Kendall's correlations of more columns and rows are those of stats::cor()", {
  set.seed(71)
  for (n in c(64L, 300L, 5000L)) {
    x <- cbind(matrix(rnorm(4 * n), n), matrix(rpois(4 * n, 2), n), seq_len(n))
    if (n == 5000L) x <- x[, c(1, 5, 9)] # sorted, not compared by bits
    ours <- gpu_cor(x, method = "kendall")
    expect_equal(ours, cor(x, method = "kendall"), tolerance = 1e-14)
    expect_identical(gpu_cor(x, method = "kendall", threads = 3), ours)
    expect_identical(gpu_cor(x, x, method = "kendall"), ours)
    x[sample(length(x), n)] <- NA
    ours <- gpu_cor(x, use = "pair", method = "kendall")
    expect_equal(ours, cor(x, use = "pair", method = "kendall"), tolerance = 1e-14)
  }
  expect_identical(gpu_cor(1:9, c(1:8, Inf), method = "kendall"), 1)
  expect_identical(gpu_cor(1:9, -(1:9), method = "kendall"), -1)
})

test_that("infinite values of one sign are ties for Kendall's correlations", {
  ranks <- c(1, 2, 2, 0)
  expect_identical(
    gpu_cor(c(1, Inf, Inf, -Inf), 4:1, method = "kendall"), gpu_cor(ranks, 4:1, method = "kendall")
  )
})

test_that("sparse matrices have Kendall's correlations of dense ones", {
  skip_if_not_installed("Matrix")
  x <- matrix(rpois(600, 0.5), 30)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_identical(gpu_cor(sparse, method = "kendall"), gpu_cor(x, method = "kendall"))
})

test_that("a vector alone has no correlations", {
  expect_error(gpu_cor(1:3), "supply both 'x' and 'y' or a matrix-like 'x'", class = "gpugeo_error")
})

test_that("the correlation distance is one minus the correlation", {
  on_each_backend(function() {
    d <- gpu_dist(t(plain), "pearson")
    expect_identical(as.vector(d), 1 - gpu_cor(plain)[lower.tri(diag(5))])
  })
})

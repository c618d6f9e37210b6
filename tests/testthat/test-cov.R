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
  infinite_gaps = replace(gaps, c(10, 25), c(-Inf, Inf)),
  no_complete_row = matrix(NA_real_, 3, 3),
  integers = replace(ties, 3, NA),
  truths = ties > 2L,
  frame = as.data.frame(plain),
  vector = gaps[, 2],
  large_mean = 1e8 + plain,
  two_rows = plain[1:2, ],
  one_row = unname(plain[1, , drop = FALSE]), # stats::cov loses names of ranks of one row
  one_value = 1,
  no_row = plain[0, ],
  no_column = plain[, 0],
  nothing = matrix(0, 0, 0)
)
partners <- inputs[c(
  "plain", "gaps", "constant_gaps", "infinite", "vector", "two_rows", "one_row", "no_row",
  "no_column"
)]

for (method in c("pearson", "spearman", "kendall")) {
  for (use in cor_uses) {
    test_that(paste(method, "covariances with use =", use, "are those of stats::cov()"), {
      on_each_backend(function() {
        for (x in inputs) {
          expect_same_cor(
            outcome(gpu_cov(x, NULL, use, method)), outcome(cov(x, NULL, use, method))
          )
          for (y in Filter(function(y) NROW(y) == NROW(x), partners)) {
            expect_same_cor(outcome(gpu_cov(x, y, use, method)), outcome(cov(x, y, use, method)))
          }
        }
      })
    })
  }
}

# Means 2, 3 and 2; deviations -1 0 1, -2 1 1 and 0.
test_that("small covariances are those found by hand", {
  x <- cbind(a = c(1, 2, 3), b = c(1, 4, 4), c = 2)
  names <- list(letters[1:3], letters[1:3])
  on_each_backend(function() {
    expect_equal(
      gpu_cov(x), matrix(c(1, 1.5, 0, 1.5, 3, 0, 0, 0, 0), 3, dimnames = names), tolerance = 1e-15
    )
    # Ranks 1 2 3 and 1 2.5 2.5.
    expect_equal(
      gpu_cov(x, method = "spearman"),
      matrix(c(1, 0.75, 0, 0.75, 0.75, 0, 0, 0, 0), 3, dimnames = names), tolerance = 1e-15
    )
    # Of the three pairs of rows, all differ in a, two in b, none in c.
    expect_identical(
      gpu_cov(x, method = "kendall"), matrix(c(6, 4, 0, 4, 4, 0, 0, 0, 0), 3, dimnames = names)
    )
    x[2, 1] <- NA
    expect_equal(
      gpu_cov(x, use = "pair"), matrix(c(2, 3, 0, 3, 3, 0, 0, 0, 0), 3, dimnames = names),
      tolerance = 1e-15
    )
  })
})

test_that("a constant column has covariance 0 without a warning", {
  on_each_backend(function() {
    x <- cbind(plain, 1e300, 0, 0.1)
    for (use in cor_uses) {
      expect_silent(value <- gpu_cov(x, use = use))
      expect_identical(unname(value[, 6:8]), matrix(0, 8, 3))
    }
    x[1, 1] <- NA
    expect_silent(value <- gpu_cov(x, use = "pairwise"))
    expect_identical(unname(value[, 6:8]), matrix(0, 8, 3))
  })
})

test_that("what overflows or underflows does so only in the result", {
  on_each_backend(function() {
    for (x in list(plain, gaps)) {
      theirs <- cov(x, use = "pair")
      expect_identical(gpu_cov(2^700 * x, use = "pair"), sign(theirs) * Inf)
      expect_true(all(gpu_cov(2^-700 * x, use = "pair") == 0))
      ours <- gpu_cov(2^700 * x, 2^-700 * x, use = "pair")
      expect_equal(ours, theirs, tolerance = 1e-13)
      expect_equal(gpu_cov(2^400 * x, 2^500 * x, use = "pair") / 2^900, theirs, tolerance = 1e-13)
      expect_equal(gpu_cov(2^-1060 * (2^20 * x), 2^1000 * x, use = "pair") * 2^40, theirs,
                   tolerance = 1e-8)
    }
    extreme <- c(-1, 1, 0.5) * .Machine$double.xmax
    expect_equal(
      gpu_cov(extreme, 2^-1000 * 1:3), cov(2^-1000 * extreme, 1:3), tolerance = 1e-14
    )
  })
})

test_that("covariances of many rows and columns are accurate, and the same on any threads", {
  set.seed(72)
  x <- matrix(rnorm(30000), 1000) * rep(10^(-14:15), each = 1000) + 3
  scale <- sqrt(diag(cov(x)))
  for (method in c("pearson", "spearman")) {
    ours <- gpu_cov(x, method = method)
    theirs <- cov(x, method = method)
    off <- if (method == "pearson") (ours - theirs) / tcrossprod(scale) else ours / theirs - 1
    expect_lt(max(abs(off[16:30, 16:30])), 1e-13)
    expect_true(isSymmetric(ours, tol = 0))
    expect_identical(gpu_cov(x, method = method, threads = 3), ours)
    between <- gpu_cov(x, x[, 1:7], method = method)
    expect_equal(between, ours[, 1:7], tolerance = 1e-14)
  }
})

# Passes if a sparse matrix has the covariances of the dense one.
expect_dense <- function(dense, class, use, method) {
  sparse <- methods::as(dense, class)
  wanted <- gpu_cov(dense, use = use, method = method)
  expect_identical(gpu_cov(sparse, use = use, method = method), wanted)
  wanted <- gpu_cov(dense, dense, use = use, method = method)
  expect_identical(gpu_cov(dense, sparse, use = use, method = method), wanted)
}

test_that("sparse matrices have the covariances of dense ones", {
  skip_if_not_installed("Matrix")
  x <- matrix(rpois(600, 0.5), 30)
  cases <- expand.grid(
    dense = list(x, replace(x, c(7, 90), NA)), class = c("CsparseMatrix", "RsparseMatrix"),
    use = cor_uses[-2L], method = c("pearson", "spearman", "kendall"), stringsAsFactors = FALSE
  )
  cases <- cases[cases$method == "pearson" | cases$use != "pairwise.complete.obs", ]
  for (i in seq_len(nrow(cases))) do.call(expect_dense, c(cases$dense[i], cases[i, -1L]))
})

test_that("single precision has covariances, too", {
  on_each_backend(function() {
    expect_equal(gpu_cov(plain, precision = "single"), cov(plain), tolerance = 1e-5)
    expect_equal(
      gpu_cov(2^700 * gaps, 2^-700 * gaps, use = "pair", precision = "single"),
      cov(gaps, use = "pair"), tolerance = 1e-5
    )
  })
})

test_that("arguments are those of gpu_cor() and stats::cov()", {
  expect_identical(
    setdiff(names(formals(gpu_cor)), names(formals(gpu_cov))),
    c("weights.x", "weights.y", "cosine", "cosineX", "cosineY", "p_values", "permutations")
  )
  expect_identical(gpu_cov(plain, metric = "spearman"), gpu_cov(plain, method = "spearman"))
  expect_identical(gpu_cov(plain, method = c("pearson", "kendall", "spearman")), gpu_cov(plain))
  expect_equal(gpu_cov(gaps, use = "pair"), cov(gaps, use = "pair"), tolerance = 1e-14)
  expect_error(gpu_cov(gaps, use = "all"), "x must have no missing values", class = "gpugeo_error")
  expect_error(gpu_cov(1:3), "supply both 'x' and 'y' or a matrix-like 'x'", class = "gpugeo_error")
  expect_error(gpu_cov(plain, p_values = TRUE), "unused argument p_values")
  for (method in c("spearman", "kendall")) {
    expect_error(
      gpu_cov(plain, use = "pairwise", method = method), class = "gpugeo_error", paste0(
        "^use must be .* for covariances of method \"", method,
        "\", not \"pairwise.complete.obs\"$"
      )
    )
  }
  gpu_cov(plain)
  expect_identical(gpu_info()$last$`function`, "gpu_cov")
})

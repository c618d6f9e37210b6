set.seed(17)
plain <- matrix(rnorm(60), 15, dimnames = list(NULL, c("a", "b", "c", "d")))
weights <- matrix(sample(c(0, 0.5, 1, 2, 3), 60, TRUE), 15)
gaps <- replace(plain, c(2, 20, 21), NA)
weight_gaps <- replace(weights, c(4, 21, 50), NA)

# The correlations by the definition: of columns w (x - m), on the rows that both have.
weighted <- function(x, w, y = x, v = w, cosine = FALSE, of_y = cosine) {
  column <- function(x, w, cosine) w * (x - if (cosine) 0 else sum(w * x) / sum(w))
  pair <- function(i, j) {
    both <- !is.na(x[, i] + w[, i]) & !is.na(y[, j] + v[, j])
    p <- column(x[both, i], w[both, i], cosine)
    q <- column(y[both, j], v[both, j], of_y)
    sum(p * q) / sqrt(sum(p^2) * sum(q^2))
  }
  r <- outer(seq_len(ncol(x)), seq_len(ncol(y)), Vectorize(pair))
  dimnames(r) <- list(colnames(x), colnames(y))
  r
}
ones <- function(x) array(1, dim(x))

test_that("weighted correlations follow their definition", {
  on_each_backend(function() {
    expect_equal(gpu_cor(plain, weights.x = weights), weighted(plain, weights), tolerance = 1e-13)
    expect_equal(
      gpu_cor(plain, plain[, 2:3], weights.x = weights),
      weighted(plain, weights, plain[, 2:3], ones(plain[, 2:3])),
      tolerance = 1e-13
    )
    expect_equal(
      gpu_cor(plain, plain[, 2:3], weights.y = weights[, 1:2], cosineX = TRUE),
      weighted(plain, ones(plain), plain[, 2:3], weights[, 1:2], TRUE, FALSE),
      tolerance = 1e-13
    )
  })
  expect_equal(gpu_cor(plain, weights.x = rep(2, 15)), cor(plain), tolerance = 1e-13)
  expect_equal(
    gpu_cor(plain, weights.x = weights[, 1]), weighted(plain, weights[, c(1, 1, 1, 1)]),
    tolerance = 1e-13
  )
  expect_identical(
    gpu_cor(plain, weights.x = as.data.frame(weights)), gpu_cor(plain, weights.x = weights)
  )
  expect_equal(
    gpu_cor(plain[, 1], plain[, 2], weights.x = weights[, 1]),
    weighted(plain, cbind(weights[, 1], 1, 1, 1))[1, 2],
    tolerance = 1e-13
  )
})

test_that("cosines are those of the columns themselves", {
  unit <- apply(plain, 2L, function(x) x / sqrt(sum(x^2)))
  expect_equal(gpu_cor(plain, cosine = TRUE), crossprod(unit), tolerance = 1e-13)
  expect_equal(gpu_cor(plain, cosineY = TRUE), gpu_cor(plain), tolerance = 0)
  expect_identical(
    gpu_cor(plain, method = "bicor", cosine = TRUE), gpu_bicor(plain, cosine = TRUE)
  )
  expect_equal(
    gpu_cor(gaps, cosine = TRUE, use = "p"), weighted(gaps, ones(gaps), cosine = TRUE),
    tolerance = 1e-13
  )
})

test_that("a missing value or weight leaves out a row by `use`", {
  w <- weight_gaps
  expect_error(
    gpu_cor(plain, weights.x = w, use = "all.obs"),
    'x and its weights must have no missing values with use = "all.obs"'
  )
  for (threads in 1:3) {
    expect_equal(
      gpu_cor(gaps, plain, weights.x = w, use = "pairwise", threads = threads),
      weighted(gaps, w, plain, ones(plain)),
      tolerance = 1e-13
    )
  }
  expect_equal(gpu_cor(gaps, weights.x = w, use = "p"), weighted(gaps, w), tolerance = 1e-13)
  whole <- !rowSums(is.na(gaps + w))
  complete <- gpu_cor(gaps, weights.x = w, use = "complete.obs")
  expect_identical(complete, gpu_cor(gaps[whole, ], weights.x = w[whole, ]))
  expect_identical(gpu_cor(gaps, weights.x = w, use = "na.or.complete"), complete)
  expect_identical(unname(is.na(diag(gpu_cor(gaps, weights.x = w)))), c(TRUE, TRUE, FALSE, TRUE))
  none <- replace(w, 1:15, NA)
  expect_error(gpu_cor(gaps, weights.x = none, use = "complete"), "x must have a complete row")
  expect_silent(r <- gpu_cor(gaps, weights.x = none, use = "pairwise"))
  expect_identical(is.na(r[, 1]), c(a = TRUE, b = TRUE, c = TRUE, d = TRUE))
})

test_that("values of weight 0 have no effect", {
  at <- which(weights == 0)
  r <- gpu_cor(plain, weights.x = weights)
  for (value in c(0, 1e10, -1e300, Inf)) {
    expect_identical(gpu_cor(replace(plain, at, value), weights.x = weights), r)
  }
  expect_equal(gpu_cor(plain * 1e300, weights.x = weights * 1e300), r, tolerance = 1e-13)
  for (w in list(replace(weights, 1:15, 0), replace(weights, 2:15, 0))) {
    expect_warning(r <- gpu_cor(plain, weights.x = w), "the standard deviation is zero")
    expect_identical(is.na(r), outer(1:4 == 1, 1:4 == 1, "|"), ignore_attr = TRUE)
  }
  constant <- replace(plain, which(weights[, 1] > 0), 0.1)
  expect_warning(r <- gpu_cor(constant, weights.x = weights), "the standard deviation is zero")
  expect_true(all(is.na(r[1, ])))
})

test_that("sparse matrices and all numbers of threads have the same bits", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(replace(plain, abs(plain) < 0.5, 0), sparse = TRUE)
  expect_identical(
    gpu_cor(sparse, weights.x = Matrix::Matrix(weights, sparse = TRUE)),
    gpu_cor(as.matrix(sparse), weights.x = weights)
  )
  expect_identical(
    gpu_cor(gaps, weights.x = weights, use = "p", threads = 3),
    gpu_cor(gaps, weights.x = weights, use = "p", threads = 1)
  )
})

test_that("weights and cosines are checked", {
  expect_error(
    gpu_cor(plain, weights.x = -weights), "weights.x must be at least 0 and finite, not -"
  )
  expect_error(
    gpu_cor(plain, plain, weights.y = replace(weights, 3, Inf)),
    "weights.y must be at least 0 and finite, not Inf"
  )
  expect_error(
    gpu_cor(plain, weights.x = weights[-1, ]),
    paste(
      "weights.x must be of the size of x, 15 x 4, or have 15 rows and one column,",
      "not 14 x 4"
    )
  )
  expect_error(gpu_cor(plain, weights.x = "1"), "weights.x must be a numeric matrix, not text")
  expect_error(
    gpu_cor(plain, weights.y = weights),
    "weights.y must be left out without y, not a matrix of 15 x 4"
  )
  for (method in c("spearman", "kendall", "bicor", "dcor")) {
    expect_error(
      gpu_cor(plain, method = method, weights.x = weights),
      sprintf('method must be "pearson" with weights, not "%s"', method)
    )
  }
  expect_error(
    gpu_cor(plain, method = "spearman", cosine = TRUE),
    'method must be "pearson" or "bicor" for cosines, not "spearman"'
  )
  expect_error(gpu_cor(plain, cosine = NA), "cosine must be true or false, not NA")
  expect_error(gpu_cor(plain, cosineX = 2), "cosineX must be true or false, not 2")
  expect_error(
    gpu_cor(plain, weights.x = weights, p_values = TRUE),
    "p_values must not be asked for with weights or for cosines"
  )
})

# Expected values are those of WGCNA 1.72-1, of correlations (1, 2), (1, 3) and (2, 3).
test_that("results are those of WGCNA", {
  x <- cbind(c(2, 7, 1, 8, 2, 8, 1), c(3, 1, 4, 1, 5, 9, 2), c(1, 4, 1, 4, 2, 1, 3))
  w <- cbind(c(1, 2, 0.5, 0, 3, 1, 1), c(2, 2, 1, 1, 0, 1, 4), c(1, 1, 1, 2, 3, 5, 0))
  upper <- function(...) gpu_cor(...)[c(4, 7, 8)]
  expect_equal(
    upper(x, weights.x = w), c(0.1168029068986752, -0.06722747193338699, -0.837421035491783),
    tolerance = 1e-13
  )
  expect_equal(
    upper(x, weights.x = w, cosine = TRUE),
    c(0.4945618566947582, 0.6480234736674659, 0.4177482557793324),
    tolerance = 1e-13
  )
  expect_equal(
    upper(replace(x, c(2, 16), NA), weights.x = replace(w, 10, NA), use = "p"),
    c(0.8421349857305147, -0.5598852584152164, -0.7335037571219197),
    tolerance = 1e-13
  )
  expect_equal(
    upper(x, cosine = TRUE), c(0.6809973330188234, 0.8232906452954606, 0.49326362366699),
    tolerance = 1e-13
  )
})

set.seed(41)
plain <- cbind(a = rnorm(25), b = rt(25, 1), c = 3 * rt(25, 1) + 5, d = exp(3 * rnorm(25)))
gaps <- replace(plain, c(3, 32, 33, 34, 59), NA)
zero_mad <- replace(plain, 26:45, 3)

# The transformed values of a column, by the definition.
bicor_column <- function(x, most = 1, cosine = FALSE) {
  d <- x - median(x)
  u <- d / (9 * median(abs(d)))
  low <- max(1, -2 * quantile(u, most, names = FALSE))
  high <- max(1, 2 * quantile(u, 1 - most, names = FALSE))
  u <- u / ifelse(u < 0, low, high)
  z <- (if (cosine) x else d) * (1 - u^2)^2 * (abs(u) < 1)
  z / sqrt(sum(z^2))
}
pearson_column <- function(x) (x - mean(x)) / sqrt(sum((x - mean(x))^2))

# The correlations of the columns of x and y on the rows that both have.
bicor_of <- function(x, y = x, of_x = bicor_column, of_y = of_x) {
  pair <- function(i, j) {
    both <- !is.na(x[, i]) & !is.na(y[, j])
    sum(of_x(x[both, i]) * of_y(y[both, j]))
  }
  r <- outer(seq_len(ncol(x)), seq_len(ncol(y)), Vectorize(pair))
  dimnames(r) <- list(colnames(x), colnames(y))
  r
}

test_that("bicor follows its definition", {
  on_each_backend(function() {
    expect_equal(gpu_bicor(plain), bicor_of(plain), tolerance = 1e-13)
    expect_equal(gpu_bicor(plain, plain[, 2:3]), bicor_of(plain, plain[, 2:3]), tolerance = 1e-13)
    expect_identical(gpu_cor(plain, method = "bicor"), gpu_bicor(plain))
    expect_equal(gpu_bicor(plain[, 1], plain[, 2]), bicor_of(plain)[1, 2], tolerance = 1e-13)
    for (most in c(0.4, 0.1, 0.033, 0)) {
      limited <- function(x) bicor_column(x, most)
      expect_equal(
        gpu_bicor(plain, maxPOutliers = most), bicor_of(plain, of_x = limited),
        tolerance = 1e-13
      )
    }
  })
})

test_that("bicor may be Pearson's correlation or a cosine for either matrix", {
  expect_equal(gpu_bicor(plain, robustX = FALSE), cor(plain), tolerance = 1e-13)
  expect_equal(gpu_bicor(plain, robustY = FALSE), gpu_bicor(plain), tolerance = 0)
  expect_equal(
    gpu_bicor(plain, plain, robustX = FALSE), bicor_of(plain, plain, pearson_column, bicor_column),
    tolerance = 1e-13
  )
  cosine <- function(x) bicor_column(x, cosine = TRUE)
  expect_equal(gpu_bicor(plain, cosine = TRUE), bicor_of(plain, of_x = cosine), tolerance = 1e-13)
  expect_equal(
    gpu_bicor(plain, plain, cosineX = TRUE), bicor_of(plain, plain, cosine, bicor_column),
    tolerance = 1e-13
  )
})

test_that("pairs with missing values are those of the rows that both have", {
  expect_error(gpu_bicor(gaps), 'x must have no missing values with use = "all.obs"')
  for (threads in 1:3) {
    expect_equal(
      gpu_bicor(gaps, use = "pairwise", threads = threads), bicor_of(gaps),
      tolerance = 1e-13
    )
  }
  expect_equal(gpu_bicor(gaps, plain, use = "p"), bicor_of(gaps, plain), tolerance = 1e-13)
  r <- gpu_cor(gaps, method = "bicor")
  expect_true(all(is.na(r[1:3, ])))
  expect_identical(r[4, 4], 1)
  whole <- rowSums(is.na(gaps)) == 0
  expect_identical(gpu_bicor(gaps, use = "complete.obs"), gpu_bicor(gaps[whole, ]))
  # With quick = 1 columns are transformed once, and what is missing counts as 0.
  z <- apply(gaps, 2L, function(x) replace(numeric(25), !is.na(x), bicor_column(x[!is.na(x)])))
  expect_equal(gpu_bicor(gaps, use = "pairwise", quick = 1), crossprod(z), tolerance = 1e-13)
})

test_that("a median absolute deviation of 0 has three fallbacks and one warning", {
  found <- outcome(gpu_bicor(zero_mad, pearsonFallback = "none"))
  expect_identical(found$warnings, paste(
    "the median absolute deviation is 0 in 1 column of x: 2; their correlations are missing"
  ))
  expect_true(all(is.na(found$value[2, ])))
  expect_equal(found$value[-2, -2], bicor_of(plain[, -2]), tolerance = 1e-13)
  found <- outcome(gpu_bicor(zero_mad))
  expect_identical(found$warnings, paste(
    "the median absolute deviation is 0 in 1 column of x: 2;",
    "Pearson's correlation replaces bicor for them"
  ))
  expect_equal(
    found$value[2, -2],
    drop(bicor_of(zero_mad[, 2, drop = FALSE], plain[, -2], pearson_column, bicor_column)),
    tolerance = 1e-13
  )
  found <- outcome(gpu_bicor(zero_mad, cbind(plain, zero_mad), pearsonFallback = "all"))
  expect_identical(found$warnings, paste(
    "the median absolute deviation is 0 in 1 column of x: 2 and 1 column of y: 6;",
    "Pearson's correlation replaces bicor for the whole matrix"
  ))
  expect_equal(found$value, cor(zero_mad, cbind(plain, zero_mad)), tolerance = 1e-13)
  constant <- suppressWarnings(gpu_bicor(replace(plain, 26:50, 7)))
  expect_true(all(is.na(constant[2, ])))
})

test_that("extreme values have the correlation of scaled ones", {
  for (scale in c(1e-300, 1e300)) {
    expect_equal(gpu_bicor(plain[, 1:2] * scale), gpu_bicor(plain[, 1:2]), tolerance = 1e-13)
  }
  infinite <- gpu_bicor(replace(plain, 2, Inf))
  expect_true(all(is.na(infinite[1, ])))
  expect_equal(infinite[-1, -1], bicor_of(plain[, -1]), tolerance = 1e-13)
})

test_that("sparse matrices and all numbers of threads have the same bits", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(replace(plain, abs(plain) < 0.5, 0), sparse = TRUE)
  expect_identical(gpu_bicor(sparse), gpu_bicor(as.matrix(sparse)))
  expect_identical(gpu_bicor(gaps, use = "p", threads = 3), gpu_bicor(gaps, use = "p", threads = 1))
})

test_that("p-values of bicor are those of Student's t", {
  r <- gpu_bicor(plain)[1, 2]
  t <- r * sqrt(23 / (1 - r^2))
  p <- gpu_cor(plain, method = "bicor", p_values = TRUE)$p.value
  expect_equal(p[1, 2], 2 * pt(-abs(t), 23), tolerance = 1e-12)
})

test_that("arguments of bicor are checked", {
  expect_error(gpu_bicor(plain, maxPOutliers = 2), "maxPOutliers must be a number between 0 and 1")
  expect_error(gpu_bicor(plain, quick = -1), "quick must be a number between 0 and 1, not -1")
  expect_error(
    gpu_bicor(plain, pearsonFallback = "some"),
    'pearsonFallback must be one of "none", "individual", "all", not "some"'
  )
  expect_error(gpu_bicor(plain, robustX = 2), "robustX must be true or false, not 2")
  expect_error(gpu_bicor(plain, cosine = NA), "cosine must be")
  expect_error(
    gpu_cov(plain, method = "bicor"),
    'method must be "pearson", "spearman" or "kendall" for covariances, not "bicor"'
  )
  expect_identical({
    gpu_bicor(plain)
    gpu_info()$last$`function`
  }, "gpu_bicor")
})

# Expected values are those of WGCNA 1.72-1, of correlations (1, 2), (1, 3) and (2, 3).
test_that("results are those of WGCNA", {
  x <- cbind(
    c(2, 7, 1, 8, 2, 8, 1, 8, 28, 4, 5, 9), c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 89),
    c(1, 4, 1, 4, 2, 1, 3, 5, 6, 2, 3, -73)
  )
  upper <- function(...) gpu_bicor(...)[c(4, 7, 8)]
  expect_equal(
    upper(x), c(0.3042294911004188, 0.3672400409487428, -0.1978256481847820),
    tolerance = 1e-13
  )
  expect_equal(
    upper(x, maxPOutliers = 0), c(0.2230106872315935, -0.1037401179107423, -0.9854501187941518),
    tolerance = 1e-13
  )
  expect_equal(
    upper(x, cosine = TRUE), c(0.6451189802278678, 0.6826641982467350, 0.7532416277497267),
    tolerance = 1e-13
  )
  expect_equal(
    upper(replace(x, c(2, 16), NA), use = "p"),
    c(0.6301076788856675, 0.3889807963684659, -0.2550236716569317),
    tolerance = 1e-13
  )
})

test_that("results are those of the installed WGCNA", {
  skip_if_not_installed("WGCNA")
  quiet <- function(code) suppressWarnings(suppressMessages(code))
  theirs <- function(...) quiet(WGCNA::bicor(..., nThreads = 1))
  for (fallback in c("none", "individual", "all")) {
    for (most in c(1, 0.1, 0)) {
      for (x in list(plain, gaps, zero_mad)) {
        given <- list(x, use = "pairwise", pearsonFallback = fallback, maxPOutliers = most)
        expect_equal(quiet(do.call(gpu_bicor, given)), do.call(theirs, given), tolerance = 1e-12)
        given <- c(given, list(y = plain[, 1:2], robustY = most < 1, cosineX = most == 0))
        expect_equal(quiet(do.call(gpu_bicor, given)), do.call(theirs, given), tolerance = 1e-12)
      }
    }
  }
  for (quick in c(0.04, 0.08, 0.12)) {
    expect_equal(
      gpu_bicor(gaps, use = "p", quick = quick), theirs(gaps, use = "p", quick = quick),
      tolerance = 1e-12
    )
  }
})

x <- cbind(
  a = c(2, 3, 5, 7, 11, 13, 17), b = c(1, 4, 4, 9, 9, 16, 16), c = c(0, 1, 0, -1, 2, 0, 1),
  d = c(5, 4, 4, 3, 1, 1, 0)
)
wide <- rbind(x[1:3, ], x[3:1, c(2, 1, 4, 3)])[, c(1:4, 1:4)] + outer(1:6, 1:8) %% 5

# The definition, with weights: shrunken correlations, inverted.
pcor_of <- function(x, lambda, w = rep(1, nrow(x))) {
  w <- w / sum(w)
  r <- (1 - lambda) * cov.wt(x, w, cor = TRUE)$cor
  diag(r) <- 1
  p <- solve(r)
  list(r = 2 * diag(nrow(p)) - p / sqrt(outer(diag(p), diag(p))), spv = 1 / diag(p))
}
# The estimate of lambda: the variances of the products of each pair over squared correlations.
lambda_of <- function(x) {
  n <- nrow(x)
  z <- scale(x)
  pairs <- combn(ncol(x), 2)
  products <- z[, pairs[1, ]] * z[, pairs[2, ]]
  means <- colMeans(products)
  variances <- n / (n - 1)^3 * colSums(sweep(products, 2, means)^2)
  min(1, sum(variances) / sum((n / (n - 1) * means)^2))
}
expect_pcor <- function(found, wanted) {
  expect_equal(matrix(found, nrow(found)), unname(wanted$r), tolerance = 1e-12)
  expect_equal(unname(attr(found, "spv")), unname(wanted$spv), tolerance = 1e-12)
}

test_that("partial correlations follow their definition", {
  on_each_backend(function() {
    for (data in list(x, wide)) {
      found <- gpu_pcor_shrink(data, verbose = FALSE)
      expect_equal(attr(found, "lambda"), lambda_of(data), tolerance = 1e-12)
      expect_pcor(found, pcor_of(data, attr(found, "lambda")))
      expect_pcor(gpu_pcor_shrink(data, 0.3, verbose = FALSE), pcor_of(data, 0.3))
    }
  })
  w <- c(1, 2, 0, 1, 3, 1, 1)
  expect_pcor(gpu_pcor_shrink(x, 0.2, w, verbose = FALSE), pcor_of(x, 0.2, w))
  expect_pcor(gpu_pcor_shrink(x, 0, verbose = FALSE), pcor_of(x, 0))
  expect_identical(c(gpu_pcor_shrink(x, 1, verbose = FALSE)), c(diag(4)))
})

test_that("the object and lambda are those of corpcor 1.6.10", {
  expect_output(found <- gpu_pcor_shrink(x), "^Estimated shrinkage intensity lambda: 0.1596 $")
  expect_identical(attributes(found)[c("dim", "dimnames")], attributes(cor(x)))
  expect_identical(
    names(attributes(found)),
    c("dim", "dimnames", "lambda", "lambda.estimated", "class", "spv")
  )
  expect_equal(
    unname(found[2:4, 1]), c(0.44169725303641821, 0.09634122892167482, -0.45810891663115810),
    tolerance = 1e-12
  )
  expect_equal(attr(found, "spv")[["c"]], 0.7759881069150939, tolerance = 1e-12)
  weighted <- gpu_pcor_shrink(x, w = 1:7, verbose = FALSE)
  expect_equal(attr(weighted, "lambda"), 0.2673167430257258, tolerance = 1e-12)
  expect_true(attr(weighted, "lambda.estimated"))
  expect_false(attr(gpu_pcor_shrink(x, 0.5, verbose = FALSE), "lambda.estimated"))
})

test_that("constant and singular columns are said", {
  flat <- cbind(x, e = 1)
  expect_warning(
    found <- gpu_pcor_shrink(flat, verbose = FALSE),
    "1 column of x is constant: partial correlations are 0"
  )
  expect_equal(found[1:4, 1:4], gpu_pcor_shrink(x, verbose = FALSE)[1:4, 1:4], tolerance = 1e-12)
  expect_identical(unname(found[5, ]), c(0, 0, 0, 0, 1))
  expect_warning(
    found <- gpu_pcor_shrink(cbind(x[, 1:2], x[, 1]), 0, verbose = FALSE), "pseudoinverse is used"
  )
  expect_equal(found[1, 3], -found[3, 3], tolerance = 1e-12)
  one <- gpu_pcor_shrink(x[, 1, drop = FALSE], verbose = FALSE)
  expect_identical(c(one, attr(one, "lambda")), c(1, 1))
})

test_that("wrong arguments are refused", {
  expect_error(gpu_pcor_shrink(x, 2), "lambda must be a number between 0 and 1, not 2")
  expect_error(gpu_pcor_shrink(x, w = 1:3), "w must be a finite weight of at least 0 for each of")
  expect_error(gpu_pcor_shrink(x, w = c(1, rep(0, 6))), "two of them above 0")
  expect_error(
    gpu_pcor_shrink(replace(x, 9, NA)), "x must be finite, but row 2, column 2 is NA"
  )
  expect_error(gpu_pcor_shrink(x[1, , drop = FALSE]), "x must have at least 2 rows, not 1")
  expect_error(gpu_pcor_shrink(x, verbose = 3), "verbose")
})

x <- rbind(
  a = c(3, 0, 1, 2, 9), b = c(0, 5, 1, 0, 4), c = c(4, 1, 0, 2, 2), d = c(1, 1, 0, 0, 0),
  e = c(1, 1, 1, 7, 2), f = c(0, 2, 3, 2, 0)
)
kept <- x[-4, ]

# Returns the values of f() by the definition: all distances of all subsamples.
by_definition <- function(f, method = "bray", transf = identity) {
  set.seed(3)
  all <- lapply(1:6, function(k) gpu_vegdist(transf(gpu_rrarefy(kept, 5)), method))
  apply(vapply(all, as.vector, numeric(10)), 1, f)
}

averages <- function(...) {
  set.seed(3)
  suppressWarnings(gpu_avgdist(x, 5, iterations = 6, ...))
}

test_that("means, medians and other functions are those of all distances", {
  for (f in list(mean, median, sd)) {
    expect_equal(as.vector(averages(meanfun = f)), by_definition(f), tolerance = 1e-14)
  }
  expect_equal(
    as.vector(averages(transf = sqrt, dmethod = "euclidean", meanfun = median)),
    by_definition(median, "euclidean", sqrt),
    tolerance = 1e-14
  )
  d <- averages()
  expect_identical(attr(d, "Labels"), c("a", "b", "c", "e", "f"))
  expect_identical(attr(d, "Diag"), TRUE)
  expect_identical(attr(d, "method"), "avgdist")
  after <- runif(1)
  by_definition(mean)
  expect_identical(runif(1), after)
  expect_identical(as.vector(averages(threads = 1)), as.vector(d))
  expect_equal(
    as.vector(averages(distfun = function(x, method) dist(x))), by_definition(mean, "euclidean"),
    tolerance = 1e-14
  )
})

test_that("a median of an odd number, of missing values, and by blocks", {
  values <- rbind(c(5, 1, 3), c(1, NaN, 2), c(2, 2, 1))
  expect_identical(summarize_rows(values, median), c(3, NA, 2))
  expect_identical(summarize_rows(values[, 1:2], median), c(3, NA, 2))
  set.seed(3)
  drawn <- lapply(1:6, function(k) pack_counts(gpu_rrarefy(kept, 5)))
  between <- function(x, rows) as.vector(gpu_vegdist(x[rows, , drop = FALSE]))
  for (side in 1:6) {
    expect_identical(
      summarize_distances(drawn, between, 5, median, side), as.vector(averages(meanfun = median))
    )
  }
  expect_identical(
    as.vector(averages(meanfun = median, dmethod = "gower")), by_definition(median, "gower")
  )
})

test_that("sparse counts give the same", {
  skip_if_not_installed("Matrix")
  dense <- averages(meanfun = median)
  x <<- methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
  on.exit(x <<- as.matrix(x))
  expect_equal(as.vector(averages(meanfun = median)), as.vector(dense), tolerance = 1e-14)
})

test_that("vegan has the same values for the subsamples that both draw", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  set.seed(1)
  theirs <- vegan::rrarefy(dune, 15)
  set.seed(1)
  skip_if(!identical(unname(theirs), unname(gpu_rrarefy(dune, 15))), "vegan draws otherwise")
  for (f in list(mean, median)) {
    set.seed(1)
    theirs <- vegan::avgdist(dune, 15, meanfun = f, iterations = 5)
    set.seed(1)
    ours <- gpu_avgdist(dune, 15, meanfun = f, iterations = 5)
    expect_equal(as.matrix(ours), as.matrix(theirs), tolerance = 1e-13)
  }
})

test_that("other values are errors or warnings", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_avgdist(x), "sample must be given; the smallest number of individuals of a row is 2")
  wrong(gpu_avgdist(x, 2:3), "sample must")
  wrong(gpu_avgdist(x, 2, meanfun = 1), "meanfun must be a function, not 1")
  wrong(gpu_avgdist(x, 2, iterations = 0), "iterations must be a whole number of at least 1, not 0")
  wrong(gpu_avgdist(x / 2, 2), "x must be whole numbers of at least 0")
  wrong(gpu_avgdist(x, 2, dmethod = "foo"), "method must be one of")
  wrong(gpu_avgdist(x, 2, distfun = function(x, method) 1:3), "distfun must be a function that")
  expect_warning(gpu_avgdist(x, 5, iterations = 1), "row 4 of x has fewer individuals than sample")
})

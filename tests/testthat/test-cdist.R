set.seed(22)
x <- matrix(rnorm(40), 8, dimnames = list(letters[1:8], NULL))
y <- matrix(rnorm(25), 5)

test_that("distances between two sets are those within both together", {
  on_each_backend(function() {
    for (method in c("euclidean", "manhattan", "canberra", "minkowski", "spearman", "binary")) {
      together <- as.matrix(gpu_dist(rbind(x, y), method, p = 3))
      between <- gpu_cdist(x, y, method, p = 3)
      expect_identical(unname(between), unname(together[1:8, 9:13]))
    }
  })
})

test_that("the dimnames are the row names", {
  expect_identical(dimnames(gpu_cdist(x, y)), list(letters[1:8], NULL))
  expect_identical(dimnames(gpu_cdist(y, x)), list(NULL, letters[1:8]))
  expect_null(dimnames(gpu_cdist(y, y)))
})

test_that("the diagonal of a set with itself is zero", {
  on_each_backend(function() expect_identical(unname(diag(gpu_cdist(x, x))), rep(0, 8)))
})

test_that("data frames and vectors are taken as by gpu_dist()", {
  expected <- matrix(c(0, 1, 2, 1, 0, 1), 3)
  expect_identical(gpu_cdist(data.frame(a = 1:3), 1:2), expected)
})

test_that("empty sets give empty matrices", {
  on_each_backend(function() {
    expect_identical(dim(gpu_cdist(x[0, ], y)), c(0L, 5L))
    expect_identical(dim(gpu_cdist(x, y[0, ])), c(8L, 0L))
    expect_identical(unname(gpu_cdist(x[, 0], y[, 0])), matrix(NA_real_, 8, 5))
  })
})

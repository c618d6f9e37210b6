set.seed(31)
base <- matrix(rnorm(240), 40)
# Column 3 is constant, and column 6 depends on 1, 2 and 5.
flat <- cbind(base[, 1:2], 7, base[, 3:4], base[, 1] - 2 * base[, 2] + 3 * base[, 4], base[, 5])
other <- matrix(rnorm(70), 10)

# The Moore-Penrose inverse, by the singular value decomposition.
pseudoinverse <- function(a) {
  s <- svd(a)
  large <- s$d > 1e-10 * s$d[1]
  s$v[, large] %*% (t(s$u[, large]) / s$d[large])
}

# Mahalanobis distances of the rows of two matrices, of which p is the inverse covariance.
by_inverse <- function(x, y, p) {
  outer(seq_len(nrow(x)), seq_len(nrow(y)), Vectorize(function(i, j) {
    d <- x[i, ] - y[j, ]
    sqrt(max(0, sum(d * (p %*% d))))
  }))
}

pinv <- gpu_metric("mahalanobis", singular = "pinv")

test_that("constant columns are an error, or have the weight 0 in standardized distances", {
  on_each_backend(function() {
    expect_error(gpu_dist(flat, "seuclidean"), "column 3 of x has standard deviation 0")
    kept <- flat[, -3]
    expected <- c(dist(scale(kept)))
    for (singular in c("drop", "pinv")) {
      metric <- gpu_metric("seuclidean", singular = singular)
      expect_equal(c(gpu_dist(flat, metric)), expected, tolerance = 1e-14)
      found <- gpu_cdist(flat, other, metric)
      expect_equal(found, gpu_cdist(kept, other[, -3], "seuclidean"), tolerance = 1e-14)
      # One constant column alone.
      expect_identical(c(gpu_dist(c(2, 2, 2), metric)), c(0, 0, 0))
    }
    expect_identical(
      c(gpu_dist(base, gpu_metric("seuclidean", singular = "drop"))),
      c(gpu_dist(base, "seuclidean"))
    )
  })
})

test_that("dependent columns are an error, or are left out of Mahalanobis distances", {
  on_each_backend(function() {
    expect_error(gpu_dist(flat, "mahalanobis"), "covariance of x is singular")
    kept <- flat[, -c(3, 6)]
    dropping <- gpu_metric("mahalanobis", singular = "drop")
    found <- gpu_cdist(flat, other, dropping)
    expect_equal(found, by_inverse(kept, other[, -c(3, 6)], solve(cov(kept))), tolerance = 1e-10)
    metric <- gpu_metric("mahalanobis", cov = cov(flat), singular = "drop")
    given <- gpu_cdist(flat, other, metric)
    expect_equal(given, found, tolerance = 1e-10)
    expect_identical(
      c(gpu_dist(base, dropping)), c(gpu_dist(base, "mahalanobis"))
    )
    # More columns than a factor computes together.
    many <- base[, rep(1:6, 8)] + 0
    expect_equal(c(gpu_dist(many, dropping)),
                 c(gpu_dist(base, "mahalanobis")), tolerance = 1e-10)
  })
})

test_that("the Moore-Penrose inverse is that of the singular value decomposition", {
  on_each_backend(function() {
    expected <- by_inverse(flat, other, pseudoinverse(cov(flat)))
    found <- gpu_cdist(flat, other, pinv)
    expect_equal(found, expected, tolerance = 1e-10)
    # In any order of the columns.
    for (order in list(7:1, c(3, 6, 1, 2, 5, 7, 4), c(6, 5, 4, 3, 2, 1, 7))) {
      turned <- gpu_cdist(flat[, order], other[, order], pinv)
      expect_equal(turned, expected, tolerance = 1e-10)
    }
    metric <- gpu_metric("mahalanobis", cov = cov(flat), singular = "pinv")
    given <- gpu_cdist(flat, other, metric)
    expect_equal(given, expected, tolerance = 1e-10)
    # Of a covariance that is not singular it is the inverse.
    expect_equal(
      c(gpu_dist(base, pinv)), c(gpu_dist(base, "mahalanobis")),
      tolerance = 1e-12
    )
    # Fewer points than columns, and columns of different size.
    wide <- matrix(rnorm(200), 5) * rep(10^seq(-3, 3, length.out = 40), each = 5)
    expect_equal(
      c(gpu_dist(wide, pinv)), rep(sqrt(8), 10), tolerance = 1e-7
    )
    expect_identical(c(gpu_dist(c(2, 2, 2), pinv)), c(0, 0, 0))
    # Points that differ only where no point of x does are at distance 0.
    line <- cbind(1:5, 2 * (1:5))
    away <- gpu_cdist(line, rbind(line[2, ] + c(2, -1)), pinv)
    expect_equal(c(away), abs(1:5 - 2) / sd(1:5), tolerance = 1e-12)
  })
})

test_that("neighbours, tiles and files take singular data", {
  whole <- gpu_cdist(flat, flat, pinv)
  nearest <- gpu_knn(flat, 3, method = pinv)
  expect_identical(nearest$distance[, 1], apply(whole + diag(Inf, 40), 1, min, na.rm = TRUE))
  near <- gpu_radius(flat, 1.5, method = pinv)
  expect_identical(sum(near$count), sum(whole <= 1.5) - 40L)
  plan <- gpu_tiles_plan(flat, method = pinv, side = 40)
  expect_identical(gpu_dist_tile(flat, plan, 1), whole)
  skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")
  d <- gpu_dist(flat, pinv, file = tempfile(fileext = ".h5"))
  expect_identical(d[2, 1], whole[2, 1])
})

test_that("wrong arguments are refused", {
  fails <- function(message, ...) {
    expect_error(gpu_dist(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("singular must be one of \"error\", \"drop\", \"pinv\", not \"no\"", flat,
        gpu_metric("seuclidean", singular = "no"))
  fails("singular must be given with method \"seuclidean\" or \"mahalanobis\", not \"euclidean\"",
        flat, gpu_metric("euclidean", singular = "drop"))
  fails("cov must have no negative eigenvalue", flat[, 1:2],
        gpu_metric("mahalanobis", cov = rbind(c(1, 2), c(2, 1)), singular = "pinv"))
  fails("cov must have no negative eigenvalue", flat[, 1:2],
        gpu_metric("mahalanobis", cov = rbind(0:1, c(1, 1)), singular = "pinv"))
  beyond <- paste(
    "cov must be positive definite, but element (1, 2) is 2, and the variances of these columns",
    "are 1 and 1"
  )
  for (singular in c("error", "drop")) {
    fails(beyond, flat[, 1:2],
          gpu_metric("mahalanobis", cov = rbind(c(1, 2), c(2, 1)), singular = singular))
  }
  indefinite <- matrix(c(1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1), 3)
  negative <- paste(
    "cov must be positive definite, but its first 3 rows and columns have a negative eigenvalue"
  )
  for (singular in c("error", "drop")) {
    fails(negative, flat[, 1:3], gpu_metric("mahalanobis", cov = indefinite, singular = singular))
  }
  fails("cov must be positive definite, but it is singular: column 3", flat[, 1:3],
        gpu_metric("mahalanobis", cov = tcrossprod(matrix(1:6 / 7, 3))))
  fails("column 3 of x has standard deviation NaN", replace(flat, 81, Inf),
        gpu_metric("seuclidean", singular = "drop"))
})

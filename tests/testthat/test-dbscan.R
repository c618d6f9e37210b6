test_that("clusters are those of package dbscan", {
  skip_if_not_installed("dbscan")
  set.seed(1)
  blobs <- rbind(
    matrix(rnorm(300), 150), matrix(rnorm(300, 4, 0.5), 150), matrix(runif(80, -5, 9), 40)
  )
  blobs <- blobs[sample(nrow(blobs)), ]
  data <- list(blobs, as.matrix(iris[, 1:4]), as.matrix(quakes[1:400, 1:3]))
  for (x in data) {
    for (eps in c(0, 0.3, 0.6, 5)) {
      for (min_points in c(1, 4, 12)) {
        for (border in c(TRUE, FALSE)) {
          expected <- dbscan::dbscan(x, eps, min_points, borderPoints = border)
          expect_identical(gpu_dbscan(x, eps, min_points, border), expected)
          expected$dist <- "manhattan"
          d <- stats::dist(x, "manhattan")
          expected$cluster <- dbscan::dbscan(d, eps, min_points, borderPoints = border)$cluster
          expect_identical(gpu_dbscan(d, eps, min_points, border), expected)
          expect_identical(gpu_dbscan(x, eps, min_points, border, "manhattan"), expected)
        }
      }
    }
  }
  expect_output(print(gpu_dbscan(blobs, 0.5)), "DBSCAN clustering for 340 objects")
})

test_that("clusters are the same from all sources and on any number of threads", {
  x <- as.matrix(iris[, 1:4])
  expected <- gpu_dbscan(x, 0.5)$cluster
  expect_identical(gpu_dbscan(x, 0.5, threads = 1)$cluster, expected)
  expect_identical(gpu_dbscan(x, 0.5, threads = 3)$cluster, expected)
  expect_identical(gpu_dbscan(iris[, 1:4], 0.5)$cluster, expected)
  by_function <- function(a, b) sqrt(sum((a - b)^2))
  expect_identical(gpu_dbscan(x, 0.5, method = by_function)$cluster, expected)
  expect_identical(gpu_info()$last$`function`, "gpu_dbscan")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  expect_identical(gpu_dbscan(gpu_dist(x, file = file), 0.5)$cluster, expected)
  unlink(file)
})

test_that("few and missing points are clustered", {
  expect_identical(gpu_dbscan(matrix(0, 0, 2), 1)$cluster, integer())
  expect_identical(gpu_dbscan(matrix(0, 1, 2), 1, 1)$cluster, 1L)
  expect_identical(gpu_dbscan(matrix(0, 1, 2), 1, 2)$cluster, 0L)
  expect_identical(gpu_dbscan(c(1, 1.5, NA, 5), 1, 2)$cluster, c(1L, 1L, 0L, 0L))
})

test_that("bad arguments are errors", {
  x <- matrix(1:6, 3)
  expect_error(gpu_dbscan(x), "eps")
  expect_error(gpu_dbscan(x, -1), "eps must be a number of at least 0, not -1", fixed = TRUE)
  expect_error(gpu_dbscan(x, "a"), 'eps must be a number of at least 0, not "a"', fixed = TRUE)
  expect_error(
    gpu_dbscan(x, 1, 1.5), "minPts must be a whole number of at least 0, not 1.5",
    fixed = TRUE
  )
  expect_error(gpu_dbscan(x, 1, borderPoints = NA), "borderPoints must be true or false, not NA")
  expect_error(gpu_dbscan(x, 1, method = "hyperbolic"), "method must be one of ")
})

test_that("a device gives the same clusters", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  x <- as.matrix(quakes)[, 1:3]
  for (border in c(TRUE, FALSE)) {
    found <- lapply(c("cpu", "cuda"), function(backend) {
      clusters <- gpu_dbscan(x, 20, 6, borderPoints = border, backend = backend)
      expect_identical(gpu_info()$last$backend, backend)
      clusters
    })
    expect_identical(found[[2]], found[[1]])
  }
})

test_that("clusters of places are those of their distances on the sphere", {
  set.seed(3)
  places <- cbind(
    c(rnorm(60, 179.9, 0.3), rnorm(60, 10, 0.4)), c(rnorm(60, -20, 0.3), rnorm(60, 88, 2))
  )
  places <- cbind(ifelse(places[, 1] > 180, places[, 1] - 360, places[, 1]), pmin(places[, 2], 90))
  radian <- pi / 180
  east <- outer(places[, 1], places[, 1], "-") * radian
  north <- outer(places[, 2], places[, 2], "-") * radian
  cosine <- cos(places[, 2] * radian)
  h <- sin(north / 2)^2 + outer(cosine, cosine) * sin(east / 2)^2
  distances <- stats::as.dist(2 * 6371008.8 * asin(sqrt(pmin(h, 1))))
  for (eps in c(1e4, 3e4, 1e5)) {
    expected <- gpu_dbscan(distances, eps, 4)$cluster
    expect_gt(max(expected), 0)
    expect_identical(gpu_dbscan(places, eps, 4, method = "great-circle")$cluster, expected)
  }
  by_degrees <- gpu_dbscan(
    places, 1, 4, metric = "great-circle", sphere_radius = 180 / pi, threads = 1
  )
  expect_identical(by_degrees$cluster, gpu_dbscan(distances, 6371008.8 * radian, 4)$cluster)
  expect_identical(by_degrees$dist, "great-circle")
  expect_error(
    gpu_dbscan(distances, 1e4, sphere_radius = 1),
    "sphere_radius must be given with points, not with distances"
  )
})

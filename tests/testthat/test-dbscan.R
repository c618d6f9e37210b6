# Compares the elements that a version of package dbscan has, and the class.
expect_dbscan <- function(got, expected) {
  expect_identical(got[names(expected)], unclass(expected))
  expect_identical(class(got), class(expected))
}

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
          expect_dbscan(gpu_dbscan(x, eps, min_points, border), expected)
          metric <- intersect(c("dist", "metric"), names(expected))
          expected[metric] <- "manhattan"
          d <- stats::dist(x, "manhattan")
          expected$cluster <- dbscan::dbscan(d, eps, min_points, borderPoints = border)$cluster
          expect_dbscan(gpu_dbscan(d, eps, min_points, border), expected)
          expect_dbscan(gpu_dbscan(x, eps, min_points, border, "manhattan"), expected)
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

test_that("the metric has the names of old and new versions of package dbscan", {
  found <- gpu_dbscan(iris[, 1:4], 0.5, method = "manhattan")
  expect_identical(found[c("metric", "dist")], list(metric = "manhattan", dist = "manhattan"))
})

test_that("a point of weight w counts as w points", {
  set.seed(2)
  x <- round(matrix(rnorm(240), 120), 1)
  weights <- sample(0:3, 120, TRUE)
  near <- unname(as.matrix(dist(x)) <= 0.4)
  for (min_points in c(0, 1, 4, 9)) {
    core <- as.vector(near %*% weights) >= min_points
    part <- stats::cutree(stats::hclust(stats::as.dist(!near[core, core]), "single"), h = 0.5)
    for (source in list(x, dist(x))) {
      found <- gpu_dbscan(source, 0.4, min_points, weights = weights)$cluster
      expect_identical(found[core], match(part, unique(part)))
      expect_identical(found == 0, !core & !apply(near[, core], 1, any))
    }
  }
  third <- rep(1 / 3, 3)
  expect_identical(gpu_dbscan(c(1, 1.1, 1.2), 1, 1, weights = third)$cluster, rep(1L, 3))
  fails <- function(message, weights, ...) {
    expect_error(gpu_dbscan(c(1, 2, 3), 1, weights = weights, ...), message, fixed = TRUE)
  }
  fails("weights must have a value for each of the 3 points, not 2 values", 1:2)
  fails("weights must be finite and at least 0, but value 2 is -1", c(1, -1, 1))
  fails("weights must be finite and at least 0, but value 3 is NA", c(1, 1, NA))
  fails('weights must be numbers, not "a"', "a")
  fails('backend must be "auto" or "cpu" with weights, not "cuda"', c(1, 1, 1), backend = "cuda")
})

# Neighbours as package dbscan has them.
neighbors_within <- function(x, eps) {
  d <- as.matrix(dist(x))
  id <- lapply(seq_len(nrow(d)), function(i) setdiff(which(d[i, ] <= eps), i))
  structure(
    list(dist = Map(function(i, of) unname(d[i, of]), seq_along(id), id), id = id, eps = eps),
    class = c("frNN", "NN")
  )
}

test_that("neighbours of package dbscan are clustered", {
  set.seed(4)
  x <- rbind(matrix(rnorm(160), 80), matrix(rnorm(160, 4), 80))
  near <- neighbors_within(x, 0.8)
  weights <- runif(160, 0, 2)
  for (eps in c(0.3, 0.8)) {
    for (min_points in c(0, 3, 6)) {
      for (border in c(TRUE, FALSE)) {
        got <- gpu_dbscan(near, eps, min_points, border)
        expected <- gpu_dbscan(x, eps, min_points, border)
        expect_identical(got$cluster, expected$cluster)
        expect_identical(
          gpu_dbscan(near, eps, min_points, border, weights = weights)$cluster,
          gpu_dbscan(x, eps, min_points, border, weights = weights)$cluster
        )
      }
    }
  }
  expect_identical(gpu_dbscan(near, minPts = 4)$eps, 0.8)
  expect_identical(gpu_dbscan(near, minPts = 4)$cluster, gpu_dbscan(x, 0.8, 4)$cluster)
  fails <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  fails(gpu_dbscan(near, 1), "eps must be at most the radius of the neighbours, 0.8, not 1")
  fails(gpu_dbscan(near, "a"), 'eps must be a number of at least 0, not "a"')
  fails(gpu_dbscan(near, minPts = 1.5), "minPts must be a whole number of at least 0, not 1.5")
  fails(
    gpu_dbscan(near, method = "manhattan"),
    "method must be given with points, not with distances"
  )
  fails(gpu_dbscan(near, weights = 1), "weights must have a value for each of the 160 points, not")
  near$id[[3]] <- 1:2
  fails(
    gpu_dbscan(near),
    "x must have the neighbours of each point, as numbers id and distances dist, and their eps"
  )
  skip_if_not_installed("dbscan")
  expect_identical(
    gpu_dbscan(dbscan::frNN(x, 0.8), 0.5, 4)$cluster, dbscan::dbscan(x, 0.5, 4)$cluster
  )
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
    places, 1, 4, metric = gpu_metric("great-circle", sphere_radius = 180 / pi), threads = 1
  )
  expect_identical(by_degrees$cluster, gpu_dbscan(distances, 6371008.8 * radian, 4)$cluster)
  expect_identical(by_degrees$dist, "great-circle")
  expect_error(
    gpu_dbscan(distances, 1e4, 5, TRUE, gpu_metric("great-circle", sphere_radius = 1)),
    "method must be given with points, not with distances"
  )
})

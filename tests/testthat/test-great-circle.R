# Distances by the haversine formula, written for angles.
arcs <- function(x, y, radius = 6371008.8) {
  x <- x * pi / 180
  y <- y * pi / 180
  half <- function(c) sin(outer(x[, c], y[, c], `-`) / 2)^2
  radius * 2 * asin(pmin(sqrt(half(2) + outer(cos(x[, 2]), cos(y[, 2])) * half(1)), 1))
}

random_places <- function(n) {
  cbind(runif(n, -180, 360), asin(runif(n, -1, 1)) * 180 / pi)
}

test_that("neighbours by great circles are those of the formula", {
  set.seed(1)
  x <- random_places(200)
  y <- random_places(30)
  d <- arcs(x, y)
  nearest <- gpu_knn(x, 6, query = y, method = "great-circle")
  expect_identical(nearest$index, t(apply(d, 2, order))[, 1:6])
  expect_equal(nearest$distance, t(apply(d, 2, sort))[, 1:6], tolerance = 1e-11)
  small <- gpu_knn(x, 6, query = y, metric = gpu_metric("great-circle", sphere_radius = 1))
  expect_identical(small$index, nearest$index)
  expect_equal(small$distance, nearest$distance / 6371008.8, tolerance = 1e-14)

  near <- gpu_radius(x, 3e6, query = y, method = "great-circle")
  expect_identical(near$count, as.integer(colSums(d <= 3e6)))
  expect_equal(near$distance, unlist(lapply(1:30, function(j) sort(d[d[, j] <= 3e6, j]))))

  within <- arcs(x, x)
  diag(within) <- Inf
  graph <- gpu_neighbor_graph(
    x, k = 1, method = gpu_metric("great-circle", sphere_radius = 6371008.8), weights = identity
  )
  expect_equal(
    graph$weight[graph$from == 1 | graph$to == 1][1],
    within[1, ifelse(graph$from == 1, graph$to, graph$from)[graph$from == 1 | graph$to == 1][1]],
    tolerance = 1e-11
  )
  expect_setequal(
    paste(graph$from, graph$to),
    apply(cbind(1:200, apply(within, 1, which.min)), 1, function(p) paste(min(p), max(p)))
  )
})

test_that("great circles go over the date line and the poles, and places have several names", {
  x <- rbind(c(179.9, 0), c(-179.9, 0), c(0, 89.9), c(180, 89.9), c(20, 90), c(-70, 90), c(200, 0))
  nearest <- gpu_knn(x, 1, method = gpu_metric("great-circle", sphere_radius = 180 / pi))
  expect_identical(c(nearest$index), c(2L, 1L, 5L, 5L, 6L, 5L, 2L))
  expect_equal(c(nearest$distance), c(0.2, 0.2, 0.1, 0.1, 0, 0, 19.9), tolerance = 1e-12)
  expect_identical(nearest$distance[5:6], c(0, 0))
  # Opposite locations, at half the circumference.
  unit <- gpu_metric("great-circle", sphere_radius = 1)
  far <- gpu_knn(rbind(c(10, 20), c(-170, -20)), 1, method = unit)
  expect_equal(c(far$distance), c(pi, pi), tolerance = 1e-7)
  expect_identical(gpu_radius(x, 0, method = "great-circle")$index, c(6L, 5L))
})

test_that("a missing coordinate makes distances missing", {
  x <- rbind(c(1, 2), c(NA, 3), c(1, 3))
  expect_warning(
    nearest <- gpu_knn(x, 2, method = gpu_metric("great-circle", sphere_radius = 180 / pi)),
    "row 2 has missing or infinite values"
  )
  expect_identical(nearest$index, rbind(c(3L, 2L), c(1L, 3L), c(1L, 2L)))
  expect_equal(nearest$distance, rbind(c(1, NA), c(NA, NA), c(1, NA)))
  expect_identical(gpu_radius(x, Inf, method = "great-circle")$index, c(3L, 1L))
})

test_that("collisions by great circles are those of the formula", {
  set.seed(2)
  x <- rbind(random_places(150), c(180, 5), c(-180, 5), c(20, 90), c(-50, 90), c(0, -90))
  y <- random_places(40)
  d <- arcs(x, x)
  pairs <- which(d <= 2e6 & upper.tri(d), arr.ind = TRUE)
  pairs <- pairs[order(pairs[, 1], pairs[, 2]), ]
  for (algorithm in c("grid", "usual", "cyclic")) {
    found <- gpu_collisions(
      x, 2e6,
      metric = "great-circle", algorithm = algorithm, what = "pairs"
    )
    expect_identical(found$i, unname(pairs[, 1]))
    expect_identical(found$j, unname(pairs[, 2]))
    expect_equal(found$distance, d[pairs], tolerance = 1e-9)
    expect_identical(
      gpu_collisions(x, 2e6, metric = "great-circle", algorithm = algorithm), nrow(pairs) + 0
    )
    expect_equal(
      gpu_collisions(x, 2e6, metric = "great-circle", algorithm = algorithm, what = "per_point"),
      rowSums(d <= 2e6) - 1
    )
  }
  # The pairs are the neighbours within the radius.
  near <- gpu_radius(x, 2e6, method = "great-circle")
  expect_identical(sum(near$count), 2L * nrow(pairs))
  # Radii of the points, and another sphere and set.
  radii <- runif(195, 0.01, 0.3)
  unit <- gpu_metric("great-circle", sphere_radius = 1)
  e <- arcs(x, y, 1) <= outer(radii[1:155], radii[156:195], `+`)
  expect_equal(
    gpu_collisions(
      x,
      radii = radii, y = y, metric = unit, what = "per_point"
    ), rowSums(e)
  )
  group <- sample(c("a", "b"), 195, TRUE)
  expect_equal(
    unname(gpu_collisions(
      x,
      radii = radii, y = y, metric = unit, group = group,
      what = "table"
    )),
    unname(t(rowsum(t(rowsum(e + 0, group[1:155])), group[156:195])))
  )
  later <- gpu_collisions_launch(x, 2e6, metric = "great-circle")
  expect_identical(gpu_collisions_fetch(later), nrow(pairs) + 0)
  expect_identical(gpu_collisions(x, 3e7, metric = "great-circle"), 155 * 154 / 2)
  # Crowds: points within a metre, and many at one location.
  town <- cbind(10 + runif(600) * 1e-5, 50)
  crowd <- rbind(town, matrix(c(10, 50), 600, 2, byrow = TRUE))
  d <- arcs(crowd, crowd)
  clear <- min(abs(d - 0.3)) > 1e-6
  expect_true(clear)
  expect_identical(
    gpu_collisions(crowd, 0.3, metric = "great-circle"), sum(d <= 0.3 & upper.tri(d)) + 0
  )
})

test_that("a GPU finds the same neighbours and collisions", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  set.seed(7)
  towns <- cbind(rep(runif(40, -180, 180), 50), rep(runif(40, -80, 80), 50)) + rnorm(4000, sd = 0.1)
  x <- rbind(towns, cbind(runif(500, -180, 180), 90), cbind(10, rep(50, 100)))
  on <- function(call) lapply(c("cpu", "cuda"), function(backend) call(backend))
  same <- function(found) expect_identical(found[[1]], found[[2]])
  same(on(function(b) gpu_knn(x, 12, method = "great-circle", backend = b)))
  same(on(function(b) gpu_radius(x, 2e4, query = x[1:300, ], method = "great-circle", backend = b)))
  same(on(function(b) gpu_neighbor_graph(x, 5, method = "great-circle", backend = b)))
  for (what in c("count", "per_point", "pairs")) {
    same(on(function(b) gpu_collisions(x, 2e4, metric = "great-circle", what = what, backend = b)))
  }
})

test_that("wrong places are refused", {
  x <- rbind(c(0, 0), c(1, 1))
  expect_error(
    gpu_knn(cbind(x, 1), 1, method = "great-circle"),
    "x must have 2 columns, longitude and latitude, with method \"great-circle\", not 3"
  )
  expect_error(
    gpu_knn(rbind(x, c(361, 0)), 1, method = "great-circle"),
    "x must have longitudes between -180 and 360 degrees, but row 3 has 361"
  )
  expect_error(
    gpu_radius(x, 1, query = rbind(c(0, -90.5)), method = "great-circle"),
    "query must have latitudes between -90 and 90 degrees, but row 1 has -90.5"
  )
  expect_error(
    gpu_knn(x, 1, method = gpu_metric("great-circle", sphere_radius = 0)),
    "sphere_radius must be a positive finite number, not 0"
  )
  expect_error(
    gpu_collisions(x, 1, metric = "great-circle", algorithm = "lattice"),
    "algorithm must not be \"lattice\" with metric \"great-circle\""
  )
  expect_error(
    gpu_collisions(x, 1, metric = "great-circle", box = c(1, 1)),
    "box must be given with metric \"euclidean\", not \"great-circle\""
  )
  expect_error(
    gpu_collisions(rbind(x, c(0, 91)), 1, metric = "great-circle"),
    "x must have latitudes between -90 and 90 degrees, but row 3 has 91"
  )
  expect_error(
    gpu_dist(x, "great-circle"),
    "method must not be \"great-circle\", which is for neighbours, DBSCAN, collisions and closest"
  )
})

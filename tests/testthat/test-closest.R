# The k closest of all pairs, by direct loops.
expected_pairs <- function(x, y = NULL, k = 1, distinct = FALSE, box = NULL) {
  pairs <- all_pairs(x, y, box)
  if (distinct) {
    pairs <- pairs[pairs$distance > 0, ]
  }
  ties <- if (nrow(pairs)) sum(pairs$distance == min(pairs$distance)) else 0
  pairs <- pairs[order(pairs$distance, pairs$i, pairs$j), ]
  pairs <- pairs[seq_len(min(k, nrow(pairs))), ]
  structure(pairs, row.names = seq_len(nrow(pairs)), ties = as.numeric(ties))
}

test_that("closest pairs are those of direct loops", {
  set.seed(1)
  on_each_backend(function() {
    for (columns in 1:3) {
      for (n in c(2, 3, 17, 150)) {
        x <- lattice_points(n, columns)
        y <- lattice_points(20, columns)
        for (k in unique(c(1, min(5, n * (n - 1) / 2), n * (n - 1) / 2))) {
          expect_identical(gpu_closest_pair(x, k = k), expected_pairs(x, k = k))
          expect_identical(
            gpu_closest_pair(x, k = k, distinct = TRUE), expected_pairs(x, k = k, distinct = TRUE)
          )
        }
        expect_identical(gpu_closest_pair(x, y, k = 7), expected_pairs(x, y, k = 7))
        expect_identical(
          gpu_closest_pair(x, y, k = 20, distinct = TRUE),
          expected_pairs(x, y, k = 20, distinct = TRUE)
        )
        box <- c(6, 0, 5.25)[seq_len(columns)]
        expect_identical(
          gpu_closest_pair(x %% 6, box = box), expected_pairs(x %% 6, box = box)
        )
      }
    }
  })
})

test_that("all algorithms give the same", {
  set.seed(2)
  algorithms <- c("grid", "sweep-v0", "sweep-v1", "sweep-v2", "divide-conquer")
  for (x in list(matrix(runif(4000), 2000), cbind(1, runif(500)), lattice_points(700, 3))) {
    expected <- gpu_closest_pair(x, k = 10, backend = "cpu")
    for (algorithm in algorithms) {
      for (threads in 1:2) {
        expect_identical(
          gpu_closest_pair(x, k = 10, algorithm = algorithm, threads = threads, backend = "cpu"),
          expected
        )
      }
    }
  }
})

test_that("any storage of points is taken", {
  x <- matrix(c(1L, 5L, 2L, 9L, 1L, 4L, 2L, 9L), 4)
  expected <- expected_pairs(x)
  expect_identical(expected$i, 1L)
  expect_identical(gpu_closest_pair(x), expected)
  expect_identical(gpu_closest_pair(x + 0), expected)
  expect_identical(gpu_closest_pair(data.frame(x, row.names = letters[1:4])), expected)
  expect_identical(gpu_closest_pair(as.data.frame(x)), expected)
  expect_identical(gpu_closest_pair(c(a = 3, b = 10, c = 4.5))[["distance"]], 1.5)
  expect_identical(gpu_closest_pair(c(TRUE, FALSE))[["distance"]], 1)
})

test_that("integers are exact", {
  # Both squared distances round to the same double.
  x <- cbind(c(0L, 134217729L, 0L), c(0L, 0L, 134217729L), c(0L, 1L, 0L))
  on_each_backend(function() {
    pairs <- gpu_closest_pair(x, k = 3)
    expect_identical(pairs$i, c(1L, 1L, 2L))
    expect_identical(pairs$j, c(3L, 2L, 3L))
    expect_identical(attr(pairs, "ties"), 1)
    largest <- .Machine$integer.max
    far <- gpu_closest_pair(matrix(c(-largest, largest), 2, 3))
    # The root of 3 (2^32 - 2)^2, rounded once.
    expect_identical(far$distance, 7439101570.054616)
  })
})

test_that("great circles are those of the haversine", {
  set.seed(3)
  x <- cbind(runif(60, -180, 180), asin(runif(60, -1, 1)) * 180 / pi)
  pairs <- all_pairs(x)
  angle <- x * pi / 180
  d <- angle[pairs$i, ] - angle[pairs$j, ]
  half <- sin(d[, 2] / 2)^2 + cos(angle[pairs$i, 2]) * cos(angle[pairs$j, 2]) * sin(d[, 1] / 2)^2
  pairs$distance <- 2 * asin(sqrt(half))
  pairs <- pairs[order(pairs$distance), ][1:20, ]
  on_each_backend(function() {
    found <- gpu_closest_pair(x, k = 20, metric = gpu_metric("great-circle", sphere_radius = 1))
    expect_identical(found$i, pairs$i)
    expect_identical(found$j, pairs$j)
    expect_equal(found$distance, pairs$distance, tolerance = 1e-12)
    # Over the pole and the date line.
    near <- gpu_closest_pair(
      rbind(c(0, 89.9), c(180, 89.9), c(179.9, 0), c(-179.95, 0)),
      k = 2, metric = "great-circle"
    )
    expect_equal(near$distance, 6371008.8 * c(0.15, 0.2) * pi / 180, tolerance = 1e-9)
  })
})

test_that("coincident points are found, or left out", {
  x <- matrix(2.5, 100, 2)
  pairs <- gpu_closest_pair(x, k = 3)
  expect_identical(pairs$i, c(1L, 1L, 1L))
  expect_identical(pairs$j, 2:4)
  expect_identical(attr(pairs, "ties"), 4950)
  none <- gpu_closest_pair(x, distinct = TRUE)
  expect_identical(dim(none), c(0L, 3L))
  expect_identical(attr(none, "ties"), 0)
  expect_identical(gpu_closest_pair(rbind(x, c(3, 2.5)), distinct = TRUE)$distance, 0.5)
})

test_that("nearest neighbours of spatstat say the same", {
  skip_if_not_installed("spatstat.geom")
  set.seed(4)
  x <- matrix(runif(2e4), 1e4)
  nearest <- spatstat.geom::nndist(x[, 1], x[, 2])
  pair <- gpu_closest_pair(x)
  expect_equal(pair$distance, min(nearest), tolerance = 1e-15)
  expect_setequal(c(pair$i, pair$j), which(nearest == min(nearest)))
  skip_if_not_installed("spatstat.data")
  fires <- spatstat.data::nbfires
  x <- cbind(fires$x, fires$y)
  expect_identical(gpu_closest_pair(x)$distance, 0)
  expect_equal(
    gpu_closest_pair(x, distinct = TRUE)$distance,
    spatstat.geom::minnndist(spatstat.geom::unique.ppp(spatstat.geom::unmark(fires))),
    tolerance = 1e-12
  )
})

test_that("RANN finds the same pair of two sets", {
  skip_if_not_installed("RANN")
  set.seed(5)
  x <- matrix(runif(3e4), 1e4)
  y <- matrix(runif(6e3), 2e3)
  nearest <- RANN::nn2(y, x, k = 1)
  pair <- gpu_closest_pair(x, y)
  expect_identical(pair$i, which.min(nearest$nn.dists))
  expect_identical(pair$j, nearest$nn.idx[pair$i])
  expect_equal(pair$distance, min(nearest$nn.dists), tolerance = 1e-15)
})

test_that("wrong arguments are refused", {
  x <- matrix(as.numeric(1:8), 4)
  expect_error(gpu_closest_pair(x, k = 0), "k must be between 1 and 6 \\(the pairs there are\\)")
  expect_error(gpu_closest_pair(x, k = 7), "k must be between 1 and 6 \\(the pairs there are\\)")
  expect_error(gpu_closest_pair(x, k = 1e15), "k must be between 1 and 6")
  expect_error(gpu_closest_pair(x, x, k = 17), "k must be between 1 and 16")
  expect_error(gpu_closest_pair(x, k = 1.5), "k must be a whole number, not 1.5", fixed = TRUE)
  expect_error(gpu_closest_pair(x, k = NA), "k must be a whole number, not NA", fixed = TRUE)
  expect_error(
    gpu_closest_pair(x, k = "two"), "k must be a whole number, not \"two\"", fixed = TRUE
  )
  expect_error(gpu_closest_pair(x, k = Inf), "k must be a whole number, not Inf", fixed = TRUE)
  for (distinct in list(NA, 1, "yes", c(TRUE, TRUE))) {
    expect_error(gpu_closest_pair(x, distinct = distinct), "distinct must be true or false")
  }
  expect_error(gpu_closest_pair(x, metric = "hyperbolic"), "metric must be one of \"euclidean\"")
  expect_error(gpu_closest_pair(x, metric = 1), "metric must be a single string")
  expect_error(gpu_closest_pair(x, algorithm = "guess"), "algorithm must be one of \"auto\"")
  expect_error(gpu_closest_pair(x, algorithm = NULL), "algorithm must be a single string")
  expect_error(gpu_closest_pair(x, box = "a"), "box must be a numeric matrix, not text")
  expect_error(gpu_closest_pair(x, box = 1), "^box must ")
  expect_error(gpu_metric("great", sphere_radius = "big"), "^sphere_radius must ")
  expect_error(gpu_closest_pair("a"), "x must be a numeric matrix, not text")
  expect_error(gpu_closest_pair(x, "a"), "y must be a numeric matrix, not text")
  expect_error(gpu_closest_pair(x, matrix(1, 2, 3)), "^y must have 2 columns")
  expect_error(gpu_closest_pair(matrix(1, 3, 4)), "^x must ")
  expect_error(gpu_closest_pair(rbind(x, NA)), "row 5")
  expect_error(gpu_closest_pair(matrix(c(1L, NA), 2)), "row 2")
  expect_error(gpu_closest_pair(c(1, Inf)), "row 2")
  expect_error(gpu_closest_pair(x, prcision = "single"), "unused argument prcision")
  condition <- tryCatch(gpu_closest_pair(x, k = 9), gpugeo_error = identity)
  expect_identical(condition$argument, "k")
  expect_identical(conditionCall(condition), quote(gpu_closest_pair(x, k = 9)))
})

test_that("the report names the function", {
  gpu_closest_pair(1:3, backend = "cpu", threads = 2)
  expect_identical(gpu_info()$last$`function`, "gpu_closest_pair")
  expect_identical(gpu_info()$last$backend, "cpu")
})

square <- data.frame(from = c(1, 2, 3, 4, 1, 2), to = c(2, 3, 4, 1, 3, 4))
corners <- cbind(c(0, 1, 1, 0), c(0, 0, 1, 1))

test_that("a square with both diagonals is measured by hand", {
  q <- gpu_layout_quality(square, corners)
  expect_s3_class(q, "gpu_layout_quality")
  lengths <- c(1, 1, 1, 1, sqrt(2), sqrt(2))
  expect_equal(q$stress, 1 - sum(lengths)^2 / (6 * sum(lengths^2)), tolerance = 1e-13)
  expect_equal(q$scale, sum(lengths) / sum(lengths^2), tolerance = 1e-14)
  expect_identical(q$neighborhood, 1)
  mean <- mean(lengths)
  expect_equal(q$edge_variation, sqrt(mean((lengths - mean)^2)) / mean, tolerance = 1e-13)
  expect_identical(c(q$crossings, q$crossings_error), c(1, 0))
  expect_equal(q$energy, sum(lengths^3) / 3 - sum(log(lengths)), tolerance = 1e-13)
  expect_identical(q$pivots, 4)
  expect_identical(gpu_info()$last$`function`, "gpu_layout_quality")
})

test_that("stress is that of igraph's distances", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_graph("Zachary")
  x <- gpu_layout(graph, seed = 1)
  g <- igraph::distances(graph)
  pairs <- lower.tri(g)
  ratio <- (as.matrix(stats::dist(x)) / g)[pairs]
  scale <- sum(ratio) / sum(ratio^2)
  q <- gpu_layout_quality(graph, x)
  expect_equal(q$stress, mean((scale * ratio - 1)^2), tolerance = 1e-12)
  expect_equal(q$scale, scale, tolerance = 1e-12)
  expect_equal(q$energy, attr(x, "energy"), tolerance = 1e-12)
})

test_that("there may be nothing to measure", {
  q <- gpu_layout_quality(matrix(0, 0, 2), matrix(0, 0, 2))
  expect_true(is.na(q$stress) && is.na(q$neighborhood) && is.na(q$edge_variation))
  q <- gpu_layout_quality(square, cbind(corners, 0))
  expect_true(is.na(q$crossings) && is.na(q$crossings_error))
  expect_false(is.na(q$stress))
  expect_true(is.na(gpu_layout_quality(square, corners, crossings = 0, pivots = 0)$crossings))
})

test_that("samples are governed by the seed, on any number of threads", {
  set.seed(1)
  edges <- matrix(sample(100, 600, TRUE), ncol = 2)
  x <- matrix(runif(200), 100)
  whole <- gpu_layout_quality(edges, x)
  sample <- gpu_layout_quality(edges, x, pivots = 50, crossings = 20000, seed = 2, threads = 1)
  again <- gpu_layout_quality(edges, x, pivots = 50, crossings = 20000, seed = 2, threads = 3)
  expect_identical(sample, again)
  expect_identical(sample$pivots, 50)
  expect_gt(sample$crossings_error, 0)
  expect_lt(abs(sample$crossings - whole$crossings), 5 * sample$crossings_error)
})

test_that("it prints", {
  q <- gpu_layout_quality(square, corners)
  text <- capture.output(value <- print(q))
  expect_identical(value, q)
  expect_identical(text[1], "Quality of a layout")
  expect_match(text[2], "stress: +0.02.*, from 4 pivots")
  expect_match(text[5], "crossings: +1$")
  text <- capture.output(print(gpu_layout_quality(square, corners, crossings = 5, seed = 3)))
  expect_match(text[5], "crossings:")
  text <- capture.output(print(gpu_layout_quality(square, cbind(corners, 1))))
  expect_match(text[5], "none to measure")
})

test_that("wrong arguments are named", {
  fails <- function(message, ...) {
    expect_error(gpu_layout_quality(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("layout must be a numeric matrix, not text", square, "circle")
  fails("layout must be a numeric matrix, not NULL", square, NULL)
  fails("layout must have 2 or 3 columns, not 1", square, 1:4)
  fails("layout must have a row for each of the 4 vertices, not 3 rows", square, corners[1:3, ])
  fails(
    "layout must have no missing or infinite coordinates, but row 4 has NA", square,
    replace(corners, 8, NA)
  )
  fails("pivots must be between 0 and 4 (the vertices), not 5", square, corners, pivots = 5)
  fails("pivots must be a whole number of at least 0, not -1", square, corners, pivots = -1)
  fails("crossings must be a whole number of at least 0, not", square, corners,
        crossings = "all")
  fails("seed must be a whole number of at least 0, not 0.5", square, corners, seed = 0.5)
  fails(
    "backend must be \"auto\" or \"cpu\" for the quality of layouts, not \"cuda\"", square, corners,
    backend = "cuda"
  )
  fails("unused argument extra", square, corners, extra = 1)
})

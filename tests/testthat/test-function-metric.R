# A function as metric.

x <- matrix(round(sin(1:60) * 8), 20, dimnames = list(letters[1:20], NULL))
y <- matrix(round(cos(1:21) * 8), 7, dimnames = list(NULL, c("u", "v", "w")))
city <- function(x, y) sum(abs(x - y))

test_that("distances by a function are those of the metric, with the attributes of dist()", {
  by_function <- gpu_dist(x, city)
  by_name <- gpu_dist(x, "manhattan")
  expect_identical(c(by_function), c(by_name))
  expect_identical(names(attributes(by_function)), names(attributes(by_name)))
  expect_identical(attr(by_function, "method"), "city")
  expect_identical(attr(by_function, "call"), quote(gpu_dist(x = x, method = city)))
  expect_identical(attr(by_function, "Labels"), letters[1:20])
  expect_s3_class(hclust(by_function), "hclust")
  expect_identical(attr(gpu_dist(x, metric = city), "method"), "city")
  expect_identical(attr(gpu_dist(x, function(x, y) 1), "method"), "function")
  expect_identical(attr(gpu_dist(x, base::crossprod), "method"), "base::crossprod")
  expect_identical(gpu_cdist(x, y, "manhattan"), gpu_cdist(x, y, city))
  last <- gpu_info()$last
  expect_identical(last$`function`, "gpu_cdist")
  expect_identical(last$backend, "cpu")
  expect_identical(last$threads, 1L)
})

test_that("the function gets a row of x first, and rows keep their names", {
  expect_identical(c(gpu_dist(1:3, function(a, b) 10 * a + b)), c(21, 31, 32))
  expect_identical(
    gpu_cdist(1:2, 3:5, function(a, b) 10 * a + b), matrix(c(13, 23, 14, 24, 15, 25), 2)
  )
  by_names <- gpu_dist(y[1:2, ], function(a, b) a[["v"]] - b[["v"]])
  expect_identical(c(by_names), y[[2, 2]] - y[[1, 2]])
  expect_identical(gpu_knn(1:2, 1, 9, function(a, b) 10 * b - a)$distance[1, 1], 88)
})

test_that("few points, missing distances, and a function that fails", {
  expect_identical(c(gpu_dist(numeric(), city)), numeric())
  expect_identical(c(gpu_dist(5, city)), numeric())
  expect_identical(gpu_cdist(matrix(0, 0, 3), y, city), gpu_cdist(matrix(0, 0, 3), y))
  expect_identical(c(gpu_dist(1:3, function(a, b) if (a == 3) NA else 1L)), c(1, NA, NA))
  expect_error(gpu_dist(x, function(a, b) stop("own error")), "own error")
  several <- "^method must return one number for two points, not c\\("
  expect_error(gpu_dist(x, function(a, b) a), several)
  expect_error(gpu_cdist(x, y, function(a, b) "far"), "^method must return .*, not \"far\"$")
  condition <- tryCatch(gpu_knn(x, 1, method = function(a, b) NULL), gpugeo_error = identity)
  expect_identical(condition$argument, "method")
})

test_that("neighbours by a function are those of the metric, ties by row number", {
  for (query in list(NULL, y, y[0, ])) {
    for (k in c(1, 4, 19)) {
      expect_identical(gpu_knn(x, k, query, city), gpu_knn(x, k, query, "manhattan"))
    }
    for (radius in c(0, 7, Inf)) {
      expect_identical(
        gpu_radius(x, radius, query, city), gpu_radius(x, radius, query, "manhattan")
      )
    }
  }
  for (given in list(list(k = 3), list(radius = 9))) {
    graph <- function(...) do.call(gpu_neighbor_graph, c(list(x), given, list(...)))
    expect_identical(graph(method = city), graph(method = "manhattan"))
    expect_identical(graph(metric = city), graph(method = "manhattan"))
  }
  odd <- function(a, b) if (a == 2) NA else abs(a - b)
  expect_identical(gpu_knn(1:3, 3, 0, odd)$index, matrix(c(1L, 3L, 2L), 1))
  expect_identical(gpu_radius(1:3, Inf, 0, odd)$index, c(1L, 3L))
})

test_that("arguments are checked in the words of the core", {
  fails <- function(code, message) expect_error(code, message, fixed = TRUE)
  fails(gpu_dist("a", city), "x must be a numeric matrix, not text")
  fails(gpu_cdist(x, 1:2, city), "y must have 3 columns, as x has, not 1")
  fails(gpu_knn(x, 1, 1:2, city), "query must have 3 columns, as x has, not 1")
  fails(gpu_knn(x, 20, method = city), "k must be between 1 and 19 (the other points)")
  fails(gpu_knn(x, 21, y, city), "k must be between 1 and 20 (the points of x)")
  fails(gpu_knn(x, "1", y, city), "k must be a whole number, not \"1\"")
  fails(gpu_radius(x, -1, y, city), "radius must be a number of at least 0, not -1")
  fails(gpu_dist(x, city, threads = 0), "threads must be ")
  fails(gpu_dist(x, city, p = 3), "p must be 2 if the metric is a function, not 3")
  expect_equal(c(gpu_dist(x, city, p = 2L)), c(gpu_dist(x, "manhattan")))
  fails(gpu_cdist(x, y, city, p = 3), "p must be 2 if the metric is a function, not 3")
  fails(gpu_metric(city), "name must be a single string, not a function")
  fails(gpu_dist(x, city, file = tempfile()), "method must not be a function with file")
  fails(gpu_tiles_plan(x, method = city), "method must be a single string, not a function")
})

test_that("the progress bar is updated, and only where it is wanted", {
  Sys.setenv(GPUGEO_TEST_POLLS = "1")
  on.exit(Sys.unsetenv("GPUGEO_TEST_POLLS"))
  shown <- function(progress) {
    capture.output(invisible(gpu_dist(x, city, progress = progress)), type = "message")
  }
  expect_identical(shown(FALSE), character())
  expect_gt(length(shown(TRUE)), 0)
})

test_that("minkowski with p = Inf has the bits of maximum, and MATLAB's names are understood", {
  z <- rbind(matrix(sin(1:40) * 1e3, 10), NA, c(1, NA, 3, 4))
  expect_identical(c(gpu_dist(z, "minkowski", p = Inf)), c(gpu_dist(z, "maximum")))
  expect_identical(attr(gpu_dist(z, "minkowski", p = Inf), "p"), Inf)
  endless <- gpu_metric("minkowski", p = Inf)
  expect_identical(gpu_knn(z, 4, method = endless), gpu_knn(z, 4, method = "maximum"))
  expect_identical(gpu_radius(z, 9, method = endless), gpu_radius(z, 9, method = "maximum"))
  expect_identical(c(gpu_dist(z, "chebyshev")), c(gpu_dist(z, "maximum")))
  expect_identical(c(gpu_dist(z, "fasteuclidean")), c(gpu_dist(z)))
  z <- z[1:10, ]
  expect_identical(c(gpu_dist(z, "fastsquaredeuclidean")), c(gpu_dist(z, "sqeuclidean")))
  expect_identical(attr(gpu_dist(z, "fasteuclidean"), "method"), "euclidean")
})

# The nearest k of all distances, by sorting them: a point a row.
expected_nearest <- function(d, k, within) {
  order_of <- function(i) {
    candidates <- setdiff(seq_len(nrow(d)), if (within) i)
    candidates[order(d[candidates, i])][seq_len(k)]
  }
  index <- matrix(vapply(seq_len(ncol(d)), order_of, integer(k)), ncol = k, byrow = TRUE)
  structure(
    list(index = index, distance = matrix(d[cbind(c(index), c(row(index)))], ncol = k)),
    class = "gpu_knn", query = !within
  )
}

test_that("nearest neighbours are those of all distances", {
  set.seed(1)
  x <- matrix(round(rnorm(60 * 4), 1), 60)
  x[sample(length(x), 25)] <- NA
  x[7, ] <- NA
  y <- matrix(round(rnorm(9 * 4), 1), 9)
  # Row 7 has no values, of which there are warnings.
  suppressWarnings(on_each_backend(function() {
    for (method in c("euclidean", "manhattan", "maximum", "canberra", "hamming")) {
      for (k in c(1, 4, 59)) {
        within <- expected_nearest(gpu_cdist(x, x, method), k, TRUE)
        expect_identical(gpu_knn(x, k, method = method), within)
        between <- expected_nearest(gpu_cdist(x, y, method), k, FALSE)
        expect_identical(gpu_knn(x, k, query = y, method = method), between)
      }
    }
    cov <- diag(4) + 0.5
    whole <- stats::na.omit(x)
    expect_identical(
      gpu_knn(whole, 3, y, gpu_metric("mahalanobis", cov = cov)),
      expected_nearest(gpu_cdist(whole, y, gpu_metric("mahalanobis", cov = cov)), 3, FALSE)
    )
    expect_identical(
      gpu_knn(x, 3, y, gpu_metric("seuclidean", scale = 1:4)),
      expected_nearest(gpu_cdist(x, y, gpu_metric("seuclidean", scale = 1:4)), 3, FALSE)
    )
    expect_identical(
      gpu_knn(x, 3, y, gpu_metric("minkowski", p = 3)),
      expected_nearest(gpu_cdist(x, y, "minkowski", p = 3), 3, FALSE)
    )
  }))
})

test_that("neighbours within a radius are those of all distances", {
  set.seed(2)
  x <- matrix(sample(0:6, 80 * 3, TRUE), 80)
  y <- matrix(sample(0:6, 11 * 3, TRUE), 11)
  on_each_backend(function() {
    for (query in list(NULL, y)) {
      d <- gpu_cdist(x, if (is.null(query)) x else query)
      if (is.null(query)) {
        diag(d) <- NA
      }
      for (radius in c(0, sqrt(2), 4, Inf)) {
        found <- which(d <= radius, arr.ind = TRUE)
        found <- found[order(found[, 2], d[found], found[, 1]), , drop = FALSE]
        near <- gpu_radius(x, radius, query)
        expect_identical(near$count, tabulate(found[, 2], ncol(d)))
        expect_identical(near$index, unname(found[, 1]))
        expect_identical(near$distance, d[found])
      }
    }
  })
})

test_that("other packages find the same neighbours", {
  set.seed(3)
  x <- matrix(rnorm(500 * 6), 500)
  y <- matrix(rnorm(40 * 6), 40)
  if (requireNamespace("FNN", quietly = TRUE)) {
    other <- FNN::get.knn(x, 7)
    mine <- gpu_knn(x, 7)
    expect_identical(mine$index, other$nn.index)
    expect_equal(mine$distance, other$nn.dist, tolerance = 1e-13)
  }
  if (requireNamespace("RANN", quietly = TRUE)) {
    other <- RANN::nn2(x, y, 5)
    mine <- gpu_knn(x, 5, y)
    expect_identical(mine$index, other$nn.idx)
    expect_equal(mine$distance, other$nn.dists, tolerance = 1e-13)
  }
  skip_if_not_installed("dbscan")
  other <- dbscan::frNN(x, 2)
  near <- gpu_radius(x, 2)
  point <- factor(rep(seq_along(near$count), near$count), seq_along(near$count))
  expect_identical(unname(split(near$index, point)), unname(other$id))
  expect_equal(unname(split(near$distance, point)), unname(other$dist), tolerance = 1e-13)
})

test_that("names of points are kept", {
  x <- matrix(c(1, 2, 4, 8), dimnames = list(letters[1:4], NULL))
  nearest <- gpu_knn(x, 2)
  index <- matrix(c(2L, 1L, 2L, 3L, 3L, 3L, 1L, 2L), 4, dimnames = list(letters[1:4], NULL))
  expect_identical(nearest$index, index)
  expect_identical(rownames(nearest$distance), letters[1:4])
  expect_identical(gpu_radius(x, 2)$count, c(a = 1L, b = 2L, c = 1L, d = 0L))
  expect_null(rownames(gpu_knn(x, 2, query = c(3, 5))$index))
  expect_identical(rownames(gpu_knn(c(3, 5), 2, query = x)$index), letters[1:4])
})

test_that("any storage of points is taken", {
  x <- matrix(c(1L, 5L, 2L, 9L, 1L, 4L, 2L, 9L), 4)
  expected <- gpu_knn(x + 0, 2)
  expect_identical(gpu_knn(x, 2), expected)
  expect_identical(gpu_knn(as.data.frame(x), 2), expected)
  expect_identical(gpu_knn(c(3, 10, 4.5), 1)$index, matrix(c(3L, 3L, 1L)))
  expect_identical(gpu_knn(c(TRUE, FALSE), 1)$distance, matrix(c(1, 1)))
  expect_identical(dim(gpu_knn(x, 2, query = x[0, ])$index), c(0L, 2L))
  none <- list(count = integer(), index = integer(), distance = numeric())
  expect_identical(gpu_radius(x, 1, query = x[0, ])[names(none)], none)
})

test_that("points without a distance are the last neighbours", {
  x <- rbind(c(1, NA), c(NA, 2), c(2, NA))
  nearest <- gpu_knn(x, 2)
  expect_identical(nearest$index, rbind(c(3L, 2L), c(1L, 3L), c(1L, 2L)))
  expect_identical(nearest$distance, rbind(c(sqrt(2), NA), c(NA, NA), c(sqrt(2), NA)) + 0)
  expect_identical(gpu_radius(x, Inf)$count, c(1L, 0L, 1L))
})

test_that("a graph joins neighbours once", {
  x <- c(0, 1, 3, 4, 10)
  expect_identical(
    gpu_neighbor_graph(x, 1),
    structure(
      data.frame(from = c(1L, 3L, 4L), to = c(2L, 4L, 5L)), vertices = 5L, first = 1L,
      class = c("gpu_edges", "data.frame")
    )
  )
  expect_identical(gpu_neighbor_graph(x, 1, join = "mutual")$from, c(1L, 3L))
  within <- gpu_neighbor_graph(x, radius = 2, weights = function(d) 1 / d)
  expect_identical(within$to, 2:4)
  expect_identical(within$weight, c(1, 0.5, 1))
  expect_identical(gpu_neighbor_graph(x, radius = 2, join = "mutual")$to, 2:4)
  expect_identical(nrow(gpu_neighbor_graph(x, radius = 0.5)), 0L)
  expect_identical(nrow(gpu_neighbor_graph(rbind(c(1, NA), c(NA, 1)), 1)), 0L)
  set.seed(4)
  y <- matrix(runif(300), 100)
  for (join in c("union", "mutual")) {
    index <- gpu_knn(y, 4)$index
    joined <- matrix(FALSE, 100, 100)
    joined[cbind(c(row(index)), c(index))] <- TRUE
    joined <- if (join == "union") joined | t(joined) else joined & t(joined)
    edges <- gpu_neighbor_graph(y, 4, join = join, weights = identity)
    expect_identical(
      unname(as.matrix(edges[c("to", "from")])),
      unname(which(joined & lower.tri(joined), arr.ind = TRUE))
    )
    expect_identical(edges$weight, gpu_cdist(y, y)[cbind(edges$to, edges$from)])
  }
})

test_that("a graph can be laid out", {
  x <- c(1, 2, 9, 30)
  map <- gpu_layout(gpu_neighbor_graph(x, radius = 7), seed = 1, iterations = 5)
  expect_identical(dim(map), c(4L, 2L))
  weighted <- gpu_neighbor_graph(x, radius = 7, weights = function(d) exp(-d))
  expect_identical(names(weighted), c("from", "to", "weight"))
  expect_identical(dim(gpu_layout(weighted, seed = 1, iterations = 5)), c(4L, 2L))
})

test_that("a graph comes as other packages have it", {
  x <- matrix(c(0, 1, 3, 3), dimnames = list(letters[1:4], NULL))
  if (requireNamespace("Matrix", quietly = TRUE)) {
    sparse <- gpu_neighbor_graph(x, 1, as = "sparse")
    expected <- matrix(0, 4, 4, dimnames = list(letters[1:4], letters[1:4]))
    expected[1, 2] <- expected[2, 1] <- 1
    expect_identical(as.matrix(sparse), expected)
    expect_identical(length(sparse@x), 2L) # the edge of length 0 too
  }
  skip_if_not_installed("igraph")
  graph <- gpu_neighbor_graph(x, 1, as = "igraph", weights = function(d) exp(-d))
  expect_identical(igraph::V(graph)$name, letters[1:4])
  expect_equal(igraph::as_edgelist(graph), rbind(c("a", "b"), c("c", "d")))
  expect_identical(igraph::E(graph)$weight, exp(-c(1, 0)))
  expect_identical(igraph::E(graph)$distance, c(1, 0))
  expect_equal(igraph::vcount(gpu_neighbor_graph(c(0, 9, 20), radius = 1, as = "igraph")), 3)
})

test_that("little memory changes nothing", {
  x <- matrix(round(rnorm(18000) * 9), 3000)
  little <- 2^20
  expect_identical(gpu_knn(x, 4, memory_limit = little), gpu_knn(x, 4))
  expect_identical(gpu_radius(x, 9, memory_limit = little), gpu_radius(x, 9))
  expect_identical(gpu_neighbor_graph(x, 4, memory_limit = little), gpu_neighbor_graph(x, 4))
})

test_that("wrong arguments are named", {
  x <- matrix(1:6, 3)
  too_little <- "memory_limit must be a whole number of at least 1048576, not 7"
  expect_error(gpu_knn(x, 1, memory_limit = 7), too_little, fixed = TRUE)
  expect_error(gpu_radius(x, 1, memory_limit = 7), too_little, fixed = TRUE)
  expect_error(gpu_neighbor_graph(x, 1, memory_limit = 7), too_little, fixed = TRUE)
  expect_error(gpu_knn(x, 3), "k must be between 1 and 2 (the other points), not 3", fixed = TRUE)
  expect_error(gpu_knn(x, 1.5), "k must be a whole number, not 1.5", fixed = TRUE)
  expect_error(gpu_knn(x, "a"), "k must be a whole number, not \"a\"", fixed = TRUE)
  expect_error(gpu_knn(x, 1, list(1)), "query must be a numeric matrix, not a list", fixed = TRUE)
  expect_error(gpu_knn(x, 1, k2 = 1), "unused argument k2", fixed = TRUE)
  expect_error(gpu_radius(x, -1), "radius must be a number of at least 0, not -1", fixed = TRUE)
  one_of <- "one of k and radius must be given, and not both"
  expect_error(gpu_neighbor_graph(x), one_of, fixed = TRUE)
  expect_error(gpu_neighbor_graph(x, 1, 1), "one of k and radius must be given", fixed = TRUE)
  expect_error(
    gpu_neighbor_graph(x, 1, join = "all"), 'join must be one of "union", "mutual", not "all"',
    fixed = TRUE
  )
  expect_error(gpu_neighbor_graph(x, 1, as = 3), "as must be a single string", fixed = TRUE)
  error <- tryCatch(gpu_neighbor_graph(x, 5), error = identity)
  expect_s3_class(error, "gpugeo_error")
  expect_identical(as.character(conditionCall(error)[[1]]), "gpu_neighbor_graph")
})

test_that("a point can be its own first neighbour", {
  set.seed(2)
  x <- matrix(rnorm(90), 30, 3, dimnames = list(paste0("p", 1:30), NULL))
  x[5, ] <- x[9, ] # the point itself comes before others at the same location
  others <- gpu_knn(x, 4)
  with_self <- gpu_knn(x, 5, include_self = TRUE)
  expect_identical(unname(with_self$index), unname(cbind(seq_len(nrow(x)), others$index)))
  expect_identical(unname(with_self$distance), unname(cbind(0, others$distance)))
  expect_identical(dimnames(with_self$index), dimnames(others$index))
  alone <- gpu_knn(x, 1, include_self = TRUE)
  expect_identical(as.vector(alone$index), seq_len(nrow(x)))
  message_of <- function(...) conditionMessage(tryCatch(gpu_knn(...), gpugeo_error = identity))
  expect_identical(
    message_of(x, 2, x, include_self = TRUE), "include_self must not be TRUE with query"
  )
  expect_identical(
    message_of(x, 2, include_self = NA), "include_self must be true or false, not NA"
  )
  expect_identical(
    message_of(x[1:3, ], 4, include_self = TRUE),
    "k must be a whole number between 1 and 3 (the points, itself included), not 4"
  )
})

test_that("a point as its own only neighbour has its arguments checked as otherwise", {
  set.seed(3)
  x <- matrix(rnorm(40), 10)
  message_of <- function(...) {
    tryCatch(
      if (is.list(gpu_knn(..., include_self = TRUE))) "no error",
      gpugeo_error = conditionMessage
    )
  }
  wrong <- list(
    list(method = "hyperbolic"), list(backend = "abacus"),
    list(threads = 0), list(device = -1), list(memory_limit = 7), list(progress = 3),
    list(method = gpu_metric("seuclidean", scale = 1:3)),
    list(method = gpu_metric("mahalanobis", cov = diag(3))),
    list(method = gpu_metric("gower", column_weights = 1)), list(scale = 1:4),
    list(method = function(x, y) 1, p = 3), list(method = function(x, y) 1, threads = 0),
    list(method = "great-circle"), list(method = "seuclidean", x = cbind(x, 1))
  )
  for (arguments in wrong) {
    arguments <- c(arguments, if (is.null(arguments$x)) list(x = x))
    one <- do.call(message_of, c(arguments, k = 1))
    expect_false(one == "no error")
    expect_identical(one, do.call(message_of, c(arguments, k = 2)))
  }
  itself <- list(index = matrix(1:10), distance = matrix(0, 10, 1))
  sparse <- Matrix::Matrix(round(x), sparse = TRUE)
  for (points in list(x, sparse)) {
    expect_identical(gpu_knn(points, 1, include_self = TRUE)[1:2], itself)
    manhattan <- function(x, y) sum(abs(x - y))
    expect_identical(gpu_knn(points, 1, include_self = TRUE, method = manhattan)[1:2], itself)
  }
  one_point <- gpu_knn(x[1, , drop = FALSE], 1, include_self = TRUE)
  expect_identical(one_point[1:2], list(index = matrix(1L), distance = matrix(0)))
})

# The neighbours in a matrix of distances, by sorting its columns.
sorted_neighbors <- function(m) {
  lapply(seq_len(nrow(m)), function(i) {
    others <- setdiff(order(m[, i]), i) # missing ones last
    list(index = others, distance = unname(m[others, i]))
  })
}

test_that("neighbours are found in distances", {
  x <- as.matrix(iris[, 1:4]) # with ties
  d <- gpu_dist(x)
  expect_identical(gpu_knn(d, 3)$index[1, ], c(18L, 5L, 40L))
  expect_identical(gpu_knn(d, 7), gpu_knn(x, 7))
  expect_identical(gpu_knn(d, 7, include_self = TRUE), gpu_knn(x, 7, include_self = TRUE))
  expect_identical(gpu_knn(d, 1, include_self = TRUE), gpu_knn(x, 1, include_self = TRUE))
  expect_identical(gpu_knn(d, 149), gpu_knn(x, 149))
  expect_identical(gpu_radius(d, 0.3), gpu_radius(x, 0.3))
  for (weights in list(NULL, "jaccard", identity)) {
    expect_identical(
      gpu_neighbor_graph(d, 4, weights = weights), gpu_neighbor_graph(x, 4, weights = weights)
    )
  }
  expect_identical(gpu_neighbor_graph(d, radius = 0.3), gpu_neighbor_graph(x, radius = 0.3))
  expect_identical(gpu_info()$last$backend, "cpu")
  named <- gpu_dist(USArrests)
  expect_identical(gpu_knn(named, 2), gpu_knn(USArrests, 2))
  expect_identical(gpu_radius(named, 20), gpu_radius(USArrests, 20))

  set.seed(8)
  m <- matrix(0, 30, 30)
  m[lower.tri(m)] <- sample(c(0:9, NA), 435, TRUE)
  m <- m + t(m)
  expected <- sorted_neighbors(m)
  found <- gpu_knn(as.dist(m), 20)
  near <- gpu_radius(as.dist(m), 4)
  for (i in 1:30) {
    expect_equal(found$index[i, ], expected[[i]]$index[1:20])
    expect_equal(found$distance[i, ], expected[[i]]$distance[1:20])
  }
  within <- lapply(expected, function(e) e$index[which(e$distance <= 4)])
  expect_equal(near$count, lengths(within))
  expect_equal(near$index, unlist(within))
  expect_identical(gpu_radius(dist(1), 1), gpu_radius(1, 1))
})

test_that("neighbours are found in a file of distances", {
  skip_if(!nzchar(gpu_hdf5_version()))
  x <- as.matrix(iris[, 1:4])
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  d <- gpu_dist(x, "manhattan", file = file)
  expect_identical(gpu_knn(d, 3), gpu_knn(x, 3, method = "manhattan"))
  expect_identical(gpu_radius(d, 0.4), gpu_radius(x, 0.4, method = "manhattan"))
})

test_that("what belongs to points is refused with distances", {
  d <- dist(1:5)
  fails <- function(code, message) expect_error(code, message, class = "gpugeo_error")
  fails(gpu_knn(d, 5), "k must be between 1 and 4 \\(the other points\\), not 5")
  fails(gpu_knn(d, 0), "k must be between 1 and 4 \\(the other points\\), not 0")
  fails(gpu_knn(d, 1.5), "k must be a whole number, not 1.5")
  fails(gpu_knn(dist(1), 1), "x must have at least 2 points for there to be a neighbour, not 1")
  fails(gpu_radius(d, -1), "radius must be a number of at least 0, not -1")
  fails(gpu_knn(d, 2, query = matrix(1)), "query must be given with points, not with distances")
  fails(gpu_knn(d, 2, method = "cosine"), "method must be given with points, not with distances")
  fails(gpu_radius(d, 2, scale = 1), "^scale is a parameter of a metric: method = gpu_metric")
  fails(gpu_neighbor_graph(d, 2, metric = "cosine"), "metric must be given with points")
  fails(gpu_neighbor_graph(d, 2, asay = 1), "unused argument asay")
  fails(gpu_knn(d, 2, threads = 0), "threads must be")
})

# Weights of neighbour graphs against bluster and uwot, and by hand.
cells <- function(n = 150, m = 4) {
  set.seed(12)
  x <- matrix(rnorm(n * m), n, m)
  x[1:20, ] <- x[21:40, ] # points at the same location
  x
}

test_that("shared neighbours have the weights of bluster", {
  skip_if_not_installed("bluster")
  x <- cells()
  for (k in c(1, 5, 12)) {
    nearest <- gpu_knn(x, k)
    for (type in c("rank", "number", "jaccard")) {
      expected <- bluster::neighborsToSNNGraph(nearest$index, type = type)
      expected <- igraph::as_adjacency_matrix(expected, attr = "weight", sparse = FALSE)
      ours <- gpu_neighbor_graph(x, k = k, weights = type, as = "sparse")
      expect_equal(unname(as.matrix(ours)), unname(expected))
      edges <- gpu_neighbor_graph(x, k = k, weights = type)
      expect_identical(names(edges), c("from", "to", "weight"))
      expect_true(all(edges$from < edges$to))
      expect_false(is.unsorted(order(edges$from, edges$to)))
      expect_identical(sum(edges$weight), sum(ours) / 2)
    }
  }
})

test_that("shared neighbours are counted by hand", {
  # On a line at 0, 1, 3, 7 with k = 1: the members are {1, 2}, {2, 1}, {3, 2}, {4, 3}.
  x <- c(0, 1, 3, 7)
  edges <- function(weights) unclass(gpu_neighbor_graph(x, k = 1, weights = weights))
  number <- edges("number")
  expect_identical(number$from, c(1L, 1L, 2L, 3L))
  expect_identical(number$to, c(2L, 3L, 3L, 4L))
  expect_identical(number$weight, c(2, 1, 1, 1))
  expect_identical(edges("jaccard")$weight, c(1, 1 / 3, 1 / 3, 1 / 3))
  # Smallest sums of ranks 1, 2, 1 and 1.
  expect_identical(edges("rank")$weight, c(0.5, 1e-6, 0.5, 0.5))
  # The row without values has no neighbour and is nobody's.
  gap <- suppressWarnings(gpu_neighbor_graph(
    cbind(c(0, 1, NA), c(0, 1, NA)),
    k = 2, weights = "number", method = "sqeuclidean"
  ))
  expect_identical(unclass(gap)[1:3], list(from = 1L, to = 2L, weight = 2))
})

test_that("fuzzy weights are those of UMAP", {
  skip_if_not_installed("uwot")
  x <- cells()
  for (k in c(4, 14)) {
    nearest <- gpu_knn(x, k + 1, include_self = TRUE)
    expected <- uwot::similarity_graph(
      nn_method = list(idx = nearest$index, dist = nearest$distance), n_threads = 1
    )
    ours <- gpu_neighbor_graph(x, k = k, weights = "fuzzy", as = "sparse")
    expect_lt(max(abs(ours - expected)), 2e-5) # uwot ends its iterations at 1e-5
  }
})

# The weights of the neighbours of each point, by uniroot().
fuzzy_reference <- function(distance) {
  t(apply(distance, 1, function(d) {
    beyond <- pmax(d - min(d[d > 0]), 0)
    excess <- function(log_scale) sum(exp(-beyond / exp(log_scale))) - log2(length(d) + 1)
    exp(-beyond / exp(uniroot(excess, c(-30, 30), tol = 1e-15)$root))
  }))
}

test_that("fuzzy weights have the sums that define them", {
  x <- cells(60)[41:60, ]
  nearest <- gpu_knn(x, 7)
  weights <- fuzzy_reference(nearest$distance)
  expect_equal(rowSums(weights), rep(log2(8), 20), tolerance = 1e-12)
  one <- matrix(0, 20, 20)
  one[cbind(c(row(nearest$index)), c(nearest$index))] <- weights
  both <- one + t(one) - one * t(one)
  edges <- gpu_neighbor_graph(x, k = 7, weights = "fuzzy")
  expect_equal(edges$weight, both[cbind(edges$from, edges$to)], tolerance = 1e-12)
  expect_identical(nrow(edges), sum(one > 0 | t(one) > 0) %/% 2L)
  mutual <- gpu_neighbor_graph(x, k = 7, weights = "fuzzy", join = "mutual")
  expect_equal(mutual$weight, both[cbind(mutual$from, mutual$to)], tolerance = 1e-12)
  expect_identical(nrow(mutual), sum(one > 0 & t(one) > 0) %/% 2L)
  plain <- gpu_neighbor_graph(x, k = 7, weights = identity)
  expect_identical(edges[c("from", "to")], plain[c("from", "to")], ignore_attr = TRUE)
  skip_if_not_installed("igraph")
  graph <- gpu_neighbor_graph(x, k = 7, weights = "fuzzy", as = "igraph")
  expect_identical(igraph::E(graph)$distance, plain$weight)
})

test_that("wrong weights are errors", {
  message_of <- function(...) {
    conditionMessage(tryCatch(gpu_neighbor_graph(1:9, ...), gpugeo_error = identity))
  }
  expect_identical(message_of(k = 2, weights = "cosine"), paste(
    "weights must be a function of the distances, \"rank\", \"number\", \"jaccard\", \"fuzzy\" or",
    "NULL, not \"cosine\""
  ))
  expect_identical(
    message_of(radius = 2, weights = "rank"), "weights \"rank\" must be given with k"
  )
})

# Floyd and Warshall's algorithm; exact for lengths whose sums are.
floyd <- function(edges, n, lengths = rep(1, nrow(edges))) {
  d <- matrix(Inf, n, n)
  for (e in seq_len(nrow(edges))) {
    i <- edges[e, 1L]
    j <- edges[e, 2L]
    d[i, j] <- d[j, i] <- min(d[i, j], lengths[e])
  }
  diag(d) <- 0
  for (k in seq_len(n)) {
    d <- pmin(d, outer(d[, k], d[k, ], "+"))
  }
  d
}

test_that("distances are those of Floyd and Warshall's algorithm", {
  set.seed(1)
  for (i in 1:20) {
    n <- 5 + 3 * i
    edges <- matrix(sample.int(n, 4 * n, replace = TRUE), ncol = 2)
    edges[1, ] <- n
    lengths <- sample.int(1000, nrow(edges), replace = TRUE) / 64
    expect_identical(gpu_graph_distances(edges), floyd(edges, n))
    expect_identical(gpu_graph_distances(edges, lengths = lengths), floyd(edges, n, lengths))
    from <- sample.int(n, 4)
    expect_identical(
      gpu_graph_distances(edges, from, lengths, threads = 1), floyd(edges, n, lengths)[from, ]
    )
    expect_identical(
      gpu_graph_distances(edges, from, lengths, threads = 3), floyd(edges, n, lengths)[from, ]
    )
  }
  expect_identical(gpu_info()$last$`function`, "gpu_graph_distances")
  expect_identical(gpu_info()$last$backend, "cpu")
})

test_that("all forms of a graph have the same distances", {
  edges <- cbind(c(1, 2, 3, 1), c(2, 3, 4, 3))
  weights <- c(2, 3, 0.5, 9)
  hops <- floyd(edges, 4)
  long <- floyd(edges, 4, weights)
  dense <- matrix(0, 4, 4)
  dense[edges] <- weights
  dense <- dense + t(dense)
  expect_identical(gpu_graph_distances(cbind(edges, weights)), hops)
  expect_identical(gpu_graph_distances(cbind(edges, weights), lengths = "weights"), long)
  expect_identical(gpu_graph_distances(dense), hops)
  expect_identical(gpu_graph_distances(dense, lengths = "weights"), long)
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(dense, sparse = TRUE)
  expect_identical(gpu_graph_distances(sparse, lengths = "weights"), long)
  names <- c("a", "b", "c", "d")
  named <- data.frame(from = names[edges[, 1]], to = names[edges[, 2]], weight = weights)
  d <- gpu_graph_distances(named, c("d", "b"), lengths = "weights")
  expect_identical(d, structure(long[c(4, 2), ], dimnames = list(c("d", "b"), names)))
  expect_identical(rownames(gpu_graph_distances(named)), names)
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(paste(edges[, 1] - 1, edges[, 2] - 1), file)
  expect_identical(
    gpu_graph_distances(file, 4), structure(hops[4, , drop = FALSE], dimnames = list("3", 0:3))
  )
  expect_identical(gpu_graph_distances(file, "3"), gpu_graph_distances(file, 4))
  x <- matrix(c(0, 1, 3, 7, 15, 31), 6)
  graph <- gpu_neighbor_graph(x, 1, as = "sparse")
  expect_identical(
    unname(gpu_graph_distances(graph, 1, lengths = "weights")), matrix(c(0, 1, 3, 7, 15, 31), 1)
  )
})

test_that("distances are igraph's", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_graph("Zachary")
  expect_identical(gpu_graph_distances(graph), igraph::distances(graph))
  igraph::E(graph)$weight <- seq_len(igraph::ecount(graph)) / 8
  igraph::V(graph)$name <- paste0("v", seq_len(igraph::vcount(graph)))
  expect_identical(
    gpu_graph_distances(graph, c("v3", "v1"), lengths = "weights"),
    igraph::distances(graph, c("v3", "v1"))
  )
})

test_that("graphs without edges or vertices have distances", {
  expect_identical(gpu_graph_distances(matrix(0, 0, 2)), matrix(0, 0, 0))
  expect_identical(gpu_graph_distances(cbind(1, 1)), matrix(0, 1, 1))
  expect_identical(gpu_graph_distances(cbind(1, 1), lengths = 5), matrix(0, 1, 1))
  expect_identical(gpu_graph_distances(cbind(3, 3), 2), matrix(c(Inf, 0, Inf), 1))
  expect_identical(gpu_graph_distances(cbind(1, 2), integer()), matrix(0, 0, 2))
})

test_that("wrong arguments are refused", {
  fails <- function(message, ...) {
    expect_error(gpu_graph_distances(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  edge <- cbind(1, 2)
  named <- data.frame(from = "a", to = "b")
  fails("from must be whole numbers between 1 and 2 (the vertices), not 3", edge, c(1, 3))
  fails("from must be whole numbers between 1 and 2 (the vertices), not 0", edge, 0)
  fails("from must be whole numbers between 1 and 2 (the vertices), not NA", edge, NA_real_)
  fails("from must be numbers or names of vertices, not \"z\"", named, c("a", "z"))
  fails("from must be numbers of vertices, not \"a\"", edge, "a")
  fails("lengths must have a value for each of the 1 edges, not 2 values", edge, 1, 1:2)
  fails("edge 1 (1, 2): length must be positive and finite, not 0", edge, 1, 0)
  fails("edge 1 (a, b): length must be positive and finite, not -1", named, 1, -1)
  fails("edge 1 (1, 2): length must be positive and finite, not NA", edge, 1, NA_real_)
  fails("edge 1 (1, 2): length must be positive and finite, not Inf", edge, 1, Inf)
  fails("lengths must be numbers, not \"weights\": the graph has no weights", edge, 1, "weights")
  fails("lengths must be numbers, not \"long\"", edge, 1, "long")
  fails("lengths are for lists of edges", matrix(1, 4, 4), 1, 1)
})

test_that("a GPU gives the same bits", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  set.seed(5)
  graph <- cbind(sample(300, 900, TRUE), sample(300, 900, TRUE))
  for (lengths in list(NULL, runif(900))) {
    both <- lapply(c("cpu", "cuda"), function(backend) {
      got <- gpu_graph_distances(graph, lengths = lengths, backend = backend)
      expect_identical(gpu_info()$last$backend, backend)
      got
    })
    expect_identical(both[[1]], both[[2]])
  }
})

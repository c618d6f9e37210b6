# The tree of all distances by Kruskal's algorithm.
expected_tree <- function(d) {
  n <- attr(d, "Size")
  pairs <- which(lower.tri(matrix(0, n, n)), arr.ind = TRUE)
  edges <- data.frame(i = unname(pairs[, 2]), j = unname(pairs[, 1]), distance = c(d))
  edges <- edges[order(edges$distance, edges$i, edges$j), ]
  label <- seq_len(n)
  kept <- logical(nrow(edges))
  for (e in seq_len(nrow(edges))) {
    ends <- label[c(edges$i[e], edges$j[e])]
    kept[e] <- ends[1] != ends[2]
    label[label == ends[2]] <- ends[1]
  }
  tree <- edges[kept, ]
  structure(
    tree, row.names = seq_len(nrow(tree)), vertices = n, first = 1L,
    class = c("gpu_edges", "data.frame")
  )
}

test_that("the tree is that of all distances, from points, a dist and a file", {
  set.seed(1)
  jobs <- list(
    list(120, 2, "euclidean"), list(90, 3, "manhattan"), list(80, 30, "canberra"),
    list(70, 4, "pearson"), list(60, 5, "hamming")
  )
  for (job in jobs) {
    x <- matrix(sample(1:30, job[[1]] * job[[2]], TRUE), job[[1]])
    d <- gpu_dist(x, job[[3]])
    expected <- expected_tree(d)
    for (threads in c(1, 3)) {
      expect_identical(gpu_mst(x, job[[3]], threads = threads), expected)
      expect_identical(gpu_mst(d, threads = threads), expected)
    }
    expect_identical(gpu_mst(x, metric = job[[3]]), expected)
    skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
    file <- tempfile(fileext = ".h5")
    expect_identical(gpu_mst(gpu_dist(x, job[[3]], file = file)), expected)
    unlink(file)
  }
})

test_that("heights of single linkage are the distances of the tree", {
  d <- stats::dist(quakes[1:300, 1:3])
  expect_identical(gpu_mst(d)$distance, stats::hclust(d, "single")$height)
})

test_that("igraph finds a tree of the same distances", {
  skip_if_not_installed("igraph")
  x <- as.matrix(USArrests)
  tree <- gpu_mst(x, as = "igraph")
  expect_true(igraph::is_tree(tree))
  expect_identical(igraph::V(tree)$name, rownames(x))
  all <- igraph::graph_from_adjacency_matrix(
    as.matrix(gpu_dist(x)), "undirected",
    weighted = TRUE
  )
  expect_equal(sum(igraph::E(tree)$distance), sum(igraph::E(igraph::mst(all))$weight))
  named <- igraph::as_data_frame(gpu_mst(stats::dist(x), as = "igraph"))
  expect_identical(named$from, rownames(x)[gpu_mst(x)$i])
})

test_that("the tree is a graph for gpu_layout()", {
  tree <- gpu_mst(as.matrix(iris[, 1:4]))
  expect_identical(dim(gpu_layout(tree, seed = 1)), c(150L, 2L))
})

test_that("points are taken in all forms", {
  x <- round(quakes[1:60, 1:3], 1)
  expected <- gpu_mst(as.matrix(x))
  expect_identical(gpu_mst(x), expected)
  expect_identical(gpu_mst(Matrix::Matrix(as.matrix(x), sparse = TRUE)), expected)
  expect_identical(gpu_mst(x, function(a, b) sum(abs(a - b))), gpu_mst(x, "manhattan"))
  expect_identical(gpu_mst(x, gpu_metric("minkowski", p = 1)), gpu_mst(x, "manhattan"))
  expect_identical(gpu_info()$last$`function`, "gpu_mst")
  mixed <- data.frame(a = c(1, 5, 2), b = factor(c("u", "v", "u")))
  expect_identical(gpu_mst(mixed, "gower")$j, c(3L, 3L))
})

test_that("a device gives the same trees", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  for (columns in list(1:2, 1:5)) {
    x <- as.matrix(quakes)[, columns]
    for (metric in c("euclidean", "manhattan", "canberra")) {
      cuda <- gpu_mst(x, metric, backend = "cuda")
      expect_identical(gpu_info()$last$backend, "cuda")
      expect_identical(cuda, gpu_mst(x, metric, backend = "cpu"))
    }
  }
  expect_identical(
    gpu_mst(dist(x), backend = "cuda"), gpu_mst(dist(x), backend = "cpu")
  )
})

test_that("fewer than two points have no edges", {
  none <- structure(
    data.frame(i = integer(), j = integer(), distance = numeric()),
    vertices = 1L, first = 1L, class = c("gpu_edges", "data.frame")
  )
  expect_identical(gpu_mst(matrix(1:2, 1)), none)
  expect_identical(nrow(gpu_mst(matrix(0, 0, 3))), 0L)
  expect_identical(gpu_mst(stats::dist(1)), none)
})

test_that("missing distances are counted", {
  x <- cbind(c(1, NA, 3, NA), c(NA, 2, 4, 5))
  message <- paste(
    "x must have a distance between any two points, but 2 are missing;",
    "the first is between points 1 and 2"
  )
  expect_error(gpu_mst(x), message, fixed = TRUE, class = "gpugeo_error")
  expect_error(gpu_mst(gpu_dist(x)), message, fixed = TRUE, class = "gpugeo_error")
})

test_that("bad arguments are errors", {
  x <- matrix(1:6, 3)
  expect_error(gpu_mst("a"), "x must be a numeric matrix, not text", fixed = TRUE)
  expect_error(gpu_mst(x, as = "tree"), 'as must be one of "edges", "igraph", not "tree"')
  expect_error(gpu_mst(x, "hyperbolic"), "method must be one of ")
  expect_error(gpu_mst(x, k = 3), "k")
  expect_error(gpu_mst(stats::dist(x), assay = 1), "assay")
  expect_error(
    gpu_mst(stats::dist(x), "manhattan"), "method must be given with points, not with distances",
    fixed = TRUE
  )
  wrong <- structure(1:2, Size = 3L, class = "dist")
  expect_error(
    gpu_mst(wrong), 'x must be an object of class "dist" with n (n - 1) / 2 distances',
    fixed = TRUE
  )
})

test_that("clusters of metric binary warn of infinite values, as distances do", {
  x <- cbind(c(1, 0, 1, Inf, 0), c(0, 1, 1, 1, 1), c(1, 1, 0, 1, 0))
  d <- suppressWarnings(stats::dist(x, "binary"))
  warns <- function(code) {
    expect_warning(result <- code, "treating non-finite values as NA", fixed = TRUE)
    result
  }
  expect_equal(
    warns(gpu_mst(x, method = "binary")), gpu_mst(d),
    ignore_attr = TRUE
  )
  found <- warns(gpu_dbscan(x, 0.6, 2, method = "binary"))
  expect_equal(found$cluster, gpu_dbscan(d, 0.6, 2)$cluster)
  found <- warns(gpu_hdbscan(x, 2, method = "binary"))
  expect_equal(found$cluster, gpu_hdbscan(d, 2)$cluster)
})

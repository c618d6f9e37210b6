# Hierarchical clustering compared with stats::hclust() and fastcluster.
linkages <- c(
  "single", "complete", "average", "mcquitty", "ward.D", "ward.D2", "centroid", "median"
)

# What differs between two trees, but for their calls.
expect_same_tree <- function(actual, expected, info) {
  parts <- c("merge", "order", "labels", "method", "dist.method")
  expect_same(names(actual), names(expected), info)
  expect_same(unclass(actual)[parts], unclass(expected)[parts], info)
  expect_lte(max(abs(actual$height - expected$height) / abs(expected$height)), 1e-12)
}

points_of_size <- function(n, m = 3) {
  set.seed(n)
  matrix(rnorm(n * m), n, dimnames = list(paste0("p", seq_len(n)), NULL))
}

test_that("trees are those of stats::hclust()", {
  for (n in c(2, 3, 10, 77, 300)) {
    x <- points_of_size(n)
    d <- dist(x)
    members <- as.integer(1 + seq_len(n) %% 3)
    for (linkage in linkages) {
      info <- paste(linkage, n)
      expect_same_tree(gpu_hclust(d, linkage), hclust(d, linkage), info)
      expect_same_tree(
        gpu_hclust(d, linkage, members), hclust(d, linkage, members), paste(info, "members")
      )
    }
    for (linkage in c("single", "complete")) {
      expect_identical(gpu_hclust(d, linkage)$height, hclust(d, linkage)$height)
    }
  }
})

test_that("with ties, complete linkage is that of stats::hclust()", {
  for (seed in 1:20) {
    set.seed(seed)
    d <- dist(matrix(sample(0:3, 300, TRUE), 100), "manhattan")
    for (linkage in c("complete", "mcquitty")) {
      tree <- gpu_hclust(d, linkage)
      expect_same(tree$merge, hclust(d, linkage)$merge, linkage)
      expect_same(tree$height, hclust(d, linkage)$height, linkage)
    }
    expect_same(gpu_hclust(d, "single")$height, hclust(d, "single")$height)
  }
})

test_that("points, distances and files of the same values give the same bits", {
  x <- points_of_size(60, 4)
  for (metric in c("euclidean", "manhattan", "pearson")) {
    d <- gpu_dist(x, metric)
    for (linkage in linkages) {
      tree <- gpu_hclust(d, linkage, threads = 1)
      from_points <- gpu_hclust(x, linkage, metric = metric, threads = 2)
      expect_identical(tree[names(tree) != "call"], from_points[names(tree) != "call"])
    }
  }
  expect_identical(
    gpu_hclust(x, "average", metric = gpu_metric("minkowski", p = 3))$height,
    gpu_hclust(gpu_dist(x, "minkowski", p = 3), "average")$height
  )
  city <- function(a, b) sum(abs(a - b))
  expect_equal(
    gpu_hclust(x, "average", metric = city)$height,
    gpu_hclust(dist(x, "manhattan"), "average")$height
  )
  expect_identical(gpu_hclust(x, metric = city)$dist.method, "city")
  expect_identical(gpu_hclust(iris[1:20, ], "average", metric = "gower")$dist.method, "gower")
})

test_that("a file of distances is clustered", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  x <- points_of_size(50)
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- gpu_dist(x, "manhattan", file = file)
  for (linkage in linkages) {
    expect_same_tree(
      gpu_hclust(stored, linkage), gpu_hclust(gpu_dist(x, "manhattan"), linkage), linkage
    )
  }
})

test_that("trees of fastcluster are the same", {
  skip_if_not_installed("fastcluster")
  d <- dist(points_of_size(500))
  for (linkage in linkages) {
    expect_same_tree(gpu_hclust(d, linkage), fastcluster::hclust(d, linkage), linkage)
  }
})

test_that("what takes an object of class hclust takes these", {
  x <- points_of_size(30)
  d <- dist(x)
  tree <- gpu_hclust(d, "average")
  theirs <- hclust(d, "average")
  expect_identical(cutree(tree, 2:7), cutree(theirs, 2:7))
  expect_equal(as.dendrogram(tree), as.dendrogram(theirs))
  expect_equal(as.matrix(cophenetic(tree)), as.matrix(cophenetic(theirs)))
  expect_output(print(tree), "Cluster method   : average")
  expect_identical(eval(tree$call)$merge, tree$merge)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(tree)
  expect_identical(rect.hclust(tree, 4), rect.hclust(theirs, 4))
  ours <- heatmap(x, hclustfun = gpu_hclust, distfun = gpu_dist)
  expect_identical(ours, heatmap(x))
})

test_that("dendextend takes them", {
  skip_if_not_installed("dendextend")
  d <- dist(points_of_size(30))
  tree <- as.dendrogram(gpu_hclust(d, "average"))
  theirs <- as.dendrogram(hclust(d, "average"))
  expect_equal(dendextend::cor_cophenetic(tree, theirs), 1)
  expect_equal(dendextend::entanglement(tree, theirs), 0)
})

test_that("cophenetic distances have the bits of stats::cophenetic()", {
  for (n in c(2, 3, 50, 200)) {
    x <- points_of_size(n)
    for (linkage in linkages) {
      theirs <- hclust(dist(x), linkage)
      expected <- cophenetic(theirs)
      for (threads in 1:3) {
        actual <- gpu_cophenetic(theirs, threads = threads)
        expect_same(as.vector(actual), as.vector(expected), paste(n, linkage))
        expect_same(as.matrix(actual), as.matrix(expected))
      }
    }
  }
})

test_that("cophenetic distances take what as.hclust() converts", {
  skip_if_not_installed("cluster")
  x <- points_of_size(40)
  tree <- cluster::agnes(x)
  expect_false(inherits(tree, "hclust"))
  expected <- cophenetic(as.hclust(tree))
  expect_identical(as.vector(gpu_cophenetic(tree)), as.vector(expected))
  expect_identical(labels(gpu_cophenetic(tree)), labels(expected))
})

test_that("wrong arguments are errors", {
  d <- dist(c(1, 2, 4))
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  fail(gpu_hclust(d, "wards"), paste0(
    "method must be one of \"single\", \"complete\", \"average\", \"mcquitty\", \"ward.D\", ",
    "\"ward.D2\", \"centroid\", \"median\", not \"wards\""
  ))
  fail(gpu_hclust(d, 3), "method must be a single string, not 3")
  fail(gpu_hclust(dist(1)), "d must have 2 to 1073741824 points to cluster, not 1")
  fail(gpu_hclust(matrix(0, 0, 2)), "d must have 2 to 1073741824 points to cluster, not 0")
  fail(gpu_hclust("a"), "d must be a numeric matrix, not text")
  fail(gpu_hclust(1:3, metric = "none"), "metric must be one of")
  fail(gpu_hclust(1:3, scale = 1), "scale is a parameter of a metric: metric = gpu_metric(")
  fail(gpu_hclust(1:3, metric = "cosine", backend = "none"), "backend must be one of")
  fail(gpu_hclust(d, "average", 1:2), "members must have a value for each of the 3 points, not 2")
  fail(gpu_hclust(d, "average", c(1, NA, 1)), "members must be positive and finite, but value 2")
  fail(gpu_hclust(d, unknown = 1), "unused argument unknown")
  fail(gpu_hclust(d, metric = "cosine"), "metric must be given with points, not with distances")
  fail(gpu_hclust(d, p = 3), "p is a parameter of a metric: metric = gpu_metric(\"minkowski\", p")
  minkowski <- gpu_metric("minkowski", p = 3)
  fail(gpu_hclust(d, metric = minkowski), "metric must be given with points, not with distances")
  fail(
    gpu_hclust(dist(c(1, NA, 4, Inf))),
    "d must have finite distances only, but 5 of them are not; the first is missing, between points"
  )
  fail(
    gpu_hclust(structure(1:4, Size = 3, class = "dist")),
    "d must be an object of class \"dist\" with n (n - 1) / 2 distances"
  )
  tree <- hclust(d)
  tree$merge[2, ] <- c(-1L, 1L)
  fail(gpu_cophenetic(tree), "merge must have each point and each earlier merge once, but row 2")
  fail(gpu_hclust(dist(1:500), memory_limit = 2^20), "memory_limit must be at least")
})

test_that("a tree that is none has no cophenetic distances", {
  tree <- hclust(dist(c(1, 2, 4, 8)))
  fail <- function(merge, height, message) {
    tree$merge <- merge
    tree$height <- height
    expect_error(gpu_cophenetic(tree), message, fixed = TRUE, class = "gpugeo_error")
  }
  merge <- tree$merge
  count <- "height must have a value for each of the 3 merges, not"
  fail(merge, tree$height[1:2], paste(count, "2 values"))
  fail(merge, c(tree$height, 9), paste(count, "4 values"))
  fail(merge, numeric(), paste(count, "0 values"))
  fail(merge, NULL, paste(count, "0 values"))
  fail(merge, letters[1:3], "height must be a numeric matrix, not text")
  shape <- "merge must be a matrix of two columns with a row for each merge, not"
  fail(as.vector(merge), tree$height, shape)
  fail(t(merge), tree$height, paste(shape, "a 2 x 3 matrix"))
  fail(cbind(merge, 1L), tree$height, paste(shape, "a 3 x 3 matrix"))
  fail(merge[0, ], numeric(), paste(shape, "integer(0)"))
  fail(NULL, tree$height, paste(shape, "NULL"))
  fail(matrix("a", 3, 2), tree$height, paste(shape, "a 3 x 2 matrix"))
  once <- "merge must have each point and each earlier merge once, but row 2 does not"
  for (wrong in list(0, NA, 1.5, -5, 4, 2^31, -2^31, Inf)) {
    other <- merge
    other[2, 1] <- wrong
    fail(other, tree$height, once)
  }
  expected <- as.vector(cophenetic(tree))
  storage.mode(tree$merge) <- "double" # whole numbers
  expect_identical(as.vector(gpu_cophenetic(tree)), expected)
})

test_that("sparse vectors are refused where values are read one by one", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::sparseMatrix(1, 1, x = 1, dims = c(3, 1))
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  d <- dist(c(1, 2, 4, 8))
  fail(gpu_hclust(d, members = sparse), "members must be a numeric matrix, not a sparse matrix")
  tree <- hclust(d)
  tree$height <- sparse
  fail(gpu_cophenetic(tree), "height must be a numeric matrix, not a sparse matrix")
})

test_that("cophenetic distances need memory for each thread", {
  n <- 40000 # 38 bytes for each on one thread
  tree <- structure(
    list(
      merge = cbind(c(-1, seq_len(n - 2)), -seq_len(n)[-1]), height = seq_len(n - 1),
      order = seq_len(n)
    ),
    class = "hclust"
  )
  expect_error(
    gpu_cophenetic(tree, memory_limit = 2^20),
    paste(
      "memory_limit must be at least 1520000 bytes for cophenetic distances of 40000 points, not",
      "1048576"
    ),
    fixed = TRUE, class = "gpugeo_error"
  )
  tree <- hclust(dist(points_of_size(50)))
  expect_identical(
    as.vector(gpu_cophenetic(tree, memory_limit = 2^20)), as.vector(cophenetic(tree))
  )
})

test_that("a device gives the same trees", {
  expect_error(
    gpu_hclust(dist(1:3), "centroid", backend = "cuda"),
    "backend must be \"auto\" or \"cpu\" for the method \"centroid\", not \"cuda\"",
    fixed = TRUE, class = "gpugeo_error"
  )
  skip_if_not("cuda" %in% backends, "no CUDA device")
  for (n in c(2, 3, 60, 900)) {
    x <- points_of_size(n)
    d <- dist(x)
    for (linkage in setdiff(linkages, c("centroid", "median"))) {
      for (input in list(x, d)) {
        cpu <- gpu_hclust(input, linkage, backend = "cpu")
        cuda <- gpu_hclust(input, linkage, backend = "cuda")
        expect_identical(gpu_info()$last$backend, "cuda")
        parts <- c("merge", "height", "order", "labels")
        expect_identical(unclass(cuda)[parts], unclass(cpu)[parts], info = paste(linkage, n))
      }
    }
  }
  x[5, 1] <- NA
  x[5, 2:3] <- NA
  expect_error(
    gpu_hclust(x, backend = "cuda"),
    "d must have finite distances only, but 899 of them are not; the first is missing, between",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("the beginning of a linkage is enough, and ward is that of stats::hclust()", {
  d <- dist(points_of_size(20))
  expect_identical(gpu_hclust(d, "av")$method, "average")
  expect_identical(gpu_hclust(d)$method, "complete")
  expect_error(gpu_hclust(d, "m"), "method must be one of", class = "gpugeo_error")
  expect_identical(gpu_hclust(as.dist(as.matrix(d)))$height, gpu_hclust(d)$height)
  expect_identical(gpu_info()$last$backend, "cpu")
})

test_that("single linkage of points takes no matrix", {
  set.seed(1)
  x <- matrix(runif(2e5), 1e5) # the matrix would have 80 GB
  tree <- gpu_hclust(x, "single", metric = "manhattan")
  expect_identical(tree$height, gpu_mst(x, "manhattan")$distance)
  expect_identical(sort(tree$order), seq_len(1e5))
  expect_error(
    gpu_hclust(rbind(x[1:99, ], c(1, Inf), c(NA, NA)), "single"),
    paste(
      "d must have finite distances only, but 199 of them are not; the first is Inf, between",
      "points 1 and 100"
    ),
    fixed = TRUE
  )
  huge <- cbind(c(0, 1e154, -0.5e154)) # the tree is finite
  expect_error(
    gpu_hclust(huge, "single"), "1 of them is not; the first is Inf, between points 2 and 3",
    fixed = TRUE
  )
})

test_that("single linkage of few points needs little memory", {
  d <- dist(c(1, 2, 4, 8, 16, 32, 64, 128, 256, 512))
  expect_identical(
    gpu_hclust(d, "single", memory_limit = 2^20)$height, stats::hclust(d, "single")$height
  )
})

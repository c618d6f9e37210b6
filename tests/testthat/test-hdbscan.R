blobs <- function(seed, columns = 2) {
  set.seed(seed)
  x <- rbind(
    matrix(rnorm(60 * columns, sd = 0.3), 60), matrix(rnorm(60 * columns, 3, 0.3), 60),
    matrix(runif(50 * columns, -2, 5), 50)
  )
  x[sample(nrow(x)), , drop = FALSE]
}

# What package dbscan makes of a dendrogram.
condense <- function(hc, min_points) {
  tree <- dbscan:::computeStability(hc, min_points, compute_glosh = TRUE)
  dbscan:::extractUnsupervised(tree)
}

check_nodes <- function(got, expected) {
  expect_setequal(names(got), names(expected))
  for (node in names(got)) {
    expect_equal(got[[node]][1:6], expected[[node]][1:6], tolerance = 1e-10)
    score <- expected[[node]]$score # leaves have none
    expect_equal(got[[node]]$score, if (is.null(score)) got[[node]]$stability else score)
  }
}

# Compares the result of points with package dbscan's. Returns whether the condensed tree was, too:
# dbscan's of one node has no death.
compare_points <- function(x, min_points) {
  got <- gpu_hdbscan(x, min_points)
  expected <- dbscan::hdbscan(x, min_points)
  expect_equal(got$coredist, expected$coredist, tolerance = 1e-14)
  expect_equal(got$hc$height, expected$hc$height, tolerance = 1e-14)
  names <- c("method", "dist.method")
  expect_identical(got$hc[names], expected$hc[names])
  tree <- attr(got, "hdbscan")
  if (length(tree) == 1L) {
    return(FALSE)
  }
  expected <- condense(got$hc, min_points)
  check_nodes(tree, expected)
  names <- c("n", "cl_hierarchy", "cl_tracker", "minPts", "salient_clusters", "cluster")
  for (name in names) {
    expect_equal(attr(tree, name), attr(expected, name), ignore_attr = TRUE)
  }
  expect_equal(got$outlier_scores, attr(expected, "glosh"), tolerance = 1e-10)
  TRUE
}

test_that("the dendrogram and all that follows from it are those of package dbscan", {
  skip_if_not_installed("dbscan")
  compared <- 0
  for (seed in 1:4) {
    for (columns in c(1, 2, 5)) {
      x <- blobs(seed, columns)
      for (min_points in c(3, 5, 8, 30)) {
        compared <- compared + compare_points(x, min_points)
      }
    }
  }
  expect_gt(compared, 40)
})

test_that("clusters are those of package dbscan where no ties decide", {
  skip_if_not_installed("dbscan")
  for (seed in 1:4) {
    set.seed(seed)
    groups <- rep(1:4, each = 40)
    x <- cbind(c(0, 5, 0, 9)[groups], c(0, 0, 6, 9)[groups]) + rnorm(320, sd = 0.2)
    for (min_points in c(10, 20)) {
      got <- gpu_hdbscan(x, min_points)
      expected <- dbscan::hdbscan(x, min_points)
      same <- unique(cbind(got$cluster, expected$cluster)) # numbers may differ
      expect_equal(anyDuplicated(same[, 1]) + anyDuplicated(same[, 2]), 0)
      expect_identical(got$cluster == 0, expected$cluster == 0)
      expect_equal(got$membership_prob, expected$membership_prob, tolerance = 1e-10)
      scores <- expected$cluster_scores[same[order(same[, 1]), 2]]
      expect_equal(unname(got$cluster_scores), unname(scores[!is.na(scores)]), tolerance = 1e-10)
      expect_identical(names(got)[1:7], names(expected))
    }
  }
  expect_output(print(got), "HDBSCAN clustering for 160 objects")
  grDevices::pdf(NULL)
  expect_no_error(plot(got, show_flat = TRUE))
  grDevices::dev.off()
  expect_length(predict(got, x[1:3, ], data = x), 3)
})

test_that("the result is the same from all sources and on any number of threads", {
  x <- as.matrix(iris[, 1:4])
  expected <- gpu_hdbscan(x, 6)
  expected$hc$call <- NULL
  check <- function(got) {
    got$hc$call <- NULL
    expect_identical(got, expected)
  }
  check(gpu_hdbscan(x, 6, threads = 1))
  check(gpu_hdbscan(x, 6, threads = 3))
  check(gpu_hdbscan(gpu_dist(x), 6))
  check(gpu_hdbscan(iris[, 1:4], 6))
  by_function <- function(a, b) sqrt(sum((a - b)^2))
  expect_identical(gpu_hdbscan(x, 6, method = by_function)$cluster, expected$cluster)
  expect_identical(gpu_info()$last$`function`, "gpu_hdbscan")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  check(gpu_hdbscan(gpu_dist(x, file = file), 6))
  unlink(file)
})

test_that("labels, few and equal points", {
  x <- blobs(1)
  rownames(x) <- paste0("p", seq_len(nrow(x)))
  expect_identical(gpu_hdbscan(x, 5)$hc$labels, rownames(x))
  two <- gpu_hdbscan(c(1, 3), 2)
  expect_identical(two$cluster, c(0L, 0L))
  expect_equal(two$hc$height, 2)
  expect_identical(length(two$cluster_scores), 0L)
  equal <- gpu_hdbscan(matrix(1, 200, 2), 5)
  expect_identical(equal$cluster, integer(200))
  expect_identical(equal$outlier_scores, numeric(200))
  pairs <- gpu_hdbscan(rep(c(0, 1, 5, 6), each = 50), 5)
  expect_identical(pairs$cluster, rep(1:2, each = 100))
  expect_identical(pairs$membership_prob, rep(1, 200))
  expect_identical(pairs$outlier_scores, numeric(200))
  expect_equal(unname(pairs$cluster_scores), rep(100 * (1 / 1 - 1 / 4), 2))
  infinite <- gpu_hdbscan(c(1, 2, 3, Inf, 10, 11, 12), 2)
  expect_identical(infinite$cluster == 0, c(FALSE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE))
  expect_identical(infinite$outlier_scores[4], 1)
})

# True if two vectors number the same clusters; noise is noise in both.
same_partition <- function(a, b) {
  pairs <- unique(cbind(a, b))
  identical(a == 0, b == 0) && !anyDuplicated(pairs[, 1]) && !anyDuplicated(pairs[, 2])
}

test_that("rounded clouds have the clusters of the clouds", {
  for (seed in 1:5) {
    set.seed(seed)
    x <- rbind(matrix(rnorm(400), 200), matrix(rnorm(400, 9), 200))
    for (unit in c(0.1, 0.3)) {
      found <- gpu_hdbscan(round(unit * x, 1), 5)
      expect_true(same_partition(found$cluster, rep(1:2, each = 200)))
      expect_true(all(is.finite(found$cluster_scores) & found$cluster_scores > 0))
      expect_true(all(found$outlier_scores >= 0 & found$outlier_scores < 1))
    }
  }
})

test_that("the order of rows does not change the partition", {
  for (seed in 1:60) {
    set.seed(seed)
    n <- 40 + seed
    x <- if (seed %% 3) matrix(rnorm(2 * n), n) + 4 * (seq_len(n) %% 3) else matrix(runif(3 * n), n)
    order <- sample(n)
    for (min_points in c(3, 6)) {
      expect_true(same_partition(
        gpu_hdbscan(x[order, ], min_points)$cluster, gpu_hdbscan(x, min_points)$cluster[order]
      ))
    }
  }
})

test_that("clusters do not divide below cluster_selection_epsilon", {
  x <- c(1, 1.1, 1.2, 2, 2.1, 2.2, 9, 9.1, 9.2, 12, 12.1, 12.2)
  from <- function(epsilon) gpu_hdbscan(x, 3, cluster_selection_epsilon = epsilon)$cluster
  two <- rep(1:2, each = 6)
  four <- rep(1:4, each = 3)
  expect_true(same_partition(from(0), four))
  expect_true(same_partition(from(0.5), four)) # divided at 0.8 and 2.8
  expect_true(same_partition(from(1), rep(c(1, 2, 3), c(6, 3, 3))))
  expect_true(same_partition(from(3.5), two))
  expect_true(same_partition(from(100), two)) # never the root
  fails <- function(value, shown) {
    expect_error(
      from(value),
      sprintf("cluster_selection_epsilon must be a number of at least 0, not %s", shown),
      fixed = TRUE
    )
  }
  fails(-1, "-1")
  fails(NA, "NA")
  fails("a", '"a"')
})

test_that("a device gives the same clusters", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  for (columns in list(1:2, 1:5)) {
    for (points in c(2, 10, 40)) {
      x <- as.matrix(quakes)[, columns]
      found <- lapply(c("cpu", "cuda"), function(backend) {
        clusters <- gpu_hdbscan(x, points, backend = backend)
        expect_identical(gpu_info()$last$backend, backend)
        clusters
      })
      expect_identical(found[[2]], found[[1]])
    }
  }
})

test_that("bad arguments are errors", {
  x <- matrix(1:6, 3)
  expect_error(gpu_hdbscan(x), "minPts")
  fails <- function(code, message) expect_error(code, message, fixed = TRUE)
  fails(gpu_hdbscan(x, 1), "minPts must be a whole number of at least 2, not 1")
  fails(gpu_hdbscan(x, "a"), 'minPts must be a whole number of at least 2, not "a"')
  fails(gpu_hdbscan(x, 4), "minPts must be at most the number of points, 3, not 4")
  expect_error(gpu_hdbscan(x, 2, method = "hyperbolic"), "method must be one of ")
  fails(
    gpu_hdbscan(x, 2, "great-circle"),
    'method must not be "great-circle", which is for neighbours, DBSCAN, collisions and closest'
  )
  fails(
    gpu_hdbscan(c(1, NA, 2), 2),
    paste(
      "x must have a distance between any two points, but 2 are missing; the first is between",
      "points 1 and 2"
    )
  )
})

# Silhouettes compared with cluster::silhouette(), which adds up distances in the same order.
blobs_of <- function(n, m = 3) {
  set.seed(n)
  matrix(rnorm(n * m), n) + 3 * (seq_len(n) %% 3)
}

expect_bits_of_cluster <- function(x, codes, metric) {
  d <- gpu_dist(x, metric)
  expected <- cluster::silhouette(codes, d)
  results <- list(
    gpu_silhouette(d, codes), gpu_silhouette(x, codes, metric, threads = 1),
    gpu_silhouette(x, codes, metric, threads = 3, memory_limit = 2^20)
  )
  for (actual in results) {
    attr(actual, "call") <- attr(expected, "call")
    expect_same(actual, expected, paste(nrow(x), max(codes), metric))
  }
}

test_that("silhouettes have the bits of cluster::silhouette()", {
  skip_if_not_installed("cluster")
  for (n in c(4, 10, 65, 300)) {
    for (k in unique(c(2, 3, min(9, n - 1)))) {
      clusters <- rep_len(seq_len(k), n)
      expect_bits_of_cluster(blobs_of(n), clusters, "euclidean")
      expect_bits_of_cluster(blobs_of(n), 7L - 2L * clusters, "manhattan")
      expect_bits_of_cluster(blobs_of(n), as.double(clusters), "manhattan")
    }
  }
})

test_that("points alone, ties and one cluster are those of cluster::silhouette()", {
  skip_if_not_installed("cluster")
  d <- dist(c(1, 1, 2, 2, 3, 3, 9))
  for (clusters in list(c(1, 1, 2, 2, 3, 3, 4), c(1, 2, 1, 2, 1, 2, 1), c(1, 2, 3, 3, 3, 3, 3))) {
    expected <- cluster::silhouette(clusters, d)
    expect_same(as.vector(gpu_silhouette(d, clusters)), as.vector(expected))
  }
  expect_identical(gpu_silhouette(d, rep(1, 7)), NA)
  expect_identical(gpu_silhouette(d, 1:7), NA)
  expect_identical(gpu_silhouette(matrix(0, 0, 2), integer()), NA)
})

test_that("methods of package cluster take silhouettes", {
  skip_if_not_installed("cluster")
  x <- blobs_of(60)
  clusters <- stats::kmeans(x, x[1:3, ])
  widths <- gpu_silhouette(x, clusters)
  theirs <- cluster::silhouette(clusters$cluster, dist(x))
  expect_equal(
    summary(widths)$clus.avg.widths, summary(theirs)$clus.avg.widths, tolerance = 1e-12
  )
  expect_output(print(summary(widths)), "Silhouette of 60 units in 3 clusters")
  expect_equal(
    as.vector(cluster::sortSilhouette(widths)), as.vector(cluster::sortSilhouette(theirs))
  )
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(widths))
})

test_that("silhouettes are the same from all sources", {
  x <- blobs_of(120)
  clusters <- rep_len(1:4, 120)
  expected <- gpu_silhouette(x, clusters)
  expect_same(as.vector(gpu_silhouette(as.data.frame(x), clusters)), as.vector(expected))
  expect_same(as.vector(gpu_silhouette(x, factor(clusters))), as.vector(expected))
  expect_same(as.vector(gpu_silhouette(x, list(clustering = clusters))), as.vector(expected))
  by_function <- function(a, b) sqrt(sum((a - b)^2))
  expect_equal(as.vector(gpu_silhouette(x, clusters, by_function)), as.vector(expected))
  expect_identical(gpu_info()$last$`function`, "gpu_silhouette")
  single <- gpu_silhouette(x, clusters, precision = "single")
  expect_equal(as.vector(single), as.vector(expected), tolerance = 1e-4)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- gpu_dist(x, file = file)
  expect_same(as.vector(gpu_silhouette(stored, clusters)), as.vector(expected))
})

test_that("a device gives the same silhouettes", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  x <- blobs_of(700)
  clusters <- rep_len(c(1, 5, 2, 2), 700)
  for (metric in c("euclidean", "manhattan", "pearson", "canberra")) {
    widths <- lapply(c("cpu", "cuda"), function(backend) {
      found <- gpu_silhouette(x, clusters, metric, backend = backend)
      expect_identical(gpu_info()$last$backend, backend)
      as.vector(found)
    })
    expect_same(widths[[2]], widths[[1]], metric)
    on_device <- gpu_dist(x, metric, keep = "device")
    from_device <- gpu_silhouette(on_device, clusters, backend = "cuda")
    expect_same(as.vector(from_device), widths[[1]], paste(metric, "on a device"))
  }
})

test_that("distances near the largest number do not overflow", {
  x <- c(0, 1, 3, 4, 10, 11) * 1e307
  clusters <- c(1, 1, 1, 1, 2, 2)
  expect_equal(
    as.vector(gpu_silhouette(x, clusters, "manhattan")),
    as.vector(gpu_silhouette(x / 1e307, clusters)),
    tolerance = 1e-14
  )
})

test_that("bad arguments are errors", {
  x <- matrix(1:6, 3)
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  fail(gpu_silhouette(x, 1:2), "clusters must have a number for each of the 3 points, not 2")
  fail(gpu_silhouette(x, c(1, NA, 2)), "clusters must be whole numbers, but value 2 is NA")
  fail(gpu_silhouette(x, c(1, 1, 1.5)), "clusters must be whole numbers, but value 3 is 1.5")
  fail(gpu_silhouette(x, "a"), "clusters must be whole numbers, not \"a\"")
  fail(gpu_silhouette(x, NULL), "clusters must be whole numbers, not NULL")
  fail(gpu_silhouette(x, 1:3, "hyperbolic"), "method must be one of ")
  fail(
    gpu_silhouette(dist(x), 1:3, "cosine"), "method must be given with points, not with distances"
  )
  fail(
    gpu_silhouette(c(1, NA, 2, 4), c(1, 1, 2, 2)),
    paste(
      "x must have finite distances only, but 3 of them are not; the first is missing, between",
      "points 1 and 2"
    )
  )
  fail(gpu_silhouette(x, 1:3, backend = "none"), "backend must be one of")
})

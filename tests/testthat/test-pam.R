# k-medoids compared with cluster::pam().
clouds_of <- function(n) {
  set.seed(n)
  matrix(rnorm(n * 3), n, dimnames = list(paste0("p", seq_len(n)), c("a", "b", "c"))) +
    3 * (seq_len(n) %% 3)
}

# All parts but the call are those of cluster::pam(). Sums in another order differ by rounding.
expect_pam <- function(actual, expected, info) {
  expect_identical(names(actual), names(expected))
  expect_identical(class(actual), class(expected))
  for (part in setdiff(names(expected), "call")) {
    expect_equal(actual[[part]], expected[[part]], tolerance = 1e-12, info = paste(info, part))
  }
}

test_that("the original variant has all that cluster::pam() has", {
  skip_if_not_installed("cluster")
  original <- function(...) gpu_pam(..., variant = "original")
  for (n in c(5, 20, 120)) {
    for (k in 1:4) {
      x <- clouds_of(n)
      info <- paste(n, k)
      expect_pam(original(x, k), cluster::pam(x, k), info)
      expect_pam(original(unname(x), k), cluster::pam(unname(x), k), info)
      expect_pam(
        original(x, k, metric = "manhattan"), cluster::pam(x, k, metric = "manhattan"), info
      )
      expect_pam(original(dist(x), k), cluster::pam(dist(x), k), info)
      expect_pam(original(x, k, stand = TRUE), cluster::pam(x, k, stand = TRUE), info)
    }
  }
  expect_pam(original(iris[, 1:4], 5), cluster::pam(iris[, 1:4], 5), "iris")
  y <- c(1, 1, 1, 2, 9, 9.5, 30)
  expect_pam(original(y, 4), cluster::pam(y, 4), "points alone")
})

test_that("options are those of cluster::pam()", {
  skip_if_not_installed("cluster")
  x <- clouds_of(40)
  expect_identical(
    gpu_pam(x, 3, variant = "original", cluster.only = TRUE),
    cluster::pam(x, 3, cluster.only = TRUE)
  )
  expect_pam(gpu_pam(x, 4, do.swap = FALSE), cluster::pam(x, 4, do.swap = FALSE), "no swaps")
  from <- c(7L, 2L, 30L)
  expect_pam(
    gpu_pam(x, 3, medoids = from, variant = "original"), cluster::pam(x, 3, medoids = from), "from"
  )
  kept <- list(c(TRUE, FALSE), c(FALSE, TRUE))
  for (keep in kept) {
    expect_pam(
      gpu_pam(x, 3, variant = "original", keep.diss = keep[1], keep.data = keep[2]),
      cluster::pam(x, 3, keep.diss = keep[1], keep.data = keep[2]), "kept"
    )
  }
})

test_that("the faster variant is as good on clustered data", {
  skip_if_not_installed("cluster")
  for (n in c(30, 90, 200)) {
    x <- clouds_of(n)
    expect_lte(gpu_pam(x, 3)$objective[["swap"]], cluster::pam(x, 3)$objective[["swap"]] + 1e-12)
  }
  parts <- gpu_pam(cluster::ruspini, 4)
  expect_identical(parts$id.med, cluster::pam(cluster::ruspini, 4)$id.med)
})

test_that("variants have the result of their algorithm", {
  x <- clouds_of(50)
  expected <- gpu_pam(x, 4, variant = "original")
  for (variant in c("o_1", "o_2", "f_3")) {
    expect_identical(gpu_pam(x, 4, variant = variant)$id.med, expected$id.med)
  }
})

test_that("medoids are drawn, and the best of several starts is taken", {
  set.seed(5)
  x <- matrix(runif(200), 100)
  d <- dist(x)
  set.seed(1)
  starts <- replicate(6, sample.int(100, 9), simplify = FALSE)
  sums <- vapply(starts, function(from) gpu_pam(d, 9, medoids = from)$objective[["swap"]], 0)
  for (source in list(x, d)) {
    set.seed(1)
    got <- gpu_pam(source, 9, nstart = 6)
    expect_equal(got$objective[["swap"]], min(sums), tolerance = 1e-12)
    expect_identical(got$id.med, gpu_pam(d, 9, medoids = starts[[which.min(sums)]])$id.med)
    set.seed(1)
    once <- gpu_pam(source, 9, medoids = "random", cluster.only = TRUE)
    expect_identical(
      unname(once), unname(gpu_pam(d, 9, medoids = starts[[1]], cluster.only = TRUE))
    )
  }
  expect_gt(length(unique(sums)), 1)
})

test_that("methods of package cluster take partitions", {
  skip_if_not_installed("cluster")
  parts <- gpu_pam(clouds_of(60), 3)
  expect_output(print(parts), "Medoids:")
  expect_output(print(summary(parts)), "Isolated clusters:")
  expect_identical(dim(cluster::silhouette(parts)), c(60L, 3L))
  expect_equal(
    unname(cluster::silhouette(parts)[names(parts$clustering), "sil_width"]),
    as.vector(gpu_silhouette(clouds_of(60), parts)[, "sil_width"])
  )
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(parts))
})

test_that("partitions are the same from all sources and with any memory", {
  x <- clouds_of(150)
  own <- c("id.med", "clustering", "objective", "clusinfo", "silinfo")
  expected <- gpu_pam(x, 6, threads = 1)[own]
  expect_identical(gpu_pam(x, 6, threads = 3, memory_limit = 2^20)[own], expected)
  expect_identical(gpu_pam(gpu_dist(x), 6)[own], expected)
  expect_identical(gpu_pam(as.data.frame(x), 6)[own], expected)
  by_function <- function(a, b) sqrt(sum((a - b)^2))
  expect_equal(gpu_pam(x, 6, by_function)[own], expected)
  expect_identical(gpu_info()$last$`function`, "gpu_pam")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- gpu_dist(x, file = file)
  expect_identical(gpu_pam(stored, 6)[own], expected)
})

test_that("as many medoids as points, and equal points", {
  expect_identical(gpu_pam(1:5, 5)$clustering, 1:5)
  expect_identical(gpu_pam(matrix(1, 4, 2), 2)$clustering, c(1L, 1L, 1L, 2L))
  expect_identical(gpu_pam(3, 1)$clustering, 1L)
})

test_that("bad arguments are errors", {
  x <- clouds_of(10)
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  fail(gpu_pam(x, 11), "k must be between 1 and 10, the number of points, not 11")
  fail(gpu_pam(x, 1.5), "k must be a whole number of at least 1, not 1.5")
  fail(gpu_pam(x, 2, medoids = 1), "medoids must be 2 points, as many as k, not 1")
  fail(gpu_pam(x, 2, medoids = c(1, 1)), "medoids must be different points between 1 and 10")
  fail(gpu_pam(x, 2, medoids = "a"), "medoids must be the numbers of points, not \"a\"")
  fail(gpu_pam(x, 2, stand = NA), "stand must be true or false, not NA")
  fail(gpu_pam(x, 2, do.swap = 2), "do.swap must be true or false, not 2")
  fail(
    gpu_pam(x, 2, variant = "f_4"),
    'variant must be one of "faster", "original", "o_1", "o_2", "f_3", not "f_4"'
  )
  fail(
    gpu_pam(x, 2, medoids = c(1e10, 2)),
    "medoids must be the numbers of points, not c(10000000000, 2)"
  )
  fail(gpu_pam(x, 2, nstart = 0), "nstart must be a whole number of at least 1, not 0")
  fail(gpu_pam(x, 2, nstart = 1.5), "nstart must be a whole number of at least 1, not 1.5")
  fail(
    gpu_pam(x, 2, medoids = 1:2, nstart = 3),
    "nstart must be given with medoids that are \"random\""
  )
  fail(gpu_pam(x, 11, nstart = 3), "k must be between 1 and 10, the number of points, not 11")
  fail(gpu_pam(dist(x), 2, stand = TRUE), "stand must be given with points, not with distances")
  fail(
    gpu_pam(dist(x), 2, keep.data = TRUE), "keep.data must be given with points, not with distances"
  )
  fail(
    gpu_pam(dist(x), 2, metric = "cosine"), "metric must be given with points, not with distances"
  )
  fail(
    gpu_pam(c(1, NA, 2, 4), 2),
    paste(
      "x must have finite distances only, but 3 of them are not; the first is missing, between",
      "points 1 and 2"
    )
  )
})

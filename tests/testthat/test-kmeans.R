# Expects the object of stats::kmeans(), but for ifault, which that leaves out at times.
expect_same_means <- function(found, want, label = NULL) {
  expect_s3_class(found, "kmeans", exact = TRUE)
  expect_named(found, names(want))
  for (name in c("cluster", "size", "iter")) {
    expect_identical(found[[name]], want[[name]], label = paste(label, name))
  }
  for (name in c("centers", "totss", "withinss", "tot.withinss")) {
    expect_equal(found[[name]], want[[name]], tolerance = 1e-11, label = paste(label, name))
  }
  expect_equal(found$betweenss, want$betweenss, tolerance = 1e-9, label = label)
  if (length(want$ifault)) {
    expect_identical(found$ifault, want$ifault, label = label)
  }
}

algorithms <- c("Hartigan-Wong", "Lloyd", "Forgy", "MacQueen")

# Points of a kind: reals, ties, repeated rows, a constant column, clusters far from each other.
points_of_kind <- function(kind, n, p) {
  switch(kind,
    reals = matrix(rnorm(n * p), n),
    ties = matrix(sample(0:3, n * p, TRUE), n),
    repeated = matrix(rnorm(8 * p), 8)[sample.int(8L, n, TRUE), , drop = FALSE],
    constant = cbind(2, matrix(rnorm(n * p), n)),
    far = matrix(rnorm(n * p) + 100 * (seq_len(n) %% 3), n)
  )
}

# Returns list(points, centres).
random_case <- function(kind) {
  x <- points_of_kind(kind, sample(c(12, 40, 150, 700), 1), sample(c(1, 2, 5), 1))
  rows <- unique(x)
  k <- min(nrow(rows), sample(2:7, 1))
  list(x, rows[sample.int(nrow(rows), k), , drop = FALSE])
}

test_that("clusters, centres and iterations are those of stats::kmeans() from the same centres", {
  set.seed(1)
  compared <- 0L
  for (turn in 1:60) {
    for (kind in c("reals", "ties", "repeated", "constant", "far")) {
      given <- random_case(kind)
      for (algorithm in algorithms) {
        most <- sample(c(2, 10, 100), 1)
        run <- function(f) {
          suppressWarnings(f(given[[1L]], given[[2L]], iter.max = most, algorithm = algorithm))
        }
        want <- tryCatch(run(stats::kmeans), error = function(e) NULL)
        if (!is.null(want)) { # NULL: a cluster is empty
          expect_same_means(run(gpu_kmeans), want, paste(kind, algorithm))
          compared <- compared + 1L
        }
      }
    }
  }
  expect_gt(compared, 1000L)
})

test_that("one cluster takes one iteration, as in stats::kmeans()", {
  x <- matrix(c(1, 5, 2, 7, 4, 4, 0, 3), 4)
  for (algorithm in algorithms) {
    run <- function(f) f(x, x[2, , drop = FALSE], algorithm = algorithm)
    expect_same_means(run(gpu_kmeans), run(stats::kmeans), algorithm)
    expect_same_means(gpu_kmeans(x, 1, algorithm = algorithm), run(stats::kmeans), algorithm)
  }
})

test_that("centres are drawn as by stats::kmeans()", {
  x <- as.matrix(iris[, 1:4]) # has repeated rows
  few <- matrix(rep(1:4, each = 5), 20, 2)
  for (seed in 1:10) {
    for (nstart in c(1, 4)) {
      for (given in list(list(x, 3), list(x, 12), list(few, 4), list(1:30, 4))) {
        run <- function(f) {
          set.seed(seed)
          made <- suppressWarnings(f(given[[1L]], given[[2L]], nstart = nstart))
          list(made, runif(1))
        }
        found <- run(gpu_kmeans)
        want <- run(stats::kmeans)
        expect_same_means(found[[1L]], want[[1L]], paste(seed, nstart))
        expect_identical(found[[2L]], want[[2L]])
      }
    }
  }
})

test_that("names, printing and fitted() are those of stats::kmeans()", {
  start <- USArrests[c(1, 9, 33), ]
  found <- gpu_kmeans(USArrests, start)
  want <- stats::kmeans(USArrests, start)
  expect_same_means(found, want)
  expect_named(found$cluster, rownames(USArrests))
  expect_identical(dimnames(found$centers), list(c("1", "2", "3"), colnames(USArrests)))
  expect_identical(capture.output(print(found)), capture.output(print(want)))
  expect_equal(fitted(found), fitted(want))
  expect_equal(fitted(found, "classes"), fitted(want, "classes"))
  named <- c(a = 1, b = 2, c = 9)
  expect_same_means(gpu_kmeans(named, c(1, 9)), stats::kmeans(named, c(1, 9)))
  whole <- matrix(c(1L, 2L, 9L, 7L), 2)
  expect_same_means(gpu_kmeans(whole, 1), stats::kmeans(whole, 1))
})

test_that("k-means++ draws distant points, and repeats after the same seed", {
  x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60), 30) + 1e4, matrix(rnorm(60), 30) - 1e4)
  group <- rep(1:3, each = 30)
  for (algorithm in algorithms) {
    run <- function() {
      set.seed(7)
      gpu_kmeans(x, 3, algorithm = algorithm, init = "k-means++")
    }
    expect_identical(run(), run())
    expect_true(all(table(run()$cluster, group) %in% c(0, 30)))
  }
  expect_identical(sort(gpu_kmeans(1:9, 9, init = "k-means++")$cluster), 1:9)
})

test_that("the best of several starts is returned", {
  set.seed(3)
  x <- matrix(rnorm(400), 200)
  one <- replicate(5, gpu_kmeans(x, 8, iter.max = 50, algorithm = "Lloyd")$tot.withinss)
  set.seed(3)
  many <- gpu_kmeans(x, 8, iter.max = 50, nstart = 20, algorithm = "Lloyd", init = "k-means++")
  expect_lt(many$tot.withinss, max(one))
})

test_that("threads change no bits", {
  set.seed(5)
  x <- matrix(rnorm(4000 * 5), 4000)
  for (algorithm in algorithms) {
    run <- function(threads) gpu_kmeans(x, x[1:9, ], 100, algorithm = algorithm, threads = threads)
    expect_identical(run(3), run(1))
  }
  expect_identical(gpu_info()$last[["function"]], "gpu_kmeans")
})

test_that("each start is traced", {
  expect_output(gpu_kmeans(1:9, c(1, 9), trace = TRUE), "gpu_kmeans: 1 iterations, sum of squares")
  expect_silent(gpu_kmeans(1:9, c(1, 9)))
})

test_that("clusters that are empty or still change are warned of", {
  x <- c(1, 2, 10, 11)
  for (algorithm in algorithms[-1]) {
    run <- function() gpu_kmeans(x, c(1, 500, 10), algorithm = algorithm)
    expect_warning(run(), "cluster 2 is empty: try other centers", fixed = TRUE)
    found <- suppressWarnings(run())
    expect_identical(unname(found$centers), matrix(c(1.5, NaN, 10.5)))
  }
  set.seed(1)
  y <- matrix(rnorm(200), 100)
  for (algorithm in algorithms) {
    run <- function() gpu_kmeans(y, y[1:5, ], 1, algorithm = algorithm)
    expect_warning(run(), "k-means did not converge in 1 iterations", fixed = TRUE)
    expect_identical(suppressWarnings(run())$ifault, 2L)
  }
})

test_that("as many clusters as points are taken", {
  for (algorithm in algorithms) {
    found <- gpu_kmeans(c(3, 1, 2), c(1, 2, 3), algorithm = algorithm)
    expect_identical(found$cluster, c(3L, 1L, 2L))
    expect_identical(found$tot.withinss, 0)
  }
})

test_that("wrong arguments are refused", {
  x <- matrix(c(1, 1, 3, 9, 2, 2, 5, 7), 4)
  fails <- function(message, ...) expect_error(gpu_kmeans(...), message, fixed = TRUE)
  whole <- "centers must be a matrix, or a whole number from 1 to 4, the number of rows of x, not "
  fails(paste0(whole, "5"), x, 5)
  fails(paste0(whole, "0"), x, 0)
  fails(paste0(whole, "1.5"), x, 1.5)
  fails(paste0(whole, "\"a\""), x, "a")
  fails("centers must have at most 4 rows, as many as x, not 5", x, matrix(1:10, 5))
  fails("centers must have 2 columns, as many as x, not 3", x, matrix(1:6, 2))
  fails("centers must be different, but numbers 1 and 2 are the same", x, x[1:2, ])
  fails("centers must be finite numbers, but row 2, column 1 is ", x, cbind(c(1, NA), 1:2))
  fails("x must be finite numbers, but row 3, column 2 is ", replace(x, 7, NA), 2)
  fails("x must be finite numbers, but row 2, column 1 is Inf", replace(x, 2, Inf), 2)
  fails("x must have at least 4 different rows, as many as clusters, not 3", x, 4)
  fails("x must have at least 4 different rows, as many as clusters, not 3", x, 4,
    init = "k-means++"
  )
  fails(
    paste(
      "centers must each be the nearest one of some row of x for \"Hartigan-Wong\", but center",
      "2 is not"
    ),
    x, rbind(x[1, ], 500)
  )
  fails("iter.max must be a whole number", x, 2, 0)
  fails("nstart must be a whole number of at least 1, not 0", x, 2, nstart = 0)
  fails("algorithm must be one of \"Hartigan-Wong\", \"Lloyd\", ", x, 2, algorithm = "Elkan")
  fails("init must be one of \"sample\", \"k-means++\", not \"far\"", x, 2, init = "far")
  fails("trace must be", x, 2, trace = NA)
  fails("backend must be \"auto\" or \"cpu\" for k-means, not \"cuda\"", x, 2, backend = "cuda")
  fails("memory_limit must be at least", matrix(0, 1e5, 1), 1, memory_limit = 2^20)
  fails("x must be", letters, 2)
  fails("x must be points, not distances", dist(x), 2)
})

points <- function(n = 53, m = 4) {
  set.seed(5)
  x <- matrix(rnorm(n * m), n, dimnames = list(paste0("p", seq_len(n)), NULL))
  x[7, 2] <- NA
  x
}

# The whole matrix, put together from what is handed out.
collect <- function(n, k, ...) {
  whole <- matrix(NaN, n, k)
  take <- function(d, row, column) {
    rows <- seq.int(row, length.out = nrow(d))
    columns <- seq.int(column, length.out = ncol(d))
    expect_true(all(is.nan(whole[rows, columns])))
    whole[rows, columns] <<- d
  }
  plan <- gpu_dist_tiles(fun = take, ...)
  list(plan = plan, whole = whole)
}

metrics <- c(
  "euclidean", "sqeuclidean", "manhattan", "maximum", "canberra", "binary", "minkowski",
  "seuclidean", "mahalanobis", "cosine", "pearson", "spearman", "braycurtis", "hamming", "jaccard"
)

test_that("tiles have the bits of the whole matrix", {
  x <- points()
  y <- x[5:20, ] + 1
  for (method in metrics) {
    metric <- if (method == "minkowski") gpu_metric(method, p = 3) else method
    within <- suppressWarnings(collect(53, 53, x, method = metric, side = 10))
    whole <- unname(as.matrix(suppressWarnings(gpu_dist(x, method, p = 3))))
    lower <- row(whole) > col(whole)
    expect_identical(within$whole[lower], whole[lower])
    between <- suppressWarnings(collect(53, 16, x, y = y, method = metric, side = 15))
    expect_identical(between$whole, suppressWarnings(unname(gpu_cdist(x, y, method, p = 3))))
  }
})

test_that("a plan covers the matrix and carries what tiles share", {
  x <- points()
  plan <- gpu_tiles_plan(x, method = "seuclidean", side = 20)
  expect_s3_class(plan, "gpu_tiles_plan")
  expect_identical(names(plan), c("tile", "row", "rows", "column", "columns"))
  expect_identical(plan$row, c(1, 21, 41, 21, 41, 41))
  expect_identical(plan$column, c(1, 1, 1, 21, 21, 41))
  expect_identical(plan$rows, c(20, 20, 13, 20, 13, 13))
  expect_identical(plan$columns, c(20, 20, 20, 20, 20, 13))
  tile <- gpu_dist_tile(x, plan, 3)
  expect_identical(tile, as.matrix(gpu_dist(x, "seuclidean"))[41:53, 1:20])

  counted <- gpu_tiles_plan(53, method = "seuclidean", side = 20)
  expect_identical(unclass(counted)[1:5], unclass(plan)[1:5])
  expect_identical(gpu_dist_tile(x, counted, 3), tile)
  expect_identical(nrow(gpu_tiles_plan(53, 10, side = 20)), 3L)
  expect_lt(nrow(gpu_tiles_plan(1e5, memory_limit = 2^30)), nrow(gpu_tiles_plan(1e5)))
  # What a worker gets has gone through a connection.
  sent <- unserialize(serialize(plan, NULL))
  expect_identical(gpu_dist_tile(x, sent[4:6, ], 5), gpu_dist_tile(x, plan, 5))
})

test_that("tiles refuse wrong arguments", {
  x <- points()
  plan <- gpu_tiles_plan(x, side = 20)
  expect_snapshot_error_text <- function(code, text) {
    e <- tryCatch(code, gpugeo_error = identity)
    expect_s3_class(e, "gpugeo_error")
    expect_identical(conditionMessage(e), text)
  }
  expect_snapshot_error_text(
    gpu_dist_tile(x, plan, 7), "tile must be between 1 and 6 (the tiles there are), not 7"
  )
  expect_snapshot_error_text(gpu_dist_tile(x, plan, "a"),
    "tile must be between 1 and 6 (the tiles there are), not \"a\""
  )
  expect_snapshot_error_text(
    gpu_dist_tile(x[-1, ], plan, 1),
    "plan must be of the same points: it is for 53 x 53 within x, not 52 x 52 within x"
  )
  expect_snapshot_error_text(gpu_dist_tile(x, 1, 1),
    "plan must be a result of gpu_tiles_plan(), not 1"
  )
  expect_snapshot_error_text(
    gpu_tiles_plan(x, side = 0), "side must be a whole number of at least 1, not 0"
  )
  expect_snapshot_error_text(
    gpu_tiles_plan(x, memory_limit = 10),
    "memory_limit must be a whole number of at least 1048576, not 10"
  )
  expect_snapshot_error_text(gpu_tiles_plan(-3), "x must have 0 to 2^40 points, not -3")
  expect_snapshot_error_text(gpu_dist_tiles(x, "fun"), "fun must be a function, not \"fun\"")
  expect_error(gpu_dist_tiles(x, function(...) stop("mine")), "mine")
})

# A matrix ten times the limit goes through a process of its own, whose peak is asked of the system.
peak <- function(code) {
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "library(gpugeo)",
    "peak <- function() {",
    "  status <- readLines('/proc/self/status')",
    "  as.numeric(sub('\\\\D*(\\\\d+) kB', '\\\\1', grep('VmHWM', status, value = TRUE))) * 1024",
    "}",
    "invisible(gpu_dist(matrix(rnorm(4000), 1000), backend = 'cpu', threads = 1))",
    "before <- peak()", code, "cat(peak() - before)"
  ), script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  as.numeric(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    stdout = TRUE, env = paste0("R_LIBS=", libraries)
  ))
}

test_that("memory stays under the limit", {
  skip_if_not(file.exists("/proc/self/status"), "no /proc")
  limit <- 32 * 2^20
  n <- ceiling(sqrt(10 * limit / 8))
  run <- sprintf("memory_limit = %.0f, backend = 'cpu', threads = 2, progress = FALSE)", limit)
  # The input is there before; an R vector of a tile is input or output of `fun`.
  make <- sprintf("x <- matrix(rnorm(%d * 8), %d); before <- peak()", n, n)
  expect_lt(peak(c(make, paste("gpu_dist_tiles(x, function(d, row, column) NULL,", run))), limit)
  if (nzchar(gpu_hdf5_version())) {
    file <- tempfile(fileext = ".h5")
    for (shape in c("condensed", "square")) {
      write <- sprintf("invisible(gpu_dist(x, file = '%s', file_shape = '%s',", file, shape)
      expect_lt(peak(c(make, paste(write, run, ")"))), limit)
      unlink(file)
    }
  }
})

test_that("neighbours stay under the limit of memory", {
  skip_if_not(file.exists("/proc/self/status"), "no /proc")
  limit <- 16 * 2^20
  n <- ceiling(sqrt(10 * limit / 8))
  make <- sprintf("x <- matrix(rnorm(%d * 8), %d); before <- peak()", n, n)
  run <- "backend = 'cpu', threads = 2, progress = FALSE"
  # Indices and distances are output, and R makes the one numbers from 1.
  output <- n * 10 * (8 + 2 * 4)
  argument <- sprintf("invisible(gpu_knn(x, 10, memory_limit = %.0f, %s))", limit, run)
  expect_lt(peak(c(make, argument)), limit + output)
  option <- sprintf("options(gpugeo.memory_limit = %.0f)", limit)
  by_option <- sprintf("invisible(gpu_knn(x, 10, %s))", run)
  expect_lt(peak(c(make, option, by_option)), limit + output)
})

test_that("points in a file stay under the limit of memory", {
  skip_if_not(file.exists("/proc/self/status"), "no /proc")
  skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")
  skip_if_not_installed("rhdf5")
  limit <- 16 * 2^20
  n <- 10 * limit / 8 / 32
  file <- tempfile(fileext = ".h5")
  rhdf5::h5createFile(file)
  rhdf5::h5createDataset(file, "x", c(n, 32), chunk = c(4096, 32), level = 0)
  x <- matrix(rnorm(n * 32), n)
  rhdf5::h5write(x, file, "x")
  make <- sprintf("x <- gpu_hdf5('%s', 'x'); y <- matrix(rnorm(3200), 100); before <- peak()", file)
  run <- sprintf("memory_limit = %.0f, backend = 'cpu', threads = 2, progress = FALSE)", limit)
  for (method in c("euclidean", "seuclidean", "mahalanobis", "spearman")) {
    tiles <- sprintf("gpu_dist_tiles(x, function(d, row, column) NULL, y, '%s',", method)
    expect_lt(peak(c(make, paste(tiles, run))), limit)
  }
  in_file <- gpu_tiles_plan(gpu_hdf5(file, "x"), method = "mahalanobis", memory_limit = limit)
  in_memory <- gpu_tiles_plan(x, method = "mahalanobis")
  expect_identical(attr(in_file, "shared"), attr(in_memory, "shared"))
  unlink(file)
})

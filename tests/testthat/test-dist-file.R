if (!nzchar(gpu_hdf5_version())) {
  test_that("a build without HDF5 says so", {
    file <- tempfile(fileext = ".h5")
    message_of <- function(code) conditionMessage(tryCatch(code, gpugeo_error = identity))
    refusal <- "cannot be an HDF5 file: gpugeo was built without HDF5"
    expect_identical(message_of(gpu_dist(matrix(1:4, 2), file = file)), paste("file", refusal))
    expect_false(file.exists(file))
    file.create(file)
    expect_identical(message_of(gpu_dist(matrix(1:4, 2), file = file)), paste("file", refusal))
    expect_identical(message_of(gpu_dist_file(file)), paste("file", refusal))
    expect_identical(message_of(gpu_hdf5(file, "x")), paste("x", refusal))
  })
}

skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")

points <- function(n = 300, m = 3) {
  set.seed(8)
  matrix(round(rnorm(n * m), 2), n, dimnames = list(paste0("p", seq_len(n)), NULL))
}

test_that("a file holds the distances, and slices are read as from a matrix", {
  x <- points()
  x[4, ] <- NA
  whole <- as.matrix(gpu_dist(x, "manhattan"))
  for (shape in c("condensed", "square")) {
    for (precision in c("double", "float")) {
      file <- tempfile(fileext = ".h5")
      d <- gpu_dist(x, "manhattan", file = file, file_shape = shape, file_precision = precision)
      want <- if (precision == "double") whole else whole
      diag(want) <- if (shape == "square") diag(gpu_cdist(x, x, "manhattan")) else 0
      same <- function(a, b) expect_equal(a, b, tolerance = if (precision == "double") 0 else 1e-7)
      same(d[, ], want)
      same(d[3, ], want[3, ])
      same(d[, 3, drop = FALSE], want[, 3, drop = FALSE])
      same(d[-(1:290), c("p9", "p1")], want[-(1:290), c("p9", "p1")])
      same(d[c(TRUE, FALSE), 5:6], want[c(TRUE, FALSE), 5:6])
      same(as.matrix(d), want)
      expect_identical(dim(d), c(300, 300))
      expect_identical(labels(d), rownames(x))
      expect_identical(dimnames(d), list(rownames(x), rownames(x)))
      expect_identical(gpu_dist_file(file)[2, 1], d[2, 1])
      expect_output(print(d), "Distances \\(manhattan\\) of 300 points.*300|MiB|KiB")
      unlink(file)
    }
  }
})

test_that("the same call opens a file that is complete", {
  x <- points()
  file <- tempfile(fileext = ".h5")
  d <- gpu_dist(x, file = file)
  before <- file.mtime(file)
  expect_identical(gpu_dist(x, file = file), d)
  expect_identical(file.mtime(file), before)
})

test_that("a killed process leaves a file with which the same call goes on", {
  x <- points(2000, 40)
  data <- tempfile(fileext = ".rds")
  saveRDS(x, data)
  file <- tempfile(fileext = ".h5")
  # It kills itself when a third is done.
  code <- c(
    "kill <- function(fraction) if (fraction > 0.3) tools::pskill(Sys.getpid(), tools::SIGKILL)",
    "bar <- function(...) list(update = kill, close = function() NULL)",
    "utils::assignInNamespace('progress_bar', bar, 'gpugeo')",
    sprintf("x <- readRDS('%s')", data),
    sprintf("gpugeo::gpu_dist(x, 'minkowski', p = 2.3, file = '%s', memory_limit = 2^22,", file),
    "  threads = 1, backend = 'cpu', progress = TRUE)"
  )
  output <- rscript(code, env = "GPUGEO_TEST_POLLS=1")
  expect_identical(attr(output, "status"), 137L)
  expect_true(file.exists(file))
  left <- gpu_dist_file(file)
  expect_lt(left$tiles_done, left$tiles)
  expect_error(left[1, 2], "file is not complete", class = "gpugeo_error")
  expect_output(print(left), "Not complete: ")
  d <- gpu_dist(x, "minkowski", p = 2.3, file = file)
  expect_identical(d$tiles_done, d$tiles)
  some <- seq(1, 2000, by = 33)
  expected <- as.matrix(gpu_dist(x[some, ], "minkowski", p = 2.3))
  expect_identical(unname(d[some, some]), unname(expected))
  unlink(file)
})

# Makes a complete file one whose last tile is not there: lowers the number "tiles_done" in it.
remove_last_tile <- function(file) {
  tiles <- gpu_dist_file(file)$tiles
  bytes <- readBin(file, "raw", file.size(file))
  number <- function(value) writeBin(c(as.integer(value), 0L), raw(), endian = "little")
  put <- function(at, value) {
    bytes[at + 0:7] <- number(value)
    writeBin(bytes, file)
  }
  for (at in grepRaw(number(tiles), bytes, fixed = TRUE, all = TRUE)) {
    put(at, tiles - 1)
    opened <- tryCatch(gpu_dist_file(file), gpugeo_error = function(condition) NULL)
    if (!is.null(opened) && opened$tiles_done == tiles - 1) {
      return(opened)
    }
  }
  stop("the file has no number of tiles")
}

test_that("clusterings refuse a file that is not complete", {
  x <- points(700, 3)
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  complete <- gpu_dist(x, file = file, memory_limit = 2^20)
  expect_gt(complete$tiles, 2)
  expect_s3_class(gpu_hclust(complete), "hclust") # is taken
  d <- remove_last_tile(file)
  message <- sprintf("file is not complete: %d of %d tiles are there", d$tiles_done, d$tiles)
  fail <- function(code) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  for (given in list(d, complete)) { # opened before, too
    fail(gpu_hclust(given, "single"))
    fail(gpu_hclust(given, "average"))
    fail(gpu_hclust(given, "centroid"))
    fail(gpu_mst(given))
    fail(gpu_dbscan(given, 1, 2))
    fail(gpu_hdbscan(given, 2))
    fail(gpu_silhouette(given, rep(1:2, 350)))
    fail(gpu_pam(given, 2))
  }
})

test_that("other packages read the file", {
  x <- points()
  file <- tempfile(fileext = ".h5")
  gpu_dist(x, file = file)
  square <- tempfile(fileext = ".h5")
  gpu_dist(x, file = square, file_shape = "square", file_name = "a/b")
  skip_if_not_installed("HDF5Array")
  expect_identical(as.matrix(HDF5Array::HDF5Array(square, "a/b")), unname(as.matrix(gpu_dist(x))))
  skip_if_not_installed("rhdf5")
  expect_identical(c(rhdf5::h5read(file, "dist")), c(gpu_dist(x)))
  about <- rhdf5::h5readAttributes(file, "dist")
  expect_identical(c(about$labels), rownames(x))
  expect_identical(c(about$metric), "euclidean")
  expect_identical(as.double(about$size), 300)
})

test_that("points are read from a file, in panels", {
  skip_if_not_installed("HDF5Array")
  x <- points(1000, 30)
  x[5, 5] <- NA
  file <- tempfile(fileext = ".h5")
  rhdf5::h5createFile(file)
  rhdf5::h5write(unname(x), file, "x")
  rhdf5::h5write(matrix(rep(1:12, 4), 8), file, "whole")
  s <- gpu_hdf5(file, "x")
  expect_identical(dim(s), c(1000, 30))
  expect_output(print(s), "1000 points of 30 coordinates")
  for (method in c("euclidean", "seuclidean", "mahalanobis", "cosine", "spearman")) {
    whole <- suppressWarnings(gpu_dist(x, method)) # row 5 has a missing value
    in_panels <- suppressWarnings(gpu_dist(s, method, memory_limit = 2^20))
    expect_identical(c(in_panels), c(whole))
    out <- tempfile(fileext = ".h5")
    written <- suppressWarnings(gpu_dist(s, method, file = out, memory_limit = 2^20))
    expect_identical(written[7, ], unname(as.matrix(whole)[7, ]))
  }
  expected <- gpu_cdist(unname(x), x[1:7, ])
  dimnames(expected) <- list(NULL, paste0("p", 1:7))
  expect_identical(gpu_cdist(s, x[1:7, ]), expected)
  expect_identical(
    c(gpu_dist(gpu_hdf5(file, "whole"), "hamming")), c(gpu_dist(matrix(rep(1:12, 4), 8), "hamming"))
  )
  h <- HDF5Array::HDF5Array(file, "x")
  expect_identical(c(gpu_dist(h)), c(gpu_dist(x)))
})

test_that("files that are something else are errors that say so", {
  text <- tempfile(fileext = ".h5")
  writeLines("no HDF5", text)
  x <- points()
  message_of <- function(code) conditionMessage(tryCatch(code, gpugeo_error = identity))
  expect_identical(
    message_of(gpu_dist(x, file = text)),
    sprintf("file must be one of distances, but \"%s\" is no HDF5 file", text)
  )
  expect_identical(readLines(text), "no HDF5")
  file <- tempfile(fileext = ".h5")
  gpu_dist(x, file = file)
  expect_identical(
    message_of(gpu_dist(x, "maximum", file = file)),
    sprintf(paste(
      "file must be a new one or one of the same distances: \"%s\" holds those of another metric"
    ), file)
  )
  expect_identical(
    message_of(gpu_dist(x + 1, file = file)),
    sprintf(paste(
      "file must be a new one or one of the same distances: \"%s\" holds those of another data or",
      "parameters"
    ), file)
  )
  expect_identical(
    message_of(gpu_dist(x, file = "/nowhere/d.h5")),
    "file \"/nowhere/d.h5\" cannot be created: No such file or directory"
  )
  expect_identical(
    message_of(gpu_dist(x, file = file, file_shape = "round")),
    "file_shape must be \"condensed\" or \"square\", not \"round\""
  )
  expect_identical(
    message_of(gpu_dist(x, file = file, file_precision = "half")),
    "file_precision must be \"double\" or \"float\", not \"half\""
  )
  expect_identical(message_of(gpu_dist(x, file = 1)), "file must be a single string, not 1")
  expect_identical(
    message_of(gpu_hdf5(file, "points")),
    sprintf("x must be a dataset of its file: \"%s\" has no dataset \"points\"", file)
  )
  expect_identical(
    message_of(gpu_hdf5(file, "dist")),
    sprintf(
      "x must be a dataset of numbers in 2 dimensions: \"%s\", \"dist\" has 1 dimension", file
    )
  )
  expect_identical(
    message_of(gpu_hdf5("/nowhere/x.h5", "x")),
    "file \"/nowhere/x.h5\" cannot be read: No such file or directory"
  )
  d <- gpu_dist_file(file)
  expect_error(d[301, 1], "i must be points between 1 and 300", class = "gpugeo_error")
  expect_error(d[1, "q"], "j must be points between 1 and 300", class = "gpugeo_error")
  for (index in list(0, 44851, 1.5, NA_real_, "p1", -1)) {
    expect_error(d[index], "^i must be whole numbers between 1 and 44850, ", class = "gpugeo_error")
  }
})

test_that("a file can be used as an object of class dist", {
  x <- points(70)
  x[4, ] <- NA
  whole <- dist(x, "manhattan")
  for (shape in c("condensed", "square")) {
    file <- tempfile(fileext = ".h5")
    d <- gpu_dist(x, "manhattan", file = file, file_shape = shape)
    expect_identical(length(d), length(whole))
    index <- c(1, 69, 70, 2415, 70, 1000)
    expect_equal(d[index], whole[index], tolerance = 1e-15)
    expect_identical(d[numeric()], numeric())
    read <- as.dist(d)
    expect_equal(read, whole, tolerance = 1e-15, ignore_attr = "call")
    expect_identical(attr(read, "Labels"), rownames(x))
    some <- c(read)
    expect_identical(range(d), c(NA_real_, NA_real_))
    expect_identical(range(d, na.rm = TRUE, memory_limit = 2^20), range(some, na.rm = TRUE))
    expect_identical(c(min(d, na.rm = TRUE), max(d, na.rm = TRUE)), range(some, na.rm = TRUE))
    about <- summary(d)
    expect_identical(c(about$min, about$max), range(some, na.rm = TRUE))
    expect_equal(about$mean, mean(whole, na.rm = TRUE), tolerance = 1e-14)
    expect_identical(about$missing, 69)
    expect_output(print(about), "69 are missing")
    expect_output(str(d), "'gpu_dist_file': 2415 distances (manhattan) of 70 points", fixed = TRUE)
    unlink(file)
  }
  one <- gpu_dist(x[1, , drop = FALSE], file = tempfile(fileext = ".h5"))
  expect_identical(length(one), 0L)
  expect_identical(length(as.dist(one)), 0L)
  expect_identical(summary(one)$max, NA_real_)
})

test_that("blocks of any size cover the lower triangle once", {
  x <- points(2000)
  d <- gpu_dist(x, file = tempfile(fileext = ".h5"))
  expected <- c(gpu_dist(x))
  read <- numeric()
  each_file_block(d, 2^20, quote(f()), function(values) read <<- c(read, values))
  expect_identical(read, expected)
  expect_identical(c(as.dist(d)), expected)
  expect_error(summary(d, memory_limit = 5), "memory_limit must be a number of bytes of at least")
})

test_that("functions that need distances in memory name as.dist()", {
  x <- points(20)
  d <- gpu_dist(x, file = tempfile(fileext = ".h5"))
  needs <- "needs distances in memory, not in a file: as.dist\\(x\\) reads them all"
  expect_error(hclust(d), needs, class = "gpugeo_error")
  expect_error(d^2, needs, class = "gpugeo_error")
  expect_error(sqrt(d), needs, class = "gpugeo_error")
  expect_error(sum(d), needs, class = "gpugeo_error")
  expect_identical(hclust(as.dist(d))$merge, hclust(dist(x))$merge)
  code <- sprintf(
    "d <- gpugeo::gpu_dist_file('%s')
    cat(tryCatch(as.dist(d), gpugeo_error = conditionMessage))", d$file
  )
  expect_match(
    tail(rscript(code, env = "GPUGEO_MEMORY=1e-6"), 1),
    "^as.dist\\(\\) of 20 points needs .* more than .*; x\\[i, j\\] reads some distances"
  )
})

test_that("a limit of file sizes is an error, and the session lives", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- file.path(folder, "d.h5")
  script <- tempfile(fileext = ".R")
  writeLines(sprintf(
    "m <- tryCatch(gpugeo::gpu_dist(matrix(runif(2000)), file = '%s'), error = conditionMessage)
    cat(m, gpugeo::gpu_dist(c(1, 3)))", file
  ), script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  output <- system2("sh", c("-c", shQuote(sprintf(
    "ulimit -f 64; R_LIBS='%s' '%s' --vanilla '%s' 2>/dev/null", libraries,
    file.path(R.home("bin"), "Rscript"), script
  ))), stdout = TRUE)
  expect_identical(output, sprintf("file \"%s\" cannot be created: File too large 2", file))
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
})

test_that("a link under the temporary name of a new file is not followed", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  victim <- file.path(folder, "victim")
  writeLines("precious", victim)
  file <- file.path(folder, "d.h5")
  beside <- sprintf("%s.new-%d", file, Sys.getpid())
  expect_true(file.symlink(victim, beside))
  expect_error(
    gpu_dist(points(), file = file),
    sprintf("file \"%s\" must not be there: it is the temporary name of a new file", beside),
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_identical(readLines(victim), "precious")
  expect_false(file.exists(file))
})

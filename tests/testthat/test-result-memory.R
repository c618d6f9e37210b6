# Results of 32 MiB and more are in memory that is kept: 35.8 MiB for 3,065 points.
Sys.setenv(GPUGEO_RESULT_MEMORY = "1") # GiB, on any machine
x <- matrix(as.numeric(seq_len(2 * 3065) %% 101), ncol = 2)
reference <- as.vector(dist(x))
# True if the distances are those of dist(x), with a rounding or two. Faster than all.equal().
is_right <- function(d) max(abs(as.vector(d) - reference)) <= 1e-13
large <- function(points = x) gpu_dist(points, backend = "cpu", threads = 2)

# The number of blocks, and MiB of those in use and of those that are free.
blocks <- function() {
  numbers <- .Call(gpugeo:::C_result_memory)
  stats::setNames(as.list(numbers / c(1, 2^20, 2^20)), c("count", "used", "free"))
}
# As text; always the same where R can't tell.
address_of <- function(value) {
  if (!capabilities("profmem")) {
    return("")
  }
  on.exit(untracemem(value))
  tracemem(value)
}
block <- 2 * ceiling((length(reference) * 8 / 2^20 + 0.001) / 2) # MiB, whole huge pages

test_that("the memory of a freed result is kept for the next one", {
  gpu_release()
  expect_identical(blocks(), list(count = 0, used = 0, free = 0))
  first <- large()
  expect_identical(blocks(), list(count = 1, used = block, free = 0))
  address <- address_of(first)
  rm(first)
  gc()
  expect_identical(blocks(), list(count = 1, used = 0, free = block))
  second <- large()
  expect_identical(address_of(second), address)
  expect_identical(blocks(), list(count = 1, used = block, free = 0))
  expect_true(is_right(second))
})

test_that("a result stays as it is when later ones are made", {
  d <- large()
  before <- d + 0
  for (i in 1:4) {
    large(x + i)
    gc()
  }
  expect_same(as.vector(d), as.vector(before))
})

test_that("R collects garbage before the blocks grow", {
  gpu_release()
  for (i in 1:30) large()
  expect_lte(blocks()$used + blocks()$free, 256 + block)
})

test_that("gpu_release() returns what no result uses, and the rest when R frees it", {
  kept <- large()
  large()
  gpu_release()
  expect_identical(blocks(), list(count = 1, used = block, free = 0))
  expect_true(is_right(kept))
  rm(kept)
  gc()
  expect_identical(blocks(), list(count = 0, used = 0, free = 0))
})

test_that("all blocks together are limited", {
  code <- c(
    "x <- matrix(as.numeric(1:6130), ncol = 2)", # 36 MiB
    "results <- lapply(1:4, function(i) gpugeo::gpu_dist(x + i, backend = 'cpu'))",
    "expected <- dist(x)",
    "stopifnot(vapply(results, function(d) max(abs(d - expected)) < 1e-9, NA))",
    "numbers <- .Call(gpugeo:::C_result_memory)",
    "rm(results)",
    "d <- gpugeo::gpu_dist(x[1:3000, ], backend = 'cpu')", # a quarter smaller at most
    "cat(numbers[1], numbers[2] / 2^20, .Call(gpugeo:::C_result_memory)[1])"
  )
  expect_identical(rscript(code, "GPUGEO_RESULT_MEMORY=0.08"), "2 72 2")
  expect_identical(rscript(code, "GPUGEO_RESULT_MEMORY=0"), "0 0 0")
})

test_that("more results than there can be blocks are R's own", {
  code <- c(
    "x <- matrix(as.numeric(1:5860), ncol = 2)", # 32.7 MiB
    "results <- lapply(1:18, function(i) gpugeo::gpu_dist(x, backend = 'cpu'))",
    "stopifnot(vapply(results, identical, NA, results[[1]]))",
    "cat(.Call(gpugeo:::C_result_memory)[1])"
  )
  expect_identical(rscript(code, "GPUGEO_RESULT_MEMORY=2"), "16")
})

test_that("blocks of other sizes go when the limit asks for it", {
  code <- c(
    "x <- matrix(as.numeric(1:10000), ncol = 2)",
    "make <- function(n) gpugeo::gpu_dist(x[seq_len(n), ], backend = 'cpu')",
    "d <- make(3065); rm(d); invisible(gc())",
    "d <- make(4500)", # 78 MiB
    "cat(.Call(gpugeo:::C_result_memory) / c(1, 2^20, 2^20))"
  )
  expect_identical(rscript(code, "GPUGEO_RESULT_MEMORY=0.1"), "1 78 0")
})

test_that("results are ordinary vectors", {
  d <- large()
  attr(d, "note") <- "kept"
  copy <- d
  copy[2] <- -1
  expect_identical(d[2], reference[2])
  expect_same(copy[-2], d[-2])
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(d, file, compress = FALSE)
  expect_same(readRDS(file), d)
  expect_same(unserialize(serialize(d, NULL)), d)
  longer <- unclass(d)
  length(longer) <- length(d) + 1
  expect_identical(longer[length(longer)], NA_real_)
  expect_identical(object.size(as.vector(d)), object.size(reference))
})

test_that("matrices use it too", {
  gpu_release()
  m <- gpu_cor(matrix(as.numeric(1:6600 %% 7), 3), backend = "cpu")
  expect_identical(dim(m), c(2200L, 2200L))
  expect_identical(blocks()$count, 1)
  expect_identical(isSymmetric(m), TRUE)
})

test_that("a forked child has blocks of its own", {
  d <- large()
  child <- parallel::mcparallel({
    rm(d)
    gc()
    made <- large(x + 1)
    list(blocks = blocks(), right = is_right(made))
  })
  result <- parallel::mccollect(child)[[1]]
  expect_true(result$right)
  expect_gte(result$blocks$count, 1)
  expect_true(is_right(d))
})

test_that("results outlive the package, and R frees them after it is unloaded", {
  code <- c(
    "x <- matrix(as.numeric(1:6130), ncol = 2)",
    "for (i in 1:2) {",
    "  d <- gpugeo::gpu_dist(x, threads = 2, backend = 'cpu')",
    "  unloadNamespace('gpugeo')",
    "  gc()",
    "  cat(sum(d), '')",
    "  rm(d)",
    "  invisible(gc())",
    "}",
    "cat(.Call(gpugeo:::C_result_memory))"
  )
  total <- format(sum(dist(matrix(as.numeric(1:6130), ncol = 2))), digits = 7)
  expect_identical(rscript(code), paste(total, total, "0 0 0"))
})

test_that("a limit of address space switches it off", {
  code <- c(
    "x <- matrix(as.numeric(1:6130), ncol = 2)",
    "d <- gpugeo::gpu_dist(x, threads = 1, backend = 'cpu')",
    "cat(.Call(gpugeo:::C_result_memory))"
  )
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(code, file)
  rscript <- shQuote(file.path(R.home("bin"), "Rscript"))
  command <- paste("ulimit -v 4000000;", rscript, shQuote(file))
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  expect_identical(
    system2("sh", c("-c", shQuote(command)), stdout = TRUE, env = libraries), "0 0 0"
  )
})

Sys.unsetenv("GPUGEO_RESULT_MEMORY")

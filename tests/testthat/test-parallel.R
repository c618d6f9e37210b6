set.seed(1)
x <- matrix(rnorm(200), 20)

# What a worker gives: distances, the backend and threads it used, and what CUDA says there.
work <- function(i, points) {
  d <- gpugeo::gpu_dist(points)
  last <- gpugeo::gpu_info()$last
  cuda <- tryCatch(
    {
      gpugeo::gpu_dist(points, backend = "cuda")
      ""
    },
    gpugeo_error = conditionMessage
  )
  list(values = as.vector(d), backend = last$backend, threads = last$threads, cuda = cuda)
}

test_that("forked children compute on the CPU with one thread", {
  here <- as.vector(gpu_dist(x, threads = 2))
  for (result in parallel::mclapply(1:4, work, points = x, mc.cores = 2)) {
    expect_identical(result$values, here)
    expect_identical(result$backend, "cpu")
    expect_identical(result$threads, 1L)
    expect_match(result$cuda, "backend \"cuda\" cannot be used: ", fixed = TRUE)
  }
  expect_identical(as.vector(gpu_dist(x, threads = 2)), here)
})

test_that("worker processes compute", {
  cluster <- start_workers(2)
  on.exit(parallel::stopCluster(cluster))
  for (result in parallel::parLapply(cluster, 1:4, work, points = x)) {
    expect_identical(result$values, as.vector(gpu_dist(x)))
  }
})

test_that("the package can be unloaded and loaded again", {
  code <- c(
    "x <- matrix(as.numeric(1:2000), 500)",
    "for (i in 1:3) {",
    "  cat(sum(gpugeo::gpu_dist(x, threads = 2)), '')",
    "  unloadNamespace('gpugeo')",
    "  stopifnot(!'gpugeo' %in% names(getLoadedDLLs()))",
    "}",
    "cat('done')"
  )
  total <- format(sum(dist(matrix(as.numeric(1:2000), 500))), digits = 7)
  expect_identical(rscript(code), paste(total, total, total, "done"))
})

# The threads that another package started in the parent are gone in a forked child; nothing may
# wait for them.
test_that("a forked child computes after another package has used threads in the parent", {
  skip_if_not_installed("data.table")
  code <- c(
    "x <- matrix(as.numeric(1:2000), 500)",
    "data.table::setDTthreads(2)",
    "set.seed(1)",
    "table <- data.table::data.table(a = runif(1e6))",
    "data.table::setorder(table, a)",
    "library(gpugeo)",
    "jobs <- list(",
    "  parallel::mcparallel(sum(gpu_dist(x, threads = 2))),",
    "  parallel::mcparallel(sum(gpu_knn(x, 3, threads = 2)$distance))",
    ")",
    "collect <- function(job) parallel::mccollect(job)[[1]]",
    "sums <- lapply(jobs, collect)",
    "cat(all.equal(sums[[1]], sum(dist(x))), sums[[2]] > 0, 'done')"
  )
  expect_identical(rscript(code), "TRUE TRUE done")
})

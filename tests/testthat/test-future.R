set.seed(1)

# Work of many minutes on any machine: 5e11 pairs.
long_points <- matrix(runif(3e6), 1e6)
launch_long <- function() {
  gpu_collisions_launch(long_points, 0.01, algorithm = "usual", backend = "cpu", threads = 1)
}

test_that("a future gives what the call would have given", {
  set.seed(1)
  x <- matrix(runif(6000), 2000, dimnames = list(paste0("p", 1:2000), NULL))
  y <- matrix(runif(600), 200)
  group <- rep(c("b", "a"), 1000)
  on_each_backend(function() {
    for (what in c("count", "per_point", "pairs")) {
      future <- gpu_collisions_launch(x, 0.05, what = what)
      expect_s3_class(future, "gpu_future")
      expect_identical(gpu_collisions_fetch(future), gpu_collisions(x, 0.05, what = what))
    }
    future <- gpu_collisions_launch(x, 0.05, group = group, what = "table", exclude = 3)
    expected <- gpu_collisions(x, 0.05, group = group, what = "table", exclude = 3)
    expect_identical(gpu_collisions_fetch(future), expected)
    expect_identical(dimnames(expected), list(c("a", "b"), c("a", "b")))
    future <- gpu_collisions_launch(x, radii = rep(0.03, 2200), y = y)
    expect_identical(gpu_collisions_fetch(future), gpu_collisions(x, 0.06, y = y))
  })
  gpu_collisions_fetch(gpu_collisions_launch(x, 1, backend = "cpu"))
  expect_identical(gpu_info()$last$`function`, "gpu_collisions_fetch")
  expect_identical(gpu_info()$last$backend, "cpu")
})

test_that("futures are fetched in any order, and twice", {
  set.seed(2)
  x <- matrix(runif(3e4), 1e4)
  radii <- c(0.01, 0.1, 0.03, 0.05, 0.02)
  on_each_backend(function() {
    futures <- lapply(radii, function(radius) gpu_collisions_launch(x, radius))
    for (i in c(4, 1, 5, 3, 2, 1, 4)) {
      expect_identical(gpu_collisions_fetch(futures[[i]]), gpu_collisions(x, radii[i]))
    }
  })
})

test_that("a future has points of its own", {
  x <- matrix(runif(3e5), 1e5)
  expected <- gpu_collisions(x, 0.02)
  future <- local({
    copy <- x + 0
    future <- gpu_collisions_launch(copy, 0.02)
    copy[] <- 0
    future
  })
  gc()
  expect_identical(gpu_collisions_fetch(future), expected)
})

test_that("printing tells whether it is running or done", {
  future <- launch_long()
  expect_output(print(future), "<gpu_future: collisions, running>", fixed = TRUE)
  future <- gpu_collisions_launch(1:3, 1)
  gpu_collisions_fetch(future)
  expect_output(print(future), "<gpu_future: collisions, done>", fixed = TRUE)
  expect_output(expect_identical(withVisible(print(future))$visible, FALSE))
})

test_that("dropped futures end, while running and when done", {
  # More than work at a time: if they did not end, the last one would wait far beyond the limit.
  for (i in 1:6) launch_long()
  future <- gpu_collisions_launch(1:3, 1, backend = "cpu")
  gc()
  setTimeLimit(elapsed = 900)
  on.exit(setTimeLimit())
  expect_identical(gpu_collisions_fetch(future), 2)
  setTimeLimit()
  for (i in 1:100) gpu_collisions_launch(1:3, 1)
  expect_silent(gc())
})

test_that("an error of the arguments is that of the launch", {
  expect_error(gpu_collisions_launch(1:3, 0), "^radius must be a positive finite number, not 0")
  expect_error(gpu_collisions_launch(c(1, NA), 1), "row 2")
  expect_error(gpu_collisions_launch("a", 1), "x must be a numeric matrix, not text")
  expect_error(gpu_collisions_launch(1:3, 1, progres = 1), "unused argument progres")
})

test_that("what is no future can't be fetched", {
  for (wrong in list(1, NULL, "a", list(), globalenv())) {
    expect_error(
      gpu_collisions_fetch(wrong), "future must be one that gpu_collisions_launch() gave",
      fixed = TRUE, class = "gpugeo_error"
    )
  }
  future <- gpu_collisions_launch(1:3, 1)
  expect_error(gpu_collisions_fetch(future, 1), "unused argument 1")
  expect_error(gpu_collisions_fetch(future, progress = 1), "progress must be true or false")
  expect_identical(gpu_collisions_fetch(future), 2)
})

not_alive <- "future is not alive: it came from a file or from another process"

test_that("a future that was saved is not alive", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(gpu_collisions_launch(1:3, 1), file)
  future <- readRDS(file)
  expect_error(gpu_collisions_fetch(future), not_alive, class = "gpugeo_error")
  expect_output(print(future), "<gpu_future: collisions, not alive>", fixed = TRUE)
})

test_that("a future sent to a worker is not alive there", {
  cluster <- start_workers(1)
  on.exit(parallel::stopCluster(cluster))
  future <- gpu_collisions_launch(1:3, 1)
  fetch <- function(future) {
    tryCatch(gpugeo::gpu_collisions_fetch(future), gpugeo_error = conditionMessage)
  }
  expect_match(parallel::clusterCall(cluster, fetch, future)[[1]], not_alive)
  # Its own ones are.
  own <- function() gpugeo::gpu_collisions_fetch(gpugeo::gpu_collisions_launch(1:3, 1))
  expect_identical(parallel::clusterCall(cluster, own)[[1]], 2)
  expect_identical(gpu_collisions_fetch(future), 2)
})

test_that("forked children launch and fetch their own, and none of the parent's", {
  parents <- launch_long()
  done <- gpu_collisions_launch(1:3, 1)
  gpu_collisions_fetch(done)
  work <- function(i) {
    own <- gpu_collisions_launch(c(1:3, i), 1)
    foreign <- tryCatch(gpu_collisions_fetch(parents), gpugeo_error = conditionMessage)
    gc()
    list(own = gpu_collisions_fetch(own), direct = gpu_collisions(c(1:3, i), 1), foreign = foreign)
  }
  for (result in parallel::mclapply(c(2, 9), work, mc.cores = 2)) {
    expect_type(result, "list")
    expect_identical(result$own, result$direct)
    expect_match(result$foreign, "process")
  }
  expect_identical(gpu_collisions_fetch(done), 2)
  expect_output(print(parents), "running")
})

test_that("an interrupt ends the waiting and not the work", {
  skip_if_interrupts_are_ignored()
  # As many as work at a time, so that the one after them is not done before it is waited for.
  before <- lapply(1:4, function(i) launch_long())
  x <- long_points[1:1e4, ]
  future <- gpu_collisions_launch(x, 0.01, algorithm = "usual", backend = "cpu", threads = 1)
  settings <- run_settings(
    progress = TRUE, bar = function(fraction) tools::pskill(Sys.getpid(), tools::SIGINT)
  )
  value <- tryCatch(
    with_polls(.Call(
      gpugeo:::C_collide_result, list(future), list(`function` = "gpu_collisions_fetch"),
      settings, quote(f())
    )),
    interrupt = function(condition) "interrupted"
  )
  expect_identical(value, "interrupted")
  expect_output(print(future), "running")
  rm(before)
  gc()
  expect_identical(gpu_collisions_fetch(future), gpu_collisions(x, 0.01))
})

test_that("the package can be unloaded with futures under way, and loaded again", {
  code <- c(
    "x <- matrix(runif(3e6), 1e6)",
    "for (i in 1:3) {",
    "  running <- gpugeo::gpu_collisions_launch(x, 1, algorithm = 'usual', backend = 'cpu',",
    "                                           threads = 1)",
    "  done <- gpugeo::gpu_collisions_launch(1:3, 1)",
    "  gpugeo::gpu_collisions_fetch(done)",
    "  unloadNamespace('gpugeo')",
    "  stopifnot(!'gpugeo' %in% names(getLoadedDLLs()))",
    "  gc()",
    "  cat(tryCatch(gpugeo::gpu_collisions_fetch(done),",
    "               gpugeo_error = function(e) substr(conditionMessage(e), 1, 19)), '')",
    "  rm(done, running)",
    "  gc()",
    "}",
    "kept <- gpugeo::gpu_collisions_launch(x, 1, algorithm = 'usual', backend = 'cpu',",
    "  threads = 1)",
    "cat('end')"
  )
  not_alive <- "future is not alive"
  expect_identical(rscript(code), paste(not_alive, not_alive, not_alive, "end"))
})

set.seed(1)

# A call on one thread, with a function that receives its progress.
long_call <- function(bar) {
  x <- matrix(runif(6e4), 300)
  settings <- run_settings(backend = "cpu", threads = 1, progress = TRUE, bar = bar)
  options <- list(method = "minkowski", p = 2.5)
  with_polls(.Call(gpugeo:::C_dist, list(x, NULL), options, settings, quote(f())))
}

test_that("an error in the progress bar ends the call", {
  fractions <- numeric()
  bar <- function(fraction) {
    fractions <<- c(fractions, fraction)
    stop("the bar broke")
  }
  expect_error(long_call(bar), "the bar broke")
  expect_length(fractions, 1)
  expect_true(fractions >= 0 && fractions < 1)
})

test_that("an interrupt ends the call, and handlers see it", {
  skip_if_interrupts_are_ignored()
  bar <- function(fraction) tools::pskill(Sys.getpid(), tools::SIGINT)
  cleaned <- FALSE
  value <- tryCatch(
    {
      on.exit(cleaned <- TRUE)
      long_call(bar)
    },
    interrupt = function(condition) class(condition)
  )
  expect_identical(value, c("interrupt", "condition"))
  expect_equal(as.vector(gpu_dist(1:2)), 1)
})

# Likewise for the other functions that show their progress.
long_calls <- list(
  closest = function(settings) {
    x <- matrix(runif(4e4), 2e4)
    options <- list(
      k = 1, distinct = FALSE, metric = "euclidean", sphere_radius = 1, algorithm = "sweep-v0"
    )
    .Call(gpugeo:::C_closest, list(x, NULL), options, settings, quote(f()))
  },
  collisions = function(settings) {
    options <- collide_options(
      0.01, NULL, 0, NULL, NULL, "pairs", "usual", gpu_metric("euclidean"), FALSE
    )
    future <- .Call(gpugeo:::C_collide_new, list(rows = NULL, groups = NULL))
    x <- matrix(runif(3e4), 1e4)
    .Call(gpugeo:::C_collide_begin, list(x, NULL, future), options, settings, quote(f()))
  },
  permanova = function(settings) {
    d <- list(runif(choose(300, 2)), 300)
    options <- list(
      source = "dist", root = FALSE, basis = matrix(c(1, -1, rep(0, 298)) / sqrt(2), 300),
      order = matrix(300:1, 300, 20), rows = FALSE
    )
    .Call(gpugeo:::C_permanova, d, options, settings, quote(f()))
  },
  mantel = function(settings) {
    d <- list(runif(choose(300, 2)), 300)
    options <- list(
      source = "dist", source_y = "dist", method = "spearman", order = matrix(300:1, 300, 20),
      rows = FALSE
    )
    .Call(gpugeo:::C_mantel, c(d, d), options, settings, quote(f()))
  },
  scaling = function(settings) {
    d <- list(runif(choose(300, 2)), 300)
    options <- list(
      source = "dist", k = 2, type = "ordinal", squared = FALSE, tolerance = 0,
      max_iterations = 1e6, relax = TRUE
    )
    .Call(gpugeo:::C_mds, d, options, settings, quote(f()))
  }
)

test_that("an error and an interrupt end other long calls", {
  skip_if_interrupts_are_ignored()
  for (call in long_calls) {
    told <- 0
    broken <- function(fraction) {
      told <<- told + 1
      stop("the bar broke")
    }
    settings <- run_settings(backend = "cpu", threads = 1, progress = TRUE, bar = broken)
    expect_error(with_polls(call(settings)), "the bar broke")
    expect_identical(told, 1)
    settings$bar <- function(fraction) tools::pskill(Sys.getpid(), tools::SIGINT)
    expect_identical(
      tryCatch(with_polls(call(settings)), interrupt = function(condition) "interrupted"),
      "interrupted"
    )
  }
  expect_identical(gpu_collisions(1:3, 1), 2)
})

test_that("a signal from outside ends a call with a progress bar, and the session lives on", {
  output <- tempfile()
  on.exit(unlink(output))
  start_rscript(
    c(
      "library(gpugeo)",
      "set.seed(1)",
      "x <- matrix(runif(2e7), 2e5) # hours",
      "cat('process', Sys.getpid(), '\\n')",
      "value <- tryCatch(",
      "  gpu_knn(x, 3, method = gpu_metric('minkowski', p = 2.5), backend = 'cpu', threads = 1,",
      "          progress = TRUE),",
      "  interrupt = function(condition) 'interrupted'",
      ")",
      "cat('\\nvalue:', value[[1]], '\\n')",
      "cat('after:', gpu_dist(1:2), '\\n')"
    ),
    output,
    env = "GPUGEO_TEST_POLLS=1"
  )
  expect_true(wait_for("^process", output))
  line <- grep("^process", readLines(output), value = TRUE)
  process <- as.integer(sub("^process ([0-9]+).*", "\\1", line))
  on.exit(tools::pskill(process, tools::SIGKILL), add = TRUE)
  expect_true(wait_for("Neighbours", output))
  tools::pskill(process, tools::SIGINT)
  expect_true(wait_for("^value: interrupted", output))
  expect_true(wait_for("^after: 1", output))
})

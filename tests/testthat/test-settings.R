x <- matrix(rnorm(30), 10)

# Evaluates code with an environment variable set, or with an option.
with_variable <- function(name, value, code) {
  set <- function(value) do.call(Sys.setenv, stats::setNames(list(value), name))
  old <- Sys.getenv(name)
  on.exit(set(old))
  set(value)
  code
}

with_option <- function(name, value, code) {
  old <- do.call(options, stats::setNames(list(value), name))
  on.exit(options(old))
  code
}

test_that("an argument goes before an option, an option before an environment variable", {
  with_variable("GPUGEO_THREADS", "3", {
    expect_equal(gpu_info()$defaults$threads, 3)
    gpu_dist(x, backend = "cpu")
    expect_identical(gpu_info()$last$threads, 3L)
    with_option("gpugeo.threads", 2, {
      expect_equal(gpu_info()$defaults$threads, 2)
      gpu_dist(x, backend = "cpu")
      expect_identical(gpu_info()$last$threads, 2L)
      gpu_dist(x, backend = "cpu", threads = 1)
      expect_identical(gpu_info()$last$threads, 1L)
    })
  })
})

test_that("all five have an option and an environment variable", {
  values <- list(backend = "cpu", threads = 2, device = 1, precision = "single", progress = TRUE)
  for (name in names(values)) {
    with_option(paste0("gpugeo.", name), values[[name]], {
      expect_identical(gpu_info()$defaults[[name]], values[[name]])
    })
    with_variable(paste0("GPUGEO_", toupper(name)), as.character(values[[name]]), {
      expect_identical(gpu_info()$defaults[[name]], values[[name]])
    })
  }
})

test_that("the environment names all devices too", {
  with_variable("GPUGEO_DEVICE", "all", {
    expect_identical(gpu_info()$defaults$device, "all")
    expect_length(gpu_dist(x), 45L)
  })
})

test_that("a default that is wrong is an error of the call", {
  with_option("gpugeo.precision", "half", {
    expect_error(gpu_dist(x), "precision must be one of", class = "gpugeo_error")
  })
  with_variable("GPUGEO_THREADS", "many", {
    expect_error(gpu_dist(x), "threads must be a whole number", class = "gpugeo_error")
  })
  with_variable("GPUGEO_DEVICE", "first", {
    expect_error(gpu_dist(x), 'device must be "all" or .* not "first"', class = "gpugeo_error")
  })
  with_variable("GPUGEO_PROGRESS", "maybe", {
    expect_error(gpu_dist(x), "progress must be true or false", class = "gpugeo_error")
  })
})

test_that("progress is for interactive sessions, but not for knitr", {
  skip_if_not_installed("knitr") # setting its option calls it
  expect_true(default_progress(interactive = TRUE))
  expect_false(default_progress(interactive = FALSE))
  with_option("knitr.in.progress", TRUE, expect_false(default_progress(interactive = TRUE)))
})

test_that("R CMD check gets no more than two threads", {
  code <- "cat(gpugeo::gpu_info()$threads)"
  threads <- rscript(code, c("_R_CHECK_LIMIT_CORES_=TRUE", "GPUGEO_THREADS=", "OMP_NUM_THREADS=4"))
  expect_lte(as.integer(threads), 2L)
})

# Expectations for loops over many cases: those of testthat take about 2 ms each, even if they hold.

# expect_identical(), whose comparison is made only for the message.
expect_same <- function(actual, expected, info = NULL) {
  if (identical(actual, expected)) {
    return(invisible(testthat::succeed()))
  }
  difference <- utils::head(all.equal(actual, expected, tolerance = 0), 3)
  testthat::fail(paste(c(info, "the values differ:", difference), collapse = " "))
}

# Passes if `problem` is "", and fails with it otherwise.
expect_no_problem <- function(problem) {
  if (nzchar(problem)) testthat::fail(problem) else testthat::succeed()
}

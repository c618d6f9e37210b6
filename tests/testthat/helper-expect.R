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

# The rules of stats::cor() for missing values.
cor_uses <- c("everything", "all.obs", "complete.obs", "na.or.complete", "pairwise.complete.obs")

# The same value, attributes and warnings of correlations or covariances, or an error in both.
# stats::cor() and stats::cov() refuse some empty data and have NA for others; here all have NA, and
# no columns give a matrix without elements.
expect_same_cor <- function(ours, theirs) {
  if (inherits(theirs$value, "failed") && (grepl("empty", theirs$value) || !length(ours$value))) {
    expect_same(inherits(ours$value, "failed") || all(is.na(ours$value)), TRUE)
    return()
  }
  expect_same(ours$warnings, theirs$warnings)
  if (inherits(theirs$value, "failed")) {
    expect_same(class(ours$value), "failed")
  } else {
    expect_same(attributes(ours$value), attributes(theirs$value))
    expect_same(is.na(ours$value), is.na(theirs$value))
    expect_same(all.equal(ours$value, theirs$value, tolerance = 1e-13), TRUE)
  }
}

# Every row of inst/extdata/cases.csv on every backend there is.

# Missing and infinite values must agree, all others within the bound of the case.
expect_within <- function(actual, expected, relative, absolute) {
  expect_identical(length(actual), length(expected))
  expect_false(any(is.nan(actual)))
  expect_identical(is.na(actual), is.nan(expected))
  exact <- is.na(expected) | is.infinite(expected)
  bound <- ifelse(exact, 0, absolute + relative * abs(expected))
  same <- is.na(actual) | actual == expected
  expect_true(all(same | abs(actual - expected) <= bound))
}

check_golden <- function(case, backend) {
  result <- golden_run(case, backend)
  if (nzchar(case$error)) {
    expect_s3_class(result$value, "failed")
    expect_identical(unclass(result$value), case$error)
    return()
  }
  warnings <- if (nzchar(case$note)) golden_warning(case$note) else character()
  expect_identical(result$warnings, warnings)
  expected <- golden_matrix(case$expected)
  if (case$`function` != "dist") {
    expect_identical(dim(result$value), dim(expected))
  }
  expect_within(
    as.vector(result$value), as.vector(expected), as.numeric(case$tolerance),
    as.numeric(case$absolute)
  )
}

cases <- golden_cases()
has_file <- grepl("file=", cases$options, fixed = TRUE)
for (backend in backends) {
  for (i in seq_len(nrow(cases))) {
    test_that(paste("golden case", cases$case[i], "on", backend), {
      skip_if(has_file[i] && !nzchar(gpu_hdf5_version()), "built without HDF5")
      check_golden(cases[i, ], backend)
    })
  }
}

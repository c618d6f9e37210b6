# Every row of tests/golden/cases.csv on every backend there is, and with sparse matrices where the
# function takes them.

# What is wrong with values, or "": missing and infinite ones must agree, all others lie within the
# bound of the case.
problem_of_values <- function(actual, expected, relative, absolute) {
  if (length(actual) != length(expected)) {
    return(sprintf("%d values, not %d", length(actual), length(expected)))
  }
  exact <- is.na(expected) | is.infinite(expected)
  bound <- ifelse(exact, 0, absolute + relative * abs(expected))
  near <- !is.na(actual) & (actual == expected | abs(actual - expected) <= bound)
  right <- !is.nan(actual) & is.na(actual) == is.nan(expected) & (is.na(actual) | near)
  wrong <- which(is.na(right) | !right)
  if (!length(wrong)) {
    return("")
  }
  at <- wrong[1]
  sprintf("%d values are wrong: %s, not %s", length(wrong), actual[at], expected[at])
}

# What is wrong with the result of a case on a backend, or "".
problem_of <- function(case, backend, sparse) {
  result <- golden_run(case, backend, sparse)
  failed <- inherits(result$value, "failed")
  error <- if (failed) as.character(unclass(result$value)) else ""
  if (error != case$error) {
    return(sprintf("error \"%s\", not \"%s\"", error, case$error))
  }
  if (failed) {
    return("")
  }
  warnings <- if (nzchar(case$note)) golden_warning(case$note) else character()
  if (!identical(result$warnings, warnings)) {
    return(sprintf("warnings \"%s\"", paste(result$warnings, collapse = "\", \"")))
  }
  expected <- golden_matrix(case$expected)
  if (case$`function` != "dist" && !identical(dim(result$value), dim(expected))) {
    return(sprintf("%s rows and columns", paste(dim(result$value), collapse = " x ")))
  }
  problem_of_values(
    as.vector(result$value), as.vector(expected), as.numeric(case$tolerance),
    as.numeric(case$absolute)
  )
}

check_golden <- function(case, backend, sparse = FALSE) {
  problem <- problem_of(case, backend, sparse)
  expect_no_problem(if (nzchar(problem)) paste0("golden case ", case$case, ": ", problem) else "")
}

cases <- golden_cases()
in_file <- grepl("file=", cases$options, fixed = TRUE)
for (backend in backends) {
  for (part in split(cases, list(cases$`function`, in_file), drop = TRUE)) {
    test_that(sprintf("golden cases of %s on %s", part$`function`[1], backend), {
      needs_hdf5 <- grepl("file=", part$options[1], fixed = TRUE)
      skip_if(needs_hdf5 && !nzchar(gpu_hdf5_version()), "built without HDF5")
      for (i in seq_len(nrow(part))) check_golden(part[i, ], backend)
    })
  }
}

# Great circles refuse sparse matrices.
sparse_functions <- c("dist", "cdist", "cor", "cov", "knn", "radius", "unifrac")
takes_sparse <- cases$`function` %in% sparse_functions & !in_file & cases$method != "great-circle"
for (backend in backends) {
  for (part in split(cases[takes_sparse, ], cases$`function`[takes_sparse])) {
    test_that(sprintf("golden cases of %s, sparse, on %s", part$`function`[1], backend), {
      skip_if_not_installed("Matrix")
      for (i in seq_len(nrow(part))) check_golden(part[i, ], backend, sparse = TRUE)
    })
  }
}

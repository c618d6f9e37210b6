# Runs tests/testthat on the installed gpugeo and closes with the line that tools/check adds up.
library(gpugeo)
results <- as.data.frame(testthat::test_dir(
  "tests/testthat",
  package = "gpugeo", load_package = "installed",
  reporter = "summary", stop_on_failure = FALSE
))
failed <- sum(results$failed + results$error)
skipped <- sum(results$skipped)
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(results$passed), failed, skipped))
quit(status = as.integer(failed > 0))

# Builds the package in linkingto/, which calls the C API through gpugeo_r.h.
test_that("C code of other packages can call the API", {
  work <- tempfile("work")
  library <- file.path(work, "library")
  dir.create(library, recursive = TRUE)
  on.exit(unlink(work, recursive = TRUE))
  file.copy(test_path("linkingto"), work, recursive = TRUE)
  source <- file.path(work, "linkingto")
  log <- suppressWarnings(system2(
    file.path(R.home("bin"), "R"),
    c("CMD", "INSTALL", "--no-test-load", paste0("--library=", library), source),
    stdout = TRUE, stderr = TRUE,
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  ))
  expect_null(attr(log, "status"), info = paste(log, collapse = "\n"))
  # Through a variable: to R CMD check a literal name is a package that DESCRIPTION must state.
  name <- "gpugeolinked"
  linked <- loadNamespace(name, lib.loc = library)
  on.exit(unloadNamespace(name), add = TRUE)

  set.seed(25)
  x <- matrix(rnorm(300 * 7), 300)
  expected <- as.vector(gpu_dist(x, "canberra"))
  for (work_bytes in c(0, 1, 1e5)) {
    expect_identical(linked$distances(x, "canberra", work_bytes), expected)
  }
  expect_error(linked$distances(x, "unknown", 0), "method must be one of", fixed = TRUE)
  expect_equal(linked$correlations(x), as.vector(cor(x)), tolerance = 1e-14)
  pair <- gpu_closest_pair(x[, 1:3])
  expect_identical(linked$closest(x[, 1:3]), c(pair$i - 1, pair$j - 1, pair$distance))
  expect_identical(linked$collisions(x[, 1:3], 0.5), gpu_collisions(x[, 1:3], 0.5))
  expect_error(linked$collisions(x[, 1:3], 0), "radius must be", fixed = TRUE)
  expect_identical(linked$devices(), nrow(gpu_info()$devices))
  expect_identical(linked$threads(), gpu_info()$threads)

  triangle <- file.path(work, "triangle.txt")
  writeLines(c("1 2 3 3", "2 3 4 4", "1 3 7 7"), triangle)
  edges <- file.path(work, "edges.txt")
  writeLines(c("1 2", "2 3", "1 3"), edges)
  missed <- linked$every_function(file.path(work, "distances.h5"), triangle, edges)
  expect_identical(missed, character())
})

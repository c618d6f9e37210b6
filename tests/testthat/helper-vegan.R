# Returns a data set of package vegan.
vegan_data <- function(name) {
  found <- new.env()
  utils::data(list = name, package = "vegan", envir = found)
  found[[name]]
}

# Calls a test of vegan and gpugeo's with the same arguments after the same seed, and compares what
# the objects of all tests have. Returns list(expected, got).
call_both <- function(theirs, ours, ...) {
  set.seed(3)
  expected <- theirs(...)
  set.seed(3)
  got <- ours(...)
  expect_identical(class(got), class(expected))
  expect_identical(names(got), names(expected))
  same <- setdiff(names(expected$control), c("call", "all.perms"))
  expect_identical(got$control[same], expected$control[same])
  list(expected = expected, got = got)
}

# Expects the same bits of a test of the groups of iris, by Euclidean distances, from all sources.
# test(x, ...): the parts of its value that are compared.
expect_same_from_sources <- function(test, name) {
  x <- as.matrix(iris[1:4])
  order <- t(vapply(1:20, function(k) (seq_len(150) * 7L + k * 11L) %% 150L + 1L, integer(150)))
  results <- function(x, ...) test(x, iris$Species, order, ...)
  expected <- results(x, "euclidean", threads = 1)
  expect_identical(results(x, "euclidean", threads = 3), expected)
  expect_identical(results(x, "euclidean", memory_limit = 2^20), expected)
  expect_identical(results(gpu_dist(x)), expected)
  expect_identical(results(iris[1:4], "euclidean"), expected)
  expect_identical(gpu_info()$last$`function`, name)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  expect_identical(results(gpu_dist(x, file = file)), expected)
  unlink(file)
}

# Calls vegan::adonis2(), whose versions look up the left side of the formula in the calling frame
# or in the formula's environment: here both have it.
vegan_adonis2 <- function(formula, data, ...) {
  left <- eval(formula[[2L]], environment(formula))
  formula[[2L]] <- quote(left)
  environment(formula) <- list2env(list(left = left), parent = environment(formula))
  vegan::adonis2(formula, data, ...)
}

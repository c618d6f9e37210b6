expect_vegan <- function(got, expected) {
  expect_identical(class(got), class(expected))
  expect_identical(names(got), names(expected))
  expect_identical(got$signif, expected$signif)
  expect_equal(got$statistic, expected$statistic, tolerance = 1e-13)
  expect_equal(got$perm, expected$perm, tolerance = 1e-11)
  same <- setdiff(names(expected), c("call", "signif", "statistic", "perm", "control"))
  expect_identical(got[same], expected[same])
  same <- setdiff(names(expected$control), c("call", "all.perms"))
  expect_identical(got$control[same], expected$control[same])
}

# Calls both with the same arguments after the same seed.
both <- function(...) {
  set.seed(3)
  expected <- vegan::mantel(...)
  set.seed(3)
  expect_vegan(gpu_mantel(...), expected)
}
both_partial <- function(x, y, z, ...) {
  set.seed(3)
  expected <- vegan::mantel.partial(x, y, z, ...)
  set.seed(3)
  got <- gpu_mantel_partial(x, y, z, ...)
  expect_vegan(got, expected)
  set.seed(3)
  same <- setdiff(names(got), "call")
  expect_identical(unclass(gpu_mantel(x, y, ..., zdis = z))[same], unclass(got)[same])
}

test_that("results are those of vegan", {
  skip_if_not_installed("vegan")
  species <- vegan::vegdist(vegan_data("varespec"))
  varechem <- vegan_data("varechem")
  soil <- stats::dist(scale(varechem))
  acid <- stats::dist(varechem$pH)
  blocks <- gl(4, 6)
  for (method in c("pearson", "spearman")) {
    both(species, soil, method)
    both(species, acid, method, permutations = 99, strata = blocks)
    both(as.matrix(species), as.matrix(soil), method, permute::shuffleSet(24, 30))
    both(acid, species, method, 0)
    both_partial(species, soil, acid, method, 199)
    both_partial(acid, soil, species, method, 99, strata = blocks)
  }
  both(stats::dist(c(1, 4, 9, 11)), stats::dist(c(2, 3, 9, 8)))
  expect_output(print(gpu_mantel(species, soil, "s", 19)), "Mantel statistic based on Spearman")
})

test_that("missing distances, one permutation and distances without variance are as in vegan", {
  skip_if_not_installed("vegan")
  species <- vegan::vegdist(vegan_data("varespec"))
  soil <- stats::dist(scale(vegan_data("varechem")))
  acid <- stats::dist(vegan_data("varechem")$pH)
  gaps <- species
  gaps[c(3, 50, 200)] <- NA
  holes <- soil
  holes[c(3, 70)] <- NA
  for (method in c("pearson", "spearman")) {
    both(gaps, holes, method, 99, na.rm = TRUE)
    both(species, soil, method, 49, na.rm = TRUE)
    both_partial(gaps, soil, acid, method, 49, na.rm = TRUE)
    both_partial(species, gaps, holes, method, 19, gl(4, 6), TRUE)
    both(species, soil, method, 9, strata = gl(24, 1)) # leaves no permutation
  }
  four <- stats::dist(c(1, 4, 9, 11))
  both(four, four^2, permutations = 99) # all 23
  expected <- suppressWarnings(vegan::mantel(0 * species, soil, permutations = 9))
  got <- gpu_mantel(0 * species, soil, permutations = 9)
  expect_true(is.na(got$statistic) && is.na(expected$statistic))
  expect_true(is.na(got$signif) && is.na(expected$signif))
})

test_that("negative distances are those of vegan", {
  skip_if_not_installed("vegan")
  species <- vegan::vegdist(vegan_data("varespec"))
  varechem <- vegan_data("varechem")
  soil <- stats::dist(scale(varechem))
  for (negative in c(-1e-17, -1e-7, -3)) {
    soil[c(1, 40, 77)] <- negative
    for (method in c("pearson", "spearman")) {
      both(species, soil, method, permutations = 99)
      both(as.matrix(soil), -species, method, permutations = 99)
      both_partial(soil, species, stats::dist(varechem$pH) - 1, method, permutations = 99)
    }
  }
})

test_that("missing distances in a file are those in memory", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  x <- as.matrix(iris[1:20, 1:4])
  x[3, ] <- NA
  file <- tempfile(fileext = ".h5")
  stored <- gpu_dist(x, file = file)
  y <- gpu_dist(iris[1:20, 1:2])
  order <- rbind(20:1, c(2:20, 1L))
  got <- gpu_mantel(stored, y, permutations = order, na.rm = TRUE)
  expect_identical(got$statistic, stats::cor(c(stats::as.dist(stored)), c(y), use = "complete.obs"))
  expect_identical(got$perm, gpu_mantel(gpu_dist(x), y, permutations = order, na.rm = TRUE)$perm)
  unlink(file)
})

test_that("objects are printed without vegan, too", {
  d <- stats::dist(c(1, 4, 9, 11))
  order <- rbind(4:1, c(2, 1, 4, 3), 1:4)
  expect_output(print_mantel(gpu_mantel(d, d, permutations = order)), paste0(
    "Mantel test: Pearson's product-moment correlation\nCall: gpu_mantel\\(.*\n",
    "r = 1, p = 0.5\nPermutation: supplied matrix\nNumber of permutations: 3"
  ))
})

test_that("Kendall's correlation is that of stats::cor()", {
  x <- stats::dist(round(5 * sin(1:9))) # ties
  y <- stats::dist(cos(1:9))
  z <- stats::dist(sin(3 * (1:9)))
  step <- rep(c(2L, 4L, 5L), 10L)
  order <- t(vapply(1:30, function(k) (seq_len(9) * step[k] + k) %% 9L + 1L, 1:9))
  gap <- x
  gap[c(3, 20)] <- NA
  for (left in list(x, gap)) {
    tau <- function(a, b) stats::cor(c(a), c(b), use = "complete.obs", method = "kendall")
    expected <- apply(rbind(1:9, order), 1L, function(row) {
      moved <- stats::as.dist(as.matrix(left)[row, row])
      c(tau(moved, y), tau(moved, z))
    })
    got <- gpu_mantel(left, y, "kendall", order, na.rm = TRUE)
    expect_equal(c(got$statistic, got$perm), expected[1L, ], tolerance = 1e-13)
    reached <- expected[1L, ] >= expected[1L, 1L] - sqrt(.Machine$double.eps)
    expect_equal(got$signif, sum(reached) / 31)
    expect_identical(got$method, "Kendall's rank correlation tau")
    yz <- tau(y, z)
    partial <- (expected[1L, ] - expected[2L, ] * yz) / sqrt((1 - expected[2L, ]^2) * (1 - yz^2))
    got <- gpu_mantel_partial(left, as.matrix(y), z, "k", order, na.rm = TRUE, threads = 2)
    expect_equal(c(got$statistic, got$perm), partial, tolerance = 1e-12)
  }
  expect_identical(
    gpu_mantel(x, y, "kendall", order)$perm, gpu_mantel(x, y, "kendall", order, na.rm = TRUE)$perm
  )
  expect_identical(gpu_info()$last$`function`, "gpu_mantel")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  stored <- gpu_dist(cos(1:9), file = file)
  expect_equal(
    gpu_mantel(x, stored, "kendall", order)$perm, gpu_mantel(x, y, "kendall", order)$perm
  )
  unlink(file)
})

test_that("all sources and threads give the same bits", {
  x <- gpu_dist(as.matrix(iris[1:2]))
  y <- gpu_dist(as.matrix(iris[3:4]))
  order <- t(vapply(1:20, function(k) (seq_len(150) * 7L + k * 11L) %% 150L + 1L, integer(150)))
  results <- function(x, y, ...) {
    gpu_mantel(x, y, "spearman", order, ...)[c("signif", "perm", "statistic")]
  }
  expected <- results(x, y, threads = 1)
  expect_identical(results(x, y, threads = 3), expected)
  expect_identical(results(as.matrix(x), y), expected)
  expect_identical(gpu_info()$last$`function`, "gpu_mantel")
  expect_identical(gpu_mantel(x, 0 * y, permutations = order)$statistic, NaN)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  expect_identical(results(gpu_dist(as.matrix(iris[1:2]), file = file), y), expected)
  unlink(file)
})

test_that("CUDA gives the bits of the CPU", {
  skip_if_not("cuda" %in% backends)
  set.seed(1)
  points <- lapply(1:3, function(k) matrix(stats::rnorm(1200), 300))
  d <- lapply(points, gpu_dist, backend = "cpu")
  d[[2L]] <- round(d[[2L]], 1L) # ties
  there <- lapply(points[c(1L, 3L)], gpu_dist, keep = "device")
  order <- t(vapply(1:20, function(k) sample.int(300L), integer(300)))
  for (method in c("pearson", "spearman")) {
    for (z in list(NULL, d[[3L]])) {
      results <- function(x, z, ...) {
        gpu_mantel(x, d[[2L]], method, order, zdis = z, ...)[c("signif", "perm", "statistic")]
      }
      expected <- results(d[[1L]], z, backend = "cpu")
      expect_identical(results(d[[1L]], z, backend = "cuda"), expected)
      expect_identical(gpu_info()$last$backend, "cuda")
      expect_identical(results(there[[1L]], z, backend = "cuda"), expected)
      other <- if (!is.null(z)) there[[2L]]
      expect_identical(results(there[[1L]], other, backend = "cuda"), expected)
      expect_identical(results(there[[1L]], z, backend = "cpu"), expected)
    }
  }
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  order <- matrix(4:1, 1)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(
    gpu_mantel(d, d, "tau"), 'method must be one of "pearson", "spearman", "kendall", not "tau"'
  )
  wrong(
    gpu_mantel(stats::dist(c(1, NA, 3, 4)), d, "kendall", order),
    "xdis must have finite distances only, but 3 of them are missing"
  )
  wrong(
    gpu_mantel(d, 1:6),
    'ydis must be of class "dist", "gpu_dist_file" or "gpu_dist_device" or a square matrix, not c('
  )
  wrong(
    gpu_mantel(d, stats::dist(1:3), permutations = order),
    "ydis must have as many points as xdis, 4, not 3"
  )
  wrong(
    gpu_mantel(stats::dist(c(1, NA, 3, 4)), d, permutations = order),
    "xdis must have finite distances only, but 3 of them are not; the first is missing"
  )
  gaps <- stats::dist(c(1, NA, 3, 4))
  wrong(gpu_mantel(gaps, d, na.rm = NA), "na.rm must be true or false, not NA")
  wrong(
    gpu_mantel(gaps, stats::dist(1:3), permutations = order, na.rm = TRUE),
    "ydis must have as many points as xdis, 4, not 3"
  )
  wrong(
    gpu_mantel(gaps, d / 0, permutations = order, na.rm = TRUE),
    "ydis must have finite distances or missing ones, not infinite ones"
  )
})

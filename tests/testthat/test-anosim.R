both <- function(...) {
  made <- call_both(vegan::anosim, gpu_anosim, ...)
  expected <- made$expected
  got <- made$got
  expect_identical(got$signif, expected$signif)
  expect_equal(got$statistic, expected$statistic, tolerance = 1e-13)
  expect_equal(got$perm, unname(expected$perm), tolerance = 1e-11)
  same <- c("permutations", "class.vec", "dis.rank", "dissimilarity")
  expect_identical(got[same], expected[same])
}

test_that("results are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(dune)
  both(d, sites$Management)
  both(d, sites$Use, permutations = 99, strata = sites$Management)
  both(stats::dist(dune > 2, "binary"), sites$Moisture) # many ties
  both(as.matrix(d), as.character(sites$Management), 99)
  both(d, sites$Management, permute::shuffleSet(20, 30))
  both(d, sites$Management, permute::how(nperm = 19, within = permute::Within("series")))
  both(d, sites$Management, 0)
  both(stats::dist(c(1, 4, 9, 11)), gl(2, 2)) # fewer permutations than asked for
  both(stats::dist(c(1, 4, 9, 11)), c(1, 2, 2, 3), 19) # groups of one
  cores <- vegan_data("mite.env")
  both(vegan::vegdist(vegan_data("mite")), cores$Topo, 199)
  bray <- gpu_anosim(dune, sites$Management, permute::shuffleSet(20, 9))
  expect_equal(bray$statistic, vegan::anosim(d, sites$Management, 9)$statistic)
  expect_identical(bray$dissimilarity, "braycurtis")
  expect_output(print(bray), "ANOSIM statistic R: ")
})

test_that("edges are those of vegan", {
  skip_if_not_installed("vegan")
  d <- vegan::vegdist(vegan_data("dune"))
  use <- vegan_data("dune.env")$Management
  four <- stats::dist(c(1, 4, 9, 11))
  both(four, gl(2, 2), 99, strata = gl(4, 1)) # leaves no permutation
  both(0 * d, use, 19)
  suppressWarnings(both(d - 0.5, use, 19))
  expect_warning(vegan::anosim(d - 0.5, use, 1), "some dissimilarities are negative")
  expect_warning(
    gpu_anosim(d - 0.5, use, matrix(20:1, 1)),
    "some distances of x are negative; the smallest is -0.2",
    fixed = TRUE
  )
  for (negative in c(-1e-17, -1e-7, -1)) { # ranks in any order
    tiny <- d
    tiny[c(1, 40, 77)] <- negative
    suppressWarnings(both(tiny, use, 19))
    suppressWarnings(both(as.matrix(tiny), use, 19))
  }
  tiny[] <- pmax(tiny, -1e-8)
  expect_silent(gpu_anosim(tiny, use, matrix(20:1, 1)))
  for (groups in list(rep(1, 20), 1:20)) {
    expect_error(vegan::anosim(d, groups, 9))
    expect_error(gpu_anosim(d, groups, 9), class = "gpugeo_error")
  }
})

test_that("objects are printed without vegan, too", {
  order <- rbind(4:1, c(2, 1, 4, 3), 1:4)
  made <- gpu_anosim(stats::dist(c(1, 4, 9, 11)), gl(2, 2), order)
  expect_output(print_anosim(made), paste0(
    "Analysis of similarities\nCall: gpu_anosim\\(.*\nR = 1, p = 1\n",
    "Permutation: supplied matrix\nNumber of permutations: 3"
  ))
})

test_that("all sources and threads give the same bits", {
  parts <- c("signif", "perm", "statistic", "dis.rank")
  expect_same_from_sources(function(...) gpu_anosim(...)[parts], "gpu_anosim")
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  order <- matrix(4:1, 1)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(
    gpu_anosim(d, 1:3, order), "grouping must have a value for each of the 4 points, not 3 values"
  )
  few <- "grouping must have at least two groups, and one of at least two points"
  wrong(gpu_anosim(d, rep(1, 4), order), few)
  wrong(gpu_anosim(d, 1:4, order), few)
  wrong(gpu_anosim(d, c(1, NA, 1, 2), order), "grouping must have no missing values")
  wrong(
    gpu_anosim(d, gl(2, 2), order[, 1:3, drop = FALSE]),
    "permutations must have a row of the numbers 1 to 4"
  )
  wrong(
    gpu_anosim(matrix(1:8, 4), gl(2, 2), order, "hyperbolic"), "distance must be one of "
  )
  wrong(
    gpu_anosim(stats::dist(c(1, NA, 3, 4)), gl(2, 2), order),
    "x must have finite distances only, but 3 of them are not; the first is missing"
  )
})

test_that("a factor may have more levels than there are points", {
  set.seed(1)
  x <- matrix(runif(20), 10)
  group <- rep(1:2, 5)
  many <- factor(group, levels = 1:40)
  none <- matrix(0L, 0L, 10L) # no permutations, which need no package permute
  statistic <- function(group) gpu_anosim(x, group, none)$statistic
  expect_identical(statistic(many), statistic(group))
})

both <- function(...) {
  made <- call_both(vegan::mrpp, gpu_mrpp, ...)
  expected <- made$expected
  got <- made$got
  expect_identical(got$Pvalue, expected$Pvalue)
  near <- c("delta", "E.delta", "classdelta", "A")
  expect_equal(got[near], expected[near], tolerance = 1e-13)
  expect_equal(got$boot.deltas, unname(expected$boot.deltas), tolerance = 1e-13)
  same <- c("CS", "n", "distance", "weight.type", "permutations")
  expect_identical(got[same], expected[same])
}

test_that("results are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(dune)
  for (type in 1:3) both(d, sites$Management, weight.type = type)
  both(d, sites$Use, permutations = 99, strata = sites$Management)
  both(stats::dist(dune > 2, "binary"), sites$Moisture, weight.type = 2) # many ties
  both(as.matrix(d), as.character(sites$Management), 99)
  both(as.data.frame(as.matrix(d)), sites$Management, 99)
  both(dune, sites$Management, 99)
  both(dune, sites$Management, 99, "manhattan", 3, sites$Use)
  both(d, sites$Management, permute::shuffleSet(20, 30))
  both(d, sites$Management, permute::how(nperm = 19, within = permute::Within("series")))
  both(d, sites$Management, 0)
  both(d, rep("one", 20), 19)
  both(stats::dist(c(1, 4, 9, 11)), gl(2, 2)) # fewer permutations than asked for
  both(stats::dist(c(1, 4, 9, 11)), c(1, 2, 2, 3), 19) # groups of one
  both(stats::dist(c(1, 4, 9, 11)), factor(c(1, 2, 2, 2), 1:5), 19) # levels without points
  cores <- vegan_data("mite.env")
  both(vegan::vegdist(vegan_data("mite")), cores$Topo, 199)
  plots <- vegan_data("BCI.env")
  both(vegan::vegdist(vegan_data("BCI")), plots$Habitat, 199, weight.type = 2)
  bray <- gpu_mrpp(dune, sites$Management, permute::shuffleSet(20, 9), "bray")
  expect_equal(bray$delta, vegan::mrpp(d, sites$Management, 9)$delta)
  expect_output(print(bray), "Chance corrected within-group agreement A: ")
})

test_that("edges are those of vegan", {
  skip_if_not_installed("vegan")
  d <- vegan::vegdist(vegan_data("dune"))
  use <- vegan_data("dune.env")$Management
  both(stats::dist(c(1, 4, 9, 11)), gl(2, 2), 99, strata = gl(4, 1)) # leaves no permutation
  both(0 * d, use, 19)
  both(d^6, use, 19) # far from metric
  tiny <- d
  tiny[c(1, 40, 77)] <- c(-1e-17, -1e-10, -1e-8) # by rounding
  both(tiny, use, 19)
  expect_error(vegan::mrpp(-d, use, 9), "non-negative")
  expect_error(gpu_mrpp(-d, use, 9), "dat must have distances of at least", class = "gpugeo_error")
})

test_that("objects are printed without vegan, too", {
  order <- rbind(4:1, c(1, 3, 2, 4), 1:4)
  made <- gpu_mrpp(stats::dist(c(1, 4, 9, 11)), gl(2, 2), order)
  expect_output(print_mrpp(made), paste0(
    "Multiresponse permutation procedure\nCall: gpu_mrpp\\(.*\ndelta = 2.5, p = 0.75\n",
    "Permutation: supplied matrix\nNumber of permutations: 3"
  ))
})

test_that("all sources and threads give the same bits", {
  parts <- c("delta", "E.delta", "classdelta", "boot.deltas")
  expect_same_from_sources(function(...) gpu_mrpp(...)[parts], "gpu_mrpp")
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  order <- matrix(4:1, 1)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(
    gpu_mrpp(d, 1:3, order), "grouping must have a value for each of the 4 points, not 3 values"
  )
  wrong(gpu_mrpp(d, 1:4, order), "grouping must have a group of at least two points")
  wrong(gpu_mrpp(d, c(1, NA, 1, 2), order), "grouping must have no missing values")
  wrong(
    gpu_mrpp(d, gl(2, 2), order, weight.type = "2"),
    'weight.type must be a whole number between 1 and 3, not "2"'
  )
  wrong(
    gpu_mrpp(d, gl(2, 2), order[, 1:3, drop = FALSE]),
    "permutations must have a row of the numbers 1 to 4"
  )
  wrong(gpu_mrpp(matrix(1:8, 4), gl(2, 2), order, "hyperbolic"), "distance must be one of ")
  wrong(
    gpu_mrpp(d, gl(2, 2), order, gpu_metric("minkowski", 3)),
    "distance must be given with points, not with distances"
  )
  wrong(
    gpu_mrpp(stats::dist(c(1, NA, 3, 4)), gl(2, 2), order),
    "dat must have finite distances only, but 3 of them are not; the first is missing"
  )
  wrong(
    gpu_mrpp(-d, gl(2, 2), order),
    "dat must have distances of at least 0, but 6 are negative; the first is -3"
  )
})

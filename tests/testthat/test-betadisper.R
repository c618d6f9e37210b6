# Compares the results of both; the call is each one's own.
expect_vegan <- function(got, expected, tolerance = 1e-12) {
  expect_identical(class(got), class(expected))
  expect_identical(names(got), names(expected))
  same <- setdiff(names(expected), "call")
  expect_equal(unclass(got)[same], unclass(expected)[same], tolerance = tolerance)
  expect_identical(
    attributes(got)[c("method", "type", "bias.adjust")],
    attributes(expected)[c("method", "type", "bias.adjust")]
  )
}

both <- function(...) {
  expected <- suppressWarnings(suppressMessages(vegan::betadisper(...)))
  got <- suppressWarnings(suppressMessages(gpu_betadisper(...)))
  expect_vegan(got, expected)
  invisible(got)
}

test_that("results are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  use <- vegan_data("dune.env")$Management
  d <- vegan::vegdist(dune)
  for (type in c("median", "centroid")) {
    both(d, use, type)
    both(d, use, type, bias.adjust = TRUE)
    both(d, use, type, sqrt.dist = TRUE)
    both(d, use, type, add = TRUE)
    both(d, use, type, add = "cailliez")
    both(stats::dist(dune), as.character(use), type)
    both(d, rep("one", 20), type)
    both(d, factor(rep(c("a", "b"), c(1, 19)), c("none", "a", "b")), type) # a group of one
    both(stats::dist(cbind(1:20, 0)), use, type) # on a line
  }
  both(0 * d, use) # vegan refuses it with centroids
  expect_length(gpu_betadisper(0 * d, use, "centroid")$eig, 0L)
  expect_identical(both(d, use)$distances, vegan::betadisper(d, use)$distances)
  species <- vegan::vegdist(vegan_data("varespec"))
  both(species, factor(c(rep(1, 16), rep(2, 8)), labels = c("grazed", "ungrazed")))
  both(vegan::vegdist(vegan_data("BCI")), vegan_data("BCI.env")$Habitat)
  both(vegan::vegdist(vegan_data("mite")), vegan_data("mite.env")$Topo, "centroid")
})

test_that("points without a group, and missing distances, are left out", {
  skip_if_not_installed("vegan")
  d <- vegan::vegdist(vegan_data("dune"))
  use <- vegan_data("dune.env")$Management
  few <- use
  few[c(2, 9)] <- NA
  both(d, few)
  d[c(1, 30)] <- NA
  both(d, use)
  both(d, few)
  expect_message(gpu_betadisper(d, use), "2 points are left out, whose distances to points before")
  expect_message(gpu_betadisper(d, few), "2 points are left out, whose group is missing")
})

test_that("the methods of vegan work, and give the same p-values", {
  skip_if_not_installed("vegan")
  cases <- list(
    list(vegan::vegdist(vegan_data("dune")), vegan_data("dune.env")$Management),
    list(vegan::vegdist(vegan_data("varespec")), gl(2, 8, 24)),
    list(vegan::vegdist(vegan_data("BCI")), vegan_data("BCI.env")$Habitat)
  )
  tests <- function(made) {
    set.seed(4)
    vegan::permutest(made, pairwise = TRUE, permutations = 199)
  }
  for (case in cases) {
    expected <- vegan::betadisper(case[[1]], case[[2]])
    got <- gpu_betadisper(case[[1]], case[[2]])
    expect_identical(tests(got)$tab$`Pr(>F)`, tests(expected)$tab$`Pr(>F)`)
    expect_identical(tests(got)$pairwise, tests(expected)$pairwise)
    expect_identical(stats::anova(got), stats::anova(expected))
    expect_identical(stats::TukeyHSD(got)$group, stats::TukeyHSD(expected)$group)
    expect_identical(vegan::scores(got), vegan::scores(expected))
  }
  expect_output(print(got), "No. of Negative Eigenvalues: 6")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  plot(got)
  boxplot(got)
  grDevices::dev.off()
  unlink(file)
})

# Compares gpugeo's test with vegan's.
both_tests <- function(made, ...) {
  set.seed(4)
  expected <- suppressMessages(vegan::permutest(made, ...))
  set.seed(4)
  got <- suppressMessages(gpu_permutest(made, ...))
  expect_identical(class(got), class(expected))
  expect_identical(names(got), names(expected))
  expect_identical(got$tab$`Pr(>F)`, expected$tab$`Pr(>F)`)
  expect_identical(got$pairwise$permuted, expected$pairwise$permuted)
  expect_equal(got$pairwise$observed, expected$pairwise$observed, tolerance = 1e-13)
  expect_equal(got$tab, expected$tab, tolerance = 1e-12)
  expect_equal(got$statistic, expected$statistic, tolerance = 1e-12)
  expect_equal(got$perm, expected$perm, tolerance = 1e-10)
  expect_identical(got$groups, expected$groups)
  same <- setdiff(names(expected$control), c("call", "all.perms"))
  expect_identical(got$control[same], expected$control[same])
}

test_that("the permutation test is vegan's", {
  skip_if_not_installed("vegan")
  cases <- list(
    list(vegan::vegdist(vegan_data("dune")), vegan_data("dune.env")$Management),
    list(vegan::vegdist(vegan_data("varespec")), gl(2, 8, 24)),
    list(vegan::vegdist(vegan_data("BCI")), vegan_data("BCI.env")$Habitat),
    list(stats::dist(c(1, 4, 9, 11, 20)), c(1, 1, 2, 2, 2)) # fewer permutations than asked for
  )
  for (case in cases) {
    made <- gpu_betadisper(case[[1L]], case[[2L]])
    both_tests(made)
    both_tests(made, TRUE, 199)
    both_tests(vegan::betadisper(case[[1L]], case[[2L]], "centroid"), TRUE, 199)
  }
  made <- gpu_betadisper(cases[[1L]][[1L]], cases[[1L]][[2L]])
  both_tests(made, TRUE, permute::how(nperm = 49, blocks = gl(4, 5)))
  both_tests(made, TRUE, permute::shuffleSet(20, 19))
  expect_identical(gpu_permutest(made, TRUE, 0)$tab$`Pr(>F)`, c(1, NA)) # an error in vegan
  expect_output(print(gpu_permutest(made, TRUE, 9)), "Pairwise comparisons:")
})

test_that("the permutation test needs no vegan", {
  x <- as.matrix(iris[1:4])
  made <- gpu_betadisper(x, iris$Species, "centroid", metric = "euclidean")
  order <- t(vapply(1:30, function(k) (seq_len(150) * 7L + k * 11L) %% 150L + 1L, integer(150)))
  got <- gpu_permutest(made, TRUE, order)
  model <- stats::lm(made$distances ~ iris$Species)
  f <- stats::anova(model)$F[1L]
  permuted <- vapply(1:30, function(k) {
    stats::anova(stats::lm(stats::resid(model)[order[k, ]] ~ iris$Species))$F[1L]
  }, 0)
  expect_equal(got$statistic[[1L]], f)
  expect_equal(got$perm[, 1L], permuted)
  expect_identical(got$tab$`Pr(>F)`[1L], (1 + sum(permuted >= f)) / 31)
  pair <- iris$Species != "virginica"
  t <- stats::t.test(made$distances[pair] ~ iris$Species[pair], var.equal = TRUE)
  expect_equal(got$statistic[["setosa-versicolor (t)"]], t$statistic[[1L]])
  expect_equal(got$pairwise$observed[["setosa-versicolor"]], t$p.value)
  expect_output(print_permutest(got), paste0(
    "Permutation test of the dispersions of groups\nPermutation: supplied matrix\n",
    "Number of permutations: 30\n.*N.Perm.*Groups.*Residuals.*Pairs of groups: .*observed +permuted"
  ))
})

test_that("distances from centroids are those of the definition", {
  x <- as.matrix(iris[1:4])
  centroids <- stats::aggregate(x, list(iris$Species), mean)
  gaps <- x - as.matrix(centroids[-1L])[iris$Species, ]
  got <- gpu_betadisper(x, iris$Species, "centroid", method = "euclidean")
  expect_equal(unname(got$distances), unname(sqrt(rowSums(gaps^2))), tolerance = 1e-12)
  expect_equal(c(got$group.distances), c(tapply(sqrt(rowSums(gaps^2)), iris$Species, mean)))
  expect_output(print_betadisper(got), paste0(
    "Eigenvalues: 4 positive, 0 negative\nMean distance to the centroid of each group:\n"
  ))
  # Four corners of a square: each point is as far from their centre.
  corners <- gpu_betadisper(stats::dist(cbind(c(0, 0, 2, 2), c(0, 2, 0, 2))), rep("all", 4))
  expect_equal(unname(corners$distances), rep(sqrt(2), 4))
})

test_that("all sources give the same bits", {
  x <- as.matrix(iris[1:4])
  spread <- function(d, ...) gpu_betadisper(d, iris$Species, ...)$distances
  expected <- spread(gpu_dist(x))
  expect_identical(spread(x, method = "euclidean", threads = 3), expected)
  expect_identical(unname(spread(as.matrix(gpu_dist(x)))), unname(expected))
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  expect_identical(unname(spread(gpu_dist(x, file = file))), unname(expected))
  unlink(file)
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  two <- gl(2, 2)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_betadisper(d, 1:3), "group must have a value for each of the 4 points, not 3 values")
  wrong(gpu_betadisper(d, two, "mean"), 'type must be one of "median", "centroid", not "mean"')
  wrong(gpu_betadisper(d, two, bias.adjust = NA), "bias.adjust must be true or false, not NA")
  wrong(gpu_betadisper(d, two, sqrt.dist = 1), "sqrt.dist must be true or false, not 1")
  wrong(
    gpu_betadisper(d, two, add = "x"), 'add must be true, false, "lingoes" or "cailliez", not "x"'
  )
  wrong(
    gpu_betadisper(d, two, method = gpu_metric("minkowski", 3)),
    "method must be given with points, not with distances"
  )
  wrong(gpu_betadisper(-d, two), "d must have distances of at least 0, but the smallest is -10")
  wrong(
    gpu_betadisper(d / 0, two), "d must have finite distances only, but the largest is Inf"
  )
  wrong(gpu_betadisper(matrix(1:8, 4), two, method = "hyperbolic"), "method must be one of ")
  wrong(gpu_permutest(1), 'x must be of class "betadisper", not 1')
  made <- gpu_betadisper(d, two)
  wrong(gpu_permutest(made, 1), "pairwise must be true or false, not 1")
  wrong(
    gpu_permutest(gpu_betadisper(d, rep(1, 4)), permutations = matrix(1:4, 1)),
    "x must have at least two groups, and more points than groups"
  )
})

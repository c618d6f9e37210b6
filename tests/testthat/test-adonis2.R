# Compares a table with vegan's: the same p-values, degrees of freedom, labels and heading; the
# others up to rounding.
expect_vegan <- function(got, expected) {
  expect_identical(class(got), class(expected))
  expect_identical(rownames(got), rownames(expected))
  expect_identical(names(got), names(expected))
  expect_equal(got$Df, expected$Df)
  expect_equal(got$SumOfSqs, expected$SumOfSqs, tolerance = 1e-10)
  expect_equal(got$R2, expected$R2, tolerance = 1e-10)
  expect_equal(got$F, expected$F, tolerance = 1e-10)
  expect_identical(got$`Pr(>F)`, expected$`Pr(>F)`)
  expect_identical(attr(got, "heading")[1L], attr(expected, "heading")[1L])
  permuted <- attr(expected, "F.perm")
  expect_equal(attr(got, "F.perm"), permuted, tolerance = 1e-9, ignore_attr = TRUE)
  expect_identical(attr(got, "Random.seed"), attr(expected, "Random.seed"))
  same <- setdiff(names(attr(expected, "control")), c("call", "all.perms"))
  expect_equal(attr(got, "control")[same], attr(expected, "control")[same])
}

# Calls both with the same arguments after the same seed.
both <- function(formula, data, permutations = 199, ..., by = "terms") {
  set.seed(7)
  expected <- vegan::adonis2(formula, data, permutations, ..., by = by)
  set.seed(7)
  expect_vegan(gpu_adonis2(formula, data, permutations, ..., by = by), expected)
}

test_that("tables are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  for (d in list(vegan::vegdist(dune), stats::dist(dune), vegan::vegdist(dune, "jaccard"))) {
    for (by in list("terms", "margin", "onedf", NULL)) {
      both(d ~ Management, sites, by = by)
      both(d ~ A1, sites, by = by)
      both(d ~ Management * A1, sites, by = by)
      both(d ~ Moisture + Use + Manure, sites, by = by) # an aliased column
      both(d ~ Management:Use + A1, sites, by = by)
    }
    both(d ~ ., sites[c("A1", "Use")])
    both(d ~ Management, sites, sqrt.dist = TRUE)
    both(as.matrix(d) ~ poly(A1, 2) + Use, sites)
  }
  both(dune ~ Management, sites, method = "bray")
  both(dune ~ Use + A1, sites, method = "euclidean", by = "margin")
  both(dune ~ Use, sites, method = "manhattan", permutations = 0)
})

test_that("tables of other data are those of vegan", {
  skip_if_not_installed("vegan")
  mite <- vegan_data("mite")
  cores <- vegan_data("mite.env")
  d <- vegan::vegdist(mite)
  both(d ~ Substrate, cores)
  both(d ~ Shrub * Topo + SubsDens, cores)
  both(d ~ SubsDens + WatrCont + Substrate + Shrub + Topo, cores, by = "margin")
  trees <- vegan_data("BCI")
  plots <- vegan_data("BCI.env")
  d <- vegan::vegdist(trees, "jaccard", binary = TRUE) # semimetric roots
  both(d ~ Habitat, plots)
  both(d ~ Stream + Habitat + EnvHet, plots)
  varespec <- vegan_data("varespec")
  varechem <- vegan_data("varechem")
  both(vegan::vegdist(varespec) ~ N + P + K, varechem, by = "margin")
})

test_that("permutations are those of package permute", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  both(d ~ A1, sites, strata = sites$Management)
  both(d ~ Management, sites, strata = sites$Management) # changes nothing
  how <- permute::how
  with(sites, both(d ~ A1, sites, how(nperm = 99, blocks = Use)))
  series <- how(nperm = 19, within = permute::Within("series", mirror = TRUE))
  both(d ~ A1, sites, series)
  plots <- permute::Plots(gl(4, 5), "free")
  both(d ~ A1, sites, how(nperm = 49, within = permute::Within("none"), plots = plots))
  series <- permute::Plots(gl(10, 2), "series")
  both(d ~ A1, sites, how(nperm = 49, within = permute::Within("none"), plots = series))
  both(d ~ A1, sites, how(nperm = 49, within = permute::Within("grid", nrow = 4, ncol = 5)))
  both(d ~ A1, sites, permute::shuffleSet(20, 30))
  both(d ~ A1, sites, rbind(20:1, 1:20))
  four <- stats::dist(c(1, 4, 9, 11))
  both(four ~ g, data.frame(g = gl(2, 2)), 999) # fewer permutations than asked for
})

test_that("a number of permutations takes the random numbers of package permute", {
  skip_if_not_installed("permute")
  for (n in c(5, 12, 13, 30)) {
    d <- stats::dist(sin(seq_len(n)^2))
    x <- seq_len(n)
    drawn <- lapply(list(99, 0, permute::how(nperm = 99), "matrix"), function(kind) {
      set.seed(5)
      if (identical(kind, "matrix")) {
        kind <- suppressMessages(permute::shuffleSet(n, 99))
      }
      table <- suppressMessages(gpu_adonis2(d ~ x, permutations = kind))
      list(
        F = attr(table, "F.perm"), p = table$`Pr(>F)`, seed = attr(table, "Random.seed"),
        after = stats::runif(1)
      )
    })
    expect_identical(drawn[[1L]], drawn[[3L]])
    expect_identical(drawn[[1L]], drawn[[4L]])
    expect_identical(drawn[[2L]]$seed, drawn[[3L]]$seed)
    expect_identical(dim(drawn[[2L]]$F), c(0L, 1L))
  }
})

test_that("one factor of several columns takes groups if its rows are those of groups", {
  d <- stats::dist(sin(seq_len(40)^2))
  order <- rbind(40:1, c(2:40, 1L))
  g <- gl(5, 8)
  h <- cos(as.integer(g) + 0.1) # as many different values, but one degree of freedom
  by_groups <- gpu_adonis2(d ~ g, permutations = order)
  same <- stats::model.matrix(~g)[, -1L]
  expect_identical(
    unclass(gpu_adonis2(d ~ same, permutations = order))$F, unclass(by_groups)$F
  )
  expect_equal(gpu_adonis2(d ~ poly(h, 4), permutations = order)$F, by_groups$F)
  expect_equal(
    gpu_adonis2(d ~ (g == 1) + (g == 2) + (g == 3) + (g == 4), permutations = order, by = NULL)$F,
    by_groups$F
  )
  same[1L, ] <- 0.5 # a sixth kind of row
  by_columns <- d ~ same[, 1] + same[, 2] + same[, 3] + same[, 4]
  expect_equal(
    gpu_adonis2(d ~ same, permutations = order)$F[1L],
    gpu_adonis2(by_columns, permutations = order, by = NULL)$F[1L]
  )
})

test_that("missing values, and models that explain nothing or everything, are those of vegan", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  sites$A1[c(3, 8)] <- NA
  expect_error(gpu_adonis2(d ~ A1, sites), "missing values in object")
  both(d ~ A1 + Use, sites, na.action = stats::na.omit)
  expect_error(
    gpu_adonis2(matrix(1:40, 20) ~ A1, sites, na.action = stats::na.omit),
    "na.action must keep all samples unless the left side of formula is an object of class \"dist",
    fixed = TRUE
  )
  few <- stats::dist(c(1, 4, 9, 11))
  for (g in list(gl(4, 1), rep(1, 4))) {
    set.seed(1)
    expected <- vegan::adonis2(few ~ g)
    set.seed(1)
    got <- gpu_adonis2(few ~ g)
    expect_identical(rownames(got), rownames(expected))
    expect_equal(as.matrix(got), as.matrix(expected), tolerance = 1e-10)
    expect_identical(attr(got, "heading")[1L], attr(expected, "heading")[1L])
  }
})

test_that("the printed table has the call", {
  skip_if_not_installed("permute")
  set.seed(1)
  d <- gpu_dist(iris[1:4])
  expect_output(
    print(gpu_adonis2(d ~ Species, iris, 99)),
    paste(
      "Permutation test for adonis under reduced model\nTerms added sequentially (first to last)",
      "Permutation: free\nNumber of permutations: 99\n",
      "gpu_adonis2(formula = d ~ Species, data = iris",
      sep = "\n"
    ),
    fixed = TRUE
  )
})

test_that("all sources and threads give the same bits", {
  x <- as.matrix(iris[1:4])
  order <- t(vapply(1:50, function(k) (seq_len(150) * 7L + k * 11L) %% 150L + 1L, integer(150)))
  table <- function(left, ...) {
    made <- gpu_adonis2(left ~ Species * Sepal.Width, iris, order, ...)
    unclass(made)[c("SumOfSqs", "F", "Pr(>F)")]
  }
  expected <- table(x, "euclidean", threads = 1)
  expect_identical(table(x, "euclidean", threads = 3), expected)
  expect_identical(table(x, "euclidean", memory_limit = 2^20), expected)
  expect_identical(table(gpu_dist(x)), expected)
  expect_identical(table(iris[1:4], "euclidean"), expected)
  expect_equal(table(x, function(a, b) sqrt(sum((a - b)^2))), expected, tolerance = 1e-12)
  expect_identical(gpu_info()$last$`function`, "gpu_adonis2")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  expect_identical(table(gpu_dist(x, file = file)), expected)
  unlink(file)
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  g <- gl(2, 2)
  none <- matrix(0L, 0, 4)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_adonis2(~g), "formula must have a left and a right side, not be ")
  wrong(gpu_adonis2(d ~ g, by = "axis"), 'by must be one of "terms", "margin", "onedf", not "axis"')
  wrong(gpu_adonis2(d ~ g, permutations = none, sqrt.dist = NA), "sqrt.dist must be true or false")
  wrong(
    gpu_adonis2(d ~ g, permutations = none, p = 1),
    "p must be given with points, not with distances"
  )
  wrong(
    gpu_adonis2(d ~ gl(5, 1), permutations = none),
    "the left side of formula must have the 5 points of the right side, not 4"
  )
  wrong(
    gpu_adonis2(matrix(1:8, 4) ~ g, permutations = none, method = "hyperbolic"),
    "method must be one of "
  )
  wrong(
    gpu_adonis2(d ~ g, permutations = rbind(4:1, c(1, 1, 2, 3))),
    "permutations must have each of the numbers 1 to 4 once, but permutation 2 has two of 1"
  )
  for (row in list(c(1L, NA, 2L, 3L), c(4, 3, 2, NA), 4:1 + 0.5, c(4, 3, 2, 1e10))) {
    wrong(
      gpu_adonis2(d ~ g, permutations = rbind(4:1, row)),
      "permutations must have a row of the numbers 1 to 4 for each permutation"
    )
  }
  wrong(
    gpu_adonis2(d ~ g, permutations = rbind(4:1, c(1L, -.Machine$integer.max, 2L, 3L))),
    "permutations must have each of the numbers 1 to 4 once, but permutation 2 has -2147483647"
  )
  wrong(
    gpu_adonis2(d ~ g, permutations = matrix(1:3, 1)),
    "permutations must have a row of the numbers 1 to 4 for each permutation"
  )
  wrong(
    gpu_adonis2(stats::dist(c(1, NA, 3, 4)) ~ g, permutations = none),
    "the left side of formula must have finite distances only, but 3 of them are not; the first is"
  )
  wrong(
    gpu_adonis2(-d ~ g, permutations = none),
    "the left side of formula must have distances of at least 0, but 6 are negative; the first is"
  )
  skip_if_not_installed("permute")
  wrong(gpu_adonis2(d ~ g, permutations = -1), "permutations must be a whole number of at least 0")
  wrong(
    gpu_adonis2(d ~ g, permutations = 9, strata = 1:3),
    "strata must have a value for each of the 4 points, not 3 values"
  )
})

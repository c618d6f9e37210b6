# Compares a table with vegan's: the same p-values, degrees of freedom, labels and heading; the
# others up to rounding.
expect_vegan <- function(got, expected, tolerance = 1e-10) {
  expect_identical(class(got), class(expected))
  expect_identical(rownames(got), rownames(expected))
  expect_identical(names(got), names(expected))
  expect_equal(got$Df, expected$Df)
  expect_equal(got$SumOfSqs, expected$SumOfSqs, tolerance = tolerance)
  expect_equal(got$R2, expected$R2, tolerance = tolerance)
  expect_equal(got$F, expected$F, tolerance = tolerance)
  expect_identical(got$`Pr(>F)`, expected$`Pr(>F)`)
  expect_identical(attr(got, "heading")[1L], attr(expected, "heading")[1L])
  permuted <- attr(expected, "F.perm")
  expect_equal(attr(got, "F.perm"), permuted, tolerance = 10 * tolerance, ignore_attr = TRUE)
  expect_identical(attr(got, "Random.seed"), attr(expected, "Random.seed"))
  same <- setdiff(names(attr(expected, "control")), c("call", "all.perms"))
  expect_equal(attr(got, "control")[same], attr(expected, "control")[same])
}

# Calls both with the same arguments after the same seed.
#
# without_freedom  terms whose F is 0 / 0, which is left to rounding there
both <- function(formula, data, permutations = 199, ..., by = "terms", without_freedom = NULL,
                 tolerance = 1e-10) {
  set.seed(7)
  expected <- vegan_adonis2(formula, data, permutations, ..., by = by)
  set.seed(7)
  got <- suppressMessages(gpu_adonis2(formula, data, permutations, ..., by = by))
  for (k in without_freedom) {
    expect_identical(got$Df[k], 0)
    expect_lt(abs(expected$SumOfSqs[k]), 1e-10)
    permuted <- attr(expected, "F.perm")
    permuted[, k] <- NaN
    expected <- structure(expected, F.perm = permuted)
    expected$F[k] <- NaN
    expected$SumOfSqs[k] <- expected$R2[k] <- 0
    expected$`Pr(>F)`[k] <- NA_real_
  }
  expect_vegan(got, expected, tolerance)
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

test_that("margins with the model may be more columns than points", {
  x <- matrix(sin(1:24), 12)
  none <- matrix(0L, 0L, 12L)
  data <- data.frame(f = gl(4, 3), g = gl(3, 1, 12), a = c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5))
  data$b <- data$a^2
  sums <- function(formula, by) gpu_adonis2(formula, data, none, "euclidean", by = by)$SumOfSqs
  margins <- sums(x ~ f + g + a + b, "margin") # 7 columns, and as many of margins
  expect_length(margins, 6L)
  residual <- sums(x ~ f + g + a + b, NULL)[2L]
  without <- list(x ~ g + a + b, x ~ f + a + b, x ~ f + g + b, x ~ f + g + a)
  rest <- vapply(without, function(formula) sums(formula, NULL)[2L], 0)
  expect_equal(margins, c(rest - residual, residual, sum(scale(x, scale = FALSE)^2)))
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

test_that("a factor with other contrasts, or without some of its levels, is that of vegan", {
  skip_if_not_installed("vegan")
  d <- stats::dist(sin(seq_len(40)^2))
  letter <- rep(c("a", "d", "b", "e", "c"), c(1, 12, 3, 15, 9))
  sites <- data.frame(
    plain = factor(letter), unused = factor(letter, letters[8:1]),
    ordered = factor(letter, ordered = TRUE), sums = factor(letter), two = factor(letter),
    text = letter
  )
  stats::contrasts(sites$sums) <- "contr.sum"
  stats::contrasts(sites$two, 2) <- cbind(c(1, 1, 0, 0, 0), c(0, 0, 1, 2, 3))
  model <- function(name) {
    model_of(model_frame(stats::reformulate(name, "d"), sites, stats::na.fail), "terms")
  }
  expect_identical(model("two")$rank, 2L)
  for (by in list("terms", "onedf", "margin", NULL)) {
    both(d ~ plain, sites, by = by)
    both(d ~ unused, sites, by = by)
    both(d ~ ordered, sites, by = by)
    both(d ~ sums, sites, by = by)
    both(d ~ two, sites, by = by)
    both(d ~ text, sites, by = by)
  }
  general <- model("text") # by the matrix of all points
  for (name in c("plain", "unused", "ordered", "sums")) {
    made <- model(name)
    names(made$columns) <- names(made$df) <- "text"
    expect_identical(made[sort(names(made))], general[sort(names(general))])
  }
})

test_that("missing values, and models that explain nothing or everything, are those of vegan", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  sites$A1[c(3, 8)] <- NA
  expect_error(
    gpu_adonis2(d ~ A1, sites),
    paste(
      "variable A1 of formula must have no missing values, but value 3 is missing;",
      "na.action = na.omit leaves out samples"
    ),
    class = "gpugeo_error"
  )
  both(d ~ A1 + Use, sites, na.action = stats::na.omit)
  both(d ~ A1, sites, na.action = stats::na.exclude, by = "margin")
  both(d ~ A1 + Use, sites, na.action = stats::na.omit, sqrt.dist = TRUE, add = TRUE)
  both(vegan_data("dune") ~ A1 * Use, sites, method = "bray", na.action = stats::na.omit)
  both(vegan_data("dune") ~ A1, sites, method = "euclidean", add = TRUE, na.action = stats::na.omit)
  few <- stats::dist(c(1, 4, 9, 11))
  for (g in list(gl(4, 1), rep(1, 4))) {
    set.seed(1)
    expected <- vegan_adonis2(few ~ g)
    set.seed(1)
    got <- gpu_adonis2(few ~ g)
    expect_identical(rownames(got), rownames(expected))
    expect_equal(as.matrix(got), as.matrix(expected), tolerance = 1e-10)
    expect_identical(attr(got, "heading")[1L], attr(expected, "heading")[1L])
  }
})

test_that("corrections are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  for (add in list(TRUE, "lingoes", "cailliez", FALSE)) {
    # vegan takes the constant of Cailliez from the eigenvalues of a matrix that is not symmetric.
    tolerance <- if (identical(add, "cailliez")) 1e-7 else 1e-10
    for (d in list(vegan::vegdist(dune), vegan::vegdist(dune)^3, stats::dist(dune))) {
      both(d ~ Management * A1, sites, add = add, tolerance = tolerance)
      both(
        d ~ Management + A1, sites, add = add, by = "margin", sqrt.dist = TRUE,
        tolerance = tolerance
      )
    }
    both(dune ~ Use, sites, method = "bray", add = add, tolerance = tolerance)
    both(stats::dist(c(1, 4, 9, 11)) ~ gl(2, 2), add = add, tolerance = tolerance)
  }
  d <- vegan::vegdist(dune)
  both(d ~ Use, sites, 99, "bray", TRUE, "cailliez", tolerance = 1e-7) # by position
  set.seed(1)
  expected <- vegan_adonis2(d ~ Use, sites, 99, "bray", FALSE, TRUE, "margin", 1)
  set.seed(1)
  expect_vegan(gpu_adonis2(d ~ Use, sites, 99, "bray", FALSE, TRUE, "margin", 1), expected)
})

test_that("negative distances are those of vegan", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  for (negative in c(-1e-17, -1e-7, -2e-7, -0.5)) {
    d[c(1, 40, 77)] <- negative
    for (add in c("lingoes", "cailliez")) both(d ~ Management + A1, sites, add = add)
    if (negative >= -1e-7) { # by rounding
      both(d ~ Management + A1, sites, by = "margin")
      both(as.matrix(d) ~ Use, sites)
      next
    }
    expect_error(vegan_adonis2(d ~ Use, sites, 9), "must be non-negative")
    expect_error(
      gpu_adonis2(d ~ Use, sites, 9),
      paste(
        "the left side of formula must have distances of at least 0, but 3 are negative; the first",
        "is", negative
      ),
      class = "gpugeo_error"
    )
  }
  d[c(1, 40, 77)] <- -1e-17 # has no root
  expect_error(suppressWarnings(vegan_adonis2(d ~ Use, sites, 9, add = TRUE, sqrt.dist = TRUE)))
  expect_error(
    gpu_adonis2(d ~ Use, sites, 9, add = TRUE, sqrt.dist = TRUE),
    "the left side of formula must have distances of at least 0, but the smallest is -1e-17",
    class = "gpugeo_error"
  )
})

test_that("positions of arguments are those of vegan", {
  skip_if_not_installed("vegan")
  theirs <- list(
    vegan::adonis2, vegan::anosim, vegan::mrpp, vegan::mantel, vegan::mantel.partial,
    vegan::betadisper
  )
  ours <- list(gpu_adonis2, gpu_anosim, gpu_mrpp, gpu_mantel, gpu_mantel_partial, gpu_betadisper)
  for (k in seq_along(theirs)) {
    names <- setdiff(names(formals(theirs[[k]])), "...")
    expect_identical(names(formals(ours[[k]]))[seq_along(names)], names)
  }
})

test_that("corrections and samples left out give the same for files as for memory", {
  x <- as.matrix(iris[1:4])
  order <- t(vapply(1:20, function(k) (seq_len(148) * 5L + k * 11L) %% 148L + 1L, integer(148)))
  data <- iris
  data$Species[c(1, 77)] <- NA
  d <- gpu_dist(x, "manhattan")
  table <- function(left, ...) {
    made <- gpu_adonis2(left ~ Species, data, order, ..., na.action = stats::na.omit)
    unclass(made)[c("SumOfSqs", "F", "Pr(>F)")]
  }
  square <- as.matrix(d)[-c(1, 77), -c(1, 77)]
  kept <- data[-c(1, 77), ]
  expected <- unclass(gpu_adonis2(stats::as.dist(square) ~ Species, kept, order))
  expected <- expected[c("SumOfSqs", "F", "Pr(>F)")]
  expect_identical(table(d), expected)
  expect_identical(table(x, method = "manhattan"), expected)
  expect_identical(table(x, metric = "manhattan"), expected)
  corrected <- table(d, add = "cailliez", sqrt.dist = TRUE)
  expect_identical(table(x, metric = "manhattan", add = "cailliez", sqrt.dist = TRUE), corrected)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- gpu_dist(x, "manhattan", file = file)
  expect_identical(table(stored), expected)
  expect_identical(table(stored, add = "cailliez", sqrt.dist = TRUE), corrected)
  big <- matrix(sin(1:1200), 1200)
  stored <- gpu_dist(big, file = tempfile(fileext = ".h5"))
  on.exit(unlink(stored$file), add = TRUE)
  expect_error(
    gpu_adonis2(stored ~ gl(2, 600), add = TRUE, memory_limit = 2^20),
    paste(
      "the left side of formula must fit into memory_limit: its 719400 distances take 5.5 MiB, and",
      "memory_limit is 1 MiB"
    ),
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("distances of some points are those of the square matrix", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  x <- matrix(sin(1:300), 100)
  file <- tempfile(fileext = ".h5")
  stored <- gpu_dist(x, file = file)
  d <- stats::dist(x)
  for (kept in list(1:100, 2:3, c(1L, 50L, 100L), seq(1, 100, 3), 7L)) {
    expected <- c(stats::as.dist(as.matrix(d)[kept, kept, drop = FALSE]))
    expect_identical(c(distances_among(gpu_dist(x), kept, NULL, NULL)), c(stats::as.dist(
      as.matrix(gpu_dist(x))[kept, kept, drop = FALSE]
    )))
    expect_equal(c(distances_among(stored, kept, NULL, NULL)), expected, tolerance = 1e-14)
  }
  unlink(file)
  big <- gpu_dist(matrix(sin(1:3000), 3000), file = file) # several blocks
  got <- distances_among(big, seq(1, 2999, 1), NULL, NULL)
  expect_true(identical(c(got), c(gpu_dist(matrix(sin(1:2999), 2999)))))
  unlink(file)
})

test_that("edges are those of vegan", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  four <- stats::dist(c(1, 4, 9, 11))
  sites$twice <- 2 * sites$A1
  sites$again <- factor(paste0("x", sites$Management))
  for (by in list("terms", "onedf", NULL)) { # terms that add nothing
    both(d ~ A1 + twice + Use, sites, by = by)
    both(d ~ Management + again, sites, by = by)
    both(0 * d ~ Management, sites, by = by)
    both(d^6 ~ Management * A1, sites, by = by) # far from metric
  }
  one <- gl(4, 1)
  for (by in list("terms", "onedf", NULL)) {
    both(four ~ gl(2, 2), permutations = 99, strata = one, by = by)
  }
  alone <- suppressMessages(gpu_adonis2(four ~ gl(2, 2), strata = one, by = "margin"))
  expect_identical(alone$`Pr(>F)`[1L], 1) # an error in vegan
  both(four ~ factor(c(1, 2, 3, 3))) # groups of one
  negative <- stats::as.dist(1 - diag(6))
  negative[c(3, 8, 12)] <- 9 # pairs of a group are far apart: a negative sum of squares
  pairs <- factor(c(1, 2, 3, 1, 2, 3))
  both(negative ~ pairs)
  expect_lt(suppressMessages(gpu_adonis2(negative ~ pairs))$SumOfSqs[1L], 0)
  both(d ~ A1 + twice + Use, sites, by = "margin", without_freedom = 1:2)
})

test_that("a term that adds nothing has no degrees of freedom", {
  order <- rbind(4:1, c(2L, 1L, 4L, 3L))
  x <- c(1, 2, 4, 7)
  twice <- 2 * x
  got <- gpu_adonis2(stats::dist(c(1, 4, 9, 11)) ~ x + twice, permutations = order, by = "margin")
  expect_identical(got$Df, c(0, 0, 2, 3))
  expect_identical(got$SumOfSqs[1:2], c(0, 0))
  expect_identical(got$F[1:2], c(NaN, NaN))
})

test_that("by is NULL, or the beginning of a name", {
  d <- stats::dist(sin(1:12))
  sites <- data.frame(a = cos(1:12), b = gl(2, 6))
  order <- rbind(12:1, c(2:12, 1L))
  table <- function(...) as.matrix(gpu_adonis2(d ~ a + b, sites, order, ...))
  expect_identical(rownames(table()), c("Model", "Residual", "Total"))
  for (by in c("terms", "margin", "onedf")) {
    expect_identical(table(by = substring(by, 1L, 2L)), table(by = by))
  }
  expect_identical(table(by = "TERMS"), table(by = "terms"))
})

test_that("variables that give no numbers are named", {
  d <- stats::dist(c(1, 4, 9, 11))
  order <- matrix(4:1, 1)
  wrong <- function(v, message, ...) {
    expect_error(
      gpu_adonis2(d ~ v, list(v = v), order, ...), message, fixed = TRUE, class = "gpugeo_error"
    )
  }
  gap <- "variable v of formula must have no missing values, but value 2 is missing"
  wrong(c(1, NA, 3, 4), gap, na.action = stats::na.pass)
  wrong(factor(c(1, NA, 2, 2)), gap, na.action = stats::na.pass)
  wrong(c(1, NA, 3, 4), gap)
  wrong(c(1, Inf, 3, 4), "variable v of formula must have finite values only")
  large <- data.frame(v = c(1, 2, 3, 4))
  class(large$v) <- "integer64" # as in package bit64
  expect_error(
    gpu_adonis2(d ~ v, large, order),
    "variable v of formula must have numbers that R knows, not integer64; as.double() converts it",
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_error(
    gpu_adonis2(d ~ not_there, permutations = order),
    "formula must have variables with one value for each point: object 'not_there' not found",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("a vector of distances is named in the error", {
  d <- c(stats::dist(c(1, 4, 9, 11)))
  g <- gl(2, 2)
  hint <- paste(
    "a vector of the distances among 4 points must be given as structure(v, class = \"dist\",",
    "Size = 4)"
  )
  wrong <- function(code) expect_error(code, hint, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_adonis2(d ~ g, permutations = matrix(4:1, 1)))
  wrong(gpu_anosim(d, g, matrix(4:1, 1)))
  wrong(gpu_mrpp(d, g, matrix(4:1, 1)))
  wrong(gpu_betadisper(d, g))
  wrong(gpu_pairwise_adonis(d, g))
})

test_that("the printed table has the call", {
  skip_if_not_installed("permute")
  set.seed(1)
  d <- gpu_dist(iris[1:4])
  expect_output(
    print(gpu_adonis2(d ~ Species, iris, 99, by = "terms")),
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
    gpu_adonis2(d ~ g, permutations = none, add = 1),
    'add must be true, false, "lingoes" or "cailliez", not 1'
  )
  wrong(
    gpu_adonis2(d ~ g, permutations = none, add = TRUE, method = gpu_metric("minkowski", 1)),
    "method must be given with points, not with distances"
  )
  wrong(
    gpu_adonis2(-d ~ g, permutations = none, add = TRUE, sqrt.dist = TRUE),
    "the left side of formula must have distances of at least 0, but the smallest is -10"
  )
  wrong(
    gpu_adonis2(stats::dist(c(1, NA, 3, 4)) ~ g, permutations = none, add = TRUE),
    "the left side of formula must have finite distances only, but 3 of them are not; the first is"
  )
  gap <- factor(c(1, 1, 2, 2, NA))
  wrong(
    gpu_adonis2(d ~ gap, permutations = none, na.action = stats::na.omit),
    "the left side of formula must have the 5 points of the right side, not 4"
  )
  wrong(
    gpu_adonis2(d ~ g, permutations = none, method = gpu_metric("minkowski", 1)),
    "method must be given with points, not with distances"
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

test_that("conditions give the test of gpu_dbrda()", {
  counts <- dune_counts()
  sites <- dune_sites()
  order <- t(vapply(1:19, function(k) (seq_len(20) * 7L + k * 11L) %% 20L + 1L, integer(20)))
  d <- gpu_vegdist(counts)
  m <- gpu_dbrda(d ~ A1 * Management + Condition(Moisture), sites)
  for (by in list(NULL, "terms", "margin", "onedf")) {
    table <- gpu_adonis2(d ~ A1 * Management + Condition(Moisture), sites, order, by = by)
    expected <- anova(m, by = by, permutations = order)
    expect_equal(table$F, c(expected$F, NA))
    expect_identical(table$`Pr(>F)`, c(expected$`Pr(>F)`, NA))
    expect_equal(table$SumOfSqs, c(expected$SumOfSqs, m$tot.chi))
    expect_equal(table$Df, c(expected$Df, 19))
    expect_equal(table$R2, table$SumOfSqs / m$tot.chi)
    expect_identical(rownames(table), c(rownames(expected), "Total"))
    expect_equal(attr(table, "F.perm"), attr(expected, "F.perm"), ignore_attr = TRUE)
  }
  from_points <- gpu_adonis2(
    counts ~ A1 * Management + Condition(Moisture), sites, order, method = "bray", by = "onedf"
  )
  expect_equal(from_points$F, table$F)
  corrected <- gpu_adonis2(d ~ A1 + Condition(Moisture), sites, order, sqrt.dist = TRUE, add = TRUE)
  expected <- gpu_dbrda(d ~ A1 + Condition(Moisture), sites, sqrt.dist = TRUE, add = TRUE)
  expect_equal(corrected$F[1L], anova(expected, permutations = order)$F[1L])
  sites$A1[4] <- NA
  some <- gpu_adonis2(d ~ A1 + Condition(Moisture), sites, order[, -4] - (order[, -4] > order[, 4]),
    na.action = stats::na.omit
  )
  expected <- gpu_dbrda(d ~ A1 + Condition(Moisture), sites, na.action = stats::na.omit)
  expect_equal(some$SumOfSqs[1L], expected$CCA$tot.chi)
})

test_that("conditions may leave nothing", {
  d <- stats::dist(c(1, 4, 9, 11))
  a <- c(1, 3, 2, 5)
  order <- rbind(4:1)
  nothing <- gpu_adonis2(d ~ a + Condition(I(2 * a)), permutations = order)
  expect_equal(nothing$Df, c(0, 2, 3))
  expect_identical(attr(nothing, "heading")[1L], "No constrained component\n")
  expect_equal(nothing$SumOfSqs[2L], gpu_adonis2(d ~ a, permutations = order)$SumOfSqs[2L])
  whole <- gpu_adonis2(d ~ gl(4, 1) + Condition(a), permutations = order)
  expect_equal(whole$Df, c(2, 0, 3))
  expect_identical(attr(whole, "heading")[1L], "No residual component\n")
  expect_equal(whole$SumOfSqs, c(nothing$SumOfSqs[2L], 0, nothing$SumOfSqs[3L]))
  expect_error(
    gpu_adonis2(d ~ a:Condition(a), permutations = order),
    "formula must have Condition() as terms of their own", fixed = TRUE, class = "gpugeo_error"
  )
})

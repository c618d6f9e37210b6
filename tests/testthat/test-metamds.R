set.seed(1)
counts <- matrix(
  stats::rpois(600, 8 * exp(-outer(1:30, seq(0, 30, length.out = 20), "-")^2 / 50)), 30
)

# Expects that disparities and stress are those of the points, by an independent definition.
# fit(delta, d): the disparities.
expect_stress <- function(map, d, fit) {
  distance <- as.matrix(stats::dist(map$points))[cbind(map$iidx, map$jidx)]
  expect_equal(map$dist, distance)
  expect_identical(map$diss, as.matrix(d)[cbind(map$iidx, map$jidx)])
  expect_equal(map$dhat, fit(map$diss, map$dist))
  expect_equal(map$stress, sqrt(sum((map$dist - map$dhat)^2) / sum(map$dist^2)))
  # No gradient is left: the derivative of the squared stress by each coordinate.
  pull <- matrix(0, map$nobj, map$nobj)
  pair <- cbind(map$iidx, map$jidx)
  pull[pair] <- (1 - map$stress^2 - map$dhat / map$dist) / sum(map$dist^2)
  pull[pair[, 2:1]] <- pull[pair]
  points <- matrix(map$points, map$nobj)
  slope <- rowSums(pull) * points - pull %*% points
  expect_lt(sqrt(sum(slope^2) * mean(rowSums(points^2))), 1e-4)
}
weak <- function(delta, d) {
  order <- order(delta, d)
  replace(d, order, stats::isoreg(d[order])$yf)
}

test_that("the result has Kruskal's stress and no gradient", {
  d <- gpu_vegdist(counts)
  d[d > 0.97] <- 1
  expect_gt(sum(d == 1), 24) # ties that are sorted
  for (k in 1:3) {
    set.seed(1)
    map <- gpu_metamds(d, k = k, try = 5)
    expect_stress(map, d, weak)
    expect_identical(dim(map$points), c(30L, as.integer(k)))
    expect_equal(colMeans(map$points), numeric(k), tolerance = 1e-12, ignore_attr = TRUE)
    covariance <- crossprod(matrix(map$points, 30))
    expect_equal(covariance, diag(diag(covariance), k), tolerance = 1e-10) # principal components
    expect_false(is.unsorted(-diag(covariance)))
  }
  expect_stress(gpu_metamds(d, try = 5, model = "linear"), d, function(delta, d) {
    unname(stats::fitted(stats::lm(d ~ delta)))
  })
})

test_that("many pairs and many ties have the regression of isoreg()", {
  set.seed(3)
  d <- round(stats::dist(matrix(stats::rnorm(400), 100)), 1)
  expect_gt(max(table(d)), 64)
  expect_stress(gpu_metamds(d, try = 2), d, weak)
})

test_that("ties have one disparity without weakties", {
  d <- round(gpu_vegdist(counts), 1)
  strong <- function(delta, d) {
    means <- as.vector(tapply(d, delta, mean))
    size <- as.vector(table(delta))
    fit <- rep(stats::isoreg(rep(means, size))$yf, 1)
    stats::ave(fit, delta)[rank(delta, ties.method = "first")]
  }
  set.seed(1)
  map <- gpu_metamds(d, try = 5, weakties = FALSE)
  expect_stress(map, d, strong)
  expect_identical(map$ities, 2L)
})

test_that("the search ends at vegan's stress, or below", {
  skip_if_not_installed("vegan")
  # 2.6-4 with the same seed, try = trymax = 20.
  stress <- c(dune = 0.1183186, varespec = 0.1825658, mite = 0.1491318, BCI = 0.2536839)
  for (name in names(stress)) {
    x <- vegan_data(name)
    set.seed(1)
    map <- gpu_metamds(x)
    expect_lt(map$stress, stress[[name]] + 1e-6, label = name)
    expect_identical(map$data, if (name == "dune") "x" else "wisconsin(sqrt(x))")
  }
})

test_that("scores are those of the installed vegan, whose methods take the result", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  set.seed(1)
  map <- gpu_metamds(dune)
  expect_s3_class(map, c("metaMDS", "monoMDS"), exact = TRUE)
  d <- vegan::vegdist(dune)
  again <- suppressWarnings(vegan::postMDS(matrix(map$points, 20), d))
  expect_equal(abs(as.vector(map$points)), abs(as.vector(again)), tolerance = 1e-8)
  expect_equal(attr(again, "internalscaling"), 1, tolerance = 1e-8) # it is scaled
  half <- vegan::monoMDS(d, y = matrix(map$points, 20))
  expect_equal(map$stress, half$stress, tolerance = 1e-5)
  species <- vegan::wascores(matrix(map$points, 20), dune, expand = TRUE)
  expect_equal(as.vector(map$species), as.vector(species), tolerance = 1e-12)
  expect_identical(rownames(map$species), names(dune))
  expect_identical(rownames(map$points), rownames(dune))
  expect_equal(sum(vegan::goodness(map)^2), map$stress^2)
  expect_identical(dim(vegan::scores(map, "species")), c(30L, 2L))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(map))
  expect_no_error(vegan::stressplot(map))
  plain <- gpu_metamds(dune, expand = FALSE)
  species <- vegan::wascores(matrix(plain$points, 20), dune)
  expect_equal(as.vector(plain$species), as.vector(species), tolerance = 1e-12)
})

test_that("bits depend neither on threads nor on the kind of distances", {
  run <- function(...) {
    set.seed(4)
    map <- gpu_metamds(..., try = 7, autotransform = FALSE)
    map[c("points", "stress", "dist", "dhat", "iters", "bestry", "converged", "xinit")]
  }
  expected <- run(counts, threads = 1)
  expect_identical(run(counts, threads = 3), expected)
  expect_identical(gpu_info()$last$`function`, "gpu_metamds")
  d <- gpu_vegdist(counts)
  expect_identical(run(d), expected)
  expect_identical(run(methods::as(counts, "CsparseMatrix")), expected)
})

test_that("starts are those of runif(), and more follow until the best is repeated", {
  d <- gpu_vegdist(counts)
  set.seed(6)
  map <- gpu_metamds(d, try = 3)
  set.seed(6)
  starts <- array(stats::runif(180), c(30, 2, 3))
  if (map$bestry > 0) expect_identical(map$xinit, as.vector(starts[, , map$bestry]))
  expect_identical(map$tries, 3)
  set.seed(6)
  gaps <- replace(d, 5:9, NA) # no principal coordinates
  output <- utils::capture.output(map <- gpu_metamds(gaps, try = 2, trymax = 60, trace = TRUE))
  expect_match(output[1:2], "^start [12]: stress 0\\.")
  expect_true(map$tries %in% c(2, 22, 42, 60))
  expect_identical(map$ndis, 430L)
  again <- gpu_metamds(gaps, try = 0, trymax = 0, previous.best = map)
  expect_lte(again$stress, map$stress)
  expect_identical(again$tries, 0)
})

test_that("equal points, few points and one dimension are taken", {
  twice <- counts[rep(1:15, 2), ]
  map <- gpu_metamds(twice, try = 5)
  expect_true(is.finite(map$stress) && all(is.finite(map$points)))
  expect_warning(gpu_metamds(counts[1:4, ], try = 3, halfchange = FALSE), "stress is below smin")
  expect_warning(
    gpu_metamds(counts[1:4, ], try = 3, smin = 0), "too few dissimilarities below threshold"
  )
  equal <- suppressWarnings(gpu_metamds(stats::dist(matrix(1, 5, 2)), try = 2))
  expect_true(all(is.finite(equal$points)))
  line <- gpu_metamds(stats::dist(c(1, 2, 4, 8, 16, 32)), k = 1, try = 3, smin = 0)
  expect_lt(line$stress, 1e-6)
  expect_equal(attr(line$points, "halfchange"), FALSE)
  expect_equal(max(line$dist), 31)
})

test_that("communities are transformed as documented", {
  d <- function(x) gpu_vegdist(x)
  large <- counts
  large[1, 1] <- 60
  map <- gpu_metamds(large, try = 1)
  own <- sqrt(large)
  own <- sweep(own, 2, pmax(apply(own, 2, max), 1e-10), "/")
  own <- own / rowSums(own)
  expect_equal(map$diss, sort(as.vector(d(own))))
  expect_identical(map$data, "wisconsin(sqrt(large))")
  map <- gpu_metamds(large, try = 1, autotransform = FALSE)
  expect_identical(map$diss, sort(as.vector(d(large))))
  expect_identical(gpu_metamds(large, try = 1, wascores = FALSE)$species, NA)
  expect_warning(
    negative <- gpu_metamds(counts - 1, "euclidean", try = 1), "comm has negative values"
  )
  expect_identical(negative$species, NA)
})

test_that("wrong arguments are errors", {
  wrong <- function(code, message) expect_error(code, message, class = "gpugeo_error")
  d <- gpu_vegdist(counts)
  wrong(gpu_metamds(d, k = 30), "k must be a whole number between 1 and 29, not 30")
  wrong(gpu_metamds(d, k = 0), "k must be a whole number between 1 and 29, not 0")
  wrong(gpu_metamds(d, try = -1), "try must be a whole number between 0 and 1e9, not -1")
  wrong(gpu_metamds(d, sratmax = 2), "sratmax must be between 0 and 1, not 2")
  wrong(gpu_metamds(d, model = "local"), "model must be")
  wrong(gpu_metamds(d, noshare = TRUE), "unused argument noshare")
  wrong(gpu_metamds(counts, noshare = TRUE), "unused argument noshare")
  wrong(gpu_metamds(counts, "nothing"), "distance must be one of")
  wrong(gpu_metamds(-d), "comm must have distances of at least 0")
  wrong(gpu_metamds(replace(d, 1, Inf)), "comm must have finite distances only")
  wrong(gpu_metamds(replace(d, 1:435, NA)), "comm must have at least two distances")
  wrong(gpu_metamds(replace(counts, 3, NA)), "comm must have no missing values")
  wrong(gpu_metamds(d, previous.best = counts), "previous.best must be a configuration of 30 p")
  wrong(gpu_metamds(d, memory_limit = 7), "memory_limit must be")
  expect_output(gpugeo:::fallback_print.metaMDS(gpu_metamds(d, try = 2)), "Best of 2 random starts")
})

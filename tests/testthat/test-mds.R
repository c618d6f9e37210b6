# The stress of a configuration, by plain R.
stress_of <- function(delta, conf, weights = 1) {
  sqrt(sum(weights * (delta - stats::dist(conf))^2) / sum(weights * delta^2))
}

# Distances of a configuration after so many iterations of SMACOF from principal coordinates, at
# the scale with the smallest stress.
smacof_distances <- function(delta, k, iterations, weights = NULL) {
  delta <- as.matrix(delta)
  n <- nrow(delta)
  weights <- if (is.null(weights)) 1 - diag(n) else as.matrix(weights)
  v <- diag(rowSums(weights)) - weights
  inverse <- solve(v + 1 / n) - 1 / n
  x <- stats::cmdscale(delta, k)
  for (i in seq_len(iterations)) {
    ratio <- weights * delta / (as.matrix(stats::dist(x)) + diag(n))
    x <- inverse %*% (diag(rowSums(ratio)) - ratio) %*% x
  }
  d <- as.matrix(stats::dist(x))
  stats::as.dist(d * sum(weights * d * delta) / sum(weights * d^2))
}

test_that("configurations are those of SMACOF", {
  unequal <- 1 / eurodist
  for (iterations in c(0, 1, 7)) {
    for (weights in list(NULL, unequal)) {
      got <- suppressWarnings(gpu_mds(
        eurodist, 2, weights, relax = FALSE, tolerance = 0, max_iterations = iterations
      ))
      expected <- smacof_distances(eurodist, 2, iterations, weights)
      expect_equal(c(stats::dist(got$conf)), c(expected), tolerance = 1e-8)
      expect_equal(
        got$stress, stress_of(eurodist, got$conf, if (is.null(weights)) 1 else weights)
      )
      expect_identical(got$niter, iterations)
    }
  }
})

test_that("relaxed steps do not end at a larger stress than as many iterations of SMACOF", {
  for (iterations in c(1, 5, 20, 50)) {
    map <- suppressWarnings(gpu_mds(eurodist, tolerance = 0, max_iterations = iterations))
    theirs <- smacof_distances(eurodist, 2, iterations)
    stress <- sqrt(sum((eurodist - theirs)^2) / sum(eurodist^2))
    expect_lte(map$stress, stress * (1 + 1e-9))
  }
})

# smacofSym() is called without `::`, since no package of Debian has smacof.
test_that("the stress is not larger than that of smacof after as many iterations", {
  skip_if_not_installed("smacof")
  peer <- getExportedValue("smacof", "smacofSym")
  start <- stats::cmdscale(eurodist)
  for (iterations in c(1, 5, 20)) {
    theirs <- suppressWarnings(peer(eurodist, 2, init = start, itmax = iterations, eps = 0))
    for (relax in c(FALSE, TRUE)) {
      ours <- suppressWarnings(gpu_mds(
        eurodist, 2, start = start, relax = relax, tolerance = 0, max_iterations = iterations
      ))
      expect_lte(ours$stress, theirs$stress * (1 + 1e-12))
    }
  }
})

test_that("the result is a minimum, with the elements of smacof", {
  map <- gpu_mds(eurodist, tolerance = 1e-9)
  expect_true(map$converged)
  expect_equal(map$stress, stress_of(eurodist, map$conf))
  expect_lt(map$stress, stress_of(eurodist, gpu_pcoa(eurodist)$points))
  plain <- gpu_mds(eurodist, tolerance = 1e-9, relax = FALSE)
  expect_equal(plain$stress, map$stress, tolerance = 1e-6)
  expect_gt(plain$niter, map$niter)
  expect_identical(map$delta, eurodist)
  expect_equal(c(map$confdist), c(stats::dist(map$conf)))
  expect_identical(map[c("nobj", "ndim", "type")], list(nobj = 21L, ndim = 2L, type = "ratio"))
  expect_identical(dimnames(map$conf), list(attr(eurodist, "Labels"), c("D1", "D2")))
  expect_equal(unname(colMeans(map$conf)), c(0, 0), tolerance = 1e-9)
  square <- gpu_mds(as.matrix(eurodist), weights = (as.matrix(eurodist) > 1000) * 1L)
  expect_identical(c(square$weightmat), as.double(eurodist > 1000))
  points <- gpu_mds(USArrests, method = "manhattan")
  expect_null(points$delta)
  expect_null(points$confdist)
  expect_identical(points$method, "manhattan")
  expect_identical(rownames(points$conf), rownames(USArrests))
})

test_that("starts are principal coordinates, random numbers or given", {
  same <- c("conf", "stress", "niter")
  first <- gpu_pcoa(eurodist, 3)$points
  expect_silent(none <- gpu_mds(eurodist, 3, start = first, max_iterations = 0))
  expect_equal(none$conf / none$conf[1], first / first[1], ignore_attr = TRUE)
  expect_identical(gpu_mds(eurodist, 3, start = first)[same], gpu_mds(eurodist, 3)[same])
  set.seed(4)
  one <- gpu_mds(eurodist, start = "random")
  expect_false(identical(gpu_mds(eurodist, start = "random")$conf, one$conf))
  set.seed(4)
  expect_identical(gpu_mds(eurodist, start = "random")$conf, one$conf)
})

test_that("all sources and threads give the same bits", {
  x <- cbind(sin(1:600), cos(1:600 * 2), (1:600) %% 7)
  results <- function(...) {
    made <- suppressWarnings(gpu_mds(..., max_iterations = 5))
    made[c("stress", "niter", "converged", "conf")]
  }
  expected <- results(gpu_dist(x, "manhattan"), threads = 1)
  expect_identical(results(x, method = "manhattan", threads = 3), expected)
  expect_identical(gpu_info()$last$`function`, "gpu_mds")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  gpu_dist(x, "manhattan", file = file)
  expect_identical(results(gpu_dist_file(file)), expected)
})

test_that("few points, zeros and distances that fit", {
  expect_equal(gpu_mds(stats::dist(c(1, 4)), 1)$stress, 0)
  zeros <- gpu_mds(stats::dist(rep(1, 5)))
  expect_identical(zeros$stress, 0)
  expect_identical(unname(zeros$conf), matrix(0, 5, 2))
  exact <- gpu_mds(stats::dist(quakes[1:50, 1:2]))
  expect_lte(exact$stress, 1e-10)
  expect_identical(exact$niter, 0)
  expect_equal(c(exact$confdist), c(exact$delta))
})

test_that("objects are printed, plotted and taken as a matrix", {
  map <- gpu_mds(eurodist)
  expect_output(print(map), paste0(
    "Multidimensional scaling of 21 points in 2 dimensions\nCall: gpu_mds\\(d = eurodist\\)\n\n",
    "Stress: 0.0[0-9]+\nIterations: [0-9]+$"
  ))
  expect_warning(
    early <- gpu_mds(eurodist, 1, max_iterations = 1),
    "max_iterations = 1 was not enough: the stress is 0.2827"
  )
  expect_output(print(early), "in 1 dimension\n.*Iterations: 1, not converged$")
  expect_identical(as.matrix(map), map$conf)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(map), map)
  expect_error(plot(map, c(1, 3)), "axes must be two numbers of dimensions, 1 to 2, not c(1, 3)",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_mds(d, 4), "k must be a whole number between 1 and 3, not 4")
  wrong(gpu_mds(d, "3", start = "random"), "k must be a whole number")
  wrong(gpu_mds(d, 1.5, start = diag(4)), "k must be a whole number")
  wrong(gpu_mds(matrix(1, 1, 3), 1), "d must have 2 to 2147483647 points, not 1")
  wrong(gpu_mds(d, tolerance = 2), "tolerance must be between 0 and 1, not 2")
  wrong(
    gpu_mds(d, max_iterations = -1), "max_iterations must be a whole number of at least 0, not -1"
  )
  wrong(gpu_mds(d, relax = NA), "relax must be true or false, not NA")
  wrong(gpu_mds(d, start = "best"), 'start must be one of "pcoa", "random", not "best"')
  wrong(
    gpu_mds(d, start = diag(4)),
    "start must be a matrix of numbers with 4 rows and 2 columns, not "
  )
  wrong(
    gpu_mds(d, start = matrix(c(1:7, NA), 4)),
    "start must be finite, but coordinate 2 of point 4 is NA"
  )
  wrong(gpu_mds(d, start = matrix(0, 4, 2)), "start must have points at different positions")
  wrong(
    gpu_mds(d, weights = 1:6),
    "weights must be an object of class \"dist\" or a symmetric matrix of numbers, not "
  )
  wrong(
    gpu_mds(d, weights = diag(3)),
    "weights must have one for each of the 6 pairs of points, not 3"
  )
  wrong(gpu_mds(d, weights = -d), "weights must be finite and at least 0, but 6 of them are not")
  wrong(gpu_mds(d, weights = 0 * d), "weights must have at least one that is not 0")
  wrong(gpu_mds(-d), "d must have distances of at least 0, but 6 are negative; the first is -3")
  wrong(gpu_mds(d, method = "manhattan"), "method must be given with points, not with distances")
  wrong(
    gpu_mds(matrix(c(1, NA, 3, 4)), method = "euclidean"),
    "d must have finite distances only, but 3 of them are not; the first is missing"
  )
  wrong(
    gpu_mds(replace(d, 2, NA)), paste(
      "start must be \"random\" or a matrix if d has missing distances, not \"pcoa\", which needs",
      "all of them"
    )
  )
  wrong(gpu_mds(d, type = "interval"), 'type must be one of "ratio", "ordinal", not "interval"')
  wrong(
    gpu_mds(d, type = "ordinal", backend = "cuda"),
    'backend must be "auto" or "cpu" for ordinal scaling, not "cuda"'
  )
  wrong(
    gpu_mds(d, squared = TRUE, backend = "cuda"),
    'backend must be "auto" or "cpu" for scaling by squares of distances, not "cuda"'
  )
  wrong(gpu_mds(d, squared = 2), "squared must be true or false, not 2")
})

# Kruskal's stress-1 of a configuration, with disparities by stats::isoreg(): the primary treatment
# of ties.
ordinal_fit <- function(delta, conf) {
  distances <- c(stats::dist(conf))
  order <- order(c(delta), distances)
  fitted <- replace(distances, order, stats::isoreg(distances[order])$yf)
  list(fitted = fitted, stress = sqrt(sum((distances - fitted)^2) / sum(distances^2)))
}

test_that("disparities are those of isoreg()", {
  set.seed(5)
  for (delta in list(eurodist, round(eurodist, -3), stats::dist(matrix(rexp(40 * 5), 40)))) {
    n <- attr(delta, "Size")
    start <- matrix(rnorm(2 * n), n)
    made <- suppressWarnings(gpu_mds(delta, 2, start = start, type = "ordinal", max_iterations = 0))
    expected <- ordinal_fit(delta, made$conf)
    scale <- sqrt(sum(delta^2) / sum(expected$fitted^2))
    expect_equal(c(made$dhat), expected$fitted * scale, tolerance = 1e-12)
    expect_equal(made$stress, expected$stress, tolerance = 1e-12)
    expect_gt(made$stress, 0.1)
  }
  # Distances on a line, all of them whole numbers and their means: the same doubles.
  place <- matrix(c(0, 4, 1, 9, 16, 2), 6)
  ranks <- c(4, 1, 7, 9, 3, 8, 2, 6, 5, 10, 11, 15, 13, 12, 14)
  delta <- structure(ranks, class = "dist", Size = 6L)
  made <- suppressWarnings(gpu_mds(delta, 1, start = place, type = "ordinal", max_iterations = 0))
  expected <- ordinal_fit(delta, place)$fitted
  expect_equal(c(made$dhat) / made$dhat[1], expected / expected[1], tolerance = 4e-16)
})

test_that("the stress is not larger than that of isoMDS() from the same start", {
  skip_if_not_installed("MASS")
  set.seed(6)
  sets <- list(
    eurodist, stats::dist(swiss), stats::dist(scale(unique(iris[1:4]))),
    stats::dist(USArrests, "canberra"), stats::dist(matrix(rexp(60 * 8), 60), "manhattan")
  )
  for (delta in sets) {
    for (k in 2:3) { # in one dimension both end in one of many minima
      start <- stats::cmdscale(delta, k)
      peer <- MASS::isoMDS(delta, start, k, maxit = 500, trace = FALSE, tol = 1e-6)
      made <- suppressWarnings(
        gpu_mds(delta, k, start = start, type = "ordinal", tolerance = 1e-9, max_iterations = 20000)
      )
      expect_lte(made$stress, peer$stress / 100 * (1 + 1e-4))
      expect_equal(ordinal_fit(delta, made$conf)$stress, made$stress, tolerance = 1e-9)
    }
  }
  expect_output(print(made), "Ordinal multidimensional scaling of 60 points in 3 dimensions")
})

# The stress of squares of a configuration, from its definition.
squared_stress <- function(conf, delta, type, weights = 1) {
  squares <- c(stats::dist(conf))^2
  if (type == "ratio") {
    return(sqrt(sum(weights * (c(delta)^2 - squares)^2) / sum(weights * c(delta)^4)))
  }
  order <- order(c(delta), squares)
  fitted <- replace(squares, order, stats::isoreg(squares[order])$yf)
  sqrt(sum((squares - fitted)^2) / sum(squares^2))
}

test_that("the stress of squares is not larger than by optim() from the same start", {
  set.seed(8)
  delta <- stats::dist(matrix(rexp(15 * 5), 15))
  weights <- replace(delta, TRUE, stats::runif(length(delta)))
  for (type in c("ratio", "ordinal", "weighted")) {
    w <- if (type == "weighted") weights
    scaling <- if (type == "ordinal") "ordinal" else "ratio"
    loss <- function(x) {
      squared_stress(matrix(x, 15), delta, scaling, if (is.null(w)) 1 else c(w))
    }
    for (k in 2:3) {
      start <- stats::cmdscale(delta, k)
      peer <- stats::optim(c(start), loss,
        method = "BFGS", control = list(maxit = 2000, reltol = 1e-12)
      )
      made <- gpu_mds(delta, k, w, start,
        type = scaling, squared = TRUE, tolerance = 1e-9, max_iterations = 5000
      )
      expect_equal(made$stress, loss(made$conf), tolerance = 1e-9)
      expect_lte(made$stress, peer$value * (1 + 1e-4))
    }
  }
})

test_that("missing distances have weight 0", {
  set.seed(7)
  delta <- stats::dist(matrix(rexp(30 * 5), 30))
  start <- matrix(rnorm(60), 30)
  missing <- sample(length(delta), 40)
  weights <- replace(delta, TRUE, replace(rep(1, length(delta)), missing, 0))
  partial <- replace(delta, missing, NA)
  for (kind in 0:3) {
    results <- function(d, ...) {
      made <- suppressWarnings(gpu_mds(d, 2, ...,
        type = c("ratio", "ordinal")[1 + kind %% 2], squared = kind > 1, start = start,
        max_iterations = 5
      ))
      made[c("conf", "stress", "niter", "weightmat")]
    }
    expect_identical(results(partial), results(delta, weights))
    expect_identical(results(partial, 2 * weights + 1), results(delta, 3 * weights))
  }
  made <- suppressWarnings(gpu_mds(partial, 2, start = start, type = "ordinal", max_iterations = 3))
  expect_identical(made$delta, partial)
  expect_identical(which(is.na(made$dhat)), sort(missing))
})

test_that("CUDA gives the bits of the CPU from all sources", {
  skip_if_not("cuda" %in% backends, "there is no CUDA device")
  set.seed(3)
  x <- matrix(rexp(700 * 6), 700)
  d <- gpu_dist(x, "manhattan")
  start <- matrix(rnorm(700 * 3), 700)
  results <- function(d, backend, ...) {
    made <- suppressWarnings(gpu_mds(d, 3, ..., backend = backend, max_iterations = 5))
    made[c("stress", "niter", "conf")]
  }
  weights <- gpu_dist(matrix(rexp(700), 700))
  expect_identical(results(d, "cuda", weights), results(d, "cpu", weights))
  expect_identical(results(d, "cuda", start = start), results(d, "cpu", start = start))
  expected <- results(d, "cpu")
  expect_identical(results(d, "cuda"), expected)
  expect_identical(gpu_info()$last$backend, "cuda")
  expect_identical(results(x, "cuda", method = "manhattan"), expected)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  gpu_dist(x, "manhattan", file = file)
  expect_identical(results(gpu_dist_file(file), "cuda"), expected)
})

test_that("vegan::metaMDS() begins with a configuration", {
  skip_if_not_installed("vegan")
  d <- gpu_dist(vegan_data("dune"), "bray")
  map <- suppressWarnings(gpu_mds(d, type = "ordinal"))
  start <- vegan::monoMDS(d, map$conf)
  set.seed(1)
  made <- vegan::metaMDS(d, previous.best = start, trymax = 5, trace = 0)
  expect_s3_class(made, "metaMDS")
  expect_lte(made$stress, start$stress + 1e-6)
  expect_lte(start$stress, vegan::monoMDS(d, map$conf, maxit = 1)$stress + 1e-6)
})

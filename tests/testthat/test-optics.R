# OPTICS and LOF against their definitions in plain R, and against package dbscan where it is
# installed.

# Orders points as Ankerst et al. (1999) do; of equal reachabilities the highest number is first.
optics_of <- function(d, eps, least) {
  n <- nrow(d)
  core <- apply(d, 1, function(row) sort(row)[least])
  core[is.na(core) | core > eps] <- Inf
  reach <- rep(Inf, n)
  from <- rep(NA_integer_, n)
  done <- logical(n)
  order <- integer()
  while (!all(done)) {
    waiting <- which(!done & is.finite(reach))
    best <- waiting[reach[waiting] == min(reach[waiting], Inf)]
    i <- if (length(best)) max(best) else which(!done)[1]
    done[i] <- TRUE
    order <- c(order, i)
    near <- which(!done & d[i, ] <= eps & pmax(core[i], d[i, ]) < reach)
    if (is.infinite(core[i])) near <- integer()
    reach[near] <- pmax(core[i], d[i, near])
    from[near] <- i
  }
  list(order = order, reachdist = reach, coredist = core, predecessor = from)
}

# The factors of Breunig et al. (2000), with ties.
lof_of <- function(d, least) {
  diag(d) <- NA
  reach <- apply(d, 1, function(row) sort(row)[least - 1])
  near <- lapply(seq_len(nrow(d)), function(i) which(d[i, ] <= reach[i]))
  density <- vapply(seq_along(near), function(i) {
    1 / mean(pmax(reach[near[[i]]], d[i, near[[i]]]))
  }, 0)
  factor <- vapply(seq_along(near), function(i) mean(density[near[[i]]]) / density[i], 0)
  ifelse(is.nan(factor), 1, factor)
}

set.seed(6)
samples <- list(
  normal = matrix(rnorm(240), 80), lattice = matrix(sample(0:7, 200, TRUE), 100),
  parts = rbind(matrix(rnorm(80), 40), matrix(rnorm(80, 9), 40)), copies = cbind(rep(1:9, 9:1))
)

test_that("the order is that of the definition", {
  for (name in names(samples)) {
    x <- samples[[name]]
    d <- as.matrix(dist(x))
    for (least in c(1, 2, 5)) {
      for (eps in c(0, 0.5, 1.5, 20)) {
        expected <- optics_of(unname(d), eps, least)
        got <- gpu_optics(x, eps, least)
        expect_equal(unclass(got)[1:4], expected, tolerance = 1e-14, info = paste(name, least, eps))
        expect_identical(gpu_optics(gpu_dist(x), eps, least), got)
      }
      largest <- max(apply(d, 1, function(row) sort(row)[least + 1]))
      got <- gpu_optics(x, minPts = least)
      expect_equal(got$eps, largest, tolerance = 1e-15)
      expected <- optics_of(unname(d), got$eps, least)
      expect_equal(unclass(got)[1:4], expected, tolerance = 1e-14, info = paste(name, least))
      expect_identical(gpu_optics(gpu_dist(x), minPts = least), got)
      expect_identical(gpu_optics(x, got$eps, least), got)
    }
  }
})

test_that("other metrics, and any number of threads", {
  x <- samples$normal
  d <- gpu_dist(x, "manhattan")
  expect_identical(gpu_optics(x, 3, method = "manhattan"), gpu_optics(d, 3))
  expect_identical(gpu_optics(x, threads = 1), gpu_optics(x, threads = 3))
  expect_identical(gpu_lof(x, method = "manhattan"), gpu_lof(d))
  expect_identical(gpu_lof(x, threads = 1), gpu_lof(x, threads = 3))
  places <- quakes[1:60, c("long", "lat")]
  circles <- gpu_optics(places, method = "great-circle")
  expect_identical(gpu_optics(places, circles$eps, method = "great-circle"), circles)
  expect_identical(gpu_info()$last[["function"]], "gpu_optics")
})

test_that("order and values are those of package dbscan, whose functions take the object", {
  skip_if_not_installed("dbscan")
  for (name in names(samples)) {
    x <- samples[[name]]
    for (eps in list(NULL, 0.7, 1.5)) {
      expected <- dbscan::optics(x, eps, minPts = 4)
      got <- gpu_optics(x, eps, minPts = 4)
      expect_identical(got$order, expected$order, info = name)
      expect_equal(got$reachdist, expected$reachdist, tolerance = 1e-12)
      expect_equal(got$coredist, expected$coredist, tolerance = 1e-12, ignore_attr = TRUE)
      expect_equal(got$eps, expected$eps, tolerance = 1e-12)
      cut <- function(o) unname(dbscan::extractDBSCAN(o, 0.6)$cluster)
      expect_identical(cut(got), cut(expected))
    }
    expect_equal(gpu_lof(x, 4), dbscan::lof(x, 4), tolerance = 1e-12, info = name)
  }
  got <- gpu_optics(samples$parts, minPts = 4)
  expected <- dbscan::optics(samples$parts, minPts = 4)
  xi <- function(o) dbscan::extractXi(o, 0.05)$cluster
  expect_identical(xi(got), xi(expected))
  expect_s3_class(dbscan::as.reachability(got), "reachability")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(got))
})

test_that("factors are those of the definition", {
  for (name in names(samples)) {
    d <- as.matrix(dist(samples[[name]]))
    for (least in c(2, 3, 5, 10)) {
      expect_equal(
        gpu_lof(samples[[name]], least), lof_of(unname(d), least),
        tolerance = 1e-12, info = paste(name, least)
      )
    }
  }
  # Four equal points and two others, by hand.
  expect_identical(gpu_lof(cbind(c(1, 1, 1, 1, 2, 3)), 3), c(1, 1, 1, 1, Inf, Inf))
})

test_that("edges: few points, missing values", {
  expect_identical(gpu_optics(cbind(1:2), 1, 2)$reachdist, c(Inf, 1))
  expect_identical(gpu_optics(cbind(1), 1, 1)$order, 1L)
  expect_identical(gpu_optics(cbind(1:3), 5, 9)$coredist, rep(Inf, 3))
  missing <- gpu_optics(cbind(c(1, NA, 2, 3)), minPts = 2)
  expect_identical(missing$order, c(1L, 3L, 4L, 2L))
  expect_identical(missing$coredist, c(1, Inf, 1, 1))
  expect_error(gpu_lof(cbind(c(1, NA, 2, 3)), 2), "to 1 others, but point 2 has fewer")
})

test_that("wrong arguments are errors", {
  x <- samples$parts
  expect_error(gpu_optics(x, -1), "eps must be a number of at least 0, not -1")
  expect_error(gpu_optics(x, minPts = 0), "minPts must be a whole number of at least 1, not 0")
  expect_error(gpu_optics(x, minPts = 80), "minPts must be less than the number of points, 80")
  expect_error(gpu_lof(x, 1), "minPts must be a whole number of at least 2, not 1")
  expect_error(gpu_lof(x, 81), "minPts must be between 2 and the number of points, 80, not 81")
  expect_error(gpu_lof(dist(x), method = "manhattan"), "with points, not with distances")
})

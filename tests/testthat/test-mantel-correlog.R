eco <- stats::dist(round(100 * sin(1:20 / 3)) + (1:20 * 7) %% 11)
xy <- cbind((1:20 * 3) %% 20, (1:20 * 7) %% 13)
order <- t(vapply(1:19, function(k) (1:20 * 7 + k * 3) %% 20 + 1, numeric(20)))

test_that("classes and tests follow their definitions", {
  limits <- c(1, 3, 6, 8.5, 22)
  for (method in c("pearson", "spearman", "kendall")) {
    made <- gpu_mantel_correlog(
      eco, XY = xy, break.pts = limits, cutoff = FALSE, r.type = method, nperm = order
    )
    geo <- as.matrix(stats::dist(xy))
    others <- as.matrix(eco)
    below <- lower.tri(geo)
    for (k in 1:4) {
      outside <- 1 - (geo > limits[k] & geo <= limits[k + 1L] | k == 1L & geo == 1)
      correlate <- function(m) stats::cor(m[below], others[below], method = method)
      permuted <- apply(order, 1L, function(at) correlate(outside[at, at]))
      r <- correlate(outside)
      p <- (sum(sign(r) * permuted >= abs(r) - 2^-26) + 1) / 20
      expected <- c(sum(limits[k + 0:1]) / 2, 2 * sum(1 - outside[below]), r, p)
      expect_equal(unname(made$mantel.res[k, 1:4]), expected, tolerance = 1e-12)
    }
    p <- unname(made$mantel.res[, 4L])
    corrected <- vapply(1:4, function(k) stats::p.adjust(p[1:k], "holm")[k], 0)
    expect_equal(unname(made$mantel.res[, 5L]), corrected)
  }
  expect_s3_class(made, "mantel.correlog", exact = TRUE)
  expect_named(made, c("mantel.res", "n.class", "break.pts", "mult", "n.tests", "call"))
  expect_identical(made$n.tests, 4L)
})

test_that("results are those of vegan 2.6-4 after set.seed(1)", {
  skip_if_not_installed("permute")
  set.seed(1)
  made <- gpu_mantel_correlog(eco, XY = xy, n.class = 6, nperm = 99, cutoff = FALSE)
  expect_equal(stats::runif(1), 0.62573278, tolerance = 1e-7)
  expect_equal(made$break.pts, c(
    1, 4.41181842559731, 7.82363685119463, 11.2354552767919, 14.6472737023893, 18.0590921279866,
    21.4709105535839
  ))
  expect_equal(unname(made$mantel.res), cbind(
    c(
      2.70590921279866, 6.11772763839597, 9.52954606399329, 12.9413644895906, 16.3531829151879,
      19.7650013407852
    ),
    c(58, 130, 84, 76, 20, 12),
    c(
      -0.1319026620469645, 0.1251528988379353, -0.0300588632550384, 0.047234874344285,
      -0.1165858791375082, 0.0438851136567456
    ),
    c(0.03, 0.08, 0.31, 0.22, 0.07, 0.29), c(0.03, 0.08, 0.31, 0.44, 0.28, 0.66)
  ))
  expect_identical(
    colnames(made$mantel.res),
    c("class.index", "n.dist", "Mantel.cor", "Pr(Mantel)", "Pr(corrected)")
  )
  set.seed(1)
  made <- gpu_mantel_correlog(
    eco, XY = xy, n.class = 6, nperm = 99, mult = "sidak", r.type = "spearman", progressive = FALSE
  )
  expect_identical(made$n.tests, 3L)
  expect_equal(made$mantel.res[, 3L], c(
    D.cl.1 = -0.1327568260057651, D.cl.2 = 0.1458476018176351, D.cl.3 = -0.0447508386863101,
    D.cl.4 = NA, D.cl.5 = NA, D.cl.6 = NA
  ))
  expect_equal(unname(made$mantel.res[1:3, 4:5]), cbind(
    c(0.02, 0.04, 0.25), c(0.058808, 0.115264, 0.578125)
  ))
})

test_that("a cutoff leaves out classes that lack a point", {
  line <- cbind(1:16, 0)
  d <- stats::dist((1:16 * 5) %% 16)
  tested <- function(...) {
    made <- gpu_mantel_correlog(d, XY = line, nperm = order[0, 1:16], ...)
    unname(!is.na(made$mantel.res[, "Mantel.cor"]))
  }
  expect_identical(tested(n.class = 5), c(TRUE, TRUE, TRUE, FALSE, FALSE)) # class 3: 7 to 9
  expect_identical(tested(n.class = 5, cutoff = FALSE), rep(TRUE, 5))
  expect_identical(tested(), rep(c(TRUE, FALSE), each = 4)) # 8 classes by Sturges' rule
})

test_that("classes without pairs, large distances and no permutations have values", {
  groups <- cbind(c(1:8, 1001:1008), 0)
  d <- stats::dist((1:16 * 5) %% 16)
  at <- t(vapply(1:19, function(k) (1:16 * 5 + k * 3) %% 16 + 1, numeric(16)))
  made <- gpu_mantel_correlog(d, stats::dist(groups), n.class = 3, nperm = at)$mantel.res
  expect_identical(unname(made[, "n.dist"]), c(112, 0, 128))
  expect_equal(made[[3L, 5L]], stats::p.adjust(made[c(1L, 3L), 4L])[[2L]])
  far <- gpu_mantel_correlog(d, 1000 * stats::dist(groups), n.class = 3, nperm = at)$mantel.res
  expect_identical(far[, "n.dist"], made[, "n.dist"])
  none <- gpu_mantel_correlog(d, stats::dist(groups), n.class = 3, nperm = at[0, ], mult = "none")
  expect_equal(none$mantel.res[, 3L], made[, 3L])
  expect_identical(dim(none$mantel.res), c(3L, 4L))
  expect_true(all(is.na(none$mantel.res[, 4L])))
  expect_identical(none$n.tests, 0L)
})

test_that("distances of all sources and any number of threads give the same bits", {
  results <- function(eco, ...) {
    gpu_mantel_correlog(eco, ..., n.class = 4, nperm = order)$mantel.res
  }
  expected <- results(eco, stats::dist(xy), threads = 1)
  expect_identical(results(eco, XY = as.data.frame(xy), threads = 3), expected)
  expect_identical(gpu_info()$last$`function`, "gpu_mantel_correlog")
  expect_identical(results(as.matrix(eco), as.matrix(stats::dist(xy))), expected)
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  files <- tempfile(c("a", "b"), fileext = ".h5")
  points <- cbind(round(100 * sin(1:20 / 3)) + (1:20 * 7) %% 11)
  eco_file <- gpu_dist(points, file = files[1L])
  expect_identical(results(eco_file, gpu_dist(xy, file = files[2L])), expected)
  unlink(files)
})

test_that("wrong arguments are refused by name", {
  wrong <- function(message, ...) {
    expect_error(gpu_mantel_correlog(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  wrong("either D.geo or XY must be given", eco)
  wrong("either D.geo or XY must be given", eco, eco, xy)
  wrong("XY must have as many points as D.eco, 20, not 5", eco, XY = xy[1:5, ])
  wrong("D.geo must have finite distances only", eco, replace(eco, 2, NA))
  wrong("XY must have finite distances only, of which two are different", eco, XY = 0 * xy)
  wrong("D.eco must have finite distances only", replace(eco, 2, NA), XY = xy, nperm = order)
  wrong("D.eco must be of class", 1:3, XY = xy)
  wrong("n.class must be 0 or a whole number between 2 and 190", eco, XY = xy, n.class = 1)
  wrong("break.pts must be at least two finite numbers", eco, XY = xy, break.pts = 2:1)
  wrong("nperm must have a row of the numbers 1 to 20", eco, XY = xy, nperm = order[, -1])
  wrong("mult must be one of \"sidak\", \"holm\"", eco, XY = xy, mult = "foo")
  wrong("r.type must be one of \"pearson\", \"spearman\"", eco, XY = xy, r.type = "foo")
  wrong("cutoff must be", eco, XY = xy, cutoff = 3)
})

test_that("results are printed and drawn without vegan", {
  made <- gpu_mantel_correlog(eco, XY = xy, n.class = 4, nperm = order)
  own <- getNamespace("gpugeo")
  expect_output(own$fallback_print.mantel.correlog(made), "D.cl.2")
  grDevices::pdf(NULL)
  expect_invisible(own$fallback_plot.mantel.correlog(made))
  grDevices::dev.off()
})

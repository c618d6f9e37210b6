genes <- outer(1:12, 1:9, function(i, j) (i * i * j + 7 * i * j * j) %% 31)
dimnames(genes) <- list(paste0("s", 1:12), paste0("g", 1:9))
colors <- c("blue", "grey", "blue", "red", "red", "grey", "blue", "red", "red")

# The definition, by R's singular values.
component <- function(z) {
  s <- svd(z)
  e <- s$u[, 1L]
  average <- rowMeans(z)
  list(
    eigengene = if (sum(e * average) < 0) -e else e, average = average,
    explained = s$d^2 / sum(s$d^2)
  )
}
expect_component <- function(found, i, expected) {
  expect_equal(found$eigengenes[[i]], expected$eigengene, tolerance = 1e-12)
  expect_equal(found$averageExpr[[i]], unname(expected$average), tolerance = 1e-12)
  n <- length(expected$explained)
  expect_equal(found$varExplained[[i]][seq_len(n)], expected$explained, tolerance = 1e-12)
  expect_true(all(is.na(found$varExplained[[i]][-seq_len(n)])))
}

test_that("eigengenes are first components of scaled genes", {
  found <- gpu_module_eigengenes(genes, colors, nPC = 6)
  expect_identical(names(found$eigengenes), c("MEblue", "MEgrey", "MEred"))
  expect_identical(names(found$averageExpr), c("AEblue", "AEgrey", "AEred"))
  expect_identical(names(found$varExplained), c("X1", "X2", "X3"))
  expect_identical(rownames(found$eigengenes), rownames(genes))
  expect_identical(found$nPC, 6)
  for (i in 1:3) {
    module <- c("blue", "grey", "red")[i]
    expect_component(found, i, component(scale(genes[, colors == module])))
  }
  expect_identical(gpu_info()$last$`function`, "gpu_module_eigengenes")
})

# By WGCNA 1.72-1.
test_that("eigengenes are those of WGCNA", {
  found <- gpu_module_eigengenes(genes, colors)
  expect_equal(
    found$eigengenes$MEblue[1:3],
    c(-0.36129495605472667, -0.1719180608744667, 0.31359857246020495),
    tolerance = 1e-12
  )
  expect_equal(
    found$eigengenes$MEred[1:3],
    c(0.20282506672602252, 0.2476704355251686, -0.2415942318286895),
    tolerance = 1e-12
  )
  expect_equal(
    unlist(found$varExplained, use.names = FALSE),
    c(0.5155801021595281, 0.71599287532944034, 0.52812867143989417),
    tolerance = 1e-12
  )
})

test_that("eigengenes are those of the installed WGCNA", {
  skip_if_not_installed("WGCNA")
  set.seed(4)
  x <- matrix(rnorm(15 * 60), 15) + outer(rnorm(15), rep(c(2, 0, 1), each = 20))
  for (modules in list(rep(c("c", "a", "grey"), each = 20), rep(c(10, 2, 0), 20))) {
    for (exclude in c(TRUE, FALSE)) {
      given <- list(x, modules, nPC = 3, excludeGrey = exclude)
      ours <- do.call(gpu_module_eigengenes, given)
      theirs <- do.call(WGCNA::moduleEigengenes, given)
      expect_equal(ours, theirs[names(ours)], tolerance = 1e-10)
    }
  }
})

test_that("modules have more genes than samples, missing values and constant genes", {
  few <- cbind(genes[1:4, ], missing = c(NA, 1, 2, 4), infinite = c(Inf, 1, 2, 4), constant = 7)
  found <- gpu_module_eigengenes(few, rep(1, 12), nPC = 3)
  z <- scale(few[, 1:9])
  filled <- c(0, scale(c(1, 2, 4)))
  expected <- component(cbind(z, filled, filled))
  expected$average[1L] <- mean(z[1L, ])
  expected$explained <- expected$explained[1:3]
  expect_component(found, 1, expected)
})

test_that("genes are scaled unless they are", {
  huge <- genes * 1e200
  expected <- component(genes[, 1:5])
  found <- gpu_module_eigengenes(huge, c(rep(TRUE, 5), rep(NA, 4)), scale = FALSE)
  expect_identical(names(found$eigengenes), "METRUE")
  expect_equal(found$eigengenes[[1L]], expected$eigengene, tolerance = 1e-12)
  expect_equal(found$averageExpr[[1L]], unname(expected$average) * 1e200)
  scaled <- gpu_module_eigengenes(huge, colors)$eigengenes
  expect_equal(scaled, gpu_module_eigengenes(genes, colors)$eigengenes, tolerance = 1e-12)
  free <- gpu_module_eigengenes(genes, colors, align = "")$eigengenes
  expect_true(all(vapply(free, function(e) e[which.max(abs(e))] > 0, NA)))
  expect_equal(abs(free), abs(scaled), tolerance = 1e-12)
})

test_that("a constant module has no eigengene, and one gene is its own", {
  found <- gpu_module_eigengenes(cbind(genes, 1, 1), c(1:9, 10, 10))
  expect_true(all(is.nan(found$eigengenes$ME10)))
  expect_equal(found$eigengenes$ME3, unname(scale(genes[, 3])[, 1]) / sqrt(11))
  expect_equal(found$varExplained$X3, 1)
  expect_true(is.na(found$varExplained$X10))
})

test_that("eigengenes do not depend on threads", {
  x <- outer(1:60, 1:300, function(i, j) sin(i * j + j * j))
  all <- gpu_module_eigengenes(x, rep(1:7, length.out = 300), threads = 1)
  expect_identical(gpu_module_eigengenes(x, rep(1:7, length.out = 300), threads = 3), all)
})

test_that("arguments of eigengenes are checked", {
  expect_error(
    gpu_module_eigengenes(genes, 1:2),
    "colors must have 9 elements, one for each column of x, not 2"
  )
  expect_error(
    gpu_module_eigengenes(genes, list(1)), "colors must be a vector with a module for each column"
  )
  expect_error(
    gpu_module_eigengenes(genes, rep("grey", 9), excludeGrey = TRUE),
    "colors must have at least one module"
  )
  expect_error(gpu_module_eigengenes(genes, colors, nPC = 0), "nPC must be a whole number")
  expect_error(gpu_module_eigengenes(genes, colors, align = "x"), "align must be one of")
  expect_error(gpu_module_eigengenes(genes, colors, scale = NA), "scale must be true or false")
  expect_error(
    gpu_module_eigengenes(genes, colors, backend = "cuda"),
    'backend must be "auto" or "cpu" for eigengenes, not "cuda"'
  )
})

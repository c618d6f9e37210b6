part <- seq(1, 150, 7)
x <- unname(as.matrix(iris[part, 1:2]))
y <- unname(as.matrix(iris[part, 3:4]))

# Compares what all versions of vegan have.
expect_vegan <- function(got, expected) {
  expect_identical(class(got), class(expected))
  same <- c(
    "Yrot", "X", "ss", "rotation", "translation", "scale", "xmean", "symmetric", "t0", "t", "signif"
  )
  for (name in intersect(same, names(expected))) {
    expect_equal(got[[name]], expected[[name]], tolerance = 1e-11, ignore_attr = TRUE, label = name)
  }
}

test_that("a rotation is found again", {
  turn <- cbind(c(0.6, 0.8), c(-0.8, 0.6))
  target <- 3 * y %*% turn + rep(c(2, -5), each = 22)
  found <- gpu_procrustes(target, y)
  expect_equal(found$rotation, turn)
  expect_equal(found$scale, 3)
  expect_equal(as.vector(found$translation), c(2, -5))
  expect_equal(found$ss, 0, tolerance = 1e-10)
  expect_equal(unname(found$Yrot), unname(found$X[, ]))
  flipped <- gpu_procrustes(target %*% diag(c(1, -1)), y) # a rotation may be a reflection
  expect_equal(det(flipped$rotation), -1)
  expect_equal(flipped$ss, 0, tolerance = 1e-10)
})

test_that("results are those of vegan 2.6-4", {
  found <- gpu_procrustes(x, y)
  expect_equal(
    c(found$ss, found$scale, found$rotation, found$translation),
    c(
      4.852042730285, 0.3630626370579, 0.7621341986529, 0.6474190785292, -0.6474190785292,
      0.7621341986529, 4.551042014579, 3.645138237243
    ),
    tolerance = 1e-11
  )
  skip_if_not_installed("permute")
  set.seed(5)
  test <- gpu_protest(x, y[c(1:9, 22:10), ], permutations = 199)
  expect_equal(
    c(test$ss, test$t0, test$t[1:2]),
    c(0.5140903502019, 0.6970721984114, 0.2377716048892, 0.2460633612983), tolerance = 1e-11
  )
  expect_identical(test$signif, 0.005)
  expect_identical(test$permutations, 199L)
})

test_that("results are those of the installed vegan", {
  skip_if_not_installed("vegan")
  species <- vegan::vegdist(vegan_data("varespec"))
  one <- stats::cmdscale(species, 3)
  two <- stats::cmdscale(stats::dist(scale(vegan_data("varechem"))), 2)
  quiet <- function(code) suppressWarnings(code, classes = "simpleWarning")
  orders <- permute::shuffleSet(24, 60)
  for (k in 1:3) {
    target <- one[, seq_len(k), drop = FALSE]
    for (scale in c(TRUE, FALSE)) {
      for (symmetric in c(TRUE, FALSE)) {
        expect_vegan(
          quiet(gpu_procrustes(target, two, scale, symmetric)),
          suppressWarnings(vegan::procrustes(target, two, scale, symmetric))
        )
      }
    }
    expect_vegan(
      quiet(gpu_protest(target, two, permutations = orders)),
      suppressWarnings(vegan::protest(target, two, permutations = orders))
    )
  }
  fit <- gpu_procrustes(one, two)
  expect_equal(stats::residuals(fit), sqrt(rowSums((fit$X - fit$Yrot)^2)), ignore_attr = TRUE)
  table <- as.data.frame(one)
  expect_equal(gpu_procrustes(table, two)$ss, fit$ss)
  object <- vegan::cca(vegan_data("dune"))
  expect_vegan(
    gpu_procrustes(object, object, choices = 1:3, scaling = 1),
    vegan::procrustes(object, object, choices = 1:3, scaling = 1)
  )
})

test_that("permutations of all kinds are taken, in blocks that do not show", {
  skip_if_not_installed("permute")
  orders <- function(set, size) {
    gpugeo:::permuted_values(set, size, NULL, function(order) {
      matrix(colSums(order * seq_len(size)^2))
    })
  }
  set <- function(...) gpugeo:::permutation_set(..., call = NULL)
  n <- 500000 # two blocks
  set.seed(2)
  values <- orders(set(20, n, NULL), n)
  after <- stats::runif(1)
  set.seed(2)
  expect_identical(values, matrix(replicate(20, sum(sample.int(n) * seq_len(n)^2))))
  expect_identical(stats::runif(1), after)
  set.seed(3)
  free <- gpu_protest(x, y, permutations = 9)
  set.seed(3)
  expect_identical(gpu_protest(x, y, permutations = permute::how(nperm = 9))$t, free$t)
  expect_length(gpu_protest(x, y, permutations = 0)$t, 0L)
  expect_identical(gpu_protest(x[1:4, ], y[1:4, ])$permutations, 23L)
})

test_that("one to four axes have the sums of singular values", {
  set.seed(1)
  for (k in 1:4) {
    a <- matrix(stats::rnorm(30 * k), 30)
    b <- matrix(stats::rnorm(30 * k), 30)
    orders <- t(replicate(5, sample.int(30)))
    unit <- function(m) {
      m <- scale(m, scale = FALSE)
      m / sqrt(sum(m^2))
    }
    expected <- apply(orders, 1L, function(order) sum(svd(crossprod(unit(a), unit(b)[order, ]))$d))
    expect_equal(gpu_protest(a, b, permutations = orders)$t, expected, tolerance = 1e-12)
  }
})

test_that("ordinations are taken, and their scores checked", {
  map <- gpu_pcoa(dist(x))
  expect_equal(gpu_procrustes(map, map$points)$ss, 0, tolerance = 1e-12)
  flat <- gpu_mds(dist(x), 2)
  expect_equal(gpu_procrustes(flat, flat$conf)$ss, 0, tolerance = 1e-12)
  expect_error(gpu_procrustes(x, y[-1, ]), "Y must have as many points as X, 22, not 21",
    class = "gpugeo_error"
  )
  expect_error(gpu_procrustes(replace(x, 3, NA), y), "X must be finite, but row 3, column 1 is NA")
  expect_error(gpu_procrustes(x, replace(y, 23, Inf)), "Y must be finite, but row 1, column 2 is")
  expect_error(gpu_procrustes("a", y), "X must be a matrix of numbers, an ordination")
  expect_error(gpu_procrustes(x, y, symmetric = 3), "symmetric must be")
  expect_error(gpu_procrustes(x, y, choices = 1), "unused argument choices")
  expect_warning(gpu_procrustes(x[, 1], y), "X has fewer axes than Y: it gets axes of zeros")
  rownames(x) <- letters[1:22]
  expect_warning(gpu_procrustes(x, x[22:1, ]), class = "gpugeo_order_warning")
  expect_output(gpugeo:::fallback_print.procrustes(gpu_procrustes(x, y)), "Sum of squares: 4.852")
  test <- gpu_protest(x, y, permutations = rbind(1:22, 22:1))
  expect_output(gpugeo:::fallback_print.protest(test), "r = 0.8364")
})

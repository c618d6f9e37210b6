x <- rbind(a = c(3, 0, 1, 2, 9), b = c(0, 5, 1, 0, 4), c = c(4, 1, 0, 2, 2), d = c(1, 1, 0, 0, 0))

# Returns the mean and the standard deviation of the number of species in all subsamples of a site.
all_subsamples <- function(counts, n) {
  individuals <- rep(seq_along(counts), counts)
  species <- apply(utils::combn(individuals, n), 2, function(drawn) length(unique(drawn)))
  c(mean(species), sqrt(mean((species - mean(species))^2)))
}

# Draws as gpu_rrarefy() does, by the definition.
draw_by_definition <- function(counts, n) {
  if (sum(counts) <= n) {
    return(counts)
  }
  drawn <- 0 * counts
  order <- seq_along(counts)
  if (sum(counts > 0) > 100) order <- order(-counts)
  for (left in sum(counts) - seq_len(n) + 1) {
    k <- order[which(cumsum(counts[order]) >= sample.int(left, 1L))[1L]]
    counts[k] <- counts[k] - 1
    drawn[k] <- drawn[k] + 1
  }
  drawn
}

test_that("expected numbers are those of all subsamples", {
  for (n in 1:5) {
    expected <- apply(x[1:3, ], 1, all_subsamples, n)
    got <- gpu_rarefy(x[1:3, ], n, se = TRUE)
    expect_equal(unname(got[, ]), unname(expected), tolerance = 1e-7)
    expect_identical(dimnames(got), list(c("S", "se"), c("a", "b", "c")))
    expect_equal(c(gpu_rarefy(x[1:3, ], n)), expected[1, ], tolerance = 1e-13)
  }
})

test_that("several samples have a column each", {
  got <- suppressWarnings(gpu_rarefy(x, c(2, 4), se = TRUE))
  expect_identical(dim(got), c(8L, 2L))
  expect_identical(rownames(got)[1:3], c("a.S", "a.se", "b.S"))
  expect_identical(colnames(got), c("N2", "N4"))
  expect_identical(attr(got, "Subsample"), c(2, 4))
  expect_identical(unname(got["d.S", ]), c(2, 2))
  expect_identical(unname(got["d.se", ]), c(0, 0))
  one <- suppressWarnings(gpu_rarefy(x, 4))
  expect_identical(c(one), stats::setNames(got[c(1, 3, 5, 7), 2], rownames(x)))
  expect_equal(c(gpu_rarefy(t(x)[, 1:3], 4, MARGIN = 2)), one[1:3], tolerance = 1e-15)
  expect_equal(c(gpu_rarefy(x["a", ], 4)), one[["a"]], tolerance = 1e-15)
})

test_that("individuals are drawn as by the definition, for every generator", {
  kinds <- RNGkind()
  on.exit(suppressWarnings(do.call(RNGkind, as.list(kinds))))
  many <- rbind(c(60:1, 0, 121:180), c(0, 300:419))
  for (kind in c("Mersenne-Twister", "Wichmann-Hill")) {
    for (sampling in c("Rejection", "Rounding")) {
      suppressWarnings(RNGkind(kind, sample.kind = sampling))
      for (data in list(x[1:3, ], many)) {
        set.seed(5)
        expected <- t(apply(data, 1, draw_by_definition, n = 9))
        after <- runif(1)
        set.seed(5)
        expect_identical(gpu_rrarefy(data, 9), expected)
        expect_identical(runif(1), after)
      }
    }
  }
})

test_that("a result of vegan 2.6-4", {
  kinds <- RNGkind()
  on.exit(suppressWarnings(do.call(RNGkind, as.list(kinds))))
  RNGversion("4.0.0")
  set.seed(1)
  got <- suppressWarnings(gpu_rrarefy(unname(x), c(5, 6, 4, 3)))
  expect_identical(got, rbind(
    c(2, 0, 1, 0, 2), c(0, 4, 0, 0, 2), c(1, 1, 0, 0, 2), c(1, 1, 0, 0, 0)
  ))
})

test_that("sparse matrices give the same counts", {
  skip_if_not_installed("Matrix")
  sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
  set.seed(1)
  expected <- suppressWarnings(gpu_rrarefy(x, 4))
  set.seed(1)
  got <- suppressWarnings(gpu_rrarefy(sparse, 4))
  expect_s4_class(got, "dgCMatrix")
  expect_equal(unname(as.matrix(got)), unname(expected), tolerance = 0)
  run <- function(x) suppressWarnings(gpu_rarefy(x, c(2, 4), se = TRUE))
  expect_equal(run(sparse), run(x), tolerance = 1e-14)
})

test_that("vegan has the same expected numbers", {
  skip_if_not_installed("vegan")
  counts <- vegan_data("BCI")
  expect_equal(gpu_rarefy(counts, 300), vegan::rarefy(counts, 300), tolerance = 1e-10)
  expect_equal(
    gpu_rarefy(counts[1:5, ], c(20, 300), TRUE), vegan::rarefy(counts[1:5, ], c(20, 300), TRUE),
    tolerance = 1e-6
  )
})

test_that("other values are errors or warnings", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_rarefy(x), "sample must be given; the smallest number of individuals of a row is 2")
  wrong(gpu_rarefy(x, -1), "sample must be whole numbers of at least 0, not -1")
  wrong(gpu_rarefy(x, NA), "sample must be whole numbers of at least 0, not NA")
  wrong(gpu_rrarefy(x, 1.5), "sample must be whole numbers of at least 0, not 1.5")
  wrong(gpu_rrarefy(x, c(1, 2)), "sample must")
  wrong(gpu_rrarefy(x / 2, 1), "x must be whole numbers of at least 0, but row 1, column 1 is 1.5")
  wrong(gpu_rrarefy(rbind(c(1, NA)), 1), "row 1, column 2 is NA")
  wrong(gpu_rarefy(-x, 1), "x must be whole numbers of at least 0")
  expect_warning(gpu_rarefy(x, 3), "sample is above the smallest number of individuals of a row, 2")
  expect_warning(gpu_rarefy(3 * x, 3), "its smallest count above 0 is 3")
  expect_warning(gpu_rrarefy(3 * x, 3), "its smallest count above 0 is 3")
  expect_warning(gpu_rrarefy(x, 3), "row 4 of x has fewer individuals than sample and is not")
})

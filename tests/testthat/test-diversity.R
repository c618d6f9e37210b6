x <- rbind(a = c(3, 0, 1, 2), b = c(0, 5, 1, 0), c = c(4, 1, 0, 2))
colnames(x) <- LETTERS[1:4]
shannon <- function(p, ...) -sum((p * log(p, ...))[p > 0])
by_row <- function(x, f, ...) apply(x / rowSums(x), 1, f, ...)

test_that("indices follow their formulas", {
  expect_equal(gpu_diversity(x), by_row(x, shannon), tolerance = 1e-14)
  expect_equal(gpu_diversity(x, base = 2), by_row(x, shannon, base = 2), tolerance = 1e-14)
  expect_equal(gpu_diversity(x, "simp"), by_row(x, function(p) 1 - sum(p^2)), tolerance = 1e-14)
  expect_equal(gpu_diversity(x, "inv"), by_row(x, function(p) 1 / sum(p^2)), tolerance = 1e-14)
  expect_equal(gpu_diversity(x, MARGIN = 2), by_row(t(x), shannon), tolerance = 1e-14)
  expect_equal(gpu_diversity(x["a", ]), shannon(c(3, 1, 2) / 6), tolerance = 1e-14)
  expect_identical(gpu_diversity(rbind(c(0, 0), c(NA, 1))), c(0, NA))
  expect_identical(gpu_diversity(rbind(c(0, 0), c(NA, 1)), "simpson"), c(1, NA))
  expect_identical(gpu_diversity(c(0, 0), "invsimpson"), Inf)
})

test_that("sites are pooled by groups", {
  groups <- factor(c("v", "u", "v"), levels = c("w", "v", "u"))
  pooled <- rbind(v = x["a", ] + x["c", ], u = x["b", ])
  expect_equal(gpu_diversity(x, groups = groups), by_row(pooled, shannon), tolerance = 1e-14)
  shares <- x / rowSums(x)
  pooled <- rbind(v = shares["a", ] + shares["c", ], u = shares["b", ])
  expect_equal(
    gpu_diversity(x, groups = groups, equalize.groups = TRUE), by_row(pooled, shannon),
    tolerance = 1e-14
  )
  all <- by_row(rbind("1" = colSums(x)), shannon)
  expect_equal(gpu_diversity(x, groups = 1), all, tolerance = 1e-14)
  expect_identical(
    unname(gpu_diversity(x, groups = c("u", NA, "u"))), unname(gpu_diversity(x[-2, ], groups = 1))
  )
})

test_that("Fisher's alpha solves its equation", {
  alpha <- gpu_diversity(x, "fisher")
  expect_named(alpha, c("a", "b", "c"))
  n <- c(6, 6, 7)
  expect_equal(unname(alpha * log1p(n / alpha)), c(3, 2, 3), tolerance = 1e-14)
  counts <- c(1e5, 1)
  alpha <- gpu_diversity(counts, "fisher")
  expect_equal(alpha * log1p(sum(counts) / alpha), 2, tolerance = 1e-13)
  single <- rbind(x, d = c(1, 0, 1, 0))
  expect_warning(alpha <- gpu_diversity(single, "fisher"), "row 4 of x has only species")
  expect_identical(alpha[["d"]], Inf)
  expect_identical(gpu_diversity(c(0, 0), "fisher"), NaN)
})

test_that("sparse matrices give the same", {
  skip_if_not_installed("Matrix")
  sparse <- methods::as(Matrix::Matrix(rbind(x, d = 0), sparse = TRUE), "CsparseMatrix")
  groups <- c("u", "v", "u", "w")
  for (index in c("shannon", "simpson", "invsimpson", "fisher")) {
    for (group in list(NULL, groups)) {
      for (margin in if (is.null(group)) 1:2 else 1) {
        run <- function(x) suppressWarnings(gpu_diversity(x, index, group, MARGIN = margin))
        expect_equal(run(sparse), run(rbind(x, d = 0)), tolerance = 1e-14)
      }
    }
  }
})

test_that("vegan has the same values", {
  skip_if_not_installed("vegan")
  counts <- vegan_data("BCI")
  habitat <- vegan_data("BCI.env")$Habitat
  for (index in c("shannon", "simpson", "invsimpson")) {
    expect_equal(gpu_diversity(counts, index), vegan::diversity(counts, index), tolerance = 1e-13)
    expect_equal(
      gpu_diversity(counts, index, habitat, TRUE), vegan::diversity(counts, index, habitat, TRUE),
      tolerance = 1e-13
    )
  }
  expect_equal(gpu_diversity(counts, "fisher"), vegan::fisher.alpha(counts), tolerance = 1e-6)
})

test_that("other values are errors", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_diversity(x, "foo"), 'index must be one of "shannon"')
  wrong(gpu_diversity(-x), "x must be numbers of at least 0, but row 1, column 1 is -3")
  wrong(gpu_diversity(x / 2, "fisher"), "x must be whole numbers of at least 0, but row 1")
  wrong(gpu_diversity(x, base = 1), "base must be a number above 0 other than 1, not 1")
  wrong(gpu_diversity(x, MARGIN = 3), "MARGIN must be 1 or 2, not 3")
  wrong(gpu_diversity(x, groups = 1:2), "groups must")
  wrong(gpu_diversity("a"), "x must be a numeric matrix")
  wrong(gpu_diversity(x, equalize.groups = 2), "equalize.groups must be true or false, not 2")
})

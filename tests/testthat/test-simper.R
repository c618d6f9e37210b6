counts <- dune_counts()
management <- dune_sites()$Management

# Returns a matrix with 19 permutations of n sites.
orders <- function(n) t(vapply(1:19, function(k) (seq_len(n) * 7 + k * 3) %% n + 1, numeric(n)))

# Returns the contributions of the species, in columns, to the pairs of a site of `a` and one of
# `b`.
contributions <- function(x, a, b) {
  total <- rowSums(x)
  pairs <- expand.grid(i = a, j = b)
  abs(x[pairs$i, ] - x[pairs$j, ]) / (total[pairs$i] + total[pairs$j])
}

test_that("components follow their definitions", {
  order <- orders(20)
  made <- gpu_simper(counts, management, order)
  expect_s3_class(made, "simper", exact = TRUE)
  expect_named(made, c("SF_BF", "SF_HF", "SF_NM", "BF_HF", "BF_NM", "HF_NM"))
  expect_identical(attr(made, "permutations"), 19L)
  for (pair in c("SF_BF", "HF_NM")) {
    part <- made[[pair]]
    sides <- strsplit(pair, "_")[[1L]]
    at <- function(g, side) which(g == sides[side])
    between <- function(g) contributions(counts, at(g, 1L), at(g, 2L))
    found <- between(management)
    expect_identical(part$species, colnames(counts))
    expect_equal(part$average, colMeans(found), tolerance = 1e-13)
    expect_equal(part$sd, apply(found, 2L, stats::sd), tolerance = 1e-12)
    expect_equal(part$ratio, part$average / part$sd)
    expect_equal(part$overall, mean(rowSums(found)), tolerance = 1e-13)
    expect_equal(part$ava, colMeans(counts[at(management, 1L), ]))
    expect_equal(part$avb, colMeans(counts[at(management, 2L), ]))
    expect_identical(part$ord, order(part$average, decreasing = TRUE))
    expect_equal(part$cusum, cumsum(part$average[part$ord]) / part$overall)
    larger <- apply(order, 1L, function(k) {
      colMeans(between(management[k])) > part$average + 2^-26
    })
    expect_equal(part$p, (rowSums(larger) + 1) / 20)
  }
})

test_that("results are those of vegan 2.6-4 after set.seed(1)", {
  skip_if_not_installed("permute")
  set.seed(1)
  made <- gpu_simper(counts, management, 99)
  expect_equal(stats::runif(1), 0.6257328, tolerance = 1e-6) # as many random numbers were drawn
  first <- made$SF_BF
  last <- made$HF_NM
  expect_equal(100 * unname(first$p), c(
    1, 4, 73, 20, 79, 13, 2, 40, 41, 68, 84, 52, 46, 62, 96, 53, 47, 48, 89, 59, 91, 96, 42, 85, 3,
    85, 8, 5, 88, 85
  ))
  expect_equal(100 * unname(last$p), c(
    61, 93, 39, 93, 34, 93, 78, 54, 53, 26, 41, 47, 59, 47, 19, 43, 25, 4, 6, 1, 33, 1, 89, 12, 84,
    1, 52, 85, 38, 46
  ))
  expect_equal(unname(first$average[1:6]), c(
    0.0301519639085136, 0.0613738749701877, 0, 0.0526671242628408, 0.0175425720115263,
    0.0198589837428845
  ))
  expect_equal(unname(last$sd[1:4]), c(
    0.0148997808428577, 0.0288873023341249, 0.0182425893309439, 0.0323990665252228
  ))
  expect_equal(c(first$overall, last$overall), c(0.624716862902828, 0.721793281306114))
  expect_identical(last$ord[1:10], c(20L, 17L, 22L, 19L, 18L, 29L, 11L, 2L, 27L, 12L))
  expect_identical(attr(made, "control")$nperm, 99)
})

test_that("results are those of the vegan that is installed, except for p-values", {
  skip_if_not_installed("vegan")
  both <- function(x, ...) {
    expected <- vegan::simper(x, ...)
    found <- gpu_simper(x, ...)
    expect_named(found, names(expected))
    for (pair in names(found)) {
      same <- setdiff(names(found[[pair]]), c("p", "ord", "cusum")) # equal species in another order
      expect_equal(found[[pair]][same], expected[[pair]][same])
    }
  }
  both(counts, management, permutations = 0)
  both(vegan_data("mite"), vegan_data("mite.env")$Topo, permutations = 0)
})

test_that("without groups all pairs of sites are taken", {
  made <- gpu_simper(counts)
  expect_named(made, "total")
  pairs <- do.call(rbind, lapply(2:20, function(i) {
    contributions(counts, i, seq_len(i - 1L))
  }))
  expect_equal(made$total$average, colMeans(pairs), tolerance = 1e-13)
  expect_equal(made$total$sd, apply(pairs, 2L, stats::sd), tolerance = 1e-12)
  expect_equal(made$total$overall, mean(gpu_vegdist(counts)), tolerance = 1e-13)
  expect_named(made$total, c(
    "species", "average", "overall", "sd", "ratio", "ava", "avb", "ord", "cusum", "p"
  ))
  expect_null(made$total$p)
})

test_that("threads and sparse matrices give the same bits", {
  order <- orders(20)
  expected <- gpu_simper(counts, management, order, threads = 1)
  expect_identical(gpu_simper(counts, management, order, threads = 3), expected)
  expect_identical(gpu_info()$last$`function`, "gpu_simper")
  expect_identical(gpu_simper(as.data.frame(counts), management, order), expected)
  skip_if_not_installed("Matrix")
  sparse <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "CsparseMatrix")
  expect_identical(gpu_simper(sparse, management, order), expected)
  expect_identical(gpu_simper(sparse), gpu_simper(counts))
})

test_that("edges are defined", {
  order <- orders(20)
  empty <- counts
  empty[c(1, 2), ] <- 0
  expect_warning(
    made <- gpu_simper(empty, management, order), "rows 1, 2 of comm have no value other than 0"
  )
  expect_true(all(is.nan(made$SF_BF$average))) # site 1 is in SF, site 2 in BF
  expect_true(all(is.na(made$SF_BF$sd)))
  expect_false(anyNA(made$SF_HF$average))
  expect_true(all(is.na(made$SF_HF$p)))
  plain <- unname(counts[1:3, ])
  pair <- gpu_simper(plain, c("v", "v", "u"), rbind(3:1))$v_u
  expect_null(pair$species)
  expect_null(names(pair$p))
  absent <- colSums(plain) == 0
  expect_identical(unique(pair$p[absent]), 0.5) # equal means are not counted
  single <- gpu_simper(plain[1:2, ], 1:2, rbind(2:1))$`1_2`
  expect_true(all(is.na(single$sd)))
})

test_that("what is no community or group is refused", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  order <- orders(20)
  wrong(gpu_simper(-counts, management), "comm must be finite numbers of at least 0, but row 1,")
  wrong(gpu_simper("a", 1), "comm must be a numeric matrix, not")
  wrong(gpu_simper(counts[1, , drop = FALSE]), "comm must have at least two rows, not 1")
  wrong(gpu_simper(replace(counts, 3, NA)), "comm must")
  wrong(gpu_simper(counts, 1:3), "group must have a value for each of the 20 points, not 3 values")
  wrong(gpu_simper(counts, rep(1, 20)), "group must have at least two groups, not 1")
  wrong(gpu_simper(counts, c(NA, 1:19)), "group must have no missing values")
  wrong(
    gpu_simper(counts, management, replace(order, 1, order[1, 2])),
    "permutations must have each of the numbers 1 to 20 once, but permutation 1 has two of"
  )
  wrong(gpu_simper(counts, management, backend = "cuda"), "backend must be \"auto\" or \"cpu\"")
})

test_that("results are printed and summarized without vegan", {
  made <- gpu_simper(counts, management, orders(20))
  print <- getNamespace("gpugeo")$fallback_print.simper
  expect_output(print(made), "HF_NM, mean dissimilarity 0.7218")
  summary <- getNamespace("gpugeo")$fallback_summary.simper
  part <- summary(made)$SF_BF
  expect_identical(names(part), c("average", "sd", "ratio", "ava", "avb", "p", "cumsum"))
  expect_identical(rownames(part), names(made$SF_BF$cusum))
  expect_equal(part["s7", "p"], made$SF_BF$p[["s7"]])
  expect_named(summary(gpu_simper(counts))$total, c("average", "sd", "ratio", "cumsum"))
})

counts <- rbind(
  c(3, 6, 1000003, 7, 1, 0), c(5, 10, 1000001, 7, 4, 9), c(1, 2, 1000007, 7, 16, 2),
  c(8, 16, 1000002, 7, 2, 0), c(2, 4, 1000009, 7, 9, 5)
)
colnames(counts) <- letters[1:6]
low <- function(m) m[lower.tri(m)]
# The definition: variances of all log ratios.
vlr_of <- function(z) {
  columns <- seq_len(ncol(z))
  outer(columns, columns, Vectorize(function(a, b) stats::var(z[, a] - z[, b])))
}
# All metrics of logarithms z with a reference.
propr_of <- function(z, reference = seq_len(ncol(z))) {
  vlr <- vlr_of(z)
  v <- apply(z - rowMeans(z[, reference, drop = FALSE]), 2L, stats::var)
  both <- outer(v, v, "+")
  list(
    rho = 1 - vlr / both, phi = vlr / rep(v, each = length(v)), phs = vlr / (2 * both - vlr),
    vlr = vlr
  )
}
wide <- outer(1:9, 1:37, function(i, j) (i * j * j + 5 * i * i + j) %% 41)

test_that("proportionality has the digits of exact arithmetic", {
  # By mpmath with 60 digits; the pair (a, b) has a constant ratio, (c, d) almost.
  vlr <- c(
    0, 0.64857662924686194, 0.64857222309114471, 3.1589849798941205, 1.7510389410092797,
    0.64857662924686194, 0.64857222309114471, 3.1589849798941205, 1.7510389410092797,
    1.1799881401004508e-11, 1.2447221235704036, 0.96221959183158344, 1.244727593034697,
    0.96222045932730263, 1.1269242455700722
  )
  phs <- c(
    0, 1.0928091195989122, 1.0927951017914126, 13.946777676172475, 3.4504478138395038,
    1.0928091195989122, 1.0927951017914126, 13.946777676172475, 3.4504478138395038,
    3.4599216049816113e-11, 1.0040188627774992, 2.4343038067475435, 1.0040283723559124,
    2.4343164254312555, 0.47469694473195244
  )
  phi <- c(
    0, 1.2105406186748322, 1.210532394773095, 5.8961107439010195, 3.2682395069253912,
    1.2105406186748322, 1.210532394773095, 5.8961107439010195, 3.2682395069253912,
    1.3839652936057351e-10, 14.598894350395933, 11.28552461390861, 14.599029140808939,
    11.285589396595209, 0.97403102866248484
  )
  on_each_backend(function() {
    found <- list(
      vlr = low(gpu_propr(counts, "vlr")), phs = low(gpu_propr(counts, "phs")),
      phi = low(gpu_propr(counts, "phi"))
    )
    expect_equal(found$vlr, vlr, tolerance = 1e-13)
    expect_equal(found$phs, phs, tolerance = 1e-13)
    expect_equal(found$phi, phi, tolerance = 1e-13)
    for (of in found) expect_lt(of[1], 1e-28)
    expect_lt(abs(found$vlr[10] / vlr[10] - 1), 1e-8)
    expect_lt(abs(found$phs[10] / phs[10] - 1), 1e-8)
    expect_equal(low(gpu_propr(counts)), (1 - phs) / (1 + phs), tolerance = 1e-13)
    expect_identical(gpu_propr(counts)["b", "a"], 1)
  })
  expect_identical(gpu_propr(counts[, c(1, 1, 3)], "vlr")[2, 1], 0)
})

test_that("all metrics, references and powers follow their definitions", {
  z <- log(pmax(wide, 1))
  middle <- apply(z - rowMeans(z), 2L, stats::var)
  middle <- which(middle > quantile(middle, 0.25) & middle < quantile(middle, 0.75))
  for (metric in c("rho", "phi", "phs", "vlr")) {
    expect_equal(gpu_propr(wide, metric), propr_of(z)[[metric]], tolerance = 1e-12)
    for (ivar in list(c(2, 5, 30), 7, "iqlr")) {
      reference <- if (is.character(ivar)) middle else ivar
      expected <- replace(propr_of(z, reference)[[metric]], 0, 0)
      found <- gpu_propr(wide, metric, ivar)
      if (length(reference) == 1L) {
        expected[!is.finite(found)] <- found[!is.finite(found)]
      }
      expect_equal(found, expected, tolerance = 1e-12)
    }
    expect_equal(
      gpu_propr(wide, metric, alpha = 0.3), propr_of((wide^0.3 - 1) / 0.3)[[metric]],
      tolerance = 1e-12
    )
  }
  expect_equal(gpu_propr(pmax(wide, 1), alpha = 1e-9), gpu_propr(wide), tolerance = 1e-7)
})

test_that("one column as reference has no proportionality with others", {
  alr <- gpu_propr(counts, ivar = "d")
  expect_identical(unname(alr[c(1, 2, 3, 5, 6), "d"]), numeric(5))
  expect_identical(is.na(alr), replace(alr, TRUE, FALSE) != 0 | row(alr) * col(alr) == 16)
  expect_identical(alr, gpu_propr(counts, ivar = 4))
  expect_identical(unname(gpu_propr(counts, "phi", "d")[1:3, "d"]), rep(Inf, 3))
  expect_warning(flat <- gpu_propr(counts[, c(4, 4, 4)]), "the standard deviation is zero")
  expect_identical(c(flat), rep(NA_real_, 9))
  expect_identical(c(gpu_propr(counts[, c(4, 4, 4)], "vlr")), numeric(9))
})

test_that("results have names, and all classes of counts give the same bits", {
  rho <- gpu_propr(counts)
  expect_identical(dimnames(rho), list(letters[1:6], letters[1:6]))
  expect_identical(gpu_propr(as.data.frame(counts)), rho)
  d <- gpu_propr(counts, as = "dist")
  expect_identical(attributes(d)[c("Size", "Labels", "method", "class")], list(
    Size = 6L, Labels = letters[1:6], method = "rho", class = "dist"
  ))
  expect_identical(1 - as.vector(d), low(rho))
  phi <- gpu_propr(counts, "phi")
  expect_identical(as.vector(gpu_propr(counts, "phi", as = "dist")), low(phi))
  both <- gpu_propr(counts, "phi", symmetrize = TRUE)
  expect_identical(both, t(both))
  expect_identical(low(both), low(phi))
  expect_false(isSymmetric(phi))
  all <- gpu_propr(wide, threads = 1)
  expect_identical(gpu_propr(wide, threads = 3), all)
  expect_identical(gpu_propr(wide, memory_limit = 2^20), all)
  expect_identical(gpu_info()$last$`function`, "gpu_propr")
  expect_identical(dim(gpu_propr(counts[, 0])), c(0L, 0L))
  skip_if_not_installed("Matrix")
  expect_identical(gpu_propr(Matrix::Matrix(counts, sparse = TRUE)), rho)
})

test_that("proportionality does not depend on the instruction set", {
  code <- "
    x <- outer(1:40, 1:70, function(i, j) (i * j * j + 5 * i) %% 23)
    cat(gpugeo::gpu_info()$simd, sprintf('%a', gpugeo::gpu_propr(x)[70, ]))
  "
  x <- outer(1:40, 1:70, function(i, j) (i * j * j + 5 * i) %% 23)
  used <- strsplit(rscript(code, "GPUGEO_SIMD=generic"), " ")[[1L]]
  expect_identical(used, c("generic", sprintf("%a", gpu_propr(x, backend = "cpu")[70, ])))
})

test_that("cutoffs count pairs of the table and of permuted ones", {
  set.seed(4)
  for (metric in c("rho", "phi", "phs", "vlr")) {
    cutoff <- c(0.9, 0.1, 1.2, -0.2)
    found <- gpu_propr_cutoffs(wide, cutoff, permutations = 3, metric = metric)
    expect_identical(names(found), c("cutoff", "randcounts", "truecounts", "FDR"))
    values <- low(gpu_propr(wide, metric))
    beyond <- function(at) if (metric == "rho") sum(values > at) else sum(values < at)
    expect_identical(found$truecounts, vapply(cutoff, beyond, 0) + 0)
    expect_identical(found$FDR, found$randcounts / found$truecounts)
  }
  set.seed(4)
  one <- gpu_propr_cutoffs(wide, 0.2, permutations = 1)
  set.seed(4)
  values <- gpu_propr(apply(wide, 2, sample))
  expect_identical(one$randcounts, sum(low(values) > 0.2) + 0)
  set.seed(4)
  expect_identical(gpu_propr_cutoffs(wide, 0.2, permutations = 1, threads = 1), one)
  skip_if_not_installed("Matrix")
  set.seed(4)
  sparse <- Matrix::Matrix(wide, sparse = TRUE)
  expect_identical(gpu_propr_cutoffs(sparse, 0.2, permutations = 1), one)
})

test_that("wrong arguments are refused", {
  refused <- function(expression, message) expect_error(expression, message, fixed = TRUE)
  refused(gpu_propr(counts, "x"), 'metric must be one of "rho", "phi", "phs", "vlr", not "x"')
  refused(gpu_propr(counts, ivar = 7), 'ivar must be "clr", "iqlr" or columns between 1 and 6')
  refused(gpu_propr(counts, ivar = 1.5), "between 1 and 6, not 1.5")
  refused(gpu_propr(counts, ivar = "z"), 'or numbers or names of columns, not "z"')
  refused(gpu_propr(counts, ivar = NULL), "or names of columns, not NULL")
  refused(gpu_propr(counts, ivar = TRUE), "or names of columns, not TRUE")
  refused(gpu_propr(counts, ivar = NA_real_), "or names of columns, not NA")
  refused(gpu_propr(counts, alpha = 0), "alpha must be a positive finite number, not 0")
  refused(gpu_propr(counts, alpha = 100), "alpha must be a number whose powers of counts are below")
  refused(gpu_propr(counts, alpha = c(1, 2)), "alpha must be a positive finite number, not c(1, 2)")
  refused(gpu_propr(counts, symmetrize = NA), "symmetrize must be true or false, not NA")
  refused(gpu_propr(counts, as = "x"), 'as must be one of "matrix", "dist", not "x"')
  refused(gpu_propr(counts - 3), "counts must be at least 0 and finite, but row 3, column 1 is -2")
  refused(gpu_propr(0 * counts), "counts must have an element above 0, not only zeros")
  refused(gpu_propr(counts[1, , drop = FALSE]), "counts must have at least 2 rows, not 1")
  refused(gpu_propr(letters), "counts must be")
  refused(gpu_propr(counts[, 1:3], ivar = "iqlr", alpha = NA, nonsense = 1), "nonsense")
  refused(gpu_propr_cutoffs(counts, permutations = 0), "permutations must be a whole number")
  refused(gpu_propr_cutoffs(counts, NA), "cutoff must be a vector of numbers, not NA")
  refused(gpu_propr(cbind(1:3, 3:1), ivar = "iqlr"), 'not "iqlr": no variance is between')
})

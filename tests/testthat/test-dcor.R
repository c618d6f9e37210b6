set.seed(17)
x <- cbind(a = rnorm(40), b = rexp(40), c = rpois(40, 0.4), d = 1)
x[, "b"] <- x[, "b"] + x[, "a"]^2
gaps <- replace(x, c(3, 42, 43, 85, 119), NA)

# The squared distance correlation of two columns, by its definition, on the rows that both have.
dcor_of <- function(x, y) {
  both <- !is.na(x) & !is.na(y)
  centred <- function(v) {
    d <- as.matrix(dist(v[both]))
    d - outer(rowMeans(d), rowMeans(d), "+") + mean(d)
  }
  a <- centred(x)
  b <- centred(y)
  divisor <- sqrt(sum(a^2) * sum(b^2))
  if (divisor > 0) sqrt(max(sum(a * b), 0) / divisor) else 0
}
all_pairs <- function(x, y) {
  pair <- function(i, j) dcor_of(x[, i], y[, j])
  r <- outer(seq_len(ncol(x)), seq_len(ncol(y)), Vectorize(pair))
  dimnames(r) <- list(colnames(x), colnames(y))
  r
}

test_that("distance correlations follow their definition", {
  expect_silent(r <- gpu_cor(x, method = "dcor"))
  expect_equal(r, all_pairs(x, x), tolerance = 1e-12)
  expect_identical(unname(diag(r)), c(1, 1, 1, 0))
  expect_equal(gpu_cor(x, x[, 2:3], method = "dcor"), all_pairs(x, x[, 2:3]), tolerance = 1e-12)
  expect_equal(gpu_cor(x[, 1], x[, 2], method = "dc"), dcor_of(x[, 1], x[, 2]), tolerance = 1e-12)
  expect_identical(gpu_cor(as.data.frame(x), method = "dcor", threads = 3), r)
  expect_identical(gpu_cor(2^900 * x, method = "dcor"), r)
})

test_that("values are those of Python's dcor 0.7", {
  y <- cbind(1:8, c(3, 1, 4, 1, 5, 9, 2, 6), c(0, 0, 1, 0, 0, 0, 7, 0))
  expect_equal(
    gpu_cor(y, method = "dcor")[c(2, 3, 6)],
    c(0.6003320048798223, 0.4749262933870049, 0.3952739854642239),
    tolerance = 1e-14
  )
})

test_that("missing values are left out as `use` says", {
  r <- gpu_cor(gaps, method = "dcor", use = "pairwise")
  expect_equal(r, all_pairs(gaps, gaps), tolerance = 1e-12)
  whole <- gaps[complete.cases(gaps), ]
  expect_identical(
    gpu_cor(gaps, method = "dcor", use = "complete"), gpu_cor(whole, method = "dcor")
  )
  every <- gpu_cor(gaps, method = "dcor")
  expect_true(all(is.na(every[-4, ])) && all(is.na(every[, -4])) && every[4, 4] == 0)
  expect_error(gpu_cor(gaps, method = "dcor", use = "all.obs"), "no missing values")
  expect_error(
    gpu_cor(gaps, method = "dcor", use = "pairwise", p_values = TRUE),
    'use must be "everything", .* for p-values of "dcor" with missing values'
  )
})

test_that("a sparse matrix has the correlations of the dense one", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(unname(x), sparse = TRUE)
  r <- gpu_cor(unname(x), method = "dcor")
  expect_identical(gpu_cor(sparse, method = "dcor"), r)
  orders <- rbind(40:1, c(2:40, 1))
  expect_identical(
    gpu_cor(sparse, method = "dcor", p_values = TRUE, permutations = orders),
    gpu_cor(unname(x), method = "dcor", p_values = TRUE, permutations = orders)
  )
})

test_that("p-values count permutations", {
  set.seed(3)
  orders <- t(replicate(19, sample(40)))
  found <- gpu_cor(x, method = "dcor", p_values = TRUE, permutations = orders)
  expect_identical(found$r, gpu_cor(x, method = "dcor"))
  expect_true(all(found$n == 40))
  p_of <- function(i, j) {
    moved <- apply(orders, 1, function(o) dcor_of(x[, i], x[o, j]))
    mean(c(TRUE, moved >= dcor_of(x[, i], x[, j]) - 1e-9))
  }
  expect_equal(found$p.value["b", "a"], p_of(2, 1))
  expect_equal(found$p.value["c", "b"], p_of(3, 2))
  expect_identical(found$p.value, t(found$p.value))
  expect_identical(unname(found$p.value[4, ]), rep(1, 4))
  two <- gpu_cor(x[, 1:2], x[, 3], method = "dcor", p_values = TRUE, permutations = orders)
  expect_equal(unname(two$p.value[, 1]), c(p_of(1, 3), p_of(2, 3)))
  expect_error(
    gpu_cor(x, method = "dcor", p_values = TRUE, permutations = -1), "permutations must be"
  )
})

test_that("there are no covariances, and no CUDA", {
  expect_error(
    gpu_cov(x, method = "dcor"),
    'method must be "pearson", "spearman" or "kendall" for covariances, not "dcor"'
  )
  expect_error(
    gpu_cor(x, method = "dcor", backend = "cuda"),
    'backend must be "auto" or "cpu" for distance correlations, not "cuda"'
  )
})

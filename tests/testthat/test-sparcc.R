counts <- outer(1:12, 1:9, function(i, j) (i * j * j + 7 * i * i) %% 31)
# The algorithm with the whole matrix of the equations, which is solved each time.
sparcc_of <- function(fractions, inner, threshold) {
  m <- ncol(fractions)
  z <- log(fractions)
  t <- outer(seq_len(m), seq_len(m), Vectorize(function(a, b) stats::var(z[, a] - z[, b])))
  used <- 1 - diag(m)
  repeat {
    v <- solve(diag(rowSums(used)) + used, rowSums(used * t))
    v[v <= 0] <- 1e-4
    r <- pmax(pmin((outer(v, v, "+") - t) / (2 * sqrt(outer(v, v))), 1), -1)
    size <- abs(r) * used * lower.tri(r)
    at <- arrayInd(which.max(size), dim(r))
    if (sum(used == 0) >= m + 2 * inner || max(size) <= threshold ||
      min(rowSums(used)[at]) <= 3) {
      diag(r) <- 1
      return(list(Cov = r * sqrt(outer(v, v)), Cor = r))
    }
    used[at] <- used[at[, 2:1, drop = FALSE]] <- 0
  }
}

test_that("correlations of the basis follow the algorithm", {
  on_each_backend(function() {
    for (inner in c(0, 1, 5, 40)) {
      for (threshold in c(0, 0.1, 0.6)) {
        expect_equal(
          gpu_sparcc(counts, 0, inner, threshold), sparcc_of(counts + 1, inner, threshold),
          tolerance = 1e-11
        )
      }
    }
  })
  four <- counts[, 1:4]
  expect_equal(gpu_sparcc(four, 0), sparcc_of(four + 1, 0, 0), tolerance = 1e-12)
})

test_that("tables are drawn by R's generator, and medians taken", {
  for (iterations in c(1, 4, 5)) {
    set.seed(2)
    found <- gpu_sparcc(counts, iterations)
    set.seed(2)
    each <- lapply(seq_len(iterations), function(k) {
      table <- matrix(stats::rgamma(length(counts), counts + 1), nrow(counts))
      sparcc_of(table / rowSums(table), 10, 0.1)
    })
    cor <- apply(vapply(each, function(one) one$Cor, counts[1:9, ]), 1:2, median)
    v <- apply(vapply(each, function(one) diag(one$Cov), numeric(9)), 1, median)
    expect_equal(found$Cor, cor, tolerance = 1e-11)
    expect_equal(found$Cov, cor * sqrt(outer(v, v)), tolerance = 1e-11)
  }
  set.seed(2)
  again <- gpu_sparcc(counts, 5, threads = 1)
  expect_identical(again, found)
  set.seed(2)
  expect_identical(unname(gpu_sparcc(as.data.frame(counts), 5, threads = 3)$Cor), again$Cor)
})

test_that("a strong correlation is found among parts without one", {
  set.seed(3)
  basis <- matrix(exp(rnorm(200 * 20)), 200)
  basis[, 2] <- basis[, 1] * exp(0.2 * rnorm(200))
  found <- gpu_sparcc(matrix(rpois(4000, 1000 * basis / rowSums(basis) * 20), 200), 5)
  expect_gt(found$Cor[1, 2], 0.9)
  expect_lt(max(abs(found$Cor[-(1:2), -(1:2)] - diag(18))), 0.35)
})

test_that("results have names, and wrong arguments are refused", {
  named <- counts
  colnames(named) <- letters[1:9]
  found <- gpu_sparcc(named, 0)
  expect_identical(names(found), c("Cov", "Cor"))
  expect_identical(dimnames(found$Cor), list(letters[1:9], letters[1:9]))
  expect_identical(dimnames(found$Cov), dimnames(found$Cor))
  expect_identical(found$Cor, t(found$Cor))
  expect_identical(gpu_info()$last$`function`, "gpu_sparcc")
  refused <- function(expression, message) expect_error(expression, message, fixed = TRUE)
  refused(gpu_sparcc(counts, -1), "iterations must be a whole number between 0 and 2147483647")
  refused(gpu_sparcc(counts, 0, inner = -1), "inner must be a whole number")
  refused(gpu_sparcc(counts, 0, threshold = 2), "threshold must be a number between 0 and 1, not 2")
  refused(gpu_sparcc(counts[, 1:3]), "counts must have at least 4 columns, not 3")
  refused(gpu_sparcc(counts[1, , drop = FALSE]), "counts must have at least 2 rows, not 1")
  refused(gpu_sparcc(counts - 1), "counts must be at least 0 and finite, but row 12, column 3 is")
  refused(gpu_sparcc(matrix("a", 2, 4)), "counts must be a numeric matrix")
  skip_if_not_installed("Matrix")
  expect_identical(gpu_sparcc(Matrix::Matrix(named, sparse = TRUE), 0), found)
})

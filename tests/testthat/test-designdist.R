counts <- rbind(
  a = c(3, 0, 1, 2, 0, 1, 0), b = c(0, 5, 1, 0, 2, 0, 0), c = c(1, 1, 0, 2, 0, 0, 2),
  d = c(1, 2, 1, 1, 0, 0, 0)
)
pairs <- utils::combn(4L, 2L)
by_pairs <- function(f) apply(pairs, 2L, function(k) f(counts[k[1L], ], counts[k[2L], ]))

test_that("terms are those of ?gpu_designdist", {
  value <- function(...) c(gpu_designdist(counts, ...))
  expect_identical(value("A"), by_pairs(function(u, v) sum(u > 0)) + 0)
  expect_identical(value("B"), by_pairs(function(u, v) sum(v > 0)) + 0)
  expect_identical(value("J"), by_pairs(function(u, v) sum(u > 0 & v > 0)) + 0)
  expect_identical(value("J", "minimum"), by_pairs(function(u, v) sum(pmin(u, v))))
  expect_identical(value("A - B", "minimum"), by_pairs(function(u, v) sum(u) - sum(v)))
  expect_identical(value("J", "quad"), by_pairs(function(u, v) sum(u * v)))
  expect_identical(value("A", "quad"), by_pairs(function(u, v) sum(u^2)))
  expect_identical(value("N + P"), rep(11, 6))
  expect_identical(value("a + 10 * b + 100 * c + 1000 * d", abcd = TRUE), by_pairs(function(u, v) {
    sum(u & v) + 10 * sum(u & !v) + 100 * sum(!u & v) + 1000 * sum(!u & !v)
  }))
  expect_equal(
    value("gamma / alpha - 1", alphagamma = TRUE), c(gpu_vegdist(counts, binary = TRUE))
  )
  expect_equal(value("(A+B-2*J)/(A+B-J)", "min"), c(gpu_vegdist(counts, "jaccard")))
})

test_that("attributes are vegan's", {
  d <- gpu_designdist(counts, "1-J/sqrt(A*B)", "quadratic", maxdist = 1)
  expect_identical(attributes(d)[-3L], list(
    Labels = letters[1:4], Size = 4L, class = "dist", Diag = FALSE, Upper = FALSE, maxdist = 1,
    method = "quadratic 1-J/sqrt(A*B)"
  ))
  expect_identical(attr(gpu_designdist(counts, name = "mine"), "method"), "mine")
  parts <- gpu_betadiver(counts)
  expect_s3_class(parts, "betadiver")
  expect_identical(c(parts$b), by_pairs(function(u, v) sum(!u & v)) + 0)
  expect_identical(c(parts$c), by_pairs(function(u, v) sum(u & !v)) + 0)
})

test_that("the 24 indices are those of vegan", {
  expect_equal(c(gpu_betadiver(counts, "w")), c(gpu_vegdist(counts, binary = TRUE)))
  expect_equal(
    c(gpu_betadiver(counts, 22)), c(gpu_dist(counts, "simpson")),
    tolerance = 1e-14
  )
  skip_if_not_installed("vegan")
  for (index in 1:24) {
    ours <- gpu_betadiver(counts, index)
    theirs <- vegan::betadiver(counts, index)
    attr(ours, "call") <- attr(theirs, "call") <- NULL
    expect_equal(ours, theirs, tolerance = 1e-12)
  }
  expect_equal(
    c(gpu_designdist(counts, "J/A-B")), c(vegan::designdist(counts, "J/A-B"))
  )
})

test_that("other values are errors", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_designdist(counts, "A +"), 'method must be a formula, not "A +"')
  wrong(gpu_designdist(counts, 1), "method must be a formula, not 1")
  wrong(gpu_designdist(counts, "K"), 'method must be a formula of A, B, J, N, P, not "K"')
  wrong(gpu_designdist(counts, "list(A)"), "method must give a number for each pair")
  wrong(gpu_designdist(counts, terms = "all"), "terms must be one of")
  wrong(gpu_betadiver(counts, 25), "method must be a number from 1 to 24 or one of")
})

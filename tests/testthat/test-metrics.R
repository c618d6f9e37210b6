set.seed(21)
x <- matrix(rexp(84), 14)
y <- matrix(rexp(30), 5)
counts <- matrix(rpois(84, 2), 14)

# All distances by a function of two rows.
pairwise <- function(x, distance) {
  pairs <- combn(nrow(x), 2)
  apply(pairs, 2, function(pair) distance(x[pair[2], ], x[pair[1], ]))
}

# The formulas of ?gpu_dist.
formulas <- list(
  sqeuclidean = function(a, b) sum((a - b)^2),
  cosine = function(a, b) 1 - sum(a * b) / sqrt(sum(a^2) * sum(b^2)),
  pearson = function(a, b) 1 - cor(a, b),
  spearman = function(a, b) 1 - cor(rank(a), rank(b)),
  braycurtis = function(a, b) sum(abs(a - b)) / sum(a + b),
  hamming = function(a, b) mean(a != b),
  jaccard = function(a, b) mean((a != b)[a != 0 | b != 0])
)

for (method in names(formulas)) {
  test_that(paste(method, "distances follow their formula"), {
    on_each_backend(function() {
      for (data in list(x, counts)) {
        expect_equal(
          as.vector(gpu_dist(data, method)), pairwise(data, formulas[[method]]),
          tolerance = 1e-13
        )
      }
    })
  })
}

test_that("bray-curtis distances are vegan's", {
  skip_if_not_installed("vegan")
  on_each_backend(function() {
    expect_equal(
      as.vector(gpu_dist(counts, "braycurtis")), as.vector(vegan::vegdist(counts, "bray")),
      tolerance = 1e-14
    )
  })
})

test_that("standardised distances are those of scale()", {
  gaps <- replace(x, c(3, 20, 70), NA)
  on_each_backend(function() {
    for (data in list(x, gaps)) {
      expect_equal(
        as.vector(gpu_dist(data, "seuclidean")), as.vector(dist(scale(data))),
        tolerance = 1e-13
      )
    }
    given <- c(1, 2, 4, 8, 16, 32)
    expect_equal(
      as.vector(gpu_dist(x, gpu_metric("seuclidean", scale = given))),
      as.vector(dist(scale(x, center = FALSE, scale = given))),
      tolerance = 1e-13
    )
  })
  expect_identical(
    gpu_cdist(x, y, gpu_metric("seuclidean", scale = 1:6)),
    gpu_cdist(x, y, gpu_metric("seuclidean", scale = c(1, 2, 3, 4, 5, 6)))
  )
})

test_that("Mahalanobis distances are those of stats::mahalanobis()", {
  given <- crossprod(matrix(rnorm(36), 6)) + diag(6)
  theirs <- function(cov) t(apply(x, 1, function(a) sqrt(mahalanobis(y, a, cov))))
  on_each_backend(function() {
    expect_equal(gpu_cdist(x, y, "mahalanobis"), theirs(cov(x)), tolerance = 1e-12)
    metric <- gpu_metric("mahalanobis", cov = given)
    expect_equal(gpu_cdist(x, y, metric), theirs(given), tolerance = 1e-12)
  })
  expect_identical(
    gpu_dist(x, gpu_metric("mahalanobis", cov = diag(6L)))[1:3],
    gpu_dist(x, gpu_metric("mahalanobis", cov = as.data.frame(diag(6))))[1:3]
  )
})

test_that("single precision is near double precision", {
  on_each_backend(function() {
    for (method in c("euclidean", "manhattan", "canberra", "cosine", "pearson")) {
      single <- gpu_dist(x, method, precision = "single")
      expect_equal(as.vector(single), as.vector(gpu_dist(x, method)), tolerance = 1e-5)
    }
    expect_false(identical(
      as.vector(gpu_dist(x, precision = "single")), as.vector(gpu_dist(x))
    ))
  })
})

test_that("near points far from the origin keep their digits", {
  near <- 1e8 + matrix(1:12, 4) / 1024
  on_each_backend(function() {
    expect_equal(as.vector(gpu_dist(near)), as.vector(dist(near)), tolerance = 1e-15)
  })
})

test_that("a row and its copy are at distance 0, and no multiple is nearer", {
  set.seed(22)
  base <- matrix(rnorm(40 * 30), 40)
  gaps <- base
  gaps[cbind(1:40, rep(1:20, 2))] <- NA
  on_each_backend(function() {
    for (method in c("cosine", "pearson", "spearman")) {
      for (precision in c("double", "single")) {
        apart <- as.matrix(gpu_dist(rbind(base, base), method, precision = precision))
        expect_identical(unname(apart[cbind(1:40, 41:80)]), numeric(40))
      }
      tripled <- as.matrix(gpu_dist(rbind(base, 3 * base), method))[cbind(1:40, 41:80)]
      expect_true(all(tripled >= 0 & tripled < 1e-30))
      missing <- as.matrix(gpu_dist(rbind(gaps, gaps), method))
      expect_identical(unname(missing[cbind(1:40, 41:80)]), numeric(40))
    }
  })
})

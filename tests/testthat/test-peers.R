# The clusterings of other packages in tests/peers (see its README.md), and the designs of their
# tests against the packages that are installed.
peers_folder <- test_path("..", "peers")
peers_cases <- read_cases(file.path(peers_folder, "cases.csv"))
peers_matrices <- lapply(
  matrix_lines(file.path(peers_folder, "matrices.txt")), matrix_of_lines
)
r_linkages <- c(
  single = "single", complete = "complete", average = "average", weighted = "mcquitty",
  centroid = "centroid", median = "median", ward = "ward.D2"
)

# The matrix of a case: points, or an object of class "dist" if it has condensed distances.
peers_input <- function(name) {
  x <- peers_matrices[[name]]
  if (nrow(x) > 1L) {
    return(x)
  }
  n <- (1 + sqrt(1 + 8 * length(x))) / 2
  structure(as.vector(x), Size = as.integer(n), class = "dist", Diag = FALSE, Upper = FALSE)
}

# The options of a case as a list.
peers_options <- function(text) {
  pairs <- strsplit(strsplit(text, ";", fixed = TRUE)[[1]], "=", fixed = TRUE)
  values <- lapply(pairs, function(pair) utils::type.convert(toupper(pair[2]), as.is = TRUE))
  stats::setNames(values, vapply(pairs, `[`, "", 1L))
}

# The tree of a case. Centroids and medians take squared distances in R, and roots of the heights
# are those of other packages.
peers_tree <- function(x, method, ...) {
  if (!method %in% c("centroid", "median")) {
    return(gpu_hclust(x, r_linkages[[method]], ...))
  }
  tree <- gpu_hclust(x, method, metric = "sqeuclidean", ...)
  tree$height <- sqrt(tree$height)
  tree
}

# A row a merge, with clusters numbered as by linkage.
steps_of <- function(tree) {
  clusters <- ifelse(tree$merge < 0, -tree$merge, tree$merge + nrow(tree$merge) + 1)
  unname(cbind(pmin(clusters[, 1], clusters[, 2]), pmax(clusters[, 1], clusters[, 2]), tree$height))
}

# The matrix of cophenetic distances of such rows, by the definition.
cophenetic_of <- function(steps) {
  n <- nrow(steps) + 1
  members <- as.list(seq_len(n))
  heights <- matrix(0, n, n)
  for (k in seq_len(nrow(steps))) {
    a <- members[[steps[k, 1]]]
    b <- members[[steps[k, 2]]]
    heights[a, b] <- steps[k, 3]
    heights[b, a] <- steps[k, 3]
    members[[n + k]] <- c(a, b)
  }
  heights
}

# True if two vectors have the same groups, whatever their numbers are, and the same noise, 0.
same_partition <- function(a, b) {
  pairs <- unique(cbind(a, b))
  identical(a == 0, b == 0) && !anyDuplicated(pairs[, 1]) && !anyDuplicated(pairs[, 2])
}

relative_error <- function(actual, expected) {
  max(0, abs(actual - expected) / pmax(abs(expected), .Machine$double.xmin))
}

# What a case compares, by its function. Each takes the case, its input and what is expected.
peers_checks <- list(
  linkage = function(case, x, expected) {
    tree <- peers_tree(x, case$method)
    steps <- steps_of(tree)
    tolerance <- as.numeric(case$tolerance)
    if (case$compare == "all") {
      expect_identical(steps[, 1:2], expected[, 1:2], info = case$case)
    }
    expect_lte(relative_error(steps[, 3], expected[, 3]), tolerance)
    heights <- as.matrix(gpu_cophenetic(tree))
    expect_lte(relative_error(unname(heights), cophenetic_of(expected)), tolerance)
  },
  cluster = function(case, x, expected) {
    options <- peers_options(case$options)
    found <- cutree(peers_tree(x, case$method), k = options$count, h = options$height)
    expect_true(same_partition(unname(found), as.vector(expected)), info = case$case)
  },
  mst = function(case, x, expected) {
    tree <- unname(as.matrix(gpu_mst(x)))
    expect_identical(tree[, 1:2], expected[, 1:2], info = case$case)
    expect_lte(relative_error(tree[, 3], expected[, 3]), as.numeric(case$tolerance))
  },
  dbscan = function(case, x, expected) {
    options <- peers_options(case$options)
    found <- gpu_dbscan(x, options$eps, options$min_points, borderPoints = options$border)
    expect_identical(as.numeric(found$cluster), as.vector(expected), info = case$case)
  },
  hdbscan = function(case, x, expected) {
    found <- gpu_hdbscan(x, peers_options(case$options)$min_points)
    expect_true(same_partition(as.numeric(found$cluster), expected[, 1]), info = case$case)
    actual <- cbind(found$coredist, found$membership_prob, c(found$hc$height, 0))
    expect_equal(unname(actual), expected[, -1], tolerance = as.numeric(case$tolerance))
  }
)

test_that("clusterings recorded from scipy, statistics and dbscan are the same", {
  cases <- peers_cases[peers_cases$`function` != "inconsistent", ] # R has no such function
  expect_gt(nrow(cases), 50)
  for (i in seq_len(nrow(cases))) {
    case <- as.list(cases[i, ])
    peers_checks[[case$`function`]](case, peers_input(case$x), peers_matrices[[case$expected]])
  }
})

# The designs of fastcluster's tests: points of several sizes, whole numbers with ties, duplicates.
fastcluster_designs <- function() {
  set.seed(17)
  list(
    normal2 = matrix(rnorm(4), 2), normal3 = matrix(rnorm(6), 3), normal50 = matrix(rnorm(150), 50),
    normal200 = matrix(rnorm(2000), 200), line = matrix(cumsum(runif(150)), 150)
  )
}
fastcluster_ties <- function() {
  set.seed(18)
  list(
    binary = matrix(sample(0:1, 240, TRUE), 80), whole = matrix(sample(0:4, 200, TRUE), 100),
    duplicates = matrix(rnorm(40), 20)[rep(1:20, each = 5), ], equal = matrix(1, 30, 2)
  )
}

test_that("trees of fastcluster's tests are those of stats::hclust() and fastcluster", {
  skip_if_not_installed("fastcluster")
  for (x in fastcluster_designs()) {
    d <- dist(x)
    members <- sample(5, nrow(x), TRUE)
    for (linkage in r_linkages) {
      for (weights in list(NULL, members)) {
        actual <- steps_of(gpu_hclust(d, linkage, weights))
        for (peer in list(stats::hclust, fastcluster::hclust)) {
          expected <- steps_of(peer(d, linkage, weights))
          expect_identical(actual[, 1:2], expected[, 1:2], info = linkage)
          expect_lte(relative_error(actual[, 3], expected[, 3]), 1e-12)
        }
      }
    }
  }
})

# With ties, single linkage has one matrix of cophenetic distances, whatever the rule for ties. The
# trees of the other linkages depend on the rule; for complete linkage stats has that of gpugeo.
test_that("with ties, single and complete linkage have the cophenetic distances of peers", {
  skip_if_not_installed("fastcluster")
  for (x in fastcluster_ties()) {
    d <- dist(x, "manhattan")
    for (source in list(d, x)) {
      tree <- if (inherits(source, "dist")) {
        gpu_hclust(d, "single")
      } else {
        gpu_hclust(x, "single", metric = "manhattan")
      }
      expected <- fastcluster::hclust(d, "single")
      expect_identical(tree$height, expected$height)
      expect_identical(as.vector(gpu_cophenetic(tree)), as.vector(cophenetic(expected)))
    }
    expected <- hclust(d, "complete")
    expect_identical(gpu_hclust(d, "complete")$height, expected$height)
    expect_identical(
      as.vector(gpu_cophenetic(gpu_hclust(d, "complete"))), as.vector(cophenetic(expected))
    )
  }
})

test_that("clusters of the data sets of package dbscan are the same", {
  skip_if_not_installed("dbscan")
  data("moons", "DS3", package = "dbscan", envir = environment())
  iris4 <- as.matrix(iris[, 1:4])
  expect_identical(gpu_dbscan(iris4, 0.4, 4)$cluster, dbscan::dbscan(iris4, 0.4, 4)$cluster)
  for (eps in c(0.1, 0.3, 0.5)) {
    for (border in c(TRUE, FALSE)) {
      expect_identical(
        gpu_dbscan(moons, eps, 5, border)$cluster,
        dbscan::dbscan(moons, eps, 5, borderPoints = border)$cluster
      )
    }
  }
  expect_identical(
    gpu_dbscan(DS3, 10, 12)$cluster, dbscan::dbscan(DS3, 10, 12)$cluster
  )
  got <- gpu_hdbscan(moons, 5)
  expected <- dbscan::hdbscan(moons, 5)
  expect_true(same_partition(got$cluster, as.integer(expected$cluster)))
  expect_equal(got$membership_prob, expected$membership_prob, tolerance = 1e-10)
  # Outlier scores depend on the rule for ties, see tests/peers/README.md.
  expect_equal(as.vector(cophenetic(got$hc)), as.vector(cophenetic(expected$hc)), tolerance = 1e-14)
  expect_equal(got$coredist, expected$coredist, tolerance = 1e-14)
})

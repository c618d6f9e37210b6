# Which matrices mean distances. Expected values are those of the same distances as a "dist".
places <- as.matrix(dist(USArrests[1:12, ]))
species <- rep(c("a", "b", "c"), 4)
nudged <- function(by) {
  m <- places
  m[2, 7] <- m[2, 7] + by * max(m)
  m
}
none <- matrix(0L, 0L, 12L) # no permutations, which need no package permute
taking_distances <- list(
  x = function(d) gpu_adonis2(d ~ species, permutations = none)$F[1],
  x = function(d) gpu_pairwise_adonis(d, species, 9)$F.Model,
  x = function(d) gpu_anosim(d, species, none)$statistic,
  dat = function(d) gpu_mrpp(d, species, none)$delta,
  d = function(d) unname(gpu_betadisper(d, species)$group.distances),
  d = function(d) gpu_pcoa(d)$eig,
  d = function(d) gpu_mds(d)$stress,
  xdis = function(d) gpu_mantel(d, dist(1:12), permutations = none)$statistic,
  ydis = function(d) gpu_mantel(dist(1:12), d, permutations = none)$statistic
)
has_permute <- requireNamespace("permute", quietly = TRUE)
if (!has_permute) taking_distances <- taking_distances[-2L]
taking_points <- list(
  pam = function(x) gpu_pam(x, 3)$medoids,
  silhouette = function(x) gpu_silhouette(x, rep(1:3, 4))[, 3],
  validity = function(x) gpu_validity(x, rep(1:3, 4), indices = "dunn")$dunn,
  dbscan = function(x) gpu_dbscan(x, 50)$cluster,
  hdbscan = function(x) gpu_hdbscan(x, 3)$cluster,
  optics = function(x) gpu_optics(x)$order,
  lof = function(x) gpu_lof(x, 3),
  mst = function(x) gpu_mst(x)$distance,
  knn = function(x) gpu_knn(x, 2)$index,
  radius = function(x) gpu_radius(x, 50)$index,
  graph = function(x) gpu_neighbor_graph(x, 2)$to
)

test_that("a symmetric matrix means distances where those are tested or scaled", {
  d <- as.dist(places)
  for (i in seq_along(taking_distances)) {
    compute <- taking_distances[[i]]
    expected <- compute(d)
    expect_equal(compute(places), expected)
    expect_equal(compute(as.data.frame(places)), expected)
    expect_equal(compute(nudged(1e-9)), expected, tolerance = 1e-7)
    expect_equal(compute(t(nudged(1e-9))), expected, tolerance = 1e-7)
  }
  # Both elements count the same.
  m <- matrix(c(0, 2, 3, 2 + 1e-8, 0, 4, 3, 4, 0), 3)
  expect_identical(c(as_distances(m, "x", NULL)), c(2 + 5e-9, 3, 4))
  skip_if(!has_permute, "without package permute all but gpu_pairwise_adonis() were tested")
})

test_that("an asymmetric matrix of distances is an error that names the pair", {
  one_triangle <- places
  one_triangle[upper.tri(one_triangle)] <- NA
  zeros <- places
  zeros[lower.tri(zeros)] <- 0
  no_diagonal <- one_triangle
  diag(no_diagonal) <- NA
  for (i in seq_along(taking_distances)) {
    name <- if (i == 1) "the left side of formula" else names(taking_distances)[i]
    expected <- paste(name, "must be symmetric, but element (2, 7) is ")
    expect_error(
      taking_distances[[i]](nudged(1e-7)), expected,
      fixed = TRUE, class = "gpugeo_error"
    )
    for (m in list(one_triangle, zeros, no_diagonal)) {
      expect_error(
        taking_distances[[i]](m), paste(name, "must be symmetric, but element ("),
        fixed = TRUE, class = "gpugeo_error"
      )
    }
  }
  expect_error(
    gpu_anosim(matrix(c(0, 1, 2, 1, 0, 3, 2, 5, 0), 3), c(1, 1, 2)),
    "x must be symmetric, but element (2, 3) is 5 and element (3, 2) is 3; gpu_dist() computes",
    fixed = TRUE
  )
  expect_error(
    gpu_anosim(one_triangle, species), "element (1, 2) is NA and element (2, 1) is", fixed = TRUE
  )
  expect_error(
    gpu_mds(dist(1:3), weights = matrix(c(0, 1, 1, 1, 0, 1, 1, 2, 0), 3)),
    "weights must be symmetric, but element (2, 3) is 2 and element (3, 2) is 1",
    fixed = TRUE
  )
  # A square table of points is no matrix of distances.
  table <- nudged(1)
  table[1, 1] <- 3
  expect_equal(gpu_pcoa(table)$eig, gpu_pcoa(dist(table))$eig)
})

test_that("a matrix of points with the form of distances is warned of, once", {
  plain <- unclass(places)
  for (name in names(taking_points)) {
    compute <- taking_points[[name]]
    found <- NULL
    warnings <- capture_warnings(found <- compute(plain))
    expect_identical(
      warnings,
      paste(
        "x is taken for points, but has the form of distances: square, symmetric and 0 on the",
        "diagonal; as.dist(x) makes distances of it"
      ),
      info = name
    )
    expect_warning(compute(as.data.frame(plain)), class = "gpugeo_points_warning")
    expect_equal(found, suppressWarnings(compute(rbind(plain)[, ])), info = name)
    expect_silent(compute(as.dist(plain)))
    expect_silent(compute(plain + 1))
    expect_silent(compute(plain[, -1]))
    expect_silent(compute(nudged(1e-12)))
    expect_warning(compute(nudged(1e-15)), class = "gpugeo_points_warning")
  }
  expect_silent(gpu_knn(matrix(0, 4, 4), 2))
  expect_silent(gpu_dist(plain))
})

test_that("so are dense matrices of package Matrix", {
  skip_if_not_installed("Matrix")
  plain <- unclass(places)
  for (x in list(Matrix::Matrix(plain, sparse = FALSE), methods::as(plain, "unpackedMatrix"))) {
    expect_true(methods::is(x, "denseMatrix"))
    for (name in names(taking_points)) {
      compute <- taking_points[[name]]
      found <- NULL
      expect_warning(found <- compute(x), class = "gpugeo_points_warning", label = name)
      expect_equal(found, suppressWarnings(compute(plain)), info = name, ignore_attr = "call")
      expect_silent(compute(x + 1))
    }
    expect_error(gpu_hclust(x), "d must be points or an object of class \"dist\"")
  }
})

test_that("gpu_hclust() refuses such a matrix unless its metric is named", {
  correlations <- 1 - cor(t(as.matrix(USArrests[1:12, ])))
  correlations <- (correlations + t(correlations)) / 2
  diag(correlations) <- 0
  expect_error(
    gpu_hclust(correlations, "average"),
    "d must be points or an object of class \"dist\", not a matrix that has the form of distances",
    class = "gpugeo_error"
  )
  expect_warning(
    tree <- gpu_hclust(correlations, "average", metric = "euclidean"),
    "as.dist(d) makes distances of it",
    fixed = TRUE, class = "gpugeo_points_warning"
  )
  expect_equal(tree$height, hclust(dist(correlations), "average")$height)
  expect_equal(
    gpu_hclust(as.dist(correlations), "average")$height,
    hclust(as.dist(correlations), "average")$height
  )
})

test_that("functions of points refuse distances", {
  d <- dist(USArrests[1:12, ])
  x <- as.matrix(USArrests[1:12, ])
  message <- 'must be points, not distances of class "dist"; as.matrix'
  expect_error(gpu_cdist(d, x), paste("x", message), class = "gpugeo_error")
  expect_error(gpu_cdist(x, d), paste("y", message), class = "gpugeo_error")
  expect_error(gpu_dist(d), paste("x", message), class = "gpugeo_error")
  expect_error(gpu_closest_pair(d), paste("x", message), class = "gpugeo_error")
  expect_error(gpu_collisions(d, radius = 1), paste("x", message), class = "gpugeo_error")
  expect_error(gpu_tiles_plan(d), paste("x", message), class = "gpugeo_error")
  expect_error(gpu_knn(x, 2, query = d), paste("query", message), class = "gpugeo_error")
})

test_that("a malformed dist is an error everywhere", {
  sizes <- list(NULL, NA_integer_, -2, 3.5, (1 + sqrt(17)) / 2, "3", c(3, 3), 4)
  functions <- c(
    taking_distances, taking_points,
    d = function(d) gpu_hclust(d)$height, x = function(d) gpu_cophenetic(gpu_hclust(d))
  )
  for (size in sizes) {
    values <- if (identical(size, sizes[[5]])) c(1, 2) else c(1, 2, 3)
    wrong <- structure(values, class = "dist", Size = size)
    for (compute in functions) {
      expect_error(
        compute(wrong), 'must be an object of class "dist" with n \\(n - 1\\) / 2 distances, not',
        class = "gpugeo_error"
      )
    }
  }
  expect_error(
    gpu_hclust(structure(c(1, 2, 3), class = "dist", Size = -2)), "not with 3 and Size -2"
  )
})

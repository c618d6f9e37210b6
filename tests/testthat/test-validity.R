# Indices against their definitions in plain R, and against other packages where they are installed.
set.seed(4)
points <- rbind(
  matrix(rnorm(60), 20), matrix(rnorm(75, 4), 25), matrix(rnorm(30, -3, 0.5), 10), c(9, 9, 9)
)
groups <- rep(c(3L, 7L, 1L, 0L), c(20, 25, 10, 1))

# DBCV of a matrix of distances, by the equations of Moulavi et al. (2014). Trees by Kruskal.
dbcv_of <- function(d, cluster, m) {
  core <- numeric(nrow(d))
  size <- table(cluster[cluster != 0])
  codes <- as.integer(names(size)[size > 1])
  for (i in which(cluster %in% codes)) {
    others <- setdiff(which(cluster == cluster[i]), i)
    core[i] <- (sum((1 / d[i, others])^m) / length(others))^(-1 / m)
  }
  reach <- pmax(d, outer(core, core, pmax))
  inner <- logical(nrow(d))
  sparseness <- numeric()
  for (code in codes) {
    tree <- tree_of(which(cluster == code), reach, d)
    degree <- tabulate(tree[, 1:2], nrow(d))
    own <- if (nrow(tree) == 1L) degree > 0 else degree > 1
    inner <- inner | own
    edges <- tree[own[tree[, 1]] & own[tree[, 2]], 3]
    sparseness <- c(sparseness, max(if (length(edges)) edges else tree[, 3]))
  }
  separation <- vapply(codes, function(code) {
    min(reach[inner & cluster == code, inner & cluster != code & cluster %in% codes])
  }, 0)
  validity <- (separation - sparseness) / pmax(separation, sparseness)
  list(
    validity = stats::setNames(validity, codes),
    dbcv = sum(validity * size[size > 1]) / length(cluster)
  )
}

# The edges of the minimum spanning tree of some points, a row each with its weight.
tree_of <- function(at, reach, d) {
  pairs <- t(combn(at, 2))
  pairs <- pairs[order(reach[pairs], d[pairs], pairs[, 1], pairs[, 2]), , drop = FALSE]
  root <- seq_len(nrow(d))
  kept <- apply(pairs, 1, function(pair) {
    joins <- root[pair[1]] != root[pair[2]]
    root[root == root[pair[2]]] <<- root[pair[1]]
    joins
  })
  cbind(pairs[kept, , drop = FALSE], reach[pairs[kept, , drop = FALSE]])
}

# All other indices of a matrix of distances, without noise.
indices_of <- function(d, cluster) {
  among <- split(which(cluster != 0), cluster[cluster != 0])
  half <- function(at) sum(d[at, at]^2) / 2 / length(at)
  within <- vapply(among, half, 0)
  kept <- unlist(among)
  k <- length(among)
  diameter <- vapply(among, function(at) max(d[at, at]), 0)
  separation <- vapply(among, function(at) min(d[at, setdiff(kept, at)]), 0)
  list(
    within = within, diameter = diameter, separation = separation,
    within.cluster.ss = sum(within), dunn = min(separation) / max(diameter),
    ch = (half(kept) - sum(within)) / (k - 1) / (sum(within) / (length(kept) - k))
  )
}

# Davies and Bouldin's index of points.
db_of <- function(x, cluster) {
  codes <- setdiff(unique(cluster), 0)
  means <- t(vapply(codes, function(code) colMeans(x[cluster == code, , drop = FALSE]), x[1, ]))
  spread <- vapply(seq_along(codes), function(i) {
    own <- x[cluster == codes[i], , drop = FALSE]
    mean(sqrt(rowSums(sweep(own, 2, means[i, ])^2)))
  }, 0)
  ratio <- outer(spread, spread, `+`) / as.matrix(dist(means))
  diag(ratio) <- 0
  mean(apply(ratio, 1, max))
}

test_that("indices of points are those of their definitions", {
  d <- as.matrix(dist(points))
  v <- gpu_validity(points, groups)
  expected <- indices_of(d, groups)
  for (name in names(expected)) {
    expect_equal(v[[name]], expected[[name]], tolerance = 1e-12, info = name)
  }
  expect_equal(v$db, db_of(points, groups), tolerance = 1e-12)
  density <- dbcv_of(d, groups, 3)
  expect_equal(v$clus.dbcv, density$validity[names(v$clus.dbcv)], tolerance = 1e-12)
  expect_equal(v$dbcv, density$dbcv, tolerance = 1e-12)
  widths <- gpu_silhouette(points[groups != 0, ], groups[groups != 0])
  expect_equal(v$avg.silwidth, mean(widths[, 3]), tolerance = 1e-13)
  expect_equal(
    v$clus.avg.silwidths, c(tapply(widths[, 3], widths[, 1], mean)),
    tolerance = 1e-13, ignore_attr = TRUE
  )
  expect_identical(v$n, 56L)
  expect_identical(c(v$noisen, v$cluster.number), c(1, 3))
  expect_identical(v$cluster.size, c("1" = 10, "3" = 20, "7" = 25))
})

test_that("distances of any kind have the same indices, on any number of threads", {
  d <- dist(points, "manhattan")
  expected <- indices_of(as.matrix(d), groups)
  v <- gpu_validity(points, groups, method = "manhattan")
  for (name in names(expected)) {
    expect_equal(v[[name]], expected[[name]], tolerance = 1e-12, info = name)
  }
  expect_identical(v$db, NA_real_)
  expect_equal(v$dbcv, dbcv_of(as.matrix(d), groups, 3)$dbcv, tolerance = 1e-12)
  expect_identical(gpu_validity(gpu_dist(points, "manhattan"), groups, dimensions = 3), v)
  expect_identical(gpu_validity(gpu_dist(points, "manhattan"), groups)$dbcv, NA_real_)
  many <- matrix(round(rnorm(3000 * 3), 1), 3000)
  parts <- rep_len(0:40, 3000)
  one <- gpu_validity(many, parts, threads = 1)
  expect_identical(gpu_validity(many, parts, threads = 3), one)
  expect_identical(gpu_validity(many, parts, memory_limit = 2^21), one)
  expect_equal(one[["ch"]], gpu_validity(dist(many), parts, indices = "ch")$ch, tolerance = 1e-10)
})

test_that("DBCV holds where trees have ties, few points or equal ones", {
  for (seed in 1:6) {
    set.seed(seed)
    x <- matrix(sample(0:8, 120, TRUE), 60)
    cluster <- sample(0:5, 60, TRUE)
    cluster[1:3] <- c(6L, 7L, 7L)
    d <- as.matrix(dist(x))
    expected <- dbcv_of(d, cluster, 2)
    v <- gpu_validity(x, cluster, indices = "dbcv")
    expect_equal(v$dbcv, expected$dbcv, tolerance = 1e-10, info = seed)
    expect_identical(unname(is.na(v$clus.dbcv["6"])), TRUE)
    expect_identical(v$ch, NA_real_)
  }
})

test_that("DBCV of more points than fit into a tile", {
  set.seed(2)
  x <- matrix(rnorm(2400), 1200) + 5 * (seq_len(1200) %% 8)
  cluster <- seq_len(1200) %% 8 + 1
  expected <- dbcv_of(as.matrix(dist(x)), cluster, 2)
  v <- gpu_validity(x, cluster, indices = "dbcv")
  expect_equal(v$clus.dbcv, expected$validity, tolerance = 1e-12)
  expect_equal(v$dbcv, expected$dbcv, tolerance = 1e-12)
})

test_that("edges: one cluster, single points, equal points, noise only, none", {
  none <- c("ch", "db", "dunn", "avg.silwidth", "dbcv")
  one <- gpu_validity(points, rep(1, 56))
  for (name in none) expect_identical(one[[name]], NA_real_, info = name)
  expect_equal(one$within.cluster.ss, sum(scale(points, scale = FALSE)^2), tolerance = 1e-13)
  alone <- gpu_validity(points, 1:56)
  expect_identical(alone$dunn, Inf)
  expect_identical(c(alone$within.cluster.ss, alone$avg.silwidth, alone$db), c(0, 0, 0))
  expect_identical(c(alone$ch, alone$dbcv), c(NA_real_, NA_real_))
  equal <- gpu_validity(matrix(1, 4, 2), c(1, 1, 2, 2))
  expect_identical(equal$db, Inf)
  expect_identical(c(equal$within.cluster.ss, equal$dbcv), c(0, 0))
  noise <- gpu_validity(points, rep(0, 56))
  expect_identical(c(noise$cluster.number, noise$noisen), c(0, 56))
  expect_identical(noise$within.cluster.ss, NA_real_)
  expect_identical(gpu_validity(points, factor(groups))$cluster.number, 4L)
  expect_identical(gpu_validity(points, list(cluster = groups)), gpu_validity(points, groups))
})

test_that("two clusterings: adjusted Rand index and mutual information", {
  set.seed(9)
  a <- sample(1:4, 200, TRUE)
  b <- ifelse(runif(200) < 0.7, a, sample(7:9, 200, TRUE))
  table <- table(a, b)
  pairs <- function(counts) sum(choose(counts, 2))
  expected <- pairs(rowSums(table)) * pairs(colSums(table)) / choose(200, 2)
  most <- (pairs(rowSums(table)) + pairs(colSums(table))) / 2
  got <- gpu_validity(NULL, a, b)
  expect_named(got, c("corrected.rand", "nmi"))
  expect_equal(got$corrected.rand, (pairs(table) - expected) / (most - expected), tolerance = 1e-13)
  entropy <- function(counts) -sum((counts / 200 * log(counts / 200))[counts > 0])
  h <- c(entropy(rowSums(table)), entropy(colSums(table)))
  mutual <- sum(h) - entropy(table)
  means <- c(arithmetic = mean(h), geometric = sqrt(prod(h)), min = min(h), max = max(h))
  for (name in names(means)) {
    expect_equal(
      gpu_validity(NULL, a, b, nmi = name)$nmi, mutual / means[[name]],
      tolerance = 1e-12, info = name
    )
  }
  expect_identical(gpu_validity(NULL, a, 5L - a), list(corrected.rand = 1, nmi = 1))
  expect_identical(gpu_validity(NULL, rep(1, 5), 1:5), list(corrected.rand = 0, nmi = 0))
  expect_identical(gpu_validity(NULL, rep(1, 5), rep(2, 5)), list(corrected.rand = 1, nmi = 1))
  both <- gpu_validity(points, groups, factor(groups))
  expect_identical(c(both$corrected.rand, both$nmi), c(1, 1))
})

test_that("wrong arguments are errors", {
  expect_error(gpu_validity(points, 1:3), "clusters must have a number for each of the 56 points")
  expect_error(gpu_validity(points, groups, indices = "gap"), "indices must be one of")
  expect_error(gpu_validity(points, groups, indices = 1), "indices must be names of indices")
  expect_error(gpu_validity(points, replace(groups, 2, NA)), "value 2 is NA")
  expect_error(gpu_validity(points, groups, 1:3), "reference must have a number for each of the 56")
  expect_error(gpu_validity(points, groups, "a"), "reference must be whole numbers")
  expect_error(
    gpu_validity(dist(points), groups, indices = "db"),
    "index \"db\" must be left out but for points with Euclidean distances"
  )
  expect_error(
    gpu_validity(dist(points), groups, indices = "dbcv"),
    "dimensions must be given with distances for index \"dbcv\""
  )
  expect_error(gpu_validity(points, groups, dimensions = 0), "dimensions must be a whole number")
  expect_error(gpu_validity(NULL, groups), "x must not be NULL without reference")
  bad <- replace(points, 3, NA)
  expect_error(gpu_validity(bad, groups, indices = "ch"), "x must be finite numbers, but row 3")
  bad[3, ] <- NA
  expect_error(gpu_validity(bad, groups, indices = "dunn"), "x must have finite distances only")
  expect_error(gpu_validity(points, groups, nmi = "sum"), "nmi must be one of")
})

test_that("the gap statistic has the reference data of clusGap()", {
  skip_if_not_installed("cluster")
  cut <- function(x, k) list(cluster = stats::cutree(stats::hclust(stats::dist(x)), k))
  for (space in c("scaledPCA", "original")) {
    for (power in 1:2) {
      set.seed(3)
      expected <- cluster::clusGap(
        points, cut, 4,
        B = 5, d.power = power, spaceH0 = space, verbose = FALSE
      )
      set.seed(3)
      got <- gpu_clus_gap(points, cut, 4, B = 5, d.power = power, spaceH0 = space)
      expect_equal(got$Tab, expected$Tab, tolerance = 1e-12)
      expect_s3_class(got, "clusGap")
      expect_identical(got$spaceH0, space)
      best <- function(tab) cluster::maxSE(tab[, "gap"], tab[, "SE.sim"])
      expect_identical(best(got$Tab), best(expected$Tab))
    }
  }
  set.seed(5)
  expected <- cluster::clusGap(points, stats::kmeans, 3, B = 4, verbose = FALSE, nstart = 2)
  set.seed(5)
  got <- gpu_clus_gap(points, gpu_kmeans, 3, B = 4, nstart = 2)
  expect_equal(got$Tab, expected$Tab, tolerance = 1e-12)
  expect_output(print(got), "Gap statistic")
})

test_that("the gap statistic is that of its definition", {
  halves <- function(x, k) list(cluster = 1 + (x[, 1] > 0) + (k > 2) * (x[, 2] > 2))
  log_w <- function(x, k) {
    parts <- split(seq_len(nrow(x)), if (k > 1) halves(x, k)$cluster else rep(1, nrow(x)))
    log(sum(vapply(parts, function(at) sum(dist(x[at, , drop = FALSE])) / length(at) / 2, 0)))
  }
  set.seed(8)
  expect_output(
    got <- gpu_clus_gap(points, halves, 3, B = 3, spaceH0 = "original", verbose = TRUE),
    "gpu_clus_gap: reference data 3 of 3"
  )
  set.seed(8)
  simulated <- replicate(3, {
    z <- apply(points, 2, function(column) runif(56, min(column), max(column)))
    vapply(1:3, function(k) log_w(z, k), 0)
  })
  expect_equal(got$Tab[, 1], vapply(1:3, function(k) log_w(points, k), 0), tolerance = 1e-12)
  expect_equal(got$Tab[, 2], rowMeans(simulated), tolerance = 1e-12)
  expect_equal(got$Tab[, 4], sqrt(4 / 3) * apply(simulated, 1, sd), tolerance = 1e-12)
})

test_that("wrong arguments of gpu_clus_gap() are errors", {
  expect_error(gpu_clus_gap(points, 3, 4), "FUNcluster must be a function, not 3")
  expect_error(gpu_clus_gap(points, gpu_kmeans, 1), "K.max must be a whole number of at least 2")
  expect_error(gpu_clus_gap(points, gpu_kmeans, 3, B = 0), "B must be a whole number of at least 1")
  expect_error(gpu_clus_gap(points, gpu_kmeans, 3, B = 2, d.power = 0), "d.power must be positive")
  expect_error(gpu_clus_gap(points, gpu_kmeans, 3, spaceH0 = "x"), "spaceH0 must be one of")
  expect_error(
    gpu_clus_gap(points, function(x, k) list(cluster = 1), 3), "FUNcluster must return a list"
  )
  expect_error(gpu_clus_gap(replace(points, 1, NA), gpu_kmeans, 3), "x must be a matrix of finite")
})

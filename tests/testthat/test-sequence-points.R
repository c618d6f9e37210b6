# Sequences in place of points: results are those of gpu_dist_dna().

made_up <- function(n, sites, seed = 1) {
  set.seed(seed)
  x <- matrix(sample(c("a", "c", "g", "t"), sites, TRUE), n, sites, byrow = TRUE)
  changed <- matrix(runif(n * sites) < 0.05, n)
  x[changed] <- sample(c("a", "c", "g", "t", "-", "n"), sum(changed), TRUE)
  for (i in seq(2, n, 2)) x[i, ] <- ifelse(runif(sites) < 0.97, x[i - 1, ], x[i, ])
  rownames(x) <- paste0("s", seq_len(n))
  x
}

letters_matrix <- made_up(40, 200)
dna <- {
  file <- tempfile()
  writeLines(c(rbind(
    paste0(">", rownames(letters_matrix)), apply(letters_matrix, 1, paste, collapse = "")
  )), file)
  gpu_read_fasta(file)
}

# The k nearest by a matrix of distances, ties by number.
nearest_in_matrix <- function(d, k) {
  diag(d) <- Inf
  t(apply(d, 1, function(row) order(row)[seq_len(k)]))
}

test_that("neighbours are those of the distances", {
  for (model in c("snp", "N", "K80", "INDEL")) {
    d <- gpu_dist_dna(dna, model)
    found <- gpu_knn(dna, 3, method = model)
    expect_identical(unname(found$index), unname(nearest_in_matrix(as.matrix(d), 3)))
    expect_identical(unclass(found), unclass(gpu_knn(d, 3)))
    expect_identical(rownames(found$index), names(dna))
    near <- gpu_radius(dna, 4, method = model)
    square <- as.matrix(d)
    diag(square) <- NA
    expect_identical(unname(near$count), unname(as.integer(rowSums(square <= 4, na.rm = TRUE))))
    expect_identical(unclass(near), unclass(gpu_radius(d, 4)))
  }
  with_self <- gpu_knn(dna, 2, method = "snp", include_self = TRUE)
  expect_identical(with_self$index[, 1], stats::setNames(1:40, names(dna)))
  expect_identical(
    gpu_neighbor_graph(dna, 2, method = "snp"), gpu_neighbor_graph(gpu_dist_dna(dna, "snp"), 2)
  )
})

test_that("the default model is that of gpu_dist_dna()", {
  d <- gpu_dist_dna(dna)
  expect_identical(unclass(gpu_knn(dna, 2)), unclass(gpu_knn(d, 2)))
  expect_identical(gpu_hclust(dna, "single")$height, gpu_hclust(d, "single")$height)
  expect_identical(gpu_hclust(dna)$dist.method, "K80")
  expect_identical(gpu_mst(dna), gpu_mst(d))
})

test_that("parameters of models are those of a metric", {
  metric <- gpu_metric("tn93", pairwise.deletion = TRUE, gamma = 0.5)
  d <- gpu_dist_dna(dna, "TN93", pairwise.deletion = TRUE, gamma = 0.5)
  expect_identical(format(metric), "gpu_metric(\"TN93\", pairwise.deletion = TRUE, gamma = 0.5)")
  expect_identical(unclass(gpu_knn(dna, 2, method = metric)), unclass(gpu_knn(d, 2)))
  tree <- gpu_hclust(dna, "average", metric = metric)
  expect_identical(tree$height, gpu_hclust(d, "average")$height)
  shares <- c(0.1, 0.2, 0.3, 0.4)
  expect_identical(
    gpu_mst(dna, gpu_metric("F81", base.freq = shares, gamma = TRUE)),
    gpu_mst(gpu_dist_dna(dna, "F81", base.freq = shares, gamma = TRUE))
  )
})

test_that("all functions of distances take sequences", {
  model <- gpu_metric("raw", pairwise.deletion = TRUE)
  d <- gpu_dist_dna(dna, "raw", pairwise.deletion = TRUE)
  group <- rep(1:4, 10)
  same <- function(f, ..., ignored = c("call", "data", "diss")) {
    of_dna <- f(dna, ..., method = model)
    of_d <- f(d, ...)
    if (is.list(of_dna)) {
      of_dna[ignored] <- of_d[ignored] <- NULL
    }
    attr(of_dna, "call") <- attr(of_d, "call") <- NULL
    expect_equal(of_dna, of_d, tolerance = 0)
  }
  same(gpu_mst)
  same(gpu_dbscan, eps = 0.03, minPts = 3, ignored = "metric")
  same(gpu_hdbscan, minPts = 3, ignored = c("call", "hc"))
  same(gpu_nj)
  same(gpu_bionj)
  same(gpu_upgma)
  same(gpu_pcoa, ignored = "call")
  same(gpu_pcoa, eig = TRUE, ignored = "call")
  same(gpu_pam, k = 3)
  suppressWarnings(same(gpu_betadisper, group = group))
  expect_identical(
    unclass(gpu_silhouette(dna, group, method = model))[, 1:3],
    unclass(gpu_silhouette(d, group))[, 1:3]
  )
  data <- data.frame(group = factor(group))
  set.seed(1)
  table <- gpu_adonis2(dna ~ group, data, 99, method = model)
  set.seed(1)
  expect_identical(table$F, gpu_adonis2(d ~ group, data, 99)$F)
  expect_identical(
    gpu_anosim(dna, group, 99, distance = model)$statistic, gpu_anosim(d, group, 99)$statistic
  )
  expect_identical(gpu_mrpp(dna, group, 99, distance = model)$delta, gpu_mrpp(d, group, 99)$delta)
  set.seed(1)
  pairs <- gpu_pairwise_adonis(dna, group, 99, method = model)
  set.seed(1)
  expect_identical(pairs, gpu_pairwise_adonis(d, group, 99))
  expect_equal(gpu_mds(dna, method = model)$stress, gpu_mds(d)$stress)
})

test_that("single linkage is that of stats::hclust()", {
  d <- gpu_dist_dna(dna, "snp")
  tree <- gpu_hclust(dna, "single", metric = "snp")
  expected <- stats::hclust(d, "single")
  expect_identical(tree$height, expected$height)
  for (h in 0:12) expect_identical(cutree(tree, h = h), cutree(expected, h = h))
  expect_identical(tree$labels, names(dna))
  expect_identical(tree$dist.method, "SNP")
})

test_that("all classes of sequences are taken", {
  texts <- stats::setNames(apply(letters_matrix, 1, paste, collapse = ""), rownames(letters_matrix))
  expected <- unclass(gpu_knn(dna, 2, method = "snp"))
  expect_identical(unclass(gpu_knn(texts, 2, method = "snp")), expected)
  expect_identical(unclass(gpu_knn(letters_matrix, 2, method = "snp")), expected)
  expect_error(gpu_knn(texts, 2), "x must be a numeric matrix")
  codes <- matrix(unclass(dna)$codes, 40, byrow = TRUE, dimnames = list(names(dna), NULL))
  expect_identical(
    unclass(gpu_knn(structure(codes, class = "DNAbin"), 2, method = "snp")), expected
  )
})

test_that("results do not depend on threads", {
  x <- made_up(300, 120, 2)
  of <- function(threads) {
    list(
      gpu_knn(x, 5, method = "snp", threads = threads),
      gpu_dbscan(x, 3, method = "snp", threads = threads)$cluster,
      gpu_hclust(x, "single", metric = "snp", threads = threads)$merge
    )
  }
  expect_identical(of(1), of(3))
  expect_identical(gpu_info()$last$backend, "cpu")
})

test_that("neighbours and single linkage do not need the matrix of distances", {
  x <- made_up(3000, 64, 3) # all distances take 36 MB
  limit <- 2^25
  expect_identical(dim(gpu_knn(x, 2, method = "snp", memory_limit = limit)$index), c(3000L, 2L))
  expect_length(gpu_dbscan(x, 1, method = "snp", memory_limit = limit)$cluster, 3000)
  expect_identical(nrow(gpu_mst(x, "snp", memory_limit = limit)), 2999L)
  expect_length(gpu_hclust(x, "single", metric = "snp", memory_limit = limit)$height, 2999)
  expect_error(
    gpu_hclust(x, "average", metric = "snp", memory_limit = limit), "memory_limit must be"
  )
})

test_that("what makes no sense is refused", {
  expect_error(gpu_knn(dna, 2, method = "euclidean"), "method must be one of .*, not \"euclidean\"")
  expect_error(gpu_hclust(dna, metric = "euclidean"), "metric must be one of .*, not \"euclidean\"")
  expect_error(gpu_mst(dna, "BH87"), "method must be one of symmetric distances, not \"BH87\"")
  expect_error(gpu_knn(dna, 40, method = "snp"), "k must be between 1 and 39 \\(the other")
  expect_error(gpu_knn(dna, 2, query = dna), "query must be given with points")
  expect_error(gpu_knn(dna[1], 1), "x must have at least 2 points")
  expect_error(gpu_mst(dna, pairwise.deletion = TRUE), "gpu_metric\\(\"K80\", pairwise.deletion = ")
  expect_error(gpu_metric("snp", p = 3), "p must be given with method \"minkowski\", not \"snp\"")
  expect_error(
    gpu_metric("euclidean", gamma = 1), "gamma must be given with method \"K80\", not \"euclidean\""
  )
  expect_error(gpu_metric("raw", gamma = 1), "gamma must be false for model \"RAW\"")
  expect_error(gpu_metric("F81", base.freq = 1), "base.freq must be the shares of A, C, G and T")
  expect_error(gpu_metric("K80", gamma = -1), "gamma must be false, true or a positive number")
  expect_error(gpu_knn(matrix(1, 3, 2), 1, method = "snp"), "method must be one of")
  expect_error(gpu_mst(c("ACGT", "ACG"), "snp"), "x must have sequences of equal lengths")
})

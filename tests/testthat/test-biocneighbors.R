# GpugeoParam() against the exact algorithms of BiocNeighbors, and in the packages that use it.
points_here <- function(n = 60, m = 5) {
  set.seed(4)
  matrix(rnorm(n * m), n, m, dimnames = list(paste0("p", seq_len(n)), NULL))
}

test_that("BiocNeighbors finds the same neighbours", {
  skip_if_not_installed("BiocNeighbors")
  x <- points_here()
  y <- points_here(7) + 0.1
  for (distance in c("Euclidean", "Manhattan", "Cosine")) {
    ours <- GpugeoParam(distance)
    exact <- BiocNeighbors::KmknnParam(distance = distance)
    expect_s4_class(ours, "BiocNeighborParam")
    expect_identical(BiocNeighbors::bndistance(ours), distance)
    expect_equal(
      BiocNeighbors::findKNN(x, k = 6, BNPARAM = ours),
      BiocNeighbors::findKNN(x, k = 6, BNPARAM = exact)
    )
    expect_equal(
      BiocNeighbors::findKNN(x, k = 4, BNPARAM = ours, subset = c(9, 2, 31)),
      BiocNeighbors::findKNN(x, k = 4, BNPARAM = exact, subset = c(9, 2, 31))
    )
    expect_equal(
      BiocNeighbors::queryKNN(x, y, k = 5, BNPARAM = ours),
      BiocNeighbors::queryKNN(x, y, k = 5, BNPARAM = exact)
    )
    sorted <- function(found) lapply(found$index, sort)
    near <- BiocNeighbors::findNeighbors(x, 1.5, BNPARAM = ours)
    expect_identical(
      sorted(near), sorted(BiocNeighbors::findNeighbors(x, 1.5, BNPARAM = exact))
    )
    expect_identical(
      sorted(BiocNeighbors::queryNeighbors(x, y, 1.5, BNPARAM = ours)),
      sorted(BiocNeighbors::queryNeighbors(x, y, 1.5, BNPARAM = exact))
    )
    limits <- seq(0.5, 2, length.out = nrow(x))
    expect_identical(
      sorted(BiocNeighbors::findNeighbors(x, limits, BNPARAM = ours)),
      sorted(BiocNeighbors::findNeighbors(x, limits, BNPARAM = exact))
    )
    index <- BiocNeighbors::buildIndex(x, BNPARAM = ours)
    expect_identical(dim(index), dim(x))
    expect_identical(rownames(index), rownames(x))
    expect_output(print(index), "GpugeoIndex")
    expect_identical(
      BiocNeighbors::findKNN(BNINDEX = index, k = 6),
      BiocNeighbors::findKNN(x, k = 6, BNPARAM = ours)
    )
    expect_identical(
      BiocNeighbors::queryKNN(BNINDEX = index, query = y, k = 2, BNPARAM = ours),
      BiocNeighbors::queryKNN(x, y, k = 2, BNPARAM = ours)
    )
  }
})

test_that("the options of findKNN() are respected", {
  skip_if_not_installed("BiocNeighbors")
  x <- points_here()
  ours <- GpugeoParam(threads = 1)
  exact <- BiocNeighbors::KmknnParam()
  find <- function(...) BiocNeighbors::findKNN(x, ..., BNPARAM = ours)
  expect_equal(
    find(k = 5, last = 2), BiocNeighbors::findKNN(x, k = 5, last = 2, BNPARAM = exact)
  )
  expect_named(find(k = 5, get.distance = FALSE), "index")
  expect_named(find(k = 5, get.index = FALSE), "distance")
  expect_identical(find(k = 5, subset = c("p9", "p2")), find(k = 5, subset = c(9, 2)))
  expect_warning(all <- find(k = 100), "k is more than the other points: 59 are returned")
  expect_identical(dim(all$index), c(60L, 59L))
  # Points at the same location, more than k: of each the point itself is left out.
  same <- matrix(1, 8, 2)
  found <- BiocNeighbors::findKNN(same, k = 3, subset = 6:8, BNPARAM = ours)
  expect_identical(found$index, matrix(1:3, 3, 3, byrow = TRUE))
  expect_identical(
    BiocNeighbors::findKNN(x, k = 3, BNPARAM = GpugeoParam("pearson"))$index,
    unname(gpu_knn(x, 3, method = "pearson")$index)
  )
  expect_error(GpugeoParam("Hamming distance"), "method must be one of", class = "gpugeo_error")
})

test_that("sparse points have the neighbours of dense ones, without a dense copy", {
  skip_if_not_installed("BiocNeighbors")
  skip_if_not_installed("Matrix")
  set.seed(7)
  x <- Matrix::rsparsematrix(60, 12, 0.3, rand.x = rnorm, dimnames = list(paste0("p", 1:60), NULL))
  x[, 1] <- 1 # no point has length 0
  x <- methods::as(x, "CsparseMatrix")
  dense <- as.matrix(x)
  y <- x[5:9, ]
  forms <- list(x, methods::as(x, "RsparseMatrix"), methods::as(x, "TsparseMatrix"))
  for (distance in c("Euclidean", "Manhattan", "Cosine", "jaccard")) {
    ours <- GpugeoParam(distance, memory_limit = 2^20)
    for (form in forms) {
      expect_same(
        BiocNeighbors::findKNN(form, k = 6, BNPARAM = ours),
        BiocNeighbors::findKNN(dense, k = 6, BNPARAM = ours)
      )
    }
    expect_same(
      BiocNeighbors::findKNN(x, k = 6, BNPARAM = ours, subset = c("p9", "p2")),
      BiocNeighbors::findKNN(dense, k = 6, BNPARAM = ours, subset = c("p9", "p2"))
    )
    for (query in list(y, as.matrix(y))) {
      expect_same(
        BiocNeighbors::queryKNN(x, query, k = 5, BNPARAM = ours),
        BiocNeighbors::queryKNN(dense, as.matrix(y), k = 5, BNPARAM = ours)
      )
    }
    expect_same(
      BiocNeighbors::queryKNN(x, Matrix::t(y), k = 5, BNPARAM = ours, transposed = TRUE),
      BiocNeighbors::queryKNN(dense, as.matrix(y), k = 5, BNPARAM = ours)
    )
    expect_same(
      BiocNeighbors::findNeighbors(x, 0.8, BNPARAM = ours),
      BiocNeighbors::findNeighbors(dense, 0.8, BNPARAM = ours)
    )
  }
  # The peer, which takes dense points only.
  expect_equal(
    BiocNeighbors::findKNN(x, k = 6, BNPARAM = GpugeoParam("Cosine")),
    BiocNeighbors::findKNN(dense, k = 6, BNPARAM = BiocNeighbors::KmknnParam(distance = "Cosine"))
  )
  index <- BiocNeighbors::buildIndex(x, BNPARAM = GpugeoParam())
  expect_s4_class(methods::slot(index, "sparse"), "dgCMatrix")
  expect_identical(dim(methods::slot(index, "data")), c(0L, 0L))
  expect_identical(dim(index), dim(x))
  expect_identical(rownames(index), rownames(x))
  zero <- x
  zero[3, ] <- 0
  expect_error(
    BiocNeighbors::findKNN(zero, k = 2, BNPARAM = GpugeoParam("Cosine")),
    "X must have no point of length 0",
    class = "gpugeo_error"
  )
  expect_error(
    BiocNeighbors::findKNN(x, k = 2, BNPARAM = GpugeoParam(memory_limit = 7)),
    "memory_limit must be",
    class = "gpugeo_error"
  )
})

test_that("bluster, scran and scater take it unchanged", {
  skip_if_not_installed("bluster")
  x <- points_here(200, 10)
  same_graph <- function(a, b) {
    expect_identical(igraph::as_edgelist(a), igraph::as_edgelist(b))
    expect_identical(igraph::E(a)$weight, igraph::E(b)$weight)
  }
  for (type in c("rank", "number", "jaccard")) {
    same_graph(
      bluster::makeSNNGraph(x, k = 8, type = type, BNPARAM = GpugeoParam()),
      bluster::makeSNNGraph(x, k = 8, type = type)
    )
  }
  set.seed(1)
  ours <- bluster::clusterRows(x, bluster::NNGraphParam(k = 8, BNPARAM = GpugeoParam()))
  set.seed(1)
  expect_identical(ours, bluster::clusterRows(x, bluster::NNGraphParam(k = 8)))
  skip_if_not_installed("scran")
  same_graph(
    scran::buildSNNGraph(t(x), d = NA, BNPARAM = GpugeoParam()), scran::buildSNNGraph(t(x), d = NA)
  )
  skip_if_not_installed("scater")
  map <- function(...) {
    set.seed(2)
    scater::calculateUMAP(x, transposed = TRUE, external_neighbors = TRUE, n_threads = 1, ...)
  }
  exhaustive <- BiocNeighbors::ExhaustiveParam() # takes no random numbers
  expect_equal(map(BNPARAM = GpugeoParam()), map(BNPARAM = exhaustive))
})

# The interfaces of later versions, whose generics a fresh process defines as their help describes
# them: `generics` and code for the searches of each.
later_interface <- function(generics, build, find, query, near, of_sparse) {
  rscript(c(
    'setClass("BiocNeighborParam", contains = "VIRTUAL", slots = c(distance = "character"))',
    'setClass("BiocNeighborIndex", contains = "VIRTUAL")',
    generics,
    "gpugeo:::define_param(globalenv(), gpugeo:::param_classes)",
    'param <- new("GpugeoParam", distance = "Euclidean", settings = list())',
    "set.seed(6)",
    "x <- matrix(rnorm(90), 30)",
    "y <- matrix(rnorm(12), 4)",
    paste("index <-", build), paste("find <-", find), paste("query <-", query),
    paste("near <-", near),
    "library(Matrix)",
    paste("of_sparse <- function(x)", of_sparse),
    "plain_knn <- function(...) gpugeo::gpu_knn(...)[c('index', 'distance')]", # without class
    "plain <- plain_knn(x, 3)",
    "stopifnot(",
    "  identical(find(k = 3), plain),",
    "  identical(find(k = 3, subset = 5:6), lapply(plain, `[`, 5:6, )),",
    '  identical(find(k = 3, get.index = "transposed", get.distance = FALSE),',
    "    list(index = t(plain$index))),",
    "  identical(find(k = I(rep(1:3, 10)))$index[[29]], plain$index[29, 1:2]),",
    "  identical(query(query = y, k = 2), plain_knn(x, 2, y)),",
    "  identical(query(query = as(y, 'CsparseMatrix'), k = 2), query(query = y, k = 2)),",
    "  identical(of_sparse(as(x, 'CsparseMatrix')), find(k = 3)),",
    "  identical(query(query = t(y), k = 2, transposed = TRUE), query(query = y, k = 2)),",
    "  identical(lengths(near(threshold = 1)$index), gpugeo::gpu_radius(x, 1)$count),",
    "  identical(near(threshold = 1, get.index = FALSE, get.distance = FALSE),",
    "    gpugeo::gpu_radius(x, 1)$count),",
    '  is(index, "BiocNeighborIndex")',
    ")",
    'cat("passed")'
  ))
}

# Code of a generic with these arguments.
generic_code <- function(name, on, arguments) {
  sprintf(
    'setGeneric("%s", function(%s) standardGeneric("%s"), signature = %s)', name, arguments, name,
    paste(deparse(on), collapse = "")
  )
}
common <- function(name) {
  paste0(
    if (!grepl("Distance", name)) "get.index = TRUE, get.distance = TRUE, ",
    "num.threads = 1, subset = NULL, ..."
  )
}

test_that("the interface of BiocNeighbors 2.0 is known", {
  on <- c("X", "BNPARAM")
  of <- function(name, own, more = "") {
    generic_code(name, on, paste0("X, ", own, ", ", common(name), more, ", BNPARAM = NULL"))
  }
  output <- later_interface(
    c(
      generic_code("buildIndex", on, "X, BNPARAM, transposed = FALSE, ..."),
      of("findKNN", "k"), of("queryKNN", "query, k", ", transposed = FALSE"),
      of("findNeighbors", "threshold"), of("queryNeighbors", "query, threshold"),
      of("findDistance", "k"), of("queryDistance", "query, k"),
      "found <- function() findDistance(x, 2, BNPARAM = param)"
    ),
    build = "buildIndex(x, BNPARAM = param)",
    find = "function(...) {
      stopifnot(identical(found(), gpugeo::gpu_knn(x, 2)$distance[, 2]))
      stopifnot(identical(findKNN(index, ...), findKNN(x, ..., BNPARAM = param)))
      findKNN(x, ..., BNPARAM = param)
    }",
    query = "function(...) queryKNN(x, ..., BNPARAM = param)",
    near = "function(...) findNeighbors(x, ..., BNPARAM = param)",
    of_sparse = "findKNN(x, k = 3, BNPARAM = param)"
  )
  expect_identical(utils::tail(output, 1L), "passed")
})

test_that("the interface of BiocNeighbors 2.4 is known", {
  of <- function(name, own, more = "") {
    generic_code(name, "BNINDEX", paste0("BNINDEX, ", own, ", ", common(name), more))
  }
  output <- later_interface(
    c(
      generic_code("buildIndex", "BNPARAM", "X, transposed = FALSE, ..., BNPARAM = NULL"),
      of("findKnnFromIndex", "k"), of("queryKnnFromIndex", "query, k", ", transposed = FALSE"),
      of("findNeighborsFromIndex", "threshold"), of("queryNeighborsFromIndex", "query, threshold"),
      of("findDistanceFromIndex", "k"), of("queryDistanceFromIndex", "query, k")
    ),
    build = "buildIndex(x, BNPARAM = param)",
    find = "function(...) {
      nearest <- gpugeo::gpu_knn(x, 2)
      stopifnot(identical(findDistanceFromIndex(index, 2), nearest$distance[, 2]))
      findKnnFromIndex(index, ...)
    }",
    query = "function(...) queryKnnFromIndex(index, ...)",
    near = "function(...) findNeighborsFromIndex(index, ...)",
    of_sparse = "findKnnFromIndex(buildIndex(x, BNPARAM = param), k = 3)"
  )
  expect_identical(utils::tail(output, 1L), "passed")
})

test_that("no argument of BiocNeighbors is ignored silently", {
  skip_if_not_installed("BiocNeighbors")
  x <- points_here(40, 10)
  y <- points_here(7, 10) + 0.1
  ours <- GpugeoParam()
  exact <- BiocNeighbors::KmknnParam()
  expect_equal(
    BiocNeighbors::findKNN(t(x), 3, transposed = TRUE, BNPARAM = ours),
    BiocNeighbors::findKNN(t(x), 3, transposed = TRUE, BNPARAM = exact)
  )
  expect_equal(
    BiocNeighbors::findNeighbors(t(x), 2, transposed = TRUE, BNPARAM = ours),
    BiocNeighbors::findNeighbors(x, 2, BNPARAM = ours)
  )
  expect_equal(
    BiocNeighbors::queryKNN(x, t(y), 3, transposed = TRUE, BNPARAM = ours),
    BiocNeighbors::queryKNN(x, t(y), 3, transposed = TRUE, BNPARAM = exact)
  )
  index <- BiocNeighbors::buildIndex(t(x), transposed = TRUE, BNPARAM = ours)
  expect_identical(dim(index), dim(x))
  expect_error(
    BiocNeighbors::findKNN(BNINDEX = index, k = 3, transposed = TRUE),
    "transposed must be FALSE with an index, not TRUE",
    class = "gpugeo_error"
  )
  calls <- list(
    function(...) BiocNeighbors::buildIndex(x, ..., BNPARAM = ours),
    function(...) BiocNeighbors::findKNN(x, 3, ..., BNPARAM = ours),
    function(...) BiocNeighbors::queryKNN(x, y, 3, ..., BNPARAM = ours),
    function(...) BiocNeighbors::findNeighbors(x, 2, ..., BNPARAM = ours),
    function(...) BiocNeighbors::queryNeighbors(x, y, 2, ..., BNPARAM = ours),
    function(...) BiocNeighbors::findKNN(BNINDEX = index, k = 3, ...)
  )
  for (call in calls) {
    expect_error(
      call(distance = "Manhattan"), "distance must be given to GpugeoParam\\(\\), not here",
      class = "gpugeo_error"
    )
    expect_error(call(subsets = 1:2), "unused argument subsets", class = "gpugeo_error")
    expect_silent(call(warn.ties = FALSE, BPPARAM = NULL))
  }
})

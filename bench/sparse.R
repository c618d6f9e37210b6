# Sparse matrices: gpugeo with a sparse matrix, gpugeo with the dense one, and BiocNeighbors, all timed
# in this run.
#
#   Rscript --min-vsize=4G bench/sparse.R [--label=NAME] [--only=small|distances|large] [--points=20000]
#     [--cells=200000]     or: make bench
#
# Prints a row for each metric or size and writes all of them to bench/results/sparse-<label>.csv. Two CPU threads,
# and a GPU if there is one. --only=small, about five minutes, leaves out 200,000 cells x 2,000 genes at 7 %: all of
# them on a GPU, and on the CPU, which takes an hour for all, the neighbours of 2,000 of them. The dense matrix of that
# size takes 3.2 GB. --only=distances: the metrics of sparse kernels for --points x 2,000 at 5 %, sparse and dense
# alternating, with a result of 1.6 GB. --cells changes the size of the large rows.

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.progress = FALSE)
backends <- c("cpu", if (has_gpu) "cuda")

# Exponential values, so that no two neighbours are equally far.
random <- function(n, m, density) {
  Matrix::rsparsematrix(n, m, density, rand.x = function(k) rexp(k) + 0.1)
}

# Times a call with the sparse and with the dense matrix on each backend. The target is the CPU's: a GPU computes with
# dense points in both cases, of which neighbours of a sparse matrix have some at a time.
compare <- function(what, size, sparse, dense, target, call, on = backends) {
  for (backend in on) {
    options(gpugeo.backend = backend)
    report(paste0(what, if (backend != "cpu") paste(" on", backend)), size, seconds(call(sparse)), "gpugeo, dense",
           seconds(call(dense)), if (backend == "cpu") target else ">= 0.9")
  }
}

small <- function() {
  x <- random(5000, 2000, 0.05)
  y <- as.matrix(x)
  # The first nine skip zeros; the last three do not.
  metrics <- c(
    "euclidean", "manhattan", "maximum", "binary", "cosine", "braycurtis", "hamming", "jaccard", "minkowski",
    "canberra", "pearson", "spearman"
  )
  for (metric in metrics) {
    compare(metric, "5000 x 2000, 5 %", x, y, if (metric %in% c("euclidean", "cosine")) ">= 2" else ">= 1",
            function(z) gpu_dist(z, metric, p = 3))
  }
  for (density in c(0.01, 0.02, 0.1, 0.2, 0.5)) {
    x <- random(5000, 2000, density)
    y <- as.matrix(x)
    for (metric in c("euclidean", "cosine")) {
      compare(metric, paste("5000 x 2000,", 100 * density, "%"), x, y, ">= 1", function(z) gpu_dist(z, metric))
    }
  }
  x <- random(20000, 2000, 0.05)
  y <- as.matrix(x)
  for (metric in c("euclidean", "cosine")) {
    compare(paste("15 nearest,", metric), "20000 x 2000, 5 %", x, y, ">= 2",
            function(z) gpu_knn(z, 15, method = metric))
  }
}

# Times calls with the sparse and with the dense matrix in turn, three times; the rows are their medians.
distances <- function() {
  n <- numbers("points", 20000)
  x <- random(n, 2000, 0.05)
  y <- as.matrix(x)
  metrics <- c(
    "euclidean", "sqeuclidean", "manhattan", "cosine", "pearson", "binary", "jaccard", "hamming", "braycurtis"
  )
  time <- function(z, metric) {
    gc(FALSE)
    start <- now()
    gpu_dist(z, metric)
    now() - start
  }
  for (backend in backends) {
    options(gpugeo.backend = backend)
    for (metric in metrics) {
      times <- replicate(3, c(time(x, metric), time(y, metric)))
      target <- if (backend != "cpu") ">= 0.9" else if (metric %in% c("euclidean", "cosine")) ">= 2" else ">= 1"
      report(paste0(metric, if (backend != "cpu") paste(" on", backend)), paste(format(n), "x 2000, 5 %"),
             stats::median(times[1, ]), "gpugeo, dense", stats::median(times[2, ]), target)
    }
  }
}

large <- function() {
  cells <- numbers("cells", 200000)
  x <- random(cells, 2000, 0.07)
  y <- as.matrix(x)
  size <- paste(format(cells), "x 2000, 7 %")
  if (has_gpu) compare("15 nearest", size, x, y, NULL, function(z) gpu_knn(z, 15), on = "cuda")
  few <- seq_len(min(2000, cells))
  nearest <- paste("15 nearest to", length(few))
  options(gpugeo.backend = "cpu")
  ours <- seconds(gpu_knn(x, 15, query = x[few, ]))
  report(nearest, size, ours, "gpugeo, dense", seconds(gpu_knn(y, 15, query = y[few, ])), ">= 1")
  if (!installed("BiocNeighbors")) return()
  two <- BiocParallel::MulticoreParam(2)
  index <- NULL
  building <- seconds(index <- BiocNeighbors::buildIndex(y, BNPARAM = BiocNeighbors::KmknnParam()))
  peer <- seconds(BiocNeighbors::queryKNN(query = y[few, ], BNINDEX = index, k = 15, BPPARAM = two))
  version <- paste("BiocNeighbors", utils::packageVersion("BiocNeighbors"))
  report(nearest, size, ours, paste(version, "Kmknn"), peer, ">= 1")
  report(nearest, size, ours, paste(version, "Kmknn, index"), building + peer)
}

if (only %in% c("", "small")) small()
if (only %in% c("", "distances")) distances()
if (only %in% c("", "large")) large()

# Sparse matrices: gpugeo with a sparse matrix beside gpugeo with the dense one, and beside BiocNeighbors, all timed
# in this run.
#
#   Rscript --min-vsize=4G bench/sparse.R [--label=NAME] [--only=small]     or: make bench
#
# Prints a row for each metric or size and writes all of them to bench/results/sparse-<label>.csv. Two CPU threads.
# The large case, 200,000 cells x 2,000 genes at 7 %, is left out with --only=small, or without BiocNeighbors.

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)

random <- function(n, m, density) {
  Matrix::rsparsematrix(n, m, density, rand.x = function(k) rexp(k) + 0.1)
}

# --- all metrics that skip zeros, and two that do not --------------------------------------------

small <- random(5000, 2000, 0.05)
dense <- as.matrix(small)
metrics <- c(
  "euclidean", "manhattan", "maximum", "binary", "cosine", "braycurtis", "hamming", "jaccard",
  "minkowski", "canberra", "pearson", "spearman"
)
for (metric in metrics) {
  ours <- seconds(gpu_dist(small, metric, p = 3))
  report(metric, "5000 x 2000, 5 %", ours, "gpugeo, dense", seconds(gpu_dist(dense, metric, p = 3)),
         if (metric %in% c("euclidean", "cosine")) ">= 2" else ">= 1")
}
for (density in c(0.01, 0.02, 0.1, 0.2, 0.5)) {
  x <- random(5000, 2000, density)
  y <- as.matrix(x)
  for (metric in c("euclidean", "cosine")) {
    report(metric, paste("5000 x 2000,", 100 * density, "%"), seconds(gpu_dist(x, metric)),
           "gpugeo, dense", seconds(gpu_dist(y, metric)), ">= 1")
  }
}

# --- neighbours -----------------------------------------------------------------------------------

x <- random(20000, 2000, 0.05)
y <- as.matrix(x)
for (metric in c("euclidean", "cosine")) {
  report(paste("15 nearest,", metric), "20000 x 2000, 5 %", seconds(gpu_knn(x, 15, method = metric)),
         "gpugeo, dense", seconds(gpu_knn(y, 15, method = metric)), ">= 2")
}
if (only != "small" && installed("BiocNeighbors")) {
  x <- random(200000, 2000, 0.07)
  ours <- seconds(gpu_knn(x, 15))
  y <- as.matrix(x)
  report("15 nearest, euclidean", "2e+05 x 2000, 7 %", ours, "gpugeo, dense", seconds(gpu_knn(y, 15)), ">= 1")
  peer <- seconds(BiocNeighbors::findKNN(
    y, 15, BNPARAM = BiocNeighbors::KmknnParam(), BPPARAM = BiocParallel::MulticoreParam(2)
  ))
  version <- paste("BiocNeighbors", utils::packageVersion("BiocNeighbors"))
  report("15 nearest, euclidean", "2e+05 x 2000, 7 %", ours, version, peer, ">= 1")
}

write_results("sparse")

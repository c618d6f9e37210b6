# Nearest neighbours in 1 to 64 dimensions: gpugeo beside its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/knn_dimensions.R [--label=NAME] [--only=many|uniform|clusters|plane]
#     [--dimensions=1,2,3] [--points=20000]     or: make bench
#
# Prints a row for each size and peer and writes all of them to bench/results/knn_dimensions-<label>.csv.
# --dimensions: those that are run, by default 13 from 1 to 64. --points: of each kind.
# Two CPU threads; the peers take one thread but BiocNeighbors, which is given two. Three kinds of points:
# uniform; 50 normal clusters; and points near a plane of three dimensions in space. Peers that are not
# installed are left out, with a line that says so.

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
k <- 10

kinds <- list(
  uniform = function(n, m) matrix(runif(n * m), n),
  clusters = function(n, m) {
    centre <- matrix(runif(50 * m), 50)
    centre[sample(50, n, TRUE), , drop = FALSE] + rnorm(n * m, sd = 0.02)
  },
  plane = function(n, m) {
    matrix(runif(n * 3), n) %*% matrix(rnorm(3 * m), 3) + rnorm(n * m, sd = 0.001)
  }
)

peers <- list(
  RANN = function(x) RANN::nn2(x, k = k + 1),
  FNN = function(x) FNN::get.knn(x, k),
  dbscan = function(x) dbscan::kNN(x, k),
  "BiocNeighbors Kmknn" = function(x) by_bioconductor(x, BiocNeighbors::KmknnParam()),
  "BiocNeighbors Vptree" = function(x) by_bioconductor(x, BiocNeighbors::VptreeParam()),
  "BiocNeighbors Exhaustive" = function(x) by_bioconductor(x, BiocNeighbors::ExhaustiveParam())
)
by_bioconductor <- function(x, algorithm) {
  BiocNeighbors::findKNN(x, k, BNPARAM = algorithm, BPPARAM = BiocParallel::MulticoreParam(2))
}
package_of <- function(peer) sub(" .*", "", peer)
packages <- unique(package_of(names(peers)))
peers <- peers[package_of(names(peers)) %in% packages[vapply(packages, installed, TRUE)]]

# Returns the name of a peer with the version of its package.
named <- function(peer) {
  package <- package_of(peer)
  sub(package, paste(package, utils::packageVersion(package)), peer)
}

compare <- function(kind, n, m, among = names(peers)) {
  x <- kinds[[kind]](n, m)
  ours <- seconds(gpu_knn(x, k))
  for (peer in among) {
    report(kind, paste(format(n), "x", m), ours, named(peer), seconds(peers[[peer]](x)), ">= 1")
  }
}

# --- many points in the plane and in space -----------------------------------------------------

trees <- intersect(c("RANN", "FNN", "dbscan"), names(peers))
if (only %in% c("", "many")) {
  for (m in 2:3) {
    x <- kinds$uniform(1e6, m)
    ours <- seconds(gpu_knn(x, k))
    report("uniform", paste("1e+06 x", m), ours, "to reach", c(0.6, 1)[m - 1], ">= 1")
    for (peer in trees) {
      report("uniform", paste("1e+06 x", m), ours, named(peer), seconds(peers[[peer]](x)), ">= 4")
    }
  }
  # 4 million pairs.
  x <- kinds$uniform(60000, 2)
  report("4 million pairs", "60000 x 2", seconds(gpu_radius(x, 0.0266)), "gpu_collisions",
         seconds(gpu_collisions(x, 0.0266, what = "pairs")), ">= 0.67")
}

# --- dimensions --------------------------------------------------------------------------------

for (kind in if (nzchar(only)) intersect(only, names(kinds)) else names(kinds)) {
  for (m in numbers("dimensions", c(1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64))) {
    compare(kind, numbers("points", 20000), m)
  }
}

# Nearest neighbours in 1 to 64 dimensions: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/knn_dimensions.R [--label=NAME] [--only=many|growth|uniform|clusters|plane]
#     [--dimensions=1,2,3] [--points=20000] [--growth=250000] [--clock=cpu]     or: make bench
#
# Prints a row for each size and peer and writes all of them to bench/results/knn_dimensions-<label>.csv.
# --dimensions: those that are run, by default 13 from 1 to 64. --points: of each kind.
# Two CPU threads; the peers take one thread but BiocNeighbors, which is given two. Three kinds of points:
# uniform; 50 normal clusters; and points near a plane of three dimensions in space. Peers that are not
# installed are left out, with a line that says so.
# Growth: of 10 nearest and of all within a radius that about 10 neighbours have, in the plane and in space, for n
# (--growth), 2 n and 4 n points: in clusters, on a line, 20 at each location, far from the origin, and over 1e8 units.
# A row has the peak of the memory that the call added, its result among it (Linux), and compares the time with that
# of half as many points: 0.5 is linear, and n log n is 0.47.

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
if (runs_part("many")) {
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

# --- growth ------------------------------------------------------------------------------------

shapes <- list(
  clusters = function(n, m) kinds$clusters(n, m),
  line = function(n, m) outer(runif(n), seq_len(m)),
  coincident = function(n, m) kinds$uniform(n / 20, m)[rep(seq_len(n / 20), 20), , drop = FALSE],
  offset = function(n, m) kinds$uniform(n, m) + 1e8,
  extent = function(n, m) kinds$uniform(n, m) * 1e8
)

# Returns the mebibytes that a call of this file's function `what` adds at most to a new process, whose memory has not
# been in use; NA where the system does not tell.
peak_of <- function(what, x) {
  if (!file.exists("/proc/self/clear_refs")) return(NA)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(list(call = what, x = x), file, compress = FALSE)
  code <- bquote({
    library(gpugeo)
    options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
    given <- readRDS(.(file))
    k <- .(k)
    call <- given$call
    environment(call) <- globalenv()
    call(given$x[1:1000, ])
    size <- function(field) {
      line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
      as.numeric(gsub("[^0-9]", "", line)) / 1024
    }
    gc(FALSE)
    cat("5\n", file = "/proc/self/clear_refs") # the peak begins anew
    before <- size("VmRSS")
    call(given$x)
    cat(size("VmHWM") - before)
  })
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script), add = TRUE)
  writeLines(deparse(code), script)
  as.numeric(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE))
}

# Reports a call for n, 2 n and 4 n points.
grow <- function(what, points, call) {
  last <- NA
  for (n in as.integer(argument("growth", "250000")) * c(1, 2, 4)) {
    x <- points(n)
    now <- seconds(call(x))
    size <- sprintf("%.0f x %d, peak %.0f MB", n, ncol(x), peak_of(call, x))
    report(what, size, now, "half as many", last, if (is.na(last)) NA else ">= 0.4")
    last <- now
  }
}

nearest <- function(x) gpu_knn(x, k)

# All within the median distance to the last of the k nearest, of 200 points.
near <- function(x) {
  some <- x[seq(1, nrow(x), length.out = 200), , drop = FALSE]
  radius <- stats::median(gpu_knn(x, k + 1, query = some)$distance[, k + 1])
  gpu_radius(x, max(radius, 1e-9))
}

if (runs_part("growth")) {
  for (shape in names(shapes)) {
    for (m in 2:3) {
      points <- function(n) shapes[[shape]](n, m)
      grow(paste("nearest,", shape), points, nearest)
      grow(paste("radius,", shape), points, near)
    }
  }
}

# --- dimensions --------------------------------------------------------------------------------

for (kind in Filter(runs_part, names(kinds))) {
  for (m in numbers("dimensions", c(1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64))) {
    compare(kind, numbers("points", 20000), m)
  }
}

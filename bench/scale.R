# Distances that outgrow memory: gpugeo beside its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/scale.R [--label=NAME] [--only=cpu|gpu] [--points=N]
#   or: make bench
#
# Prints a table for each part and writes all of it to bench/results/scale-<label>.csv. CPU rows use two
# threads. --points=N (100,000) is how many points have their neighbours looked for on the CPU: FNN and
# dbscan need hours for that many, and minutes for 10,000. Peers that are not installed are left out, with
# a line that says so.
#
# The limit of neighbours is the rate at which differences of coordinates are squared and added, two
# operations for each pair and column.

source("bench/common.R")

set.seed(1)
normal <- function(n, columns) matrix(rnorm(n * columns), n)
size_of <- function(x) sprintf("%d x %d", nrow(x), ncol(x))
k <- 10
last <- function() gpu_info()$last

# Wall and device seconds of a call, after a small one that has warmed up.
timed <- function(call) c(system.time(call(), gcFirst = FALSE)[["elapsed"]], last()$device_seconds)

# --- nearest neighbours, two CPU threads --------------------------------------------------------

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
if (only != "gpu") {
  x <- normal(as.integer(argument("points", "100000")), 64)
  ours <- seconds(gpu_knn(x, k))
  if (installed("FNN")) {
    report("10 nearest", size_of(x), ours, "FNN::get.knn", seconds(FNN::get.knn(x, k)), ">= 3")
  }
  if (installed("dbscan")) {
    report("10 nearest", size_of(x), ours, "dbscan::kNN", seconds(dbscan::kNN(x, k)), ">= 3")
  }
  # What the same tiles cost whose distances are written down, for as many points as memory takes.
  part <- x[seq_len(min(nrow(x), 8000L)), ]
  pairs <- function(n) n * (n - 1) / 2
  report("10 nearest", size_of(x), ours, "as many pairs by gpu_dist",
         seconds(gpu_dist(part)) * pairs(nrow(x)) / pairs(nrow(part)))
}

# --- nearest neighbours, one GPU ----------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  device <- gpu_info()$devices[1L, ]
  # 64 FP64 operations a clock and multiprocessor (compute capability 8.0 and 9.0).
  clock <- system2("nvidia-smi", "-i 0 --query-gpu=clocks.max.sm --format=csv,noheader,nounits",
                   stdout = TRUE)
  rate <- 64 * device$multiprocessors * as.numeric(clock) * 1e6
  limit <- function(x) nrow(x) * (nrow(x) - 1) / 2 * ncol(x) * 2 / rate
  warm_up <- gpu_knn(normal(1000, 64), k)

  x <- normal(1048576L, 64)
  times <- timed(function() gpu_knn(x, k))
  report("10 nearest, device", size_of(x), times[2], "2 steps a pair, FP64 pipes", limit(x),
         ">= 0.5")
  report("10 nearest, whole call", size_of(x), times[1], "to reach", 10, ">= 1")
}

write_results("scale")

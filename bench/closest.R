# Closest pairs: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/closest.R [--label=NAME] [--only=cpu|gpu] [--points=N] [--short]
#   or: make bench
#
# Prints a table for each part and writes all of it to bench/results/closest-<label>.csv. CPU rows use two
# threads, but for the paper's sequential schemes, which have one. Peers and data that are not installed
# are left out, with a line that says so. On a GPU, bench/gpu_peers.py (torch) measures the pinned copy,
# --points=N (600e6) is the size of the largest rows, 16 bytes a point in R and on the device, and --short
# leaves out the smaller ones.
#
# The limit of a whole call on a GPU is the time to copy the points there from pinned memory.

source("bench/common.R")
source("bench/coastline.R")

set.seed(1)
uniform <- function(n, columns) matrix(runif(n * columns), n)

# The paper's points: whole numbers, uniform in a square of so many units of area a point.
paper_points <- function(n, area) {
  side <- sqrt(n * area)
  matrix(as.integer(runif(2 * n, 0, side)), n)
}
densities <- c(low = 1e8, high = 1e6) # 1 / 100M and 1 / 1M points a unit of area
schemes <- c("sweep-v0", "sweep-v1", "sweep-v2", "divide-conquer")

# Seconds a point of uniform points in the plane, by which the other rows are judged.
plane <- NULL
beside_plane <- function(what, x, ...) {
  size <- sprintf("%g x %d", nrow(x), ncol(x))
  report(what, size, seconds(gpu_closest_pair(x, ...)), "uniform 2-D, as many points",
         plane * nrow(x), ">= 0.33")
}

# --- two CPU threads ---------------------------------------------------------------------------

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
if (only != "gpu") {
  has_spatstat <- installed("spatstat.geom")
  has_rann <- installed("RANN")
  n <- 1e7
  size <- "1e+07 x 2"
  x <- uniform(n, 2)
  ours <- seconds(gpu_closest_pair(x))
  plane <- ours / n
  report("uniform", size, ours, "to reach", 0.5, ">= 1")
  if (has_spatstat) {
    window <- spatstat.geom::owin(c(0, 1), c(0, 1))
    pattern <- spatstat.geom::ppp(x[, 1], x[, 2], window, check = FALSE)
    report("uniform", size, ours, "spatstat::minnndist",
           seconds(spatstat.geom::minnndist(pattern)))
    rm(pattern)
  }
  whole <- paper_points(n, densities[["low"]])
  report("uniform, whole numbers", size, seconds(gpu_closest_pair(whole)), "sweep-v2, 1 thread",
         seconds(gpu_closest_pair(whole, algorithm = "sweep-v2", threads = 1)))
  rm(whole)

  beside_plane("all x equal", cbind(0.5, x[, 2]))
  beside_plane("100 pairs", x, k = 100)
  beside_plane("great circle", cbind(360 * x[, 1] - 180, asin(2 * x[, 2] - 1) * 180 / pi),
               metric = "great-circle")
  beside_plane("periodic box", x, box = c(1, 1))
  y <- uniform(1e6, 2)
  ours <- seconds(gpu_closest_pair(x[1:1e6, ], y))
  report("two sets", "1e+06, 1e+06", ours, "uniform 2-D, as many points", plane * 2e6, ">= 0.33")
  if (has_rann) {
    report("two sets", "1e+06, 1e+06", ours, "RANN::nn2, k = 1",
           seconds(RANN::nn2(y, x[1:1e6, ], k = 1)))
  }
  x <- uniform(n, 3)
  beside_plane("uniform", x)
  if (has_spatstat) {
    unit <- spatstat.geom::box3(c(0, 1), c(0, 1), c(0, 1))
    points <- spatstat.geom::pp3(x[1:1e6, 1], x[1:1e6, 2], x[1:1e6, 3], unit)
    report("uniform", "1e+06 x 3", seconds(gpu_closest_pair(x[1:1e6, ])), "spatstat::nndist.pp3",
           seconds(spatstat.geom::nndist(points)))
    rm(points)
  }
  rm(x, y)
  if (installed("spatstat.data")) {
    fires <- spatstat.data::nbfires
    x <- cbind(fires$x, fires$y)
    for (distinct in c(FALSE, TRUE)) {
      beside_plane(paste0("nbfires", if (distinct) ", distinct"), x, distinct = distinct)
    }
  }
  x <- coastline()
  if (!is.null(x)) {
    beside_plane("coastline", x)
    beside_plane("coastline, distinct", x, distinct = TRUE)
    beside_plane("coastline, distinct, arc", x, distinct = TRUE, metric = "great-circle")
  }
  # Figure 2(a) of the paper, and what both densities make of it, at a size that takes seconds.
  for (density in names(densities)) {
    x <- paper_points(n, densities[[density]])
    whole <- seconds(gpu_closest_pair(x))
    for (scheme in schemes) {
      report(paste0("whole, ", density, " density"), size, whole, paste0(scheme, ", 1 thread"),
             seconds(gpu_closest_pair(x, algorithm = scheme, threads = 1)))
    }
  }
  rm(x)
}

# --- one GPU -----------------------------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  peer <- as.list(read.csv(text = system2("python3", "bench/gpu_peers.py", stdout = TRUE)))
  largest <- as.numeric(argument("points", "600e6"))
  sizes <- if ("--short" %in% arguments) largest else c(2e8, 4e8, 6e8) # those of the paper
  last <- function() gpu_info()$last
  # The best of three runs: the first one on a device takes its memory.
  best <- function(call) {
    runs <- lapply(1:3, function(run) {
      wall <- system.time(call(), gcFirst = FALSE)[["elapsed"]]
      c(wall, last()$device_seconds)
    })
    runs[[which.min(vapply(runs, `[`, 0, 1))]]
  }
  for (n in unique(pmin(sizes, largest))) {
    for (density in names(densities)) {
      size <- sprintf("%g x 2", n)
      x <- matrix(runif(2 * n, 0, sqrt(n * densities[[density]])), n)
      copy <- 16 * n / peer$upload_bytes_per_second
      times <- best(function() gpu_closest_pair(x))
      report(paste0("doubles, ", density, " density"), size, times[1], "pinned copy", copy, ">= 0.5")
      report(paste0("doubles, ", density, ", device"), size, times[2], "to reach", 0.08,
             if (n == 6e8) ">= 1" else NA)
      # Figures 2(b) and 3 of the paper: its scheme on whole numbers of half the bytes.
      storage.mode(x) <- "integer"
      times <- best(function() gpu_closest_pair(x))
      report(paste0("integers, ", density, " density"), size, times[1], "pinned copy", copy / 2)
      for (scheme in schemes[1:3]) {
        scheme_times <- best(function() gpu_closest_pair(x, algorithm = scheme))
        report(paste0("integers, ", density, " density"), size, times[1], scheme, scheme_times[1])
        report(paste0("integers, ", density, ", device"), size, times[2], scheme, scheme_times[2])
      }
      rm(x)
    }
  }
  x <- uniform(1e8, 3)
  times <- best(function() gpu_closest_pair(x))
  report("doubles", "1e+08 x 3", times[1], "pinned copy", 24e8 / peer$upload_bytes_per_second)
  x <- cbind(0.5, runif(1e8))
  times <- best(function() gpu_closest_pair(x))
  report("doubles, all x equal", "1e+08 x 2", times[1], "pinned copy",
         16e8 / peer$upload_bytes_per_second)
}

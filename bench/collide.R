# Collisions: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/collide.R [--label=NAME] [--only=cpu|gpu]     or: make bench
#
# Prints a table for each part and writes all of it to bench/results/collide-<label>.csv. CPU rows use two
# threads. Peers that are not installed are left out, with a line that says so. On a GPU,
# bench/gpu_peers.py (torch) measures the pinned copy, which is the limit of a whole call there.

source("bench/common.R")

set.seed(1)
uniform <- function(n, columns) matrix(runif(n * columns), n)
# Beads in a cube of one unit of volume a bead: with radius 1, 2.1 collisions a bead.
beads <- function(n) matrix(runif(3 * n, 0, n^(1 / 3)), n)

# --- two CPU threads ---------------------------------------------------------------------------

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
if (only != "gpu") {
  n <- 1e6
  size <- "1e+06 x 3"
  x <- uniform(n, 3)
  radius <- 0.01
  count <- seconds(gpu_collisions(x, radius))
  pairs <- seconds(gpu_collisions(x, radius, what = "pairs"))
  report("count, r = 0.01", size, count, "to reach", 0.25, ">= 1")
  report("pairs, r = 0.01", size, pairs, "to reach", 0.5, ">= 1")
  if (installed("dbscan")) {
    theirs <- seconds(dbscan::frNN(x, radius, sort = FALSE))
    report("count, r = 0.01", size, count, "dbscan::frNN", theirs)
    report("pairs, r = 0.01", size, pairs, "dbscan::frNN", theirs)
  }
  if (installed("spatstat.geom")) {
    unit <- spatstat.geom::box3(c(0, 1), c(0, 1), c(0, 1))
    points <- spatstat.geom::pp3(x[, 1], x[, 2], x[, 3], unit)
    theirs <- seconds(
      spatstat.geom::closepairs(points, radius, twice = FALSE, what = "indices")
    )
    report("count, r = 0.01", size, count, "spatstat::closepairs", theirs)
    report("pairs, r = 0.01", size, pairs, "spatstat::closepairs", theirs)
    rm(points)
  }
  group <- sample(4L, n, replace = TRUE)
  others <- list(
    "per_point" = function() gpu_collisions(x, radius, what = "per_point"),
    "table of 4 groups" = function() gpu_collisions(x, radius, group = group, what = "table"),
    "periodic box" = function() gpu_collisions(x, radius, box = c(1, 1, 1)),
    "radii of 2 sizes" = function() gpu_collisions(x, radii = c(0.002, 0.005)[1 + group %% 2]),
    "launch and fetch" = function() gpu_collisions_fetch(gpu_collisions_launch(x, radius))
  )
  for (what in names(others)) {
    report(what, size, seconds(others[[what]]()), "count, r = 0.01", count)
  }
  clustered <- rbind(x[1:5e5, ], 1e5 + x[1:3e5, ] / 10, matrix(0.5, 1e5, 3), x[1:1e5, ] * 1e9)
  report("count, clustered", size, seconds(gpu_collisions(clustered, 1e-3)), "count, r = 0.01",
         count)
  same <- matrix(0.5, 1e5, 3)
  report("count, all coincident", "1e+05 x 3", seconds(gpu_collisions(same, radius)), "to reach", 0.1)
  lattice <- matrix(sample(0:99, 3 * n, replace = TRUE), n)
  report("lattice", size, seconds(gpu_collisions(lattice, 0.5, algorithm = "lattice")), "grid",
         seconds(gpu_collisions(lattice, 0.5, algorithm = "grid")))
  # The paper's sequential code is a loop over all pairs.
  x <- beads(16384)
  all_pairs <- seconds(gpu_collisions(x, 1, algorithm = "usual"))
  report("beads, grid", "16384 x 3", seconds(gpu_collisions(x, 1, algorithm = "grid")), "usual", all_pairs)
  report("beads, cyclic", "16384 x 3", seconds(gpu_collisions(x, 1, algorithm = "cyclic")), "usual",
         all_pairs)
  rm(x, clustered, same, lattice)
}

# --- one GPU -----------------------------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  peer <- as.list(read.csv(text = system2("python3", "bench/gpu_peers.py", stdout = TRUE)))
  # Seconds of the device: the median of five runs after a first one.
  device_seconds <- function(...) {
    runs <- vapply(1:6, function(run) {
      gpu_collisions(...)
      gpu_info()$last$device_seconds
    }, 0)
    stats::median(runs[-1])
  }
  n <- 1049600
  size <- sprintf("%d x 3", n)
  x <- beads(n)
  report("beads, grid, device", size, device_seconds(x), "to reach", 1e-3, ">= 1")
  report("beads, usual, device", size, device_seconds(x, algorithm = "usual"),
         "the paper's code, H200, usual", 0.265, ">= 1")
  report("beads, cyclic, device", size, device_seconds(x, algorithm = "cyclic"), "to reach", 0.15,
         ">= 1")
  report("beads, cyclic, device", size, device_seconds(x, algorithm = "cyclic"),
         "the paper's code, H200, cyclic", 0.233, ">= 1.55")
  whole <- matrix(as.integer(round(x)), n)
  report("beads, lattice, device", size, device_seconds(whole, 0.5, algorithm = "lattice"),
         "grid, device", device_seconds(whole, 0.5, algorithm = "grid"))
  copy <- 24 * n / peer$upload_bytes_per_second
  report("beads, whole call", size, seconds(gpu_collisions(x)), "pinned copy", copy)
  report("beads, pairs, whole call", size, seconds(gpu_collisions(x, what = "pairs")),
         "pinned copy", copy)

  x <- uniform(1e6, 3)
  report("count, r = 0.01, whole", "1e+06 x 3", seconds(gpu_collisions(x, 0.01)), "pinned copy",
         24e6 / peer$upload_bytes_per_second)
  n <- 1e8
  size <- "1e+08 x 3"
  x <- beads(n)
  copy <- 24 * n / peer$upload_bytes_per_second
  times <- vapply(1:3, function(run) {
    wall <- system.time(gpu_collisions(x), gcFirst = FALSE)[["elapsed"]]
    c(wall, gpu_info()$last$device_seconds)
  }, numeric(2))
  best <- which.min(times[1, ])
  report("beads, whole call", size, times[1, best], "to reach", 1, ">= 1")
  report("beads, whole call", size, times[1, best], "pinned copy", copy)
  report("beads, device", size, times[2, best], "pinned copy", copy)
}

# Distances that outgrow memory: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/scale.R [--label=NAME] [--only=cpu|gpu] [--points=N] [--asked=N]
#     [--folder=DIR] [--file=N] [--data=FOLDER]
#   or: make bench
#
# Prints a table for each part and writes all of it to bench/results/scale-<label>.csv. CPU rows use two
# threads. --points=N (100,000) is how many points have their neighbours looked for on the CPU. FNN and
# dbscan need hours for that many: they are asked for the neighbours of --asked=N (1,000) of the points among
# all of them, and the time is multiplied by the share. Peers that are not installed are left out, with a
# line that says so. The data of van 't Veer are read from FOLDER (../shared/data).
# --file=N (16,384) is how many points the file has the distances of, which goes to --folder (the
# temporary one) and is removed: with 65,536 it takes 16 GiB, or 32 when square. Beside it dd writes as many
# bytes to the same folder, both until they are on the disk.
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
  asked <- x[seq_len(min(nrow(x), as.integer(argument("asked", "1000")))), ]
  share <- nrow(asked) / nrow(x)
  peer <- function(name) sprintf("%s, %d asked", name, nrow(asked))
  if (installed("FNN")) {
    theirs <- seconds(FNN::get.knnx(x, asked, k)) / share
    report("10 nearest", size_of(x), ours, peer("FNN::get.knnx"), theirs, ">= 3")
  }
  if (installed("dbscan")) {
    theirs <- seconds(dbscan::kNN(x, k, query = asked)) / share
    report("10 nearest", size_of(x), ours, peer("dbscan::kNN"), theirs, ">= 3")
  }
  # What the same tiles cost whose distances are written down, for as many points as memory takes.
  part <- x[seq_len(min(nrow(x), 8000L)), ]
  pairs <- function(n) n * (n - 1) / 2
  report("10 nearest", size_of(x), ours, "as many pairs by gpu_dist",
         seconds(gpu_dist(part)) * pairs(nrow(x)) / pairs(nrow(part)))
}

# --- a file -------------------------------------------------------------------------------------

# Seconds in which dd writes so many bytes and has them on the disk.
dd_seconds <- function(file, bytes) {
  block <- 2^22
  start <- Sys.time()
  code <- system2("dd", c(
    "if=/dev/zero", paste0("of=", shQuote(file)), sprintf("bs=%d", block),
    sprintf("count=%.0f", ceiling(bytes / block)), "conv=fdatasync", "status=none"
  ))
  stopifnot(code == 0)
  elapsed <- as.numeric(Sys.time() - start, units = "secs")
  unlink(file)
  elapsed
}

if (only != "gpu" && nzchar(gpu_hdf5_version())) {
  folder <- argument("folder", tempdir())
  n <- as.numeric(argument("file", 16384))
  x <- matrix(rnorm(n * 64), n)
  for (shape in c("condensed", "square")) {
    values <- if (shape == "square") n^2 else n * (n - 1) / 2
    file <- tempfile(tmpdir = folder, fileext = ".h5")
    start <- Sys.time()
    invisible(gpu_dist(x, file = file, file_shape = shape))
    ours <- as.numeric(Sys.time() - start, units = "secs")
    unlink(file)
    report(paste("file,", shape), sprintf("%.0f x 64", n), ours, "dd of the same bytes",
           dd_seconds(file, 8 * values), ">= 0.7")
  }
} else if (only != "gpu") {
  cat("Built without HDF5: files are not timed\n")
}

# --- missing values, one GPU --------------------------------------------------------------------

folder <- argument("data", "../shared/data")
file <- file.path(folder, "vantveer_24481x39.csv.gz")
if (has_gpu && only != "cpu" && !file.exists(file)) {
  cat("Not there, so not timed:", file, "\n")
} else if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  gaps <- as.matrix(read.csv(file, row.names = 1))
  whole <- gaps
  whole[is.na(whole)] <- 0
  methods <- c(
    "euclidean", "sqeuclidean", "manhattan", "maximum", "canberra", "binary", "seuclidean", "mahalanobis",
    "cosine", "pearson", "spearman", "braycurtis", "hamming", "jaccard", "minkowski"
  )
  for (method in methods) {
    report(method, size_of(gaps), seconds(gpu_dist(gaps, method)), "without missing values",
           seconds(gpu_dist(whole, method)), if (method == "minkowski") NA else ">= 0.67")
  }
}

# --- nearest neighbours, one GPU ----------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda", gpugeo.device = 0)
  device <- gpu_info()$devices[1L, ]
  # 64 FP64 operations a clock and multiprocessor (compute capability 8.0 and 9.0).
  clock <- system2("nvidia-smi", "-i 0 --query-gpu=clocks.max.sm --format=csv,noheader,nounits",
                   stdout = TRUE)
  rate <- 64 * device$multiprocessors * as.numeric(clock) * 1e6
  limit <- function(x) nrow(x) * (nrow(x) - 1) / 2 * ncol(x) * 2 / rate
  warm_up <- gpu_knn(normal(1000, 64), k)

  for (size in list(c(1048576L, 64L), c(262144L, 64L), c(100000L, 64L), c(262144L, 3L))) {
    x <- normal(size[1], size[2])
    times <- timed(function() gpu_knn(x, k))
    report("10 nearest, device", size_of(x), times[2], "2 steps a pair, FP64 pipes", limit(x),
           if (ncol(x) == 64L) ">= 0.5" else NA)
    if (nrow(x) == 1048576L) {
      report("10 nearest, whole call", size_of(x), times[1], "to reach", 10, ">= 1")
    } else {
      report("10 nearest, whole call", size_of(x), times[1], "2 steps a pair, FP64 pipes", limit(x), NA)
    }
  }
}

# --- all GPUs of the machine --------------------------------------------------------------------

gpus <- nrow(gpu_info()$devices)
if (gpus > 1L && only != "cpu") {
  # A row for a call on all devices, with the same call on the first one as its peer.
  beside_one <- function(what, x, call, target = NA_character_) {
    force(x)
    on_device <- function(device) {
      options(gpugeo.device = device)
      call(x) # takes memory, of the host and of the devices
      seconds(call(x))
    }
    theirs <- on_device(0)
    ours <- on_device(NULL)
    what <- sprintf("%s, %d of %d GPUs", what, last()$devices, gpus)
    report(what, size_of(x), ours, "one GPU", theirs, target)
  }
  target <- unname(c("2" = ">= 1.8", "4" = ">= 3.4")[as.character(gpus)])
  x <- normal(262144L, 64)
  beside_one("10 nearest", x, function(x) gpu_knn(x, k), target)
  beside_one("10 nearest, manhattan", x, function(x) gpu_knn(x, k, method = "manhattan"), target)
  beside_one("10 nearest", normal(1048576L, 64), function(x) gpu_knn(x, k), target)
  beside_one("gpu_dist, manhattan", normal(16384L, 4096), function(x) gpu_dist(x, "manhattan"))
  x <- normal(65536L, 64)
  beside_one("gpu_dist", x, gpu_dist)
  beside_one("gpu_dist, single", x, function(x) gpu_dist(x, precision = "single"))
} else if (only != "cpu") {
  cat("One GPU or none: several are not timed\n")
}

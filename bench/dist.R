# Distance matrices: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/dist.R [--label=NAME] [--only=cpu|gpu]     or: make bench
#
# The option makes R's heap large from the beginning. Else R collects garbage up to three times for each
# large result, ours or a peer's, which takes as long as computing the smaller ones. On a GPU, rows
# with "default heap" tell what calls take without the option.
#
# Prints a table for each part and writes all of it to bench/results/dist-<label>.csv. CPU rows use two
# threads. Peers that are not installed are left out, with a line that says so. On a machine with a
# GPU, bench/gpu_peers.py (torch) also measures the pinned copy, torch.cdist and cuBLAS.

source("bench/common.R")

set.seed(1)
points <- function(n, m) matrix(rnorm(n * m), n)

# --- two CPU threads ---------------------------------------------------------------------------

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
has_amap <- installed("amap")
has_wgcna <- installed("WGCNA")
metrics <- list(
  list("euclidean", 2, ">= 15"), list("manhattan", 2, ">= 15"), list("maximum", 2, ">= 15"),
  list("canberra", 2, ">= 15"), list("minkowski", 3, ">= 40"), list("minkowski", 2.5, ">= 10"),
  list("minkowski", 2.7, NA)
)
shapes <- if (only == "gpu") list() else list(c(5000, 64), c(2000, 1000), c(1000, 10000))
for (shape in shapes) {
  x <- points(shape[1], shape[2])
  size <- paste(shape, collapse = " x ")
  for (metric in metrics) {
    if (is.na(metric[[3]]) && shape[1] != 5000) next
    ours <- seconds(gpu_dist(x, metric[[1]], p = metric[[2]]))
    theirs <- seconds(dist(x, metric[[1]], p = metric[[2]]))
    name <- if (metric[[1]] == "minkowski") paste0("minkowski p=", metric[[2]]) else metric[[1]]
    report(name, size, ours, "stats::dist", theirs, metric[[3]])
    if (has_amap && metric[[1]] %in% c("euclidean", "manhattan", "maximum", "canberra")) {
      theirs <- seconds(amap::Dist(x, metric[[1]], nbproc = 2))
      report(name, size, ours, "amap::Dist, 2 threads", theirs, ">= 40")
    }
  }
}
for (shape in if (has_wgcna) shapes) {
  x <- t(points(shape[1], shape[2]))
  report("pearson", paste(shape, collapse = " x "), seconds(gpu_cor(x)), "WGCNA::cor, 2 threads",
         seconds(WGCNA::cor(x, nThreads = 2)), ">= 1")
}

for (shape in shapes) {
  x <- t(points(shape[1], shape[2]))
  report("covariance", paste(shape, collapse = " x "), seconds(gpu_cov(x)), "stats::cov",
         seconds(cov(x)))
}

if (length(shapes)) { # Kendall's correlations: stats::cor of 100 columns, times the pairs of 20,000
  x <- t(points(20000, 100))
  few <- seconds(cor(x[, 1:100], method = "kendall"))
  report("kendall", "100 x 20000", seconds(gpu_cor(x, method = "kendall")),
         "stats::cor, extrapolated", few * 20000^2 / 100^2, "5 s")
}

# Times of bench/dist_session.R in a new R process.
session_times <- function(heap) {
  option <- if (heap == "large") "--min-vsize=4G"
  command <- c(option, "bench/dist_session.R")
  read.csv(text = system2(file.path(R.home("bin"), "Rscript"), command, stdout = TRUE))
}

session_targets <- list(
  default = c("gpu_dist, in a loop" = ">= 0.5", "gpu_dist, after gc()" = ">= 0.5",
              "gpu_cor, in a loop" = ">= 0.5", "gpu_cor, after gc()" = ">= 0.5"),
  large = c("gpu_dist, after gc()" = ">= 0.667", "gpu_cor, after gc()" = ">= 0.5")
)

# --- one GPU -----------------------------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  device <- gpu_info()$devices[1L, ]
  clock <- as.numeric(system2(
    "nvidia-smi", c("-i", "0", "--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits"),
    stdout = TRUE
  ))
  # 64 FP64 operations a clock and multiprocessor (compute capability 8.0 and 9.0).
  pipes <- device$multiprocessors * 64 * clock * 1e6
  peers <- system2("python3", "bench/gpu_peers.py", stdout = TRUE)
  peer <- as.list(read.csv(text = peers))
  last <- function() gpu_info()$last

  x <- points(24158, 64)
  bytes <- 24158 * 24157 / 2 * 8
  link <- bytes / peer$copy_bytes_per_second
  ours <- seconds(gpu_dist(x))
  report("euclidean, whole call", "24158 x 64", ours, "pinned copy of the result", link,
         ">= 0.667")
  report("euclidean, without R's part", "24158 x 64", last()$seconds, "pinned copy of the result", link)
  report("euclidean, device", "24158 x 64", last()$device_seconds, "torch.cdist, direct",
         peer$cdist_seconds, ">= 100")
  for (method in c("manhattan", "maximum", "canberra", "pearson", "spearman", "cosine")) {
    report(paste0(method, ", whole call"), "24158 x 64", seconds(gpu_dist(x, method)),
           "pinned copy of the result", link)
  }
  gaps <- x
  gaps[sample(length(gaps), length(gaps) / 50)] <- NA
  report("euclidean with NA", "24158 x 64", seconds(gpu_dist(gaps)), "pinned copy of the result",
         link)
  report("gpu_cor, symmetric", "24158 x 64", seconds(gpu_cor(t(x))),
         "pinned copy of the full result", 2 * link, ">= 0.5")

  for (heap in c("default", "large")) {
    times <- session_times(heap)
    link_seconds <- times$length * 8 / peer$copy_bytes_per_second
    targets <- session_targets[[heap]][times$what]
    for (i in seq_len(nrow(times))) {
      size <- if (times$what[i] == "start of CUDA") "2 x 64" else "24158 x 64"
      report(paste0(times$what[i], ", ", heap, " heap"), size, times$seconds[i],
             "pinned copy of the result", link_seconds[i], targets[[i]])
    }
  }

  # What is made of all points, or of each one, before the pairs.
  x <- points(8192, 2048)
  link <- 8192 * 8191 / 2 * 8 / peer$copy_bytes_per_second
  limits <- c(pearson = NA, spearman = "0.05 s", seuclidean = NA, mahalanobis = "0.15 s")
  for (method in names(limits)) {
    report(paste0(method, ", whole call"), "8192 x 2048", seconds(gpu_dist(x, method)),
           "pinned copy of the result", link, limits[[method]])
  }
  x <- t(x)
  report("gpu_cov, whole call", "8192 x 2048", seconds(gpu_cov(x)), "gpu_cor, whole call",
         seconds(gpu_cor(x)))

  # Near rows, whose distances are computed once more from differences.
  x <- points(12000, 500)
  near <- matrix(rep(x[1L, ], each = 12000), 12000) + 1e-6 * x
  for (method in c("cosine", "pearson", "spearman")) {
    rows <- list(none = x, all = if (method == "spearman") near[rep(1L, 12000), ] else near)
    device_seconds <- vapply(rows, function(rows) {
      seconds(gpu_dist(rows, method))
      last()$device_seconds
    }, 0)
    report(paste0(method, ", all rows near, device"), "12000 x 500", device_seconds[["all"]],
           "no rows near", device_seconds[["none"]])
  }
  x <- t(points(20000, 100))
  report("kendall, whole call", "100 x 20000", seconds(gpu_cor(x, method = "kendall")),
         "pinned copy of the full result", 20000^2 * 8 / peer$copy_bytes_per_second, "0.2 s")
  report("kendall, device", "100 x 20000", last()$device_seconds,
         "counting bits, 16 words a cycle", 20000^2 / 2 * ceiling(100 * 99 / 64) / (pipes / 4))

  x <- points(8192, 16384)
  steps <- 8192 * 8191 / 2 * 16384
  for (method in c("euclidean", "manhattan", "maximum")) {
    whole <- seconds(gpu_dist(x, method))
    report(paste0(method, ", device"), "8192 x 16384", last()$device_seconds,
           "2 steps a pair, FP64 pipes", 2 * steps / pipes,
           if (method == "maximum") NA else ">= 0.6")
    report(paste0(method, ", whole call"), "8192 x 16384", whole, "2 steps a pair, FP64 pipes",
           2 * steps / pipes)
  }
  whole <- seconds(gpu_dist(x, "pearson"))
  report("pearson, device", "8192 x 16384", last()$device_seconds, "cuBLAS DGEMM's rate",
         2 * steps / peer$dgemm_flops, ">= 0.7")
  report("pearson, whole call", "8192 x 16384", whole, "cuBLAS DGEMM's rate",
         2 * steps / peer$dgemm_flops)
}

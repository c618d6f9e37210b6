# Hierarchical clustering: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/cluster.R [--label=NAME] [--only=PART,PART] [--n=20000] [--python=PROGRAM]
#   or: make bench
#
# Parts, all by default: linkage, cophenetic, seriate, ward, silhouette, validity, pam, kmeans, tree, dbscan, hdbscan, optics,
# devices, device.
#
# Prints a row for each size and peer and writes all of them to bench/results/cluster-<label>.csv. Two CPU
# threads; the peers take one, but quitefastmst two. Points are normal in 50 dimensions, and 50 clusters of
# such points. From n points on, sizes are n / 4, n / 2 and n, for growth. n = 20,000 takes 5 GB of memory.
# --python is a Python with scipy, quitefastmst and genieclust (python3). Peers that are not installed are left
# out, with a line that says so.

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
most <- as.integer(argument("n", "20000"))
has_fastcluster <- installed("fastcluster")
python <- argument("python", "python3")

# Reports what a package of Python takes for the same work: a linkage of d, or a spanning tree of x.
report_python <- function(what, size, gpugeo, package, values, work, target = NA) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(as.vector(t(values)), file)
  columns <- if (is.matrix(values)) ncol(values) else 0
  peer <- run_python(python, c("bench/python_clusters.py", file, columns, clock, work), package)
  report(what, size, gpugeo, paste(package, peer$version), peer$seconds, target)
}

kinds <- list(
  normal = function(n) matrix(rnorm(n * 50), n),
  clusters = function(n) matrix(rnorm(50 * 50), 50)[sample(50, n, TRUE), ] + rnorm(n * 50, sd = 0.3)
)

# In a virtual machine whose host takes back the pages of free memory (free page reporting), the first touch of the
# working matrix of 20,000 points, 3.2 GB in huge pages, took 5 to 7 s of system time, and 0.3 s directly after another
# process had freed as much. There, compare user times as well: system.time() has both.
compare <- function(kind, n, linkage, from_points) {
  x <- kinds[[kind]](n)
  d <- gpu_dist(x)
  size <- paste(format(n, big.mark = ","), "x 50", kind)
  peer <- if (has_fastcluster) seconds(fastcluster::hclust(d, linkage)) else NA
  own <- seconds(gpu_hclust(d, linkage))
  report(paste(linkage, "from dist"), size, own, "fastcluster", peer, if (n == 20000) ">= 2" else NA)
  if (!from_points) {
    return(invisible())
  }
  names <- c(average = "average", complete = "complete", ward.D2 = "ward")
  report_python(paste(linkage, "from dist"), size, own, "scipy", d, names[[linkage]])
  whole <- peer + seconds(dist(x))
  report(
    paste(linkage, "from points"), size, seconds(gpu_hclust(x, linkage)), "stats::dist, fastcluster",
    whole, if (n == 20000) ">= 5" else NA
  )
}

if (runs_part("linkage")) {
  for (linkage in c("average", "complete", "ward.D2")) {
    for (n in most / c(4, 2)) compare("normal", n, linkage, FALSE)
    compare("normal", most, linkage, TRUE)
  }
  for (linkage in c("single", "mcquitty", "centroid", "median")) compare("normal", most, linkage, FALSE)
  for (linkage in c("average", "ward.D2")) compare("clusters", most, linkage, FALSE)
}

if (runs_part("cophenetic")) {
  for (n in most / c(4, 2, 1)) {
    tree <- gpu_hclust(kinds$normal(n), "average")
    report("cophenetic", format(n, big.mark = ","), seconds(gpu_cophenetic(tree)), "stats::cophenetic",
           seconds(cophenetic(tree)), if (n == 20000) ">= 20" else NA)
  }
}

# The optimal order of leaves. Merges of average linkage often halve a cluster, for which the time is longest. For the
# larger size the peer takes more than five minutes.
if (runs_part("seriate")) {
  for (n in c(1000, most / 4)) {
    d <- gpu_dist(matrix(runif(2 * n), n))
    tree <- gpu_hclust(d, "average")
    size <- paste(format(n, big.mark = ","), "x 2 uniform")
    own <- seconds(gpu_seriate(tree, d))
    if (n <= 1000) {
      report_python("order of leaves", size, own, "scipy", d, "leaves")
    } else {
      report("order of leaves", size, own, "none", NA, if (n == 5000) "5 s" else NA)
    }
  }
}

# Ward's linkage without a matrix. The peers refuse so many points.
if (runs_part("ward")) {
  for (n in c(70000, 140000, 280000)) {
    x <- kinds$normal(n)
    size <- paste(format(n, big.mark = ","), "x 50")
    report("ward.D2 from points", size, seconds(gpu_hclust(x, "ward.D2")), "none", NA)
  }
}

# Silhouettes of 20 clusters. The peer takes an object of class dist, and cannot have one of more than 65,536 points
# in memory here.
if (runs_part("silhouette")) {
  for (n in c(5000, 10000, 100000)) {
    x <- kinds$normal(n)
    clusters <- sample(20, n, TRUE)
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 50, 20 clusters")
    peer <- if (installed("cluster") && n <= 10000) seconds(cluster::silhouette(clusters, dist(x))) else NA
    report("silhouette from points", size, seconds(gpu_silhouette(x, clusters)), "stats::dist, cluster", peer,
           if (n == 1e5) "20 s" else NA)
    if (n <= 10000) {
      d <- gpu_dist(x)
      report("silhouette from dist", size, seconds(gpu_silhouette(d, clusters)), "cluster::silhouette",
             if (installed("cluster")) seconds(cluster::silhouette(clusters, d)) else NA)
    }
  }
}

# Indices of a clustering, and the gap statistic. fpc takes an object of class dist and computes all of its indices.
if (runs_part("validity")) {
  for (n in c(5000, 100000)) {
    x <- kinds$clusters(n)
    clusters <- gpu_kmeans(x, 20, iter.max = 50)$cluster
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 50, 20 clusters")
    for (index in c("ch", "dunn", "silhouette", "dbcv")) {
      peer <- if (index == "dunn" && n == 5000 && installed("fpc")) {
        seconds(fpc::cluster.stats(dist(x), clusters, silhouette = FALSE))
      } else {
        NA
      }
      report(paste("validity,", index), size, seconds(gpu_validity(x, clusters, indices = index)), "fpc, all", peer)
    }
  }
  x <- kinds$clusters(5000)
  gap <- function(f) {
    set.seed(2)
    seconds(f(x, function(x, k) suppressWarnings(gpu_kmeans(x, k)), 10, B = 5, verbose = FALSE))
  }
  peer <- if (installed("cluster")) gap(cluster::clusGap) else NA
  report("gap statistic, B = 5", "5,000 x 50, k <= 10", gap(gpu_clus_gap), "cluster::clusGap", peer)
}

# Medoids, from points. The peer's variant f_5 swaps as eagerly; its default takes minutes for 10,000 points.
if (runs_part("pam")) {
  for (n in c(2500, 5000, 10000)) {
    x <- kinds$clusters(n)
    size <- paste(format(n, big.mark = ","), "x 50, 20 medoids")
    peer <- function(variant) if (installed("cluster")) seconds(cluster::pam(x, 20, variant = variant)) else NA
    report("pam", size, seconds(gpu_pam(x, 20)), "cluster::pam, f_5", peer("f_5"))
    report("pam, original", size, seconds(gpu_pam(x, 20, variant = "original")), "cluster::pam",
           if (n == 2500) peer("original") else NA)
  }
}

# Means, from the same centres: Hartigan and Wong's algorithm, and Lloyd's of more points.
if (runs_part("kmeans")) {
  means <- function(n, p, k, algorithm, most) {
    x <- matrix(rnorm(n * p), n) + rnorm(k)[sample.int(k, n, TRUE)]
    start <- x[seq_len(k), ]
    run <- function(f) seconds(suppressWarnings(f(x, start, iter.max = most, algorithm = algorithm)))
    size <- sprintf("%s x %d, k = %d", format(n, big.mark = ",", scientific = FALSE), p, k)
    report(paste("k-means,", algorithm), size, run(gpu_kmeans), "stats::kmeans", run(kmeans))
  }
  means(100000, 20, 20, "Hartigan-Wong", 100)
  means(100000, 20, 20, "Lloyd", 100)
  means(1000000, 50, 100, "Lloyd", 15)
}

# Minimum spanning trees: of quitefastmst's, which genieclust uses, from the points; of vegan's from the distances,
# which it stores. Sizes n, 2 n and 4 n for growth, and points of other kinds.
planes <- list(
  uniform = function(n) matrix(runif(2 * n), n),
  normal = function(n) matrix(rnorm(2 * n), n),
  lattice = function(n) matrix(sample(0:300, 2 * n, TRUE), n),
  line = function(n) outer(runif(n), 1:2),
  equal = function(n) matrix(0.5, n, 2)
)
spanning_tree <- function(x, size, target = NA) {
  report_python("spanning tree", size, seconds(gpu_mst(x)), "quitefastmst", x, 0, target)
}
if (runs_part("tree")) {
  for (n in c(250000, 500000, 1000000)) {
    spanning_tree(planes$uniform(n), paste(format(n, big.mark = ","), "x 2 uniform"), if (n == 1e6) "1.0 s" else NA)
  }
  for (kind in names(planes)[-1]) spanning_tree(planes[[kind]](1000000), paste("1,000,000 x 2", kind))
  spanning_tree(matrix(rnorm(3e6), 1e6), "1,000,000 x 3 normal")
  x <- kinds$normal(most)
  report("spanning tree", paste(format(most, big.mark = ","), "x 50 normal"), seconds(gpu_mst(x)),
         "vegan::spantree", if (installed("vegan")) seconds(vegan::spantree(dist(x))) else NA)
}

# DBSCAN: points in the plane with some 12 neighbours each, for all sizes, and in clusters with more.
if (runs_part("dbscan") && installed("dbscan")) {
  jobs <- list(
    list("uniform", 250000, 0.004), list("uniform", 500000, 0.002 * sqrt(2)), list("uniform", 1000000, 0.002),
    list("normal", 1000000, 0.004)
  )
  for (job in jobs) {
    x <- planes[[job[[1]]]](job[[2]])
    size <- paste(format(job[[2]], big.mark = ",", scientific = FALSE), "x 2", job[[1]])
    report("dbscan", size, seconds(gpu_dbscan(x, job[[3]])), "dbscan::dbscan", seconds(dbscan::dbscan(x, job[[3]])))
  }
}

# HDBSCAN. quitefastmst has only the tree of mutual reachability; genieclust makes its own clusters from that tree.
compare_hdbscan <- function(kind, n, min_points, target = NA) {
  x <- planes[[kind]](n)
  what <- paste("hdbscan, minPts", min_points)
  size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 2", kind)
  own <- seconds(gpu_hdbscan(x, min_points))
  report_python(what, size, own, "quitefastmst, tree only,", x, min_points - 1, target)
  report_python(what, size, own, "genieclust, Genie,", x, paste0("genie", min_points - 1))
}
if (runs_part("hdbscan")) {
  for (n in c(250000, 500000)) compare_hdbscan("uniform", n, 5)
  for (kind in c("uniform", "normal", "lattice")) {
    for (min_points in c(5, 20)) {
      compare_hdbscan(kind, 1000000, min_points, if (kind == "uniform" && min_points == 5) "3 s" else NA)
    }
  }
  if (installed("dbscan")) {
    for (columns in c(2, 50)) {
      x <- matrix(rnorm(5000 * columns), 5000)
      report("hdbscan, minPts 5", paste("5,000 x", columns, "normal"), seconds(gpu_hdbscan(x, 5)), "dbscan::hdbscan",
             seconds(dbscan::hdbscan(x, 5)))
    }
  }
}

# Returns the GiB of memory that work takes on the first device, at most at any time: what nvidia-smi reports every
# 20 ms, less what was in use before. NA without it.
device_gib <- function(work) {
  if (!nzchar(Sys.which("nvidia-smi"))) return(NA_real_)
  file <- tempfile()
  query <- "nvidia-smi -i 0 --query-gpu=memory.used --format=csv,noheader,nounits -lms 20"
  process <- system2("sh", c("-c", shQuote(paste(query, ">", file, "2>/dev/null & echo $!"))), stdout = TRUE)
  on.exit({
    tools::pskill(as.integer(process))
    unlink(file)
  })
  Sys.sleep(1) # until it has begun
  force(work)
  Sys.sleep(0.1)
  used <- suppressWarnings(as.numeric(readLines(file, warn = FALSE)))
  (max(used, na.rm = TRUE) - used[1L]) / 1024
}

# OPTICS and local outlier factors; the peer takes one thread.
if (runs_part("optics")) {
  peer <- function(f, ...) if (installed("dbscan")) seconds(f(...)) else NA
  for (n in c(20000, 100000)) {
    x <- planes$normal(n)
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 2 normal")
    report("optics, eps 0.05", size, seconds(gpu_optics(x, 0.05)), "dbscan", peer(dbscan::optics, x, 0.05))
    report("optics", size, seconds(gpu_optics(x)), "dbscan", if (n < 1e5) peer(dbscan::optics, x) else NA)
    report("lof", size, seconds(gpu_lof(x)), "dbscan", peer(dbscan::lof, x))
  }
}

# Matrices and distances that one device has no room for, on all devices of the machine, whole calls from R.
if (runs_part("devices") && has_gpu && nrow(gpu_info()$devices) > 1) {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  memory <- gpu_info()$devices$total_bytes
  among <- sprintf("divided among %d devices", length(memory))
  report_divided <- function(work, size, seconds, target = NA) {
    if (gpu_info()$last$devices > 1) work <- paste0(work, ", ", among)
    report(work, size, seconds, "", NA, target)
  }
  size_of <- function(n) paste(format(n, big.mark = ",", scientific = FALSE), "x 50 normal")
  for (n in c(110000, 130000, 180000, 260000)) {
    if (sum(memory) < 8.5 * n^2 || memory[1L] >= 8.5 * n^2) next
    x <- kinds$normal(n)
    invisible(gpu_hclust(x[1:1000, ], "average"))
    time <- seconds(gpu_hclust(x, "average"))
    report_divided("average", size_of(n), time, if (n == 260000) "12 s" else NA)
  }
  for (n in c(150000, 180000, 260000)) {
    if (sum(memory) < 4.3 * n^2 || memory[1L] >= 4.3 * n^2) next
    x <- kinds$normal(n)
    clusters <- sample(20, n, TRUE)
    time <- system.time(d <- gpu_dist(x, keep = "device"))[["elapsed"]] # once: two have no room
    report_divided("distances that stay on devices", size_of(n), time)
    expected <- gpu_silhouette(x, clusters)
    time <- seconds(widths <- gpu_silhouette(d, clusters))
    stopifnot(identical(c(widths), c(expected)))
    report(paste("silhouette of distances", among), size_of(n), time, "", NA)
    rm(d)
    gpu_release()
  }
  n <- 110000
  if (sum(memory) >= 8.5 * n^2 && memory[1L] < 8.5 * n^2) {
    x <- kinds$normal(n)
    d <- gpu_dist(x)
    time <- seconds(tree <- gpu_hclust(d, "average"))
    report_divided("average of a dist", size_of(n), time)
    rm(d)
    stopifnot(identical(tree$height, gpu_hclust(x, "average")$height))
  }
  n <- 1000 * floor(sqrt(memory[1L] / 8.4) / 1000) # distances and half of the matrix fit on the first device
  x <- kinds$normal(n)
  d <- gpu_dist(x, keep = "device")
  time <- seconds(tree <- gpu_hclust(d, "average"))
  report_divided("average of distances on a device", size_of(n), time)
  rm(d)
  gpu_release()
  stopifnot(identical(tree$height, gpu_hclust(x, "average")$height))
}

# On a device, whole calls from R. van 't Veer's genes have missing values; their file is that of bench/scale.R.
if (runs_part("device") && has_gpu) {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  on_device <- function(work, size, x, linkage, target = NA) {
    invisible(gpu_hclust(x[1:1000, ], linkage))
    report(paste(work, "on a device"), size, seconds(gpu_hclust(x, linkage)), "", NA, target)
  }
  # The device's memory that a call takes in addition to a matrix of so many points, instead of a peer's time.
  report_memory <- function(work, size, x, linkage, points, target = NA) {
    gib <- device_gib(gpu_hclust(x, linkage)) - 8 * points^2 / 2^30
    report(paste(work, "on a device, memory"), size, NA, sprintf("%.2f GiB beside the matrix", gib), NA, target)
  }
  file <- file.path(argument("data", "../shared/data"), "vantveer_24481x39.csv.gz")
  if (file.exists(file)) {
    genes <- as.matrix(read.csv(file, row.names = 1))
    genes <- genes[rowSums(is.na(genes)) < 20, ] # the others have no distance from some genes
    size <- paste(format(nrow(genes), big.mark = ","), "x 39")
    invisible(gpu_hclust(genes[1:1000, ], "average"))
    peer <- if (has_fastcluster) seconds(fastcluster::hclust(gpu_dist(genes), "average")) else NA
    report("average, van 't Veer's genes on a device", size, seconds(gpu_hclust(genes, "average")),
           "gpu_dist, fastcluster", peer, "0.5 s")
  } else {
    message("no file ", file, ": van 't Veer's genes are left out")
  }
  for (n in c(16384, 32768, 65536)) {
    x <- kinds$normal(n)
    size <- paste(format(n, big.mark = ","), "x 50 normal")
    for (linkage in c("single", "complete", "average")) on_device(linkage, size, x, linkage)
    on_device("ward.D2", size, x, "ward.D2", if (n == 65536) "1 s" else NA)
    if (n == 65536) report_memory("average", size, x, "average", n, "1 GiB")
  }
  if (gpu_info()$devices$total_bytes[1L] >= 8.5 * 130000^2) {
    x <- kinds$normal(130000)
    on_device("average", "130,000 x 50 normal", x, "average", "4 s")
    report_memory("average", "130,000 x 50 normal", x, "average", 130000, "1 GiB")
  }
  for (n in c(250000, 500000, 1000000)) {
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 50 normal")
    x <- kinds$normal(n)
    on_device("ward.D2, no matrix", size, x, "ward.D2", if (n == 1e6) "20 s" else NA)
    report_memory("ward.D2, no matrix", size, x, "ward.D2", 0)
  }
  for (n in c(1e6, 1e7)) {
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "x 3 uniform")
    x <- matrix(runif(3 * n), n)
    report("spanning tree on a device", size, seconds(gpu_mst(x)), "", NA, if (n == 1e7) "0.5 s" else NA)
  }
  x <- kinds$normal(1e6)
  clusters <- sample(20, 1e6, TRUE)
  invisible(gpu_silhouette(x[1:1000, ], clusters[1:1000]))
  report("silhouette on a device", "1,000,000 x 50, 20 clusters", seconds(gpu_silhouette(x, clusters)), "", NA, "5 s")
  x <- matrix(rnorm(64e6), 1e6)
  report("spanning tree on a device", "1,000,000 x 64 normal", seconds(gpu_mst(x)), "", NA, "5 s")
  x <- x[, 1:16]
  report("hdbscan, minPts 5, on a device", "1,000,000 x 16 normal", seconds(gpu_hdbscan(x, 5)), "", NA, "5 s")
  for (kind in names(planes)) {
    x <- planes[[kind]](1e6)
    size <- paste("1,000,000 x 2", kind)
    report("spanning tree on a device", size, seconds(gpu_mst(x)), "", NA)
    report("hdbscan, minPts 5, on a device", size, seconds(gpu_hdbscan(x, 5)), "", NA)
    if (kind %in% c("uniform", "normal")) {
      report("dbscan on a device", size, seconds(gpu_dbscan(x, 0.002)), "", NA)
    }
  }
}

# The same calls in two builds of gpugeo, in turns: what a change has cost or gained.
#
#   R_LIBS=build/rlib Rscript bench/paired.R --other=LIBRARY --as=NAME [--only=cpu|gpu] [--threads=N] [--runs=N]
#     [--label=NAME]
#
# LIBRARY is the R library that holds the other build, NAME what the table calls it (a commit, say). Each build
# runs in an R process of its own; for each row both are warmed up, and then their calls alternate, N (15) of
# each. The ratio is the median over the pairs of the other build's time divided by this one's, so that a
# machine whose speed drifts does not decide. Writes bench/results/paired-<label>.csv.

source("bench/common.R")
library(parallel)

other <- argument("other", "")
if (!dir.exists(file.path(other, "gpugeo"))) stop("--other names an R library with gpugeo in it")
runs <- as.integer(argument("runs", "15"))
threads <- as.integer(argument("threads", "0"))
backend <- if (only == "gpu") "cuda" else "cpu"

# A process that has gpugeo from this library.
start_build <- function(library) {
  build <- makePSOCKcluster(1L, rscript_envs = c(R_LIBS = library), rscript_args = "--min-vsize=4G")
  clusterCall(build, function(library, backend, threads) {
    library(gpugeo, lib.loc = library)
    options(gpugeo.backend = backend, gpugeo.progress = FALSE)
    if (threads > 0) options(gpugeo.threads = threads)
    NULL
  }, library, backend, threads)
  clusterEvalQ(build, {
    set.seed(1)
    points <- matrix(rnorm(6000 * 32), 6000)
    wide <- matrix(rnorm(1500 * 1000), 1500)
    missing <- replace(points, sample(length(points), 2000), NA)
    plane <- matrix(runif(2e6), 1e6)
    space <- matrix(runif(3e6), 1e6)
    beads <- matrix(runif(9e5), 3e5)
    signs <- runif(44)
    neighbours <- gpu_neighbor_graph(matrix(runif(40000), 20000), 5)
    small <- gpu_neighbor_graph(matrix(runif(2 * 4720), 4720), 5)
    few <- gpu_dist(points[1:2000, ])
    groups <- gl(4, 500)
    NULL
  })
  build
}

jobs <- alist(
  "gpu_dist, euclidean, 6,000 x 32" = gpu_dist(points),
  "gpu_dist, euclidean, single" = gpu_dist(points, precision = "single"),
  "gpu_dist, manhattan, 1,500 x 1,000" = gpu_dist(wide, "manhattan"),
  "gpu_dist, canberra, 1,500 x 1,000" = gpu_dist(wide, "canberra"),
  "gpu_dist, minkowski, p = 3" = gpu_dist(wide, "minkowski", p = 3),
  "gpu_dist, missing values" = gpu_dist(missing),
  "gpu_cdist, 6,000 x 1,000" = gpu_cdist(points, points[1:1000, ]),
  "gpu_cor, pearson, 6,000" = gpu_cor(t(points)),
  "gpu_cor, spearman, 1,500 x 1,000" = gpu_cor(t(wide), method = "spearman"),
  "gpu_knn, 6,000 x 32, k = 10" = gpu_knn(points, 10),
  "gpu_radius, 6,000 x 32" = gpu_radius(points, 5),
  "gpu_closest_pair, 10^6 x 2" = gpu_closest_pair(plane),
  "gpu_closest_pair, 10^6 x 3" = gpu_closest_pair(space),
  "gpu_collisions, 3 x 10^5, count" = gpu_collisions(beads, 0.004),
  "gpu_collisions, 3 x 10^5, pairs" = gpu_collisions(beads, 0.004, what = "pairs"),
  "gpu_dgp, n = 44" = gpu_dgp(signs, 1e-9, max_solutions = 0),
  "gpu_layout, 4,720, 5 neighbours" = gpu_layout(small, seed = 1),
  "gpu_layout, 20,000, 5 neighbours" = gpu_layout(neighbours, seed = 1),
  "gpu_layout_quality, 4,720" = gpu_layout_quality(small, cbind(1:4720, 4720:1) %% 71),
  "gpu_hclust, average, 6,000 x 32" = gpu_hclust(points, "average"),
  "gpu_hclust, ward.D2, 6,000 x 32" = gpu_hclust(points, "ward.D2"),
  "gpu_hclust, average, dist of 2,000" = gpu_hclust(few, "average"),
  "gpu_mst, 6,000 x 32" = gpu_mst(points),
  "gpu_dbscan, 6,000 x 32" = gpu_dbscan(points, 5),
  "gpu_hdbscan, 6,000 x 32" = gpu_hdbscan(points, 10),
  "gpu_silhouette, dist of 2,000" = gpu_silhouette(few, as.integer(groups)),
  "gpu_pam, dist of 2,000, k = 4" = gpu_pam(few, 4),
  "gpu_anosim, dist of 2,000, 99 permutations" = gpu_anosim(few, groups, 99),
  "gpu_mrpp, dist of 2,000, 99 permutations" = gpu_mrpp(few, groups, 99),
  "gpu_mantel, dist of 2,000, 99 permutations" = gpu_mantel(few, few, permutations = 99),
  "gpu_pcoa, dist of 2,000" = gpu_pcoa(few),
  "gpu_mds, dist of 2,000" = gpu_mds(few, max_iterations = 20)
)
if (backend == "cuda") jobs$"gpu_layout_quality, 4,720" <- NULL # computed on the host

# Seconds of one call of these on the build; a call shorter than 20 ms is made several times.
once <- function(build, job, calls = 1L) {
  clusterCall(build, function(job, calls) {
    gc(FALSE)
    start <- Sys.time()
    for (call in seq_len(calls)) eval(job, globalenv())
    as.numeric(Sys.time() - start, units = "secs") / calls
  }, job, calls)[[1L]]
}

used <- if (threads > 0) threads else gpu_info()$threads
builds <- list(this = start_build(dirname(system.file(package = "gpugeo"))), other = start_build(other))
for (name in names(jobs)) {
  once(builds$other, jobs[[name]])
  calls <- as.integer(ceiling(0.02 / max(once(builds$this, jobs[[name]]), 1e-5)))
  times <- vapply(seq_len(runs), function(run) vapply(builds, once, 0, jobs[[name]], calls), c(0, 0))
  report(name, sprintf("%d threads", used), stats::median(times["this", ]), argument("as", "other build"),
         stats::median(times["this", ]) * stats::median(times["other", ] / times["this", ]), ">= 1")
}
for (build in builds) stopCluster(build)

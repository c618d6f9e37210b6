# Distance matrices on one thread with the vector instructions that GPUGEO_SIMD names, and of stats::dist.
#
#   GPUGEO_SIMD=sse2 Rscript --min-vsize=4G bench/simd.R [--label=NAME]
#
# Times are user times, the least of two runs each in turns, which other work on the machine disturbs less.

source("bench/common.R")

set.seed(1)
x <- matrix(rnorm(2000 * 500), 2000)
options(gpugeo.threads = 1, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
metrics <- list(
  list("euclidean", 2, ">= 1.5"), list("maximum", 2, ">= 1.5"), list("manhattan", 2, ">= 1.5"),
  list("canberra", 2, ">= 1.5"), list("binary", 2, ">= 1.5"), list("minkowski", 3, ">= 1.5"),
  list("minkowski", 2.7, ">= 1.5")
)
user_seconds <- function(compute, metric) {
  system.time(compute(x, metric[[1]], p = metric[[2]]))[["user.self"]]
}
for (metric in metrics) {
  ours <- theirs <- Inf
  for (run in 1:2) {
    ours <- min(ours, user_seconds(gpu_dist, metric))
    theirs <- min(theirs, user_seconds(dist, metric))
  }
  name <- if (metric[[1]] == "minkowski") paste0("minkowski p=", metric[[2]]) else metric[[1]]
  report(paste0(name, ", ", gpu_info()$simd), "2000 x 500", ours, "stats::dist", theirs, metric[[3]])
}

# Starts worker processes that find the packages where this process does. parallel picks a port by the clock,
# so two runs of the tests can want the same one: then others are tried.
start_workers <- function(count) {
  for (attempt in 1:20) {
    port <- 20000L + (Sys.getpid() * 31L + attempt * 977L) %% 20000L
    cluster <- tryCatch(parallel::makeCluster(count, port = port), error = identity)
    if (!inherits(cluster, "error")) break
  }
  if (inherits(cluster, "error")) stop(cluster)
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  cluster
}

# Run by tests/slurm/check: tiles as jobs of Slurm, one of which is killed; and by BiocParallel.
folder <- commandArgs(TRUE)[1L]
suppressPackageStartupMessages({
  library(gpugeo)
  library(batchtools)
})
passed <- failed <- 0L
check <- function(ok, what) {
  if (isTRUE(ok)) {
    passed <<- passed + 1L
  } else {
    failed <<- failed + 1L
    cat("failed:", what, "\n")
  }
}

set.seed(4)
x <- matrix(rnorm(400 * 6), 400)
x[11, 3] <- NA
plan <- gpu_tiles_plan(x, method = "seuclidean", side = 150)
whole <- as.matrix(gpu_dist(x, "seuclidean"))
same <- function(tiles) {
  all(mapply(function(values, t) {
    rows <- seq.int(plan$row[t], length.out = plan$rows[t])
    columns <- seq.int(plan$column[t], length.out = plan$columns[t])
    off <- outer(rows, columns, "!=")
    identical(values[off], unname(whole)[rows, columns][off])
  }, tiles, plan$tile))
}

# The worker of tile 3 is killed the first time.
work <- function(tile, x, plan, folder) {
  marker <- file.path(folder, "killed")
  if (tile == 3 && file.create(marker) && !file.exists(paste0(marker, "-before"))) {
    file.rename(marker, paste0(marker, "-before"))
    tools::pskill(Sys.getpid(), tools::SIGKILL)
    repeat Sys.sleep(1) # until the signal has come
  }
  list(values = gpugeo::gpu_dist_tile(x, plan, tile), job = Sys.getenv("SLURM_JOB_ID"))
}

registry <- makeRegistry(file.path(folder, "registry"), conf.file = NA, make.default = FALSE)
registry$cluster.functions <- makeClusterFunctionsSlurm(
  "slurm.tmpl",
  scheduler.latency = 0.5, fs.latency = 5
)
common <- list(x = x, plan = plan, folder = folder)
batchMap(work, tile = plan$tile, more.args = common, reg = registry)
invisible(submitJobs(reg = registry))
all_done <- waitForJobs(reg = registry, sleep = 0.5, timeout = 1200, expire.after = 2L)
check(!all_done, "a killed job is noticed")
left <- findNotDone(reg = registry)$job.id
for (id in setdiff(left, 3L)) {
  cat(tail(tryCatch(getLog(id, reg = registry), error = conditionMessage), 8), sep = "\n")
}
check(identical(left, 3L), paste("jobs that are left:", toString(left)))
check(file.exists(file.path(folder, "killed-before")), "the worker was killed")
invisible(submitJobs(findNotDone(reg = registry), reg = registry))
check(waitForJobs(reg = registry, sleep = 0.5, timeout = 1200), "the tiles are redone")
results <- reduceResultsList(reg = registry)
values <- lapply(results, `[[`, "values")
check(length(values) == nrow(plan) && same(values), "the bits of the whole matrix")
check(all(nzchar(vapply(results, `[[`, "", "job"))), "every tile was a job of Slurm")

param <- BiocParallel::BatchtoolsParam(
  workers = 2, cluster = "slurm", template = normalizePath("slurm.tmpl"),
  registryargs = BiocParallel::batchtoolsRegistryargs(
    file.dir = file.path(folder, "biocparallel"), work.dir = folder, make.default = FALSE,
    conf.file = NA
  )
)
one_tile <- function(tile, x, plan) gpugeo::gpu_dist_tile(x, plan, tile)
tiles <- BiocParallel::bplapply(plan$tile, one_tile, x = x, plan = plan, BPPARAM = param)
check(same(tiles), "the bits of the whole matrix from BiocParallel")
cat(sprintf("%d passed, %d failed\n", passed, failed))
quit(status = failed > 0L)

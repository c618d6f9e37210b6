# Calls on a machine that others use: default threads and one thread, quiet and beside busy loops.
#
#   Rscript --min-vsize=4G bench/contention.R [--label=NAME] [--loops=N] [--runs=N] [--data=FOLDER]
#   or: make bench
#
# Prints a table and writes it to bench/results/contention-<label>.csv. There are as many busy loops as
# processors, or N. Runs on one thread and on default threads alternate, N (9) of each, and their medians are
# compared: beside busy loops default threads shall take at most 1.25 times as long as one thread (ratio at
# least 0.8); quiet, layouts shall be at least 1.6 times as fast on two threads. wiki-vote.txt.gz is read from
# FOLDER (../shared/data); without it its row is left out, with a line that says so.

source("bench/common.R")

options(gpugeo.backend = "cpu", gpugeo.progress = FALSE)
processors <- gpu_info()$threads
loops <- as.integer(argument("loops", as.character(processors)))
runs <- as.integer(argument("runs", "9"))

set.seed(1)
points <- matrix(rnorm(6000 * 32), 6000)
plane <- matrix(runif(2e6), 1e6)
beads <- matrix(runif(9e5), 3e5)
signs <- runif(44)
neighbours <- gpu_neighbor_graph(matrix(runif(40000), 20000), 5)
small <- gpu_neighbor_graph(matrix(runif(2 * 4720), 4720), 5)
file <- tempfile(fileext = ".h5")
wiki <- file.path(argument("data", "../shared/data"), "wiki-vote.txt.gz")

# Each is a call that takes some tenths of a second on one thread.
jobs <- list(
  "layout, 20,000, 5 neighbours" = function() gpu_layout(neighbours, seed = 1),
  "layout, 4,720, 5 neighbours" = function() gpu_layout(small, seed = 1),
  "gpu_dist" = function() gpu_dist(points),
  "gpu_cor" = function() gpu_cor(t(points)),
  "gpu_knn" = function() gpu_knn(points, 10),
  "gpu_closest_pair" = function() gpu_closest_pair(plane),
  "gpu_collisions" = function() gpu_collisions(beads, 0.002),
  "gpu_dgp" = function() gpu_dgp(signs, 1e-9, max_solutions = 0),
  "gpu_dist to a file" = function() {
    unlink(file)
    gpu_dist(points, file = file)
  }
)
if (file.exists(wiki)) {
  votes <- gpu_read_edges(wiki)
  jobs <- c(list(
    "layout, Wiki-Vote" = function() gpu_layout(votes, seed = 1),
    "layout, Wiki-Vote, exact" = function() gpu_layout(votes, seed = 1, multilevel = FALSE,
                                                       repulsion = "exact", iterations = 20)
  ), jobs)
} else {
  cat("Not there, so not timed:", wiki, "\n")
}

# Median seconds on one thread and on default threads, the runs of both in turn.
compare <- function(job) {
  once <- function(threads) {
    options(gpugeo.threads = threads)
    gc(FALSE)
    start <- Sys.time()
    job()
    as.numeric(Sys.time() - start, units = "secs")
  }
  once(NULL)
  times <- vapply(seq_len(runs), function(run) c(once(1), once(NULL)), c(0, 0))
  apply(times, 1, stats::median)
}

measure <- function(where, target) {
  for (name in names(jobs)) {
    time <- compare(jobs[[name]])
    report(name, where, time[2], "one thread", time[1], target(name))
  }
}

begin_loops <- function() {
  vapply(seq_len(loops), function(i) {
    as.integer(system("sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!", intern = TRUE))
  }, 0L)
}

measure("quiet", function(name) if (grepl("layout", name)) ">= 1.6" else NA_character_)
busy <- begin_loops()
tryCatch(
  measure(sprintf("%d busy loops", loops), function(name) ">= 0.8"),
  finally = tools::pskill(busy)
)
unlink(file)
write_results("contention")

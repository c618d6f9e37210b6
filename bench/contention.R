# Calls on a machine that others use: default threads and one thread, quiet and with busy loops.
#
#   Rscript --min-vsize=4G bench/contention.R [--label=NAME] [--only=CALL,...] [--loops=N] [--runs=N]
#     [--scale=S] [--data=FOLDER]
#   or: make bench
#
# Prints a table and writes it to bench/results/contention-<label>.csv. There are as many busy loops as
# processors, or N. Runs on one thread and on default threads alternate, N (9) of each, and their medians are
# compared: with busy loops default threads shall take at most 1.25 times as long as one thread (ratio at
# least 0.8); quiet, layouts shall be at least 1.6 times as fast on two threads. wiki-vote.txt.gz is read from
# FOLDER (../shared/data); without it its row is left out, with a line that says so. Numbers of points are
# multiplied by S (1): --scale=0.02 shows that all calls work. --only=layout runs the rows whose names begin with
# "layout"; several beginnings are separated by commas. gpu_adonis2() and gpu_mantel() need permute.

source("bench/common.R")

options(gpugeo.backend = "cpu", gpugeo.progress = FALSE)
processors <- gpu_info()$threads
loops <- as.integer(argument("loops", as.character(processors)))
runs <- as.integer(argument("runs", "9"))

scale <- as.numeric(argument("scale", "1"))
uniform <- function(n, columns) matrix(runif(round(n * scale) * columns), ncol = columns)

set.seed(1)
points <- matrix(rnorm(round(6000 * scale) * 32), ncol = 32)
plane <- uniform(1e6, 2)
beads <- uniform(3e5, 3)
space <- uniform(1e5, 3)
signs <- runif(44)
neighbours <- gpu_neighbor_graph(uniform(20000, 2), 5)
small <- gpu_neighbor_graph(uniform(4720, 2), 5)
group <- factor(rep_len(1:4, nrow(points)))
some <- seq_len(round(2000 * scale))
distances <- gpu_dist(points[some, ])
file <- tempfile(fileext = ".h5")
wiki <- file.path(argument("data", "../shared/data"), "wiki-vote.txt.gz")

# Each is a call that takes some tenths of a second on one thread.
jobs <- list(
  "layout, 20,000, 5 neighbours" = function() gpu_layout(neighbours, seed = 1),
  "layout, 4,720, 5 neighbours" = function() gpu_layout(small, seed = 1),
  "gpu_dist" = function() gpu_dist(points),
  "gpu_cor" = function() gpu_cor(t(points)),
  "gpu_knn" = function() gpu_knn(points, 10),
  "gpu_radius" = function() gpu_radius(space, 0.02),
  "gpu_closest_pair" = function() gpu_closest_pair(plane),
  "gpu_collisions" = function() gpu_collisions(beads, 0.002),
  "gpu_dgp" = function() gpu_dgp(signs, 1e-9, max_solutions = 0),
  "gpu_dist to a file" = function() {
    unlink(file)
    gpu_dist(points, file = file)
  },
  "gpu_hclust, average" = function() gpu_hclust(points[some, ]),
  "gpu_mst" = function() gpu_mst(space),
  "gpu_dbscan" = function() gpu_dbscan(space, 0.01),
  "gpu_silhouette" = function() gpu_silhouette(points, group),
  "gpu_pcoa" = function() gpu_pcoa(distances)
)
if (installed("permute")) {
  jobs <- c(jobs, list(
    "gpu_adonis2" = function() gpu_adonis2(distances ~ group, data.frame(group = group[some])),
    "gpu_mantel" = function() gpu_mantel(distances, distances, permutations = 99)
  ))
}
if (file.exists(wiki)) {
  votes <- gpu_read_edges(wiki, header = TRUE)
  jobs <- c(list(
    "layout, Wiki-Vote" = function() gpu_layout(votes, seed = 1),
    "layout, Wiki-Vote, exact" = function() gpu_layout(votes, seed = 1, multilevel = FALSE,
                                                       repulsion = "exact", iterations = 20)
  ), jobs)
} else {
  cat("Not there, so not timed:", wiki, "\n")
}

# The calls whose names begin with one of the texts in --only; all without it.
if (nzchar(only)) {
  begins <- strsplit(only, ",")[[1L]]
  jobs <- jobs[vapply(names(jobs), function(name) any(startsWith(name, begins)), NA)]
  if (length(jobs) == 0L) stop("no call's name begins with ", only)
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

# Distance geometry of a cycle: gpugeo's algorithms, and the figures of the paper.
#
#   Rscript bench/dgp.R [--label=NAME] [--only=cpu|gpu] [--long]     or: make bench
#
# Hengeveld and Mucherino (2022), Table I, is repeated in shape: three columns, now with equal counts.
# Distances are uniform in (0, 1), the tolerance is 1e-4 unless a row says otherwise. The paper's times
# are from a Xeon E5-2609 v3 and a GTX TITAN X: they are no peers on the same machine, and n = 32 is all it
# has. --long adds the rows of Table I from 29 on, and n = 56 with two threads.

source("bench/common.R")
long <- "--long" %in% arguments
paper <- "Hengeveld and Mucherino, their machine"

# runif() alone has 32 bits, and very many sums would be equal.
distances <- function(n) {
  set.seed(n)
  (floor(runif(n) * 2^26) + runif(n)) / 2^26
}
count <- function(n, tol = 1e-4, algorithm = "auto", ...) {
  gpu_dgp(distances(n), tol, algorithm, max_solutions = 0, ...)
}

# --- the CPU -----------------------------------------------------------------------------------

if (only != "gpu") {
  options(gpugeo.backend = "cpu", gpugeo.progress = FALSE)
  options(gpugeo.threads = 1)
  report("count, 1 thread", "n = 32", seconds(count(32)), paste0(paper, ", branch-and-prune"), 35,
         "0.003 s")
  options(gpugeo.threads = 2)
  report("count, 2 threads", "n = 48", seconds(count(48)), "none", NA, "0.45 s")
  if (long) report("count, 2 threads", "n = 56", seconds(count(56)), "none", NA, "8 s")
}

# Table I: seconds of branch-and-prune as in the paper (no pruning by the rest), of all rows, and of the
# fastest algorithm; the counts must agree.
table_sizes <- if (only == "gpu") 20:32 else 20:(if (long) 32 else 28)
if (only != "gpu" || has_gpu) {
  rows <- if (only == "gpu") "cuda" else "cpu"
  options(gpugeo.backend = rows, gpugeo.threads = if (rows == "cpu") 2)
  cat("\n n   solutions  by chance  branch-and-prune  exhaustive on", rows, " meet-in-the-middle\n")
  for (n in table_sizes) {
    d <- gpu_dgp_instance(n, seed = n)
    found <- list()
    timed <- function(algorithm, ...) {
      seconds(found[[algorithm]] <<- gpu_dgp(d, 1e-4, algorithm, max_solutions = 0, ...))
    }
    tree <- if (rows == "cpu") timed("branch-and-prune", prune = FALSE) else NA
    all_rows <- timed("exhaustive")
    halves <- timed("meet-in-the-middle")
    counts <- vapply(found, `[[`, "", "count_text")
    stopifnot(all(counts == counts[1L]))
    cat(sprintf("%2d %11s %10.1f %17.4f %21.5f %19.5f\n", n, counts[1L], found[[1L]]$expected, tree,
                all_rows, halves))
    report("Table I, exhaustive", paste("n =", n), all_rows, "branch-and-prune, same machine", tree)
    report("Table I, halves", paste("n =", n), halves, "branch-and-prune, same machine", tree)
  }
}

# Graphs: a block in which distances check each other, and a cycle that only the search can take, since
# one of its distances is an interval.
if (only != "gpu") {
  options(gpugeo.backend = "cpu", gpugeo.threads = 2)
  set.seed(1)
  x <- runif(2000)
  pairs <- do.call(rbind, lapply(2:2000, function(v) cbind(sample.int(v - 1, min(v - 1, 3)), v)))
  network <- cbind(pairs, abs(x[pairs[, 1]] - x[pairs[, 2]]))
  report("graph, one block", "2000 vertices", seconds(gpu_dgp_graph(network)), "none", NA)
  d <- gpu_dgp_instance(28, seed = 1)
  cycle <- cbind(1:28, c(2:28, 1), d, d + c(2^-42, rep(0, 27)))
  report("graph, search", "28 vertices", seconds(gpu_dgp_graph(cycle, tol = 0)),
         "gpu_dgp, branch-and-prune", seconds(gpu_dgp(d, 0, "branch-and-prune")))
}

# --- one GPU -----------------------------------------------------------------------------------

if (has_gpu && only != "cpu") {
  options(gpugeo.backend = "cuda", gpugeo.threads = NULL)
  last <- function() gpu_info()$last
  whole <- seconds(count(32, algorithm = "exhaustive"))
  device <- last()$device_seconds
  report("exhaustive, device", "n = 32", device, "the paper's kernel, full grid, H200", 0.048,
         "0.002 s")
  report("exhaustive, whole call", "n = 32", whole, paste0(paper, ", GPU"), 2.03)
  cat(sprintf("rows a second: %.3g\n", 2^32 / device))
  for (row in list(c(64, 1e-10), c(72, 1e-12))) {
    took <- seconds(result <- count(row[1], tol = row[2]))
    report(sprintf("count, tol %g", row[2]), paste("n =", row[1]), took, "none", NA,
           if (row[1] == 64) "2 s" else "60 s")
    cat(sprintf("%s solutions, %.6g by chance\n", result$count_text, result$expected))
  }
}

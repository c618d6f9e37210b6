# Calls of a few points: gpugeo next to the functions of stats, timed in turns in this run.
#
#   Rscript bench/small_calls.R [--label=NAME] [--clock=cpu] [--runs=N]
#   or: make bench
#
# Writes bench/results/small_calls-<label>.csv. A time is the least of `runs` (15) runs of about 20 ms, gpugeo's and the
# peer's one after the other, so that both meet the same load of the machine. --clock=cpu counts the processor's seconds.

source("bench/common.R")

set.seed(1)
runs <- numbers("runs", 15)

# Seconds of one call, from as many in a row as take 20 ms.
per_call <- function(f, calls) {
  start <- now()
  for (call in seq_len(calls)) f()
  (now() - start) / calls
}
calls_in_20_ms <- function(f) {
  f()
  ceiling(0.02 / max(per_call(f, 20), 1e-6))
}

compare <- function(what, size, ours, name, theirs, target = NA_character_) {
  calls <- c(calls_in_20_ms(ours), calls_in_20_ms(theirs))
  times <- replicate(runs, c(per_call(ours, calls[1L]), per_call(theirs, calls[2L])))
  report(what, size, min(times[1L, ]), name, min(times[2L, ]), target)
}

# Medians of distances of 200 samples of n points with replacement, as a bootstrap takes them.
bootstrap <- function(distances, x) {
  n <- nrow(x)
  for (sample in 1:200) stats::median(distances(x[sample.int(n, n, TRUE), ]))
}

for (size in list(c(10, 4), c(30, 5), c(48, 4), c(100, 10), c(200, 10))) {
  x <- matrix(rnorm(prod(size)), size[1L])
  name <- paste(size, collapse = " x ")
  target <- if (size[1L] >= 30) ">= 1" else "25 us"
  compare("dist", name, function() gpu_dist(x), "stats::dist", function() dist(x), target)
  compare("cor", name, function() gpu_cor(x), "stats::cor", function() cor(x))
  compare("hclust of a dist", name, function() gpu_hclust(dist(x), "average"), "stats::hclust",
          function() hclust(dist(x), "average"))
}
for (n in c(40, 48, 100)) {
  x <- matrix(rnorm(4 * n), n)
  compare("bootstrap of dist", paste(n, "x 4, 200 times"), function() bootstrap(gpu_dist, x), "stats::dist",
          function() bootstrap(dist, x), ">= 1")
}

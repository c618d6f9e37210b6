# Whole calls of gpu_dist() and gpu_cor() on a GPU, as a session of its own has them. bench/dist.R runs
# this with R's default heap and with a large one.
#
#   Rscript [--min-vsize=4G] bench/dist_session.R
#
# Prints CSV: what; seconds, after gc() the median of five calls, in a loop the mean of fifteen, of which
# R collects garbage in some; and the length of the result.

library(gpugeo)

options(gpugeo.backend = "cuda", gpugeo.progress = FALSE)
set.seed(1)
x <- matrix(rnorm(24158 * 64), 24158)
columns <- t(x)
compute <- list(gpu_dist = function() gpu_dist(x), gpu_cor = function() gpu_cor(columns))
last <- NULL

# Seconds of a call whose result replaces the last one, as in a loop.
replacing <- function(call) {
  start <- Sys.time()
  last <<- call()
  as.numeric(Sys.time() - start, units = "secs")
}

# The same where R has collected the result before.
collected <- function(call) {
  last <<- NULL
  gc(FALSE)
  replacing(call)
}

times <- function(name) {
  call <- compute[[name]]
  first <- collected(call)
  length <- length(last)
  data.frame(
    what = paste0(name, c(", first call", ", in a loop", ", after gc()")),
    seconds = c(
      first, mean(vapply(1:15, function(i) replacing(call), 0)),
      stats::median(vapply(1:5, function(i) collected(call), 0))
    ),
    length = length
  )
}

start <- data.frame(
  what = "start of CUDA", seconds = collected(function() gpu_dist(x[1:2, ])), length = NA
)
write.csv(do.call(rbind, c(list(start), lapply(names(compute), times))), row.names = FALSE)

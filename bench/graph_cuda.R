# Distances in graphs and layouts by stress, on a GPU and on the CPU:
#   R_LIBS=build/rlib Rscript bench/graph_cuda.R [small|large]
# small: 65,536 and 1.4 million vertices; large: 10 million vertices with 50 million edges, on the GPU only.
# Of each call the least time of three (large: one), the device's part, and the stress of both layouts.
library(gpugeo)
source("bench/graphs.R")

# A square lattice whose vertices have ten neighbours each, and a graph in which each vertex joins five earlier
# ones, the earliest most often.
wide_lattice <- function(side) {
  x <- rep(seq_len(side) - 1, side)
  y <- rep(seq_len(side) - 1, each = side)
  do.call(rbind, lapply(list(c(1, 0), c(0, 1), c(1, 1), c(-1, 1), c(2, 1)), function(d) {
    there <- x + d[1] >= 0 & x + d[1] < side & y + d[2] < side
    from <- which(there)
    cbind(from, from + d[1] + d[2] * side, deparse.level = 0)
  }))
}
early_joins <- function(vertices, each = 5) {
  set.seed(1)
  from <- rep(2:vertices, each = each)
  cbind(from, 1 + floor((from - 1) * stats::runif(length(from))^3), deparse.level = 0)
}

timed <- function(what, times, call) {
  seconds <- replicate(times, system.time(result <<- call())[["elapsed"]])
  last <- gpu_info()$last
  cat(sprintf("%-58s %8.3f s, device %8.3f s\n", what, min(seconds), last$device_seconds))
  result
}

measure <- function(name, graph, backends, times) {
  cat(sprintf("%s: %d vertices, %d edges\n", name, max(graph), nrow(graph)))
  from <- round(seq(1, max(graph), length.out = 64))
  distances <- lapply(backends, function(backend) {
    timed(paste(backend, "distances from 64 vertices"), times, function() {
      gpu_graph_distances(graph, from, backend = backend)
    })
  })
  stopifnot(length(backends) < 2 || identical(distances[[1]], distances[[2]]))
  rm(distances)
  set.seed(1)
  lengths <- stats::runif(nrow(graph))
  by_length <- lapply(backends, function(backend) {
    timed(paste(backend, "distances from 8 vertices, with lengths"), times, function() {
      gpu_graph_distances(graph, from[1:8], lengths = lengths, backend = backend)
    })
  })
  stopifnot(length(backends) < 2 || identical(by_length[[1]], by_length[[2]]))
  rm(by_length, lengths)
  for (backend in backends) {
    layout <- timed(paste(backend, "layout by stress"), times, function() {
      gpu_layout(graph, algorithm = "stress", seed = 1, backend = backend)
    })
    quality <- gpu_layout_quality(graph, layout, pivots = 50, crossings = 0)
    cat(sprintf("%-58s %8.4f\n", paste(backend, "stress"), quality[["stress"]]))
  }
}

size <- c(commandArgs(TRUE), "small")[1]
available <- with(gpu_info()$backends, backend[available])
if (size == "large") {
  measure("lattice", wide_lattice(3163), intersect("cuda", available), 1)
  measure("early joins", early_joins(1e7), intersect("cuda", available), 1)
} else {
  measure("roads", road_like(65536, 190000), available, 3)
  measure("roads", road_like(), available, 3)
  measure("social network", social_like(), available, 3)
}

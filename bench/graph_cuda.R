# Distances in graphs and layouts by stress, on a GPU and on the CPU:
#   R_LIBS=build/rlib Rscript bench/graph_cuda.R [small|large]
# small: 65,536 and 1.4 million vertices; large: 10 million vertices with 50 million edges, on the GPU only.
# Prints the stress of both layouts. Writes bench/results/graph_cuda-<label>.csv.
source("bench/common.R")
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

measure <- function(name, graph, peer, target = NA) {
  size <- sprintf("%d vertices, %d edges", max(graph), nrow(graph))
  set.seed(1)
  from <- round(seq(1, max(graph), length.out = 64))
  lengths <- stats::runif(nrow(graph))
  compare <- function(what, compute, target = NA) {
    theirs <- if (peer) seconds(compute("cpu")) else NA
    report(paste0(what, ", ", name), size, seconds(compute("cuda")), if (peer) "all CPU threads" else "", theirs, target)
  }
  search <- function(from, lengths) {
    function(backend) gpu_graph_distances(graph, from, lengths = lengths, backend = backend)
  }
  compare("distances from 64 vertices", search(from, NULL))
  compare("distances from 8 vertices, with lengths", search(from[1:8], lengths))
  layouts <- list()
  compare("layout by stress", target = target, function(backend) {
    layouts[[backend]] <<- gpu_layout(graph, algorithm = "stress", seed = 1, backend = backend)
  })
  for (backend in names(layouts)) {
    quality <- gpu_layout_quality(graph, layouts[[backend]], pivots = 50, crossings = 0)
    cat(sprintf("stress on %s: %.4f\n", backend, quality[["stress"]]))
  }
}

if (!has_gpu) {
  cat("No GPU, so nothing is timed\n")
} else if ("large" %in% arguments) {
  measure("lattice", wide_lattice(3163), FALSE, "20 s")
  measure("early joins", early_joins(1e7), FALSE, "20 s")
} else {
  measure("roads", road_like(65536, 190000), TRUE, "0.1 s")
  measure("roads", road_like(), TRUE, "1.5 s")
  measure("social network", social_like(), TRUE)
}

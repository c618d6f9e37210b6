# Draws man/figures/layout.png with the installed package: a tree, a grid and, where igraph is there, the
# karate club and a graph of random neighbours.
#   Rscript tools/layouts.R [FILE]
# With a file of edges, it draws these instead, as man/figures/gowalla.png has those of Gowalla
# (https://snap.stanford.edu/data/loc-Gowalla.html).
#   Rscript tools/layouts.R FILE EDGES

library(gpugeo)
arguments <- commandArgs(TRUE)
file <- if (length(arguments)) arguments[1] else "man/figures/layout.png"

if (length(arguments) > 1) {
  x <- gpu_layout(arguments[2], seed = 1)
  png(file, width = 440, height = 410, type = "cairo")
  par(mar = rep(0, 4))
  middle <- apply(x, 2, median)
  plot(x, xlim = middle[1] + c(-260, 260), ylim = middle[2] + c(-240, 240))
  invisible(dev.off())
  quit()
}

set.seed(1)
place <- expand.grid(1:20, 1:20)
points <- matrix(rnorm(1200), 400)
graphs <- list(
  "a tree of 1,023" = cbind(2:1023, 2:1023 %/% 2),
  "a grid of 20 x 20" = as.matrix(gpu_neighbor_graph(place, radius = 1)[1:2]),
  "neighbours of 400 points in space" = as.matrix(gpu_neighbor_graph(points, k = 4)[1:2])
)
if (requireNamespace("igraph", quietly = TRUE)) {
  graphs[["the karate club"]] <- igraph::as_edgelist(igraph::make_graph("Zachary"), names = FALSE)
}

png(file, width = 1200, height = 340, type = "cairo")
par(mfrow = c(1, length(graphs)), mar = c(0.5, 0.5, 2.5, 0.5), cex.main = 1.6)
for (name in names(graphs)) {
  edges <- graphs[[name]]
  x <- gpu_layout(edges, seed = 1)
  plot(x, main = name, edge_col = "grey55", cex = if (nrow(x) > 100) 0.35 else 1, col = "#2166ac")
}
invisible(dev.off())

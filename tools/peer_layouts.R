# Records the stress of igraph's layout_with_kk() on small graphs in tests/peers/layouts.csv:
# Rscript tools/peer_layouts.R
#
# stress is the mean over all pairs of vertices of (s d / g - 1)^2, where d is their distance in the
# layout, g the number of edges on a shortest path, and s the factor that makes the mean least. No
# value comes from gpugeo.

stress_of <- function(graph, at) {
  g <- igraph::distances(graph)
  pairs <- lower.tri(g)
  ratio <- as.matrix(stats::dist(at))[pairs] / g[pairs]
  max(0, 1 - sum(ratio)^2 / (sum(pairs) * sum(ratio^2)))
}

connected <- function(n, m) {
  repeat {
    graph <- igraph::sample_gnm(n, m)
    if (igraph::is_connected(graph)) {
      return(graph)
    }
  }
}

set.seed(1)
graphs <- list()
for (n in c(10, 15, 31, 63, 100, 127)) {
  graphs[[paste0("binary tree ", n)]] <- igraph::make_tree(n, 2, "undirected")
  graphs[[paste0("ternary tree ", n)]] <- igraph::make_tree(n, 3, "undirected")
}
for (n in c(3, 4, 5, 8, 12, 20, 33, 50, 80, 120)) {
  graphs[[paste0("cycle ", n)]] <- igraph::make_ring(n)
}
for (n in c(2, 3, 4, 5, 7, 10, 12)) {
  graphs[[paste0("grid ", n, " by ", n)]] <- igraph::make_lattice(c(n, n))
  graphs[[paste0("grid ", n, " by ", 2 * n)]] <- igraph::make_lattice(c(n, 2 * n))
}
for (n in c(3, 4, 5, 8, 16, 40)) {
  graphs[[paste0("complete ", n)]] <- igraph::make_full_graph(n)
}
for (n in c(3, 5, 10, 20)) {
  graphs[[paste0("bipartite ", n)]] <- igraph::make_full_bipartite_graph(n, 2 * n)
  graphs[[paste0("star ", 3 * n)]] <- igraph::make_star(3 * n, "undirected")
  graphs[[paste0("path ", 5 * n)]] <- igraph::make_ring(5 * n, circular = FALSE)
}
for (n in c(20, 40, 60, 90)) {
  graphs[[paste0("random ", n)]] <- connected(n, 3 * n)
  graphs[[paste0("preferential ", n)]] <- igraph::sample_pa(n, m = 2, directed = FALSE)
}
graphs[["Zachary"]] <- igraph::make_graph("Zachary")

rows <- lapply(names(graphs), function(name) {
  graph <- graphs[[name]]
  ends <- igraph::as_edgelist(graph, names = FALSE)
  data.frame(
    peer = paste("igraph", utils::packageVersion("igraph")), graph = name,
    vertices = igraph::vcount(graph),
    edges = paste(ends[, 1], ends[, 2], sep = "-", collapse = " "),
    stress = format(stress_of(graph, igraph::layout_with_kk(graph)), digits = 15)
  )
})
utils::write.csv(do.call(rbind, rows), "tests/peers/layouts.csv", row.names = FALSE, quote = FALSE)

# Records the stress of graphlayouts' layouts with constraints of small graphs in
# tests/peers/constraints.csv:
#
#   Rscript tools/peer_constraints.R
#
# The values of the constraint are distances from a vertex (focus), radii (centrality) or
# coordinates x. Layouts by centrality have no unit: they are scaled to the least stress.

stress_of <- function(g, x) {
  below <- lower.tri(g)
  mean((as.matrix(stats::dist(x))[below] / g[below] - 1)^2)
}

largest <- function(graph) {
  parts <- igraph::components(graph)
  igraph::induced_subgraph(graph, which(parts$membership == which.max(parts$csize)))
}

# A row of the table.
record <- function(graph, name, constraint, values, x) {
  edges <- igraph::as_edgelist(graph, names = FALSE)
  data.frame(
    peer = paste("graphlayouts", utils::packageVersion("graphlayouts")), graph = name,
    vertices = igraph::vcount(graph),
    edges = paste(edges[, 1], edges[, 2], sep = "-", collapse = " "), constraint = constraint,
    values = paste(format(values, digits = 17, trim = TRUE), collapse = " "),
    stress = stress_of(igraph::distances(graph), x)
  )
}

set.seed(3)
graphs <- list(
  Zachary = igraph::make_graph("Zachary"), grid = igraph::make_lattice(c(7, 8)),
  tree = igraph::make_tree(63), preferential = igraph::sample_pa(80, m = 2, directed = FALSE),
  random = largest(igraph::sample_gnp(70, 0.07))
)
rows <- lapply(names(graphs), function(name) {
  graph <- graphs[[name]]
  g <- igraph::distances(graph)
  focus <- graphlayouts::layout_with_focus(graph, 1)$xy
  central <- graphlayouts::layout_with_centrality(graph, igraph::degree(graph))
  ratio <- as.matrix(stats::dist(central))[lower.tri(g)] / g[lower.tri(g)]
  central <- central * sum(ratio) / sum(ratio^2)
  x <- graphlayouts::layout_with_constrained_stress(graph, coord = g[1, ], fixdim = "x")
  rbind(
    record(graph, name, "focus", g[1, ], focus),
    record(graph, name, "radius", sqrt(rowSums(central^2)), central),
    record(graph, name, "x", g[1, ], x)
  )
})
utils::write.csv(
  do.call(rbind, rows), "tests/peers/constraints.csv", row.names = FALSE, quote = FALSE
)

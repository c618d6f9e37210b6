# Synthetic graphs for bench/layout.R, of the sizes of two real ones that are not at hand, and always the
# same. Each is a matrix of two columns of vertices counted from 1.

# Like a network of roads: random points, one in each cell of a square lattice, and edges between points of
# neighbouring cells, as a Delaunay triangulation mostly has them, thinned: a spanning tree keeps the graph
# connected, and the shortest of the others fill it up.
road_like <- function(vertices = 1379917, edges = 1921660, seed = 1) {
  set.seed(seed)
  side <- ceiling(sqrt(vertices))
  x <- (seq_len(vertices) - 1) %% side
  y <- (seq_len(vertices) - 1) %/% side
  place <- cbind(x + stats::runif(vertices), y + stats::runif(vertices))
  neighbour <- function(dx, dy) {
    there <- x + dx >= 0 & x + dx < side & (y + dy) * side + x + dx < vertices
    cbind(which(there), ((y + dy) * side + x + dx + 1)[there])
  }
  near <- rbind(neighbour(1, 0), neighbour(0, 1), neighbour(1, 1), neighbour(-1, 1))
  length <- rowSums((place[near[, 1], ] - place[near[, 2], ])^2)
  # A comb of random teeth: each vertex keeps the edge to the one before it or below it.
  left <- ifelse(x > 0, seq_len(vertices) - 1, NA)
  below <- ifelse(y > 0, seq_len(vertices) - side, NA)
  parent <- ifelse(is.na(left) | (!is.na(below) & stats::runif(vertices) < 0.5), below, left)
  tree <- cbind(parent, seq_len(vertices))[-1, ]
  key <- function(e) pmin(e[, 1], e[, 2]) * (vertices + 1) + pmax(e[, 1], e[, 2])
  further <- order(length)[!key(near)[order(length)] %in% key(tree)]
  unname(rbind(tree, near[further[seq_len(edges - nrow(tree))], ]))
}

# Like a social network: each vertex joins vertices drawn by their degrees so far (Barabasi and Albert), one
# or more, so that the degrees have a power law.
social_like <- function(vertices = 1402673, edges = 2777419, seed = 1) {
  set.seed(seed)
  from <- c(2:vertices, sort(sample(3:vertices, edges - vertices + 1, TRUE)))
  from <- sort(from)
  # An end of an earlier edge, drawn uniformly, is a vertex drawn by its degree.
  to <- integer(edges)
  to[1] <- 1L
  draw <- stats::runif(edges)
  old <- stats::runif(edges) < 0.5
  before <- match(from, from) - 1 # edges of the vertices before
  pick <- pmax(1, ceiling(draw * before))
  for (e in 2:edges) to[e] <- if (old[e]) from[pick[e]] else to[pick[e]]
  to[to == from] <- from[to == from] - 1L
  cbind(from, to, deparse.level = 0)
}

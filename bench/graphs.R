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

# --- The collection of bench/layout_collection.R ---------------------------------------------------

# A grid, whose rows or columns may be closed to rings.
grid_graph <- function(rows, columns, ring_of_rows = FALSE, ring_of_columns = FALSE) {
  at <- matrix(seq_len(rows * columns), rows)
  rbind(
    cbind(c(at[-rows, ]), c(at[-1, ])), cbind(c(at[, -columns]), c(at[, -1])),
    if (ring_of_rows) cbind(at[rows, ], at[1, ]), if (ring_of_columns) cbind(at[, columns], at[, 1])
  )
}

# Points in the unit square; with holes, some discs of it are empty.
random_points <- function(count, holes = FALSE) {
  points <- matrix(stats::runif(2 * count * (1 + holes)), ncol = 2)
  if (!holes) return(points)
  centres <- cbind(c(0.25, 0.7, 0.55), c(0.3, 0.25, 0.75))
  free <- apply(centres, 1, function(centre) colSums((t(points) - centre)^2) > 0.15^2)
  points[which(rowSums(free) == 3)[seq_len(count)], ]
}

# The Delaunay triangulation of points, without edges longer than `longest`: those across holes, and along the rim,
# where few long edges surround many points.
delaunay_graph <- function(points, longest = Inf) {
  corners <- interp::triangles(interp::tri.mesh(points[, 1], points[, 2]))[, 1:3]
  edges <- rbind(corners[, 1:2], corners[, 2:3], corners[, c(3, 1)])
  edges <- unique(cbind(pmin(edges[, 1], edges[, 2]), pmax(edges[, 1], edges[, 2])))
  edges[rowSums((points[edges[, 1], ] - points[edges[, 2], ])^2) < longest^2, ]
}

# All pairs of points that are nearer than a radius.
geometric_graph <- function(points, radius) {
  near <- gpu_knn(points, k = 40)
  pairs <- cbind(rep(seq_len(nrow(points)), 40), c(near$index))[c(near$distance) < radius, ]
  pairs[pairs[, 1] < pairs[, 2], ]
}

# Blocks of vertices: edges within each, and fewer between any two.
block_graph <- function(blocks, size, degree_within, degree_between) {
  vertices <- blocks * size
  within <- blocks * size * degree_within / 2
  of <- rep(seq_len(blocks), length.out = within)
  member <- function() (of - 1) * size + sample.int(size, within, TRUE)
  between <- vertices * degree_between / 2
  edges <- rbind(
    cbind(member(), member()),
    matrix(sample.int(vertices, 2 * between, TRUE), ncol = 2), c(vertices, 1)
  )
  edges[edges[, 1] != edges[, 2], ]
}

# Two complete graphs, joined by a path.
barbell_graph <- function(size, path) {
  clique <- t(utils::combn(size, 2))
  rbind(clique, size + path + clique, cbind(size:(size + path), (size + 1):(size + path + 1)))
}

# Graphs that are unlike each other, as edges; edges with lengths have a third column. Those of triangulations
# need the package interp.
collection <- function(seed = 1) {
  set.seed(seed)
  tree <- function(n, parents) cbind(2:n, parents(2:n))
  graphs <- list(
    "grid 60 x 60" = grid_graph(60, 60), "ribbon 10 x 300" = grid_graph(10, 300),
    "grid 200 x 200" = grid_graph(200, 200),
    "cylinder 60 x 24" = grid_graph(60, 24, ring_of_columns = TRUE),
    "torus 40 x 60" = grid_graph(40, 60, TRUE, TRUE),
    "binary tree" = tree(1023, function(v) v %/% 2),
    "random tree" = tree(3000, function(v) ceiling(stats::runif(length(v)) * (v - 1))),
    "path" = cbind(1:1999, 2:2000), "cycle" = cbind(1:1000, c(2:1000, 1)),
    "star" = cbind(1, 2:500), "barbell" = barbell_graph(40, 30),
    "neighbours of points" = {
      near <- gpu_neighbor_graph(random_points(4720), 5)
      cbind(near$from, near$to)
    },
    "geometric" = geometric_graph(random_points(3000), 0.035),
    "geometric, holes" = geometric_graph(random_points(5000, TRUE), 0.03),
    "preferential" = social_like(5000, 9900), "2 blocks" = block_graph(2, 400, 12, 2),
    "10 blocks" = block_graph(10, 200, 12, 2), "50 blocks" = block_graph(50, 100, 12, 2),
    "disconnected" = rbind(
      grid_graph(30, 30), 900 + grid_graph(20, 10), 1100 + tree(300, function(v) v %/% 3 + 1),
      1400 + cbind(1:99, 2:100), 1500 + cbind(seq(1, 99, 2), seq(2, 100, 2))
    ),
    "lengths" = {
      points <- random_points(2000)
      near <- gpu_neighbor_graph(points, 6)
      cbind(near$from, near$to, sqrt(rowSums((points[near$from, ] - points[near$to, ])^2)))
    }
  )
  if (!installed("interp")) return(graphs)
  c(graphs, list(
    "triangulation" = delaunay_graph(random_points(4000)),
    "triangulation, holes" = delaunay_graph(random_points(8000, TRUE), 0.06),
    "triangulation 65,536" = delaunay_graph(random_points(65536)),
    "the same, short edges" = delaunay_graph(random_points(65536), 0.02)
  ))
}

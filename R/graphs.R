# Graphs in the form that the functions of layouts take: list(vertices, edges, first, weights,
# names), where `edges` is a matrix of two columns, `first` the number of the first vertex, and
# names is NULL if vertices have only numbers. See gpu_layout() for what `graph` and `weights` may
# be.
as_graph <- function(graph, weights, call) {
  made <- find_graph(graph, call)
  if (is.null(weights)) {
    return(made)
  }
  if (is.atomic(weights) && length(weights) == 1L && is.na(weights)) {
    made["weights"] <- list(NULL) # as igraph does
    return(made)
  }
  if (made$is_adjacency) {
    stop_argument(
      "weights are for lists of edges: an adjacency matrix has its own", "weights", call
    )
  }
  made$weights <- numbers_of(weights, "weights", call)
  made
}

find_graph <- function(graph, call) {
  if (inherits(graph, "integer64")) {
    stop_argument("graph must not be integer64; as.double() converts it", "graph", call)
  } else if (inherits(graph, "igraph")) {
    igraph_edges(graph)
  } else if (inherits(graph, "Matrix")) {
    check_valid(graph, "graph", call)
    found <- adjacency_graph(sparse_entries(graph), dim(graph), rownames(graph), call)
    if (identical(attr(graph, "values"), "distance")) { # of gpu_neighbor_graph()
      found["weights"] <- list(NULL)
    }
    found
  } else if (is.data.frame(graph) || is_edge_matrix(graph)) {
    listed_edges(graph, call)
  } else if (is.matrix(graph) && !is.character(graph)) {
    adjacency_graph(dense_entries(graph, call), dim(graph), rownames(graph), call)
  } else if (is.character(graph) && length(graph) == 1L) {
    file_graph(graph, call)
  } else {
    stop_argument(paste0(
      "graph must be an igraph object, a matrix or data frame of edges, an adjacency matrix, or ",
      "the path of a file, not ", show_value(graph)
    ), "graph", call)
  }
}

# The rule of read_graph() in Octave: a matrix of two columns, or of three with weights in the last,
# is a list of edges. Square ones that are symmetric are adjacency matrices: those of 2 by 2 if also
# the diagonal is 0, which is the number of no vertex.
is_edge_matrix <- function(graph) {
  if (!is.matrix(graph)) {
    return(FALSE)
  } else if (!is.numeric(graph) && !is.logical(graph)) {
    return(ncol(graph) == 2L)
  }
  symmetric <- nrow(graph) == ncol(graph) && isTRUE(all(graph == t(graph)))
  switch(as.character(ncol(graph)),
    "2" = !(symmetric && all(diag(graph) == 0)),
    "3" = !symmetric,
    FALSE
  )
}

graph_list <- function(vertices, edges, weights = NULL, names = NULL, first = 1L,
                       is_adjacency = FALSE) {
  list(
    vertices = vertices, edges = edges, first = first, weights = as_doubles(weights),
    names = names, is_adjacency = is_adjacency
  )
}

igraph_edges <- function(graph) {
  names <- igraph::vertex_attr(graph, "name")
  graph_list(
    igraph::vcount(graph), igraph::as_edgelist(graph, names = FALSE),
    igraph::edge_attr(graph, "weight"), if (!is.null(names)) as.character(names)
  )
}

# Vertices of a file that counts from 0 have their numbers as names: their rows are others.
file_graph <- function(path, call) {
  settings <- run_settings(progress = FALSE)
  file <- rename_argument("path", "graph", .Call(C_edges, list(path), list(), settings, call))
  report_edges(file, path, NA, "range")
  numbered_graph(cbind(file$from, file$to), file$weight, file$vertices, file$first)
}

numbered_graph <- function(edges, weights, vertices, first, ids = NULL) {
  if (is.null(ids) && first == 0L) {
    ids <- seq.int(0L, length.out = vertices)
  }
  names <- if (!is.null(ids)) as.character(ids) # never as 1e+05, because they are integers
  graph_list(vertices, edges, weights, names, first)
}

# --- Lists of edges ------------------------------------------------------------------------------

# Two columns of numbers or names, and perhaps one of weights.
listed_edges <- function(graph, call) {
  weights <- NULL
  if (is.data.frame(graph)) {
    columns <- edge_columns(graph, call)
    weights <- if (!is.null(columns$weight)) graph[[columns$weight]]
    from <- graph[[columns$ends[1L]]]
    to <- graph[[columns$ends[2L]]]
    if (!is.null(attr(graph, "first"))) { # of gpu_read_edges()
      return(numbered_graph(
        cbind(from, to), weights, attr(graph, "vertices"), attr(graph, "first"), attr(graph, "ids")
      ))
    }
  } else if (is.numeric(graph) || is.logical(graph)) {
    return(edge_matrix(graph))
  } else {
    from <- graph[, 1L]
    to <- graph[, 2L]
  }
  is_name <- function(column) is.character(column) || is.factor(column)
  if (is_name(from) || is_name(to)) {
    named <- match_names(from, to, "graph", call)
    return(graph_list(length(named$names), named$numbers, weights, named$names))
  }
  edges <- cbind(from, to, deparse.level = 0L)
  graph_list(largest_vertex(edges), edges, weights)
}

# The graph of a matrix of numbers that lists edges.
edge_matrix <- function(graph) {
  storage.mode(graph) <- "double"
  ends <- graph[, 1:2, drop = FALSE]
  graph_list(largest_vertex(ends), ends, if (ncol(graph) == 3L) graph[, 3L])
}

# Names of the two columns of vertices that other packages use (igraph, networkD3, Matrix, MDjeep).
end_names <- list(c("from", "to"), c("source", "target"), c("i", "j"), c("u", "v"))

# Returns list(ends, weight): the columns of a data frame that are the vertices of an edge and its
# weight, if there is one. They are found by name, else they are the first two and, of three
# columns, the one that is left.
edge_columns <- function(graph, call) {
  names <- lower_case(names(graph))
  named <- Find(function(pair) all(pair %in% names), end_names)
  few <- ncol(graph) %in% 2:3
  if (is.null(named) && !few) {
    stop_argument(sprintf(
      paste(
        "graph must have 2 or 3 columns, the vertices and perhaps a weight of each edge, or",
        "columns named from and to (or source and target, i and j, u and v), not %s"
      ), show_value(names(graph))
    ), "graph", call)
  }
  ends <- if (is.null(named)) 1:2 else match(named, names)
  others <- setdiff(seq_along(names), ends)
  weight <- if (few) others else others[names[others] == "weight"][1L]
  used <- c(ends, weight)
  for (i in used[!is.na(used)]) {
    check_edge_column(graph[[i]], names(graph)[i], call)
  }
  list(ends = ends, weight = if (length(weight) && !is.na(weight)) weight)
}

check_edge_column <- function(column, name, call) {
  allowed <- is.numeric(column) || is.character(column) || is.factor(column) || is.logical(column)
  if (!allowed || inherits(column, "integer64")) {
    stop_argument(sprintf(
      "graph must have columns of numbers or names, but column \"%s\" is %s", name,
      describe(column)
    ), "graph", call)
  }
}

# Returns the largest number of a vertex; the core refuses what is not a number.
largest_vertex <- function(edges) {
  if (!is.numeric(edges)) {
    return(0)
  }
  largest <- max(0, edges, na.rm = TRUE)
  floor(if (largest < Inf) largest else max(0, edges[is.finite(edges)]))
}

# Returns list(numbers, names) of vertices that have names, in the order in which they first appear;
# numbers has a row for each edge.
match_names <- function(from, to, argument, call) {
  check_factor(from, argument, call)
  check_factor(to, argument, call)
  ends <- rbind(as.character(from), as.character(to))
  missing <- which(is.na(ends))
  if (length(missing)) {
    row <- (missing[1L] + 1L) %/% 2L
    stop_argument(sprintf("edge %d must have two names, not NA", row), argument, call)
  }
  names <- unique(as.vector(ends))
  list(numbers = cbind(match(ends[1L, ], names), match(ends[2L, ], names)), names = names)
}

# --- Adjacency matrices --------------------------------------------------------------------------

# Returns data.frame(i, j, weight) of the elements that are not 0, by columns.
dense_entries <- function(graph, call) {
  if (!is.numeric(graph) && !is.logical(graph)) {
    stop_argument("graph must be a numeric matrix where it is an adjacency matrix", "graph", call)
  }
  missing <- which(is.na(graph), arr.ind = TRUE)
  if (nrow(missing)) {
    stop_argument(sprintf(
      "graph must have no missing values, but row %d and column %d has one",
      missing[1L, 1L], missing[1L, 2L]
    ), "graph", call)
  }
  at <- which(graph != 0)
  weight <- as.numeric(graph[at])
  data.frame(i = row(graph)[at], j = col(graph)[at], weight = weight)
}

# Returns the stored elements, also those that are 0. Conversion to columns adds up duplicate
# triplets.
sparse_entries <- function(graph) {
  for (class in c("CsparseMatrix", "generalMatrix", "TsparseMatrix")) {
    graph <- methods::as(graph, class)
  }
  weight <- if (inherits(graph, "nMatrix")) rep(1, length(graph@i)) else as.numeric(graph@x)
  data.frame(i = graph@i + 1L, j = graph@j + 1L, weight = weight)
}

# Each pair of vertices is an edge; the diagonal is not. Elements that are stored as 0 are edges of
# weight 0, unless only one of both halves has them.
adjacency_graph <- function(entries, dim, names, call) {
  if (dim[1L] != dim[2L]) {
    stop_argument(sprintf(
      paste(
        "graph must have 2 columns, or 3 with weights, or be square as an adjacency matrix is,",
        "not %d x %d"
      ), dim[1L], dim[2L]
    ), "graph", call)
  }
  upper <- entries[entries$i < entries$j, ]
  lower <- entries[entries$i > entries$j, c("j", "i", "weight")]
  upper <- upper[order(upper$i, upper$j), ]
  lower <- lower[order(lower$j, lower$i), ]
  alike <- nrow(upper) == nrow(lower) && all(upper$i == lower$j, upper$j == lower$i) &&
    identical(upper$weight, lower$weight)
  is_zero <- !is.na(entries$weight) & entries$weight == 0
  if (!alike && any(is_zero)) {
    return(adjacency_graph(entries[!is_zero, ], dim, names, call))
  }
  if (!alike) {
    stop_argument(
      "graph must be symmetric where it is an adjacency matrix: graph + t(graph) is", "graph", call
    )
  }
  graph_list(
    dim[1L], cbind(upper$i, upper$j), upper$weight, names,
    is_adjacency = TRUE
  )
}

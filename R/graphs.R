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
    stop_message("weights of edges", "weights", call)
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
    found <- adjacency_graph(compress_sparse(graph, "graph", list(call = call)), call)
    if (identical(attr(graph, "values"), "distance")) { # of gpu_neighbor_graph()
      found["weights"] <- list(NULL)
    }
    found
  } else if (is.data.frame(graph)) {
    listed_edges(graph, call)
  } else if (is.matrix(graph) && (!is.character(graph) || ncol(graph) == 2L)) {
    matrix_graph(graph, call)
  } else if (is.character(graph) && length(graph) == 1L) {
    file_graph(graph, call)
  } else {
    stop_argument(paste0(
      "graph must be an igraph object, a matrix or data frame of edges, an adjacency matrix, or ",
      "the path of a file, not ", show_value(graph)
    ), "graph", call)
  }
}

# Numbers list edges or are an adjacency matrix, and names list edges.
matrix_graph <- function(graph, call) {
  if (is.numeric(graph) || is.logical(graph)) {
    adjacency_graph(graph, call)
  } else if (ncol(graph) == 2L) {
    listed_edges(graph, call)
  } else {
    stop_argument("graph must be a numeric matrix where it is an adjacency matrix", "graph", call)
  }
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
  numbered_graph(cbind(file$from, file$to), file$weight, file$vertices, file$first, file$ids)
}

numbered_graph <- function(edges, weights, vertices, first, ids = NULL) {
  if (is.null(ids) && first == 0L) {
    ids <- seq.int(0L, length.out = vertices)
  }
  names <- if (!is.null(ids)) as.character(ids) # never as 1e+05, because they are integers
  graph_list(vertices, edges, weights, names, first)
}

# --- Lists of edges ------------------------------------------------------------------------------

# A data frame with two columns of numbers or names, and perhaps one of weights; or a matrix of
# names.
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

# Returns the graph of a numeric matrix, or of a sparse one: the core tells adjacency matrices from
# lists of edges.
adjacency_graph <- function(graph, call) {
  found <- .Call(C_adjacency, graph, call)
  if (is.null(found)) {
    return(edge_matrix(graph))
  }
  graph_list(nrow(graph), found$edges, found$weights, rownames(graph), is_adjacency = TRUE)
}

#' Read a list of edges
#'
#' Reads the edges of a graph from a text file, plain or compressed by gzip: a list of edges, or a
#' matrix in the Matrix Market format, or GraphML. Or from a binary file of [gpu_write_graph()].
#'
#' @param path Of a file with an edge in each line: two whole numbers and perhaps a weight, between
#'   blanks, tabs or commas. Empty lines and those that begin with `#` or `%` are left out. Or of
#'   a file in the Matrix Market format or of GraphML, see there, or of a file that
#'   [gpu_write_graph()] wrote with `format = "csr"`, which states what `header` and `first` are
#'   about. It must be a regular file, not a pipe. Bytes that follow compressed data are ignored, as
#'   by [gzfile()].
#' @param header Whether the first line is a header, not an edge: names of columns, or the numbers
#'   of vertices and of edges. These numbers are checked: as many edges must follow, and no vertex
#'   may be larger than the first number. `NA`: a line is a header only if it cannot be an edge,
#'   because it has no numbers, or has two of these if all other lines have weights; a message
#'   reports it.
#' @param ids `"range"`: all numbers from the first vertex to the largest are vertices, or as many
#'   as a header says. A message says so if fewer than half of them have an edge. `"compact"`: only
#'   numbers with an edge are vertices. In the result they are numbered from 1 in ascending order.
#' @param first The number of the first vertex, 0 or 1; `NULL`: 0 if a vertex has that number, else
#'   1.
#' @param ... Must be empty. Arguments that follow have to be named in full.
#' @inheritParams gpu_settings
#' @param memory_limit The maximum memory in bytes for the edges while they are read, 32 bytes each,
#'   from compressed sparse rows 16 and 8 for each vertex. The default is the memory of the machine.
#'
#' @return A data frame with a row for each edge and the columns `from` and `to`, numbers as in the
#'   file unless `ids = "compact"`, and `weight` if the file has weights. The attributes `vertices`,
#'   the number of vertices, and `first` give [gpu_layout()] the vertices without an edge; with
#'   `ids = "compact"` and of GraphML the attribute `ids` holds the numbers or ids in the file of
#'   the vertices, which become their names in a layout.
#'
#' @section Matrix Market:
#' A file whose first line begins with `%%MatrixMarket` is a sparse matrix: `coordinate`, with
#' `pattern`, `real` or `integer`, and `general` or `symmetric`. The matrix must be square. Each
#' entry of the file is an edge, and its value the weight, which must be at least 0. Vertices are
#' numbered from 1. A `general` matrix that has an entry and its mirror image has two edges there,
#' whose weights add up in [gpu_layout()].
#'
#' @section GraphML:
#' A file that begins with `<` is GraphML, as igraph, networkx, Gephi and [gpu_write_graph()] write
#' it; gpugeo must have been built with the library expat. Vertices are the nodes, numbered from 1
#' in the order in which the file has them; the attribute `ids` of the result holds their ids. The
#' edges' attribute named `weight` is the weight; edges without it have its default, or 1. The
#' directions of edges and all other attributes are ignored. Hyperedges, ports, graphs in graphs,
#' and a document type (`<!DOCTYPE>`) are errors.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_layout()], which takes the path of such a file as well; [gpu_write_graph()].
#'
#' @examples
#' file <- tempfile()
#' writeLines(c("# a triangle, and a vertex by itself", "4 3", "0 1", "1 2", "0 2"), file)
#' edges <- gpu_read_edges(file, header = TRUE)
#' edges
#' attr(edges, "vertices")
#'
#' # Numbers with gaps.
#' writeLines(c("10 20", "20 4000"), file)
#' gpu_layout(gpu_read_edges(file, ids = "compact"), seed = 1)
#' @export
gpu_read_edges <- function(path, first = NULL, header = NA, ids = "range", ..., threads = NULL,
                           progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  if (!is.logical(header) || length(header) != 1L) {
    stop_value(header, "header", "TRUE, FALSE or NA", call)
  }
  ids <- choose_one(ids, c("range", "compact"), "ids", call)
  bar <- progress_bar("Edges")
  on.exit(bar$close())
  settings <- run_settings(
    threads = threads, progress = progress, bar = bar$update, memory_limit = memory_limit
  )
  options <- list(first = first, header = if (is.na(header)) -1 else as.double(header))
  file <- .Call(C_edges, list(path), options, settings, call)
  report_edges(file, path, header, ids)
  if (ids == "compact") {
    file <- compact_ids(file)
  }
  columns <- file[c("from", "to", if (!is.null(file$weight)) "weight")]
  structure(
    columns,
    row.names = .set_row_names(length(file$from)), class = "data.frame",
    vertices = file$vertices, first = file$first, ids = file$ids
  )
}

# Numbers the vertices that have an edge from 1.
compact_ids <- function(file) {
  numbers <- sort(unique(c(file$from, file$to)))
  file$from <- match(file$from, numbers)
  file$to <- match(file$to, numbers)
  file$ids <- if (is.null(file$ids)) numbers else file$ids[numbers]
  file$vertices <- as.double(length(numbers))
  file$first <- 1L
  file
}

# Says what of a file may not be what its author means.
report_edges <- function(file, path, header, ids) {
  if (is.na(header) && file$header == 1L) {
    message(message_of("header read", path))
  } else if (file$header == 2L && is.na(header)) {
    message(message_of("header not read", path, "gpu_read_edges(header = TRUE)"))
  }
  if (file$gaps && ids == "range") {
    message(message_of("few vertices", file$vertices, path, "gpu_read_edges(ids = \"compact\")"))
  }
}

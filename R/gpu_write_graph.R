#' Files of layouts
#'
#' `gpu_write_graph()` writes a layout and the edges of its graph as GraphML, which igraph, Gephi,
#' yEd, NetworkX and other programs read, or as CX2, which Cytoscape and NDEx read.
#'
#' @param x A layout that [gpu_layout()] returned.
#' @param file The name of the file. A file that exists is replaced when the new one is complete.
#' @param format `"graphml"` or `"cx2"`; `NULL`: CX2 if the name of the file ends in `.cx2`, else
#'   GraphML.
#' @param ... Must be empty.
#'
#' @return The name of the file, invisibly.
#'
#' @details Vertices have the attributes `x`, `y` and, in space, `z`, and `name` if the graph has
#'   names; edges have `weight` if the graph has weights. Numbers are written with 17 digits, which
#'   keep all their bits. Text is UTF-8. CX2 is Cytoscape Exchange format 2, a JSON document, in
#'   which positions belong to the format, and vertices and edges are numbered from 1.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_layout()]; [gpu_read_edges()] reads files of edges.
#'
#' @examples
#' x <- gpu_layout(data.frame(c("A", "B", "C"), c("B", "C", "A")), seed = 1)
#' file <- gpu_write_graph(x, tempfile(fileext = ".graphml"))
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   graph <- igraph::read_graph(file, "graphml")
#'   igraph::V(graph)$x
#' }
#' @export
gpu_write_graph <- function(x, file, format = NULL, ...) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  check_layout(x, "x", call)
  if (!is.character(file) || length(file) != 1L || is.na(file) || !nzchar(file)) {
    stop_argument(sprintf("file must be a single string, not %s", show_value(file)), "file", call)
  }
  write <- graph_writer(format, file, call)
  file <- path.expand(file)
  beside <- paste0(file, ".new-", Sys.getpid())
  problem <- tryCatch(
    write(x, beside, call),
    error = function(condition) condition, warning = function(condition) condition
  )
  if (inherits(problem, "gpugeo_error")) {
    unlink(beside)
    stop(problem)
  } else if (inherits(problem, "condition")) {
    stop_file(file, beside, call)
  }
  if (!suppressWarnings(file.rename(beside, file))) {
    stop_file(file, beside, call)
  }
  invisible(file)
}

# Returns the function that writes a format.
graph_writer <- function(format, file, call) {
  if (is.null(format)) {
    format <- if (grepl("\\.cx2$", file, ignore.case = TRUE)) "cx2" else "graphml"
  }
  switch(choose_one(format, c("graphml", "cx2"), "format", call),
    cx2 = write_cx2,
    write_graphml
  )
}

stop_file <- function(file, beside, call) {
  unlink(beside)
  stop_argument(sprintf("file \"%s\" cannot be written", file), "file", call, code = 7L)
}

write_graphml <- function(x, file, call) {
  graph <- attr(x, "graph")
  names <- escape_xml(rownames(x), call)
  connection <- file(file, "wb")
  on.exit(close(connection))
  put <- function(lines) writeLines(lines, connection, useBytes = TRUE)
  key <- function(name, of, type) {
    sprintf("<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>", name, of, name, type)
  }
  put(c(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">",
    if (!is.null(names)) key("name", "node", "string"),
    key(colnames(x), "node", "double"),
    if (!is.null(graph$weights)) key("weight", "edge", "double"),
    "<graph edgedefault=\"undirected\">"
  ))
  in_blocks(nrow(x), function(rows) put(graphml_nodes(x, names, rows)))
  ends <- layout_ends(x)
  in_blocks(nrow(ends), function(rows) put(graphml_edges(ends, graph$weights, rows)))
  put(c("</graph>", "</graphml>"))
}

# Calls fun with the numbers from 1 to count, at most 2^16 together.
in_blocks <- function(count, fun) {
  for (first in seq(1, by = 2^16, length.out = ceiling(count / 2^16))) {
    fun(seq(first, min(first + 2^16 - 1, count)))
  }
}

# "<data>" of numbers, with all their bits.
graphml_number <- function(name, values) {
  sprintf("<data key=\"%s\">%.17g</data>", name, as.double(values))
}

graphml_nodes <- function(x, names, rows) {
  text <- if (is.null(names)) "" else sprintf("<data key=\"name\">%s</data>", names[rows])
  for (axis in colnames(x)) {
    text <- paste0(text, graphml_number(axis, x[rows, axis]))
  }
  sprintf("<node id=\"n%.0f\">%s</node>", rows, text)
}

graphml_edges <- function(ends, weights, rows) {
  sprintf(
    "<edge source=\"n%.0f\" target=\"n%.0f\">%s</edge>", as.double(ends[rows, 1L]),
    as.double(ends[rows, 2L]),
    if (is.null(weights)) "" else graphml_number("weight", weights[rows])
  )
}

# Returns text as UTF-8 with the characters replaced that have a meaning in XML. Control characters
# cannot be written.
escape_xml <- function(text, call) {
  if (is.null(text)) {
    return(NULL)
  }
  text <- enc2utf8(text)
  wrong <- grep("[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f]", text, perl = TRUE)
  if (length(wrong)) {
    stop_argument(sprintf(
      "x must have names without control characters, but row %d is named %s", wrong[1L],
      show_value(text[wrong[1L]])
    ), "x", call)
  }
  for (pair in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c("\r", "&#13;"))) {
    text <- gsub(pair[1L], pair[2L], text, fixed = TRUE)
  }
  text
}

# CX2 is a list of aspects, each an object: https://cytoscape.org/cx/cx2/specification/
write_cx2 <- function(x, file, call) {
  graph <- attr(x, "graph")
  names <- if (!is.null(rownames(x))) escape_json(rownames(x))
  ends <- layout_ends(x)
  connection <- file(file, "wb")
  on.exit(close(connection))
  put <- function(lines) writeLines(lines, connection, useBytes = TRUE)
  declared <- c(
    if (!is.null(names)) "\"nodes\":{\"name\":{\"d\":\"string\"}}",
    if (!is.null(graph$weights)) "\"edges\":{\"weight\":{\"d\":\"double\"}}"
  )
  sizes <- c(attributeDeclarations = 1, nodes = nrow(x), edges = nrow(ends))
  put(c(
    "[{\"CXVersion\":\"2.0\",\"hasFragments\":false},",
    sprintf("{\"metaData\":[%s]},", paste(
      sprintf("{\"name\":\"%s\",\"elementCount\":%.0f}", names(sizes), sizes),
      collapse = ","
    )),
    sprintf("{\"attributeDeclarations\":[{%s}]},", paste(declared, collapse = ",")),
    "{\"nodes\":["
  ))
  in_blocks(nrow(x), function(rows) put(end_items(cx2_nodes(x, names, rows), rows, nrow(x))))
  put("]},\n{\"edges\":[")
  in_blocks(nrow(ends), function(rows) {
    put(end_items(cx2_edges(ends, graph$weights, rows), rows, nrow(ends)))
  })
  put("]},\n{\"status\":[{\"success\":true}]}]")
}

# Adds a comma to all items of a list but the last of `count`.
end_items <- function(items, rows, count) paste0(items, ifelse(rows < count, ",", ""))

json_number <- function(values) sprintf("%.17g", as.double(values))

cx2_nodes <- function(x, names, rows) {
  text <- sprintf("{\"id\":%.0f", rows)
  for (axis in colnames(x)) {
    text <- paste0(text, ",\"", axis, "\":", json_number(x[rows, axis]))
  }
  paste0(text, if (!is.null(names)) sprintf(",\"v\":{\"name\":\"%s\"}", names[rows]), "}")
}

cx2_edges <- function(ends, weights, rows) {
  paste0(
    sprintf(
      "{\"id\":%.0f,\"s\":%.0f,\"t\":%.0f", rows, as.double(ends[rows, 1L]),
      as.double(ends[rows, 2L])
    ),
    if (!is.null(weights)) sprintf(",\"v\":{\"weight\":%s}", json_number(weights[rows])), "}"
  )
}

# Returns text as UTF-8 with the characters replaced that cannot be in a string of JSON.
escape_json <- function(text) {
  text <- enc2utf8(text)
  text <- gsub("\\", "\\\\", text, fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (code in 1:31) {
    text <- gsub(rawToChar(as.raw(code)), sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  text
}

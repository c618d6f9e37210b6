#' Trees in files
#'
#' `gpu_read_newick()` reads a tree in the Newick format, and `gpu_write_newick()` writes one,
#' without recursion: trees may have millions of tips and any depth.
#'
#' @param path The name of a file; a file to read may be compressed by gzip. A file that exists is
#'   replaced when the new one is complete. `gpu_write_newick()` returns the text if `path` is
#'   `NULL`.
#' @param text The text of a tree instead of a file: strings, of which each is a line.
#' @param tree An object of class `"phylo"`, as [gpu_nj()] and package ape make it.
#' @param ... Must be empty.
#' @param progress,memory_limit See [gpu_settings]. `memory_limit` is the most bytes of the tree
#'   while it is read, up to 80 for each node and its label; by default the memory of the machine.
#'
#' @return `gpu_read_newick()` returns an object of class `"phylo"` as [gpu_nj()] does, whose nodes
#'   are numbered in the order in which they begin, as by `ape::read.tree()`. It has the elements
#'   `edge.length` if an edge has a length, `NaN` for edges without one, `node.label` if an inner
#'   node has a name, and `root.edge` if the root has a length. `gpu_write_newick()` returns the
#'   name of the file, invisibly, or the text.
#'
#' @details The file has one tree, such as `((a:1,'b c':2)ab:0.5,d);`. Names may be in single
#'   quotes, where two of them stand for one; the quotes are no part of the name. In other names
#'   blanks and ends of lines become one blank, and underscores stay as they are. Comments in
#'   brackets are left out. What is no tree is an error that gives the line and the byte.
#'
#'   Lengths are written with 15 digits, or as many as keep all their bits, and names with blanks or
#'   marks in quotes, so that reading a file gives the same tree.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_nj()], [gpu_tree_distances()]
#'
#' @examples
#' tree <- gpu_read_newick(text = "((human:0.1,chimp:0.12):0.05,gorilla:0.2);")
#' tree$tip.label
#' gpu_write_newick(gpu_upgma(dist(c(a = 1, b = 2, c = 5))))
#' @export
gpu_read_newick <- function(path = NULL, text = NULL, ..., progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  if (!is.null(text)) {
    if (!is.null(path)) {
      stop_argument("path must not be given with text, which stands for a file", "path", call)
    }
    if (!is.character(text) || !length(text) || anyNA(text)) {
      stop_value(text, "text", "strings", call)
    }
    text <- paste(text, collapse = "\n")
  }
  bar <- progress_bar("Tree")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update, memory_limit = memory_limit)
  made <- .Call(C_newick_read, list(path, text), list(), settings, call)
  structure(made[!vapply(made, is.null, NA)], class = "phylo", order = "cladewise")
}

#' @rdname gpu_read_newick
#' @export
gpu_write_newick <- function(tree, path = NULL, ..., progress = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  tree <- phylo_parts(tree, call)
  bar <- progress_bar("Tree")
  on.exit(bar$close())
  settings <- run_settings(progress = progress, bar = bar$update)
  text <- .Call(C_newick_write, list(tree, path), list(), settings, call)
  if (is.null(path)) sub("\n$", "", text) else invisible(path)
}

# Returns the elements of an object of class "phylo" with the types that the core takes. The core
# checks the tree.
phylo_parts <- function(tree, call) {
  if (!inherits(tree, "phylo") || !is.list(tree)) {
    stop_value(tree, "tree", "an object of class \"phylo\"", call)
  }
  if (!has_edges(tree$edge, tree$edge.length) || !has_names(tree)) {
    stop_argument(paste(
      "tree must have the elements edge, edge.length, tip.label, Nnode and node.label as package",
      "ape describes them"
    ), "tree", call)
  }
  list(
    edge = as_merge(unname(tree$edge)), edge.length = as_doubles(as.vector(tree$edge.length)),
    tip.label = as.character(tree$tip.label), Nnode = as.integer(tree$Nnode),
    node.label = if (!is.null(tree$node.label)) as.character(tree$node.label),
    root.edge = if (is_number(tree$root.edge)) as.double(tree$root.edge)
  )
}

# True if edges are a matrix of two columns, with a length for each or none.
has_edges <- function(edge, lengths) {
  is.matrix(edge) && is.numeric(edge) && ncol(edge) == 2L &&
    (is.null(lengths) || (is.numeric(lengths) && length(lengths) == nrow(edge)))
}

# True if a tree has the names of its tips, a number of inner nodes, and names for all or none.
has_names <- function(tree) {
  labels <- tree$node.label
  is_text(tree$tip.label) && is_number(tree$Nnode) &&
    (is.null(labels) || (is_text(labels) && isTRUE(length(labels) == tree$Nnode)))
}

# True for what names of nodes may be.
is_text <- function(x) is.character(x) || is.numeric(x) || is.factor(x)

# True for a single number.
is_number <- function(x) is.numeric(x) && length(x) == 1L

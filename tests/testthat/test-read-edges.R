# A file with such lines, plain or compressed.
edge_file <- function(lines, compressed = FALSE) {
  file <- tempfile(fileext = if (compressed) ".gz" else ".txt")
  connection <- if (compressed) gzfile(file, "w") else file(file, "w")
  on.exit(close(connection))
  writeLines(lines, connection)
  file
}

expect_triangle <- function(file) {
  edges <- gpu_read_edges(file)
  expect_s3_class(edges, "data.frame")
  expect_identical(names(edges), c("from", "to"))
  expect_identical(edges$from, 1:3)
  expect_identical(edges$to, c(2:3, 1L))
  expect_identical(attr(edges, "vertices"), 3)
  expect_identical(attr(edges, "first"), 1L)
  expect_identical(attr(gpu_read_edges(file, first = 0), "vertices"), 4)
}
triangle <- c("# remark", "1 2", "", "2,3", "% another", "3\t1")

test_that("files are read", {
  file <- edge_file(triangle)
  on.exit(unlink(file))
  expect_triangle(file)
})

test_that("compressed files are read", {
  file <- edge_file(triangle, compressed = TRUE)
  on.exit(unlink(file))
  refusal <- sprintf(
    "file \"%s\" cannot be read: it is compressed, and gpugeo was built without zlib", file
  )
  answer <- tryCatch(gpu_read_edges(file), gpugeo_error = conditionMessage)
  skip_if(identical(answer, refusal), "built without zlib")
  expect_triangle(file)
})

test_that("a first line tells of vertices without edges, and weights are read", {
  file <- edge_file(c("6 2", "0 1 0.5", "1 2 4"))
  on.exit(unlink(file))
  expect_silent(edges <- gpu_read_edges(file, header = TRUE))
  expect_identical(edges$from, 0:1)
  expect_identical(edges$weight, c(0.5, 4))
  expect_identical(attr(edges, "vertices"), 6)
  expect_identical(attr(edges, "first"), 0L)
  expect_message(from_file <- gpu_layout(file, seed = 1), "read as a header, not as an edge")
  expect_identical(dim(from_file), c(6L, 2L))
  expect_identical(rownames(from_file), as.character(0:5))
  expect_identical(gpu_layout(edges, seed = 1), from_file)
})

test_that("a first line is an edge if it can be one", {
  file <- edge_file(c("4 3", "1 2", "2 3", "1 3"))
  on.exit(unlink(file))
  expect_message(
    edges <- gpu_read_edges(file), "was read as an edge, but may be a header \"vertices edges\"",
    fixed = TRUE
  )
  expect_silent(as_edge <- gpu_read_edges(file, header = FALSE))
  expect_identical(edges, as_edge)
  expect_identical(edges$from, c(4L, 1L, 2L, 1L))
  expect_silent(edges <- gpu_read_edges(file, header = TRUE))
  expect_identical(edges$from, c(1L, 2L, 1L))
  expect_identical(attr(edges, "vertices"), 4)
  writeLines(c("4 3", "1 2", "2 3"), file)
  expect_silent(edges <- gpu_read_edges(file))
  expect_identical(edges$from, c(4L, 1L, 2L))
  expect_error(
    gpu_read_edges(file, header = TRUE), "line 1: a header must have names of columns",
    fixed = TRUE, class = "gpugeo_error"
  )
  writeLines(c("from,to", "1,2", "2,3"), file)
  expect_message(edges <- gpu_read_edges(file), "was read as a header, not as an edge")
  expect_identical(edges$to, 2:3)
  expect_silent(named <- gpu_read_edges(file, header = TRUE))
  expect_identical(named, edges)
  expect_error(gpu_read_edges(file, header = FALSE), "line 1: a vertex must be a whole number")
  for (header in list("yes", 1, NULL, c(TRUE, NA))) {
    expect_error(
      gpu_read_edges(file, header = header), "header must be TRUE, FALSE or NA, not ",
      fixed = TRUE, class = "gpugeo_error"
    )
  }
})

test_that("numbers with gaps can be made compact", {
  file <- edge_file(c("7 3091296 0.5", "12 7 1", "12 500 2"))
  on.exit(unlink(file))
  expect_message(
    edges <- gpu_read_edges(file),
    "fewer than half of the 3091296 vertices of .* have an edge: gpu_read_edges\\(ids = \"compact"
  )
  expect_identical(attr(edges, "vertices"), 3091296)
  expect_silent(edges <- gpu_read_edges(file, ids = "compact"))
  expect_identical(edges$from, c(1L, 2L, 2L))
  expect_identical(edges$to, c(4L, 1L, 3L))
  expect_identical(edges$weight, c(0.5, 1, 2))
  expect_identical(attr(edges, "vertices"), 4)
  expect_identical(attr(edges, "ids"), c(7L, 12L, 500L, 3091296L))
  expect_identical(rownames(gpu_layout(edges, seed = 1)), c("7", "12", "500", "3091296"))
  expect_error(
    gpu_read_edges(file, ids = "all"), "ids must be one of \"range\", \"compact\", not \"all\"",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("files are read alike on any number of threads", {
  file <- tempfile()
  on.exit(unlink(file))
  n <- 150000L
  edges <- data.frame(from = 1:n, to = (7L * 1:n) %% 100003L, weight = 1:n / 8)
  for (columns in list(c("from", "to"), names(edges))) {
    writeLines(do.call(paste, edges[columns]), file)
    for (threads in 1:3) {
      read <- gpu_read_edges(file, threads = threads)
      expect_identical(as.list(read)[names(read)], as.list(edges[columns]))
    }
  }
  expect_error(
    gpu_read_edges(file, threads = 0), "threads must be a whole number", class = "gpugeo_error"
  )
})

test_that("bad files and arguments are refused", {
  fails <- function(message, ...) {
    expect_error(gpu_read_edges(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("path must be a single string, not 1", 1)
  fails('path must be a single string, not c("a", "b")', c("a", "b"))
  fails("file \"no such file\" cannot be read: No such file", "no such file")
  file <- edge_file(c("0 1", "1 2"))
  on.exit(unlink(file))
  fails("has a vertex 0: first must be 0, not 1", file, first = 1)
  fails("first must be a whole number between 0 and 1, not 2", file, first = 2)
  fails("first must be a whole number between 0 and 1, not \"one\"", file, first = "one")
  fails("unused argument extra", file, extra = 1)
  for (lines in list(c("1 2", "2 x"), c("1 2", "2"), c("1 2", "2 3 4 5"), c("1 2", "-1 2"))) {
    wrong <- edge_file(lines)
    fails("line 2", wrong)
    unlink(wrong)
  }
})

test_that("Matrix Market files and a byte order mark are read", {
  file <- edge_file(c(
    "%%MatrixMarket matrix coordinate real symmetric", "% remark", "4 4 3", "2 1 0.5", "3 2 2",
    "4 4 1"
  ))
  on.exit(unlink(file))
  edges <- gpu_read_edges(file)
  expect_identical(edges$from, 2:4)
  expect_identical(edges$to, c(1L, 2L, 4L))
  expect_identical(edges$weight, c(0.5, 2, 1))
  expect_identical(attr(edges, "vertices"), 4)
  expect_identical(attr(edges, "first"), 1L)
  expect_identical(dim(gpu_layout(file, seed = 1)), c(4L, 2L))
  writeBin(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw("1 2\n2 3\n3 1\n")), file)
  expect_triangle(file)
})

# The messages of all functions that read files.
expect_unreadable <- function(file, message) {
  for (read in list(gpu_read_edges, gpu_layout, gpu_dgp_graph)) {
    expect_error(read(file), message, fixed = TRUE, class = "gpugeo_error")
  }
}

test_that("what is no text, or no regular file, is refused without waiting", {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(c(charToRaw("# remark\n1 2"), as.raw(0), charToRaw(" 1 1\n")), file)
  expect_unreadable(file, "line 2 must be text, but holds a NUL byte")
  unlink(file)
  expect_identical(system2("mkfifo", shQuote(file)), 0L)
  expect_unreadable(file, "cannot be read: it must be a regular file, not a pipe")
  expect_unreadable(tempdir(), "cannot be read: it must be a regular file, not a folder")
  expect_unreadable("/dev/zero", "cannot be read: it must be a regular file, not a device")
})

test_that("a limit of memory holds for files, and its message has true numbers", {
  file <- edge_file(rep("1 2", 40000))
  on.exit(unlink(file))
  refusal <- sprintf(paste(
    "memory_limit must be more than 1048576 bytes for file \"%s\", which has more than 32768 edges",
    "of 32 bytes each"
  ), file)
  fails <- function(code) {
    expect_error(code, refusal, fixed = TRUE, class = "gpugeo_error")
  }
  fails(gpu_read_edges(file, memory_limit = 2^20))
  before <- options(gpugeo.memory_limit = 2^20)
  on.exit(options(before), add = TRUE)
  fails(gpu_read_edges(file))
  fails(gpu_layout(file))
  expect_identical(nrow(gpu_read_edges(file, memory_limit = 2^21)), 40000L)
  writeLines(rep("1 2 1 1", 40000), file)
  expect_error(gpu_dgp_graph(file), "which has more than 32768 distances of 32 bytes each",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("Ctrl-C ends the reading of a file", {
  skip_if_interrupts_are_ignored()
  file <- edge_file(rep("1 2 1 1", 400000))
  short <- edge_file(rep("1 2 1", 400000))
  on.exit(unlink(c(file, short)))
  told <- 0
  bar <- function(fraction) {
    told <<- told + 1
    if (told == 2) tools::pskill(Sys.getpid(), tools::SIGINT)
  }
  settings <- run_settings(progress = TRUE, bar = bar)
  calls <- list(
    function() .Call(gpugeo:::C_edges, list(short), list(), settings, quote(f())),
    function() .Call(gpugeo:::C_dgp_file, list(file), list(), settings, quote(f()))
  )
  for (call in calls) {
    told <- 0
    expect_identical(
      with_polls(tryCatch(call(), interrupt = function(condition) "interrupted")), "interrupted"
    )
    expect_lt(told, 4)
  }
  expect_identical(nrow(gpu_read_edges(short)), 400000L)
})

# A file of GraphML, or a skipped test if gpugeo was built without expat.
graphml_file <- function(...) {
  file <- edge_file(c("<graphml>", ..., "</graphml>"))
  answer <- tryCatch(gpu_read_edges(file), gpugeo_error = conditionMessage)
  missing <- "file \"%s\" cannot be read: it is XML, and gpugeo was built without expat"
  skip_if(identical(answer, sprintf(missing, file)), "built without expat")
  file
}

test_that("GraphML is read as igraph, networkx and Gephi write it", {
  # Keys and the order of attributes are those of igraph 1.3.5, networkx 3 and Gephi 0.10.
  file <- graphml_file(
    "<!-- Created by igraph -->",
    "<key id=\"v_name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>",
    "<key id=\"e_weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>",
    "<graph id=\"G\" edgedefault=\"undirected\">", "<node id=\"n0\">",
    "  <data key=\"v_name\">a</data>", "</node>", "<node id=\"n1\"/>", "<node id=\"n2\"/>",
    "<edge source=\"n2\" target=\"n0\">", "  <data key=\"e_weight\">0.25</data>", "</edge>",
    "<edge source=\"n1\" target=\"n0\">", "  <data key=\"e_weight\"> 3e2 </data>", "</edge>",
    "</graph>"
  )
  edges <- gpu_read_edges(file)
  expect_identical(edges$from, c(3L, 2L))
  expect_identical(edges$to, c(1L, 1L))
  expect_identical(edges$weight, c(0.25, 300))
  expect_identical(attr(edges, "vertices"), 3)
  expect_identical(attr(edges, "ids"), c("n0", "n1", "n2"))
  expect_identical(rownames(gpu_layout(file, seed = 1)), c("n0", "n1", "n2"))
  expect_error(gpu_read_edges(file, first = 0), "first must be 1 for the GraphML file")

  # Edges may come before nodes. Keys of this name for nodes, and their data, are not weights.
  file <- graphml_file(
    "<key attr.name=\"weight\" attr.type=\"double\" for=\"node\" id=\"size\"/>",
    "<key attr.name=\"weight\" attr.type=\"double\" for=\"edge\" id=\"weight\">",
    "<desc>7</desc><default>1.5</default></key>", "<graph edgedefault=\"directed\">",
    "<edge id=\"0\" source=\"&lt;&#228;&gt;\" target=\"b\">", "<data key=\"size\">9</data></edge>",
    "<edge source=\"b\" target=\"b\"><data key=\"weight\"><![CDATA[2]]></data></edge>",
    "<node id=\"lonely\"><data key=\"weight\">5</data></node><node id=\"b\"/>",
    "<node id=\"&lt;&#228;&gt;\"><data key=\"size\"><y:Edge xmlns:y=\"y\"/></data></node></graph>"
  )
  edges <- gpu_read_edges(file, ids = "compact")
  expect_identical(edges$weight, c(1.5, 2))
  expect_identical(attr(edges, "ids"), c("<\u00e4>", "b"))
  expect_identical(attr(gpu_read_edges(file), "ids"), c("<\u00e4>", "b", "lonely"))

  plain <- gpu_read_edges(graphml_file("<graph><node id=\"1\"/></graph>"))
  expect_identical(names(plain), c("from", "to"))
  expect_identical(dim(plain), c(0L, 2L))
  expect_identical(attr(plain, "vertices"), 1)
})

test_that("GraphML that gpu_write_graph() wrote is read again", {
  file <- graphml_file("<graph/>")
  edges <- data.frame(
    from = c(3L, 1L, 3L), to = c(1L, 2L, 3L), weight = c(2, 0.1, 1e-300)
  )
  x <- gpu_layout(edges, seed = 1)
  gpu_write_graph(x, file, "graphml")
  again <- gpu_read_edges(file)
  expect_identical(as.list(again[1:3]), as.list(edges))
  expect_identical(attr(again, "ids"), c("n1", "n2", "n3"))
  expect_identical(as.numeric(gpu_layout(again, seed = 1)), as.numeric(x))
})

test_that("GraphML that is no plain graph is refused", {
  refused <- function(words, ...) {
    expect_error(gpu_read_edges(graphml_file(...)), words, fixed = TRUE, class = "gpugeo_error")
  }
  nodes <- "<graph><node id=\"a\"/><node id=\"b\">"
  kinds <- "line 3: there must be nodes and edges, not \"%s\""
  refused(sprintf(kinds, "port"), nodes, "<port name=\"p\"/></node></graph>")
  refused(sprintf(kinds, "hyperedge"), "<graph>", "<hyperedge/></graph>")
  one <- "line 3: there must be one graph, and none in it, not \"graph\""
  refused(one, nodes, "<graph/></node></graph>")
  refused(one, "<graph/>", "<graph/>")
  refused("line 2: the ids of nodes must be different from each other, not \"a\"",
          "<graph><node id=\"a\"/><node id=\"a\"/></graph>")
  refused("the ends of edges must be ids of nodes, not \"c\"",
          "<graph><node id=\"a\"/><edge source=\"a\" target=\"c\"/></graph>")
  refused("line 2: the element \"edge\" must have the attribute \"target\"",
          "<graph><edge source=\"a\"/></graph>")
  refused("line 2: the element \"node\" must have the attribute \"id\"", "<graph><node/></graph>")
  weights <- paste0(
    "<key id=\"w\" attr.name=\"weight\"/><graph><node id=\"a\"/>",
    "<edge source=\"a\" target=\"a\">"
  )
  for (weight in c("-1", "NaN", "x", "1 2", "Inf")) {
    refused(
      sprintf("line 2: a weight must be a finite number of at least 0, not \"%s\"", weight),
      sprintf("%s<data key=\"w\">%s</data></edge></graph>", weights, weight)
    )
  }
  refused("line 2: a weight must have at most 127 bytes",
          sprintf("%s<data key=\"w\">%s</data></edge></graph>", weights, strrep("1", 128)))
  refused("line 2: XML must be well-formed: mismatched tag", "<graph></node></graph>")
  refused("line 2: XML must be well-formed: undefined entity", "<graph>&other;</graph>")
  refused("elements must be at most 256 in each other", paste(rep("<d>", 300), collapse = ""))
  refused("a tag must have at most 1048576 bytes",
          c("<graph><node id=\"", rep(strrep("x", 1e5), 40), "\"/></graph>"))
})

test_that("XML with a document type, or of another kind, is refused", {
  unlink(graphml_file("<graph/>"))
  refused <- function(words, ...) {
    expect_error(gpu_read_edges(edge_file(c(...))), words, fixed = TRUE, class = "gpugeo_error")
  }
  laughs <- c(
    "<!DOCTYPE graphml [", "<!ENTITY a \"ha\">", "<!ENTITY b \"&a;&a;\">", "]>",
    "<graphml>&b;</graphml>"
  )
  refused("line 1: there must be no document type, not \"graphml\"", laughs)
  refused("there must be no document type",
          "<!DOCTYPE g [<!ENTITY x SYSTEM \"/etc/passwd\">]>", "<graphml>&x;</graphml>")
  refused("line 2: there must be edges, or XML whose first element is \"graphml\", not \"gexf\"",
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<gexf/>")
  refused("XML must be well-formed: no element found", "<!-- nothing -->")
})

test_that("compressed sparse rows are written and read", {
  file <- tempfile(fileext = ".csr")
  on.exit(unlink(file))
  edges <- data.frame(
    from = c(3L, 1L, 3L, 1L), to = c(1L, 2L, 1L, 1L), weight = c(2, 0.5, 1e-300, 0)
  )
  sorted <- edges[c(2, 4, 1, 3), ]
  text <- edge_file(c("5 4", do.call(paste, edges)))
  expect_identical(gpu_write_graph(gpu_read_edges(text, header = TRUE), file, "csr"), file)
  again <- gpu_read_edges(file)
  for (column in names(edges)) expect_identical(again[[column]], sorted[[column]], info = column)
  expect_identical(attributes(again)[c("vertices", "first")], list(vertices = 5, first = 1L))
  expect_identical(gpu_layout(file, seed = 1), gpu_layout(again, seed = 1))
  expect_error(gpu_read_edges(file, first = 0), "first must be 1 for the file .*, not 0")

  layout <- suppressMessages(gpu_layout(text, seed = 1))
  expect_identical(gpu_write_graph(layout, file), file)
  expect_identical(gpu_read_edges(file), again)
  bytes <- readBin(file, "raw", 1000)
  bytes[41] <- as.raw(1)
  writeBin(bytes, file)
  expect_error(
    gpu_read_edges(file), "start 1 must be between 0 and 0, not 1", class = "gpugeo_error"
  )
  many <- structure(data.frame(from = 1L, to = 2e5), vertices = 2e5, first = 1L)
  gpu_write_graph(many, file, "csr")
  expect_identical(attr(gpu_read_edges(file, memory_limit = 2^21), "vertices"), 2e5)
  expect_error(
    gpu_read_edges(file, memory_limit = 2^20),
    "memory_limit must be at least 1600024 bytes for file .* with 200000 vertices and 1 edges"
  )
  expect_error(
    gpu_write_graph(edges, file), "x must be a layout that gpu_layout() returned", fixed = TRUE
  )
})

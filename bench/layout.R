# Force-directed layouts: gpugeo and its peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/layout.R [--label=NAME] [--only=cpu|gpu|draw|read] [--long] [--data=FOLDER]
#   or: make bench
#
# Prints a table and writes it to bench/results/layout-<label>.csv. CPU rows use two threads. wiki-vote.txt.gz
# and gowalla.txt.gz are read from FOLDER (../shared/data); rows without their data, or without an installed
# peer, are left out with a line that says so. --long adds Graphviz' sfdp on Gowalla, which takes minutes. The
# road-like and social-like graphs of bench/graphs.R are synthetic. Seconds an iteration are the difference of
# a long and a short run over that of their iterations; whole layouts are followed by the stress of each.

source("bench/common.R")
source("bench/graphs.R")

folder <- argument("data", "../shared/data")
long <- "--long" %in% arguments

# The edges of a file counted from 1, with the attribute vertices; NULL where it is not there.
read_graph <- function(name) {
  path <- file.path(folder, name)
  if (!file.exists(path)) {
    cat("Not there, so not timed:", path, "\n")
    return(NULL)
  }
  gpu_read_edges(path, header = TRUE)
}

# Seconds an iteration of gpu_layout(graph, ...).
iteration_seconds <- function(graph, few, many, ...) {
  run <- function(iterations) {
    system.time(
      gpu_layout(graph, iterations = iterations, multilevel = FALSE, seed = 1, ...),
      gcFirst = FALSE
    )[["elapsed"]]
  }
  run(few)
  short <- min(run(few), run(few))
  (min(run(many), run(many)) - short) / (many - few)
}

whole_seconds <- function(graph, ...) {
  time <- system.time(x <- gpu_layout(graph, seed = 1, ...), gcFirst = FALSE)[["elapsed"]]
  list(seconds = time, layout = x, stress = gpu_layout_quality(graph, x, backend = "cpu")$stress)
}

# Rows of the default layout of a graph and igraph's, and of the stress of both.
report_default <- function(name, graph, theirs) {
  whole_seconds(graph) # starts the threads
  ours <- whole_seconds(graph)
  set.seed(1)
  time <- system.time(x <- igraph::layout_with_fr(theirs), gcFirst = FALSE)[["elapsed"]]
  stress <- gpu_layout_quality(graph, x, backend = "cpu")$stress
  report(paste0(name, ", whole"), shape(graph), ours$seconds, "igraph::layout_with_fr", time, ">= 1")
  report(paste0(name, ", stress, not s"), shape(graph), ours$stress, "igraph::layout_with_fr", stress, ">= 1")
}

shape <- function(graph) {
  vertices <- attr(graph, "vertices")
  sprintf("%.0f, %.0f", if (is.null(vertices)) max(graph) else vertices, nrow(graph))
}

# Graphviz: positions by sfdp, NULL where it is not installed.
run_sfdp <- function(graph) {
  if (!nzchar(Sys.which("sfdp"))) {
    cat("Not installed, so not timed: sfdp\n")
    return(NULL)
  }
  dot <- tempfile(fileext = ".dot")
  out <- tempfile()
  on.exit(unlink(c(dot, out)))
  vertices <- seq_len(attr(graph, "vertices")) - 1L + attr(graph, "first")
  # Not paste(): it writes 100000 as 1e+05.
  edges <- sprintf("%d--%d;", graph$from, graph$to)
  writeLines(c("graph {", sprintf("%d;", vertices), edges, "}"), dot)
  time <- system.time(
    system2("sfdp", c("-Tplain", "-Gnodesep=0", shQuote(dot)), stdout = out), gcFirst = FALSE
  )[["elapsed"]]
  lines <- grep("^node ", readLines(out), value = TRUE)
  fields <- do.call(rbind, strsplit(lines, " ", fixed = TRUE))
  at <- matrix(as.numeric(fields[, 3:4]), ncol = 2)
  at <- at[match(vertices, as.numeric(fields[, 2])), ]
  list(seconds = time, stress = gpu_layout_quality(graph, at, backend = "cpu")$stress)
}

wiki <- read_graph("wiki-vote.txt.gz")
gowalla <- read_graph("gowalla.txt.gz")

# --- two CPU threads -----------------------------------------------------------------------------

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
if (runs_part("cpu")) {
  if (!is.null(wiki) && installed("igraph")) {
    ours <- iteration_seconds(wiki, 5, 55, repulsion = "exact")
    graph <- igraph::make_empty_graph(attr(wiki, "vertices"), directed = FALSE)
    graph <- igraph::add_edges(graph, rbind(wiki$from, wiki$to) + 1 - attr(wiki, "first"))
    theirs <- system.time(
      igraph::layout_with_fr(graph, niter = 20, grid = "nogrid"), gcFirst = FALSE
    )[["elapsed"]] / 20
    report("Wiki-Vote, exact, an iteration", shape(wiki), ours, "igraph::layout_with_fr", theirs, ">= 12")
    report_default("Wiki-Vote", wiki, graph)
  }
  if (installed("igraph")) {
    set.seed(1)
    near <- gpu_neighbor_graph(matrix(stats::runif(2 * 4720), 4720), 5)
    graph <- igraph::make_graph(rbind(near$from, near$to), n = 4720, directed = FALSE)
    report_default("4,720 points, 5 neighbours", near, graph)
  }
  if (!is.null(gowalla)) {
    ours <- iteration_seconds(gowalla, 5, 25, repulsion = "barnes-hut", expansion_order = 4, theta = 0.8)
    report("Gowalla, order 4, an iteration", shape(gowalla), ours, "to reach", 0.12, ">= 1")
    whole <- whole_seconds(gowalla)
    report("Gowalla, whole", shape(gowalla), whole$seconds, "to reach", 30, ">= 1")
    if (long) {
      peer <- run_sfdp(gowalla)
      if (!is.null(peer)) {
        report("Gowalla, whole", shape(gowalla), whole$seconds, "sfdp, 1 thread", peer$seconds)
        report("Gowalla, stress, not s", shape(gowalla), whole$stress, "sfdp", peer$stress, ">= 1")
      }
    }
  }
}

# --- drawing ------------------------------------------------------------------------------------

if (runs_part("draw") && !is.null(gowalla)) {
  at <- gpu_layout(gowalla, seed = 1)
  draw <- function() {
    grDevices::png(tempfile(fileext = ".png"), 1000, 1000)
    plot(at)
    grDevices::dev.off()
  }
  report("Gowalla, drawn by plot()", shape(gowalla), seconds(draw()), "to reach", 2, ">= 1")
}

# --- one GPU -------------------------------------------------------------------------------------

if (has_gpu && runs_part("gpu")) {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  graphs <- list(
    list("Wiki-Vote", wiki, 0.0001, "exact"), list("Gowalla", gowalla, 0.0006, "barnes-hut"),
    list("road-like, synthetic", road_like(), 0.004, "barnes-hut"),
    list("social-like, synthetic", social_like(), 0.004, "barnes-hut")
  )
  wholes <- list(Gowalla = 0.5, "social-like, synthetic" = 3)
  for (graph in graphs) {
    if (is.null(graph[[2]])) next
    ours <- iteration_seconds(graph[[2]], 50, 550, repulsion = graph[[4]])
    report(paste0(graph[[1]], ", an iteration"), shape(graph[[2]]), ours, "to reach", graph[[3]], ">= 1")
    whole_seconds(graph[[2]]) # takes the device's memory
    whole <- whole_seconds(graph[[2]])
    target <- wholes[[graph[[1]]]]
    report(paste0(graph[[1]], ", whole"), shape(graph[[2]]), whole$seconds, "to reach",
           if (is.null(target)) NA else target, if (is.null(target)) NA else ">= 1")
    report(paste0(graph[[1]], ", stress, not s"), shape(graph[[2]]), whole$stress, "none", NA)
  }
  k <- seq_len(65536)
  right <- k[(k - 1) %% 256 < 255]
  lattice <- rbind(cbind(right, right + 1), cbind(k[1:65280], k[1:65280] + 256))
  graphs <- c(list(list("lattice of 65,536", lattice, 0.1)), graphs[3:4])
  for (graph in graphs) {
    whole_seconds(graph[[2]], algorithm = "stress")
    whole <- whole_seconds(graph[[2]], algorithm = "stress")
    target <- if (max(graph[[2]]) < 1e5) 0.1 else 1.5
    report(paste0(graph[[1]], ", by stress"), shape(graph[[2]]), whole$seconds, "to reach", target)
    report(paste0(graph[[1]], ", by stress, stress"), shape(graph[[2]]), whole$stress, "none", NA)
  }
}

# --- reading ------------------------------------------------------------------------------------

if (runs_part("read")) {
  set.seed(1)
  columns <- data.frame(from = sample.int(2e6, 7e6, TRUE), to = sample.int(2e6, 7e6, TRUE))
  for (fields in 2:3) {
    file <- tempfile()
    if (fields == 3) columns$weight <- round(runif(nrow(columns)), 3)
    writeLines(do.call(paste, columns), file)
    size <- sprintf("%.0f MB", file.size(file) / 1e6)
    peer <- if (installed("data.table")) seconds(data.table::fread(file, header = FALSE, nThread = 2)) else NA
    report(paste("file of edges,", fields, "columns"), size, seconds(gpu_read_edges(file, threads = 2)),
           "data.table::fread", peer, ">= 1")
    kind <- if (fields == 3) "real" else "pattern"
    head <- paste("%%MatrixMarket matrix coordinate", kind, "general")
    writeLines(c(head, paste("2000000 2000000", nrow(columns)), do.call(paste, columns)), file)
    report(paste("Matrix Market file,", kind), size, seconds(gpu_read_edges(file, threads = 2)),
           "data.table::fread, without the header", peer, ">= 1")
    unlink(file)
  }
}

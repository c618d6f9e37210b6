# Layouts of the collection of bench/graphs.R: seconds, stress and neighbours kept, of gpugeo and its peers.
#
#   Rscript --min-vsize=4G bench/layout_collection.R [--label=NAME] [--most=N] [--python=PROGRAM]
#     [--pictures=FOLDER]
#   or: make bench
#
# Writes bench/results/layout_collection-<label>.csv: a row for each graph and program. gpugeo takes two CPU
# threads; seconds are those of one call after a first small one. Stress and neighbours kept are those of
# gpu_layout_quality(); with lengths, the stress is that of all pairs with the lengths. Peers lay out the graphs of
# up to --most vertices (5,000): igraph by the algorithms of Kamada and Kawai (up to 1,000, as it takes n^3) and of
# Fruchterman and Reingold, graphlayouts by sparse stress, s_gd2 if the Python that --python names has it, and
# Graphviz by sfdp.
# --pictures draws each layout into a file of FOLDER.

source("bench/common.R")
source("bench/graphs.R")

python <- argument("python", "python3")
pictures <- argument("pictures", "")
most <- as.numeric(argument("most", "5000"))
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)

# The stress of all pairs, with the lengths of the edges.
stress_of_lengths <- function(edges, x) {
  g <- gpu_graph_distances(edges[, 1:2], lengths = edges[, 3])
  pairs <- lower.tri(g) & is.finite(g) & g > 0
  ratio <- as.matrix(stats::dist(x))[pairs] / g[pairs]
  1 - sum(ratio)^2 / (length(ratio) * sum(ratio^2))
}

# Adds a row, and draws the layout.
measure <- function(name, edges, program, layout) {
  x <- NULL
  time <- system.time(x <- layout(), gcFirst = FALSE)[["elapsed"]]
  if (is.null(x)) return(invisible())
  x <- unname(matrix(x, nrow(x)))
  quality <- gpu_layout_quality(edges[, 1:2], x)
  stress <- if (ncol(edges) == 3) stress_of_lengths(edges, x) else quality$stress
  row <- data.frame(
    graph = name, vertices = nrow(x), edges = nrow(edges), program, seconds = signif(time, 3),
    stress = signif(stress, 4), neighbours_kept = signif(quality$neighborhood, 3)
  )
  results <<- rbind(results, row)
  cat(sprintf("%-22s %-24s %8.3f s   stress %.4f   neighbours %.3f\n",
              name, program, time, stress, quality$neighborhood))
  write_results()
  if (nzchar(pictures)) draw(name, program, edges, x)
}

# Draws a layout into a file.
draw <- function(name, program, edges, x) {
  file <- gsub("[^a-z0-9]+", "_", tolower(paste(name, program)))
  grDevices::png(file.path(pictures, paste0(file, ".png")), 300, 300)
  graphics::par(mar = c(0, 0, 1.2, 0))
  plot(x, type = "n", asp = 1, axes = FALSE, xlab = "", ylab = "", main = paste(name, program, sep = ", "))
  graphics::segments(x[edges[, 1], 1], x[edges[, 1], 2], x[edges[, 2], 1], x[edges[, 2], 2], lwd = 0.5)
  grDevices::dev.off()
}

# Positions by s_gd2, NULL without it.
run_s_gd2 <- function(edges) {
  given <- tempfile(fileext = ".csv")
  made <- tempfile(fileext = ".csv")
  on.exit(unlink(c(given, made)))
  utils::write.table(edges[, 1:2] - 1, given, col.names = FALSE, row.names = FALSE, sep = ",")
  code <- paste(
    "import sys, numpy, s_gd2", "e = numpy.loadtxt(sys.argv[1], delimiter=',', dtype='int32')",
    "i, j = e[:, 0], e[:, 1]",
    "x = s_gd2.layout_sparse(i, j, 200, random_seed=1) if e.max() >= 1000 else s_gd2.layout(i, j, random_seed=1)",
    "numpy.savetxt(sys.argv[2], x, delimiter=',')", sep = "\n"
  )
  failed <- system2(python, c("-c", shQuote(code), given, made), stderr = FALSE)
  if (failed == 0) as.matrix(utils::read.csv(made, header = FALSE))
}

# Positions by sfdp.
run_sfdp <- function(edges) {
  dot <- tempfile(fileext = ".dot")
  out <- tempfile()
  on.exit(unlink(c(dot, out)))
  vertices <- seq_len(max(edges[, 1:2]))
  writeLines(c("graph {", sprintf("%d;", vertices), sprintf("%d--%d;", edges[, 1], edges[, 2]), "}"), dot)
  system2("sfdp", c("-Tplain", "-Gnodesep=0", shQuote(dot)), stdout = out, stderr = FALSE)
  fields <- do.call(rbind, strsplit(grep("^node ", readLines(out), value = TRUE), " ", fixed = TRUE))
  matrix(as.numeric(fields[match(vertices, as.numeric(fields[, 2])), 3:4]), ncol = 2)
}

has_igraph <- installed("igraph")
has_graphlayouts <- installed("graphlayouts") && has_igraph
has_s_gd2 <- system2(python, c("-c", shQuote("import s_gd2")), stderr = FALSE) == 0
has_sfdp <- nzchar(Sys.which("sfdp"))
if (!has_s_gd2) cat("Not installed, so not timed: s_gd2\n")
if (!has_sfdp) cat("Not installed, so not timed: sfdp\n")

graphs <- collection()
invisible(lapply(c("fr", "stress", "stress-fr"), function(a) gpu_layout(graphs[[1]], algorithm = a, seed = 1)))
for (name in names(graphs)) {
  edges <- graphs[[name]]
  plain <- edges[, 1:2]
  n <- max(plain)
  with_lengths <- ncol(edges) == 3
  connected <- name != "disconnected" # which these peers refuse
  for (algorithm in c("fr", "stress", "stress-fr")) {
    lengths <- if (with_lengths && algorithm != "fr") edges[, 3]
    measure(name, edges, paste("gpugeo", algorithm), function() {
      gpu_layout(plain, algorithm = algorithm, lengths = lengths, seed = 1)
    })
  }
  if (n > most) next
  set.seed(1)
  graph <- if (has_igraph) igraph::make_graph(t(plain), directed = FALSE)
  if (has_igraph && n <= 1000) {
    measure(name, edges, "igraph kk", function() {
      igraph::layout_with_kk(graph, weights = if (with_lengths) edges[, 3] else NA)
    })
  }
  if (has_igraph) measure(name, edges, "igraph fr", function() igraph::layout_with_fr(graph))
  if (has_graphlayouts && connected) {
    measure(name, edges, "graphlayouts sparse", function() {
      graphlayouts::layout_with_sparse_stress(igraph::simplify(graph), pivots = min(200, n - 1))
    })
  }
  if (has_s_gd2 && connected) measure(name, edges, "s_gd2", function() run_s_gd2(edges))
  if (has_sfdp) measure(name, edges, "sfdp", function() run_sfdp(plain))
}

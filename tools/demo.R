# The R half of the demo; see tools/demo. Arguments: the output folder, and "distances" or "pictures".

arguments <- commandArgs(TRUE)
out <- arguments[1]
path <- function(name) file.path(out, name)

suppressPackageStartupMessages({
  library(gpugeo)
  library(ALL)
})
data(ALL)
expression <- Biobase::exprs(ALL)

seconds <- function(code) system.time(code)[["elapsed"]]
say <- function(...) cat(sprintf(...), "\n", sep = "")

write_doubles <- function(x, name) writeBin(as.vector(x), path(name))
read_doubles <- function(name) readBin(path(name), "double", file.size(path(name)) / 8)

distances <- function() {
  say("Expression study ALL: %d genes x %d samples", nrow(expression), ncol(expression))
  print(gpu_info())
  write_doubles(expression, "expression.bin")

  invisible(gpu_dist(expression[1:2, ])) # start the backends
  ours <- seconds(genes <- gpu_dist(expression))
  last <- gpu_info()$last
  say("\nR       gpu_dist, genes (%.1f million distances): %7.2f s, on %s", length(genes) / 1e6,
      ours, last$backend)
  theirs <- seconds(reference <- dist(expression))
  say("R       stats::dist, the same:                    %7.2f s, %.0f times as long", theirs,
      theirs / ours)
  say("R       largest relative difference between them: %.1e", max(abs(genes / reference - 1)))
  # As is usual for samples: by the genes that vary most.
  varying <- order(-apply(expression, 1, var))[1:1000]
  write_doubles(expression[varying, ], "varying.bin")
  samples <- gpu_dist(t(expression[varying, ]), "pearson")
  write_doubles(genes, "genes-r.bin")
  saveRDS(samples, path("samples.rds"))
}

# The samples' distances, reordered, under the dendrogram that reorders them, with a stripe for the
# cell type that the clustering was not told.
draw <- function(samples, tree, types, file) {
  png(file, width = 1100, height = 1250, res = 130, type = "cairo")
  layout(matrix(1:4, 4), heights = c(3, 0.35, 10, 0.8))
  order <- tree$order
  n <- length(order)
  types <- substr(types[order], 1, 1)
  cells <- c(B = "#1b9e77", T = "#d95f02")
  par(mar = c(0, 4, 2.5, 2), xaxs = "i")
  plot(as.dendrogram(tree), leaflab = "none", xlim = c(0.5, n + 0.5), axes = FALSE,
       main = "128 leukaemia samples by 1,000 genes: 1 - Pearson correlation, average linkage")
  par(mar = c(0, 4, 0, 2))
  image(matrix(as.numeric(types == "T")), col = cells, axes = FALSE, useRaster = TRUE)
  mtext("cells", 2, las = 1, line = 0.5, cex = 0.7)
  par(mar = c(0.5, 4, 0.3, 2))
  distances <- as.matrix(samples)[order, order]
  range <- range(samples)
  distances[distances < range[1]] <- range[1] # the diagonal does not stretch the colours
  colours <- hcl.colors(64, "YlGnBu")
  image(distances[, n:1], col = colours, axes = FALSE, useRaster = TRUE)
  par(mar = c(0, 4, 0, 2))
  plot.new()
  legend("center", horiz = TRUE, bty = "n", fill = c(cells, colours[c(1, 32, 64)]),
         legend = c("B-cell", "T-cell",
                    sprintf("distance %.2f", seq(range[1], range[2], length.out = 3))))
  invisible(dev.off())
}

pictures <- function() {
  if (file.exists(path("genes-octave.bin"))) {
    same <- identical(read_doubles("genes-r.bin"), read_doubles("genes-octave.bin")) &&
      identical(as.vector(readRDS(path("samples.rds"))), read_doubles("samples-octave.bin"))
    say("R and Octave give %s", if (same) "the same bits." else "DIFFERENT results.")
    if (!same) quit(status = 1)
  }
  samples <- readRDS(path("samples.rds"))
  tree <- gpu_hclust(samples, "average")
  say("\nClusters of the samples against the cell type, which they were not told:")
  print(table(cluster = cutree(tree, 2), type = substr(ALL$BT, 1, 1)))
  draw(samples, tree, ALL$BT, path("samples.png"))
  unlink(path(c("genes-r.bin", "genes-octave.bin", "samples-octave.bin", "expression.bin", "varying.bin")))
  say("\nWritten: %s (picture), %s (distances of the samples, for readRDS)", path("samples.png"),
      path("samples.rds"))
}

switch(arguments[2], distances = distances(), pictures = pictures())

# Trees of distances, and Newick files.
#
#   R_LIBS=build/rlib Rscript bench/trees.R [--only=nj] [--sizes=500,2000,16000] [--label=cpu]
#   or: make bench
#
# Parts, all by default: nj, gpu (neighbour joining there), bionj, upgma, distances, newick.
#
# Two CPU threads; ape takes one. Points are normal in 10 dimensions. ape makes the trees of up to 2,000 points only, as
# it takes time in proportion to n^3.

source("bench/common.R")

sizes <- numbers("sizes", c(500, 2000))
of_ape <- function(n, expression) if (n <= 2000 && installed("ape")) expression else NA
targets <- c("2000" = "0.2 s", "16000" = "60 s")
points_of <- function(n) {
  set.seed(n)
  gpu_dist(matrix(rnorm(10 * n), n))
}

for (n in sizes) {
  size <- paste(format(n, big.mark = ","), "tips")
  d <- points_of(n)
  if (runs_part("nj")) {
    report(
      "nj", size, seconds(gpu_nj(d, threads = 2)), "ape::nj", of_ape(n, seconds(ape::nj(d))),
      targets[as.character(n)]
    )
  }
  if (runs_part("gpu") && has_gpu) {
    report(
      "nj on a GPU", size, seconds(gpu_nj(d, backend = "cuda")), "two CPU threads",
      if (n <= 2000) seconds(gpu_nj(d, backend = "cpu", threads = 2)) else NA,
      c("2000" = "0.1 s", "16000" = "2 s", "64000" = "30 s")[as.character(n)]
    )
  }
  if (runs_part("bionj")) {
    report("bionj", size, seconds(gpu_bionj(d, threads = 2)), "ape::bionj", of_ape(n, seconds(ape::bionj(d))))
  }
  if (runs_part("upgma")) {
    peer <- of_ape(n, seconds(ape::as.phylo(hclust(d, "average"))))
    report("upgma", size, seconds(gpu_upgma(d, threads = 2)), "hclust, ape::as.phylo", peer)
  }
  if (runs_part("distances") && n <= 2000) {
    tree <- gpu_nj(d)
    peer <- of_ape(n, seconds(ape::cophenetic.phylo(tree)))
    report("distances", size, seconds(gpu_tree_distances(tree, threads = 2)), "ape::cophenetic.phylo", peer)
  }
}

# A tree as random sequential addition makes it, as text.
random_newick <- function(n) {
  set.seed(n)
  d <- matrix(runif(2 * 1000), 1000)
  part <- sub(";", "", gpu_write_newick(gpu_upgma(d)))
  paste0("(", paste(rep(part, n / 1000), collapse = ","), ");")
}
if (runs_part("newick")) {
  for (n in c(1e4, 1e6)) {
    size <- paste(format(n, big.mark = ",", scientific = FALSE), "tips")
    file <- tempfile()
    writeLines(random_newick(n), file)
    tree <- gpu_read_newick(file)
    report("read", size, seconds(gpu_read_newick(file)), "ape::read.tree",
           if (n <= 1e4 && installed("ape")) seconds(ape::read.tree(file)) else NA)
    report("write", size, seconds(gpu_write_newick(tree, file)), "ape::write.tree",
           if (n <= 1e4 && installed("ape")) seconds(ape::write.tree(tree, file)) else NA)
    unlink(file)
  }
}

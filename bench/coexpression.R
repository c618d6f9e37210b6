# From expression to modules: gpu_bicor(), gpu_soft_threshold(), gpu_tom() and their peers in WGCNA, distance
# correlations of 1,000 variables with energy's, and proportionality with propr's or R's, all timed in this run.
#
#   Rscript bench/coexpression.R [--label=NAME] [--only=bicor,missing,powers,tom,dcor,propr,sparcc,gpu]
#     [--genes=20000] [--samples=100] [--clock=wall|cpu] [--runs=N]
#
# Prints a row for each part, with the BLAS that WGCNA uses, and writes all of them to
# bench/results/coexpression-<label>.csv. Two CPU threads for both. The least of N (1) runs counts. --clock=cpu takes
# the processor's seconds of all threads instead of wall time, for a machine that others use.

source("bench/common.R")

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
genes <- as.integer(argument("genes", "20000"))
samples <- as.integer(argument("samples", "100"))
runs <- as.integer(argument("runs", "1"))
set.seed(1)
x <- matrix(rnorm(samples * genes), samples) + outer(rnorm(samples), rnorm(genes))
gaps <- replace(x, sample(length(x), length(x) %/% 200L), NA)
size <- sprintf("%d x %d", genes, samples)
peer <- sprintf("WGCNA, 2 threads, BLAS %s", basename(extSoftVersion()[["BLAS"]]))
least <- function(code) {
  min(vapply(seq_len(runs), function(run) {
    gc(FALSE)
    start <- now()
    code()
    now() - start
  }, 0))
}
there <- installed("WGCNA")
compare <- function(what, given, target) {
  ours <- least(function() do.call(gpu_bicor, given))
  theirs <- if (there) least(function() do.call(WGCNA::bicor, c(given, nThreads = 2))) else NA
  report(what, size, ours, peer, theirs, target)
}
if (runs_part("bicor")) compare("bicor", list(x), ">= 5 with OpenBLAS")
if (runs_part("missing")) {
  compare("bicor, 0.5 % missing", list(gaps, use = "pairwise.complete.obs"), NA_character_)
}
if (runs_part("powers")) {
  ours <- least(function() gpu_soft_threshold(x, 1:20))
  theirs <- if (there) least(function() WGCNA::pickSoftThreshold(x, powerVector = 1:20, verbose = 0)) else NA
  report("soft threshold, 20 powers", size, ours, peer, theirs, ">= 10")
}
if (runs_part("tom")) {
  ours <- least(function() gpu_tom(x, as = "dist"))
  theirs <- if (there) least(function() WGCNA::TOMsimilarityFromExpr(x, nThreads = 2, verbose = 0)) else NA
  report("topological overlap", size, ours, peer, theirs, "60 s for 20,000 genes with two FMA units")
}
modules <- function(what, x, ...) {
  size <- sprintf("%d x %d", ncol(x), nrow(x))
  ours <- least(function() gpu_block_modules(x, ...))
  theirs <- if (there) {
    suppressPackageStartupMessages(library(WGCNA)) # it calls its cor() by name
    least(function() WGCNA::blockwiseModules(x, maxBlockSize = ncol(x), nThreads = 2, ...))
  } else {
    NA
  }
  report(what, size, ours, peer, theirs, NA_character_)
}
if (runs_part("modules") && installed("dynamicTreeCut")) modules("modules", x)
if (runs_part("study") && nzchar(argument("study", "")) && installed("dynamicTreeCut")) {
  modules("modules of a study, bicor", t(as.matrix(read.csv(argument("study", ""), row.names = 1))), corType = "bicor")
}
if (runs_part("dcor")) { # energy takes one pair at a time: from 100 of them
  y <- matrix(rnorm(1e7), 1e4)
  ours <- least(function() gpu_cor(y, method = "dcor"))
  theirs <- if (installed("energy")) {
    least(function() for (j in 1:100) energy::dcor2d(y[, j], y[, j + 1L])) * choose(1000, 2) / 100
  } else {
    NA
  }
  report("distance correlation", "1000 x 10000", ours, "energy, its time for 100 pairs", theirs, "60 s")
}
if (runs_part("propr")) { # twice the samples: 200
  counts <- matrix(rnbinom(2L * samples * genes, mu = 50, size = 2), 2L * samples)
  ours <- least(function() gpu_propr(counts))
  published <- installed("propr")
  theirs <- least(if (published) function() propr::propr(counts, "rho", p = 0) else function() {
    z <- log(replace(counts, counts == 0, 1))
    z <- scale(z - rowMeans(z), scale = FALSE)
    v <- colSums(z^2)
    2 * crossprod(z) / outer(v, v, "+")
  })
  blas <- basename(extSoftVersion()[["BLAS"]])
  name <- if (published) "propr" else paste("crossprod() in R, BLAS", blas)
  report("rho", sprintf("%d x %d", genes, 2L * samples), ours, name, theirs, ">= 10 with propr")
}
if (runs_part("sparcc")) {
  taxa <- matrix(rnbinom(200 * 1000, mu = 50, size = 2), 200)
  ours <- least(function() gpu_sparcc(taxa))
  theirs <- if (installed("SpiecEasi")) least(function() SpiecEasi::sparcc(taxa)) else NA
  report("SparCC, 20 tables", "1000 x 200", ours, "SpiecEasi", theirs, NA_character_)
}
if (runs_part("gpu") && has_gpu) { # with all CPU threads as the peer
  options(gpugeo.threads = NULL)
  threads <- sprintf("%d CPU threads", parallel::detectCores())
  race <- function(what, size, target, code, host = TRUE) {
    options(gpugeo.backend = "cuda")
    code() # takes the device's memory
    ours <- least(code)
    options(gpugeo.backend = "cpu")
    report(paste(what, "on a GPU"), size, ours, threads, if (host) least(code) else NA, target)
  }
  race("bicor", size, "0.15 s", function() gpu_bicor(x))
  few <- gaps[1:39, rep_len(seq_len(genes), 24481L)] + rnorm(39 * 24481)
  race("topological overlap", size, NA, function() gpu_tom(x, as = "dist"))
  race(
    "bicor, overlap and tree", "24481 x 39", "3 s for the study",
    function() gpu_hclust(gpu_tom(few, corType = "bicor", as = "dist"), "average")
  )
  wide <- matrix(rnorm(100 * 40000), 100) + outer(rnorm(100), rnorm(40000))
  race("topological overlap", "40000 x 100", "2 s", function() gpu_tom(wide, as = "dist"), host = FALSE)
}

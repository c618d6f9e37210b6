# Dissimilarities of communities: gpu_vegdist() and vegan::vegdist(), both timed in this run.
#
#   Rscript bench/communities.R [--label=NAME] [--only=INDEX,INDEX] [--sites=2000] [--species=1000] [--density=0.1]
#     [--clock=wall|cpu] [--runs=N]
#
# Prints a row for each index and writes all of them to bench/results/communities-<label>.csv. Two CPU threads; vegan takes
# one. Counts are negative binomial, and the given share of them is not 0. The least of N (1) runs counts.
# --clock=cpu takes the processor's seconds of all threads instead of wall time, for a machine that others use: ratios are
# then up to half of what they are on two idle processors.

source("bench/common.R")

options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
sites <- as.integer(argument("sites", "2000"))
species <- as.integer(argument("species", "1000"))
density <- as.numeric(argument("density", "0.1"))
runs <- as.integer(argument("runs", "1"))
indices <- c(
  "manhattan", "euclidean", "canberra", "clark", "bray", "kulczynski", "jaccard", "gower", "altGower", "morisita",
  "horn", "mountford", "raup", "binomial", "chao", "cao", "mahalanobis", "chisq", "chord", "hellinger", "aitchison",
  "robust.aitchison"
)
chosen <- argument("only", paste(indices, collapse = ","))
set.seed(1)
x <- matrix((runif(sites * species) < density) * (1 + rnbinom(sites * species, 1, mu = 3)), sites)
least <- function(code) {
  min(vapply(seq_len(runs), function(run) {
    gc(FALSE)
    start <- now()
    suppressWarnings(code())
    now() - start
  }, 0))
}
for (index in strsplit(chosen, ",")[[1L]]) {
  extra <- if (index == "aitchison") list(pseudocount = 1)
  call <- function(f) function() do.call(f, c(list(x, index), extra))
  ours <- least(call(gpu_vegdist))
  theirs <- if (installed("vegan")) least(call(vegan::vegdist)) else NA
  report(index, sprintf("%d x %d", sites, species), ours, "vegan, one thread", theirs, ">= 20")
}

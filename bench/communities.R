# Dissimilarities of communities: gpu_vegdist() and vegan::vegdist(), gpu_unifrac() and phyloseq::UniFrac(),
# gpu_simper() and vegan::simper(), all timed in this run. Part gpu compares a GPU, where there is one, with all CPU
# threads.
#
#   Rscript bench/communities.R [--label=NAME] [--only=INDEX,INDEX] [--sites=2000] [--species=1000] [--density=0.1]
#     [--samples=1006] [--tips=20000] [--peer_samples=12] [--clock=wall|cpu] [--runs=N]
#
# Prints a row for each index, of which unifrac-TYPE has a tree, and for simper, and writes all of them to
# bench/results/communities-<label>.csv. Two CPU threads; vegan and phyloseq take one. Counts are
# negative binomial, and the given share of them is not 0. The least of N (1) runs counts.
# --clock=cpu takes the processor's seconds of all threads instead of wall time, for a machine that others use: ratios
# are then up to half of what they are on two idle processors.

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
types <- c("unweighted", "weighted", "normalized", "generalized", "variance")
parts <- c(indices, paste0("unifrac-", types), "simper", "gpu")
chosen <- strsplit(argument("only", paste(parts, collapse = ",")), ",")[[1L]]
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
for (index in intersect(chosen, indices)) {
  extra <- if (index == "aitchison") list(pseudocount = 1)
  call <- function(f) function() do.call(f, c(list(x, index), extra))
  ours <- least(call(gpu_vegdist))
  theirs <- if (installed("vegan")) least(call(vegan::vegdist)) else NA
  report(index, sprintf("%d x %d", sites, species), ours, "vegan, one thread", theirs, ">= 20")
}

# A tree of n tips whose nodes are joined at random, an object of class "phylo".
random_tree <- function(n) {
  open <- seq_len(n)
  edge <- matrix(0L, 2L * n - 2L, 2L)
  for (k in seq_len(n - 1L)) {
    left <- n - k
    at <- sample.int(left + 1L, 2L)
    node <- 2L * n - k
    edge[2L * k - 1:0, ] <- c(node, node, open[at])
    open[at[1L]] <- node
    open[at[2L]] <- open[left + 1L]
  }
  structure(list(
    edge = edge[rev(seq_len(nrow(edge))), ], edge.length = rexp(nrow(edge)), tip.label = paste0("t", seq_len(n)),
    Nnode = n - 1L
  ), class = "phylo")
}

# UniFrac: samples with about 2 % of the tips. phyloseq gets the first of them only.
chosen_types <- types[paste0("unifrac-", types) %in% chosen]
if (length(chosen_types)) {
  samples <- as.integer(argument("samples", "1006"))
  tips <- as.integer(argument("tips", "20000"))
  peer_samples <- as.integer(argument("peer_samples", "12"))
  tree <- random_tree(tips)
  common <- rlnorm(tips, 0, 2)
  x <- t(vapply(seq_len(samples), function(i) {
    tabulate(sample.int(tips, tips %/% 20L, TRUE, common * rlnorm(tips, 0, 2)), tips)
  }, integer(tips)))
  dimnames(x) <- list(paste0("s", seq_len(samples)), tree$tip.label)
  few <- x[seq_len(peer_samples), ]
  size <- function(x) sprintf("%d x %d", nrow(x), ncol(x))
  for (type in chosen_types) {
    report(paste("UniFrac", type), size(x), least(function() gpu_unifrac(x, tree, type)), "none", NA)
    if (type %in% types[1:3] && installed("phyloseq")) {
      object <- phyloseq::phyloseq(phyloseq::otu_table(few, taxa_are_rows = FALSE), tree)
      peer <- function() phyloseq::UniFrac(object, type != "unweighted", type == "normalized")
      report(
        paste("UniFrac", type), size(few), least(function() gpu_unifrac(few, tree, type)), "phyloseq", least(peer)
      )
    }
  }
}

# A GPU and all CPU threads: counts of 25,145 samples, and samples on a tree of 200,000 branches.
if (has_gpu && "gpu" %in% chosen) {
  options(gpugeo.threads = NULL)
  compare <- function(what, x, target, call) {
    times <- lapply(c("cuda", "cpu"), function(backend) {
      options(gpugeo.backend = backend)
      if (backend == "cuda") call() # takes the device's memory
      start <- now()
      result <- call()
      list(seconds = now() - start, result = result)
    })
    stopifnot(all.equal(c(times[[1L]]$result), c(times[[2L]]$result), tolerance = 1e-13))
    peer <- sprintf("%d CPU threads", parallel::detectCores())
    report(what, sprintf("%d x %d", nrow(x), ncol(x)), times[[1L]]$seconds, peer, times[[2L]]$seconds, target)
  }
  x <- Matrix::rsparsematrix(25145, 5000, 0.02, rand.x = function(n) 1 + rnbinom(n, 1, mu = 3))
  compare("bray on a GPU", x, "0.5 s", function() gpu_vegdist(x, "bray"))
  compare("jsd on a GPU", x, "1 s", function() gpu_dist(x, "jsd"))
  compare("robust.aitchison on a GPU", x, "0.3 s", function() gpu_vegdist(x, "robust.aitchison"))
  tree <- random_tree(100000L)
  x <- Matrix::sparseMatrix(
    rep(seq_len(25145), each = 300), sample.int(100000, 25145 * 300, TRUE),
    x = 1 + rnbinom(25145 * 300, 1, mu = 3), dims = c(25145, 100000), dimnames = list(NULL, tree$tip.label)
  )
  compare("UniFrac unweighted on a GPU", x, "1.5 s", function() gpu_unifrac(x, tree))
  compare("UniFrac weighted on a GPU", x, "12 s", function() gpu_unifrac(x, tree, "weighted"))
}

# Contributions of 300 species to dissimilarities between three groups of 200 sites, 999 permutations.
if ("simper" %in% chosen) {
  x <- matrix((runif(200 * 300) < 0.2) * (1 + rnbinom(200 * 300, 1, mu = 3)), 200)
  group <- rep_len(c("a", "b", "c"), 200)
  call <- function(f) function() f(x, group, 999)
  theirs <- if (installed("vegan")) least(call(vegan::simper)) else NA
  report("simper", "200 x 300", least(call(gpu_simper)), "vegan, one thread", theirs)
}

#' Bootstrap of trees of sequences
#'
#' Makes the tree of aligned sequences of DNA, and counts how many trees of resampled sites have
#' each of its clades, as `ape::boot.phylo()` does with `dist.dna()` and a function for trees, on
#' all CPU cores.
#'
#' @inheritParams gpu_dist_dna
#' @param model One of the models of [gpu_dist_dna()] but `"BH87"`.
#' @param B The number of replicates.
#' @param tree How trees are made of distances: `"nj"` as [gpu_nj()], `"bionj"` as [gpu_bionj()],
#'   `"upgma"` as [gpu_upgma()].
#' @param block The number of neighbouring sites that are resampled together, 3 for codons. It must
#'   divide the number of sites.
#' @param trees Whether to return the trees of all replicates, too.
#' @param rooted Whether clades are compared, the tips below a node. `FALSE`: bipartitions, the tips
#'   on both sides of an edge. `"auto"`: clades for `"upgma"` only.
#' @param jumble Whether each replicate has the sequences in another order. Of several pairs that
#'   may be joined, trees join the first one; without another order, such arbitrary choices are the
#'   same in all replicates and have too much support.
#'
#' @return A list with the elements
#' * `tree`: the tree of all sites, an object of class `"phylo"` as of [gpu_nj()], whose
#'   `node.label` has the supports;
#' * `BP`: for each inner node the number of replicates whose tree has its clade or bipartition.
#'   `NA` for nodes without one, as the root of an unrooted tree;
#' * `trees`, if asked for: the trees of the replicates, of class `"multiPhylo"`.
#'
#' @details A replicate has as many sites as `x`, drawn with replacement (Felsenstein 1985). Sites
#'   and orders are drawn by R's generator as `ape::boot.phylo()` draws them: after the same
#'   [set.seed()], `BP` is that of
#'   `ape::boot.phylo(tree, as.matrix(x), function(x) ape::nj(ape::dist.dna(x, model)), B)`. Only
#'   for rooted trees, a clade that no replicate has is 0 here and `NA` there; and the trees differ
#'   where those of [gpu_nj()] or the distances of [gpu_dist_dna()] do.
#'
#'   Draws take 4 bytes for each site and replicate.
#'
#'   Distances of a replicate are computed from resampled columns of bits, not from letters. Clades
#'   are compared exactly, as intervals of tips in the order of the first tree (Day 1985). The
#'   support of a clade is \eqn{\sum_{b = 1}^{B} [c \in T_b]}{the number of b with c in T_b}, where
#'   \eqn{T_b} is the tree of replicate b.
#'
#' @references Felsenstein, J. (1985) Confidence limits on phylogenies: an approach using the
#'   bootstrap. *Evolution* **39**, 783-791.
#'
#' Day, W. H. E. (1985) Optimal algorithms for comparing trees with labeled leaves. *Journal of
#' Classification* **2**, 7-28.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dist_dna()], [gpu_nj()], [gpu_write_newick()]
#'
#' @examples
#' x <- c(a = "ACGTACGTAC", b = "ACGTACGTAT", c = "ACGAACTTAC", d = "TCGAACTTAC", e = "TCGAACTTAA")
#' set.seed(1)
#' boot <- gpu_boot_phylo(x, "JC69", B = 20)
#' boot$BP
#' gpu_write_newick(boot$tree)
#' @export
gpu_boot_phylo <- function(x, model = "K80", B = 100, tree = "nj", # nolint: a name of package ape
                           block = 1, trees = FALSE, rooted = "auto", jumble = TRUE,
                           gamma = FALSE, pairwise.deletion = FALSE, base.freq = NULL, # nolint
                           ..., backend = NULL, threads = NULL, progress = NULL,
                           memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  wanted <- flag_of(trees, "trees", call)
  jumble <- flag_of(jumble, "jumble", call)
  bar <- progress_bar("Bootstrap")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, NULL, "double", progress, bar$update, memory_limit
  )
  codes <- codes_of(x, call)
  drawn <- draw_sites(codes, B, block, jumble, call)
  options <- c(
    drawn, dna_options(model, gamma, pairwise.deletion, base.freq),
    list(tree = tree, rooted = rooted, B = B, trees = wanted)
  )
  inputs <- unname(codes[c("codes", "lengths", "names")])
  made <- rename_message(
    "base_freq", "base.freq", .Call(C_boot_phylo, inputs, options, settings, call)
  )
  boot_phylo(made, codes)
}

# Returns a value that must be a whole number from `least` on.
count_of <- function(value, name, call, least = 1) {
  good <- is.numeric(value) && length(value) == 1L && isTRUE(value >= least & value <= 2^31 - 1) &&
    value == floor(value)
  if (!good) {
    stop_value(value, name, sprintf("a whole number between %d and 2147483647", least), call)
  }
  as.integer(value)
}

# Returns list(sites, order), numbers from 0 for each replicate, in the sequence in which package
# ape draws them; order is NULL without jumble.
draw_sites <- function(codes, replicates, block, jumble, call) {
  replicates <- count_of(replicates, "B", call)
  block <- count_of(block, "block", call)
  size <- if (is.null(codes$lengths)) nrow(codes$codes) else length(codes$lengths)
  sites <- if (is.null(codes$lengths)) ncol(codes$codes) else c(codes$lengths, 0)[1L]
  if (sites %% block != 0) {
    stop_message("block of sites", "block", call, sites, block)
  }
  first <- seq.int(0L, by = block, length.out = sites / block)
  drawn <- matrix(0L, sites, replicates)
  order <- matrix(0L, size, if (jumble) replicates else 0L)
  for (b in seq_len(replicates)) {
    start <- first[sample.int(length(first), replace = TRUE)]
    drawn[, b] <- rep(start, each = block) + seq.int(0L, length.out = block)
    if (jumble) {
      order[, b] <- sample.int(size) - 1L
    }
  }
  list(sites = drawn, order = if (jumble) order)
}

# Returns the value of gpu_boot_phylo().
boot_phylo <- function(made, codes) {
  size <- if (is.null(codes$lengths)) nrow(codes$codes) else length(codes$lengths)
  tree_of <- function(edge, length) {
    as_phylo(list(edge = matrix(edge + 1L, ncol = 2L), edge.length = length), codes$names, size)
  }
  support <- replace(made$support, made$support < 0L, NA)
  tree <- tree_of(made$edge, made$edge.length)
  tree$node.label <- ifelse(is.na(support), "", as.character(support))
  result <- list(tree = tree, BP = support)
  if (!is.null(made$edges)) {
    count <- length(made$edge.length)
    each <- function(values, width, b) values[seq.int((b - 1) * width + 1, length.out = width)]
    result$trees <- structure(
      lapply(seq_len(length(made$lengths) / count), function(b) {
        tree_of(each(made$edges, 2 * count, b), each(made$lengths, count, b))
      }),
      class = "multiPhylo"
    )
  }
  result
}

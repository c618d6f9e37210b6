# Sequences of n tips in a matrix of letters: two groups, each of which changes at some sites.
letters_of_groups <- function(n, sites, seed) {
  set.seed(seed)
  base <- sample(c("a", "c", "g", "t"), sites, TRUE)
  other <- ifelse(runif(sites) < 0.2, sample(c("a", "c", "g", "t"), sites, TRUE), base)
  rows <- lapply(seq_len(n), function(i) {
    letters <- if (i %% 2) base else other
    changed <- runif(sites) < 0.12
    replace(letters, changed, sample(c("a", "c", "g", "t"), sum(changed), TRUE))
  })
  x <- do.call(rbind, rows)
  rownames(x) <- paste0("s", seq_len(n))
  x
}

# The tips below each inner node of a tree, as text; of bipartitions the side without tip 1.
clades_of <- function(tree, rooted) {
  n <- length(tree$tip.label)
  has <- rbind(diag(n) > 0, matrix(FALSE, tree$Nnode, n))
  for (e in rev(seq_len(nrow(tree$edge)))) {
    has[tree$edge[e, 1], ] <- has[tree$edge[e, 1], ] | has[tree$edge[e, 2], ]
  }
  inner <- has[n + seq_len(tree$Nnode), , drop = FALSE]
  if (!rooted) {
    inner[inner[, 1], ] <- !inner[inner[, 1], ]
  }
  apply(inner, 1, function(row) paste(which(row), collapse = " "))
}

x <- letters_of_groups(9, 60, 1)
makers <- list(nj = gpu_nj, bionj = gpu_bionj, upgma = gpu_upgma)

test_that("trees of replicates are those of drawn sites, and supports count their clades", {
  for (tree in names(makers)) {
    set.seed(4)
    boot <- gpu_boot_phylo(x, "JC69", B = 8, tree = tree, trees = TRUE, jumble = FALSE)
    expect_equal(boot$tree[1:4], makers[[tree]](gpu_dist_dna(x, "JC69"))[1:4])
    set.seed(4)
    for (b in 1:8) {
      drawn <- x[, sample.int(60, replace = TRUE)]
      expect_identical(boot$trees[[b]], makers[[tree]](gpu_dist_dna(drawn, "JC69")))
    }
    rooted <- tree == "upgma"
    own <- clades_of(boot$tree, rooted)
    others <- lapply(boot$trees, clades_of, rooted)
    wanted <- vapply(own, function(c) sum(vapply(others, function(o) c %in% o, NA)), 0L)
    if (!rooted) {
      wanted[1] <- NA
    }
    expect_identical(boot$BP, unname(wanted))
    expect_identical(boot$tree$node.label, ifelse(is.na(boot$BP), "", as.character(boot$BP)))
  }
  expect_s3_class(boot$trees, "multiPhylo")
})

test_that("blocks and orders are drawn in the order of package ape", {
  set.seed(9)
  boot <- gpu_boot_phylo(x, "raw", B = 3, block = 5, trees = TRUE, tree = "upg")
  set.seed(9)
  for (b in 1:3) {
    columns <- rep(5 * (sample.int(12, replace = TRUE) - 1), each = 5) + 1:5
    order <- sample.int(9)
    wanted <- gpu_upgma(gpu_dist_dna(x[order, columns], "raw"))
    expect_identical(
      sort(clades_of(boot$trees[[b]], TRUE)),
      sort(vapply(strsplit(clades_of(wanted, TRUE), " "), function(tips) {
        paste(sort(order[as.integer(tips)]), collapse = " ")
      }, ""))
    )
  }
})

test_that("supports are those of ape::boot.phylo() under the same seed", {
  skip_if_not_installed("ape")
  upgma <- function(d) ape::as.phylo(stats::hclust(d, "average"))
  peers <- list(nj = ape::nj, bionj = ape::bionj, upgma = upgma)
  bases <- ape::as.DNAbin(x)
  for (tree in names(peers)) {
    for (block in c(1, 3)) {
      for (jumble in c(TRUE, FALSE)) {
        fun <- function(data) peers[[tree]](ape::dist.dna(data, "JC69"))
        set.seed(block)
        wanted <- ape::boot.phylo(
          fun(bases), bases, fun, 25, block, quiet = TRUE, jumble = jumble
        )
        set.seed(block)
        boot <- gpu_boot_phylo(bases, "JC69", 25, tree, block, jumble = jumble)
        if (tree == "upgma") {
          wanted[is.na(wanted)] <- 0 # what ape has for clades of no replicate
        }
        # Numbers of nodes differ.
        key <- function(tree) {
          sorted <- ape::as.phylo(tree)
          clades_of(sorted, TRUE)
        }
        first <- fun(bases)
        expect_identical(boot$BP[match(key(first), key(boot$tree))], as.integer(wanted))
      }
    }
  }
})

test_that("what is no bootstrap is refused", {
  refused <- function(message, ...) {
    expect_error(gpu_boot_phylo(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  refused("B must be a whole number between 1 and 2147483647, not 0", x, B = 0)
  refused("B must be a whole number between 1 and 2147483647, not \"a\"", x, B = "a")
  refused("block must divide the number of sites, 60, not 7", x, block = 7)
  refused("tree must be one of \"nj\", \"bionj\", \"upgma\", not \"mp\"", x, tree = "mp")
  refused("rooted must be ", x, rooted = 3)
  refused("jumble must be true or false, not NA", x, jumble = NA)
  refused("trees must be true or false, not \"yes\"", x, trees = "yes")
  refused("model must be one whose distances are symmetric, not \"BH87\"", x, "BH87")
  refused("gamma must be false for model \"RAW\", which has none", x, "raw", gamma = 2)
  refused("x must have at least 3 sequences of 1 to 2147483647 sites, not 2 of 60", x[1:2, ])
  refused("x must be sequences", 7)
  refused("x must have finite distances in all replicates, but in replicate 0", c("AC", "NN", "AC"))
  expect_error(gpu_boot_phylo(x, colour = 1), "colour", class = "gpugeo_error")
})

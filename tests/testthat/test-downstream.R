# Packages and functions that take an object of class "hclust", with those of gpugeo.
small_points <- function() {
  set.seed(5)
  matrix(rnorm(160), 40, dimnames = list(paste0("row", 1:40), paste0("column", 1:4)))
}

on_no_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}

test_that("pheatmap draws and returns the trees that it is given", {
  skip_if_not_installed("pheatmap")
  x <- small_points()
  draw <- function(cluster, distances) {
    on_no_device(pheatmap::pheatmap(
      x, cluster_rows = cluster(distances(x), "average"),
      cluster_cols = cluster(distances(t(x)), "average"), cutree_rows = 3, silent = TRUE
    ))
  }
  ours <- draw(gpu_hclust, gpu_dist)
  theirs <- draw(hclust, dist)
  expect_identical(ours$tree_row[c("merge", "order")], theirs$tree_row[c("merge", "order")])
  expect_identical(ours$tree_col[c("merge", "order")], theirs$tree_col[c("merge", "order")])
  expect_identical(dim(ours$gtable), dim(theirs$gtable))
})

test_that("ComplexHeatmap takes trees and the function", {
  skip_if_not_installed("ComplexHeatmap")
  x <- small_points()
  order_of <- function(...) {
    map <- ComplexHeatmap::Heatmap(x, ...)
    on_no_device(suppressMessages(map <- ComplexHeatmap::draw(map)))
    list(ComplexHeatmap::row_order(map), ComplexHeatmap::column_order(map))
  }
  by_tree <- function(cluster) {
    order_of(
      cluster_rows = cluster(dist(x), "average"), cluster_columns = cluster(dist(t(x)), "average")
    )
  }
  expect_identical(by_tree(gpu_hclust), by_tree(hclust))
  by_function <- function(cluster) {
    order_of(
      cluster_rows = function(m) cluster(dist(m), "average"), cluster_columns = FALSE
    )
  }
  expect_identical(by_function(gpu_hclust), by_function(hclust))
})

test_that("ape makes the same phylogeny", {
  skip_if_not_installed("ape")
  x <- small_points()
  for (linkage in c("single", "average", "ward.D2")) {
    ours <- ape::as.phylo(gpu_hclust(dist(x), linkage))
    theirs <- ape::as.phylo(hclust(dist(x), linkage))
    expect_true(ape::all.equal.phylo(ours, theirs))
    expect_equal(ape::cophenetic.phylo(ours), ape::cophenetic.phylo(theirs))
  }
})

test_that("dendextend cuts and colours", {
  skip_if_not_installed("dendextend")
  x <- small_points()
  ours <- gpu_hclust(x, "average")
  theirs <- hclust(dist(x), "average")
  expect_identical(dendextend::cutree(ours, 4), dendextend::cutree(theirs, 4))
  coloured <- function(tree) dendextend::color_branches(as.dendrogram(tree), k = 4)
  expect_equal(coloured(ours), coloured(theirs))
})

# 70,000 points in 2 columns: stats::hclust() refuses more than 65,536. Ward's linkage without a
# matrix gives a shallow tree, single linkage a deep one.
large_points <- function() {
  set.seed(70000)
  matrix(rnorm(140000), 70000, dimnames = list(paste0("p", 1:70000), NULL))
}

# The groups of points that the first n - k merges make: each gets the last merge that it is in.
groups_of <- function(tree, k) {
  n <- length(tree$order)
  left <- ifelse(tree$merge[, 1] < 0, -tree$merge[, 1], n + tree$merge[, 1])
  right <- ifelse(tree$merge[, 2] < 0, -tree$merge[, 2], n + tree$merge[, 2])
  group <- seq_len(2L * n - 1L)
  for (m in rev(seq_len(n - k))) {
    group[c(left[m], right[m])] <- group[n + m]
  }
  group[seq_len(n)]
}

test_that("trees of 70,000 points are cut and marked", {
  x <- large_points()
  for (linkage in c("single", "ward.D2")) {
    tree <- gpu_hclust(x, linkage)
    expect_identical(sort(tree$order), 1:70000)
    groups <- cutree(tree, c(5, 1000))
    for (k in c(5, 1000)) {
      expected <- groups_of(tree, k)
      expect_identical(unname(groups[, as.character(k)]), match(expected, unique(expected)))
    }
    expect_identical(rownames(groups), rownames(x))
    # Without a plot of 70,000 leaves: the clusters are all that is asked for.
    on_no_device({
      plot.new()
      plot.window(c(1, 70000), range(tree$height))
      marked <- rect.hclust(tree, 5, border = NA)
    })
    of_five <- groups[, "5"]
    expect_identical(lengths(marked), as.integer(table(of_five)[unique(of_five[tree$order])]))
  }
})

test_that("ape makes a phylogeny of 70,000 points", {
  skip_if_not_installed("ape")
  for (linkage in c("single", "ward.D2")) {
    tree <- gpu_hclust(large_points(), linkage)
    phylogeny <- ape::as.phylo(tree)
    expect_identical(ape::Ntip(phylogeny), 70000L)
    expect_identical(phylogeny$Nnode, 69999L)
    expect_identical(phylogeny$tip.label, tree$labels)
    # Leaves are at half the height of the root from it.
    depth <- ape::node.depth.edgelength(phylogeny)[1:70000]
    expect_equal(range(depth), rep(max(tree$height) / 2, 2))
  }
})

# Trees by neighbour joining and average linkage. Expected edges and lengths are those of ape 5.7,
# stored here, or follow from the definition.

# ape::nj(eurodist) and ape::as.phylo(hclust(eurodist, "average")).
nj_of_cities <- matrix(c(
  22, 4, 125.09375, 22, 26, 94.1796875, 26, 27, 84.5140625, 27, 5, 310.747395833333, 27, 18,
  29.2526041666667, 26, 28, 293.605078125, 28, 29, 119.682198660714, 29, 30, 18.40869140625, 30,
  8, 142.708333333333, 30, 13, 15.2916666666667, 29, 33, 164.84130859375, 33, 36,
  357.950520833333, 36, 38, 470.816666666667, 38, 40, 274.176470588235, 40, 9, 405.263157894737,
  40, 12, 270.736842105263, 38, 14, 70.8235294117647, 36, 2, 124.933333333333, 33, 15,
  155.049479166667, 28, 31, 186.392020089286, 31, 32, 81.87734375, 32, 34, 136.237215909091, 34,
  39, 852.908653846154, 39, 1, 1151.58333333333, 39, 19, -334.583333333333, 34, 21,
  338.591346153846, 32, 17, 59.0127840909091, 31, 16, 168.99765625, 22, 23, 65.34375, 23, 24,
  97.1796875, 24, 25, 63.4270833333333, 25, 35, 338.06640625, 35, 37, 338.214285714286, 37, 7,
  -10.984375, 37, 20, 660.984375, 35, 10, 41.2857142857143, 25, 11, 26.93359375, 24, 6,
  97.8229166666667, 23, 3, 24.8828125
), ncol = 3, byrow = TRUE)
upgma_of_cities <- matrix(c(
  22, 23, 778.631578947368, 23, 1, 408.5, 23, 19, 408.5, 22, 24, 198.264912280702, 24, 25,
  508.491666666667, 25, 29, 162.375, 29, 2, 318, 29, 14, 318, 25, 30, 142.375, 30, 9, 338, 30, 12,
  338, 24, 26, 310.436111111111, 26, 27, 278.680555555556, 27, 20, 399.75, 27, 35, 169.75, 35, 7,
  230, 35, 10, 230, 26, 28, 198.652777777778, 28, 31, 189.877777777778, 31, 5, 289.9, 31, 36,
  110.733333333333, 36, 38, 60.4166666666667, 38, 6, 118.75, 38, 41, 32.75, 41, 3, 86, 41, 11, 86,
  36, 39, 39.1666666666667, 39, 4, 140, 39, 18, 140, 28, 32, 30.2777777777778, 32, 33, 235.5, 33,
  17, 214, 33, 21, 214, 32, 34, 222.333333333333, 34, 15, 227.166666666667, 34, 37,
  63.1666666666667, 37, 16, 164, 37, 40, 85, 40, 8, 79, 40, 13, 79
), ncol = 3, byrow = TRUE)

test_that("trees of cities are those of ape", {
  expect_ape <- function(tree, stored, tolerance) {
    expect_s3_class(tree, "phylo", exact = TRUE)
    expect_identical(names(tree), c("edge", "edge.length", "tip.label", "Nnode"))
    expect_identical(attr(tree, "order"), "cladewise")
    expect_identical(tree$edge, matrix(as.integer(stored[, 1:2]), ncol = 2))
    expect_equal(tree$edge.length, stored[, 3], tolerance = tolerance)
    expect_identical(tree$tip.label, labels(eurodist))
    expect_identical(tree$Nnode, nrow(stored) + 1L - 21L)
  }
  expect_ape(gpu_nj(eurodist), nj_of_cities, 1e-12)
  expect_ape(gpu_upgma(eurodist), upgma_of_cities, 1e-12)
  expect_ape(gpu_nj(as.matrix(eurodist)), nj_of_cities, 1e-12)
})

test_that("ape makes the same trees", {
  skip_if_not_installed("ape")
  set.seed(1)
  for (n in c(3, 4, 7, 30, 120)) {
    d <- dist(matrix(rnorm(3 * n), n, dimnames = list(paste0("p", seq_len(n)), NULL)))
    expect_equal(
      ape::cophenetic.phylo(gpu_nj(d))[labels(d), labels(d)],
      ape::cophenetic.phylo(ape::nj(d))[labels(d), labels(d)], tolerance = 1e-12
    )
    # In single precision there.
    expect_equal(
      ape::cophenetic.phylo(gpu_bionj(d))[labels(d), labels(d)],
      ape::cophenetic.phylo(ape::bionj(d))[labels(d), labels(d)], tolerance = 1e-4
    )
    expected <- ape::as.phylo(hclust(d, "average"))
    expect_equal(gpu_upgma(d), expected, tolerance = 1e-12)
  }
  # Ties of small whole numbers, whose sums have no rounding errors.
  for (n in 4:9) {
    d <- as.dist(matrix(sample(4, n * n, TRUE), n))
    expect_identical(gpu_nj(d)$edge, ape::nj(d)$edge)
    expect_identical(gpu_bionj(d)$edge, ape::bionj(d)$edge)
  }
})

test_that("an additive matrix has its tree exactly", {
  # ((a:1,b:2):3,(c:4,d:5):0.5,e:6)
  d <- as.dist(rbind(
    c(0, 3, 8.5, 9.5, 10), c(3, 0, 9.5, 10.5, 11), c(8.5, 9.5, 0, 9, 10.5),
    c(9.5, 10.5, 9, 0, 11.5), c(10, 11, 10.5, 11.5, 0)
  ))
  for (make in list(gpu_nj, gpu_bionj)) {
    tree <- make(d)
    tips <- tree$edge[, 2] <= 5
    expect_identical(tree$edge.length[tips][order(tree$edge[tips, 2])], c(1, 2, 4, 5, 6))
    expect_identical(sort(tree$edge.length[!tips]), c(0.5, 3))
    expect_identical(tree$Nnode, 3L)
  }
})

test_that("trees are the same from all sources, with any number of threads", {
  set.seed(2)
  x <- matrix(runif(900), 300, dimnames = list(paste0("s", 1:300), NULL))
  for (make in list(gpu_nj, gpu_bionj, gpu_upgma)) {
    tree <- make(x, threads = 1)
    expect_identical(gpu_info()$last$threads, 1L)
    expect_identical(make(x, threads = 3), tree)
    expect_identical(make(gpu_dist(x)), tree)
    expect_identical(make(as.data.frame(x)), tree)
    expect_identical(tree$tip.label, rownames(x))
  }
  expect_identical(gpu_info()$last$`function`, "gpu_upgma")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  expect_identical(gpu_nj(gpu_dist(x, file = file)), gpu_nj(x))
})

test_that("trees of points by a metric or a function", {
  x <- matrix(c(1, 5, 2, 8, 0, 3, 7, 7), 4)
  expect_identical(gpu_nj(x, "manhattan"), gpu_nj(gpu_dist(x, "manhattan")))
  expect_identical(gpu_nj(x, metric = "manhattan"), gpu_nj(gpu_dist(x, "manhattan")))
  city <- function(a, b) sum(abs(a - b))
  expect_equal(gpu_upgma(x, city), gpu_upgma(gpu_dist(x, "manhattan")))
  expect_identical(gpu_nj(unname(x))$tip.label, as.character(1:4))
})

test_that("bad arguments of trees are errors", {
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  for (make in list(gpu_nj, gpu_bionj)) {
    fail(make(dist(1:2)), "d must have 3 to 1073741824 points to join, not 2")
    fail(
      make(as.dist(cbind(c(0, 1, NA), c(1, 0, 2), c(NA, 2, 0)))),
      paste(
        "d must have finite distances only, but 1 of them is not; the first is missing, between",
        "points 1 and 3"
      )
    )
    fail(make(dist(1:5), "cosine"), "method must be given with points, not with distances")
    fail(make(dist(1:5), bend = 3), "unused argument bend")
    fail(
      make(dist(1:1000), memory_limit = 2^20),
      "bytes for the tree of 1000 points, not 1048576"
    )
    fail(
      make(cbind(c(0, 1, 2), c(3, 0, 1), c(2, 1, 0))),
      "d must be symmetric, but element (1, 2) is 3 and element (2, 1) is 1"
    )
  }
  fail(gpu_upgma(dist(1)), "d must have 2 to 1073741824 points to cluster, not 1")
})

test_that("Newick files are read as by ape", {
  text <- "((a:1,'b c':2)x:3,(d_e,f:1.5e-3)[comment]y:-1,g)root:7;"
  tree <- gpu_read_newick(text = text)
  expect_s3_class(tree, "phylo", exact = TRUE)
  expect_identical(tree$edge, cbind(c(6L, 7L, 7L, 6L, 8L, 8L, 6L), c(7L, 1L, 2L, 8L, 3L, 4L, 5L)))
  expect_identical(tree$edge.length, c(3, 1, 2, -1, NaN, 0.0015, NaN))
  expect_identical(tree$tip.label, c("a", "b c", "d_e", "f", "g"))
  expect_identical(tree$node.label, c("root", "x", "y"))
  expect_identical(tree$Nnode, 3L)
  expect_identical(tree$root.edge, 7)
  expect_identical(attr(tree, "order"), "cladewise")
  expect_identical(
    gpu_write_newick(tree), "((a:1,'b c':2)x:3,(d_e,f:0.0015)y:-1,g)root:7;"
  )
  plain <- gpu_read_newick(text = c("(a,", "b,(c,d));"))
  expect_identical(names(plain), c("edge", "tip.label", "Nnode"))
  expect_identical(plain$edge, cbind(c(5L, 5L, 5L, 6L, 6L), c(1L, 2L, 6L, 3L, 4L)))
  skip_if_not_installed("ape")
  of_ape <- ape::read.tree(text = "((a:1,b:2)x:3,(d_e:1,f:1.5e-3)y:-1,g:3)root:7;")
  ours <- gpu_read_newick(text = "((a:1,b:2)x:3,(d_e:1,f:1.5e-3)y:-1,g:3)root:7;")
  expect_identical(unclass(ours)[names(of_ape)], unclass(of_ape)[names(of_ape)], ignore_attr = TRUE)
})

test_that("trees are the same after they were written and read", {
  file <- tempfile(fileext = ".nwk")
  on.exit(unlink(file))
  for (tree in list(gpu_nj(eurodist), gpu_upgma(eurodist))) {
    expect_identical(gpu_write_newick(tree, file), file)
    again <- gpu_read_newick(file)
    expect_identical(again$edge.length, tree$edge.length)
    tips <- tree$edge[, 2] <= length(tree$tip.label)
    expect_identical(
      again$tip.label[again$edge[tips, 2]], tree$tip.label[tree$edge[tips, 2]]
    )
    expect_equal(
      gpu_tree_distances(again)[tree$tip.label, tree$tip.label], gpu_tree_distances(tree)
    )
  }
  n <- 1e5
  deep <- paste0(strrep("(", n), "a", strrep(",b:1):1", n), ";")
  tree <- gpu_read_newick(text = deep)
  expect_identical(c(length(tree$tip.label), tree$Nnode), c(100001L, 100000L))
  expect_identical(gpu_read_newick(text = gpu_write_newick(tree)), tree)
})

test_that("distances along trees are those of ape", {
  tree <- gpu_read_newick(text = "((a:1,b:2):3,(c:4,d:0.5):5,e:1);")
  expected <- rbind(
    c(0, 3, 13, 9.5, 5), c(3, 0, 14, 10.5, 6), c(13, 14, 0, 4.5, 10), c(9.5, 10.5, 4.5, 0, 6.5),
    c(5, 6, 10, 6.5, 0)
  )
  dimnames(expected) <- list(letters[1:5], letters[1:5])
  expect_identical(gpu_tree_distances(tree), expected)
  expect_equal(c(gpu_tree_distances(gpu_nj(as.dist(expected)))), c(expected))
  x <- matrix(sin(1:900), 300)
  tree <- gpu_nj(x)
  expect_identical(gpu_tree_distances(tree, threads = 3), gpu_tree_distances(tree, threads = 1))
  expect_identical(gpu_info()$last$`function`, "gpu_tree_distances")
  missing <- gpu_tree_distances(gpu_read_newick(text = "((a:1,b):3,c:4);"))
  expect_identical(unname(missing), rbind(c(0, NaN, 8), c(NaN, 0, NaN), c(8, NaN, 0)))
  skip_if_not_installed("ape")
  expect_equal(gpu_tree_distances(tree), ape::cophenetic.phylo(tree), tolerance = 1e-12)
})

test_that("bad trees and files are errors", {
  fail <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  tree <- gpu_read_newick(text = "((a:1,b:2):3,c:4);")
  fail(gpu_read_newick(text = "(a,b"), "line 1, byte 5: the tree does not end with \";\"")
  fail(
    gpu_read_newick(text = c("(a,", "b:x);")), "line 2, byte 4: a length must be a finite number"
  )
  fail(gpu_read_newick(text = 3), "text must be strings, not 3")
  fail(gpu_read_newick("file", "(a,b);"), "path must not be given with text")
  fail(gpu_read_newick(3), "path must be a single string, not 3")
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(as.raw(c(0x28, 0x61, 0, 0x29)), file)
  fail(gpu_read_newick(file), "line 1, byte 3: there must be no NUL byte")
  file.create(file)
  fail(gpu_read_newick(file), "there is no tree")
  writeLines(paste0("(", strrep("abcdefgh,", 1e5), "b);"), file)
  fail(gpu_read_newick(file, memory_limit = 2^20), "memory_limit must be at least")
  fail(gpu_write_newick(3), "tree must be an object of class \"phylo\", not 3")
  circle <- replace(tree, "edge", list(cbind(c(4, 5, 5, 4), c(5, 1, 2, 1))))
  fail(gpu_write_newick(circle), "but a node has two above it in edge 4")
  fail(
    gpu_tree_distances(replace(tree, "edge.length", list(1:2))),
    "tree must have the elements edge, edge.length, tip.label, Nnode and node.label"
  )
  bare <- gpu_read_newick(text = "(a,b);")
  fail(gpu_tree_distances(bare), "tree must have lengths of its edges, not none")
  fail(gpu_tree_distances(tree, backend = "cuda"), "backend must be")
})

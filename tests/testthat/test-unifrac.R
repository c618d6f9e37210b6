# UniFrac distances: frozen results of other programs, inputs of all kinds, what is refused. Exact
# values are golden cases.
types <- c("unweighted", "weighted", "normalized", "generalized", "variance")
tree <- gpu_read_newick(text = "((a:1,b:2):1,(c:1,d:3):2);")
counts <- rbind(
  one = c(a = 3, b = 0, c = 1, d = 0), two = c(0, 5, 1, 0), three = c(0, 0, 2, 7)
)

unifrac_file <- function(name) test_path("unifrac", name)
mice_tree <- function() system.file("extdata", "mice.tre", package = "gpugeo")

test_that("distances are those of unifrac-binaries and scikit-bio (crawford)", {
  table <- read.csv(unifrac_file("crawford.csv"), header = FALSE, row.names = 1)
  x <- t(as.matrix(table))
  rownames(x) <- paste0("10084.PC.", c(481, 593, 356, 355, 354, 636, 635, 607, 634))
  expected <- read.csv(unifrac_file("crawford_expected.csv"))
  for (type in names(expected)) { # the first ones have lengths of single precision
    d <- gpu_unifrac(x, mice_tree(), type)
    expect_equal(as.vector(d), expected[[type]], tolerance = 1e-8)
  }
  expect_identical(attr(d, "Labels"), rownames(x))
  faith <- c(
    8.268050017119094, 6.256320004780719, 7.2537400212168, 6.688100009057962, 7.827880010576337,
    6.08902999899874, 8.128100004927546, 7.725159989975509, 7.508669988412294
  )
  pd <- gpu_diversity(x, "faith", tree = gpu_read_newick(mice_tree()))
  expect_equal(unname(pd), faith, tolerance = 1e-8)
  expect_named(pd, rownames(x))
})

test_that("distances are those of phyloseq", {
  tree <- gpu_read_newick(unifrac_file("phyloseq.tre"))
  x <- outer(1:7, 1:24, function(i, k) {
    (i * k + k^2) %% 11 %/% (1 + (i + k) %% 4) * ((i + 2 * k) %% 3 > 0)
  })
  dimnames(x) <- list(paste0("s", 1:7), sort(tree$tip.label))
  expected <- read.csv(unifrac_file("phyloseq.csv"))
  for (type in names(expected)) {
    expect_equal(as.vector(gpu_unifrac(x, tree, type)), expected[[type]], tolerance = 1e-12)
  }
  skip_if_not_installed("phyloseq")
  skip_if_not_installed("ape")
  object <- phyloseq::phyloseq(phyloseq::otu_table(t(x), taxa_are_rows = TRUE), tree)
  expect_identical(
    as.vector(gpu_unifrac(object, type = "w")), as.vector(gpu_unifrac(x, tree, "w"))
  )
  expect_identical(attr(gpu_unifrac(object), "Labels"), rownames(x))
})

test_that("distances have the attributes of class dist", {
  d <- gpu_unifrac(counts, tree)
  expect_s3_class(d, "dist")
  expect_equal(as.vector(d), c(3 / 7, 5 / 8, 6 / 9), tolerance = 1e-15)
  expect_identical(attr(d, "Size"), 3L)
  expect_identical(attr(d, "Labels"), c("one", "two", "three"))
  expect_identical(attr(d, "method"), "unweighted")
  expect_identical(attr(d, "call"), quote(gpu_unifrac(x = counts, tree = tree)))
  expect_identical(gpu_info()$last$`function`, "gpu_unifrac")
  expect_length(gpu_unifrac(counts[1, , drop = FALSE], tree), 0)
  expect_length(gpu_unifrac(counts[0, , drop = FALSE], tree), 0)
})

test_that("names, storage and threads do not matter", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(counts, sparse = TRUE)
  for (type in types) {
    d <- c(gpu_unifrac(counts, tree, type))
    same <- function(x, ...) expect_identical(c(gpu_unifrac(x, tree, type, ...)), d)
    same(counts[, c("d", "a", "c", "b")])
    same(as.data.frame(counts), threads = 1)
    same(sparse, threads = 3)
    same(methods::as(sparse, "RsparseMatrix"))
    same(cbind(counts, e = 0)[, c("a", "b", "c", "d")])
  }
  file <- tempfile(fileext = ".nwk")
  on.exit(unlink(file))
  gpu_write_newick(tree, file)
  expect_identical(c(gpu_unifrac(counts, file)), c(gpu_unifrac(counts, tree)))
})

test_that("alpha is between unweighted and weighted", {
  expect_identical(
    c(gpu_unifrac(counts, tree, "generalized", alpha = 1)),
    c(gpu_unifrac(counts, tree, "normalized"))
  )
  expect_identical(
    c(gpu_unifrac(counts, tree, "gen")), c(gpu_unifrac(counts, tree, "generalized", alpha = 0.5))
  )
})

test_that("samples without individuals are warned of", {
  x <- rbind(counts, none = 0, nothing = 0)
  for (type in types) {
    expect_warning(d <- gpu_unifrac(x, tree, type), "^rows 4, 5 of x have no individuals$")
    d <- as.matrix(d)
    expect_true(is.nan(d["none", "nothing"]))
    if (type != "weighted") expect_equal(unname(d["none", 1:3]), c(1, 1, 1))
  }
  depth <- c(a = 2, b = 3, c = 3, d = 5)
  d <- as.matrix(suppressWarnings(gpu_unifrac(x, tree, "weighted")))
  expect_equal(d["none", 1:3], drop(counts %*% depth) / rowSums(counts))
})

test_that("distances are written to a file", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- gpu_unifrac(counts, tree, "weighted", file = file)
  expect_s3_class(stored, "gpu_dist_file")
  expect_identical(gpu_info()$last$`function`, "gpu_unifrac")
  expect_identical(c(as.dist(stored)), c(gpu_unifrac(counts, tree, "weighted")))
  expect_identical(stored$labels, rownames(counts))
  expect_identical(stored$metric, "weighted")
})

test_that("wrong arguments are refused", {
  refused <- function(code, message) {
    expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  }
  star <- gpu_read_newick(text = "(a:1,b:1,c:1);")
  refused(gpu_unifrac(counts[, 1:3], star), "root must be true for a tree with 3 branches")
  expect_equal(c(gpu_unifrac(counts[, 1:3], star, root = TRUE)), c(2 / 3, 1 / 2, 1 / 2))
  edge <- gpu_read_newick(text = "(a:1,b:1,c:1):0;")
  expect_equal(c(gpu_unifrac(counts[, 1:3], edge)), c(2 / 3, 1 / 2, 1 / 2))
  refused(gpu_unifrac(counts, tree, "none"), "type must be one of \"unweighted\", ")
  refused(gpu_unifrac(counts, tree, alpha = 2), "alpha must be a number from 0 to 1, not 2")
  refused(gpu_unifrac(counts, tree, root = 3), "root must be true or false, not 3")
  refused(gpu_unifrac(counts), "tree must be an object of class \"phylo\", or the path of")
  refused(gpu_unifrac(counts, 3), "tree must be an object of class \"phylo\", not 3")
  refused(gpu_unifrac(unname(counts), tree), "x must have names of its columns")
  refused(gpu_unifrac("a", tree), "x must be a numeric matrix")
  others <- cbind(counts, matrix(1, 3, 7, dimnames = list(NULL, LETTERS[1:7])))
  refused(
    gpu_unifrac(others, tree),
    "x must have taxa that are tips of tree, not \"A\", \"B\", \"C\", \"D\", \"E\", ..., 7 in all"
  )
  refused(gpu_unifrac(others[, 1:5], tree), "x must have taxa that are tips of tree, not \"A\"")
  twice <- gpu_read_newick(text = "((a:1,a:2):1,(c:1,d:3):2);")
  refused(
    gpu_unifrac(counts[, c("a", "c")], twice),
    "tree must have tips of different names, but \"a\" is that of several"
  )
  expect_length(gpu_unifrac(counts[, c("c", "d")], twice), 3)
  refused(gpu_unifrac(-counts, tree), "x must be finite numbers of at least 0, but row 1, column 1")
  counts[2, 3] <- NA
  refused(gpu_unifrac(counts, tree), "but row 2, column 3 is missing")
  refused(
    gpu_unifrac(counts, tree, "generalized", backend = "cuda"),
    "backend must be \"auto\" or \"cpu\" for type \"generalized\", not \"cuda\""
  )
})

test_that("phylogenetic diversity takes trees, groups and margins", {
  expect_equal(gpu_diversity(counts, "faith", tree = tree), c(one = 5, two = 6, three = 6))
  expect_equal(gpu_diversity(t(counts), "faith", MARGIN = 2, tree = tree)[["two"]], 6)
  expect_equal(
    gpu_diversity(counts, "fai", groups = c("u", "v", "u"), tree = tree), c(u = 8, v = 6)
  )
  expect_identical(gpu_diversity(c(a = 1, d = 0), "faith", tree = tree), 2)
  expect_error(
    gpu_diversity(counts, tree = tree), "tree must be given with index \"faith\", not \"shannon\"",
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_error(gpu_diversity(counts, root = TRUE), "root must be given with index", fixed = TRUE)
})

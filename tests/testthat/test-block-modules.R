# Three groups of 20 genes that share a profile each, some with the other sign, and noise.
genes <- outer(1:12, 1:60, function(i, j) {
  own <- sin(i * (1 + (j %/% 21))) * (1 + j %% 5) * (-1)^(j %% 4 == 0)
  own + sin(i * j + j * j) * 1.2
})
dimnames(genes) <- list(paste0("s", 1:12), paste0("g", 1:60))
few <- function(x, ...) gpu_block_modules(x, minModuleSize = 5, power = 3, ...)

test_that("colours are those of WGCNA, and repeat with numbers", {
  expect_identical(module_color(c(2, 0, 1, 435, 436, 871)), c(
    "blue", "grey", "turquoise", "gold1", "turquoise.1", "turquoise.2"
  ))
  expect_true(all(module_colors %in% grDevices::colors()))
  expect_identical(anyDuplicated(module_colors), 0L)
})

test_that("modules change by hand-made eigengenes as described", {
  set.seed(1)
  e <- qr.Q(qr(scale(matrix(rnorm(60), 20), scale = FALSE)))
  mix <- function(a, b, rest = e[, 3L]) a * e[, 1L] + b * e[, 2L] + sqrt(1 - a^2 - b^2) * rest
  x <- cbind(e[, c(1, 1, 1, 1, 1, 2, 2, 2, 2)], mix(.1, .9), mix(.2, 0))
  network <- list(corType = "pearson", networkType = "unsigned")
  rule <- list(
    reassignThreshold = 0, minCoreKME = 0.5, minCoreKMESize = 3, minKMEtoStay = 0.4,
    minModuleSize = 3
  )
  label <- rep(c(1, 2, 1, 2), c(5, 4, 1, 1))
  changed <- function(...) {
    change_modules(x, label, network, utils::modifyList(rule, list(...)), NULL)
  }
  expect_identical(changed(), rep(c(1, 2, 0), c(5, 4, 2)))
  expect_identical(changed(minKMEtoStay = 0.05)[1:10], label[1:10])
  expect_identical(changed(minKMEtoStay = 0.05, reassignThreshold = 1e-3)[10L], 2)
  expect_identical(changed(minCoreKMESize = 5)[6:9], numeric(4))
  expect_identical(changed(minModuleSize = 5)[6:9], numeric(4))
  merged <- merge_modules(cbind(x[, 1:9], x[, c(2, 3, 2)]), rep(1:3, c(5, 4, 3)), 0.15, NULL)
  expect_identical(merged, rep(c(1, 2, 1), c(5, 4, 3)))
  expect_identical(by_size(c(3, 0, 4, 4, 1, 1, 1), TRUE), c(3, 0, 2, 2, 1, 1, 1))
  # Of equal size: yellow (4) and green (5), in the order of WGCNA.
  equal <- c(1, 1, 1, 4, 4, 5, 5, 0)
  expect_identical(by_size(equal, TRUE), c(1, 1, 1, 2, 2, 3, 3, 0))
  expect_identical(by_size(equal, FALSE), c(1, 1, 1, 3, 3, 2, 2, 0))
  d <- dist(t(x))
  expect_identical(square_distances(d, 11L), unname(as.matrix(d)))
})

test_that("genes and samples with too few values are left out", {
  x <- genes
  x[1, 1:40] <- NA
  x[2:7, 1] <- NA
  x[2:6, 2] <- NA
  x[, 3] <- 7
  x[5, 4] <- Inf
  good <- good_samples_and_genes(x, TRUE, NULL)
  expect_identical(which(!good$samples), 1L)
  expect_identical(which(!good$genes), 1:4)
  expect_true(all(unlist(good_samples_and_genes(x, FALSE, NULL))))
  expect_error(
    good_samples_and_genes(x[, 1:6], TRUE, NULL),
    "x must have at least 4 samples and 4 genes with enough values, not "
  )
})

test_that("a package that is missing, and arguments, are named", {
  expect_error(gpu_block_modules(genes, maxBlockSize = 100), "unused argument maxBlockSize")
  skip_if_not_installed("dynamicTreeCut")
  expect_error(gpu_block_modules("a"), "x must be a matrix of numbers with genes in columns")
  expect_error(few(genes, deepSplit = 5), "deepSplit must be a whole number between 0 and 4, not 5")
  expect_error(few(genes, minGap = "a"), 'minGap must be a number, not "a"')
  expect_error(few(genes, mergeCutHeight = NULL), "mergeCutHeight must be a number, not NULL")
  expect_error(few(genes, pamStage = NA), "pamStage must be true or false, not NA")
  expect_error(few(genes, TOMType = "x"), "TOMType must be one of")
})

# By WGCNA 1.72-1 with dynamicTreeCut 1.63.
test_that("modules are those of WGCNA", {
  skip_if_not_installed("dynamicTreeCut")
  found <- few(genes)
  colors <- rep(c("blue", "turquoise", "brown"), c(20, 21, 19))
  expect_identical(found$colors, stats::setNames(colors, colnames(genes)))
  expect_identical(found$unmergedColors, found$colors)
  expect_identical(names(found), c(
    "colors", "unmergedColors", "MEs", "goodSamples", "goodGenes", "dendrograms", "TOMFiles",
    "blockGenes", "blocks", "MEsOK"
  ))
  expect_identical(names(found$MEs), c("MEblue", "MEbrown", "MEturquoise"))
  expect_identical(rownames(found$MEs), rownames(genes))
  expect_equal(found$MEs$MEblue[1:3], c(0.327287015459736, 0.39008324577097, 0.0396771307684005))
  expect_s3_class(found$dendrograms[[1L]], "hclust")
  numbers <- few(genes, numericLabels = TRUE, threads = 1)
  expect_identical(module_color(unname(numbers$colors)), colors)
  expect_setequal(names(numbers$MEs), c("ME1", "ME2", "ME3"))
  more <- rbind(lost = NA, cbind(genes, constant = 1))
  left <- few(more)
  expect_identical(left$colors, c(found$colors, constant = "grey"))
  expect_identical(left$blocks, rep(c(1, NA), c(60, 1)))
  expect_identical(left$blockGenes, list(1:60))
  expect_true(all(is.na(left$MEs["lost", ])))
  expect_equal(left$MEs[-1L, ], found$MEs)
})

test_that("genes without modules are grey", {
  skip_if_not_installed("dynamicTreeCut")
  found <- few(genes, minCoreKME = 1)
  expect_true(all(found$colors == "grey"))
  expect_identical(names(found$MEs), "MEgrey")
})

test_that("modules are those of the installed WGCNA", {
  skip_if_not_installed("dynamicTreeCut")
  skip_if_not_installed("WGCNA")
  if (!"package:WGCNA" %in% search()) { # it calls its cor() by name
    suppressPackageStartupMessages(attachNamespace("WGCNA"))
    on.exit(detach("package:WGCNA", character.only = TRUE))
  }
  set.seed(3)
  e <- matrix(rnorm(80), 20)
  e[, 2L] <- e[, 1L] + 0.6 * rnorm(20)
  x <- e[, rep(1:4, c(30, 25, 20, 15))] + matrix(rnorm(20 * 90), 20)
  colnames(x) <- seq_len(90)
  rownames(x) <- seq_len(20)
  for (given in list(
    list(power = 4), list(corType = "bicor", reassignThreshold = 0.3),
    list(networkType = "signed", deepSplit = 4, mergeCutHeight = 0.3, numericLabels = TRUE)
  )) {
    given <- c(list(x, minModuleSize = 8), given)
    ours <- do.call(gpu_block_modules, given)
    utils::capture.output(theirs <- do.call(WGCNA::blockwiseModules, given))
    parts <- setdiff(names(ours), "dendrograms")
    expect_equal(ours[parts], theirs[parts], tolerance = 1e-8)
    expect_equal(ours$dendrograms[[1L]]$height, theirs$dendrograms[[1L]]$height)
  }
})

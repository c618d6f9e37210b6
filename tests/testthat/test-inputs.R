# Objects of other packages, each of them as the matrix that the package itself makes of it.
failure <- function(call) tryCatch(call, gpugeo_error = identity)
expect_refused <- function(call, message, argument = "x") {
  condition <- failure(call)
  expect_s3_class(condition, "gpugeo_error")
  expect_match(conditionMessage(condition), message, fixed = TRUE)
  expect_identical(condition$argument, argument)
}

genes <- function() {
  set.seed(3)
  matrix(
    as.double(rpois(60, 4)), 10, 6,
    dimnames = list(paste0("gene", 1:10), paste0("cell", 1:6))
  )
}

# Expects that all families take x as the matrix of points `points`.
expect_points <- function(x, points, ..., small = ncol(points) <= 3L) {
  strip <- function(d) {
    attr(d, "call") <- NULL
    d
  }
  expect_identical(strip(gpu_dist(x, ...)), strip(gpu_dist(points)))
  expect_identical(gpu_cdist(x, x, ...), gpu_cdist(points, points))
  expect_identical(gpu_knn(x, 2, ...), gpu_knn(points, 2))
  expect_identical(gpu_radius(x, 1, ...), gpu_radius(points, 1))
  expect_identical(gpu_neighbor_graph(x, k = 2, ...), gpu_neighbor_graph(points, k = 2))
  plan <- gpu_tiles_plan(x, side = 4, ...)
  expect_identical(plan, gpu_tiles_plan(points, side = 4))
  expect_identical(gpu_dist_tile(x, plan, 1, ...), gpu_dist_tile(points, plan, 1))
  if (small) {
    expect_identical(gpu_closest_pair(x, ...), gpu_closest_pair(points))
    expect_identical(gpu_collisions(x, 0.4, ...), gpu_collisions(points, 0.4))
    launched <- gpu_collisions_launch(x, 0.4, ...)
    expect_identical(gpu_collisions_fetch(launched), gpu_collisions(points, 0.4))
  }
}

test_that("tables of other packages are taken as data frames", {
  x <- matrix(c(1, 5, 2, 8, 4, 4, 0, 1, 7), 3, dimnames = list(NULL, c("a", "b", "c")))
  if (requireNamespace("tibble", quietly = TRUE)) expect_points(tibble::as_tibble(x), x)
  if (requireNamespace("data.table", quietly = TRUE)) {
    expect_points(data.table::as.data.table(x), x)
  }
  skip_if_not_installed("S4Vectors")
  expect_points(S4Vectors::DataFrame(x), x)
  expect_refused(gpu_dist(S4Vectors::DataFrame(a = 1, b = "u")), "column \"b\" is text")
})

test_that("samples and cells of Bioconductor's objects are the points", {
  skip_if_not_installed("SingleCellExperiment")
  counts <- genes()
  pca <- matrix(c(1, 4, 2, 8, 5, 7, 3, 1, 4, 1, 5, 9, 7, 7, 3, 2, 0, 6), 6)
  x <- SingleCellExperiment::SingleCellExperiment(
    list(counts = counts, logcounts = log1p(counts)),
    reducedDims = list(PCA = pca)
  )
  expect_points(x, t(log1p(counts)))
  expect_points(x, t(counts), assay = "counts")
  expect_points(x, t(counts), assay = 1)
  named <- pca
  rownames(named) <- colnames(counts)
  expect_points(x, named, reducedDim = "PCA")
  expect_points(x, named, reducedDim = 1)
  expect_equal(gpu_cor(x), cor(log1p(counts)))
  expect_equal(gpu_cor(x, assay = "counts"), cor(counts))
  expect_equal(gpu_cor(x, reducedDim = "PCA"), cor(t(named)))
  summarized <- SummarizedExperiment::SummarizedExperiment(list(a = counts, b = counts + 1))
  expect_points(summarized, t(counts))
  expect_points(SummarizedExperiment::SummarizedExperiment(counts), t(counts))

  expect_refused(
    gpu_dist(x, assay = "tpm"),
    "assay must be one of \"counts\", \"logcounts\" or a number from 1 to 2, not \"tpm\"", "assay"
  )
  expect_refused(gpu_knn(x, 2, reducedDim = 2), "reducedDim must be one of \"PCA\"", "reducedDim")
  expect_refused(
    gpu_dist(x, assay = 1, reducedDim = 1), "only one of assay and reducedDim", "reducedDim"
  )
  expect_refused(gpu_dist(summarized, reducedDim = 1), "reducedDim must not be given", "reducedDim")
  expect_refused(gpu_dist(counts, assay = 1), "assay must not be given", "assay")
  expect_refused(gpu_dist(counts, assays = 1), "unused argument assays", "assays")
  expect_refused(gpu_collisions(counts, 1, frame = 1), "frame must not be given", "frame")
  # From a function that passes its own arguments on.
  nearest <- function(data, ...) gpu_knn(data, 2, ...)
  expect_identical(nearest(x, reducedDim = "PCA"), gpu_knn(named, 2))
})

test_that("an assay may be sparse or delayed", {
  skip_if_not_installed("SingleCellExperiment")
  skip_if_not_installed("DelayedArray")
  skip_if_not_installed("Matrix")
  counts <- genes()
  sparse <- SummarizedExperiment::SummarizedExperiment(Matrix::Matrix(counts, sparse = TRUE))
  expect_identical(c(gpu_dist(sparse)), c(gpu_dist(t(counts))))
  expect_equal(gpu_cor(sparse), cor(counts))
  delayed <- SummarizedExperiment::SummarizedExperiment(DelayedArray::DelayedArray(counts))
  expect_points(delayed, t(counts))
  expect_equal(gpu_cor(delayed), cor(counts))
})

test_that("the samples of an ExpressionSet are the points", {
  skip_if_not_installed("Biobase")
  x <- Biobase::ExpressionSet(genes())
  expect_points(x, t(genes()))
  expect_points(x, t(genes()), assay = "exprs")
  expect_equal(gpu_cor(x), cor(genes()))
  expect_refused(gpu_dist(x, assay = "se"), "assay must be one of \"exprs\"", "assay")
})

test_that("the samples of an otu_table are the points, on either side", {
  skip_if_not_installed("phyloseq")
  taxa <- phyloseq::otu_table(genes(), taxa_are_rows = TRUE)
  expect_points(taxa, t(genes()))
  expect_points(phyloseq::otu_table(t(genes()), taxa_are_rows = FALSE), t(genes()))
  expect_points(phyloseq::phyloseq(taxa), t(genes()))
  expect_equal(gpu_cor(taxa), cor(genes()))
  expect_equal(gpu_cor(phyloseq::otu_table(t(genes()), taxa_are_rows = FALSE)), cor(genes()))
})

test_that("points of sf and sp are taken", {
  x <- cbind(X = c(1, 5, 2, 8), Y = c(0, 3, 3, 1))
  if (requireNamespace("sp", quietly = TRUE)) {
    points <- sp::SpatialPoints(x)
    expect_points(points, x)
    expect_points(sp::SpatialPointsDataFrame(points, data.frame(z = 1:4)), x)
  }
  skip_if_not_installed("sf")
  flat <- sf::st_as_sf(data.frame(x, name = letters[1:4]), coords = c("X", "Y"))
  expect_points(flat, x)
  expect_points(sf::st_geometry(flat), x)
  solid <- sf::st_sfc(sf::st_point(c(1, 2, 3)), sf::st_point(c(2, 2, 5)), sf::st_point(c(0, 0, 1)))
  expect_points(solid, rbind(c(X = 1, Y = 2, Z = 3), c(2, 2, 5), c(0, 0, 1)))
  measured <- lapply(list(1:3, 3:5, 6:8), sf::st_point, dim = "XYM")
  expect_points(sf::st_sfc(measured), rbind(c(X = 1, Y = 2), c(3, 4), c(6, 7)))
  lines <- sf::st_sfc(sf::st_linestring(x))
  expect_refused(gpu_dist(lines), "x must have geometries of type POINT, not LINESTRING")
})

test_that("patterns of spatstat are taken", {
  skip_if_not_installed("spatstat.geom")
  x <- cbind(x = c(0.1, 0.5, 0.2, 0.9), y = c(0, 0.3, 0.3, 1))
  marked <- spatstat.geom::ppp(x[, 1], x[, 2], marks = letters[1:4])
  expect_points(marked, x)
  z <- c(0.3, 0.7, 0.1, 0.2)
  solid <- spatstat.geom::pp3(x[, 1], x[, 2], z, spatstat.geom::box3(c(0, 1)))
  expect_points(solid, cbind(x, z = z))
})

test_that("atoms of a frame of bio3d are taken", {
  skip_if_not_installed("bio3d")
  one <- rbind(c(x = 1, y = 2, z = 3), c(4, 5, 7), c(0, 1, 1))
  two <- 2 * one
  frames <- bio3d::as.xyz(rbind(c(t(one)), c(t(two))))
  expect_points(frames, two, frame = 2)
  expect_points(bio3d::as.xyz(c(t(one))), one)
  pdb <- bio3d::read.pdb(system.file("examples/1hel.pdb", package = "bio3d"), verbose = FALSE)
  atoms <- as.matrix(pdb$atom[, c("x", "y", "z")])
  rownames(atoms) <- NULL
  expect_identical(c(gpu_closest_pair(pdb, k = 5)), c(gpu_closest_pair(atoms, k = 5)))
  expect_refused(
    gpu_dist(frames), "frame must be a whole number from 1 to 2, the frames of x, not NULL", "frame"
  )
  expect_refused(gpu_dist(frames, frame = 3), "from 1 to 2, the frames of x, not 3", "frame")
})

test_that("delayed matrices follow one rule in all families", {
  skip_if_not_installed("HDF5Array")
  skip_if(!nzchar(gpu_hdf5_version()), "gpugeo was built without HDF5")
  set.seed(5)
  x <- matrix(rnorm(180), 60, 3)
  h <- HDF5Array::writeHDF5Array(x)
  expect_points(h, x)
  expect_points(h[1:40, ], x[1:40, ])
  expect_points(orient(HDF5Array::writeHDF5Array(t(x)), TRUE), x)
  expect_points(h + 1, x + 1)
  expect_identical(gpu_cor(h + 1), gpu_cor(x + 1))
  stored <- gpu_hdf5(methods::slot(h@seed, "filepath"), methods::slot(h@seed, "name"))
  expect_identical(gpu_knn(stored, 2), gpu_knn(x, 2))
  expect_identical(gpu_collisions(stored, 1), gpu_collisions(x, 1))

  # Larger than the memory limit: panels of a file where a function reads those, else an error.
  large <- matrix(rnorm(150000), 1000, 150, dimnames = list(paste0("p", 1:1000), NULL))
  file <- tempfile(fileext = ".h5")
  h <- HDF5Array::writeHDF5Array(large, file, "x", with.dimnames = TRUE)
  sums <- c(gpu_dist(large))
  limit <- 2^20
  expect_identical(c(gpu_dist(h, memory_limit = limit)), sums)
  before <- list.files(tempdir(), "^gpugeo.*h5$")
  by_file <- gpu_dist(h * 2, memory_limit = limit)
  expect_identical(c(by_file), c(gpu_dist(large * 2)))
  expect_identical(attr(by_file, "Labels"), rownames(large))
  invisible(gc())
  expect_identical(list.files(tempdir(), "^gpugeo.*h5$"), before)
  for (compute in list(
    function(...) gpu_knn(..., k = 2), function(...) gpu_radius(..., 1), gpu_cor,
    function(...) gpu_neighbor_graph(..., k = 2), gpu_closest_pair,
    function(...) gpu_collisions(..., radius = 1)
  )) {
    expect_refused(
      compute(h, memory_limit = limit),
      "x must fit into memory_limit: its 1000 x 150 values take 1.1 MiB, and memory_limit is 1 MiB"
    )
  }
  # In blocks of two columns.
  automatic <- DelayedArray::getAutoBlockSize()
  suppressMessages(DelayedArray::setAutoBlockSize(2 * 8 * 1000))
  blocks <- tryCatch(gpu_dist(h + 1), finally = suppressMessages(
    DelayedArray::setAutoBlockSize(automatic)
  ))
  expect_identical(c(blocks), c(gpu_dist(large + 1)))
})

test_that("an object of an unknown class is an error with the code that would make a matrix", {
  thing <- structure(list(a = 1:3), class = c("thing", "other"))
  for (compute in list(
    gpu_dist, function(x) gpu_knn(x, 1), gpu_cor, gpu_closest_pair,
    function(x) gpu_collisions(x, 1)
  )) {
    expect_refused(
      compute(thing),
      "x must be a numeric matrix, not an object of class \"thing\"; as.matrix(x) may make one"
    )
  }
  expect_refused(
    gpu_dist(structure(list(), class = "AnnDataR6")), "as.matrix(x$X) may make one"
  )
  expect_refused(gpu_cdist(matrix(1), thing), "y must be a numeric matrix", "y")
})

test_that("a factor is an error with what to do", {
  expect_refused(gpu_dist(iris), paste(
    "x must have numeric columns, but column \"Species\" is a factor;",
    "method = \"gower\" takes factors, and model.matrix() makes numbers of them"
  ))
  expect_refused(gpu_cor(iris), paste(
    "x must have numeric columns, but column \"Species\" is a factor;",
    "model.matrix() makes numbers of factors"
  ))
})

test_that("points on a network and sequences are refused", {
  is_refused <- function(call, message) {
    expect_error(call, message, fixed = TRUE, class = "gpugeo_error")
  }
  refused <- function(x, message) {
    is_refused(gpu_dist(x), message)
    is_refused(gpu_knn(x, 1), message)
    is_refused(gpu_pam(x, 2), message)
  }
  network <- structure(list(data = data.frame(x = 1, y = 1, seg = 1)), class = c("lpp", "ppx"))
  refused(network, paste(
    "x must be a numeric matrix, not an object of class \"lpp\"; spatstat.geom::as.ppp(x) may make",
    "one"
  ))
  refused(structure(list(), class = "ppx"), "not an object of class \"ppx\"")
  bases <- structure(matrix(as.raw(c(136, 24)), 2, 3), class = "DNAbin")
  message <- paste(
    "x must be a numeric matrix, not sequences of class \"DNAbin\"; gpu_dist_dna(x) makes",
    "distances of them"
  )
  is_refused(gpu_dist(bases), message)
  is_refused(gpu_cdist(bases, bases), message)
  is_refused(gpu_dist(structure(list(as.raw(136)), class = "DNAbin")), message)
  is_refused(gpu_dist(structure(list(1:2), class = "phyDat")), "phangorn::dist.ml(x) makes")
  refused(structure(list(), class = "alignment"), "not sequences of class \"alignment\"")
})

# Classes with the slots of SeuratObject 4 and 5.
seurat_of <- function(assays, embeddings) {
  where <- new.env()
  assign(".packageName", "gpugeo", envir = where)
  methods::setClass("DimReduc", slots = c(cell.embeddings = "matrix"), where = where)
  methods::setClass(
    "Seurat",
    slots = c(assays = "list", reductions = "list", active.assay = "character"), where = where
  )
  methods::setClass(
    "Assay", slots = c(counts = "ANY", data = "ANY", scale.data = "matrix"), where = where
  )
  methods::setClass(
    "Assay5", slots = c(layers = "list", cells = "matrix", features = "matrix"), where = where
  )
  make <- function(class, ...) methods::new(methods::getClass(class, where = where), ...)
  make(
    "Seurat",
    assays = assays(make), active.assay = "RNA",
    reductions = list(pca = make("DimReduc", cell.embeddings = embeddings))
  )
}

test_that("points of a Seurat object are its cells", {
  skip_if_not_installed("Matrix")
  set.seed(2)
  counts <- matrix(rpois(60, 1), 10, dimnames = list(paste0("g", 1:10), paste0("c", 1:6)))
  data <- log1p(counts)
  sparse <- methods::as(counts, "CsparseMatrix")
  embeddings <- matrix(rnorm(12), 6, dimnames = list(colnames(counts), c("PC_1", "PC_2")))
  all_of <- function(names, layers) { # a LogMap, which extends the class of matrices
    matrix(TRUE, length(names), length(layers), dimnames = list(names, layers))
  }
  old <- seurat_of(function(make) {
    none <- matrix(0, 0, 0)
    list(
      RNA = make("Assay", counts = sparse, data = data, scale.data = none),
      ADT = make("Assay", counts = sparse[1:3, ], data = none, scale.data = none)
    )
  }, embeddings)
  new <- seurat_of(function(make) {
    assay <- function(layers, rows) {
      make(
        "Assay5",
        layers = lapply(layers, unname), cells = all_of(colnames(counts), names(layers)),
        features = all_of(rownames(counts)[rows], names(layers))
      )
    }
    list(
      RNA = assay(list(counts = sparse, data = data), 1:10),
      ADT = assay(list(counts = sparse[1:3, ]), 1:3)
    )
  }, embeddings)
  near <- function(x, y) expect_equal(c(x), c(y))
  for (object in list(old, new)) {
    near(gpu_dist(object), dist(t(data)))
    expect_identical(attr(gpu_dist(object), "Labels"), colnames(counts))
    near(gpu_dist(object, assay = c("RNA", "counts")), dist(t(counts)))
    near(gpu_dist(object, assay = "ADT"), dist(t(counts[1:3, ])))
    near(gpu_dist(object, assay = 2), dist(t(counts[1:3, ])))
    near(gpu_dist(object, reducedDim = "pca"), dist(embeddings))
    expect_identical(gpu_knn(object, 2, reducedDim = 1), gpu_knn(embeddings, 2))
    near(gpu_cor(object), cor(data))
    expect_error(gpu_dist(object, assay = "SCT"), "assay must be one of \"RNA\", \"ADT\"")
    expect_error(
      gpu_dist(object, assay = c("RNA", "scale.data")), "assay must be one of \"counts\", \"data\""
    )
    expect_error(gpu_dist(object, reducedDim = "umap"), "reducedDim must be one of \"pca\"")
  }
  expect_error(gpu_dist(counts, assay = "RNA"), "\"Seurat\"")
})

test_that("malformed matrices of package Matrix are refused before they are read", {
  skip_if_not_installed("Matrix")
  x <- Matrix::sparseMatrix(1:3, 1:3, x = 1, dims = c(3, 3))
  triplets <- methods::as(x, "TsparseMatrix")
  triplets@j <- triplets@j + 100000000L
  columns <- x
  columns@p <- c(0L, 1L, 2L, 100000000L)
  for (wrong in list(triplets, columns)) {
    message <- sprintf("must be a valid object of class \"%s\", but ", class(wrong))
    fails <- function(code) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
    fails(gpu_dist(wrong))
    fails(gpu_cdist(diag(3), wrong))
    fails(gpu_cor(wrong))
    fails(gpu_knn(wrong, 1))
    fails(gpu_collisions(wrong, radius = 1))
    fails(gpu_pam(wrong, 2))
    fails(gpu_layout(wrong))
  }
})

skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")

test_that("distances of sequences in a file are those in memory", {
  set.seed(1)
  x <- matrix(sample(c("A", "C", "G", "T", "N", "-"), 300 * 40, TRUE), 300)
  rownames(x) <- paste0("s", 1:300)
  for (model in c("SNP", "K80", "INDEL", "INDELBLOCK", "TN93")) {
    wanted <- gpu_dist_dna(x, model, pairwise.deletion = TRUE)
    for (shape in c("condensed", "square")) {
      file <- tempfile(fileext = ".h5")
      write <- function(x, model, ...) {
        gpu_dist_dna(x, model,
          pairwise.deletion = TRUE, file = file, file_shape = shape, memory_limit = 2^20, ...
        )
      }
      d <- write(x, model)
      expect_identical(c(d$metric, d$shape), c(model, shape))
      expect_gt(d$tiles, 1)
      expect_identical(d$tiles_done, d$tiles)
      all <- as.matrix(wanted)
      all[is.nan(all)] <- NA # as files have missing distances
      expect_identical(as.matrix(d), all)
      expect_identical(gpu_dist_file(file)[3, 1:9], all[3, 1:9])
      expect_identical(write(x, model)$tiles_done, d$tiles)
      expect_error(write(x[300:1, ], model), "holds those of another data or parameters")
      expect_error(write(x, "N"), "holds those of another metric")
      expect_error(write(x, model, file_precision = "float"), "holds those of another precision")
      unlink(file)
    }
  }
})

test_that("a file of distances of sequences is as much a source as they are", {
  x <- c(a = "ACGTACGTAC", b = "ACGTACGTAT", c = "ACGAACTTAC", d = "NNGAACTTAC")
  file <- tempfile(fileext = ".h5")
  d <- gpu_dist_dna(x, "snp", file = file, file_precision = "float")
  wanted <- gpu_hclust(gpu_dist_dna(x, "snp"), "single")
  expect_identical(gpu_hclust(d, "single")$height, wanted$height)
  expect_identical(d$labels, names(x))
  unlink(file)
})

test_that("parameters of the formula belong to a file", {
  x <- c("ACGTACGTAC", "ACGTACGTAT", "ACGAACTTAC")
  file <- tempfile(fileext = ".h5")
  gpu_dist_dna(x, "F81", file = file)
  other <- "holds those of another data or parameters"
  expect_error(gpu_dist_dna(x, "F81", base.freq = rep(0.25, 4), file = file), other)
  expect_error(gpu_dist_dna(x, "F81", base.freq = "pair", file = file), other)
  expect_error(gpu_dist_dna(x, "F81", gamma = 2, file = file), other)
  unlink(file)
})

test_that("what is no distance has no place in a file", {
  x <- c("ACGTACGTAC", "ACGTACGTAT", "ACGAACTTAC")
  file <- tempfile(fileext = ".h5")
  expect_error(gpu_dist_dna(x, "BH87", file = file), "model must be one of symmetric distances")
  expect_error(gpu_dist_dna(x, variance = TRUE, file = file), "variance must be false where")
  expect_error(gpu_dist_dna(x, sites = TRUE, file = file), "sites must be false where")
  expect_error(gpu_dist_dna(x, "SNP", all.letters = TRUE, file = file), "all.letters must be false")
  expect_error(gpu_dist_dna(x, as.matrix = TRUE, file = file), "as.matrix must be FALSE with file")
  expect_error(gpu_dist_dna(x, file = file, file_shape = "round"), "file_shape must be")
  expect_error(gpu_dist_dna(x, file = 1), "file must be")
  expect_false(file.exists(file))
})

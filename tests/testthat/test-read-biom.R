# Tables in BIOM files. Expected values are from h5py 3.16 and biom-format 2.1.18.
skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")

example <- function() system.file("extdata", "table.biom", package = "gpugeo")

# Samples by taxa, of the example in the documentation of the format.
expected <- matrix(
  c(0, 0, 1, 0, 0, 0, 5, 1, 0, 2, 3, 1, 0, 0, 1, 4, 0, 2, 2, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0), 6,
  dimnames = list(paste0("Sample", 1:6), paste0("GG_OTU_", 1:5))
)

test_that("a table is read with its metadata", {
  counts <- gpu_read_biom(example())
  expect_identical(as.matrix(counts), expected)
  expect_identical(attr(counts, "taxonomy"), matrix(
    c(
      "k__Bacteria", "k__Bacteria", "k__Archaea", "k__Bacteria", "k__Bacteria",
      "p__Proteobacteria", "p__Cyanobacteria", "p__Euryarchaeota", "p__Firmicutes", ""
    ), 5,
    dimnames = list(colnames(expected), c("Rank1", "Rank2"))
  ))
  expect_identical(attr(counts, "sample_data"), data.frame(
    BODY_SITE = rep(c("gut", "skin"), each = 3),
    Description = c("Gehirn", "b", "c", "d", "e", "f\u00e4"), row.names = rownames(expected)
  ))
  expect_identical(
    attr(counts, "taxon_data"),
    data.frame(confidence = c("0.5", "1", "0.25", "0.75", "1"), row.names = colnames(expected))
  )
  expect_identical(c(gpu_vegdist(counts)), c(gpu_vegdist(expected)))
})

test_that("the table of mice is that of unifrac-binaries", {
  table <- read.csv(test_path("unifrac", "crawford.csv"), header = FALSE, row.names = 1)
  counts <- gpu_read_biom(system.file("extdata", "mice.biom", package = "gpugeo"))
  expect_identical(unname(as.matrix(counts)), unname(t(as.matrix(table))) + 0)
  expect_identical(colnames(counts), rownames(table))
  mice <- attr(counts, "sample_data")
  expect_identical(rownames(mice), paste0("PC.", c(481, 593, 356, 355, 354, 636, 635, 607, 634)))
  expect_identical(mice$treatment, rep(c("control", "fasted"), 5:4))
})

test_that("the matrix is one of package Matrix", {
  skip_if_not_installed("Matrix")
  counts <- gpu_read_biom(example())
  expect_s4_class(counts, "dgCMatrix")
  expect_true(methods::validObject(counts))
  expect_identical(counts@x, expected[expected != 0])
})

test_that("only samples are compressed, out of order, in other types", {
  counts <- gpu_read_biom(test_path("samples.biom"))
  expect_identical(as.matrix(counts), expected)
  expect_identical(
    attr(counts, "sample_data"),
    data.frame(pH = c(6.5, 7, 7.25, 5, 5.5, 8), row.names = rownames(expected))
  )
  expect_null(attr(counts, "taxonomy"))
  expect_null(attr(counts, "taxon_data"))
})

test_that("other files are errors", {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines("{\"format\": \"Biological Observation Matrix 1.0.0\"}", file)
  expect_error(
    gpu_read_biom(file), "must be a BIOM 2.1 table (HDF5), not one of BIOM 1.0 (JSON)",
    fixed = TRUE
  )
  writeLines("a text", file)
  expect_error(gpu_read_biom(file), "is no HDF5 file", class = "gpugeo_error")
  expect_error(gpu_read_biom(3), "path must be a single string, not 3", fixed = TRUE)
})

test_that("phyloseq takes the parts", {
  skip_if_not_installed("phyloseq")
  counts <- gpu_read_biom(example())
  table <- phyloseq::phyloseq(
    phyloseq::otu_table(as.matrix(counts), taxa_are_rows = FALSE),
    phyloseq::tax_table(attr(counts, "taxonomy")),
    phyloseq::sample_data(attr(counts, "sample_data"))
  )
  expect_identical(phyloseq::ntaxa(table), 5L)
  expect_identical(phyloseq::rank_names(table), c("Rank1", "Rank2"))
  expect_identical(c(gpu_vegdist(table)), c(gpu_vegdist(counts)))
})

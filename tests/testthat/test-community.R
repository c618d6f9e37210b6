# Distances of package vegan, written out: counts of 5 samples of 4 species.
counts <- rbind(c(3, 0, 1, 2), c(0, 5, 1, 0), c(4, 1, 0, 2), c(1, 1, 6, 0), c(0, 2, 2, 2))
written <- list(
  bray = function(a, b) sum(abs(a - b)) / sum(a + b),
  jaccard = function(a, b) 1 - sum(pmin(a, b)) / sum(pmax(a, b)),
  canberra = function(a, b) {
    used <- a + b > 0
    mean(abs(a - b)[used] / (a + b)[used])
  },
  euclidean = function(a, b) sqrt(sum((a - b)^2)),
  manhattan = function(a, b) sum(abs(a - b)),
  gower = function(a, b) mean(abs(a - b) / c(4, 5, 6, 2))
)
by_definition <- function(x, distance) {
  pairs <- utils::combn(nrow(x), 2L)
  structure(
    apply(pairs, 2L, function(k) {
      shared <- !is.na(x[k[1L], ]) & !is.na(x[k[2L], ])
      distance(x[k[1L], shared], x[k[2L], shared])
    }),
    class = "dist", Size = nrow(x), Diag = FALSE, Upper = FALSE
  )
}
order <- rbind(5:1, c(2, 3, 4, 5, 1), c(3, 1, 4, 2, 5))
g <- factor(c(1, 2, 1, 2, 2))

test_that("names of vegan's metrics have its meaning in all functions of its names", {
  for (method in names(written)) {
    d <- by_definition(counts, written[[method]])
    for (x in list(counts, as.data.frame(counts))) {
      for (name in c(method, toupper(method), substring(method, 1L, 4L))) {
        expect_equal(
          as.matrix(gpu_adonis2(x ~ g, permutations = order, method = name)),
          as.matrix(gpu_adonis2(d ~ g, permutations = order))
        )
      }
      expect_equal(
        as.matrix(gpu_adonis2(x ~ g, permutations = order, metric = method, add = "cailliez")),
        as.matrix(gpu_adonis2(d ~ g, permutations = order, add = "cail")),
        tolerance = 1e-6
      )
      parts <- c("statistic", "signif")
      expect_equal(
        gpu_anosim(x, g, order, method)[parts], gpu_anosim(d, g, order)[parts]
      )
      parts <- c("delta", "E.delta", "Pvalue")
      expect_equal(gpu_mrpp(x, g, order, method)[parts], gpu_mrpp(d, g, order)[parts])
      expect_equal(
        gpu_betadisper(x, g, method = method)$eig, gpu_betadisper(d, g)$eig,
        tolerance = 1e-6
      )
    }
  }
  # Gower and Legendre's F of one factor of two groups, from the sums of squares.
  d <- as.matrix(by_definition(counts, written$jaccard))^2
  within <- sum(d[g == 1, g == 1]) / 4 + sum(d[g == 2, g == 2]) / 6
  total <- sum(d) / 10
  expect_equal(
    gpu_adonis2(counts ~ g, permutations = order, method = "jaccard")$F[1L],
    (total - within) / (within / 3)
  )
  expect_identical(gpu_anosim(counts, g, order, "jaccard")$dissimilarity, "jaccard")
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(counts, sparse = TRUE)
  expect_equal(
    gpu_mrpp(sparse, g, order, "jaccard")$delta, gpu_mrpp(counts, g, order, "jaccard")$delta
  )
})

test_that("pairs of groups take vegan's names of metrics", {
  skip_if_not_installed("permute")
  d <- by_definition(counts, written$jaccard)
  test <- function(...) suppressMessages(gpu_pairwise_adonis(..., permutations = 0))
  expect_equal(test(counts, g, method = "jac")$F, test(d, g)$F)
})

test_that("the other names of vegan's metrics are those of gpu_vegdist()", {
  whole <- setdiff(names(vegan_metrics), c(names(written), "mahalanobis", "aitchison"))
  for (method in whole) {
    d <- gpu_vegdist(counts, method)
    expect_equal(
      gpu_anosim(counts, g, order, method)[c("statistic", "signif", "dissimilarity")],
      gpu_anosim(d, g, order)[c("statistic", "signif", "dissimilarity")]
    )
    expect_equal(
      as.matrix(gpu_adonis2(counts ~ g, permutations = order, method = method)),
      as.matrix(gpu_adonis2(d ~ g, permutations = order))
    )
  }
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(
    gpu_anosim(counts, g, order, "aitchison"),
    "x must be above 0 for \"clr\", but row 2, column 1"
  )
  wrong(
    gpu_mrpp(counts, g, order, "b"),
    'distance must be one metric of package vegan, not "b", which begins "bray", "binomial"'
  )
  expect_silent(gpu_mrpp(counts, g, order, "binary"))
  expect_silent(gpu_mrpp(counts, g, order, "cityblock"))
})

test_that("missing values are errors, or left out as in vegan", {
  gaps <- counts
  gaps[2, 3] <- gaps[5, 1] <- NA
  message <- paste(
    "must have no missing values, but row 5, column 1 is missing; na.rm = TRUE leaves out missing",
    "values"
  )
  wrong <- function(code, name) {
    expect_error(code, paste(name, message), fixed = TRUE, class = "gpugeo_error")
  }
  wrong(gpu_adonis2(gaps ~ g, permutations = order), "the left side of formula")
  wrong(gpu_anosim(gaps, g, order), "x")
  wrong(gpu_mrpp(as.data.frame(gaps), g, order), "dat")
  wrong(gpu_betadisper(gaps, g), "d")
  wrong(gpu_pairwise_adonis(gaps, g), "x")
  for (method in c("bray", "jaccard", "canberra", "euclidean", "manhattan")) {
    d <- by_definition(gaps, written[[method]])
    expect_equal(
      as.matrix(gpu_adonis2(gaps ~ g, permutations = order, method = method, na.rm = TRUE)),
      as.matrix(gpu_adonis2(d ~ g, permutations = order))
    )
  }
  expect_error(gpu_anosim(counts, g, order, na.rm = 1), "na.rm must be true or false, not 1")
})

test_that("negative values and empty rows are warnings", {
  odd <- counts
  odd[4, ] <- 0
  for (method in c("bray", "jaccard", "canberra")) {
    expect_warning(
      gpu_anosim(odd, g, order, method),
      sprintf("row 4 of the points has no value other than 0; \"%s\" may have no meaning", method)
    )
  }
  expect_silent(gpu_anosim(odd, g, order, "euclidean"))
  odd[4, 2] <- -1
  expect_warning(
    gpu_adonis2(odd ~ g, permutations = order),
    "points have negative values, for which \"braycurtis\" may have no meaning"
  )
  expect_silent(gpu_anosim(odd, g, order, "manhattan"))
  expect_silent(gpu_dist(odd, "bray"))
})

# Each of them returns what does not depend on how it was called.
community_functions <- list(
  function(x) c(gpu_vegdist(x)), function(x) c(gpu_designdist(x)),
  function(x) c(gpu_betadiver(x, "w")), function(x) gpu_decostand(x, "hellinger"),
  function(x) gpu_diversity(x), function(x) gpu_rarefy(x, 2),
  function(x) gpu_hclust(x, metric = "bray")$height,
  function(x) c(gpu_avgdist(x, 2, iterations = 3)), function(x) gpu_rrarefy(x, 2),
  function(x) gpu_betadisper(x, g, method = "bray")$distances,
  function(x) gpu_pcoa(x, method = "bray")$values,
  function(x) gpu_anosim(x, g, permutations = order, distance = "bray")$statistic,
  function(x) gpu_mrpp(x, g, permutations = order, distance = "bray")$delta,
  function(x) gpu_adonis2(x ~ g, permutations = order, method = "bray")$F
)

test_that("functions of communities take samples on either side of phyloseq and Bioconductor", {
  samples <- counts
  dimnames(samples) <- list(letters[1:5], LETTERS[1:4])
  taxa <- t(samples)
  objects <- list()
  if (requireNamespace("phyloseq", quietly = TRUE)) {
    rows <- phyloseq::otu_table(taxa, taxa_are_rows = TRUE)
    columns <- phyloseq::otu_table(samples, taxa_are_rows = FALSE)
    data <- phyloseq::sample_data(data.frame(g, row.names = rownames(samples)))
    whole <- phyloseq::phyloseq(rows, data)
    objects <- list(rows, columns, whole, phyloseq::phyloseq(columns, data))
  }
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    objects <- c(objects, SummarizedExperiment::SummarizedExperiment(list(counts = taxa)))
  }
  if (length(objects) == 0L) {
    skip("neither phyloseq nor SummarizedExperiment is installed")
  }
  for (k in seq_along(community_functions)) {
    set.seed(4)
    expected <- community_functions[[k]](samples)
    for (object in objects) {
      set.seed(4)
      expect_equal(community_functions[[!!k]](object), expected)
    }
  }
})

test_that("data of phyloseq and Bioconductor have the variables of a formula", {
  group <- data.frame(g, row.names = letters[1:5])
  data <- list()
  if (requireNamespace("phyloseq", quietly = TRUE)) {
    data <- list(phyloseq::sample_data(group))
  }
  if (requireNamespace("S4Vectors", quietly = TRUE)) {
    data <- c(data, S4Vectors::DataFrame(group))
  }
  if (length(data) == 0L) {
    skip("neither phyloseq nor S4Vectors is installed")
  }
  expected <- gpu_adonis2(counts ~ g, group, permutations = order)
  ordination <- gpu_dbrda(counts ~ g, group)
  for (variables in data) {
    expect_equal(gpu_adonis2(counts ~ g, variables, permutations = order)$F, expected$F)
    expect_equal(gpu_dbrda(counts ~ g, variables)$CCA$eig, ordination$CCA$eig)
  }
})

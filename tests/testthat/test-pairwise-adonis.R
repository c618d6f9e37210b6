test_that("each pair is tested as vegan does", {
  skip_if_not_installed("vegan")
  set.seed(2)
  x <- matrix(rpois(300, 4), 60)
  group <- factor(sample(c("b", "a", "c"), 60, TRUE), c("b", "a", "c", "none"))
  strata <- gl(4, 15)
  square <- as.matrix(vegan::vegdist(x))
  for (by in list(NULL, strata)) {
    set.seed(9)
    expected <- lapply(list(c("b", "a"), c("b", "c"), c("a", "c")), function(pair) {
      kept <- group %in% pair
      d <- stats::as.dist(square[kept, kept])
      g <- group[kept]
      vegan_adonis2(d ~ g, permutations = 99, strata = if (!is.null(by)) by[kept], by = "terms")
    })
    set.seed(9)
    got <- gpu_pairwise_adonis(vegan::vegdist(x), group, 99, strata = by)
    expect_identical(got$group1, c("b", "b", "a"))
    expect_identical(got$group2, c("a", "c", "c"))
    for (name in c("Df", "SumOfSqs", "R2", "F")) {
      first <- vapply(expected, function(table) table[[name]][1L], 0)
      expect_equal(got[[name]], first, tolerance = 1e-10)
    }
    first <- vapply(expected, function(table) table$`Pr(>F)`[1L], 0)
    expect_identical(got$p.value, first)
    expect_identical(got$p.adjusted, stats::p.adjust(first, "holm"))
  }
  set.seed(9)
  from_points <- gpu_pairwise_adonis(x, group, 99, "none", strata = strata)
  expect_equal(from_points[1:7], got[1:7], tolerance = 1e-12)
  expect_identical(from_points$p.adjusted, from_points$p.value)
  set.seed(9)
  expect_equal(gpu_pairwise_adonis(square, group, 99, strata = strata), got, tolerance = 1e-12)
})

test_that("files give the same as distances in memory", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  order <- t(vapply(1:9, function(k) (seq_len(100) * 7L + k * 11L) %% 100L + 1L, integer(100)))
  file <- tempfile(fileext = ".h5")
  x <- as.matrix(iris[1:4])
  got <- gpu_pairwise_adonis(gpu_dist(x, file = file), iris$Species, order)
  expect_identical(got, gpu_pairwise_adonis(gpu_dist(x), iris$Species, order))
  expect_error(
    gpu_pairwise_adonis(gpu_dist_file(file), iris$Species, order, memory_limit = 30000),
    "x must fit into memory_limit: its 4950 distances take 38.7 KiB, and memory_limit is 29.3 KiB",
    fixed = TRUE, class = "gpugeo_error"
  )
  unlink(file)
})

test_that("groups of one are tested, too", {
  skip_if_not_installed("permute")
  got <- gpu_pairwise_adonis(stats::dist(c(1, 4, 9)), c("x", "y", "y"), 5)
  expect_identical(got[c("group1", "group2")], data.frame(group1 = "x", group2 = "y"))
  expect_equal(got$SumOfSqs, 2 / 3 * 5.5^2)
  expect_identical(gpu_pairwise_adonis(stats::dist(1:2), 1:2, 5)$F, NA_real_)
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_pairwise_adonis(d, 1:3), "group must have a value for each of the 4 points, not 3 val")
  wrong(gpu_pairwise_adonis(d, rep(1, 4)), "group must have at least two different values")
  wrong(gpu_pairwise_adonis(d, c(1, NA, 1, 2)), "group must have no missing values")
  wrong(
    gpu_pairwise_adonis(d, gl(2, 2), method = gpu_metric("minkowski", 1)),
    "method must be given with points, not with distances"
  )
  wrong(gpu_pairwise_adonis(d, gl(2, 2), adjust = "x"), "adjust must be one of ")
  wrong(
    gpu_pairwise_adonis(d, gl(2, 2), strata = 1:2),
    "strata must have a value for each of the 4 points, not 2 values"
  )
})

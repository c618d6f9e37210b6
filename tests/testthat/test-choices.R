test_that("weights that are text are shown", {
  expect_error(
    gpu_dist(iris, gpu_metric("gower", column_weights = c("a", "b"))),
    "column_weights must be numbers, not c(\"a\", \"b\")",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("the beginning of a choice is enough in every function, in any case", {
  x <- matrix(sin(1:24), 8)
  d <- stats::dist(x)
  order <- matrix(8:1, 1)
  g <- gl(2, 4)
  same <- function(short, full) {
    short$call <- full$call <- NULL
    expect_identical(short, full)
  }
  same(gpu_betadisper(d, g, "cent"), gpu_betadisper(d, g, "centroid"))
  same(gpu_betadisper(d, g, add = "Li"), gpu_betadisper(d, g, add = "lingoes"))
  same(gpu_mds(d, type = "ord"), gpu_mds(d, type = "ordinal"))
  same(gpu_mds(d, start = "p"), gpu_mds(d, start = "pcoa"))
  same(gpu_pcoa(d, correction = "cail"), gpu_pcoa(d, correction = "cailliez"))
  same(gpu_pam(d, 2, variant = "orig"), gpu_pam(d, 2, variant = "original"))
  same(gpu_hclust(d, "ave"), gpu_hclust(d, "average"))
  same(gpu_mantel(d, d, "sp", order), gpu_mantel(d, d, "spearman", order))
  expect_identical(gpu_mst(d, as = "e"), gpu_mst(d, as = "edges"))
  expect_identical(
    gpu_neighbor_graph(x, 2, join = "mut", as = "edg", weights = "jac"),
    gpu_neighbor_graph(x, 2, join = "mutual", as = "edges", weights = "jaccard")
  )
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(
    gpu_hclust(d, "c"),
    paste(
      "method must be one of \"single\", \"complete\", \"average\", \"mcquitty\", \"ward.D\",",
      "\"ward.D2\", \"centroid\", \"median\", not \"c\", which begins several of them"
    )
  )
  wrong(gpu_mst(d, as = ""), "as must be one of \"edges\", \"igraph\", not \"\"")
  wrong(gpu_mst(d, as = NA_character_), "as must be a single string, not NA")
  wrong(
    gpu_pairwise_adonis(d, g, adjust = "b"),
    paste(
      "adjust must be one of \"holm\", \"hochberg\", \"hommel\", \"bonferroni\", \"BH\", \"BY\",",
      "\"fdr\", \"none\", not \"b\", which begins several of them"
    )
  )
  skip_if_not_installed("permute")
  pairs <- function(adjust) {
    set.seed(1)
    suppressMessages(gpu_pairwise_adonis(d, gl(4, 2), 9, adjust))
  }
  expect_identical(pairs("bonf"), pairs("bonferroni"))
})

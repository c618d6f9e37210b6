# Results in a fresh process, where only gpugeo is attached and no package is loaded that has
# methods for them.

# Returns code that stops if a package of the originals is loaded.
none_loaded <- c(
  "others <- c('cluster', 'dbscan', 'vegan', 'ggplot2')",
  "stopifnot(!any(others %in% loadedNamespaces()))"
)

# Runs code after which all of `results`, expressions in a list, have been printed, summarized, and
# drawn with each of the arguments in `drawn`. Returns the output.
shown_alone <- function(prepare, results) {
  rscript(c(
    "library(gpugeo)", "pdf(NULL)", "set.seed(1)", prepare,
    sprintf("results <- list(%s)", paste(results, collapse = ", ")),
    "for (name in names(results)) {",
    "  x <- results[[name]]",
    "  text <- capture.output(value <- print(x))",
    "  stopifnot(identical(value, x), length(text) > 1, length(text) < 40)",
    "  stopifnot(length(capture.output(print(summary(x)))) > 1)",
    "  summary_class <- class(summary(x))[1]",
    "  if (identical(summary_class, 'summaryDefault')) stop(name)",
    "  value <- withVisible(plot(x))",
    "  stopifnot(identical(value$value, x), !value$visible)",
    "}", none_loaded, "cat('done')"
  ))
}

test_that("clusters are printed, summarized and drawn without other packages", {
  expect_identical(shown_alone(
    c("x <- as.matrix(quakes[1:300, 1:2])", "k <- rep(1:3, 100)"),
    c(
      "widths = gpu_silhouette(x, k)", "parts = gpu_pam(x, 3)", "few = gpu_pam(gpu_dist(x), 2)",
      "one = gpu_pam(x, 1)", "density = gpu_dbscan(x, 1)", "tree = gpu_hdbscan(x, 10)",
      "none = gpu_hdbscan(x, 300)", "edges = gpu_mst(x)", "near = gpu_knn(x, 3)",
      "within = gpu_radius(x, 1)", "graph = gpu_neighbor_graph(x, 3)"
    )
  ), "done")
})

test_that("tests and ordinations are printed, summarized and drawn without other packages", {
  order <- "order <- t(sapply(1:19, function(k) (1:30 * 7 + k * 11) %% 30 + 1))"
  expect_identical(shown_alone(
    c(
      "x <- as.matrix(iris[5 * 1:30, 1:4])", "g <- iris$Species[5 * 1:30]", "d <- gpu_dist(x)",
      order
    ),
    c(
      "r = gpu_anosim(d, g, order)", "delta = gpu_mrpp(d, g, order)",
      "m = gpu_mantel(d, d^2, permutations = order)",
      "p = gpu_mantel_partial(d, d^2, sqrt(d), permutations = order)",
      "spread = gpu_betadisper(d, g)",
      "f = gpu_permutest(gpu_betadisper(d, g), permutations = order)",
      "ad = gpu_adonis2(d ~ g, data.frame(g), order)", "pcoa = gpu_pcoa(d)", "mds = gpu_mds(d)",
      "line = gpu_pcoa(d, 1)", "cycle = gpu_dgp(c(3, 4, 5, 2), tol = 0)",
      "graph = gpu_dgp_graph(rbind(c(1, 2, 1), c(2, 3, 1)))"
    )
  ), "done")
})

test_that("methods of other packages take their places without a message", {
  skip_if_not_installed("cluster")
  skip_if_not_installed("dbscan")
  skip_if_not_installed("vegan")
  output <- rscript(c(
    "library(gpugeo)", "x <- as.matrix(iris[, 1:4])", "widths <- gpu_silhouette(x, iris$Species)",
    "before <- summary(widths)", none_loaded,
    "for (name in others[1:3]) suppressPackageStartupMessages(loadNamespace(name))",
    "for (name in c('summary.silhouette', 'print.pam', 'plot.partition')) {",
    "  method <- getS3method(sub('\\\\..*', '', name), sub('^[a-z]*\\\\.', '', name))",
    "  stopifnot(identical(environmentName(environment(method)), 'cluster'))",
    "}",
    "home <- function(class) environmentName(environment(getS3method('print', class)))",
    "stopifnot(home('anosim') == 'vegan', home('dbscan_fast') == 'dbscan')",
    "after <- summary(widths)",
    "stopifnot(all.equal(before$avg.width, after$avg.width))",
    "stopifnot(all.equal(c(before$clus.avg.widths), c(after$clus.avg.widths)))",
    "stopifnot(identical(c(before$clus.sizes), c(after$clus.sizes)))",
    "cat('done')"
  ))
  expect_identical(output, "done")
})

test_that("the summary of silhouettes has the means of widths", {
  clusters <- as.integer(iris$Species)
  widths <- gpu_silhouette(iris[, 1:4], clusters)
  values <- unclass(widths)[, "sil_width"]
  for (made in list(summary(widths), fallback_summary.silhouette(widths))) {
    expect_equal(made$avg.width, mean(values))
    expect_equal(as.vector(made$clus.avg.widths), c(by(values, clusters, mean)), ignore_attr = TRUE)
    expect_identical(as.vector(made$clus.sizes), c(50L, 50L, 50L))
  }
  expect_identical(fallback_as.data.frame.silhouette(widths)$sil_width, values)
})

test_that("bars of silhouettes are in the order of clusters and widths", {
  widths <- structure(
    cbind(cluster = c(2, 1, 2, 1), neighbor = c(1, 2, 1, 2), sil_width = c(0.1, 0.2, 0.3, -0.4)),
    class = "silhouette"
  )
  expect_identical(silhouette_order(widths), c(2L, 4L, 3L, 1L))
})

test_that("summaries of clusters and edges count", {
  x <- c(0, 1, 2, 10, 11, 12, 50)
  sizes <- data.frame(cluster = 0:2, size = c(1L, 3L, 3L))
  expect_identical(fallback_summary.dbscan_fast(gpu_dbscan(x, 1.5, 2)), sizes)
  edges <- gpu_neighbor_graph(x, radius = 1.5)
  expect_identical(summary(edges), data.frame(vertices = 7L, edges = 4L, components = 3L))
  expect_identical(class(edges[1:2, ]), "data.frame")
  ends <- data.frame(from = c(1L, 2L, 4L, 5L), to = c(2L, 3L, 5L, 6L))
  expect_identical(as.data.frame(edges), ends)
  chain <- cbind(c(5, 3, 1, 2), c(3, 1, 2, 4))
  expect_identical(component_of(chain[, 1], chain[, 2], 6), c(1L, 1L, 1L, 1L, 1L, 2L))
})

test_that("neighbours become data frames", {
  near <- gpu_knn(c(0, 1, 3), 1)
  expect_identical(
    as.data.frame(near), data.frame(point = 1:3, neighbor = c(2L, 1L, 2L), distance = c(1, 1, 2))
  )
  within <- gpu_radius(c(0, 1, 3), 1)
  expect_identical(
    as.data.frame(within), data.frame(point = 1:2, neighbor = 2:1, distance = c(1, 1))
  )
  expect_identical(neighbor_ends(near, NULL), rbind(1:2, 2:3))
  query <- gpu_knn(c(0, 1, 3), 1, query = 2)
  expect_error(plot(query), "x must be neighbours without query", class = "gpugeo_error")
})

test_that("bars of the condensed tree are as wide as their points", {
  x <- c(0, 1, 2, 10, 11, 12)
  bars <- condensed_bars(attr(gpu_hdbscan(x, 3), "hdbscan"))
  width <- vapply(bars, function(bar) max(bar$right - bar$left), 0)
  expect_identical(width, c("0" = 6, "1" = 3, "2" = 3))
  expect_identical(vapply(bars, function(bar) min(bar$left), 0), c("0" = 0, "1" = 0, "2" = 3))
})

test_that("trees become data frames", {
  tree <- gpu_hclust(gpu_dist(c(0, 1, 5, 7)), "single")
  expect_identical(as.data.frame(tree), data.frame(
    merge = 1:3, first = c(-1L, -3L, 1L), second = c(-2L, -4L, 2L), height = c(1, 2, 4),
    size = c(2L, 2L, 4L)
  ))
  lines <- tree_segments(tree)
  expect_identical(range(lines$x), c(1, 4))
  expect_identical(lines$yend, rep(c(1, 2, 4), 3))
})

test_that("tidy(), glance() and augment() give data frames", {
  skip_if_not_installed("generics")
  found <- gpu_pcoa(gpu_dist(cbind(c(0, 3, 0), c(0, 0, 4))))
  expect_equal(as.data.frame(generics::tidy(found))$cumulative[2], 1)
  expect_identical(nrow(generics::glance(found)), 1L)
  with <- generics::augment(found, data.frame(name = c("a", "b", "c")))
  expect_identical(names(with), c("name", ".axis1", ".axis2"))
  expect_error(
    generics::augment(found, iris), "data must have a row for each of the 3 points, not 150 rows",
    class = "gpugeo_error"
  )
  tree <- gpu_hclust(gpu_dist(c(0, 1, 5, 7)))
  expect_identical(generics::augment(tree, k = 2)$.cluster, c(1L, 1L, 2L, 2L))
  expect_identical(generics::glance(tree)$height, 7)
  widths <- gpu_silhouette(c(0, 1, 10, 11), c(1, 1, 2, 2))
  # a = 1; b is 10.5 for the points at both ends, 9.5 for the others
  expect_equal(generics::tidy(widths)$avg.width, rep(mean(1 - 1 / c(10.5, 9.5)), 2))
  clusters <- gpu_hdbscan(c(0, 1, 2, 10, 11, 12), 3)
  expect_identical(generics::glance(clusters)$clusters, 2L)
  expect_identical(nrow(generics::augment(clusters)), 6L)
  map <- gpu_mds(gpu_dist(cbind(c(0, 3, 0), c(0, 0, 4))))
  expect_equal(sum(generics::tidy(map)$share), 1)
  group <- data.frame(g = gl(2, 3))
  table <- gpu_adonis2(gpu_dist(c(0, 1, 2, 10, 11, 12)) ~ g, group, rbind(6:1, c(1, 3, 2, 4:6)))
  terms <- generics::tidy(table)
  expect_equal(terms$sumsq[1:2], c(150, 4))
  expect_equal(terms$statistic[1], 150 / (4 / 4))
  expect_equal(generics::glance(table)$r.squared, 150 / 154)
})

test_that("ggplot2 draws results", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  d <- gpu_dist(iris[1:4])
  few <- data.frame(g = gl(2, 3))
  plots <- list(
    ggplot2::autoplot(gpu_pcoa(d), groups = iris$Species), ggplot2::autoplot(gpu_mds(d)),
    ggplot2::autoplot(gpu_silhouette(d, iris$Species)), ggplot2::autoplot(gpu_hclust(d)),
    ggplot2::autoplot(gpu_hdbscan(d, 10)),
    ggplot2::autoplot(gpu_layout(cbind(1:5, c(2:5, 1))), groups = letters[1:5]),
    ggplot2::autoplot(gpu_adonis2(gpu_dist(1:6) ~ g, few, rbind(6:1, 1:6)))
  )
  for (plot in plots) {
    expect_s3_class(plot, "ggplot")
    expect_no_error(print(plot))
  }
  expect_identical(names(ggplot2::fortify(gpu_pcoa(d))), c("axis1", "axis2"))
})

test_that("scores of vegan are the points", {
  skip_if_not_installed("vegan")
  d <- gpu_dist(iris[1:4])
  expect_identical(unname(vegan::scores(gpu_pcoa(d))), unname(gpu_pcoa(d)$points))
  expect_identical(vegan::scores(gpu_mds(d)), gpu_mds(d)$conf)
})

test_that("groups and axes of ordinations are checked", {
  found <- gpu_pcoa(eurodist)
  expect_error(
    plot(found, groups = 1:3), "groups must have a value for each of the 21 points, not 3 values",
    class = "gpugeo_error"
  )
  expect_error(
    plot(gpu_mst(iris[, 1:4]), iris[1:3, 1:4]), "y must be a matrix of numbers",
    class = "gpugeo_error"
  )
})

# What does the code warn of, and how often?
order_warnings <- function(code) {
  found <- character()
  withCallingHandlers(code, gpugeo_order_warning = function(condition) {
    found <<- c(found, conditionMessage(condition))
    invokeRestart("muffleWarning")
  })
  found
}
expect_order <- function(code, line) {
  found <- order_warnings(code)
  expect_length(found, 1L)
  expect_match(found, line, fixed = TRUE)
}
x <- matrix(sin(1:12), 6, dimnames = list(letters[1:6], c("u", "v")))
back <- x[6:1, ]
turned <- x[, 2:1]
order <- matrix(6:1, 1)
values <- stats::setNames(c(1, 1, 1, 2, 2, 2), letters[6:1])
d <- stats::dist(x)

test_that("columns in another order are a warning", {
  expect_order(gpu_knn(x, 2, query = turned), "query[, colnames(x)] has the order of x")
  expect_order(gpu_radius(x, 1, query = turned), "query[, colnames(x)] has the order of x")
  expect_order(gpu_cdist(x, turned), "y[, colnames(x)] has the order of x")
  expect_order(gpu_closest_pair(x, turned), "y[, colnames(x)] has the order of x")
  expect_order(gpu_collisions(x, 1, y = turned), "y[, colnames(x)] has the order of x")
  expect_order(
    gpu_dist_tiles(x, function(...) NULL, y = turned), "y[, colnames(x)] has the order of x"
  )
  expect_order(gpu_cor(x, back), "y[rownames(x), ] has the order of x")
  other <- `colnames<-`(x, c("u", "w"))
  twice <- `colnames<-`(x, c("u", "u"))
  for (query in list(x, unname(turned), other, twice)) {
    expect_length(order_warnings(gpu_knn(x, 2, query = query)), 0L)
  }
})

test_that("values of columns in another order are a warning", {
  one <- c(v = 1, u = 2)
  expect_order(
    gpu_dist(x, gpu_metric("seuclidean", scale = one)), "scale[colnames(x)] has the order of x"
  )
  cov <- matrix(c(2, 1, 1, 2), 2, dimnames = list(names(one), names(one)))
  code <- "cov[colnames(x), colnames(x)] has the order of x"
  metric <- gpu_metric("mahalanobis", cov = cov)
  expect_order(gpu_knn(x, 2, method = metric), code)
  expect_order(gpu_adonis2(x ~ values, NULL, order, metric), code)
  expect_order(
    gpu_hclust(x, metric = gpu_metric("gower", column_weights = one)),
    "column_weights[colnames(d)] has the order of d"
  )
  expect_length(order_warnings(gpu_dist(x, gpu_metric("seuclidean", scale = one[2:1]))), 0L)
})

test_that("points and values in another order are a warning", {
  data <- data.frame(v = unname(values), row.names = names(values))
  expect_order(
    gpu_adonis2(d ~ v, data, order), "data[labels(d), ] has the order of d"
  )
  expect_order(
    gpu_adonis2(x ~ v, data, order, "euclidean", add = TRUE),
    "data[rownames(x), ] has the order of x"
  )
  expect_length(order_warnings(gpu_adonis2(d ~ v, data[6:1, , drop = FALSE], order)), 0L)
  expect_order(gpu_anosim(d, values, order), "grouping[labels(x)] has the order of x")
  expect_order(
    gpu_anosim(as.matrix(d), values, order), "grouping[rownames(x)] has the order of x"
  )
  group <- unname(values)
  expect_order(gpu_anosim(d, group, order, strata = values), "strata[labels(x)] has the order of x")
  expect_order(gpu_mrpp(d, group, order, strata = values), "strata[labels(dat)] has the order of")
  expect_order(gpu_adonis2(d ~ group, NULL, order, strata = values), "strata[labels(d)] has the")
  expect_order(gpu_mantel(d, d, permutations = order, strata = values), "strata[labels(xdis)] has")
  expect_order(gpu_hclust(d, members = values), "members[labels(d)] has the order of d")
  expect_order(gpu_hclust(x, members = values), "members[rownames(d)] has the order of d")
  expect_order(gpu_mrpp(x, values, order), "grouping[rownames(dat)] has the order of dat")
  expect_order(gpu_betadisper(d, values), "group[labels(d)] has the order of d")
  expect_order(gpu_silhouette(d, values), "clusters[labels(x)] has the order of x")
  expect_order(
    gpu_silhouette(x, list(cluster = values)), "clusters[rownames(x)] has the order of x"
  )
  other <- stats::dist(back)
  expect_order(
    gpu_mantel(d, other, permutations = order), "as.matrix(ydis)[labels(xdis), labels(xdis)] has"
  )
  expect_order(
    gpu_mantel_partial(d, d + 0, other^2, permutations = order), "as.matrix(zdis)[labels(xdis), "
  )
  expect_order(
    gpu_mds(d, weights = exp(other)), "as.matrix(weights)[labels(d), labels(d)] has the order of d"
  )
  expect_order(gpu_mds(d, start = back), "start[labels(d), ] has the order of d")
})

test_that("strata of pairs of groups in another order are a warning", {
  skip_if_not_installed("permute")
  expect_order(
    gpu_pairwise_adonis(d, unname(values), 19, strata = values),
    "strata[labels(x)] has the order of x"
  )
})

test_that("the line that a warning gives puts both into the same order", {
  grouping <- values
  expect_identical(
    gpu_anosim(d, grouping[labels(d)], order)$statistic,
    gpu_anosim(d, c(2, 2, 2, 1, 1, 1), order)$statistic
  )
  expect_silent(gpu_anosim(d, grouping[labels(d)], order))
})

test_that("latitude before longitude is a warning for great circles", {
  towns <- cbind(lat = c(52.5, 48.1, 53.6), lon = c(13.4, 11.6, 10))
  line <- paste(
    "x has the columns \"lat\" and \"lon\", but \"great-circle\" takes longitude, then latitude:",
    "x[, 2:1] has this order"
  )
  expect_order(gpu_knn(towns, 1, method = "great-circle"), line)
  expect_order(gpu_knn(towns, 1, method = "great"), line)
  expect_order(gpu_radius(towns, 1e6, method = "great-circle"), line)
  expect_order(gpu_neighbor_graph(towns, 1, method = "great-circle"), line)
  expect_order(gpu_dbscan(towns, 1e6, 2, method = "great-circle"), line)
  expect_order(gpu_closest_pair(towns, metric = "great-circle"), line)
  expect_order(gpu_collisions(towns, 1e6, metric = "great-circle"), line)
  colnames(towns) <- c("Latitude", "Longitude")
  expect_order(
    gpu_knn(
      towns[, 2:1], 1, query = `colnames<-`(towns, c("LAT", "LONG")), method = "great-circle"
    ),
    "query[, 2:1] has this order"
  )
  expect_length(order_warnings(gpu_knn(towns[, 2:1], 1, method = "great-circle")), 0L)
  expect_length(order_warnings(gpu_knn(towns, 1)), 0L)
})

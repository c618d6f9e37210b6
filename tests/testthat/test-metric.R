# gpu_metric(): a metric with its parameters.

set.seed(4)
species <- gl(3, 12)
x <- matrix(rnorm(36 * 4), 36) + as.integer(species)
cubic <- gpu_metric("minkowski", p = 3)
by_cubes <- dist(x, "minkowski", p = 3)

fails <- function(code, message, argument) {
  condition <- tryCatch(code, gpugeo_error = identity)
  expect_identical(conditionMessage(condition), message)
  expect_identical(condition$argument, argument)
}

test_that("every function takes a metric with its parameters", {
  none <- matrix(0L, 0L, nrow(x))
  # Named by the arguments that take the metric.
  functions <- list(
    method = function(x, ...) unname(gpu_knn(x, 3, ...)$distance),
    metric = function(x, ...) gpu_radius(x, 1, ...)$distance,
    method = function(x, ...) gpu_neighbor_graph(x, 3, weights = identity, ...)$weight,
    metric = function(x, ...) gpu_hclust(x, "average", ...)$height,
    method = function(x, ...) gpu_mst(x, ...)$distance,
    metric = function(x, ...) gpu_dbscan(x, 1, 4, ...)$cluster,
    method = function(x, ...) gpu_hdbscan(x, 4, ...)$coredist,
    method = function(x, ...) gpu_silhouette(x, as.integer(species), ...)[, 3],
    method = function(x, ...) gpu_pam(x, 3, ...)$objective,
    method = function(x, ...) gpu_nj(x, ...)$edge.length,
    method = function(x, ...) gpu_upgma(x, ...)$edge.length,
    method = function(x, ...) gpu_pcoa(x, 2, ...)$eig,
    method = function(x, ...) gpu_mds(x, 2, ...)$stress,
    method = function(x, ...) gpu_adonis2(x ~ species, permutations = none, ...)$SumOfSqs,
    distance = function(x, ...) gpu_anosim(x, species, none, ...)$statistic,
    distance = function(x, ...) gpu_mrpp(x, species, none, ...)$delta,
    method = function(x, ...) gpu_betadisper(x, species, ...)$distances
  )
  for (i in seq_along(functions)) {
    metric <- stats::setNames(list(cubic), names(functions)[i])
    from_points <- do.call(functions[[i]], c(list(x), metric))
    expect_equal(from_points, functions[[i]](by_cubes), tolerance = 1e-5, label = i)
  }
  skip_if_not_installed("permute")
  expect_equal(
    gpu_pairwise_adonis(x, species, 0, method = cubic)$SumOfSqs,
    gpu_pairwise_adonis(by_cubes, species, 0)$SumOfSqs,
    tolerance = 1e-12
  )
})

test_that("distances, tiles and corrected distances take it, too", {
  d <- gpu_dist(x, cubic)
  expect_equal(c(d), c(by_cubes), tolerance = 1e-14)
  expect_identical(attr(d, "method"), "minkowski")
  expect_identical(attr(d, "p"), 3)
  expect_identical(attr(d, "call"), quote(gpu_dist(x = x, method = cubic)))
  square <- unname(as.matrix(by_cubes))
  expect_equal(unname(gpu_cdist(x, x, metric = cubic)), square, tolerance = 1e-14)
  plan <- gpu_tiles_plan(x, method = cubic)
  expect_equal(unname(gpu_dist_tile(x, plan, 1)), square, tolerance = 1e-14)
  gpu_dist_tiles(x, function(d, ...) {
    expect_equal(unname(d), square, tolerance = 1e-14)
  }, metric = cubic)
  none <- matrix(0L, 0L, nrow(x))
  given <- cov(x)
  by_cov <- apply(x, 1, function(a) sqrt(mahalanobis(x, a, given)))
  expect_equal(
    gpu_adonis2(
      x ~ species, permutations = none, sqrt.dist = TRUE, add = TRUE,
      method = gpu_metric("mahalanobis", cov = given)
    )$SumOfSqs,
    gpu_adonis2(
      as.dist(by_cov) ~ species, permutations = none, sqrt.dist = TRUE, add = TRUE
    )$SumOfSqs,
    tolerance = 1e-9
  )
})

test_that("the metrics of points in space take a radius of the sphere", {
  quarter <- gpu_metric("great-circle", sphere_radius = 2 / pi)
  expect_equal(gpu_closest_pair(rbind(c(0, 0), c(90, 0)), metric = quarter)$distance, 1)
  expect_identical(gpu_collisions(rbind(c(0, 0), c(90, 0)), 1.001, metric = quarter), 1)
  launched <- gpu_collisions_launch(rbind(c(0, 0), c(90, 0)), 0.999, metric = quarter)
  expect_identical(gpu_collisions_fetch(launched), 0)
  fails(
    gpu_closest_pair(cbind(1:2, 1:2), metric = cubic),
    "metric must be one of \"euclidean\", \"great-circle\", not \"minkowski\"", "metric"
  )
})

test_that("it is shown as the call that makes it", {
  expect_output(print(cubic), "^gpu_metric\\(\"minkowski\", p = 3\\)$")
  expect_identical(
    format(gpu_metric("mahal", singular = "drop", cov = diag(2))),
    "gpu_metric(\"mahalanobis\", cov = <2 x 2>, singular = \"drop\")"
  )
  expect_identical(format(gpu_metric("cityblock")), "gpu_metric(\"manhattan\")")
  expect_identical(
    format(gpu_metric("gower", types = c("numeric", "nominal"))),
    "gpu_metric(\"gower\", types = c(\"numeric\", \"nominal\"))"
  )
})

test_that("what can be checked without points is checked at once", {
  fails(gpu_metric(3), "name must be a single string, not 3", "name")
  fails(
    gpu_metric("euclidean", p = 3), "p must be given with method \"minkowski\", not \"euclidean\"",
    "p"
  )
  fails(
    gpu_metric("cosine", sphere_radius = 1),
    "sphere_radius must be given with method \"great-circle\", not \"cosine\"", "sphere_radius"
  )
  fails(
    gpu_metric("cosine", cov = diag(2)),
    "cov must be given with method \"mahalanobis\", not \"cosine\"", "cov"
  )
  fails(
    gpu_metric("cosine", types = list(asymm = 1)),
    "types must be given with method \"gower\", not \"cosine\"", "types"
  )
  fails(
    gpu_metric("seuclidean", scale = c(1, 0)),
    "scale must be positive and finite, but value 2 is 0", "scale"
  )
  fails(gpu_metric("seuclidean", scale = "1"), "scale must be a numeric matrix, not text", "scale")
  expect_identical(gpu_metric("euclidean", p = 2)$method, "euclidean")
  before <- gpu_info()$last
  gpu_metric("mahalanobis", cov = diag(3))
  expect_identical(gpu_info()$last, before)
  # What was not made by gpu_metric() is checked by the core.
  expect_error(gpu_dist(x, structure(1, class = "gpu_metric")), "^method must be a single string")
  forged <- structure(list(method = "mahalanobis", cov = "a"), class = "gpu_metric")
  expect_error(gpu_dist(x, forged), "^cov must be a numeric matrix, not text")
})

test_that("p may be an argument of gpu_dist() and gpu_cdist(), once", {
  message <- "p must not be given with a gpu_metric() that has it"
  fails(gpu_dist(x, cubic, p = 3), message, "p")
  fails(gpu_cdist(x, x, metric = cubic, p = 2), message, "p")
  expect_identical(c(gpu_dist(x, gpu_metric("minkowski"), p = 3)), c(gpu_dist(x, cubic)))
})

test_that("a parameter as an argument is an error that gives the line to write", {
  takers <- list(
    gpu_dist = list(x), gpu_cdist = list(x, x), gpu_knn = list(x, 2), gpu_radius = list(x, 1),
    gpu_neighbor_graph = list(x, 2), gpu_tiles_plan = list(x), gpu_hclust = list(x),
    gpu_dist_tiles = list(x, function(...) NULL), gpu_mst = list(x), gpu_dbscan = list(x, 1),
    gpu_hdbscan = list(x, 4), gpu_silhouette = list(x, species), gpu_pam = list(x, 3),
    gpu_nj = list(x), gpu_bionj = list(x), gpu_upgma = list(x),
    gpu_pcoa = list(x), gpu_mds = list(x), gpu_adonis2 = list(x ~ species),
    gpu_anosim = list(x, species), gpu_mrpp = list(x, species), gpu_betadisper = list(x, species),
    gpu_pairwise_adonis = list(x, species), gpu_closest_pair = list(x[, 1:2]),
    gpu_collisions = list(x[, 1:2], 1), gpu_collisions_launch = list(x[, 1:2], 1)
  )
  examples <- c(
    p = "minkowski", cov = "mahalanobis", singular = "mahalanobis", scale = "seuclidean",
    types = "gower", column_weights = "gower", sphere_radius = "great-circle",
    pairwise.deletion = "K80", gamma = "K80", base.freq = "TN93"
  )
  expect_identical(names(examples), names(formals(gpu_metric))[-1L])
  for (name in names(takers)) {
    own <- names(formals(name))
    if (name %in% c("gpu_dist", "gpu_cdist")) own <- setdiff(own, "p")
    expect_identical(intersect(own, names(examples)), character(), label = name)
    taker <- intersect(c("distance", "method", "metric"), own)
    taker <- if (name == "gpu_hclust") "metric" else taker[1L]
    # Of p, R itself says that it may stand for permutations and for parallel.
    no_p <- name %in% c("gpu_dist", "gpu_cdist") || "parallel" %in% own
    for (parameter in setdiff(names(examples), if (no_p) "p")) {
      call <- c(takers[[name]], stats::setNames(list(1), parameter))
      fails(
        do.call(name, call),
        sprintf(
          "%s is a parameter of a metric: %s = gpu_metric(\"%s\", %s = ...)", parameter, taker,
          examples[[parameter]], parameter
        ), parameter
      )
    }
  }
  fails(gpu_knn(dist(x), 2, cov = 1), paste(
    "cov is a parameter of a metric:",
    "method = gpu_metric(\"mahalanobis\", cov = ...)"
  ), "cov")
  expect_error(gpu_layout(cbind(1, 2), scale = 1), "^unused argument scale$")
})

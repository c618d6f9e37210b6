# The names of the core's enums, by their numbers in gpugeo.h.
enum_names <- function(kind) .Call(gpugeo:::C_names, kind)

# The functions' arguments that are names of an enum; the default where it is not the first name,
# that of stats::hclust(); and the help page that has the names where it is another one.
enums <- list(
  list("gpu_dist", "method", 2, "euclidean", "gpu_metric"),
  list("gpu_cor", "method", 3), list("gpu_cor", "use", 4),
  list("gpu_cov", "method", 3), list("gpu_cov", "use", 4),
  list("gpu_closest_pair", "metric", 5), list("gpu_closest_pair", "algorithm", 6),
  list("gpu_collisions", "what", 7), list("gpu_collisions", "algorithm", 8),
  list("gpu_dgp", "algorithm", 9), list("gpu_layout", "repulsion", 10),
  list("gpu_metric", "singular", 11), list("gpu_hclust", "method", 12, "complete"),
  list("gpu_pcoa", "correction", 13)
)

help_of <- function(name) {
  paste(as.character(tools::Rd_db("gpugeo")[[paste0(name, ".Rd")]]), collapse = "")
}

test_that("the first name of the core is R's default, and the help has all names", {
  for (enum in enums) {
    names <- enum_names(enum[[3L]])
    expect_gt(length(names), 1L)
    default <- if (length(enum) > 3L) enum[[4L]] else names[1L]
    expect_true(default %in% names)
    expect_identical(formals(enum[[1L]])[[enum[[2L]]]], default)
    help <- help_of(if (length(enum) > 4L) enum[[5L]] else enum[[1L]])
    absent <- names[!vapply(names, grepl, NA, x = help, fixed = TRUE)]
    expect_identical(absent, character(), label = paste(enum[[1L]], enum[[2L]]))
  }
})

test_that("numbers that are defaults of R are those of the core", {
  defaults <- .Call(gpugeo:::C_defaults)
  clusters <- c("gpu_mds", "gpu_pcoa", "gpu_pam", "gpu_dbscan", "gpu_hdbscan")
  expect_identical(setdiff(clusters, names(defaults)), character())
  for (name in names(defaults)) {
    for (argument in names(defaults[[name]])) {
      owner <- if (argument %in% names(formals(name))) name else "gpu_metric"
      expect_identical(
        as.numeric(eval(formals(owner)[[argument]])), defaults[[name]][[argument]],
        label = paste(name, argument)
      )
    }
  }
})

test_that("functions of one family have the same defaults", {
  families <- list(
    gpu_dist = c("gpu_cdist", "gpu_knn", "gpu_radius", "gpu_neighbor_graph", "gpu_tiles_plan"),
    gpu_collisions = "gpu_collisions_launch"
  )
  for (first in names(families)) {
    for (other in families[[first]]) {
      shared <- setdiff(intersect(names(formals(first)), names(formals(other))), "x")
      expect_identical(formals(other)[shared], formals(first)[shared])
    }
  }
})

test_that("metric is another name of method, but for both of them", {
  x <- cbind(c(0, 3, 1, 7), c(0, 4, 1, 2))
  calls <- list(
    function(...) as.vector(gpu_dist(x, ...)), function(...) gpu_cdist(x, x, ...),
    function(...) gpu_knn(x, 2, ...), function(...) gpu_radius(x, 5, ...),
    function(...) gpu_neighbor_graph(x, 1, ...),
    function(...) gpu_dist_tile(x, gpu_tiles_plan(x, side = 3, ...), 2),
    function(...) {
      found <- NULL
      gpu_dist_tiles(x, function(values, row, column) found <<- c(found, values), ...)
      found
    }
  )
  for (call in calls) {
    expect_identical(call(metric = "manhattan"), call(method = "manhattan"))
    expect_error(call(metric = "manhattan", method = "manhattan"),
      "metric must not be given with method, which means the same",
      class = "gpugeo_error"
    )
  }
  order <- rbind(4:1, c(2L, 1L, 4L, 3L))
  two <- gl(2, 2)
  calls <- list(
    function(...) as.matrix(gpu_adonis2(x ~ two, permutations = order, ...)),
    function(...) gpu_betadisper(x, two, "centroid", ...)$distances,
    function(...) gpu_pairwise_adonis(x, two, order, ...)
  )
  for (call in calls) {
    expect_identical(call(metric = "manhattan"), call(method = "manhattan"))
    expect_false(identical(call(metric = "manhattan"), call(metric = "euclidean")))
    expect_error(call(metric = "manhattan", method = "manhattan"),
      "metric must not be given with method, which means the same",
      class = "gpugeo_error"
    )
  }
  expect_identical(gpu_cor(x, metric = "spearman"), gpu_cor(x, method = "spearman"))
  expect_error(gpu_dist(x, metric = "nearest"), "method must be one of", class = "gpugeo_error")
})

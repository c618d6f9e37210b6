# Objects of our classes that were changed or made by hand, and factors without their levels.

forged <- "not an object that was changed or made by hand"
fails <- function(code, message) {
  expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
}

# An object as gpu_dist(keep = "device") returns, with this pointer.
on_device <- function(pointer, size = 14) {
  structure(
    list(
      pointer = pointer, size = size, metric = "euclidean", precision = "double", device = 0L,
      devices = 1L
    ),
    class = "gpu_dist_device"
  )
}

none <- matrix(0L, 0L, 14L) # no permutations, which need no package permute
uses <- list(
  function(d) gpu_hclust(d), function(d) gpu_mst(d), function(d) gpu_dbscan(d, 1),
  function(d) gpu_silhouette(d, rep(1:2, 7)), function(d) gpu_pam(d, 2),
  function(d) gpu_nj(d), function(d) gpu_bionj(d), function(d) gpu_upgma(d),
  function(d) gpu_mantel(d, d, permutations = none), function(d) gpu_pcoa(d),
  function(d) as.dist(d), function(d) d[1, 2], function(d) as.matrix(d)
)

test_that("pointers to something else are not read as distances", {
  x <- cbind(1:14, 0)
  future <- gpu_collisions_launch(x, 1)
  for (pointer in list(future, NULL, 1, "a", globalenv())) {
    for (use in uses) fails(use(on_device(pointer)), forged)
  }
  expect_identical(gpu_collisions_fetch(future), 13)
})

test_that("pointers of another session are refused by their name", {
  empty <- on_device(.Call(gpugeo:::C_dist_device_new))
  saved <- unserialize(serialize(empty, NULL))
  for (d in list(empty, saved)) {
    for (use in uses) fails(use(d), "not those of another session or from a file")
    expect_output(print(d), "of another session")
    fails(gpu_collisions_fetch(d$pointer), "future must be one that gpu_collisions_launch() gave")
  }
})

test_that("entry points that free take only pointers of their own kind", {
  future <- gpu_collisions_launch(cbind(1:14, 0), 1)
  expect_null(.Call(gpugeo:::C_dist_device_free, future))
  expect_null(.Call(gpugeo:::C_dist_device_info, future))
  expect_null(.Call(gpugeo:::C_dist_device_free, 1))
  expect_null(.Call(gpugeo:::C_collide_free, .Call(gpugeo:::C_dist_device_new)))
  expect_null(.Call(gpugeo:::C_collide_free, NULL))
  expect_identical(gpu_collisions_fetch(future), 13)
})

test_that("objects without their fields are refused", {
  values <- list(
    1:3, "x", list(), list("a"), list(file = "a"), list(size = 14, file = 1, name = 2),
    list(size = -1, file = "a", name = "b", metric = "m", precision = "double", shape = "square"),
    list(size = 14.5, file = "a", name = "b", metric = "m", precision = "double", shape = "square")
  )
  other <- list(print, dim, labels, function(d) gpu_betadisper(d, 1:3))
  for (class in c("gpu_dist_file", "gpu_dist_device")) {
    for (value in values) {
      for (use in c(uses, other)) fails(use(structure(value, class = class)), forged)
    }
  }
  for (value in values[1:6]) {
    x <- structure(value, class = "gpu_hdf5")
    for (use in list(gpu_dist, function(x) gpu_knn(x, 2), print, dim, gpu_hclust)) {
      fails(use(x), forged)
    }
  }
})

test_that("a file of distances with another number of points is refused", {
  skip_if(gpu_hdf5_version() == "", "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  d <- gpu_dist(cbind(1:14, 0), file = file)
  expect_identical(gpu_hclust(d, "single")$height, rep(1, 13))
  for (size in c(13, 15)) {
    d$size <- size
    fails(gpu_hclust(d), forged)
  }
})

test_that("factors have a level for each code", {
  x <- cbind(c(1, 2, 4, 7), c(0, 1, 0, 1))
  wrong <- structure(c(1L, 2L, 1L, 100L), levels = c("a", "b"), class = "factor")
  bare <- structure(c(1L, 2L, 1L, 2L), class = "factor")
  calls <- list(
    function(g) gpu_collisions(x, 1, group = g, what = "table"),
    function(g) gpu_silhouette(x, g), function(g) gpu_layout(data.frame(g, 1:4)),
    function(g) gpu_anosim(stats::dist(x), g), function(g) gpu_betadisper(stats::dist(x), g),
    function(g) gpu_pairwise_adonis(stats::dist(x), g), function(g) gpu_adonis2(x ~ g),
    function(g) gpu_dist(data.frame(x, g), "gower"),
    function(g) gpu_dgp_graph(data.frame(g, 1:4, 1))
  )
  for (call in calls) {
    fails(call(wrong), "must be a factor with a level for each code, but value 4 has the code 100")
    fails(call(bare), "must be a factor with a level for each code, but value 1 has the code 1")
  }
})

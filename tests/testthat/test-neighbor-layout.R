# The forms of a graph of neighbours are the same graph, and lists of pairs as other packages have
# them. Expected values are written out.

# A ring of points, two of which coincide.
ring <- cbind(cos(2 * pi * c(0, 0, 1:9) / 10), sin(2 * pi * c(0, 0, 1:9) / 10))
forms <- function(...) {
  lapply(c("edges", "igraph", "sparse"), function(as) gpu_neighbor_graph(ring, k = 2, ..., as = as))
}

# The edges, weights and positions of a layout as they are stored.
parts <- function(layout) {
  graph <- attr(layout, "graph")
  ends <- as.double(unlist(graph$edges)) # igraph's numbers are doubles
  list(as.vector(layout), ends, graph$weights, attr(layout, "energy"))
}

test_that("edges, igraph and sparse are the same graph", {
  skip_if_not_installed("igraph")
  skip_if_not_installed("Matrix")
  weightings <- list(NULL, function(d) 1 / (1 + d), function(d) d, "number")
  for (weights in weightings) {
    graphs <- forms(weights = weights)
    layouts <- lapply(graphs, gpu_layout, seed = 1)
    for (k in 2:3) {
      expect_identical(parts(layouts[[k]]), parts(layouts[[1L]]))
      expect_identical(
        gpu_layout_quality(graphs[[k]], layouts[[1L]]),
        gpu_layout_quality(graphs[[1L]], layouts[[1L]])
      )
    }
    files <- mapply(gpu_write_graph, layouts, tempfile(c("a", "b", "c")))
    expect_identical(readLines(files[2L]), readLines(files[1L]))
    expect_identical(readLines(files[3L]), readLines(files[1L]))
    unlink(files)
  }
  edges <- graphs[[1L]]
  expect_true(any(edges$from == 1 & edges$to == 2)) # at distance 0
})

test_that("stored zeros of a sparse matrix are edges", {
  skip_if_not_installed("Matrix")
  path <- Matrix::sparseMatrix(
    c(1, 2, 3), c(2, 3, 4),
    x = c(1, 0, 2), dims = c(4, 4), symmetric = TRUE
  )
  edges <- data.frame(from = 1:3, to = 2:4, weight = c(1, 0, 2))
  for (graph in list(path, methods::as(path, "generalMatrix"))) {
    expect_identical(parts(gpu_layout(graph, seed = 2)), parts(gpu_layout(edges, seed = 2)))
  }
  one_half <- Matrix::sparseMatrix(c(1, 2, 3), c(2, 1, 4), x = c(1, 1, 0), dims = c(4, 4))
  expect_identical(
    c(gpu_layout(one_half, seed = 2)),
    c(gpu_layout(structure(data.frame(from = 1L, to = 2L), vertices = 4, first = 1L), seed = 2))
  )
})

test_that("names of arguments as in igraph are taken", {
  path <- cbind(1:5, 2:6)
  start <- cbind(c(1, 5, 2, 8, 3, 7), c(2, 2, 9, 4, 1, 6))
  expect_identical(
    gpu_layout(path, coords = start, niter = 7, start.temp = 0.5, seed = 1),
    gpu_layout(path, init = start, iterations = 7, start_temp = 0.5, seed = 1)
  )
  expect_identical(
    gpu_layout(path, minx = -1, maxx = 1, miny = rep(-2, 6), maxy = 2, seed = 1),
    gpu_layout(path, lower = cbind(rep(-1, 6), -2), upper = c(1, 2), seed = 1)
  )
  expect_identical(
    gpu_layout(path, dim = 3, minz = 0, seed = 1),
    gpu_layout(path, dim = 3, lower = c(-Inf, -Inf, 0), seed = 1)
  )
  fails <- function(code, message) {
    expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  }
  fails(gpu_layout(path, coords = start, init = start), "coords must not be given with init")
  fails(gpu_layout(path, minx = 0, lower = 0), "minx must not be given with lower")
  fails(gpu_layout(path, minz = 0), "unused argument minz")
  fails(gpu_layout(path, coolexp = 1), "unused argument coolexp")
  fails(gpu_layout(path, minx = "a"), "lower must be")
})

test_that("neighbours beyond a radius are missing", {
  x <- cbind(c(0, 1, 3, 7))
  near <- gpu_knn(x, 2, radius = 2)
  expect_identical(near$index, rbind(c(2L, NA), c(1L, 3L), c(2L, NA), c(NA, NA)))
  expect_identical(near$distance, rbind(c(1, NA), c(1, 2), c(2, NA), c(NA, NA)))
  near <- gpu_knn(x, 1, query = cbind(c(0.5, 9.5)), radius = 1)
  expect_identical(near$index, cbind(c(1L, NA)))
  expect_identical(gpu_knn(x, 2, radius = Inf), gpu_knn(x, 2))
  for (radius in list(-1, NA, "a", c(1, 2))) {
    expect_error(gpu_knn(x, 1, radius = radius), "radius must be a number of at least 0, not ")
  }
})

test_that("pairs are listed as closepairs() lists them", {
  x <- cbind(c(0, 3, 10, 0), c(0, 4, 0, 2))
  all <- gpu_collisions(x, 5, what = "all")
  expect_identical(all, data.frame(
    i = c(1L, 1L, 2L), j = c(2L, 4L, 4L), xi = c(0, 0, 3), yi = c(0, 0, 4), xj = c(3, 0, 0),
    yj = c(4, 2, 2), dx = c(3, 0, -3), dy = c(4, 2, -2), d = c(5, 2, sqrt(13))
  ))
  expect_identical(gpu_collisions(x, 5, what = "ijd"), all[c("i", "j", "d")])
  expect_identical(gpu_collisions(x, 5, what = "indices"), all[c("i", "j")])
  twice <- gpu_collisions(x, 5, what = "all", twice = TRUE)
  expect_identical(twice$i, c(1L, 1L, 2L, 2L, 4L, 4L))
  expect_identical(twice$j, c(2L, 4L, 1L, 4L, 1L, 2L))
  expect_identical(twice$dx, c(3, 0, -3, -3, 0, 3))
  expect_identical(gpu_collisions(x, 5, what = "pairs", twice = TRUE)$distance, twice$d)
  expect_identical(gpu_collisions_fetch(gpu_collisions_launch(x, 5, what = "all")), all)
  expect_identical(
    gpu_collisions_fetch(gpu_collisions_launch(x, 5, what = "all", twice = TRUE)), twice
  )
  expect_identical(gpu_collisions_fetch(gpu_collisions_launch(x, 5)), 3)
  cross <- gpu_collisions(x, 3, y = cbind(1, 1), what = "all")
  expect_identical(cross$i, c(1L, 4L))
  expect_identical(cross[2L, c("xj", "yj", "dx", "dy", "d")],
    data.frame(xj = 1, yj = 1, dx = 1, dy = -1, d = sqrt(2), row.names = 2L)
  )
  box <- gpu_collisions(cbind(c(1, 9)), 2, box = 10, what = "all")
  expect_identical(box, data.frame(i = 1L, j = 2L, xi = 1, xj = 9, dx = -2, d = 2))
  expect_identical(nrow(gpu_collisions(x, 0.1, what = "all", twice = TRUE)), 0L)
})

test_that("twice and what are checked", {
  x <- cbind(c(0, 3), c(0, 4))
  fails <- function(message, ...) {
    expect_error(gpu_collisions(x, 5, ...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("twice must be FALSE, except for pairs of rows of x", twice = TRUE)
  fails("twice must be FALSE, except for pairs of rows of x", what = "all", y = x, twice = TRUE)
  fails("twice must be true or false, not 2", what = "all", twice = 2)
  fails("what must not be \"all\" for great circles", what = "all", metric = "great-circle")
})

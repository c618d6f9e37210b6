ring <- cbind(1:12, c(2:12, 1))
plain <- function(x) matrix(x, nrow(x), ncol(x))

# Layouts without their edges, of which the forms of a graph give different numbers.
gpu_layout <- function(...) structure(gpugeo::gpu_layout(...), graph = NULL)

test_that("all forms of a graph give the same layout", {
  x <- gpu_layout(ring, seed = 1)
  expect_identical(dim(x), c(12L, 2L))
  expect_null(rownames(x))
  expect_identical(gpu_layout(as.data.frame(ring), seed = 1), x)
  expect_identical(gpu_layout(data.frame(ring, 1), seed = 1), x)
  expect_identical(gpu_layout(ring, weights = rep(1L, 12), seed = 1), x)
  expect_identical(gpu_layout(rbind(ring, 5), seed = 1), x) # an edge from 5 to itself
  dense <- matrix(0, 12, 12)
  dense[rbind(ring, ring[, 2:1])] <- 1
  expect_identical(gpu_layout(dense, seed = 1), x)
  expect_identical(gpu_layout(dense != 0, seed = 1), x)
  names <- letters[1:12]
  named <- data.frame(from = names[ring[, 1]], to = names[ring[, 2]])
  y <- gpu_layout(named, seed = 1)
  expect_identical(rownames(y), names)
  expect_identical(plain(y), plain(x))
  expect_identical(gpu_layout(as.matrix(named), seed = 1), y)
  expect_identical(gpu_layout(transform(named, from = factor(from), to = factor(to)), seed = 1), y)
  dimnames(dense) <- list(names, names)
  expect_identical(gpu_layout(dense, seed = 1), y)
})

test_that("weights count, and NA stands for none", {
  weights <- 1:12
  x <- gpu_layout(ring, weights = weights, seed = 1)
  expect_identical(gpu_layout(data.frame(ring, weights), seed = 1), x)
  expect_identical(
    gpu_layout(data.frame(ring, weights), weights = NA, seed = 1), gpu_layout(ring, seed = 1)
  )
  lengths <- sqrt(rowSums((x[ring[, 1], ] - x[ring[, 2], ])^2))
  expect_lt(cor(lengths, weights), -0.8)
  # Rows for the same vertices add up.
  expect_equal(
    gpu_layout(rbind(ring, ring), init = plain(x), iterations = 5),
    gpu_layout(ring, weights = rep(2, 12), init = plain(x), iterations = 5)
  )
})

test_that("igraph objects give their names, weights and isolated vertices", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_graph("Zachary")
  x <- gpu_layout(graph, seed = 1)
  expect_identical(gpu_layout(igraph::as_edgelist(graph), seed = 1), x)
  heavy <- graph
  igraph::E(heavy)$weight <- seq_len(igraph::ecount(graph))
  expect_identical(gpu_layout(heavy, weights = NA, seed = 1), x)
  expect_identical(
    gpu_layout(heavy, seed = 1), gpu_layout(graph, weights = igraph::E(heavy)$weight, seed = 1)
  )
  igraph::V(graph)$name <- paste0("v", 1:34)
  expect_identical(rownames(gpu_layout(graph, seed = 1)), igraph::V(graph)$name)
  expect_identical(dim(gpu_layout(igraph::make_empty_graph(5), seed = 1)), c(5L, 2L))
})

test_that("it is a layout of igraph's plots", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_graph("Zachary")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(unlink(file))
  seen <- NULL
  plot(graph, layout = function(g) seen <<- gpu_layout(g))
  graph$layout <- gpu_layout(graph, seed = 2)
  plot(graph)
  plot(graph, layout = gpu_layout)
  grDevices::dev.off()
  expect_identical(dim(seen), c(34L, 2L))
  expect_gt(file.size(file), 1000)
})

test_that("sparse matrices of every kind are taken", {
  skip_if_not_installed("Matrix")
  x <- gpu_layout(ring, seed = 1)
  both <- rbind(ring, ring[, 2:1])
  general <- Matrix::sparseMatrix(both[, 1], both[, 2], x = 1, dims = c(12, 12))
  expect_s4_class(general, "dgCMatrix")
  expect_identical(gpu_layout(general, seed = 1), x)
  for (class in c("TsparseMatrix", "RsparseMatrix")) {
    expect_identical(gpu_layout(methods::as(general, class), seed = 1), x)
  }
  pattern <- Matrix::sparseMatrix(both[, 1], both[, 2], dims = c(12, 12))
  expect_s4_class(pattern, "ngCMatrix")
  expect_identical(gpu_layout(pattern, seed = 1), x)
  symmetric <- Matrix::forceSymmetric(general)
  expect_s4_class(symmetric, "dsCMatrix")
  expect_identical(gpu_layout(symmetric, seed = 1), x)
  # Isolated vertices stay, and elements given twice add up.
  twice <- Matrix::sparseMatrix(
    c(1, 2, 1, 2), c(2, 1, 2, 1), x = 0.5, dims = c(4, 4), repr = "T"
  )
  expect_identical(
    gpu_layout(twice, seed = 1),
    gpu_layout(Matrix::sparseMatrix(1:2, 2:1, x = 1, dims = c(4, 4)), seed = 1)
  )
  expect_error(
    gpu_layout(Matrix::sparseMatrix(1:3, 2:4, x = 1, dims = c(4, 4))), "must be symmetric"
  )
})

test_that("zeros that both halves of a sparse matrix store are edges of weight 0", {
  skip_if_not_installed("Matrix")
  weighted <- function(...) {
    graph <- Matrix::sparseMatrix(c(1, 2, 2, 3, 1), c(2, 1, 3, 2, 3), x = c(2, 2, 5, 5, 0), ...)
    edges <- rbind(1:2, 2:3)
    expect_identical(gpu_layout(graph, seed = 1), gpu_layout(edges, weights = c(2, 5), seed = 1))
  }
  weighted(repr = "C")
  weighted(repr = "R")
  zeros <- Matrix::sparseMatrix(c(1, 2, 1, 3), c(2, 1, 3, 1), x = c(2, 2, 0, 0))
  edges <- rbind(1:2, c(1, 3))
  expect_identical(
    gpu_layout(zeros, seed = 1), gpu_layout(edges, weights = c(2, 0), seed = 1)
  )
  expect_error(
    gpu_layout(Matrix::sparseMatrix(c(1, 2), c(2, 1), x = c(NA, 1), dims = c(2, 2))),
    "graph must have no missing values, but row 1 and column 2 has one", class = "gpugeo_error"
  )
})

test_that("small dense matrices are adjacency matrices or lists of edges as in Octave", {
  same <- function(graph, edges, weights = NULL) {
    expect_identical(gpu_layout(graph, seed = 2), gpu_layout(edges, weights = weights, seed = 2))
  }
  triangle <- rbind(c(1, 2), c(1, 3), c(2, 3))
  same(1 - diag(3), triangle)
  same(diag(3) == 0, triangle)
  same(1L - diag(3L), triangle)
  same(matrix(1, 3, 3), triangle)
  same(rbind(c(1, 2, 1), c(2, 3, 4), c(3, 1, 1)), rbind(1:2, 2:3, c(3, 1)), c(1, 4, 1))
  same(rbind(c(0, 3), c(3, 0)), rbind(1:2), 3)
  same(rbind(1:2, 2:1), rbind(1:2), 2)
  same(rbind(1:2, 2:3), rbind(c(1, 2, 1), c(2, 3, 1)))
  same(rbind(1:2, 2:3), data.frame(c(1, 2), c(2, 3), c(1, 1)))
  expect_identical(dim(gpu_layout(matrix(0, 2, 2), seed = 2)), c(2L, 2L))
  expect_error(
    gpu_layout(rbind(c(0, 2, 1))),
    "edge 1: the first vertex must be a whole number between 1 and 2", class = "gpugeo_error"
  )
})

test_that("the attributes tell what was done", {
  x <- gpugeo::gpu_layout(ring, iterations = 7, multilevel = FALSE, backend = "cpu")
  expect_setequal(names(attributes(x)), c(
    "dim", "dimnames", "class", "iterations", "converged", "energy", "backend", "temperature",
    "graph"
  ))
  expect_identical(attr(x, "iterations"), 7L)
  expect_identical(attr(x, "backend"), "cpu")
  expect_identical(attr(x, "energy"), gpu_layout_quality(ring, x)$energy)
  expect_true(attr(gpu_layout(ring, tolerance = 1e9), "converged"))
  expect_false(attr(gpu_layout(ring, tolerance = 1e-9, iterations = 3), "converged"))
  expect_identical(attr(gpu_layout(ring, tolerance = 0), "converged"), NA)
  last <- gpu_info()$last
  expect_identical(last$`function`, "gpu_layout")
})

test_that("R's generator governs, or the seed", {
  set.seed(5)
  x <- gpu_layout(ring)
  y <- gpu_layout(ring)
  set.seed(5)
  expect_identical(gpu_layout(ring), x)
  expect_false(identical(plain(x), plain(y)))
  before <- .Random.seed
  gpu_layout(ring, seed = 1)
  expect_identical(.Random.seed, before)
  expect_identical(gpu_layout(ring, seed = 1, threads = 1), gpu_layout(ring, seed = 1, threads = 3))
})

test_that("a layout goes on from where it was stopped", {
  set.seed(1)
  start <- matrix(rnorm(24), 12)
  none <- gpu_layout(ring, init = start, iterations = 0, start_temp = 0.5)
  expect_identical(plain(none), start)
  half <- gpu_layout(ring, init = start, iterations = 40, start_temp = 0.5)
  more <- gpu_layout(ring, init = plain(half), iterations = 40, start_temp = 0.1)
  expect_lt(attr(more, "energy"), attr(none, "energy"))
  expect_lt(attr(more, "energy"), attr(half, "energy") + 1e-6 * abs(attr(half, "energy")))
})

test_that("vertices stay, and bounds hold", {
  set.seed(2)
  start <- matrix(rnorm(24), 12)
  x <- gpu_layout(ring, init = start, fixed = c(2, 5))
  expect_identical(unname(x[c(2, 5), ]), start[c(2, 5), ])
  expect_true(all(x[-c(2, 5), ] != start[-c(2, 5), ]))
  expect_identical(gpu_layout(ring, init = start, fixed = seq_len(12) %in% c(2, 5)), x)
  named <- data.frame(letters[ring[, 1]], letters[ring[, 2]])
  expect_identical(plain(gpu_layout(named, init = start, fixed = c("b", "e"))), plain(x))
  y <- gpu_layout(ring, lower = c(0, -1), upper = 1)
  expect_true(all(y[, 1] >= 0 & y[, 2] >= -1 & y <= 1))
  upper <- matrix(Inf, 12, 2)
  upper[3, 1] <- -2
  expect_lte(gpu_layout(ring, upper = upper)[[3, 1]], -2)
})

test_that("frames are shown", {
  frames <- list()
  show <- function(...) frames[[length(frames) + 1L]] <<- list(...)
  x <- gpu_layout(ring, iterations = 40, callback = show, callback_every = 10, multilevel = FALSE)
  expect_gte(length(frames), 3L)
  expect_identical(dim(frames[[1]][[1]]), c(12L, 2L))
  expect_true(all(diff(vapply(frames, `[[`, 0, 2L)) == 10))
  expect_true(all(diff(vapply(frames, `[[`, 0, 3L)) < 0))
  named <- data.frame(letters[ring[, 1]], letters[ring[, 2]])
  gpu_layout(named, iterations = 10, callback = show, callback_every = 5)
  expect_identical(rownames(frames[[length(frames)]][[1]]), letters[1:12])
})

test_that("an error and an interrupt in a callback end the call", {
  skip_if_interrupts_are_ignored()
  expect_error(gpu_layout(ring, callback = function(...) stop("enough")), "enough")
  value <- tryCatch(
    gpu_layout(ring, callback = function(...) {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      Sys.sleep(600)
    }),
    interrupt = function(condition) "interrupted"
  )
  expect_identical(value, "interrupted")
  # One within another.
  inner <- NULL
  gpu_layout(ring, iterations = 20, callback = function(positions, ...) {
    inner <<- gpu_layout(ring, init = positions, iterations = 2)
  })
  expect_identical(dim(inner), c(12L, 2L))
})

test_that("an error in the progress bar ends a long layout", {
  graph <- as_graph(cbind(1:20000, c(2:20000, 1)), NULL, quote(f()))
  options <- list(
    dim = 2, iterations = 1e6, tolerance = 0, repulsion = "exact", theta = 0.8, multilevel = FALSE,
    seed = 1
  )
  settings <- run_settings(
    backend = "cpu", threads = 1, progress = TRUE, bar = function(fraction) stop("the bar broke")
  )
  expect_error(
    with_polls(.Call(gpugeo:::C_layout, list(graph), options, settings, quote(f()))),
    "the bar broke"
  )
})

test_that("forked children lay out the same", {
  x <- gpu_layout(ring, seed = 1, backend = "cpu")
  for (y in parallel::mclapply(1:2, function(i) gpu_layout(ring, seed = 1), mc.cores = 2)) {
    expect_identical(y, x)
  }
})

test_that("small and odd graphs are laid out", {
  expect_identical(dim(gpu_layout(matrix(0, 0, 2))), c(0L, 2L))
  expect_true(all(is.finite(gpu_layout(cbind(1, 1)))))
  star <- gpu_layout(cbind(1, 2:2000), dim = 3, seed = 1)
  expect_identical(dim(star), c(2000L, 3L))
  expect_true(all(is.finite(star)))
  same <- gpu_layout(ring, init = matrix(0, 12, 2))
  expect_true(all(is.finite(same)))
  expect_gt(attr(same, "energy"), -Inf)
})

# The best of some seeds, as the energy has many minima.
best_energy <- function(graph, layout) {
  min(vapply(1:5, function(seed) {
    set.seed(seed)
    gpu_layout_quality(graph, layout(graph))$energy
  }, 0))
}

test_that("energies are as low as those of igraph", {
  skip_if_not_installed("igraph")
  graphs <- list(
    igraph::make_graph("Zachary"), igraph::make_lattice(c(8, 8)), igraph::make_ring(30),
    igraph::make_tree(63)
  )
  for (graph in graphs) {
    theirs <- best_energy(graph, function(g) {
      igraph::layout_with_fr(g, niter = 500, grid = "nogrid")
    })
    ours <- best_energy(graph, gpu_layout)
    expect_lt(ours, theirs + 0.02 * abs(theirs))
  }
})

test_that("pictures of simple graphs are good", {
  grid <- which(as.matrix(stats::dist(expand.grid(1:8, 1:8))) == 1, arr.ind = TRUE)
  quality <- function(edges) {
    all <- lapply(1:3, function(seed) gpu_layout_quality(edges, gpu_layout(edges, seed = seed)))
    all[[which.min(vapply(all, `[[`, 0, "energy"))]]
  }
  expect_identical(quality(ring)$crossings, 0)
  expect_lt(quality(ring)$stress, 0.1)
  expect_identical(quality(unname(grid))$crossings, 0)
  expect_lt(quality(unname(grid))$stress, 0.1)
  expect_lte(quality(cbind(2:31, 2:31 %/% 2))$crossings, 2)
})

test_that("wrong arguments are named", {
  fails <- function(message, ...) {
    expect_error(gpu_layout(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  form <- "graph must be an igraph object, a matrix or data frame of edges, an adjacency matrix, or"
  fails(form, NULL)
  fails(form, list(1, 2))
  fails(form, matrix("a", 3, 3))
  fails("graph must be a numeric matrix where it is an adjacency matrix", matrix(1i, 3, 3))
  fails("file \"no such file\" cannot be read", "no such file")
  fails(paste("graph must have 2 or 3 columns, the vertices and perhaps a weight of each edge,",
              "or columns"), data.frame(1:3))
  fails(paste("graph must have 2 columns, or 3 with weights, or be square as an adjacency",
              "matrix is, not 2 x 5"), matrix(1, 2, 5))
  fails("graph must be symmetric where it is an adjacency matrix", upper.tri(diag(4)) + 0)
  fails("graph must have no missing values, but row 2 and column 1 has one",
        replace(diag(4), 2, NA))
  fails("edge 2 must have two names, not NA", data.frame(c("a", NA), c("b", "c")))
  fails("edge 1: the first vertex must be a whole number between 1 and 2 (the vertices), not 0",
        rbind(c(0, 1), c(1, 2)))
  fails("edge 1: the first vertex must be a whole number between 1 and 2 (the vertices), not 1.5",
        rbind(c(1.5, 2)))
  fails("edge 2 (b, c): weight must be between 0 and 1000000000, not -1",
        data.frame(c("a", "b"), c("b", "c"), c(1, -1)))
  fails("weights must have a value for each of the 12 edges, not 3", ring, weights = 1:3)
  fails("weights must be numbers, not \"heavy\"", ring, weights = "heavy")
  fails("weights are for lists of edges", 1 - diag(3), weights = 1:3)
  fails("dim must be 2 or 3, not 4", ring, dim = 4)
  fails("dim must be a whole number, not \"two\"", ring, dim = "two")
  fails("iterations must be a whole number of at least 0, not -1", ring, iterations = -1)
  fails("init must have 24 values, 2 for each of the 12 vertices, not 3", ring, init = 1:3)
  fails("init must be finite, but in row 1 and column 1 it is NaN", ring, init = matrix(NaN, 12, 2))
  fails("fixed must be given with init", ring, fixed = 1)
  fails("numbers of vertices from 1 to 12, not 13", ring, init = matrix(0, 12, 2), fixed = 13)
  fails("fixed must have a value for each of the 12 vertices, not 2", ring,
        init = matrix(0, 12, 2), fixed = c(TRUE, FALSE))
  fails("fixed must be true or false", ring, init = matrix(0, 12, 2), fixed = NA)
  fails("lower must be at most upper", ring, lower = 1, upper = 0)
  fails("lower must have 24 values", ring, lower = 1:5)
  fails("upper must be a numeric matrix, not text", ring, upper = "high")
  fails("start_temp must be a positive finite number, not 0", ring, start_temp = 0)
  fails("start_temp must be a positive finite number, not \"hot\"", ring, start_temp = "hot")
  fails("tolerance must be at least 0 and finite, not -1", ring, tolerance = -1)
  fails("repulsion must be one of \"auto\", \"exact\", \"barnes-hut\", not \"fast\"", ring,
        repulsion = "fast")
  fails("theta must be between 0 and 2, not 3", ring, theta = 3)
  fails("expansion_order must be 0, 2 or 4 in the plane, not 3", ring, expansion_order = 3)
  fails("expansion_order must be 0 or 2 in space, not 4", ring, dim = 3, expansion_order = 4)
  fails('multilevel must be true, false or "auto", not "some"', ring, multilevel = "some")
  fails(
    "multilevel must not be true with init, fixed, lower or upper", ring, multilevel = TRUE,
    lower = 0
  )
  fails("seed must be a whole number of at least 0, not -1", ring, seed = -1)
  fails('callback must be a function, not "plot"', ring, callback = "plot")
  fails("callback_every must be a whole number of at least 1, not 0", ring, callback_every = 0)
  fails("callback_every must be a whole number of at least 1, not 0", ring, callback = print,
        callback_every = 0)
  fails("unused argument extra", ring, extra = 1)
})

test_that("no progress bar gets into knitr's documents", {
  skip_if_not_installed("knitr")
  old <- options(knitr.in.progress = TRUE)
  on.exit(options(old))
  expect_false(run_settings()$progress)
})

test_that("long graphs are not folded by any seed", {
  ladder <- rbind(cbind(1:299, 2:300), cbind(301:599, 302:600), cbind(1:300, 301:600))
  for (seed in 1:5) {
    for (edges in list(cbind(1:999, 2:1000), ladder)) {
      # A straight line has a stress of 0; from random positions it was about 0.09.
      x <- gpugeo::gpu_layout(edges, seed = seed, backend = "cpu")
      expect_lt(gpu_layout_quality(edges, x)$stress, 0.01)
    }
  }
})

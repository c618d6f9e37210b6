grid_edges <- function(rows, columns) {
  at <- matrix(seq_len(rows * columns), rows)
  rbind(
    cbind(as.vector(at[-rows, ]), as.vector(at[-1, ])),
    cbind(as.vector(at[, -columns]), as.vector(at[, -1]))
  )
}

# The stress of all connected pairs, by its definition.
stress_by_hand <- function(edges, x, lengths = NULL) {
  g <- unname(gpu_graph_distances(edges, lengths = lengths))
  pairs <- lower.tri(g) & is.finite(g)
  ratio <- unname(as.matrix(stats::dist(as.matrix(x))))[pairs] / g[pairs]
  1 - sum(ratio)^2 / (length(ratio) * sum(ratio^2))
}

test_that("stress is not above that of igraph's layout_with_kk()", {
  cases <- utils::read.csv(test_path("..", "peers", "layouts.csv"))
  expect_gt(nrow(cases), 60)
  for (i in seq_len(nrow(cases))) {
    ends <- as.numeric(strsplit(cases$edges[i], "[- ]")[[1L]])
    x <- gpu_layout(matrix(ends, ncol = 2, byrow = TRUE), algorithm = "stress", seed = 1)
    expect_lt(attr(x, "stress"), 1.01 * cases$stress[i] + 1e-7)
    expect_identical(attr(x, "pivots"), as.double(cases$vertices[i]))
  }
})

test_that("stress is that of its definition and of gpu_layout_quality()", {
  set.seed(1)
  edges <- rbind(grid_edges(8, 9), cbind(72 + 1:19, 73 + 1:19), cbind(92, 72 + sample.int(20, 5)))
  for (dim in 2:3) {
    x <- gpu_layout(edges, dim, algorithm = "stress", seed = 2)
    expect_equal(attr(x, "stress"), stress_by_hand(edges, x), tolerance = 1e-12)
    expect_equal(attr(x, "stress"), gpu_layout_quality(edges, x)$stress, tolerance = 1e-12)
    expect_identical(attr(x, "algorithm"), "stress")
    lengths <- runif(nrow(edges), 0.5, 3)
    y <- gpu_layout(edges, dim, algorithm = "stress", lengths = lengths, seed = 2)
    expect_equal(attr(y, "stress"), stress_by_hand(edges, y, lengths), tolerance = 1e-5)
    expect_lt(attr(y, "stress"), stress_by_hand(edges, x, lengths))
  }
})

test_that("full stress is that of gpu_mds() with weights 1 / d^2", {
  set.seed(2)
  for (edges in list(grid_edges(6, 7), cbind(2:60, 2:60 %/% 2), cbind(1:30, c(2:30, 1)))) {
    d <- stats::as.dist(gpu_graph_distances(edges))
    fit <- gpu_mds(d, weights = 1 / d^2, relax = FALSE)
    x <- gpu_layout(edges, algorithm = "stress", seed = 1)
    expect_lt(attr(x, "stress"), 1.005 * stress_by_hand(edges, fit$conf))
  }
})

test_that("pivots stand for all vertices", {
  edges <- grid_edges(40, 40)
  all <- gpu_layout(edges, algorithm = "stress", pivots = 1600, seed = 1)
  some <- gpu_layout(edges, algorithm = "stress", pivots = 100, seed = 1)
  expect_identical(attr(all, "pivots"), 1600)
  expect_identical(attr(some, "pivots"), 100)
  expect_lt(stress_by_hand(edges, some), 1.05 * stress_by_hand(edges, all))
  expect_lt(stress_by_hand(edges, some), stress_by_hand(edges, gpu_layout(edges, seed = 1)))
  more <- gpu_layout(grid_edges(5, 5), algorithm = "stress", pivots = 9999, seed = 1)
  expect_identical(more, gpu_layout(grid_edges(5, 5), algorithm = "stress", seed = 1))
})

# Pivots that are all leaves stand for no inner vertex: they gave 1.54 times the stress, not 1.1.
test_that("pivots stand for the inner vertices of a tree with hubs", {
  v <- 2:1500
  edges <- cbind(pmax(1, floor((v - 1) * ((v * 0.6180339887) %% 1)^3)), v)
  all <- gpu_layout(edges, algorithm = "stress", pivots = 1500, seed = 1)
  some <- gpu_layout(edges, algorithm = "stress", seed = 1)
  expect_lt(stress_by_hand(edges, some), 1.2 * stress_by_hand(edges, all))
})

test_that("the bits are the same on any number of threads", {
  edges <- rbind(grid_edges(35, 35), 1225 + grid_edges(9, 9))
  for (dim in 2:3) {
    x <- lapply(c(1, 2, 5), function(threads) {
      gpu_layout(
        edges, dim, algorithm = "stress", pivots = 60, seed = 3, threads = threads, backend = "cpu"
      )
    })
    expect_identical(x[[1L]], x[[2L]])
    expect_identical(x[[1L]], x[[3L]])
  }
})

test_that("lengths are the unit, and all that is allowed", {
  for (length in c(1e-300, 1e-3, 1, 7, 1e300)) {
    x <- gpu_layout(cbind(1, 2), algorithm = "stress", lengths = length, seed = 1)
    expect_equal(sqrt(sum(((x[1, ] - x[2, ]) / length)^2)), 1, tolerance = 1e-6)
    path <- gpu_layout(cbind(1:4, 2:5), algorithm = "stress", lengths = rep(length, 4), seed = 1)
    expect_equal(sqrt(sum(((path[1, ] - path[5, ]) / length)^2)), 4, tolerance = 1e-3)
  }
  mixed <- gpu_layout(
    cbind(1:3, 2:4), algorithm = "stress", lengths = c(1e-300, 1e300, 1), seed = 1
  )
  expect_true(all(is.finite(mixed)))
  parallel <- cbind(c(1, 1, 2), c(2, 2, 1))
  x <- gpu_layout(parallel, algorithm = "stress", lengths = c(3, 2, 9), seed = 1)
  expect_equal(sqrt(sum((x[1, ] - x[2, ])^2)), 2, tolerance = 1e-6)
  edges <- cbind(1:3, 2:4)
  weighted <- gpu_layout(
    cbind(edges, c(2, 1, 4)), algorithm = "stress", lengths = "weights", seed = 1
  )
  expect_equal(
    as.matrix(weighted),
    as.matrix(gpu_layout(edges, algorithm = "stress", lengths = c(2, 1, 4), seed = 1))
  )
  expect_error(
    gpu_layout(cbind(1, 2), algorithm = "stress", lengths = 1e-301),
    "edge 1 (1, 2): length must be between 1e-300 and 1e+300, not 1e-301", fixed = TRUE
  )
})

test_that("small and dense graphs are laid out", {
  stress <- function(...) gpu_layout(..., algorithm = "stress", seed = 1)
  expect_identical(dim(stress(matrix(0, 0, 2))), c(0L, 2L))
  expect_true(is.na(attr(stress(matrix(0, 0, 2)), "stress")))
  expect_identical(dim(stress(cbind(3, 3), dim = 3)), c(3L, 3L))
  complete <- t(utils::combn(300, 2))
  x <- stress(complete)
  expect_true(all(is.finite(x)))
  expect_identical(anyDuplicated(as.matrix(x)), 0L)
  apart <- stress(rbind(cbind(1, 2), cbind(3, 4), cbind(5, 6)))
  expect_true(all(stats::dist(as.matrix(apart)) > 0.99))
})

test_that("long, wide and disconnected graphs are laid out from pivots", {
  stress <- function(...) gpu_layout(..., algorithm = "stress", seed = 1)
  path <- stress(cbind(1:99999, 2:100000), pivots = 5)
  expect_lt(attr(path, "stress"), 1e-6)
  expect_equal(sqrt(sum((path[1, ] - path[100000, ])^2)), 99999, tolerance = 1e-3)
  star <- stress(cbind(1, 2:100000), pivots = 5)
  expect_true(all(is.finite(star)))
  # Leaves are at 2 from the others, and at 1 from the middle.
  expect_equal(mean(sqrt(colSums((t(as.matrix(star)) - star[1, ])^2))[-1]), 1, tolerance = 0.2)
  complete <- stress(t(utils::combn(1100, 2)), pivots = 20)
  expect_true(all(is.finite(complete)))
  expect_identical(anyDuplicated(as.matrix(complete)), 0L)
  parts <- rbind(cbind(1:1199, 2:1200), cbind(1300 + 1:1499, 1300 + 2:1500))
  x <- stress(parts, pivots = 7)
  expect_identical(attr(x, "pivots"), 7)
  expect_equal(sqrt(sum((x[1301, ] - x[2800, ])^2)), 1499, tolerance = 1e-3)
  expect_equal(sqrt(sum((x[1, ] - x[1200, ])^2)), 1199, tolerance = 1e-3)
  expect_true(all(is.finite(stress(cbind(1:1200, 2:1201), pivots = 1))))
  wide <- stress(cbind(1:1200, 2:1201), lengths = 10^seq(-300, 300, length.out = 1200))
  expect_true(all(is.finite(wide)))
  # The longest edge is the whole: what is left has no room in double precision.
  long <- as.matrix(wide)[1200:1201, ] / 1e300
  expect_equal(sqrt(sum((long[1, ] - long[2, ])^2)), 1, tolerance = 1e-2)
})

test_that("fixed vertices that contradict each other stay", {
  for (at in list(cbind(0, rep(0, 5)), cbind(c(9, 0, 0, 0, 9.1), 0))) {
    x <- gpu_layout(
      cbind(1:4, 2:5), algorithm = "stress", init = at, fixed = c(1, 5), lower = -1, upper = 1
    )
    expect_identical(unname(as.matrix(x)[c(1, 5), ]), at[c(1, 5), ])
    expect_true(all(is.finite(x)))
    expect_true(all(abs(as.matrix(x)[2:4, ]) <= 1))
  }
  at <- gpu_layout(cbind(1:4, 2:5), algorithm = "stress", init = matrix(0, 5, 2), fixed = 1:5)
  expect_true(all(at == 0))
})

test_that("fixed vertices stay, and bounds hold", {
  edges <- rbind(grid_edges(4, 5), c(21, 22))
  set.seed(4)
  start <- matrix(rnorm(44), 22)
  x <- gpu_layout(edges, algorithm = "stress", init = start, fixed = c(1, 20, 21), seed = 1)
  expect_identical(unname(as.matrix(x)[c(1, 20, 21), ]), start[c(1, 20, 21), ])
  expect_false(identical(unname(as.matrix(x)[2, ]), start[2, ]))
  expect_equal(sqrt(sum((x[22, ] - x[21, ])^2)), 1, tolerance = 1e-6)
  y <- gpu_layout(edges, algorithm = "stress", lower = c(-1, 0), upper = c(1, 9), seed = 1)
  expect_true(all(y[, 1] >= -1 & y[, 1] <= 1 & y[, 2] >= 0 & y[, 2] <= 9))
  z <- gpu_layout(edges, algorithm = "stress", init = start, iterations = 0)
  expect_equal(unname(as.matrix(z)), start, tolerance = 1e-14)
})

test_that("constraints hold, with no more stress than graphlayouts' layouts", {
  cases <- utils::read.csv(test_path("..", "peers", "constraints.csv"))
  expect_gt(nrow(cases), 12)
  for (i in seq_len(nrow(cases))) {
    edges <- matrix(as.numeric(strsplit(cases$edges[i], "[- ]")[[1L]]), ncol = 2, byrow = TRUE)
    values <- as.numeric(strsplit(cases$values[i], " ")[[1L]])
    given <- switch(cases$constraint[i], focus = list(focus = 1), radius = list(radius = values),
      x = list(constrain = cbind(values, NA))
    )
    x <- do.call(gpu_layout, c(list(edges, algorithm = "stress", seed = 1), given))
    if (cases$constraint[i] == "x") {
      expect_identical(unname(x[, 1]), values)
    } else {
      expect_equal(unname(sqrt(rowSums(x^2))), values, tolerance = 1e-14)
    }
    g <- unname(gpu_graph_distances(edges))
    below <- lower.tri(g)
    stress <- mean((as.matrix(stats::dist(as.matrix(x)))[below] / g[below] - 1)^2)
    expect_lt(stress, 1.01 * cases$stress[i])
  }
})

test_that("constraints have units, names and dimensions", {
  roads <- data.frame(from = c("a", "b", "c", "a"), to = c("b", "c", "d", "d"))
  lengths <- c(2, 3, 1, 7)
  x <- gpu_layout(roads, 3, algorithm = "stress", lengths = lengths, focus = "b", seed = 1)
  expect_equal(
    sqrt(rowSums(as.matrix(x)^2)), gpu_graph_distances(roads, lengths = lengths)["b", ],
    tolerance = 1e-14
  )
  given <- cbind(c(1, 2, NA, NA), NA, c(NA, 0, 0.5, 1e-3))
  x <- gpu_layout(roads, 3, algorithm = "stress", constrain = given, seed = 1)
  expect_identical(unname(as.matrix(x))[!is.na(given)], given[!is.na(given)])
  edges <- rbind(grid_edges(30, 40), c(1201, 1202)) # pivots, and a second component
  radius <- c(NA, rep(c(0, 3, 20), 400), 4)
  x <- gpu_layout(edges, algorithm = "stress", radius = radius, seed = 1)
  kept <- !is.na(radius)
  expect_equal(unname(sqrt(rowSums(x^2)))[kept], radius[kept], tolerance = 1e-14)
  expect_identical(
    gpu_layout(edges, algorithm = "stress", radius = radius, seed = 1, threads = 1),
    gpu_layout(edges, algorithm = "stress", radius = radius, seed = 1, threads = 3)
  )
  start <- cbind(seq_len(1202), 1)
  fixed <- gpu_layout(
    edges, algorithm = "stress", radius = rep(1, 1202), init = start, fixed = 7, seed = 1
  )
  expect_identical(unname(as.matrix(fixed)[7, ]), start[7, ])
  expect_equal(unname(sqrt(rowSums(fixed^2)))[-7], rep(1, 1201), tolerance = 1e-14)
})

test_that("a layout stays near an earlier one", {
  set.seed(5)
  edges <- grid_edges(6, 6)
  start <- as.matrix(gpu_layout(edges, algorithm = "stress", seed = 1)) + rnorm(72, sd = 0.7)
  at <- lapply(c(0, 0.2, 0.6, 0.9, 1), function(weight) {
    gpu_layout(edges, algorithm = "stress", init = start, init_weight = weight)
  })
  moved <- vapply(at, function(x) sum((as.matrix(x) - start)^2), 0)
  expect_true(all(diff(moved) < 0))
  expect_true(all(diff(vapply(at, attr, 0, "stress")) > 0))
  expect_equal(as.matrix(at[[5]]), start, tolerance = 1e-4, ignore_attr = TRUE)
  # The objective, with the pairs' weights 1 / g^2, is least where no vertex can lower it.
  g <- unname(gpu_graph_distances(edges))
  weights <- ifelse(g > 0, 1 / g^2, 0)
  objective <- function(x, share) {
    d <- as.matrix(stats::dist(x))
    (1 - share) * sum(weights * (d - g)^2) / 2 + share * sum(rowSums(weights) * (x - start)^2)
  }
  x <- unname(as.matrix(at[[3]]))
  for (i in c(1, 20, 33)) {
    for (by in list(c(0.02, 0), c(-0.02, 0), c(0, 0.02), c(0, -0.02))) {
      other <- x
      other[i, ] <- other[i, ] + by
      expect_gt(objective(other, 0.6), objective(x, 0.6))
    }
  }
})

test_that("the last frame is the layout, whichever start it comes from", {
  cases <- utils::read.csv(test_path("..", "peers", "layouts.csv"))
  ends <- as.numeric(strsplit(cases$edges[cases$graph == "preferential 90"], "[- ]")[[1L]])
  last <- NULL
  x <- gpu_layout(
    matrix(ends, ncol = 2, byrow = TRUE), algorithm = "stress", seed = 1, callback_every = 1,
    callback = function(positions, iteration, temperature) last <<- positions
  )
  expect_equal(unname(last), unname(as.matrix(x)), tolerance = 1e-12)
})

test_that("frames are shown", {
  edges <- rbind(grid_edges(6, 6), 36 + grid_edges(5, 5))
  frames <- list()
  x <- gpu_layout(
    edges, algorithm = "stress", seed = 1, iterations = 20, callback_every = 1,
    callback = function(positions, iteration, temperature) {
      frames[[length(frames) + 1L]] <<- positions
    }
  )
  expect_gt(length(frames), 3)
  expect_equal(unname(frames[[length(frames)]]), unname(as.matrix(x)), tolerance = 1e-12)
  expect_error(
    gpu_layout(
      edges,
      algorithm = "stress", callback = function(...) stop("enough"), callback_every = 1
    ), "enough"
  )
})

test_that("wrong arguments are refused", {
  fails <- function(message, ...) {
    expect_error(
      gpu_layout(cbind(1, 2), ...), message, fixed = TRUE, class = "gpugeo_error"
    )
  }
  fails("algorithm must be one of \"fr\", \"stress\", \"stress-fr\", not \"kk\"", algorithm = "kk")
  fails("pivots must be a whole number of at least 1, not 0", algorithm = "stress", pivots = 0)
  fails("lengths must not be given with algorithm \"fr\"", lengths = 1)
  fails("weights must not be given with algorithm \"stress\"", algorithm = "stress", weights = 1)
  fails("constrain must not be given with algorithm \"fr\"", constrain = matrix(NA, 2, 2))
  fails("radius must not be given with algorithm \"fr\"", radius = 1:2)
  fails("focus must not be given with algorithm \"fr\"", focus = 1)
  fails("init_weight must not be given with algorithm \"fr\"", init = diag(2), init_weight = 1)
  wrong <- function(message, ...) fails(message, algorithm = "stress", ...)
  wrong("init_weight must be given with init", init_weight = 0.5)
  wrong("init_weight must be between 0 and 1, not 2", init = diag(2), init_weight = 2)
  wrong("focus must be between 1 and 2 (the vertices), not 3", focus = 3)
  wrong("focus must be a whole number", focus = 1.5)
  wrong("focus must be numbers of vertices, not \"a\"", focus = "a")
  wrong("radius must have a value for each of the 2 vertices, not 1 values", radius = 1)
  wrong(
    "radius must be at least 0 and finite, or missing, but of vertex 2 it is -1", radius = c(1, -1)
  )
  wrong("constrain must have 4 values, 2 for each of the 2 vertices, not 2", constrain = 1:2)
  wrong(
    "constrain must be finite or missing, but in row 1 and column 2 it is Inf",
    constrain = cbind(c(1, 2), Inf)
  )
  wrong("constrain must not be given with radius", constrain = diag(2), radius = 1:2)
  wrong("radius must not be given with focus", radius = 1:2, focus = 1)
  wrong("focus must not be given with upper", focus = 1, upper = 1)
  expect_error(
    gpu_layout(cbind(c(1, 3), c(2, 4)), algorithm = "stress", focus = 2),
    "focus must be a vertex that reaches all others, not 2, which does not reach vertex 3"
  )
  for (argument in c("theta", "start_temp")) {
    message <- paste(argument, "must not be given with algorithm \"stress\"")
    do.call(fails, c(list(message, algorithm = "stress"), stats::setNames(list(1), argument)))
  }
  fails(
    "repulsion must not be given with algorithm \"stress\"", algorithm = "stress",
    repulsion = "exact"
  )
  fails(
    "expansion_order must not be given with algorithm \"stress\"", algorithm = "stress",
    expansion_order = 2
  )
  fails(
    "multilevel must not be given with algorithm \"stress\"", algorithm = "stress",
    multilevel = FALSE
  )
  fails(
    "backend must be \"auto\" or \"cpu\" for layouts by stress with lengths, not \"cuda\"",
    algorithm = "stress", lengths = 2, backend = "cuda"
  )
  expect_error(
    gpu_layout(
      grid_edges(50, 50),
      algorithm = "stress", memory_limit = 2^20, backend = "cpu"
    ),
    "memory_limit must be at least .* bytes for the layout of a component of 2500 vertices, not"
  )
})

test_that("\"stress-fr\" keeps 0.9 of the neighbours of forces, and has less stress", {
  at <- matrix(1:600, 20)
  torus <- rbind(grid_edges(20, 30), cbind(at[20, ], at[1, ]), cbind(at[, 30], at[, 1]))
  tree <- cbind(2:511, 2:511 %/% 2)
  set.seed(1)
  graphs <- list(tree, torus, cbind(2:1500, ceiling(stats::runif(1499) * 1:1499)), cbind(1, 2:60))
  measure <- function(graph, algorithm) {
    x <- gpu_layout(graph, algorithm = algorithm, seed = 1, backend = "cpu")
    unlist(gpu_layout_quality(graph, x)[c("stress", "neighborhood")])
  }
  for (graph in graphs) {
    forces <- measure(graph, "fr")
    both <- measure(graph, "stress-fr")
    expect_lte(both[["stress"]], forces[["stress"]] * (1 + 1e-9))
    expect_gte(both[["neighborhood"]], 0.9 * forces[["neighborhood"]] - 1e-9)
  }
  both <- as.list(measure(tree, "stress-fr"))
  expect_lt(both$stress, 0.95 * measure(tree, "fr")[["stress"]])
  expect_gt(both$neighborhood, 2 * measure(tree, "stress")[["neighborhood"]])
  x <- gpu_layout(tree, algorithm = "stress-fr", seed = 1)
  expect_identical(attr(x, "algorithm"), "stress-fr")
  expect_equal(attr(x, "stress"), both$stress, tolerance = 1e-12)
  expect_identical(gpu_layout(tree, algorithm = "STRESS-FR", seed = 1, threads = 3), x)
})

test_that("\"stress-fr\" keeps lengths, fixed vertices, bounds and components", {
  mixed <- function(...) gpu_layout(..., algorithm = "stress-fr", seed = 1)
  edges <- rbind(grid_edges(4, 5), c(21, 22))
  start <- as.matrix(mixed(edges, dim = 3))
  x <- mixed(edges, dim = 3, init = start, fixed = c(1, 20, 21))
  expect_identical(unname(as.matrix(x)[c(1, 20, 21), ]), unname(start[c(1, 20, 21), ]))
  y <- mixed(edges, lower = c(-1, 0), upper = c(1, 9))
  expect_true(all(y[, 1] >= -1 & y[, 1] <= 1 & y[, 2] >= 0 & y[, 2] <= 9))
  z <- mixed(edges, dim = 3, init = start, iterations = 0)
  expect_equal(unname(as.matrix(z)), unname(start), tolerance = 1e-14)
  column <- rep(1:5, each = 4)
  held <- mixed(grid_edges(4, 5), constrain = cbind(column, NA))
  expect_equal(unname(held[, 1]), column)
  for (length in c(1e-300, 1, 7, 1e299)) {
    path <- mixed(cbind(1:4, 2:5), lengths = length * c(1, 3, 1, 3))
    step <- sqrt(rowSums((diff(as.matrix(path)) / length)^2))
    expect_lt(max(step[c(1, 3)]), min(step[c(2, 4)]))
    expect_equal(sum(step), 8, tolerance = 0.2)
  }
  expect_true(all(is.finite(mixed(cbind(1:3, 2:4), lengths = c(1e-300, 1e300, 1)))))
  expect_identical(dim(mixed(matrix(0, 0, 2))), c(0L, 2L))
  apart <- mixed(rbind(cbind(1, 2), cbind(3, 4), cbind(5, 6)))
  expect_true(all(stats::dist(as.matrix(apart)) > 0.9))
  for (name in c("radius", "init_weight")) {
    expect_error(
      do.call(mixed, stats::setNames(list(edges, start, 1), c("graph", "init", name))),
      paste(name, "must not be given with algorithm \"stress-fr\"")
    )
  }
  expect_error(mixed(edges, weights = 1), "weights must not be given with algorithm \"stress-fr\"")
})
